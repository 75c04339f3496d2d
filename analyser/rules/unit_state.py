"""State of a unit as one integer: the outcome of an attack, more statuses, the order, combats won, and the position."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules import discipline
from analyser.rules.discipline import ANNIHILATED, DAMAGE, DISORDERED, FELL_BACK, MODELS_DESTROYED, SUPPRESSED
from analyser.rules.structs import INCH, NONE, AttackFacts, Penalty, SideFacts, TargetFacts

ON_LOOKOUT, TAKING_COVER, RELOADING, OUT_OF_BUILDING = (1 << place for place in range(37, 41))
RALLY_FAILED, SUPPRESSED_BEFORE, DISORDERED_BEFORE = (1 << place for place in range(41, 44))
ORDER_BIT, ORDER_MASK = 44, 7  # lowest bit and mask of an Order: the unit's order, or after a combat its result
SUPPRESSIVE, CRYO, SEISMIC = (1 << place for place in range(47, 50))  # special rules of attacks on the unit in combat
IS_FIRST = 1 << 50  # the unit is activated first in this round
WINS_BIT = 51  # lowest bit of the number of combats won, if it is counted (Hunter); the position is in the bits above
BITS_OF_WINS_IN_A_CHARGE = 2
STATE_BITS = 63

# Bit of a unit that lost a model to the close-quarters attack of an enemy with Throw, or that shot at an enemy with a
# Tail Gunner. The operation CLEAR_MARK clears it. In the state of a removed unit, this bit means BROKEN.
MARKED = discipline.BROKEN

# Bit of a unit that its own blanks (Overcharge) removed in a combat: other units of its side still strike (AC-8.7).
BY_OWN_BLANKS = CRYO

# Meaning of two bits outside combat: a suppression test is due, and it follows heavy losses (AC-5.2).
TEST_DUE, AFTER_HEAVY_LOSSES = SUPPRESSIVE, CRYO

FALL_BACK = 3 * INCH  # length of a fall-back (AC-5.4 b) and of a withdrawal (AC-8.5)

MODELS_MASK = (1 << discipline.BITS) - 1
_OUTCOME_MASK = (1 << discipline.ATTACKER_DAMAGE) - 1
_NUMBERS_MASK = (1 << discipline.FLAGS) - 1
_LOST_MASK = MODELS_MASK << MODELS_DESTROYED
_KEPT_WHEN_REMOVED = IS_FIRST | ORDER_MASK << ORDER_BIT
_LOST_BY_MOVING = ON_LOOKOUT | TAKING_COVER


@step
def models_of(state: int) -> int:
    """Return the number of models left."""
    return state & MODELS_MASK


def with_models(state: int, models: int) -> int:
    """Return the state with `models` models left."""
    return state & ~MODELS_MASK | models


@step
def models_lost(state: int) -> int:
    """Return the number of models lost in the current combat, or since the start if the unit is removed."""
    return state >> MODELS_DESTROYED & MODELS_MASK


@step
def damage_of(state: int) -> int:
    """Return the damage on the unit."""
    return state >> DAMAGE & MODELS_MASK


@step
def order_of(state: int) -> int:
    """Return the :class:`~.activation.Order` of the unit."""
    return state >> ORDER_BIT & ORDER_MASK


@step
def with_order(state: int, order: int) -> int:
    """Return the state with this order."""
    return state & ~(ORDER_MASK << ORDER_BIT) | order << ORDER_BIT


@step
def is_removed(state: int) -> bool:
    """Return True if the unit is gone: destroyed, broken or fled (AC-5.9)."""
    return state & ANNIHILATED != 0


@step
def position_of(state: int, side: SideFacts) -> int:
    """Return how far the unit is in front of its start; negative behind it."""
    return ((state >> side.position_bit) - side.origin) * side.stride


@step
def without_position(state: int, side: SideFacts) -> int:
    """Return the state with the stored position 0, so that more states are equal."""
    return state & ~(-1 << side.position_bit)


@step
def move(state: int, side: SideFacts, length: int) -> int:
    """Return the state `length` further forward, without the statuses lost by moving, and out of the building."""
    state = state & ~_LOST_BY_MOVING | (OUT_OF_BUILDING if side.garrisoned else 0)
    return state + ((length // side.stride) << side.position_bit) if side.tracks_position else state


@step
def length_to_edge(state: int, side: SideFacts) -> int:
    """Return the distance to the unit's own table edge; NONE if the edge is far."""
    if side.edge_distance == NONE:
        return NONE
    return max(side.edge_distance + position_of(state, side), 0)


@step
def move_back(state: int, side: SideFacts) -> int:
    """Return the state after falling back or withdrawing, at most to its own table edge (AC-5.4 b, AC-8.5)."""
    to_edge = length_to_edge(state, side)
    return move(state, side, -(FALL_BACK if to_edge == NONE else min(FALL_BACK, to_edge)))


@step
def copy_to_record(target: TargetFacts, side: SideFacts, state: int) -> None:
    """Copy a unit's state into its record `target`."""
    target.models = models_of(state)
    if target.exposed != NONE:
        target.exposed = min(target.exposed, target.models)
    target.damage = damage_of(state)
    target.suppressed = state & SUPPRESSED != 0
    target.disordered = state & DISORDERED != 0
    target.activated = state & discipline.ACTIVATED != 0
    target.taking_cover = state & TAKING_COVER != 0
    target.garrisoned = side.garrisoned and state & OUT_OF_BUILDING == 0
    target.flees = side.edge_distance != NONE and length_to_edge(state, side) <= FALL_BACK


@step
def removed_state(state: int, side: SideFacts, destroyed: int, flags: int) -> int:
    """Return the state of a removed unit that has just lost `destroyed` models; it keeps its position for a blast."""
    lost_before = side.models - models_of(state)
    kept = _KEPT_WHEN_REMOVED | FELL_BACK | (-1 << WINS_BIT)
    if not side.spectacular_demise or side.distance == NONE:
        state = without_position(state, side)
    return state & kept | (lost_before + destroyed) << MODELS_DESTROYED | flags


@step
def after_attack(state: int, outcome: int, side: SideFacts, in_combat: int) -> int:
    """Return the state after an attack with this outcome; `in_combat`: 1 if its losses decide a combat (AC-8.5)."""
    destroyed = outcome >> MODELS_DESTROYED & MODELS_MASK
    if outcome & ANNIHILATED:
        return removed_state(state, side, destroyed, outcome & _OUTCOME_MASK & ~_NUMBERS_MASK)
    lost = models_lost(state) + (destroyed if in_combat else 0)
    kept = state & (FELL_BACK | MARKED)
    after = state & ~_OUTCOME_MASK | outcome & _OUTCOME_MASK & ~_LOST_MASK | lost << MODELS_DESTROYED | kept
    return move_back(after, side) if outcome & FELL_BACK else after


@step
def start_state(target: TargetFacts, statuses: int) -> int:
    """Return the state at the start; `statuses`: further bits of the state, including the position."""
    flags = discipline.status_flags(target.suppressed, target.disordered, target.activated) | statuses
    flags |= TAKING_COVER if target.taking_cover else 0
    return discipline.surviving_outcome(target.models, 0, target.damage, flags)


@step
def state_of_next_attacker(attack: AttackFacts) -> int:
    """Return the initial state of the next attacker in focus fire (AC-9.1)."""
    flags = SUPPRESSED if attack.penalties & Penalty.SUPPRESSED else 0
    return discipline.surviving_outcome(attack.models, 0, attack.damage, flags)
