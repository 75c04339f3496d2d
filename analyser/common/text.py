"""Numbers and tables as text for a terminal, as CSV, JSON or Markdown."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from analyser.common.errors import python_value
from analyser.common.estimates import CERTAIN_WITHIN, Estimate

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 80  # characters of a line
NARROWEST = 12  # least characters of a wrapped column
SHORT_ENOUGH = 16  # a distribution of this many rows or fewer is never shortened
NEGLIGIBLE = 1e-4  # greatest probability that a longer table may omit at either end

_ALMOST_NEVER = 0.01
_RARE = {Fraction(1, number) for number in (6, 8, 12, 15, 25, *range(20, 101, 10))}
_FAMILIAR = {Fraction(part, whole) for whole in (2, 3, 4, 5, 10) for part in range(1, whole)}
_FAMILIAR |= _RARE | {1 - rare for rare in _RARE}
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"-|[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?%?", re.IGNORECASE | re.ASCII)
_BACKTICKS = re.compile("`+")
_MARKUP = re.compile(r"[\\`*_\[\]<>|~&$]")
_RATING_REASONS = {
    "stated": "as stated",
    "rule": "by its rule",
    "no sight": "Indirect, without sight",
    "spotter": "Indirect, by a spotter",
}


def aligned(rows: Sequence[Sequence[str]], sides: str, *, gap: str = "  ") -> list[str]:
    """Return rows of equal length as lines; `sides` has `<` or `>` for each column, the last also for later columns."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    sides = sides.ljust(len(widths), sides[-1])
    return [gap.join(f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths)).rstrip() for row in rows]


