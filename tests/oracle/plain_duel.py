"""A slow, plain reading of a duel (AC-9.2), for the tests to compare the engines with: rounds of activations in turn.

A ranged attack is read by `plain_reading`, a charge by `plain_close_quarters`; what is new here is the course of an
activation: statuses that end, rally test, opportunity fire, manoeuvre and attack by policy, reloading, and who goes
when. Every step turns one duel into a law {duel: chance} in fractions; equal duels become one. For few models.
"""

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

from tests.oracle import plain_aftermath as aftermath
from tests.oracle import plain_close_quarters as cq
from tests.oracle import plain_focus_fire as focus
from tests.oracle import plain_reading as plain
from tests.oracle.plain_decks import deck_of, draws

DEFAULT_SIDE = {
    **cq.DEFAULT_UNIT,
    "speed": None,
    "on_lookout": False,
    "taking_cover": False,
    "reloading": False,
    "concealed": False,  # to the enemy's ranged attacks
    "obstacle": False,
    "ammo_supply": False,
    "exposed": None,  # models that ranged attacks on it prioritise
    "charge": {},  # the circumstances of this unit's charges: outflanked, supported, ...
}
DEFAULT_DUEL = {
    "a": None,
    "b": None,
    "policy_a": "shoot",
    "policy_b": "shoot",
    "rounds": 6,
    "first": "a",
    "distance": None,
    "replacement": True,
    "ruleset": {},
}
OTHER = {"a": "b", "b": "a"}


class Side(NamedTuple):
    """One unit between two activations."""

    unit: cq.Unit
    on_lookout: bool = False
    taking_cover: bool = False
    reloading: bool = False


class Duel(NamedTuple):
    """The state of a duel. `hunted` are the points of Hunter; those of annihilations follow from the units' fates."""

    a: Side
    b: Side
    distance: Fraction | int | None = None
    deck_a: tuple = ()
    deck_b: tuple = ()
    hunted_a: int = 0
    hunted_b: int = 0


class Field(NamedTuple):
    """What a duel does not change."""

    a: dict
    b: dict
    policy_a: str
    policy_b: str
    die: dict
    deck: tuple
    replacement: bool


class Turn(NamedTuple):
    """What an activation knows besides the duel."""

    side: str
    duel: Duel
    was_suppressed: bool
    was_disordered: bool
    rallied: bool = True
    charged: bool = False


def then(law, step):
    """The law of a step taken after a law."""
    chances = defaultdict(Fraction)
    for state, chance in law.items():
        for after, step_chance in step(state).items():
            chances[after] += chance * step_chance
    return dict(chances)


def certainly(state):
    """The law of what is certain."""
    return {state: Fraction(1)}


def change(duel, side, **what):
    """A duel with one side changed: its unit's facts or its own statuses."""
    now = getattr(duel, side)
    own = {key: value for key, value in what.items() if key in Side._fields}
    of_unit = {key: value for key, value in what.items() if key not in Side._fields}
    if of_unit:
        own["unit"] = own.get("unit", now.unit)._replace(**of_unit)
    return duel._replace(**{side: now._replace(**own)})


def unit_of(duel, side):
    """The unit of a side."""
    return getattr(duel, side).unit


def is_over(duel):
    """Whether a unit is annihilated, broken or fled (AC-9.2)."""
    return bool(duel.a.unit.fate or duel.b.unit.fate)


# --- movement ---------------------------------------------------------------------------------------------


def moves(field, duel, side):
    """What a unit loses by moving: taking cover, on lookout."""
    return change(duel, side, taking_cover=False, on_lookout=False)


def advance(field, duel, side, inches):
    """Move so many inches towards the enemy, away from the own edge; not without a distance, not in a building."""
    if duel.distance is None or unit_of(duel, side).garrisoned:
        return duel
    inches = min(inches, max(0, duel.distance - 1))
    if inches == 0:
        return duel
    edge = unit_of(duel, side).edge_distance
    duel = moves(field, duel._replace(distance=duel.distance - inches), side)
    return in_fumes(field, change(duel, side, edge_distance=None if edge is None else edge + inches))


def in_fumes(field, duel):
    """Both units where they stand: within X" of Corrosive Fumes (X) they are disordered (AC-7)."""
    if duel.distance is None or is_over(duel):
        return duel
    for side in "ab":
        facts, enemy = getattr(field, side), getattr(field, OTHER[side])
        near = plain.has_rule(enemy, "Corrosive Fumes") and duel.distance <= cq.value_of(enemy, "Corrosive Fumes")
        if near and not facts["near_commander"] and not plain.has_rule(facts, "Automata"):
            duel = change(duel, side, disordered=True)
    return duel


