"""The figures of a report, situation by situation, each kept as soon as it is worked out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from analyser.comparisons.matchups import Matchups, Progress, matchups
from analyser.report.inputs import Inputs
from analyser.report.pace import cost_of_figures
from analyser.report.work import Work
from analyser.situations import Situation


def missing_situations(inputs: Inputs, work: Work) -> list[Situation]:
    """The situations whose figures are not in `work`."""
    return [each for each in inputs.situations if not _file(each, work).exists()]


def figures_of(inputs: Inputs, work: Work, threads: int | None, told: Progress) -> pd.DataFrame:
    """The tidy table of :func:`analyser.comparisons.matchups.matchups`; what `work` has of it is not worked out again.

    `told` is called with the microseconds of work that are done, of a typical machine, and their number in all.
    """
    missing, pairs = missing_situations(inputs, work), len(inputs.attackers) * len(inputs.defenders)
    for place, situation in enumerate(missing):
        before, whole = (cost_of_figures(missing[:end], pairs) for end in (place, place + 1))
        told_part = _part(before, whole - before, cost_of_figures(missing, pairs), told)
        found = _matchups(inputs, situation, threads, told_part)
        unfinished = work.scratch / f"{situation.name}.parquet"
        found.frame.to_parquet(unfinished, index=False)
        unfinished.replace(_file(situation, work))
    return _woven([pd.read_parquet(_file(each, work)) for each in inputs.situations])


def _part(before: int, cost: int, total: int, told: Progress) -> Progress:
    """`told` as one of several tasks calls it: so much is done before it, so much it costs, so much there is in all."""
    told(before, total)
    return lambda done, whole: told(before + cost * done // max(whole, 1), total)


def _file(situation: Situation, work: Work) -> Path:
    return work.parts / f"{situation.name}.parquet"


def _woven(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One situation's rows after the other's as one table: by attacker, then defender, then situation."""
    order = np.arange(len(parts) * len(parts[0])).reshape(len(parts), -1).T.ravel()
    return pd.concat(parts, ignore_index=True).iloc[order].reset_index(drop=True)


def _matchups(inputs: Inputs, situation: Situation, threads: int | None, progress: Progress) -> Matchups:
    return matchups(
        inputs.attackers, inputs.defenders,
        situations=[situation], row=inputs.row, profiles=inputs.profiles, progress=progress, threads=threads,
    )  # fmt: skip
