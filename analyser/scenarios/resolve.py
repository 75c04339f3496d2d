"""Resolve attacks and units: fill in values of profiles, rows and defaults, and check them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import Any, TypeVar

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.text import with_article
from analyser.common.validation import Record, checked
from analyser.game import units
from analyser.game.keywords import HasKeywords, Keyword, distinct_keywords
from analyser.game.profiles import Profiles, load_profiles
from analyser.rules import shots
from analyser.rules.charge_strikes import CAN_BE_OUTFLANKED
from analyser.rules.shots import RowFacts, RowKind, ShotFacts, WhyNot
from analyser.rules.structs import CATEGORIES, NONE
from analyser.scenarios.schema import Attack, Charge, Combatant, Passengers, Target

RecordT = TypeVar("RecordT", bound=Record)
TYPES_OF_CATEGORY: Mapping[units.Category, tuple[units.UnitType, ...]] = {
    "light": ("infantry", "cavalry", "field gun"),
    "heavy": ("armour", "artillery", "fortification"),
    "aerial": ("rotorcraft", "aircraft"),
}
_CATEGORY_OF_TYPE = {type_: category for category, types in TYPES_OF_CATEGORY.items() for type_ in types}
IN_CONTACT = "0 is contact, where a unit must make a close quarters attack (AC-8); shots are computed nevertheless"
LARGEST_GARRISON = 12  # most models in a defensible building, as the rulebook defines it


def look_up(selector: str | None, profiles: Profiles | None, key: str) -> units.Loadout | None:
    """Return the loadout of a selector, or None for None; errors name `key`, the location of the selector."""
    try:
        return None if selector is None else (profiles or load_profiles()).loadout(selector)
    except InputError as error:
        raise error.inside(key) from None


def find_row(rows: Iterable[units.Row], name: str, where: str) -> units.Row:
    """Return the row that a name or an abbreviation means (:func:`~.units.row_id`); InputError for any other name."""
    by_id = {row.id: row for row in rows}
    row = by_id.get(units.row_id(name, by_id))
    if row is None:
        problem = f"unknown row {shown(name)}{did_you_mean(name, by_id)}"
        raise InputError(problem, where=where, allowed=", ".join(by_id) or "no rows")
    return row


def _check_models(models: int | None, loadout: units.Loadout | None, where: str) -> None:
    most = 0 if loadout is None else max(level.models for level in loadout.unit.levels.values())
    if loadout is not None and (models or 0) > most:
        problem = f"{models} models of {loadout.faction}/{loadout.unit.id}"
        raise InputError(problem, where=where, allowed=f"1 to {most}, its largest level")


def _check_garrison(unit_type: units.UnitType | None, where: str) -> None:
    """Raise InputError for a unit that cannot be in a building; only infantry, or a unit of unknown type, can."""
    if unit_type not in (None, "infantry"):
        raise InputError(f"a unit of type {unit_type} in a building", where=where, allowed="infantry")


def _stated_or_profile(record: Record, loadout: units.Loadout | None, model: type[Record]) -> dict[str, Any]:
    """Return the values of the keys of `model`: as stated in `record`, else as in the loadout."""
    names = model.model_fields.keys() - {"unit", "attacker", "charge", "rows", "passengers"}
    profile = () if loadout is None else (loadout.level, loadout.unit)
    keys = {key: getattr(part, key) for part in profile for key in names & type(part).model_fields.keys()}
    return {key: value for key, value in keys.items() if value is not None} | record.model_dump(
        exclude_none=True, include=names
    )


def shared_keys(model: type[RecordT], record: Record) -> RecordT:
    """Return a record of `model` with those keys stated in `record` that `model` has too."""
    keys = record.model_fields_set & model.model_fields.keys()
    return model.model_validate({key: getattr(record, key) for key in keys})


def row_facts(row: units.Row) -> RowFacts:
    """Return the facts of a row that decide whether it can fire."""
    return _row_facts(row.kind, row.against, row.long_range, row.short_range, row.qualities)


@lru_cache(maxsize=4096)  # many attacks check the same rows
def _row_facts(kind: str, against: Iterable[units.Category], *rest: Any) -> RowFacts:
    *reach, qualities = rest
    names = {quality.field for quality in qualities}
    facts = {field: int(field in names) for field in _QUALITY_FIELDS}
    long_range, short_range = (NONE if inches is None else units.hundredths(inches) for inches in reach)
    categories = sum(1 << CATEGORIES.index(category) for category in against)
    overcharges = int("overcharge" in names)
    return RowFacts(RowKind[kind.upper()], categories, long_range, short_range, can_overcharge=overcharges, **facts)


_QUALITY_FIELDS = ("slow_to_fire", "move_or_fire", "reactive", "indirect", "siegebreaker", "full_steam_ahead")


def _shot(attack: Attack) -> ShotFacts:
    distance = NONE if attack.distance is None else units.hundredths(attack.distance)
    opportunity = attack.opportunity_fire or "opportunity_fire" in attack.penalties
    has_bonus = "short_range" in attack.bonuses
    return ShotFacts(distance, has_bonus, attack.attacker_reloading, attack.attacker_advanced, opportunity)


def why_not(row: units.Row, attack: Attack, attacker: units.Loadout, target: Target) -> str | None:
    """Return the reason that `row` cannot make this attack (AC-3.1, AC-4.1; qualities, AC-6), or None if it can."""
    if row.kind != "ranged":
        return f"it is {with_article(row.kind)} row"
    assert target.category is not None
    count = _band_count(attack, attacker)
    band = row.band(count)
    category = CATEGORIES.index(target.category)
    reason = shots.why_not(row_facts(row), _shot(attack), category, NONE if band is None else band.dice)
    if reason == WhyNot.CATEGORY:
        return f"it fires at {'/'.join(row.against)} targets, and the target is {target.category}"
    if reason == WhyNot.OUT_OF_RANGE:
        return f"its long range is {row.long_range:g}, and the distance {attack.distance:g}"
    if reason == WhyNot.NO_DICE:
        return f"it has no attack dice for {count} {'damage' if 'behemoth' in attacker.unit.traits else 'models'}"
    return WHY_NOT.get(WhyNot(reason))


WHY_NOT: Mapping[WhyNot, str] = {
    WhyNot.RELOADING: "it is Slow to Fire and the attacker is reloading",
    WhyNot.ADVANCED: "it is Move or Fire and the attacker has advanced",
    WhyNot.REACTIVE: "it is Reactive, for opportunity fire only",
    WhyNot.SHORT_RANGE: "it is Indirect and the target is within short range",
}
"""Texts of the reasons that contain no numbers."""


def _band_count(attack: Attack, attacker: units.Loadout) -> int:
    """Return the number that selects a band: models (half in a building, AC-4.4), or a behemoth's damage (AC-2.3)."""
    models, behemoth = attack.attacker_models or attacker.level.models, "behemoth" in attacker.unit.traits
    return shots.band_count(models, attack.attacker_damage, behemoth, attack.attacker_garrisoned)


