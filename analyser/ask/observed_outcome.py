"""Observed outcome of a fight, and its probability under the distribution of all outcomes.

The end of a unit is one figure, however it was reported. A unit broke, fled or was annihilated only if that is
reported, in a single fight as in a game. The mean mid-p value over all outcomes is therefore 1/2. If unreported ends
were ignored, a player who reports every broken unit would be lucky on average.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.ask.luck_answer import GONE, Chance, Fought
from analyser.common.errors import InputError, MisspeltError, check_text, did_you_mean, shown
from analyser.common.intervals import intervals
from analyser.common.text import counted, spaced, word_of
from analyser.game.ruleset import Ruleset
from analyser.results.base import Result

Pmf = NDArray[np.float64]
_SIDES: Mapping[str, tuple[str, ...]] = {  # prefixes of the figures: enemy, then own unit
    "attack": ("",),
    "focus": ("",),
    "charge": ("target_", "attacker_"),
    "duel": ("b_", "a_"),
}
_OWN, _THEIRS = ("attacker_", "a_"), ("target_", "b_")
_DESTROYED, _LEFT, _WHOLE, _ALIVE = "models_destroyed", "models_left", "annihilated", "alive"
_FATES = (_WHOLE, "broken", "fled", "destroyed")
_NEITHER, _ALONE = ("draw", "no_combat"), ("hits", "building_wrecked")
_LESS_IS_BETTER = (_LEFT, "passengers_left", _ALIVE, "in_building", "on_lookout", "taking_cover")
_GOOD_FOR_ONE = ("victory_points", "wins", "devastating", "overruns")  # a high value is good for the side of the prefix


class Observed(NamedTuple):
    """Figures of a fight to compare, the most important first.

    `columns` has the figures of `outcome` for every possible outcome, and `weights` the probabilities. `gone`: the
    enemy's models that are gone, and its models in all, if they are compared. `unsaid`: ends of the enemy that fit the
    report but are missing from it; they count as "no".
    """

    report: dict[str, Any]
    outcome: dict[str, Any]
    columns: dict[str, Any]
    weights: Pmf
    gone: tuple[int, int] | None
    unsaid: tuple[str, ...]


def got_in(got: Any, destroyed: Any) -> dict[str, Any]:
    """Return the reported figures and events, with `destroyed` (models of the enemy) as the first."""
    if got is not None and not isinstance(got, Mapping):
        raise InputError(
            f"{shown(got)} is not usable", where="got", allowed="figures and events with their observed values"
        )
    report = dict(got or {})
    for name in report:
        check_text(name, "got", "the name of a figure or an event")
    if destroyed is not None:
        if "destroyed" in report:
            raise InputError("this is given twice", where="destroyed", allowed="once")
        report = {"destroyed": destroyed, **report}
    if not report:
        raise InputError("no result is stated", where="got", allowed="such as destroyed=2")
    return report


def fought(result: Result, got: Mapping[str, Any], *, label: str = "", side: str = "mine") -> tuple[Fought, Pmf]:
    """Return a fight with the probability of its outcome, and the distribution of the enemy's models gone.

    The distribution has an entry for each number of models; it is empty if they are not compared.
    """
    observed = observed_in(result, got)
    chance, pmf = _against(observed.outcome, observed.columns, observed.weights, result.trials)
    if_gone, gone_law = None, np.zeros(0)
    if observed.gone is not None:
        _, models = observed.gone
        gone_law = np.bincount(observed.columns[GONE], observed.weights, models + 1).astype(np.float64)
        if observed.unsaid:
            if_gone, _ = _against({GONE: models}, observed.columns, observed.weights, result.trials)
    (_, heading), *_ = result.heading()
    fight = Fought(
        label=label or (heading if result.kind == "attack" else f"{result.kind}: {heading}"),
        side=side,
        kind=result.kind,
        got=observed.report,
        looked_at=observed.outcome,
        chance=chance,
        pmf=pmf,
        trials=result.trials,
        rules=result.rules,
        asked=_asked_of(result),
        gone=observed.gone,
        unsaid=observed.unsaid,
        if_gone=if_gone,
        ruleset=result.scenario.ruleset if isinstance(result.scenario.ruleset, Ruleset) else None,
    )
    return fight, gone_law


def _asked_of(result: Result) -> tuple[str, ...]:
    """Return the conditions of a fight that may have been left to defaults: row, dice, distance, target."""
    lines = [f"{label or ' '}  {text}".strip() for label, text in result.heading()[1:]]
    attack = getattr(result.scenario, "attack", None)  # other kinds have none
    if attack is not None and attack.attacker is not None and attack.distance is None:
        lines.append("Distance  not stated: within range, and not at short range")
    return tuple(lines)


def observed_in(result: Any, got: Mapping[str, Any]) -> Observed:
    """Return the figures of an answer to compare; InputError for an impossible outcome."""
    named = _named(result, got)
    sides = [side for side in _SIDES[result.kind] if any(name in named for name in _ends(side))]
    ends = [f"{side}{name}" for side in sides for name in (_DESTROYED, *_FATES)]
    columns, weights = _columns_of(result, list(dict.fromkeys([*named, *ends])))
    report = {name: _checked_value(name, value, columns[name]) for name, value in named.items()}
    _check_can_happen(report, columns, weights, result)
    outcome, gone, unsaid = dict(report), None, tuple[str, ...]()
    for side in sides:
        models = int(_unit(result, side).models or 0)
        figure, value, missing = _end(result, side, report, columns, weights, models)
        if figure.endswith(GONE):
            every = np.where(columns[f"{side}{_WHOLE}"], models, columns[f"{side}{_DESTROYED}"])
            columns[figure] = np.asarray(every, np.int64)
        outcome = {figure if name in _ends(side) else name: was for name, was in outcome.items()} | {figure: value}
        if figure == GONE:
            gone, unsaid = (value, models), missing
    return Observed(report, outcome, columns, weights, gone, unsaid)


def _ends(side: str) -> tuple[str, ...]:
    """Return the names of all figures and events about the end of the unit of a side."""
    return tuple(f"{side}{name}" for name in (_DESTROYED, _LEFT, _ALIVE, *_FATES))


def _end(
    result: Any, side: str, report: Mapping[str, Any], columns: Mapping[str, Any], weights: Pmf, models: int
) -> tuple[str, Any, tuple[str, ...]]:
    """Return the end of a unit as a figure and its value, and the possible ends that were not reported."""
    figure = GONE if side == _SIDES[result.kind][0] else f"{side}{GONE}"
    left, destroyed = report.get(f"{side}{_LEFT}"), report.get(f"{side}{_DESTROYED}")
    is_whole = any(report.get(f"{side}{fate}") for fate in _FATES) or report.get(f"{side}{_ALIVE}") is False
    if is_whole or left == 0 or destroyed == models:
        return figure, models, ()
    fits = weights > 0
    for name, value in report.items():
        fits &= np.asarray(columns[name]) == value
    is_gone = np.asarray(columns[f"{side}{_WHOLE}"], np.bool_)
    able = [fate for fate in (*_FATES[1:3], _WHOLE) if (fits & columns[f"{side}{fate}"]).any()]
    unsaid = tuple(fate for fate in able if f"{side}{fate}" not in report)
    unsaid = tuple(fate for fate in unsaid if fate != _WHOLE) or unsaid
    if not (fits & ~is_gone).any():
        problem = f"{_in_words(report)} cannot happen to a unit that was not removed"
        raise InputError(
            problem, where="got", allowed=" or ".join(f"{fate} yes" for fate in unsaid) + ", stated as well"
        )
    if destroyed is not None:
        return figure, destroyed, unsaid
    return (f"{side}{_WHOLE}", False, unsaid) if left is None else (figure, models - left, unsaid)


def _named(result: Any, got: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report with full names of figures; a name without a side means the enemy."""
    figures, enemy = (*result.figures, *result.events), _SIDES[result.kind][0]
    named, given_as = dict[str, Any](), dict[str, str]()
    for given, value in got.items():
        if given == "destroyed" and isinstance(value, bool):
            allowed = "a number of models; for the whole unit annihilated=yes"
            raise InputError(f"{word_of(value)} is not a number of models", where="got: destroyed", allowed=allowed)
        name = f"{enemy}{_DESTROYED}" if given == "destroyed" else given
        name = name if name in figures else next((full for full in figures if name == _short(full, enemy)), name)
        if name not in figures:
            problem = f"no figure {shown(given)}{did_you_mean(given, [_short(full, enemy) for full in figures])}"
            raise MisspeltError(problem, where="got", allowed=", ".join(_possible(result)))
        if name in named:
            raise InputError(f"this is said as {given_as[name]} too", where=f"got: {given}", allowed="once")
        if name in _NEITHER:
            problem, allowed = f"{name} is neither good nor bad", "such as attacker_wins=no, or the margin of a duel"
            raise InputError(problem, where="got", allowed=allowed)
        if name in _ALONE and len(got) > 1:
            raise InputError(f"{name} has a separate distribution", where="got", allowed=f"{name} and nothing else")
        named[name], given_as[name] = value, given
    return named


