"""The base of every answer of the program: a headline, named figures, tidy tables and notes, in every format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from analyser.common.frames import ENDS, readable, styled, tidy
from analyser.common.text import aligned, csv_of_rows, fill, json_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from pandas.io.formats.style import Styler


class Block(NamedTuple):
    """A part of an answer as text: a heading, a table, lines below it."""

    title: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()  # all as long as the head; the first cell of a row is its name
    align: str = "<"  # `<` or `>` for each column, the last for all that follow
    gap: str = "  "  # between two columns
    minor: frozenset[str] = frozenset()  # names of rows left out, unless an answer beside this one needs them
    left_out: str = ""  # what stands below the table where rows are left out
    beside: bool = False  # whether the answers of several methods stand in one table, side by side
    lines: Sequence[str] = ()
    bold: frozenset[tuple[int, int]] = frozenset()  # row and column of cells that a page shows in bold

    @property
    def text(self) -> str:
        """The block as lines of a terminal."""
        rows = [self.head, *self.rows] if self.head and self.rows else self.rows
        table = aligned(rows, self.align, gap=self.gap) if rows else []
        return "\n".join([*([self.title] if self.title else []), *table, *self.lines])

    @property
    def html(self) -> str:
        """The block as a notebook shows it."""
        title = f"<b>{escape(self.title)}</b>" if self.title else ""
        lines = f"<pre>{escape(chr(10).join(self.lines))}</pre>" if self.lines else ""
        return f"<div>{title}{html_table(self.head, self.rows, self.bold)}{lines}</div>"


class Answer(ABC):
    """An answer. A subclass gives the abstract members; every format follows from them.

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
        """The answer as text, block by block."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The main table as plain dicts, a row each: what ``--format csv`` prints."""

    @abstractmethod
    def _body(self) -> dict[str, Any]:
        """The entries that :meth:`as_dict` has besides schema and headline."""

    def notes(self) -> list[str]:
        """The lines below the answer: rules, assumptions, warnings, profiles; by default die, deck and profiles."""
        used = getattr(self, "profiles", None)
        return [] if used is None else used.notes()

    @property
    def summary(self) -> dict[str, Any]:
        """The main figures by name; beside a simulated one ``..._low`` and ``..._high``, its 95% interval."""
        return {}

    def to_frame(self) -> pd.DataFrame:
        """The main table as a tidy frame that is the caller's own (:func:`analyser.common.frames.tidy`)."""
        return tidy(self.rows())

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table of the answer as a tidy frame, by the name that it has in the JSON."""
        result = {name: tidy(rows) for name, rows in self._body().items() if _is_table(rows)}
        return result or {"rows": self.to_frame()}

    def as_dict(self) -> dict[str, Any]:
        """The answer as plain data: what ``--format json`` prints."""
        return {"schema": self.schema, "headline": self.headline} | self._body()

    def to_json(self, *, indent: int | None = 2) -> str:
        """The answer as JSON; numbers that do not exist are null."""
        return json_text(self.as_dict(), indent=indent)

    def to_csv(self) -> str:
        """The main table as CSV."""
        return csv_of_rows(self.rows())

    def style(self) -> Styler:
        """Return the main table in colours (a pandas Styler): a bar in each cell of a figure."""
        return styled(self.to_frame())

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Any:
        """Draw the answer, by default on new Axes; `label`, `color`, `title` and others as of :mod:`analyser.plots`.

        Unless an answer has a picture of its own, it is that of :attr:`summary`: dots with their intervals.
        """
        return _dots(self.summary, self.headline, ax=ax, **more)

    def __str__(self) -> str:
        """Return the text that the command line prints."""
        parts = [*(block.text for block in self.blocks()), "\n".join(self.notes())]
        return "\n\n".join(filter(None, parts)) + "\n"

    def __repr__(self) -> str:
        """Return the same text: a shell shows what is printed."""
        return str(self)

    def _repr_html_(self) -> str:
        return page_of(self.blocks(), self.notes())


class FramedAnswer(Answer):
    """An answer whose main table is its attribute `frame`, and which names the `profiles` that it used."""

    frame: pd.DataFrame
    profiles: Any

    def to_frame(self) -> pd.DataFrame:
        """The main table as a tidy frame (:func:`analyser.common.frames.tidy`)."""
        return tidy(self.frame)

    def rows(self) -> list[dict[str, Any]]:
        """The main table as plain dicts, with the profiles, if any, as its last column."""
        used = {} if self.profiles is None else {"profiles": str(self.profiles)}
        return plain_rows(self.frame.assign(**used))


def source_notes(not_modelled: Iterable[str], assumptions: Iterable[str], profiles: Any = None) -> list[str]:
    """Return the notes that many answers end with: rules left out, assumptions, and the profiles, if any.

    >>> source_notes(["Spotters"], [])
    ['Not modelled: Spotters.']
    """
    notes = [f"Not modelled: {', '.join(not_modelled) or 'none'}."]
    notes += dict.fromkeys(f"Assumption: {text}." for text in assumptions)
    return notes + ([] if profiles is None else [f"Profiles: {profiles}."])


def page_of(blocks: Iterable[Block], notes: Sequence[str]) -> str:
    """Blocks as a notebook shows them, the notes folded away below."""
    folded = f'<div style="white-space: pre-line">{escape(chr(10).join(notes))}</div>'
    below = f"<details><summary>Rules and assumptions</summary>{folded}</details>" if notes else ""
    return f"<div>{''.join(block.html for block in blocks)}{below}</div>"


def html_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], bold: frozenset[tuple[int, int]] = frozenset()
) -> str:
    """Cells as a table of HTML that is never cut off at the side; nothing without rows."""

    def line(cells: Iterable[str], tag: str) -> str:
        left, *others = (f">{cell}</{tag}>" for cell in cells)
        return f'<tr><{tag} style="text-align:left"{left}{"".join(f"<{tag}{cell}" for cell in others)}</tr>'

    def cells(row: int) -> Iterable[str]:
        texts = map(escape, rows[row])
        return (f"<b>{text}</b>" if (row, column) in bold else text for column, text in enumerate(texts))

    if not rows:
        return ""
    body = "".join(line(cells(row), "td") for row in range(len(rows)))
    table = f"<table>{line(map(escape, head), 'th') if head else ''}{body}</table>"
    return f'<div style="overflow-x: auto">{table}</div>'


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as plain data, None where there is nothing."""
    table = frame.astype(object).where(frame.notna(), None)
    return [
        {str(name): list(cell) if isinstance(cell, tuple) else cell for name, cell in row.items()}
        for row in table.to_dict("records")
    ]


