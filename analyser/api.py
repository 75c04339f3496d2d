"""Public functions that answer questions about fights.

A question is stated by its units (selectors or mappings), or as one object: a scenario, the path of a scenario file, or
a mapping in the form of such a file. :class:`~analyser.common.method_settings.Sampling` describes method and precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack, cast

from analyser.common.errors import InputError, check_choice, check_keywords, shown
from analyser.common.estimates import Method
from analyser.common.method_settings import Progress, Sampling
from analyser.common.validation import Record, checked
from analyser.game.profiles import ProfilesLike, library_of
from analyser.morale import api as morale
from analyser.morale.systems import SYSTEMS, system_of
from analyser.results.attack import AttackResult, solve_attack
from analyser.results.base import Result
from analyser.results.charge import ChargeResult, solve_charge
from analyser.results.dispatch import solve
from analyser.results.duel import DuelResult, solve_duel
from analyser.results.focus import FocusResult, check_until, solve_focus
from analyser.scenarios import load as scenarios
from analyser.scenarios.attack import Scenario
from analyser.scenarios.charge import ChargeScenario
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.focus import FocusScenario
from analyser.scenarios.load import FILES, AnyScenario, Circumstances, Conditions, Question, Terms, Unit
from analyser.scenarios.schema import ChargeTerms, DuelTerms, Kind

if TYPE_CHECKING:
    import pandas as pd

_SAMPLING_KEYWORDS = [field.name for field in fields(Sampling) if field.name != "method"]


def attack(
    attacker: Unit | Scenario | Question,
    target: Unit | None = None,
    *,
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    **conditions: Unpack[Conditions],
) -> AttackResult:
    """Return the result of a ranged attack (AC-3 to AC-5): the joint distribution of its outcome, exact or simulated.

    Parameters
    ----------
    attacker : selector or mapping; or Scenario, path or mapping
        A selector, or a mapping with the keys of ``[attack]``. Without a `target`: a scenario (`docs/scenario.md`).
    target : selector or mapping, optional
        The unit that is attacked: a selector, or a mapping with the keys of ``[target]``.
    method : "exact" or "monte-carlo"
        The exact distribution, or simulated trials.
    trials : int, optional
        Number of simulated attacks, 1 to 10**12. Default: a million.
    seed : int
        0 or more. The same seed gives the same result, on any number of threads.
    precision : float or str, optional
        Instead of `trials`: simulate until the 95% confidence interval of every probability of this answer is at most
        this wide (1e-5 or more, below 1). A text such as ``"5%"`` is a width relative to the probability of each event
        (`AttackResult.events`). Events that did not happen in the first trials are then ignored.
    threads : int, optional
        Number of threads; it does not change the result. Default: one for each processor.
    profiles : Profiles or path, optional
        Library, or folder of unit files, in which selectors are looked up. Default: the shipped profiles.
    progress : callable or True, optional
        Called repeatedly with the number of attacks simulated so far and the number planned. True: a progress bar.
    **conditions
        The keys of ``[attack]``, such as ``distance=6``, and bonuses and penalties by name, such as ``aiming=True``.

    Returns
    -------
    AttackResult
        Probabilities: exact up to rounding errors (below 1e-12), or simulated with 95% confidence intervals.

    Raises
    ------
    InputError
        The attack cannot be made, or another input is not usable; the message says what is allowed.

    Notes
    -----
    Exact: the distribution of the score of all dice is a convolution power of the distribution for one die (Feller: An
    Introduction to Probability Theory and Its Applications I, 1968, XI). The rules are then applied to it. Monte Carlo:
    counter-based random numbers (SplitMix64: Steele, Lea, Flood, OOPSLA 2014). The intervals are Wilson's (JASA 22,
    1927) or, for rare events, Blaker's (Canadian Journal of Statistics 28, 2000).

    Examples
    --------
    >>> result = attack("crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic", distance=6, aiming=True)
    >>> print(result.probability("broken"))
    20.21%
    """
    sampling = Sampling(method, trials, seed, precision, threads, progress=progress)
    return solve_attack(scenarios.attack_scenario(attacker, target, conditions, profiles), sampling)


def charge(
    attacker: Unit | ChargeScenario | Question,
    target: Unit | None = None,
    *,
    secondary: Sequence[Unit] = (),
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    replacement: bool = False,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    **circumstances: Unpack[Circumstances],
) -> ChargeResult:
    """Return the result of a charge (AC-8): the winner, and the losses and fate of both sides.

    Parameters
    ----------
    attacker : selector or mapping; or ChargeScenario, path or mapping
        A selector, or a mapping with the keys of ``[attacker]``. Without a `target`: a scenario (`docs/scenario.md`).
    target : selector or mapping, optional
        The unit that is charged.
    secondary : sequence of selectors or mappings
        Other units of the charged side that the charge brings into contact (AC-8.7).
    method, trials, seed, precision, threads, profiles, progress
        As for :func:`attack`.
    replacement : bool
        Monte Carlo: put each card back before the next is drawn (AC-9.3), as the exact method does.
    **circumstances
        The keys of ``[charge]``: distance, outflanking, supported, threatened, difficult_terrain, overrun.

    Returns
    -------
    ChargeResult
        State of both sides at the end, with probabilities as for :func:`attack`.

    Raises
    ------
    InputError
        A unit cannot charge or be charged (AC-8.1), or another input is not usable.

    Notes
    -----
    Exact: the joint distribution of both units, propagated through the steps of the fight as a finite Markov chain
    (Kemeny, Snell: Finite Markov Chains, 1960). Monte Carlo: as for :func:`attack`.

    Examples
    --------
    >>> result = charge("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic", outflanking=True)
    >>> print(*(result.probability(name) for name in ("attacker_wins", "target_wins", "draw")))
    38.05% 34.22% 27.73%
    """
    sampling = Sampling(method, trials, seed, precision, threads, replacement, progress)
    parts = None
    if target is not None:
        check_keywords(circumstances, ChargeTerms.model_fields, charge, "charge")
        checked(ChargeTerms, circumstances, where="charge")
        parts = {
            "charge": circumstances,
            "attacker": scenarios.section_of(attacker, "attacker"),
            "target": scenarios.section_of(target, "target"),
            "secondary": _sections(secondary, "secondary", "units"),
        }
    stated = circumstances | ({"secondary": True} if secondary else {})
    return solve_charge(scenarios.scenario_from(ChargeScenario, attacker, parts, "target", stated, profiles), sampling)


def focus(
    attacks: Sequence[Unit] | FocusScenario | Question,
    target: Unit | None = None,
    *,
    until: tuple[float, str] | None = None,
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    replacement: bool = False,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    **conditions: Unpack[Conditions],
) -> FocusResult:
    """Return the result of several attacks on one target, one after the other (AC-9.1).

    Parameters
    ----------
    attacks : sequence of selectors or mappings; or FocusScenario, path or mapping
        The attackers, in order: selectors, or mappings with keys of ``[[attacks]]``. Without a `target`: a scenario.
    target : selector or mapping, optional
        Target of all attacks.
    until : (float, str), optional
        For example, ``(0.8, "broken")`` reports after how many attacks the target is broken with probability 0.8.
    method, trials, seed, precision, threads, replacement, profiles, progress
        As for :func:`charge`, whose notes describe the method.
    **conditions
        Conditions of every attack, as for :func:`attack`; the keys of a single attack take precedence.

    Returns
    -------
    FocusResult
        State of the target after each attack, with probabilities as for :func:`attack`.

    Examples
    --------
    >>> rifles = "crown/rifle-p@basic"
    >>> result = focus([rifles, {"attacker": rifles, "distance": 6}], "scion-grenadier-p@basic", distance=12)
    >>> result.probability("broken", 1) < result.probability("broken", 2)
    True
    """
    sampling = Sampling(method, trials, seed, precision, threads, replacement, progress)
    if until is not None:
        check_until(until)
    parts = None
    if target is not None:
        common = scenarios.with_conditions({}, conditions)
        sections = [common | section for section in _sections(attacks, "attacks", "attacks", "attacker")]
        parts = {"attacks": sections, "target": scenarios.section_of(target, "target")}
    scenario = scenarios.scenario_from(FocusScenario, attacks, parts, "target", conditions, profiles)
    return replace(solve_focus(scenario, sampling), wanted=until)


def duel(
    a: Unit | DuelScenario | Question,
    b: Unit | None = None,
    *,
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    replacement: bool = False,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    **terms: Unpack[Terms],
) -> DuelResult:
    """Return the result of a duel (AC-9.2): both units round by round, and the winner by victory points.

    Parameters
    ----------
    a : selector or mapping; or DuelScenario, path or mapping
        A selector, or a mapping with the keys of ``[a]``. Without `b`: a scenario (`docs/scenario.md`).
    b : selector or mapping, optional
        The other unit.
    method, trials, seed, precision, threads, replacement, profiles, progress
        As for :func:`charge`, whose notes describe the method.
    **terms
        Keys of ``[duel]``: rounds (1 to 10, default 6), first (a, b, random), policy_a, policy_b, distance, step, want.

    Returns
    -------
    DuelResult
        State of both units at the end of each round, and the winner, with probabilities as for :func:`attack`.

    Raises
    ------
    InputError
        A unit cannot carry out its policy, a unit is an aircraft, or another input is not usable.

    Examples
    --------
    >>> result = duel("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic", rounds=2, first="a")
    >>> round(result.probability("a_wins") + result.probability("draw") + result.probability("b_wins"), 12)
    1.0
    """
    sampling = Sampling(method, trials, seed, precision, threads, replacement, progress)
    parts = None
    if b is not None:
        check_keywords(terms, DuelTerms.model_fields, duel, "duel")
        checked(DuelTerms, terms, where="duel")
        parts = {"duel": terms, "a": scenarios.section_of(a, "a"), "b": scenarios.section_of(b, "b")}
    return solve_duel(scenarios.scenario_from(DuelScenario, a, parts, "b", terms, profiles), sampling)


def exact(
    question: AnyScenario | Record | Question | Unit | Sequence[Unit],
    target: Unit | None = None,
    *,
    profiles: ProfilesLike | None = None,
    kind: str | None = None,
    **conditions: Any,
) -> Result:
    """Return the exact answer to a question of any kind: a full joint distribution.

    Parameters
    ----------
    question : scenario, path or mapping; with a `target`: a selector, a mapping, or a list of these
        An attack, charge, focus fire or duel (`docs/scenario.md`), or a morale question (`docs/morale.md`). Battles
        need :func:`simulate`. With a `target`: the attacker (for focus fire, the list of attackers).
    target : selector or mapping, optional
        The target of the attack, or of the other fight that `kind` names.
    kind : str, optional
        ``attack``, ``charge``, ``focus``, ``duel``, ``battle``, ``legion``, ``grande-tactique``, ``warmaster``,
        ``mordheim`` or ``compare``. Default: recognised by the keys of the question; with a `target`, an attack.
    profiles, **conditions
        As for :func:`attack`, or for the function that `kind` names.

    Returns
    -------
    Result
        Exact probabilities, up to rounding errors (below 1e-12).

    Raises
    ------
    InputError, TooLargeError
        The question is not usable, or it has no exact answer (use :func:`simulate` instead).

    Examples
    --------
    >>> result = exact({"attack": {"dice": 1}, "target": {"models": 6, "defence": 1, "damage_limit": 1}})
    >>> round(result.mean("hits"), 4)
    0.9074
    >>> print(exact("crown/rifle-p@basic", "scion-grenadier-p@basic", distance=6).probability("broken"))
    20.21%
    """
    return _answer(question, target, kind, profiles, Sampling(), conditions)


def simulate(
    question: AnyScenario | Record | Question | Unit | Sequence[Unit],
    target: Unit | None = None,
    *,
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    replacement: bool = False,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    kind: str | None = None,
    **conditions: Any,
) -> Result:
    """Return the answer to a question of any kind by simulation.

    Parameters
    ----------
    question, target, profiles, kind, conditions
        As for :func:`exact`.
    trials, seed, precision, threads, progress, replacement
        As for :func:`attack` and :func:`charge`.

    Returns
    -------
    Result
        Each probability has a 95% confidence interval. The exceptions are those of :func:`exact`.

    Examples
    --------
    >>> fight = {"attack": {"dice": 12, "rating": "improved"}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}
    >>> simulate(fight, trials=100_000, seed=7).trials
    100000
    """
    sampling = Sampling("monte-carlo", trials, seed, precision, threads, replacement, progress)
    return _answer(question, target, kind, profiles, sampling, conditions)


def evaluate(
    questions: Iterable[AnyScenario | Record | Question],
    *,
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
) -> pd.DataFrame:
    """Return the main numbers of many questions of any kind as one data frame: a row for each fight.

    Parameters
    ----------
    questions : iterable of scenarios, paths or mappings
        As for :func:`exact`. A battle is always simulated.
    method, trials, seed, precision, threads, profiles
        As for :func:`attack`. An error names the path or the index of the question.

    Returns
    -------
    pandas.DataFrame
        `question` (its path, or its index), `kind`, `method`, and the numbers of :attr:`Result.summary`. A question
        about morale has several rows: those of its tables (column `table`), except distributions.

    Examples
    --------
    >>> target = {"models": 6, "defence": 2, "damage_limit": 1}
    >>> frame = evaluate({"attack": {"dice": dice}, "target": target} for dice in (8, 12, 16))
    >>> frame["p_annihilated"].round(4).tolist()
    [0.082, 0.4089, 0.76]
    """
    import pandas as pd

    if isinstance(questions, str | Mapping | Record) or not isinstance(questions, Iterable):
        raise InputError("no list of questions", where="questions", allowed="a list, also for a single question")
    sampling = Sampling(method, trials, seed, precision, threads)
    rows: list[dict[str, Any]] = []
    for index, question in enumerate(questions):
        name = str(question) if isinstance(question, str | PathLike) else index
        try:
            kind = _kind(question)
            own_sampling = replace(sampling, method="monte-carlo") if kind == "battle" else sampling
            result = _answer(question, None, kind, profiles, own_sampling, {})
        except InputError as error:
            raise error.inside(f"question {index}" if name == index else "") from None
        rows += [{"question": name, "kind": kind, "method": own_sampling.method} | row for row in result.summaries]
    return pd.DataFrame(rows)


def _answer(
    question: Any, target: Any, kind: str | None, profiles: ProfilesLike | None, sampling: Sampling, conditions: Any
) -> Result:
    if kind is not None:
        check_choice(kind, "kind", (*FILES, *SYSTEMS))
    if misplaced := conditions.keys() & {"method", *_SAMPLING_KEYWORDS}:
        allowed = f"leave it out; only simulate takes {', '.join(_SAMPLING_KEYWORDS)}"
        raise InputError("unknown key", where=min(misplaced), allowed=allowed)
    if target is not None or conditions:
        functions: dict[str, Callable[..., Result]] = {"attack": attack, "charge": charge, "focus": focus, "duel": duel}
        if (kind or "attack") not in functions:
            raise InputError(f"{shown(kind)} has no target", where="kind", allowed=", ".join(functions))
        options = {name: value for name, value in vars(sampling).items() if name != "method" and value is not False}
        function = functions[kind or "attack"]
        return function(question, target, method=sampling.method, profiles=profiles, **options, **conditions)
    if isinstance(question, AnyScenario) and kind is None and profiles is None:
        return solve(question, sampling)
    scenarios.check_is_question(question, "", profiles)
    if isinstance(question, AnyScenario) or (kind := kind or _kind(question)) in FILES:
        return solve(scenarios.load(question, library_of(profiles), cast("Kind", kind)), sampling)
    return morale.solve(str(kind), question, sampling, profiles)


def _kind(question: Any) -> str:
    if isinstance(question, AnyScenario):
        return question.kind
    if isinstance(question, Record):
        return next(name for name, system in SYSTEMS.items() if isinstance(question, system.question))
    raw = scenarios.read_scenario(question)[0]
    return system_of(raw) or scenarios.kind_of(raw)


def _sections(units: Any, where: str, noun: str, key: str = "unit") -> list[dict[str, Any]]:
    """Return the scenario section of each unit; InputError unless `units` is a list or another sequence."""
    if isinstance(units, str | Mapping) or not isinstance(units, Sequence):
        raise InputError(f"not a list of {noun}", where=where, allowed=f"a list of selectors, or of tables of {noun}")
    return [scenarios.section_of(unit, where, key) for unit in units]
