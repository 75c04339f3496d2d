"""Observed outcome of a fight: how a unit ended is one figure, however it was reported.

A fight by itself and one in a game follow one rule: a unit broke, fled or was annihilated only if that is reported. So
the mid-p values of the reports of one distribution of outcomes are 1/2 on average. If an end that is not reported were
ignored instead, a player who reports that a unit broke, where it did, would be lucky on average.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.ask.luck_answer import GONE, word_of, words_of
from analyser.common.errors import InputError, MisspeltError, check_text, did_you_mean, shown
from analyser.common.text import counted

Law = NDArray[np.float64]
_SIDES: Mapping[str, tuple[str, ...]] = {  # what the figures of the enemy begin with, then one's own
    "attack": ("",),
    "focus": ("",),
    "charge": ("target_", "attacker_"),
    "duel": ("b_", "a_"),
}
_DESTROYED, _LEFT, _WHOLE, _ALIVE = "models_destroyed", "models_left", "annihilated", "alive"
_FATES = (_WHOLE, "broken", "fled", "destroyed")
_NEITHER, _ALONE = ("draw", "no_combat"), ("hits", "building_wrecked")


class Looked(NamedTuple):
    """Figures of a fight that are compared, the most important first.

    `said` is the outcome as reported, `happened` the outcome as compared; `columns` have the figures of `happened` for
    every outcome, `weights` its probability. `gone`: the enemy's models that are gone, and of how many, where that is
    compared; `unsaid`: ends of the enemy that fit the report but are not in it, and so count as "no".
    """

    said: dict[str, Any]
    happened: dict[str, Any]
    columns: dict[str, Any]
    weights: Law
    gone: tuple[int, int] | None
    unsaid: tuple[str, ...]


def got_in(got: Any, destroyed: Any) -> dict[str, Any]:
    """Return the reported figures and events; ``destroyed``: models of the enemy."""
    if got is not None and not isinstance(got, Mapping):
        raise InputError(f"{shown(got)} is not usable", where="got", allowed="figures and events with what they were")
    found = dict(got or {})
    for name in found:
        check_text(name, "got", "the name of a figure or an event")
    if destroyed is not None:
        if "destroyed" in found:
            raise InputError("this is said twice", where="destroyed", allowed="once")
        found = {"destroyed": destroyed, **found}
    if not found:
        raise InputError("what happened is not said", where="got", allowed="such as destroyed=2")
    return found


def looked(result: Any, got: Mapping[str, Any]) -> Looked:
    """Return the figures of an answer to compare, at the moments reported; InputError for an impossible outcome."""
    named = _named(result, got)
    sides = [side for side in _SIDES[result.kind] if any(name in named for name in _ends(side))]
    ends = [f"{side}{name}" for side in sides for name in (_DESTROYED, *_FATES)]
    columns, weights = _columns_of(result, list(dict.fromkeys([*named, *ends])))
    said = {name: _checked_value(name, value, columns[name]) for name, value in named.items()}
    _check_can_happen(said, columns, weights, result)
    happened, gone, unsaid = dict(said), None, tuple[str, ...]()
    for side in sides:
        models = int(_unit(result, side).models or 0)
        figure, value, missing = _end(result, side, said, columns, weights, models)
        if figure.endswith(GONE):
            every = np.where(columns[f"{side}{_WHOLE}"], models, columns[f"{side}{_DESTROYED}"])
            columns[figure] = np.asarray(every, np.int64)
        happened = {figure if name in _ends(side) else name: each for name, each in happened.items()} | {figure: value}
        if figure == GONE:
            gone, unsaid = (value, models), missing
    return Looked(said, happened, columns, weights, gone, unsaid)


def _ends(side: str) -> tuple[str, ...]:
    """All that says how the unit of a side ended."""
    return tuple(f"{side}{name}" for name in (_DESTROYED, _LEFT, _ALIVE, *_FATES))


def _end(
    result: Any, side: str, said: Mapping[str, Any], columns: Mapping[str, Any], weights: Law, models: int
) -> tuple[str, Any, tuple[str, ...]]:
    """Return how a unit ended, as a figure and its value; and the possible ends that were not reported."""
    enemy = side == _SIDES[result.kind][0]
    figure = GONE if enemy else f"{side}{GONE}"
    left, destroyed = said.get(f"{side}{_LEFT}"), said.get(f"{side}{_DESTROYED}")
    is_whole = any(said.get(f"{side}{fate}") for fate in _FATES) or said.get(f"{side}{_ALIVE}") is False
    if is_whole or left == 0 or destroyed == models:
        return figure, models, ()
    so = weights > 0
    for name, value in said.items():
        so &= np.asarray(columns[name]) == value
    is_gone = np.asarray(columns[f"{side}{_WHOLE}"], np.bool_)
    able = [fate for fate in (*_FATES[1:3], _WHOLE) if (so & columns[f"{side}{fate}"]).any()]
    unsaid = tuple(fate for fate in able if f"{side}{fate}" not in said)
    unsaid = tuple(fate for fate in unsaid if fate != _WHOLE) or unsaid
    if not (so & ~is_gone).any():
        problem = f"{outcome(said)} cannot happen to a unit that is still there"
        raise InputError(problem, where="got", allowed=" or ".join(f"{fate} yes" for fate in unsaid) + ", said besides")
    if destroyed is not None:
        return figure, destroyed, unsaid
    return (f"{side}{_WHOLE}", False, unsaid) if left is None else (figure, models - left, unsaid)


def _named(result: Any, got: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report by the names of the answer; a name without a side means the enemy."""
    known, enemy = (*result.figures, *result.events), _SIDES[result.kind][0]
    named, words = dict[str, Any](), dict[str, str]()
    for given, value in got.items():
        if given == "destroyed" and isinstance(value, bool):
            allowed = "how many models; of the whole unit annihilated=yes"
            raise InputError(f"{word_of(value)} is not a number of models", where="got: destroyed", allowed=allowed)
        name = f"{enemy}{_DESTROYED}" if given == "destroyed" else given
        name = next((each for each in known if name == _short(each, enemy)), name) if name not in known else name
        if name not in known:
            problem = f"no figure {shown(given)}{did_you_mean(given, [_short(each, enemy) for each in known])}"
            raise MisspeltError(problem, where="got", allowed=", ".join(_possible(result)))
        if name in named:
            raise InputError(f"this is said as {words[name]} too", where=f"got: {given}", allowed="once")
        if name in _NEITHER:
            problem, allowed = f"{name} is neither good nor bad", "such as attacker_wins=no, or the margin of a duel"
            raise InputError(problem, where="got", allowed=allowed)
        if name in _ALONE and len(got) > 1:
            raise InputError(f"{name} has a law of its own", where="got", allowed=f"{name} and nothing else")
        named[name], words[name] = value, given
    return named


