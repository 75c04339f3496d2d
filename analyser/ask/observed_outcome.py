"""Observed outcome of a fight, and its probability under the distribution of all outcomes.

The losses of a unit are compared as one figure, the models gone: those destroyed, or all if it broke, fled or was
annihilated. If such an end is not reported, it counts as "no", so that the mid-p value is 1/2 on average. If it counted
as unknown, a player who reports every broken unit would seem lucky on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.ask.luck_answer import GONE, Chance, FightLuck
from analyser.common.errors import InputError, MisspeltError, check_text, did_you_mean, shown
from analyser.common.intervals import intervals
from analyser.common.text import counted, spaced, text_of, values_text

Pmf = NDArray[np.float64]
_SIDES: Mapping[str, tuple[str, ...]] = {  # prefixes of figures: of the enemy unit, then of the own unit
    "attack": ("",),
    "focus": ("",),
    "charge": ("target_", "attacker_"),
    "duel": ("b_", "a_"),
}
_OWN_PREFIXES, _ENEMY_PREFIXES = ("attacker_", "a_"), ("target_", "b_")
_DESTROYED, _LEFT, _ANNIHILATED, _ALIVE = "models_destroyed", "models_left", "annihilated", "alive"
_ENDS = (_ANNIHILATED, "broken", "fled", "destroyed")
_NEUTRAL = ("draw", "no_combat")  # events that are neither good nor bad for a side
_ONLY_ALONE = ("hits", "building_wrecked")  # figures outside the joint distribution of the other figures
_GOOD_FOR_UNIT = (_LEFT, "passengers_left", _ALIVE, "in_building", "on_lookout", "taking_cover")
_GOOD_FOR_SIDE = ("victory_points", "wins", "devastating", "overruns")


def report_from(got: Any, destroyed: Any) -> dict[str, Any]:
    """Return the reported figures and events, with `destroyed` (models of the enemy) as the first entry."""
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
        allowed = "such as destroyed=2; or the file of a game, with [[fight]] for each of its fights"
        raise InputError("no result is stated", where="got", allowed=allowed)
    return report


def fight_luck(result: Any, report: Mapping[str, Any], *, label: str = "", side: str = "mine") -> FightLuck:
    """Return the luck in a fight; InputError for an impossible outcome."""
    named = _with_full_names(result, report)
    prefixes = [prefix for prefix in _SIDES[result.kind] if any(name in named for name in _loss_names(prefix))]
    ends = [f"{prefix}{name}" for prefix in prefixes for name in (_DESTROYED, *_ENDS)]
    outcomes, weights = _outcomes_of(result, list(dict.fromkeys([*named, *ends])))
    checked = {name: _checked_value(name, value, outcomes[name]) for name, value in named.items()}
    _check_can_happen(checked, outcomes, result)
    compared, gone, unreported, gone_pmf = dict(checked), None, tuple[str, ...](), np.zeros(0)
    for prefix in prefixes:
        models = int(_unit(result, prefix).models or 0)
        value, missing = _losses(prefix, checked, outcomes, models)
        if value is None:
            continue
        figure = GONE if prefix == _SIDES[result.kind][0] else f"{prefix}{GONE}"
        is_gone, destroyed = outcomes[f"{prefix}{_ANNIHILATED}"], outcomes[f"{prefix}{_DESTROYED}"]
        outcomes[figure] = destroyed.mask(is_gone, models).astype(np.int64)
        names = _loss_names(prefix)
        compared = {figure if name in names else name: old for name, old in compared.items()} | {figure: value}
        if figure == GONE:
            gone, unreported = (value, models), missing
            gone_pmf = np.bincount(outcomes[GONE], weights, models + 1).astype(np.float64)
    chance, pmf = _chance_of(compared, outcomes, weights, result.trials)
    (_, heading), *_ = result.heading()
    return FightLuck(
        label=label or (heading if result.kind == "attack" else f"{result.kind}: {heading}"),
        side=side,
        reported=checked,
        compared=compared,
        chance=chance,
        pmf=pmf,
        result=result,
        gone=gone,
        gone_pmf=gone_pmf,
        unreported_ends=unreported,
    )


def _loss_names(prefix: str) -> tuple[str, ...]:
    """Return the names of the figures and events about a unit's losses and end; `prefix` names the unit."""
    return tuple(f"{prefix}{name}" for name in (_DESTROYED, _LEFT, _ALIVE, *_ENDS))