def resolve_attack(attack: Attack, attacker: units.Loadout | None, row: units.Row | None) -> Attack:
    """Return `attack` with all values of its profile and the defaults, checked."""
    keys: dict[str, Any] = {"veteran": 0, "attacker_damage_limit": 1}
    bonuses = attack.bonuses
    if attacker is not None and row is not None:
        count = _band_count(attack, attacker)
        dice, special = units.attack_dice(row, count), units.attack_dice(row, count, special=True)
        keys |= {"dice": dice, "veteran": veteran_of(attacker.unit), "attacker_models": attacker.level.models}
        keys |= {"dice_in_parentheses": special} if attack.dice is None and special != dice else {}
        keys |= {"attacker_damage_limit": attacker.unit.damage_limit}
        if shots.within_short_range(row_facts(row), _shot(attack)):
            bonuses = (*bonuses, "short_range")
        elif attack.distance is None:  # drop a stated bonus, because the row has no short range (AC-4.1)
            bonuses = tuple(bonus for bonus in bonuses if bonus != "short_range")
        elif "short_range" in bonuses:
            problem = f"{attack.distance:g} inches are not within the short range of row {row.id!r}"
            raise InputError(problem, where="attack.bonuses", allowed="without 'short_range', which the distance sets")
    keys |= attack.model_dump(exclude_none=True, exclude={"attacker"})
    if attacker is not None and row is not None:
        keys |= {"attacker": attacker.selector, "row": row.id}
    if "dice" not in keys:
        raise InputError("this key is missing", where="attack.dice", allowed="a number; or state attack.attacker")
    keys |= {"bonuses": tuple(dict.fromkeys(bonuses)), "penalties": tuple(dict.fromkeys(attack.penalties))}
    keys["qualities"] = distinct_keywords((attack if attack.qualities is not None or row is None else row).keywords)
    keys |= {key: True for key in ("concealed", "opportunity_fire") if key in attack.penalties}
    resolved = checked(Attack, keys, where="attack")
    _check_attack(resolved)
    _check_models(resolved.attacker_models, attacker, "attack.attacker_models")
    if resolved.attacker_garrisoned and attacker is not None:
        _check_garrison(attacker.unit.type, "attack.attacker_garrisoned")
    return resolved


