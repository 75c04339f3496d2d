"""The commands about profiles: ``units``, ``card`` and ``import``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from analyser.cli.answer import check_places, write
from analyser.cli.completion import complete_units
from analyser.cli.options import FILE, FORMAT, OUT, PROFILES, QUIET_OPTION, Option
from analyser.cli.shell import Command, profiles_in
from analyser.common.errors import InputError, did_you_mean, shown

if TYPE_CHECKING:
    from analyser.game.profiles import Profiles, ProfilesUsed
    from analyser.game.units import Faction, Loadout, Row, Unit


_FACTION = "Only this one; case and unambiguous shortening are forgiven."


@click.command(cls=Command, params=[Option("--faction NAME", _FACTION), PROFILES, FORMAT, OUT, QUIET_OPTION])
@click.argument("which", required=False, shell_complete=complete_units)
def units(which: str | None, faction: str | None, profiles: str | None, **_: Any) -> None:
    """The units that there are, at each reinforcement level.

    WHICH is a faction, a selector with wildcards such as '*/*@basic', or a part of one.
    """
    from analyser.results.rendering import Shown

    check_places()
    library = _library(profiles)
    found = _those(library, which) if which else list(library)
    if faction is not None:
        wanted = library.faction(faction).id
        found = [each for each in found if each.faction == wanted]
    records = [_unit_record(each, str(library.used)) for each in found]
    rows = [{**record, "rows": " ".join(record["rows"])} for record in records]
    write(Shown(lambda: _units_text(rows, str(library.used)), lambda: records, lambda: rows))


def _library(folder: str | None) -> Profiles:
    from analyser.game.profiles import load_profiles

    return profiles_in(folder) or load_profiles()


def _those(library: Profiles, which: str) -> list[Loadout]:
    """The loadouts that a faction, a selector with wildcards or a part of a selector means."""
    if any(mark in which for mark in "*?["):
        return library.matching(which)
    part = "-".join(which.casefold().replace("_", " ").split())
    factions = [each for each in library.factions if each.startswith(part)]
    found = [each for each in library if each.faction in factions or part in each.selector]
    if not found:
        names = [*library.factions, *(each.unit.id for each in library)]
        problem = f"no faction and no unit is called {shown(which)}{did_you_mean(part, names)}"
        raise InputError(problem, allowed=f"{', '.join(library.factions)}, a unit, or wildcards such as '*/*@basic'")
    return found


def _unit_record(loadout: Loadout, used: str) -> dict[str, Any]:
    unit, level = loadout.unit, loadout.level
    return {
        "selector": loadout.selector,
        "name": unit.name,
        "type": unit.type,
        "category": unit.category,
        "models": level.models,
        "points": level.points,
        "victory_points": level.victory_points,
        "profiles": used,
        "rows": [row.id for row in unit.rows],
    }


def _units_text(rows: Sequence[dict[str, Any]], used: str) -> str:
    """One line a loadout; below them which profiles they are of."""
    from analyser.common.text import aligned

    keys = ("selector", "type", "models", "points", "victory_points", "rows")
    lines = [["" if row[key] is None else str(row[key]) for key in keys] for row in rows]
    heads = ["selector", "type", "models", "points", "VP", "rows"]
    return "\n".join([*aligned([heads, *lines], "<<>>><"), "", f"Profiles: {used}"]) + "\n"


@click.command(cls=Command, params=[PROFILES, FORMAT, OUT, QUIET_OPTION])
@click.argument("unit", shell_complete=complete_units)
def card(unit: str, profiles: str | None, **_: Any) -> None:
    """UNIT as its army list prints it: numbers, special rules, levels, armaments. A selector, with or without level."""
    from analyser.results.rendering import Shown

    check_places()
    library = _library(profiles)
    found = Card(*library.unit(unit), library.used)
    write(Shown(found.text, found.record, found.rows))


class Card(NamedTuple):
    """A unit as its army list prints it (AC-2.1 to AC-2.3)."""

    faction: Faction
    unit: Unit
    used: ProfilesUsed

    @property
    def selector(self) -> str:
        """Without a level."""
        return f"{self.faction.id}/{self.unit.id}"

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {"selector": self.selector, **self.unit.model_dump(mode="json"), "profiles": self.used._asdict()}

    def rows(self) -> list[dict[str, Any]]:
        """One for each number of dice: the row of the armaments grid and the models (or damage) that roll them."""
        return [
            {"selector": self.selector, "row": row.id, "kind": row.kind, "against": " ".join(row.against),
             "short_range": row.short_range, "long_range": row.long_range,
             "qualities": ", ".join(map(str, row.qualities)), **band.model_dump(), "profiles": str(self.used)}
            for row in self.unit.rows
            for band in row.bands
        ]  # fmt: skip

    def text(self) -> str:
        """For a terminal."""
        from analyser.common.text import aligned

        unit = self.unit
        numbers = {
            "SIZE": unit.size, "SPEED": unit.speed, "DEFENCE": unit.defence, "DAMAGE LIMIT": unit.damage_limit,
            "DISCIPLINE": unit.discipline, "BREAK LIMIT": unit.break_limit,
        }  # fmt: skip
        levels = [
            [name, *("" if each is None else str(each) for each in (level.models, level.points, level.victory_points))]
            for name, level in unit.levels.items()
        ]
        blocks = [
            [f"{unit.name}  {self.selector}"],
            [
                ", ".join([unit.type, *unit.traits, f"{unit.category} target"]),
                ", ".join(f"{name} {value:g}" for name, value in numbers.items() if value is not None),
                f"Special rules: {', '.join(map(str, unit.rules)) or 'none'}",
            ],
            aligned([["level", "models", "points", "VP"], *levels], "<>"),
            aligned(self._grid(), "<<>" + ">" * len(self._bands()) + "<") if unit.rows else ["No armaments."],
            [f"Profiles: {self.used}"],
        ]
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"

    def _bands(self) -> list[tuple[int, int]]:
        """Each range of models (or damage) that some row has dice for."""
        return sorted({(band.first, band.last) for row in self.unit.rows for band in row.bands})

    def _grid(self) -> list[list[str]]:
        """The armaments grid."""
        counted = "damage" if "behemoth" in self.unit.traits else "models"
        heads = [f"{first}-{last}" if first < last else str(first) for first, last in self._bands()]
        if heads:
            heads[0] = f"{counted} {heads[0]}"
        return [["row", "against", "range", *heads, "qualities"], *map(self._line, self.unit.rows)]

    def _line(self, row: Row) -> list[str]:
        dice = {
            (band.first, band.last): f"{band.dice}" if band.special is None else f"{band.dice} ({band.special})"
            for band in row.bands
        }
        reach = "/".join(f'{each:g}"' for each in (row.short_range, row.long_range) if each is not None)
        bands = [dice.get(each, "") for each in self._bands()]
        return [row.id, " ".join(row.against), reach, *bands, ", ".join(map(str, row.qualities))]


_FOLDER = "Folder that gets one profile file a faction."
_REPLACE = Option("--replace", "Replace profile files that are there already.")


@click.command("import", cls=Command, params=[Option("--out DIR", _FOLDER, type=FILE, required=True), _REPLACE])
@click.argument("files", nargs=-1, required=True, type=FILE)
def import_command(files: tuple[str, ...], out: str, replace: bool) -> None:
    """Make profiles of BattleScribe data: .cat and .gst, also zipped (.catz, .gstz)."""
    from analyser.importers.battlescribe import import_files, import_text

    click.echo(import_text(import_files(files, out=out, replace=replace)), nl=False)
