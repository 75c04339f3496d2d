"""Commands for fights, and conditions after a selector: ``crown/rifle-platoon@basic:models=4``.

Commands that vary or retell a question between two units take the same options from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from analyser.cli import options
from analyser.cli.answer import answer
from analyser.cli.command_base import Choice, command
from analyser.cli.options import (
    AT_LEAST_1,
    FIGHT_OPTIONS,
    METHOD,
    KeyOption,
    Option,
    complete_selector,
    keys_of,
)
from analyser.common.errors import InputError, allowed_names, did_you_mean, nearest
from analyser.common.text import with_article
from analyser.rules.policies import BEST, POLICIES
from analyser.scenarios.schema import (
    BETWEEN_TWO,
    BONUSES,
    CIRCUMSTANCES,
    FLAGS,
    LIST_OF,
    PENALTIES,
    TARGET_FATES,
    WANTS,
    Attack,
    Charge,
    Combatant,
    DuelTerms,
    Target,
)

if TYPE_CHECKING:
    from analyser.common.validation import Record


_BETWEEN_KEYS = re.compile(r",(?![^\[{]*[\]}])")  # a comma outside lists and tables
_NO_WORDS = ("unit", "attacker", "charge", "rows", "kind")  # fields that are no words here


class Words(NamedTuple):
    """Words allowed after a colon; `elsewhere`: words allowed in other places, with those places."""

    allowed: tuple[str, ...]
    elsewhere: Mapping[str, str]

    def check(self, key: str, where: str) -> None:
        """Raise InputError for a word that is not allowed; the message has its right place, or the nearest word."""
        if key in self.allowed:
            return
        if key in self.elsewhere:
            raise InputError(f"{key!r} is not allowed here", where=f"{where}.{key}", allowed=self.elsewhere[key])
        close = nearest(key, (*self.allowed, *self.elsewhere), most=1)
        here = not close or close[0] in self.allowed
        allowed = allowed_names(self.allowed, key, "docs/keys.md") if here else self.elsewhere[close[0]]
        raise InputError(f"unknown key{did_you_mean(key, close)}", where=f"{where}.{key}", allowed=allowed)

    def complete(self, context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the selectors with a prefix or, after a colon, the keys."""
        if ":" not in incomplete:
            return complete_selector(context, parameter, incomplete)
        before, last = re.fullmatch(r"(.*[:,])([^:,]*)", incomplete).groups()  # type: ignore[union-attr]
        return [CompletionItem(f"{before}{key}") for key in self.allowed if key.startswith(last)]


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
_RANGED = dict.fromkeys(_words(Attack, LIST_OF), "for attack, after the attacker's colon")
_CLOSE = dict.fromkeys(_words(Combatant), "for charge and duel")
_OF_A_DUEL = {"policy": _POLICY} | dict.fromkeys(("aiming", "short_range"), f"a matter of policy, {_POLICY}")

OF_ATTACKER = Words(_words(Attack, LIST_OF), _OF_TARGET)
OF_ONE_OF_ATTACKERS = Words(_words(Attack, (*LIST_OF, *CIRCUMSTANCES)), _OF_TARGET)
OF_TARGET = Words(_words(Target), _CLOSE | dict.fromkeys(OF_ATTACKER.allowed, "after its attacker's colon"))
OF_COMBATANT = Words(_words(Combatant), _RANGED | _options(Charge))
OF_ATTACKER_OR_TARGET = Words((*OF_ATTACKER.allowed, *OF_TARGET.allowed), {})  # used by shell completion
OF_SECONDARY = Words(_words(Combatant, ["threatened"]), OF_COMBATANT.elsewhere)
OF_DUELLIST = Words(_words(Combatant, Charge.model_fields), _RANGED | _options(DuelTerms) | _OF_A_DUEL)


def unit_from(text: str, where: str, words: Words) -> dict[str, Any]:
    """Read the section of a unit: a selector, and its keys after a colon; keys of a charge form an inner table."""
    selector, keys = _selector_and_keys(text, where, words)
    section: dict[str, Any] = {"unit": selector}
    for key, value in keys.items():
        if key in Charge.model_fields and words is OF_DUELLIST:
            section.setdefault("charge", {})[key] = value
        else:
            section[key] = {"unit": value} if key == "passengers" else value
    return section


def attack_from(text: str, where: str, words: Words) -> dict[str, Any]:
    """Read one of the ``[[attacks]]``: a selector, and its keys, bonuses and penalties after a colon."""
    selector, keys = _selector_and_keys(text, where, words)
    attack: dict[str, Any] = {"attacker": selector}
    for key, value in keys.items():
        if key not in LIST_OF or (value is not True and key not in FLAGS):
            attack[key] = value
        elif value is True:
            add_mark(attack, LIST_OF[key], key)
        else:
            raise InputError(f"{value!r} is not usable", where=f"{where}.{key}", allowed="the word alone")
    return attack


def add_mark(section: dict[str, Any], key: str, mark: str) -> None:
    """Add an entry to a list of a section; another value is left for the scenario to reject."""
    marks = section.setdefault(key, [])
    if isinstance(marks, list) and mark not in marks:
        marks.append(mark)


