"""Several attacks on one target in order (AC-9.1): a program of strikes at one state that is carried over."""

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
from analyser.scenarios.resolve import keys_of, resolve_target
from analyser.scenarios.schema import CIRCUMSTANCES, Attack, FocusAttack, FocusFile, ScenarioFile, Target
from analyser.scenarios.strikes import Strike, fixed_strike, length_of, setup_for, strike_facts

ATTACKERS, TARGET = 0, 1
_STAND_IN = Target(
    models=1, defence=1, damage_limit=1, category="light", formation="close", behemoth=False, aircraft=False
)


@dataclass(frozen=True, slots=True)
class FocusScenario:
    """Several attacks on one target, resolved."""

    kind: ClassVar[Literal["focus"]] = "focus"

    attacks: tuple[Scenario, ...]  # a rating is in one only if the file states it: it is counted again at every attack
    target: Target  # as it stands before the first attack
    ruleset: Ruleset
    attackers: tuple[Target | None, ...]  # who make them, as units that can be shot back at; None without a profile
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    @property
    def at_risk(self) -> bool:
        """Return True if an attack can harm its own unit."""
        return any(map(can_be_hurt, self.attacks, self.attackers))

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain data, every default filled in; reading it again gives the same scenario."""
        attacks = [
            attack.attack.model_dump(mode="json") | {key: getattr(attack.target, key) for key in CIRCUMSTANCES}
            for attack in self.attacks
        ]
        once = {key: getattr(self, key).model_dump(mode="json") for key in ("target", "ruleset")}
        return {"attacks": attacks, **once}


def resolved(file: FocusFile, library: Profiles) -> FocusScenario:
    """The attacks that a checked `file` describes."""
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
    """The attack at a `place` of a sequence as a scenario of its own, its rating left to be counted unless stated."""
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
    """The setup of a sequence of attacks on one target, and the operations of each.

    `attackers`, who make them, are different units: what an attack costs its own unit bears on no later one.
    """
    strikes = [_strike(scenario) for scenario in scenarios]
    at_risk = any(map(can_be_hurt, scenarios, attackers))
    programs = []
    for number, (scenario, attacker) in enumerate(zip(scenarios, attackers)):
        operations = [Operation(Kind.TAKE_OVER, ATTACKERS, number)] if at_risk else []
        operations.append(Operation(Kind.STRIKE, ATTACKERS, number))
        if strikes[number].strike.wrecks:
            operations.append(Operation(Kind.WRECK, TARGET))
        dice = gunner_dice(scenario.target, attacker)
        if dice and attacker is not None and strikes[number].strike.fixed_dice > 0:
            veteran = scenario.target.value("Veteran")
            back = fixed_strike(dice, Rating.WEAKENED, attacker, veteran=veteran, striker=TARGET)
            operations.append(Operation(Kind.STRIKE, ATTACKERS, _place_of(back, strikes)))
        programs.append(operations)
    most = max(map(_ways_to_stand, scenarios, attackers)) if at_risk else 1
    return _setup_on(scenarios[0].target, strikes, most, scenarios[0].ruleset.die), programs


def volleys_setup(attacks: Sequence[AttackFacts], target: Target, die: Die) -> Setup:
    """The setup of attacks on one target, in any order and number: a strike for each, of side 0 on side 1.

    What an attack may cost its own unit (Overcharge, Tail Gunner) is not in it.
    """
    struck = target_record(target)
    strikes = []
    for attack in attacks:
        dice = attack_dice(plain(attack), plain(struck))
        strikes.append(Strike(strike_facts(fixed_dice=dice), attack, struck, np.array([(dice, NONE)])))
    return _setup_on(target, strikes, 1, die)


def _setup_on(target: Target, strikes: Sequence[Strike], most: int, die: Die) -> Setup:
    """The setup of strikes on a target by units with at most so many ways to stand."""
    # Who falls back goes whole inches, or flees: lengths to the edge bear on no place but these.
    usual = {"stride": unit_state.FALL_BACK, "position_at": unit_state.WINS, "models": MOST_MODELS}
    usual |= dict.fromkeys(("distance", "fumes_within", "edge_distance"), NONE)
    standing = {"models": target.models or 0, "garrisoned": target.garrisoned}
    standing |= {"edge_distance": length_of(target.edge_distance), "tracks_position": target.edge_distance is not None}
    sides = [SideFacts(**usual), SideFacts(**(usual | standing))]
    return setup_for(sides, (_STAND_IN.model_copy(update={"models": most}), target), strikes, die)


def _strike(scenario: Scenario) -> Strike:
    """The strike of one scenario; a combat rating that it does not state is counted again at every state."""
    attack, target = scenario.facts
    dice = attack_dice(plain(attack), plain(target))
    wrecks, bears_blanks = scenario.rolls_for_building, scenario.attack.overcharge
    strike = strike_facts(fixed_dice=dice, wrecks=wrecks, bears_blanks=bears_blanks)
    return Strike(strike, attack, target, np.array([(dice, NONE)]))


def _records(strike: Strike) -> tuple[bytes, bytes]:
    return strike.attack.tobytes(), strike.target.tobytes()


def _place_of(strike: Strike, strikes: list[Strike]) -> int:
    """The number of a strike, which is added if there is none like it: units of one kind are answered alike."""
    same = [each.strike == strike.strike and _records(each) == _records(strike) for each in strikes]
    if True in same:
        return same.index(True)
    strikes.append(strike)
    return len(strikes) - 1


_MOST_HITS_OF_A_DIE = 4  # a heroic strike, and one more on the die that it adds
_MOST_BLANKS_OF_A_DIE = 2  # with Arc


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
    return target.value("Tail Gunner") if attacker is not None and attacker.category == "aerial" else 0


def can_be_hurt(scenario: Scenario, attacker: Target | None) -> bool:
    """Return True if the attack can harm its own unit."""
    return scenario.attack.overcharge or gunner_dice(scenario.target, attacker) > 0


def _ways_to_stand(scenario: Scenario, attacker: Target | None) -> int:
    """At most so many numbers of models and damage, of which its attack leaves the attacker one."""
    attack, highest = scenario.attack, len(scenario.ruleset.deck.counts()) - 1
    blanks = _MOST_BLANKS_OF_A_DIE * ((attack.dice or 0) + highest) if attack.overcharge else 0
    hits = _MOST_HITS_OF_A_DIE * gunner_dice(scenario.target, attacker)
    standing = (attack.attacker_models or MOST_MODELS) * (attack.attacker_damage_limit or 1)
    return min(standing, 1 + blanks + hits, MOST_MODELS)
