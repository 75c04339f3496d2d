"""Heatmaps: tables of numbers as coloured cells, and the distribution of a number by round."""

from __future__ import annotations

import textwrap
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.image import AxesImage
from matplotlib.ticker import LogLocator
from numpy.typing import NDArray

from analyser.common import look, metrics
from analyser.common.errors import InputError, check_choice
from analyser.common.frames import heading_of, names_of
from analyser.common.look import AUTO, Title
from analyser.common.text import NEGLIGIBLE
from analyser.game.units import Category

Scale = Literal["linear", "log"]
LEAST_SHARE = 0.01  # low end of a log scale, as a share of the highest value
MEAN = "mean"
MOST_VALUES = 40  # highest minus lowest value that `distributions_by_round` draws
CELL_WIDTH, CELL_HEIGHT = 0.44, 0.31  # inches; four characters of size `look.CELL_POINTS` fit
SCALE_GAP, SCALE_WIDTH = 0.2, 0.15  # inches
LOGARITHMIC = "logarithmic from a hundredth of the highest"
IMPOSSIBLE = "Hatched: the attacker cannot make this attack; it does not count in the means."
NO_VALUE = "Hatched: the attack is impossible or the figure has no value; it does not count in the means."
CHANGE_COLOURS = "PuOr"  # colour scale from losses through white to gains
_GAP_WIDTH = 5.0  # width in points of the white lines between groups and before the means
_LETTER_WIDTH = 0.075  # inches per letter of a label
_LEAST_TEXT = 5.0  # points; cells in which the text would be smaller have no text


class Table(NamedTuple):
    """Content of a heatmap: the grid of values, the names of rows and columns, and the groups of columns."""

    values: NDArray[np.float64]
    rows: list[str]
    columns: list[str]
    groups: pd.Series[int]  # number of columns by group
    has_means: bool
    quantity: str
    is_probability: bool


