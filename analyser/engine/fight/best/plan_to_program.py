"""A plan as programs of the simulation: each round with the branches that the plan takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from analyser.common.records import Floats, Integers
from analyser.engine.fight.best.choice_program import BETWEEN_ROUNDS, ORDERS, Course
from analyser.engine.fight.best.solve import Game
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.engine.fight.simulated.choices import NOT_FOUND, Choices, pairs_known
from analyser.rules import discipline
from analyser.rules.structs import NONE


class Moment(NamedTuple):
    """The end of a part of a fight: before orders are given at a place, or with its round."""

    round: int  # number of the round, from 0
    place: int


class Followed:
    """A game in which the sides follow a plan.

    Attributes
    ----------
    programs : list of list of Operation
        The rounds, in parts.
    moments : list of Moment
        The end of each part.
    choices : Choices
        The branches by state, which the programs look up.
    """

    def __init__(self, course: Course, game: Game, plan: Integers, weights: Floats) -> None:
        choosers = game.edges.choosers
        places = (place for place in range(len(choosers) - 1, 0, -1) if choosers[place] != NONE)
        self._game, self._placed = game, _placed(course, places)
        self._takes = _taken(game, plan, weights)
        self.choices = self._choices()
        self.programs: list[list[Operation]] = []
        self.moments: list[Moment] = []
        for number in range(game.rounds):
            self._add_round(number)

    @property
    def ends(self) -> list[int]:
        """Indices of the parts that end with a round."""
        return [part for part, moment in enumerate(self.moments) if moment.place == BETWEEN_ROUNDS]

    def _choices(self) -> Choices:
        game, places = self._game, np.arange(len(self._game.edges.choosers))
        asked = [
            game.nodes_of(place) if game.edges.choosers[place] != NONE else slice(0, 0) for place in places.tolist()
        ]
        orders = [span.start + np.lexsort((game.second[span], game.first[span])) for span in asked]
        order = np.concatenate(orders)
        begins = np.concatenate([[0], np.cumsum([len(span) for span in orders])])
        columns = (begins, game.first[order], game.second[order], self._takes[:, order])
        return Choices(*(np.ascontiguousarray(column, np.int64) for column in columns))

    def _add_round(self, number: int) -> None:
        """Add the parts of a round."""
        part: list[Operation] = []
        for step in self._placed:
            if isinstance(step, Operation):
                part.append(step)
                continue
            if step.subject == ORDERS:
                self._add(part, Moment(number, step.place))
                part = []
            part += self._lines(step, number)
        self._add(part, Moment(number, BETWEEN_ROUNDS))

    def _add(self, part: list[Operation], moment: Moment) -> None:
        self.programs.append(part)
        self.moments.append(moment)

    def _lines(self, choice: _Placed, number: int) -> list[Operation]:
        """Return the lines of a choice: the branches taken in that round, and the first one."""
        nodes, lines = self._game.nodes_of(choice.place), [Operation(Kind.CHOOSE, number, choice.place)]
        for branch in np.union1d(0, self._takes[number, nodes]).tolist():
            inside = list[Operation]()
            for step in choice.branches[branch]:
                inside += [step] if isinstance(step, Operation) else self._lines(step, number)
            lines += [Operation(Kind.BRANCH, branch, len(inside)), *inside]
        return lines

    def branches(self, setup: Setup, moment: Moment, pairs: tuple[Integers, Integers, object]) -> Integers:
        """Return the branch taken in each pair of states; 0 if the fight is over."""
        first, second, _ = pairs
        indices = pairs_known(setup, self.choices, moment.place, first, second)
        assert ((first | second)[indices == NOT_FOUND] & discipline.ANNIHILATED).all(), "not in the plan"
        return np.where(indices == NOT_FOUND, 0, self.choices.branches[moment.round, indices])


def _taken(game: Game, plan: Integers, weights: Floats) -> Integers:
    """Return the branch taken in each round and node; 0 if the node is not reached or has no choice."""
    result = np.zeros_like(plan)
    chooses = game.edges.choosers[game.places] != NONE
    for number in range(game.rounds):
        (nodes,) = np.nonzero(chooses & (weights[number] > 0))
        result[number, nodes] = game.edges.weights[game.edges.begins[nodes] + plan[number, nodes]].astype(np.int64)
    return result


class _Placed(NamedTuple):
    """A choice with its place."""

    place: int
    subject: int
    branches: list[list[Operation | _Placed]]


def _placed(course: Course, places: Iterator[int]) -> list[Operation | _Placed]:
    """Return a course with the place of each choice. Places are numbered from the end, the first branch last."""
    result = list[Operation | _Placed]()
    for step in course:
        if isinstance(step, Operation):
            result.append(step)
            continue
        place = next(places)
        branches = [_placed(branch, places) for branch in reversed(step.branches)]
        result.append(_Placed(place, step.subject, branches[::-1]))
    return result
