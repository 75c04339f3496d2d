"""Plots of one or several fights: contents and legibility."""

import io
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

import analyser
from analyser.common.errors import InputError
from analyser.plots import (
    cost_against_effect,
    distribution,
    fair_points,
    margins,
    panels,
    points_left,
    survival,
    tornado,
)
from analyser.plots.frontier import efficient_rows
from tests.oracle.attacks import attack

LEAST_POINTS = 8
FIGHT = {"attack": {"dice": 12, "rating": "improved"}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}
PMFS = pd.DataFrame({"loadout": ["x/a@basic"] * 3 + ["x/$b_1$@basic"] * 3, "models_destroyed": [0, 1, 2] * 2})
PMFS["probability"], PMFS["at_least"] = [0.2, 0.5, 0.3, 0.6, 0.3, 0.1], [1.0, 0.8, 0.3, 1.0, 0.4, 0.1]
ROUNDS = pd.DataFrame({"round": [0, 1, 2] * 2, "side": ["a"] * 3 + ["b"] * 3, "p_alive": [1, 0.9, 0.7, 1, 0.6, 0.2]})
COSTS = pd.DataFrame({"loadout": list("abcde"), "mean_models_destroyed": [2.0, 1.5, 4.0, 4.0, 9.0]})
COSTS["points"] = pd.array([50, 60, 60, 90, None], "Int64")
NUMBERS = analyser.sensitivity(FIGHT).frame
PLOTS = {distribution: analyser.exact(FIGHT).to_frame(), survival: ROUNDS, cost_against_effect: COSTS}
PLOTS |= {tornado: NUMBERS}
every_plot = pytest.mark.parametrize(("plot", "frame"), PLOTS.items(), ids=lambda value: getattr(value, "__name__", ""))


def texts(ax):
    return [text for text in ax.figure.findobj(Text) if text.get_text() and text.get_visible()]


def drawn(ax):
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())


@every_plot
def test_nothing_is_clipped_or_tiny(plot, frame):
    ax = plot(frame)
    picture = drawn(ax)
    assert (np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]]) == 255).all()
    assert min(text.get_fontsize() for text in texts(ax)) >= LEAST_POINTS


@pytest.mark.parametrize("dpi", [72, 90, 96, 180])
def test_no_long_title_is_clipped_at_any_resolution(dpi):
    file = io.BytesIO()
    long = "Rifle Platoon, reinforced on Scion Vierling Heavy Infantry, reinforced at 10 inches"
    tornado(NUMBERS, title=long).figure.savefig(file, dpi=dpi)
    right = np.asarray(Image.open(file).convert("L"))[:, -dpi // 20 :]  # a twentieth of an inch
    assert (right == 255).all()


@every_plot
def test_texts_do_not_overlap(plot, frame):
    ax = plot(frame)
    drawn(ax)
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts(ax) if not text.get_text().isdecimal()]
    pairs = combinations(boxes, 2)
    assert [(one, other) for (one, box), (other, near) in pairs if box.shrunk(0.9, 0.8).overlaps(near)] == []


@every_plot
def test_a_missing_column_and_an_empty_table_are_errors(plot, frame):
    with pytest.raises(InputError, match="has no rows to draw"):
        plot(frame.head(0))
    column = {cost_against_effect: "points", tornado: "plus_1", survival: "p_alive"}.get(plot)
    with pytest.raises(InputError, match="no column"):
        plot(frame.drop(columns=column or "probability"))


def test_missing_data_and_wrong_axes_are_errors():
    with pytest.raises(InputError, match="data: there is no distribution to draw"):
        distribution({})
    with pytest.raises(InputError, match=r"ax: 3 is not usable .allowed: matplotlib Axes"):
        analyser.exact({"attack": {"dice": 1}, "target": {"models": 1, "defence": 2, "damage_limit": 1}}).plot(ax=3)


def test_bars_and_line_show_the_distribution():
    result = analyser.exact(FIGHT)
    law = result.distribution("models_destroyed")
    ax = distribution(result.to_frame())
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([100 * row["probability"] for row in law])
    assert list(ax.lines[0].get_ydata()) == pytest.approx([100 * row["at_least"] for row in law])
    assert ax.lines[0].get_drawstyle() == "steps-mid"


