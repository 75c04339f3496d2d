"""Log of the events of a battle, for its narration (:mod:`analyser.results.battle_story`)."""

from __future__ import annotations

from enum import IntEnum

from analyser.common.jit import step
from analyser.engine.battle.battle_data import MOST_EVENTS, Battle


class Event(IntEnum):
    """Kind of an event; each comment states its units (up to two) and, after a colon, its numbers (up to three)."""

    ROUND = 0  # a round begins (unit: the side with initiative): round, cards of sides 0 and 1 (0: surrendered)
    ENTERED = 1  # a unit comes out of reserve
    ACTIVATED = 2  # a unit is activated: models
    CARD = 3  # a unit takes a test: the card, the highest card that passes, 1 for a rally test
    ORDERED = 4  # a unit gets orders against its target: manoeuvre, action, distance
    MOVED = 5  # a unit moves toward another unit, or an objective (then the other unit is the unit itself): length
    ATTACKED = 6  # a unit attacks another unit: strike, points of damage, models destroyed
    FELL_BACK = 7  # a unit falls back
    SUPPRESSED = 8  # a unit becomes suppressed
    REMOVED = 9  # a unit is removed: models destroyed, victory points
    COMBAT = 10  # a charger and its target have fought: the winner (0 the charger, 1 the target, 2 neither)
    OWN_LOSS = 11  # a unit loses models, but not to an attack: models, 1 if its transport (the other unit) is too small
    DIE = 12  # the die of a unit's Spectacular Demise is rolled: 0 heroic, 1 strike, 2 miss, 3 another face
    ENDED = 13  # a round ends: round, VP of side 0 and side 1
    GROUND = 14  # a side has zero ground presence: the side
    DISEMBARKED = 15  # a unit leaves its transport
    CARD_DICE = 16  # a unit draws a card for dice (Overcharge, Throw): the card
    SCORED = 17  # a side scores for objectives: the side, victory points


@step
def record(battle: Battle, event: int, unit: int, other: int, first: int, second: int, third: int) -> None:
    """Record an event, if events are recorded and the log is not full."""
    field = battle.field
    if field.is_logging and field.logged < MOST_EVENTS:
        line = field.log[field.logged]
        line[0], line[1], line[2] = event, unit, other
        line[3], line[4], line[5] = first, second, third
        field.logged += 1
