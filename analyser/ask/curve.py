"""Any figure of any question over one number or two: lines, the best of each stretch, a map, a Pareto front."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args, get_origin

import numpy as np
import pandas as pd

from analyser.analysis import selection
from analyser.ask.asking import BATTLE, Asker, check_method, kind_in
from analyser.ask.curve_answer import Curve, word_of
from analyser.ask.curve_lines import Line, check_not_stated, lines_of, without_levels
from analyser.ask.keys import LEVEL, LISTS, NO_ENTRY, POINTS, Key, key_of, unit_at, with_value
from analyser.ask.ranges import values_of
from analyser.ask.readings import DEFAULT, LEAST, Reading, kept_to, reading
from analyser.common import interrupts
from analyser.common.errors import InputError, MisspeltError, check_flag, shown
from analyser.common.estimates import Method
from analyser.common.precision import Stopping
from analyser.common.sampling import Progress, Sampling
from analyser.common.sequences import ERROR
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.plots.metrics import Function, named
from analyser.results.base import Result
from analyser.scenarios.battle import BattleTerms
from analyser.scenarios.load import Question, Unit
from analyser.scenarios.schema import Attack, Charge, Combatant, DuelTerms, FocusAttack

MOST_POINTS = 200_000
Figure = str | Function
MOST_METRICS = MOST_KEYS = 2
FARTHEST = 60  # inches
USUAL_BATTLES = 10_000  # a point
Over = str | Mapping[str, Any] | Sequence[str]
_EXAMPLES = {POINTS: "40..80:5", "attacker": "UNIT,UNIT", "unit": "UNIT,UNIT", "qualities": "none,Arc,Arc+Devastating"}
_RECORDS: Mapping[str, Any] = {  # what may stand in a section, where a key without values is looked up
    **{"attack": Attack, "attacks": FocusAttack, "charge": Charge, "duel": DuelTerms, "battle": BattleTerms},
    **{"target": Combatant, "attacker": Combatant, "a": Combatant, "b": Combatant},
}


class Point(NamedTuple):
    """A line at a combination of values: its figures, or why it has none."""

    line: str
    at: tuple[Any, ...]
    readings: tuple[Reading, ...]
    row: str | None
    why_not: str | None
    trials: int | None = None
    stopping: Stopping | None = None
    costs: float | None = None  # what who attacks costs there


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
    """A figure of a question over one number or two, for one or several units, and who is best where.

    Parameters
    ----------
    question : selectors; or path or mapping, or several
        Who attacks, each a line: selectors, which may have wildcards, or loadouts. Without a `target`: whole questions
        of any kind, of fights, of battles or of morale, each a line.
    target : selector or mapping, optional
        Who is attacked, charged or fought.
    over : str, mapping, or several
        What the question is asked over, one key or two: ``"distance"``, ``"dice=4..12"``, ``["dice=4..12",
        "DEFENCE=1..4"]`` or ``{"distance": range(1, 25)}``. Keys are numbers, flags and names of the question by the
        names that the rules and the files have for them (:func:`~analyser.ask.keys.key_of`), and `points` and
        `level` of who attacks. Without values: every inch in reach, every level, every row, yes and no.
    metric : str or callable, or two
        The figure (:func:`~analyser.ask.readings.reading`); ``"...:least"`` where less is better. Two: the
        points that no other beats in both are named. Default: mean models destroyed, or the chance to win.
    kind : "attack", "charge" or "duel"
        What units and their `target` do.
    rows : bool
        Of attacks: each ranged row of each unit is a line of its own.
    method, trials, seed, precision, threads, profiles, progress
        As of :func:`analyser.attack`, of each point by itself; of battles 10,000 trials by default.
    all_at_once : bool
        Intervals hold for all points at once, in 95% of samples: each misses with as small a part of 5%.
    **conditions
        The keys of ``[attack]``, ``[charge]`` or ``[duel]``.

    Returns
    -------
    Curve

    Raises
    ------
    InputError
        An unknown key or figure, values that no line has an answer for, or more than 200,000 points.

    Notes
    -----
    Values that are not legal are cut off, and the answer says which and why. An attack changes at no distance but the
    ranges of its rows and Corrosive Fumes (AC-4.1, AC-7), which are among the values of a range: so what it says of
    stretches holds at every distance between.

    Examples
    --------
    >>> rifles = ["crown/sharp-rifles@basic", "crown/rifle-platoon@basic"]
    >>> found = curve(rifles, "imperium/krupp@basic", over="distance=1..30")
    >>> print(found.sentences()[1])
    beyond 7" up to 12": crown/sharp-rifles@basic
    """
    sampling = Sampling(method, trials, seed, precision, threads, progress=progress)
    check_flag(all_at_once, "all_at_once")
    library = library_of(profiles)
    lines = lines_of(question, target, kind, conditions, library, rows=rows)
    of = kind_in(lines[0].raw)
    metrics = _metrics(metric, of)
    check_method(of, sampling.is_exact, "monte-carlo")
    if of == BATTLE and sampling.trials is None and sampling.precision is None:
        sampling = replace(sampling, trials=USUAL_BATTLES)
    keys, axes = _axes(over, of, lines, library)
    check_not_stated(keys, conditions, target)
    lines = without_levels(lines, keys)
    size = _size(axes, lines)
    error = ERROR / (size * len(metrics)) if all_at_once else ERROR
    asker = Asker(library, sampling, size)
    names, rows_of = [name for name, _ in metrics], list[list[Point]]()
    with sampling.with_bar() as reporting:
        try:
            for at in itertools.product(*axes):
                found = []
                for line in lines:
                    point = point_at(asker, line, keys, at, names)
                    if all_at_once or precision is not None:
                        point = _kept_to(point, metrics, error, fixed=precision is None)
                    found.append(point)
                    reporting.report(len(rows_of) * len(lines) + len(found), size)
                rows_of.append(found)
        except KeyboardInterrupt:  # what is done is shown: values that all lines have an answer at
            if not rows_of:
                raise
            interrupts.heard()
    complete = len(rows_of) * len(lines) == size
    for at in itertools.islice(itertools.product(*axes), len(rows_of), None):
        rows_of.append([_not_asked(line, at, names) for line in lines])
    points = [each for of_line in zip(*rows_of) for each in of_line]
    answer = _answer(asker, lines, keys, axes, metrics, points)
    return replace(answer, all_at_once=all_at_once, complete=complete)


def _metrics(given: Any, kind: str) -> list[tuple[str, bool]]:
    """The figures by name, and of which of them less is better."""
    if not (given is None or callable(given) or isinstance(given, str | list | tuple)):
        raise InputError(f"{shown(given)} is not usable", where="metric", allowed="a figure, or two")
    names: list[Any] = []
    for each in [given] if callable(given) or isinstance(given, str) else given or ():
        names.append(named(each, names))
    names = names or ([DEFAULT[kind]] if kind in DEFAULT else [])
    if not 1 <= len(names) <= MOST_METRICS or not all(isinstance(each, str) for each in names):
        raise InputError(f"{len(names)} figures", where="metric", allowed="one or two, such as p_panicked of morale")
    return [(name.removesuffix(LEAST), name.endswith(LEAST)) for name in names]


def _axes(over: Any, kind: str, lines: Sequence[Line], library: Profiles) -> tuple[list[Key], list[Sequence[Any]]]:
    """Return the keys that vary, and the values of each."""
    parts: list[tuple[str, Any]] = []
    if isinstance(over, Mapping):
        parts = list(over.items())
    else:
        listed = [over] if isinstance(over, str) else over
        if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
            raise InputError(f"{shown(over)} is not usable", where="over", allowed="such as distance, or dice=4..12")
        for each in listed:
            name, equals, values = each.partition("=")
            parts.append((name.strip(), values if equals else None))
    if not 1 <= len(parts) <= MOST_KEYS:
        raise InputError(f"{len(parts)} keys", where="over", allowed="one, or two for a map")
    keys = [key_of(name, kind) for name, _ in parts]
    if len({key.name for key in keys}) < len(keys):
        raise InputError(f"{keys[0].name} twice", where="over", allowed="two different keys")
    axes = []
    for key, (name, values) in zip(keys, parts):
        found = values_of(usual_values(key, kind, lines, library) if values is None else values, f"over: {name}")
        axes.append(found)
    _size(axes, lines)
    for place, (key, (_, values)) in enumerate(zip(keys, parts)):
        if _is_distance(key) and kind in ("attack", "focus") and (values is None or _is_range(axes[place])):
            axes[place] = _with_marks(axes[place], lines, library)
    return keys, axes


def _size(axes: Sequence[Sequence[Any]], lines: Sequence[Line]) -> int:
    """Return the number of points before any is made; InputError for too many."""
    size = math.prod(map(len, axes)) * len(lines)
    if size > MOST_POINTS:
        raise InputError(f"{size:,} points", where="over", allowed=f"up to {MOST_POINTS:,}")
    return size


def usual_values(key: Key, kind: str, lines: Sequence[Line], library: Profiles) -> Sequence[Any]:
    """The values of a key where none are given; InputError where that could be anything."""
    first = key.paths[0]
    field = first[-1]
    units = [library.loadout(unit) for line in lines if (unit := unit_at(line.raw, kind)) is not None]
    if key.what == "mark":
        return (False, True)
    if LISTS.get(str(field)):
        return (NO_ENTRY, *LISTS[str(field)])
    if key.what == LEVEL:
        unit = unit_at(lines[0].raw, kind, second=key.name != LEVEL)
        return tuple(library.loadout(unit).unit.levels) if unit is not None else ()
    model = _RECORDS.get(str(first[0]))
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
    if field == "models" and (unit := unit_at(lines[0].raw, kind, second=True)) is not None and first[0] == "target":
        return range(1, library.loadout(unit).level.models + 1)
    values = _EXAMPLES[POINTS] if key.what == POINTS else _EXAMPLES.get(str(field), "1..6")
    example = f"{key.name}={values}"
    raise InputError("over which values?", where=f"over: {key.name}", allowed=f"such as {example}")


def _names_of(annotation: Any) -> tuple[Any, ...]:
    """The names that a key can have, if it is one of several, or none of them."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next((names for part in get_args(annotation) if (names := _names_of(part))), ())


