"""Longer fights of some attackers with every defender: shared out among threads, and read as cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np

from analyser.comparisons.cells import Cells, Field, no_results
from analyser.engine.sweep import SUMMARY
from analyser.fights.combatant import Combatant

SideT = TypeVar("SideT")


class Fought(NamedTuple):
    """What one fight came to: the attacker's row, the figures, the chances that it wins and that nobody does."""

    row: str | None
    figures: np.void
    results: tuple[float, float] = (np.nan, np.nan)


def fought_cells(attackers: Sequence[SideT], field: Field, fight: Callable[[SideT, Combatant], Fought | str]) -> Cells:
    """The cells of a kind of fight; both sides roll in it, so that no number of dice is told.

    Parameters
    ----------
    attackers : sequence
    field : Field
    fight : callable
        What one attacker comes to against one defender; or why they cannot fight.
    """
    shape = (len(attackers), len(field.defenders))
    figures = np.full(shape, np.nan).astype(SUMMARY)
    rows, dice, why = (np.full(shape, None, object) for _ in range(3))
    results = no_results(shape)

    def fought(pair: tuple[SideT, Combatant]) -> Fought | str:
        return fight(*pair)

    alone = field.threads == 1  # then a pool would cost a third of a charge
    with nullcontext() if alone else ThreadPoolExecutor(field.threads) as pool:  # the kernel lets go of the interpreter
        for place, found in enumerate((pool.map if pool else map)(fought, product(attackers, field.combatants))):
            at = divmod(place, shape[1])
            if isinstance(found, Fought):
                rows[at], figures[at], results[at] = found
            else:
                why[at] = found
    return Cells(figures, rows, dice, why, results)