def speed(field, side):
    """SPEED in inches."""
    return getattr(field, side)["speed"] or 0


def can_aim(turn):
    """Whether the unit has its movement step, and is not in a building: all it could do there is to exit."""
    return turn.rallied and not unit_of(turn.duel, turn.side).garrisoned


# --- rows -------------------------------------------------------------------------------------------------


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


# --- a ranged attack --------------------------------------------------------------------------------------


def dice_of(row, facts, unit, enemy, *, short):
    """Attack dice; a garrison counts half of its models; Point Blank (AC-2.3, AC-4.4, AC-6)."""
    if short and "Point Blank" in row["qualities"]:
        bands = [{**band, "dice": band.get("special", band["dice"])} for band in row["bands"]]
        row = {**row, "bands": bands}
    return cq.dice_of_row(row, facts, unit, enemy, half=unit.garrisoned)


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
    """A side as `plain_reading` knows a target."""
    shared = {key: facts[key] for key in plain.DEFAULT_TARGET.keys() & facts.keys()}
    return {
        **plain.DEFAULT_TARGET,
        **shared,
        "models": side.unit.models,
        "damage": side.unit.damage,
        "suppressed": side.unit.suppressed,
        "disordered": side.unit.disordered,
        "activated": side.unit.activated,
        "garrisoned": side.unit.garrisoned,
        "edge_distance": side.unit.edge_distance,
        "taking_cover": side.taking_cover,
        "exposed": None if facts["exposed"] is None else min(facts["exposed"], side.unit.models),
    }


def shoot_row(field, duel, side, row, *, aiming=False, short=None, opportunity=False, overcharge=False):
    """The law of the duel after one ranged attack with a row (AC-4); an attack of no dice is none."""
    enemy_side = OTHER[side]
    facts, enemy = getattr(field, side), getattr(field, enemy_side)
    me, you = getattr(duel, side), getattr(duel, enemy_side)
    if short is None:
        short = counts_as_short(field, duel, side, row)
    dice = dice_of(row, facts, me.unit, enemy, short=short)
    if dice == 0:
        return certainly(duel)
    attack = {
        **plain.DEFAULT_ATTACK,
        "dice": dice,
        "bonuses": [
            name
            for name, holds in [("aiming", aiming), ("short_range", short), ("ammo_supply", facts["ammo_supply"])]
            if holds
        ],
        "penalties": ["suppressed"] if me.unit.suppressed else [],
        "qualities": row["qualities"],
        "veteran": cq.value_of(facts, "Veteran"),
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
        focus.Target(
            models=you.unit.models,
            damage=you.unit.damage,
            suppressed=you.unit.suppressed,
            disordered=you.unit.disordered,
            activated=you.unit.activated,
            taking_cover=you.taking_cover,
            garrisoned=you.unit.garrisoned,
            edge_distance=you.unit.edge_distance,
        ),
        target_deck=getattr(duel, f"deck_{enemy_side}"),
        attackers_deck=getattr(duel, f"deck_{side}"),
    )
    chances = defaultdict(Fraction)
    for number, dice_chance, my_deck in focus.dice_draws(
        attack, table.attackers_deck, field.deck, replacement=field.replacement
    ):
        for (hits, blanks), hit_chance in plain.attack_pool_law(number, field.die, attack, now).items():
            own = cq.suffer_blanks(blanks if overcharge else 0, facts, me.unit)
            for target, test_chance, deck in focus.target_draws(
                hits, attack, now, table, field.deck, replacement=field.replacement
            ):
                after = struck(duel, enemy_side, target)
                after = after._replace(**{f"deck_{side}": my_deck, f"deck_{enemy_side}": deck})
                for unit, own_chance in own.items():
                    ended = change(after, side, unit=unit)
                    chances[ended] += dice_chance * hit_chance * test_chance * own_chance
    law = then(chances, lambda after: after_siege(field, after, enemy_side, row["qualities"]))
    if duel.distance is not None:
        law = then(law, lambda after: after_demise(field, after, duel.distance))
    return then(law, lambda after: answered(field, after, side))


