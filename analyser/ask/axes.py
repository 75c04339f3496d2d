"""Axes of a curve: the keys that vary, and their given or usual values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

from analyser.ask.keys import LEVEL, LISTS, NO_ENTRY, POINTS, Key, Raw, key_of, unit_at
from analyser.ask.ranges import values_of
from analyser.common.errors import InputError, shown
from analyser.game.profiles import Profiles
from analyser.scenarios.battle import BattleTerms
from analyser.scenarios.schema import Attack, Charge, Combatant, DuelTerms, FocusAttack

MOST_POINTS = 200_000
MOST_KEYS = 2
FARTHEST = 60  # inches
_SHOTS = ("attack", "focus")
_EXAMPLES = {POINTS: "40..80:5", "attacker": "UNIT,UNIT", "unit": "UNIT,UNIT", "qualities": "none,Arc,Arc+Devastating"}
_RECORDS: Mapping[str, Any] = {  # types of the keys, by section
    **{"attack": Attack, "attacks": FocusAttack, "charge": Charge, "duel": DuelTerms, "battle": BattleTerms},
    **{"target": Combatant, "attacker": Combatant, "a": Combatant, "b": Combatant},
}


def axes_of(over: Any, kind: str, questions: Sequence[Raw], library: Profiles) -> dict[Key, Sequence[Any]]:
    """Return the keys that vary, each with its values; InputError for more than 200,000 points."""
    given = _split(over)
    keys = [key_of(name, kind) for name in given]
    if len({key.name for key in keys}) < len(keys):
        raise InputError(f"{keys[0].name} twice", where="over", allowed="two different keys")
    axes: dict[Key, Sequence[Any]] = {}
    for key, (name, values) in zip(keys, given.items()):
        usual = usual_values(key, kind, questions, library) if values is None else values
        axes[key] = values_of(usual, f"over: {name}")
    size_of(axes, len(questions))
    for key, values in zip(keys, given.values()):
        if key.is_distance and kind in _SHOTS and (values is None or _is_range(axes[key])):
            axes[key] = _with_marks(axes[key], questions, library)
    return axes


def _split(over: Any) -> dict[str, Any]:
    """Return the names of the keys with their values as given; None: the usual values."""
    if isinstance(over, Mapping):
        given = dict(over)
    else:
        texts = [over] if isinstance(over, str) else over
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise InputError(f"{shown(over)} is not usable", where="over", allowed="such as distance, or dice=4..12")
        parts = [text.partition("=") for text in texts]
        given = {name.strip(): values if equals else None for name, equals, values in parts}
        if len(given) < len(texts):
            raise InputError(f"{next(iter(given))} twice", where="over", allowed="two different keys")
    if not 1 <= len(given) <= MOST_KEYS:
        raise InputError(f"{len(given)} keys", where="over", allowed="one, or two for a map")
    return given


def size_of(axes: Mapping[Key, Sequence[Any]], lines: int) -> int:
    """Return the number of points; InputError if there are too many to compute."""
    size = math.prod(map(len, axes.values())) * lines
    if size > MOST_POINTS:
        raise InputError(f"{size:,} points", where="over", allowed=f"up to {MOST_POINTS:,}")
    return size


def usual_values(key: Key, kind: str, questions: Sequence[Raw], library: Profiles) -> Sequence[Any]:
    """Return the default values of a key; InputError for a key without any."""
    section, field = str(key.paths[0][0]), str(key.paths[0][-1])
    units = [library.loadout(unit) for raw in questions if (unit := unit_at(raw, kind)) is not None]
    if key.what == "mark":
        return (False, True)
    if LISTS.get(field):
        return (NO_ENTRY, *LISTS[field])
    if key.what == LEVEL:
        unit = unit_at(questions[0], kind, second=key.name != LEVEL)
        return tuple(library.loadout(unit).unit.levels) if unit is not None else ()
    model = _RECORDS.get(section)
    if model is not None and field in model.model_fields:
        if isinstance(model.model_fields[field].default, bool):
            return (False, True)
        if names := _names_of(model.model_fields[field].annotation):
            return names
    if field == "distance":
        reach = max((row.long_range or 0 for unit in units for row in unit.unit.rows), default=0)
        return range(1, math.ceil(min(reach, FARTHEST)) + 1 if reach else FARTHEST + 1)
    if field == "row" and units:
        return tuple(dict.fromkeys(row.id for unit in units for row in unit.unit.rows if row.kind == "ranged"))
    if field == "models" and section == "target" and (unit := unit_at(questions[0], kind, second=True)) is not None:
        return range(1, library.loadout(unit).level.models + 1)
    values = _EXAMPLES[POINTS] if key.what == POINTS else _EXAMPLES.get(field, "1..6")
    raise InputError("over which values?", where=f"over: {key.name}", allowed=f"such as {key.name}={values}")


def _names_of(annotation: Any) -> tuple[Any, ...]:
    """Return the names that a key can have; empty unless its type is a choice of names."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next((names for part in get_args(annotation) if (names := _names_of(part))), ())


def _is_range(values: Sequence[Any]) -> bool:
    return isinstance(values, range) and values.step == 1


def _with_marks(values: Sequence[Any], questions: Sequence[Raw], library: Profiles) -> Sequence[Any]:
    """Return the distances and, between them, all distances at which an attack can change (AC-4.1, AC-7)."""
    marks: set[float] = set()
    for raw in questions:
        for attack in raw.get("attacks") or [raw.get("attack", {})]:
            if (unit := attack.get("attacker")) is not None:
                loadout = library.loadout(unit)
                fumes = loadout.unit.keyword("Corrosive Fumes")
                marks |= {float(fumes.x)} if fumes is not None else set()
                marks |= {mark for row in loadout.unit.rows for mark in (row.short_range, row.long_range) if mark}
    inside = {mark for mark in marks if values[0] < mark < values[-1]}
    return tuple(sorted({*values, *(int(mark) if mark == int(mark) else mark for mark in inside)}))


def holds_between(axes: Mapping[Key, Sequence[Any]], kind: str, questions: Sequence[Raw], library: Profiles) -> bool:
    """Return True for distances between which no attack changes."""
    values, *_ = axes.values()
    if not all(key.is_distance for key in axes) or kind not in _SHOTS or len(values) < 2:
        return False
    if not all(isinstance(value, int | float) for value in values) or list(values) != sorted(values):
        return False
    return set(_with_marks(values, questions, library)) <= set(values)
