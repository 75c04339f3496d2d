"""A comparison of loadouts, and how it is shown: as text in a shell, as a table in a notebook."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.comparisons.figures import COMPARED, PERCENTILE, title_of
from analyser.metrics import PER_100_POINTS
from analyser.plots import compared_laws, cost_against_effect
from analyser.results import Estimate, Result, plus_minus
from analyser.tables import aligned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEST, UNSURE = "*", "≈"
ONE_ATTACK, PER_POINTS = "one attack", "per 100 points"
HEADS: Mapping[str, str] = {
    "p_at_least": "at least {at_least}",
    "mean_models_destroyed": "mean",
    PERCENTILE: "10th pct.",
    "p_suppressed": "suppressed",
    "p_broken": "broken",
    "p_annihilated": "annihilated",
    "expected_victory_points": "VP",
}
"""The figures in a word or two, as the columns of the shown table."""
_BOLD = "font-weight: bold"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Loadouts side by side. Printed it is plain text; in a notebook a table.

    Attributes
    ----------
    frame : DataFrame
        One row a loadout: `loadout`, `unit`, `level`, `points`, `row`, `dice`, `method`, every figure of
        :data:`~analyser.comparisons.figures.COMPARED`, each also per 100 points; `difference` with the best loadout
        in the metric that decides, with `difference_low` and `difference_high` if it was sampled, `significant`;
        `why_not` where it cannot make the attack. Of a sample also `trials` and, beside each figure, `_low` and
        `_high`, a 95% interval.
    laws : DataFrame
        `loadout`, `models_destroyed`, `probability`, `at_least`, and of a sample their intervals.
    differences : DataFrame
        The same for every figure; see :func:`~analyser.comparisons.differences.differences`.
    metric : str
        The figure that decides.
    at_least : int
        The k of P(at least k models destroyed).
    results : mapping of str to Result
        By selector, of the loadouts that can make the attack.
    """

    frame: pd.DataFrame
    laws: pd.DataFrame
    differences: pd.DataFrame
    metric: str
    at_least: int
    results: Mapping[str, Result]

    @property
    def best(self) -> str:
        """The selector of the loadout with the most of the metric that decides; the first of equals."""
        return str(self.differences["best"].iloc[0])

    def to_frame(self) -> pd.DataFrame:
        """The frame, as a copy."""
        return self.frame.copy()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The laws of models destroyed over one another (:func:`analyser.plots.compared_laws`)."""
        return compared_laws(self.laws, ax=ax)

    def frontier(self, *, ax: Axes | None = None) -> Axes:
        """Points against the metric that decides (:func:`analyser.plots.cost_against_effect`)."""
        label = title_of(self.metric, self.at_least)
        return cost_against_effect(self.frame, metric=self.metric, label=label, ax=ax)

    def __str__(self) -> str:
        """Plain text: the figures of one attack, the same per 100 points, and what was not computed."""
        table = self._texts()
        blocks = [self._heading()]
        for part in (ONE_ATTACK, PER_POINTS):
            shown = table[["", part]] if part == ONE_ATTACK else table[[part]]
            head = ["", *shown.columns.get_level_values(1)]
            rows = [[name, *map(str, line)] for name, line in zip(shown.index, shown.to_numpy())]
            sides = "<><>" if part == ONE_ATTACK else "<>"
            blocks.append([f"{part.capitalize()}:", *aligned([head, *rows], sides)])
        blocks.append(self._notes())
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"

    __repr__ = __str__  # a shell shows what is printed

    def _repr_html_(self) -> str:
        """A styled table; the best figure of each column is bold."""
        styler = self._texts().style.apply(self._bold, axis=None)
        styler.set_uuid("comparison").set_table_styles(
            [{"selector": "td", "props": "text-align: right"}, {"selector": "th", "props": "text-align: left"}]
        )
        return f"<p>{_lines(self._heading())}</p>{styler.to_html()}<p>{_lines(self._notes())}</p>"

    def _texts(self) -> pd.DataFrame:
        """What the table shows: a row a loadout, two levels of columns."""
        rows = [self._row(line) for _, line in self.frame.iterrows()]
        return pd.DataFrame(
            [list(row.values()) for row in rows],
            index=[self._mark(each) for each in self.frame["loadout"]],
            columns=pd.MultiIndex.from_tuples(list(rows[0])),
        )

    def _mark(self, loadout: str) -> str:
        return f"{BEST} {loadout}" if loadout == self.best else f"  {loadout}"

    def _row(self, line: pd.Series[Any]) -> dict[tuple[str, str], str]:
        row = {
            ("", "points"): "" if pd.isna(line["points"]) else str(line["points"]),
            ("", "attack"): f"{line['row']}, {line['dice']} dice" if pd.isna(line["why_not"]) else "cannot",
        }
        for part, suffix in ((ONE_ATTACK, ""), (PER_POINTS, PER_100_POINTS)):
            for name in COMPARED:
                is_chance = COMPARED[name].is_probability and not suffix
                row[part, self._head(name)] = _text(line, name + suffix, is_chance=is_chance)
            if self.metric.endswith(PER_100_POINTS) == bool(suffix):
                row[part, "difference"] = self._difference(line)
        return row

    def _head(self, name: str) -> str:
        return HEADS[name].format(at_least=self.at_least)

    def _difference(self, line: pd.Series[Any]) -> str:
        if pd.isna(line["difference"]) or line["loadout"] == self.best:
            return ""
        scale, unit = (100, "%") if self.metric.startswith("p_") else (1, "")
        value = scale * line["difference"]
        if pd.isna(line["difference_low"]):
            return f"{value:+.2f}{unit}"
        half = scale * (line["difference_high"] - line["difference_low"]) / 2
        said = plus_minus(value, half, unit) if half > 0 else f"{value:.2f}{unit}"
        return said if line["significant"] else f"{UNSURE} {said}"

    def _heading(self) -> list[str]:
        result = next(iter(self.results.values()))
        target = result.scenario.target
        where = "" if result.scenario.attack.distance is None else f' at {result.scenario.attack.distance:g}"'
        how = "exact"
        if result.trials is not None:
            how = f"Monte Carlo, {result.trials:,} trials each, seed {result.seed}, intervals at 95%"
        unit = target.unit or "target without a profile"
        return [f"On {unit} ({target.models} models){where}; {how}"]

    def _notes(self) -> list[str]:
        decides = title_of(self.metric, self.at_least)
        notes = [
            f"at least {self.at_least}, mean, 10th pct.: models destroyed. suppressed, broken, annihilated: chances.",
            f"{BEST} the best by {decides[0].lower() + decides[1:]}; differences are with it.",
        ]
        if not all(each.exact for each in self.results.values()):
            notes.append(
                f"Differences are paired batch by batch (the same random numbers for each loadout), with a 95% "
                f"interval; {UNSURE} marks one that is not significant."
            )
        cannot = self.frame[self.frame["why_not"].notna()]
        notes += [f"{loadout} cannot: {why}" for loadout, why in zip(cannot["loadout"], cannot["why_not"])]
        gaps = dict.fromkeys(name for result in self.results.values() for name in result.not_modelled)
        notes.append(f"Not modelled: {', '.join(gaps) or 'none'}.")
        doubts = dict.fromkeys(doubt for result in self.results.values() for doubt in result.warnings)
        return notes + [f"Warning: {doubt}" for doubt in doubts]

    def _bold(self, table: pd.DataFrame) -> pd.DataFrame:
        """Where the highest figure of each column stands."""
        styles = pd.DataFrame("", index=table.index, columns=table.columns)
        for part, suffix in ((ONE_ATTACK, ""), (PER_POINTS, PER_100_POINTS)):
            for name in COMPARED:
                values = self.frame[name + suffix].to_numpy(float)
                highest = values == values[~pd.isna(values)].max(initial=-1.0)
                styles.loc[highest, (part, self._head(name))] = _BOLD
        return styles


def _lines(lines: Sequence[str]) -> str:
    return "<br>".join(html.escape(line) for line in lines)


def _text(line: pd.Series[Any], name: str, *, is_chance: bool) -> str:
    """A figure, with half its interval if it has one; nothing for NaN."""
    value, low, high = (float(line.get(column, np.nan)) for column in (name, f"{name}_low", f"{name}_high"))
    if np.isnan(value):
        return ""
    if is_chance:
        return str(Estimate(value) if np.isnan(low) else Estimate(value, low, high))
    if name == PERCENTILE:
        return f"{value:.0f}"
    scale, percent = (100, "%") if name.startswith("p_") else (1, "")
    if high > low:
        return plus_minus(scale * value, scale * (high - low) / 2, percent)
    return f"{scale * value:.2f}{percent}"
