"""A division turn by turn: units rout, rally, are lost, until its morale collapses (GT-6, GT-8).

A state is an integer: whether the division has collapsed as its lowest digit, then the condition of each unit.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, States, bernoulli, sided
from analyser.morale.answers import Answer, Mean, Table, Weights, counted, rules_used, turns_of
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.question import Division, Question
from analyser.morale.pictures import Cells, Curves
from analyser.results.base import RulesUsed

STANDING, ROUTED, LOST = range(3)
_CONDITION_OF = {"standing": STANDING, "routed": ROUTED, "destroyed": LOST}
DIVISION_LINES = {"p_collapsed": "collapsed", "p_corps_halted": "corps halted"}


def _places(division: Division) -> tuple[int, NDArray[np.int64]]:
    """How many conditions a unit can have, LOST only where units can be lost; what one more of each unit adds."""
    base = 3 if any(unit.lost or unit.state == "destroyed" for unit in division.units) else 2
    return base, 2 * base ** np.arange(len(division.units))


def conditions(division: Division, states: States) -> NDArray[np.int64]:
    """The condition of each unit: shape (…, units)."""
    base, places = _places(division)
    return np.asarray(states[..., np.newaxis] // places % base)


def collapsed(division: Division, states: States) -> States:
    """The states in which the division has collapsed, if too few of its units stand (GT-8)."""
    standing = (conditions(division, states) == STANDING).sum(axis=-1)
    return np.asarray(states | gt.has_collapsed(standing, len(division.units) - standing))


def _befall(division: Division, unit: int, condition: int, states: States, _: Any) -> States:
    """What may befall a unit: it stands and routs, or it is routed and is lost."""
    base, places = _places(division)
    now = states[:, 0]
    concerned, after = now // places[unit] % base == condition, now.copy()
    after[concerned] = collapsed(division, now[concerned] + places[unit])
    return np.column_stack([now, after])


def _rally(division: Division, states: States, pips: Any) -> Any:
    """Routed units rally in order, as far as PIPs go and the division has not collapsed (GT-6, GT-8)."""
    after, left = states, np.maximum(pips - division.pips_elsewhere, 0)
    routed = conditions(division, states[:, 0]) == ROUTED
    for unit, place in enumerate(_places(division)[1] if division.rally else ()):
        rallies = routed[:, unit, np.newaxis] & gt.rallies(left, states % 2)
        left = left - gt.RALLY_COST * rallies
        after = after - place * rallies
    return after


def chain(division: Division, question: Question) -> Chain:
    """Turns: PIPs rally, those left in rout may be lost, those who stand may rout; then the state is recorded."""
    ruleset, (base, places), count = question.ruleset, _places(division), len(division.units)
    turn = [Phase(partial(_rally, division), sided(ruleset.pip_sides), ruleset.pip_dice)]
    for condition, key in ((ROUTED, "lost"), (STANDING, "rout")):
        for number, unit in enumerate(division.units):
            if probability := getattr(unit, key):
                turn.append(Phase(partial(_befall, division, number, condition), bernoulli(probability), 1))
    start = np.array([_CONDITION_OF[unit.state] for unit in division.units]) @ places
    each, less = ("standing, in rout or lost", ", or none lost") if base > LOST else ("standing or in rout", "")
    phases = (*turn, RECORD) * (division.turns or ruleset.turns)
    what = f"a division of {count} units, each {each}"
    return Chain(int(collapsed(division, start)), phases, 2 * base**count, what, f"fewer units{less}")


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


def answer(division: Division, _: Question, recorded: Recorded) -> Answer:
    """`division`: collapse by turn; `units`: each unit by turn; `standing`: how many stand, by turn."""
    states, weights = recorded
    now, count, turns = conditions(division, states), len(division.units), turns_of(weights)
    standing, lost = (now == STANDING).sum(axis=1), (now == LOST).sum(axis=1)
    probabilities = division_probabilities(standing, lost, division.corps_units or count, states, weights)
    of_units = {f"p_{name}": weights @ (now == each) for each, name in enumerate(("standing", "routed", "lost"))}
    tables = {
        "division": Table(turns, probabilities, {"mean_standing": Mean.of(weights, standing)}),
        "units": by_unit_and_turn(of_units),
        "standing": counted(turns, "units", weights, standing, count),
    }
    curves = Curves("division", "Division", "turn", DIVISION_LINES)
    return Answer(tables, [curves, Cells("standing", "Units standing", "turn", "units")])


def rules(division: Division, question: Question) -> RulesUsed:
    """The rules that the numbers come from."""
    rally = division.rally and gt.rallies(question.ruleset.most_pips - division.pips_elsewhere, 0)
    return rules_used({"GT-6 rally": rally, "GT-8 collapse, a corps that has lost half its units": True})
