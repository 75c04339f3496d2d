"""Grande Tactique: samples beside the law, bad input, the command line, and which rules an answer names."""

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from analyser.common.errors import InputError
from analyser.morale.games.grande_tactique import rules
from tests.oracle.morale_checks import assert_same_on_any_threads, assert_sample_fits, assert_sample_is_near

# --- by Monte Carlo -----------------------------------------------------------------------------------------------

ALL_SECTIONS = {
    "check": {"quality": "veteran"},
    "flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18, "surrounded": 0.1},
    "column": {
        "arm": "cavalry",
        "enemy": "cavalry",
        "edge_distance": 30,
        "friends": [
            {"distance": 6, "arm": "cavalry", "shaken": 0.3},
            {"distance": 15, "shaken": 0.6},
            {"distance": 20, "arm": "cavalry"},
        ],
    },
    "rout": {
        "units": [{"edge_distance": 20}, {"arm": "cavalry", "edge_distance": 40}, {"shelter_distance": 10}],
        "charged_by_infantry": 0.2,
        "charged_by_cavalry": 0.1,
        "turns": 4,
    },
    "division": {"units": [{"rout": 0.1}, {"rout": 0.3, "lost": 0.4}, {"rout": 0.2}], "turns": 4},
}


@pytest.mark.parametrize("section", ALL_SECTIONS)
def test_the_dice_agree_with_the_law(section):
    assert_sample_fits("grande-tactique", {section: ALL_SECTIONS[section]})


def test_same_seed_same_bits():
    assert_same_on_any_threads("grande-tactique", ALL_SECTIONS, trials=70_000)


def test_a_sample_says_what_the_law_says():
    tables = ("check", "fates", "chain", "friends", "rout", "division", "units", "still_routed")
    assert_sample_is_near("grande-tactique", ALL_SECTIONS, tables, 10**6)


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({}, "nothing is asked"),
        ({"division": {"units": []}}, "division.units: 0 entries (allowed: at least 1)"),
        ({"division": {"units": [{"rout": 1.1}]}}, "division.units.0.rout: 1.1 is not usable"),
        ({"division": {"units": [{"rout": -0.1}]}}, "-0.1 is not usable"),
        ({"division": {"units": [{"rout": 0.1}] * 3, "corps_units": 2}}, "corps_units 2 (allowed: the division's 3"),
        ({"rout": {"units": []}}, "rout.units: 0 entries"),
        ({"rout": {"units": [{}], "charged_by_cavalry": 0.6, "charged_by_infantry": 0.6}}, "more than 1"),
        ({"rout": {"units": [{"arm": "cavalry", "in_shelter": True}]}}, "shelter for cavalry"),
        ({"rout": {"units": [{"arm": "artillery"}]}}, "'infantry' or 'cavalry'"),
        ({"flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": -1}}, "edge_distance: -1 is not usable"),
        ({"flight": {"arm": "cavalry", "enemy": "cavalery"}}, "did you mean 'cavalry'"),
        ({"flight": {"arm": "cavalry", "enemy": "cavalry", "surrounded": 2}}, "surrounded: 2 is not usable"),
        ({"column": {"arm": "infantry", "enemy": "cavalry", "friends": []}}, "0 entries"),
        (
            {"column": {"arm": "cavalry", "enemy": "cavalry", "old_guard": True, "friends": [{"distance": 1}]}},
            "old guard",
        ),
        ({"check": {"arm": "cavalry", "quality": "old guard"}}, "old guard cavalry"),
        ({"flihgt": {}}, "did you mean 'flight'"),
        ({"division": {"units": [{"rout": 0.1, "lost": 0.1}] * 14}}, "--method monte-carlo"),
    ],
)
def test_bad_input_is_told_in_one_message(wrong, told):
    with pytest.raises(InputError) as error:
        morale.exact("grande-tactique", wrong)
    assert told in str(error.value)


def test_the_command_line():
    found = CliRunner().invoke(
        cli,
        [
            "morale",
            "grande-tactique",
            "--flight-arm",
            "cavalry",
            "--flight-enemy",
            "cavalry",
            "--flight-edge-distance",
            "18",
            "--division-units",
            "[{rout = 0.5}, {rout = 0.4}]",
        ],
    )
    assert found.exit_code == 0, found.stderr
    assert "58.33%" in found.stdout
    wrong = CliRunner().invoke(cli, ["morale", "grande-tactique", "--division-units", "[]"])
    assert wrong.exit_code == 2
    assert wrong.stderr == "error: --division-units: 0 entries (allowed: at least 1)\n"


@pytest.mark.parametrize(
    ("rout", "rules_told"),
    [
        ({"units": [{}]}, {"GT-6 flight again", "GT-6 rally"}),
        ({"units": [{}], "pips_elsewhere": 5}, {"GT-6 flight again"}),  # 1 PIP is left of 6
        (
            {"units": [{}], "charged_by_cavalry": 0.1},
            {"GT-6 flight again", "GT-6 rally", "GT-7 charges against routed units"},
        ),
        ({"units": [{}], "standing": 2}, {"GT-6 flight again", "GT-6 rally"}),
        ({"units": [{}], "standing": 1}, {"GT-6 flight again", "GT-8 collapse forbids rallying"}),
        ({"units": [{"edge_distance": 9}]}, {"GT-5 the map edge", "GT-6 flight again", "GT-6 rally"}),
    ],
)
def test_rules_are_called_applied_that_can_have_their_occasion(rout, rules_told):
    assert set(morale.exact("grande-tactique", {"rout": rout}).rules_applied) == rules_told


@pytest.mark.parametrize(
    ("section", "left_out"),
    [
        ("check", ["squares", "Locked in Combat", "attached generals: swept along"]),
        ("flight", ["Locked in Combat", "taken prisoner", "GT-5 direction"]),
        ("column", ["GT-4 pursuit", "GT-5 a gap", "GT-5 direction"]),
        ("rout", ["attached generals", "GT-5 friends in the way", "GT-10", "GT-11"]),
        ("division", ["attached generals", "GT-10", "GT-8 where a halted corps"]),
    ],
)
def test_what_no_number_comes_from_is_named(section, left_out):
    told = " ".join(morale.exact("grande-tactique", {section: ALL_SECTIONS[section]}).not_modelled)
    assert [each for each in left_out if each not in told] == []


def test_steps_read_as_the_rules():
    assert rules.flight_dice(rules.CAVALRY, rules.CAVALRY) == 2
    assert rules.passed_through(rules.EAGER, rules.INFANTRY) == rules.SHAKEN
    assert rules.passed_through(rules.SHAKEN, rules.INFANTRY) == rules.FLEEING
    assert not rules.has_collapsed(2, 1)
    assert rules.has_collapsed(1, 1)
    assert rules.is_halted(2, 4)
