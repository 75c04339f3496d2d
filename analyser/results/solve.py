"""Solving: a checked scenario and how to work it out, in; a result out."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.sampling import FIRST_TRIALS, Sampling
from analyser.engine.attack.exact import exact_attack
from analyser.engine.attack.sampled import Table, dealer_for, outcomes_of
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.engine.pool.pmf import steps_of
from analyser.game.dice import Face
from analyser.results import rules_used
from analyser.results.attack import AttackResult
from analyser.results.base import Result
from analyser.results.charge import ChargeResult, strikes_described
from analyser.results.duel import DuelResult
from analyser.results.focus import FocusResult
from analyser.results.states import Endings, run
from analyser.rules.structs import FightFacts, plain
from analyser.scenarios.attack import Scenario
from analyser.scenarios.charge import ChargeScenario, charge_program, charge_start
from analyser.scenarios.duel import DuelScenario, duel_start, in_parts, program_of, shooters_of
from analyser.scenarios.focus import FocusScenario, focus_program
from analyser.scenarios.load import AnyScenario

MOST_STEPS = 1e9  # of an exact distribution: some seconds


@overload
def solve(scenario: Scenario, sampling: Sampling = ...) -> AttackResult: ...
@overload
def solve(scenario: ChargeScenario, sampling: Sampling = ...) -> ChargeResult: ...
@overload
def solve(scenario: FocusScenario, sampling: Sampling = ...) -> FocusResult: ...
@overload
def solve(scenario: DuelScenario, sampling: Sampling = ...) -> DuelResult: ...
@overload
def solve(scenario: AnyScenario, sampling: Sampling = ...) -> Result: ...
def solve(scenario: AnyScenario, sampling: Sampling = Sampling()) -> Result:  # noqa: B008 - it is frozen
    """The answer to a scenario of any kind.

    Raises
    ------
    InputError
        The exact answer would take minutes or gigabytes, or a sample has more outcomes than can be counted.
    """
    with sampling.with_bar() as ready:
        if isinstance(scenario, ChargeScenario):
            return _charge(scenario, ready)
        if isinstance(scenario, FocusScenario):
            return _focus(scenario, ready)
        if isinstance(scenario, DuelScenario):
            return _duel(scenario, ready)
        return _exact_attack(scenario) if ready.is_exact else _sampled_attack(scenario, ready)


def _exact_attack(scenario: Scenario) -> AttackResult:
    fight = scenario.fight
    die, deck = _draws(scenario)
    _check_size(fight, len(deck))
    faces, cards = die / die.sum(), deck / deck.sum()
    scores, pmf, outcomes, probabilities = exact_attack(fight, faces, cards, np.cumsum(cards))
    wrecked = float(faces[Face.HEROIC] + faces[Face.STRIKE])
    return AttackResult(
        outcomes=outcomes,
        weights=probabilities,
        scores=scores,
        score_weights=pmf,
        building_wrecked_weight=wrecked if scenario.rolls_for_building else None,
        **_head(scenario, fight),
    )


def _check_size(fight: FightFacts, card_values: int) -> None:
    """Raise InputError if a pool would take minutes or gigabytes; only these three make pools that large."""
    if not (fight.veteran or fight.extra_dice or fight.overcharge):
        return
    dice = int(fight.dice) + (card_values - 1 if fight.overcharge else 0)
    steps = steps_of(fight, dice)
    if steps > MOST_STEPS:
        allowed = "fewer dice, Veterans or extra re-rolls, or the method monte-carlo"
        problem = f"the exact distribution of this pool takes {steps:.1g} steps"
        raise InputError(problem, where="attack.dice", allowed=allowed)


def _sampled_attack(scenario: Scenario, sampling: Sampling) -> AttackResult:
    table = _table(scenario, sampling)
    table.play_to(sampling.first_trials(FIRST_TRIALS))
    found = _result(scenario, table, table.counts, table.trials, sampling.seed)
    while sampling.precision is not None and (width := found.widest_interval()) > sampling.precision:
        table.play_to(sampling.trials_still_needed(table.trials, width, CHUNK_TRIALS))
        found = _result(scenario, table, table.counts, table.trials, sampling.seed)
    return found


def simulate_in_batches(
    scenario: Scenario, batches: int, chunks: int, *, seed: int = 0, threads: int | None = None
) -> tuple[AttackResult, tuple[AttackResult, ...]]:
    """A sample, and the equal parts that it was played in.

    Batch b of two scenarios with one seed is played from the same random words (common random numbers), so that
    what they differ by in a batch varies less than each of them does.

    Parameters
    ----------
    scenario : Scenario
    batches : int
        How many parts, 1 or more.
    chunks : int
        Whole chunks of ``CHUNK_TRIALS`` trials in each part, 1 or more.
    seed, threads
        As of :class:`~analyser.common.sampling.Sampling`.

    Returns
    -------
    whole : Result
        As of :func:`solve` with as many trials, bit for bit.
    parts : tuple of Result
        By the number of the batch; their seed is that of the whole.
    """
    trials = chunks * CHUNK_TRIALS
    table = _table(scenario, Sampling("monte-carlo", batches * trials, seed, threads=threads))
    parts, before = [], table.counts.copy()
    for batch in range(1, batches + 1):
        table.play_to(batch * trials)
        parts.append(_result(scenario, table, table.counts - before, trials, seed))
        before = table.counts.copy()
    return _result(scenario, table, table.counts, table.trials, seed), tuple(parts)


def _table(scenario: Scenario, sampling: Sampling) -> Table:
    """An empty sample of a scenario."""
    die, deck = _draws(scenario)
    dealer = dealer_for(scenario.fight, die, deck, sampling.seed, for_building=scenario.rolls_for_building)
    return Table(dealer, sampling.n_threads, sampling.report)


def _result(scenario: Scenario, table: Table, counts: NDArray[np.int64], trials: int, seed: int) -> AttackResult:
    """The result of a sample, or of the part of it in which `trials` trials gave `counts`."""
    fight = table.dealer.fight
    outcomes, weights = outcomes_of(table.dealer, counts)
    return AttackResult(
        outcomes=outcomes,
        weights=weights,
        scores=table.dealer.scores,
        score_weights=counts.sum(axis=(1, 2, 3)),
        building_wrecked_weight=int(counts[..., 0].sum()) if scenario.rolls_for_building else None,
        trials=int(trials),
        seed=int(seed),
        **_head(scenario, fight),
    )


def _draws(scenario: Scenario) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.array(scenario.ruleset.die.faces, np.int64), scenario.ruleset.deck.counts()


def _head(scenario: Scenario, fight: FightFacts) -> dict[str, Any]:
    """What a result says about its scenario, whatever the method."""
    fight = plain(fight)
    return {
        "scenario": scenario,
        "conditions": rules_used.conditions(scenario, fight),
        "rules": rules_used.of_attack(scenario, fight),
        "profiles": scenario.profiles,
    }


def _charge(scenario: ChargeScenario, sampling: Sampling) -> ChargeResult:
    setup, operations = charge_program(scenario.attacker, scenario.target, scenario.secondary)
    setup.sides["hunter"] = 1  # combats won are counted for everybody: they tell how the first one went
    start = charge_start(setup)
    (endings,) = run(setup, [operations], start, scenario.ruleset, sampling)
    return ChargeResult(
        scenario=scenario,
        endings=endings,
        strikes=tuple(strikes_described(setup, operations, start, scenario)),
        rules=rules_used.of_charge(scenario, with_replacement=sampling.with_replacement),
        **_sample(scenario, sampling, endings),
    )


def _focus(scenario: FocusScenario, sampling: Sampling) -> FocusResult:
    setup, programs = focus_program(scenario.attacks, scenario.attackers)
    endings = run(setup, programs, start_states(setup), scenario.ruleset, sampling)
    return FocusResult(
        scenario=scenario,
        endings=tuple(endings),
        rules=rules_used.of_focus(scenario, with_replacement=sampling.with_replacement),
        **_sample(scenario, sampling, endings[0]),
    )


def _duel(scenario: DuelScenario, sampling: Sampling) -> DuelResult:
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    setup, rounds = program_of(shooters, scenario.terms)
    start = duel_start(setup, (scenario.a, scenario.b))
    parts, moments, ends = in_parts(rounds, shooters)
    found = run(setup, parts, start, scenario.ruleset, sampling)
    return DuelResult(
        scenario=scenario,
        endings=tuple(found[part] for part in ends),
        setup=setup,
        moments=tuple((each, found[each.part]) for each in moments),
        rules=rules_used.of_duel(scenario, shooters, with_replacement=sampling.with_replacement),
        **_sample(scenario, sampling, found[0]),
    )


def _sample(scenario: Any, sampling: Sampling, endings: Endings) -> dict[str, Any]:
    """What the answer to a fight says about its sample and its profiles."""
    seed = None if sampling.is_exact else int(sampling.seed)
    return {"trials": endings.trials, "seed": seed, "profiles": scenario.profiles}
