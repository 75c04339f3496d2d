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


def counts_of(graph: Graph, snapshots: Snapshots) -> NDArray[np.int64]:
    """How many trials have ended each part where, shape (ends, parts + 1); the count begins anew.

    Those for whom nothing was left to be decided are counted where they would have ended later parts, too.
    """
    known, ways = graph.nodes, snapshots.ends[:, :, NEXT]
    seen = snapshots.ends[: known.ends_known, :, COUNT].astype(np.int64)
    snapshots.ends[: len(seen), :, COUNT] = 0
    walked = []
    for first in range(seen.shape[1]):
        (ends,) = np.nonzero((seen[:, first] > 0) & (ways[: len(seen), first] & FINAL != 0))
        many = seen[ends, first]
        for number in range(first, len(snapshots.which)):
            for end in set(ends[ways[ends, number] == UNSEEN].tolist()):
                next_node(graph, snapshots, end, number)
            ends = (ways[ends, number] & TRANSITION).astype(np.int64)
            walked.append((ends, number + 1, many))
    counts = np.zeros((known.ends_known, seen.shape[1]), np.int64)
    counts[: len(seen)] = seen
    for ends, number, many in walked:
        np.add.at(counts[:, number], ends, many)
    return counts


def forget_ways(known: Nodes, snapshots: Snapshots) -> None:
    """Forget where trials go on from the ends of parts."""
    snapshots.ends[: known.ends_known] = 0


@step
def end_of_part(program: ProgramTable, snapshots: Snapshots, number: int) -> int:
    """The queue before which a part ends."""
    return int(program.first_queue[program.ends[program.starts[snapshots.which[number]]]])
