"""Exact engine of longer fights: Markov chains on pairs of states (Kemeny, Snell: Finite Markov Chains, 1960)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step, tiered
from analyser.common.kernel_records import Integers, python_copy
from analyser.engine.fight import operations
from analyser.engine.fight.exact import distribution
from analyser.engine.fight.exact.combat_end import after_combat
from analyser.engine.fight.exact.distribution import Fused, Joint
from analyser.engine.fight.exact.strike import PoolCache, StrikeOutcomes, after_strike, no_outcomes, pool_cache_for
from analyser.engine.fight.program import Kind, Operation, Pair, Setup, first_pools
from analyser.engine.state_index import find_or_add, state_index, with_room
from analyser.rules import unit_state
from analyser.rules.draws import probability_of
from analyser.rules.structs import NONE, TARGET, TargetFacts


@step
def apply_next(
    setup: Setup, program: Integers, place: int, end: int, joint: Joint, cache: PoolCache, known: StrikeOutcomes
) -> tuple[Joint, StrikeOutcomes, int]:
    """Return the distribution after the operations fused at `place`, all strike outcomes so far, and the next place."""
    fused, after = distribution.fuse_operations(program, place, end)
    if fused.operation[0] != Kind.STRIKE:
        return apply_operations(setup, fused, joint, cache), known, after
    side = setup.strikes[fused.operation[2]].striker
    joint, known = after_strike(setup, fused, joint, cache, known)
    if after < end and program[after, 0] == Kind.RESOLVE:
        combat, after_it = distribution.fuse_operations(program, after, end)
        if distribution.concern_one_side(combat.rest):
            return after_combat(setup, combat, side, joint, cache), known, after_it
    return distribution.merge_equal_pairs(side, joint), known, after


@step
def apply_operations(setup: Setup, fused: Fused, joint: Joint, cache: PoolCache) -> Joint:
    """Return the distribution after fused operations that do not begin with a strike, pair by pair."""
    operation, rest = fused
    first, second, rows, columns, before = joint
    firsts, seconds = state_index(2 * len(first)), state_index(2 * len(second))
    after, count = distribution.empty_pairs(2 * len(rows)), 0
    # Neighbouring pairs mostly lead a side to the same state, which need not be looked up again.
    one_before, two_before = np.full((2, 2), NONE, np.int64), np.full((len(second), 2, 2), NONE, np.int64)
    place = 0
    while place < len(rows):
        row = rows[place]
        firsts, seconds = with_room(firsts, 2 * len(second)), with_room(seconds, 2 * len(second))
        while place < len(rows) and rows[place] == row:
            column = columns[place]
            pair = (int(first[row]), int(second[column]))  # NumPy scalars are slow in the interpreter
            if operation[0] == Kind.BEGIN:
                pair = operations.merge_moves(setup, pair)
            draw, highest = operations.required_draw(setup, operation, pair)
            passes = probability_of(draw, highest, cache.odds)
            for failed in range(2):
                share = passes if failed == 0 else 1.0 - passes
                if share == 0.0:
                    continue
                one, two = distribution.apply_to_both(
                    setup, rest, operations.apply(setup, operation, pair, failed == 0)
                )
                if one_before[failed, 0] != one:
                    one_before[failed, 0], one_before[failed, 1] = one, find_or_add(firsts, one)
                if two_before[column, failed, 0] != two:
                    two_before[column, failed, 0], two_before[column, failed, 1] = two, find_or_add(seconds, two)
                after.rows[count], after.columns[count] = one_before[failed, 1], two_before[column, failed, 1]
                after.weights[count] = share * before[place]
                count += 1
            place += 1
    return distribution.merge_equal_pairs(0, distribution.joint_of_pairs(firsts, seconds, after, count))


@tiered(8.0)
def propagate_program(
    setup: Setup,
    operations: Integers,
    ends: Integers,
    starts: Integers,
    models: Integers,
    strike_pools: Integers,
    die: Integers,
    deck: Integers,
) -> list[Joint]:
    """Return the distributions at the `ends` of a program's parts, for each row of `starts` and `models`."""
    cache = pool_cache_for(setup, strike_pools, die, deck)
    result = [distribution.certain(starts[0, 0], starts[0, 1])][:0]  # an empty list, whose type the compiler can infer
    for fight in range(len(starts)):
        for side in range(2):
            setup.sides[side].models = models[fight, side]
        joint = distribution.certain(starts[fight, 0], starts[fight, 1])
        known, done = no_outcomes(), 0
        for end in ends:
            while done < end:
                joint, known, done = apply_next(setup, operations, done, end, joint, cache, known)
            result.append(joint)
    return result


