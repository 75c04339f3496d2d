"""Commands for fights, and conditions after a selector, such as ``crown/rifle-platoon@basic:models=4``.

Other commands for two units use the same options.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from analyser.cli import options
from analyser.cli.answer import answer, collect_answers
from analyser.cli.command_base import command
from analyser.cli.messages import note
from analyser.cli.option_base import Choice, Option, parse_value
from analyser.cli.options import FIGHT_OPTIONS, KeyOption, key_options
from analyser.common.errors import InputError, allowed_names, check_integer, did_you_mean, nearest
from analyser.common.files import is_there, parsed_toml, read_toml
from analyser.common.text import with_article
from analyser.engine.fight.program import MOST_STRIKES
from analyser.game.names import number_and_selector
from analyser.rules.policies import BEST, POLICIES
from analyser.scenarios import schema

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


def parse_unit(text: str, where: str, allowed: AllowedKeys) -> dict[str, Any]:
    """Return a unit's section from a selector with keys after a colon; in a duel, keys of charges go to `charge`."""
    selector, keys = _parse_selector_and_keys(text, where, allowed)
    section: dict[str, Any] = {"unit": selector}
    for key, value in keys.items():
        if key in schema.Charge.model_fields and allowed is DUELLIST_KEYS:
            section.setdefault("charge", {})[key] = value
        else:
            section[key] = {"unit": value} if key == "passengers" else value
    return section


def parse_attack(text: str, where: str, allowed: AllowedKeys) -> dict[str, Any]:
    """Return an entry of ``[[attacks]]`` from a selector with keys, bonuses and penalties after a colon."""
    selector, keys = _parse_selector_and_keys(text, where, allowed)
    attack: dict[str, Any] = {"attacker": selector}
    for key, value in keys.items():
        if key not in schema.LIST_OF or (value is not True and key not in schema.FLAGS):
            attack[key] = value
        elif value is True:
            add_entry(attack, schema.LIST_OF[key], key)
        else:
            raise InputError(f"{value!r} is not usable", where=f"{where}.{key}", allowed="the word alone")
    return attack


def add_entry(section: dict[str, Any], key: str, entry: str) -> None:
    """Add an entry to the list of a key; the scenario later rejects a value of the key that is not a list."""
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
        if not equals and not _is_flag(key):
            raise InputError(f"{key} needs a value", where=f"{where}.{key}", allowed=f"{key}=VALUE")
        if equals and not value.endswith(closing := {"[": "]", "{": "}"}.get(value[:1], "")):
            raise InputError(f"{value!r} has no closing bracket", where=f"{where}.{key}", allowed=f"{value}{closing}")
        keys[key] = parse_value(value, f"{where}.{key}") if equals else True
    return selector, keys


def _is_flag(key: str) -> bool:
    field = {**schema.Attack.model_fields, **schema.Combatant.model_fields}.get(key)
    return key in schema.LIST_OF or field is None or options.plain_type(field.annotation) is bool


def _flags(key: str, entries: Mapping[Any, str]) -> list[KeyOption]:
    """Return an option for each bonus or penalty, except opportunity fire, which has one already."""
    names = {"suppressed": "suppressed-attacker"}  # --suppressed already means the target
    path, field, group = ("attack", key), schema.Attack.model_fields[key], key.capitalize()
    return [
        KeyOption(names.get(entry, entry), path, field, group, text, entry=entry)
        for entry, text in entries.items()
        if entry != "opportunity_fire"
    ]


ATTACK_OPTIONS = [
    *key_options(schema.Attack, "attack", "Attack"),
    *_flags("bonuses", schema.BONUSES),
    *_flags("penalties", schema.PENALTIES),
    *key_options(schema.Target, "target", "Target"),
]
_UNTIL = f"Show the number of attacks until the target has FATE with probability P: {', '.join(schema.TARGET_FATES)}."


