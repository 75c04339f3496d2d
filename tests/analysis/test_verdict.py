"""The verdict follows from the printed numbers, whatever the loadout."""

import re

import numpy as np
import pytest

from analyser.analysis.prices import CAVEATS, fair_points
from analyser.analysis.verdict import FAIR, OVER, RULE, UNDECIDED, UNDER, verdict_of
from analyser.analysis.what_if import what_if
from analyser.game.profiles import Profiles
from tests.helpers.planted import kin, write_wood
from tests.helpers.skips import proof
from tests.helpers.unit_files import unit_file

LEVELS = ("basic", "reinforced", "full-strength")
SOME = ("crown/*@basic", "empire/*@basic", "imperium/*@basic")


@pytest.fixture(scope="module", params=[SOME, *proof("*/*")], ids=str)
def shipped(request):
    """The basic loadouts of some factions; in proof, all loadouts."""
    return fair_points(request.param, against=request.param)


@pytest.mark.slow
def test_of_all_loadouts_the_verdict_follows_from_the_numbers(shipped):
    seen = set()
    for row in shipped.as_dict()["loadouts"]:
        under, over = (row[f"{side}_probability"] for side in ("under", "over"))
        wanted = UNDER if under >= 0.6 else OVER if over >= 0.6 else FAIR if under + over <= 0.45 else UNDECIDED
        dominated = row["at_most"] is not None
        assert row["verdict"] == (UNDECIDED if row["doubt"] else OVER if dominated else wanted), row
        assert (row["verdict"] == UNDECIDED) == bool(row["doubt"])
        assert not row["doubt"] or row["why"].startswith(row["doubt"])
        assert row["fair_low"] <= row["fair_points"] <= row["fair_high"]
        assert not dominated or (row["at_most"] <= row["points"] and row["lean"] == "")
        seen.add(row["verdict"])
    assert seen == {OVER, UNDER, FAIR, UNDECIDED}
    assert shipped.counts[UNDECIDED] < 0.3 * len(shipped.frame)


@pytest.mark.slow
def test_a_reason_is_a_difference_that_is_worth_a_word(shipped):
    whys = " ".join(shipped.frame["why"])
    assert not re.search(r"nan|inf\b", whys)
    dice = [
        float(each) for pair in re.findall(r"([\d.]+) dice for 100 points, others: ([\d.]+)", whys) for each in pair
    ]
    assert len(dice) > 10
    assert np.abs(np.log(np.divide(dice[::2], dice[1::2]))).min() > np.log(1.04)  # 1.05, but for the digits shown
    others = re.findall(r"(\d+) of (\d+) others can", whys)
    assert others
    assert all(2 * int(different) > int(number) for different, number in others)  # others are usually different


def test_the_only_unit_of_its_role_is_not_compared_with_others(tmp_path):
    folder = write_wood(tmp_path / "wood")
    with (folder / "wood.toml").open("a", encoding="utf-8") as file:
        file.write(unit_file("heron", 2, {"basic": (10, 60)}, 12, 6, kind="cavalry"))
    found = fair_points("*/*", profiles=folder).frame.set_index("loadout")
    assert "no other unit here has its role (cavalry)" in found.loc["wood/heron@basic", "why"]
    for name in ("offence", "toughness"):
        assert found.index[found[name].isna()].tolist() == ["wood/heron@basic"]
    changed = what_if("wood/heron@basic", points=61, profiles=folder)
    assert "matchup can be compared" not in changed.sentence


def test_the_rule_and_the_limits_stand_where_verdicts_do():
    found = fair_points("crown/r*@basic", against="crown/*@basic", situations=["long-range"])
    assert all(line in str(found).splitlines() for line in (*RULE, CAVEATS))
    assert max(map(len, (*RULE, CAVEATS, f"Interval: {found.interval_covers}."))) <= 100
    record = found.as_dict()
    assert record["rule"] == " ".join(RULE)
    known = [each for each in record["loadouts"] if not each["doubt"] and each["at_most"] is None]
    assert all(verdict_of(row["under_probability"], row["over_probability"]) == row["verdict"] for row in known)


def test_what_levels_pay_less_for_a_model_is_nobodys_fault():
    """Twice and three times the models for 1.7 and 2.6 times the points: of copies that do so all are fair."""
    library = Profiles()
    dragoons = [library[f"crown/black-watch-assault-dragoons@{level}"] for level in LEVELS]
    sides = [each for loadout in dragoons for each in kin(loadout, 6)]
    found = fair_points(sides, against=sides)
    assert set(found.frame["verdict"]) == {FAIR}
    assert found.levels["basic"] > 1 > found.levels["full-strength"]
    assert np.exp(np.log(list(found.levels.values())).mean()) == pytest.approx(1, abs=0.02)
