"""Answers about warriors: one that fights alone, a stupid one, and several tests in a turn (MD-1, 4 to 6, 10)."""

from __future__ import annotations

import math
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
from analyser.morale.answer_parts import Bars, Curves, Keys, Rules, Section, Sums, Table, Tables, turn_key
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import LEADERSHIPS, Alone, Stupidity, Together
from analyser.morale.games.mordheim.rules import DIE_SIDES, LOWEST_SUM, N_SUMS, TWO_DICE
from analyser.morale.questions import exact_fraction

HOLDS, RALLIED, LEFT, DOWN, BREAKS, FLEES = range(6)  # states; the inches to the edge are added to FLEES
ACTIONS = ("sensible", "walks", "idle", "no blows")  # of a stupid warrior in a turn
SENSIBLE, WALKS, IDLE, NO_BLOWS = range(len(ACTIONS))
LEADER_STATES = ("standing", "out of action", "stunned", "knocked down", "fleeing")
STANDING, OUT, STUNNED = range(3)
PANELS = (
    Curves("alone", "All alone: break and flight", shown=("p_flees", "p_left_table", "p_rallied")),
    Bars("turns_lost", "Turns lost to stupidity", "turns_lost"),
    Bars("tests", "Failed tests", "test", "p_failed"),
)


