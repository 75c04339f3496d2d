"""What can be wrong with an input, in one form: what it is, where, what is allowed, and the nearest right name."""

from __future__ import annotations

import copy
import difflib
import inspect
import re
import reprlib
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral

LONGEST = 400  # characters of a problem or a place; what is beyond is cut out of its middle
LONGEST_PIECE = 100  # of what it quotes, or of one unbroken run
MOST_BITS = 1024  # of an integer without another bound: its digits can be told
LONGEST_REMEDY = 1000  # of what is allowed, which is this program's own text but for names in files
_PIECE = re.compile(rf"'[^']{{{LONGEST_PIECE},}}'|\S{{{LONGEST_PIECE},}}")


class AnalyserError(Exception):
    """Anything that this package raises on purpose."""


class InputError(AnalyserError, ValueError):
    """An input that cannot be used.

    Parameters
    ----------
    problem : str
        What is wrong, with the value found, as one sentence without a full stop.
    where : str, optional
        The file, and the key in it, that the problem stands in.
    allowed : str, optional
        What would have been right.

    Examples
    --------
    >>> raise InputError("0 models", where="fight.toml: target.models", allowed="1 or more")
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: fight.toml: target.models: 0 models (allowed: 1 or more)
    """

    def __init__(self, problem: str, *, where: str = "", allowed: str = "") -> None:
        self.problem = printable(problem)
        self.where = printable(where, piece=LONGEST)
        self.allowed = printable(allowed, LONGEST_REMEDY)
        super().__init__(self.problem)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" (allowed: {self.allowed})" if self.allowed else ""
        return f"{place}{self.problem}{remedy}"

    def inside(self, place: str) -> InputError:
        """The same error, seen from one step further out (a file around a key); from nowhere it is as it was."""
        outer = copy.copy(self)
        if not place:
            return outer
        outer.where = printable(f"{place}: {self.where}" if self.where else place, piece=LONGEST)
        return outer


class MisspeltError(InputError):
    """A name that nothing has, or a value of another type: what no change of anything beside it could make right."""


class TooLargeError(InputError):
    """A question that is too large for the exact method, and that Monte Carlo answers as it is; `less` would help."""

    def __init__(self, problem: str, *, where: str = "", less: str = "") -> None:
        super().__init__(problem, where=where, allowed=f"{less}; --method monte-carlo (simulate) answers it as it is")


def within(*places: str) -> str:
    """Places from the outermost in, such as a file and a key in it; those that are empty are none."""
    return ": ".join(filter(None, places))


def printable(text: str, longest: int = LONGEST, piece: int = LONGEST_PIECE) -> str:
    """Text for one line of a terminal: control characters escaped, the middle left out of what is too long."""
    if not text.isprintable():
        text = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
    return _cut(_PIECE.sub(lambda match: _cut(match[0], piece), text), longest)


def _cut(text: str, longest: int) -> str:
    half = longest // 2 - 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


def reason_of(error: OSError) -> str:
    """Return the reason why a file could not be read or written, which libraries do not always say in the usual place.

    >>> reason_of(OSError(28, "No space left on device")), reason_of(OSError("encoder error -2"))
    ('No space left on device', 'encoder error -2')
    """
    return error.strerror or str(error) or type(error).__name__


def shown(value: object) -> str:
    """A value as messages quote it: short, and without fail, however deep or large it is."""
    try:
        return printable(_BRIEF.repr(value), LONGEST_PIECE)
    except ValueError:  # the interpreter's own limit
        return "an integer of thousands of digits"


_BRIEF = reprlib.Repr()
_BRIEF.maxlevel, _BRIEF.maxstring, _BRIEF.maxother, _BRIEF.maxlong = 3, LONGEST_PIECE, LONGEST_PIECE, 40
_BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxdict = _BRIEF.maxset = 4


def check_text(value: object, where: str, allowed: str) -> None:
    """Raise InputError unless `value` is a string."""
    if not isinstance(value, str):
        raise InputError(f"must be text, got {shown(value)}", where=where, allowed=allowed)


def check_choice(value: object, where: str, choices: Sequence[str]) -> None:
    """Raise InputError, with the nearest of `choices`, unless `value` is one of them."""
    allowed = ", ".join(choices)
    check_text(value, where, allowed)
    if value not in choices:
        problem = f"{shown(value)} is not usable{did_you_mean(str(value), choices)}"
        raise InputError(problem, where=where, allowed=allowed)


def check_keywords(stated: Iterable[str], keys: Iterable[str], function: Callable[..., object], where: str) -> None:
    """Raise MisspeltError unless each of `stated` is one of `keys`; the nearest of all that the function takes by name.

    Keys that a function hands on are none of its parameters: its own, such as `trials`, are misspelt as often.
    """
    own = [each.name for each in inspect.signature(function).parameters.values() if each.kind is each.KEYWORD_ONLY]
    names = [*keys, *own]
    for name in stated:
        if name not in names:
            problem = f"unknown key{did_you_mean(name, names)}"
            raise MisspeltError(problem, where=f"{where}: {name}", allowed=", ".join(names))


def check_flag(value: object, where: str) -> None:
    """Raise InputError unless `value` is True or False."""
    if not isinstance(value, bool):
        raise InputError(f"{shown(value)} is not usable", where=where, allowed="True or False")


def check_integer(number: object, where: str, least: int, most: int | None = None) -> None:
    """Raise InputError unless `number` is an integer in [least, most], by default of up to 1024 bits; bool is rejected.

    >>> check_integer(1 << 2000, "seed", 0)
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: seed: 2001 bits (allowed: 0 or more, of up to 1024 bits)
    """
    allowed = f"{least} or more" if most is None else f"{least} to {most}"
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise InputError(f"must be an integer, got {shown(number)}", where=where, allowed=allowed)
    if number < least or (most is not None and number > most):  # type: ignore[operator]
        raise InputError(f"{shown(int(number))} is out of range", where=where, allowed=allowed)
    if (bits := int(number).bit_length()) > MOST_BITS:
        raise InputError(f"{bits} bits", where=where, allowed=f"{allowed}, of up to {MOST_BITS} bits")


def nearest(name: str, names: Iterable[str], *, most: int = 3, likeness: float = 0.55) -> list[str]:
    """The names most like `name`, best first, of at least that `likeness` (0 to 1); letter case does not count.

    A key of data from Python need not be text.
    """
    by_folded = {candidate.casefold(): candidate for candidate in names}
    return [by_folded[each] for each in difflib.get_close_matches(str(name).casefold(), by_folded, most, likeness)]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A sentence end such as ``; did you mean 'models'?``, or nothing."""
    return one_of_these(nearest(name, names))


def listed(names: Sequence[str], name: str, others: str, most: int = 12) -> str:
    """Names that are allowed, if there are many those most like `name` first, and what is said of the `others`.

    >>> listed([f"n{number}" for number in range(20)], "n7", "all of them: --help", most=2)
    'n7, n17, 18 more; all of them: --help'
    """
    near = nearest(name, names, most=most)
    shown_ones = list(dict.fromkeys([*near, *names]))[:most] if len(names) > most else list(names)
    left = [f"{len(names) - len(shown_ones)} more"] * (len(names) > most)
    return f"{', '.join([*shown_ones, *left])}; {others}"


def one_of_these(names: Iterable[str]) -> str:
    """The same of names that are known to be near."""
    meant = " or ".join(map(repr, names))
    return f"; did you mean {meant}?" if meant else ""
