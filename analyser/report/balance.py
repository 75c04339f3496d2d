"""The balance of a report: its tables, and their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analyser.analysis.balance import dominated, efficiency, outliers
from analyser.analysis.matchups import Matchups
from analyser.analysis.price_flags import flags
from analyser.analysis.ratings import duel_ratings
from analyser.report.figures import write_table


class Balance(NamedTuple):
    """What :mod:`analyser.analysis.balance` says of a table of matchups; `ratings` is None where there are no duels."""

    efficiency: pd.DataFrame
    flags: pd.DataFrame
    outliers: pd.DataFrame
    dominated: pd.DataFrame
    ratings: pd.DataFrame | None


def balance_of(found: Matchups, tell: Callable[[], None]) -> Balance:
    """Every table of the balance of a report; `tell` is called between two of them."""
    frame, attackers = found.frame, found.attackers
    duels = next((each.name for each in found.situations if each.fight.has_winner), None)
    ratings = None if duels is None else duel_ratings(frame[frame["situation"] == duels])
    tell()
    worth = efficiency(frame)
    tell()
    flagged = flags(frame, worth, attackers)
    tell()
    odd = outliers(frame, (*attackers, *found.defenders))
    return Balance(worth, flagged, odd, dominated(frame, attackers), ratings)


def write_balance(balance: Balance, folder: Path) -> None:
    """Write each table as CSV."""
    for name, frame in zip(("balance", "flags", "outliers", "dominated", "ratings"), balance):
        if frame is not None:
            write_table(frame, folder / f"{name}.csv")