def _short(name: str, enemy: str) -> str:
    """A figure as one can say it: how the enemy stands without its side."""
    short = name.removeprefix(enemy)
    return name if short in ("wins", "devastating", "victory_points") else short


def _possible(result: Any) -> Iterator[str]:
    """The figures and events that can come out in more than one way in this very fight, as one can say them."""
    enemy = _SIDES[result.kind][0]
    for name in result.figures:
        if sum(row["probability"] > 0 for row in result.distribution(name)) > 1:
            yield "destroyed" if name == f"{enemy}{_DESTROYED}" else _short(name, enemy)
    for name in result.events:
        short = _short(name, enemy)
        if 0 < float(result.probability(name)) < 1 and name not in _NEITHER and short != "destroyed":
            yield short


def _columns_of(result: Any, names: Sequence[str]) -> tuple[dict[str, Any], Law]:
    """Columns of the joint law of an answer, at its end, and the probabilities; one alone can be any that it has."""
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
    if isinstance(value, bool) != is_flag or not isinstance(value, int):
        allowed = "yes or no; in a file true or false" if is_flag else f"{min(column)} to {max(column)}"
        raise InputError(f"{words_of(name)} {shown(value)} is not usable", where="got", allowed=allowed)
    if not is_flag and not min(column) <= value <= max(column):
        raise InputError(f"{words_of(name)} cannot be {value}", where="got", allowed=f"{min(column)} to {max(column)}")
    return value


