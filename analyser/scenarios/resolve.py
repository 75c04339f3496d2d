"""From what a scenario says to a scenario that can be computed: profiles looked up, defaults filled in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from analyser.common.errors import InputError
from analyser.common.validation import Record, checked
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


def looked_up(selector: str | None, profiles: Profiles | None, key: str) -> Loadout | None:
    """The loadout that a key names, if it names one; `profiles`: by default the shipped ones."""
    try:
        return None if selector is None else (profiles or load_profiles()).loadout(selector)
    except InputError as error:
        raise error.inside(key) from None


def resolve_target(target: Target, defender: Loadout | None, where: str = "target") -> Target:
    """`target` with everything that its profile or the defaults say, and checked; `where` is its section."""
    keys = _stated(target, defender, Target)
    keys["unit"] = target.unit if defender is None else defender.selector
    rules = target if target.rules is not None or defender is None else defender.unit
    keys["rules"] = each_once(rules.keywords)
    for key in ("models", "defence", "damage_limit"):
        if key not in keys:
            raise InputError("this key is missing", where=f"{where}.{key}", allowed=f"a number, or a {where}.unit")
    keys.setdefault("formation", _formation(keys.get("type"), rules))
    keys.setdefault("behemoth", defender is not None and "behemoth" in defender.unit.traits)
    keys.setdefault("aircraft", keys.get("type") == "aircraft")
    keys.setdefault("category", "aerial" if keys["aircraft"] else CATEGORY_OF_TYPE[keys.get("type", "infantry")])
    resolved = checked(Target, keys, where=where)
    _check_target(resolved, where)
    check_models(resolved.models, defender, f"{where}.models")
    return resolved


def _stated(record: Record, loadout: Loadout | None, model: type[Record]) -> dict[str, Any]:
    """The keys of `model` that a record states; else what the loadout's unit and level say under the same names."""
    names = model.model_fields.keys() - {"unit", "attacker", "charge", "rows", "passengers"}
    profile = () if loadout is None else (loadout.unit, loadout.level)
    keys = {key: getattr(part, key) for part in profile for key in names & type(part).model_fields.keys()}
    keys = {key: value for key, value in keys.items() if value is not None}
    return keys | record.model_dump(exclude_none=True, include=set(names))


def _formation(unit_type: UnitType | None, rules: Bearer) -> str:
    """Close or open, by type unless a rule says otherwise (AC-7); a target without a type: close."""
    if rules.has("Irregular"):
        return "open"
    if rules.has("Lockstep") or unit_type is None:
        return "close"
    return "close" if unit_type in CLOSE_FORMATION_TYPES else "open"


def _check_target(target: Target, where: str) -> None:
    models, limit = target.models or 0, target.damage_limit or 0
    if target.exposed is not None and target.exposed > models:
        raise InputError(f"{target.exposed} of {models} models", where=f"{where}.exposed", allowed=f"1 to {models}")
    if target.damage >= limit:
        allowed = f"0 to {limit - 1}, below the DAMAGE LIMIT"
        raise InputError(f"{target.damage} damage on the unit", where=f"{where}.damage", allowed=allowed)
    if target.garrisoned:
        check_garrison(target.type, f"{where}.garrisoned")
    if target.edge_distance is not None and not math.isfinite(target.edge_distance):
        raise InputError("not a distance", where=f"{where}.edge_distance", allowed="inches")


def resolve_attack(attack: Attack, attacker: Loadout | None, row: Row | None) -> Attack:
    """`attack` with everything that its profile or the defaults say, and checked."""
    keys = attack.model_dump(exclude_none=True, exclude={"attacker"})
    if attacker is not None and row is not None:
        index = band_index(attack, attacker)
        keys.setdefault("dice", attack_dice(row, index))
        if attack.dice is None:
            special = attack_dice(row, index, special=True)
            if special != keys["dice"]:
                keys.setdefault("dice_in_parentheses", special)
        keys.setdefault("veteran", veteran_of(attacker.unit))
        keys.setdefault("attacker_models", attacker.level.models)
        keys.setdefault("attacker_damage_limit", attacker.unit.damage_limit)
        keys |= {"attacker": attacker.selector, "row": row.id}
        if is_short(row, attack):
            keys["bonuses"] = (*attack.bonuses, "short_range")
        elif "short_range" in attack.bonuses:
            problem = f"{attack.distance:g} inches are not within the short range of row {row.id!r}"
            raise InputError(problem, where="attack.bonuses", allowed="leave out 'short_range': the distance decides")
    if "dice" not in keys:
        raise InputError("this key is missing", where="attack.dice", allowed="a number, or an attack.attacker")
    keys["bonuses"] = tuple(dict.fromkeys(keys.get("bonuses", ())))
    keys["penalties"] = tuple(dict.fromkeys(keys.get("penalties", ())))
    keys["qualities"] = each_once((attack if attack.qualities is not None or row is None else row).keywords)
    keys.setdefault("veteran", 0)
    keys.setdefault("attacker_damage_limit", 1)
    if "concealed" in keys["penalties"]:
        keys["concealed"] = True
    if "opportunity_fire" in keys["penalties"]:
        keys["opportunity_fire"] = True
    resolved = checked(Attack, keys, where="attack")
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
    loadout = loadout or looked_up(combatant.unit, profiles, f"{where}.unit")
    target = resolve_target(combatant, loadout, where)
    for rule in REACHING:
        rule_length(target, rule, where)
    by_rules = {"veteran": veteran_of(target)}
    by_rules |= {"capacity": max(target.value("Capacity"), 1)} if target.has("Capacity") else {}
    keys = by_rules | _stated(combatant, loadout, Combatant) | target.model_dump(exclude_none=True)
    keys["charge"] = combatant.charge
    keys["rows"] = combatant.rows or (() if loadout is None else loadout.unit.rows)
    keys["passengers"] = _resolve_passengers(combatant.passengers, profiles, f"{where}.passengers")
    resolved = checked(Combatant, keys, where=where)
    _check_transport(resolved, where)
    return resolved


def _resolve_passengers(stated: Passengers | None, profiles: Profiles | None, where: str) -> Passengers | None:
    if stated is None:
        return None
    if stated.garrisoned:
        raise InputError("a unit that is aboard in a building", where=f"{where}.garrisoned", allowed="false")
    target = resolve_target(stated, looked_up(stated.unit, profiles, f"{where}.unit"), where)
    return checked(Passengers, target.model_dump(exclude_none=True), where=where)


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
    """Raise InputError for more models than a unit has at any level (AC-2.2)."""
    if loadout is None or models is None:
        return
    most = max(level.models for level in loadout.unit.levels.values())
    if models > most:
        problem = f"{models} models of {loadout.faction}/{loadout.unit.id}"
        raise InputError(problem, where=where, allowed=f"1 to {most}, its largest level")


def check_garrison(unit_type: UnitType | None, where: str) -> None:
    """Raise InputError for a unit that cannot be in a building: only infantry makes the rulebook's garrison action.

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
