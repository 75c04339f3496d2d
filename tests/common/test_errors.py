"""What a user is told: one message that names the key, the value and what is allowed."""

import pytest

import analyser
from analyser.common.errors import InputError, TooLargeError, check_choice, nearest, printable, shown
from analyser.common.files import path_of
from tests.oracle.attacks import scenario


def message(**changes):
    """The message about a scenario with these changes to its sections; a key set to `...` is taken away."""
    given = scenario(dice=3)
    for section, keys in changes.items():
        changed = given.get(section, {}) | keys
        given[section] = {key: value for key, value in changed.items() if value is not ...}
    with pytest.raises(InputError) as caught:
        analyser.exact(given)
    return str(caught.value)


def test_a_message_has_place_problem_and_remedy():
    error = InputError("0 models", where="target.models", allowed="1 or more")
    assert str(error) == "target.models: 0 models (allowed: 1 or more)"
    assert str(error.inside("fight.toml")) == "fight.toml: target.models: 0 models (allowed: 1 or more)"
    assert str(InputError("0 models").inside("fight.toml")) == "fight.toml: 0 models"


def test_a_question_that_is_too_large_is_one_for_monte_carlo():
    wanted = "9 units (allowed: fewer; or --method monte-carlo (simulate))"
    assert analyser.TooLargeError is TooLargeError
    assert str(TooLargeError("9 units", less="fewer")) == wanted


def test_what_is_quoted_fits_a_line_of_a_terminal():
    assert printable("red\x1b[31m alert\n") == r"red\x1b[31m alert\n"
    assert printable("0123456789" * 3, 20) == "0123456 ... 3456789"
    assert [shown("Arc"), shown(10**5000)] == ["'Arc'", "an integer of thousands of digits"]
    assert shown(["Arc"] * 50) == "['Arc', 'Arc', 'Arc', 'Arc', ...]"


def test_the_nearest_names_come_best_first():
    assert nearest("damge", ["models", "damage", "damage_limit"])[0] == "damage"
    assert nearest("DAMAGE", ["damage"]) == ["damage"]
    assert nearest("zeppelin", ["models", "damage"]) == []


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        # Unknown keys, with the nearest right one.
        ({"target": {"modles": 6}}, ["target.modles", "unknown key", "'models'"]),
        ({"attack": {"extra_reroll": {"face": [], "dice": 1}}}, ["attack.extra_reroll.face", "'faces'"]),
        # Wrong types.
        ({"attack": {"dice": "12"}}, ["attack.dice", "'12'", "integer"]),
        ({"attack": {"dice": True}}, ["attack.dice", "True", "integer"]),
        ({"attack": {"qualities": "Arc"}}, ["attack.qualities", "'Arc'"]),
        # Absurd numbers.
        ({"attack": {"dice": 10**9}}, ["attack.dice", "1000000000", "1 to "]),
        ({"target": {"edge_distance": float("nan")}}, ["target.edge_distance"]),
        # Words that the rules do not know.
        ({"attack": {"rating": "improvd"}}, ["attack.rating", "'improvd'", "did you mean 'improved'"]),
        ({"attack": {"bonuses": ["aimed"]}}, ["attack.bonuses", "'aimed'", "aiming"]),
        ({"attack": {"extra_reroll": {"faces": ["heroic"], "dice": 1}}}, ["extra_reroll", "'heroic'"]),
        ({"target": {"officer": "second"}}, ["target.officer", "'second'", "last"]),
        # A die and a deck that cannot be.
        ({"ruleset": {"die": {}}}, ["ruleset", "die: 0 sides"]),
        ({"ruleset": {"deck": {"ace": 1}}}, ["ruleset", "'ace'", "0 to 99"]),
        # What does not fit together.
        ({"target": {"models": ...}}, ["target.models", "missing"]),
        ({"target": {"exposed": 11}}, ["target.exposed", "11 of 10 models", "1 to 10"]),
        ({"target": {"damage": 1}}, ["target.damage", "1 damage", "below the DAMAGE LIMIT"]),
        ({"attack": {"row": "rifles"}}, ["attack.row", "without an attacker"]),
    ],
)
def test_a_scenario_that_cannot_be_computed(changes, parts):
    said = message(**changes)
    assert [part for part in parts if part not in said] == []
    assert "\n" not in said


def test_what_is_no_path_is_told_what_is_allowed():
    with pytest.raises(InputError) as refused:
        path_of(5, "scenario")
    assert str(refused.value) == "scenario: 5 is neither a path nor a table (allowed: a path, or a table)"


def test_a_list_that_is_deeply_nested_is_no_choice():
    """It has no text: to write it out goes deeper than the interpreter does."""
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError, match="must be text, got "):
        check_choice(deep, "method", ["exact", "monte-carlo"])
