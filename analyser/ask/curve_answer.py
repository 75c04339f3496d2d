"""Answer with a curve, map (two keys) or Pareto front (two metrics): values, and the best of the compared questions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser import plots
from analyser.ask.keys import LEVEL, POINTS
from analyser.ask.metric_lookup import title_of, value_text
from analyser.ask.question_table import QuestionTable
from analyser.common.answer import Block, plain_rows
from analyser.common.errors import InputError, is_number
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.look import with_subject
from analyser.common.text import counted, mid_sentence, spaced, text_of, values_text
from analyser.game.names import loadout_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 40  # most rows of a front in text
MOST_COLUMNS = 12  # most columns, and most rows, of a map in text
MOST_LINES = 6  # most compared questions (columns) of a table in text
_EQUAL_DECIMALS = 9  # points of a front count as equal if their values agree to this many decimals
_FEWEST_LINES = 2  # fewest lines shown in the picture of a map, even if fewer are best
EQUAL, NOT_SIGNIFICANT = " = ", " ≈ "  # signs between the names of tied lines


class WinningRange(NamedTuple):
    """Successive values at which the same lines are best."""

    before: Any  # last value before the range; None for the first range
    first: Any
    last: Any
    names: tuple[str, ...]  # the best lines, several if they tie; empty if no line has a value


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Curve(QuestionTable):
    """Metrics of one or more lines (the compared questions) over one or two keys.

    Attributes
    ----------
    frame : DataFrame
        One row for each line and value: `line`, a column for each key and each metric, and `why_not`, the reason for a
        missing value. Attacks add `fires` (the row used). Simulation adds ``_low`` and ``_high`` of each metric (95%
        interval), `trials`, `planned_trials` and `stop_reason`. A curve over levels adds `costs` (points).
    least : tuple of bool
        For each metric, True if low values are better.
    holds_between : bool
        True if metrics are constant between successive values, as for distances of attacks.
    left_out : tuple of str
        Values that were left out, with the reasons.
    results : tuple of Result
        The full answer of each line at its first value with an answer.
    costs : mapping of str to float
        Points of the attacker by line, if known.
    """

    lines: tuple[str, ...]
    keys: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    metrics: tuple[str, ...]
    least: tuple[bool, ...]
    holds_between: bool
    left_out: tuple[str, ...]
    costs: Mapping[str, float]

    schema = "analyser/curve/1"

    @property
    def headline(self) -> str:
        """The line that is best most often, in one sentence."""
        title, keys = title_of(self.metrics[0]), " and ".join(map(spaced, self.keys))
        counts = self.best["best"].value_counts()
        if len(self.lines) == 1 or counts.empty or not counts.index[0]:
            return f"{title} of {', '.join(map(loadout_name, self.lines))} over {keys}."
        names, where = counts.index[0], "everywhere" if len(counts) == 1 else f"most often over {keys}"
        verb = "is" if len(names) == 1 else "are"
        return f"{' and '.join(map(loadout_name, names))} {verb} best by {mid_sentence(title)} {where}."

    @property
    def is_front(self) -> bool:
        """True for two metrics; the answer is their Pareto front."""
        return len(self.metrics) > 1

    @property
    def is_map(self) -> bool:
        """True for one metric over two keys."""
        return len(self.keys) > 1 and not self.is_front

    @cached_property
    def best(self) -> pd.DataFrame:
        """The best lines by the first metric at each combination of values; columns: the keys, `best`, `value`.

        `best` names all tied lines, the cheapest first.
        """
        metric, rows = self.metrics[0], []
        for combination, part in self._by_value():
            low, high = (part.get(f"{metric}_{end}", pd.Series(np.nan, part.index)).tolist() for end in ("low", "high"))
            indices = best_indices(part[metric].tolist(), low, high, least=self.least[0])
            names = sorted(part["line"].iloc[indices], key=lambda name: self.costs.get(name, np.inf))
            value = part[metric].min() if self.least[0] else part[metric].max()
            rows.append({**dict(zip(self.keys, combination)), "best": tuple(names), "value": value})
        return pd.DataFrame(rows)

    @cached_property
    def ranges(self) -> tuple[WinningRange, ...]:
        """The best lines for each range of the key; InputError for a map."""
        if len(self.keys) > 1:
            raise InputError("only a curve over one key has ranges", where="ranges", allowed="best")
        return winning_ranges(self.values[0], self.best["best"].tolist())

    def front(self) -> pd.DataFrame:
        """Return the Pareto front, sorted by the first metric from its best value."""
        front: pd.DataFrame = self.frame[self._on_front()]
        return front.sort_values(self.metrics[0], ascending=self.least[0]).reset_index(drop=True)

    def _on_front(self) -> NDArray[np.bool_]:
        return not_dominated(self.frame[list(self.metrics)].to_numpy(np.float64), self.least)

    def trade_off(self) -> pd.DataFrame:
        """Return the effect of one step of each key of a map, and the trade-off between the keys.

        Columns: `line`, the keys, the metric, ``step_KEY`` (change of the metric to the next value of KEY), and
        `worth`: the number of steps of the second key that cancel one step of the first.
        """
        if len(self.keys) != 2:
            raise InputError("a trade-off needs two keys", where="trade_off", allowed="over=[..., ...]")
        grids = self.frame[self.metrics[0]].to_numpy(np.float64).reshape(len(self.lines), *map(len, self.values))
        steps = np.full((2, *grids.shape), np.nan)
        steps[0, :, :-1], steps[1, :, :, :-1] = np.diff(grids, axis=1), np.diff(grids, axis=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = -steps[0] / steps[1]
        columns = {f"step_{key}": step.ravel() for key, step in zip(self.keys, steps)}
        columns |= {"worth": np.where(np.isfinite(worth), worth, np.nan).ravel()}
        return self.frame[["line", *self.keys, self.metrics[0]]].reset_index(drop=True).assign(**columns)

    def sentences(self) -> list[str]:
        """Return sentences about the best lines, and for a map about the trade-off; empty for two metrics."""
        if self.is_front:
            return []
        if self.is_map:
            shares = self.best["best"].map(self._joined).value_counts()
            lead = [f"{name}: best at {counted(int(number), 'pair')} of values" for name, number in shares.items()]
            return [*(lead if len(self.lines) > 1 else []), *self._trade_off_sentences()]
        if not all(map(is_number, self.values[0])):
            best = zip(self.values[0], self.best["best"])
            return [f"{text_of(value)}: {self._joined(names)}" for value, names in best]
        mark = '"' if self.keys[0].endswith("distance") else ""
        key = "" if mark else f"{spaced(self.keys[0])} "
        ranges = [range_text(span, holds_between=self.holds_between, mark=mark) for span in self.ranges]
        return [f"{key}{text}: {self._joined(span.names)}" for text, span in zip(ranges, self.ranges)]

    def _joined(self, names: Sequence[str]) -> str:
        if not names:
            return "no line"
        are_all_equal = self.sampling.is_exact and len(names) == len(self.lines) > 1
        return f"{(EQUAL if self.sampling.is_exact else NOT_SIGNIFICANT).join(names)}{' (all equal)' * are_all_equal}"

    def _trade_off_sentences(self) -> Iterator[str]:
        if not all(is_number(value) for axis in self.values for value in axis):
            return
        first, second = map(spaced, self.keys)
        for line, part in self.trade_off().groupby("line", sort=False):
            low, middle, high = part["worth"].quantile([0.1, 0.5, 0.9])
            if abs(middle) > 0:  # neither zero nor NaN
                mostly = f"{low:.2g} to {high:.2g} in 80% of the map"
                yield f"{line}: one step of {first} makes up for {middle:.2g} steps of {second} (median); {mostly}"

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the lines with the best marked; for two keys a map with contours; for two metrics the front."""
        labels, subject = [title_of(metric) for metric in self.metrics], self._subject()
        if self.is_front:
            frame = with_subject(self.frame.assign(on_front=self._on_front()), subject)
            x, y = self.metrics
            return plots.front(frame, x=x, y=y, keys=self.keys, quantities=labels, ax=ax, **more)
        if self.is_map:
            best = self.best.assign(best=self.best["best"].map(lambda names: self._joined(names) if names else ""))
            best = with_subject(best, subject)
            shown = self._best_first()[: max(len(self._best_names), _FEWEST_LINES)]
            lines, (x, y) = [name for name in self.lines if name in shown], self.keys
            return plots.trade_map(best, x=x, y=y, lines=lines, quantity=labels[0], ax=ax, **more)
        ranges: list[tuple[Any, Any, str]] = []
        for span in self.ranges if len(self.lines) > 1 else ():
            start = span.before if self.holds_between and span.before is not None else span.first
            ranges.append((start, span.last, self._joined(span.names)))
        options: Any = {"x": self.keys[0], "metric": self.metrics[0], "best": ranges, "between": self.holds_between}
        return plots.best_lines(with_subject(self.frame, subject), **options, quantity=labels[0], ax=ax, **more)

    def blocks(self) -> list[Block]:
        if self.is_front:
            head, *rows = self._front_table()
            title = "Not dominated (no other point is better in both):"
            return [Block(self._heading()), Block(title, head, rows)]
        head, *rows = self._map_table() if self.is_map else self._line_table()
        lead = "Over the map:" if self.is_map else f"Best{' (low values are better)' * self.least[0]}:"
        conclusions = Block(lines=[lead, *(f"  {text}" for text in self.sentences())])
        is_single = len(self.lines) == len(self.keys) == 1
        return [Block(self._heading()), Block(head=head, rows=rows, align="<>"), *([] if is_single else [conclusions])]

    def _heading(self) -> str:
        metrics = (f"{title_of(name)}{' (less is better)' * least}" for name, least in zip(self.metrics, self.least))
        keys = " and ".join(map(spaced, self.keys))
        return f"{' and '.join(metrics)} over {keys}: {self._subject()}; {self._method()}"

    def _subject(self) -> str:
        heading = dict(self.results[0].heading())
        if self.kind == "attack":
            return f"attack on {heading['Attack'].rpartition(' -> ')[2]}"
        if self.kind == "duel":
            return f"duel with {heading['B'].partition(':')[0]}"
        if self.kind == "battle":
            name, enemy = (heading[label].rpartition(": ")[0] for label in ("Army", "Against"))
            return f"battle of {name} against {enemy}"
        return f"{spaced(self.kind)}: {', '.join(self.lines)}"

    def _method(self) -> str:
        if self.sampling.is_exact:
            return "exact"
        trials = " to ".join(dict.fromkeys(f"{int(self.frame['trials'].agg(end)):,}" for end in ("min", "max")))
        return f"Monte Carlo, {trials} trials each, seed {self.sampling.seed}, intervals at 95%"

    def _line_table(self) -> list[list[str]]:
        texts = []
        for (value,), part in self._by_value():
            rows = part.set_index("line").loc[list(self.shown_lines)].to_dict("records")
            texts.append((value, [_cell(row, self.metrics[0]) for row in rows]))
        body = []
        for cells, run in itertools.groupby(texts, key=lambda text: text[1]):
            values = [value for value, _ in run]
            joined = [f"{values[0]} to {values[-1]}"] if len(values) > 1 and all(map(is_number, values)) else values
            body += [[text_of(value), *cells] for value in joined]
        return [[spaced(self.keys[0]), *self.shown_lines], *body]

    def _front_table(self) -> list[list[str]]:
        front, rows = self.front(), []
        values = [front[metric].round(_EQUAL_DECIMALS) for metric in self.metrics]
        groups = [part for _, part in front.groupby([front["line"], *values], sort=False)]
        for part in groups[:: -(-len(groups) // MOST_ROWS) or 1]:
            (row, *_) = part.to_dict("records")
            cells = (_cell(row, metric) for metric in self.metrics)
            keys = (values_text(part[key].tolist(), axis) for key, axis in zip(self.keys, self.values))
            rows.append([row["line"], *keys, *cells])
        return [[spaced(name) for name in ("line", *self.keys, *self.metrics)], *rows]

    def _map_table(self) -> list[list[str]]:
        """Return the best metric value at pairs of values: the first key down, the second across."""
        down, across = (list(axis[:: _step_of(axis)]) for axis in self.values)
        best = self.best.set_index(list(self.keys))["value"]
        rows = [[text_of(row), *(value_text(self.metrics[0], best[row, column]) for column in across)] for row in down]
        return [[" \\ ".join(map(spaced, self.keys)), *map(text_of, across)], *rows]

    def notes(self) -> list[str]:
        return [*_notes_of(self), *self._sources()]

    @cached_property
    def shown_lines(self) -> tuple[str, ...]:
        """The lines that fit into a table in text; lines that are best somewhere come first."""
        return self.lines if len(self.lines) <= MOST_LINES else tuple(self._best_first()[:MOST_LINES])

    @cached_property
    def _best_names(self) -> dict[str, None]:
        return dict.fromkeys(name for names in self.best["best"] for name in names)

    def _best_first(self) -> list[str]:
        return list(self._best_names | dict.fromkeys(self.lines))

    def _body(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "method": self.sampling.method,
            "over": {key: list(values) for key, values in zip(self.keys, self.values)},
            "metrics": list(self.metrics),
            "least": list(self.least),
            "holds_between": self.holds_between,
            "costs": dict(self.costs),
        }
        if self.is_front:
            record["front"] = plain_rows(self.front())
        elif self.is_map:
            record |= {"best": plain_rows(self.best), "trade_off": plain_rows(self.trade_off())}
        else:
            record["best"] = [span._asdict() | {"names": list(span.names)} for span in self.ranges]
        if not self.sampling.is_exact:
            record |= {"seed": int(self.sampling.seed), "trials": int(self.frame["trials"].sum())}
            record |= {"stop_reason": sorted(self.frame["stop_reason"].dropna().unique())}
        return record | {"points": plain_rows(self.frame)} | self._common_entries()

    def _by_value(self) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
        """Yield each combination of values, in order, with its rows."""
        yield from self.frame.groupby(list(self.keys), sort=False, dropna=False)


def _cell(row: Mapping[Any, Any], metric: str) -> str:
    return value_text(metric, row[metric], row.get(f"{metric}_low", np.nan), row.get(f"{metric}_high", np.nan))


def _step_of(axis: Sequence[Any]) -> int:
    return -(-len(axis) // MOST_COLUMNS)


def _notes_of(curve: Curve) -> Iterator[str]:
    if curve.holds_between:
        yield "The answer is the same at every distance within each of these ranges."
    elif curve.keys[0].endswith("distance") and len(curve.keys) == 1:
        yield "Computed at the listed distances only."
    if not curve.sampling.is_exact:
        stopped = "; the intervals stay valid although the simulation ended at the stated precision"
        stopped *= bool(curve.sampling.precision)
        yield f"Lines with overlapping 95% intervals count as tied{stopped}."
    if (more := len(curve.lines) - len(curve.shown_lines)) and len(curve.keys) == len(curve.metrics) == 1:
        yield f"The table leaves out {counted(more, 'line')}; --format csv has all of them."
    if curve.is_map:
        if len(curve.lines) > 1:
            yield "The table shows the best line's metric at each pair of values."
        for key, values in zip(curve.keys, curve.values):
            if (step := _step_of(values)) > 1:
                shown = f"The table has {len(values[::step])} of {len(values)} values of {spaced(key)}"
                yield f"{shown}; --format csv has all of them."
    named = curve.front()["line"].tolist() if curve.is_front else curve.shown_lines
    costs = {name: points for name, points in curve.costs.items() if name in named}
    if LEVEL in curve.keys:
        rows = curve.frame[curve.frame["line"].isin(named)].dropna(subset=["costs"])
        for line, part in rows.drop_duplicates(["line", LEVEL]).groupby("line", sort=False, observed=True):
            levels = (f"{points:g} {level}" for level, points in zip(part[LEVEL], part["costs"]))
            yield f"Points of {line}: {', '.join(levels)}."
    elif len(set(costs.values())) > 1 and POINTS not in curve.keys:
        yield f"Points: {', '.join(f'{name} {points:g}' for name, points in costs.items())}."
    yield from (f"Left out: {text}." for text in curve.left_out)
    missing = curve.frame.dropna(subset=["why_not"]).drop_duplicates("line")
    if len(missing):
        more_lines = f" (also of {counted(len(missing) - 1, 'more line')})" if len(missing) > 1 else ""
        line, why_not = missing[["line", "why_not"]].iloc[0]
        yield f"Values missing: {line}{more_lines}: {why_not.removeprefix(f'{line}: ')}"


def best_indices(values: Sequence[float], lows: Sequence[float], highs: Sequence[float], *, least: bool) -> list[int]:
    """Return the indices of the best figures; a missing figure is NaN.

    A simulated figure also counts as best if its interval overlaps that of the best figure.

    >>> best_indices([1.0, 3.0, 3.0, float("nan")], [float("nan")] * 4, [float("nan")] * 4, least=False)
    [1, 2]
    """
    sign = -1.0 if least else 1.0
    goodness = sign * np.asarray(values, np.float64)
    if np.isnan(goodness).all():
        return []
    ends = sign * np.array([lows, highs], np.float64)
    best = int(np.nanargmax(goodness))
    rounding = CERTAIN_WITHIN * max(1.0, abs(goodness[best]))
    upper_ends = np.where(np.isnan(ends).any(axis=0), goodness, ends.max(axis=0))
    best_lower_end = goodness[best] if np.isnan(ends[:, best]).any() else ends[:, best].min()
    return np.flatnonzero(upper_ends >= best_lower_end - rounding).tolist()


def winning_ranges(values: Sequence[Any], best: Sequence[tuple[str, ...]]) -> tuple[WinningRange, ...]:
    """Return the ranges of increasing `values` with the same best lines; `best` has the best lines at each value.

    >>> [(span.first, span.last, span.names) for span in winning_ranges([1, 2, 3], [("a",), ("a",), ("b",)])]
    [(1, 2, ('a',)), (3, 3, ('b',))]
    """
    ranges: list[WinningRange] = []
    for index, (value, names) in enumerate(zip(values, best)):
        if ranges and ranges[-1].names == names:
            ranges[-1] = ranges[-1]._replace(last=value)
        else:
            ranges.append(WinningRange(values[index - 1] if index else None, value, value, names))
    return tuple(ranges)


def range_text(span: WinningRange, *, holds_between: bool, mark: str = "") -> str:
    """Return a range in words; if `holds_between`, a range begins just above the value before it.

    >>> span = WinningRange(10, 11, 24, ("a",))
    >>> range_text(span, holds_between=True, mark='"'), range_text(span, holds_between=False)
    ('beyond 10" up to 24"', 'from 11 to 24')
    >>> [range_text(WinningRange(None, first, 7, ("a",)), holds_between=True) for first in (1, 6)]
    ['up to 7', 'from 6 to 7']
    """
    before, first, last = map(text_of, span[:3])
    if not holds_between or (span.before is None and span.first > 1):
        return f"at {first}{mark}" if first == last else f"from {first}{mark} to {last}{mark}"
    return f"up to {last}{mark}" if span.before is None else f"beyond {before}{mark} up to {last}{mark}"


def not_dominated(figures: NDArray[np.float64], least: Sequence[bool]) -> NDArray[np.bool_]:
    """Return a mask of the points (rows of two `figures`) that no other dominates; False if a figure is missing.

    >>> not_dominated(np.array([[1.0, 5.0], [2.0, 4.0], [1.0, 4.0]]), [False, False]).tolist()
    [True, True, False]
    >>> not_dominated(np.array([[1.0, 5.0], [1.0 - 1e-15, 6.0]]), [False, False]).tolist()
    [False, True]
    """
    goodness = figures * np.where(least, -1.0, 1.0)
    usable = np.asarray(~np.isnan(goodness).any(axis=1))
    rounding = CERTAIN_WITHIN * np.maximum(1.0, np.nanmax(np.abs(goodness), axis=0, initial=0.0))
    first, second = np.where(usable[:, None], goodness, -np.inf).T
    order = np.argsort(first)
    best_from = np.append(np.maximum.accumulate(second[order][::-1])[::-1], -np.inf)  # best second figure from here on

    def best_second(limits: NDArray[np.float64], side: Literal["left", "right"]) -> NDArray[np.float64]:
        """Return the best second figure of points whose first figure is at least (left) or above (right) a limit."""
        best: NDArray[np.float64] = best_from[np.searchsorted(first[order], limits, side)]
        return best

    is_dominated = best_second(first + rounding[0], "right") >= second - rounding[1]
    is_dominated |= best_second(first - rounding[0], "left") > second + rounding[1]
    return np.asarray(usable & ~is_dominated)
