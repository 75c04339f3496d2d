"""Changes of a profile: a new value, or a signed difference from the old one."""

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
    """Change one key of a level, of a unit, or of several rows, given as plain data.

    A number or a list replaces the old one; a number with a sign is added to it. `house_rules`: those that can be
    added.

    >>> parts = [{"points": 35}]
    >>> change(parts, "points", "+10")
    >>> parts
    [{'points': 45}]
    """
    if key in _KEYWORDS:
        _change_keywords(parts, key, value, house_rules or {})
        return
    signed = isinstance(value, str) and value[:1] in ("+", "-")
    for part in parts:
        if key == "dice":
            part["bands"] = tuple(_more_dice(band, _number(value)) for band in part["bands"])
        elif signed and part[key] in (None, "none"):
            raise InputError(f"nothing to add {value} to", allowed="a number without a sign")
        else:
            part[key] = part[key] + _number(value) if signed else value


def place_in_words(place: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the location of an error in a loadout, in the words of a change; `rows`: those of its unit, as plain data.

    >>> rows = [{"id": "ranged-light", "bands": [{"first": 1, "last": 6}, {"first": 7, "last": 12}]}]
    >>> place_in_words("unit.levels.basic.points", rows), place_in_words("unit.rows.0.bands.1.dice", rows)
    ('points', 'ranged-light: dice at 7-12')
    >>> place_in_words("unit.damage_limit", rows), place_in_words("unit.rows.0", rows)
    ('damage_limit', 'ranged-light')
    """
    match place.split("."):
        case ["unit", "rows", number, "bands", at, key]:
            row = rows[int(number)]
            band = row["bands"][int(at)]
            return f"{row['id']}: {key} at {band['first']}-{band['last']}"
        case ["unit", "rows", number, *keys]:
            return ": ".join([rows[int(number)]["id"], *keys])
        case ["unit", "levels", _, *keys] | ["unit", *keys]:
            return ".".join(keys)
    return place


def _number(value: Any) -> float:
    try:
        number = float(value)
        return int(number) if number == int(number) else number
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{shown(value)} is not a number") from None


def _more_dice(band: dict[str, Any], by: float) -> dict[str, Any]:
    """Return a band with more attack dice; one without dice is unchanged."""
    return band | {key: max(band[key] + by, 0) for key in ("dice", "special") if band[key]}


def _change_keywords(
    parts: Sequence[dict[str, Any]], key: str, value: Any, house_rules: Mapping[str, HouseRule]
) -> None:
    if not isinstance(value, str | list | tuple):
        raise InputError(f"{shown(value)} is not usable", allowed='names such as "+Arc", in one text or a list')
    written = [str(word).strip() for word in (value.split(",") if isinstance(value, str) else value) if word]
    signs = [word[:1] if word[:1] in ("+", "-") else "" for word in written]
    if "" in signs and any(signs):
        raise InputError(f"{shown(value)} has names with and without a sign")
    keywords = [_KEYWORDS[key](word.lstrip("+-").strip(), house_rules) for word in written]
    for sign, keyword in zip(signs, keywords):
        if keyword.term is None:
            raise InputError(
                f"{shown(keyword.name)} is not known{did_you_mean(keyword.name, (*keyword.TABLE, *house_rules))}"
            )
        if sign == "-" and not any(old.name == keyword.name for part in parts for old in part[key]):
            raise InputError(f"{keyword.name} cannot be removed, because it is missing")
    for part in parts:
        kept = {old.name: old for old in part[key]} if any(signs) else {}
        for sign, keyword in zip(signs, keywords):
            kept.pop(keyword.name, None)
            if sign != "-":
                kept[keyword.name] = keyword
        part[key] = tuple(kept.values())
