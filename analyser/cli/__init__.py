"""The command line, the only package that prints or exits: a module for each family of commands.

What takes long to import is imported by the command that needs it.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from analyser.cli.shell import INTERRUPTED, Commands
from analyser.common import interrupts

_BETWEEN_COLLECTIONS = 300_000  # objects: what modules leave at their import is no garbage, and long to look through

COMMANDS: Mapping[str, Mapping[str, tuple[str, str]]] = {  # by heading: the module of each, and what the help says
    "Fights": {
        "attack": ("fights", "The odds of one ranged attack."),
        "charge": ("fights", "A charge: who wins, what both sides lose."),
        "focus": ("fights", "Several ranged attacks on one target."),
        "duel": ("fights", "Two units for some rounds, each by its policy."),
        "best": ("best", "What A should do in a duel with B, and what habits give away."),
        "best-focus": ("best", "Who should fire next at a target, and how."),
        "battle": ("battle", "Two whole armies, round by round."),
        "tell": ("ask", "One trial of a sample, told die by die."),
        "luck": ("ask", "How unlucky was that? One fight, or a whole game."),
        "run": ("fights", "The question in a scenario file."),
        "morale": ("morale", "Morale under the rules of other games."),
    },
    "Comparisons": {
        "compare": ("analysis", "Loadouts side by side on a target, or on several."),
        "matchups": ("analysis", "Every attacker on every defender."),
        "curve": ("ask", "A figure over one number or two, and who is best where."),
        "search": ("ask", "The best of many variants, exactly or by a race."),
        "habits": ("best", "What habits give away to best play, every attacker with every defender."),
        "sensitivity": ("analysis", "What one more and one less of each number does."),
        "explore": ("analysis", "A page with menus and sliders for one attack."),
        "report": ("analysis", "Whole armies: tables, pictures, and a page that shows them."),
        "sweep": ("sweep", "A design space, in parts, by whatever machines there are."),
        "diff": ("analysis", "What changed between two sets of profiles."),
    },
    "Armies": {
        "army": ("army", "An army list: read from a roster, checked, written again."),
        "clash": ("clash", "My army against yours: who should fight whom, and the best attacks."),
        "build": ("clash", "The best list under points and slots, and battles to test it."),
    },
    "Balance": {
        "prices": ("verdict", "What loadouts should cost, and why."),
        "what-if": ("verdict", "What a change of one loadout would do."),
        "solve-price": ("verdict", "The price at which a loadout is fair."),
        "solve-dice": ("verdict", "The dice at which it is fair, and the price of each die."),
        "site": ("verdict", "An index page over reports, with what changed."),
    },
    "Profiles": {
        "units": ("library", "The units that there are."),
        "card": ("library", "One unit: numbers, special rules, levels, armaments."),
        "import": ("library", "Make profiles of BattleScribe data."),
    },
    "Set-up": {
        "completion": ("set_up", "What makes a shell complete names."),
        "warm-up": ("set_up", "Compile all kernels now, not when they are first used."),
    },
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The ``analyser`` command with some `arguments`, by default those of the process.

    The exit status is 0, 1 if ``diff --fail-over`` or ``army check`` fails, 2 for an input that cannot be used, 130
    after Ctrl-C, 141 after a broken pipe.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ± shows a question mark, no traceback
    sys.unraisablehook = _tell_unraisable
    if arguments is None:
        interrupts.listen()
    os.environ["MPLBACKEND"] = "agg"  # which writes all pictures, whatever the variable says
    gc.set_threshold(_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    try:
        status = cli.main(arguments, prog_name="analyser", standalone_mode=False)
    except click.ClickException as error:
        with suppress(OSError):  # nobody listens
            error.show()
        return error.exit_code
    except click.Abort:
        status = INTERRUPTED
    if status == INTERRUPTED:
        _end_helpers()
        if arguments is None:
            _end_at_once(INTERRUPTED)
    return status if isinstance(status, int) else 0


def _end_helpers() -> None:
    """Kill the processes that are still at work, with their semaphores: a second Ctrl-C does not wait for them."""
    if helpers := sys.modules.get("multiprocessing"):
        for process in helpers.active_children():
            process.kill()
        helpers.util._run_finalizers(0)  # else Python complains of what is left over


def _end_at_once(status: int) -> NoReturn:
    """End the process without Python's own clean-up.

    That would end threads in the middle of compiled code, and wake executors whose processes are gone.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _tell_unraisable(unraisable: Any) -> None:
    """Tell of an error that cannot be raised, as Python does; who ran out of memory says so, and Ctrl-C comes again."""
    if unraisable.exc_type not in (MemoryError, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from analyser import __version__

        click.echo(f"analyser {__version__}")
        context.exit()


def _command(name: str) -> click.Command:
    module = next(commands[name][0] for commands in COMMANDS.values() if name in commands)
    function = "import_command" if name == "import" else name.replace("-", "_")
    command: click.Command = getattr(importlib.import_module(f"analyser.cli.{module}"), function)
    return command


_VERSION: dict[str, Any] = {"is_flag": True, "expose_value": False, "is_eager": True, "callback": _show_version}
cli = Commands(
    "analyser",
    sections={heading: {name: text for name, (_, text) in each.items()} for heading, each in COMMANDS.items()},
    load=_command,
    help="What a tabletop fight will do: exact odds and Monte Carlo odds, from unit profiles.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    params=[click.Option(["--version"], help="Show the version and exit.", **_VERSION)],
)
