"""A slow, plain reading of one close quarters combat, for the tests to compare the engines with.

Written from AC-8 (and AC-3, AC-5 to AC-7 where they touch it) alone: a unit is a plain table of facts and a small
state, a fight is the two (or more) of them, and every step turns one fight into a law {fight: chance} in fractions.
Shares the dice, the damage and the suppression test with `plain_reading`, and nothing with the package.
"""

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

from tests.oracle import plain_reading as plain
from tests.oracle.plain_after_blows import Field, Fight, resolve
from tests.oracle.plain_laws import certainly, marginal, then
from tests.oracle.plain_strikes import after_losses, dice_of_row, rating_of, strike
from tests.oracle.plain_units import DEFAULT_COMBAT, Unit, as_target, disorder, read_unit, unit_of, value_of


def row_of_charge(facts):
    """The row with which a unit charges: melee or impact (AC-8.1)."""
    rows = facts["rows"] if facts["row"] is None else [facts["rows"][facts["row"]]]
    return next(row for row in rows if row["kind"] in {"melee", "impact"})


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
    penalties = [fight.active.suppressed, field.combat["threatened"] or touched_by_others, field.again]
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
        return certainly(fight)
    row = row_of_charge(field.active)
    storming = fight.target.garrisoned
    dice = dice_of_row(row, field.active, fight.active, field.target, half=storming)
    if dice == 0:
        return certainly(fight)
    both, rating = ((field.active, fight.active), (field.target, fight.target)), active_rating(field, fight, row)
    from_front = field.target["from_front"] and (field.again or not field.combat["outflanked"])
    blows = strike(row, dice, rating, *both, field.ruleset, from_front=from_front)

    def after(blow):
        struck = fight._replace(
            active=blow.striker,
            target=blow.victim,
            target_losses=fight.target_losses + blow.destroyed,
            target_struck_by=fight.target_struck_by | frozenset(row["qualities"]),
            has_destroyed=fight.has_destroyed or blow.destroyed > 0,
            winner="active" if blow.victim.fate else "target" if blow.striker.fate else "",
        )
        return own_blanks_forgotten(struck, "active", fight.active)

    return marginal(blows, after)


def embarked(unit):
    return unit.passengers.models if unit.passengers else 0


def own_blanks_forgotten(fight, side, before):
    """The fight as its tests see it: what Overcharge cost the striker counts for no test (AC-6, AC-5.2)."""
    after = getattr(fight, side)
    start, riding = getattr(fight, f"{side}_start"), getattr(fight, f"{side}_riding")
    start, riding = start - before.models + after.models, riding - embarked(before) + embarked(after)
    return fight._replace(**{f"{side}_start": start, f"{side}_riding": riding})


def target_strikes(field, fight):
    """The target's attack, from a building with half of its models (AC-8.3, AC-8.6)."""
    row = row_of_retaliation(field.target)
    if fight.winner or row is None:
        return certainly(fight)
    dice = dice_of_row(row, field.target, fight.target, field.active, half=fight.target.garrisoned)
    if dice == 0:
        return certainly(fight)
    both, rating = ((field.target, fight.target), (field.active, fight.active)), target_rating(field, fight)
    blows = strike(row, dice, rating, *both, field.ruleset, from_front=True)  # a charge ends with the enemy in front

    def after(blow):
        struck = fight._replace(
            active=blow.victim,
            target=blow.striker,
            active_losses=fight.active_losses + blow.destroyed,
            active_struck_by=fight.active_struck_by | frozenset(row["qualities"]),
            winner="target" if blow.victim.fate else "active" if blow.striker.fate else "",
            by_its_own_blanks=bool(blow.striker.fate),
        )
        return own_blanks_forgotten(struck, "target", fight.target)

    return marginal(blows, after)