def _selector_and_keys(text: str, where: str, words: Words) -> tuple[str, dict[str, Any]]:
    selector, _, rest = text.partition(":")
    keys: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in _BETWEEN_KEYS.split(rest))):
        name, equals, value = (word.strip() for word in part.partition("="))
        key = name.replace("-", "_")
        words.check(key, where)
        if key in keys:
            raise InputError(f"{key} is given twice", where=where, allowed="each key once")
        if not equals and (example := _example_for(key)):
            raise InputError(f"{key} needs a value", where=f"{where}.{key}", allowed=f"such as {key}={example}")
        if equals and not value.endswith(closing := {"[": "]", "{": "}"}.get(value[:1], "")):
            raise InputError(f"{value!r} has no closing bracket", where=f"{where}.{key}", allowed=f"{value}{closing}")
        keys[key] = options.value_of(value, f"{where}.{key}") if equals else True
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


def _marks(key: str, marks: Mapping[Any, str]) -> list[KeyOption]:
    """Return a flag for each possible entry of a list of an attack."""
    field, names = Attack.model_fields[key], {"suppressed": "suppressed-attacker"}  # --suppressed means the target
    return [
        KeyOption(names.get(mark, mark), ("attack", key), field, key.capitalize(), text, member=mark)
        for mark, text in marks.items()
        if mark != "opportunity_fire"
    ]


ATTACK_OPTIONS = [
    *keys_of(Attack, "attack", "Attack"),
    *_marks("bonuses", BONUSES),
    *_marks("penalties", PENALTIES),
    *keys_of(Target, "target", "Target"),
]
CHARGE_OPTIONS = [
    *keys_of(Charge, "charge", "Charge"),
    Option("--secondary UNIT", "Another unit of the target's side in contact.", "Charge", multiple=True),
    *FIGHT_OPTIONS,
]
_UNTIL = f"After how many attacks FATE has probability P, such as 0.8 broken. Fates: {', '.join(TARGET_FATES)}."


