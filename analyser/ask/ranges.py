"""Values of a key: a list or a range; the size of a range is checked before it is expanded."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analyser.common.errors import InputError, shown
from analyser.common.files import check_plain

MOST_VALUES = 100_000  # longest list
MOST_IN_A_RANGE = 10**12
_LONGEST = 100  # characters of one value or range
_RANGE = re.compile(r"\s*(-?[\d_]*\.?\d+)\s*\.\.\s*(-?[\d_]*\.?\d+)\s*(?::\s*([\d_]*\.?\d+)\s*)?")
_WORDS: Mapping[str, bool] = {"no": False, "yes": True, "false": False, "true": True}
ALLOWED = "such as 1..24, 0.5..3:0.5 (with its step), 4,6,8, or no,yes"


def values_of(given: Any, where: str) -> Sequence[Any]:
    """Return the values of a text or a list; a range of integers remains a `range`.

    Parameters
    ----------
    given : str, or numbers, flags and texts, one or several
        ``"1..24"`` is every integer from 1 to 24, ``"0..3:0.5"`` every half of one.

    Raises
    ------
    InputError
        No value, or a text that is not one; more than 100,000 values, except in a single range of integers.

    Examples
    --------
    >>> values_of("1..4", "dice"), values_of("0..1:0.5, 4", "distance"), values_of("no,yes", "aiming")
    (range(1, 5), (0, 0.5, 1, 4), (False, True))
    """
    if isinstance(given, str):
        parts = [_part(text, where) for text in given.split(",")]
    elif isinstance(given, range):
        parts = [given]
    elif isinstance(given, Iterable) and not isinstance(given, Mapping):
        parts = [tuple(plain_value(value, where) for value in given)]
    else:
        parts = [(plain_value(given, where),)]
    size = sum(map(_size, parts))
    if size > MOST_IN_A_RANGE:
        raise InputError(f"{size:,} values", where=where, allowed=f"up to {MOST_IN_A_RANGE:,} in one range")
    if size == 0:
        raise InputError("no values", where=where, allowed=ALLOWED)
    if len(parts) == 1 and isinstance(parts[0], range):
        return parts[0]
    if size > MOST_VALUES:
        raise InputError(f"{size:,} values", where=where, allowed=f"up to {MOST_VALUES:,} in one list")
    return tuple(dict.fromkeys(value for part in parts for value in part))


def _size(values: Sequence[Any]) -> int:
    """Return the number of values; a range may have more than `len` can return."""
    if isinstance(values, range):
        return max((values.stop - values.start + values.step - 1) // values.step, 0) if values.step > 0 else len(values)
    return len(values)


def _part(text: str, where: str) -> Sequence[Any]:
    """Return the values of one part of a list: a range, or a single value."""
    text = text.strip()
    match = None if len(text) > _LONGEST else _RANGE.fullmatch(text)
    if match is None:
        if not text or ".." in text or len(text) > _LONGEST:
            raise InputError(f"{shown(text)} is not a value or a range", where=where, allowed=ALLOWED)
        return (_value(text),)
    first, last, step = (_number(number or "1") for number in match.groups())
    if step <= 0 or last < first:
        raise InputError(f"the range {shown(text)} is empty", where=where, allowed="first..last, a step above 0")
    if all(isinstance(number, int) for number in (first, last, step)):
        return range(int(first), int(last) + 1, int(step))
    many = math.floor((last - first) / step + 1e-9) + 1
    if many > MOST_VALUES:
        raise InputError(f"{many:,} values", where=where, allowed=f"up to {MOST_VALUES:,} in one list")
    numbers = (round(first + place * step, 9) for place in range(many))
    return tuple(int(number) if number == int(number) else number for number in numbers)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return _number(text)
    except ValueError:
        return text


def plain_value(value: Any, where: str) -> Any:
    """Return a value as plain data; numbers of other libraries become Python's. InputError for other types."""
    if getattr(value, "shape", None) == ():
        value = value.item()
    check_plain(value, where)
    if not (value is None or isinstance(value, str | bool | int | float)) or not str(value).isprintable():
        raise InputError(f"{shown(value)} is not usable", where=where, allowed="numbers, flags and texts")
    return value
