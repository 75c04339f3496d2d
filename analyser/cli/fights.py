"""The commands about fights: ``attack``, ``charge``, ``focus``, ``duel`` and ``run``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from analyser.cli import selectors
from analyser.cli.answer import answer
from analyser.cli.completion import complete_selector, with_keys
from analyser.cli.options import ANSWER_OPTIONS, FILE, REPLACEMENT, KeyOption, Option, given_keys, keys_of
from analyser.cli.selectors import attack_from, unit_from
from analyser.cli.shell import Choice, Command
from analyser.common.errors import InputError
from analyser.rules.policies import POLICIES
from analyser.scenarios.schema import BONUSES, PENALTIES, Attack, Charge, DuelTerms, Target


def _marks(key: str, marks: Mapping[Any, str]) -> list[KeyOption]:
    """A flag for each entry that a list of an attack can have, but for those that are keys of their own."""
    field, names = Attack.model_fields[key], {"suppressed": "suppressed-attacker"}  # --suppressed is of the target
    return [
        KeyOption(("attack", key), field, key.capitalize(), member=mark, name=names.get(mark, mark), text=text)
        for mark, text in marks.items()
        if mark != "opportunity_fire"
    ]


complete_combatant = with_keys(selectors.COMBATANT.allowed)
complete_duellist = with_keys(selectors.DUELLIST.allowed)
complete_attacker = with_keys(selectors.ATTACKER.allowed)
complete_target = with_keys(selectors.TARGET.allowed)
ATTACKER = click.argument("attacker", shell_complete=complete_attacker)
TARGET = click.argument("target", shell_complete=complete_target)
ATTACK_OPTIONS = [
    *keys_of(Attack, "attack", "Attack"),
    *_marks("bonuses", BONUSES),
    *_marks("penalties", PENALTIES),
    *keys_of(Target, "target", "Target"),
]
_SECONDARY = "Another unit of the target's side in contact."
CHARGE_OPTIONS = [
    *keys_of(Charge, "charge", "Charge"),
    Option("--secondary UNIT", _SECONDARY, "Charge", multiple=True, shell_complete=complete_selector),
    *ANSWER_OPTIONS,
    REPLACEMENT,
]
_UNTIL = "After how many attacks FATE is that likely, such as 0.8 broken."
_FATE = (float, Choice(["suppressed", "broken", "destroyed", "annihilated"]))
FOCUS_OPTIONS = [
    Option("--target UNIT", "The unit that all attack.", "Focus fire", required=True, shell_complete=complete_target),
    Option("--until P FATE", _UNTIL, "Focus fire", type=_FATE),
    *ATTACK_OPTIONS,
    *ANSWER_OPTIONS,
    REPLACEMENT,
]
_POLICIES_HELP = "\n".join(f"  {name:<12}{policy.told}" for name, policy in POLICIES.items())


def with_options(raw: dict[str, Any], *, attacks: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """A raw scenario and the keys that the command in progress was given as options.

    What one of several `attacks` says itself goes before the options; elsewhere two values of one key are refused.
    """
    for option, value in given_keys():
        section, key = option.path
        each_holds = section == "attack" and bool(attacks)
        for part in attacks if each_holds else [raw[section]]:
            if option.member:
                selectors.add_mark(part, key, option.member)
            elif part.setdefault(key, value) != value and not each_holds:
                problem = f"{part[key]} after the colon, {value} by {option.opts[0]}"
                raise InputError(problem, where=f"{section}.{key}", allowed="one of the two")
    return raw


def attack_scenario(attacker: str, target: str) -> dict[str, Any]:
    """The raw scenario of an attack between two selectors, under the options of the command in progress."""
    shooter = attack_from(attacker, "attack", selectors.ATTACKER)
    return with_options({"attack": shooter, "target": unit_from(target, "target", selectors.TARGET)})


@click.command(cls=Command, params=[*ATTACK_OPTIONS, *ANSWER_OPTIONS])
@ATTACKER
@TARGET
def attack(attacker: str, target: str, **_: Any) -> None:
    """The odds of ATTACKER's ranged attack on TARGET, both selectors such as crown/rifle-platoon@reinforced.

    After a colon may stand what else is true, as after those of focus and charge: crown/rifle-platoon@basic:aiming
    (the keys of [attack]), scion-grenadier-p@basic:garrisoned,models=4 (those of [target]).
    """
    answer("attack", attack_scenario(attacker, target))


@click.command(cls=Command, params=CHARGE_OPTIONS)
@click.argument("attacker", shell_complete=complete_combatant)
@click.argument("target", shell_complete=complete_combatant)
def charge(attacker: str, target: str, secondary: tuple[str, ...], **_: Any) -> None:
    """What ATTACKER's charge at TARGET comes to: who wins, what both sides lose, what becomes of them.

    Both are selectors; after a colon stands what else is true of a unit, such as
    crown/rifle-platoon@basic:suppressed,close-quarters-row=melee or scion-grenadier-p@basic:garrisoned,models=4
    (the keys of docs/fights.md).
    """
    raw = {
        "charge": {},
        "attacker": unit_from(attacker, "attacker", selectors.COMBATANT),
        "target": unit_from(target, "target", selectors.COMBATANT),
        "secondary": [
            unit_from(each, f"secondary.{place}", selectors.SECONDARY) for place, each in enumerate(secondary)
        ],
    }
    answer("charge", with_options(raw))


@click.command(cls=Command, params=FOCUS_OPTIONS)
@click.argument("attackers", nargs=-1, shell_complete=complete_attacker)
def focus(attackers: tuple[str, ...], target: str, until: tuple[float, str] | None, **_: Any) -> None:
    """What the ranged attacks of ATTACKERS on one target come to, in the order in which they are given.

    Each is a selector; after a colon stands what is true of its attack, such as
    crown/rifle-platoon@basic:row=ranged-light,distance=6,aiming (the keys of [attack], its bonuses and penalties).
    Options hold for all attacks that do not say otherwise.
    """
    if not attackers:
        raise InputError("focus fire needs somebody who attacks", where="ATTACKERS", allowed="one selector or more")
    who = selectors.ONE_OF_ATTACKERS
    attacks = [attack_from(each, f"attacks.{place}", who) for place, each in enumerate(attackers)]
    raw = {"attacks": attacks, "target": unit_from(target, "target", selectors.TARGET)}
    answer("focus", with_options(raw, attacks=attacks), until=until)


@click.command(
    cls=Command,
    params=[*keys_of(DuelTerms, "duel", "Duel"), *ANSWER_OPTIONS, REPLACEMENT],
    epilog=f"\b\nPolicies:\n{_POLICIES_HELP}",
)
@click.argument("a", shell_complete=complete_duellist)
@click.argument("b", shell_complete=complete_duellist)
def duel(a: str, b: str, **_: Any) -> None:
    """What becomes of A and B if they fight for some rounds, each by its policy.

    Both are selectors; after a colon stands what else is true of a unit, such as
    crown/rifle-platoon@basic:suppressed,row=ranged-light (the keys of docs/fights.md; those of how it charges too).
    """
    sides = {side: unit_from(text, side, selectors.DUELLIST) for side, text in (("a", a), ("b", b))}
    answer("duel", with_options({"duel": {}, **sides}))


@click.command(cls=Command, params=[*ANSWER_OPTIONS, REPLACEMENT])
@click.argument("scenario", metavar="SCENARIO.toml", type=FILE)
def run(scenario: str, **_: Any) -> None:
    """The odds of the attack, charge, focus fire or duel that a scenario file describes, or its answer on morale."""
    from analyser.cli.morale import answer_morale
    from analyser.morale.systems import system_of
    from analyser.scenarios.load import kind_of, read_scenario

    raw = read_scenario(scenario)[0]
    system = system_of(raw)
    if system is None:
        answer(kind_of(raw), scenario)
    else:
        answer_morale(system, scenario)
