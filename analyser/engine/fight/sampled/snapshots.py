"""The parts of a longer fight: where trials have ended each of them, and where they go on from there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import Whole, step, tiered
from analyser.engine.fight.sampled.nodes import NODES, TRANSITION, Nodes
from analyser.engine.fight.sampled.program_table import ProgramTable, Stage
from analyser.engine.fight.sampled.transitions import Graph, into_part, place_of

NEXT, COUNT = 0, 1
UNSEEN = np.uint64(0)
FINAL = np.uint64(1 << 62)
_ONWARD = FINAL - np.uint64(1) | np.uint64(1 << 63)


class Snapshots(NamedTuple):
    """What there is to know of the parts of a fight."""

    which: NDArray[np.int64]  # (parts,): which part of the program is played, one after the other
    # (nodes, parts + 1, 2): of each end, before the first part and after each, where trials go from there
    # (:func:`next_node`), or UNSEEN, and how many have ended there and gone that way since they were counted.
    ends: NDArray[np.uint64]


def snapshots_of(which: NDArray[np.int64]) -> Snapshots:
    """Nothing played yet; memory is taken only as it is used."""
    return Snapshots(which, np.zeros((NODES, len(which) + 1, 2), np.uint64))


@tiered(0)
def next_node(graph: Graph, snapshots: Snapshots, end: Whole, first: Whole) -> Any:
    """Where those who are at an end before part `first` go: the place, which can be the end of that part.

    FINAL beside it if random decides nothing any more.
    """
    _, program, _, known = graph
    way: Any = snapshots.ends[end, first, NEXT]
    if way != UNSEEN:
        return way
    at: Whole = np.int64(known.end_at[end])
    way = FINAL
    for number in range(first, len(snapshots.which)):
        at = into_part(graph, at, snapshots.which[number])
        if number == first:
            way |= place_of(graph, at)
        if program.stage[known.queue[at]] != Stage.END:
            way &= _ONWARD
            break
    snapshots.ends[end, first, NEXT] = way
    return way


@tiered(0)
def find_later(graph: Graph, snapshots: Snapshots) -> None:
    """Find the later ends of trials for which chance had nothing more to decide."""
    _, _, _, known = graph
    for end in range(known.ends_known):
        for first in range(snapshots.ends.shape[1]):
            if snapshots.ends[end, first, COUNT] > 0 and snapshots.ends[end, first, NEXT] & FINAL:
                later: Whole = np.int64(end)
                for number in range(first, len(snapshots.which)):
                    later = np.int64(next_node(graph, snapshots, later, number) & TRANSITION)


@tiered(0)
def count_all(known: Nodes, snapshots: Snapshots, counts: NDArray[np.int64]) -> None:
    """Count all trials where they have ended each part, shape (ends, parts + 1), and begin to count anew.

    Those for whom nothing was left to be decided are counted where they would have ended later parts (`find_later`).
    """
    for end in range(known.ends_known):
        for first in range(snapshots.ends.shape[1]):
            many = np.int64(snapshots.ends[end, first, COUNT])
            if many > 0:
                snapshots.ends[end, first, COUNT] = UNSEEN
                counts[end, first] += many
                if snapshots.ends[end, first, NEXT] & FINAL:
                    later: Whole = np.int64(end)
                    for number in range(first, len(snapshots.which)):
                        later = np.int64(snapshots.ends[later, number, NEXT] & TRANSITION)
                        counts[later, number + 1] += many


def forget_ways(known: Nodes, snapshots: Snapshots) -> None:
    """Forget where trials go on from the ends of parts."""
    snapshots.ends[: known.ends_known] = 0


@step
def end_of_part(program: ProgramTable, snapshots: Snapshots, number: int) -> int:
    """The queue before which a part ends."""
    return int(program.first_queue[program.ends[program.starts[snapshots.which[number]]]])
