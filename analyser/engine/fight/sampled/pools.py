"""The attack rolls that can come up in a longer fight: which pools of dice there are, and what they are rolled by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, cast

import numpy as np

from analyser.common.errors import InputError
from analyser.common.jit import Whole, kernel, step
from analyser.common.records import Int, Integers, empty_record, plain, record_type
from analyser.engine.fight.program import MOST_STRIKES, Setup, dice_of
from analyser.engine.pool.kernel import BLOCK, Block, block_for, find_cells, roll_pool, roll_with_rerolls
from analyser.engine.pool.layout import Layout, Rerolls, kept_of, layout_for
from analyser.engine.rng import RandomDraws
from analyser.game.ruleset import Rating
from analyser.rules.attack import scores_for, set_pool, size_of
from analyser.rules.structs import FIGHT, FightFacts

_RATINGS = len(Rating)
MOST_POOLS = 1 << 12
MOST_WAYS = 256  # of a node; rolls that can come to more each lead to a node of their own
NO_POOL = 0


class Pools:
    """Every pool that can be rolled in a fight, as one record."""

    pools: Int  # how many: pool 0, which is none and always comes to nothing; then by strike, rating and dice
    first: Annotated[Any, np.int64, (MOST_STRIKES * _RATINGS,)]  # the first pool of each layout
    first_of_strike: Annotated[Any, np.int64, (MOST_STRIKES + 1,)]  # of each strike, and the end of those of the last
    layout: Annotated[Any, np.int64, (MOST_POOLS,)]  # of each pool, the layout that it is rolled by,
    dice: Annotated[Any, np.int64, (MOST_POOLS,)]  # and its dice
    kept: Annotated[Any, np.int64, (MOST_POOLS,)]  # dice that are rolled in every trial beside those (Rerolls)
    most_dice: Annotated[Any, np.int64, (MOST_POOLS,)]  # of the pools of its strike: the scores are those for as many
    cells: Annotated[Any, np.int64, (MOST_POOLS,)]  # how many scores a roll can come to


@step
def pool_of(pools: Pools, strike: int, rating: int, dice: int) -> int:
    """The pool of a strike at a combat rating, with so many dice."""
    pool = pools.first[strike * _RATINGS + rating]
    while pools.dice[pool] != dice:
        pool += 1
    return int(pool)


@step
def has_few_cells(pools: Pools, pool: int) -> bool:
    """Whether each thing that a pool can come to has a transition of its own."""
    return bool(pools.cells[pool] < MOST_WAYS)


def pools_for(setup: Setup, strikes: int, die: Integers, deck: Integers) -> tuple[Pools, Layout, Block, Rerolls | None]:
    """The pools of the first `strikes` strikes of a fight, and what they are rolled by (:class:`Roller`)."""
    fights = [_fight(setup, number, rating) for number in range(strikes) for rating in Rating]
    cards = np.flatnonzero(deck).tolist()
    rolls = dice_of(setup, strikes)
    dice = []
    for place, fight in enumerate(fights):
        usual = np.flatnonzero(rolls[place // _RATINGS])[1:].tolist()
        usual = usual or [0 if fight.overcharge else 1]  # no dice but a card's (Throw), or no attack
        fight.dice = usual[-1]
        dice.append(sorted({some + card for some in usual for card in (cards if fight.overcharge else [0])}))
    layouts, rerolls = _layouts(fights, [each[-1] for each in dice], die, deck)
    block = block_for(layouts[0]._replace(discarded=0), rerolls[0])
    return _pools(fights, dice, die), _beside(layouts), block, _beside(rerolls)


def _fight(setup: Setup, number: int, rating: Rating) -> FightFacts:
    """The fight of a strike at a combat rating, as far as its pool goes."""
    attack, fight = setup.attacks[number].copy(), np.zeros(1, FIGHT)[0]
    attack.stated_rating = rating
    set_pool(attack, setup.targets[number], fight)
    return cast("FightFacts", plain(fight))


def _layouts(
    fights: list[FightFacts], dice: list[int], die: Integers, deck: Integers
) -> tuple[list[Layout], list[Rerolls | None]]:
    """The layouts, all in numbers of one type, and their rerolls, which are nothing if no fight needs one."""

    def made(least: Any = np.uint16, rerolls: bool = False) -> list[tuple[Layout, Rerolls | None]]:
        return [
            layout_for(fight, scores_for(fight, most), die, deck, (), most, least=least, rerolls=rerolls)
            for fight, most in zip(fights, dice)
        ]

    usual = made()
    if any(rerolls for _, rerolls in usual):
        usual = made(rerolls=True)
    kinds = {type(layout.limit) for layout, _ in usual}
    if len(kinds) > 1:
        usual = made(max(kinds, key=lambda kind: kind().itemsize), usual[0][1] is not None)
    return [layout for layout, _ in usual], [rerolls for _, rerolls in usual]


def _pools(fights: list[FightFacts], dice: list[list[int]], die: Integers) -> Pools:
    """Which pools there are, and how a roll of each is told."""
    firsts = np.cumsum([1, *map(len, dice)])
    if firsts[-1] > MOST_POOLS:
        raise too_many_pools(int(firsts[-1]), MOST_POOLS)
    table = [(0, 0, 0, 1, 1)]  # no pool
    for layout, (fight, numbers) in enumerate(zip(fights, dice)):
        scores = scores_for(fight, numbers[-1])
        for number in numbers:
            kept = kept_of(number, int(fight.explosion), die)
            table.append((layout, number, kept, numbers[-1], size_of(fight, scores, number)))
    pools: Any = empty_record(Pools)
    pools.pools, pools.first[: len(fights)] = len(table), firsts[:-1]
    for name, column in zip(("layout", "dice", "kept", "most_dice", "cells"), zip(*table)):
        pools[name][: len(table)] = column
    pools.first_of_strike[: len(fights) // _RATINGS + 1] = firsts[::_RATINGS]
    return cast("Pools", pools)


def too_many_pools(many: int, most: int) -> InputError:
    """The error of a fight with more different attack rolls than there is room for."""
    problem = f"{many} different attack rolls in one fight"
    return InputError(problem, where="rows", allowed=f"up to {most}; fewer numbers of dice, or the method exact")


def _beside(records: Sequence[Any]) -> Any:
    """Tuples of one kind as one such tuple, each field an array over them; rows are padded to one length."""
    first = records[0]
    if first is None:
        return None
    if isinstance(first, tuple):
        fields = [_beside(field) for field in zip(*records)]
        return type(first)(*fields) if hasattr(first, "_fields") else tuple(fields)
    if np.ndim(first) != 1:
        return np.array(records)
    longest = max(len(row) for row in records)
    return np.array([np.concatenate([row, np.zeros(longest - len(row), row.dtype)]) for row in records])


@step
def layout_at(every: Any, place: int) -> Layout:
    """One of the layouts."""
    return Layout(
        every.explodes[place],
        every.first[place],
        every.second[place],
        every.gates[place],
        every.dice_at_once[place],
        every.limit[place],
        every.lower_unit[place],
        every.upper_unit[place],
        every.added[place],
        every.strike_cells[place],
        every.heroic_bonus[place],
        every.blank_cells[place],
        every.veteran[place],
        every.discarded[place],
        every.limits[place],
        every.bounds[place],
        every.values[place],
    )


@step
def rerolls_at(every: Any, place: int) -> Rerolls:
    """One of the rerolls."""
    scores, waits, blanks = every.thresholds
    scores_again, _, blanks_again = every.thresholds_again
    return Rerolls(
        every.allowance[place],
        (pair_at(scores, place), pair_at(waits, place), pair_at(blanks, place)),
        (pair_at(scores_again, place), None, pair_at(blanks_again, place)),
        every.kept[place],
        every.card_bounds[place],
    )


@step
def pair_at(thresholds: Any, place: int) -> Any:
    """One of the pairs of thresholds."""
    upper, lower = thresholds
    return upper[place], lower[place]


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
    ends[:] = np.where(cells < MOST_WAYS, cells, 0)
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

    layouts: Layout  # of all strikes, one for each combat rating: every field with one more dimension in front
    block: Block  # to roll in
    rerolls: Rerolls | None  # as the layouts
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
    layouts, block, _, cache, random = roller
    place = pools.layout[pool]
    layout = layout_at(layouts, place)
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
