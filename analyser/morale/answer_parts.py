"""Parts of an answer about morale: tables of probabilities and means, panels of the picture, and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyser import plots
from analyser.common.method_settings import Sampling
from analyser.engine.chain.chain import Chain, Recorded
from analyser.engine.chain.exact import exact_distributions
from analyser.engine.chain.simulated import simulated_counts
from analyser.results.base import RulesUsed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from analyser.morale.result import MoraleResult
    from analyser.plots.distributions import Panels

WIDTH, HEIGHT = 5.8, 3.4  # size of a panel with its legend, in inches
TITLE_CHARACTERS = 66  # most characters of a title line, for each column of panels


SectionT = TypeVar("SectionT")  # a section of a question
Weights = Any  # a dense or sparse array: exact probabilities, or counts of simulated trials
Keys = Mapping[str, Sequence[Any]]  # the key columns of a table by name, with a value for each row


class Sums(NamedTuple):
    """Sums for a mean and its interval: ``weight * value`` in `total`, ``weight * value**2`` in `total_of_squares`."""

    total: Weights
    total_of_squares: Weights
    condition: Weights | None = None  # for a conditional mean: total weight of the states that meet the condition
    ends: tuple[float, float] = (-np.inf, np.inf)  # smallest and largest possible value

    @classmethod
    def of(cls, weights: Weights, values: NDArray[Any]) -> Sums:
        """Return the sums for the mean of `values` with these `weights`, over the last axis of both."""
        numbers = np.asarray(values, np.float64)
        ends = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)
        return cls(weights @ numbers, weights @ numbers**2, ends=ends)

    def only(self, rows: Sequence[int]) -> Sums:
        """Return the sums of some rows."""
        condition = None if self.condition is None else self.condition[rows]
        return self._replace(total=self.total[rows], total_of_squares=self.total_of_squares[rows], condition=condition)


@dataclass(frozen=True)
class Table:
    """A table of an answer: columns of keys (such as the round), of weights and of means.

    If `probability` is the only weight, the last `n_outcome_keys` keys name the outcome, and rows that agree in all
    other keys form a distribution.
    """

    keys: Keys
    weights: Mapping[str, Weights] = field(default_factory=dict)
    means: Mapping[str, Sums] = field(default_factory=dict)
    n_outcome_keys: int = 1

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(next(iter(self.keys.values()), [None]))

    def only(self, wanted: Mapping[str, Any]) -> Table:
        """Return the rows whose keys have the values in `wanted`, which may also be texts of these values."""
        texts = {key: str(value) for key, value in wanted.items()}
        rows = [row for row in range(self.height) if all(str(self.keys[key][row]) == texts[key] for key in texts)]
        keys = {name: [values[row] for row in rows] for name, values in self.keys.items()}
        means = {name: sums.only(rows) for name, sums in self.means.items()}
        return replace(self, keys=keys, weights={name: self.weights[name][rows] for name in self.weights}, means=means)

    @classmethod
    def product_of(
        cls, first: Keys, second: Keys, columns: Mapping[str, Weights], pairs: NDArray[np.bool_] | None = None
    ) -> Table:
        """Return a table with a row for each of `pairs` (default: all) of rows of `first` and `second`.

        Each array in `columns` has the shape (rows of `first`, rows of `second`); so has `pairs`.
        """
        shape = next(iter(columns.values())).shape
        rows, indices = np.nonzero(np.ones(shape) if pairs is None else pairs)
        keys = {name: [values[row] for row in rows.tolist()] for name, values in first.items()}
        keys |= {name: [values[index] for index in indices.tolist()] for name, values in second.items()}
        weights = {name: column[rows, indices] for name, column in columns.items()}
        return cls(keys, weights, n_outcome_keys=len(second))

    @classmethod
    def distribution(cls, first: Keys, then: Keys, weights: Weights, pairs: NDArray[np.bool_] | None = None) -> Table:
        """Return the distribution of the outcomes `then` for each row of `first`."""
        return cls.product_of(first, then, {"probability": weights}, pairs)


def tally(first: Keys, name: str, weights: Weights, number_of_state: NDArray[Any], most: int) -> Table:
    """Return the distribution of the number `name` (0 to `most`) for each row of `first`, from weights of states."""
    columns = weights @ (number_of_state[:, np.newaxis] == np.arange(most + 1))
    return Table.distribution(first, {name: range(most + 1)}, columns)


def turn_key(weights: Weights, name: str = "turn") -> dict[str, list[int]]:
    """Return the key `name` with the turns 1, 2, ... along the first axis of `weights`."""
    return {name: [*range(1, weights.shape[0] + 1)]}


def stack(name: str, tables: Mapping[Any, Table]) -> Table:
    """Concatenate tables with equal columns; a new first key, `name`, holds the name of each row's table."""
    stacked = list(tables.values())
    keys = {name: [value for value, table in tables.items() for _ in next(iter(table.weights.values()))]}
    keys |= {key: [value for table in stacked for value in table.keys[key]] for key in stacked[0].keys}
    weights = {key: np.concatenate([table.weights[key] for table in stacked]) for key in stacked[0].weights}
    means = {}
    for key in stacked[0].means:
        totals, totals_of_squares, _, ends = zip(*(table.means[key] for table in stacked))
        lows, highs = zip(*ends)
        means[key] = Sums(np.concatenate(totals), np.concatenate(totals_of_squares), ends=(min(lows), max(highs)))
    return Table(keys, weights, means, stacked[0].n_outcome_keys)


