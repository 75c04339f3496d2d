"""Answers about morale as text for a terminal, or as CSV: a pure function of results, nothing printed here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from analyser.estimates import NORMAL_95, Estimate, plus_minus
from analyser.morale.result import MoraleResult
from analyser.morale.systems import SYSTEMS
from analyser.tables import NEGLIGIBLE, aligned


def table_text(results: Sequence[MoraleResult]) -> str:
    """One question's answer by one method or by both, for a terminal."""
    first = results[0]
    blocks = [[f"{SYSTEMS[first.system].title}", *aligned(list(_stated(first)), "<")]]
    for result in results:
        blocks += [[f"{_title(name)} ({_method(result)})", *_rows(result, name)] for name in result.tables]
    for heading, entries in (
        ("Rules applied", first.applied), ("Not modelled", first.not_modelled), ("Warnings", first.warnings)
    ):  # fmt: skip
        if entries:
            blocks.append([heading, *(f"- {entry}" for entry in entries)])
    if first.profiles is not None:
        blocks.append([f"Profiles: {first.profiles}"])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _stated(result: MoraleResult) -> Iterator[tuple[str, str]]:
    """The question with its defaults, keys that say nothing left out."""
    question = result.question.model_dump(mode="json", exclude_none=True)
    ruleset = question.pop("ruleset")
    for key, value in question.items():
        if value not in ([], {}):
            yield _title(key), _shown(value)
    yield "Ruleset", _shown({key: value for key, value in ruleset.items() if not isinstance(value, dict)})
    for section, values in ruleset.items():
        if isinstance(values, dict):
            yield f"- {section.replace('_', ' ')}", _shown(values)


def _shown(value: Any) -> str:
    """A value as a file would say it."""
    if isinstance(value, dict) and "rows" in value:  # a unit of Armoured Clash
        return f"{value['unit'] or 'a unit of its own'}, {value['models']} models"
    if isinstance(value, dict):
        only = next(iter(value)) if len(value) == 1 else ""
        if only.isdecimal() and value[only] == 1.0:  # the law of one number
            return only
        return ", ".join(f"{key} = {_inside(inner)}" for key, inner in value.items() if inner not in (None, [], {}))
    if isinstance(value, list):
        return "; ".join(map(_shown, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _inside(value: Any) -> str:
    return f"({_shown(value)})" if isinstance(value, dict) else _shown(value)


def _title(name: str) -> str:
    return name[:1].upper() + name[1:].replace("_", " ")


def _method(result: MoraleResult) -> str:
    if result.trials is None:
        return "exact"
    return f"Monte Carlo, {result.trials:,} trials, seed {result.seed}, intervals at 95%"


def _rows(result: MoraleResult, name: str) -> list[str]:
    """The lines of one table; a long one without the rows that are as good as impossible."""
    table, columns = result.tables[name], result.columns[name]
    height = len(next(iter(columns.values())))
    shown = [row for row in range(height) if len(table.chances) != 1 or table.means or _likely(result, name, row)]
    rows = [[*map(_heading, table.keys), *map(_heading, table.chances), *map(_heading, table.means)]]
    for row in shown:
        keys = [str(columns[key][row]) for key in table.keys]
        chances = [str(_estimate(columns, key, row)) for key in table.chances]
        means = [_mean(columns, key, row) for key in table.means]
        rows.append([*keys, *chances, *means])
    sides = "".join("<" if isinstance(columns[key][0], str) else ">" for key in table.keys) + ">"
    lines = aligned(rows, sides, gap=" | ")
    return lines if len(shown) == height else [*lines, f"({height - len(shown)} rows below 0.01% are left out)"]


def _likely(result: MoraleResult, name: str, row: int) -> bool:
    return any(result.columns[name][key][row] >= NEGLIGIBLE for key in result.tables[name].chances)


def _heading(name: str) -> str:
    kind, _, rest = name.partition("_")
    what = rest.replace("_", " ")
    return f"P({what})" if kind == "p" else f"mean {what}" if kind == "mean" else name.replace("_", " ")


def _estimate(columns: dict[str, Any], name: str, row: int) -> Estimate:
    low, high = columns.get(f"{name}_low"), columns.get(f"{name}_high")
    if low is None or high is None:
        return Estimate(float(columns[name][row]))
    return Estimate(float(columns[name][row]), float(low[row]), float(high[row]))


def _mean(columns: dict[str, Any], name: str, row: int) -> str:
    value, error = float(columns[name][row]), columns.get(f"{name}_standard_error")
    return f"{value:.3f}" if error is None else plus_minus(value, NORMAL_95 * float(error[row]))


def csv_text(results: Sequence[MoraleResult]) -> str:
    """Every table in one, in long form: table, method, keys, measure, value, and the interval of a sample."""
    import pandas as pd

    found = pd.concat([_long(result, name) for result in results for name in result.tables])
    used = results[0].profiles
    return str(found.assign(profiles="" if used is None else str(used)).to_csv(index=False))


def _long(result: MoraleResult, name: str) -> Any:
    frame, table = result.to_frame(name), result.tables[name]
    parts = [] if table.chances or table.means else [frame]  # a table of words
    for measure in (*table.chances, *table.means):
        part = frame[list(table.keys)].assign(measure=measure, value=frame[measure])
        if not result.exact and measure in table.chances:
            part = part.assign(low=frame[f"{measure}_low"], high=frame[f"{measure}_high"])
        elif not result.exact:
            part = part.assign(standard_error=frame[f"{measure}_standard_error"])
        parts.append(part)
    import pandas as pd

    found = pd.concat(parts)
    found.insert(0, "table", name)
    found.insert(1, "method", result.method)
    return found
