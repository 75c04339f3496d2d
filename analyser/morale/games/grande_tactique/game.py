"""A division under attack, turn by turn: check, flight, through friends, rally, charges, collapse (GT-1 to GT-11).

A turn is a list of phases, each of which befalls one unit (:mod:`.game_steps`); after each come the flights that it
leads to, one after the other, the foremost first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import (
    MOST_STATES,
    RECORD,
    Chain,
    Die,
    Extent,
    ExtraDie,
    Phase,
    Recorded,
    States,
    Transition,
    bernoulli,
    sided,
)
from analyser.morale.games.grande_tactique import game_steps as steps
from analyser.morale.games.grande_tactique import rules
from analyser.morale.games.grande_tactique.check import BONUS
from analyser.morale.games.grande_tactique.division import division_probabilities
from analyser.morale.games.grande_tactique.game_steps import STATUSES, Conditions, Units, condition_of
from analyser.morale.games.grande_tactique.ground import OFF_MAP, TOTALS, Ground, ground_of
from analyser.morale.games.grande_tactique.question import Game, GameUnit, Question
from analyser.morale.panels import Cells, Curves, Panel
from analyser.morale.tables import Mean, Table, by_turn, by_unit_and_turn

LOST = (steps.RIDDEN_DOWN, steps.LEFT_MAP, steps.SURROUNDED)
STATUS_OF = {
    "eager": steps.EAGER,
    "shaken": steps.SHAKEN,
    "routed": steps.ROUTED,
    "silenced": steps.SILENCED,
    "destroyed": steps.RIDDEN_DOWN,
}
STATUSES_OF = {name: (status,) for name, status in STATUS_OF.items()} | {
    "destroyed": LOST,
    "off_map": (steps.LEFT_MAP,),
    "surrounded": (steps.SURROUNDED,),
    "withdrawn": (steps.WITHDRAWN,),
}


def units_of(game: Game, question: Question) -> Units:
    """The units of a game."""
    ruleset, ground = question.ruleset, ground_of(game, turns_of(game, question))
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


def turns_of(game: Game, question: Question) -> int:
    """Turns to play."""
    return game.turns or question.ruleset.turns


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
    """All conditions that a unit can come to, and perhaps some that it cannot, in order: a search from its start."""
    unit = game.units[number]
    of_a_flight = {
        steps.FLEEING: (0,),
        steps.FLEEING_FROM_CAVALRY: range(rules.FLIGHT_DICE, TOTALS) if unit.arm == "cavalry" else (0,),
    }
    of_standing = [steps.SHAKEN]
    if unit.arm == "artillery":
        of_standing.append(steps.SILENCED)
    else:
        from_cavalry = any(each.charged_by_cavalry for each in _column(unit, game))
        of_standing += [steps.FLEEING, steps.ROUTED, *[steps.FLEEING_FROM_CAVALRY] * from_cavalry]
    of_standing += [steps.WITHDRAWN] if unit.withdraws else []
    of_rout = [steps.FLEEING, *([steps.RIDDEN_DOWN] if unit.charges_in_rout[0] else [])]
    start = condition_of(0, 0, STATUS_OF[unit.state])
    found, waiting = {start}, [start]
    while waiting:
        rest, status = divmod(waiting.pop(), STATUSES)
        place, rallied = divmod(rest, 2)
        after = []
        if status in (steps.EAGER, steps.SHAKEN):
            after = [(place, rallied, each) for each in of_standing]
        elif status == steps.ROUTED:
            after = [(place, 1, STATUS_OF[game.rallied]), *((place, rallied, each) for each in of_rout)]
        elif status in of_a_flight:
            ends = {int(ground.onward[number, place, total]) for total in of_a_flight[status]}
            after = [(end, rallied, steps.ROUTED) if end != OFF_MAP else (0, rallied, steps.LEFT_MAP) for end in ends]
            after += [(0, rallied, steps.SURROUNDED)] if game.surrounded else []
        new = {condition_of(*each) for each in after} - found
        found |= new
        waiting += new
    return sorted(found)


def _column(unit: GameUnit, game: Game) -> list[GameUnit]:
    """The units of a unit's column; itself, where it is in none."""
    return [each for each in game.units if unit.column is not None and each.column == unit.column] or [unit]


