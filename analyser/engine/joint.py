"""The exact engine of longer fights: the joint law of both sides' states, pushed through a program.

A law is two lists of states and a matrix of chances. An operation gives every pair of states the pairs that follow
it; equal states come together again, so that the law stays small and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from analyser.dice import Rating
from analyser.engine.changed import changed_law
from analyser.engine.law import Law, stretch_from
from analyser.engine.program import Kind, Operation, Setup, dice_of
from analyser.engine.resolved import resolved_law
from analyser.engine.struck import struck_law
from analyser.engine.ways import Chances, no_ways
from analyser.jit import kernel
from analyser.rules.armoured_clash import unit_state
from analyser.rules.armoured_clash.facts import TARGET, TargetFacts

_FACTS = TARGET.names or ()
_STRIKE, _RESOLVE = int(Kind.STRIKE), int(Kind.RESOLVE)


@kernel
def run(
    setup: Setup, operations: NDArray[np.int64], ends: NDArray[np.int64], law: Law, chances: Chances
) -> list[Law]:  # fmt: skip
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
    chances : Chances
    """
    found = [law for _ in range(0)]
    ways, done = no_ways(), 0
    for end in ends:
        while done < end:
            stretch, done = stretch_from(operations, done, end)
            kind = stretch.operation[0]
            if kind == _STRIKE:
                law, ways = struck_law(setup, stretch, law, chances, ways)
            elif kind == _RESOLVE:
                law = resolved_law(setup, stretch, law, chances)
            else:
                law = changed_law(setup, stretch, law, chances)
        found.append(law)
    return found


def exact_laws(
    setup: Setup, parts: Sequence[Sequence[Operation]], start: tuple[int, int], die: NDArray[np.int64],
    deck: NDArray[np.int64],
) -> list[Law]:  # fmt: skip
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
    operations = np.array([operation for part in parts for operation in part], np.int64).reshape(-1, 3)
    law = Law(np.array(start[:1]), np.array(start[1:]), np.ones((1, 1)))
    strikes = int(max((operation[2] for operation in operations if operation[0] == _STRIKE), default=-1)) + 1
    chances = chances_for(setup, strikes, die, deck)
    return list(run(setup, operations, np.cumsum([len(part) for part in parts]), law, chances))


def chances_for(setup: Setup, strikes: int, die: NDArray[np.int64], deck: NDArray[np.int64]) -> Chances:
    """What chance is made of, with room for the law of every pool that the first `strikes` strikes can come to."""
    faces, cards = die / die.sum(), deck / deck.sum()
    rolls = dice_of(setup, strikes)
    each_rating = np.repeat(rolls[:, None, :], len(Rating), axis=1)
    places = each_rating.cumsum().reshape(each_rating.shape) - 1
    attacks, most = np.asarray(setup["attacks"][:strikes]), rolls.shape[1] - 1
    added, overcharge = np.where(attacks["arc"], 2, 1), attacks["overcharge"] != 0
    rolled = most + np.where(overcharge, len(cards) - 1, 0)
    hits = (rolled * (1 + added) * 2 + attacks["veteran"]).max(initial=0)
    blanks = np.where(overcharge, rolled * added, 0).max(initial=0)
    return Chances(
        faces=faces,
        cards=cards,
        at_most=np.cumsum(cards),
        pools=np.empty((places.max(initial=-1) + 1, hits + 1, blanks + 1)),
        places=places,
        known=np.zeros(places.shape, np.bool_),
    )


def start_states(setup: Setup, statuses: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """Both sides as they stand before the first operation; `statuses` are bits of their states."""
    # Attributes of a NumPy record cost as much as all else here.
    units = (cast("TargetFacts", SimpleNamespace(**dict(zip(_FACTS, unit.item())))) for unit in setup["units"])
    first, second = (int(unit_state.start_word(unit, status)) for unit, status in zip(units, statuses))
    return first, second
