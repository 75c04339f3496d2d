"""Compiled steps of the game of a division: events of a unit, and the flights that they cause (GT-1 to GT-11).

The condition of a unit combines its position, a flag "has rallied", and its status. A state packs, for each unit, the
index of its condition among those that it can have; if needed, a lowest field is 1 once the division has collapsed.
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
STANDING, MUST_FLEE = 1 << EAGER | 1 << SHAKEN, 1 << FLEEING | 1 << FLEEING_FROM_CAVALRY  # one bit for each status
STATUS_WORDS = (
    *("eager", "shaken", "must flee", "routed", "destroyed", "silenced"),
    *("must flee from cavalry", "off the map", "surrounded", "withdrawn"),
)
STATUS_OF = {word: status for status, word in enumerate(STATUS_WORDS)}
ON_MAP = STANDING | MUST_FLEE | 1 << ROUTED | 1 << SILENCED
WITHDRAWAL, PIPS, FLIGHT, ARTILLERY_FIRE, INFANTRY_FIRE, LOST_FIRING, CHARGE_IN_ROUT, CHARGE = range(8)
NO_CHARGE, BY_CAVALRY, BY_INFANTRY = range(3)
CAUSES = np.array([-1, -1, -1, rules.WORN_DOWN_BY_ARTILLERY, rules.WORN_DOWN, rules.LOST_FIRING])  # by phase number
ALL = 1 << 30  # more than any total


class Units(NamedTuple):
    """The units of a game as integers; arrays have the shape (units,), with further axes as stated."""

    # By position; rows are padded with zeros.
    ends_by_total: NDArray[np.int64]  # next position after a flight, by the total of its dice, or OFF_MAP
    to_edge: NDArray[np.int64]  # distance to the map edge, `INCH` for each inch
    sheltered: NDArray[np.int64]  # 1 in woods or a built-up area
    off_column: NDArray[np.int64]  # 1 if the unit has left its column
    counts: NDArray[np.int64]  # number of possible conditions of each unit
    index_of: NDArray[np.int64]  # by condition: its index among the possible ones, 0 for others
    condition_at: NDArray[np.int64]  # by index: the condition; padded with zeros
    arms: NDArray[np.int64]
    columns: NDArray[np.int64]  # number of the unit's column; a unique number if the unit is in none
    old_guard: NDArray[np.int64]  # 1 for Old Guard
    modifiers: NDArray[np.int64]  # modifier of the unit's morale checks
    target: int  # number to reach in a morale check
    fire_shakes: int  # 1 if fire shakes an eager unit that it wears down
    rallied: int  # status of a unit after it has rallied
    pips_elsewhere: int  # PIPs spent on other things in each turn
    has_collapse_field: int  # 1 if the state has a field for the collapse


class GameState(NamedTuple):
    """State of a game, unpacked and mutable; arrays have the shape (units,)."""

    status: NDArray[np.int64]
    position: NDArray[np.int64]
    has_rallied: NDArray[np.int64]  # 1 if the unit has ever rallied
    line: NDArray[np.int64]  # friends that a flight may pass, nearest first, and then -1: shape (units + 1,)


@step
def empty_game(units: int) -> GameState:
    """Return a state of a game with zeros in all fields."""
    zeros = np.zeros((3, units), np.int64)
    return GameState(zeros[0], zeros[1], zeros[2], np.zeros(units + 1, np.int64))


@step
def condition_of(position: int, rallied: int, status: int) -> int:
    """Return a condition as a number; the position of a unit that is gone becomes 0."""
    return int(((position if ON_MAP >> status & 1 else 0) * 2 + rallied) * STATUSES + status)


@step
def unpack(units: Units, state: int, game: GameState) -> int:
    """Unpack a state into `game`; return 1 if the division has collapsed."""
    collapsed = 0
    if units.has_collapse_field:
        collapsed, state = state % 2, state // 2
    for unit in range(len(units.arms)):
        count = units.counts[unit]
        condition, state = units.condition_at[unit, state % count], state // count
        game.status[unit] = condition % STATUSES
        game.has_rallied[unit] = condition // STATUSES % 2
        game.position[unit] = condition // STATUSES // 2
    return int(collapsed)


@step
def pack(units: Units, game: GameState, collapsed: int) -> int:
    """Return the state of a game as an integer."""
    state, (status, position, rallied, _), counts = 0, game, units.counts
    for unit in range(len(counts) - 1, -1, -1):
        state = state * counts[unit] + units.index_of[unit, condition_of(position[unit], rallied[unit], status[unit])]
    return state * 2 + collapsed if units.has_collapse_field else state


@step
def stands(status: int) -> bool:
    """Return True if a unit is not routed, silenced or gone."""
    return bool(STANDING >> status & 1)


@step
def has_collapsed(game: GameState, collapsed: int) -> int:
    """Return 1 if the division has collapsed, now or before; withdrawn units do not count as lost (GT-8)."""
    left = 0
    for status in game.status:
        left += stands(status) or status == WITHDRAWN
    return 1 if collapsed or rules.has_collapsed(left, len(game.status) - left) else 0


@step
def make_flee(units: Units, game: GameState, unit: int, status: int, forced_out: bool) -> None:
    """Make a unit flee; in shelter it only routs, unless `forced_out` (GT-6). Old Guard affects its column (GT-9)."""
    waiting = 1 << unit  # one bit for each unit that must flee
    while waiting:
        unit = 0
        while not waiting >> unit & 1:
            unit += 1
        waiting -= 1 << unit
        if units.sheltered[unit, game.position[unit]] and not forced_out:
            game.status[unit] = ROUTED
            continue
        game.status[unit] = status
        forced_out = False
        for friend in range(len(game.status) if units.old_guard[unit] else 0):
            if friend != unit and units.columns[friend] == units.columns[unit]:
                distance = abs(to_edge(units, game, friend) - to_edge(units, game, unit)) / rules.INCH
                before = game.status[friend]
                after = rules.status_near_old_guard(before, units.arms[friend], distance)
                if after == FLEEING and before != FLEEING:
                    waiting |= 1 << friend
                    after = SHAKEN  # until the loop reaches this friend
                game.status[friend] = after


@step
def to_edge(units: Units, game: GameState, unit: int) -> int:
    """Return the distance of a unit to the map edge, `INCH` for each inch."""
    return int(units.to_edge[unit, game.position[unit]])


@step
def foremost_fleeing(units: Units, game: GameState) -> int:
    """Return the foremost unit (farthest from the map edge; if tied, the first) that must flee, or -1 for none."""
    foremost = -1
    for unit in range(len(game.status)):
        if MUST_FLEE >> game.status[unit] & 1 and (
            foremost < 0 or to_edge(units, game, unit) > to_edge(units, game, foremost)
        ):
            foremost = unit
    return foremost


@step
def line_up(units: Units, game: GameState, unit: int) -> None:
    """Set `game.line` to the standing friends behind a unit in its column, nearest first, followed by -1."""
    length = 0
    for friend in range(len(game.status)):
        distance, own_distance = to_edge(units, game, friend), to_edge(units, game, unit)
        is_behind = distance < own_distance or (distance == own_distance and friend > unit)
        has_left = units.off_column[friend, game.position[friend]]
        in_column = units.columns[friend] == units.columns[unit] and not has_left
        if friend == unit or not (is_behind and in_column and stands(game.status[friend])):
            continue
        position = length
        while position > 0 and to_edge(units, game, game.line[position - 1]) < distance:
            game.line[position] = game.line[position - 1]
            position -= 1
        game.line[position] = friend
        length += 1
    game.line[length] = -1


@step
def flee(units: Units, game: GameState, unit: int, rolled: int, surrounded: int) -> None:
    """Apply the flight of a unit, which disrupts the friends that it passes in its column, nearest first (GT-5)."""
    status, position = game.status[unit], game.position[unit]
    if surrounded:
        game.status[unit] = SURROUNDED
        return
    after, off_column = units.ends_by_total[unit, position, rolled], units.off_column
    reach = to_edge(units, game, unit) - rules.flight_distance(units.arms[unit], rolled) * rules.INCH
    passes_friends = not (off_column[unit, position] or (after != rules.OFF_MAP and off_column[unit, after]))
    game.status[unit] = LEFT_MAP if after == rules.OFF_MAP else ROUTED
    game.position[unit] = max(after, 0)
    for friend in game.line:
        if friend < 0 or not passes_friends or to_edge(units, game, friend) < reach:
            return
        before = game.status[friend]
        status_after = rules.status_when_passed(before, units.arms[friend])
        if status_after == FLEEING and before == SHAKEN:
            make_flee(units, game, friend, status, False)
        elif stands(before):
            game.status[friend] = status_after


@step
def apply_pips(units: Units, game: GameState, pips: int, collapsed: int) -> None:
    """Rally routed units in order while PIPs suffice; the others must flee again, except in shelter (GT-6)."""
    pips = max(pips - units.pips_elsewhere, 0)
    for unit in range(len(game.status)):
        if game.status[unit] == ROUTED and rules.can_rally(pips, collapsed):
            pips -= rules.RALLY_COST
            game.status[unit], game.has_rallied[unit] = units.rallied, 1
    for unit in range(len(game.status)):
        if game.status[unit] == ROUTED:
            make_flee(units, game, unit, FLEEING, False)


@step
def apply_fire(units: Units, game: GameState, unit: int, cause: int, rolled: int) -> None:
    """Apply the effect of fire on a unit that stands (GT-1, GT-2)."""
    response = rules.response(units.arms[unit], game.status[unit] == SHAKEN, cause)
    if response == rules.IS_SILENCED:
        game.status[unit] = SILENCED
    elif response == rules.IS_SHAKEN:
        game.status[unit] = SHAKEN if units.fire_shakes else game.status[unit]
    elif response == rules.FLEES or (
        response == rules.CHECKS and not rules.passes_check(rolled, units.modifiers[unit], units.target)
    ):
        make_flee(units, game, unit, FLEEING, False)


@step
def apply_charge(units: Units, game: GameState, unit: int, enemy: int) -> None:
    """Apply a successful charge on a standing or a routed unit; cavalry rides a routed unit down (GT-7)."""
    if enemy == NO_CHARGE:
        return
    if game.status[unit] == ROUTED and enemy == BY_CAVALRY:
        game.status[unit] = RIDDEN_DOWN
    elif units.arms[unit] == rules.ARTILLERY:
        game.status[unit] = SILENCED  # (GT-1)
    else:
        make_flee(units, game, unit, FLEEING_FROM_CAVALRY if enemy == BY_CAVALRY else FLEEING, enemy == BY_INFANTRY)


@step
def state_after(units: Units, phase: int, unit: int, game: GameState, collapsed: int, total: int) -> int:
    """Return the state after a phase that affects the unit, for a total of the phase's dice; this overwrites `game`."""
    if phase == WITHDRAWAL:
        game.status[unit] = WITHDRAWN
    elif phase == PIPS:
        apply_pips(units, game, total, collapsed)
    elif phase == FLIGHT:
        flee(units, game, unit, total % rules.TOTALS, total // rules.TOTALS)
    elif phase in (CHARGE, CHARGE_IN_ROUT):
        apply_charge(units, game, unit, total)
    elif total % 2:  # the lowest bit is 1 if the event occurs
        apply_fire(units, game, unit, CAUSES[phase], total // 2)
    return pack(units, game, has_collapsed(game, collapsed))


@step
def distinct_totals(units: Units, phase: int, unit: int, game: GameState) -> int:
    """Return how many totals, from 0 up, must be computed: ALL, 1 for a flight without dice, 0 without effect."""
    if phase == PIPS:
        return ALL if (game.status == ROUTED).any() else 0
    if phase == CHARGE_IN_ROUT:
        return ALL if game.status[unit] == ROUTED else 0
    if phase != FLIGHT:
        return ALL if stands(game.status[unit]) else 0
    if unit < 0:
        return 0
    return ALL if flight_dice_of(units, game, unit) else 1


@tiered(2.0)
def next_states(units: Units, phase: int, unit: int, totals: int, states: States) -> States:
    """Return the next state for each state and total: shape (states, totals). A flight ignores `unit`."""
    after = np.empty((len(states), totals), np.int64)
    before, game = empty_game(len(units.arms)), empty_game(len(units.arms))
    for row in range(len(states)):
        collapsed = unpack(units, states[row], before)
        if phase == FLIGHT:
            unit = foremost_fleeing(units, before)
            line_up(units, before, max(unit, 0))
            game.line[:] = before.line
        distinct = distinct_totals(units, phase, unit, before)
        for total in range(totals):
            after[row, total] = states[row]
            if (total % rules.TOTALS if phase == FLIGHT else total) < distinct:
                for other in range(len(units.arms)):
                    game.status[other], game.position[other] = before.status[other], before.position[other]
                    game.has_rallied[other] = before.has_rallied[other]
                after[row, total] = state_after(units, phase, unit, game, collapsed, total)
    return after


@step
def flight_dice_of(units: Units, game: GameState, fleeing: int) -> int:
    """Return the number of dice for the flight of a unit (GT-3)."""
    enemy = rules.CAVALRY if game.status[fleeing] == FLEEING_FROM_CAVALRY else rules.INFANTRY
    return rules.flight_dice(units.arms[fleeing], enemy)


@tiered(2.0)
def dice_of_flight(units: Units, states: States) -> States:
    """Return the number of dice for the next flight: shape (states,)."""
    dice = np.zeros(len(states), np.int64)
    game = empty_game(len(units.arms))
    for row in range(len(states)):
        unpack(units, states[row], game)
        fleeing = foremost_fleeing(units, game)
        if fleeing >= 0:
            dice[row] = flight_dice_of(units, game, fleeing)
    return dice


def units_of(paths: Sequence[rules.Path], conditions: Sequence[Sequence[int]]) -> Units:
    """Return units with these paths and sorted possible conditions, and 0 in all other fields."""
    to_edge = [[round((path.to_edge - at.moved) * rules.INCH) for at in path.positions] for path in paths]
    ends_by_total = padded([path.ends_by_total for path in paths], [0] * rules.TOTALS)
    index_of = np.zeros((len(paths), ends_by_total.shape[1] * 2 * STATUSES), np.int64)
    for unit, possible in enumerate(conditions):
        index_of[unit, possible] = range(len(possible))
    zeros = np.zeros(len(paths), np.int64)
    return Units(
        ends_by_total,
        padded(to_edge),
        padded([[at.sheltered for at in path.positions] for path in paths]),
        padded([[at.off_column for at in path.positions] for path in paths]),
        np.array([len(possible) for possible in conditions]),
        index_of,
        padded(conditions),
        np.array([path.arm for path in paths], np.int64),
        *(zeros, zeros, zeros, 0, 0, 0, 0, 0),
    )


def padded(rows: Sequence[Sequence[Any]], zero: Any = 0) -> NDArray[np.int64]:
    """Return rows of different lengths as an array, with `zero` at the ends of shorter rows."""
    return np.array([[*row, *[zero] * (max(map(len, rows)) - len(row))] for row in rows], np.int64)


def start_of(units: Units, statuses: Sequence[int]) -> int:
    """Return the start state of units with these statuses."""
    game = empty_game(len(statuses))
    game.status[:] = statuses
    return int(pack(units, game, has_collapsed(game, 0)))


def read(units: Units, states: States) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the status of each unit in states, and 1 if it has ever rallied: shapes (states, units)."""
    conditions_by_unit, rest = [], states // 2 if units.has_collapse_field else states
    for count, condition_at in zip(units.counts.tolist(), units.condition_at):
        conditions_by_unit.append(condition_at[rest % count])
        rest = rest // count
    conditions = np.stack(conditions_by_unit, axis=1)
    return conditions % STATUSES, conditions // STATUSES % 2


def change(units: Units, phase: int, unit: int) -> Change:
    """Return the function that changes states in a phase."""
    return lambda states, totals: next_states(units, phase, unit, len(totals), states[:, 0])


def flight(units: Units, die: Die, extra_dice: tuple[ExtraDie, ...] = ()) -> Phase:
    """Return the phase of the next flight, which has no effect if no unit must flee."""
    title = "Flight (GT-3, GT-5)"
    return Phase(change(units, FLIGHT, 0), die, partial(dice_of_flight, units), extra_dice, rules.FLIGHT_DICE, title)


def describe_state(units: Units, state: int) -> dict[str, Any]:
    """Return a state as labels and values, for each unit and the division."""
    status, rallied = read(units, np.array([state]))
    words = {f"unit {unit}": STATUS_WORDS[value] for unit, value in enumerate(status[0].tolist(), start=1)}
    ever_rallied = {f"unit {unit}: rallied before": bool(value) for unit, value in enumerate(rallied[0], start=1)}
    collapse = {"division collapsed (GT-8)": bool(state % 2)} if units.has_collapse_field else {}
    return {**words, **ever_rallied, **collapse}
