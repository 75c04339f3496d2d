"""Parts of a report: files of matchups, each made by some process, and the balance."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analyser.analysis.balance import dominated, efficiency, outliers
from analyser.analysis.exchange import WAYS
from analyser.analysis.fight_cache import FightCache, known_of
from analyser.analysis.grid import Field, grid, joined
from analyser.analysis.matchups import Matchups
from analyser.analysis.prices import FairPoints, fair_points
from analyser.analysis.ratings import duel_ratings
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError
from analyser.common.text import csv_frame
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.report.folder import Inputs, Work
from analyser.report.pool import Job, heed
from analyser.report.stored import COLUMNS

A_PART = 250_000  # microseconds of work of a typical machine that one part takes: Ctrl-C is heeded after it
NUMBER = "%.12g"  # more digits are the rounding of long sums
LINES_AT_ONCE = 8_000
_ANEW = "the same command again, which begins anew"


class Part(NamedTuple):
    """The matchups of some attackers, from the one at place `first` on, with every defender in a situation.

    `direction` is 0 for the attackers of the report, 1 for its defenders, who attack as well.
    """

    direction: int
    situation: Situation
    first: int
    attackers: Sequence[Loadout]
    defenders: tuple[Loadout, ...]

    @property
    def name(self) -> str:
        """The name of the file that keeps them."""
        return f"{self.direction}-{self.situation.name}-{self.first}-{self.first + len(self.attackers)}.parquet"

    @property
    def cost(self) -> int:
        """Microseconds that they take one process of a typical machine."""
        return self.situation.fight.cost * len(self.attackers) * len(self.defenders)


def parts_of(inputs: Inputs) -> list[Part]:
    """The parts of a report, direction by direction, situation by situation."""
    parts = []
    for direction, (attackers, defenders) in enumerate(inputs.directions):
        for situation in inputs.situations:
            size = max(A_PART // (situation.fight.cost * len(defenders)), 1)
            for first in range(0, len(attackers), size):
                parts.append(Part(direction, situation, first, attackers[first : first + size], defenders))
    return parts


def matchup_jobs(parts: Sequence[Part], inputs: Inputs, work: Work, threads: int) -> list[Job]:
    """The jobs that work out some parts."""
    return [Job(part.cost, work_out, (part, inputs.ruleset, inputs.row, threads, work)) for part in parts]


def field_jobs(opponents: tuple[Loadout, ...], inputs: Inputs) -> list[Job]:
    """Return the job that fills the fight cache with the fights of all opponents; none if that is off."""
    situations = tuple(each for each in inputs.situations if each.kind in WAYS)
    cache = known_of(opponents, Field(opponents, inputs.ruleset, None, 1))
    missing = [each for each in situations if opponents and cache.of(each)[1]]
    if not isinstance(cache, FightCache) or not missing:
        return []
    cost = sum(each.fight.cost for each in missing) * len(opponents) ** 2
    return [Job(cost, meet, (opponents, inputs.ruleset, missing))]


def meet(opponents: tuple[Loadout, ...], ruleset: Ruleset, situations: Sequence[Situation]) -> None:
    """Fill the fight cache with the fights of each loadout on each."""
    field = Field(opponents, ruleset, None, 1)
    grid(opponents, field, situations, heed, known_of(opponents, field))


def work_out(part: Part, ruleset: Ruleset, row: str | None, threads: int, work: Work) -> None:
    """Put the matchups of a part into its file."""
    frame = grid(part.attackers, Field(part.defenders, ruleset, row, threads), [part.situation])
    unfinished = work.scratch / f"{part.name}.{os.getpid()}"
    unfinished.write_bytes(frame.to_parquet(index=False))
    unfinished.replace(work.parts / part.name)


def _read(part: Part, work: Work) -> pd.DataFrame:
    """Return the matchups in the file of a part; InputError, after which all that was kept goes, if it is damaged."""
    try:
        frame = pd.read_parquet(BytesIO((work.parts / part.name).read_bytes()))
    except (OSError, ValueError) as error:
        problem = f"a part of this unfinished report is damaged: {error}"
        raise InputError(problem, where=str(work.parts / part.name), allowed=_ANEW) from None
    if len(frame) != len(part.attackers) * len(part.defenders) or not {*COLUMNS} <= {*frame}:
        raise InputError("this is no part of this report", where=str(work.parts / part.name), allowed=_ANEW)
    return frame


def whole_table(inputs: Inputs, work: Work) -> pd.DataFrame:
    """The parts put together: by direction, then attacker, then defender, then situation; each matchup once."""
    tables = []
    for _, parts in groupby(parts_of(inputs), lambda part: part.direction):
        tables.append(joined([_read(part, work) for part in parts], len(inputs.situations)))
    whole = pd.concat(tables, ignore_index=True)
    return whole.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)


class Balance(NamedTuple):
    """Conclusions from a table of matchups.

    `ratings` is None where there are no duels, `prices` where there is no exchange.
    """

    prices: FairPoints | None
    balance: pd.DataFrame
    outliers: pd.DataFrame
    dominated: pd.DataFrame
    ratings: pd.DataFrame | None

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table that there is, by the name of its file."""
        shown = {name: getattr(each, "frame", each) for name, each in self._asdict().items()}
        return {name: each for name, each in shown.items() if each is not None}


def balance_of(answer: Matchups, heed: Callable[[], None], judged: FairPoints | None = None) -> Balance:
    """Every table of the balance of a report; `heed` is called between two of them.

    Prices are those of `judged`, where they were found in another field.
    """
    frame, attackers = answer.frame, answer.attackers
    duels = next((situation.name for situation in answer.situations if situation.fight.has_winner), None)
    ratings = None if duels is None else duel_ratings(frame[frame["situation"] == duels])
    heed()
    worth = efficiency(frame)
    heed()
    try:
        prices = fair_points(answer) if judged is None else judged
    except InputError:  # there are no exchanges
        prices = None
    heed()
    odd = outliers(frame, (*attackers, *answer.defenders))
    return Balance(prices, worth, odd, dominated(frame, attackers), ratings)


def write_table(frame: pd.DataFrame, path: Path, tell: Callable[[int], None] = lambda _: None) -> None:
    """Write a table as CSV, some lines after the other; `tell` is called in between with how many there are."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for first in range(0, max(len(frame), 1), LINES_AT_ONCE):
            tell(first)
            lines = csv_frame(frame.iloc[first : first + LINES_AT_ONCE])
            lines.to_csv(file, index=False, header=first == 0, float_format=NUMBER, lineterminator="\n")
