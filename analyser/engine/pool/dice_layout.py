"""Layout of the dice of a fight for the dice kernel: which random integers mean which faces.

A draw is a random integer that selects the face of a die and its re-roll, and both for a die that it adds. Lower draws
are better, so a few thresholds give the score (inversion: Devroye, Non-Uniform Random Variate Generation, 1986, II.2).
Draws from `limit` on would favour some faces, so a trial with such a draw is discarded. This adds no bias, because all
trials have the same number of draws.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.kernel_records import Integers
from analyser.rules.attack import Scores, score_bound
from analyser.rules.structs import FightFacts

BOUNDS_TOGETHER = 3  # number of bounds compared together; the card of a test has 3 bounds
MOST_DISCARDED = 0.30  # share of discarded trials above which a wider type of draws is faster


class Layout(NamedTuple):
    """Layout of a fight's pools. Cell score * n + c counts trials whose other draws are combination c (from 0) of n."""

    # Four thresholds for the first and for the second of two draws scored together. Below thresholds 0 and 1 the die
    # shows a heroic strike, and its added die ends as a heroic strike (0), or as a strike or better (1). Below
    # thresholds 2 and 3 the die itself ends as a heroic strike (2), or as a strike or better (3).
    first: NDArray[Any]
    second: NDArray[Any]
    gates: NDArray[Any]  # the second draw counts if the first is below gates[0]; for a single last die, gates[1] = 0
    dice_at_once: int  # first-roll dice per two draws: 2, or 1 if a die that explodes adds two (Arc)
    limit: Any  # lowest draw that discards the trial
    lower_addend: Any  # 1 in the lower half of a number that holds two counts
    upper_addend: Any  # 1 in the upper half
    strike_cells: Any  # number that each strike, heroic or not, adds to the number of the trial's cell
    heroic_bonus: Any  # number that each heroic strike adds in addition
    veteran: Any
    discarded: Any  # number of the cell of discarded trials
    limits: NDArray[np.uint16]  # lowest draw of each OtherDraw that discards the trial
    bounds: NDArray[np.uint16]  # a row for each OtherDraw: lowest draw of each of its values except the first
    values: Any  # number of values of each OtherDraw


class OtherDraw(NamedTuple):
    """A card, the officer's position or a die for a building; `bounds`: lowest side of each value except the first."""

    sides: int
    bounds: tuple[int, ...]


def layout_for(
    fight: FightFacts, scores: Scores, die: Integers, others: tuple[OtherDraw, ...], dice: int, *, rolls_dice: bool
) -> Layout:
    """Return the layout of pools of up to `dice` first-roll dice; without `rolls_dice`, only of the other draws."""
    small = die // np.gcd.reduce(die)
    sides, exploding = int(small.sum()), _sides_of(fight.exploding_faces, small)
    pairs, exploding_draws = sides**2, exploding * sides
    extra_values = int(np.prod([len(other.bounds) + 1 for other in others], dtype=np.int64))
    cells = score_bound(fight, scores, dice) * extra_values
    end_heroic = _pairs_ending_in(fight.heroic_faces, fight, small)
    ends = end_heroic, end_heroic + _pairs_ending_in(fight.strike_faces, fight, small)
    # `draws_per_pair` is a multiple of `parts`, so that the division in `with_added` leaves no remainder.
    parts = math.lcm(*(pairs // math.gcd(exploding_draws * end, pairs) for end in ends))
    rolled = dice if rolls_dice else 0
    dtype, draws_per_pair = _dtype_for(rolled * fight.explosion, pairs, parts, rolled * (1 + fight.explosion), cells)
    ends_alone = [end * draws_per_pair for end in ends]
    with_added = [exploding_draws * draws_per_pair * end // pairs for end in ends] + ends_alone
    adds_two = fight.explosion > 1
    limits, bounds = _other_bounds(others)
    return Layout(
        first=np.array(with_added, dtype),
        second=np.array([0, 0, *ends_alone] if adds_two else with_added, dtype),
        gates=np.array([(exploding_draws if adds_two else pairs) * draws_per_pair, 0], dtype),
        dice_at_once=1 if adds_two else 2,
        limit=dtype(pairs * draws_per_pair),
        lower_addend=dtype(1),
        upper_addend=dtype(1 << halves_of(dtype)[0]),
        strike_cells=dtype(scores.strike * extra_values),
        heroic_bonus=dtype((scores.heroic - scores.strike) * extra_values),
        veteran=dtype(fight.veteran),
        discarded=dtype(cells),
        limits=limits,
        bounds=bounds,
        values=np.array([len(other.bounds) + 1 for other in others], dtype),
    )


def halves_of(dtype: Any) -> tuple[int, int]:
    """Return the number of bits in each half of a number that holds two counts, and a mask of the lower half."""
    return (8, 0xFF) if dtype(0).itemsize == 2 else (16, 0xFFFF)


def _other_bounds(others: tuple[OtherDraw, ...]) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return, for each of `others`, the lowest invalid draw, and the lowest draw of each value except the first."""
    units = [np.iinfo(np.uint16).max // other.sides for other in others]
    most = max((len(other.bounds) for other in others), default=0)
    bounds = np.full((len(others), most + -most % BOUNDS_TOGETHER), np.iinfo(np.uint16).max, np.uint16)
    for row, (other, unit) in enumerate(zip(others, units)):
        bounds[row, : len(other.bounds)] = np.array(other.bounds) * unit
    return np.array([other.sides * unit for other, unit in zip(others, units)], np.uint16), bounds


def _dtype_for(draws: int, pairs: int, parts: int, dice: int, cells: int) -> tuple[Any, int]:
    """Return the type of the draws of a pool, and the number of draws per pair of sides, a multiple of `parts`."""
    for dtype in (np.uint16, np.uint32, np.uint64):
        most = np.iinfo(dtype).max
        draws_per_pair = most // (pairs * parts) * parts
        discarded_share = draws * (1 - pairs * draws_per_pair / (most + 1))
        has_room = draws_per_pair > 0 and dice < halves_of(dtype)[1] and cells < most
        if has_room and discarded_share < MOST_DISCARDED:
            break
    return dtype, draws_per_pair


def _pairs_ending_in(mask: int, fight: FightFacts, die: Integers) -> int:
    """Return the number of pairs of sides (a die and its re-roll by rating) that end in a face in `mask`."""
    rerolled, sides = fight.reroll_faces, int(die.sum())
    return _sides_of(mask & ~rerolled, die) * sides + _sides_of(rerolled, die) * _sides_of(mask, die)


def _sides_of(mask: int, die: Integers) -> int:
    """Return the number of sides of a die with a face in `mask`."""
    return sum(int(sides) for face, sides in enumerate(die) if mask >> face & 1)
