"""What a unit cannot be, and what is merely odd: more models than its profile has, who is in a building."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import Any

from analyser.common.errors import did_you_mean, nearest, shown
from analyser.game.keywords import QUALITIES, SPECIAL_RULES, Term, parse
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout
from analyser.rules.structs import Test, plain
from analyser.scenarios.combatant import has_rule, may_charge, quality_names
from analyser.scenarios.encode import _values_of_fight, fight_of, rolls_for_building
from analyser.scenarios.resolve import rules_of
from analyser.scenarios.schema import Attack, ChargeFile, Combatant, DuelTerms, Scenario, Target
from analyser.scenarios.strikes import CAN_BE_OUTFLANKED

LARGEST_GARRISON = 12  # models, as the rulebook defines a defensible building


def more_than_level(models: int | None, loadout: Loadout | None, key: str) -> list[str]:
    """A warning where a unit has more models than its level: taken as said, and told."""
    if loadout is None or models is None or models <= loadout.level.models:
        return []
    return [f"{key} is {models}, and {loadout.selector} has {loadout.level.models}"]


def large_garrison(models: int | None, key: str) -> list[str]:
    """A warning where a unit is too large for a building of the rulebook."""
    if (models or 0) <= LARGEST_GARRISON:
        return []
    return [f"{key}: {models} models, and a defensible building holds up to {LARGEST_GARRISON}"]


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


_NO_EFFECT_IN_A_CHARGE = {  # keys of a combatant that close quarters do not look at, and why
    "row": "close quarters go by close_quarters_row",
    "ammo_supply": "Ammo Supply is for ranged attacks",
    "concealed": "there is no concealment in close quarters (AC-4.3)",
    "taking_cover": "there is no cover in close quarters (AC-4.3)",
    "obstacle": "there is no cover in close quarters (AC-4.3)",
    "exposed": "exposed models are prioritised by ranged attacks only (AC-3.9)",
    "on_lookout": "who goes on lookout shoots, and this is one combat",
    "reloading": "close quarters need no reloading",
}


_OF_SHOTS = ("taking_cover", "obstacle", "exposed")


def about_charge(
    file: ChargeFile, attacker: Combatant, target: Combatant, others: Sequence[Combatant], profiles: Profiles
) -> tuple[str, ...]:
    """The warnings of a charge: `file` as it was stated, its units resolved."""
    warnings = [*_doubts(attacker, "attacker", profiles), *_doubts(target, "target", profiles)]
    for place, unit in enumerate(others):
        warnings += _doubts(unit, f"secondary.{place}", profiles)
        if unit.garrisoned:
            warnings.append(f"secondary.{place}.garrisoned has no effect: only the target's building is stormed")
    if file.charge.outflanking and target.type not in CAN_BE_OUTFLANKED:
        types = ", ".join(CAN_BE_OUTFLANKED)
        warnings.append(f"charge.outflanking is no bonus: only {types} are outflanked (AC-8.2)")
    warnings += _without_effect(file.attacker, "attacker")
    warnings += _without_effect(file.target, "target", thrown_at=has_rule(attacker, "Throw"))
    warnings += _without_overrun(attacker, "charge")
    for side, unit in (("attacker", attacker), ("target", target)):
        warnings += _without_overcharge(unit, side)
    return _distinct(warnings)


def about_duel(terms: DuelTerms, a: Combatant, b: Combatant, profiles: Profiles) -> tuple[str, ...]:
    """The warnings of a duel."""
    warnings = [*_doubts(a, "a", profiles), *_doubts(b, "b", profiles)]
    for side, unit, policy in (("a", a, terms.policy_a), ("b", b, terms.policy_b)):
        if unit.charge.outflanking and (b if unit is a else a).garrisoned:
            warnings.append(
                f"{side}.charge.outflanking counts against a unit in a building too, whose front is all round"
            )
        if unit.garrisoned and policy == "charge":
            warnings.append(
                f"{side} does not charge as long as it is in its building, which it does not leave by itself"
            )
        if unit.victory_points is None:
            warnings.append(f"{side}.victory_points is not known: its annihilation is counted as 1 VP")
        warnings += _without_overrun(unit, f"{side}.charge")
        if unit.reloading and not any("Slow to Fire" in quality_names(row) for row in unit.rows or ()):
            warnings.append(f"{side}.reloading has no effect: no row is Slow to Fire (AC-6)")
        contact = may_charge(a, b, terms.policy_a) or may_charge(b, a, terms.policy_b)
        warnings += _without_overcharge(unit, side, contact=contact)
    return _distinct(warnings)


def _doubts(unit: Combatant, where: str, profiles: Profiles) -> list[str]:
    """What the user should know about how a unit was read."""
    loadout = None if unit.unit is None else profiles.loadout(unit.unit)
    qualities = tuple(quality for row in unit.rows or () for quality in row.qualities)
    found = unknown_names(qualities, QUALITIES, f"quality in {where}.rows")
    found += unknown_names(unit.rules or (), SPECIAL_RULES, f"special rule in {where}.rules")
    found += [*_overlapping_bands(unit, where), *_without_carriages(unit, where)]
    return found + more_than_level(unit.models, loadout, f"{where}.models") + doubts_about(unit, where)


def _without_carriages(unit: Combatant, where: str) -> Iterable[str]:
    if unit.carriages and not any("Full Steam Ahead" in quality_names(row) for row in unit.rows or ()):
        yield f"{where}.carriages has no effect: no row has Full Steam Ahead"


def _overlapping_bands(unit: Combatant, where: str) -> Iterable[str]:
    for row in unit.rows or ():
        bands = sorted(row.bands, key=attrgetter("first"))
        if any(one.last >= other.first for one, other in pairwise(bands)):
            yield f"{where}.rows: bands of row {row.id!r} overlap; the first that fits counts"


def _without_effect(unit: Combatant, where: str, *, thrown_at: bool = False) -> Iterable[str]:
    for key, why in _NO_EFFECT_IN_A_CHARGE.items():
        if thrown_at and key in _OF_SHOTS:
            continue  # Throw is a ranged attack
        if getattr(unit, key) != Combatant.model_fields[key].default:
            yield f"{where}.{key} has no effect: {why}"


def _without_overrun(unit: Combatant, where: str) -> Iterable[str]:
    if not unit.charge.overrun and not has_rule(unit, "Overrun"):
        yield f"{where}.overrun has no effect: the unit does not have Overrun (AC-7)"


def _without_overcharge(unit: Combatant, where: str, *, contact: bool = True) -> Iterable[str]:
    if not unit.overcharge:
        return
    rows = [row for row in unit.rows or () if row.kind != "ranged"]
    if not contact:
        yield f"{where}.overcharge has no effect: nobody charges, and shots go by the policy overcharge"
    elif not any("Overcharge" in quality_names(row) for row in rows):
        yield f"{where}.overcharge has no effect: no row for close quarters has Overcharge"


def _distinct(warnings: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(warnings))


def _conditions_without_effect(scenario: Scenario) -> Iterator[str]:
    """A warning for each condition that this attack would be the same without, its rating counted."""
    scenario = replace(scenario, attack=scenario.attack.model_copy(update={"rating": None}))
    facts = _facts_that_count(scenario)
    for section, record in (("attack", scenario.attack), ("target", scenario.target)):
        for key, usual in _conditions_of(section, inline=scenario.attacker is None).items():
            if getattr(record, key) in (usual, None) or _told_elsewhere(scenario, key):
                continue
            quality = _LETS_NOT_FIRE.get(key)
            if quality and scenario.attacker is not None:
                rows = scenario.attacker.unit.rows
                if not any(parse(each).name == quality for every in rows for each in every.qualities):
                    yield f"{section}.{key} has no effect: no row of the attacker is {quality} (AC-6)"
                continue
            without: Any = {section: record.model_copy(update={key: usual})}
            if _facts_that_count(replace(scenario, **without)) == facts:
                yield f"{section}.{key} has no effect on this attack"


_LETS_NOT_FIRE = {"attacker_advanced": "Move or Fire", "attacker_reloading": "Slow to Fire"}  # AC-6


_CONDITIONS: dict[str, tuple[str, ...]] = {  # of those that no profile fills in
    "attack": ("concealed", "line_of_sight", "opportunity_fire", "attacker_damage", "attacker_reloading",
               "attacker_advanced"),
    "target": ("suppressed", "disordered", "activated", "exposed", "near_commander", "garrisoned", "from_front",
               "obstacle", "models_without_room", "fail_on_purpose", "peer_review", "chain_of_command"),
}  # fmt: skip


_OF_AN_INLINE_ATTACK = {
    "distance": None, "attacker_models": None, "attacker_damage_limit": 1, "attacker_garrisoned": False,
    "dice_in_parentheses": None,
}  # fmt: skip


def _conditions_of(section: str, *, inline: bool) -> dict[str, Any]:
    """The conditions in a section of a scenario, and what each is where nothing is said of it."""
    fields = (Attack if section == "attack" else Target).model_fields
    usual = {key: fields[key].default for key in _CONDITIONS[section]}
    return usual | (_OF_AN_INLINE_ATTACK if inline and section == "attack" else {})


def _told_elsewhere(scenario: Scenario, key: str) -> bool:
    """Whether a condition is a penalty as well, picks the band of a behemoth's row, or has a warning of its own."""
    behemoth = scenario.attacker is not None and "behemoth" in scenario.attacker.unit.traits
    return (
        key in scenario.attack.penalties
        or (key == "attacker_damage" and behemoth)
        or (key == "near_commander" and scenario.target.disordered)
    )


