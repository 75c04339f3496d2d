"""Routed units of a corps, turn by turn: rallied, fleeing again, charged, destroyed (GT-6 to GT-8).

A unit's condition is the number of flights since its first, or one of two that come after those: rallied, destroyed.
A state is the conditions of all units as one whole number, the first unit as the lowest digit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Chain, Die, Extent, Phase, Recorded, States, sided
from analyser.morale.grande_tactique import rules
from analyser.morale.grande_tactique.question import Rout, RoutedUnit, Ruleset, inches
from analyser.morale.result import Mean, Table

RALLIED, DESTROYED = range(2)  # after the flights
ENDS = 2
NO_CHARGE, BY_CAVALRY, BY_INFANTRY = range(3)
NEVER = 1 << 20  # flights


class Units(NamedTuple):
    """The units as whole numbers; shapes (units,)."""

    to_edge: NDArray[np.int64]  # flights until it is off the map
    to_shelter: NDArray[np.int64]  # and until it is in woods or a built-up area
    flights: NDArray[np.int64]  # how many numbers of flights are told apart
    cannot_rally: int
    elsewhere: int  # PIPs


def units_of(rout: Rout, ruleset: Ruleset) -> Units:
    """The units of a question."""
    most = 2 * turns_of(rout, ruleset)  # flights: one for want of PIPs and one for a charge, each turn
    to_shelter = [_to_shelter(unit, most) for unit in rout.units]
    to_edge = [_to_edge(unit, shelter, most) for unit, shelter in zip(rout.units, to_shelter)]
    flights = [_told_apart(*each) for each in zip(to_edge, to_shelter)]
    collapsed = rout.standing is not None and rules.has_collapsed(rout.standing, len(rout.units))
    return Units(np.array(to_edge), np.array(to_shelter), np.array(flights), int(collapsed), rout.pips_elsewhere)


def turns_of(rout: Rout, ruleset: Ruleset) -> int:
    """Turns to play."""
    return rout.turns or ruleset.turns


def _flights(unit: RoutedUnit, length: Fraction) -> int:
    """Flights after which a unit has covered a length (GT-6)."""
    return max(math.ceil(length / rules.flight_distance(rules.Arm[unit.arm.upper()], 0)), 1)


def _to_shelter(unit: RoutedUnit, most: int) -> int:
    """Flights until a unit is in shelter, if it is not off the map before; NEVER for more than `most`."""
    if unit.in_shelter:
        return 0
    if unit.shelter_distance is None:
        return NEVER
    flights = _flights(unit, inches(unit.shelter_distance))
    off_before = unit.edge_distance is not None and _flights(unit, inches(unit.edge_distance)) < flights
    return NEVER if off_before or flights > most else flights


def _to_edge(unit: RoutedUnit, to_shelter: int, most: int) -> int:
    """Flights until a unit is off the map; the one into shelter goes no further than the shelter (GT-5)."""
    if unit.edge_distance is None:
        return NEVER
    flights = _flights(unit, inches(unit.edge_distance))
    if 0 < to_shelter < NEVER and unit.shelter_distance is not None:
        flights = to_shelter + _flights(unit, inches(unit.edge_distance) - inches(unit.shelter_distance))
    return flights if flights <= most else NEVER


def _told_apart(to_edge: int, to_shelter: int) -> int:
    """How many numbers of flights lead to different things; the last stands for all that are higher."""
    if to_edge < NEVER:
        return to_edge
    return to_shelter + 2 if to_shelter < NEVER else 1


@step
def after_flight(units: Units, unit: int, flights: int) -> int:
    """The condition after one more flight; woods on the way come before the edge (GT-5, GT-6)."""
    flights += 1
    if flights >= units.to_edge[unit]:
        return int(units.flights[unit] + DESTROYED)
    return int(min(flights, units.flights[unit] - 1))


@step
def is_sheltered(units: Units, unit: int, flights: int) -> bool:
    """Whether a routed unit is in woods or a built-up area."""
    return bool(flights == units.to_shelter[unit])


@step
def is_routed(units: Units, unit: int, condition: int) -> bool:
    """Whether a unit is in rout, in the open or in shelter."""
    return bool(condition < units.flights[unit])


@step
def rally_or_flee(units: Units, now: NDArray[np.int64], pips: int) -> None:
    """The end of a PIP phase: units rally in order as far as PIPs go, the others flee again (GT-6)."""
    pips = max(pips - units.elsewhere, 0)
    for unit in range(len(now)):
        if not is_routed(units, unit, now[unit]):
            continue
        if rules.rallies(pips, units.cannot_rally):
            pips -= rules.RALLY_COST
            now[unit] = units.flights[unit] + RALLIED
        elif not is_sheltered(units, unit, now[unit]):
            now[unit] = after_flight(units, unit, now[unit])


@step
def charge(units: Units, now: NDArray[np.int64], unit: int, enemy: int) -> None:
    """A charge on a routed unit, no dice (GT-7); infantry can charge it out of its shelter (GT-6)."""
    if enemy == NO_CHARGE or not is_routed(units, unit, now[unit]):
        return
    if rules.dies_charged_in_rout(rules.CAVALRY if enemy == BY_CAVALRY else rules.INFANTRY):
        now[unit] = units.flights[unit] + DESTROYED
    else:
        now[unit] = after_flight(units, unit, now[unit])


@kernel
def tabulated(units: Units, charged: int, totals: int, states: States) -> States:
    """The states after a charge on one unit or, for `charged` -1, after a PIP phase: shape (states, totals)."""
    conditions = units.flights + ENDS
    after = np.empty((len(states), totals), np.int64)
    now = np.empty(len(conditions), np.int64)
    for row, state in enumerate(states):
        for total in range(totals):
            rest = state
            for unit in range(len(now)):
                now[unit] = rest % conditions[unit]
                rest //= conditions[unit]
            if charged < 0:
                rally_or_flee(units, now, total)
            else:
                charge(units, now, charged, total)
            packed = 0
            for unit in range(len(now) - 1, -1, -1):
                packed = packed * conditions[unit] + now[unit]
            after[row, total] = packed
    return after


def chain(rout: Rout, ruleset: Ruleset) -> Chain:
    """Turns of a PIP phase and the charges after it; the law at the end of each is recorded."""
    units = units_of(rout, ruleset)
    pips = sided(ruleset.pip_sides)
    in_pip_phase = partial(tabulated, units, -1, ruleset.pip_dice * pips.highest + 1)
    charged = rout.charged_by_cavalry, rout.charged_by_infantry
    turn = [Phase(in_pip_phase, pips, ruleset.pip_dice, recorded=not any(charged))]
    if any(charged):
        enemy = Die((1.0 - sum(charged), *charged))
        last = len(rout.units) - 1
        turn += [
            Phase(partial(tabulated, units, unit, 3), enemy, 1, recorded=unit == last)
            for unit in range(len(rout.units))
        ]
    size = math.prod((units.flights + ENDS).tolist())
    return Chain(0, tuple(turn) * turns_of(rout, ruleset), size, _extent(units))


def _extent(units: Units) -> Extent:
    flights = int(units.flights.max())
    return Extent(
        f"{len(units.flights)} units in rout, each by its flights (up to {flights}), rallied or destroyed",
        "fewer units, nearer edges, or no edge_distance",
    )


def tables(rout: Rout, ruleset: Ruleset, recorded: Recorded) -> dict[str, Table]:
    """`rout`: each unit by turn; `time_in_rout`: when its rout ended, and how; `still_routed`: how many at once."""
    units, turns, count = units_of(rout, ruleset), turns_of(rout, ruleset), len(rout.units)
    states, laws = recorded
    conditions = units.flights + ENDS
    digits = np.concatenate([[1], np.cumprod(conditions)[:-1]])
    beyond = states[:, np.newaxis] // digits % conditions - units.flights  # shape (states, units)
    rallied, routed, destroyed = (
        laws @ (beyond == RALLIED),
        laws @ (beyond < RALLIED),
        laws @ (beyond == DESTROYED),
    )
    by_unit = {"unit": np.repeat(range(1, count + 1), turns).tolist(), "turn": [*range(1, turns + 1)] * count}
    ended = {name: np.diff(each, axis=0, prepend=0) for name, each in (("rallied", rallied), ("destroyed", destroyed))}
    ends = sum(ended.values())
    ends[-1] += routed[-1]  # still routed: all the turns there were
    numbers = (beyond < RALLIED).sum(axis=1)
    still = laws @ (numbers[:, np.newaxis] == np.arange(count + 1))
    return {
        "rout": Table(
            by_unit, {f"p_{name}": each.T.ravel() for name, each in
                      (("rallied", rallied), ("routed", routed), ("destroyed", destroyed))}, {},
        ),
        "time_in_rout": Table(
            {"unit": by_unit["unit"], "turns": by_unit["turn"]},
            {f"p_{name}_then": each.T.ravel() for name, each in ended.items()}, {},
        ),
        "turns_in_rout": Table(
            {"unit": [*range(1, count + 1)]}, {}, {"mean_turns": Mean.of(ends.T, np.arange(1, turns + 1))}
        ),
        "still_routed": Table(
            {"turn": np.repeat(range(1, turns + 1), count + 1).tolist(), "units": [*range(count + 1)] * turns},
            {"probability": still.ravel()}, {},
        ),
    }  # fmt: skip
