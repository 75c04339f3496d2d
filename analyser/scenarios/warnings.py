"""What a user should know about how a scenario was read: unknown names, odd numbers, keys without effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import Any, get_args

from analyser.common.errors import did_you_mean, nearest, shown
from analyser.game.keywords import Keyword
from analyser.game.profiles import Profiles
from analyser.game.ruleset import RatingName
from analyser.game.units import Loadout, RowKind
from analyser.rules.structs import Test, plain
from analyser.scenarios.attack import Scenario
from analyser.scenarios.combatant import CAN_BE_OUTFLANKED, may_charge
from analyser.scenarios.schema import Attack, ChargeFile, Combatant, DuelFile, Target

LARGEST_GARRISON = 12  # models, as the rulebook defines a defensible building


# --- a unit -----------------------------------------------------------------------------------------


def more_than_level(models: int | None, loadout: Loadout | None, key: str) -> Iterator[str]:
    """A warning where a unit has more models than its level: taken as said, and told."""
    if loadout is not None and models is not None and models > loadout.level.models:
        yield f"{key} is {models}, and {loadout.selector} has {loadout.level.models}"


def large_garrison(models: int | None, key: str) -> Iterator[str]:
    """A warning where a unit is too large for a building of the rulebook."""
    if (models or 0) > LARGEST_GARRISON:
        yield f"{key}: {models} models, and a defensible building holds up to {LARGEST_GARRISON}"


def unknown_names(written: Iterable[Keyword], what: str) -> Iterator[str]:
    """A warning for each name that the rules do not know, with the nearest that they do; `what` and where it is.

    Examples
    --------
    >>> from analyser.game.keywords import Rule
    >>> list(unknown_names((Rule("Durabel"),), "special rule in b.rules"))
    ["unknown special rule in b.rules: 'Durabel', left out of the numbers; did you mean 'Durable'?"]
    """
    for each in written:
        if each.term is None:
            hint = did_you_mean(each.name, nearest(each.name, each.TABLE, most=1))
            yield f"unknown {what}: {shown(str(each))}, left out of the numbers{hint}"


def about_target(target: Target, where: str) -> Iterator[str]:
    """The warnings of a unit that is attacked; `where` is its section."""
    who = f"the {where}" if len(where) > 1 else f"unit {where}"
    if target.discipline is None and not target.has("Automata", "Irrepressible"):
        yield f"{who} has no DISCIPLINE: it takes no discipline test, so it cannot be suppressed or broken"
    if target.officer != "last" and target.formation == "close":
        yield f"{where}.officer has no effect: in close formation the officer falls last (AC-5.8)"
    if target.disordered and target.near_commander:
        yield f"{who} is disordered and near a commander, which do not go together (AC-5.8): it stays disordered"
    if target.garrisoned:
        yield from large_garrison(target.models, f"{where}.garrisoned")
    for rule, key in (("Chain of Command", "chain_of_command"), ("Peer Review", "peer_review")):
        if target.has(rule) and not getattr(target, key):
            yield f"{rule} is counted only when {where}.{key} says that another such unit is near"


# --- an attack --------------------------------------------------------------------------------------


def about_attack(scenario: Scenario, rating: RatingName) -> Iterator[str]:
    """The warnings of an attack.

    Parameters
    ----------
    scenario : Scenario
        Its rating is filled in only if it was stated.
    rating : str
        The rating that counts.
    """
    attack, target, attacker = scenario.attack, scenario.target, scenario.attacker
    yield from unknown_names(attack.keywords, "quality in attack.qualities")
    yield from unknown_names(target.keywords, "special rule in target.rules")
    yield from unknown_names(dict.fromkeys(scenario.attacker_rules), "special rule of the attacker")
    yield from about_target(target, "target")
    prioritised = target.exposed is not None and target.exposed < (target.models or 0)
    if prioritised and (target.garrisoned or target.has("Shrouded", "Obfuscating")):
        yield "exposed models: the target counts as concealed all the same (garrisoned, Shrouded, Obfuscating)"
    yield from more_than_level(attack.attacker_models, attacker, "attack.attacker_models")
    yield from more_than_level(target.models, scenario.defender, "target.models")
    if attack.attacker_garrisoned:
        yield from large_garrison(attack.attacker_models, "attack.attacker_garrisoned")
    if target.has("Resilient") and not target.from_front:
        yield "Resilient (Front) is counted only when target.from_front says that the attack comes from the front"
    if attack.distance is None and attacker is not None and attacker.unit.has("Corrosive Fumes"):
        yield "Corrosive Fumes is counted only when attack.distance says how near the target is"
    if attack.has("Full Steam Ahead") and not attack.carriages:
        yield "Full Steam Ahead is counted only when attack.carriages says how many there are"
    if attack.has("Reactive") and not attack.opportunity_fire:
        yield "a Reactive row is for opportunity fire only (AC-6): computed as asked"
    if attack.rating is not None and (attack.bonuses or attack.penalties):
        counted = scenario.counted_rating()
        if counted != attack.rating:
            yield f"attack.rating says {rating}, and that was used; the bonuses and penalties make it {counted}"
    if attack.extra_reroll and not scenario.fight.extra_dice:
        yield f"attack.extra_reroll has no effect: {rating}, and nothing more to re-roll (AC-3.5)"
    if target.taking_cover:
        in_the_open = replace(scenario, target=target.model_copy(update={"taking_cover": False}))
        if scenario.fight.defence == in_the_open.fight.defence:
            yield "target.taking_cover has no effect: the concealed penalty is not in effect (AC-4.3)"
    yield from _conditions_without_effect(scenario if attack.rating is None else scenario.with_rating(None))


_LETS_NOT_FIRE = {"attacker_reloading": "Slow to Fire", "attacker_advanced": "Move or Fire"}  # AC-6
_OF_AN_INLINE_ATTACK = {
    "distance": None,
    "attacker_models": None,
    "attacker_damage_limit": 1,
    "attacker_garrisoned": False,
    "dice_in_parentheses": None,
}
_CONDITIONS = {  # those that no profile fills in, and what each is where nothing is said
    section: {key: record.model_fields[key].default for key in keys}
    for section, record, keys in (
        ("attack", Attack, ("concealed", "line_of_sight", "opportunity_fire", "attacker_damage", *_LETS_NOT_FIRE)),
        (
            "target",
            Target,
            (
                "suppressed",
                "disordered",
                "activated",
                "exposed",
                "near_commander",
                "garrisoned",
                "from_front",
                "obstacle",
                "models_without_room",
                "fail_on_purpose",
                "peer_review",
                "chain_of_command",
            ),
        ),
    )
}


def _conditions_without_effect(scenario: Scenario) -> Iterator[str]:
    """A warning for each condition that this attack would be the same without; its rating is not stated."""
    inline = {} if scenario.attacker is not None else _OF_AN_INLINE_ATTACK
    for section, record, conditions in (
        ("attack", scenario.attack, _CONDITIONS["attack"] | inline),
        ("target", scenario.target, _CONDITIONS["target"]),
    ):
        for key, usual in conditions.items():
            if getattr(record, key) in (usual, None) or _told_elsewhere(scenario, key):
                continue
            quality = _LETS_NOT_FIRE.get(key)
            if quality and scenario.attacker is not None:
                if not any(row.has(quality) for row in scenario.attacker.unit.rows):
                    yield f"{section}.{key} has no effect: no row of the attacker is {quality} (AC-6)"
                continue
            without: Any = {section: record.model_copy(update={key: usual})}
            if _facts_that_count(replace(scenario, **without)) == _facts_that_count(scenario):
                yield f"{section}.{key} has no effect on this attack"


def _told_elsewhere(scenario: Scenario, key: str) -> bool:
    """Whether a condition is a penalty as well, picks the band of a behemoth's row, or has a warning of its own."""
    behemoth = scenario.attacker is not None and "behemoth" in scenario.attacker.unit.traits
    return (
        key in scenario.attack.penalties
        or (key == "attacker_damage" and behemoth)
        or (key == "near_commander" and scenario.target.disordered)
    )


