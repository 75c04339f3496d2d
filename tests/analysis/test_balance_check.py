"""Battles beside fair points: a planted price, what is left out, and the answer in every format."""

import re

import numpy as np
import pytest

from analyser import InputError
from analyser.analysis.approach import BATTLEFIELDS
from analyser.analysis.balance_check import (
    _battlefield,
    _expected_rates,
    _rank_correlation,
    balance_check,
    even_text,
)
from analyser.analysis.matchups import matchups
from analyser.analysis.mutual_losses import exchange_of
from analyser.analysis.roles import role_of
from analyser.cli import main
from analyser.game.profiles import Profiles
from tests.helpers.planted import UNITS, write_wood

CHECKED = {"points": 300, "trials": 16}


@pytest.mark.slow
def test_a_unit_at_half_its_price_wins_more_than_its_price_says():
    """Of the units of a field the middle one; its points buy twice as many of it, and it wins more than half."""
    library = Profiles()
    foot = [each for each in library.matching("*/*@basic") if role_of(each.unit) == "infantry"]
    usual = [each for each in foot if any((row.long_range or 0) >= 10 for row in each.unit.rows)][:7]
    before = balance_check(usual, against=usual, **CHECKED).frame.sort_values("win_rate").set_index("loadout")
    name = before.index[len(before) // 2]
    half = library[name].with_(points=library[name].level.points // 2)
    field = [half if each.selector == name else each for each in usual]
    found = balance_check(field, against=usual, **CHECKED)
    armies = found.frame.set_index("loadout")
    assert armies.loc[name, "number"] == pytest.approx(2 * before.loc[name, "number"], abs=1)
    assert armies.loc[name, "fair_points"] > 1.1 * half.level.points
    assert armies.loc[name, "win_rate"] > before.loc[name, "win_rate"] + 0.2
    assert armies.loc[name, "win_rate_low"] > 0.5
    even = before.loc[name, "comes_out_even_at"] / library[name].level.points
    assert armies.loc[name, "comes_out_even_at"] / half.level.points == pytest.approx(2 * even, rel=0.2)
    assert armies.loc[name, "by_even_points"] > before.loc[name, "by_even_points"] + 0.2
    assert found.correlation_low <= found.correlation <= found.correlation_high
    assert "Simulated" in str(found)


def test_win_rates_that_are_those_of_the_price_do_not_disagree():
    """Planted: a logistic curve of four armies' worth; one army wins half of what it says."""
    worth = np.log([0.8, 1.0, 1.2, 1.4])
    wins = 1 / (1 + np.exp(-3 * (worth[:, None] - worth[None, :])))
    np.fill_diagonal(wins, np.nan)
    assert _expected_rates(wins, worth) == pytest.approx(np.nanmean(wins, axis=1), abs=1e-3)
    assert _rank_correlation(wins, worth, 1000, 0)[0] == pytest.approx(1)
    wins[3, :3] /= 2
    wins[:3, 3] = 1 - wins[3, :3]
    off = np.nanmean(wins, axis=1) - _expected_rates(wins, worth)
    assert off.argmin() == 3
    assert off[3] < -0.1
    assert _rank_correlation(wins, worth, 1000, 0)[0] < 1


def test_the_battlefield_is_that_of_the_battles():
    """Lines 24 inches apart on a table 36 deep, and positions anywhere along a front of 36 inches."""
    library = Profiles()
    army = [library["crown/rifle-platoon@basic"]]
    name, sight, space = _battlefield([army, army], library)
    assert (name, space) == ("battle", 6.0)
    first, second = np.random.default_rng(1).uniform(0, 36, (2, 200_000))
    assert sight == pytest.approx(np.sqrt((24**2 + (first - second) ** 2).mean()), rel=1e-3)


def test_losses_on_one_battlefield_are_its_share_of_the_mean():
    library = Profiles()
    sides = [library[f"crown/{name}@basic"] for name in ("rifle-platoon", "drake-field-guns", "horse-guard-cavalry")]
    table = matchups(sides, sides, situations=["long-range", "short-range-aimed", "charge"])
    both, *single = (
        exchange_of(table.frame, sides, table.situations, table.ruleset, fields).losses
        for fields in (BATTLEFIELDS, *([field] for field in BATTLEFIELDS))
    )
    assert np.abs(single[0] - single[1]).max() > 0.01
    assert both == pytest.approx(np.concatenate(single))


def test_an_even_price_without_a_limit_is_no_number():
    assert even_text({"points": 100, "comes_out_even_at": 210.4}) == "210"
    assert even_text({"points": 100, "comes_out_even_at": 1663.0}) == ">300"


def test_too_few_units_are_refused(tmp_path):
    profiles = Profiles(write_wood(tmp_path / "wood"))
    with pytest.raises(InputError, match="2 loadouts that can fight"):
        balance_check(["wood/oak", "wood/fir"], against="wood/*", profiles=profiles)
    for how in ({"points": 0}, {"trials": 0}):
        with pytest.raises(InputError, match=next(iter(how))):
            balance_check("wood", profiles=profiles, **how)


def test_an_army_of_too_many_units_is_refused_before_any_battle(tmp_path):
    profiles = Profiles(write_wood(tmp_path / "wood", oak=3))
    with pytest.raises(InputError, match=r"points: wood/oak@basic: 200 points are an army of 67 units"):
        balance_check("wood", points=200, profiles=profiles)


@pytest.mark.slow
def test_the_check_from_the_shell(tmp_path, capsys):
    wood, page = write_wood(tmp_path / "wood", oak=30), tmp_path / "check.html"
    how = ["balance", "check", "wood", "--profiles", str(wood), "--points", "150", "--trials", "4"]
    assert main(how) == 0
    told = capsys.readouterr().out
    assert "more or less than fair points predict." in told
    assert "comes out even on this battlefield" in " ".join(told.split())
    assert main([*how, "--out", str(page)]) == 0
    html = page.read_text(encoding="utf-8")
    for part in ("Fair points compared with battles", "Every unit", "Simulated"):
        assert part in html
    rows = re.findall(r"<li><span>(\w+) .*?<span class=\"n\">(\d+)% \((\d+)%\)", html)
    assert len(rows) == len(UNITS) + 1
    off = [int(wins) - int(said) for _, wins, said in rows]
    assert (np.diff(off) <= 1).all()  # from more to less, but for the rounding of both
