"""Policies in words: what is read, and how what cannot be read is told."""

from itertools import product

import pytest

from analyser import InputError
from analyser.rules.activation import STOP_IS_DISTANCE
from analyser.rules.policies import POLICIES, Action, Manoeuvre, Policy, View, allowed_decision
from analyser.rules.policy_lines import (
    TACTIC_LINES,
    TO_RANGE,
    TO_SHORT_RANGE,
    VIEW_COUNT,
    Condition,
    allowed_decisions_by_view,
    decide,
    lines_of,
    view_index,
)

WHERE = "duel.policy_a"


def test_the_tactics_are_lists():
    assert TACTIC_LINES.keys() == POLICIES.keys()
    assert [line.text for line in TACTIC_LINES["shoot"]] == ["aim and shoot if in range", "advance and shoot"]


def test_orders_by_number_are_those_of_each_view():
    orders, seen = allowed_decisions_by_view(), set()
    for flags in product((0, 1), repeat=5):
        rally_failed, *rest = flags
        view = View(rally_failed, 0, *rest, 700)
        seen.add(view_index(view))
        for policy in Policy:
            wanted = allowed_decision(*decide(policy, view), view)
            assert tuple(orders[policy, view_index(view)]) == wanted
    assert seen == set(range(VIEW_COUNT))


def test_a_sentence_is_read_as_lines():
    lines = lines_of("lookout until the enemy is within 12, then charge if it is suppressed, else aim and shoot", WHERE)
    assert [(line.manoeuvre, line.action) for line in lines] == [
        (Manoeuvre.STAY, Action.GO_ON_LOOKOUT),
        (Manoeuvre.CHARGE, Action.NOTHING),
        (Manoeuvre.AIM, Action.SHOOT),
    ]
    assert lines[0].conditions == (Condition("distance", "<=", 12.0, negated=True),)
    assert lines[1].conditions == (Condition("enemy suppressed"),)


@pytest.mark.parametrize(
    ("said", "manoeuvre", "stop"),
    [
        ("advance 3 inches and shoot", Manoeuvre.ADVANCE, 300),
        ('retire 1.5" and shoot', Manoeuvre.RETIRE, 150),
        ("retire at double time 9 inches", Manoeuvre.RETIRE_AT_DOUBLE_TIME, 900),
        ("close in and shoot", Manoeuvre.ADVANCE, TO_SHORT_RANGE),
        ("close in to 12 inches and shoot", Manoeuvre.ADVANCE, STOP_IS_DISTANCE | 1200),
        ("retire to range and shoot", Manoeuvre.RETIRE, TO_RANGE),
        ("double time to short range", Manoeuvre.DOUBLE_TIME, TO_SHORT_RANGE),
        ('double time to 9.5"', Manoeuvre.DOUBLE_TIME, STOP_IS_DISTANCE | 950),
        ("retire at double time to range", Manoeuvre.RETIRE_AT_DOUBLE_TIME, TO_RANGE),
    ],
)
def test_moves_and_how_far_they_go(said, manoeuvre, stop):
    (line,) = lines_of(said, WHERE)
    assert (line.manoeuvre, line.stop) == (manoeuvre, stop)
    assert line.action == (Action.SHOOT if "shoot" in said else Action.NOTHING)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "advance 0 inches",
            r"'advance 0 inches': the distance is out of range \(allowed: more than 0, up to 1000 inches\)",
        ),
        ("double time to rnge", "unknown order 'double time to rnge'; did you mean 'double time to range'"),
        ("double time to range and shoot", "this move allows no other action"),
        ("advnce 3 inches", "unknown order 'advnce 3 inches'; did you mean 'advance'"),
    ],
)
def test_moves_that_are_none(said, told):
    with pytest.raises(InputError, match=told):
        lines_of(said, WHERE)


@pytest.mark.parametrize(
    ("said", "condition"),
    [
        ("in range", Condition("in range")),
        ("I have failed to rally", Condition("rally failed")),
        ("he is not on lookout", Condition("enemy on lookout", negated=True)),
        ("at most 2 models", Condition("models", "<=", 2.0)),
        ("my models are exactly 3", Condition("models", "==", 3.0)),
        ("enemy models < 4", Condition("enemy models", "<", 4.0)),
        ('the enemy is beyond 10.5"', Condition("distance", ">", 10.5)),
        ("rounds left at least 2", Condition("rounds left", ">=", 2.0)),
    ],
)
def test_conditions(said, condition):
    assert lines_of(f"hold if {said}", WHERE)[0].conditions == (condition,)


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        (["aim and shoot", "chrage"], r"duel.policy_a: line 2: unknown order 'chrage'; did you mean 'charge'\?"),
        (["hold if enemy supressed"], r"line 1: unknown condition 'enemy supressed'; did you mean 'enemy suppressed'"),
        (["hold", "charge"], r"line 2, 'charge', is never reached: line 1, 'hold', has no condition"),
        (["hold if models at least 3 and models at most 2"], r"line 1: models cannot be at least 3 and at most 2"),
        (["hold if fewer than 0 models"], r"models cannot be fewer than 0"),
        (["hold if the enemy is beyond 12 and within 12"], r"distance cannot be more than 12 and at most 12"),
        (
            ["hold if in short range and not in range"],
            r"line 1: contradictory conditions: in short range, and not in range",
        ),
        (["charge unless within reach"], r"not within reach, and within reach \(implied\)"),
        (["shoot if not in range"], r"line 1: contradictory conditions: not in range, and in range \(implied\)"),
        (
            ["lookout until the enmy is within 12"],
            r"line 1: unknown condition 'the enmy is within 12'; did you mean 'enemy'\?",
        ),
        (["charge and shoot"], r"line 1: 'charge and shoot': this move allows no other action"),
        (["take cover with rifles"], r"with 'rifles': the order does not shoot"),
        (["hold until suppressed and reloading"], r"`until` takes one condition"),
        (["hold if within 3 apples"], r"line 1: unknown condition 'within 3 apples'"),
        ([], r"0 lines"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(policy, told):
    with pytest.raises(InputError, match=told):
        lines_of(policy, WHERE)


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ("shoot; shoot", r"line 2, 'shoot', is never reached: line 1, 'shoot', applies whenever line 2 would"),
        ("stay and shoot; hold if suppressed; aim and shoot", r"line 3, 'aim and shoot', .*: line 1, 'stay and shoot'"),
        ("hold if suppressed; charge if suppressed and reloading", r"line 2"),
        ("hold if fewer than 3 models; charge if at most 2.5 models", r"line 2"),
        ("shoot with rifles; shoot with carbines; advance and shoot with rifles if in range", r"line 3.*: line 1"),
    ],
)
def test_a_line_that_is_never_come_to_is_told_with_the_one_that_takes_all_of_it(policy, told):
    with pytest.raises(InputError, match=told):
        lines_of(policy, WHERE)


@pytest.mark.parametrize(
    "policy",
    [
        "shoot; advance and shoot",
        "shoot with rifles; shoot",  # another row may reach
        "charge if suppressed; hold if suppressed and reloading",  # who cannot charge holds
        "hold if suppressed and reloading; advance if suppressed",
        "advance if suppressed; retire if not suppressed; hold",  # two together: a last resort, as warnings ask for
    ],
)
def test_a_line_that_can_be_come_to_is_taken(policy):
    assert len(lines_of(policy, WHERE)) == 1 + policy.count(";")
