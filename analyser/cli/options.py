"""Options that several commands share, and options made from keys of scenarios."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import click

from analyser.cli.command_base import FORMATS, Command
from analyser.cli.option_base import METHOD, OUTPUT, Choice, Option, Setting, Value, file_of, parse_value, split_names
from analyser.common.errors import InputError, shown
from analyser.common.precision import Precision

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from analyser.common.validation import Record

DIE_AND_DECK = "Die and deck"  # heading in the help
METHODS = ("exact", "monte-carlo", "both")
MOST_CHOICES = 5  # most choices listed in the help of an option
_MOST_DIGITS = 3  # most digits of the last card value in a range such as 1..12
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
KeyPath = tuple[str, ...]  # the sections that contain a key, and the key


class Format(Choice):
    """A format of answers; the error for a format that needs a file mentions --out."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the error."""
        extension = f".{str(value).lower()}"
        if ctx is not None and isinstance(ctx.command, Command) and extension in ctx.command.extensions:
            return f"{value!r} needs a file: --out FILE{extension}"
        return super().get_invalid_choice_message(value, ctx)


def _precision(text: str, where: str) -> str:
    Precision.read(text, where)
    return text


def _counts(part: str, example: str) -> Value:
    """Return the type of an option with counts of faces, such as ``strike=2,miss=1``, or of cards: ``1..12=3``."""

    def read(text: str, where: str) -> Any:
        from analyser.game.ruleset import ruleset_parts

        counts = dict[str, Any]()
        for entry in split_names(text):
            name, equals, count = entry.partition("=")
            if not equals or not count.strip():
                raise InputError(f"{shown(entry)} is not usable", where=where, allowed=f"such as {example}")
            for key in _names_in(name.strip()):
                if key in counts:
                    raise InputError(f"{key} is given twice", where=where, allowed="each once")
                counts[key] = parse_value(count.strip(), where)
        return ruleset_parts({part: counts}, where)[part]

    return Value(read)


def _names_in(name: str) -> Iterator[str]:
    """Yield each card value of a range such as ``1..12``, or the name itself."""
    first, dots, last = name.partition("..")
    if dots and first.isdecimal() and last.isdecimal() and len(last) <= _MOST_DIGITS:
        yield from map(str, range(int(first), int(last) + 1))
    else:
        yield name


def _faces_and_dice(text: str, _: str) -> dict[str, Any]:
    """Return the faces and the number of dice in a text such as ``miss,blank:2``; the scenario checks both."""
    faces, _, dice = text.partition(":")
    count = parse_value(dice.strip(), "extra_reroll")
    if not isinstance(count, int):
        raise click.BadParameter(f"{text!r} (allowed: faces and dice, such as miss,blank:2)")
    return {"faces": list(filter(None, split_names(faces))), "dice": count}


class KeyOption(Setting):
    """An option made from a key of a scenario or a question.

    `path` has the sections of the key, then the key. With `entry`, the value of the key is a list, and the option is a
    flag that adds `entry` to it. With `both`, a flag has a ``--no-`` form even if its default is false.
    """

    def __init__(
        self, name: str, path: KeyPath, field: FieldInfo, group: str, text: str, *, entry: str = "", both: bool = False
    ) -> None:
        self.path, self.entry = path, entry
        kind, default = plain_type(field.annotation), field.default
        if default and isinstance(default, str | int | float) and default is not True and "efault:" not in text:
            text += f" Default: {default:g}." if isinstance(default, float) else f" Default: {default}."
        usage, more = f"--{name.replace('_', '-')}", dict[str, Any]()
        if kind is bool and (both or default is True):
            usage += f"/--no-{usage[2:]}"
        if not entry and kind is not bool:
            metavar, more["type"] = _type_of_key(kind, path[-1].split("_")[0].upper())
            usage += f" {metavar}"
        super().__init__(usage.strip(), text, group, dest="__".join(filter(None, (*path, entry))), **more)


def plain_type(annotation: Any) -> Any:
    """Return a type without bounds and without None."""
    members = [arg for arg in get_args(annotation) if arg is not NoneType]
    if get_origin(annotation) is Annotated or (get_origin(annotation) in (Union, UnionType) and len(members) == 1):
        return plain_type(members[0])
    return annotation


def _type_of_key(kind: Any, name: str) -> tuple[str, Any]:
    """Return the word for a key's value in the help, and its type on the command line."""
    words = get_args(kind)
    if get_origin(kind) in (Union, UnionType) and get_origin(words[0]) is Literal:  # a listed name, or another text
        if int in map(plain_type, words[1:]):
            return name, Choice(get_args(words[0]), _integer_in, "an integer")
        return name, Choice(get_args(words[0]), _policy_in_words, "a policy in words, such as 'aim and shoot'")
    if get_origin(kind) is Literal and all(isinstance(word, str) for word in words):
        return (name if len(words) > MOST_CHOICES else ""), Choice(words)
    if getattr(kind, "__name__", "") == "ExtraReroll":
        return "FACES:DICE", Value(_faces_and_dice)
    return {int: "N", float: "X", str: "NAME"}.get(kind, "VALUE"), str if kind is str else Value(parse_value)


