"""What happened in one fight against the law of all that could have: how likely it is, and how likely what is worse."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.ask.luck_answer import Chance, Fought, word_of, words_of
from analyser.ask.readings import DESTROYED
from analyser.common.errors import InputError, MisspeltError, check_text, did_you_mean, shown
from analyser.common.intervals import intervals
from analyser.results.base import Result

_LESS_IS_BETTER = ("models_left", "passengers_left", "alive", "in_building", "on_lookout", "taking_cover")
_OWN, _THEIRS = ("attacker_", "a_"), ("target_", "b_")
_GOOD_FOR_ONE = ("victory_points", "wins", "devastating", "overruns")  # of a side, good for that side
_NEITHER, _ALONE = ("draw", "no_combat"), ("hits", "building_wrecked")
Law = NDArray[np.float64]


def got_in(got: Any, destroyed: Any, kind: str) -> dict[str, Any]:
    """What happened by figures and events; ``destroyed`` is short for the models that the attacker has destroyed."""
    if got is not None and not isinstance(got, Mapping):
        raise InputError(f"{shown(got)} is not usable", where="got", allowed="figures and events with what they were")
    found = dict(got or {})
    for name in found:
        check_text(name, "got", "the name of a figure or an event")
    if destroyed is not None:
        if "destroyed" in found:
            raise InputError("this is said twice", where="destroyed", allowed="once")
        found = {"destroyed": destroyed, **found}
    if "destroyed" in found and not isinstance(found["destroyed"], bool):
        name = DESTROYED.get(kind, "models_destroyed")
        if name in found:
            raise InputError(f"this and {name} are the same figure", where="destroyed", allowed="one of them")
        found = {name if key == "destroyed" else key: value for key, value in found.items()}
    if not found:
        raise InputError("what happened is not said", where="got", allowed="such as destroyed=2")
    return found


def fought(result: Result, got: Mapping[str, Any]) -> Fought:
    """A fight by itself, and how likely its outcome was."""
    columns, weights = columns_of(result, list(got))
    happened = {name: checked_value(name, value, columns[name]) for name, value in got.items()}
    check_can_happen(happened, columns, weights, exact=result.exact)
    chance, law = looked_at(happened, columns, weights, result.trials)
    heading = result.heading()[0][1] if result.kind == "attack" else f"{result.kind}: {result.heading()[0][1]}"
    return Fought(heading, "mine", result.kind, happened, chance, law, result.trials, result.rules, asked_of(result))


def looked_at(
    happened: Mapping[str, Any], columns: Mapping[str, Any], weights: Law, trials: int | None
) -> tuple[Chance, pd.DataFrame]:
    """How likely an outcome was, by its figures in turn; and all that could have happened, from the worst to the best.

    `columns` has those figures of every outcome, `weights` its probability.
    """
    names = list(happened)
    goodness = np.array([_sign(name) * np.asarray(columns[name], np.float64) for name in names])
    mine = np.array([_sign(name) * float(value) for name, value in happened.items()])
    chance = _chance(goodness, mine, weights, trials)
    rows, place = np.unique(goodness, axis=1, return_inverse=True)
    law = pd.DataFrame({name: _sign(name) * row for name, row in zip(names, rows)})
    law["probability"] = np.bincount(place.reshape(-1), weights)
    for name in names:
        law[name] = law[name].astype(bool if np.asarray(columns[name]).dtype == np.bool_ else np.int64)
    return chance, law


def check_can_happen(happened: Mapping[str, Any], columns: Mapping[str, Any], weights: Law, *, exact: bool) -> None:
    """Raise InputError for an outcome of probability 0: it says what is possible instead, figure by figure."""
    seen = weights > 0
    is_so = {name: np.asarray(columns[name]) == value for name, value in happened.items()}
    if np.logical_and.reduce([seen, *is_so.values()]).any():
        return
    others = [
        f"{words_of(name)} {_values_in(columns[name], among)} with {_outcome(left)}"
        for name in happened
        if (left := {each: value for each, value in happened.items() if each != name})
        and (among := np.logical_and.reduce([seen, *(is_so[each] for each in left)])).any()
    ]
    if not others:  # the first figure that cannot be so after those before it
        so_far, name = seen, next(iter(happened))
        for name in happened:
            if not (so_far & is_so[name]).any():
                break
            so_far = so_far & is_so[name]
        before = {each: happened[each] for each in itertools.takewhile(lambda each: each != name, happened)}
        others = [f"{words_of(name)} {_values_in(columns[name], so_far)}" + f" with {_outcome(before)}" * bool(before)]
    problem = f"{_outcome(happened)} {'cannot happen' if exact else 'was not seen in this sample'}"
    raise InputError(problem, where="got", allowed="; ".join(others) + "; or the method exact" * (not exact))


def _outcome(happened: Mapping[str, Any]) -> str:
    return ", ".join(f"{words_of(name)} {word_of(value)}" for name, value in happened.items())


def _values_in(column: Any, among: NDArray[np.bool_]) -> str:
    """The values of a figure among some outcomes: ``yes``, ``0, 2 to 4``."""
    values = np.unique(np.asarray(column)[among]).tolist()
    if isinstance(values[0], bool):
        return " or ".join(map(word_of, values))
    runs = np.split(np.array(values), np.flatnonzero(np.diff(values) > 1) + 1)
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def asked_of(result: Result) -> tuple[str, ...]:
    """How a fight was fought, for who wants to know what was taken for granted: row, dice, distance, target."""
    lines = [f"{label or ' '}  {text}".strip() for label, text in result.heading()[1:]]
    attack = getattr(result.scenario, "attack", None)  # of an attack alone
    if attack is not None and attack.attacker is not None and attack.distance is None:
        lines.append("Distance  not said: in reach, and not at short range")
    return tuple(lines)


def columns_of(result: Any, names: Sequence[str]) -> tuple[dict[str, Any], Law]:
    """Columns of the joint law of an answer, at its end, and the probabilities; one alone can be any that it has."""
    known = [*result.figures, *result.events]
    for name in names:
        if name not in known:
            problem = f"no figure {shown(name)}{did_you_mean(name, known)}"
            raise MisspeltError(problem, where="got", allowed=", ".join(known))
        if name in _NEITHER:
            problem, allowed = f"{name} is neither good nor bad", "such as attacker_wins=no, or the margin of a duel"
            raise InputError(problem, where="got", allowed=allowed)
        if name in _ALONE and len(names) > 1:
            raise InputError(f"{name} has a law of its own", where="got", allowed=f"{name} and nothing else")
    if len(names) > 1:
        table = dict(result.joint(names))
        return table, np.asarray(table["probability"], np.float64)
    (name,) = names
    if name in result.events:
        p = float(result.probability(name))
        return {name: np.array([False, True])}, np.array([1 - p, p])
    rows = result.distribution(name)
    return {name: np.array([row["value"] for row in rows])}, np.array([row["probability"] for row in rows])


def checked_value(name: str, value: Any, column: Any) -> Any:
    """What happened, as a column has it; InputError for what it cannot hold."""
    is_flag = np.asarray(column).dtype == np.bool_
    if isinstance(value, bool) != is_flag or not isinstance(value, int):
        allowed = "true or false" if is_flag else f"{min(column)} to {max(column)}"
        raise InputError(f"{words_of(name)} {shown(value)} is not usable", where="got", allowed=allowed)
    if not is_flag and not min(column) <= value <= max(column):
        raise InputError(f"{words_of(name)} cannot be {value}", where="got", allowed=f"{min(column)} to {max(column)}")
    return value


def _chance(goodness: Law, mine: Law, weights: Law, trials: int | None) -> Chance:
    """The chances of what is worse, equal and better, figure by figure in turn; of a sample of so many trials."""
    worse, equal = np.zeros(goodness.shape[1], np.bool_), np.ones(goodness.shape[1], np.bool_)
    for column, value in zip(goodness, mine):
        worse |= equal & (column < value)
        equal &= column == value
    below, same = float(weights[worse].sum()), float(weights[equal].sum())
    chance = Chance(min(below, 1.0), min(same, 1.0), max(1.0 - below - same, 0.0))
    if trials is None:
        return chance
    low, high, _ = intervals(np.round(np.array([chance.as_bad, chance.as_good]) * trials), trials)
    return chance._replace(half_width=float((high - low).max() / 2))


def _sign(name: str) -> int:
    """Whether more of a figure is good for who attacks first, or less."""
    own = name.startswith(_OWN)
    base = next((name.removeprefix(each) for each in (*_OWN, *_THEIRS) if name.startswith(each)), name)
    if base in _GOOD_FOR_ONE:
        return -1 if name.startswith(_THEIRS) else 1
    good = -1 if base in _LESS_IS_BETTER else 1
    return -good if own else good
