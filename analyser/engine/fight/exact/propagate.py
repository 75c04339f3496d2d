"""The exact engine of longer fights: the joint distribution of both sides' states, pushed through a program.

A fight is a Markov chain on pairs of states with other transitions in each operation. Its distribution is propagated
forward (Kemeny, Snell: Finite Markov Chains, 1960). Equal states are merged, so the distribution stays small and exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np

from analyser.common.jit import step, tiered
from analyser.common.records import Floats, Integers, plain
from analyser.engine.fight import operations
from analyser.engine.fight.exact.distribution import Fused, Joint, are_alone, both_after, fused_from, gathered
from analyser.engine.fight.exact.strike import PoolCache, after_strike, none_known, pool_cache_for
from analyser.engine.fight.program import Kind, Operation, Pair, Setup, dice_of
from analyser.engine.index import StateIndex, index_of, state_index, with_room
from analyser.game.ruleset import Rating
from analyser.rules import close_quarters, unit_state
from analyser.rules.draws import probability_of
from analyser.rules.structs import NONE, TARGET, TargetFacts

_BOTH = 2  # results of a test: 0 passed, 1 failed


@step
def after_operation(setup: Setup, fused: Fused, joint: Joint, cache: PoolCache) -> Joint:
    """Return the distribution after fused operations that do not begin with a strike."""
    if fused.operation[0] == Kind.RESOLVE and are_alone(fused.rest):
        return after_combat(setup, fused, joint, cache)
    return after_any(setup, fused, joint, cache)


@step
def after_any(setup: Setup, fused: Fused, joint: Joint, cache: PoolCache) -> Joint:
    """Return the distribution after fused operations, pair by pair."""
    operation, rest = fused
    first, second, before = joint
    shape = (before.shape[0], before.shape[1], _BOTH)
    possible = pairs_of(before)
    to, shares, at = np.empty((possible, _BOTH, 2), np.int64), np.zeros((possible, _BOTH)), -1
    firsts, seconds = state_index(2 * shape[0]), state_index(2 * shape[1])
    # Neighbouring pairs mostly lead a side to the same state, which is then not looked up again.
    one_before, two_before = np.full((_BOTH, 2), NONE, np.int64), np.full((shape[1], _BOTH, 2), NONE, np.int64)
    for row in range(shape[0]):
        firsts, seconds = with_room(firsts, _BOTH * shape[1]), with_room(seconds, _BOTH * shape[1])
        for column in range(shape[1]):
            if before[row, column] == 0.0:
                continue
            at += 1
            pair = (int(first[row]), int(second[column]))  # NumPy scalars are slow in the interpreter
            draw, highest = operations.required_draw(setup, operation, pair)
            passes = probability_of(draw, highest, cache.odds)
            for failed in range(_BOTH):
                share = passes if failed == 0 else 1.0 - passes
                if share == 0.0:
                    continue
                one, two = both_after(setup, rest, operations.changed(setup, operation, pair, failed == 0))
                if one_before[failed, 0] != one:
                    one_before[failed, 0], one_before[failed, 1] = one, index_of(firsts, one)
                if two_before[column, failed, 0] != two:
                    two_before[column, failed, 0], two_before[column, failed, 1] = two, index_of(seconds, two)
                to[at, failed, 0], to[at, failed, 1] = one_before[failed, 1], two_before[column, failed, 1]
                shares[at, failed] = share
    return moved(before, firsts, seconds, to, shares)


@step
def moved(before: Floats, firsts: StateIndex, seconds: StateIndex, to: Integers, shares: Floats) -> Joint:
    """Return the distribution after each possible pair moves to its places `to`, (pairs, ways, 2), by `shares`."""
    after, at = np.zeros((firsts.length[0], seconds.length[0])), -1
    for row in range(before.shape[0]):
        for column in range(before.shape[1]):
            if before[row, column] == 0.0:
                continue
            at += 1
            for way in range(_BOTH):
                if shares[at, way] > 0.0:
                    after[to[at, way, 0], to[at, way, 1]] += shares[at, way] * before[row, column]
    return gathered(firsts, seconds, after)


@step
def pairs_of(probabilities: Floats) -> int:
    """Return the number of possible pairs of states."""
    pairs = 0
    for row in range(probabilities.shape[0]):
        for column in range(probabilities.shape[1]):
            pairs += 1 if probabilities[row, column] != 0.0 else 0
    return pairs


class Endings(NamedTuple):
    """States of both sides after a combat. Each depends only on the side's state before, and on its role."""

    places: Integers  # (2, states, roles): the place of the state after it; NONE: not known yet
    draws: Integers  # (2, states, 2): the draw of the loser's test, and the highest value that passes
    gone: Integers  # (2, states, 2): 1 if the loser is removed, test passed or failed; NONE: not known yet


