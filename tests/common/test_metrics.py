"""Figures of one's own: a function of an outcome table wherever the name of a figure goes."""

import numpy as np
import pandas as pd
import pytest

import analyser
from analyser.common.errors import InputError
from analyser.common.metrics import COMPARE_METRICS, MATCHUP_METRICS, forget
from analyser.report import write_report
from analyser.report.matchups_data import page_data
from tests.oracle.attacks import attack

PAIR = ["crown/sharp-rifles@basic", "crown/rifle-platoon@basic"]
TARGET = "imperium/scion-grenadier-platoon@basic"
FIGHT = {"attack": {"attacker": PAIR[1], "distance": 6}, "target": {"unit": TARGET}}


def destroyed(outcomes):
    return outcomes["models_destroyed"]


def several(outcomes):
    return outcomes["models_destroyed"] >= 2


@pytest.fixture
def half_gone():
    name = analyser.metric("half_gone", lambda outcomes: outcomes["models_left"] <= 3, unit="%", title="P(half gone)")
    yield name
    forget(name)


def test_a_function_gives_what_the_figure_of_that_meaning_gives():
    exact = analyser.exact(FIGHT)
    assert exact.metric(destroyed).value == pytest.approx(exact.mean("models_destroyed"))
    assert exact.metric(several) == pytest.approx(exact.at_least(2))
    assert exact.metric(lambda outcomes: 7) == 7
    assert exact.metric("p_broken") == exact.probability("broken")
    sample = analyser.simulate(FIGHT, trials=20_000)
    assert sample.metric(several) == sample.at_least(2)
    assert (sample.metric(several).low, sample.metric(several).high) == (
        sample.at_least(2).low,
        sample.at_least(2).high,
    )
    found, wanted = sample.metric(destroyed), sample.mean_with_interval("models_destroyed")
    assert found.low == pytest.approx(wanted.low, abs=1e-3)
    assert found.low < found.value < found.high


def test_comparisons_are_decided_by_a_function():
    found = analyser.compare(PAIR, TARGET, distance=6, metric=destroyed)
    assert found.metric == "destroyed"
    assert found.frame["destroyed"].tolist() == pytest.approx(found.frame["mean_models_destroyed"].tolist())
    assert found.best == analyser.compare(PAIR, TARGET, distance=6).best
    assert "destroyed" in str(found)
    sampled = analyser.compare(PAIR, TARGET, distance=6, metric=several, method="monte-carlo", trials=1000)
    assert (sampled.frame["difference_low"].dropna() <= sampled.frame["difference"].dropna()).all()
    assert "destroyed" not in COMPARE_METRICS  # the functions of one question are not those of the next


def test_other_questions_take_a_function():
    by_distance = analyser.curve(PAIR, TARGET, over="distance=6,12", metric=several)
    assert by_distance.frame["several"].between(0, 1).all()
    two = analyser.curve(PAIR[0], TARGET, over="dice=2,3", metric=[several, lambda outcomes: outcomes.models_left])
    assert {"several", "custom"} <= set(two.frame)
    numbers = analyser.sensitivity(*PAIR[:1], TARGET, metric=destroyed).frame
    assert numbers["base"].tolist() == pytest.approx(analyser.sensitivity(*PAIR[:1], TARGET).frame["base"].tolist())
    best = analyser.search({"baseline": FIGHT, "ranges": {"distance": [6, 12]}}, metric=destroyed)
    assert best.frame["value"].tolist() == pytest.approx(
        analyser.search({"baseline": FIGHT, "ranges": {"distance": [6, 12]}}).frame["value"].tolist()
    )


def test_matchups_show_a_function_and_blank_where_they_cannot_fight():
    found = analyser.matchups("crown/*@basic", "imperium/krupp@basic", metric=destroyed, situations="long-range")
    table = found.frame
    assert table["destroyed"].isna().equals(table["why_not"].notna())
    assert np.allclose(table["destroyed"], table["mean_models_destroyed"], equal_nan=True)
    assert found.heatmap(metric=several).get_title().startswith("several")
    with pytest.raises(InputError, match="has no value in charge"):
        analyser.matchups(PAIR, TARGET, metric=destroyed, situations="charge")


