"""The pictures of an answer, as its system asks for them: which table, and how it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Curves(NamedTuple):
    """Chances by round, a line each.

    Attributes
    ----------
    table, heading, x : str
    lines : mapping
        What each column is called.
    where : mapping
        Only these rows: values by key.
    """

    table: str
    heading: str
    x: str
    lines: Mapping[str, str]
    where: Mapping[str, Any] = {}


class Laws(NamedTuple):
    """The law of a whole number by round, as cells."""

    table: str
    heading: str
    x: str
    number: str
    where: Mapping[str, Any] = {}


class Chances(NamedTuple):
    """The law of a number or word, as bars."""

    table: str
    heading: str
    x: str
    column: str = "probability"
    lost: Mapping[str, tuple[str, ...]] = {}  # bars whose key has one of these values are hatched
    where: Mapping[str, Any] = {}


class Fates(NamedTuple):
    """The systems of a comparison side by side, as one figure of its own.

    Attributes
    ----------
    table, notes : str
        The tables of the fates, and of what is printed below them: `system`, then what is said of it.
    titles : mapping
        The name of each system.
    """

    table: str
    notes: str
    titles: Mapping[str, str]


Panel = Curves | Laws | Chances | Fates
