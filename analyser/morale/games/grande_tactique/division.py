"""A division turn by turn: units rout, rally, are lost, until its morale collapses (GT-6, GT-8)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, States, bernoulli, sided
from analyser.morale.answers import Answer, Mean, Part, Table, Weights, counted, rules_used, turns_of
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.question import Division, Question
from analyser.morale.pictures import Cells, Curves
from analyser.results.base import RulesUsed

STANDING, ROUTED, LOST = range(3)
_CONDITION_OF = {"standing": STANDING, "routed": ROUTED, "destroyed": LOST}
LINES = {"p_collapsed": "collapsed", "p_corps_halted": "corps halted"}


class UnitsOfDivision(Part):
    """A state is an integer: whether the division has collapsed as the lowest digit, then the condition of each unit."""

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
        curves = Curves("division", "Division", "turn", LINES)
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
