"""The exact engines as one kernel: a block of numbers with a question in, a block with its answer out.

The module of the browser is compiled from :func:`answer` alone. JavaScript fills in the question by the names of its
fields (:mod:`.facts`), calls it, and reads the answer; every rule on the way is one of :mod:`analyser.rules`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from analyser.common.jit import kernel, step
from analyser.common.records import Int, record_type
from analyser.engine.attack.exact import ROWS_A_STATE, gather, push_pmf
from analyser.engine.attack.sweep import mean_damage
from analyser.engine.fight.program import SETUP
from analyser.engine.pool.pmf import Outcomes, most_dice, no_outcomes, pool_pmf
from analyser.game.ruleset import Face
from analyser.rules import discipline, shots
from analyser.rules.attack import Scores, hits_of, scores_for, set_fight
from analyser.rules.draws import odds_of
from analyser.rules.shots import RowFacts, ShotFacts, WhyNot
from analyser.rules.structs import ATTACK, NONE, TARGET, AttackFacts, Bonus, FightFacts, Penalty
from analyser.rules.unit_state import FALL_BACK

MOST_ROWS, MOST_BANDS, MOST_MODELS, MOST_CARDS = 12, 12, 100, 64
Float = Annotated[float, np.float64]


def _whole(facts: type) -> np.dtype[np.void]:
    return np.dtype((np.record, [(name, np.int64) for name in facts.__annotations__]))


class Kind(IntEnum):
    """Kinds of questions."""

    ATTACK = 0
    CHARGE = 1
    DUEL = 2


class UnitFacts(NamedTuple):
    """Facts about a unit beside those of a target."""

    edge_distance: int = NONE  # hundredths of an inch to its own table edge; NONE: far
    reloading: int = 0
    fumes: int = NONE  # how far its Corrosive Fumes reach, in hundredths of an inch; NONE: it has none
    points: int = NONE
    victory_points: int = NONE


class Circumstances(NamedTuple):
    """Conditions of an attack that are no part of a unit's state: 0 or 1, where nothing else is said."""

    distance: int = NONE  # hundredths of an inch; NONE: nothing is out of range
    rating: int = NONE  # a Rating, or NONE: it is counted
    line_of_sight: int = 0  # a Sight
    carriages: int = 0
    overcharge: int = 0
    aiming: int = 0
    short_range: int = 0
    ammo_supply: int = 0
    concealed: int = 0
    opportunity_fire: int = 0
    reforming: int = 0
    outside_front_arc: int = 0
    advanced: int = 0


class BandFacts(NamedTuple):
    """Attack dice for some numbers of models, or of damage (AC-2.4)."""

    first: int = 0
    last: int = 0
    dice: int = NONE
    special: int = NONE  # the value in parentheses; NONE: there is none


class Row:
    """Row of the armaments grid: its facts, its attack without dice, and its dice."""

    facts: Annotated[Any, _whole(RowFacts), (1,)]
    attack: Annotated[Any, ATTACK, (1,)]
    n_bands: Int
    bands: Annotated[Any, _whole(BandFacts), (MOST_BANDS,)]


class Unit:
    """Unit of a question in its present state, with its rows."""

    facts: Annotated[Any, _whole(UnitFacts), (1,)]
    target: Annotated[Any, TARGET, (1,)]
    n_rows: Int
    rows: Annotated[Any, record_type(Row), (MOST_ROWS,)]


class Question:
    """Question: two units, the attacker first, the circumstances, the die and the deck."""

    kind: Int
    row: Int  # of the attacker
    units: Annotated[Any, record_type(Unit), (2,)]
    circumstances: Annotated[Any, _whole(Circumstances), (1,)]
    die: Annotated[Any, np.int64, (len(Face),)]
    n_cards: Int  # entries of the deck
    deck: Annotated[Any, np.int64, (MOST_CARDS,)]  # copies of each card value


