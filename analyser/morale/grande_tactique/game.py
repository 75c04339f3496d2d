"""A division under attack, turn by turn: check, flight, through friends, rally, charges, collapse (GT-1 to GT-11).

A unit's condition is its place (:mod:`analyser.morale.grande_tactique.ground`), whether it has ever rallied, and its
status. A state is a whole number: whether the division has collapsed as its lowest digit, then the condition of each
unit, counted among those that it can come to (:class:`Conditions`). A turn is a list of
phases, each of which befalls one unit; after each come the flights that it leads to, one after the other, the foremost
first.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import (
    MOST_STATES,
    Chain,
    Die,
    Extent,
    ExtraDie,
    Phase,
    Recorded,
    States,
    bernoulli,
    sided,
    unchanged,
)
from analyser.morale.grande_tactique import rules
from analyser.morale.grande_tactique.check import BONUS
from analyser.morale.grande_tactique.ground import OFF_MAP, TOTALS, Ground, ground_of
from analyser.morale.grande_tactique.question import Game, GameUnit, Ruleset
from analyser.morale.result import Mean, Table

EAGER, SHAKEN, FLEEING, ROUTED = rules.EAGER, rules.SHAKEN, rules.FLEEING, rules.ROUTED
RIDDEN_DOWN, SILENCED = rules.DESTROYED, rules.SILENCED
FLEEING_FROM_CAVALRY, LEFT_MAP, SURROUNDED, WITHDRAWN = range(SILENCED + 1, SILENCED + 5)
STATUSES = WITHDRAWN + 1
STATUS_OF = {"eager": EAGER, "shaken": SHAKEN, "routed": ROUTED, "silenced": SILENCED, "destroyed": RIDDEN_DOWN}

WITHDRAWAL, PIPS, FLIGHT, ARTILLERY_FIRE, INFANTRY_FIRE, LOST_FIRING, CHARGE_IN_ROUT, CHARGE = range(8)
NO_CHARGE, BY_CAVALRY, BY_INFANTRY = range(3)
CAUSES = np.array([-1, -1, -1, rules.WORN_DOWN_BY_ARTILLERY, rules.WORN_DOWN, rules.LOST_FIRING])
ALL = 1 << 30  # totals
FAR = 1000.0  # inches: beyond the reach of Old Guard


class Conditions(NamedTuple):
    """The conditions that each unit can come to, whatever the others do.

    There are far fewer of them than places times statuses: who has fled and stands has rallied, who is gone has no
    place.
    """

    counts: NDArray[np.int64]  # shape (units,)
    numbers: NDArray[np.int64]  # of a condition among those, 0 where it is none of them: shape (units, conditions)
    of_number: NDArray[np.int64]  # shape (units, most of them), padded with zeros


class Units(NamedTuple):
    """The units of a game as whole numbers; shapes (units,)."""

    ground: Ground
    conditions: Conditions
    arms: NDArray[np.int64]
    columns: NDArray[np.int64]  # a number that no other column has, where it is in none
    old_guard: NDArray[np.int64]
    modifiers: NDArray[np.int64]
    target: int
    fire_shakes: int
    rallied: int
    elsewhere: int  # PIPs


class Now(NamedTuple):
    """How a game stands; shapes (units,)."""

    status: NDArray[np.int64]
    place: NDArray[np.int64]
    rallied: NDArray[np.int64]  # ever


def units_of(game: Game, ruleset: Ruleset) -> Units:
    """The units of a game."""
    ground = ground_of(game, turns_of(game, ruleset))
    return Units(
        ground,
        _conditions(game, ground),
        np.array([rules.Arm[unit.arm.upper()] for unit in game.units], np.int64),
        np.array([unit.column or -place - 1 for place, unit in enumerate(game.units)], np.int64),
        np.array([unit.quality == "old guard" for unit in game.units], np.int64),
        np.array([BONUS[unit.quality] + unit.modifier for unit in game.units], np.int64),
        ruleset.check_target,
        int(ruleset.fire_shakes),
        STATUS_OF[game.rallied],
        game.pips_elsewhere,
    )


def turns_of(game: Game, ruleset: Ruleset) -> int:
    """Turns to play."""
    return game.turns or ruleset.turns


def _conditions(game: Game, ground: Ground) -> Conditions:
    found = [_reached(game, number, ground) for number in range(len(game.units))]
    counts = np.array([len(each) for each in found])
    numbers = np.zeros((len(found), int(ground.places.max()) * 2 * STATUSES), np.int64)
    of_number = np.zeros((len(found), counts.max()), np.int64)
    for unit, conditions in enumerate(found):
        numbers[unit, conditions] = range(len(conditions))
        of_number[unit, : len(conditions)] = conditions
    return Conditions(counts, numbers, of_number)


def _reached(game: Game, number: int, ground: Ground) -> list[int]:
    """All conditions that a unit can come to, and perhaps some that it cannot, in order."""
    unit = game.units[number]
    column = [each for each in game.units if each is unit or (unit.column and each.column == unit.column)]
    of_a_flight = {
        FLEEING: (0,),
        FLEEING_FROM_CAVALRY: range(rules.FLIGHT_DICE, TOTALS) if unit.arm == "cavalry" else (0,),
    }
    of_standing = [SHAKEN]
    if unit.arm == "artillery":
        of_standing += [SILENCED]
    else:
        of_standing += [FLEEING, ROUTED]
        of_standing += [FLEEING_FROM_CAVALRY] if any(each.charged_by_cavalry for each in column) else []
    of_standing += [WITHDRAWN] if unit.withdraws else []
    of_rout = [FLEEING, *([RIDDEN_DOWN] if unit.charges_in_rout[0] else [])]
    start = condition_of(0, 0, STATUS_OF[unit.state])
    found, waiting = {start}, [start]
    while waiting:
        rest, status = divmod(waiting.pop(), STATUSES)
        place, rallied = divmod(rest, 2)
        after = []
        if status in (EAGER, SHAKEN):
            after = [(place, rallied, each) for each in of_standing]
        elif status == ROUTED:
            after = [(place, 1, STATUS_OF[game.rallied]), *((place, rallied, each) for each in of_rout)]
        elif status in of_a_flight:
            ends = {int(ground.onward[number, place, total]) for total in of_a_flight[status]}
            after = [(end, rallied, ROUTED) if end != OFF_MAP else (0, rallied, LEFT_MAP) for end in ends]
            after += [(0, rallied, SURROUNDED)] if game.surrounded else []
        new = {condition_of(*each) for each in after} - found
        found |= new
        waiting += new
    return sorted(found)


@step
def condition_of(place: int, rallied: int, status: int) -> int:
    """A condition as a number; who is no longer on the map has no place."""
    on_map = status in (EAGER, SHAKEN, FLEEING, ROUTED, SILENCED, FLEEING_FROM_CAVALRY)
    return int(((place if on_map else 0) * 2 + rallied) * STATUSES + status)


@step
def unpack(units: Units, state: int, now: Now) -> int:
    """How the game stands in a state; whether the division has collapsed."""
    collapsed, state = state % 2, state // 2
    for unit in range(len(units.arms)):
        count = units.conditions.counts[unit]
        condition, state = units.conditions.of_number[unit, state % count], state // count
        now.status[unit] = condition % STATUSES
        now.rallied[unit] = condition // STATUSES % 2
        now.place[unit] = condition // STATUSES // 2
    return int(collapsed)


@step
def pack(units: Units, now: Now, collapsed: int) -> int:
    """The state in which a game stands so."""
    state = 0
    for unit in range(len(units.arms) - 1, -1, -1):
        condition = condition_of(now.place[unit], now.rallied[unit], now.status[unit])
        state = state * units.conditions.counts[unit] + units.conditions.numbers[unit, condition]
    return state * 2 + collapsed


@step
def stands(status: int) -> bool:
    """Whether a unit is neither routed, silenced nor gone."""
    return status in (EAGER, SHAKEN)


@step
def flees(status: int) -> bool:
    """Whether a unit is still to make its flight."""
    return status in (FLEEING, FLEEING_FROM_CAVALRY)


@step
def has_collapsed(now: Now, collapsed: int) -> int:
    """Whether the division's morale has collapsed, now or before; who was withdrawn has not been driven off (GT-8)."""
    left = 0
    for status in now.status:
        left += stands(status) or status == WITHDRAWN
    return 1 if collapsed or rules.has_collapsed(left, len(now.status) - left) else 0