def answered(field, duel, side):
    """The law of a duel when an aerial unit has shot at a Tail Gunner, and both are still there (AC-7)."""
    facts, gunner = getattr(field, side), getattr(field, OTHER[side])
    if is_over(duel) or facts["category"] != "aerial" or not cq.value_of(gunner, "Tail Gunner"):
        return certainly(duel)
    ruleset = {"die": field.die, "deck": dict(field.deck)}
    chances = defaultdict(Fraction)
    for unit, chance in aftermath.tail_gunner(gunner, facts, unit_of(duel, side), ruleset).items():
        if unit.fate:
            after = duel._replace(**{side: Side(unit)})
        else:
            after = change(duel, side, unit=unit._replace(fell_back=False))
            if unit.fell_back:
                away = None if duel.distance is None else duel.distance + 3
                after = change(moves(field, after, side), side, garrisoned=False)._replace(distance=away)
        law = certainly(after) if duel.distance is None else after_demise(field, after, duel.distance)
        for ended, more in law.items():
            chances[ended] += chance * more
    return dict(chances)


def after_demise(field, duel, inches):
    """The law of a duel after an attack from so far away, if it left one unit only (Spectacular Demise in AC-7)."""
    gone = [side for side in "ab" if unit_of(duel, side).fate in {"destroyed", "no room"}]
    if len(gone) != 1 or not cq.value_of(getattr(field, gone[0]), "Spectacular Demise"):
        return certainly(duel)
    (side,) = gone
    other = OTHER[side]
    if unit_of(duel, other).fate:
        return certainly(duel)
    ruleset = {"die": field.die, "deck": dict(field.deck)}
    law = aftermath.spectacular_demise(
        getattr(field, side), getattr(field, other), unit_of(duel, other), inches, ruleset
    )
    chances = defaultdict(Fraction)
    for unit, chance in law.items():
        after = duel._replace(**{other: Side(unit)}) if unit.fate else change(duel, other, unit=unit)
        if unit.fell_back and not unit.fate:
            after = change(moves(field, after, other), other, fell_back=False, garrisoned=False)
        chances[after] += chance
    return dict(chances)


def after_siege(field, duel, side, qualities):
    """The law of a duel whose unit was attacked: a wrecked building must be left (Siegebreaker in AC-6)."""
    unit = unit_of(duel, side)
    if "Siegebreaker" not in qualities or unit.fate or not unit.garrisoned:
        return certainly(duel)
    wrecked = Fraction(field.die.get("heroic", 0) + field.die.get("strike", 0), sum(field.die.values()))
    out = change(moves(field, duel, side), side, garrisoned=False)
    return {after: chance for after, chance in ((out, wrecked), (duel, 1 - wrecked)) if chance}


def struck(duel, side, target):
    """The duel with the target of an attack as the attack left it; a unit that falls back is 3" further away."""
    now = getattr(duel, side)
    if target.fate:
        return duel._replace(**{side: Side(cq.Unit(0, fate=target.fate))})
    unit = now.unit._replace(
        models=target.models,
        damage=target.damage,
        suppressed=target.suppressed,
        disordered=target.disordered,
        activated=target.activated,
        garrisoned=target.garrisoned,
        edge_distance=target.edge_distance,
    )
    duel = change(duel, side, unit=unit, taking_cover=target.taking_cover)
    if target.fell_back:
        duel = moves(None, duel, side)
        if duel.distance is not None:
            duel = duel._replace(distance=duel.distance + 3)
    return duel


# --- policies: (field, turn) -> law of duels ----------------------------------------------------------------


def is_empty(field, duel, side, *, opportunity=False):
    """Whether the row that the unit would fire must be reloaded, in range or not."""
    rows = rows_in_range(field, duel._replace(distance=None), side, opportunity=opportunity)
    return bool(rows) and must_reload(rows[0], duel, side)


def re_arm(duel, side):
    """The special action that ends reloading."""
    return certainly(change(duel, side, reloading=False))


def fire_first(field, duel, side, *, aiming, moved=False, short=None, overcharge=False):
    """Fire the first row that reaches, or re-arm if that row is empty."""
    if is_empty(field, duel, side):
        return re_arm(duel, side)
    rows = rows_in_range(field, duel, side, moved=moved)
    if not rows:
        return certainly(duel)
    short = short and rows[0].get("short_range") is not None
    return shoot_row(field, duel, side, rows[0], aiming=aiming, short=short, overcharge=overcharge)


def shoot(field, turn, *, overcharge=False):
    """Aim and shoot; out of range advance, and shoot if then in range."""
    duel, side = turn.duel, turn.side
    if rows_in_range(field, duel, side):
        return fire_first(field, duel, side, aiming=can_aim(turn), overcharge=overcharge)
    duel = advance(field, duel, side, speed(field, side))
    if not turn.rallied:
        return certainly(duel)
    return fire_first(field, duel, side, aiming=False, moved=True, overcharge=overcharge)


