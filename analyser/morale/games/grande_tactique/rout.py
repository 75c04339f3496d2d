"""Routed units of a corps, turn by turn: rallied, fleeing again, charged, destroyed (GT-6 to GT-8).

A unit's condition is the number of flights since its first, or one of two that come after those: rallied, destroyed.
A state is the conditions of all units as one integer, the first unit as the lowest field.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Die, Fields, Phase, Recorded, sided
from analyser.morale.answers import Answer, Mean, Table, counted, rules_used, turns_of
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.division import by_unit_and_turn
from analyser.morale.games.grande_tactique.question import Question, Rout, RoutedUnit
from analyser.morale.pictures import Curves
from analyser.morale.questions import as_written
from analyser.results.base import RulesUsed

RALLIED, DESTROYED = range(2)  # after the flights
ENDS = 2
NEVER = 1 << 20  # flights


class Unit(NamedTuple):
    """A routed unit as integers."""

    to_edge: int  # flights until it is off the map
    to_shelter: int  # and until it is in woods or a built-up area
    flights: int  # how many numbers of flights are distinguished

    def after_flight(self, flights: Any) -> Any:
        """The condition after one more flight; woods on the way come before the edge (GT-5, GT-6)."""
        last = np.minimum(flights + 1, self.flights - 1)
        return np.where(flights + 1 >= self.to_edge, self.flights + DESTROYED, last)


def units_of(rout: Rout, question: Question) -> tuple[dict[str, Unit], Fields]:
    """The units of a question by the name of their field, and the fields."""
    most = 2 * (rout.turns or question.ruleset.turns)  # flights: one for want of PIPs and one for a charge, each turn
    units = {}
    for number, unit in enumerate(rout.units, start=1):
        to_shelter = _to_shelter(unit, most)
        to_edge = _to_edge(unit, to_shelter, most)
        flights = to_shelter + 2 if to_shelter < NEVER else 1
        units[f"unit_{number}"] = Unit(to_edge, to_shelter, to_edge if to_edge < NEVER else flights)
    return units, Fields({name: units[name].flights + ENDS for name in reversed(units)})


def _flights(unit: RoutedUnit, length: Fraction) -> int:
    """Flights after which a unit has covered a length (GT-6)."""
    return max(math.ceil(length / gt.flight_distance(gt.Arm[unit.arm.upper()], 0)), 1)


def _to_shelter(unit: RoutedUnit, most: int) -> int:
    """Flights until a unit is in shelter, if it is not off the map before; NEVER for more than `most`."""
    if unit.in_shelter:
        return 0
    if unit.shelter_distance is None:
        return NEVER
    flights = _flights(unit, as_written(unit.shelter_distance))
    off_before = unit.edge_distance is not None and _flights(unit, as_written(unit.edge_distance)) < flights
    return NEVER if off_before or flights > most else flights


def _to_edge(unit: RoutedUnit, to_shelter: int, most: int) -> int:
    """Flights until a unit is off the map; the one into shelter goes no further than the shelter (GT-5)."""
    if unit.edge_distance is None:
        return NEVER
    flights = _flights(unit, as_written(unit.edge_distance))
    if 0 < to_shelter < NEVER and unit.shelter_distance is not None:
        flights = to_shelter + _flights(unit, as_written(unit.edge_distance) - as_written(unit.shelter_distance))
    return flights if flights <= most else NEVER


def chain(rout: Rout, question: Question) -> Chain:
    """Turns of a PIP phase and the charges after it; the state at the end of each is recorded."""
    (units, fields), ruleset, cannot_rally = units_of(rout, question), question.ruleset, _has_collapsed(rout)

    def pip_phase(states: Any, pips: Any) -> Any:
        """Units rally in order as far as PIPs go, the others flee again, but for those in shelter (GT-6)."""
        after, left = states, np.maximum(pips - rout.pips_elsewhere, 0)
        for name, unit in units.items():
            now = fields.get(name, states)
            rallies = (now < unit.flights) & gt.rallies(left, cannot_rally)
            left = left - gt.RALLY_COST * rallies
            stays = (now >= unit.flights) | (now == unit.to_shelter)
            then = np.where(rallies, unit.flights + RALLIED, np.where(stays, now, unit.after_flight(now)))
            after = fields.put(after, **{name: then})
        return after

    def charged(name: str) -> Phase:
        """No charge, one by cavalry, or by infantry: no dice (GT-7); infantry can charge it out of shelter (GT-6)."""
        unit = units[name]

        def change(states: Any, enemy: Any) -> Any:
            now = fields.get(name, states)
            by = (gt.CAVALRY, gt.INFANTRY)
            dies, flees = unit.flights + DESTROYED, unit.after_flight(now)
            ends = [now, *(np.where(gt.dies_charged_in_rout(each), dies, flees) for each in by)]
            return fields.put(states, **{name: np.where(now < unit.flights, np.choose(enemy, ends), now)})

        return Phase(change, Die((1.0 - sum(charges), *charges)), 1)

    charges = rout.charged_by_cavalry, rout.charged_by_infantry
    turn = [Phase(pip_phase, sided(ruleset.pip_sides), ruleset.pip_dice)]
    turn += [charged(name) for name in units] if any(charges) else []
    flights = max(unit.flights for unit in units.values())
    what = f"{len(units)} units in rout, each by its flights (up to {flights}), rallied or destroyed"
    less = "fewer units, nearer edges, or no edge_distance"
    return Chain(0, (*turn, RECORD) * (rout.turns or ruleset.turns), fields.size, what, less)


def _has_collapsed(rout: Rout) -> bool:
    return rout.standing is not None and bool(gt.has_collapsed(rout.standing, len(rout.units)))


def answer(rout: Rout, question: Question, recorded: Recorded) -> Answer:
    """`rout`: each unit by turn; `time_in_rout`: when its rout ended, and how; `still_routed`: how many at once."""
    (units, fields), (states, weights) = units_of(rout, question), recorded
    beyond = np.stack([fields.get(name, states) - unit.flights for name, unit in units.items()], axis=1)
    rallied, routed, destroyed = (weights @ now for now in (beyond == RALLIED, beyond < 0, beyond == DESTROYED))
    then = {"p_rallied_then": rallied, "p_destroyed_then": destroyed}
    ended = {name: np.diff(each, axis=0, prepend=0) for name, each in then.items()}
    ends = sum(ended.values())
    ends[-1] += routed[-1]  # still routed: all the turns there were
    mean = Mean.of(ends.T, np.arange(1, len(ends) + 1))
    numbers = range(1, len(units) + 1)
    tables = {
        "rout": by_unit_and_turn({"p_rallied": rallied, "p_routed": routed, "p_destroyed": destroyed}),
        "time_in_rout": by_unit_and_turn(ended, turn="turns"),
        "turns_in_rout": Table({"unit": numbers}, means={"mean_turns": mean}),
        "still_routed": counted(turns_of(weights), "units", weights, (beyond < 0).sum(axis=1), len(units)),
    }
    lines = {"p_rallied": "rallied", "p_routed": "routed", "p_destroyed": "destroyed"}
    panels = [Curves("rout", f"Routed unit {number}", "turn", lines, {"unit": number}) for number in numbers]
    return Answer(tables, panels)


def rules(rout: Rout, question: Question) -> RulesUsed:
    """The rules that the numbers come from, and what has no effect."""
    collapsed, pips = _has_collapsed(rout), question.ruleset.most_pips - rout.pips_elsewhere
    sheltered = [unit.shelter_distance is not None for unit in rout.units]
    applied = {
        "GT-5 shelter": any(sheltered),
        "GT-5 the map edge": any(unit.edge_distance is not None for unit in rout.units),
        "GT-6 flight again": True,
        "GT-6 rally": not collapsed and gt.rallies(pips, 0),
        "GT-7 charges against routed units": rout.charged_by_cavalry + rout.charged_by_infantry > 0,
        "GT-8 collapse forbids rallying": collapsed,
    }
    useless = "shelter_distance has no effect: the unit is in shelter already"
    in_shelter = [unit.in_shelter and woods for unit, woods in zip(rout.units, sheltered)]
    return rules_used(applied, {}, {f"rout.units.{number}.{useless}": each for number, each in enumerate(in_shelter)})
