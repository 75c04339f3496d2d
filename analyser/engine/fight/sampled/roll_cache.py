"""A cache of rolls: the dice kernel rolls pools some blocks at a time, and trials use them up one by one."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, cast

import numpy as np

from analyser.common.jit import Whole, kernel, step
from analyser.common.records import record_type
from analyser.engine.fight.sampled.draws import RandomDraws
from analyser.engine.fight.sampled.nodes import MOST_TRANSITIONS
from analyser.engine.fight.sampled.pools import (
    MOST_POOLS,
    NO_POOL,
    Layouts,
    Pools,
    has_few_cells,
    layout_at,
    rerolls_at,
)
from analyser.engine.pool.buffers import BLOCK
from analyser.engine.pool.kernel import find_cells, roll_pool
from analyser.engine.pool.layout import Rerolls
from analyser.engine.pool.rerolls import roll_with_rerolls

AT_ONCE = 4  # blocks at most: rolling takes the nearest cache from the map, so it is to happen seldom
_ROLLS = AT_ONCE * BLOCK
_ROLLS_A_POOL = _ROLLS + 1


class RollCache:
    """Rolls that were made and not used yet, as one record.

    A roll is the score of its pool. One that was thrown away, and one more at the end of a pool's rolls, is `cells` of
    the pool, which no roll can come to.
    """

    cells: Annotated[Any, np.uint8, (MOST_POOLS * _ROLLS_A_POOL,)]
    many_cells: Annotated[Any, np.uint32, (MOST_POOLS * _ROLLS_A_POOL,)]  # of pools that can come to too many things
    next: Annotated[Any, np.uint64, (MOST_POOLS,)]  # where in its array the next roll of each pool is
    blocks: Annotated[Any, np.int64, (MOST_POOLS,)]  # how many blocks of each pool have been rolled in this chunk


_ROLL_CACHE = record_type(RollCache)


def empty_cache(pools: Pools) -> RollCache:
    """Nothing rolled yet; memory is taken only as it is used."""
    cache: Any = np.empty(1, _ROLL_CACHE)[0]  # to clear all of it would take as long as thousands of trials
    cache.cells[:_ROLLS], cache.next[:] = 0, 0
    ends, cells = cache.cells[_ROLLS::_ROLLS_A_POOL][: pools.pools], pools.cells[: pools.pools]
    ends[:] = np.where(cells < MOST_TRANSITIONS, cells, 0)
    return cast("RollCache", cache)


@step
def rolls_left(cache: RollCache, pool: Whole) -> int:
    """How many rolls of a pool are left, those that were thrown away among them."""
    return int(pool * _ROLLS_A_POOL + _ROLLS - np.int64(cache.next[pool]))


@step
def put_away(cache: RollCache, pools: Pools) -> None:
    """Empty the cache: each chunk rolls its own."""
    for pool in range(pools.pools):
        cache.next[pool], cache.blocks[pool] = pool * _ROLLS_A_POOL + _ROLLS, 0


class Roller(NamedTuple):
    """What pools are rolled by, and the rolls that were made."""

    layouts: Layouts
    rerolls: Rerolls | None
    cache: RollCache
    random: RandomDraws


@kernel
def roll_again(roller: Roller, pools: Pools, pool: Whole) -> None:
    """Roll a pool that has no rolls left, for blocks of trials: as many as so far in this chunk, within bounds.

    Rolls with a draw that would favour some faces are thrown away. No pool always comes to the same.
    """
    cache = roller.cache
    if pool == NO_POOL:
        cache.next[pool] = 0
        return
    blocks = min(max(cache.blocks[pool], 1), AT_ONCE)
    cache.blocks[pool] += blocks
    cache.next[pool] -= np.uint64(blocks * BLOCK)
    for number in range(blocks):
        roll_block(roller, roller.rerolls, pools, pool, cache.next[pool] + np.uint64(number * BLOCK))


@step
def roll_block(roller: Roller, rerolls: Rerolls | None, pools: Pools, pool: Whole, first: Whole) -> None:
    """Roll a pool for a block of trials, into the cache from `first` on.

    The compiler leaves out what an argument that is None has no need of, but not what a field has.
    """
    layouts, _, cache, random = roller
    place = pools.layout[pool]
    layout = layout_at(layouts.layouts, place)
    block = layouts.one if layout.added == 1 else layouts.two
    counter, dice = random.counter, pools.dice[pool]
    if rerolls is None:
        random.counter = roll_pool(layout, block, dice, counter, random.gamma)
    else:
        for array in (block.rerolled_strikes, block.rerolled_blanks, block.blanks):  # of other pools
            array[:] = 0
        these, kept = rerolls_at(rerolls, place), pools.kept[pool]
        random.counter = roll_with_rerolls(layout, these, block, dice, kept, counter, random.gamma)
    find_cells(layout, block)
    cells, thrown_away = block.cells, pools.cells[pool]
    if has_few_cells(pools, pool):
        for trial in range(np.uint64(BLOCK)):
            cache.cells[first + trial] = thrown_away if cells[trial] == layout.discarded else cells[trial]
    else:
        for trial in range(np.uint64(BLOCK)):
            cache.many_cells[first + trial] = thrown_away if cells[trial] == layout.discarded else cells[trial]
