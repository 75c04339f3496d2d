"""Keys that a question can vary: their names in the rules or the files, and their places."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast, get_args

from analyser.common.errors import InputError, MisspeltError, check_choice, check_text, did_you_mean, listed, shown
from analyser.common.text import spaced
from analyser.common.validation import Record
from analyser.game.profiles import Profiles
from analyser.game.units import LevelName, unit_of
from analyser.scenarios.battle import SIDES, BattleTerms
from analyser.scenarios.load import with_flags_listed
from analyser.scenarios.schema import (
    BONUSES,
    LIST_OF,
    PENALTIES,
    Attack,
    Charge,
    Combatant,
    DuelTerms,
    FocusAttack,
    Target,
)

Raw = dict[str, Any]
Path = tuple[str | int, ...]
POINTS, LEVEL = "points", "level"
LISTS: Mapping[str, tuple[str, ...]] = {
    "bonuses": (*map(str, BONUSES),),
    "penalties": (*map(str, PENALTIES),),
    "qualities": (),
}
NO_ENTRY = "none"
_ALL_KEYS = "docs/keys.md"
_OWN_WORDS = {"unit", "attacker", "kind", "rows", "charge", "passengers"}  # no numbers, or said in another way
_SECTIONS: Mapping[str, Mapping[str, type[Record]]] = {
    "attack": {"attack": Attack, "target": Target},
    "focus": {"attacks": FocusAttack, "target": Target},
    "charge": {"charge": Charge, "attacker": Combatant, "target": Combatant},
    "duel": {"duel": DuelTerms, "a": Combatant, "b": Combatant},
    "battle": {"battle": BattleTerms},
}
_FIRST: Mapping[str, Path] = {
    "attack": ("attack", "attacker"),
    "focus": ("attacks", 0, "attacker"),
    "charge": ("attacker", "unit"),
    "duel": ("a", "unit"),
}
"""Where who attacks first is named: levels and points are its own."""
_SECOND: Mapping[str, Path] = {kind: ("b" if kind == "duel" else "target", "unit") for kind in _FIRST}


class Key(NamedTuple):
    """A key of a question.

    `what` says what is done with a value: it is ``set`` at each of `paths`; it is a flag that stands as ``mark`` in a
    list; a whole ``list``, its entries joined by ``+``, ``none`` of them; a ``level`` of the unit that is named there;
    or the ``points`` of who attacks.
    """

    name: str
    paths: tuple[Path, ...]
    what: str = "set"
    mark: str = ""

    @property
    def title(self) -> str:
        """Title of the key along an axis."""
        return spaced(self.name)

    @property
    def is_distance(self) -> bool:
        """Return True if the key is a distance in inches."""
        return self.paths[0][-1] == "distance"


def key_of(name: str, kind: str, where: str = "over") -> Key:
    """The key of that name in a question of a kind, forgiving case, spaces and hyphens.

    A name such as ``distance`` or ``DEFENCE`` is enough where one side has such a key; ``target.models`` says whose it
    is. Of a kind with a file of its own form (morale), and in the armies of a battle, it is the path in that file, with
    the number of an entry of a list: ``mine.unit.0.models``.

    Raises
    ------
    InputError
        No such key, with the nearest; or a key that both sides have.

    Examples
    --------
    >>> key_of("DAMAGE LIMIT", "attack").paths, key_of("a.models", "duel").paths
    ((('target', 'damage_limit'),), (('a', 'models'),))
    """
    check_text(name, where, "the name of a key")
    if not name.isprintable():
        raise InputError(f"unknown key {shown(name)}", where=where, allowed="the name of a key")
    plain = name.strip().replace(" ", "_").replace("-", "_")
    if kind not in _SECTIONS:
        return Key(plain, (tuple(plain.split(".")),))
    plain = plain.lower()
    if kind == "battle" and plain.partition(".")[0] in SIDES:
        return Key(plain, (tuple(plain.split(".")),))
    known = dict(_keys(kind))
    if plain not in known:
        several = [each for each in known if each.endswith(f".{plain}")]
        close = did_you_mean(plain, known)
        problem = f"{shown(name)}: of which side?" if several else f"unknown key{close}"
        allowed = ", ".join(several) or listed([each for each in known if "." not in each], name, _ALL_KEYS)
        raise MisspeltError(problem, where=f"{where}: {name}", allowed=allowed)
    return known[plain]


def _keys(kind: str) -> Iterator[tuple[str, Key]]:
    """Every name that a key of a question may have; a name of its own before that with its section."""
    sections = _SECTIONS[kind]
    found: dict[str, list[Key]] = {}
    for section, record in sections.items():
        root: Path = (section,)
        fields = [each for each in record.model_fields if each not in _OWN_WORDS]
        for field in fields:
            path = (*root, "*", field) if section == "attacks" else (*root, field)
            what = "list" if record in (Attack, FocusAttack) and field in LISTS else "set"
            found.setdefault(field, []).append(Key(field, (path,), what))
            yield f"{section}.{field}", Key(f"{section}.{field}", (path,), what)
        if record in (Attack, FocusAttack):
            for mark, where in LIST_OF.items():
                path = (*root, "*", where) if section == "attacks" else (*root, where)
                if mark not in fields:
                    found.setdefault(mark, []).append(Key(mark, (path,), "mark", mark))
                yield f"{section}.{mark}", Key(f"{section}.{mark}", (path,), "mark", mark)
    for field, keys in found.items():
        if len(keys) == 1:
            yield field, keys[0]
        elif field == "suppressed":  # of the target, as for the command `attack`
            yield field, keys[-1]
    if kind not in _FIRST:
        return
    first, second = _FIRST[kind], _SECOND[kind]
    yield POINTS, Key(POINTS, (first,), POINTS)
    yield LEVEL, Key(LEVEL, (first,), LEVEL)
    yield f"{second[0]}.{LEVEL}", Key(f"{second[0]}.{LEVEL}", (second,), LEVEL)
    yield "attacker" if kind != "duel" else "a", Key("attacker" if kind != "duel" else "a", (first,))
    yield str(second[0]), Key(str(second[0]), (second,))


def with_value(raw: Raw, key: Key, value: Any, library: Profiles) -> Raw:
    """A copy of a question with a value for a key; InputError where it has no place for that."""
    changed = copy.copy(raw)
    if key.what == POINTS:
        return changed
    for path in key.paths:
        for place, at in _places(changed, path):
            if not isinstance(place, dict):
                raise InputError(f"{shown(place)} is not a table", where=key.name, allowed="a table of keys")
            if key.what in ("mark", "list"):
                stated = with_flags_listed(place)
                place.clear()
                place.update(stated)
            if key.what == "mark":
                if not isinstance(value, bool):
                    allowed = "true or false; of --over and ranges also yes or no"
                    raise MisspeltError(f"{shown(value)} is not usable", where=key.name, allowed=allowed)
                marks = [each for each in place.get(at) or () if each != key.mark]
                place[at] = [*marks, *([key.mark] if value else [])]
            elif key.what == "list" and isinstance(value, str):
                place[at] = [] if value == NO_ENTRY else [each.strip() for each in value.split("+")]
            elif key.what == LEVEL:
                place[at] = at_level(place.get(at), value, library, key.name)
            else:
                place[at] = value
    return changed


def with_values(raw: Raw, values: Mapping[Key, Any], library: Profiles) -> Raw:
    """Return a copy of a question with a value for each key."""
    for key, value in values.items():
        raw = with_value(raw, key, value, library)
    return raw


def _places(raw: Any, path: Path) -> Iterator[tuple[Any, Any]]:
    """The mappings or lists that hold the end of a path, copied on the way so that nothing is shared that changes."""
    first, *rest = path
    if isinstance(raw, list) and isinstance(first, str) and first.isdecimal():
        first = int(first)
    if not rest:
        yield raw, first
        return
    if first == "*":
        for number, each in enumerate(raw):
            raw[number] = copy.copy(each)
            yield from _places(raw[number], tuple(rest))
        return
    try:
        held = raw[first] if isinstance(first, int) else raw.get(first, {})
        raw[first] = list(held) if isinstance(held, tuple) else copy.copy(held)
        yield from _places(raw[first], tuple(rest))
    except (AttributeError, TypeError, KeyError, IndexError):
        problem = f"the question has no such place: {'.'.join(map(str, path))}"
        raise InputError(problem, where="over", allowed="a key of the question") from None


def at_level(unit: Any, level: Any, library: Profiles, where: str) -> Any:
    """The selector, or the loadout, of the same unit at another level."""
    if unit is None or not isinstance(level, str):
        problem = f"{shown(level)} is not a level" if unit is not None else "the question names no unit"
        refusal = InputError if unit is None else MisspeltError
        raise refusal(problem, where=where, allowed="basic, reinforced, full-strength, of a unit with a profile")
    if level not in get_args(LevelName):
        problem = f"{shown(level)} is not a level{did_you_mean(level, get_args(LevelName))}"
        raise MisspeltError(problem, where=where, allowed=", ".join(get_args(LevelName)))
    loadout = library.loadout(unit) if isinstance(unit, str) else unit
    check_choice(level, where, list(loadout.unit.levels))
    return f"{unit_of(loadout.selector)}@{level}" if isinstance(unit, str) else loadout.at(cast("LevelName", level))


def unit_at(raw: Raw, kind: str, *, second: bool = False) -> Any:
    """The selector or the loadout of who attacks first, or of the other unit; None where none is named."""
    place: Any = raw
    for at in (_SECOND if second else _FIRST).get(kind, ("",)):
        try:
            place = place[at]
        except (KeyError, IndexError, TypeError):
            return None
    return place
