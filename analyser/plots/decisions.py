"""Pictures of what to do, as things stand."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from analyser.common.errors import InputError
from analyser.plots import look

CELL_WIDTH, CELL_HEIGHT = 0.62, 0.42  # inches
PALE = 0.35  # how much is seen of a situation that does not come up
# Told apart by colour-blind readers, and in grey by their hatches.
FILLS = (
    ("#9db4c8", ""),
    ("#e69f00", "///"),
    ("#56b4e9", "..."),
    ("#009e73", "xxx"),
    ("#f0e442", "---"),
    ("#cc79a7", "ooo"),
    ("#d55e00", "|||"),
    ("#dfe6ec", "\\\\\\"),
)
FEWEST_COLUMNS = 4
MOST_BARS, BAR_HEIGHT = 40, 0.26  # inches


def choices(frame: pd.DataFrame, *, across: str, up: str, heading: str = "", ax: Axes | None = None) -> Axes:
    """What to do in each situation, a colour and a hatch each, over two numbers.

    Parameters
    ----------
    frame : DataFrame
        `x` and `y`, numbers; `do`, up to eight different things, of which the rarest are drawn as one; `costs`, what
        the next best would cost; and whether the situation `comes_up`: one that does not is drawn pale, and one without
        a row is left white.
    across, up : str
        What `x` and `y` are.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = {"x": [1, 2], "y": [1, 1], "do": ["aim and shoot", "charge"], "costs": 0.0, "comes_up": True}
    >>> frame = pd.DataFrame(cells)
    >>> ax = choices(frame, across="models of the enemy", up="own models")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['aim and shoot', 'charge']
    """
    look.check_columns(frame, ("x", "y", "do", "costs", "comes_up"))
    if frame.duplicated(["x", "y"]).any():
        raise InputError("more than one row for one cell")
    frequent = frame["do"].value_counts(sort=True).sort_index(kind="stable").sort_values(ascending=False, kind="stable")
    named = list(frequent.index[: len(FILLS)])
    if len(frequent) > len(FILLS):
        named = [*named[:-1], "something else"]
    xs, ys = np.sort(frame["x"].unique()), np.sort(frame["y"].unique())
    columns = max(len(xs), FEWEST_COLUMNS)
    with look.drawing(ax, CELL_WIDTH * columns, CELL_HEIGHT * len(ys), heading=heading, across=across) as axes:
        places = zip(np.searchsorted(xs, frame["x"]), np.searchsorted(ys, frame["y"]))
        for (across_at, up_at), do, comes_up in zip(places, frame["do"], frame["comes_up"]):
            colour, hatch = FILLS[named.index(do if do in named else named[-1])]
            corner, seen = (across_at - 0.5, up_at - 0.5), 1.0 if comes_up else PALE
            cell = Rectangle(corner, 1, 1, facecolor=colour, edgecolor="white", hatch=hatch, linewidth=1, alpha=seen)
            axes.add_patch(cell)
        axes.set(xlim=(-0.5, columns - 0.5), ylim=(-0.5, len(ys) - 0.5))
        axes.set_xticks(range(len(xs)), [f"{x:g}" for x in xs])
        axes.set_yticks(range(len(ys)), [f"{y:g}" for y in ys])
        axes.set_ylabel(up, size=look.LABEL_POINTS)
        axes.grid(visible=False)
        fills = [
            Patch(facecolor=FILLS[at][0], hatch=FILLS[at][1], edgecolor="white", label=name)
            for at, name in enumerate(named)
        ]
        if not frame["comes_up"].all():
            fills.append(Patch(facecolor="#999999", alpha=PALE, label="pale: does not come up under the plan"))
        axes.legend(
            handles=fills,
            loc="upper left",
            bbox_to_anchor=(1.02, 1.0),
            frameon=False,
            fontsize=look.LABEL_POINTS,
            borderaxespad=0,
        )
    axes.grid(visible=False)
    return axes


def given_away(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """What each unit's habit gives away to best play, a bar each, and a line to the most that it gives away.

    Parameters
    ----------
    frame : DataFrame
        `attacker`, `gives_away` and `most`, chances; those that give away most are drawn, on top.

    Examples
    --------
    >>> frame = pd.DataFrame({"attacker": ["a", "b"], "gives_away": [0.1, 0.02], "most": [0.3, 0.1]})
    >>> given_away(frame).get_xlabel()
    'percent of P(win), a draw half; the line: at most'
    """
    look.check_columns(frame, ("attacker", "gives_away", "most"))
    shown = frame.head(MOST_BARS).iloc[::-1]
    heading, across = "What the habit gives away to best play", "percent of P(win), a draw half; the line: at most"
    with look.drawing(ax, 5.0, BAR_HEIGHT * len(shown), heading=heading, across=across, grid="x") as axes:
        places = np.arange(len(shown))
        axes.barh(places, 100 * shown["gives_away"], color=look.MEDIUM, edgecolor=look.DARK, height=0.7)
        axes.hlines(places, 0, 100 * shown["most"], color=look.DARK, linewidth=1)
        axes.set_yticks(places, shown["attacker"])
        axes.set(ylim=(-0.6, len(shown) - 0.4), xlim=(0, None))
    return axes
