"""Curves, maps and fronts: what was found, and how a shell and a notebook show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser import plots
from analyser.ask.curve_notes import notes_of
from analyser.ask.readings import shown_value, title_of
from analyser.ask.stretches import Stretch, best_at, in_words, not_beaten, stretches_of
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.errors import InputError
from analyser.common.sampling import Sampling
from analyser.common.text import counted, mid_sentence, together
from analyser.game.names import spoken
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import ruleset_record
from analyser.plots.look import about
from analyser.results.base import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 40  # of a table as text
MOST_SENTENCES = 20
MOST_COLUMNS = 12  # of a map as text
MOST_LINES = 6  # side by side in a table as text
_SAME_DIGITS = 9  # figures that differ beyond are one point of a front
EQUAL, UNSURE = " = ", " ≈ "


@dataclass(frozen=True, eq=False, repr=False)
class Curve(FramedAnswer):
    """Figures of one or several lines over one key or two.

    Attributes
    ----------
    frame : DataFrame
        One row a line and value: `line`, each key by its name, of an attack `fires` (the row), each figure by its name
        (of a sample with ``_low`` and ``_high``, a 95% interval, and `trials`, `planned_trials` and `stop_reason`), and
        `why_not` where there is none; over levels `costs`, the points of who attacks.
    lines, keys, metrics : tuple of str
    values : tuple of tuples
        Those of each key.
    least : tuple of bool
        Of each figure whether less is better.
    kind : str
    holds_between : bool
        Whether what is true at a value is true from beyond the one before it up to it, as of distances of attacks.
    cut : tuple of str
        Values that were cut off, and why.
    results : tuple of Result
        Of each line the answer at its first value, for the rules that it rests on.
    sampling : Sampling
    fights : int
        How many different fights were worked out; values that lead to the same fight share its answer.
    costs : mapping of str to float
        What who attacks costs, by line; without those of whom nobody knows.
    not_modelled : tuple of str
        Rules of any line at any value that bear on it, and that no number was computed from.
    profiles : ProfilesUsed
    all_at_once : bool
        Whether intervals hold for all points at once, rather than each by itself.
    complete : bool
        Whether all values were asked; not after Ctrl-C.
    """

    frame: pd.DataFrame
    lines: tuple[str, ...]
    keys: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    metrics: tuple[str, ...]
    least: tuple[bool, ...]
    kind: str
    holds_between: bool
    cut: tuple[str, ...]
    results: tuple[Result, ...]
    sampling: Sampling
    fights: int
    costs: Mapping[str, float]
    not_modelled: tuple[str, ...]
    profiles: ProfilesUsed | None
    all_at_once: bool = False
    complete: bool = True

    schema = "analyser/curve/1"

    @property
    def headline(self) -> str:
        """The line that is best in most places, in one sentence."""
        what, over = title_of(self.metrics[0]), " and ".join(each.replace("_", " ") for each in self.keys)
        ahead = self.best["best"].value_counts()
        if len(self.lines) == 1 or ahead.empty or not ahead.index[0]:
            return f"{what} of {', '.join(map(spoken, self.lines))} over {over}."
        names, where = ahead.index[0], "everywhere" if len(ahead) == 1 else f"at most values of {over}"
        verb = "is" if len(names) == 1 else "are"
        return f"{' and '.join(map(spoken, names))} {verb} best by {mid_sentence(what)} {where}."

    @property
    def exact(self) -> bool:
        """True if the figures are exact."""
        return self.sampling.is_exact

    def to_xarray(self) -> Any:
        """The figures as a labelled cube: an `xarray.Dataset` over `line` and the keys; InputError without xarray."""
        try:
            import xarray
        except ImportError:
            remedy = "python -m pip install 'analyser[xarray]'"
            raise InputError(f"needs xarray; to install: {remedy}", where="to_xarray") from None
        columns = [str(name) for name in self.frame if str(name).startswith(self.metrics)]
        shape = len(self.lines), *map(len, self.values)
        cubes = {name: (("line", *self.keys), self.frame[name].to_numpy().reshape(shape)) for name in columns}
        labels = {"line": list(self.lines), **dict(zip(self.keys, map(list, self.values)))}
        return xarray.Dataset(cubes, labels, {"kind": self.kind, "method": self._method()})

    @cached_property
    def best(self) -> pd.DataFrame:
        """The best of the lines in the first figure at each value, or pair of values: the keys, `best`, `value`.

        Of lines that are equal, or that a sample does not tell apart, all are named, the cheapest first.
        """
        metric, rows = self.metrics[0], []
        for at, part in self._by_value():
            ends = [part.get(f"{metric}_{end}", pd.Series(np.nan, part.index)) for end in ("low", "high")]
            best = best_at(part[metric].tolist(), ends[0].tolist(), ends[1].tolist(), least=self.least[0])
            sign = -1.0 if self.least[0] else 1.0
            value = sign * (sign * part[metric]).max()
            names = tuple(sorted((part["line"].iloc[place] for place in best), key=self._cost))
            rows.append({**dict(zip(self.keys, at)), "best": names, "value": value})
        return pd.DataFrame(rows)

    def _cost(self, line: str) -> float:
        """Return the points of a line; infinite where they are unknown."""
        return self.costs.get(line, np.inf)

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """The best lines over each stretch of the one key; InputError of a map, which has no stretches."""
        if len(self.keys) > 1:
            raise InputError("a map has no stretches", where="stretches", allowed="best")
        return stretches_of(self.values[0], self.best["best"].tolist())

    def front(self) -> pd.DataFrame:
        """The points that no other beats in all figures at once (Pareto), in the order of the first figure."""
        kept = not_beaten(self.frame[list(self.metrics)].to_numpy(np.float64), self.least)
        return self.frame[kept].sort_values(self.metrics[0], ascending=self.least[0]).reset_index(drop=True)

    def trade(self) -> pd.DataFrame:
        """Of a map: what one step of each key does to the figure, and how much of the second one of the first is worth.

        Columns: `line`, both keys, the figure, `step_FIRST` and `step_SECOND` (the change of the figure to the next
        value of each), and `worth`: steps of the second key that change as much as one of the first, the other way.
        """
        if len(self.keys) != len(_TWO):
            raise InputError("a trade needs two keys", where="trade", allowed="over=[..., ...]")
        parts = []
        for line in self.lines:
            grid = self._grid(line, self.metrics[0])
            steps = [np.full(grid.shape, np.nan), np.full(grid.shape, np.nan)]
            steps[0][:-1, :], steps[1][:, :-1] = np.diff(grid, axis=0), np.diff(grid, axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                worth = -steps[0] / steps[1]
            places = [(x, y) for x in self.values[0] for y in self.values[1]]
            table = pd.DataFrame(places, columns=list(self.keys))
            table.insert(0, "line", line)
            table[self.metrics[0]] = grid.ravel()
            for key, step in zip(self.keys, steps):
                table[f"step_{key}"] = step.ravel()
            parts.append(table.assign(worth=np.where(np.isfinite(worth), worth, np.nan).ravel()))
        return pd.concat(parts, ignore_index=True)

    def sentences(self) -> list[str]:
        """Return the best lines, a sentence a stretch; of two figures, the points that no other dominates."""
        if len(self.metrics) > 1:
            found = [self._of_front(part) for part in self._front_points()]
            more = [f"and {len(found) - MOST_SENTENCES} more"] if len(found) > MOST_SENTENCES else []
            return [*found[:MOST_SENTENCES], *more]
        if len(self.keys) > 1:
            return self._of_map()
        if not all(is_number(each) for each in self.values[0]):
            return [
                f"{word_of(value)}: {self._joined(names)}" for value, names in zip(self.values[0], self.best["best"])
            ]
        return [self._of_stretch(each) for each in self.stretches]

    def _of_stretch(self, stretch: Stretch) -> str:
        unit = '"' if self.keys[0].endswith("distance") else ""
        key = "" if unit else f"{self.keys[0].replace('_', ' ')} "
        return f"{key}{in_words(stretch, between=self.holds_between, unit=unit)}: {self._joined(stretch.names)}"

    def _joined(self, names: Sequence[str]) -> str:
        if not names:
            return "nobody"
        between = EQUAL if self.exact else UNSURE
        everybody = len(names) == len(self.lines) > 1
        return f"{between.join(names)}{' (all equal)' if everybody and self.exact else ''}"

    def _front_points(self) -> list[pd.DataFrame]:
        """The rows of the front, those of one line with equal figures together."""
        front = self.front()
        figures = [front[each].round(_SAME_DIGITS) for each in self.metrics]
        return [part for _, part in front.groupby([front["line"], *figures], sort=False)]

    def _at(self, part: pd.DataFrame, key: str) -> str:
        return together(part[key].tolist(), self.values[self.keys.index(key)])

    def _of_front(self, part: pd.DataFrame) -> str:
        row, at = part.iloc[0], ", ".join(f"{key.replace('_', ' ')} {self._at(part, key)}" for key in self.keys)
        figures = ", ".join(f"{title_of(each)} {shown_value(each, row[each])}" for each in self.metrics)
        return f"{row['line']}, {at}: {figures}"

    def _of_map(self) -> list[str]:
        shares = self.best["best"].map(self._joined).value_counts()
        lead = [f"{name}: best in {counted(int(number), 'cell')}" for name, number in shares.items()]
        return [*(lead if len(self.lines) > 1 else []), *self._worth()]

    def _worth(self) -> list[str]:
        """Return the worth of a step of the first key in steps of the second, over the map."""
        if not all(is_number(each) for axis in self.values for each in axis):
            return []
        first, second = (each.replace("_", " ") for each in self.keys)
        found = []
        for line, part in self.trade().groupby("line", sort=False):
            low, middle, high = part["worth"].quantile([0.1, 0.5, 0.9])
            if abs(middle) > 0:  # neither nothing nor unknown
                often = f"in most of the map {low:.2g} to {high:.2g}"
                found.append(f"{line}: one step of {first} makes up for {middle:.2g} steps of {second}; {often}")
        return found

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """The picture: lines with the best marked; of two keys a map with contours; of two figures the front."""
        labels = [title_of(each) for each in self.metrics]
        if len(self.metrics) > 1:
            on_front = not_beaten(self.frame[list(self.metrics)].to_numpy(np.float64), self.least)
            frame = about(self.frame.assign(on_front=on_front), self._subject())
            return plots.front(
                frame, x=self.metrics[0], y=self.metrics[1], keys=self.keys, quantities=labels, ax=ax, **more
            )
        if len(self.keys) > 1:
            best = self.best.assign(best=self.best["best"].map(lambda names: self._joined(names) if names else ""))
            ahead = dict.fromkeys(name for names in self.best["best"] for name in names)
            some = [*ahead, *(name for name in self.lines if name not in ahead)][: max(len(ahead), len(_TWO))]
            lines = [name for name in self.lines if name in some]
            return plots.trade_map(
                about(best, self._subject()),
                x=self.keys[0],
                y=self.keys[1],
                lines=lines,
                quantity=labels[0],
                ax=ax,
                **more,
            )
        return plots.best_lines(
            about(self.frame, self._subject()),
            x=self.keys[0],
            metric=self.metrics[0],
            best=self._marks(),
            between=self.holds_between,
            quantity=labels[0],
            ax=ax,
            **more,
        )

    def _marks(self) -> list[tuple[Any, Any, str]]:
        """The stretches as the picture marks them: from, up to, who; nothing for a single line."""
        if len(self.lines) < len(_TWO):
            return []
        edges = [(each.before if self.holds_between else each.first, each) for each in self.stretches]
        return [
            (each.first if before is None else before, each.last, self._joined(each.names)) for before, each in edges
        ]

    def blocks(self) -> list[Block]:
        """The figures, and which line is best where."""
        (head, *rows), several = self._table(), max(len(self.lines), len(self.keys), len(self.metrics)) > 1
        table = Block(head=head, rows=rows, align="<>" if len(self.metrics) == 1 else "<")
        return [Block(self._heading()), table, *([Block(lines=self._said())] if several else [])]

    def _said(self) -> list[str]:
        if len(self.metrics) > 1:
            return ["Not beaten in both at once:", *(f"  {each}" for each in self.sentences())]
        if len(self.keys) > 1:
            return ["Over the map:", *(f"  {each}" for each in self.sentences())]
        less = " (the least of it)" if self.least[0] else ""
        return [f"Best{less}:", *(f"  {each}" for each in self.sentences())]

    def _heading(self) -> str:
        figures = " and ".join(
            f"{title_of(each)}{' (less is better)' * bad}" for each, bad in zip(self.metrics, self.least)
        )
        over = " and ".join(each.replace("_", " ") for each in self.keys)
        return f"{figures} over {over}: {self._subject()}; {self._method()}"

    def _subject(self) -> str:
        """Return the subject of the question, common to all lines."""
        headings = [dict(each.heading()) for each in self.results]
        if self.kind == "attack" and headings:
            return f"attack on {headings[0]['Attack'].rpartition(' -> ')[2]}"
        if self.kind == "duel" and headings:
            return f"duel with {headings[0]['B'].partition(':')[0]}"
        if self.kind == "battle" and headings:
            mine, yours = (headings[0][side].partition(";")[0] for side in ("Mine", "Yours"))
            return f"battle of {mine}, against {yours}"
        return f"{self.kind.replace('_', ' ')}: {', '.join(self.lines)}"

    def _method(self) -> str:
        if self.exact:
            return "exact"
        least, most = (int(end) for end in (self.frame["trials"].min(), self.frame["trials"].max()))
        trials = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        return f"Monte Carlo, {trials} trials each, seed {self.sampling.seed}, intervals at 95%"

    def _table(self) -> list[list[str]]:
        """The figures as text: values down, lines across; values in a row at which all is the same in one line."""
        if len(self.metrics) > 1:
            return self._table_of_front()
        if len(self.keys) > 1:
            return self._table_of_map()
        metric = self.metrics[0]
        rows = []
        for (value,), part in self._by_value():
            of_lines = part.set_index("line").loc[list(self.shown_lines)]
            cells = [shown_value(metric, *self._ends(row)) for _, row in of_lines.iterrows()]
            rows.append((value, cells))
        merged: list[tuple[Any, Any, list[str]]] = []
        for value, cells in rows:
            if merged and merged[-1][2] == cells and is_number(value):
                merged[-1] = (merged[-1][0], value, cells)
            else:
                merged.append((value, value, cells))
        body = [[word_of(one) if one == other else f"{one} to {other}", *cells] for one, other, cells in merged]
        return [[self.keys[0].replace("_", " "), *self.shown_lines], *body]

    def _table_of_front(self) -> list[list[str]]:
        """The points that no other beats, some of many."""
        shown = self._front_points()
        shown = shown[:: -(-len(shown) // MOST_ROWS)] if len(shown) > MOST_ROWS else shown
        head = ["line", *self.keys, *self.metrics]
        rows = []
        for part in shown:
            row = part.iloc[0]
            ends = ((each, *(row.get(f"{each}_{end}", np.nan) for end in ("low", "high"))) for each in self.metrics)
            figures = (shown_value(each, row[each], low, high) for each, low, high in ends)
            rows.append([row["line"], *(self._at(part, key) for key in self.keys), *figures])
        return [[each.replace("_", " ") for each in head], *rows]

    def _table_of_map(self) -> list[list[str]]:
        """The figure of the best line at each pair: the first key down, the second one across, some of many."""
        first, second = (list(axis[:: self.step_of(axis)]) for axis in self.values)
        at = self.best.set_index(list(self.keys))["value"]
        rows = [[word_of(one), *(shown_value(self.metrics[0], at[one, other]) for other in second)] for one in first]
        return [[" \\ ".join(each.replace("_", " ") for each in self.keys), *map(word_of, second)], *rows]

    @staticmethod
    def step_of(axis: Sequence[Any]) -> int:
        """Of how many values of a map's key a table as text shows one."""
        return -(-len(axis) // MOST_COLUMNS)

    def _ends(self, row: pd.Series[Any]) -> tuple[float, float, float]:
        metric = self.metrics[0]
        return row[metric], row.get(f"{metric}_low", np.nan), row.get(f"{metric}_high", np.nan)

    def notes(self) -> list[str]:
        """Return the notes: validity between the values, what was cut off or not modelled, and the sources."""
        return notes_of(self)

    @cached_property
    def shown_lines(self) -> tuple[str, ...]:
        """The lines that a table as text has room for: those that are best somewhere go first."""
        if len(self.lines) <= MOST_LINES:
            return self.lines
        ahead = dict.fromkeys(name for names in self.best["best"] for name in names)
        return tuple([*ahead, *(each for each in self.lines if each not in ahead)][:MOST_LINES])

    def _body(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "kind": self.kind,
            "method": self.sampling.method,
            "over": {key: list(values) for key, values in zip(self.keys, self.values)},
            "metrics": list(self.metrics),
            "least": list(self.least),
            "holds_between": self.holds_between,
            "costs": dict(self.costs),
        }
        if len(self.metrics) > 1:
            record["front"] = plain_rows(self.front())
        elif len(self.keys) == 1:
            record["best"] = [each._asdict() | {"names": list(each.names)} for each in self.stretches]
        else:
            record["best"] = plain_rows(self.best)
            record["trade"] = plain_rows(self.trade())
        if not self.exact:
            record |= {
                "all_at_once": self.all_at_once,
                "seed": int(self.sampling.seed),
                "trials": int(self.frame["trials"].sum()),
            }
            record |= {"stop_reason": sorted(self.frame["stop_reason"].dropna().unique())}
        record |= {"points": plain_rows(self.frame), "fights": self.fights, "notes": self.notes()}
        record |= {"assumptions": list(dict.fromkeys(said for each in self.results for said in each.assumptions))}
        record |= ruleset_record(getattr(self.results[0].scenario, "ruleset", None)) if self.results else {}
        return record | {"profiles": self.profiles and self.profiles.as_dict()}

    def _by_value(self) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
        """The rows at each value, or pair of values, in the order of the values."""
        yield from self.frame.groupby(list(self.keys), sort=False, dropna=False)

    def _grid(self, line: str, metric: str) -> Any:
        shape = tuple(map(len, self.values))
        return self.frame.loc[self.frame["line"] == line, metric].to_numpy(np.float64).reshape(shape)


_TWO = (0, 1)


def is_number(value: Any) -> bool:
    """Return True if a value is a number; flags do not count as numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def word_of(value: Any) -> str:
    """A value as a table shows it."""
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value:g}" if is_number(value) else str(value)
