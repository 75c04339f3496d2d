"""Run Amok (AC-7): a unit that has not charged hurts whoever is near, and itself, at the end of its activation."""

from __future__ import annotations

from analyser.jit import step
from analyser.rules.armoured_clash import demise, morale
from analyser.rules.armoured_clash.activation import Order, length_between
from analyser.rules.armoured_clash.facts import CATEGORIES, INCH, NONE, SideFacts, TargetFacts
from analyser.rules.armoured_clash.unit_state import (
    MODELS_MASK,
    damage_of,
    is_removed,
    models_of,
    order_of,
    removed_word,
)

WITHIN = 6 * INCH
_AERIAL = CATEGORIES.index("aerial")
_HAS_NOT_CHARGED = (int(Order.SHOOT_AIMING), int(Order.SHOOT), int(Order.NO_ATTACK))
_NO_DAMAGE = ~(MODELS_MASK << morale.DAMAGE)


@step
def hurts(word: int, other: int, sides: tuple[SideFacts, SideFacts], enemy: TargetFacts) -> bool:
    """Whether the active unit hurts the other one: it is light or heavy, and near; without distances nobody is.

    `sides`: of the active unit and of the other one.
    """
    if not sides[0].runs_amok or is_removed(word) or is_removed(other) or enemy.category == _AERIAL:
        return False
    distance = length_between(word, other, sides[0], sides[1])
    return order_of(word) in _HAS_NOT_CHARGED and distance != NONE and distance <= WITHIN


@step
def with_damage(word: int, side: SideFacts, damage_limit: int) -> int:
    """The unit that was near, with one damage more: no attack, so no test, and its officer is not chosen."""
    if damage_of(word) + 1 < damage_limit:
        return word + (1 << morale.DAMAGE)
    return without_a_model(word, side)


@step
def without_a_model(word: int, side: SideFacts) -> int:
    """A unit with one model less, and the damage on it gone; its general does not choose the officer."""
    if models_of(word) > 1:
        return (word - 1) & _NO_DAMAGE
    return demise.settled_by_a_shot(removed_word(word, side, 1, morale.ANNIHILATED), side)
