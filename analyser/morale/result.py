"""The answer to a question about morale: named tidy tables, exact or sampled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from analyser.common.estimates import NORMAL_95, Estimate, Method, plus_minus, wilson_interval
from analyser.common.text import NEGLIGIBLE, aligned
from analyser.common.validation import Record
from analyser.game.profiles import ProfilesUsed, profiles_record
from analyser.morale.systems import SYSTEMS
from analyser.morale.tables import Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class MoraleResult:
    """What becomes of a unit's morale.

    Attributes
    ----------
    system : str
        Such as ``legion``.
    question : Record
        The question, every default filled in.
    method : "exact" or "monte-carlo"
    tables : mapping of str to Table
        The main one first. Read them with :meth:`to_frame` or :meth:`as_dict`.
    applied, not_modelled, warnings : tuple of str
        The rules that the numbers come from, those that none comes from, and what to know about the question.
    trials, seed : int or None
        Monte Carlo only.
    profiles : ProfilesUsed or None
        Where the ruleset, and the units of a duel, come from.
    """

    system: str
    question: Record
    method: Method
    tables: Mapping[str, Table]
    applied: tuple[str, ...] = ()
    not_modelled: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    trials: int | None = None
    seed: int | None = None
    profiles: ProfilesUsed | None = None

    def __str__(self) -> str:
        """What the command line prints."""
        return table_text([self])

    __repr__ = __str__  # a shell shows what is printed

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact."""
        return self.method == "exact"

    @cached_property
    def columns(self) -> dict[str, dict[str, Any]]:
        """The columns of every table by name: keys, probabilities, means.

        Of a sample, ``p_x`` is followed by ``p_x_low`` and ``p_x_high``, its Wilson score interval at 95%, and
        ``mean_x`` by ``mean_x_standard_error``.
        """
        return {name: self._columns_of(table) for name, table in self.tables.items()}

    def _columns_of(self, table: Table) -> dict[str, Any]:
        columns: dict[str, Any] = {name: list(values) for name, values in table.keys.items()}
        for name, weights in table.probabilities.items():
            if self.trials is None:
                columns[name] = np.clip(weights, 0.0, 1.0)
            else:
                low, high = wilson_interval(weights, self.trials)
                columns |= {name: weights / self.trials, f"{name}_low": low, f"{name}_high": high}
        for name, mean in table.means.items():
            number = (self.trials or 1) if mean.given is None else np.maximum(mean.given, np.finfo(np.float64).tiny)
            columns[name] = mean.first / number
            if self.trials is not None:
                variance = np.maximum(mean.second / number - columns[name] ** 2, 0.0)
                columns[f"{name}_standard_error"] = np.sqrt(variance / number)
        return columns

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """One table as a tidy frame; left out: the main one.

        Raises
        ------
        KeyError
            There is no such table.

        Examples
        --------
        >>> from analyser import morale
        >>> result = morale.exact("legion", {"courage": 1, "tokens": 2, "rounds": 1})
        >>> round(float(result.to_frame()["p_panicked"][0]), 4)
        0.4444
        """
        import pandas as pd

        return pd.DataFrame(self.columns[table or next(iter(self.tables))])

    def as_dict(self) -> dict[str, Any]:
        """The result as plain data: what ``--format json`` prints (`docs/morale.md`)."""
        result: dict[str, Any] = {
            "system": self.system, "method": self.method, "question": self.question.model_dump(mode="json")
        }  # fmt: skip
        result |= profiles_record(self.profiles)
        if self.trials is not None:
            result |= {"trials": self.trials, "seed": self.seed}
        return result | {
            "tables": {name: _records(columns) for name, columns in self.columns.items()},
            "applied": list(self.applied),
            "not_modelled": list(self.not_modelled),
            "warnings": list(self.warnings),
        }


