"""The command that compares whole armies: ``report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli.answer import check_places, write
from analyser.cli.completion import complete_metric, complete_row, complete_selector, complete_situations
from analyser.cli.options import AT_LEAST_1, FILE, FORMAT, OUT, PROFILES, QUIET_OPTION, THREADS, Names, Option
from analyser.cli.shell import Command, given_in, profiles_in, progress_bar

_WHO = "Selector with wildcards, such as 'crown/*'."
_NAMES = "Names with commas between them. Default: all."
SITUATIONS = Option("--situations NAMES", _NAMES, type=Names(), shell_complete=complete_situations)
_HEATMAPS, _CHANGED = "What the heatmaps show; can be repeated.", "Default: the probability that changed most."
REPORT_OPTIONS = [
    Option("--attackers PATTERN", _WHO, required=True, shell_complete=complete_selector),
    Option("--defenders PATTERN", _WHO, required=True, shell_complete=complete_selector),
    SITUATIONS,
    Option("--row NAME", "The row to fire. Default: each time the best.", shell_complete=complete_row),
    Option("--metric NAME", _HEATMAPS, dest="metrics", multiple=True, shell_complete=complete_metric),
    THREADS,
    PROFILES,
    Option("--out DIR", "Folder for tables, pictures and the page.", type=FILE, required=True),
    QUIET_OPTION,
]
DIFF_OPTIONS = [
    Option("--attackers PATTERN", f"{_WHO} Default: everybody.", shell_complete=complete_selector),
    Option("--defenders PATTERN", f"{_WHO} Default: everybody.", shell_complete=complete_selector),
    SITUATIONS,
    Option("--metric NAME", _CHANGED, shell_complete=complete_metric),
    Option("--limit N", "Matchups in the text.", type=AT_LEAST_1, default=20, show_default=True),
    Option("--fail-over X", "Exit with 1 if any changed by more than X.", type=click.FloatRange(0)),
    FORMAT,
    OUT,
    QUIET_OPTION,
]


@click.command(cls=Command, params=REPORT_OPTIONS)
def report(out: str, profiles: str | None, **options: Any) -> None:
    """Every attacker against every defender: tables, heatmaps, balance, and a page that shows them.

    A run that is stopped goes on where it was when it is started again with the same arguments.
    """
    given = given_in(options)
    try:
        from analyser.report import write_report

        with progress_bar() as progress:
            written = write_report(out=out, profiles=profiles_in(profiles), progress=progress, **given)
    except KeyboardInterrupt:
        from analyser.report.folder import work_folder

        kept = work_folder(Path(out).resolve()).exists()
        said = "what is finished is kept, and the same command goes on from there" if kept else "nothing was finished"
        click.echo(f"stopped: {said}", err=True)
        raise
    click.echo(f"The report is in {written}")


CHANGED_TOO_MUCH = 1  # the exit status of --fail-over; 2 stays that of an input that cannot be used


@click.command(cls=Command, params=DIFF_OPTIONS)
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.pass_context
def diff(context: click.Context, /, old: str, new: str, limit: int, fail_over: float | None, **options: Any) -> None:
    """What changed from OLD to NEW, profile folders or reports, and what it did to every matchup, worst first."""
    from analyser.report.diff import diff as found_between
    from analyser.report.diff import diff_record, diff_rows, diff_text, over_said
    from analyser.results.rendering import Shown

    check_places()
    given = given_in({name: options[name] for name in ("attackers", "defenders", "situations", "metric")})
    with progress_bar("attackers", after=1.0) as progress:
        found = found_between(old, new, progress=progress, **given)
    write(Shown(lambda: diff_text(found, limit), lambda: diff_record(found), lambda: diff_rows(found)))
    if fail_over is not None and found.worst > fail_over:
        click.echo(over_said(found, fail_over), err=True)
        context.exit(CHANGED_TOO_MUCH)
