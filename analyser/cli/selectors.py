"""A selector with what else is true of the unit, after a colon: ``crown/rifle-platoon@basic:suppressed,models=4``."""

from __future__ import annotations

import tomllib
from typing import Any, get_args

from analyser.errors import InputError


def unit_from(text: str, where: str) -> dict[str, Any]:
    """The section of a unit: a selector, and after a colon its keys; those of a charge stand in a table of their own.

    Examples
    --------
    >>> unit_from("crown/rifle:suppressed,damage=1", "a")
    {'unit': 'crown/rifle', 'suppressed': True, 'damage': 1}
    """
    from analyser.fights.combatant import Charge

    selector, keys = _selector_and_keys(text, where)
    section: dict[str, Any] = {"unit": selector}
    for key, value in keys.items():
        if key in Charge.model_fields:
            section.setdefault("charge", {})[key] = value
        elif key == "passengers":
            section[key] = {"unit": value}
        else:
            section[key] = value
    if where == "--secondary" and "charge" in section:
        section |= section.pop("charge")
    return section


def attack_from(text: str) -> dict[str, Any]:
    """One of the ``[[attacks]]``: a selector, and after a colon its keys, bonuses and penalties.

    Examples
    --------
    >>> attack_from("crown/rifle:row=ranged-light,distance=6,aiming")
    {'attacker': 'crown/rifle', 'row': 'ranged-light', 'distance': 6, 'bonuses': ['aiming']}
    """
    from analyser.scenario import BonusName, PenaltyName

    selector, keys = _selector_and_keys(text, "ATTACKERS")
    attack: dict[str, Any] = {"attacker": selector}
    for key, value in keys.items():
        marks = dict.fromkeys(get_args(BonusName), "bonuses") | dict.fromkeys(get_args(PenaltyName), "penalties")
        if value is True and key in marks:
            attack.setdefault(marks[key], []).append(key)
        else:
            attack[key] = value
    return attack


def _selector_and_keys(text: str, where: str) -> tuple[str, dict[str, Any]]:
    selector, _, rest = text.partition(":")
    keys: dict[str, Any] = {}
    for part in filter(None, (each.strip() for each in rest.split(","))):
        name, equals, value = part.partition("=")
        key = name.strip().replace("-", "_")
        if key in keys:
            raise InputError(f"{key} stands there twice", where=where, allowed="each key once")
        keys[key] = _value(value.strip()) if equals else True
    return selector, keys


def _value(text: str) -> Any:
    """A value as a file would have it: a number, true or false; anything else is a word."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
