"""Filters of a store: by column a value, several, a pair (from, to), or names with wildcards."""

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
    """Return `where` as an expression of pyarrow on the columns of a store; None if it is empty."""
    import pyarrow.dataset as pads

    found = None
    for name, value in where.items():
        column = pads.field(name)
        if isinstance(value, tuple):
            least, most = _pair(schema, name, value)
            one = (column >= least) & (column <= most)
        else:
            one = column.isin(_of_column(schema, name, meant(plan, name, value)))
        found = one if found is None else found & one
    return found


def axes_of(plan: Plan) -> list[str]:
    """The columns of what differs between the cells of a plan."""
    attackers = [each for side in plan.attackers.values() for each in side]
    sizes = {
        "ruleset": len(plan.rulesets),
        "situation": len(plan.situations),
        "attacker": len(attackers),
        "defender": len(plan.defenders),
    }
    numbers = [
        (f"{name.removesuffix('s')}_{each.column}", len(each.values))
        for name, side in plan.file.sides
        for each in side.numbers
    ]
    return [name for name, size in (*sizes.items(), *numbers) if size > 1]


def is_one(plan: Plan, name: str, value: Any) -> bool:
    """Return True if a filter lets exactly one value of a column pass."""
    return not isinstance(value, tuple) and len(meant(plan, name, value)) == 1


def shown_filter(value: Any) -> str:
    """A filter of one column, for people."""
    if isinstance(value, tuple):
        return " to ".join(map(str, value))
    return str(value) if isinstance(value, str) or not isinstance(value, Sequence) else ", ".join(map(str, value))


def meant(plan: Plan, name: str, value: Any) -> list[Any]:
    """The values that a value, or each of several, means: of names those that fit it; InputError if none does."""
    values = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
    return [each for one in values for each in _meant(plan, name, one)]


def _meant(plan: Plan, name: str, value: Any) -> list[Any]:
    if not isinstance(value, str):
        return [value]
    known = {
        "attacker": [each.selector for side in plan.attackers.values() for each in side],
        "defender": [each.selector for each in plan.defenders],
        "faction": list(plan.attackers),
        "ruleset": list(plan.rulesets),
        "situation": [each.name for each in plan.situations],
    }.get(name)
    if known is None:
        if any(sign in value for sign in "*?["):
            raise InputError(f"{shown(value)} has wildcards", where=name, allowed="values, or a pair (from, to)")
        return [value]
    if found := fnmatch.filter(known, value):
        return found
    levels = [each for each in known if each.partition("@")[0] == value]
    hint = f": {levels[0].partition('@')[0]}@* are all its levels" if levels else did_you_mean(value, known)
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    raise InputError(
        f"no {name} fits {shown(value)}{hint}", where=name, allowed=f"{', '.join(known[:_MOST_NAMED])}{more}"
    )


def _pair(schema: pa.Schema, name: str, value: tuple[Any, ...]) -> pa.Array:
    if len(value) != 2:
        raise InputError(f"{shown(value)} is no pair", where=name, allowed="(from, to)")
    ends = _of_column(schema, name, value)
    if ends[0].as_py() > ends[1].as_py():
        raise InputError(f"{shown(value)} ends before it begins", where=name, allowed="(from, to)")
    return ends


def _of_column(schema: pa.Schema, name: str, values: Sequence[Any]) -> pa.Array:
    """Values to filter a column by, of its type."""
    import pyarrow as pa

    kind = schema.field(name).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, TypeError) as error:
        problem = f"{', '.join(map(shown, values))} cannot stand in this column"
        raise InputError(problem, where=name, allowed=f"values of type {kind}") from error
