"""Results of the cells of a slice, and the loadouts with changed numbers that they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.game.units import Loadout
from analyser.sweep.plan import Plan
from analyser.sweep.schema import variants

_KEPT = 2_000  # changed loadouts, of some 20 kB

Codes = NDArray[np.int32]


class Words:
    """Words by number, in the order in which they come up; None is -1."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {None: -1}

    def code(self, word: str | None) -> int:
        """The number of a word."""
        return self._numbers.setdefault(word, len(self._numbers) - 1)

    def codes(self, words: Iterable[str | None]) -> Codes:
        """The numbers of several."""
        return np.array([self.code(word) for word in words], np.int32)

    @property
    def words(self) -> list[str]:
        """All of them by number."""
        return [word for word in self._numbers if word is not None]


class Found(NamedTuple):
    """The cells of a slice, row by row: figures by name; by number the row that is used, and why there is no figure."""

    figures: dict[str, NDArray[np.float64]]
    rows: Codes
    row_words: Words
    reasons: Codes
    reason_words: Words


@lru_cache(maxsize=_KEPT)
def variant(plan: Plan, faction: str | None, place: int) -> Loadout | str:
    """The loadout of a row, of a faction of attackers, or without one of a column; or why there can be no such."""
    side = plan.file.defenders if faction is None else plan.file.attackers
    loadouts = plan.defenders if faction is None else plan.attackers[faction]
    which, places = variants(side.numbers, place)
    changes: dict[str, Any] = {number.key: number.change(at) for number, at in zip(side.numbers, places)}
    try:
        return loadouts[which].with_(**changes) if changes else loadouts[which]
    except InputError as error:
        return str(error)