def _losses(
    prefix: str, report: Mapping[str, Any], outcomes: pd.DataFrame, models: int
) -> tuple[int | None, tuple[str, ...]]:
    """Return the models gone (None if only ends that did not occur are reported), and possible ends not reported."""
    left, destroyed = report.get(f"{prefix}{_LEFT}"), report.get(f"{prefix}{_DESTROYED}")
    has_ended = any(report.get(f"{prefix}{end}") for end in _ENDS) or report.get(f"{prefix}{_ALIVE}") is False
    if has_ended or left == 0 or destroyed == models:
        return models, ()
    fitting = outcomes[_matches(outcomes, report).all(axis=1)]
    possible = [end for end in (*_ENDS[1:3], _ANNIHILATED) if fitting[f"{prefix}{end}"].any()]
    unreported = tuple(end for end in possible if f"{prefix}{end}" not in report)
    unreported = tuple(end for end in unreported if end != _ANNIHILATED) or unreported
    if fitting[f"{prefix}{_ANNIHILATED}"].all():
        problem = f"{_in_words(report)} cannot happen to a unit that was not removed"
        allowed = f"also state {' or '.join(f'{end} yes' for end in unreported)}"
        raise InputError(problem, where="got", allowed=allowed)
    return destroyed if left is None else models - left, unreported


def _matches(outcomes: pd.DataFrame, report: Mapping[str, Any]) -> pd.DataFrame:
    """Return a column of flags for each reported figure: True for the outcomes with the reported value."""
    return pd.DataFrame({name: outcomes[name] == value for name, value in report.items()}, outcomes.index)


