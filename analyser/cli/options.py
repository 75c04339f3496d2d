"""The options of the commands: those that several share, and those that are keys of a scenario or a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import click

from analyser.cli.completion import complete_row
from analyser.cli.shell import QUIET, Choice
from analyser.common.files import value_typed

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from analyser.common.validation import Record

METHODS = ("exact", "monte-carlo", "both")
FORMATS = ("text", "json", "csv", "parquet")  # those of analyser.results.rendering


class Option(click.Option):
    """An option that stands under a heading of the help."""

    def __init__(self, *names: str, group: str = "Options", **more: Any) -> None:
        super().__init__(names, **more)
        self.group = group


class KeyOption(Option):
    """An option made from a key of a scenario or a question: its name, its type, its description.

    Parameters
    ----------
    path : tuple of str
        The key, after the sections that it is in.
    field : FieldInfo
    name : str, optional
        Default: the key.
    member : str
        Of a key that holds a list: what the option, a flag, adds to it.
    either : bool
        Whether a key that is true or false also has an option that says no. Default: only where the key is true.
    """

    def __init__(
        self, path: tuple[str, ...], field: FieldInfo, group: str, *, name: str = "", member: str = "",
        told: str | None = None, either: bool = False,
    ) -> None:  # fmt: skip
        self.path, self.member = path, member
        told = told or field.description
        flag = f"--{(name or member or path[-1]).replace('_', '-')}"
        kind, default = plain_type(field.annotation), field.default
        if isinstance(default, str | int) and default and not isinstance(default, bool) and "efault:" not in str(told):
            told = f"{told} Default: {default}."
        is_flag = bool(member) or kind is bool
        if kind is bool and (either or default is True):
            flag += f"/--no-{flag[2:]}"
        super().__init__(
            flag, "__".join((*path, member)).rstrip("_"), group=group, is_flag=is_flag, default=None, help=told,
            shell_complete=complete_row if path[-1] == "row" else None,
            type=None if is_flag else value_type(kind), metavar=None if is_flag else self._metavar_of(kind),
        )  # fmt: skip

    def _metavar_of(self, kind: Any) -> str | None:
        """How the help shows the value; a few choices say so themselves."""
        if len(get_args(kind)) > MOST_CHOICES:
            return self.path[-1].partition("_")[0].upper()
        return _METAVARS.get(kind)


MOST_CHOICES = 5  # that the help of an option lists
_METAVARS: Mapping[Any, str] = {int: "N", float: "X", str: "NAME"}


class FacesAndDice(click.ParamType):  # type: ignore[type-arg]
    """Faces and dice, such as ``miss,blank:2``; names and range are for the scenario to check."""

    name = "faces:dice"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As a scenario file writes it.

        Examples
        --------
        >>> FacesAndDice().convert("miss,blank:2", None, None)
        {'faces': ['miss', 'blank'], 'dice': 2}
        """
        faces, _, dice = str(value).partition(":")
        if not dice.strip().isdecimal():
            self.fail(f"{value!r} (allowed: faces and dice, such as miss,blank:2)", param, ctx)
        return {"faces": [face.strip() for face in faces.split(",") if face.strip()], "dice": int(dice)}


class Value(click.ParamType):  # type: ignore[type-arg]  # older versions of click have no argument for it
    """A value as a file would have it, a number also as ``.5``; the scenario checks it."""

    name = "value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """The TOML value, or a word."""
        found = value_typed(value, param.opts[0] if param else "") if isinstance(value, str) else value
        return float(value) if found == value and _NUMBER.fullmatch(str(value)) else found


_NUMBER = re.compile(r"[+-]?(\.\d+|\d+\.)")  # those that are none in TOML


class Format(Choice):
    """A format of answers; ``table`` is an older name of ``text``."""

    def __init__(self) -> None:
        super().__init__(FORMATS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does."""
        return super().convert("text" if value == "table" else value, param, ctx)


def plain_type(annotation: Any) -> Any:
    """A type without its bounds, and without None.

    Examples
    --------
    >>> plain_type(Annotated[int, "1 or more"] | None)
    <class 'int'>
    """
    inside = [each for each in get_args(annotation) if each is not NoneType]
    if get_origin(annotation) is Annotated:
        return plain_type(inside[0])
    if get_origin(annotation) in (Union, UnionType) and len(inside) == 1:
        return plain_type(inside[0])
    return annotation


def value_type(kind: Any) -> Any:
    """What reads the value of a key of that type from a command line."""
    if get_origin(kind) is Literal and all(isinstance(each, str) for each in get_args(kind)):
        return Choice(get_args(kind))
    if getattr(kind, "__name__", "") == "ExtraReroll":
        return FacesAndDice()
    return click.STRING if kind is str else Value()


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


FROM_0, AT_LEAST_1 = click.IntRange(0), click.IntRange(1)
METHOD, OUTPUT = "Method", "Input and output"
SEED = Option("--seed", type=FROM_0, metavar="N", group=METHOD, help="Monte Carlo: same seed, same bits (0).")
THREADS = Option(
    "--threads", type=AT_LEAST_1, metavar="N", group=METHOD, help="The answer is the same with any number."
)
PROFILES = Option(
    "--profiles", type=click.Path(), metavar="DIR", group=OUTPUT, is_eager=True,
    help="Folder of unit files. Default: those that ship.",
)  # fmt: skip

FORMAT = Option("--format", "form", type=Format(), default="text", show_default=True, group=OUTPUT)
OUT = Option(
    "--out", type=click.Path(), metavar="FILE", group=OUTPUT,
    help="Write there, whole or not at all. Default: standard output.",
)  # fmt: skip
PLOT = Option("--plot", type=click.Path(), metavar="FILE", group=OUTPUT, help="Also a picture: .png, .svg or .pdf.")
QUIET_OPTION = Option(
    "--quiet", is_flag=True, expose_value=False, group=OUTPUT,
    callback=lambda context, _, value: context.meta.update({QUIET: value}),
    help="The answer alone: no notes, warnings or progress.",
)  # fmt: skip
OUTPUT_OPTIONS = [PROFILES, FORMAT, OUT, PLOT, QUIET_OPTION]
ANSWER_OPTIONS = [
    Option("--method", type=Choice(METHODS), default="exact", show_default=True, group=METHOD),
    Option("--trials", type=AT_LEAST_1, metavar="N", group=METHOD, help="Monte Carlo: how often it is played."),
    SEED,
    Option(
        "--precision", type=click.FloatRange(0, min_open=True), metavar="P", group=METHOD,
        help="Monte Carlo: play until no 95% interval is wider.",
    ),
    THREADS,
    *OUTPUT_OPTIONS,
]  # fmt: skip
REPLACEMENT = Option(
    "--replacement", is_flag=True, default=None, group=METHOD,
    help="Monte Carlo: put each card back, as the exact answer does. Default: real decks.",
)  # fmt: skip
