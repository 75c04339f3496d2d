"""Score distributions of a battle's attack rolls, one for each pool of dice, and expected losses from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from analyser.common.kernel_records import Floats, python_copy
from analyser.engine.battle.battle_data import CONDITIONS, MOST_SHIFT, condition_of
from analyser.engine.pool.alias import ScorePmf
from analyser.engine.pool.pmf import pool_pmf
from analyser.rules.attack import losses_of, scores_for, set_fight
from analyser.rules.structs import AttackFacts, Bonus, FightFacts, TargetFacts

_OTHER_BITS = (1 << 20, 1 << 21, 1 << 22)  # stand for other bonuses and penalties; no Bonus or Penalty has these bits
_NO_CARD = np.ones(1)


class _ReadRecorder:
    """Wrapper of a fight that records the names of the fields that are read."""

    def __init__(self, fight: FightFacts, read: dict[str, None]) -> None:
        self._fight, self._read = fight, read

    def __getattr__(self, name: str) -> Any:
        self._read[name] = None
        return getattr(self._fight, name)


def fights_by_condition(attack: AttackFacts, target: TargetFacts) -> list[FightFacts]:
    """Return the fights of an attack on a target in its first state, by :func:`.battle_data.condition_of`.

    Fights beyond short range come first. At short range, the condition includes short range as one of the bonuses.
    """
    fights = [cast("FightFacts", SimpleNamespace()) for _ in range(2 * CONDITIONS)]
    attack, target = python_copy(attack), python_copy(target)
    bonuses, penalties = attack.bonuses, attack.penalties
    for short, covered, shift in product((0, 1), (False, True), range(-MOST_SHIFT, MOST_SHIFT + 1)):
        target.taking_cover = covered
        other_bonuses = shift - short
        attack.bonuses = bonuses | sum(_OTHER_BITS[: max(other_bonuses, 0)]) | (Bonus.SHORT_RANGE if short else 0)
        attack.penalties = penalties | sum(_OTHER_BITS[: max(-other_bonuses, 0)])
        set_fight(attack, target, fights[short * CONDITIONS + condition_of(covered, shift)])
    return fights


class PoolDistributions:
    """Score distributions of the pools of a battle, each computed once.

    The key of a distribution has the values of all fields of a fight that the rules have read so far.
    """

    def __init__(self, faces: Floats) -> None:
        self._faces = faces
        self._read: dict[str, None] = {}
        self._cached: dict[object, ScorePmf] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self.pmfs: list[ScorePmf] = [{0: 1.0}]  # pool 0: no dice
        self.dice = [0]  # number of dice of each pool

    def pools_of(self, fight: FightFacts, numbers_of_dice: Sequence[int]) -> int:
        """Return the number of a fight's first pool; its pools, one for each number of dice, are consecutive."""
        pmfs = [self._pmf(fight, dice) for dice in numbers_of_dice]
        key = (*map(id, pmfs), *numbers_of_dice)
        if key not in self._numbers:
            self._numbers[key] = len(self.pmfs)
            self.pmfs += pmfs
            self.dice += numbers_of_dice
        return self._numbers[key]

    def _pmf(self, fight: FightFacts, dice: int) -> ScorePmf:
        if dice == 0:
            return self.pmfs[0]
        fight.dice = dice
        key = self._key(fight)
        if key not in self._cached:
            recorder = cast("FightFacts", _ReadRecorder(fight, self._read))
            probabilities = pool_pmf(recorder, scores_for(recorder, dice), self._faces, _NO_CARD).tolist()
            pmf = {score: probability for score, probability in enumerate(probabilities) if probability > 0.0}
            key = self._key(fight)
            self._cached[key] = pmf
        return self._cached[key]

    def _key(self, fight: FightFacts) -> object:
        return attrgetter(*self._read)(fight) if self._read else None


def share_of_damage(pmf: ScorePmf, fight: FightFacts, models: int) -> float:
    """Return the expected share of `models` undamaged models that is lost, including damage on survivors."""
    limit, total = fight.damage_limit, 0.0
    for probability, destroyed, left in _losses(pmf, fight, models):
        total += probability * (destroyed * limit + (left if destroyed < models else 0))
    return total / (models * limit)


def expected_models(pmf: ScorePmf, fight: FightFacts, models: int, *, whole: bool) -> float:
    """Return the expected number of models destroyed of `models` undamaged ones; with `whole`, P(all destroyed)."""
    total = 0.0  # added one by one, because the result of `sum` differs between versions of Python
    for probability, destroyed, _ in _losses(pmf, fight, models):
        total += probability * ((destroyed == models) if whole else destroyed)
    return total


def _losses(pmf: ScorePmf, fight: FightFacts, models: int) -> Iterator[tuple[float, int, int]]:
    """Yield the results of a pool against `models` undamaged models: probability, models destroyed, damage left."""
    fight.models = fight.most_destroyed = models
    fight.damage = 0
    scores = scores_for(fight, fight.dice)
    for score, probability in pmf.items():
        destroyed, left, _, _ = losses_of(fight, scores, score)
        yield probability, destroyed, left
