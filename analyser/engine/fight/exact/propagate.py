"""The exact engine of longer fights: the joint law of both sides' states, pushed through a program.

A law is two lists of states and a matrix of chances. An operation gives every pair of states the pairs that follow
it; equal states come together again, so that the law stays small and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel
from analyser.engine.fight.exact.combat import resolved_law
from analyser.engine.fight.exact.distribution import Law, stretch_from
from analyser.engine.fight.exact.operation import changed_law
from analyser.engine.fight.exact.outcomes import chances_for, no_ways
from analyser.engine.fight.exact.strike import struck_law
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.rules import unit_state
from analyser.rules.structs import TARGET, TargetFacts

_FACTS = TARGET.names or ()


@kernel
def run(
    setup: Setup,
    operations: NDArray[np.int64],
    ends: NDArray[np.int64],
    law: Law,
    die: NDArray[np.int64],
    deck: NDArray[np.int64],
) -> list[Law]:
    """The laws where each part of a program ends.

    Parameters
    ----------
    setup : Setup
    operations : int64 array, shape (n, 3)
        All parts, one after the other.
    ends : int64 array, shape (parts,)
        How many operations there are up to the end of each part.
    law : Law
        At the start.
    die, deck : int64 arrays
        Sides by face; copies by card value.
    """
    strikes = 0
    for place in range(len(operations)):
        if operations[place, 0] == Kind.STRIKE:
            strikes = max(strikes, operations[place, 2] + 1)
    chances = chances_for(setup, strikes, die, deck)
    found = [law for _ in range(0)]
    ways, done = no_ways(), 0
    for end in ends:
        while done < end:
            stretch, done = stretch_from(operations, done, end)
            kind = stretch.operation[0]
            if kind == Kind.STRIKE:
                law, ways = struck_law(setup, stretch, law, chances, ways)
            elif kind == Kind.RESOLVE:
                law = resolved_law(setup, stretch, law, chances)
            else:
                law = changed_law(setup, stretch, law, chances)
        found.append(law)
    return found


def exact_laws(
    setup: Setup,
    parts: Sequence[Sequence[Operation]],
    start: tuple[int, int],
    die: NDArray[np.int64],
    deck: NDArray[np.int64],
) -> list[Law]:
    """The joint law of both sides after each part of a program.

    Parameters
    ----------
    setup : Setup
    parts : sequence of sequences of Operation
        The rounds of a duel, the attacks of focus fire, or one charge.
    start : (int, int)
        The states of both sides at the start.
    die, deck : int64 arrays
        Sides by face; copies by card value. Cards are drawn with replacement (AC-9.3).
    """
    operations = _as_array(tuple(operation for part in parts for operation in part))
    law = Law(np.array(start[:1]), np.array(start[1:]), np.ones((1, 1)))
    return list(run(setup, operations, np.cumsum([len(part) for part in parts]), law, die, deck))


@lru_cache(maxsize=1024)  # of many fights the same few programs are asked for
def _as_array(operations: tuple[Operation, ...]) -> NDArray[np.int64]:
    return np.array(operations, np.int64).reshape(-1, 3)


def start_states(setup: Setup, statuses: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """Both sides as they stand before the first operation; `statuses` are bits of their states."""
    at, origin = setup["sides"]["position_at"].tolist(), setup["sides"]["origin"].tolist()
    places = (where << bit for where, bit in zip(origin, at))
    first, second = (
        _start_word(unit.tobytes(), status | place) for unit, status, place in zip(setup["units"], statuses, places)
    )
    return first, second


@lru_cache(maxsize=4096)
def _start_word(unit: bytes, status: int) -> int:
    (facts,) = np.frombuffer(unit, TARGET)
    # Attributes of a NumPy record would cost as much as all else here.
    return int(unit_state.start_word(cast("TargetFacts", SimpleNamespace(**dict(zip(_FACTS, facts.item())))), status))