def _short(name: str, enemy: str) -> str:
    """Return the name of a figure in a report: without the side for states of the enemy."""
    short = name.removeprefix(enemy)
    return name if short in ("wins", "devastating", "victory_points") else short


def _possible(result: Any) -> Iterator[str]:
    """Yield the names in a report of all figures and events with more than one possible value."""
    enemy = _SIDES[result.kind][0]
    for name in result.figures:
        if sum(row["probability"] > 0 for row in result.distribution(name)) > 1:
            yield "destroyed" if name == f"{enemy}{_DESTROYED}" else _short(name, enemy)
    for name in result.events:
        short = _short(name, enemy)
        if 0 < float(result.probability(name)) < 1 and name not in _NEITHER and short != "destroyed":
            yield short


def _columns_of(result: Any, names: Sequence[str]) -> tuple[dict[str, Any], Pmf]:
    """Return the final figures of every outcome, and the probabilities; a single name can be any figure."""
    if len(names) > 1:
        table = dict(result.joint(names))
        return table, np.asarray(table["probability"], np.float64)
    (name,) = names
    if name in result.events:
        p = float(result.probability(name))
        return {name: np.array([False, True])}, np.array([1 - p, p])
    rows = result.distribution(name)
    return {name: np.array([row["value"] for row in rows])}, np.array([row["probability"] for row in rows])


