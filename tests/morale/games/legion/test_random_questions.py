"""Star Wars: Legion: random questions over every key beside an independent reading of LG-1 to LG-7."""

import pytest

from analyser import morale
from analyser.common.errors import InputError
from analyser.morale.result_tables import picture_of
from tests.oracle import plain_legion as plain
from tests.oracle.morale_checks import assert_sample_fits, rows
from tests.oracle.readings import differences, unlikely


@pytest.mark.parametrize("seed", range(400))
def test_random_questions(seed):
    assert differences("legion", plain.questions(seed), plain.tables) == []


@pytest.mark.parametrize("seed", range(8))
def test_random_questions_rolled(seed):
    """Within five standard errors of the exact chances."""
    assert unlikely("legion", plain.questions(seed)) == []


def test_moves_of_a_fraction_of_an_inch_reach_the_edge():
    """LG-5: three moves of 6.1 inches are 18.3 inches, two are not."""
    stuck = {"courage": 1, "tokens": 10, "ruleset": {"rally_successes": 0, "end_phase_tokens": 0}}
    for edge, rounds in ((18.3, 3), (18.31, 4)):
        left = rows(morale.exact("legion", stuck | {"move_distance": 6.1, "edge_distance": edge})).values()
        assert [row["p_left_table"] for row in left] == [0.0] * (rounds - 1) + [1.0] * (7 - rounds)


def test_a_commander_near_in_some_rounds_only():
    """LG-3: two tokens that never go panic COURAGE 1, not with a commander of COURAGE 2 near."""
    stuck = {"courage": 1, "tokens": 2, "ruleset": {"rally_successes": 0, "end_phase_tokens": 0}, "rounds": 3}
    result = morale.exact("legion", stuck | {"commander_courage": 2, "commander_near": [False, 0.25, 1.0]})
    found = rows(result)
    assert [found["with", turn]["p_panicked"] for turn in (1, 2, 3)] == pytest.approx([1, 0.75, 0], abs=1e-12)
    assert [found["without", turn]["p_panicked"] for turn in (1, 2, 3)] == pytest.approx([1, 1, 1], abs=1e-12)


def test_how_many_tokens_until_it_panics_by_half():
    """COURAGE 1: 2 tokens 4/9, 3 tokens 20/27 (LG-2, LG-3); three attacks in round 1, by round 2 fewer are enough.

    Two attacks a round: 4/9 in round 1; else 0 or 1 token is left and the end phase takes it, so again 4/9: 56/81.
    """
    result = morale.exact("legion", {"courage": 1, "until_panic": True, "rounds": 2})
    tokens = rows(result, "tokens_until_panic")
    assert [row["p_panicked"] for row in tokens.values()] == pytest.approx([0, 0, 4 / 9, 20 / 27], abs=1e-12)
    attacks = rows(result, "attacks_until_panic")
    assert list(attacks) == [("without", 1, 3), ("without", 2, 2)]
    chances = [row["p_panicked_by_then"] for row in attacks.values()]
    assert chances == pytest.approx([20 / 27, 56 / 81], abs=1e-12)


def test_rolled_too():
    question = {
        "courage": 2,
        "commander_courage": 3,
        "commander_near": [1, 0.5, 0],
        "rounds": 3,
        "received": {1: 0.5, 3: 0.5},
        "edge_distance": 12,
        "move_distance": 6,
        "until_panic": 0.5,
    }
    assert_sample_fits("legion", question, trials=20_000, seeds=(1,))
    exact, rolled = (
        rows(result, "attacks_until_panic")
        for result in (morale.exact("legion", question), morale.simulate("legion", question, 100_000, seed=3))
    )
    assert list(exact) == list(rolled)


def test_what_it_takes_is_drawn():
    result = morale.exact("legion", {"courage": 1, "commander_courage": 2, "until_panic": True, "rounds": 2})
    drawn = [axes.get_title(loc="left") for axes in picture_of(result).axes]
    assert [title for title in drawn if "one activation" in title] == [
        f"Panicked at one activation, {case} a commander, percent" for case in ("with", "without")
    ]


def test_what_no_number_comes_from_is_named():
    told = " ".join(morale.exact("legion", {"courage": 1, "edge_distance": 12, "move_distance": 6}).not_modelled)
    for rule in ("terrain", "clambering", "melee", "engaged", "Jump, Reposition and Spur", "cohesion", "free actions"):
        assert rule in told
    assert "the edge is far" in " ".join(morale.exact("legion", {"courage": 1}).not_modelled)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"commander_near": [1, 0]}, "commander_near has 2 numbers (allowed: one for all rounds, or 6, one for each)"),
        ({"commander_near": 1.5}, "commander_near"),
        ({"commander_near": "often"}, "commander_near"),
        ({"until_panic": 0}, "until_panic: 0 is not usable"),
        ({"until_panic": 1}, "until_panic: 1 is not usable"),
        ({"until_panic": True, "courage": "none"}, "never panics, it has no COURAGE (LG-1) (allowed: left out)"),
        ({"until_panic": True, "ruleset": {"rally_successes": 6}}, "never panics, each token goes in the rally step"),
    ],
)
def test_bad_input_is_told(more, told):
    with pytest.raises(InputError) as error:
        morale.exact("legion", {"courage": 1, **more})
    assert told in str(error.value)


def test_a_commander_who_is_never_asked_for_is_warned_of():
    (warning,) = morale.exact("legion", {"courage": 1, "tokens": 2, "commander_near": 0.5}).warnings
    assert warning.startswith("commander_near has no effect")