def _facts_that_count(scenario: Scenario) -> tuple[Any, ...]:
    """All that the odds of an attack depend on."""
    facts: Any = plain(fight_of(scenario))
    if not facts.overcharge:
        facts.attacker_models = facts.attacker_damage = facts.attacker_damage_limit = 0
    if not facts.cryo:
        facts.activated = 0
    if facts.test in (Test.NOT_TAKEN, Test.PASSED):
        facts.models_without_room = 0
    return (*_values_of_fight(facts), rolls_for_building(scenario))


def _with_doubts(scenario: Scenario) -> Scenario:
    """The scenario, and a warning for what it says to no effect."""
    target, extra = scenario.target, scenario.attack.extra_reroll
    fight, doubts = fight_of(scenario), list(scenario.warnings)
    if extra and not fight.extra_dice:
        doubts.append(
            f"attack.extra_reroll has no effect: {scenario.attack.rating}, and nothing more to re-roll (AC-3.5)"
        )
    in_the_open = replace(scenario, target=target.model_copy(update={"taking_cover": False}))
    if target.taking_cover and fight.defence == fight_of(in_the_open).defence:
        doubts.append("target.taking_cover has no effect: the concealed penalty is not in effect (AC-4.3)")
    return replace(scenario, warnings=(*doubts, *_conditions_without_effect(scenario)))
