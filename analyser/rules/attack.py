"""Single attacks: the record `fight` for an attack on a target, and the losses that the dice cause (AC-3, AC-4)."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.game.ruleset import NO_FACES, Rating
from analyser.rules.house_rules import Effects, effects_on, faces_of
from analyser.rules.structs import NONE, AttackFacts, Bonus, FightFacts, Officer, Penalty, Sight, TargetFacts, Test

LIGHT, HEAVY = 0, 1  # indices in CATEGORIES


@step
def count_bits(bits: int) -> int:
    """Return the number of set bits: each bonus or penalty is one bit, so it counts once (AC-3.1)."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@step
def uses_parentheses(attack: AttackFacts, target: TargetFacts, short_range: int) -> bool:
    """Return True if the attack uses the dice in parentheses of the unit card (AC-6: Point Blank, Shock, Wreckers)."""
    shock = attack.shock and target.category == LIGHT
    return bool((attack.point_blank and short_range) or shock or (attack.wreckers and target.category == HEAVY))


@step
def effects_of(attack: AttackFacts, target: TargetFacts) -> Effects:
    """Return the effects of the house rules of both sides on an attack."""
    return effects_on(attack, target, attack.bonuses & Bonus.SHORT_RANGE)


@step
def dice_of_cell(attack: AttackFacts, target: TargetFacts, dice: int, in_parentheses: int, short: int) -> int:
    """Return `dice`, or `in_parentheses` if that is used, after house rules, which leave at least 1 die (AC-3.2)."""
    if in_parentheses != NONE and uses_parentheses(attack, target, short):
        dice = in_parentheses
    if dice <= 0 or (not attack.house_1 and not target.house_1):
        return dice
    return max(dice + effects_on(attack, target, short).dice, 1)


@step
def attack_dice(attack: AttackFacts, target: TargetFacts) -> int:
    """Return the number of dice of an attack (AC-3.2)."""
    return dice_of_cell(attack, target, attack.dice, attack.dice_in_parentheses, attack.bonuses & Bonus.SHORT_RANGE)


@step
def is_concealed(attack: AttackFacts, target: TargetFacts) -> bool:
    """Return True if the concealed penalty applies (AC-3.9, AC-4.2, AC-4.3; Torrent, Shrouded, Obfuscating)."""
    if attack.torrent or attack.close_quarters or effects_of(attack, target).ignores & Penalty.CONCEALED:
        return False
    if target.garrisoned or target.always_concealed:
        return True
    prioritises_exposed = target.exposed != NONE and target.exposed < target.models
    may_conceal = attack.penalties & Penalty.CONCEALED or attack.sight != Sight.OWN
    may_conceal = may_conceal or (target.obstacle and target.concealed_by_obstacle)
    return bool(may_conceal) and not prioritises_exposed


@step
def combat_rating(attack: AttackFacts, target: TargetFacts, concealed: bool) -> int:
    """Return the combat rating (AC-3.1; bonuses and penalties, AC-4.2; Indirect, Lock On and Seismic, AC-6)."""
    if attack.stated_rating != NONE:
        return attack.stated_rating
    if attack.sight == Sight.NONE:
        return Rating.WEAKENED
    if attack.sight == Sight.SPOTTER:
        return Rating.IMPROVED
    difference = count_bits(bonuses_of(attack, target)) - count_bits(penalties_of(attack, target, concealed))
    if difference > 0:
        return Rating.IMPROVED
    return Rating.WEAKENED if difference < 0 else Rating.NEUTRAL


@step
def bonuses_of(attack: AttackFacts, target: TargetFacts) -> int:
    """Return the bits of the bonuses that count (AC-4.2, AC-8.2; Seismic of AC-6)."""
    if attack.seismic and target.ground_unit and target.garrisoned:
        return attack.bonuses | Bonus.SEISMIC
    return attack.bonuses


@step
def penalties_of(attack: AttackFacts, target: TargetFacts, concealed: bool) -> int:
    """Return the bits of the penalties that count (AC-4.2, AC-8.2; Lock On of AC-6; house rules)."""
    penalties = attack.penalties & ~Penalty.CONCEALED
    if concealed:
        penalties |= Penalty.CONCEALED
    if attack.opportunity_fire:
        penalties |= Penalty.OPPORTUNITY_FIRE
    if attack.lock_on:
        penalties &= ~Penalty.OPPORTUNITY_FIRE
    return penalties & ~effects_of(attack, target).ignores


@step
def effective_defence(attack: AttackFacts, target: TargetFacts, concealed: bool) -> int:
    """Return the effective DEFENCE (AC-4.3; Torrent, AC-6; Pavises, Resilient and Emplacement, AC-7; house rules)."""
    defence = target.defence + effects_of(attack, target).defence
    if target.resilient_front and target.from_front and not target.garrisoned:
        defence += 1
    if not attack.close_quarters:
        defence += 1 if target.taking_cover and not attack.torrent and (concealed or target.pavises) else 0
        defence += 1 if target.garrisoned and not attack.torrent else 0
        defence += 1 if target.emplacement and target.obstacle else 0
    return max(defence, 1)


