"""Index of names: entries of a column as indices into a list of distinct names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def places_of(column: pd.Series[Any], names: Sequence[str]) -> NDArray[np.int64]:
    """Return the index of each entry of a column in distinct `names`; -1 if missing.

    >>> places_of(pd.Series(["oak", "elm", None, "oak"]), ["ash", "oak"]).tolist()
    [1, -1, -1, 1]
    """
    codes, result = pd.factorize(column)
    places = {name: place for place, name in enumerate(names)}
    return np.array([*(places.get(name, -1) for name in result.tolist()), -1], np.int64)[codes]