def shoot_overcharged(field, turn):
    """Aim and shoot, Overcharge always on."""
    return shoot(field, turn, overcharge=True)


def short_range(field, turn):
    """Advance to short range, and shoot; there, without a need to move, aim and shoot."""
    duel, side = turn.duel, turn.side
    if duel.distance is None:
        return fire_first(field, duel, side, aiming=can_aim(turn), short=True)
    if not turn.rallied and rows_in_range(field, duel, side):
        return fire_first(field, duel, side, aiming=False)
    nearer = advance(field, duel, side, min(speed(field, side), inches_to_short(field, duel, side)))
    if not turn.rallied:
        return certainly(nearer)
    moved = nearer.distance != duel.distance
    return fire_first(field, nearer, side, aiming=can_aim(turn) and not moved, moved=moved)


def inches_to_short(field, duel, side):
    """How far the first row that matches is from its short range, or its long range if it has no short one."""
    row = rows_in_range(field, duel._replace(distance=None), side)[0]
    wanted = row["long_range"] if row.get("short_range") is None else row["short_range"]
    return max(0, duel.distance - wanted)


def charge(field, turn):
    """Close in at double time, and charge from within twice SPEED.

    After a failed rally test neither can be (AC-5.6): it shoots, not aiming, with what reaches, or else advances.
    """
    duel, side = turn.duel, turn.side
    if not turn.rallied:
        if rows_in_range(field, duel, side):
            return fire_first(field, duel, side, aiming=False)
        return certainly(advance(field, duel, side, speed(field, side)))
    if unit_of(duel, side).garrisoned:
        return certainly(duel)
    if duel.distance is not None and duel.distance > 2 * speed(field, side):
        return certainly(advance(field, duel, side, 2 * speed(field, side)))
    return close_quarters(field, duel, side)


def close_quarters(field, duel, side):
    """The law of the duel after a charge (AC-8)."""
    if not field.replacement:
        raise ValueError("the plain reading knows charges with replacement only")
    enemy_side = OTHER[side]
    facts, enemy = getattr(field, side), getattr(field, enemy_side)
    combat = plain.with_defaults(facts["charge"], cq.DEFAULT_COMBAT, "charge")
    measured = duel.distance is not None
    ground = cq.Field(facts, enemy, [], combat, {"die": field.die, "deck": dict(field.deck)}, measured=measured)
    inches = duel.distance or 0
    duel = in_contact(field, moves(field, duel, side), enemy_side)
    me, you = unit_of(duel, side), unit_of(duel, enemy_side)
    if me.edge_distance is not None:
        me = me._replace(edge_distance=me.edge_distance + inches)
    chances = defaultdict(Fraction)
    for fight, chance in cq.combats_law(ground, me, you).items():
        ended = after_combat(field, duel, side, fight)
        wins = {side: fight.won.count("active"), enemy_side: fight.won.count("target")}
        for which, number in wins.items():
            if plain.has_rule(getattr(field, which), "Hunter"):
                name = f"hunted_{which}"
                ended = ended._replace(**{name: getattr(ended, name) + number})
        law = after_siege(field, ended, enemy_side, fight.target_struck_by)
        law = then(law, lambda duel: after_demise(field, duel, 0))
        for after, more in law.items():
            for thrown, throw_chance in after_throw(field, ground, after, enemy_side, fight).items():
                chances[thrown] += chance * more * throw_chance
    return dict(chances)


def after_throw(field, ground, duel, side, fight):
    """The law of the duel when the enemy of this side may have thrown at it (Throw in AC-7)."""
    if is_over(duel):
        return certainly(duel)
    now = getattr(duel, side)
    ground = ground._replace(target=ground.target | {"taking_cover": now.taking_cover})
    law = cq.throw(ground, fight._replace(target=now.unit))
    law = {
        duel._replace(**{side: Side(unit) if unit.fate else now._replace(unit=unit)}): chance
        for unit, chance in ((end.target, chance) for end, chance in law.items())
    }
    return then(law, lambda after: after_demise(field, after, fight.apart)) if ground.measured else law


def in_contact(field, duel, side):
    """Contact ends on lookout and taking cover; Pavises lose their cover only by moving (AC-7)."""
    keeps = plain.has_rule(getattr(field, side), "Pavises") and getattr(duel, side).taking_cover
    return change(duel, side, on_lookout=False, taking_cover=keeps)


