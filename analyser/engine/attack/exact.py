"""The exact engine: the distribution of the outcome is that of the draws, pushed forward through the rules."""

from __future__ import annotations

from analyser.common.jit import step, tiered
from analyser.common.records import Floats, Integers
from analyser.engine.pool.pmf import Outcomes, most_dice, no_outcomes, pool_pmf
from analyser.rules import discipline
from analyser.rules.attack import Scores, losses_of, scores_for
from analyser.rules.discipline import ATTACKER_DAMAGE, ATTACKER_DESTROYED
from analyser.rules.draws import Odds, probability_of, test_draw
from analyser.rules.structs import FightFacts

ROWS_A_STATE = 4  # officer lost or not, times test passed or failed


@step
def push_state(
    fight: FightFacts, losses: tuple[int, int, int, int], weight: float, odds: Odds, outcomes: Outcomes, count: int
) -> int:
    """Append what units with these losses come to, officer and card still to be drawn; the new count."""
    destroyed, damage, own_destroyed, own_damage = losses
    own = own_destroyed << ATTACKER_DESTROYED | own_damage << ATTACKER_DAMAGE
    living = destroyed < fight.models
    lost = discipline.places_lost(fight, destroyed) / fight.models if living else 0.0
    for officer_lost in range(2):
        share = weight * (lost if officer_lost else 1.0 - lost)
        if share == 0.0:
            continue
        disordered = discipline.disordered_by_loss(fight, officer_lost)
        highest = discipline.passes_up_to(fight, destroyed, disordered)
        failed = 1.0 - probability_of(test_draw(1), highest, odds)
        if failed < 1.0:
            outcomes.values[count] = discipline.pass_test(fight, destroyed, damage, disordered) | own
            outcomes.probabilities[count] = share * (1.0 - failed)
            count += 1
        if failed > 0.0:
            outcomes.values[count] = discipline.fail_test(fight, destroyed, damage, disordered) | own
            outcomes.probabilities[count] = share * failed
            count += 1
    return count


@step
def push_pmf(fight: FightFacts, scores: Scores, pmf: Floats, odds: Odds, outcomes: Outcomes) -> int:
    """Fill `outcomes` from the distribution of a pool's score; how many were filled.

    The same outcome may come up more than once. Room for ``ROWS_A_STATE * len(pmf)`` is enough.
    """
    count = 0
    for first in range(scores.strike):  # scores that differ in strikes alone follow each other: many do the same
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
    """Bring `count` outcomes into rising order, equal ones together with their probabilities added; how many are left.

    Insertion sort: they come nearly in order, and few.
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
    fight: FightFacts, faces: Floats, cards: Floats, odds: Odds
) -> tuple[Scores, Floats, Integers, Floats]:
    """One attack: its scores and their probabilities, its outcomes in rising order, each once, and theirs.

    `faces` and `cards` are the probabilities of the faces of the die, and of the card values. Outcomes are packed as
    :mod:`analyser.rules.discipline` says.
    """
    scores = scores_for(fight, most_dice(fight, cards))
    pmf = pool_pmf(fight, scores, faces, cards)
    outcomes = no_outcomes(ROWS_A_STATE * len(pmf))
    kept = gather(outcomes, push_pmf(fight, scores, pmf, odds, outcomes))
    return scores, pmf, outcomes.values[:kept], outcomes.probabilities[:kept]
