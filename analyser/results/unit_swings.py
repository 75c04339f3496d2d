"""Swing of each unit of a battle: how the result changes without the unit (`docs/battle.md`)."""

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
_WINNING_OUTCOMES = [Outcome.VICTORY, Outcome.DEVASTATING_VICTORY], [Outcome.DEFEAT, Outcome.DEVASTATING_DEFEAT]
SAMPLE_NOTE = "These use at least a tenth of the battles, so they differ slightly from the other figures."


def unit_swing(base: Counts, without: Counts, side: str, trials: int, units: int) -> dict[str, Any]:
    """Return the swing of one of `units` units; its interval holds for all units at once, also for the largest."""
    won = _WINNING_OUTCOMES[SIDES.index(side)]
    wins, wins_without = (counts.outcomes[:, won].sum(axis=1) for counts in (base, without))
    error = (1 - CONFIDENCE) / units
    difference: BatchMean = difference_by_batch(wins - wins_without, base.outcomes.sum(axis=1), error)
    if difference.low == difference.high:  # equal batches have no variance for an interval
        counts = np.array([wins.sum(), wins_without.sum()])
        (low, low_without), (high, high_without) = clopper_pearson(counts, trials, error / 2)
        difference = BatchMean(difference.mean, float(low - high_without), float(high - low_without))
    return {
        **probability_figures("p_without", estimate(float(wins_without.sum()), trials)),
        "difference": difference.mean,
        "low": difference.low,
        "high": difference.high,
        "expected_margin_difference": _expected_margin(base, side) - _expected_margin(without, side),
    }


def _expected_margin(counts: Counts, side: str) -> float:
    mine, yours = np.nonzero(counts.results)
    weights = counts.results[mine, yours]
    margin = float(((mine - yours) * weights).sum() / weights.sum())
    return margin if side == SIDES[0] else -margin


def swings_block(rows: Sequence[dict[str, Any]], names: Mapping[str, str]) -> Block:
    """Return a table of P(victory) without each unit and of the difference that the unit makes."""
    head = ("without", "army", "P(its army wins)", "difference with it")
    lines = [[row["name"], names[row["side"]], str(estimate_in(row, "p_without")), swing_text(row)] for row in rows]
    return Block("Without each unit (common random numbers)", head, lines, "<<>", lines=fill(SAMPLE_NOTE))


def swing_units_sentence(rows: Sequence[dict[str, Any]], side: str, name: str) -> str:
    """Return a sentence on a side's unit with the largest swing, and on units with swings not significantly smaller.

    Choosing the largest is valid: the number of battles is fixed in advance, the intervals hold for all units at once.
    """
    own = [row for row in rows if row["side"] == side]
    if own[0]["low"] <= 0:
        return f"Swing unit of {name}: no swing is significant with this number of battles."
    first, *others = (row for row in own if row["high"] >= own[0]["low"])
    names = " or ".join(row["name"] for row in others) if len(others) <= MOST_NAMED else f"{len(others)} others"
    tied = f"; {names} may matter as much" if others else ""
    return f"Swing unit of {name}: {first['name']}. Without it {name} wins {swing_text(first)} less often{tied}."


def harmful_units_sentences(rows: Sequence[dict[str, Any]], names: Mapping[str, str]) -> list[str]:
    """Return, for each side that wins more often without some unit, a sentence on its worst unit."""
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


def swing_text(row: dict[str, Any]) -> str:
    """Return how much P(victory) falls without a unit, in percentage points, with the interval."""
    return plus_minus(100 * row["difference"], 100 * _half_width(row), " pp")