@step
def make_flee(units: Units, now: Now, unit: int, status: int, forced_out: bool) -> None:
    """A unit must flee, from whom says the status; Old Guard dismays its column at once (GT-2, GT-9).

    Infantry in woods or a built-up area is routed and stays there, unless infantry forces it out (GT-6).
    """
    waiting = np.zeros(len(now.status), np.int64)  # 1: it must flee
    waiting[unit] = 1
    while waiting.any():
        unit = int(np.argmax(waiting))
        waiting[unit] = 0
        if units.ground.sheltered[unit, now.place[unit]] and not forced_out:
            now.status[unit] = ROUTED
            continue
        now.status[unit] = status
        forced_out = False
        for friend in range(len(now.status)):
            if friend != unit and units.old_guard[unit] and units.columns[friend] == units.columns[unit]:
                before, apart = now.status[friend], distance_from(units, now, unit, friend)
                after = rules.near_fleeing_old_guard(before, units.arms[friend], apart)
                if after == FLEEING and before != FLEEING:
                    waiting[friend] = 1
                    after = SHAKEN  # until its turn comes, below
                now.status[friend] = after


@step
def distance_from(units: Units, now: Now, guard: int, friend: int) -> float:
    """Inches between Old Guard and a friend, as far as they matter (GT-9)."""
    near, rank = units.ground.near[guard, now.place[guard]], units.ground.ranks[friend, now.place[friend]]
    if near[0] <= rank <= near[1]:
        return rules.ROUTED_BY_OLD_GUARD
    return rules.SHAKEN_BY_OLD_GUARD if near[2] <= rank <= near[3] else FAR