def heatmap(
    data: Any,
    *,
    rows: str = "attacker",
    columns: str = "defender",
    values: str | None = None,
    scale: Scale | None = None,
    note: str = "",
    ax: Axes | None = None,
    label: str | None = None,
    color: Any = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw a tidy frame or matchups as a table of coloured cells, with a number in each cell, and a colour bar.

    Matchups are sorted by their means, which are the last column and row, and their columns are grouped by category.
    The colour bar takes part of the area of `ax`.

    Parameters
    ----------
    data : DataFrame, or Matchups
        At most one row per cell. Cells without a number are hatched.
    rows, columns, values : str
        Columns of the frame; `values` are numbers, shown in percent for ``p_...``. Default: attackers, defenders and
        the metric of matchups. Rows and columns keep the order of the frame, or of their categories.
    scale : {"linear", "log"}, optional
        Scale of the colours. Default: linear; logarithmic for built-in metrics that are not probabilities. If a table
        has gains and losses, white stands for 0.
    note : str
        Last line of the title.
    label : str, optional
        Name of the values.
    color : colormap, its name, or a colour, optional
        A single colour gives a scale from white to this colour. Default: a scale that suits grey and colour blindness.

    Raises
    ------
    InputError
        No rows, a missing or non-numeric column, or several rows for one cell.

    Examples
    --------
    >>> table = pd.DataFrame({"weapon": ["a", "b"], "range": 6, "hits": [1.5, 2.25]})
    >>> ax = heatmap(table, rows="weapon", columns="range", values="hits")
    >>> [text.get_text() for text in ax.texts]
    ['1.5', '2.2']
    """
    frame = look.rows_of(data)
    metric = values or getattr(data, "metric", None)
    if metric is None:
        raise InputError("no column of values is named", where="values", allowed=", ".join(map(str, frame.columns)))
    table = _table(frame, (rows, columns, metric))
    is_built_in = metric in metrics.MATCHUP_METRICS and metrics.function_of(metric) is None
    scale = scale or ("log" if is_built_in and not table.is_probability else "linear")
    check_choice(scale, "scale", get_args(Scale))
    width, height = CELL_WIDTH * len(table.columns), CELL_HEIGHT * len(table.rows)
    is_matchups = f"{rows}_unit" in frame
    names: dict[str, Any] = {} if is_matchups else {"xlabel": heading_of(columns), "ylabel": heading_of(rows)}
    if is_matchups and (is_hatched := frame[metric].isna()).any():
        have_reasons = "why_not" in frame and frame.loc[is_hatched, "why_not"].notna().all()
        names = {"xlabel": IMPOSSIBLE if have_reasons else NO_VALUE}
    own = f"{label or table.quantity}{', percent' if table.is_probability else ''}"
    full_title = "\n".join(filter(None, [own, _sides_text(frame, rows, columns) if is_matchups else "", note]))
    with look.drawing(ax, width, height, title=title, own_title=full_title, grid="", **names) as axes:
        image = _draw_cells(axes, table.values, scale, color, artist, percent=table.is_probability)
        _name_axes(axes, table)
        if len(table.groups) > 1 or table.has_means:
            _separate_groups(axes, table)
        _add_scale(axes, image, own, scale, is_titled=title == AUTO)
    if is_matchups:
        axes.xaxis.label.set(x=0, ha="left")
    return axes


def _table(frame: pd.DataFrame, names: tuple[str, str, str]) -> Table:
    rows, columns, values = names
    look.check_columns(frame, (values, rows, columns))
    if not pd.api.types.is_numeric_dtype(frame[values]):
        raise InputError(f"the column {values} has no numbers", where="values", allowed="a column of numbers")
    if "situation" in frame and "situation" not in names and len(situations := frame["situation"].unique()) > 1:
        allowed = f"one of {', '.join(map(str, situations))}"
        raise InputError(f"{len(situations)} situations in one picture", allowed=allowed)
    if frame.duplicated([rows, columns]).any():
        problem = f"more than one row for one {rows} and {columns}"
        raise InputError(problem, allowed="one row, for example from groupby(...).mean()")
    key = "defender_category" if columns == "defender" and "defender_category" in frame else None
    with_means = f"{rows}_unit" in frame
    headings = [_in_order(frame, side, values if with_means else None) for side in (rows, columns)]
    if key is not None:
        order = headings[1][key].astype(object).map(get_args(Category).index)
        headings[1] = headings[1].iloc[np.argsort(order, kind="stable")]
    cells = frame.assign(**{values: frame[values].astype(float)}).pivot(index=rows, columns=columns, values=values)
    grid = cells.reindex(index=headings[0][rows], columns=headings[1][columns]).to_numpy(np.float64)
    names_by_side = [_names_of_side(heading, side) for heading, side in zip(headings, (rows, columns))]
    if with_means:
        last_row = np.append(headings[1][MEAN], frame[values].mean())
        grid = np.vstack([np.column_stack([grid, headings[0][MEAN]]), last_row]).astype(np.float64)
        names_by_side = [[*heading, MEAN] for heading in names_by_side]
    sizes = headings[1].groupby(key, sort=False, observed=True).size() if key else pd.Series({"": len(headings[1])})
    metric = metrics.metric_by_name(values)
    is_probability = metric.is_probability or values.startswith("p_")
    quantity = metric.title.replace("_", " ")
    return Table(grid, names_by_side[0], names_by_side[1], sizes, with_means, quantity, is_probability)


def _in_order(frame: pd.DataFrame, side: str, values: str | None) -> pd.DataFrame:
    """Return a row per loadout of a side, highest mean of `values` first; in the frame's order if `values` is None."""
    rows = frame.drop_duplicates(side)
    if values is not None:
        means = frame.groupby(side, observed=True)[values].mean()
        return rows.assign(mean=rows[side].map(means).astype(float)).sort_values(MEAN, ascending=False, kind="stable")
    return rows.sort_values(side, kind="stable") if isinstance(rows[side].dtype, pd.CategoricalDtype) else rows


def _draw_cells(
    ax: Axes, values: NDArray[np.float64], scale: Scale, color: Any, artist: dict[str, Any], *, percent: bool
) -> AxesImage:
    shown = 100 * values if percent else values
    # The hatched background is visible in cells without a number.
    ax.patch.set(facecolor="white", edgecolor="0.72", hatch="////", linewidth=0)
    norm = _norm(shown, scale)
    has_losses = scale == "linear" and norm.vmin is not None and norm.vmin < 0 < (norm.vmax or 0)
    shown = np.ma.masked_invalid(shown.clip(float(norm.vmin or 0.0), float(norm.vmax or 1.0)))
    style: dict[str, Any] = {"norm": norm, "aspect": "auto", "interpolation": "nearest"}
    style["cmap"] = look.scale_of(color, CHANGE_COLOURS if has_losses else look.PALETTE)
    image = ax.imshow(shown, **{**style, **artist})
    rows, columns = values.shape
    _write_cells(ax, image, values, percent)
    ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, color="white", linewidth=1)
    ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, color="white", linewidth=1)
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    ax.spines[:].set_visible(False)
    return image


