"""Who is still there, round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd
from matplotlib.ticker import MaxNLocator

from analyser.common.errors import InputError
from analyser.plots.look import LABEL_POINTS, LINES, check_columns, check_number, finish, house_style, new_axes, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 5.2, 3.0  # inches
_ALLOWED = "the result of a duel, or its to_frame(by_round=True)"


class ByRound(Protocol):
    """A result that tells of each round, such as that of a duel."""

    def to_frame(self, *, by_round: bool) -> pd.DataFrame:
        """One row a round and side."""


def survival(rounds: pd.DataFrame | ByRound, *, ax: Axes | None = None) -> Axes:
    """The chance that each side is still in the fight after each round: a line with markers for each side.

    Parameters
    ----------
    rounds : DuelResult, or DataFrame
        The result of a duel; or its ``to_frame(by_round=True)``, or a frame like it: `round` (0, 1, 2 and so on; 0:
        before the first), `side` (a name), `p_alive` (neither destroyed, broken nor fled by the end of the round); of
        a sample also `p_alive_low` and `p_alive_high`, drawn as intervals. Six sides at most.
    ax : Axes, optional
        Left out: of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        Neither; a column is missing, there are no rows, or more sides than can be told apart.

    Examples
    --------
    >>> rounds = pd.DataFrame({"round": [0, 1, 2], "side": "Rifles", "p_alive": [1.0, 0.9, 0.7]})
    >>> survival(rounds).lines[0].get_ydata().tolist()
    [100.0, 90.0, 70.0]
    """
    frame = _by_round(rounds)
    check_columns(frame, ("round", "side", "p_alive"))
    sides = list(frame["side"].unique())
    check_number("sides", len(sides), len(LINES))
    with house_style():
        axes = ax if ax is not None else new_axes(WIDTH, HEIGHT)
        for side, line in zip(sides, LINES):
            of_side = frame[frame["side"] == side].sort_values("round")
            chances = 100 * of_side["p_alive"]
            axes.plot(of_side["round"], chances, label=str(side), linewidth=1.6, markersize=5.5, **line)
            if "p_alive_low" in of_side:
                ends = [chances - 100 * of_side["p_alive_low"], 100 * of_side["p_alive_high"] - chances]
                axes.errorbar(
                    of_side["round"], chances, yerr=[end.clip(lower=0) for end in ends], fmt="none",
                    ecolor=line["color"], elinewidth=1, capsize=3,
                )  # fmt: skip
        axes.set(ylim=(0, 104), yticks=range(0, 101, 20))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        title(axes, "Chance to be in the fight after each round, percent")
        axes.set_xlabel("round", size=LABEL_POINTS)
        finish(axes, legend=1, fit=ax is None)
    return axes


def _by_round(given: Any) -> pd.DataFrame:
    """What is given as a frame with one row a round and side; anything else is refused."""
    if isinstance(given, pd.DataFrame):
        if not {"round", "side"} <= set(given.columns):
            found = ", ".join(map(str, given.columns[:3])) or "nothing"
            raise InputError(f"a table of {found} ..., not of rounds and sides", where="survival", allowed=_ALLOWED)
        return given
    try:
        rounds: pd.DataFrame = given.to_frame(by_round=True)
    except (AttributeError, TypeError):
        raise InputError(f"{type(given).__name__} tells of no rounds", where="survival", allowed=_ALLOWED) from None
    return rounds
