"""Expected gains of attacks for the look-ahead, from exact distributions of attack rolls (BT-6)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.common.kernel_records import Integers
from analyser.engine.battle.attack import does_penalty_count
from analyser.engine.battle.battle_data import (
    GAINS,
    NO_STRIKE,
    Battle,
    StrikeSlot,
    Tables,
    cell_of,
    condition_of,
    strike_of,
    wide,
)
from analyser.game.ruleset import HIGHEST_CARD
from analyser.rules import discipline, unit_state
from analyser.rules import strike as resolution
from analyser.rules.attack import scores_for, set_target
from analyser.rules.discipline import ANNIHILATED, SUPPRESSED
from analyser.rules.draws import DrawOdds, probability_of, test_draw
from analyser.rules.strike import Stage
from analyser.rules.structs import NONE, FightFacts, Penalty

SHARE_LOST, P_REMOVED, P_SUPPRESSED, OWN_LOSSES = range(GAINS)
_HEALTH_PART = 0.5  # share of a unit's value that it loses gradually; the rest is lost with its last model
_LOST_COMBAT_COST = 0.15  # cost of a lost combat, as a share of the unit's `dread`


class Pools(NamedTuple):
    """Score distributions: pool p has the entries `first[p]` to `first[p + 1]` - 1 of `scores` and `probabilities`."""

    first: Integers
    scores: Integers
    probabilities: NDArray[np.float64]
    cards: NDArray[np.float64]  # probability of each value of a card


@kernel
def fill_gains(tables: Tables, pools: Pools, odds: DrawOdds, jobs: Integers, scratch: tuple[Any, Any]) -> None:
    """Fill `tables.gains`; each of `jobs` is a strike, a condition, a pool, and the row of `gains` for health 0.

    `scratch`: an array with one record of FIGHT, and an array with one record of TARGET.
    """
    for job in range(len(jobs)):
        strike, condition, pool, start = jobs[job]
        scratch[0][0] = tables.fights[strike, condition]
        scratch[1][0] = tables.targets[strike]
        fight, target, attack = scratch[0][0], scratch[1][0], tables.attacks[strike]
        whole = target.models * target.damage_limit
        limit = target.damage_limit
        cards = len(pools.cards) if fight.overcharge else 1
        for health in range(1, whole + 1):
            target.models = (health + limit - 1) // limit
            target.damage = target.models * limit - health
            target.exposed = -1
            set_target(attack, target, fight)
            row = tables.gains[start + health]
            for card in range(cards):
                terms = pools.cards[card] if cards > 1 else 1.0, wide(tables.dice[pool + card]), health, whole
                if terms[0] > 0.0:
                    add_gains(row, fight, pools, pool + card, terms, odds)
        target.models, target.damage = whole // limit, 0


@step
def add_gains(
    row: Any, fight: FightFacts, pools: Pools, pool: int, terms: tuple[float, int, int, int], odds: DrawOdds
) -> None:
    """Add the results of a pool to a row of gains; `terms`: weight, dice, and the target's current and full health."""
    weight, dice, health, whole = terms
    fight.dice = dice
    scores = scores_for(fight, dice)
    for score_index in range(pools.first[pool], pools.first[pool + 1]):
        progress = resolution.after_roll(fight, scores, pools.scores[score_index])
        probability = weight * pools.probabilities[score_index]
        own, _ = resolution.own_losses(progress)
        row[OWN_LOSSES] += probability * own
        fallen = 0.0
        if resolution.stage_of(progress) == Stage.OFFICER:
            fallen = resolution.probability_of_yes(fight, progress, 0, odds)
            terms_if_fallen = probability * fallen, health, whole
            add_result(row, fight, resolution.after_draw(fight, progress, 1), terms_if_fallen, odds)
            progress = resolution.after_draw(fight, progress, 0)
        add_result(row, fight, progress, (probability * (1.0 - fallen), health, whole), odds)