def after_combat(field, duel, side, fight):
    """The duel with both units as the combat left them, and as far apart."""
    enemy_side = OTHER[side]
    for which, unit in ((side, fight.active), (enemy_side, fight.target)):
        if unit.fate:
            duel = duel._replace(**{which: Side(cq.Unit(0, fate=unit.fate))})
        else:
            duel = change(duel, which, unit=unit._replace(fell_back=False))
    if "active" in fight.won and not fight.target.fate:  # the target withdrew at least once
        duel = moves(field, duel, enemy_side)
    return duel if duel.distance is None else duel._replace(distance=fight.apart)


def lookout(field, turn):
    """Go on lookout, or re-arm what the unit would fire."""
    if is_empty(field, turn.duel, turn.side, opportunity=True):
        return re_arm(turn.duel, turn.side)
    return certainly(change(turn.duel, turn.side, on_lookout=True))


def take_cover(field, turn):
    """Take cover."""
    return certainly(change(turn.duel, turn.side, taking_cover=True))


def all_out(field, turn):
    """Aim, and fire up to X rows, each once (All-Out Attack in AC-7); one row, unaimed, after a failed rally test."""
    duel, side = turn.duel, turn.side
    most = cq.value_of(getattr(field, side), "All-Out Attack") if turn.rallied else 1
    main = rows_in_range(field, duel._replace(distance=None), side)[0]
    if duel.distance is None or fits(main, duel.distance):
        return fire_up_to(field, side, duel, most, aiming=can_aim(turn))
    nearer = advance(field, duel, side, speed(field, side))
    if not turn.rallied:
        return certainly(nearer)
    moved = nearer.distance != duel.distance
    return fire_up_to(field, side, nearer, most, aiming=can_aim(turn) and not moved, moved=moved)


def fire_up_to(field, side, duel, most, *, aiming, moved=False):
    """The law of a duel after up to so many rows; re-armed instead if the first of them is empty."""
    if is_empty(field, duel, side):
        return re_arm(duel, side)
    shots = certainly((duel, 0))
    for row in rows_in_range(field, duel._replace(distance=None), side, moved=moved):
        shots = then(shots, lambda state, row=row: fire_one(field, side, most, row, aiming, *state))
    return marginal(shots)


def fire_one(field, side, most, row, aiming, duel, fired):
    """The law of (duel, rows fired) after one more row, if it may be fired."""
    out_of_range = duel.distance is not None and not fits(row, duel.distance)
    if fired == most or is_over(duel) or out_of_range or must_reload(row, duel, side):
        return certainly((duel, fired))
    law = shoot_row(field, duel, side, row, aiming=aiming)
    return {(after, fired + 1): chance for after, chance in law.items()}


def marginal(law):
    """The law of the first of each pair."""
    chances = defaultdict(Fraction)
    for (first, _second), chance in law.items():
        chances[first] += chance
    return dict(chances)


POLICIES = {
    "shoot": shoot,
    "overcharge": shoot_overcharged,
    "short_range": short_range,
    "charge": charge,
    "lookout": lookout,
    "take_cover": take_cover,
    "all_out": all_out,
}


# --- an activation ----------------------------------------------------------------------------------------


def starts(field, duel, side):
    """The activation begins: activated, no longer on lookout or taking cover."""
    keeps = plain.has_rule(getattr(field, side), "Pavises") and getattr(duel, side).taking_cover
    unit = unit_of(duel, side)
    duel = change(duel, side, activated=True, on_lookout=False, taking_cover=keeps)
    return Turn(side, duel, unit.suppressed, unit.disordered)


def rally(field, turn):
    """The rally test of a suppressed unit (AC-5.6)."""
    facts = getattr(field, turn.side)
    if not turn.was_suppressed or facts["discipline"] is None or passes_rally(facts):
        return certainly(turn)
    discipline = facts["discipline"] - turn.was_disordered + facts["chain_of_command"]
    name = f"deck_{turn.side}"
    chances = defaultdict(Fraction)
    for value, chance, rest in draws(getattr(turn.duel, name), field.deck, replacement=field.replacement):
        duel = turn.duel._replace(**{name: rest})
        chances[turn._replace(duel=duel, rallied=value <= discipline)] += chance
    return dict(chances)


def passes_rally(facts):
    """Whether a unit passes rally tests without a card (AC-7)."""
    names = ("Automata", "Irrepressible", "Hot Headed")
    return facts["peer_review"] or any(plain.has_rule(facts, name) for name in names)


