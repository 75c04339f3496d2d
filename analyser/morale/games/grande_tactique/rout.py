"""Routed units of a corps, turn by turn: rallied, fleeing again, charged, destroyed (GT-6 to GT-8).

A unit's condition is the number of flights since its first, or one of two that come after those: rallied, destroyed.
A state is the conditions of all units as one integer, the first unit as the lowest digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import Chain, Die, Extent, Phase, Recorded, States, Transition, sided
from analyser.morale.games.grande_tactique import rules
from analyser.morale.games.grande_tactique.question import Question, Rout, RoutedUnit
from analyser.morale.panels import Curves, Panel
from analyser.morale.questions import as_written
from analyser.morale.tables import Mean, Table, by_turn, by_unit_and_turn

RALLIED, DESTROYED = range(2)  # after the flights
ENDS = 2
NEVER = 1 << 20  # flights


class Unit(NamedTuple):
    """A routed unit as integers."""

    to_edge: int  # flights until it is off the map
    to_shelter: int  # and until it is in woods or a built-up area
    flights: int  # how many numbers of flights are distinguished
    place: int  # what one condition more adds to the state

    def condition(self, states: States) -> NDArray[np.int64]:
        """Its condition in each of some states."""
        return np.asarray(states // self.place % (self.flights + ENDS))

    def after_flight(self, flights: NDArray[np.int64]) -> NDArray[np.int64]:
        """The condition after one more flight; woods on the way come before the edge (GT-5, GT-6)."""
        last = np.minimum(flights + 1, self.flights - 1)
        return np.where(flights + 1 >= self.to_edge, self.flights + DESTROYED, last)


def units_of(rout: Rout, question: Question) -> list[Unit]:
    """The units of a question."""
    most = 2 * turns_of(rout, question)  # flights: one for want of PIPs and one for a charge, each turn
    found, place = [], 1
    for unit in rout.units:
        to_shelter = _to_shelter(unit, most)
        to_edge = _to_edge(unit, to_shelter, most)
        flights = to_shelter + 2 if to_shelter < NEVER else 1
        flights = to_edge if to_edge < NEVER else flights
        found.append(Unit(to_edge, to_shelter, flights, place))
        place *= flights + ENDS
    return found


def turns_of(rout: Rout, question: Question) -> int:
    """Turns to play."""
    return rout.turns or question.ruleset.turns


def _flights(unit: RoutedUnit, length: Fraction) -> int:
    """Flights after which a unit has covered a length (GT-6)."""
    return max(math.ceil(length / rules.flight_distance(rules.Arm[unit.arm.upper()], 0)), 1)


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


def _pip_phase(units: list[Unit], pips: NDArray[np.int64], cannot_rally: bool, elsewhere: int) -> Transition:
    """Units rally in order as far as PIPs go, the others flee again, but for those in shelter (GT-6)."""

    def targets(states: States) -> States:
        after = np.repeat(states[:, np.newaxis], len(pips), axis=1)
        left = np.maximum(np.broadcast_to(pips, after.shape) - elsewhere, 0)
        for unit in units:
            now = unit.condition(states)[:, np.newaxis]
            routed = now < unit.flights
            rallies = routed & rules.rallies(left, cannot_rally)
            left = left - rules.RALLY_COST * rallies
            stays = ~routed | (now == unit.to_shelter)
            then = np.where(rallies, unit.flights + RALLIED, np.where(stays, now, unit.after_flight(now)))
            after += (then - now) * unit.place
        return after

    return targets


def _charge(unit: Unit) -> Transition:
    """No charge, one by cavalry, or by infantry: no dice (GT-7); infantry can charge it out of its shelter (GT-6)."""

    def targets(states: States) -> States:
        now = unit.condition(states)
        dies, flees = np.full_like(now, unit.flights + DESTROYED), unit.after_flight(now)
        ends = [dies if rules.dies_charged_in_rout(enemy) else flees for enemy in (rules.CAVALRY, rules.INFANTRY)]
        moved = [np.where(now < unit.flights, (end - now) * unit.place, 0) for end in ends]
        return np.column_stack([states, *(states + more for more in moved)])

    return targets


def chain(rout: Rout, question: Question) -> Chain:
    """Turns of a PIP phase and the charges after it; the state at the end of each is recorded."""
    units, ruleset, collapsed = units_of(rout, question), question.ruleset, _is_collapsed(rout)
    die = sided(ruleset.pip_sides)
    pips = _pip_phase(units, np.arange(ruleset.pip_dice * die.highest + 1), collapsed, rout.pips_elsewhere)
    charged = rout.charged_by_cavalry, rout.charged_by_infantry
    turn = [Phase(pips, die, ruleset.pip_dice, recorded=not any(charged))]
    if any(charged):
        enemy = Die((1.0 - sum(charged), *charged))
        turn += [Phase(_charge(unit), enemy, 1, recorded=unit is units[-1]) for unit in units]
    flights = max(unit.flights for unit in units)
    extent = Extent(
        f"{len(units)} units in rout, each by its flights (up to {flights}), rallied or destroyed",
        "fewer units, nearer edges, or no edge_distance",
    )
    size = units[-1].place * (units[-1].flights + ENDS)
    return Chain(0, tuple(turn) * turns_of(rout, question), size, extent)


def _is_collapsed(rout: Rout) -> bool:
    return rout.standing is not None and bool(rules.has_collapsed(rout.standing, len(rout.units)))


def tables(rout: Rout, question: Question, recorded: Recorded) -> dict[str, Table]:
    """`rout`: each unit by turn; `time_in_rout`: when its rout ended, and how; `still_routed`: how many at once."""
    units, (states, weights) = units_of(rout, question), recorded
    beyond = np.stack([unit.condition(states) - unit.flights for unit in units], axis=1)  # shape (states, units)
    rallied, routed, destroyed = (
        weights @ (beyond == RALLIED),
        weights @ (beyond < 0),
        weights @ (beyond == DESTROYED),
    )
    then = {"p_rallied_then": rallied, "p_destroyed_then": destroyed}
    ended = {name: np.diff(each, axis=0, prepend=0) for name, each in then.items()}
    ends = sum(ended.values())
    ends[-1] += routed[-1]  # still routed: all the turns there were
    mean = Mean.of(ends.T, np.arange(1, len(ends) + 1))
    return {
        "rout": by_unit_and_turn({"p_rallied": rallied, "p_routed": routed, "p_destroyed": destroyed}),
        "time_in_rout": by_unit_and_turn(ended, turn="turns"),
        "turns_in_rout": Table({"unit": [*range(1, len(units) + 1)]}, means={"mean_turns": mean}),
        "still_routed": by_turn(weights, (beyond < 0).sum(axis=1), len(units)),
    }


def panels(rout: Rout, _: Question) -> Iterator[Panel]:
    """Each unit by turn."""
    lines = {"p_rallied": "rallied", "p_routed": "routed", "p_destroyed": "destroyed"}
    for unit in range(1, len(rout.units) + 1):
        yield Curves("rout", f"Routed unit {unit}", "turn", lines, {"unit": unit})


def applied(rout: Rout, question: Question) -> Mapping[str, bool]:
    """The rules of units in rout, and whether each can have its occasion."""
    collapsed = _is_collapsed(rout)
    return {
        "GT-5 shelter": any(unit.shelter_distance is not None for unit in rout.units),
        "GT-5 the map edge": any(unit.edge_distance is not None for unit in rout.units),
        "GT-6 flight again": True,
        "GT-6 rally": not collapsed and bool(rules.rallies(question.ruleset.most_pips - rout.pips_elsewhere, 0)),
        "GT-7 charges against routed units": rout.charged_by_cavalry + rout.charged_by_infantry > 0,
        "GT-8 collapse forbids rallying": collapsed,
    }


def warnings(rout: Rout, _: Question) -> Iterator[str]:
    """What has no effect."""
    for number, unit in enumerate(rout.units):
        if unit.in_shelter and unit.shelter_distance is not None:
            yield f"rout.units.{number}.shelter_distance has no effect: the unit is in shelter already"
