"""Rolls in hand: pools rolled some blocks at a time by the dice kernel, and used up trial by trial."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from analyser.common.jit import Whole, kernel, step
from analyser.engine.fight.sampled.draws import Chance
from analyser.engine.fight.sampled.nodes import MOST_TURNS
from analyser.engine.fight.sampled.pools import MOST_POOLS, NO_POOL, Pools, Sheets, has_few_cells, sheet_at, special_at
from analyser.engine.pool.buffers import BLOCK
from analyser.engine.pool.kernel import find_cells, roll_pool
from analyser.engine.pool.layout import Special
from analyser.engine.pool.rerolls import roll_special

AT_ONCE = 4  # blocks at most: rolling takes the nearest cache from the map, so it is to happen seldom
_ROLLS = AT_ONCE * BLOCK
_A_HAND = _ROLLS + 1


class Hands:
    """Rolls in hand, made and not used yet, as one record.

    Attributes
    ----------
    cells : uint8 array
        A hand a pool: the cells of its rolls, and one more at its end. That one, and a roll that was thrown away, is
        `cells` of the pool, one more than a roll can come to.
    many_cells : uint32 array
        The same of pools that can come to too many things for that (:func:`.pools.has_few_cells`).
    next : uint64 array, shape (MOST_POOLS,)
        Where in its array the next roll of each pool is.
    blocks : int64 array, shape (MOST_POOLS,)
        How many blocks of each pool have been rolled in this chunk.
    """

    cells: Any
    many_cells: Any
    next: Any
    blocks: Any


_HANDS = np.dtype(
    (
        np.record,
        [
            ("cells", np.uint8, (MOST_POOLS * _A_HAND,)),
            ("many_cells", np.uint32, (MOST_POOLS * _A_HAND,)),
            ("next", np.uint64, (MOST_POOLS,)),
            ("blocks", np.int64, (MOST_POOLS,)),
        ],
    )
)


def no_hands(pools: Pools) -> Hands:
    """Nothing rolled yet; memory is taken only as it is used."""
    hands: Any = np.empty(1, _HANDS)[0]  # to clear all of it would take as long as thousands of trials
    hands.cells[:_ROLLS], hands.next[:] = 0, 0
    ends, cells = hands.cells[_ROLLS::_A_HAND][: pools.pools], pools.cells[: pools.pools]
    ends[:] = np.where(cells < MOST_TURNS, cells, 0)
    return cast("Hands", hands)


@step
def rolls_left(hands: Hands, pool: Whole) -> int:
    """How many rolls of a pool are in hand, those that were thrown away among them."""
    return int(pool * _A_HAND + _ROLLS - np.int64(hands.next[pool]))


@step
def put_away(hands: Hands, pools: Pools) -> None:
    """Put away what is left of another chunk."""
    for pool in range(pools.pools):
        hands.next[pool], hands.blocks[pool] = pool * _A_HAND + _ROLLS, 0


@kernel
def roll_again(
    sheets: Sheets, specials: Special | None, pools: Pools, hands: Hands, chance: Chance, pool: Whole
) -> None:
    """Roll a pool, of which nothing is in hand, for blocks of trials: as many as so far in this chunk, within bounds.

    Rolls with a draw that would favour some faces are thrown away. No pool always comes to the same.
    """
    if pool == NO_POOL:
        hands.next[pool] = 0
        return
    blocks = min(max(hands.blocks[pool], 1), AT_ONCE)
    hands.blocks[pool] += blocks
    hands.next[pool] -= np.uint64(blocks * BLOCK)
    for number in range(blocks):
        roll_block(sheets, specials, pools, hands, chance, pool, hands.next[pool] + np.uint64(number * BLOCK))


@step
def roll_block(
    sheets: Sheets, specials: Special | None, pools: Pools, hands: Hands, chance: Chance, pool: Whole, first: Whole
) -> None:
    """Roll a pool for a block of trials, into the hand from `first` on."""
    place = pools.sheet[pool]
    sheet = sheet_at(sheets.sheets, place)
    block = sheets.one if sheet.added == 1 else sheets.two
    counter, dice = chance.counter, pools.dice[pool]
    if specials is None:
        chance.counter = roll_pool(sheet, block, dice, counter, chance.gamma)
    else:
        for array in (block.gone, block.lost, block.blanks):  # of other pools
            array[:] = 0
        special = special_at(specials, place)
        chance.counter = roll_special(sheet, special, block, dice, pools.kept[pool], counter, chance.gamma)
    find_cells(sheet, block)
    cells, thrown_away = block.cells, pools.cells[pool]
    if has_few_cells(pools, pool):
        for trial in range(np.uint64(BLOCK)):
            hands.cells[first + trial] = thrown_away if cells[trial] == sheet.discarded else cells[trial]
    else:
        for trial in range(np.uint64(BLOCK)):
            hands.many_cells[first + trial] = thrown_away if cells[trial] == sheet.discarded else cells[trial]
