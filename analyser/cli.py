"""The command line: the only room that prints or exits.

Each command turns its options into what a function of the package takes, and the answer into text. Modules
that take long to import are imported by the command that needs them.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from analyser import __version__
from analyser.errors import AnalyserError, did_you_mean
from analyser.files import check_writable, write_text
from analyser.options import scenario_from, with_conditions

if TYPE_CHECKING:
    from analyser.profiles import Profiles
    from analyser.results import Result

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

BAD_INPUT = 2
INTERRUPTED = 130  # as a shell says it: 128 and the number of the signal, SIGINT
BROKEN_PIPE = 141  # and SIGPIPE
METHODS = ("exact", "monte-carlo", "both")
FORMATS = ("table", "json", "csv")
SECONDS_BEFORE_BAR = 1.0  # a shorter Monte Carlo run shows no progress bar


class Refusal(click.ClickException):
    """An error of the package as one line on standard error."""

    exit_code = BAD_INPUT

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the one line."""
        click.echo(f"error: {' '.join(self.message.split())}", file=file, err=True)


@contextmanager
def _ended_plainly() -> Iterator[None]:
    """Every way in which a command can end badly ends in an exit status, and at most one line."""
    try:
        yield
    except AnalyserError as error:
        raise Refusal(str(error)) from None
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except OSError as error:
        _silence_output()
        if error.errno == errno.EPIPE:
            raise click.exceptions.Exit(BROKEN_PIPE) from None
        raise Refusal(f"{error.filename or 'standard output'}: {error.strerror}") from None


def _silence_output() -> None:
    """Point standard output nowhere, so that what is left in its buffer fails no second time at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Commands(click.Group):
    """The group of commands: plain endings, and the nearest name for a wrong one."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """As click does; ``--help`` and ``--version`` print here."""
        with _ended_plainly():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _ended_plainly():
            return super().invoke(ctx)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does, with the nearest name in the message."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            names = self.list_commands(ctx)
            raise click.UsageError(f"no command {args[0]!r}{did_you_mean(args[0], names)} ({', '.join(names)})", ctx)
        return super().resolve_command(ctx, args)


def main(arguments: Sequence[str] | None = None) -> int:
    """The ``analyser`` command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Left out: those of the process.

    Returns
    -------
    int
        The exit status: 0, 2 for an input that cannot be used, 130 after Ctrl-C, 141 after a broken pipe.
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


PROFILES = click.option("--profiles", metavar="DIR", help="Folder of unit files; left out: those that ship.")
AT_LEAST_1, ABOVE_0 = click.IntRange(1), click.FloatRange(0, min_open=True)
THREADS = click.option("--threads", type=AT_LEAST_1, metavar="N", help="The answer is the same with any number.")
FORMAT = click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)


