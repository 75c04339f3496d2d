"""Five systems side by side, worked by hand, and their equivalents of the nerve."""

import pytest

from analyser import morale
from analyser.morale.games.compare.compared_systems import CLASS_OF
from tests.oracle.morale_checks import assert_worked

FATES = ("p_steady", "p_shaken", "p_routed", "p_gone")


def fates(system, *by_round):
    """P(steady), P(shaken), P(routed), P(gone), round by round."""
    return {
        ("fates", turn, system, name): chance
        for turn, chances in enumerate(by_round, start=1)
        for name, chance in zip(FATES, chances)
    }


TEN, P8 = {"models": 10, "losses": 1, "rounds": 2}, 26 / 36
FAR = {"models": 100, "losses": 1, "nerve": 0.0, "rounds": 60}
WORKED = {
    "AC-5.4: 3 of 4 lost, half or more: fails above 7, and at BREAK LIMIT 1 it breaks": (
        {"models": 4, "losses": 3, "rounds": 1},
        fates("armoured-clash", (7 / 12, 0, 0, 5 / 12)),
    ),
    "AC-5.4: suppressed, then falling back 3 inches a round: 7 inches are three rounds": (
        {"models": 20, "losses": 1, "attacks": 2, "nerve": 0.0, "rounds": 3, "edge_distance": 7}
        | {"armoured_clash": {"break_limit": "none"}},
        fates("armoured-clash", (0, 0, 1, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
    ),
    "LG-2, LG-3: COURAGE 2, 4 tokens, panicked if no die of four succeeds": (
        {"models": 10, "losses": 4, "rounds": 1},
        {("fates", 1, "legion", "p_routed"): 16 / 81},
    ),
    "GT-2: shaken by the first fire, by the second routed with 1/3": (
        TEN,
        fates("grande-tactique", (0, 1, 0, 0), (0, 2 / 3, 1 / 3, 0)),
    ),
    "GT-6: 20 inches from its edge, 5/6 rally, 1/6 flee on": (
        {"models": 10, "losses": [1, 1, 0], "edge_distance": 20.0, "rounds": 3},
        fates("grande-tactique", (0, 1, 0, 0), (0, 2 / 3, 1 / 3, 0), (0, 2 / 3 + 5 / 18, 1 / 18, 0)),
    ),
    **{
        f"GT-5: an edge {'far away' if more else 'left out'} is not reached": (
            FAR | more,
            {("fates", 60, "grande-tactique", "p_gone"): 0},
        )
        for more in ({}, {"edge_distance": 1000})
    },
    "WM-1, WM-9: two models, two dice, and steady again after": (
        {"models": 10, "losses": 2, "rounds": 2},
        fates("warmaster", *[(25 / 36, 11 / 36, 0, 0)] * 2),
    ),
    "MD-1: 2 of 8 are a quarter, tested on Ld 8 each turn": (
        {"models": 8, "losses": [2, 0], "nerve": P8, "rounds": 2},
        fates("mordheim", (0, P8, 0, 1 - P8), (0, P8**2, 0, 1 - P8**2)),
    ),
    **{
        f"all destroyed are gone in {system}": ({"models": 2, "losses": 2, "rounds": 1}, fates(system, (0, 0, 0, 1)))
        for system in CLASS_OF
    },
}


@pytest.mark.parametrize("case", WORKED)
def test_worked_by_hand(case):
    assert_worked("compare", *WORKED[case])


def equivalents(**question):
    columns = morale.exact("compare", {"models": 2, "losses": 0, "rounds": 1} | question).columns["equivalents"]
    return {name: value for _, name, value in zip(*columns.values())}


def values(nerve, **sections):
    """DISCIPLINE, COURAGE, minus the target, Leadership (higher is better), and the sides of the check."""
    found = equivalents(nerve=nerve, **sections)
    target, sides = found["morale check"].split("+ on a die of ")
    return int(found["DISCIPLINE"]), int(found["COURAGE"]), -int(target), int(found["Leadership"]), int(sides)


@pytest.mark.parametrize(
    ("nerve", "expected"),
    [
        (2 / 3, (8, 2, -5, 8, 12)),
        (0.4, (5, 1, -8, 6, 12)),  # 5 of 12 cards are 0.417, as 2d6 at most 6
        (0.9, (11, 3, -2, 10, 12)),  # 11/12 = 0.917 = 33/36
        (0.2, (2, 1, -11, 4, 12)),
    ],
)
def test_equivalents_are_the_nearest_to_the_nerve(nerve, expected):
    assert values(nerve) == expected
