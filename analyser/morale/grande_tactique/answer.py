"""The sections of a question about Grande Tactique, each answered by its module."""

from __future__ import annotations

from analyser.engine.chains import Chain, Recorded
from analyser.morale.grande_tactique import check, column, division, flight, rout
from analyser.morale.grande_tactique.question import Question
from analyser.morale.panels import Chances, Curves, Laws, Panel
from analyser.morale.result import Table
from analyser.morale.weighing import Roll, weighed

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
    return found


def panels(question: Question) -> tuple[Panel, ...]:
    """A picture or two of each section that is asked."""
    found: list[Panel] = []
    if question.check:
        found.append(Chances("check", "Chance to flee", "arm", "p_flees"))
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
    return tuple(found)


def applied(question: Question) -> tuple[str, ...]:
    """The rules that the numbers come from."""
    rules = {
        "check": ("GT-1 states", "GT-2 who flees", "GT-9 Old Guard and veterans on morale checks"),
        "flight": ("GT-3 flight distance", "GT-4 pursuit", "GT-5 shelter, the map edge, surrounded"),
        "column": ("GT-1 states", "GT-3 flight distance", "GT-5 flight through friends", "GT-9 Old Guard that flees"),
        "rout": ("GT-6 rally and flight again", "GT-7 charges against routed units", "GT-8 collapse forbids rallying"),
        "division": ("GT-6 rally", "GT-8 collapse, a corps that has lost half its units"),
    }
    asked = [rule for section, entries in rules.items() if getattr(question, section) for rule in entries]
    return tuple(sorted(set(asked)))


def not_modelled(question: Question) -> tuple[str, ...]:
    """The rules that no number comes from."""
    found = []
    if question.flight or question.column:
        found.append("GT-5 direction of flight: the distances given are taken along it")
    if question.column:
        found.append("GT-5 a gap between friends, woods and built-up areas beside the column")
    if question.rout or question.division:
        found.append("attached generals, who are swept away with the unit")
    return tuple(found)


def warnings(question: Question) -> tuple[str, ...]:
    """What has no effect."""
    found = []
    if question.flight and question.flight.arm == "cavalry" and question.flight.shelter_distance is not None:
        found.append("flight.shelter_distance has no effect: only infantry makes for woods or a built-up area (GT-5)")
    if question.check and question.check.state == "eager" and question.check.cause != "charged":
        found.append("check: an eager unit does not flee from fire (GT-2)")
    return tuple(found)
