"""The two questions: what are the odds exactly, and what do a million fights say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, shown
from analyser.common.estimates import Method
from analyser.common.files import is_there
from analyser.common.sampling import FIRST_TRIALS, Progress, Sampling
from analyser.common.validation import checked
from analyser.engine.attack.exact import exact_attack
from analyser.engine.attack.sampled import Table, dealer_for, outcomes_of
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.engine.pool.pmf import steps_of
from analyser.game.dice import Face
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout
from analyser.results import rules_used
from analyser.results.attack import AttackResult
from analyser.results.charge import ChargeResult, strikes_described
from analyser.results.duel import DuelResult
from analyser.results.focus import FocusResult
from analyser.results.states import Endings, run
from analyser.rules.structs import FightFacts, plain
from analyser.scenarios.attack import Scenario
from analyser.scenarios.charge import ChargeScenario, charge_program, charge_start
from analyser.scenarios.duel import DuelScenario, duel_start, in_parts, program_of, shooters_of
from analyser.scenarios.focus import FocusScenario, focus_program
from analyser.scenarios.load import (
    ScenarioLike,
    load_charge,
    load_duel,
    load_focus,
    load_scenario,
)
from analyser.scenarios.reading import Source
from analyser.scenarios.schema import Charge, DuelTerms

MOST_STEPS = 1e9  # of an exact law: some seconds


def exact(scenario: ScenarioLike, profiles: Profiles | None = None) -> AttackResult:
    """The exact odds of an attack: the whole joint law of its outcome.

    Parameters
    ----------
    scenario : Scenario, path or mapping
    profiles : Profiles, optional

    Returns
    -------
    Result
        Its probabilities are exact, up to the rounding of floating-point sums (below 1e-12).

    Raises
    ------
    InputError
        As :func:`load_scenario`.

    Examples
    --------
    >>> result = exact({"attack": {"dice": 1}, "target": {"models": 6, "defence": 1, "damage_limit": 1}})
    >>> round(result.summary["mean_hits"], 4)
    0.9074
    """
    ready = load_scenario(scenario, profiles)
    fight = ready.fight
    die, deck = _draws(ready)
    _check_size(fight, len(deck))
    faces, cards = die / die.sum(), deck / deck.sum()
    scores, pmf, outcomes, chances = exact_attack(fight, faces, cards, np.cumsum(cards))
    wrecked = float(faces[Face.HEROIC] + faces[Face.STRIKE])
    return AttackResult(
        outcomes=outcomes,
        weights=chances,
        scores=scores,
        score_weights=pmf,
        building_wrecked_weight=wrecked if ready.rolls_for_building else None,
        **_account(ready, fight),
    )


def _check_size(fight: FightFacts, card_values: int) -> None:
    """Refuse a pool whose exact law would take minutes or gigabytes; only these three make pools that large."""
    if not (fight.veteran or fight.extra_dice or fight.overcharge):
        return
    dice = int(fight.dice) + (card_values - 1 if fight.overcharge else 0)
    steps = steps_of(fight, dice)
    if steps > MOST_STEPS:
        allowed = "fewer dice, Veterans or extra re-rolls, or the method monte-carlo"
        raise InputError(f"the exact law of this pool takes {steps:.1g} steps", where="attack.dice", allowed=allowed)


def simulate(
    scenario: ScenarioLike,
    trials: int | None = None,
    *,
    seed: int = 0,
    precision: float | None = None,
    threads: int | None = None,
    profiles: Profiles | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> AttackResult:
    """The odds of an attack by rolling every die and turning every card.

    Parameters
    ----------
    scenario : Scenario, path or mapping
    trials : int, optional
        Fights to play, 1 to 10**12; left out: ten million.
    seed : int
        0 or more. The same seed gives the same bits, on any number of threads.
    precision : float, optional
        Instead of `trials`: play on until the 95% interval of every probability of the result, from its lower to
        its upper end, is at most this wide (1e-5 or more).
    threads : int, optional
        Left out: one for each processor.
    profiles : Profiles, optional
    progress : callable, optional
        Told the fights played so far and the number aimed at, now and then.

    Returns
    -------
    Result
        Each probability has a Wilson score interval at 95%.

    Raises
    ------
    InputError
        As :func:`load_scenario`, and for a wrong number of trials, seed, precision or threads.

    Examples
    --------
    >>> fight = {"attack": {"dice": 12, "rating": "improved"}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}
    >>> simulate(fight, trials=100_000, seed=7).trials
    100000
    """
    sampling = Sampling("monte-carlo", trials, seed, precision, threads, progress=progress)
    ready = load_scenario(scenario, profiles)
    table = _table(ready, sampling)
    table.play_to(sampling.first_trials(FIRST_TRIALS))
    found = _sampled(ready, table, table.counts, table.trials, seed)
    while precision is not None and (width := found.widest_interval()) > precision:
        table.play_to(sampling.trials_still_needed(table.trials, width, CHUNK_TRIALS))
        found = _sampled(ready, table, table.counts, table.trials, seed)
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
        As of :func:`simulate`.

    Returns
    -------
    whole : Result
        As of :func:`simulate` with as many trials, bit for bit.
    parts : tuple of Result
        By the number of the batch; their seed is that of the whole.
    """
    trials = chunks * CHUNK_TRIALS
    table = _table(scenario, Sampling("monte-carlo", batches * trials, seed, threads=threads))
    parts, before = [], table.counts.copy()
    for batch in range(1, batches + 1):
        table.play_to(batch * trials)
        parts.append(_sampled(scenario, table, table.counts - before, trials, seed))
        before = table.counts.copy()
    return _sampled(scenario, table, table.counts, table.trials, seed), tuple(parts)


