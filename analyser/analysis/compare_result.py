"""A comparison of loadouts, and how it is shown: as text in a shell, as a table in a notebook."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.analysis.differences import Side
from analyser.analysis.figures import title_of
from analyser.common.estimates import Estimate, plus_minus
from analyser.common.text import aligned
from analyser.game.profiles import ProfilesUsed
from analyser.plots import compared_distributions, cost_against_effect
from analyser.plots.metrics import AT_LEAST, BY_POINTS, COMPARED, PER_100_POINTS, PERCENTILE
from analyser.results.attack import AttackResult
from analyser.results.rendering import method_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIFFERENCE = "difference"
BEST, EQUAL, UNSURE = "*", "=", "≈"
SHOWN = (
    *(AT_LEAST, "mean_models_destroyed", "models_destroyed_10th_percentile"),
    *("p_suppressed", "p_broken", "p_annihilated", "expected_victory_points"),
)
"""The figures of one attack that are shown, beside the one that decides; per 100 points all of BY_POINTS are."""
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
        :data:`~analyser.plots.metrics.COMPARED`, means and expected ones also per 100 points; `difference` with
        the best loadout in the metric that decides, with `difference_low` and `difference_high` if it was sampled,
        `significant`, `tied`; `why_not` where it cannot make the attack. Of a sample also `trials` and, beside each
        figure, `_low` and `_high`, a 95% interval. Of a mean over targets without `row` and `dice`, but with `cannot`,
        the targets that it cannot attack.
    distributions : DataFrame
        `loadout`, `models_destroyed`, `probability`, `at_least`, and of a sample their intervals. Of a mean over
        targets there are none.
    differences : DataFrame
        Every figure with the loadout that is best in it; see :func:`~analyser.analysis.differences.differences`.
    metric : str
        The figure that decides.
    at_least : int or None
        The k of P(at least k models destroyed); of a mean over targets with different ones None.
    results : mapping of str to AttackResult
        By selector, of the loadouts that can make the attack; of a mean by ``selector on target``.
    shares : mapping of str to float
        The target; of a mean every target with its share in it.
    profiles : ProfilesUsed
    sides : tuple of Side
        The figures of those that can make the attack, of a sample batch by batch.
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
        """The selector of the loadout with the most of the metric that decides; of those tied the cheapest."""
        return self._best(self.metric)

    @property
    def tied(self) -> tuple[str, ...]:
        """The loadouts that are tied for the best place in the metric that decides; none if one is ahead."""
        return self._tied(self.metric)

    def _best(self, metric: str) -> str:
        return str(self._of(metric)["best"].iloc[0])

    def _tied(self, metric: str) -> tuple[str, ...]:
        return tuple(self._of(metric).query("tied")["loadout"])

    def _of(self, metric: str) -> pd.DataFrame:
        return self.differences[self.differences["metric"] == metric]

    def to_frame(self) -> pd.DataFrame:
        """The frame, as a copy."""
        return self.frame.copy()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The distributions of models destroyed over one another (:func:`analyser.plots.compared_distributions`)."""
        return compared_distributions(self.distributions, heading=self._heading(), ax=ax)

    def frontier(self, *, ax: Axes | None = None) -> Axes:
        """Points against the metric that decides (:func:`analyser.plots.cost_against_effect`)."""
        label = title_of(self.metric, self.at_least)
        return cost_against_effect(self.frame, metric=self.metric, label=label, heading=self._heading(), ax=ax)

    def __str__(self) -> str:
        """Plain text: the figures of one attack, means per 100 points, and what was not computed."""
        return "\n\n".join("\n".join(block) for block in (*self.blocks(), self.notes())) + "\n"

    __repr__ = __str__  # a shell shows what is printed

    def _repr_html_(self) -> str:
        """Styled tables; the best figure of each column is bold."""
        return self.html_tables() + f"<p>{'<br>'.join(map(html.escape, self.notes()[1:]))}</p>"

    def blocks(self) -> list[list[str]]:
        """The heading and the tables as plain text."""
        blocks = [[self._heading()]]
        for title, suffix, decides in self._parts():
            table = self._table(suffix, decides, short=True)
            rows = [[name, *map(str, line)] for name, line in zip(table.index, table.to_numpy())]
            sides = "<>" if suffix or "attack" not in table else "<><>"
            lines = aligned([["", *table.columns], *rows], sides)
            blocks.append([f"{title}:", *lines, self._decision(decides)])
        return blocks

    def html_tables(self) -> str:
        """The same for a notebook."""
        found = [f"<p>{html.escape(self._heading())}</p>"]
        for title, suffix, decides in self._parts():
            table = self._table(suffix, decides, short=False)
            styler = table.style.apply(self._bold, suffix=suffix, axis=None)
            # Styles of two tables on one page must not meet, and a run must repeat their names.
            name = hashlib.sha256((self._heading() + table.to_csv()).encode()).hexdigest()[:12]
            styler.set_uuid(name).set_table_styles(_STYLES)
            # Of a page that is narrower than the table no column is cut off.
            found.append(f'<p>{title}:</p><div style="overflow-x: auto">{styler.to_html()}</div>')
            found.append(f"<p>{html.escape(self._decision(decides))}</p>")
        return "".join(found)

    def _parts(self) -> list[tuple[str, str, str]]:
        """The tables: their titles, what ends the names of their figures, and the figure that decides in each."""
        plain = self.metric.removesuffix(PER_100_POINTS)
        parts = [("One attack", "", plain)]
        by_points = (plain if plain in BY_POINTS else BY_POINTS[0]) + PER_100_POINTS
        if self.frame[by_points].notna().any():
            parts.append(("Per 100 points", PER_100_POINTS, by_points))
        return parts

    def _table(self, suffix: str, decides: str, *, short: bool) -> pd.DataFrame:
        """What one of the tables shows: a row a loadout, every cell as text."""
        return pd.DataFrame(
            [self._row(line, suffix, decides, short=short) for _, line in self.frame.iterrows()],
            index=[f"{self._mark(each, decides)} {each}" for each in self.frame["loadout"]],
        )

    def _mark(self, loadout: str, decides: str) -> str:
        if loadout == self._best(decides):
            return BEST
        return (EQUAL if self._exact else UNSURE) if loadout in self._tied(decides) else " "

    def _row(self, line: pd.Series[Any], suffix: str, decides: str, *, short: bool) -> dict[str, str]:
        row = {}
        if not suffix:
            row["points"] = "" if pd.isna(line["points"]) else str(line["points"])
            if "row" in line:
                row["attack"] = f"{line['row']}, {line['dice']} dice" if pd.isna(line["why_not"]) else "cannot"
        for name in self._shown(suffix):
            row[self._head(name, short=short)] = _text(line, name + suffix)
        row[self._head(DIFFERENCE, short=short)] = self._difference(str(line["loadout"]), decides)
        return row

    def _shown(self, suffix: str) -> list[str]:
        """The figures of one of the tables; what nobody has is not shown."""
        wanted = BY_POINTS if suffix else dict.fromkeys((*SHOWN, self.metric.removesuffix(PER_100_POINTS)))
        return [name for name in wanted if self.frame[name + suffix].notna().any()]

    def _head(self, name: str, *, short: bool) -> str:
        if name == DIFFERENCE:
            return "diff." if short else DIFFERENCE
        head = COMPARED[name].short if short else COMPARED[name].head
        return head.format(at_least="k" if self.at_least is None else self.at_least)

    def _decision(self, decides: str) -> str:
        """Who is the best in a table, and by what."""
        title = title_of(decides, self.at_least)
        line = f"{BEST} the best by {title[0].lower() + title[1:]}; differences are with it"
        tied = self._tied(decides)
        if not tied:
            return f"{line}."
        said = f"{EQUAL} exactly equal" if self._exact else f"{UNSURE} not distinguishable in this sample"
        return f"{line}. A tie: {', '.join(tied)} ({said}); the cheapest has the {BEST}."

    def _difference(self, loadout: str, decides: str) -> str:
        of_metric = self._of(decides)
        found = of_metric[of_metric["loadout"] == loadout]
        if found.empty or loadout == self._best(decides) or pd.isna(found["difference"].iloc[0]):
            return ""
        line = found.iloc[0]
        if pd.isna(line["low"]) and line["tied"]:
            return EQUAL if self._exact else UNSURE
        if pd.isna(line["low"]):
            return _exact_text(line["difference"], decides, sign=True, of_difference=True)
        scale, unit = (100, " pp") if COMPARED[decides].is_probability else (1, "")
        value, half = scale * line["difference"], scale * (line["high"] - line["low"]) / 2
        said = plus_minus(value, half, unit) if half > 0 else f"{value:.2f}{unit}"
        return said if line["significant"] else f"{UNSURE} {said}"

    @property
    def _exact(self) -> bool:
        return all(each.exact for each in self.results.values())

    def _heading(self) -> str:
        result = next(iter(self.results.values()))
        distance = result.scenario.attack.distance
        where = "" if distance is None else f' at {distance:g}"'
        how = method_line([result])
        if len(self.shares) > 1:
            shares = ", ".join(f"{target} {100 * share:.4g}%" for target, share in self.shares.items())
            return f"Mean over {len(self.shares)} targets, by their weights: {shares}{where}; {how}"
        (target,) = self.shares
        return f"On {target} ({result.scenario.target.models} models){where}; {how}"

    def notes(self) -> list[str]:
        """What the short heads mean, what was not computed, and where the numbers come from."""
        at_least = self._head(AT_LEAST, short=True)
        notes = [
            f"{at_least}, mean, 10th: models destroyed (probability of so many, mean, percentile).",
            "suppr., broken, annih.: probabilities; they are not divided by points.",
        ]
        if not self._exact:
            notes.append(
                f"Differences are paired batch by batch (the same random numbers for each loadout), with a 95% "
                f"interval; {UNSURE} marks one that is not significant."
            )
        if len(self.shares) > 1:
            notes.append("What a loadout cannot attack counts as 0 in the mean; percentiles have no mean.")
        why = self.frame["why_not"] if "cannot" not in self.frame else self.frame["cannot"]
        notes += [f"{loadout} cannot: {each}" for loadout, each in zip(self.frame["loadout"], why) if pd.notna(each)]
        gaps = dict.fromkeys(name for result in self.results.values() for name in result.not_modelled)
        notes += [f"Not modelled: {', '.join(gaps) or 'none'}.", f"Profiles: {self.profiles}."]
        doubts = dict.fromkeys(doubt for result in self.results.values() for doubt in result.warnings)
        return notes + [f"Warning: {doubt}" for doubt in doubts]

    def _bold(self, table: pd.DataFrame, suffix: str) -> pd.DataFrame:
        """Where the highest figure of each column stands."""
        styles = pd.DataFrame("", index=table.index, columns=table.columns)
        for name in self._shown(suffix):
            values = self.frame[name + suffix].to_numpy(float)
            highest = values == values[~pd.isna(values)].max(initial=-1.0)
            styles.loc[highest, self._head(name, short=False)] = "font-weight: bold"
        return styles


def _text(line: pd.Series[Any], name: str) -> str:
    """A figure, with half its interval if it has one; nothing for NaN."""
    value, low, high = (float(line.get(column, np.nan)) for column in (name, f"{name}_low", f"{name}_high"))
    if np.isnan(value):
        return ""
    if COMPARED[name].is_probability:
        return str(Estimate(value) if np.isnan(low) else Estimate(value, low, high))
    return plus_minus(value, (high - low) / 2) if high > low else _exact_text(value, name)


def _exact_text(value: float, name: str, *, sign: bool = False, of_difference: bool = False) -> str:
    """A figure or a difference with two decimals, more where they would make nothing of it."""
    if name.endswith(PERCENTILE):
        return f"{value:{'+' if sign else ''}.0f}"
    is_chance = COMPARED[name].is_probability
    number, unit = (100 * value, " pp" if of_difference else "%") if is_chance else (value, "")
    digits = ".1g" if 0 < abs(number) < 0.005 else ".2f"
    return f"{number:{'+' if sign else ''}{digits}}{unit}"
