"""Which rows of a unit can attack a target, and why the others cannot (AC-3.1)."""

from __future__ import annotations

import math

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.game.units import Loadout, Row, row_id
from analyser.scenarios.schema import Attack, Target


def fitting_rows(attack: Attack, attacker: Loadout, target: Target) -> list[Row]:
    """The rows of `attacker` that can fire at `target` under the conditions of `attack` (AC-4.1, AC-6)."""
    return [row for row in attacker.unit.rows if why_not(row, attack, attacker, target) is None]


def why_not(row: Row, attack: Attack, attacker: Loadout, target: Target) -> str | None:
    """Why `row` cannot make this attack, or None if it can."""
    if row.kind != "ranged":
        return f"it is a {row.kind} row"
    if target.category not in row.against:
        return f"it fires at {'/'.join(row.against)} targets, and the target is {target.category}"
    assert row.long_range is not None
    if attack.distance is not None and attack.distance > row.long_range:
        return f"its long range is {row.long_range:g}, and the distance {attack.distance:g}"
    band = row.band(band_index(attack, attacker))
    if band is None or band.dice == 0:
        return f"it has no attack dice for {band_index(attack, attacker)} {band_unit(attacker)}"
    return _quality_forbids(row, attack)


def _quality_forbids(row: Row, attack: Attack) -> str | None:
    """When a row may be used (AC-6): Slow to Fire, Move or Fire, Reactive, Indirect."""
    if row.has("Slow to Fire") and attack.attacker_reloading:
        return "it is Slow to Fire and the attacker is reloading"
    if row.has("Move or Fire") and attack.attacker_advanced:
        return "it is Move or Fire and the attacker has advanced"
    if row.has("Reactive") and not (attack.opportunity_fire or "opportunity_fire" in attack.penalties):
        return "it is Reactive: opportunity fire only"
    if row.has("Indirect") and is_short(row, attack):
        return "it is Indirect and the target is within short range"
    return None


def is_short(row: Row, attack: Attack) -> bool:
    """Whether the target is within the row's short range (AC-4.1)."""
    if attack.distance is None:
        return "short_range" in attack.bonuses
    return row.short_range is not None and attack.distance <= row.short_range


def band_index(attack: Attack, attacker: Loadout) -> int:
    """What picks the band: models, half of them in a building (AC-4.4), or a behemoth's damage (AC-2.3)."""
    if "behemoth" in attacker.unit.traits:
        return attack.attacker_damage
    models = attack.attacker_models or attacker.level.models
    return math.ceil(models / 2) if attack.attacker_garrisoned else models


def band_unit(attacker: Loadout) -> str:
    """What the bands of a unit's rows count."""
    return "damage" if "behemoth" in attacker.unit.traits else "models"


def row_asked_for(attack: Attack, attacker: Loadout, target: Target) -> Row:
    """The row that the attack names.

    Raises
    ------
    InputError
        An unknown row, or one that cannot make this attack.
    """
    rows = {row.id: row for row in attacker.unit.rows}
    written = attack.row or ""
    row = rows.get(row_id(written, rows))
    if row is None:
        hint = did_you_mean(written, rows)
        raise InputError(f"no row {shown(written)}{hint}", where="attack.row", allowed=", ".join(rows) or "no rows")
    reason = why_not(row, attack, attacker, target)
    if reason is not None:
        fitting_ids = ", ".join(each.id for each in fitting_rows(attack, attacker, target))
        problem = f"row {row.id!r} cannot make this attack: {reason}"
        problem += "" if fitting_ids else "; no other row fits"
        raise InputError(problem, where="attack.row", allowed=fitting_ids)
    return row


def no_row_fits(attack: Attack, attacker: Loadout, target: Target) -> InputError:
    """The error that no row of `attacker` can make this attack: it tells why, row by row."""
    reasons = "; ".join(f"{row.id}: {why_not(row, attack, attacker, target)}" for row in attacker.unit.rows)
    problem = f"{attacker.selector}: no row can make this attack ({reasons or 'the unit has no rows'})"
    return InputError(problem, where="attack.row")