def chain(game: Game, question: Question) -> Chain:
    """Turns: withdrawals, the PIP phase, fire on each unit, charges on each; the state after each is recorded."""
    units, ruleset = units_of(game, question), question.ruleset
    flight, pips = _flight(units, game.surrounded), sided(ruleset.pip_sides)
    rally = _targets(units, steps.PIPS, 0, ruleset.pip_dice * pips.highest + 1)
    withdrawals = [Phase(_targets(units, steps.WITHDRAWAL, unit, 1)) for unit in range(len(game.units))]
    events = [Phase(rally, pips, ruleset.pip_dice), *[flight] * _mobile(game.units)]
    for befall in (_fire, _charges):
        for number, unit in enumerate(game.units):
            for phase in befall(units, number, unit, ruleset.check_sides):
                events += [phase, *[flight] * _mobile(_column(unit, game))]
    phases: list[Phase] = []
    for turn in range(1, turns_of(game, question) + 1):
        leaving = [unit.withdraws is not None and unit.withdraws <= turn for unit in game.units]
        phases += [phase for phase, leaves in zip(withdrawals, leaving) if leaves] + [*events, RECORD]
    size = 2 * math.prod(units.conditions.counts.tolist())
    places = int(units.ground.places.max())
    extent = Extent(
        f"a game of {len(game.units)} units, each by its state, up to {places} places and whether it has rallied",
        "fewer units or turns, cavalry nearer to its edge, or no edge_distance and column",
    )
    start = steps.room_for(len(game.units))
    start.status[:] = [STATUS_OF[unit.state] for unit in game.units]
    # few of the states can be reached: above MOST_STATES they are looked for, and not tabulated one and all
    size = max(size, MOST_STATES + 1)
    return Chain(steps.pack(units, start, steps.has_collapsed(start, 0)), tuple(phases), size, extent)


def _targets(units: Units, event: int, unit: int, totals: int) -> Transition:
    return partial(steps.tabulated, units, event, unit, totals)


def _flight(units: Units, surrounded: float) -> Phase:
    """The next flight, if anybody is to make one."""
    dice = partial(steps.dice_of_flight, units)
    if not surrounded:
        return Phase(_targets(units, steps.FLIGHT, 0, TOTALS), sided(6), dice)
    gap = ExtraDie(bernoulli(surrounded), TOTALS)
    return Phase(_targets(units, steps.FLIGHT, 0, 2 * TOTALS), sided(6), dice, (gap,))


def _mobile(units: Sequence[GameUnit]) -> int:
    """How many units may flee."""
    return sum(unit.arm != "artillery" for unit in units)


def _fire(units: Units, number: int, unit: GameUnit, check_sides: int) -> Iterator[Phase]:
    """What fire may do to a unit, with the die of a morale check: infantry alone makes one (GT-2)."""
    totals, extra = (2 * check_sides + 2, (ExtraDie(sided(check_sides), 2),)) if unit.arm == "infantry" else (2, ())
    events = {
        steps.ARTILLERY_FIRE: unit.worn_down_by_artillery,
        steps.INFANTRY_FIRE: unit.worn_down_by_infantry,
        steps.LOST_FIRING: unit.loses_firing,
    }
    for event, probability in events.items():
        if probability:
            yield Phase(_targets(units, event, number, totals), bernoulli(probability), 1, extra)


def _charges(units: Units, number: int, unit: GameUnit, _: int) -> Iterator[Phase]:
    """One charge a turn at most: on the unit in rout, or on it while it stands (GT-2, GT-7, GT-11)."""
    for event, charges in ((steps.CHARGE_IN_ROUT, unit.charges_in_rout), (steps.CHARGE, unit.charges)):
        if any(charges):
            yield Phase(_targets(units, event, number, 3), Die((1.0 - sum(charges), *charges)), 1)


def tables(game: Game, question: Question, recorded: Recorded) -> dict[str, Table]:
    """`game`: the division by turn; `game_units`: each unit by turn; `game_lost`: how many are lost, by turn."""
    units, count, (states, weights) = units_of(game, question), len(game.units), recorded
    status, ever = _read(units, states)
    numbers = {
        "standing": np.isin(status, (steps.EAGER, steps.SHAKEN)).sum(axis=1),
        "routed": (status == steps.ROUTED).sum(axis=1),
        "lost": np.isin(status, LOST).sum(axis=1),
        "withdrawn": (status == steps.WITHDRAWN).sum(axis=1),
    }
    lost = numbers["lost"]
    probabilities = division_probabilities(numbers["standing"], lost, game.corps_units or count, states, weights)
    of_units = {f"p_{name}": weights @ np.isin(status, each) for name, each in STATUSES_OF.items()}
    of_units["p_rallied"] = weights @ ever
    means = {f"mean_{name}": Mean.of(weights, number) for name, number in numbers.items()}
    return {
        "game": Table({"turn": [*range(1, weights.shape[0] + 1)]}, probabilities, means),
        "game_units": by_unit_and_turn(of_units, arm=[unit.arm for unit in game.units]),
        "game_lost": by_turn(weights, lost, count),
    }


