"""What happened among what could have: the law of one fight, and strips of many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyser.plots import look

WIDE, HIGH = 6.2, 3.0  # inches
_A_STRIP = 0.34
_MOST_BARS = 60
_LONGEST_LEVEL = 5  # characters; longer names of bars are turned


def outcome_law(frame: pd.DataFrame, *, happened: Mapping[str, Any], heading: str = "", ax: Axes | None = None) -> Axes:
    """The law of an outcome, from the worst to the best: what is worse than what happened dark, that itself hatched.

    Parameters
    ----------
    frame : DataFrame
        The figures of the outcome, rows from the worst to the best, and `probability`.
    happened : mapping
        What happened, by those figures.

    Examples
    --------
    >>> law = pd.DataFrame({"models_destroyed": [0, 1], "probability": [0.25, 0.75]})
    >>> outcome_law(law, happened={"models_destroyed": 0}).get_xlabel()
    'models destroyed'
    """
    names = list(happened)
    look.check_columns(frame, (*names, "probability"))
    is_it = np.all([frame[name] == value for name, value in happened.items()], axis=0)
    at = int(np.flatnonzero(is_it)[0])
    likely = np.flatnonzero(frame["probability"] >= 1e-4)
    first, last = min(likely.min(), at), max(likely.max(), at)
    first, last = max(first, at - _MOST_BARS // 2), min(last, at + _MOST_BARS // 2)
    places = np.arange(first, last + 1)
    percent = 100 * frame["probability"].to_numpy(float)[places]
    columns = [frame[name].iloc[places].tolist() for name in names]
    texts = [", ".join(map(_word, values)) for values in zip(*columns)]
    turned = max(map(len, texts)) > _LONGEST_LEVEL
    what = f"{heading}\nWhat could have happened, percent"
    across = ", ".join(names).replace("_", " ") + "\n " * turned * 2  # below it, room for what is turned
    with look.drawing(ax, WIDE, HIGH, heading=what, across=across, legend=3) as axes:
        kinds = ((places < at, look.DARK, "", "worse"), (places == at, look.MEDIUM, look.LOST, "what happened"))
        for here, colour, hatch, label in (*kinds, (places > at, look.LIGHT, "", "better")):
            edge: dict[str, Any] = {"edgecolor": "black", "linewidth": 0.6, "hatch": hatch}
            if not here.any():
                continue
            axes.bar(places[here], percent[here], color=colour, width=0.85, label=label, **edge)
        step = -(-len(places) // 16)
        axes.set_xticks(places[::step], texts[::step], rotation=60 if turned else 0, ha="right" if turned else "center")
    return axes


def _word(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool | np.bool_) else str(value)


def luck_strips(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """Each fight as a strip among all that could have happened in it, from the worst to the best.

    Parameters
    ----------
    frame : DataFrame
        `fight`, `side`, `got`, `worse` and `equal` (probabilities), the sums of the sides last, with `fight` "all".

    Examples
    --------
    >>> table = pd.DataFrame({"fight": ["one"], "side": ["mine"], "got": ["2"], "worse": [0.1], "equal": [0.2]})
    >>> luck_strips(table).get_xlabel().split(":")[0]
    'share of such fights that go worse, percent'
    """
    look.check_columns(frame, ("fight", "side", "got", "worse", "equal"))
    places = np.arange(len(frame))[::-1]
    across = "share of such fights that go worse, percent: a strip is as wide as its outcome is likely"
    with look.drawing(ax, WIDE, 0.6 + _A_STRIP * len(frame), heading=heading, across=across, grid="x") as axes:
        axes.barh(places, 100.0, color=look.LIGHT, height=0.7)
        for place, (_, row) in zip(places, frame.iterrows()):
            colour = str(look.LINES[0 if row["side"] == "mine" else 1]["color"])
            hatch = "//" if row["fight"] == "all" else ""
            edge: dict[str, Any] = {"edgecolor": "black", "linewidth": 0.8, "hatch": hatch}
            left, wide = 100 * row["worse"], max(100 * row["equal"], 0.4)
            axes.barh(place, wide, left=left, color=colour, height=0.7, alpha=0.75, **edge)
        axes.axvline(50, color="0.4", linewidth=0.9, linestyle="--")
        axes.set(xlim=(0, 100), ylim=(-0.6, len(frame) - 0.4))
        names = [f"{row['side']}, {row['fight']}: {row['got']}" for _, row in frame.iterrows()]
        look.name_rows(axes, places, names)
    return axes
