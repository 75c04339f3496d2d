"""The sections of a question about Grande Tactique, each answered by its module."""

from __future__ import annotations

from analyser.common.validation import Record
from analyser.engine.chain.chain import Chain, Recorded
from analyser.morale.grande_tactique import check, column, division, flight, game, rout, rules
from analyser.morale.grande_tactique.question import (
    Check,
    Column,
    Flight,
    Game,
    GameUnit,
    Question,
    Rout,
    RoutedUnit,
    Ruleset,
)
from analyser.morale.panels import Chances, Curves, Laws, Panel
from analyser.morale.result import Table
from analyser.morale.solve import Roll, weighed

DESTROYED = ("off the map", "surrounded")


def chains(question: Question) -> dict[str, Chain]:
    """A chain for each section that is asked."""
    ruleset = question.ruleset
    found: dict[str, Chain] = {}
    if question.check:
        found["check"] = check.chain(question.check, ruleset)
    if question.flight:
        found["flight"] = flight.chain(question.flight)
    if question.column:
        found["column"] = column.chain(question.column)
    if question.rout:
        found["rout"] = rout.chain(question.rout, ruleset)
    if question.division:
        found["division"] = division.chain(question.division, ruleset)
    if question.game:
        found["game"] = game.chain(question.game, ruleset)
    return found


def weights(question: Question, roll: Roll | None) -> dict[str, Recorded]:
    """The recorded laws, or of a roll the counts, of each chain."""
    return weighed(chains(question), roll)


def tables(question: Question, weights: dict[str, Recorded]) -> dict[str, Table]:
    """The tables of each section that is asked."""
    ruleset = question.ruleset
    found: dict[str, Table] = {}
    if question.check:
        found |= check.tables(question.check, weights["check"])
    if question.flight:
        found |= flight.tables(question.flight, weights["flight"])
    if question.column:
        found |= column.tables(question.column, weights["column"])
    if question.rout:
        found |= rout.tables(question.rout, ruleset, weights["rout"])
    if question.division:
        found |= division.tables(question.division, ruleset, weights["division"])
    if question.game:
        found |= game.tables(question.game, ruleset, weights["game"])
    return found


def panels(question: Question) -> tuple[Panel, ...]:
    """A picture or two of each section that is asked."""
    found: list[Panel] = []
    if question.check:
        routed = "p_silenced" if question.check.arm == "artillery" else "p_routed"
        found.append(Chances("check", f"Chance to be {routed[2:]}", "arm", routed))
    if question.flight:
        found.append(Chances("flight", "Flight, inches (hatched: destroyed)", "distance", lost={"fate": DESTROYED}))
    if question.column:
        found.append(Chances("chain", "P(exactly so many friends flee)", "friends", "p_exactly"))
    if question.rout:
        for unit in range(1, len(question.rout.units) + 1):
            lines = {"p_rallied": "rallied", "p_routed": "routed", "p_destroyed": "destroyed"}
            found.append(Curves("rout", f"Routed unit {unit}", "turn", lines, {"unit": unit}))
    if question.division:
        lines = {"p_collapsed": "collapsed", "p_corps_halted": "corps halted"}
        found.append(Curves("division", "Division", "turn", lines))
        found.append(Laws("standing", "Units standing", "turn", "units"))
    if question.game:
        lines = {name: name[2:].replace("_", " ") for name in ("p_routed", "p_silenced", "p_destroyed", "p_rallied")}
        for unit in range(1, len(question.game.units) + 1):
            found.append(Curves("game_units", f"Unit {unit} of the game", "turn", lines, {"unit": unit}))
        found.append(
            Curves("game", "The division", "turn", {"p_collapsed": "collapsed", "p_corps_halted": "corps halted"})
        )
        found.append(Laws("game_lost", "Units lost", "turn", "units"))
    return tuple(found)


def applied(question: Question) -> tuple[str, ...]:
    """The rules that the numbers come from: those that can have their occasion in the question as it is put."""
    found = []
    if (asked := question.check) is not None:
        tested = check.response_to(asked, question.ruleset) == rules.CHECKS
        found += ["GT-1 states", "GT-2 who flees"]
        found += ["GT-9 Old Guard and veterans on morale checks"] if tested and asked.quality != "regular" else []
    if question.flight is not None:
        found += _of_flight(question.flight)
    if question.column is not None:
        found += _of_column(question.column)
    if question.rout is not None:
        found += _of_rout(question.rout, question.ruleset)
    if question.division is not None:
        rally = question.division.rally and _can_rally(question.division.pips_elsewhere, question.ruleset)
        found += ["GT-6 rally"] if rally else []
        found += ["GT-8 collapse, a corps that has lost half its units"]
    if question.game is not None:
        found += _of_game(question.game, question.ruleset)
    return tuple(sorted(set(found)))