@step
def rank_of(units: Units, now: Now, unit: int) -> int:
    """How far towards the enemy a unit stands, in ranks."""
    return int(units.ground.ranks[unit, now.place[unit]])


@step
def foremost_fleeing(units: Units, now: Now) -> int:
    """The unit that flees next, the first in the list of those in one place; -1 for none."""
    found = -1
    for unit in range(len(now.status)):
        if flees(now.status[unit]) and (found < 0 or rank_of(units, now, unit) > rank_of(units, now, found)):
            found = unit
    return found


@step
def fly(units: Units, now: Now, unit: int, rolled: int, surrounded: int) -> None:
    """The flight of a unit: those of its column whom it passes through are disrupted, the nearest first (GT-5)."""
    status, place, rank = now.status[unit], now.place[unit], rank_of(units, now, unit)
    if surrounded:
        now.status[unit] = SURROUNDED
        return
    after, reach = units.ground.onward[unit, place, rolled], units.ground.reach[unit, place, rolled]
    now.status[unit] = LEFT_MAP if after == OFF_MAP else ROUTED
    now.place[unit] = max(after, 0)
    nearest, nearest_unit = rank, unit
    while True:
        friend = next_behind(units, now, unit, nearest, nearest_unit)
        if friend < 0 or rank_of(units, now, friend) < reach:
            return
        nearest, nearest_unit = rank_of(units, now, friend), friend
        before = now.status[friend]
        disrupted = rules.passed_through(before, units.arms[friend])
        if disrupted == FLEEING and before == SHAKEN:
            make_flee(units, now, friend, status, False)
        else:
            now.status[friend] = disrupted


@step
def next_behind(units: Units, now: Now, unit: int, rank: int, after: int) -> int:
    """The next friend of a unit's column that stands, behind a rank and a place in the list there; -1 for none."""
    found = -1
    for friend in range(len(now.status)):
        if friend == unit or units.columns[friend] != units.columns[unit] or not stands(now.status[friend]):
            continue
        there = rank_of(units, now, friend)
        is_behind = there < rank or (there == rank and friend > after)
        in_line = is_behind and not units.ground.beside[friend, now.place[friend]]
        if in_line and (found < 0 or there > rank_of(units, now, found)):
            found = friend
    return found


