"""What a side does in a duel, and why, plainly read."""

from collections import defaultdict
from fractions import Fraction

from tests.oracle.plain_duel import activation, can_charge, end_phase, must_charge, rally, reaction, read, starts
from tests.oracle.plain_duel_policies import inches_to_short, is_empty
from tests.oracle.plain_duel_shots import fits, has_dice, is_short, must_reload, rows_in_range
from tests.oracle.plain_duel_state import OTHER, advance, certainly, in_fumes, is_over, speed, then, unit_of


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
