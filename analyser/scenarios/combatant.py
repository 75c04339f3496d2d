"""A unit in a longer fight: what a scenario says of it, and what its profile fills in."""

from __future__ import annotations

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.game.units import (
    Row,
    attack_dice,
    hundredths,
    row_id,
)
from analyser.scenarios.schema import Combatant, Target

NO_CLOSE_QUARTERS_AGAINST = ("aircraft", "rotorcraft")  # the manoeuvre of AC-8.1 cannot choose them
CAN_BE_OUTFLANKED = ("infantry", "cavalry", "field gun")  # AC-8.2
REACHING = ("Corrosive Fumes", "Throw")  # rules whose X is a length


def rule_length(unit: Target, name: str, where: str = "") -> int:
    """The X of a special rule in inches, in hundredths of them; 0 without the rule.

    Raises
    ------
    InputError
        X is not a length in hundredths of an inch.
    """
    rule = unit.keyword(name)
    if rule is None:
        return 0
    try:
        return hundredths(rule.inches)
    except ValueError:
        problem = f"the rule {rule.canonical!r}"
        raise InputError(problem, where=f"{where}.rules", allowed="inches in steps of 0.01") from None


def keeps_damage(unit: Target) -> bool:
    """Whether damage can be left on a model of a unit, and not only destroy it (AC-3.8)."""
    return (unit.damage_limit or 1) > 1


def row_named(combatant: Combatant, written: str, where: str) -> Row:
    """The row of that name, forgiving case and spaces.

    Raises
    ------
    InputError
        No such row; the message names the nearest.
    """
    rows = {row.id: row for row in combatant.rows or ()}
    row = rows.get(row_id(written, rows))
    if row is None:
        raise InputError(
            f"no row {shown(written)}{did_you_mean(written, rows)}", where=where, allowed=", ".join(rows) or "no rows"
        )
    return row


def charge_row(combatant: Combatant, where: str) -> Row:
    """The melee or impact row that a unit charges with (AC-8.1).

    Raises
    ------
    InputError
        It has none, or is Static (AC-7).
    """
    if combatant.has("Static"):
        raise InputError("a Static unit cannot charge (AC-7)", where=where, allowed="another unit")
    rows = [row for row in combatant.rows or () if row.kind in ("melee", "impact")]
    if combatant.close_quarters_row is not None:
        row = row_named(combatant, combatant.close_quarters_row, f"{where}.close_quarters_row")
        if row not in rows:
            problem, allowed = f"row {row.id!r} is a {row.kind} row", ", ".join(each.id for each in rows)
            raise InputError(problem, where=f"{where}.close_quarters_row", allowed=allowed or "no row fits")
        return row
    if not rows:
        ids = ", ".join(row.id for row in combatant.rows or ()) or "no rows"
        problem = f"{combatant.unit or 'the unit'} has {ids}, and no melee or impact row to charge with (AC-8.1)"
        raise InputError(problem, where=where, allowed="a unit with a melee or impact row")
    return rows[0]


def may_charge(combatant: Combatant, enemy: Combatant, policy: str) -> bool:
    """Whether a duellist can come to charge: by its policy, or made to by a rule (Berserk, Run Amok of AC-7)."""
    if policy == "charge":
        return True
    if not combatant.has("Berserk", "Run Amok") or combatant.has("Static"):
        return False
    can_be_charged = enemy.type not in NO_CLOSE_QUARTERS_AGAINST and not enemy.aircraft
    return can_be_charged and any(row.kind in ("melee", "impact") for row in combatant.rows or ())


def can_fail_to_rally(combatant: Combatant) -> bool:
    """Whether a unit can fail a rally test: it takes one, and by a card (AC-5.6, AC-7)."""
    passes = combatant.has("Automata", "Irrepressible", "Hot Headed")
    return combatant.discipline is not None and not combatant.peer_review and not passes


def retaliation_row(combatant: Combatant) -> Row | None:
    """The melee row that a unit strikes back with, if it has one (AC-8.3)."""
    rows = [row for row in combatant.rows or () if row.kind == "melee"]
    named = [row for row in rows if row.id == combatant.close_quarters_row]
    return next(iter(named or rows), None)


def check_can_be_charged(combatant: Combatant, where: str) -> None:
    """Raise InputError for a unit that cannot be charged (AC-8.1)."""
    if combatant.type in NO_CLOSE_QUARTERS_AGAINST or combatant.aircraft:
        problem = f"{combatant.unit or 'the target'} cannot be charged: {combatant.type or 'aircraft'} (AC-8.1)"
        raise InputError(problem, where=where, allowed="a unit on the ground")


def check_has_dice(combatant: Combatant, row: Row, where: str) -> None:
    """Raise InputError unless the grid has attack dice for the unit's models, or damage (AC-2.4)."""
    count = combatant.damage if combatant.behemoth else combatant.models or 0
    try:
        attack_dice(row, count)
    except InputError as error:
        raise error.inside(f"{where}.{'damage' if combatant.behemoth else 'models'}") from None
