"""The attack rolls of a simulated fight: an alias table of the score for each pool of dice."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.jit import step, step_for, tiered
from analyser.common.records import Floats, Integers
from analyser.engine.pool.alias import Law, alias_table
from analyser.engine.pool.pmf import pool_pmf
from analyser.rules.attack import scores_for
from analyser.rules.structs import FIGHT, FightFacts

MOST_ROLLS = 1 << 12
MOST_ROWS = 1 << 20
_FIELDS = len(FIGHT.names or ())
_NO_CARD = np.ones(1)

pmf_of = tiered(2.0)(pool_pmf)


class Rolls(NamedTuple):
    """The tables of all attack rolls so far, in order of occurrence.

    The key of a roll is its pool, every field that :func:`~analyser.rules.attack.set_pool` sets. Its possible scores
    are numbered in ascending order; the table draws such a number.
    """

    fights: NDArray[Any]  # (MOST_ROLLS + 1,) of FIGHT: the pool of each roll, and one more as scratch
    numbers: Integers  # (MOST_ROLLS + 1, fields): the memory of `fights` as integers
    many: Integers  # (2,): number of rolls, number of used rows of `alias` and `score`
    first: NDArray[np.uint64]  # (MOST_ROLLS,): first row of the table of each roll
    bits: NDArray[np.uint64]  # (MOST_ROLLS,): number of bits of a word that select a row
    scores: Integers  # (MOST_ROLLS,): number of possible scores; 0: there is no table yet
    first_score: Integers  # (MOST_ROLLS,): index of the first score
    alias: NDArray[np.uint64]  # (rows, 2), see :func:`~analyser.engine.pool.alias.alias_table`
    score: Integers  # (rows,): the scores


def no_rolls() -> Rolls:
    """Return empty tables for the rolls of a fight; the system allocates their memory on first use."""
    fights = np.zeros(MOST_ROLLS + 1, FIGHT)
    numbers = fights.view(np.int64).reshape(MOST_ROLLS + 1, _FIELDS)
    words = np.zeros((2, MOST_ROLLS), np.uint64)
    integers = np.zeros((2, MOST_ROLLS), np.int64)
    alias, score = np.zeros((MOST_ROWS, 2), np.uint64), np.zeros(MOST_ROWS, np.int64)
    many = np.array([0, 2])  # the first two rows are unused
    return Rolls(fights, numbers, many, words[0], words[1], integers[0], integers[1], alias, score)


def _interpreted_copy(rolls: Rolls, fight: FightFacts) -> None:
    rolls.numbers[rolls.many[0]] = [getattr(fight, name) for name in FIGHT.names or ()]


@step_for(_interpreted_copy)
def copy_pool(rolls: Rolls, fight: FightFacts) -> None:
    """Copy a pool behind the last one, for comparison with the others."""
    rolls.fights[rolls.many[0]] = fight


@step
def roll_of(rolls: Rolls, fight: FightFacts) -> int:
    """Return the number of the roll of a pool; a new one has no table yet."""
    copy_pool(rolls, fight)
    new = rolls.many[0]
    for roll in range(new):
        place = 0
        while place < _FIELDS and rolls.numbers[roll, place] == rolls.numbers[new, place]:
            place += 1
        if place == _FIELDS:
            return roll
    rolls.many[0] = min(new + 1, MOST_ROLLS)
    return int(new)


def add_tables(rolls: Rolls, faces: Floats) -> None:
    """Add the tables of new rolls; InputError if they do not fit."""
    if rolls.many[0] == MOST_ROLLS:
        raise too_many_rolls()
    for roll in np.flatnonzero(rolls.scores[: rolls.many[0]] == 0).tolist():
        scores, table = _table_of(rolls.fights[roll].tobytes(), faces.tobytes())
        begin = int(rolls.many[1])
        end = begin + max(len(table), len(scores))
        if end > MOST_ROWS:
            raise too_many_rolls()
        rolls.alias[begin : begin + len(table)], rolls.score[begin : begin + len(scores)] = table, scores
        rolls.first[roll], rolls.bits[roll] = begin, len(table).bit_length() - 1
        rolls.scores[roll], rolls.first_score[roll], rolls.many[1] = len(scores), begin, end


@lru_cache(maxsize=4096)
def _table_of(pool: bytes, faces: bytes) -> tuple[Integers, NDArray[np.uint64]]:
    """Return the possible scores of a pool, sorted, and the alias table of their numbers."""
    fight: Any = np.frombuffer(pool, FIGHT)[0]
    pmf = pmf_of(fight, scores_for(fight, int(fight.dice)), np.frombuffer(faces), _NO_CARD)
    scores = np.flatnonzero(pmf)
    law: Law = dict(enumerate(pmf[scores].tolist()))
    return scores, alias_table(law)


def too_many_rolls() -> InputError:
    """Return the error for a fight with too many different attack rolls."""
    problem = f"more than {MOST_ROLLS} different attack rolls in one fight"
    return InputError(problem, where="rows", allowed="fewer numbers of dice, or the method exact")
