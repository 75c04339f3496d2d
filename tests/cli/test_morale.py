"""Questions about morale on the command line: told with their defaults, and found by `run` too."""

import pytest

from analyser.morale.systems import system_of
from tests.helpers.shell import answer, refusal

QUESTIONS = {
    "legion": "courage = 1\ntokens = 2\n",
    "grande-tactique": '[check]\nquality = "veteran"\n',
    "warmaster": "dice = 2\n",
    "mordheim": "[warband]\nleader = 8\n",
    "compare": "models = 4\nlosses = 1\n",
}


@pytest.mark.parametrize("system", QUESTIONS)
def test_run_answers_a_question_about_morale(file, system):
    path = file(QUESTIONS[system])
    assert answer("run", path) == answer("morale", system, path)


def test_run_knows_a_duel_from_a_comparison(file):
    duel = '[duel]\nrounds = 1\n[a]\nunit = "crown/rifle-p@basic"\n[b]\nunit = "crown/rifle-p@basic"\n'
    assert answer("run", file(duel)) == answer("duel", *["crown/rifle-p@basic"] * 2, "--rounds", "1")
    first = answer("run", file(f"nerve = 0.5\n{duel}")).split("\n")[0]
    assert first.endswith("Four games and Armoured Clash side by side")


@pytest.mark.parametrize("keys", [{}, {"rounds": 3}, {"attack": {}, "target": {}}, {"models": 3, "attack": {}}])
def test_what_is_no_question_about_morale_is_left_to_the_fights(keys):
    assert system_of(keys) is None


def test_defaults_are_told_and_values_are_written_as_in_a_file():
    text = answer("morale", "mordheim", "--warband-leader", "8")
    assert "leader_falls = random" in text
    assert "None" not in text
    assert "Received after  0" in answer("morale", "legion", "--courage", "1")


def test_a_value_of_the_ruleset_says_where_the_shipped_one_stands():
    told = " ".join(answer("morale", "compare", "--help-all").split())
    assert "--ruleset-legion-rally-sides N Replaces the value in morale/legion.toml." in told
    assert told.count("Replaces the value in ruleset.toml.") == 3  # die, deck, rules


def test_a_file_of_another_game_and_missing_options_are_named(file):
    assert "this is a question about Warmaster" in refusal("morale", "legion", file("dice = 2\n"))
    one_distance = refusal("morale", "legion", "--courage", 1, "--edge-distance", 12)
    assert one_distance.startswith("error: --edge-distance, --move-distance: ")
    assert "--losses" in refusal("morale", "compare", "--models", 6)