def veteran_of(unit: HasKeywords) -> int:
    """Return the X of Veteran (X); 0 without the rule."""
    return min(unit.value("Veteran"), units.MOST_DICE)


def _check_attack(attack: Attack) -> None:
    for key, stated, quality in (
        ("overcharge", attack.overcharge, "Overcharge"),
        ("line_of_sight", attack.line_of_sight != "own", "Indirect"),
        ("carriages", attack.carriages > 0, "Full Steam Ahead"),
    ):
        # An attack without a profile has no row, so stating overcharge implies the quality.
        if stated and not attack.has(quality) and (attack.attacker or key != "overcharge"):
            allowed = f"with {quality!r} among the qualities"
            raise InputError(f"the attack does not have {quality}", where=f"attack.{key}", allowed=allowed)
    if "short_range" in attack.bonuses and attack.has("Indirect"):
        allowed = "without 'short_range'"
        raise InputError("an Indirect row does not fire within short range", where="attack.bonuses", allowed=allowed)
    if "outside_front_arc" in attack.penalties and not attack.has("Turret"):
        allowed = "with 'Turret' among the qualities"
        raise InputError("only a Turret fires outside the front arc", where="attack.penalties", allowed=allowed)
    limit = attack.attacker_damage_limit or 1
    if attack.attacker_damage >= limit:
        problem = f"{attack.attacker_damage} damage on the attacker"
        raise InputError(problem, where="attack.attacker_damage", allowed=f"0 to {limit - 1}")


def resolve_target(target: Target, defender: units.Loadout | None, where: str = "target") -> Target:
    """Return `target` with all values of its profile and the defaults, checked; `where` is its section."""
    rules = target if target.rules is not None or defender is None else defender.unit
    keys = _stated_or_profile(target, defender, Target)
    keys |= {"unit": target.unit if defender is None else defender.selector, "rules": distinct_keywords(rules.keywords)}
    for key in ("models", "defence", "damage_limit"):
        if key not in keys:
            raise InputError("this key is missing", where=f"{where}.{key}", allowed=f"a number; or state {where}.unit")
    aircraft, unit_type = keys.get("aircraft", keys.get("type") == "aircraft"), keys.get("type", "infantry")
    close = keys.get("type") in (None, *units.CLOSE_FORMATION_TYPES) or rules.has("Lockstep")
    defaults = {
        "formation": "close" if close and not rules.has("Irregular") else "open",  # AC-7
        "behemoth": defender is not None and "behemoth" in defender.unit.traits,
        "aircraft": aircraft,
        "category": "aerial" if aircraft else _CATEGORY_OF_TYPE[unit_type],
    }
    resolved = checked(Target, defaults | keys, where=where)
    models, limit = resolved.models or 0, resolved.damage_limit or 0
    if resolved.exposed is not None and resolved.exposed > models:
        raise InputError(f"{resolved.exposed} of {models} models", where=f"{where}.exposed", allowed=f"1 to {models}")
    if resolved.damage >= limit:
        allowed = f"0 to {limit - 1}, below the DAMAGE LIMIT"
        raise InputError(f"{resolved.damage} damage on the unit", where=f"{where}.damage", allowed=allowed)
    if resolved.garrisoned:
        _check_garrison(resolved.type, f"{where}.garrisoned")
    _check_models(resolved.models, defender, f"{where}.models")
    return resolved


