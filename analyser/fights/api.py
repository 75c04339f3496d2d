"""The three questions about longer fights: a charge, focus fire, a duel; exactly or by Monte Carlo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analyser.engine.joint import start_states
from analyser.errors import InputError, shown
from analyser.estimates import Method
from analyser.fights import account
from analyser.fights.charge import charge_program, charge_start
from analyser.fights.charge_result import ChargeResult
from analyser.fights.combatant import Charge
from analyser.fights.described import strikes_described
from analyser.fights.duel import DuelTerms, duel_start, in_parts, program_of, shooters_of
from analyser.fights.duel_result import DuelResult
from analyser.fights.focus import focus_program
from analyser.fights.focus_result import FocusResult
from analyser.fights.running import How, Progress, run
from analyser.fights.scenarios import (
    ChargeScenario,
    DuelScenario,
    FocusScenario,
    Source,
    load_charge,
    load_duel,
    load_focus,
)
from analyser.files import is_there
from analyser.profiles import Profiles
from analyser.validation import checked

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
    how = How(method, trials, seed, precision, threads, replacement, progress)
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
    (endings,) = run(setup, [operations], start, scenario.ruleset, how)
    return ChargeResult(
        scenario=scenario,
        method=method,
        endings=endings,
        strikes=tuple(strikes_described(setup, operations, start, scenario)),
        account=account.of_charge(scenario, with_replacement=how.with_replacement),
        seed=None if how.trials_played is None else int(seed),
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
    how = How(method, trials, seed, precision, threads, replacement, progress)
    source: Any = attacks
    if target is not None:
        listed = [_unit(each, "attacks", "attacker") for each in _listed(attacks, "attacks", "attacks")]
        source = {"attacks": listed, "target": _unit(target, "target")}
    else:
        _check_whole(attacks, "target")
    scenario = load_focus(source, profiles)
    setup, programs = focus_program(scenario.attacks, scenario.attackers)
    endings = run(setup, programs, start_states(setup), scenario.ruleset, how)
    return FocusResult(
        scenario=scenario,
        method=method,
        endings=tuple(endings),
        account=account.of_focus(scenario, with_replacement=how.with_replacement),
        seed=None if how.trials_played is None else int(seed),
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
    how = How(method, trials, seed, precision, threads, replacement, progress)
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
    found = run(setup, parts, start, scenario.ruleset, how)
    return DuelResult(
        scenario=scenario,
        method=method,
        endings=tuple(found[part] for part in ends),
        setup=setup,
        moments=tuple((each, found[each.part]) for each in moments),
        account=account.of_duel(scenario, shooters, with_replacement=how.with_replacement),
        seed=None if how.trials_played is None else int(seed),
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
    if isinstance(unit, str):
        return {key: unit}
    if not isinstance(unit, Mapping):
        raise InputError(f"{shown(unit)} is not usable", where=where, allowed="a selector, or a table of keys")
    return dict(unit)


def _check_keys(given: Mapping[str, Any], model: type[Charge] | type[DuelTerms], section: str) -> None:
    """Let the section's record say what is wrong with the names of arguments."""
    checked(model, given, where=section)
