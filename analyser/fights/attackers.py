"""The attackers of focus fire: what an attack can cost the unit that makes it (Overcharge, AC-6; Tail Gunner, AC-7)."""

from __future__ import annotations

from typing import Any

from analyser.dice import Rating
from analyser.fights import endings as read
from analyser.fights.combatant import rule_value
from analyser.fights.endings import Endings, chance_figures
from analyser.fights.strikes import Strike, fixed_strike
from analyser.resolve import resolve_target
from analyser.scenario import Scenario, Target
from analyser.units import MOST_MODELS

_MOST_HITS_OF_A_DIE = 4  # a heroic strike, and one more on the die that it adds
_MOST_BLANKS_OF_A_DIE = 2  # with Arc
EVENTS = ("suppressed", "annihilated")


def attacker_of(scenario: Scenario) -> Target | None:
    """The attacker of one attack as a unit that can be shot back at; None where it has no profile."""
    if scenario.attacker is None:
        return None
    attack = scenario.attack
    stated = Target(
        models=attack.attacker_models,
        damage=attack.attacker_damage,
        suppressed="suppressed" in attack.penalties,
        garrisoned=attack.attacker_garrisoned,
    )
    return resolve_target(stated, scenario.attacker)


def gunner_dice(target: Target, attacker: Target | None) -> int:
    """Dice that the target shoots back with at an aerial attacker (Tail Gunner, AC-7); 0: it does not."""
    return rule_value(target, "Tail Gunner") if attacker is not None and attacker.category == "aerial" else 0


def answer(scenario: Scenario, attacker: Target | None, striker: int) -> Strike | None:
    """The attack back of a Tail Gunner (X), which is side `striker`, on the attacker; None where there is none."""
    dice = gunner_dice(scenario.target, attacker)
    if not dice or attacker is None:
        return None
    veteran = rule_value(scenario.target, "Veteran")
    numbers = {"striker": striker}
    return fixed_strike(dice, Rating.WEAKENED, attacker, numbers, veteran=veteran, afterwards=True)


def can_be_hurt(scenario: Scenario, attacker: Target | None) -> bool:
    """Whether the attack can cost its own unit anything."""
    return scenario.attack.overcharge or gunner_dice(scenario.target, attacker) > 0


def ways_to_stand(scenario: Scenario, attacker: Target | None) -> int:
    """At most so many numbers of models and damage, of which its attack leaves the attacker one."""
    attack, highest = scenario.attack, len(scenario.ruleset.deck.counts()) - 1
    blanks = _MOST_BLANKS_OF_A_DIE * ((attack.dice or 0) + highest) if attack.overcharge else 0
    hits = _MOST_HITS_OF_A_DIE * gunner_dice(scenario.target, attacker)
    standing = (attack.attacker_models or MOST_MODELS) * (attack.attacker_damage_limit or 1)
    return min(standing, 1 + blanks + hits, MOST_MODELS)


def figures(scenario: Scenario, ending: Endings) -> dict[str, Any]:
    """What an attack has cost its own unit, by name; `ending`: how both stand after it."""
    words = ending.first
    found: dict[str, Any] = {}
    for name in EVENTS:
        found |= chance_figures(f"p_attacker_{name}", ending.chance(read.flag(words, name)))
    missing = MOST_MODELS - (scenario.attack.attacker_models or MOST_MODELS)  # of a side with as many as there can be
    destroyed = read.models_destroyed(words, MOST_MODELS) - missing
    found |= ending.mean_figures("mean_attacker_models_destroyed", destroyed)
    return found | ending.mean_figures("mean_attacker_damage_left", read.damage(words))