def _checked_value(name: str, value: Any, column: Any) -> Any:
    """Return a reported value if its column can hold it; InputError if not."""
    is_flag = np.asarray(column).dtype == np.bool_
    allowed = "yes or no; in a file true or false" if is_flag else f"{min(column)} to {max(column)}"
    if isinstance(value, bool) != is_flag or not isinstance(value, int):
        raise InputError(f"{spaced(name)} {shown(value)} is not usable", where="got", allowed=allowed)
    if not is_flag and not min(column) <= value <= max(column):
        raise InputError(f"{spaced(name)} cannot be {value}", where="got", allowed=allowed)
    return value


def _check_can_happen(report: Mapping[str, Any], columns: Mapping[str, Any], weights: Pmf, result: Any) -> None:
    """Raise InputError for an outcome of probability 0, with the reason and the possible values."""
    seen = weights > 0
    is_so = {name: np.asarray(columns[name]) == value for name, value in report.items()}
    if np.logical_and.reduce([seen, *is_so.values()]).any():
        return
    never = [name for name in report if not (seen & is_so[name]).any()]
    others = [
        f"{spaced(name)} {_values_in(columns[name], among)} with {_in_words(rest)}"
        for name in report
        if not never
        if (rest := {other: value for other, value in report.items() if other != name})
        and (among := np.logical_and.reduce([seen, *(is_so[other] for other in rest)])).any()
    ]
    if not others:  # blame the first figure that is impossible given the figures before it
        so_far, name = seen, never[0] if never else next(iter(report))
        for name in never[:1] or report:
            if not (so_far & is_so[name]).any():
                break
            so_far = so_far & is_so[name]
        before = {} if never else dict(itertools.takewhile(lambda entry: entry[0] != name, report.items()))
        others = [f"{spaced(name)} {_values_in(columns[name], so_far)}" + f" with {_in_words(before)}" * bool(before)]
    wrong = {name: report[name] for name in never[:1]} or report
    problem = f"{_in_words(wrong)} {'cannot happen' if result.exact else 'was not seen in this sample'}"
    reasons = (f": {why}" for name in wrong if report[name] is True and (why := _why_not(result, name, wrong)))
    allowed = "; ".join(others) + "; or the method exact" * (not result.exact)
    raise InputError(problem + next(reasons, ""), where="got", allowed=allowed)


