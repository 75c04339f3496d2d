"""The best of many variants of a question: exactly, with true ties; or by a race, at a stated error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from analyser import plots
from analyser.ask.asking import Asker
from analyser.ask.curve_answer import plain_rows
from analyser.ask.race import ERROR, MOST_TRIALS, Raced, Seen, race
from analyser.ask.readings import DEFAULT, is_probability, reading, shown_value, title_of
from analyser.ask.variants import Variant, Variants, read_variants
from analyser.common.errors import InputError, check_choice, check_integer, check_text
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.sampling import Progress, Sampling
from analyser.common.text import aligned, counted
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.results.base import Result
from analyser.scenarios.load import Question, read_scenario

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS = ("exact", "race")
SHOWN = 15
_WITHIN = 0.01  # of a probability, or of a model, a point: those that differ by less count as alike
_STATUS = ("best", "tied", "beaten", "not possible", "not asked")


@dataclass(frozen=True, eq=False, repr=False)
class Search:
    """Variants, the best of them first. Printed it is plain text.

    Attributes
    ----------
    frame : DataFrame
        One row a variant: `variant`, every key that is changed by its name, `value`, of a race `low`, `high` and
        `trials`, `status` (best, tied, beaten, not possible, not asked), `same_as` (an earlier variant that is the
        same fight), `why_not`.
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
    explained: Result
    profiles: ProfilesUsed | None

    def to_frame(self) -> pd.DataFrame:
        """The frame, as a copy."""
        return self.frame.copy()

    def rows(self) -> list[dict[str, Any]]:
        """The frame as plain dicts: what ``--format csv`` prints."""
        return plain_rows(self.frame.assign(profiles=str(self.profiles)))

    def sentence(self) -> str:
        """Which is best, and how sure that is."""
        value = self._shown(self.frame.iloc[0])
        what = f"{title_of(self.metric)}{' (least)' * self.least}"
        if not self.complete:
            return f"Stopped: of what was asked {self.best} is best by {what}: {value}."
        how = "exactly" if self.raced is None else f"wrong in at most {100 * ERROR:.0f}% of such searches"
        if not self.tied:
            return f"The best is {self.best}: {what} {value}, {how}."
        if self.raced is None:
            return f"A tie: {counted(len(self.tied), 'variant')} are exactly equal, {what} {value}: {_few(self.tied)}."
        reach = self._reach()
        return (
            f"Not told apart: {counted(len(self.tied), 'variant')} ({_few(self.tied)}), {what} {value} of the first; "
            f"none is more than {reach} behind the best, {how}."
        )

    def _reach(self) -> str:
        left = self.frame[self.frame["status"].isin(("best", "tied"))]
        reach = float(left["high"].max() - left["low"].min())
        return f"{100 * reach:.2g} percentage points" if is_probability(self.metric) else f"{reach:.2g}"

    def __str__(self) -> str:
        """Which is best, the first of the others, and what was merged or is not possible."""
        shown = self.frame.head(max(SHOWN, min(len(self.tied), 2 * SHOWN)))
        head = ["", "variant", title_of(self.metric), *(["trials"] if self.raced is not None else [])]
        rows = []
        for _, row in shown.iterrows():
            mark = {"best": "*", "tied": "=" if self.raced is None else "≈"}.get(str(row["status"]), "")
            trials = [f"{int(row['trials']):,}"] if self.raced is not None else []
            rows.append([mark, row["variant"], self._shown(row), *trials])
        more = len(self.frame) - len(shown)
        table = aligned([head, *rows], "<<>")
        return (
            "\n".join([self.sentence(), "", *table, *([f"and {more:,} more"] if more else []), "", *self.notes()])
            + "\n"
        )

    __repr__ = __str__  # a shell shows what is printed

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _shown(self, row: Any) -> str:
        return shown_value(self.metric, row["value"], row.get("low", np.nan), row.get("high", np.nan))

    def notes(self) -> list[str]:
        """How they were told apart, what was merged, what is not possible, and where the numbers come from."""
        statuses = Counter(self.frame["status"])
        asked = len(self.frame) - statuses["not possible"] - statuses["not asked"]
        how = "exact" if self.raced is None else self._how()
        notes = [f"{counted(len(self.frame), 'variant')}, {asked:,} asked, {self.fights:,} different fights: {how}."]
        same = int(self.frame["same_as"].notna().sum())
        if same:
            notes.append(f"{counted(same, 'variant')} are the same fight as another and share its answer (`same_as`).")
        gone = self.frame[self.frame["status"] == "not possible"]
        if len(gone):
            reasons = Counter(gone["why_not"])
            notes.append(f"{counted(len(gone), 'variant')} not possible, cut: {reasons.most_common(1)[0][0]}")
        if statuses["not asked"]:
            notes.append(f"{counted(statuses['not asked'], 'variant')} not asked: it was stopped.")
        notes.append(f"Not modelled: {', '.join(self.explained.not_modelled) or 'none'}.")
        return [*notes, *([] if self.profiles is None else [f"Profiles: {self.profiles}."])]

    def _how(self) -> str:
        assert self.raced is not None
        ends = {
            "decided": "one is left",
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

    def as_dict(self) -> dict[str, Any]:
        """As plain data: what ``--format json`` prints."""
        head: dict[str, Any] = {"kind": self.kind, "method": "exact" if self.raced is None else "race"}
        head |= {"metric": self.metric, "least": self.least, "best": self.best, "tied": list(self.tied)}
        if self.raced is not None:
            head |= {"error": ERROR, "stages": self.raced.stages, "stop_reason": self.raced.why}
            head |= {"trials": int(self.raced.trials.sum()), "seed": self.sampling.seed}
        head |= {"complete": self.complete, "fights": self.fights, "said": self.sentence(), "notes": self.notes()}
        return head | {"variants": plain_rows(self.frame), "profiles": self.profiles and self.profiles._asdict()}

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The best variants as dots, of a race with their sequences; the baseline marked."""
        return plots.ranked(self.frame, label=title_of(self.metric), heading=self.sentence().split(":")[0], ax=ax)


def search(
    variants: Question,
    *,
    metric: str | None = None,
    least: bool | None = None,
    method: Literal["exact", "race"] = "exact",
    seed: int = 0,
    threads: int | None = None,
    replacement: bool = False,
    trials: int | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
) -> Search:
    """The best of many variants of one question.

    Parameters
    ----------
    variants : path or mapping
        ``[baseline]`` (a question of any kind), ``[variants.NAME]`` (keys that it changes) and ``[ranges]`` (keys with
        their values, which multiply out): `docs/ask.md`. A million at most.
    metric : str, optional
        The figure (:func:`~analyser.ask.readings.reading`). Default: as the file says, else as of
        :func:`analyser.curve`.
    least : bool, optional
        Whether less of it is better.
    method : "exact" or "race"
        Each exactly; or a race (:mod:`analyser.ask.race`) that names a wrong best in at most 5% of searches: of duels,
        charges and focus fire with real decks, unless `replacement`.
    seed, threads, replacement, profiles, progress
        As of :func:`analyser.duel`.
    trials : int, optional
        Of a race: of each variant, at most. Default: 2,048,000.

    Returns
    -------
    Search

    Raises
    ------
    InputError
        A file that describes no variants, too many of them, none that is possible, or an unknown figure.

    Examples
    --------
    >>> attack = {"attack": {"attacker": "crown/rifle-platoon@basic"}, "target": {"unit": "imperium/krupp@basic"}}
    >>> found = search({"baseline": attack, "ranges": {"distance": "1..20", "aiming": "no,yes"}}, metric="p_broken")
    >>> found.frame["status"].value_counts()["not possible"]
    np.int64(12)
    """
    check_choice(method, "method", METHODS)
    if trials is not None:
        check_integer(trials, "trials", 1)
    sampling = Sampling(
        "exact" if method == "exact" else "monte-carlo", None, seed, None, threads, replacement, progress
    )
    library = library_of(profiles)
    raw, where = read_scenario(variants)
    read = read_variants(raw, where, library)
    if metric is not None:
        check_text(metric, "metric", "the name of a figure")
    figure = metric or read.metric or DEFAULT.get(read.kind, "")
    if not figure:
        raise InputError("which figure?", where="metric", allowed="such as p_panicked")
    is_least = read.least if least is None else least
    asker = Asker(library, replace(sampling, progress=None), len(read))
    if method == "exact":
        return _exactly(asker, read, figure, is_least, sampling)
    return _by_race(asker, read, figure, is_least, sampling, trials or MOST_TRIALS)


def _exactly(asker: Asker, read: Variants, metric: str, least: bool, sampling: Sampling) -> Search:
    rows: list[dict[str, Any]] = []
    first: dict[Hashable, str] = {}
    complete, able = True, None
    with sampling.with_bar() as reporting:
        made = read.made(asker.library)
        try:
            for number, each in enumerate(made, start=1):
                row = _row(each)
                rows.append(row)
                if each.why_not is None:
                    try:
                        answer = asker.answer(each.raw)
                        points = each.values.get("points") or asker.points_of(each.raw)
                        row["value"] = reading(answer.result, metric, points).value
                        row["same_as"] = _merged(first, (answer.same, points), each.name)
                        able = able or each
                    except InputError as error:
                        _check_is_of_variant(error)
                        row["why_not"] = str(error)
                reporting.report(number, len(read))
        except KeyboardInterrupt:
            complete = False
            rows += [_row(each) | {"status": "not asked"} for each in made]
    frame = _ranked(rows, least)
    return _found(asker, read, frame, metric, least, None, complete, able, sampling)


def _row(variant: Variant) -> dict[str, Any]:
    row: dict[str, Any] = {"variant": variant.name, **variant.values, "value": np.nan, "status": None}
    return row | {"same_as": None, "why_not": variant.why_not}


def _merged(first: dict[Hashable, str], same: Hashable, name: str) -> str | None:
    """The name of the first variant that is the same fight, unless this is it."""
    before = first.setdefault(same, name)
    return None if before == name else before


def _check_is_of_variant(error: InputError) -> None:
    """Raise an error again that is nobody's fault among the variants: that of the figure."""
    if error.where.startswith("metric"):
        raise error


def _ranked(rows: Sequence[Mapping[str, Any]], least: bool) -> pd.DataFrame:
    """The variants from the best to the worst, each with what has become of it."""
    frame = pd.DataFrame(list(rows))
    values = frame["value"].to_numpy(np.float64)
    known = ~np.isnan(values)
    if not known.any():
        reasons = [each for each in frame["why_not"] if each]
        raise InputError(f"no variant is possible: {reasons[0] if reasons else 'none was asked'}", where="variants")
    top = np.nanmin(values) if least else np.nanmax(values)
    equal = known & (np.abs(values - top) <= CERTAIN_WITHIN * max(1.0, abs(top)))
    status = np.where(equal, "tied", np.where(known, "beaten", "not possible"))
    status = np.where(frame["status"].notna(), frame["status"], status)
    frame["status"] = status
    order = np.lexsort((np.arange(len(frame)), np.where(known, values if least else -values, np.inf), ~equal))
    frame = frame.iloc[order].reset_index(drop=True)
    frame.loc[0, "status"] = "best"
    return frame


def _by_race(asker: Asker, read: Variants, metric: str, least: bool, sampling: Sampling, most_trials: int) -> Search:
    """The race of the different fights among the variants; equal ones run as one."""
    if "per_100_points" in metric or "percentile" in metric or "@" in metric:
        raise InputError(
            f"{metric} is not raced", where="metric", allowed="p_ and an event, mean_ and a figure; or exact"
        )
    made = list(read.made(asker.library))
    rows = [_row(each) for each in made]
    runners: dict[Hashable, list[int]] = {}
    scenarios: dict[Hashable, Any] = {}
    for place, each in enumerate(made):
        if each.why_not is None:
            try:
                same, scenario = asker.prepared(each.raw)
                runners.setdefault(same, []).append(place)
                scenarios.setdefault(same, scenario)
            except InputError as error:
                rows[place]["why_not"] = str(error)
    if not runners:
        raise InputError(f"no variant is possible: {rows[0]['why_not']}", where="variants")
    fights = list(runners)
    what, _, figure = metric.partition("_")
    is_chance, cannot = what == "p", dict[int, str]()
    with sampling.with_bar() as reporting:

        def play(runner: int, trials: int, stage: int) -> Seen | None:
            how = replace(asker.sampling, trials=trials, seed=_seed_of(sampling.seed, stage))
            try:
                return _seen(asker.solved(scenarios[fights[runner]], how), metric, figure, trials)
            except InputError as error:  # a policy, say, that its unit cannot carry out
                _check_is_of_variant(error)
                cannot[runner] = str(error)
                return None

        raced = race(
            play,
            len(fights),
            is_probability=is_chance,
            least=least,
            within=_WITHIN,
            most_trials=most_trials,
            report=reporting.report,
        )
    if not raced.left:
        raise InputError(f"no variant is possible: {cannot[0]}", where="variants")
    for runner, same in enumerate(fights):
        if runner in cannot:
            for place in runners[same]:
                rows[place]["why_not"] = cannot[runner]
            continue
        for number, place in enumerate(runners[same]):
            row = rows[place]
            row |= {"value": raced.values[runner], "low": raced.lows[runner], "high": raced.highs[runner]}
            row |= {"trials": int(raced.trials[runner]), "dropped_after_stage": int(raced.dropped_at[runner])}
            row["status"] = "tied" if runner in raced.left else "beaten"
            row["same_as"] = made[runners[same][0]].name if number else None
    frame = _ranked_by_race(rows, raced, fights, runners, least)
    able = made[runners[fights[raced.left[0]]][0]]
    return _found(asker, read, frame, metric, least, raced, raced.why != "interrupted", able, sampling)


def _seed_of(seed: int, stage: int) -> int:
    """A seed of its own for each stage: those of a later one share no words with those before."""
    return (seed << 8) + stage


def _seen(result: Result, metric: str, figure: str, trials: int) -> Seen:
    """What a sample came to: how often an event, or the sums of a figure."""
    if metric.startswith("p_"):
        share = reading(result, metric).value
        seen = round(share * trials)
        return Seen(trials, seen, seen)
    mean = result.mean(figure)
    return Seen(trials, mean * trials, (result.std(figure) ** 2 + mean**2) * trials)


def _ranked_by_race(
    rows: Sequence[Mapping[str, Any]],
    raced: Raced,
    fights: Sequence[Hashable],
    runners: Mapping[Hashable, list[int]],
    least: bool,
) -> pd.DataFrame:
    """The variants: those left first, then who dropped out last; not possible ones at the end."""
    played = [runner for runner in range(len(fights)) if raced.trials[runner]]
    place_of = {place: runner for runner in played for place in runners[fights[runner]]}
    rank = {runner: number for number, runner in enumerate(raced.left)}

    def key(place: int) -> tuple[float, ...]:
        runner = place_of.get(place)
        if runner is None:
            return (3, 0, 0, place)
        if runner in rank:
            return (0, rank[runner], 0, place)
        value = raced.values[runner]
        return (1, -raced.dropped_at[runner], value if least else -value, place)

    frame = pd.DataFrame(list(rows)).iloc[sorted(range(len(rows)), key=key)].reset_index(drop=True)
    frame["status"] = frame["status"].fillna("not possible")
    frame["trials"] = frame["trials"].fillna(0).astype(np.int64)
    frame.loc[0, "status"] = "best"
    return frame


def _found(
    asker: Asker,
    read: Variants,
    frame: pd.DataFrame,
    metric: str,
    least: bool,
    raced: Raced | None,
    complete: bool,
    able: Variant | None,
    sampling: Sampling,
) -> Search:
    best = str(frame["variant"].iloc[0])
    tied = tuple(frame.loc[frame["status"].isin(("best", "tied")), "variant"])
    assert able is not None
    if raced is None:
        explained = asker.explained(able.raw)
    else:
        explained = asker.solved(asker.prepared(able.raw)[1], replace(asker.sampling, trials=1))
    fights = asker.fought if raced is None else len(raced.values)
    return Search(
        frame=frame,
        best=best,
        tied=tied if len(tied) > 1 else (),
        metric=metric,
        least=least,
        kind=read.kind,
        raced=raced,
        complete=complete,
        fights=fights,
        sampling=sampling,
        explained=explained,
        profiles=asker.library.used,
    )


def _few(names: Sequence[str]) -> str:
    return "; ".join(names[:3]) + (f"; and {len(names) - 3:,} more" if len(names) > 3 else "")
