"""A selector with what else is true of the unit, after a colon: ``crown/rifle-platoon@basic:suppressed,models=4``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

from analyser.common.errors import InputError, did_you_mean, nearest
from analyser.common.files import value_typed

if TYPE_CHECKING:
    from analyser.common.validation import Record

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


_NO_WORDS = ("unit", "attacker", "charge", "rows", "kind")  # the selector itself, tables, and what nobody need say


_AT_THE_TARGET, _AT_THE_ATTACKER = "after the colon of the target", "after the colon of who attacks it"


_RANGED, _CLOSE = "for attack and focus, after the colon of who attacks", "for charge and duel"


_OF_THE_CHARGE = {
    key: f"the option --{option}"
    for key, option in (
        ("outflanking", "outflanking"), ("supported", "supported"), ("threatened", "threatened"),
        ("difficult_terrain", "difficult-terrain"), ("overrun", "no-overrun"),
    )
}  # fmt: skip


_OF_THE_DUEL = {
    key: f"the option --{option}"
    for key, option in (
        ("rounds", "rounds"), ("first", "first"), ("distance", "distance"), ("policy", "policy-a or --policy-b"),
        ("policy_a", "policy-a"), ("policy_b", "policy-b"),
    )
} | dict.fromkeys(("aiming", "short_range"), "a matter of policy, the option --policy-a or --policy-b")  # fmt: skip


class Words(NamedTuple):
    """What may stand after a colon.

    Attributes
    ----------
    allowed : tuple of str
    elsewhere : dict
        Words that are right in another place, and that place.
    marks : dict
        Those of `allowed` that are entries of a list, and the key of that list.
    of_its_charge : tuple of str
        Those of `allowed` that stand in the table of how the unit charges.
    """

    allowed: tuple[str, ...]
    elsewhere: Mapping[str, str] = {}
    marks: Mapping[str, str] = {}
    of_its_charge: tuple[str, ...] = ()

    def check(self, key: str, where: str) -> None:
        """Refuse a word that may not stand there: say where it stands, or which one may be meant.

        Examples
        --------
        >>> Words(("models",), {"rounds": "--rounds"}).check("modles", "a")
        Traceback (most recent call last):
        ...
        analyser.common.errors.InputError: a.modles: unknown key; did you mean 'models'? (allowed: models)
        """
        if key in self.allowed:
            return
        if key in self.elsewhere:
            raise InputError(f"{key!r} does not stand here", where=f"{where}.{key}", allowed=self.elsewhere[key])
        close = nearest(key, (*self.allowed, *self.elsewhere), most=1)
        here = not close or close[0] in self.allowed
        allowed = ", ".join(self.allowed) if here else self.elsewhere[close[0]]
        raise InputError(f"unknown key{did_you_mean(key, close)}", where=f"{where}.{key}", allowed=allowed)


def check_alone(key: str, where: str) -> None:
    """Refuse a word without a value whose key is not one of yes or no.

    Examples
    --------
    >>> check_alone("models", "a")
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: a.models: models needs a value (allowed: such as models=4)
    """
    from analyser.scenarios.schema import Attack, Combatant

    fields = {**Attack.model_fields, **Combatant.model_fields}
    example = _example_of(fields[key].annotation) if key in fields and key not in _marks() else ""
    if example:
        raise InputError(f"{key} needs a value", where=f"{where}.{key}", allowed=f"such as {key}={example}")


def _example_of(annotation: Any) -> str:
    """A value of a type as it may stand after a key; none for yes or no."""
    inside = get_args(annotation)
    if get_origin(annotation) is Literal:
        return str(inside[0])
    if get_origin(annotation) is tuple:
        return "[...]"
    return _example_of(inside[0]) if inside else {bool: "", int: "4", float: "6"}.get(annotation, "...")


def of_attackers(*, several: bool) -> Words:
    """After the colon of who attacks; `several`: focus fire, where an attack says of its target what differs."""
    from analyser.scenarios.schema import Attack, Target

    marks = _marks()
    allowed = _words(Attack, (*marks, *(_circumstances() if several else ())))
    mine = {
        key: f"attacker_{key} here, {key} {_AT_THE_TARGET}" for key in _words(Target) if f"attacker_{key}" in allowed
    }
    return Words(allowed, dict.fromkeys(_words(Target), _AT_THE_TARGET) | mine, marks)


def of_targets() -> Words:
    """After the colon of what is attacked."""
    from analyser.scenarios.schema import Attack, Combatant, Target

    close = dict.fromkeys(_words(Combatant), _CLOSE)
    return Words(_words(Target), close | dict.fromkeys(_words(Attack, _marks()), _AT_THE_ATTACKER))


def of_combatants(*, secondary: bool = False) -> Words:
    """After the colon of who charges or is charged."""
    from analyser.scenarios.schema import Combatant

    own = ("threatened",) if secondary else ()
    return Words(_words(Combatant, own), _ranged() | _OF_THE_CHARGE)


def of_duellists() -> Words:
    """After the colon of who fights a duel: how it charges, too."""
    from analyser.scenarios.schema import Charge, Combatant

    own = tuple(Charge.model_fields)
    return Words(_words(Combatant, own), _ranged() | _OF_THE_DUEL, of_its_charge=own)


def _words(record: type[Record], more: Iterable[str] = ()) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in (*record.model_fields, *more) if key not in _NO_WORDS))


def _marks() -> dict[str, str]:
    from analyser.scenarios.schema import BonusName, PenaltyName

    return dict.fromkeys(get_args(BonusName), "bonuses") | dict.fromkeys(get_args(PenaltyName), "penalties")


def _ranged() -> dict[str, str]:
    from analyser.scenarios.schema import Attack

    return dict.fromkeys(_words(Attack, _marks()), _RANGED)


def _circumstances() -> tuple[str, ...]:
    from analyser.scenarios.schema import CIRCUMSTANCES

    return CIRCUMSTANCES
