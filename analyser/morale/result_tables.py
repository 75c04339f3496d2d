"""Parts of an answer about morale: tables of weights (probabilities or counts of trials), picture and rules.

The picture has a panel for each table to show, in the order of the sections.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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

WIDTH, HEIGHT = 5.8, 3.4  # inches of a panel with its legend
CHARACTERS, NOTE = 66, 32  # characters per line: of the title above a panel, of a note below a panel of a comparison

SectionT = TypeVar("SectionT")  # a section of a question
Weights = Any  # probabilities or counts: an array or a sparse one
Keys = Mapping[str, Sequence[Any]]
TextsAndTruth = Mapping[str, Any]  # texts, each with a truthy value if it is true


class Mean(NamedTuple):
    """A mean as two sums over weights: of weight times value, and of weight times the square of the value."""

    first: Weights
    second: Weights
    condition: Weights | None = None  # weight of the condition of a conditional mean; None: not conditional
    ends: tuple[float, float] = (-np.inf, np.inf)  # smallest and largest possible value

    @classmethod
    def of(cls, weights: Weights, values: Sequence[float] | NDArray[Any]) -> Mean:
        """Return the mean of `values` under `weights`, over the last axis of both."""
        numbers = np.asarray(values, np.float64)
        ends = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)
        return cls(weights @ numbers, weights @ numbers**2, ends=ends)


@dataclass(frozen=True)
class Table:
    """A table of an answer: columns of keys, such as the round, and the weights and means in each row.

    The last `outcomes` keys are outcomes; the other keys identify the distribution, such as by round and unit.
    """

    keys: Keys
    probabilities: Mapping[str, Weights] = field(default_factory=dict)
    means: Mapping[str, Mean] = field(default_factory=dict)
    outcomes: int = 1

    @classmethod
    def product_of(
        cls, first: Keys, second: Keys, columns: Mapping[str, Weights], pairs: NDArray[np.bool_] | None = None
    ) -> Table:
        """Return a row for each pair of rows of `first` and `second`, or those in `pairs`; shapes (first, second)."""
        shape = next(iter(columns.values())).shape
        rows, indices = np.nonzero(np.ones(shape) if pairs is None else pairs)
        keys = {name: [values[row] for row in rows.tolist()] for name, values in first.items()}
        keys |= {name: [values[index] for index in indices.tolist()] for name, values in second.items()}
        return cls(keys, {name: weights[rows, indices] for name, weights in columns.items()}, outcomes=len(second))

    @classmethod
    def distribution(cls, first: Keys, then: Keys, weights: Weights, pairs: NDArray[np.bool_] | None = None) -> Table:
        """Return the distribution of the outcomes `then` in each row of `first`."""
        return cls.product_of(first, then, {"probability": weights}, pairs)


def tally(first: Keys, number: str, weights: Weights, numbers: NDArray[Any], most: int) -> Table:
    """Return the distribution of a number, 0 to `most`, in each row of `first`; `numbers` has that of each state."""
    columns = weights @ (numbers[:, np.newaxis] == np.arange(most + 1))
    return Table.distribution(first, {number: range(most + 1)}, columns)


def turn_key(weights: Weights, name: str = "turn") -> dict[str, list[int]]:
    """Return a key with the turns, which are the first axis of `weights`."""
    return {name: [*range(1, weights.shape[0] + 1)]}


def stack(name: str, tables: Mapping[Any, Table]) -> Table:
    """Return tables with the same columns as one table with a new first key of this name."""
    stacked = list(tables.values())
    keys = {name: [value for value, table in tables.items() for _ in next(iter(table.probabilities.values()))]}
    keys |= {key: [value for table in stacked for value in table.keys[key]] for key in stacked[0].keys}
    weights = {key: np.concatenate([table.probabilities[key] for table in stacked]) for key in stacked[0].probabilities}
    means = {}
    for key in stacked[0].means:
        first, second, _, ends = zip(*(table.means[key] for table in stacked))
        lows, highs = zip(*ends)
        means[key] = Mean(np.concatenate(first), np.concatenate(second), ends=(min(lows), max(highs)))
    return Table(keys, weights, means, stacked[0].outcomes)


def chain_weights(chains: Mapping[str, Chain], sampling: Sampling) -> dict[str, Recorded]:
    """Return the exact distributions or simulated counts of each chain; InputError if it has too many states."""
    if sampling.is_exact:
        return {name: exact_distributions(chain) for name, chain in chains.items()}
    trials = sampling.first_trials()

    def report(part: int, done: int) -> None:
        sampling.report(part * trials + done, len(chains) * trials)

    return {
        name: simulated_counts(chain, trials, sampling.seed, part, sampling.n_threads, partial(report, part))
        for part, (name, chain) in enumerate(chains.items())
    }


class Panel(NamedTuple):
    """A panel of the picture: the rows of a table whose keys have the values in `where`.

    Curves show probabilities by round; `what` maps their columns to labels. Cells show the distribution of the number
    `what` by round. Bars show the column `what`, hatched in rows with a value in `lost`.
    """

    draw: Literal["curves", "cells", "bars"]
    table: str
    heading: str
    x: str
    what: Any = "probability"
    where: Mapping[str, Any] = {}
    lost: Mapping[str, tuple[str, ...]] = {}


Curves, Cells, Bars = partial(Panel, "curves"), partial(Panel, "cells"), partial(Panel, "bars")


class FatePanels(NamedTuple):
    """Panels of a comparison, for each system the table `fates` with notes from the table `equivalents`."""

    titles: Mapping[str, str]  # keys: names of systems


Answer = tuple[Mapping[str, Table], Sequence[Panel | FatePanels]]  # tables by name, the main one first, and the panels


class Rules(NamedTuple):
    """Rules used, rules not modelled, and warnings; each text has a truthy value if it applies."""

    applied: TextsAndTruth
    not_modelled: Mapping[str, Any] = {}
    warnings: Mapping[str, Any] = {}

    def used(self) -> RulesUsed:
        """Return the rules and warnings that apply."""
        applied, not_modelled, warnings = (tuple(text for text in texts if texts[text]) for texts in self)
        return RulesUsed(applied=applied, not_modelled=not_modelled, warnings=warnings)


class Section(Generic[SectionT]):
    """Answers to a section of a question: `chain` (or several by name), `answer` from their weights, and `rules`."""

    def __init__(self, section: SectionT, question: Any) -> None:
        self.section, self.question = section, question
        self._prepare()

    def _prepare(self) -> None:
        """Compute the values that the chain and the answer share."""


class Sections:
    """Answers to a question with several sections; `kinds` has the class for each section."""

    def __init__(self, **kinds: type[Section[Any]]) -> None:
        self._kinds = kinds
        self.of = lru_cache(maxsize=16)(self._of)

    def _of(self, question: Any) -> dict[str, Any]:
        sections = {name: getattr(question, name) for name in self._kinds}
        return {name: self._kinds[name](section, question) for name, section in sections.items() if section is not None}

    def chains(self, question: Any) -> dict[str, Chain]:
        """Return the chains of all sections."""
        chains: dict[str, Chain] = {}
        for name, section in self.of(question).items():
            chain = section.chain()
            chains |= chain if isinstance(chain, dict) else {name: chain}
        return chains

    def answer(self, question: Any, recorded: Mapping[str, Recorded]) -> Answer:
        """Return the tables and panels of all sections."""
        tables: dict[str, Table] = {}
        panels: list[Panel | FatePanels] = []
        for name, section in self.of(question).items():
            section_tables, section_panels = section.answer(recorded.get(name, recorded))
            tables |= section_tables
            panels += section_panels
        return tables, panels

    def rules(self, question: Any) -> Rules:
        """Return the rules of all sections; a text applies if it applies to one of them."""
        merged: tuple[dict[str, Any], ...] = {}, {}, {}
        for section in self.of(question).values():
            for texts, section_texts in zip(merged, section.rules()):
                texts.update({text: texts.get(text) or applies for text, applies in section_texts.items()})
        return Rules(*merged)


def picture_of(result: MoraleResult, ax: Axes | None = None, **more: Any) -> Axes | Panels:
    """Draw the panels of an answer under its caption; with `ax` only the first panel."""
    first = result.panels[0]
    columns = 1 + (len(result.panels) > 2)
    caption = "\n".join(result.caption(columns * CHARACTERS))
    if isinstance(first, FatePanels):
        return _fate_panels(result, first, **{"title": caption, **more}, **({} if ax is None else {"ax": ax}))
    panels = [panel for panel in result.panels if not isinstance(panel, FatePanels)]
    if ax is not None or len(panels) == 1:
        title = {} if ax is not None else {"title": f"{caption}\n{first.heading}, percent"}
        return _panel_plot(result, first)(ax=ax, **{**title, **more})
    panel_plots = {f"{panel.heading}, percent": _panel_plot(result, panel) for panel in panels}
    layout: dict[str, Any] = {"columns": columns, "size": (WIDTH, HEIGHT), "share": False}
    return plots.panels(panel_plots, lambda plot, **options: plot(**options), **layout, **{"title": caption, **more})


def _fate_panels(result: MoraleResult, fates: FatePanels, **more: Any) -> Panels:
    """Draw a panel for each system, with the equivalents of the unit's nerve below it."""
    frame, equivalents = result.to_frame("fates"), result.to_frame("equivalents")
    parts = {title: frame[frame["system"] == system] for system, title in fates.titles.items()}
    panels = plots.panels(parts, plots.fates, columns=len(parts), size=(2.7, 4.4), **more)
    for system, axes in zip(fates.titles, panels):
        rows = equivalents[equivalents["system"] == system]
        notes = (f"{what}: {value}" for what, value in zip(rows["stands_for_nerve"], rows["value"]))
        axes.set_xlabel("\n".join(["round", "", *(textwrap.fill(note, NOTE) for note in notes)]), loc="left")
    return panels


def _panel_plot(result: MoraleResult, panel: Panel) -> Callable[..., Axes]:
    """Return a function that draws a panel; lines that are always 0 are left out unless all are."""
    frame, what = result.to_frame(panel.table), panel.what
    shared: dict[str, Any] = {"x": panel.x}
    for key, value in panel.where.items():
        frame = frame[frame[key] == value]
    if panel.draw == "curves":
        possible = {column: name for column, name in what.items() if (frame[column] > 0).any()}
        return partial(plots.curves, frame, lines=possible or what, **shared)
    if panel.draw == "cells":
        return partial(plots.distributions_by_round, frame, number=what, **shared)
    for key, hatched in panel.lost.items():
        frame = frame.assign(lost=frame[key].isin(hatched))
    lost = "lost" if panel.lost else None
    if what != "probability":  # keep only this column, because intervals belong to other columns
        frame = frame[[panel.x, *panel.lost, what, *([lost] if lost else [])]].rename(columns={what: "probability"})
    return partial(plots.distribution, frame, kind="bars", lost=lost, **shared)
