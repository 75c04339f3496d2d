"""What the user should know about how a charge or a duel was read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import attrgetter

from analyser.bounds import more_than_level
from analyser.fights.combatant import Combatant, has_rule, may_charge
from analyser.fights.duel import DuelTerms
from analyser.fights.sections import ChargeFile
from analyser.fights.strikes import CAN_BE_OUTFLANKED, quality_names
from analyser.glossary import QUALITIES, SPECIAL_RULES
from analyser.profiles import Profiles
from analyser.resolve import doubts_about, unknown_names

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
