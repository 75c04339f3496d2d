"""Common behaviour of all commands: exits, help, notes and progress."""

from __future__ import annotations

import errno
import re
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from analyser.cli import system_errors
from analyser.common import interrupts
from analyser.common.errors import (
    LONGEST_MESSAGE,
    AnalyserError,
    InputError,
    allowed_names,
    did_you_mean,
    nearest,
    printable,
    shown,
    suggestion_of,
)
from analyser.common.files import check_targets, real_path

if TYPE_CHECKING:
    from analyser.game.profiles import Profiles

BAD_INPUT = 2
INTERRUPTED = 130  # convention of shells: 128 + number of the signal (SIGINT)
BROKEN_PIPE = 141  # 128 + SIGPIPE
# keys of `meta` in the context of click
QUIET = "analyser.quiet"  # True with --quiet
RULESET = "analyser.ruleset"  # values of --die and --deck
ALL_HELP = "analyser.all"  # True with --help-all
FORMATS = ("text", "json", "csv", "parquet")  # same as in `analyser.results.rendering`
TEXT_EXTENSIONS = (".txt", ".md")
FILE_OPTIONS = ("out", "plot", "save", "summary")  # options with a file to write
PICTURE_EXTENSIONS = (".png", ".svg", ".pdf")
HALF_MINUTE = 30.0  # seconds
_ABBREVIATED_FROM = 10_000  # from this total, numbers are shown as 12.3k
WIDEST_NAMES = 30  # characters: width of the column of options in a help
HIDDEN = "Set-up"  # heading of commands that only --help-all shows
_LIKENESS = 0.75  # likeness above which a word is a misspelt command, not a unit
MOST_NAMED_COMMANDS = 3  # in a message
MOST_SHORT_HELP_OPTIONS = 14  # a command with more options has a short help
COMMON = (  # options that every short help shows
    *("-h", "--help-all", "--method", "--trials", "--format", "--out", "--plot", "--tell"),
    *("--distance", "--aiming", "--models", "--until", "--outflanking"),
    *("--target", "--over", "--kind", "--metric", "--situations", "--faction", "--must", "--mine", "--save"),
    *("--rounds", "--policy-a", "--policy-b", "--want", "--against", "--pick", "--trial", "--destroyed", "--got"),
)