def _is_table(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(item, Mapping) for item in value)


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
    """Draw named figures as dots, the first on top, with their intervals: the probabilities, if there are any."""
    from analyser.common import look

    numbers = {name: value for name, value in figures.items() if isinstance(value, int | float)}
    numbers = {name: value for name, value in numbers.items() if not name.endswith(ENDS)}
    chances = {name: value for name, value in numbers.items() if name.startswith("p_")}
    shown, scale = (chances, 100) if chances else (numbers, 1)
    places = np.arange(len(shown))
    ends = [[figures.get(f"{name}_{end}", value) for name, value in shown.items()] for end in ("low", "high")]
    values = scale * np.array([*shown.values()], np.float64)
    reach = np.abs(scale * np.array(ends, np.float64) - values)
    more: dict[str, Any] = {"own": "\n".join(fill(headline)), "xlabel": look.PERCENT if chances else ""}
    more |= {"legend": int(label is not None), "grid": "x"}
    with look.drawing(ax, 5.0, 0.4 + 0.27 * len(shown), title=title, **more) as axes:
        style: dict[str, Any] = {"fmt": "o", "color": color, "capsize": 3, "label": label}
        axes.errorbar(values, places, xerr=reach, **{**style, **artist})
        names = [readable(name.removeprefix("p_" * (scale > 1)).replace("_", " ")) for name in shown]
        look.name_rows(axes, places, names)
        axes.set_ylim(len(shown) - 0.4, -0.6)
    return axes
