"""Who is still there, round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from analyser.common.errors import InputError
from analyser.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 5.2, 3.0  # inches
_ALLOWED = "the result of a duel, or its to_frame(by_round=True)"


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
    heading : str
        What it is of, a line above the title: who fights, and under which conditions.

    Examples
    --------
    >>> rounds = pd.DataFrame({"round": [0, 1, 2], "side": "Rifles", "p_alive": [1.0, 0.9, 0.7]})
    >>> survival(rounds).lines[0].get_ydata().tolist()
    [100.0, 90.0, 70.0]
    """
    frame = _by_round(rounds)
    look.check_columns(frame, ("round", "side", "p_alive"))
    sides = [(str(side), "p_alive", rows.sort_values("round")) for side, rows in frame.groupby("side", sort=False)]
    look.check_lines("sides", len(sides))
    what = look.below(heading, "Probability to be in the fight after each round, percent")
    with look.drawing(ax, WIDTH, HEIGHT, heading=what, across="round", legend=1) as axes:
        look.draw_lines(axes, "round", sides)
    return axes


def _by_round(given: Any) -> pd.DataFrame:
    """What is given as a frame with one row a round and side; InputError for anything else."""
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
