"""The attack rolls that can come up in a longer fight: which pools of dice there are, and what they are rolled by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.jit import step
from analyser.engine.fight.program import MOST_STRIKES, Setup, dice_of
from analyser.engine.fight.sampled.nodes import MOST_TURNS
from analyser.engine.pool.buffers import Block, block_for
from analyser.engine.pool.layout import Sheet, Special, kept_of, sheets_for
from analyser.game.dice import Rating
from analyser.rules.conditions import set_pool
from analyser.rules.damage import scores_for, size_of
from analyser.rules.structs import FIGHT, FightFacts, plain

_RATINGS = len(Rating)
MOST_POOLS = 1 << 12
NO_POOL = 0


class Pools:
    """Every pool that can be rolled in a fight, as one record.

    Attributes
    ----------
    pools : int
        How many there are: pool 0, which is none and always comes to nothing; then those of strike 0 by combat rating
        and by dice, and so on.
    first : int64 array
        The first pool of each sheet.
    first_of_strike : int64 array
        The first pool of each strike, and the end of those of the last.
    sheet, dice : int64 arrays
        Of each pool, the sheet that it is rolled by, and its dice.
    kept : int64 array
        Of each pool, the dice that are rolled in every trial beside those
        (:class:`~analyser.engine.pool.layout.Special`).
    most_dice : int64 array
        Of each pool, the most dice of those of its strike: the scores are those for as many.
    cells : int64 array
        How many scores a roll can come to.
    """

    pools: int
    first: Any
    first_of_strike: Any
    sheet: Any
    dice: Any
    kept: Any
    most_dice: Any
    cells: Any


_OF_A_POOL = "sheet", "dice", "kept", "most_dice", "cells"
_POOLS = np.dtype(
    (
        np.record,
        [
            ("pools", np.int64),
            ("first", np.int64, (MOST_STRIKES * _RATINGS,)),
            ("first_of_strike", np.int64, (MOST_STRIKES + 1,)),
            *((name, np.int64, (MOST_POOLS,)) for name in _OF_A_POOL),
        ],
    )
)


@step
def pool_of(pools: Pools, strike: int, rating: int, dice: int) -> int:
    """The pool of a strike at a combat rating, with so many dice."""
    pool = pools.first[strike * _RATINGS + rating]
    while pools.dice[pool] != dice:
        pool += 1
    return int(pool)


@step
def has_few_cells(pools: Pools, pool: int) -> bool:
    """Whether each thing that a pool can come to has a turn of its own on the map."""
    return bool(pools.cells[pool] < MOST_TURNS)


class Sheets(NamedTuple):
    """The sheets of all strikes, one for each combat rating: every field with one more dimension in front.

    Attributes
    ----------
    sheets : Sheet
    one, two : Block
        To roll in, where a heroic strike adds one die, and where it adds two.
    """

    sheets: Sheet
    one: Block
    two: Block


def pools_for(
    setup: Setup, strikes: int, die: NDArray[np.int64], deck: NDArray[np.int64]
) -> tuple[Pools, Sheets, Special | None]:
    """The pools of the first `strikes` strikes of a fight, and what they are rolled by.

    Parameters
    ----------
    setup : Setup
    strikes : int
    die, deck : int64 arrays
        Sides by face; copies by card value.
    """
    fights = [_fight(setup, number, rating) for number in range(strikes) for rating in Rating]
    cards = np.flatnonzero(deck).tolist()
    rolls = dice_of(setup, strikes)
    dice = []
    for place, fight in enumerate(fights):
        usual = np.flatnonzero(rolls[place // _RATINGS])[1:].tolist() or [
            0 if fight.overcharge else 1
        ]  # no dice but a card's (Throw), or no attack
        fight.dice = usual[-1]
        dice.append(sorted({some + card for some in usual for card in (cards if fight.overcharge else [0])}))
    sheets, specials = _sheets(fights, [each[-1] for each in dice], die, deck)
    one, two = (block_for(sheets[0]._replace(added=added, discarded=0), specials[0]) for added in (1, 2))
    pools = _pools(fights, dice, die)
    special = None if specials[0] is None else _beside(specials)
    return pools, Sheets(_beside(sheets), one, two), special


def _fight(setup: Setup, number: int, rating: Rating) -> FightFacts:
    """What bears on the pools of a strike at a combat rating."""
    attack, fight = setup.attacks[number].copy(), np.zeros(1, FIGHT)[0]
    attack.stated_rating = rating
    set_pool(attack, setup.targets[number], fight)
    return cast("FightFacts", plain(fight))


def _sheets(
    fights: list[FightFacts], dice: list[int], die: NDArray[np.int64], deck: NDArray[np.int64]
) -> tuple[list[Sheet], list[Special | None]]:
    """The sheets, all in numbers of one type, and their specials, which are nothing if no fight needs one."""

    def made(wide: bool = False, special: bool = False) -> list[tuple[Sheet, Special | None]]:
        return [
            sheets_for(fight, scores_for(fight, most), die, deck, (), most, wide=wide, special=special)
            for fight, most in zip(fights, dice)
        ]

    usual = made()
    wide = len({type(sheet.limit) for sheet, _ in usual}) > 1
    if any(special for _, special in usual):
        usual = made(wide, special=True)
    elif wide:
        usual = made(wide)
    return [sheet for sheet, _ in usual], [special for _, special in usual]


def _pools(fights: list[FightFacts], dice: list[list[int]], die: NDArray[np.int64]) -> Pools:
    """Which pools there are, and how a roll of each is told."""
    firsts = np.cumsum([1, *map(len, dice)])
    if firsts[-1] > MOST_POOLS:
        raise too_many_pools(int(firsts[-1]), MOST_POOLS)
    table = [(0, 0, 0, 1, 1)]  # no pool
    for sheet, (fight, numbers) in enumerate(zip(fights, dice)):
        scores = scores_for(fight, numbers[-1])
        for number in numbers:
            kept = kept_of(number, int(fight.explosion), die)
            table.append((sheet, number, kept, numbers[-1], size_of(fight, scores, number)))
    pools: Any = np.zeros(1, _POOLS)[0]
    pools.pools, pools.first[: len(fights)] = len(table), firsts[:-1]
    for name, column in zip(_OF_A_POOL, zip(*table)):
        pools[name][: len(table)] = column
    each_strike = firsts[::_RATINGS]
    pools.first_of_strike[: len(each_strike)] = each_strike
    return cast("Pools", pools)


def too_many_pools(many: int, most: int) -> InputError:
    """What is said of a fight with more different attack rolls than there is room for."""
    problem = f"{many} different attack rolls in one fight"
    return InputError(problem, where="rows", allowed=f"up to {most}; fewer numbers of dice, or the method exact")


def _beside(parts: Sequence[Any]) -> Any:
    """Tuples of one kind as one such tuple, each field an array over them; rows are padded to one length."""
    first = parts[0]
    if first is None:
        return None
    if isinstance(first, tuple):
        fields = [_beside(field) for field in zip(*parts)]
        return type(first)(*fields) if hasattr(first, "_fields") else tuple(fields)
    if np.ndim(first) != 1:
        return np.array(parts)
    longest = max(len(row) for row in parts)
    return np.array([np.concatenate([row, np.zeros(longest - len(row), row.dtype)]) for row in parts])


@step
def sheet_at(every: Any, place: int) -> Sheet:
    """One of the sheets."""
    return Sheet(
        every.explodes[place],
        every.heroic[place],
        every.strike[place],
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
        every.edges[place],
        every.values[place],
    )


@step
def special_at(every: Any, place: int) -> Special:
    """One of the specials."""
    scores, waits, blanks = every.marks
    scores_again, _, blanks_again = every.marks_again
    return Special(
        every.allowance[place],
        (pair_at(scores, place), pair_at(waits, place), pair_at(blanks, place)),
        (pair_at(scores_again, place), None, pair_at(blanks_again, place)),
        every.kept[place],
        every.card_edges[place],
    )


@step
def pair_at(marks: Any, place: int) -> Any:
    """One of the pairs of marks."""
    upper, lower = marks
    return upper[place], lower[place]
