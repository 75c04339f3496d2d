"""Layout of the dice of a fight on a line of draws, for the dice kernel.

A draw is a random integer, one for each die of the first roll. It determines the face of the die, its face after a
re-roll by rating, and both faces of a die added by a heroic strike. Draws beyond the last whole multiple of the number
of cases would favour some cases, so a trial with such a draw is discarded. Every trial takes the same number of draws,
so discarding adds no bias. (Draws that only some trials take are repeated instead.)

This is sampling by inversion of the distribution function (Devroye: Non-Uniform Random Variate Generation, 1986, II.2).
The cases lie on the line of draws from the best to the worst. So the score of a pool follows from the numbers of draws
below a few thresholds. The second die that Arc adds has a draw of its own, and so has each added die of a rerolls pool.
A die of an extra re-roll has its own thresholds; it is rolled in every trial, and counts in trials that re-roll it.
"""

from __future__ import annotations

import math
from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.records import Integers
from analyser.game.ruleset import Face
from analyser.rules.attack import Scores, WaitingDie, score_bound, waiting_kind
from analyser.rules.structs import FightFacts

BOUNDS_AT_ONCE = 3  # number of bounds of a card
MOST_DISCARDED = 0.30  # share of discarded trials above which wider draws are faster


class Threshold(IntEnum):
    """Thresholds on the line of draws; each comment describes a die with a draw below that threshold.

    A die "waits" for an extra re-roll (AC-3.5).
    """

    HEROIC = 0  # ends as a heroic strike
    SETTLED = 1  # ends as a strike or better and does not wait
    STRIKE = 2  # settled, or a waiting strike
    NOTHING = 3  # settled, or waiting and not a blank that counts
    WAITING = 4  # settled or waiting
    BLANK = 5  # settled, waiting, or a final blank that counts (Overcharge)


class Layout(NamedTuple):
    """Layout of the pools of a fight: everything that the kernel needs besides the number of dice.

    A trial is counted in the cell ``score * extra_values + extra``. `extra` numbers the combinations of card, officer's
    position and building die that the rules distinguish.
    """

    explodes: Any  # a first die with a draw below it adds dice; in the type of the draws
    # Thresholds of the first and second of two draws taken together, for: a die that shows a heroic strike and adds
    # another; one that adds a strike; dice that end as one heroic strike; as one strike.
    first: NDArray[Any]
    second: NDArray[Any]
    gates: NDArray[Any]  # the second draw counts if the first is below; [1] is 0, for a die without a neighbour
    dice_at_once: int  # dice of the first roll among two draws: 1 or 2
    limit: Any  # lowest draw that discards the trial
    lower_unit: Any  # 1 in the lower half of a number
    upper_unit: Any  # 1 in the upper half
    added: Any  # dice added by a heroic strike
    strike_cells: Any  # cells per strike
    heroic_bonus: Any  # additional cells per heroic strike
    blank_cells: Any  # cells per blank; 0: blanks do not count
    veteran: Any
    discarded: Any  # the cell of discarded trials
    limits: NDArray[np.uint16]  # lowest value of each other draw that discards the trial
    bounds: NDArray[np.uint16]  # a row for each other draw: lowest draws of its values after the first
    values: Any  # number of values of each other draw


Thresholds = tuple[tuple[Any, Any], tuple[Any, Any] | None, tuple[Any, Any] | None]


class Rerolls(NamedTuple):
    """Layout of extra re-rolls and Overcharge, for pools that have them.

    Draws are counted by pairs of thresholds: HEROIC and STRIKE; SETTLED and WAITING, for extra re-rolls; NOTHING and
    BLANK, for Overcharge. The kernel is compiled without a pair that is None.
    """

    allowance: Any  # extra re-rolls; in the type of the draws
    thresholds: Thresholds  # thresholds of the dice of the pool
    thresholds_again: Thresholds  # thresholds of a die of an extra re-roll
    kept: Integers  # added dice rolled in every trial, an even number, by the attacker's card
    card_bounds: NDArray[np.uint16]  # lowest draw of each value of the attacker's card, and the end of the last


class OtherDraw(NamedTuple):
    """A draw besides the dice of the pool: a card, the officer's position, or a die for a building.

    One of `sides` equally likely results, grouped into values; `bounds` are the first results of all values but the
    first.
    """

    sides: int
    bounds: tuple[int, ...]


