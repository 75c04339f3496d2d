"""Swing of each unit of a battle: how the result changes without the unit (`docs/battle.md`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analyser.common.answer import Block
from analyser.common.estimates import estimate, estimate_in, plus_minus, probability_figures
from analyser.common.intervals import CONFIDENCE, clopper_pearson
from analyser.common.text import fill
from analyser.engine.battle.battle_data import Counts
from analyser.results.battle_tactics import LOST, WON
from analyser.scenarios.battle import SIDES

MOST_NAMED = 4  # most units named as not significantly different from the swing unit; of more units, only the number
_ERROR = 1 - CONFIDENCE
_BASE_ERROR = 0.2 * _ERROR / 2  # error of each side's P(victory) with all units; small, as it has far more battles


def unit_swing(base: Counts, without: Counts, side: str, units: int) -> dict[str, Any]:
    """Return the swing of one of `units` units.

    The interval is the difference of two Clopper-Pearson intervals that hold together, for all units at once. So it
    also holds for the unit with the largest swing.
    """
    wins, trials = _wins(base, side)
    wins_without, trials_without = _wins(without, side)
    low, high = clopper_pearson(np.array(wins), trials, _BASE_ERROR)
    error = (_ERROR - 2 * _BASE_ERROR) / units
    low_without, high_without = clopper_pearson(np.array(wins_without), trials_without, error)
    return {
        "trials": trials_without,
        **probability_figures("p_without", estimate(float(wins_without), trials_without)),
        "difference": wins / trials - wins_without / trials_without,
        "low": float(low - high_without),
        "high": float(high - low_without),
    }


def _wins(counts: Counts, side: str) -> tuple[int, int]:
    outcomes = counts.outcomes.sum(axis=0)
    return int(outcomes[(WON, LOST)[SIDES.index(side)]].sum()), int(outcomes.sum())


def swings_block(rows: Sequence[dict[str, Any]], names: Mapping[str, str]) -> Block:
    """Return a table of P(victory) without each unit and of the difference that the unit makes."""
    head = ("without", "army", "P(its army wins)", "difference with it")
    lines = [[row["name"], names[row["side"]], str(estimate_in(row, "p_without")), swing_text(row)] for row in rows]
    about = (
        f"{rows[0]['trials']:,} battles without each unit; the intervals of the differences hold for all units at once."
    )
    return Block("Without each unit", head, lines, "<<>", lines=fill(about))


def swing_units_sentence(rows: Sequence[dict[str, Any]], side: str, name: str) -> str:
    """Return a sentence on a side's unit with the largest swing, and on units with swings not significantly smaller.

    Choosing the largest is valid: the number of battles is fixed in advance, and all intervals hold at once.
    """
    own = [row for row in rows if row["side"] == side]
    if own[0]["low"] <= 0:
        return f"Swing unit of {name}: no swing is significant with this number of battles."
    first, *others = (row for row in own if row["high"] >= own[0]["low"])
    names = " or ".join(row["name"] for row in others) if len(others) <= MOST_NAMED else f"{len(others)} others"
    tied = f"; {names} may matter as much" if others else ""
    return f"Swing unit of {name}: {first['name']}. Without it {name} wins {swing_text(first)} less often{tied}."


def swing_text(row: dict[str, Any]) -> str:
    """Return how much P(victory) falls without a unit, in percentage points, with the interval."""
    half_width = float(max(row["high"] - row["difference"], row["difference"] - row["low"]))
    return plus_minus(100 * row["difference"], 100 * half_width, " pp")
