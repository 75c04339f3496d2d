"""Ranged attacks in a duel, plainly read: which rows fire, and what an attack leaves behind."""

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

from tests.oracle import plain_aftermath as aftermath
from tests.oracle import plain_focus_fire as focus
from tests.oracle import plain_reading as plain
from tests.oracle.plain_duel_state import OTHER, Duel, Side, change, is_over, moves, unit_of
from tests.oracle.plain_laws import certainly, marginal, then
from tests.oracle.plain_strikes import dice_of_row, suffer_blanks
from tests.oracle.plain_units import Unit, value_of


def rows_in_range(field, duel, side, *, opportunity=False, moved=False):
    """The ranged rows that may be fired at the enemy, as they stand on the card (AC-4.1, AC-6)."""
    category = getattr(field, OTHER[side])["category"]
    found = []
    for row in getattr(field, side)["rows"]:
        if row["kind"] != "ranged" or category not in row["against"]:
            continue
        if "Reactive" in row["qualities"] and not opportunity:
            continue
        if "Move or Fire" in row["qualities"] and moved:
            continue
        if duel.distance is not None and not fits(row, duel.distance):
            continue
        found.append(row)
    return found


def fits(row, distance):
    """Whether a row reaches so far; Indirect not within short range (AC-4.1, AC-6)."""
    too_near = "Indirect" in row["qualities"] and is_short(row, distance)
    return distance <= row["long_range"] and not too_near


def is_short(row, distance):
    """Whether so many inches are within short range (AC-4.1); unknown inches are not."""
    return distance is not None and row.get("short_range") is not None and distance <= row["short_range"]


def must_reload(row, duel, side):
    """Whether a row cannot be fired before the unit re-arms (AC-6 Slow to Fire)."""
    return "Slow to Fire" in row["qualities"] and getattr(duel, side).reloading


def dice_of(row, facts, unit, enemy, *, short):
    """Attack dice; a garrison counts half of its models; Point Blank (AC-2.3, AC-4.4, AC-6)."""
    if short and "Point Blank" in row["qualities"]:
        bands = [{**band, "dice": band.get("special", band["dice"])} for band in row["bands"]]
        row = {**row, "bands": bands}
    return dice_of_row(row, facts, unit, enemy, half=unit.garrisoned)


def has_dice(field, duel, side, row):
    """Whether the grid gives a row attack dice as things are (AC-2.4)."""
    facts, enemy, unit = getattr(field, side), getattr(field, OTHER[side]), unit_of(duel, side)
    return dice_of(row, facts, unit, enemy, short=counts_as_short(field, duel, side, row)) > 0


def counts_as_short(field, duel, side, row):
    """Whether the enemy is at short range; where no distance is known, it is for who goes for that by its policy."""
    if duel.distance is None:
        return getattr(field, f"policy_{side}") == "short_range" and row.get("short_range") is not None
    return is_short(row, duel.distance)


def target_facts(facts, side):
    shared = {key: facts[key] for key in plain.DEFAULT_TARGET.keys() & facts.keys()}
    return {
        **plain.DEFAULT_TARGET,
        **shared,
        **{name: getattr(side.unit, name) for name in focus.STATE if name != "taking_cover"},
        "taking_cover": side.taking_cover,
        "exposed": None if facts["exposed"] is None else min(facts["exposed"], side.unit.models),
    }


class Volley(NamedTuple):
    """A ranged attack that is made: what `plain_reading` knows of it, and what its dice come to."""

    attack: dict
    now: dict  # the target
    table: focus.Table
    duel: Duel  # from now on
    rolls: list  # of (hits, the law of the unit that shoots, its deck, chance)


def volley_of(
    field, duel, side, row, *, aiming=False, short=None, opportunity=False, overcharge=False, reforming=False
):
    """A ranged attack with a row (AC-4), or None: an attack of no dice is none."""
    enemy_side = OTHER[side]
    facts, enemy = getattr(field, side), getattr(field, enemy_side)
    me, you = getattr(duel, side), getattr(duel, enemy_side)
    if short is None:
        short = counts_as_short(field, duel, side, row)
    dice = dice_of(row, facts, me.unit, enemy, short=short)
    if dice == 0:
        return None
    attack = {
        **plain.DEFAULT_ATTACK,
        "dice": dice,
        "bonuses": ["aiming"] * aiming + ["short_range"] * bool(short) + ["ammo_supply"] * facts["ammo_supply"],
        "penalties": ["suppressed"] * me.unit.suppressed + ["reforming"] * reforming,
        "qualities": row["qualities"],
        "veteran": value_of(facts, "Veteran"),
        "extra_reroll": facts["extra_reroll"],
        "opportunity_fire": opportunity,
        "overcharge": overcharge,
        "concealed": enemy["concealed"],
        "carriages": facts["carriages"] if "Full Steam Ahead" in row["qualities"] else 0,
    }
    now = target_facts(enemy, you)
    if "Slow to Fire" in row["qualities"]:
        duel = change(duel, side, reloading=True)
    table = focus.Table(
        focus.target_at_start(now),
        target_deck=getattr(duel, f"deck_{enemy_side}"),
        attackers_deck=getattr(duel, f"deck_{side}"),
    )
    chances = defaultdict(Fraction)  # blanks count with an Overcharge alone
    for number, dice_chance, my_deck in focus.dice_draws(
        attack, table.attackers_deck, field.deck, replacement=field.replacement
    ):
        for (hits, blanks), hit_chance in plain.attack_pool_law(number, field.die, attack, now).items():
            chances[hits, blanks if overcharge else 0, my_deck] += dice_chance * hit_chance
    rolls = [(hits, suffer_blanks(blanks, facts, me.unit), deck, p) for (hits, blanks, deck), p in chances.items()]
    return Volley(attack, now, table, duel, rolls)


