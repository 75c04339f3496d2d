"""The options of the commands: those that several share, and those that are keys of a scenario or a question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from analyser.cli.completion import complete_row
from analyser.cli.shell import QUIET, Choice
from analyser.common.files import value_typed

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from analyser.common.validation import Record

METHODS = ("exact", "monte-carlo", "both")
FORMATS = ("text", "json", "csv", "parquet")  # those of analyser.results.rendering
MOST_CHOICES = 5  # that the help of an option lists
_NUMBER = re.compile(r"[+-]?(\.\d+|\d+\.)")  # those that are none in TOML


class Option(click.Option):
    """An option under a heading of the help, its `group`.

    `usage` is the option as the help shows it, such as ``--seed N``, of a flag the name alone; `dest` the parameter of
    the function, by default the name.
    """

    def __init__(self, usage: str, text: str, group: str = "Options", *, dest: str = "", **more: Any) -> None:
        name, _, metavar = usage.partition(" ")
        more |= {"is_flag": True} if not metavar and "type" not in more else {}
        super().__init__([name, *filter(None, [dest])], metavar=metavar or None, help=text, **more)
        self.group = group


class KeyOption(Option):
    """An option made from a key of a scenario or a question, by default with its name and its description.

    `path` is the key, after the sections that it is in. Of a key that holds a list, `member` is what the option, a
    flag, adds to it. With `either` a key that is true or false always has an option that says no, not only where it is
    true by default.
    """

    def __init__(
        self,
        path: tuple[str, ...],
        field: FieldInfo,
        group: str,
        *,
        name: str = "",
        member: str = "",
        text: str | None = None,
        either: bool = False,
    ) -> None:
        self.path, self.member = path, member
        kind, default, text = plain_type(field.annotation), field.default, str(text or field.description)
        if default and isinstance(default, str | int) and default is not True and "efault:" not in text:
            text += f" Default: {default}."
        flag, metavar = f"--{(name or member or path[-1]).replace('_', '-')}", ""
        more: dict[str, Any] = {"default": None}
        if kind is bool and (either or default is True):
            flag += f"/--no-{flag[2:]}"
        if not member and kind is not bool:
            metavar, more["type"], more["callback"] = _value_of_type(kind, path[-1].split("_")[0].upper())
        if path[-1] == "row":
            more["shell_complete"] = complete_row
        super().__init__(
            f"{flag} {metavar}".strip(), text, group, dest="__".join(filter(None, (*path, member))), **more
        )


def plain_type(annotation: Any) -> Any:
    """A type without its bounds, and without None.

    >>> plain_type(Annotated[int, "1 or more"] | None)
    <class 'int'>
    """
    inside = [each for each in get_args(annotation) if each is not NoneType]
    if get_origin(annotation) is Annotated or (get_origin(annotation) in (Union, UnionType) and len(inside) == 1):
        return plain_type(inside[0])
    return annotation


def _value_of_type(kind: Any, name: str) -> tuple[str, Any, Any]:
    """Of a key of that type the value as the help shows it, its type for click, and what reads it after that."""
    words = get_args(kind)
    if get_origin(kind) is Literal and all(isinstance(each, str) for each in words):
        return (name if len(words) > MOST_CHOICES else ""), Choice(words), None
    if getattr(kind, "__name__", "") == "ExtraReroll":
        return "FACES:DICE", str, faces_and_dice
    return {int: "N", float: "X", str: "NAME"}.get(kind, "VALUE"), str, None if kind is str else _read_value


def _read_value(_: click.Context, option: click.Parameter, text: str | None) -> Any:
    """As a file would have it; the scenario checks it."""
    return None if text is None else value_of(text, option.opts[0])


def faces_and_dice(context: click.Context, option: click.Parameter, text: str | None) -> dict[str, Any] | None:
    """Faces and dice such as ``miss,blank:2`` as a scenario file writes them; names and range are for it to check.

    >>> faces_and_dice(click.Context(click.Command("attack")), click.Option(["--extra-reroll"]), "miss,blank:2")
    {'faces': ['miss', 'blank'], 'dice': 2}
    """
    if text is None:
        return None
    faces, _, dice = text.partition(":")
    number = value_typed(dice.strip(), "extra_reroll")
    if not isinstance(number, int):
        problem = f"{text!r} (allowed: faces and dice, such as miss,blank:2)"
        raise click.BadParameter(problem, context, option)
    return {"faces": list(filter(None, names(faces))), "dice": number}


def value_of(text: str, where: str) -> Any:
    """A value as a file would have it; a number may begin with its point, words in a list need no quotes.

    >>> value_of("[Durable, Sponsons (2)]", "target"), value_of(".5", "chance"), value_of("melee", "row")
    (['Durable', 'Sponsons (2)'], 0.5, 'melee')
    """
    value = value_typed(text, where)
    if value == text and text[:1] + text[-1:] == "[]":
        return names(text[1:-1])
    return float(text) if value == text and _NUMBER.fullmatch(text) else value


def names(text: str) -> list[str]:
    """Names with commas between them."""
    return [each.strip() for each in text.split(",")]


class File(click.ParamType):  # type: ignore[type-arg]  # older versions of click have no argument for it
    """The name of a file or folder; whether there can be one is for whoever opens it to say."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Left to the shell."""
        return [CompletionItem(incomplete, type="file")]


