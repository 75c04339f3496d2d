"""The parts of a longer fight: where trials have ended each of them, and where they go on from there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import Whole, kernel, step
from analyser.engine.fight.program import Setup
from analyser.engine.fight.sampled.nodes import CROSSINGS, TURN, Crossings
from analyser.engine.fight.sampled.pools import Pools
from analyser.engine.fight.sampled.program_table import Script, Stage
from analyser.engine.fight.sampled.transitions import into_part, place_of

NEXT, COUNT = 0, 1
UNSEEN = np.uint64(0)
FINAL = np.uint64(1 << 62)
_ONWARD = FINAL - np.uint64(1) | np.uint64(1 << 63)


class Parts(NamedTuple):
    """What there is to know of the parts.

    Attributes
    ----------
    which : int64 array, shape (parts,)
        Which part of the script is played, one after the other.
    ends : uint64 array, shape (crossings, parts + 1, 2)
        Of each end (:class:`.crossings.Crossings`), before the first part and after each, the way from there
        (:func:`way_onward`), or UNSEEN; and how many trials have ended there and gone that way since they were counted.
    """

    which: NDArray[np.int64]
    ends: NDArray[np.uint64]


def parts_of(which: NDArray[np.int64]) -> Parts:
    """Nothing played yet; memory is taken only as it is used."""
    return Parts(which, np.zeros((CROSSINGS, len(which) + 1, 2), np.uint64))


@kernel
def way_onward(
    setup: Setup, script: Script, pools: Pools, known: Crossings, parts: Parts, end: Whole, first: Whole
) -> Any:
    """Where those who are at an end before part `first` go: the place, which can be the end of that part.

    FINAL beside it if chance decides nothing any more.
    """
    way: Any = parts.ends[end, first, NEXT]
    if way != UNSEEN:
        return way
    at: Whole = np.int64(known.end_at[end])
    way = FINAL
    for number in range(first, len(parts.which)):
        at = into_part(setup, script, pools, known, at, parts.which[number])
        if number == first:
            way |= place_of(script, pools, known, at)
        if script.stage[known.queue[at]] != Stage.END:
            way &= _ONWARD
            break
    parts.ends[end, first, NEXT] = way
    return way


@kernel
def find_later(setup: Setup, script: Script, pools: Pools, known: Crossings, parts: Parts) -> None:
    """Find all ends where those are to be counted who were left at one as nothing was to be decided any more."""
    for end in range(known.ends_known):
        for first in range(parts.ends.shape[1]):
            if parts.ends[end, first, COUNT] > 0 and parts.ends[end, first, NEXT] & FINAL:
                later: Whole = np.int64(end)
                for number in range(first, len(parts.which)):
                    later = np.int64(way_onward(setup, script, pools, known, parts, later, number) & TURN)


@kernel
def count_all(known: Crossings, parts: Parts, counts: NDArray[np.int64]) -> None:
    """Count all trials where they have ended each part, shape (ends, parts + 1), and begin to count anew.

    Those for whom nothing was left to be decided are counted where they would have ended later parts, which are known
    (:func:`find_later`).
    """
    for end in range(known.ends_known):
        for first in range(parts.ends.shape[1]):
            many = np.int64(parts.ends[end, first, COUNT])
            if many > 0:
                parts.ends[end, first, COUNT] = UNSEEN
                counts[end, first] += many
                if parts.ends[end, first, NEXT] & FINAL:
                    later: Whole = np.int64(end)
                    for number in range(first, len(parts.which)):
                        later = np.int64(parts.ends[later, number, NEXT] & TURN)
                        counts[later, number + 1] += many


def forget_ways(known: Crossings, parts: Parts) -> None:
    """None is known any more."""
    parts.ends[: known.ends_known] = 0


@step
def end_of_part(script: Script, parts: Parts, number: int) -> int:
    """The queue before which a part ends."""
    return int(script.first_queue[script.ends[script.starts[parts.which[number]]]])
