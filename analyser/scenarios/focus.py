"""Focus fire: several attacks on one target in order (AC-9.1), as strikes at a state that carries over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from analyser.common.errors import InputError
from analyser.common.records import plain
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Die, Rating, Ruleset
from analyser.game.units import MOST_MODELS
from analyser.rules import unit_state
from analyser.rules.attack import attack_dice
from analyser.rules.structs import NONE, AttackFacts, SideFacts
from analyser.scenarios.attack import Scenario, target_record
from analyser.scenarios.attack import resolved as resolved_attack
from analyser.scenarios.fight_records import Strike, fixed_strike, length_of, setup_for, strike_facts
from analyser.scenarios.resolve import keys_of, resolve_target
from analyser.scenarios.schema import CIRCUMSTANCES, Attack, FocusAttack, FocusFile, ScenarioFile, Target

ATTACKERS, TARGET = 0, 1
_STAND_IN = Target(
    models=1, defence=1, damage_limit=1, category="light", formation="close", behemoth=False, aircraft=False
)


@dataclass(frozen=True, slots=True)
class FocusScenario:
    """A resolved sequence of attacks on one target."""

    kind: ClassVar[Literal["focus"]] = "focus"

    attacks: tuple[Scenario, ...]  # the rating is set only if stated; otherwise each attack recomputes it
    target: Target  # before the first attack
    ruleset: Ruleset
    attackers: tuple[Target | None, ...]  # the attackers as targets of return fire; None without a profile
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    @property
    def at_risk(self) -> bool:
        """Return True if an attack can harm its own unit."""
        return any(map(can_be_hurt, self.attacks, self.attackers))

    def as_dict(self) -> dict[str, Any]:
        """Return the scenario as plain data with all defaults; loading it gives an equal scenario."""
        attacks = [
            attack.attack.model_dump(mode="json") | {key: getattr(attack.target, key) for key in CIRCUMSTANCES}
            for attack in self.attacks
        ]
        once = {key: getattr(self, key).model_dump(mode="json") for key in ("target", "ruleset")}
        return {"attacks": attacks, **once}


def resolved(file: FocusFile, library: Profiles) -> FocusScenario:
    """Return the attacks of a checked `file`."""
    attacks = tuple(one_attack(file, attack, place, library) for place, attack in enumerate(file.attacks))
    warnings = [
        f"attack {place + 1}: {warning}"
        for place, scenario in enumerate(attacks)
        for warning in scenario.warnings
        if place == 0 or "target" not in warning
    ]
    target = attacks[0].target.model_copy(update={key: getattr(file.target, key) for key in CIRCUMSTANCES})
    return FocusScenario(attacks, target, file.ruleset, tuple(map(attacker_of, attacks)), tuple(warnings))


def one_attack(file: FocusFile, attack: FocusAttack, place: int, library: Profiles) -> Scenario:
    """Return the attack with that index as a scenario of its own; its rating stays unset unless stated."""
    stated = {key: value for key in CIRCUMSTANCES if (value := getattr(attack, key)) is not None}
    target = file.target.model_copy(update=stated)
    alone = ScenarioFile(attack=keys_of(Attack, attack), target=target, ruleset=file.ruleset)
    try:
        scenario = resolved_attack(alone, library)
    except InputError as error:
        section, _, key = error.where.partition(".")
        if section == "attack" or (section == "target" and key in stated):
            section = f"attacks.{place}"
        raise InputError(error.problem, where=f"{section}.{key}", allowed=error.allowed) from None
    return scenario.with_rating(attack.rating)


def focus_program(
    scenarios: Sequence[Scenario], attackers: Sequence[Target | None]
) -> tuple[Setup, list[list[Operation]]]:
    """Return the setup of a sequence of attacks on one target, and the operations of each.

    `attackers` are different units, so an attack's cost to its own unit does not affect later ones.
    """
    strikes = [_strike(scenario) for scenario in scenarios]
    at_risk = any(map(can_be_hurt, scenarios, attackers))
    programs = []
    for number, (scenario, attacker) in enumerate(zip(scenarios, attackers)):
        operations = [Operation(Kind.NEXT_ATTACKER, ATTACKERS, number)] if at_risk else []
        operations.append(Operation(Kind.STRIKE, ATTACKERS, number))
        if strikes[number].strike.attacks_building:
            operations.append(Operation(Kind.ROLL_BUILDING_DIE, TARGET))
        dice = gunner_dice(scenario.target, attacker)
        if dice and attacker is not None and strikes[number].strike.fixed_dice > 0:
            veteran = scenario.target.value("Veteran")
            back = fixed_strike(dice, Rating.WEAKENED, attacker, veteran=veteran, striker=TARGET)
            operations.append(Operation(Kind.STRIKE, ATTACKERS, _place_of(back, strikes)))
        programs.append(operations)
    most = max(map(_ways_to_stand, scenarios, attackers)) if at_risk else 1
    return _setup_on(scenarios[0].target, strikes, most, scenarios[0].ruleset.die), programs


def volleys_setup(attacks: Sequence[AttackFacts], target: Target, die: Die) -> Setup:
    """Return the setup of attacks on one target in any order and number; each is a strike of side 0 on side 1.

    It omits the cost of an attack to its own unit (Overcharge, Tail Gunner).
    """
    struck = target_record(target)
    strikes = []
    for attack in attacks:
        dice = attack_dice(plain(attack), plain(struck))
        strikes.append(Strike(strike_facts(fixed_dice=dice), attack, struck, np.array([(dice, NONE)])))
    return _setup_on(target, strikes, 1, die)


def _setup_on(target: Target, strikes: Sequence[Strike], most: int, die: Die) -> Setup:
    """Return the setup of strikes on a target; `most` bounds the number of states of an attacker."""
    # Falling back takes the full FALL_BACK or ends in flight, so the distance to the edge adds no other positions.
    usual = {"stride": unit_state.FALL_BACK, "position_bit": unit_state.WINS_BIT, "models": MOST_MODELS}
    usual |= dict.fromkeys(("distance", "fumes_reach", "edge_distance"), NONE)
    standing = {"models": target.models or 0, "garrisoned": target.garrisoned}
    standing |= {"edge_distance": length_of(target.edge_distance), "tracks_position": target.edge_distance is not None}
    sides = [SideFacts(**usual), SideFacts(**(usual | standing))]
    return setup_for(sides, (_STAND_IN.model_copy(update={"models": most}), target), strikes, die)


def _strike(scenario: Scenario) -> Strike:
    """Return the strike of one scenario; an unstated combat rating is computed again in every state."""
    attack, target = scenario.facts
    dice = attack_dice(plain(attack), plain(target))
    wrecks, pays_overcharge = scenario.rolls_for_building, scenario.attack.overcharge
    strike = strike_facts(fixed_dice=dice, attacks_building=wrecks, pays_overcharge=pays_overcharge)
    return Strike(strike, attack, target, np.array([(dice, NONE)]))


def _records(strike: Strike) -> tuple[bytes, bytes]:
    return strike.attack.tobytes(), strike.target.tobytes()


def _place_of(strike: Strike, strikes: list[Strike]) -> int:
    """Return the index of a strike, added if it is new; equal units share a strike back."""
    same = [other.strike == strike.strike and _records(other) == _records(strike) for other in strikes]
    if True in same:
        return same.index(True)
    strikes.append(strike)
    return len(strikes) - 1


_MOST_HITS_OF_A_DIE = 4  # a heroic strike, and one more on the die that it adds
_MOST_BLANKS_OF_A_DIE = 2  # largest number, with Arc


def attacker_of(scenario: Scenario) -> Target | None:
    """Return the attacker of one attack as a target of return fire; None without a profile."""
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
    """Return the dice of the target's shot back at an aerial attacker (Tail Gunner, AC-7); 0 if there is none."""
    return target.value("Tail Gunner") if attacker is not None and attacker.category == "aerial" else 0


def can_be_hurt(scenario: Scenario, attacker: Target | None) -> bool:
    """Return True if the attack can harm its own unit."""
    return scenario.attack.overcharge or gunner_dice(scenario.target, attacker) > 0


def _ways_to_stand(scenario: Scenario, attacker: Target | None) -> int:
    """Return a bound on the states (models and damage) in which its attack can leave the attacker."""
    attack, highest = scenario.attack, len(scenario.ruleset.deck.counts()) - 1
    blanks = _MOST_BLANKS_OF_A_DIE * ((attack.dice or 0) + highest) if attack.overcharge else 0
    hits = _MOST_HITS_OF_A_DIE * gunner_dice(scenario.target, attacker)
    standing = (attack.attacker_models or MOST_MODELS) * (attack.attacker_damage_limit or 1)
    return min(standing, 1 + blanks + hits, MOST_MODELS)
