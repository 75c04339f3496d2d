"""Focus fire as a program: several attacks in order on one target, which keeps its losses and state (AC-9.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from analyser.common.errors import InputError
from analyser.common.kernel_records import python_copy
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.engine.fight.step_builder import add_fixed
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Die, Rating, Ruleset
from analyser.game.units import MOST_MODELS
from analyser.rules import unit_state
from analyser.rules.attack import attack_dice
from analyser.rules.structs import NONE, AttackFacts, SideFacts, TargetFacts
from analyser.scenarios.attack import Scenario, resolve_scenario, target_record
from analyser.scenarios.fight_records import Draft, Strike, setup_for, strike_facts, to_length
from analyser.scenarios.resolve import resolve_target, shared_keys
from analyser.scenarios.schema import CIRCUMSTANCES, Attack, FocusAttack, FocusFile, ScenarioFile, Target

ATTACKERS, TARGET = 0, 1
_ATTACKER_STAND_IN = Target(
    models=1, defence=1, damage_limit=1, category="light", formation="close", behemoth=False, aircraft=False
)


@dataclass(frozen=True, slots=True)
class FocusScenario:
    """A resolved sequence of attacks on one target."""

    kind: ClassVar[Literal["focus"]] = "focus"

    attacks: tuple[Scenario, ...]  # `rating` is None if not stated: then the target's state decides
    target: Target  # in its state before the first attack
    ruleset: Ruleset
    attackers: tuple[Target | None, ...]  # the attackers as targets of return fire; None without a profile
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    @property
    def at_risk(self) -> bool:
        """Return True if an attacker can be hurt in its own attack."""
        return any(map(can_be_hurt, self.attacks, self.attackers))

    def as_dict(self) -> dict[str, Any]:
        """Return the scenario as plain data with all defaults; loading it gives an equal scenario."""
        attacks = [
            attack.attack.model_dump(mode="json") | {key: getattr(attack.target, key) for key in CIRCUMSTANCES}
            for attack in self.attacks
        ]
        shared = {key: getattr(self, key).model_dump(mode="json") for key in ("target", "ruleset")}
        return {"attacks": attacks, **shared}


def resolve_focus(file: FocusFile, library: Profiles) -> FocusScenario:
    """Return the attacks of a checked `file`."""
    attacks = tuple(attack_of_focus(file, attack, index, library) for index, attack in enumerate(file.attacks))
    warnings = [
        f"attack {number}: {warning}"
        for number, scenario in enumerate(attacks, start=1)
        for warning in scenario.warnings
        if (number == 1 or "target" not in warning) and not _has_effect_later(warning, attacks)
    ]
    target = attacks[0].target.model_copy(update={key: getattr(file.target, key) for key in CIRCUMSTANCES})
    return FocusScenario(attacks, target, file.ruleset, tuple(map(attacker_of, attacks)), tuple(warnings))


def _has_effect_later(warning: str, attacks: Sequence[Scenario]) -> bool:
    """Return True if `warning` says that a key of the target has no effect, but it has one in another attack."""
    key, no_effect, _ = warning.partition(" has no effect")
    if not no_effect or not key.startswith("target.") or len(attacks) == 1:
        return False
    return key in _KEYS_OF_FALLING_BACK or any(warning not in attack.warnings for attack in attacks)


_KEYS_OF_FALLING_BACK = ("target.edge_distance", "target.models_without_room")  # matter once the target is suppressed


def attack_of_focus(file: FocusFile, attack: FocusAttack, index: int, library: Profiles) -> Scenario:
    """Return attack `index` of focus fire as a separate scenario, with a rating only if one is stated."""
    stated = {key: value for key in CIRCUMSTANCES if (value := getattr(attack, key)) is not None}
    target = file.target.model_copy(update=stated)
    file_of_attack = ScenarioFile(attack=shared_keys(Attack, attack), target=target, ruleset=file.ruleset)
    try:
        scenario = resolve_scenario(file_of_attack, library)
    except InputError as error:
        section, _, key = error.where.partition(".")
        if section in ("", "attack") or (section == "target" and key in stated):
            section = f"attacks.{index}"
        where = f"{section}.{key}" if key else section
        raise InputError(error.problem, where=where, allowed=error.allowed) from None
    return scenario.with_rating(attack.rating)


def focus_program(
    scenarios: Sequence[Scenario], attackers: Sequence[Target | None]
) -> tuple[Setup, list[list[Operation]]]:
    """Return the setup of attacks by different units on one target, and the operations of each attack."""
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
            draft: Any = Draft((attacker, attacker))
            add_fixed(draft, TARGET, dice, Rating.WEAKENED, scenario.target.value("Veteran"), 1)  # AC-7
            operations.append(Operation(Kind.STRIKE, ATTACKERS, _index_of(draft.strikes()[0], strikes)))
        programs.append(operations)
    most_states = max(map(_most_attacker_states, scenarios, attackers)) if at_risk else 1
    return _setup_against(scenarios[0].target, strikes, most_states, scenarios[0].ruleset.die), programs


def volleys_setup(attacks: Sequence[AttackFacts], target: Target, die: Die) -> Setup:
    """Return the setup of attacks on one target in any order, without losses of the attackers."""
    strikes = [_fixed_strike(attack, target_record(target)) for attack in attacks]
    return _setup_against(target, strikes, 1, die)


def _setup_against(target: Target, strikes: Sequence[Strike], most_states: int, die: Die) -> Setup:
    """Return the setup of strikes on a target; `most_states` is the largest number of states of an attacker."""
    # The target moves only by falling back, so its positions are FALL_BACK apart (the stride), even if its distance
    # to the edge is not a multiple of FALL_BACK.
    common = {"stride": unit_state.FALL_BACK, "position_bit": unit_state.WINS_BIT, "models": MOST_MODELS}
    common |= dict.fromkeys(("distance", "fumes_reach", "edge_distance"), NONE)
    facts = {"models": target.models or 0, "garrisoned": target.garrisoned}
    facts |= {"edge_distance": to_length(target.edge_distance), "tracks_position": target.edge_distance is not None}
    sides = [SideFacts(**common), SideFacts(**(common | facts))]
    return setup_for(sides, (_ATTACKER_STAND_IN.model_copy(update={"models": most_states}), target), strikes, die)


def _strike(scenario: Scenario) -> Strike:
    """Return the strike of one scenario; an unstated combat rating is computed again in every state."""
    wrecks, pays_overcharge = scenario.rolls_for_building, scenario.attack.overcharge
    return _fixed_strike(*scenario.facts, attacks_building=wrecks, pays_overcharge=pays_overcharge)


def _fixed_strike(attack: AttackFacts, target: TargetFacts, **facts: Any) -> Strike:
    dice = attack_dice(python_copy(attack), python_copy(target))
    return Strike(strike_facts(fixed_dice=dice, **facts), attack, target, np.array([(dice, NONE)]))


def _index_of(strike: Strike, strikes: list[Strike]) -> int:
    """Return the index of a strike, and add it if it is new."""
    new, *known = [(one.strike, one.attack.tobytes(), one.target.tobytes()) for one in (strike, *strikes)]
    if new in known:
        return known.index(new)
    strikes.append(strike)
    return len(known)


_MOST_HITS_PER_DIE = 4  # with the printed faces: a heroic strike (2 hits), and another (2 hits) on the die that it adds
_MOST_BLANKS_PER_DIE = 2  # with Arc a heroic strike adds two dice, which can both be blank


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
    """Return the number of dice with which the target shoots back at an aerial attacker (Tail Gunner, AC-7)."""
    return target.value("Tail Gunner") if attacker is not None and attacker.category == "aerial" else 0


def can_be_hurt(scenario: Scenario, attacker: Target | None) -> bool:
    """Return True if the attacker can be hurt in its own attack (Overcharge, Tail Gunner)."""
    return scenario.attack.overcharge or gunner_dice(scenario.target, attacker) > 0


def _most_attacker_states(scenario: Scenario, attacker: Target | None) -> int:
    """Return an upper bound on the number of states (models left and damage) in which an attack leaves its unit."""
    attack, highest = scenario.attack, len(scenario.ruleset.deck.counts()) - 1
    blanks = _MOST_BLANKS_PER_DIE * ((attack.dice or 0) + highest) if attack.overcharge else 0
    hits = _MOST_HITS_PER_DIE * gunner_dice(scenario.target, attacker)
    health = (attack.attacker_models or MOST_MODELS) * (attack.attacker_damage_limit or 1)
    return min(health, 1 + blanks + hits, MOST_MODELS)
