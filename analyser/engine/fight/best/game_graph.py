"""Game: the sorted graph of a fight in which sides choose, and methods to compute values and plans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from analyser.common.kernel_records import Floats, Integers
from analyser.engine.fight.best.backward_induction import Edges, backward_values, node_probabilities
from analyser.engine.fight.best.choice_program import CHOOSER, FlatRound
from analyser.engine.fight.best.explore import (
    BEGIN,
    END,
    PLACE_BIT,
    ROUND,
    SECOND_MASK,
    STATE_BIT,
    Graph,
    explore_graph,
)
from analyser.engine.fight.program import Pair, Setup, first_pools
from analyser.rules.structs import NONE

MOST_EDGES = 24_000_000  # a graph with this many edges takes half a minute and three gigabytes
_REAL_PER_ESTIMATED_EDGE = 0.2, 0.5  # typical ratio of real to estimated edges, without and with a distance
_SECONDS_PER_EDGE = 3.5e-5
_MOST_EDGES_INTERPRETED = 250_000  # most edges that the interpreter computes; larger graphs need the compiled kernel


class GameInput(NamedTuple):
    """A fight in which sides choose: the input of its game."""

    setup: Setup
    rules: FlatRound
    start: Pair
    rounds: int
    die: Integers  # number of sides of the die by face
    deck: Integers  # number of cards by value


@dataclass(frozen=True, eq=False)
class Game:
    """Graph of a fight in which sides choose; nodes are sorted by place, then by the first round that reaches them."""

    rules: FlatRound
    rounds: int
    first: Integers  # (nodes,): states of side 0
    second: Integers  # (nodes,): states of side 1
    places: Integers  # (nodes,): place of each node, an index of `rules.places`
    edges: Edges

    @cached_property
    def starts(self) -> int:
        """Number of nodes between rounds; they come first, and node 0 is the start of the fight."""
        return int(self.edges.bounds[0, -1])

    def nodes_of(self, place: int) -> slice:
        """Return the nodes of a place."""
        return slice(int(self.edges.bounds[place, 0]), int(self.edges.bounds[place, -1]))

    def blank_plan(self) -> Integers:
        """Return a plan that takes the first edge of each node in each round."""
        return np.zeros((self.rounds, len(self.places)), np.int64)

    def values(self, final: Floats, choices: tuple[int, int], plan: Integers) -> Floats:
        """Call :func:`~.backward_induction.backward_values`; `choices` are its `first` and `second`."""
        return backward_values(self.edges, final, *choices, plan)

    def node_probabilities(self, plan: Integers) -> Floats:
        """Call :func:`~.backward_induction.node_probabilities`."""
        return node_probabilities(self.edges, plan)

    def branches_at(self, node: int) -> Integers:
        """Return the branches that can be chosen in a node, in the order of the node's edges."""
        begin, end = self.edges.begins[node : node + 2]
        return self.branches_of(slice(begin, end))

    def branches_of(self, choice_edges: Integers | slice) -> Integers:
        """Return the branches of edges at choices; the weight of such an edge is the number of its branch."""
        return self.edges.weights[choice_edges].astype(np.int64)


class TooManyNodesError(Exception):
    """Error for a fight whose graph has too many edges; `nodes` is the number of nodes so far."""

    def __init__(self, nodes: int) -> None:
        super().__init__(nodes)
        self.nodes = nodes


def graph_of(game_input: GameInput, most_edges: int, estimated_edges: float = 0.0) -> Graph:
    """Return the unsorted graph of a fight; a graph with more than `most_edges` edges is incomplete."""
    setup, rules = game_input.setup, game_input.rules
    share = _REAL_PER_ESTIMATED_EDGE[int(setup.sides[0].distance != NONE)]
    explore_graph.compile_for(estimated_edges * share * _SECONDS_PER_EDGE)
    pools = first_pools(setup, rules.operations)
    arguments = setup, rules, game_input.start, game_input.rounds, pools, game_input.die, game_input.deck
    if not explore_graph.compiling_pays() and most_edges > _MOST_EDGES_INTERPRETED:
        if (graph := explore_graph(*arguments, _MOST_EDGES_INTERPRETED)).edges[0] <= _MOST_EDGES_INTERPRETED:
            return Graph(*graph)
        explore_graph.compile_for(most_edges * _SECONDS_PER_EDGE)  # the graph is larger than estimated
    return Graph(*explore_graph(*arguments, most_edges))


def game_of(game_input: GameInput, most_edges: int = MOST_EDGES, estimated_edges: float = 0.0) -> Game:
    """Return the game of a fight; TooManyNodesError if its graph has more than `most_edges` edges."""
    rules, rounds = game_input.rules, game_input.rounds
    graph = graph_of(game_input, most_edges, estimated_edges)
    count, edges = int(graph.nodes.length[0]), int(graph.edges[0])
    if edges > most_edges:
        raise TooManyNodesError(count)
    keys, first_rounds = graph.nodes.states[:count], graph.numbers[ROUND, :count]
    places = keys >> PLACE_BIT
    order = np.argsort(places * (rounds + 1) + first_rounds, kind="stable")
    new_number = np.empty(count, np.int64)
    new_number[order] = np.arange(count)
    begins = graph.numbers[BEGIN, order]
    sizes = graph.numbers[END, order] - begins
    new_begins = np.concatenate([[0], np.cumsum(sizes)])
    old_edges = np.repeat(begins - new_begins[:-1], sizes) + np.arange(edges)
    keys, places, first_rounds = keys[order], places[order], first_rounds[order]
    steps = np.arange(len(rules.places))[:, None] * (rounds + 1) + np.arange(rounds + 2)[None, :]
    bounds = np.searchsorted(places * (rounds + 1) + first_rounds, steps)
    return Game(
        rules,
        rounds,
        graph.first.states[keys >> STATE_BIT & SECOND_MASK],
        graph.second.states[keys & SECOND_MASK],
        places,
        Edges(
            bounds,
            rules.places[:, CHOOSER].copy(),
            new_begins,
            new_number[graph.to[:edges][old_edges]],
            graph.weights[:edges][old_edges],
        ),
    )
