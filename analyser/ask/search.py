"""Search for the best of many variants of a question: exact, with true ties; or a race, with a stated error."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Literal

import numpy as np
import pandas as pd

from analyser.ask.keys import Raw
from analyser.ask.memoised_solver import Solver, check_method
from analyser.ask.metric_lookup import DEFAULT, reading
from analyser.ask.question_table import Variant, check_is_of_variant, points_of, solve_all
from analyser.ask.race import MOST_TRIALS, Raced, Seen, race
from analyser.ask.search_answer import ASKED, Search
from analyser.ask.variants import BASELINE, Variants, read_variants
from analyser.common.errors import InputError, check_choice, check_integer, check_text, within
from analyser.common.estimates import CERTAIN_WITHIN, Estimate
from analyser.common.means import Mean
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import Function, function_of, metric_name
from analyser.game.profiles import ProfilesLike, library_of
from analyser.results.base import Result
from analyser.scenarios.load import Question, read_scenario

METHODS = ("exact", "race")
_WITHIN = 0.01  # smaller differences count as ties; unit of the figure (probability, models, points)


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
    """Find the best of many variants of one question.

    Parameters
    ----------
    variants : path or mapping
        ``[baseline]`` (a question of any kind), ``[variants.NAME]`` (changed keys) and ``[ranges]`` (keys with values,
        in all combinations); see `docs/compare.md`. At most a million variants.
    metric : str or callable, optional
        The figure (:func:`~analyser.ask.metric_lookup.reading`). Default: the one in the file, else the default of
        :func:`analyser.curve`.
    least : bool, optional
        True if less of the figure is better.
    method : "exact" or "race"
        Exact figures; or a race (:mod:`analyser.ask.race`), which names a wrong best in at most 5% of searches. Duels,
        charges and focus fire are simulated with real decks, unless `replacement`.
    seed, threads, replacement, profiles, progress
        As in :func:`analyser.duel`.
    trials : int, optional
        Most trials of each variant in a race. Default: 2,048,000.

    Returns
    -------
    Search

    Raises
    ------
    InputError
        A file with no variants, too many, or no possible one; or an unknown figure.

    Examples
    --------
    >>> attack = {"attack": {"attacker": "crown/rifle-platoon@basic"}, "target": {"unit": "imperium/krupp@basic"}}
    >>> answer = search({"baseline": attack, "ranges": {"distance": "1..20", "aiming": "no,yes"}}, metric="p_broken")
    >>> int(answer.frame["status"].value_counts()["not possible"])
    12
    """
    check_choice(method, "method", METHODS)
    if trials is not None:
        check_integer(trials, "trials", 1)
    is_exact = method == "exact"
    sampling = Sampling("exact" if is_exact else "monte-carlo", None, seed, None, threads, replacement, progress)
    library = library_of(profiles)
    raw, where = read_scenario(variants)
    file = read_variants(raw, where, library)
    check_method(file.kind, is_exact, "race")
    if metric is not None:
        metric = metric_name(metric)
        check_text(metric, "metric", "the name of a figure")
    figure = metric or file.metric or DEFAULT.get(file.kind, "")
    if not figure:
        raise InputError("which figure?", where="metric", allowed="such as p_panicked")
    file = replace(file, metric=figure, least=file.least if least is None else least)
    solver = Solver(library, replace(sampling, progress=None), len(file))
    if is_exact:
        return _exactly(solver, file, figure, sampling)
    return _by_race(solver, file, figure, sampling, trials or MOST_TRIALS)


def _exactly(solver: Solver, file: Variants, metric: str, sampling: Sampling) -> Search:
    points = solve_all(solver, file.made(solver.library), [metric], sampling, len(file))
    first: dict[Hashable, str] = {}
    rows = []
    for point in points:
        row = _row(point.name, point.values, point.why_not)
        if point.why_not is None:
            before = first.setdefault(point.identity, point.name)
            row |= {"value": point.readings[0].value, "costs": point.costs}
            row["same_as"] = None if before == point.name else before
        rows.append(row)
    left = islice(file.made(solver.library), len(rows), None)
    rows += [_row(variant.name, variant.values, variant.why_not) | {"status": "not asked"} for variant in left]
    _check_any_possible(rows, file)
    return _answer(solver, file, _ranked(rows, file.least), None, sampling, complete=len(points) == len(file))


def _row(name: str, values: Mapping[str, Any], why_not: str | None) -> dict[str, Any]:
    row = {"variant": name, **values, "value": np.nan, "status": None, "costs": None}
    return row | {"same_as": None, "why_not": why_not}


def _check_any_possible(rows: Sequence[Mapping[str, Any]], file: Variants) -> None:
    """Raise InputError if no variant, or only the baseline, is possible."""
    reasons = [row["why_not"] for row in rows if row["why_not"]]
    if not reasons or any(row["why_not"] is None and row["variant"] != BASELINE for row in rows):
        return
    left = "but the baseline " * (len(reasons) < len(rows))
    more = f", and {len(reasons) - 1:,} more" * (len(reasons) > 1)
    raise InputError(f"no variant {left}is possible: {reasons[0]}{more}", where=within(file.where, "variants"))


def _ranked(rows: Sequence[Mapping[str, Any]], least: bool) -> pd.DataFrame:
    """Return the variants from the best to the worst, with their status; equal ones by rising points."""
    frame = pd.DataFrame(list(rows))
    values = frame["value"].to_numpy(np.float64)
    possible = ~np.isnan(values)
    if not possible.any():
        raise InputError("nothing was asked before it was stopped", where="variants")
    top = np.nanmin(values) if least else np.nanmax(values)
    equal = possible & (np.abs(values - top) <= CERTAIN_WITHIN * max(1.0, abs(top)))
    status = np.where(equal, "tied", np.where(possible, "beaten", "not possible"))
    frame["status"] = np.where(frame["status"].notna(), frame["status"], status)
    costs = frame["costs"].astype(float).fillna(np.inf)
    ranks = np.where(possible & ~equal, values if least else -values, np.where(equal, 0.0, np.inf))
    return _sorted(frame, np.lexsort((np.arange(len(frame)), costs, ranks, ~equal)))


def _sorted(frame: pd.DataFrame, order: Any) -> pd.DataFrame:
    frame = frame.iloc[order].reset_index(drop=True)
    frame.loc[0, "status"] = "best"
    return frame


def _by_race(solver: Solver, file: Variants, metric: str, sampling: Sampling, most_trials: int) -> Search:
    """Return the answer by a race of the distinct fights among the variants."""
    if "per_100_points" in metric or "percentile" in metric or "@" in metric:
        allowed = "p_ and an event, mean_ and a figure, a function of outcomes; or exact"
        raise InputError(f"{metric} is not raced", where="metric", allowed=allowed)
    variants = list(file.made(solver.library))
    rows = [_row(variant.name, variant.values, variant.why_not) for variant in variants]
    scenarios: dict[Hashable, Any] = {}
    places: dict[Hashable, list[int]] = {}  # rows of the variants that are one fight
    for place, (variant, row) in enumerate(zip(variants, rows)):
        try:
            if variant.why_not is None:
                identity, scenario = solver.prepared(variant.raw)
                row["costs"] = points_of(solver, variant)
                scenarios.setdefault(identity, scenario)
                places.setdefault(identity, []).append(place)
        except InputError as error:
            row["why_not"] = _reason(error, variant)
    _check_any_possible(rows, file)
    fights, impossible = list(places), dict[int, str]()
    is_event = metric.startswith("p_")
    if function_of(metric) is not None:
        is_event = _is_event(solver.solved(scenarios[fights[0]], replace(solver.sampling, trials=1)), metric)
    with sampling.with_bar() as reporting:

        def play(runner: int, trials: int, stage: int) -> Seen | None:
            how = replace(solver.sampling, trials=trials, seed=(sampling.seed << 8) + stage)  # a seed a stage
            try:
                return _seen(solver.solved(scenarios[fights[runner]], how), metric, trials)
            except InputError as error:  # e.g. a policy that its unit cannot carry out
                impossible[runner] = _reason(error, variants[places[fights[runner]][0]])
                return None

        raced = race(
            play,
            len(fights),
            is_probability=is_event,
            least=file.least,
            within=_WITHIN,
            most_trials=most_trials,
            report=reporting.report,
        )
    for runner, at in enumerate(places.values()):
        for place in at:
            if runner in impossible:
                rows[place]["why_not"] = impossible[runner]
            else:
                rows[place] |= _of_runner(raced, runner)
                rows[place]["same_as"] = None if place == at[0] else variants[at[0]].name
    _check_any_possible(rows, file)
    frame = _ranked_by_race(rows, raced, places.values(), file.least)
    return _answer(solver, file, frame, raced, sampling, complete=raced.why != "interrupted")


def _reason(error: InputError, variant: Variant) -> str:
    check_is_of_variant(error, variant)
    return str(error)


def _seen(result: Result, metric: str, trials: int) -> Seen:
    """Return the results of a simulation: the count of an event, or the sums of a figure."""
    value = result.metric(metric) if function_of(metric) else None
    what, _, figure = metric.partition("_")
    if isinstance(value, Estimate) or (value is None and what == "p"):
        count = round(reading(result, metric).value * trials)
        return Seen(trials, count, count)
    if isinstance(value, Mean):
        mean, variance = value.value, trials * (value.error or 0.0) ** 2
    else:
        mean, variance = result.mean(figure), result.std(figure) ** 2
    return Seen(trials, mean * trials, (variance + mean**2) * trials)


def _is_event(result: Result, metric: str) -> bool:
    """Return True if a function of outcomes returns flags; InputError if it returns one number for all outcomes."""
    value = result.metric(metric)
    if not isinstance(value, Estimate | Mean):
        raise InputError(f"{metric} gives one number", where="metric", allowed="a value for each outcome; or exact")
    return isinstance(value, Estimate)


def _of_runner(raced: Raced, runner: int) -> dict[str, Any]:
    """Return the columns of a variant in a race."""
    status = "not asked" if not raced.trials[runner] else "tied" if runner in raced.left else "beaten"
    columns = {"value": raced.values[runner], "low": raced.lows[runner], "high": raced.highs[runner]}
    columns |= {"trials": int(raced.trials[runner]), "dropped_after_stage": int(raced.dropped_at[runner])}
    return columns | {"status": status}


def _ranked_by_race(
    rows: Sequence[Mapping[str, Any]], raced: Raced, fights: Iterable[Sequence[int]], least: bool
) -> pd.DataFrame:
    """Return the variants sorted: remaining ones first, then by figure, worse end of the interval, and points."""
    frame = pd.DataFrame(list(rows))
    runners = {place: runner for runner, at in enumerate(fights) for place in at if raced.trials[runner]}
    sign = 1 if least else -1
    keys = np.full((5, len(frame)), 0.0)  # the last row is the primary sort key
    keys[0], keys[4] = np.arange(len(frame)), 3
    for place, runner in runners.items():
        costs = rows[place]["costs"]
        end = raced.highs[runner] if least else raced.lows[runner]
        keys[1:, place] = (
            np.inf if costs is None else costs,
            sign * end,
            sign * raced.values[runner],
            runner not in raced.left,
        )
    frame["status"] = frame["status"].fillna("not possible")
    frame["trials"] = frame["trials"].fillna(0).astype(np.int64)
    return _sorted(frame, np.lexsort(keys))


def _answer(
    solver: Solver, file: Variants, frame: pd.DataFrame, raced: Raced | None, sampling: Sampling, *, complete: bool
) -> Search:
    if frame["costs"].nunique() < 2 or "points" in frame:  # equal points, or points are a key
        frame = frame.drop(columns="costs")
    best = str(frame["variant"].iloc[0])
    tied = tuple(frame.loc[frame["status"].isin(("best", "tied")), "variant"])
    raw = next(variant.raw for variant in file.made(solver.library) if variant.name == best)
    few = replace(solver.sampling, trials=None if raced is None else 1)
    explained = Solver(solver.library, few)
    result = explained.explained(raw)
    return Search(
        frame=frame,
        best=best,
        tied=tied if len(tied) > 1 else (),
        metric=str(file.metric),
        least=file.least,
        kind=file.kind,
        raced=raced,
        complete=complete,
        fights=int((frame["same_as"].isna() & frame["status"].isin(ASKED)).sum()),
        sampling=sampling,
        not_modelled=solver.not_modelled,
        question=_subject(explained, file.baseline) or _subject(explained, raw),
        results=(result,),
        profiles=solver.library.used,
    )


def _subject(solver: Solver, raw: Raw) -> str:
    """Return the subject of a question in a few words; empty if it has no answer."""
    try:
        result = solver.explained(raw)
    except InputError:
        return ""
    heading = dict(result.heading())
    sides = [
        heading[name].partition(":")[0].partition(";")[0] for name in ("A", "B", "Mine", "Yours") if name in heading
    ]
    return f"{result.kind.replace('_', ' ')}: {' against '.join(sides) or result.heading()[0][1]}"
