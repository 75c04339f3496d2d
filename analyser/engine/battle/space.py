"""Where units are (BT-1): points on an open field, the distances between enemies kept at hand."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.log import Event, note
from analyser.engine.battle.tables import NOWHERE, Battle, Place, first_of, side_of
from analyser.rules import unit_state
from analyser.rules.battle import COMMANDED_WITHIN, length_of, moved_by
from analyser.rules.discipline import DISORDERED


@step
def length_between(battle: Battle, unit: int, other: int) -> int:
    """The distance between any two units on the field."""
    field = battle.field
    return length_of(int(field.x[unit]) - int(field.x[other]), int(field.y[unit]) - int(field.y[other]))


@step
def put(battle: Battle, unit: int, x: int, y: int) -> None:
    """Put a unit on a point of the field; who is near a commander there is disordered no more (AC-5.8)."""
    field, encoding = battle.field, battle.encoding
    field.x[unit], field.y[unit] = x, y
    side = side_of(unit)
    field.sides[unit].edge_distance = y if side == 0 else encoding.table - y
    first = first_of(1 - side)
    for other in range(first, first + encoding.units[1 - side]):
        if field.place[other] == Place.ON_FIELD:
            length = length_of(int(field.x[other]) - x, int(field.y[other]) - y)
            field.distance[unit, other], field.distance[other, unit] = length, length
    if field.states[unit] & DISORDERED and is_commanded(battle, unit):
        field.states[unit] &= ~DISORDERED
    if encoding.commander[unit]:
        for friend in range(first_of(side), first_of(side) + encoding.units[side]):
            disordered = field.place[friend] == Place.ON_FIELD and field.states[friend] & DISORDERED != 0
            if friend != unit and disordered and length_between(battle, unit, friend) <= COMMANDED_WITHIN:
                field.states[friend] &= ~DISORDERED


@step
def take_off(battle: Battle, unit: int, place: int) -> None:
    """A unit leaves the field: nobody is near it any more."""
    field = battle.field
    field.place[unit] = place
    first = first_of(1 - side_of(unit))
    for other in range(first, first + battle.encoding.units[1 - side_of(unit)]):
        field.distance[unit, other], field.distance[other, unit] = NOWHERE, NOWHERE


@step
def advance(battle: Battle, unit: int, other: int, length: int) -> None:
    """Move a unit so far toward another one."""
    field = battle.field
    x, y, distance = int(field.x[unit]), int(field.y[unit]), int(field.distance[unit, other])
    to_x, to_y = int(field.x[other]), int(field.y[other])
    put(battle, unit, moved_by(x, to_x, length, distance), moved_by(y, to_y, length, distance))
    note(battle, Event.MOVED, unit, other, length, 0, 0)


@step
def set_back(battle: Battle, unit: int, length: int) -> None:
    """Move a unit straight toward its own edge, and not beyond it (AC-5.4 b, AC-8.5)."""
    field = battle.field
    y, back = int(field.y[unit]), min(length, int(field.sides[unit].edge_distance))
    put(battle, unit, int(field.x[unit]), y - back if side_of(unit) == 0 else y + back)


@step
def is_commanded(battle: Battle, unit: int) -> bool:
    """Whether another friendly unit that is a commander is within 6 inches (AC-5.8)."""
    field, encoding = battle.field, battle.encoding
    side = side_of(unit)
    for friend in range(first_of(side), first_of(side) + encoding.units[side]):
        leads = encoding.commander[friend] and friend != unit and field.place[friend] == Place.ON_FIELD
        if leads and length_between(battle, unit, friend) <= COMMANDED_WITHIN:
            return True
    return False


@step
def is_beside(battle: Battle, unit: int, but: int, of: int, within: int) -> bool:
    """Whether a unit of that side other than `but` stands so near the point of `unit`."""
    field = battle.field
    for other in range(first_of(of), first_of(of) + battle.encoding.units[of]):
        counts = other not in (but, unit) and field.place[other] == Place.ON_FIELD
        if counts and length_between(battle, unit, other) <= within:
            return True
    return False


@step
def remove(battle: Battle, unit: int) -> None:
    """A unit that is destroyed, broken or fled: the other side scores its rating (AC-5.9)."""
    take_off(battle, unit, Place.GONE)
    battle.field.points[1 - side_of(unit)] += battle.encoding.rating[unit]
    note(battle, Event.REMOVED, unit, 0, unit_state.lost_of(battle.field.states[unit]), battle.encoding.rating[unit], 0)
