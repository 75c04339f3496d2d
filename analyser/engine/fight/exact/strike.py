"""Strikes in the exact engine; outcomes are computed once for each condition and state of the struck unit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.attack.exact import OUTCOMES_PER_SCORE, push_pmf
from analyser.engine.fight import strikes
from analyser.engine.fight.exact import distribution
from analyser.engine.fight.exact.distribution import Fused, Joint
from analyser.engine.fight.program import Setup
from analyser.engine.pool.pmf import empty_outcomes, most_dice, pool_pmf
from analyser.engine.state_index import NOT_FOUND, StateIndex, find, find_or_add, state_index, with_room
from analyser.game.ruleset import Rating
from analyser.rules import discipline, unit_state
from analyser.rules.attack import Scores, score_bound, scores_for, set_pool
from analyser.rules.draws import DrawOdds, odds_of
from analyser.rules.structs import NONE, Bonus, FightFacts

_OWN = discipline.ATTACKER_DAMAGE
# Lowest bits of fields in packed keys, and masks of the bits below. Keys in `StrikeOutcomes.conditions` are a strike's
# number and a condition; those in `StrikeOutcomes.lists` are the indices of such a key and of a struck unit's state.
NUMBER, CONDITION = 48, 32
_STATE, _WITHOUT_NUMBER = (1 << CONDITION) - 1, (1 << NUMBER) - 1
OWN_DESTROYED = discipline.ATTACKER_DESTROYED - discipline.ATTACKER_DAMAGE
_ROOM = 1024
_RATINGS = len(Rating)
_HITS, _FACES, _MASK = 4, 8, 16  # widths of fields in bits (:func:`kind_of_pool`)


class PoolCache(NamedTuple):
    """Die, deck, and cached distributions of the scores of pools."""

    odds: DrawOdds
    faces: Floats  # probability of each face
    cards: Floats  # probability of each card value
    pools: Floats  # (pools, scores): probability of each score
    first_pools: Integers  # (strikes, dice + 1): first pool with this number of dice; there is one pool per rating
    kinds: Integers  # (pools,): kind of each pool (:func:`kind_of_pool`); 0: not yet computed


class StrikeOutcomes(NamedTuple):
    """Outcomes of strikes so far: a list for each pair of condition and state of the struck unit."""

    conditions: StateIndex  # keys of strike and condition
    states: StateIndex  # states of the struck unit
    lists: StateIndex  # pairs of indices in `conditions` and `states`
    reached: StateIndex  # next states of the struck unit
    starts: Integers  # start of each list, which is also the end of the list before
    state: Integers  # index in `reached` of the struck unit's next state
    own: Integers  # the striker's own losses (Overcharge)
    probability: Floats


class StrikeConditions(NamedTuple):
    """Condition of the strike for each state of the striker and each state of the struck unit."""

    views: Integers  # (struck,): the column of `kinds` for each state of the struck unit
    kinds: Integers  # (strikers, views): index in `conditions`; NONE (-1, the last index) if no strike is made
    conditions: StateIndex


@step
def _fractions(counts: Integers) -> Floats:
    """Return counts as fractions of their sum, by a loop, because array division adds compile time."""
    whole, shares = 0, np.empty(len(counts))
    for count in counts:
        whole += count
    for index in range(len(counts)):
        shares[index] = counts[index] / whole
    return shares


@step
def pool_cache_for(setup: Setup, strike_pools: Integers, die: Integers, deck: Integers) -> PoolCache:
    """Return an empty cache for every pool that strikes can roll; `strike_pools` are its `first_pools`."""
    faces, cards = _fractions(die), _fractions(deck)
    pools, size = 0, 0
    for number in range(len(strike_pools)):
        pools = strike_pools[number, -1] + _RATINGS
        fight = setup.fight[0]
        setup.attack[0] = setup.attacks[number]
        for bonus in (0, Bonus.SHORT_RANGE.value):  # house rules may depend on short range
            setup.attack[0].bonuses |= bonus
            set_pool(setup.attack[0], setup.targets[number], fight)
            fight.dice = strike_pools.shape[1] - 1
            dice = most_dice(fight, cards)
            size = max(size, score_bound(fight, scores_for(fight, dice), dice))
    return PoolCache(odds_of(die, deck), faces, cards, np.empty((pools, size)), strike_pools, np.zeros(pools, np.int64))


@step
def kind_of_pool(fight: FightFacts) -> int:
    """Return a positive number for the hits and faces of a pool. House rules change them at equal dice and rating."""
    hits = fight.heroic_hits << _HITS | fight.strike_hits
    return (hits << _MASK | fight.reroll_faces) << _MASK | fight.strike_faces << _FACES | fight.heroic_faces


@step
def no_outcomes() -> StrikeOutcomes:
    """Return an empty record of outcomes."""
    starts, state, own = np.zeros(_ROOM, np.int64), np.empty(_ROOM, np.int64), np.empty(_ROOM, np.int64)
    conditions, states, lists, reached = state_index(64), state_index(256), state_index(256), state_index(256)
    return StrikeOutcomes(conditions, states, lists, reached, starts, state, own, np.empty(_ROOM))


@step
def longer(numbers: NDArray[Any], room: int) -> NDArray[Any]:
    """Return `numbers`, or a longer copy if it has fewer than `room` entries."""
    if len(numbers) >= room:
        return numbers
    larger = np.empty(2 * room, numbers.dtype)
    for index in range(len(numbers)):
        larger[index] = numbers[index]
    return larger


@step
def pool_of(setup: Setup, scores: Scores, cache: PoolCache, number: int) -> Floats:
    """Return the distribution of the score of the pool of `setup.fight[0]`, cached after the first call."""
    fight = setup.fight[0]
    size = score_bound(fight, scores, most_dice(fight, cache.cards))
    place = cache.first_pools[number, fight.dice] + fight.rating
    pmf = cache.pools[place, :size]
    if cache.kinds[place] != kind_of_pool(fight):
        result = pool_pmf(fight, scores, cache.faces, cache.cards)
        for score in range(size):  # a loop, because assigning arrays also compiles an error message
            pmf[score] = result[score]
        cache.kinds[place] = kind_of_pool(fight)
    return pmf


@step
def with_key_room(known: StrikeOutcomes, conditions: int, states: int) -> StrikeOutcomes:
    """Return the outcomes with capacity for more conditions, and for more states of the struck unit."""
    by_condition, by_state = with_room(known.conditions, conditions), with_room(known.states, states)
    return StrikeOutcomes(
        by_condition, by_state, known.lists, known.reached, known.starts, known.state, known.own, known.probability
    )


@step
def with_lists(
    known: StrikeOutcomes, setup: Setup, cache: PoolCache, number: int, when: StrikeConditions, joint: Joint
) -> tuple[StrikeOutcomes, Integers]:
    """Return `known` plus this strike's outcomes, and the list of each condition (last: no strike) and struck state."""
    conditions, struck = when.conditions, joint.second
    known = with_key_room(known, conditions.length[0], len(struck))
    of_condition, of_state = np.empty(conditions.length[0], np.int64), np.empty(len(struck), np.int64)
    for kind in range(len(of_condition)):
        of_condition[kind] = find_or_add(known.conditions, number << NUMBER | conditions.states[kind]) << CONDITION
    for column in range(len(of_state)):
        of_state[column] = find_or_add(known.states, struck[column])
    lists = np.full((len(of_condition) + 1, len(of_state)), NOT_FOUND, np.int64)
    for index in range(len(joint.rows)):
        column = joint.columns[index]
        kind = when.kinds[joint.rows[index], when.views[column]]
        if kind == NONE or lists[kind, column] != NOT_FOUND:
            lists[NONE, column] = 0 if kind == NONE else lists[NONE, column]
            continue
        key = of_condition[kind] | of_state[column]
        at = find(known.lists, key)
        if at == NOT_FOUND:
            at = known.lists.length[0]
            known = with_list(known, setup, cache, key)
        lists[kind, column] = at
    return known, lists


