"""Actions of both sides of a duel in each round, with reasons, from the states at each choice of orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.fight.action_reasons import (
    ACTED_ELSEWHEN,
    REASON_FACTOR,
    ActionTaken,
    Reason,
    names_of,
    packed_actions,
)
from analyser.engine.fight.best.choice_program import ORDERS
from analyser.engine.fight.best.plan_to_program import PartEnd
from analyser.engine.fight.program import Setup
from analyser.results.duel_solution import SIDES, SolvedDuel
from analyser.results.states import JointStates, is_removed
from analyser.scenarios.duel import OrdersPoint

ActionWeights = dict[tuple[int, str], dict[tuple[str, str], Any]]  # weights of (action, reason) by round and side
SimulatedOrders = tuple[PartEnd, JointStates]  # simulated states of both sides at a choice of orders
_WeightsByCode = dict[tuple[int, str], dict[int, Any]]  # like ActionWeights, with (action, reason) as one number


def actions_of_rounds(setup: Setup, moments: Sequence[tuple[OrdersPoint, JointStates]]) -> ActionWeights:
    """Return the weights of actions in a duel of simple tactics, from the states at each choice of orders."""
    by_round: _WeightsByCode = {}
    for orders, (first, second, weights) in moments:
        operation = int(orders.operation.kind), int(orders.operation.side), int(orders.operation.number)
        actions = packed_actions(setup, operation, orders.when, orders.shots, first, second)
        totals = by_round.setdefault((orders.round, SIDES[orders.operation.side]), {})
        _add_weights(totals, actions, weights)
    return _decode_actions(by_round)


def actions_of_plan(duel: SolvedDuel, simulated: Sequence[SimulatedOrders] = ()) -> ActionWeights:
    """Return the weights of actions under best play: probabilities, or counts in the `simulated` states, if any."""
    by_round: _WeightsByCode = {}
    points = {point.place: point for point in duel.choice_points}
    followed = ((*state, duel.plan_programs.branches(duel.setup, *state)) for state in simulated)
    for (number, place), (first, second, weights), branches in followed if simulated else _states_at_orders(duel):
        point = points[place]
        totals = by_round.setdefault((number + 1, SIDES[point.side]), {})
        for branch in np.unique(branches).tolist():
            taken = branches == branch
            operation, shots = duel.order_of(point, branch)
            actions = packed_actions(duel.setup, operation, point.when, shots, first[taken], second[taken])
            _add_weights(totals, actions, weights[taken])
    if not simulated:
        _add_ended_duels(duel, by_round)
    return _decode_actions(by_round)


def _states_at_orders(duel: SolvedDuel) -> Iterator[tuple[PartEnd, JointStates, NDArray[Any]]]:
    """Yield the states of both sides at each choice of orders, and the branch taken."""
    game = duel.game
    for number, point in product(range(game.rounds), duel.choice_points):
        if point.subject == ORDERS:
            nodes = game.nodes_of(point.place)
            reached = nodes.start + np.flatnonzero(duel.weights[number, nodes])
            states = JointStates(game.first[reached], game.second[reached], duel.weights[number, reached])
            yield PartEnd(number, point.place), states, duel.branches(number, reached)


def _add_ended_duels(duel: SolvedDuel, by_round: _WeightsByCode) -> None:
    """Add the weights of rounds after the end of a duel, in which a side has no action."""
    game = duel.game
    for number in range(game.rounds):
        ended = np.diff(game.edges.begins[: game.starts + 1]) == 0
        over = np.flatnonzero(duel.weights[number, : game.starts] * ended)
        for side, states in enumerate((game.first[over], game.second[over])):
            actions = np.where(
                is_removed(states),
                ActionTaken.WAS_GONE * REASON_FACTOR + Reason.GONE,
                ActionTaken.HAD_NO_ACTIVATION * REASON_FACTOR + Reason.ENEMY_GONE,
            )
            _add_weights(by_round[number + 1, SIDES[side]], actions, duel.weights[number, over])


def _add_weights(totals: dict[int, Any], actions: NDArray[Any], weights: NDArray[Any]) -> None:
    for action in np.unique(actions).tolist():
        if action != ACTED_ELSEWHEN:
            totals[action] = totals.get(action, 0) + weights[actions == action].sum()


def _decode_actions(by_round: _WeightsByCode) -> ActionWeights:
    return {
        key: {names_of(action): by_round[key][action] for action in sorted(by_round[key])} for key in sorted(by_round)
    }
