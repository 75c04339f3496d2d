"""The command line: the only room that prints or exits.

Each command turns its options into what a function of the package takes, and the answer into text. A module a
family of commands; modules that take long to import are imported by the command that needs them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from analyser import __version__
from analyser.cli.attacks import attack, run
from analyser.cli.comparing import compare
from analyser.cli.fights import charge, duel, focus
from analyser.cli.library import import_command, units
from analyser.cli.morale import morale
from analyser.cli.reports import diff, report
from analyser.cli.shell import INTERRUPTED, Commands


def main(arguments: Sequence[str] | None = None) -> int:
    """The ``analyser`` command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Left out: those of the process.

    Returns
    -------
    int
        The exit status: 0, 1 if ``diff --fail-over`` fails, 2 for an input that cannot be used, 130 after Ctrl-C, 141
        after a broken pipe.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ± shows a question mark, no traceback
    try:
        status = cli.main(arguments, prog_name="analyser", standalone_mode=False)
    except click.ClickException as error:
        with suppress(OSError):  # nobody listens
            error.show()
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    return status if isinstance(status, int) else 0


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="analyser", message="%(prog)s %(version)s")
def cli() -> None:
    """What an attack of Armoured Clash will do: exact odds, Monte Carlo odds, from unit profiles."""


for command in (attack, charge, focus, duel, run, compare, morale, units, import_command, report, diff):
    cli.add_command(command)