def _records(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Columns as one plain dict a row, ready for JSON."""
    values = [each.tolist() if isinstance(each, np.ndarray) else each for each in columns.values()]
    return [dict(zip(columns, row)) for row in zip(*values)]


def table_text(results: Sequence[MoraleResult]) -> str:
    """One question's answer by one method or by both, for a terminal."""
    first = results[0]
    blocks = [[f"{SYSTEMS[first.system].title}", *aligned(list(_stated(first)), "<")]]
    for result in results:
        blocks += [[f"{_title(name)} ({_method(result)})", *_rows(result, name)] for name in result.tables]
    for heading, entries in (
        ("Rules applied", first.applied), ("Not modelled", first.not_modelled), ("Warnings", first.warnings)
    ):  # fmt: skip
        if entries:
            blocks.append([heading, *(f"- {entry}" for entry in entries)])
    if first.profiles is not None:
        blocks.append([f"Profiles: {first.profiles}"])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _stated(result: MoraleResult) -> Iterator[tuple[str, str]]:
    """The question with its defaults, keys that say nothing left out."""
    question = result.question.model_dump(mode="json", exclude_none=True)
    ruleset = question.pop("ruleset")
    for key, value in question.items():
        if value not in ([], {}):
            yield _title(key), _shown(value)
    yield "Ruleset", _shown({key: value for key, value in ruleset.items() if not isinstance(value, dict)})
    for section, values in ruleset.items():
        if isinstance(values, dict):
            yield f"- {section.replace('_', ' ')}", _shown(values)


def _shown(value: Any) -> str:
    """A value as a file would say it."""
    if isinstance(value, dict) and "rows" in value:  # a unit of Armoured Clash
        return f"{value['unit'] or 'a unit of its own'}, {value['models']} models"
    if isinstance(value, dict):
        only = next(iter(value)) if len(value) == 1 else ""
        if only.isdecimal() and value[only] == 1.0:  # the law of one number
            return only
        return ", ".join(f"{key} = {_inside(inner)}" for key, inner in value.items() if inner not in (None, [], {}))
    if isinstance(value, list):
        return "; ".join(map(_shown, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _inside(value: Any) -> str:
    return f"({_shown(value)})" if isinstance(value, dict) else _shown(value)


def _title(name: str) -> str:
    return name[:1].upper() + name[1:].replace("_", " ")


def _method(result: MoraleResult) -> str:
    if result.trials is None:
        return "exact"
    return f"Monte Carlo, {result.trials:,} trials, seed {result.seed}, intervals at 95%"


def _rows(result: MoraleResult, name: str) -> list[str]:
    """The lines of one table; a long one without the rows that are as good as impossible."""
    table, columns = result.tables[name], result.columns[name]
    height = len(next(iter(columns.values())))
    shown = [row for row in range(height) if len(table.probabilities) != 1 or table.means or _likely(result, name, row)]
    rows = [[*map(_heading, table.keys), *map(_heading, table.probabilities), *map(_heading, table.means)]]
    for row in shown:
        keys = [str(columns[key][row]) for key in table.keys]
        chances = [str(_estimate(columns, key, row)) for key in table.probabilities]
        means = [_mean(columns, key, row) for key in table.means]
        rows.append([*keys, *chances, *means])
    sides = "".join("<" if isinstance(columns[key][0], str) else ">" for key in table.keys) + ">"
    lines = aligned(rows, sides, gap=" | ")
    return lines if len(shown) == height else [*lines, f"({height - len(shown)} rows below 0.01% are left out)"]


def _likely(result: MoraleResult, name: str, row: int) -> bool:
    return any(result.columns[name][key][row] >= NEGLIGIBLE for key in result.tables[name].probabilities)


def _heading(name: str) -> str:
    kind, _, rest = name.partition("_")
    what = rest.replace("_", " ")
    return f"P({what})" if kind == "p" else f"mean {what}" if kind == "mean" else name.replace("_", " ")


def _estimate(columns: dict[str, Any], name: str, row: int) -> Estimate:
    low, high = columns.get(f"{name}_low"), columns.get(f"{name}_high")
    if low is None or high is None:
        return Estimate(float(columns[name][row]))
    return Estimate(float(columns[name][row]), float(low[row]), float(high[row]))


def _mean(columns: dict[str, Any], name: str, row: int) -> str:
    value, error = float(columns[name][row]), columns.get(f"{name}_standard_error")
    return f"{value:.3f}" if error is None else plus_minus(value, NORMAL_95 * float(error[row]))


def rows(results: Sequence[MoraleResult]) -> list[dict[str, Any]]:
    """Every table in one, in long form: table, method, keys, measure, value, and the interval of a sample."""
    import pandas as pd

    found = pd.concat([_long(result, name) for result in results for name in result.tables]).astype(object)
    used = results[0].profiles
    return [
        {str(name): value for name, value in row.items()}
        for row in found.where(found.notna(), None)
        .assign(profiles="" if used is None else str(used))
        .to_dict("records")
    ]


def _long(result: MoraleResult, name: str) -> Any:
    frame, table = result.to_frame(name), result.tables[name]
    parts = [] if table.probabilities or table.means else [frame]  # a table of words
    for measure in (*table.probabilities, *table.means):
        part = frame[list(table.keys)].assign(measure=measure, value=frame[measure])
        if not result.exact and measure in table.probabilities:
            part = part.assign(low=frame[f"{measure}_low"], high=frame[f"{measure}_high"])
        elif not result.exact:
            part = part.assign(standard_error=frame[f"{measure}_standard_error"])
        parts.append(part)
    import pandas as pd

    found = pd.concat(parts)
    found.insert(0, "table", name)
    found.insert(1, "method", result.method)
    return found