def chain_weights(chains: Mapping[str, Chain], sampling: Sampling) -> dict[str, Recorded]:
    """Return each chain's exact distributions or counts of simulated trials; InputError if it has too many states."""
    if sampling.is_exact:
        return {name: exact_distributions(chain) for name, chain in chains.items()}
    trials = sampling.first_trials()

    def report(part: int, done: int) -> None:
        sampling.report(part * trials + done, len(chains) * trials)

    return {
        name: simulated_counts(chain, trials, sampling.seed, part, sampling.n_threads, partial(report, part))
        for part, (name, chain) in enumerate(chains.items())
    }


Tables = dict[str, Table]  # tables by name, the main table first


class Panel(NamedTuple):
    """A panel of a picture; it shows the rows of a table whose keys have the values in `where`.

    With `by`, the panel is repeated for each value of that key. The kinds of plot show, for each value of the key `x`:
    ``curves``: probabilities, the columns `shown` (default: all); ``cells``: the distribution of the number `shown`;
    ``bars``: the column `shown`, hatched if a key has a value listed in `lost`; ``fates``: see `plots.fates`.
    """

    plot: Literal["curves", "cells", "bars", "fates"]
    table: str
    heading: str
    x: str = "turn"
    shown: Any = "probability"
    by: str = ""
    where: Mapping[str, Any] = {}
    lost: Mapping[str, tuple[str, ...]] = {}


def panels_of(declared: Sequence[Panel], tables: Mapping[str, Table]) -> list[Panel]:
    """Return the declared panels that have a table; a panel with `by` is repeated for each value of that key."""
    panels = []
    for panel in (panel for panel in declared if panel.table in tables):
        keys = tables[panel.table].keys
        where = {key: value for key, value in panel.where.items() if key in keys}
        values = [{panel.by: value} for value in dict.fromkeys(keys.get(panel.by, ()))]
        for value in values or [{}]:
            texts = (f"{key.replace('_', ' ')}: {word}" for key, word in value.items())
            panels.append(panel._replace(heading=", ".join([panel.heading, *texts]), where=where | value))
    return panels


def rules_used(
    applied: Mapping[str, Any], not_modelled: Mapping[str, Any] = {}, warnings: Mapping[str, Any] = {}
) -> RulesUsed:
    """Return the rules and warnings that apply; each text has a value that is truthy if the text applies."""
    applying = [tuple(text for text in texts if texts[text]) for texts in (applied, not_modelled, warnings)]
    return RulesUsed(applying[0], not_modelled=applying[1], warnings=applying[2])


class Section(Generic[SectionT]):
    """Answer to a section of a question; subclasses define `chain`, `answer` (tables) and `rules`."""

    def __init__(self, section: SectionT, question: Any) -> None:
        self.section, self.question = section, question
        self._prepare()

    def _prepare(self) -> None:
        """Compute the values that the chain and the answer share."""


