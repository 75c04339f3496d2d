"""Comparison of one attack of each of several loadouts on one or more targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, Unpack, overload

import pandas as pd

from analyser.analysis import selection
from analyser.analysis.comparison import Comparison, comparison_of
from analyser.analysis.comparison_figures import AttackWithBatches, loadout_figures, probabilities_of, run_attacks
from analyser.analysis.comparisons import Comparisons, mean_of_targets, shares_of
from analyser.analysis.selection import Selectors
from analyser.common.errors import InputError, check_integer, shown
from analyser.common.estimates import Method
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import (
    COMPARE_METRICS,
    PER_100_POINTS,
    MetricLike,
    checked_metric,
    function_of,
    temporary_metric,
)
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
def compare(  # type: ignore[overload-overlap]  # a str is a Sequence[str], too
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
        A selector, a loadout, or the ``[target]`` of a scenario (`docs/scenario.md`) with the target's state. For a
        list, or wildcards that match several units, the result has a comparison for each target, and their mean.
    weights : sequence of float, optional
        Positive weight of each target in the mean, in the order of the targets. Default: equal weights.
    distance, row
        As in a scenario. By default each loadout fires its best row.
    metric : str or callable
        Figure that decides which loadout is best: one of :data:`~.metrics.COMPARE_METRICS`, or a function
        of the table of outcomes, see :func:`analyser.metric`.
    per_points : bool
        Compare the figure per 100 points of the loadout; only for means and expected values.
    at_least : int, optional
        The k of P(at least k models destroyed), 1 or more. Default: half of the target's models, rounded up.
    method, seed, precision, threads, profiles, progress
        As in :func:`analyser.attack`, for all attacks together.
    trials : int, optional
        Number of simulated attacks by each loadout, rounded up to a multiple of 32 × 65,536 (32 equal batches).
        Default: 4.2 million. Batches are paired (:mod:`analyser.analysis.comparison_figures`).
    **conditions
        The other keys of ``[attack]``, and bonuses and penalties by name, such as ``aiming=True``.

    Returns
    -------
    Comparison, or Comparisons of several targets
        The frame has one row for each loadout, in the order of `loadouts`.

    Raises
    ------
    InputError
        A selector, row, metric, weight or condition that does not fit, a repeated target, or no target that any
        loadout can attack.

    Examples
    --------
    >>> found = compare(["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"], "imperium/krupp@basic")
    >>> found.frame.set_index("unit")["mean_models_destroyed"].round(3).to_dict()
    {'Sharp Rifles': 1.676, 'Rifle platoon': 3.518}
    >>> print(found.best)
    crown/rifle-platoon@reinforced
    """
    if conditions.get("kind") in ("charge", "duel"):
        problem, kind = "compare computes ranged attacks only", conditions["kind"]
        raise InputError(problem, where="kind", allowed=f'analyser.curve(..., kind="{kind}")')
    compared_metric = checked_metric(metric, per_points=per_points, metrics=COMPARE_METRICS)
    sampling = Sampling(method, trials, seed, precision, threads, progress=progress)
    library = library_of(profiles)
    attackers = selection.loadouts(loadouts, library)
    selection.check_row(row, attackers)
    attack = with_conditions({"distance": distance, "row": row}, conditions)
    sections = _sections(target, library)
    several = len(sections) > 1 or not isinstance(target, _ONE_TARGET)
    if weights is not None and not several:
        raise InputError("a single target has no weights", where="weights", allowed="a list of targets")
    shares, questions = shares_of(len(sections), weights), []
    for where, section in sections:
        try:
            questions.append(_question(attack, section, attackers, at_least, library))
        except InputError as error:
            raise error.inside(where) if several else error from None
    for first, second in combinations(questions, 2):
        if first.target == second.target:
            allowed = "each target once; a weight of 2 counts it twice"
            raise InputError(f"{second.name} is given twice", where="target", allowed=allowed)
    if not any(question.scenarios for question in questions):
        first_error = next(iter(questions[0].errors.values()))
        raise first_error.inside(questions[0].name) if several else first_error
    with temporary_metric(compared_metric):
        attacks = {
            (number, attacker): scenario
            for number, question in enumerate(questions)
            for attacker, scenario in question.scenarios.items()
        }
        results = run_attacks(attacks, sampling)
        parts = []
        for number, question in enumerate(questions):
            on_target = {attacker: results[number, attacker] for attacker in question.scenarios}
            parts.append(_comparison(question, attackers, on_target, compared_metric, library))
        return mean_of_targets(parts, shares, weights) if several else parts[0]


