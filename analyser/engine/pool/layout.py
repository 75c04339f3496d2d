"""Layout of the dice of a fight on a line of draws, by which the dice kernel rolls.

Each die of the first roll has a draw of its own, a random integer that says which face it shows, which one a re-roll
by rating would give, and the same of the die that a heroic strike adds. Draws beyond
the last whole multiple of all those cases would favour some, so a trial with such a draw is discarded whole. Every
trial takes the same number of draws, so discarding adds no bias. (Draws that only some trials take are drawn again.)

This is sampling by inversion of the distribution function (Devroye: Non-Uniform Random Variate Generation, 1986, II.2):
the cases are laid out along the line of draws from the best to the worst, so that counting the draws below a few
thresholds tells all that a pool comes to. The second die that Arc adds is a draw of its own, and so is each die of
rerolls pools, which has to be told apart from the one that it adds: a die that an extra re-roll takes has a line of its
own; it is rolled in every trial, and counts in those where it is wanted.
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
from analyser.rules.attack import Scores, Waiting, size_of, waits_as
from analyser.rules.structs import FightFacts

BOUNDS_AT_ONCE = 3  # a card has as many
MOST_DISCARDED = 0.30  # share of trials thrown away from which wider draws pay


class Threshold(IntEnum):
    """Ends on the line of draws. A draw below one is a die that ...

    Those that wait do so for an extra re-roll (AC-3.5).
    """

    HEROIC = 0  # ends as a heroic strike
    SETTLED = 1  # ends as a strike or better and does not wait
    STRIKE = 2  # as SETTLED, or is a strike that waits
    NOTHING = 3  # as STRIKE, or waits and is no blank that counts
    WAITING = 4  # as STRIKE, or waits
    BLANK = 5  # as WAITING, or ends as a blank that counts (Overcharge)


class Layout(NamedTuple):
    """Layout of the pools of a fight: all that the kernel needs besides the number of dice.

    A trial is counted in the cell ``score * extra_values + extra``, where `extra` tells the cards, officer's places and
    building dice apart that the rules tell apart.
    """

    explodes: Any  # a first die with a draw below shows a heroic strike at once; in the type of the draws
    # Where these end on the line: a die that shows a heroic strike and adds another; one that adds a strike; dice that
    # come to one heroic strike; to a strike. That of the first of two draws taken together, and that of the second.
    first: NDArray[Any]
    second: NDArray[Any]
    gates: NDArray[Any]  # the second counts if the first is below; and that of a die whose neighbour is not rolled: 0
    dice_at_once: int  # how many dice of the first roll the two draws are
    limit: Any  # from here on the trial is thrown away
    lower_unit: Any  # 1 in the lower half of a number, and in its upper half
    upper_unit: Any
    added: Any  # dice that a heroic strike adds
    strike_cells: Any  # cells that a strike adds
    heroic_bonus: Any  # that a heroic strike adds beyond those of a strike
    blank_cells: Any  # that a blank adds; 0: blanks do not count
    veteran: Any
    discarded: Any  # the cell of the trials that are thrown away
    limits: NDArray[np.uint16]  # of the other draws, in order: from here on the trial is thrown away
    bounds: NDArray[np.uint16]  # of the other draws: where the next value begins, one row a draw
    values: Any  # how many values each of the other draws has


Thresholds = tuple[tuple[Any, Any], tuple[Any, Any] | None, tuple[Any, Any] | None]


class Rerolls(NamedTuple):
    """Layout of extra re-rolls and Overcharge, for pools that have them.

    Thresholds are tallied in pairs: HEROIC and STRIKE; SETTLED and WAITING, for extra re-rolls; NOTHING and BLANK, for
    Overcharge. The kernel is compiled without a pair that is None.
    """

    allowance: Any  # extra re-rolls; in the type of the draws
    thresholds: Thresholds  # of the dice of the pool,
    thresholds_again: Thresholds  # and of a die that an extra re-roll takes
    kept: Integers  # added dice that are rolled in every trial, an even number, by the attacker's card
    card_bounds: NDArray[np.uint16]  # where each value of the attacker's card begins among the draws, and their end


class OtherDraw(NamedTuple):
    """A draw beside the dice of the pool: a card, the officer's place, a die for a building.

    `sides` equally likely things, told apart only where the rules do: `bounds` are the first of each new value.
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

    It uses the narrowest type of numbers that has room and discards few trials.
    """
    small = die // np.gcd.reduce(die)
    sides, exploding = int(small.sum()), _sides_of(fight.exploding_faces, small)
    pairs, shown = sides**2, exploding * sides
    in_pool = dice * (1 + int(fight.explosion))
    allowance = min(int(fight.extra_dice), in_pool)
    apart = bool(fight.overcharge or allowance)
    extra_values = int(np.prod([len(other.bounds) + 1 for other in others], dtype=np.int64))
    cells = size_of(fight, scores, dice) * extra_values
    ends = _ends(fight, small)
    end_heroic, end_strike = ends[Threshold.HEROIC], ends[Threshold.STRIKE]
    # As many draws a pair as let the added die's cases, a share of those that show a heroic strike, be whole numbers.
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
    """The bits of each part of a number that counts two things, and that many ones."""
    return (8, 0xFF) if kind(0).itemsize == 2 else (16, 0xFFFF)


def _thresholds(fight: FightFacts, ends: dict[Threshold, int], kind: Any, a_pair: int) -> Thresholds:
    """The pairs of thresholds that a pool needs; `a_pair` draws show a pair of faces."""
    at = {threshold: kind(end * a_pair) for threshold, end in ends.items()}
    waits = Threshold.WAITING in at and fight.extra_dice
    return (
        (at[Threshold.HEROIC], at[Threshold.STRIKE]),
        (at[Threshold.SETTLED], at[Threshold.WAITING]) if waits else None,
        (at[Threshold.NOTHING], at[Threshold.BLANK]) if fight.overcharge else None,
    )


def kept_of(dice: int, fight: FightFacts, die: Integers) -> int:
    """An even number of dice that `dice` dice of a fight seldom add more than.

    That is how many they add two standard deviations above the mean, rounded up: in 1 of 60 to 1 of 400 trials they
    add more. Rolling those dice one by one costs about as much as rolling one die more in every trial.
    """
    explodes = _sides_of(fight.exploding_faces, die) / int(die.sum())
    exploding = math.ceil(dice * explodes + 2 * math.sqrt(dice * explodes * (1 - explodes)))
    added = min(exploding, dice) * int(fight.explosion)
    return added + added % 2


def _other_bounds(others: tuple[OtherDraw, ...]) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Where the good draws of each end, and where each of its values but the first begins.

    Beyond its last value there are bounds that no good draw reaches.
    """
    units = [np.iinfo(np.uint16).max // other.sides for other in others]
    most = max((len(other.bounds) for other in others), default=0)
    bounds = np.full((len(others), most + -most % BOUNDS_AT_ONCE), np.iinfo(np.uint16).max, np.uint16)
    for row, (other, unit) in enumerate(zip(others, units)):
        bounds[row, : len(other.bounds)] = np.array(other.bounds) * unit
    return np.array([other.sides * unit for other, unit in zip(others, units)], np.uint16), bounds


def _kind_for(draws: int, pairs: int, parts: int, dice: int, cells: int) -> tuple[Any, int]:
    """The type of the draws of a pool, the narrower, the faster; and how many draws show a pair: a multiple of `parts`.

    A trial takes so many `draws`, and `dice` are counted in it; there are so many `pairs` of faces.
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
    """Where each threshold lies on the line of the dice of the pool, counted in pairs of faces."""
    sides = int(die.sum())
    rerolled = _sides_of(fight.reroll_faces, die)
    waiting, settled = [0] * len(Waiting), list[Face]()
    for face in Face:
        if not die[face]:
            continue
        kind = waits_as(fight, face)
        waiting[kind] += int(die[face]) * sides
        if kind == Waiting.NOT and not fight.reroll_faces >> face & 1:
            settled.append(face)

    def end(mask: int) -> int:
        return sum(int(die[face]) for face in settled if mask >> face & 1) * sides + rerolled * _sides_of(mask, die)

    lengths = (
        end(fight.heroic_faces),
        end(fight.strike_faces),
        *(waiting[kind] for kind in (Waiting.STRIKE, Waiting.NOTHING, Waiting.BLANK)),
        end(fight.blank_faces) if fight.overcharge else 0,
    )
    return dict(zip(Threshold, accumulate(lengths)))


def _sides_of(mask: int, die: Integers) -> int:
    """The sides of a die with a face in `mask`."""
    return sum(int(sides) for face, sides in enumerate(die) if mask >> face & 1)


def _ends_again(fight: FightFacts, die: Integers) -> dict[Threshold, int]:
    """Where the thresholds lie that matter for a die that an extra re-roll takes, counted in faces."""
    masks = fight.heroic_faces, fight.strike_faces, fight.blank_faces
    sides, (heroic, strike, blank) = int(die.sum()), (_sides_of(mask, die) for mask in masks)
    return {
        Threshold.HEROIC: heroic,
        Threshold.STRIKE: heroic + strike,
        Threshold.NOTHING: sides - blank,
        Threshold.BLANK: sides,
    }