def _facts_that_count(scenario: Scenario) -> dict[str, int]:
    """All that the odds of an attack depend on."""
    facts: dict[str, int] = vars(plain(scenario.fight))
    left_out = [] if facts["overcharge"] else ["attacker_models", "attacker_damage", "attacker_damage_limit"]
    left_out += [] if facts["cryo"] else ["activated"]
    left_out += ["models_without_room"] if facts["test"] in (Test.NOT_TAKEN, Test.PASSED) else []
    return facts | dict.fromkeys(left_out, 0) | {"wrecks": scenario.rolls_for_building}


# --- longer fights ----------------------------------------------------------------------------------


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
) -> Iterator[str]:
    """The warnings of a charge: `file` as it was stated, its units resolved."""
    yield from _about_unit(attacker, "attacker", file.attacker, profiles)
    yield from _about_unit(target, "target", file.target, profiles)
    for place, unit in enumerate(others):
        yield from _about_unit(unit, f"secondary.{place}", file.secondary[place], profiles)
        if unit.garrisoned:
            yield f"secondary.{place}.garrisoned has no effect: only the target's building is stormed"
    if file.charge.outflanking and target.type not in CAN_BE_OUTFLANKED:
        yield f"charge.outflanking is no bonus: only {', '.join(CAN_BE_OUTFLANKED)} are outflanked (AC-8.2)"
    for side, stated, thrown_at in (("attacker", file.attacker, False), ("target", file.target, attacker.has("Throw"))):
        for key, why in _NO_EFFECT_IN_A_CHARGE.items():
            if getattr(stated, key) == Combatant.model_fields[key].default or (thrown_at and key in _OF_SHOTS):
                continue  # Throw is a ranged attack
            yield f"{side}.{key} has no effect: {why}"
    yield from _without_overrun(attacker, "charge")
    yield from _without_overcharge(attacker, "attacker")
    yield from _without_overcharge(target, "target")