_NOT_FOUGHT, _EVEN, _WON, _WON_ALONE, _LOST = range(5)  # roles; a loser that failed its test has _LOST + 1
_ROLES = 6


@step
def roles_of(won_by: int, active: int, failed: int, loser_gone: bool) -> tuple[int, int]:
    """Return the roles of side 0 and side 1 in the end of a combat."""
    if won_by == close_quarters.NOT_FOUGHT:
        return _NOT_FOUGHT, _NOT_FOUGHT
    if won_by == close_quarters.NOBODY:
        return _EVEN, _EVEN
    won, lost = (_WON_ALONE if loser_gone else _WON), _LOST + failed
    return (won, lost) if (won_by == close_quarters.ACTIVE) == (active == 0) else (lost, won)


@step
def after_combat(setup: Setup, fused: Fused, joint: Joint, cache: PoolCache) -> Joint:
    """Return the distribution after the end of a combat and after operations that each concern one side.

    Bit-identical to :func:`after_any`. The loser's test depends only on its own state, and the end state of a side only
    on its state and role, so each is computed once.
    """
    operation, rest = fused
    active, (first, second, before) = operation[1], joint
    rows, columns = before.shape
    states = max(rows, columns)
    known = Endings(
        np.full((2, states, _ROLES), NONE, np.int64),
        np.full((2, states, _BOTH), NONE, np.int64),
        np.full((2, states, _BOTH), NONE, np.int64),
    )
    firsts, seconds = state_index(_ROLES * rows), state_index(_ROLES * columns)
    possible = pairs_of(before)
    to, shares, at = np.empty((possible, _BOTH, 2), np.int64), np.zeros((possible, _BOTH)), -1
    for row in range(rows):
        for column in range(columns):
            if before[row, column] == 0.0:
                continue
            at += 1
            pair = (int(first[row]), int(second[column]))
            won_by = operations.result_of_combat(setup, active, pair)
            loser = 1 - active if won_by == close_quarters.ACTIVE else active
            of_loser, passes, is_lost = (row if loser == 0 else column), 1.0, won_by < close_quarters.NOBODY
            if is_lost:
                if known.draws[loser, of_loser, 0] == NONE:
                    draw, highest = operations.required_draw(setup, operation, pair)
                    known.draws[loser, of_loser, 0], known.draws[loser, of_loser, 1] = draw, highest
                passes = probability_of(known.draws[loser, of_loser, 0], known.draws[loser, of_loser, 1], cache.odds)
            for failed in range(_BOTH):
                share = passes if failed == 0 else 1.0 - passes
                if share == 0.0:
                    continue
                shares[at, failed] = share
                gone = known.gone[loser, of_loser, failed] if is_lost else 0
                roles = roles_of(won_by, active, failed, gone == 1)
                if gone == NONE or NONE in (known.places[0, row, roles[0]], known.places[1, column, roles[1]]):
                    after = operations.changed(setup, operation, pair, failed == 0)
                    gone = 1 if unit_state.is_removed(after[loser]) else 0
                    if is_lost:
                        known.gone[loser, of_loser, failed] = gone
                    roles = roles_of(won_by, active, failed, gone == 1)
                    after = both_after(setup, rest, after)
                    known.places[0, row, roles[0]] = index_of(firsts, after[0])
                    known.places[1, column, roles[1]] = index_of(seconds, after[1])
                to[at, failed, 0] = known.places[0, row, roles[0]]
                to[at, failed, 1] = known.places[1, column, roles[1]]
    return moved(before, firsts, seconds, to, shares)


