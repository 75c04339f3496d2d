"""Attackers against defenders, a cell for each pair."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd
from matplotlib.colors import FuncNorm, LogNorm, Normalize
from matplotlib.transforms import TransformedPath
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.game.units import Category
from analyser.plots import metrics
from analyser.plots.look import (
    CELL_POINTS,
    LABEL_POINTS,
    SCALE,
    TITLE_POINTS,
    check_columns,
    fit_figure,
    house_style,
    inks,
    new_axes,
)
from analyser.plots.metrics import ALL_LEVELS, Metric, short_text
from analyser.plots.outlines import CellText, CellTexts, outline_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

LEAST_SHARE = 0.01  # of the highest figure: less has the darkest colour; and of a probability, from either end
MEAN = "mean"
_BETWEEN = 5.0  # points of white between groups, and before the means
_CHANCES = (1, 5, 20, 50, 80, 95, 99)  # percent, written beside the colours
_ROUND = (1, 2, 5)  # times a power of ten: other figures beside the colours
CELL_WIDTH, CELL_HEIGHT = 0.44, 0.31  # inches: room for four characters of CELL_POINTS
SCALE_GAP, SCALE_WIDTH = 0.2, 0.15  # inches
LOGARITHMIC = "colour: logarithmic; a hundredth\nof the highest and less is darkest"
LOG_ODDS = "colour: logarithm of the odds; 1% and\nless is darkest, 99% and more lightest"
_TITLE: dict[str, Any] = {"loc": "left", "size": TITLE_POINTS, "parse_math": False, "pad": 8, "linespacing": 1.4}
IMPOSSIBLE = "Hatched: the attacker cannot make this attack; means leave it out."


def heatmap(frame: pd.DataFrame, *, metric: str, ax: Axes | None = None) -> Axes:
    """Attackers against defenders: a cell for each pair, its figure written in it.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.matchups` or :func:`~analyser.analysis.frame.by_unit`, one situation of it: at most
        one row for each attacker and defender. Attackers stand from the highest mean down; defenders by their target
        category, and in each from the highest mean on. The means, over the cells that have a figure, are a last column
        and a last row. Cells without a figure are blank and hatched.
    metric : str
        A column of :data:`analyser.plots.metrics.METRICS`. Probabilities are in percent and coloured by the
        logarithm of their odds from 1 to 99, other figures by their logarithm from a hundredth of the highest; the
        colour bar says so.

    Examples
    --------
    >>> from analyser import matchups
    >>> found = matchups("crown/*@basic", "imperium/*@basic", situations=["long-range"])
    >>> ax = heatmap(found.frame, metric="p_annihilated")
    >>> print(ax.get_title(loc="left").splitlines()[0])
    P(annihilated), percent
    """
    what = metrics.metric(metric)
    _check(frame, metric)
    attackers, defenders = (_in_order(frame, side, metric) for side in ("attacker", "defender"))
    values = _grid(frame, metric, attackers, defenders)
    with house_style():
        rows, columns = values.shape
        axes = ax if ax is not None else new_axes(CELL_WIDTH * columns, CELL_HEIGHT * rows)
        image = _draw_cells(axes, values, what, _group_starts(defenders))
        title = _label(axes, attackers, defenders, what, blank=bool(np.isnan(values[:-1, :-1]).any()))
        _name_groups(axes, defenders)
        _add_scale(axes, image, what)
        if ax is None:
            fit_figure(axes)
            # And there the title stays: each drawing would lay out all labels twice to find its place anew.
            axes.set_title(title.get_text(), y=title.get_position()[1], **_TITLE)
    return axes


def _check(frame: pd.DataFrame, name: str) -> None:
    check_columns(frame, (name, "attacker", "defender", "situation"))
    situations = list(frame["situation"].unique())
    if len(situations) > 1:
        raise InputError(f"{len(situations)} situations in one picture", allowed=f"one of {', '.join(situations)}")
    if frame.duplicated(["attacker", "defender"]).any():
        raise InputError("more than one row for one attacker and defender")


def _in_order(frame: pd.DataFrame, side: str, name: str) -> pd.DataFrame:
    """A row for each of a side as they stand: from the highest mean on, defenders by category first."""
    found = frame.drop_duplicates(side).assign(mean=lambda each: each[side].map(frame.groupby(side)[name].mean()))
    found = found.sort_values("mean", ascending=False, kind="stable")
    if side == "defender":
        found = found.sort_values(
            "defender_category", key=lambda each: each.map(get_args(Category).index), kind="stable"
        )
    return found


def _grid(frame: pd.DataFrame, name: str, attackers: pd.DataFrame, defenders: pd.DataFrame) -> NDArray[np.float64]:
    """The figures and, as a last row and column, their means: shape (attackers + 1, defenders + 1), NaN for none."""
    table = frame.pivot(index="attacker", columns="defender", values=name)
    cells = table.reindex(index=attackers["attacker"], columns=defenders["defender"]).to_numpy(np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a mean of nothing
        right, below, all_over = np.nanmean(cells, axis=1), np.nanmean(cells, axis=0), np.nanmean(cells)
    return np.vstack([np.column_stack([cells, right]), np.append(below, all_over)])


def _group_starts(defenders: pd.DataFrame) -> list[int]:
    """The columns before which another category begins."""
    categories = list(defenders["defender_category"])
    return [place for place, (one, other) in enumerate(pairwise(categories), 1) if one != other]


def _draw_cells(ax: Axes, values: NDArray[np.float64], what: Metric, groups: Sequence[int]) -> AxesImage:
    shown = 100 * values if what.is_probability else values
    # The hatch is the ground that cells without a figure leave open.
    ax.patch.set(facecolor="white", edgecolor="0.72", hatch="////", linewidth=0)
    norm = _norm(shown, what)
    least, most = float(norm.vmin or 0.0), float(norm.vmax or 1.0)
    image = ax.imshow(
        np.ma.masked_invalid(shown.clip(least, most)), cmap=SCALE, norm=norm, aspect="auto", interpolation="nearest"
    )
    _draw_lines(ax, values.shape, groups)
    _write(ax, values, inks(image.cmap(norm(shown.clip(least, most)))), what)
    return image


def _norm(shown: NDArray[np.float64], what: Metric) -> Normalize:
    """Where a figure stands between the colours: logarithms, which tell small figures apart too."""
    if what.is_probability:
        least = 100 * LEAST_SHARE

        def log_odds(percent: Any) -> Any:
            return np.ma.log(percent / (100 - percent))  # a cell without a figure stays masked

        return FuncNorm((log_odds, lambda odds: 100 / (1 + np.exp(-odds))), least, 100 - least)
    highest = float(np.nanmax(shown, initial=0.0)) or 1.0
    return LogNorm(LEAST_SHARE * highest, highest)


def _write(ax: Axes, values: NDArray[np.float64], written_in: NDArray[np.str_], what: Metric) -> None:
    """Each figure into its cell."""
    texts, inside = [], TransformedPath(ax.patch.get_path(), ax.patch.get_transform())
    for (row, column), value in np.ndenumerate(values):
        text = short_text(float(value), is_probability=what.is_probability)
        if text:
            cell = CellText(column, row, text, size=CELL_POINTS, color=str(written_in[row, column]))
            cell.set(transform=ax.transData, clip_path=inside)  # its own clip path would take longer than all else
            ax.add_artist(cell)
            texts.append(cell)
    ax.add_artist(CellTexts(texts))


def _draw_lines(ax: Axes, shape: tuple[int, ...], groups: Sequence[int]) -> None:
    """Thin white lines between the cells, wide ones between groups and before the means."""
    rows, columns = shape
    ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, color="white", linewidth=1)
    ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, color="white", linewidth=1)
    ax.vlines(np.array([*groups, columns - 1]) - 0.5, -0.5, rows - 0.5, color="white", linewidth=_BETWEEN)
    ax.hlines(rows - 1.5, -0.5, columns - 0.5, color="white", linewidth=_BETWEEN)
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    ax.spines[:].set_visible(False)


def _label(ax: Axes, attackers: pd.DataFrame, defenders: pd.DataFrame, what: Metric, *, blank: bool) -> Text:
    """Write what the rows, the columns and the whole show; the title, as written."""
    ax.set_yticks(np.arange(len(attackers) + 1), [*_names(attackers, "attacker"), MEAN], size=LABEL_POINTS)
    ax.set_xticks(
        np.arange(len(defenders) + 1),
        [*_names(defenders, "defender"), MEAN],
        size=LABEL_POINTS,
        rotation=55,
        ha="left",
        va="bottom",
        rotation_mode="anchor",
    )
    ax.xaxis.set_ticks_position("top")
    ax.tick_params(which="major", length=0, pad=3)
    for axis in (ax.xaxis, ax.yaxis):
        outline_labels(axis)
    unit = ", percent" if what.is_probability else ""
    situation = str(attackers["situation"].iloc[0]).replace("-", " ")
    method = ", ".join(dict.fromkeys(attackers["method"]))
    sides = f"Rows: {_side(attackers, 'attacker')} · columns: {_side(defenders, 'defender')}"
    title = f"{what.title}{unit}\n{sides} · {situation} · {method}"
    if blank:
        ax.set_xlabel(IMPOSSIBLE, loc="left", size=LABEL_POINTS)
    return ax.set_title(title, **_TITLE)


def _names(sides: pd.DataFrame, side: str) -> list[str]:
    """Units by name; with the level where the table has several."""
    units = [str(name) for name in sides[f"{side}_unit"]]
    if sides[f"{side}_level"].nunique() == 1 and len(set(units)) == len(units):
        return units
    return [f"{unit}, {level}" for unit, level in zip(units, sides[f"{side}_level"])]


def _side(sides: pd.DataFrame, side: str) -> str:
    """The factions of a side, and the level if they all have the same."""
    factions = " and ".join(name.replace("-", " ").title() for name in sides[side].str.partition("/")[0].unique())
    levels = list(sides[f"{side}_level"].unique())
    if levels == [ALL_LEVELS]:
        return f"{factions}, mean over levels"
    return f"{factions}, {levels[0]}" if len(levels) == 1 else factions


def _name_groups(ax: Axes, defenders: pd.DataFrame) -> None:
    """The categories of targets below their columns."""
    edges = [0, *_group_starts(defenders), len(defenders)]
    middles = [(first + last - 1) / 2 for first, last in pairwise(edges)]
    ax.set_xticks(middles, list(defenders["defender_category"].iloc[edges[:-1]]), minor=True, size=LABEL_POINTS)
    ax.xaxis.remove_overlapping_locs = False  # the middle of a group may be that of a column
    ax.tick_params(axis="x", which="minor", length=0, pad=3, top=False, labeltop=False, labelbottom=True)


def _add_scale(ax: Axes, image: AxesImage, what: Metric) -> None:
    """The colours and what they stand for, beside the cells."""
    inches = ax.get_window_extent().width / ax.figure.dpi
    beside = ax.inset_axes((1 + SCALE_GAP / inches, 0, SCALE_WIDTH / inches, 1))
    bar = ax.figure.colorbar(image, cax=beside)
    bar.outline.set_visible(False)
    least, most = image.get_clim()
    ticks = _CHANCES if what.is_probability else _round_figures(least, most)
    bar.set_ticks(ticks, labels=[f"{each:g}" for each in ticks])
    bar.minorticks_off()
    bar.set_label(LOG_ODDS if what.is_probability else LOGARITHMIC, size=LABEL_POINTS)
    beside.tick_params(labelsize=LABEL_POINTS, length=2)


def _round_figures(least: float, most: float) -> list[float]:
    """Figures to be written on a logarithmic scale.

    Examples
    --------
    >>> _round_figures(0.6, 61.0)
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    """
    first, last = int(np.floor(np.log10(least))), int(np.floor(np.log10(most)))
    found = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in _ROUND]
    return [each for each in found if least <= each <= most]
