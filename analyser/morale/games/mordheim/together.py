"""Several tests of one turn together, which depend on each other by the leader's state (MD-1, MD-4)."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Die, ExtraDie, Phase, Recorded
from analyser.morale.answers import Answer, Keys, Table, rules_used
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import Question, Together
from analyser.morale.games.mordheim.roster import LOWEST_ROLL, TWO_DICE
from analyser.morale.pictures import Bars
from analyser.results.base import RulesUsed

LEADER_STATES = ("standing", "out of action", "stunned", "knocked down", "fleeing")
STANDING, OUT, STUNNED = range(3)


def chain(together: Together, _: Question) -> Chain:
    """The leader's state, the rout test if it is due, then each warrior's; a state is ``failed bits * 5 + leader``."""
    first = int(together.rout_test)
    lost = (together.p_out, together.p_stunned, together.p_knocked_down, together.p_fleeing)
    drawn = Die((max(1 - sum(lost), 0.0), *lost))

    def leadership(test: int, leader: Any) -> Any:
        if test < first:
            lost = np.isin(leader, (OUT, STUNNED))
            return mordheim.rout_leadership(together.leader, lost, together.best_other or mordheim.NOBODY)
        warrior = together.warriors[test - first]
        near = warrior.near_leader & (leader == STANDING)
        return mordheim.own_or_leaders(warrior.leadership, together.leader, near)

    def tested(test: int, states: Any, rolls: Any) -> Any:
        leader, failed = states % 5, states // 5
        nobody_tests = (test > 0) & (failed & first == 1)  # after a failed rout test
        passed = nobody_tests | mordheim.passes(rolls + LOWEST_ROLL, leadership(test, leader))
        return np.where(passed, states, (failed | 1 << test) * 5 + leader)

    tests = first + len(together.warriors)
    leader_state = Phase(lambda states, drawn: np.where(states == 0, drawn, states), extra_dice=(ExtraDie(drawn, 1),))
    phases = [Phase(partial(tested, test), extra_dice=(ExtraDie(TWO_DICE, 1),)) for test in range(tests)]
    return Chain(0, (leader_state, *phases, RECORD), 5 << tests)


def answer(together: Together, _: Question, recorded: Recorded) -> Answer:
    """The leader's state, the rout test and the number of failed tests together; and each test by itself."""
    states, (weights,) = recorded
    failed, leader = states // 5, states % 5
    first, count = int(together.rout_test), len(together.warriors)
    routed = (failed & first) == 1
    number = np.array([int(bits).bit_count() for bits in failed >> first])
    rout_tests, numbers = ("passed", "failed") if first else ("not due",), range(count + 1)
    names = ("leader", "rout_test", "tests_failed")
    keys: Keys = dict(zip(names, zip(*product(LEADER_STATES, rout_tests, numbers))))
    groups = (leader * len(rout_tests) + routed) * len(numbers) + number
    joint = recorded.grouped(groups, len(LEADER_STATES) * len(rout_tests) * len(numbers))
    tests = [*(["rout test"] * first), *(each.name for each in together.warriors)]
    probabilities = {
        "p_tests": np.array([weights.sum()] * first + [weights[~routed].sum()] * count),
        "p_failed": np.array([weights[failed >> bit & 1 == 1].sum() for bit in range(len(tests))]),
    }
    several = {
        "none fails": ~routed & (number == 0),
        "one fails": number == 1,
        "two or more fail": number >= 2,
        "nobody tests: routed": routed,
    }
    tables = {
        "together": Table.distribution({}, keys, joint, joint > 0),
        "tests": Table({"test": tests}, probabilities),
        "several": Table(
            {"warriors": [*several]}, {"probability": np.array([weights[here].sum() for here in several.values()])}
        ),
    }
    return Answer(tables, [Bars("tests", "Failed tests", "test", column="p_failed")])


def rules(together: Together, _: Question) -> RulesUsed:
    """The rule of a rout test, what no number comes from, and what has no effect."""
    other, falls = together.best_other is not None, together.p_out + together.p_stunned > 0
    near = any(each.near_leader for each in together.warriors)
    return rules_used(
        {"MD-1 a rout test on the leader, if he is out of action or stunned on the best other": together.rout_test},
        {"what failed tests lead to": True},
        {
            "together: best_other has no effect: there is no rout test (MD-1)": other and not together.rout_test,
            "together: best_other has no effect: the leader is neither out of action nor stunned (MD-1)": (
                other and together.rout_test and not falls
            ),
            "together: the leader has no effect: nobody tests near him, and no rout test is due (MD-1, MD-4)": not (
                together.rout_test or near
            ),
        },
    )
