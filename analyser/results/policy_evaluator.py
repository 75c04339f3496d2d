"""Decisions of a policy in lines for a side of a solved duel: conditions that hold, and edges taken."""

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
from analyser.scenarios.best import Chooser, Option

if TYPE_CHECKING:
    from analyser.results.duel_solution import Place, Play


class Lines(NamedTuple):
    """A list of lines with the defaults of a unit: re-arming and opportunity fire."""

    lines: tuple[Line, ...]
    rearms: bool
    reaction: int


class Meant(NamedTuple):
    """A line with its choices resolved for a unit."""

    line: Line
    fired: int  # value of the column SALVO
    stop: int  # value of the column STOP
    strike: int  # strike whose range and sight its conditions use


class Decider:
    """Decisions of a list of lines at a choice of orders."""

    def __init__(self, play: Play, place: Place, listed: Lines) -> None:
        self.play, self.place, self.listed = play, place, listed
        self.nodes = play.game.nodes_of(place.place)
        self.first, self.second = play.game.first[self.nodes], play.game.second[self.nodes]
        chooser = play.chooser_at(place.side)
        self.units = (self.first, self.second) if place.side == 0 else (self.second, self.first)
        self.orders = [self._meant(line, chooser) for line in (*listed.lines, LAST_RESORT)]
        self.options = np.array(
            [(way.manoeuvre, way.action, _number_of(way, chooser), way.stop) for way in chooser.options], np.int64
        )
        self._views: dict[int, NDArray[np.int64]] = {}
        self._held: dict[tuple[Condition, int, int], NDArray[np.bool_]] = {}

    def _meant(self, line: Line, chooser: Chooser) -> Meant:
        charges = line.manoeuvre == Manoeuvre.CHARGE
        salvo = chooser.salvo_called("" if charges else line.row)
        fired = chooser.charge_called(line.row) if charges else salvo
        return Meant(line, fired, chooser.stop_of(line, salvo), self.play.strike_of(self.place, salvo))

    @property
    def looks_at_rounds(self) -> bool:
        """True if its decisions depend on the round."""
        return any(condition.quantity.startswith("round") for line, *_ in self.orders for condition in line.conditions)

    def edges(self, number: int) -> NDArray[np.int64]:
        """Return the number of the edge taken in each node in a round, from 0."""
        count = len(self.first)
        decisions, strikes, open_yet = (
            np.zeros((count, len(COLUMNS)), np.int64),
            np.full(count, NONE),
            np.ones(count, np.bool_),
        )
        for line, fired, stop, strike in self.orders:
            holds = open_yet.copy()
            for condition in all_conditions(line):
                holds &= self.holds(condition, strike, number)
                if not holds.any():
                    break
            decisions[holds] = (line.manoeuvre, line.action, fired, stop)
            strikes[holds] = strike
            open_yet &= ~holds
        result = np.zeros(count, np.int64)
        for strike in np.unique(strikes).tolist():
            result = np.where(strikes == strike, self._taken(strike, decisions), result)
        return result

    def _taken(self, strike: int, decisions: NDArray[np.int64]) -> NDArray[np.int64]:
        edges = self.play.game.edges
        return np.asarray(
            edge_numbers(
                self.play.setup,
                (int(Kind.GIVE_ORDERS), self.place.side, strike),
                self.listed.rearms,
                self.options,
                decisions,
                self.first,
                self.second,
                edges.begins[self.nodes.start : self.nodes.stop + 1],
                edges.weights,
            )
        )

    def _view(self, strike: int) -> NDArray[np.int64]:
        if strike not in self._views:
            operation = (int(Kind.GIVE_ORDERS), self.place.side, strike)
            self._views[strike] = views_of(self.play.setup, operation, self.first, self.second)
        return self._views[strike]

    def holds(self, condition: Condition, strike: int, number: int) -> NDArray[np.bool_]:
        """Return True for the nodes where a condition holds in a round, for a unit that would shoot with `strike`."""
        key = condition, strike, number if condition.quantity.startswith("round") else NONE
        if key not in self._held:
            self._held[key] = self._holds(*key)
        return self._held[key]

    def _holds(self, condition: Condition, strike: int, number: int) -> NDArray[np.bool_]:
        quantity = condition.quantity
        if quantity in QUANTITIES:
            result = _COMPARED[condition.comparison](self._number(quantity, strike, number), condition.value)
        elif quantity in _IN_VIEW:
            result = self._view(strike)[:, _IN_VIEW[quantity]] != 0
        else:
            enemy = quantity.startswith("enemy ")
            result = flag(self.units[enemy], quantity.removeprefix("enemy ").replace(" ", "_"))
        return np.asarray(result != condition.negated)

    def _number(self, quantity: str, strike: int, number: int) -> NDArray[Any]:
        if quantity == "distance":  # no distance counts as 0
            distance = self._view(strike)[:, View._fields.index("distance")]
            return np.where(distance == NONE, 0, distance) / INCH
        if quantity.startswith("round"):
            left = self.play.game.rounds - number - 1
            return np.full(len(self.first), number + 1 if quantity == "round" else left)
        read = models_left if quantity.endswith("models") else damage
        return read(self.units[quantity.startswith("enemy ")])


_IN_VIEW = {
    "rally failed": View._fields.index("rally_failed"),
    "in building": View._fields.index("in_building"),
    "in range": View._fields.index("in_range"),
    "in short range": View._fields.index("in_short_range"),
    "within reach": View._fields.index("can_charge"),
}
_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    "==": np.equal,
    ">=": np.greater_equal,
    ">": np.greater,
}


def _number_of(option: Option, chooser: Chooser) -> int:
    """Return the value of the column SALVO for an option."""
    if option.charge is not None:
        return chooser.charges.index(option.charge)
    salvo = tuple(shot._replace(reforming=False) for shot in option.shots)
    return chooser.salvos.index(salvo) if salvo else NONE
