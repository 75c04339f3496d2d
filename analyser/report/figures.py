"""The figures of a report in parts, each kept as soon as it is worked out, by whichever process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.grid import Field
from analyser.analysis.matchups import field_of, matchups_frame
from analyser.analysis.situations import Situation
from analyser.report.inputs import Inputs
from analyser.report.progress import cost_of_pairs
from analyser.report.resume import Work
from analyser.report.worker import is_alone

A_PART = 400_000  # microseconds of work of a typical machine that one part takes: Ctrl-C is heeded after it
A_LOOK = 0.01  # seconds between two looks for parts that another process is working out


class Part(NamedTuple):
    """The figures of the attackers from `first` up to, not including, `last` in a situation."""

    situation: Situation
    first: int
    last: int

    def file(self, folder: Path) -> Path:
        """Where they are kept."""
        return folder / f"{self.situation.name}-{self.first}-{self.last}.parquet"

    def cost(self, inputs: Inputs) -> int:
        """Microseconds that they take one process of a typical machine."""
        return cost_of_pairs(self.situation, (self.last - self.first) * len(inputs.defenders))


def parts_of(inputs: Inputs, situation: Situation) -> list[Part]:
    """The parts of a situation."""
    attackers = len(inputs.attackers)
    size = max(A_PART // max(cost_of_pairs(situation, len(inputs.defenders)), 1), 1)
    return [Part(situation, first, min(first + size, attackers)) for first in range(0, attackers, size)]


def missing_parts(inputs: Inputs, work: Work) -> list[Part]:
    """The parts whose figures are not in `work`."""
    parts = [part for situation in inputs.situations for part in parts_of(inputs, situation)]
    return [part for part in parts if not part.file(work.parts).exists()]


def figures_of(
    inputs: Inputs, work: Work, missing: Sequence[Part], threads: int, told: Callable[[int], None]
) -> pd.DataFrame:  # fmt: skip
    """The tidy table of :func:`analyser.analysis.matchups.matchups`; `work` has all of it but the `missing` parts.

    `told` is called before each of them with the microseconds of work that are done, of a typical machine.
    """
    if missing:
        field = field_of(inputs.defenders, inputs.ruleset, inputs.row, threads)
        for part in missing:
            told(cost_of_parts([each for each in missing if each.file(work.parts).exists()], inputs))
            _work_out(part, inputs, field, work)
    told(cost_of_parts(missing, inputs))
    return _whole(inputs, work)


def cost_of_parts(parts: Sequence[Part], inputs: Inputs) -> int:
    """Microseconds that they take one process of a typical machine."""
    return sum(part.cost(inputs) for part in parts)


def _work_out(part: Part, inputs: Inputs, field: Field, work: Work, employer: int | None = None) -> None:
    """Put the figures of a part into its file, unless they are there; a helper whose `employer` is gone keeps them."""
    if part.file(work.parts).exists():
        return
    frame = matchups_frame(inputs.attackers[part.first : part.last], field, [part.situation])
    unfinished = part.file(work.scratch).with_suffix(f".{os.getpid()}")
    frame.to_parquet(unfinished, index=False)
    if employer is None or not is_alone(employer):
        unfinished.replace(part.file(work.parts))


def _whole(inputs: Inputs, work: Work) -> pd.DataFrame:
    """The table put together of its parts."""
    situations = [[part.file(work.parts) for part in parts_of(inputs, each)] for each in inputs.situations]
    return _woven([pd.concat(map(pd.read_parquet, files), ignore_index=True) for files in situations])


def _woven(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One situation's rows after the other's as one table: by attacker, then defender, then situation."""
    order = np.arange(len(parts) * len(parts[0])).reshape(len(parts), -1).T.ravel()
    return pd.concat(parts, ignore_index=True).iloc[order].reset_index(drop=True)


def help_working_out(
    employer: int, inputs: Inputs, work: Work, missing: Sequence[Part], threads: int
) -> pd.DataFrame | None:
    """What the helper does first, the last part before all others; the whole table, or None if its employer is gone."""
    if missing:
        field = field_of(inputs.defenders, inputs.ruleset, inputs.row, threads)
        for part in reversed(missing):
            if is_alone(employer):
                return None
            _work_out(part, inputs, field, work, employer)
    while missing_parts(inputs, work):  # the employer has one in hand
        if is_alone(employer):
            return None
        time.sleep(A_LOOK)
    return _whole(inputs, work)


NUMBER = "%.12g"  # more digits are the rounding of long sums


LINES_AT_ONCE = 8_000


def write_table(frame: pd.DataFrame, path: Path, told: Callable[[int], None] = lambda _: None) -> None:
    """Write a table as CSV, some lines after the other; `told` is called in between with how many there are."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for first in range(0, max(len(frame), 1), LINES_AT_ONCE):
            told(first)
            lines = frame.iloc[first : first + LINES_AT_ONCE]
            lines.to_csv(file, index=False, header=first == 0, float_format=NUMBER, lineterminator="\n")
