"""Change keys of a profile, by a new value or by a difference such as ``+10``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.game.house_rules import HouseRule
from analyser.game.keywords import Keyword, Quality, Rule

_KEYWORDS: dict[str, type[Keyword]] = {"rules": Rule, "qualities": Quality}


def change(
    parts: Sequence[dict[str, Any]], key: str, value: Any, house_rules: Mapping[str, HouseRule] | None = None
) -> None:
    """Change one key in each of `parts`: the plain data of a level, of a unit, or of rows.

    A value without a sign replaces the old one. Text with a sign, and any value of `dice`, is added to the old value.
    Names of rules or qualities with a sign are added or removed.

    >>> parts = [{"points": 35}]
    >>> change(parts, "points", "+10")
    >>> parts
    [{'points': 45}]
    """
    if key in _KEYWORDS:
        _change_keywords(parts, key, value, house_rules or {})
        return
    has_sign = isinstance(value, str) and value[:1] in ("+", "-")
    for part in parts:
        if key == "dice":
            more = _number(value)
            part["bands"] = tuple(
                band | {name: max(band[name] + more, 0) for name in ("dice", "special") if band[name]}
                for band in part["bands"]
            )
        elif has_sign and part[key] in (None, "none"):
            raise InputError(f"the profile has no number to add {value} to", allowed="a number without a sign")
        else:
            part[key] = part[key] + _number(value) if has_sign else value


def location_in_change(location: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Convert the location of an error in a loadout to the row and the key of a change; `rows` are the unit's rows.

    >>> rows = [{"id": "ranged-light", "bands": [{"first": 1, "last": 6}, {"first": 7, "last": 12}]}]
    >>> location_in_change("unit.levels.basic.points", rows), location_in_change("unit.rows.0.bands.1.dice", rows)
    ('points', 'ranged-light: dice at 7-12')
    >>> location_in_change("unit.damage_limit", rows), location_in_change("unit.rows.0", rows)
    ('damage_limit', 'ranged-light')
    """
    match location.split("."):
        case ["unit", "rows", number, "bands", index, key]:
            row = rows[int(number)]
            band = row["bands"][int(index)]
            return f"{row['id']}: {key} at {band['first']}-{band['last']}"
        case ["unit", "rows", number, *keys]:
            return ": ".join([rows[int(number)]["id"], *keys])
        case ["unit", "levels", _, *keys] | ["unit", *keys]:
            return ".".join(keys)
    return location


def _number(value: Any) -> float:
    try:
        number = float(value)
        return int(number) if number == int(number) else number
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{shown(value)} is not a number") from None


def _change_keywords(
    parts: Sequence[dict[str, Any]], key: str, value: Any, house_rules: Mapping[str, HouseRule]
) -> None:
    if not isinstance(value, str | list | tuple):
        raise InputError(f"{shown(value)} is not usable", allowed='names such as "+Arc", in one text or a list')
    written = [str(word).strip() for word in (value.split(",") if isinstance(value, str) else value) if word]
    signs = [word[:1] if word[:1] in ("+", "-") else "" for word in written]
    if "" in signs and any(signs):
        raise InputError(f"{shown(value)} has names with and without a sign", allowed="all with a sign, or none")
    keywords = [_KEYWORDS[key](word.lstrip("+-").strip(), house_rules) for word in written]
    for sign, keyword in zip(signs, keywords):
        if keyword.term is None:
            hint = did_you_mean(keyword.name, (*keyword.TABLE, *house_rules))
            raise InputError(f"{shown(keyword.name)} is unknown{hint}")
        if sign == "-" and not any(old.name == keyword.name for part in parts for old in part[key]):
            raise InputError(f"{keyword.name} cannot be removed, because the profile does not have it")
    for part in parts:
        by_name = {old.name: old for old in part[key]} if any(signs) else {}
        for sign, keyword in zip(signs, keywords):
            by_name.pop(keyword.name, None)
            if sign != "-":
                by_name[keyword.name] = keyword
        part[key] = tuple(by_name.values())