class Format(Choice):
    """A format of answers; ``table`` is an older name of ``text``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does."""
        return super().convert("text" if value == "table" else value, param, ctx)


def keys_of(record: type[Record], section: str, group: str) -> list[KeyOption]:
    """An option for each key of a section of a scenario that has a description."""
    fields = record.model_fields.items()
    return [KeyOption((section, key), field, group) for key, field in fields if field.description]


def given_keys() -> Iterator[tuple[KeyOption, Any]]:
    """The keys that the command in progress was given as options, and their values."""
    context = click.get_current_context()
    for option in context.command.params:
        if isinstance(option, KeyOption) and context.params[str(option.name)] is not None:
            yield option, context.params[str(option.name)]


def _hush(context: click.Context, _: click.Parameter, quiet: bool) -> None:
    context.meta[QUIET] = quiet


METHOD, OUTPUT = "Method", "Input and output"
AT_LEAST_1, ABOVE_0, FILE = click.IntRange(1), click.FloatRange(0, min_open=True), File()
THREADS = Option("--threads N", "The answer does not depend on it.", METHOD, type=AT_LEAST_1)
SAMPLE_OPTIONS = [
    Option("--seed N", "Monte Carlo: same seed, same bits (0).", METHOD, type=click.IntRange(0)),
    Option("--precision P", "Monte Carlo: play until no 95% interval is wider.", METHOD, type=ABOVE_0),
    THREADS,
]
PROFILES = Option("--profiles DIR", "Folder of unit files. Default: those that ship.", OUTPUT, type=FILE, is_eager=True)
_FORMAT = "How the answer is written. Default: text."
FORMAT = Option("--format", _FORMAT, OUTPUT, dest="form", type=Format(FORMATS), default="text")
OUT = Option("--out FILE", "Write there, whole or not at all. Default: standard output.", OUTPUT, type=FILE)
PLOT = Option("--plot FILE", "Also a picture: .png, .svg or .pdf.", OUTPUT, type=FILE)
QUIET_OPTION = Option("--quiet", "No notes, warnings or progress.", OUTPUT, expose_value=False, callback=_hush)
OUTPUT_OPTIONS = [PROFILES, FORMAT, OUT, PLOT, QUIET_OPTION]
ANSWER_OPTIONS = [
    Option("--method", "Default: exact.", METHOD, type=Choice(METHODS), default="exact"),
    Option("--trials N", "Monte Carlo: how often it is played.", METHOD, type=AT_LEAST_1),
    *SAMPLE_OPTIONS,
    *OUTPUT_OPTIONS,
]
_WITH_REPLACEMENT = "Monte Carlo: put each card back, as the exact answer does. Default: real decks."
REPLACEMENT = Option("--replacement", _WITH_REPLACEMENT, METHOD, default=None)
