"""Mordheim: rout tests and psychology (MD-1 to MD-10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.engine.chain.chain import Die, fair_die
from analyser.morale.games.mordheim.question import Fight, Fighter, Ruleset

LOWEST_SUM, N_SUMS, DIE_SIDES = 2, 11, 6  # lowest sum of two dice, number of different sums, sides of a die
TWO_DICE = Die(  # the sum of two dice minus 2
    (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1), 36, tuple(str(LOWEST_SUM + value) for value in range(N_SUMS))
)
D6 = fair_die(DIE_SIDES)
NO_WARRIOR = 0  # Leadership if no warrior is left for the test, so that every roll of two dice fails
Number = Any  # an integer, or an array with an integer for each state
LEADER_RULE = 'MD-4 the Leadership of a leader within 6"'
ROLL_TO_HIT_IF_AFRAID = 6  # (MD-9)


def passes(roll: Number, leadership: Number) -> Any:
    """Return True if a Leadership test is passed: two dice at or below Leadership."""
    return roll <= leadership


def is_rout_test_due(out: Number, took_part: int) -> Any:
    """Return True if at least a quarter of the warriors that took part are out of action (MD-1, MD-2)."""
    return 4 * out >= took_part


def rout_leadership(leader: int, leader_out_or_stunned: Number, best_other: Number) -> Any:
    """Return the Leadership for a rout test: the leader's, or `best_other` if the leader is stunned or out (MD-1)."""
    return np.where(leader_out_or_stunned, best_other, leader)


def attacks_of(fighter: Fight | Fighter, frenzied: Number) -> Any:
    """Return the number of attacks; frenzy doubles it except for the attack of a second weapon (MD-7)."""
    return fighter.attacks * (1 + frenzied) + fighter.second_weapon


def rerolls_misses(fighter: Fight | Fighter, frenzied: Number, combat_round: int, ruleset: Ruleset) -> Any:
    """Return True if hatred re-rolls misses: in the first combat round (0), unless frenzy cancels it (MD-7, MD-8)."""
    is_cancelled = frenzied & (not ruleset.hatred_while_frenzied)
    return (fighter.hatred and combat_round == 0) & np.logical_not(is_cancelled)


def hits_of_sides(needed: int, rerolls: bool) -> tuple[int, int]:
    """Return the numbers of hits and of all equally likely results of a roll; `rerolls` re-rolls misses (MD-8)."""
    hits = DIE_SIDES + 1 - needed
    return (hits * (2 * DIE_SIDES - hits), DIE_SIDES**2) if rerolls else (hits, DIE_SIDES)