def _of_flight(asked: Flight) -> list[str]:
    said = {
        "GT-4 pursuit": asked.enemy == "cavalry",
        "GT-5 shelter": asked.arm == "infantry" and asked.shelter_distance is not None,
        "GT-5 the map edge": asked.edge_distance is not None,
        "GT-5 surrounded": asked.surrounded > 0,
    }
    return ["GT-3 flight distance", *(rule for rule, holds in said.items() if holds)]


def _of_column(asked: Column) -> list[str]:
    said = {
        "GT-1 artillery does not rout by chain": any(friend.arm == "artillery" for friend in asked.friends),
        "GT-5 the map edge": asked.edge_distance is not None,
        "GT-9 Old Guard that flees": asked.old_guard or any(friend.old_guard for friend in asked.friends),
    }
    return ["GT-3 flight distance", "GT-5 flight through friends", *(rule for rule, holds in said.items() if holds)]


def _of_rout(asked: Rout, ruleset: Ruleset) -> list[str]:
    collapsed = asked.standing is not None and rules.has_collapsed(asked.standing, len(asked.units))
    said = {
        "GT-5 shelter": any(unit.shelter_distance is not None for unit in asked.units),
        "GT-5 the map edge": any(unit.edge_distance is not None for unit in asked.units),
        "GT-6 rally": not collapsed and _can_rally(asked.pips_elsewhere, ruleset),
        "GT-7 charges against routed units": asked.charged_by_cavalry + asked.charged_by_infantry > 0,
        "GT-8 collapse forbids rallying": collapsed,
    }
    return ["GT-6 flight again", *(rule for rule, holds in said.items() if holds)]


def _of_game(asked: Game, ruleset: Ruleset) -> list[str]:
    units = asked.units
    fired_at = [
        unit for unit in units if unit.worn_down_by_artillery or unit.worn_down_by_infantry or unit.loses_firing
    ]
    charged = [unit for unit in units if any(unit.charges)]
    tested = [unit for unit in fired_at if unit.arm == "infantry"]
    together = [unit.column for unit in units if unit.column is not None]
    flight = any(unit.state == "routed" for unit in units) or bool(fired_at) or bool(charged)
    said = {
        "GT-1 states": True,
        "GT-2 who flees": bool(fired_at) or bool(charged),
        "GT-3 flight distance": flight,
        "GT-5 shelter": any(unit.shelter_distance is not None for unit in units),
        "GT-5 the map edge": any(unit.edge_distance is not None for unit in units),
        "GT-5 flight through friends": len(set(together)) < len(together),
        "GT-5 surrounded": asked.surrounded > 0,
        "GT-6 rally": flight and _can_rally(asked.pips_elsewhere, ruleset),
        "GT-6 flight again": flight,
        "GT-7 charges against routed units": any(
            any(unit.charges_in_rout) for unit in units if unit.arm != "artillery"
        ),
        "GT-8 collapse, a corps that has lost half its units": True,
        "GT-9 Old Guard and veterans on morale checks": any(unit.quality != "regular" for unit in tested),
        "GT-9 Old Guard that flees": any(unit.quality == "old guard" and unit.column in together for unit in units),
        "GT-10 voluntary withdrawal, counted apart": any(unit.withdraws is not None for unit in units),
    }
    return [rule for rule, holds in said.items() if holds]


def _can_rally(elsewhere: int, ruleset: Ruleset) -> bool:
    return rules.rallies(ruleset.pip_dice * ruleset.pip_sides - elsewhere, 0)


SQUARES = "GT-2 squares leave square, a firing unit stops firing: they change none of these figures"
SWEPT_ALONG = "GT-2 attached generals: swept along by a routed unit until it rallies"
PRISONER = "GT-2 attached generals: taken prisoner with a unit that is surrounded"
STAYS = (
    "GT-2 a unit that routs after a lost Locked in Combat from its own charge out of woods or a built-up area: "
    "it stays there, routed"
)
DIRECTION = "GT-5 direction of flight, and gaps that are wide enough: the distances given are taken along it"
LEFT_OUT = {
    "check": (SQUARES, STAYS, SWEPT_ALONG),
    "flight": (STAYS, SWEPT_ALONG, PRISONER, DIRECTION),
    "column": (
        "GT-4 pursuit", "GT-5 a gap between friends, woods and built-up areas beside the column", DIRECTION,
        SWEPT_ALONG,
    ),
    "rout": (
        SWEPT_ALONG, PRISONER, "GT-5 friends in the way of those that flee again: see [column]", DIRECTION,
        "GT-10 voluntary withdrawal: see [game]", "GT-11 follow-up charges: they are in the chances of charges",
    ),
    "division": (
        SWEPT_ALONG, "GT-2, GT-5 why units rout or are lost: their chances are given; see [game]",
        "GT-10 voluntary withdrawal: see [game]", "GT-8 where a halted corps may still move",
    ),
    "game": (
        "GT-1 how silenced artillery comes back into action", SQUARES, STAYS, SWEPT_ALONG, PRISONER, "GT-4 pursuit",
        DIRECTION, "GT-5 a gap between friends; GT-9 friends of Old Guard in other columns",
        "GT-8 where a halted corps may still move", "GT-11 follow-up charges: they are in the chances of charges",
    ),
}  # fmt: skip