def reaction(field, turn):
    """A reaction step: the enemy on lookout fires, and is on lookout no more, if it can (AC-4, AC-9.2)."""
    watcher = OTHER[turn.side]
    if is_over(turn.duel) or not getattr(turn.duel, watcher).on_lookout:
        return certainly(turn)
    rows = rows_in_range(field, turn.duel, watcher, opportunity=True)
    rows = [
        row for row in rows if not must_reload(row, turn.duel, watcher) and has_dice(field, turn.duel, watcher, row)
    ]
    if not rows:
        return certainly(turn)
    duel = change(turn.duel, watcher, on_lookout=False)
    law = shoot_row(field, duel, watcher, rows[0], opportunity=True)
    return {turn._replace(duel=after): chance for after, chance in law.items()}


def acts(field, turn):
    """Manoeuvre and attack by the side's policy, or as a rule makes the unit act."""
    if is_over(turn.duel):
        return certainly(turn)
    name = getattr(field, f"policy_{turn.side}")
    policy = charge_anyway if must_charge(field, turn) else POLICIES[name]
    charged = policy is charge_anyway or (name == "charge" and turn.rallied and can_charge(field, turn))
    return {turn._replace(duel=after, charged=charged): chance for after, chance in policy(field, turn).items()}


def can_charge(field, turn):
    """Whether the enemy may be charged, and is within twice SPEED (AC-8.1)."""
    duel, side = turn.duel, turn.side
    facts, enemy = getattr(field, side), getattr(field, OTHER[side])
    if plain.has_rule(facts, "Static") or enemy["type"] in {"aircraft", "rotorcraft"} or unit_of(duel, side).garrisoned:
        return False
    if not any(row["kind"] in {"melee", "impact"} for row in facts["rows"]):
        return False
    return duel.distance is None or duel.distance <= 2 * speed(field, side)


def must_charge(field, turn):
    """Whether the unit charges whatever its policy: Berserk after a failed rally test, Run Amok else (AC-7)."""
    facts = getattr(field, turn.side)
    return can_charge(field, turn) and plain.has_rule(facts, "Run Amok" if turn.rallied else "Berserk")


def charge_anyway(field, turn):
    """A charge that no failed rally test forbids."""
    return close_quarters(field, turn.duel, turn.side)


def run_amok(field, turn):
    """Who runs amok and has not charged costs the enemy near it 1 damage, and itself a model (Run Amok in AC-7)."""
    duel, side, enemy_side = turn.duel, turn.side, OTHER[turn.side]
    facts, enemy = getattr(field, side), getattr(field, enemy_side)
    if turn.charged or is_over(duel) or not plain.has_rule(facts, "Run Amok") or enemy["category"] == "aerial":
        return certainly(turn)
    if duel.distance is None or duel.distance > 6:
        return certainly(turn)
    damage = unit_of(duel, enemy_side).damage + 1
    destroys = damage == enemy["damage_limit"]
    duel = lose_model(duel, enemy_side) if destroys else change(duel, enemy_side, damage=damage)
    law = after_demise(field, lose_model(duel, side), duel.distance)
    return {turn._replace(duel=after): chance for after, chance in law.items()}


def lose_model(duel, side):
    """One model less, and no damage on the unit."""
    left = unit_of(duel, side).models - 1
    if left == 0:
        return duel._replace(**{side: Side(cq.Unit(0, fate="destroyed"))})
    return change(duel, side, models=left, damage=0)


def ends(field, turn):
    """The end of the activation: suppressed and disordered end if they were there at its start (AC-5.7, AC-5.8)."""
    unit = unit_of(turn.duel, turn.side)
    lasting = plain.has_rule(getattr(field, turn.side), "Construct")
    return change(
        turn.duel,
        turn.side,
        suppressed=unit.suppressed and not turn.was_suppressed,
        disordered=unit.disordered and (lasting or not turn.was_disordered),
    )


def activation(field, duel, side):
    """The law of the duel after one activation, if the unit is there and ready (AC-9.2)."""
    if is_over(duel) or unit_of(duel, side).activated:
        return certainly(duel)
    law = certainly(starts(field, in_fumes(field, duel), side))
    for step in (rally, reaction, acts, reaction, run_amok):
        law = then(law, lambda turn, step=step: step(field, turn))
    return then(law, lambda turn: certainly(in_fumes(field, ends(field, turn))))


# --- rounds -----------------------------------------------------------------------------------------------


