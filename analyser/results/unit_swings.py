"""Swing of each unit of a battle: the result without that unit (`docs/battle.md`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analyser.common.answer import Block
from analyser.common.estimates import estimate, estimate_in, plus_minus, probability_figures
from analyser.common.intervals import CONFIDENCE, clopper_pearson
from analyser.common.means import BatchMean, difference_by_batch
from analyser.common.text import counted, fill
from analyser.engine.battle.battle_data import Counts
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import SIDES

MOST_NAMED = 4  # most units named as not significantly different from the swing unit
# outcomes that each side wins
_WON = [Outcome.VICTORY, Outcome.DEVASTATING_VICTORY], [Outcome.DEFEAT, Outcome.DEVASTATING_DEFEAT]
PART = "From at least a tenth of the battles, so slightly different from the figures of all battles."


def swing_of(base: Counts, without: Counts, side: str, trials: int, units: int) -> dict[str, Any]:
    """Return the swing of one of `units` units. Intervals are simultaneous, so the largest swing may be named."""
    won = _WON[SIDES.index(side)]
    wins, others = (counts.outcomes[:, won].sum(axis=1) for counts in (base, without))
    wrong = (1 - CONFIDENCE) / units
    shared: BatchMean = difference_by_batch(wins - others, base.outcomes.sum(axis=1), wrong)
    if shared.low == shared.high:  # equal batches have no variance for an interval
        (low, least), (high, most) = clopper_pearson(np.array([wins.sum(), others.sum()]), trials, wrong / 2)
        shared = BatchMean(shared.mean, float(low - most), float(high - least))
    return {
        **probability_figures("p_without", estimate(float(others.sum()), trials)),
        "difference": shared.mean,
        "low": shared.low,
        "high": shared.high,
        "expected_margin_difference": _expected_victories(base, side) - _expected_victories(without, side),
    }


def _expected_victories(counts: Counts, side: str) -> float:
    mine, yours = np.nonzero(counts.results)
    weights = counts.results[mine, yours]
    margin = float(((mine - yours) * weights).sum() / weights.sum())
    return margin if side == SIDES[0] else -margin


def by_swing(rows: Sequence[dict[str, Any]], names: Mapping[str, str]) -> Block:
    """Return a table of P(victory) without each unit and of the difference that the unit makes."""
    head = ("without", "army", "P(its army wins)", "with it, the difference")
    lines = [[row["name"], names[row["side"]], str(estimate_in(row, "p_without")), change(row)] for row in rows]
    return Block("Without each unit (common random numbers)", head, lines, "<<>", lines=fill(PART))


def swing_units(rows: Sequence[dict[str, Any]], side: str, name: str) -> str:
    """Return a sentence on the swing unit of a side, and the units that are not significantly different.

    The number of battles is fixed in advance and the intervals are simultaneous, so they stay valid for the first.
    """
    own = [row for row in rows if row["side"] == side]
    if own[0]["low"] <= 0:
        return f"Swing unit of {name}: no swing is significant with this number of battles."
    first, *others = (row for row in own if row["high"] >= own[0]["low"])
    names = " or ".join(row["name"] for row in others) if len(others) <= MOST_NAMED else f"{len(others)} others"
    tied = f"; not significantly different from {names}" if others else ""
    return f"Swing unit of {name}: {first['name']}. Without it {name} wins {change(first)} less often{tied}."


def harmful_units_note(rows: Sequence[dict[str, Any]], names: Mapping[str, str]) -> list[str]:
    """Return a sentence for the worst unit of each side, if that side wins more often without it."""
    lines = []
    for side, name in names.items():
        worse = sorted(
            (row for row in rows if row["side"] == side and row["high"] < 0), key=lambda row: row["difference"]
        )
        if worse:
            gain = plus_minus(-100 * worse[0]["difference"], 100 * _half_width(worse[0]), " pp")
            more = f", and more often also without {counted(len(worse) - 1, 'other unit')}" if len(worse) > 1 else ""
            lines.append(f"{name} wins {gain} more often without {worse[0]['name']}{more}.")
    return lines


def _half_width(row: dict[str, Any]) -> float:
    return float(max(row["high"] - row["difference"], row["difference"] - row["low"]))


def change(row: dict[str, Any]) -> str:
    """Return the loss of P(victory) without a unit, in percentage points with the interval."""
    return plus_minus(100 * row["difference"], 100 * _half_width(row), " pp")
