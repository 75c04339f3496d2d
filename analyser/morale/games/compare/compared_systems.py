"""A unit with the same losses under the rules of each compared system.

In a round there are attacks, then tests; then the state is recorded, and the unit acts. A state is ``models left *
number of conditions + condition``, or `gone_state`. A condition combines all that a system tracks besides models.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import tiered
from analyser.engine.chain.chain import (
    RECORD,
    Alternatives,
    Chain,
    Change,
    Die,
    ExtraDie,
    Phase,
    States,
    fair_die,
    success_die,
)
from analyser.morale.games.compare import equivalents
from analyser.morale.games.compare.question import GONE, ROUTED, SHAKEN, STEADY, Question
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.legion import rules as lg
from analyser.morale.games.legion.rules import Unit, moves_to_edge
from analyser.morale.games.mordheim import rules as md
from analyser.morale.games.warmaster import rules as wm
from analyser.morale.questions import Pmf, certain_pmf
from analyser.rules import discipline
from analyser.rules.structs import FIGHT, NONE, FightFacts, Test

FALL_BACK = 3.0  # length of a fall-back, in inches (AC-5.4)
CALM, SUPPRESSED, FELL_BACK = range(3)


class ComparedSystem:
    """A unit under the rules of a system: the system's words for fates, and its values for a nerve (`equivalents`)."""

    title: ClassVar[str]
    shaken: ClassVar[str]
    routed: ClassVar[str]
    gone: ClassVar[str]
    rules: ClassVar[str]
    conditions: int = 1  # number of conditions

    def __init__(self, question: Question) -> None:
        self.question, self.models = question, question.models
        self.equivalents: dict[str, str] = {}
        self.phases_before: tuple[Phase, ...] = ()  # in each round, before the attacks
        self.test_phases: tuple[Phase, ...] = ()
        self.phases_after: tuple[Phase, ...] = ()  # in each round, after the state has been recorded

    def _stated_or_equivalent(self, stated: int | None, scale: equivalents.PassProbabilities) -> int:
        return equivalents.equivalent_value(self.question.nerve, scale, self.question) if stated is None else stated

    @property
    def gone_state(self) -> int:
        """State of a unit that is gone although it has models left, because it broke, fled or routed."""
        return (self.models + 1) * self.conditions

    def _attack(self, pmf: Pmf) -> tuple[Phase, ...]:
        """Return the phases of an attack, from the distribution of its losses."""
        return (self.losses(pmf, lambda condition, _lost, _total: condition),)

    def _fate(self, condition: States) -> Any:
        """Return the fate of each condition, for a unit that is not gone."""
        raise NotImplementedError

    def losses(self, pmf: Pmf, change: Callable[[Any, Any, Any], Any], *extra: Die) -> Phase:
        """Return a phase of losses; `change(condition, losses, total of extra dice)` returns the next condition."""
        return Phase(self._change_after(change, len(pmf)), Die(pmf), 1, tuple(ExtraDie(die, len(pmf)) for die in extra))

    def phase(self, change: Callable[[Any, Any], Any], *dice: Any) -> Phase:
        """Return a phase that only changes the condition; `dice` are the arguments of a Phase after the first."""
        return Phase(self._change_after(lambda condition, _, total: change(condition, total)), *dice)

    def _change_after(self, change: Callable[[Any, Any, Any], Any], numbers: int = 1) -> Change:
        def next_state(states: Any, totals: Any) -> Any:
            models, condition = np.divmod(states, self.conditions)
            lost = np.minimum(totals % numbers, models)
            left = (models - lost) * self.conditions + change(condition, lost, totals // numbers)
            return np.where(states >= self.gone_state, states, left)

        return next_state

    def chain(self) -> tuple[Chain, Alternatives]:
        """Return the chain, and its phases by round, or in a duel by the models lost in a round."""
        pmfs = self.question.loss_pmfs or [certain_pmf(lost) for lost in range(self.models + 1)]
        attacks = {pmf: self._attack(pmf) * self.question.attacks for pmf in dict.fromkeys(pmfs)}
        rounds = [(*self.phases_before, *attacks[pmf], *self.test_phases, RECORD, *self.phases_after) for pmf in pmfs]
        edge = self.question.edge_distance
        what = f"{self.models} models" + ("" if edge is None else f", {edge:g} inches from their edge")
        less = "fewer models, attacks or rounds, or a nearer edge or none"
        phases = tuple(chain.from_iterable(rounds))
        return Chain(self.models * self.conditions, phases, self.gone_state + 1, what, less), rounds

    def fates(self, states: States) -> NDArray[np.int64]:
        """Return the fate of each state in the comparison."""
        models, condition = np.divmod(states, self.conditions)
        return np.where((states >= self.gone_state) | (models == 0), GONE, self._fate(condition))


class ArmouredClash(ComparedSystem):
    """Suppression tests (AC-4.5, AC-5); a condition is ``fall-backs * 3 + status``."""

    title, rules = "Armoured Clash", "AC-4.5, AC-5"
    shaken, routed, gone = "suppressed", "falling back", "broken, fled, destroyed"

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        stated, edge = question.armoured_clash, question.edge_distance
        falls, most = 1 if edge is None else math.ceil(edge / FALL_BACK), question.rounds_played * question.attacks + 1
        self.falls = min(max(falls, 1), most)  # number of possible counts of fall-backs, 0 included
        self.conditions = self.falls * 3
        limit = int(question.models * question.ruleset.break_share)
        if stated.break_limit is not None:
            limit = NONE if stated.break_limit == "none" else stated.break_limit
        value = self._stated_or_equivalent(stated.discipline, equivalents.disciplines(question))
        self.equivalents = clash_values(value, None if limit == NONE else limit)
        self._fight = np.zeros(1, FIGHT)[0]
        self._fight.discipline, self._fight.break_limit, self._fight.test = value, limit, Test.BY_CARD
        deck = question.ruleset.armoured_clash.deck.counts()
        self._card = Die(tuple(deck.tolist()), int(deck.sum()))
        self.phases_after = (self.phase(lambda condition, _: condition - condition % 3),)  # the status ends (AC-5.7)

    def _attack(self, pmf: Pmf) -> tuple[Phase, ...]:
        far = int(self.question.edge_distance is None)

        def after_attack(states: States, totals: Any) -> Any:
            fight, gone = self._fight.copy(), self.gone_state  # a copy, because the call writes into the record
            return next_states(fight, self.falls, far, gone, len(pmf), len(totals), states[:, 0])

        return (Phase(after_attack, Die(pmf), 1, (ExtraDie(self._card, len(pmf)),)),)

    def _fate(self, condition: States) -> Any:
        return np.array([STEADY, SHAKEN, ROUTED])[condition % 3]


def clash_values(discipline: int | None, break_limit: int | None) -> dict[str, str]:
    """Return the DISCIPLINE and BREAK LIMIT of a unit in Armoured Clash, as text."""
    values = {"DISCIPLINE": discipline, "BREAK LIMIT": break_limit}
    return {name: "none" if value is None else str(value) for name, value in values.items()}


@tiered(1.0)
def next_states(
    fight: FightFacts, falls_counted: int, far: int, gone: int, numbers: int, totals: int, states: States
) -> States:
    """Return the states after an attack: shape (states, totals); a total is ``card * numbers + losses``."""
    after = np.empty((len(states), totals), np.int64)
    for row, state in enumerate(states):
        before, falls, models = state % 3, state // 3 % falls_counted, state // 3 // falls_counted
        for total in range(totals):
            losses, card = min(total % numbers, models), total // numbers
            after[row, total] = state
            if state == gone or losses == 0:
                continue
            fight.models, fight.suppressed = models, int(before != CALM)
            fight.flees = int(not far and falls == falls_counted - 1)
            if card > discipline.highest_passing_card(fight, losses, 0):
                fate = discipline.outcome_if_failed(fight, losses, 0, 0)
            else:
                fate = discipline.outcome_if_passed(fight, losses, 0, 0)
            if fate & (discipline.BROKEN | discipline.FLED):
                after[row, total] = gone
                continue
            status, falls_now = before, falls
            if fate & discipline.FELL_BACK:
                status, falls_now = FELL_BACK, falls if far else falls + 1
            else:
                status = max(before, SUPPRESSED) if fate & discipline.SUPPRESSED else CALM
            left = fate & ((1 << discipline.BITS) - 1)
            after[row, total] = (left * falls_counted + falls_now) * 3 + status
    return after


class Legion(ComparedSystem):
    """Tokens for losses, rally and panic (LG-1 to LG-7); a condition is a state of the unit in `legion.rules`."""

    title, rules = "Star Wars: Legion", "LG-1 to LG-7"
    shaken, routed, gone = "suppressed", "panicked", "off the table, destroyed"

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        stated, ruleset = question.legion, question.ruleset.legion
        moves = moves_to_edge(question.edge_distance, stated.move_distance, question.rounds_played)
        courage = lg.NO_COURAGE if stated.courage == "none" else stated.courage
        if courage is None:  # 1, and 1 more for each step that the nerve reaches
            courage = 1 + sum(question.nerve >= step for step in question.ruleset.courage_steps)
        self.unit = unit = Unit(courage, courage, question.models, moves, ruleset.end_phase_tokens)
        self.conditions = unit.destroyed + 1
        self.equivalents = {
            "COURAGE": "none" if courage == lg.NO_COURAGE else str(courage),
            "tokens": "1 for a model lost",
        }

        def tokens(states: States) -> Any:
            return np.where(states >= self.conditions, unit.tokens(states % self.conditions), 0)

        rally_die = success_die(ruleset.rally_successes, ruleset.rally_sides)
        self.test_phases = self.phase(unit.rally, rally_die, tokens, (), question.models), self.phase(unit.check)
        self.phases_after = self.phase(unit.move), self.phase(unit.end)

    def _attack(self, pmf: Pmf) -> tuple[Phase, ...]:
        return (self.losses(pmf, lambda condition, lost, _total: self.unit.receive(condition, lost)),)

    def _fate(self, condition: States) -> Any:
        suppressed = lg.is_suppressed(self.unit.tokens(condition), self.unit.courage)
        panicked = self.unit.fields.get("panicked", condition) == 1
        return np.select([condition >= self.unit.off_table, panicked, suppressed], [GONE, ROUTED, SHAKEN], STEADY)


class GrandeTactique(ComparedSystem):
    """Infantry under fire; a condition is ``flights * 3 + status``, or the last condition for a unit off the map."""

    title, rules = "Grande Tactique", "GT-2, GT-3, GT-5, GT-6"
    shaken, routed, gone = "shaken", "routed", "off the map, destroyed"

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        stated, ruleset, edge = question.grande_tactique, question.ruleset.grande_tactique, question.edge_distance
        flights = question.rounds_played + 2 if edge is None else max(math.ceil(edge / gt.INFANTRY_FLIGHT), 1)
        self._far = flights > question.rounds_played + 1  # True if the edge is out of reach: flights are not counted
        self._flights = 1 if self._far else flights
        self._off_map = self._flights * 3
        self.conditions = self._off_map + 1
        sides = question.check_sides
        self._target = self._stated_or_equivalent(stated.check_target, equivalents.check_targets(sides))
        self._check = fair_die(sides)
        self.equivalents = {
            "morale check": f"{self._target}+ on a die of {sides}",
            "worn down": f"by {stated.worn_down} or more lost",
            "first worn down": "shaken",
            "rallied": "shaken again, at the end of its flight",
        }

        def after_pips(condition: Any, totals: Any) -> Any:
            """Return the condition after a routed unit has rallied or fled again (GT-6)."""
            rallied = condition - gt.FLEEING + gt.SHAKEN
            then = np.where(gt.can_rally(totals, 0), rallied, self._after_flight(condition))
            return np.where((condition != self._off_map) & (condition % 3 == gt.FLEEING), then, condition)

        self.phases_before = (self.phase(after_pips, fair_die(ruleset.pip_sides), ruleset.pip_dice),)

    def _after_flight(self, condition: Any) -> Any:
        """Return the condition after one more flight (GT-5, GT-6)."""
        flights = 0 if self._far else condition // 3 + 1
        fled = flights * 3 + gt.FLEEING + 0 * condition
        return np.where(flights >= self._flights, self._off_map, fled)

    def _attack(self, pmf: Pmf) -> tuple[Phase, ...]:
        """Return the phase of losses; a worn-down unit becomes shaken or, if already shaken, checks morale (GT-2)."""

        def after_losses(condition: Any, lost: Any, rolled: Any) -> Any:
            status = condition % 3
            worn_down = (condition != self._off_map) & (status != gt.FLEEING)
            worn_down = worn_down & (lost >= self.question.grande_tactique.worn_down)
            checked = np.where(gt.passes_check(rolled, 0, self._target), condition, self._after_flight(condition))
            then = np.where(status == gt.SHAKEN, checked, condition - status + gt.SHAKEN)
            return np.where(worn_down, then, condition)

        return (self.losses(pmf, after_losses, self._check),)

    def _fate(self, condition: States) -> Any:
        return np.where(condition == self._off_map, GONE, np.array([STEADY, SHAKEN, ROUTED])[condition % 3])


class Warmaster(ComparedSystem):
    """A unit that is driven back, and confused by a 6 (WM-1, WM-9); a condition is ``dice to roll * 2 + confused``."""

    title, rules = "Warmaster", "WM-1, recovery of WM-9"
    shaken, routed, gone = "confused", "never", "destroyed"

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self._dice = question.warmaster.dice
        most_losses = max((len(pmf) - 1 for pmf in question.loss_pmfs), default=self.models)  # in one attack
        self._most = self._dice * min(most_losses, self.models)
        self.conditions = (self._most + 1) * 2
        self.equivalents = {"drive-back dice": f"{self._dice} a model lost", "nerve": "no effect"}
        self.phases_after = (self.phase(lambda condition, _: condition - condition % 2),)  # the unit recovers (WM-9)

    def _attack(self, pmf: Pmf) -> tuple[Phase, ...]:
        def after_losses(condition: Any, lost: Any, _: Any) -> Any:
            return np.minimum(lost * self._dice, self._most) * 2 + condition % 2

        def after_dice(condition: Any, sixes: Any) -> Any:
            return np.maximum(condition % 2, wm.is_confused_by(sixes))

        six = success_die(1, 6)
        dice = self.phase(after_dice, six, lambda states: states // 2 % (self._most + 1), (), self._most)
        return self.losses(pmf, after_losses), dice

    def _fate(self, condition: States) -> Any:
        return np.where(condition % 2 == 1, SHAKEN, STEADY)


class Mordheim(ComparedSystem):
    """Rout tests of the warband at the start of its turns (MD-1); a rout is final."""

    title, rules = "Mordheim", "MD-1"
    shaken, routed, gone = "25% out of action, test passed", "never: it leaves immediately", "routed, destroyed"

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        leadership = self._stated_or_equivalent(question.mordheim.leadership, equivalents.leaderships())
        self.equivalents = {"Leadership": str(leadership), "leader": "never out of action"}

        def after_test(states: Any, roll: Any) -> Any:
            return np.where(self._is_due(states) & ~md.passes(roll, leadership), self.gone_state, states)

        self.test_phases = (Phase(after_test, fair_die(6), lambda states: 2 * self._is_due(states), most_dice=2),)

    def _is_due(self, models: Any) -> Any:
        fights = (models > 0) & (models <= self.models)
        return fights & md.is_rout_test_due(self.models - models, self.models)

    def fates(self, states: States) -> NDArray[np.int64]:
        """Return the fate of each state, from the number of models out of action."""
        gone = (states == 0) | (states == self.gone_state)
        return np.select([gone, self._is_due(states)], [GONE, SHAKEN], STEADY)


CLASH = "armoured-clash"
CLASS_OF: dict[str, type[ComparedSystem]] = {
    CLASH: ArmouredClash,
    "legion": Legion,
    "grande-tactique": GrandeTactique,
    "warmaster": Warmaster,
    "mordheim": Mordheim,
}
