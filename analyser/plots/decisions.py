"""Plots of decisions: the best action by situation, and the cost of simple tactics."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from analyser.common import look
from analyser.common.errors import InputError
from analyser.common.frames import names_of
from analyser.common.look import AUTO, Color, Label, Title

CELL_WIDTH, CELL_HEIGHT, WIDEST = 0.62, 0.42, 8.0  # inches
PALE_ALPHA = 0.35  # opacity of a situation with probability 0
MOST_ACTIONS = 8
ACTION_STYLES = {
    "aim and shoot": ("#9db4c8", ""),
    "advance and shoot": ("#e69f00", "///"),
    "close in and shoot": ("#e69f00", "+++"),
    "retire and shoot": ("#56b4e9", "..."),
    "go on lookout": ("#009e73", "xxx"),
    "advance and go on lookout": ("#009e73", "\\\\\\"),
    "retire and go on lookout": ("#009e73", "***"),
    "do nothing": ("#f0e442", "---"),
    "charge": ("#cc79a7", "ooo"),
    "double time": ("#d55e00", "|||"),
    "take cover": ("#dfe6ec", "\\\\\\"),
    "advance and take cover": ("#dfe6ec", "///"),
}
"""Colour (for colour-blind readers, too) and hatch (for print in grey) of each action."""
_DISTANCE = re.compile(r" (to |\d).*?(?= and |$)")  # "advance 3 inches and shoot" becomes "advance and shoot"
_CELL_STYLE: dict[str, Any] = {"edgecolor": "white", "linewidth": 1, "hatchcolor": look.DARK, "hatch_linewidth": 0.7}
FEWEST_COLUMNS = 4  # least width of the axes in cells
MOST_BARS, BAR_HEIGHT = 40, 0.26  # most bars; inches per bar


def choices(
    data: pd.DataFrame,
    *,
    across: str,
    up: str,
    ax: Axes | None = None,
    label: Label = None,
    color: Color = None,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the best action for each pair of two numbers, with a colour and a hatch per action.

    An action of :data:`ACTION_STYLES` looks the same in every plot; moves of different lengths count as one action.

    Parameters
    ----------
    data : DataFrame
        Numbers `x` and `y`; `do`, the action (of more than eight, the rarest share a colour); `comes_up`, False for
        situations that are drawn pale. A pair without a row stays white.
    across, up : str
        Names of `x` and `y`.
    label, color : optional
        A mapping by action.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = {"x": [1, 2], "y": [1, 1], "do": ["aim and shoot", "charge"], "comes_up": True}
    >>> frame = pd.DataFrame(cells)
    >>> ax = choices(frame, across="models of the enemy", up="own models")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['aim and shoot', 'charge']
    """
    frame = look.table_of(data, ("x", "y", "do", "comes_up"))
    frame = frame.assign(do=[_DISTANCE.sub("", action) for action in frame["do"]])
    if frame.duplicated(["x", "y"]).any():
        raise InputError("more than one row for one cell")
    frequent = frame["do"].value_counts().sort_index().sort_values(ascending=False, kind="stable")
    named = list(frequent.index[:MOST_ACTIONS])
    if len(frequent) > MOST_ACTIONS:
        named = [*named[:-1], "other actions"]
    xs, ys = np.sort(frame["x"].unique()), np.sort(frame["y"].unique())
    columns, styles = max(len(xs), FEWEST_COLUMNS), _styles_of(named)
    labels = look.per_series(label, named, named, "label")
    colours = dict(zip(named, look.per_series(color, named, [styles[name][0] for name in named], "color")))
    width, height = min(CELL_WIDTH * columns, WIDEST), CELL_HEIGHT * len(ys)
    options: dict[str, Any] = {"xlabel": across, "ylabel": up, "own_title": look.subject_of(data)}
    with look.drawing(ax, width, height, title=title, grid="", **options) as axes:
        positions = zip(np.searchsorted(xs, frame["x"]), np.searchsorted(ys, frame["y"]))
        for (column, row), do, comes_up in zip(positions, frame["do"], frame["comes_up"]):
            name = do if do in named else named[-1]
            style: dict[str, Any] = {"facecolor": colours[name], "hatch": styles[name][1], **_CELL_STYLE}
            style |= {"alpha": 1.0 if comes_up else PALE_ALPHA}
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **{**style, **artist}))
        axes.set(xlim=(-0.5, columns - 0.5), ylim=(-0.5, len(ys) - 0.5))
        axes.set_xticks(range(len(xs)), [f"{x:g}" for x in xs])
        axes.set_yticks(range(len(ys)), [f"{y:g}" for y in ys])
        patches = [
            Patch(facecolor=colours[name], hatch=styles[name][1], label=text, **_CELL_STYLE)
            for name, text in zip(named, labels)
        ]
        if not frame["comes_up"].all():
            patches.append(Patch(facecolor="#999999", alpha=PALE_ALPHA, label="pale: cannot occur under the plan"))
        outside: Any = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "frameon": False, "borderaxespad": 0}
        axes.legend(handles=patches, fontsize=look.LABEL_POINTS, **(outside if isinstance(axes, look.Picture) else {}))
    return axes


def _styles_of(named: list[str]) -> dict[str, tuple[str, str]]:
    """Return the colour and hatch of each action; an unknown action gets those of a known action that is not drawn."""
    unused = [style for name, style in ACTION_STYLES.items() if name not in named]
    return {name: ACTION_STYLES.get(name) or unused.pop(0) for name in named}


def tactic_costs(
    data: Any,
    *,
    ax: Axes | None = None,
    label: str | None = None,
    color: Any = look.MEDIUM,
    title: Title = AUTO,
    **artist: Any,
) -> Axes:
    """Draw the mean cost of each unit's simple tactic against best play as a bar, with a line to the highest cost.

    Parameters
    ----------
    data : Tactics, or DataFrame
        `attacker`, and `cost` and `most` (mean and highest, as probabilities), sorted by cost; the first 40 are drawn.

    Examples
    --------
    >>> frame = pd.DataFrame({"attacker": ["a", "b"], "cost": [0.1, 0.02], "most": [0.3, 0.1]})
    >>> tactic_costs(frame).get_xlabel()
    'cost, percentage points of P(win); line: largest cost'
    """
    frame = look.table_of(data, ("attacker", "cost", "most"), "by_unit")
    shown = frame.head(MOST_BARS).iloc[::-1]
    own = "Cost of the usual tactic against best play"
    options: dict[str, Any] = {"xlabel": "cost, percentage points of P(win); line: largest cost"}
    options["legend"] = int(label is not None)
    with look.drawing(ax, 5.0, BAR_HEIGHT * len(shown), title=title, own_title=own, grid="x", **options) as axes:
        positions = np.arange(len(shown))
        style: dict[str, Any] = {"color": color, "edgecolor": look.DARK, "height": 0.7, "label": label}
        axes.barh(positions, 100 * shown["cost"], **{**style, **artist})
        axes.hlines(positions, 0, 100 * shown["most"], color=look.DARK, linewidth=1)
        axes.set_yticks(positions, names_of(shown["attacker"].tolist()))
        axes.set(ylim=(-0.6, len(shown) - 0.4), xlim=(0, None))
    return axes