def resolve_combatant(
    combatant: Combatant, profiles: Profiles | None, where: str, loadout: units.Loadout | None = None
) -> Combatant:
    """Return `combatant` with all values of its profile and the defaults; `loadout` is its profile, if known."""
    loadout = loadout or look_up(combatant.unit, profiles, f"{where}.unit")
    target = resolve_target(combatant, loadout, where)
    for rule in ("Corrosive Fumes", "Throw"):  # raises InputError if X is not a valid length
        target.rule_length(rule, where)
    from_rules = {"veteran": veteran_of(target)}
    from_rules |= {"capacity": max(target.value("Capacity"), 1)} if target.has("Capacity") else {}
    keys = from_rules | _stated_or_profile(combatant, loadout, Combatant) | target.model_dump(exclude_none=True)
    keys["charge"] = combatant.charge
    keys["rows"] = combatant.rows or (() if loadout is None else loadout.unit.rows)
    keys["passengers"] = _resolve_passengers(combatant.passengers, profiles, f"{where}.passengers")
    resolved = checked(Combatant, keys, where=where)
    if (passengers := resolved.passengers) is not None:
        if resolved.capacity is None:
            problem = "a unit without Capacity carries no passengers"
            raise InputError(problem, where=f"{where}.passengers", allowed=f"a transport; or state {where}.capacity")
        room = resolved.capacity * (resolved.models or 0)
        if (passengers.models or 0) > room:
            problem = f"{passengers.models} models are embarked"
            raise InputError(problem, where=f"{where}.passengers.models", allowed=f"up to {room}")
    if resolved.close_quarters_row is None:
        return resolved
    row = find_row(resolved.rows or (), resolved.close_quarters_row, f"{where}.close_quarters_row")
    if row.kind == "ranged":
        rows = ", ".join(candidate.id for candidate in resolved.rows or () if candidate.kind != "ranged")
        problem = f"row {row.id!r} is a ranged row"
        raise InputError(problem, where=f"{where}.close_quarters_row", allowed=rows or "none of the rows of this unit")
    return resolved.model_copy(update={"close_quarters_row": row.id})


def _resolve_passengers(stated: Passengers | None, profiles: Profiles | None, where: str) -> Passengers | None:
    if stated is None:
        return None
    if stated.garrisoned:
        raise InputError("passengers cannot be in a building", where=f"{where}.garrisoned", allowed="false")
    target = resolve_target(stated, look_up(stated.unit, profiles, f"{where}.unit"), where)
    return checked(Passengers, target.model_dump(exclude_none=True), where=where)


def model_warnings(models: int | None, loadout: units.Loadout | None, key: str) -> Iterator[str]:
    """Yield a warning if a unit has more models than its level; the fight still includes all of them."""
    if loadout is not None and models is not None and models > loadout.level.models:
        yield f"{key} is {models}, more than the {loadout.level.models} models of {loadout.selector}"


def garrison_warnings(models: int | None, key: str) -> Iterator[str]:
    """Yield a warning if a unit is too large for a building of the rulebook."""
    if (models or 0) > LARGEST_GARRISON:
        yield f"{key}: {models} models are more than a defensible building can hold ({LARGEST_GARRISON})"


def unknown_name_warnings(keywords: Iterable[Keyword], description: str) -> Iterator[str]:
    """Yield a warning for each name that is not in the rules; `description` is its kind and location.

    >>> from analyser.game.keywords import Rule
    >>> list(unknown_name_warnings((Rule("Amphibious"),), "special rule in b.rules"))
    ["unknown special rule in b.rules: 'Amphibious', left out of the numbers"]
    """
    for keyword in keywords:
        if keyword.term is None:
            yield f"unknown {description}: {shown(str(keyword))}, left out of the numbers"


