"""Balance: what efficiency, outliers, domination and ratings say, and what an edit does to the matchups of one."""

import itertools
import math
import statistics
from types import SimpleNamespace

import choix
import pandas as pd
import pytest

from analyser.analysis import efficiency as figures
from analyser.analysis.duel_ratings import bradley_terry, wins_of
from analyser.analysis.efficiency import dominated, efficiency, outliers
from analyser.analysis.matchups import matchups
from analyser.analysis.standing import matchup_changes
from analyser.common.metrics import EFFICIENCY
from analyser.game.profiles import Profiles

SIDES = (("crown/*", "imperium/*"), pytest.param(("*/*",), marks=pytest.mark.proof))


@pytest.fixture(scope="module", params=SIDES, ids=" ".join)
def frame(request):
    """Everybody of two factions; in proof, of all."""
    return matchups(request.param, request.param, profiles=Profiles()).frame


def table(efficiencies, situation="here"):
    """A table of attackers a, b, ... and as many targets as each has figures."""
    cells = [(attacker, place, figure) for attacker, row in efficiencies.items() for place, figure in enumerate(row)]
    frame = pd.DataFrame(cells, columns=["attacker", "defender", EFFICIENCY])
    frame["attacker_unit"], frame["defender_unit"] = frame["attacker"].str.upper(), "T" + frame["defender"].astype(str)
    frame["attacker"] = "red/" + frame["attacker"] + "@basic"
    frame["defender"] = "blue/t" + frame["defender"].astype(str) + "@basic"
    priced = {"attacker_points": 100, "defender_points": 500}
    return frame.assign(attacker_level="basic", defender_category="light", situation=situation, **priced)


def test_efficiency_is_the_mean_over_the_targets_of_a_category(frame):
    found = efficiency(frame).set_index(["attacker", "situation", "category"])
    for key in [
        ("crown/rifle-platoon@basic", "long-range", "light"),
        ("imperium/krupp-field-guns@reinforced", "short-range-aimed", "heavy"),
    ]:
        rows = frame[frame["attacker"] == key[0]].to_dict("records")
        mine = [row[EFFICIENCY] for row in rows if (row["situation"], row["defender_category"]) == key[1:]]
        assert found.loc[key, "efficiency"] == pytest.approx(math.fsum(mine) / len(mine), rel=1e-12)
        assert found.loc[key, "targets"] == len(mine)
    assert not found["efficiency"].isna().any()


def test_the_z_score_is_of_the_logarithm_in_robust_standard_deviations(frame):
    found = efficiency(frame)
    part = found[(found["situation"] == "long-range") & (found["category"] == "light")]
    logs = [math.log2(each) for each in part["efficiency"] if each >= figures.LEAST_EFFICIENCY]
    median = statistics.median(logs)
    spread = 1.4826 * statistics.median(abs(each - median) for each in logs)
    for row in part.to_dict("records"):
        if row["efficiency"] >= figures.LEAST_EFFICIENCY:
            assert row["z"] == pytest.approx((math.log2(row["efficiency"]) - median) / spread, rel=1e-9, abs=1e-12)
        else:
            assert math.isnan(row["z"])


def test_a_product_of_both_sides_has_no_outliers_and_one_changed_cell_is_one():
    cells = {
        name: [strength * weakness for weakness in (1, 2, 4, 8, 16)] for name, strength in zip("abcde", range(1, 6))
    }
    assert outliers(table(cells)).empty
    cells["c"][3] *= 10
    found = outliers(table(cells))
    assert found[["attacker", "defender"]].values.tolist() == [["red/c", "blue/t3"]]
    assert found.loc[0, "ratio"] == pytest.approx(10)
    assert found.loc[0, "expected"] == pytest.approx(24)
    assert found.loc[0, "efficiency"] == pytest.approx(240)


def test_times_expected_are_of_figures_that_matter():
    """Where nearly nobody does anything, times expected were hundreds of milliards (item 12)."""
    cells = {name: [0.0, 0.0, 0.0, 1e-9, 30.0] for name in "abcdef"}
    cells["e"][0] = 80.0
    found = outliers(table(cells))
    assert found[["attacker", "defender"]].values.tolist() == [["red/e", "blue/t0"]]
    assert found.loc[0, "expected"] == figures.LEAST_EFFICIENCY
    assert found.loc[0, "ratio"] == pytest.approx(80)
    others = "other attackers usually destroy nothing of T0"
    assert found.loc[0, "why"] == f"E usually destroys nothing of other light targets, {others}"


def test_a_pair_is_told_once_with_the_other_situations_and_no_unit_fills_the_list():
    one, other = ({name: [4.0 * s] * 13 for s, name in enumerate("abcdefghi", 1)} for _ in range(2))
    for place in range(1, 6):
        one["a"][place], other["a"][place] = 300.0 + place, 200.0 + place
    one["b"][6] = 70.0
    frame = pd.concat([table(one, situation="here"), table(other, situation="there")], ignore_index=True)
    found = outliers(frame)
    assert not found.duplicated(["attacker", "defender"]).any()
    assert found.loc[found["attacker"] == "red/a", "also_in"].tolist() == ["there"] * 5
    assert found["attacker"].tolist() == ["red/a", "red/b", "red/a", "red/a", "red/a", "red/a"]