def _with_answer_options(command: CommandT) -> CommandT:
    """The options of every command that answers what an attack does."""
    options = (
        PROFILES,
        click.option("--method", type=click.Choice(METHODS), default="exact", show_default=True),
        click.option("--trials", type=AT_LEAST_1, metavar="N", help="Monte Carlo: attacks to roll (10 million)."),
        click.option("--seed", type=click.IntRange(0), metavar="N", help="Monte Carlo: same seed, same answer (0)."),
        click.option("--precision", type=ABOVE_0, metavar="P", help="Monte Carlo: until no 95% interval is wider."),
        THREADS,
        FORMAT,
        click.option("--out", metavar="FILE", help="Write there, whole or not at all; left out: standard output."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@cli.command()
@click.argument("attacker")
@click.argument("target")
@with_conditions
@_with_answer_options
def attack(attacker: str, target: str, profiles: str | None, **options: Any) -> None:
    """The odds of ATTACKER's ranged attack on TARGET, both selectors such as crown/rifle-platoon@reinforced."""
    _answer(scenario_from(attacker, target, options), profiles, **_answer_options(options))


@cli.command()
@click.argument("scenario", metavar="SCENARIO.toml")
@_with_answer_options
def run(scenario: str, profiles: str | None, **options: Any) -> None:
    """The odds of the attack that a scenario file describes."""
    _answer(scenario, profiles, **_answer_options(options))


def _answer_options(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("method", "trials", "seed", "precision", "threads", "form", "out")}


def _answer(
    source: str | dict[str, Any], folder: str | None, *, method: str, form: str, out: str | None, **numbers: Any
) -> None:
    """Compute and show what an attack does."""
    from analyser.api import load_scenario

    if out is not None:
        check_writable(Path(out))
    arguments = {name: number for name, number in numbers.items() if number is not None}
    if arguments and method == "exact":
        given = ", ".join(f"--{name}" for name in arguments)
        click.echo(f"note: {given}: no effect on an exact answer; see --method", err=True)
    scenario = load_scenario(source, _profiles(folder))
    _show(_text(_computed(scenario, method, arguments), form), out)


def _profiles(folder: str | None) -> Profiles | None:
    """The library in `folder`; None stands for the shipped one, read only if a selector needs it."""
    from analyser.profiles import load_profiles

    return None if folder is None else load_profiles(folder)


def _computed(scenario: Any, method: str, arguments: dict[str, Any]) -> list[Result]:
    from analyser.api import exact

    results = [] if method == "monte-carlo" else [exact(scenario)]
    if method != "exact":
        from analyser.api import simulate

        with _progress("attacks", after=SECONDS_BEFORE_BAR) as progress:
            results.append(simulate(scenario, progress=progress, **arguments))
    return results


def _text(results: list[Result], form: str) -> str:
    from analyser.tables import attack_csv, attack_text

    if form == "table":
        return attack_text(results)
    if form == "csv":
        return attack_csv(results)
    if len(results) == 1:
        return _json(results[0].as_dict())
    exact, sampled = (result.as_dict() for result in results)
    return _json({"method": "both", "exact": exact, "monte_carlo": sampled})


def _json(data: object) -> str:
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _show(text: str, out: str | None = None) -> None:
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(Path(out), text)


@contextmanager
def _progress(what: str, *, after: float = 0.0) -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, total) as work goes on: on a terminal a bar, `after` some seconds."""
    from tqdm import tqdm

    look = f"{{percentage:3.0f}}%|{{bar}}| {{n_fmt}} of {{total_fmt}} {what}, {{remaining}} left"
    with tqdm(
        total=1, bar_format=look, unit_scale=True, file=sys.stderr, disable=None, delay=after, leave=False
    ) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


@cli.command()
@click.option("--faction", metavar="NAME", help="Only this one; case and unambiguous shortening are forgiven.")
@PROFILES
@FORMAT
def units(faction: str | None, profiles: str | None, form: str) -> None:
    """The units that there are, at each reinforcement level."""
    from analyser.profiles import load_profiles
    from analyser.tables import unit_record, units_csv, units_text

    library = load_profiles(profiles)
    wanted = None if faction is None else library.faction(faction).id
    loadouts = [each for each in library if wanted in (None, each.faction)]
    if form == "json":
        _show(_json([unit_record(each) for each in loadouts]))
    else:
        _show(units_csv(loadouts) if form == "csv" else units_text(loadouts))


@cli.command(name="import")
@click.argument("files", nargs=-1, required=True)
@click.option("--out", metavar="DIR", required=True, help="Folder that gets one profile file a faction.")
@click.option("--replace", is_flag=True, help="Replace profile files that are there already.")
def import_command(files: tuple[str, ...], out: str, replace: bool) -> None:
    """Make profiles of BattleScribe data: .cat and .gst, also zipped (.catz, .gstz)."""
    from analyser.importers.battlescribe import import_files
    from analyser.tables import import_text

    _show(import_text(import_files(files, out=out, replace=replace)))


@cli.command()
@click.option("--attackers", metavar="PATTERN", required=True, help="Selector with wildcards, such as 'crown/*'.")
@click.option("--defenders", metavar="PATTERN", required=True, help="Selector with wildcards, such as '*/*@basic'.")
@click.option("--out", metavar="DIR", required=True, help="Folder for the tables, the pictures and the page.")
@PROFILES
@THREADS
def report(attackers: str, defenders: str, out: str, profiles: str | None, threads: int | None) -> None:
    """Every attacker against every defender: a table, heatmaps and a page that shows them."""
    from analyser.report import write_report

    library = _profiles(profiles)
    with _progress("steps") as progress:
        written = write_report(attackers, defenders, out=out, profiles=library, threads=threads, progress=progress)
    click.echo(f"The report is in {written}")
