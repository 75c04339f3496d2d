"""Find the best of many variants of a question, by exact values or by a simulated race with a bounded error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from analyser.ask.best_variant_answer import BASELINE, COMPUTED, Search
from analyser.ask.keys import Key, Raw, key_of, values_of
from analyser.ask.metric_lookup import DEFAULT_METRICS, metric_value
from analyser.ask.question_table import (
    Point,
    Solver,
    Variant,
    check_method,
    merge_warnings,
    points_of,
    question_kind,
    raise_if_common,
    solve_all,
    variant_of,
    warnings_of,
    with_armies,
)
from analyser.ask.race import MOST_TRIALS, RaceResult, TrialSums, race
from analyser.common.errors import InputError, check_choice, check_integer, check_text, shown, within
from analyser.common.estimates import CERTAIN_WITHIN, Estimate
from analyser.common.means import Mean
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import Function, function_of, remember_metric
from analyser.common.text import text_of
from analyser.common.validation import Record, checked
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.results.base import Result
from analyser.scenarios.load import Question, read_scenario

MOST_VARIANTS = 1_000_000
_UNIT_KEYS = ("attacker", "target", "unit", "a", "b")
METHODS = ("exact", "race")
_TIED_WITHIN = 0.01  # a race ends when the remaining variants differ by at most this


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
        ``[baseline]`` (a question of any kind), ``[variants.NAME]`` (changed keys) and ``[ranges]`` (keys with values).
        Every combination of a variant and values is computed, at most a million; see `docs/compare.md`.
    metric : str or callable, optional
        The metric (:func:`~analyser.ask.metric_lookup.metric_value`). Default: the metric in the file, else the default
        of :func:`analyser.curve`.
    least : bool, optional
        True if low values of the metric are better.
    method : "exact" or "race"
        Exact values; or a race (:mod:`analyser.ask.race`), which names a wrong variant as the best in at most 5% of
        searches. Duels, charges and focus fire are simulated with real decks, unless `replacement`.
    seed, threads, replacement, profiles, progress
        As in :func:`analyser.duel`.
    trials : int, optional
        Largest number of trials of each variant in a race; at least 2,000 are done. Default: 2,048,000.

    Raises
    ------
    InputError
        Too many variants, no possible variant, or an unknown metric.

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
        metric = remember_metric(metric)
        check_text(metric, "metric", "the name of a metric")
    file = replace(file, metric=metric or file.metric, least=file.least if least is None else least)
    if not file.metric:
        raise InputError("no metric is stated", where="metric", allowed="such as p_panicked")
    solver = Solver(library, replace(sampling, progress=None), len(file))
    if is_exact:
        return _exact_search(solver, file, sampling)
    return _search_by_race(solver, file, sampling, trials or MOST_TRIALS)


class VariantsFile(Record):
    """A file of variants: a baseline, named changes of it, and ranges of values (`docs/compare.md`)."""

    page = "docs/compare.md"

    baseline: dict[str, Any] = Field({})
    variants: dict[str, dict[str, Any]] = Field({})
    ranges: dict[str, Any] = Field({})
    metric: str | None = None
    least: bool = False


@dataclass(frozen=True)
class Variants:
    """A baseline (a question), named overrides, which are not combined, and ranges of values."""

    kind: str
    baseline: Raw
    overrides: Mapping[str, Mapping[Key, Any]]
    ranges: Mapping[Key, Sequence[Any]]
    metric: str
    least: bool  # low values of the metric are better
    where: str  # path of the file

    def __len__(self) -> int:
        """Return the number of variants: baseline and overrides at all values; with ranges also the plain baseline."""
        return (1 + len(self.overrides)) * math.prod(map(len, self.ranges.values())) + bool(self.ranges)

    def variants(self, library: Profiles) -> Iterator[Variant]:
        """Yield each variant, the baseline first; InputError for a misspelt value."""
        if self.ranges:
            yield Variant(BASELINE, self.baseline, {}, where=within(self.where, BASELINE))
        for override, changes in {BASELINE: {}, **self.overrides}.items():
            for combination in itertools.product(*self.ranges.values()):
                texts = [f"{key.title} {text_of(value)}" for key, value in zip(self.ranges, combination)]
                name = ", ".join(texts if override == BASELINE and texts else [override, *texts])
                values = {**changes, **dict(zip(self.ranges, combination))}
                yield variant_of(name, self.baseline, values, library, within(self.where, name))


def read_variants(raw: Mapping[str, Any], where: str, library: Profiles) -> Variants:
    """Return the variants that a file describes (`docs/compare.md`); InputError for an unusable file."""
    file = checked(VariantsFile, raw, where=where, is_plain=True)
    if not file.baseline:
        raise InputError("no baseline is stated", where=within(where, BASELINE), allowed="a question")
    if name := next((name for name in (*file.variants, *file.ranges) if not name.isprintable()), None):
        raise InputError(f"{shown(name)} is not a name", where=where, allowed="names in plain text")
    kind, baseline = question_kind(file.baseline), with_armies(file.baseline, where, library)
    overrides, ranges = dict[str, dict[Key, Any]](), dict[Key, Sequence[Any]]()
    for name, stated in file.ranges.items():
        key = key_of(name, kind, within(where, "ranges"))
        try:
            ranges[key] = _expand_wildcards(key, values_of(stated, ""), library)
        except InputError as error:
            raise error.inside(within(where, f"ranges.{name}")) from None
    for name, changes in file.variants.items():
        place = within(where, f"variants.{name}")
        if not changes:
            raise InputError("no key is changed", where=place, allowed="a table of keys, one or more")
        overrides[name] = {key_of(key, kind, place): value for key, value in _flatten(changes)}
        if twice := next((key.name for key in overrides[name] if key in ranges), None):
            problem = f"{twice} is also in [ranges], which would override it"
            raise InputError(problem, where=place, allowed="one of the two")
    size = (1 + len(overrides)) * math.prod(map(len, ranges.values()))
    if size > MOST_VARIANTS:
        raise InputError(f"{size:,} variants", where=where, allowed=f"up to {MOST_VARIANTS:,}; narrow the ranges")
    metric = file.metric or DEFAULT_METRICS.get(kind, "")
    return Variants(kind, baseline, overrides, ranges, metric, file.least, where)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping) and name != "extra_reroll":
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _expand_wildcards(key: Key, values: Sequence[Any], library: Profiles) -> Sequence[Any]:
    if key.effect != "set" or key.paths[0][-1] not in _UNIT_KEYS:
        return values
    return tuple(dict.fromkeys(unit.selector for value in values for unit in library.matching(value)))


def _exact_search(solver: Solver, file: Variants, sampling: Sampling) -> Search:
    points = solve_all(solver, file.variants(solver.library), [file.metric], sampling, len(file))
    first_names: dict[Hashable, str] = {}  # name of the first variant of each fight
    rows = list(map(_row, points))
    for point, row in zip(points, rows):
        if point.why_not is None:
            first_name = first_names.setdefault(point.identity, point.name)
            row |= {"value": point.metric_values[0].value, "costs": point.costs, "status": "beaten"}
            row["same_as"] = None if first_name == point.name else first_name
    _check_any_possible(rows, file)
    values = np.array([row["value"] for row in rows], np.float64)
    top = np.nanmin(values) if file.least else np.nanmax(values)
    tied = np.abs(values - top) <= CERTAIN_WITHIN * max(1.0, abs(top))
    for index in np.flatnonzero(tied):
        rows[index]["status"] = "tied"
    ranks = np.where(tied, top, values)  # points decide among exactly equal variants
    warnings = merge_warnings(point.warnings for point in points if point.why_not is None)
    return _answer(solver, file, _ranked(rows, ranks, ranks, file.least), None, sampling, warnings)


def _row(variant: Variant | Point) -> dict[str, Any]:
    """Return the initial row of a variant, without a value and with the status ``not possible``."""
    row = {"variant": variant.name, **variant.values, "value": np.nan, "status": "not possible", "costs": None}
    return row | {"same_as": None, "why_not": variant.why_not}


def _check_any_possible(rows: Sequence[Mapping[str, Any]], file: Variants) -> None:
    """Raise InputError if no variant, or only the baseline, is possible."""
    reasons = [row["why_not"] for row in rows if row["why_not"]]
    if not reasons or any(row["why_not"] is None and row["variant"] != BASELINE for row in rows):
        return
    except_for = "except the baseline " * (len(reasons) < len(rows))
    more = f", and {len(reasons) - 1:,} more" * (len(reasons) > 1)
    raise InputError(f"no variant {except_for}is possible: {reasons[0]}{more}", where=within(file.where, "variants"))


def _ranked(rows: Sequence[Mapping[str, Any]], values: Any, worse_ends: Any, least: bool) -> pd.DataFrame:
    """Rank the variants: tied before beaten, then by value, by the worse end of their intervals, and by points."""
    frame, sign = pd.DataFrame(list(rows)), 1 if least else -1
    costs = frame["costs"].astype(float).fillna(np.inf).to_numpy()
    classes = frame["status"].map({"tied": 0, "beaten": 1}).fillna(2).to_numpy()
    order = np.arange(len(frame))
    keys = [np.where(classes < 2, key, 0.0) for key in (costs, sign * worse_ends, sign * values)]
    frame = frame.iloc[np.lexsort([order, *keys, classes])].reset_index(drop=True)
    frame.loc[0, "status"] = "best"
    return frame


def _search_by_race(solver: Solver, file: Variants, sampling: Sampling, most_trials: int) -> Search:
    metric = file.metric
    if "per_100_points" in metric or "percentile" in metric or "@" in metric:
        allowed = "p_ and an event, mean_ and a figure, a function of outcomes; or the method exact"
        raise InputError(f"a race cannot compare by {metric}", where="metric", allowed=allowed)
    variants = list(file.variants(solver.library))
    rows = list(map(_row, variants))
    scenarios, warnings = dict[Hashable, Any](), list[tuple[str, ...]]()
    rows_of_fight: dict[Hashable, list[int]] = {}  # indices of the variants that are the same fight, by fight
    for index, (variant, row) in enumerate(zip(variants, rows)):
        try:
            if variant.why_not is None:
                identity, scenario = solver.identify(variant.raw)
                warnings.append(warnings_of(scenario))
                row["costs"] = points_of(solver, variant)
                scenarios.setdefault(identity, scenario)
                rows_of_fight.setdefault(identity, []).append(index)
        except InputError as error:
            raise_if_common(error, variant)
            row["why_not"] = str(error)
    _check_any_possible(rows, file)
    fights, impossible = list(rows_of_fight), dict[int, str]()
    is_event = metric.startswith("p_")
    if function_of(metric) is not None:
        value = solver.solve(scenarios[fights[0]], replace(solver.sampling, trials=1)).metric(metric)
        if not isinstance(value, Estimate | Mean):
            allowed = "a value for each outcome; or the method exact"
            raise InputError(f"{metric} gives one number for all outcomes", where="metric", allowed=allowed)
        is_event = isinstance(value, Estimate)
    with sampling.with_bar() as reporting:

        def simulate(fight: int, trials: int, stage: int) -> TrialSums | None:
            stage_sampling = replace(solver.sampling, trials=trials, seed=(sampling.seed << 8) + stage)
            try:
                return _trial_sums(solver.solve(scenarios[fights[fight]], stage_sampling), metric, trials)
            except InputError as error:  # such as a policy that the unit cannot carry out
                raise_if_common(error, variants[rows_of_fight[fights[fight]][0]])
                impossible[fight] = str(error)
                return None

        result = race(
            simulate,
            len(fights),
            is_probability=is_event,
            least=file.least,
            within=_TIED_WITHIN,
            most_trials=most_trials,
            report=reporting.report,
        )
    for fight, indices in enumerate(rows_of_fight.values()):
        if fight in impossible:
            columns: dict[str, Any] = {"why_not": impossible[fight]}
        else:
            columns = {"value": result.values[fight], "low": result.lows[fight], "high": result.highs[fight]}
            columns["trials"] = int(result.trials[fight])
            columns["dropped_after_stage"] = int(result.dropped_after[fight])
            columns["status"] = "tied" if fight in result.remaining else "beaten"
            columns["same_as"] = variants[indices[0]].name
        for index in indices:
            rows[index] |= columns
        rows[indices[0]]["same_as"] = None
    _check_any_possible(rows, file)
    names = "value", "high" if file.least else "low"
    values, worse_ends = np.array([[row.get(name, np.nan) for name in names] for row in rows]).T
    frame = _ranked(rows, values, worse_ends, file.least)
    frame["trials"] = frame["trials"].fillna(0).astype(np.int64)
    return _answer(solver, file, frame, result, sampling, merge_warnings(warnings))


def _trial_sums(result: Result, metric: str, trials: int) -> TrialSums:
    value = result.metric(metric) if function_of(metric) else None
    statistic, _, figure = metric.partition("_")
    if isinstance(value, Estimate) or (value is None and statistic == "p"):
        count = round(metric_value(result, metric).value * trials)
        return TrialSums(trials, count, count)
    if isinstance(value, Mean):
        mean, variance = value.value, trials * (value.error or 0.0) ** 2
    else:
        mean, variance = result.mean(figure), result.std(figure) ** 2
    return TrialSums(trials, mean * trials, (variance + mean**2) * trials)


def _answer(
    solver: Solver,
    file: Variants,
    frame: pd.DataFrame,
    race: RaceResult | None,
    sampling: Sampling,
    warnings: tuple[str, ...],
) -> Search:
    if frame["costs"].nunique() < 2 or "points" in frame:  # all have equal points, or points are a key
        frame = frame.drop(columns="costs")
    best = str(frame["variant"].iloc[0])
    tied = tuple(frame.loc[frame["status"].isin(("best", "tied")), "variant"])
    raw = next(variant.raw for variant in file.variants(solver.library) if variant.name == best)
    quick_sampling = replace(solver.sampling, trials=None if race is None else 1)  # only texts of this answer are used
    quick_solver = Solver(solver.library, quick_sampling)
    result = quick_solver.in_full(raw)
    return Search(
        frame=frame,
        best=best,
        tied=tied if len(tied) > 1 else (),
        metric=file.metric,
        least=file.least,
        kind=file.kind,
        race=race,
        fights=int((frame["same_as"].isna() & frame["status"].isin(COMPUTED)).sum()),
        sampling=sampling,
        not_modelled=solver.not_modelled,
        warnings=warnings,
        question=_units_text(quick_solver, file.baseline) or _units_text(quick_solver, raw),
        results=(result,),
        profiles=solver.library.used,
    )


def _units_text(solver: Solver, raw: Raw) -> str:
    """Return the kind and the units of a question in a few words; empty if the question has no answer."""
    try:
        result = solver.in_full(raw)
    except InputError:
        return ""
    heading = dict(result.heading())
    sides = [heading[label].partition(":")[0] for label in ("A", "B", "Army", "Against") if label in heading]
    return f"{result.kind.replace('_', ' ')}: {' against '.join(sides) or result.heading()[0][1]}"
