"""The command that compares whole armies: ``report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli.shell import PROFILES, THREADS, Command, profiles_in, work_bar


@click.command(cls=Command)
@click.option("--attackers", metavar="PATTERN", required=True, help="Selector with wildcards, such as 'crown/*'.")
@click.option("--defenders", metavar="PATTERN", required=True, help="Selector with wildcards, such as '*/*@basic'.")
@click.option("--situations", metavar="NAMES", default="all", show_default=True, help="Names with commas between them.")
@click.option("--row", metavar="ROW", help="The row to fire; left out: the best one on each target.")
@click.option("--metric", "metrics", metavar="NAME", multiple=True, help="What the heatmaps show; can be repeated.")
@click.option("--out", metavar="DIR", required=True, help="Folder for the tables, the pictures and the page.")
@PROFILES
@THREADS
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
        from analyser.report.work import work_folder

        kept = work_folder(Path(out).resolve()).exists()
        said = "what is finished is kept, and the same command goes on from there" if kept else "nothing was finished"
        click.echo(f"stopped: {said}", err=True)
        raise
    click.echo(f"The report is in {written}")
