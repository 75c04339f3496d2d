"""Exact engine of attacks: pushes the distribution of a pool's score through the rules to the outcomes."""

from __future__ import annotations

from analyser.common.jit import step, tiered
from analyser.common.records import Floats, Integers
from analyser.engine.pool.pmf import Outcomes, most_dice, no_outcomes, pool_pmf
from analyser.rules import strike
from analyser.rules.attack import Scores, losses_of, scores_for
from analyser.rules.draws import DrawOdds
from analyser.rules.strike import Stage
from analyser.rules.structs import FightFacts

ROWS_A_STATE = 4  # officer lost or not, times test passed or failed


@step
def push_state(
    fight: FightFacts, losses: tuple[int, int, int, int], weight: float, odds: DrawOdds, outcomes: Outcomes, count: int
) -> int:
    """Append the outcomes of a unit with these losses, before officer and card are drawn; return the new count."""
    progress = strike.after_losses(fight, losses)
    if strike.stage_of(progress) != Stage.OFFICER:
        return push_tested(fight, progress, weight, odds, outcomes, count)
    fallen = strike.probability_of_yes(fight, progress, 1, odds)
    count = push_tested(fight, strike.after_draw(fight, progress, 0), weight * (1.0 - fallen), odds, outcomes, count)
    return push_tested(fight, strike.after_draw(fight, progress, 1), weight * fallen, odds, outcomes, count)


@step
def push_tested(fight: FightFacts, progress: int, weight: float, odds: DrawOdds, outcomes: Outcomes, count: int) -> int:
    """Append the outcomes of both results of a test, or one outcome without a test; return the new count."""
    if strike.stage_of(progress) != Stage.TEST:
        return push(strike.outcome_of(fight, progress), weight, outcomes, count)
    failed = 1.0 - strike.probability_of_yes(fight, progress, 1, odds)
    count = push(
        strike.outcome_of(fight, strike.after_draw(fight, progress, 1)), weight * (1.0 - failed), outcomes, count
    )
    return push(strike.outcome_of(fight, strike.after_draw(fight, progress, 0)), weight * failed, outcomes, count)


@step
def push(outcome: int, weight: float, outcomes: Outcomes, count: int) -> int:
    """Append an outcome if its weight is positive; return the new count."""
    if weight > 0.0:
        outcomes.values[count], outcomes.probabilities[count] = outcome, weight
        return count + 1
    return count


@step
def push_pmf(fight: FightFacts, scores: Scores, pmf: Floats, odds: DrawOdds, outcomes: Outcomes) -> int:
    """Fill `outcomes` from the distribution of a pool's score; return their number.

    An outcome may occur more than once. Space for ``ROWS_A_STATE * len(pmf)`` outcomes is enough.
    """
    count = 0
    for first in range(scores.strike):  # scores that differ in strikes only: many cause equal losses
        losses, weight = (0, 0, 0, 0), 0.0
        for score in range(first, len(pmf), scores.strike):
            if pmf[score] == 0.0:
                continue
            more = losses_of(fight, scores, score)
            if weight > 0.0 and more != losses:
                count = push_state(fight, losses, weight, odds, outcomes, count)
                weight = 0.0
            losses = more
            weight += pmf[score]
        if weight > 0.0:
            count = push_state(fight, losses, weight, odds, outcomes, count)
    return count


@step
def gather(outcomes: Outcomes, count: int) -> int:
    """Sort `count` outcomes, merge equal ones and add their probabilities; return the new count.

    Insertion sort, because the outcomes are few and nearly sorted.
    """
    values, weights = outcomes
    kept = 0
    for place in range(count):
        value, weight = values[place], weights[place]
        slot = kept
        while slot > 0 and values[slot - 1] > value:
            slot -= 1
        if slot > 0 and values[slot - 1] == value:
            weights[slot - 1] += weight
            continue
        for later in range(kept, slot, -1):
            values[later], weights[later] = values[later - 1], weights[later - 1]
        values[slot], weights[slot] = value, weight
        kept += 1
    return kept


@tiered(2.0)
def exact_attack(
    fight: FightFacts, faces: Floats, cards: Floats, odds: DrawOdds
) -> tuple[Scores, Floats, Integers, Floats]:
    """Return an attack's scores with their probabilities, and its distinct sorted outcomes with their probabilities.

    `faces` and `cards` are the probabilities of the faces of the die, and of the card values.
    :mod:`analyser.rules.discipline` defines the packed outcomes.
    """
    scores = scores_for(fight, most_dice(fight, cards))
    pmf = pool_pmf(fight, scores, faces, cards)
    outcomes = no_outcomes(ROWS_A_STATE * len(pmf))
    kept = gather(outcomes, push_pmf(fight, scores, pmf, odds, outcomes))
    return scores, pmf, outcomes.values[:kept], outcomes.probabilities[:kept]
