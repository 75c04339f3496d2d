"""Command line, with a module for each family of commands; only this package prints or exits.

Slow imports happen inside a command, when it runs.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import click

from analyser.cli.command_base import HIDDEN, INTERRUPTED, Commands
from analyser.common import interrupts

COMMANDS: Mapping[str, Mapping[str, str]] = {  # help texts of the commands, by heading
    "Fights": {
        "attack": "Ranged attacks of one or several units on a target.",
        "charge": "A charge: the winner and the losses of both sides.",
        "duel": "Two units over several rounds, each following a policy.",
        "battle": "Two whole armies: the winner, and the best matchups.",
        "best": "Best play of a duel or of focus fire; how much worse simple tactics are.",
        "explain": "One simulated fight, die by die; how lucky a result was.",
        "run": "Answer the questions in scenario files.",
        "morale": "Morale under the rules of other games.",
    },
    "Comparisons": {
        "compare": "Loadouts (units at a level) side by side, at one distance or many; the best of many variants.",
        "matchups": "Heatmaps of every attacker against every defender.",
        "sweep": "Millions of matchups, on one machine or many.",
    },
    "Armies and units": {
        "calculator": "A page for a phone: odds of any unit against any other.",
        "army": "Show, check, print or build an army list; a page for your phone during a game.",
        "units": "List the units, show one, import BattleScribe data.",
    },
    "Balance": {
        "balance": "What units should cost (fair points); the effect of a change.",
        "report": "A balance report; its history over versions of the profiles; the changes between two versions.",
    },
    HIDDEN: {"warm-up": "Compile all kernels now.", "completion": "Print a shell completion script."},
}
SUBCOMMANDS: Mapping[str, Sequence[str]] = {  # the commands in each group, the default command first
    "battle": ("simulate", "plan"),
    "best": ("duel", "focus", "tactics"),
    "explain": ("trial", "luck"),
    "compare": ("loadouts", "sensitivity", "variants"),
    "army": ("show", "check", "kinds", "card", "table", "build"),
    "units": ("list", "card", "import"),
    "balance": ("prices", "check", "what-if", "fix", "solve-price", "solve-dice"),
    "report": ("write", "site", "diff"),
    "sweep": ("start", "status", "resume", "verify"),
}
_MODULES = {  # module of each command that is in a module of another name
    **dict.fromkeys(("attack", "charge", "duel", "run"), "fights"),
    **dict.fromkeys(("warm-up", "completion"), "set_up"),
    "matchups": "compare",
    "calculator": "army",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``analyser`` command with `arguments`, by default those of the process, and return the exit status.

    The status is 0 after success, 2 for an unusable input, 130 after Ctrl-C, and 141 after a broken pipe. It is 1 if a
    check fails (``report diff --fail-over``, ``balance prices --fail-on-verdict``, ``army check``, ``sweep verify``,
    ``sweep status``).
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ± shows a question mark
    sys.unraisablehook = _report_unraisable
    if arguments is None:
        interrupts.start_repeating()
    os.environ["MPLBACKEND"] = "agg"  # draw without a display, whatever the user's setting
    try:
        status = cli.main(arguments, prog_name="analyser", standalone_mode=False)
    except click.ClickException as error:
        with suppress(OSError):  # standard error may be closed
            error.show()
        return error.exit_code
    except click.Abort:
        status = INTERRUPTED
    if status == INTERRUPTED:
        _kill_workers()
        if arguments is None:
            _end_at_once(INTERRUPTED)
    return status if isinstance(status, int) else 0


def _kill_workers() -> None:
    """Kill all running worker processes and free their semaphores, so that the command ends at once."""
    if multiprocessing := sys.modules.get("multiprocessing"):
        for process in multiprocessing.active_children():
            process.kill()
        multiprocessing.util._run_finalizers(0)  # prevents Python's warning of leaked semaphores


def _end_at_once(status: int) -> NoReturn:
    """End the process without Python's clean-up, which could wait forever for threads, or for killed processes."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _report_unraisable(unraisable: Any) -> None:
    """Print an error in a destructor or a callback; MemoryError and Ctrl-C get messages elsewhere."""
    if unraisable.exc_type not in (MemoryError, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from analyser import __version__

        click.echo(f"analyser {__version__}")
        context.exit()


def _command(*words: str) -> click.Command:
    """Return a group such as ``army``, or a command: ``army check`` is the function `army_check` of module `army`."""
    if words[0] in SUBCOMMANDS and not words[1:]:
        sections = {"Commands": dict.fromkeys(SUBCOMMANDS[words[0]], "")}
        return Commands(words[0], sections=sections, load=partial(_command, *words), has_default=True)
    module = importlib.import_module(f"analyser.cli.{_MODULES.get(words[0], words[0])}")
    command: click.Command = getattr(module, "_".join(words).replace("-", "_"))
    return command


_VERSION: dict[str, Any] = {"is_flag": True, "expose_value": False, "is_eager": True, "callback": _show_version}
cli = Commands(
    "analyser",
    sections=COMMANDS,
    load=_command,
    subcommands=SUBCOMMANDS,
    help="Odds for tabletop fights, exact and simulated.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    params=[click.Option(["--version"], help="Show the version and exit.", **_VERSION)],
)
