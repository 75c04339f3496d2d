"""From a scenario to the flat records of whole numbers that the engines read."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from analyser.game.dice import Rating, face_mask
from analyser.game.keywords import Named, parse
from analyser.game.units import MOST_MODELS
from analyser.rules.conditions import set_fight
from analyser.rules.structs import (
    ATTACK,
    CATEGORIES,
    FIGHT,
    NONE,
    TARGET,
    AttackFacts,
    Bonus,
    FightFacts,
    Officer,
    Penalty,
    Sight,
    TargetFacts,
    plain,
)
from analyser.scenarios.schema import Attack, Scenario, Target

_FIELDS_OF_TARGET = attrgetter(*Target.model_fields)
DICE_A_CARRIAGE = 2  # Full Steam Ahead (AC-6)
_TESTS_PASSED_BY = {"Automata", "Irrepressible"}
_NOT_TOUCHED_BY_SEISMIC = {"aircraft", "rotorcraft"}
_CONCEALED_BY_OBSTACLE = {None, "infantry", "cavalry", "field gun"}


def attack_record(attack: Attack, attacker_rules: tuple[str, ...] = ()) -> AttackFacts:
    """A record of :data:`~analyser.rules.structs.ATTACK` from a resolved attack."""
    assert attack.dice is not None
    qualities = {parse(quality).name for quality in attack.qualities or ()}
    in_parentheses = attack.dice_in_parentheses
    more = DICE_A_CARRIAGE * attack.carriages
    extra = attack.extra_reroll
    numbers = {
        "dice": attack.dice + more,
        "dice_in_parentheses": NONE if in_parentheses is None else in_parentheses + more,
        "stated_rating": NONE if attack.rating is None else int(Rating[attack.rating.upper()]),
        "bonuses": sum(Bonus[name.upper()] for name in set(attack.bonuses)),
        "penalties": sum(Penalty[name.upper()] for name in set(attack.penalties)) | int(attack.concealed),
        "sight": Sight[attack.line_of_sight.upper()],
        "veteran": attack.veteran,
        "extra_faces": face_mask(extra.faces) if extra else 0,
        "extra_dice": extra.dice if extra else 0,
        "overcharge": attack.overcharge,
        "opportunity_fire": attack.opportunity_fire,
        "corrosive": _within_fumes(attack, attacker_rules),
        "models": attack.attacker_models or MOST_MODELS,
        "damage": attack.attacker_damage,
        "damage_limit": attack.attacker_damage_limit,
    }
    for flag in _QUALITY_FLAGS:
        numbers[flag] = flag.replace("_", " ").title() in qualities
    return cast("AttackFacts", record_of(ATTACK, numbers))


_QUALITY_FLAGS = (
    "point_blank", "shock", "wreckers", "arc", "devastating", "penetrating", "suppressive", "torrent",
    "precision", "cryo", "seismic", "lock_on",
)  # fmt: skip


def _within_fumes(attack: Attack, rules: tuple[str, ...]) -> bool:
    """Whether the target stands within the attacker's Corrosive Fumes (X) (AC-7)."""
    reach = [_inches(rule) for rule in map(parse, rules) if rule.name == "Corrosive Fumes"]
    return attack.distance is not None and any(attack.distance <= inches for inches in reach)


def _inches(rule: Named) -> float:
    try:
        return float(rule.parameter or 0)
    except ValueError:
        return 0.0


def target_record(target: Target) -> TargetFacts:
    """A record of :data:`~analyser.rules.structs.TARGET` from a resolved target."""
    return cast("TargetFacts", cast("Any", shared_target_record(target)).copy())


def shared_target_record(target: Target, *, from_front: bool | None = None) -> TargetFacts:
    """The same, but nobody can change it; seen from its front or not, if that is said here."""
    return cast("TargetFacts", _record_of_target(_FIELDS_OF_TARGET(target), from_front))


def shared(record: Any) -> Any:
    """The same record, which nobody can change any more."""
    record.setflags(write=False)
    return record


@lru_cache(maxsize=4096)  # of many fights the same targets are asked for
def _record_of_target(fields: tuple[Any, ...], from_front: bool | None) -> Any:
    target = Target.model_construct(**dict(zip(Target.model_fields, fields)))
    assert target.category is not None
    rules = {parse(rule).name for rule in target.rules or ()}
    resilient_front = any(named.name == "Resilient" for named in map(parse, target.rules or ()))
    numbers = {
        "category": CATEGORIES.index(target.category),
        "models": target.models,
        "defence": target.defence,
        "damage_limit": target.damage_limit,
        "discipline": NONE if target.discipline is None else target.discipline,
        "break_limit": NONE if target.break_limit is None else target.break_limit,
        "damage": target.damage,
        "exposed": NONE if target.exposed is None else target.exposed,
        "close_formation": target.formation == "close",
        "officer": Officer[target.officer.upper()],
        "flees": target.edge_distance is not None and target.edge_distance <= FALL_BACK_INCHES,
        "passes_tests": target.peer_review or bool(rules & _TESTS_PASSED_BY),
        "resilient_front": resilient_front,
        "always_concealed": bool(rules & {"Shrouded", "Obfuscating"}),
        "ground_unit": target.type not in _NOT_TOUCHED_BY_SEISMIC and not target.aircraft and "Hover" not in rules,
        "concealed_by_obstacle": target.type in _CONCEALED_BY_OBSTACLE,
    }
    for flag in _STATE_FLAGS:
        numbers[flag] = getattr(target, flag)
    for flag in _RULE_FLAGS:
        numbers[flag] = flag.replace("_", " ").title() in rules
    if from_front is not None:
        numbers["from_front"] = from_front
    return shared(record_of(TARGET, numbers))


_STATE_FLAGS = (
    "suppressed", "disordered", "activated", "near_commander", "taking_cover", "garrisoned", "from_front",
    "obstacle", "behemoth", "aircraft", "models_without_room", "fail_on_purpose", "chain_of_command",
)  # fmt: skip
_RULE_FLAGS = ("automata", "hot_headed", "durable", "emplacement", "pavises", "construct", "bodyguard")


def record_of(dtype: np.dtype[np.void], numbers: dict[str, Any]) -> np.void:
    """A record of `dtype` with those fields, 0 in all others."""
    numbers = dict(numbers)
    names = dtype.names or ()
    record: np.void = np.array([tuple([numbers.pop(name, 0) for name in names])], dtype)[0]
    assert not numbers, f"facts that the record does not hold: {', '.join(numbers)}"
    return record


def scenario_records(scenario: Scenario) -> tuple[AttackFacts, TargetFacts]:
    """The attack and the target record of a scenario."""
    attack = attack_record(scenario.attack, scenario.attacker_rules)
    return attack, target_record(scenario.target)


FALL_BACK_INCHES = 3.0  # AC-5.4 b


_values_of_fight = attrgetter(*(FIGHT.names or ()))


def fight_of(scenario: Scenario) -> FightFacts:
    """The fight record of a scenario, all conditions applied.

    By the rules as plain Python: compiling them for one call would take longer than all such calls.
    """
    attack, target = scenario_records(scenario)
    fight: Any = SimpleNamespace()
    set_fight(plain(attack), plain(target), fight)
    record: FightFacts = np.array([_values_of_fight(fight)], FIGHT)[0]
    return record


def rolls_for_building(scenario: Scenario) -> bool:
    """Whether a die is rolled for the building after the attack (Siegebreaker, AC-6)."""
    return scenario.target.garrisoned and "Siegebreaker" in (scenario.attack.qualities or ())
