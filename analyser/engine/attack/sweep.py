"""Many attackers on many targets: exact summaries, the law of each pool worked out once and shared."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.attack.exact import ROWS_A_STATE, push_law
from analyser.engine.pool.pmf import pool_law
from analyser.game.dice import Rating
from analyser.rules.conditions import set_fight
from analyser.rules.damage import suffer_hits
from analyser.rules.outcome import ANNIHILATED, BITS, BROKEN, FLED, MODELS_DESTROYED, SUPPRESSED
from analyser.rules.structs import FIGHT, FightFacts

SUMMARY = np.dtype(
    [
        (name, np.float64)
        for name in (
            "mean_models_destroyed",
            "p_any_destroyed",
            "p_half_destroyed",
            "p_suppressed",
            "p_broken",
            "p_fled",
            "p_annihilated",
            "models_destroyed_10th_percentile",
            "models_destroyed_90th_percentile",
            "mean_damage",
        )
    ]
)
"""One attack in a few figures; all NaN where the attack cannot be made."""

LOW, HIGH = 0.10, 0.90
_RATINGS = len(Rating)
_POOLS = _RATINGS * 2 * 2  # ratings, Durable or not, the cell's value or the one in parentheses
_MODELS = (1 << BITS) - 1


@step
def percentile(law: NDArray[np.float64], share: float) -> float:
    """The least value that is reached or stayed below with probability `share`."""
    total = 0.0
    for value in range(len(law)):
        total += law[value]
        if total >= share - 1e-12:
            return float(value)
    return float(len(law) - 1)


@step
def summarise(
    models: int,
    outcomes: NDArray[np.int64],
    chances: NDArray[np.float64],
    count: int,
    destroyed_law: NDArray[np.float64],
    summary: NDArray[np.void],
) -> None:
    """Fill `summary`, an array of one record of SUMMARY, from `count` outcomes; `destroyed_law` is scratch."""
    figures = summary[0]
    destroyed_law[: models + 1] = 0.0
    figures.p_suppressed = figures.p_broken = figures.p_fled = figures.p_annihilated = 0.0
    for place in range(count):
        outcome, chance = outcomes[place], chances[place]
        destroyed_law[outcome >> MODELS_DESTROYED & _MODELS] += chance
        figures.p_suppressed += chance if outcome & SUPPRESSED else 0.0
        figures.p_broken += chance if outcome & BROKEN else 0.0
        figures.p_fled += chance if outcome & FLED else 0.0
        figures.p_annihilated += chance if outcome & ANNIHILATED else 0.0
    figures.mean_models_destroyed = 0.0
    figures.p_any_destroyed = figures.p_half_destroyed = 0.0
    for destroyed in range(1, models + 1):
        figures.mean_models_destroyed += destroyed * destroyed_law[destroyed]
        figures.p_any_destroyed += destroyed_law[destroyed]
        figures.p_half_destroyed += destroyed_law[destroyed] if 2 * destroyed >= models else 0.0
    figures.models_destroyed_10th_percentile = percentile(destroyed_law[: models + 1], LOW)
    figures.models_destroyed_90th_percentile = percentile(destroyed_law[: models + 1], HIGH)


@step
def mean_damage(fight: FightFacts, law: NDArray[np.float64]) -> float:
    """Mean points of damage suffered, a destroyed model being worth its whole DAMAGE LIMIT (AC-3.8).

    It tells attacks apart that destroy no model, as any one attack on a fresh behemoth.
    """
    total = 0.0
    for hits in range(law.shape[0]):
        destroyed, damage = suffer_hits(fight, hits)
        total += law[hits].sum() * (destroyed * fight.damage_limit + damage - fight.damage)
    return total


@kernel
def sweep_row(
    attacks: NDArray[np.void],
    row: int,
    targets: NDArray[np.void],
    possible: NDArray[np.bool_],
    fights: NDArray[np.void],
    faces: NDArray[np.float64],
    cards: NDArray[np.float64],
    at_most: NDArray[np.float64],
    summaries: NDArray[np.void],
) -> None:
    """Fill one attacker's row of `summaries`; `fights` is one scratch record."""
    attack, fight = attacks[row], fights[0]
    known = np.zeros(_POOLS, np.bool_)
    laws = [np.zeros((1, 1)) for _ in range(_POOLS)]
    room, most_models = 0, 0
    outcomes, chances = np.empty(0, np.int64), np.empty(0)
    for place in range(len(targets)):
        most_models = max(most_models, targets[place].models)
    destroyed_law = np.zeros(most_models + 1)
    for place in range(len(targets)):
        if not possible[row, place]:
            continue
        set_fight(attack, targets[place], fight)
        pool = fight.rating + _RATINGS * (2 - fight.heroic_hits)
        pool += 2 * _RATINGS if fight.dice != attack.dice else 0
        if not known[pool]:
            laws[pool] = pool_law(fight, faces, cards)
            known[pool] = True
        law = laws[pool]
        if ROWS_A_STATE * law.size > room:
            room = ROWS_A_STATE * law.size
            outcomes, chances = np.empty(room, np.int64), np.empty(room)
        count = push_law(fight, law, at_most, outcomes, chances)
        summarise(fight.models, outcomes, chances, count, destroyed_law, summaries[row, place : place + 1])
        summaries[row, place].mean_damage = mean_damage(fight, law)


def sweep(
    attacks: NDArray[np.void],
    targets: NDArray[np.void],
    possible: NDArray[np.bool_],
    die: NDArray[np.int64],
    deck: NDArray[np.int64],
    *,
    threads: int = 1,
) -> NDArray[np.void]:
    """Exact summaries of every attack on every target.

    Parameters
    ----------
    attacks : array of ATTACK, shape (a,)
    targets : array of TARGET, shape (t,)
    possible : bool array, shape (a, t)
        Which attacks can be made.
    die, deck : int64 arrays
        Sides by face; copies by card value.
    threads : int
        Rows are shared out among them; the answer does not depend on it.

    Returns
    -------
    array of SUMMARY, shape (a, t)
        NaN in every figure where the attack cannot be made.
    """
    summaries = np.full((len(attacks), len(targets)), np.nan, np.float64).astype(SUMMARY)

    faces, cards = die / die.sum(), deck / deck.sum()
    at_most = np.cumsum(cards)

    def fill(row: int) -> None:
        sweep_row(attacks, row, targets, possible, np.zeros(1, FIGHT), faces, cards, at_most, summaries)

    if threads == 1:
        for row in range(len(attacks)):
            fill(row)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, range(len(attacks))))
    return summaries
