"""A division turn by turn: units rout, rally, are lost, until its morale collapses (GT-6, GT-8).

A state is an integer: whether the division has collapsed as its lowest digit, then the condition of each unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Extent, Phase, Recorded, States, Transition, bernoulli, sided
from analyser.morale.games.grande_tactique import rules
from analyser.morale.games.grande_tactique.question import Division, Question
from analyser.morale.panels import Cells, Curves, Panel
from analyser.morale.tables import Mean, Table, Weights, by_turn, by_unit_and_turn

STANDING, ROUTED, LOST = range(3)
_CONDITION_OF = {"standing": STANDING, "routed": ROUTED, "destroyed": LOST}


def _base(division: Division) -> int:
    """How many conditions a unit can have: LOST only where units can be lost."""
    return 3 if any(unit.lost or unit.state == "destroyed" for unit in division.units) else 2


def _places(division: Division) -> NDArray[np.int64]:
    """What one condition more of each unit adds to the state."""
    return 2 * _base(division) ** np.arange(len(division.units))


def conditions(division: Division, states: States) -> NDArray[np.int64]:
    """The condition of each unit: shape (…, units)."""
    return np.asarray(states[..., np.newaxis] // _places(division) % _base(division))


def collapsed(division: Division, states: States) -> States:
    """The states in which the division has collapsed, if too few of its units stand (GT-8)."""
    standing = (conditions(division, states) == STANDING).sum(axis=-1)
    return np.asarray(states | rules.has_collapsed(standing, len(division.units) - standing))


def _befall(division: Division, unit: int, condition: int) -> Transition:
    """What may befall a unit: it stands and routs, or it is routed and is lost."""
    place, base = int(_places(division)[unit]), _base(division)

    def targets(states: States) -> States:
        concerned, after = states // place % base == condition, states.copy()
        after[concerned] = collapsed(division, states[concerned] + place)
        return np.column_stack([states, after])

    return targets


def _rally(division: Division, pips: NDArray[np.int64]) -> Transition:
    """Routed units rally in order, as far as PIPs go and the division has not collapsed (GT-6, GT-8)."""

    def targets(states: States) -> States:
        after = np.repeat(states[:, np.newaxis], len(pips), axis=1)
        left = np.maximum(np.broadcast_to(pips, after.shape) - division.pips_elsewhere, 0)
        routed = conditions(division, states) == ROUTED
        for unit, place in enumerate(_places(division) if division.rally else ()):
            rallies = routed[:, unit, np.newaxis] & rules.rallies(left, states[:, np.newaxis] % 2)
            left = left - rules.RALLY_COST * rallies
            after -= place * rallies
        return after

    return targets


def chain(division: Division, question: Question) -> Chain:
    """Turns: PIPs rally, those left in rout may be lost, those who stand may rout; then the state is recorded."""
    ruleset, base, count = question.ruleset, _base(division), len(division.units)
    die = sided(ruleset.pip_sides)
    turn = [Phase(_rally(division, np.arange(ruleset.pip_dice * die.highest + 1)), die, ruleset.pip_dice)]
    for condition, key in ((ROUTED, "lost"), (STANDING, "rout")):
        for number, unit in enumerate(division.units):
            if probability := getattr(unit, key):
                turn.append(Phase(_befall(division, number, condition), bernoulli(probability), 1))
    start = np.array([_CONDITION_OF[unit.state] for unit in division.units]) @ _places(division)
    each, less = ("standing, in rout or lost", ", or none lost") if base > LOST else ("standing or in rout", "")
    extent = Extent(f"a division of {count} units, each {each}", f"fewer units{less}")
    phases = (*turn, RECORD) * (division.turns or ruleset.turns)
    return Chain(int(collapsed(division, np.array(start))), phases, 2 * base**count, extent)


def division_probabilities(
    standing: NDArray[np.int64], lost: NDArray[np.int64], corps: int, states: States, weights: Weights
) -> dict[str, Weights]:
    """What a division has come to, whose states have the collapse as their lowest digit (GT-8)."""
    return {
        "p_collapsed": weights @ (states % 2),
        "p_corps_halted": weights @ rules.is_halted(lost, corps),
        "p_all_gone": weights @ (standing == 0),
    }


def tables(division: Division, _: Question, recorded: Recorded) -> dict[str, Table]:
    """`division`: collapse by turn; `units`: each unit by turn; `standing`: how many stand, by turn."""
    states, weights = recorded
    now, count = conditions(division, states), len(division.units)
    standing, lost = (now == STANDING).sum(axis=1), (now == LOST).sum(axis=1)
    probabilities = division_probabilities(standing, lost, division.corps_units or count, states, weights)
    of_units = {f"p_{name}": weights @ (now == each) for each, name in enumerate(("standing", "routed", "lost"))}
    turns = [*range(1, weights.shape[0] + 1)]
    return {
        "division": Table({"turn": turns}, probabilities, {"mean_standing": Mean.of(weights, standing)}),
        "units": by_unit_and_turn(of_units),
        "standing": by_turn(weights, standing, count),
    }


def panels(_: Division, __: Question) -> Iterator[Panel]:
    """The division, and how many units stand."""
    yield Curves("division", "Division", "turn", {"p_collapsed": "collapsed", "p_corps_halted": "corps halted"})
    yield Cells("standing", "Units standing", "turn", "units")


def applied(division: Division, question: Question) -> Mapping[str, bool]:
    """The rules of a division, and whether each can have its occasion."""
    return {
        "GT-6 rally": division.rally and bool(rules.rallies(question.ruleset.most_pips - division.pips_elsewhere, 0)),
        "GT-8 collapse, a corps that has lost half its units": True,
    }
