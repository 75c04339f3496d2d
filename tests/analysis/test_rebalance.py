"""The fewest price changes, against all that there are; and the gate for scripts."""

import itertools
import json

import numpy as np
import pytest

from analyser.analysis.gate import failures, read_baseline, write_baseline
from analyser.analysis.prices import fair_points
from analyser.analysis.rebalance import TODAY, _chosen, rebalance
from analyser.cli import main
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
        (sum(each != TODAY for each in choice), costs[range(4), choice].mean())
        for choice in itertools.product(at, repeat=4)
    ]
    for most in (1, 2, 4):
        chosen = _chosen(costs, prices, sides, most, None)
        best = min(spread for changes, spread in every if changes <= most)
        assert costs[range(4), chosen].mean() == pytest.approx(best, abs=1e-6)
        assert (chosen != TODAY).sum() <= most
    within = float(np.quantile([spread for _, spread in every], 0.05))
    fewest = min(changes for changes, spread in every if spread <= within)
    chosen = _chosen(costs, prices, sides, 4, within)
    assert costs[range(4), chosen].mean() <= within + 1e-6
    assert (chosen != TODAY).sum() == fewest


def test_two_planted_wrong_prices_are_put_right():
    first, second, *others = kin(Profiles()[RIFLES], 7, points=90)
    field = [first, second.with_(points=15), *others]
    found = rebalance(field, against=field, most_changes=2).frame.set_index("loadout")
    assert set(found.index) == {first.selector, second.selector}
    assert found["new_points"].between(30, 40).all()  # the others cost 35
    assert (found["new_verdict"] == "fair").all()


@pytest.mark.proof
def test_two_planted_wrong_prices_among_all_factions_are_put_right():
    planted = {RIFLES: 90, "imperium/scion-vierling-dreirad-squadron@reinforced": 45}  # 35 and 115, both fair
    field = [each.with_(points=planted.get(each.selector, each.level.points)) for each in Profiles()]
    found = rebalance(field, against=field, most_changes=2).frame
    assert dict(zip(found["loadout"], found["new_points"])) == pytest.approx(
        {RIFLES: 35, "imperium/scion-vierling-dreirad-squadron@reinforced": 115}, abs=5
    )


def test_a_planted_wrong_price_is_put_right_first():
    field = kin(Profiles()[RIFLES], 7, points=55)
    found = rebalance(field, against=field, most_changes=1)
    row = found.frame.iloc[0]
    assert row["loadout"] == field[0].selector
    assert row["new_points"] == 35
    assert (row["verdict"], row["new_verdict"]) == ("over-priced", "fair")
    assert found.spread_after < found.spread_before
    assert found.spread_before - found.spread_after == pytest.approx(row["buys"], rel=0.3)
    done = rebalance(field, against=field, most_changes=4, within=found.spread_after + 0.01)
    assert len(done.frame) == 1
    assert "1 price change brings" in str(done)
    short = rebalance(field, against=field, most_changes=1, within=0.0)
    assert "0.0% was not reached" in str(short)
    for how in ({"step": 0}, {"most_changes": 0}, {"within": 3.0}):
        with pytest.raises(InputError, match=next(iter(how))):
            rebalance(field, against=field, **how)


@pytest.mark.slow
def test_no_level_comes_to_cost_less_than_a_smaller_one():
    found = rebalance("imperium/*", against="imperium/*", most_changes=30, situations=["long-range", "charge"])
    new = {each.selector: each.level.points for each in Profiles().matching("imperium/*")}
    new |= dict(zip(found.frame["loadout"], found.frame["new_points"]))
    for small, large in (("basic", "reinforced"), ("reinforced", "full-strength")):
        for name in (each for each in new if each.endswith(f"@{small}")):
            assert new[name] <= new.get(name.replace(f"@{small}", f"@{large}"), np.inf)
    assert len(found.frame) <= 30
    assert ((found.frame["new_points"] - found.frame["points"]) % 5 == 0).all()


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


@pytest.mark.slow
def test_the_gate_from_the_shell(tmp_path, capsys):
    dear = write_wood(tmp_path / "dear", oak=75)
    how = ["balance", "prices", "--profiles", str(dear), "--fail-on-verdict", "over-priced"]
    assert main(how) == 1
    out = capsys.readouterr().out
    assert "wood/oak@basic" in out
    assert len(out.splitlines()) < 10
    baseline = str(tmp_path / "verdicts.json")
    assert main([*how, "--accept", baseline]) == 1
    assert main([*how, "--baseline", baseline]) == 0
    assert main([*how[:-1], "over-prized"]) == 2
    assert "did you mean 'over-priced'" in capsys.readouterr().err
    assert main(["balance", "fix", "--most-changes", "1", "--profiles", str(dear)]) == 0
    assert "1 price change brings the mean distance from fair prices from" in capsys.readouterr().out
