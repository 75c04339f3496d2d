"""The distributions of attack rolls as tables to draw from (Walker's alias method)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.records import Floats
from analyser.engine.battle.chance import rolled_as
from analyser.engine.pool.pmf import pool_pmf
from analyser.rules.attack import destroy_models, penetrate, points_of, scores_for
from analyser.rules.structs import FightFacts

_NO_CARD = np.ones(1)
_WHOLE = 1 << 64
_OF_A_POOL = ("dice", "reroll_faces", "extra_faces", "extra_dice", "explosion", "heroic_hits", "veteran", "overcharge")
_OF_DAMAGE = ("defence", "devastating")

Rolled = dict[int, float]  # probabilities by what is rolled (:func:`~.chance.rolled_as`)


class Rolls:
    """The distributions of the pools of a battle, each worked out once."""

    def __init__(self, faces: Floats) -> None:
        self._faces = faces
        self._scores: dict[tuple[int, ...], Floats] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self.laws: list[Rolled] = [{0: 1.0}]  # pool 0: no dice

    def pools_of(self, fight: FightFacts, every_dice: Sequence[int]) -> int:
        """The first of the pools of a fight with those numbers of dice, which are numbered one after the other."""
        key = (*(int(getattr(fight, name)) for name in (*_OF_A_POOL[1:], *_OF_DAMAGE)), *every_dice)
        if key not in self._numbers:
            self._numbers[key] = len(self.laws)
            self.laws += [self._law(fight, dice) for dice in every_dice]
        return self._numbers[key]

    def _law(self, fight: FightFacts, dice: int) -> Rolled:
        if dice == 0:
            return {0: 1.0}
        fight.dice = dice
        scores = scores_for(fight, dice)
        law: Rolled = {}
        for score, probability in enumerate(self._pmf(fight).tolist()):
            if probability > 0.0:
                blanks = score % scores.strike if fight.overcharge else 0
                rolled = rolled_as(points_of(fight, scores, score), blanks)
                law[rolled] = law.get(rolled, 0.0) + probability
        return law

    def _pmf(self, fight: FightFacts) -> Floats:
        key = tuple(int(getattr(fight, name)) for name in _OF_A_POOL)
        if key not in self._scores:
            self._scores[key] = pool_pmf(fight, scores_for(fight, fight.dice), self._faces, _NO_CARD)
        return self._scores[key]


class Aliases(NamedTuple):
    """Tables of all pools, one after the other; see :class:`~.tables.Tables`."""

    first: NDArray[np.uint64]
    bits: NDArray[np.uint64]
    alias: NDArray[np.uint64]


def aliases_of(laws: Sequence[Rolled]) -> Aliases:
    """The tables of some distributions."""
    tables = [alias_table(law) for law in laws]
    sizes = np.array([len(table) for table in tables], np.uint64)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.uint64)
    bits = np.array([int(size).bit_length() - 1 for size in sizes], np.uint64)
    return Aliases(first, bits, np.concatenate(tables))


def alias_table(law: Rolled) -> NDArray[np.uint64]:
    """The table of one distribution, as many rows as a power of two, two at least; shape (rows, 2).

    A row is picked by the upper bits of a word; the bits below them, moved up, are compared with its threshold: below
    it the lower half of the row's second number is rolled, else the upper half.

    >>> alias_table({3: 0.5, 1: 0.5})[:, 1].tolist() == [3 | 3 << 32, 1 | 1 << 32]
    True
    """
    rows = max(1 << (len(law) - 1).bit_length(), 2)
    rolled = [*law, *[next(iter(law))] * (rows - len(law))]
    share = [probability * rows for probability in law.values()] + [0.0] * (rows - len(law))
    small = [row for row in range(rows) if share[row] < 1.0]
    large = [row for row in range(rows) if share[row] >= 1.0]
    other = list(range(rows))
    while small and large:
        row, giver = small.pop(), large[-1]
        other[row] = giver
        share[giver] -= 1.0 - share[row]
        if share[giver] < 1.0:
            small.append(large.pop())
    for row in (*small, *large):  # of those that rounding has left over each is itself
        share[row], other[row] = 1.0, row
    table = np.empty((rows, 2), np.uint64)
    for row in range(rows):
        table[row, 0] = min(int(share[row] * _WHOLE), _WHOLE - 1)
        table[row, 1] = rolled[row] | rolled[other[row]] << 32
    return table


def share_of_damage(law: Rolled, fight: FightFacts, models: int) -> float:
    """The share of so many models without damage that is expected to be lost, damage that is left counted."""
    limit, total = fight.damage_limit, 0.0
    for probability, destroyed, left in _losses(law, fight, models):
        total += probability * (destroyed * limit + (left if destroyed < models else 0))
    return total / (models * limit)


def expected(law: Rolled, fight: FightFacts, models: int, *, whole: bool) -> float:
    """The expected models destroyed of so many without damage; or, of the `whole`, the chance of that."""
    total = 0.0  # added one by one: what `sum` makes of it differs between versions of Python
    for probability, destroyed, _ in _losses(law, fight, models):
        total += probability * ((destroyed == models) if whole else destroyed)
    return total


def _losses(law: Rolled, fight: FightFacts, models: int) -> Iterator[tuple[float, int, int]]:
    """What a pool does to so many models without damage: probability, models destroyed, damage that is left."""
    fight.models = fight.most_destroyed = models
    for rolled, probability in law.items():
        points = rolled & 0xFFFF
        destroyed, left = destroy_models(0, points, fight.damage_limit, models)
        if fight.penetrating:
            destroyed, left = penetrate(fight, destroyed, left, points)
        yield probability, destroyed, left
