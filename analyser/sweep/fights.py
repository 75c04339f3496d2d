"""Cells in which both sides roll: charges and duels, between loadouts with changed numbers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from analyser.analysis.grid import Field
from analyser.game.units import Loadout
from analyser.sweep.found import Found, Words, variant
from analyser.sweep.plan import Block, Plan


def fought_cells(plan: Plan, block: Block) -> Found:
    """The cells of a slice, as the situation's kind of fight has them."""
    sides = [_side(plan, block.faction, block.rows), _side(plan, None, block.columns)]
    shape = len(sides[0]), len(sides[1])
    figures = {name: np.full(shape, np.nan) for name in plan.file.fought}
    row_words, reason_words = Words(), Words()
    rows, reasons = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    for axis, side in enumerate(sides):
        codes = reason_words.codes(each if isinstance(each, str) else None for each in side)
        reasons = np.maximum(reasons, codes[:, None] if axis == 0 else codes[None, :])
    able = [[at for at, each in enumerate(side) if isinstance(each, Loadout)] for side in sides]
    if all(able):
        ours = [each for each in sides[0] if isinstance(each, Loadout)]
        fight, field = block.situation.fight, _field(plan, block.ruleset, block.columns)
        fight.expect(len(ours) * len(field.defenders))
        cells = fight.cells(ours, field, block.situation)
        at = np.ix_(*able)
        for name, values in figures.items():
            values[at] = cells[name]
        rows[at] = row_words.codes(cells["row"].ravel()).reshape(cells.shape)
        reasons[at] = reason_words.codes(cells["why_not"].ravel()).reshape(cells.shape)
    flat = {name: values.ravel() for name, values in figures.items()}
    return Found(flat, rows.ravel(), row_words, reasons.ravel(), reason_words)


def _side(plan: Plan, faction: str | None, places: range) -> list[Loadout | str]:
    return [variant(plan, faction, place) for place in places]


@lru_cache(maxsize=2)  # part after part has the same defenders: what they are as sides of a fight is worked out once
def _field(plan: Plan, ruleset: str, columns: range) -> Field:
    theirs = (each for each in _side(plan, None, columns) if isinstance(each, Loadout))
    return Field(tuple(theirs), plan.rulesets[ruleset], None, 1)
