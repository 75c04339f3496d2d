"""Parse the cells of a data file: numbers, ranges, dice, bands and names."""

from __future__ import annotations

import re
from typing import NamedTuple, get_args

from analyser.common.errors import nearest
from analyser.game.keywords import tidy
from analyser.game.units import Category, LevelName, RowKind

LONGEST_CELL = 2000  # characters of a cell; longer text is left out
LONGEST_STRING = 200  # characters of a name that are compared with known names
SPELLING_LIKENESS = 0.8  # least likeness (0 to 1) of a misspelt word to a known word

LEVEL_ORDER: tuple[LevelName, ...] = get_args(LevelName)
LEVELS: dict[str, LevelName] = {level.replace("-", " "): level for level in LEVEL_ORDER}
CATEGORIES: dict[str, Category] = {arg: arg for arg in get_args(Category)}
ROW_KINDS: dict[str, RowKind] = {kind: kind for kind in get_args(RowKind)}

_NONE_WORDS = ("", "-", "none", "n/a")
_INCHES = r"([0-9]{1,4}(?:\.[0-9]{1,2})?|-)"
_NUMBER = re.compile(r"[0-9]{1,7}(\.0+)?")
_RANGE = re.compile(rf"(?:{_INCHES}/)?{_INCHES}")
_CELL = re.compile(r"([0-9]{1,6})(?:\(([0-9]{1,6})\))?")
_BAND = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
_SEPARATOR = re.compile(r"[,;](?![^()]*\))")
_INCH_MARKS = re.compile(r"[\"']+")


class Range(NamedTuple):
    """Short and long range in inches; None if absent."""

    short: float | None = None
    long: float | None = None


def is_none(text: str | None) -> bool:
    """Return True if a cell is empty or means "none"."""
    return _without_inch_marks(text).lower() in _NONE_WORDS


def parse_number(text: str | None) -> int | None:
    """Return a whole number, with or without inch marks; None for other text."""
    bare = _without_inch_marks(text)
    return int(float(bare)) if _NUMBER.fullmatch(bare) else None


def parse_ranges(text: str | None) -> Range | None:
    """Return the ranges in a cell such as ``7"/14"``, ``-/14"`` or ``20"``; None for other text."""
    if is_none(text):
        return Range()
    match = _RANGE.fullmatch(_without_inch_marks(text).replace(" ", ""))
    return match and Range(*(None if part in (None, "-") else float(part) for part in match.groups()))


def parse_dice(text: str | None) -> tuple[int, int | None] | None:
    """Return dice, and dice in parentheses, of a cell such as ``5`` or ``10 (15)``; None for other text."""
    match = _CELL.fullmatch(_without_inch_marks(text).replace(" ", ""))
    return match and (int(match[1]), None if match[2] is None else int(match[2]))


def parse_band(heading: str) -> tuple[int, int] | None:
    """Return the first and last number in a heading such as ``1`` or ``13-18``; None for other headings."""
    match = _BAND.fullmatch(_without_inch_marks(heading).replace(" ", ""))
    return match and (int(match[1]), int(match[2] or match[1]))


def split_names(text: str | None) -> list[str]:
    """Return the names in a list; a comma inside parentheses does not separate names."""
    parts = (tidy(part).strip(".") for part in _SEPARATOR.split(text or ""))
    return [part for part in parts if not is_none(part)]


def parse_row_title(title: str) -> tuple[RowKind, tuple[Category, ...], bool] | None:
    """Return kind and targets of a row from its title, and True if the spelling is correct; None for other titles."""
    words = re.findall(r"[a-z]+", tidy(title[:LONGEST_STRING]).casefold())
    kind = nearest(words[0], ROW_KINDS, most=1, likeness=SPELLING_LIKENESS) if words else []
    if not kind:
        return None
    similar = (nearest(word, CATEGORIES, most=1, likeness=SPELLING_LIKENESS) for word in words[1:])
    targets = [category for categories in similar for category in categories]
    against = tuple(dict.fromkeys(CATEGORIES[target] for target in targets))
    return ROW_KINDS[kind[0]], against, words == [*kind, *targets]


def parse_level(name: str) -> tuple[LevelName, bool] | None:
    """Return the level that a name means, and True if the spelling is correct; None for other names."""
    plain = tidy(name[:LONGEST_STRING]).casefold().replace("-", " ").replace("_", " ")
    similar = nearest(plain, LEVELS, most=1, likeness=SPELLING_LIKENESS)
    return (LEVELS[similar[0]], plain in LEVELS) if similar else None


def _without_inch_marks(text: str | None) -> str:
    return _INCH_MARKS.sub("", tidy((text or "")[:LONGEST_CELL])).strip()
