"""Plots of distributions: bars, lines and cumulative steps, alone, overlaid or in panels."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator, ScalarFormatter
from numpy.typing import NDArray

from analyser.common import look
from analyser.common.errors import InputError, check_choice
from analyser.common.frames import names_of
from analyser.common.intervals import intervals
from analyser.common.look import AUTO, Color, Label, Title
from analyser.common.text import NEGLIGIBLE, SHORT_ENOUGH

Kind = Literal["summary", "bars", "lines", "at least"]
BAR_WIDTH, LEAST_WIDTH, MOST_WIDTH, HEIGHT = 0.44, 3.4, 7.5, 2.9  # inches
MOST_WITH_TEXT = 16  # most bars with percentages above them
MOST_BARS = 24  # most bars that are all named on the axis
FEWEST_BARS = 5  # least width of the axes in bars, so that one or two bars are not too wide
PANEL_WIDTH, PANEL_HEIGHT, LETTERS_PER_INCH = 3.4, 2.7, 10  # the first two in inches
SYMBOL_WIDTH, LABEL_HEIGHT = 0.8, 0.2  # inches, in a legend
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo")
_DEFAULT_COLUMNS = ("value", "models_destroyed")  # default columns for `x`
_BAR: dict[str, Any] = {"color": look.MEDIUM, "edgecolor": look.DARK, "linewidth": 0.8}


class Curve(NamedTuple):
    """One distribution over the values of a plot, in percent."""

    name: str
    percent: NDArray[np.float64]
    ends: NDArray[np.float64] | None = None  # a row each for the low and the high ends of 95% intervals


def distribution(
    data: Any,
    *,
    x: str | tuple[str, int | None] | None = None,
    by: str | None = None,
    kind: Kind | None = None,
    lost: str | None = None,
    ax: Axes | None = None,
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw one or several distributions: bars side by side, or overlaid lines or cumulative steps.

    Parameters
    ----------
    data : DataFrame, result, Distribution, or mapping of any of these by name
        A frame has `probability` and a column of values; rows with equal values are summed. 95% intervals are computed
        from `count`, or read from `low` and `high` (cumulative: `at_least_low`, `at_least_high`).
    x : str, or (str, int), optional
        The column of the values; or a figure of a result, such as ``"damage_left"``, with a round or attack. Default:
        the main figure of a result, or the column `value` or `models_destroyed`.
    by : str, optional
        A column of a frame; each of its values becomes a series.
    kind : {"summary", "bars", "lines", "at least"}, optional
        ``"summary"`` draws bars, and P(at least so many) as a stepped line. It is the default for one series of
        integers on a new figure; else the default is bars. Long distributions are drawn without tails below 0.01%.
    lost : str, optional
        A bool column of a frame, True for lost units, whose bars are hatched.

    Examples
    --------
    >>> import analyser
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> ax = distribution(analyser.exact(fight))
    >>> [round(bar.get_height()) for bar in ax.patches]
    [3, 20, 31, 26, 20]
    """
    if kind is not None:
        check_choice(kind, "kind", get_args(Kind))
    sources = _sources(data, x, by)
    if not sources:
        raise InputError("there is no distribution to draw", where="data", allowed="one or several, by name")
    kind = kind or ("summary" if len(sources) == 1 and ax is None and _has_integers(sources) else "bars")
    values, curves, is_cut = _curves(sources, kind)
    left_out = f" (others: less than {NEGLIGIBLE:.2%} at either end)" if is_cut else ""
    x_label = str(sources[0].x).replace("_", " ") + left_out
    width = float(np.clip(BAR_WIDTH * len(values) * (1.2 if len(curves) > 1 else 1.0), LEAST_WIDTH, MOST_WIDTH))
    has_legend = len(curves) > 1 or label is not None or kind == "summary"
    y_label = "P(at least so many), percent" if kind == "at least" else look.PERCENT
    options: dict[str, Any] = {"xlabel": x_label, "ylabel": y_label, "legend": (1 + (kind == "summary")) * has_legend}
    with look.drawing(ax, width, HEIGHT, title=title, own_title=look.subject_of(data), **options) as axes:
        xs = np.asarray(values, np.float64) if _has_integers(sources) else np.arange(len(values), dtype=np.float64)
        if kind in ("summary", "bars"):
            texts = ["exactly so many"] if kind == "summary" and label is None else label
            _draw_bars(axes, xs, curves, texts, color, artist)
            if lost:
                flags = sources[0].frame.groupby(sources[0].x, sort=False)[lost].any()
                for bar, value in zip(axes.patches, values):
                    bar.set_hatch(look.LOSS_HATCH if flags[value] else "")
        if kind == "summary":
            at_least = _curves(sources, "at least", drawn_values=values)[1]
            axes.step(xs, at_least[0].percent, where="mid", color=look.DARK, linewidth=1.6, label="at least so many")
        elif kind != "bars":
            steps = {"drawstyle": "steps-mid"} if kind == "at least" else {}
            _draw_lines(axes, xs, curves, label, color, steps | artist)
        _set_scale(axes, xs, [curve.percent for curve in curves], full=kind in ("summary", "at least"))
        if _has_integers(sources):
            least, most = axes.dataLim.intervalx  # ticks only at values, not at the edges of bars
            ticks = MaxNLocator(integer=True).tick_values(least, most)
            axes.set_xticks(ticks[(ticks >= least) & (ticks <= most)])
        else:
            step = -(-len(values) // MOST_BARS)
            axes.set_xticks(xs[::step], [f"{v:g}" if isinstance(v, float) else str(v) for v in values][::step])
    return axes


class Source(NamedTuple):
    """Data of one distribution: name, tidy rows, and the column of values."""

    name: str
    frame: pd.DataFrame
    x: str


def _sources(data: Any, x: Any, by: str | None) -> list[Source]:
    if isinstance(data, Mapping):
        return [part._replace(name=str(name)) for name, series in data.items() for part in _sources(series, x, None)]
    frame, column = _tidy_frame(data, x)
    key = by or ("loadout" if hasattr(data, "distributions") else None)
    look.check_columns(frame, (column, "probability", *([key] if key else [])))
    if key is None:
        return [Source(column.replace("_", " "), frame, column)]
    return [Source(str(name), rows, column) for name, rows in frame.groupby(key, sort=False, observed=True)]


def _tidy_frame(data: Any, x: Any) -> tuple[pd.DataFrame, str]:
    if hasattr(data, "plotted_figure"):  # the result of a fight
        figure, moment = x if isinstance(x, tuple) else (x or data.plotted_figure, None)
        return data.pmf(figure, moment).rename(columns={"value": figure}), figure
    if hasattr(data, "pmf"):
        return data.pmf().rename(columns={"value": data.name}), data.name
    frame = look.rows_of(getattr(data, "distributions", data))
    names = [name for name in _DEFAULT_COLUMNS if name in frame]
    if x is None and not names:
        raise InputError("the table has no column of values", where="x", allowed=", ".join(map(str, frame.columns)))
    return frame, x or names[0]


def _has_integers(sources: Sequence[Source]) -> bool:
    return all(pd.api.types.is_integer_dtype(source.frame[source.x]) for source in sources)


def _curves(sources: Sequence[Source], kind: Kind, drawn_values: Any = None) -> tuple[list[Any], list[Curve], bool]:
    """Return the values to draw (default: likely ones), the distributions over them, and True if some are left out."""
    values = list(dict.fromkeys(value for source in sources for value in source.frame[source.x]))
    if _has_integers(sources):
        least = 0 if sources[0].x == "models_destroyed" else min(values)  # 0 may be missing in a simulation
        values = list(range(min(least, *values), max(values) + 1))
    elif all(pd.api.types.is_numeric_dtype(source.frame[source.x]) for source in sources):
        values = sorted(values)
    pmfs = np.array([_sum_by_value(source, "probability", values) for source in sources])
    shown = [values.index(value) for value in drawn_values] if drawn_values is not None else _drawn_indices(pmfs, kind)
    curves = []
    for source, pmf in zip(sources, pmfs):
        ends = _interval_ends(source, kind, values)
        percent = 100 * _at_least(pmf, kind)[shown]
        curves.append(Curve(source.name, percent, None if ends is None else 100 * ends[:, shown]))
    is_cut = len(shown) < len(values) and kind != "at least"
    return [values[index] for index in shown], curves, is_cut


def _sum_by_value(source: Source, column: str, values: list[Any]) -> NDArray[np.float64]:
    """Return the sums of a column for each of `values`; 0 for a missing value."""
    summed = source.frame.groupby(source.x, sort=False, observed=True)[column].sum()
    return summed.reindex(values, fill_value=0).to_numpy(np.float64)


def _at_least(pmf: NDArray[np.float64], kind: Kind) -> NDArray[np.float64]:
    return np.asarray(np.cumsum(pmf[::-1])[::-1]) if kind == "at least" else pmf


def _drawn_indices(pmfs: NDArray[np.float64], kind: Kind) -> list[int]:
    """Return the indices of the values to draw, without the unlikely ends of a long distribution."""
    at_least = np.cumsum(pmfs[:, ::-1], axis=1)[:, ::-1].max(axis=0)
    at_most = np.cumsum(pmfs, axis=1).max(axis=0)
    indices = np.flatnonzero((at_least >= NEGLIGIBLE) & (at_most >= NEGLIGIBLE))
    if len(pmfs) == 1 and kind != "at least" and pmfs.shape[1] <= max(SHORT_ENOUGH, MOST_BARS):
        indices = np.arange(pmfs.shape[1])
    if kind == "at least" and len(indices) > 1 and indices[0] == 0:
        indices = indices[1:]  # P(at least the smallest value) is always 1
    return [int(index) for index in indices]


def _interval_ends(source: Source, kind: Kind, values: list[Any]) -> NDArray[np.float64] | None:
    """Return the low and the high ends of simulated 95% intervals, a row each; None if there are none."""
    if "count" in source.frame:
        counts = _sum_by_value(source, "count", values)
        low, high, _ = intervals(_at_least(counts, kind).round(), int(counts.sum()))
        return np.array([low, high])
    names = ["at_least_low", "at_least_high"] if kind == "at least" else ["low", "high"]
    if not set(names) <= set(source.frame.columns) or source.frame[source.x].duplicated().any():
        return None
    return source.frame.set_index(source.x)[names].reindex(values).to_numpy(np.float64).T


def _draw_bars(axes: Axes, xs: Any, curves: Sequence[Curve], label: Any, color: Any, artist: dict[str, Any]) -> None:
    """Draw a bar for each value and series, side by side; transparent if the axes have earlier series."""
    n_earlier, width = len(axes.get_legend_handles_labels()[1]), 0.8 / len(curves)
    styles = look.line_styles(axes, [series.name for series in curves], label, color)
    for number, (curve, line) in enumerate(zip(curves, styles)):
        style = {"color": line["color"], "edgecolor": "white", "hatch": HATCHES[(n_earlier + number) % len(HATCHES)]}
        if len(curves) == 1 and not n_earlier:
            style = {**_BAR, **({} if color is None else {"color": line["color"]})}
        centres = xs + width * (number - (len(curves) - 1) / 2)
        overlaid = {"alpha": 0.6} if n_earlier else {}
        style = {"width": width, "label": line["label"], "linewidth": 0.6, **style, **overlaid, **artist}
        axes.bar(centres, curve.percent, **style)
        if curve.ends is not None:
            look.draw_intervals(axes, centres, curve.percent, (*curve.ends,), "black")
        elif len(curves) == 1 and not n_earlier and len(xs) <= MOST_WITH_TEXT:
            possible = curve.percent > 0
            for text in look.write_above(axes, centres[possible], curve.percent[possible]):
                text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])  # to be readable over a line


