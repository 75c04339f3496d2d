"""Score distributions of the attack rolls of a battle, one for each pool of dice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from analyser.common.records import Floats, plain
from analyser.engine.battle.battle_data import CONDITIONS, condition_of
from analyser.engine.pool.alias import ScorePmf
from analyser.engine.pool.pmf import pool_pmf
from analyser.rules.attack import losses_of, scores_for, set_fight
from analyser.rules.structs import AttackFacts, Bonus, FightFacts, TargetFacts

_MORE = (1 << 20, 1 << 21, 1 << 22)  # bits that are neither a Bonus nor a Penalty
_NO_CARD = np.ones(1)
_SHIFTS = range(-2, 3)  # bonuses less penalties


class _Watched:
    """A fight that records the names of the fields read."""

    def __init__(self, fight: FightFacts, read: dict[str, None]) -> None:
        self._fight, self._read = fight, read

    def __getattr__(self, name: str) -> Any:
        self._read[name] = None
        return getattr(self._fight, name)


def fights_by_condition(attack: AttackFacts, target: TargetFacts) -> list[FightFacts]:
    """Return the fights of an attack on a target in its first state, by :func:`.tables.condition_of`.

    The fights at short range, which counts as a bonus, follow the others.
    """
    fights = [cast("FightFacts", SimpleNamespace()) for _ in range(2 * CONDITIONS)]
    attack, target = plain(attack), plain(target)
    bonuses, penalties = attack.bonuses, attack.penalties
    for short, covered, shift in product((0, 1), (False, True), _SHIFTS):
        target.taking_cover = covered
        more = shift - short
        attack.bonuses = bonuses | sum(_MORE[: max(more, 0)]) | (Bonus.SHORT_RANGE if short else 0)
        attack.penalties = penalties | sum(_MORE[: max(-more, 0)])
        set_fight(attack, target, fights[short * CONDITIONS + condition_of(covered, shift)])
    return fights


class Rolls:
    """The distributions of the pools of a battle, each computed once.

    The key of a distribution has every field of the fight that the rules have read for any distribution.
    """

    def __init__(self, faces: Floats) -> None:
        self._faces = faces
        self._read: dict[str, None] = {}
        self._known: dict[object, ScorePmf] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self.laws: list[ScorePmf] = [{0: 1.0}]  # pool 0: no dice
        self.dice = [0]  # of each pool

    def pools_of(self, fight: FightFacts, every_dice: Sequence[int]) -> int:
        """Return the number of the first of consecutive pools of a fight, one for each number of dice."""
        laws = [self._law(fight, dice) for dice in every_dice]
        key = (*map(id, laws), *every_dice)
        if key not in self._numbers:
            self._numbers[key] = len(self.laws)
            self.laws += laws
            self.dice += every_dice
        return self._numbers[key]

    def _law(self, fight: FightFacts, dice: int) -> ScorePmf:
        if dice == 0:
            return self.laws[0]
        fight.dice = dice
        key = self._key(fight)
        if key not in self._known:
            watched = cast("FightFacts", _Watched(fight, self._read))
            pmf = pool_pmf(watched, scores_for(watched, dice), self._faces, _NO_CARD).tolist()
            law = {score: probability for score, probability in enumerate(pmf) if probability > 0.0}
            key = self._key(fight)
            self._known[key] = law
        return self._known[key]

    def _key(self, fight: FightFacts) -> object:
        return attrgetter(*self._read)(fight) if self._read else None


def share_of_damage(law: ScorePmf, fight: FightFacts, models: int) -> float:
    """Return the expected share of `models` undamaged models that is lost, including damage on survivors."""
    limit, total = fight.damage_limit, 0.0
    for probability, destroyed, left in _losses(law, fight, models):
        total += probability * (destroyed * limit + (left if destroyed < models else 0))
    return total / (models * limit)


def expected(law: ScorePmf, fight: FightFacts, models: int, *, whole: bool) -> float:
    """Return the expected models destroyed of `models` undamaged ones, or with `whole` the probability of all."""
    total = 0.0  # added one by one, because the result of `sum` differs between versions of Python
    for probability, destroyed, _ in _losses(law, fight, models):
        total += probability * ((destroyed == models) if whole else destroyed)
    return total


def _losses(law: ScorePmf, fight: FightFacts, models: int) -> Iterator[tuple[float, int, int]]:
    """Yield the results of a pool against `models` undamaged models: probability, models destroyed, damage left."""
    fight.models = fight.most_destroyed = models
    fight.damage = 0
    scores = scores_for(fight, fight.dice)
    for score, probability in law.items():
        destroyed, left, _, _ = losses_of(fight, scores, score)
        yield probability, destroyed, left
