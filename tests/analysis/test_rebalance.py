"""The fewest price changes, against all that there are; and the gate for scripts."""

import itertools
import json

import numpy as np
import pytest

from analyser.analysis.prices import fair_points
from analyser.analysis.rebalance import TODAY_INDEX, _choose_prices, rebalance
from analyser.analysis.verdict_gate import failure_lines, failures, read_baseline, write_baseline
from analyser.common.errors import InputError
from analyser.game.profiles import Profiles
from tests.helpers.planted import kin, write_wood

RIFLES = "crown/rifle-platoon@basic"


@pytest.mark.parametrize("seed", range(4))
def test_the_programme_finds_the_best_of_all_choices(seed):
    """Four units of one level, five prices each, every combination tried."""
    random = np.random.default_rng(seed)
    sides = kin(Profiles()[RIFLES], 4)
    costs = np.full((4, 14), np.inf)
    at = np.arange(5)
    costs[:, at] = random.uniform(0, 0.5, (4, 5))
    prices = np.tile(50.0 + 5 * np.arange(14), (4, 1))
    every = [
        (sum(each != TODAY_INDEX for each in choice), costs[range(4), choice].mean())
        for choice in itertools.product(at, repeat=4)
    ]
    for most in (1, 2, 4):
        chosen = _choose_prices(costs, prices, sides, most, None)
        best = min(spread for changes, spread in every if changes <= most)
        assert costs[range(4), chosen].mean() == pytest.approx(best, abs=1e-6)
        assert (chosen != TODAY_INDEX).sum() <= most
    within = float(np.quantile([spread for _, spread in every], 0.05))
    fewest = min(changes for changes, spread in every if spread <= within)
    chosen = _choose_prices(costs, prices, sides, 4, within)
    assert costs[range(4), chosen].mean() <= within + 1e-6
    assert (chosen != TODAY_INDEX).sum() == fewest


def test_two_planted_wrong_prices_are_put_right():
    first, second, *others = kin(Profiles()[RIFLES], 7, points=90)
    field = [first, second.with_(points=15), *others]
    found = rebalance(field, against=field, most_changes=2).frame.set_index("loadout")
    assert set(found.index) == {first.selector, second.selector}
    assert found["new_points"].between(30, 40).all()  # the others cost 35
    assert (found["new_verdict"] == "fair").all()


def test_a_planted_wrong_price_is_put_right_first():
    field = kin(Profiles()[RIFLES], 7, points=55)
    found = rebalance(field, against=field, most_changes=1)
    row = found.frame.iloc[0]
    assert (row["loadout"], row["new_points"]) == (field[0].selector, 35)
    assert (row["verdict"], row["new_verdict"]) == ("over-priced", "fair")
    assert found.distance_after < found.distance_before
    assert found.distance_before - found.distance_after == pytest.approx(row["improvement"], rel=0.3)
    done = rebalance(field, against=field, most_changes=4, within=found.distance_after + 0.01)
    assert len(done.frame) == 1
    assert "1 price change brings" in str(done)
    short = rebalance(field, against=field, most_changes=1, within=0.0)
    assert "0.0% was not reached" in str(short)
    for how in ({"step": 0}, {"most_changes": 0}, {"within": 3.0}):
        with pytest.raises(InputError, match=next(iter(how))):
            rebalance(field, against=field, **how)


def test_only_verdicts_that_are_new_fail(tmp_path):
    library = Profiles()
    field = kin(library[RIFLES], 7, points=55)
    found = fair_points(field, against=field)
    assert failures(found, ["over-priced"])["loadout"].tolist() == [field[0].selector]
    assert failures(found, ["under-priced"]).empty
    write_baseline(found, tmp_path / "accepted.json")
    accepted = read_baseline(tmp_path / "accepted.json")
    assert failures(found, ["over-priced"], accepted).empty
    dearer = kin(library[RIFLES], 7, points=26)
    assert len(failures(fair_points(dearer, against=dearer), ["under-priced"], accepted)) == 1
    (tmp_path / "accepted.json").write_text(json.dumps({"verdict": {}}))
    with pytest.raises(InputError, match="verdicts"):
        read_baseline(tmp_path / "accepted.json")


def test_what_a_better_loadout_makes_over_priced_is_worth_as_much_as_before_but_not_raised(tmp_path):
    """Oak at 50 points, worth 61: under-priced beside a stronger unit at 60, over-priced beside the same at 45."""
    dear, cheap = (write_wood(tmp_path / str(price), oak=50, elder=price) for price in (60, 45))
    before, after = (fair_points("*/*", profiles=folder) for folder in (dear, cheap))
    oak, worth = "wood/oak@basic", [each.frame.set_index("loadout")["fair_points"] for each in (before, after)]
    assert worth[0][oak] == pytest.approx(worth[1][oak], rel=0.03)
    assert after.units_with_verdict("over-priced")["loadout"].iloc[-1] == oak  # the farthest above fair come first
    raised = [rebalance("*/*", profiles=folder).frame["loadout"].tolist() for folder in (dear, cheap)]
    assert [oak in names for names in raised] == [True, False]
    write_baseline(before, tmp_path / "accepted.json")
    failed = failures(after, ["over-priced"], read_baseline(tmp_path / "accepted.json"))
    assert oak in failed["loadout"].tolist()  # although no probability has changed by 5 percentage points


def test_a_failure_without_fair_points_has_a_dash_and_no_nan():
    """A loadout without points is left out; its verdict is undecided."""
    field = [*kin(Profiles()[RIFLES], 3), Profiles()[RIFLES].model_copy(update={"faction": "oak"}).with_(points=0)]
    heading, _, line = failure_lines(failures(fair_points(field, against=field), ["undecided"]))
    assert heading == "1 verdict not accepted:"
    assert line.split()[1:] == ["0", "–", "undecided"]