def _table(scenario: Scenario, sampling: Sampling) -> Table:
    """An empty sample of a scenario."""
    die, deck = _draws(scenario)
    dealer = dealer_for(scenario.fight, die, deck, sampling.seed, for_building=scenario.rolls_for_building)
    return Table(dealer, sampling.n_threads, sampling.report)


def _sampled(scenario: Scenario, table: Table, counts: NDArray[np.int64], trials: int, seed: int) -> AttackResult:
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
        **_account(scenario, fight),
    )


def _draws(scenario: Scenario) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.array(scenario.ruleset.die.faces, np.int64), scenario.ruleset.deck.counts()


def _account(scenario: Scenario, fight: FightFacts) -> dict[str, Any]:
    """What a result says about its scenario, whatever the method."""
    fight = plain(fight)
    return {
        "scenario": scenario,
        "conditions": rules_used.conditions(scenario, fight),
        "rules": rules_used.of_attack(scenario, fight),
        "profiles": scenario.profiles,
    }


def _sample(scenario: Any, sampling: Sampling, endings: Endings) -> dict[str, Any]:
    """What the answer to a fight says about its sample and its profiles."""
    seed = None if sampling.is_exact else int(sampling.seed)
    return {"trials": endings.trials, "seed": seed, "profiles": scenario.profiles}


Unit = str | Mapping[str, Any]


def charge(
    attacker: ChargeScenario | Source,
    target: Unit | None = None,
    *,
    secondary: Sequence[Unit] = (),
    profiles: Profiles | None = None,
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | None = None,
    threads: int | None = None,
    replacement: bool = False,
    progress: Progress | None = None,
    **circumstances: bool,
) -> ChargeResult:
    """What a charge comes to (AC-8): who wins, what both sides lose, what becomes of them.

    Parameters
    ----------
    attacker : selector or mapping; or ChargeScenario, path or mapping
        The unit that charges: a selector, or the keys of ``[attacker]``. Without a `target`: a whole scenario
        (`docs/fights.md`).
    target : selector or mapping, optional
        The unit that is charged.
    secondary : sequence of selectors or mappings
        Other units of the charged side in contact (AC-8.7).
    profiles : Profiles, optional
        Where selectors are looked up; left out: the shipped profiles.
    method : "exact" or "monte-carlo"
    trials : int, optional
        Monte Carlo: charges to play, 1 to 10**10; left out: a million.
    seed : int
        0 or more. The same seed gives the same bits, on any number of threads.
    precision : float, optional
        Instead of `trials`: so many that no 95% interval of a probability is wider.
    threads : int, optional
        Left out: one for each processor.
    replacement : bool
        Monte Carlo: put each card back before the next is drawn (AC-9.3).
    progress : callable, optional
        Told the charges played so far and the number aimed at, now and then.
    **circumstances : bool
        The keys of ``[charge]``: outflanking, supported, threatened, difficult_terrain, overrun.

    Raises
    ------
    InputError
        A unit that cannot charge, one that cannot be charged (AC-8.1), or another input that cannot be used.

    Examples
    --------
    >>> result = charge("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic", outflanking=True)
    >>> print(result.probability("won"), result.probability("lost"), result.probability("stalemate"), sep=", ")
    38.05%, 34.22%, 27.73%
    """
    sampling = Sampling(method, trials, seed, precision, threads, replacement, progress)
    source = attacker
    if target is not None:
        _check_keys(circumstances, Charge, "charge")
        source = {"charge": circumstances, "attacker": _unit(attacker, "attacker"), "target": _unit(target, "target")}
        source["secondary"] = [_unit(each, "secondary") for each in _listed(secondary, "secondary", "units")]
    elif circumstances or secondary:
        raise InputError("this stands in the scenario", where=next(iter(circumstances), "secondary"))
    else:
        _check_whole(attacker, "target")
    scenario = load_charge(source, profiles)
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


