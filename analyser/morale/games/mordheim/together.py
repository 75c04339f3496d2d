"""Several tests of one turn together, which depend on each other by the leader's state (MD-1, MD-4)."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Die, ExtraDie, Phase, Recorded
from analyser.morale.answers import Answer, Keys, Part, Table, rules_used
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import Together
from analyser.morale.games.mordheim.roster import LOWEST_ROLL, TWO_DICE
from analyser.morale.pictures import Bars
from analyser.results.base import RulesUsed

LEADER_STATES = ("standing", "out of action", "stunned", "knocked down", "fleeing")
STANDING, OUT, STUNNED = range(3)


class TestsTogether(Part):
    """The leader's state, the rout test if it is due, then each warrior's; a state is ``failed bits * 5 + leader``."""

    asked: Together

    def __init__(self, asked: Together, question: Any) -> None:
        super().__init__(asked, question)
        self.rout_tests = int(asked.rout_test)
        self.tests = ["rout test"] * self.rout_tests + [each.name for each in asked.warriors]

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

    def chain(self) -> Chain:
        """The leader's state is drawn, then the tests are taken."""
        lost = (self.asked.p_out, self.asked.p_stunned, self.asked.p_knocked_down, self.asked.p_fleeing)
        leader = ExtraDie(Die((max(1 - sum(lost), 0.0), *lost)), 1)
        phases = [Phase(lambda states, drawn: np.where(states == 0, drawn, states), extra_dice=(leader,))]
        for test in range(len(self.tests)):
            phases.append(Phase(partial(self._tested, test), extra_dice=(ExtraDie(TWO_DICE, 1),)))
        return Chain(0, (*phases, RECORD), 5 << len(self.tests))

    def answer(self, recorded: Recorded) -> Answer:
        """The leader's state, the rout test and the number of failed tests together; and each test by itself."""
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
            "nobody tests: routed": weights[routed].sum(),
        }
        tables = {
            "together": Table.distribution({}, keys, joint, joint > 0),
            "tests": Table({"test": self.tests}, of_tests),
            "several": Table({"warriors": [*several]}, {"probability": np.array([*several.values()])}),
        }
        return Answer(tables, [Bars("tests", "Failed tests", "test", column="p_failed")])

    def rules(self) -> RulesUsed:
        """The rule of a rout test, what no number comes from, and what has no effect."""
        together, rout_test = self.asked, self.asked.rout_test
        other, stays = together.best_other is not None, not together.p_out + together.p_stunned
        unused = not (rout_test or any(each.near_leader for each in together.warriors))
        in_vain = rout_test and other and stays
        warnings = {
            "together: best_other has no effect: there is no rout test (MD-1)": other and not rout_test,
            "together: best_other has no effect: the leader is neither out of action nor stunned (MD-1)": in_vain,
            "together: the leader has no effect: nobody tests near him, and no rout test is due (MD-1, MD-4)": unused,
        }
        rule = "MD-1 a rout test on the leader, if he is out of action or stunned on the best other"
        return rules_used({rule: rout_test}, {"what failed tests lead to": True}, warnings)
