"""The parts of a longer fight: where each trial has ended each of them, and where it goes on from there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.playing.crossings import CROSSINGS, Crossings
from analyser.engine.playing.hands import Pools
from analyser.engine.playing.script import Script, Stage
from analyser.engine.playing.turns import into_part
from analyser.engine.program import Setup
from analyser.jit import Whole, kernel, step

_END = int(Stage.END)
UNSEEN, FINAL = np.uint64(0), ~np.uint64(0)
CROSSING, BESIDE = np.uint64(32), np.uint64((1 << 32) - 1)  # how a crossing and another number are packed


class Parts(NamedTuple):
    """What there is to know of the parts; the first row of each table is for before the first of them.

    Attributes
    ----------
    which : int64 array, shape (parts,)
        Which part of the script is played, one after the other.
    ended, retired : int64 arrays, shape (parts + 1, crossings)
        How many trials have ended each part at each crossing; and how many of these have been left there, as chance
        decides nothing more.
    onward : uint64 array, of that shape
        See :func:`way_onward`; UNSEEN where nobody has been yet.
    """

    which: NDArray[np.int64]
    ended: NDArray[np.int64]
    retired: NDArray[np.int64]
    onward: NDArray[np.uint64]


def parts_of(which: NDArray[np.int64]) -> Parts:
    """Nothing played yet; memory is taken only as it is used."""
    shape = len(which) + 1, CROSSINGS
    return Parts(which, np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.uint64))


@kernel
def way_onward(
    setup: Setup, script: Script, pools: Pools, known: Crossings, parts: Parts, first: int, crossing: Whole
) -> np.uint64:  # fmt: skip
    """Where those who wait where a part has ended go in the part `first`: the crossing, and its queue.

    FINAL where chance decides nothing any more.
    """
    at: Whole = crossing
    into: Whole = np.int64(-1)
    for number in range(first, len(parts.which)):
        at = into_part(setup, script, pools, known, at, parts.which[number])
        into = at if into < 0 else into
        if script.stage[known.queue[at]] != _END:
            return np.uint64(into) << CROSSING | np.uint64(known.queue[into])
    return FINAL


@kernel
def count_retired(setup: Setup, script: Script, pools: Pools, known: Crossings, parts: Parts) -> None:
    """Count those that were left where a part has ended at the ends of all later parts too."""
    for part in range(len(parts.which)):
        for crossing in range(known.crossings_known):
            if parts.retired[part, crossing] > 0:
                at = crossing
                for number in range(part, len(parts.which)):
                    at = into_part(setup, script, pools, known, at, parts.which[number])
                    parts.ended[number + 1, at] += parts.retired[part, crossing]
                parts.retired[part, crossing] = 0


@step
def end_of_part(script: Script, parts: Parts, number: int) -> int:
    """The queue before which a part ends."""
    return int(script.first_queue[script.ends[script.starts[parts.which[number]]]])
