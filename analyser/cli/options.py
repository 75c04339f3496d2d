"""The options of ``analyser attack``: one literal table from the command line to the keys of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import click

from analyser.cli import selectors
from analyser.cli.selectors import add_mark, attack_from, unit_from
from analyser.cli.shell import Choice
from analyser.common.errors import InputError

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class Condition(NamedTuple):
    """One option and the key that it fills in.

    Attributes
    ----------
    option : str
    section, key : str
        Where it goes in a scenario.
    help : str
    type : type or click.ParamType or None
        None: a flag.
    member : str
        For a key that holds a list: what the flag adds to it.
    """

    option: str
    section: str
    key: str
    help: str
    type: Any = None
    member: str = ""

    @property
    def metavar(self) -> str | None:
        """How the help shows the value; choices say so themselves."""
        return {str: "ROW", int: "N", float: "INCHES", extra_reroll: "FACES:DICE"}.get(self.type)

    @property
    def parameter(self) -> str:
        """The name under which click hands the value over."""
        return self.option.removeprefix("--").replace("-", "_")


def extra_reroll(text: str) -> dict[str, Any]:
    """``miss,blank:2``, as the scenario file writes it; names and range are the scenario's to check.

    Examples
    --------
    >>> extra_reroll("miss,blank:2")
    {'faces': ['miss', 'blank'], 'dice': 2}
    """
    faces, _, dice = text.partition(":")
    if not dice.strip().isdecimal():
        raise click.BadParameter(f"{text!r} (allowed: faces and dice, such as miss,blank:2)")
    return {"faces": [face.strip() for face in faces.split(",") if face.strip()], "dice": int(dice)}


CONDITIONS = (
    Condition("--row", "attack", "row", "Row of the armaments grid; left out: the best fitting one.", str),
    Condition("--distance", "attack", "distance", "Inches; decides what is short range and out of range.", float),
    Condition("--aiming", "attack", "bonuses", "Bonus: the attacker has aimed.", member="aiming"),
    Condition("--short-range", "attack", "bonuses", "Bonus, where no distance is given.", member="short_range"),
    Condition("--ammo-supply", "attack", "bonuses", "Bonus: a friend with Ammo Supply is near.", member="ammo_supply"),
    Condition("--concealed", "attack", "penalties", "Penalty: no clear line to half of it.", member="concealed"),
    Condition("--suppressed-attacker", "attack", "penalties", "Penalty: it is suppressed.", member="suppressed"),
    Condition("--reforming", "attack", "penalties", "Penalty: it has just got out.", member="reforming"),
    Condition(
        "--outside-front-arc", "attack", "penalties", "Penalty: a Turret fires sideways.", member="outside_front_arc"
    ),
    Condition("--opportunity-fire", "attack", "opportunity_fire", "The attack is opportunity fire (penalty, no test)."),
    Condition(
        "--rating", "attack", "rating", "Combat rating, whatever the bonuses and penalties are.",
        Choice(["weakened", "neutral", "improved"]),
    ),
    Condition("--dice", "attack", "dice", "Attack dice, instead of the row's.", int),
    Condition("--veteran", "attack", "veteran", "X of Veteran (X), instead of the profile's.", int),
    Condition(
        "--extra-reroll", "attack", "extra_reroll", "Further re-rolls, such as miss,blank:2 for 2 dice at most.",
        extra_reroll,
    ),
    Condition("--overcharge", "attack", "overcharge", "Overcharge is used."),
    Condition("--carriages", "attack", "carriages", "Carriages in the train (Full Steam Ahead).", int),
    Condition(
        "--line-of-sight", "attack", "line_of_sight", "Who sees the target of an Indirect row.",
        Choice(["own", "none", "spotter"]),
    ),
    Condition("--attacker-models", "attack", "attacker_models", "Models the attacker has left.", int),
    Condition("--attacker-damage", "attack", "attacker_damage", "Damage on the attacker.", int),
    Condition("--attacker-garrisoned", "attack", "attacker_garrisoned", "The attacker is in a building."),
    Condition("--attacker-reloading", "attack", "attacker_reloading", "The attacker is reloading (Slow to Fire)."),
    Condition("--attacker-advanced", "attack", "attacker_advanced", "The attacker has advanced (Move or Fire)."),
    Condition("--models", "target", "models", "Models the target has left.", int),
    Condition("--damage", "target", "damage", "Damage on the target.", int),
    Condition("--exposed", "target", "exposed", "Only that many models are exposed, and they are prioritised.", int),
    Condition("--suppressed", "target", "suppressed", "The target is suppressed."),
    Condition("--disordered", "target", "disordered", "The target is disordered."),
    Condition("--activated", "target", "activated", "The target has been activated (Cryo)."),
    Condition("--taking-cover", "target", "taking_cover", "The target is taking cover."),
    Condition("--garrisoned", "target", "garrisoned", "The target is in a building."),
    Condition("--from-front", "target", "from_front", "The attack comes from the target's front (Resilient)."),
    Condition("--obstacle", "target", "obstacle", "An obstacle in contact with the target is in the way."),
    Condition("--near-commander", "target", "near_commander", 'A commander is within 6" of the target.'),
    Condition("--chain-of-command", "target", "chain_of_command", "Another unit with Chain of Command is near it."),
    Condition("--peer-review", "target", "peer_review", "A friend with Peer Review is near it."),
    Condition("--fail-on-purpose", "target", "fail_on_purpose", "The target's general fails the test on purpose."),
    Condition(
        "--officer", "target", "officer", "When the officer falls, in open formation.",
        Choice(["last", "first", "random"]),
    ),
    Condition(
        "--formation", "target", "formation", "The target's formation, instead of its type's.",
        Choice(["close", "open"]),
    ),
    Condition("--edge-distance", "target", "edge_distance", "Inches from the target to its own table edge.", float),
    Condition(
        "--models-without-room", "target", "models_without_room", "Models lost if the target falls back.", int
    ),
)  # fmt: skip


def with_conditions(command: CommandT) -> CommandT:
    """`command` with an option for every row of :data:`CONDITIONS`, in that order."""
    for condition in reversed(CONDITIONS):
        is_flag = condition.type is None
        command = click.option(
            condition.option,
            type=condition.type,
            is_flag=is_flag,
            default=None,
            metavar=condition.metavar,
            help=condition.help,
        )(command)
    return command


def scenario_from(attacker: str, target: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The raw scenario of an attack between two selectors, under the options that were given.

    What stands after the colon of a selector is a key as well, and says the same as an option or is refused.

    Raises
    ------
    InputError
        An option and a key after the colon that say different things, or a word that may not stand there.

    Examples
    --------
    >>> scenario_from("crown/rifle", "imperium/scion", {"aiming": True, "damage": None})
    {'attack': {'attacker': 'crown/rifle', 'bonuses': ['aiming']}, 'target': {'unit': 'imperium/scion'}}
    """
    raw: dict[str, dict[str, Any]] = {
        "attack": attack_from(attacker, "attack", selectors.of_attackers(several=False)),
        "target": unit_from(target, "target", selectors.of_targets()),
    }
    for condition in CONDITIONS:
        value = given.get(condition.parameter)
        if value is None or value is False:
            continue
        section = raw[condition.section]
        if condition.member:
            add_mark(section, condition.key, condition.member)
            continue
        said = section.setdefault(condition.key, value)
        if said != value:
            problem = f"{condition.key} is said twice: {said} after the colon, {value} by {condition.option}"
            raise InputError(problem, where=f"{condition.section}.{condition.key}", allowed="one of the two")
    return raw