def _check_can_happen(said: Mapping[str, Any], columns: Mapping[str, Any], weights: Law, result: Any) -> None:
    """Raise InputError for an outcome of probability 0: it says why, and what is possible instead, figure by figure."""
    seen = weights > 0
    is_so = {name: np.asarray(columns[name]) == value for name, value in said.items()}
    if np.logical_and.reduce([seen, *is_so.values()]).any():
        return
    never = [name for name in said if not (seen & is_so[name]).any()]
    others = [
        f"{words_of(name)} {_values_in(columns[name], among)} with {outcome(left)}"
        for name in said
        if not never
        if (left := {each: value for each, value in said.items() if each != name})
        and (among := np.logical_and.reduce([seen, *(is_so[each] for each in left)])).any()
    ]
    if not others:  # the first figure that cannot be so after those before it
        so_far, name = seen, never[0] if never else next(iter(said))
        for name in never[:1] or said:
            if not (so_far & is_so[name]).any():
                break
            so_far = so_far & is_so[name]
        before = {} if never else {x: said[x] for x in itertools.takewhile(lambda each: each != name, said)}
        others = [f"{words_of(name)} {_values_in(columns[name], so_far)}" + f" with {outcome(before)}" * bool(before)]
    told = {name: said[name] for name in never[:1]} or said
    problem = f"{outcome(told)} {'cannot happen' if result.exact else 'was not seen in this sample'}"
    why = next((f": {each}" for name in told if said[name] is True and (each := _why_not(result, name, told))), "")
    raise InputError(
        problem + why, where="got", allowed="; ".join(others) + "; or the method exact" * (not result.exact)
    )


def _why_not(result: Any, name: str, said: Mapping[str, Any]) -> str:
    """Why an event does not come out, or not with what else is said, as far as a rule says it; nothing if none does."""
    side = next((each for each in _SIDES[result.kind] if name.startswith(each)), "")
    unit, what = _unit(result, side), name.removeprefix(side)
    if what == "broken" and unit.break_limit is None:
        return "it has no BREAK LIMIT (AC-5.4)"
    lost = said.get(f"{side}{_DESTROYED}", unit.models if len(said) > 1 else 0)
    if what == "broken" and unit.models - lost > unit.break_limit:
        return f"a unit breaks at its BREAK LIMIT of {counted(unit.break_limit, 'model')} or fewer (AC-5.4)"
    if what == "fled" and unit.edge_distance is None:
        return "it flees over its own table edge alone, and edge_distance, how far that is, is not said (AC-5.4)"
    if what == "fell_back" and not unit.suppressed:
        return "only who is suppressed already falls back (AC-5.4)"
    alone = {"activated": "Cryo", "building_wrecked": "Siegebreaker"}.get(what)
    return f"{alone} alone does that (AC-6)" if alone else ""


def _unit(result: Any, side: str) -> Any:
    """The unit of a side, by what its figures begin with."""
    return getattr(result.scenario, side.removesuffix("_") or "target")


def outcome(said: Mapping[str, Any]) -> str:
    """Return the reported outcome as a sentence."""
    return ", ".join(f"{words_of(name)} {word_of(value)}" for name, value in said.items())


def _values_in(column: Any, among: NDArray[np.bool_]) -> str:
    """The values of a figure among some outcomes: ``yes``, ``0, 2 to 4``."""
    values = np.unique(np.asarray(column)[among]).tolist()
    if isinstance(values[0], bool):
        return " or ".join(map(word_of, values))
    runs = np.split(np.array(values), np.flatnonzero(np.diff(values) > 1) + 1)
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