@step
def kind_of_test(attack: AttackFacts, target: TargetFacts) -> int:
    """Return the kind of suppression test, before a card is drawn (AC-4.5, AC-5.1, AC-8.5; Hot Headed, AC-7)."""
    if attack.close_quarters:
        return Test.NOT_TAKEN
    if not target.hot_headed and (attack.opportunity_fire or target.aircraft):
        return Test.NOT_TAKEN
    if target.passes_tests:
        return Test.PASSED
    if target.discipline == NONE:
        return Test.NOT_TAKEN
    return Test.FAILED if target.fail_on_purpose else Test.BY_CARD


@step
def set_pool(attack: AttackFacts, target: TargetFacts, fight: FightFacts) -> None:
    """Set the fields of `fight` that describe its pool of dice, and the target's DEFENCE (AC-3.1 to AC-3.7)."""
    concealed = is_concealed(attack, target)
    rating = combat_rating(attack, target, concealed)
    set_faces(attack, target, fight, rating)
    extra_faces = attack.extra_faces & ~(fight.reroll_faces | fight.heroic_faces)
    if rating == Rating.WEAKENED or attack.extra_dice == 0:
        extra_faces = NO_FACES
    fight.dice = attack_dice(attack, target)
    fight.rating = rating
    fight.extra_faces = extra_faces
    fight.extra_dice = attack.extra_dice if extra_faces else 0
    fight.explosion = 2 if attack.arc else 1
    fight.veteran = 0 if target.durable else attack.veteran
    fight.overcharge = attack.overcharge
    fight.defence = effective_defence(attack, target, concealed)


@step
def set_faces(attack: AttackFacts, target: TargetFacts, fight: FightFacts, rating: int) -> None:
    """Set what each face of the die does (AC-3.3, AC-3.4, AC-3.6; Durable of AC-7), including house rules."""
    faces, effects = faces_of(attack.die, rating), effects_of(attack, target)
    fight.exploding_faces = faces.exploding
    fight.heroic_faces = faces.heroic | effects.as_heroic
    fight.strike_faces = (faces.strike | effects.as_strike) & ~fight.heroic_faces
    fight.blank_faces = faces.blank & ~(fight.heroic_faces | fight.strike_faces)
    fight.strike_hits = effects.strike_hits - 1 if effects.strike_hits else faces.strike_hits
    fight.heroic_hits = max(effects.heroic_hits if effects.heroic_hits else faces.heroic_hits, fight.strike_hits)
    if target.durable:
        fight.heroic_hits = max(fight.strike_hits, 1)
    hitting_faces = effects.as_heroic | effects.as_strike
    fight.reroll_faces = (faces.rerolled & ~hitting_faces | effects.rerolls) & ~faces.exploding


@step
def set_target(attack: AttackFacts, target: TargetFacts, fight: FightFacts) -> None:
    """Set the target's state, the kind of its test, and when its officer falls (AC-5.8; Precision, Bodyguard)."""
    fumes = attack.corrosive and not target.automata and not target.near_commander
    seismic = attack.seismic and target.ground_unit
    fight.models = target.models
    fight.damage = target.damage
    fight.damage_limit = target.damage_limit
    fight.most_destroyed = target.models if target.exposed == NONE else target.exposed
    fight.devastating = attack.devastating
    fight.penetrating = attack.penetrating
    fight.behemoth = target.behemoth
    fight.test = kind_of_test(attack, target)
    fight.discipline = (
        target.discipline + target.chain_of_command - attack.suppressive + effects_of(attack, target).test
    )
    fight.break_limit = target.break_limit
    fight.suppressed = target.suppressed
    fight.disordered = 1 if fumes else target.disordered
    if target.steady:
        fight.disordered = 0
    fight.activated = target.activated
    fight.officer = Officer.LAST if target.close_formation else target.officer
    if attack.precision and not target.bodyguard:
        fight.officer = Officer.FIRST
    fight.near_commander = target.near_commander or target.steady
    fight.cryo = attack.cryo
    fight.disorders = (target.construct or seismic) and not fight.near_commander
    fight.flees = target.flees
    fight.models_without_room = target.models_without_room
    fight.attacker_models = attack.models
    fight.attacker_damage = attack.damage
    fight.attacker_damage_limit = attack.damage_limit


@step
def set_fight(attack: AttackFacts, target: TargetFacts, fight: FightFacts) -> None:
    """Fill `fight` from `attack` and `target` (records of :mod:`.structs`)."""
    set_pool(attack, target, fight)
    set_target(attack, target, fight)


class Scores(NamedTuple):
    """Values of faces in a score. A score is the number of hits times `hit`, plus the number of blanks (Overcharge)."""

    heroic: int
    strike: int
    blank: int
    hit: int


