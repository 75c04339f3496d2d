"""Special rules with dice of their own: Spectacular Demise, Siegebreaker, Run Amok (AC-6, AC-7)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules import activation, discipline, unit_state
from analyser.rules.activation import Order, distance_between, in_building
from analyser.rules.structs import CATEGORIES, INCH, NONE, SideFacts, TargetFacts

# Results of the die for Spectacular Demise, in bits that only an activation uses otherwise.
BLAST, PANIC, DIE_ROLLED = unit_state.RALLY_FAILED, unit_state.SUPPRESSED_BEFORE, unit_state.DISORDERED_BEFORE
_NOT_BY_DAMAGE = discipline.BROKEN | discipline.FLED
STRIKE_REACH, PANIC_REACH, HEROIC_REACH = 4 * INCH, 6 * INCH, 8 * INCH


@step
def is_demise_die_due(state: int, side: SideFacts) -> bool:
    """Return True if all models were destroyed and the die of Spectacular Demise is not rolled yet."""
    if not unit_state.is_removed(state) or state & (_NOT_BY_DAMAGE | DIE_ROLLED) or not side.spectacular_demise:
        return False
    return unit_state.models_lost(state) == side.models


@step
def distance_of_enemy(state: int, other: int, side: SideFacts, other_side: SideFacts) -> int:
    """Return the enemy's distance from the removed unit; 0 (in contact) if distances are unknown."""
    return max(activation.distance_between(state, other, side, other_side), 0)


@step
def after_demise_die(state: int, strikes: bool, distance: int, side: SideFacts) -> int:
    """Return the state after the die: BLAST if it `strikes` in reach, else PANIC if a miss would reach the enemy."""
    state |= DIE_ROLLED
    if strikes and distance <= HEROIC_REACH:
        return state | BLAST
    return state | PANIC if distance <= PANIC_REACH else unit_state.without_position(state, side)


@step
def causes_panic(other: int) -> bool:
    """Return True if the `other` unit is removed and has the bit PANIC: its die was, or may have been, a miss."""
    return unit_state.is_removed(other) and other & PANIC != 0


@step
def end_effect(state: int, bit: int, side: SideFacts) -> int:
    """Return the removed unit's state after the effect `bit` (BLAST or PANIC), without its position."""
    return unit_state.without_position(state, side) & ~bit


@step
def skip_die_after_shot(state: int, side: SideFacts) -> int:
    """Return a unit's state after a shot; at an unknown distance no unit counts as near, so no demise die is rolled."""
    without_effect = unit_state.is_removed(state) and side.spectacular_demise and side.distance == NONE
    return state | DIE_ROLLED if without_effect else state


# Bit that is set from an attack with Siegebreaker until the die for the building is rolled. If the unit is removed, the
# bit means FLED.
BUILDING_ATTACKED = discipline.FLED


@step
def mark_building(state: int, side: SideFacts) -> int:
    """Return the state after an attack with Siegebreaker: a die is due if the unit is still in its building."""
    return state | BUILDING_ATTACKED if in_building(state, side) and not unit_state.is_removed(state) else state


@step
def is_building_die_due(state: int, side: SideFacts) -> bool:
    """Return True if the die is due: the building was attacked, and the unit is still in it."""
    return state & BUILDING_ATTACKED != 0 and not unit_state.is_removed(state) and in_building(state, side)


@step
def after_building_die(state: int, side: SideFacts, wrecked: bool) -> int:
    """Return the state after the die: the unit leaves its building if the building is `wrecked`."""
    state &= ~BUILDING_ATTACKED
    return unit_state.move(state, side, 0) if wrecked else state


RUN_AMOK_REACH = 6 * INCH
_AERIAL = CATEGORIES.index("aerial")
_HAS_NOT_CHARGED = (Order.SHOOT_AIMING, Order.SHOOT, Order.NO_ATTACK)
_NO_DAMAGE = ~(unit_state.MODELS_MASK << discipline.DAMAGE)


@step
def damages_enemy(state: int, other: int, sides: tuple[SideFacts, SideFacts], enemy: TargetFacts) -> bool:
    """Return True if Run Amok damages the enemy: the unit has not charged, and the enemy is near and not aerial."""
    if not sides[0].runs_amok or enemy.category == _AERIAL:
        return False
    if unit_state.is_removed(state) or unit_state.is_removed(other):
        return False
    distance = distance_between(state, other, sides[0], sides[1])
    return unit_state.order_of(state) in _HAS_NOT_CHARGED and distance != NONE and distance <= RUN_AMOK_REACH


@step
def take_damage(state: int, side: SideFacts, damage_limit: int) -> int:
    """Return the state with one more point of damage, not from an attack: no test follows, and no officer is lost."""
    if unit_state.damage_of(state) + 1 < damage_limit:
        return state + (1 << discipline.DAMAGE)
    return lose_model(state, side)


@step
def lose_model(state: int, side: SideFacts) -> int:
    """Return the state with one model less and no damage; the officer is not lost."""
    if unit_state.models_of(state) > 1:
        return (state - 1) & _NO_DAMAGE
    return skip_die_after_shot(unit_state.removed_state(state, side, 1, discipline.ANNIHILATED), side)
