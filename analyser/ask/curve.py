"""A figure of a question over one or two keys (the axes): lines, the best in each range, a map, a Pareto front."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args, get_origin

import pandas as pd

from analyser.analysis import selection
from analyser.ask.curve_answer import Curve
from analyser.ask.keys import LEVEL, LISTS, NO_ENTRY, POINTS, Key, Raw, key_of, unit_at, values_of, with_values
from analyser.ask.memoised_solver import BATTLE, Solver, between, check_method, kind_in, with_armies
from analyser.ask.metric_lookup import DEFAULT, LEAST, widened
from analyser.ask.question_table import Point, Variant, blank, solve_all, variant_of
from analyser.common.errors import InputError, check_flag, shown
from analyser.common.estimates import Method
from analyser.common.intervals import ERROR
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import Function, metric_name
from analyser.common.text import word_of
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.scenarios.battle import BattleTerms
from analyser.scenarios.load import Question, Unit, check_whole, read_scenario
from analyser.scenarios.schema import Attack, Charge, Combatant, DuelTerms, FocusAttack

Figure = str | Function
MOST_METRICS = 2
USUAL_BATTLES = 10_000  # battles for each point
Over = str | Mapping[str, Any] | Sequence[str]
_LEVEL_IN = re.compile(r"@[\w-]+")  # the level in a selector
_SECONDS = ("target", "b")  # sections with the second unit


def curve(
    question: selection.Selectors | Question | Sequence[Question],
    target: Unit | None = None,
    *,
    over: Over = "distance",
    metric: Figure | Sequence[Figure] | None = None,
    kind: str = "attack",
    rows: bool = False,
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    all_at_once: bool = False,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    **conditions: Any,
) -> Curve:
    """Return a figure of a question over one or two keys, for one or more units, and the best unit of each range.

    Parameters
    ----------
    question : selectors; or path or mapping, or several
        The attackers, one line for each: selectors, which may have wildcards, or loadouts. Without a `target`: whole
        questions of any kind, also battles and morale, one line for each.
    target : selector or mapping, optional
        The unit that is attacked, charged or fought.
    over : str, mapping, or several
        One or two keys: ``"distance"``, ``"dice=4..12"``, ``["dice=4..12", "DEFENCE=1..4"]`` or ``{"distance": range(1,
        25)}``. Keys are named as in the rules and the files (:func:`~analyser.ask.keys.key_of`), or are `points` and
        `level` of the attacker. Default values: every inch in reach, every level, every row, or yes and no.
    metric : str or callable, or two
        The figure (:func:`~analyser.ask.metric_lookup.reading`); ``"...:least"`` if less is better. Two figures give a
        Pareto front. Default: mean models destroyed, or the probability to win.
    kind : "attack", "charge" or "duel"
        The fight between the units and their `target`.
    rows : bool
        For attacks: each ranged row of each unit is a line.
    method, trials, seed, precision, threads, profiles, progress
        As in :func:`analyser.attack`, for each point separately; battles have 10,000 trials by default.
    all_at_once : bool
        Make the 95% intervals simultaneous for all points.
    **conditions
        The keys of ``[attack]``, ``[charge]`` or ``[duel]``.

    Returns
    -------
    Curve

    Raises
    ------
    InputError
        An unknown key or figure, no value with an answer, or more than 200,000 points.

    Notes
    -----
    Illegal values are cut off; the answer lists them with the reasons. An attack changes only at the ranges of its rows
    and of Corrosive Fumes (AC-4.1, AC-7), so these are added to a range of distances.

    Examples
    --------
    >>> rifles = ["crown/sharp-rifles@basic", "crown/rifle-platoon@basic"]
    >>> answer = curve(rifles, "imperium/krupp@basic", over="distance=1..30")
    >>> print(answer.sentences()[1])
    beyond 7" up to 12": crown/sharp-rifles@basic
    """
    sampling = Sampling(method, trials, seed, precision, threads, progress=progress)
    check_flag(all_at_once, "all_at_once")
    library = library_of(profiles)
    lines = _lines(question, target, kind, conditions, library, rows=rows)
    of = kind_in(next(iter(lines.values())))
    metrics = _metrics(metric, of)
    check_method(of, sampling.is_exact, "monte-carlo")
    if of == BATTLE and sampling.trials is None and sampling.precision is None:
        sampling = replace(sampling, trials=USUAL_BATTLES)
    axes = axes_of(over, of, list(lines.values()), library)
    _check_not_stated(axes, conditions, target)
    if any(key.name == LEVEL for key in axes):  # name lines by units without levels
        lines = {_LEVEL_IN.sub("", name): raw for name, raw in reversed(lines.items())}
        lines = dict(reversed(lines.items()))
    size = size_of(axes, len(lines))
    solver = Solver(library, sampling, size)
    points = solve_all(solver, _variants(lines, axes, library), list(metrics), sampling, size, len(lines))
    points = points[: len(points) // len(lines) * len(lines)]  # after Ctrl-C: only values that all lines have
    if all_at_once or precision is not None:
        error = ERROR / (size * len(metrics)) if all_at_once else ERROR
        points = [_widened(point, metrics, error, fixed=precision is None) for point in points]
    complete = len(points) == size
    points += itertools.islice(_not_asked(lines, axes, metrics), len(points), None)
    by_line = [point for place in range(len(lines)) for point in points[place :: len(lines)]]
    answer = _answer(solver, lines, axes, metrics, by_line)
    return replace(answer, all_at_once=all_at_once, complete=complete)


def _metrics(given: Any, kind: str) -> dict[str, bool]:
    """Return the names of the figures; the value is True if less is better."""
    if not (given is None or callable(given) or isinstance(given, str | list | tuple)):
        raise InputError(f"{shown(given)} is not usable", where="metric", allowed="a figure, or two")
    names: list[Any] = []
    for figure in [given] if callable(given) or isinstance(given, str) else given or ():
        names.append(metric_name(figure, names))
    names = names or ([DEFAULT[kind]] if kind in DEFAULT else [])
    if not 1 <= len(names) <= MOST_METRICS or not all(isinstance(name, str) for name in names):
        raise InputError(f"{len(names)} figures", where="metric", allowed="one or two, such as p_panicked of morale")
    return {name.removesuffix(LEAST): name.endswith(LEAST) for name in names}


def _lines(
    question: Any, target: Any, kind: str, conditions: dict[str, Any], library: Profiles, *, rows: bool
) -> dict[str, Raw]:
    """Return the questions to compare, each by a name for its difference."""
    if target is None:
        if conditions or rows:
            raise InputError("state this in the scenario, not as an option", where=next(iter(conditions), "rows"))
        wholes = question if isinstance(question, list | tuple) else [question]
        lines = _by_name(_whole(whole, number, library) for number, whole in enumerate(wholes, start=1))
        if len({kind_in(raw) for raw in lines.values()}) > 1:
            raise InputError("questions of several kinds", where="question", allowed="one kind")
    else:
        attackers = selection.loadouts(question, library)
        lines = _by_name((unit.selector, between(unit, target, kind, conditions)) for unit in attackers)
        if rows and kind == "attack":
            lines = dict(line for name, raw in lines.items() for line in _by_row(name, raw))
    if not lines:
        raise InputError("no unit has a ranged row", where="rows")
    return lines


def _by_name(lines: Iterable[tuple[str, Raw]]) -> dict[str, Raw]:
    """Return the questions by name; a repeated name gets the number of the question appended."""
    named_lines: dict[str, Raw] = {}
    for number, (name, raw) in enumerate(lines, start=1):
        named_lines[f"{name} ({number})" if name in named_lines else name] = raw
    return named_lines


def _whole(question: Any, number: int, library: Profiles) -> tuple[str, Raw]:
    check_whole(question, "target", library)
    raw, where = read_scenario(question)
    name = where.rpartition("/")[2].removesuffix(".toml") if where else f"question {number}"
    return name, with_armies(raw, where, library)


def _by_row(name: str, raw: Raw) -> Iterator[tuple[str, Raw]]:
    for row in raw["attack"]["attacker"].unit.rows:
        if row.kind == "ranged":
            yield f"{name} {row.id}", {**raw, "attack": {**raw["attack"], "row": row.id}}


def _check_not_stated(keys: Iterable[Key], conditions: Mapping[str, Any], target: Any) -> None:
    """Raise InputError for a stated condition that also varies, because its value would have no effect."""
    for key in keys:
        for path in key.paths:
            section, name = target if path[0] in _SECONDS else conditions, str(path[-1])
            if not isinstance(section, Mapping) or key.what in (LEVEL, POINTS) or name == "unit":
                continue  # a target is named even if it varies
            listed = section.get(name)
            is_marked = key.mark in section or (isinstance(listed, list | tuple) and key.mark in listed)
            if is_marked if key.what == "mark" else name in section:
                problem = f"the question is asked over {key.title}: a value beside that has no effect"
                raise InputError(problem, where=key.name, allowed="one of the two; or over another key")


def _variants(lines: Mapping[str, Raw], axes: Mapping[Key, Sequence[Any]], library: Profiles) -> Iterator[Variant]:
    """Yield the variants of every line at the first combination of values, then at the next."""
    for at in itertools.product(*axes.values()):
        for name, raw in lines.items():
            yield variant_of(name, raw, dict(zip(axes, at)), library)


def _not_asked(lines: Iterable[str], axes: Mapping[Key, Sequence[Any]], metrics: Mapping[str, bool]) -> Iterator[Point]:
    names = [key.name for key in axes]
    for at in itertools.product(*axes.values()):
        for line in lines:
            yield Point(line, dict(zip(names, at)), blank(list(metrics)), "not asked: it was stopped")


def _widened(point: Point, metrics: Iterable[str], error: float, *, fixed: bool) -> Point:
    readings = (
        widened(figure, name, point.trials, error, fixed=fixed) for figure, name in zip(point.readings, metrics)
    )
    return point._replace(readings=tuple(readings))


def _answer(
    solver: Solver,
    lines: Mapping[str, Raw],
    axes: Mapping[Key, Sequence[Any]],
    metrics: Mapping[str, bool],
    points: Sequence[Point],
) -> Curve:
    """Return the curve without the values at which no line has an answer; InputError if none is left."""
    solved = [point for point in points if point.why_not is None]
    if not solved:
        raise InputError(f"no value has an answer: {points[0].why_not}", where="over")
    usable, cut = dict[Key, tuple[Any, ...]](), list[str]()
    for key, axis in axes.items():
        fine = {point.values[key.name] for point in solved}
        usable[key] = tuple(value for value in axis if value in fine)
        reasons = {point.values[key.name]: str(point.why_not) for point in points}
        cut += _cut(key, axis, fine, reasons)
    left = [point for point in points if all(point.values[key.name] in axis for key, axis in usable.items())]
    firsts = {point.name: point for point in reversed(left) if point.why_not is None}
    explained = (
        solver.explained(with_values(raw, {key: firsts[name].values[key.name] for key in usable}, solver.library))
        for name, raw in lines.items()
        if name in firsts
    )
    return Curve(
        frame=_frame(left, metrics, exact=solver.sampling.is_exact),
        lines=tuple(lines),
        keys=tuple(key.name for key in usable),
        values=tuple(usable.values()),
        metrics=tuple(metrics),
        least=tuple(metrics.values()),
        kind=kind_in(next(iter(lines.values()))),
        holds_between=holds_between(usable, kind_in(next(iter(lines.values()))), list(lines.values()), solver.library),
        cut=tuple(cut),
        results=tuple(explained),
        sampling=solver.sampling,
        fights=solver.fights,
        costs={name: price for name, raw in lines.items() if (price := solver.points_of(raw)) is not None},
        not_modelled=solver.not_modelled,
        profiles=solver.library.used,
    )


def _frame(points: Sequence[Point], metrics: Iterable[str], *, exact: bool) -> pd.DataFrame:
    rows = []
    for point in points:
        row: dict[str, Any] = {"line": point.name, **point.values}
        row |= {} if point.row is None else {"fires": point.row}
        row |= {"costs": point.costs} if LEVEL in row else {}
        for name, figure in zip(metrics, point.readings):
            row[name] = figure.value
            row |= {} if exact else {f"{name}_low": figure.low, f"{name}_high": figure.high}
        if not exact:
            stopping = {} if point.stopping is None else point.stopping.as_dict()
            row |= {"trials": point.trials} | {key: stopping.get(key) for key in ("planned_trials", "stop_reason")}
        rows.append(row | {"why_not": point.why_not})
    return pd.DataFrame(rows)


def _cut(key: Key, axis: Sequence[Any], fine: set[Any], reasons: Mapping[Any, str]) -> list[str]:
    """Return each run of values of a key at which no line has an answer, with the reason."""
    cut = []
    for is_gone, run in itertools.groupby(axis, key=lambda value: value not in fine):
        if is_gone:
            values = list(run)
            ends = " to ".join(dict.fromkeys([word_of(values[0]), word_of(values[-1])]))
            cut.append(f"{key.title} {ends} cut off: {reasons[values[0]]}")
    return cut


MOST_POINTS = 200_000
MOST_KEYS = 2
FARTHEST = 60  # inches
_SHOTS = ("attack", "focus")
_EXAMPLES = {POINTS: "40..80:5", "attacker": "UNIT,UNIT", "unit": "UNIT,UNIT", "qualities": "none,Arc,Arc+Devastating"}
_RECORDS: Mapping[str, Any] = {  # types of the keys, by section
    **{"attack": Attack, "attacks": FocusAttack, "charge": Charge, "duel": DuelTerms, "battle": BattleTerms},
    **{"target": Combatant, "attacker": Combatant, "a": Combatant, "b": Combatant},
}


def axes_of(over: Any, kind: str, questions: Sequence[Raw], library: Profiles) -> dict[Key, Sequence[Any]]:
    """Return the keys that vary, each with its values; InputError for more than 200,000 points."""
    given = _split(over)
    keys = [key_of(name, kind) for name in given]
    if len({key.name for key in keys}) < len(keys):
        raise InputError(f"{keys[0].name} twice", where="over", allowed="two different keys")
    axes: dict[Key, Sequence[Any]] = {}
    for key, (name, values) in zip(keys, given.items()):
        usual = usual_values(key, kind, questions, library) if values is None else values
        axes[key] = values_of(usual, f"over: {name}")
    size_of(axes, len(questions))
    for key, values in zip(keys, given.values()):
        if key.is_distance and kind in _SHOTS and (values is None or _is_range(axes[key])):
            axes[key] = _with_marks(axes[key], questions, library)
    return axes


def _split(over: Any) -> dict[str, Any]:
    """Return the names of the keys with their values as given; None: the usual values."""
    if isinstance(over, Mapping):
        given = dict(over)
    else:
        texts = [over] if isinstance(over, str) else over
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise InputError(f"{shown(over)} is not usable", where="over", allowed="such as distance, or dice=4..12")
        parts = [text.partition("=") for text in texts]
        given = {name.strip(): values if equals else None for name, equals, values in parts}
        if len(given) < len(texts):
            raise InputError(f"{next(iter(given))} twice", where="over", allowed="two different keys")
    if not 1 <= len(given) <= MOST_KEYS:
        raise InputError(f"{len(given)} keys", where="over", allowed="one, or two for a map")
    return given


def size_of(axes: Mapping[Key, Sequence[Any]], lines: int) -> int:
    """Return the number of points; InputError if there are too many to compute."""
    size = math.prod(map(len, axes.values())) * lines
    if size > MOST_POINTS:
        raise InputError(f"{size:,} points", where="over", allowed=f"up to {MOST_POINTS:,}")
    return size


def usual_values(key: Key, kind: str, questions: Sequence[Raw], library: Profiles) -> Sequence[Any]:
    """Return the default values of a key; InputError for a key without any."""
    section, field = str(key.paths[0][0]), str(key.paths[0][-1])
    units = [library.loadout(unit) for raw in questions if (unit := unit_at(raw, kind)) is not None]
    if key.what == "mark":
        return (False, True)
    if LISTS.get(field):
        return (NO_ENTRY, *LISTS[field])
    if key.what == LEVEL:
        unit = unit_at(questions[0], kind, second=key.name != LEVEL)
        return tuple(library.loadout(unit).unit.levels) if unit is not None else ()
    model = _RECORDS.get(section)
    if model is not None and field in model.model_fields:
        if isinstance(model.model_fields[field].default, bool):
            return (False, True)
        if names := _names_of(model.model_fields[field].annotation):
            return names
    if field == "distance":
        reach = max((row.long_range or 0 for unit in units for row in unit.unit.rows), default=0)
        return range(1, math.ceil(min(reach, FARTHEST)) + 1 if reach else FARTHEST + 1)
    if field == "row" and units:
        return tuple(dict.fromkeys(row.id for unit in units for row in unit.unit.rows if row.kind == "ranged"))
    if field == "models" and section == "target" and (unit := unit_at(questions[0], kind, second=True)) is not None:
        return range(1, library.loadout(unit).level.models + 1)
    values = _EXAMPLES[POINTS] if key.what == POINTS else _EXAMPLES.get(field, "1..6")
    raise InputError("over which values?", where=f"over: {key.name}", allowed=f"such as {key.name}={values}")


def _names_of(annotation: Any) -> tuple[Any, ...]:
    """Return the names that a key can have; empty unless its type is a choice of names."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next((names for part in get_args(annotation) if (names := _names_of(part))), ())


