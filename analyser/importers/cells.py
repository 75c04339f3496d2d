"""Readers of the cells of a data file: numbers, ranges, dice, bands, names. Text in, values out."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple, get_args

from analyser.common.errors import nearest
from analyser.game.keywords import tidy
from analyser.game.names import LONGEST_ID
from analyser.game.units import Category, LevelName, RowKind

LONGEST_CELL = 2000  # characters; what is longer is no cell of a profile
LONGEST_WORD = 200  # of a name that is looked up
LONGEST_SLUG = LONGEST_ID - 20
SLIP = 0.8  # likeness from which a word is taken for a known one

LEVEL_ORDER: tuple[LevelName, ...] = get_args(LevelName)
LEVELS: dict[str, LevelName] = {level.replace("-", " "): level for level in LEVEL_ORDER}
CATEGORIES: dict[str, Category] = {arg: arg for arg in get_args(Category)}
KINDS: dict[str, RowKind] = {kind: kind for kind in get_args(RowKind)}

_NOTHING = ("", "-", "none", "n/a")
_INCHES = r"([0-9]{1,4}(?:\.[0-9]{1,2})?|-)"
_NUMBER = re.compile(r"[0-9]{1,7}(\.0+)?")
_RANGE = re.compile(rf"(?:{_INCHES}/)?{_INCHES}")
_CELL = re.compile(r"([0-9]{1,6})(?:\(([0-9]{1,6})\))?")
_BAND = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
_SEPARATOR = re.compile(r"[,;](?![^()]*\))")
_INCH_MARKS = re.compile(r"[\"']+")


class Range(NamedTuple):
    """Short and long range in inches; None where the cell has none."""

    short: float | None = None
    long: float | None = None


def slug(name: str) -> str:
    """`name` in at most 60 lower-case letters, digits and single hyphens; empty when it has none of the first two."""
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].rstrip("-")


def is_none(text: str | None) -> bool:
    """Return True if a cell says that there is nothing."""
    return _bare(text).lower() in _NOTHING


def number(text: str | None) -> int | None:
    """A whole number, with or without inch marks; None when the text is anything else."""
    bare = _bare(text)
    return int(float(bare)) if _NUMBER.fullmatch(bare) else None


def inches(text: str | None) -> Range | None:
    """The cell of a range, such as ``7"/14"``, ``-/14"`` or ``20"``; None when it is not one."""
    if is_none(text):
        return Range()
    match = _RANGE.fullmatch(_bare(text).replace(" ", ""))
    return match and Range(*(None if part in (None, "-") else float(part) for part in match.groups()))


def dice(text: str | None) -> tuple[int, int | None] | None:
    """Attack dice and the value in parentheses, if there is one; None for a cell unlike ``5`` and ``10 (15)``."""
    match = _CELL.fullmatch(_bare(text).replace(" ", ""))
    return match and (int(match[1]), None if match[2] is None else int(match[2]))


def band(heading: str) -> tuple[int, int] | None:
    """First and last number of a band's heading, ``1`` or ``13-18``; None when it is that of something else."""
    match = _BAND.fullmatch(_bare(heading).replace(" ", ""))
    return match and (int(match[1]), int(match[2] or match[1]))


def names(text: str | None) -> list[str]:
    """The names in a list; a comma inside parentheses does not end one."""
    parts = (tidy(part).strip(".") for part in _SEPARATOR.split(text or ""))
    return [part for part in parts if not is_none(part)]


def heading(name: str) -> tuple[RowKind, tuple[Category, ...], bool] | None:
    """Kind and targets of an armaments row from its name, and whether that is spelled right; None for another name."""
    words = re.findall(r"[a-z]+", tidy(name[:LONGEST_WORD]).casefold())
    kind = nearest(words[0], KINDS, most=1, likeness=SLIP) if words else []
    if not kind:
        return None
    targets = [category for word in words[1:] for category in nearest(word, CATEGORIES, most=1, likeness=SLIP)]
    against = tuple(dict.fromkeys(CATEGORIES[target] for target in targets))
    return KINDS[kind[0]], against, words == [*kind, *targets]


def level(name: str) -> tuple[LevelName, bool] | None:
    """The reinforcement level that a name means, if it means one, and whether it is spelled right."""
    plain = tidy(name[:LONGEST_WORD]).casefold().replace("-", " ").replace("_", " ")
    close = nearest(plain, LEVELS, most=1, likeness=SLIP)
    return (LEVELS[close[0]], plain in LEVELS) if close else None


def _bare(text: str | None) -> str:
    return _INCH_MARKS.sub("", tidy((text or "")[:LONGEST_CELL])).strip()
