"""Answers as text for a terminal, as JSON, as a table: pure functions that know no kind of answer."""

from __future__ import annotations

import io
import json as json_library
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from analyser.common.text import aligned, csv_text

if TYPE_CHECKING:
    from analyser.results.base import Result

_WIDEST_LIST = 120  # characters; a longer list has a line for each entry
_DIFFERENT_CARDS = (
    "The two methods may differ by more than chance, because they draw cards differently; with --replacement they draw "
    "alike."
)


class Block(NamedTuple):
    """A part of an answer as text: a heading, a table, a line.

    Attributes
    ----------
    title : str
    head : sequence of str
    rows : sequence of rows of cells
        All as long as the head; the first cell of a row is its name.
    align : str
        `<` or `>` for each column, the last for all that follow.
    gap : str
        Between two columns.
    minor : frozenset of str
        Rows, by their first cell, that are left out unless another answer beside this one has something to say there.
    left_out : str
        What is said below the table where rows are left out.
    beside : bool
        Whether the answers of several methods stand in one table, side by side.
    lines : sequence of str
        Below the table.
    """

    title: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    align: str = "<"
    gap: str = "  "
    minor: frozenset[str] = frozenset()
    left_out: str = ""
    beside: bool = False
    lines: Sequence[str] = ()


def text(results: Sequence[Result]) -> str:
    """The answer to one question, by one method or by several, for a terminal."""
    parts = [aligned([*results[0].heading(), ("Method", method_line(results))], "<")]
    parts += [_as_lines(block, table) for block, table in _tables(results)]
    parts += _notes(results)
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _notes(results: Sequence[Result]) -> list[list[str]]:
    """What the answer rests on, list by list."""
    first = results[0]
    return [
        _listed("Rules applied", first.rules_applied, ", ") or ["Rules applied: none"],
        _listed("Not used", first.not_used, "; "),
        _listed("Not modelled", first.not_modelled, ", ") or ["Not modelled: none"],
        [] if first.profiles is None else [f"Profiles: {first.profiles}"],
        _assumptions(results),
        [_DIFFERENT_CARDS] if len({result.assumptions for result in results}) > 1 else [],
        [f"Warning: {warning}" for warning in dict.fromkeys(_all(result.warnings for result in results))],
    ]


class _Table(NamedTuple):
    """A block, or the same block of several answers side by side, as cells."""

    title: str
    head: list[str]
    rows: list[list[str]]
    lines: list[str]


def _tables(results: Sequence[Result]) -> Iterator[tuple[Block, _Table]]:
    of_each = [result.blocks() for result in results]
    for same in zip(*of_each):
        if same[0].beside:
            yield same[0], _joined(same, results, named=True)
    for result, blocks in zip(results, of_each):
        for block in blocks:
            if not block.beside:
                yield block, _joined([block], [result], named=len(results) > 1)


def _joined(blocks: Sequence[Block], results: Sequence[Result], *, named: bool) -> _Table:
    first, methods = blocks[0], [method_name(result) for result in results]
    title = f"{first.title} ({' and '.join(methods)})" if first.title and named else first.title
    if not first.rows:
        return _Table(title, [], [], list(first.lines))
    shown = [row[0] for row in first.rows if any(row[0] not in block.minor for block in blocks)]
    cells = [{row[0]: row[1:] for row in block.rows} for block in blocks]
    blank = [""] * (len(first.rows[0]) - 1)
    rows = [[label, *_all(each.get(label, blank) for each in cells)] for label in shown]
    head = list(first.head)
    if len(blocks) > 1 and head:
        head = [head[0], *(f"{what} {method}" for method in methods for what in head[1:])]
    elif len(blocks) > 1:
        head = ["", *_all([method, *blank[1:]] for method in methods)]
    left_out = [first.left_out] if first.left_out and len(shown) < len(first.rows) else []
    return _Table(title, head, rows, [*left_out, *first.lines])


def _as_lines(block: Block, table: _Table) -> list[str]:
    rows = [table.head, *table.rows] if table.head else table.rows
    lines = aligned(rows, block.align, gap=block.gap) if rows else []
    return [*([table.title] if table.title else []), *lines, *table.lines]


def html(results: Sequence[Result]) -> str:
    """The answer as a notebook shows it: compact tables, notes folded away."""
    parts = [_html_table([], [*results[0].heading(), ("Method", method_line(results))])]
    for _, table in _tables(results):
        title = f"<b>{escape(table.title)}</b>" if table.title else ""
        lines = f"<pre>{escape(chr(10).join(table.lines))}</pre>" if table.lines else ""
        parts.append(f"<div>{title}{_html_table(table.head, table.rows)}{lines}</div>")
    notes = "".join(f"<div>{escape(line)}</div>" for part in _notes(results) for line in part)
    return f"<div>{''.join(parts)}<details><summary>Rules and assumptions</summary>{notes}</details></div>"


