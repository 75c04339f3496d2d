"""Tables row by row."""

from __future__ import annotations

from typing import Any

import pandas as pd


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries.

    Examples
    --------
    >>> records(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
