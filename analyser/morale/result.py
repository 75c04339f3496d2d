"""Answer to a question about morale: named tidy tables, exact or simulated."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.errors import InputError, check_text, did_you_mean, shown
from analyser.common.estimates import CERTAIN_WITHIN, Estimate, estimate
from analyser.common.frames import tidy
from analyser.common.intervals import intervals
from analyser.common.means import mean_figures, mean_in, mean_of_moments, mean_text
from analyser.common.text import NEGLIGIBLE, aligned, counted, frequency_sentence, rows_of_columns, spaced
from analyser.morale.answer_parts import Panel, Table, panels_of, picture_of
from analyser.morale.questions import MoraleQuestion
from analyser.morale.systems import SYSTEMS
from analyser.results.base import Result, WeightedValues

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False, kw_only=True)
class MoraleResult(Result):
    """Answer to a question about morale.

    Attributes
    ----------
    system : str
        Name of the system, such as ``legion``.
    scenario : MoraleQuestion
        The question, with defaults for all missing keys.
    raw_tables : mapping of str to Table
        Tables by name, the main one first. Read them with :attr:`tables`, :meth:`to_frame` or :meth:`as_dict`.
    """

    scenario: MoraleQuestion
    system: str
    raw_tables: Mapping[str, Table]

    @property
    def panels(self) -> list[Panel]:
        """Panels of the picture, in order."""
        return panels_of(SYSTEMS[self.system].answers.PANELS, self.raw_tables)

    @property
    def kind(self) -> str:  # type: ignore[override]
        """Name of the system."""
        return self.system

    @cached_property
    def columns(self) -> dict[str, dict[str, Any]]:
        """The columns (keys, probabilities and means) of every table, by the names of table and column.

        A simulated ``p_x`` is followed by its 95% interval: ``p_x_low``, ``p_x_high``, and the method ``p_x_interval``.
        """
        return {name: self._columns_of(table) for name, table in self.raw_tables.items()}

    def _columns_of(self, table: Table) -> dict[str, Any]:
        columns: dict[str, Any] = {name: list(values) for name, values in table.keys.items()}
        for name, weights in table.weights.items():
            if self.trials is None:
                columns[name] = np.clip(weights, 0.0, 1.0)
            else:
                low, high, by = intervals(weights, self.trials)
                columns |= {name: weights / self.trials, f"{name}_low": low, f"{name}_high": high}
                columns[f"{name}_interval"] = by
        for name, mean in table.means.items():
            condition = mean.condition
            number = (self.trials or 1) if condition is None else np.maximum(condition, np.finfo(np.float64).tiny)
            columns[name] = mean.total / number
            if self.trials is not None:
                variance = np.maximum(mean.total_of_squares / number - columns[name] ** 2, 0.0)
                numbers = np.broadcast_to(number, variance.shape)
                rows = [
                    mean_figures(name, mean_of_moments(*moments, *mean.ends))
                    for moments in zip(columns[name].tolist(), variance.tolist(), numbers.tolist())
                ]
                columns |= {column: np.array([row[column] for row in rows]) for column in rows[0]} if rows else {}
        return columns

    def only(self, **keys: Any) -> MoraleResult:
        """Return the answer with only those rows whose keys have these values, such as ``commander="without"``.

        The key ``table`` selects a table. Then :meth:`probability` and :meth:`mean` read these rows.

        Raises
        ------
        InputError
            No table has such a row.

        >>> from analyser import morale
        >>> result = morale.legion(courage=1, tokens=2, commander_courage=2)
        >>> print(result.only(commander="without").probability("panicked", moment=1))
        44.44%
        """
        tables = {name: table for name, table in self.raw_tables.items() if keys.get("table", name) == name}
        wanted = {key: value for key, value in keys.items() if key != "table"}
        rows = {name: table.only(wanted) for name, table in tables.items() if wanted.keys() <= table.keys.keys()}
        if not (rows := {name: table for name, table in rows.items() if table.height}):
            values = [
                f"{key} = {', '.join(map(str, dict.fromkeys(column)))}"
                for table in self.raw_tables.values()
                for key, column in table.keys.items()
            ]
            allowed = "; ".join(dict.fromkeys([f"table = {', '.join(self.raw_tables)}", *values]))
            raise InputError(f"no row has {_value_text(keys)}", where="metric", allowed=allowed)
        return replace(self, raw_tables=rows)

    @cached_property
    def _tables_of_events(self) -> dict[str, list[str]]:
        tables: dict[str, list[str]] = {}
        for name, table in self.raw_tables.items():
            for column in table.weights:
                if column.startswith("p_"):
                    tables.setdefault(column.removeprefix("p_"), []).append(name)
        return tables

    @property
    def events(self) -> tuple[str, ...]:
        """Names for :meth:`probability`, from the names of columns, such as ``panicked`` for ``p_panicked``."""
        return tuple(self._tables_of_events)

    @property
    def figures(self) -> tuple[str, ...]:
        """Names for :meth:`pmf` and :meth:`mean`: the tables that are distributions of a number."""
        return tuple(
            name
            for name, table in self.raw_tables.items()
            if [*table.weights] == ["probability"]
            and table.n_outcome_keys == 1
            and not isinstance([*table.keys.values()][-1][0], str)
        )

    def _times(self, name: str) -> list[Any]:
        """Return the round or turn of each row of a table; ``[None]`` if it has neither."""
        keys = self.raw_tables[name].keys
        return next((list(keys[key]) for key in ("round", "turn") if key in keys), [None])

    def _rows_at(self, name: str, moment: int | None) -> list[int]:
        """Return the indices of a table's rows in a round or turn, by default in the last."""
        times = self._times(name)
        if moment is None:
            moment = times[-1]
        elif moment not in times:
            allowed = ", ".join(map(str, dict.fromkeys(times))) if times != [None] else "left out"
            raise InputError(f"{shown(moment)} is no round or turn of this table", where="moment", allowed=allowed)
        return [row for row in range(self.raw_tables[name].height) if times == [None] or times[row] == moment]

    def endings(self, metric: str) -> list[str]:
        """Return an ending for each value that ``p_`` and an event, or a figure, has in the last round or turn.

        A name with an ending is a metric: ``p_panicked@commander=with``. A single value has the ending "".
        """
        return [*self._places(metric, None)]

    def _places(self, metric: str, moment: int | None) -> dict[str, tuple[str, list[int]]]:
        """Return the table and the rows of each value of a metric (:meth:`endings`), by its ending."""
        is_event = metric.startswith("p_")
        tables = self._tables_of_events[metric.removeprefix("p_")] if is_event else [metric]
        with_moment = [table for table in tables if moment is None or moment in self._times(table)] or tables
        labels: dict[tuple[tuple[str, Any], ...], tuple[str, list[int]]] = {}
        for table in with_moment:
            keys = [*self.raw_tables[table].keys.items()]
            for row in self._rows_at(table, moment):
                label = [(key, values[row]) for key, values in (keys if is_event else keys[:-1])]
                labels.setdefault((("table", table), *label), (table, []))[1].append(row)
        pairs = {pair for label in labels for pair in label}
        varied = {key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1}
        return {
            "".join(f"@{key}={value}" for key, value in label if key in varied): place
            for label, place in labels.items()
        }

    def _place(self, metric: str, moment: int | None) -> tuple[Table, list[int]]:
        """Return the table and the rows of the only value of a metric; InputError for several values."""
        places = self._places(metric, moment)
        if len(places) > 1:
            first = next(iter(places)).split("@")[1].partition("=")
            python = f"in Python result.only({first[0]}={first[2]!r})"
            allowed = f"one of {', '.join(places)} after the name of a metric; {python}"
            raise InputError(f"{metric.removeprefix('p_')!r} has several values", where="metric", allowed=allowed)
        ((table, rows),) = places.values()
        return self.raw_tables[table], rows

    def _event_weight(self, name: str, moment: int | None) -> float:
        table, rows = self._place(f"p_{name}", moment)
        return float(table.weights[f"p_{name}"][rows[0]])

    def _weighted_values(self, figure: str, moment: int | None) -> WeightedValues:
        table, rows = self._place(figure, moment)
        return np.array([*table.keys.values()][-1])[rows], table.weights["probability"][rows]

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the row, if there is only one table with one row at the end; else empty."""
        lines = self.summaries
        return lines[0] if len(lines) == 1 else {}

    @property
    def summaries(self) -> list[dict[str, Any]]:
        """The rows of all tables, except distributions, with the name of the table and the keys of the row."""
        measured = {name: {*table.weights, *table.means} for name, table in self.raw_tables.items()}
        names = [name for name, measures in measured.items() if measures - {"probability"}]
        return [{"table": name} | row for name in names for row in self._records(name)]

    def _possible_values(self, figure: str) -> NDArray[Any]:
        return np.array(list(self.raw_tables[figure].keys.values())[-1])

    def _all_weights(self) -> list[NDArray[Any]]:
        tables = self.raw_tables.values()
        return [*(weights for table in tables for weights in table.weights.values()), np.zeros(1)]

    def table(self, name: str | None = None) -> dict[str, Any]:
        """Return the columns of a table, by default of the main one."""
        name = next(iter(self.raw_tables)) if name is None else name
        check_text(name, "table", ", ".join(self.raw_tables))
        if name not in self.raw_tables:
            hint = did_you_mean(name, self.raw_tables)
            raise InputError(f"unknown table {shown(name)}{hint}", where="table", allowed=", ".join(self.raw_tables))
        return self.columns[name]

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """Return a table as a tidy frame, by default the main one; InputError if there is no such table.

        >>> from analyser import morale
        >>> result = morale.legion(courage=1, tokens=2, rounds=1)
        >>> round(float(result.to_frame()["p_panicked"][0]), 4)
        0.4444
        """
        return tidy(self.table(table))

    def plot(self, ax: Axes | None = None, **more: Any) -> Any:
        """Draw the panels under one title, or only the first panel on `ax`."""
        return picture_of(self, ax, **more)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table as a tidy frame, the main one first."""
        return {name: self.to_frame(name) for name in self.raw_tables}

    @property
    def schema(self) -> str:  # type: ignore[override]
        """Name and version of the result's JSON form."""
        return f"analyser/morale/{self.system}/1"

    @property
    def headline(self) -> str:
        """Sentence about the first uncertain main event, where it is likeliest; if all are certain, about the end."""
        system = SYSTEMS[self.system]
        if hasattr(system.answers, "headline"):
            sentence: str = system.answers.headline(self)
            return sentence
        if not self.events:
            return f"{system.title}: the answer has no probability."
        main = [name for name in getattr(system.answers, "MAIN_EVENTS", ()) if name in self.events]
        tables = {name: self._tables_of_events[name][0] for name in dict.fromkeys([*main, *self.events])}
        places = [(name, *self._likeliest_row(name)) for name in tables]
        uncertain = (place for place in places if CERTAIN_WITHIN < place[2] < 1 - CERTAIN_WITHIN)
        at_last = [(name, *self._likeliest_row(name, self._rows_at(tables[name], None))) for name in tables]
        name, row, probability = next(uncertain, max(at_last, key=itemgetter(2)))
        words, keys = getattr(system.answers, "KEY_WORDS", {}), self.raw_tables[tables[name]].keys
        values = {key: column[row] for key, column in keys.items()}
        texts = [words[key](value) if key in words else _key_text(key, value) for key, value in values.items()]
        return frequency_sentence(f"{', '.join([system.title, *texts])}:", spaced(name), probability)

    def _likeliest_row(self, name: str, rows: Sequence[int] | slice = slice(None)) -> tuple[int, Estimate]:
        """Return the index of the last of `rows` in which an event is likeliest, and its probability there."""
        table = self.raw_tables[self._tables_of_events[name][0]]
        weights = table.weights[f"p_{name}"][rows]
        most = np.max(weights)
        noise = 0.0 if self.trials is None else 3.0 * np.sqrt(most)  # 3 standard errors; closer counts are equal
        index = int(np.flatnonzero(weights >= most * (1.0 - 1e-9) - noise)[-1])
        return int(np.arange(table.height)[rows][index]), estimate(float(weights[index]), self.trials)

    def caption(self, width: int = 80) -> list[str]:
        """Return the system and the stated keys of the question, in at most two lines of `width` characters."""
        stated = self.scenario.model_dump(mode="json", exclude_defaults=True, exclude={"ruleset"})
        keys = _value_text({key: "default" if value == {} else value for key, value in stated.items()})
        text = f"{SYSTEMS[self.system].title}: {keys}"
        return textwrap.wrap(text, width, max_lines=2, placeholder=" ...", break_on_hyphens=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data, as ``--format json`` prints it (`docs/morale.md`)."""
        return {"system": self.system} | super().as_dict()

    def _body(self) -> dict[str, Any]:
        return {"question": self.scenario.as_dict(), "tables": {name: self._records(name) for name in self.raw_tables}}

    def _records(self, name: str) -> list[dict[str, Any]]:
        return rows_of_columns({name: np.asarray(column) for name, column in self.columns[name].items()})

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of all tables in long form: table, method, keys, measure, value, and any interval."""
        rows: list[dict[str, Any]] = []
        for name, table in self.raw_tables.items():
            head = {"table": name, "method": self.method}
            for measure in (*table.weights, *table.means) or (None,):  # a table of words has no measure
                for row in self._records(name):
                    keys = {key: row[key] for key in table.keys}
                    cells = {} if measure is None else {"measure": measure, "value": row[measure]}
                    ends = ((end, f"{measure}_{end}") for end in ("low", "high", "interval", "standard_error"))
                    rows.append(head | keys | cells | {end: row[column] for end, column in ends if column in row})
        return rows

    def heading(self) -> list[tuple[str, str]]:
        """Return the system, and the keys of the question with their values, including defaults but no empty values."""
        question = self.scenario.heading_values()
        ruleset = question.pop("ruleset")
        values = {key: value for key, value in ruleset.items() if not isinstance(value, dict)}
        sections = {f"- {spaced(key)}": value for key, value in ruleset.items() if isinstance(value, dict)}
        stated = {_title(key): value for key, value in question.items() if value not in ([], {})}
        stated |= {"Ruleset": values, **sections}
        return [("System", SYSTEMS[self.system].title), *((key, _value_text(value)) for key, value in stated.items())]

    def blocks(self) -> list[Block]:
        """Return a block for each table; a table whose only column is a probability omits rows below 0.01%."""
        return [Block(_title(name), lines=self._lines(name)) for name in self.raw_tables]

    def _lines(self, name: str) -> list[str]:
        table, columns = self.raw_tables[name], self.columns[name]
        likely = np.ones(table.height, np.bool_)
        if len(table.weights) == 1 and not table.means:
            likely = np.asarray(columns[next(iter(table.weights))]) >= NEGLIGIBLE
        case = getattr(SYSTEMS[self.system].answers, "CASES", "").lower().replace(" ", "_")
        keys = [key for key in table.keys if key != case or len(set(columns[key])) > 1]  # a single case needs no column
        rows = [[*map(_heading, (*keys, *table.weights, *table.means))]]
        for row in np.flatnonzero(likely).tolist():
            shares = [str(estimate(weights[row], self.trials)) for weights in table.weights.values()]
            cells = {name: values[row] for name, values in columns.items()}
            means = [mean_text(mean_in(cells, measure)) for measure in table.means]
            rows.append([*(str(cells[key]) for key in keys), *shares, *means])
        sides = "".join("<" if isinstance(columns[key][0], str) else ">" for key in keys) + ">"
        lines = aligned(rows, sides, gap=" | ")
        left_out = int((~likely).sum())
        share = "a probability below 0.01%" if self.trials is None else "fewer than 0.01% of the trials"
        return [*lines, f"(Left out: {counted(left_out, 'row')} with {share}.)"] if left_out else lines


def _value_text(value: Any) -> str:
    """Return a value as text, similar to its form in a file."""
    if isinstance(value, dict) and "rows" in value:  # a unit of Armoured Clash
        return f"{value['unit'] or 'a custom unit'}, {value['models']} models"
    if isinstance(value, dict):
        first = next(iter(value)) if len(value) == 1 else ""
        if first.isdecimal() and value[first] == 1.0:  # the number has probability 1
            return first
        stated = {key: inner for key, inner in value.items() if inner not in (None, [], {})}
        return ", ".join(f"{key} = {_inner_text(inner)}" for key, inner in stated.items())
    if isinstance(value, list):
        return "; ".join(map(_inner_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _inner_text(value: Any) -> str:
    """Return a value inside another as text, a table in parentheses.

    >>> _inner_text({"distance": 4.5, "kind": "friend"}), _inner_text({"2": 1.0})
    ('(distance = 4.5, kind = friend)', '2')
    """
    text = _value_text(value)
    return f"({text})" if isinstance(value, dict) and not text.isdecimal() else text


def _key_text(key: str, value: str | float) -> str:
    """Return a key of a row in words.

    >>> _key_text("round", 6), _key_text("distance", 3.0), _key_text("move", "driven_back")
    ('round 6', 'distance 3', 'driven back')
    """
    return spaced(value if isinstance(value, str) else f"{key} {value:g}")


def _title(name: str) -> str:
    return name[:1].upper() + spaced(name[1:])


def _heading(name: str) -> str:
    return f"P({spaced(name[2:])})" if name.startswith("p_") else spaced(name)