class OneLineError(click.ClickException):
    """An error shown as one line on standard error."""

    exit_code = BAD_INPUT

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line."""
        click.echo(f"error: {' '.join(self.message.split())}", file=file, err=True)


@contextmanager
def errors_as_exit_status() -> Iterator[None]:
    """Turn every failure of a command into an exit status and at most one line."""
    try:
        yield
    except AnalyserError as error:
        raise OneLineError(str(error)) from None
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        message = (_hint_at_other_commands(error) or error.format_message()).rstrip(".")
        help_at = "" if error.ctx is None else f" (see {error.ctx.command_path} --help)"
        line = " ".join(f"{message[:1].lower()}{message[1:]}".split())
        raise OneLineError(f"{printable(line, LONGEST_MESSAGE - len(help_at))}{help_at}") from None
    except KeyboardInterrupt:
        interrupts.stop_repeating()
        raise click.exceptions.Exit(INTERRUPTED) from None
    except Exception as error:
        if system_errors.is_out_of_memory(error):
            raise OneLineError(str(system_errors.memory_error(error, None))) from None
        if isinstance(error, OSError):
            if system_errors.is_about_standard_output(error):
                system_errors.discard_output()
            if error.errno == errno.EPIPE:
                raise click.exceptions.Exit(BROKEN_PIPE) from None
            raise OneLineError(str(system_errors.file_error(error))) from None
        if input_error := system_errors.path_error(error):
            raise OneLineError(str(input_error)) from None
        if KeyboardInterrupt.__name__ not in str(error) and not interrupts.was_received():
            raise
        interrupts.stop_repeating()
        raise click.exceptions.Exit(INTERRUPTED) from None  # a library raised another error on Ctrl-C


def _show_all(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        context.meta[ALL_HELP] = True
        click.echo(context.get_help())
        context.exit()


_HELP_ALL: dict[str, Any] = {"is_flag": True, "expose_value": False, "is_eager": True, "callback": _show_all}
HELP_ALL = click.Option(["--help-all"], help="Show the whole help and exit.", **_HELP_ALL)


class Commands(click.Group):
    """A group of commands, which `load` imports on first use; each error is printed as one line.

    `sections` has the help text of each command, by heading. With `has_default`, the first command may be left out:
    ``analyser units crown`` means ``analyser units list crown``. `subcommands` has the names of the commands in each
    inner group.
    """

    def __init__(
        self,
        *names: Any,
        sections: Mapping[str, Mapping[str, str]],
        load: Callable[[str], click.Command],
        has_default: bool = False,
        subcommands: Mapping[str, Collection[str]] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*names, add_help_option=not has_default, **more)
        self.no_args_is_help = not has_default
        self.sections, self.load, self.subcommands = sections, load, subcommands or {}
        self.summaries = {name: summary for section in sections.values() for name, summary in section.items()}
        self.default_command = next(iter(self.summaries)) if has_default else ""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters of click, and ``--help-all`` if commands are hidden."""
        return [*super().get_params(ctx), *([HELP_ALL] if HIDDEN in self.sections else [])]

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Make the context as click does; errors and ``--help`` end the command here."""
        with errors_as_exit_status():
            return super().make_context(*args, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does; add the default command unless the first word looks like a command."""
        first = args[0] if args else ""
        is_misspelt = re.fullmatch("[a-z][a-z-]*", first) and nearest(first, self.summaries, likeness=_LIKENESS)
        is_undecided = ctx.resilient_parsing and not args  # completion offers commands and arguments
        if self.default_command and not is_misspelt and first not in self.summaries and not is_undecided:
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with errors_as_exit_status():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order of the help."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command by name."""
        return self.load(cmd_name) if cmd_name in self.summaries else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Resolve as click does; an error names the nearest command."""
        names = self.summaries
        if args and args[0] not in names and not args[0].startswith("-"):
            meant = [f"{name} {args[0]}" for name, parts in self.subcommands.items() if args[0] in parts]
            hint = suggestion_of(meant) or did_you_mean(args[0], names)
            raise click.UsageError(f"no command {shown(args[0])}{hint} (allowed: {allowed_names(names, args[0])})", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, without importing them."""
        shown = (heading for heading in self.sections if heading != HIDDEN or ALL_HELP in ctx.meta)
        _write_sections(formatter, {heading: [*self.sections[heading].items()] for heading in shown})

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return matching names, without importing commands, and completions for the default command."""
        names = [name for name in self.summaries if name.startswith(incomplete)]
        items = [CompletionItem(name, help=self.summaries[name]) for name in names]
        if not self.default_command:
            return [*items, *click.Command.shell_complete(self, ctx, incomplete)]
        default = self.load(self.default_command)
        context = default.make_context(self.default_command, [], parent=ctx, resilient_parsing=True)
        is_option = incomplete.startswith("-")
        arguments = (parameter for parameter in default.params if isinstance(parameter, click.Argument))
        first = None if is_option else next(arguments, None)
        return [*items, *(first or default).shell_complete(context, incomplete)]


class Command(click.Command):
    """A command that shows its options under headings, and rejects a repeated option that takes one value.

    `examples` are command lines; `notes` follow them in ``--help-all``. If there are many options, ``--help`` shows
    only required options and those in :data:`COMMON`, `brief` or the examples.
    """

    def __init__(
        self, *args: Any, examples: Sequence[str] = (), notes: str = "", brief: Sequence[str] = (), **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.examples, self.notes = examples, notes
        self.brief = {*brief, *(word for example in examples for word in example.split() if word.startswith("--"))}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters of click, and ``--help-all``."""
        return [*super().get_params(ctx), HELP_ALL]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage as click does, with the name of a default command in brackets."""
        group = _group_of_default(ctx)
        path = ctx.command_path if group is None else f"analyser {group.name} [{group.default_command}]"
        formatter.write_usage(path, " ".join(self.collect_usage_pieces(ctx)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings; a default command first lists the other commands of its group."""
        if (group := _group_of_default(ctx)) is not None:
            others = [(name, text) for name, text in group.summaries.items() if name != group.default_command]
            _write_sections(formatter, {f"Other commands ('{group.default_command}' may be left out)": others})
        sections: dict[str, list[tuple[str, str]]] = {}
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        is_short = len(options) > MOST_SHORT_HELP_OPTIONS and ALL_HELP not in ctx.meta
        for option in options if is_short or self.notes else options[:-1]:
            heading = getattr(option, "group", "Options")
            is_rare = not {*COMMON, *self.brief} & {*option.opts, *option.secondary_opts} or " with " in heading
            if (option.required or not (is_short and is_rare)) and (record := option.get_help_record(ctx)):
                sections.setdefault(heading, []).append(record)
        _write_sections(formatter, sections)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and with ``--help-all`` the notes."""
        group = _group_of_default(ctx)
        path = ctx.command_path if group is None else f"analyser {group.name}"
        lines = (
            ["\b", "Examples:", *(f"  {path} {example}".rstrip() for example in self.examples)] if self.examples else []
        )
        self.epilog = "\n".join([*lines, "", self.notes if ALL_HELP in ctx.meta else ""])
        super().format_epilog(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, after checking that its output files can be written."""
        if "form" in ctx.params:
            out, plot = ctx.params.get("out"), ctx.params.get("plot")
            ctx.params["form"] = ctx.params["form"] or self._form_of(Path(out or ""))
            if out is None and ctx.params["form"] == "parquet":
                raise InputError("parquet needs a file", where="--format", allowed="with --out FILE")
            if plot is not None:
                extension = Path(plot).suffix
                if extension.lower() not in PICTURE_EXTENSIONS:
                    problem = f"{extension or 'no extension'!r} is not the extension of a picture"
                    raise InputError(problem, where=str(Path(plot)), allowed=", ".join(PICTURE_EXTENSIONS))
            check_targets(Path(ctx.params[name]) for name in FILE_OPTIONS if ctx.params.get(name) is not None)
        try:
            return super().invoke(ctx)
        except Exception as error:
            if isinstance(error, AnalyserError) or not system_errors.is_out_of_memory(error):
                raise
            raise system_errors.memory_error(error, ctx) from None

    def _form_of(self, out: Path) -> str:
        """Return the format of an answer by the extension of its file; InputError for an unknown extension."""
        extension = out.suffix.lower()
        if extension.removeprefix(".") in FORMATS:
            return extension.removeprefix(".")
        extensions = next((option.extensions for option in self.params if hasattr(option, "extensions")), ())
        if extension not in (*extensions, *TEXT_EXTENSIONS, ""):
            allowed = ", ".join((*extensions, *TEXT_EXTENSIONS, *(f".{form}" for form in FORMATS[1:])))
            raise InputError(f"unknown extension {extension!r}", where=str(out), allowed=f"{allowed}; or --format")
        return "text"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, after rejecting repeated options, which click would ignore silently."""
        ctx.meta[system_errors.TYPED_ARGUMENTS] = [*args]
        _, _, stated = self.make_parser(ctx).parse_args([] if ctx.resilient_parsing else list(args))
        for option in stated:
            if not isinstance(option, click.Option) or option.multiple or option.count:
                continue
            is_plain_flag = option.is_flag and not option.secondary_opts  # harmless if repeated
            if not is_plain_flag and stated.count(option) > 1:
                name = "' or '".join((*option.opts, *option.secondary_opts))
                problem = f"option '{name}' is given {stated.count(option)} times: it takes one value"
                raise click.UsageError(problem, ctx)
        return super().parse_args(ctx, args)


def command(*params: click.Parameter, **more: Any) -> Callable[[Callable[..., Any]], Command]:
    """Return a decorator that makes a :class:`Command` with these options from a function."""
    return click.command(cls=Command, params=[*params], **more)


def _hint_at_other_commands(error: click.UsageError) -> str:
    """Return the error for an option that only other commands of the group have; empty if none has it."""
    parent = None if error.ctx is None else error.ctx.parent
    if not isinstance(error, click.NoSuchOption) or parent is None or not isinstance(group := parent.command, Commands):
        return ""
    commands = ((name, group.load(name)) for name in group.summaries)
    names = [name for name, command in commands if any(error.option_name in option.opts for option in command.params)]
    listed = ", ".join(f"'{parent.command_path} {name}'" for name in names[:MOST_NAMED_COMMANDS])
    return f"no such option '{error.option_name}' here; see {listed}" if names else ""


def _group_of_default(context: click.Context) -> Commands | None:
    """Return the group whose default command is running, or None."""
    group = None if context.parent is None else context.parent.command
    return group if isinstance(group, Commands) and group.default_command == context.info_name else None


def _write_sections(formatter: click.HelpFormatter, sections: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Write names and their meaning under headings, in two aligned columns."""
    width = min(max(len(name) for rows in sections.values() for name, _ in rows), WIDEST_NAMES)
    for heading, rows in sections.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(width), text) for name, text in rows])