@step
def with_list(known: StrikeOutcomes, setup: Setup, cache: PoolCache, key: int) -> StrikeOutcomes:
    """Return the outcomes with one more list; `key` has the indices of a condition and of a struck unit's state."""
    condition, struck = int(known.conditions.states[key >> CONDITION]), int(known.states.states[key & _STATE])
    number, condition = condition >> NUMBER, condition & _WITHOUT_NUMBER
    lists = with_room(known.lists, 1)
    place = find_or_add(lists, key)
    strikes.set_strike(setup, number, condition, struck)
    scores = scores_for(setup.fight[0], most_dice(setup.fight[0], cache.cards))
    pmf = pool_of(setup, scores, cache, number)
    outcomes = empty_outcomes(OUTCOMES_PER_SCORE * len(pmf))
    count = push_pmf(setup.fight[0], scores, pmf, cache.odds, outcomes)
    starts = longer(known.starts, place + 2)
    start = starts[place]
    room = start + count
    state, own, probability = (longer(known.state, room), longer(known.own, room), longer(known.probability, room))
    reached = with_room(known.reached, count)
    for row in range(count):
        state[start + row] = find_or_add(reached, strikes.after_attack(setup, number, struck, outcomes.values[row]))
        own[start + row] = outcomes.values[row] >> _OWN
        probability[start + row] = outcomes.probabilities[row]
    starts[place + 1] = room
    return StrikeOutcomes(known.conditions, known.states, lists, reached, starts, state, own, probability)


