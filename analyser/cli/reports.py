"""The command that compares whole armies: ``report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli.answer import check_places, write
from analyser.cli.completion import complete_metric, complete_row, complete_selector, complete_situations
from analyser.cli.options import AT_LEAST_1, FORMAT, OUT, PROFILES, QUIET_OPTION, THREADS, Option
from analyser.cli.shell import Command, names_in, profiles_in, progress_bar, work_bar

ATTACKERS = Option(
    "--attackers", metavar="PATTERN", shell_complete=complete_selector,
    help="Selector with wildcards, such as 'crown/*'. Default: everybody.",
)  # fmt: skip
DEFENDERS = Option(
    "--defenders", metavar="PATTERN", shell_complete=complete_selector,
    help="Selector with wildcards, such as '*/*@basic'. Default: everybody.",
)  # fmt: skip
SITUATIONS = Option(
    "--situations", metavar="NAMES", shell_complete=complete_situations,
    help="Names with commas between them. Default: all.",
)  # fmt: skip
REPORT_OPTIONS = [
    ATTACKERS,
    DEFENDERS,
    SITUATIONS,
    Option("--row", metavar="NAME", shell_complete=complete_row, help="The row to fire. Default: each time the best."),
    Option(
        "--metric", "metrics", metavar="NAME", multiple=True, shell_complete=complete_metric,
        help="What the heatmaps show; can be repeated.",
    ),
    THREADS,
    PROFILES,
    Option("--out", metavar="DIR", type=click.Path(), required=True, help="Folder for tables, pictures and the page."),
    QUIET_OPTION,
]  # fmt: skip


@click.command(cls=Command, params=REPORT_OPTIONS)
def report(out: str, profiles: str | None, situations: str | None, metrics: tuple[str, ...], **options: Any) -> None:
    """Every attacker against every defender: tables, heatmaps, balance, and a page that shows them.

    A run that is stopped goes on where it was when it is started again with the same arguments.
    """
    for name in ("attackers", "defenders"):
        options[name] = options[name] or EVERYBODY
    if metrics:
        options["metrics"] = metrics
    try:
        from analyser.report import write_report

        with work_bar() as progress:
            written = write_report(
                situations=names_in(situations or ALL),
                out=out,
                profiles=profiles_in(profiles),
                progress=progress,
                **options,
            )
    except KeyboardInterrupt:
        from analyser.report.folder import work_folder

        kept = work_folder(Path(out).resolve()).exists()
        said = "what is finished is kept, and the same command goes on from there" if kept else "nothing was finished"
        click.echo(f"stopped: {said}", err=True)
        raise
    click.echo(f"The report is in {written}")


EVERYBODY, ALL = "*/*", "all"
CHANGED_TOO_MUCH = 1  # the exit status of --fail-over; 2 stays that of an input that cannot be used


DIFF_OPTIONS = [
    ATTACKERS,
    DEFENDERS,
    SITUATIONS,
    Option(
        "--metric", metavar="NAME", shell_complete=complete_metric,
        help="Default: the probability that changed most; and what points did.",
    ),
    Option("--limit", type=AT_LEAST_1, metavar="N", default=20, show_default=True, help="Matchups in the text."),
    Option("--fail-over", type=click.FloatRange(0), metavar="X", help="Exit with 1 if any changed by more than X."),
    FORMAT, OUT, QUIET_OPTION,
]  # fmt: skip


@click.command(cls=Command, params=DIFF_OPTIONS)
@click.argument("old", type=click.Path())
@click.argument("new", type=click.Path())
@click.pass_context
def diff(
    context: click.Context, /, old: str, new: str, attackers: str | None, defenders: str | None, situations: str | None,
    metric: str | None, limit: int, fail_over: float | None, **_: Any,
) -> None:  # fmt: skip
    """What changed from OLD to NEW, profile folders or reports, and what it did to every matchup, worst first."""
    from analyser.report.diff import diff as found_between
    from analyser.report.diff import diff_record, diff_rows, diff_text, over_said
    from analyser.results.rendering import Shown

    check_places()
    with progress_bar("attackers", after=1.0) as progress:
        found = found_between(
            old, new, attackers=attackers, defenders=defenders, situations=situations and names_in(situations),
            metric=metric,
            progress=progress,
        )  # fmt: skip
    write(Shown(lambda: diff_text(found, limit), lambda: diff_record(found), lambda: diff_rows(found)))
    if fail_over is not None and found.worst > fail_over:
        click.echo(over_said(found, fail_over), err=True)
        context.exit(CHANGED_TOO_MUCH)
