"""Decisions that a policy in words makes in each situation (node) of a solved duel, as edges of the game graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.fight.best.policy_decisions import COLUMNS, edge_numbers, views_of
from analyser.engine.fight.program import Kind
from analyser.results.states import damage, flag, models_left
from analyser.rules.policies import Manoeuvre, View
from analyser.rules.policy_lines import LAST_RESORT, QUANTITIES, Condition, Line, all_conditions
from analyser.rules.structs import INCH, NONE
from analyser.scenarios.chooser import Chooser, Option

if TYPE_CHECKING:
    from analyser.results.duel_solution import ChoicePoint, SolvedDuel


class PolicyLines(NamedTuple):
    """The lines of a policy in words, with the defaults of the unit for re-arming and opportunity fire."""

    lines: tuple[Line, ...]
    rearms: bool  # True: re-arm when the row must reload
    reaction: int  # index in `Chooser.reaction_shots`; NONE: hold fire


class ResolvedLine(NamedTuple):
    """A line as a unit carries it out."""

    line: Line
    attack: int  # index of its salvo or charge (column SALVO of :mod:`.policy_decisions`)
    stop: int  # end of its move: column STOP
    strike: int  # number of the strike whose range and sight the conditions test


class PolicyDecisions:
    """Decisions of a policy in words in all nodes of one choice of orders."""

    def __init__(self, duel: SolvedDuel, point: ChoicePoint, policy: PolicyLines) -> None:
        self.duel, self.point, self.policy = duel, point, policy
        self.nodes = duel.game.nodes_of(point.place)
        self.first, self.second = duel.game.first[self.nodes], duel.game.second[self.nodes]
        chooser = duel.chooser_at(point.side)
        self.units = (self.first, self.second) if point.side == 0 else (self.second, self.first)
        self.lines = [self._resolved_line(line, chooser) for line in (*policy.lines, LAST_RESORT)]
        self.options = np.array(
            [(option.manoeuvre, option.action, _attack_of(option, chooser), option.stop) for option in chooser.options],
            np.int64,
        )
        self._views: dict[int, NDArray[np.int64]] = {}
        self._holds_by_key: dict[tuple[Condition, int, int], NDArray[np.bool_]] = {}

    def _resolved_line(self, line: Line, chooser: Chooser) -> ResolvedLine:
        charges = line.manoeuvre == Manoeuvre.CHARGE
        salvo = chooser.salvo_in_words("" if charges else line.row)
        attack = chooser.charge_in_words(line.row) if charges else salvo
        return ResolvedLine(line, attack, chooser.stop_of(line, salvo), self.duel.strike_of(self.point, salvo))

    @property
    def depends_on_round(self) -> bool:
        """True if a condition of the lines is about the round."""
        return any(condition.subject.startswith("round") for line, *_ in self.lines for condition in line.conditions)

    def edges(self, number: int) -> NDArray[np.int64]:
        """Return the edge taken in each node (its index among the edges of the node) in round `number`, from 0."""
        count = len(self.first)
        decisions, strikes = np.zeros((count, len(COLUMNS)), np.int64), np.full(count, NONE)
        undecided = np.ones(count, np.bool_)
        for line, attack, stop, strike in self.lines:
            holds = undecided.copy()
            for condition in all_conditions(line):
                holds &= self.holds(condition, strike, number)
                if not holds.any():
                    break
            decisions[holds] = (line.manoeuvre, line.action, attack, stop)
            strikes[holds] = strike
            undecided &= ~holds
        result = np.zeros(count, np.int64)
        edges, of_policy = self.duel.game.edges, (self.policy.rearms, self.options)
        of_nodes = decisions, self.first, self.second, edges.begins[self.nodes.start : self.nodes.stop + 1]
        for strike in np.unique(strikes).tolist():
            operation = self._operation(strike)
            taken = edge_numbers(self.duel.setup, operation, *of_policy, *of_nodes, edges.weights)
            result = np.where(strikes == strike, taken, result)
        return result

    def _operation(self, strike: int) -> tuple[int, int, int]:
        return int(Kind.GIVE_ORDERS), self.point.side, strike

    def _view(self, strike: int) -> NDArray[np.int64]:
        if strike not in self._views:
            self._views[strike] = views_of(self.duel.setup, self._operation(strike), self.first, self.second)
        return self._views[strike]

    def holds(self, condition: Condition, strike: int, number: int) -> NDArray[np.bool_]:
        """Return True for each node where a condition holds in a round, if the unit would shoot with `strike`."""
        quantity = condition.subject
        key = condition, strike, number if quantity.startswith("round") else NONE
        if key not in self._holds_by_key:
            if quantity in QUANTITIES:
                value = self._quantity(quantity, strike, number)
                result = _COMPARISONS[condition.comparison](value, condition.value)
            elif quantity in _VIEW_COLUMNS:
                result = self._view(strike)[:, _VIEW_COLUMNS[quantity]] != 0
            else:
                enemy = quantity.startswith("enemy ")
                result = flag(self.units[enemy], quantity.removeprefix("enemy ").replace(" ", "_"))
            self._holds_by_key[key] = np.asarray(result != condition.negated)
        return self._holds_by_key[key]

    def _quantity(self, quantity: str, strike: int, number: int) -> NDArray[Any]:
        if quantity == "distance":  # an unstated distance counts as 0
            distance = self._view(strike)[:, View._fields.index("distance")]
            return np.where(distance == NONE, 0, distance) / INCH
        if quantity.startswith("round"):
            left = self.duel.game.rounds - number - 1
            return np.full(len(self.first), number + 1 if quantity == "round" else left)
        read = models_left if quantity.endswith("models") else damage
        return read(self.units[quantity.startswith("enemy ")])


_VIEW_COLUMNS = {
    "rally failed": View._fields.index("rally_failed"),
    "in building": View._fields.index("in_building"),
    "in range": View._fields.index("in_range"),
    "in short range": View._fields.index("in_short_range"),
    "within reach": View._fields.index("can_charge"),
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    "==": np.equal,
    ">=": np.greater_equal,
    ">": np.greater,
}


def _attack_of(option: Option, chooser: Chooser) -> int:
    """Return the value of the column SALVO for an option: the number of its charge or salvo, or NONE."""
    if option.charge is not None:
        return chooser.charges.index(option.charge)
    salvo = tuple(shot._replace(reforming=False) for shot in option.shots)
    return chooser.salvos.index(salvo) if salvo else NONE
