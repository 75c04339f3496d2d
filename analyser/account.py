"""What an answer rests on: the conditions the rules made of a scenario, and the rules used and not used."""

from __future__ import annotations

from copy import copy
from typing import Any

from analyser.compile import scenario_records
from analyser.dice import Rating
from analyser.glossary import QUALITIES, SPECIAL_RULES, Named, Term, parse
from analyser.rules.armoured_clash.conditions import bonuses_of, combat_rating, is_concealed, penalties_of
from analyser.rules.armoured_clash.facts import (
    NONE,
    AttackFacts,
    Bonus,
    FightFacts,
    Penalty,
    Sight,
    TargetFacts,
    Test,
)
from analyser.scenario import Scenario

_SIGHTS = {Sight.NONE: "no sight", Sight.SPOTTER: "spotter"}
_TESTS = {
    Test.NOT_TAKEN: "none",
    Test.BY_CARD: "by card",
    Test.PASSED: "passed without a card",
    Test.FAILED: "failed on purpose",
}


def rating_reasons(attack: AttackFacts, target: TargetFacts) -> dict[str, Any]:
    """What made a combat rating (AC-3.1): the names of the bonuses and penalties that count.

    `rating_by` says what decides instead, where they do not: ``stated`` (another rating than they make), Indirect's
    ``no sight`` and ``spotter``, or in a charge ``rule`` (Sponsons, Throw).
    """
    counted: Any = copy(attack)
    counted.stated_rating = NONE
    concealed = is_concealed(attack, target)
    if attack.stated_rating not in (NONE, combat_rating(counted, target, concealed)):
        return {"bonuses": [], "penalties": [], "rating_by": "stated"}
    if attack.sight != Sight.OWN:
        return {"bonuses": [], "penalties": [], "rating_by": _SIGHTS[Sight(attack.sight)]}
    bonuses, penalties = bonuses_of(attack, target), penalties_of(attack, concealed)
    return {
        "bonuses": [each.name.lower() for each in Bonus if bonuses & each],
        "penalties": [each.name.lower() for each in Penalty if penalties & each],
        "rating_by": None,
    }


def conditions(scenario: Scenario, fight: FightFacts) -> dict[str, Any]:
    """What the rules made of a scenario: the pool, the rating, the effective DEFENCE, the test.

    `discipline` has every modifier that is known before the dice: not the -1 for heavy losses, nor the
    -1 of a unit that is or becomes disordered.
    """
    by_card = fight.test == Test.BY_CARD
    return {
        "dice": int(fight.dice),
        "rating": Rating(fight.rating).name.lower(),
        **rating_reasons(*scenario_records(scenario)),
        "defence": int(fight.defence),
        "suppression_test": _TESTS[Test(fight.test)],
        "discipline": int(fight.discipline) if by_card else None,
    }


def applied(scenario: Scenario, fight: FightFacts) -> tuple[str, ...]:
    """The qualities and special rules that can have their occasion in this attack, in the order of the profiles."""
    used = [
        str(named)
        for named in map(parse, scenario.attack.qualities or ())
        if _used(named, QUALITIES, "attacker") and _in_effect(named.name, scenario, fight)
    ]
    used += [
        str(named)
        for named in map(parse, scenario.attacker_rules)
        if _used(named, SPECIAL_RULES, "attacker") and _in_effect(named.name, scenario, fight)
    ]
    used += [
        str(named)
        for named in map(parse, scenario.target.rules or ())
        if _used(named, SPECIAL_RULES, "target") and _in_effect(named.name, scenario, fight)
    ]
    return tuple(dict.fromkeys(used))


def _used(named: Named, table: Any, side: str) -> bool:
    term: Term | None = table.get(named.name)
    return term is not None and term.side == side


def _in_effect(name: str, scenario: Scenario, fight: FightFacts) -> bool:
    """Whether a rule that the program knows has its occasion in this attack."""
    attack, target = scenario.attack, scenario.target
    in_parentheses = attack.dice_in_parentheses is not None and fight.dice != attack.dice
    short = "short_range" in attack.bonuses
    occasions = {
        "Point Blank": in_parentheses and short,
        "Shock": in_parentheses and target.category == "light",
        "Wreckers": in_parentheses and target.category == "heavy",
        "Turret": "outside_front_arc" in attack.penalties,
        "Indirect": attack.line_of_sight != "own",
        "Lock On": attack.opportunity_fire,
        "Overcharge": attack.overcharge,
        "Full Steam Ahead": attack.carriages > 0,
        "Siegebreaker": target.garrisoned,
        "Slow to Fire": False,
        "Move or Fire": False,
        "Reactive": attack.opportunity_fire,
        "Suppressive": fight.test == Test.BY_CARD,
        "Resilient": target.from_front and not target.garrisoned,
        "Emplacement": target.obstacle,
        "Pavises": target.taking_cover,
        "Bodyguard": any(quality == "Precision" for quality in attack.qualities or ()),
        "Hover": any(quality == "Seismic" for quality in attack.qualities or ()),
        "Irregular": target.formation == "open",
        "Lockstep": target.formation == "close",
        "Chain of Command": target.chain_of_command,
        "Peer Review": target.peer_review,
        "Corrosive Fumes": bool(fight.disordered) and not target.disordered,
        "Veteran": fight.veteran > 0,
        "Penetrating": True,
        "Construct": fight.test != Test.NOT_TAKEN and target.discipline not in (None, NONE),
    }
    return bool(occasions.get(name, True))


def not_modelled(scenario: Scenario) -> tuple[str, ...]:
    """Every quality and special rule on the profiles that no number of a ranged attack is computed from."""
    written = [
        *((named, QUALITIES) for named in map(parse, scenario.attack.qualities or ())),
        *((named, SPECIAL_RULES) for named in map(parse, scenario.attacker_rules)),
        *((named, SPECIAL_RULES) for named in map(parse, scenario.target.rules or ())),
    ]
    names = [str(named) for named, table in written if named.name not in table or not table[named.name].side]
    return tuple(dict.fromkeys(names))


def not_used(scenario: Scenario, where: str = "attack") -> tuple[str, ...]:
    """The qualities that the attack could use and is not told to; `where` is its section."""
    has_it = any(parse(quality).name == "Overcharge" for quality in scenario.attack.qualities or ())
    return (unused("Overcharge", f"{where}.overcharge"),) if has_it and not scenario.attack.overcharge else ()


def unused(name: str, key: str) -> str:
    """How an answer names something that is not used, and what would make use of it."""
    return f"{name}, could be used with {key}"
