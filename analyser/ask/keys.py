"""Keys of a question that can vary: their names, paths and values."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin

from analyser.common.errors import (
    InputError,
    MisspeltError,
    allowed_names,
    check_choice,
    check_text,
    did_you_mean,
    shown,
)
from analyser.common.text import spaced
from analyser.common.validation import Record, plain_data
from analyser.game.profiles import Profiles
from analyser.game.units import LevelName, unit_of
from analyser.scenarios.battle import SIDES, BattleTerms
from analyser.scenarios.load import with_flags_listed
from analyser.scenarios.schema import (
    BONUSES,
    LIST_OF,
    PENALTIES,
    Attack,
    ChargeTerms,
    Combatant,
    DuelTerms,
    FocusAttack,
    Target,
)

Raw = dict[str, Any]
Path = tuple[str | int, ...]
POINTS, LEVEL = "points", "level"
LISTS: Mapping[str, tuple[str, ...]] = {  # keys whose value is a list, with the default values to try
    "bonuses": (*map(str, BONUSES),),
    "penalties": (*map(str, PENALTIES),),
    "qualities": (),
}
NO_ENTRY = "none"  # value that stands for the empty list
_AMBIGUOUS = "of both sides"  # marks a name that, without its section, means a key of both sides
_KEYS_PAGE = "docs/keys.md"
_EXCLUDED = {"unit", "attacker", "kind", "rows", "charge", "passengers"}  # fields of the records below that give no key
_SECTIONS: Mapping[str, Mapping[str, type[Record]]] = {
    "attack": {"attack": Attack, "target": Target},
    "focus": {"attacks": FocusAttack, "target": Target},
    "charge": {"charge": ChargeTerms, "attacker": Combatant, "target": Combatant},
    "duel": {"duel": DuelTerms, "a": Combatant, "b": Combatant},
    "battle": {"battle": BattleTerms},
}
_FIRST_PATHS: Mapping[str, Path] = {
    "attack": ("attack", "attacker"),
    "focus": ("attacks", 0, "attacker"),
    "charge": ("attacker", "unit"),
    "duel": ("a", "unit"),
}
"""Path of the unit that attacks first; the keys `level` and `points` refer to this unit."""
_SECOND_PATHS: Mapping[str, Path] = {kind: ("b" if kind == "duel" else "target", "unit") for kind in _FIRST_PATHS}


class Key(NamedTuple):
    """A key of a question: its name, and the paths at which a value is set.

    `effect` says how a value is set: ``set`` stores it, ``level`` changes a unit's level, ``points`` stores nothing.
    ``flag`` adds `flag` to a list or removes it. ``list`` replaces a list, by ``none`` or by names joined by ``+``.
    """

    name: str
    paths: tuple[Path, ...]
    effect: str = "set"
    flag: str = ""

    @property
    def title(self) -> str:
        """Title of the key along an axis."""
        return spaced(self.name)

    @property
    def is_distance(self) -> bool:
        """True if the key is a distance in inches."""
        return self.paths[0][-1] == "distance"


def key_of(name: str, kind: str, where: str = "over") -> Key:
    """Return the key called `name` in questions of a kind; case, spaces and hyphens do not matter.

    If both sides have the key, state the section first, as in ``a.models``. Without a section, ``suppressed`` means the
    target, except in duels. For morale, and for the armies of a battle, the name is the path in the file, with the
    index of a list entry: ``mine.unit.0.models``.

    Raises
    ------
    InputError
        An unknown key (with the nearest name), or a key that both sides have.

    Examples
    --------
    >>> key_of("DAMAGE LIMIT", "attack").paths, key_of("a.models", "duel").paths
    ((('target', 'damage_limit'),), (('a', 'models'),))
    """
    check_text(name, where, "the name of a key")
    if not name.isprintable():
        raise InputError(f"unknown key {shown(name)}", where=where, allowed="the name of a key")
    plain = name.strip().replace(" ", "_").replace("-", "_")
    plain = plain.lower() if kind in _SECTIONS else plain
    if kind not in _SECTIONS or (kind == "battle" and plain.partition(".")[0] in SIDES):
        return Key(plain, (tuple(plain.split(".")),))
    keys = _keys(kind)
    if plain not in keys:
        several = [full for full in keys if full.endswith(f".{plain}")]
        problem = f"both sides have the key {shown(name)}" if several else f"unknown key{did_you_mean(plain, keys)}"
        allowed = ", ".join(several) or allowed_names([short for short in keys if "." not in short], name, _KEYS_PAGE)
        raise MisspeltError(problem, where=f"{where}: {name}", allowed=allowed)
    return keys[plain]


@cache
def _keys(kind: str) -> dict[str, Key]:
    """Return the keys by name: with the section, and also without it if that name is unique."""
    keys: dict[str, Key] = {}
    for section, record in _SECTIONS[kind].items():
        root: Path = (section, "*") if section == "attacks" else (section,)
        has_lists = record in (Attack, FocusAttack)
        for field in record.model_fields:
            if field not in _EXCLUDED:
                effect = "list" if has_lists and field in LISTS else "set"
                keys[f"{section}.{field}"] = Key(f"{section}.{field}", ((*root, field),), effect)
        for flag, field in LIST_OF.items() if has_lists else ():
            if flag not in record.model_fields:
                keys[f"{section}.{flag}"] = Key(f"{section}.{flag}", ((*root, field),), "flag", flag)
    for full, key in list(keys.items()):
        short = full.partition(".")[2]
        # `suppressed` alone means the target, as in the command `attack`; a duel has no target
        is_ambiguous = short in keys and (short != "suppressed" or kind == "duel")
        keys[short] = Key(_AMBIGUOUS, ()) if is_ambiguous else key._replace(name=short)
    keys = {name: key for name, key in keys.items() if key.name != _AMBIGUOUS}
    if kind in _FIRST_PATHS:
        first, second = _FIRST_PATHS[kind], _SECOND_PATHS[kind]
        first_name, second_name = "a" if kind == "duel" else "attacker", str(second[0])
        keys |= {POINTS: Key(POINTS, (first,), POINTS), LEVEL: Key(LEVEL, (first,), LEVEL)}
        keys |= {f"{second_name}.{LEVEL}": Key(f"{second_name}.{LEVEL}", (second,), LEVEL)}
        keys |= {first_name: Key(first_name, (first,)), second_name: Key(second_name, (second,))}
    return keys


def with_values(raw: Raw, values: Mapping[Key, Any], library: Profiles) -> Raw:
    """Return a copy of a question with a value for each key; InputError if a path does not exist."""
    for key, value in values.items():
        raw = copy.copy(raw)
        for path in key.paths if key.effect != POINTS else ():
            for table, name in _copied_tables(raw, path):
                _set_value(table, name, key, value, library)
    return raw


def _set_value(table: Any, name: Any, key: Key, value: Any, library: Profiles) -> None:
    if not isinstance(table, dict):
        raise InputError(f"{shown(table)} is not a table", where=key.name, allowed="a table of keys")
    if key.effect in ("flag", "list"):
        stated = with_flags_listed(table)
        table.clear()
        table.update(stated)
    if key.effect == "flag":
        if not isinstance(value, bool):
            allowed = "true or false; in --over and ranges also yes or no"
            raise MisspeltError(f"{shown(value)} is not usable", where=key.name, allowed=allowed)
        others = [flag for flag in table.get(name) or () if flag != key.flag]
        table[name] = [*others, *([key.flag] if value else [])]
    elif key.effect == "list" and isinstance(value, str):
        table[name] = [] if value == NO_ENTRY else [entry.strip() for entry in value.split("+")]
    else:
        table[name] = with_level(table.get(name), value, library, key.name) if key.effect == LEVEL else value


def _copied_tables(raw: Any, path: Path) -> Iterator[tuple[Any, Any]]:
    """Copy the tables along a path; yield each table at its end, with the last key of the path."""
    first, *rest = path
    if isinstance(raw, list) and isinstance(first, str) and first.isdecimal():
        first = int(first)
    if not rest:
        yield raw, first
        return
    if first == "*":
        for number, entry in enumerate(raw):
            raw[number] = copy.copy(entry)
            yield from _copied_tables(raw[number], tuple(rest))
        return
    try:
        part = raw[first] if isinstance(first, int) else raw.get(first, {})
        raw[first] = list(part) if isinstance(part, tuple) else copy.copy(part)
        yield from _copied_tables(raw[first], tuple(rest))
    except (AttributeError, TypeError, KeyError, IndexError):
        problem = f"the question has no key {'.'.join(map(str, path))}"
        raise InputError(problem, where="over", allowed="a key of the question") from None


def with_level(unit: Any, level: Any, library: Profiles, where: str) -> Any:
    """Return a unit at another level; the result is a selector or a loadout, as `unit` is."""
    levels = get_args(LevelName)
    if unit is None:
        raise InputError("the question names no unit", where=where, allowed="a level of a unit with a profile")
    if level not in levels:
        problem = f"{shown(level)} is not a level{did_you_mean(str(level), levels)}"
        raise MisspeltError(problem, where=where, allowed=", ".join(levels))
    loadout = library.loadout(unit) if isinstance(unit, str) else unit
    check_choice(level, where, list(loadout.unit.levels))
    return f"{unit_of(loadout.selector)}@{level}" if isinstance(unit, str) else loadout.at(cast("LevelName", level))


def raw_unit(raw: Raw, kind: str, *, second: bool = False) -> Any:
    """Return the unit that attacks first, or the `second` unit, as stated in the question; None if it states none."""
    part: Any = raw
    for name in (_SECOND_PATHS if second else _FIRST_PATHS).get(kind, ("",)):
        try:
            part = part[name]
        except (KeyError, IndexError, TypeError):
            return None
    return part


GREATEST_DISTANCE = 60  # inches; the longest default distance
_EXAMPLES = {"attacker": "UNIT,UNIT", "unit": "UNIT,UNIT", "qualities": "none,Arc,Arc+Devastating"}


def default_values(key: Key, kind: str, questions: Sequence[Raw], library: Profiles) -> Sequence[Any]:
    """Return the default values of a key; InputError for a key without default values."""
    section, field = str(key.paths[0][0]), str(key.paths[0][-1])
    units = [library.loadout(unit) for raw in questions if (unit := raw_unit(raw, kind)) is not None]
    if key.effect == "flag":
        return (False, True)
    if LISTS.get(field):
        return (NO_ENTRY, *LISTS[field])
    if key.effect == LEVEL:
        unit = raw_unit(questions[0], kind, second=key.name != LEVEL)
        return tuple(library.loadout(unit).unit.levels) if unit is not None else ()
    model = _SECTIONS.get(kind, {}).get(section)
    if model is not None and field in model.model_fields:
        if isinstance(model.model_fields[field].default, bool):
            return (False, True)
        if names := _literal_values(model.model_fields[field].annotation):
            return names
    if field == "distance":
        reach = max((row.long_range or 0 for unit in units for row in unit.unit.rows), default=0)
        return range(1, math.ceil(min(reach or GREATEST_DISTANCE, GREATEST_DISTANCE)) + 1)
    if field == "row" and units:
        rows = (row for unit in units for row in unit.unit.rows)
        return tuple(dict.fromkeys(row.id for row in rows if row.kind == "ranged"))
    target = raw_unit(questions[0], kind, second=True)
    if field == "models" and section == "target" and target is not None:
        return range(1, library.loadout(target).level.models + 1)
    values = "40..80:5" if key.effect == POINTS else _EXAMPLES.get(field, "1..6")
    allowed = f"such as {key.name}={values}"
    raise InputError("no values are stated", where=f"over: {key.name}", allowed=allowed)


def _literal_values(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next((names for part in get_args(annotation) if (names := _literal_values(part))), ())


MOST_VALUES = 100_000  # most values of a key
_MOST_CHARACTERS = 100  # most characters in the text of one value or range
_RANGE = re.compile(r"\s*(-?[\d_]*\.?\d+)\s*\.\.\s*(-?[\d_]*\.?\d+)\s*(?::\s*([\d_]*\.?\d+)\s*)?")
_FLAG_WORDS: Mapping[str, bool] = {"no": False, "yes": True, "false": False, "true": True}
ALLOWED_VALUES = "such as 1..24, 0.5..3:0.5 (with its step), 4,6,8, or no,yes"


def values_of(stated: Any, where: str) -> Sequence[Any]:
    """Return the values in a text or a list; a range of integers remains a `range`.

    ``"1..24"`` is 1, 2, ..., 24, and ``"0..3:0.5"`` every half from 0 to 3. InputError for no value, an
    unusable text, or more than 100,000 values.

    >>> values_of("1..4", "dice"), values_of("0..1:0.5, 4", "distance"), values_of("no,yes", "aiming")
    (range(1, 5), (0, 0.5, 1, 4), (False, True))
    """
    if isinstance(stated, str):
        parts = [_values_of_part(text, where) for text in stated.split(",")]
    elif isinstance(stated, range):
        parts = [stated]
    elif isinstance(stated, Iterable) and not isinstance(stated, Mapping):
        parts = [tuple(plain_value(value, where) for value in stated)]
    else:
        parts = [(plain_value(stated, where),)]
    if not any(parts):
        raise InputError("no values", where=where, allowed=ALLOWED_VALUES)
    if any(part[MOST_VALUES:] for part in parts) or sum(map(len, parts)) > MOST_VALUES:
        raise _too_many_values(where)
    if len(parts) == 1 and isinstance(parts[0], range):
        return parts[0]
    return tuple(dict.fromkeys(value for part in parts for value in part))


def _too_many_values(where: str) -> InputError:
    return InputError(f"more than {MOST_VALUES:,} values", where=where, allowed=f"up to {MOST_VALUES:,}")


def _values_of_part(text: str, where: str) -> Sequence[Any]:
    """Return the values of one part of a list: a range, or a single value."""
    text = text.strip()
    match = None if len(text) > _MOST_CHARACTERS else _RANGE.fullmatch(text)
    if match is None:
        if not text or ".." in text or len(text) > _MOST_CHARACTERS:
            raise InputError(f"{shown(text)} is not a value or a range", where=where, allowed=ALLOWED_VALUES)
        return (_value(text),)
    first, last, step = (_number(number or "1") for number in match.groups())
    if step <= 0 or last < first:
        raise InputError(f"the range {shown(text)} is empty", where=where, allowed="first..last, a step above 0")
    if all(isinstance(number, int) for number in (first, last, step)):
        return range(int(first), int(last) + 1, int(step))
    size = math.floor((last - first) / step + 1e-9) + 1
    if size > MOST_VALUES:
        raise _too_many_values(where)
    numbers = (round(first + index * step, 9) for index in range(size))
    return tuple(int(number) if number == int(number) else number for number in numbers)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _value(text: str) -> Any:
    if text.lower() in _FLAG_WORDS:
        return _FLAG_WORDS[text.lower()]
    try:
        return _number(text)
    except ValueError:
        return text


def plain_value(value: Any, where: str) -> Any:
    """Return a number, flag, text or None as plain Python data; InputError for anything else."""
    value = plain_data(value, where)
    if not (value is None or isinstance(value, str | bool | int | float)) or not str(value).isprintable():
        raise InputError(f"{shown(value)} is not usable", where=where, allowed="numbers, flags and texts")
    return value