def not_modelled(question: Question) -> tuple[str, ...]:
    """The rules that no number comes from; of several sections, with the names of those that they are left out of."""
    asked = [section for section in LEFT_OUT if getattr(question, section)]
    found: dict[str, list[str]] = {}
    for section in asked:
        for rule in (*LEFT_OUT[section], *_far(getattr(question, section))):
            found.setdefault(_without_way_to(asked, rule), []).append(f"[{section}]")
    return tuple(f"{', '.join(sections)}: {rule}" if len(asked) > 1 else rule for rule, sections in found.items())


def _without_way_to(asked: list[str], rule: str) -> str:
    """A rule without the words that point to another section, where that is asked as well."""
    for section in asked:
        rule = rule.removesuffix(f": see [{section}]").removesuffix(f"; see [{section}]")
    return rule


def _far(asked: Record) -> list[str]:
    """The edges that were left out, as far as anybody could flee to them."""
    if isinstance(asked, Flight | Column) and asked.edge_distance is None:
        return ["GT-5 the map edge: no edge_distance was given, so it is far"]
    if isinstance(asked, Rout | Game):
        units: tuple[RoutedUnit | GameUnit, ...] = asked.units
        far = [
            str(number)
            for number, unit in enumerate(units, 1)
            if unit.arm != "artillery" and unit.edge_distance is None
        ]
        return [f"GT-5 the map edge: far from units given no edge_distance ({', '.join(far)})"] if far else []
    return []


def warnings(question: Question) -> tuple[str, ...]:
    """What has no effect, and what was taken for granted."""
    found = []
    if question.flight and question.flight.arm == "cavalry" and question.flight.shelter_distance is not None:
        found.append("flight.shelter_distance has no effect: only infantry makes for woods or a built-up area (GT-5)")
    for number, unit in enumerate(question.rout.units if question.rout else ()):
        if unit.in_shelter and unit.shelter_distance is not None:
            found.append(f"rout.units.{number}.shelter_distance has no effect: the unit is in shelter already")
    if (asked := question.check) is not None:
        found += _of_check(asked, question.ruleset)
    for number, each in enumerate(question.game.units if question.game else ()):
        found += [f"game.units.{number}: {what}" for what in _without_effect(each)]
    return tuple(found)


def _without_effect(unit: GameUnit) -> list[str]:
    found = []
    if unit.in_shelter and unit.shelter_distance is not None:
        found.append("shelter_distance has no effect: the unit is in shelter already")
    if unit.arm != "infantry" and unit.loses_firing:
        found.append(f"loses_firing has no effect: {unit.arm} does not flee after a firing attack of its own (GT-2)")
    fired_at = unit.worn_down_by_artillery or unit.worn_down_by_infantry or unit.loses_firing
    if unit.arm == "artillery" and (unit.rout_charged_by_cavalry or unit.rout_charged_by_infantry):
        found.append("charges in rout have no effect: artillery does not rout (GT-1)")
    if unit.quality == "old guard" and unit.column is None:
        found.append("Old Guard that is in no column dismays nobody (GT-9)")
    if not (unit.arm == "infantry" and fired_at) and (unit.quality == "veteran" or unit.modifier):
        found.append("quality and modifier have no effect: no morale check is made (GT-2)")
    return found


def _of_check(asked: Check, ruleset: Ruleset) -> list[str]:
    found = []
    worn_down = asked.cause == "worn down"
    if asked.worn_down_by is not None and not (worn_down and asked.arm == "artillery"):
        found.append("check.worn_down_by has no effect: it matters to artillery that is worn down by fire (GT-1)")
    if asked.worn_down_by is None and worn_down and asked.arm == "artillery":
        found.append("check: artillery has worn it down; fire of infantry (worn_down_by) would not silence it (GT-1)")
    if asked.arm != "artillery" and asked.state == "eager" and asked.cause != "charged":
        found.append("check: an eager unit does not flee from fire (GT-2)")
    if asked.arm != "infantry" and asked.cause == "lost firing":
        found.append(f"check: {asked.arm} does not flee after losing a firing attack of its own (GT-2)")
    tested = check.response_to(asked, ruleset) == rules.CHECKS
    if not tested and (asked.quality != "regular" or asked.modifier):
        found.append("check.quality and check.modifier have no effect: no morale check is made (GT-2)")
    return found
