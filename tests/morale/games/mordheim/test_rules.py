"""Mordheim: each rule of MD-1 to MD-10, worked by hand, read plainly, and rolled."""

from fractions import Fraction

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from analyser.common.errors import InputError
from analyser.morale.games.mordheim import rules
from tests.oracle import plain_mordheim as plain
from tests.oracle.morale_checks import assert_same_on_any_threads, assert_sample_fits, rows
from tests.oracle.mordheim_checks import differences

QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)


def found(question, table=None):
    return rows(morale.exact("mordheim", question), table)


def band(leader=8, others=((8, 3),), **more):
    """A warband of four that has lost one already, unless told otherwise: a test is due every turn."""
    groups = [{"leadership": leadership, "number": number} for leadership, number in others]
    return {"leader": leader, "others": groups, "out": 1, **more}


def fighting(warband, turns=3, name="warband", **more):
    by_turn = found({"warband": warband, "turns": turns, **more})
    return [by_turn[name, turn]["p_fighting"] for turn in range(1, turns + 1)]


# --- leadership tests and rout tests ------------------------------------------------------------------------------


def test_the_worked_checks():
    """Ld 7: 21/36. Ld 8: 26/36. Three rout tests in a row at Ld 8: (26/36)^3 = 0.3767 (MD-1)."""
    assert fighting(band(7, [(7, 3)]), 1) == [pytest.approx(21 / 36, abs=1e-12)]
    assert fighting(band()) == pytest.approx([(26 / 36) ** turn for turn in (1, 2, 3)], abs=1e-12)
    assert fighting(band())[2] == pytest.approx(0.3767, abs=5e-5)


def test_a_test_is_due_from_exactly_a_quarter():
    """1 of 4 is a quarter, 1 of 5 is not (MD-1)."""
    assert fighting(band(others=[(8, 4)])) == [1, 1, 1]
    assert rules.rout_test_due(2, 8)
    assert not rules.rout_test_due(2, 9)


def test_the_leader_out_leaves_the_best_of_the_others():
    """Leader 9 first out, others 7 and 6: tests on 7, 21/36; had he stayed, 30/36 (MD-1)."""
    others = [(6, 2), (7, 1)]
    assert fighting(band(9, others, leader_falls="first"), 1) == [pytest.approx(21 / 36, abs=1e-12)]
    assert fighting(band(9, others, leader_falls="last"), 1) == [pytest.approx(30 / 36, abs=1e-12)]


def test_a_random_casualty_is_the_leader_once_in_four():
    """1/4 * 21/36 + 3/4 * 30/36 = 111/144."""
    assert fighting(band(9, [(7, 3)]), 1) == [pytest.approx(111 / 144, abs=1e-12)]


def test_a_stunned_leader_lends_no_leadership():
    """Stunned with 1/2: 1/2 * 30/36 + 1/2 * 15/36 (Ld 9 and 6)."""
    stunned = band(9, [(6, 3)], leader_falls="last", leader_stunned=0.5)
    assert fighting(stunned, 1) == [pytest.approx(45 / 72, abs=1e-12)]


def test_stunned_others_do_not_count_either():
    """Leader out first; a 7 and two 6s, each stunned with 1/2: 1/2 * 21/36 + 1/2 * 3/4 * 15/36 + 1/8 * 0 = 87/192."""
    stunned = band(9, [(7, 1), (6, 2)], leader_falls="first", others_stunned=0.5)
    expected = 1 / 2 * 21 / 36 + 1 / 2 * 3 / 4 * 15 / 36
    assert fighting(stunned, 1) == [pytest.approx(expected, abs=1e-12)]


def test_the_leader_lost_in_a_turn_is_one_of_its_casualties():
    """12 warriors, 2 out: no test. Turn 2: the leader makes it 3, a quarter; tests on 6, 15/36."""
    warband = band(9, [(6, 11)], leader_falls=2) | {"out": 2}
    assert fighting(warband, 2) == [1, pytest.approx(15 / 36, abs=1e-12)]


def test_immune_warbands_test_all_the_same():
    assert fighting(band(immune_to_psychology=True)) == fighting(band())
    assert "MD-1" in morale.exact("mordheim", {"warband": band(immune_to_psychology=True)}).warnings[0]


def test_giving_up_is_for_the_start_of_a_turn_and_from_a_quarter_on():
    """Would give up at 1 out of 8, but may not before 2 (MD-2); then he does, without a test."""
    warband = {"leader": 8, "others": [{"leadership": 7, "number": 7}], "casualties": [1, 1, 0], "gives_up_at": 1}
    by_turn = found({"warband": warband, "turns": 3})
    assert [row["p_gave_up"] for row in by_turn.values()] == pytest.approx([0, 1, 1])
    assert [row["p_may_have_given_up"] for row in by_turn.values()] == pytest.approx([0, 1, 1])
    assert [row["p_tests"] for row in by_turn.values()] == [0, 0, 0]


