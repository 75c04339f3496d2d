"""The commands about profiles: ``units`` and ``import``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.options import FORMAT, PROFILES, QUIET_OPTION, Option
from analyser.cli.shell import Command, json_text, profiles_in, show

if TYPE_CHECKING:
    from analyser.game.units import Loadout


@click.command(
    cls=Command,
    params=[
        Option("--faction", metavar="NAME", help="Only this one; case and unambiguous shortening are forgiven."),
        PROFILES,
        FORMAT,
        QUIET_OPTION,
    ],
)
def units(faction: str | None, profiles: str | None, form: str) -> None:
    """The units that there are, at each reinforcement level."""
    from analyser.game.profiles import load_profiles

    library = profiles_in(profiles) or load_profiles()
    wanted = None if faction is None else library.faction(faction).id
    loadouts = [each for each in library if wanted in (None, each.faction)]
    if form == "json":
        show(json_text([unit_record(each, str(library.used)) for each in loadouts]))
    else:
        show((units_csv if form == "csv" else units_text)(loadouts, str(library.used)))


@click.command(cls=Command, name="import")
@click.argument("files", nargs=-1, required=True)
@click.option("--out", metavar="DIR", required=True, help="Folder that gets one profile file a faction.")
@click.option("--replace", is_flag=True, help="Replace profile files that are there already.")
def import_command(files: tuple[str, ...], out: str, replace: bool) -> None:
    """Make profiles of BattleScribe data: .cat and .gst, also zipped (.catz, .gstz)."""
    from analyser.importers.battlescribe import import_files, import_text

    show(import_text(import_files(files, out=out, replace=replace)))


UNIT_COLUMNS = ("selector", "name", "type", "category", "models", "points", "victory_points", "profiles", "rows")


def unit_record(loadout: Loadout, used: str) -> dict[str, Any]:
    """A loadout as ``analyser units --format json`` shows it; `used` says which profiles it is of."""
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


def units_csv(loadouts: Sequence[Loadout], used: str) -> str:
    """One line a loadout; the row ids with a space between them."""
    from analyser.common.text import csv_text

    records = [unit_record(each, used) for each in loadouts]
    return csv_text(UNIT_COLUMNS, ([*list(each.values())[:-1], " ".join(each["rows"])] for each in records))


def units_text(loadouts: Sequence[Loadout], used: str) -> str:
    """One line a loadout, for a terminal; below them which profiles they are of."""
    from analyser.common.text import aligned

    lines = [["selector", "type", "models", "points", "VP", "rows"]]
    for record in (unit_record(each, used) for each in loadouts):
        numbers = ("" if record[key] is None else str(record[key]) for key in ("models", "points", "victory_points"))
        lines.append([record["selector"], record["type"], *numbers, " ".join(record["rows"])])
    return "\n".join([*aligned(lines, "<<>>><"), "", f"Profiles: {used}"]) + "\n"