class AttackAnswer:
    """Answer of an attack: probabilities, and means."""

    refused: Int  # a WhyNot
    dice: Int
    rating: Int  # a Rating
    defence: Int  # effective
    models: Int  # how many entries of `losses` and `at_least` count, less one
    suppressed: Float
    disordered: Float
    fell_back: Float
    broken: Float
    fled: Float
    annihilated: Float
    activated: Float
    destroyed: Float  # gone, and neither broken nor fled
    destroyed_or_broken: Float
    building_wrecked: Float
    mean_hits: Float
    mean_models_destroyed: Float
    mean_damage: Float  # a destroyed model counts for its whole DAMAGE LIMIT
    mean_share_lost: Float  # a unit that is gone has lost everything
    mean_attacker_models_destroyed: Float  # Overcharge
    points: Float  # of the target that are lost, by its share; NaN if it has no points
    victory_points: Float  # NaN if the target has none
    losses: Annotated[Any, np.float64, (MOST_MODELS + 1,)]  # probability of each number of models destroyed,
    at_least: Annotated[Any, np.float64, (MOST_MODELS + 1,)]  # and of at least so many


QUESTION = record_type(Question)
ANSWERS = {"attack": record_type(AttackAnswer)}


@step
def band_of(row: Any, count: int) -> Any:
    """Return the place of the band that covers `count` models or damage (AC-2.4); NONE if none does."""
    for place in range(row.n_bands):
        if row.bands[place].first <= count <= row.bands[place].last:
            return place
    return NONE


@step
def set_attack(question: Any, attack: AttackFacts) -> int:
    """Fill `attack` with that of the row of the question; return why it cannot be made (:class:`~.shots.WhyNot`)."""
    unit, target, said = question.units[0], question.units[1].target[0], question.circumstances[0]
    row = unit.rows[question.row]
    facts, state = row.facts[0], unit.target[0]
    count = shots.band_count(state.models, state.damage, state.behemoth, state.garrisoned)
    band = band_of(row, count)
    dice = NONE if band == NONE else row.bands[band].dice
    reloading = unit.facts[0].reloading
    shot = ShotFacts(said.distance, said.short_range, reloading, said.advanced, said.opportunity_fire)
    refused = shots.why_not(facts, shot, target.category, dice)
    if refused != WhyNot.IT_CAN:
        return refused
    short = shots.within_short_range(facts, shot)
    special = row.bands[band].special
    more = shots.DICE_A_CARRIAGE * said.carriages
    attack.dice, attack.dice_in_parentheses = dice + more, NONE if special == NONE else special + more
    attack.stated_rating = said.rating
    attack.bonuses = (
        (Bonus.AIMING if said.aiming else 0)
        | (Bonus.SHORT_RANGE if short else 0)
        | (Bonus.AMMO_SUPPLY if said.ammo_supply else 0)
    )
    attack.penalties = (
        (Penalty.CONCEALED if said.concealed else 0)
        | (Penalty.SUPPRESSED if state.suppressed else 0)
        | (Penalty.REFORMING if said.reforming else 0)
        | (Penalty.OUTSIDE_FRONT_ARC if said.outside_front_arc else 0)
    )
    attack.opportunity_fire = said.opportunity_fire
    attack.sight = said.line_of_sight
    attack.overcharge = said.overcharge
    reach = unit.facts[0].fumes
    attack.corrosive = 1 if NONE not in (reach, said.distance) and said.distance <= reach else 0
    attack.models, attack.damage, attack.damage_limit = state.models, state.damage, state.damage_limit
    return refused


