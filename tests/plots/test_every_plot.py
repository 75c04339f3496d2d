"""Every plot draws a tidy frame of an answer, on new axes or on the user's."""

import functools

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import analyser
from analyser import morale, plots
from analyser.common.frames import tidy
from analyser.plots.decisions import ACTION_STYLES

RIFLES, SHARP = "crown/rifle-platoon@basic", "crown/sharp-rifles@basic"
GRENADIERS = "imperium/scion-grenadier-platoon@basic"
PRICED = {"against": "imperium/*@basic", "situations": "long-range"}
ATTACK = {"attack": {"attacker": RIFLES}, "target": {"unit": GRENADIERS}}
CELLS = {"x": [1, 2], "y": [1, 1], "do": ["aim and shoot", "charge"], "comes_up": [True, False]}
BEATEN = {"line": "a", "dice": [1, 2], "u": [1.0, 2.0], "v": [2.0, 1.0], "on_front": [True, True]}


@functools.cache
def compared():
    return analyser.compare([RIFLES, SHARP], GRENADIERS)


@functools.cache
def fought():
    return analyser.battle([RIFLES], [GRENADIERS], trials=100)


@functools.cache
def curve(*over):
    return analyser.curve([RIFLES, SHARP], target=GRENADIERS, over=list(over))


@functools.cache
def panic(table=None):
    return morale.exact("legion", {"courage": 1, "tokens": 3}).to_frame(table)


LUCK = functools.cache(lambda: analyser.luck(RIFLES, GRENADIERS, got={"destroyed": 1}))
FATES = functools.cache(lambda: morale.compare(models=4, losses=1).to_frame())
CASES = {
    "best_lines": lambda: (curve("distance=4..8").to_frame(), {"x": "distance", "metric": "mean_models_destroyed"}),
    "choices": lambda: (tidy(CELLS), {"across": "enemy", "up": "own"}),
    "contributions": lambda: (fought().to_frame(contributions=True), {}),
    "cost_against_effect": lambda: (compared().to_frame(), {}),
    "curves": lambda: (panic(), {"x": "round", "lines": {"p_panicked": "panicked"}}),
    "distribution": lambda: (compared().tables["distributions"], {"by": "loadout"}),
    "distributions_by_round": lambda: (
        panic("tokens").query("when == 'after rally'"),
        {"x": "round", "number": "tokens"},
    ),
    "fair_points": lambda: (analyser.fair_points("crown/rifle*", **PRICED).to_frame(), {}),
    "fates": lambda: (FATES().query("system == 'mordheim'"), {}),
    "front": lambda: (tidy(BEATEN), {"x": "u", "y": "v", "keys": ["dice"], "quantities": ["U", "V"]}),
    "heatmap": lambda: (compared().to_frame(), {"rows": "unit", "columns": "level", "values": "p_broken"}),
    "luck_strips": lambda: (LUCK().to_frame(), {}),
    "margins": lambda: (fought().tables["margins"], {}),
    "outcome_distribution": lambda: (LUCK().fights[0].pmf, {"happened": dict(LUCK().fights[0].compared)}),
    "points_left": lambda: (fought().to_frame(by_round=True), {}),
    "ranked": lambda: (analyser.search({"baseline": ATTACK, "ranges": {"distance": [6, 7]}}).to_frame(), {}),
    "survival": lambda: (analyser.duel(RIFLES, GRENADIERS, rounds=2).to_frame(by_round=True), {}),
    "tactic_costs": lambda: (analyser.tactics(RIFLES, GRENADIERS, rounds=1).tables["units"], {}),
    "tornado": lambda: (analyser.sensitivity(RIFLES, GRENADIERS).to_frame(), {}),
    "trade_map": lambda: (curve("distance=4..6", "dice=4..6").tables["best"], {"x": "distance", "y": "dice"}),
    "trade_off": lambda: (analyser.solve_dice(RIFLES, most=1, **PRICED).to_frame(), {}),
}


def test_every_plot_has_a_case():
    assert set(plots.__all__) == {*CASES, "panels"}


@pytest.mark.parametrize("name", CASES)
def test_a_plot_changes_only_the_given_axes(name):
    """The title has an invalid formula, which Matplotlib could not draw if it parsed texts."""
    frame, how = CASES[name]()
    before, figure = frame.copy(), Figure(figsize=(7, 5))
    ax = figure.subplots()
    assert getattr(plots, name)(frame, ax=ax, title=r"Mine $\frac{x$", alpha=0.7, **how) is ax
    figure.canvas.draw()
    assert not any(text.get_parse_math() for text in ax.findobj(Text))
    others = [other for other in figure.axes if other is not ax and other.get_label() != "<colorbar>"]
    assert (ax.get_title(), others, figure.texts, figure.legends) == (r"Mine $\frac{x$", [], [], [])
    pd.testing.assert_frame_equal(frame, before)
    assert getattr(plots, name)(frame, title=None, **how).get_title() == ""


def test_an_action_looks_the_same_in_every_plot():
    def looks(*actions):
        frame = pd.DataFrame({"x": range(len(actions)), "y": 1, "do": actions, "comes_up": True})
        legend = plots.choices(frame, across="enemy", up="own").get_legend()
        fills = [(patch.get_facecolor(), patch.get_hatch()) for patch in legend.get_patches()]
        return dict(zip([text.get_text() for text in legend.get_texts()], fills))

    many = looks("advance 3 and shoot", "retire and go on lookout", "burrow", "do nothing", "charge")
    few = looks("burrow", "charge", "advance and shoot")
    assert len(set(many.values())) == len(many)
    assert [many[name] for name in ("charge", "advance and shoot")] == [few["charge"], few["advance and shoot"]]
    assert len(set(ACTION_STYLES.values())) == len(ACTION_STYLES)