def aligned_within(rows: Sequence[Sequence[str]], sides: str, wrapping: Sequence[int], width: int = WIDTH) -> list[str]:
    """Align rows as :func:`aligned` does, in lines of `width` characters, with the columns in `wrapping` wrapped.

    These columns share the width that the other columns leave; a narrow column takes only what it needs.

    >>> aligned_within([("who", "lost"), ("Rifle platoon, reinforced", "86%")], "<>", [0], 20)
    ['who             lost', 'Rifle platoon,   86%', '  reinforced']
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    free = width - sum(needed for column, needed in enumerate(widths) if column not in wrapping) - 2 * (len(widths) - 1)
    for remaining, column in zip(range(len(wrapping), 0, -1), sorted(wrapping, key=widths.__getitem__)):
        widths[column] = min(widths[column], max(free // remaining, NARROWEST))
        free -= widths[column]
    lines: list[tuple[str, ...]] = []
    for row in rows:
        cells = [[cell] for cell in row]
        for column in wrapping:
            cells[column] = textwrap.wrap(row[column], widths[column], subsequent_indent="  ", break_on_hyphens=False)
        lines += zip_longest(*cells, fillvalue="")
    return aligned(lines, sides)


def column_parts(names: Sequence[str], columns: Sequence[Sequence[str]], width: int) -> list[list[tuple[str, ...]]]:
    """Return a table, whose first column has the names of the rows, in parts that fit into lines of this width."""
    widest = max(len(cell) for column in columns for cell in column) + 2
    at_once = max((width - max(map(len, names))) // widest, 1)
    parts = (columns[first : first + at_once] for first in range(0, len(columns), at_once))
    return [list(zip(names, *part)) for part in parts]


def fill(text: str, *, indent: int = 0) -> list[str]:
    """Return a text as lines of at most :data:`WIDTH` characters, each with `indent` leading blanks."""
    return textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent)


def shown_range(probabilities: Sequence[float], at_least: Sequence[float]) -> tuple[int, int]:
    """Return the range of values 0, 1, … to show in a table, from P(value) and P(at least value) of each."""
    last = len(probabilities) - 1
    if last < SHORT_ENOUGH:
        return 0, last
    last = max(value for value, above in enumerate(at_least) if above >= NEGLIGIBLE)
    at_most = (1 - above + p for above, p in zip(at_least, probabilities))
    return min(next((value for value, below in enumerate(at_most) if below >= NEGLIGIBLE), 0), last), last


def percent(probability: float, decimals: int = 1) -> str:
    """Return a probability in percent, by default with one decimal, never rounded to 0% or 100%.

    >>> percent(0.25), percent(1e-6), percent(1 - 1e-6), percent(1.0)
    ('25.0%', '<0.1%', '>99.9%', '100%')

    For an event that happened in no trial, or in every trial, the text is the end of its interval.

    >>> percent(Estimate(0.0, 0.0, 0.0199)), percent(Estimate(1.0, 0.93, 1.0))
    ('<2%', '>93%')
    """
    if probability < CERTAIN_WITHIN or probability > 1 - CERTAIN_WITHIN:
        return str(probability) if isinstance(probability, Estimate) else f"{100 * probability:.0f}%"
    unit = 10.0**-decimals
    if probability <= unit / 200:
        return f"<{unit:g}%"
    return f">{100 - unit:g}%" if probability >= 1 - unit / 200 else f"{100 * probability:.{decimals}f}%"


def how_often(probability: float) -> str:
    """Return a probability in words for a headline: the nearest familiar fraction.

    >>> [how_often(p) for p in (0.0, 0.004, 0.067, 0.25, 0.42, 0.75, 0.97, 1.0)]
    ['never', 'almost never', '1 time in 15', '1 time in 4', '2 times in 5', '3 times in 4', '29 times in 30', 'always']

    A simulated event is never called certain or impossible; after few trials only the trials are described.

    >>> [how_often(p) for p in (Estimate(1.0, 0.93, 1.0), Estimate(0.0, 0.0, 0.07), Estimate(1.0, 0.999, 1.0))]
    ['in every trial', 'in no trial', 'almost always']
    """
    likely = probability > 1 / 2
    rarer = min(probability, 1 - probability)
    if rarer < CERTAIN_WITHIN:
        if not isinstance(probability, Estimate) or probability.low is None or probability.high is None:
            return "always" if likely else "never"
        rarer = 1 - probability.low if likely else probability.high
        if rarer >= _ALMOST_NEVER:
            return "in every trial" if likely else "in no trial"
    if rarer < _ALMOST_NEVER:
        return "almost always" if likely else "almost never"
    nearest = min(_FAMILIAR, key=lambda fraction: (round(abs(fraction - probability), 9), fraction.denominator))
    return f"{counted(nearest.numerator, 'time')} in {nearest.denominator}"


def frequency_sentence(subject: str, predicate: str, probability: float) -> str:
    """Return a headline about a probability.

    >>> frequency_sentence("Reds", "beat Blues", 0.75), frequency_sentence("Reds", "beat Blues", 0.0)
    ('Reds beat Blues 3 times in 4.', 'Reds never beat Blues.')
    """
    often = how_often(probability)
    words = (often, predicate) if often.endswith(("always", "never")) else (predicate, often)
    return f"{subject[:1].upper()}{subject[1:]} {' '.join(words)}."


def whole_percent(probability: float) -> str:
    """Return a probability in whole percent.

    >>> whole_percent(0.255), whole_percent(0.005), whole_percent(0.995), whole_percent(1.0)
    ('26%', '<1%', '>99%', '100%')
    """
    return percent(probability, 0)


def rating_text(conditions: Mapping[str, Any], noun: str = "") -> str:
    """Return a combat rating, followed by `noun`, and its bonuses and penalties: ``improved (bonus: aiming)``."""
    reasons = [_RATING_REASONS[conditions["rating_by"]]] if conditions["rating_by"] else []
    for singular, plural in (("bonus", "bonuses"), ("penalty", "penalties")):
        names = [name.replace("_", " ") for name in conditions[plural]]
        reasons += [f"{singular if len(names) == 1 else plural}: {', '.join(names)}"] if names else []
    return f"{conditions['rating']}{noun}" + (f" ({'; '.join(reasons)})" if reasons else "")


def with_article(noun: str) -> str:
    """Return a noun with its article.

    >>> with_article("melee row"), with_article("impact row")
    ('a melee row', 'an impact row')
    """
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 die``, ``12 dice``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def text_of(value: Any) -> str:
    """Return a value as text: flags as words, floats with up to six digits and without trailing zeros.

    >>> text_of(True), text_of(0.50), text_of(12), text_of("close")
    ('yes', '0.5', '12', 'close')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def spaced(name: str) -> str:
    """Return the name of a key or a metric with spaces between its words."""
    return name.replace("_", " ")


