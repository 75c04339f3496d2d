"""The answer to a question about morale: named tidy tables, exact or sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.estimates import Method, wilson_interval
from analyser.profiles import ProfilesUsed, profiles_record
from analyser.validation import Record

if TYPE_CHECKING:
    import pandas as pd

Weights = NDArray[Any]


class Mean(NamedTuple):
    """A mean, as sums over the whole law or sample: of weight times value, and of weight times its square.

    `given` is the weight of what a conditional mean is given; None for all there is.
    """

    first: Weights
    second: Weights
    given: Weights | None = None

    @classmethod
    def of(
        cls, weights: Weights, values: Sequence[float] | NDArray[Any], counted: NDArray[np.float64] | None = None
    ) -> Mean:
        """The mean of `values` under `weights`, over the last axis of both; `counted`, 1 or 0, says given what."""
        numbers = np.asarray(values, np.float64)
        if counted is None:
            return cls(weights @ numbers, weights @ numbers**2)
        return cls(weights @ (numbers * counted), weights @ (numbers**2 * counted), weights @ counted)


@dataclass(frozen=True)
class Table:
    """A table before its weights are turned into probabilities.

    Attributes
    ----------
    keys : mapping
        What each row is about, such as the round: values by column.
    chances : mapping
        The weight of what each column names (a probability, or how often it was seen), one a row.
    means : mapping
        The means, one a row.
    """

    keys: Mapping[str, Sequence[Any]]
    chances: Mapping[str, Weights]
    means: Mapping[str, Mean]


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
        from analyser.morale.text import table_text

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
        for name, weights in table.chances.items():
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