@step
def add_result(row: Any, fight: FightFacts, progress: int, terms: tuple[float, int, int], odds: DrawOdds) -> None:
    """Add a result that may need a test; `terms`: probability, and the target's current and full health."""
    probability, health, whole = terms
    if resolution.stage_of(progress) == Stage.TEST:
        passes = probability_of(test_draw(0), resolution.highest_card(fight, progress), odds)
        failed = resolution.after_draw(fight, progress, 0)
        add_outcome(row, fight, resolution.outcome_of(fight, failed), ((1.0 - passes) * probability, health, whole))
        progress, probability = resolution.after_draw(fight, progress, 1), passes * probability
    add_outcome(row, fight, resolution.outcome_of(fight, progress), (probability, health, whole))


@step
def add_outcome(row: Any, fight: FightFacts, outcome: int, terms: tuple[float, int, int]) -> None:
    """Add a complete result; `terms` as in :func:`add_result`."""
    probability, health, whole = terms
    if outcome & ANNIHILATED:
        row[SHARE_LOST] += probability * health / whole
        row[P_REMOVED] += probability
        return
    models, damage = outcome & unit_state.MODELS_MASK, outcome >> discipline.DAMAGE & unit_state.MODELS_MASK
    row[SHARE_LOST] += probability * (health - models * fight.damage_limit + damage) / whole
    if outcome & SUPPRESSED:
        row[P_SUPPRESSED] += probability


@step
def health_of(battle: Battle, unit: int) -> int:
    """Return the health of a unit: the points of damage that destroy it."""
    state = battle.field.states[unit]
    return int(unit_state.models_of(state) * battle.setup.limit[unit] - unit_state.damage_of(state))


@step
def gains_row(tables: Tables, number: int, view: tuple[int, bool, bool], shift: int, health: int) -> Any:
    """Return a strike's row of `tables.gains`; `view`: striker's models or damage, short range or not, cover or not."""
    count, short, covered = view
    cell = tables.first_cell[number] + cell_of(count, short, condition_of(covered, shift))
    return tables.gains[tables.gains_of[cell] + health]


@step
def gain_of(battle: Battle, number: int, unit: int, other: int, short: bool, shift: int) -> float:
    """Return the expected value of a strike of a unit at another unit, in their current states.

    `shift`: number of bonuses less number of penalties, not counting suppression (AC-3.1).
    """
    row = result_of(battle, number, unit, other, (short, shift, health_of(battle, other)))
    return value_of_result(battle, unit, other, row)


@step
def result_of(battle: Battle, number: int, unit: int, other: int, terms: tuple[bool, int, int]) -> Any:
    """Return a strike's row of `tables.gains`; `terms`: `short` and `shift` of `gain_of`, and the target's health."""
    short, shift, health = terms
    state = int(battle.field.states[unit])
    shift -= 1 if state & SUPPRESSED and does_penalty_count(battle, number, short, Penalty.SUPPRESSED.value) else 0
    covered = battle.field.states[other] & unit_state.TAKING_COVER != 0
    count = unit_state.damage_of(state) if battle.setup.by_damage[unit] else unit_state.models_of(state)
    return gains_row(battle.tables, number, (count, short, covered), shift, health)


@step
def value_of_result(battle: Battle, unit: int, other: int, row: Any) -> float:
    """Return the value of the expected result of a strike, a row of `tables.gains`."""
    field, facts = battle.field, battle.setup
    gained = row[SHARE_LOST] * field.health_value[other] + row[P_REMOVED] * field.removal_value[other]
    gained += row[P_SUPPRESSED] * field.suppression_value[other]
    return float(gained - row[OWN_LOSSES] * facts.stake[unit] / facts.models[unit])


