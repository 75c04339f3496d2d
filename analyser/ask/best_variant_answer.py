"""Answer of a search for the best variant: a ranked table with the probability of error, as text and picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser import plots
from analyser.ask.metric_lookup import is_probability, title_of, value_text
from analyser.ask.question_table import QuestionTable
from analyser.ask.race import ERROR, RaceResult
from analyser.common.answer import Block, plain_rows
from analyser.common.look import with_subject
from analyser.common.metrics import PER_100_POINTS
from analyser.common.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BASELINE = "baseline"
COMPUTED = ("best", "tied", "beaten")  # statuses of variants that were computed
LISTED_VARIANTS = 15
_TITLE_WIDTH = 64  # characters in a title line, about the width of the axes
_STOP_REASONS = {
    "decided": "one fight remains",
    "alike": "the remaining fights hardly differ",
    "trials": "the greatest number of trials was done",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Search(QuestionTable):
    """Variants of a question, ranked from the best.

    Attributes
    ----------
    frame : DataFrame
        One row for each variant: `variant`, a column for each changed key, `value`, `status` (best, tied, beaten, not
        possible), `same_as` (an earlier variant that is the same fight) and `why_not` (why it is not possible). A race
        (simulation in stages) adds `low`, `high` and `trials`. `costs`: points of the attacker, if they differ.
    tied : tuple of str
        All best variants, if there are several: exactly equal, or in a race not significantly different.
    least : bool
        True if low values of the metric are better.
    question : str
        The units and the kind of fight of the baseline, such as "duel: A against B".
    """

    best: str
    tied: tuple[str, ...]
    metric: str
    least: bool
    race: RaceResult | None
    question: str

    schema = "analyser/search/1"

    @property
    def headline(self) -> str:
        others = len(self.tied) - 1
        if others <= 0:
            return f"The best variant is {self.best}."
        relation = "as good" if self.race is None else "tied with it"
        return f"The best variant is {self.best}, and {others:,} more {'is' if others == 1 else 'are'} {relation}."

    def sentence(self) -> str:
        """Return a sentence about the best variant, with an upper bound on the probability that it is wrong."""
        value = self._value_text(self.frame.iloc[0])
        title = f"{title_of(self.metric)}{' (least)' * self.least}"
        error = "exactly" if self.race is None else f"wrong in at most {100 * ERROR:.0f}% of such searches"
        if not self.tied:
            return f"The best is {self._priced(self.best)}: {title} {value}, {error}."
        number = counted(len(self.tied), "variant")
        relation, error = ("exactly equal", "") if self.race is None else ("the same fight", f", {error}")
        tied = self.frame[self.frame["variant"].isin(self.tied)]
        different = tied.loc[tied["same_as"].isna() | ~tied["same_as"].isin(self.tied), "variant"].tolist()
        if self.race is None or len(different) == 1:
            return f"A tie: {number} are {relation}, {title} {value}{error}: {self._first_three(self.tied)}."
        equal = len(tied) - len(different)
        also = f"; {equal:,} more {'is' if equal == 1 else 'are'} the same fight as one of these" * bool(equal)
        span = float(tied["high"].max() - tied["low"].min())
        behind = f"{100 * span:.2g} percentage points" if is_probability(self.metric) else f"{span:.2g}"
        return (
            f"Tied: {len(different):,} different fights ({self._first_three(different)}{also}). The first has {title} "
            f"{value}; each is at most {behind} behind the best{error}."
        )

    def _priced(self, name: str) -> str:
        costs = self.frame.loc[self.frame["variant"] == name, "costs"].dropna() if "costs" in self.frame else ()
        return f"{name} ({next(iter(costs)):g} points)" if len(costs) else name

    def _first_three(self, names: Sequence[str]) -> str:
        first = "; ".join(map(self._priced, names[:3]))
        return first + (f"; and {len(names) - 3:,} more" if len(names) > 3 else "")

    def blocks(self) -> list[Block]:
        computed = self.frame[self.frame["status"].isin(COMPUTED)]
        shown = computed.head(max(LISTED_VARIANTS, min(len(self.tied), 2 * LISTED_VARIANTS)))
        has_costs, is_race = "costs" in self.frame, self.race is not None
        head = ["", "variant", title_of(self.metric), *["trials"] * is_race, *["points"] * has_costs]
        rows = []
        for _, row in shown.iterrows():
            is_equal = not is_race or self._fight_of(row) == self._fight_of(self.frame.iloc[0])
            mark = {"best": "*", "tied": "=" if is_equal else "≈"}.get(str(row["status"]), "")
            trials = [f"{int(row['trials']):,}"] if is_race else []
            points = ["" if pd.isna(row["costs"]) else f"{row['costs']:g}"] if has_costs else []
            rows.append([mark, row["variant"], self._value_text(row), *trials, *points])
        more = len(computed) - len(shown)
        lines = [f"and {more:,} more"] if more else []
        return [Block(self.sentence()), Block(head=head, rows=rows, align="<<>", lines=lines)]

    @staticmethod
    def _fight_of(row: Any) -> str:
        """Return the name of the first variant with the same fight as `row`."""
        return str(row["variant"] if pd.isna(row["same_as"]) else row["same_as"])

    def _value_text(self, row: Any) -> str:
        return value_text(self.metric, row["value"], row.get("low", np.nan), row.get("high", np.nan))

    def notes(self) -> list[str]:
        impossible = self.frame[self.frame["status"] == "not possible"]
        baseline = self.frame[(self.frame["variant"] == BASELINE) & (self.frame["status"] == "beaten")]
        value = f", with {title_of(self.metric)} {self._value_text(baseline.iloc[0])}" if len(baseline) else ""
        notes = [f"Baseline: {self.question}{value}."] if self.question else []
        notes.append(f"{self._counts()}: {'exact' if self.race is None else self._method(self.race)}.")
        if "costs" in self.frame and not self.metric.endswith(PER_100_POINTS):
            costs = self.frame["costs"].dropna()
            notes.append(f"The attackers cost {costs.min():g} to {costs.max():g} points.")
        if len(impossible):
            verb = "is" if len(impossible) == 1 else "are"
            such_as = ("" if len(impossible) == 1 else "such as ") + impossible["variant"].iloc[0]
            number = counted(len(impossible), "variant")
            notes.append(f"{number} {verb} not possible and left out, {such_as}: {impossible['why_not'].iloc[0]}")
        return [*notes, *self._sources()]

    def _counts(self) -> str:
        same = int(self.frame["status"].isin(COMPUTED).sum()) - self.fights
        text = f"{counted(len(self.frame), 'variant')}: {counted(self.fights, 'different fight')}"
        return text + (f" and {same:,} repeated (`same_as`)" if same else "")

    def _method(self, race: RaceResult) -> str:
        decks = "cards put back" if self.sampling.replacement else "real decks"
        decks = "every card from a full deck" if self.kind == "attack" else decks
        stages, trials = counted(race.stages, "stage"), f"{race.trials.sum():,} trials"
        sequences = f"confidence sequences with a joint error of {100 * ERROR:.0f}% over all variants"
        end = f"it ended because {_STOP_REASONS[race.stop_reason]}"
        return f"a race of {stages}, {trials}, seed {self.sampling.seed}, {decks}; {sequences}; {end}"

    def _body(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "method": "exact" if self.race is None else "race",
            "question": self.question,
            "metric": self.metric,
            "least": self.least,
            "best": self.best,
            "tied": list(self.tied),
        }
        if self.race is not None:
            record |= {"error": ERROR, "stages": self.race.stages, "stop_reason": self.race.stop_reason}
            record |= {"trials": int(self.race.trials.sum()), "seed": self.sampling.seed}
        record |= {"said": self.sentence(), "variants": plain_rows(self.frame)}
        return record | self._common_entries()

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the best variants as dots, with confidence sequences for a race; the baseline is marked."""
        best = self.sentence().partition(title_of(self.metric))[0].removesuffix(" by ").rstrip(" :,")
        lines = [f"Variants of {self.question}"] * bool(self.question) + [best]
        title = "\n".join(part for line in lines for part in textwrap.wrap(line, _TITLE_WIDTH, break_on_hyphens=False))
        return plots.ranked(with_subject(self.frame, title), quantity=title_of(self.metric), ax=ax, **more)
