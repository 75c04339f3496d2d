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

from analyser.engine.chain.chain import Die, ExtraDie, Phase, States, sided
from analyser.morale.games.compare.nerve import check_targets, standing_for
from analyser.morale.games.compare.question import Question
from analyser.morale.games.compare.stream import GONE, ROUTED, SHAKEN, STEADY, Rounds
from analyser.morale.games.grande_tactique import rules
from analyser.morale.questions import Pmf

IN_ROUT = rules.FLEEING  # the status that follows eager and shaken
STATUSES = IN_ROUT + 1


class Unit(NamedTuple):
    """The unit as integers."""

    flights: int  # after which it is off the map; 1 where they need not be counted
    far: bool

    @property
    def gone(self) -> int:
        """The condition of a unit off the map: the last one."""
        return self.flights * STATUSES

    def after_flight(self, condition: States) -> States:
        """The condition after one more flight (GT-5, GT-6)."""
        if self.far:
            return np.full_like(condition, IN_ROUT)
        flights = condition // STATUSES + 1
        return np.where(flights >= self.flights, self.gone, flights * STATUSES + IN_ROUT)


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
    """The unit of a question as integers."""
    if question.edge_distance is None:
        return Unit(1, True)
    flights = max(math.ceil(question.edge_distance / rules.INFANTRY_FLIGHT), 1)
    return Unit(flights, False) if flights <= question.rounds_played + 1 else Unit(1, True)


def warnings(question: Question) -> tuple[str, ...]:
    """A stated target that every throw of the die reaches, or none."""
    stated, sides = question.grande_tactique.check_target, check_sides(question)
    if stated is None or 1 < stated <= sides:
        return ()
    always = "always passed" if stated <= 1 else "never passed"
    return (f"grande_tactique.check_target {stated} on a die of {sides} is {always}: see check_sides",)


def rounds(question: Question) -> Rounds:
    """A PIP phase, then the attacks, each with the die of its check."""
    unit, section, ruleset = unit_of(question), question.grande_tactique, question.ruleset.grande_tactique
    check, pip, own = sided(check_sides(question)), sided(ruleset.pip_sides), unit.gone + 1
    rallied = rules.SHAKEN if section.rallied == "shaken" else rules.EAGER

    def under_fire(most_losses: int, states: States) -> States:
        """Worn down, the eager are shaken, the shaken check their morale (GT-2)."""
        totals, (models, condition) = (
            np.arange((most_losses + 1) * (check.highest + 1)),
            np.divmod(states[:, None], own),
        )
        lost, rolled = np.minimum(totals % (most_losses + 1), models), totals // (most_losses + 1)
        status = condition % STATUSES
        worn_down = (condition != unit.gone) & (status != IN_ROUT) & (lost >= section.worn_down)
        passes = rules.passes_check(rolled, 0, target(question))
        checked = np.where(passes, condition, unit.after_flight(condition))
        then = np.where(status == rules.SHAKEN, checked, condition - status + rules.SHAKEN)
        return np.asarray((models - lost) * own + np.where(worn_down, then, condition))

    def pip_phase(states: States) -> States:
        """A routed unit rallies or flees again (GT-6)."""
        totals, (models, condition) = np.arange(ruleset.pip_dice * pip.highest + 1), np.divmod(states[:, None], own)
        rallies = rules.rallies(totals - section.pips_elsewhere, 0)
        then = np.where(rallies, condition - IN_ROUT + rallied, unit.after_flight(condition))
        routed = (condition != unit.gone) & (condition % STATUSES == IN_ROUT)
        return np.asarray(models * own + np.where(routed, then, condition))

    def attack(pmf: Pmf) -> tuple[Phase, ...]:
        return (Phase(partial(under_fire, len(pmf) - 1), Die(pmf), 1, (ExtraDie(check, len(pmf)),)),)

    pips = Phase(pip_phase, pip, ruleset.pip_dice)
    return Rounds(question.models * own, (question.models + 1) * own, attack, before=(pips,))


def fate_of_states(question: Question, states: States) -> NDArray[np.int64]:
    """What each of some states is called in the comparison."""
    unit = unit_of(question)
    models, condition = np.divmod(states, unit.gone + 1)
    status = condition % STATUSES
    fate = np.select([status == rules.EAGER, status == rules.SHAKEN], [STEADY, SHAKEN], ROUTED)
    return np.where((models == 0) | (condition == unit.gone), GONE, fate)
