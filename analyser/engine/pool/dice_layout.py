"""Layout of the dice of a fight for the dice kernel: which random integers mean which faces.

A draw selects the face of a die, its re-roll, and both for a die that it adds; draws are sorted from best to worst, so
that a few thresholds give the score (inversion: Devroye, Non-Uniform Random Variate Generation, 1986, II.2). A draw
that would favour some faces discards its trial. All trials have equally many draws, so discarding adds no bias.
"""

from __future__ import annotations

import math
from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.kernel_records import Integers
from analyser.game.ruleset import Face
from analyser.rules.attack import Scores, WaitingDie, score_bound, waiting_kind
from analyser.rules.structs import FightFacts

BOUNDS_TOGETHER = 3  # bounds that are compared together: the card of a test has 3
MOST_DISCARDED = 0.30  # share of discarded trials above which a wider type of draws is faster


class Threshold(IntEnum):
    """Thresholds of draws; each comment describes a die below it. A die "waits" for an extra re-roll (AC-3.5)."""

    HEROIC = 0  # ends as a heroic strike
    SETTLED = 1  # ends as a strike or better, and does not wait
    STRIKE = 2  # below SETTLED, or a waiting strike
    NOTHING = 3  # below SETTLED, or waits and is not a blank that counts
    WAITING = 4  # below SETTLED, or waits
    BLANK = 5  # below SETTLED, waits, or is a final blank that counts (Overcharge)


class Layout(NamedTuple):
    """Layout of a fight's pools without the number of dice; the cell of a trial is ``score * extra_values + extra``."""

    explodes: Any  # a first-roll die with a draw below `explodes` adds dice
    # Thresholds of the first and the second of two draws scored together. Below them, in order: the die shows a heroic
    # strike and its added die ends as a heroic strike; as a strike or better; the die itself ends as a heroic strike;
    # as a strike or better.
    first: NDArray[Any]
    second: NDArray[Any]
    gates: NDArray[Any]  # the second draw counts if the first is below gates[0]; for a single last die, gates[1] = 0
    dice_at_once: int  # dice of the first roll among two draws: 1 or 2
    limit: Any  # lowest draw that discards the trial
    lower_addend: Any  # 1 in the lower half of a number that holds two counts
    upper_addend: Any  # 1 in the upper half
    added: Any  # dice added by a heroic strike
    strike_cells: Any  # cells per strike
    heroic_bonus: Any  # additional cells per heroic strike
    blank_cells: Any  # cells per blank; 0: blanks do not count
    veteran: Any
    discarded: Any  # number of the cell of discarded trials
    limits: NDArray[np.uint16]  # lowest value of each other draw that discards the trial
    bounds: NDArray[np.uint16]  # a row for each other draw: lowest draw of each of its values except the first
    values: Any  # number of values of each other draw


Thresholds = tuple[tuple[Any, Any], tuple[Any, Any] | None, tuple[Any, Any] | None]


class Rerolls(NamedTuple):
    """Layout of extra re-rolls and Overcharge ("rerolls pools"); thresholds that are not needed are None."""

    allowance: Any  # extra re-rolls; in the type of the draws
    thresholds: Thresholds  # for the dice of the pool
    reroll_thresholds: Thresholds  # for a die of an extra re-roll
    always_added: Integers  # by the attacker's card: even number of added dice that every trial rolls
    card_bounds: NDArray[np.uint16]  # lowest draw of each value of the attacker's card, and the end of the last value


class OtherDraw(NamedTuple):
    """A card, the officer's position or a die for a building; `bounds`: first results of its values."""

    sides: int
    bounds: tuple[int, ...]


