"""Cells of a slice: figures, rows used, and reasons for missing figures; computes the cells of charges and duels."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import Field, expect
from analyser.common.errors import InputError
from analyser.game.units import Loadout
from analyser.sweep.plan import Block, Plan

_MEMOISED = 2_000  # changed loadouts, some 20 kB each
Codes = NDArray[np.int32]


class Words:
    """Numbering of words in the order of their first use; None is -1."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {None: -1}

    def code(self, word: str | None) -> int:
        """Return the number of a word."""
        return self._numbers.setdefault(word, len(self._numbers) - 1)

    def codes(self, words: Iterable[str | None]) -> Codes:
        """Return the numbers of several words."""
        return np.array([self.code(word) for word in words], np.int32)

    @property
    def words(self) -> list[str]:
        """All words, in the order of their numbers."""
        return [word for word in self._numbers if word is not None]


class Cells(NamedTuple):
    """Cells of a slice, row by row: figures by name; rows used and reasons for missing figures as numbers of words."""

    figures: dict[str, NDArray[np.float64]]
    rows: Codes
    row_words: Words
    reasons: Codes
    reason_words: Words


@lru_cache(maxsize=_MEMOISED)
def variant(plan: Plan, faction: str | None, place: int) -> Loadout | str:
    """Return the loadout of a row of a faction, or of a column (`faction` None); or the reason why there is none."""
    side, loadouts = plan.side(faction)
    (which,), values = plan.axis(faction, range(place, place + 1))
    loadout: Loadout = loadouts[which]
    changes: dict[str, Any] = {number.key: number.change(at) for number, (at,) in zip(side.numbers, values)}
    try:
        return loadout.with_(**changes) if changes else loadout
    except InputError as error:
        return str(error)


def fought_cells(plan: Plan, block: Block) -> Cells:
    """Return the exact cells of a slice of charges or duels."""
    sides = [_side(plan, block.faction, block.rows), _side(plan, None, block.columns)]
    shape = len(sides[0]), len(sides[1])
    figures = {name: np.full(shape, np.nan) for name in plan.file.fought}
    row_words, reason_words = Words(), Words()
    rows = np.full(shape, -1, np.int32)
    ours, theirs = (reason_words.codes(unit if isinstance(unit, str) else None for unit in side) for side in sides)
    reasons = np.maximum(ours[:, None], theirs[None, :])
    able = [[at for at, unit in enumerate(side) if isinstance(unit, Loadout)] for side in sides]
    if all(able):
        attackers = [unit for unit in sides[0] if isinstance(unit, Loadout)]
        fight, field = block.situation.fight, _field(plan, block.ruleset, block.columns)
        expect([(fight, len(attackers) * len(field.defenders))])
        cells = fight.cells(attackers, field, block.situation)
        at = np.ix_(*able)
        for name, values in figures.items():
            values[at] = cells[name]
        rows[at] = row_words.codes(cells["row"].ravel()).reshape(cells.shape)
        reasons[at] = reason_words.codes(cells["why_not"].ravel()).reshape(cells.shape)
    flat = {name: values.ravel() for name, values in figures.items()}
    return Cells(flat, rows.ravel(), row_words, reasons.ravel(), reason_words)


def _side(plan: Plan, faction: str | None, places: range) -> list[Loadout | str]:
    return [variant(plan, faction, place) for place in places]


@lru_cache(maxsize=2)  # successive parts have the same defenders
def _field(plan: Plan, ruleset: str, columns: range) -> Field:
    defenders = (unit for unit in _side(plan, None, columns) if isinstance(unit, Loadout))
    return Field(tuple(defenders), plan.rulesets[ruleset], None, 1)