def test_a_warband_without_warriors_is_all_out():
    assert found({"warband": band(out=4), "turns": 1})["warband", 1]["p_all_out"] == pytest.approx(1)


def test_effect_of_the_leader():
    """Leader never lost: the tests of his Leadership; lost first: those of the others, whatever he was."""
    by_leadership = found({"warband": band(others=[(7, 3)]), "turns": 2, "effect_of_leader": True}, "leader")
    for (leadership,), row in by_leadership.items():
        assert row["p_fighting_never_lost"] == pytest.approx(float(plain.passes(leadership)) ** 2, abs=1e-12)
        assert row["p_fighting_lost_first"] == pytest.approx((21 / 36) ** 2, abs=1e-12)


def test_more_than_two_players():
    """A routs surely at its first test (Ld 2 is 1/36); the rest play on until one is left (MD-3).

    Turn 1, in order of play: A stays with a = 1/36, B with b = 26/36, C with c = 26/36, unless it is the last.
    C last: A and B gone. B last: A gone, B stays, C gone. A last: A stays, B and C gone.
    """
    question = {"warband": band(2, [(2, 3)], name="A"), "rivals": [band(name="B"), band(name="C")], "turns": 1}
    a, b = Fraction(1, 36), Fraction(26, 36)
    last = found(question, "last_left")[(1,)]
    assert last["p_C"] == pytest.approx(float((1 - a) * (1 - b)), abs=1e-12)
    assert last["p_B"] == pytest.approx(float((1 - a) * b * (1 - b)), abs=1e-12)
    assert last["p_A"] == pytest.approx(float(a * (1 - b) * (1 - b)), abs=1e-12)
    assert last["p_several_left"] == pytest.approx(1 - last["p_A"] - last["p_B"] - last["p_C"], abs=1e-12)


BANDS = {
    "random leader": ({"leader": 8, "others": [(7, 2), (6, 3)], "laws": [{0: QUARTER, 1: HALF, 2: QUARTER}] * 4}, {}),
    "leader stunned and gives up": (
        {"leader": 9, "others": [(6, 4)], "laws": [{0: HALF, 1: HALF}] * 5},
        {"leader_stunned": HALF, "gives_up_at": 3, "out": 1},
    ),
    "others stunned too": (
        {"leader": 8, "others": [(7, 2), (5, 2)], "laws": [{1: Fraction(1)}, {0: HALF, 2: HALF}, {0: Fraction(1)}]},
        {"leader_stunned": QUARTER, "others_stunned": QUARTER},
    ),
    "leader out in turn 2": (
        {"leader": 9, "others": [(7, 1), (6, 5)], "laws": [{0: HALF, 1: HALF}] * 3},
        {"leader_falls": 2, "out": 1},
    ),
    "leader first": ({"leader": 9, "others": [(7, 3)], "laws": [{1: Fraction(1)}] * 4}, {"leader_falls": "first"}),
    "nobody but the leader": ({"leader": 7, "others": [], "laws": [{0: HALF, 1: HALF}] * 2}, {}),
}


def asked(name):
    """A case as a question."""
    case, more = BANDS[name]
    casualties = [{number: float(chance) for number, chance in law.items()} for law in case["laws"]]
    groups = [{"leadership": leadership, "number": number} for leadership, number in case["others"]]
    plain_numbers = {key: float(each) if isinstance(each, Fraction) else each for key, each in more.items()}
    warband = {"leader": case["leader"], "others": groups, "casualties": casualties, **plain_numbers}
    return {"warband": warband, "turns": len(case["laws"])}


@pytest.mark.parametrize("name", BANDS)
def test_rout_against_the_plain_reading(name):
    assert differences(asked(name)) == []


# --- all alone and flight --------------------------------------------------------------------------------------------


def test_a_break_a_hit_and_a_run():
    """Ld 7 breaks with 15/36. Two hits that wound on 4+: lives with 1/4. 7 inches: 2d6 reaches it with 21/36 (MD-5)."""
    row = found({"alone": {"leadership": 7, "edge_behind": 7.0}, "turns": 1})[(0,)]
    assert row["p_broke"] == pytest.approx(15 / 36, abs=1e-12)
    assert row["p_down"] == pytest.approx(15 / 36 * 3 / 4, abs=1e-12)
    assert row["p_left_table"] == pytest.approx(15 / 36 / 4 * 21 / 36, abs=1e-12)