def test_simulated_bars_have_wilson_intervals():
    result = analyser.simulate(FIGHT, trials=5000, seed=2)
    ax = distribution(result.to_frame())
    (lines,) = [part for part in ax.collections if hasattr(part, "get_segments")]
    ends = [segment[:, 1] for segment in lines.get_segments()]
    wanted = [[100 * row["low"], 100 * row["high"]] for row in result.distribution("models_destroyed")]
    assert np.array(ends) == pytest.approx(np.array(wanted))


def test_only_unlikely_ends_of_a_long_distribution_are_left_out():
    result = attack(dice=150, die={"strike": 1, "blank": 1}, models=200)
    ax = distribution(result.to_frame())
    assert len(ax.patches) < 80
    assert sum(bar.get_height() for bar in ax.patches) > 99.9


def test_each_distribution_is_a_stepped_line():
    ax = distribution(PMFS, by="loadout", kind="at least")
    steps = [line for line in ax.lines if line.get_drawstyle() == "steps-mid"]
    assert [list(line.get_ydata()) for line in steps] == [[80, 30], [40, 10]]
    assert not ax.get_legend().get_texts()[1].get_parse_math()
    many = pd.concat([PMFS.assign(loadout=f"{name}") for name in range(7)])
    with pytest.raises(InputError, match=r"7 series in one picture .allowed: up to 6"):
        distribution(many, by="loadout", kind="at least")


def test_overlaid_distributions_have_distinct_styles_and_names():
    ax = Figure(figsize=(7, 5)).subplots()
    for name, rows in PMFS.groupby("loadout"):
        distribution(rows, kind="lines", ax=ax, label=name)
    distribution(PMFS.head(3), kind="lines", ax=ax, label="third", color="red", linewidth=4)
    assert len({line.get_color() for line in ax.lines}) == len({line.get_marker() for line in ax.lines}) == 3
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == "third"
    assert (ax.lines[-1].get_color(), ax.lines[-1].get_linewidth()) == ("red", 4)
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y0  # inside the axes of the user


def test_series_can_be_drawn_side_by_side():
    ax = distribution(PMFS, by="loadout", kind="bars", label={"x/a@basic": "A"}, color=["red", "blue"])
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([20, 50, 30, 60, 30, 10])
    assert sorted(ax.patches, key=lambda bar: bar.get_x()) == [ax.patches[place] for place in (0, 3, 1, 4, 2, 5)]
    assert ax.get_legend().get_texts()[0].get_text() == "A"
    with pytest.raises(InputError, match="one label for 2 series"):
        distribution(PMFS, by="loadout", label="A")


def test_panels_share_scales_and_one_legend():
    drawn_panels = panels(pd.concat([PMFS.assign(target="t"), PMFS.assign(target="u")]), distribution, by="target")
    assert [ax.get_title() for ax in drawn_panels] == ["t", "u"]
    laws = {"one": PMFS.head(3), "other": PMFS.tail(3).assign(models_destroyed=[4, 5, 9])}
    one, other = panels(laws, distribution, kind="lines", label="so many")
    assert (one.get_xlim(), one.get_ylim()) == (other.get_xlim(), other.get_ylim())
    assert one.get_xticks().tolist() == other.get_xticks().tolist()
    assert (one.get_legend(), len(one.figure.legends)) == (None, 1)


def test_survival_draws_a_duel():
    duel = analyser.duel("crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic", rounds=3)
    lines = survival(duel).lines
    assert [line.get_label() for line in lines] == ["Rifle Platoon", "Scion Grenadier Platoon"]
    for side, line in zip("ab", lines):
        alive = [duel.probability(f"{side}_alive", number).probability for number in (1, 2, 3)]
        assert list(line.get_ydata()) == pytest.approx([100 * p for p in alive])
    assert [line.get_label() for line in survival(duel.to_frame(by_round=True)).lines] == ["a", "b"]
    charge = analyser.charge("crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic")
    for wrong, said in ((duel.to_frame(), "no column 'round'"), (charge, "ChargeResult"), ([1, 2], "list")):
        with pytest.raises(InputError, match=said):
            survival(wrong)


