"""Common behaviour of all commands: their options and arguments, help, and exits."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click
from click.shell_completion import CompletionItem

from analyser.cli import system_errors
from analyser.cli.option_base import COMPLETERS, Setting
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
from analyser.common.files import check_targets

BAD_INPUT = 2
INTERRUPTED = 130  # convention of shells: 128 + number of the signal (SIGINT)
BROKEN_PIPE = 141  # 128 + SIGPIPE
# keys in `click.Context.meta`
ALL_HELP = "analyser.all"  # True with --help-all
TYPED_COMMAND = "analyser.typed"  # the command with its arguments
FORMATS = ("text", "json", "csv", "parquet")  # same as in `analyser.results.rendering`
TEXT_EXTENSIONS = (".txt", ".md")
FILE_OPTIONS = ("out", "plot", "save", "summary")  # options with a file to write
PICTURE_EXTENSIONS = (".png", ".svg", ".pdf")
WIDEST_NAMES = 30  # most characters in the column of names in a help
HIDDEN = "Set-up"  # heading of commands that only --help-all shows
_LIKENESS = 0.75  # likeness (0 to 1) above which a word is a misspelt command, not a unit
MOST_NAMED_COMMANDS = 3  # most commands named in a message
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
def errors_as_exit_status(context: click.Context | None = None) -> Iterator[None]:
    """Turn each failure of a command into an exit status and at most one line; re-raise an error in the program."""
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
        if system_errors.is_about_standard_output(error):
            system_errors.discard_output()
        if isinstance(error, OSError) and error.errno == errno.EPIPE:
            raise click.exceptions.Exit(BROKEN_PIPE) from None
        command = "analyser" if context is None else context.meta.get(TYPED_COMMAND, "analyser")
        if input_error := system_errors.input_error_of(error, command):
            raise OneLineError(str(input_error)) from None
        if KeyboardInterrupt.__name__ not in str(error) and not interrupts.was_received():
            raise
        interrupts.stop_repeating()
        raise click.exceptions.Exit(INTERRUPTED) from None  # a library turned Ctrl-C into another error


def _hint_at_other_commands(error: click.UsageError) -> str:
    """Return the error for an option that other commands of the group have; empty if none has it."""
    parent = None if error.ctx is None else error.ctx.parent
    if not isinstance(error, click.NoSuchOption) or parent is None or not isinstance(group := parent.command, Commands):
        return ""
    commands = ((name, group.load(name)) for name in group.summaries)
    names = [name for name, command in commands if any(error.option_name in option.opts for option in command.params)]
    listed = ", ".join(f"'{parent.command_path} {name}'" for name in names[:MOST_NAMED_COMMANDS])
    return f"no such option '{error.option_name}' here; see {listed}" if names else ""


def _show_all(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        context.meta[ALL_HELP] = True
        click.echo(context.get_help())
        context.exit()


_HELP_ALL: dict[str, Any] = {"is_flag": True, "expose_value": False, "is_eager": True, "callback": _show_all}
HELP_ALL = click.Option(["--help-all"], help="Show the whole help and exit.", **_HELP_ALL)


class Commands(click.Group):
    """A group of commands, which `load` imports on first use; each error is printed as one line.

    `sections` has the help text of each command, by heading; an empty text stands for the first sentence of the
    command's own help. With `has_default`, the first command may be left out: ``analyser units crown`` means ``analyser
    units list crown``. `subcommands` has the names of the commands in each inner group.
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

    def summary(self, name: str) -> str:
        """Return the help text of a command in a list of commands."""
        return self.summaries[name] or self.load(name).get_short_help_str(limit=200)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters as click does, and ``--help-all`` if commands are hidden."""
        return [*super().get_params(ctx), *([HELP_ALL] if HIDDEN in self.sections else [])]

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Make the context as click does; errors and ``--help`` end the command here."""
        with errors_as_exit_status():
            return super().make_context(*args, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does; add the default command unless the first word looks like a command."""
        first = args[0] if args else ""
        is_misspelt = re.fullmatch("[a-z][a-z-]*", first) and nearest(first, self.summaries, likeness=_LIKENESS)
        is_undecided = ctx.resilient_parsing and not args  # completing the first word: a command or an argument
        if self.default_command and not is_misspelt and first not in self.summaries and not is_undecided:
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with errors_as_exit_status(ctx):
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
        """Write the commands under their headings."""
        headings = (heading for heading in self.sections if heading != HIDDEN or ALL_HELP in ctx.meta)
        rows = {heading: [(name, self.summary(name)) for name in self.sections[heading]] for heading in headings}
        _write_sections(formatter, rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return matching names, and completions for the default command."""
        items = [
            CompletionItem(name, help=self.summary(name)) for name in self.summaries if name.startswith(incomplete)
        ]
        if not self.default_command:
            return [*items, *click.Command.shell_complete(self, ctx, incomplete)]
        default = self.load(self.default_command)
        context = default.make_context(self.default_command, [], parent=ctx, resilient_parsing=True)
        arguments = (parameter for parameter in default.params if isinstance(parameter, click.Argument))
        completed = default if incomplete.startswith("-") else next(arguments, default)
        return [*items, *completed.shell_complete(context, incomplete)]


class Command(click.Command):
    """A command that shows its options under headings, and rejects a repeated option that takes one value.

    Its function gets the stated arguments and options as keywords, except each :class:`Setting`, and returns the exit
    status or None. `examples` are command lines; `notes` follow them in ``--help-all``. If there are many options,
    ``--help`` shows required ones, and those in `COMMON`, `brief` or the examples; it omits headings with " with ".
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str] = (),
        notes: str | Callable[[], str] = "",
        brief: Sequence[str] = (),
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.examples, self.notes = examples, notes
        self.brief = {*brief, *(word for example in examples for word in example.split() if word.startswith("--"))}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters as click does, and ``--help-all``."""
        return [*super().get_params(ctx), HELP_ALL]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage as click does, with the name of a default command in brackets."""
        group = _group_of_default(ctx)
        path = ctx.command_path if group is None else f"analyser {group.name} [{group.default_command}]"
        formatter.write_usage(path, " ".join(self.collect_usage_pieces(ctx)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings; a default command first lists the other commands of its group."""
        if (group := _group_of_default(ctx)) is not None:
            others = [(name, group.summary(name)) for name in group.summaries if name != group.default_command]
            _write_sections(formatter, {f"Other commands of {group.name} (default: {group.default_command})": others})
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
        notes = self.notes() if callable(self.notes) else self.notes
        lines = ["\b", "Examples:", *(f"  {path} {example}".rstrip() for example in self.examples)]
        self.epilog = "\n".join([*lines, "", notes if ALL_HELP in ctx.meta else ""])
        super().format_epilog(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, after rejecting repeated options, which click would ignore silently."""
        ctx.meta[TYPED_COMMAND] = " ".join([ctx.command_path, *args])
        _, _, stated = self.make_parser(ctx).parse_args([] if ctx.resilient_parsing else list(args))
        for option in stated:
            is_repeatable = not isinstance(option, click.Option) or option.multiple
            is_plain_flag = isinstance(option, click.Option) and option.is_flag and not option.secondary_opts
            if not is_repeatable and not is_plain_flag and stated.count(option) > 1:
                name = "' or '".join((*option.opts, *option.secondary_opts))
                problem = f"option '{name}' is given {stated.count(option)} times: it takes one value"
                raise click.UsageError(problem, ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, after checking that its output files can be written; end with its exit status."""
        assert self.callback is not None
        if "form" in ctx.params:
            self._check_output(ctx.params)
        passed = [param for param in self.params if not isinstance(param, Setting)]
        values = ((str(param.name), ctx.params.get(str(param.name))) for param in passed)
        status = ctx.invoke(self.callback, **{name: value for name, value in values if value not in (None, ())})
        if status:
            ctx.exit(status)

    def _check_output(self, params: dict[str, Any]) -> None:
        """Choose the format of the answer if none is stated; raise InputError if an output file cannot be written."""
        out, plot = params.get("out"), params.get("plot")
        params["form"] = params["form"] or self._form_of(Path(out or ""))
        if out is None and params["form"] == "parquet":
            raise InputError("parquet needs a file", where="--format", allowed="with --out FILE")
        if plot is not None and (extension := Path(plot).suffix).lower() not in PICTURE_EXTENSIONS:
            problem = f"{extension or 'no extension'!r} is not the extension of a picture"
            raise InputError(problem, where=str(Path(plot)), allowed=", ".join(PICTURE_EXTENSIONS))
        check_targets(Path(params[name]) for name in FILE_OPTIONS if params.get(name) is not None)

    @property
    def extensions(self) -> list[str]:
        """Extensions of output files that the command allows besides the common formats."""
        return [extension for option in self.params if isinstance(option, Setting) for extension in option.extensions]

    def _form_of(self, out: Path) -> str:
        """Return the format of an answer by the extension of its file; InputError for an unknown extension."""
        extension = out.suffix.lower()
        if extension.removeprefix(".") in FORMATS:
            return extension.removeprefix(".")
        if extension not in (*self.extensions, *TEXT_EXTENSIONS, ""):
            allowed = ", ".join((*self.extensions, *TEXT_EXTENSIONS, *(f".{form}" for form in FORMATS[1:])))
            raise InputError(f"unknown extension {extension!r}", where=str(out), allowed=f"{allowed}; or --format")
        return "text"


def command(arguments: str, *params: click.Parameter, **more: Any) -> Callable[[Callable[..., Any]], Command]:
    """Return a decorator that makes a :class:`Command` from a function.

    `arguments` are those of the usage line, such as ``UNIT [UNITS]...``. The name of each is its word in lower case;
    the word also selects the completion of its values.
    """
    return click.command(cls=Command, params=[*map(_argument, arguments.split()), *params], **more)


def _argument(usage: str) -> click.Argument:
    word = re.sub(r"[^A-Z].*", "", usage.lstrip("["))
    size = -1 if usage.endswith("...") else 1
    return click.Argument(
        [word.lower()],
        metavar=usage,
        nargs=size,
        required=not usage.startswith("["),
        shell_complete=COMPLETERS.get(word),
    )


def _group_of_default(context: click.Context) -> Commands | None:
    """Return the group whose default command is running, or None."""
    group = None if context.parent is None else context.parent.command
    return group if isinstance(group, Commands) and group.default_command == context.info_name else None


def _write_sections(formatter: click.HelpFormatter, sections: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    width = min(max(len(name) for rows in sections.values() for name, _ in rows), WIDEST_NAMES)
    for heading, rows in sections.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(width), text) for name, text in rows])