class AloneSection(Section[Alone]):
    """A warrior that fights alone; its state in flight is ``FLEES + inches``, rounded up, or FLEES without an edge."""

    def _prepare(self) -> None:
        section, edge = self.section, exact_fraction(self.section.edge or 0.0)
        inches = math.ceil(edge)
        self.size = FLEES + 1 + inches
        self.fraction = inches - edge  # runs are whole inches, which leave it unchanged
        self.after_first_run = LEFT if section.edge == 0 else FLEES + inches
        self.is_tested = section.opponents >= 2 and not section.friends_near  # (MD-5)
        # the warrior may flee after the first run
        self.can_flee = self.is_tested and section.leadership < LEADERSHIPS[-1] and self.after_first_run != LEFT

    def _after_test_roll(self, states: Any, roll: Any) -> Any:
        fails = self.is_tested & ~mordheim.passes(roll + LOWEST_SUM, self.section.leadership)
        return np.where((states == HOLDS) & fails, BREAKS, states)

    def _after_hits(self, states: Any, wounds: Any) -> Any:
        ends = np.where(wounds >= self.section.wounds, DOWN, self.after_first_run)
        return np.where(states == BREAKS, ends, states)

    def _after_run(self, states: Any, roll: Any) -> Any:
        """Return the states after a fleeing warrior has run toward the edge (MD-6)."""
        inches, run = states - FLEES, roll + LOWEST_SUM
        return np.where(states == FLEES, states, np.where(run < inches, states - run, LEFT))

    def _after_charge(self, states: Any, totals: Any) -> Any:
        return np.where((states >= FLEES) & (totals >= N_SUMS), self._after_run(states, totals % N_SUMS), states)

    def _after_rally(self, states: Any, totals: Any) -> Any:
        leadership = max(self.section.leadership, self.section.rally_leader or 0)  # (MD-4)
        passes = mordheim.passes(totals % N_SUMS + LOWEST_SUM, leadership)
        run = self._after_run(states, totals // N_SUMS)
        return np.where(states >= FLEES, np.where(passes, RALLIED, run), states)

    def chain(self) -> Chain:
        """Return the chain: a combat phase, then turns with charge, rally and combat phase (MD-5, MD-6)."""
        alone, two_dice, most = self.section, (ExtraDie(TWO_DICE, 1),), self.section.opponents
        to_wound, save = (getattr(alone, key) or getattr(self.question.ruleset, key) for key in ("to_wound", "save"))
        unsaved = success_die((DIE_SIDES + 1 - to_wound) * (save - 1), DIE_SIDES**2, ("no wound", "wound"))
        title = f"A hit from each opponent, wounds at {to_wound} or more, saves at {save} or more; first run (MD-5)"
        combat = [
            Phase(self._after_test_roll, extra_dice=two_dice, title="All alone: Leadership test (MD-5)"),
            Phase(self._after_hits, unsaved, lambda states: most * (states == BREAKS), most_dice=most, title=title),
        ]
        charged = bernoulli(alone.charged, ("no charge", "a charge"))
        charge_dice = *two_dice, ExtraDie(charged, N_SUMS)
        charge = Phase(self._after_charge, extra_dice=charge_dice, title="Charged: a run (MD-6)")
        rally = Phase(
            self._after_rally, extra_dice=(*two_dice, ExtraDie(TWO_DICE, N_SUMS)), title="Rally test, and a run (MD-6)"
        )
        turn = [*([charge] if alone.charged else []), rally, *combat, RECORD]
        phases = [*combat, RECORD, *turn * self.question.turns_played]
        return Chain(HOLDS, tuple(phases), self.size, story=Story(self._read, "Turn", first=0))

    def _read(self, state: int) -> dict[str, Any]:
        names = {HOLDS: "holds", RALLIED: "rallied", LEFT: "off the table", DOWN: "down"}
        inches = {"inches to the edge": float(state - FLEES - self.fraction)} if state > FLEES else {}
        return {"the warrior": names.get(state, "flees"), **inches}

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `alone` (by turn, from turn 0) and `distance` (inches to the edge)."""
        weights, turns = recorded.dense_weights(self.size), {"turn": range(self.question.turns_played + 1)}
        state_of = {"p_holds": HOLDS, "p_rallied": RALLIED, "p_left_table": LEFT, "p_down": DOWN}
        flees = weights[:, FLEES:].sum(axis=1)
        broke = weights[:, [RALLIED, LEFT, DOWN]].sum(axis=1) + flees
        probabilities = {"p_broke": broke, "p_flees": flees} | {
            name: weights[:, state] for name, state in state_of.items()
        }
        tables = {"alone": Table(turns, probabilities)}
        at_distance = weights[:, FLEES + 1 :]
        if at_distance.any():
            to_edge = {"inches_to_edge": [float(inches - self.fraction) for inches in range(1, self.size - FLEES)]}
            tables["distance"] = Table.distribution(turns, to_edge, at_distance, at_distance > 0)
        return tables

    def rules(self) -> Rules:
        tested, flees, stays = self.is_tested, self.can_flee, self.is_tested and not self.can_flee
        unbounded = tested and self.section.edge is None
        leader_helps = flees and (self.section.rally_leader or 0) > self.section.leadership
        charged = "; a charged warrior runs once more before it can be struck" if self.section.charged else ""
        applied = {
            "MD-5 all alone: a test after every combat phase, a hit from each opponent, a run away from them": tested,
            f"MD-6 rally, flight, the edge{charged}": flees,
            mordheim.LEADER_RULE: leader_helps,
        }
        not_modelled = {
            "MD-5 attacks on the warrior before the test, injuries; being all alone again where a run ends": tested,
            "MD-6 the route around enemies, effects of a charger on a fleeing warrior, spells after a rally": flees,
        }
        useless = "has no effect: the warrior never flees after the first run (MD-6)"
        warnings = {
            "no test: all alone needs two opponents or more and no friend near (MD-5)": not tested,
            "alone: no edge is stated, so every edge is far and the warrior never reaches one": unbounded,
            f"alone: rally_leader {useless}": stays and self.section.rally_leader,
            f"alone: charged {useless}": stays and self.section.charged,
        }
        return Rules(applied, not_modelled, warnings)


class StupiditySection(Section[Stupidity]):
    """A stupid warrior; a state is ``turns lost * 4 + action``."""

    def chain(self) -> Chain:
        """Return the chain of all turns; it records the state after each turn."""
        turns, stupidity = self.question.turns_played, self.section
        leadership = max(stupidity.leadership, stupidity.leader or 0)  # (MD-4)

        def after_test(states: Any, totals: Any) -> Any:
            wanders = np.where(totals // N_SUMS <= 3, WALKS, IDLE)  # walks straight ahead on 1 to 3 (MD-10)
            stupid = np.where(stupidity.in_combat, NO_BLOWS, wanders)
            action = np.where(mordheim.passes(totals % N_SUMS + LOWEST_SUM, leadership), SENSIBLE, stupid)
            return np.minimum(states // len(ACTIONS) + (action != SENSIBLE), turns) * len(ACTIONS) + action

        dice = ExtraDie(TWO_DICE, 1), ExtraDie(fair_die(DIE_SIDES), N_SUMS)
        turn = Phase(after_test, extra_dice=dice, title="Stupidity: Leadership test, and where it wanders (MD-10)")

        def read(state: int) -> dict[str, Any]:
            return {"turns lost": state // len(ACTIONS), "the warrior": ACTIONS[state % len(ACTIONS)]}

        return Chain(0, (turn, RECORD) * turns, (turns + 1) * len(ACTIONS), story=Story(read, "Turn"))

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `stupidity` (actions by turn) and `turns_lost` (distribution of lost turns)."""
        weights = recorded.dense_weights((self.question.turns_played + 1) * len(ACTIONS))
        by_turn = weights.reshape(len(weights), -1, len(ACTIONS))
        names = [f"p_{action.replace(' ', '_')}" for action in ACTIONS]
        probabilities = {name: by_turn[:, :, action].sum(axis=1) for action, name in enumerate(names)}
        by_lost, turns = by_turn.sum(axis=2), np.arange(1, len(weights) + 1)
        lost = Sums.of(by_lost, np.arange(by_lost.shape[1]))
        share = Sums(lost.total / turns, lost.total_of_squares / turns**2, ends=(0.0, 1.0))
        return {
            "stupidity": Table(turn_key(weights), probabilities, {"mean_share_of_turns_lost": share}),
            "turns_lost": Table({"turns_lost": range(len(by_lost) + 1)}, {"probability": by_lost[-1]}),
        }

    def rules(self) -> Rules:
        where = "" if self.section.in_combat else "; half speed, falls, obstacles and the stop before contact"
        leader_helps = (self.section.leader or 0) > self.section.leadership
        applied = {"MD-10 stupidity": True, mordheim.LEADER_RULE: leader_helps}
        return Rules(applied, {f"MD-10 spells and shooting that are lost{where}": True})


class TogetherSection(Section[Together]):
    """Several tests in a turn; a state is ``5 * bits of failed tests + state of the leader``."""

    def _prepare(self) -> None:
        self.rout_tests = int(self.section.rout_test)
        self.tests = ["rout test"] * self.rout_tests + [warrior.name for warrior in self.section.warriors]

    def _leadership(self, test: int, leader: Any) -> Any:
        if test < self.rout_tests:
            other = self.section.best_other or mordheim.NO_WARRIOR
            return mordheim.rout_leadership(self.section.leader, np.isin(leader, (OUT, STUNNED)), other)
        warrior = self.section.warriors[test - self.rout_tests]
        near = warrior.near_leader & (leader == STANDING)
        return mordheim.best_leadership(warrior.leadership, self.section.leader, near)

    def _after_test_roll(self, test: int, states: Any, rolls: Any) -> Any:
        leader, failed = states % 5, states // 5
        is_skipped = (test > 0) & (failed & self.rout_tests == 1)  # after a failed rout test
        passed = is_skipped | mordheim.passes(rolls + LOWEST_SUM, self._leadership(test, leader))
        return np.where(passed, states, (failed | 1 << test) * 5 + leader)

    def _title(self, test: int) -> str:
        return "Rout test (MD-1)" if test < self.rout_tests else f"Leadership test of {self.tests[test]} (MD-4)"

    def chain(self) -> Chain:
        """Return the chain: the state of the leader is drawn, then all tests are taken."""
        lost = (self.section.p_out, self.section.p_stunned, self.section.p_knocked_down, self.section.p_fleeing)
        leader = ExtraDie(Die((max(1 - sum(lost), 0.0), *lost), words=LEADER_STATES), 1)
        draw = Phase(
            lambda states, drawn: np.where(states == 0, drawn, states), extra_dice=(leader,), title="The leader"
        )
        tests = (
            Phase(partial(self._after_test_roll, test), extra_dice=(ExtraDie(TWO_DICE, 1),), title=self._title(test))
            for test in range(len(self.tests))
        )
        return Chain(0, (draw, *tests, RECORD), 5 << len(self.tests), story=Story(self._read))

    def _read(self, state: int) -> dict[str, Any]:
        failed = {f"{name} failed": state // 5 >> test & 1 == 1 for test, name in enumerate(self.tests)}
        return {"the leader": LEADER_STATES[state % 5], **failed}

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `together` (joint distribution), `tests` and `several` (number of failed tests)."""
        states, (weights,) = recorded
        failed, leader = states // 5, states % 5
        first, count = self.rout_tests, len(self.section.warriors)
        routed = (failed & first) == 1
        number = np.array([int(bits).bit_count() for bits in failed >> first])
        rout_tests, numbers = ("passed", "failed") if first else ("not due",), range(count + 1)
        names = ("leader", "rout_test", "tests_failed")
        keys: Keys = dict(zip(names, zip(*product(LEADER_STATES, rout_tests, numbers))))
        groups = (leader * len(rout_tests) + routed) * len(numbers) + number
        joint = recorded.grouped(groups, len(LEADER_STATES) * len(rout_tests) * len(numbers))
        test_columns = {
            "p_tests": np.array([weights.sum()] * first + [weights[~routed].sum()] * count),
            "p_failed": np.array([weights[failed >> bit & 1 == 1].sum() for bit in range(len(self.tests))]),
        }
        by_number = {
            "none fails": weights[~routed & (number == 0)].sum(),
            "one fails": weights[number == 1].sum(),
            "two or more fail": weights[number >= 2].sum(),
            "no warrior tests: routed": weights[routed].sum(),
        }
        return {
            "together": Table.distribution({}, keys, joint, joint > 0),
            "tests": Table({"test": self.tests}, test_columns),
            "several": Table({"warriors": [*by_number]}, {"probability": np.array([*by_number.values()])}),
        }

    def rules(self) -> Rules:
        together, rout_test = self.section, self.section.rout_test
        has_other, is_present = together.best_other is not None, not together.p_out + together.p_stunned
        unused = not (rout_test or any(warrior.near_leader for warrior in together.warriors))
        has_no_effect = rout_test and has_other and is_present
        warnings = {
            "together: best_other has no effect: no rout test is taken (MD-1)": has_other and not rout_test,
            "together: best_other has no effect: the leader is neither out of action nor stunned (MD-1)": has_no_effect,
            "together: the leader has no effect: no test of a warrior near it, and no rout test (MD-1, MD-4)": unused,
        }
        rule = "MD-1 a rout test on the leader, or on the best other if the leader is out of action or stunned"
        near = any(warrior.near_leader and together.leader > warrior.leadership for warrior in together.warriors)
        return Rules({rule: rout_test, mordheim.LEADER_RULE: near}, {"effects of failed tests": True}, warnings)
