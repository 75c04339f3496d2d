"""An attack's answer for a terminal, or as CSV: a pure function of results, nothing printed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analyser.estimates import Estimate
from analyser.tables import (
    NEGLIGIBLE,
    aligned,
    counted,
    csv_text,
    points_said,
    rating_said,
    said,
    shown_range,
    with_error,
)

if TYPE_CHECKING:
    from analyser.results.result import Result

ALWAYS_SHOWN = ("suppressed", "broken", "annihilated")
SHOWN_IF_POSSIBLE = ("disordered", "activated", "fell_back", "fled")


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
    return f"{counted(conditions['dice'], 'die', 'dice')}{card}, {rating_said(conditions, ' rating')}"


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
    rows.append(["Expected victory points", *(points_said(result.summary, _POINTS) for result in results)])
    if len(results) > 1:
        rows.insert(0, ["", *map(method_name, results)])
    return aligned(rows, "<")


_MEANS = (
    ("mean_hits", "Mean hits"),
    ("mean_models_destroyed", "Mean models destroyed"),
    ("mean_damage_left", "Mean damage left on the target"),
    ("mean_attacker_models_destroyed", "Mean models of the attacker destroyed"),
)
_POINTS = "expected_victory_points"
_PERCENTILES = (
    ("models_destroyed_10th_percentile", "Models destroyed, 10th percentile"),
    ("models_destroyed_90th_percentile", "Models destroyed, 90th percentile"),
)


def _building(results: Sequence[Result]) -> list[list[str]]:
    name = "p_building_wrecked"
    if name not in results[0].summary:
        return []
    figures = [result.summary for result in results]
    chances = [Estimate(each[name], each.get(f"{name}_low"), each.get(f"{name}_high")) for each in figures]
    return [["P(building wrecked)", *map(said, chances)]]


def _mean(results: Sequence[Result], name: str, label: str) -> list[str]:
    return [label, *(with_error(result.summary, name) for result in results)]


def _lists(result: Result) -> list[list[str]]:
    blocks = [[f"Special rules applied: {', '.join(result.applied) or 'none'}"]]
    blocks += [[f"Not used: {'; '.join(result.not_used)}"]] if result.not_used else []
    blocks.append([f"Not modelled: {', '.join(result.not_modelled) or 'none'}"])
    if result.scenario.profiles is not None:
        blocks.append([f"Profiles: {result.scenario.profiles}"])
    if result.warnings:
        blocks.append([f"Warning: {warning}" for warning in result.warnings])
    return blocks


def attack_csv(results: Sequence[Result]) -> str:
    """The outcome tables as CSV, and which profiles they come from.

    Of two methods one below the other, told apart by a column `method`.
    """
    tables = [(result.method, result.table()) for result in results]
    names = list(dict.fromkeys(name for _, table in tables for name in table))
    head = ["method", *names] if len(results) > 1 else names
    rows: list[list[Any]] = []
    for method, table in tables:
        length = len(table["probability"])
        columns = [table[name].tolist() if name in table else [""] * length for name in names]
        rows += [[method, *row] if len(results) > 1 else list(row) for row in zip(*columns)]
    used = results[0].scenario.profiles
    return csv_text([*head, "profiles"], ([*row, "" if used is None else str(used)] for row in rows))
