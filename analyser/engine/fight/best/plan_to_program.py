"""Programs for simulating a plan of best play: the rounds, with the branches that the plan takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from analyser.common.kernel_records import Floats, Integers
from analyser.engine.fight.best.choice_program import BETWEEN_ROUNDS, ORDERS, Steps
from analyser.engine.fight.best.game_graph import Game
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.engine.fight.simulated.plan_lookup import NOT_FOUND, Choices, find_pairs
from analyser.rules import discipline
from analyser.rules.structs import NONE


class PartEnd(NamedTuple):
    """End of a part of a simulated fight: just before a choice of orders, or at the end of a round."""

    round: int  # number of the round, from 0
    place: int  # position of the choice in the round, or BETWEEN_ROUNDS


class PlanPrograms:
    """Programs of a fight in which both sides follow a plan of best play; each program is a part of a round."""

    def __init__(self, steps: Steps, game: Game, plan: Integers, reach: Floats) -> None:
        choosers = game.edges.choosers
        places = (place for place in range(len(choosers) - 1, 0, -1) if choosers[place] != NONE)
        self._game, self._steps = game, _with_places(steps, places)
        self._branches = _branches_taken(game, plan, reach)
        self.choices = self._choices()
        parts = [part for number in range(game.rounds) for part in self._parts_of_round(number)]
        self.programs, self.part_ends = [part for part, _ in parts], [part_end for _, part_end in parts]

    @property
    def round_ends(self) -> list[int]:
        """Indices of the parts that end at the end of a round."""
        return [part for part, part_end in enumerate(self.part_ends) if part_end.place == BETWEEN_ROUNDS]

    def _choices(self) -> Choices:
        game, places = self._game, np.arange(len(self._game.edges.choosers))
        spans = [
            game.nodes_of(place) if game.edges.choosers[place] != NONE else slice(0, 0) for place in places.tolist()
        ]
        orders = [span.start + np.lexsort((game.second[span], game.first[span])) for span in spans]
        order = np.concatenate(orders)
        begins = np.concatenate([[0], np.cumsum([len(span) for span in orders])])
        columns = (begins, game.first[order], game.second[order], self._branches[:, order])
        return Choices(*(np.ascontiguousarray(column, np.int64) for column in columns))

    def _parts_of_round(self, number: int) -> Iterator[tuple[list[Operation], PartEnd]]:
        part: list[Operation] = []
        for step in self._steps:
            if isinstance(step, Operation):
                part.append(step)
                continue
            if step.subject == ORDERS:
                yield part, PartEnd(number, step.place)
                part = []
            part += self._operations(step, number)
        yield part, PartEnd(number, BETWEEN_ROUNDS)

    def _operations(self, choice: _PlacedChoice, number: int) -> list[Operation]:
        """Return the operations of a choice: the branches that the plan takes in the round, and branch 0 (default)."""
        nodes, result = self._game.nodes_of(choice.place), [Operation(Kind.CHOOSE, number, choice.place)]
        for branch in np.union1d(0, self._branches[number, nodes]).tolist():
            inside = list[Operation]()
            for step in choice.branches[branch]:
                inside += [step] if isinstance(step, Operation) else self._operations(step, number)
            result += [Operation(Kind.BRANCH, branch, len(inside)), *inside]
        return result

    def branches(self, setup: Setup, part_end: PartEnd, pairs: tuple[Integers, Integers, object]) -> Integers:
        """Return the branch taken in each pair of states at `part_end`; 0 if the fight is over."""
        first, second, _ = pairs
        indices = find_pairs(setup, self.choices, part_end.place, first, second)
        assert ((first | second)[indices == NOT_FOUND] & discipline.ANNIHILATED).all(), "not in the plan"
        return np.where(indices == NOT_FOUND, 0, self.choices.branches[part_end.round, indices])


def _branches_taken(game: Game, plan: Integers, reach: Floats) -> Integers:
    """Return the branch taken by round and node; 0 if the node has no choice, or if its probability in `reach` is 0."""
    result = np.zeros_like(plan)
    chooses = game.edges.choosers[game.places] != NONE
    for number in range(game.rounds):
        (nodes,) = np.nonzero(chooses & (reach[number] > 0))
        result[number, nodes] = game.branches_of(game.edges.begins[nodes] + plan[number, nodes])
    return result


class _PlacedChoice(NamedTuple):
    place: int
    subject: int
    branches: list[list[Operation | _PlacedChoice]]


def _with_places(steps: Steps, places: Iterator[int]) -> list[Operation | _PlacedChoice]:
    """Return the steps with the place of each choice; places are numbered from the end, as in :func:`flatten`."""
    result = list[Operation | _PlacedChoice]()
    for step in steps:
        if isinstance(step, Operation):
            result.append(step)
            continue
        place = next(places)
        branches = [_with_places(branch, places) for branch in reversed(step.branches)]
        result.append(_PlacedChoice(place, step.subject, branches[::-1]))
    return result
