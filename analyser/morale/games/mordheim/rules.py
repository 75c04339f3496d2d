"""Mordheim: rout tests and psychology (MD-1 to MD-10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.morale.games.mordheim.question import Fight, Fighter, Ruleset

NOBODY = 0  # no warrior is left to test on: no roll of two dice is so low
Number = Any  # an integer, or one of each of some states
HARDEST = 6  # what a frightened warrior needs to hit (MD-9)


def passes(roll: Number, leadership: Number) -> Any:
    """A leadership test: two dice at or below Leadership."""
    return roll <= leadership


def rout_test_due(out: Number, took_part: int) -> Any:
    """Whether a quarter of those that took part is out of action (MD-1, MD-2)."""
    return 4 * out >= took_part


def rout_leadership(leader: int, leader_out_or_stunned: Number, best_other: Number) -> Any:
    """The Leadership of a rout test: the leader's, else the best of those neither stunned nor out (MD-1)."""
    return np.where(leader_out_or_stunned, best_other, leader)


def own_or_leaders(own: int, leader: int, leader_helps: Number) -> Any:
    """Within 6 inches of the leader, not knocked down, stunned or fleeing, his Leadership may be used (MD-4)."""
    return np.where(leader_helps, max(own, leader), own)


def led(own: int, leader: int | None, state: str) -> int:
    """The Leadership of a warrior with a leader in this state within 6 inches, or with none (MD-4)."""
    return int(own_or_leaders(own, leader or 0, leader is not None and state == "standing"))


def is_all_alone(opponents: int, friends_near: int) -> bool:
    """Two opponents or more, and no friend on his feet within 6 inches (MD-5)."""
    return opponents >= 2 and friends_near == 0


def run(inches: Number, roll: Number) -> Any:
    """Inches to the edge after a run toward it; 0: it is reached, and the warrior removed (MD-6)."""
    return np.maximum(inches - roll, 0)


def attacks_of(who: Fight | Fighter, frenzied: Number) -> Any:
    """Attacks doubled by frenzy, the extra one of a second weapon not (MD-7)."""
    return who.attacks * (1 + frenzied) + who.second_weapon


def rerolls_misses(who: Fight | Fighter, frenzied: Number, combat_round: int, ruleset: Ruleset) -> Any:
    """Hatred re-rolls missed attacks in the first round of a combat, 0, unless frenzy silences it (MD-7, MD-8)."""
    silenced = frenzied & (not ruleset.hatred_while_frenzied)
    return (who.hatred and combat_round == 0) & np.logical_not(silenced)


def tests_fear(causes_fear: bool, enemy_causes_fear: bool, frenzied: bool, immune: bool) -> bool:
    """Whether a charge between the two calls for a test of fear (MD-7, MD-9); frenzy counts within charge range."""
    return enemy_causes_fear and not (causes_fear or frenzied or immune)


def walks_when_stupid(roll: Number) -> Any:
    """A stupid warrior out of combat walks straight ahead on 1 to 3, does nothing on 4 to 6 (MD-10)."""
    return roll <= 3