def shoot_row(field, duel, side, row, **how):
    volley = volley_of(field, duel, side, row, **how)
    if volley is None:
        return certainly(duel)
    attack, now, table, duel, rolls = volley
    enemy_side, chances = OTHER[side], defaultdict(Fraction)
    for hits, own, my_deck, roll_chance in rolls:
        for target, test_chance, deck in focus.target_draws(
            hits, attack, now, table, field.deck, replacement=field.replacement
        ):
            after = struck(duel, enemy_side, target)
            after = after._replace(**{f"deck_{side}": my_deck, f"deck_{enemy_side}": deck})
            for unit, own_chance in own.items():
                chances[change(after, side, unit=unit)] += roll_chance * test_chance * own_chance
    return then(chances, lambda after: after_shot(field, after, side, row))


def after_shot(field, duel, side, row):
    law = after_siege(field, duel, OTHER[side], row["qualities"])
    if duel.distance is not None:
        law = then(law, lambda after: after_demise(field, after, duel.distance))
    return then(law, lambda after: answered(field, after, side))


def answered(field, duel, side):
    """The law of a duel when an aerial unit has shot at a Tail Gunner, and both are still there (AC-7)."""
    facts, gunner = getattr(field, side), getattr(field, OTHER[side])
    if is_over(duel) or facts["category"] != "aerial" or not value_of(gunner, "Tail Gunner"):
        return certainly(duel)
    ruleset = {"die": field.die, "deck": dict(field.deck)}

    def shot_back(unit):
        after = suffered(field, duel, side, unit)
        if duel.distance is None:
            return certainly(after)
        away = duel.distance + (3 if unit.fell_back and not unit.fate else 0)
        return after_demise(field, after._replace(distance=away), duel.distance)

    return then(aftermath.tail_gunner(gunner, facts, unit_of(duel, side), ruleset), shot_back)


def after_demise(field, duel, inches):
    """The law of a duel after an attack from so far away, if it left one unit only (Spectacular Demise in AC-7)."""
    gone = [side for side in "ab" if unit_of(duel, side).fate == "destroyed"]
    if len(gone) != 1 or not value_of(getattr(field, gone[0]), "Spectacular Demise"):
        return certainly(duel)
    (side,) = gone
    other = OTHER[side]
    if unit_of(duel, other).fate:
        return certainly(duel)
    ruleset = {"die": field.die, "deck": dict(field.deck)}
    both = getattr(field, side), getattr(field, other)
    law = aftermath.spectacular_demise(*both, unit_of(duel, other), inches, ruleset)
    return marginal(law, lambda unit: suffered(field, duel, other, unit))


def suffered(field, duel, side, unit):
    """The duel with a unit as it is after a blast, or a shot of a Tail Gunner."""
    if unit.fate:
        return duel._replace(**{side: Side(unit)})
    after = change(duel, side, unit=unit)
    return change(moves(field, after, side), side, fell_back=False, garrisoned=False) if unit.fell_back else after


def after_siege(field, duel, side, qualities):
    """The law of a duel whose unit was attacked: a wrecked building must be left (Siegebreaker in AC-6)."""
    unit = unit_of(duel, side)
    if "Siegebreaker" not in qualities or unit.fate or not unit.garrisoned:
        return certainly(duel)
    return focus.wrecked(field.die, change(moves(field, duel, side), side, garrisoned=False), duel)


def struck(duel, side, target):
    """The duel with the target of an attack as the attack left it; a unit that falls back is 3" further away."""
    if target.fate:
        return duel._replace(**{side: Side(Unit(0, fate=target.fate))})
    unit = target._replace(taking_cover=False, fell_back=False)
    duel = change(duel, side, unit=unit, taking_cover=target.taking_cover)
    if target.fell_back:
        duel = moves(None, duel, side)
        if duel.distance is not None:
            duel = duel._replace(distance=duel.distance + 3)
    return duel
