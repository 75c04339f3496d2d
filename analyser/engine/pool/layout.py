"""How the dice of a fight stand on a line of draws: the sheet that the dice kernel rolls by.

Each die of a pool has a draw of its own, a random whole number whose first base-`sides` digit is the face it
shows and whose second digit is the face that a re-roll by rating would give. Draws beyond the last whole multiple
of ``sides ** 2`` would favour some faces, so a trial with such a draw is thrown away whole; as every trial takes
the same number of draws whatever they show, that favours nothing. (Draws that only some trials take are drawn again.)

The pairs of faces are laid out along the line of draws from the best to the worst, so that counting the draws
below a mark, for a few marks, tells all that a pool comes to. A die that an extra re-roll takes is a further draw
with a line of its own: it is rolled in every trial, and counts in those where it is wanted.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.pool.pmf import NOT_WAITING, WAITING_BLANK, WAITING_NOTHING, WAITING_STRIKE, waits_as
from analyser.game.dice import Face
from analyser.rules.damage import Scores, size_of
from analyser.rules.structs import FightFacts

EDGES_AT_ONCE = 3  # a card has as many
MOST_DISCARDED = 0.30  # share of trials thrown away from which wider draws pay


class Mark(IntEnum):
    """Ends on the line of draws. A draw below one is a die that ...

    Those that wait do so for an extra re-roll (AC-3.5).
    """

    HEROIC = 0  # ends as a heroic strike
    SETTLED = 1  # ends as a strike or better and does not wait
    STRIKE = 2  # as SETTLED, or is a strike that waits
    NOTHING = 3  # as STRIKE, or waits and is no blank that counts
    WAITING = 4  # as STRIKE, or waits
    BLANK = 5  # as WAITING, or ends as a blank that counts (Overcharge)


class Sheet(NamedTuple):
    """How the pools of a fight are rolled: what the kernel needs besides the number of dice.

    A trial is counted in the cell ``score * extra_values + extra``, where `extra` tells the cards, officer's places and
    building dice apart that the rules tell apart.
    """

    explodes: Any  # a first die with a draw below shows a heroic strike at once; in the type of the draws
    heroic: Any  # the marks of these names
    strike: Any
    limit: Any  # from here on the trial is thrown away
    lower_unit: Any  # 1 in the lower half of a number, and in its upper half
    upper_unit: Any
    added: int  # dice that a heroic strike adds
    strike_cells: Any  # cells that a strike adds
    heroic_bonus: Any  # that a heroic strike adds beyond those of a strike
    blank_cells: Any  # that a blank adds; 0: blanks do not count
    veteran: Any
    discarded: Any  # the cell of the trials that are thrown away
    limits: NDArray[np.uint16]  # of the other draws, in order: from here on the trial is thrown away
    edges: NDArray[np.uint16]  # of the other draws: where the next value begins, one row a draw
    values: Any  # how many values each of the other draws has


Marks = tuple[tuple[Any, Any], tuple[Any, Any] | None, tuple[Any, Any] | None]


class Special(NamedTuple):
    """What only pools with extra re-rolls or Overcharge need besides.

    Marks are tallied in pairs: HEROIC and STRIKE; SETTLED and WAITING, for extra re-rolls; NOTHING and BLANK, for
    Overcharge. Where a pair is nothing the kernel is compiled without it.
    """

    allowance: Any  # extra re-rolls; in the type of the draws
    marks: Marks  # of the dice of the pool,
    marks_again: Marks  # and of a die that an extra re-roll takes
    kept: NDArray[
        np.int64
    ]  # by value of the attacker's card: added dice that are rolled in every trial, an even number
    card_edges: NDArray[np.uint16]  # where each value of the attacker's card begins among the draws, and their end


class OtherDraw(NamedTuple):
    """A draw beside the dice of the pool: a card, the officer's place, a die for a building.

    `sides` equally likely things, told apart only where the rules do: `edges` are the first of each new value.
    """

    sides: int
    edges: tuple[int, ...]


def sheets_for(
    fight: FightFacts,
    scores: Scores,
    die: NDArray[np.int64],
    deck: NDArray[np.int64],
    others: tuple[OtherDraw, ...],
    dice: int,
    *,
    wide: bool = False,
    special: bool = False,
) -> tuple[Sheet, Special | None]:
    """What the kernel needs to roll the pools of a fight.

    Parameters
    ----------
    fight : record of FIGHT
    scores : Scores
    die, deck : int64 arrays
        Sides by face; copies by value of the attacker's card (Overcharge).
    others : tuple of OtherDraw
    dice : int
        The most dice of the first roll.
    wide, special : bool
        In 32-bit numbers, and with a Special, whether the fight needs it or not: to be rolled beside others that do.

    Returns
    -------
    Sheet, Special or None
        In 16-bit numbers where those have room and few trials are thrown away with them, in 32-bit numbers else.
    """
    small = die // np.gcd.reduce(die)
    pairs = int(small.sum()) ** 2
    in_pool = dice * (1 + int(fight.explosion))
    allowance = min(int(fight.extra_dice), in_pool)
    extra_values = int(np.prod([len(other.edges) + 1 for other in others], dtype=np.int64))
    cells = size_of(fight, scores, dice) * extra_values
    kind = np.uint32 if wide else _kind_for(in_pool + allowance, pairs, cells)
    a_pair = np.iinfo(kind).max // pairs
    ends = _ends(fight, small)
    limits, edges = _other_edges(others)
    sheet = Sheet(
        explodes=kind(int(small[Face.HEROIC]) * int(small.sum()) * a_pair),
        heroic=kind(ends[Mark.HEROIC] * a_pair),
        strike=kind(ends[Mark.STRIKE] * a_pair),
        limit=kind(pairs * a_pair),
        lower_unit=kind(1),
        upper_unit=kind(1 << 4 * kind().itemsize),
        added=int(fight.explosion),
        strike_cells=kind(scores.strike * extra_values),
        heroic_bonus=kind((scores.heroic - scores.strike) * extra_values),
        blank_cells=kind(scores.blank * extra_values),
        veteran=kind(fight.veteran),
        discarded=kind(cells),
        limits=limits,
        edges=edges,
        values=np.array([len(other.edges) + 1 for other in others], kind),
    )
    if not (fight.overcharge or allowance or special):
        return sheet, None
    ends_again = {mark: end * int(small.sum()) for mark, end in _ends_again(small).items()}
    return sheet, Special(
        allowance=kind(allowance),
        marks=_marks(fight, ends, kind, a_pair, every=special),
        marks_again=_marks(fight, ends_again, kind, a_pair, every=special),
        kept=np.array([kept_of(some, int(fight.explosion), small) for some in range(int(fight.dice), dice + 1)]),
        card_edges=_card_edges(deck) if fight.overcharge else np.zeros(1, np.uint16),
    )


def _marks(fight: FightFacts, ends: dict[Mark, int], kind: Any, a_pair: int, *, every: bool) -> Marks:
    """The pairs of marks that a pool needs, or `every` pair that there can be; `a_pair` draws show a pair of faces."""
    at = {mark: kind(end * a_pair) for mark, end in ends.items()}
    waits = (at[Mark.SETTLED], at[Mark.WAITING]) if Mark.WAITING in at and (fight.extra_dice or every) else None
    blanks = (at[Mark.NOTHING], at[Mark.BLANK]) if fight.overcharge or every else None
    return (at[Mark.HEROIC], at[Mark.STRIKE]), waits, blanks


def kept_of(dice: int, explosion: int, die: NDArray[np.int64]) -> int:
    """An even number of dice that the heroic strikes of `dice` dice seldom add more than.

    That is how many they add two standard deviations above the mean, rounded up: in 1 of 60 to 1 of 400 trials they
    add more. Rolling those dice one by one costs about as much as rolling one die more in every trial.
    """
    heroic = int(die[Face.HEROIC]) / int(die.sum())
    heroics = math.ceil(dice * heroic + 2 * math.sqrt(dice * heroic * (1 - heroic)))
    added = min(heroics, dice) * explosion
    return added + added % 2


def _card_edges(deck: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Where each card value begins among 16-bit draws, and where the draws end that are thrown away."""
    unit = np.iinfo(np.uint16).max // int(deck.sum())
    return (np.concatenate([[0], np.cumsum(deck)]) * unit).astype(np.uint16)


