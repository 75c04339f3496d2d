"""Tables of an answer before their weights are turned into probabilities, and the shapes that many systems share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[Any]
Keys = dict[str, list[Any]]


class Mean(NamedTuple):
    """A mean, as sums over a distribution or a sample: of weight times value, and of weight times its square.

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
    """A table of an answer.

    Attributes
    ----------
    keys : mapping
        What each row is about, such as the round: values by column.
    probabilities : mapping
        The weight of what each column names (a probability, or how often it was seen), one a row.
    means : mapping
        The means, one a row.
    """

    keys: Mapping[str, Sequence[Any]]
    probabilities: Mapping[str, Weights] = field(default_factory=dict)
    means: Mapping[str, Mean] = field(default_factory=dict)

    @classmethod
    def of_rows(cls, names: Sequence[str], rows: Iterable[Sequence[Any]], column: str = "probability") -> Table:
        """A table of rows, each its keys (called `names`) and then its weight."""
        *keys, weights = zip(*rows)
        return cls({name: list(values) for name, values in zip(names, keys)}, {column: np.array(weights)})


def by_turn(weights: Weights, numbers: NDArray[Any], most: int, *, turn: str = "turn", number: str = "units") -> Table:
    """The distribution of a number from 0 to `most` in each turn.

    Parameters
    ----------
    weights : array, shape (turns, states)
    numbers : integer array, shape (states,)
        The number in each state.
    turn, number : str
        What the keys are called.
    """
    turns, values = range(1, weights.shape[0] + 1), range(most + 1)
    keys: Keys = {turn: [each for each in turns for _ in values], number: [*values] * len(turns)}
    return Table(keys, {"probability": (weights @ (numbers[:, np.newaxis] == np.arange(most + 1))).ravel()})


def by_unit_and_turn(probabilities: Mapping[str, Weights], turn: str = "turn", **more: Sequence[Any]) -> Table:
    """Probabilities of each unit in each turn, arrays of shape (turns, units); further keys have one value a unit."""
    turns, units = next(iter(probabilities.values())).shape
    keys: Keys = {"unit": [*range(1, units + 1)]} | {name: list(values) for name, values in more.items()}
    keys = {name: [value for value in values for _ in range(turns)] for name, values in keys.items()}
    columns = {name: each.T.ravel() for name, each in probabilities.items()}
    return Table(keys | {turn: [*range(1, turns + 1)] * units}, columns)


def stacked(tables: Sequence[Table], **first: Sequence[Any]) -> Table:
    """Tables of the same columns one below the other, each with a value of its own of the keys that come first."""
    keys: Keys = {name: [] for name in (*first, *tables[0].keys)}
    for place, table in enumerate(tables):
        height = len(next(iter(table.keys.values())))
        for name, values in table.keys.items():
            keys[name] += values
        for name, values_of in first.items():
            keys[name] += [values_of[place]] * height
    return Table(
        keys,
        {name: np.concatenate([each.probabilities[name] for each in tables]) for name in tables[0].probabilities},
        {
            name: Mean(*(np.concatenate([each.means[name][part] for each in tables]) for part in range(2)))
            for name in tables[0].means
        },
    )