def _is_distance(key: Key) -> bool:
    return key.paths[0][-1] == "distance"


def _is_range(values: Sequence[Any]) -> bool:
    return isinstance(values, range) and values.step == 1


def _with_marks(values: Sequence[Any], lines: Sequence[Line], library: Profiles) -> Sequence[Any]:
    """The distances with those inside of them at which any of the attacks can change."""
    marks: set[float] = set()
    for line in lines:
        attacks = line.raw.get("attacks") or [line.raw.get("attack", {})]
        for unit in (each.get("attacker") for each in attacks):
            if unit is None:
                continue
            loadout = library.loadout(unit)
            fumes = loadout.unit.keyword("Corrosive Fumes")
            marks |= {float(fumes.x)} if fumes is not None else set()
            marks |= {each for row in loadout.unit.rows for each in (row.short_range, row.long_range) if each}
    inside = {mark for mark in marks if values[0] < mark < values[-1]}
    return tuple(sorted({*values, *(int(each) if each == int(each) else each for each in inside)}))


def point_at(asker: Asker, line: Line, keys: Sequence[Key], at: Sequence[Any], metrics: Sequence[str]) -> Point:
    """A line at some values: its figures, or why it has none."""
    row = None
    try:
        raw = line.raw
        for key, value in zip(keys, at):
            raw = with_value(raw, key, value, asker.library)
        result = asker.answer(raw).result
        prices = [value for key, value in zip(keys, at) if key.what == POINTS]
        points = _price(prices[0]) if prices else asker.points_of(raw)
        found = tuple(reading(result, name, points) for name in metrics)
        row = getattr(getattr(result.scenario, "attack", None), "row", None)
        return Point(line.name, tuple(at), found, row, None, result.trials, result.stopping, points)
    except InputError as error:
        if error.where.startswith("metric") or isinstance(error, MisspeltError):
            raise
        return Point(line.name, tuple(at), tuple(Reading(np.nan) for _ in metrics), row, str(error))


