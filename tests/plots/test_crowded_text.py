"""Numbers beside crowded markers: off markers, off each other, inside the picture."""

import numpy as np
import pytest

from analyser.plots.crowded_text import OFF_LABELS, OFF_MARKERS, label_offsets

SIZE = (400.0, 480.0)


@pytest.mark.parametrize("seed", range(6))
def test_labels_are_off_all_markers_and_each_other_where_there_is_room(seed):
    markers = np.random.default_rng(seed).uniform(20, 380, (40, 2))
    labelled = [0, 5, 9, 13, 21, 34]
    places = markers[labelled] + label_offsets(markers, labelled, [225.0, 45.0] * 3, SIZE)
    for at, place in enumerate(places):
        assert np.hypot(*(markers - place).T).min() >= OFF_MARKERS
        others = np.delete(places, at, axis=0)
        assert np.hypot(*(others - place).T).min() >= OFF_LABELS
        assert (np.minimum(place, np.array(SIZE) - place) >= OFF_MARKERS).all()


def test_two_on_one_spot_have_labels_apart():
    markers = np.array([[200.0, 200.0], [203.0, 202.0]])
    one, other = markers + label_offsets(markers, [0, 1], [45.0, 45.0], SIZE)
    assert np.hypot(*(one - other)) >= OFF_LABELS


def test_a_label_stands_on_its_side_and_near_where_nothing_is_in_the_way():
    (offset,) = label_offsets(np.array([[200.0, 200.0]]), [0], [135.0], SIZE)
    assert offset == pytest.approx([-14 / 2**0.5, 14 / 2**0.5])


def test_without_room_it_stands_where_there_is_most():
    rows, columns = np.meshgrid(np.arange(0, 400, 8.0), np.arange(0, 480, 8.0))
    crowd = np.column_stack([rows.ravel(), columns.ravel()])
    offsets = label_offsets(crowd, [1000], [45.0], SIZE)
    assert np.isfinite(offsets).all()
