"""What stands in a cell of a data file: numbers, ranges, dice, bands, names. Text in, values out."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple, get_args

from analyser.common.errors import nearest
from analyser.game.keywords import tidy
from analyser.game.units import LONGEST_ID, Category, LevelName, RowKind

LONGEST_CELL = 2000  # characters; what is longer is no cell of a profile
LONGEST_WORD = 200  # of a name that is looked up
LONGEST_SLUG = LONGEST_ID - 20
SLIP = 0.8  # likeness from which a word is taken for a known one

LEVEL_ORDER: tuple[LevelName, ...] = get_args(LevelName)
LEVELS: dict[str, LevelName] = {each.replace("-", " "): each for each in LEVEL_ORDER}
CATEGORIES: dict[str, Category] = {each: each for each in get_args(Category)}
KINDS: dict[str, RowKind] = {each: each for each in get_args(RowKind)}

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


class Heading(NamedTuple):
    """What the name of an armaments row says."""

    kind: RowKind
    against: tuple[Category, ...]
    spelled_right: bool


class LevelHeading(NamedTuple):
    """What the name of a reinforcement level says."""

    name: LevelName
    spelled_right: bool


def slug(name: str) -> str:
    """`name` in at most 60 lower-case letters, digits and single hyphens; empty when it has none of the first two.

    Of a faction it is the name of a file, and a number may follow.

    >>> slug("Ranged (Light/Heavy)"), slug("Größte Kanone")
    ('ranged-light-heavy', 'grosste-kanone')
    """
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].rstrip("-")


def is_none(text: str | None) -> bool:
    """Whether a cell says that there is nothing.

    >>> is_none('–"'), is_none(None), is_none("0")
    (True, True, False)
    """
    return _bare(text).lower() in _NOTHING


def number(text: str | None) -> int | None:
    """A whole number, with or without inch marks; None when the text is anything else.

    >>> number('4"'), number("75.0"), number("many")
    (4, 75, None)
    """
    bare = _bare(text)
    return int(float(bare)) if _NUMBER.fullmatch(bare) else None


def inches(text: str | None) -> Range | None:
    """The cell of a range; None when it is not one.

    >>> inches('7"/14”'), inches('-"/14"'), inches('20"'), inches("far")
    (Range(short=7.0, long=14.0), Range(short=None, long=14.0), Range(short=None, long=20.0), None)
    """
    if is_none(text):
        return Range()
    match = _RANGE.fullmatch(_bare(text).replace(" ", ""))
    return match and Range(*(None if part in (None, "-") else float(part) for part in match.groups()))


def dice(text: str | None) -> tuple[int, int | None] | None:
    """Attack dice and the value in parentheses; None when the cell holds neither a number nor both.

    >>> dice("10 (15)"), dice("5"), dice("D6")
    ((10, 15), (5, None), None)
    """
    match = _CELL.fullmatch(_bare(text).replace(" ", ""))
    return match and (int(match[1]), None if match[2] is None else int(match[2]))


def band(heading: str) -> tuple[int, int] | None:
    """First and last number of a band's heading; None when it is the heading of something else.

    >>> band("13–18"), band("1"), band("Range")
    ((13, 18), (1, 1), None)
    """
    match = _BAND.fullmatch(_bare(heading).replace(" ", ""))
    return match and (int(match[1]), int(match[2] or match[1]))


def names(text: str | None) -> list[str]:
    """The names in a list; a comma inside parentheses does not end one.

    >>> names("Indirect,Torrent, Support (Infantry, Cavalry),")
    ['Indirect', 'Torrent', 'Support (Infantry, Cavalry)']
    """
    parts = (tidy(part).strip(".") for part in _SEPARATOR.split(text or ""))
    return [part for part in parts if not is_none(part)]


def heading(name: str) -> Heading | None:
    """Kind and targets of an armaments row from its name; None when the name tells neither.

    >>> heading("Ranged (Light/Heavy)")
    Heading(kind='ranged', against=('light', 'heavy'), spelled_right=True)
    """
    words = re.findall(r"[a-z]+", tidy(name[:LONGEST_WORD]).casefold())
    kind = nearest(words[0], KINDS, most=1, likeness=SLIP) if words else []
    if not kind:
        return None
    targets = [each for word in words[1:] for each in nearest(word, CATEGORIES, most=1, likeness=SLIP)]
    against = tuple(dict.fromkeys(CATEGORIES[each] for each in targets))
    return Heading(KINDS[kind[0]], against, words == [*kind, *targets])


def level(name: str) -> LevelHeading | None:
    """The reinforcement level that a name means, if it means one.

    >>> level("FULL-STRENGTH"), level("Weapons")
    (LevelHeading(name='full-strength', spelled_right=True), None)
    """
    plain = tidy(name[:LONGEST_WORD]).casefold().replace("-", " ").replace("_", " ")
    close = nearest(plain, LEVELS, most=1, likeness=SLIP)
    return LevelHeading(LEVELS[close[0]], plain in LEVELS) if close else None


def _bare(text: str | None) -> str:
    return _INCH_MARKS.sub("", tidy((text or "")[:LONGEST_CELL])).strip()