DUELS = {
    "baseline": {"duel": {"rounds": 1}, "a": {"unit": PAIR[1]}, "b": {"unit": TARGET}},
    "ranges": {"a": [PAIR[0], PAIR[1], "crown/rifle-platoon@full-strength"]},
}


def enemies_gone(outcomes):
    return 6 - outcomes["b_models_left"]


def most_gone(outcomes):
    return outcomes["b_models_left"] <= 3


@pytest.mark.parametrize("function", [enemies_gone, most_gone])
def test_a_race_is_decided_by_a_function(function):
    raced = analyser.search(DUELS, metric=function, method="race", seed=3, trials=8000, replacement=True)
    assert raced.metric == function.__name__
    for row in raced.frame.to_dict("records"):
        exact = analyser.duel(row["a"] if isinstance(row["a"], str) else PAIR[1], TARGET, rounds=1).metric(function)
        assert row["low"] <= getattr(exact, "value", exact) <= row["high"]
    with pytest.raises(InputError, match="gives one number"):
        analyser.search(DUELS, metric=lambda outcomes: 3, method="race")


def test_a_report_has_a_registered_figure_in_its_tables_and_page(half_gone, tmp_path):
    found = analyser.matchups(PAIR, TARGET, situations="long-range", metric=half_gone).frame
    folder = write_report(
        PAIR, TARGET, out=tmp_path / "report", situations=["long-range", "charge"], metrics=[half_gone], field=TARGET
    )
    table = pd.read_csv(folder / "matchups.csv")
    here = table[(table["situation"] == "long-range") & table["attacker"].isin(PAIR)]
    assert here[half_gone].tolist() == pytest.approx(found[half_gone].tolist())
    assert table[table["situation"] == "charge"][half_gone].isna().all()
    page = page_data(analyser.matchups(PAIR, TARGET, situations="long-range", metric=half_gone))
    assert {"name": half_gone, "title": "P(half gone)"}.items() <= page["metrics"][-1].items()


def test_a_registered_figure_is_in_every_table(half_gone):
    found = analyser.compare(PAIR, TARGET, distance=6)
    wanted = [analyser.attack(each, TARGET, distance=6).at_least(3) for each in PAIR]
    assert found.frame["half_gone"].tolist() == pytest.approx(wanted)
    decided = analyser.compare(PAIR, TARGET, distance=6, metric=half_gone)
    assert f"{100 * wanted[0]:.2f}%" in str(decided)
    assert "P(half gone)" in analyser.sensitivity(PAIR[0], TARGET, metric=half_gone).plot().get_title()
    assert analyser.exact(FIGHT).metric(half_gone) == pytest.approx(wanted[1])


def test_wrong_metrics():
    with pytest.raises(InputError, match="a built-in metric"):
        analyser.metric("mean_damage", destroyed)
    with pytest.raises(InputError, match="letters, digits and underscores"):
        analyser.metric("half gone", destroyed)
    with pytest.raises(InputError, match="not a function"):
        analyser.metric("gone", 3)
    exact = attack(dice=2, models=2)
    with pytest.raises(InputError, match=r"AttributeError.*the columns models_left"):
        exact.metric(lambda outcomes: outcomes.nothing)
    with pytest.raises(InputError, match="one number, or a value for each outcome"):
        exact.metric(lambda outcomes: [1, 2, 3, 4, 5, 6, 7, 8, 9])
    with pytest.raises(InputError, match="unknown figure 'p_brokn'; did you mean 'p_broken'"):
        exact.metric("p_brokn")
    assert "destroyed" not in MATCHUP_METRICS


def test_a_function_that_fails_concerns_only_questions_about_its_metric():
    name = analyser.metric("typo", lambda outcomes: outcomes.model_left > 3)
    try:
        found = analyser.compare(PAIR, TARGET, distance=6)
        assert found.frame[name].isna().all()
        assert "The metric typo has no value, because its function fails." in found.notes()
        assert len(analyser.sensitivity(PAIR[0], TARGET, distance=6).frame)
        for question in (analyser.compare, analyser.sensitivity, analyser.matchups):
            with pytest.raises(InputError, match="metric: typo: the function failed"):
                question(PAIR[0], TARGET, metric=name)
    finally:
        forget(name)
