"""Answer of `compare`: loadouts that attack the same target, or the mean over several targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.comparison_figures import STEP_OF_TRIALS, LoadoutFigures, differences, title_of
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.frames import styler, tidy
from analyser.common.metrics import (
    AT_LEAST,
    COMPARE_METRICS,
    DIVISIBLE,
    PER_100_POINTS,
    figure_text,
    function_of,
    metric_by_name,
)
from analyser.common.text import counted, mid_sentence
from analyser.game.names import loadout_name
from analyser.game.profiles import ProfilesUsed
from analyser.results.attack import AttackResult
from analyser.results.rendering import method_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas.io.formats.style import Styler

    from analyser.plots.distributions import Kind

BEST_MARK, EQUAL_MARK, UNSURE_MARK = "*", "=", "≈"
SHOWN_FIGURES = (
    *(AT_LEAST, "mean_models_destroyed", "models_destroyed_10th_percentile"),
    *("p_suppressed", "p_broken", "p_annihilated", "expected_victory_points"),
)
"""Figures in the text table of one attack, besides the metric compared."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(FramedAnswer):
    """Loadouts side by side.

    Attributes
    ----------
    frame : DataFrame
        One row for each loadout, with every figure of :data:`~.metrics.COMPARE_METRICS`, if simulated with its 95%
        interval (`_low`, `_high`). `difference` is the compared metric minus that of the best loadout, `why_not` the
        reason for an impossible attack. In a mean, `cannot` has the targets that the loadout cannot attack.
    distributions : DataFrame
        Probabilities of exactly and of at least each number of models destroyed. Empty for a mean over targets.
    differences : DataFrame
        Each figure of each loadout minus that of the loadout that is best in this figure.
    metric : str
        The metric compared; the loadout with the highest value is best.
    at_least : int or None
        The k of P(at least k models destroyed); None for a mean over targets with different k.
    results : mapping of str to AttackResult
        Results of the possible attacks, by selector; for a mean by ``selector on target``.
    shares : mapping of str to float
        Share of each target in the mean, by name; one target has the share 1.
    """

    frame: pd.DataFrame
    distributions: pd.DataFrame
    differences: pd.DataFrame
    metric: str
    at_least: int | None
    results: Mapping[str, AttackResult]
    shares: Mapping[str, float]
    profiles: ProfilesUsed
    loadout_figures: tuple[LoadoutFigures, ...]

    schema = "analyser/comparison/1"

    @property
    def best(self) -> str:
        """Selector of the loadout with the highest metric; ties go to the cheapest. Empty if none can attack."""
        return next(map(str, self._differences_in(self.metric)["best"]), "")

    @property
    def tied(self) -> tuple[str, ...]:
        """Loadouts tied for the best metric; empty without a tie."""
        return tuple(self._differences_in(self.metric).query("tied").index)

    def _differences_in(self, metric: str) -> pd.DataFrame:
        return self.differences[self.differences["metric"] == metric].set_index("loadout")

    @property
    def headline(self) -> str:
        if not self.results:
            return self._heading()
        others, title = len(self.tied) - 1, title_of(self.metric, self.at_least)
        if self._is_exact and not self.frame[self.metric].fillna(0).any():
            return f"{title}: no loadout has more than 0."
        tie = f", tied with {counted(others, 'other')}" if others > 0 else ""
        return f"{loadout_name(self.best)} is best by {mid_sentence(title)}{tie}."

    @property
    def summary(self) -> dict[str, Any]:
        names = [name for end in ("", "_low", "_high") if (name := f"{self.metric}{end}") in self.frame]
        rows = self.frame.dropna(subset=[self.metric]).set_index("loadout")[names]
        return {
            f"{loadout}{name.removeprefix(self.metric)}": float(row[name])
            for loadout, row in rows.iterrows()
            for name in names
        }

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        parts = {"distributions": self.distributions, "differences": self.differences}
        return {"loadouts": self.to_frame(), **{name: tidy(part) for name, part in parts.items()}}

    def _body(self) -> dict[str, Any]:
        return self.metadata() | self.record() | {"target": next(iter(self.shares))}

    def metadata(self) -> dict[str, Any]:
        """Return the metric, profiles, rules left out, warnings; for simulations also stopping rule and interval."""
        metadata = {"metric": self.metric, **self.profiles.fight_entries()}
        metadata |= {name: list(self._of_results(name)) for name in ("not_modelled", "warnings")}
        stopping = next((result.stopping for result in self.results.values()), None)
        if stopping is None:
            return metadata
        method = "student-t" if stopping.precision is None else "confidence-sequence"
        return metadata | stopping.as_dict() | {"difference_interval": method}

    def record(self) -> dict[str, Any]:
        """Return the best loadouts and all figures as plain data."""
        best = {"best": self.best or None, "tied": list(self.tied)}
        return best | {"at_least": self.at_least, "loadouts": plain_rows(self.frame)}

    def style(self) -> Styler:
        """Return the main figures as a pandas Styler: a row for each loadout, with bars in the cells."""
        figures = self._figures_of_table("")
        percent = [name for name in figures if metric_by_name(name).is_probability]
        style = styler(self.to_frame()[["unit", "level", "points", *figures]], figures, percent)
        headings = {name: metric_by_name(name).head.format(at_least=self.at_least or "k") for name in figures}
        return style.format_index(lambda name: headings.get(str(name), str(name)), axis="columns")

    def caption(self) -> list[str]:
        return [self._heading()]

    def plot(self, *, kind: Kind = "at least", ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the distributions of models destroyed over one another (:func:`analyser.plots.distribution`)."""
        return plots.distribution(self, kind=kind, ax=ax, **more)

    def frontier(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw points against the metric compared (:func:`analyser.plots.cost_against_effect`)."""
        quantity = title_of(self.metric, self.at_least)
        return plots.cost_against_effect(self, metric=self.metric, quantity=quantity, ax=ax, **more)

    def blocks(self) -> list[Block]:
        if not self.results:
            return [Block(self._heading())]
        plain = self.metric.removesuffix(PER_100_POINTS)
        by_points = (plain if plain in DIVISIBLE else DIVISIBLE[0]) + PER_100_POINTS
        blocks = [Block(self._heading()), self._table("One attack:", "", plain)]
        if self.frame[by_points].notna().any():
            blocks.append(self._table("Per 100 points:", PER_100_POINTS, by_points))
        return blocks

    def _table(self, title: str, suffix: str, metric: str) -> Block:
        """Return a table with a row for each loadout; `suffix` is empty, or that of figures per 100 points."""
        by_loadout = self._differences_in(metric)
        best, tied = by_loadout["best"].iloc[0], list(by_loadout.query("tied").index)
        figures, rows = self._figures_of_table(suffix), []
        first = [] if suffix else ["points", *(["attack"] if "row" in self.frame else [])]
        for line in self.frame.to_dict("records"):
            name = line["loadout"]
            row = [f"{BEST_MARK if name == best else self._tie_mark if name in tied else ' '} {name}"]
            if "points" in first:
                row.append("" if pd.isna(line["points"]) else str(line["points"]))
            if "attack" in first:
                row.append(f"{line['row']}, {line['dice']} dice" if pd.isna(line["why_not"]) else "cannot attack")
            for figure in figures:
                ends = (float(line.get(f"{figure}{suffix}_{end}", np.nan)) for end in ("low", "high"))
                row.append(figure_text(figure + suffix, line[figure + suffix], *ends))
            is_other = name != best and name in by_loadout.index
            rows.append([*row, self._difference_text(by_loadout.loc[name], metric) if is_other else ""])
        head = ["", *first, *map(self._heading_of, figures), "diff."]
        values = self.frame[[figure + suffix for figure in figures]].to_numpy(np.float64)
        highest = values == np.nanmax(values, axis=0)
        bold = frozenset((row, 1 + len(first) + column) for row, column in np.argwhere(highest).tolist())
        align = "<><>" if "attack" in first else "<>"
        measure = mid_sentence(title_of(metric, self.at_least))
        conclusion = f"{BEST_MARK} best by {measure}; diff.: difference from the best."
        if tied:
            meaning = {EQUAL_MARK: "exactly equal", UNSURE_MARK: "not significantly different"}[self._tie_mark]
            conclusion += f" A tie: {', '.join(tied)} ({self._tie_mark} {meaning}); the cheapest has the {BEST_MARK}."
        return Block(title, head, rows, align, lines=[conclusion], bold=bold)

    def _difference_text(self, line: pd.Series[Any], metric: str) -> str:
        exact = pd.isna(line["low"])
        if exact and line["tied"]:
            return self._tie_mark
        text = figure_text(metric, line["difference"], line["low"], line["high"], change=True)
        return text if exact or line["significant"] else f"{UNSURE_MARK} {text}"

    def _figures_of_table(self, suffix: str) -> list[str]:
        wanted = DIVISIBLE if suffix else dict.fromkeys((*SHOWN_FIGURES, self.metric.removesuffix(PER_100_POINTS)))
        return [name for name in wanted if self.frame[name + suffix].notna().any()]

    def _heading_of(self, name: str) -> str:
        return metric_by_name(name).short.format(at_least="k" if self.at_least is None else self.at_least)

    @property
    def _is_exact(self) -> bool:
        return all(result.exact for result in self.results.values())

    @property
    def _tie_mark(self) -> str:
        return EQUAL_MARK if self._is_exact else UNSURE_MARK

    def _heading(self) -> str:
        if not self.results:
            return f"On {next(iter(self.shares))}: no loadout can attack it."
        result = next(iter(self.results.values()))
        distance = result.scenario.attack.distance
        where = "" if distance is None else f' at {distance:g}"'
        if len(self.shares) == 1:
            target = f"On {next(iter(self.shares))} ({counted(result.scenario.target.models or 0, 'model')})"
        elif len(set(self.shares.values())) == 1:
            target = f"Mean over {len(self.shares)} targets, equal weights"
        else:
            shares = ", ".join(f"{name} {100 * share:.4g}%" for name, share in self.shares.items())
            target = f"Mean over {len(self.shares)} targets: {shares}"
        return f"{target}{where}; {method_line([result])}"

    def notes(self) -> list[str]:
        at_least = self._heading_of(AT_LEAST)
        notes = [
            f"Models destroyed: {at_least} is the probability of at least that many, 10th the 10th percentile.",
            "suppr., broken, annih.: probabilities; they are not divided by points.",
        ]
        if not self._is_exact:
            stopping = next(iter(self.results.values())).stopping
            if stopping and stopping.precision is None and stopping.planned % STEP_OF_TRIALS:
                notes.append(f"--trials is rounded up to a multiple of {STEP_OF_TRIALS:,}.")
            valid = "" if self.loadout_figures[0].stopped_at is None else ", valid at any stopping time"
            notes.append(
                f"Differences are paired batch by batch (the same random numbers for each loadout), with a 95% "
                f"interval{valid}; {UNSURE_MARK} marks a difference that is not significant."
            )
        if len(self.shares) > 1:
            notes.append("A target that a loadout cannot attack counts as 0 in the mean; percentiles have no mean.")
        possible = self.frame[self.frame["mean_models_destroyed"].notna()]
        failed = [name for name in map(str, possible) if function_of(name) is not None and possible[name].isna().any()]
        notes += [f"The metric {name} has no value, because its function fails." for name in failed]
        why = self.frame["why_not"] if "cannot" not in self.frame else self.frame["cannot"]
        impossible = zip(self.frame["loadout"], why)
        notes += [f"{loadout} cannot attack: {reason}" for loadout, reason in impossible if pd.notna(reason)]
        left_out = ", ".join(self._of_results("not_modelled")) or "none"
        notes += [f"Not modelled: {left_out}.", *self.profiles.sentences]
        return notes + [f"Warning: {warning}" for warning in self._of_results("warnings")]

    def _of_results(self, name: str) -> dict[str, None]:
        """Return the distinct entries of a field of all results, such as ``warnings``."""
        return dict.fromkeys(item for result in self.results.values() for item in getattr(result, name))


def comparison_of(
    rows: Sequence[Mapping[str, Any]], loadout_figures: Sequence[LoadoutFigures], metric: str, **more: Any
) -> Comparison:
    """Return the comparison with these rows and their differences in `metric`; `more` are its other fields."""
    all_differences = differences(loadout_figures)
    names_of_rows = [name for row in sorted(rows, key=len, reverse=True) for name in row]
    columns = list(dict.fromkeys([*names_of_rows, *COMPARE_METRICS]))
    frame = pd.DataFrame(rows, columns=columns)
    in_metric = all_differences[all_differences["metric"] == metric].set_index("loadout")
    in_metric = in_metric.reindex(frame["loadout"]).reset_index()
    names = {"low": "difference_low", "high": "difference_high"}
    added = in_metric[["difference", *names, "significant"]].rename(columns=names)
    frame = frame.join(added.assign(tied=in_metric["tied"].eq(True), why_not=frame.pop("why_not")))
    frame = frame.astype({name: "Int64" for name in ("points", "dice", "trials") if name in frame})
    figures = tuple(loadout_figures)
    return Comparison(frame=frame, differences=all_differences, metric=metric, loadout_figures=figures, **more)