class Sections:
    """Answers to a question with several sections; `kinds` maps a section's name to the class that answers it."""

    def __init__(self, **kinds: type[Section[Any]]) -> None:
        self._kinds = kinds
        self.answers_by_section = lru_cache(maxsize=16)(self._answers_by_section)

    def _answers_by_section(self, question: Any) -> dict[str, Any]:
        sections = {name: getattr(question, name) for name in self._kinds}
        return {name: self._kinds[name](section, question) for name, section in sections.items() if section is not None}

    def chains(self, question: Any) -> dict[str, Chain]:
        """Return the chains of all sections."""
        return {name: section.chain() for name, section in self.answers_by_section(question).items()}

    def answer(self, question: Any, recorded: Mapping[str, Recorded]) -> Tables:
        """Return the tables of all sections."""
        tables: Tables = {}
        for name, section in self.answers_by_section(question).items():
            tables |= section.answer(recorded[name])
        return tables

    def rules(self, question: Any) -> RulesUsed:
        """Return the rules of all sections; a limitation or warning of only some sections names them."""
        sections = self.answers_by_section(question)
        used: dict[str, RulesUsed] = {name: section.rules() for name, section in sections.items()}

        def named(field: str) -> Iterator[str]:
            for text in dict.fromkeys(text for rules in used.values() for text in getattr(rules, field)):
                names = [name for name, rules in used.items() if text in getattr(rules, field)]
                yield text if len(names) == len(used) else f"{text} ({', '.join(names)})"

        applied = dict.fromkeys(text for rules in used.values() for text in rules.applied)
        return RulesUsed((*applied,), not_modelled=(*named("not_modelled"),), warnings=(*named("warnings"),))


def picture_of(result: MoraleResult, ax: Axes | None = None, **more: Any) -> Axes | Panels:
    """Draw the panels of an answer under its caption; with `ax`, draw only the first panel there, without caption."""
    panels = result.panels
    columns = 1 + (len(panels) > 2)
    caption = "\n".join(result.caption(columns * TITLE_CHARACTERS))
    if ax is not None or len(panels) == 1:
        title = {} if ax is not None else {"title": f"{caption}\n{panels[0].heading}, percent"}
        return _panel_plot(result, panels[0])(ax=ax, **{**title, **more})
    panel_plots = {f"{panel.heading}, percent": _panel_plot(result, panel) for panel in panels}
    layout: dict[str, Any] = {"columns": columns, "size": (WIDTH, HEIGHT), "share": False}
    return plots.panels(panel_plots, lambda plot, **options: plot(**options), **layout, **{"title": caption, **more})


def _panel_plot(result: MoraleResult, panel: Panel) -> Callable[..., Axes]:
    """Return a function that draws a panel; curves that are always 0 are left out, if any other curve remains."""
    frame, shown = result.to_frame(panel.table), panel.shown
    shared: dict[str, Any] = {"x": panel.x}
    for key, value in panel.where.items():
        frame = frame[frame[key] == value]
    if panel.plot == "fates":
        return partial(plots.fates, frame)
    if panel.plot == "curves":
        columns = result.raw_tables[panel.table].weights if shown == "probability" else shown
        labels = {name: name.removeprefix("p_").replace("_", " ") for name in columns}
        possible = {name: label for name, label in labels.items() if (frame[name] > 0).any()}
        return partial(plots.curves, frame, lines=possible or labels, **shared)
    if panel.plot == "cells":
        return partial(plots.distributions_by_round, frame, number=shown, **shared)
    for key, hatched in panel.lost.items():
        frame = frame.assign(lost=frame[key].isin(hatched))
    lost = "lost" if panel.lost else None
    names = {shown: "probability", f"{shown}_low": "low", f"{shown}_high": "high"}
    kept = [name for name in (panel.x, *panel.lost, *names, lost) if name in frame]
    frame = frame[kept].rename(columns=names)
    return partial(plots.distribution, frame, kind="bars", lost=lost, **shared)
