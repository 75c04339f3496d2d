"""Base class of all answers: a headline, named figures, tidy tables and notes, in every output format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from analyser.common.frames import ERROR_SUFFIXES, readable, styler, tidy
from analyser.common.text import aligned, csv_of_rows, fill, json_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from pandas.io.formats.style import Styler


class Block(NamedTuple):
    """A part of an answer as text: a heading, a table, and lines below it."""

    title: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()  # each row has a cell per column of the head; the first cell names the row
    align: str = "<"  # `<` or `>` for each column; the last also holds for later columns
    gap: str = "  "  # text between two columns
    minor: frozenset[str] = frozenset()  # names of rows that are left out if they are minor in all answers of the table
    left_out: str = ""  # note below the table if rows are left out
    shares_table: bool = False  # True: answers of several methods share one table, side by side
    lines: Sequence[str] = ()
    bold: frozenset[tuple[int, int]] = frozenset()  # row and column index of each cell that is bold on a page

    @property
    def text(self) -> str:
        """The block as text for a terminal."""
        rows = [self.head, *self.rows] if self.head and self.rows else self.rows
        table = aligned(rows, self.align, gap=self.gap) if rows else []
        return "\n".join([*([self.title] if self.title else []), *table, *self.lines])

    @property
    def html(self) -> str:
        """The block as HTML for a notebook."""
        title = f"<b>{escape(self.title)}</b>" if self.title else ""
        lines = f"<pre>{escape(chr(10).join(self.lines))}</pre>" if self.lines else ""
        return f"<div>{title}{html_table(self.head, self.rows, self.bold)}{lines}</div>"


class Answer(ABC):
    """Base class of answers. A subclass defines the abstract members; every output format follows from them.

    Attributes
    ----------
    schema : str
        Name and version of its JSON, such as ``analyser/duel/1``.
    """

    schema: ClassVar[str]

    @property
    @abstractmethod
    def headline(self) -> str:
        """The answer in one sentence, without intervals."""

    @abstractmethod
    def blocks(self) -> Iterable[Block]:
        """Return the parts of the answer as text."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the main table as plain dicts, one for each row."""

    def rows_with_profiles(self) -> list[dict[str, Any]]:
        """Return the main table as ``--format csv`` prints it: the last column names the profiles used, if any."""
        profiles = {"profiles": str(self.profiles or "")} if hasattr(self, "profiles") else {}
        return [row | profiles for row in self.rows()]

    @abstractmethod
    def _body(self) -> dict[str, Any]:
        """Return the entries of :meth:`as_dict` other than schema and headline."""

    def notes(self) -> list[str]:
        """Return the lines below the answer: rules, assumptions, warnings. By default: die, deck and profiles."""
        used = getattr(self, "profiles", None)
        return [] if used is None else used.notes()

    @property
    def summary(self) -> dict[str, Any]:
        """The main figures by name; a simulated figure also has its 95% interval, ``..._low`` and ``..._high``."""
        return {}

    @property
    def summaries(self) -> list[dict[str, Any]]:
        """Rows of main figures, for :func:`analyser.evaluate`: usually one, :attr:`summary`."""
        return [self.summary]

    def to_frame(self) -> pd.DataFrame:
        """Return the main table as a new tidy frame (:func:`analyser.common.frames.tidy`)."""
        return tidy(self.rows())

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """A tidy frame for each list of records in the JSON, by name; if there is none, the main table as `rows`."""
        lists = {name: value for name, value in self._body().items() if value and isinstance(value, list | tuple)}
        are_tables = {name: rows for name, rows in lists.items() if all(isinstance(row, Mapping) for row in rows)}
        return {name: tidy(rows) for name, rows in are_tables.items()} or {"rows": self.to_frame()}

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as plain data, as ``--format json`` prints it."""
        return {"schema": self.schema, "headline": self.headline} | self._body()

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the answer as JSON; NaN and infinity are null."""
        return json_text(self.as_dict(), indent=indent)

    def to_csv(self) -> str:
        """Return the main table as CSV."""
        return csv_of_rows(self.rows_with_profiles())

    def style(self) -> Styler:
        """Return the main table as a coloured pandas Styler, with a bar in each cell of a figure."""
        return styler(self.to_frame())

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Any:
        """Draw the answer, by default on new Axes; `label`, `color`, `title` and others as in :mod:`analyser.plots`.

        Unless a subclass overrides it, the picture shows :attr:`summary` as dots with intervals.
        """
        return _dots(self.summary, self.headline, ax=ax, **more)

    def __str__(self) -> str:
        """Return the text that the command line prints."""
        parts = [*(block.text for block in self.blocks()), "\n".join(self.notes())]
        return "\n\n".join(filter(None, parts)) + "\n"

    def __repr__(self) -> str:
        """Return the printed text, so that a shell shows it."""
        return str(self)

    def _repr_html_(self) -> str:
        return notebook_html(self.blocks(), self.notes())


