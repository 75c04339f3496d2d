"""Steps of a division's game as kernels: events of a unit, and the flights that follow (GT-1 to GT-11).

A unit's condition has its position (:class:`.rules.Place`), a flag "has rallied", and its status. A state is an
integer: if needed, its lowest field is the collapse of the division. Then it has the condition of each unit, as an
index among the conditions that the unit can have.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import step, tiered
from analyser.engine.chain.chain import Change, Die, ExtraDie, Phase, States
from analyser.morale.games.grande_tactique import rules

EAGER, SHAKEN, FLEEING, ROUTED = rules.EAGER, rules.SHAKEN, rules.FLEEING, rules.ROUTED
RIDDEN_DOWN, SILENCED = rules.DESTROYED, rules.SILENCED
FLEEING_FROM_CAVALRY, LEFT_MAP, SURROUNDED, WITHDRAWN = range(SILENCED + 1, SILENCED + 5)
STATUSES = WITHDRAWN + 1
STANDING, TO_FLY = 1 << EAGER | 1 << SHAKEN, 1 << FLEEING | 1 << FLEEING_FROM_CAVALRY  # one bit for each status
STATUS_WORDS = (
    *("eager", "shaken", "must flee", "routed", "destroyed", "silenced"),
    *("must flee from cavalry", "off the map", "surrounded", "withdrawn"),
)
ON_MAP = STANDING | TO_FLY | 1 << ROUTED | 1 << SILENCED
WITHDRAWAL, PIPS, FLIGHT, ARTILLERY_FIRE, INFANTRY_FIRE, LOST_FIRING, CHARGE_IN_ROUT, CHARGE = range(8)
NO_CHARGE, BY_CAVALRY, BY_INFANTRY = range(3)
CAUSES = np.array([-1, -1, -1, rules.WORN_DOWN_BY_ARTILLERY, rules.WORN_DOWN, rules.LOST_FIRING])
ALL = 1 << 30  # more than any total
FAR = 1000.0  # inches: beyond the reach of Old Guard


class Units(NamedTuple):
    """The units of a game as integers; shapes (units,).

    A unit can have far fewer conditions than positions times statuses: a unit that stands after a flight has rallied,
    and a unit that is gone has no position.
    """

    ground: rules.Ground
    counts: NDArray[np.int64]  # number of possible conditions of each unit
    numbers: NDArray[np.int64]  # index of a condition among those, 0 if not possible: shape (units, conditions)
    of_number: NDArray[np.int64]  # condition by index: shape (units, largest count), padded with zeros
    arms: NDArray[np.int64]
    columns: NDArray[np.int64]  # number of the column; a unique number if it is in none
    old_guard: NDArray[np.int64]
    modifiers: NDArray[np.int64]
    target: int
    fire_shakes: int
    rallied: int
    elsewhere: int  # PIPs spent on other things
    collapses: int  # 1 if the state has a field for the collapse


class Now(NamedTuple):
    """State of a game; shapes (units,)."""

    status: NDArray[np.int64]
    place: NDArray[np.int64]
    rallied: NDArray[np.int64]  # 1 if it has ever rallied
    line: NDArray[np.int64]  # units that a flight passes through, ended by -1: shape (units + 1,)


@step
def room_for(units: int) -> Now:
    """Return an empty record of a game."""
    zeros = np.zeros((3, units), np.int64)
    return Now(zeros[0], zeros[1], zeros[2], np.zeros(units + 1, np.int64))


@step
def condition_of(place: int, rallied: int, status: int) -> int:
    """Return a condition as a number; a unit that is gone has position 0."""
    return int(((place if ON_MAP >> status & 1 else 0) * 2 + rallied) * STATUSES + status)


@step
def unpack(units: Units, state: int, now: Now) -> int:
    """Unpack a state into `now`; return 1 if the division has collapsed."""
    collapsed = 0
    if units.collapses:
        collapsed, state = state % 2, state // 2
    for unit in range(len(units.arms)):
        count = units.counts[unit]
        condition, state = units.of_number[unit, state % count], state // count
        now.status[unit] = condition % STATUSES
        now.rallied[unit] = condition // STATUSES % 2
        now.place[unit] = condition // STATUSES // 2
    return int(collapsed)


@step
def pack(units: Units, now: Now, collapsed: int) -> int:
    """Return the state of a game as an integer."""
    state, (status, place, rallied, _), counts = 0, now, units.counts
    for unit in range(len(counts) - 1, -1, -1):
        state = state * counts[unit] + units.numbers[unit, condition_of(place[unit], rallied[unit], status[unit])]
    return state * 2 + collapsed if units.collapses else state


@step
def stands(status: int) -> bool:
    """Return True if a unit is neither routed, silenced nor gone."""
    return bool(STANDING >> status & 1)


@step
def has_collapsed(now: Now, collapsed: int) -> int:
    """Return 1 if the division's morale has collapsed, now or before; withdrawn units do not count as lost (GT-8)."""
    left = 0
    for status in now.status:
        left += stands(status) or status == WITHDRAWN
    return 1 if collapsed or rules.has_collapsed(left, len(now.status) - left) else 0


