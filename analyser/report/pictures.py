"""Which heatmaps a report shows, and how they are drawn and saved."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pandas as pd

from analyser.analysis.frame import by_unit
from analyser.analysis.situations import Situation
from analyser.game.units import Loadout
from analyser.report.resume import Work
from analyser.report.worker import is_alone
from analyser.results.metrics import ALL_LEVELS, METRICS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "pictures"  # inside that of the report
DOTS_AN_INCH = 144
PIXELS_AN_INCH = 96  # of a page: the natural size of a picture on it
COLOURS = 256  # of a PNG: a third of the size, and no cell changes to the eye
EFFICIENCY = "expected_points_destroyed_per_100_points"
SHOWN_METRICS = (EFFICIENCY, "p_annihilated")
_SIDES = ("attacker", "defender")
MOST_LOADOUTS = 24  # on a side, in one readable picture; of more, units are shown


class Plan(NamedTuple):
    """A heatmap to be drawn.

    Attributes
    ----------
    attackers, defenders : str
        A faction each.
    levels : str
        ``"all levels"``: units, as means over their levels; empty: every loadout.
    situation : Situation
    metric : str
    cells : int
        How many it has, which is what its drawing costs.
    """

    attackers: str
    defenders: str
    levels: str
    situation: Situation
    metric: str
    cells: int

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


def plan_pictures(
    attackers: Sequence[Loadout],
    defenders: Sequence[Loadout],
    situations: Sequence[Situation],
    metrics: Sequence[str] = SHOWN_METRICS,
) -> list[Plan]:
    """The heatmaps of a comparison: for each pair of factions, each situation and each metric.

    Few loadouts, or one level on each side, are shown as they are; of more the units, each as a mean over its levels.
    """
    plans = []
    for attacking in dict.fromkeys(each.faction for each in attackers):
        for defending in dict.fromkeys(each.faction for each in defenders):
            ours = [each for each in attackers if each.faction == attacking]
            theirs = [each for each in defenders if each.faction == defending]
            levels = _levels_shown(ours, theirs)
            cells = _rows_shown(ours, levels) * _rows_shown(theirs, levels)
            plans += [
                Plan(attacking, defending, levels, situation, metric, cells)
                for situation in situations
                for metric in metrics
            ]
    return plans


def _levels_shown(attackers: Sequence[Loadout], defenders: Sequence[Loadout]) -> str:
    few = max(len(attackers), len(defenders)) <= MOST_LOADOUTS
    one_level = all(len({each.level_name for each in side}) == 1 for side in (attackers, defenders))
    return "" if few or one_level else ALL_LEVELS


def _rows_shown(side: Sequence[Loadout], levels: str) -> int:
    return len({each.unit.id for each in side}) if levels else len(side)


def is_drawn(plan: Plan, folder: Path) -> bool:
    """Whether the files of `plan` are in the `folder` of a report; the PNG comes last."""
    return (folder / plan.png).exists()


Grids = Mapping[tuple[str, str, str], pd.DataFrame]


def grids_of(frame: pd.DataFrame) -> Grids:
    """The rows of a tidy table by the factions of both sides and the situation."""
    sides = [frame[side].map({each: each.partition("/")[0] for each in frame[side].unique()}) for side in _SIDES]
    return {
        (str(ours), str(theirs), str(name)): part
        for (ours, theirs, name), part in frame.groupby([*sides, frame["situation"]], sort=False)
    }


def draw(plan: Plan, grids: Grids, folder: Path, scratch: Path) -> None:
    """Draw a heatmap into its files in `folder`; each appears there when it is whole.

    `scratch` is a folder on the same disk for files that are not whole yet.
    """
    from analyser.plots import heatmap
    from analyser.plots.look import house_style

    part = grids[plan.attackers, plan.defenders, plan.situation.name]
    ax = heatmap(by_unit(part) if plan.levels == ALL_LEVELS else part, metric=plan.metric)
    figure = cast("Figure", ax.figure)
    (folder / FOLDER).mkdir(exist_ok=True)
    unfinished = scratch / f"{os.getpid()}-{plan.name}"
    with house_style():
        _save_svg(figure, unfinished)
        unfinished.replace(folder / plan.svg)
        _save_png(figure, unfinished)
        unfinished.replace(folder / plan.png)


def _save_svg(figure: Figure, path: Path) -> None:
    """Neither the day nor the version of the drawing library: the same figures give the same bytes."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "analyser"}):
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def _save_png(figure: Figure, path: Path) -> None:
    from PIL import Image

    figure.set_dpi(DOTS_AN_INCH)
    canvas = cast("Any", figure.canvas)
    canvas.draw()
    drawn = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    drawn = drawn.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    drawn.save(path, format="png", dpi=(DOTS_AN_INCH, DOTS_AN_INCH))


def size_on_page(plan: Plan, folder: Path) -> tuple[int, int]:
    """Width and height of a picture that has been drawn, in pixels of a page."""
    from PIL import Image

    with Image.open(folder / plan.png) as picture:
        width, height = picture.size
    return round(width * PIXELS_AN_INCH / DOTS_AN_INCH), round(height * PIXELS_AN_INCH / DOTS_AN_INCH)


def draw_all(plans: Sequence[Plan], frame: pd.DataFrame, work: Work, told: Callable[[], None]) -> None:
    """Draw every picture of the tidy `frame` that is not there yet; `told` is called before each."""
    grids = grids_of(frame)
    for plan in plans:
        told()
        if not is_drawn(plan, work.report):
            draw(plan, grids, work.report, work.scratch)


def help_drawing(employer: int, plans: Sequence[Plan], frame: pd.DataFrame, work: Work) -> None:
    """What the helper does, for as long as its employer, a process number, lives."""
    grids = grids_of(frame)
    for plan in reversed(plans):
        if is_alone(employer):
            return
        if not is_drawn(plan, work.report):
            draw(plan, grids, work.report, work.scratch)
