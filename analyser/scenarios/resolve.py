"""From what a scenario says to a scenario that can be computed: profiles looked up, defaults filled in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.keywords import Bearer, each_once
from analyser.game.profiles import Profiles, load_profiles
from analyser.game.units import CLOSE_FORMATION_TYPES, MOST_DICE, Category, Loadout, Row, UnitType, attack_dice
from analyser.scenarios.combatant import REACHING, rule_length
from analyser.scenarios.rows import band_index, is_short
from analyser.scenarios.schema import Attack, Combatant, Passengers, Target

CATEGORY_OF_TYPE: Mapping[UnitType, Category] = {
    "infantry": "light",
    "cavalry": "light",
    "field gun": "light",
    "armour": "heavy",
    "artillery": "heavy",
    "fortification": "heavy",
    "rotorcraft": "aerial",
    "aircraft": "aerial",
}


def resolve_target(target: Target, defender: Loadout | None) -> Target:
    """`target` with everything that its profile or the defaults say, and checked."""
    known = _profile_of(defender) | target.model_dump(exclude_none=True, exclude={"unit"})
    known["unit"] = target.unit if defender is None else defender.selector
    rules = target if target.rules is not None or defender is None else defender.unit
    known["rules"] = each_once(rules.keywords)
    for key in ("models", "defence", "damage_limit"):
        if key not in known:
            raise InputError("this key is missing", where=f"target.{key}", allowed="a number, or a target.unit")
    known.setdefault("formation", _formation(known.get("type"), rules))
    known.setdefault("behemoth", False)
    known.setdefault("aircraft", known.get("type") == "aircraft")
    known.setdefault("category", "aerial" if known["aircraft"] else CATEGORY_OF_TYPE[known.get("type", "infantry")])
    resolved = checked(Target, known, where="target")
    _check_target(resolved)
    check_models(resolved.models, defender, "target.models")
    return resolved


def _profile_of(loadout: Loadout | None) -> dict[str, Any]:
    """The keys of a target that a profile fills in."""
    if loadout is None:
        return {}
    unit, level = loadout.unit, loadout.level
    known = {
        "type": unit.type,
        "category": unit.category,
        "models": level.models,
        "defence": unit.defence,
        "damage_limit": unit.damage_limit,
        "discipline": unit.discipline,
        "break_limit": unit.break_limit,
        "victory_points": level.victory_points,
        "behemoth": "behemoth" in unit.traits,
        "rules": unit.rules,
    }
    return {key: value for key, value in known.items() if value is not None}


def _formation(unit_type: UnitType | None, rules: Bearer) -> str:
    """Close or open, by type unless a rule says otherwise (AC-7); a target without a type: close."""
    if rules.has("Irregular"):
        return "open"
    if rules.has("Lockstep") or unit_type is None:
        return "close"
    return "close" if unit_type in CLOSE_FORMATION_TYPES else "open"


def _check_target(target: Target) -> None:
    models, limit = target.models or 0, target.damage_limit or 0
    if target.exposed is not None and target.exposed > models:
        raise InputError(f"{target.exposed} of {models} models", where="target.exposed", allowed=f"1 to {models}")
    if target.damage >= limit:
        allowed = f"0 to {limit - 1}, below the DAMAGE LIMIT"
        raise InputError(f"{target.damage} damage on the unit", where="target.damage", allowed=allowed)
    if target.garrisoned:
        check_garrison(target.type, "target.garrisoned")
    if target.edge_distance is not None and not math.isfinite(target.edge_distance):
        raise InputError("not a distance", where="target.edge_distance", allowed="inches")


def resolve_attack(attack: Attack, attacker: Loadout | None, row: Row | None) -> Attack:
    """`attack` with everything that its profile or the defaults say, and checked."""
    known = attack.model_dump(exclude_none=True, exclude={"attacker"})
    if attacker is not None and row is not None:
        index = band_index(attack, attacker)
        known.setdefault("dice", attack_dice(row, index))
        if attack.dice is None:
            special = attack_dice(row, index, special=True)
            if special != known["dice"]:
                known.setdefault("dice_in_parentheses", special)
        known.setdefault("veteran", veteran_of(attacker.unit))
        known.setdefault("attacker_models", attacker.level.models)
        known.setdefault("attacker_damage_limit", attacker.unit.damage_limit)
        known |= {"attacker": attacker.selector, "row": row.id}
        if is_short(row, attack):
            known["bonuses"] = (*attack.bonuses, "short_range")
        elif "short_range" in attack.bonuses:
            problem = f"{attack.distance:g} inches are not within the short range of row {row.id!r}"
            raise InputError(problem, where="attack.bonuses", allowed="leave out 'short_range': the distance decides")
    if "dice" not in known:
        raise InputError("this key is missing", where="attack.dice", allowed="a number, or an attack.attacker")
    known["bonuses"] = tuple(dict.fromkeys(known.get("bonuses", ())))
    known["penalties"] = tuple(dict.fromkeys(known.get("penalties", ())))
    known["qualities"] = each_once((attack if attack.qualities is not None or row is None else row).keywords)
    known.setdefault("veteran", 0)
    known.setdefault("attacker_damage_limit", 1)
    if "concealed" in known["penalties"]:
        known["concealed"] = True
    if "opportunity_fire" in known["penalties"]:
        known["opportunity_fire"] = True
    resolved = checked(Attack, known, where="attack")
    _check_attack(resolved)
    check_models(resolved.attacker_models, attacker, "attack.attacker_models")
    if resolved.attacker_garrisoned and attacker is not None:
        check_garrison(attacker.unit.type, "attack.attacker_garrisoned")
    return resolved


def veteran_of(unit: Bearer) -> int:
    """The X of Veteran (X), 1 where it has no number; 0 without the rule."""
    rule = unit.keyword("Veteran")
    if rule is None:
        return 0
    return min(rule.x, MOST_DICE) if (rule.parameter or "").isdecimal() else 1


def _check_attack(attack: Attack) -> None:
    for key, stated, quality in (
        ("overcharge", attack.overcharge, "Overcharge"),
        ("line_of_sight", attack.line_of_sight != "own", "Indirect"),
        ("carriages", attack.carriages > 0, "Full Steam Ahead"),
    ):
        # An attack written inline has no row: to say that it overcharges is to say that it can.
        if stated and not attack.has(quality) and (attack.attacker or key != "overcharge"):
            allowed = f"with {quality!r} among the qualities"
            raise InputError(f"the attack does not have {quality}", where=f"attack.{key}", allowed=allowed)
    if attack.has("Indirect") and "short_range" in attack.bonuses:
        allowed = "without 'short_range'"
        raise InputError("an Indirect row does not fire within short range", where="attack.bonuses", allowed=allowed)
    if "outside_front_arc" in attack.penalties and not attack.has("Turret"):
        allowed = "with 'Turret' among the qualities"
        raise InputError("only a Turret fires outside the front arc", where="attack.penalties", allowed=allowed)
    if attack.attacker_damage >= (attack.attacker_damage_limit or 1):
        where, limit = "attack.attacker_damage", attack.attacker_damage_limit or 1
        raise InputError(f"{attack.attacker_damage} damage on the attacker", where=where, allowed=f"0 to {limit - 1}")


def resolve_combatant(
    combatant: Combatant, profiles: Profiles | None, where: str, loadout: Loadout | None = None
) -> Combatant:
    """`combatant` with everything that its profile or the defaults say, and checked.

    Parameters
    ----------
    combatant : Combatant
    profiles : Profiles or None
        None: the shipped ones.
    where : str
        The section that it came from; opens the messages.
    loadout : Loadout, optional
        Its profile, if that need not be looked up.

    Raises
    ------
    InputError
        A selector, row or number that does not fit.
    """
    try:
        if loadout is None and combatant.unit is not None:
            loadout = (profiles or load_profiles()).loadout(combatant.unit)
    except InputError as error:
        raise error.inside(f"{where}.unit") from None
    known = _combatant_profile(loadout) | combatant.model_dump(
        exclude_none=True, exclude={"unit", "charge", "rows", "passengers"}
    )
    shared = {key: known[key] for key in Target.model_fields if key in known}
    try:
        target = resolve_target(checked(Target, shared, where="target"), loadout)
    except InputError as error:
        raise InputError(error.problem, where=error.where.replace("target", where, 1), allowed=error.allowed) from None
    for rule in REACHING:
        try:
            rule_length(target, rule)
        except InputError as error:
            raise InputError(error.problem, where=f"{where}.rules", allowed=error.allowed) from None
    known = _by_rules(target) | known | target.model_dump(exclude_none=True)
    known["charge"] = combatant.charge
    known["rows"] = combatant.rows or (() if loadout is None else loadout.unit.rows)
    known["passengers"] = _resolve_passengers(combatant, profiles, where)
    resolved = checked(Combatant, known, where=where)
    _check_transport(resolved, where)
    return resolved


def _combatant_profile(loadout: Loadout | None) -> dict[str, Any]:
    """What a profile says beyond what it says of a target."""
    return {} if loadout is None or loadout.unit.speed is None else {"speed": loadout.unit.speed}


def _by_rules(unit: Bearer) -> dict[str, int]:
    """Numbers that stand in special rules: X of Veteran (X) and of Capacity (X)."""
    known = {"veteran": veteran_of(unit)}
    return known | ({"capacity": max(unit.value("Capacity"), 1)} if unit.has("Capacity") else {})


def _resolve_passengers(combatant: Combatant, profiles: Profiles | None, where: str) -> Passengers | None:
    if combatant.passengers is None:
        return None
    inside = f"{where}.passengers"
    stated = combatant.passengers
    if stated.garrisoned:
        raise InputError("a unit that is aboard in a building", where=f"{inside}.garrisoned", allowed="false")
    try:
        loadout = None if stated.unit is None else (profiles or load_profiles()).loadout(stated.unit)
        target = resolve_target(
            checked(Target, stated.model_dump(exclude_none=True, exclude={"unit"}), where="target"), loadout
        )
    except InputError as error:
        raise error.inside(inside) from None
    return checked(Passengers, target.model_dump(exclude_none=True), where=inside)


def _check_transport(combatant: Combatant, where: str) -> None:
    passengers = combatant.passengers
    if passengers is None:
        return
    if combatant.capacity is None:
        problem = "a unit without Capacity carries nobody"
        raise InputError(problem, where=f"{where}.passengers", allowed="a transport, or its capacity beside it")
    room = combatant.capacity * (combatant.models or 0)
    if (passengers.models or 0) > room:
        problem = f"{passengers.models} models are embarked"
        raise InputError(problem, where=f"{where}.passengers.models", allowed=f"up to {room}")


def check_models(models: int | None, loadout: Loadout | None, where: str) -> None:
    """Refuse more models than a unit has at any level (AC-2.2)."""
    if loadout is None or models is None:
        return
    most = max(level.models for level in loadout.unit.levels.values())
    if models > most:
        problem = f"{models} models of {loadout.faction}/{loadout.unit.id}"
        raise InputError(problem, where=where, allowed=f"1 to {most}, its largest level")


def check_garrison(unit_type: UnitType | None, where: str) -> None:
    """Refuse who cannot be in a building: only infantry makes the garrison action of the rulebook.

    A unit of no stated type may be infantry.

    Examples
    --------
    >>> check_garrison("armour", "target.garrisoned")
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: target.garrisoned: a unit of type armour in a building (allowed: infantry)
    """
    if unit_type not in (None, "infantry"):
        raise InputError(f"a unit of type {unit_type} in a building", where=where, allowed="infantry")
