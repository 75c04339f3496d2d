"""State of a unit within a sequence of attacks as one integer, and the effect of attacks on it (AC-9.1, AC-9.2).

The lower bits are those of an outcome (:mod:`.discipline`), so the outcome of an attack is the state after it. Above
them are the statuses of a longer fight, and the unit's order. While a unit stands, the field for destroyed models holds
its losses in the current close quarters combat, and 0 outside of one. For a removed unit it holds all models ever
destroyed by damage.

Lengths are in hundredths of an inch. The topmost part of a state is the unit's position, in strides of its side
(:class:`~.structs.SideFacts`), so that few bits hold every position within reach.
"""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules import discipline
from analyser.rules.discipline import ANNIHILATED, DAMAGE, DISORDERED, FELL_BACK, MODELS_DESTROYED, SUPPRESSED
from analyser.rules.structs import INCH, NONE, AttackFacts, Penalty, SideFacts, TargetFacts

ON_LOOKOUT, TAKING_COVER, RELOADING, OUT_OF_BUILDING = (1 << place for place in range(37, 41))
RALLY_FAILED, SUPPRESSED_BEFORE, DISORDERED_BEFORE = (1 << place for place in range(41, 44))
ORDERS, ORDERS_MASK = 44, 7  # an Order: the use of its attack step, or the result of its combat
SUPPRESSIVE, CRYO, SEISMIC = (1 << place for place in range(47, 50))  # qualities of attacks on it in this combat
FIRST = 1 << 50  # activated first in this round
WINS = 51  # combats won, if counted; above them, or else here, begins the position
BITS_OF_WINS_IN_A_CHARGE = 2
TOPMOST = 63

# Of a standing unit: a unit with Throw has destroyed a model of it in close quarters, or it has shot at a Tail Gunner.
# FORGET clears it. Of a removed unit: it broke.
MARKED = discipline.BROKEN

# Of a removed unit: its own blanks destroyed it in a combat (Overcharge), so units beside it still strike (AC-8.7).
BY_OWN_BLANKS = CRYO

# Of a standing unit outside combat: it must take a suppression test, after heavy losses (AC-5.2).
TEST_DUE, AFTER_HEAVY_LOSSES = SUPPRESSIVE, CRYO

FALL_BACK = 3 * INCH  # AC-5.4 b, and the withdrawal of AC-8.5

MODELS_MASK = (1 << discipline.BITS) - 1
_OUTCOME = (1 << discipline.ATTACKER_DAMAGE) - 1
_NUMBERS = (1 << discipline.FLAGS) - 1
_LOST = MODELS_MASK << MODELS_DESTROYED
_KEPT_WHEN_REMOVED = FIRST | ORDERS_MASK << ORDERS
_LOST_BY_MOVING = ON_LOOKOUT | TAKING_COVER


@step
def models_of(state: int) -> int:
    """Return the number of models left."""
    return state & MODELS_MASK


def of_models(state: int, models: int) -> int:
    """Return the unit with that many models left."""
    return state & ~MODELS_MASK | models


@step
def lost_of(state: int) -> int:
    """Return the models lost in the current combat; for a removed unit, all ever destroyed by damage."""
    return state >> MODELS_DESTROYED & MODELS_MASK


@step
def damage_of(state: int) -> int:
    """Return the damage on the unit."""
    return state >> DAMAGE & MODELS_MASK


@step
def order_of(state: int) -> int:
    """Return the :class:`~.activation.Order` of the unit."""
    return state >> ORDERS & ORDERS_MASK


@step
def with_order(state: int, order: int) -> int:
    """Return the unit with another order."""
    return state & ~(ORDERS_MASK << ORDERS) | order << ORDERS


@step
def is_removed(state: int) -> bool:
    """Return True if the unit is gone: destroyed, broken or fled (AC-5.9)."""
    return state & ANNIHILATED != 0


TOO_FAR = 1 << TOPMOST - 1


