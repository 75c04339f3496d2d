"""Special rules with dice of their own: Spectacular Demise, Siegebreaker, Run Amok (AC-6, AC-7).

A unit with Spectacular Demise (X) rolls one attack die when its last model is destroyed. A miss is a suppression test
within 6 inches. A strike (within 4) or a heroic strike (within 8) is a neutral attack of X dice. A unit in contact is
within all of them; if the distance is unknown, no other unit is. The state of the removed unit holds the result of the
die.
"""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules import activation, discipline, unit_state
from analyser.rules.activation import Order, in_building, length_between
from analyser.rules.structs import CATEGORIES, INCH, NONE, SideFacts, TargetFacts

# Bits of activations, which a removed unit no longer needs.
BLAST, PANIC, SETTLED = unit_state.RALLY_FAILED, unit_state.SUPPRESSED_BEFORE, unit_state.DISORDERED_BEFORE
_NOT_BY_DAMAGE = discipline.BROKEN | discipline.FLED
STRIKE_REACHES, PANIC_REACHES, HEROIC_REACHES = 4 * INCH, 6 * INCH, 8 * INCH


@step
def goes_off(state: int, side: SideFacts) -> bool:
    """Return True if the last model was destroyed and its die is not rolled yet; a broken unit has no blast."""
    if not unit_state.is_removed(state) or state & (_NOT_BY_DAMAGE | SETTLED) or not side.spectacular_demise:
        return False
    return unit_state.lost_of(state) == side.models


@step
def length_away(state: int, other: int, side: SideFacts, others: SideFacts) -> int:
    """Return the distance of the enemy from the removed unit; 0 (in contact) if distances are unknown."""
    return max(activation.length_between(state, other, side, others), 0)


@step
def shown(state: int, strikes: bool, length: int, side: SideFacts) -> int:
    """Return the unit after its die: a blast if a strike reaches the enemy, else a panic if a miss could."""
    state |= SETTLED
    if strikes and length <= HEROIC_REACHES:
        return state | BLAST
    return state | PANIC if length <= PANIC_REACHES else unit_state.out_of_place(state, side)


@step
def panics(other: int) -> bool:
    """Return True if the other side is removed, and its die was, or may have been, a miss."""
    return unit_state.is_removed(other) and other & PANIC != 0


@step
def settled(state: int, bit: int, side: SideFacts) -> int:
    """Return the removed unit after one effect: its position no longer matters."""
    return unit_state.out_of_place(state, side) & ~bit


@step
def settled_by_a_shot(state: int, side: SideFacts) -> int:
    """Return a unit destroyed by a shot; if distances are unknown, no unit is near and no die is rolled."""
    unseen = unit_state.is_removed(state) and side.spectacular_demise and side.distance == NONE
    return state | SETTLED if unseen else state


# Set between the attack and its die; a bit of removed units, unused by standing ones.
SHAKEN = discipline.FLED


@step
def shaken(state: int, side: SideFacts) -> int:
    """Return the unit after an attack with Siegebreaker: a die is due if it is still in its building."""
    return state | SHAKEN if in_building(state, side) and not unit_state.is_removed(state) else state


@step
def is_at_stake(state: int, side: SideFacts) -> bool:
    """Return True if the die is due: the building was attacked, and the unit has not left it since."""
    return state & SHAKEN != 0 and not unit_state.is_removed(state) and in_building(state, side)


@step
def after_siege_test(state: int, side: SideFacts, wrecked: bool) -> int:
    """Return the unit after the die: out of its building if that is `wrecked`, or still in it."""
    state &= ~SHAKEN
    return unit_state.moved(state, side, 0) if wrecked else state


WITHIN = 6 * INCH
_AERIAL = CATEGORIES.index("aerial")
_HAS_NOT_CHARGED = (Order.SHOOT_AIMING, Order.SHOOT, Order.NO_ATTACK)
_NO_DAMAGE = ~(unit_state.MODELS_MASK << discipline.DAMAGE)


@step
def hurts(state: int, other: int, sides: tuple[SideFacts, SideFacts], enemy: TargetFacts) -> bool:
    """Return True if the active unit damages the other (Run Amok): a light or heavy one, near at a known distance.

    `sides`: of the active unit and of the other one.
    """
    if not sides[0].runs_amok or enemy.category == _AERIAL:
        return False
    if unit_state.is_removed(state) or unit_state.is_removed(other):
        return False
    distance = length_between(state, other, sides[0], sides[1])
    return unit_state.order_of(state) in _HAS_NOT_CHARGED and distance != NONE and distance <= WITHIN


@step
def with_damage(state: int, side: SideFacts, damage_limit: int) -> int:
    """Return the unit with one more damage, without an attack: it takes no test, and no officer is chosen."""
    if unit_state.damage_of(state) + 1 < damage_limit:
        return state + (1 << discipline.DAMAGE)
    return without_a_model(state, side)


@step
def without_a_model(state: int, side: SideFacts) -> int:
    """Return a unit with one model less and no damage; its owner does not choose the officer."""
    if unit_state.models_of(state) > 1:
        return (state - 1) & _NO_DAMAGE
    return settled_by_a_shot(unit_state.removed_state(state, side, 1, discipline.ANNIHILATED), side)
