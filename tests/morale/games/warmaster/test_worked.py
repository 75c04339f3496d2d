"""Warmaster, WM-1 to WM-9 worked by hand."""

import itertools

import pytest

from analyser import morale
from tests.oracle.morale_checks import assert_worked, rows

MOVE = "driven_back"
TERRAIN = {"distance": 2, "kind": "impassable"}
BLOCKED = [{"distance": 1, "kind": "impassable", "stands": 1}, {"distance": 6, "kind": "enemy", "stands": 2}]


def friend(distance=0, **more):
    return {"distance": distance, "kind": "friend", **more}


def falls_back(*obstacles, distance=5, **more):
    return {"move": "falls_back", "distance": distance, "obstacles": [*obstacles], **more}


def row(*key, **figures):
    return {("", *key, column): value for column, value in figures.items()}


def spared(*tests):
    """Mean number of units that are not confused, from the number of tests of each."""
    return sum((5 / 6) ** dice for dice in tests)


NEAR_SIX = {"dice": 1, "obstacles": [{"distance": 6.5, "kind": "enemy"}]}
CONTACT = {"dice": 1, "obstacles": [friend()]}
WORKED = {
    "WM-1: two dice, 1 - (5/6)^2; 7 cm on average": ({"dice": 2}, row(MOVE, p_confused=11 / 36, mean_distance=7)),
    "WM-4: the mover 1/6, its friend 1/6, one of them at least 11/36": (
        falls_back(friend()),
        row("always", p_confused=1 / 6, mean_friends_confused=1 / 6)
        | {("joint", "always", "no", 0, "probability"): 25 / 36},
    ),
    "WM-4: a friend that makes no way halts the mover on contact, confused, and does not test": (
        falls_back(friend(3.5)),
        row("never", p_confused=1, mean_friends_confused=0, mean_distance=3.5),
    ),
    # 1 or 2: steady. 3, 4, 5 (1/2): confused on a 6, 1/12. 6 (1/6): confused by the drive-back die.
    "WM-2: goes 2 cm into terrain with 3 to 6, confused there with 4/36, in all 1/4": (
        {"dice": 1, "obstacles": [TERRAIN]},
        row(MOVE, p_confused=1 / 4, p_by_terrain=4 / 36),
    ),
    **{
        f"WM-3: halts 1 cm from {kind} at 4 cm, which 4, 5 and 6 come near": (
            {"dice": 1, "obstacles": [{"distance": 4, "kind": kind}]},
            row(MOVE, p_confused=1 / 2, p_by_enemy_or_combat=1 / 2, mean_distance=15 / 6)
            | {("stops", MOVE, 3.0, kind, "probability"): 1 / 2}
            | {("stops", MOVE, 3.0, "open ground", "probability"): 1 / 6},
        )
        for kind in ("enemy", "combat")
    },
    "WM-1, WM-3: an enemy at 6.5 cm, confused by the 6 in both ways or in neither": (
        NEAR_SIX,
        row(MOVE, p_confused=1 / 6, p_six_on_drive_back_dice=1 / 6, p_by_enemy_or_combat=1 / 6),
    ),
    "WM-4, WM-7: two behind the friend; each tests for itself and for the one it pushes": (
        falls_back(friend(chain=2)),
        row("always", p_confused=1 / 6, mean_friends_confused=28 / 36),
    ),
    "WM-4, the other reading: mover 3 dice, friends 3, 2 and 1": (
        falls_back(friend(chain=2), ruleset={"tests_for_chain": "all"}),
        row("always", p_confused=1 - spared(3), mean_friends_confused=3 - spared(3, 2, 1)),
    ),
    # Making way: 11/36 for each friend that pushes another, 6/36 for the last, 1/6 for the mover.
    **{
        f"WM-4: with {chain} behind the friend, making way confuses {'fewer' if cheap < 1 else 'more'} than refusing": (
            falls_back(friend(chain=chain)),
            row("always", mean_units_confused=(6 + 11 * chain + 6) / 36)
            | row("never", mean_units_confused=1)
            | row("fewest confused", mean_units_confused=cheap),
        )
        for chain, cheap in ((2, 34 / 36), (3, 1))
    },
    "WM-1, WM-4: a unit that its die has confused spares its friend": (
        CONTACT,
        row("fewest confused", mean_units_confused=16 / 36)
        | row("always", mean_units_confused=17 / 36)
        | row("never", mean_units_confused=1),
    ),
    **{
        f"WM-5: {what} cannot make way": (
            falls_back(obstacle),
            row("falls_back", p_confused=1, mean_friends_confused=0),
        )
        for what, obstacle in {
            "an unyielding friend": {"distance": 0, "kind": "unyielding"},
        }.items()
    },
    "WM-6: evaders confuse the friends they burst through, no roll, and not themselves": (
        {"move": "evades", "distance": 10, "obstacles": [friend(2), friend(9), friend(15)]},
        row("evades", p_confused=0, mean_friends_confused=2),
    ),
    "WM-8: terrain blocks 1 of 3 stands, an enemy farther on the other 2; no confusion": (
        {"move": "retreats", "distance": {4: 0.75, 8: 0.25}, "obstacles": BLOCKED},
        row("retreats", mean_stands_destroyed=1.5, p_all_stands_destroyed=0.25, p_confused=0),
    ),
    "WM-4, WM-8: in a retreat friends make way, or all stands are destroyed": (
        {"move": "retreats", "distance": 3, "obstacles": [friend()]},
        row("always", p_confused=1 / 6)
        | row("fewest confused", p_confused=1 / 6)
        | row("never", p_all_stands_destroyed=1),
    ),
    **{
        f"contact is into where the ruleset says {into}": (
            falls_back({"distance": 4, "kind": "unyielding"}, distance=4, ruleset={"touching_is_into": into}),
            row("falls_back", p_confused=int(into)),
        )
        for into in (False, True)
    },
    **{
        f"WM-3: unable to end 1 cm from an enemy, whatever the distance ({move})": (
            falls_back({"distance": 0.5, "kind": "enemy"}, distance=move),
            row("falls_back", p_confused=1, p_by_enemy_or_combat=1),
        )
        for move in (0, {0: 0.5, 2: 0.5})
    },
}


@pytest.mark.parametrize("case", WORKED)
def test_worked_by_hand(case):
    assert_worked("warmaster", *WORKED[case])


HALTING = {"impassable": 3.5, "unyielding": 3.5, "enemy": 4.5, "combat": 4.5}  # halts it at 3.5 cm


@pytest.mark.parametrize("touching", [False, True])
@pytest.mark.parametrize("move", ["driven_back", "falls_back"])
@pytest.mark.parametrize(("one", "other"), [*itertools.combinations_with_replacement(HALTING, 2)])
def test_the_nearer_of_two_obstacles_with_one_halting_place_halts_the_unit(one, other, move, touching):
    """WM-2 to WM-4, as ruled: if both are equally near, the obstacle without a test halts it."""
    pair = [{"kind": kind, "distance": HALTING[kind]} for kind in (one, other)]
    moved = {"dice": 1} if move == "driven_back" else {"move": move, "distance": {"2": 0.5, "4": 0.5}}

    def figures(*obstacles):
        question = moved | {"obstacles": [*obstacles], "ruleset": {"touching_is_into": touching}}
        return next(iter(rows(morale.exact("warmaster", question)).values()))

    alone = figures(min(pair, key=lambda obstacle: (obstacle["distance"], obstacle["kind"] == "impassable")))
    for both in (pair, pair[::-1]):
        result = {name: value for name, value in figures(*both).items() if value or name in alone}
        assert result == pytest.approx(alone)
