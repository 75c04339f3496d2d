"""House rules and custom dice, each packed into an integer below 2**53 (exact in JavaScript), and their effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple, get_args

from analyser.common.jit import step
from analyser.game.house_rules import Circumstance, HouseRule
from analyser.game.ruleset import REROLLED_BY_RATING, Die, Face, Rating, face_mask
from analyser.game.units import UnitType
from analyser.rules.structs import CATEGORIES, AttackFacts, Penalty, TargetFacts

MOST_RULES = 4
"""Maximum of house rules of a side in one attack."""


class Situation(IntEnum):
    """Circumstances of an attack that a house rule may require."""

    LONG_RANGE = 0  # a ranged attack beyond short range
    SHORT_RANGE = 1
    CHARGE = 2
    CLOSE_QUARTERS = 3  # a close quarters attack that is not a charge


_SITUATIONS: dict[Circumstance, tuple[Situation, ...]] = {
    "long range": (Situation.LONG_RANGE,),
    "short range": (Situation.SHORT_RANGE,),
    "charge": (Situation.CHARGE,),
    "close quarters": (Situation.CHARGE, Situation.CLOSE_QUARTERS),
}
_TYPES = get_args(UnitType)
IS_A: Mapping[str | None, int] = {None: 0} | {kind: 1 << place for place, kind in enumerate((*_TYPES, *CATEGORIES))}
"""Bit of each unit type and each category; a unit has the bits of its type and its category."""

# Lowest bits of the fields of a packed rule (the situations have the lowest four), and the numbers that stand for 0 in
# signed fields.
_AGAINST, _REROLLS, _IGNORES, _DICE, _DEFENCE, _TEST = 4, 15, 20, 25, 31, 35
_HEROIC, _STRIKE, _AS_STRIKE, _AS_HEROIC = 39, 42, 45, 48
_DICE_ZERO, _DEFENCE_ZERO, _TEST_ZERO = 32, 8, 8
_MASK_4, _MASK_5, _MASK_6, _MASK_11 = (1 << 4) - 1, (1 << 5) - 1, (1 << 6) - 1, (1 << 11) - 1
_MASK_3 = (1 << 3) - 1
_FIRST_WITHOUT_HITS = 2  # number of the first face without hits, GLANCING; MISS and BLANK follow


class Effects(NamedTuple):
    """Effects of all house rules on one attack."""

    dice: int = 0  # dice added, or removed if negative
    defence: int = 0  # added to the target's DEFENCE
    test: int = 0  # added to the target's DISCIPLINE for the test that follows
    rerolls: int = 0  # bits of faces that are re-rolled
    ignores: int = 0  # bits of penalties that do not count
    heroic_hits: int = 0  # hits of a heroic strike; 0: unchanged
    strike_hits: int = 0  # hits of a strike, plus 1; 0: unchanged
    as_strike: int = 0  # bits of faces without hits that count as strikes
    as_heroic: int = 0  # bits of faces without hits that count as heroic strikes


def pack_rule(rule: HouseRule) -> int:
    """Pack a house rule into an integer, without its effects on all tests and on disorder: TargetFacts has those.

    >>> pack_rule(HouseRule(dice=1)) < pack_rule(HouseRule(dice=2, hits={"heroic": 3})) < 2**53
    True
    """
    at = {situation for name in rule.at for situation in _SITUATIONS[name]} or {*Situation}
    ignores = (Penalty[name.upper()] for name in rule.ignores if name != "disordered")
    as_strike, as_heroic = (
        face_mask(faces) >> _FIRST_WITHOUT_HITS for faces in (rule.faces_as("strike"), rule.faces_as("heroic"))
    )
    strike = rule.hits.get("strike")
    test = 0 if rule.changes_every_test else rule.test
    return (
        sum(1 << situation for situation in at)
        | sum(IS_A[kind] for kind in set(rule.against)) << _AGAINST
        | face_mask(rule.rerolls) << _REROLLS
        | sum(ignores) << _IGNORES
        | rule.dice + _DICE_ZERO << _DICE
        | rule.defence + _DEFENCE_ZERO << _DEFENCE
        | test + _TEST_ZERO << _TEST
        | rule.hits.get("heroic", 0) << _HEROIC
        | (0 if strike is None else strike + 1) << _STRIKE
        | as_strike << _AS_STRIKE
        | as_heroic << _AS_HEROIC
    )


_HEROIC_FACE, _STRIKE_FACE, _BLANK_FACE = int(Face.HEROIC), int(Face.STRIKE), int(Face.BLANK)
_FACES = (1 << len(Face)) - 1
# Lowest bits of the fields of a packed die.
_HEROICS, _STRIKES, _EXPLODING, _NEUTRAL, _IMPROVED = (place * len(Face) for place in range(5))
_IS_BLANK, _HEROIC_HITS, _STRIKE_HITS = 5 * len(Face), 5 * len(Face) + 1, 5 * len(Face) + 4


class Faces(NamedTuple):
    """Faces of a die by effect, as bits, and hits of strikes (AC-3.3, AC-3.4, AC-3.6)."""

    heroic: int  # bits of faces that count as heroic strikes
    strike: int
    blank: int
    exploding: int
    rerolled: int
    heroic_hits: int
    strike_hits: int


def pack_die(die: Die) -> int:
    """Pack the effects of the faces of a die into an integer; 0 if all effects are those of the rules.

    >>> pack_die(Die(heroic=1, strike=2, glancing=1, miss=1, blank=1))
    0
    """
    if not die.changed:
        return 0
    strike, heroic = die.effect("strike", "hits"), die.effect("heroic", "hits")
    is_blank = 0 if die.effect("blank", "hits") else 1
    number: int = is_blank << _IS_BLANK | heroic << _HEROIC_HITS | strike << _STRIKE_HITS
    for face, name in enumerate(die.names):
        hits, explodes, rerolled = (die.effect(name, key) for key in ("hits", "explodes", "rerolled"))
        as_strike = name == "strike" or (hits == strike and hits > 0 and not explodes and name != "heroic")
        faces_by_effect = {
            _HEROICS: not as_strike and (name == "heroic" or hits > 0),
            _STRIKES: as_strike,
            _EXPLODING: explodes,
            _NEUTRAL: rerolled == "neutral",
            _IMPROVED: rerolled in ("neutral", "improved"),
        }
        number |= sum(1 << lowest_bit + face for lowest_bit, has_effect in faces_by_effect.items() if has_effect)
    return number


@step
def faces_of(die: int, rating: int) -> Faces:
    """Return the effects of the faces of a packed die (0: the rules' die) at a combat rating."""
    if not die:
        return Faces(
            1 << _HEROIC_FACE, 1 << _STRIKE_FACE, 1 << _BLANK_FACE, 1 << _HEROIC_FACE, REROLLED_BY_RATING[rating], 2, 1
        )
    rerolled = 0
    if rating != Rating.WEAKENED:
        rerolled = die >> (_IMPROVED if rating == Rating.IMPROVED else _NEUTRAL) & _FACES
    return Faces(
        die >> _HEROICS & _FACES,
        die >> _STRIKES & _FACES,
        (die >> _IS_BLANK & 1) << _BLANK_FACE,
        die >> _EXPLODING & _FACES,
        rerolled,
        die >> _HEROIC_HITS & _MASK_3,
        die >> _STRIKE_HITS & _MASK_3,
    )


def record_fields(rules: Iterable[HouseRule]) -> dict[str, int]:
    """Return the fields `house_1` to `house_4` of an attack's or target's record for these rules."""
    numbers = [*map(pack_rule, rules), *[0] * MOST_RULES]
    return {f"house_{place + 1}": numbers[place] for place in range(MOST_RULES)}


@step
def add_rule(effects: Effects, rule: int, situation: int, is_a: int) -> Effects:
    """Return `effects` plus those of a packed rule, if it applies in this situation to an enemy with bits `is_a`."""
    against = rule >> _AGAINST & _MASK_11
    if rule >> situation & 1 == 0 or (against and not against & is_a):
        return effects
    return Effects(
        effects.dice + (rule >> _DICE & _MASK_6) - _DICE_ZERO,
        effects.defence + (rule >> _DEFENCE & _MASK_4) - _DEFENCE_ZERO,
        effects.test + (rule >> _TEST & _MASK_4) - _TEST_ZERO,
        effects.rerolls | rule >> _REROLLS & _MASK_5,
        effects.ignores | rule >> _IGNORES & _MASK_5,
        max(effects.heroic_hits, rule >> _HEROIC & _MASK_3),
        max(effects.strike_hits, rule >> _STRIKE & _MASK_3),
        effects.as_strike | (rule >> _AS_STRIKE & _MASK_3) << _FIRST_WITHOUT_HITS,
        effects.as_heroic | (rule >> _AS_HEROIC & _MASK_3) << _FIRST_WITHOUT_HITS,
    )


@step
def effects_on(attack: AttackFacts, target: TargetFacts, short: int) -> Effects:
    """Return the effects of the house rules of both sides on an attack; `short`: 1 at short range."""
    effects = Effects(0, 0, 0, 0, 0, 0, 0, 0, 0)
    if not attack.house_1 and not target.house_1:
        return effects
    situation = Situation.SHORT_RANGE.value if short else Situation.LONG_RANGE.value
    if attack.close_quarters:
        situation = Situation.CHARGE.value if attack.charging else Situation.CLOSE_QUARTERS.value
    for rule in (attack.house_1, attack.house_2, attack.house_3, attack.house_4):
        effects = add_rule(effects, rule, situation, target.is_a)
    for rule in (target.house_1, target.house_2, target.house_3, target.house_4):
        effects = add_rule(effects, rule, situation, attack.is_a)
    return effects
