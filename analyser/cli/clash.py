"""The commands of whole armies against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import write
from analyser.cli.options import OUTPUT_OPTIONS, THREADS, Number, Option
from analyser.cli.shell import Choice, Command, given, profiles_in, progress_bar

AIMS = ("points", "annihilated", "victory-points")  # as in `analysis.volleys`, which a help need not import
PAGE = ".html"
_AIM = "What the best attacks of a round are to gain. Default: points."
_DISTANCE = "Also with all so many inches apart, aiming; the best attacks of that come first."
CLASH_OPTIONS = [
    Option("--situations NAMES", "Names with commas between them. Default: all.", type=options.names),
    Option("--distance INCHES", _DISTANCE, type=Number(0)),
    Option("--aim", _AIM, type=Choice(AIMS)),
    THREADS,
    *OUTPUT_OPTIONS,
]


@click.command(cls=Command, params=CLASH_OPTIONS)
@click.argument("mine", shell_complete=options.complete_file)
@click.argument("yours", shell_complete=options.complete_file)
def clash(mine: str, yours: str, profiles: str | None, out: str | None, **keys: Any) -> None:
    """The army in file MINE against that in YOURS: who should fight whom, gaps, the best attacks of a round.

    With --out FILE.html a page that shows all of it.
    """
    from analyser.analysis.clash import clash as clashed

    how = given(keys, "situations", "distance", "aim", "threads")
    with progress_bar(after=1.0) as progress:
        found = clashed(mine, yours, profiles=profiles_in(profiles), progress=progress, **how)

    def text() -> str:
        if out is None or Path(out).suffix != PAGE:
            return str(found)
        from analyser.report.clash_page import clash_page

        return clash_page(found)

    def rows() -> list[dict[str, Any]]:
        return [{**row, "profiles": str(found.profiles)} for row in found.as_dict()["matchups"]]

    write(text, found.as_dict, rows, warnings=found.warnings, plot=found.heatmap)
