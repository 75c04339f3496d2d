"""Single warriors: all alone and in flight, stupid, or tested together in one turn (MD-1, MD-4 to MD-6, MD-10)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from analyser.engine.chain.chain import (
    RECORD,
    Chain,
    Die,
    ExtraDie,
    Phase,
    Recorded,
    Story,
    bernoulli,
    fair_die,
    success_die,
)
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import LEADERSHIPS, Alone, Stupidity, Together
from analyser.morale.games.mordheim.rules import DIE_SIDES, LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.morale.questions import as_written
from analyser.morale.result_tables import Answer, Bars, Curves, Keys, Mean, Rules, Section, Table, turns_of

HOLDS, RALLIED, LEFT, DOWN, BREAKS = range(5)  # states; BREAKS: + hits
DOES = ("sensible", "walks", "idle", "no blows")  # actions of a warrior in this turn
SENSIBLE, WALKS, IDLE, NO_BLOWS = range(len(DOES))
LEADER_STATES = ("standing", "out of action", "stunned", "knocked down", "fleeing")
STANDING, OUT, STUNNED = range(3)


class AllAlone(Section[Alone]):
    """The warrior as integers.

    A state is HOLDS, RALLIED, LEFT (the table), DOWN, or ``BREAKS + hits`` that wait for wounds or saves. A fleeing
    warrior has the state `far` if every edge is far, else ``far + 1 + fraction * width + inches``. Its distance to the
    edge is `inches` minus one of the `fractions`, because runs are whole inches and distances need not be.
    """

    def _prepare(self) -> None:
        asked = self.asked
        edges = [as_written(edge) for edge in (asked.edge, asked.edge_behind) if edge is not None]
        self.far = BREAKS + asked.opponents + 1
        self.fractions = [*dict.fromkeys(math.ceil(edge) - edge for edge in edges)]
        ran = [self._after_first_run(roll) for roll in range(LOWEST_ROLL, LOWEST_ROLL + ROLLS)]
        self.width = 1 + max((max(math.ceil(inches), 0) for inches in ran if inches is not None), default=0)
        self.size = self.far + 1 + max(len(self.fractions), 1) * self.width
        self.after_first_run = np.array([self._fleeing(inches) for inches in ran])  # index: roll minus 2
        self.is_tested = asked.opponents >= 2 and not asked.friends_near  # (MD-5)
        breaks = self.is_tested and asked.leadership < LEADERSHIPS[-1]
        self.can_flee = breaks and bool((self.after_first_run != LEFT).any())  # flees on after its first run

    def _after_first_run(self, roll: int) -> Fraction | None:
        """Return the inches to the nearest edge after the first run, away from the opponents (MD-5); None: far."""
        elsewhere, edge = self.asked.first_run_elsewhere, self.asked.edge
        behind = self.asked.edge_behind if elsewhere else edge
        edges = [] if behind is None else [as_written(behind) - roll]
        edges += [as_written(edge)] if edge is not None and elsewhere else []
        return min(edges, default=None)

    def _fleeing(self, inches: Fraction | None) -> int:
        """Return the state of a fleeing warrior at this distance from the edge."""
        if inches is None:
            return self.far
        whole = math.ceil(inches)
        return LEFT if inches <= 0 else self.far + 1 + self.fractions.index(whole - inches) * self.width + whole

    def _breaking(self, states: Any) -> Any:
        """Return True if the warrior breaks and waits for wounds or saves."""
        return (states >= BREAKS) & (states < self.far)

    def _breaks(self, then: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Return a change of breaking warriors by `then`, a function of their hits and the total."""
        return lambda states, total: np.where(self._breaking(states), then(states - BREAKS, total), states)

    def _hits(self, states: Any) -> Any:
        return np.where(self._breaking(states), states - BREAKS, 0)

    def _tested(self, states: Any, roll: Any) -> Any:
        fails = self.is_tested & ~mordheim.passes(roll + LOWEST_ROLL, self.asked.leadership)
        return np.where((states == HOLDS) & fails, self.far - 1, states)

    def _runs(self, states: Any, roll: Any) -> Any:
        """Let a fleeing warrior run toward the edge (MD-6)."""
        inches, run = (states - self.far - 1) % self.width, roll + LOWEST_ROLL
        return np.where(states == self.far, states, np.where(run < inches, states - run, LEFT))

    def _charged(self, states: Any, totals: Any) -> Any:
        return np.where((states >= self.far) & (totals >= ROLLS), self._runs(states, totals % ROLLS), states)

    def _rallied(self, states: Any, totals: Any) -> Any:
        leadership = mordheim.led(self.asked.leadership, self.asked.rally_leader, self.asked.leader_state)
        passes = mordheim.passes(totals % ROLLS + LOWEST_ROLL, leadership)
        return np.where(states >= self.far, np.where(passes, RALLIED, self._runs(states, totals // ROLLS)), states)

    def chain(self) -> Chain:
        """Return the first combat phase all alone, then turns of charge, rally and combat phase (MD-5, MD-6).

        Records the states after the first combat phase and after each turn.
        """
        alone, two_dice, most = self.asked, (ExtraDie(TWO_DICE, 1),), self.asked.opponents
        to_wound, save = (getattr(alone, key) or getattr(self.question.ruleset, key) for key in ("to_wound", "save"))
        wounds = success_die(DIE_SIDES + 1 - to_wound, DIE_SIDES, ("no wound", "wound"))
        saves = success_die(DIE_SIDES + 1 - save, DIE_SIDES, ("not saved", "saved"))
        unsaved = self._breaks(lambda hits, saves: np.where(hits - saves >= alone.wounds, DOWN, BREAKS))
        combat = [
            Phase(self._tested, extra_dice=two_dice, title="All alone: Leadership test (MD-5)"),
            Phase(
                self._breaks(lambda _, wounds: BREAKS + wounds),
                wounds,
                self._hits,
                most_dice=most,
                title=f"Wounds at {to_wound} or more, a hit from each opponent (MD-5)",
            ),
            Phase(unsaved, saves, self._hits, most_dice=most, title=f"Saves at {save} or more"),
            Phase(
                self._breaks(lambda _, roll: self.after_first_run[roll]), extra_dice=two_dice, title="First run (MD-5)"
            ),
        ]
        charged = bernoulli(alone.charged, ("no charge", "a charge"))
        charge = Phase(self._charged, extra_dice=(*two_dice, ExtraDie(charged, ROLLS)), title="Charged: a run (MD-6)")
        rally = Phase(
            self._rallied, extra_dice=(*two_dice, ExtraDie(TWO_DICE, ROLLS)), title="Rally test, and a run (MD-6)"
        )
        phases = [*combat, RECORD]
        for turn in range(1, self.question.turns_played + 1):
            phases += [charge, rally] if alone.charged else [rally]
            phases += [*(combat if turn < (alone.combat_phases or turn + 1) else []), RECORD]
        return Chain(HOLDS, tuple(phases), self.size, story=Story(self._read, "Turn", first=0))

    def _read(self, state: int) -> dict[str, Any]:
        names = {HOLDS: "holds", RALLIED: "rallied", LEFT: "off the table", DOWN: "down"}
        if self._breaking(state):
            waits = int(self._hits(state))
            return {"the warrior": "breaks", "hits or wounds that wait": waits}
        if state <= self.far:
            return {"the warrior": names.get(state, "flees")}
        return {"the warrior": "flees", "inches to the edge": self._inches()[state]}

    def answer(self, recorded: Recorded) -> Answer:
        """Return break and flight by turn, from turn 0, and the distribution of inches to the edge."""
        weights, turns = recorded.dense_weights(self.size), {"turn": range(self.question.turns_played + 1)}
        named = {"p_holds": HOLDS, "p_rallied": RALLIED, "p_left_table": LEFT, "p_down": DOWN}
        flees = weights[:, self.far :].sum(axis=1)
        broke = weights[:, [RALLIED, LEFT, DOWN]].sum(axis=1) + flees
        probabilities = {"p_broke": broke, "p_flees": flees} | {
            name: weights[:, state] for name, state in named.items()
        }
        tables = {"alone": Table(turns, probabilities)}
        inches = self._inches()
        states = sorted(inches, key=lambda state: inches[state])
        at_distance = weights[:, states]
        if at_distance.any():
            to_edge = {"inches_to_edge": [inches[state] for state in states]}
            tables["distance"] = Table.distribution(turns, to_edge, at_distance, at_distance > 0)
        lines = {"p_flees": "flees", "p_left_table": "off table", "p_rallied": "rallied"}
        return tables, [Curves("alone", "All alone: break and flight", "turn", lines)]

    def _inches(self) -> dict[int, float]:
        """Return the inches to the edge for each state of a fleeing warrior that records them."""
        return {
            self.far + 1 + place * self.width + whole: float(whole - fraction)
            for place, fraction in enumerate(self.fractions)
            for whole in range(1, self.width)
        }

    def rules(self) -> Rules:
        tested, flees, stays = self.is_tested, self.can_flee, self.is_tested and not self.can_flee
        charged = "; charged: a run more before he can be struck" if self.asked.charged else ""
        far = self.asked.edge is None and self.asked.edge_behind is None
        applied = {
            "MD-5 all alone: a test after every combat phase, a hit from each opponent, a run away from them": tested,
            f"MD-6 rally, flight, the edge{charged}": flees,
        }
        not_modelled = {
            "MD-5 blows struck at him before the test, injuries; where he could be all alone again": tested,
            "MD-6 the way round enemies, effects of a charger on a runner, spells after a rally": flees,
        }
        useless = "has no effect: he never flees on after a first run (MD-6)"
        warnings = {
            "no test: all alone needs two opponents or more and no friend near (MD-5)": not tested,
            "alone: no edge is given, so every edge is far and he never reaches one": tested and far,
            f"alone: rally_leader {useless}": stays and self.asked.rally_leader,
            f"alone: charged {useless}": stays and self.asked.charged,
        }
        return Rules(applied, not_modelled, warnings)


class Stupid(Section[Stupidity]):
    """A stupid warrior; a state is ``turns lost * 4 + action``."""

    def chain(self) -> Chain:
        """Return the turns of the warrior; records the state after each."""
        turns, stupidity = self.question.turns_played, self.asked
        leadership = mordheim.led(stupidity.leadership, stupidity.leader, stupidity.leader_state)

        def tested(states: Any, totals: Any) -> Any:
            wanders = np.where(totals // ROLLS <= 3, WALKS, IDLE)  # walks straight ahead on 1 to 3 (MD-10)
            stupid = np.where(stupidity.in_combat, NO_BLOWS, wanders)
            does = np.where(mordheim.passes(totals % ROLLS + LOWEST_ROLL, leadership), SENSIBLE, stupid)
            return np.minimum(states // len(DOES) + (does != SENSIBLE), turns) * len(DOES) + does

        dice = ExtraDie(TWO_DICE, 1), ExtraDie(fair_die(DIE_SIDES), ROLLS)
        turn = Phase(tested, extra_dice=dice, title="Stupidity: Leadership test, and where he wanders (MD-10)")

        def read(state: int) -> dict[str, Any]:
            return {"turns lost": state // len(DOES), "the warrior": DOES[state % len(DOES)]}

        return Chain(0, (turn, RECORD) * turns, (turns + 1) * len(DOES), story=Story(read, "Turn"))

    def answer(self, recorded: Recorded) -> Answer:
        """Return `stupidity`: actions by turn; `turns_lost`: distribution of the lost turns."""
        weights = recorded.dense_weights((self.question.turns_played + 1) * len(DOES))
        by_turn = weights.reshape(len(weights), -1, len(DOES))
        names = [f"p_{does.replace(' ', '_')}" for does in DOES]
        probabilities = {name: by_turn[:, :, place].sum(axis=1) for place, name in enumerate(names)}
        of_lost, turns = by_turn.sum(axis=2), np.arange(1, len(weights) + 1)
        lost = Mean.of(of_lost, np.arange(of_lost.shape[1]))
        share = Mean(lost.first / turns, lost.second / turns**2, ends=(0.0, 1.0))
        tables = {
            "stupidity": Table(turns_of(weights), probabilities, {"mean_share_of_turns_lost": share}),
            "turns_lost": Table({"turns_lost": range(len(of_lost) + 1)}, {"probability": of_lost[-1]}),
        }
        return tables, [Bars("turns_lost", "Turns lost to stupidity", "turns_lost")]

    def rules(self) -> Rules:
        where = "" if self.asked.in_combat else "; half speed, falls, obstacles and the stop before contact"
        return Rules({"MD-10 stupidity": True}, {f"MD-10 spells and shooting that are lost{where}": True})


class TestsTogether(Section[Together]):
    """The leader's state, a rout test if due, and tests of warriors; a state is ``failed bits * 5 + leader``."""

    def _prepare(self) -> None:
        self.rout_tests = int(self.asked.rout_test)
        self.tests = ["rout test"] * self.rout_tests + [warrior.name for warrior in self.asked.warriors]

    def _leadership(self, test: int, leader: Any) -> Any:
        if test < self.rout_tests:
            other = self.asked.best_other or mordheim.NOBODY
            return mordheim.rout_leadership(self.asked.leader, np.isin(leader, (OUT, STUNNED)), other)
        warrior = self.asked.warriors[test - self.rout_tests]
        near = warrior.near_leader & (leader == STANDING)
        return mordheim.own_or_leaders(warrior.leadership, self.asked.leader, near)

    def _tested(self, test: int, states: Any, rolls: Any) -> Any:
        leader, failed = states % 5, states // 5
        nobody_tests = (test > 0) & (failed & self.rout_tests == 1)  # after a failed rout test
        passed = nobody_tests | mordheim.passes(rolls + LOWEST_ROLL, self._leadership(test, leader))
        return np.where(passed, states, (failed | 1 << test) * 5 + leader)

    def _title(self, test: int) -> str:
        return "Rout test (MD-1)" if test < self.rout_tests else f"Leadership test of {self.tests[test]} (MD-4)"

    def chain(self) -> Chain:
        """Return the draw of the leader's state and the tests that follow."""
        lost = (self.asked.p_out, self.asked.p_stunned, self.asked.p_knocked_down, self.asked.p_fleeing)
        leader = ExtraDie(Die((max(1 - sum(lost), 0.0), *lost), words=LEADER_STATES), 1)
        drawn = Phase(
            lambda states, drawn: np.where(states == 0, drawn, states), extra_dice=(leader,), title="The leader"
        )
        rolled = (
            Phase(partial(self._tested, test), extra_dice=(ExtraDie(TWO_DICE, 1),), title=self._title(test))
            for test in range(len(self.tests))
        )
        return Chain(0, (drawn, *rolled, RECORD), 5 << len(self.tests), story=Story(self._read))

    def _read(self, state: int) -> dict[str, Any]:
        failed = {f"{name} failed": state // 5 >> test & 1 == 1 for test, name in enumerate(self.tests)}
        return {"the leader": LEADER_STATES[state % 5], **failed}

    def answer(self, recorded: Recorded) -> Answer:
        """Return the joint distribution of leader, rout test and number of failed tests, and each test separately."""
        states, (weights,) = recorded
        failed, leader = states // 5, states % 5
        first, count = self.rout_tests, len(self.asked.warriors)
        routed = (failed & first) == 1
        number = np.array([int(bits).bit_count() for bits in failed >> first])
        rout_tests, numbers = ("passed", "failed") if first else ("not due",), range(count + 1)
        names = ("leader", "rout_test", "tests_failed")
        keys: Keys = dict(zip(names, zip(*product(LEADER_STATES, rout_tests, numbers))))
        groups = (leader * len(rout_tests) + routed) * len(numbers) + number
        joint = recorded.grouped(groups, len(LEADER_STATES) * len(rout_tests) * len(numbers))
        of_tests = {
            "p_tests": np.array([weights.sum()] * first + [weights[~routed].sum()] * count),
            "p_failed": np.array([weights[failed >> bit & 1 == 1].sum() for bit in range(len(self.tests))]),
        }
        several = {
            "none fails": weights[~routed & (number == 0)].sum(),
            "one fails": weights[number == 1].sum(),
            "two or more fail": weights[number >= 2].sum(),
            "no warrior tests: routed": weights[routed].sum(),
        }
        tables = {
            "together": Table.distribution({}, keys, joint, joint > 0),
            "tests": Table({"test": self.tests}, of_tests),
            "several": Table({"warriors": [*several]}, {"probability": np.array([*several.values()])}),
        }
        return tables, [Bars("tests", "Failed tests", "test", "p_failed")]

    def rules(self) -> Rules:
        together, rout_test = self.asked, self.asked.rout_test
        other, stays = together.best_other is not None, not together.p_out + together.p_stunned
        unused = not (rout_test or any(warrior.near_leader for warrior in together.warriors))
        in_vain = rout_test and other and stays
        warnings = {
            "together: best_other has no effect: no rout test is taken (MD-1)": other and not rout_test,
            "together: best_other has no effect: the leader is neither out of action nor stunned (MD-1)": in_vain,
            "together: the leader has no effect: no warrior tests near it, no rout test is taken (MD-1, MD-4)": unused,
        }
        rule = "MD-1 a rout test on the leader, if he is out of action or stunned on the best other"
        return Rules({rule: rout_test}, {"effects of failed tests": True}, warnings)
