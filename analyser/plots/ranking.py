"""Plot of the best variants of a search, with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from analyser.common import look
from analyser.common.frames import readable

WIDE, _A_ROW = 5.2, 0.27  # inches
MOST = 25


def ranked(
    data: Any,
    *,
    quantity: str = "value",
    ax: Axes | None = None,
    label: str | None = None,
    color: Any = look.DARK,
    title: str | None = look.AUTO,
    **artist: Any,
) -> Axes:
    """Draw the best variants as dots. Filled dots are best or tied; races have confidence sequences.

    Parameters
    ----------
    data : Search, or DataFrame
        `variant`, `value` and `status`, the best first; for a race also `low` and `high`. 25 are shown.
    quantity : str
        Name of the figure; it is in percent if the name starts with ``P(``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"variant": ["a", "b"], "value": [2.0, 1.0], "status": ["best", "beaten"]})
    >>> [text.get_text().strip() for text in ranked(table, quantity="Hits").get_yticklabels()]
    ['b', 'a']
    """
    frame = look.rows_of(data, "frame")
    look.check_columns(frame, ("variant", "value", "status"))
    known = frame[frame["value"].notna()]
    shown = known.head(MOST).iloc[::-1]
    scale = 100 if quantity.startswith("P(") else 1
    left_out = len(known) - len(shown)
    across = f"{quantity}{', percent' if scale == 100 else ''}" + (f"   (the first {MOST})" if left_out else "")
    places = np.arange(len(shown))
    more: dict[str, Any] = {"own": look.subject_of(data), "xlabel": across, "legend": int(label is not None)}
    with look.drawing(ax, WIDE, 0.5 + _A_ROW * len(shown), title=title, grid="x", **more) as axes:
        values = scale * shown["value"].to_numpy(float)
        best = shown["status"].isin(("best", "tied")).to_numpy()
        if "low" in shown and shown["low"].notna().all():
            ends = [values - scale * shown["low"].to_numpy(float), scale * shown["high"].to_numpy(float) - values]
            how: dict[str, Any] = {"fmt": "none", "ecolor": "0.45", "elinewidth": 1.2, "capsize": 3}
            axes.errorbar(values, places, xerr=np.clip(ends, 0, None), **how)
        dots: dict[str, Any] = {"marker": "o", "linestyle": "", "color": color}
        axes.plot(values[best], places[best], **{**dots, "markersize": 7, "label": label, **artist})
        axes.plot(values[~best], places[~best], **{**dots, "markerfacecolor": "white", "markersize": 6, **artist})
        axes.set(ylim=(-0.7, len(shown) - 0.3))
        look.name_rows(axes, places, [readable(name) for name in shown["variant"]])
    return axes