@step
def make_flee(units: Units, now: Now, unit: int, status: int, forced_out: bool) -> None:
    """Make a unit flee with this status; fleeing Old Guard affects its column at once (GT-2, GT-9).

    Infantry in woods or a built-up area is routed and stays there, unless infantry forces it out (GT-6).
    """
    waiting = 1 << unit  # one bit for each unit that must flee
    while waiting:
        unit = 0
        while not waiting >> unit & 1:
            unit += 1
        waiting -= 1 << unit
        if units.ground.sheltered[unit, now.place[unit]] and not forced_out:
            now.status[unit] = ROUTED
            continue
        now.status[unit] = status
        forced_out = False
        for friend in range(len(now.status) if units.old_guard[unit] else 0):
            if friend != unit and units.columns[friend] == units.columns[unit]:
                before, apart = now.status[friend], distance_from(units, now, unit, friend)
                after = rules.near_fleeing_old_guard(before, units.arms[friend], apart)
                if after == FLEEING and before != FLEEING:
                    waiting |= 1 << friend
                    after = SHAKEN  # until the loop reaches it
                now.status[friend] = after


@step
def distance_from(units: Units, now: Now, guard: int, friend: int) -> float:
    """Return 3 or 9 inches if a friend is within this distance of Old Guard, else FAR (GT-9)."""
    near, rank = units.ground.near[guard, now.place[guard]], units.ground.ranks[friend, now.place[friend]]
    if near[0] <= rank <= near[1]:
        return rules.ROUTED_BY_OLD_GUARD
    return rules.SHAKEN_BY_OLD_GUARD if near[2] <= rank <= near[3] else FAR


@step
def rank_of(units: Units, now: Now, unit: int) -> int:
    """Return the rank of a unit: higher is nearer the enemy."""
    return int(units.ground.ranks[unit, now.place[unit]])


@step
def foremost_fleeing(units: Units, now: Now) -> int:
    """Return the unit that flees next: the foremost one, by list order if equal; -1 for none."""
    foremost = -1
    for unit in range(len(now.status)):
        if TO_FLY >> now.status[unit] & 1 and (
            foremost < 0 or rank_of(units, now, unit) > rank_of(units, now, foremost)
        ):
            foremost = unit
    return foremost


@step
def line_up(units: Units, now: Now, unit: int) -> None:
    """Set `now.line` to the standing friends behind a unit in its column, nearest first, and then -1."""
    length = 0
    for friend in range(len(now.status)):
        rank, ahead = rank_of(units, now, friend), rank_of(units, now, unit)
        is_behind = rank < ahead or (rank == ahead and friend > unit)
        in_column = units.columns[friend] == units.columns[unit] and not units.ground.beside[friend, now.place[friend]]
        if friend == unit or not (is_behind and in_column and stands(now.status[friend])):
            continue
        place = length
        while place > 0 and rank_of(units, now, now.line[place - 1]) < rank:
            now.line[place] = now.line[place - 1]
            place -= 1
        now.line[place] = friend
        length += 1
    now.line[length] = -1


