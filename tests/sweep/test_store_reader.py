"""A store, asked: by this program and by pandas."""

import re

import pandas as pd
import pytest

import analyser
from analyser.common.errors import InputError
from analyser.sweep import store_reader
from analyser.sweep.running import resume_sweep, run_sweep
from analyser.sweep.store import Store
from analyser.sweep.store_reader import open_sweep

FIGURE = "mean_models_destroyed"


@pytest.fixture(scope="module")
def whole(done):
    return done.frame()


def test_pandas_reads_the_folder_as_one_table(done, whole):
    table = pd.read_parquet(done.store.parts)
    assert len(table) == done.plan.n_cells
    assert table[FIGURE].sum() == whole[FIGURE].sum()
    assert set(table["situation"]) == {"long-range", "short-range-aimed"}


def test_filters(done, whole):
    assert done.count() == len(whole)
    assert done.count(defender_defence=(2, 3)) == (whole["defender_defence"].between(2, 3)).sum()
    assert done.count(defender_defence=[1, 4]) == (whole["defender_defence"].isin([1, 4])).sum()
    ours = whole["attacker"].astype(str).str.startswith("crown/")
    assert done.count(attacker="crown/*") == done.count(faction="crown") == ours.sum()
    one = done.frame(["attacker", FIGURE], situation="long-range", defender_defence=1, attacker="*@basic")
    assert list(one.columns) == ["attacker", FIGURE]
    assert one["attacker"].str.endswith("@basic").all()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda each: each.frame(["p_anihilated"]), "did you mean 'p_annihilated'"),
        (lambda each: each.frame(attacker="nobody/*"), "no attacker matches"),
        (lambda each: each.frame(attacker="crown/rifle-platoon"), "crown/rifle-platoon@\\* selects all its levels"),
        (lambda each: each.frame(situation="long-rang"), "did you mean 'long-range'"),
        (lambda each: each.frame(defender_defence=(4, 2)), "ends before it begins"),
        (lambda each: each.frame(attacker=5), "5 is not a value of this column"),
        (lambda each: each.count(defender_defence=["three"]), "'three' is not a value of this column"),
        (lambda each: each.frame(defender_defence=(1, "x")), "is not a value of this column"),
        (lambda each: each.means("attacker", "nothing"), "no column 'nothing'"),
    ],
)
def test_what_cannot_be_asked_is_refused(done, ask, message):
    with pytest.raises(InputError, match=message):
        ask(done)


def test_a_frame_of_too_many_cells_is_refused(done, monkeypatch):
    monkeypatch.setattr(store_reader, "MOST_ROWS", 100)
    with pytest.raises(InputError, match="up to 100 in a frame; a stricter filter, means, or batches"):
        done.frame()
    assert sum(len(each) for each in done.batches()) == done.plan.n_cells


def test_means_are_those_of_the_frame(done, whole, monkeypatch):
    monkeypatch.setattr(store_reader, "BATCH_ROWS", 97)
    found = done.means(["attacker", "situation"], [FIGURE, "p_annihilated"]).set_index(["attacker", "situation"])
    expected = whole.groupby(["attacker", "situation"], observed=True)[[FIGURE, "p_annihilated"]].mean()
    for key, row in expected.iterrows():
        assert found.loc[key, [FIGURE, "p_annihilated"]].tolist() == pytest.approx(row.tolist(), nan_ok=True)
    assert found["cells"].sum() == whole[FIGURE].notna().sum()
    assert done.means("attacker", FIGURE, defender_defence=99).empty


def test_pictures(done):
    ax = done.heatmap("p_annihilated", situation="long-range", attacker="crown/*")
    assert ax.get_title(loc="left").startswith("P(annihilated), percent")
    with pytest.raises(InputError, match="2 situations in one picture"):
        done.heatmap("p_annihilated")


FIELD = ["crown/r*", "imperium/s*"]
PRICED = {
    "situations": ["long-range", "short-range-aimed"],
    "figures": ["mean_share_lost", "p_suppressed", "p_annihilated", "p_activated", FIGURE],
    "attackers": {"units": FIELD},
    "defenders": {"units": FIELD},
}


def test_the_verdict_is_that_of_fair_points_where_no_number_is_varied(tmp_path, threads):
    found = run_sweep(PRICED, tmp_path / "store", executor=threads).verdict()
    alone = analyser.fair_points(FIELD, against=FIELD, situations=PRICED["situations"])
    table, expected = (each.frame.set_index("loadout").sort_index() for each in (found, alone))
    assert found.counts == alone.counts
    assert table["verdict"].tolist() == expected["verdict"].tolist()
    for name in ("fair_points", "fair_low", "fair_high", "trades_evenly_at"):
        assert table[name].to_numpy(float) == pytest.approx(expected[name].to_numpy(float), rel=1e-9, nan_ok=True), name


@pytest.fixture(scope="module")
def two_rulesets(tmp_path_factory, threads):
    plan = {**PRICED, "situations": ["long-range"], "ruleset": [{"name": "as-printed"}, {"name": "generous"}]}
    plan["ruleset"][1]["die"] = {"heroic": 1, "strike": 5}
    return run_sweep(plan, tmp_path_factory.mktemp("rulesets") / "store", executor=threads)


@pytest.mark.parametrize("pattern", ["gen*", ["generous"], ["gen*", "generous"]])
def test_a_pattern_may_select_one_ruleset(two_rulesets, pattern):
    found, expected = (two_rulesets.verdict(ruleset=each).frame for each in (pattern, "generous"))
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({}, "ruleset: 2 rulesets match '*'; name one (allowed: as-printed, generous)"),
        ({"ruleset": "*"}, "ruleset: 2 rulesets match '*'; name one (allowed: as-printed, generous)"),
        ({"ruleset": ["as-printed", "gen*"]}, "ruleset: 2 rulesets match ['as-printed', 'gen*']; name one"),
        ({"ruleset": "generus"}, "ruleset: no ruleset matches 'generus'; did you mean 'generous'?"),
        ({"ruleset": 2}, "ruleset: 0 rulesets match 2; name one"),
    ],
)
def test_prices_and_pictures_need_one_ruleset(two_rulesets, where, message):
    for ask in (two_rulesets.verdict, two_rulesets.heatmap):
        with pytest.raises(InputError, match=re.escape(message)):
            ask(**where)


def test_an_unfinished_store_says_so(store, threads):
    first = min(Store(store).files().values())
    first.path.unlink()
    found = open_sweep(store)
    assert not found.is_complete
    assert str(found).endswith("1 are missing")
    assert found.count() == found.plan.n_cells - found.plan.block(first.number).n_cells
    assert resume_sweep(store, executor=threads).is_complete