class Choice(click.Choice[str]):
    """Choice of words; the error for a misspelt word has the nearest word."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert as click does; an error has the nearest word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            hint, allowed = did_you_mean(str(value), self.choices), allowed_names(self.choices, str(value))
            self.fail(f"{shown(value)} is not one of {allowed}{hint}", param, ctx)


class ChoiceOr(Choice):
    """Choice of words, or a text described by `other`; `read` returns its value, or None if it is not allowed."""

    def __init__(self, choices: Sequence[str], read: Callable[[str], Any], other: str) -> None:
        super().__init__(choices)
        self.read, self.other = read, other

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return one of the words, or the result of `read`."""
        if value not in self.choices and isinstance(value, str) and (result := self.read(value)) is not None:
            return result
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            self.fail(f"{error.message}; nor {self.other}", param, ctx)


def policy_in_words(text: str) -> str | None:
    """Return the text if it is a policy in words, or None."""
    from analyser.rules.policy_lines import is_in_words

    return text if is_in_words(text) else None


def integer_in(text: str) -> int | None:
    """Return the integer in a text, or None; the check of the question checks its bounds later."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else None


def is_quiet() -> bool:
    """Return True if the running command has the option ``--quiet``."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(QUIET))


def note(text: str, kind: str = "note") -> None:
    """Print a note, or a message of another `kind`, on standard error."""
    if not is_quiet():
        click.echo(f"{kind}: {text}", err=True)