def secondary_strikes(field, place, fight):
    """A secondary combatant's attack on the active unit, at the same time as the target's (AC-8.7)."""
    facts, unit = field.secondaries[place], fight.secondaries[place]
    row = row_of_retaliation(facts)
    over = fight.winner and not fight.by_its_own_blanks
    if over or fight.active.fate or row is None:
        return certainly(fight)
    dice = dice_of_row(row, facts, unit, field.active, half=False)
    if dice == 0:
        return certainly(fight)
    rating = secondary_rating(field, facts, unit)
    blows = strike(row, dice, rating, (facts, unit), (field.active, fight.active), field.ruleset)

    def after(blow):
        return fight._replace(
            active=blow.victim,
            secondaries=(*fight.secondaries[:place], blow.striker, *fight.secondaries[place + 1 :]),
            active_losses=fight.active_losses + blow.destroyed,
            active_struck_by=fight.active_struck_by | frozenset(row["qualities"]),
            winner="target" if blow.victim.fate else fight.winner,
        )

    return marginal(blows, after)


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
        return certainly(fight)
    both = (field.target, fight.target), (field.active, fight.active)
    blows = strike(None, dice, "weakened", *both, field.ruleset, from_front=True)
    return marginal(blows, lambda blow: fight._replace(active=blow.victim))


def fumes(facts, enemies, unit):
    """A unit in contact with enemies, one of which has Corrosive Fumes (AC-7)."""
    in_fumes = any(plain.has_rule(enemy, "Corrosive Fumes") for enemy in enemies)
    return disorder(facts, unit) if in_fumes and not plain.has_rule(facts, "Automata") else unit


def opened(fight):
    """The fight as a combat begins: nobody has lost anything in it."""
    for side in ("active", "target"):
        unit = getattr(fight, side)
        begun = {"losses": 0, "start": unit.models, "riding": embarked(unit), "struck_by": frozenset()}
        fight = fight._replace(**{f"{side}_{name}": value for name, value in begun.items()})
    return fight._replace(winner="")


def blows_of(field, fight):
    steps = [active_strikes, others_strike]
    return steps[::-1] if has_defensive_advantage(field, fight) else steps


def fight_once(field, fight):
    """One combat from its first blow to the loser's test (AC-8.2 to AC-8.8)."""
    if fight.active.fate:  # the sponsons left nobody to fight
        return certainly(fight)
    fight = opened(fight)
    law = certainly(fight)
    for step in [*blows_of(field, fight), resolve]:
        law = then(law, lambda state, step=step: step(field, state))
    return law


def can_overrun(field, fight):
    """Whether a unit may strike once more: it has won, and the target lives (Overrun in AC-7)."""
    return (
        plain.has_rule(field.active, "Overrun")
        and field.combat["overrun"]
        and fight.winner == "active"
        and not fight.active.fate
        and not fight.target.fate
    )


def overrun(field, fight):
    """Once more, with one more penalty, after a win over a target that lives (Overrun in AC-7)."""
    if not can_overrun(field, fight):
        return certainly(fight)
    return fight_once(field._replace(again=True), followed_up(field, fight))


def followed_up(field, fight):
    """The fight where the winner has followed its enemy, away from its edge (Overrun in AC-7)."""
    if field.measured and fight.active.edge_distance is not None:
        followed = fight.active.edge_distance + fight.apart
        fight = fight._replace(active=fight.active._replace(edge_distance=followed))
    return fight


def throw(field, fight):
    """A model is thrown at the target, within X": weakened, as many dice as a card's value, no test (Throw in AC-7)."""
    reach = value_of(field.active, "Throw")
    if not reach or not fight.has_destroyed or fight.active.fate or fight.target.fate:
        return certainly(fight)
    if field.measured and fight.apart > reach:
        return certainly(fight)
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
    return then(first_combat_law(field, active, target, secondaries), lambda fight: overrun(field, fight))


def first_combat_law(field, active, target, secondaries=()):
    """The same before a unit with Overrun goes on."""
    return then(approach(field, active, target, secondaries), lambda fight: fight_once(field, fight))


def approach(field, active, target, secondaries=()):
    """The law of the fight in which all are in contact, and the target's Sponsons have fired."""
    active = fumes(field.active, [field.target, *field.secondaries], active._replace(activated=True))
    others = (fumes(facts, [field.active], unit) for facts, unit in zip(field.secondaries, secondaries, strict=True))
    return sponsons_fire(field, Fight(active, fumes(field.target, [field.active], target), tuple(others)))


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
    fights = fight_law(field, unit_of(field.active), unit_of(field.target), list(map(unit_of, field.secondaries)))
    return marginal(fights, lambda fight: Outcome(*fight[:5], fight.won, *points_of_fight(field, fight)))
