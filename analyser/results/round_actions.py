"""Actions of both sides of a duel by round, with reasons, derived from the states at each choice of orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.fight.best.choice_program import ORDERS
from analyser.engine.fight.best.plan_to_program import PartEnd
from analyser.engine.fight.program import Setup
from analyser.results.duel_solution import SIDES, Play
from analyser.results.states import JointStates, is_removed
from analyser.scenarios.duel import OrdersPoint

Deeds = dict[tuple[int, str], dict[tuple[str, str], Any]]  # weights of (action, reason) by round and side
Seen = tuple[PartEnd, JointStates]  # simulated states of both sides at a choice of orders
_Numbered = dict[tuple[int, str], dict[int, Any]]  # action and reason as one number (:data:`~.actions.REASON_FACTOR`)


def deeds_of_rounds(setup: Setup, moments: Sequence[tuple[OrdersPoint, JointStates]]) -> Deeds:
    """Return, by round and side, the weight of each ``Did`` (:mod:`analyser.engine.fight.action_reasons`) and why."""
    from analyser.engine.fight.action_reasons import packed_actions

    by_round: _Numbered = {}
    for orders, (first, second, every) in moments:
        operation = int(orders.operation.kind), int(orders.operation.side), int(orders.operation.number)
        deeds = packed_actions(setup, operation, orders.when, orders.shots, first, second)
        weights = by_round.setdefault((orders.round, SIDES[orders.operation.side]), {})
        _add(weights, deeds, every)
    return _named(by_round)


def deeds_of_play(play: Play, seen: Sequence[Seen] = ()) -> Deeds:
    """Return the actions in a duel with best play, by probability or, if `seen` is given, by simulated counts."""
    from analyser.engine.fight.action_reasons import packed_actions

    by_round: _Numbered = {}
    places = {place.place: place for place in play.places}
    followed = ((*state, play.followed.branches(play.setup, *state)) for state in seen)
    for (number, where), (first, second, every), branches in followed if seen else _given(play):
        place = places[where]
        weights = by_round.setdefault((number + 1, SIDES[place.side]), {})
        for branch in np.unique(branches).tolist():
            at = branches == branch
            operation, shots = play.order_of(place, branch)
            deeds = packed_actions(play.setup, operation, place.when, shots, first[at], second[at])
            _add(weights, deeds, every[at])
    if not seen:
        _add_over(play, by_round)
    return _named(by_round)


def _given(play: Play) -> Iterator[tuple[PartEnd, JointStates, NDArray[Any]]]:
    """Yield the states of both sides at each choice of orders, and the branch taken."""
    game = play.game
    for number, place in product(range(game.rounds), play.places):
        if place.subject == ORDERS:
            nodes = game.nodes_of(place.place)
            there = nodes.start + np.flatnonzero(play.weights[number, nodes])
            states = JointStates(game.first[there], game.second[there], play.weights[number, there])
            yield PartEnd(number, place.place), states, play.branches(number, there)


def _add_over(play: Play, by_round: _Numbered) -> None:
    """Add the rounds without actions after a duel is over."""
    from analyser.engine.fight.action_reasons import REASON_FACTOR, ActionTaken, Reason

    game = play.game
    for number in range(game.rounds):
        ended = np.diff(game.edges.begins[: game.starts + 1]) == 0
        over = np.flatnonzero(play.weights[number, : game.starts] * ended)
        for side, states in enumerate((game.first[over], game.second[over])):
            deeds = np.where(
                is_removed(states),
                ActionTaken.WAS_GONE * REASON_FACTOR + Reason.GONE,
                ActionTaken.HAD_NO_ACTIVATION * REASON_FACTOR + Reason.ENEMY_GONE,
            )
            _add(by_round[number + 1, SIDES[side]], deeds, play.weights[number, over])


def _add(weights: dict[int, Any], deeds: NDArray[Any], every: NDArray[Any]) -> None:
    """Add the weight of each action to its total."""
    from analyser.engine.fight.action_reasons import ACTED_ELSEWHEN

    for deed in np.unique(deeds).tolist():
        if deed != ACTED_ELSEWHEN:
            weights[deed] = weights.get(deed, 0) + every[deeds == deed].sum()


def _named(by_round: _Numbered) -> Deeds:
    from analyser.engine.fight.action_reasons import names_of

    return {key: {names_of(deed): by_round[key][deed] for deed in sorted(by_round[key])} for key in sorted(by_round)}
