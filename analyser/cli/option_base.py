"""Options of commands, the types of their values, and the completion of values by a shell."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from analyser.common.errors import InputError, allowed_names, check_integer, did_you_mean, shown
from analyser.common.files import parsed_toml

if TYPE_CHECKING:
    Parameter = click.ParamType[Any]
else:
    Parameter = click.ParamType  # generic only since click 8.4

METHOD, OUTPUT = "Method", "Input and output"  # headings in the help
_NUMBER = re.compile(r"[+-]?(\.\d+|\d+\.)")  # numbers that TOML does not accept, such as .5
_INTEGERS = ("N", "K")  # words for an integer in the help


class Option(click.Option):
    """An option under a heading of the help, its `group`.

    `usage` is the text in the help, such as ``--seed N``; a flag has only a name. `dest` is the function's parameter,
    by default named like the option. A number is at least `least` or more than `above`, and at most `most`; a value
    called ``N`` or ``K`` is an integer.
    """

    def __init__(
        self,
        usage: str,
        text: str,
        group: str = "Options",
        *,
        dest: str = "",
        choices: Sequence[str] = (),
        least: int | None = None,
        above: int | None = None,
        most: int | None = None,
        **more: Any,
    ) -> None:
        name, _, metavar = usage.partition(" ")
        if choices:
            more["type"] = Choice(choices)
        elif metavar in _INTEGERS and least is not None:
            more["type"] = integer(least, most)
        elif least is not None or above is not None:
            more["type"] = number(least, above, most)
        elif not metavar and "type" not in more:
            more |= {"is_flag": True, "default": None}
        more = {"shell_complete": COMPLETERS.get(name, COMPLETERS.get(metavar))} | more
        text += " Can be repeated." if more.get("multiple") else ""
        super().__init__([name, *filter(None, [dest])], metavar=metavar or None, help=text, **more)
        self.group = group


class Setting(Option):
    """An option that the function of a command does not get, because it is read from the context, such as ``--out``.

    `extensions` are those of output files that the command allows besides the common formats.
    """

    def __init__(self, *args: Any, extensions: Sequence[str] = (), **more: Any) -> None:
        super().__init__(*args, **more)
        self.extensions = extensions


class Choice(click.Choice[str]):
    """Choice of words; the error for a misspelt word has the nearest word.

    `read` returns the value of a text that is allowed besides the words, else None; `other` describes such texts.
    """

    def __init__(self, choices: Sequence[str], read: Callable[[str], Any] = lambda _: None, other: str = "") -> None:
        super().__init__(choices)
        self.read, self.other = read, other

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return one of the words, or the value of another allowed text."""
        other = self.read(value) if value not in self.choices else None
        return super().convert(value, param, ctx) if other is None else other

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Return the error, with the nearest word."""
        hint, allowed = did_you_mean(str(value), self.choices), allowed_names(self.choices, str(value))
        return f"{shown(value)} is not one of {allowed}{hint}{self.other and f'; nor {self.other}'}"


class Value(Parameter):
    """Type of a value that `read` makes from a text and the option's name; `read` raises InputError as the API does."""

    name = "value"

    def __init__(self, read: Callable[[str, str], Any]) -> None:
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """Return the value; a default is a value already."""
        return self.read(value, "" if param is None else param.opts[0]) if isinstance(value, str) else value


def integer(least: int, most: int | None = None) -> Value:
    """Return the type of an integer in a range."""

    def read(text: str, where: str) -> int:
        number: Any = text
        with suppress(ValueError):
            number = int(text)
        check_integer(number, where, least, most)
        return int(number)

    return Value(read)


def number(least: float | None, above: float | None = None, most: float | None = None) -> Value:
    """Return the type of a finite number that is at least `least` or more than `above`, and at most `most`."""
    allowed = f"above {above:g}" if least is None else f"{least:g} or more"
    allowed += "" if most is None else f", up to {most:g}"

    def read(text: str, where: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise InputError(f"must be a number, got {shown(text)}", where=where, allowed=allowed) from None
        is_large_enough = (least is None or value >= least) and (above is None or value > above)
        if not (is_large_enough and (most is None or value <= most) and math.isfinite(value)):
            raise InputError(f"{value:g} is out of range", where=where, allowed=allowed)
        return value

    return Value(read)


def file_of(extension: str, kind: str) -> Value:
    """Return the type of a file name with an extension; `kind` describes the file in the error, such as ``a page``."""

    def read(text: str, _: str) -> str:
        if Path(text).suffix.lower() != extension:
            raise InputError(f"{Path(text).suffix!r} is not the extension of {kind}", where=text, allowed=extension)
        return text

    return Value(read)


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


Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _units(context: click.Context) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield the faction and the data of each unit in the profile files, unchecked because a check is slow."""
    from analyser.common.files import read_toml
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


_complete_selector = _completer(
    lambda context: (f"{faction}/{unit['id']}@{level}" for faction, unit in _units(context) for level in unit["levels"])
)
complete_unit_name = _completer(
    lambda context: (name for faction, unit in _units(context) for name in (faction, f"{faction}/{unit['id']}"))
)


def _complete_file(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave the completion of a file or folder to the shell."""
    return [CompletionItem(incomplete, type="file")]


_UNIT_WORDS = ("PATTERN", "UNIT", "UNITS", "LOADOUTS", "ATTACKER", "ATTACKERS", "DEFENDERS", "TARGET", "A", "B")
_FILE_WORDS = (
    *("FILE", "FILES", "FOLDER", "DIR", "ARMY", "MINE", "YOURS", "OLD", "NEW"),
    *("PLAN", "STORE", "SCENARIO", "VARIANTS"),
)
COMPLETERS: Mapping[str, Completer] = {  # by the name of an option, or by the word for a value in the help
    **dict.fromkeys(_UNIT_WORDS, _complete_selector),
    **dict.fromkeys(_FILE_WORDS, _complete_file),
    **dict.fromkeys(("FACTION", "--faction"), _completer(lambda context: (faction for faction, _ in _units(context)))),
    "WHICH": complete_unit_name,
}