def with_options(raw: dict[str, Any], *, attacks: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Return a raw scenario with the keys given as options of the running command.

    A key stated by one of several `attacks` overrides the option. Elsewhere two different values raise InputError.
    """
    for option, value in options.given_keys():
        section, key = option.path
        each_holds = section == "attack" and bool(attacks)
        for part in attacks if each_holds else [raw[section]]:
            if option.member:
                add_mark(part, key, option.member)
            elif (held := part.setdefault(key, value)) is not value and held != value and not each_holds:
                problem = f"{held} after the colon, {value} by {option.opts[0]}"
                raise InputError(problem, where=f"{section}.{key}", allowed="one of the two")
    return raw


def attack_scenario(attacker: str, target: str) -> dict[str, Any]:
    """Return the raw scenario of an attack between two selectors, with the options of the running command."""
    shooter = attack_from(attacker, "attack", OF_ATTACKER)
    return with_options({"attack": shooter, "target": unit_from(target, "target", OF_TARGET)})


def several_attacks(attackers: Sequence[str]) -> list[dict[str, Any]]:
    """Return the ``[[attacks]]`` of several selectors, in order."""
    return [attack_from(attacker, f"attacks.{place}", OF_ONE_OF_ATTACKERS) for place, attacker in enumerate(attackers)]


@command(
    *ATTACK_OPTIONS,
    Option("--until P FATE", _UNTIL, "Attack", type=(float, Choice(TARGET_FATES))),
    *FIGHT_OPTIONS,
    often=("--row",),
    examples=(
        "crown/rifle-platoon@reinforced scion-grenadier-p@basic --distance 6 --aiming",
        "crown/rifle-p@basic:aiming crown/sharp-rifles@basic scion-grenadier-p@basic:models=4 --until 0.8 broken",
    ),
)
@click.argument("attackers", nargs=-1, required=True, shell_complete=OF_ATTACKER_OR_TARGET.complete)
@click.argument("target", shell_complete=OF_TARGET.complete)
def attack(attackers: tuple[str, ...], target: str, until: tuple[float, str] | None, **_: Any) -> None:
    """Compute ranged attacks of ATTACKERS on TARGET, in the order given.

    Units are selectors such as crown/rifle-platoon@reinforced. Add conditions after a colon:
    crown/rifle-platoon@basic:aiming,distance=6 (the keys of [attack]), scion-grenadier-p@basic:garrisoned,models=4
    (those of [target]). Options apply to every attack that does not state its own value.
    """
    if len(attackers) == 1 and until is None:
        answer("attack", attack_scenario(attackers[0], target))
        return
    attacks = several_attacks(attackers)
    raw = {"attacks": attacks, "target": unit_from(target, "target", OF_TARGET)}
    answer("focus", with_options(raw, attacks=attacks), until=until)


@command(
    *CHARGE_OPTIONS,
    examples=(
        "crown/rifle-platoon@basic scion-grenadier-p@basic:garrisoned",
        "crown/horse-guard@basic scion-grenadier-p@basic --outflanking --method both",
    ),
)
@click.argument("attacker", shell_complete=OF_COMBATANT.complete)
@click.argument("target", shell_complete=OF_COMBATANT.complete)
def charge(attacker: str, target: str, secondary: tuple[str, ...], **_: Any) -> None:
    """Compute a charge of ATTACKER at TARGET: the winner, and the losses and fate of both sides.

    Both are selectors. Add conditions after a colon: crown/rifle-platoon@basic:suppressed,close-quarters-row=melee
    (all keys: docs/keys.md).
    """
    sides = {side: unit_from(text, side, OF_COMBATANT) for side, text in (("attacker", attacker), ("target", target))}
    others = [unit_from(unit, f"secondary.{place}", OF_SECONDARY) for place, unit in enumerate(secondary)]
    answer("charge", with_options({"charge": {}, **sides, "secondary": others}))


_DESCRIPTIONS = {name: about.description for name, about in POLICIES.items()}
_DESCRIPTIONS |= {
    BEST: "best play, state by state",
    "in words": 'such as "charge if it is suppressed, else aim and shoot"',
}
_POLICIES, _WANTS = ([f"  {name:<12}{meaning}" for name, meaning in texts.items()] for texts in (_DESCRIPTIONS, WANTS))
OF_WANTS = "\n".join(["\b", "Objectives of a side with the policy best:", *_WANTS])
OF_DUELS = "\n".join(["\b", "Policies:", *_POLICIES, "", OF_WANTS])
"""Text below the options of a duel."""


@command(
    *keys_of(DuelTerms, "duel", "Duel"),
    *FIGHT_OPTIONS,
    examples=(
        "crown/rifle-p@basic scion-grenadier-p@basic --policy-b lookout",
        "crown/rifle-p@basic:models=4 scion-grenadier-p@basic --policy-a best --distance 18",
    ),
    notes=OF_DUELS,
)
@click.argument("a", shell_complete=OF_DUELLIST.complete)
@click.argument("b", shell_complete=OF_DUELLIST.complete)
def duel(a: str, b: str, **_: Any) -> None:
    """Compute a fight of A and B over several rounds; each follows a policy (--help-all lists them).

    Both are selectors. Add conditions after a colon: crown/rifle-platoon@basic:suppressed,row=ranged-light (all keys,
    also those of a charge: docs/keys.md).
    """
    sides = {side: unit_from(text, side, OF_DUELLIST) for side, text in (("a", a), ("b", b))}
    answer("duel", with_options({"duel": {}, **sides}))


QUESTION = "Question"
SAMPLING = ("method", "trials", "seed", "precision", "threads", "all_at_once")
METHODS = [
    Option("--method", "Method. Default: exact.", METHOD, type=Choice(options.METHODS[:2]), default="exact"),
    Option("--trials N", "Monte Carlo: number of trials of each fight.", METHOD, type=AT_LEAST_1),
    *options.SAMPLE_OPTIONS,
]
CONDITIONS = [
    *ATTACK_OPTIONS,
    *keys_of(Charge, "charge", "Charge, with --kind charge"),
    *(key for key in keys_of(DuelTerms, "duel", "Duel, with --kind duel") if key.path[-1] != "distance"),
]
KIND = Option("--kind", "The fight. Default: attack.", QUESTION, type=Choice(BETWEEN_TWO), default="attack")


def target_and_conditions(target: str, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the section of a target, and the keys of a question of a kind that were given as options."""
    conditions = conditions_of(kind)
    if kind == "attack":
        raw = attack_scenario("", target)
        return raw["target"], {key: value for key, value in raw["attack"].items() if key != "attacker"}
    return unit_from(target, "target", OF_DUELLIST if kind == "duel" else OF_COMBATANT), conditions


def conditions_of(kind: str) -> dict[str, Any]:
    """Return the keys of a charge or a duel that were given as options; InputError for a key of another kind."""
    conditions = dict[str, Any]()
    for option, value in options.given_keys():
        section, key = option.path
        if section in ("attack", "target") and kind == "attack":
            continue  # read with the units
        if section == kind or (kind == "duel" and option.path == ("attack", "distance")):
            conditions[key] = value
        elif section in ("charge", "duel"):
            raise InputError(
                f"not of {with_article(kind)}",
                where=option.opts[0],
                allowed=f"with --kind {section}",
            )
        else:
            raise InputError(f"not of a {kind}", where=option.opts[0], allowed="keys after the colon of a unit")
    return conditions


def question_from(first: str, second: str | None, kind: str) -> tuple[Any, dict[str, Any]]:
    """Return a whole question, or its first unit, with the other arguments; without `second`, `first` is a file."""
    if second is None:
        if stated := [option.opts[0] for option, _ in options.given_keys()]:
            raise InputError("the file says that itself", where=stated[0], allowed="with a TARGET")
        return first, {}
    if kind == "attack":
        conditions_of(kind)
        return attack_scenario(first, second), {}
    words = OF_DUELLIST if kind == "duel" else OF_COMBATANT
    unit = unit_from(first, "a" if kind == "duel" else "attacker", words)
    section, conditions = target_and_conditions(second, kind)
    return unit, {"target": section, "kind": kind, **conditions}
