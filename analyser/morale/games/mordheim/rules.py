"""Mordheim: rout tests and psychology (MD-1 to MD-10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.engine.chain.chain import Die
from analyser.morale.games.mordheim.question import Fight, Fighter, Ruleset

LOWEST_ROLL, ROLLS, DIE_SIDES = 2, 11, 6
TWO_DICE = Die(  # the sum of two dice minus 2
    (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1), 36, tuple(str(LOWEST_ROLL + value) for value in range(ROLLS))
)
NOBODY = 0  # Leadership if no warrior is left to test on, below any roll of two dice
Number = Any  # an integer, or an array with one for each state
HARDEST = 6  # roll that a frightened warrior needs to hit (MD-9)


def passes(roll: Number, leadership: Number) -> Any:
    """Return True if a Leadership test is passed: two dice at or below Leadership."""
    return roll <= leadership


def rout_test_due(out: Number, took_part: int) -> Any:
    """Return True if a quarter of the warriors that took part are out of action (MD-1, MD-2)."""
    return 4 * out >= took_part


def rout_leadership(leader: int, leader_out_or_stunned: Number, best_other: Number) -> Any:
    """Return the Leadership of a rout test: the leader's, else the best of those neither stunned nor out (MD-1)."""
    return np.where(leader_out_or_stunned, best_other, leader)


def own_or_leaders(own: int, leader: int, leader_helps: Number) -> Any:
    """Return the better Leadership of warrior and leader if `leader_helps`, else the warrior's (MD-4).

    A leader helps within 6 inches if it is not knocked down, stunned or fleeing.
    """
    return np.where(leader_helps, max(own, leader), own)


def led(own: int, leader: int | None, state: str) -> int:
    """Return the Leadership of a warrior with a leader in this state within 6 inches, or without one (MD-4)."""
    return int(own_or_leaders(own, leader or 0, leader is not None and state == "standing"))


def attacks_of(who: Fight | Fighter, frenzied: Number) -> Any:
    """Return the number of attacks; frenzy doubles it, except for the one of a second weapon (MD-7)."""
    return who.attacks * (1 + frenzied) + who.second_weapon


def rerolls_misses(who: Fight | Fighter, frenzied: Number, combat_round: int, ruleset: Ruleset) -> Any:
    """Return True if hatred re-rolls misses: in combat round 0, unless frenzy cancels it (MD-7, MD-8)."""
    silenced = frenzied & (not ruleset.hatred_while_frenzied)
    return (who.hatred and combat_round == 0) & np.logical_not(silenced)


def tests_fear(causes_fear: bool, enemy_causes_fear: bool, frenzied: bool, immune: bool) -> bool:
    """Return True if a charge between two units needs a test of fear (MD-7, MD-9). A frenzied one is immune."""
    return enemy_causes_fear and not (causes_fear or frenzied or immune)
