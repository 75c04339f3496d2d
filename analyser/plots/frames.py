"""What every plot asks of its frame."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analyser.errors import InputError


def check_columns(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse a frame without rows, or without one of these columns.

    Raises
    ------
    InputError
        With the columns that it has.
    """
    for name in columns:
        if name not in frame:
            raise InputError(f"the table has no column {name!r}", allowed=f"{', '.join(columns)} among its columns")
    if frame.empty:
        raise InputError("a table without rows cannot be drawn")


def check_number(what: str, found: int, most: int) -> None:
    """Refuse more lines in one picture than can be told apart.

    Raises
    ------
    InputError
        More than `most`.
    """
    if found > most:
        raise InputError(f"{found} {what} in one picture", allowed=f"up to {most}: choose some of them")