@step
def origin_of(back: int, ahead: int, stride: int, position_at: int) -> int:
    """Return the position of a side's start in its state, in strides; TOO_FAR if its positions do not fit.

    They range from `back` hundredths of an inch behind the start to `ahead` in front of it.
    """
    strides_back, strides_ahead = -(-back // stride), -(-ahead // stride)
    room = 1 << TOPMOST - position_at  # on either side of the middle
    if strides_back + strides_ahead >= 2 * room:
        return TOO_FAR
    return 0 if max(strides_back, strides_ahead) < room else (strides_back - strides_ahead) // 2


@step
def position_of(state: int, side: SideFacts) -> int:
    """Return the distance of the unit in front of its start."""
    return ((state >> side.position_at) - side.origin) * side.stride


@step
def out_of_place(state: int, side: SideFacts) -> int:
    """Return the state without a position."""
    return state & ~(-1 << side.position_at)


@step
def moved(state: int, side: SideFacts, length: int) -> int:
    """Return the unit `length` further forward, without the statuses lost by moving, and out of its building.

    The position is stored only if it matters, to keep the number of states small.
    """
    still = state & ~_LOST_BY_MOVING | (OUT_OF_BUILDING if side.garrisoned else 0)
    return still + ((length // side.stride) << side.position_at) if side.tracks_position else still


@step
def length_to_edge(state: int, side: SideFacts) -> int:
    """Return the distance to the unit's own table edge; NONE if that is far."""
    if side.edge_distance == NONE:
        return NONE
    return max(side.edge_distance + position_of(state, side), 0)


@step
def set_back(state: int, side: SideFacts) -> int:
    """Return the unit after falling back or withdrawing, at most to the table's edge (AC-5.4 b, AC-8.5)."""
    to_edge = length_to_edge(state, side)
    return moved(state, side, -(FALL_BACK if to_edge == NONE else min(FALL_BACK, to_edge)))


@step
def put_into(target: TargetFacts, side: SideFacts, state: int) -> None:
    """Copy the state of the unit into its record `target`."""
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
    """Return the state of a removed unit, of whose models `destroyed` just fell by damage.

    Its position is kept as long as it matters (Spectacular Demise, AC-7).
    """
    before = side.models - models_of(state)
    kept = _KEPT_WHEN_REMOVED | FELL_BACK | (-1 << WINS)
    if not side.spectacular_demise or side.distance == NONE:
        state = out_of_place(state, side)
    return state & kept | (before + destroyed) << MODELS_DESTROYED | flags


@step
def carried_over(state: int, outcome: int, side: SideFacts, counts: int) -> int:
    """Return the state after an attack with the outcome `outcome` from this state.

    `counts`: 1 if its losses count for the result of the combat (AC-8.5).
    """
    destroyed = outcome >> MODELS_DESTROYED & MODELS_MASK
    if outcome & ANNIHILATED:
        return removed_state(state, side, destroyed, outcome & _OUTCOME & ~_NUMBERS)
    lost = lost_of(state) + (destroyed if counts else 0)
    kept = state & (FELL_BACK | MARKED)
    after = state & ~_OUTCOME | outcome & _OUTCOME & ~_LOST | lost << MODELS_DESTROYED | kept
    return set_back(after, side) if outcome & FELL_BACK else after


@step
def start_state(target: TargetFacts, statuses: int) -> int:
    """Return the unit at the start; `statuses` are bits of this module, including its position."""
    flags = discipline.statuses(target.suppressed, target.disordered, target.activated) | statuses
    flags |= TAKING_COVER if target.taking_cover else 0
    return discipline.standing(target.models, 0, target.damage, flags)


@step
def without_suppression_by(attack: AttackFacts) -> int:
    """Return the state of the next attacker of focus fire, which takes the place of the one before it (AC-9.1)."""
    flags = SUPPRESSED if attack.penalties & Penalty.SUPPRESSED else 0
    return discipline.standing(attack.models, 0, attack.damage, flags)
