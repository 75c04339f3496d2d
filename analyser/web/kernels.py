"""Kernel of the exact engines for the browser: it reads the record of a question and fills in that of the answer.

The WebAssembly module is compiled from :func:`answer`. JavaScript fills in the fields of the question by name
(:mod:`.memory_layout`), calls the kernel, and reads the answer. All rules are those of :mod:`analyser.rules`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import kernel, step
from analyser.common.kernel_records import Integers
from analyser.engine.fight.exact.distribution import Joint, certain
from analyser.engine.fight.exact.propagate import apply_next
from analyser.engine.fight.exact.strike import PoolCache, StrikeOutcomes, no_outcomes, pool_cache_for
from analyser.engine.fight.program import SETUP
from analyser.engine.fight.step_builder import PARTS, Builder, begin, lines_of, strikes_of
from analyser.game.ruleset import Rating
from analyser.rules import discipline, unit_state
from analyser.rules.activation import Order
from analyser.rules.attack import dice_of_cell
from analyser.rules.structs import NONE
from analyser.web.attack_answer import answer_attack, die_and_deck_of, mean_points_lost, set_at_least
from analyser.web.fight_programs import set_charge, set_duel, shooter_of
from analyser.web.memory_records import ANSWERS, QUESTION, Kind, Refusal

MOST_PAIRS = 1 << 19
"""Most pairs of states after an operation; with more, a phone would take seconds."""
_RATINGS = len(Rating)
_DEVASTATING = 2  # ratio of victory points for a devastating victory (AC-9.4)


@step
def dice_of(setup: Any, number: int, count: int, short: int) -> int:
    """Return the dice of strike `number` for `count` models (behemoth: damage), at short range if `short` is 1."""
    cell = int(setup.dice[number, 0, count]), int(setup.dice[number, 1, count])
    return dice_of_cell(setup.attacks[number], setup.targets[number], cell[0], cell[1], short)


@step
def pools_of(setup: Any, strikes: int) -> Integers:
    """Return the index of the pool at the lowest rating, by strike and number of dice (`PoolCache.first_pools`)."""
    most = 0
    for number in range(strikes):
        most = max(most, setup.strikes[number].fixed_dice)
        for count in range(setup.dice_entries):
            for short in range(2):
                most = max(most, dice_of(setup, number, count, short))
    first_pools = np.zeros((strikes, most + 1), np.int64)  # for now, 1 for each number of dice that occurs
    for number in range(strikes):
        first_pools[number, 0] = 1
        first_pools[number, max(setup.strikes[number].fixed_dice, 0)] = 1
        for count in range(setup.dice_entries):
            for short in range(2):
                first_pools[number, max(dice_of(setup, number, count, short), 0)] = 1
    index = -_RATINGS
    for number in range(strikes):
        for dice in range(most + 1):
            index += _RATINGS if first_pools[number, dice] else 0
            first_pools[number, dice] = index
    return first_pools


@step
def starting_state(setup: Any, side: int, statuses: int) -> int:
    """Return the starting state of a side; `statuses`: bits of additional statuses."""
    facts = setup.sides[side]
    return int(unit_state.start_state(setup.units[side], statuses | facts.origin << facts.position_bit))


@step
def after_operations(
    setup: Any, builder: Builder, joint: Joint, cache: PoolCache, known: StrikeOutcomes
) -> tuple[Joint, StrikeOutcomes]:
    """Return the distribution after a builder's operations, and the strike outcomes; stop if it gets too large."""
    operations, done = lines_of(builder), 0
    while done < len(operations) and len(joint.rows) <= MOST_PAIRS:
        joint, known, done = apply_next(setup, operations, done, len(operations), joint, cache, known)
    return joint, known