@step
def summarise(fight: FightFacts, outcomes: Outcomes, count: int, answer: Any) -> None:
    """Fill in the figures of an attack from its `count` outcomes."""
    whole = fight.models * fight.damage_limit
    answer.models = fight.models
    for place in range(count):
        outcome, probability = outcomes.values[place], outcomes.probabilities[place]
        gone = outcome >> discipline.MODELS_DESTROYED & _MASK
        own = outcome >> discipline.ATTACKER_DESTROYED & _MASK
        hurt = gone * fight.damage_limit + (outcome >> discipline.DAMAGE & _MASK)
        broken, fled = outcome & discipline.BROKEN != 0, outcome & discipline.FLED != 0
        annihilated = outcome & discipline.ANNIHILATED != 0
        answer.losses[gone] += probability
        answer.suppressed += probability if outcome & discipline.SUPPRESSED else 0.0
        answer.disordered += probability if outcome & discipline.DISORDERED else 0.0
        answer.fell_back += probability if outcome & discipline.FELL_BACK else 0.0
        answer.activated += probability if outcome & discipline.ACTIVATED else 0.0
        answer.broken += probability if broken else 0.0
        answer.fled += probability if fled else 0.0
        answer.annihilated += probability if annihilated else 0.0
        answer.destroyed += probability if annihilated and not broken and not fled else 0.0
        answer.destroyed_or_broken += probability if annihilated and not fled else 0.0
        answer.mean_models_destroyed += probability * gone
        answer.mean_attacker_models_destroyed += probability * own
        answer.mean_share_lost += probability * (whole if annihilated else hurt) / whole
    rest = 0.0
    for models in range(fight.models, -1, -1):
        rest += answer.losses[models]
        answer.at_least[models] = rest


_MASK = (1 << discipline.BITS) - 1


@step
def mean_hits(scores: Scores, pmf: Any) -> float:
    """Return the mean number of hits."""
    total = 0.0
    for score in range(len(pmf)):
        total += hits_of(scores, score) * pmf[score]
    return total


@step
def worth(points: int, share: float) -> float:
    """Return that share of a unit's points; NaN if they are not known."""
    return np.nan if points == NONE else points * share


@step
def answer_attack(question: Any, scratch: Any, answer: Any) -> None:
    """Answer an attack: the exact distribution of its outcome (AC-3 to AC-5)."""
    attack, fight, target = scratch.attack[0], scratch.fight[0], scratch.target[0]
    unit = question.units[1]
    scratch.attack[0] = question.units[0].rows[question.row].attack[0]
    scratch.target[0] = unit.target[0]
    answer.refused = set_attack(question, attack)
    if answer.refused != WhyNot.IT_CAN:
        return
    edge = unit.facts[0].edge_distance
    target.flees = 1 if edge != NONE and edge <= FALL_BACK else 0
    set_fight(attack, target, fight)
    odds = odds_of(question.die, question.deck[: question.n_cards])
    faces, cards = question.die / odds.sides, question.deck[: question.n_cards] / odds.cards[question.n_cards - 1]
    scores = scores_for(fight, most_dice(fight, cards))
    pmf = pool_pmf(fight, scores, faces, cards)
    outcomes = no_outcomes(ROWS_A_STATE * len(pmf))
    count = gather(outcomes, push_pmf(fight, scores, pmf, odds, outcomes))
    answer.dice, answer.rating, answer.defence = fight.dice, fight.rating, fight.defence
    summarise(fight, outcomes, count, answer)
    answer.mean_hits = mean_hits(scores, pmf)
    answer.mean_damage = mean_damage(fight, scores, pmf)
    if target.garrisoned and question.units[0].rows[question.row].facts[0].siegebreaker:
        answer.building_wrecked = (odds.heroic + odds.strike) / odds.sides
    answer.points = worth(unit.facts[0].points, answer.mean_share_lost)
    answer.victory_points = worth(unit.facts[0].victory_points, answer.annihilated)


@kernel
def answer(question: Any, scratch: Any, attack: Any) -> int:
    """Answer the question into the record of its kind; return the number of its kind."""
    answer_attack(question, scratch, attack)
    return int(question.kind)


ARGUMENTS = {"question": QUESTION, "scratch": SETUP, **ANSWERS}
"""The records that the kernel is called with, by name."""
