"""Turn by turn: routed units of a corps, and a division until its morale collapses (GT-6 to GT-8)."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Die, Fields, Phase, Recorded, States, bernoulli, sided
from analyser.morale.answers import Answer, Mean, Part, Table, Weights, counted, rules_used, turns_of
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.question import Division, Question, Rout, RoutedUnit
from analyser.morale.pictures import Cells, Curves
from analyser.morale.questions import as_written
from analyser.results.base import RulesUsed

STANDING, ROUTED, LOST = range(3)
_CONDITION_OF = {"standing": STANDING, "routed": ROUTED, "destroyed": LOST}
DIVISION_LINES = {"p_collapsed": "collapsed", "p_corps_halted": "corps halted"}
RALLIED, DESTROYED = range(2)  # after the flights
ENDS = 2
NEVER = 1 << 20  # flights


class UnitsOfDivision(Part):
    """A state is an integer: whether the division has collapsed, the lowest digit, then the condition of each unit."""

    asked: Division

    def __init__(self, asked: Division, question: Question) -> None:
        super().__init__(asked, question)
        # LOST only where units can be lost
        self._base = 3 if any(unit.lost or unit.state == "destroyed" for unit in asked.units) else 2
        self._places = 2 * self._base ** np.arange(len(asked.units))

    def _conditions(self, states: States) -> NDArray[np.int64]:
        """The condition of each unit: shape (…, units)."""
        return np.asarray(states[..., np.newaxis] // self._places % self._base)

    def _collapsed(self, states: States) -> States:
        """The states in which the division has collapsed, if too few of its units stand (GT-8)."""
        standing = (self._conditions(states) == STANDING).sum(axis=-1)
        return np.asarray(states | gt.has_collapsed(standing, len(self.asked.units) - standing))

    def _befall(self, unit: int, condition: int, states: States, _: Any) -> States:
        """What may befall a unit: it stands and routs, or it is routed and is lost."""
        now, place = states[:, 0], self._places[unit]
        concerned, after = now // place % self._base == condition, now.copy()
        after[concerned] = self._collapsed(now[concerned] + place)
        return np.column_stack([now, after])

    def _rally(self, states: States, pips: Any) -> Any:
        """Routed units rally in order, as far as PIPs go and the division has not collapsed (GT-6, GT-8)."""
        after, left = states, np.maximum(pips - self.asked.pips_elsewhere, 0)
        routed = self._conditions(states[:, 0]) == ROUTED
        for unit, place in enumerate(self._places if self.asked.rally else ()):
            rallies = routed[:, unit, np.newaxis] & gt.rallies(left, states % 2)
            left = left - gt.RALLY_COST * rallies
            after = after - place * rallies
        return after

    def chain(self) -> Chain:
        """Turns: PIPs rally, those left in rout may be lost, those who stand may rout; then the state is recorded."""
        division, ruleset, count = self.asked, self.question.ruleset, len(self.asked.units)
        turn = [Phase(self._rally, sided(ruleset.pip_sides), ruleset.pip_dice)]
        for condition, key in ((ROUTED, "lost"), (STANDING, "rout")):
            for number, unit in enumerate(division.units):
                if probability := getattr(unit, key):
                    turn.append(Phase(partial(self._befall, number, condition), bernoulli(probability), 1))
        start = np.array([_CONDITION_OF[unit.state] for unit in division.units]) @ self._places
        phases = (*turn, RECORD) * (division.turns or ruleset.turns)
        each, less = ("standing or in rout", "fewer units")
        if self._base > LOST:
            each, less = ("standing, in rout or lost", "fewer units, or none lost")
        what = f"a division of {count} units, each {each}"
        return Chain(int(self._collapsed(start)), phases, 2 * self._base**count, what, less)

    def answer(self, recorded: Recorded) -> Answer:
        """`division`: collapse by turn; `units`: each unit by turn; `standing`: how many stand, by turn."""
        states, weights = recorded
        now, count, turns = self._conditions(states), len(self.asked.units), turns_of(weights)
        standing, lost = (now == STANDING).sum(axis=1), (now == LOST).sum(axis=1)
        probabilities = division_probabilities(standing, lost, self.asked.corps_units or count, states, weights)
        of_units = {f"p_{name}": weights @ (now == each) for each, name in enumerate(("standing", "routed", "lost"))}
        tables = {
            "division": Table(turns, probabilities, {"mean_standing": Mean.of(weights, standing)}),
            "units": by_unit_and_turn(of_units),
            "standing": counted(turns, "units", weights, standing, count),
        }
        curves = Curves("division", "Division", "turn", DIVISION_LINES)
        return Answer(tables, [curves, Cells("standing", "Units standing", "turn", "units")])

    def rules(self) -> RulesUsed:
        """The rules that the numbers come from."""
        pips = self.question.ruleset.most_pips - self.asked.pips_elsewhere
        rally = self.asked.rally and gt.rallies(pips, 0)
        return rules_used({"GT-6 rally": rally, "GT-8 collapse, a corps that has lost half its units": True})


def division_probabilities(
    standing: NDArray[np.int64], lost: NDArray[np.int64], corps: int, states: States, weights: Weights
) -> dict[str, Weights]:
    """What a division has come to, whose states have the collapse as their lowest digit (GT-8)."""
    return {
        "p_collapsed": weights @ (states % 2),
        "p_corps_halted": weights @ gt.is_halted(lost, corps),
        "p_all_gone": weights @ (standing == 0),
    }


def by_unit_and_turn(probabilities: dict[str, Weights], turn: str = "turn", **more: list[Any]) -> Table:
    """Probabilities of each unit in each turn, arrays of shape (turns, units); further keys have one value a unit."""
    turns, units = next(iter(probabilities.values())).shape
    columns = {name: each.T for name, each in probabilities.items()}
    return Table.crossed({"unit": range(1, units + 1), **more}, {turn: range(1, turns + 1)}, columns)


class Unit(NamedTuple):
    """A routed unit as integers."""

    to_edge: int  # flights until it is off the map
    to_shelter: int  # and until it is in woods or a built-up area
    flights: int  # how many numbers of flights are distinguished

    def after_flight(self, flights: Any) -> Any:
        """The condition after one more flight; woods on the way come before the edge (GT-5, GT-6)."""
        last = np.minimum(flights + 1, self.flights - 1)
        return np.where(flights + 1 >= self.to_edge, self.flights + DESTROYED, last)


def unit_of(unit: RoutedUnit, most: int) -> Unit:
    """A unit as integers, where no more than so many flights can come."""

    def flights_over(length: Fraction) -> int:
        return max(math.ceil(length / gt.flight_distance(gt.ARMS[unit.arm], 0)), 1)

    edge = None if unit.edge_distance is None else as_written(unit.edge_distance)
    to_edge, to_shelter = NEVER if edge is None else flights_over(edge), 0 if unit.in_shelter else NEVER
    if unit.shelter_distance is not None and not unit.in_shelter:
        shelter = as_written(unit.shelter_distance)
        if flights_over(shelter) <= min(most, to_edge):  # if it is not off the map before
            to_shelter = flights_over(shelter)
            # the flight into shelter goes no further than the shelter (GT-5)
            to_edge = NEVER if edge is None else to_shelter + flights_over(edge - shelter)
    if to_edge <= most:
        return Unit(to_edge, to_shelter, to_edge)
    return Unit(NEVER, to_shelter, to_shelter + 2 if to_shelter < NEVER else 1)


class UnitsInRout(Part):
    """A state is the conditions of all units as one integer, the first unit as the lowest field.

    A condition is the number of flights since the first, or one of two that come after those: rallied, destroyed.
    """

    asked: Rout

    def __init__(self, asked: Rout, question: Question) -> None:
        super().__init__(asked, question)
        self._turns = asked.turns or question.ruleset.turns
        most = 2 * self._turns  # flights: one for want of PIPs and one for a charge, each turn
        self.units = {f"unit_{number}": unit_of(unit, most) for number, unit in enumerate(asked.units, start=1)}
        self.fields = Fields({name: self.units[name].flights + ENDS for name in reversed(self.units)})
        self._charges = asked.charged_by_cavalry, asked.charged_by_infantry
        self._collapsed = asked.standing is not None and bool(gt.has_collapsed(asked.standing, len(asked.units)))

    def _pip_phase(self, states: Any, pips: Any) -> Any:
        """Units rally in order as far as PIPs go, the others flee again, but for those in shelter (GT-6)."""
        after, left = states, np.maximum(pips - self.asked.pips_elsewhere, 0)
        for name, unit in self.units.items():
            now = self.fields.get(name, states)
            rallies = (now < unit.flights) & gt.rallies(left, self._collapsed)
            left = left - gt.RALLY_COST * rallies
            stays = (now >= unit.flights) | (now == unit.to_shelter)
            then = np.where(rallies, unit.flights + RALLIED, np.where(stays, now, unit.after_flight(now)))
            after = self.fields.put(after, **{name: then})
        return after

    def _charged(self, name: str, states: Any, enemy: Any) -> Any:
        """No charge, one by cavalry, or by infantry: no dice (GT-7); infantry can charge it out of shelter (GT-6)."""
        unit, now = self.units[name], self.fields.get(name, states)
        dies, flees = unit.flights + DESTROYED, unit.after_flight(now)
        ends = [np.where(gt.dies_charged_in_rout(each), dies, flees) for each in (gt.CAVALRY, gt.INFANTRY)]
        then = np.where(now < unit.flights, np.choose(enemy, [now, *ends]), now)
        return self.fields.put(states, **{name: then})

    def chain(self) -> Chain:
        """Turns of a PIP phase and the charges after it; the state at the end of each is recorded."""
        ruleset, charge = self.question.ruleset, Die((1.0 - sum(self._charges), *self._charges))
        turn = [Phase(self._pip_phase, sided(ruleset.pip_sides), ruleset.pip_dice)]
        turn += [Phase(partial(self._charged, name), charge, 1) for name in self.units] if any(self._charges) else []
        flights = max(unit.flights for unit in self.units.values())
        what = f"{len(self.units)} units in rout, each by its flights (up to {flights}), rallied or destroyed"
        less = "fewer units, nearer edges, or no edge_distance"
        return Chain(0, (*turn, RECORD) * self._turns, self.fields.size, what, less)

    def answer(self, recorded: Recorded) -> Answer:
        """`rout`: each unit by turn; `time_in_rout`: when its rout ended, and how; `still_routed`: how many at once."""
        states, weights = recorded
        of_units = [self.fields.get(name, states) - unit.flights for name, unit in self.units.items()]
        beyond = np.stack(of_units, axis=1)  # the flights
        rallied, routed, destroyed = (weights @ now for now in (beyond == RALLIED, beyond < 0, beyond == DESTROYED))
        then = {"p_rallied_then": rallied, "p_destroyed_then": destroyed}
        ended = {name: np.diff(each, axis=0, prepend=0) for name, each in then.items()}
        ends = sum(ended.values())
        ends[-1] += routed[-1]  # still routed: all the turns there were
        mean, numbers = Mean.of(ends.T, np.arange(1, len(ends) + 1)), range(1, len(self.units) + 1)
        tables = {
            "rout": by_unit_and_turn({"p_rallied": rallied, "p_routed": routed, "p_destroyed": destroyed}),
            "time_in_rout": by_unit_and_turn(ended, turn="turns"),
            "turns_in_rout": Table({"unit": numbers}, means={"mean_turns": mean}),
            "still_routed": counted(turns_of(weights), "units", weights, (beyond < 0).sum(axis=1), len(self.units)),
        }
        lines = {"p_rallied": "rallied", "p_routed": "routed", "p_destroyed": "destroyed"}
        panels = [Curves("rout", f"Routed unit {number}", "turn", lines, {"unit": number}) for number in numbers]
        return Answer(tables, panels)

    def rules(self) -> RulesUsed:
        """The rules that the numbers come from, and what has no effect."""
        units, pips = self.asked.units, self.question.ruleset.most_pips - self.asked.pips_elsewhere
        sheltered = [unit.shelter_distance is not None for unit in units]
        applied = {
            "GT-5 shelter": any(sheltered),
            "GT-5 the map edge": any(unit.edge_distance is not None for unit in units),
            "GT-6 flight again": True,
            "GT-6 rally": not self._collapsed and gt.rallies(pips, 0),
            "GT-7 charges against routed units": sum(self._charges) > 0,
            "GT-8 collapse forbids rallying": self._collapsed,
        }
        useless = "shelter_distance has no effect: the unit is in shelter already"
        in_shelter = [unit.in_shelter and woods for unit, woods in zip(units, sheltered)]
        warnings = {f"rout.units.{number}.{useless}": each for number, each in enumerate(in_shelter)}
        return rules_used(applied, {}, warnings)
