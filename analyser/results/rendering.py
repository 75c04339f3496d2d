"""Text, JSON, tables and HTML of all kinds of results."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from analyser.common.answer import Block
from analyser.common.estimates import estimate_in
from analyser.common.intervals import MIN_FOR_WILSON
from analyser.common.means import mean_in, mean_text
from analyser.common.text import NEGLIGIBLE, csv_of_rows, head_and_cells, json_text, shown_range

if TYPE_CHECKING:
    from analyser.results.base import Result

_WIDEST_LIST = 120  # characters; a longer list has a line per entry
_THIN = "Intervals of means that rest on few trials: Gaffke's, which allow for values that were not simulated."
_RARE = (
    "Intervals: Wilson's; Blaker's for events that occurred, or failed to occur, in fewer than "
    f"{MIN_FOR_WILSON} trials."
)
NOT_SHOWN = f"Not shown: at each end, values with a total probability below {100 * NEGLIGIBLE:.2f}%."
_DIFFERENT_CARDS = (
    "The two methods may differ by more than chance, because they draw cards differently. With --replacement both put "
    "cards back."
)

BOTH_METHODS = "analyser/both/1"  # JSON schema of the results of both methods


def distribution_block(rows: Sequence[dict[str, Any]], title: str, head: str = "value") -> Block:
    """Return the distribution of a figure as a table, without negligible ends."""
    first, last = shown_range([row["probability"] for row in rows], [row["at_least"] for row in rows])
    minor = frozenset(str(row["value"]) for index, row in enumerate(rows) if not first <= index <= last)
    cells = []
    for row in rows:  # P(at least 0) is 1
        more = "100%" if row["value"] == 0 else str(estimate_in(row, "at_least"))
        cells.append([str(row["value"]), str(estimate_in(row, "probability")), more])
    return Block(title, (head, "probability", "at least"), cells, ">", " | ", minor, NOT_SHOWN, shares_table=True)


def figure_text(figures: Mapping[str, Any], name: str) -> str:
    """Return a figure as text, with its interval if there is one; empty if it is missing, "unknown rating" for None."""
    if name not in figures:
        return ""
    if figures[name] is None:
        return "unknown rating"
    if name.startswith(("mean_", "expected_")):
        return mean_text(mean_in(figures, name))
    return str(estimate_in(figures, name) if name.startswith("p_") else figures[name])


def figure_rows(figures: Mapping[str, Any], labels: Mapping[str, str], sides: Sequence[str] = ("",)) -> list[list[str]]:
    """Return a row for each label that has a figure: a cell for each of `sides`, which replaces ``{}`` in the name.

    >>> figure_rows({"p_a_alive": 0.5, "p_b_alive": 1.0}, {"p_{}_alive": "P(alive)"}, ("a", "b"))
    [['P(alive)', '50.00%', '100%']]
    """
    rows = [[label, *(figure_text(figures, name.format(side)) for side in sides)] for name, label in labels.items()]
    return [row for row in rows if any(row[1:])]


def text(results: Sequence[Result]) -> str:
    """Return the results of one question, by one method or several, as text for a terminal."""
    parts = [*(block.text for block in blocks_of(results)), *map("\n".join, notes(results))]
    return "\n\n".join(filter(None, parts)) + "\n"


def blocks_of(results: Sequence[Result]) -> list[Block]:
    """Return the question and its results by one method or several, as blocks."""
    return [Block(rows=[*results[0].heading(), ("Method", method_line(results))]), *_blocks_of_results(results)]


def notes(results: Sequence[Result]) -> list[list[str]]:
    """Return the lines below results, in groups: rules, sources, assumptions, intervals and warnings."""
    first, warnings = results[0], dict.fromkeys(chain.from_iterable(result.warnings for result in results))
    assumptions = []
    for assumption in dict.fromkeys(chain.from_iterable(result.assumptions for result in results)):
        methods = [method_name(result) for result in results if assumption in result.assumptions]
        assumptions.append(f"Assumption{'' if len(methods) == len(results) else f' ({methods[0]})'}: {assumption}")
    return [
        _list_lines("Rules applied", first.rules_applied, ", ") or ["Rules applied: none"],
        _list_lines("Not used", first.not_used, "; "),
        _list_lines("Not modelled", first.not_modelled, ", ") or ["Not modelled: none"],
        [] if first.profiles is None else [f"Profiles: {first.profiles}"],
        assumptions,
        *([line] for line in interval_notes(results)),
        [_DIFFERENT_CARDS] if len({result.assumptions for result in results}) > 1 else [],
        [f"Warning: {warning}" for warning in warnings],
    ]


def interval_notes(results: Sequence[Result]) -> list[str]:
    """Return the notes on the intervals of simulated results."""
    if all(result.exact for result in results):
        return []
    return [_RARE, *([_THIN] if any(result.thin_means for result in results) else [])]


def _blocks_of_results(results: Sequence[Result]) -> Iterator[Block]:
    """Yield the blocks of all results; blocks that share a table are joined into one."""
    by_result = [[*result.blocks()] for result in results]
    for blocks in zip(*by_result):
        if blocks[0].shares_table:
            yield _join_blocks(blocks, results, named=True)
    for result, own_blocks in zip(results, by_result):
        for block in own_blocks:
            if not block.shares_table:
                yield _join_blocks([block], [result], named=len(results) > 1)


def _join_blocks(blocks: Sequence[Block], results: Sequence[Result], *, named: bool) -> Block:
    """Return several blocks as one, with the methods above the columns and, if `named`, in the title."""
    first, methods = blocks[0], [method_name(result) for result in results]
    if first.title and named:
        first = first._replace(title=f"{first.title} ({' and '.join(methods)})")
    if not first.rows:
        return first
    shown = [row for row in first.rows if any(row[0] not in block.minor for block in blocks)]
    others = [{row[0]: row[1:] for row in block.rows} for block in blocks[1:]]  # joined blocks have unique row names
    blank = [""] * (len(first.rows[0]) - 1)
    rows = [[*row, *chain.from_iterable(other.get(row[0], blank) for other in others)] for row in shown]
    head = first.head
    if len(blocks) > 1 and head:
        head = [head[0], *(f"{column} {method}" for method in methods for column in head[1:])]
    elif len(blocks) > 1:
        head = ["", *chain.from_iterable([method, *blank[1:]] for method in methods)]
    left_out = [first.left_out] if first.left_out and len(shown) < len(first.rows) else []
    return first._replace(head=head, rows=rows, lines=[*left_out, *first.lines])


def _list_lines(label: str, entries: Sequence[str], separator: str) -> list[str]:
    """Return a list in one line or, if it is long, in one line per entry."""
    line = f"{label}: {separator.join(entries)}"
    if len(line) <= _WIDEST_LIST:
        return [line] if entries else []
    return [label, *(f"- {entry}" for entry in entries)]


def rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return the main table, one dict per row, with the profiles that it uses.

    The rows of several methods follow each other, and a column `method` tells them apart.
    """
    return [
        {"method": result.method} | row if len(results) > 1 and "method" not in row else row
        for result in results
        for row in result.rows_with_profiles()
    ]


