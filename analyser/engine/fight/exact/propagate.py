"""The exact engine of longer fights: the joint distribution of both sides' states, pushed through a program.

A fight is a Markov chain on pairs of states, whose transitions differ from operation to operation; its distribution is
propagated forward (Kemeny, Snell: Finite Markov Chains, 1960). Equal states come together again, so that it stays small
and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import tiered
from analyser.engine.fight.exact.distribution import Joint, fused_from
from analyser.engine.fight.exact.operation import after_operation
from analyser.engine.fight.exact.outcomes import none_known, pool_cache_for
from analyser.engine.fight.exact.strike import after_strike
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.rules import unit_state
from analyser.rules.structs import TARGET, TargetFacts

_FACTS = TARGET.names or ()


@tiered(8.0)
def run(
    setup: Setup,
    operations: NDArray[np.int64],
    ends: NDArray[np.int64],
    joint: Joint,
    die: NDArray[np.int64],
    deck: NDArray[np.int64],
) -> list[Joint]:
    """The distributions where each part of a program ends; see :func:`exact_distributions`.

    `operations` are all parts, one after the other, shape (n, 3); `ends`, how many there are up to the end of each.
    """
    strikes = 0
    for place in range(len(operations)):
        if operations[place, 0] == Kind.STRIKE:
            strikes = max(strikes, operations[place, 2] + 1)
    cache = pool_cache_for(setup, strikes, die, deck)
    found = [joint for _ in range(0)]
    known, done = none_known(), 0
    for end in ends:
        while done < end:
            fused, done = fused_from(operations, done, end)
            if fused.operation[0] == Kind.STRIKE:
                joint, known = after_strike(setup, fused, joint, cache, known)
            else:
                joint = after_operation(setup, fused, joint, cache)
        found.append(joint)
    return found


def exact_distributions(
    setup: Setup,
    parts: Sequence[Sequence[Operation]],
    start: tuple[int, int],
    die: NDArray[np.int64],
    deck: NDArray[np.int64],
    seconds: float = 0.0,
) -> list[Joint]:
    """The joint distribution of the states of both sides after each part of a program.

    Parameters
    ----------
    setup : Setup
    parts : sequence of sequences of Operation
        The rounds of a duel, the attacks of focus fire, or one charge.
    start : (int, int)
        The states of both sides at the start.
    die, deck : int64 arrays
        Sides by face; copies by card value. Cards are drawn with replacement (AC-9.3).
    seconds : float
        That the interpreter would take for it.
    """
    operations = _as_array(tuple(operation for part in parts for operation in part))
    joint = Joint(np.array(start[:1]), np.array(start[1:]), np.ones((1, 1)))
    run.expect(seconds)
    ends = np.cumsum([len(part) for part in parts])
    return list(run(setup, operations, ends, joint, die, deck))


@lru_cache(maxsize=1024)  # of many fights the same few programs are asked for
def _as_array(operations: tuple[Operation, ...]) -> NDArray[np.int64]:
    return np.array(operations, np.int64).reshape(-1, 3)


def start_states(setup: Setup, statuses: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """Both sides as they stand before the first operation; `statuses` are bits of their states."""
    at, origin = setup["sides"]["position_at"].tolist(), setup["sides"]["origin"].tolist()
    places = (where << bit for where, bit in zip(origin, at))
    first, second = (
        _start_state(unit.tobytes(), status | place) for unit, status, place in zip(setup["units"], statuses, places)
    )
    return first, second


@lru_cache(maxsize=4096)
def _start_state(unit: bytes, status: int) -> int:
    (facts,) = np.frombuffer(unit, TARGET)
    # Attributes of a NumPy record would cost as much as all else here.
    return int(unit_state.start_state(cast("TargetFacts", SimpleNamespace(**dict(zip(_FACTS, facts.item())))), status))
