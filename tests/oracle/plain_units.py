"""Units in a plain reading: their facts with everything filled in, and the state that a fight can change."""

import re
from fractions import Fraction
from typing import NamedTuple

from tests.oracle import plain_reading as plain

DEFAULT_UNIT = {key: value for key, value in plain.DEFAULT_TARGET.items() if key not in ("exposed", "aircraft")} | {
    **dict.fromkeys(("victory_points", "withdrawal_without_room", "carriages"), 0),
    **{"category": "light", "damage_limit": 1, "overcharge": False, "extra_reroll": {"faces": [], "dice": 0}},
    **{"threatened": False, "passengers": None, "rows": []},  # threatened: of a secondary combatant only
    "row": None,  # the place of the row it uses among `rows`; None: the first that may be used
}
DEFAULT_COMBAT = {
    **dict.fromkeys(("outflanked", "supported", "threatened", "difficult_terrain"), False),
    "overrun": True,  # taken if the unit has the rule
}

STATE = ("damage", "suppressed", "disordered", "activated", "edge_distance")


class Unit(NamedTuple):
    """What a fight can change of a unit. `fate`: "" while it is in play, else how it was removed (AC-5.9)."""

    models: int
    damage: int = 0
    suppressed: bool = False
    disordered: bool = False
    activated: bool = False
    garrisoned: bool = False
    taking_cover: bool = False  # of the target of focus fire; in a duel its side's
    edge_distance: Fraction | int | None = None
    fell_back: bool = False
    fate: str = ""
    passengers: "Unit | None" = None


def removed(fate, unit):
    """A unit that is gone: no models, no statuses; those embarked on it are gone with it (AC-5.4, AC-8.8)."""
    passengers = unit.passengers
    if passengers is not None and not passengers.fate:
        passengers = Unit(0, fate="destroyed")
    return Unit(0, fate=fate, passengers=passengers)


def nearer_edge(unit):
    """The distance to the own edge 3" later; only falling back flees there (AC-5.4, AC-5.5)."""
    return None if unit.edge_distance is None else max(0, unit.edge_distance - 3)


def after_outcome(unit, outcome):
    """A unit as an attack or a test leaves it; one that falls back leaves cover and building (AC-5.4)."""
    if outcome.annihilated:
        return removed("broken" if outcome.broken else "fled" if outcome.fled else "destroyed", unit)
    same = {name: getattr(outcome, name) for name in ("damage", "suppressed", "disordered", "activated")}
    after = unit._replace(models=outcome.models_left, **same)
    if not outcome.fell_back:
        return after
    return after._replace(fell_back=True, taking_cover=False, garrisoned=False, edge_distance=nearer_edge(unit))


def read_unit(given):
    """The facts of a unit with everything filled in that is left out."""
    facts = plain.with_defaults(given, DEFAULT_UNIT, "unit")
    if facts["passengers"] is not None:
        facts["passengers"] = read_unit(facts["passengers"])
    return facts


def unit_of(facts):
    passengers = facts["passengers"]
    return Unit(
        **{name: facts[name] for name in (*STATE, "models", "garrisoned")},
        passengers=None if passengers is None else unit_of(passengers),
    )


def value_of(facts, rule):
    """X of a special rule such as "Sponsons (4)"; 0 without the rule (AC-7). Inches can have a fraction."""
    for written in facts["rules"]:
        found = re.fullmatch(rf"{rule} \((\d+(\.\d+)?)\)", written)
        if found:
            return Fraction(found[1]) if found[2] else int(found[1])
    return 0


def as_target(facts, unit, *, from_front=False, models=None):
    """A unit as `plain_reading` knows a target: cover and building count for nothing in close quarters (AC-4.3)."""
    shared = {key: facts[key] for key in plain.DEFAULT_TARGET.keys() & facts.keys()}
    now = {"models": unit.models if models is None else models} | {name: getattr(unit, name) for name in STATE}
    # What counts for shots alone (AC-3.9, AC-4.3).
    ignored = dict.fromkeys(("garrisoned", "taking_cover", "obstacle"), False) | {"exposed": None}
    return plain.DEFAULT_TARGET | shared | now | ignored | {"from_front": from_front and not unit.garrisoned}


def disorder(facts, unit):
    """Disordered, unless a commander is near (AC-5.8)."""
    return unit if facts["near_commander"] else unit._replace(disordered=True)
