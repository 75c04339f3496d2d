"""Answer of a search: variants ranked from the best, the error of the ranking, and their text and picture."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from analyser import plots
from analyser.ask.metric_lookup import by_points, is_probability, shown_between, shown_value, title_of
from analyser.ask.question_table import QuestionTable, reason_kind
from analyser.ask.race import ERROR, MOST_TRIALS, Raced
from analyser.ask.variants import BASELINE
from analyser.common.answer import Block, plain_rows
from analyser.common.look import with_subject
from analyser.common.metrics import PER_100_POINTS
from analyser.common.text import counted, word_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ASKED = ("best", "tied", "beaten")  # statuses of variants that were computed
SHOWN = 15
MOST_REASONS = 10
_TITLE = 64  # characters in a title line, about the width of the axes
_OWN_COLUMNS = {"variant", "value", "costs", "low", "high", "trials", "dropped_after_stage"}
_OWN_COLUMNS |= {"status", "same_as", "why_not"}
_ENDS = {
    "decided": "one fight is left",
    "alike": "those left are alike",
    "trials": f"{MOST_TRIALS:,} trials",
    "interrupted": "stopped",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Search(QuestionTable):
    """Variants ranked from the best.

    Attributes
    ----------
    frame : DataFrame
        One row for each variant: `variant`, a column for each changed key, `value`, `status` (best, tied, beaten, not
        possible, not asked), `same_as` (an earlier variant that is the same fight) and `why_not`. A race adds `low`,
        `high` and `trials`. `costs` is present if the points of the attacker differ.
    best : str
        The first of the best variants.
    tied : tuple of str
        All best variants, if there are several: exactly equal, or not significantly different in a race.
    metric : str
    least : bool
    raced : Raced or None
        Course of the race.
    question : str
        Subject of the baseline.
    """

    best: str
    tied: tuple[str, ...]
    metric: str
    least: bool
    raced: Raced | None
    question: str

    schema = "analyser/search/1"

    @property
    def headline(self) -> str:
        """The best variant in one sentence."""
        others = len(self.tied) - 1
        if others <= 0:
            return f"The best variant is {self.best}."
        how = "as good" if self.raced is None else "tied with it"
        return f"The best variant is {self.best}, and {others:,} more {'is' if others == 1 else 'are'} {how}."

    def sentence(self) -> str:
        """Return the best variant, and the error of that statement."""
        value = self._shown(self.frame.iloc[0])
        what = f"{title_of(self.metric)}{' (least)' * self.least}"
        if not self.complete:
            return f"Stopped: of the variants computed so far {self._priced(self.best)} is best by {what}: {value}."
        how = "exactly" if self.raced is None else f"wrong in at most {100 * ERROR:.0f}% of such searches"
        beside = self._beside()
        if not self.tied:
            return f"The best is {self._priced(self.best)}: {what} {value}, {how}.{beside}"
        many = counted(len(self.tied), "variant")
        if self.raced is None:
            return f"A tie: {many} are exactly equal, {what} {value}: {self._few(self.tied)}.{beside}"
        tied = self.frame[self.frame["variant"].isin(self.tied)]
        different = tied.loc[tied["same_as"].isna() | ~tied["same_as"].isin(self.tied), "variant"].tolist()
        if len(different) == 1:
            return f"A tie: {many} are one and the same fight, {what} {value}, {how}: {self._few(self.tied)}.{beside}"
        equal = len(tied) - len(different)
        also = f"; {equal:,} more {'is' if equal == 1 else 'are'} the same fight as one of these" * bool(equal)
        reach = float(tied["high"].max() - tied["low"].min())
        behind = f"{100 * reach:.2g} percentage points" if is_probability(self.metric) else f"{reach:.2g}"
        return (
            f"Tied: {len(different):,} different fights ({self._few(different)}{also}), {what} {value} "
            f"of the first; none is more than {behind} behind the best, {how}.{beside}"
        )

    def _priced(self, name: str) -> str:
        """Return a variant, with its points if the points of variants differ."""
        costs = self.frame.loc[self.frame["variant"] == name, "costs"].dropna() if "costs" in self.frame else ()
        return f"{name} ({next(iter(costs)):g} points)" if len(costs) else name

    def _few(self, names: Sequence[str]) -> str:
        """Return the first three variants, and the number of the others."""
        few = "; ".join(map(self._priced, names[:3]))
        return few + (f"; and {len(names) - 3:,} more" if len(names) > 3 else "")

    def _beside(self) -> str:
        """Return the value of a baseline that is not among the best, and the number of impossible variants."""
        baseline = self.frame[(self.frame["variant"] == BASELINE) & (self.frame["status"] == "beaten")]
        text = f" The baseline has {self._shown(baseline.iloc[0])}." if len(baseline) else ""
        if gone := int((self.frame["status"] == "not possible").sum()):
            verb = "is" if gone == 1 else "are"
            text += f" Of {counted(len(self.frame), 'variant')} {gone:,} {verb} not possible."
        return text

    def blocks(self) -> list[Block]:
        """Return the best variant and the first of the others."""
        asked = self.frame[self.frame["status"].isin(ASKED)]
        shown = asked.head(max(SHOWN, min(len(self.tied), 2 * SHOWN)))
        has_costs, is_race = "costs" in self.frame, self.raced is not None
        head = ["", "variant", title_of(self.metric), *["trials"] * is_race, *["points"] * has_costs]
        rows = []
        for _, row in shown.iterrows():
            is_equal = not is_race or self._fight_of(row) == self._fight_of(self.frame.iloc[0])
            mark = {"best": "*", "tied": "=" if is_equal else "≈"}.get(str(row["status"]), "")
            trials = [f"{int(row['trials']):,}"] if is_race else []
            points = ["" if pd.isna(row["costs"]) else f"{row['costs']:g}"] if has_costs else []
            rows.append([mark, row["variant"], self._shown(row), *trials, *points])
        more = len(asked) - len(shown)
        lines = [f"and {more:,} more"] if more else []
        return [Block(self.sentence()), Block(head=head, rows=rows, align="<<>", lines=lines)]

    @staticmethod
    def _fight_of(row: Any) -> str:
        """Return the first variant that is the same fight."""
        return str(row["variant"] if pd.isna(row["same_as"]) else row["same_as"])

    def _shown(self, row: Any) -> str:
        if self.raced is None:
            return shown_value(self.metric, row["value"])
        return shown_between(self.metric, row["value"], row["low"], row["high"])

    def notes(self) -> list[str]:
        """Return the method, the variants merged or not possible, and the sources."""
        gone = self.frame[self.frame["status"] == "not possible"]
        notes = [f"The baseline is of {self.question}."] if self.question else []
        notes.append(f"{self._counts()}: {'exact' if self.raced is None else self._method(self.raced)}.")
        if "costs" in self.frame and not self.metric.endswith(PER_100_POINTS):
            remedy = by_points(self.metric, self.kind) if self.raced is None else ""
            costs = self.frame["costs"].dropna()
            notes.append(f"The attackers cost {costs.min():g} to {costs.max():g} points{remedy}.")
        if len(gone):
            notes += [f"{counted(len(gone), 'variant')} not possible, cut:", *self._reasons(gone)]
        if not self.complete:
            notes.append(f"{counted(Counter(self.frame['status'])['not asked'], 'variant')} not asked: it was stopped.")
        return [*notes, *self._sources()]

    def _counts(self) -> str:
        """Return the number of variants, and its parts, which add up."""
        statuses = Counter(self.frame["status"])
        same = sum(statuses[status] for status in ASKED) - self.fights
        parts = [counted(self.fights, "different fight")]
        parts += [f"{same:,} the same fight as one of these (`same_as`)"] if same else []
        parts += [f"{number:,} {status}" for status in ("not possible", "not asked") if (number := statuses[status])]
        return f"{counted(len(self.frame), 'variant')}: {', '.join(parts)}"

    def _reasons(self, gone: pd.DataFrame) -> list[str]:
        """Return the kinds of reasons why variants are impossible, with counts and the value that causes each."""
        lines = []
        kinds = gone["why_not"].map({why: reason_kind(why) for why in gone["why_not"].unique()})
        for _, part in sorted(gone.groupby(kinds, sort=False), key=lambda group: -len(group[1])):
            alike = "" if part["why_not"].nunique() == 1 else ", and alike"
            lines.append(f"  {len(part):,}: {self._common_value(part)}{part['why_not'].iloc[0]}{alike}")
        more = len(lines) - MOST_REASONS
        return lines[:MOST_REASONS] + [f"  and {counted(more, 'more reason')}"] * (more > 0)

    def _common_value(self, part: pd.DataFrame) -> str:
        """Return the first value that all variants in `part`, and no others, have."""
        for key in (name for name in self.frame.columns if name not in _OWN_COLUMNS):
            value, *others = set(part[key].map(word_of, na_action="ignore"))
            if not others and (self.frame[key].map(word_of, na_action="ignore") == value).sum() == len(part):
                return f"{key} = {value}: "
        return ""

    def _method(self, raced: Raced) -> str:
        decks = "cards put back" if self.sampling.replacement else "real decks"
        decks = "every card from a full deck" if self.kind == "attack" else decks
        stages, trials = counted(raced.stages, "stage"), f"{raced.trials.sum():,} trials"
        at = f"confidence sequences at {100 * ERROR:.0f}% over all variants"
        return f"a race of {stages}, {trials}, seed {self.sampling.seed}, {decks}; {at}; ended: {_ENDS[raced.why]}"

    def _body(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "method": "exact" if self.raced is None else "race",
            "question": self.question,
            "metric": self.metric,
            "least": self.least,
            "best": self.best,
            "tied": list(self.tied),
        }
        if self.raced is not None:
            record |= {"error": ERROR, "stages": self.raced.stages, "stop_reason": self.raced.why}
            record |= {"trials": int(self.raced.trials.sum()), "seed": self.sampling.seed}
        record |= {"complete": self.complete, "said": self.sentence(), "variants": plain_rows(self.frame)}
        return record | self._common_entries()

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the best variants as dots, with confidence sequences for a race; the baseline is marked."""
        best = self.sentence().partition(title_of(self.metric))[0].removesuffix(" by ").rstrip(" :,")
        lines = [f"Variants of {self.question}"] * bool(self.question) + [best]
        title = "\n".join(part for line in lines for part in textwrap.wrap(line, _TITLE, break_on_hyphens=False))
        return plots.ranked(with_subject(self.frame, title), quantity=title_of(self.metric), ax=ax, **more)
