"""Mordheim, MD-1 to MD-10 worked by hand."""

import pytest

from analyser import morale
from tests.oracle.morale_checks import assert_worked, rows

P7, P8, P9 = 21 / 36, 26 / 36, 30 / 36  # two dice at most 7, 8, 9
P6 = 15 / 36  # at most 6; and the chance to fail on 7
EVEN = {"to_hit": 4, "to_wound": 4, "save": 7, "out_of_action": 4}  # 1/8 a blow


def band(leader=8, others=((8, 3),), **more):
    """A warband of four with one out of action, so that a test is due in every turn."""
    groups = [{"leadership": leadership, "number": number} for leadership, number in others]
    return {"leader": leader, "others": groups, "out": 1, **more}


def fresh(name, casualties=0, leader=12, **more):
    """A leader and three warriors of Leadership 2, none of them out of action."""
    return band(leader, [(2, 3)], name=name, casualties=casualties, **{"out": 0, **more})


def duellist(name, enemy):
    """A single leader that five enemies attack."""
    return {"name": name, "leader": 12, "casualties": 0, "casualties_from": [{"of": enemy, "number": 5, **EVEN}]}


def turns(column, values, warband="warband", table=""):
    """Expected values of a column by turn."""
    return {(table, warband, turn, column): value for turn, value in enumerate(values, start=1)}


def one(warband, p_fighting, *more):
    """A warband, and the expected probabilities that it still fights after each turn."""
    return {"warband": warband, "turns": 1 + len(more)}, turns("p_fighting", (p_fighting, *more))


def row(*key, table="", **figures):
    return {(table, *key, column): value for column, value in figures.items()}


def alone(expected, question_turns=1, **keys):
    return {"alone": {"leadership": 7, **keys}, "turns": question_turns}, expected


def combat(expected, **keys):
    return {"combat": keys}, expected


