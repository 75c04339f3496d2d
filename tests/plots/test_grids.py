"""Heatmaps: texts, colours, order and legibility."""

import functools
import io
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import matchups
from analyser.common.errors import InputError
from analyser.common.look import luminance, short_text
from analyser.common.metrics import MATCHUP_METRICS
from analyser.game.profiles import Profiles
from analyser.plots import heatmap
from analyser.plots.heatmaps import IMPOSSIBLE, LOGARITHMIC, MEAN

EFFICIENCY = "expected_points_destroyed_per_100_points"
LEAST_POINTS = 8  # of any text, at natural size
LEAST_CONTRAST = 4.5  # of text and its cell (WCAG 2, AA)


@pytest.fixture(scope="module")
def frame():
    return matchups("crown/*", "imperium/*", situations=["long-range"], profiles=Profiles()).frame


@pytest.fixture(scope="module")
def basic(frame):
    return frame[(frame["attacker_level"] == "basic") & (frame["defender_level"] == "basic")]


@pytest.fixture(scope="module")
def drawn(basic):
    return functools.cache(lambda metric: heatmap(basic, values=metric))


def pixels(ax):
    canvas = ax.figure.canvas
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def texts(ax):
    return [text for text in ax.figure.findobj(Text) if text.get_text() and text.get_visible()]


def cell_texts(ax):
    return {(round(text.get_position()[1]), round(text.get_position()[0])): text for text in ax.texts}


def png(ax):
    file = io.BytesIO()
    ax.figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def in_order(frame, side, metric):
    """The selectors of a side in the expected order."""
    seen = {}
    for row in frame.to_dict("records"):
        seen.setdefault(row[side], []).append(row)
    sides = list(seen)

    def key(name):
        figures = [row[metric] for row in seen[name] if not np.isnan(row[metric])]
        group = ("light", "heavy", "aerial").index(seen[name][0]["defender_category"]) if side == "defender" else 0
        return group, -np.mean(figures) if figures else np.inf, sides.index(name)

    return sorted(sides, key=key)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["mean_models_destroyed", "p_annihilated"])
def test_rows_are_sorted_by_mean_and_columns_by_category_and_mean(basic, drawn, metric):
    ax = drawn(metric)
    for side, labels in (("attacker", ax.get_yticklabels()), ("defender", ax.get_xticklabels())):
        names = dict(zip(basic[side], basic[f"{side}_unit"]))
        wanted = [names[name] for name in in_order(basic, side, metric)]
        assert [text.get_text() for text in labels] == [*wanted, MEAN]
    groups = [text.get_text() for text in ax.get_xticklabels(minor=True)]
    assert groups == ["light", "heavy", "aerial"]


@pytest.mark.parametrize("metric", ["mean_models_destroyed", "p_annihilated"])
def test_cells_have_figures_and_margins_have_means(basic, drawn, metric):
    attackers, defenders = (in_order(basic, side, metric) for side in ("attacker", "defender"))
    figures = {(len(attackers), len(defenders)): basic[metric].mean()}
    for row in basic.to_dict("records"):
        figures[attackers.index(row["attacker"]), defenders.index(row["defender"])] = row[metric]
    for place, name in enumerate(attackers):
        figures[place, len(defenders)] = basic[basic["attacker"] == name][metric].mean()
    for place, name in enumerate(defenders):
        figures[len(attackers), place] = basic[basic["defender"] == name][metric].mean()
    how = {"is_probability": MATCHUP_METRICS[metric].is_probability}
    wanted = {place: short_text(figure, **how) for place, figure in figures.items() if not np.isnan(figure)}
    assert {place: text.get_text() for place, text in cell_texts(drawn(metric)).items()} == wanted


def test_the_title_names_metric_sides_situation_and_method(basic, frame):
    title = heatmap(basic, values="p_suppressed").get_title(loc="left")
    assert title == "P(suppressed), percent\nRows: Crown, basic · columns: Imperium, basic · long range · exact"
    title = heatmap(by_unit(frame), values="mean_damage").get_title(loc="left")
    sides = "Rows: Crown, mean over levels · columns: Imperium, mean over levels"
    assert title == f"Mean damage\n{sides} · long range · exact"


def test_impossible_cells_are_hatched_and_explained(basic, drawn):
    ax = drawn("p_annihilated")
    assert ax.patch.get_hatch()
    assert ax.get_xlabel() == IMPOSSIBLE
    shown = ax.images[0].get_array()
    assert np.ma.getmaskarray(shown)[:-1, :-1].sum() == basic["why_not"].notna().sum()
    possible = basic[basic["attacker_unit"] == "Drake Field Guns"]
    possible = possible[possible["why_not"].isna()]
    assert heatmap(possible, values="p_annihilated").get_xlabel() == ""


@pytest.mark.slow
def test_nothing_is_clipped(frame, basic):
    for part in (by_unit(frame), basic.head(1), basic[basic["attacker_unit"] == "Horse Guard Cavalry"]):
        ax = heatmap(part, values=EFFICIENCY)
        pixels(ax)
        whole = ax.figure.bbox
        for text in texts(ax):
            box = text.get_window_extent()
            assert min(box.x0 - whole.x0, box.y0 - whole.y0, whole.x1 - box.x1, whole.y1 - box.y1) > -0.5, text


def test_texts_are_legible_and_fit_into_their_cells(frame):
    ax = heatmap(by_unit(frame), values="p_annihilated")
    pixels(ax)
    assert min(text.get_fontsize() for text in texts(ax)) >= LEAST_POINTS
    image, box = ax.images[0].get_array(), ax.get_window_extent()
    for text in ax.texts:
        extent = text.get_window_extent()
        assert extent.width <= box.width / image.shape[1]
        assert extent.height <= box.height / image.shape[0]


