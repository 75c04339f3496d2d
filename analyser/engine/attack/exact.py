"""The exact engine: the law of the draws, pushed through the rules, is the law of the outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.pool.pmf import pool_law
from analyser.rules import discipline
from analyser.rules.damage import suffer_blanks, suffer_hits
from analyser.rules.outcome import ATTACKER_DAMAGE, ATTACKER_DESTROYED
from analyser.rules.structs import FightFacts

ROWS_A_STATE = 4  # officer lost or not, times test passed or failed


@step
def chance_failed(fight: FightFacts, destroyed: int, disordered: int, at_most: NDArray[np.float64]) -> float:
    """The chance that the card is above what passes the suppression test."""
    highest = discipline.passes_up_to(fight, destroyed, disordered)
    if highest < 0:
        return 1.0
    return float(1.0 - at_most[highest]) if highest < len(at_most) - 1 else 0.0


@step
def push_state(
    fight: FightFacts,
    destroyed: int,
    damage: int,
    weight: float,
    at_most: NDArray[np.float64],
    outcomes: NDArray[np.int64],
    chances: NDArray[np.float64],
    count: int,
) -> int:
    """Append what a unit with these losses comes to, officer and card still to be drawn; the new count."""
    living = destroyed < fight.models
    lost = discipline.places_lost(fight, destroyed) / fight.models if living else 0.0
    for officer_lost in range(2):
        share = weight * (lost if officer_lost else 1.0 - lost)
        if share == 0.0:
            continue
        disordered = discipline.disordered_by_loss(fight, officer_lost)
        failed = chance_failed(fight, destroyed, disordered, at_most)
        if failed < 1.0:
            outcomes[count] = discipline.pass_test(fight, destroyed, damage, disordered)
            chances[count] = share * (1.0 - failed)
            count += 1
        if failed > 0.0:
            outcomes[count] = discipline.fail_test(fight, destroyed, damage, disordered)
            chances[count] = share * failed
            count += 1
    return count


@step
def push_hits(
    fight: FightFacts,
    hits_law: NDArray[np.float64],
    at_most: NDArray[np.float64],
    outcomes: NDArray[np.int64],
    chances: NDArray[np.float64],
    count: int,
) -> int:
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


@step
def push_law(
    fight: FightFacts,
    law: NDArray[np.float64],
    at_most: NDArray[np.float64],
    outcomes: NDArray[np.int64],
    chances: NDArray[np.float64],
) -> int:
    """Fill `outcomes` and `chances` from a law of (hits, blanks); how many were filled.

    The same outcome may come up more than once. Room for ``ROWS_A_STATE * law.size`` is enough.
    """
    count = 0
    for blanks in range(law.shape[1]):
        start = count
        count = push_hits(fight, law[:, blanks], at_most, outcomes, chances, count)
        if fight.overcharge:
            destroyed, damage = suffer_blanks(fight, blanks)
            own_losses = destroyed << ATTACKER_DESTROYED | damage << ATTACKER_DAMAGE
            for place in range(start, count):
                outcomes[place] |= own_losses
    return count


@step
def gather(outcomes: NDArray[np.int64], weights: NDArray[np.float64], count: int) -> int:
    """Bring `count` outcomes into rising order, equal ones together with their weights added; how many are left.

    By insertion: they come nearly in order, and few.
    """
    kept = 0
    for place in range(count):
        outcome, weight = outcomes[place], weights[place]
        slot = kept
        while slot > 0 and outcomes[slot - 1] > outcome:
            slot -= 1
        if slot > 0 and outcomes[slot - 1] == outcome:
            weights[slot - 1] += weight
            continue
        for later in range(kept, slot, -1):
            outcomes[later] = outcomes[later - 1]
            weights[later] = weights[later - 1]
        outcomes[slot] = outcome
        weights[slot] = weight
        kept += 1
    return kept


@kernel
def exact_attack(
    fight: FightFacts, faces: NDArray[np.float64], cards: NDArray[np.float64], at_most: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """The law of one attack.

    Parameters
    ----------
    fight : record of FIGHT
    faces, cards : float64 arrays
        The chances of the faces of the die, and of the card values.
    at_most : float64 array
        The chance that a card has at most the value v.

    Returns
    -------
    law : float64 array, shape (most hits + 1, most blanks + 1)
    outcomes : int64 array, shape (n,)
        Packed as :mod:`analyser.rules.discipline` says, in rising order, each once.
    chances : float64 array, shape (n,)
    """
    law = pool_law(fight, faces, cards)
    room = ROWS_A_STATE * law.shape[0] * law.shape[1]
    outcomes = np.empty(room, np.int64)
    chances = np.empty(room)
    count = push_law(fight, law, at_most, outcomes, chances)
    kept = gather(outcomes, chances, count)
    return law, outcomes[:kept], chances[:kept]
