"""A faction as a profile file: TOML that a person can read, and correct by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import tomlkit
from tomlkit.items import Array, InlineTable, Table

from analyser.game.units import Faction, Row, Unit


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
    document = tomlkit.document()
    document.update({"format": faction.format, "id": faction.id, "name": faction.name})
    if faction.source:
        document["source"] = faction.source
    if faction.units:
        units = tomlkit.aot()
        for unit in faction.units:
            units.append(_unit(unit))
        document["unit"] = units
    return tomlkit.dumps(document)


def _unit(unit: Unit) -> Table:
    table = tomlkit.table()
    _fill(table, unit.model_dump(exclude={"levels", "rows"}))
    levels = tomlkit.table()
    for name, level in unit.levels.items():
        levels[name] = _inline(level.model_dump())
    table["levels"] = levels
    if unit.rows:
        rows = tomlkit.aot()
        for row in unit.rows:
            rows.append(_row(row))
        table["rows"] = rows
    return table


def _row(row: Row) -> Table:
    table = tomlkit.table()
    _fill(table, row.model_dump(exclude={"bands", "qualities"}))
    table["bands"] = _array(_inline(band.model_dump()) for band in row.bands)
    _fill(table, {"qualities": row.qualities})
    return table


def _fill(table: Table, values: Mapping[str, Any]) -> None:
    """Put `values` into `table`, without those that say nothing."""
    for key, value in values.items():
        if isinstance(value, tuple):
            if value:
                table[key] = _array(value)
        elif value is not None:
            table[key] = _plain(value)


def _inline(values: Mapping[str, Any]) -> InlineTable:
    table = tomlkit.inline_table()
    table.update({key: _plain(value) for key, value in values.items() if value is not None})
    return table


def _array(values: Iterable[Any]) -> Array:
    array = tomlkit.array()
    array.extend(values)
    return array


def _plain(value: Any) -> Any:
    """Whole inches without a decimal point, as the cards print them."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