def _with_full_names(result: Any, report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report with full names of figures; a name without a side means the enemy."""
    figures, enemy = (*result.figures, *result.events), _SIDES[result.kind][0]
    named, stated_names = dict[str, Any](), dict[str, str]()
    for stated, value in report.items():
        if stated == "destroyed" and isinstance(value, bool):
            allowed = "a number of models; for the whole unit annihilated=yes"
            raise InputError(f"{text_of(value)} is not a number of models", where="got: destroyed", allowed=allowed)
        name = f"{enemy}{_DESTROYED}" if stated == "destroyed" else stated
        name = name if name in figures else next((full for full in figures if name == _short(full, enemy)), name)
        if name not in figures:
            problem = f"unknown figure {shown(stated)}{did_you_mean(stated, [_short(full, enemy) for full in figures])}"
            raise MisspeltError(problem, where="got", allowed=", ".join(_uncertain_names(result)))
        if name in named:
            problem = f"the same figure is also stated as {stated_names[name]}"
            raise InputError(problem, where=f"got: {stated}", allowed="once")
        if name in _NEUTRAL:
            problem, allowed = f"{name} is neither good nor bad", "such as attacker_wins=no, or the margin of a duel"
            raise InputError(problem, where="got", allowed=allowed)
        if name in _ONLY_ALONE and len(report) > 1:
            raise InputError(f"{name} has a separate distribution", where="got", allowed=f"{name} and nothing else")
        named[name], stated_names[name] = value, stated
    return named


def _short(name: str, enemy: str) -> str:
    """Return the short name of a figure: without the enemy's prefix, except for wins and victory points."""
    short = name.removeprefix(enemy)
    return name if short in ("wins", "devastating", "victory_points") else short


def _uncertain_names(result: Any) -> Iterator[str]:
    """Yield the short names of all figures and events with more than one possible value."""
    enemy = _SIDES[result.kind][0]
    for name in result.figures:
        if sum(row["probability"] > 0 for row in result.distribution(name)) > 1:
            yield "destroyed" if name == f"{enemy}{_DESTROYED}" else _short(name, enemy)
    for name in result.events:
        short = _short(name, enemy)
        if 0 < float(result.probability(name)) < 1 and name not in _NEUTRAL and short != "destroyed":
            yield short


def _outcomes_of(result: Any, names: Sequence[str]) -> tuple[pd.DataFrame, Pmf]:
    """Return the values of figures in every possible outcome, and the probabilities of the outcomes."""
    (name, *others) = names
    if others:
        table = dict(result.joint(names))
    elif name in result.events:
        p = float(result.probability(name))
        table = {name: np.array([False, True]), "probability": np.array([1 - p, p])}
    else:
        rows = result.distribution(name)
        table = {name: [row["value"] for row in rows], "probability": [row["probability"] for row in rows]}
    frame = pd.DataFrame(table)
    frame = frame[frame["probability"] > 0].reset_index(drop=True)
    return frame[list(names)].copy(), frame["probability"].to_numpy(np.float64)


def _checked_value(name: str, value: Any, column: pd.Series[Any]) -> Any:
    is_flag = column.dtype == np.bool_
    allowed = "yes or no; in a file true or false" if is_flag else f"{column.min()} to {column.max()}"
    if isinstance(value, bool) != is_flag or not isinstance(value, int):
        raise InputError(f"{spaced(name)} {shown(value)} is not usable", where="got", allowed=allowed)
    if not is_flag and not column.min() <= value <= column.max():
        raise InputError(f"{spaced(name)} cannot be {value}", where="got", allowed=allowed)
    return value


def _check_can_happen(report: Mapping[str, Any], outcomes: pd.DataFrame, result: Any) -> None:
    """Raise InputError for an outcome of probability 0, with the possible values of each figure, given the others."""
    matches = _matches(outcomes, report)
    if matches.all(axis=1).any():
        return
    alone = next((name for name in report if not matches[name].any()), None)
    wrong = report if alone is None else {alone: report[alone]}
    alternatives = []
    for name in wrong:
        rest = {other: value for other, value in wrong.items() if other != name}
        given = matches[list(rest)].all(axis=1)
        if given.any():
            condition = f" with {_in_words(rest)}" if rest else ""
            alternatives.append(f"{spaced(name)} {_values_in(outcomes.loc[given, name])}{condition}")
    alternatives = alternatives or [f"{spaced(name)} {_values_in(outcomes[name])} alone" for name in report]
    problem = f"{_in_words(wrong)} {'cannot happen' if result.exact else 'did not happen in any trial'}"
    allowed = "; ".join(alternatives) + "; or the method exact" * (not result.exact)
    reasons = (f": {why}" for name in wrong if report[name] is True and (why := _why_not(result, name, wrong)))
    raise InputError(problem + next(reasons, ""), where="got", allowed=allowed)


def _why_not(result: Any, name: str, report: Mapping[str, Any]) -> str:
    """Return the rule that excludes a reported event; empty if there is none."""
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
    quality = {"activated": "Cryo", "building_wrecked": "Siegebreaker"}.get(event)
    return f"only a row with {quality} can cause this (AC-6)" if quality else ""


def _unit(result: Any, side: str) -> Any:
    return getattr(result.scenario, side.removesuffix("_") or "target")


def _in_words(report: Mapping[str, Any]) -> str:
    return ", ".join(f"{spaced(name)} {text_of(value)}" for name, value in report.items())


def _values_in(column: pd.Series[Any]) -> str:
    """Return the distinct values of a figure as text: ``yes``, ``0, 2 to 4``."""
    values = sorted(set(column.tolist()))
    return values_text(values, values if isinstance(values[0], bool) else range(values[0], values[-1] + 1))


def _chance_of(
    outcome: Mapping[str, Any], outcomes: pd.DataFrame, weights: Pmf, trials: int | None
) -> tuple[Chance, pd.DataFrame]:
    """Return the probabilities of worse and better outcomes, and the distribution of the compared figures."""
    signs = pd.Series({name: _sign(name) for name in outcome})
    goodness = outcomes[list(outcome)].astype(np.float64) * signs
    worse, equal = np.zeros(len(weights), np.bool_), np.ones(len(weights), np.bool_)
    for name, value in outcome.items():
        column, reported = goodness[name].to_numpy(), signs[name] * float(value)
        worse |= equal & (column < reported)
        equal &= column == reported
    chance = Chance(*(min(float(weights[mask].sum()), 1.0) for mask in (worse, equal, ~(worse | equal))))
    if trials is not None:
        low, high, _ = intervals(np.round(np.array([chance.as_bad, chance.as_good]) * trials), trials)
        chance = chance._replace(half_width=float((high - low).max() / 2))
    grouped = goodness.assign(probability=weights).groupby(list(outcome), as_index=False)["probability"].sum()
    values = {
        name: (signs[name] * grouped[name].to_numpy()).astype(outcomes[name].to_numpy().dtype) for name in outcome
    }
    return chance, pd.DataFrame(values).assign(probability=grouped["probability"])


def _sign(name: str) -> int:
    """Return 1 if more of a figure is good for the unit that attacks first, -1 if less is."""
    side = next((prefix for prefix in (*_OWN_PREFIXES, *_ENEMY_PREFIXES) if name.startswith(prefix)), "")
    figure, is_own = name.removeprefix(side), side in _OWN_PREFIXES
    if figure in _GOOD_FOR_SIDE:
        return -1 if side in _ENEMY_PREFIXES else 1
    sign = -1 if figure in _GOOD_FOR_UNIT else 1
    return -sign if is_own else sign