def _other_edges(others: tuple[OtherDraw, ...]) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Where the good draws of each end, and where each of its values but the first begins.

    Beyond its last value there are edges that no good draw reaches.
    """
    units = [np.iinfo(np.uint16).max // other.sides for other in others]
    most = max((len(other.edges) for other in others), default=0)
    edges = np.full((len(others), most + -most % EDGES_AT_ONCE), np.iinfo(np.uint16).max, np.uint16)
    for row, (other, unit) in enumerate(zip(others, units)):
        edges[row, : len(other.edges)] = np.array(other.edges) * unit
    return np.array([other.sides * unit for other, unit in zip(others, units)], np.uint16), edges


def _kind_for(draws: int, pairs: int, cells: int) -> Any:
    """The type of the draws of a pool: the narrower, the faster."""
    most = np.iinfo(np.uint16).max
    wasted = 1.0 if pairs > most else draws * ((1 << 16) % pairs) / (1 << 16)
    return np.uint16 if wasted < MOST_DISCARDED and draws < 1 << 8 and cells < most else np.uint32


def _ends(fight: FightFacts, die: NDArray[np.int64]) -> dict[Mark, int]:
    """Where each mark lies on the line of the dice of the pool, counted in pairs of faces."""
    sides = int(die.sum())
    heroic, strike, blank = (int(die[face]) for face in (Face.HEROIC, Face.STRIKE, Face.BLANK))
    rerolled = sum(int(die[face]) for face in Face if fight.reroll_faces >> face & 1)
    waiting = [0] * (NOT_WAITING + 1)
    for face in Face:
        waiting[waits_as(fight, face)] += int(die[face]) * sides

    def stays(face: Face) -> int:
        left = fight.reroll_faces >> face & 1 or waits_as(fight, face) != NOT_WAITING
        return 0 if left else int(die[face]) * sides

    ends = {Mark.HEROIC: stays(Face.HEROIC) + rerolled * heroic}
    ends[Mark.SETTLED] = ends[Mark.HEROIC] + stays(Face.STRIKE) + rerolled * strike
    ends[Mark.STRIKE] = ends[Mark.SETTLED] + waiting[WAITING_STRIKE]
    ends[Mark.NOTHING] = ends[Mark.STRIKE] + waiting[WAITING_NOTHING]
    ends[Mark.WAITING] = ends[Mark.NOTHING] + waiting[WAITING_BLANK]
    ends[Mark.BLANK] = ends[Mark.WAITING] + (stays(Face.BLANK) + rerolled * blank if fight.overcharge else 0)
    return ends


def _ends_again(die: NDArray[np.int64]) -> dict[Mark, int]:
    """Where the marks lie that matter for a die that an extra re-roll takes, counted in faces."""
    sides, heroic, strike, blank = (int(n) for n in (die.sum(), die[Face.HEROIC], die[Face.STRIKE], die[Face.BLANK]))
    return {Mark.HEROIC: heroic, Mark.STRIKE: heroic + strike, Mark.NOTHING: sides - blank, Mark.BLANK: sides}
