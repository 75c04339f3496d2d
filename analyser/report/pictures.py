"""Which heatmaps a report shows, and how they are drawn and saved."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import matplotlib as mpl
import numpy as np
import pandas as pd
from PIL import Image

from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import MOST_LOADOUTS
from analyser.analysis.situations import Situation
from analyser.plots import heatmap
from analyser.plots.look import house_style
from analyser.plots.metrics import ALL_LEVELS, EFFICIENCY, METRICS
from analyser.report.folder import Work
from analyser.report.inputs import Inputs
from analyser.report.pool import Job

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "pictures"  # inside that of the report
DOTS_AN_INCH = 144
PIXELS_AN_INCH = 96  # of a page: the natural size of a picture on it
COLOURS = 256  # of a PNG: a third of the size, and no cell changes to the eye
SHOWN_METRICS = (EFFICIENCY, "p_annihilated")
A_PICTURE, A_CELL = 170_000, 200  # microseconds of a typical machine


class Plan(NamedTuple):
    """A heatmap to be drawn, of so many cells: the factions, and `levels`, ``"all levels"`` for means over them."""

    attackers: str
    defenders: str
    levels: str
    situation: Situation
    metric: str
    cells: int

    @property
    def cost(self) -> int:
        """Microseconds that drawing it takes one process of a typical machine."""
        return A_PICTURE + A_CELL * self.cells

    @property
    def name(self) -> str:
        """The name of its files without the ending: letters, digits and hyphens only."""
        parts = (self.attackers, self.defenders, self.situation.name, self.levels or "loadouts", self.metric)
        return "-".join(parts).replace("_", "-").replace(" ", "-")

    @property
    def png(self) -> str:
        """Its file in dots, seen from the folder of the report."""
        return f"{FOLDER}/{self.name}.png"

    @property
    def svg(self) -> str:
        """Its file in lines, seen from the folder of the report."""
        return f"{FOLDER}/{self.name}.svg"

    @property
    def caption(self) -> str:
        """What it shows, in a line."""
        levels = "units, mean over levels" if self.levels else "every loadout"
        return f"{METRICS[self.metric].title}: {levels}, {self.situation.heading}"


def plan_pictures(inputs: Inputs) -> list[Plan]:
    """The heatmaps of a report: for each pair of factions, each situation and each metric.

    Few loadouts, or one level on each side, are shown as they are; of more the units, each as a mean over its levels.
    """
    plans = []
    for attacking in dict.fromkeys(each.faction for each in inputs.attackers):
        for defending in dict.fromkeys(each.faction for each in inputs.defenders):
            sides = [
                [each for each in side if each.faction == faction]
                for side, faction in ((inputs.attackers, attacking), (inputs.defenders, defending))
            ]
            few = max(map(len, sides)) <= MOST_LOADOUTS
            one_level = all(len({each.level_name for each in side}) == 1 for side in sides)
            levels = "" if few or one_level else ALL_LEVELS
            ours, theirs = (len({each.unit.id for each in side}) if levels else len(side) for side in sides)
            plans += [
                Plan(attacking, defending, levels, situation, metric, ours * theirs)
                for situation in inputs.situations
                for metric in inputs.metrics
            ]
    return plans


def picture_jobs(plans: Sequence[Plan], frame: pd.DataFrame, work: Work) -> list[Job]:
    """The jobs that draw what is not drawn yet, of a tidy table."""
    sides = [frame[side].str.partition("/")[0] for side in ("attacker", "defender")]
    tables = dict(list(frame.groupby([*sides, frame["situation"]], sort=False)))
    shown = [name for name in frame if name not in METRICS]

    def table(plan: Plan) -> pd.DataFrame:
        return tables[plan.attackers, plan.defenders, plan.situation.name][[*shown, plan.metric]]

    return [Job(plan.cost, draw, (plan, table(plan), work)) for plan in missing_pictures(plans, work)]


def missing_pictures(plans: Sequence[Plan], work: Work) -> list[Plan]:
    """The pictures that are not drawn yet; of each the PNG comes last."""
    return [plan for plan in plans if not (work.report / plan.png).exists()]


def draw(plan: Plan, table: pd.DataFrame, work: Work) -> None:
    """Draw a heatmap into its files; each appears in the report when it is whole."""
    ax = heatmap(by_unit(table) if plan.levels == ALL_LEVELS else table, metric=plan.metric)
    figure = cast("Figure", ax.figure)
    (work.report / FOLDER).mkdir(exist_ok=True)
    unfinished = work.scratch / f"{os.getpid()}-{plan.name}"
    with house_style():
        _save_svg(figure, unfinished)
        unfinished.replace(work.report / plan.svg)
        _save_png(figure, unfinished)
        unfinished.replace(work.report / plan.png)


def _save_svg(figure: Figure, path: Path) -> None:
    """Neither the day nor the version of the drawing library: the same figures give the same bytes."""
    with mpl.rc_context({"svg.hashsalt": "analyser"}):
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def _save_png(figure: Figure, path: Path) -> None:
    figure.set_dpi(DOTS_AN_INCH)
    canvas = cast("Any", figure.canvas)
    canvas.draw()
    drawn = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    drawn = drawn.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    drawn.save(path, format="png", dpi=(DOTS_AN_INCH, DOTS_AN_INCH))


def size_on_page(plan: Plan, folder: Path) -> tuple[int, int]:
    """Width and height of a picture that has been drawn, in pixels of a page."""
    with Image.open(folder / plan.png) as picture:
        width, height = picture.size
    return round(width * PIXELS_AN_INCH / DOTS_AN_INCH), round(height * PIXELS_AN_INCH / DOTS_AN_INCH)