def with_options(raw: dict[str, Any], *, attacks: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Return a raw scenario with the keys stated as options of the running command.

    A key of an attack in `attacks` overrides the option. Elsewhere a key and an option with different values raise
    InputError, as does an option for another kind of fight.
    """
    kind = next((kind for kind in schema.TWO_UNIT_KINDS if kind in raw), "attack")
    sections = {kind: attacks or [raw[kind]]} | ({"target": [raw["target"]]} if kind == "attack" else {})
    for option, value in options.key_values():
        section, key = option.path
        if key == "distance":  # one option for all kinds of fight
            section = kind
        if section not in sections:
            by_kind = f"with --kind {section}" if section in schema.TWO_UNIT_KINDS[1:] else ""
            problem, allowed = f"{with_article(kind)} has no such option", by_kind or "keys after the colon of a unit"
            raise InputError(problem, where=option.opts[0], allowed=allowed)
        is_overridden = bool(attacks) and section == "attack"
        for part in sections[section]:
            if option.entry:
                add_entry(part, key, option.entry)
            elif (stated := part.setdefault(key, value)) is not value and stated != value and not is_overridden:
                problem = f"{stated} after the colon, {value} by {option.opts[0]}"
                raise InputError(problem, where=f"{section}.{key}", allowed="one of the two")
    return raw


def raw_scenario(kind: str, first: str, second: str, secondary: Sequence[str] = ()) -> dict[str, Any]:
    """Return the raw scenario of a fight between two selectors, with the options of the running command."""
    if kind == "attack":
        shooter = parse_attack(first, "attack", ATTACKER_KEYS)
        return with_options({"attack": shooter, "target": parse_unit(second, "target", TARGET_KEYS)})
    names, allowed = (("a", "b"), DUELLIST_KEYS) if kind == "duel" else (("attacker", "target"), COMBATANT_KEYS)
    raw: dict[str, Any] = {kind: {}}
    raw |= {name: parse_unit(text, name, allowed) for name, text in zip(names, (first, second))}
    if secondary:
        units = enumerate(secondary)
        raw["secondary"] = [parse_unit(text, f"secondary.{place}", SECONDARY_KEYS) for place, text in units]
    return with_options(raw)


def attacking_units(attackers: Sequence[str]) -> list[str]:
    """Return the units that attack, in order.

    >>> attacking_units(["2 x crown/rifle-p@basic", "crown/sharp-rifles@basic:aiming"])
    ['crown/rifle-p@basic', 'crown/rifle-p@basic', 'crown/sharp-rifles@basic:aiming']
    """
    units = list[str]()
    for number, unit in map(number_and_selector, attackers):
        check_integer(number, "attackers", 1, MOST_STRIKES)
        units += [unit] * number
    return units


def parse_attacks(attackers: Sequence[str]) -> list[dict[str, Any]]:
    """Return the ``[[attacks]]`` of several selectors, in order."""
    return [
        parse_attack(attacker, f"attacks.{place}", FOCUS_ATTACKER_KEYS)
        for place, attacker in enumerate(attacking_units(attackers))
    ]


@command(
    "ATTACKERS... TARGET",
    *ATTACK_OPTIONS,
    Option("--until P FATE", _UNTIL, "Attack", type=(float, Choice(schema.TARGET_FATES))),
    *FIGHT_OPTIONS,
    brief=("--row",),
    examples=(
        "crown/rifle-platoon@reinforced scion-grenadier-p@basic --distance 6 --aiming",
        "crown/rifle-p@basic:aiming crown/sharp-rifles@basic scion-grenadier-p@basic:models=4 --until 0.8 broken",
    ),
)
def attack(attackers: tuple[str, ...], target: str, until: tuple[float, str] | None = None, **method: Any) -> None:
    """Compute ranged attacks of ATTACKERS on TARGET, in the order given; '3 x UNIT' attacks three times.

    Name a unit by faction, unit and level: crown/rifle-platoon@reinforced. Add conditions after a colon:
    crown/rifle-p@basic:aiming,distance=6 for an attacker, scion-grenadier-p@basic:garrisoned,models=4 for the target
    (all keys: docs/keys.md). Options apply to every attack that does not state its own value.
    """
    units = attacking_units(attackers)
    if len(units) == 1 and until is None:
        answer("attack", raw_scenario("attack", units[0], target), **method)
        return
    attacks = parse_attacks(attackers)
    raw = {"attacks": attacks, "target": parse_unit(target, "target", TARGET_KEYS)}
    answer("focus", with_options(raw, attacks=attacks), until=until, **method)


@command(
    "ATTACKER TARGET",
    *key_options(schema.ChargeTerms, "charge", "Charge"),
    Option("--secondary UNIT", "Another unit of the target's side in contact.", "Charge", multiple=True),
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
    answer("charge", raw_scenario("charge", attacker, target, secondary), **method)


_DESCRIPTIONS = {name: about.description for name, about in POLICIES.items()}
_DESCRIPTIONS |= {
    BEST: "best play in every situation",
    "in words": 'such as "charge if it is suppressed, else aim and shoot"',
}
_POLICIES, _WANTS = (
    [f"  {name:<12}{meaning}" for name, meaning in texts.items()] for texts in (_DESCRIPTIONS, schema.WANTS)
)
WANT_NOTES = "\n".join(["\b", "Objectives of a side that plays `best` (--want):", *_WANTS])
DUEL_NOTES = "\n".join(["\b", "Policies:", *_POLICIES, "", WANT_NOTES])
"""Text below the options of a duel."""


@command(
    "A B",
    *key_options(schema.DuelTerms, "duel", "Duel"),
    *FIGHT_OPTIONS,
    examples=(
        "crown/rifle-p@basic scion-grenadier-p@basic --policy-b lookout",
        "crown/rifle-p@basic:models=4 scion-grenadier-p@basic --policy-a best --distance 18",
    ),
    notes=DUEL_NOTES,
)
def duel(a: str, b: str, **method: Any) -> None:
    """Compute a fight of A and B over several rounds; each follows a policy.

    --help-all lists the policies, and the objectives of --want.

    Name a unit by faction, unit and level: crown/rifle-platoon@basic. Add conditions after a colon:
    crown/rifle-p@basic:suppressed,row=ranged-light (all keys: docs/keys.md).
    """
    answer("duel", raw_scenario("duel", a, b), **method)


QUESTION = "Question"  # heading in the help
METHOD_OPTIONS = options.method("Monte Carlo: number of trials of each fight.")
CONDITIONS = [
    *ATTACK_OPTIONS,
    *key_options(schema.Charge, "charge", "Charge, with --kind charge"),
    *(key for key in key_options(schema.DuelTerms, "duel", "Duel, with --kind duel") if key.path[-1] != "distance"),
]
KIND = Option("--kind", "Kind of fight. Default: attack.", QUESTION, choices=schema.TWO_UNIT_KINDS)


def target_and_conditions(target: str, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the section of a target, and the keys of a question of this kind that are stated as options."""
    raw = raw_scenario(kind, "", target)
    conditions = {key: value for key, value in raw[kind].items() if key != "attacker"}
    return raw["b" if kind == "duel" else "target"], conditions


def question_from(first: str, second: str | None, kind: str) -> Any:
    """Return the scenario of a fight between two units; without the second, `first` is a file and is returned."""
    if second is not None:
        return raw_scenario(kind, first, second)
    if stated := [option.opts[0] for option, _ in options.key_values()]:
        raise InputError("state this in the file, not as an option", where=stated[0], allowed="with a TARGET")
    return first


STANDARD_INPUT = "-"


@command(
    "SCENARIO.toml...",
    *options.method("Monte Carlo: number of trials.", options.METHODS),
    *(*options.output(".html"), options.REPLACEMENT),
    examples=("fight.toml --method both", "fights/*.toml --format csv --out fights.csv"),
)
def run(scenario: tuple[str, ...], **method: Any) -> None:
    """Answer each scenario file: an attack, a charge, focus fire, a duel, a battle, or a question of morale.

    A dash reads standard input. --out FILE.html writes a battle as a page. Several files give one answer: in JSON a
    list, in CSV one table. If a file has an error, the others are still answered, and the exit status is 2.
    """
    if len(scenario) == 1:
        _run(scenario[0], method)
        return
    plot = click.get_current_context().params["plot"]
    if plot is not None or options.is_page():
        where = "--out" if plot is None else "--plot"
        raise InputError("only a single file can have a picture or a page", where=where, allowed="one file")
    errors = []
    with collect_answers() as add_name:
        for file in scenario:
            try:
                _run(file, method)
                add_name(file)
            except InputError as error:
                errors.append(error.inside("" if str(file) in str(error) else file))
                note(str(errors[-1]), "warning")
    if errors:
        raise InputError(f"{len(errors)} of {len(scenario)} files have no answer")


def _run(file: str, method: dict[str, Any]) -> None:
    from analyser.cli.battle import run_battle
    from analyser.cli.morale import answer_morale
    from analyser.morale.systems import system_of
    from analyser.scenarios.load import kind_of, read_scenario

    source: Any = parsed_toml(sys.stdin.read(), "standard input") if file == STANDARD_INPUT else file
    if is_there(Path(file)) and Path(file).is_fifo():  # a pipe can be read only once
        source = read_toml(Path(file))
    raw = read_scenario(source)[0]
    system = system_of(raw)
    kind = "" if system is not None else kind_of(raw)
    params = click.get_current_context().params
    if kind == "battle":
        run_battle(source, **method)
        return
    if params["form"] == "text" and options.is_page():
        raise InputError("only a battle has a page", where=params["out"], allowed=".txt, .md, .json, .csv, .parquet")
    if system is not None:
        answer_morale(system, source, **method)
    else:
        answer(kind, source, **method)