def test_the_frontier_has_the_efficient_rows():
    assert efficient_rows(COSTS, "mean_models_destroyed").tolist() == [True, False, True, False, False]
    rng = np.random.default_rng(7)
    table = pd.DataFrame({"points": rng.integers(1, 9, 40), "effect": rng.integers(0, 9, 40) / 1.0})

    def beats(other, one):
        better = other.points < one.points, other.effect > one.effect
        return any(better) and other.points <= one.points and other.effect >= one.effect

    rows = list(table.itertuples())
    assert efficient_rows(table, "effect").tolist() == [not any(beats(other, one) for other in rows) for one in rows]


def test_the_frontier_is_stepped_and_numbered_and_counts_missing_loadouts():
    ax = cost_against_effect(COSTS)
    assert [list(ax.lines[0].get_xdata()), list(ax.lines[0].get_ydata())] == [[50, 60], [2, 4]]
    assert "1 without figures left out" in ax.get_xlabel()
    assert "1  a\n2  c\n3  b\n4  d" in [text.get_text() for text in ax.texts]
    figure = Figure(figsize=(7, 5))
    users = cost_against_effect(COSTS, ax=figure.subplots())
    assert {text.get_text() for text in users.get_legend().get_texts()} >= set("abcd")
    assert not [text for text in users.texts if "\n" in text.get_text()]  # no text beside the axes
    with pytest.raises(InputError, match="no loadout has both"):
        cost_against_effect(COSTS.tail(1))


def test_tornado_bars_end_at_the_changed_metric():
    ax = tornado(NUMBERS)
    base = NUMBERS["base"].iloc[0]
    reached = {round(bar.get_x() + bar.get_width(), 9) for bar in ax.patches}
    ends = NUMBERS[["minus_1", "plus_1"]].stack().dropna()
    assert {round(end, 9) for end in ends[(ends - base).abs() > 1e-9]} <= reached
    lengths = [abs(bar.get_width()) for bar in ax.patches]
    longest = np.maximum(lengths[: len(lengths) // 2], lengths[len(lengths) // 2 :])
    assert (np.diff(longest) <= 1e-12).all()


@pytest.mark.parametrize("spread", [1.5, 5.0, 40.0])
def test_the_axes_of_fair_points_have_several_ticks(spread):
    points = 20 * np.array([1.0, spread])
    figures = {"points": points, "fair_points": points, "fair_low": 0.9 * points, "fair_high": 1.1 * points}
    ax = fair_points(
        pd.DataFrame({"loadout": ["red/a@basic", "red/b@basic"], "faction": "red", "verdict": "fair"} | figures)
    )
    shown = [
        text.get_text()
        for text in ax.get_xticklabels()
        if 0.8 * points[0] <= text.get_position()[0] <= 1.25 * points[1]
    ]
    assert len(shown) >= 3
    assert len(set(shown)) == len(shown)


def test_open_markers_of_fair_points_are_explained():
    figures = {"points": [50, 60], "fair_points": [40.0, 60.0], "fair_low": [35.0, 50.0], "fair_high": [46.0, 70.0]}
    names = {"loadout": ["red/a@basic", "red/b@basic"], "faction": ["red", "red"]}
    ax = fair_points(pd.DataFrame({**names, **figures, "verdict": ["over-priced", "fair"]}))
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["typical interval", "red", "open: fair or undecided"]


def test_margins_name_the_shares_of_results():
    frame = pd.DataFrame({"margin": [-3, 0, 1, 4], "probability": [0.1, 0.2, 0.3, 0.4]})
    labels = [text.get_text() for text in margins(frame).get_legend().get_texts()]
    assert labels == ["mine wins: 70%", "draw: 20%", "yours wins: 10%"]


def test_points_left_begin_at_100_percent():
    rows = {"round": [1, 1], "side": ["mine", "yours"], "mean_percent": [90.0, 70.0]}
    rows |= {"percent_10th_percentile": [80, 50], "percent_90th_percentile": [100, 90]}
    axes = points_left(pd.DataFrame(rows))
    assert [line.get_ydata()[0] for line in axes.lines] == [100, 100]
