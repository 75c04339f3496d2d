"""Commands for fights, and conditions after a selector, such as ``crown/rifle-platoon@basic:models=4``.

Other commands for two units use the same options.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

from analyser.cli import options
from analyser.cli.answer import answer
from analyser.cli.command_base import Option, command
from analyser.cli.options import FIGHT_OPTIONS, Choice, KeyOption, key_options
from analyser.common.errors import InputError, allowed_names, did_you_mean, nearest
from analyser.common.text import with_article
from analyser.rules.policies import BEST, POLICIES
from analyser.scenarios.schema import (
    BONUSES,
    CIRCUMSTANCES,
    FLAGS,
    LIST_OF,
    PENALTIES,
    TARGET_FATES,
    TWO_UNIT_KINDS,
    WANTS,
    Attack,
    Charge,
    ChargeTerms,
    Combatant,
    DuelTerms,
    Target,
)

if TYPE_CHECKING:
    from analyser.common.validation import Record

_COMMA_BETWEEN_KEYS = re.compile(r",(?![^\[{]*[\]}])")  # a comma outside lists and tables
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


_AFTER_TARGET, _POLICY = "after the colon of the target", "the option --policy-a or --policy-b"
_TARGET_PLACES = {
    key: f"attacker_{key} here, {key} {_AFTER_TARGET}" if f"attacker_{key}" in Attack.model_fields else _AFTER_TARGET
    for key in _keys(Target)
}
_RANGED_PLACES = dict.fromkeys(_keys(Attack, LIST_OF), "for attack, after the colon of the attacker")
_CLOSE_PLACES = dict.fromkeys(_keys(Combatant), "for charge and duel")
_DUEL_PLACES = {"policy": _POLICY} | dict.fromkeys(("aiming", "short_range"), f"part of a policy, {_POLICY}")

ATTACKER_KEYS = AllowedKeys(_keys(Attack, LIST_OF), _TARGET_PLACES)
FOCUS_ATTACKER_KEYS = AllowedKeys(_keys(Attack, (*LIST_OF, *CIRCUMSTANCES)), _TARGET_PLACES)
TARGET_KEYS = AllowedKeys(
    _keys(Target), _CLOSE_PLACES | dict.fromkeys(ATTACKER_KEYS.allowed, "after the colon of the attacker")
)
COMBATANT_KEYS = AllowedKeys(_keys(Combatant), _RANGED_PLACES | _option_texts(ChargeTerms))
SECONDARY_KEYS = AllowedKeys(_keys(Combatant, ["threatened"]), COMBATANT_KEYS.elsewhere)
DUELLIST_KEYS = AllowedKeys(
    _keys(Combatant, Charge.model_fields), _RANGED_PLACES | _option_texts(DuelTerms) | _DUEL_PLACES
)


def keys_after_colon(command: str, parameter: str) -> tuple[str, ...]:
    """Return the keys that may follow the colon of a unit in a parameter of a command."""
    if command == "charge":
        return COMBATANT_KEYS.allowed
    return {
        "attacker": ATTACKER_KEYS.allowed,
        "attackers": ATTACKER_KEYS.allowed + TARGET_KEYS.allowed,
        "target": TARGET_KEYS.allowed,
        "a": DUELLIST_KEYS.allowed,
        "b": DUELLIST_KEYS.allowed,
    }.get(parameter, ())


def parse_unit(text: str, where: str, allowed: AllowedKeys) -> dict[str, Any]:
    """Return the section of a unit from a selector with keys after a colon; in a duel, keys of a charge are nested."""
    selector, keys = _parse_selector_and_keys(text, where, allowed)
    section: dict[str, Any] = {"unit": selector}
    for key, value in keys.items():
        if key in Charge.model_fields and allowed is DUELLIST_KEYS:
            section.setdefault("charge", {})[key] = value
        else:
            section[key] = {"unit": value} if key == "passengers" else value
    return section


def parse_attack(text: str, where: str, allowed: AllowedKeys) -> dict[str, Any]:
    """Return an entry of ``[[attacks]]`` from a selector with keys, bonuses and penalties after a colon."""
    selector, keys = _parse_selector_and_keys(text, where, allowed)
    attack: dict[str, Any] = {"attacker": selector}
    for key, value in keys.items():
        if key not in LIST_OF or (value is not True and key not in FLAGS):
            attack[key] = value
        elif value is True:
            add_entry(attack, LIST_OF[key], key)
        else:
            raise InputError(f"{value!r} is not usable", where=f"{where}.{key}", allowed="the word alone")
    return attack


def add_entry(section: dict[str, Any], key: str, entry: str) -> None:
    """Add an entry to the list of a key; the scenario rejects a value that is not a list."""
    entries = section.setdefault(key, [])
    if isinstance(entries, list) and entry not in entries:
        entries.append(entry)


def _parse_selector_and_keys(text: str, where: str, allowed: AllowedKeys) -> tuple[str, dict[str, Any]]:
    selector, _, rest = text.partition(":")
    keys: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in _COMMA_BETWEEN_KEYS.split(rest))):
        name, equals, value = (word.strip() for word in part.partition("="))
        key = name.replace("-", "_")
        allowed.check(key, where)
        if key in keys:
            raise InputError(f"{key} is given twice", where=where, allowed="each key once")
        if not equals and (example := _example_for(key)):
            raise InputError(f"{key} needs a value", where=f"{where}.{key}", allowed=f"such as {key}={example}")
        if equals and not value.endswith(closing := {"[": "]", "{": "}"}.get(value[:1], "")):
            raise InputError(f"{value!r} has no closing bracket", where=f"{where}.{key}", allowed=f"{value}{closing}")
        keys[key] = options.parse_value(value, f"{where}.{key}") if equals else True
    return selector, keys


def _example_for(key: str) -> str:
    """Return an example value for a key; empty for a flag."""
    field = {**Attack.model_fields, **Combatant.model_fields}.get(key)
    kind = None if field is None or key in LIST_OF else options.plain_type(field.annotation)
    if get_origin(kind) is Literal:
        return str(get_args(kind)[0])
    if get_origin(kind) is tuple:
        return "[...]"
    return {None: "", bool: "", int: "4", float: "6"}.get(kind, "...")


def _flags(key: str, entries: Mapping[Any, str]) -> list[KeyOption]:
    """Return a flag for each possible entry of a list of an attack."""
    field, names = Attack.model_fields[key], {"suppressed": "suppressed-attacker"}  # --suppressed means the target
    return [
        KeyOption(names.get(entry, entry), ("attack", key), field, key.capitalize(), text, entry=entry)
        for entry, text in entries.items()
        if entry != "opportunity_fire"
    ]


ATTACK_OPTIONS = [
    *key_options(Attack, "attack", "Attack"),
    *_flags("bonuses", BONUSES),
    *_flags("penalties", PENALTIES),
    *key_options(Target, "target", "Target"),
]
_SECONDARY = "Another unit of the target's side in contact. Can be repeated."
_UNTIL = f"Show the number of attacks until the target has FATE with probability P: {', '.join(TARGET_FATES)}."


def with_options(raw: dict[str, Any], *, attacks: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Return a raw scenario with the keys stated as options of the running command.

    A key in `attacks` overrides the option. In other sections two different values raise InputError.
    """
    for option, value in options.key_values():
        section, key = option.path
        in_attacks = section == "attack" and bool(attacks)
        for part in attacks if in_attacks else [raw[section]]:
            if option.entry:
                add_entry(part, key, option.entry)
            elif (stated := part.setdefault(key, value)) is not value and stated != value and not in_attacks:
                problem = f"{stated} after the colon, {value} by {option.opts[0]}"
                raise InputError(problem, where=f"{section}.{key}", allowed="one of the two")
    return raw


