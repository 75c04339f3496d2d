"""Values and plans by backward induction over all that can come of a fight (Zermelo 1913; Bellman 1957).

Both sides see everything, and never choose at the same moment: in each node one of them takes what is best for it, and
no matrix game is left to be solved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyser.common.jit import step, tiered_or
from analyser.common.records import Floats, Integers
from analyser.rules.structs import NONE

WORST, GIVEN, BEST = -1, 0, 1  # what a side takes: what makes the value least, what a plan says, what makes it most
_TIES = 1e-14  # times the greatest value: of branches that differ by less, the first is taken


class Edges(NamedTuple):
    """The nodes of a game by place, those of a place by the round in which they can be come to first; their edges.

    The nodes of place 0, between two rounds, have edges where the fight goes on: one each.
    """

    bounds: Integers  # (places, rounds + 2): where the nodes of a place begin, and where those of each round end
    choosers: Integers  # (places,): whose choice it is; NONE where chance decides
    begins: Integers  # (nodes + 1,): where the edges of each begin
    to: Integers  # (edges,): the node that each leads to
    weights: Floats  # (edges,): its probability; of a choice, the number of its branch


def _backed_up_at_once(edges: Edges, final: Floats, first: int, second: int, plan: Integers) -> Floats:
    """Do :func:`backed_up` by whole arrays, a place at once: the same sums without a compiler, but slower."""
    rounds, starts = len(plan), len(final)
    values = np.zeros((rounds + 1, len(edges.begins) - 1))
    values[rounds, :starts] = final
    ties = _TIES * float(np.abs(final).max(initial=0.0))
    owners = np.repeat(np.arange(len(edges.begins) - 1), np.diff(edges.begins))
    onwards = np.flatnonzero(np.diff(edges.begins[: starts + 1]))
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
            takes = first if chooser == 0 else second
            if takes != GIVEN:
                after = takes * after
                (good,) = np.nonzero(after >= (np.maximum.reduceat(after, begins - begin) - ties)[owner])
                chosen = np.empty(high - low, np.int64)
                chosen[owner[good][::-1]] = good[::-1]  # the first of each comes last, and stays
                plan[number, low:high] = chosen - (begins - begin)
            now[low:high] = now[edges.to[begins + plan[number, low:high]]]
        (there,) = np.nonzero(onwards < edges.bounds[0, number + 1])
        now[onwards[there]] = now[edges.to[edges.begins[onwards[there]]]]
    return values


@tiered_or(_backed_up_at_once, 2.0)
def backed_up(edges: Edges, final: Floats, first: int, second: int, plan: Integers) -> Floats:
    """The value of every node in every round, shape (rounds + 1, nodes); what is taken is put into `plan`.

    `final` are the values of the nodes of place 0, if the fight is over there. `first` and `second` say what each side
    takes: WORST, GIVEN or BEST. `plan`, shape (rounds, nodes), holds the number among its edges of the one that is
    taken in a node where a side chooses; for a side that has it GIVEN it is read.
    """
    rounds, starts = len(plan), len(final)
    values = np.zeros((rounds + 1, len(edges.begins) - 1))
    scale = 0.0
    for node in range(starts):
        values[rounds, node] = final[node]
        scale = max(scale, abs(final[node]))
    for number in range(rounds - 1, -1, -1):
        now = values[number]
        for node in range(starts):
            now[node] = values[number + 1, node]
        for place in range(1, len(edges.choosers)):
            chooser = edges.choosers[place]
            takes = first if chooser == 0 else second
            for node in range(edges.bounds[place, 0], edges.bounds[place, number + 1]):
                if chooser == NONE:
                    total = 0.0
                    for edge in range(edges.begins[node], edges.begins[node + 1]):
                        total += edges.weights[edge] * now[edges.to[edge]]
                    now[node] = total
                    continue
                if takes != GIVEN:
                    plan[number, node] = taken(edges, node, now, takes, _TIES * scale)
                now[node] = now[edges.to[edges.begins[node] + plan[number, node]]]
        for node in range(edges.bounds[0, number + 1]):
            if edges.begins[node] < edges.begins[node + 1]:
                now[node] = now[edges.to[edges.begins[node]]]
    return values


@step
def taken(edges: Edges, node: int, values: Floats, takes: int, ties: float) -> int:
    """The number of the best edge of a node, or the worst; of equals the first."""
    begin, end = edges.begins[node], edges.begins[node + 1]
    result = takes * values[edges.to[begin]]
    for edge in range(begin + 1, end):
        result = max(result, takes * values[edges.to[edge]])
    edge = begin
    while takes * values[edges.to[edge]] < result - ties:
        edge += 1
    return int(edge - begin)


def _spread_at_once(edges: Edges, plan: Integers) -> Floats:
    """Do :func:`spread` by whole arrays, a place at once."""
    rounds, starts = len(plan), int(edges.bounds[0, -1])
    result = np.zeros((rounds + 1, len(edges.begins) - 1))
    result[0, 0] = 1.0
    sizes = np.diff(edges.begins)
    for number in range(rounds):
        now, after = result[number], result[number + 1]
        nodes = np.arange(int(edges.bounds[0, number + 1]))
        over = sizes[nodes] == 0
        after[nodes[over]] += now[nodes[over]]
        np.add.at(now, edges.to[edges.begins[nodes[~over]]], now[nodes[~over]])
        for place in range(len(edges.choosers) - 1, 0, -1):
            low, high = int(edges.bounds[place, 0]), int(edges.bounds[place, number + 1])
            nodes = low + np.flatnonzero(now[low:high])
            if edges.choosers[place] != NONE:
                to, more = edges.to[edges.begins[nodes] + plan[number, nodes]], now[nodes]
            else:
                counts = sizes[nodes]
                begins = np.repeat(edges.begins[nodes] - np.cumsum(counts) + counts, counts)
                at = begins + np.arange(len(begins))
                to, more = edges.to[at], np.repeat(now[nodes], counts) * edges.weights[at]
            ends = to < starts
            np.add.at(after, to[ends], more[ends])
            np.add.at(now, to[~ends], more[~ends])
    return result


@tiered_or(_spread_at_once, 2.0)
def spread(edges: Edges, plan: Integers) -> Floats:
    """Return the probability of each node in each round under a plan, from node 0 on; shape (rounds + 1, nodes).

    A finished fight stays at its node.
    """
    rounds, starts = len(plan), edges.bounds[0, -1]
    result = np.zeros((rounds + 1, len(edges.begins) - 1))
    result[0, 0] = 1.0
    for number in range(rounds):
        now, after = result[number], result[number + 1]
        for node in range(edges.bounds[0, number + 1]):
            if edges.begins[node] == edges.begins[node + 1]:
                after[node] += now[node]
            else:
                now[edges.to[edges.begins[node]]] += now[node]
        for place in range(len(edges.choosers) - 1, 0, -1):
            chosen = edges.choosers[place] != NONE
            for node in range(edges.bounds[place, 0], edges.bounds[place, number + 1]):
                share = now[node]
                if share == 0.0:
                    continue
                begin, end = edges.begins[node], edges.begins[node + 1]
                if chosen:
                    begin += plan[number, node]
                    end = begin + 1
                for edge in range(begin, end):
                    to = edges.to[edge]
                    more = share if chosen else share * edges.weights[edge]
                    if to < starts:
                        after[to] += more
                    else:
                        now[to] += more
    return result
