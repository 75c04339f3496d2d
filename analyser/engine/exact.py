"""The exact engine: the law of the draws, pushed through the rules, is the law of the outcome."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.pools import pool_law
from analyser.jit import kernel
from analyser.rules.armoured_clash import morale
from analyser.rules.armoured_clash.damage import suffer_blanks, suffer_hits
from analyser.rules.armoured_clash.facts import FightFacts, Officer, Test

_FIRST, _RANDOM = int(Officer.FIRST), int(Officer.RANDOM)
_NOT_TAKEN, _BY_CARD, _FAILED = int(Test.NOT_TAKEN), int(Test.BY_CARD), int(Test.FAILED)
_ATTACKER_DESTROYED, _ATTACKER_DAMAGE = morale.ATTACKER_DESTROYED, morale.ATTACKER_DAMAGE

ROWS_A_STATE = 4  # officer lost or not, times test passed or failed


@kernel
def chance_officer_lost(fight: FightFacts, destroyed: int) -> float:
    """The chance that the officer's model is among the `destroyed` (AC-5.8), the unit living on."""
    if fight.officer == _FIRST and destroyed > 0:
        return 1.0
    if fight.officer == _RANDOM:
        return destroyed / fight.models
    return 0.0


@kernel
def chance_failed(fight: FightFacts, destroyed: int, disordered: int, at_most: NDArray[np.float64]) -> float:
    """The chance that the suppression test is failed (AC-4.5, AC-5.1, AC-5.2)."""
    if destroyed == 0 or fight.test == _NOT_TAKEN:
        return 0.0
    if fight.test == _BY_CARD:
        discipline = morale.discipline_of(fight, destroyed, disordered)
        if discipline < 0:
            return 1.0
        return float(1.0 - at_most[min(discipline, len(at_most) - 1)])
    return 1.0 if fight.test == _FAILED else 0.0


@kernel
def push_state(
    fight: FightFacts, destroyed: int, damage: int, weight: float, at_most: NDArray[np.float64],
    outcomes: NDArray[np.int64], chances: NDArray[np.float64], count: int,
) -> int:  # fmt: skip
    """Append what a unit with these losses comes to, officer and card still to be drawn; the new count."""
    living = destroyed < fight.models
    lost = chance_officer_lost(fight, destroyed) if living else 0.0
    for officer_lost in range(2):
        share = weight * (lost if officer_lost else 1.0 - lost)
        if share == 0.0:
            continue
        disordered = morale.disordered_by_loss(fight, officer_lost)
        failed = chance_failed(fight, destroyed, disordered, at_most) if living else 0.0
        if failed < 1.0:
            outcomes[count] = morale.pass_test(fight, destroyed, damage, disordered)
            chances[count] = share * (1.0 - failed)
            count += 1
        if failed > 0.0:
            outcomes[count] = morale.fail_test(fight, destroyed, damage, disordered)
            chances[count] = share * failed
            count += 1
    return count


@kernel
def push_hits(
    fight: FightFacts, hits_law: NDArray[np.float64], at_most: NDArray[np.float64],
    outcomes: NDArray[np.int64], chances: NDArray[np.float64], count: int,
) -> int:  # fmt: skip
    """Append the outcomes of a law of hits; numbers of hits that do the same damage go together."""
    destroyed, damage, weight = 0, 0, 0.0
    for hits in range(len(hits_law)):
        if hits_law[hits] == 0.0:
            continue
        more_destroyed, more_damage = suffer_hits(fight, hits)
        if weight > 0.0 and (more_destroyed != destroyed or more_damage != damage):
            count = push_state(fight, destroyed, damage, weight, at_most, outcomes, chances, count)
            weight = 0.0
        destroyed, damage = more_destroyed, more_damage
        weight += hits_law[hits]
    if weight > 0.0:
        count = push_state(fight, destroyed, damage, weight, at_most, outcomes, chances, count)
    return count


@kernel
def push_law(
    fight: FightFacts, law: NDArray[np.float64], at_most: NDArray[np.float64],
    outcomes: NDArray[np.int64], chances: NDArray[np.float64],
) -> int:  # fmt: skip
    """Fill `outcomes` and `chances` from a law of (hits, blanks); how many were filled.

    The same outcome may come up more than once. Room for ``ROWS_A_STATE * law.size`` is enough.
    """
    count = 0
    for blanks in range(law.shape[1]):
        start = count
        count = push_hits(fight, law[:, blanks], at_most, outcomes, chances, count)
        if fight.overcharge:
            destroyed, damage = suffer_blanks(fight, blanks)
            outcomes[start:count] |= destroyed << _ATTACKER_DESTROYED | damage << _ATTACKER_DAMAGE
    return count


@kernel
def gather(outcomes: NDArray[np.int64], weights: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The distinct outcomes in rising order, and the total weight of each (probabilities or counts)."""
    order = np.argsort(outcomes, kind="mergesort")
    distinct = np.empty_like(outcomes)
    totals = np.zeros_like(weights)
    count = 0
    for place in order:
        if count == 0 or distinct[count - 1] != outcomes[place]:
            distinct[count] = outcomes[place]
            count += 1
        totals[count - 1] += weights[place]
    return distinct[:count].copy(), totals[:count].copy()


@kernel
def exact_attack(
    fight: FightFacts, die: NDArray[np.int64], deck: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """The law of (hits, blanks), the packed outcomes in rising order, and their probabilities.

    The outcomes are packed as :mod:`analyser.rules.armoured_clash.morale` says.
    """
    law = pool_law(fight, die, deck)
    at_most = np.cumsum(deck) / deck.sum()
    outcomes = np.empty(ROWS_A_STATE * law.size, np.int64)
    chances = np.empty(ROWS_A_STATE * law.size)
    count = push_law(fight, law, at_most, outcomes, chances)
    distinct, totals = gather(outcomes[:count], chances[:count])
    return law, distinct, totals
