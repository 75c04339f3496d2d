"""Mordheim by hand: the rules that were completed (MD-3 to MD-6, MD-9), and what a player asks of a brawl."""

from itertools import product

import pytest

from analyser import morale
from analyser.common.errors import InputError
from tests.oracle.morale_checks import assert_sample_fits, rows

TWO_DICE = [a + b for a, b in product(range(1, 7), repeat=2)]
PASS_7 = 21 / 36


def found(question, table=None):
    return rows(morale.exact("mordheim", question), table)


def close(value):
    return pytest.approx(value, abs=1e-12)


def band(name, casualties=0, leader=12, **more):
    """A leader and three of Ld 2."""
    others = [{"leadership": 2, "number": 3}]
    return {"name": name, "leader": leader, "others": others, "casualties": casualties, **more}


# --- MD-3: after the game's end nothing falls, tests or is counted ------------------------------------------------


def test_the_last_warband_left_tests_no_more():
    """A falls to the last in turn 2: B, with one out, has won, and tests in turns 2 and 3 with 0, not 100%."""
    rivals = [band("B", [1, 0, 0], leader_falls="last")]
    by_turn = found({"warband": band("A", [0, 4, 0], leader_falls="last"), "rivals": rivals, "turns": 3})
    assert [by_turn["B", turn]["p_tests"] for turn in (1, 2, 3)] == close([1, 0, 0])
    assert [by_turn["B", turn]["p_fighting"] for turn in (1, 2, 3)] == close([1, 1, 1])


def test_no_leader_falls_after_the_games_end():
    """B is gone in turn 1; A would lose its leader in turn 2, and was told to fight on without him (100%)."""
    by_turn = found({"warband": band("A", leader_falls=2), "rivals": [band("B", [4, 0, 0])], "turns": 3})
    assert [by_turn["A", turn]["p_fighting_without_leader"] for turn in (1, 2, 3)] == close([0, 0, 0])


def test_nobody_may_give_up_after_the_games_end():
    """B begins with two out, and the game is over before its first turn: it never may give up (MD-2, MD-3)."""
    by_turn = found({"warband": band("A", 4), "rivals": [band("B", out=2)], "turns": 2})
    assert [by_turn["B", turn]["p_may_have_given_up"] for turn in (1, 2)] == close([0, 0])
    assert [by_turn["A", turn]["p_may_have_given_up"] for turn in (1, 2)] == close([1, 1])


def test_nobody_falls_after_the_games_end():
    """A is all out in turn 1: the three that B would lose in each turn do not fall."""
    by_turn = found({"warband": band("A", 4), "rivals": [band("B", 3)], "turns": 2})
    assert by_turn["B", 2]["p_fighting"] == close(1)
    assert by_turn["B", 2]["p_tests"] == 0


def test_a_warband_that_is_all_out_at_the_start_is_no_rival():
    by_turn = found({"warband": band("A", 1), "rivals": [band("B", out=4)], "turns": 1})
    assert by_turn["A", 1]["p_tests"] == 0


def test_the_first_to_leave_wins_where_a_scenario_says_so():
    """A tests on Ld 7 and routs with 15/36, and has won; else B, on Ld 2 whatever falls, does with 35/36."""
    question = {
        "warband": band("A", 1, leader=7, leader_falls="last"),
        "rivals": [band("B", 1, leader=2), band("C")],
        "winner": "first_to_leave",
        "turns": 1,
    }
    row = found(question, "first_to_leave")[(1,)]
    assert row["p_A"] == close(1 - PASS_7)
    assert row["p_B"] == close(PASS_7 * 35 / 36)
    assert row["p_C"] == 0
    assert row["p_nobody_yet"] == close(PASS_7 / 36)
    told = found(question)
    assert told["B", 1]["p_tests"] == close(PASS_7)  # the game is over when A has left


def test_who_is_wiped_out_has_not_left():
    """All of A fall: nobody has left, but B alone is there."""
    question = {"warband": band("A", 4), "rivals": [band("B")], "winner": "first_to_leave", "turns": 1}
    assert found(question, "first_to_leave")[(1,)]["p_B"] == close(1)


# --- the leader: fates named for what they are, with rivals too ------------------------------------------------------

STUNNED = {"leader": 9, "others": [{"leadership": 6, "number": 3}], "out": 1, "leader_stunned": 0.5}