def _write_cells(ax: Axes, image: AxesImage, values: NDArray[np.float64], percent: bool) -> None:
    """Write a number into each cell, in the largest size that fits."""
    box = ax.get_window_extent()
    inches = box.width / ax.figure.dpi / values.shape[1], box.height / ax.figure.dpi / values.shape[0]
    share = min(1.0, inches[0] / CELL_WIDTH, inches[1] / CELL_HEIGHT + 0.15)
    size = round(share * look.CELL_POINTS + 1e-6, 2)
    if size < _LEAST_TEXT:
        return
    inks = look.inks(np.asarray(image.cmap(image.norm(np.ma.asarray(image.get_array())))))
    centred: dict[str, Any] = {"ha": "center", "va": "center", "size": size, "in_layout": False}
    for (row, column), value in np.ndenumerate(values):
        if text := look.short_text(float(value), is_probability=percent):
            ax.text(column, row, text, color=inks[row, column], **centred)


def _norm(shown: NDArray[np.float64], scale: Scale) -> Normalize:
    highest = float(np.nanmax(shown, initial=0.0)) or 1.0
    if scale == "log":
        return LogNorm(LEAST_SHARE * highest, highest)
    lowest = min(float(np.nanmin(shown, initial=0.0)), 0.0)
    largest = max(-lowest, highest)
    return Normalize(-largest, largest) if lowest < 0 else Normalize(0.0, highest)


def _name_axes(ax: Axes, table: Table) -> None:
    """Name the rows on the left, and the columns above: slanted if the names are wider than the cells."""
    ax.set_yticks(np.arange(len(table.rows)), table.rows, size=look.LABEL_POINTS)
    letters = int(ax.get_window_extent().width / ax.figure.dpi / len(table.columns) / _LETTER_WIDTH)
    names = ["\n".join(textwrap.wrap(name, letters, break_long_words=False)) for name in table.columns]
    is_long = any(name.count("\n") > 2 or max(map(len, name.split("\n"))) > letters for name in names)
    slanted: dict[str, Any] = {"rotation": 55, "ha": "left", "va": "bottom", "rotation_mode": "anchor"}
    names, style = (table.columns, slanted) if is_long else (names, {})
    ax.set_xticks(np.arange(len(table.columns)), names, size=look.LABEL_POINTS, **style)
    ax.xaxis.set_ticks_position("top")
    ax.tick_params(which="major", length=0, pad=3)


def _sides_text(frame: pd.DataFrame, rows: str, columns: str) -> str:
    parts = [f"Rows: {_side_text(frame, rows)}", f"columns: {_side_text(frame, columns)}"]
    parts += [str(frame["situation"].iloc[0]).replace("-", " ")] if "situation" in frame else []
    return " · ".join([*parts, *([", ".join(dict.fromkeys(frame["method"]))] if "method" in frame else [])])


def _names_of_side(sides: pd.DataFrame, side: str) -> list[str]:
    """Return the names of units, with levels if the table has several; for other rows and columns, their values."""
    if f"{side}_unit" not in sides:
        return names_of([f"{value:g}" if isinstance(value, float) else str(value) for value in sides[side]])
    units = [str(name) for name in sides[f"{side}_unit"]]
    if sides[f"{side}_level"].nunique() == 1 and len(set(units)) == len(units):
        return units
    return [f"{unit}, {level}" for unit, level in zip(units, sides[f"{side}_level"])]


def _side_text(frame: pd.DataFrame, side: str) -> str:
    selectors = frame[side].drop_duplicates().astype(str)
    factions = " and ".join(name.replace("-", " ").title() for name in selectors.str.partition("/")[0].unique())
    levels = list(frame[f"{side}_level"].unique())
    if levels == [metrics.ALL_LEVELS]:
        return f"{factions}, mean over levels"
    return f"{factions}, {levels[0]}" if len(levels) == 1 else factions


