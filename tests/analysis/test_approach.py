"""How long two are far apart and near: by facts, by a plain reading, and by planted prices."""

import numpy as np
import pytest

from analyser.analysis.approach import BATTLEFIELDS, ROUNDS, Movement
from analyser.analysis.prices import fair_points
from tests.helpers.unit_files import unit_file

RIFLES = "crown/rifle-platoon@basic"
CLOSE, OPEN = BATTLEFIELDS


def spent_by(library, speeds, reach, gains, country, *, types=None, rules=None):
    """The rounds of two: outranged, far and near; `gains` are the first one's, alone, far and near."""
    unit = library[RIFLES].unit
    sides = []
    for at, speed in enumerate(speeds):
        changed = unit.model_copy(update={"speed": speed, "type": (types or ["infantry"] * 2)[at]})
        loadout = library[RIFLES].model_copy(update={"unit": changed})
        sides.append(loadout.with_(rules=rules[at]) if rules and rules[at] else loadout)
    both = [np.array([[0.0, gain], [-gain, 0.0]]) for gain in gains]
    found = Movement(sides).time_shares(np.array([[0.0, reach[0]], [reach[1], 0.0]]), *both, country)
    for figures in found[:3]:
        assert figures == pytest.approx(figures.T)
    return [ROUNDS * float(each[0, 1]) for each in found[:3]]


@pytest.mark.parametrize(
    ("speeds", "reach", "gains", "country", "rounds"),
    [
        # A gun that outranges who comes on at 4 inches: from 36 to 8 it takes 7 rounds, and 2.5 from 18.
        ((0, 4), (36, 0), (3, 3, -1), OPEN, [6, 0, 0]),
        ((0, 4), (36, 0), (3, 3, -1), CLOSE, [2.5, 0, 3.5]),
        # It gives way 12 inches as fast as the other comes on: 14 inches apart, nobody shoots alone.
        ((4, 4), (14, 14), (0, 1, -1), OPEN, [0, 4.5, 1.5]),
        ((4, 4), (14, 14), (0, 1, -1), CLOSE, [0, 1.5, 4.5]),
        # Cavalry runs infantry down, and charges from 16 inches.
        ((4, 8), (24, 0), (3, 3, -1), OPEN, [2, 0, 4]),
        # Who gains by being near comes near, be it the gun.
        ((4, 4), (24, 14), (1, 0, 5), CLOSE, [1, 1.5, 3.5]),
        # Who shoots nobody and would rather be left alone is come for, too.
        ((0, 0), (24, 0), (1, 1, 1), CLOSE, [6, 0, 0]),
        # Who cannot shoot at each other begin near.
        ((4, 4), (0, 0), (0, 0, 1), OPEN, [0, 0, 6]),
    ],
)
def test_rounds_by_hand(library, speeds, reach, gains, country, rounds):
    assert spent_by(library, speeds, reach, gains, country) == pytest.approx(rounds)


def test_aircraft_come_at_once_and_nobody_catches_them_and_who_comes_from_below_is_there_at_once(library):
    air = ["aircraft", "infantry"]
    assert spent_by(library, (None, 4), (10, 20), (-1, 0, 2), OPEN, types=air) == pytest.approx([0, 0, 6])
    assert spent_by(library, (None, 4), (10, 10), (0, 2, -1), OPEN, types=air) == pytest.approx([0, 6, 0])
    rules = ["+Dynamic Entry (3)", None]
    assert spent_by(library, (3, 4), (0, 30), (-1, -1, 2), OPEN, rules=rules) == pytest.approx([0, 0, 6])


def prices_of(folder, blows, **how):
    """The price of a gun that reaches 40 inches, with so many dice in close quarters, among foot that crawls."""
    level = {"basic": (10, 60)}
    gun = unit_file("gun", 2, level, 12, blows, kind="artillery", more="speed = 0")
    foot = [unit_file(name, 2, level, 10, 8, more="speed = 1") for name in ("ash", "beech", "cedar", "elder")]
    text = "\n".join(['format = 1\nid = "wood"\nname = "Wood"', gun, *foot]).replace("range = 12", "range = 40")
    folder.mkdir(exist_ok=True)
    (folder / "wood.toml").write_text(text, encoding="utf-8")
    return fair_points("*/*", profiles=folder, **how).frame.set_index("loadout")["trades_evenly_at"]


def test_a_gun_that_nobody_reaches_is_not_paid_for_close_quarters(tmp_path):
    """From 18 inches to 2 at 1 a round: nobody comes so near in six rounds."""
    weak, strong = (prices_of(tmp_path / str(blows), blows) for blows in (2, 30))
    assert strong.tolist() == pytest.approx(weak.tolist())
    near, stronger = (prices_of(tmp_path / str(blows), blows, situations=["charge"]) for blows in (2, 30))
    assert stronger["wood/gun@basic"] > 1.2 * near["wood/gun@basic"]
