"""Keys that may follow the colon of a unit, such as ``crown/rifle-platoon@basic:models=4``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from analyser.common.errors import InputError, allowed_names, did_you_mean, nearest
from analyser.scenarios import schema

if TYPE_CHECKING:
    from analyser.common.validation import Record

_EXCLUDED = ("unit", "attacker", "charge", "rows", "kind")  # keys that cannot be stated after a colon


class AllowedKeys(NamedTuple):
    """Keys allowed after the colon of a unit; `elsewhere` says where other keys are allowed."""

    allowed: tuple[str, ...]
    elsewhere: Mapping[str, str]

    def check(self, key: str, where: str) -> None:
        """Raise InputError for a key that is not allowed; the message says where it is allowed, or the nearest key."""
        if key in self.allowed:
            return
        if key in self.elsewhere:
            raise InputError(f"{key!r} is not allowed here", where=f"{where}.{key}", allowed=self.elsewhere[key])
        similar = nearest(key, (*self.allowed, *self.elsewhere), most=1)
        is_allowed = not similar or similar[0] in self.allowed
        allowed = allowed_names(self.allowed, key, "docs/keys.md") if is_allowed else self.elsewhere[similar[0]]
        raise InputError(f"unknown key{did_you_mean(key, similar)}", where=f"{where}.{key}", allowed=allowed)


def _keys(record: type[Record], more: Iterable[str] = ()) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in (*record.model_fields, *more) if key not in _EXCLUDED))


def _option_texts(record: type[Record]) -> dict[str, str]:
    return {
        key: f"the option --{'no-' * (field.default is True)}{key.replace('_', '-')}"
        for key, field in record.model_fields.items()
    }


_POLICY = "the option --policy-a or --policy-b"
_TARGET_PLACES = dict.fromkeys(_keys(schema.Target), "after the colon of the target")
for _key in _TARGET_PLACES:
    if f"attacker_{_key}" in schema.Attack.model_fields:
        _TARGET_PLACES[_key] = f"attacker_{_key} here, {_key} after the colon of the target"
_RANGED_PLACES = dict.fromkeys(_keys(schema.Attack, schema.LIST_OF), "for attack, after the colon of the attacker")
_CLOSE_PLACES = dict.fromkeys(_keys(schema.Combatant), "for charge and duel")
_DUEL_PLACES = {"policy": _POLICY} | dict.fromkeys(("aiming", "short_range"), f"part of a policy, {_POLICY}")

ATTACKER_KEYS = AllowedKeys(_keys(schema.Attack, schema.LIST_OF), _TARGET_PLACES)
FOCUS_ATTACKER_KEYS = AllowedKeys(_keys(schema.Attack, (*schema.LIST_OF, *schema.CIRCUMSTANCES)), _TARGET_PLACES)
TARGET_KEYS = AllowedKeys(
    _keys(schema.Target), _CLOSE_PLACES | dict.fromkeys(ATTACKER_KEYS.allowed, "after the colon of the attacker")
)
COMBATANT_KEYS = AllowedKeys(_keys(schema.Combatant), _RANGED_PLACES | _option_texts(schema.ChargeTerms))
SECONDARY_KEYS = AllowedKeys(_keys(schema.Combatant, ["threatened"]), COMBATANT_KEYS.elsewhere)
DUELLIST_KEYS = AllowedKeys(
    _keys(schema.Combatant, schema.Charge.model_fields), _RANGED_PLACES | _option_texts(schema.DuelTerms) | _DUEL_PLACES
)
