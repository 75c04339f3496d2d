"""The figures of a report in parts, each kept as soon as it is worked out, by whichever process."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.matchups import field_of, matchups_frame
from analyser.analysis.situations import Situation
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.report.folder import Work
from analyser.report.inputs import Inputs
from analyser.report.pool import Job

A_PART = 250_000  # microseconds of work of a typical machine that one part takes: Ctrl-C is heeded after it
NUMBER = "%.12g"  # more digits are the rounding of long sums
LINES_AT_ONCE = 8_000


class Part(NamedTuple):
    """The figures of some attackers on every defender in a situation, from the attacker at place `first` on."""

    situation: Situation
    first: int
    attackers: Sequence[Loadout]
    defenders: Sequence[Loadout]

    @property
    def name(self) -> str:
        """The name of the file that keeps them."""
        return f"{self.situation.name}-{self.first}-{self.first + len(self.attackers)}.parquet"

    @property
    def cost(self) -> int:
        """Microseconds that they take one process of a typical machine."""
        return self.situation.fight.cost * len(self.attackers) * len(self.defenders)


def parts_of(inputs: Inputs) -> list[Part]:
    """The parts of a report, situation by situation."""
    parts = []
    for situation in inputs.situations:
        size = max(A_PART // (situation.fight.cost * len(inputs.defenders)), 1)
        for first in range(0, len(inputs.attackers), size):
            parts.append(Part(situation, first, inputs.attackers[first : first + size], inputs.defenders))
    return parts


def figure_jobs(inputs: Inputs, work: Work, threads: int) -> list[Job]:
    """The jobs that work out the parts that `work` does not have yet."""
    missing = [part for part in parts_of(inputs) if not (work.parts / part.name).exists()]
    return [Job(part.cost, work_out, (part, inputs.ruleset, inputs.row, threads, work)) for part in missing]


def work_out(part: Part, ruleset: Ruleset, row: str | None, threads: int, work: Work) -> None:
    """Put the figures of a part into its file."""
    frame = matchups_frame(part.attackers, field_of(part.defenders, ruleset, row, threads), [part.situation])
    unfinished = work.scratch / f"{part.name}.{os.getpid()}"
    frame.to_parquet(unfinished, index=False)
    unfinished.replace(work.parts / part.name)


def whole_table(inputs: Inputs, work: Work) -> pd.DataFrame:
    """The parts put together: by attacker, then defender, then situation."""
    frame = pd.concat([pd.read_parquet(work.parts / part.name) for part in parts_of(inputs)], ignore_index=True)
    order = np.arange(len(frame)).reshape(len(inputs.situations), -1).T.ravel()
    return frame.iloc[order].reset_index(drop=True)


def write_table(frame: pd.DataFrame, path: Path, tell: Callable[[int], None] = lambda _: None) -> None:
    """Write a table as CSV, some lines after the other; `tell` is called in between with how many there are."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for first in range(0, max(len(frame), 1), LINES_AT_ONCE):
            tell(first)
            lines = frame.iloc[first : first + LINES_AT_ONCE]
            lines.to_csv(file, index=False, header=first == 0, float_format=NUMBER, lineterminator="\n")
