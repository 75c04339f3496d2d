"""From what a scenario says to a scenario that can be computed: profiles looked up, defaults filled in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analyser.bounds import check_garrison, check_models, large_garrison, more_than_level
from analyser.errors import InputError, did_you_mean, nearest, shown
from analyser.glossary import QUALITIES, SPECIAL_RULES, Named, Term, parse, recognise
from analyser.profiles import Profiles
from analyser.ruleset import Ruleset
from analyser.scenario import Attack, Scenario, ScenarioFile, Target
from analyser.units import CLOSE_FORMATION_TYPES, MOST_DICE, Loadout, Row, UnitType, attack_dice
from analyser.validation import checked

FALL_BACK_INCHES = 3.0  # AC-5.4 b
CATEGORY_OF_TYPE: Mapping[UnitType, str] = {
    "infantry": "light", "cavalry": "light", "field gun": "light", "armour": "heavy", "artillery": "heavy",
    "fortification": "heavy", "rotorcraft": "aerial", "aircraft": "aerial",
}  # fmt: skip

RowChooser = Callable[[Attack, Loadout, Target, Ruleset, Sequence[Row]], tuple[Row, str]]
"""Takes one of several rows that fit, and says in a sentence why (:func:`analyser.rows.best_row`)."""


def resolve(file: ScenarioFile, profiles: Profiles | None = None, choose: RowChooser | None = None) -> Scenario:
    """The scenario that `file` describes.

    Parameters
    ----------
    file : ScenarioFile
    profiles : Profiles, optional
        Where selectors are looked up; left out: the shipped profiles.
    choose : RowChooser, optional
        Asked when the attack names no row and several fit; what it says becomes a warning. Left out:
        that is an error.

    Raises
    ------
    InputError
        A selector, row or number that does not fit; the message names the key.
    """
    attacker = _looked_up(file.attack.attacker, profiles, "attack.attacker")
    defender = _looked_up(file.target.unit, profiles, "target.unit")
    return resolve_between(file, attacker, defender, choose)


def resolve_between(
    file: ScenarioFile, attacker: Loadout | None, defender: Loadout | None, choose: RowChooser | None = None
) -> Scenario:
    """The scenario that `file` describes, between these two, whatever selectors it names; else as :func:`resolve`."""
    target = resolve_target(file.target, defender)
    row, reasons = _row_and_reasons(file, attacker, target, choose)
    attack = resolve_attack(file.attack, attacker, row)
    attacker_rules = rules_of(attacker)
    return Scenario(
        attack=attack,
        target=target,
        ruleset=file.ruleset,
        attacker=attacker,
        defender=defender,
        attacker_rules=attacker_rules,
        warnings=(*reasons, *_warnings(attack, target, attacker, defender)),
    )


def _row_and_reasons(
    file: ScenarioFile, attacker: Loadout | None, target: Target, choose: RowChooser | None
) -> tuple[Row | None, tuple[str, ...]]:
    """The row, and what to tell the user about it if he did not name it."""
    if attacker is not None and file.attack.row is None and choose is not None:
        rows = fitting_rows(file.attack, attacker, target)
        if len(rows) > 1:
            row, reason = choose(file.attack, attacker, target, file.ruleset, rows)
            return row, (f"attack.row is not given: {reason}",)
    return chosen_row(file.attack, attacker, target), ()


def _looked_up(selector: str | None, profiles: Profiles | None, key: str) -> Loadout | None:
    if selector is None:
        return None
    try:
        return (profiles or Profiles()).loadout(selector)
    except InputError as error:
        raise error.inside(key) from None


def resolve_target(target: Target, defender: Loadout | None) -> Target:
    """`target` with everything that its profile or the defaults say, and checked."""
    stated = target.model_dump(exclude_none=True)
    known = {**_profile_of(defender), **stated}
    if defender is not None:
        known["unit"] = defender.selector
    rules = names(known.get("rules", ()), SPECIAL_RULES)
    known["rules"] = tuple(str(rule) for rule in rules)
    for key in ("models", "defence", "damage_limit"):
        if key not in known:
            raise InputError("this key is missing", where=f"target.{key}", allowed="a number, or a target.unit")
    known.setdefault("formation", _formation(known.get("type"), {rule.name for rule in rules}))
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


def _formation(unit_type: UnitType | None, rules: set[str]) -> str:
    """Close or open, by type unless a rule says otherwise (AC-7); a target without a type: close."""
    if "Irregular" in rules:
        return "open"
    if "Lockstep" in rules or unit_type is None:
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


def names(written: tuple[str, ...], table: Mapping[str, Term]) -> list[Named]:
    """The terms that are written, each once, spelled as the rules spell them where that is not in doubt."""
    found = []
    for text in written:
        named, sure = recognise(text, table)
        found.append(named if sure else parse(text))
    return list(dict.fromkeys(found))


def rules_of(loadout: Loadout | None) -> tuple[str, ...]:
    """The special rules of a profile, spelled as the rules spell them."""
    return () if loadout is None else tuple(str(rule) for rule in names(loadout.unit.rules, SPECIAL_RULES))


def fitting_rows(attack: Attack, attacker: Loadout, target: Target) -> list[Row]:
    """The rows of `attacker` that can fire at `target` under the conditions of `attack` (AC-4.1, AC-6)."""
    return [row for row in attacker.unit.rows if why_not(row, attack, attacker, target) is None]


def why_not(row: Row, attack: Attack, attacker: Loadout, target: Target) -> str | None:
    """Why `row` cannot make this attack, or None if it can."""
    if row.kind != "ranged":
        return f"it is a {row.kind} row"
    if target.category not in row.against:
        return f"it fires at {'/'.join(row.against)} targets, and the target is {target.category}"
    assert row.long_range is not None
    if attack.distance is not None and attack.distance > row.long_range:
        return f"its long range is {row.long_range:g}, and the distance {attack.distance:g}"
    band = row.band(_band_index(attack, attacker))
    if band is None or band.dice == 0:
        return f"it has no attack dice for {_band_index(attack, attacker)} {_band_unit(attacker)}"
    return _quality_forbids(row, attack)


def _quality_forbids(row: Row, attack: Attack) -> str | None:
    """When a row may be used (AC-6): Slow to Fire, Move or Fire, Reactive, Indirect."""
    qualities = {quality.name for quality in names(row.qualities, QUALITIES)}
    if "Slow to Fire" in qualities and attack.attacker_reloading:
        return "it is Slow to Fire and the attacker is reloading"
    if "Move or Fire" in qualities and attack.attacker_advanced:
        return "it is Move or Fire and the attacker has advanced"
    if "Reactive" in qualities and not (attack.opportunity_fire or "opportunity_fire" in attack.penalties):
        return "it is Reactive: opportunity fire only"
    if "Indirect" in qualities and is_short(row, attack):
        return "it is Indirect and the target is within short range"
    return None


def is_short(row: Row, attack: Attack) -> bool:
    """Whether the target is within the row's short range (AC-4.1)."""
    if attack.distance is None:
        return "short_range" in attack.bonuses
    return row.short_range is not None and attack.distance <= row.short_range


