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

from analyser.common.estimates import CERTAIN_WITHIN, Estimate
from analyser.common.means import mean_in, mean_text

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 80  # characters of a line
NARROWEST = 12  # least characters of a column that is wrapped
SHORT_ENOUGH = 16  # most rows of a distribution that is shown in full
NEGLIGIBLE = 1e-4  # most probability that a longer table omits at either end: 0.01%

_HALF, _ONE_IN_TEN, _ALMOST_NEVER = 0.5, 0.095, 0.01
_FAMILIAR = (2, 3, 4, 5, 10)
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NO_FORMULA = re.compile(r"-|[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?%?", re.IGNORECASE | re.ASCII)
_BACKTICKS = re.compile("`+")
_MARKUP = re.compile(r"[\\`*_\[\]<>|~&$]")
_RATING_BY = {
    "stated": "as stated",
    "rule": "by its rule",
    "no sight": "Indirect, without sight",
    "spotter": "Indirect, by a spotter",
}


def aligned(rows: Sequence[Sequence[str]], sides: str, *, gap: str = "  ") -> list[str]:
    """Return rows of equal length as lines; `sides` has `<` or `>` for each column, the last for all that follow."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    sides = sides.ljust(len(widths), sides[-1])
    return [gap.join(f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths)).rstrip() for row in rows]


def aligned_within(rows: Sequence[Sequence[str]], sides: str, wrapping: Sequence[int], width: int = WIDTH) -> list[str]:
    """Align rows as :func:`aligned` does, in lines of `width` characters; `wrapping` columns continue on the next line.

    They share the width that the other columns leave; a narrow one takes only its own width.

    >>> aligned_within([("who", "lost"), ("Rifle platoon, reinforced", "86%")], "<>", [0], 20)
    ['who             lost', 'Rifle platoon,   86%', '  reinforced']
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    room = width - sum(own for place, own in enumerate(widths) if place not in wrapping) - 2 * (len(widths) - 1)
    for left, place in zip(range(len(wrapping), 0, -1), sorted(wrapping, key=widths.__getitem__)):
        widths[place] = min(widths[place], max(room // left, NARROWEST))
        room -= widths[place]
    lines: list[tuple[str, ...]] = []
    for row in rows:
        cells = [[cell] for cell in row]
        for place in wrapping:
            cells[place] = textwrap.wrap(row[place], widths[place], subsequent_indent="  ", break_on_hyphens=False)
        lines += zip_longest(*cells, fillvalue="")
    return aligned(lines, sides)


def fill(text: str, *, indent: int = 0) -> list[str]:
    """Wrap a text into lines of at most :data:`WIDTH` characters, which begin with `indent` blanks."""
    return textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent)


def shown_range(probabilities: Sequence[float], at_least: Sequence[float]) -> tuple[int, int]:
    """Return the first and last value of a distribution to show; a short one is shown in full."""
    last = len(probabilities) - 1
    if last < SHORT_ENOUGH:
        return 0, last
    last = max(value for value, above in enumerate(at_least) if above >= NEGLIGIBLE)
    at_most = (1 - above + p for above, p in zip(at_least, probabilities))
    return min(next((value for value, below in enumerate(at_most) if below >= NEGLIGIBLE), 0), last), last


def p_text(p: Estimate) -> str:
    """Return a probability as text; an exact one is marked "exact"."""
    return f"{p} exact" if p.low is None else str(p)


def percent(probability: float, decimals: int = 1) -> str:
    """Return a probability in percent, by default with one decimal, never rounded to impossible or certain.

    >>> percent(0.25), percent(1e-6), percent(1 - 1e-6), percent(1.0)
    ('25.0%', '<0.1%', '>99.9%', '100%')
    """
    if probability < CERTAIN_WITHIN or probability > 1 - CERTAIN_WITHIN:
        return f"{100 * probability:.0f}%"
    step = 10.0**-decimals
    if probability <= step / 200:
        return f"<{step:g}%"
    return f">{100 - step:g}%" if probability >= 1 - step / 200 else f"{100 * probability:.{decimals}f}%"


def how_often(probability: float) -> str:
    """Return a probability in words for a headline: the nearest familiar fraction.

    >>> [how_often(each) for each in (0.0, 0.004, 0.098, 0.25, 0.42, 0.75, 0.97, 1.0)]
    ['never', 'almost never', '1 time in 10', '1 time in 4', '2 times in 5', '3 times in 4', '29 times in 30', 'always']
    """
    if probability < CERTAIN_WITHIN or probability > 1 - CERTAIN_WITHIN:
        return "always" if probability > _HALF else "never"
    rare = min(probability, 1 - probability)
    if rare < _ALMOST_NEVER:
        return "almost always" if probability > _HALF else "almost never"
    if rare < _ONE_IN_TEN:
        of = int(round(1 / rare, -1))
        return f"1 time in {of}" if probability < _HALF else f"{of - 1} times in {of}"
    shares = (Fraction(round(probability * of), of) for of in _FAMILIAR)
    share = min(shares, key=lambda fraction: (round(abs(fraction - probability), 9), fraction.denominator))
    return f"{counted(share.numerator, 'time')} in {share.denominator}"


def happens(subject: str, predicate: str, probability: float) -> str:
    """Return a headline about a probability.

    >>> happens("Reds", "beat Blues", 0.75), happens("Reds", "beat Blues", 0.0)
    ('Reds beat Blues 3 times in 4.', 'Reds never beat Blues.')
    """
    often = how_often(probability)
    words = (predicate, often) if often[0].isdigit() else (often, predicate)
    return f"{subject} {' '.join(words)}."


def whole_percent(probability: float) -> str:
    """Return a probability in whole percent.

    >>> whole_percent(0.255), whole_percent(0.005), whole_percent(0.995), whole_percent(1.0)
    ('26%', '<1%', '>99%', '100%')
    """
    return percent(probability, 0)


def with_error(figures: Mapping[str, Any], name: str) -> str:
    """Return a mean as text; if simulated, with its 95% interval."""
    return mean_text(mean_in(figures, name))


def points_text(figures: Mapping[str, Any], name: str) -> str:
    """Return expected victory points as text."""
    return "unknown rating" if figures[name] is None else with_error(figures, name)


def rating_text(conditions: Mapping[str, Any], noun: str = "") -> str:
    """Return a combat rating with its bonuses and penalties, such as ``improved (bonus: aiming)``."""
    reasons = [_RATING_BY[conditions["rating_by"]]] if conditions["rating_by"] else []
    for one, many in (("bonus", "bonuses"), ("penalty", "penalties")):
        named = [name.replace("_", " ") for name in conditions[many]]
        reasons += [f"{one if len(named) == 1 else many}: {', '.join(named)}"] if named else []
    return f"{conditions['rating']}{noun}" + (f" ({'; '.join(reasons)})" if reasons else "")


def with_article(noun: str) -> str:
    """Return a noun with its article.

    >>> with_article("melee row"), with_article("impact row")
    ('a melee row', 'an impact row')
    """
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 die``, ``12 dice``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def word_of(value: Any) -> str:
    """Return a value as text: flags as words, numbers without trailing zeros.

    >>> word_of(True), word_of(0.50), word_of(12), word_of("close")
    ('yes', '0.5', '12', 'close')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def spaced(name: str) -> str:
    """Return the name of a key or a figure with spaces between its words."""
    return name.replace("_", " ")


def records(columns: Mapping[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """Return columns as one plain dict for each row, ready for JSON."""
    return [dict(zip(columns, row)) for row in zip(*(column.tolist() for column in columns.values()))]


def mid_sentence(title: str) -> str:
    """Return a title as it is written inside a sentence.

    >>> mid_sentence("Mean hits"), mid_sentence("P(broken)")
    ('mean hits', 'P(broken)')
    """
    return title if title[1:2] == "(" else title[:1].lower() + title[1:]


def paragraphs(parts: Iterable[Sequence[str]]) -> list[str]:
    """Return groups of lines joined with empty lines between them; empty groups are left out.

    >>> paragraphs([["a", "b"], [], ["c"]])
    ['a', 'b', '', 'c']
    """
    return [line for part in parts if part for line in ("", *part)][1:]


def json_text(value: Any, **look: Any) -> str:
    """Return plain data as JSON, with null for NaN and infinity. `look` are options of ``json.dumps``.

    >>> json_text({"value": float("nan"), "range": (1.5, float("inf"))})
    '{"value": null, "range": [1.5, null]}'
    """
    try:
        return json.dumps(value, allow_nan=False, **look)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, **look)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return `rows` under `head` as CSV; numbers have all digits, texts are escaped by :func:`csv_cell`."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(map(csv_cell, row) for row in (head, *rows))
    return buffer.getvalue()


def csv_of_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows of plain data as CSV with the names of all columns."""
    return csv_text(*columns_of(rows))


def columns_of(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    """Return the names of all columns, `profiles` last, and the cells of each row, None if missing."""
    names = dict.fromkeys(name for row in rows for name in row)
    head = sorted(names, key=lambda name: name == "profiles")
    return head, [[None if (cell := row.get(name)) != cell else cell for name in head] for row in rows]  # NaN is None


def csv_cell(value: Any) -> Any:
    """Return a CSV cell that no spreadsheet runs: text that begins like a formula gets an apostrophe before it.

    To read such a text, remove one apostrophe. Numbers, also as text, are unchanged.

    >>> [csv_cell(value) for value in ("=1+1", "-1.5", -1.5, "'=1+1", "Guard's", "-")]
    ["'=1+1", '-1.5', -1.5, "''=1+1", "Guard's", '-']
    """
    is_run = isinstance(value, str) and _FORMULA.match(value) and not _NO_FORMULA.fullmatch(value)
    return f"'{value}" if is_run else value


def csv_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with all texts converted by :func:`csv_cell`."""
    words = frame.select_dtypes(exclude=["number", "bool"])
    return frame.assign(**{str(name): cells.map(csv_cell) for name, cells in words.items()})


def code_span(text: str) -> str:
    """Return a text as code in a line of Markdown; it may contain backticks.

    >>> code_span("80 -> 75"), code_span("a `b` c"), code_span("`")
    ('`80 -> 75`', '``a `b` c``', '`` ` ``')
    """
    line = " ".join(text.split())
    fence = "`" * (max(map(len, _BACKTICKS.findall(line)), default=0) + 1)
    gap = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{gap}{line}{gap}{fence}"


def markdown(text: str) -> str:
    r"""Return a text for a line or a cell of Markdown, with markup escaped.

    >>> print(markdown("<b> *x* | a_b"))
    \<b\> \*x\* \| a\_b
    """
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def together(values: Iterable[Any], axis: Sequence[Any]) -> str:
    """Return some values of a key as text; a run of values adjacent in `axis` is given by its first and last.

    >>> together([4, 6, 8, 12], [4, 6, 8, 10, 12]), together([True, False], [False, True])
    ('4 to 8, 12', 'no, yes')
    """
    runs: list[list[int]] = []
    for place in sorted({axis.index(value) for value in values}):
        if runs and place == runs[-1][-1] + 1 and not isinstance(axis[place], bool | str):
            runs[-1].append(place)
        else:
            runs.append([place])
    words = [{True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value) for value in axis]
    return ", ".join(words[run[0]] if len(run) == 1 else f"{words[run[0]]} to {words[run[-1]]}" for run in runs)
