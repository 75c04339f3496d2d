"""Array type of the analysis modules, and weighted medians."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_TOLERANCE = 1e-10  # relative to the sum of weights


def weighted_medians(values: Array, cumulative_weights: Array) -> Array:
    """Return the weighted medians of sorted values, one for each row of cumulative weights.

    The values are along the last axis. If two values share the middle, the median is their mean.

    >>> weighted_medians(np.array([1.0, 2.0, 3.0]), np.cumsum([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]], axis=1)).tolist()
    [2.0, 2.0]
    """
    half = cumulative_weights[..., -1:] / 2
    ends = (
        (cumulative_weights < half * factor).sum(axis=-1, keepdims=True) for factor in (1 - _TOLERANCE, 1 + _TOLERANCE)
    )
    by_row = values.reshape((1,) * (cumulative_weights.ndim - values.ndim) + values.shape)
    middle = [np.take_along_axis(by_row, np.minimum(end, values.shape[-1] - 1), -1)[..., 0] for end in ends]
    return np.asarray(np.mean(middle, axis=0), np.float64)
