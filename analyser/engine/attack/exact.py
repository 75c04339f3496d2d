"""Exact engine of attacks: from the distribution of a pool's score to the probabilities of the outcomes."""

from __future__ import annotations

from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.pool.pmf import Outcomes, empty_outcomes, most_dice, pool_pmf
from analyser.rules import strike
from analyser.rules.attack import Scores, losses_of, scores_for
from analyser.rules.draws import DrawOdds
from analyser.rules.strike import Stage
from analyser.rules.structs import FightFacts

OUTCOMES_PER_SCORE = 4  # most outcomes of one score: officer lost or not, test passed or failed


@step
def push_state(
    fight: FightFacts, losses: tuple[int, int, int, int], weight: float, odds: DrawOdds, outcomes: Outcomes, count: int
) -> int:
    """Append an outcome of these losses for each fate of the officer and each test result; return the new count."""
    progress = strike.after_losses(fight, losses)
    if strike.stage_of(progress) != Stage.OFFICER:
        return push_tested(fight, progress, weight, odds, outcomes, count)
    fallen = strike.probability_of_yes(fight, progress, 1, odds)
    count = push_tested(fight, strike.after_draw(fight, progress, 0), weight * (1.0 - fallen), odds, outcomes, count)
    return push_tested(fight, strike.after_draw(fight, progress, 1), weight * fallen, odds, outcomes, count)


@step
def push_tested(fight: FightFacts, progress: int, weight: float, odds: DrawOdds, outcomes: Outcomes, count: int) -> int:
    """Append an outcome for each result of the test, or one outcome without a test; return the new count."""
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
    """Fill `outcomes` from the distribution `pmf` of a pool's score; return their number; some may be equal."""
    count = 0
    for first in range(scores.hit):  # scores that differ by whole hits often cause equal losses
        losses, weight = (0, 0, 0, 0), 0.0
        for score in range(first, len(pmf), scores.hit):
            if pmf[score] == 0.0:
                continue
            next_losses = losses_of(fight, scores, score)
            if weight > 0.0 and next_losses != losses:
                count = push_state(fight, losses, weight, odds, outcomes, count)
                weight = 0.0
            losses = next_losses
            weight += pmf[score]
        if weight > 0.0:
            count = push_state(fight, losses, weight, odds, outcomes, count)
    return count


@step
def merge_outcomes(outcomes: Outcomes, count: int) -> int:
    """Sort `count` outcomes by insertion, and merge equal ones by adding their probabilities; return the new count."""
    values, weights = outcomes
    merged = 0
    for place in range(count):
        value, weight = values[place], weights[place]
        slot = merged
        while slot > 0 and values[slot - 1] > value:
            slot -= 1
        if slot > 0 and values[slot - 1] == value:
            weights[slot - 1] += weight
            continue
        for later in range(merged, slot, -1):
            values[later], weights[later] = values[later - 1], weights[later - 1]
        values[slot], weights[slot] = value, weight
        merged += 1
    return merged


@tiered(2.0)
def exact_attack(
    fight: FightFacts, faces: Floats, cards: Floats, odds: DrawOdds
) -> tuple[Scores, Floats, Integers, Floats]:
    """Return the values of faces, the probability of each score, the distinct outcomes, and their probabilities."""
    scores = scores_for(fight, most_dice(fight, cards))
    pmf = pool_pmf(fight, scores, faces, cards)
    outcomes = empty_outcomes(OUTCOMES_PER_SCORE * len(pmf))
    merged = merge_outcomes(outcomes, push_pmf(fight, scores, pmf, odds, outcomes))
    return scores, pmf, outcomes.values[:merged], outcomes.probabilities[:merged]
