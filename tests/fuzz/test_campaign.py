"""The mutation campaign, a short run of it; what failed once is asked again for ever (`make fuzz` runs a long one)."""

import math

import pytest

from tests.fuzz.campaign import kept
from tests.fuzz.doors import DOORS
from tests.fuzz.judgement import wrong_with, wrong_with_answer, wrong_with_message
from tests.fuzz.mutations import case
from tests.fuzz.odd import ODD, Odd, realised

SEED = 12
CASES, QUICK = 400, 160
AT_ONCE = 40


@pytest.mark.parametrize(("door", "given"), kept())
def test_what_failed_once_does_not_fail_again(door, given):
    assert wrong_with(door, given) is None


@pytest.mark.parametrize(
    "first",
    [pytest.param(first, marks=[pytest.mark.slow] if first >= QUICK else []) for first in range(0, CASES, AT_ONCE)],
)
def test_every_door_answers_or_refuses_in_one_clear_line(first):
    wrong = {number: wrong_with(*case(SEED, number)) for number in range(first, first + AT_ONCE)}
    assert {number: each for number, each in wrong.items() if each is not None} == {}


def test_what_is_odd_stands_where_its_name_stood():
    made = realised({"a": [Odd("nan"), 1], Odd("tuple"): {}})
    assert math.isnan(made["a"][0])
    assert made[1, 2] == {}
    assert all(realised(Odd(name)) is not None for name in ODD)


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (lambda given, folder: given["no such key"], "KeyError"),
        (lambda given, folder: {"p_broken": 1.5}, "p_broken = 1.5"),
        (lambda given, folder: {"mean": math.nan}, "no JSON"),
        (lambda given, folder: {"x": "\x1b[2J"}, "unprintable"),
        (lambda given, folder: (folder / ".out-ab12cd34.json").write_text("x"), "left behind"),
    ],
)
def test_the_judge_sees_what_is_wrong(monkeypatch, answer, wrong):
    monkeypatch.setitem(DOORS, "broken", (answer, []))
    assert (wrong_with("broken", {"a": 1}) or "").startswith(wrong)


def test_the_judge_of_messages_and_answers():
    assert wrong_with_message("attack.dice: 0 is not usable (allowed: 1 to 200)") is None
    assert wrong_with_message("a\nb") is not None
    assert wrong_with_message("a" * 2000) is not None
    assert wrong_with_answer({"p_won": 1.0, "outcomes": [{"probability": 0.5}]}) is None
