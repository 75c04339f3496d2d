"""The command that compares whole armies: ``report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli.options import AT_LEAST_1, FORMAT, PROFILES, QUIET_OPTION, THREADS
from analyser.cli.shell import Command, json_text, profiles_in, progress_bar, show, work_bar


@click.command(cls=Command, params=[PROFILES, THREADS, QUIET_OPTION])
@click.option("--attackers", metavar="PATTERN", required=True, help="Selector with wildcards, such as 'crown/*'.")
@click.option("--defenders", metavar="PATTERN", required=True, help="Selector with wildcards, such as '*/*@basic'.")
@click.option("--situations", metavar="NAMES", default="all", show_default=True, help="Names with commas between them.")
@click.option("--row", metavar="ROW", help="The row to fire; left out: the best one on each target.")
@click.option("--metric", "metrics", metavar="NAME", multiple=True, help="What the heatmaps show; can be repeated.")
@click.option("--out", metavar="DIR", required=True, help="Folder for the tables, the pictures and the page.")
def report(out: str, profiles: str | None, situations: str, metrics: tuple[str, ...], **options: Any) -> None:
    """Every attacker against every defender: tables, heatmaps, balance, and a page that shows them.

    A run that is stopped goes on where it was when it is started again with the same arguments.
    """
    if metrics:
        options["metrics"] = metrics
    names = [name.strip() for name in situations.split(",")]
    try:
        from analyser.report import write_report

        with work_bar() as progress:
            written = write_report(
                situations=names, out=out, profiles=profiles_in(profiles), progress=progress, **options
            )
    except KeyboardInterrupt:
        from analyser.report.folder import work_folder

        kept = work_folder(Path(out).resolve()).exists()
        said = "what is finished is kept, and the same command goes on from there" if kept else "nothing was finished"
        click.echo(f"stopped: {said}", err=True)
        raise
    click.echo(f"The report is in {written}")


CHANGED_TOO_MUCH = 1  # the exit status of --fail-over; 2 stays that of an input that cannot be used


@click.command(cls=Command, params=[FORMAT, QUIET_OPTION])
@click.argument("old")
@click.argument("new")
@click.option("--attackers", metavar="PATTERN", help="Of profiles: only these; left out: everybody.")
@click.option("--defenders", metavar="PATTERN", help="Of profiles: only these; left out: everybody.")
@click.option("--situations", metavar="NAMES", help="Of profiles: names with commas between them; left out: all.")
@click.option("--metric", metavar="NAME", help="Left out: the probability that changed most; and what points did.")
@click.option("--limit", type=AT_LEAST_1, default=20, show_default=True, help="Matchups in the table.")
@click.option("--fail-over", type=click.FloatRange(0), metavar="X", help="Exit with 1 if any changed by more than X.")
@click.pass_context
def diff(
    context: click.Context, /, old: str, new: str, situations: str | None, limit: int, fail_over: float | None,
    form: str, **options: str | None,
) -> None:  # fmt: skip
    """What changed from OLD to NEW, profile folders or reports, and what it did to every matchup, worst first."""
    from analyser.report.diff import diff as found_between
    from analyser.report.diff import diff_csv, diff_record, diff_text, over_said

    names = None if situations is None else [name.strip() for name in situations.split(",")]
    with progress_bar("attackers", after=1.0) as progress:
        found = found_between(old, new, situations=names, progress=progress, **options)
    if form == "json":
        show(json_text(diff_record(found)))
    else:
        show(diff_csv(found) if form == "csv" else diff_text(found, limit))
    if fail_over is not None and found.worst > fail_over:
        click.echo(over_said(found, fail_over), err=True)
        context.exit(CHANGED_TOO_MUCH)
