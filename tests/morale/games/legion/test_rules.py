"""Star Wars: Legion: each rule of LG-1 to LG-7, worked by hand, read plainly, and rolled."""

from fractions import Fraction
from itertools import product

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from analyser.common.errors import InputError
from analyser.morale.games.legion import rules
from tests.oracle.morale_checks import assert_same_on_any_threads, assert_sample_fits, rows

UNDER_FIRE = {
    "courage": 1,
    "tokens": 2,
    "received": {0: 0.25, 1: 0.5, 2: 0.25},
    "received_after": {0: 0.5, 1: 0.5},
    "edge_distance": 12.0,
    "move_distance": 6.0,
    "rounds": 3,
}


def first_round(question, table=None):
    return next(iter(rows(morale.exact("legion", question), table).values()))


def test_the_worked_check():
    """COURAGE 1, 2 tokens: panicked unless at least one die succeeds, (4/6)^2 = 4/9 (LG-2, LG-3)."""
    assert first_round({"courage": 1, "tokens": 2})["p_panicked"] == pytest.approx(4 / 9, abs=1e-12)


def test_three_tokens_leave_two_or_three():
    """COURAGE 1, 3 tokens: panicked at 2 or 3 tokens, so with 0 or 1 success: (4/6)^3 + 3 (2/6)(4/6)^2 = 20/27."""
    assert first_round({"courage": 1, "tokens": 3})["p_panicked"] == pytest.approx(20 / 27, abs=1e-12)


def test_suppressed_at_courage_and_one_action_fewer():
    """COURAGE 2, 2 tokens: suppressed without a success, 4/9; never panicked. Actions 2 - 4/9 = 14/9 (LG-4)."""
    found = first_round({"courage": 2, "tokens": 2})
    assert found["p_suppressed"] == pytest.approx(4 / 9, abs=1e-12)
    assert found["p_panicked"] == 0
    assert found["mean_actions"] == pytest.approx(14 / 9, abs=1e-12)


def test_a_panicked_unit_has_no_action_of_its_own():
    """COURAGE 1, 2 tokens: panicked 4/9 (0 actions), 1 token 4/9 (1 action), 0 tokens 1/9 (2): 6/9 (LG-4, LG-5)."""
    assert first_round({"courage": 1, "tokens": 2})["mean_actions"] == pytest.approx(6 / 9, abs=1e-12)


def test_leaving_the_table_takes_one_panicked_move_for_each_full_speed():
    """COURAGE 1, 10 tokens that never go: 12 inches at 6 a move are two rounds, 13 inches three (LG-5)."""
    stuck = {"courage": 1, "tokens": 10, "move_distance": 6.0, "ruleset": {"rally_successes": 0, "end_phase_tokens": 0}}
    for distance, rounds in ((12.0, 2), (13.0, 3), (0.5, 1), (0.0, 1)):
        left = [
            each["p_left_table"] for each in rows(morale.exact("legion", stuck | {"edge_distance": distance})).values()
        ]
        assert left == [0.0] * (rounds - 1) + [1.0] * (7 - rounds)


def test_off_the_table_is_defeated_and_panics_no_more():
    """COURAGE 1, 2 tokens, one move from the edge: leaves with 4/9 in round 1 (LG-5); then at most 1 token, 0 after."""
    found = list(
        rows(morale.exact("legion", {"courage": 1, "tokens": 2, "edge_distance": 6.0, "move_distance": 6.0})).values()
    )
    assert found[0]["p_left_table"] == found[0]["p_defeated"] == pytest.approx(4 / 9, abs=1e-12)
    assert found[1]["p_panicked"] == 0
    assert found[5]["p_defeated"] == pytest.approx(4 / 9, abs=1e-12)


def test_a_commander_lends_courage_only_if_it_is_better():
    """2 tokens panic COURAGE 1, not with a commander of 2 (threshold 4); one of COURAGE 1 is no help to a 3 (LG-3)."""
    with_him = rows(morale.exact("legion", {"courage": 1, "tokens": 2, "commander_courage": 2, "rounds": 1}))
    assert with_him["with", 1]["p_panicked"] == 0
    assert with_him["without", 1]["p_panicked"] == pytest.approx(4 / 9, abs=1e-12)
    assert with_him["with", 1]["p_suppressed"] == with_him["without", 1]["p_suppressed"]
    assert rules.better_courage(3, 1) == 3


def test_a_commander_out_of_range_is_no_commander():
    found = morale.exact("legion", {"courage": 1, "tokens": 2, "commander_courage": 2, "commander_range": 4})
    assert {commander for commander, _ in rows(found)} == {"without"}
    assert "LG-3" in found.warnings[0]


def test_without_courage_never_suppressed_never_panicked():
    found = first_round({"courage": "none", "tokens": 20})
    assert (found["p_suppressed"], found["p_panicked"], found["mean_actions"]) == (0, 0, pytest.approx(2))


def test_the_panic_token_goes_below_twice_courage():
    """4 tokens, no successes, COURAGE 2: panicked in round 1; 3 tokens after it, so not in round 2 (LG-6)."""
    found = rows(morale.exact("legion", {"courage": 2, "tokens": 4, "ruleset": {"rally_successes": 0}}))
    assert [each["p_panicked"] for each in found.values()] == [1, 0, 0, 0, 0, 0]


def test_tokens_after_the_end_phase():
    """1 token, round 1: gone by the rally 1/3, else by the end phase: 0 at the end in any case (LG-2, LG-7)."""
    tokens = rows(morale.exact("legion", {"courage": 1, "tokens": 1, "rounds": 1}), "tokens")
    assert tokens["without", 1, "after rally", 0]["probability"] == pytest.approx(1 / 3, abs=1e-12)
    assert tokens["without", 1, "end of round", 0]["probability"] == pytest.approx(1, abs=1e-12)