def stated_options(options: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the stated options with these names; without names, all stated options."""
    return {name: options[name] for name in names or options if options.get(name) not in (None, ())}


def profiles_in(folder: str | None) -> Profiles:
    """Return the profiles in `folder`, by default the shipped profiles; each file is read when it is needed."""
    from analyser.game.profiles import load_profiles

    note_other_profiles(folder)
    return load_profiles(folder).with_ruleset(stated_ruleset())


def stated_ruleset() -> dict[str, Any] | None:
    """Return the die, the deck or both as stated by options of the running command; None without these options."""
    context = click.get_current_context(silent=True)
    return context.meta.get(RULESET) if context else None


def note_other_profiles(folder: str | None) -> None:
    """Print a note if the folder ./profiles has other profiles, which are not used without --profiles."""
    if folder is not None:
        return
    from analyser.game.profiles import FILES_FOR_ALL, profiles_used, shipped_profiles

    local, shipped = Path("profiles"), shipped_profiles()
    has_factions = any(path.name not in FILES_FOR_ALL for path in local.glob("*.toml"))
    if not has_factions or real_path(local) == real_path(shipped):
        return
    if profiles_used(local, morale=True).version != profiles_used(morale=True).version:
        note(f"the profiles in {shipped} are used; to use ./profiles add --profiles profiles")


def progress_logger() -> Callable[[str], None]:
    """Return a function that prints progress at most every half minute, if standard error is not a terminal."""
    is_silent, start = is_quiet() or sys.stderr.isatty(), time.monotonic()  # read now, because threads have no context
    last_time = start

    def log(text: str) -> None:
        nonlocal last_time
        now = time.monotonic()
        if not is_silent and now - last_time >= HALF_MINUTE:
            last_time = now
            click.echo(f"note: {text} after {now - start:.0f} s", err=True)

    return log


@contextmanager
def progress_bar(noun: str = "", *, delay: float = 0.0) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to call with (done, total); a terminal shows a bar after `delay` seconds.

    Elsewhere a line appears every half minute. `noun` is the plural of what is counted, such as "battles".
    Without a noun the bar shows the elapsed time, and estimates the remaining time from the mean pace.
    """
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # its thread is not needed, because every step is shown
    format_ = f"{{n_fmt}} of {{total_fmt}} {noun}" if noun else "{elapsed} elapsed"
    format_ = f"{{percentage:3.0f}}%|{{bar}}| {format_}, {{remaining}} remaining"
    more: dict[str, Any] = {} if noun else {"smoothing": 0}
    more |= {"disable": is_quiet() or None, "miniters": 1}  # show every step, even after a larger step
    log = progress_logger()
    with tqdm(total=1, file=sys.stderr, leave=False, bar_format=format_, delay=delay, **more) as bar:

        def progress(done: int, total: int) -> None:
            bar.total, bar.unit_scale = total, total >= _ABBREVIATED_FROM
            bar.update(done - bar.n)
            log(f"{done:,} of {total:,} {noun}" if noun else f"{100 * done // max(total, 1)}% done")

        yield progress