def _band_index(attack: Attack, attacker: Loadout) -> int:
    """What picks the band: models, half of them in a building (AC-4.4), or a behemoth's damage (AC-2.3)."""
    if "behemoth" in attacker.unit.traits:
        return attack.attacker_damage
    models = attack.attacker_models or attacker.level.models
    return math.ceil(models / 2) if attack.attacker_garrisoned else models


def _band_unit(attacker: Loadout) -> str:
    return "damage" if "behemoth" in attacker.unit.traits else "models"


def chosen_row(attack: Attack, attacker: Loadout | None, target: Target) -> Row | None:
    """The row that the attack names; if it names none, the only one that fits.

    Raises
    ------
    InputError
        An unknown row, one that cannot make this attack, none that can, or several.
    """
    if attacker is None:
        if attack.row is not None:
            raise InputError("a row without an attacker", where="attack.row", allowed="give attack.attacker too")
        return None
    rows = {row.id: row for row in attacker.unit.rows}
    if attack.row is None:
        fitting = fitting_rows(attack, attacker, target)
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            raise no_row_fits(attack, attacker, target)
        allowed = ", ".join(row.id for row in fitting)
        raise InputError(f"{attacker.selector}: more than one row fits", where="attack.row", allowed=allowed)
    row = rows.get(row_id(attack.row, rows))
    if row is None:
        hint = did_you_mean(attack.row, rows)
        raise InputError(f"no row {shown(attack.row)}{hint}", where="attack.row", allowed=", ".join(rows) or "no rows")
    reason = why_not(row, attack, attacker, target)
    if reason is not None:
        fitting_ids = ", ".join(each.id for each in fitting_rows(attack, attacker, target))
        problem = f"row {row.id!r} cannot make this attack: {reason}"
        problem += "" if fitting_ids else "; no other row fits"
        raise InputError(problem, where="attack.row", allowed=fitting_ids)
    return row


