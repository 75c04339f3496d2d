"""Spectacular Demise (X): what the last model of a unit does to the enemy that destroyed it in close quarters (AC-7).

One attack die: a miss is a suppression test, a strike or a heroic strike a neutral attack of X dice: the enemy is in
contact, within every distance that the rule names. What the die showed stands in the state of the unit that is gone.
"""

from __future__ import annotations

from analyser.jit import step
from analyser.rules.armoured_clash import morale, unit_state
from analyser.rules.armoured_clash.facts import SideFacts
from analyser.rules.armoured_clash.unit_state import is_removed, lost_of

# Bits of activations, which a unit that is gone has no more use for.
BLAST, PANIC, SETTLED = unit_state.RALLY_FAILED, unit_state.SUPPRESSED_BEFORE, unit_state.DISORDERED_BEFORE
_NOT_BY_DAMAGE = morale.BROKEN | morale.FLED


@step
def goes_off(word: int, side: SideFacts) -> bool:
    """Whether the last model was destroyed, and its die is still to be rolled: a broken unit leaves no wreck."""
    if not is_removed(word) or word & (_NOT_BY_DAMAGE | SETTLED) or not side.spectacular_demise:
        return False
    return lost_of(word) == side.models


@step
def shown(word: int, strikes: bool) -> int:
    """The unit after its die: a strike or a heroic strike, or something else, perhaps a miss."""
    return word | SETTLED | (BLAST if strikes else PANIC)


@step
def panics(other: int) -> bool:
    """Whether the other side is gone, and its die may have been, or was, a miss."""
    return is_removed(other) and other & PANIC != 0


@step
def settled(word: int, bit: int) -> int:
    """The unit that is gone, with that much done."""
    return word & ~bit


@step
def settled_by_a_shot(word: int) -> int:
    """A unit that has been shot at: if that destroyed it, nobody was in contact, and there is no die to roll."""
    return word | SETTLED if is_removed(word) else word
