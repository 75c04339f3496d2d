"""The tables of a report: every matchup, in parts that whichever process works out and keeps; and the balance."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analyser.analysis.balance import dominated, efficiency, outliers
from analyser.analysis.grid import Field, grid, joined
from analyser.analysis.matchups import Matchups
from analyser.analysis.price_flags import flags
from analyser.analysis.ratings import duel_ratings
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
    """The matchups of some attackers, from the one at place `first` on, with every defender in a situation."""

    situation: Situation
    first: int
    attackers: Sequence[Loadout]
    defenders: tuple[Loadout, ...]

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


def missing_parts(inputs: Inputs, work: Work) -> list[Part]:
    """The parts that `work` does not have yet."""
    return [part for part in parts_of(inputs) if not (work.parts / part.name).exists()]


def matchup_jobs(parts: Sequence[Part], inputs: Inputs, work: Work, threads: int) -> list[Job]:
    """The jobs that work out some parts."""
    return [Job(part.cost, work_out, (part, inputs.ruleset, inputs.row, threads, work)) for part in parts]


def work_out(part: Part, ruleset: Ruleset, row: str | None, threads: int, work: Work) -> None:
    """Put the matchups of a part into its file."""
    frame = grid(part.attackers, Field(part.defenders, ruleset, row, threads), [part.situation])
    unfinished = work.scratch / f"{part.name}.{os.getpid()}"
    frame.to_parquet(unfinished, index=False)
    unfinished.replace(work.parts / part.name)


def whole_table(inputs: Inputs, work: Work) -> pd.DataFrame:
    """The parts put together: by attacker, then defender, then situation."""
    return joined([pd.read_parquet(work.parts / part.name) for part in parts_of(inputs)], len(inputs.situations))


class Balance(NamedTuple):
    """What :mod:`analyser.analysis.balance` says of a table of matchups; `ratings` is None where there are no duels."""

    balance: pd.DataFrame
    flags: pd.DataFrame
    outliers: pd.DataFrame
    dominated: pd.DataFrame
    ratings: pd.DataFrame | None


def balance_of(found: Matchups, heed: Callable[[], None]) -> Balance:
    """Every table of the balance of a report; `heed` is called between two of them."""
    frame, attackers = found.frame, found.attackers
    duels = next((each.name for each in found.situations if each.fight.has_winner), None)
    ratings = None if duels is None else duel_ratings(frame[frame["situation"] == duels])
    heed()
    worth = efficiency(frame)
    heed()
    flagged = flags(frame, worth, attackers)
    heed()
    odd = outliers(frame, (*attackers, *found.defenders))
    return Balance(worth, flagged, odd, dominated(frame, attackers), ratings)


def write_balance(balance: Balance, folder: Path) -> None:
    """Write each table as CSV."""
    for name, frame in balance._asdict().items():
        if frame is not None:
            write_table(frame, folder / f"{name}.csv")


def write_table(frame: pd.DataFrame, path: Path, tell: Callable[[int], None] = lambda _: None) -> None:
    """Write a table as CSV, some lines after the other; `tell` is called in between with how many there are."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for first in range(0, max(len(frame), 1), LINES_AT_ONCE):
            tell(first)
            lines = frame.iloc[first : first + LINES_AT_ONCE]
            lines.to_csv(file, index=False, header=first == 0, float_format=NUMBER, lineterminator="\n")
