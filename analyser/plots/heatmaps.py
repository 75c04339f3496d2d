"""Pictures made of cells: attackers against defenders, a figure in each; and the distribution of a number by round."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast, get_args

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import FuncNorm, LogNorm, Normalize, to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.image import AxesImage
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D, Bbox, TransformedPath
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.text import NEGLIGIBLE
from analyser.game.units import Category
from analyser.plots import look, metrics

LEAST_SHARE = 0.01  # of the highest figure: less has the darkest colour; and of a probability, from either end
MEAN = "mean"
MOST_CELLS = 40  # numbers of a distribution, one above the other
CELL_WIDTH, CELL_HEIGHT = 0.44, 0.31  # inches: room for four characters of CELL_POINTS
ROUND_WIDTH, NUMBER_HEIGHT = 0.52, 0.3  # inches, of the cells of a distribution
SCALE_GAP, SCALE_WIDTH = 0.2, 0.15  # inches
LOGARITHMIC = "colour: logarithmic; a hundredth\nof the highest and less is darkest"
LOG_ODDS = "colour: logarithm of the odds; 1% and\nless is darkest, 99% and more lightest"
IMPOSSIBLE = "Hatched: the attacker cannot make this attack; means leave it out."
_BETWEEN = 5.0  # points of white between groups, and before the means
_PERCENT_TICKS = (1, 5, 20, 50, 80, 95, 99)  # written beside the colours
_ROUND = (1, 2, 5)  # times a power of ten: other figures beside the colours
_POINTS_AN_INCH, _OF_CELL = 72, 0.75  # how much of a cell's height its text may take
_MIDDLE, _BOTTOM = "0", "lp"  # where a line of text has its middle: that of its digits; and its lowest point


def heatmap(frame: pd.DataFrame, *, metric: str, note: str = "", ax: Axes | None = None) -> Axes:
    """Attackers against defenders: a cell for each pair, its figure written in it.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.matchups` or :func:`~analyser.analysis.grid.by_unit`, one situation of it: at most
        one row for each attacker and defender. Attackers stand from the highest mean down; defenders by their target
        category, and in each from the highest mean on. The means, over the cells that have a figure, are a last column
        and a last row. Cells without a figure are blank and hatched.
    metric : str
        A column of :data:`analyser.plots.metrics.METRICS`. Probabilities are in percent and coloured by the
        logarithm of their odds from 1 to 99, other figures by their logarithm from a hundredth of the highest; the
        colour bar says so.
    note : str
        What else is to be said of the figures, for the title.

    Examples
    --------
    >>> from analyser import matchups
    >>> found = matchups("crown/*@basic", "imperium/*@basic", situations=["long-range"])
    >>> ax = heatmap(found.frame, metric="p_annihilated")
    >>> print(ax.get_title(loc="left").splitlines()[0])
    P(annihilated), percent
    """
    is_probability = metrics.METRICS[metrics.checked_metric(metric)].is_probability
    look.check_columns(frame, (metric, "attacker", "defender", "situation"))
    if len(situations := frame["situation"].unique()) > 1:
        raise InputError(f"{len(situations)} situations in one picture", allowed=f"one of {', '.join(situations)}")
    if frame.duplicated(["attacker", "defender"]).any():
        raise InputError("more than one row for one attacker and defender")
    attackers, defenders = (_in_order(frame, side, metric) for side in ("attacker", "defender"))
    cells = frame.pivot(index="attacker", columns="defender", values=metric)
    cells = cells.reindex(index=attackers["attacker"], columns=defenders["defender"])
    means = np.append(defenders[MEAN], frame[metric].mean())
    values = np.vstack([np.column_stack([cells, attackers[MEAN]]), means]).astype(np.float64)
    with look.house_style():
        rows, columns = values.shape
        axes = ax if ax is not None else look.new_axes(CELL_WIDTH * columns, CELL_HEIGHT * rows)
        image = _draw_cells(axes, values, is_probability=is_probability)
        if np.isnan(values[:-1, :-1]).any():
            axes.set_xlabel(IMPOSSIBLE, loc="left", size=look.LABEL_POINTS)
        written = _label(axes, attackers, defenders, metrics.METRICS[metric], note)
        _separate(axes, defenders)
        _add_scale(axes, image, is_probability=is_probability)
        look.no_formulas(axes)
        if ax is None:
            look.fit_figure(axes)
            # And there the title stays: each drawing would lay out all labels twice to find its place anew.
            look.title(axes, written.get_text(), y=written.get_position()[1])
    return axes


def _in_order(frame: pd.DataFrame, side: str, metric: str) -> pd.DataFrame:
    """A row for each of a side, with its mean: from the highest mean on, defenders by category first."""
    means = frame.groupby(side)[metric].mean()
    found = frame.drop_duplicates(side).assign(mean=lambda each: each[side].map(means))
    found = found.sort_values(MEAN, ascending=False, kind="stable")
    if side == "defender":
        places = found["defender_category"].map(get_args(Category).index)
        found = found.iloc[np.argsort(places, kind="stable")]
    return found


def _draw_cells(ax: Axes, values: NDArray[np.float64], *, is_probability: bool) -> AxesImage:
    """Colours, figures, and thin white lines between the cells; the last row and column are means."""
    shown = 100 * values if is_probability else values
    # The hatch is the ground that cells without a figure leave open.
    ax.patch.set(facecolor="white", edgecolor="0.72", hatch="////", linewidth=0)
    norm = _norm(shown, is_probability=is_probability)
    shown = np.ma.masked_invalid(shown.clip(float(norm.vmin or 0.0), float(norm.vmax or 1.0)))
    image = ax.imshow(shown, cmap=look.SCALE, norm=norm, aspect="auto", interpolation="nearest")
    inks, inside = look.inks(image.cmap(norm(shown))), TransformedPath(ax.patch.get_path(), ax.patch.get_transform())
    alike: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for (row, column), value in np.ndenumerate(values):
        if text := look.short_text(float(value), is_probability=is_probability):
            ink = str(inks[row, column])
            cell = OutlinedText(column, row, text, color=ink, ha="center", va="center")
            cell.places = [] if (text, ink) in alike else alike.setdefault((text, ink), [])
            alike[text, ink].append((column, row))
            # It stands inside its cell; and its own clip path would take longer than all else.
            cell.set(size=look.CELL_POINTS, transform=ax.transData, clip_path=inside, in_layout=False)
            ax.add_artist(cell)
    rows, columns = values.shape
    ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, color="white", linewidth=1)
    ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, color="white", linewidth=1)
    ax.hlines(rows - 1.5, -0.5, columns - 0.5, color="white", linewidth=_BETWEEN)
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    ax.spines[:].set_visible(False)
    return image


def _norm(shown: NDArray[np.float64], *, is_probability: bool) -> Normalize:
    """Where a figure stands between the colours: logarithms, which tell small figures apart too."""
    if is_probability:
        least = 100 * LEAST_SHARE

        def log_odds(percent: Any) -> Any:
            shown = np.clip(percent, least, 100 - least)  # a cell without a figure stays masked
            return np.log(shown / (100 - shown))

        return FuncNorm((log_odds, lambda odds: 100 / (1 + np.exp(-odds))), least, 100 - least)
    highest = float(np.nanmax(shown, initial=0.0)) or 1.0
    return LogNorm(LEAST_SHARE * highest, highest)


def _label(ax: Axes, attackers: pd.DataFrame, defenders: pd.DataFrame, what: metrics.Metric, note: str) -> Text:
    """Write what the rows, the columns and the whole show; the title, as written."""
    ax.set_yticks(np.arange(len(attackers) + 1), [*_names(attackers, "attacker"), MEAN], size=look.LABEL_POINTS)
    slanted: dict[str, Any] = {"rotation": 55, "ha": "left", "va": "bottom", "rotation_mode": "anchor"}
    names = [*_names(defenders, "defender"), MEAN]
    ax.set_xticks(np.arange(len(defenders) + 1), names, size=look.LABEL_POINTS, **slanted)
    ax.xaxis.set_ticks_position("top")
    ax.tick_params(which="major", length=0, pad=3)
    for axis in (ax.xaxis, ax.yaxis):
        outline_labels(axis)
    unit = ", percent" if what.is_probability else ""
    situation = str(attackers["situation"].iloc[0]).replace("-", " ")
    method = ", ".join(dict.fromkeys(attackers["method"]))
    sides = f"Rows: {_side(attackers, 'attacker')} · columns: {_side(defenders, 'defender')}"
    more = f"\n{note}" if note else ""
    return look.title(ax, f"{what.title}{unit}\n{sides} · {situation} · {method}{more}")


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
    if levels == [metrics.ALL_LEVELS]:
        return f"{factions}, mean over levels"
    return f"{factions}, {levels[0]}" if len(levels) == 1 else factions


def _separate(ax: Axes, defenders: pd.DataFrame) -> None:
    """Wide white lines between the categories of targets and before the means; the categories below their columns."""
    sizes = defenders.groupby("defender_category", sort=False).size()
    ends = sizes.cumsum() - 0.5
    top, bottom = sorted(ax.get_ylim())
    ax.vlines(ends, top, bottom, color="white", linewidth=_BETWEEN)
    ax.set_xticks(ends - sizes / 2, sizes.index, minor=True, size=look.LABEL_POINTS)
    ax.xaxis.remove_overlapping_locs = False  # the middle of a group may be that of a column
    ax.tick_params(axis="x", which="minor", length=0, pad=3, top=False, labeltop=False, labelbottom=True)


def _add_scale(ax: Axes, image: AxesImage, *, is_probability: bool) -> None:
    """The colours and what they stand for, beside the cells."""
    inches = ax.get_window_extent().width / ax.figure.dpi
    beside = ax.inset_axes((1 + SCALE_GAP / inches, 0, SCALE_WIDTH / inches, 1))
    bar = ax.figure.colorbar(image, cax=beside)
    bar.outline.set_visible(False)
    ticks: Sequence[float] = _PERCENT_TICKS
    if not is_probability:
        least, most = image.get_clim()
        powers = range(int(np.floor(np.log10(least))), int(np.floor(np.log10(most))) + 1)
        ticks = [each for power in powers for digit in _ROUND if least <= (each := float(f"{digit}e{power}")) <= most]
    bar.set_ticks(ticks, labels=[f"{each:g}" for each in ticks])
    bar.minorticks_off()
    bar.set_label(LOG_ODDS if is_probability else LOGARITHMIC, size=look.LABEL_POINTS)
    beside.tick_params(labelsize=look.LABEL_POINTS, length=2)


def likely_values(frame: pd.DataFrame, number: str) -> NDArray[np.int64]:
    """The values that :func:`distributions_by_round` draws; one of them where nobody is left to have any."""
    likely = frame[frame["probability"] >= NEGLIGIBLE][number]
    shown = frame[number].head(1) if likely.empty else likely
    return np.arange(shown.min(), shown.max() + 1)[: MOST_CELLS + 1]


def distributions_by_round(frame: pd.DataFrame, *, x: str, number: str, heading: str, ax: Axes | None = None) -> Axes:
    """Probability of each value of a number, round by round: a column of cells a round, percentages written in them.

    Parameters
    ----------
    frame : DataFrame
        One row for each round and value that is possible, with its `probability`. Values that are less likely than
        0.01% in every round are left out at both ends.
    x, number : str
        The columns of the rounds and of the values, which are integers.

    Examples
    --------
    >>> from analyser import morale
    >>> tokens = morale.exact("legion", {"courage": 1, "tokens": 2, "rounds": 2}).to_frame("tokens")
    >>> rallied = tokens[tokens["when"] == "after rally"]
    >>> ax = distributions_by_round(rallied, x="round", number="tokens", heading="Tokens")
    >>> [text.get_text() for text in ax.texts]
    ['11', '70', '44', '30', '44']
    """
    look.check_columns(frame, (x, number, "probability"))
    rounds, values = sorted(frame[x].unique()), likely_values(frame, number)
    cells = frame.pivot_table(index=number, columns=x, values="probability", aggfunc="sum", fill_value=0.0)
    shown = cells.reindex(index=values, columns=rounds, fill_value=0.0).to_numpy(np.float64)
    with look.house_style():
        axes = ax if ax is not None else look.new_axes(ROUND_WIDTH * len(rounds), NUMBER_HEIGHT * len(values))
        norm = Normalize(0.0, shown.max() or 1.0)
        image = axes.imshow(shown, cmap=look.SCALE, norm=norm, aspect="auto", origin="lower", interpolation="nearest")
        inks = look.inks(image.cmap(norm(shown)))
        inches = axes.get_window_extent().height / axes.figure.dpi
        points = min(look.CELL_POINTS, _OF_CELL * _POINTS_AN_INCH * inches / len(values))
        for (row, column), share in np.ndenumerate(shown):
            if share > NEGLIGIBLE:
                text, colour = look.short_text(float(share), is_probability=True), str(inks[row, column])
                axes.text(column, row, text, ha="center", va="center", color=colour, size=points)
        axes.set_xticks(range(len(rounds)), [str(each) for each in rounds], size=look.LABEL_POINTS)
        axes.set_yticks(range(len(values)), [str(each) for each in values], size=min(look.LABEL_POINTS, points + 1))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        look.title(axes, f"{heading}, percent")
        axes.set_xlabel(x, size=look.LABEL_POINTS)
        axes.set_ylabel(number.replace("_", " "), size=look.LABEL_POINTS)
        look.no_formulas(axes)
        if ax is None:
            look.fit_figure(axes)
    return axes


class Outline(NamedTuple):
    """A string in points about the place where it stands: its path, the corners around it, where its line begins."""

    path: Path
    corners: NDArray[np.float64]  # shape (4, 2)
    start: NDArray[np.float64]  # shape (2,)


class OutlinedText(Text):
    """A text on one line, no formula, drawn from its outline: at its own place, or at `places` if there are any.

    Of texts that are equal but for their place one can draw all, and the others have an empty list. A picture has
    hundreds of texts, of few different strings, and to lay out each anew, several times for each file, would be most of
    its cost: an outline is worked out once for each string.
    """

    places: list[tuple[float, float]] | None = None

    def __init__(self, x: float = 0, y: float = 0, text: str = "", **properties: Any) -> None:
        super().__init__(x, y, text, parse_math=False, **properties)

    def draw(self, renderer: Any) -> None:
        """Draw it; called by the figure."""
        places = [self.get_unitless_position()] if self.places is None else self.places
        if not (self.get_visible() and self.get_text() and places):
            return
        pen, outline = renderer.new_gc(), self._outline()
        scaled = _scaled(renderer.points_to_pixels(1.0), self.get_rotation())
        if self.places is not None or isinstance(renderer, RendererAgg):
            pen.set_linewidth(0)
            colour = to_rgba(self.get_color())
            renderer.draw_markers(pen, outline.path, scaled, Path(places), self.get_transform(), colour)
        else:  # SVG writes each letter once and refers to it, which makes a third of the file
            pen.set_foreground(self.get_color())
            x, y = scaled.transform(outline.start) + self.get_transform().transform(places[0])
            y = renderer.get_canvas_width_height()[1] - y if renderer.flipy() else y
            renderer.draw_text(pen, x, y, self.get_text(), self.get_fontproperties(), self.get_rotation())
        pen.restore()

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Bbox:  # noqa: ARG002
        """What it covers, in pixels."""
        if not self.get_text():
            return Bbox.null()
        pixels = (dpi or cast("Figure", self.get_figure(root=True)).dpi) / _POINTS_AN_INCH
        place = self.get_transform().transform(self.get_unitless_position())
        corners = _scaled(pixels, self.get_rotation()).transform(self._outline().corners) + place
        return Bbox([corners.min(axis=0), corners.max(axis=0)])

    def _outline(self) -> Outline:
        alignment = self.get_horizontalalignment(), self.get_verticalalignment()
        return _outline(self.get_text(), self.get_fontproperties(), *alignment)


def outline_labels(axis: Axis) -> None:
    """Have the labels of an axis drawn from outlines; its ticks must be fixed."""
    for tick in axis.get_major_ticks():
        for name in ("label1", "label2"):
            plain = getattr(tick, name)
            if plain.get_visible():
                label = OutlinedText(*plain.get_position())
                label.update_from(plain)
                label.set(figure=plain.get_figure(), parse_math=False)
                setattr(tick, name, label)


@lru_cache
def _scaled(pixels: float, rotation: float) -> Affine2D:
    """From points about a text's place to pixels about it, where a point has so many."""
    return Affine2D().scale(pixels).rotate_deg(rotation)


@lru_cache(maxsize=4096)
def _outline(text: str, font: FontProperties, across: str, up: str) -> Outline:
    """The outline of `text` about the point that its alignment says; the text need not have letters of full height."""

    def path_of(string: str) -> Path:
        with rc_context({"text.parse_math": False}):  # which a path of a text cannot be told otherwise
            return TextPath((0, 0), string, size=font.get_size_in_points(), prop=font)

    path, line = path_of(text), path_of(_BOTTOM if up == "bottom" else _MIDDLE).get_extents()
    whole = path.get_extents() if len(path) else Bbox.unit()  # of spaces alone there is no path
    left = {"left": whole.x0, "center": (whole.x0 + whole.x1) / 2, "right": whole.x1}[across]
    move = Affine2D().translate(-left, -line.y0 if up == "bottom" else -(line.y0 + line.y1) / 2)
    return Outline(move.transform_path(path), move.transform(whole.corners()), move.transform(np.zeros(2)))
