"""The command that sets profiles or reports against each other: ``diff``."""

from __future__ import annotations

import click

from analyser.cli.shell import AT_LEAST_1, FORMAT, Command, json_text, progress_bar, show

CHANGED_TOO_MUCH = 1  # the exit status of --fail-over; 2 stays that of an input that cannot be used


@click.command(cls=Command)
@click.argument("old")
@click.argument("new")
@click.option("--attackers", metavar="PATTERN", help="Of profiles: only these; left out: everybody.")
@click.option("--defenders", metavar="PATTERN", help="Of profiles: only these; left out: everybody.")
@click.option("--situations", metavar="NAMES", help="Of profiles: names with commas between them; left out: all.")
@click.option("--metric", metavar="NAME", help="Left out: the probability that changed most; and what points did.")
@click.option("--limit", type=AT_LEAST_1, default=20, show_default=True, help="Matchups in the table.")
@click.option("--fail-over", type=click.FloatRange(0), metavar="X", help="Exit with 1 if any changed by more than X.")
@FORMAT
@click.pass_context
def diff(
    context: click.Context, /, old: str, new: str, situations: str | None, limit: int, fail_over: float | None,
    form: str, **options: str | None,
) -> None:  # fmt: skip
    """What changed from OLD to NEW, profile folders or reports, and what it did to every matchup, worst first."""
    from analyser.changes import diff as found_between
    from analyser.changes.text import diff_csv, diff_record, diff_text, over_said

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
