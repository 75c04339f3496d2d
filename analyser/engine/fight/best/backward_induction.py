"""Values and plans by backward induction over the graph of a fight (Zermelo 1913; Bellman 1957)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyser.common.kernel_records import Floats, Integers
from analyser.rules.structs import NONE

WORST, PLANNED, BEST = -1, 0, 1  # a side takes the edge of least value, that of the plan, or that of greatest value
_TIE_TOLERANCE = 1e-14  # branches whose values differ by less than this share of the greatest final value are equal


class Edges(NamedTuple):
    """Edges of a graph, whose nodes are sorted by place (:mod:`.choice_program`), then by first possible round."""

    bounds: Integers  # (places, rounds + 2): first node of the place, then by round: end of the nodes reached so far
    choosers: Integers  # (places,): the side that chooses; NONE for a random draw
    begins: Integers  # (nodes + 1,): first edge of each node, and the number of edges
    to: Integers  # (edges,): the next node
    weights: Floats  # (edges,): the probability, or at a choice the number of the branch


def backward_values(edges: Edges, final: Floats, first: int, second: int, plan: Integers) -> Floats:
    """Return the value of each node by round, and write the choices of sides that are not PLANNED into `plan`.

    `first`, `second`: how side 0 and side 1 choose (WORST, PLANNED or BEST).
    """
    rounds, starts = len(plan), len(final)  # starts: number of nodes between rounds; `final`: their values at the end
    values = np.zeros((rounds + 1, len(edges.begins) - 1))
    values[rounds, :starts] = final
    tolerance = _TIE_TOLERANCE * float(np.abs(final).max(initial=0.0))
    owners = np.repeat(np.arange(len(edges.begins) - 1), np.diff(edges.begins))
    unfinished = np.flatnonzero(np.diff(edges.begins[: starts + 1]))
    for number in range(rounds - 1, -1, -1):
        now = values[number]
        now[:starts] = values[number + 1, :starts]
        for place in range(1, len(edges.choosers)):
            low, high = int(edges.bounds[place, 0]), int(edges.bounds[place, number + 1])
            if low == high:
                continue
            begins = edges.begins[low:high]
            begin, end = int(begins[0]), int(edges.begins[high])
            after, owner = now[edges.to[begin:end]], owners[begin:end] - low
            chooser = edges.choosers[place]
            if chooser == NONE:
                now[low:high] = np.bincount(owner, edges.weights[begin:end] * after, high - low)
                continue
            sign = first if chooser == 0 else second
            if sign != PLANNED:
                after = sign * after
                (best,) = np.nonzero(after >= (np.maximum.reduceat(after, begins - begin) - tolerance)[owner])
                chosen = np.empty(high - low, np.int64)
                chosen[owner[best][::-1]] = best[::-1]  # in reverse order, so that the first of equal edges is kept
                plan[number, low:high] = chosen - (begins - begin)
            now[low:high] = now[edges.to[begins + plan[number, low:high]]]
        (reached,) = np.nonzero(unfinished < edges.bounds[0, number + 1])
        now[unfinished[reached]] = now[edges.to[edges.begins[unfinished[reached]]]]
    return values


def node_probabilities(edges: Edges, plan: Integers) -> Floats:
    """Return the probability of each node in each round if both sides follow `plan`; shape (rounds + 1, nodes)."""
    rounds, starts = len(plan), int(edges.bounds[0, -1])  # starts: number of nodes between rounds
    result = np.zeros((rounds + 1, len(edges.begins) - 1))
    result[0, 0] = 1.0
    sizes = np.diff(edges.begins)
    for number in range(rounds):
        now, after = result[number], result[number + 1]
        nodes = np.arange(int(edges.bounds[0, number + 1]))
        is_over = sizes[nodes] == 0
        after[nodes[is_over]] += now[nodes[is_over]]
        np.add.at(now, edges.to[edges.begins[nodes[~is_over]]], now[nodes[~is_over]])
        for place in range(len(edges.choosers) - 1, 0, -1):
            low, high = int(edges.bounds[place, 0]), int(edges.bounds[place, number + 1])
            nodes = low + np.flatnonzero(now[low:high])
            if edges.choosers[place] != NONE:
                to, shares = edges.to[edges.begins[nodes] + plan[number, nodes]], now[nodes]
            else:
                counts = sizes[nodes]
                begins = np.repeat(edges.begins[nodes] - np.cumsum(counts) + counts, counts)
                edge_numbers = begins + np.arange(len(begins))
                to, shares = edges.to[edge_numbers], np.repeat(now[nodes], counts) * edges.weights[edge_numbers]
            ends = to < starts
            np.add.at(after, to[ends], shares[ends])
            np.add.at(now, to[~ends], shares[~ends])
    return result
