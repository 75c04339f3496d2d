"""Placement of labels of crowded markers without overlaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float64]

OFF_MARKERS, OFF_LABELS = 11.0, 14.0  # least pixels between the centre of a label and a marker, or another label
_AWAY = (14.0, 20.0, 27.0, 35.0, 44.0)  # pixels from a marker to its label, in the order of trial
_TURNS = np.radians((0, 25, -25, 50, -50, 75, -75))  # angles to the preferred direction, in order of trial


def label_offsets(markers: Places, labelled: Sequence[int], outwards: Sequence[float], size: Sequence[float]) -> Places:
    """Return the offset of each label from its marker: the nearest free one, else the one with most space.

    Parameters
    ----------
    markers : float array, shape (markers, 2)
        Positions of the markers in pixels.
    labelled : sequence of int
        Indices of the markers with a label, the most important first.
    outwards : sequence of float
        Preferred direction of each label, in degrees.
    size : sequence of float
        Size of the picture in pixels; labels stay inside.

    Returns
    -------
    float array, shape (labelled, 2)

    Examples
    --------
    >>> two = np.array([[50.0, 50.0], [64.0, 50.0]])
    >>> label_offsets(two, [0], [180.0], (100, 100)).round(1).tolist()
    [[-14.0, 0.0]]
    """
    ends, taken, result = np.array(size, np.float64), np.zeros((0, 2)), []
    for at, degrees in zip(labelled, outwards):
        angles = np.radians(degrees) + _TURNS
        tries = np.concatenate([far * np.column_stack([np.cos(angles), np.sin(angles)]) for far in _AWAY])
        places = markers[at] + tries
        inside = np.minimum(places, ends - places).min(axis=1) / OFF_MARKERS
        room = np.minimum(inside, _nearest(places, markers) / OFF_MARKERS)
        room = np.minimum(room, _nearest(places, taken) / OFF_LABELS)
        best = int(np.argmax(np.minimum(room, 1.0)))  # the first of equals
        taken = np.vstack([taken, places[best]])
        result.append(tries[best])
    return np.array(result).reshape(-1, 2)


def _nearest(places: Places, others: Places) -> Places:
    """Return the distance of each position to the nearest of `others`."""
    away = np.hypot(*(places[:, None, :] - others[None, :, :]).transpose(2, 0, 1))
    return np.asarray(away.min(axis=1, initial=np.inf), np.float64)