def exact_distributions(
    setup: Setup, parts: Sequence[Sequence[Operation]], start: Pair, die: Integers, deck: Integers, seconds: float = 0.0
) -> list[Joint]:
    """Return the distribution of both sides' states after each part; `seconds`: estimated time in the interpreter."""
    models = np.ascontiguousarray(setup["sides"]["models"])[None, :]  # a strided array would need another compilation
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
    """Return the distribution for each pair of numbers of models at the start; all else in the fights must be equal."""
    starts = [tuple(map(unit_state.with_models, start, counts)) for counts in models]
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
    propagate_program.compile_for(seconds)
    ends = np.cumsum([len(part) for part in parts])
    pools = first_pools(setup, operations)
    return list(propagate_program(setup, operations, ends, np.array(starts, np.int64), models, pools, die, deck))


@lru_cache(maxsize=1024)  # many fights share a few programs
def _as_array(operations: tuple[Operation, ...]) -> Integers:
    return np.array(operations, np.int64).reshape(-1, 3)


def strike_matrices(
    setup: Setup, strikes: int, die: Integers, deck: Integers
) -> tuple[Integers, list[NDArray[np.float64]]]:
    """Return the states of side 1 that the first `strikes` strikes reach, and the transition matrix of each strike."""
    mine, first = start_states(setup)
    index_of: dict[int, int] = {first: 0}
    joints: list[dict[int, Joint]] = [{} for _ in range(strikes)]
    new_states = [first]
    while new_states:
        models = np.tile(setup["sides"]["models"], (len(new_states), 1))
        starts = [(mine, state) for state in new_states]
        for number, joints_of_strike in enumerate(joints):
            program = [[Operation(Kind.STRIKE, 0, number)]]
            joints_of_strike.update(zip(new_states, _distributions(setup, program, starts, models, die, deck, 0.0)))
        reached = (state for of_strike in joints for new in new_states for state in of_strike[new].second.tolist())
        new_states = [state for state in dict.fromkeys(reached) if state not in index_of]
        index_of |= {state: len(index_of) + index for index, state in enumerate(new_states)}
    matrices = [np.zeros((len(index_of), len(index_of))) for _ in range(strikes)]
    for matrix, joints_of_strike in zip(matrices, joints):
        for state, joint in joints_of_strike.items():
            matrix[index_of[state], [index_of[to] for to in joint.second.tolist()]] = distribution.side_probabilities(
                joint
            )[1]
    return np.array(list(index_of)), matrices


def start_states(setup: Setup, statuses: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """Return the states of both sides before the first operation; `statuses` are bits of states."""
    bits, origin = setup["sides"]["position_bit"].tolist(), setup["sides"]["origin"].tolist()
    positions = (start << bit for start, bit in zip(origin, bits))
    first, second = (
        _start_state(unit.tobytes(), status | position)
        for unit, status, position in zip(setup["units"], statuses, positions)
    )
    return first, second


@lru_cache(maxsize=4096)
def _start_state(unit: bytes, status: int) -> int:
    facts = python_copy(cast("TargetFacts", np.frombuffer(unit, TARGET)[0]))  # reading fields of a record is slow
    return int(unit_state.start_state(facts, status))