def _separate_groups(ax: Axes, table: Table) -> None:
    """Draw wide white lines between groups of columns and before the means, and name the groups below."""
    ends = table.groups.cumsum() - 0.5
    top, bottom = sorted(ax.get_ylim())
    ax.vlines(ends if table.has_means else ends[:-1], top, bottom, color="white", linewidth=_GAP_WIDTH)
    if table.has_means:
        ax.hlines(len(table.rows) - 1.5, -0.5, len(table.columns) - 0.5, color="white", linewidth=_GAP_WIDTH)
    ax.set_xticks(ends - table.groups / 2, table.groups.index, minor=True, size=look.LABEL_POINTS)
    ax.xaxis.remove_overlapping_locs = False  # a group and a column may have labels at the same position
    ax.tick_params(axis="x", which="minor", length=0, pad=3, top=False, labeltop=False, labelbottom=True)


def _add_scale(ax: Axes, image: AxesImage, quantity: str, scale: Scale, *, is_titled: bool = False) -> None:
    """Draw the colour bar beside the cells; a label that is too long is left out if the title has it."""
    if isinstance(ax, look.Picture):
        inches = ax.get_window_extent().width / ax.figure.dpi
        position: dict[str, Any] = {"cax": ax.inset_axes((1 + SCALE_GAP / inches, 0, SCALE_WIDTH / inches, 1))}
    else:
        position = {"ax": ax}
    bar = ax.figure.colorbar(image, **position)
    bar.outline.set_visible(False)
    if scale == "log":
        least, most = image.get_clim()
        ticks = [tick for tick in LogLocator(subs=(1, 2, 5)).tick_values(least, most) if least <= tick <= most]
        bar.set_ticks(ticks, labels=[f"{tick:g}" for tick in ticks])
        bar.minorticks_off()
    is_long = _LETTER_WIDTH * len(quantity) > bar.ax.get_window_extent().height / ax.figure.dpi
    if not (is_long and is_titled and isinstance(ax, look.Picture)):
        bar.set_label(quantity + f"\n{LOGARITHMIC}" * (scale == "log"), size=look.LABEL_POINTS)
    bar.ax.tick_params(labelsize=look.LABEL_POINTS, length=2)


def distributions_by_round(
    data: Any,
    *,
    x: str,
    number: str,
    ax: Axes | None = None,
    label: str | None = None,
    color: Any = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the distribution of a number by round: a column of cells per round, with percentages.

    Parameters
    ----------
    data : DataFrame
        One row for each round and possible value, with its `probability`. Values at either end are left out if their
        probability is below 0.01% in every round. At most 41 values are drawn, from the lowest.
    x, number : str
        Columns of the rounds and of the values (integers).

    Examples
    --------
    >>> from analyser import morale
    >>> tokens = morale.exact("legion", {"courage": 1, "tokens": 2, "rounds": 2}).to_frame("tokens")
    >>> rallied = tokens[tokens["when"] == "after rally"]
    >>> ax = distributions_by_round(rallied, x="round", number="tokens")
    >>> [text.get_text() for text in ax.texts]
    ['44', '0', '44', '30', '11', '70']
    """
    frame = look.table_of(data, (x, number, "probability"))
    likely = frame[frame["probability"] >= NEGLIGIBLE][number]
    shown = frame[number].head(1) if likely.empty else likely
    values = np.arange(shown.min(), shown.max() + 1)[: MOST_VALUES + 1][::-1]
    cells = frame.pivot_table(index=number, columns=x, values="probability", aggfunc="sum", fill_value=0.0)
    grid = cells.reindex(index=values, fill_value=0.0).to_numpy(np.float64)
    rows, columns = ([str(name) for name in side] for side in (values, cells.columns))
    own = look.PERCENT.capitalize()
    options: dict[str, Any] = {"own_title": own, "xlabel": x, "ylabel": label or number.replace("_", " ")}
    size = CELL_WIDTH * len(columns), CELL_HEIGHT * len(rows)
    with look.drawing(ax, *size, title=title, grid="", **options) as axes:
        image = _draw_cells(axes, grid, "linear", color, artist, percent=True)
        inches = axes.get_window_extent().height / axes.figure.dpi
        step = int(np.ceil(look.LABEL_POINTS / 72 * len(rows) / inches))
        axes.set_xticks(range(len(columns)), columns)
        axes.set_yticks(range(0, len(rows), step), rows[::step])
        if not axes.texts:
            _add_scale(axes, image, own, "linear")
    return axes
