"""Answers as text for a terminal, as JSON, as a table: pure functions that know no kind of answer."""

from __future__ import annotations

import io
import json as json_library
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from analyser.common.text import aligned, csv_text
from analyser.results.base import Block, Result, method_line, method_name

_WIDEST_LIST = 120  # characters; a longer list has a line for each entry
_DIFFERENT_CARDS = (
    "The two methods may differ by more than chance, because they draw cards differently; with --replacement they draw "
    "alike."
)


def text(results: Sequence[Result]) -> str:
    """The answer to one question, by one method or by several, for a terminal."""
    first = results[0]
    parts = [aligned([*first.heading(), ("Method", method_line(results))], "<")]
    of_each = [result.blocks() for result in results]
    parts += [_table(blocks, results) for blocks in zip(*of_each) if blocks[0].beside]
    for result, blocks in zip(results, of_each):
        parts += [_table([block], [result], len(results) > 1) for block in blocks if not block.beside]
    parts.append(_listed("Rules applied", first.rules_applied, ", ") or ["Rules applied: none"])
    parts.append(_listed("Not used", first.not_used, "; "))
    parts.append(_listed("Not modelled", first.not_modelled, ", ") or ["Not modelled: none"])
    parts.append([] if first.profiles is None else [f"Profiles: {first.profiles}"])
    parts.append(_assumptions(results))
    parts.append([_DIFFERENT_CARDS] if len({result.assumptions for result in results}) > 1 else [])
    parts.append([f"Warning: {warning}" for warning in dict.fromkeys(_all(result.warnings for result in results))])
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _table(blocks: Sequence[Block], results: Sequence[Result], several: bool = False) -> list[str]:
    """The lines of one block, or of the same block of several answers side by side."""
    first = blocks[0]
    methods = [method_name(result) for result in results]
    named = first.title and (several or first.beside)
    lines = [f"{first.title} ({' and '.join(methods)})" if named else first.title] if first.title else []
    if first.rows:
        shown = [row[0] for row in first.rows if any(row[0] not in block.minor for block in blocks)]
        cells = [{row[0]: row[1:] for row in block.rows} for block in blocks]
        blank = [""] * (len(first.rows[0]) - 1)
        rows = [[label, *_all(each.get(label, blank) for each in cells)] for label in shown]
        if len(blocks) == 1:
            rows = [list(first.head), *rows] if first.head else rows
        elif first.head:
            rows.insert(0, [first.head[0], *(f"{what} {method}" for method in methods for what in first.head[1:])])
        else:
            rows.insert(0, ["", *_all([method, *blank[1:]] for method in methods)])
        lines += aligned(rows, first.align, gap=first.gap)
        lines += [first.left_out] if first.left_out and len(shown) < len(first.rows) else []
    return [*lines, *first.lines]


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