def test_a_save_and_a_second_wound_keep_him_alive():
    """Wounded on 4+ and saved on 5+: 1/2 * 2/3 = 1/3 a hit; two wounds: down with 1/9."""
    alone = {"leadership": 7, "save": 5, "wounds": 2}
    assert found({"alone": alone})[(0,)]["p_down"] == pytest.approx(15 / 36 / 9, abs=1e-12)


def test_rally_or_run_on():
    """Ld 7, runs elsewhere first, 2 inches from the edge: rallies 21/36, else any run takes him off it (MD-6)."""
    alone = {"leadership": 7, "edge": 2.0, "first_run_elsewhere": True, "to_wound": 7}
    row = found({"alone": alone})[(1,)]
    assert row["p_rallied"] == pytest.approx(15 / 36 * 21 / 36, abs=1e-12)
    assert row["p_left_table"] == pytest.approx(15 / 36 * 15 / 36, abs=1e-12)


def test_charged_while_he_flees_he_runs_before_his_rally():
    alone = {"leadership": 7, "edge": 2.0, "first_run_elsewhere": True, "to_wound": 7, "charged": 1.0}
    assert found({"alone": alone})[(1,)]["p_left_table"] == pytest.approx(15 / 36, abs=1e-12)


def test_no_friend_near_and_two_opponents_make_him_all_alone():
    for alone in ({"opponents": 1}, {"friends_near": 1}):
        assert found({"alone": {"leadership": 7, **alone}})[(8,)]["p_holds"] == pytest.approx(1)


def test_a_leader_on_his_feet_helps_to_rally():
    """Ld 9 instead of 7: 30/36; a leader who is knocked down, stunned or fleeing lends nothing (MD-4)."""
    alone = {"leadership": 7, "to_wound": 7, "first_run_elsewhere": True, "rally_leader": 9}
    assert found({"alone": alone})[(1,)]["p_rallied"] == pytest.approx(15 / 36 * 30 / 36, abs=1e-12)
    for state in ("knocked_down", "stunned", "fleeing"):
        row = found({"alone": alone | {"leader_state": state}})[(1,)]
        assert row["p_rallied"] == pytest.approx(15 / 36 * 21 / 36, abs=1e-12)


FLIGHTS = {
    "from the middle": {"leadership": 6, "opponents": 2, "edge": 20.5, "wounds": 1},
    "charged again and again": {
        "leadership": 5,
        "opponents": 3,
        "edge_behind": 30.0,
        "wounds": 2,
        "charged": 0.25,
        "save": 6,
    },
}


@pytest.mark.parametrize("name", FLIGHTS)
def test_flight_against_the_plain_reading(name):
    assert differences({"alone": FLIGHTS[name], "turns": 4}) == []


# --- combat ----------------------------------------------------------------------------------------------------------


def one_round(question, number=1):
    return found({"combat": question})[(number,)]


def test_frenzy_doubles_attacks_and_not_the_second_weapon():
    """2 attacks, a second weapon: 3; frenzied 5; half of them hit (MD-7)."""
    fighter = {"attacks": 2, "second_weapon": True}
    assert one_round({"fighter": fighter})["mean_fighter_hits"] == pytest.approx(1.5, abs=1e-12)
    assert one_round({"fighter": fighter | {"frenzy": True}})["mean_fighter_hits"] == pytest.approx(2.5, abs=1e-12)


def test_hatred_rerolls_misses_in_the_first_round_only():
    """4+: 1 - (1/2)^2 = 3/4 a blow in round 1, 1/2 in round 2 (MD-8)."""
    combat = {"fighter": {"hatred": True}, "rounds": 2}
    assert one_round(combat)["mean_fighter_hits"] == pytest.approx(3 / 4, abs=1e-12)
    assert one_round(combat, 2)["mean_fighter_hits"] == pytest.approx(1 / 2, abs=1e-12)


def test_charged_by_what_he_fears_he_needs_sixes():
    """Ld 7: 21/36 hits on 4+, 15/36 on 6: 21/36 * 1/2 + 15/36 * 1/6; next round on 4+ again (MD-9)."""
    combat = {"enemy": {"causes_fear": True}, "charger": "enemy", "rounds": 2}
    assert one_round(combat)["mean_fighter_hits"] == pytest.approx(21 / 72 + 15 / 216, abs=1e-12)
    assert one_round(combat, 2)["mean_fighter_hits"] == pytest.approx(1 / 2, abs=1e-12)


