"""Intervals that hold for a whole table at once: all of them are right in 95% of samples, not each by itself.

Of a distribution *at least* is within one and the same distance of the truth at every value (Dvoretzky, Kiefer and
Wolfowitz, with Massart's constant). Of so many events, or rows, each has an interval that misses with as small a part
of 5% (Bonferroni), by Clopper and Pearson, whose intervals keep such small errors wherever the truth is.
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
    """The ends of the band of *at least*, by how often each value or a higher one was seen."""
    share, reach = counts / trials, dkw_half_width(trials)
    band = {"at_least_band_low": share - reach, "at_least_band_high": share + reach}
    return {name: np.clip(ends, 0.0, 1.0) for name, ends in band.items()}


def joint_columns(name: str, counts: NDArray[Any], trials: int, figures: int) -> Columns:
    """The ends of intervals of some of so many figures that hold for all of them at once."""
    low, high = clopper_pearson(counts, trials, (1 - CONFIDENCE) / figures)
    return {f"{name}_band_low": low, f"{name}_band_high": high}


def band_of_events(result: Result) -> dict[str, Estimate]:
    """The probability of each event of a sample, with an interval that holds for all events at once."""
    assert result.trials is not None
    probabilities = [result.probability(name) for name in result.events]
    counts = np.array([round(p * result.trials) for p in probabilities])
    low, high = joint_columns("", counts, result.trials, len(counts)).values()
    return {name: Estimate(*numbers) for name, *numbers in zip(result.events, probabilities, low, high)}


def bands_record(result: Result) -> dict[str, Any]:
    """The bands of a sample as plain data."""
    assert result.trials is not None
    banded = band_of_events(result)
    events = {name: {"probability": float(p), "low": p.low, "high": p.high} for name, p in banded.items()}
    return {
        "confidence": CONFIDENCE,
        "at_least": {"by": "dkw", "half_width": dkw_half_width(result.trials)},
        "events": {"by": "clopper-pearson, bonferroni", "figures": events},
    }


def band_blocks(result: Result) -> list[Block]:
    """The bands of a sample as text."""
    assert result.trials is not None
    blocks = []
    if result.pictured in result.figures:
        reach, title = dkw_half_width(result.trials), result.pictured.replace("_", " ").capitalize()
        rows = [
            [str(row["value"]), str(Estimate(row["at_least"], row["at_least"] - reach, row["at_least"] + reach))]
            for row in result.distribution(result.pictured)
        ]
        blocks.append(Block(f"{title}, the whole table at once", ("value", "at least"), rows, ">", " | "))
    events = [[f"P({name.replace('_', ' ')})", str(p)] for name, p in band_of_events(result).items()]
    return [*blocks, Block("All events at once", rows=events)]
