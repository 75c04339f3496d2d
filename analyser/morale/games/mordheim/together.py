"""Several tests of one turn together, which depend on each other by the leader's state (MD-1, MD-4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from analyser.engine.chain.chain import Chain, Die, ExtraDie, Phase, Recorded
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import Question, Together
from analyser.morale.games.mordheim.roster import LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.morale.panels import Bars, Panel
from analyser.morale.tables import Table

LEADER_STATES = ("standing", "out of action", "stunned", "knocked down", "fleeing")
STANDING, OUT, STUNNED = range(3)


def chain(together: Together, _: Question) -> Chain:
    """The leader's state, the rout test if it is due, then each warrior's; a state is ``failed bits * 5 + leader``."""
    first = int(together.rout_test)
    states = np.arange(5 << first + len(together.warriors))[:, np.newaxis]
    leader, failed = states % 5, states // 5
    rolls = np.arange(ROLLS) + LOWEST_ROLL
    lost = (together.p_out, together.p_stunned, together.p_knocked_down, together.p_fleeing)
    drawn = Die((max(1 - sum(lost), 0.0), *lost))
    phases = [Phase(np.where(states == 0, np.arange(5), states), extra_dice=(ExtraDie(drawn, 1),))]
    needed = [
        rules.own_or_leaders(warrior.leadership, together.leader, warrior.near_leader & (leader == STANDING))
        for warrior in together.warriors
    ]
    if together.rout_test:
        other = together.best_other or rules.NOBODY
        needed.insert(0, rules.rout_leadership(together.leader, np.isin(leader, (OUT, STUNNED)), other))
    for bit, leadership in enumerate(needed):
        nobody_tests = (bit > 0) & (failed & first == 1)  # after a failed rout test
        passed = nobody_tests | rules.passes(rolls, leadership)
        targets = np.where(passed, states, (failed | 1 << bit) * 5 + leader)
        phases.append(Phase(targets, extra_dice=(ExtraDie(TWO_DICE, 1),)))
    phases[-1] = replace(phases[-1], recorded=True)
    return Chain(0, tuple(phases))


def tables(together: Together, _: Question, recorded: Recorded) -> dict[str, Table]:
    """The leader's state, the rout test and the number of failed tests together; and each test by itself."""
    states, (weights,) = recorded
    failed, leader = states // 5, states % 5
    first, count = int(together.rout_test), len(together.warriors)
    routed = (failed & first) == 1
    number = np.array([int(bits).bit_count() for bits in failed >> first])
    rows = []
    for state, name in enumerate(LEADER_STATES):
        for is_routed in range(first + 1):
            for failing in range(count + 1):
                weight = weights[(leader == state) & (number == failing) & (routed == is_routed)].sum()
                if weight > 0:
                    rows.append((name, "failed" if is_routed else "passed" if first else "not due", failing, weight))
    tests = [*(["rout test"] * first), *(each.name for each in together.warriors)]
    probabilities = {
        "p_tests": np.array([weights.sum()] * first + [weights[~routed].sum()] * count),
        "p_failed": np.array([weights[failed >> bit & 1 == 1].sum() for bit in range(len(tests))]),
    }
    numbers = {
        "none fails": ~routed & (number == 0),
        "one fails": number == 1,
        "two or more fail": number >= 2,
        "nobody tests: routed": routed,
    }
    several = [(name, weights[here].sum()) for name, here in numbers.items()]
    return {
        "together": Table.of_rows(("leader", "rout_test", "tests_failed"), rows),
        "tests": Table({"test": tests}, probabilities),
        "several": Table.of_rows(("warriors",), several),
    }


def panels(_: Together, __: Question) -> Iterator[Panel]:
    """The failed tests."""
    yield Bars("tests", "Failed tests", "test", column="p_failed")


def applied(together: Together, _: Question) -> Mapping[str, bool]:
    """The rule of a rout test."""
    rule = "MD-1 a rout test on the leader, if he is out of action or stunned on the best other"
    return {rule: together.rout_test}


def not_modelled(_: Together, __: Question) -> Iterator[str]:
    """The rules that no number comes from."""
    yield "what failed tests lead to"


def warnings(together: Together, _: Question) -> Iterator[str]:
    """What has no effect."""
    if together.best_other is not None:
        if not together.rout_test:
            yield "together: best_other has no effect: there is no rout test (MD-1)"
        elif not together.p_out + together.p_stunned:
            yield "together: best_other has no effect: the leader is neither out of action nor stunned (MD-1)"
    if not (together.rout_test or any(each.near_leader for each in together.warriors)):
        yield "together: the leader has no effect: nobody tests near him, and no rout test is due (MD-1, MD-4)"
