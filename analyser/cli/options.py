"""Options of commands, including options made from keys of scenarios, and the completion of their values."""

from __future__ import annotations

import importlib
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from analyser.cli.command_base import FORMATS, QUIET, RULESET, Choice, ChoiceOr, integer_in, policy_in_words
from analyser.common.errors import InputError, check_integer, shown
from analyser.common.files import parsed_toml, read_toml
from analyser.common.precision import Precision

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from pydantic.fields import FieldInfo

    from analyser.common.validation import Record

    Parameter = click.ParamType[Any]
else:
    Parameter = click.ParamType  # generic only since click 8.4

METHOD, OUTPUT, DIE_AND_DECK = "Method", "Input and output", "Die and deck"  # headings in the help
PAGE_EXTENSION = ".html"  # extension of a page
METHODS = ("exact", "monte-carlo", "both")
MOST_CHOICES = 5  # listed in the help of an option
_MOST_DIGITS = 3  # of the last card value of a range
_NUMBER = re.compile(r"[+-]?(\.\d+|\d+\.)")  # numbers that TOML does not accept
KeyPath = tuple[str, ...]  # the sections that contain a key, and the key
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _units(context: click.Context) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield the faction and the data of each unit in the profile files, unchecked because a check is slow."""
    from analyser.game.profiles import FILES_FOR_ALL, shipped_profiles

    folder = context.params.get("profiles")
    for path in sorted((shipped_profiles() if folder is None else Path(folder)).glob("*.toml")):
        if path.name not in FILES_FOR_ALL:
            faction = read_toml(path)
            yield from ((faction["id"], unit) for unit in faction.get("unit", ()))


def _completer(names_in: Callable[[click.Context], Iterable[str]]) -> Completer:
    """Return a completer of names; it offers nothing if the names cannot be read."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            return [CompletionItem(name) for name in dict.fromkeys(names_in(context)) if name.startswith(incomplete)]
        except Exception:  # the command, not completion, reports errors in profile files
            return []

    return complete


complete_selector = _completer(
    lambda context: (f"{faction}/{unit['id']}@{level}" for faction, unit in _units(context) for level in unit["levels"])
)
complete_units = _completer(
    lambda context: (name for faction, unit in _units(context) for name in (faction, f"{faction}/{unit['id']}"))
)

complete_factions = _completer(lambda context: (faction for faction, _ in _units(context)))


