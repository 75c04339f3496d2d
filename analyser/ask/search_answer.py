"""Variants from the best downwards: how sure that is, and how a shell and a notebook show it."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from analyser import plots
from analyser.ask.curve_answer import word_of
from analyser.ask.race import ERROR, MOST_TRIALS, Raced
from analyser.ask.readings import by_points, is_probability, shown_between, shown_value, title_of
from analyser.ask.reasons import kind_of
from analyser.ask.variants import BASELINE
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.sampling import Sampling
from analyser.common.text import counted
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset, ruleset_record
from analyser.plots.look import about
from analyser.plots.metrics import PER_100_POINTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ASKED = ("best", "tied", "beaten")  # what becomes of a variant that was asked
SHOWN = 15
MOST_REASONS = 10
_TITLE = 64  # characters of a line: as wide as the axes
_OWN_COLUMNS = {
    "variant",
    "value",
    "costs",
    "low",
    "high",
    "trials",
    "dropped_after_stage",
    "status",
    "same_as",
    "why_not",
}


@dataclass(frozen=True, eq=False, repr=False)
class Search(FramedAnswer):
    """Variants, the best of them first.

    Attributes
    ----------
    frame : DataFrame
        One row a variant: `variant`, every key that is changed by its name, `value`, of a race `low`, `high` and
        `trials`, `costs` where what who attacks costs differs, `status` (best, tied, beaten, not possible, not asked),
        `same_as` (an earlier variant that is the same fight), `why_not`.
    best : str
        The first of the best ones.
    tied : tuple of str
        All that are best: exactly equal, or not told apart by a race; none if one is alone.
    metric : str
    least : bool
    raced : Raced or None
        How the race went.
    complete : bool
        Whether all variants were asked; not after Ctrl-C.
    fights : int
        Different fights among them.
    not_modelled : tuple of str
        Rules of any variant that bear on it, and that no number was computed from.
    question : str
        What the baseline is of.
    assumptions : tuple of str
        What the answer to the best one takes for granted.
    """

    frame: pd.DataFrame
    best: str
    tied: tuple[str, ...]
    metric: str
    least: bool
    kind: str
    raced: Raced | None
    complete: bool
    fights: int
    sampling: Sampling
    not_modelled: tuple[str, ...]
    question: str
    assumptions: tuple[str, ...]
    profiles: ProfilesUsed | None
    ruleset: Ruleset | None

    schema = "analyser/search/1"

    @property
    def headline(self) -> str:
        """The best variant in one sentence."""
        others = len(self.tied) - 1
        if others <= 0:
            return f"The best variant is {self.best}."
        how = "as good" if self.raced is None else "not told apart from it"
        return f"The best variant is {self.best}, and {others:,} more {'is' if others == 1 else 'are'} {how}."

    def sentence(self) -> str:
        """Return the best variant, and how sure that is."""
        value = self._shown(self.frame.iloc[0])
        what = f"{title_of(self.metric)}{' (least)' * self.least}"
        if not self.complete:
            return f"Stopped: of what was asked {self._priced(self.best)} is best by {what}: {value}."
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
        return (
            f"Not told apart: {len(different):,} different fights ({self._few(different)}{also}), {what} {value} "
            f"of the first; none is more than {self._reach()} behind the best, {how}.{beside}"
        )

    def _priced(self, name: str) -> str:
        """A variant with what it costs, where that differs."""
        costs = (
            self.frame.loc[self.frame["variant"] == name, "costs"] if "costs" in self.frame else pd.Series(dtype=float)
        )
        return name if costs.isna().all() else f"{name} ({costs.iloc[0]:g} points)"

    def _few(self, names: Sequence[str]) -> str:
        """The first of some variants."""
        few = "; ".join(map(self._priced, names[:3]))
        return few + (f"; and {len(names) - 3:,} more" if len(names) > 3 else "")

    def _beside(self) -> str:
        """Return the value of the baseline, unless it is among the best; and how many variants are not possible."""
        baseline = self.frame[(self.frame["variant"] == BASELINE) & (self.frame["status"] == "beaten")]
        said = f" The baseline has {self._shown(baseline.iloc[0])}." if len(baseline) else ""
        gone = int((self.frame["status"] == "not possible").sum())
        return (
            said
            + f" Of {counted(len(self.frame), 'variant')} {gone:,} {'is' if gone == 1 else 'are'} not possible."
            * bool(gone)
        )

    def _reach(self) -> str:
        left = self.frame[self.frame["status"].isin(("best", "tied"))]
        reach = float(left["high"].max() - left["low"].min())
        return f"{100 * reach:.2g} percentage points" if is_probability(self.metric) else f"{reach:.2g}"

    def blocks(self) -> list[Block]:
        """The best variant and the first of the others."""
        asked = self.frame[self.frame["status"].isin(ASKED)]
        shown = asked.head(max(SHOWN, min(len(self.tied), 2 * SHOWN)))
        costs = "costs" in self.frame
        head = ["", "variant", title_of(self.metric), *(["trials"] if self.raced is not None else [])]
        head += ["points"] if costs else []
        rows = []
        for _, row in shown.iterrows():
            is_equal = self.raced is None or self._fight_of(row) == self._fight_of(self.frame.iloc[0])
            mark = {"best": "*", "tied": "=" if is_equal else "≈"}.get(str(row["status"]), "")
            trials = [f"{int(row['trials']):,}"] if self.raced is not None else []
            points = ["" if pd.isna(row["costs"]) else f"{row['costs']:g}"] if costs else []
            rows.append([mark, row["variant"], self._shown(row), *trials, *points])
        more = len(asked) - len(shown)
        lines = [f"and {more:,} more"] if more else []
        return [Block(self.sentence()), Block(head=head, rows=rows, align="<<>", lines=lines)]

    def _fight_of(self, row: Any) -> str:
        """The first variant that is the same fight."""
        return str(row["variant"] if pd.isna(row["same_as"]) else row["same_as"])

    def _shown(self, row: Any) -> str:
        if self.raced is None:
            return shown_value(self.metric, row["value"])
        return shown_between(self.metric, row["value"], row["low"], row["high"])

    def notes(self) -> list[str]:
        """Return the method, the variants merged or not possible, and the sources."""
        gone = self.frame[self.frame["status"] == "not possible"]
        notes = [f"The baseline is of {self.question}."] if self.question else []
        notes.append(f"{self._counts()}: {'exact' if self.raced is None else self._how()}.")
        if "costs" in self.frame and not self.metric.endswith(PER_100_POINTS):
            remedy = by_points(self.metric, self.kind) if self.raced is None else ""
            costs = self.frame["costs"].dropna()
            notes.append(f"Who attacks costs {costs.min():g} to {costs.max():g} points{remedy}.")
        if len(gone):
            notes += [f"{counted(len(gone), 'variant')} not possible, cut:", *self._reasons(gone)]
        if not self.complete:
            notes.append(f"{counted(Counter(self.frame['status'])['not asked'], 'variant')} not asked: it was stopped.")
        notes.append(f"Not modelled: {', '.join(self.not_modelled) or 'none'}.")
        notes += [f"Assumption: {each}." for each in self.assumptions]
        return [*notes, *([] if self.profiles is None else [f"Profiles: {self.profiles}."])]

    def _counts(self) -> str:
        """Return the number of variants, and its parts, which add up."""
        statuses = Counter(self.frame["status"])
        same = sum(statuses[each] for each in ASKED) - self.fights
        parts = [counted(self.fights, "different fight")]
        parts += [f"{same:,} the same fight as one of these (`same_as`)"] if same else []
        parts += [f"{number:,} {each}" for each in ("not possible", "not asked") if (number := statuses[each])]
        return f"{counted(len(self.frame), 'variant')}: {', '.join(parts)}"

    def _reasons(self, gone: pd.DataFrame) -> list[str]:
        """Why variants are not possible: reasons by kind, counted; with the value that those and no others have."""
        keys = [name for name in self.frame.columns if name not in _OWN_COLUMNS]
        lines = []
        kinds = gone["why_not"].map({why: kind_of(why) for why in gone["why_not"].unique()})
        for _, part in sorted(gone.groupby(kinds, sort=False), key=lambda each: -len(each[1])):
            alike = "" if part["why_not"].nunique() == 1 else ", and alike"
            values = {key: set(part[key].map(word_of, na_action="ignore")) for key in keys}
            of_all = [
                f"{key} = {value}: "
                for key, (value, *others) in values.items()
                if not others and (self.frame[key].map(word_of, na_action="ignore") == value).sum() == len(part)
            ]
            lines.append(f"  {len(part):,}: {''.join(of_all[:1])}{part['why_not'].iloc[0]}{alike}")
        more = len(lines) - MOST_REASONS
        return lines[:MOST_REASONS] + [f"  and {counted(more, 'more reason')}"] * (more > 0)

    def _how(self) -> str:
        assert self.raced is not None
        ends = {
            "decided": "one fight is left",
            "alike": "those left are alike",
            "trials": f"{MOST_TRIALS:,} trials",
            "interrupted": "stopped",
        }
        decks = "cards put back" if self.sampling.replacement else "real decks"
        if self.kind == "attack":
            decks = "every card from a full deck"
        stages, trials = counted(self.raced.stages, "stage"), f"{self.raced.trials.sum():,} trials"
        at = f"confidence sequences at {100 * ERROR:.0f}% over all variants"
        return f"a race of {stages}, {trials}, seed {self.sampling.seed}, {decks}; {at}; ended: {ends[self.raced.why]}"

    def _body(self) -> dict[str, Any]:
        head: dict[str, Any] = {"kind": self.kind, "method": "exact" if self.raced is None else "race"}
        head |= {
            "question": self.question,
            "metric": self.metric,
            "least": self.least,
            "best": self.best,
            "tied": list(self.tied),
        }
        if self.raced is not None:
            head |= {"error": ERROR, "stages": self.raced.stages, "stop_reason": self.raced.why}
            head |= {"trials": int(self.raced.trials.sum()), "seed": self.sampling.seed}
        head |= {"complete": self.complete, "fights": self.fights, "said": self.sentence(), "notes": self.notes()}
        head |= {"variants": plain_rows(self.frame), "profiles": self.profiles and self.profiles.as_dict()}
        return head | {"assumptions": list(self.assumptions), **ruleset_record(self.ruleset)}

    def _title(self) -> str:
        """Return the title of a picture: the question and its answer."""
        best = self.sentence().partition(title_of(self.metric))[0].removesuffix(" by ").rstrip(" :,")
        lines = [f"Variants of {self.question}"] * bool(self.question) + [best]
        return "\n".join(part for line in lines for part in textwrap.wrap(line, _TITLE, break_on_hyphens=False))

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """The best variants as dots, of a race with their sequences; the baseline marked."""
        return plots.ranked(about(self.frame, self._title()), quantity=title_of(self.metric), ax=ax, **more)
