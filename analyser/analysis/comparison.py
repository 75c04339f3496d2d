"""Loadouts side by side on a target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.comparison_figures import Side, differences, title_of
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.frames import styled, tidy
from analyser.common.metrics import AT_LEAST, BY_POINTS, PER_100_POINTS, figure_text, metric_by_name
from analyser.common.text import mid_sentence
from analyser.game.names import loadout_name
from analyser.game.profiles import ProfilesUsed
from analyser.results.attack import AttackResult
from analyser.results.rendering import method_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas.io.formats.style import Styler

    from analyser.plots.distributions import Kind

BEST, EQUAL, UNSURE = "*", "=", "≈"
SHOWN = (
    *(AT_LEAST, "mean_models_destroyed", "models_destroyed_10th_percentile"),
    *("p_suppressed", "p_broken", "p_annihilated", "expected_victory_points"),
)
"""Figures shown for one attack, beside the one that decides; the table per 100 points shows all of BY_POINTS."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(FramedAnswer):
    """Loadouts side by side.

    Attributes
    ----------
    frame : DataFrame
        One row for each loadout: `loadout`, `unit`, `level`, `points`, `row`, `dice`, `method`, and every figure of
        :data:`~analyser.common.metrics.COMPARED`, with means and expected values also per 100 points. `difference` is
        that from the best loadout in the metric that decides (`difference_low` and `difference_high` if simulated),
        followed by `significant` and `tied`; `why_not` is the reason for an impossible attack. A simulation adds
        `trials`, for each figure a 95% interval, `_low` and `_high`, and for each probability its method, `_interval`.
        A mean over targets has no `row` and `dice`, but `cannot`, the targets that it cannot attack.
    distributions : DataFrame
        `loadout`, `models_destroyed`, `probability`, `at_least`, and their intervals if simulated. Empty for a mean
        over targets.
    differences : DataFrame
        Difference of every figure from the best loadout in it, as of
        :func:`~analyser.analysis.comparison_figures.differences`.
    metric : str
        The figure that decides.
    at_least : int or None
        The k of P(at least k models destroyed); None for a mean over targets with different k.
    results : mapping of str to AttackResult
        By selector, for loadouts that can make the attack; for a mean by ``selector on target``.
    shares : mapping of str to float
        The target, or for a mean every target, with its share in the mean.
    profiles : ProfilesUsed
    sides : tuple of Side
        Figures of the loadouts that can make the attack; by batch if simulated.
    """

    frame: pd.DataFrame
    distributions: pd.DataFrame
    differences: pd.DataFrame
    metric: str
    at_least: int | None
    results: Mapping[str, AttackResult]
    shares: Mapping[str, float]
    profiles: ProfilesUsed
    sides: tuple[Side, ...]

    @property
    def best(self) -> str:
        """Selector of the loadout with the highest metric; ties go to the cheapest."""
        return self._best(self.metric)

    @property
    def tied(self) -> tuple[str, ...]:
        """Loadouts tied for the best metric; empty if one is ahead."""
        return self._tied(self.metric)

    def _best(self, metric: str) -> str:
        return str(self._of(metric)["best"].iloc[0])

    def _tied(self, metric: str) -> tuple[str, ...]:
        return tuple(self._of(metric).query("tied").index)

    def _of(self, metric: str) -> pd.DataFrame:
        """Return the differences in one figure, by loadout."""
        return self.differences[self.differences["metric"] == metric].set_index("loadout")

    schema = "analyser/comparison/1"

    @property
    def headline(self) -> str:
        """The best loadout, in one sentence."""
        others = len(self.tied) - 1
        beside = f", level with {others} more" if others > 0 else ""
        return f"{loadout_name(self.best)} is best by {mid_sentence(title_of(self.metric, self.at_least))}{beside}."

    @property
    def summary(self) -> dict[str, Any]:
        """The deciding metric of each loadout, with its interval if simulated."""
        names = [name for end in ("", "_low", "_high") if (name := f"{self.metric}{end}") in self.frame]
        rows = self.frame.dropna(subset=[self.metric]).set_index("loadout")[names]
        return {
            f"{loadout}{name.removeprefix(self.metric)}": float(row[name])
            for loadout, row in rows.iterrows()
            for name in names
        }

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Tables of the figures, their distributions, and the difference of every figure from its best."""
        return {
            "loadouts": self.to_frame(),
            "distributions": tidy(self.distributions),
            "differences": tidy(self.differences),
        }

    def _body(self) -> dict[str, Any]:
        return self.head() | self.record() | {"target": next(iter(self.shares))}

    def head(self) -> dict[str, Any]:
        """Return the metric, the profiles, and for a simulation its stopping rule and the kind of its differences."""
        head = {"metric": self.metric, **self.profiles.fight_entries()}
        stopping = next(iter(self.results.values())).stopping
        if stopping is None:
            return head
        by = "student-t" if stopping.precision is None else "confidence-sequence"
        return head | stopping.as_dict() | {"difference_interval": by}

    def record(self) -> dict[str, Any]:
        """Return the best loadout and all figures as plain data."""
        return {
            "best": self.best,
            "tied": list(self.tied),
            "at_least": self.at_least,
            "loadouts": plain_rows(self.frame),
        }

    def style(self) -> Styler:
        """Return the main figures as a coloured table (a pandas Styler), with a row for each loadout and bars in cells.

        >>> import analyser
        >>> pair = ["crown/sharp-rifles@basic", "crown/rifle-platoon@basic"]
        >>> analyser.compare(pair, "imperium/krupp@basic").style().data["unit"].tolist()
        ['Sharp Rifles', 'Rifle platoon']
        """
        figures = self._shown("")
        percent = [name for name in figures if metric_by_name(name).is_probability]
        style = styled(self.to_frame()[["unit", "level", "points", *figures]], figures, percent)
        heads = {name: metric_by_name(name).head.format(at_least=self.at_least or "k") for name in figures}
        return style.format_index(lambda name: heads.get(str(name), str(name)), axis="columns")

    def caption(self) -> list[str]:
        """Return the caption of a picture: the question."""
        return [self._heading()]

    def plot(self, *, kind: Kind = "at least", ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the distributions of models destroyed over one another (:func:`analyser.plots.distribution`)."""
        return plots.distribution(self, kind=kind, ax=ax, **more)

    def frontier(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw points against the metric that decides (:func:`analyser.plots.cost_against_effect`)."""
        quantity = title_of(self.metric, self.at_least)
        return plots.cost_against_effect(self, metric=self.metric, quantity=quantity, ax=ax, **more)

    def blocks(self) -> list[Block]:
        """Return the figures of one attack and those per 100 points; the highest of each column is bold on a page."""
        blocks = [Block(self._heading())]
        for heading, suffix, decides in self._parts():
            table = self._table(suffix, decides)
            rows = [[name, *map(str, line)] for name, line in zip(table.index, table.to_numpy())]
            sides = "<>" if suffix or "attack" not in table else "<><>"
            bold = frozenset(self._highest(list(table.columns), suffix))
            lines = [self._decision(decides)]
            blocks.append(Block(f"{heading}:", ["", *table.columns], rows, sides, lines=lines, bold=bold))
        return blocks

    def _highest(self, columns: Sequence[str], suffix: str) -> Iterator[tuple[int, int]]:
        """Yield the row and column of the highest value of each figure of a table."""
        for name in self._shown(suffix):
            values = self.frame[name + suffix].to_numpy(float)
            highest = values == values[~np.isnan(values)].max(initial=-1.0)
            yield from ((int(row), 1 + columns.index(self._head(name))) for row in np.flatnonzero(highest))

    def _parts(self) -> list[tuple[str, str, str]]:
        """Return the tables: heading, suffix of the names of their figures, and the figure that decides in each."""
        plain = self.metric.removesuffix(PER_100_POINTS)
        by_points = (plain if plain in BY_POINTS else BY_POINTS[0]) + PER_100_POINTS
        per_100 = [("Per 100 points", PER_100_POINTS, by_points)] if self.frame[by_points].notna().any() else []
        return [("One attack", "", plain), *per_100]

    def _table(self, suffix: str, decides: str) -> pd.DataFrame:
        """Return one of the tables: a row for each loadout, all cells as text."""
        best, tied, of_metric = self._best(decides), self._tied(decides), self._of(decides)
        rows = {}
        for _, line in self.frame.iterrows():
            name, row = line["loadout"], {}
            if not suffix:
                row["points"] = "" if pd.isna(line["points"]) else str(line["points"])
                if "row" in line:
                    row["attack"] = f"{line['row']}, {line['dice']} dice" if pd.isna(line["why_not"]) else "cannot"
            for figure in self._shown(suffix):
                ends = (float(line.get(f"{figure}{suffix}_{end}", np.nan)) for end in ("low", "high"))
                row[self._head(figure)] = figure_text(figure + suffix, line[figure + suffix], *ends)
            change = "" if name == best or name not in of_metric.index else self._change(of_metric.loc[name], decides)
            row["diff."] = change
            rows[f"{BEST if name == best else self._unsure if name in tied else ' '} {name}"] = row
        return pd.DataFrame.from_dict(rows, orient="index")

    def _change(self, line: pd.Series[Any], metric: str) -> str:
        """Return the difference from the best loadout, marked if it is not significant."""
        exact = pd.isna(line["low"])
        if exact and line["tied"]:
            return self._unsure
        text = figure_text(metric, line["difference"], line["low"], line["high"], change=True)
        return text if exact or line["significant"] else f"{UNSURE} {text}"

    def _shown(self, suffix: str) -> list[str]:
        """Return the figures of one of the tables, without those that no loadout has."""
        wanted = BY_POINTS if suffix else dict.fromkeys((*SHOWN, self.metric.removesuffix(PER_100_POINTS)))
        return [name for name in wanted if self.frame[name + suffix].notna().any()]

    def _head(self, name: str) -> str:
        return metric_by_name(name).short.format(at_least="k" if self.at_least is None else self.at_least)

    def _decision(self, decides: str) -> str:
        """Return the sentence that names the best loadout in a table, by its figure."""
        what = title_of(decides, self.at_least)
        line = f"{BEST} best by {what[0].lower() + what[1:]}; diff.: difference from the best."
        if tied := self._tied(decides):
            meaning = {EQUAL: "exactly equal", UNSURE: "not significantly different"}[self._unsure]
            line += f" A tie: {', '.join(tied)} ({self._unsure} {meaning}); the cheapest has the {BEST}."
        return line

    @property
    def _exact(self) -> bool:
        return all(result.exact for result in self.results.values())

    @property
    def _unsure(self) -> str:
        return EQUAL if self._exact else UNSURE

    def _heading(self) -> str:
        result = next(iter(self.results.values()))
        distance = result.scenario.attack.distance
        where = "" if distance is None else f' at {distance:g}"'
        how = method_line([result])
        if len(self.shares) > 1:
            shares = ", ".join(f"{target} {100 * share:.4g}%" for target, share in self.shares.items())
            equal = len(set(self.shares.values())) == 1
            return f"Mean over {len(self.shares)} targets{', equal weights' if equal else f': {shares}'}{where}; {how}"
        (target,) = self.shares
        return f"On {target} ({result.scenario.target.models} models){where}; {how}"

    def notes(self) -> list[str]:
        """Return the meaning of the short heads, items not computed, and the source of the numbers."""
        at_least = self._head(AT_LEAST)
        notes = [
            f"{at_least}, mean, 10th: models destroyed (probability of so many, mean, percentile).",
            "suppr., broken, annih.: probabilities; they are not divided by points.",
        ]
        if not self._exact:
            holds = "" if self.sides[0].stopped_at is None else " that holds whenever one stops"
            notes.append(
                f"Differences are paired batch by batch (the same random numbers for each loadout), with a 95% "
                f"interval{holds}; {UNSURE} marks one that is not significant."
            )
        if len(self.shares) > 1:
            notes.append("A target that a loadout cannot attack counts as 0 in the mean; percentiles have no mean.")
        why = self.frame["why_not"] if "cannot" not in self.frame else self.frame["cannot"]
        notes += [f"{loadout} cannot: {text}" for loadout, text in zip(self.frame["loadout"], why) if pd.notna(text)]
        results = self.results.values()
        gaps, warnings = (
            dict.fromkeys(item for result in results for item in getattr(result, name))
            for name in ("not_modelled", "warnings")
        )
        notes += [f"Not modelled: {', '.join(gaps) or 'none'}.", *self.profiles.sentences]
        return notes + [f"Warning: {warning}" for warning in warnings]


def compared(rows: Sequence[Mapping[str, Any]], sides: Sequence[Side], metric: str, **more: Any) -> Comparison:
    """Return the comparison of `sides` with one row for each loadout; the frame adds differences in the `metric`."""
    deltas = differences(sides)
    columns = list(dict.fromkeys(name for row in sorted(rows, key=len, reverse=True) for name in row))
    frame = pd.DataFrame(rows, columns=columns)
    of_metric = deltas[deltas["metric"] == metric].set_index("loadout").reindex(frame["loadout"]).reset_index()
    names = {"low": "difference_low", "high": "difference_high"}
    result = of_metric[["difference", *names, "significant"]].rename(columns=names)
    frame = frame.join(result.assign(tied=of_metric["tied"].eq(True), why_not=frame.pop("why_not")))
    frame = frame.astype({name: "Int64" for name in ("points", "dice", "trials") if name in frame})
    return Comparison(frame=frame, differences=deltas, metric=metric, sides=tuple(sides), **more)
