"""The commands about profiles: ``units`` and ``import``."""

from __future__ import annotations

import click

from analyser.cli.shell import FORMAT, PROFILES, Command, json_text, profiles_in, show


@click.command(cls=Command)
@click.option("--faction", metavar="NAME", help="Only this one; case and unambiguous shortening are forgiven.")
@PROFILES
@FORMAT
def units(faction: str | None, profiles: str | None, form: str) -> None:
    """The units that there are, at each reinforcement level."""
    from analyser.profiles import load_profiles
    from analyser.tables import unit_record, units_csv, units_text

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
    from analyser.importers.battlescribe import import_files
    from analyser.importers.text import import_text

    show(import_text(import_files(files, out=out, replace=replace)))
