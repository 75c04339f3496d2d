"""Spectacular Demise (X): what the last model of a unit does to the enemy near it (AC-7).

One attack die: a miss is a suppression test within 6 inches; a strike, within 4, and a heroic strike, within 8, are a
neutral attack of X dice. Who is in contact is within them all; where no distance is known, nobody else is. What the die
showed stands in the state of the unit that is gone.
"""

from __future__ import annotations

from analyser.jit import step
from analyser.rules.armoured_clash import activation, morale, unit_state
from analyser.rules.armoured_clash.facts import INCH, NONE, SideFacts
from analyser.rules.armoured_clash.unit_state import is_removed, lost_of, out_of_place

# Bits of activations, which a unit that is gone has no more use for.
BLAST, PANIC, SETTLED = unit_state.RALLY_FAILED, unit_state.SUPPRESSED_BEFORE, unit_state.DISORDERED_BEFORE
_NOT_BY_DAMAGE = morale.BROKEN | morale.FLED
STRIKE_REACHES, PANIC_REACHES, HEROIC_REACHES = 4 * INCH, 6 * INCH, 8 * INCH


@step
def goes_off(word: int, side: SideFacts) -> bool:
    """Whether the last model was destroyed, and its die is still to be rolled: a broken unit leaves no wreck."""
    if not is_removed(word) or word & (_NOT_BY_DAMAGE | SETTLED) or not side.spectacular_demise:
        return False
    return lost_of(word) == side.models


@step
def length_away(word: int, other: int, side: SideFacts, others: SideFacts) -> int:
    """How far the enemy is from the unit that is gone; 0 where no distance is known: then it is in contact."""
    return max(activation.length_between(word, other, side, others), 0)


@step
def shown(word: int, strikes: bool, length: int, side: SideFacts) -> int:
    """The unit after its die: a strike that reaches the enemy, or something else, perhaps a miss that does."""
    word |= SETTLED
    if strikes and length <= HEROIC_REACHES:
        return word | BLAST
    return word | PANIC if length <= PANIC_REACHES else out_of_place(word, side)


@step
def panics(other: int) -> bool:
    """Whether the other side is gone, and its die may have been, or was, a miss."""
    return is_removed(other) and other & PANIC != 0


@step
def settled(word: int, bit: int, side: SideFacts) -> int:
    """The unit that is gone, with that much done: it is of no account any more where it stood."""
    return out_of_place(word, side) & ~bit


@step
def settled_by_a_shot(word: int, side: SideFacts) -> int:
    """A unit destroyed by a shot: where no distance is known nobody is near it, and there is no die to roll."""
    return word | SETTLED if is_removed(word) and side.spectacular_demise and side.distance == NONE else word
