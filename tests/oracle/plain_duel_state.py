"""The state of a duel in the plain reading: sides, moves, and who may aim."""

from fractions import Fraction
from typing import NamedTuple

from tests.oracle import plain_reading as plain
from tests.oracle.plain_units import DEFAULT_UNIT, Unit, value_of

DEFAULT_SIDE = {
    **DEFAULT_UNIT,
    **dict.fromkeys(("on_lookout", "taking_cover", "reloading", "obstacle", "ammo_supply"), False),
    "concealed": False,  # to the enemy's ranged attacks
    "speed": None,
    "exposed": None,  # models that ranged attacks on it prioritise
    "charge": {},  # the circumstances of this unit's charges: outflanked, supported, ...
}
DEFAULT_DUEL = {
    **{"a": None, "b": None, "policy_a": "shoot", "policy_b": "shoot", "rounds": 6, "first": "a"},
    **{"distance": None, "replacement": True, "ruleset": {}},
}
OTHER = {"a": "b", "b": "a"}


class Side(NamedTuple):
    unit: Unit
    on_lookout: bool = False
    taking_cover: bool = False
    reloading: bool = False


class Duel(NamedTuple):
    """The state of a duel. `hunted` are the points of Hunter; those of annihilations follow from the units' fates."""

    a: Side
    b: Side
    distance: Fraction | int | None = None
    deck_a: tuple = ()
    deck_b: tuple = ()
    hunted_a: int = 0
    hunted_b: int = 0


class Field(NamedTuple):
    a: dict
    b: dict
    policy_a: str
    policy_b: str
    die: dict
    deck: tuple
    replacement: bool


class Turn(NamedTuple):
    """What an activation knows besides the duel."""

    side: str
    duel: Duel
    was_suppressed: bool
    was_disordered: bool
    rallied: bool = True
    charged: bool = False


def change(duel, side, **what):
    """A duel with one side changed: its unit's facts or its own statuses."""
    now = getattr(duel, side)
    own = {key: value for key, value in what.items() if key in Side._fields}
    of_unit = {key: value for key, value in what.items() if key not in Side._fields}
    if of_unit:
        own["unit"] = own.get("unit", now.unit)._replace(**of_unit)
    return duel._replace(**{side: now._replace(**own)})


def unit_of(duel, side):
    return getattr(duel, side).unit


def is_over(duel):
    """Whether a unit is annihilated, broken or fled (AC-9.2)."""
    return bool(duel.a.unit.fate or duel.b.unit.fate)


def moves(field, duel, side):
    """What a unit loses by moving: taking cover, on lookout."""
    return change(duel, side, taking_cover=False, on_lookout=False)


def advance(field, duel, side, inches):
    """Move so many inches towards the enemy, away from the own edge; not without a distance, not in a building."""
    if duel.distance is None or unit_of(duel, side).garrisoned:
        return duel
    inches = min(inches, max(0, duel.distance - 1))
    if inches == 0:
        return duel
    edge = unit_of(duel, side).edge_distance
    duel = moves(field, duel._replace(distance=duel.distance - inches), side)
    return in_fumes(field, change(duel, side, edge_distance=None if edge is None else edge + inches))


def in_fumes(field, duel):
    """Both units where they stand: within X" of Corrosive Fumes (X) they are disordered (AC-7)."""
    if duel.distance is None or is_over(duel):
        return duel
    for side in "ab":
        facts, enemy = getattr(field, side), getattr(field, OTHER[side])
        near = plain.has_rule(enemy, "Corrosive Fumes") and duel.distance <= value_of(enemy, "Corrosive Fumes")
        if near and not facts["near_commander"] and not plain.has_rule(facts, "Automata"):
            duel = change(duel, side, disordered=True)
    return duel


def speed(field, side):
    return getattr(field, side)["speed"] or 0


def can_aim(turn):
    """Whether the unit has its movement step, and is not in a building: all it could do there is to exit."""
    return turn.rallied and not unit_of(turn.duel, turn.side).garrisoned
