"""A selector with what else is true of the unit, after a colon: ``crown/rifle-platoon@basic:suppressed,models=4``."""

from __future__ import annotations

import re
from typing import Any

from analyser.cli.words import Words, check_alone
from analyser.errors import InputError
from analyser.files import value_typed

_BETWEEN_KEYS = re.compile(r",(?![^\[{]*[\]}])")  # a comma that is in no list and no table
_KEYS_TOO = ("concealed", "opportunity_fire")  # penalties that are keys of an attack as well


def unit_from(text: str, where: str, words: Words) -> dict[str, Any]:
    """The section of a unit: a selector, and after a colon its keys; those of a charge stand in a table of their own.

    Parameters
    ----------
    text : str
    where : str
        The section; opens the messages.
    words : Words
        What may stand after the colon.

    Raises
    ------
    InputError
        A word that may not stand there.

    Examples
    --------
    >>> from analyser.cli.words import of_duellists
    >>> unit_from("crown/rifle:suppressed,damage=1,outflanking", "a", of_duellists())
    {'unit': 'crown/rifle', 'suppressed': True, 'damage': 1, 'charge': {'outflanking': True}}
    """
    selector, keys = _selector_and_keys(text, where, words)
    section: dict[str, Any] = {"unit": selector}
    for key, value in keys.items():
        if key in words.of_its_charge:
            section.setdefault("charge", {})[key] = value
        elif key == "passengers":
            section[key] = {"unit": value}
        else:
            section[key] = value
    return section


def attack_from(text: str, where: str, words: Words) -> dict[str, Any]:
    """One of the ``[[attacks]]``: a selector, and after a colon its keys, bonuses and penalties; as :func:`unit_from`.

    Examples
    --------
    >>> from analyser.cli.words import of_attackers
    >>> attack_from("crown/rifle:row=ranged-light,distance=6,aiming", "attack", of_attackers(several=False))
    {'attacker': 'crown/rifle', 'row': 'ranged-light', 'distance': 6, 'bonuses': ['aiming']}
    """
    selector, keys = _selector_and_keys(text, where, words)
    marks = {
        key: value for key, value in keys.items() if key in words.marks and (value is True or key not in _KEYS_TOO)
    }
    attack = {"attacker": selector} | {key: value for key, value in keys.items() if key not in marks}
    for key, value in marks.items():
        if value is not True:
            raise InputError(f"{value!r} is not usable", where=f"{where}.{key}", allowed="the word alone")
        add_mark(attack, words.marks[key], key)
    return attack


def add_mark(section: dict[str, Any], key: str, mark: str) -> None:
    """Add an entry to a list of a section; what is no list is left for the scenario to refuse."""
    marks = section.setdefault(key, [])
    if isinstance(marks, list) and mark not in marks:
        marks.append(mark)


def _selector_and_keys(text: str, where: str, words: Words) -> tuple[str, dict[str, Any]]:
    selector, _, rest = text.partition(":")
    keys: dict[str, Any] = {}
    for part in filter(None, (each.strip() for each in _BETWEEN_KEYS.split(rest))):
        name, equals, value = part.partition("=")
        key = name.strip().replace("-", "_")
        words.check(key, where)
        if key in keys:
            raise InputError(f"{key} stands there twice", where=where, allowed="each key once")
        if equals:
            _check_closed(value.strip(), f"{where}.{key}")
        else:
            check_alone(key, where)
        keys[key] = _value(value.strip(), f"{where}.{key}") if equals else True
    return selector, keys


def _check_closed(value: str, where: str) -> None:
    """Refuse a list or a table without its end."""
    closing = {"[": "]", "{": "}"}.get(value[:1], "")
    if not value.endswith(closing):
        raise InputError(f"{value!r} has no closing bracket", where=where, allowed=f"{value}{closing}")


def _value(text: str, where: str) -> Any:
    """A value as a file would have it: a number, true or false, a list or a table; anything else is a word.

    A list of words needs no quotes, since a shell takes them away.

    Examples
    --------
    >>> _value("[Durable, Sponsons (2)]", "target"), _value("3", "target"), _value("melee", "attack")
    (['Durable', 'Sponsons (2)'], 3, 'melee')
    """
    value = value_typed(text, where)
    return [each.strip() for each in text[1:-1].split(",")] if value == text and text[:1] + text[-1:] == "[]" else value