def _draw_lines(axes: Axes, xs: Any, curves: Sequence[Curve], label: Any, color: Any, artist: dict[str, Any]) -> None:
    for curve, line in zip(curves, look.line_styles(axes, [series.name for series in curves], label, color)):
        axes.plot(xs, curve.percent, **{"linewidth": 1.6, "markersize": 5.5, **line, **artist})
        if curve.ends is not None:
            look.draw_intervals(axes, xs, curve.percent, (*curve.ends,), line["color"])


def _set_scale(axes: Axes, xs: NDArray[np.float64], drawn: Sequence[NDArray[np.float64]], *, full: bool) -> None:
    """Set limits that include new and earlier series; `full`: up to 100 percent, for cumulative probabilities."""
    is_first = len(axes.get_legend_handles_labels()[1]) <= len(drawn) + full
    half, middle = max(len(xs), FEWEST_BARS) / 2, (xs[0] + xs[-1]) / 2
    half = (xs[-1] - xs[0] + 1.2) / 2 if len(xs) >= FEWEST_BARS else half
    left, right, top = middle - half, middle + half, 108.0 if full else max(1.15 * max(map(np.max, drawn)), 1.0)
    if not is_first:
        (old_left, old_right), highest = axes.get_xlim(), axes.get_ylim()[1]
        left, right, top = min(left, old_left), max(right, old_right), max(top, highest)
    axes.set(xlim=(left, right), ylim=(0, top))
    if full:
        axes.set_yticks(range(0, 101, 20))


