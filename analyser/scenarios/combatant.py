"""A unit in a longer fight: what it can do in close quarters, and what a user should know about it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter
from typing import get_args

from analyser.common.errors import InputError
from analyser.game.profiles import Profiles
from analyser.game.units import Row, RowKind, attack_dice
from analyser.scenarios.resolve import about_target, more_than_level, unknown_names
from analyser.scenarios.schema import Combatant, Target

NO_CLOSE_QUARTERS_AGAINST = ("aircraft", "rotorcraft")  # the manoeuvre of AC-8.1 cannot choose them
CAN_BE_OUTFLANKED = ("infantry", "cavalry", "field gun")  # AC-8.2


def keeps_damage(unit: Target) -> bool:
    """Whether damage can be left on a model of a unit, and not only destroy it (AC-3.8)."""
    return (unit.damage_limit or 1) > 1


def _rows_for_contact(unit: Combatant, *kinds: RowKind) -> list[Row]:
    """The rows of those kinds, the one that the unit names for close quarters first."""
    rows = [row for row in unit.rows or () if row.kind in kinds]
    return sorted(rows, key=lambda row: row.id != unit.close_quarters_row)


def charge_row(unit: Combatant, where: str) -> Row:
    """The melee or impact row that a unit charges with (AC-8.1); InputError if it has none, or is Static (AC-7)."""
    if unit.has("Static"):
        raise InputError("a Static unit cannot charge (AC-7)", where=where, allowed="another unit")
    rows = _rows_for_contact(unit, "melee", "impact")
    if not rows:
        ids = ", ".join(row.id for row in unit.rows or ()) or "no rows"
        problem = f"{unit.unit or 'the unit'} has {ids}, and no melee or impact row to charge with (AC-8.1)"
        raise InputError(problem, where=where, allowed="a unit with a melee or impact row")
    return rows[0]


def retaliation_rows(unit: Combatant) -> list[Row]:
    """The melee row that a unit strikes back with; none where it has none (AC-8.3)."""
    return _rows_for_contact(unit, "melee")[:1]


def may_charge(unit: Combatant, enemy: Combatant, policy: str) -> bool:
    """Whether a duellist can come to charge: by its policy, or made to by a rule (Berserk, Run Amok of AC-7)."""
    if policy == "charge":
        return True
    if not unit.has("Berserk", "Run Amok") or unit.has("Static"):
        return False
    return _can_be_charged(enemy) and bool(_rows_for_contact(unit, "melee", "impact"))


def _can_be_charged(unit: Combatant) -> bool:
    return unit.type not in NO_CLOSE_QUARTERS_AGAINST and not unit.aircraft


def check_can_be_charged(unit: Combatant, where: str) -> None:
    """Raise InputError for a unit that cannot be charged (AC-8.1)."""
    if not _can_be_charged(unit):
        problem = f"{unit.unit or 'the target'} cannot be charged: {unit.type or 'aircraft'} (AC-8.1)"
        raise InputError(problem, where=where, allowed="a unit on the ground")


def can_fail_to_rally(unit: Combatant) -> bool:
    """Whether a unit can fail a rally test: it takes one, and by a card (AC-5.6, AC-7)."""
    passes = unit.has("Automata", "Irrepressible", "Hot Headed")
    return unit.discipline is not None and not unit.peer_review and not passes


def count_of(unit: Combatant) -> int:
    """What picks the band of a row: models, or the damage on a behemoth (AC-2.3)."""
    return unit.damage if unit.behemoth else unit.models or 0


def check_has_dice(unit: Combatant, row: Row, where: str) -> None:
    """Raise InputError unless the grid has attack dice for the unit's models, or damage (AC-2.4)."""
    try:
        attack_dice(row, count_of(unit))
    except InputError as error:
        raise error.inside(f"{where}.{'damage' if unit.behemoth else 'models'}") from None


# --- warnings -----------------------------------------------------------------------------------------------


def about_combatant(unit: Combatant, where: str, stated: Combatant, profiles: Profiles) -> Iterator[str]:
    """The warnings of a unit in whatever fight: as it was `stated` in the section `where`, and as resolved."""
    rows = unit.rows or ()
    yield from unknown_names((quality for row in rows for quality in row.qualities), f"quality in {where}.rows")
    yield from unknown_names(unit.keywords, f"special rule in {where}.rules")
    for row in rows:
        bands = sorted(row.bands, key=attrgetter("first"))
        if any(one.last >= other.first for one, other in pairwise(bands)):
            yield f"{where}.rows: bands of row {row.id!r} overlap; the first that fits counts"
    if unit.carriages and not any_row_has(unit, "Full Steam Ahead"):
        yield f"{where}.carriages has no effect: no row has Full Steam Ahead"
    loadout = None if stated.unit is None else profiles.loadout(stated.unit)
    yield from more_than_level(unit.models, loadout, f"{where}.models")
    yield from about_target(unit, where)


def about_overrun(unit: Combatant, where: str) -> Iterator[str]:
    """A warning where `overrun = false` is stated of a unit without Overrun; `where`: the section of how it charges."""
    if not unit.charge.overrun and not unit.has("Overrun"):
        yield f"{where}.overrun has no effect: the unit does not have Overrun (AC-7)"


def about_overcharge(unit: Combatant, where: str) -> Iterator[str]:
    """A warning where `overcharge` is stated of a unit that cannot overcharge in close quarters."""
    if unit.overcharge and not any_row_has(unit, "Overcharge", ("melee", "impact")):
        yield f"{where}.overcharge has no effect: no row for close quarters has Overcharge"


def any_row_has(unit: Combatant, quality: str, kinds: tuple[str, ...] = get_args(RowKind)) -> bool:
    """Whether a row of those kinds has the quality."""
    return any(row.has(quality) for row in unit.rows or () if row.kind in kinds)