def focus(
    attacks: FocusScenario | Source | Sequence[Unit],
    target: Unit | None = None,
    *,
    profiles: Profiles | None = None,
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | None = None,
    threads: int | None = None,
    replacement: bool = False,
    progress: Progress | None = None,
) -> FocusResult:
    """What several attacks on one target in order come to (AC-9.1).

    Parameters
    ----------
    attacks : sequence of selectors or mappings; or FocusScenario, path or mapping
        Who attacks, in order: selectors, or the keys of ``[[attacks]]`` (each with its own row and conditions).
        Without a `target`: a whole scenario (`docs/fights.md`).
    target : selector or mapping, optional
        The unit that all of them attack.
    profiles, method, trials, seed, precision, threads, replacement, progress
        As of :func:`charge`.

    Raises
    ------
    InputError
        No attack, an attack that cannot be made, or another input that cannot be used.

    Examples
    --------
    >>> rifles = "crown/rifle-p@basic"
    >>> result = focus([rifles, {"attacker": rifles, "distance": 6}], "scion-grenadier-p@basic")
    >>> result.probability("broken", 1).probability < result.probability("broken", 2).probability
    True
    """
    sampling = Sampling(method, trials, seed, precision, threads, replacement, progress)
    source: Any = attacks
    if target is not None:
        listed = [_unit(each, "attacks", "attacker") for each in _listed(attacks, "attacks", "attacks")]
        source = {"attacks": listed, "target": _unit(target, "target")}
    else:
        _check_whole(attacks, "target")
    scenario = load_focus(source, profiles)
    setup, programs = focus_program(scenario.attacks, scenario.attackers)
    endings = run(setup, programs, start_states(setup), scenario.ruleset, sampling)
    return FocusResult(
        scenario=scenario,
        endings=tuple(endings),
        rules=rules_used.of_focus(scenario, with_replacement=sampling.with_replacement),
        **_sample(scenario, sampling, endings[0]),
    )


def duel(
    a: DuelScenario | Source,
    b: Unit | None = None,
    *,
    profiles: Profiles | None = None,
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | None = None,
    threads: int | None = None,
    replacement: bool = False,
    progress: Progress | None = None,
    **terms: Any,
) -> DuelResult:
    """What a duel comes to (AC-9.2): both units round by round, and who has won by victory points.

    Parameters
    ----------
    a : selector or mapping; or DuelScenario, path or mapping
        One unit: a selector, or the keys of ``[a]``. Without `b`: a whole scenario (`docs/fights.md`).
    b : selector or mapping, optional
        The other.
    profiles, method, trials, seed, precision, threads, replacement, progress
        As of :func:`charge`.
    **terms
        The keys of ``[duel]``: rounds (1 to 10; 6), first ("a", "b" or "random"), policy_a, policy_b, distance.

    Raises
    ------
    InputError
        A policy that its unit cannot carry out, an aircraft, or another input that cannot be used.

    Examples
    --------
    >>> result = duel("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic", rounds=2, first="a")
    >>> round(result.summary["p_a_wins"] + result.summary["p_draw"] + result.summary["p_b_wins"], 12)
    1.0
    """
    sampling = Sampling(method, trials, seed, precision, threads, replacement, progress)
    source: Any = a
    if b is not None:
        _check_keys(terms, DuelTerms, "duel")
        source = {"duel": terms, "a": _unit(a, "a"), "b": _unit(b, "b")}
    elif terms:
        raise InputError("this stands in the scenario", where=next(iter(terms)))
    else:
        _check_whole(a, "b")
    scenario = load_duel(source, profiles)
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


def _listed(given: Any, where: str, what: str) -> Sequence[Unit]:
    """What was given, which must be a list."""
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        raise InputError(f"not a list of {what}", where=where, allowed=f"a list of selectors, or of tables of {what}")
    return given


def _check_whole(source: Any, second: str) -> None:
    """Refuse one unit alone, or a list of them: without a second unit, a whole scenario is wanted."""
    is_text = isinstance(source, str)
    is_file = is_text and (source.endswith(".toml") or is_there(Path(source)))
    if not is_file and (is_text or isinstance(source, list | tuple)):
        problem = f"{shown(source)} is neither a file nor a scenario, and the second unit is missing"
        raise InputError(problem, where=second, allowed=f"a unit as {second}=, or the path of a scenario file alone")


def _unit(unit: Any, where: str, key: str = "unit") -> dict[str, Any]:
    """The section of a unit: a selector stands for its `key` alone."""
    if isinstance(unit, str | Loadout):
        return {key: unit}
    if not isinstance(unit, Mapping):
        raise InputError(f"{shown(unit)} is not usable", where=where, allowed="a selector, or a table of keys")
    return dict(unit)


def _check_keys(given: Mapping[str, Any], model: type[Charge] | type[DuelTerms], section: str) -> None:
    """Let the section's record say what is wrong with the names of arguments."""
    checked(model, given, where=section)
