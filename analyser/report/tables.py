"""The tables of a report as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

NUMBER = "%.12g"  # more digits are the rounding of long sums
LINES_AT_ONCE = 8_000


def write_table(frame: pd.DataFrame, path: Path, told: Callable[[int], None] = lambda _: None) -> None:
    """Write a table as CSV, some lines after the other; `told` is called in between with how many there are."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for first in range(0, max(len(frame), 1), LINES_AT_ONCE):
            told(first)
            lines = frame.iloc[first : first + LINES_AT_ONCE]
            lines.to_csv(file, index=False, header=first == 0, float_format=NUMBER, lineterminator="\n")