def test_never_lost_is_not_never_stunned():
    """Ld 9, 30/36; stunned with 1/2: the others' 6, 15/36. Never lost: 45/72; nor stunned: 60/72; first: 30/72."""
    row = found({"warband": STUNNED, "effect_of_leader": True, "turns": 1}, "leader")[(9,)]
    assert row["p_fighting_never_lost"] == close(45 / 72)
    assert row["p_fighting_never_lost_nor_stunned"] == close(60 / 72)
    assert row["p_fighting_lost_first"] == close(30 / 72)


def test_a_leader_who_is_never_lost_stands_when_all_others_are_out():
    warband = {"leader": 12, "others": [{"leadership": 7}], "casualties": 2, "leader_falls": "never"}
    assert found({"warband": warband, "turns": 2})["warband", 2]["p_fighting"] == close(1)


def test_the_effect_of_the_leader_is_that_of_the_game_with_its_rivals():
    """One answer tells the same thing in one way: under his own Leadership, lost as asked."""
    rival = {"name": "rival", "leader": 2, "others": [{"leadership": 2, "number": 3}], "out": 1}
    question = {"warband": STUNNED | {"casualties": 1}, "rivals": [rival], "effect_of_leader": True, "turns": 2}
    alone = found(question | {"rivals": []}, "leader")[(9,)]["p_fighting_as_asked"]
    effect = found(question, "leader")[(9,)]["p_fighting_as_asked"]
    assert effect == close(found(question)["warband", 2]["p_fighting"])
    assert effect > alone + 0.1


# --- MD-5, MD-6: all alone, and the way of the first run ----------------------------------------------------------


def test_all_alone_tests_after_every_combat_phase():
    """Ld 7 holds with 21/36, and again in every combat phase in which he is all alone (flat at 58.33% before)."""
    by_turn = found({"alone": {"leadership": 7, "edge": 14}, "turns": 3})
    assert [row["p_holds"] for row in by_turn.values()] == close([PASS_7 ** (turn + 1) for turn in range(4)])


def test_all_alone_for_some_combat_phases_only():
    by_turn = found({"alone": {"leadership": 7, "combat_phases": 2, "edge": 14}, "turns": 3})
    assert [row["p_holds"] for row in by_turn.values()] == close([PASS_7, PASS_7**2, PASS_7**2, PASS_7**2])


def test_the_first_run_is_away_from_the_opponents():
    """An edge 2 inches from where it ends is not reached by it, but by any run toward it (MD-5, MD-6)."""
    question = {"alone": {"leadership": 7, "to_wound": 7, "edge": 2, "combat_phases": 1}, "turns": 1}
    by_turn = found(question)
    assert by_turn[(0,)]["p_left_table"] == 0
    assert by_turn[(1,)]["p_left_table"] == close((1 - PASS_7) ** 2)


def test_an_edge_straight_behind_him_comes_nearer():
    """8 inches behind, 5 inches aside: a run of 8 is off it, of 5 leaves 3, of 2 leaves the edge aside the nearest."""
    question = {"alone": {"leadership": 7, "to_wound": 7, "edge": 5, "edge_behind": 8}, "turns": 1}
    assert found(question)[(0,)]["p_left_table"] == close((1 - PASS_7) * 15 / 36)
    law = {key[1]: row["probability"] for key, row in found(question, "distance").items() if key[0] == 0}
    expected = {}
    for roll in TWO_DICE:
        inches = min(5.0, 8.0 - roll)
        if inches > 0:
            expected[inches] = expected.get(inches, 0) + (1 - PASS_7) / 36
    assert law == close(expected)


def test_an_edge_that_is_left_out_is_far_and_that_is_said():
    result = morale.exact("mordheim", {"alone": {"leadership": 7}, "turns": 100})
    assert rows(result)[(100,)]["p_left_table"] == 0
    assert "no edge is given" in result.warnings[0]
    assert "distance" not in result.tables


def test_inches_to_the_edge_are_told_as_they_are():
    """12.5 inches behind: after a run of 2 there are 10.5, not 11; of 6.1 there are 4.1 (as written, in tenths)."""
    for edge in (12.5, 6.1):
        law = found({"alone": {"leadership": 7, "edge_behind": edge}, "turns": 1}, "distance")
        assert max(key[1] for key in law) == pytest.approx(edge - 2, abs=1e-12)


