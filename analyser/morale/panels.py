"""The pictures of an answer, as its system asks for them: which table, and how it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Curves(NamedTuple):
    """Probabilities by round, a line each: `lines` says what each column is called; `where` selects rows by key."""

    table: str
    heading: str
    x: str
    lines: Mapping[str, str]
    where: Mapping[str, Any] = {}


class Cells(NamedTuple):
    """The distribution of a number by round, as a heat map."""

    table: str
    heading: str
    x: str
    number: str
    where: Mapping[str, Any] = {}


class Bars(NamedTuple):
    """The distribution of a number or word; bars whose key has one of the values in `lost` are hatched."""

    table: str
    heading: str
    x: str
    column: str = "probability"
    lost: Mapping[str, tuple[str, ...]] = {}
    where: Mapping[str, Any] = {}


class Fates(NamedTuple):
    """The systems of a comparison side by side, as one figure of its own.

    `table` has the fates, `notes` what is printed below them: `system`, then two columns; `titles` names each system.
    """

    table: str
    notes: str
    titles: Mapping[str, str]


Panel = Curves | Cells | Bars | Fates
