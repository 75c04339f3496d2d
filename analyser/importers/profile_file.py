"""A faction as a profile file: TOML that a person can read, and correct by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from analyser.game.units import Faction


def to_toml(faction: Faction) -> str:
    """The text of the profile file of `faction`; loading it gives the same faction again.

    Examples
    --------
    >>> print(to_toml(Faction(format=1, id="crown", name="Crown")))
    format = 1
    id = "crown"
    name = "Crown"
    <BLANKLINE>
    """
    source = faction.source or None
    tables = [_lines({"format": faction.format, "id": faction.id, "name": faction.name, "source": source})]
    for unit in faction.units:
        tables.append("[[unit]]\n" + _lines(unit.model_dump(exclude={"levels", "rows"})))
        tables.append("[unit.levels]\n" + _lines({name: level.model_dump() for name, level in unit.levels.items()}))
        tables += ["[[unit.rows]]\n" + _lines(row.model_dump()) for row in unit.rows]
    return "\n".join(tables)


def _lines(values: Mapping[str, Any]) -> str:
    """One line a key, without those that say nothing."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in values.items() if value is not None and value != ())


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        parts = (f"{key} = {_value(part)}" for key, part in value.items() if part is not None)
        return f"{{{', '.join(parts)}}}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float) and value.is_integer():  # whole inches without a decimal point, as the cards print them
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)
