"""Figures that follow from others and from what both sides cost, which may be numbers that are varied."""

from __future__ import annotations

from math import prod

import numpy as np

from analyser.common.records import Floats
from analyser.plots.metrics import EFFICIENCY
from analyser.sweep.plan import Block, Plan


def level_number(plan: Plan, faction: str | None, places: range, key: str) -> Floats:
    """A number of the level of each row of a faction, or without one of each column; NaN where there is none."""
    side = plan.file.defenders if faction is None else plan.file.attackers
    loadouts = plan.defenders if faction is None else plan.attackers[faction]
    per = prod(len(each.values) for each in side.numbers)
    of, rest = np.divmod(np.arange(places.start, places.stop, dtype=np.int64), per)
    some = [getattr(each.level, key) for each in loadouts[of[0] : of[-1] + 1]]
    found: Floats = np.array(some, np.float64)[of - of[0]]  # None: NaN
    for number in side.numbers:
        per //= len(number.values)
        if number.key == key:
            found = found * number.is_added + np.array(number.values)[rest // per % len(number.values)]
    return found


def by_worth(plan: Plan, block: Block, figures: dict[str, Floats], end: str = "") -> dict[str, Floats]:
    """The figures by worth of the cells of a slice, from its other `figures`; or an `end` of their intervals."""

    def theirs(key: str) -> Floats:
        return np.tile(level_number(plan, None, block.columns, key), len(block.rows))

    points = np.repeat(level_number(plan, block.faction, block.rows, "points"), len(block.columns))
    destroyed = figures[f"mean_models_destroyed{end}"] * theirs("points") / theirs("models")
    found = {
        "expected_victory_points": figures[f"p_annihilated{end}"] * theirs("victory_points"),
        "expected_points_destroyed": destroyed,
        EFFICIENCY: destroyed / (np.where(points > 0, points, np.nan) / 100),  # what costs nothing has none
    }
    return {f"{name}{end}": values for name, values in found.items()}
