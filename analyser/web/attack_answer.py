"""Answer to a question about an attack: its setup, the exact result, and the figures (AC-3 to AC-5)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analyser.common.jit import step
from analyser.common.kernel_records import Floats
from analyser.engine.attack.exact import OUTCOMES_PER_SCORE, merge_outcomes, push_pmf
from analyser.engine.attack.summaries import mean_damage
from analyser.engine.fight.step_builder import band_of
from analyser.engine.pool.pmf import Outcomes, empty_outcomes, most_dice, pool_pmf
from analyser.rules import shots
from analyser.rules.attack import Scores, hits_of, scores_for, set_fight
from analyser.rules.discipline import (
    ACTIVATED,
    ANNIHILATED,
    ATTACKER_DESTROYED,
    BROKEN,
    DAMAGE,
    DISORDERED,
    FELL_BACK,
    FLED,
    MODELS_DESTROYED,
    SUPPRESSED,
)
from analyser.rules.draws import DrawOdds, odds_of
from analyser.rules.shots import ShotFacts, WhyNot
from analyser.rules.structs import NONE, AttackFacts, Bonus, FightFacts, Penalty
from analyser.rules.unit_state import FALL_BACK, MODELS_MASK


class DieAndDeck(NamedTuple):
    """Die and deck, with the probabilities of faces and card values."""

    odds: DrawOdds
    faces: Floats  # probability of each face
    cards: Floats  # probability of each card value


@step
def die_and_deck_of(question: Any) -> DieAndDeck:
    """Return the die and the deck of a question."""
    odds = odds_of(question.die, question.deck[: question.n_cards])
    cards = question.deck[: question.n_cards] / odds.cards_up_to[question.n_cards - 1]
    return DieAndDeck(odds, question.die / odds.sides, cards)


@step
def set_attack(question: Any, attack: AttackFacts) -> int:
    """Fill in `attack` for the question's row; return the reason if it is impossible (a WhyNot), else 0."""
    unit, target, stated = question.units[0], question.units[1].target[0], question.fight[0]
    row = unit.rows[question.row]
    facts, state = row.facts[0], unit.target[0]
    band = band_of(row, shots.band_count(state.models, state.damage, state.behemoth, state.garrisoned))
    dice = NONE if band == NONE else row.bands[band].dice
    reloading = unit.facts[0].reloading
    shot = ShotFacts(stated.distance, stated.short_range, reloading, stated.advanced, stated.opportunity_fire)
    reason = shots.why_not(facts, shot, target.category, dice)
    if reason != WhyNot.IT_CAN:
        return reason
    short = shots.within_short_range(facts, shot)
    special, added = row.bands[band].special, shots.DICE_PER_CARRIAGE * stated.carriages
    attack.dice, attack.dice_in_parentheses = dice + added, NONE if special == NONE else special + added
    attack.stated_rating = stated.rating
    attack.bonuses = (
        (Bonus.AIMING if stated.aiming else 0)
        | (Bonus.SHORT_RANGE if short else 0)
        | (Bonus.AMMO_SUPPLY if stated.ammo_supply else 0)
    )
    attack.penalties = (
        (Penalty.CONCEALED if stated.concealed else 0)
        | (Penalty.SUPPRESSED if state.suppressed else 0)
        | (Penalty.REFORMING if stated.reforming else 0)
        | (Penalty.OUTSIDE_FRONT_ARC if stated.outside_front_arc else 0)
    )
    attack.opportunity_fire = stated.opportunity_fire
    attack.sight = stated.line_of_sight
    attack.overcharge = stated.overcharge
    reach = unit.facts[0].fumes
    attack.corrosive = 1 if NONE not in (reach, stated.distance) and stated.distance <= reach else 0
    attack.models, attack.damage, attack.damage_limit = state.models, state.damage, state.damage_limit
    return 0


@step
def outcomes_of(fight: FightFacts, scores: Scores, pmf: Floats, odds: DrawOdds) -> tuple[Outcomes, int]:
    """Return the sorted distinct outcomes of an attack, and their number."""
    outcomes = empty_outcomes(OUTCOMES_PER_SCORE * len(pmf))
    return outcomes, merge_outcomes(outcomes, push_pmf(fight, scores, pmf, odds, outcomes))


