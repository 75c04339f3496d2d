"""Pictures made of lines, of six at most: probabilities by round, survival, distributions over one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import pandas as pd
from matplotlib.axes import Axes

from analyser.common.errors import InputError
from analyser.common.text import NEGLIGIBLE
from analyser.plots import look

WIDTH, HEIGHT = 5.2, 2.9  # inches
WIDE, HIGH = 6.2, 3.2  # inches, of distributions over one another
_ALLOWED = "the result of a duel, or its to_frame(by_round=True)"


def curves(frame: pd.DataFrame, *, x: str, lines: Mapping[str, str], heading: str, ax: Axes | None = None) -> Axes:
    """Probabilities in several columns of a frame, by round: a line with markers for each.

    Parameters
    ----------
    frame : DataFrame
        One row a round; where it has ``c_low`` and ``c_high`` beside a column ``c``, the 95% intervals are drawn.
    x : str
        The column of the rounds.
    lines : mapping
        What each line is called in the legend, by column. Six at most.

    Examples
    --------
    >>> from analyser import morale
    >>> frame = morale.exact("legion", {"courage": 1, "tokens": 3}).to_frame()
    >>> ax = curves(frame, x="round", lines={"p_panicked": "panicked"}, heading="Panic")
    >>> ax.lines[0].get_ydata().round().tolist()[:2]
    [74.0, 13.0]
    """
    look.check_columns(frame, (x, *lines))
    with look.drawing(ax, WIDTH, HEIGHT, heading=f"{heading}, percent", across=x, legend=min(len(lines), 3)) as axes:
        look.draw_lines(axes, x, [(name, column, frame) for column, name in lines.items()], "lines")
    return axes


class ByRound(Protocol):
    """A result that tells of each round, such as that of a duel."""

    def to_frame(self, *, by_round: bool) -> pd.DataFrame:
        """One row a round and side."""


def survival(rounds: pd.DataFrame | ByRound, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """Probability that each side is still in the fight after each round: a line with markers for each side.

    Parameters
    ----------
    rounds : DuelResult, or DataFrame
        The result of a duel; or its ``to_frame(by_round=True)``, or a frame like it: `round` (0, 1, 2 and so on; 0:
        before the first), `side` (a name), `p_alive` (neither destroyed, broken nor fled by the end of the round); of
        a sample also `p_alive_low` and `p_alive_high`, drawn as intervals. Six sides at most.

    Examples
    --------
    >>> rounds = pd.DataFrame({"round": [0, 1, 2], "side": "Rifles", "p_alive": [1.0, 0.9, 0.7]})
    >>> survival(rounds).lines[0].get_ydata().tolist()
    [100.0, 90.0, 70.0]
    """
    frame = _by_round(rounds)
    look.check_columns(frame, ("round", "side", "p_alive"))
    sides = [(str(side), "p_alive", rows.sort_values("round")) for side, rows in frame.groupby("side", sort=False)]
    what = f"{heading}\nProbability to be in the fight after each round, percent"
    with look.drawing(ax, WIDTH, HEIGHT, heading=what, across="round", legend=1) as axes:
        look.draw_lines(axes, "round", sides, "sides")
    return axes


def _by_round(given: Any) -> pd.DataFrame:
    """What is given as a frame with one row a round and side; InputError for anything else."""
    if not isinstance(given, pd.DataFrame):
        try:
            given = given.to_frame(by_round=True)
        except (AttributeError, TypeError):
            raise InputError(f"{type(given).__name__} tells of no rounds", where="survival", allowed=_ALLOWED) from None
    if not {"round", "side"} <= set(given.columns):
        found = ", ".join(map(str, given.columns[:3])) or "nothing"
        raise InputError(f"a table of {found} ..., not of rounds and sides", where="survival", allowed=_ALLOWED)
    return pd.DataFrame(given)


def compared_distributions(frame: pd.DataFrame, *, heading: str = "", ax: Axes | None = None) -> Axes:
    """Probability of at least so many models destroyed: one stepped line with markers for each loadout.

    Parameters
    ----------
    frame : DataFrame
        `loadout`, `models_destroyed`, `at_least`, as ``distributions`` of :class:`analyser.Comparison`; where it has
        `at_least_low` and `at_least_high`, the 95% intervals are drawn too. Six loadouts at most. Numbers that nobody
        reaches in 0.01% of attacks are left out on the right.

    Examples
    --------
    >>> import analyser
    >>> pair = ["crown/sharp-rifles@basic", "crown/rifle-platoon@basic"]
    >>> ax = compared_distributions(analyser.compare(pair, "imperium/krupp@basic").distributions)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['crown/sharp-rifles@basic', 'crown/rifle-platoon@basic']
    """
    look.check_columns(frame, ("loadout", "models_destroyed", "at_least"))
    last = max(1, int(frame[frame["at_least"] >= NEGLIGIBLE]["models_destroyed"].max()))
    shown = frame[frame["models_destroyed"].between(1, last)]
    lines = [(str(name), "at_least", shown[shown["loadout"] == name]) for name in frame["loadout"].unique()]
    what = f"{heading}\nProbability of at least so many models destroyed, percent"
    with look.drawing(ax, WIDE, HIGH, heading=what, across="models destroyed, at least", legend=1) as axes:
        look.draw_lines(axes, "models_destroyed", lines, "loadouts", drawstyle="steps-mid")
        axes.set_xlim(0.5, last + 0.5)
    return axes


def trade_off(frame: pd.DataFrame, *, points: int, heading: str = "", ax: Axes | None = None) -> Axes:
    """The fair points of a loadout at each change of its dice: a line with markers in the band of its intervals.

    Parameters
    ----------
    frame : DataFrame
        `dice`, `fair_points`, `low`, `high`, as of :func:`analyser.solve_dice`.
    points : int
        What it costs today: a dashed line.

    Examples
    --------
    >>> curve = {"dice": [-1, 0, 1], "fair_points": [50, 60, 70], "low": [44, 53, 61], "high": [57, 68, 80]}
    >>> trade_off(pd.DataFrame(curve), points=62).lines[0].get_ydata().tolist()
    [50, 60, 70]
    """
    look.check_columns(frame, ("dice", "fair_points", "low", "high"))
    what = f"{heading}\nFair points at each change of dice, 95% intervals"
    with look.drawing(ax, WIDTH, HEIGHT, heading=what, across="change of dice", legend=2) as axes:
        band: dict[str, Any] = {"color": look.LIGHT, "linewidth": 0, "zorder": 0}
        axes.fill_between(frame["dice"], frame["low"], frame["high"], **band)
        axes.plot(frame["dice"], frame["fair_points"], "o-", color=look.DARK, label="fair points")
        axes.axhline(points, color="black", linestyle="--", linewidth=1, label=f"today: {points}")
        axes.set_xticks(frame["dice"], [f"{each:+d}" for each in frame["dice"]])
    return axes
