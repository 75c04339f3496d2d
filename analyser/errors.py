"""What can be wrong with an input, told once and in one form.

Every error that a user can cause is an :class:`InputError`: it says what was found, where, what is
allowed and, for names, the nearest right one. Only the command line turns it into an exit status.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MONTE_CARLO_ANSWERS = "--method monte-carlo (simulate) answers it as it is"


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
    analyser.errors.InputError: fight.toml: target.models: 0 models (allowed: 1 or more)
    """

    def __init__(self, problem: str, *, where: str = "", allowed: str = "") -> None:
        self.problem = problem
        self.where = where
        self.allowed = allowed
        super().__init__(problem)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" (allowed: {self.allowed})" if self.allowed else ""
        return f"{place}{self.problem}{remedy}"

    def inside(self, place: str) -> InputError:
        """The same error, seen from one step further out (a file around a key)."""
        where = f"{place}: {self.where}" if self.where else place
        return type(self)(self.problem, where=where, allowed=self.allowed)


class TooLargeError(InputError):
    """A question that is too large for the exact method, and that Monte Carlo answers as it is.

    Parameters
    ----------
    problem, where
        As of :class:`InputError`.
    less : str
        What would make it smaller.

    Examples
    --------
    >>> raise TooLargeError("9 units", less="fewer")
    Traceback (most recent call last):
    ...
    analyser.errors.TooLargeError: 9 units (allowed: fewer; --method monte-carlo (simulate) answers it as it is)
    """

    def __init__(self, problem: str, *, where: str = "", allowed: str = "", less: str = "") -> None:
        super().__init__(problem, where=where, allowed=allowed or f"{less}; {MONTE_CARLO_ANSWERS}")


def nearest(name: str, names: Iterable[str], *, most: int = 3, likeness: float = 0.55) -> list[str]:
    """The names most like `name`, best first; letter case does not count.

    `likeness` (0 to 1) is how much alike they must be at least.

    Examples
    --------
    >>> nearest("Devestating", ["Arc", "Devastating", "Torrent"])
    ['Devastating']
    """
    by_folded = {candidate.casefold(): candidate for candidate in names}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=most, cutoff=likeness)
    return [by_folded[folded] for folded in close]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A sentence end such as ``; did you mean 'models'?``, or nothing.

    Examples
    --------
    >>> did_you_mean("modles", ["models", "damage"])
    "; did you mean 'models'?"
    """
    close = nearest(name, names)
    return f"; did you mean {' or '.join(repr(each) for each in close)}?" if close else ""
