"""What an answer about morale is made of: tables, before their weights become probabilities; panels; rules."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.sampling import Sampling
from analyser.engine.chain.chain import Chain, Recorded
from analyser.engine.chain.exact import exact_distributions
from analyser.engine.chain.on_demand import sampled_counts
from analyser.results.base import RulesUsed

if TYPE_CHECKING:
    from analyser.morale.pictures import Panel

Weights = Any  # probabilities, or how often something was seen: an array, or a sparse one
Keys = Mapping[str, Sequence[Any]]
Facts = Mapping[str, Any]  # what there is to say, and whether it holds


class Mean(NamedTuple):
    """A mean, as sums over a distribution or a sample: of weight times value, and of weight times its square.

    `given` is the weight of what a conditional mean is given; None for all there is.
    """

    first: Weights
    second: Weights
    given: Weights | None = None

    @classmethod
    def of(cls, weights: Weights, values: Sequence[float] | NDArray[Any]) -> Mean:
        """The mean of `values` under `weights`, over the last axis of both."""
        numbers = np.asarray(values, np.float64)
        return cls(weights @ numbers, weights @ numbers**2)


@dataclass(frozen=True)
class Table:
    """A table of an answer.

    Attributes
    ----------
    keys : mapping
        What each row is about, such as the round: values by column.
    probabilities : mapping
        The weight of what each column names, one a row.
    means : mapping
        The means, one a row.
    """

    keys: Keys
    probabilities: Mapping[str, Weights] = field(default_factory=dict)
    means: Mapping[str, Mean] = field(default_factory=dict)

    @classmethod
    def crossed(
        cls, first: Keys, then: Keys, columns: Mapping[str, Weights], kept: NDArray[np.bool_] | None = None
    ) -> Table:
        """Each row of the keys `first` with each of `then`, or those `kept`; shapes (rows of first, rows of then)."""
        shape = next(iter(columns.values())).shape
        rows, places = np.nonzero(np.ones(shape) if kept is None else kept)
        keys = {name: [values[row] for row in rows.tolist()] for name, values in first.items()}
        keys |= {name: [values[place] for place in places.tolist()] for name, values in then.items()}
        return cls(keys, {name: weights[rows, places] for name, weights in columns.items()})

    @classmethod
    def distribution(cls, first: Keys, then: Keys, weights: Weights, kept: NDArray[np.bool_] | None = None) -> Table:
        """The probability of each row of `then` in each row of `first`: shape (rows of first, rows of then)."""
        return cls.crossed(first, then, {"probability": weights}, kept)


def counted(first: Keys, number: str, weights: Weights, numbers: NDArray[Any], most: int) -> Table:
    """The distribution of a number from 0 to `most` in each row of `first`; `numbers` are those of the states."""
    columns = weights @ (numbers[:, np.newaxis] == np.arange(most + 1))
    return Table.distribution(first, {number: range(most + 1)}, columns)


def turns_of(weights: Weights, name: str = "turn") -> dict[str, list[int]]:
    """The turns that weights of shape (turns, ...) are of, as a key."""
    return {name: [*range(1, weights.shape[0] + 1)]}


def stacked(name: str, tables: Mapping[Any, Table]) -> Table:
    """Tables of the same columns one below the other, told apart by a first key of that name."""
    several = list(tables.values())
    keys = {key: [value for table in several for value in table.keys[key]] for key in several[0].keys}
    heights = [len(next(iter(table.probabilities.values()))) for table in several]
    first = {name: [value for value, height in zip(tables, heights) for _ in range(height)]}
    return Table(
        first | keys,
        {key: np.concatenate([table.probabilities[key] for table in several]) for key in several[0].probabilities},
        {
            key: Mean(*(np.concatenate([table.means[key][part] for table in several]) for part in range(2)))
            for key in several[0].means
        },
    )


def weights_of(chains: Mapping[str, Chain], sampling: Sampling) -> dict[str, Recorded]:
    """The recorded distributions of each chain, or the counts of a sample.

    Raises
    ------
    InputError
        There is no room for the distributions (a :class:`~analyser.common.errors.TooLargeError`), or for the counts.
    """
    if sampling.is_exact:
        return {name: exact_distributions(chain) for name, chain in chains.items()}
    trials = sampling.first_trials()

    def report(part: int, done: int) -> None:
        sampling.report(part * trials + done, len(chains) * trials)

    return {
        name: sampled_counts(chain, trials, sampling.seed, part, sampling.n_threads, partial(report, part))
        for part, (name, chain) in enumerate(chains.items())
    }


class Answer(NamedTuple):
    """Tables by name, the main one first, and the panels of the picture."""

    tables: Mapping[str, Table]
    panels: Sequence[Panel]


def holding(facts: Facts) -> tuple[str, ...]:
    """What holds of some facts."""
    return tuple(text for text, holds in facts.items() if holds)


def rules_used(applied: Facts, not_modelled: Facts | None = None, warnings: Facts | None = None) -> RulesUsed:
    """The rules that an answer rests on, from what can have its occasion."""
    return RulesUsed(holding(applied), (), holding(not_modelled or {}), (), holding(warnings or {}))


class Part:
    """What answers a section of a question: `chain`, or several by name, `answer` to what it came to, and `rules`."""

    def __init__(self, asked: Any, question: Any) -> None:
        self.asked, self.question = asked, question


class Sections:
    """Answers to a question in sections: those of the part of each section that is asked, one after the other."""

    def __init__(self, **kinds: type[Part]) -> None:
        self._kinds = kinds
        self.parts = lru_cache(maxsize=16)(self._parts)

    def _parts(self, question: Any) -> dict[str, Any]:
        """The part of each section that is asked, by name."""
        asked = {name: getattr(question, name) for name in self._kinds}
        return {name: self._kinds[name](each, question) for name, each in asked.items() if each is not None}

    def chains(self, question: Any) -> dict[str, Chain]:
        """The chains of each section."""
        chains: dict[str, Chain] = {}
        for name, part in self.parts(question).items():
            of_part = part.chain()
            chains |= of_part if isinstance(of_part, dict) else {name: of_part}
        return chains

    def answer(self, question: Any, recorded: Mapping[str, Recorded]) -> Answer:
        """The tables and panels of each section."""
        tables: dict[str, Table] = {}
        panels: list[Panel] = []
        for name, part in self.parts(question).items():
            of_part: Answer = part.answer(recorded.get(name, recorded))
            tables |= of_part.tables
            panels += of_part.panels
        return Answer(tables, panels)

    def rules(self, question: Any) -> RulesUsed:
        """The rules of each section."""
        return joined(part.rules() for part in self.parts(question).values())


def joined(several: Iterable[RulesUsed]) -> RulesUsed:
    """The rules of several answers as one."""
    parts = zip(*((rules.applied, (), rules.not_modelled, (), rules.warnings) for rules in several))
    return RulesUsed(*(tuple(itertools.chain(*part)) for part in parts))
