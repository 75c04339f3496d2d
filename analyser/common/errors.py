"""Input errors with a uniform message: file and key, problem, similar names, and allowed values."""

from __future__ import annotations

import copy
import difflib
import inspect
import re
import reprlib
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from numbers import Integral
from typing import Any, TypeGuard

LONGEST_MESSAGE = 290  # characters (about 300 with "error: " in a terminal); longer messages are cut in the middle
LONGEST_PIECE = 100  # characters of a quotation, or of text without a space; a longer one is cut
LONGEST_LIST = 120  # characters of the allowed names
_LONGEST_PLACE = 180  # characters of file and key that a long message keeps
_LEAST_ALLOWED = 60  # characters of the allowed values that a long message keeps; they are cut first
MOST_BITS = 1024  # bits of an integer, so that its digits can be printed
_PIECE = re.compile(rf"'[^']{{{LONGEST_PIECE},}}'|\S{{{LONGEST_PIECE},}}")


class AnalyserError(Exception):
    """Base class of all errors that this package raises on purpose."""


class InputError(AnalyserError, ValueError):
    """An input that cannot be used.

    Parameters
    ----------
    problem : str
        The problem and the value that causes it, one sentence without a full stop.
    where : str, optional
        File and key of the problem.
    allowed : str, optional
        Allowed values.

    Examples
    --------
    >>> raise InputError("0 models", where="fight.toml: target.models", allowed="1 or more")
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: fight.toml: target.models: 0 models (allowed: 1 or more)
    """

    def __init__(self, problem: str, *, where: str = "", allowed: str = "") -> None:
        self.problem = printable(problem)
        self.where = printable(where, piece=LONGEST_MESSAGE)
        self.allowed = printable(_shortened(allowed, LONGEST_MESSAGE))
        super().__init__(self.problem)

    def __str__(self) -> str:
        other = len(f"{self.problem} (allowed: {self.allowed}): ")
        where = _cut(self.where, max(LONGEST_MESSAGE - other, _LONGEST_PLACE))
        place = f"{where}: " if where else ""
        other = len(f"{place}{self.problem} (allowed: )")
        allowed = _shortened(self.allowed, max(LONGEST_MESSAGE - other, _LEAST_ALLOWED))
        remedy = f" (allowed: {allowed})" if allowed else ""
        return f"{place}{_cut(self.problem, LONGEST_MESSAGE - len(place + remedy))}{remedy}"

    def inside(self, place: str) -> InputError:
        """Return a copy of the error with `place`, such as a file, in front of its location; `place` may be empty."""
        outer = copy.copy(self)
        outer.where = printable(within(place, self.where), piece=LONGEST_MESSAGE)
        return outer


class MisspeltError(InputError):
    """An unknown name or a value of the wrong type: an error that no value of another key can cure."""


class TooLargeError(InputError):
    """A question that is too large for the exact method but not for Monte Carlo; `less` says how to reduce it."""

    def __init__(self, problem: str, *, where: str = "", less: str = "") -> None:
        super().__init__(problem, where=where, allowed=f"{less}; or --method monte-carlo (simulate)")


def within(*places: str) -> str:
    """Return nested places as text, outermost first, such as ``file: key``; empty places are left out."""
    return ": ".join(filter(None, places))


def printable(text: str, longest: int = LONGEST_MESSAGE, piece: int = LONGEST_PIECE) -> str:
    """Return text for one line of a terminal: control characters escaped, long text cut in the middle."""
    if not text.isprintable():
        text = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
    return _cut(_PIECE.sub(lambda match: _cut(match[0], piece), text), longest)


def _cut(text: str, longest: int) -> str:
    half = (longest - 5) // 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


def reason_of(error: OSError) -> str:
    """Return the reason why a read or a write failed, also for libraries that do not set `strerror`.

    >>> reason_of(OSError(28, "No space left on device")), reason_of(OSError("encoder error -2"))
    ('No space left on device', 'encoder error -2')
    """
    return error.strerror or str(error) or type(error).__name__


def _shortened(text: str, longest: int) -> str:
    """Shorten a comma-separated list: keep the first names that fit and the last, and count those left out."""
    entries = text.split(", ")
    for kept in range(len(entries) - 2 if len(text) > longest else 0, 0, -1):
        fewer = ", ".join([*entries[:kept], f"… {len(entries) - kept - 1} more", entries[-1]])
        if len(fewer) <= longest:
            return fewer
    return _cut(text, longest)


def shown(value: object) -> str:
    """Return a short `repr` for a message; deep or large values do not raise an error."""
    try:
        return printable(_BRIEF.repr(value), LONGEST_PIECE)
    except ValueError:  # Python limits the digits of integers that it prints
        return "an integer of thousands of digits"


