"""Jobs that compute the matchups of a report, and tables that follow from the matchups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analyser.analysis.duel_ratings import duel_ratings
from analyser.analysis.efficiency import dominated, efficiency, outliers
from analyser.analysis.fight_cache import FightCache
from analyser.analysis.grid import DefendingSide, compute_grid, join_by_situation
from analyser.analysis.matchups import Matchups
from analyser.analysis.mutual_losses import EXCHANGE_KINDS
from analyser.analysis.prices import FairPoints, fair_points
from analyser.analysis.situations import Situation
from analyser.common.cache import digest
from analyser.common.errors import InputError
from analyser.common.text import csv_frame
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.report.folder import ReportInputs
from analyser.report.worker_pool import Job, raise_if_interrupted

PART_COST = 250_000  # microseconds of a job on a typical machine; short, because Ctrl-C takes effect between jobs
FLOAT_FORMAT = "%.12g"  # further digits are rounding errors of long sums
BLOCK_LINES = 8_000  # lines of a CSV file written at a time


def matchup_jobs(inputs: ReportInputs, threads: int) -> list[list[Job]]:
    """Return the jobs of each direction; a job has some attackers, all defenders and one situation."""
    loadouts = {loadout.selector: loadout for side in (inputs.attackers, inputs.defenders) for loadout in side}
    digests = {name: digest([name, loadout.unit.record()]) for name, loadout in loadouts.items()}
    rules = digest([inputs.ruleset.model_dump(mode="json"), inputs.row])

    def job(situation: Situation, attackers: Sequence[Loadout], defenders: tuple[Loadout, ...]) -> Job:
        sides = [[digests[loadout.selector] for loadout in side] for side in (attackers, defenders)]
        cost = situation.fight.cost * len(attackers) * len(defenders)
        arguments = (situation, attackers, defenders, inputs.ruleset, inputs.row, threads)
        return Job(cost, digest([rules, situation.model_dump(mode="json"), sides]), matchups_as_parquet, arguments)

    return [
        [
            job(situation, attackers[first : first + size], defenders)
            for situation in inputs.situations
            for size in [max(PART_COST // (situation.fight.cost * len(defenders)), 1)]
            for first in range(0, len(attackers), size)
        ]
        for attackers, defenders in inputs.directions
    ]


def matchups_as_parquet(
    situation: Situation,
    attackers: Sequence[Loadout],
    defenders: tuple[Loadout, ...],
    ruleset: Ruleset,
    row: str | None,
    threads: int,
) -> bytes:
    """Return the matchups of a job as the bytes of a Parquet file."""
    defending = DefendingSide(defenders, ruleset, row, threads)
    return bytes(compute_grid(attackers, defending, [situation]).to_parquet(index=False))


def opponent_jobs(opponents: tuple[Loadout, ...], inputs: ReportInputs) -> list[Job]:
    """Return a job for each situation with missing fights among all opponents; it adds them to the fight cache."""
    cache = FightCache(opponents, DefendingSide(opponents, inputs.ruleset, None, 1))
    fights = len(opponents) ** 2
    return [
        Job(situation.fight.cost * fights, "", fill_fight_cache, (opponents, inputs.ruleset, situation))
        for situation in inputs.situations
        if situation.kind in EXCHANGE_KINDS and cache.is_worth_storing(situation, fights) and cache.read(situation)[1]
    ]


def fill_fight_cache(opponents: tuple[Loadout, ...], ruleset: Ruleset, situation: Situation) -> bytes:
    """Fill the fight cache with the fights among all opponents; return empty content."""
    defending = DefendingSide(opponents, ruleset, None, 1)
    compute_grid(opponents, defending, [situation], raise_if_interrupted, FightCache(opponents, defending))
    return b""


def joined_table(contents: Iterable[Sequence[bytes]], situations: int) -> pd.DataFrame:
    """Return the contents of all jobs, by direction, as one table without duplicates."""
    tables = [join_by_situation([pd.read_parquet(BytesIO(part)) for part in parts], situations) for parts in contents]
    whole = pd.concat(tables, ignore_index=True)
    return whole.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)


class Balance(NamedTuple):
    """Tables of a balance report that are computed from its matchups."""

    prices: FairPoints | None  # None without exchanges of fire
    balance: pd.DataFrame  # efficiency of each loadout
    outliers: pd.DataFrame
    dominated: pd.DataFrame
    ratings: pd.DataFrame | None  # None without duels

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by file name, without missing tables."""
        shown = {name: getattr(part, "frame", part) for name, part in self._asdict().items()}
        return {name: part for name, part in shown.items() if part is not None}


def balance_of(answer: Matchups, check_interrupt: Callable[[], None], prices: FairPoints | None = None) -> Balance:
    """Return the balance of a report, with `prices` if stated, else with fair points against its own opponents."""
    frame, attackers = answer.frame, answer.attackers
    duels = next((situation.name for situation in answer.situations if situation.fight.has_winner), None)
    ratings = None if duels is None else duel_ratings(frame[frame["situation"] == duels])
    check_interrupt()
    balance = efficiency(frame)
    check_interrupt()
    with suppress(InputError):  # no two loadouts exchange losses, so there are no fair points
        prices = fair_points(answer) if prices is None else prices
    check_interrupt()
    unusual = outliers(frame, (*attackers, *answer.defenders))
    return Balance(prices, balance, unusual, dominated(frame, attackers), ratings)


def write_table(frame: pd.DataFrame, path: Path, tell: Callable[[int], None] = lambda _: None) -> None:
    """Write a table as CSV; before each block of lines, call `tell` with the number of lines written so far."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for first in range(0, max(len(frame), 1), BLOCK_LINES):
            tell(first)
            lines = csv_frame(frame.iloc[first : first + BLOCK_LINES])
            lines.to_csv(file, index=False, header=first == 0, float_format=FLOAT_FORMAT, lineterminator="\n")