def about_duel(file: DuelFile, a: Combatant, b: Combatant, profiles: Profiles) -> Iterator[str]:
    """The warnings of a duel: `file` as it was stated, its units resolved."""
    policies = (file.duel.policy_a, file.duel.policy_b)
    contact = may_charge(a, b, policies[0]) or may_charge(b, a, policies[1])
    yield from _about_unit(a, "a", file.a, profiles)
    yield from _about_unit(b, "b", file.b, profiles)
    for side, unit, enemy, policy in (("a", a, b, policies[0]), ("b", b, a, policies[1])):
        if unit.charge.outflanking and enemy.garrisoned:
            yield f"{side}.charge.outflanking counts against a unit in a building too, whose front is all round"
        if unit.garrisoned and policy == "charge":
            yield f"{side} does not charge as long as it is in its building, which it does not leave by itself"
        if unit.victory_points is None:
            yield f"{side}.victory_points is not known: its annihilation is counted as 1 VP"
        yield from _without_overrun(unit, f"{side}.charge")
        if unit.reloading and not _any_row(unit, "Slow to Fire"):
            yield f"{side}.reloading has no effect: no row is Slow to Fire (AC-6)"
        if unit.overcharge and not contact:
            yield f"{side}.overcharge has no effect: nobody charges, and shots go by the policy overcharge"
        elif contact:
            yield from _without_overcharge(unit, side)


def _about_unit(unit: Combatant, where: str, stated: Combatant, profiles: Profiles) -> Iterator[str]:
    """The warnings of a unit in whatever fight."""
    rows = unit.rows or ()
    yield from unknown_names((quality for row in rows for quality in row.qualities), f"quality in {where}.rows")
    yield from unknown_names(unit.keywords, f"special rule in {where}.rules")
    for row in rows:
        bands = sorted(row.bands, key=attrgetter("first"))
        if any(one.last >= other.first for one, other in pairwise(bands)):
            yield f"{where}.rows: bands of row {row.id!r} overlap; the first that fits counts"
    if unit.carriages and not _any_row(unit, "Full Steam Ahead"):
        yield f"{where}.carriages has no effect: no row has Full Steam Ahead"
    loadout = None if stated.unit is None else profiles.loadout(stated.unit)
    yield from more_than_level(unit.models, loadout, f"{where}.models")
    yield from about_target(unit, where)


def _any_row(unit: Combatant, quality: str, kinds: tuple[str, ...] = get_args(RowKind)) -> bool:
    return any(row.has(quality) for row in unit.rows or () if row.kind in kinds)


def _without_overrun(unit: Combatant, where: str) -> Iterator[str]:
    if not unit.charge.overrun and not unit.has("Overrun"):
        yield f"{where}.overrun has no effect: the unit does not have Overrun (AC-7)"


def _without_overcharge(unit: Combatant, where: str) -> Iterator[str]:
    if unit.overcharge and not _any_row(unit, "Overcharge", ("melee", "impact")):
        yield f"{where}.overcharge has no effect: no row for close quarters has Overcharge"