def _read(units: Units, states: States) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The status of each unit, and whether it has ever rallied, from states: shapes (states, units)."""
    found, rest = [], states // 2
    for count, of_number in zip(units.conditions.counts.tolist(), units.conditions.of_number):
        found.append(of_number[rest % count])
        rest = rest // count
    conditions = np.stack(found, axis=1)
    return conditions % STATUSES, conditions // STATUSES % 2


def panels(game: Game, _: Question) -> Iterator[Panel]:
    """Each unit by turn, the division, and how many are lost."""
    lines = {name: name[2:].replace("_", " ") for name in ("p_routed", "p_silenced", "p_destroyed", "p_rallied")}
    for unit in range(1, len(game.units) + 1):
        yield Curves("game_units", f"Unit {unit} of the game", "turn", lines, {"unit": unit})
    yield Curves("game", "The division", "turn", {"p_collapsed": "collapsed", "p_corps_halted": "corps halted"})
    yield Cells("game_lost", "Units lost", "turn", "units")


def _is_fired_at(unit: GameUnit) -> bool:
    return bool(unit.worn_down_by_artillery or unit.worn_down_by_infantry or unit.loses_firing)


def applied(game: Game, question: Question) -> Mapping[str, bool]:
    """The rules of a game, and whether each can have its occasion."""
    units = game.units
    tested = [unit for unit in units if _is_fired_at(unit) and unit.arm == "infantry"]
    attacked = any(_is_fired_at(unit) or any(unit.charges) for unit in units)
    in_columns = [unit.column for unit in units if unit.column is not None]
    flight = attacked or any(unit.state == "routed" for unit in units)
    return {
        "GT-1 states": True,
        "GT-2 who flees": attacked,
        "GT-3 flight distance": flight,
        "GT-5 shelter": any(unit.shelter_distance is not None for unit in units),
        "GT-5 the map edge": any(unit.edge_distance is not None for unit in units),
        "GT-5 flight through friends": len(set(in_columns)) < len(in_columns),
        "GT-5 surrounded": game.surrounded > 0,
        "GT-6 rally": flight and bool(rules.rallies(question.ruleset.most_pips - game.pips_elsewhere, 0)),
        "GT-6 flight again": flight,
        "GT-7 charges against routed units": any(
            any(each.charges_in_rout) for each in units if each.arm != "artillery"
        ),
        "GT-8 collapse, a corps that has lost half its units": True,
        "GT-9 Old Guard and veterans on morale checks": any(unit.quality != "regular" for unit in tested),
        "GT-9 Old Guard that flees": any(each.quality == "old guard" and each.column in in_columns for each in units),
        "GT-10 voluntary withdrawal, counted apart": any(unit.withdraws is not None for unit in units),
    }


def warnings(game: Game, _: Question) -> Iterator[str]:
    """What has no effect."""
    for number, unit in enumerate(game.units):
        yield from (f"game.units.{number}: {warning}" for warning in _without_effect(unit))


def _without_effect(unit: GameUnit) -> Iterator[str]:
    if unit.in_shelter and unit.shelter_distance is not None:
        yield "shelter_distance has no effect: the unit is in shelter already"
    if unit.arm != "infantry" and unit.loses_firing:
        yield f"loses_firing has no effect: {unit.arm} does not flee after a firing attack of its own (GT-2)"
    if unit.arm == "artillery" and (unit.rout_charged_by_cavalry or unit.rout_charged_by_infantry):
        yield "charges in rout have no effect: artillery does not rout (GT-1)"
    if unit.quality == "old guard" and unit.column is None:
        yield "Old Guard that is in no column dismays nobody (GT-9)"
    if not (unit.arm == "infantry" and _is_fired_at(unit)) and (unit.quality == "veteran" or unit.modifier):
        yield "quality and modifier have no effect: no morale check is made (GT-2)"
