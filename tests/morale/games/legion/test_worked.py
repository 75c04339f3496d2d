"""Star Wars: Legion, LG-1 to LG-7 worked by hand."""

import pytest

from analyser import morale
from tests.oracle.morale_checks import assert_worked

STUCK = {"tokens": 10, "ruleset": {"rally_successes": 0, "end_phase_tokens": 0}}  # tokens that never go
TWO, OFF = {"courage": 1, "tokens": 2}, "p_left_table"


def by_round(column, values, commander="without"):
    """Expected values of a column of the main table by round."""
    return {("", commander, turn, column): value for turn, value in enumerate(values, start=1)}


def leaves(turn, rounds=6):
    """Expected values for a unit that leaves the table in round `turn`."""
    return by_round(OFF, [0] * (turn - 1) + [1] * (rounds - turn + 1))


WORKED = {
    "LG-2, LG-3: panicked unless a die succeeds, (4/6)^2": (TWO, by_round("p_panicked", [4 / 9])),
    "LG-4: suppressed at COURAGE, one action fewer": (
        {"courage": 2, "tokens": 2},
        by_round("p_suppressed", [4 / 9]) | by_round("p_panicked", [0]) | by_round("mean_actions", [14 / 9]),
    ),
    **{
        f"LG-5: {edge} inches at {move} a move": (
            STUCK | {"courage": 1, "edge_distance": edge, "move_distance": move},
            leaves(turn),
        )
        for edge, move, turn in (
            *((12.0, 6.0, 2), (13.0, 6.0, 3), (0.5, 6.0, 1), (0.0, 6.0, 1)),
            *((18.3, 6.1, 3), (18.31, 6.1, 4)),  # three moves of 6.1 are 18.3
        )
    },
    "LG-5: one move from the edge it leaves with 4/9 in round 1, then panics no more": (
        TWO | {"edge_distance": 6.0, "move_distance": 6.0},
        by_round(OFF, [4 / 9]) | by_round("p_defeated", [4 / 9] * 6) | by_round("p_panicked", [4 / 9, 0]),
    ),
    "LG-3: with a commander of 2 the threshold is 4, and suppression as without": (
        TWO | {"commander_courage": 2, "rounds": 1},
        by_round("p_panicked", [0], "with")
        | by_round("p_panicked", [4 / 9])
        | by_round("p_suppressed", [8 / 9], "with")
        | by_round("p_suppressed", [8 / 9]),
    ),
    "LG-1: without COURAGE never suppressed, never panicked": (
        {"courage": "none", "tokens": 20},
        by_round("p_suppressed", [0]) | by_round("p_panicked", [0]) | by_round("mean_actions", [2]),
    ),
    "LG-6: 4 tokens panic COURAGE 2, the 3 after the round do not": (
        {"courage": 2, "tokens": 4, "ruleset": {"rally_successes": 0}},
        by_round("p_panicked", [1, 0, 0, 0, 0, 0]),
    ),
    "LG-2, LG-7: 1 token, gone by the rally with 1/3, else by the end phase": (
        {"courage": 1, "tokens": 1, "rounds": 1},
        {
            ("tokens", "without", 1, "after rally", 0, "probability"): 1 / 3,
            ("tokens", "without", 1, "end of round", 0, "probability"): 1,
        },
    ),
    "destroyed by fire with 1/2 a round is defeated, but has not left": (
        {"courage": 1, "destroyed": 0.5},
        by_round("p_destroyed", [0.5, 0.75]) | by_round("p_defeated", [0.5, 0.75]) | by_round(OFF, [0, 0]),
    ),
}


@pytest.mark.parametrize("case", WORKED)
def test_worked_by_hand(case):
    assert_worked("legion", *WORKED[case])


def test_the_interval_of_a_mean_counts_a_destroyed_unit_as_0():
    question = {"courage": 2, "tokens": 0, "received": 0, "destroyed": 0.5, "rounds": 1}
    row = morale.simulate("legion", question, 2000, seed=2).as_dict()["tables"]["rounds"][0]
    assert 0 < row["mean_actions_low"] < row["mean_actions"] < row["mean_actions_high"] < 2