@step
def ranking_figures(fight: FightFacts, die_and_deck: DieAndDeck) -> Floats:
    """Return the figures that rank rows: mean models destroyed, probability of annihilation, mean damage."""
    scores = scores_for(fight, most_dice(fight, die_and_deck.cards))
    pmf = pool_pmf(fight, scores, die_and_deck.faces, die_and_deck.cards)
    outcomes, count = outcomes_of(fight, scores, pmf, die_and_deck.odds)
    figures = np.zeros(3)
    for index in range(count):
        outcome, probability = outcomes.values[index], outcomes.probabilities[index]
        figures[0] += probability * (outcome >> MODELS_DESTROYED & MODELS_MASK)
        figures[1] += probability if outcome & ANNIHILATED else 0.0
    figures[2] = mean_damage(fight, scores, pmf)
    return figures


@step
def summarise(fight: FightFacts, outcomes: Outcomes, count: int, answer: Any) -> None:
    """Fill in the figures of `answer` from the `count` outcomes of an attack."""
    unit_damage = fight.models * fight.damage_limit
    answer.models = fight.models
    for index in range(count):
        outcome, probability = outcomes.values[index], outcomes.probabilities[index]
        models_destroyed = outcome >> MODELS_DESTROYED & MODELS_MASK
        damage = models_destroyed * fight.damage_limit + (outcome >> DAMAGE & MODELS_MASK)
        broken, fled, annihilated = outcome & BROKEN != 0, outcome & FLED != 0, outcome & ANNIHILATED != 0
        answer.losses[models_destroyed] += probability
        answer.suppressed += probability if outcome & SUPPRESSED else 0.0
        answer.disordered += probability if outcome & DISORDERED else 0.0
        answer.fell_back += probability if outcome & FELL_BACK else 0.0
        answer.activated += probability if outcome & ACTIVATED else 0.0
        answer.broken += probability if broken else 0.0
        answer.fled += probability if fled else 0.0
        answer.annihilated += probability if annihilated else 0.0
        answer.destroyed += probability if annihilated and not broken and not fled else 0.0
        answer.destroyed_or_broken += probability if annihilated and not fled else 0.0
        answer.mean_models_destroyed += probability * models_destroyed
        answer.mean_attacker_models_destroyed += probability * (outcome >> ATTACKER_DESTROYED & MODELS_MASK)
        answer.mean_share_lost += probability * (1.0 if annihilated else damage / unit_damage)
    set_at_least(answer)


@step
def set_at_least(answer: Any) -> None:
    """Fill in the cumulative probabilities `at_least` of models destroyed."""
    total = 0.0
    for models in range(answer.models, -1, -1):
        total += answer.losses[models]
        answer.at_least[models] = total


@step
def mean_hits(scores: Scores, pmf: Floats) -> float:
    """Return the mean number of hits."""
    total = 0.0
    for score in range(len(pmf)):
        total += hits_of(scores, score) * pmf[score]
    return total


@step
def mean_points_lost(unit: Any, share: float) -> float:
    """Return the mean points that a unit loses in a fight; NaN if its points are unknown.

    `share`: mean share of the models at the start that is lost, including earlier damage, which is subtracted here.
    """
    points, target = unit.facts[0].points, unit.target[0]
    lost = share * (target.models * target.damage_limit) - target.damage
    return np.nan if points == NONE else points * lost / (unit.full_models * target.damage_limit)


@step
def answer_attack(question: Any, scratch: Any, answer: Any) -> None:
    """Fill in `answer` from the exact distribution of an attack."""
    attack, fight, target = scratch.attack[0], scratch.fight[0], scratch.target[0]
    unit, row = question.units[1], question.units[0].rows[question.row]
    scratch.attack[0], scratch.target[0] = row.attack[0], unit.target[0]
    answer.refused = set_attack(question, attack)
    if answer.refused != 0:
        return
    edge = unit.facts[0].edge_distance
    target.flees = 1 if edge != NONE and edge <= FALL_BACK else 0
    set_fight(attack, target, fight)
    die_and_deck = die_and_deck_of(question)
    scores = scores_for(fight, most_dice(fight, die_and_deck.cards))
    pmf = pool_pmf(fight, scores, die_and_deck.faces, die_and_deck.cards)
    outcomes, count = outcomes_of(fight, scores, pmf, die_and_deck.odds)
    answer.dice, answer.rating, answer.defence = fight.dice, fight.rating, fight.defence
    summarise(fight, outcomes, count, answer)
    answer.mean_hits, answer.mean_damage = mean_hits(scores, pmf), mean_damage(fight, scores, pmf)
    if target.garrisoned and row.facts[0].siegebreaker:
        answer.building_wrecked = (die_and_deck.odds.heroic + die_and_deck.odds.strike) / die_and_deck.odds.sides
    answer.points = mean_points_lost(unit, answer.mean_share_lost)
    rating = unit.facts[0].victory_points
    answer.victory_points = np.nan if rating == NONE else rating * answer.annihilated
