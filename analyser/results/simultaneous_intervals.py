"""Simultaneous 95% intervals: in 95% of simulations all intervals of a table contain the true values.

For a distribution, the band around the column *at least* has the same width at every value (Dvoretzky, Kiefer and
Wolfowitz, with Massart's constant). For K events or rows, each interval has an error of 5% / K (Bonferroni). These are
Clopper-Pearson intervals, which keep within this error for every true probability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.estimates import Estimate
from analyser.common.intervals import CONFIDENCE, clopper_pearson, dkw_half_width

if TYPE_CHECKING:
    from analyser.results.base import Result

Columns = dict[str, NDArray[Any]]


def at_least_columns(counts: NDArray[Any], trials: int) -> Columns:
    """Return the ends of the band around *at least*, from the counts of trials with each value or a higher one."""
    share, half_width = counts / trials, dkw_half_width(trials)
    band = {"at_least_band_low": share - half_width, "at_least_band_high": share + half_width}
    return {name: np.clip(ends, 0.0, 1.0) for name, ends in band.items()}


def joint_columns(name: str, counts: NDArray[Any], trials: int, intervals: int) -> Columns:
    """Return the ends of the intervals of `counts`, which hold together with all `intervals` of the table."""
    low, high = clopper_pearson(counts, trials, (1 - CONFIDENCE) / intervals)
    return {f"{name}_band_low": low, f"{name}_band_high": high}


def event_intervals(result: Result) -> dict[str, Estimate]:
    """Return the simulated probability of each event, with simultaneous intervals."""
    assert result.trials is not None
    probabilities = [result.probability(name) for name in result.events]
    counts = np.array([round(p * result.trials) for p in probabilities])
    low, high = joint_columns("", counts, result.trials, len(counts)).values()
    return {name: Estimate(*numbers) for name, *numbers in zip(result.events, probabilities, low, high)}


def bands_record(result: Result) -> dict[str, Any]:
    """Return the simultaneous intervals of a simulated result as plain data."""
    assert result.trials is not None
    intervals = event_intervals(result)
    events = {name: {"probability": float(p), "low": p.low, "high": p.high} for name, p in intervals.items()}
    return {
        "confidence": CONFIDENCE,
        "at_least": {"by": "dkw", "half_width": dkw_half_width(result.trials)},
        "events": {"by": "clopper-pearson, bonferroni", "figures": events},
    }


def band_blocks(result: Result) -> list[Block]:
    """Return the simultaneous intervals of a simulated result as text."""
    assert result.trials is not None
    blocks = []
    if result.plotted_figure in result.figures:
        width, title = dkw_half_width(result.trials), result.plotted_figure.replace("_", " ").capitalize()
        rows = [
            [str(row["value"]), str(Estimate(row["at_least"], row["at_least"] - width, row["at_least"] + width))]
            for row in result.distribution(result.plotted_figure)
        ]
        blocks.append(Block(f"{title}, the whole table at once", ("value", "at least"), rows, ">", " | "))
    events = [[f"P({name.replace('_', ' ')})", str(p)] for name, p in event_intervals(result).items()]
    return [*blocks, Block("All events at once", rows=events)]