def _policy_in_words(text: str) -> str | None:
    from analyser.rules.policy_lines import is_in_words

    return text if is_in_words(text) else None


def _integer_in(text: str) -> int | None:
    """Return the integer in a text, or None; its bounds are checked later, with the whole question."""
    return int(text) if _INTEGER.fullmatch(text) else None


def key_options(record: type[Record], section: str, group: str) -> list[KeyOption]:
    """Return an option for each key of a scenario section that has a description."""
    fields = record.model_fields.items()
    return [KeyOption(key, (section, key), field, group, text) for key, field in fields if (text := field.description)]


def key_values() -> Iterator[tuple[KeyOption, Any]]:
    """Yield the keys stated as options of the running command, with their values."""
    context = click.get_current_context()
    for option in context.command.params:
        if isinstance(option, KeyOption) and context.params[str(option.name)] is not None:
            yield option, context.params[str(option.name)]


def stated_terms() -> dict[str, Any]:
    """Return the values of the keys stated as options of the running command, by key without section."""
    return {option.path[-1]: value for option, value in key_values()}


def out_extension() -> str:
    """Return the extension of the output file of the running command; empty without one."""
    return Path(click.get_current_context().params["out"] or "").suffix.lower()


def is_page() -> bool:
    """Return True if the running command writes a page."""
    return out_extension() == ".html"


def situations(default: str, group: str = "Options", *, duel: bool = True) -> Option:
    """Return the option ``--situations``; `default` ends its help text."""
    text = f"Situations, separated by commas: long-range, short-range-aimed, charge{', duel' * duel}{default}"
    return Option("--situations NAMES", text, group, type=split_names)


DASK = Option("--dask ADDRESS", "Dask scheduler whose workers share the work; `local` starts one here.")
THREADS = Option("--threads N", "Number of threads (the result is the same).", METHOD, least=1)
_POLICIES = ("tactic", "best")
POLICY = Option("--policy", "Policy of both sides: a simple tactic, or best play. Default: tactic.", choices=_POLICIES)
_PRECISION = "Monte Carlo: simulate until every 95% interval is this narrow; 5% means relative to each probability."
SAMPLE_OPTIONS = [
    Option("--seed N", "Monte Carlo: seed; same seed, same result. Default: 0.", METHOD, least=0),
    Option("--precision P", _PRECISION, METHOD, type=Value(_precision)),
    THREADS,
]
PROFILES = Setting("--profiles DIR", "Folder of unit files. Default: the shipped files.", OUTPUT, is_eager=True)
_FACES, _CARDS = "heroic=1,strike=2,glancing=1,miss=1,blank=1", "1..12=3"
_DIE, _DECK = f"Sides of the attack die by symbol. Default: {_FACES}.", f"Copies of each card. Default: {_CARDS}."
RULESET_OPTIONS = [
    Setting("--die FACES", _DIE, DIE_AND_DECK, type=_counts("die", _FACES)),
    Setting("--deck CARDS", _DECK, DIE_AND_DECK, type=_counts("deck", _CARDS)),
]
"""Options for the die and the deck, which the rulebook does not print."""
_FORM: dict[str, Any] = {"dest": "form", "type": Format(FORMATS)}
FORMAT = Setting("--format", "Format of the answer. Default: from the extension of --out, or text.", OUTPUT, **_FORM)
PLOT = Setting("--plot FILE", "Also draw a picture: .png, .svg or .pdf.", OUTPUT)
QUIET = Setting("--quiet", "Print no notes, warnings or progress.", OUTPUT)
INPUT = [*RULESET_OPTIONS, PROFILES, QUIET]
"""Options of a command that reads profiles."""
_PAGE_TYPE: dict[str, Any] = {"type": file_of(".html", "a page"), "required": True}
PAGE = Option("--out FILE", "Page to write (.html).", OUTPUT, **_PAGE_TYPE)


def out(*extensions: str) -> Setting:
    """Return the option for the output file of an answer; `extensions` are allowed besides the common formats."""
    return Setting("--out FILE", "Output file. Default: standard output.", OUTPUT, extensions=extensions)


def output(*extensions: str, ruleset: bool = True, plot: bool = True) -> list[Option]:
    """Return the options for input and output of a command that answers; for `extensions` see :func:`out`."""
    return [
        *(RULESET_OPTIONS if ruleset else ()),
        *(PROFILES, FORMAT, out(*extensions)),
        *([PLOT] if plot else ()),
        QUIET,
    ]


def method(trials: str, methods: Sequence[str] = METHODS[:2]) -> list[Option]:
    """Return the options for the method; `trials` is the help text of ``--trials``."""
    return [
        Option("--method", "Method. Default: exact.", METHOD, choices=methods),
        Option("--trials N", trials, METHOD, least=1),
        *SAMPLE_OPTIONS,
    ]


REPLACEMENT = Option("--replacement", "Monte Carlo: put each card back after a draw. Default: real decks.", METHOD)
FIGHT_OPTIONS = [*method("Monte Carlo: number of trials.", METHODS), *output(), REPLACEMENT]
