"""The balance of a report: its tables, and their files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analyser.balance import dominated, duel_ratings, efficiency, outliers
from analyser.report.tables import write_table
from analyser.situations import Situation


class Balance(NamedTuple):
    """What :mod:`analyser.balance` says of a table of matchups; `ratings` is None where there are no duels."""

    efficiency: pd.DataFrame
    outliers: pd.DataFrame
    dominated: pd.DataFrame
    ratings: pd.DataFrame | None


def balance_of(frame: pd.DataFrame, situations: Sequence[Situation], told: Callable[[], None]) -> Balance:
    """Every table of the balance of a report; `told` is called between two of them."""
    duels = next((each.name for each in situations if each.kind == "duel"), None)
    ratings = None if duels is None else duel_ratings(frame[frame["situation"] == duels])
    told()
    worth = efficiency(frame)
    told()
    return Balance(worth, outliers(frame), dominated(frame), ratings)


def write_balance(balance: Balance, folder: Path) -> None:
    """Write each table as CSV."""
    for name, frame in zip(("balance", "outliers", "dominated", "ratings"), balance):
        if frame is not None:
            write_table(frame, folder / f"{name}.csv")