def raw_attack_scenario(attacker: str, target: str) -> dict[str, Any]:
    """Return the raw scenario of an attack between two selectors, with the options of the running command."""
    shooter = parse_attack(attacker, "attack", ATTACKER_KEYS)
    return with_options({"attack": shooter, "target": parse_unit(target, "target", TARGET_KEYS)})


def parse_attacks(attackers: Sequence[str]) -> list[dict[str, Any]]:
    """Return the ``[[attacks]]`` of several selectors, in order."""
    return [parse_attack(attacker, f"attacks.{place}", FOCUS_ATTACKER_KEYS) for place, attacker in enumerate(attackers)]


@command(
    "ATTACKERS... TARGET",
    *ATTACK_OPTIONS,
    Option("--until P FATE", _UNTIL, "Attack", type=(float, Choice(TARGET_FATES))),
    *FIGHT_OPTIONS,
    brief=("--row",),
    examples=(
        "crown/rifle-platoon@reinforced scion-grenadier-p@basic --distance 6 --aiming",
        "crown/rifle-p@basic:aiming crown/sharp-rifles@basic scion-grenadier-p@basic:models=4 --until 0.8 broken",
    ),
)
def attack(attackers: tuple[str, ...], target: str, until: tuple[float, str] | None = None, **method: Any) -> None:
    """Compute ranged attacks of ATTACKERS on TARGET, in the order given.

    Name a unit by faction, unit and level: crown/rifle-platoon@reinforced. Add conditions after a colon:
    crown/rifle-p@basic:aiming,distance=6 for an attacker, scion-grenadier-p@basic:garrisoned,models=4 for the target
    (all keys: docs/keys.md). Options apply to every attack that does not state its own value.
    """
    if len(attackers) == 1 and until is None:
        answer("attack", raw_attack_scenario(attackers[0], target), **method)
        return
    attacks = parse_attacks(attackers)
    raw = {"attacks": attacks, "target": parse_unit(target, "target", TARGET_KEYS)}
    answer("focus", with_options(raw, attacks=attacks), until=until, **method)


