"""The best of many variants of a question: exactly, with true ties; or by a race, at a stated error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from analyser.ask.asking import Asker, check_method
from analyser.ask.keys import Raw
from analyser.ask.race import MOST_TRIALS, Raced, Seen, race
from analyser.ask.readings import DEFAULT, reading
from analyser.ask.search_answer import ASKED, Search
from analyser.ask.variants import BASELINE, Variant, Variants, read_variants
from analyser.common import interrupts
from analyser.common.errors import InputError, MisspeltError, check_choice, check_integer, check_text, within
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.sampling import Progress, Sampling
from analyser.game.profiles import ProfilesLike, library_of
from analyser.game.ruleset import Ruleset
from analyser.plots.metrics import Function, function_of, named
from analyser.results.base import Result
from analyser.scenarios.load import Question, read_scenario

METHODS = ("exact", "race")
_WITHIN = 0.01  # of a probability, or of a model, a point: those that differ by less count as alike


def search(
    variants: Question,
    *,
    metric: str | Function | None = None,
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
        their values, which multiply out): `docs/compare.md`. A million at most.
    metric : str or callable, optional
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
    >>> int(found.frame["status"].value_counts()["not possible"])
    12
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
    check_method(read.kind, method == "exact", "race")
    if metric is not None:
        metric = named(metric)
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
    with sampling.with_bar() as reporting:
        try:
            for each in read.made(asker.library):
                row = _row(each)
                if each.why_not is None:
                    try:
                        answer = asker.answer(each.raw)
                        points = each.values.get("points") or asker.points_of(each.raw)
                        row["costs"] = points
                        row["value"] = reading(answer.result, metric, points).value
                        row["same_as"] = _merged(first, answer.same, each.name)
                    except InputError as error:
                        _check_is_of_variant(error, each.name, read)
                        row["why_not"] = str(error)
                rows.append(row)
                reporting.report(len(rows), len(read))
        except KeyboardInterrupt:
            interrupts.heard()
            left = itertools.islice(read.made(asker.library), len(rows), None)
            rows += [_row(each) | {"status": "not asked"} for each in left]
    _check_any_possible(rows, read)
    complete = not any(row["status"] == "not asked" for row in rows)
    frame = _ranked(rows, least)
    return _found(asker, read, frame, metric, least, None, complete, sampling)


def _row(variant: Variant) -> dict[str, Any]:
    row: dict[str, Any] = {"variant": variant.name, **variant.values, "value": np.nan, "status": None, "costs": None}
    return row | {"same_as": None, "why_not": variant.why_not}


def _merged(first: dict[Hashable, str], same: Hashable, name: str) -> str | None:
    """The name of the first variant that is the same fight, unless this is it."""
    before = first.setdefault(same, name)
    return None if before == name else before


def _check_is_of_variant(error: InputError, name: str, read: Variants) -> None:
    """Raise an error again that is no reason to cut a variant: of the figure, or of what is misspelt in it."""
    if error.where.startswith("metric"):
        raise error
    if isinstance(error, MisspeltError):
        raise error.inside(within(read.where, name))


def _check_any_possible(rows: Sequence[Mapping[str, Any]], read: Variants) -> None:
    """Raise InputError where there is nothing to choose from: no variant, or the baseline alone, is possible."""
    reasons = [row["why_not"] for row in rows if row["why_not"]]
    if not reasons or any(row["why_not"] is None and row["variant"] != BASELINE for row in rows):
        return
    left = "but the baseline " * (len(reasons) < len(rows))
    problem = f"no variant {left}is possible: {reasons[0]}"
    raise InputError(
        problem + f", and {len(reasons) - 1:,} more" * (len(reasons) > 1), where=within(read.where, "variants")
    )


def _ranked(rows: Sequence[Mapping[str, Any]], least: bool) -> pd.DataFrame:
    """The variants from the best to the worst, each with what has become of it."""
    frame = pd.DataFrame(list(rows))
    values = frame["value"].to_numpy(np.float64)
    known = ~np.isnan(values)
    if not known.any():
        raise InputError("nothing was asked before it was stopped", where="variants")
    top = np.nanmin(values) if least else np.nanmax(values)
    equal = known & (np.abs(values - top) <= CERTAIN_WITHIN * max(1.0, abs(top)))
    status = np.where(equal, "tied", np.where(known, "beaten", "not possible"))
    status = np.where(frame["status"].notna(), frame["status"], status)
    frame["status"] = status
    costs = frame["costs"].astype(float).fillna(np.inf)  # of those that are equal the cheapest first
    ranks = np.where(known & ~equal, values if least else -values, np.where(equal, 0.0, np.inf))
    order = np.lexsort((np.arange(len(frame)), costs, ranks, ~equal))
    frame = frame.iloc[order].reset_index(drop=True)
    frame.loc[0, "status"] = "best"
    return frame


def _by_race(asker: Asker, read: Variants, metric: str, least: bool, sampling: Sampling, most_trials: int) -> Search:
    """The race of the different fights among the variants; equal ones run as one."""
    if "per_100_points" in metric or "percentile" in metric or "@" in metric or function_of(metric) is not None:
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
                rows[place]["costs"] = each.values.get("points") or asker.points_of(each.raw)
            except InputError as error:
                _check_is_of_variant(error, each.name, read)
                rows[place]["why_not"] = str(error)
    _check_any_possible(rows, read)
    fights = list(runners)
    what, _, figure = metric.partition("_")
    is_chance, cannot = what == "p", dict[int, str]()
    with sampling.with_bar() as reporting:

        def play(runner: int, trials: int, stage: int) -> Seen | None:
            how = replace(asker.sampling, trials=trials, seed=_seed_of(sampling.seed, stage))
            try:
                return _seen(asker.solved(scenarios[fights[runner]], how), metric, figure, trials)
            except InputError as error:  # a policy, say, that its unit cannot carry out
                _check_is_of_variant(error, made[runners[fights[runner]][0]].name, read)
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
    for runner, same in enumerate(fights):
        if runner in cannot:
            for place in runners[same]:
                rows[place]["why_not"] = cannot[runner]
            continue
        for number, place in enumerate(runners[same]):
            row = rows[place]
            row |= {"value": raced.values[runner], "low": raced.lows[runner], "high": raced.highs[runner]}
            row |= {"trials": int(raced.trials[runner]), "dropped_after_stage": int(raced.dropped_at[runner])}
            asked = "tied" if runner in raced.left else "beaten"
            row["status"] = asked if raced.trials[runner] else "not asked"
            row["same_as"] = made[runners[same][0]].name if number else None
    _check_any_possible(rows, read)
    frame = _ranked_by_race(rows, raced, fights, runners, least)
    return _found(asker, read, frame, metric, least, raced, raced.why != "interrupted", sampling)


def _seed_of(seed: int, stage: int) -> int:
    """A seed of its own for each stage: those of a later one share no words with those before."""
    return (seed << 8) + stage


def _seen(result: Result, metric: str, figure: str, trials: int) -> Seen:
    """Return the results of a sample: how often an event happened, or the sums of a figure."""
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
    """The variants: those left first, each part by its figures and their worse ends; not possible ones at the end."""
    played = [runner for runner in range(len(fights)) if raced.trials[runner]]
    place_of = {place: runner for runner in played for place in runners[fights[runner]]}
    sign = 1 if least else -1

    def key(place: int) -> tuple[float, ...]:
        runner = place_of.get(place)
        if runner is None:
            return (3, 0, 0, 0, place)
        end = raced.highs[runner] if least else raced.lows[runner]
        costs = rows[place]["costs"]
        price = math.inf if costs is None else float(costs)
        return (int(runner not in raced.left), sign * raced.values[runner], sign * end, price, place)

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
    sampling: Sampling,
) -> Search:
    if frame["costs"].nunique() < 2 or "points" in frame:  # all cost the same, or it is said already
        frame = frame.drop(columns="costs")
    best = str(frame["variant"].iloc[0])
    tied = tuple(frame.loc[frame["status"].isin(("best", "tied")), "variant"])
    raw = next(each.raw for each in read.made(asker.library) if each.name == best)
    explained = _explained(asker, raw)
    ruleset = getattr(explained.scenario, "ruleset", None)
    return Search(
        frame=frame,
        best=best,
        tied=tied if len(tied) > 1 else (),
        metric=metric,
        least=least,
        kind=read.kind,
        raced=raced,
        complete=complete,
        fights=int((frame["same_as"].isna() & frame["status"].isin(ASKED)).sum()),
        sampling=sampling,
        not_modelled=asker.not_modelled,
        question=_asked(asker, read.baseline) or _asked(asker, raw),
        assumptions=explained.assumptions,
        profiles=asker.library.used,
        ruleset=ruleset if isinstance(ruleset, Ruleset) else None,
    )


def _explained(asker: Asker, raw: Raw) -> Result:
    """The answer to a variant with all that an answer says, of a race with one trial."""
    few = replace(asker.sampling, trials=None if asker.sampling.is_exact else 1)
    return Asker(asker.library, few).explained(raw)


def _asked(asker: Asker, raw: Raw) -> str:
    """Return the subject of a question, in a few words; empty where it has no answer."""
    try:
        result = _explained(asker, raw)
    except InputError:
        return ""
    (_, first), *_ = heading = result.heading()
    told = dict(heading)
    sides = [told[each].partition(":")[0].partition(";")[0] for each in ("A", "B", "Mine", "Yours") if each in told]
    return f"{result.kind.replace('_', ' ')}: {' against '.join(sides) or first}"