@step
def losses_from(battle: Battle, kind: int, unit: int, other: int, terms: tuple[int, int, int]) -> tuple[float, float]:
    """Return the expected share of the other unit's full health lost to a close quarters strike, and P(removed).

    `terms`: bonuses less penalties, expected health of the striker, and expected health of the other unit.
    """
    facts, tables = battle.setup, battle.tables
    shift, own, health = terms
    number = strike_of(battle, unit, other, kind)
    if number == NO_STRIKE or own <= 0 or health <= 0:
        return 0.0, 0.0
    models = (own + facts.limit[unit] - 1) // facts.limit[unit]
    count = models * facts.limit[unit] - own if facts.by_damage[unit] else models
    if tables.strikes[number].fixed_dice >= 0:
        count = 0
    elif battle.field.states[unit] & SUPPRESSED and does_penalty_count(battle, number, False, Penalty.SUPPRESSED.value):
        shift -= 1
    row = gains_row(tables, number, (count, False, False), shift, health)
    return float(row[SHARE_LOST]), float(row[P_REMOVED])


@step
def chance_to_break(battle: Battle, unit: int, lost: int) -> float:
    """Return the probability that a unit breaks which has lost a combat and `lost` models (AC-5.2, AC-5.4, AC-8.5)."""
    target, state = battle.field.units[unit], int(battle.field.states[unit])
    models = unit_state.models_of(state)
    if target.discipline == NONE or target.passes_tests or models - lost > target.break_limit:
        return 0.0
    highest = target.discipline - (1 if 2 * lost >= models else 0) - (1 if state & discipline.DISORDERED else 0)
    return float(1.0 - battle.setup.probability_up_to[min(max(highest, 0), HIGHEST_CARD)])


@step
def gain_of_charge(battle: Battle, unit: int, other: int) -> float:
    """Return the expected value of a charge: the target's losses less the unit's, plus the value of the result."""
    field, facts = battle.field, battle.setup
    own, health = health_of(battle, unit), health_of(battle, other)
    lost, lost_gone, dealt, dealt_gone = 0.0, 0.0, 0.0, 0.0
    sponsons, sponsons_gone = losses_from(battle, StrikeSlot.SPONSONS.value, other, unit, (0, health, own))
    own_left = own - int(sponsons * facts.health[unit] + 0.5)
    if facts.stoic[other]:
        lost, lost_gone = losses_from(battle, StrikeSlot.RETALIATION.value, other, unit, (0, health, own_left))
        after = own_left - int(lost * facts.health[unit] + 0.5)
        dealt, dealt_gone = losses_from(battle, StrikeSlot.CHARGE.value, unit, other, (0, after, health))
        dealt, dealt_gone = dealt * (1.0 - lost_gone), dealt_gone * (1.0 - lost_gone)
    else:
        dealt, dealt_gone = losses_from(battle, StrikeSlot.CHARGE.value, unit, other, (0, own_left, health))
        after = health - int(dealt * facts.health[other] + 0.5)
        lost, lost_gone = losses_from(battle, StrikeSlot.RETALIATION.value, other, unit, (0, after, own_left))
        lost, lost_gone = lost * (1.0 - dealt_gone), lost_gone * (1.0 - dealt_gone)
    won = dealt * facts.models[other] - lost * facts.models[unit]
    stands, lives = 1.0 - dealt_gone, 1.0 - lost_gone
    gained = dealt * field.health_value[other] + dealt_gone * field.removal_value[other]
    stake = _HEALTH_PART * facts.stake[unit]
    gained -= (lost + sponsons) * (stake + _HEALTH_PART * facts.dread[unit]) + (lost_gone + sponsons_gone) * stake
    if won > 0.0:
        models = int(dealt * facts.models[other] + 0.5)
        gone = 1.0 if field.sides[other].static else chance_to_break(battle, other, models)
        value = gone * field.removal_value[other] + (1.0 - gone) * field.suppression_value[other]
        gained += min(won, 1.0) * stands * value
    elif won < 0.0:
        cost = _LOST_COMBAT_COST * facts.dread[unit]
        gained += max(won, -1.0) * lives * (stake if field.sides[unit].static else cost)
    return float(gained)
