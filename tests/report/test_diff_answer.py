"""What a diff says: each column one unit, named in its head; what matters most stands first."""

import json

import pytest

import analyser
from analyser.report.diff import diff
from tests.helpers.shell import answer
from tests.oracle.small_profiles import CHEAPER, EASIER, write_profiles


@pytest.fixture
def old(tmp_path):
    return write_profiles(tmp_path / "old")


def table(out, heading):
    """The lines of the table below a heading, split at gaps of two spaces."""
    lines = out[out.index(heading) :].split("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]


def test_a_change_of_a_chance_is_in_percentage_points(old, tmp_path):
    """20% to 45% is 25 pp: neither 25% nor 125%."""
    new = write_profiles(tmp_path / "new", EASIER)
    head, *rows = table(answer("report", "diff", old, new), "compared, exact")
    assert head[:3] == ["change (pp)", "old (%)", "new (%)"]
    first = diff(old, new).frame.iloc[0]
    assert first["unit"] == "probability"
    wanted = [100 * first[name] for name in ("change", "old", "new")]
    assert [float(cell) for cell in rows[0][:3]] == pytest.approx(wanted, abs=0.005)
    assert not any("%" in cell for row in rows for cell in row)


@pytest.mark.parametrize(("metric", "unit"), [("mean_models_destroyed", "models"), ("mean_damage", "damage")])
def test_a_change_of_another_figure_is_in_its_own_unit(old, tmp_path, metric, unit):
    new = write_profiles(tmp_path / "new", EASIER)
    head, *_ = table(answer("report", "diff", old, new, "--metric", metric), "compared, exact")
    assert head[:3] == [f"change ({unit})", f"old ({unit})", f"new ({unit})"]
    assert set(diff(old, new, metric=metric).frame["unit"]) == {unit}


def test_changes_of_points_stand_by_their_size_and_not_by_their_share(old, tmp_path):
    """Two units change: by 14% where a lot is destroyed, by 100% where next to nothing is."""
    cheaper = CHEAPER.replace("points = 90", "points = 45")
    found = diff(old, write_profiles(tmp_path / "new", cheaper), situations=["long-range", "charge"]).for_points
    sizes = found["change"].abs()
    assert sizes.round(12).is_monotonic_decreasing
    assert found["share"].abs().nunique() > 1
    assert not found["share"].abs().round(12).is_monotonic_decreasing
    out = answer("report", "diff", old, tmp_path / "new", "--situations", "long-range,charge")
    head, *rows = table(out, "Expected points destroyed per 100 points")
    assert head[:4] == ["change (points)", "change (% of old)", "old (points)", "new (points)"]
    change, share, before, after = map(float, rows[0][:4])
    assert change == pytest.approx(after - before, abs=0.011)
    assert share == pytest.approx(100 * change / before, abs=0.2)


def test_json_and_csv_name_the_unit_of_every_line(old, tmp_path):
    new = write_profiles(tmp_path / "new", EASIER.replace("points = 40", "points = 35"))
    told = json.loads(answer("report", "diff", old, new, "--format", "json"))
    assert {row["unit"] for row in told["matchups"]} == {"probability"}
    assert {row["unit"] for row in told["for_points"]} == {"points per 100 points"}


def test_a_change_in_a_study_is_in_percentage_points_too():
    fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    text = str(analyser.sensitivity(fight, metric="p_annihilated"))
    heading, _, *rows = text.splitlines()
    assert "% as it is" in heading
    assert " pp" in text
    assert not any("%" in row for row in rows)
    assert "Profiles: shipped with" in text
