"""From hits to destroyed models (AC-3.7 to AC-3.9)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules.structs import FightFacts


@step
def points_of_damage(hits: int, defence: int, devastating: int) -> int:
    """Every DEFENCE hits are 1 damage (AC-3.7); Devastating adds 1 if excess hits would be discarded (AC-6)."""
    points = hits // defence
    return points + 1 if devastating and hits % defence else points


@step
def destroy_models(damage: int, points: int, damage_limit: int, most_destroyed: int) -> tuple[int, int]:
    """Models destroyed, and the damage left on the unit (AC-3.8, AC-3.9).

    `most_destroyed` models can go at most; what is left after the last of them is discarded.
    """
    total = damage + points
    destroyed = total // damage_limit
    if destroyed >= most_destroyed:
        return most_destroyed, 0
    return destroyed, total % damage_limit


@step
def penetrate(fight: FightFacts, destroyed: int, damage: int, points: int) -> tuple[int, int]:
    """Penetrating (AC-6): one more model for the damage left; +1 damage instead against a behemoth."""
    if points == 0 or damage == 0:
        return destroyed, damage
    if fight.behemoth:
        more, left = destroy_models(damage, 1, fight.damage_limit, fight.most_destroyed - destroyed)
        return destroyed + more, left
    return destroyed + 1, 0


@step
def suffer_hits(fight: FightFacts, hits: int) -> tuple[int, int]:
    """Models destroyed by `hits` hits, and the damage left on the unit afterwards."""
    points = points_of_damage(hits, fight.defence, fight.devastating)
    destroyed, damage = destroy_models(fight.damage, points, fight.damage_limit, fight.most_destroyed)
    if fight.penetrating:
        return penetrate(fight, destroyed, damage, points)
    return destroyed, damage


@step
def suffer_blanks(fight: FightFacts, blanks: int) -> tuple[int, int]:
    """Overcharge (AC-6): the attacker's models destroyed by its own `blanks`, and the damage left on it."""
    return destroy_models(fight.attacker_damage, blanks, fight.attacker_damage_limit, fight.attacker_models)
