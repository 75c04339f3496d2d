"""Tidy frames (one value per cell, texts as categoricals, names of units beside selectors), and coloured frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler


ERROR_SUFFIXES = ("_low", "_high", "_standard_error")  # suffixes of columns about the precision of another column
ORDERED_TEXTS = (("basic", "reinforced", "full-strength"), ("light", "heavy", "aerial"))
"""Texts that have an order: reinforcement levels, and target categories."""
SENTENCE_COLUMNS = (
    *("aim_title", "asked", "assumptions", "cannot", "doubt"),
    *("lean", "limits", "profiles", "said", "says", "why", "why_not"),
)
"""Columns of sentences, which are in CSV and JSON but not in frames."""
BAR_COLOUR, LOSS_COLOUR = "#dfe6ec", "#e8c9b5"  # colours of bars for figures above 0, and below 0
_SELECTOR = re.compile(r"\b[a-z0-9-]+/([a-z0-9-]+)@([a-z-]+)")


def readable(text: str) -> str:
    """Return a text with selectors of loadouts (units at a level) replaced by names, and ``->`` by an arrow.

    >>> readable("crown/rifle-platoon@basic -> imperium/krupp-field-guns@basic")
    'Rifle Platoon, basic → Krupp Field Guns, basic'
    """
    result = _SELECTOR.sub(lambda match: f"{match[1].replace('-', ' ').title()}, {match[2]}", text)
    return result.replace("->", "→")


def names_of(selectors: Sequence[str]) -> list[str]:
    """Return readable names of loadouts, without a level that all share; the selectors if two names would be equal.

    >>> names_of(["crown/rifle-platoon@basic", "crown/sharp-rifles@basic"])
    ['Rifle Platoon', 'Sharp Rifles']
    """
    result = [readable(selector) for selector in selectors]
    levels = {name.partition(", ")[2] for name, selector in zip(result, selectors) if name != selector}
    if len(levels) == 1 and not any("," in name.replace(f", {next(iter(levels))}", "", 1) for name in result):
        short = [name.partition(", ")[0] for name in result]
        result = short if len(set(short)) == len(short) else result
    return result if len(set(result)) == len(result) else list(selectors)


def tidy(data: pd.DataFrame | Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a new tidy frame from a frame, from columns by name, or from rows of plain data.

    - A mapping in a cell becomes several columns, and a list of words one text; a table in a cell is left out.
    - Texts are categoricals in order of appearance; levels and categories of units are ordered.
    - Flags are `bool`, or `boolean` if some are missing; numbers are `int64` or `float64`.
    - A column of loadouts is followed by a column ``..._name``, unless the frame already has names.
    - Columns of sentences are left out.

    >>> tidy([{"name": "Reds", "battles": {"score": 0.5}, "rules": ["Aim", "Hunter"]}]).to_dict("records")
    [{'name': 'Reds', 'battles_score': 0.5, 'rules': 'Aim, Hunter'}]
    >>> tidy({"level": ["reinforced", "basic"], "why_not": "it is far"})["level"].cat.categories.tolist()
    ['basic', 'reinforced', 'full-strength']
    """
    import pandas as pd

    if not isinstance(data, pd.DataFrame):
        data = pd.DataFrame(data if isinstance(data, Mapping) else [dict(_cells(row)) for row in data])
    frame = data.drop(columns=[name for name in data if name in SENTENCE_COLUMNS])
    for index, name in reversed(list(enumerate(frame.columns))):
        column = _with_tidy_type(frame[name])
        frame[name] = column
        if _has_selectors(column) and not _has_names(str(name), frame):
            names = {value: readable(value) for value in column.cat.categories}
            frame.insert(index + 1, f"{name}_name", _with_tidy_type(column.astype(object).map(names)))
    return frame


