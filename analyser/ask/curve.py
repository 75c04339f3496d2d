"""Compute metrics of questions (the lines) at each value of one or two keys (the axes)."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from analyser.analysis import selection
from analyser.ask.curve_answer import Curve
from analyser.ask.keys import LEVEL, POINTS, Key, Raw, default_values, key_of, values_of, with_values
from analyser.ask.metric_lookup import DEFAULT_METRICS, LEAST_SUFFIX, with_anytime_interval
from analyser.ask.question_table import (
    BATTLE,
    Point,
    Solver,
    Variant,
    check_method,
    merge_warnings,
    question_between,
    question_kind,
    read_question,
    solve_all,
    variant_of,
    with_armies,
)
from analyser.common.errors import InputError, is_number, shown
from analyser.common.estimates import Method
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import Function, remember_metric
from analyser.common.text import text_of
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.scenarios.load import Question, Unit

Metric = str | Function
MOST_METRICS = 2
DEFAULT_BATTLES = 10_000  # simulated battles at each point
Over = str | Mapping[str, Any] | Sequence[str]
_LEVEL = re.compile(r"@[\w-]+")  # the level in a selector
_SECOND_SECTIONS = ("target", "b")  # sections of the second unit


def curve(
    question: selection.Selectors | Question | Sequence[Question],
    target: Unit | None = None,
    *,
    over: Over = "distance",
    metric: Metric | Sequence[Metric] | None = None,
    kind: str = "attack",
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    **conditions: Any,
) -> Curve:
    """Return a metric of one or more units at each value of one or two keys, and the best unit in each range.

    Parameters
    ----------
    question : selectors; or one or several paths or mappings
        The attackers: selectors (with or without wildcards) or loadouts. Without a `target`, whole questions of one
        kind, such as battles. Each attacker or question is a line.
    target : selector or mapping, optional
        The unit that is attacked, charged or fought.
    over : str, mapping, or several
        One or two keys, named as in the rules and files (:func:`~analyser.ask.keys.key_of`), or `points` and `level` of
        the attacker: ``"distance"``, ``"dice=4..12"``, ``["dice=4..12", "DEFENCE=1..4"]`` or ``{"distance": range(1,
        25)}``. Default values are every inch in reach, every level, every row, or yes and no.
    metric : str or callable, or two
        The metric (:func:`~analyser.ask.metric_lookup.metric_value`), with ``:least`` appended if low values are
        better. Two metrics give a Pareto front. Default: mean models destroyed, or the probability to win.
    kind : "attack", "charge" or "duel"
    method, trials, seed, precision, threads, profiles, progress
        As in :func:`analyser.attack`, for each point separately; battles have 10,000 trials by default.
    **conditions
        The keys of ``[attack]``, ``[charge]`` or ``[duel]``.

    Raises
    ------
    InputError
        An unknown key or metric, more than 200,000 points, or no answer at any value.

    Notes
    -----
    The answer lists illegal values with the reasons. Over distances, an attack changes only at the ranges of rows and
    of Corrosive Fumes (AC-4.1, AC-7). If the distance varies by whole inches, these ranges are added to its values.

    Examples
    --------
    >>> rifles = ["crown/sharp-rifles@basic", "crown/rifle-platoon@basic"]
    >>> answer = curve(rifles, "imperium/krupp@basic", over="distance=1..30")
    >>> print(answer.sentences()[1])
    beyond 7" up to 12": crown/sharp-rifles@basic
    """
    sampling = Sampling(method, trials, seed, precision, threads, progress=progress)
    library = library_of(profiles)
    lines = _lines(question, target, kind, conditions, library)
    asked_kind = question_kind(next(iter(lines.values())))
    metrics = _metrics(metric, asked_kind)
    check_method(asked_kind, sampling.is_exact, "monte-carlo")
    if asked_kind == BATTLE and sampling.trials is None and sampling.precision is None:
        sampling = replace(sampling, trials=DEFAULT_BATTLES)
    axes = axes_of(over, asked_kind, list(lines.values()), library)
    _check_not_stated(axes, conditions, target)
    if any(key.name == LEVEL for key in axes):  # all levels of a unit become one line, named without a level
        lines = {_LEVEL.sub("", name): raw for name, raw in reversed(lines.items())}
        lines = dict(reversed(lines.items()))
    size = size_of(axes, len(lines))
    solver = Solver(library, sampling, size)
    points = solve_all(solver, _variants(lines, axes, library), list(metrics), sampling, size)
    if precision is not None:
        for index, point in enumerate(points):
            pairs = zip(point.metric_values, metrics)
            values = (with_anytime_interval(*pair, point.trials) for pair in pairs)
            points[index] = point._replace(metric_values=tuple(values))
    by_line = [point for number in range(len(lines)) for point in points[number :: len(lines)]]
    return _answer(solver, lines, axes, metrics, by_line)


def _metrics(stated: Any, kind: str) -> dict[str, bool]:
    """Return the metrics by name, each with True if low values are better."""
    if not (stated is None or callable(stated) or isinstance(stated, str | list | tuple)):
        raise InputError(f"{shown(stated)} is not usable", where="metric", allowed="a metric, or two")
    names: list[Any] = []
    for metric in [stated] if callable(stated) or isinstance(stated, str) else stated or ():
        names.append(remember_metric(metric, names))
    names = names or ([DEFAULT_METRICS[kind]] if kind in DEFAULT_METRICS else [])
    if not 1 <= len(names) <= MOST_METRICS or not all(isinstance(name, str) for name in names):
        raise InputError(f"{len(names)} metrics", where="metric", allowed="one or two, such as p_panicked for morale")
    return {name.removesuffix(LEAST_SUFFIX): name.endswith(LEAST_SUFFIX) for name in names}


def _lines(question: Any, target: Any, kind: str, conditions: dict[str, Any], library: Profiles) -> dict[str, Raw]:
    """Return the questions by name; a repeated name gets the number of the question appended."""
    named: list[tuple[str, Raw]] = []
    if target is not None:
        attackers = selection.loadouts(question, library)
        named += ((unit.selector, question_between(unit, target, kind, conditions)) for unit in attackers)
    else:
        questions = question if isinstance(question, list | tuple) else [question]
        for number, whole in enumerate(questions, start=1):
            raw, where = read_question(whole, None, kind, conditions, library)
            name = where.rpartition("/")[2].removesuffix(".toml") if where else f"question {number}"
            named.append((name, with_armies(raw, where, library)))
        if len({question_kind(raw) for _, raw in named}) > 1:
            raise InputError("questions of several kinds", where="question", allowed="one kind")
    lines: dict[str, Raw] = {}
    for number, (name, raw) in enumerate(named, start=1):
        lines[f"{name} ({number})" if name in lines else name] = raw
    return lines


def _check_not_stated(keys: Iterable[Key], conditions: Mapping[str, Any], target: Any) -> None:
    """Raise InputError if a condition is stated although the curve varies it."""
    for key in keys:
        for path in key.paths:
            section, name = target if path[0] in _SECOND_SECTIONS else conditions, str(path[-1])
            if not isinstance(section, Mapping) or key.effect in (LEVEL, POINTS) or name == "unit":
                continue  # a target must be stated even if it varies
            entries = section.get(name)
            is_stated = key.flag in section or (isinstance(entries, list | tuple) and key.flag in entries)
            if is_stated if key.effect == "flag" else name in section:
                problem = f"the curve varies {key.title}, so a stated value has no effect"
                raise InputError(problem, where=key.name, allowed="leave it out, or vary another key")


def _variants(lines: Mapping[str, Raw], axes: Mapping[Key, Sequence[Any]], library: Profiles) -> Iterator[Variant]:
    for combination in itertools.product(*axes.values()):
        for name, raw in lines.items():
            yield variant_of(name, raw, dict(zip(axes, combination)), library)


def _answer(
    solver: Solver,
    lines: Mapping[str, Raw],
    axes: Mapping[Key, Sequence[Any]],
    metrics: Mapping[str, bool],
    points: Sequence[Point],
) -> Curve:
    kind, questions = question_kind(next(iter(lines.values()))), list(lines.values())
    solved = [point for point in points if point.why_not is None]
    if not solved:
        raise InputError(f"no value has an answer: {points[0].why_not}", where="over")
    usable, left_out = dict[Key, tuple[Any, ...]](), list[str]()
    for key, axis in axes.items():
        solved_values = {point.values[key.name] for point in solved}
        usable[key] = tuple(value for value in axis if value in solved_values)
        reasons = {point.values[key.name]: str(point.why_not) for point in points}
        left_out += _left_out_texts(key, axis, solved_values, reasons)
    remaining = [point for point in points if all(point.values[key.name] in axis for key, axis in usable.items())]
    first_points = {point.name: point for point in reversed(remaining) if point.why_not is None}
    results = (
        solver.in_full(with_values(raw, {key: first_points[name].values[key.name] for key in usable}, solver.library))
        for name, raw in lines.items()
        if name in first_points
    )
    return Curve(
        frame=_frame(remaining, metrics, exact=solver.sampling.is_exact),
        lines=tuple(lines),
        keys=tuple(key.name for key in usable),
        values=tuple(usable.values()),
        metrics=tuple(metrics),
        least=tuple(metrics.values()),
        kind=kind,
        holds_between=holds_between(usable, kind, questions, solver.library),
        left_out=tuple(left_out),
        results=tuple(results),
        sampling=solver.sampling,
        fights=solver.fights,
        costs={name: price for name, raw in lines.items() if (price := solver.points_of(raw)) is not None},
        not_modelled=solver.not_modelled,
        warnings=merge_warnings(point.warnings for point in solved),
        profiles=solver.library.used,
    )


def _frame(points: Sequence[Point], metrics: Iterable[str], *, exact: bool) -> pd.DataFrame:
    rows = []
    for point in points:
        row: dict[str, Any] = {"line": point.name, **point.values}
        row |= {} if point.row is None else {"fires": point.row}
        row |= {"costs": point.costs} if LEVEL in row else {}
        for name, value in zip(metrics, point.metric_values):
            row[name] = value.value
            row |= {} if exact else {f"{name}_low": value.low, f"{name}_high": value.high}
        if not exact:
            stopping = {} if point.stopping is None else point.stopping.as_dict()
            row |= {"trials": point.trials} | {key: stopping.get(key) for key in ("planned_trials", "stop_reason")}
        rows.append(row | {"why_not": point.why_not})
    return pd.DataFrame(rows)


def _left_out_texts(key: Key, axis: Sequence[Any], solved: set[Any], reasons: Mapping[Any, str]) -> list[str]:
    """Describe each run of values at which no line has an answer, with the reason."""
    texts = []
    for is_solved, run in itertools.groupby(axis, key=lambda value: value in solved):
        if not is_solved:
            values = list(run)
            ends = " to ".join(dict.fromkeys([text_of(values[0]), text_of(values[-1])]))
            texts.append(f"{key.title} {ends} ({reasons[values[0]]})")
    return texts


MOST_CURVE_POINTS = 200_000
MOST_KEYS = 2
_RANGED_KINDS = ("attack", "focus")


def axes_of(over: Any, kind: str, questions: Sequence[Raw], library: Profiles) -> dict[Key, Sequence[Any]]:
    """Return the keys that vary, each with its values; InputError for more than 200,000 points."""
    stated_values = _stated_values(over)
    keys = [key_of(name, kind) for name in stated_values]
    if len({key.name for key in keys}) < len(keys):
        raise InputError(f"{keys[0].name} twice", where="over", allowed="two different keys")
    axes: dict[Key, Sequence[Any]] = {}
    for key, (name, stated) in zip(keys, stated_values.items()):
        values = default_values(key, kind, questions, library) if stated is None else stated
        axes[key] = values_of(values, f"over: {name}")
    size_of(axes, len(questions))
    for key, axis in axes.items():
        every_inch = isinstance(axis, range) and axis.step == 1
        if key.is_distance and kind in _RANGED_KINDS and every_inch:
            axes[key] = _with_weapon_ranges(axis, questions, library)
    return axes


def _stated_values(over: Any) -> dict[str, Any]:
    """Return the stated values by name of the key; None stands for the default values."""
    if isinstance(over, Mapping):
        stated = dict(over)
    else:
        texts = [over] if isinstance(over, str) else over
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise InputError(f"{shown(over)} is not usable", where="over", allowed="such as distance, or dice=4..12")
        parts = [text.partition("=") for text in texts]
        stated = {name.strip(): values if equals else None for name, equals, values in parts}
        if len(stated) < len(texts):
            raise InputError(f"{next(iter(stated))} twice", where="over", allowed="two different keys")
    if not 1 <= len(stated) <= MOST_KEYS:
        raise InputError(f"{len(stated)} keys", where="over", allowed="one, or two for a map")
    return stated


def size_of(axes: Mapping[Key, Sequence[Any]], lines: int) -> int:
    """Return the number of points; InputError if there are too many to compute."""
    size = math.prod(map(len, axes.values())) * lines
    if size > MOST_CURVE_POINTS:
        raise InputError(f"{size:,} points of the curve", where="over", allowed=f"up to {MOST_CURVE_POINTS:,}")
    return size


def _with_weapon_ranges(values: Sequence[Any], questions: Sequence[Raw], library: Profiles) -> Sequence[Any]:
    """Return `values` with the ranges of the attackers' rows and Corrosive Fumes inserted (AC-4.1, AC-7)."""
    weapon_ranges: set[float] = set()
    for raw in questions:
        for attack in raw.get("attacks") or [raw.get("attack", {})]:
            if (unit := attack.get("attacker")) is not None:
                loadout = library.loadout(unit)
                fumes = loadout.unit.keyword("Corrosive Fumes")
                weapon_ranges |= {float(fumes.x)} if fumes is not None else set()
                ranges = (inches for row in loadout.unit.rows for inches in (row.short_range, row.long_range))
                weapon_ranges |= set(filter(None, ranges))
    inner_ranges = {inches for inches in weapon_ranges if values[0] < inches < values[-1]}
    return tuple(sorted({*values, *(int(inches) if inches == int(inches) else inches for inches in inner_ranges)}))


def holds_between(axes: Mapping[Key, Sequence[Any]], kind: str, questions: Sequence[Raw], library: Profiles) -> bool:
    """Return True if the axes are distances, and no attack changes between successive values."""
    values, *_ = axes.values()
    if not all(key.is_distance for key in axes) or kind not in _RANGED_KINDS or len(values) < 2:
        return False
    if not all(map(is_number, values)) or list(values) != sorted(values):
        return False
    return set(_with_weapon_ranges(values, questions, library)) <= set(values)