def round_of(field, duel, order):
    """The law of the duel after a round in which the sides activate in this order."""
    law = certainly(duel)
    for side in order:
        law = then(law, lambda state, side=side: activation(field, state, side))
    return then(law, lambda state: certainly(end_phase(state)))


def end_phase(duel):
    """All units lose the activated status."""
    for side in "ab":
        if not unit_of(duel, side).fate:
            duel = change(duel, side, activated=False)
    return duel


def one_round(field, duel, first):
    """The law of a round: the side named first goes first, or either with one half."""
    if is_over(duel):
        return certainly(duel)
    if first != "random":
        return round_of(field, duel, (first, OTHER[first]))
    chances = defaultdict(Fraction)
    for side in "ab":
        for after, chance in round_of(field, duel, (side, OTHER[side])).items():
            chances[after] += chance / 2
    return dict(chances)


def read(scenario):
    """The field and the duel at the start."""
    given = plain.with_defaults(scenario, DEFAULT_DUEL, "duel")
    ruleset = plain.with_defaults(given["ruleset"], plain.DEFAULT_RULESET, "ruleset")
    sides = {name: plain.with_defaults(given[name], DEFAULT_SIDE, name) for name in "ab"}
    deck = deck_of(ruleset["deck"])
    field = Field(
        sides["a"],
        sides["b"],
        given["policy_a"],
        given["policy_b"],
        ruleset["die"],
        deck,
        given["replacement"],
    )
    for name in "ab":
        check_policy(field, name, given[f"policy_{name}"])
    start = Duel(side_of(sides["a"]), side_of(sides["b"]), given["distance"], deck, deck)
    return field, start, given["rounds"], given["first"]


def side_of(facts):
    """A side at the start of the duel."""
    return Side(cq.unit_of(facts), facts["on_lookout"], facts["taking_cover"], facts["reloading"])


def check_policy(field, side, policy):
    """Refuse what a unit cannot do, and what this reading does not know."""
    facts, enemy = getattr(field, side), getattr(field, OTHER[side])
    if facts["passengers"] is not None:
        raise ValueError("no passengers in a duel")
    if facts["type"] == "aircraft":
        raise ValueError("no aircraft in a duel")
    if policy == "take_cover":
        return
    if policy == "charge":
        cq.row_of_charge(facts)
        if plain.has_rule(facts, "Static") or enemy["type"] == "rotorcraft":
            raise ValueError("a Static unit cannot charge, a rotorcraft cannot be charged")
        return
    matching = [row for row in facts["rows"] if row["kind"] == "ranged" and enemy["category"] in row["against"]]
    if policy != "lookout":
        matching = [row for row in matching if "Reactive" not in row["qualities"]]
    if not matching:
        raise ValueError(f"{policy}: no ranged row that matches the enemy")
    if policy == "overcharge" and "Overcharge" not in matching[0]["qualities"]:
        raise ValueError("overcharge: the row has no Overcharge")
    if policy == "all_out" and not cq.value_of(facts, "All-Out Attack"):
        raise ValueError("all_out: the unit has no All-Out Attack")


def laws(scenario):
    """The law {Duel: chance} at the end of each round, a list; once a duel is over it stays as it is."""
    field, start, rounds, first = read(scenario)
    law, found = certainly(start), []
    for _ in range(rounds):
        law = then(law, lambda duel: one_round(field, duel, first))
        found.append(law)
    return found


# --- what a side does, and why ----------------------------------------------------------------------------


def deeds(scenario):
    """The chances {(side, what it did, why): chance} of each round, a list."""
    field, start, rounds, first = read(scenario)
    law, found = certainly(start), []
    for _ in range(rounds):
        tally, ends_of_round = defaultdict(Fraction), defaultdict(Fraction)
        orders = [(first, OTHER[first])] if first != "random" else [("a", "b"), ("b", "a")]
        for order in orders:
            now = {duel: chance / len(orders) for duel, chance in law.items()}
            for side in order:
                for duel, chance in now.items():
                    for turn, turn_chance in before_orders(field, duel, side).items():
                        tally[side, *deed(field, duel, turn, side)] += chance * turn_chance
                now = then(now, lambda duel, side=side: activation(field, duel, side))
            for duel, chance in now.items():
                ends_of_round[end_phase(duel)] += chance
        law = dict(ends_of_round)
        found.append(dict(tally))
    return found


def before_orders(field, duel, side):
    """The law of the turn of a side before it does anything; None where it has none."""
    if is_over(duel) or unit_of(duel, side).activated:
        return certainly(None)
    law = certainly(starts(field, in_fumes(field, duel), side))
    for step in (rally, reaction):
        law = then(law, lambda turn, step=step: step(field, turn))
    return law


