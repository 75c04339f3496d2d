"""Curves over the distance: inch by inch what single tables of that distance say."""

import pytest

from analyser.analysis.distance_curves import CHARGE_LINE, curves
from analyser.analysis.matchups import matchups
from analyser.analysis.situations import Situation
from analyser.game.units import unit_of

UNITS = ["crown/drake-field-guns", "crown/rifle-platoon", "imperium/sturmpanzer-battletanks"]
UNITS += ["commonwealth/tryasti-seismic-mortars"]  # Indirect


@pytest.fixture(scope="module")
def table(library):
    sides = [f"{unit}@*" for unit in UNITS]
    return matchups(sides, [*sides, "crown/*transports@basic"], situations=["long-range", "charge"], profiles=library)


def at(line, inches):
    """What a line destroys at a distance; None where it does nothing."""
    there = (each for each in line.steps if each.first < inches <= each.last or inches == each.first == 0)
    return next((step.destroys for step in there), None)


@pytest.mark.slow
def test_at_every_inch_it_is_what_a_table_of_that_distance_says(table, library):
    found = curves(table)
    assert set(found) == set(UNITS)
    inches = [0, 0.5, *range(1, 32), 6.01, 12.25, 60]
    checked = 0
    for unit in UNITS:
        rows = [row for row in library[f"{unit}@basic"].unit.rows if row.kind == "ranged"]
        for row in rows:
            how = [Situation(name=f"at-{number}", distance=each) for number, each in enumerate(inches)]
            frame = matchups(f"{unit}@*", list(table.defenders), situations=how, row=row.id, profiles=library).frame
            destroyed = frame["mean_share_lost"] * frame["defender_points"].astype(float) * 100
            frame = frame.assign(destroyed=destroyed / frame["attacker_points"].astype(float))
            for number, each in enumerate(inches):
                part = frame[frame["situation"] == f"at-{number}"]
                for curve in found[unit]:
                    line = next((each for each in curve.lines if each.name == row.name), None)
                    wanted = part[part["defender_category"] == curve.category]["destroyed"]
                    value = None if line is None else at(line, each)
                    if wanted.isna().all():
                        assert value is None
                    else:
                        assert value == pytest.approx(wanted.mean(), rel=1e-9)
                        checked += 1
    assert checked > 100


def test_a_charge_reaches_as_far_as_double_time_takes_it(table, library):
    found = curves(table)["imperium/sturmpanzer-battletanks"]
    speed = library["imperium/sturmpanzer-battletanks@basic"].unit.speed
    light = next(each for each in found if each.category == "light")
    (step,) = next(line for line in light.lines if line.name == CHARGE_LINE).steps
    assert (step.first, step.last) == (0, 2 * speed)
    part = table.frame[(table.frame["situation"] == "charge") & (table.frame["defender_category"] == "light")]
    mine = part[part["attacker"].map(unit_of) == "imperium/sturmpanzer-battletanks"]
    worth = (mine["mean_share_lost"].fillna(0) * mine["defender_points"].astype(float)).groupby(mine["attacker"]).mean()
    points = mine.groupby("attacker")["attacker_points"].first().astype(float)
    assert step.destroys == pytest.approx((100 * worth / points).mean())
