"""Pictures of battles, as data."""

import pandas as pd

from analyser.plots import margins, points_left


def test_margins_say_who_wins_how_often():
    frame = pd.DataFrame({"margin": [-3, 0, 1, 4], "probability": [0.1, 0.2, 0.3, 0.4]})
    labels = [text.get_text() for text in margins(frame).get_legend().get_texts()]
    assert labels == ["mine wins: 70%", "draw: 20%", "yours wins: 10%"]


def test_points_left_begin_with_all():
    rows = {"round": [1, 1], "side": ["mine", "yours"], "mean_percent": [90.0, 70.0]}
    rows |= {"percent_10th_percentile": [80, 50], "percent_90th_percentile": [100, 90]}
    axes = points_left(pd.DataFrame(rows))
    assert [line.get_ydata()[0] for line in axes.lines] == [100, 100]
