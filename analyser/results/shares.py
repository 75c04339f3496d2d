"""Probabilities in tables: as columns, as figures by name with their intervals, and a distribution as a block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from analyser.common.estimates import Estimate
from analyser.common.intervals import intervals
from analyser.common.text import NEGLIGIBLE, shown_range
from analyser.results.rendering import Block

NOT_SHOWN = f"Not shown: values less likely than {100 * NEGLIGIBLE:.2f}% in all, at either end."


def share_columns(weights: NDArray[Any], trials: int | None) -> dict[str, NDArray[Any]]:
    """Weights as columns: `probability`; of a sample also `count`, `low` and `high`, its 95% `interval`."""
    if trials is None:
        return {"probability": weights}
    low, high, by = intervals(weights, trials)
    return {"probability": weights / trials, "count": weights, "low": low, "high": high, "interval": by}


def probability_figures(name: str, estimated: Estimate) -> dict[str, Any]:
    """A probability by name; of a sample its 95% interval beside it, as :func:`estimate_in` reads them."""
    if estimated.low is None or estimated.high is None:
        return {name: estimated.probability}
    before = "" if name == "probability" else f"{name}_"
    ends = {f"{before}low": estimated.low, f"{before}high": estimated.high, f"{before}interval": estimated.by}
    return {name: estimated.probability, **ends}


def distribution_block(rows: Sequence[dict[str, Any]], title: str, head: str = "value") -> Block:
    """The distribution of a figure as a table, cut at either end where it is long."""
    first, last = shown_range([row["probability"] for row in rows], [row["at_least"] for row in rows])
    minor = frozenset(str(row["value"]) for place, row in enumerate(rows) if not first <= place <= last)
    cells = []
    for row in rows:  # at least 0: certain without a sample
        more = "100%" if row["value"] == 0 else str(estimate_in(row, "at_least"))
        cells.append([str(row["value"]), str(estimate_in(row, "probability")), more])
    return Block(title, (head, "probability", "at least"), cells, ">", " | ", minor, NOT_SHOWN, beside=True)


def estimate_in(figures: dict[str, Any], name: str) -> Estimate:
    """The probability `name` of a row of figures, with the interval that stands beside it."""
    before = "" if name == "probability" else f"{name}_"
    return Estimate(figures[name], *(figures.get(f"{before}{part}") for part in ("low", "high", "interval")))
