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
    disrupted: NDArray[np.int64]  # the status of each after somebody has passed through it, by that before
    dismayed: NDArray[np.int64]  # the status of each after Old Guard is made to flee, by guard, friend and that before
    old_guard: NDArray[np.bool_]
    dice: NDArray[np.int64]  # of the flight of each
    statuses: int  # that a unit can have: DESTROYED only where there is an edge

    def read(self, states: States) -> NDArray[np.int64]:
        """The status of each unit: shape (states, units)."""
        return np.asarray(states[:, np.newaxis] // self.statuses ** np.arange(len(self.order)) % self.statuses)

    def foremost_fleeing(self, now: NDArray[np.int64]) -> NDArray[np.int64]:
        """The unit that flees next; -1 for none: shape (states,)."""
        flees = now[:, self.order] == FLEEING
        return np.where(flees.any(axis=1), self.order[flees.argmax(axis=1)], -1)

    def packed(self, now: NDArray[np.int64]) -> States:
        """The states in which the units, along the last axis, have their statuses."""
        return np.asarray(now @ self.statuses ** np.arange(len(self.order)))


def units_of(column: Column) -> Units:
    """The units of a column."""
    arms = [rules.Arm[arm.upper()] for arm in (column.arm, *(friend.arm for friend in column.friends))]
    places = [Fraction(0), *(as_written(friend.distance) for friend in column.friends)]
    order = sorted(range(len(places)), key=lambda unit: (places[unit], unit))
    edge: float | Fraction = math.inf if column.edge_distance is None else as_written(column.edge_distance)
    ends = [[place + rules.flight_distance(arm, total) for total in range(TOTALS)] for place, arm in zip(places, arms)]
    statuses = int(rules.ROUTED if column.edge_distance is None else rules.DESTROYED) + 1
    dismayed = [
        [
            [rules.near_fleeing_old_guard(status, arm, float(abs(there - here))) for status in range(statuses)]
            for there, arm in zip(places, arms)
        ]
        for here in places
    ]
    return Units(
        np.array(order),
        np.argsort(order),
        np.array([[sum(place <= end for place in places) for end in row] for row in ends]),
        np.array([[rules.off_map(end, edge) for end in row] for row in ends]),
        np.array([[rules.passed_through(status, arm) for status in range(statuses)] for arm in arms]),
        np.array(dismayed),
        np.array([column.old_guard, *(friend.old_guard for friend in column.friends)]),
        np.array([rules.flight_dice(arm, rules.Arm[column.enemy.upper()]) for arm in arms]),
        statuses,
    )


def flee(units: Units, unit: int, where: NDArray[np.bool_], now: NDArray[np.int64]) -> None:
    """A unit is made to flee; if it is Old Guard its friends are dismayed at once, Old Guard among them too (GT-9).

    `now` has the units along its last axis; what is not `where` stays as it is.
    """
    now[..., unit] = np.where(where, FLEEING, now[..., unit])
    if units.old_guard[unit] and where.any():
        for friend in range(len(units.order)):
            if friend != unit:
                change(units, friend, where, now, units.dismayed[unit, friend])


def change(
    units: Units, friend: int, where: NDArray[np.bool_], now: NDArray[np.int64], statuses: NDArray[np.int64]
) -> None:
    """Another status for a friend, by that which it has; it may be made to flee."""
    before = now[..., friend].copy()
    now[..., friend] = np.where(where, statuses[before], before)
    flee(units, friend, (now[..., friend] == FLEEING) & (before != FLEEING), now)


def after_flight(units: Units, states: States) -> States:
    """The states after the next flight: all whom it passes through are disrupted, the nearest first (GT-5)."""
    after, before = np.repeat(states[:, np.newaxis], TOTALS, axis=1), units.read(states)
    fleeing = units.foremost_fleeing(before)
    for unit in np.unique(fleeing[fleeing >= 0]).tolist():
        now = np.repeat(before[fleeing == unit, np.newaxis], TOTALS, axis=1)
        now[..., unit] = np.where(units.off_map[unit], rules.DESTROYED, rules.ROUTED)
        for rank in range(units.ranks[unit] + 1, units.passed[unit].max()):
            friend = units.order[rank]
            passed = np.broadcast_to(rank < units.passed[unit], now.shape[:-1])
            change(units, friend, passed, now, units.disrupted[friend])
        after[fleeing == unit] = units.packed(now)
    return after


def dice_of_flight(units: Units, states: States) -> States:
    """How many dice the next flight takes: shape (states,)."""
    fleeing = units.foremost_fleeing(units.read(states))
    return np.where(fleeing >= 0, units.dice[fleeing], 0)


def after_first_flees(units: Units, states: States) -> States:
    """The states after the first unit, eager until now, is made to flee: shape (states, 1)."""
    now = units.read(states)
    flee(units, 0, np.ones(len(states), np.bool_), now)
    return units.packed(now)[:, np.newaxis]


def chain(column: Column, _: Question) -> Chain:
    """Which friends are shaken, then the first is made to flee, then flight after flight until nobody is left to."""
    units = units_of(column)
    count = len(units.order)
    phases = [_shaking(units, place, friend.shaken) for place, friend in enumerate(column.friends, start=1)]
    flight = Phase(partial(after_flight, units), DIE, partial(dice_of_flight, units))
    flights = (*[flight] * (count - 1), replace(flight, recorded=True))
    extent = Extent(f"a flight through {count - 1} friends, each with {units.statuses} states", "fewer friends")
    phases.append(Phase(partial(after_first_flees, units)))
    return Chain(0, (*phases, *flights), units.statuses**count, extent)


def _shaking(units: Units, place: int, probability: float) -> Phase:
    """Whether a friend, eager until now, is shaken from the start."""
    digit = units.statuses**place

    def after(states: States) -> States:
        eager = states // digit % units.statuses == rules.EAGER
        return np.column_stack([states, np.where(eager, states + digit * rules.SHAKEN, states)])

    return Phase(after, bernoulli(probability), 1)


def tables(column: Column, _: Question, recorded: Recorded) -> dict[str, Table]:
    """`chain`: how many friends flee; `friends`: what becomes of each; `joint`: of all together."""
    units, (states, weights) = units_of(column), recorded
    (pmf,) = weights
    statuses = units.read(states)
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
