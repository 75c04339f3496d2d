"""The attack rolls of a fight: a table to draw the score from for each pool of dice that comes up."""

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
    """The tables of all attack rolls that have come up, in the order in which they did.

    A roll is known by what the rules say of its pool (:func:`~analyser.rules.attack.set_pool`), whatever that is. Its
    scores are numbered in rising order; the table draws such a number.
    """

    fights: NDArray[Any]  # (MOST_ROLLS + 1,) of FIGHT: the pool of each roll, and room to look for another one
    numbers: Integers  # (MOST_ROLLS + 1, fields): the same memory
    many: Integers  # (2,): how many rolls there are, and how many rows of tables and scores
    first: NDArray[np.uint64]  # (MOST_ROLLS,): of each roll, where its table begins,
    bits: NDArray[np.uint64]  # how many bits of a word pick a row of it,
    scores: Integers  # how many scores it can come to; 0: it has no table yet,
    first_score: Integers  # and where these begin
    alias: NDArray[np.uint64]  # (rows, 2), see :func:`~analyser.engine.pool.alias.alias_table`
    score: Integers  # (rows,)


def no_rolls() -> Rolls:
    """Room for the rolls of a fight; memory is taken only as it is used."""
    fights = np.zeros(MOST_ROLLS + 1, FIGHT)
    numbers = fights.view(np.int64).reshape(MOST_ROLLS + 1, _FIELDS)
    words = np.zeros((2, MOST_ROLLS), np.uint64)
    integers = np.zeros((2, MOST_ROLLS), np.int64)
    alias, score = np.zeros((MOST_ROWS, 2), np.uint64), np.zeros(MOST_ROWS, np.int64)
    many = np.array([0, 2])  # the first two rows draw nothing
    return Rolls(fights, numbers, many, words[0], words[1], integers[0], integers[1], alias, score)


def _interpreted_copy(rolls: Rolls, fight: FightFacts) -> None:
    rolls.numbers[rolls.many[0]] = [getattr(fight, name) for name in FIGHT.names or ()]


@step_for(_interpreted_copy)
def copy_pool(rolls: Rolls, fight: FightFacts) -> None:
    """Copy a pool behind the last one, to compare it with all of them."""
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
    """Make the tables of new rolls; InputError if there is no room for them."""
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
    """The scores of a pool that can come up, in rising order, and the table of their numbers."""
    fight: Any = np.frombuffer(pool, FIGHT)[0]
    pmf = pmf_of(fight, scores_for(fight, int(fight.dice)), np.frombuffer(faces), _NO_CARD)
    scores = np.flatnonzero(pmf)
    law: Law = dict(enumerate(pmf[scores].tolist()))
    return scores, alias_table(law)


def too_many_rolls() -> InputError:
    """The error of a fight with more different attack rolls than there is room for."""
    problem = f"more than {MOST_ROLLS} different attack rolls in one fight"
    return InputError(problem, where="rows", allowed="fewer numbers of dice, or the method exact")
