"""Frames with text as categoricals and without prose; and frames in colours, for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd

from analyser.game.units import LevelName
from analyser.plots.look import LIGHT, SCALE
from analyser.plots.metrics import metric_called

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

PROSE = ("why_not", "cannot")


def with_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a copy without columns of prose, its text as categoricals: levels in their order, others as they come.

    >>> frame = with_categories(pd.DataFrame({"level": ["reinforced", "basic"], "why_not": "it is far"}))
    >>> frame["level"].cat.categories.tolist()
    ['basic', 'reinforced', 'full-strength']
    """
    kept = frame.drop(columns=[name for name in PROSE if name in frame])
    flags = [name for name in kept if kept[name].dtype == object and set(kept[name].dropna()) <= {True, False}]
    kept = kept.astype(dict.fromkeys(flags, "boolean"))
    texts = [name for name in kept if pd.api.types.is_string_dtype(kept[name].dropna())]
    return kept.assign(**{str(name): _categories(kept[name], str(name)) for name in texts})


def _categories(column: pd.Series[Any], name: str) -> pd.Series[Any]:
    """The column as a categorical."""
    seen = list(column.dropna().unique())
    levels = list(get_args(LevelName))
    is_level = name.endswith("level") and set(seen) <= set(levels)
    return column.astype(pd.CategoricalDtype(levels if is_level else seen, ordered=is_level))


def styled(frame: pd.DataFrame, figures: Sequence[str], *, bars: bool) -> Styler:
    """Return a table in colours: a bar in each cell of a figure, or one scale of colours for all cells."""
    one = metric_called(figures[0]) if len(figures) == 1 else None
    columns: list[Any] = list(frame.columns) if one else list(figures)
    style = frame.style.format("{:.2f}", subset=columns, na_rep="")
    percent: list[Any] = [name for name in figures if metric_called(name).is_probability]
    if one and percent:
        percent = columns
    if percent:
        style = style.format("{:.1%}", subset=percent, na_rep="")
    if bars:
        return style.bar(subset=columns, color=LIGHT, vmin=0)
    return style.background_gradient(cmap=SCALE, axis=None, subset=columns).highlight_null(color="white")
