"""The commands of the verdict: what loadouts should cost, and what a change of one does."""

from __future__ import annotations

from typing import Any

import click

from analyser.cli.answer import write
from analyser.cli.options import OUTPUT_OPTIONS, PROFILES, QUIET_OPTION, THREADS, Option, complete_selector, names
from analyser.cli.shell import Command, given, profiles_in, progress_bar

FIELD = Option(
    "--against PATTERN", "The field, who meet each other too. Default: everybody.", shell_complete=complete_selector
)
SITUATIONS = Option("--situations NAMES", "Default: long-range,short-range-aimed,charge.", type=names)


@click.command(cls=Command, params=[FIELD, SITUATIONS, THREADS, *OUTPUT_OPTIONS])
@click.argument("units", nargs=-1, shell_complete=complete_selector)
def prices(units: tuple[str, ...], profiles: str | None, **keys: Any) -> None:
    """What UNITS should cost, how sure that is, and why: selectors with wildcards. Default: everybody."""
    from analyser.analysis.prices import EVERYBODY, fair_points

    how = given(keys, "against", "situations", "threads")
    with progress_bar() as progress:
        found = fair_points(units or EVERYBODY, profiles=profiles_in(profiles), progress=progress, **how)

    def rows() -> list[dict[str, Any]]:
        return [{**row, "profiles": str(found.profiles)} for row in found.as_dict()["loadouts"]]

    write(lambda: str(found), found.as_dict, rows, plot=found.plot)


SITE_OPTIONS = [
    Option("--add VERSION", "First write a report for each pair of factions into DIR/VERSION."),
    Option("--situations NAMES", "Of the reports that are added. Default: all.", type=names),
    THREADS,
    PROFILES,
    QUIET_OPTION,
]


@click.command(cls=Command, params=SITE_OPTIONS)
@click.argument("folder", metavar="DIR")
def site(folder: str, profiles: str | None, **keys: Any) -> None:
    """An index page over the reports in DIR: all pairs of factions, by version, and what changed since the last."""
    from analyser.report import write_site

    with progress_bar() as progress:
        written = write_site(folder, profiles=profiles_in(profiles), progress=progress, **given(keys))
    click.echo(f"The page is {written}")
