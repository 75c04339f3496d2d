"""The command that compares whole armies: ``report``."""

from __future__ import annotations

import click

from analyser.cli.shell import PROFILES, THREADS, profiles_in, progress_bar


@click.command()
@click.option("--attackers", metavar="PATTERN", required=True, help="Selector with wildcards, such as 'crown/*'.")
@click.option("--defenders", metavar="PATTERN", required=True, help="Selector with wildcards, such as '*/*@basic'.")
@click.option("--out", metavar="DIR", required=True, help="Folder for the tables, the pictures and the page.")
@PROFILES
@THREADS
def report(attackers: str, defenders: str, out: str, profiles: str | None, threads: int | None) -> None:
    """Every attacker against every defender: a table, heatmaps and a page that shows them."""
    from analyser.report import write_report

    library = profiles_in(profiles)
    with progress_bar("steps") as progress:
        written = write_report(attackers, defenders, out=out, profiles=library, threads=threads, progress=progress)
    click.echo(f"The report is in {written}")