class StrikeTransitions(NamedTuple):
    """Transitions by a strike: a list for each condition (the last: no strike) and state of the struck unit."""

    starts: Integers  # (conditions + 1, struck): start of the list
    ends: Integers  # (conditions + 1, struck): end of the list; start and end are 0 for pairs that do not occur
    to: Integers  # index of the struck unit's next state
    loss: Integers  # index of the effect on the striker
    probability: Floats
    struck: StateIndex  # the next states of the struck unit
    losses: StateIndex  # effects on the striker (Overcharge), NONE first; lowest bit: the enemy is removed


@step
def after_strike(
    setup: Setup, fused: Fused, joint: Joint, cache: PoolCache, known: StrikeOutcomes
) -> tuple[Joint, StrikeOutcomes]:
    """Return the distribution after a fused strike, with the striker first, and the extended outcomes."""
    _, active, number = fused.operation
    before = joint if setup.strikes[number].striker == 0 else distribution.merge_equal_pairs(1, joint)
    when = conditions_of(setup, number, active, before)
    known, lists = with_lists(known, setup, cache, number, when, before)
    transitions = transitions_of(setup, fused, before.second, lists, known)
    strikers, to = states_of_striker(setup, fused, when, before, transitions)
    return joint_after(before, when, transitions, strikers, to), known


@step
def conditions_of(setup: Setup, number: int, active: int, joint: Joint) -> StrikeConditions:
    """Return the strike's condition for each state of the striker (`joint.first`) and its target (`joint.second`)."""
    striker = setup.strikes[number].striker
    seen = state_index(len(joint.second))
    views = np.empty(len(joint.second), np.int64)
    for column in range(len(joint.second)):
        views[column] = find_or_add(seen, strikes.bits_seen_by_striker(setup, number, int(joint.second[column])))
    kinds = np.full((len(joint.first), seen.length[0]), NONE, np.int64)
    conditions = state_index(kinds.size)
    for row in range(kinds.shape[0]):
        for view in range(kinds.shape[1]):
            mine, theirs = int(joint.first[row]), int(seen.states[view])
            pair = (mine, theirs) if striker == 0 else (theirs, mine)
            if strikes.is_made(setup, number, active, pair):
                kinds[row, view] = find_or_add(conditions, strikes.condition(setup, number, pair))
    return StrikeConditions(views, kinds, conditions)


