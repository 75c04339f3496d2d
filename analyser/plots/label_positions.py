"""Positions of labels in a crowded plot, without overlaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MARKER_CLEARANCE, LABEL_CLEARANCE = 11.0, 14.0  # least pixels from a label's centre to a marker, and to another label
_DISTANCES = (14.0, 20.0, 27.0, 35.0, 44.0)  # pixels from a marker to its label, in the order tried
_ANGLES = np.radians((0, 25, -25, 50, -50, 75, -75))  # angles to the preferred direction, in the order tried


def label_offsets(markers: Floats, labelled: Sequence[int], outwards: Sequence[float], size: Sequence[float]) -> Floats:
    """Return the offset of each label from its marker: the nearest free position, or else the position with most space.

    `markers` has the positions (x and y) of all markers, `labelled` the indices of those with a label, the most
    important first, `outwards` the preferred direction of each label in degrees, and `size` the size of the picture,
    inside which the labels stay. All lengths are in pixels.

    >>> two = np.array([[50.0, 50.0], [64.0, 50.0]])
    >>> label_offsets(two, [0], [180.0], (100, 100)).round(1).tolist()
    [[-14.0, 0.0]]
    """
    corner, labels, result = np.array(size, np.float64), np.zeros((0, 2)), []
    for marker, degrees in zip(labelled, outwards):
        angles = np.radians(degrees) + _ANGLES
        directions = np.column_stack([np.cos(angles), np.sin(angles)])
        offsets = np.concatenate([distance * directions for distance in _DISTANCES])
        positions = markers[marker] + offsets
        to_edge = np.minimum(positions, corner - positions).min(axis=1) / MARKER_CLEARANCE
        space = np.minimum(to_edge, _nearest(positions, markers) / MARKER_CLEARANCE)
        space = np.minimum(space, _nearest(positions, labels) / LABEL_CLEARANCE)
        best = int(np.argmax(np.minimum(space, 1.0)))  # the first position with enough space (1), or else most
        labels = np.vstack([labels, positions[best]])
        result.append(offsets[best])
    return np.array(result).reshape(-1, 2)


def _nearest(positions: Floats, others: Floats) -> Floats:
    """Return the distance of each position to the nearest of `others`."""
    distances = np.hypot(*(positions[:, None, :] - others[None, :, :]).transpose(2, 0, 1))
    return np.asarray(distances.min(axis=1, initial=np.inf), np.float64)
