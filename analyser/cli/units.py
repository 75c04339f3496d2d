"""Commands for profiles: list units, show one in full, and import data."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.answer import profiles_in_use, write
from analyser.cli.command_base import command
from analyser.cli.option_base import Option, complete_unit_name
from analyser.cli.options import output
from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.text import aligned

if TYPE_CHECKING:
    from analyser.game.profiles import Profiles
    from analyser.game.units import Loadout, Unit

WIDTH = 80  # characters in a line of a list
_OUTPUT = output(ruleset=False, plot=False)


@command("[WHICH]", *_OUTPUT, examples=("crown", "'crown/*@basic' --format csv"))
def units_list(which: str | None = None) -> None:
    """List the units at each reinforcement level.

    WHICH is a faction, a selector with wildcards such as '*/*@basic', or part of a name.
    """
    library = profiles_in_use()
    loadouts = _find_loadouts(library, which) if which else list(library)
    records: list[dict[str, Any]] = [
        {
            "selector": loadout.selector,
            **{key: getattr(loadout.unit, key) for key in ("name", "type", "category")},
            **{key: getattr(loadout.level, key) for key in ("models", "points", "victory_points")},
            "rows": [row.id for row in loadout.unit.rows],
        }
        for loadout in loadouts
    ]
    rows = [{**record, "rows": " ".join(record["rows"]), "profiles": str(library.used)} for record in records]
    keys = ("selector", "type", "models", "points", "victory_points", "rows")
    cells = [["" if row[key] is None else str(row[key]) for key in keys] for row in rows]
    lines = aligned([["selector", "type", "models", "points", "VP", "rows"], *cells], "<<>>><")
    whole = {"schema": "analyser/units/1", "profiles": library.used.as_dict(), "units": records}
    write(lambda: "\n".join([*lines, "", f"Profiles: {library.used}\n"]), lambda: whole, lambda: rows)


def _find_loadouts(library: Profiles, which: str) -> list[Loadout]:
    """Return the loadouts selected by the start of a faction, a selector with wildcards, or part of a selector."""
    if any(mark in which for mark in "*?["):
        return library.matching(which)
    part = "-".join(which.casefold().replace("_", " ").split())
    factions = [faction for faction in library.factions if faction.startswith(part)]
    loadouts = [loadout for loadout in library if loadout.faction in factions or part in loadout.selector]
    if not loadouts:
        names = [*library.factions, *(loadout.unit.id for loadout in library)]
        problem = f"no faction and no unit is called {shown(which)}{did_you_mean(part, names)}"
        raise InputError(problem, allowed=f"{', '.join(library.factions)}, a unit, or wildcards such as '*/*@basic'")
    return loadouts


_UNIT = click.Argument(["unit"], shell_complete=complete_unit_name)


@command("", _UNIT, *_OUTPUT, examples=("crown/rifle-platoon", "rifle-platoon --format json"))
def units_card(unit: str) -> None:
    """Show one UNIT as on its card: numbers, special rules, levels, armaments."""
    library = profiles_in_use()
    faction, result = library.unit(unit)
    selector, used = f"{faction.id}/{result.id}", library.used
    write(
        lambda: _card_text(result, selector, str(used)),
        lambda: {"schema": "analyser/unit/1", "selector": selector, **result.record(), "profiles": used.as_dict()},
        lambda: _card_rows(result, selector, str(used)),
    )


def _card_rows(unit: Unit, selector: str, profiles_text: str) -> list[dict[str, Any]]:
    """Return a record for each row of armaments and each band (a range of models, or of a behemoth's damage)."""
    return [
        {
            "selector": selector,
            **row.model_dump(include={"id", "kind", "short_range", "long_range"}),
            "against": " ".join(row.against),
            **band.model_dump(),
            "qualities": ", ".join(row.qualities),
            "profiles": profiles_text,
        }
        for row in unit.rows
        for band in row.bands
    ]


def _heading(key: str) -> str:
    return key.replace("_", " ").upper()


def _card_text(unit: Unit, selector: str, profiles_text: str) -> str:
    from analyser.game.units import KEYS_BY_LEVEL

    differing = unit.level_keys
    numbers = {_heading(key): getattr(unit, key) for key in KEYS_BY_LEVEL if key not in differing}
    head = [
        ", ".join([unit.type, *unit.traits, f"{unit.category} target"]),
        ", ".join(f"{name} {value:g}" for name, value in numbers.items() if value is not None),
        fill(f"Special rules: {', '.join(unit.rules) or 'none'}", WIDTH),
    ]
    if battlegroups := [f"{name} ({allowed.limits_in_words})" for name, allowed in unit.battlegroups.items()]:
        head.append(fill(f"Battlegroups: {', '.join(battlegroups)}", WIDTH, break_on_hyphens=False))
    levels = [["level", "models", "points", "VP", *map(_heading, differing)]]
    for name, level in unit.levels.items():
        cells = (level.models, level.points, level.victory_points, *(level.number(key) for key in differing))
        levels.append([name, *("" if cell is None else f"{cell:g}" for cell in cells)])
    title, *lines = aligned(_grid(unit), "<<>")
    grid = [title] if lines else []
    for row, line in zip(unit.rows, lines):
        qualities = fill(", ".join(row.qualities), WIDTH, initial_indent="  ", subsequent_indent="  ")
        grid += filter(None, (line, qualities))
    blocks = [[f"{unit.name}  {selector}"], head, aligned(levels, "<>"), grid, [f"Profiles: {profiles_text}"]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _grid(unit: Unit) -> list[list[str]]:
    bands = sorted((band.first, band.last, band.heading) for row in unit.rows for band in row.bands)
    headings = list(dict.fromkeys(heading for _, _, heading in bands))
    noun = "damage" if "behemoth" in unit.traits else "models"
    cells = [["row", "against", "range", *(f"{noun} {head}" if head == headings[0] else head for head in headings)]]
    for row in unit.rows:
        dice = {band.heading: band.cell for band in row.bands}
        cells.append([row.id, " ".join(row.against), row.ranges, *(dice.get(heading, "") for heading in headings)])
    return cells


@command(
    "FILES...",
    Option("--out DIR", "Folder for the profiles, one file for each faction.", required=True),
    Option("--replace", "Replace existing profile files."),
    examples=("Crown.cat --out my-profiles", "*.cat *.gst --out my-profiles --replace"),
)
def units_import(files: tuple[str, ...], out: str, replace: bool = False) -> None:
    """Make profiles from BattleScribe data: .cat and .gst, also zipped (.catz, .gstz)."""
    from analyser.game.importers.battlescribe import import_files

    click.echo(import_files(files, out=out, replace=replace), nl=False)