def target_warnings(target: Target, where: str) -> Iterator[str]:
    """Yield the warnings of a target; `where` is its section."""
    name = f"the {where}" if len(where) > 1 else f"unit {where}"
    if target.discipline is None and not target.has("Automata", "Irrepressible"):
        yield f"{name} has no DISCIPLINE: it takes no discipline test, so it cannot be suppressed or broken"
    if target.officer != "last" and target.formation == "close":
        yield f"{where}.officer has no effect: in close formation the officer falls last (AC-5.8)"
    if target.disordered and target.near_commander:
        yield f"{name} is disordered and near a commander, which contradict each other: it stays disordered (AC-5.8)"
    if target.garrisoned:
        yield from garrison_warnings(target.models, f"{where}.garrisoned")
    for rule, key in (("Chain of Command", "chain_of_command"), ("Peer Review", "peer_review")):
        if target.has(rule) and not getattr(target, key):
            yield f"{rule} counts only if {where}.{key} is true (another unit with this rule is near)"


def combatant_warnings(unit: Combatant, where: str, stated: Combatant, profiles: Profiles) -> Iterator[str]:
    """Yield the warnings of a unit in any fight; `stated` is the unit before it was resolved, in section `where`."""
    rows = unit.rows or ()
    yield from unknown_name_warnings((quality for row in rows for quality in row.qualities), f"quality in {where}.rows")
    yield from unknown_name_warnings(unit.keywords, f"special rule in {where}.rules")
    for row in rows:
        bands = sorted(row.bands, key=attrgetter("first"))
        if any(band.last >= next_band.first for band, next_band in pairwise(bands)):
            yield f"{where}.rows: bands of row {row.id!r} overlap; the first band that fits counts"
    if unit.carriages and not unit.any_row_has("Full Steam Ahead"):
        yield f"{where}.carriages has no effect: no row has Full Steam Ahead"
    if unit.from_front and not unit.has("Resilient"):
        yield f"{where}.from_front has no effect: the unit is not Resilient (AC-7)"
    if stated.capacity not in (None, unit.value("Capacity")) and unit.passengers is None:
        yield f"{where}.capacity has no effect: no unit is embarked"
    loadout = None if stated.unit is None else profiles.loadout(stated.unit)
    yield from model_warnings(unit.models, loadout, f"{where}.models")
    yield from target_warnings(unit, where)


def may_be_concealed(unit: Target) -> bool:
    """Return True if the unit can be concealed (AC-4.3); in a single attack, `concealed` is a key of the attack."""
    concealed = getattr(unit, "concealed", False)
    return unit.garrisoned or concealed or unit.obstacle or unit.has("Shrouded", "Obfuscating", "Pavises")


def outflanking_warnings(charge: Charge, target: Target, where: str) -> Iterator[str]:
    """Yield a warning if `outflanking` is stated against a target that cannot be outflanked; `where` is its section."""
    if charge.outflanking and target.type not in CAN_BE_OUTFLANKED:
        yield f"{where}.outflanking gives no bonus: only {', '.join(CAN_BE_OUTFLANKED)} are outflanked (AC-8.2)"


def overrun_warnings(unit: Combatant, where: str) -> Iterator[str]:
    """Yield a warning if a unit without Overrun states `overrun = false`; `where` is the section of its charge."""
    if not unit.charge.overrun and not unit.has("Overrun"):
        yield f"{where}.overrun has no effect: the unit does not have Overrun (AC-7)"


def overcharge_warnings(unit: Combatant, where: str) -> Iterator[str]:
    """Yield a warning if `overcharge` is stated for a unit that cannot overcharge in close quarters."""
    if unit.overcharge and not unit.any_row_has("Overcharge", ("melee", "impact")):
        yield f"{where}.overcharge has no effect: no row for close quarters has Overcharge"