class FramedAnswer(Answer):
    """An answer with its main table in the attribute `frame`; `profiles` are the profiles that it used."""

    frame: pd.DataFrame
    profiles: Any

    def to_frame(self) -> pd.DataFrame:
        """Return the main table as a tidy frame (:func:`analyser.common.frames.tidy`)."""
        return tidy(self.frame)

    def rows(self) -> list[dict[str, Any]]:
        """Return the main table as plain dicts."""
        return plain_rows(self.frame)


def source_notes(not_modelled: Iterable[str], assumptions: Iterable[str], profiles: Any = None) -> list[str]:
    """Return the notes at the end of many answers: rules left out, assumptions, and the profiles, if any.

    >>> source_notes(["Spotters"], [])
    ['Not modelled: Spotters.']
    """
    notes = [f"Not modelled: {', '.join(not_modelled) or 'none'}."]
    notes += dict.fromkeys(f"Assumption: {text}." for text in assumptions)
    return notes + ([] if profiles is None else [f"Profiles: {profiles}."])


def notebook_html(blocks: Iterable[Block], notes: Sequence[str]) -> str:
    """Return blocks as HTML for a notebook, with the notes folded below them."""
    folded = f'<div style="white-space: pre-line">{escape(chr(10).join(notes))}</div>'
    below = f"<details><summary>Rules and assumptions</summary>{folded}</details>" if notes else ""
    return f"<div>{''.join(block.html for block in blocks)}{below}</div>"


def html_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], bold: frozenset[tuple[int, int]] = frozenset()
) -> str:
    """Return rows of cells as an HTML table that scrolls sideways; an empty text if there are no rows."""
    if not rows:
        return ""
    lines = [("th", [*map(escape, head)])] if head else []
    for number, row in enumerate(rows):
        texts = [
            f"<b>{escape(text)}</b>" if (number, column) in bold else escape(text) for column, text in enumerate(row)
        ]
        lines.append(("td", texts))
    html = ""
    for tag, (first, *others) in lines:
        cells = "".join(f"<{tag}>{text}</{tag}>" for text in others)
        html += f'<tr><{tag} style="text-align:left">{first}</{tag}>{cells}</tr>'
    return f'<div style="overflow-x: auto"><table>{html}</table></div>'


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as plain dicts; missing cells become None, and tuples become lists."""
    table = frame.astype(object).where(frame.notna(), None)
    return [
        {str(name): list(cell) if isinstance(cell, tuple) else cell for name, cell in row.items()}
        for row in table.to_dict("records")
    ]


def _dots(
    figures: Mapping[str, Any],
    headline: str,
    *,
    ax: Axes | None = None,
    label: str | None = None,
    color: Any = "0.2",
    title: str | None = "auto",
    **artist: Any,
) -> Axes:
    """Draw figures as dots with intervals, the first on top; if some are probabilities, draw only these."""
    from analyser.common import look

    names = [name for name, value in figures.items() if isinstance(value, int | float)]
    numbers = {name: figures[name] for name in names if not name.endswith(ERROR_SUFFIXES)}
    probabilities = {name: value for name, value in numbers.items() if name.startswith("p_")}
    shown, scale = (probabilities, 100) if probabilities else (numbers, 1)
    heights = np.arange(len(shown))
    ends = [[figures.get(f"{name}_{end}", value) for name, value in shown.items()] for end in ("low", "high")]
    values = scale * np.array([*shown.values()], np.float64)
    distances = np.abs(scale * np.array(ends, np.float64) - values)
    more: dict[str, Any] = {"own_title": "\n".join(fill(headline)), "xlabel": look.PERCENT if probabilities else ""}
    more |= {"legend": int(label is not None), "grid": "x"}
    with look.drawing(ax, 5.0, 0.4 + 0.27 * len(shown), title=title, **more) as axes:
        style = {"fmt": "o", "color": color, "capsize": 3, "label": label, **artist}
        axes.errorbar(values, heights, xerr=distances, **style)
        names = [readable(name.removeprefix("p_" * (scale > 1)).replace("_", " ")) for name in shown]
        look.name_rows(axes, heights, names)
        axes.set_ylim(len(shown) - 0.4, -0.6)
    return axes