def _sections(target: Any, library: Profiles) -> list[tuple[str, dict[str, Any]]]:
    """Return the argument that states each target, such as ``target.1``, and its ``[target]`` section."""
    sections = []
    for number, item in enumerate(selection.one_or_several(target, "target", _ONE_TARGET)):
        where = "target" if item is target else f"target.{number}"
        section = section_of(item, where)
        units = [section.get("unit")]
        if isinstance(units[0], str):
            try:
                units = list(library.matching(units[0]))
            except InputError as error:
                raise error.inside(where) from None
        sections += [(where, {**section, "unit": unit}) for unit in units]
    return sections


class _Question(NamedTuple):
    """Attacks on one target, and the errors of impossible attacks, each by index of the attacker."""

    name: str
    target: schema.Target
    scenarios: Mapping[int, Scenario]
    errors: Mapping[int, InputError]
    at_least: int

    def why_not(self, index: int, attacker: Loadout) -> str | None:
        """Return the reason why the attack is impossible; None if it is possible."""
        if index not in self.errors:
            return None
        error = self.errors[index]
        problem = error.problem.removeprefix(f"{attacker.selector}: ")
        return f"{problem} ({error.allowed})" if error.allowed else problem


def _question(
    attack: Mapping[str, Any],
    section: Mapping[str, Any],
    attackers: Sequence[Loadout],
    at_least: int | None,
    library: Profiles,
) -> _Question:
    defender = section["unit"]
    stated = {**section, "unit": defender.selector} if isinstance(defender, Loadout) else section
    file = parse_scenario({"attack": attack, "target": stated}, schema.ScenarioFile, library, where="compare")
    target = resolve_target(file.target, defender)  # before the loop, because an error here is not about an attacker
    scenarios, errors = {}, {}
    for index, attacker in enumerate(attackers):
        try:
            scenarios[index] = scenario_between(file, attacker, defender)
        except InputError as error:
            errors[index] = error
    models = target.models or 1
    wanted = (models + 1) // 2 if at_least is None else at_least
    check_integer(wanted, "at_least", 1)
    if wanted > models:
        raise InputError(f"at least {shown(wanted)} of {models} models", where="at_least", allowed=f"1 to {models}")
    return _Question(_target_name(stated), target, scenarios, errors, wanted)


def _target_name(section: Mapping[str, Any]) -> str:
    """Return the name of a target: its selector, then a colon and its state if one is stated."""
    stated = [(key, value) for key, value in sorted(section.items()) if key != "unit" and value not in (None, False)]
    state = ",".join(key if value is True else f"{key}={value}" for key, value in stated)
    if section["unit"] is None:
        return "target without a profile"
    return f"{section['unit']}:{state}" if state else str(section["unit"])


def _comparison(
    question: _Question,
    attackers: Sequence[Loadout],
    results: Mapping[int, AttackWithBatches],
    metric: str,
    library: Profiles,
) -> Comparison:
    rows, all_figures, tables = [], [], []
    for index, attacker in enumerate(attackers):
        name, points = attacker.selector, attacker.level.points
        row: dict[str, Any] = {"loadout": name, "unit": attacker.unit.name, "level": attacker.level_name}
        row |= {"points": points, "row": None, "dice": None, "method": None}
        if index in results:
            result, _ = results[index]
            figures = loadout_figures(name, points, results[index], question.at_least, metric)
            all_figures.append(figures)
            row |= {"row": result.scenario.attack.row, "dice": result.conditions["dice"], "method": result.method}
            row |= ({} if result.exact else {"trials": result.trials}) | figures.columns()
            if not result.exact:
                probabilities = probabilities_of(result, question.at_least)
                row |= {f"{key}_interval": p.kind for key, p in probabilities.items()}
            table = pd.DataFrame(result.distribution("models_destroyed")).rename(columns={"value": "models_destroyed"})
            table.insert(0, "loadout", name)
            tables.append(table.assign(method=result.method))
        rows.append(row | {"why_not": question.why_not(index, attacker)})
    answer = comparison_of(
        rows,
        all_figures,
        metric,
        distributions=pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["loadout", "method"]),
        at_least=question.at_least,
        results={attackers[index].selector: whole for index, (whole, _) in results.items()},
        shares={question.name: 1.0},
        profiles=library.used,
    )
    if results and not answer.best:
        why = "the target's profile has no victory points or no points"
        why = "the profiles have no points" if metric.endswith(PER_100_POINTS) else why
        why = why if function_of(metric) is None else "its function returns no number (NaN)"
        raise InputError(f"no loadout has the metric {metric!r}, because {why}", where="metric")
    return answer