def deed(field, duel, turn, side):
    """What a side does, and why."""
    if turn is None:
        if unit_of(duel, side).fate:
            return "was_gone", "gone"
        return "had_no_activation", "enemy_gone" if is_over(duel) else "activated"
    if unit_of(turn.duel, side).fate:
        return "fell", "opportunity_fire"
    if is_over(turn.duel):
        return "had_no_activation", "enemy_gone"
    if must_charge(field, turn):
        return "charged", "rule"
    policy = getattr(field, f"policy_{side}")
    if policy == "lookout":
        empty = is_empty(field, turn.duel, side, opportunity=True)
        return ("re_armed", "reloading") if empty else ("went_on_lookout", "policy")
    if policy == "take_cover":
        return "took_cover", "policy"
    if policy == "charge" and turn.rallied:
        return deed_of_charger(field, turn)
    return deed_of_shooter(field, turn, policy)


def deed_of_charger(field, turn):
    """Who has rallied, and means to charge."""
    duel, side = turn.duel, turn.side
    if unit_of(duel, side).garrisoned:
        return "held", "in_building"
    if can_charge(field, turn):
        return "charged", "policy"
    moves_on = advance(field, duel, side, 2 * speed(field, side)).distance != duel.distance
    return ("double_timed" if moves_on else "held"), "out_of_reach"


def deed_of_shooter(field, turn, policy):
    """Who shoots, if it can."""
    duel, side = turn.duel, turn.side
    rows = rows_in_range(field, duel._replace(distance=None), side)
    main = rows[0] if rows else None
    wanted = policy == "short_range" and duel.distance is not None
    in_range = main is not None and (duel.distance is None or fits(main, duel.distance))
    near_enough = in_range and (not wanted or is_short(main, duel.distance) or main.get("short_range") is None)
    housed = unit_of(duel, side).garrisoned
    if not in_range and not turn.rallied and not housed:
        length = min(speed(field, side), inches_to_short(field, duel, side)) if wanted else speed(field, side)
        moves_on = advance(field, duel, side, length).distance != duel.distance
        return ("advanced" if moves_on else "held"), "rally_failed"
    if main is not None and is_empty(field, duel, side):
        return "re_armed", "reloading"
    after, moves_on = duel, False
    if not near_enough and turn.rallied and not housed:
        length = min(speed(field, side), inches_to_short(field, duel, side)) if wanted else speed(field, side)
        after = advance(field, duel, side, length)
        moves_on = after.distance != duel.distance
    most = len(rows) if policy == "all_out" and turn.rallied else 1
    usable = [row for row in rows[:most] if after.distance is None or fits(row, after.distance)]
    usable = [row for row in usable if not (moves_on and "Move or Fire" in row["qualities"])]
    usable = [row for row in usable if not must_reload(row, after, side) and has_dice(field, after, side, row)]
    why = "out_of_short_range" if wanted else "out_of_range"
    if not usable:
        if moves_on:
            return "advanced", "out_of_range"
        if in_range:
            return "held", "nothing_to_fire"
        if not turn.rallied:
            return "held", "in_building" if housed else "rally_failed"
        return "held", "in_building" if housed else "out_of_range"
    if not turn.rallied:
        return "shot", "rally_failed"
    if housed:
        return "shot", "in_building"
    return ("advanced_and_shot", why) if moves_on else ("shot_aiming", "policy")


def points(scenario, duel):
    """Victory points of both sides: the other's VPR if it is gone, and Hunter (AC-5.9, AC-7)."""
    lost_a = bool(duel.a.unit.fate) * scenario["a"].get("victory_points", 0)
    lost_b = bool(duel.b.unit.fate) * scenario["b"].get("victory_points", 0)
    return lost_b + duel.hunted_a, lost_a + duel.hunted_b


def victory(scenario, duel):
    """Who has more victory points, and whether at least twice the other's (AC-9.4): ("a", True), ("draw", False)."""
    of_a, of_b = points(scenario, duel)
    if of_a == of_b:
        return "draw", False
    return ("a" if of_a > of_b else "b"), max(of_a, of_b) >= 2 * min(of_a, of_b)


def law_of(law, part):
    """The law of a part of each duel, such as `lambda duel: duel.a.unit.models`."""
    chances = defaultdict(Fraction)
    for duel, chance in law.items():
        chances[part(duel)] += chance
    return dict(chances)
