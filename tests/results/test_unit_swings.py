"""Which unit swings a battle, in a line that stays short."""

import pytest

from analyser.common.kernel_records import empty_record
from analyser.engine.battle.battle_data import Counts
from analyser.results.unit_swings import MOST_NAMED, harmful_units_sentences, swing_units_sentence, unit_swing
from analyser.rules.battle import Outcome

NAMES = {"mine": "Reds", "yours": "Blues"}


@pytest.mark.parametrize("tied", [0, 1, MOST_NAMED, MOST_NAMED + 1])
def test_few_that_cannot_be_told_from_the_swing_unit_are_named_and_many_are_counted(tied):
    first = {"name": "first", "side": "mine", "difference": 0.2, "low": 0.15, "high": 0.25}
    near = [first | {"name": f"near {place}", "difference": 0.12, "low": 0.08, "high": 0.16} for place in range(tied)]
    far = [first | {"name": "far", "difference": 0.05, "low": 0.01, "high": 0.09}]
    others = [first | {"name": "theirs", "side": "yours", "high": 0.9}]
    line = swing_units_sentence([first, *near, *far, *others], "mine", "Reds")
    assert line.startswith("Swing unit of Reds: first. Without it Reds wins 20 pp ±5 less often")
    assert all((row["name"] in line) == (tied <= MOST_NAMED) for row in near)
    assert (f"{tied} others may matter as much." in line) == (tied > MOST_NAMED)
    assert "far" not in line
    assert "theirs" not in line


def test_who_is_better_off_without_a_unit_is_told():
    row = {"side": "yours", "difference": -0.4, "low": -0.45, "high": -0.35}
    worse, least = row | {"name": "lancers"}, row | {"name": "guns", "difference": -0.1, "low": -0.15, "high": -0.05}
    open_one = row | {"name": "rifles", "difference": -0.02, "low": -0.06, "high": 0.02}
    mine = row | {"name": "mine", "side": "mine", "difference": 0.2, "low": 0.1, "high": 0.3}
    assert harmful_units_sentences([mine, open_one], NAMES) == []
    (line,) = harmful_units_sentences([mine, open_one, least, worse], NAMES)
    assert line == "Blues wins 40 pp ±5 more often without lancers, and more often also without 1 other unit."
    assert harmful_units_sentences([worse], NAMES) == ["Blues wins 40 pp ±5 more often without lancers."]


def test_where_all_batches_agree_the_interval_goes_by_how_many_battles_there_were():
    base, without = (empty_record(Counts) for _ in range(2))
    base.outcomes[:4, Outcome.VICTORY], without.outcomes[:4, Outcome.DEFEAT] = 250, 250
    base.results[3, 1], without.results[1, 3] = 1000, 1000
    certain = unit_swing(base, without, "mine", 1000, 4)
    assert certain["difference"] == certain["high"] == 1.0
    assert certain["low"] == pytest.approx(1 - 2 * (1 - (0.05 / 16) ** (1 / 1000)))  # two Clopper-Pearson ends
    never = unit_swing(base, base, "yours", 1000, 4)
    assert never["low"] < never["difference"] == 0 < never["high"] == pytest.approx(-never["low"])
