"""The balance of a report: its tables, and their files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analyser.balance import dominated, efficiency, outliers


class Balance(NamedTuple):
    """What :mod:`analyser.balance` says of a table of matchups."""

    efficiency: pd.DataFrame
    outliers: pd.DataFrame
    dominated: pd.DataFrame


def balance_of(frame: pd.DataFrame) -> Balance:
    """Every table of the balance of a report."""
    return Balance(efficiency(frame), outliers(frame), dominated(frame))


def write_balance(balance: Balance, folder: Path, number: str) -> None:
    """Write each table as CSV; `number` is the form of a figure."""
    for name, frame in zip(("balance", "outliers", "dominated"), balance):
        frame.to_csv(folder / f"{name}.csv", index=False, float_format=number, lineterminator="\n", encoding="utf-8")
