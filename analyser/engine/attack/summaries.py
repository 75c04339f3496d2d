"""Exact summaries (means, probabilities, percentiles) of the attacks of many units on many targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE
from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.attack.exact import OUTCOMES_PER_SCORE, push_pmf
from analyser.engine.parallel import Chunks, Queue, run_chunks
from analyser.engine.pool.pmf import Outcomes, empty_outcomes, most_dice, pool_pmf
from analyser.rules.attack import Scores, losses_of, scores_for, set_fight
from analyser.rules.discipline import ACTIVATED, ANNIHILATED, BROKEN, DAMAGE, FLED, MODELS_DESTROYED, SUPPRESSED
from analyser.rules.draws import DrawOdds, odds_of
from analyser.rules.structs import FIGHT, FightFacts
from analyser.rules.unit_state import MODELS_MASK

STATUSES = ("suppressed", "activated", "broken", "fled", "annihilated")
"""States of the target whose probabilities are in a summary."""
SUMMARY_FIELDS = (
    *("mean_models_destroyed", "p_any_destroyed", "p_half_destroyed"),
    *(f"p_{name}" for name in STATUSES),
    *("models_destroyed_10th_percentile", "models_destroyed_90th_percentile", "mean_damage", "mean_share_lost"),
)
AT_MOST_ONE = tuple(name for name in SUMMARY_FIELDS if name.startswith("p_") or name == "mean_share_lost")
"""Fields that are at most 1; rounding errors may raise the computed sums above 1."""
SUMMARY = np.dtype((np.record, [(name, np.float64) for name in SUMMARY_FIELDS]))
"""Summary of an attack; all NaN if the attack is impossible."""
ROUNDING = 1e-12  # rounding error of a sum of probabilities


@step
def percentile(pmf: Floats, share: float) -> float:
    """Return the percentile of a distribution: the smallest v with P(value <= v) >= `share`."""
    total = 0.0
    for value in range(len(pmf)):
        total += pmf[value]
        if total >= share - ROUNDING:
            return float(value)
    return float(len(pmf) - 1)


@step
def summarise(fight: FightFacts, outcomes: Outcomes, count: int, destroyed: Floats, summary: NDArray[np.void]) -> None:
    """Fill `summary`, an array of one record of SUMMARY, from `count` outcomes; `destroyed` is scratch memory.

    The share lost is 1 for an annihilated unit, else the damage suffered divided by the damage that destroys the whole
    unit (AC-3.8).
    """
    figures, models, whole = summary[0], fight.models, fight.models * fight.damage_limit
    mean_share_lost = 0.0
    destroyed[: models + 1] = 0.0
    figures.p_suppressed = figures.p_activated = figures.p_broken = figures.p_fled = figures.p_annihilated = 0.0
    for place in range(count):
        outcome, probability = outcomes.values[place], outcomes.probabilities[place]
        lost = outcome >> MODELS_DESTROYED & MODELS_MASK
        destroyed[lost] += probability
        suffered = whole if outcome & ANNIHILATED else lost * fight.damage_limit + (outcome >> DAMAGE & MODELS_MASK)
        mean_share_lost += probability * suffered / whole
        figures.p_suppressed += probability if outcome & SUPPRESSED else 0.0
        figures.p_activated += probability if outcome & ACTIVATED else 0.0
        figures.p_broken += probability if outcome & BROKEN else 0.0
        figures.p_fled += probability if outcome & FLED else 0.0
        figures.p_annihilated += probability if outcome & ANNIHILATED else 0.0
    figures.mean_share_lost = mean_share_lost
    figures.mean_models_destroyed = 0.0
    figures.p_any_destroyed = figures.p_half_destroyed = 0.0
    for lost in range(1, models + 1):
        figures.mean_models_destroyed += lost * destroyed[lost]
        figures.p_any_destroyed += destroyed[lost]
        figures.p_half_destroyed += destroyed[lost] if 2 * lost >= models else 0.0
    figures.models_destroyed_10th_percentile = percentile(destroyed[: models + 1], LOW_PERCENTILE)
    figures.models_destroyed_90th_percentile = percentile(destroyed[: models + 1], HIGH_PERCENTILE)


@step
def mean_damage(fight: FightFacts, scores: Scores, pmf: Floats) -> float:
    """Return the mean damage suffered; a destroyed model counts as its whole DAMAGE LIMIT (AC-3.8).

    This mean tells apart attacks that destroy no model, such as single attacks on an undamaged behemoth.
    """
    total = 0.0
    for score in range(len(pmf)):
        destroyed, damage, _, _ = losses_of(fight, scores, score)
        total += pmf[score] * (destroyed * fight.damage_limit + damage - fight.damage)
    return total


@step
def same_pool(one: FightFacts, other: FightFacts, cards: Floats) -> bool:
    """Return True if two fights roll the same pool."""
    dice = most_dice(one, cards)
    if one.dice != other.dice or one.reroll_faces != other.reroll_faces or one.extra_faces != other.extra_faces:
        return False
    if one.extra_dice != other.extra_dice or one.explosion != other.explosion or one.veteran != other.veteran:
        return False
    if one.heroic_faces != other.heroic_faces or one.strike_faces != other.strike_faces:
        return False
    if one.exploding_faces != other.exploding_faces or one.blank_faces != other.blank_faces:
        return False
    return bool(dice == most_dice(other, cards) and scores_for(one, dice) == scores_for(other, dice))


@tiered(3.0)
def fill_summary_row(
    attacks: NDArray[np.void],
    row: int,
    targets: NDArray[np.void],
    possible: NDArray[np.bool_],
    fights: NDArray[np.void],
    faces: Floats,
    cards: Floats,
    odds: DrawOdds,
    summaries: NDArray[np.void],
) -> None:
    """Fill one attacker's row of `summaries`; `fights` are scratch records, one for each target.

    The distribution of a pool is computed once for all targets against which the attack rolls it.
    """
    most_models = 0
    for place in range(len(targets)):
        most_models = max(most_models, targets[place].models)
        if possible[row, place]:
            set_fight(attacks[row], targets[place], fights[place])
    destroyed, is_done = np.zeros(most_models + 1), np.zeros(len(targets))
    for first in range(len(targets)):
        if not possible[row, first] or is_done[first]:
            continue
        scores = scores_for(fights[first], most_dice(fights[first], cards))
        pmf = pool_pmf(fights[first], scores, faces, cards)
        outcomes = empty_outcomes(OUTCOMES_PER_SCORE * len(pmf))
        for place in range(first, len(targets)):
            fight = fights[place]
            if not possible[row, place] or is_done[place] or not same_pool(fights[first], fight, cards):
                continue
            count = push_pmf(fight, scores, pmf, odds, outcomes)
            summarise(fight, outcomes, count, destroyed, summaries[row, place : place + 1])
            summaries[row, place].mean_damage = mean_damage(fight, scores, pmf)
            is_done[place] = 1.0


def summary_table(
    attacks: NDArray[np.void],
    targets: NDArray[np.void],
    possible: NDArray[np.bool_],
    die: Integers,
    deck: Integers,
    *,
    threads: int = 1,
) -> NDArray[np.void]:
    """Return exact summaries of every attack on every target, shape (attacks, targets); NaN if not `possible`.

    `die` and `deck` are sides by face and copies by card value. Threads share the rows.
    """
    probabilities = die / die.sum(), deck / deck.sum(), odds_of(die, deck)
    # Contiguous, because the kernel would be compiled again for strided arrays.
    attacks, targets = np.ascontiguousarray(attacks), np.ascontiguousarray(targets)
    possible = np.ascontiguousarray(possible)
    summaries = np.full((len(attacks), len(targets)), np.nan, np.float64).astype(SUMMARY)

    def fill(queue: Queue) -> None:
        for task in queue:
            for row in range(task.first, task.last):
                fights = np.zeros(len(targets), FIGHT)
                fill_summary_row(attacks, row, targets, possible, fights, *probabilities, summaries)

    run_chunks(Chunks(len(attacks), size=1), fill, threads)
    for name in AT_MOST_ONE:
        summaries[name] = np.minimum(summaries[name], 1.0)
    return summaries
