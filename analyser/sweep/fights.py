"""Cells in which both sides roll: charges and duels, between loadouts with changed numbers."""

from __future__ import annotations

import numpy as np

from analyser.analysis.grid import Field
from analyser.game.units import Loadout
from analyser.sweep.found import Found, Words, variant
from analyser.sweep.plan import Block, Plan


def fought_cells(plan: Plan, block: Block) -> Found:
    """The cells of a slice, as the situation's kind of fight has them."""
    sides = [
        [variant(plan, block.faction, place) for place in block.rows],
        [variant(plan, None, place) for place in block.columns],
    ]
    shape = len(sides[0]), len(sides[1])
    figures = {name: np.full(shape, np.nan) for name in plan.file.figures}
    row_words, reason_words = Words(), Words()
    rows, reasons = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    for axis, side in enumerate(sides):
        codes = reason_words.codes(each if isinstance(each, str) else None for each in side)
        reasons = np.maximum(reasons, codes[:, None] if axis == 0 else codes[None, :])
    able = [[at for at, each in enumerate(side) if isinstance(each, Loadout)] for side in sides]
    if all(able):
        ours, theirs = ([each for each in side if isinstance(each, Loadout)] for side in sides)
        fight = block.situation.fight
        fight.kernel.expect(len(ours) * len(theirs) * fight.interpreted)
        cells = fight.cells(ours, Field(tuple(theirs), plan.rulesets[block.ruleset], None, 1), block.situation)
        at = np.ix_(*able)
        for name, values in figures.items():
            values[at] = cells[name]
        rows[at] = row_words.codes(cells["row"].ravel()).reshape(cells.shape)
        reasons[at] = reason_words.codes(cells["why_not"].ravel()).reshape(cells.shape)
    flat = {name: values.ravel() for name, values in figures.items()}
    return Found(flat, rows.ravel(), row_words, reasons.ravel(), reason_words)