@step
def add_side(question: Any, side: int, state: int, probability: float, answer: Any) -> None:
    """Add a state of a side, with the probability of this state, to the figures of the side."""
    target, figures = question.units[side].target[0], answer
    is_removed = unit_state.is_removed(state)
    models = 0 if is_removed else unit_state.models_of(state)
    destroyed = unit_state.models_lost(state) if is_removed else target.models - models
    damage = 0 if is_removed else unit_state.damage_of(state)
    figures.losses[destroyed] += probability
    figures.mean_models_left += probability * models
    figures.mean_models_destroyed += probability * destroyed
    figures.mean_damage_left += probability * damage
    unit_damage = target.models * target.damage_limit
    figures.mean_share_lost += probability * (
        1.0 if is_removed else (destroyed * target.damage_limit + damage) / unit_damage
    )
    figures.fell_back += probability if state & discipline.FELL_BACK else 0.0
    if not is_removed:
        figures.alive += probability
        figures.suppressed += probability if state & discipline.SUPPRESSED else 0.0
        figures.disordered += probability if state & discipline.DISORDERED else 0.0
        figures.activated += probability if state & discipline.ACTIVATED else 0.0
        figures.on_lookout += probability if state & unit_state.ON_LOOKOUT else 0.0
        figures.taking_cover += probability if state & unit_state.TAKING_COVER else 0.0
        figures.reloading += probability if state & unit_state.RELOADING else 0.0
        inside = target.garrisoned and not state & unit_state.OUT_OF_BUILDING
        figures.in_building += probability if inside else 0.0
        return
    broken, fled = state & discipline.BROKEN != 0, state & discipline.FLED != 0
    figures.annihilated += probability
    figures.broken += probability if broken else 0.0
    figures.fled += probability if fled else 0.0
    figures.destroyed += probability if not broken and not fled else 0.0
    figures.destroyed_or_broken += probability if not fled else 0.0


@step
def finish_side(question: Any, side: int, answer: Any) -> None:
    """Fill in the derived figures of a side."""
    answer.models = question.units[side].target[0].models
    answer.points = mean_points_lost(question.units[side], answer.mean_share_lost)
    set_at_least(answer)


@step
def combats_won(state: int, bits: int) -> int:
    """Return the number of combats won, which is stored in `bits` bits of a unit's state."""
    return state >> unit_state.WINS_BIT & (1 << bits) - 1


@step
def answer_charge(question: Any, setup: Any, parts: Any, answer: Any) -> None:
    """Fill in `answer` for a charge of unit 0 at unit 1 (AC-8)."""
    builder = Builder(question, setup, parts, 0)
    begin(builder)
    answer.refused = set_charge(builder)
    if answer.refused != 0:
        return
    begins = unit_state.with_order(starting_state(setup, 0, 0), Order.CHARGE) | discipline.ACTIVATED
    joint = certain(begins, starting_state(setup, 1, 0))
    deck = question.deck[: question.n_cards]
    cache = pool_cache_for(setup, pools_of(setup, strikes_of(builder)), question.die, deck)
    joint, _ = after_operations(setup, builder, joint, cache, no_outcomes())
    overrun, bits = question.units[0].facts[0].overrun, unit_state.BITS_OF_WINS_IN_A_CHARGE
    points = np.zeros(2)
    for pair in range(len(joint.rows)):
        probability = joint.probabilities[pair]
        states = (joint.first[joint.rows[pair]], joint.second[joint.columns[pair]])
        order, wins = unit_state.order_of(states[0]), combats_won(states[0], bits)
        if wins > 0:
            answer.attacker_wins += probability
            answer.attacker_overruns += probability if overrun and (wins > 1 or order != Order.WON) else 0.0
        elif order == Order.LOST:
            answer.target_wins += probability
        elif order == Order.NO_ATTACK:
            answer.draw += probability
        else:
            answer.no_combat += probability
        for side in range(2):
            mine, theirs = (states[0], states[1]) if side == 0 else (states[1], states[0])
            add_side(question, side, mine, probability, answer.sides[side])
            points_won = question.units[1 - side].facts[0].victory_points if unit_state.is_removed(theirs) else 0
            points_won += combats_won(mine, bits) if question.units[side].facts[0].hunter else 0
            points[side] += probability * points_won
    for side in range(2):
        finish_side(question, side, answer.sides[side])
        is_rated = question.units[1 - side].facts[0].victory_points != NONE
        answer.sides[side].victory_points = points[side] if is_rated else np.nan


