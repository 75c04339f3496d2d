"""Grande Tactique: infantry worn down by fire, its morale check, flight and rally (GT-2, GT-3, GT-5, GT-6).

A state is ``models * conditions + condition``. A condition is the number of flights made, and eager, shaken or routed:
``flights made * 3 + status``; then comes gone. Rallying does not move a unit back: what it has fled stays fled.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Die, ExtraDie, Phase, States, sided
from analyser.morale.compare.nerve import check_targets, standing_for
from analyser.morale.compare.question import Question
from analyser.morale.compare.stream import GONE, ROUTED, SHAKEN, STEADY, Rounds
from analyser.morale.grande_tactique import rules

IN_ROUT = rules.FLEEING  # the status that follows eager and shaken
STATUSES = IN_ROUT + 1


class Unit(NamedTuple):
    """The unit as whole numbers."""

    models: int
    target: int
    worn_down: int
    rallied: int
    elsewhere: int  # PIPs
    flights: int  # after which it is off the map; 1 where they need not be counted
    far: int
    gone: int


def equivalents(question: Question) -> dict[str, str]:
    """What stands for the unit's nerve."""
    section = question.grande_tactique
    return {
        "morale check": f"{target(question)}+ on a die of {check_sides(question)}",
        "worn down": f"by {section.worn_down} or more lost",
        "first worn down": "shaken",
        "rallied": f"{section.rallied} again, where it has fled to",
    }


def target(question: Question) -> int:
    """The target of the morale check that is stated, or stands for the nerve."""
    if question.grande_tactique.check_target is not None:
        return question.grande_tactique.check_target
    return standing_for(question.nerve, check_targets(check_sides(question)), question)


def check_sides(question: Question) -> int:
    """The die of the morale check, whether its target is stated or stands for the nerve."""
    return question.grande_tactique.check_sides or question.ruleset.check_sides


def unit_of(question: Question) -> Unit:
    """The unit of a question as whole numbers."""
    section, most = question.grande_tactique, question.rounds_played + 1
    flights, far = 1, 1
    if question.edge_distance is not None:
        flights = max(math.ceil(question.edge_distance / rules.INFANTRY_FLIGHT), 1)
        flights, far = (flights, 0) if flights <= most else (1, 1)
    gone = flights * STATUSES
    rallied = rules.SHAKEN if section.rallied == "shaken" else rules.EAGER
    return Unit(
        question.models, target(question), section.worn_down, rallied, section.pips_elsewhere, flights, far, gone
    )


def warnings(question: Question) -> tuple[str, ...]:
    """A stated target that every throw of the die reaches, or none."""
    stated, sides = question.grande_tactique.check_target, check_sides(question)
    if stated is None or 1 < stated <= sides:
        return ()
    always = "always passed" if stated <= 1 else "never passed"
    return (f"grande_tactique.check_target {stated} on a die of {sides} is {always}: see check_sides",)


@step
def flight(unit: Unit, condition: int) -> int:
    """The condition after one more flight (GT-5, GT-6)."""
    if unit.far:
        return IN_ROUT
    flights = condition // STATUSES + 1
    return unit.gone if flights >= unit.flights else flights * STATUSES + IN_ROUT


@step
def under_fire(unit: Unit, condition: int, losses: int, rolled: int) -> int:
    """The condition after an attack: worn down, the eager are shaken, the shaken check their morale (GT-2)."""
    status = condition % STATUSES
    if condition == unit.gone or status == IN_ROUT or losses < unit.worn_down:
        return condition
    if rules.response(rules.INFANTRY, status == rules.SHAKEN, rules.WORN_DOWN) == rules.IS_SHAKEN:
        return condition - status + rules.SHAKEN
    return condition if rules.passes_check(rolled, 0, unit.target) else flight(unit, condition)


@step
def in_pip_phase(unit: Unit, condition: int, pips: int) -> int:
    """The condition after a PIP phase: a routed unit rallies or flees again (GT-6)."""
    if condition == unit.gone or condition % STATUSES != IN_ROUT:
        return condition
    if rules.rallies(pips - unit.elsewhere, 0):
        return condition - IN_ROUT + unit.rallied
    return flight(unit, condition)


@kernel
def tabulated(unit: Unit, most_losses: int, totals: int, states: States) -> States:
    """The states after an attack or, for `most_losses` -1, after a PIP phase: shape (states, totals)."""
    own = unit.gone + 1
    after = np.empty((len(states), totals), np.int64)
    for row, state in enumerate(states):
        models, condition = state // own, state % own
        for total in range(totals):
            lost = 0
            if most_losses < 0:
                then = in_pip_phase(unit, condition, total)
            else:
                lost = min(total % (most_losses + 1), models)
                then = under_fire(unit, condition, lost, total // (most_losses + 1))
            after[row, total] = (models - lost) * own + then
    return after


def rounds(question: Question) -> Rounds:
    """A PIP phase, then the attacks, each with the die of its check."""
    unit, ruleset = unit_of(question), question.ruleset.grande_tactique
    check, pip = sided(check_sides(question)), sided(ruleset.pip_sides)
    pips = Phase(partial(tabulated, unit, -1, ruleset.pip_dice * pip.highest + 1), pip, ruleset.pip_dice)

    def attack(law: tuple[float, ...]) -> tuple[Phase, ...]:
        after = partial(tabulated, unit, len(law) - 1, len(law) * (check.highest + 1))
        return (Phase(after, Die(law), 1, (ExtraDie(check, len(law)),)),)

    own = unit.gone + 1
    return Rounds(unit.models * own, (unit.models + 1) * own, attack, before=(pips,))


def fate_of_states(question: Question, states: States) -> NDArray[np.int64]:
    """What each of some states is called in the comparison."""
    unit = unit_of(question)
    own = unit.gone + 1
    condition = states % own
    status = condition % STATUSES
    fate = np.select([status == rules.EAGER, status == rules.SHAKEN], [STEADY, SHAKEN], ROUTED)
    return np.where((states // own == 0) | (condition == unit.gone), GONE, fate)