def test_a_run_as_long_as_the_way_reaches_the_edge():
    """6.3 inches are covered by 7, 6 exactly by 6 (MD-6)."""
    for edge, runs in ((6.3, 21), (6, 26)):
        row = found({"alone": {"leadership": 7, "to_wound": 7, "edge_behind": edge}})[(0,)]
        assert row["p_left_table"] == close((1 - PASS_7) * runs / 36)


# --- figures that are given nothing ---------------------------------------------------------------------------------


def test_frenzied_is_told_of_all_cases_as_the_figures_beside_it():
    """Ld 7 does not dare to charge a frenzied fear-causer in 15 of 36 cases: he fights frenzied in the other 21."""
    combat = {"fighter": {"leadership": 7}, "enemy": {"causes_fear": True, "frenzy": True}}
    row = found({"combat": combat})[(1,)]
    assert row["p_combat"] == row["p_enemy_frenzied"] == close(PASS_7)


def test_who_never_tested_is_not_among_those_of_whom_none_fails():
    """A rout test on Ld 7, then one warrior's on Ld 7: none fails with (21/36)^2; 15/36 never test."""
    question = {"together": {"leader": 7, "rout_test": True, "warriors": [{"leadership": 7}]}}
    several = {key[0]: row["probability"] for key, row in found(question, "several").items()}
    assert several == {
        "none fails": close(PASS_7**2),
        "one fails": close(PASS_7 * 15 / 36),
        "two or more fail": 0,
        "nobody tests: routed": close(15 / 36),
    }
    tests = found(question, "tests")
    assert [tests[(name,)]["p_tests"] for name in ("rout test", "warrior")] == close([1, PASS_7])


def test_a_leader_near_helps_against_fear():
    """Ld 5 within 6 inches of a leader of 9: 30/36 dare to charge; of one who is stunned: 10/36 (MD-4, MD-9)."""
    for state, chance in (("standing", 30 / 36), ("stunned", 10 / 36)):
        fighter = {"leadership": 5, "leader": 9, "leader_state": state}
        result = morale.exact("mordheim", {"combat": {"fighter": fighter, "enemy": {"causes_fear": True}}})
        assert rows(result)[(1,)]["p_combat"] == close(chance)
        assert any(rule.startswith("MD-4") for rule in result.rules_applied)


def test_a_leader_near_who_is_not_needed_is_told():
    result = morale.exact("mordheim", {"combat": {"fighter": {"leader": 9}}})
    assert result.warnings == ("combat.fighter: no test of fear, so a leader near has no effect (MD-9)",)


def test_frenzy_may_silence_hatred():
    """4+: 2 attacks hit with 3/4 each under hatred, with 1/2 if frenzy leaves no room for it (MD-7, MD-8)."""
    combat = {"fighter": {"frenzy": True, "hatred": True}}
    assert found({"combat": combat})[(1,)]["mean_fighter_hits"] == close(1.5)
    ruleset = {"hatred_while_frenzied": False}
    assert found({"combat": combat, "ruleset": ruleset})[(1,)]["mean_fighter_hits"] == close(1.0)


# --- casualties that come from fights -------------------------------------------------------------------------------

EVEN = {"to_hit": 4, "to_wound": 4, "save": 7, "out_of_action": 4}  # 1/8 a blow


def test_a_blow_hits_wounds_is_not_saved_and_takes_out():
    """3+ hits, 4+ wounds, 5+ saves, 5+ takes out: 2/3 * 1/2 * 2/3 * 1/3 = 2/27; two enemies of one attack each."""
    fight = {"number": 2, "to_hit": 3, "to_wound": 4, "save": 5, "out_of_action": 5}
    warband = {"leader": 7, "others": [{"leadership": 7, "number": 3}], "casualties_from": [fight]}
    row = found({"warband": warband, "turns": 1})["warband", 1]
    assert row["p_tests"] == close(1 - (1 - 2 / 27) ** 2)


def test_frenzy_second_weapon_and_hatred_make_blows():
    """Two attacks doubled and one more are five; 3/4 * 1/4 a blow in the first turn, 1/8 in the second (MD-7, MD-8).

    One casualty of four is a quarter: as long as there is none nobody may give up.
    """
    fight = {"attacks": 2, "second_weapon": True, "frenzy": True, "hatred": True, **EVEN}
    warband = {"leader": 12, "others": [{"leadership": 12, "number": 3}], "casualties_from": [fight]}
    by_turn = found({"warband": warband, "turns": 2})
    first, second = (1 - 3 / 16) ** 5, (1 - 1 / 8) ** 5
    assert by_turn["warband", 1]["p_may_have_given_up"] == close(1 - first)
    assert by_turn["warband", 2]["p_may_have_given_up"] == close(1 - first * second)
    silenced = found({"warband": warband, "turns": 1, "ruleset": {"hatred_while_frenzied": False}})
    assert silenced["warband", 1]["p_may_have_given_up"] == close(1 - second)