def _with_tidy_type(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column with the type that :func:`tidy` promises."""
    import pandas as pd

    present = column.dropna()
    if column.dtype == object and present.map(lambda cell: isinstance(cell, bool)).all():
        return column.astype("boolean" if len(present) else "float64")
    if not pd.api.types.is_string_dtype(present):
        return column.infer_objects()
    values = list(dict.fromkeys(present))
    order = next((order for order in ORDERED_TEXTS if values and set(values) <= set(order)), None)
    return column.astype(pd.CategoricalDtype(list(order or values), ordered=order is not None))


def _has_selectors(column: pd.Series[Any]) -> bool:
    """Return True for a column of selectors of loadouts."""
    values = column.cat.categories if column.dtype == "category" else ()
    return len(values) > 0 and all(_SELECTOR.fullmatch(str(value)) for value in values)


def _has_names(name: str, frame: pd.DataFrame) -> bool:
    """Return True if a frame has a column with the names of the loadouts in column `name`."""
    columns = {f"{name}_name", f"{name}_unit"} | ({"unit", "name"} - {name} if name in ("loadout", "unit") else set())
    return not columns.isdisjoint(frame.columns)


def _cells(row: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, cell in row.items():
        if isinstance(cell, Mapping):
            yield from _cells(cell, f"{prefix}{name}_")
        elif not isinstance(cell, list | tuple):
            yield f"{prefix}{name}", cell
        elif not any(isinstance(entry, Mapping | list | tuple) for entry in cell):
            yield f"{prefix}{name}", ", ".join(map(str, cell))


def styler(frame: pd.DataFrame, figures: Sequence[Any] | None = None, percent: Sequence[Any] | None = None) -> Styler:
    """Return a coloured pandas Styler: a bar in each cell of a figure, selectors hidden if there are names.

    Parameters
    ----------
    frame : DataFrame
    figures : sequence, optional
        Columns with bars. Default: all `float64` columns except ends of intervals and standard errors.
    percent : sequence, optional
        Columns in percent. Default: `float64` columns whose names begin with ``probability`` or ``p_``.
    """
    numbers = [name for name in frame if frame[name].dtype == "float64"]
    if percent is None:
        percent = [name for name in numbers if str(name).startswith(("p_", "probability"))]
    if figures is None:
        figures = [name for name in numbers if not str(name).endswith(ERROR_SUFFIXES) and name not in ("low", "high")]
    hidden = [name for name in frame if _has_selectors(frame[name]) and _has_names(str(name), frame)]
    style = frame.style.format("{:.2f}", subset=[name for name in numbers if name not in percent], na_rep="")
    style = style.format("{:.1%}", subset=list(percent), na_rep="").hide(hidden, axis="columns")
    uuid = f"{crc32(frame.to_csv().encode()):x}"  # equal in every run, so that stored notebooks do not change
    style = style.format_index(heading_of, axis="columns").set_uuid(uuid)
    for name in figures:
        least, most = min(0.0, frame[name].min()), 1.0 if name in percent else max(0.0, frame[name].max())
        if least < most:
            style = style.bar(subset=[name], color=(LOSS_COLOUR, BAR_COLOUR), align="mid", vmin=least, vmax=most)
    has_plain_index = frame.index.equals(type(frame.index)(range(len(frame))))
    return style.hide(axis="index") if has_plain_index else style


def heading_of(name: Any) -> str:
    """Return the heading of a column: its name in words.

    >>> heading_of("p_broken"), heading_of("attacker_name")
    ('P(broken)', 'attacker')
    """
    text = str(name).removesuffix("_name").removesuffix("_unit").replace("_", " ")
    return f"P({text[2:]})" if text.startswith("p ") else text


def name_indices(column: pd.Series[Any], names: Sequence[str]) -> NDArray[np.int64]:
    """Return for each entry of a column its index in the distinct `names`; -1 if it is not there.

    >>> import pandas as pd
    >>> name_indices(pd.Series(["oak", "elm", None, "oak"]), ["ash", "oak"]).tolist()
    [1, -1, -1, 1]
    """
    import pandas as pd

    codes, distinct = pd.factorize(column)
    index_of = {name: index for index, name in enumerate(names)}
    return np.array([*(index_of.get(name, -1) for name in distinct.tolist()), -1], np.int64)[codes]