@tiered(8.0)
def run(
    setup: Setup,
    operations: Integers,
    ends: Integers,
    starts: Integers,
    models: Integers,
    places: Integers,
    die: Integers,
    deck: Integers,
) -> list[Joint]:
    """Return the distribution at the end of each part of a program, fight by fight.

    `operations`, shape (n, 3), are those of all parts, and `ends` the numbers of operations up to the end of each part.
    `starts` and `models`, shape (fights, 2), are the states and models of both sides at the start. `places` are those
    of the :class:`~.strike.PoolCache`.
    """
    cache = pool_cache_for(setup, places, die, deck)
    result = [Joint(starts[0, :1], starts[0, 1:], np.ones((1, 1)))][:0]  # empty, of a type that can be inferred
    for fight in range(len(starts)):
        for side in range(2):
            setup.sides[side].models = models[fight, side]
        joint = Joint(starts[fight, :1], starts[fight, 1:], np.ones((1, 1)))
        known, done = none_known(), 0
        for end in ends:
            while done < end:
                fused, done = fused_from(operations, done, end)
                if fused.operation[0] == Kind.STRIKE:
                    joint, known = after_strike(setup, fused, joint, cache, known)
                else:
                    joint = after_operation(setup, fused, joint, cache)
            result.append(joint)
    return result


def exact_distributions(
    setup: Setup, parts: Sequence[Sequence[Operation]], start: Pair, die: Integers, deck: Integers, seconds: float = 0.0
) -> list[Joint]:
    """Return the joint distribution of the states of both sides after each part of a program.

    Parts are the rounds of a duel, the attacks of focus fire, or one charge. Cards are drawn with replacement (AC-9.3).
    `seconds` is the estimated time without compilation.
    """
    models = np.ascontiguousarray(setup["sides"]["models"])[None, :]  # avoids compiling the kernel for strided arrays
    return _distributions(setup, parts, [start], models, die, deck, seconds)


def exact_distributions_by_models(
    setup: Setup,
    operations: Sequence[Operation],
    start: Pair,
    models: Sequence[tuple[int, int]],
    die: Integers,
    deck: Integers,
    seconds: float = 0.0,
) -> list[Joint]:
    """Return the distributions at the end of one part, for both sides at each of those numbers of models.

    `setup` and `start` belong to the fight with at least these numbers of models, on which nothing else in them may
    depend. Pools are computed once for all.
    """
    starts = [tuple(map(unit_state.of_models, start, both)) for both in models]
    return _distributions(setup, [operations], starts, np.array(models, np.int64), die, deck, seconds) if models else []


def _distributions(
    setup: Setup,
    parts: Sequence[Sequence[Operation]],
    starts: Sequence[Sequence[int]],
    models: Integers,
    die: Integers,
    deck: Integers,
    seconds: float,
) -> list[Joint]:
    operations = _as_array(tuple(operation for part in parts for operation in part))
    run.expect(seconds)
    ends = np.cumsum([len(part) for part in parts])
    rolls = dice_of(setup, 1 + operations[operations[:, 0] == Kind.STRIKE, 2].max(initial=-1))
    places = (np.cumsum(rolls).reshape(rolls.shape) - 1) * len(Rating)
    return list(run(setup, operations, ends, np.array(starts, np.int64), models, places, die, deck))


@lru_cache(maxsize=1024)  # many fights share a few programs
def _as_array(operations: tuple[Operation, ...]) -> Integers:
    return np.array(operations, np.int64).reshape(-1, 3)


def start_states(setup: Setup, statuses: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """Return the states of both sides before the first operation; `statuses` are bits of states."""
    at, origin = setup["sides"]["position_at"].tolist(), setup["sides"]["origin"].tolist()
    places = (where << bit for where, bit in zip(origin, at))
    first, second = (
        _start_state(unit.tobytes(), status | place) for unit, status, place in zip(setup["units"], statuses, places)
    )
    return first, second


@lru_cache(maxsize=4096)
def _start_state(unit: bytes, status: int) -> int:
    facts = plain(cast("TargetFacts", np.frombuffer(unit, TARGET)[0]))  # reading fields of a record is slow
    return int(unit_state.start_state(facts, status))