def _why_not(result: Any, name: str, report: Mapping[str, Any]) -> str:
    """Return the rule that excludes an event, alone or with the rest of the report; empty if there is none."""
    side = next((prefix for prefix in _SIDES[result.kind] if name.startswith(prefix)), "")
    unit, event = _unit(result, side), name.removeprefix(side)
    if event == "broken" and unit.break_limit is None:
        return "it has no BREAK LIMIT (AC-5.4)"
    lost = report.get(f"{side}{_DESTROYED}", unit.models if len(report) > 1 else 0)
    if event == "broken" and unit.models - lost > unit.break_limit:
        return f"a unit breaks at its BREAK LIMIT of {counted(unit.break_limit, 'model')} or fewer (AC-5.4)"
    if event == "fled" and unit.edge_distance is None:
        return "a unit flees only over its own table edge; state its distance as edge_distance (AC-5.4)"
    if event == "fell_back" and not unit.suppressed:
        return "only a unit that is already suppressed falls back (AC-5.4)"
    alone = {"activated": "Cryo", "building_wrecked": "Siegebreaker"}.get(event)
    return f"{alone} alone does that (AC-6)" if alone else ""


def _unit(result: Any, side: str) -> Any:
    """Return the unit of a side, by the prefix of its figures."""
    return getattr(result.scenario, side.removesuffix("_") or "target")


def _in_words(report: Mapping[str, Any]) -> str:
    return ", ".join(f"{spaced(name)} {word_of(value)}" for name, value in report.items())


def _values_in(column: Any, among: NDArray[np.bool_]) -> str:
    """Return the values of a figure among some outcomes: ``yes``, ``0, 2 to 4``."""
    values = np.unique(np.asarray(column)[among]).tolist()
    if isinstance(values[0], bool):
        return " or ".join(map(word_of, values))
    runs = np.split(np.array(values), np.flatnonzero(np.diff(values) > 1) + 1)
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _against(
    outcome: Mapping[str, Any], columns: Mapping[str, Any], weights: Pmf, trials: int | None
) -> tuple[Chance, pd.DataFrame]:
    """Return the probability of an outcome, and all possible outcomes from the worst to the best.

    Outcomes are ordered by their figures in turn. `columns` has the figures of every outcome, `weights` the
    probabilities.
    """
    signs = {name: _sign(name) for name in outcome}
    goodness = np.array([sign * np.asarray(columns[name], np.float64) for name, sign in signs.items()])
    worse, equal = np.zeros(len(weights), np.bool_), np.ones(len(weights), np.bool_)
    for column, (name, value) in zip(goodness, outcome.items()):
        worse |= equal & (column < signs[name] * float(value))
        equal &= column == signs[name] * float(value)
    chance = Chance(*(min(float(weights[among].sum()), 1.0) for among in (worse, equal, ~(worse | equal))))
    if trials is not None:
        low, high, _ = intervals(np.round(np.array([chance.as_bad, chance.as_good]) * trials), trials)
        chance = chance._replace(half_width=float((high - low).max() / 2))
    rows, place = np.unique(goodness, axis=1, return_inverse=True)
    kinds = {name: bool if np.asarray(columns[name]).dtype == np.bool_ else np.int64 for name in outcome}
    pmf = pd.DataFrame({name: signs[name] * row for name, row in zip(outcome, rows)}).astype(kinds)
    return chance, pmf.assign(probability=np.bincount(place.reshape(-1), weights))


def _sign(name: str) -> int:
    """Return 1 if more of a figure is good for the unit that attacks first, -1 if less is."""
    side = next((prefix for prefix in (*_OWN, *_THEIRS) if name.startswith(prefix)), "")
    figure, is_own = name.removeprefix(side), side in _OWN
    if figure in _GOOD_FOR_ONE:
        return -1 if side in _THEIRS else 1
    good = -1 if figure in _LESS_IS_BETTER else 1
    return -good if is_own else good
