"""The verdict follows from the printed numbers, whatever the loadout."""

import re

import numpy as np
import pytest

from analyser.analysis.prices import LIMITS, fair_points
from analyser.analysis.reasons import defence_of
from analyser.analysis.verdict import FAIR, OVER, RULE, UNDECIDED, UNDER, ends_text, verdict_of
from analyser.game.profiles import Profiles
from tests.helpers.planted import copies


@pytest.fixture(scope="module")
def shipped():
    return fair_points()


@pytest.mark.slow
def test_of_all_loadouts_the_verdict_follows_from_the_numbers_and_so_it_does_as_they_are_printed(shipped):
    assert len(shipped.frame) == 274
    seen = set()
    for row in shipped.as_dict()["loadouts"]:
        points, low, high = (row[name] for name in ("points", "fair_low", "fair_high"))
        wanted = OVER if points > high else UNDER if points < low else FAIR if high <= 2 * low else UNDECIDED
        ends = ends_text(points, low, high)
        assert [points > float(ends[1]), points < float(ends[0])] == [points > high, points < low]
        if wanted == UNDECIDED:
            assert f"from {ends[0]} to {ends[1]} points" in row["why"]
        assert row["verdict"] == (UNDECIDED if row["doubt"] else wanted), row
        assert (row["verdict"] == UNDECIDED) == bool(row["doubt"])
        assert not row["doubt"] or row["why"] == row["doubt"]
        assert low <= row["fair_points"] + 0.5
        assert row["fair_points"] - 0.5 <= high
        assert row["at_most"] is None or (row["verdict"] == OVER and high <= row["at_most"] < points)
        seen.add(row["verdict"])
    assert seen == {OVER, UNDER, FAIR, UNDECIDED}


def test_no_end_of_an_interval_is_rounded_over_the_points(shipped):
    tanks = shipped.frame.set_index("loadout").loc["commonwealth/tsarevna-strike-tanks@basic"]
    assert tanks["points"] == 125
    assert 124 < tanks["fair_high"] < 125
    assert tanks["verdict"] == OVER
    assert verdict_of(125, 82.06, 124.77) == OVER
    assert verdict_of(125, 125.2, 180) == UNDER
    assert verdict_of(125, 125, 125) == FAIR


@pytest.mark.slow
def test_why_is_in_words_for_people(shipped):
    whys = " ".join(shipped.frame["why"])
    assert not re.search(r"(?<!\d)0\.\d times|others of its role|damage destroys|nan|inf\b", whys)
    for row in shipped.frame.to_dict("records"):
        unit = Profiles()[row["loadout"]].unit
        told = re.search(r"at DEFENCE (\d)( from the front by Resilient)?", row["why"])
        if told:
            assert int(told[1]) == defence_of(unit)
            assert bool(told[2]) == (defence_of(unit) != unit.defence)


def test_the_rule_and_the_limits_stand_where_verdicts_do():
    found = fair_points("crown/r*@basic", against="crown/*@basic", situations=["long-range"])
    assert all(line in str(found).splitlines() for line in (*RULE, LIMITS))
    assert max(map(len, (*RULE, LIMITS, f"Interval: {found.interval}."))) <= 100
    record = found.as_dict()
    assert record["rule"] == " ".join(RULE)
    assert all(
        verdict_of(row["points"], row["fair_low"], row["fair_high"], row["doubt"]) == row["verdict"]
        for row in record["loadouts"]
        if row["fair_low"] is not None
    )


def test_what_levels_pay_less_for_a_model_is_nobodys_fault():
    """Twice and three times the models for 1.7 and 2.6 times the points: of copies that do so all are fair."""
    library = Profiles()
    sides = [
        each
        for level in ("basic", "reinforced", "full-strength")
        for each in copies(library[f"crown/black-watch-assault-dragoons@{level}"], 6)
    ]
    found = fair_points(sides, against=sides)
    assert set(found.frame["verdict"]) == {FAIR}
    assert found.levels["basic"] > 1 > found.levels["full-strength"]
    assert np.exp(np.log(list(found.levels.values())).mean()) == pytest.approx(1, abs=0.02)