@step
def in_pip_phase(units: Units, now: Now, pips: int, collapsed: int) -> None:
    """Routed units rally in order as far as PIPs go; the others must flee again, but for those in shelter (GT-6)."""
    pips = max(pips - units.elsewhere, 0)
    for unit in range(len(now.status)):
        if now.status[unit] == ROUTED and rules.rallies(pips, collapsed):
            pips -= rules.RALLY_COST
            now.status[unit], now.rallied[unit] = units.rallied, 1
    for unit in range(len(now.status)):
        if now.status[unit] == ROUTED:
            make_flee(units, now, unit, FLEEING, False)


@step
def suffer(units: Units, now: Now, unit: int, cause: int, rolled: int) -> None:
    """What fire does to a unit that stands (GT-1, GT-2)."""
    if not stands(now.status[unit]):
        return
    response = rules.response(units.arms[unit], now.status[unit] == SHAKEN, cause)
    if response == rules.IS_SILENCED:
        now.status[unit] = SILENCED
    elif response == rules.IS_SHAKEN:
        now.status[unit] = SHAKEN if units.fire_shakes else now.status[unit]
    elif response == rules.FLEES or (
        response == rules.CHECKS and not rules.passes_check(rolled, units.modifiers[unit], units.target)
    ):
        make_flee(units, now, unit, FLEEING, False)


@step
def charge(units: Units, now: Now, unit: int, enemy: int) -> None:
    """A charge on a unit that stands succeeds (GT-1, GT-2)."""
    if enemy == NO_CHARGE or not stands(now.status[unit]):
        return
    if units.arms[unit] == rules.ARTILLERY:
        now.status[unit] = SILENCED
    else:
        make_flee(units, now, unit, FLEEING_FROM_CAVALRY if enemy == BY_CAVALRY else FLEEING, enemy == BY_INFANTRY)


@step
def charge_in_rout(units: Units, now: Now, unit: int, enemy: int) -> None:
    """A charge on a routed unit, no dice (GT-7)."""
    if enemy == NO_CHARGE or now.status[unit] != ROUTED:
        return
    if rules.dies_charged_in_rout(rules.CAVALRY if enemy == BY_CAVALRY else rules.INFANTRY):
        now.status[unit] = RIDDEN_DOWN
    else:
        make_flee(units, now, unit, FLEEING, True)


@step
def state_after(units: Units, phase: int, unit: int, state: int, total: int, now: Now) -> int:
    """The state that a phase leads to, which befalls one unit, with a total of its dice."""
    collapsed = unpack(units, state, now)
    if phase == WITHDRAWAL:
        now.status[unit] = WITHDRAWN if stands(now.status[unit]) else now.status[unit]
    elif phase == PIPS:
        in_pip_phase(units, now, total, collapsed)
    elif phase == FLIGHT:
        fleeing = foremost_fleeing(units, now)
        if fleeing >= 0:
            fly(units, now, fleeing, total % TOTALS, total // TOTALS)
    elif phase == CHARGE:
        charge(units, now, unit, total)
    elif phase == CHARGE_IN_ROUT:
        charge_in_rout(units, now, unit, total)
    elif total % 2:  # it comes to fire
        suffer(units, now, unit, CAUSES[phase], total // 2)
    return pack(units, now, has_collapsed(now, collapsed))


@step
def totals_apart(units: Units, phase: int, unit: int, now: Now) -> int:
    """How many totals from 0 lead to different states; 0 where the phase changes nothing, as in most states."""
    if phase == PIPS:
        return ALL if (now.status == ROUTED).any() else 0
    if phase == CHARGE_IN_ROUT:
        return ALL if now.status[unit] == ROUTED else 0
    if phase != FLIGHT:
        return ALL if stands(now.status[unit]) else 0
    fleeing = foremost_fleeing(units, now)
    if fleeing < 0:
        return 0
    return ALL if dice_taken(units, now, fleeing) else 1


@kernel
def tabulated(units: Units, phase: int, unit: int, totals: int, states: States) -> States:
    """The states that some states and each total lead to: shape (states, totals)."""
    after = np.empty((len(states), totals), np.int64)
    count = len(units.arms)
    now = Now(np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64))
    for row in range(len(states)):
        unpack(units, states[row], now)
        apart = totals_apart(units, phase, unit, now)
        for total in range(totals):
            if (total % TOTALS if phase == FLIGHT else total) < apart:
                after[row, total] = state_after(units, phase, unit, states[row], total, now)
            else:
                after[row, total] = states[row]
    return after


@step
def dice_taken(units: Units, now: Now, fleeing: int) -> int:
    """How many dice the flight of a unit takes (GT-3)."""
    enemy = rules.CAVALRY if now.status[fleeing] == FLEEING_FROM_CAVALRY else rules.INFANTRY
    return rules.flight_dice(units.arms[fleeing], enemy)


@kernel
def dice_of_flight(units: Units, states: States) -> States:
    """How many dice the next flight takes: shape (states,)."""
    dice = np.zeros(len(states), np.int64)
    count = len(units.arms)
    now = Now(np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64))
    for row in range(len(states)):
        unpack(units, states[row], now)
        fleeing = foremost_fleeing(units, now)
        if fleeing >= 0:
            dice[row] = dice_taken(units, now, fleeing)
    return dice