def complete_situations(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the last of several names between commas."""
    from analyser.analysis.situations import ALL_SITUATIONS, SITUATIONS

    before, comma, last = incomplete.rpartition(",")
    offered = [*SITUATIONS, *([] if comma else [ALL_SITUATIONS])]
    return [CompletionItem(f"{before}{comma}{name}") for name in offered if name.startswith(last)]


def complete_file(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave the completion of a file or folder to the shell."""
    return [CompletionItem(incomplete, type="file")]


COMPLETERS: Mapping[str, Completer] = {  # by the name of an option, or by the word for its value in the help
    "--metric": _completer(lambda _: importlib.import_module("analyser.common.metrics").MATCHUP_METRICS),
    "--row": _completer(lambda context: (row["id"] for _, unit in _units(context) for row in unit.get("rows", ()))),
    "--situations": complete_situations,
    "PATTERN": complete_selector,
    "UNIT": complete_selector,
    "FILE": complete_file,
    "DIR": complete_file,
}


class Option(click.Option):
    """An option under a heading of the help, its `group`.

    `usage` is the text in the help, such as ``--seed N``; a flag has only a name. `dest` is the function's parameter,
    by default named like the option.
    """

    def __init__(self, usage: str, text: str, group: str = "Options", *, dest: str = "", **more: Any) -> None:
        name, _, metavar = usage.partition(" ")
        more |= {"is_flag": True} if not metavar and "type" not in more else {}
        more = {"shell_complete": COMPLETERS.get(name, COMPLETERS.get(metavar))} | more
        super().__init__([name, *filter(None, [dest])], metavar=metavar or None, help=text, **more)
        self.group = group


class OutOption(Option):
    """Option for the output file of an answer; `extensions` are allowed besides the common formats."""

    def __init__(self, *extensions: str) -> None:
        text = "Output file. Default: standard output."
        super().__init__("--out FILE", text, OUTPUT)
        self.extensions = extensions


def is_page(out: str | None) -> bool:
    """Return True if `out` has the extension of a page."""
    return Path(out or "").suffix.lower() == PAGE_EXTENSION


def check_is_page(out: str) -> None:
    """Raise InputError unless `out` has the extension of a page."""
    if not is_page(out):
        raise InputError(f"{Path(out).suffix!r} is not the extension of a page", where=out, allowed=PAGE_EXTENSION)


class KeyOption(Option):
    """An option made from a key of a scenario or a question.

    `path` has the sections of the key, then the key. With `entry`, the key has a list, and the option is a flag that
    adds `entry` to the list. With `both`, a flag has a ``--no-`` form even if its default is false.
    """

    def __init__(
        self, name: str, path: KeyPath, field: FieldInfo, group: str, text: str, *, entry: str = "", both: bool = False
    ) -> None:
        self.path, self.entry = path, entry
        kind, default = plain_type(field.annotation), field.default
        if default and isinstance(default, str | int | float) and default is not True and "efault:" not in text:
            text += f" Default: {default:g}." if isinstance(default, float) else f" Default: {default}."
        flag, metavar = f"--{name.replace('_', '-')}", ""
        more: dict[str, Any] = {"default": None}
        if kind is bool and (both or default is True):
            flag += f"/--no-{flag[2:]}"
        if not entry and kind is not bool:
            metavar, more["type"], read = _reader_of_type(kind, path[-1].split("_")[0].upper())
            if read is not None:
                more["callback"] = lambda _, option, text: None if text is None else read(text, option.opts[0])
        dest = "__".join(filter(None, (*path, entry)))
        super().__init__(f"{flag} {metavar}".strip(), text, group, dest=dest, **more)


def plain_type(annotation: Any) -> Any:
    """Return a type without bounds and without None."""
    members = [arg for arg in get_args(annotation) if arg is not NoneType]
    if get_origin(annotation) is Annotated or (get_origin(annotation) in (Union, UnionType) and len(members) == 1):
        return plain_type(members[0])
    return annotation


def _reader_of_type(kind: Any, name: str) -> tuple[str, Any, Callable[[str, str], Any] | None]:
    """Return the word for a key's value in the help, its click type, and the function that reads its text, or None."""
    words = get_args(kind)
    if get_origin(kind) in (Union, UnionType) and get_origin(words[0]) is Literal:  # one of some names, or another text
        if int in map(plain_type, words[1:]):
            return name, ChoiceOr(get_args(words[0]), integer_in, "an integer"), None
        return name, ChoiceOr(get_args(words[0]), policy_in_words, "a policy in words, such as 'aim and shoot'"), None
    if get_origin(kind) is Literal and all(isinstance(word, str) for word in words):
        return (name if len(words) > MOST_CHOICES else ""), Choice(words), None
    if getattr(kind, "__name__", "") == "ExtraReroll":
        return "FACES:DICE", str, _faces_and_dice
    return {int: "N", float: "X", str: "NAME"}.get(kind, "VALUE"), str, None if kind is str else parse_value


def _faces_and_dice(text: str, _: str) -> dict[str, Any]:
    """Return the table for faces and dice such as ``miss,blank:2``; the scenario checks names and ranges."""
    faces, _, dice = text.partition(":")
    number = parse_value(dice.strip(), "extra_reroll")
    if not isinstance(number, int):
        raise click.BadParameter(f"{text!r} (allowed: faces and dice, such as miss,blank:2)")
    return {"faces": list(filter(None, split_names(faces))), "dice": number}


def parse_value(text: str, where: str) -> Any:
    """Return a value written as in TOML; ``.5`` is also a number, and words need no quotes, even in a list."""
    try:
        return parsed_toml(f"value = {text}", where)["value"]
    except InputError as error:
        if not isinstance(error.__context__, tomllib.TOMLDecodeError):
            raise
    if text[:1] + text[-1:] == "[]":
        return split_names(text[1:-1])
    return float(text) if _NUMBER.fullmatch(text) else text


def split_names(text: str) -> list[str]:
    """Return the names between commas."""
    return [part.strip() for part in text.split(",")]


class Format(Choice):
    """A format of answers."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert as click does; the error for a format that needs a file mentions --out."""
        options = () if ctx is None else ctx.command.params
        extensions = [name for option in options if isinstance(option, OutOption) for name in option.extensions]
        if isinstance(value, str) and (extension := f".{value.lower()}") in extensions:
            self.fail(f"{value!r} needs a file: --out FILE{extension}", param, ctx)
        return super().convert(value, param, ctx)


class Integer(click.IntRange):
    """An integer in a range; errors have the same text as in the Python API."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """Return the integer; raise InputError for any other value."""
        with suppress(ValueError):
            value = int(value)
        check_integer(value, _name_of(param), int(self.min or 0), None if self.max is None else int(self.max))
        return value


class Number(click.FloatRange):
    """A number in a range; errors have the same text as in the Python API."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """Return the number; raise InputError for any other value."""
        least, most = float(self.min or 0), math.inf if self.max is None else float(self.max)
        allowed = f"above {least:g}" if self.min_open else f"{least:g} or more"
        allowed += "" if self.max is None else f", up to {most:g}"
        try:
            number = float(value)
        except ValueError:
            raise InputError(f"must be a number, got {shown(value)}", where=_name_of(param), allowed=allowed) from None
        is_large_enough = number > least if self.min_open else number >= least
        if not (is_large_enough and number <= most and math.isfinite(number)):
            raise InputError(f"{number:g} is out of range", where=_name_of(param), allowed=allowed)
        return number


class Counts(Parameter):
    """Counts of faces or cards, such as ``strike=2,miss=1``; for a deck also ``1..12=3``."""

    name = "counts"

    def __init__(self, part: str, example: str) -> None:
        self.part, self.example = part, example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """Return the die or deck as plain data; raise InputError, with the nearest name, for any other value."""
        from analyser.game.ruleset import ruleset_parts

        where, counts = _name_of(param), dict[str, Any]()
        for entry in split_names(value):
            name, equals, count = entry.partition("=")
            if not equals or not count.strip():
                raise InputError(f"{shown(entry)} is not usable", where=where, allowed=f"such as {self.example}")
            for key in _names_in(name.strip()):
                if key in counts:
                    raise InputError(f"{key} is given twice", where=where, allowed="each once")
                counts[key] = parse_value(count.strip(), where)
        return ruleset_parts({self.part: counts}, where)[self.part]


def _names_in(name: str) -> Iterator[str]:
    """Yield each card value of a range such as ``1..12``, or the name itself."""
    first, dots, last = name.partition("..")
    if dots and first.isdecimal() and last.isdecimal() and len(last) <= _MOST_DIGITS:
        yield from map(str, range(int(first), int(last) + 1))
    else:
        yield name


def _store_ruleset_option(context: click.Context, option: click.Parameter, value: Any) -> None:
    if value is not None:
        context.meta[RULESET] = context.meta.get(RULESET, {}) | {str(option.name): value}


class PrecisionType(Parameter):
    """Precision of a simulation: the greatest width of an interval; ``5%`` is relative to its probability."""

    name = "precision"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """Return the value unchanged; raise InputError if it cannot be parsed."""
        Precision.read(value, _name_of(param))
        return value


def _name_of(param: click.Parameter | None) -> str:
    return "" if param is None else param.opts[0]


def key_options(record: type[Record], section: str, group: str) -> list[KeyOption]:
    """Return an option for each described key in a section of a scenario."""
    fields = record.model_fields.items()
    return [KeyOption(key, (section, key), field, group, text) for key, field in fields if (text := field.description)]


def key_values() -> Iterator[tuple[KeyOption, Any]]:
    """Yield the keys stated as options of the running command, with their values."""
    context = click.get_current_context()
    for option in context.command.params:
        if isinstance(option, KeyOption) and context.params[str(option.name)] is not None:
            yield option, context.params[str(option.name)]


def _silence(context: click.Context, _: click.Parameter, quiet: bool) -> None:
    context.meta[QUIET] = quiet


_SITUATIONS = "Situations, separated by commas: long-range, short-range-aimed, charge, duel"


def situations_option(default: str, group: str = "Options") -> Option:
    """Return the option ``--situations``; `default` ends its help text."""
    return Option("--situations NAMES", f"{_SITUATIONS}{default}", group, type=split_names)


AT_LEAST_1 = Integer(1)
_DASK = "Dask scheduler whose workers share the work; `local` starts one here."
DASK = Option("--dask ADDRESS", _DASK)
THREADS = Option("--threads N", "Number of threads (the result is the same).", METHOD, type=AT_LEAST_1)
_POLICY = "Policy of both sides: simple tactics, or best play of whole duels. Default: tactic."
POLICY = Option("--policy", _POLICY, type=Choice(("tactic", "best")))
_PRECISION = (
    "Monte Carlo: simulate until every 95% interval is at most P wide, such as 0.001, or 5% of its probability."
)
SAMPLE_OPTIONS = [
    Option("--seed N", "Monte Carlo: seed; same seed, same result. Default: 0.", METHOD, type=Integer(0)),
    Option("--precision P", _PRECISION, METHOD, type=PrecisionType()),
    THREADS,
]
PROFILES = Option("--profiles DIR", "Folder of unit files. Default: the shipped files.", OUTPUT, is_eager=True)
_DEFAULT_FACES, _DEFAULT_CARDS = "heroic=1,strike=2,glancing=1,miss=1,blank=1", "1..12=3"
_STORED_IN_META: dict[str, Any] = {"expose_value": False, "callback": _store_ruleset_option}
RULESET_OPTIONS = [
    Option(
        "--die FACES",
        f"Sides of the attack die by symbol. Default: {_DEFAULT_FACES}.",
        DIE_AND_DECK,
        type=Counts("die", _DEFAULT_FACES),
        **_STORED_IN_META,
    ),
    Option(
        "--deck CARDS",
        f"Copies of each card in the deck. Default: {_DEFAULT_CARDS}.",
        DIE_AND_DECK,
        type=Counts("deck", _DEFAULT_CARDS),
        **_STORED_IN_META,
    ),
]
"""Options for the die and the deck, which the rulebook does not print."""
_FORMAT = "Format of the answer. Default: from the extension of --out, or text."
FORMAT = Option("--format", _FORMAT, OUTPUT, dest="form", type=Format(FORMATS))
OUT = OutOption()
PLOT = Option("--plot FILE", "Also draw a picture: .png, .svg or .pdf.", OUTPUT)
QUIET_OPTION = Option("--quiet", "Print no notes, warnings or progress.", OUTPUT, expose_value=False, callback=_silence)
OUTPUT_OPTIONS = [*RULESET_OPTIONS, PROFILES, FORMAT, OUT, PLOT, QUIET_OPTION]
ANSWER_OPTIONS = [
    Option("--method", "Method. Default: exact.", METHOD, type=Choice(METHODS), default="exact"),
    Option("--trials N", "Monte Carlo: number of trials.", METHOD, type=AT_LEAST_1),
    *SAMPLE_OPTIONS,
    *OUTPUT_OPTIONS,
]
_WITH_REPLACEMENT = "Monte Carlo: put each card back after a draw, as exact answers do. Default: real decks."
FIGHT_OPTIONS = [*ANSWER_OPTIONS, Option("--replacement", _WITH_REPLACEMENT, METHOD, default=None)]


@contextmanager
def dask_executor(dask: str | None, threads: int | None = None) -> Iterator[Executor | None]:
    """Yield the executor for ``--dask``; None without that option."""
    if dask is None:
        yield None
        return
    from analyser.common.method_settings import default_threads
    from analyser.sweep.dask_executor import dask_executor as dask_workers

    with dask_workers(dask, threads or default_threads()) as executor:
        yield executor
