"""A slow, plain reading of one close quarters combat, for the tests to compare the engines with.

Written from AC-8 (and AC-3, AC-5 to AC-7 where they touch it) alone: a unit is a plain table of facts and a small
state, a fight is the two (or more) of them, and every step turns one fight into a law {fight: chance} in fractions.
Shares the dice, the damage and the suppression test with `plain_reading`, and nothing with the package.
"""

import re
from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

from tests.oracle import plain_reading as plain

MELEE = {"kind": "melee", "bands": [], "qualities": []}

DEFAULT_UNIT = {
    "type": None,
    "category": "light",
    "models": None,
    "defence": None,
    "damage_limit": 1,
    "discipline": None,
    "break_limit": None,
    "victory_points": 0,
    "rules": [],
    "rows": [],
    "row": None,  # the place of the row it uses among `rows`; None: the first that may be used
    "damage": 0,
    "suppressed": False,
    "disordered": False,
    "activated": False,
    "garrisoned": False,
    "behemoth": False,
    "formation": None,
    "officer": "last",
    "near_commander": False,
    "from_front": False,
    "edge_distance": None,
    "models_without_room": 0,  # when it falls back
    "withdrawal_without_room": 0,
    "fail_on_purpose": False,
    "peer_review": False,
    "chain_of_command": False,
    "overcharge": False,
    "extra_reroll": {"faces": [], "dice": 0},
    "carriages": 0,
    "taking_cover": False,
    "obstacle": False,
    "threatened": False,  # of a secondary combatant only
    "passengers": None,
}
DEFAULT_COMBAT = {
    "outflanked": False,
    "supported": False,
    "threatened": False,
    "difficult_terrain": False,
    "overrun": True,  # taken if the unit has the rule
}


# --- units ------------------------------------------------------------------------------------------------


class Unit(NamedTuple):
    """What a fight can change of a unit. `fate`: "" while it is in play, else how it was removed (AC-5.9)."""

    models: int
    damage: int = 0
    suppressed: bool = False
    disordered: bool = False
    activated: bool = False
    garrisoned: bool = False
    edge_distance: Fraction | int | None = None
    fell_back: bool = False
    fate: str = ""
    passengers: "Unit | None" = None


def removed(fate, unit):
    """A unit that is gone: no models, no statuses; those embarked on it are gone with it (AC-5.4, AC-8.8)."""
    passengers = unit.passengers
    if passengers is not None and not passengers.fate:
        passengers = Unit(0, fate="destroyed")
    return Unit(0, fate=fate, passengers=passengers)


def read_unit(given):
    """The facts of a unit with everything filled in that is left out."""
    facts = plain.with_defaults(given, DEFAULT_UNIT, "unit")
    if facts["passengers"] is not None:
        facts["passengers"] = read_unit(facts["passengers"])
    return facts


def unit_of(facts):
    """The state in which a unit enters the fight."""
    passengers = facts["passengers"]
    return Unit(
        models=facts["models"],
        damage=facts["damage"],
        suppressed=facts["suppressed"],
        disordered=facts["disordered"],
        activated=facts["activated"],
        garrisoned=facts["garrisoned"],
        edge_distance=facts["edge_distance"],
        passengers=None if passengers is None else unit_of(passengers),
    )


def value_of(facts, rule):
    """X of a special rule such as "Sponsons (4)"; 0 without the rule (AC-7). Inches can have a fraction."""
    for written in facts["rules"]:
        found = re.fullmatch(rf"{rule} \((\d+(\.\d+)?)\)", written)
        if found:
            return Fraction(found[1]) if found[2] else int(found[1])
    return 0


def as_target(facts, unit, *, from_front=False, models=None):
    """A unit as `plain_reading` knows a target: cover and building count for nothing in close quarters (AC-4.3)."""
    shared = {key: facts[key] for key in plain.DEFAULT_TARGET.keys() & facts.keys()}
    return {
        **plain.DEFAULT_TARGET,
        **shared,
        "models": unit.models if models is None else models,
        "damage": unit.damage,
        "suppressed": unit.suppressed,
        "disordered": unit.disordered,
        "activated": unit.activated,
        "edge_distance": unit.edge_distance,
        "garrisoned": False,
        "taking_cover": False,
        "obstacle": False,
        "exposed": None,  # which is for ranged attacks (AC-3.9)
        "from_front": from_front and not unit.garrisoned,
    }


def disorder(facts, unit):
    """Disordered, unless a commander is near (AC-5.8)."""
    return unit if facts["near_commander"] else unit._replace(disordered=True)


# --- one strike -------------------------------------------------------------------------------------------


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


def strike(row, dice, rating, striker_facts, striker, victim_facts, victim, *, from_front, ruleset):
    """The law {Blow: chance} of one attack roll in close quarters (AC-3, AC-8.3)."""
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
    chances = defaultdict(Fraction)
    for number, dice_chance in plain.dice_law(attack, ruleset["deck"]).items():
        pool = plain.attack_pool_law(number, ruleset["die"], attack, victim_facts, rating)
        for (hits, blanks), chance in pool.items():
            for (wounded, destroyed), hit_chance in suffer_hits(
                hits, attack, victim_facts, victim, from_front=from_front
            ).items():
                for after, own_chance in suffer_blanks(
                    blanks if uses_overcharge else 0, striker_facts, striker
                ).items():
                    chances[Blow(after, wounded, destroyed)] += dice_chance * chance * hit_chance * own_chance
    return chances


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
    return {after: chance for (after, _), chance in after_losses(hurt, wounds.models_destroyed, places, facts).items()}


def after_losses(unit, destroyed, officer_places, facts):
    """Annihilated, or perhaps without its officer; and a transport's passengers out of room (AC-5.8, AC-8.8)."""
    full, crushed = crush_passengers(facts, unit)
    if full.models == 0:
        return {(removed("destroyed", full), destroyed + crushed): Fraction(1)}
    chances = defaultdict(Fraction)
    for place, chance in officer_places.items():
        after = disorder(facts, full) if destroyed >= place else full
        chances[after, destroyed + crushed] += chance
    return chances


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


# --- the fight --------------------------------------------------------------------------------------------


class Fight(NamedTuple):
    """Everything that a combat changes.

    The losses are the enemy's claim on the win (AC-8.5): passengers in, sponsons, own blanks and want of room out.
    `..._struck_by` are the qualities of the attacks that the combat made on the unit, for its test.
    """

    active: Unit
    target: Unit
    secondaries: tuple[Unit, ...] = ()
    active_losses: int = 0
    target_losses: int = 0
    active_start: int = 0
    target_start: int = 0
    active_riding: int = 0  # models embarked at the start of the combat
    target_riding: int = 0
    active_struck_by: frozenset = frozenset()
    target_struck_by: frozenset = frozenset()
    winner: str = ""  # "active", "target", "stalemate"
    won: tuple[str, ...] = ()  # the winner of each combat fought
    apart: int = 0  # inches between the two after the last combat
    has_destroyed: bool = False  # whether the active unit has, in any combat
    by_its_own_blanks: bool = False  # the target is gone by them, at the same time as others strike (AC-8.7)


class Field(NamedTuple):
    """What a combat does not change: facts of the units, circumstances, die and deck."""

    active: dict
    target: dict
    secondaries: list
    combat: dict
    ruleset: dict
    again: bool = False  # the second combat of an Overrun
    measured: bool = True  # distances are known, and whoever moves forward moves away from its own edge


def then(law, step):
    """The law of a step taken after a law."""
    chances = defaultdict(Fraction)
    for state, chance in law.items():
        for after, step_chance in step(state).items():
            chances[after] += chance * step_chance
    return chances


def row_of_charge(facts):
    """The row with which a unit charges: melee or impact (AC-8.1)."""
    rows = facts["rows"] if facts["row"] is None else [facts["rows"][facts["row"]]]
    for row in rows:
        if row["kind"] in {"melee", "impact"}:
            return row
    raise ValueError("a charging unit needs a melee or impact row (AC-8.1)")


def row_of_retaliation(facts):
    """The melee row with which a unit hits back, or None: impact rows cannot (AC-8.3)."""
    return next((row for row in facts["rows"] if row["kind"] == "melee"), None)


def overwhelms(facts, victim_facts):
    """Infantry on armour or fortification (AC-8.2)."""
    return facts["type"] == "infantry" and victim_facts["type"] in {"armour", "fortification"}


def active_rating(field, fight, row):
    """The rating of the active unit's attack (AC-8.2; Onslaught, Overrun in AC-7; Seismic in AC-6)."""
    seismic = plain.seismic_works({"qualities": row["qualities"]}, as_target(field.target, fight.target))
    bonuses = [
        not field.again and field.combat["outflanked"] and field.target["type"] in {"infantry", "cavalry", "field gun"},
        overwhelms(field.active, field.target),
        field.combat["supported"],
        not field.again and plain.has_rule(field.active, "Onslaught"),
        seismic and fight.target.garrisoned,
    ]
    touched_by_others = bool(field.secondaries) and not field.again
    penalties = [
        fight.active.suppressed,
        field.combat["threatened"] or touched_by_others,
        field.again,
    ]
    return rating_of(sum(bonuses), sum(penalties))


def target_rating(field, fight):
    """The rating of the retaliation: the same list seen from the other side (AC-8.2)."""
    touched_by_others = bool(field.secondaries) and not field.again
    bonuses = [
        overwhelms(field.target, field.active),
        field.combat["threatened"] or touched_by_others,  # its friends near the active unit support it
    ]
    penalties = [fight.target.suppressed, field.combat["supported"]]  # the active unit's friends threaten it
    return rating_of(sum(bonuses), sum(penalties))


def secondary_rating(field, facts, unit):
    """The rating of a secondary combatant, which the target supports (AC-8.2, AC-8.7)."""
    bonuses = [overwhelms(facts, field.active), True]
    return rating_of(sum(bonuses), sum([unit.suppressed, facts["threatened"]]))


def active_strikes(field, fight):
    """The active unit's attack (AC-8.3); storming a building with half of its models (AC-8.6)."""
    if fight.winner:
        return {fight: Fraction(1)}
    row = row_of_charge(field.active)
    storming = fight.target.garrisoned
    dice = dice_of_row(row, field.active, fight.active, field.target, half=storming)
    if dice == 0:
        return {fight: Fraction(1)}
    blows = strike(
        row,
        dice,
        active_rating(field, fight, row),
        field.active,
        fight.active,
        field.target,
        fight.target,
        from_front=field.target["from_front"] and (field.again or not field.combat["outflanked"]),
        ruleset=field.ruleset,
    )
    chances = defaultdict(Fraction)
    for blow, chance in blows.items():
        after = fight._replace(
            active=blow.striker,
            target=blow.victim,
            target_losses=fight.target_losses + blow.destroyed,
            target_struck_by=fight.target_struck_by | frozenset(row["qualities"]),
            has_destroyed=fight.has_destroyed or blow.destroyed > 0,
            winner="active" if blow.victim.fate else "target" if blow.striker.fate else "",
        )
        chances[own_blanks_forgotten(after, "active", fight.active)] += chance
    return chances


def own_blanks_forgotten(fight, side, before):
    """The fight as its tests see it: what Overcharge cost the striker counts for no test (AC-6, AC-5.2)."""

    def embarked(unit):
        return unit.passengers.models if unit.passengers else 0

    after = getattr(fight, side)
    start, riding = getattr(fight, f"{side}_start"), getattr(fight, f"{side}_riding")
    start, riding = start - before.models + after.models, riding - embarked(before) + embarked(after)
    return fight._replace(**{f"{side}_start": start, f"{side}_riding": riding})


def target_strikes(field, fight):
    """The target's attack, from a building with half of its models (AC-8.3, AC-8.6)."""
    row = row_of_retaliation(field.target)
    if fight.winner or row is None:
        return {fight: Fraction(1)}
    dice = dice_of_row(row, field.target, fight.target, field.active, half=fight.target.garrisoned)
    if dice == 0:
        return {fight: Fraction(1)}
    blows = strike(
        row,
        dice,
        target_rating(field, fight),
        field.target,
        fight.target,
        field.active,
        fight.active,
        from_front=True,  # a charge ends with the enemy in the front arc
        ruleset=field.ruleset,
    )
    chances = defaultdict(Fraction)
    for blow, chance in blows.items():
        after = fight._replace(
            active=blow.victim,
            target=blow.striker,
            active_losses=fight.active_losses + blow.destroyed,
            active_struck_by=fight.active_struck_by | frozenset(row["qualities"]),
            winner="target" if blow.victim.fate else "active" if blow.striker.fate else "",
            by_its_own_blanks=bool(blow.striker.fate),
        )
        chances[own_blanks_forgotten(after, "target", fight.target)] += chance
    return chances


def secondary_strikes(field, place, fight):
    """A secondary combatant's attack on the active unit, at the same time as the target's (AC-8.7)."""
    facts, unit = field.secondaries[place], fight.secondaries[place]
    row = row_of_retaliation(facts)
    over = fight.winner and not fight.by_its_own_blanks
    if over or fight.active.fate or row is None:
        return {fight: Fraction(1)}
    dice = dice_of_row(row, facts, unit, field.active, half=False)
    if dice == 0:
        return {fight: Fraction(1)}
    blows = strike(
        row,
        dice,
        secondary_rating(field, facts, unit),
        facts,
        unit,
        field.active,
        fight.active,
        from_front=False,
        ruleset=field.ruleset,
    )
    chances = defaultdict(Fraction)
    for blow, chance in blows.items():
        others = list(fight.secondaries)
        others[place] = blow.striker
        after = fight._replace(
            active=blow.victim,
            secondaries=tuple(others),
            active_losses=fight.active_losses + blow.destroyed,
            active_struck_by=fight.active_struck_by | frozenset(row["qualities"]),
            winner="target" if blow.victim.fate else fight.winner,
        )
        chances[after] += chance
    return chances


def others_strike(field, fight):
    """The target and, at the same time, the secondary combatants (AC-8.7)."""
    law = target_strikes(field, fight)
    if not field.again:
        for place in range(len(field.secondaries)):
            law = then(law, lambda state, place=place: secondary_strikes(field, place, state))
    return law


def has_defensive_advantage(field, fight):
    """Whether the target strikes first (AC-8.4, AC-8.6; Stoic Defence, Storming Party in AC-7)."""
    if field.again:
        return False
    if fight.target.garrisoned:
        return not plain.has_rule(field.active, "Storming Party")
    return field.combat["difficult_terrain"] or plain.has_rule(field.target, "Stoic Defence")


def sponsons_fire(field, fight):
    """Sponsons of the target on the unit that charges it: weakened, no test, losses not counted (AC-8.1, AC-7)."""
    dice = value_of(field.target, "Sponsons")
    if dice == 0:
        return {fight: Fraction(1)}
    blows = strike(
        None,
        dice,
        "weakened",
        field.target,
        fight.target,
        field.active,
        fight.active,
        from_front=True,
        ruleset=field.ruleset,
    )
    chances = defaultdict(Fraction)
    for blow, chance in blows.items():
        chances[fight._replace(active=blow.victim)] += chance
    return chances


def fumes(facts, enemies, unit):
    """A unit in contact with enemies, one of which has Corrosive Fumes (AC-7)."""
    in_fumes = any(plain.has_rule(enemy, "Corrosive Fumes") for enemy in enemies)
    return disorder(facts, unit) if in_fumes and not plain.has_rule(facts, "Automata") else unit


# --- after the blows --------------------------------------------------------------------------------------


def decide(fight):
    """The winner by enemy models destroyed, if no unit was annihilated (AC-8.5)."""
    if fight.winner:
        return fight
    if fight.target_losses > fight.active_losses:
        return fight._replace(winner="active")
    if fight.active_losses > fight.target_losses:
        return fight._replace(winner="target")
    return fight._replace(winner="stalemate")


def withdraw(facts, unit):
    """Withdraw 3", or exit the building: models without room are destroyed (AC-8.5, AC-8.6)."""
    left = max(0, unit.models - facts["withdrawal_without_room"])
    moved = unit._replace(models=left, garrisoned=False, edge_distance=nearer_edge(unit))
    moved, _crushed = crush_passengers(facts, moved)
    return moved if left else removed("destroyed", moved)


def suppression_test(facts, unit, start, riding_start, struck_by, deck):
    """The law of a unit that lost the combat and must test, its passengers too (AC-5.2 to AC-5.4, AC-5.10)."""
    if unit.fate or facts["discipline"] is None:
        return {unit: Fraction(1)}
    law = one_test(facts, unit, start, struck_by, deck)
    if unit.passengers is None:
        return law

    def passengers_test(transport):
        riding = transport.passengers
        if riding.fate or facts["passengers"]["discipline"] is None:
            return {transport: Fraction(1)}
        after = one_test(facts["passengers"], riding, riding_start, struck_by, deck, embarked=True)
        return {transport._replace(passengers=unit): chance for unit, chance in after.items()}

    return then(law, passengers_test)


def one_test(facts, unit, start, struck_by, deck, *, embarked=False):
    """The law of one suppression test (AC-5.1 to AC-5.4; Suppressive, Cryo, Seismic in AC-6)."""
    attack = {**plain.DEFAULT_ATTACK, "qualities": sorted(struck_by)}
    target = as_target(facts, unit, models=start)
    state = plain.Outcome(
        models_left=unit.models,
        models_destroyed=start - unit.models,
        damage=unit.damage,
        suppressed=unit.suppressed,
        disordered=unit.disordered,
        activated=unit.activated,
    )
    fails = plain.chance_to_fail(state, attack, target, deck)
    breaks = facts["break_limit"] is not None and unit.models <= facts["break_limit"]
    if embarked and unit.suppressed and not breaks:
        failed = unit  # there is no way to fall back out of a transport
    else:
        failed = after_failing(facts, unit, plain.fail_test(state, attack, target))
    chances = defaultdict(Fraction)
    for after, chance in ((unit, 1 - fails), (failed, fails)):
        if chance:
            chances[after] += chance
    return chances


def after_failing(facts, unit, outcome):
    """The unit as a failed test leaves it."""
    if outcome.annihilated:
        fate = "broken" if outcome.broken else "fled" if outcome.fled else "destroyed"
        return removed(fate, unit)
    after = unit._replace(
        models=outcome.models_left,
        suppressed=outcome.suppressed,
        disordered=outcome.disordered,
        activated=outcome.activated,
        fell_back=unit.fell_back or outcome.fell_back,
        edge_distance=nearer_edge(unit) if outcome.fell_back else unit.edge_distance,
    )
    return crush_passengers(facts, after)[0]


def nearer_edge(unit):
    """The distance to the own edge 3" later; only falling back flees there (AC-5.4, AC-5.5)."""
    return None if unit.edge_distance is None else max(0, unit.edge_distance - 3)


def inches_back(unit):
    """How far a unit withdraws: 3", but never beyond the table's edge (AC-8.5)."""
    return 3 if unit.edge_distance is None else min(3, unit.edge_distance)


def lose(facts, unit, start, riding_start, struck_by, deck):
    """The loser withdraws and tests; a Static one is annihilated (AC-8.5, AC-7)."""
    if plain.has_rule(facts, "Static"):
        return {removed("static", unit): Fraction(1)}
    return suppression_test(facts, withdraw(facts, unit), start, riding_start, struck_by, deck)


def resolve(field, fight):
    """Winner, withdrawal, test (AC-8.5 to AC-8.7)."""
    over = bool(fight.active.fate or fight.target.fate)
    fight = decide(fight)
    back = fight.target if fight.winner == "active" else fight.active
    fight = fight._replace(won=(*fight.won, fight.winner), apart=0 if over else inches_back(back))
    if over:
        return {fight: Fraction(1)}
    if fight.winner == "stalemate":
        return {fight._replace(active=withdraw(field.active, fight.active)): Fraction(1)}
    if fight.winner == "target":
        return loses(field, fight, "active")
    if not field.again:
        fight = fight._replace(secondaries=secondaries_withdraw(field, fight))
    return loses(field, fight, "target")


def loses(field, fight, side):
    """The law of a fight in which the named side has lost (AC-8.5)."""
    start, riding = getattr(fight, f"{side}_start"), getattr(fight, f"{side}_riding")
    struck_by = getattr(fight, f"{side}_struck_by")
    unit = getattr(fight, side)
    before = unit.fell_back  # in the first combat of an Overrun
    fate = lose(getattr(field, side), unit._replace(fell_back=False), start, riding, struck_by, field.ruleset["deck"])
    chances = defaultdict(Fraction)
    for after, chance in fate.items():
        apart = 0 if after.fate else inches_back(unit) + (3 if after.fell_back else 0)
        fell_back = not after.fate and (before or after.fell_back)
        chances[fight._replace(apart=apart, **{side: after._replace(fell_back=fell_back)})] += chance
    return chances


def secondaries_withdraw(field, fight):
    """Secondary combatants of a losing target withdraw and do not test; what is Static stays (AC-8.7)."""
    return tuple(
        unit if unit.fate or plain.has_rule(facts, "Static") else withdraw(facts, unit)
        for facts, unit in zip(field.secondaries, fight.secondaries, strict=True)
    )


# --- the whole --------------------------------------------------------------------------------------------


def fight_once(field, fight):
    """One combat from its first blow to the loser's test (AC-8.2 to AC-8.8)."""
    if fight.active.fate:  # the sponsons left nobody to fight
        return {fight: Fraction(1)}

    def embarked(unit):
        return unit.passengers.models if unit.passengers else 0

    fight = fight._replace(
        active_losses=0,
        target_losses=0,
        active_start=fight.active.models,
        target_start=fight.target.models,
        active_riding=embarked(fight.active),
        target_riding=embarked(fight.target),
        active_struck_by=frozenset(),
        target_struck_by=frozenset(),
        winner="",
    )
    steps = [active_strikes, others_strike]
    if has_defensive_advantage(field, fight):
        steps.reverse()
    law = {fight: Fraction(1)}
    for step in [*steps, resolve]:
        law = then(law, lambda state, step=step: step(field, state))
    return law


def overrun(field, fight):
    """Once more, with one more penalty, after a win over a target that lives (Overrun in AC-7)."""
    goes_on = (
        plain.has_rule(field.active, "Overrun")
        and field.combat["overrun"]
        and fight.winner == "active"
        and not fight.active.fate
        and not fight.target.fate
    )
    if not goes_on:
        return {fight: Fraction(1)}
    if field.measured and fight.active.edge_distance is not None:
        followed = fight.active.edge_distance + fight.apart
        fight = fight._replace(active=fight.active._replace(edge_distance=followed))
    return fight_once(field._replace(again=True), fight)


def throw(field, fight):
    """A model is thrown at the target, within X": weakened, as many dice as a card's value, no test (Throw in AC-7)."""
    reach = value_of(field.active, "Throw")
    if not reach or not fight.has_destroyed or fight.active.fate or fight.target.fate:
        return {fight: Fraction(1)}
    if field.measured and fight.apart > reach:
        return {fight: Fraction(1)}
    facts, unit = field.target, fight.target
    has_moved = "active" in fight.won  # withdrawn, out of its cover
    target = as_target(facts, unit, from_front=facts["from_front"] and not field.combat["outflanked"]) | {
        "garrisoned": unit.garrisoned,
        "taking_cover": facts["taking_cover"] and plain.has_rule(facts, "Pavises") and not has_moved,
        "obstacle": facts["obstacle"],
        "exposed": None if facts.get("exposed") is None else min(facts["exposed"], unit.models),
    }
    attack = plain.DEFAULT_ATTACK | {"qualities": [], "veteran": value_of(field.active, "Veteran")}
    chances = defaultdict(Fraction)
    for dice, card_chance in plain.card_law(field.ruleset["deck"]).items():
        pool = plain.attack_pool_law(dice, field.ruleset["die"], attack, facts, "weakened")
        for (hits, _blanks), chance in pool.items():
            wounds = plain.wounds_of(hits, attack, target)
            hurt = unit._replace(models=unit.models - wounds.models_destroyed, damage=wounds.damage)
            places = plain.officer_place_law(attack, target)
            for (after, _), place_chance in after_losses(hurt, wounds.models_destroyed, places, facts).items():
                chances[fight._replace(target=after)] += card_chance * chance * place_chance
    return chances


def fight_law(field, active, target, secondaries=()):
    """The law {Fight: chance} of a charge by units in given states."""
    return then(combats_law(field, active, target, secondaries), lambda fight: throw(field, fight))


def combats_law(field, active, target, secondaries=()):
    """The same but for what is thrown at the end of the activation."""
    if plain.has_rule(field.active, "Static"):
        raise ValueError("a Static unit cannot charge (AC-7)")
    if field.target["type"] in {"aircraft", "rotorcraft"}:
        raise ValueError("an aircraft or rotorcraft cannot be charged")
    row_of_charge(field.active)
    start = Fight(
        fumes(
            field.active, [field.target, *field.secondaries], active._replace(activated=True)
        ),  # it is its activation
        fumes(field.target, [field.active], target),
        tuple(fumes(facts, [field.active], unit) for facts, unit in zip(field.secondaries, secondaries, strict=True)),
    )
    law = sponsons_fire(field, start)
    law = then(law, lambda fight: fight_once(field, fight))
    return then(law, lambda fight: overrun(field, fight))


class Outcome(NamedTuple):
    """The end of a charge. `won`: the winner of each combat fought, none if the sponsons left no charger."""

    active: Unit
    target: Unit
    secondaries: tuple[Unit, ...]
    active_losses: int  # of the last combat, as they count for who wins
    target_losses: int
    won: tuple[str, ...]
    active_points: int
    target_points: int


def points(facts, unit):
    """What the opponent scores for a unit and those embarked on it (AC-5.9)."""
    if unit.passengers is None:
        return facts["victory_points"] if unit.fate else 0
    return points(facts, unit._replace(passengers=None)) + points(facts["passengers"], unit.passengers)


def points_of_fight(field, fight):
    """Victory points of the active and of the target's side: annihilations, and Hunter (AC-5.9, AC-7)."""
    wins_active, wins_target = fight.won.count("active"), fight.won.count("target")
    active = points(field.target, fight.target) + wins_active * plain.has_rule(field.active, "Hunter")
    active += sum(points(facts, unit) for facts, unit in zip(field.secondaries, fight.secondaries, strict=True))
    target = points(field.active, fight.active) + wins_target * plain.has_rule(field.target, "Hunter")
    return active, target


def read(scenario):
    """The field of a scenario {"active": ..., "target": ..., "secondaries": [...], "combat": ..., "ruleset": ...}."""
    ruleset = plain.with_defaults(scenario.get("ruleset", {}), plain.DEFAULT_RULESET, "ruleset")
    deck = {int(value): copies for value, copies in ruleset["deck"].items() if copies}
    return Field(
        read_unit(scenario["active"]),
        read_unit(scenario["target"]),
        [read_unit(facts) for facts in scenario.get("secondaries", [])],
        plain.with_defaults(scenario.get("combat", {}), DEFAULT_COMBAT, "combat"),
        {"die": ruleset["die"], "deck": deck},
    )


def law(scenario):
    """The joint law {Outcome: chance} of a charge; the chances are fractions and sum to 1."""
    field = read(scenario)
    fights = fight_law(
        field,
        unit_of(field.active),
        unit_of(field.target),
        [unit_of(facts) for facts in field.secondaries],
    )
    chances = defaultdict(Fraction)
    for fight, chance in fights.items():
        outcome = Outcome(
            fight.active,
            fight.target,
            fight.secondaries,
            fight.active_losses,
            fight.target_losses,
            fight.won,
            *points_of_fight(field, fight),
        )
        chances[outcome] += chance
    return {outcome: chance for outcome, chance in chances.items() if chance}
