"""Siegebreaker (AC-6): after an attack on a garrison one attack die; on a strike or heroic strike it must exit."""

from __future__ import annotations

from analyser.jit import step
from analyser.rules.armoured_clash import morale, unit_state
from analyser.rules.armoured_clash.activation import in_building
from analyser.rules.armoured_clash.facts import SideFacts

# Between the attack and its die; a bit of units that are gone, which one that stands has no use for.
SHAKEN = morale.FLED


@step
def shaken(word: int, side: SideFacts) -> int:
    """The unit after an attack of such a row: if it is still in its building, a die is to be rolled for that."""
    return word | SHAKEN if in_building(word, side) and not unit_state.is_removed(word) else word


@step
def is_at_stake(word: int, side: SideFacts) -> bool:
    """Whether the die is to be rolled: the building was attacked, and the unit has not left it since."""
    return word & SHAKEN != 0 and not unit_state.is_removed(word) and in_building(word, side)


@step
def settled(word: int, side: SideFacts, wrecked: bool) -> int:
    """The unit after the die: out of the building, if that is `wrecked`, or still in it."""
    word &= ~SHAKEN
    return unit_state.moved(word, side, 0) if wrecked else word
