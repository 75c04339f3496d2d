"""Parts of a report: files of matchups and heatmaps, each made by some process, and the balance."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from io import BytesIO
from itertools import groupby, product
from pathlib import Path
from typing import Any, NamedTuple, cast

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from analyser.analysis.balance import dominated, efficiency, outliers
from analyser.analysis.grid import Field, by_unit, grid, joined
from analyser.analysis.matchups import MOST_LOADOUTS, Matchups
from analyser.analysis.prices import FairPoints, fair_points
from analyser.analysis.ratings import duel_ratings
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError
from analyser.common.text import csv_frame
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.plots import heatmap
from analyser.plots.look import house_style
from analyser.plots.metrics import ALL_LEVELS, EFFICIENCY, METRICS
from analyser.report.folder import Inputs, Work
from analyser.report.pool import Job
from analyser.report.stored import COLUMNS

A_PART = 250_000  # microseconds of work of a typical machine that one part takes: Ctrl-C is heeded after it
A_PICTURE, A_CELL = 170_000, 200  # microseconds of a typical machine
NUMBER = "%.12g"  # more digits are the rounding of long sums
LINES_AT_ONCE = 8_000
FOLDER = "pictures"  # inside that of the report
DOTS_AN_INCH = 144
COLOURS = 256  # of a PNG: a third of the size, and no cell changes to the eye
_ANEW = "the same command again, which begins anew"
SHOWN_METRICS = (EFFICIENCY, "p_annihilated")


class Part(NamedTuple):
    """The matchups of some attackers, from the one at place `first` on, with every defender in a situation.

    `direction` is 0 for the attackers of the report, 1 for its defenders, who attack as well.
    """

    direction: int
    situation: Situation
    first: int
    attackers: Sequence[Loadout]
    defenders: tuple[Loadout, ...]

    @property
    def name(self) -> str:
        """The name of the file that keeps them."""
        return f"{self.direction}-{self.situation.name}-{self.first}-{self.first + len(self.attackers)}.parquet"

    @property
    def cost(self) -> int:
        """Microseconds that they take one process of a typical machine."""
        return self.situation.fight.cost * len(self.attackers) * len(self.defenders)


def parts_of(inputs: Inputs) -> list[Part]:
    """The parts of a report, direction by direction, situation by situation."""
    parts = []
    for direction, (attackers, defenders) in enumerate(inputs.directions):
        for situation in inputs.situations:
            size = max(A_PART // (situation.fight.cost * len(defenders)), 1)
            for first in range(0, len(attackers), size):
                parts.append(Part(direction, situation, first, attackers[first : first + size], defenders))
    return parts


def matchup_jobs(parts: Sequence[Part], inputs: Inputs, work: Work, threads: int) -> list[Job]:
    """The jobs that work out some parts."""
    return [Job(part.cost, work_out, (part, inputs.ruleset, inputs.row, threads, work)) for part in parts]


def work_out(part: Part, ruleset: Ruleset, row: str | None, threads: int, work: Work) -> None:
    """Put the matchups of a part into its file."""
    frame = grid(part.attackers, Field(part.defenders, ruleset, row, threads), [part.situation])
    unfinished = work.scratch / f"{part.name}.{os.getpid()}"
    unfinished.write_bytes(frame.to_parquet(index=False))
    unfinished.replace(work.parts / part.name)


def _read(part: Part, work: Work) -> pd.DataFrame:
    """Return the matchups in the file of a part; InputError, after which all that was kept goes, if it is damaged."""
    try:
        frame = pd.read_parquet(BytesIO((work.parts / part.name).read_bytes()))
    except (OSError, ValueError) as error:
        problem = f"a part of this unfinished report is damaged: {error}"
        raise InputError(problem, where=str(work.parts / part.name), allowed=_ANEW) from None
    if len(frame) != len(part.attackers) * len(part.defenders) or not {*COLUMNS} <= {*frame}:
        raise InputError("this is no part of this report", where=str(work.parts / part.name), allowed=_ANEW)
    return frame


def whole_table(inputs: Inputs, work: Work) -> pd.DataFrame:
    """The parts put together: by direction, then attacker, then defender, then situation; each matchup once."""
    tables = []
    for _, parts in groupby(parts_of(inputs), lambda part: part.direction):
        tables.append(joined([_read(part, work) for part in parts], len(inputs.situations)))
    whole = pd.concat(tables, ignore_index=True)
    return whole.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)


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
        """Its files in the folder of the report, without their endings: letters, digits and hyphens only."""
        parts = (self.attackers, self.defenders, self.situation.name, self.levels or "loadouts", self.metric)
        return f"{FOLDER}/{'-'.join(parts).replace('_', '-').replace(' ', '-')}"

    @property
    def caption(self) -> str:
        """Caption of the heatmap, in a line."""
        levels = "units, mean over levels" if self.levels else "every loadout"
        return f"{METRICS[self.metric].title}: {levels}, {self.situation.heading}"


def plan_pictures(inputs: Inputs) -> list[Plan]:
    """The heatmaps of a report: for each pair of factions, each situation and each metric.

    Few loadouts, or one level on each side, are shown as they are; of more the units, each as a mean over its levels.
    """
    plans: dict[str, Plan] = {}
    pairs = [
        (both, names)
        for both in inputs.directions
        for names in product(*(dict.fromkeys(loadout.faction for loadout in side) for side in both))
    ]
    for both, names in pairs:
        sides = [[loadout for loadout in side if loadout.faction == name] for side, name in zip(both, names)]
        few = max(map(len, sides)) <= MOST_LOADOUTS
        one_level = all(len({loadout.level_name for loadout in side}) == 1 for side in sides)
        levels = "" if few or one_level else ALL_LEVELS
        ours, theirs = (len({loadout.unit.id for loadout in side}) if levels else len(side) for side in sides)
        shown = product(inputs.situations, inputs.metrics)
        for situation, metric in shown:
            plan = Plan(names[0], names[1], levels, situation, metric, ours * theirs)
            plans.setdefault(plan.name, plan)
    return list(plans.values())


def picture_jobs(plans: Sequence[Plan], frame: pd.DataFrame, work: Work) -> list[Job]:
    """The jobs that draw some heatmaps of a tidy table."""
    sides = [frame[side].str.partition("/")[0] for side in ("attacker", "defender")]
    tables = dict(list(frame.groupby([*sides, frame["situation"]], sort=False)))
    shown = [name for name in frame if name not in METRICS]

    def table(plan: Plan) -> pd.DataFrame:
        return tables[plan.attackers, plan.defenders, plan.situation.name][[*shown, plan.metric]]

    return [Job(plan.cost, draw, (plan, table(plan), work)) for plan in plans]


def draw(plan: Plan, table: pd.DataFrame, work: Work) -> None:
    """Draw a heatmap into its files, the PNG last; each appears in the report when it is whole."""
    ax = heatmap(by_unit(table) if plan.levels == ALL_LEVELS else table, values=plan.metric)
    figure = cast("Figure", ax.figure)
    (work.report / FOLDER).mkdir(exist_ok=True)
    unfinished = work.scratch / f"picture.{os.getpid()}"
    # Neither the day nor the version of the drawing library: the same figures give the same bytes.
    with house_style(), mpl.rc_context({"svg.hashsalt": "analyser"}):
        figure.savefig(unfinished, format="svg", metadata={"Date": None, "Creator": None})
        unfinished.replace(work.report / f"{plan.name}.svg")
        figure.set_dpi(DOTS_AN_INCH)
        canvas = cast("Any", figure.canvas)
        canvas.draw()
    drawn = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    drawn = drawn.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    drawn.save(unfinished, format="png", dpi=(DOTS_AN_INCH, DOTS_AN_INCH))
    unfinished.replace(work.report / f"{plan.name}.png")


class Balance(NamedTuple):
    """Conclusions from a table of matchups.

    `ratings` is None where there are no duels, `prices` where there is no exchange.
    """

    prices: FairPoints | None
    balance: pd.DataFrame
    outliers: pd.DataFrame
    dominated: pd.DataFrame
    ratings: pd.DataFrame | None

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table that there is, by the name of its file."""
        shown = {name: getattr(part, "frame", part) for name, part in self._asdict().items()}
        return {name: part for name, part in shown.items() if part is not None}


def balance_of(answer: Matchups, heed: Callable[[], None], judged: FairPoints | None = None) -> Balance:
    """Every table of the balance of a report; `heed` is called between two of them.

    Prices are those of `judged`, where they were found in another field.
    """
    frame, attackers = answer.frame, answer.attackers
    duels = next((situation.name for situation in answer.situations if situation.fight.has_winner), None)
    ratings = None if duels is None else duel_ratings(frame[frame["situation"] == duels])
    heed()
    worth = efficiency(frame)
    heed()
    try:
        prices = fair_points(answer) if judged is None else judged
    except InputError:  # there are no exchanges
        prices = None
    heed()
    odd = outliers(frame, (*attackers, *answer.defenders))
    return Balance(prices, worth, odd, dominated(frame, attackers), ratings)


def write_table(frame: pd.DataFrame, path: Path, tell: Callable[[int], None] = lambda _: None) -> None:
    """Write a table as CSV, some lines after the other; `tell` is called in between with how many there are."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for first in range(0, max(len(frame), 1), LINES_AT_ONCE):
            tell(first)
            lines = csv_frame(frame.iloc[first : first + LINES_AT_ONCE])
            lines.to_csv(file, index=False, header=first == 0, float_format=NUMBER, lineterminator="\n")