@step
def scores_for(fight: FightFacts, dice: int) -> Scores:
    """Return the values of faces for up to `dice` first-roll dice, not counting dice that others add (AC-3.6, AC-6).

    >>> from types import SimpleNamespace
    >>> scores_for(SimpleNamespace(heroic_hits=2, strike_hits=1, overcharge=0, explosion=1), 10)
    Scores(heroic=2, strike=1, blank=0, hit=1)
    >>> scores_for(SimpleNamespace(heroic_hits=2, strike_hits=1, overcharge=1, explosion=1), 10)
    Scores(heroic=22, strike=11, blank=1, hit=11)
    """
    hit = dice * fight.explosion + 1 if fight.overcharge else 1
    return Scores(fight.heroic_hits * hit, fight.strike_hits * hit, 1 if fight.overcharge else 0, hit)


@step
def score_bound(fight: FightFacts, scores: Scores, dice: int) -> int:
    """Return a strict upper bound of the score of a pool of `dice` first-roll dice."""
    return dice * (1 + fight.explosion) * scores.heroic + (1 + fight.veteran) * scores.hit


@step
def score_of(fight: FightFacts, scores: Scores, face: int) -> int:
    """Return the value of a die with the final `face` in the score."""
    if fight.heroic_faces >> face & 1:
        return scores.heroic
    if fight.strike_faces >> face & 1:
        return scores.strike
    return scores.blank if fight.blank_faces >> face & 1 else 0


class WaitingDie(IntEnum):
    """Kinds of dice that may still take an extra re-roll, worst first (AC-3.5)."""

    BLANK = 0  # a blank that counts for Overcharge
    NO_EFFECT = 1
    STRIKE = 2
    NONE = 3  # a die that takes no extra re-roll


@step
def waiting_kind(fight: FightFacts, face: int) -> int:
    """Return the :class:`WaitingDie` of a die with this `face`; NONE if it takes no extra re-roll (AC-3.5)."""
    if not fight.extra_faces >> face & 1:
        return WaitingDie.NONE
    if fight.strike_faces >> face & 1:
        return WaitingDie.STRIKE
    return WaitingDie.BLANK if fight.blank_faces >> face & 1 and fight.overcharge else WaitingDie.NO_EFFECT


@step
def hits_of(scores: Scores, score: int) -> int:
    """Return the hits of a score (AC-3.6)."""
    return score // scores.hit


def sum_by_hits(scores: Scores, weights: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of weights for each number of hits, from 0; `weights` has one weight for each score."""
    hits = np.array([hits_of(scores, score) for score in range(len(weights))])
    sums: NDArray[Any] = np.zeros(hits.max() + 1, weights.dtype)
    np.add.at(sums, hits, weights)
    return sums


@step
def damage_points(fight: FightFacts, scores: Scores, score: int) -> int:
    """Return the points of damage: one per DEFENCE hits (AC-3.7), and one for a remainder if Devastating (AC-6)."""
    hits = hits_of(scores, score)
    points = hits // fight.defence
    return points + 1 if fight.devastating and hits % fight.defence else points


@step
def hits_left_over(fight: FightFacts, scores: Scores, score: int) -> int:
    """Return the hits left over, too few for a point of damage (AC-3.7); 0 if Devastating, which uses them."""
    return 0 if fight.devastating else hits_of(scores, score) % fight.defence


@step
def destroy_models(damage: int, points: int, damage_limit: int, most_destroyed: int) -> tuple[int, int]:
    """Return the number of models destroyed, and the damage left on the unit (AC-3.8, AC-3.9)."""
    total = damage + points
    destroyed = total // damage_limit
    if destroyed >= most_destroyed:
        return most_destroyed, 0
    return destroyed, total % damage_limit


@step
def penetrate(fight: FightFacts, destroyed: int, damage: int, points: int) -> tuple[int, int]:
    """Return the losses after Penetrating (AC-6): damage left over destroys a model, or adds 1 damage to a behemoth."""
    if points == 0 or damage == 0:
        return destroyed, damage
    if fight.behemoth:
        more, left = destroy_models(damage, 1, fight.damage_limit, fight.most_destroyed - destroyed)
        return destroyed + more, left
    return destroyed + 1, 0


@step
def losses_of(fight: FightFacts, scores: Scores, score: int) -> tuple[int, int, int, int]:
    """Return the target's models destroyed and its damage left, then both numbers of the attacker (Overcharge)."""
    points = damage_points(fight, scores, score)
    destroyed, damage = destroy_models(fight.damage, points, fight.damage_limit, fight.most_destroyed)
    if fight.penetrating:
        destroyed, damage = penetrate(fight, destroyed, damage, points)
    if not fight.overcharge:
        return destroyed, damage, 0, 0
    blanks, models = score % scores.hit, fight.attacker_models
    own_destroyed, own_damage = destroy_models(fight.attacker_damage, blanks, fight.attacker_damage_limit, models)
    return destroyed, damage, own_destroyed, own_damage