def test_a_failed_charge_is_no_combat_for_either():
    """Ld 7 charges what he fears: combat with 21/36; then neither strikes (MD-9): the hits hang together."""
    combat = {"enemy": {"causes_fear": True}, "charger": "fighter"}
    row = one_round(combat)
    assert row["p_combat"] == pytest.approx(21 / 36, abs=1e-12)
    assert row["mean_enemy_hits"] == pytest.approx(21 / 72, abs=1e-12)
    joint = found({"combat": combat}, "hits")
    assert joint[1, 0, 0]["probability"] == pytest.approx(15 / 36 + 21 / 36 / 4, abs=1e-12)


@pytest.mark.parametrize("word", ["causes_fear", "frenzy", "immune_to_psychology"])
def test_who_takes_no_test_of_fear(word):
    combat = {"fighter": {word: True}, "enemy": {"causes_fear": True}, "charger": "fighter"}
    assert one_round(combat)["p_combat"] == pytest.approx(1)


def test_frenzy_is_lost_when_knocked_down():
    """Knocked down each round with 1/2: 2 attacks or 1 in round 2: 1/2 * 1 + 1/2 * 1/2 hits (MD-7)."""
    combat = {"fighter": {"frenzy": True, "knocked_down": 0.5}, "rounds": 2}
    assert one_round(combat, 2)["p_fighter_frenzied"] == pytest.approx(1 / 2, abs=1e-12)
    assert one_round(combat, 2)["mean_fighter_hits"] == pytest.approx(3 / 4, abs=1e-12)


COMBATS = {
    "fear, hatred, two weapons": {
        "fighter": {"attacks": 2, "second_weapon": True, "hatred": True, "leadership": 8, "to_hit": 3},
        "enemy": {"attacks": 1, "frenzy": True, "causes_fear": True},
        "charger": "enemy",
    },
    "a failed charge": {
        "fighter": {"attacks": 2, "leadership": 6},
        "enemy": {"attacks": 2, "causes_fear": True, "hatred": True, "to_hit": 5},
        "charger": "fighter",
    },
    "nobody charges": {
        "fighter": {"attacks": 1, "hatred": True},
        "enemy": {"attacks": 3, "causes_fear": True},
        "charger": "nobody",
    },
}


@pytest.mark.parametrize("name", COMBATS)
def test_combat_against_the_plain_reading(name):
    assert differences({"combat": COMBATS[name]}) == []


# --- stupidity -------------------------------------------------------------------------------------------------------


def test_share_of_turns_lost_to_stupidity():
    """Ld 7 loses 15/36 of its turns, walking in half of them; over two turns none is lost with (21/36)^2 (MD-10)."""
    question = {"stupidity": {"leadership": 7}, "turns": 2}
    row = found(question, "stupidity")[(2,)]
    assert row["p_walks"] == row["p_idle"] == pytest.approx(15 / 72, abs=1e-12)
    assert row["mean_share_of_turns_lost"] == pytest.approx(15 / 36, abs=1e-12)
    lost = [row["probability"] for row in found(question, "turns_lost").values()]
    assert lost == pytest.approx([(21 / 36) ** 2, 2 * 21 * 15 / 36**2, (15 / 36) ** 2], abs=1e-12)


def test_stupid_in_combat_is_no_blows():
    row = found({"stupidity": {"leadership": 7, "in_combat": True}})[(1,)]
    assert (row["p_walks"], row["p_idle"]) == (0, 0)
    assert row["p_no_blows"] == pytest.approx(15 / 36, abs=1e-12)


def test_a_leader_near_helps_the_stupid():
    row = found({"stupidity": {"leadership": 4, "leader": 8}})[(1,)]
    assert row["p_sensible"] == pytest.approx(26 / 36, abs=1e-12)


# --- several tests at once -------------------------------------------------------------------------------------------


def test_two_tests_on_one_leader_hang_together():
    """Ld 6 near a leader of 9, stunned with 1/2: each fails with 1/2 * 6/36 + 1/2 * 21/36 = 27/72.

    Both: 1/2 * (6/36)^2 + 1/2 * (21/36)^2 = 477/2592, more than (27/72)^2 = 364.5/2592 (MD-4).
    """
    near = {"leadership": 6, "near_leader": True}
    question = {"together": {"leader": 9, "p_stunned": 0.5, "warriors": [near, near]}}
    both = found(question, "several")[("two or more fail",)]["probability"]
    each = [row["p_failed"] for row in found(question, "tests").values()]
    assert both == pytest.approx(477 / 2592, abs=1e-12)
    assert each == [pytest.approx(27 / 72, abs=1e-12)]