@step
def fly(units: Units, now: Now, unit: int, rolled: int, surrounded: int) -> None:
    """Apply the flight of a unit, which disrupts the friends in its column that it passes, nearest first (GT-5)."""
    status, place = now.status[unit], now.place[unit]
    if surrounded:
        now.status[unit] = SURROUNDED
        return
    after, reach = units.ground.onward[unit, place, rolled], units.ground.reach[unit, place, rolled]
    now.status[unit] = LEFT_MAP if after == rules.OFF_MAP else ROUTED
    now.place[unit] = max(after, 0)
    for friend in now.line:
        if friend < 0 or rank_of(units, now, friend) < reach:
            return
        before = now.status[friend]
        disrupted = rules.passed_through(before, units.arms[friend])
        if disrupted == FLEEING and before == SHAKEN:
            make_flee(units, now, friend, status, False)
        elif stands(before):
            now.status[friend] = disrupted


@step
def in_pip_phase(units: Units, now: Now, pips: int, collapsed: int) -> None:
    """Rally routed units in order while PIPs last; the others must flee again, except in shelter (GT-6)."""
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
    """Apply the effect of fire to a unit that stands (GT-1, GT-2)."""
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
    """Apply a successful charge on a standing or a routed unit; cavalry rides a routed one down (GT-7)."""
    if enemy == NO_CHARGE:
        return
    if now.status[unit] == ROUTED and enemy == BY_CAVALRY:
        now.status[unit] = RIDDEN_DOWN
    elif units.arms[unit] == rules.ARTILLERY:
        now.status[unit] = SILENCED  # (GT-1)
    else:
        make_flee(units, now, unit, FLEEING_FROM_CAVALRY if enemy == BY_CAVALRY else FLEEING, enemy == BY_INFANTRY)