def _not_asked(line: Line, at: Sequence[Any], names: Sequence[str]) -> Point:
    return Point(line.name, tuple(at), tuple(Reading(np.nan) for _ in names), None, "not asked: it was stopped")


def _kept_to(point: Point, metrics: Sequence[tuple[str, bool]], error: float, *, fixed: bool) -> Point:
    """A point whose intervals miss in at most `error` of samples; its trials `fixed` beforehand, or not."""
    readings = (
        kept_to(found, name, point.trials, error, fixed=fixed) for found, (name, _) in zip(point.readings, metrics)
    )
    return point._replace(readings=tuple(readings))


def _price(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise InputError(f"{shown(value)} is not a price", where="points", allowed="a number above 0")
    return float(value)


def _answer(
    asker: Asker,
    lines: Sequence[Line],
    keys: Sequence[Key],
    axes: Sequence[Sequence[Any]],
    metrics: Sequence[tuple[str, bool]],
    points: Sequence[Point],
) -> Curve:
    """The answer without the values that nobody has an answer for; InputError if that is all of them."""
    able = [each for each in points if each.why_not is None]
    if not able:
        reasons = dict.fromkeys(str(each.why_not) for each in points)
        raise InputError(f"no value has an answer: {next(iter(reasons))}", where="over")
    kept, cut = [], list[str]()
    for place, axis in enumerate(axes):
        fine = {each.at[place] for each in able}
        kept.append(tuple(value for value in axis if value in fine))
        cut += _cut(keys[place], axis, fine, points, place)
    left = [each for each in points if all(value in axis for value, axis in zip(each.at, kept))]
    explained = [_explained(asker, line, keys, left) for line in lines]
    return Curve(
        frame=_frame(left, keys, metrics, asker.sampling.is_exact),
        lines=tuple(line.name for line in lines),
        keys=tuple(key.name for key in keys),
        values=tuple(kept),
        metrics=tuple(name for name, _ in metrics),
        least=tuple(least for _, least in metrics),
        kind=kind_in(lines[0].raw),
        holds_between=all(_is_distance(key) for key in keys) and _is_dense(kept[0], asker, lines),
        cut=tuple(cut),
        results=tuple(each for each in explained if each is not None),
        sampling=asker.sampling,
        fights=asker.fought,
        costs={line.name: cost for line in lines if (cost := asker.points_of(line.raw)) is not None},
        not_modelled=asker.not_modelled,
        profiles=asker.library.used,
    )


def _is_dense(values: Sequence[Any], asker: Asker, lines: Sequence[Line]) -> bool:
    """Return True if an attack does not change at any distance between neighbouring values."""
    if kind_in(lines[0].raw) not in ("attack", "focus") or not all(isinstance(each, int | float) for each in values):
        return False
    if len(values) < 2:
        return False
    inside = {each for each in _with_marks(values, lines, asker.library) if values[0] <= each <= values[-1]}
    return inside <= set(values) and list(values) == sorted(values)


def _explained(asker: Asker, line: Line, keys: Sequence[Key], points: Iterable[Point]) -> Result | None:
    """The answer at the first point of a line that has one, with what it says beside its numbers."""
    at = next((each.at for each in points if each.line == line.name and each.why_not is None), None)
    if at is None:
        return None
    raw = line.raw
    for key, value in zip(keys, at):
        raw = with_value(raw, key, value, asker.library)
    return asker.explained(raw)


def _frame(
    points: Sequence[Point], keys: Sequence[Key], metrics: Sequence[tuple[str, bool]], exact: bool
) -> pd.DataFrame:
    rows = []
    for each in points:
        row: dict[str, Any] = {"line": each.line, **dict(zip((key.name for key in keys), each.at))}
        row |= {} if each.row is None else {"fires": each.row}
        row |= {"costs": each.costs} if LEVEL in row else {}
        for (name, _), found in zip(metrics, each.readings):
            row[name] = found.value
            row |= {} if exact else {f"{name}_low": found.low, f"{name}_high": found.high}
        if not exact:
            stopping = {} if each.stopping is None else each.stopping.as_dict()
            row |= {"trials": each.trials} | {key: stopping.get(key) for key in ("planned_trials", "stop_reason")}
        rows.append(row | {"why_not": each.why_not})
    return pd.DataFrame(rows)


def _cut(key: Key, axis: Sequence[Any], fine: set[Any], points: Iterable[Point], place: int) -> list[str]:
    """The values of a key that nobody has an answer for, run by run, and why."""
    reasons = {each.at[place]: str(each.why_not) for each in points if each.at[place] not in fine}
    found = []
    for gone, run in itertools.groupby(axis, key=lambda value: value not in fine):
        if gone:
            first, *_, last = [*(values := list(run)), values[-1]]
            ends = word_of(first) if len(values) == 1 else f"{word_of(first)} to {word_of(last)}"
            found.append(f"{key.title} {ends} cut off: {reasons[first]}")
    return found