def row_id(written: str, rows: Mapping[str, Row]) -> str:
    """A row id, forgiving case, spaces and brackets: ``Ranged (Light)`` is ``ranged-light``."""
    tidied = "-".join("".join(each if each.isalnum() else " " for each in written.casefold()).split())
    if tidied in rows:
        return tidied
    longer = [row_id for row_id in rows if row_id.startswith(tidied)]
    return longer[0] if len(longer) == 1 else tidied


def no_row_fits(attack: Attack, attacker: Loadout, target: Target) -> InputError:
    """The error that no row of `attacker` can make this attack: it tells why, row by row."""
    reasons = "; ".join(f"{row.id}: {why_not(row, attack, attacker, target)}" for row in attacker.unit.rows)
    problem = f"{attacker.selector}: no row can make this attack ({reasons or 'the unit has no rows'})"
    return InputError(problem, where="attack.row")


def resolve_attack(attack: Attack, attacker: Loadout | None, row: Row | None) -> Attack:
    """`attack` with everything that its profile or the defaults say, and checked."""
    known = attack.model_dump(exclude_none=True)
    if attacker is not None and row is not None:
        index = _band_index(attack, attacker)
        known.setdefault("dice", attack_dice(row, index))
        if attack.dice is None:
            special = attack_dice(row, index, special=True)
            if special != known["dice"]:
                known.setdefault("dice_in_parentheses", special)
        known.setdefault("qualities", row.qualities)
        known.setdefault("veteran", _veteran(attacker))
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
    known["qualities"] = tuple(str(quality) for quality in names(known.get("qualities", ()), QUALITIES))
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


def _veteran(attacker: Loadout) -> int:
    """The X of Veteran (X) on a profile; 0 without it."""
    for rule in names(attacker.unit.rules, SPECIAL_RULES):
        if rule.name == "Veteran":
            stated = rule.parameter or ""
            return min(int(stated), MOST_DICE) if stated.isdecimal() else 1
    return 0


def _check_attack(attack: Attack) -> None:
    qualities = {parse(quality).name for quality in attack.qualities or ()}
    for key, stated, quality in (
        ("overcharge", attack.overcharge, "Overcharge"),
        ("line_of_sight", attack.line_of_sight != "own", "Indirect"),
        ("carriages", attack.carriages > 0, "Full Steam Ahead"),
    ):
        # An attack written inline has no row: to say that it overcharges is to say that it can.
        if stated and quality not in qualities and (attack.attacker or key != "overcharge"):
            allowed = f"with {quality!r} among the qualities"
            raise InputError(f"the attack does not have {quality}", where=f"attack.{key}", allowed=allowed)
    if "Indirect" in qualities and "short_range" in attack.bonuses:
        allowed = "without 'short_range'"
        raise InputError("an Indirect row does not fire within short range", where="attack.bonuses", allowed=allowed)
    if "outside_front_arc" in attack.penalties and "Turret" not in qualities:
        allowed = "with 'Turret' among the qualities"
        raise InputError("only a Turret fires outside the front arc", where="attack.penalties", allowed=allowed)
    if attack.attacker_damage >= (attack.attacker_damage_limit or 1):
        where, limit = "attack.attacker_damage", attack.attacker_damage_limit or 1
        raise InputError(f"{attack.attacker_damage} damage on the attacker", where=where, allowed=f"0 to {limit - 1}")


