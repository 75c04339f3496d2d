"""From attacks and targets to the flat records of whole numbers that the engines read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from analyser.game.keywords import Bearer
from analyser.game.ruleset import Rating, face_mask
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
from analyser.scenarios.schema import Attack, Target

DICE_A_CARRIAGE = 2  # Full Steam Ahead (AC-6)
FALL_BACK_INCHES = 3.0  # AC-5.4 b
_FIELDS_OF_TARGET = attrgetter(*Target.model_fields)
_VALUES_OF_FIGHT = attrgetter(*(FIGHT.names or ()))


def attack_record(attack: Attack, attacker: Bearer | None = None) -> AttackFacts:
    """A record of :data:`~analyser.rules.structs.ATTACK` from a resolved attack; `attacker` has its special rules."""
    assert attack.dice is not None
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
        "extra_faces": face_mask(extra.faces) if extra else 0,
        "extra_dice": extra.dice if extra else 0,
        "corrosive": _within_fumes(attack.distance, attacker),
        "models": attack.attacker_models or MOST_MODELS,
        "damage": attack.attacker_damage,
        "damage_limit": attack.attacker_damage_limit,
    }
    return cast("AttackFacts", record_of(ATTACK, numbers, attack))


def _within_fumes(distance: float | None, attacker: Bearer | None) -> bool:
    """Whether the target stands within the attacker's Corrosive Fumes (X) (AC-7)."""
    if distance is None or attacker is None:
        return False
    return any(each.name == "Corrosive Fumes" and distance <= each.inches for each in attacker.keywords)


def target_record(target: Target) -> TargetFacts:
    """A record of :data:`~analyser.rules.structs.TARGET` from a resolved target."""
    return cast("TargetFacts", cast("Any", shared_target_record(target)).copy())


def shared_target_record(target: Target, *, from_front: bool | None = None) -> TargetFacts:
    """The same, read-only; seen from its front or not, if that is said here."""
    return cast("TargetFacts", _record_of_target(_FIELDS_OF_TARGET(target), from_front))


@lru_cache(maxsize=4096)  # of many fights the same targets are asked for
def _record_of_target(fields: tuple[Any, ...], from_front: bool | None) -> Any:
    target = Target.model_construct(**dict(zip(Target.model_fields, fields)))
    assert target.category is not None
    numbers = {
        "category": CATEGORIES.index(target.category),
        "close_formation": target.formation == "close",
        "officer": Officer[target.officer.upper()],
        "flees": target.edge_distance is not None and target.edge_distance <= FALL_BACK_INCHES,
        "passes_tests": target.peer_review or target.has("Automata", "Irrepressible"),
        "resilient_front": target.has("Resilient"),
        "always_concealed": target.has("Shrouded", "Obfuscating"),
        "ground_unit": not (target.type in ("aircraft", "rotorcraft") or target.aircraft or target.has("Hover")),
        "concealed_by_obstacle": target.type in (None, "infantry", "cavalry", "field gun"),
    }
    if from_front is not None:
        numbers["from_front"] = from_front
    return shared(record_of(TARGET, numbers, target))


def shared(record: Any) -> Any:
    """The same record, read-only from now on."""
    record.setflags(write=False)
    return record


def record_of(dtype: np.dtype[np.void], numbers: Mapping[str, Any], source: Bearer | None = None) -> np.void:
    """A record of `dtype`.

    Parameters
    ----------
    dtype : dtype
        One of :mod:`analyser.rules.structs`.
    numbers : mapping
        Fields by name.
    source : Attack or Target, optional
        Fills in the other fields: each from its key of that name (NONE for one that is not set), or else from
        whether it has the keyword of that name. Without it they are 0.
    """
    names = dtype.names or ()
    assert numbers.keys() <= set(names), f"no fields of the record: {', '.join(numbers.keys() - set(names))}"
    keys = {} if source is None else vars(source)
    flags = () if source is None else {each.field for each in source.keywords}
    values = []
    for name in names:
        value = numbers[name] if name in numbers else keys.get(name, name in flags)
        values.append(NONE if value is None else value)
    record: np.void = np.array([tuple(values)], dtype)[0]
    return record


def fight_record(attack: AttackFacts, target: TargetFacts) -> FightFacts:
    """A record of :data:`~analyser.rules.structs.FIGHT`: one attack on one target, all conditions applied.

    By the rules as plain Python: compiling them for one call would take longer than all such calls.
    """
    fight: Any = SimpleNamespace()
    set_fight(plain(attack), plain(target), fight)
    record: FightFacts = np.array([_VALUES_OF_FIGHT(fight)], FIGHT)[0]
    return record
