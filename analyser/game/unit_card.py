"""A unit as its army list prints it: numbers, special rules, levels, armaments grid (AC-2.1 to AC-2.3)."""

from __future__ import annotations

from textwrap import fill
from typing import Any, NamedTuple

from analyser.common.text import aligned
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.units import Faction, Unit

WIDTH = 80  # characters of a line, where lists are broken
NUMBERS = ("size", "speed", "defence", "damage_limit", "discipline", "break_limit")


class UnitCard(NamedTuple):
    """A unit for people (`str`), as plain data, or as a table."""

    faction: Faction
    unit: Unit
    profiles: ProfilesUsed

    @property
    def selector(self) -> str:
        """``faction/unit``, without a level."""
        return f"{self.faction.id}/{self.unit.id}"

    def as_dict(self) -> dict[str, Any]:
        """The unit as its profile file has it, with selector and profiles."""
        return {"selector": self.selector, **self.unit.model_dump(mode="json"), "profiles": self.profiles._asdict()}

    def rows(self) -> list[dict[str, Any]]:
        """The armaments grid: a row of it, and how many models (of a behemoth damage) roll how many dice."""
        return [
            {
                "selector": self.selector,
                **row.model_dump(include={"id", "kind", "short_range", "long_range"}),
                "against": " ".join(row.against),
                **band.model_dump(),
                "qualities": ", ".join(map(str, row.qualities)),
                "profiles": str(self.profiles),
            }
            for row in self.unit.rows
            for band in row.bands
        ]

    def __str__(self) -> str:
        """For a terminal."""
        unit = self.unit
        numbers = [(name.replace("_", " ").upper(), getattr(unit, name)) for name in NUMBERS]
        head = [
            ", ".join([unit.type, *unit.traits, f"{unit.category} target"]),
            ", ".join(f"{name} {value:g}" for name, value in numbers if value is not None),
            fill(f"Special rules: {', '.join(map(str, unit.rules)) or 'none'}", WIDTH),
        ]
        levels = [["level", "models", "points", "VP"]]
        for name, level in unit.levels.items():
            cells = (level.models, level.points, level.victory_points)
            levels.append([name, *("" if cell is None else str(cell) for cell in cells)])
        title, used = [f"{unit.name}  {self.selector}"], [f"Profiles: {self.profiles}"]
        blocks = [title, head, aligned(levels, "<>"), self._grid(), used]
        return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"

    def _grid(self) -> list[str]:
        """The armaments grid, the qualities of a row below it."""
        rows = self.unit.rows
        bands = sorted({(band.first, band.last) for row in rows for band in row.bands})
        heads = [f"{first}-{last}" if first < last else str(first) for first, last in bands]
        heads[:1] = [f"{'damage' if 'behemoth' in self.unit.traits else 'models'} {head}" for head in heads[:1]]
        cells = [["row", "against", "range", *heads]]
        for row in rows:
            dice = {(band.first, band.last): band.cell for band in row.bands}
            reach = "/".join(f'{each:g}"' for each in (row.short_range, row.long_range) if each is not None)
            cells.append([row.id, " ".join(row.against), reach, *(dice.get(band, "") for band in bands)])
        head, *lines = aligned(cells, "<<>")
        shown = [head] if rows else []
        for row, line in zip(rows, lines):
            qualities = fill(", ".join(map(str, row.qualities)), WIDTH, initial_indent="  ", subsequent_indent="  ")
            shown += filter(None, (line, qualities))
        return shown


def unit_card(selector: str, profiles: Profiles | None = None) -> UnitCard:
    """The card of the unit that `selector` means, whatever its level.

    Examples
    --------
    >>> print(unit_card("crown/drake-field-guns"))  # doctest: +ELLIPSIS
    Drake Field Guns  crown/drake-field-guns
    <BLANKLINE>
    field gun, light target
    SIZE 1, SPEED 4, DEFENCE 2, DAMAGE LIMIT 1, DISCIPLINE 5, BREAK LIMIT 1
    Special rules: Emplacement, Static
    <BLANKLINE>
    level          models  points  VP
    basic               4      70   2
    ...
    """
    library = profiles or Profiles()
    return UnitCard(*library.unit(selector), library.used)