class Panels(tuple[Axes, ...]):
    """The Axes of small multiples, in order. A notebook shows their figure."""

    __slots__ = ()

    def _repr_png_(self) -> bytes:
        return look.png_of(self[0].figure)


def panels(
    data: pd.DataFrame | Mapping[Any, Any],
    draw: Callable[..., Axes],
    *,
    by: str | None = None,
    columns: int = 3,
    size: tuple[float, float] = (PANEL_WIDTH, PANEL_HEIGHT),
    share: bool = True,
    title: str | None = None,
    **more: Any,
) -> Panels:
    """Draw small multiples on one new figure: a panel for each group, by default with the same scales.

    Parameters
    ----------
    data : DataFrame, or mapping
        A tidy frame with the column `by`, or the data of each panel by its title.
    draw : callable
        A plot of this package, or another function with the arguments data, `ax` and `title`.
    columns : int
        Number of panels side by side.
    size : (float, float)
        Width and height of a panel, inches.
    share : bool
        True to give all panels the same limits, and label the axes once.
    title : str, optional
        Title of the whole figure.
    **more
        Passed to `draw`.

    Examples
    --------
    >>> pmfs = pd.DataFrame({"target": ["a", "a", "b"], "value": [0, 1, 0], "probability": [0.25, 0.75, 1.0]})
    >>> [ax.get_title() for ax in panels(pmfs, distribution, by="target", kind="bars")]
    ['a', 'b']
    """
    if by is not None:
        frame = look.rows_of(data)
        look.check_columns(frame, (by,))
        data = dict(iter(frame.groupby(by, sort=False, observed=True)))
    if not isinstance(data, Mapping) or not data:
        raise InputError("no data for panels", where="by", allowed="a column of the frame, or a mapping by title")
    if "ax" in more:
        raise InputError("panels are drawn on a new figure", where="ax", allowed="none")
    n_columns = min(columns, len(data))
    rows = -(-len(data) // n_columns)
    figure = look.new_figure(size[0] * n_columns, size[1] * rows)
    figure.set_layout_engine("constrained")
    with look.house_style():
        axes_type: dict[str, Any] = {} if share else {"subplot_kw": {"axes_class": look.Picture}}
        grid = figure.subplots(rows, n_columns, squeeze=False, **axes_type).ravel()
        titles = names_of([str(name) for name in data])
        letters = int(LETTERS_PER_INCH * size[0])
        for number, (axes, name, source) in enumerate(zip(grid, titles, data.values())):
            draw(source, ax=axes, title=None, **more)
            axes.set_title(textwrap.fill(name, letters), size=look.LABEL_POINTS + 1, parse_math=False)
            axes.tick_params(labelsize=look.LABEL_POINTS)
            if share:
                axes.spines[["top", "right"]].set_visible(False)
                axes.set_xlabel(axes.get_xlabel() if number + n_columns >= len(data) else "", size=look.LABEL_POINTS)
                axes.set_ylabel("" if number % n_columns else axes.get_ylabel(), size=look.LABEL_POINTS)
                axes.tick_params(labelleft=not number % n_columns)
        for axes in grid[len(data) :]:
            axes.remove()
        drawn = Panels(grid[: len(data)])
        if share:
            _share_scales(drawn)
        _one_legend(figure, drawn)
        if title:
            figure.suptitle(title, x=0.01, ha="left", size=look.TITLE_POINTS, parse_math=False)
    return drawn


def _share_scales(grid: Sequence[Axes]) -> None:
    """Give all panels common limits and, if all x axes are numeric, the ticks of the widest panel."""
    widest = max(grid, key=lambda axes: np.ptp(axes.get_xlim()))
    if all(isinstance(axes.xaxis.get_major_formatter(), ScalarFormatter) for axes in grid):
        for axes in grid:
            axes.set_xticks(widest.get_xticks())
    (left, right), (bottom, top) = (np.array(ends).T for ends in zip(*((ax.get_xlim(), ax.get_ylim()) for ax in grid)))
    for axes in grid:
        axes.set(xlim=(left.min(), right.max()), ylim=(bottom.min(), top.max()))


def _one_legend(figure: Figure, grid: Sequence[Axes]) -> None:
    """Replace equal legends of all panels by one legend below them."""
    legends = [legend for ax in grid if (legend := ax.get_legend())]
    texts = [[text.get_text() for text in legend.get_texts()] for legend in legends]
    if len(texts) == len(grid) and all(labels == texts[0] for labels in texts):
        for legend in legends:
            legend.remove()
        handles, labels = grid[0].get_legend_handles_labels()
        style: dict[str, Any] = {"frameon": False, "fontsize": look.LABEL_POINTS, "handlelength": 3.2}
        fitting = int(figure.get_figwidth() / (SYMBOL_WIDTH + max(map(len, labels)) / LETTERS_PER_INCH))
        columns = max(min(len(labels), fitting), 1)
        figure.legend(handles, labels, loc="outside lower left", ncols=columns, **style)
        figure.set_figheight(figure.get_figheight() + LABEL_HEIGHT * (1 - -len(labels) // columns))
