"""The balance of a report: its tables, and their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analyser.balance import dominated, duel_ratings, efficiency, outliers
from analyser.situations import Situation


class Balance(NamedTuple):
    """What :mod:`analyser.balance` says of a table of matchups; `ratings` is None where there are no duels."""

    efficiency: pd.DataFrame
    outliers: pd.DataFrame
    dominated: pd.DataFrame
    ratings: pd.DataFrame | None


def balance_of(frame: pd.DataFrame, situations: Sequence[Situation]) -> Balance:
    """Every table of the balance of a report."""
    duels = next((each.name for each in situations if each.kind == "duel"), None)
    ratings = None if duels is None else duel_ratings(frame[frame["situation"] == duels])
    return Balance(efficiency(frame), outliers(frame), dominated(frame), ratings)


def write_balance(balance: Balance, folder: Path, number: str) -> None:
    """Write each table as CSV; `number` is the form of a figure."""
    for name, frame in zip(("balance", "outliers", "dominated", "ratings"), balance):
        if frame is None:
            continue
        frame.to_csv(folder / f"{name}.csv", index=False, float_format=number, lineterminator="\n", encoding="utf-8")
