"""Filters of a store: each filters a column by a value, several values, a pair (from, to), or wildcards."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.sweep.plan import Plan

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_NAMED = 8


def filter_of(plan: Plan, schema: pa.Schema, where: Mapping[str, Any]) -> Any:
    """Return the filter `where` as a pyarrow expression on the columns of a store; None if the filter is empty."""
    import pyarrow.dataset as pads

    expression = None
    for name, value in where.items():
        column = pads.field(name)
        if isinstance(value, tuple):
            least, most = _range_ends(schema, name, value)
            condition = (column >= least) & (column <= most)
        else:
            condition = column.isin(_column_array(schema, name, matching_values(plan, name, value)))
        expression = condition if expression is None else expression & condition
    return expression


def _names_by_column(plan: Plan) -> dict[str, list[str]]:
    """Return the possible values of each column that holds names."""
    attackers = [loadout.selector for loadouts in plan.attackers.values() for loadout in loadouts]
    return {
        "ruleset": list(plan.rulesets),
        "situation": [situation.name for situation in plan.situations],
        "attacker": attackers,
        "defender": [loadout.selector for loadout in plan.defenders],
        "faction": list(plan.attackers),
    }


def identifying_columns(plan: Plan) -> list[str]:
    """Return the columns that together identify a cell: all with more than one value in the plan."""
    sizes = {name: len(names) for name, names in _names_by_column(plan).items() if name != "faction"}
    for name, side in plan.file.sides:
        sizes |= {f"{name.removesuffix('s')}_{number.column}": len(number.values) for number in side.numbers}
    return [name for name, size in sizes.items() if size > 1]


def selects_one(plan: Plan, name: str, value: Any) -> bool:
    """Return True if a filter selects exactly one value of a column."""
    return not isinstance(value, tuple) and len(matching_values(plan, name, value)) == 1


def filter_in_words(value: Any) -> str:
    """Return the filter of one column in words."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return str(value)
    return (" to " if isinstance(value, tuple) else ", ").join(map(str, value))


def matching_values(plan: Plan, name: str, value: Any) -> list[Any]:
    """Return the values of a filter, with wildcards replaced by the matching names; InputError if no name matches."""
    values = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
    return [match for single in values for match in _matching(plan, name, single)]


def _matching(plan: Plan, name: str, value: Any) -> list[Any]:
    if not isinstance(value, str):
        return [value]
    names = _names_by_column(plan).get(name)
    if names is None:
        if any(sign in value for sign in "*?["):
            raise InputError(f"{shown(value)} has wildcards", where=name, allowed="values, or a pair (from, to)")
        return [value]
    if matches := fnmatch.filter(names, value):
        return matches
    has_levels = any(other.partition("@")[0] == value for other in names)
    hint = f"; {value}@* selects all its levels" if has_levels else did_you_mean(value, names)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    allowed = f"{', '.join(names[:_MOST_NAMED])}{more}"
    raise InputError(f"no {name} matches {shown(value)}{hint}", where=name, allowed=allowed)


def _range_ends(schema: pa.Schema, name: str, value: tuple[Any, ...]) -> pa.Array:
    if len(value) != 2:
        raise InputError(f"{shown(value)} is not a pair", where=name, allowed="(from, to)")
    ends = _column_array(schema, name, value)
    if ends[0].as_py() > ends[1].as_py():
        raise InputError(f"{shown(value)} ends before it begins", where=name, allowed="(from, to)")
    return ends


def _column_array(schema: pa.Schema, name: str, values: Sequence[Any]) -> pa.Array:
    """Return values as an array with the type of a column."""
    import pyarrow as pa

    kind = schema.field(name).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, TypeError) as error:
        problem = f"{', '.join(map(shown, values))} is not a value of this column"
        raise InputError(problem, where=name, allowed=f"values of type {kind}") from error
