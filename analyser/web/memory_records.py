"""Memory records of the WebAssembly module: the question, and the answer to each kind of question."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from analyser.common.kernel_records import Int, record_type
from analyser.engine.fight.step_builder import UnitFacts
from analyser.game.ruleset import Face
from analyser.rules.shots import RowFacts, WhyNot
from analyser.rules.structs import ATTACK, NONE, TARGET

MOST_ROWS, MOST_BANDS, MOST_MODELS, MOST_CARDS, MOST_ROUNDS = 12, 12, 100, 64, 10
"""Most rows of a unit, bands of a row, models (also damage) of a unit, card values, and rounds."""
Float = Annotated[float, np.float64]


def _integer_record(facts: type) -> np.dtype[np.void]:
    return np.dtype((np.record, [(name, np.int64) for name in facts.__annotations__]))


class Kind(IntEnum):
    """Kind of a question."""

    ATTACK = 0
    CHARGE = 1
    DUEL = 2


class Refusal(IntEnum):
    """Reason why a fight is impossible; the numbers follow those of :class:`~.shots.WhyNot`."""

    IS_STATIC = len(WhyNot)
    NO_ROW_TO_CHARGE_WITH = len(WhyNot) + 1
    CANNOT_BE_CHARGED = len(WhyNot) + 2
    IN_BUILDING = len(WhyNot) + 3
    AIRCRAFT = len(WhyNot) + 4
    NO_ROW_TO_SHOOT_WITH = len(WhyNot) + 5
    NO_ALL_OUT_ATTACK = len(WhyNot) + 6
    TOO_MANY_POSITIONS = len(WhyNot) + 7
    FRONT_ALL_ROUND = len(WhyNot) + 8
    TOO_LARGE = len(WhyNot) + 9


class Circumstances(NamedTuple):
    """Conditions of a fight that belong to neither unit; flags are 0 or 1."""

    distance: int = NONE  # hundredths of an inch; NONE: everything is within range
    rounds: int = 6  # rounds of a duel
    first: int = NONE  # side that is activated first, 0 or 1; NONE: by coin toss each round
    rating: int = NONE  # a Rating; NONE: computed by the rules
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
    """Attack dice for the numbers of models (behemoth: of damage) from `first` to `last` (AC-2.3)."""

    first: int = 0
    last: int = 0
    dice: int = NONE
    special: int = NONE  # dice in parentheses on the unit card, such as 5 in `3 (5)`, or NONE


class Row:
    """Row of the armaments table: facts, an attack without dice, and the dice by band."""

    facts: Annotated[Any, _integer_record(RowFacts), (1,)]
    attack: Annotated[Any, ATTACK, (1,)]
    n_bands: Int
    bands: Annotated[Any, _integer_record(BandFacts), (MOST_BANDS,)]


class Unit:
    """Unit of a question in its current state, with its rows."""

    facts: Annotated[Any, _integer_record(UnitFacts), (1,)]
    target: Annotated[Any, TARGET, (1,)]
    full_models: Int  # models before any losses; `target.models` are those left now
    n_rows: Int
    rows: Annotated[Any, record_type(Row), (MOST_ROWS,)]


class Question:
    """Question: two units (the attacker first), circumstances, die and deck."""

    kind: Int
    row: Int  # in an attack: index of the attacker's row
    units: Annotated[Any, record_type(Unit), (2,)]
    fight: Annotated[Any, _integer_record(Circumstances), (1,)]
    plain: Annotated[Any, ATTACK, (1,)]  # an attack without qualities
    die: Annotated[Any, np.int64, (len(Face),)]  # number of sides by face
    n_cards: Int  # entries of the deck
    deck: Annotated[Any, np.int64, (MOST_CARDS,)]  # number of cards by value


Losses = Annotated[Any, np.float64, (MOST_MODELS + 1,)]


class AttackAnswer:
    """Answer for an attack: probabilities and means."""

    refused: Int  # a WhyNot; 0: the attack is possible
    dice: Int
    rating: Int  # a Rating
    defence: Int  # effective DEFENCE of the target
    models: Int  # number of models: last used index of `losses` and `at_least`
    suppressed: Float
    disordered: Float
    fell_back: Float
    broken: Float
    fled: Float
    annihilated: Float
    activated: Float
    destroyed: Float  # annihilated, but neither broken nor fled
    destroyed_or_broken: Float
    building_wrecked: Float
    mean_hits: Float
    mean_models_destroyed: Float
    mean_damage: Float  # a destroyed model counts for its whole DAMAGE LIMIT
    mean_share_lost: Float  # 1 for a removed unit
    mean_attacker_models_destroyed: Float  # by the attacker's own Overcharge
    points: Float  # mean points that the target loses; NaN if its points are unknown
    victory_points: Float  # mean victory points that the attacker wins; NaN if the target's are unknown
    losses: Losses  # probability of each number of models destroyed
    at_least: Losses  # probability of at least this number of models destroyed


class SideAnswer:
    """A side at the end of a charge or round: probabilities and means."""

    models: Int  # number of models: last used index of `losses` and `at_least`
    alive: Float
    suppressed: Float
    disordered: Float
    activated: Float
    on_lookout: Float
    taking_cover: Float
    reloading: Float
    in_building: Float
    fell_back: Float
    broken: Float
    fled: Float
    annihilated: Float
    destroyed: Float
    destroyed_or_broken: Float
    mean_models_left: Float
    mean_models_destroyed: Float
    mean_damage_left: Float
    mean_share_lost: Float
    points: Float
    victory_points: Float  # mean victory points that the side wins
    losses: Losses
    at_least: Losses


class ChargeAnswer:
    """Answer for a charge: the winner, and both sides at the end."""

    refused: Int  # a Refusal or WhyNot
    attacker_wins: Float
    target_wins: Float
    draw: Float
    no_combat: Float
    attacker_overruns: Float
    sides: Annotated[Any, record_type(SideAnswer), (2,)]


class DuelAnswer:
    """Answer for a duel: the winner by victory points, and both sides at the end of each round."""

    refused: Int  # a Refusal or WhyNot
    rounds: Int
    attacker_policy: Int
    target_policy: Int
    attacker_row: Int  # index of the row to shoot with, or NONE
    target_row: Int
    attacker_wins: Float
    draw: Float
    target_wins: Float
    attacker_devastating: Float
    target_devastating: Float
    mean_margin: Float  # victory points of the attacker minus those of the target
    sides: Annotated[Any, record_type(SideAnswer), (MOST_ROUNDS, 2)]


QUESTION = record_type(Question)
ANSWERS = {"attack": record_type(AttackAnswer), "charge": record_type(ChargeAnswer), "duel": record_type(DuelAnswer)}