def chain(game: Game, ruleset: Ruleset) -> Chain:
    """Turns: withdrawals, the PIP phase, fire on each unit, charges on each; the law at the end of each is recorded."""
    units = units_of(game, ruleset)
    flight = _flight(units, game.surrounded)
    mobile = sum(unit.arm != "artillery" for unit in game.units)
    pips = sided(ruleset.pip_sides)
    rally = partial(tabulated, units, PIPS, 0, ruleset.pip_dice * pips.highest + 1)
    withdrawals = [Phase(partial(tabulated, units, WITHDRAWAL, unit, 1)) for unit in range(len(game.units))]
    events = [Phase(rally, pips, ruleset.pip_dice), *[flight] * mobile]
    for befalls in (_fire, _charges):
        for number, unit in enumerate(game.units):
            for phase in befalls(units, number, unit, ruleset):
                events += [phase, *[flight] * _may_flee(unit, game)]
    events.append(replace(NOTHING, recorded=True))
    phases = []
    for turn in range(1, turns_of(game, ruleset) + 1):
        leaving = [unit.withdraws is not None and unit.withdraws <= turn for unit in game.units]
        phases += [phase for phase, leaves in zip(withdrawals, leaving) if leaves] + events
    size = 2 * math.prod(units.conditions.counts.tolist())
    places = int(units.ground.places.max())
    extent = Extent(
        f"a game of {len(game.units)} units, each by its state, up to {places} places and whether it has rallied",
        "fewer units or turns, cavalry nearer to its edge, or no edge_distance and column",
    )
    # few of the states can be reached: above MOST_STATES they are looked for, and not tabulated one and all
    return Chain(_start(game, units), tuple(phases), max(size, MOST_STATES + 1), extent)


NOTHING = Phase(unchanged)


def _flight(units: Units, surrounded: float) -> Phase:
    """The next flight, if anybody is to make one."""
    dice = partial(dice_of_flight, units)
    if not surrounded:
        return Phase(partial(tabulated, units, FLIGHT, 0, TOTALS), sided(6), dice)
    gap = ExtraDie(bernoulli(surrounded), TOTALS)
    return Phase(partial(tabulated, units, FLIGHT, 0, 2 * TOTALS), sided(6), dice, (gap,))


def _may_flee(unit: GameUnit, game: Game) -> int:
    """How many units may flee when something befalls one: it, or its column."""
    column = [each for each in game.units if unit.column is not None and each.column == unit.column] or [unit]
    return sum(each.arm != "artillery" for each in column)