def rows_of_columns(columns: Mapping[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """Return a table of columns as one plain dict for each row, ready for JSON."""
    return [dict(zip(columns, row)) for row in zip(*(column.tolist() for column in columns.values()))]


def mid_sentence(title: str) -> str:
    """Return a title as it is written inside a sentence.

    >>> mid_sentence("Mean hits"), mid_sentence("P(broken)")
    ('mean hits', 'P(broken)')
    """
    return title if title[1:2] == "(" else title[:1].lower() + title[1:]


def paragraphs(groups: Iterable[Sequence[str]]) -> list[str]:
    """Return groups of lines as one list, separated by empty lines; empty groups are left out.

    >>> paragraphs([["a", "b"], [], ["c"]])
    ['a', 'b', '', 'c']
    """
    return [line for group in groups if group for line in ("", *group)][1:]


def json_text(value: Any, **options: Any) -> str:
    """Return plain data, also NumPy scalars, as JSON; null for NaN and infinity. `options`: those of ``json.dumps``.

    >>> json_text({"value": float("nan"), "range": (1.5, float("inf"))})
    '{"value": null, "range": [1.5, null]}'
    """
    try:
        return json.dumps(value, allow_nan=False, default=python_value, **options)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, default=python_value, **options)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def csv_of_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows of plain data as CSV, with the columns of all rows.

    Numbers have all digits, texts are escaped by :func:`csv_cell`, and nested cells are JSON.

    >>> csv_of_rows([{"unit": "a", "counts": {"hits": 2}}]).splitlines()
    ['unit,counts', 'a,"{""hits"": 2}"']
    """
    head, lines = head_and_cells(rows)
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(map(csv_cell, line) for line in (head, *lines))
    return buffer.getvalue()


def head_and_cells(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    """Return the names of all columns, `profiles` last, and the cells of each row, None if missing."""
    names = dict.fromkeys(name for row in rows for name in row)
    head = sorted(names, key=lambda name: name == "profiles")
    return head, [[None if (cell := row.get(name)) != cell else cell for name in head] for row in rows]  # NaN is None


def csv_cell(value: Any) -> Any:
    """Return a CSV cell that no spreadsheet evaluates: text that begins like a formula gets an apostrophe in front.

    A program that reads the CSV must remove this apostrophe. Numbers, also as text, are unchanged; lists and mappings
    become JSON.

    >>> [csv_cell(value) for value in ("=1+1", "-1.5", -1.5, "'=1+1", "Guard's", "-")]
    ["'=1+1", '-1.5', -1.5, "''=1+1", "Guard's", '-']
    """
    if isinstance(value, Mapping | list | tuple):
        return json_text(value, ensure_ascii=False)
    is_formula = isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return f"'{value}" if is_formula else value


def csv_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with all texts converted by :func:`csv_cell`."""
    texts = frame.select_dtypes(exclude=["number", "bool"])
    return frame.assign(**{str(name): cells.map(csv_cell) for name, cells in texts.items()})


def code_span(text: str) -> str:
    """Return a text as code in a line of Markdown; the text may contain backticks.

    >>> code_span("80 -> 75"), code_span("a `b` c"), code_span("`")
    ('`80 -> 75`', '``a `b` c``', '`` ` ``')
    """
    line = " ".join(text.split())
    fence = "`" * (max(map(len, _BACKTICKS.findall(line)), default=0) + 1)
    gap = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{gap}{line}{gap}{fence}"


def escape_markup(text: str) -> str:
    r"""Return a text for a line or a table cell of Markdown, with markup escaped.

    >>> print(escape_markup("<b> *x* | a_b"))
    \<b\> \*x\* \| a\_b
    """
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def values_text(values: Iterable[Any], axis: Sequence[Any]) -> str:
    """Return values of a key as text; numbers that are adjacent in `axis` are joined to ranges.

    >>> values_text([4, 6, 8, 12], [4, 6, 8, 10, 12]), values_text([True, False], [False, True])
    ('4 to 8, 12', 'no, yes')
    """
    runs: list[list[int]] = []
    for index in sorted({axis.index(value) for value in values}):
        if runs and index == runs[-1][-1] + 1 and not isinstance(axis[index], bool | str):
            runs[-1].append(index)
        else:
            runs.append([index])
    words = [text_of(value) if isinstance(value, bool) else str(value) for value in axis]
    return ", ".join(words[run[0]] if len(run) == 1 else f"{words[run[0]]} to {words[run[-1]]}" for run in runs)