_BRIEF = reprlib.Repr()
_BRIEF.maxlevel, _BRIEF.maxstring, _BRIEF.maxother, _BRIEF.maxlong = 3, LONGEST_PIECE, LONGEST_PIECE, 40
_BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxdict = _BRIEF.maxset = 4


def check_text(value: object, where: str, allowed: str) -> None:
    """Raise InputError unless `value` is a string."""
    if not isinstance(value, str):
        raise InputError(f"must be text, got {shown(value)}", where=where, allowed=allowed)


def check_choice(value: object, where: str, choices: Sequence[str]) -> None:
    """Raise InputError, with similar choices, unless `value` is one of `choices`."""
    name = value if isinstance(value, str) else ""
    allowed = allowed_names(choices, name)
    check_text(value, where, allowed)
    if name not in choices:
        raise InputError(f"{shown(name)} is not usable{did_you_mean(name, choices)}", where=where, allowed=allowed)


def check_keywords(used: Iterable[str], keys: Iterable[str], function: Callable[..., object], where: str) -> None:
    """Raise MisspeltError unless each keyword in `used` is one of `keys`.

    A keyword parameter of `function`, such as `trials`, is also valid, and may be suggested.
    """
    parameters = inspect.signature(function).parameters.values()
    names = [*keys, *(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)]
    for name in used:
        if name not in names:
            problem = f"unknown key{did_you_mean(name, names)}"
            allowed = allowed_names(names, name, f"help({function.__name__})")
            raise MisspeltError(problem, where=f"{where}: {name}", allowed=allowed)


def python_value(value: Any) -> Any:
    """Return a NumPy scalar as a Python value; other values are unchanged. NumPy is not imported for this."""
    return value.item() if getattr(value, "shape", None) == () else value


def is_number(value: object) -> TypeGuard[float]:
    """Return True for an integer or a float, also of NumPy, but not for a bool."""
    number = python_value(value)
    return isinstance(number, int | float) and not isinstance(number, bool)


def check_flag(value: object, where: str) -> None:
    """Raise InputError unless `value` is True or False."""
    if not isinstance(python_value(value), bool):
        raise InputError(f"{shown(value)} is not usable", where=where, allowed="True or False")


def check_integer(number: object, where: str, least: int, most: int | None = None) -> None:
    """Raise InputError unless `number` is an integer (not a bool) from `least` to `most`, of up to 1024 bits.

    >>> check_integer(1 << 2000, "seed", 0)
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: seed: 2001 bits (allowed: 0 or more, of up to 1024 bits)
    """
    allowed = f"{least} or more" if most is None else f"{least}" if least == most else f"{least} to {most}"
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise InputError(f"must be an integer, got {shown(number)}", where=where, allowed=allowed)
    if number < least or (most is not None and number > most):  # type: ignore[operator]
        raise InputError(f"{shown(int(number))} is out of range", where=where, allowed=allowed)
    if (bits := int(number).bit_length()) > MOST_BITS:
        raise InputError(f"{bits} bits", where=where, allowed=f"{allowed}, of up to {MOST_BITS} bits")


def nearest(name: str, names: Iterable[str], *, most: int = 3, likeness: float = 0.55) -> list[str]:
    """Return the names most like `name`, best first, with at least this `likeness` (0 to 1), ignoring case.

    `name` may be of any type, because keys of data from Python need not be text.
    """
    by_folded = {candidate.casefold(): candidate for candidate in names}
    return [by_folded[match] for match in difflib.get_close_matches(str(name).casefold(), by_folded, most, likeness)]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the end of a message, such as ``; did you mean 'models'?``; empty without a similar name."""
    return suggestion_of(nearest(name, names))


def suggestion_of(names: Iterable[str]) -> str:
    """Return the end of a message that suggests these names; empty without names."""
    alternatives = " or ".join(map(repr, names))
    return f"; did you mean {alternatives}?" if alternatives else ""


def allowed_names(names: Iterable[str], name: str, rest: str = "") -> str:
    """Return the allowed names as text; a long list begins with those most like `name` and ends with `rest`.

    >>> allowed_names([f"number_{number}" for number in range(30)], "number_7", "docs/scenario.md")
    'number_7, number_27, number_17, number_0, number_1, number_2, number_3, number_4, number_5, number_6, number_8, \
19 more: docs/scenario.md'
    >>> allowed_names(["models", "damage"], "modles")
    'models, damage'
    """
    allowed = list(dict.fromkeys(names))
    if len(", ".join(allowed)) > LONGEST_LIST:
        allowed = list(dict.fromkeys([*nearest(name, allowed), *allowed]))
        lengths = list(accumulate(len(word) + 2 for word in allowed))
        most = max(bisect(lengths, LONGEST_LIST), 1)
        allowed = [*allowed[:most], f"{len(allowed) - most} more" + (rest and f": {rest}")]
    return ", ".join(allowed)