def _warnings(attack: Attack, target: Target, attacker: Loadout | None, defender: Loadout | None) -> list[str]:
    """What the user should know about how the scenario was read."""
    attacker_rules = rules_of(attacker)
    found = [
        *unknown_names(attack.qualities or (), QUALITIES, "quality in attack.qualities"),
        *unknown_names(target.rules or (), SPECIAL_RULES, "special rule in target.rules"),
        *unknown_names(attacker_rules, SPECIAL_RULES, "special rule of the attacker"),
    ]
    found += doubts_about(target, "target")
    rules = {parse(rule).name for rule in target.rules or ()}
    prioritised = target.exposed is not None and target.exposed < (target.models or 0)
    if prioritised and (target.garrisoned or rules & {"Shrouded", "Obfuscating"}):
        found.append("exposed models: the target counts as concealed all the same (garrisoned, Shrouded, Obfuscating)")
    found += more_than_level(attack.attacker_models, attacker, "attack.attacker_models")
    found += more_than_level(target.models, defender, "target.models")
    found += large_garrison(attack.attacker_models, "attack.attacker_garrisoned") if attack.attacker_garrisoned else []
    if any(rule.startswith("Resilient") for rule in target.rules or ()) and not target.from_front:
        found.append(
            "Resilient (Front) is counted only when target.from_front says that the attack comes from the front"
        )
    if any(rule.startswith("Corrosive Fumes") for rule in attacker_rules) and attack.distance is None:
        found.append("Corrosive Fumes is counted only when attack.distance says how near the target is")
    qualities = {parse(quality).name for quality in attack.qualities or ()}
    if "Full Steam Ahead" in qualities and not attack.carriages:
        found.append("Full Steam Ahead is counted only when attack.carriages says how many there are")
    if "Reactive" in qualities and not attack.opportunity_fire:
        found.append("a Reactive row is for opportunity fire only (AC-6): computed as asked")
    return found


def doubts_about(target: Target, where: str) -> list[str]:
    """What the user should know about how a unit that is attacked was read; `where` is its section."""
    found = []
    rules = {parse(rule).name for rule in target.rules or ()}
    if target.discipline is None and not rules & {"Automata", "Irrepressible"}:
        who = f"the {where}" if len(where) > 1 else f"unit {where}"
        found.append(f"{who} has no DISCIPLINE: it takes no discipline test, so it cannot be suppressed or broken")
    if target.officer != "last" and target.formation == "close":
        found.append(f"{where}.officer has no effect: in close formation the officer falls last (AC-5.8)")
    if target.disordered and target.near_commander:
        who = f"the {where}" if len(where) > 1 else f"unit {where}"
        found.append(
            f"{who} is disordered and near a commander, which do not go together (AC-5.8): it stays disordered"
        )
    found += large_garrison(target.models, f"{where}.garrisoned") if target.garrisoned else []
    for rule, key, near in (
        ("Chain of Command", "chain_of_command", target.chain_of_command),
        ("Peer Review", "peer_review", target.peer_review),
    ):
        if rule in rules and not near:
            found.append(f"{rule} is counted only when {where}.{key} says that another such unit is near")
    return found


def unknown_names(written: tuple[str, ...], table: Mapping[str, Term], what: str) -> list[str]:
    """A warning for each name that is not in `table`, with the nearest that is; `what` and where it is.

    Examples
    --------
    >>> unknown_names(("Durabel",), SPECIAL_RULES, "special rule in b.rules")
    ["unknown special rule in b.rules: 'Durabel', left out of the numbers; did you mean 'Durable'?"]
    """
    found = []
    for text in written:
        name = parse(text).name
        if name not in table:
            hint = did_you_mean(name, nearest(name, table, most=1))
            found.append(f"unknown {what}: {shown(text)}, left out of the numbers{hint}")
    return found
