"""What every command has in common: plain endings, the options they share, progress, where the text goes."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from analyser.common.errors import LONGEST_REMEDY, AnalyserError, did_you_mean, printable
from analyser.common.files import write_text

if TYPE_CHECKING:
    from analyser.game.profiles import Profiles

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
def ended_plainly() -> Iterator[None]:
    """Every way in which a command can end badly ends in an exit status, and at most one line."""
    try:
        yield
    except AnalyserError as error:
        raise Refusal(str(error)) from None
    except click.UsageError as error:
        if is_call_for_help(error):
            raise
        raise Refusal(printable(" ".join(usage_line(error).split()), LONGEST_REMEDY)) from None
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except OSError as error:
        _silence_output()
        if error.errno == errno.EPIPE:
            raise click.exceptions.Exit(BROKEN_PIPE) from None
        raise Refusal(printable(f"{error.filename or 'standard output'}: {error.strerror}")) from None


def is_call_for_help(error: click.UsageError) -> bool:
    """Whether a group was called without a command: then its help is the answer."""
    return type(error).__name__ == "NoArgsIsHelpError"  # a name that older versions of click do not have


def usage_line(error: click.UsageError) -> str:
    """What is wrong with a call, and where the right one stands."""
    message = error.format_message().rstrip(".")
    help_at = "" if error.ctx is None else f" (see {error.ctx.command_path} --help)"
    return f"{message[:1].lower()}{message[1:]}{help_at}"


def _silence_output() -> None:
    """Point standard output nowhere, so that what is left in its buffer fails no second time at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Commands(click.Group):
    """The group of commands: plain endings, and the nearest name for a wrong one."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """As click does; ``--help`` and ``--version`` print here."""
        with ended_plainly():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with ended_plainly():
            return super().invoke(ctx)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does, with the nearest name in the message."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            names = self.list_commands(ctx)
            raise click.UsageError(f"no command {args[0]!r}{did_you_mean(args[0], names)} ({', '.join(names)})", ctx)
        return super().resolve_command(ctx, args)


class Command(click.Command):
    """A command that refuses an option for one value given more than once: none of them is dropped in silence."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, after a look at what is given."""
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        for option in given:
            if not isinstance(option, click.Option) or option.multiple or option.count:
                continue
            plain_flag = option.is_flag and not option.secondary_opts  # said twice it says the same
            if not plain_flag and given.count(option) > 1:
                name = "' or '".join((*option.opts, *option.secondary_opts))
                problem = f"option '{name}' is given {given.count(option)} times: it takes one value"
                raise click.UsageError(problem, ctx)
        return super().parse_args(ctx, args)


class Choice(click.Choice):  # type: ignore[type-arg]  # older versions of click have no argument for it
    """One of several words; a misspelt one is told the nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does, with the nearest word in the message."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            self.fail(f"{error.message.rstrip('.')}{did_you_mean(str(value), map(str, self.choices))}", param, ctx)


PROFILES = click.option("--profiles", metavar="DIR", help="Folder of unit files; left out: those that ship.")
AT_LEAST_1, ABOVE_0 = click.IntRange(1), click.FloatRange(0, min_open=True)
THREADS = click.option("--threads", type=AT_LEAST_1, metavar="N", help="The answer is the same with any number.")
FORMAT = click.option("--format", "form", type=Choice(FORMATS), default="table", show_default=True)


def with_answer_options(command: CommandT) -> CommandT:
    """The options of every command that answers one question exactly or by Monte Carlo."""
    options = (
        PROFILES,
        click.option("--method", type=Choice(METHODS), default="exact", show_default=True),
        click.option("--trials", type=AT_LEAST_1, metavar="N", help="Monte Carlo: how often it is played."),
        click.option("--seed", type=click.IntRange(0), metavar="N", help="Monte Carlo: same seed, same answer (0)."),
        click.option("--precision", type=ABOVE_0, metavar="P", help="Monte Carlo: until no 95% interval is wider."),
        THREADS,
        FORMAT,
        click.option("--out", metavar="FILE", help="Write there, whole or not at all; left out: standard output."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


REPLACEMENT = click.option(
    "--replacement", is_flag=True, default=None,
    help="Monte Carlo of a fight: put each card back, as the exact answer does; left out: real decks.",
)  # fmt: skip


def note_no_effect(numbers: Mapping[str, Any], method: str) -> None:
    """Say which options of a sample were given for nothing."""
    if numbers and method == "exact":
        given = ", ".join(f"--{name}" for name in numbers)
        click.echo(f"note: {given}: no effect on an exact answer; see --method", err=True)


def profiles_in(folder: str | None) -> Profiles | None:
    """The library in `folder`; None stands for the shipped one, read only if a selector needs it."""
    from analyser.game.profiles import load_profiles

    note_other_profiles(folder)
    return None if folder is None else load_profiles(folder)


def note_other_profiles(folder: str | None) -> None:
    """Say that profiles in the current folder are not those that answer, if they say something else."""
    if folder is not None:
        return
    from analyser.game.profiles import RULESET_FILE, profiles_used, shipped_profiles

    here, shipped = Path("profiles"), shipped_profiles()
    if not any(path.name != RULESET_FILE for path in here.glob("*.toml")) or here.resolve() == shipped.resolve():
        return
    if profiles_used(here, morale=True).version != profiles_used(morale=True).version:
        click.echo(f"note: ./profiles is not read: {shipped} is; to use yours: --profiles profiles", err=True)


def json_text(data: object) -> str:
    """`data` as the command line prints JSON; NaN and infinity are no JSON, and no result has them."""
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def show(text: str, out: str | None = None) -> None:
    """Print `text`, or write it to the file `out`, whole or not at all."""
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(Path(out), text)


def warn(warnings: Iterable[str], form: str, out: str | None) -> None:
    """Say warnings on standard error, where the answer has no room for them or goes to a file."""
    if form == "csv" or out is not None:
        for warning in warnings:
            click.echo(f"warning: {warning}", err=True)


@contextmanager
def progress_bar(what: str, *, after: float = 0.0) -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, total) as work goes on: on a terminal a bar, `after` some seconds."""
    look = f"{{percentage:3.0f}}%|{{bar}}| {{n_fmt}} of {{total_fmt}} {what}, {{remaining}} left"
    with _bar(bar_format=look, unit_scale=True, delay=after) as progress:
        yield progress


@contextmanager
def work_bar() -> Iterator[Callable[[int, int], None]]:
    """The same for work of many kinds, counted by the time it takes: so the time left is that of the mean pace."""
    with _bar(bar_format="{percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} left", smoothing=0) as progress:
        yield progress


@contextmanager
def _bar(**look: Any) -> Iterator[Callable[[int, int], None]]:
    from tqdm import tqdm

    # Each step is shown, however large the one before it was.
    with tqdm(total=1, file=sys.stderr, disable=None, leave=False, miniters=1, **look) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress
