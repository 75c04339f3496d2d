"""One strike of close quarters, plainly read: its dice, its rating, and what its hits and blanks do (AC-3, AC-8)."""

from fractions import Fraction
from typing import NamedTuple

from tests.oracle import plain_reading as plain
from tests.oracle.plain_laws import independent, marginal, then
from tests.oracle.plain_units import Unit, as_target, disorder, removed, value_of


def has_quality(row, name):
    """Whether a row of the armaments grid has the quality (AC-6)."""
    return row is not None and name in row["qualities"]


def dice_of_row(row, facts, unit, victim_facts, *, half):
    """Attack dice of a row for the models now in the unit; 0: no attack (AC-2.3, AC-2.4, AC-8.6; Shock, Wreckers)."""
    counted = (unit.models + 1) // 2 if half else unit.models
    if facts["behemoth"]:
        counted = unit.damage
    for band in row["bands"]:
        if band["first"] <= counted <= band["last"]:
            shock = has_quality(row, "Shock") and victim_facts["category"] == "light"
            wreckers = has_quality(row, "Wreckers") and victim_facts["category"] == "heavy"
            if (shock or wreckers) and band.get("special") is not None:
                return band["special"]
            return band["dice"]
    return 0


def rating_of(bonuses, penalties):
    """The combat rating by the number of bonuses and penalties (AC-3.1)."""
    if bonuses > penalties:
        return "improved"
    return "weakened" if penalties > bonuses else "neutral"


class Blow(NamedTuple):
    """What a strike did: both units afterwards, and the enemy models destroyed, passengers included (AC-8.8)."""

    striker: Unit
    victim: Unit
    destroyed: int


def strike(row, dice, rating, who, whom, ruleset, *, from_front=False):
    """The law {Blow: chance} of one attack roll in close quarters, both units with their facts (AC-3, AC-8.3)."""
    (striker_facts, striker), (victim_facts, victim) = who, whom
    qualities = [] if row is None else row["qualities"]
    uses_overcharge = striker_facts["overcharge"] and "Overcharge" in qualities
    attack = {
        **plain.DEFAULT_ATTACK,
        "qualities": qualities,
        "dice": dice,
        "carriages": striker_facts["carriages"] if "Full Steam Ahead" in qualities else 0,
        "overcharge": uses_overcharge,
        "veteran": value_of(striker_facts, "Veteran"),
        "extra_reroll": striker_facts["extra_reroll"],
    }
    dice = plain.dice_law(attack, ruleset["deck"])
    rolls = then(dice, lambda number: plain.attack_pool_law(number, ruleset["die"], attack, victim_facts, rating))

    def suffered(roll):
        hits, blanks = roll
        wounds = suffer_hits(hits, attack, victim_facts, victim, from_front=from_front)
        both = independent([wounds, suffer_blanks(blanks if uses_overcharge else 0, striker_facts, striker)])
        return marginal(both, lambda after: Blow(after[1], *after[0]))

    return then(rolls, suffered)


def suffer_hits(hits, attack, facts, unit, *, from_front):
    """The law {(unit, models destroyed): chance} of a unit under so many hits (AC-3.7, AC-3.8, AC-5.8)."""
    target = as_target(facts, unit, from_front=from_front)
    wounds = plain.wounds_of(hits, attack, target)
    hurt = unit._replace(models=unit.models - wounds.models_destroyed, damage=wounds.damage)
    return after_losses(hurt, wounds.models_destroyed, plain.officer_place_law(attack, target), facts)


def suffer_blanks(blanks, facts, unit):
    """The law of a unit whose Overcharge showed so many blanks: 1 damage each (AC-6)."""
    target = as_target(facts, unit)
    wounds = plain.Wounds(0, unit.damage)
    for _ in range(blanks):
        wounds = plain.suffer_one(wounds, target)
    hurt = unit._replace(models=unit.models - wounds.models_destroyed, damage=wounds.damage)
    places = {unit.models: Fraction(1)}  # its general chooses which models go: the officer last
    return marginal(after_losses(hurt, wounds.models_destroyed, places, facts), lambda after: after[0])


def after_losses(unit, destroyed, officer_places, facts):
    """Annihilated, or perhaps without its officer; and a transport's passengers out of room (AC-5.8, AC-8.8)."""
    full, crushed = crush_passengers(facts, unit)
    if full.models == 0:
        return {(removed("destroyed", full), destroyed + crushed): Fraction(1)}
    return marginal(
        officer_places, lambda place: (disorder(facts, full) if destroyed >= place else full, destroyed + crushed)
    )


def crush_passengers(facts, unit):
    """Embarked models above Capacity x models left are destroyed: the unit, and how many (AC-8.8)."""
    riding = unit.passengers
    if riding is None or riding.fate:
        return unit, 0
    room = value_of(facts, "Capacity") * unit.models
    crushed = max(0, riding.models - room)
    left = riding.models - crushed
    riding = riding._replace(models=left) if left else Unit(0, fate="destroyed")
    return unit._replace(passengers=riding), crushed
