"""Attackers against defenders, a cell for each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize
from matplotlib.transforms import TransformedPath
from numpy.typing import NDArray

from analyser.errors import InputError
from analyser.metrics import ALL_LEVELS, Metric, metric, short_text
from analyser.plots.look import CELL_POINTS, LABEL_POINTS, SCALE, TITLE_POINTS, fit_figure, house_style, inks, new_axes
from analyser.plots.outlines import CellText, CellTexts, outline_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

CELL_WIDTH, CELL_HEIGHT = 0.44, 0.31  # inches: room for four characters of CELL_POINTS
SCALE_GAP, SCALE_WIDTH = 0.2, 0.15  # inches
_TITLE: dict[str, Any] = {"loc": "left", "size": TITLE_POINTS, "parse_math": False, "pad": 8, "linespacing": 1.4}
IMPOSSIBLE = "Hatched: the attacker cannot make this attack."


def heatmap(frame: pd.DataFrame, *, metric: str, ax: Axes | None = None) -> Axes:
    """Attackers against defenders: a cell for each pair, its figure written in it.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.matchups` or :func:`~analyser.comparisons.frame.by_unit`, one situation of it: at most
        one row for each attacker and defender. They stand in the order of the frame, from the top and from the
        left. Cells without a figure are blank and hatched.
    metric : str
        A column of :data:`analyser.metrics.METRICS`. Probabilities are in percent and coloured from 0 to 100,
        other figures from 0 to the highest.
    ax : Axes, optional
        Left out: of a new figure that is as large as the cells and the labels need.

    Returns
    -------
    Axes
        ``.figure.savefig(...)`` writes it to a file.

    Raises
    ------
    InputError
        An unknown metric, no rows, several situations, or two rows for one pair.

    Examples
    --------
    >>> from analyser import matchups
    >>> found = matchups("crown/*@basic", "imperium/*@basic", situations=["long-range"])
    >>> ax = heatmap(found.frame, metric="p_annihilated")
    >>> print(ax.get_title(loc="left").splitlines()[0])
    P(annihilated), percent
    """
    what = _metric(metric)
    _check(frame, metric)
    values = _grid(frame, metric)
    with house_style():
        axes = ax if ax is not None else _axes_for(values)
        image = _draw_cells(axes, values, what)
        title = _label(axes, frame, what, blank=bool(np.isnan(values).any()))
        _add_scale(axes, image)
        if ax is None:
            fit_figure(axes)
            # And there the title stays: each drawing would lay out all labels twice to find its place anew.
            axes.set_title(title.get_text(), y=title.get_position()[1], **_TITLE)
    return axes


def _metric(name: str) -> Metric:
    return metric(name)  # the parameter of heatmap has the same name


def _check(frame: pd.DataFrame, name: str) -> None:
    if name not in frame:
        raise InputError(f"the table has no column {name!r}", where="metric")
    if frame.empty:
        raise InputError("a table without rows cannot be drawn")
    situations = list(frame["situation"].unique())
    if len(situations) > 1:
        raise InputError(f"{len(situations)} situations in one picture", allowed=f"one of {', '.join(situations)}")
    if frame.duplicated(["attacker", "defender"]).any():
        raise InputError("more than one row for one attacker and defender")


def _grid(frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """The figures: shape (attackers, defenders), NaN where there is none."""
    rows, attackers = pd.factorize(frame["attacker"])
    columns, defenders = pd.factorize(frame["defender"])
    values = np.full((len(attackers), len(defenders)), np.nan)
    values[rows, columns] = frame[name].to_numpy(np.float64)
    return values


def _axes_for(values: NDArray[np.float64]) -> Axes:
    """Axes exactly as large as their cells."""
    rows, columns = values.shape
    return new_axes(CELL_WIDTH * columns, CELL_HEIGHT * rows)


def _draw_cells(ax: Axes, values: NDArray[np.float64], what: Metric) -> AxesImage:
    shown = 100 * values if what.is_probability else values
    highest = 100.0 if what.is_probability else float(np.nanmax(shown, initial=0.0)) or 1.0
    # The hatch is the ground that cells without a figure leave open.
    ax.patch.set(facecolor="white", edgecolor="0.72", hatch="////", linewidth=0)
    norm = Normalize(0.0, highest)
    image = ax.imshow(np.ma.masked_invalid(shown), cmap=SCALE, norm=norm, aspect="auto", interpolation="nearest")
    _draw_lines(ax, values.shape)
    _write(ax, values, inks(image.cmap(norm(shown))), what)
    return image


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


def _draw_lines(ax: Axes, shape: tuple[int, ...]) -> None:
    """Thin white lines between the cells."""
    rows, columns = shape
    ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, color="white", linewidth=1)
    ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, color="white", linewidth=1)
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    for spine in ax.spines.values():
        spine.set_visible(False)


def _label(ax: Axes, frame: pd.DataFrame, what: Metric, *, blank: bool) -> Text:
    """Write what the rows, the columns and the whole show; the title, as written."""
    attackers = frame.drop_duplicates("attacker")
    defenders = frame.drop_duplicates("defender")
    ax.set_yticks(np.arange(len(attackers)), _names(attackers, "attacker"), size=LABEL_POINTS)
    ax.set_xticks(
        np.arange(len(defenders)), _names(defenders, "defender"),
        size=LABEL_POINTS, rotation=55, ha="left", va="bottom", rotation_mode="anchor",
    )  # fmt: skip
    ax.xaxis.set_ticks_position("top")
    ax.tick_params(which="major", length=0, pad=3)
    for axis in (ax.xaxis, ax.yaxis):
        outline_labels(axis)
    unit = ", percent" if what.is_probability else ""
    situation = str(frame["situation"].iloc[0]).replace("-", " ")
    method = ", ".join(dict.fromkeys(frame["method"]))
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


def _add_scale(ax: Axes, image: AxesImage) -> None:
    """The colours and what they stand for, beside the cells."""
    inches = ax.get_window_extent().width / ax.figure.dpi
    beside = ax.inset_axes((1 + SCALE_GAP / inches, 0, SCALE_WIDTH / inches, 1))
    bar = ax.figure.colorbar(image, cax=beside)
    bar.outline.set_visible(False)
    beside.tick_params(labelsize=LABEL_POINTS, length=2)