def _fire(units: Units, number: int, unit: GameUnit, ruleset: Ruleset) -> list[Phase]:
    """What fire may do to a unit, with the die of a morale check beside it: infantry alone makes one (GT-2)."""
    check = sided(ruleset.check_sides)
    tests = unit.arm == "infantry"
    after, extra = (2 * check.highest + 2, (ExtraDie(check, 2),)) if tests else (2, ())
    events = {
        ARTILLERY_FIRE: unit.worn_down_by_artillery,
        INFANTRY_FIRE: unit.worn_down_by_infantry,
        LOST_FIRING: unit.loses_firing,
    }
    return [
        Phase(partial(tabulated, units, event, number, after), bernoulli(probability), 1, extra)
        for event, probability in events.items()
        if probability
    ]


def _charges(units: Units, number: int, unit: GameUnit, _: Ruleset) -> list[Phase]:
    """One charge a turn at most: on the unit in rout, or on it while it stands (GT-2, GT-7, GT-11)."""
    chances = {CHARGE_IN_ROUT: unit.charges_in_rout, CHARGE: unit.charges}
    return [
        Phase(partial(tabulated, units, event, number, 3), Die((1.0 - sum(chance), *chance)), 1)
        for event, chance in chances.items()
        if any(chance)
    ]


def _start(game: Game, units: Units) -> int:
    count = len(game.units)
    now = Now(np.array([STATUS_OF[unit.state] for unit in game.units]), np.zeros(count, int), np.zeros(count, int))
    return pack(units, now, has_collapsed(now, 0))


LOST = (RIDDEN_DOWN, LEFT_MAP, SURROUNDED)
STATES = {
    "eager": (EAGER,), "shaken": (SHAKEN,), "routed": (ROUTED,), "silenced": (SILENCED,), "destroyed": LOST,
    "off_map": (LEFT_MAP,), "surrounded": (SURROUNDED,), "withdrawn": (WITHDRAWN,),
}  # fmt: skip


def tables(game: Game, ruleset: Ruleset, recorded: Recorded) -> dict[str, Table]:
    """`game`: the division by turn; `game_units`: each unit by turn; `game_lost`: how many are lost, by turn."""
    units, turns, count = units_of(game, ruleset), turns_of(game, ruleset), len(game.units)
    states, laws = recorded
    status, ever = _read(units, states)
    standing, lost = np.isin(status, (EAGER, SHAKEN)).sum(axis=1), np.isin(status, LOST).sum(axis=1)
    corps = game.corps_units or count
    chances = {
        "p_collapsed": laws @ (states % 2),
        "p_corps_halted": laws @ np.array([rules.is_halted(int(each), corps) for each in lost]),
        "p_all_gone": laws @ (standing == 0),
    }
    numbers = {"standing": standing, "routed": (status == ROUTED).sum(axis=1), "lost": lost,
               "withdrawn": (status == WITHDRAWN).sum(axis=1)}  # fmt: skip
    by_turn = [*range(1, turns + 1)]
    of_units = {f"p_{name}": (laws @ np.isin(status, each)).T.ravel() for name, each in STATES.items()}
    return {
        "game": Table(
            {"turn": by_turn}, chances, {f"mean_{name}": Mean.of(laws, number) for name, number in numbers.items()}
        ),
        "game_units": Table(
            {"unit": np.repeat(range(1, count + 1), turns).tolist(),
             "arm": np.repeat([unit.arm for unit in game.units], turns).tolist(), "turn": by_turn * count},
            {**of_units, "p_rallied": (laws @ ever).T.ravel()}, {},
        ),
        "game_lost": Table(
            {"turn": np.repeat(by_turn, count + 1).tolist(), "units": [*range(count + 1)] * turns},
            {"probability": (laws @ (lost[:, np.newaxis] == np.arange(count + 1))).ravel()}, {},
        ),
    }  # fmt: skip


def _read(units: Units, states: States) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The status of each unit, and whether it has ever rallied, from states: shapes (states, units)."""
    status, ever = [], []
    rest = states // 2
    for count, of_number in zip(units.conditions.counts.tolist(), units.conditions.of_number):
        condition = of_number[rest % count]
        status.append(condition % STATUSES)
        ever.append(condition // STATUSES % 2)
        rest = rest // count
    return np.stack(status, axis=1), np.stack(ever, axis=1)
