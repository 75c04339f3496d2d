"""The figures of a report in parts, each kept as soon as it is worked out; two processes share them out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from analyser.comparisons.cells import Field
from analyser.comparisons.matchups import Progress, field_of, matchups_frame
from analyser.report.collecting import rarely_collected
from analyser.report.helpers import helper, is_alone, work_given
from analyser.report.inputs import Inputs
from analyser.report.pace import cost_of_pairs
from analyser.report.work import Work
from analyser.situations import Situation

A_PART = 400_000  # microseconds of work of a typical machine that one part takes: Ctrl-C is heeded after it
WORTH_A_HELPER = 8_000_000  # for less, starting a process takes longer than it saves


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


def figures_of(inputs: Inputs, work: Work, threads: int, told: Progress) -> pd.DataFrame:
    """The tidy table of :func:`analyser.comparisons.matchups.matchups`; what `work` has of it is not worked out again.

    `told` is called with the microseconds of work that are done, of a typical machine, and their number in all.
    """
    missing = missing_parts(inputs, work)
    whole = sum(part.cost(inputs) for part in missing)
    helps = threads > 1 and whole >= WORTH_A_HELPER
    each = max(threads // 2, 1) if helps else threads
    with helper(__name__, inputs, work, missing, each) if helps else nullcontext():
        field = field_of(inputs.defenders, inputs.ruleset, inputs.row, each)
        for part in missing:
            told(sum(one.cost(inputs) for one in missing if one.file(work.parts).exists()), whole)
            _work_out(part, inputs, field, work)
    told(whole, whole)
    situations = [[part.file(work.parts) for part in parts_of(inputs, each)] for each in inputs.situations]
    return _woven([pd.concat(map(pd.read_parquet, files), ignore_index=True) for files in situations])


def _work_out(part: Part, inputs: Inputs, field: Field, work: Work, employer: int | None = None) -> None:
    """Put the figures of a part into its file, unless they are there; a helper whose `employer` is gone keeps them."""
    if part.file(work.parts).exists():
        return
    frame = matchups_frame(inputs.attackers[part.first : part.last], field, [part.situation])
    unfinished = part.file(work.scratch).with_suffix(f".{os.getpid()}")
    frame.to_parquet(unfinished, index=False)
    if employer is None or not is_alone(employer):
        unfinished.replace(part.file(work.parts))


def _woven(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One situation's rows after the other's as one table: by attacker, then defender, then situation."""
    order = np.arange(len(parts) * len(parts[0])).reshape(len(parts), -1).T.ravel()
    return pd.concat(parts, ignore_index=True).iloc[order].reset_index(drop=True)


def help_working_out(employer: int, inputs: Inputs, work: Work, missing: Sequence[Part], threads: int) -> None:
    """What the helper does, for as long as its employer, a process number, lives: the last part first."""
    field = field_of(inputs.defenders, inputs.ruleset, inputs.row, threads)
    with rarely_collected():
        for part in reversed(missing):
            if is_alone(employer):
                return
            _work_out(part, inputs, field, work, employer)


if __name__ == "__main__":
    help_working_out(*work_given())