def layout_for(
    fight: FightFacts, scores: Scores, die: Integers, deck: Integers, others: tuple[OtherDraw, ...], dice: int
) -> tuple[Layout, Rerolls | None]:
    """Return the layout of a fight's pools of up to `dice` first-roll dice."""
    small = die // np.gcd.reduce(die)
    sides, exploding = int(small.sum()), _sides_of(fight.exploding_faces, small)
    pairs, exploding_draws = sides**2, exploding * sides
    counted_dice = dice * (1 + int(fight.explosion))
    allowance = min(int(fight.extra_dice), counted_dice)
    rerolls = bool(fight.overcharge or allowance)
    extra_values = int(np.prod([len(other.bounds) + 1 for other in others], dtype=np.int64))
    cells = score_bound(fight, scores, dice) * extra_values
    ends = _ends(fight, small)
    end_heroic, end_strike = ends[Threshold.HEROIC], ends[Threshold.STRIKE]
    # `draws_per_pair` is a multiple of `parts`, so that the division in `with_added` leaves no remainder.
    parts = (
        1
        if rerolls
        else math.lcm(*(pairs // math.gcd(exploding_draws * end, pairs) for end in (end_heroic, end_strike)))
    )
    draws = counted_dice + allowance if rerolls else dice * int(fight.explosion)
    dtype, draws_per_pair = _dtype_for(draws, pairs, parts, counted_dice + allowance, cells)
    ends_alone = [end * draws_per_pair for end in (end_heroic, end_strike)]
    with_added = [exploding_draws * draws_per_pair * end // pairs for end in (end_heroic, end_strike)] + ends_alone
    adds_two = fight.explosion > 1
    limits, bounds = _other_bounds(others)
    layout = Layout(
        explodes=dtype(exploding_draws * draws_per_pair),
        first=np.array(with_added, dtype),
        second=np.array([0, 0, *ends_alone] if adds_two else with_added, dtype),
        gates=np.array([(exploding_draws if adds_two else pairs) * draws_per_pair, 0], dtype),
        dice_at_once=1 if adds_two else 2,
        limit=dtype(pairs * draws_per_pair),
        lower_addend=dtype(1),
        upper_addend=dtype(1 << halves_of(dtype)[0]),
        added=dtype(fight.explosion),
        strike_cells=dtype(scores.strike * extra_values),
        heroic_bonus=dtype((scores.heroic - scores.strike) * extra_values),
        blank_cells=dtype(scores.blank * extra_values),
        veteran=dtype(fight.veteran),
        discarded=dtype(cells),
        limits=limits,
        bounds=bounds,
        values=np.array([len(other.bounds) + 1 for other in others], dtype),
    )
    if not rerolls:
        return layout, None
    cards = np.array([0, *np.cumsum(deck)]) if fight.overcharge else np.zeros(1, np.int64)
    ends_again = {threshold: end * sides for threshold, end in _ends_again(fight, small).items()}
    return layout, Rerolls(
        allowance=dtype(allowance),
        thresholds=_thresholds(fight, ends, dtype, draws_per_pair),
        reroll_thresholds=_thresholds(fight, ends_again, dtype, draws_per_pair),
        always_added=np.array([always_added_for(rolled, fight, small) for rolled in range(int(fight.dice), dice + 1)]),
        card_bounds=(cards * (np.iinfo(np.uint16).max // int(deck.sum()))).astype(np.uint16),
    )


def halves_of(dtype: Any) -> tuple[int, int]:
    """Return the number of bits in each half of a number that holds two counts, and a mask with as many ones."""
    return (8, 0xFF) if dtype(0).itemsize == 2 else (16, 0xFFFF)


def _thresholds(fight: FightFacts, ends: dict[Threshold, int], dtype: Any, draws_per_pair: int) -> Thresholds:
    """Return the thresholds that a pool needs, as draws; `ends`: in pairs of sides, of `draws_per_pair` draws each."""
    limits = {threshold: dtype(end * draws_per_pair) for threshold, end in ends.items()}
    waits = Threshold.WAITING in limits and fight.extra_dice
    return (
        (limits[Threshold.HEROIC], limits[Threshold.STRIKE]),
        (limits[Threshold.SETTLED], limits[Threshold.WAITING]) if waits else None,
        (limits[Threshold.NOTHING], limits[Threshold.BLANK]) if fight.overcharge else None,
    )


def always_added_for(dice: int, fight: FightFacts, die: Integers) -> int:
    """Return the added dice to roll in every trial: two standard deviations above the mean, as an even number."""
    explodes = _sides_of(fight.exploding_faces, die) / int(die.sum())
    exploding = math.ceil(dice * explodes + 2 * math.sqrt(dice * explodes * (1 - explodes)))
    added = min(exploding, dice) * int(fight.explosion)
    return added + added % 2


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
        has_room = dice < halves_of(dtype)[1] and cells < most
        if has_room and discarded_share < MOST_DISCARDED:
            break
    return dtype, draws_per_pair


def _ends(fight: FightFacts, die: Integers) -> dict[Threshold, int]:
    """Return each threshold for dice of the pool, as a number of pairs of sides."""
    sides = int(die.sum())
    rerolled = _sides_of(fight.reroll_faces, die)
    waiting, settled = [0] * len(WaitingDie), list[Face]()
    for face in Face:
        if not die[face]:
            continue
        kind = waiting_kind(fight, face)
        waiting[kind] += int(die[face]) * sides
        if kind == WaitingDie.NONE and not fight.reroll_faces >> face & 1:
            settled.append(face)

    def end(mask: int) -> int:
        return sum(int(die[face]) for face in settled if mask >> face & 1) * sides + rerolled * _sides_of(mask, die)

    lengths = (
        end(fight.heroic_faces),
        end(fight.strike_faces),
        *(waiting[kind] for kind in (WaitingDie.STRIKE, WaitingDie.NO_EFFECT, WaitingDie.BLANK)),
        end(fight.blank_faces) if fight.overcharge else 0,
    )
    return dict(zip(Threshold, accumulate(lengths)))


def _sides_of(mask: int, die: Integers) -> int:
    """Return the number of sides of a die with a face in `mask`."""
    return sum(int(sides) for face, sides in enumerate(die) if mask >> face & 1)


def _ends_again(fight: FightFacts, die: Integers) -> dict[Threshold, int]:
    """Return each threshold for a die of an extra re-roll, as a number of sides."""
    masks = fight.heroic_faces, fight.strike_faces, fight.blank_faces
    sides, (heroic, strike, blank) = int(die.sum()), (_sides_of(mask, die) for mask in masks)
    return {
        Threshold.HEROIC: heroic,
        Threshold.STRIKE: heroic + strike,
        Threshold.NOTHING: sides - blank,
        Threshold.BLANK: sides,
    }