def layout_for(
    fight: FightFacts,
    scores: Scores,
    die: Integers,
    deck: Integers,
    others: tuple[OtherDraw, ...],
    dice: int,
) -> tuple[Layout, Rerolls | None]:
    """Return the layout of the pools of a fight, of up to `dice` dice of the first roll.

    Its type of numbers is the narrowest that is large enough and discards few trials.
    """
    small = die // np.gcd.reduce(die)
    sides, exploding = int(small.sum()), _sides_of(fight.exploding_faces, small)
    pairs, shown = sides**2, exploding * sides
    in_pool = dice * (1 + int(fight.explosion))
    allowance = min(int(fight.extra_dice), in_pool)
    apart = bool(fight.overcharge or allowance)
    extra_values = int(np.prod([len(other.bounds) + 1 for other in others], dtype=np.int64))
    cells = score_bound(fight, scores, dice) * extra_values
    ends = _ends(fight, small)
    end_heroic, end_strike = ends[Threshold.HEROIC], ends[Threshold.STRIKE]
    # The added die's cases divide the draws that show a heroic strike: `parts` must divide the draws of a pair.
    parts = 1 if apart else math.lcm(*(pairs // math.gcd(shown * end, pairs) for end in (end_heroic, end_strike)))
    draws = in_pool + allowance if apart else dice * int(fight.explosion)
    kind, a_pair = _kind_for(draws, pairs, parts, in_pool + allowance, cells)
    alone = [end * a_pair for end in (end_heroic, end_strike)]
    with_added = [shown * a_pair * end // pairs for end in (end_heroic, end_strike)] + alone
    twice = fight.explosion > 1
    limits, bounds = _other_bounds(others)
    layout = Layout(
        explodes=kind(shown * a_pair),
        first=np.array(with_added, kind),
        second=np.array([0, 0, *alone] if twice else with_added, kind),
        gates=np.array([(shown if twice else pairs) * a_pair, 0], kind),
        dice_at_once=1 if twice else 2,
        limit=kind(pairs * a_pair),
        lower_unit=kind(1),
        upper_unit=kind(1 << halves_of(kind)[0]),
        added=kind(fight.explosion),
        strike_cells=kind(scores.strike * extra_values),
        heroic_bonus=kind((scores.heroic - scores.strike) * extra_values),
        blank_cells=kind(scores.blank * extra_values),
        veteran=kind(fight.veteran),
        discarded=kind(cells),
        limits=limits,
        bounds=bounds,
        values=np.array([len(other.bounds) + 1 for other in others], kind),
    )
    if not apart:
        return layout, None
    cards = np.array([0, *np.cumsum(deck)]) if fight.overcharge else np.zeros(1, np.int64)
    ends_again = {threshold: end * sides for threshold, end in _ends_again(fight, small).items()}
    return layout, Rerolls(
        allowance=kind(allowance),
        thresholds=_thresholds(fight, ends, kind, a_pair),
        thresholds_again=_thresholds(fight, ends_again, kind, a_pair),
        kept=np.array([kept_of(some, fight, small) for some in range(int(fight.dice), dice + 1)]),
        card_bounds=(cards * (np.iinfo(np.uint16).max // int(deck.sum()))).astype(np.uint16),
    )


def halves_of(kind: Any) -> tuple[int, int]:
    """Return the bits of each half of a number that holds two counts, and a mask of that many ones."""
    return (8, 0xFF) if kind(0).itemsize == 2 else (16, 0xFFFF)


def _thresholds(fight: FightFacts, ends: dict[Threshold, int], kind: Any, a_pair: int) -> Thresholds:
    """Return the pairs of thresholds that a pool needs; `a_pair` is the number of draws of a pair of faces."""
    at = {threshold: kind(end * a_pair) for threshold, end in ends.items()}
    waits = Threshold.WAITING in at and fight.extra_dice
    return (
        (at[Threshold.HEROIC], at[Threshold.STRIKE]),
        (at[Threshold.SETTLED], at[Threshold.WAITING]) if waits else None,
        (at[Threshold.NOTHING], at[Threshold.BLANK]) if fight.overcharge else None,
    )


def kept_of(dice: int, fight: FightFacts, die: Integers) -> int:
    """Return the number of added dice, an even number, to roll in every trial of `dice` dice.

    It lies two standard deviations above the mean, rounded up: 1 of 60 to 1 of 400 trials add more dice. Rolling those
    one by one costs about as much as rolling one more die in every trial.
    """
    explodes = _sides_of(fight.exploding_faces, die) / int(die.sum())
    exploding = math.ceil(dice * explodes + 2 * math.sqrt(dice * explodes * (1 - explodes)))
    added = min(exploding, dice) * int(fight.explosion)
    return added + added % 2


def _other_bounds(others: tuple[OtherDraw, ...]) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return the limit of the valid draws of each other draw, and the lowest draw of each value but the first.

    Rows are padded with bounds that no valid draw reaches.
    """
    units = [np.iinfo(np.uint16).max // other.sides for other in others]
    most = max((len(other.bounds) for other in others), default=0)
    bounds = np.full((len(others), most + -most % BOUNDS_AT_ONCE), np.iinfo(np.uint16).max, np.uint16)
    for row, (other, unit) in enumerate(zip(others, units)):
        bounds[row, : len(other.bounds)] = np.array(other.bounds) * unit
    return np.array([other.sides * unit for other, unit in zip(others, units)], np.uint16), bounds


def _kind_for(draws: int, pairs: int, parts: int, dice: int, cells: int) -> tuple[Any, int]:
    """Return the type of the draws of a pool, and the number of draws of a pair of faces, a multiple of `parts`.

    A narrower type is faster. `draws` and `dice` are the numbers of draws and counted dice of a trial. `pairs` is the
    number of pairs of faces.
    """
    for kind in (np.uint16, np.uint32, np.uint64):
        most = np.iinfo(kind).max
        a_pair = most // (pairs * parts) * parts
        wasted = draws * (1 - pairs * a_pair / (most + 1))
        has_room = dice < halves_of(kind)[1] and cells < most
        if has_room and wasted < MOST_DISCARDED:
            break
    return kind, a_pair


def _ends(fight: FightFacts, die: Integers) -> dict[Threshold, int]:
    """Return the position of each threshold for dice of the pool, counted in pairs of faces."""
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
    """Return the position of each threshold for a die of an extra re-roll, counted in faces."""
    masks = fight.heroic_faces, fight.strike_faces, fight.blank_faces
    sides, (heroic, strike, blank) = int(die.sum()), (_sides_of(mask, die) for mask in masks)
    return {
        Threshold.HEROIC: heroic,
        Threshold.STRIKE: heroic + strike,
        Threshold.NOTHING: sides - blank,
        Threshold.BLANK: sides,
    }
