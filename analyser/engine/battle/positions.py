"""Positions of units (BT-1): points on an open field, moves, and distances.

Squared lengths are compared where possible. A length that is rounded down is at most n if and only if the square of the
exact length is less than the square of n + 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import Whole, inlined, step
from analyser.engine.battle.battle_data import (
    LANES,
    NOWHERE,
    UNITS,
    Battle,
    Battlefield,
    Place,
    blocks_of,
    first_of,
    side_of,
    units_of,
    wide,
)
from analyser.engine.battle.log import Event, record
from analyser.rules import unit_state
from analyser.rules.battle import COMMANDED_WITHIN, floor_sqrt, length_of, moved_coordinate
from analyser.rules.discipline import DISORDERED
from analyser.rules.structs import NONE


@step
def distance_between(battle: Battle, unit: int, other: int) -> int:
    """Return the distance between two units on the field."""
    field = battle.field
    return length_of(field.x[unit] - field.x[other], field.y[unit] - field.y[other])


@inlined
def squared_distance(field: Battlefield, unit: Whole, x: int, y: int) -> Any:
    """Return the squared distance of a unit from a point; NOWHERE or more if it is not on the field."""
    dx, dy = np.int32(field.x[unit] - x), np.int32(field.y[unit] - y)
    return np.int32(np.int32(np.int32(dx * dx) + np.int32(dy * dy)) + field.off[unit])  # all in 32 bits, to vectorise


@step
def is_within(battle: Battle, unit: int, other: int, length: int) -> bool:
    """Return True if the other unit is on the field and at most `length` away."""
    field = battle.field
    squared = squared_distance(field, other, wide(field.x[unit]), wide(field.y[unit]))
    return bool(squared < (length + 1) * (length + 1))


@step
def find_nearest(battle: Battle, side: int, x: int, y: int) -> None:
    """Store the side's unit nearest to a point (if several, the first), its distance, and all squared distances."""
    field, least, result = battle.field, np.int32(NOWHERE), np.int32(UNITS)
    units = blocks_of(battle.setup.units[side]) * LANES  # unused unit numbers count as off the field
    first = first_of(side)
    for index in range(units):
        unit = np.uint64(first + index)
        squared = squared_distance(field, unit, x, y)
        field.squared[unit] = squared
        least = squared if squared < least else least
    length = floor_sqrt(wide(least))
    beyond = np.int32(min((length + 1) * (length + 1), NOWHERE))
    for index in range(units):
        near = np.int32(first + index) if field.squared[np.uint64(first + index)] < beyond else np.int32(UNITS)
        result = near if near < result else result
    field.nearest = np.int64(result) if result < UNITS else NONE  # type: ignore[assignment]
    field.nearest_length = length


@step
def move_to(battle: Battle, unit: int, x: int, y: int) -> None:
    """Move a unit to a point of the field; units near a commander recover from disorder (AC-5.8)."""
    field, setup = battle.field, battle.setup
    field.x[unit], field.y[unit], field.off[unit], field.fumes_pending = x, y, 0, 1
    side = side_of(unit)
    field.sides[unit].edge_distance = y if side == 0 else setup.table - y
    if field.states[unit] & DISORDERED and is_commanded(battle, unit):
        field.states[unit] &= ~DISORDERED
    if setup.commander[unit]:
        for friend in units_of(battle, side):
            if (
                friend != unit
                and field.states[friend] & DISORDERED
                and is_within(battle, unit, friend, COMMANDED_WITHIN)
            ):
                field.states[friend] &= ~DISORDERED


@step
def leave_field(battle: Battle, unit: int, place: int) -> None:
    """Take a unit off the field to another :class:`~.battle_data.Place`."""
    field = battle.field
    field.place[unit], field.off[unit], field.fumes_pending = place, NOWHERE, 1


@step
def place_of(battle: Battle, unit: int) -> tuple[int, int]:
    """Return the coordinates of a unit."""
    return wide(battle.field.x[unit]), wide(battle.field.y[unit])


@step
def advance(battle: Battle, unit: int, to: tuple[int, int], length: int, distance: int) -> None:
    """Move a unit by `length` toward the point with coordinates `to`, which is at `distance`."""
    x, y = place_of(battle, unit)
    move_to(battle, unit, moved_coordinate(x, to[0], length, distance), moved_coordinate(y, to[1], length, distance))


@step
def move_back(battle: Battle, unit: int, length: int) -> None:
    """Move a unit straight toward its own edge, but not beyond the edge (AC-5.4 b, AC-8.5)."""
    field = battle.field
    y, back = wide(field.y[unit]), min(length, int(field.sides[unit].edge_distance))
    move_to(battle, unit, wide(field.x[unit]), y - back if side_of(unit) == 0 else y + back)


@step
def is_commanded(battle: Battle, unit: int) -> bool:
    """Return True if a friendly commander, other than the unit, is within 6 inches (AC-5.8)."""
    setup, side = battle.setup, side_of(unit)
    if battle.field.off[unit]:
        return False
    for index in range(setup.commanders[side]):
        commander = int(setup.commander_at[side, index])
        if commander != unit and is_within(battle, unit, commander, COMMANDED_WITHIN):
            return True
    return False


@step
def is_unit_near(battle: Battle, unit: int, excluded: int, side: int, within: int) -> bool:
    """Return True if a unit of `side`, except `excluded` and `unit`, is at most `within` away from `unit`."""
    for other in units_of(battle, side):
        if other not in (excluded, unit) and is_within(battle, unit, other, within):
            return True
    return False


@step
def remove(battle: Battle, unit: int) -> None:
    """Remove a unit that is destroyed, broken or fled; the other side scores its rating (AC-5.9)."""
    leave_field(battle, unit, Place.GONE)
    if battle.field.sides[unit].spectacular_demise:
        battle.field.demise_pending = 1
    battle.field.points[1 - side_of(unit)] += battle.setup.rating[unit]
    lost = unit_state.models_lost(battle.field.states[unit])
    record(battle, Event.REMOVED, unit, 0, lost, battle.setup.rating[unit], 0)