NEAR, FEARED = {"leadership": 6, "near_leader": True}, {"causes_fear": True}
LAST = {"leader_falls": "last"}
TWO_ENEMIES = {"number": 2, "to_hit": 3, "to_wound": 4, "save": 5, "out_of_action": 5}
STUNNED = band(9, [(6, 3)], leader_stunned=0.5)
FOUGHT = {"leader": 12, "others": [{"leadership": 12, "number": 3}]}
FRENZIED = {"attacks": 2, "second_weapon": True, "frenzy": True, "hatred": True, **EVEN}
FIRST, SECOND = (1 - 3 / 16) ** 5, (1 - 1 / 8) ** 5  # none of five blows takes one out: with hatred, and without
WARBANDS = {
    "MD-1: Ld 7": one(band(7, [(7, 3)]), P7),
    "MD-1: 1 of 5 is no quarter": one(band(others=[(8, 4)]), 1, 1, 1),
    "MD-1: a random casualty is the leader once in four": one(band(9, [(7, 3)]), P7 / 4 + P9 * 3 / 4),
    "MD-1: a stunned leader lends nothing": one(
        band(9, [(6, 3)], leader_falls="last", leader_stunned=0.5), P9 / 2 + P6 / 2
    ),
    "MD-2: gives up at the start of a turn and from a quarter on, without a test": (
        {"warband": band(8, [(7, 7)], out=0, casualties=[1, 1, 0], gives_up_at=1), "turns": 3},
        turns("p_gave_up", [0, 1, 1]) | turns("p_may_have_given_up", [0, 1, 1]) | turns("p_tests", [0, 0, 0]),
    ),
    # Turn 1, in order of play: A stays with 1/36, B with 26/36, C with 26/36, unless it is the last.
    "MD-3: the rest play on until one is left": (
        {"warband": band(2, [(2, 3)], name="A"), "rivals": [band(name="B"), band(name="C")], "turns": 1},
        row(1, table="last_left", p_C=35 / 36 * (1 - P8), p_B=35 / 36 * P8 * (1 - P8), p_A=(1 - P8) ** 2 / 36),
    ),
    "MD-3: the last left tests no more": (
        {"warband": fresh("A", [0, 4, 0], **LAST), "rivals": [fresh("B", [1, 0, 0], **LAST)], "turns": 3},
        turns("p_tests", [1, 0, 0], "B") | turns("p_fighting", [1, 1, 1], "B"),
    ),
    "MD-3: nobody falls after the end": (
        {"warband": fresh("A", 4), "rivals": [fresh("B", 3)], "turns": 2},
        turns("p_fighting", [1, 1], "B") | turns("p_tests", [0, 0], "B"),
    ),
    # A tests on Ld 7 and has won if it routs; else B, on Ld 2 whatever falls, routs with 35/36.
    "MD-3: the first to leave wins where a scenario says so": (
        {"warband": fresh("A", 1, leader=7, **LAST), "rivals": [fresh("B", 1, leader=2), fresh("C")]}
        | {"winner": "first_to_leave", "turns": 1},
        row(1, table="first_to_leave", p_A=P6, p_B=P7 * 35 / 36, p_C=0, p_nobody_yet=P7 / 36)
        | turns("p_tests", [P7], "B"),
    ),
    "fights: hits 2/3, wounds 1/2, not saved 2/3, out 1/3, two enemies": (
        {"warband": band(7, [(7, 3)], out=0, casualties=0, casualties_from=[TWO_ENEMIES]), "turns": 1},
        turns("p_tests", [1 - (25 / 27) ** 2]),
    ),
    "MD-7, MD-8: two attacks doubled and one more, 3/16 a blow in the first turn, 1/8 in the second": (
        {"warband": FOUGHT | {"casualties": 0, "casualties_from": [FRENZIED]}, "turns": 2},
        turns("p_may_have_given_up", [1 - FIRST, 1 - FIRST * SECOND]),
    ),
    "those who are out strike no more: A is out with 1/8, then B with 7/8 * 1/8": (
        {"warband": duellist("A", "B"), "rivals": [duellist("B", "A")], "turns": 1},
        turns("p_all_out", [1 / 8], "A") | turns("p_all_out", [7 / 64], "B"),
    ),
}
WARRIORS = {
    "MD-5: breaks, two hits that wound on 4+, a run to the edge": alone(
        row(0, p_broke=P6, p_down=P6 * 3 / 4, p_left_table=P6 / 4), edge=0.0
    ),
    "MD-6: rallies, or any run takes him off": alone(
        row(1, p_rallied=P6 * P7, p_left_table=P6 * P6, p_flees=P7 * P6), edge=2.0, to_wound=7
    ),
    "MD-5: one opponent is no test": alone(row(8, p_holds=1), 8, opponents=1),
    "MD-4: a leader of 9 at his rally": alone(row(1, p_rallied=P6 * P9), to_wound=7, rally_leader=9),
    "MD-5: tests after every combat phase": alone({("", n, "p_holds"): P7 ** (n + 1) for n in range(4)}, 3, edge=14),
    "MD-7: frenzy doubles attacks": combat(
        row(1, mean_fighter_hits=2.5), fighter={"attacks": 2, "second_weapon": True, "frenzy": True}
    ),
    "MD-8: hatred re-rolls misses in the first round only": combat(
        row(1, mean_fighter_hits=3 / 4) | row(2, mean_fighter_hits=1 / 2), fighter={"hatred": True}, rounds=2
    ),
    "MD-9: charged by what he fears he needs sixes": combat(
        row(1, mean_fighter_hits=P7 / 2 + P6 / 6) | row(2, mean_fighter_hits=1 / 2),
        **{"enemy": FEARED, "charger": "enemy", "rounds": 2},
    ),
    "MD-9: a failed charge is no combat for either": combat(
        row(1, p_combat=P7, mean_enemy_hits=P7 / 2) | row(1, 0, 0, table="hits", probability=P6 + P7 / 4), enemy=FEARED
    ),
    **{
        f"MD-9: no test of fear: {word}": combat(row(1, p_combat=1), fighter={word: True}, enemy=FEARED)
        for word in ("causes_fear", "frenzy", "immune_to_psychology")
    },
    "MD-7: frenzy is lost when knocked down": combat(
        row(2, p_fighter_frenzied=1 / 2, mean_fighter_hits=3 / 4),
        **{"fighter": {"frenzy": True, "knocked_down": 0.5}, "rounds": 2},
    ),
    "MD-4, MD-9: a leader of 9 against fear": combat(
        row(1, p_combat=P9), fighter={"leadership": 5, "leader": 9}, enemy=FEARED
    ),
    "MD-7, MD-8: hatred silenced by frenzy": (
        {"combat": {"fighter": {"frenzy": True, "hatred": True}}, "ruleset": {"hatred_while_frenzied": False}},
        row(1, mean_fighter_hits=1),
    ),
    "MD-10: the share of turns lost": (
        {"stupidity": {"leadership": 7}, "turns": 2},
        row(2, p_walks=P6 / 2, p_idle=P6 / 2, mean_share_of_turns_lost=P6)
        | {("turns_lost", lost, "probability"): p for lost, p in enumerate((P7**2, 2 * P7 * P6, P6**2))},
    ),
    # Each fails with 1/2 * 6/36 + 1/2 * 21/36; both with 1/2 * (6/36)^2 + 1/2 * (21/36)^2.
    "MD-4: two tests on one leader hang together": (
        {"together": {"leader": 9, "p_stunned": 0.5, "warriors": [NEAR, NEAR]}},
        row("two or more fail", table="several", probability=477 / 2592)
        | row("warrior", table="tests", p_failed=27 / 72),
    ),
    "MD-1: after a failed rout test nobody tests": (
        {"together": {"leader": 7, "rout_test": True, "warriors": [{"leadership": 7}]}},
        row("standing", "failed", 0, probability=P6)
        | row("standing", "passed", 1, probability=P7 * P6)
        | row("none fails", table="several", probability=P7**2)
        | row("one fails", table="several", probability=P7 * P6)
        | row("two or more fail", table="several", probability=0)
        | row("no warrior tests: routed", table="several", probability=P6)
        | row("rout test", table="tests", p_tests=1)
        | row("warrior", table="tests", p_tests=P7),
    ),
    **{
        f"MD-1: the rout test of a leader of 9, {state}": (
            {"together": {"leader": 9, state: 1.0, "rout_test": True, "best_other": 6}},
            row("rout test", table="tests", p_failed=1 - passed),
        )
        for state, passed in (("p_out", P6), ("p_stunned", P6), ("p_knocked_down", P9))
    },
}
WORKED = WARBANDS | WARRIORS


@pytest.mark.parametrize("case", WORKED)
def test_worked_by_hand(case):
    assert_worked("mordheim", *WORKED[case])


@pytest.mark.parametrize("edge", [12.5, 6.1])
def test_inches_to_the_edge_are_not_rounded(edge):
    """After a run of 2 inches, 10.5 of 12.5 inches are left, and 4.1 of 6.1."""
    law = rows(morale.exact("mordheim", {"alone": {"leadership": 7, "edge": edge}, "turns": 1}), "distance")
    assert sorted({inches for _, inches in law})[-2:] == pytest.approx([edge - 2, edge], abs=1e-12)
