"""A flight through friends, and theirs through others: the chain reaction (GT-5, GT-9).

A state is the status of every unit as one integer, the first to flee as the lowest digit. Units flee one after the
other, the foremost first: each makes its whole move before the next begins. Old Guard dismays its friends at the moment
at which it is made to flee.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Chain, Extent, Phase, Recorded, States, bernoulli
from analyser.morale.games.grande_tactique import rules
from analyser.morale.games.grande_tactique.flight import DIE, TOTALS
from analyser.morale.games.grande_tactique.question import Column, Question
from analyser.morale.panels import Bars, Panel
from analyser.morale.questions import as_written
from analyser.morale.tables import Mean, Table

FLEEING = rules.FLEEING
_NAMES = {rules.EAGER: "eager", rules.SHAKEN: "shaken", rules.ROUTED: "routed", rules.DESTROYED: "off the map"}


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
    places = [Fraction(0), *(as_written(friend.distance) for friend in column.friends)]
    order = sorted(range(len(places)), key=lambda unit: (places[unit], unit))
    edge: float | Fraction = math.inf if column.edge_distance is None else as_written(column.edge_distance)
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


def chain(column: Column, _: Question) -> Chain:
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


def tables(column: Column, _: Question, recorded: Recorded) -> dict[str, Table]:
    """`chain`: how many friends flee; `friends`: what becomes of each; `joint`: of all together."""
    units, (states, weights) = units_of(column), recorded
    (pmf,) = weights
    statuses = states[:, np.newaxis] // units.statuses ** np.arange(len(units.order)) % units.statuses
    friends, destroyed = statuses[:, 1:], statuses[:, 1:] == rules.DESTROYED
    fled = friends >= rules.ROUTED
    fleeing, count = fled.sum(axis=1), friends.shape[1]
    numbers = [*range(count + 1)]
    of_numbers = {
        "p_exactly": np.array([pmf[fleeing == number].sum() for number in numbers]),
        "p_at_least": np.array([pmf[fleeing >= number].sum() for number in numbers]),
    }
    of_friends = {
        "p_eager": pmf @ (friends == rules.EAGER),
        "p_shaken": pmf @ (friends == rules.SHAKEN),
        "p_routed": pmf @ (fled & ~destroyed),
        "p_off_map": pmf @ destroyed,
    }
    keys = {
        "friend": numbers[1:],
        "arm": [friend.arm for friend in column.friends],
        "distance": [friend.distance for friend in column.friends],
    }
    names = ["first", *(f"friend_{friend}" for friend in numbers[1:])]
    rows = [(*map(_NAMES.get, statuses[state].tolist()), pmf[state]) for state in np.flatnonzero(pmf)]
    return {
        "chain": Table({"friends": numbers}, of_numbers),
        "chain_means": Table({"units": [count]}, means={"mean_friends_fleeing": Mean.of(weights, fleeing)}),
        "friends": Table(keys, of_friends),
        "joint": Table.of_rows(names, rows),
    }


def panels(_: Column, __: Question) -> Iterator[Panel]:
    """How many friends flee."""
    yield Bars("chain", "P(exactly so many friends flee)", "friends", "p_exactly")


def applied(column: Column, _: Question) -> Mapping[str, bool]:
    """The rules of a flight through friends, and whether each can have its occasion."""
    return {
        "GT-1 artillery does not rout by chain": any(friend.arm == "artillery" for friend in column.friends),
        "GT-3 flight distance": True,
        "GT-5 flight through friends": True,
        "GT-5 the map edge": column.edge_distance is not None,
        "GT-9 Old Guard that flees": column.old_guard or any(friend.old_guard for friend in column.friends),
    }