@step
def state_after(units: Units, phase: int, unit: int, now: Now, collapsed: int, total: int) -> int:
    """Return the state after a phase of one unit with a total of its dice; overwrites `now`.

    The unit must be one that the phase can affect (`totals_apart`).
    """
    if phase == WITHDRAWAL:
        now.status[unit] = WITHDRAWN
    elif phase == PIPS:
        in_pip_phase(units, now, total, collapsed)
    elif phase == FLIGHT:
        fly(units, now, unit, total % rules.TOTALS, total // rules.TOTALS)
    elif phase in (CHARGE, CHARGE_IN_ROUT):
        charge(units, now, unit, total)
    elif total % 2:  # there is fire
        suffer(units, now, unit, CAUSES[phase], total // 2)
    return pack(units, now, has_collapsed(now, collapsed))


@step
def totals_apart(units: Units, phase: int, unit: int, now: Now) -> int:
    """Return the number of totals from 0 that can lead to different states; 0 if the phase changes nothing."""
    if phase == PIPS:
        return ALL if (now.status == ROUTED).any() else 0
    if phase == CHARGE_IN_ROUT:
        return ALL if now.status[unit] == ROUTED else 0
    if phase != FLIGHT:
        return ALL if stands(now.status[unit]) else 0
    if unit < 0:
        return 0
    return ALL if dice_taken(units, now, unit) else 1


@step
def ends_alike(units: Units, now: Now, unit: int, rolled: int) -> bool:
    """Return True if 1 less on the flight dice gives the same end and passes through the same friends."""
    onward, reach = units.ground.onward[unit, now.place[unit]], units.ground.reach[unit, now.place[unit]]
    return rolled > 0 and onward[rolled] == onward[rolled - 1] and reach[rolled] == reach[rolled - 1]


@tiered(2.0)
def tabulated(units: Units, phase: int, unit: int, totals: int, states: States) -> States:
    """Return the next state for each state and total: shape (states, totals). A flight ignores `unit`."""
    after = np.empty((len(states), totals), np.int64)
    before, now = room_for(len(units.arms)), room_for(len(units.arms))
    for row in range(len(states)):
        collapsed = unpack(units, states[row], before)
        if phase == FLIGHT:
            unit = foremost_fleeing(units, before)
            line_up(units, before, max(unit, 0))
            now.line[:] = before.line
        apart = totals_apart(units, phase, unit, before)
        for total in range(totals):
            after[row, total] = states[row]
            if phase == FLIGHT and apart > 1 and ends_alike(units, before, unit, total % rules.TOTALS):
                after[row, total] = after[row, total - 1]
            elif (total % rules.TOTALS if phase == FLIGHT else total) < apart:
                for other in range(len(units.arms)):
                    now.status[other], now.place[other] = before.status[other], before.place[other]
                    now.rallied[other] = before.rallied[other]
                after[row, total] = state_after(units, phase, unit, now, collapsed, total)
    return after


@step
def dice_taken(units: Units, now: Now, fleeing: int) -> int:
    """Return the number of dice for the flight of a unit (GT-3)."""
    enemy = rules.CAVALRY if now.status[fleeing] == FLEEING_FROM_CAVALRY else rules.INFANTRY
    return rules.flight_dice(units.arms[fleeing], enemy)


@tiered(2.0)
def dice_of_flight(units: Units, states: States) -> States:
    """Return the number of dice for the next flight: shape (states,)."""
    dice = np.zeros(len(states), np.int64)
    now = room_for(len(units.arms))
    for row in range(len(states)):
        unpack(units, states[row], now)
        fleeing = foremost_fleeing(units, now)
        if fleeing >= 0:
            dice[row] = dice_taken(units, now, fleeing)
    return dice


def units_of(paths: Sequence[rules.Path], conditions: Sequence[Sequence[int]]) -> Units:
    """Return units from their paths and sorted possible conditions, with 0 in all other fields."""
    ground, counts = rules.ground_of(paths), np.array([len(of_unit) for of_unit in conditions])
    numbers = np.zeros((len(paths), int(ground.places.max()) * 2 * STATUSES), np.int64)
    of_number = np.zeros((len(paths), counts.max()), np.int64)
    for unit, of_unit in enumerate(conditions):
        numbers[unit, of_unit] = range(len(of_unit))
        of_number[unit, : len(of_unit)] = of_unit
    nothing, arms = np.zeros(len(paths), np.int64), np.array([path.arm for path in paths], np.int64)
    return Units(ground, counts, numbers, of_number, arms, nothing, nothing, nothing, 0, 0, 0, 0, 0)


def start_of(units: Units, statuses: Sequence[int]) -> int:
    """Return the start state of units with these statuses."""
    now = room_for(len(statuses))
    now.status[:] = statuses
    return int(pack(units, now, has_collapsed(now, 0)))


def read(units: Units, states: States) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the status of each unit in states, and 1 if it has ever rallied: shapes (states, units)."""
    of_each, rest = [], states // 2 if units.collapses else states
    for count, of_number in zip(units.counts.tolist(), units.of_number):
        of_each.append(of_number[rest % count])
        rest = rest // count
    conditions = np.stack(of_each, axis=1)
    return conditions % STATUSES, conditions // STATUSES % 2


def change(units: Units, phase: int, unit: int) -> Change:
    """Return the change of states in a phase."""
    return lambda states, totals: tabulated(units, phase, unit, len(totals), states[:, 0])


def flight(units: Units, die: Die, extra_dice: tuple[ExtraDie, ...] = ()) -> Phase:
    """Return the phase of the next flight, which has no effect if no unit must flee."""
    title = "Flight (GT-3, GT-5)"
    return Phase(change(units, FLIGHT, 0), die, partial(dice_of_flight, units), extra_dice, rules.FLIGHT_DICE, title)


def describe_state(units: Units, state: int) -> dict[str, Any]:
    """Return a state as labels and values, for each unit and the division."""
    status, rallied = read(units, np.array([state]))
    words = {f"unit {unit}": STATUS_WORDS[state_now] for unit, state_now in enumerate(status[0].tolist(), start=1)}
    ever = {f"unit {unit}: rallied before": bool(has_rallied) for unit, has_rallied in enumerate(rallied[0], start=1)}
    return {**words, **ever, **({"division collapsed (GT-8)": bool(state % 2)} if units.collapses else {})}
