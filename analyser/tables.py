"""Results as text for a terminal, or as CSV: a pure function of a result, nothing printed here."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from analyser.results import Estimate, plus_minus

if TYPE_CHECKING:
    from analyser.importers.battlescribe import ImportReport
    from analyser.results import Result
    from analyser.units import Loadout

SHORT_ENOUGH = 16  # rows of a table that are shown whole, however unlikely the last of them
NEGLIGIBLE = 1e-4  # what a longer table leaves out at either end, at most: 0.01%
NORMAL_95 = 1.96  # half a 95% interval, in standard errors
ALWAYS_SHOWN = ("suppressed", "broken", "annihilated")
SHOWN_IF_POSSIBLE = ("disordered", "activated", "fell_back", "fled")


def aligned(rows: Sequence[Sequence[str]], sides: str, *, gap: str = "  ") -> list[str]:
    """`rows` of equal length as lines; `sides` says `<` or `>` for each column, the last for all that follow.

    Examples
    --------
    >>> aligned([("value", "p"), ("0", "12%")], ">", gap=" | ")
    ['value |   p', '    0 | 12%']
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    sides = sides.ljust(len(widths), sides[-1])
    return [gap.join(f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths)).rstrip() for row in rows]


def attack_text(results: Sequence[Result]) -> str:
    """One attack's answer by one method or by both, for a terminal."""
    blocks = [
        _heading(results),
        _models_destroyed(results),
        _figures(results),
        *_lists(results[0]),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def method_name(result: Result) -> str:
    """The method as a heading says it."""
    return "exact" if result.exact else "Monte Carlo"


def _heading(results: Sequence[Result]) -> list[str]:
    result = results[0]
    attack, target, conditions = result.scenario.attack, result.scenario.target, result.conditions
    attacker, unit = attack.attacker or "attack without a profile", target.unit or "target without a profile"
    where = "" if attack.distance is None else f' at {attack.distance:g}"'
    lines = [("Attack", f"{attacker} -> {unit}")]
    if attack.row is not None:
        lines.append(("Row", f"{attack.row}{where}"))
    elif where:
        lines.append(("Distance", where.removeprefix(" at ")))
    lines += [
        ("Pool", _pool_line(conditions, overcharge=attack.overcharge)),
        ("Target", _target_line(result)),
        ("Test", _test_line(conditions, target.break_limit)),
        ("Method", "; ".join(map(_method_line, results))),
    ]
    return aligned(lines, "<")


def _pool_line(conditions: dict[str, Any], *, overcharge: bool) -> str:
    card = " and as many as a card says" if overcharge else ""
    return f"{counted(conditions['dice'], 'die', 'dice')}{card}, {conditions['rating']} rating"


def _target_line(result: Result) -> str:
    target = result.scenario.target
    parts = [
        counted(target.models or 0, "model"),
        f"effective DEFENCE {result.conditions['defence']}",
        f"DAMAGE LIMIT {target.damage_limit}",
    ]
    if target.damage:
        parts.append(f"{target.damage} damage carried")
    if target.exposed is not None and target.exposed < (target.models or 0):
        parts.append(f"{target.exposed} exposed")
    parts += [flag.replace("_", " ") for flag in _STATES if getattr(target, flag)]
    return ", ".join(parts)


_STATES = ("suppressed", "disordered", "activated", "garrisoned", "taking_cover")


def _test_line(conditions: dict[str, Any], break_limit: int | None) -> str:
    line = str(conditions["suppression_test"])
    if conditions["discipline"] is not None:
        line += f", DISCIPLINE {conditions['discipline']} before losses and disorder"
    return line if break_limit is None else f"{line}; BREAK LIMIT {break_limit}"


def _method_line(result: Result) -> str:
    if result.trials is None:
        return "exact"
    return f"Monte Carlo, {result.trials:,} trials, seed {result.seed}, intervals at 95%"


def _models_destroyed(results: Sequence[Result]) -> list[str]:
    laws = [result.models_destroyed() for result in results]
    first, last = shown_range([row["probability"] for row in laws[0]], [row["at_least"] for row in laws[0]])
    methods = [f" {method_name(result)}" if len(results) > 1 else "" for result in results]
    rows = [["value", *(f"{what}{method}" for method in methods for what in ("probability", "at least"))]]
    for value in range(first, last + 1):
        row = [str(value)]
        for law in laws:
            one = law[value]
            row.append(str(Estimate(one["probability"], one.get("low"), one.get("high"))))
            at_least = Estimate(one["at_least"], one.get("at_least_low"), one.get("at_least_high"))
            row.append("100%" if value == 0 else str(at_least))  # at least 0: certain without a sample
        rows.append(row)
    methods_said = " and ".join(map(method_name, results))
    lines = [f"Models destroyed ({methods_said}; at least: that many or more)", *aligned(rows, ">", gap=" | ")]
    return lines + _cut(first, last, len(laws[0]) - 1)


def shown_range(probabilities: Sequence[float], at_least: Sequence[float]) -> tuple[int, int]:
    """The first and the last value of a law worth a line each; a short law is shown whole.

    Examples
    --------
    >>> shown_range([0.5, 0.5, 0.0], [1.0, 0.5, 0.0])
    (0, 2)
    """
    last = len(probabilities) - 1
    if last < SHORT_ENOUGH:
        return 0, last
    likely = [value for value, chance in enumerate(at_least) if chance >= NEGLIGIBLE]
    below = [1 - chance + probability for chance, probability in zip(at_least, probabilities)]
    first = next((value for value, chance in enumerate(below) if chance >= NEGLIGIBLE), 0)
    return min(first, likely[-1]), likely[-1]


def _cut(first: int, last: int, highest: int) -> list[str]:
    below = [f"below {first}"] if first > 0 else []
    above = [f"above {last}"] if last < highest else []
    if not below and not above:
        return []
    return [f"Not shown: values {' and '.join(below + above)}, each end less likely than {100 * NEGLIGIBLE:.2f}%."]


def _figures(results: Sequence[Result]) -> list[str]:
    rows = []
    for name in (*ALWAYS_SHOWN, *SHOWN_IF_POSSIBLE):
        chances = [result.probability(name) for result in results]
        if name in ALWAYS_SHOWN or any(chance.probability > 0 for chance in chances):
            rows.append([f"P({name.replace('_', ' ')})", *map(said, chances)])
    rows += _building(results)
    rows += [_mean(results, name, label) for name, label in _MEANS if name in results[0].summary]
    for name, label in _PERCENTILES:
        rows.append([label, *(str(result.summary[name]) for result in results)])
    rows.append(["Expected victory points", *map(_victory_points, results)])
    if len(results) > 1:
        rows.insert(0, ["", *map(method_name, results)])
    return aligned(rows, "<")


_MEANS = (
    ("mean_hits", "Mean hits"),
    ("mean_models_destroyed", "Mean models destroyed"),
    ("mean_damage_left", "Mean damage left on the target"),
    ("mean_attacker_models_destroyed", "Mean models of the attacker destroyed"),
)
_PERCENTILES = (
    ("models_destroyed_10th_percentile", "Models destroyed, 10th percentile"),
    ("models_destroyed_90th_percentile", "Models destroyed, 90th percentile"),
)


def said(chance: Estimate) -> str:
    """A probability that stands alone: an exact one says so."""
    return f"{chance} exact" if chance.low is None else str(chance)


def _building(results: Sequence[Result]) -> list[list[str]]:
    name = "p_building_wrecked"
    if name not in results[0].summary:
        return []
    figures = [result.summary for result in results]
    chances = [Estimate(each[name], each.get(f"{name}_low"), each.get(f"{name}_high")) for each in figures]
    return [["P(building wrecked)", *map(said, chances)]]


def _mean(results: Sequence[Result], name: str, label: str) -> list[str]:
    return [label, *(with_error(result.summary, name) for result in results)]


def with_error(figures: dict[str, Any], name: str) -> str:
    """A mean as a table shows it: with half its 95% interval, if it was sampled."""
    error = figures.get(f"{name}_standard_error")
    if not error:
        return f"{figures[name]:.3f}"
    return plus_minus(figures[name], NORMAL_95 * error)


def _victory_points(result: Result) -> str:
    points = result.expected_victory_points
    return "no rating known" if points is None else f"{points:.2f}"


def _lists(result: Result) -> list[list[str]]:
    blocks = [
        [f"{title}: {', '.join(names) or 'none'}"]
        for title, names in (("Special rules applied", result.applied), ("Not modelled", result.not_modelled))
    ]
    if result.warnings:
        blocks.append([f"Warning: {warning}" for warning in result.warnings])
    return blocks


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "die", "dice"), counted(12, "die", "dice"), counted(2, "unit")
    ('1 die', '12 dice', '2 units')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def attack_csv(results: Sequence[Result]) -> str:
    """The outcome tables as CSV; of two methods one below the other, told apart by a column `method`."""
    tables = [(result.method, result.table()) for result in results]
    names = list(dict.fromkeys(name for _, table in tables for name in table))
    head = ["method", *names] if len(results) > 1 else names
    rows: list[list[Any]] = []
    for method, table in tables:
        length = len(table["probability"])
        columns = [table[name].tolist() if name in table else [""] * length for name in names]
        rows += [[method, *row] if len(results) > 1 else list(row) for row in zip(*columns)]
    return csv_text(head, rows)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """`rows` under `head` as CSV; numbers with every digit that they have."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return buffer.getvalue()


UNIT_COLUMNS = ("selector", "name", "type", "category", "models", "points", "victory_points", "rows")


def unit_record(loadout: Loadout) -> dict[str, Any]:
    """A loadout as ``analyser units --format json`` shows it."""
    unit, level = loadout.unit, loadout.level
    return {
        "selector": loadout.selector,
        "name": unit.name,
        "type": unit.type,
        "category": unit.category,
        "models": level.models,
        "points": level.points,
        "victory_points": level.victory_points,
        "rows": [row.id for row in unit.rows],
    }


def units_csv(loadouts: Sequence[Loadout]) -> str:
    """One line a loadout; the row ids with a space between them."""
    records = map(unit_record, loadouts)
    return csv_text(UNIT_COLUMNS, ([*list(each.values())[:-1], " ".join(each["rows"])] for each in records))


def units_text(loadouts: Sequence[Loadout]) -> str:
    """One line a loadout, for a terminal."""
    lines = [["selector", "type", "models", "points", "VP", "rows"]]
    for record in map(unit_record, loadouts):
        numbers = ("" if record[key] is None else str(record[key]) for key in ("models", "points", "victory_points"))
        lines.append([record["selector"], record["type"], *numbers, " ".join(record["rows"])])
    return "\n".join(aligned(lines, "<<>>><")) + "\n"


def import_text(report: ImportReport) -> str:
    """The warnings of an import, file by file and unit by unit, then what was made of it."""
    lines: list[str] = []
    file = None
    for warning in report.warnings:
        if warning.file != file:
            file = warning.file
            lines.append(f"{file}:")
        unit = f"{warning.unit}: " if warning.unit else ""
        lines.append(f"  {unit}{warning.value!r}: {warning.doubt}")
    lines += ([""] if lines else []) + [_import_summary(report)]
    return "\n".join(lines) + "\n"


def _import_summary(report: ImportReport) -> str:
    counts = ", ".join(
        (
            counted(len(report.factions), "faction"),
            counted(report.n_units, "unit"),
            counted(report.n_levels, "reinforcement level"),
            counted(report.n_rows, "row"),
            counted(len(report.warnings), "warning"),
        )
    )
    return f"{counts}; written: {', '.join(map(str, report.written)) or 'nothing'}"