def test_after_a_failed_rout_test_nobody_tests():
    """Rout on Ld 7: 15/36 fail. The warrior of Ld 7 fails only if it was passed: 21/36 * 15/36 (MD-1)."""
    question = {"together": {"leader": 7, "rout_test": True, "warriors": [{"leadership": 7}]}}
    joint = found(question, "together")
    assert joint["standing", "failed", 0]["probability"] == pytest.approx(15 / 36, abs=1e-12)
    assert joint["standing", "passed", 1]["probability"] == pytest.approx(21 * 15 / 36**2, abs=1e-12)


@pytest.mark.parametrize(("state", "leadership"), [("p_out", 6), ("p_stunned", 6), ("p_knocked_down", 9)])
def test_the_rout_test_falls_to_another_only_if_the_leader_is_out_or_stunned(state, leadership):
    question = {"together": {"leader": 9, state: 1.0, "rout_test": True, "best_other": 6}}
    failed = found(question, "tests")[("rout test",)]["p_failed"]
    assert failed == pytest.approx(1 - float(plain.passes(leadership)), abs=1e-12)


# --- rolled ----------------------------------------------------------------------------------------------------------

ROLLED = {
    **{name: asked(name) for name in BANDS},
    "three warbands": {
        "warband": band(2, [(2, 3)], name="A", leader_falls="last"),
        "rivals": [band(name="B", leader_falls="last"), band(name="C", leader_falls="first")],
        "turns": 3,
    },
    **{name: {"alone": alone, "turns": 4} for name, alone in FLIGHTS.items()},
    **{name: {"combat": combat | {"rounds": 2}} for name, combat in COMBATS.items()},
    "stupidity": {"stupidity": {"leadership": 6}, "turns": 4},
    "together": {
        "together": {
            "leader": 9,
            "p_stunned": 0.25,
            "p_out": 0.25,
            "rout_test": True,
            "best_other": 7,
            "warriors": [{"leadership": 6, "near_leader": True}, {"leadership": 8}],
        }
    },
}


@pytest.mark.parametrize("name", ROLLED)
def test_the_sample_fits_the_law(name):
    assert_sample_fits("mordheim", ROLLED[name], trials=100_000)


def test_any_number_of_threads():
    assert_same_on_any_threads("mordheim", ROLLED["random leader"])


# --- bad input and the command line ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({}, "nothing is asked"),
        ({"warband": band(13)}, "warband.leader: 13 is not usable"),
        ({"warband": band(1)}, "warband.leader: 1 is not usable"),
        ({"warband": band(8, [(8, 0)])}, "warband.others.0.number: 0 is not usable"),
        ({"warband": {"others": []}}, "warband.leader: this key is missing"),
        ({"warband": band() | {"out": 5}}, "5 out of action of 4 (allowed: 0 to 4)"),
        ({"warband": band(casualties=[2, 2, 0]), "turns": 3}, "5 out of action of 4 that took part"),
        ({"warband": band(casualties=[0, 1]), "turns": 3}, "casualties has 2 numbers"),
        ({"warband": band(casualties={0: 0.5, 1: 0.6})}, "add up to 1.1 (allowed: 1)"),
        ({"warband": band(leader_stunned=1.5)}, "warband.leader_stunned: 1.5 is not usable"),
        ({"warband": band(leader_falls="frist")}, "warband.leader_falls"),
        ({"warband": band(leader_falls=9), "turns": 8}, "leader_falls: turn 9 (allowed: 1 to 8)"),
        ({"warband": {"name": "a", **band()}, "rivals": [{"name": "a", **band()}]}, "a name for each"),
        ({"alone": {"leadership": 7, "edge": -1.0}}, "alone.edge: -1.0 is not usable"),
        ({"together": {"leader": 7}}, "nobody tests"),
        ({"together": {"leader": 7, "p_out": 0.6, "p_stunned": 0.6, "warriors": [{"leadership": 7}]}}, "add up to 1.2"),
        ({"alone": {"leadrship": 7}}, "did you mean 'leadership'"),
    ],
)
def test_bad_input_is_one_clear_message(question, message):
    with pytest.raises(InputError) as error:
        morale.exact("mordheim", question)
    assert message in str(error.value)


def test_the_command():
    ran = CliRunner().invoke(
        cli,
        [
            "morale",
            "mordheim",
            "--warband-leader",
            "8",
            "--warband-others",
            "[{leadership = 7, number = 5}]",
            "--warband-casualties",
            "{0 = 0.5, 1 = 0.5}",
            "--turns",
            "3",
        ],
    )
    assert ran.exit_code == 0, ran.output
    assert "P(fighting)" in ran.output
    assert CliRunner().invoke(cli, ["morale", "mordheim", "--alone-leadership", "13"]).exit_code == 2