@pytest.mark.parametrize("metric", ["mean_models_destroyed", "p_annihilated"])
def test_text_contrasts_with_its_cell(drawn, metric):
    ax = drawn(metric)
    image = ax.images[0]
    colours = luminance(image.cmap(image.norm(image.get_array())))
    for place, text in cell_texts(ax).items():
        ink = {"black": 0.0, "white": 1.0}[text.get_color()]
        darker, lighter = sorted([ink, colours[place]])
        assert (lighter + 0.05) / (darker + 0.05) >= LEAST_CONTRAST


def places(ax):
    """The position of text cell on the colour scale, from 0 to 1."""
    image = ax.images[0]
    return np.ma.filled(image.norm(image.get_array()), np.nan)


def test_figures_have_a_logarithmic_colour_scale(frame):
    ax = heatmap(by_unit(frame), values=EFFICIENCY)
    least, most = ax.images[0].get_clim()
    assert least == pytest.approx(most / 100)
    texts_of = {place: text.get_text() for place, text in cell_texts(ax).items()}
    shown = places(ax)
    for place, text in texts_of.items():
        figure = 0.0 if text.startswith("<") else float(text)
        wanted = max(math.log(max(figure, least) / least) / math.log(100), 0)
        assert shown[place] == pytest.approx(wanted, abs=0.12 if figure < 1 else 0.03)
    possible = shown[:-1, :-1][~np.isnan(shown[:-1, :-1])]
    linear = by_unit(frame)[EFFICIENCY].dropna() / most
    assert np.subtract(*np.percentile(possible, [75, 25])) > 1.3 * np.subtract(*np.percentile(linear, [75, 25]))
    bar = ax.child_axes[0]
    assert bar.get_ylabel().endswith(LOGARITHMIC)
    assert [text.get_text() for text in bar.get_yticklabels()] == ["2", "5", "10", "20", "50", "100"]


def test_probabilities_have_a_linear_colour_scale_up_to_the_highest(basic, drawn):
    ax = drawn("p_annihilated")
    highest = 100 * basic["p_annihilated"].max()
    assert ax.images[0].get_clim() == pytest.approx((0, highest))
    assert ax.images[0].norm(highest / 2) == pytest.approx(0.5)
    assert ax.child_axes[0].get_ylabel() == "P(annihilated), percent"


TABLE = pd.DataFrame({"weapon": ["b", "b", "a", "a"], "range": [6, 12, 6, 12], "gain": [1.5, -0.75, 0.25, np.nan]})


def test_any_frame_can_be_drawn():
    ax = heatmap(TABLE, rows="weapon", columns="range", values="gain", label="Gain of a die")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["b", "a"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["6", "12"]
    told = {place: text.get_text() for place, text in cell_texts(ax).items()}
    assert told == {(0, 0): "1.5", (0, 1): "-.75", (1, 0): ".25"}
    assert ax.images[0].get_clim() == (-1.5, 1.5)  # 0 is in the middle of the colours
    assert (ax.get_title(), ax.child_axes[0].get_ylabel()) == ("Gain of a die", "")  # no room for both
    bare = heatmap(TABLE, rows="weapon", columns="range", values="gain", label="Gain of a die", title=None)
    assert bare.child_axes[0].get_ylabel() == "Gain of a die"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("range", "weapon")
    in_order = TABLE.assign(weapon=pd.Categorical(TABLE["weapon"]))
    sorted_rows = heatmap(in_order, rows="weapon", columns="range", values="gain")
    assert [text.get_text() for text in sorted_rows.get_yticklabels()] == ["a", "b"]


@pytest.mark.slow
def test_all_zero_and_all_impossible_can_be_drawn(basic):
    ax = heatmap(basic, values="p_fled")
    assert {text.get_text() for text in cell_texts(ax).values()} == {"0"}
    pixels(ax)
    nobody = basic[basic["attacker_unit"] == "Horse Guard Cavalry"]
    ax = heatmap(nobody, values="p_annihilated")
    assert not ax.texts
    pixels(ax)


def test_the_users_settings_do_not_change_the_picture(basic):
    import matplotlib as mpl

    first = png(heatmap(basic, values="p_annihilated"))
    with mpl.rc_context({"font.size": 20, "axes.titlesize": 30, "font.family": "serif", "axes.facecolor": "red"}):
        ax = heatmap(basic, values="p_annihilated")
    assert png(ax) == first
    assert b"tIME" not in first
    assert b"matplotlib" not in first


@pytest.mark.parametrize(
    ("change", "metric", "message"),
    [
        (lambda frame: frame, "p_anihilated", "no column 'p_anihilated'; did you mean 'p_annihilated'"),
        (lambda frame: frame, "attacker_unit", "attacker_unit has no numbers"),
        (lambda frame: frame.head(0), "p_annihilated", "no rows to draw"),
        (lambda frame: frame.drop(columns="p_fled"), "p_fled", "no column 'p_fled'"),
        (lambda frame: frame.assign(situation=["a", "b"] * (len(frame) // 2)), "p_fled", "2 situations"),
        (lambda frame: frame.assign(defender="imperium/one"), "p_fled", "more than one row"),
    ],
)
def test_error_messages(basic, change, metric, message):
    with pytest.raises(InputError, match=message):
        heatmap(change(basic.head(20)), values=metric)


@pytest.mark.parametrize("value", [0.004, 0.005, 0.996, 9.94, 9.96, 1234])
def test_a_short_figure_is_never_rounded_to_0(value):
    text = short_text(value)
    assert len(text) <= 4
    assert text == "<.01" or float(text) == pytest.approx(value, rel=0.1, abs=0.006)