def _is_range(values: Sequence[Any]) -> bool:
    return isinstance(values, range) and values.step == 1


def _with_marks(values: Sequence[Any], questions: Sequence[Raw], library: Profiles) -> Sequence[Any]:
    """Return the distances and, between them, all distances at which an attack can change (AC-4.1, AC-7)."""
    marks: set[float] = set()
    for raw in questions:
        for attack in raw.get("attacks") or [raw.get("attack", {})]:
            if (unit := attack.get("attacker")) is not None:
                loadout = library.loadout(unit)
                fumes = loadout.unit.keyword("Corrosive Fumes")
                marks |= {float(fumes.x)} if fumes is not None else set()
                marks |= {mark for row in loadout.unit.rows for mark in (row.short_range, row.long_range) if mark}
    inside = {mark for mark in marks if values[0] < mark < values[-1]}
    return tuple(sorted({*values, *(int(mark) if mark == int(mark) else mark for mark in inside)}))


def holds_between(axes: Mapping[Key, Sequence[Any]], kind: str, questions: Sequence[Raw], library: Profiles) -> bool:
    """Return True for distances between which no attack changes."""
    values, *_ = axes.values()
    if not all(key.is_distance for key in axes) or kind not in _SHOTS or len(values) < 2:
        return False
    if not all(isinstance(value, int | float) for value in values) or list(values) != sorted(values):
        return False
    return set(_with_marks(values, questions, library)) <= set(values)
