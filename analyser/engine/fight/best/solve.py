"""Solved game of a fight in which sides choose: its graph, values and plans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from analyser.common.records import Floats, Integers
from analyser.engine.fight.best.backward_induction import Edges, backed_up, spread
from analyser.engine.fight.best.choice_program import CHOOSER, Round
from analyser.engine.fight.best.explore import PLACE, SECOND_MASK, STATE, Graph, explored
from analyser.engine.fight.program import Kind, Pair, Setup, dice_of
from analyser.game.ruleset import Rating
from analyser.rules.structs import NONE

MOST_EDGES = 24_000_000  # half a minute, and three gigabytes
_REAL_PER_ESTIMATED_EDGE = 0.2, 0.5  # typical ratio of real to estimated edges, without and with a distance
_INTERPRETED = 3.5e-5  # seconds an edge in the interpreter
_MOST_EDGES_INTERPRETED = 250_000  # edges that the interpreter tries before the kernel is compiled
_SECONDS_PER_EDGE_AND_ROUND = 4e-8  # seconds for an edge and a round, by NumPy


class Contest(NamedTuple):
    """A fight of some rounds in which sides choose, not yet solved."""

    setup: Setup
    rules: Round
    start: Pair
    rounds: int
    die: Integers  # sides of the die by face
    deck: Integers  # cards of the deck by value


@dataclass(frozen=True, eq=False)
class Game:
    """Graph of a fight of some rounds in which sides choose, sorted for backward induction.

    Attributes
    ----------
    rules : Round
    rounds : int
    first, second : ndarray of int64
        The states of side 0 and side 1 in each node; nodes are sorted by place.
    places : ndarray of int64
        The place of each node.
    edges : Edges
    """

    rules: Round
    rounds: int
    first: Integers
    second: Integers
    places: Integers
    edges: Edges

    @cached_property
    def starts(self) -> int:
        """Number of nodes between rounds, which come first; node 0 is the start of the fight."""
        return int(self.edges.bounds[0, -1])

    def nodes_of(self, place: int) -> slice:
        """Return the nodes of a place."""
        return slice(int(self.edges.bounds[place, 0]), int(self.edges.bounds[place, -1]))

    def blank_plan(self) -> Integers:
        """Return an empty plan: the edge taken in each round and node."""
        return np.zeros((self.rounds, len(self.places)), np.int64)

    def values(self, final: Floats, takes: tuple[int, int], plan: Integers) -> Floats:
        """Call :func:`~.backward_induction.backed_up`, compiled if that saves time."""
        backed_up.expect(self.rounds * len(self.edges.to) * _SECONDS_PER_EDGE_AND_ROUND)
        return np.asarray(backed_up(self.edges, final, *takes, plan))

    def spread(self, plan: Integers) -> Floats:
        """Call :func:`~.backward_induction.spread`, compiled if that saves time."""
        spread.expect(self.rounds * len(self.edges.to) * _SECONDS_PER_EDGE_AND_ROUND)
        return np.asarray(spread(self.edges, plan))

    def branches_at(self, node: int) -> Integers:
        """Return the branches that can be chosen in a node, in the order of its edges."""
        begin, end = self.edges.begins[node : node + 2]
        return self.edges.weights[begin:end].astype(np.int64)


class TooManyWaysError(Exception):
    """The graph of a fight has too many nodes."""

    def __init__(self, nodes: int) -> None:
        super().__init__(nodes)
        self.nodes = nodes


def graph_of(contest: Contest, most_edges: int, ways: float = 0.0) -> Graph:
    """Return the unsorted graph of :func:`game_of`, cut off beyond `most_edges`."""
    setup, rules = contest.setup, contest.rules
    explored.expect(ways * _REAL_PER_ESTIMATED_EDGE[int(setup.sides[0].distance != NONE)] * _INTERPRETED)
    strikes = rules.operations[:, 0] == Kind.STRIKE
    rolls = dice_of(setup, 1 + rules.operations[strikes, 2].max(initial=-1))
    pools = (np.cumsum(rolls).reshape(rolls.shape) - 1) * len(Rating)
    dice = contest.die, contest.deck
    asked = setup, rules, contest.start, contest.rounds, pools, *dice
    if not explored.pays() and most_edges > _MOST_EDGES_INTERPRETED:
        if (tried := explored(*asked, _MOST_EDGES_INTERPRETED)).edges[0] <= _MOST_EDGES_INTERPRETED:
            return Graph(*tried)
        explored.expect(most_edges * _INTERPRETED)  # larger than estimated: the interpreter would take minutes
    return Graph(*explored(*asked, most_edges))


def game_of(contest: Contest, most_edges: int = MOST_EDGES, ways: float = 0.0) -> Game:
    """Return the game of a contest; TooManyWaysError if it has more than `most_edges`.

    `ways` is an estimate of the number of edges.
    """
    rules, rounds = contest.rules, contest.rounds
    graph = graph_of(contest, most_edges, ways)
    count, edges = int(graph.nodes.length[0]), int(graph.edges[0])
    if edges > most_edges:
        raise TooManyWaysError(count)
    keys, since = graph.nodes.states[:count], graph.rounds[:count]
    places = keys >> PLACE
    order = np.argsort(places * (rounds + 1) + since, kind="stable")
    number = np.empty(count, np.int64)
    number[order] = np.arange(count)
    begins = graph.begins[:count][order]
    sizes = graph.ends[:count][order] - begins
    new_begins = np.concatenate([[0], np.cumsum(sizes)])
    moved = np.repeat(begins - new_begins[:-1], sizes) + np.arange(edges)
    keys, places, since = keys[order], places[order], since[order]
    steps = np.arange(len(rules.places))[:, None] * (rounds + 1) + np.arange(rounds + 2)[None, :]
    bounds = np.searchsorted(places * (rounds + 1) + since, steps)
    return Game(
        rules,
        rounds,
        graph.first.states[keys >> STATE & SECOND_MASK],
        graph.second.states[keys & SECOND_MASK],
        places,
        Edges(
            bounds,
            rules.places[:, CHOOSER].copy(),
            new_begins,
            number[graph.to[:edges][moved]],
            graph.weights[:edges][moved],
        ),
    )
