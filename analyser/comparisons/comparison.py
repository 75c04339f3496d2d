"""A comparison of loadouts, and how it is shown: as text in a shell, as a table in a notebook."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.comparisons.figures import COMPARED, PERCENTILE, title_of
from analyser.estimates import Estimate, plus_minus
from analyser.metrics import PER_100_POINTS
from analyser.plots import compared_laws, cost_against_effect
from analyser.results.result import Result
from analyser.tables import aligned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEST, UNSURE = "*", "≈"
PARTS = {"One attack": "", "Per 100 points (chances times 100)": PER_100_POINTS}
HEADS: Mapping[str, str] = {
    "p_at_least": "at least {at_least} destroyed",
    "mean_models_destroyed": "mean destroyed",
    PERCENTILE: "10th percentile",
    "p_suppressed": "P(suppressed)",
    "p_broken": "P(broken)",
    "p_annihilated": "P(annihilated)",
    "expected_victory_points": "expected VP",
    "difference": "difference",
}
SHORT_HEADS: Mapping[str, str] = {
    "p_at_least": "≥{at_least}",
    "mean_models_destroyed": "mean",
    PERCENTILE: "10th",
    "p_suppressed": "suppr.",
    "p_broken": "broken",
    "p_annihilated": "annih.",
    "expected_victory_points": "VP",
    "difference": "diff.",
}
"""The figures as the columns of a terminal, where room is short."""
_STYLES: Any = [
    {"selector": "td", "props": "text-align: right; white-space: nowrap; padding: 0.2em 0.6em; line-height: 1.3"},
    {"selector": "th", "props": "text-align: left; padding: 0.2em 0.6em; line-height: 1.3"},
    {"selector": "th.row_heading", "props": "white-space: nowrap"},
]


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
        blocks = [self._heading()]
        for title, suffix in PARTS.items():
            table = self._table(suffix, SHORT_HEADS)
            rows = [[name, *map(str, line)] for name, line in zip(table.index, table.to_numpy())]
            sides = "<>" if suffix else "<><>"
            blocks.append([f"{title}:", *aligned([["", *table.columns], *rows], sides)])
        blocks.append([self._legend(), f"{BEST} {self._decides()}", *self._notes()])
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"

    __repr__ = __str__  # a shell shows what is printed

    def _repr_html_(self) -> str:
        """Styled tables; the best figure of each column is bold."""
        blocks = [f"<p>{_lines(self._heading())}</p>"]
        for title, suffix in PARTS.items():
            table = self._table(suffix, HEADS)
            styler = table.style.apply(self._bold, suffix=suffix, axis=None)
            styler.set_uuid(_name_of(table)).set_table_styles(_STYLES)
            # Of a page that is narrower than the table no column is cut off.
            blocks.append(f'<p>{title}:</p><div style="overflow-x: auto">{styler.to_html()}</div>')
        notes = [f"{BEST} {self._decides()}", *self._notes()]
        return "".join(blocks) + f"<p>{_lines(notes)}</p>"

    def _table(self, suffix: str, heads: Mapping[str, str]) -> pd.DataFrame:
        """What one of the two tables shows: a row a loadout, every cell as text."""
        return pd.DataFrame(
            [self._row(line, suffix, heads) for _, line in self.frame.iterrows()],
            index=[f"{BEST if each == self.best else ' '} {each}" for each in self.frame["loadout"]],
        )

    def _row(self, line: pd.Series[Any], suffix: str, heads: Mapping[str, str]) -> dict[str, str]:
        row = {}
        if not suffix:
            row["points"] = "" if pd.isna(line["points"]) else str(line["points"])
            row["attack"] = f"{line['row']}, {line['dice']} dice" if pd.isna(line["why_not"]) else "cannot"
        for name in COMPARED:
            is_chance = COMPARED[name].is_probability and not suffix
            row[self._head(name, heads)] = _text(line, name + suffix, is_chance=is_chance)
        if self.metric.endswith(PER_100_POINTS) == bool(suffix):
            row[heads["difference"]] = self._difference(line)
        return row

    def _head(self, name: str, heads: Mapping[str, str]) -> str:
        return heads[name].format(at_least=self.at_least)

    def _legend(self) -> str:
        """What the short heads of the plain text mean."""
        return (
            f"≥{self.at_least}, mean, 10th: models destroyed (chance of so many, mean, 10th percentile). "
            "suppr., broken, annih.: chances."
        )

    def _decides(self) -> str:
        decides = title_of(self.metric, self.at_least)
        return f"the best by {decides[0].lower() + decides[1:]}; differences are with it."

    def _difference(self, line: pd.Series[Any]) -> str:
        if pd.isna(line["difference"]) or line["loadout"] == self.best:
            return ""
        scale, unit = _scale_and_unit(self.metric)
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
        notes = []
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

    def _bold(self, table: pd.DataFrame, suffix: str) -> pd.DataFrame:
        """Where the highest figure of each column stands."""
        styles = pd.DataFrame("", index=table.index, columns=table.columns)
        for name in COMPARED:
            values = self.frame[name + suffix].to_numpy(float)
            highest = values == values[~pd.isna(values)].max(initial=-1.0)
            styles.loc[highest, self._head(name, HEADS)] = "font-weight: bold"
        return styles


def _name_of(table: pd.DataFrame) -> str:
    """A name for the styles of a table: those of two tables on one page must not meet, and a run must repeat them."""
    return hashlib.sha256(table.to_csv().encode()).hexdigest()[:12]


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
    scale, unit = _scale_and_unit(name)
    if high > low:
        return plus_minus(scale * value, scale * (high - low) / 2, unit)
    return f"{scale * value:.2f}{unit}"


def _scale_and_unit(name: str) -> tuple[int, str]:
    """Chances are in percent; the same per 100 points are no chances any more, and may be above 100."""
    if not name.startswith("p_"):
        return 1, ""
    return 100, "" if name.endswith(PER_100_POINTS) else "%"