def test_a_unit_destroyed_by_fire_is_defeated_but_has_not_left():
    found = list(rows(morale.exact("legion", {"courage": 1, "destroyed": 0.5})).values())
    assert found[1]["p_destroyed"] == found[1]["p_defeated"] == pytest.approx(0.75, abs=1e-12)
    assert found[1]["p_left_table"] == 0


# --- a plain reading: every die on its own, fractions, no table ------------------------------------------------


def plain_rounds(courage, tokens, before, after, moves_to_edge, rounds, panic_courage):
    """P(suppressed), P(panicked), P(left) by round, by enumerating every die."""
    law, left = {(tokens, 0): Fraction(1)}, Fraction(0)
    for _ in range(rounds):
        suppressed = panicked = Fraction(0)
        following = {}
        for (held, moves), chance in law.items():
            for got, p_got in before.items():
                total = held + got
                for faces in product((0, 0, 0, 0, 1, 1), repeat=total):
                    share = chance * p_got * Fraction(1, 6**total)
                    kept = total - sum(faces)
                    is_panicked = kept >= 2 * panic_courage
                    suppressed += share * (kept >= courage)
                    panicked += share * is_panicked
                    if is_panicked and moves + 1 == moves_to_edge:
                        left += share
                        continue
                    for more, p_more in after.items():
                        state = max(kept + more - 1, 0), moves + is_panicked
                        following[state] = following.get(state, 0) + share * p_more
        law = following
        yield suppressed, panicked, left


@pytest.mark.slow
@pytest.mark.parametrize("commander", [None, 2])
@pytest.mark.parametrize("courage", [1, 2])
def test_against_the_plain_reading(courage, commander):
    quarter, half = Fraction(1, 4), Fraction(1, 2)
    before, after = {0: quarter, 1: half, 2: quarter}, {0: half, 1: half}
    plain = list(plain_rounds(courage, 2, before, after, 2, 3, max(courage, commander or 0)))
    found = rows(morale.exact("legion", UNDER_FIRE | {"courage": courage, "commander_courage": commander}))
    for turn, expected in enumerate(plain, start=1):
        row = found["with" if commander else "without", turn]
        names = ("p_suppressed", "p_panicked", "p_left_table")
        assert [row[name] for name in names] == pytest.approx([float(each) for each in expected], abs=1e-12)


@pytest.mark.parametrize(
    "question",
    [
        UNDER_FIRE,
        UNDER_FIRE | {"courage": 2, "commander_courage": 3, "destroyed": 0.05, "rounds": 6},
        UNDER_FIRE | {"received": [3, {0: 0.3, 4: 0.7}, 1], "ruleset": {"rally_sides": 1000, "rally_successes": 300}},
    ],
)
def test_the_dice_agree_with_the_law(question):
    assert_sample_fits("legion", question)


def test_same_seed_same_bits():
    assert_same_on_any_threads("legion", UNDER_FIRE)


# --- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"courage": 0}, "courage: 0 is not usable (allowed: 1 to 20 or 'none')"),
        ({"courage": -1}, "allowed: 1 to 20 or 'none'"),
        ({"courage": True}, "allowed: an integer or 'none'"),
        ({}, "courage: this key is missing"),
        ({"courage": 1, "tokens": -1}, "tokens: -1 is not usable"),
        ({"courage": 1, "edge_distance": -3.0, "move_distance": 6.0}, "edge_distance: -3.0 is not usable"),
        ({"courage": 1, "edge_distance": 3.0, "move_distance": 0}, "move_distance: 0 is not usable"),
        ({"courage": 1, "edge_distance": 3.0}, "allowed: both, or neither"),
        ({"courage": 1, "received": {0: 0.5, 1: 0.6}}, "add up to 1.1"),
        ({"courage": 1, "received": {0: 1.5, 1: -0.5}}, "as a probability"),
        ({"courage": 1, "received": [1, 2]}, "received has 2 numbers"),
        ({"courage": 1, "received": "many"}, "an integer, or a table"),
        ({"courage": 1, "destroyed": 1.2}, "destroyed: 1.2 is not usable"),
        ({"courage": 1, "rounds": 0}, "rounds: 0 is not usable"),
        ({"courage": 1, "corage": 1}, "did you mean 'courage'"),
        ({"courage": 1, "ruleset": {"rally_successes": 7}}, "rally_successes 7 of 6 sides"),
        ({"courage": 1, "tokens": 60, "received": 100, "rounds": 100}, "--method monte-carlo"),
    ],
)
def test_bad_input_is_told_in_one_message(wrong, told):
    with pytest.raises(InputError) as error:
        morale.exact("legion", wrong)
    assert told in str(error.value)


def test_the_command_line_tells_it_too_and_exits_2():
    found = CliRunner().invoke(cli, ["morale", "legion", "--courage", "0"])
    assert found.exit_code == 2
    assert found.stderr == "error: --courage: 0 is not usable (allowed: 1 to 20 or 'none')\n"


def test_options_go_before_the_file(tmp_path):
    path = tmp_path / "unit.toml"
    path.write_text("courage = 1\ntokens = 5\nrounds = 1\n", encoding="utf-8")
    found = CliRunner().invoke(cli, ["morale", "legion", str(path), "--tokens", "2", "--format", "csv"])
    assert found.exit_code == 0, found.stderr
    header, *lines = found.stdout.splitlines()
    assert header == "table,method,commander,round,measure,value,when,tokens,profiles"
    (line,) = [each for each in lines if ",p_panicked," in each]
    assert line.startswith("rounds,exact,without,1,p_panicked,0.444444444444")
