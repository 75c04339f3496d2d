"""Spectacular Demise (X): what the last model of a unit does to the enemy near it (AC-7).

One attack die: a miss is a suppression test within 6 inches; a strike, within 4, and a heroic strike, within 8, are a
neutral attack of X dice. Who is in contact is within them all; where no distance is known, nobody else is. What the die
showed stands in the state of the unit that is gone.
"""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules import activation, discipline, unit_state
from analyser.rules.activation import Order, in_building, length_between
from analyser.rules.structs import CATEGORIES, INCH, NONE, SideFacts, TargetFacts

# Bits of activations, which a unit that is gone has no more use for.
BLAST, PANIC, SETTLED = unit_state.RALLY_FAILED, unit_state.SUPPRESSED_BEFORE, unit_state.DISORDERED_BEFORE
_NOT_BY_DAMAGE = discipline.BROKEN | discipline.FLED
STRIKE_REACHES, PANIC_REACHES, HEROIC_REACHES = 4 * INCH, 6 * INCH, 8 * INCH


@step
def goes_off(state: int, side: SideFacts) -> bool:
    """Return True if the last model was destroyed and its die is not rolled yet; a broken unit leaves no wreck."""
    if not unit_state.is_removed(state) or state & (_NOT_BY_DAMAGE | SETTLED) or not side.spectacular_demise:
        return False
    return unit_state.lost_of(state) == side.models


@step
def length_away(state: int, other: int, side: SideFacts, others: SideFacts) -> int:
    """Return the distance of the enemy from the removed unit; 0 (in contact) if distances are unknown."""
    return max(activation.length_between(state, other, side, others), 0)


@step
def shown(state: int, strikes: bool, length: int, side: SideFacts) -> int:
    """The unit after its die: a strike that reaches the enemy, or something else, perhaps a miss that does."""
    state |= SETTLED
    if strikes and length <= HEROIC_REACHES:
        return state | BLAST
    return state | PANIC if length <= PANIC_REACHES else unit_state.out_of_place(state, side)


@step
def panics(other: int) -> bool:
    """Return True if the other side is gone, and its die was, or may have been, a miss."""
    return unit_state.is_removed(other) and other & PANIC != 0


@step
def settled(state: int, bit: int, side: SideFacts) -> int:
    """The unit that is gone, with that much done: it is of no account any more where it stood."""
    return unit_state.out_of_place(state, side) & ~bit


@step
def settled_by_a_shot(state: int, side: SideFacts) -> int:
    """A unit destroyed by a shot: where no distance is known no unit is near it, and there is no die to roll."""
    unseen = unit_state.is_removed(state) and side.spectacular_demise and side.distance == NONE
    return state | SETTLED if unseen else state


# Between the attack and its die; a bit of units that are gone, which one that stands has no use for.
SHAKEN = discipline.FLED


@step
def shaken(state: int, side: SideFacts) -> int:
    """The unit after an attack of such a row: if it is still in its building, a die is to be rolled for that."""
    return state | SHAKEN if in_building(state, side) and not unit_state.is_removed(state) else state


@step
def is_at_stake(state: int, side: SideFacts) -> bool:
    """Return True if the die is to be rolled: the building was attacked, and the unit has not left it since."""
    return state & SHAKEN != 0 and not unit_state.is_removed(state) and in_building(state, side)


@step
def after_siege_test(state: int, side: SideFacts, wrecked: bool) -> int:
    """The unit after the die: out of the building, if that is `wrecked`, or still in it."""
    state &= ~SHAKEN
    return unit_state.moved(state, side, 0) if wrecked else state


WITHIN = 6 * INCH
_AERIAL = CATEGORIES.index("aerial")
_HAS_NOT_CHARGED = (Order.SHOOT_AIMING, Order.SHOOT, Order.NO_ATTACK)
_NO_DAMAGE = ~(unit_state.MODELS_MASK << discipline.DAMAGE)


@step
def hurts(state: int, other: int, sides: tuple[SideFacts, SideFacts], enemy: TargetFacts) -> bool:
    """Return True if the active unit hurts the other one, which must be light or heavy, and near at a known distance.

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
    """The unit that was near, with one damage more: no attack, so no test, and its officer is not chosen."""
    if unit_state.damage_of(state) + 1 < damage_limit:
        return state + (1 << discipline.DAMAGE)
    return without_a_model(state, side)


@step
def without_a_model(state: int, side: SideFacts) -> int:
    """A unit with one model less, and the damage on it gone; its general does not choose the officer."""
    if unit_state.models_of(state) > 1:
        return (state - 1) & _NO_DAMAGE
    return settled_by_a_shot(unit_state.removed_state(state, side, 1, discipline.ANNIHILATED), side)
