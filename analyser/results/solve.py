"""Solving: a checked scenario and how to work it out, in; a result out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.sampling import FIRST_TRIALS, Sampling
from analyser.engine.attack.exact import exact_attack
from analyser.engine.attack.sampled import Sample, outcomes_of, plan_for
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import Operation, Setup
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.engine.pool.pmf import steps_of
from analyser.game.ruleset import Face
from analyser.results import rules_used
from analyser.results.attack import AttackResult
from analyser.results.base import Result
from analyser.results.charge import ChargeResult, strikes_described
from analyser.results.duel import DuelResult
from analyser.results.focus import FocusResult
from analyser.results.states import Endings, FightResult, run, simulation_of
from analyser.rules.draws import odds_of
from analyser.rules.structs import FightFacts, plain
from analyser.scenarios.attack import Scenario
from analyser.scenarios.charge import ChargeScenario, charge_program, charge_start
from analyser.scenarios.duel import DuelScenario, duel_start, in_parts, program_of, shooters_of
from analyser.scenarios.focus import FocusScenario, focus_program
from analyser.scenarios.load import AnyScenario

FightT = TypeVar("FightT", bound=FightResult)
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
    if isinstance(scenario, ChargeScenario):
        return _charge(scenario, sampling)
    if isinstance(scenario, FocusScenario):
        return _focus(scenario, sampling)
    if isinstance(scenario, DuelScenario):
        return _duel(scenario, sampling)
    return _exact_attack(scenario) if sampling.is_exact else _sampled_attack(scenario, sampling)


def _exact_attack(scenario: Scenario) -> AttackResult:
    fight = scenario.fight
    die, deck = _draws(scenario)
    _check_size(fight, len(deck))
    faces, cards = die / die.sum(), deck / deck.sum()
    scores, pmf, outcomes, probabilities = exact_attack(fight, faces, cards, odds_of(die, deck))
    wrecked = float((die[Face.HEROIC] + die[Face.STRIKE]) / die.sum())
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
    sample = _sample_of(scenario, sampling.seed)

    def answer(how: Sampling) -> AttackResult:
        assert how.trials is not None
        sample.play_to(how.trials, how.n_threads, how.report)
        return _result(scenario, sample, sample.counts, sample.trials, how.seed)

    return sampling.settled(answer, CHUNK_TRIALS, FIRST_TRIALS)


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
    sampling = Sampling("monte-carlo", batches * trials, seed, threads=threads)
    sample = _sample_of(scenario, seed)
    parts, before = [], sample.counts.copy()
    for batch in range(1, batches + 1):
        sample.play_to(batch * trials, sampling.n_threads)
        parts.append(_result(scenario, sample, sample.counts - before, trials, seed))
        before = sample.counts.copy()
    return _result(scenario, sample, sample.counts, sample.trials, seed), tuple(parts)


def _sample_of(scenario: Scenario, seed: int) -> Sample:
    """An empty sample of a scenario."""
    die, deck = _draws(scenario)
    return Sample(plan_for(scenario.fight, die, deck, seed, for_building=scenario.rolls_for_building))


def _result(scenario: Scenario, sample: Sample, counts: NDArray[np.int64], trials: int, seed: int) -> AttackResult:
    """The result of a sample, or of the part of it in which `trials` trials gave `counts`."""
    fight = sample.plan.fight
    outcomes, weights = outcomes_of(sample.plan, counts)
    return AttackResult(
        outcomes=outcomes,
        weights=weights,
        scores=sample.plan.scores,
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

    def answer(endings: list[Endings], head: dict[str, Any]) -> ChargeResult:
        strikes = tuple(strikes_described(setup, operations, start, scenario))
        rules = rules_used.of_charge(scenario, with_replacement=sampling.with_replacement)
        return ChargeResult(endings=endings[0], strikes=strikes, rules=rules, **head)

    return _fought(scenario, setup, [operations], start, sampling, answer)


def _focus(scenario: FocusScenario, sampling: Sampling) -> FocusResult:
    setup, programs = focus_program(scenario.attacks, scenario.attackers)

    def answer(endings: list[Endings], head: dict[str, Any]) -> FocusResult:
        rules = rules_used.of_focus(scenario, with_replacement=sampling.with_replacement)
        return FocusResult(endings=tuple(endings), rules=rules, **head)

    return _fought(scenario, setup, programs, start_states(setup), sampling, answer)


def _duel(scenario: DuelScenario, sampling: Sampling) -> DuelResult:
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    setup, rounds = program_of(shooters, scenario.terms)
    parts, moments, ends = in_parts(rounds, shooters)

    def answer(endings: list[Endings], head: dict[str, Any]) -> DuelResult:
        return DuelResult(
            endings=tuple(endings[part] for part in ends),
            setup=setup,
            moments=tuple((each, endings[each.part]) for each in moments),
            rules=rules_used.of_duel(scenario, shooters, with_replacement=sampling.with_replacement),
            **head,
        )

    return _fought(scenario, setup, parts, duel_start(setup, (scenario.a, scenario.b)), sampling, answer)


def _fought(
    scenario: ChargeScenario | FocusScenario | DuelScenario,
    setup: Setup,
    programs: Sequence[Sequence[Operation]],
    start: tuple[int, int],
    sampling: Sampling,
    answer: Callable[[list[Endings], dict[str, Any]], FightT],
) -> FightT:
    """The answer to a fight, from how both sides stand after each of its programs."""
    ruleset = scenario.ruleset
    simulation = (
        None if sampling.is_exact else simulation_of(setup, programs, ruleset, replacement=sampling.replacement)
    )

    def played(how: Sampling) -> FightT:
        endings = run(setup, programs, start, ruleset, how, simulation)
        seed = None if how.is_exact else int(how.seed)
        head = {"scenario": scenario, "profiles": scenario.profiles, "trials": endings[0].trials, "seed": seed}
        return answer(endings, head)

    return sampling.settled(played, CHUNK_TRIALS)
