"""Run Amok (AC-7): a unit that has not charged hurts whoever is near, and itself, at the end of its activation."""

from __future__ import annotations

from analyser.jit import step
from analyser.rules.armoured_clash import demise, morale
from analyser.rules.armoured_clash.activation import Order, inches_between
from analyser.rules.armoured_clash.facts import CATEGORIES, NONE, SideFacts, TargetFacts
from analyser.rules.armoured_clash.unit_state import (
    MODELS_MASK,
    damage_of,
    is_removed,
    models_of,
    order_of,
    removed_word,
)

WITHIN = 6  # inches
_AERIAL = CATEGORIES.index("aerial")
_HAS_NOT_CHARGED = (int(Order.SHOOT_AIMING), int(Order.SHOOT), int(Order.NO_ATTACK))
_NO_DAMAGE = ~(MODELS_MASK << morale.DAMAGE)


@step
def hurts(word: int, other: int, side: SideFacts, enemy: TargetFacts) -> bool:
    """Whether the active unit hurts the other one: it is light or heavy, and near; without distances nobody is."""
    if not side.runs_amok or is_removed(word) or is_removed(other) or enemy.category == _AERIAL:
        return False
    inches = inches_between(word, other, side)
    return order_of(word) in _HAS_NOT_CHARGED and inches != NONE and inches <= WITHIN


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