def test_fights_of_some_turns():
    fight = {"turns": [2], "to_hit": 2, "to_wound": 2, "out_of_action": 2}
    warband = {"leader": 12, "others": [{"leadership": 12, "number": 3}], "casualties_from": [fight]}
    by_turn = found({"warband": warband, "turns": 2})
    assert by_turn["warband", 1]["p_tests"] == 0
    assert by_turn["warband", 2]["p_tests"] == close((5 / 6) ** 3)


def test_enemies_who_are_out_of_action_strike_no_more():
    """One warrior a side, 1/8 a blow: A is out before its test with 1/8; then B with 7/8 * 1/8."""
    question = {
        "warband": {"name": "A", "leader": 12, "casualties_from": [{"of": "B", "number": 5, **EVEN}]},
        "rivals": [{"name": "B", "leader": 12, "casualties_from": [{"of": "A", "number": 5, **EVEN}]}],
        "turns": 1,
    }
    by_turn = found(question)
    assert by_turn["A", 1]["p_all_out"] == close(1 / 8)
    assert by_turn["B", 1]["p_all_out"] == close(7 / 64)


BRAWL = {
    "warband": {
        "name": "reiklanders",
        "leader": 8,
        "others": [{"leadership": 7, "number": 5}],
        "leader_falls": "random",
        "casualties_from": [{"of": "skaven", "number": 5, "attacks": 2, "save": 6}],
    },
    "rivals": [
        {
            "name": "skaven",
            "leader": 7,
            "others": [{"leadership": 6, "number": 9}],
            "others_stunned": 0.1,
            "casualties_from": [{"of": "reiklanders", "number": 4, "to_hit": 3}, {"number": 2, "turns": [1, 2]}],
        }
    ],
    "turns": 5,
}


def test_who_wins_this_brawl():
    """In one question; rolled alike. Blows that come from nobody are as good as stated casualties."""
    last = found(BRAWL, "last_left")[(5,)]
    assert sum(last.values()) == close(1)
    assert 0.1 < last["p_reiklanders"] < 0.9
    assert_sample_fits("mordheim", BRAWL, trials=100_000)
    result = morale.exact("mordheim", BRAWL)
    assert any("in fights" in each for each in result.not_modelled)


# --- sizes, and bad input -------------------------------------------------------------------------------------------


def test_three_warbands_of_nine():
    """Refused by both methods before: 804,357 states. The states are those of who is out, not of who will be."""
    nine = {"leader": 8, "others": [{"leadership": 7, "number": 8}], "casualties": 1}
    question = {"warband": nine | {"name": "A"}, "rivals": [nine | {"name": name} for name in "BC"]}
    assert sum(found(question, "last_left")[(8,)].values()) == close(1)
    sampled = morale.simulate("mordheim", question, 10_000, seed=1)
    assert sampled.trials == 10_000


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"warband": band("A"), "winner": "first_to_leave"}, "winner: there is one warband alone"),
        ({"warband": band("A b"), "rivals": [band("A_b")]}, "a name for each"),
        ({"warband": band("several left"), "rivals": [band("B")]}, "a name for each"),
        ({"warband": band("A", casualties_from=[{"of": "B"}])}, "no other warband 'B'"),
        (
            {"warband": band("A", casualties_from=[{"of": "skavn"}]), "rivals": [band("skaven")]},
            "did you mean 'skaven'",
        ),
        ({"warband": band("A", casualties_from=[{"turns": [9]}]), "turns": 8}, "turn 9 (allowed: 1 to 8)"),
        ({"warband": band("A", casualties_from=[{"to_hit": 8}])}, "casualties_from.0.to_hit: 8 is not usable"),
        ({"alone": {"leadership": 7, "first_run_elsewhere": False}}, "first_run_elsewhere: false"),
        ({"alone": {"leadership": 7, "combat_phases": 0}}, "combat_phases: 0 is not usable"),
    ],
)
def test_bad_input_is_told_in_one_message(question, message):
    with pytest.raises(InputError) as error:
        morale.exact("mordheim", question)
    assert message in str(error.value)