def test_why_a_matchup_is_odd_is_told_by_the_cards(frame):
    profiles = list(Profiles())
    found = outliers(frame, profiles)
    units = {each.selector.partition("@")[0]: each.unit for each in profiles}
    assert len(found)
    for row in found.to_dict("records"):
        target = units[row["defender"]]
        assert f"the target has DEFENCE {target.defence}, DAMAGE LIMIT {target.damage_limit}" in row["why"]
        used = units[row["attacker"]].row(row["row"])
        assert f"it uses {used.name}" in row["why"]
        assert all(quality in row["why"] for quality in used.qualities)


def does_as_well(frame, one, other):
    """Whether `one` does as well as `other` in every matchup, by a plain reading."""
    frame = frame.assign(p_stopped=frame["p_suppressed"] + frame["p_annihilated"])
    attack, defence = {}, {}
    for row in frame[frame["attacker"].isin([one, other])].to_dict("records"):
        for name in figures.INFLICTED_FIGURES:
            figure = row[name]
            attack[row["attacker"], row["defender"], row["situation"], name] = 0 if math.isnan(figure) else figure
    for row in frame[frame["defender"].isin([one, other])].to_dict("records"):
        for name in figures.SUFFERED_FIGURES:
            figure = row[name] / (row["defender_models"] if name == "mean_models_destroyed" else 1)
            defence[row["defender"], row["attacker"], row["situation"], name] = 0 if math.isnan(figure) else figure
    return all(attack[one, *key] >= attack[other, *key] - 1e-9 for side, *key in attack if side == one) and all(
        defence[one, *key] <= defence[other, *key] + 1e-9 for side, *key in defence if side == one
    )


def test_dominated_loadouts_are_found_and_no_others(frame):
    crown = frame[frame["attacker"].str.startswith("crown/r") & frame["defender"].str.startswith("crown/r")]
    found = dominated(crown).set_index("attacker")["by"].to_dict()
    assert found
    points = dict(zip(crown["attacker"], crown["attacker_points"]))
    for one, price in points.items():
        cheaper = [other for other, its_price in points.items() if its_price < price]
        better = [other for other in cheaper if does_as_well(crown, other, one)]
        assert (one in found) == bool(better), one
        if better:
            assert found[one] in better


def test_it_says_what_counts_and_what_is_saved(frame):
    both = dominated(frame)
    assert set(both["counts"]) == {"attack and defence"}
    row = both[both["attacker"] == "crown/rifle-command-platoon@basic"].iloc[0]
    assert (row["by"], row["points_saved"]) == ("crown/rifle-platoon@basic", 40)
    one_way = matchups("crown/*", "imperium/*", profiles=Profiles()).frame
    assert set(dominated(one_way)["counts"]) == {"attack"}


def chances(strengths):
    """Who beats whom, exactly as Bradley and Terry have it."""
    wins = {
        one: {other: math.nan if one == other else mine / (mine + theirs) for other, theirs in strengths.items()}
        for one, mine in strengths.items()
    }
    return pd.DataFrame(wins).T


def test_ratings_are_the_same_every_time_and_agree_with_another_algorithm():
    wins = chances({"a": 1.0, "b": 2.0, "c": 5.0})
    assert bradley_terry(wins).equals(bradley_terry(wins))
    duels = (1000 * (wins.fillna(0) + 0.005)).round().astype(int).to_numpy()
    games = [pair for pair in itertools.permutations(range(3), 2) for _ in range(duels[pair])]
    peer = choix.opt_pairwise(3, games)
    mine = bradley_terry(wins).set_index("loadout")["rating"][["a", "b", "c"]].to_numpy()
    assert mine == pytest.approx((peer - peer.mean()) * 400 / math.log(10), abs=0.5)


def test_the_chance_of_a_pair_is_the_mean_of_both_directions_and_half_of_a_draw_is_a_win():
    duels = [("a", "a", 0.9, 0.1), ("a", "b", 0.6, 0.2), ("b", "a", 0.5, 0.1), ("a", "c", 0.25, 0.5)]
    duels += [("a", "plane", math.nan, math.nan), ("plane", "a", math.nan, math.nan)]
    wins = wins_of(pd.DataFrame(duels, columns=["attacker", "defender", "p_attacker_wins", "p_draw"]))
    assert list(wins.index) == list(wins.columns) == ["a", "b", "c"]
    assert wins.loc["a", "b"] == pytest.approx((0.7 + 1 - 0.55) / 2)
    assert wins.loc["b", "a"] == pytest.approx(1 - wins.loc["a", "b"])
    assert wins.loc["a", "c"] == pytest.approx(0.5)
    assert wins.loc["c", "a"] == pytest.approx(0.5)
    assert wins.isna().sum().sum() == 5  # nobody meets itself; b and c do not meet


NAMES = ["oak", "ash", "fir", "yew"]


def standings(*leads):
    """A field in which the oak is so far ahead of the others."""
    return SimpleNamespace(leads=pd.DataFrame([[0.0, *leads], *[[0.0] * 4] * 3], NAMES, NAMES))


def test_a_matchup_moves_by_the_lead_after_an_edit_less_the_lead_before():
    found = matchup_changes(standings(0.2, -0.1, 0.3), standings(-0.3, 0.1, 0.4), "oak")
    assert found["opponent"].tolist() == ["ash", "yew", "fir"]  # the worst first
    assert (found["before"].tolist(), found["after"].tolist()) == ([0.2, 0.3, -0.1], [-0.3, 0.4, 0.1])
    assert found["change"].tolist() == pytest.approx([-0.5, 0.1, 0.2])
    assert found["changes_hands"].tolist() == [True, False, True]