@step
def answer_duel(question: Any, setup: Any, parts: Any, answer: Any) -> None:
    """Fill in `answer` for a duel (AC-9.2)."""
    die_and_deck, builder = die_and_deck_of(question), Builder(question, setup, parts, 0)
    begin(builder)
    shooters = shooter_of(builder, 0, die_and_deck), shooter_of(builder, 1, die_and_deck)
    answer.refused = set_duel(builder, shooters)
    answer.attacker_policy, answer.target_policy = shooters[0].policy, shooters[1].policy
    answer.attacker_row, answer.target_row = shooters[0].rows[0], shooters[1].rows[0]
    if answer.refused != 0:
        return
    begins = np.zeros(2, np.int64)
    for side in range(2):
        facts = question.units[side].facts[0]
        statuses = unit_state.ON_LOOKOUT if facts.on_lookout else 0
        begins[side] = starting_state(setup, side, statuses | (unit_state.RELOADING if facts.reloading else 0))
    joint = certain(begins[0], begins[1])
    deck = question.deck[: question.n_cards]
    cache = pool_cache_for(setup, pools_of(setup, strikes_of(builder)), question.die, deck)
    known = no_outcomes()
    answer.rounds = question.fight[0].rounds
    for number in range(answer.rounds):
        joint, known = after_operations(setup, builder, joint, cache, known)
        if len(joint.rows) > MOST_PAIRS:
            answer.refused = Refusal.TOO_LARGE.value
            return
        add_round(question, setup, joint, number, answer)


@step
def points_won(question: Any, setup: Any, side: int, mine: int, theirs: int) -> int:
    """Return the victory points that a side has won (AC-5.9; Hunter, AC-7); unknown points of the enemy count as 1."""
    rating = question.units[1 - side].facts[0].victory_points
    points = 0
    if unit_state.is_removed(theirs):
        points = 1 if rating == NONE else rating
    bits = setup.sides[side].position_bit - unit_state.WINS_BIT
    return points + (combats_won(mine, bits) if setup.sides[side].hunter else 0)


@step
def add_round(question: Any, setup: Any, joint: Joint, number: int, answer: Any) -> None:
    """Fill in the figures of a round, and after the last round the figures of the duel."""
    is_last = number == answer.rounds - 1
    for pair in range(len(joint.rows)):
        probability = joint.probabilities[pair]
        state_0, state_1 = joint.first[joint.rows[pair]], joint.second[joint.columns[pair]]
        points = points_won(question, setup, 0, state_0, state_1), points_won(question, setup, 1, state_1, state_0)
        for side in range(2):
            add_side(question, side, state_0 if side == 0 else state_1, probability, answer.sides[number, side])
            answer.sides[number, side].victory_points += probability * points[side]
        if not is_last:
            continue
        answer.mean_margin += probability * (points[0] - points[1])
        if points[0] > points[1]:
            answer.attacker_wins += probability
            answer.attacker_devastating += probability if points[0] >= _DEVASTATING * points[1] else 0.0
        elif points[0] < points[1]:
            answer.target_wins += probability
            answer.target_devastating += probability if points[1] >= _DEVASTATING * points[0] else 0.0
        else:
            answer.draw += probability
    for side in range(2):
        finish_side(question, side, answer.sides[number, side])


@kernel
def answer(question: Any, scratch: Any, parts: Any, attack: Any, charge: Any, duel: Any) -> int:
    """Fill in the answer of the question's kind, and return the kind; `scratch` and `parts` are working memory."""
    parts.strikes = 0
    if question.kind == Kind.ATTACK:
        answer_attack(question, scratch, attack)
    elif question.kind == Kind.CHARGE:
        answer_charge(question, scratch, parts, charge)
    else:
        answer_duel(question, scratch, parts, duel)
    return int(question.kind)


ARGUMENTS = {"question": QUESTION, "scratch": SETUP, "parts": PARTS, **ANSWERS}
"""Argument records of the kernel by name."""
