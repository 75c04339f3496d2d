"""Comparison of loadouts on one or more targets under the same conditions, each computed as a single attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, Unpack, overload

import pandas as pd

from analyser.analysis import selection
from analyser.analysis.comparison import Comparison, compared
from analyser.analysis.comparison_figures import Played, compared_side, play, probabilities_of
from analyser.analysis.comparisons import Comparisons, mean_of_targets, shares_of
from analyser.analysis.selection import Levels, Selectors
from analyser.common.errors import InputError, check_integer, shown
from analyser.common.estimates import Method
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import COMPARED, PER_100_POINTS, MetricLike, checked_metric, temporary_metric
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout
from analyser.scenarios import schema
from analyser.scenarios.attack import Scenario, scenario_between
from analyser.scenarios.load import Conditions, parse_scenario, section_of, with_conditions
from analyser.scenarios.resolve import resolve_target

Target = str | Loadout | Mapping[str, Any]
_ONE_TARGET = (str, Loadout, Mapping)


class Options(Conditions, total=False):
    """Keyword arguments of :func:`compare`, for type checkers."""

    weights: Sequence[float] | None
    metric: MetricLike
    per_points: bool
    at_least: int | None
    levels: Levels
    method: Method
    trials: int | None
    seed: int
    precision: float | str | None
    threads: int | None
    profiles: ProfilesLike | None
    progress: Progress | bool | None


@overload
def compare(loadouts: Selectors, target: Loadout, **options: Unpack[Options]) -> Comparison: ...
@overload
def compare(  # type: ignore[overload-overlap]  # text is a sequence of texts, too
    loadouts: Selectors, target: str | Mapping[str, Any], **options: Unpack[Options]
) -> Comparison | Comparisons: ...
@overload
def compare(loadouts: Selectors, target: Sequence[Target], **options: Unpack[Options]) -> Comparisons: ...
def compare(
    loadouts: Selectors,
    target: Target | Sequence[Target],
    *,
    weights: Sequence[float] | None = None,
    distance: float | None = None,
    row: str | None = None,
    metric: MetricLike = "mean_models_destroyed",
    per_points: bool = False,
    at_least: int | None = None,
    levels: Levels = None,
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    **conditions: Any,
) -> Comparison | Comparisons:
    """Compare one ranged attack of each loadout on the same target, or on each of several targets.

    Parameters
    ----------
    loadouts : str, Loadout, or several of them
        Selectors may have wildcards. A Loadout need not be in any profile file.
    target : str, Loadout or mapping; or a list of them
        A selector, a loadout, or the ``[target]`` of a scenario (`docs/scenario.md`) with the target's state. A list,
        or a selector with wildcards that matches several, gives a comparison for each and their mean.
    weights : sequence of float, optional
        Positive weight of each target in the mean, in their order. Default: equal weights.
    distance, row
        As in a scenario. By default each loadout fires its best row.
    metric : str or callable
        Figure that decides which loadout is best: `p_at_least`, one of :data:`analyser.common.metrics.METRICS` that is
        not for duels, or a function of an outcome table, see :func:`analyser.metric`.
    per_points : bool
        Compare the figure per 100 points of the loadout. It must be a mean or an expected value, not a probability.
    at_least : int, optional
        The k of P(at least k models destroyed), 1 or more. Default: half of the target's models, rounded up.
    levels : str or several, optional
        Only loadouts at these reinforcement levels.
    method, seed, precision, threads, profiles, progress
        As in :func:`analyser.attack`, for all attacks together.
    trials : int, optional
        Monte Carlo: fewest attacks for each loadout, rounded up to 32 batches of whole chunks of 131,072.
        Default: 8.4 million. Batches are paired (:mod:`analyser.analysis.comparison_figures`).
    **conditions
        The keys of ``[attack]``, and bonuses and penalties by name, such as ``aiming=True``.

    Returns
    -------
    Comparison, or Comparisons of several targets
        The frame has one row for each loadout, in the given order.

    Raises
    ------
    InputError
        A selector, row, metric, weight or condition that does not fit, a repeated target, or a target that no loadout
        can attack.

    Examples
    --------
    >>> found = compare(["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"], "imperium/krupp@basic")
    >>> found.frame.set_index("unit")["mean_models_destroyed"].round(3).to_dict()
    {'Sharp Rifles': 1.676, 'Rifle platoon': 3.518}
    >>> print(found.best)
    crown/rifle-platoon@reinforced
    """
    decides = checked_metric(metric, per_points=per_points, metrics=COMPARED)
    sampling = Sampling(method, trials, seed, precision, threads, progress=progress)
    library = library_of(profiles)
    attackers = selection.loadouts(loadouts, library, levels)
    selection.check_row(row, attackers)
    attack = with_conditions({"distance": distance, "row": row}, conditions)
    sections = _sections(target, library)
    several = len(sections) > 1 or not isinstance(target, _ONE_TARGET)
    if weights is not None and not several:
        raise InputError("weights of one target", where="weights", allowed="a list of targets")
    shares, questions = shares_of(len(sections), weights), []
    for where, section in sections:
        try:
            questions.append(_question(attack, section, attackers, at_least, library))
        except InputError as error:
            raise error.inside(where) if several else error from None
    for one, other in combinations(questions, 2):
        if one.target == other.target:
            allowed = "each target once; use weights to count one more"
            raise InputError(f"{other.name} is given twice", where="target", allowed=allowed)
    with temporary_metric(decides):
        attacks = {
            (place, side): scenario for place, of in enumerate(questions) for side, scenario in of.scenarios.items()
        }
        played = play(attacks, sampling)
        parts = [
            _comparison(of, attackers, {side: played[place, side] for side in of.scenarios}, decides, library)
            for place, of in enumerate(questions)
        ]
        return mean_of_targets(parts, shares, weights) if several else parts[0]


def _sections(target: Any, library: Profiles) -> list[tuple[str, dict[str, Any]]]:
    """Return the ``[target]`` section of each target with its unit looked up, and its path for messages."""
    sections = []
    for number, text in enumerate(selection.one_or_several(target, "target", _ONE_TARGET)):
        where = "target" if text is target else f"target.{number}"
        section = section_of(text, where)
        units = [section.get("unit")]
        if isinstance(units[0], str):
            try:
                units = list(library.matching(units[0]))
            except InputError as error:
                raise error.inside(where) from None
        sections += [(where, {**section, "unit": unit}) for unit in units]
    return sections


class _Question(NamedTuple):
    """Attacks on one target by index of the attacker, reasons why other attacks are impossible, and k."""

    name: str
    target: schema.Target
    scenarios: Mapping[int, Scenario]
    why_not: Mapping[int, str]
    at_least: int


def _question(
    attack: Mapping[str, Any],
    section: Mapping[str, Any],
    attackers: Sequence[Loadout],
    at_least: int | None,
    library: Profiles,
) -> _Question:
    """Return the attacks on one target; InputError if none is possible."""
    defender = section["unit"]
    stated = {**section, "unit": defender.selector} if isinstance(defender, Loadout) else section
    raw = {"attack": attack, "target": stated}
    file = parse_scenario(raw, schema.ScenarioFile, library, where="compare")
    target = resolve_target(file.target, defender)  # outside the loop: an error in the target is not about a loadout
    scenarios, errors, why_not = {}, [], {}
    for place, attacker in enumerate(attackers):
        try:
            scenarios[place] = scenario_between(file, attacker, defender)
        except InputError as error:
            errors.append(error)
            problem = error.problem.removeprefix(f"{attacker.selector}: ")
            why_not[place] = f"{problem} ({error.allowed})" if error.allowed else problem
    if not scenarios:
        raise errors[0]
    models = target.models or 1
    wanted = (models + 1) // 2 if at_least is None else at_least
    check_integer(wanted, "at_least", 1)
    if wanted > models:
        raise InputError(f"at least {shown(wanted)} of {models} models", where="at_least", allowed=f"1 to {models}")
    return _Question(_name(stated), target, scenarios, why_not, wanted)


def _name(section: Mapping[str, Any]) -> str:
    """Return the name of a target: its selector, then its state after a colon."""
    stated = [(key, value) for key, value in sorted(section.items()) if key != "unit" and value not in (None, False)]
    state = ",".join(key if value is True else f"{key}={value}" for key, value in stated)
    if section["unit"] is None:
        return "target without a profile"
    return f"{section['unit']}:{state}" if state else str(section["unit"])


def _comparison(
    question: _Question, attackers: Sequence[Loadout], played: Mapping[int, Played], decides: str, library: Profiles
) -> Comparison:
    """Return the comparison on one target."""
    sides = {
        place: compared_side(attackers[place].selector, attackers[place].level.points, result, question.at_least)
        for place, result in played.items()
    }
    rows, tables = [], []
    for place, attacker in enumerate(attackers):
        row: dict[str, Any] = {"loadout": attacker.selector, "unit": attacker.unit.name}
        row |= {"level": attacker.level_name, "points": attacker.level.points}
        if place in played:
            result, _ = played[place]
            row |= {"row": result.scenario.attack.row, "dice": result.conditions["dice"], "method": result.method}
            row |= ({} if result.exact else {"trials": result.trials}) | sides[place].columns()
            if not result.exact:
                probabilities = probabilities_of(result, question.at_least)
                row |= {f"{name}_interval": p.by for name, p in probabilities.items()}
            table = pd.DataFrame(result.distribution("models_destroyed")).rename(columns={"value": "models_destroyed"})
            table.insert(0, "loadout", attacker.selector)
            tables.append(table.assign(method=result.method))
        rows.append(row | {"why_not": question.why_not.get(place)})
    answer = compared(
        rows,
        list(sides.values()),
        decides,
        distributions=pd.concat(tables, ignore_index=True),
        at_least=question.at_least,
        results={sides[place].name: whole for place, (whole, _) in played.items()},
        shares={question.name: 1.0},
        profiles=library.used,
    )
    if not answer.best:
        by_points = decides.endswith(PER_100_POINTS)
        lacks = "the profiles give no points" if by_points else "the target's profile gives no victory points or points"
        raise InputError(f"no loadout has a figure {decides!r}: {lacks} for it", where="metric")
    return answer