@step
def transitions_of(
    setup: Setup, fused: Fused, states: Integers, lists: Integers, known: StrikeOutcomes
) -> StrikeTransitions:
    """Return the transitions of the struck unit from each of `states`, by the lists of outcomes."""
    number, rest = fused.operation[2], fused.rest
    side = 1 - setup.strikes[number].striker
    pays_overcharge = setup.attacks[number].overcharge != 0 and setup.strikes[number].pays_overcharge != 0
    _, _, _, reached, list_starts, state, own, weight = known
    kinds, room = range(lists.shape[0] - 1), len(states)
    for kind in kinds:
        for column in range(lists.shape[1]):
            at = lists[kind, column]
            room += 0 if at == NOT_FOUND else list_starts[at + 1] - list_starts[at]
    starts, ends = np.zeros(lists.shape, np.int64), np.zeros(lists.shape, np.int64)
    to, loss, probability = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    # Many outcomes reach the same state, so each state is looked up only once.
    place_of = np.full(reached.length[0], NONE, np.int64)
    struck, losses = state_index(len(states) + len(place_of)), state_index(room + 2 if pays_overcharge else 2)
    last = np.full(len(struck.states), NONE, np.int64)  # last transition to each next state
    count, lost = find_or_add(losses, NONE), find_or_add(losses, 0)
    for kind in kinds:
        for column in range(lists.shape[1]):
            at, first = lists[kind, column], count
            if at == NOT_FOUND:
                continue
            for row in range(list_starts[at], list_starts[at + 1]):
                place = place_of[state[row]]
                if place == NONE:
                    place = find_or_add(
                        struck, distribution.apply_to_side(setup, rest, side, int(reached.states[state[row]]))
                    )
                    place_of[state[row]] = place
                if pays_overcharge:
                    gone = unit_state.is_removed(int(reached.states[state[row]]))
                    lost = find_or_add(losses, int(own[row]) << 1 | (1 if gone else 0))
                same = last[place]
                if same >= first and loss[same] == lost:
                    probability[same] += weight[row]
                    continue
                to[count], loss[count], probability[count] = place, lost, weight[row]
                last[place] = count
                count += 1
            starts[kind, column], ends[kind, column] = first, count
    for column in range(len(states)):
        if lists[NONE, column] != NOT_FOUND:
            to[count] = find_or_add(struck, distribution.apply_to_side(setup, rest, side, int(states[column])))
            loss[count], probability[count] = 0, 1.0
            starts[NONE, column], ends[NONE, column] = count, count + 1
            count += 1
    return StrikeTransitions(starts, ends, to, loss, probability, struck, losses)


@step
def states_of_striker(
    setup: Setup, fused: Fused, when: StrikeConditions, joint: Joint, transitions: StrikeTransitions
) -> tuple[StateIndex, Integers]:
    """Return the next states of the striker, and their indices by its state before and its losses."""
    number, striker = fused.operation[2], setup.strikes[fused.operation[2]].striker
    starts, ends, _, loss, _, _, effects = transitions
    losses = effects.length[0]
    strikers, several = state_index(len(joint.first) * losses), losses > 2  # the first two effects: no strike, no loss
    to = np.full((len(joint.first), losses), NONE, np.int64)
    for index in range(len(joint.rows)):
        row, column = joint.rows[index], joint.columns[index]
        kind = when.kinds[row, when.views[column]]
        if not several and to[row, loss[starts[kind, column]]] != NONE:
            continue
        for place in range(starts[kind, column], ends[kind, column]):
            which = loss[place]
            if to[row, which] != NONE:
                continue
            effect, after = effects.states[which], joint.first[row]
            if effect != NONE:
                struck, own = (discipline.ANNIHILATED if effect & 1 else 0), effect >> 1
                own_losses = (own >> OWN_DESTROYED, own & unit_state.MODELS_MASK)
                after = strikes.after_striking(setup, number, after, struck, own_losses)
            to[row, which] = find_or_add(strikers, distribution.apply_to_side(setup, fused.rest, striker, after))
    return strikers, to


@step
def joint_after(
    joint: Joint, when: StrikeConditions, transitions: StrikeTransitions, strikers: StateIndex, striker_to: Integers
) -> Joint:
    """Return the distribution after the transitions of a strike; `joint` has the striker first."""
    _, _, rows, columns, before = joint
    starts, ends, to, loss, probability, others, losses = transitions
    width, room, count, first = others.length[0], 0, 0, 0
    last = np.full(losses.length[0] * width, NONE, np.int64)  # index of the last pair with these losses and next state
    for pair in range(len(rows)):
        at = when.kinds[rows[pair], when.views[columns[pair]]], columns[pair]
        room += ends[at] - starts[at]
    after = distribution.empty_pairs(room)
    for pair in range(len(rows)):
        row, column = rows[pair], columns[pair]
        if pair == 0 or rows[pair - 1] != row:
            first = count
        kind = when.kinds[row, when.views[column]]
        for place in range(starts[kind, column], ends[kind, column]):
            share, cell = before[pair] * probability[place], loss[place] * width + to[place]
            same = last[cell]
            if same >= first:
                after.weights[same] += share
                continue
            after.rows[count], after.columns[count] = striker_to[row, loss[place]], to[place]
            after.weights[count], last[cell] = share, count
            count += 1
    return distribution.joint_of_pairs(strikers, others, after, count)