def _html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        style = [' style="text-align:left"', *[""] * (len(cells) - 1)]
        return f"<tr>{''.join(f'<{tag}{how}>{escape(cell)}</{tag}>' for how, cell in zip(style, cells))}</tr>"

    if not rows:
        return ""
    return f"<table>{line(head, 'th') if head else ''}{''.join(line(row, 'td') for row in rows)}</table>"


def _all(lists: Iterable[Iterable[str]]) -> list[str]:
    return [each for some in lists for each in some]


def _listed(label: str, entries: Sequence[str], separator: str) -> list[str]:
    """A list in one line, or in as many as it has entries."""
    line = f"{label}: {separator.join(entries)}"
    if len(line) <= _WIDEST_LIST:
        return [line] if entries else []
    return [label, *(f"- {entry}" for entry in entries)]


def _assumptions(results: Sequence[Result]) -> list[str]:
    """What was taken for granted, with the method where it is not all of them that did."""
    lines = []
    for each in dict.fromkeys(_all(result.assumptions for result in results)):
        by = [result for result in results if each in result.assumptions]
        title = "" if len(by) == len(results) else f" ({method_name(by[0])})"
        lines.append(f"Taken for granted{title}: {each}")
    return lines


def rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The main table, one dict a row, and which profiles it comes from.

    Of several methods one below the other, told apart by a column `method`.
    """
    several = len(results) > 1
    return [
        ({"method": result.method} | row if several and "method" not in row else row)
        | {"profiles": "" if result.profiles is None else str(result.profiles)}
        for result in results
        for row in result.rows()
    ]


def record(results: Sequence[Result]) -> dict[str, Any]:
    """The answer as plain data; of both methods, one beside the other."""
    if len(results) == 1:
        return results[0].as_dict()
    return {"method": "both", **{result.method.replace("-", "_"): result.as_dict() for result in results}}


class Shown(NamedTuple):
    """Any answer as a format takes it; each part is made when it is asked for.

    Attributes
    ----------
    text : callable
        For a terminal.
    record : callable
        Plain data, for JSON.
    rows : callable
        The main table, a mapping a row.
    """

    text: Callable[[], str]
    record: Callable[[], Any]
    rows: Callable[[], Sequence[Mapping[str, Any]]]


def shown(results: Sequence[Result]) -> Shown:
    """The answer to one question, by one method or by several."""
    return Shown(lambda: text(results), lambda: record(results), lambda: rows(results))


def json(answer: Shown) -> str:
    """As JSON; NaN and infinity are no JSON, and no answer has them."""
    return json_library.dumps(answer.record(), indent=2, allow_nan=False) + "\n"


def csv(answer: Shown) -> str:
    """The main table as CSV."""
    head, lines = _columns(answer.rows())
    return csv_text(head, (["" if cell is None else cell for cell in line] for line in lines))


def parquet(answer: Shown) -> bytes:
    """The main table as a Parquet file; a column of several types is text."""
    import pyarrow
    from pyarrow.parquet import write_table

    head, lines = _columns(answer.rows())
    columns = {}
    for name, cells in zip(head, zip(*lines)):
        try:
            columns[name] = pyarrow.array(cells)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
            columns[name] = pyarrow.array([None if cell is None else str(cell) for cell in cells])
    buffer = io.BytesIO()
    write_table(pyarrow.table(columns), buffer)
    return buffer.getvalue()


def _columns(table: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    """The names of all columns, that of the profiles last, and the cells of each row, None where it has none."""
    names = dict.fromkeys(name for row in table for name in row)
    head = sorted(names, key=lambda name: name == "profiles")
    return head, [[row.get(name) for name in head] for row in table]


FORMATS: Mapping[str, Callable[[Shown], str | bytes]] = {
    "text": lambda answer: answer.text(),
    "json": json,
    "csv": csv,
    "parquet": parquet,
}


def method_name(result: Result) -> str:
    """The method as a heading says it."""
    return "exact" if result.exact else "Monte Carlo"


def method_line(results: Sequence[Result]) -> str:
    """How one answer, or one by each method, was worked out."""
    lines = []
    for result in results:
        sample = f", {result.trials:,} trials, seed {result.seed}, intervals at 95%" if result.trials else ""
        lines.append(f"{method_name(result)}{sample}")
    return "; ".join(lines)
