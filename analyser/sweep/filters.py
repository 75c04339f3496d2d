"""Filters of a store: for each column a value, several values, a pair (from, to), or names with wildcards."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analyser.common import errors
from analyser.common.errors import InputError, did_you_mean
from analyser.sweep.plan import Plan

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_NAMED = 8


def filter_of(plan: Plan, schema: pa.Schema, where: Mapping[str, Any]) -> Any:
    """Return `where` as an expression of pyarrow on the columns of a store; None if it is empty."""
    import pyarrow.dataset as pads

    every = None
    for name, value in where.items():
        column = pads.field(name)
        if isinstance(value, tuple):
            least, most = _pair(schema, name, value)
            one = (column >= least) & (column <= most)
        else:
            one = column.isin(_of_column(schema, name, meant(plan, name, value)))
        every = one if every is None else every & one
    return every


def _names(plan: Plan) -> dict[str, list[str]]:
    """Return the possible values of the columns of a plan that hold names."""
    attackers = [loadout.selector for loadouts in plan.attackers.values() for loadout in loadouts]
    return {
        "ruleset": list(plan.rulesets),
        "situation": [situation.name for situation in plan.situations],
        "attacker": attackers,
        "defender": [loadout.selector for loadout in plan.defenders],
        "faction": list(plan.attackers),
    }


def axes_of(plan: Plan) -> list[str]:
    """Return the columns that identify a cell of a plan."""
    sizes = {name: len(names) for name, names in _names(plan).items() if name != "faction"}
    for name, side in plan.file.sides:
        sizes |= {f"{name.removesuffix('s')}_{number.column}": len(number.values) for number in side.numbers}
    return [name for name, size in sizes.items() if size > 1]


def is_one(plan: Plan, name: str, value: Any) -> bool:
    """Return True if a filter selects exactly one value of a column."""
    return not isinstance(value, tuple) and len(meant(plan, name, value)) == 1


def shown(value: Any) -> str:
    """Return a filter of one column in words."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return str(value)
    return (" to " if isinstance(value, tuple) else ", ").join(map(str, value))


def meant(plan: Plan, name: str, value: Any) -> list[Any]:
    """Return the values of a filter, with wildcards expanded to matching names; InputError if none match."""
    values = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
    return [fitting for one in values for fitting in _meant(plan, name, one)]


def _meant(plan: Plan, name: str, value: Any) -> list[Any]:
    if not isinstance(value, str):
        return [value]
    selectors = _names(plan).get(name)
    if selectors is None:
        if any(sign in value for sign in "*?["):
            raise InputError(f"{errors.shown(value)} has wildcards", where=name, allowed="values, or a pair (from, to)")
        return [value]
    if fitting := fnmatch.filter(selectors, value):
        return fitting
    has_levels = any(full.partition("@")[0] == value for full in selectors)
    hint = f": {value}@* are all its levels" if has_levels else did_you_mean(value, selectors)
    more = f" and {len(selectors) - _MOST_NAMED} more" if len(selectors) > _MOST_NAMED else ""
    allowed = f"{', '.join(selectors[:_MOST_NAMED])}{more}"
    raise InputError(f"no {name} fits {errors.shown(value)}{hint}", where=name, allowed=allowed)


def _pair(schema: pa.Schema, name: str, value: tuple[Any, ...]) -> pa.Array:
    if len(value) != 2:
        raise InputError(f"{errors.shown(value)} is not a pair", where=name, allowed="(from, to)")
    ends = _of_column(schema, name, value)
    if ends[0].as_py() > ends[1].as_py():
        raise InputError(f"{errors.shown(value)} ends before it begins", where=name, allowed="(from, to)")
    return ends


def _of_column(schema: pa.Schema, name: str, values: Sequence[Any]) -> pa.Array:
    """Return values as an array of the type of a column."""
    import pyarrow as pa

    kind = schema.field(name).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, TypeError) as error:
        problem = f"{', '.join(map(errors.shown, values))} is not a value of this column"
        raise InputError(problem, where=name, allowed=f"values of type {kind}") from error
