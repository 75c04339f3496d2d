"""From the faces of a pool to destroyed models (AC-3.6 to AC-3.9).

A pool comes to one integer, its *score*: each die adds to it what its face is worth. The engines add scores up, and
know nothing else of them; what a score means is said here alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.game.ruleset import Face
from analyser.rules.structs import FightFacts


class Scores(NamedTuple):
    """What a die adds to the score of its pool.

    Attributes
    ----------
    heroic, strike, blank : int
        Of a die that ends as a heroic strike, a strike, a blank, the most first; other faces add nothing. The hits are
        the score divided by that of a strike, rounded down; the blanks, where they count, are the remainder.
    """

    heroic: int
    strike: int
    blank: int


@step
def scores_for(fight: FightFacts, dice: int) -> Scores:
    """The scores for pools of up to `dice` dice of the first roll (AC-3.6; Overcharge counts blanks, AC-6).

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> scores_for(SimpleNamespace(heroic_hits=2, overcharge=0, explosion=1), 10)
    Scores(heroic=2, strike=1, blank=0)
    >>> scores_for(SimpleNamespace(heroic_hits=2, overcharge=1, explosion=1), 10)
    Scores(heroic=22, strike=11, blank=1)
    """
    strike = dice * fight.explosion + 1 if fight.overcharge else 1
    return Scores(fight.heroic_hits * strike, strike, 1 if fight.overcharge else 0)


@step
def size_of(fight: FightFacts, scores: Scores, dice: int) -> int:
    """What the score of a pool of `dice` dice of the first roll is always below."""
    return dice * (1 + fight.explosion) * scores.heroic + (1 + fight.veteran) * scores.strike


@step
def score_of(scores: Scores, face: int) -> int:
    """What a die that ends at `face` adds to the score."""
    if face == Face.HEROIC:
        return scores.heroic
    if face == Face.STRIKE:
        return scores.strike
    return scores.blank if face == Face.BLANK else 0


@step
def hits_of(scores: Scores, score: int) -> int:
    """The hits of a score (AC-3.6)."""
    return score // scores.strike


@step
def blanks_of(scores: Scores, score: int) -> int:
    """The blanks of a score, if they count (Overcharge, AC-6)."""
    return score % scores.strike


def by_hits(scores: Scores, weights: NDArray[Any]) -> NDArray[Any]:
    """Weights of scores added up by the number of hits: shape (most hits + 1,)."""
    hits = np.array([hits_of(scores, score) for score in range(len(weights))])
    added: NDArray[Any] = np.zeros(hits.max() + 1, weights.dtype)
    np.add.at(added, hits, weights)
    return added


@step
def points_of(fight: FightFacts, scores: Scores, score: int) -> int:
    """Points of damage: every DEFENCE hits are 1 (AC-3.7); Devastating adds 1 if hits would be left over (AC-6)."""
    hits = hits_of(scores, score)
    points = hits // fight.defence
    return points + 1 if fight.devastating and hits % fight.defence else points


@step
def hits_left_over(fight: FightFacts, scores: Scores, score: int) -> int:
    """Hits that do no damage for want of others (AC-3.7)."""
    return 0 if fight.devastating else hits_of(scores, score) % fight.defence


@step
def destroy_models(damage: int, points: int, damage_limit: int, most_destroyed: int) -> tuple[int, int]:
    """Models destroyed, and the damage left on the unit (AC-3.8, AC-3.9).

    `most_destroyed` models can go at most; what is left after the last of them is discarded.
    """
    total = damage + points
    destroyed = total // damage_limit
    if destroyed >= most_destroyed:
        return most_destroyed, 0
    return destroyed, total % damage_limit


@step
def penetrate(fight: FightFacts, destroyed: int, damage: int, points: int) -> tuple[int, int]:
    """Penetrating (AC-6): one more model for the damage left; +1 damage instead against a behemoth."""
    if points == 0 or damage == 0:
        return destroyed, damage
    if fight.behemoth:
        more, left = destroy_models(damage, 1, fight.damage_limit, fight.most_destroyed - destroyed)
        return destroyed + more, left
    return destroyed + 1, 0


@step
def losses_of(fight: FightFacts, scores: Scores, score: int) -> tuple[int, int, int, int]:
    """What a score does: models destroyed and damage left on the target; the same of the attacker (Overcharge)."""
    points = points_of(fight, scores, score)
    destroyed, damage = destroy_models(fight.damage, points, fight.damage_limit, fight.most_destroyed)
    if fight.penetrating:
        destroyed, damage = penetrate(fight, destroyed, damage, points)
    if not fight.overcharge:
        return destroyed, damage, 0, 0
    blanks, models = blanks_of(scores, score), fight.attacker_models
    own_destroyed, own_damage = destroy_models(fight.attacker_damage, blanks, fight.attacker_damage_limit, models)
    return destroyed, damage, own_destroyed, own_damage
