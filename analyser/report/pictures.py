"""Which heatmaps a report shows, and how they are drawn and saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, cast

import pandas as pd
from matplotlib import style
from matplotlib.figure import Figure

from analyser.comparisons.frame import by_unit
from analyser.metrics import ALL_LEVELS, METRICS
from analyser.plots import heatmap
from analyser.situations import Situation
from analyser.units import LevelName, Loadout

DOTS_AN_INCH = 144
PIXELS_AN_INCH = 96  # of a page: the natural size of a picture on it
EFFICIENCY = "expected_points_destroyed_per_100_points"
BY_LEVEL = ("mean_models_destroyed", "p_annihilated")
MOST_LOADOUTS = 24  # on a side, in one readable picture; of more, units are shown level by level
LEVELS: tuple[LevelName, ...] = ("basic", "reinforced", "full-strength")


class Plan(NamedTuple):
    """A heatmap to be drawn.

    Attributes
    ----------
    attackers, defenders : str
        A faction each.
    levels : str
        A level that both sides have; ``"all levels"``: units, as means over their levels; empty: every loadout.
    situation : Situation
    metric : str
    """

    attackers: str
    defenders: str
    levels: str
    situation: Situation
    metric: str

    @property
    def file(self) -> str:
        """The name of its file: letters, digits and hyphens only."""
        parts = (self.attackers, self.defenders, self.situation.name, self.levels or "loadouts", self.metric)
        return "-".join(parts).replace("_", "-").replace(" ", "-") + ".png"

    @property
    def caption(self) -> str:
        """What it shows, in a line."""
        levels = {"": "every loadout", ALL_LEVELS: "units, mean over levels"}.get(self.levels, f"{self.levels} units")
        return f"{METRICS[self.metric].title}: {levels}, {self.situation.heading}"


class Picture(NamedTuple):
    """A heatmap that has been drawn; its size is in pixels of a page."""

    plan: Plan
    width: int
    height: int


def plan_pictures(
    attackers: Sequence[Loadout], defenders: Sequence[Loadout], situations: Sequence[Situation]
) -> list[Plan]:
    """The heatmaps of a comparison: for each pair of factions and each situation.

    Few loadouts, or one level on each side, are shown as they are. Of more there is one picture of the units, each as
    a mean over its levels, and the pictures of each level against the same level.
    """
    plans = []
    for attacking in dict.fromkeys(each.faction for each in attackers):
        for defending in dict.fromkeys(each.faction for each in defenders):
            ours = [each for each in attackers if each.faction == attacking]
            theirs = [each for each in defenders if each.faction == defending]
            shown = _shown(ours, theirs)
            plans += [
                Plan(attacking, defending, levels, situation, metric)
                for situation in situations
                for levels, metric in shown
            ]
    return plans


def _shown(attackers: Sequence[Loadout], defenders: Sequence[Loadout]) -> list[tuple[str, str]]:
    """Pairs of levels and metric."""
    ours, theirs = ({each.level_name for each in side} for side in (attackers, defenders))
    few = max(len(attackers), len(defenders)) <= MOST_LOADOUTS
    if few or (len(ours) == 1 and len(theirs) == 1):
        return [("", metric) for metric in (EFFICIENCY, *BY_LEVEL)]
    common = [level for level in LEVELS if level in ours & theirs]
    return [(ALL_LEVELS, EFFICIENCY), *((level, metric) for level in common for metric in BY_LEVEL)]


def draw(plan: Plan, frame: pd.DataFrame, folder: Path) -> Picture:
    """Draw a heatmap of the tidy `frame` into its file in `folder`."""
    ax = heatmap(_part(plan, frame), metric=plan.metric)
    figure = cast("Figure", ax.figure)
    with style.context("default"):
        # Neither the day nor the version of the drawing library: the same figures give the same bytes.
        figure.savefig(folder / plan.file, dpi=DOTS_AN_INCH, metadata={"Software": None})
    width, height = figure.get_size_inches() * PIXELS_AN_INCH
    return Picture(plan, round(width), round(height))


def _part(plan: Plan, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of `frame` that the picture shows."""
    part = frame[
        (frame["situation"] == plan.situation.name)
        & frame["attacker"].str.startswith(f"{plan.attackers}/")
        & frame["defender"].str.startswith(f"{plan.defenders}/")
    ]
    if plan.levels == ALL_LEVELS:
        return by_unit(part)
    if plan.levels:
        return part[(part["attacker_level"] == plan.levels) & (part["defender_level"] == plan.levels)]
    return part
