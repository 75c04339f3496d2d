"""Which unit swings a battle, in a line that stays short."""

import pytest

from analyser.results.battle_swings import MOST_NAMED, better_without, swing_units


@pytest.mark.parametrize("tied", [0, 1, MOST_NAMED, MOST_NAMED + 1])
def test_few_that_cannot_be_told_from_the_swing_unit_are_named_and_many_are_counted(tied):
    first = {"name": "first", "side": "mine", "difference": 0.2, "low": 0.15, "high": 0.25}
    near = [first | {"name": f"near {place}", "difference": 0.12, "low": 0.08, "high": 0.16} for place in range(tied)]
    far = [first | {"name": "far", "difference": 0.05, "low": 0.01, "high": 0.09}]
    others = [first | {"name": "theirs", "side": "yours", "high": 0.9}]
    line = swing_units([first, *near, *far, *others], "mine")
    assert line.startswith("Swing unit of mine: first, without which it wins 20 pp ±5 less often")
    assert all((row["name"] in line) == (tied <= MOST_NAMED) for row in near)
    assert (f"not told apart from {tied} others." in line) == (tied > MOST_NAMED)
    assert "far" not in line
    assert "theirs" not in line


def test_who_is_better_off_without_a_unit_is_told():
    row = {"side": "yours", "difference": -0.4, "low": -0.45, "high": -0.35}
    worse, least = row | {"name": "lancers"}, row | {"name": "guns", "difference": -0.1, "low": -0.15, "high": -0.05}
    open_one = row | {"name": "rifles", "difference": -0.02, "low": -0.06, "high": 0.02}
    mine = row | {"name": "mine", "side": "mine", "difference": 0.2, "low": 0.1, "high": 0.3}
    assert better_without([mine, open_one]) == []
    (line,) = better_without([mine, open_one, least, worse])
    assert line == "Without lancers yours wins 40 pp ±5 more often; 1 other unit of it costs it wins, too."
    assert better_without([worse]) == ["Without lancers yours wins 40 pp ±5 more often."]
