"""A division turn by turn: units rout, rally, are lost, until its morale collapses (GT-6, GT-8).

A state is a whole number: whether the division has collapsed as its lowest digit, then the condition of each unit.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Chain, Extent, Phase, Recorded, States, bernoulli, sided, unchanged
from analyser.morale.grande_tactique import rules
from analyser.morale.grande_tactique.question import Division, Ruleset
from analyser.morale.result import Mean, Table

STANDING, ROUTED, LOST = range(3)
RALLYING = -1  # the phase of the whole division, beside those of one unit each
ROUTING, LOSING = range(2)


class Units(NamedTuple):
    """The division as whole numbers."""

    size: int
    conditions: int  # that a unit can have: LOST only where units can be lost
    rally: int
    elsewhere: int  # PIPs


def units_of(division: Division) -> Units:
    """The units of a question."""
    can_be_lost = any(unit.lost or unit.state == "destroyed" for unit in division.units)
    return Units(len(division.units), 3 if can_be_lost else 2, int(division.rally), division.pips_elsewhere)


def states_of(units: Units) -> int:
    """How many states there are."""
    return int(2 * units.conditions**units.size)


def turns_of(division: Division, ruleset: Ruleset) -> int:
    """Turns to play."""
    return division.turns or ruleset.turns


@step
def rally_in_order(units: Units, now: NDArray[np.int64], pips: int, collapsed: int) -> None:
    """Routed units rally in order, as far as PIPs go and the division has not collapsed (GT-6, GT-8)."""
    pips = max(pips - units.elsewhere, 0)
    for unit in range(units.size):
        if now[unit] == ROUTED and units.rally and rules.rallies(pips, collapsed):
            pips -= rules.RALLY_COST
            now[unit] = STANDING


@step
def befall(now: NDArray[np.int64], unit: int, event: int, happens: int) -> None:
    """What may befall one unit: it stands and routs, or it is routed and is lost."""
    if happens and now[unit] == (STANDING if event == ROUTING else ROUTED):
        now[unit] = ROUTED if event == ROUTING else LOST


@step
def collapses(units: Units, now: NDArray[np.int64], collapsed: int) -> int:
    """Whether the division's morale has collapsed, now or before (GT-8)."""
    standing = 0
    for unit in range(units.size):
        standing += now[unit] == STANDING
    return 1 if collapsed or rules.has_collapsed(standing, units.size - standing) else 0


@kernel
def tabulated(units: Units, unit: int, event: int, totals: int, states: States) -> States:
    """The states after something befell one unit or, for RALLYING, after a PIP phase: shape (states, totals)."""
    after = np.empty((len(states), totals), np.int64)
    before, now = np.zeros(units.size, np.int64), np.empty(units.size, np.int64)
    concerned = STANDING if event == ROUTING else ROUTED
    for row, state in enumerate(states):
        collapsed, digits = state % 2, state // 2
        if unit != RALLYING and digits // units.conditions**unit % units.conditions != concerned:
            after[row] = state
            continue
        for each in range(units.size):
            before[each] = digits % units.conditions
            digits //= units.conditions
        for total in range(totals):
            now[:] = before
            if unit == RALLYING:
                rally_in_order(units, now, total, collapsed)
            else:
                befall(now, unit, event, total)
            packed = 0
            for each in range(units.size - 1, -1, -1):
                packed = packed * units.conditions + now[each]
            after[row, total] = packed * 2 + collapses(units, now, collapsed)
    return after


def chain(division: Division, ruleset: Ruleset) -> Chain:
    """Turns: PIPs rally, those left in rout may be lost, those who stand may rout; then the law is recorded."""
    units = units_of(division)
    pips = sided(ruleset.pip_sides)
    rally = partial(tabulated, units, RALLYING, ROUTING, ruleset.pip_dice * pips.highest + 1)
    turn = [Phase(rally, pips, ruleset.pip_dice)]
    for event, chances in (
        (LOSING, [unit.lost for unit in division.units]), (ROUTING, [unit.rout for unit in division.units])
    ):  # fmt: skip
        turn += [
            Phase(partial(tabulated, units, unit, event, 2), bernoulli(chance), 1)
            for unit, chance in enumerate(chances)
            if chance
        ]
    turn.append(Phase(unchanged, recorded=True))
    return Chain(_start(division, units), tuple(turn) * turns_of(division, ruleset), states_of(units), _extent(units))


def _extent(units: Units) -> Extent:
    lost = units.conditions > LOST
    each = "standing, in rout or lost" if lost else "standing or in rout"
    return Extent(f"a division of {units.size} units, each {each}", f"fewer units{', or none lost' * lost}")


def _start(division: Division, units: Units) -> int:
    now = np.array([_CONDITIONS[unit.state] for unit in division.units])
    packed = int(now @ units.conditions ** np.arange(units.size))
    return packed * 2 + collapses(units, now, 0)


_CONDITIONS = {"standing": STANDING, "routed": ROUTED, "destroyed": LOST}


def tables(division: Division, ruleset: Ruleset, recorded: Recorded) -> dict[str, Table]:
    """`division`: collapse by turn; `units`: each unit by turn; `standing`: how many stand, by turn."""
    units, turns = units_of(division), turns_of(division, ruleset)
    states, laws = recorded
    conditions = states[:, np.newaxis] // 2 // units.conditions ** np.arange(units.size) % units.conditions
    standing, lost = (conditions == STANDING).sum(axis=1), (conditions == LOST).sum(axis=1)
    corps = division.corps_units or units.size
    halted = np.array([rules.is_halted(number, corps) for number in range(units.size + 1)])
    chances = {
        "p_collapsed": laws @ (states % 2),
        "p_corps_halted": laws @ halted[lost],
        "p_all_gone": laws @ (standing == 0),
    }
    by_turn = [*range(1, turns + 1)]
    numbers = laws @ (standing[:, np.newaxis] == np.arange(units.size + 1))
    of_units = {
        f"p_{name}": (laws @ (conditions == condition)).T.ravel()
        for name, condition in (("standing", STANDING), ("routed", ROUTED), ("lost", LOST))
    }
    return {
        "division": Table({"turn": by_turn}, chances, {"mean_standing": Mean.of(laws, standing)}),
        "units": Table(
            {"unit": np.repeat(range(1, units.size + 1), turns).tolist(), "turn": by_turn * units.size}, of_units, {}
        ),
        "standing": Table(
            {"turn": np.repeat(by_turn, units.size + 1).tolist(), "units": [*range(units.size + 1)] * turns},
            {"probability": numbers.ravel()}, {},
        ),
    }  # fmt: skip
