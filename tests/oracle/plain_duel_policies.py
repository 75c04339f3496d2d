"""What a side does in its activation of a duel, policy by policy: functions (field, turn) -> law of duels."""

from tests.oracle import plain_close_quarters as cq
from tests.oracle import plain_reading as plain
from tests.oracle.plain_after_blows import Field
from tests.oracle.plain_duel_shots import after_demise, after_siege, fits, must_reload, rows_in_range, shoot_row
from tests.oracle.plain_duel_state import OTHER, Side, advance, can_aim, change, is_over, moves, speed, unit_of
from tests.oracle.plain_laws import certainly, marginal, then
from tests.oracle.plain_units import DEFAULT_COMBAT, Unit, value_of


def is_empty(field, duel, side, *, opportunity=False):
    rows = rows_in_range(field, duel._replace(distance=None), side, opportunity=opportunity)
    return bool(rows) and must_reload(rows[0], duel, side)


def re_arm(duel, side):
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
    ground, duel, me, you = contact_of(field, duel, side)
    law = cq.combats_law(ground, me, you)
    return then(law, lambda fight: after_charge(field, ground, duel, side, fight))


def contact_of(field, duel, side):
    """The ground of a charge, the duel as the two come into contact, and both units (AC-8.1)."""
    if not field.replacement:
        raise ValueError("the plain reading knows charges with replacement only")
    enemy_side = OTHER[side]
    facts, enemy = getattr(field, side), getattr(field, enemy_side)
    combat = plain.with_defaults(facts["charge"], DEFAULT_COMBAT, "charge")
    measured = duel.distance is not None
    ground = Field(facts, enemy, [], combat, {"die": field.die, "deck": dict(field.deck)}, measured=measured)
    inches = duel.distance or 0
    duel = in_contact(field, moves(field, duel, side), enemy_side)
    me, you = unit_of(duel, side), unit_of(duel, enemy_side)
    if me.edge_distance is not None:
        me = me._replace(edge_distance=me.edge_distance + inches)
    return ground, duel, me, you


def after_charge(field, ground, duel, side, fight):
    """The law of the duel after the combats of a charge, of which the last one ended so."""
    enemy_side = OTHER[side]
    ended = after_combat(field, duel, side, fight)
    wins = {side: fight.won.count("active"), enemy_side: fight.won.count("target")}
    for which, number in wins.items():
        if plain.has_rule(getattr(field, which), "Hunter"):
            name = f"hunted_{which}"
            ended = ended._replace(**{name: getattr(ended, name) + number})
    law = after_siege(field, ended, enemy_side, fight.target_struck_by)
    law = then(law, lambda duel: after_demise(field, duel, 0))
    return then(law, lambda duel: after_throw(field, ground, duel, enemy_side, fight))


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
            duel = duel._replace(**{which: Side(Unit(0, fate=unit.fate))})
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
    return certainly(change(turn.duel, turn.side, taking_cover=True))


def all_out(field, turn):
    """Aim, and fire up to X rows, each once (All-Out Attack in AC-7); one row, unaimed, after a failed rally test."""
    duel, side = turn.duel, turn.side
    most = value_of(getattr(field, side), "All-Out Attack") if turn.rallied else 1
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
    return marginal(shots, lambda state: state[0])


def fire_one(field, side, most, row, aiming, duel, fired):
    """The law of (duel, rows fired) after one more row, if it may be fired."""
    out_of_range = duel.distance is not None and not fits(row, duel.distance)
    if fired == most or is_over(duel) or out_of_range or must_reload(row, duel, side):
        return certainly((duel, fired))
    law = shoot_row(field, duel, side, row, aiming=aiming)
    return {(after, fired + 1): chance for after, chance in law.items()}


POLICIES = {each.__name__: each for each in (shoot, short_range, charge, lookout, take_cover, all_out)}
POLICIES["overcharge"] = shoot_overcharged
