"""A flight through friends, and theirs through others: the chain reaction (GT-5, GT-9).

A state is the status of every unit as one whole number, the first to flee as the lowest digit. Units flee one after
the other, the foremost first: each makes its whole move before the next begins. Old Guard dismays its friends at the
moment at which it is made to flee.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Chain, Extent, Phase, Recorded, States, bernoulli, sided
from analyser.morale.grande_tactique import rules
from analyser.morale.grande_tactique.question import Column, inches
from analyser.morale.result import Mean, Table

DIE = sided(6)
TOTALS = rules.FLIGHT_DICE * DIE.highest + 1
FLEEING = rules.FLEEING


class Units(NamedTuple):
    """The units as numbers, the one that flees first first; shapes (units,), (units, totals), (units, units)."""

    order: NDArray[np.int64]  # the units from the foremost back; of those in the same place, that of the list
    ranks: NDArray[np.int64]  # of each unit in that order
    passed: NDArray[np.int64]  # how many ranks, its own included, a flight with a total of its dice covers
    off_map: NDArray[np.bool_]  # where that flight ends
    apart: NDArray[np.float64]  # inches
    arms: NDArray[np.int64]
    old_guard: NDArray[np.int64]
    enemy: int
    statuses: int  # that a unit can have: DESTROYED only where there is an edge


def units_of(column: Column) -> Units:
    """The units of a column."""
    arms = [rules.Arm[arm.upper()] for arm in (column.arm, *(friend.arm for friend in column.friends))]
    places = [Fraction(0), *(inches(friend.distance) for friend in column.friends)]
    order = sorted(range(len(places)), key=lambda unit: (places[unit], unit))
    edge: float | Fraction = math.inf if column.edge_distance is None else inches(column.edge_distance)
    ends = [[place + rules.flight_distance(arm, total) for total in range(TOTALS)] for place, arm in zip(places, arms)]
    statuses = int(rules.ROUTED if column.edge_distance is None else rules.DESTROYED) + 1
    return Units(
        np.array(order),
        np.argsort(order),
        np.array([[sum(place <= end for place in places) for end in row] for row in ends]),
        np.array([[rules.off_map(end, edge) for end in row] for row in ends]),
        np.array([[float(abs(there - here)) for there in places] for here in places]),
        np.array(arms, np.int64),
        np.array([column.old_guard, *(friend.old_guard for friend in column.friends)], np.int64),
        int(rules.Arm[column.enemy.upper()]),
        statuses,
    )


@step
def unpack(state: int, statuses: int, units: NDArray[np.int64]) -> None:
    """The status of every unit."""
    for unit in range(len(units)):
        units[unit] = state % statuses
        state //= statuses


@step
def pack(statuses: int, units: NDArray[np.int64]) -> int:
    """The state in which every unit has its status."""
    state = 0
    for unit in range(len(units) - 1, -1, -1):
        state = state * statuses + units[unit]
    return state


@step
def foremost_fleeing(units: Units, now: NDArray[np.int64]) -> int:
    """The unit that flees next; -1 for none."""
    for unit in units.order:
        if now[unit] == FLEEING:
            return int(unit)
    return -1


@step
def dismay(units: Units, guard: int, now: NDArray[np.int64]) -> None:
    """The friends of Old Guard that is made to flee are dismayed at once, those of Old Guard among them too (GT-9)."""
    fleeing = np.zeros(len(now), np.int64)  # Old Guard whose friends are still to be dismayed
    fleeing[guard] = units.old_guard[guard]
    while fleeing.any():
        guard = int(np.argmax(fleeing))
        fleeing[guard] = 0
        for friend in range(len(now)):
            if friend == guard:
                continue
            before = now[friend]
            now[friend] = rules.near_fleeing_old_guard(before, units.arms[friend], units.apart[guard, friend])
            if before != FLEEING and now[friend] == FLEEING:
                fleeing[friend] = units.old_guard[friend]


@step
def flee(units: Units, fleeing: int, rolled: int, now: NDArray[np.int64]) -> None:
    """Move one unit: all whom it passes through are disrupted, the nearest first."""
    now[fleeing] = rules.DESTROYED if units.off_map[fleeing, rolled] else rules.ROUTED
    for rank in range(units.ranks[fleeing] + 1, units.passed[fleeing, rolled]):
        friend = units.order[rank]
        before = now[friend]
        now[friend] = rules.passed_through(before, units.arms[friend])
        if before != FLEEING and now[friend] == FLEEING:
            dismay(units, friend, now)


@kernel
def after_flight(units: Units, totals: int, states: States) -> States:
    """The states after the next flight: shape (states, totals)."""
    after, now = np.empty((len(states), totals), np.int64), np.empty(len(units.order), np.int64)
    for row, state in enumerate(states):
        unpack(state, units.statuses, now)
        fleeing = foremost_fleeing(units, now)
        for rolled in range(totals):
            if fleeing >= 0:
                unpack(state, units.statuses, now)
                flee(units, fleeing, rolled, now)
                after[row, rolled] = pack(units.statuses, now)
            else:
                after[row, rolled] = state
    return after


@kernel
def dice_of_flight(units: Units, states: States) -> States:
    """How many dice the next flight takes: shape (states,)."""
    dice, now = np.zeros(len(states), np.int64), np.empty(len(units.order), np.int64)
    for row, state in enumerate(states):
        unpack(state, units.statuses, now)
        fleeing = foremost_fleeing(units, now)
        if fleeing >= 0:
            dice[row] = rules.flight_dice(units.arms[fleeing], units.enemy)
    return dice


@kernel
def after_first_flees(units: Units, states: States) -> States:
    """The states after the first unit, eager until now, is made to flee: shape (states, 1)."""
    after, now = np.empty((len(states), 1), np.int64), np.empty(len(units.order), np.int64)
    for row, state in enumerate(states):
        unpack(state, units.statuses, now)
        now[0] = FLEEING
        dismay(units, 0, now)
        after[row, 0] = pack(units.statuses, now)
    return after


def chain(column: Column) -> Chain:
    """Which friends are shaken, then the first is made to flee, then flight after flight until nobody is left to."""
    units = units_of(column)
    count = len(units.order)
    phases = [_shaking(units, place, friend.shaken) for place, friend in enumerate(column.friends, start=1)]
    flight = Phase(partial(after_flight, units, TOTALS), DIE, partial(dice_of_flight, units))
    flights = (*[flight] * (count - 1), replace(flight, recorded=True))
    extent = Extent(f"a flight through {count - 1} friends, each with {units.statuses} states", "fewer friends")
    phases.append(Phase(partial(after_first_flees, units)))
    return Chain(0, (*phases, *flights), units.statuses**count, extent)


def _shaking(units: Units, place: int, chance: float) -> Phase:
    """Whether a friend, eager until now, is shaken from the start."""
    digit = units.statuses**place

    def after(states: States) -> States:
        eager = states // digit % units.statuses == rules.EAGER
        return np.column_stack([states, np.where(eager, states + digit * rules.SHAKEN, states)])

    return Phase(after, bernoulli(chance), 1)


def tables(column: Column, recorded: Recorded) -> dict[str, Table]:
    """`chain`: how many friends flee; `friends`: what becomes of each; `joint`: of all together."""
    states, (law,) = recorded
    units = units_of(column)
    statuses = states[:, np.newaxis] // units.statuses ** np.arange(len(units.order)) % units.statuses
    friends = statuses[:, 1:]
    fled = friends >= rules.ROUTED
    numbers = fled.sum(axis=1)
    count = friends.shape[1]
    exactly = np.array([law[numbers == number].sum() for number in range(count + 1)])
    at_least = np.array([law[numbers >= number].sum() for number in range(count + 1)])
    destroyed = statuses == rules.DESTROYED
    chances = {
        "p_eager": law @ (friends == rules.EAGER),
        "p_shaken": law @ (friends == rules.SHAKEN),
        "p_routed": law @ (fled & ~destroyed[:, 1:]),
        "p_off_map": law @ destroyed[:, 1:],
    }
    shown = np.flatnonzero(law)
    joint = {
        name: [_NAMES[status] for status in statuses[shown, unit]]
        for unit, name in enumerate(["first", *(f"friend_{friend + 1}" for friend in range(count))])
    }
    return {
        "chain": Table({"friends": list(range(count + 1))}, {"p_exactly": exactly, "p_at_least": at_least}, {}),
        "chain_means": Table({"units": [count]}, {}, {"mean_friends_fleeing": Mean.of(recorded.weights, numbers)}),
        "friends": Table({"friend": list(range(1, count + 1)), "arm": [friend.arm for friend in column.friends],
                          "distance": [friend.distance for friend in column.friends]}, chances, {}),
        "joint": Table(joint, {"probability": law[shown]}, {}),
    }  # fmt: skip


_NAMES = {rules.EAGER: "eager", rules.SHAKEN: "shaken", rules.ROUTED: "routed", rules.DESTROYED: "off the map"}