@command(
    "ATTACKER TARGET",
    *key_options(ChargeTerms, "charge", "Charge"),
    Option("--secondary UNIT", _SECONDARY, "Charge", multiple=True),
    *FIGHT_OPTIONS,
    examples=(
        "crown/rifle-platoon@basic scion-grenadier-p@basic:garrisoned",
        "crown/horse-guard@basic scion-grenadier-p@basic --distance 8 --outflanking --method both",
    ),
)
def charge(attacker: str, target: str, secondary: tuple[str, ...] = (), **method: Any) -> None:
    """Compute a charge of ATTACKER at TARGET: the winner, and the losses and fate of both sides.

    Name a unit by faction, unit and level: crown/rifle-platoon@basic. Add conditions after a colon:
    crown/rifle-p@basic:suppressed,models=4 (all keys: docs/keys.md).
    """
    texts = {"attacker": attacker, "target": target}
    sides = {side: parse_unit(text, side, COMBATANT_KEYS) for side, text in texts.items()}
    others = [parse_unit(unit, f"secondary.{place}", SECONDARY_KEYS) for place, unit in enumerate(secondary)]
    answer("charge", with_options({"charge": {}, **sides, "secondary": others}), **method)


_DESCRIPTIONS = {name: about.description for name, about in POLICIES.items()}
_DESCRIPTIONS |= {
    BEST: "best play in every situation",
    "in words": 'such as "charge if it is suppressed, else aim and shoot"',
}
_POLICIES, _WANTS = ([f"  {name:<12}{meaning}" for name, meaning in texts.items()] for texts in (_DESCRIPTIONS, WANTS))
WANT_NOTES = "\n".join(["\b", "Objectives of a side that plays the policy best (--want):", *_WANTS])
DUEL_NOTES = "\n".join(["\b", "Policies:", *_POLICIES, "", WANT_NOTES])
"""Text below the options of a duel."""


@command(
    "A B",
    *key_options(DuelTerms, "duel", "Duel"),
    *FIGHT_OPTIONS,
    examples=(
        "crown/rifle-p@basic scion-grenadier-p@basic --policy-b lookout",
        "crown/rifle-p@basic:models=4 scion-grenadier-p@basic --policy-a best --distance 18",
    ),
    notes=DUEL_NOTES,
)
def duel(a: str, b: str, **method: Any) -> None:
    """Compute a fight of A and B over several rounds; each follows a policy (--help-all lists the policies).

    Name a unit by faction, unit and level: crown/rifle-platoon@basic. Add conditions after a colon:
    crown/rifle-p@basic:suppressed,row=ranged-light (all keys: docs/keys.md).
    """
    sides = {side: parse_unit(text, side, DUELLIST_KEYS) for side, text in (("a", a), ("b", b))}
    answer("duel", with_options({"duel": {}, **sides}), **method)


QUESTION = "Question"  # heading in the help
METHOD_OPTIONS = options.method("Monte Carlo: number of trials of each fight.")
CONDITIONS = [
    *ATTACK_OPTIONS,
    *key_options(Charge, "charge", "Charge, with --kind charge"),
    *(key for key in key_options(DuelTerms, "duel", "Duel, with --kind duel") if key.path[-1] != "distance"),
]
KIND = Option("--kind", "Kind of fight. Default: attack.", QUESTION, type=Choice(TWO_UNIT_KINDS))


def target_and_conditions(target: str, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the section of a target, and the keys of a question of this kind that are stated as options."""
    conditions = conditions_of(kind)
    if kind == "attack":
        raw = raw_attack_scenario("", target)
        return raw["target"], {key: value for key, value in raw["attack"].items() if key != "attacker"}
    return parse_unit(target, "target", DUELLIST_KEYS if kind == "duel" else COMBATANT_KEYS), conditions


def conditions_of(kind: str) -> dict[str, Any]:
    """Return the keys of a charge or a duel that are stated as options; InputError for a key of another kind."""
    conditions = dict[str, Any]()
    for option, value in options.key_values():
        section, key = option.path
        if section in ("attack", "target") and kind == "attack":
            continue  # read with the units
        if section == kind or (kind != "attack" and option.path == ("attack", "distance")):
            conditions[key] = value
        else:
            by_kind = f"with --kind {section}" if section in ("charge", "duel") else ""
            problem, allowed = f"{with_article(kind)} has no such option", by_kind or "keys after the colon of a unit"
            raise InputError(problem, where=option.opts[0], allowed=allowed)
    return conditions


def question_from(first: str, second: str | None, kind: str) -> tuple[Any, dict[str, Any]]:
    """Return a question (a file, a scenario or only its first unit) and the arguments that complete it."""
    if second is None:
        if stated := [option.opts[0] for option, _ in options.key_values()]:
            raise InputError("state this in the file, not as an option", where=stated[0], allowed="with a TARGET")
        return first, {}
    if kind == "attack":
        conditions_of(kind)
        return raw_attack_scenario(first, second), {}
    allowed = DUELLIST_KEYS if kind == "duel" else COMBATANT_KEYS
    unit = parse_unit(first, "a" if kind == "duel" else "attacker", allowed)
    section, conditions = target_and_conditions(second, kind)
    return unit, {"target": section, "kind": kind, **conditions}