def record(results: Sequence[Result]) -> dict[str, Any]:
    """Return the result as plain data; for both methods, one key per method."""
    if len(results) == 1:
        return results[0].as_dict()
    return {
        "schema": BOTH_METHODS,
        "method": "both",
        **{result.method.replace("-", "_"): result.as_dict() for result in results},
    }


class Renderings(NamedTuple):
    """Lazily computed parts of a result for the output formats."""

    text: Callable[[], str]
    record: Callable[[], Any]  # plain data, for JSON
    rows: Callable[[], Sequence[Mapping[str, Any]]]  # the main table


def _parquet(answer: Renderings) -> bytes:
    """Return the main table as a Parquet file; a column of mixed types becomes text."""
    import pyarrow
    from pyarrow.parquet import write_table

    head, lines = head_and_cells(answer.rows())
    columns = {}
    for name, cells in zip(head, zip(*lines)):
        try:
            columns[name] = pyarrow.array(cells)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
            columns[name] = pyarrow.array([None if cell is None else str(cell) for cell in cells])
    buffer = io.BytesIO()
    write_table(pyarrow.table(columns), buffer)
    return buffer.getvalue()


FORMATS: Mapping[str, Callable[[Renderings], str | bytes]] = {
    "text": lambda answer: answer.text(),
    "json": lambda answer: json_text(answer.record(), indent=2) + "\n",
    "csv": lambda answer: csv_of_rows(answer.rows()),
    "parquet": _parquet,
}
TABLE_FORMATS = ("csv", "parquet")  # formats that contain no warnings


def method_name(result: Result) -> str:
    """Return the name of the method for a heading."""
    return "exact" if result.exact else "Monte Carlo"


def method_line(results: Sequence[Result]) -> str:
    """Return the method of each result, in one line."""
    line = "Monte Carlo, {0.trials:,} trials, seed {0.seed}, intervals at 95%{1}"
    return "; ".join("exact" if result.exact else line.format(result, result.stopping or "") for result in results)
