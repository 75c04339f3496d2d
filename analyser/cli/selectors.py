"""A selector with what else is true of the unit, after a colon: ``crown/rifle-platoon@basic:suppressed,models=4``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

from analyser.cli.options import plain_type, value_of
from analyser.common.errors import InputError, did_you_mean, nearest
from analyser.scenarios.schema import BONUSES, CIRCUMSTANCES, PENALTIES, Attack, Charge, Combatant, DuelTerms, Target

if TYPE_CHECKING:
    from analyser.common.validation import Record

_BETWEEN_KEYS = re.compile(r",(?![^\[{]*[\]}])")  # a comma that is in no list and no table
_KEYS_TOO = ("concealed", "opportunity_fire")  # penalties that are keys of an attack as well
_NO_WORDS = ("unit", "attacker", "charge", "rows", "kind")  # the selector itself, tables, and what nobody need say
_MARKS = dict.fromkeys(map(str, BONUSES), "bonuses") | dict.fromkeys(map(str, PENALTIES), "penalties")


class Words(NamedTuple):
    """What may stand after a colon; and `elsewhere`: words that are right in another place, and that place."""

    allowed: tuple[str, ...]
    elsewhere: Mapping[str, str]

    def check(self, key: str, where: str) -> None:
        """Raise InputError for a word that may not stand there: it says where it may, or which one may be meant.

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


def _words(record: type[Record], more: Iterable[str] = ()) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in (*record.model_fields, *more) if key not in _NO_WORDS))


def _options(record: type[Record]) -> dict[str, str]:
    return {
        key: f"the option --{'no-' * (field.default is True)}{key.replace('_', '-')}"
        for key, field in record.model_fields.items()
    }


_AT_THE_TARGET, _POLICY = "after the colon of the target", "the option --policy-a or --policy-b"
_OF_TARGET = {
    key: f"attacker_{key} here, {key} {_AT_THE_TARGET}" if f"attacker_{key}" in Attack.model_fields else _AT_THE_TARGET
    for key in _words(Target)
}
_RANGED = dict.fromkeys(_words(Attack, _MARKS), "for attack and focus, after the colon of who attacks")
_CLOSE = dict.fromkeys(_words(Combatant), "for charge and duel")
_OF_A_DUEL = {
    "policy": _POLICY,
    "aiming": f"a matter of policy, {_POLICY}",
    "short_range": f"a matter of policy, {_POLICY}",
}

ATTACKER = Words(_words(Attack, _MARKS), _OF_TARGET)
ONE_OF_ATTACKERS = Words(_words(Attack, (*_MARKS, *CIRCUMSTANCES)), _OF_TARGET)
TARGET = Words(_words(Target), _CLOSE | dict.fromkeys(ATTACKER.allowed, "after the colon of who attacks it"))
COMBATANT = Words(_words(Combatant), _RANGED | _options(Charge))
SECONDARY = Words(_words(Combatant, ["threatened"]), COMBATANT.elsewhere)
DUELLIST = Words(_words(Combatant, Charge.model_fields), _RANGED | _options(DuelTerms) | _OF_A_DUEL)


def unit_from(text: str, where: str, words: Words) -> dict[str, Any]:
    """The section of a unit: a selector, and after a colon its keys; those of a charge stand in a table of their own.

    `where`, the section, opens the messages.

    >>> unit_from("crown/rifle:suppressed,damage=1,outflanking", "a", DUELLIST)
    {'unit': 'crown/rifle', 'suppressed': True, 'damage': 1, 'charge': {'outflanking': True}}
    """
    selector, keys = _selector_and_keys(text, where, words)
    section: dict[str, Any] = {"unit": selector}
    for key, value in keys.items():
        if key in Charge.model_fields and words is DUELLIST:
            section.setdefault("charge", {})[key] = value
        else:
            section[key] = {"unit": value} if key == "passengers" else value
    return section


def attack_from(text: str, where: str, words: Words) -> dict[str, Any]:
    """One of the ``[[attacks]]``: a selector, and after a colon its keys, bonuses and penalties; as :func:`unit_from`.

    >>> attack_from("crown/rifle:row=ranged-light,distance=6,aiming", "attack", ATTACKER)
    {'attacker': 'crown/rifle', 'row': 'ranged-light', 'distance': 6, 'bonuses': ['aiming']}
    """
    selector, keys = _selector_and_keys(text, where, words)
    attack: dict[str, Any] = {"attacker": selector}
    for key, value in keys.items():
        if key not in _MARKS or (value is not True and key in _KEYS_TOO):
            attack[key] = value
        elif value is True:
            add_mark(attack, _MARKS[key], key)
        else:
            raise InputError(f"{value!r} is not usable", where=f"{where}.{key}", allowed="the word alone")
    return attack


def add_mark(section: dict[str, Any], key: str, mark: str) -> None:
    """Add an entry to a list of a section; anything but a list is left for the scenario to reject."""
    marks = section.setdefault(key, [])
    if isinstance(marks, list) and mark not in marks:
        marks.append(mark)


def _selector_and_keys(text: str, where: str, words: Words) -> tuple[str, dict[str, Any]]:
    selector, _, rest = text.partition(":")
    keys: dict[str, Any] = {}
    for part in filter(None, (each.strip() for each in _BETWEEN_KEYS.split(rest))):
        name, equals, value = (each.strip() for each in part.partition("="))
        key = name.replace("-", "_")
        words.check(key, where)
        if key in keys:
            raise InputError(f"{key} stands there twice", where=where, allowed="each key once")
        if not equals and (example := _example_for(key)):
            raise InputError(f"{key} needs a value", where=f"{where}.{key}", allowed=f"such as {key}={example}")
        if equals and not value.endswith(closing := {"[": "]", "{": "}"}.get(value[:1], "")):
            raise InputError(f"{value!r} has no closing bracket", where=f"{where}.{key}", allowed=f"{value}{closing}")
        keys[key] = value_of(value, f"{where}.{key}") if equals else True
    return selector, keys


def _example_for(key: str) -> str:
    """A value as it may stand after a key; none where the key alone says yes.

    >>> _example_for("models"), _example_for("aiming"), _example_for("officer")
    ('4', '', 'last')
    """
    field = {**Attack.model_fields, **Combatant.model_fields}.get(key)
    kind = None if field is None or key in _MARKS else plain_type(field.annotation)
    if get_origin(kind) is Literal:
        return str(get_args(kind)[0])
    if get_origin(kind) is tuple:
        return "[...]"
    return {None: "", bool: "", int: "4", float: "6"}.get(kind, "...")
