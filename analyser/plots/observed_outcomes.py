"""Plots that place observed outcomes among all possible outcomes: of one fight, or of many fights as strips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyser.common import look
from analyser.common.frames import readable
from analyser.common.look import AUTO, Color, Label, Title
from analyser.common.text import text_of

WIDTH, HEIGHT = 6.2, 3.0  # inches
_STRIP_HEIGHT = 0.34
_MOST_BARS = 60
_LONGEST_NAME = 5  # characters; longer names of bars are rotated


def outcome_distribution(
    data: pd.DataFrame,
    *,
    happened: Mapping[str, Any],
    ax: Axes | None = None,
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the distribution of an outcome from worst to best, in three colours: worse, the observed one, and better.

    Parameters
    ----------
    data : DataFrame
        A column for each number of the outcome, and `probability`; rows from the worst outcome to the best.
    happened : mapping
        The observed value of each number.

    Examples
    --------
    >>> pmf = pd.DataFrame({"models_destroyed": [0, 1], "probability": [0.25, 0.75]})
    >>> outcome_distribution(pmf, happened={"models_destroyed": 0}).get_xlabel()
    'models destroyed'
    """
    frame, names = look.rows_of(data), list(happened)
    look.check_columns(frame, (*names, "probability"))
    is_observed = np.all([frame[name] == value for name, value in happened.items()], axis=0)
    observed = int(np.flatnonzero(is_observed)[0])
    likely = np.flatnonzero(frame["probability"] >= 1e-4)
    first, last = min(int(likely[0]), observed), max(int(likely[-1]), observed)
    first, last = max(first, observed - _MOST_BARS // 2), min(last, observed + _MOST_BARS // 2)
    shown = np.arange(first, last + 1)
    percent = 100 * frame["probability"].to_numpy(float)[shown]
    columns = [frame[name].iloc[shown].tolist() for name in names]
    texts = [", ".join(map(text_of, values)) for values in zip(*columns)]
    rotated = max(map(len, texts)) > _LONGEST_NAME
    kinds = ("worse", "observed result", "better")
    styles = look.bar_styles(kinds, kinds, (look.DARK, look.MEDIUM, look.LIGHT), label, color)
    x_label = ", ".join(names).replace("_", " ") + "\n " * rotated * 2  # space for rotated names
    own = f"{look.subject_of(data)}\nPossible results"
    options: dict[str, Any] = {"xlabel": x_label, "ylabel": look.PERCENT, "legend": 3}
    with look.drawing(ax, WIDTH, HEIGHT, title=title, own_title=own, **options) as axes:
        parts = ((shown < observed, ""), (shown == observed, look.LOSS_HATCH), (shown > observed, ""))
        for style, (rows, hatch) in zip(styles, parts):
            if rows.any():
                style |= {"width": 0.85, "edgecolor": "black", "linewidth": 0.6, "hatch": hatch}
                axes.bar(shown[rows], percent[rows], **{**style, **artist})
        step = -(-len(shown) // 16)
        slant: dict[str, Any] = {"rotation": 60, "ha": "right"} if rotated else {"rotation": 0, "ha": "center"}
        axes.set_xticks(shown[::step], texts[::step], **slant)
    return axes


def luck_strips(
    data: pd.DataFrame,
    *,
    ax: Axes | None = None,
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw each fight as a strip from the worst outcome to the best, with a bar that marks the observed outcome.

    Parameters
    ----------
    data : DataFrame
        `fight`, `side`, `got` (the outcome), and `worse` and `equal`, the probabilities of a worse and of an equal
        outcome. The last rows, with `fight` "all", are the sums over all fights of a side.
    label, color : optional
        A list, or a mapping by side.

    Examples
    --------
    >>> table = pd.DataFrame({"fight": ["one"], "side": ["mine"], "got": ["2"], "worse": [0.1], "equal": [0.2]})
    >>> luck_strips(table).get_xlabel().split(":")[0]
    'share of such fights that go worse, percent'
    """
    frame = look.table_of(data, ("fight", "side", "got", "worse", "equal"))
    sides = list(dict.fromkeys(frame["side"]))
    names = dict(zip(sides, look.per_series(label, sides, sides, "label")))
    colours = dict(zip(sides, look.per_series(color, sides, [str(line["color"]) for line in look.STYLES], "color")))
    positions = np.arange(len(frame))[::-1]
    x_label = "share of such fights that go worse, percent: a bar is as wide as the probability of its outcome"
    own, height = "Luck of the whole game", 0.6 + _STRIP_HEIGHT * len(frame)
    with look.drawing(ax, WIDTH, height, title=title, own_title=own, xlabel=x_label, grid="x") as axes:
        axes.barh(positions, 100.0, color=look.LIGHT, height=0.7)
        style: dict[str, Any] = {"height": 0.7, "alpha": 0.75, "linewidth": 0.8, "edgecolor": "black"}
        style["color"] = [colours[side] for side in frame["side"]]
        style["hatch"] = ["//" if fight == "all" else "" for fight in frame["fight"]]
        widths = np.maximum(100 * frame["equal"], 0.4)
        axes.barh(positions, widths, left=100 * frame["worse"], **{**style, **artist})
        axes.axvline(50, color="0.4", linewidth=0.9, linestyle="--")
        axes.set(xlim=(0, 100), ylim=(-0.6, len(frame) - 0.4))
        fights = zip(frame["side"], frame["fight"], frame["got"])
        rows = [readable(f"{names[side]}, {fight}: {got}") for side, fight, got in fights]
        look.name_rows(axes, positions, rows)
    return axes
