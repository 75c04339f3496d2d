"""Objectives on the centre line: which side controls them, their victory points, and their value to a unit (BT-7)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.battle_data import Battle, first_of, side_of, units_of, wide
from analyser.engine.battle.log import Event, record
from analyser.engine.battle.positions import squared_distance
from analyser.rules.activation import at_double_time
from analyser.rules.battle import OBJECTIVE_WITHIN, controls, floor_sqrt, length_of

_CONTACT = (OBJECTIVE_WITHIN + 1) * (OBJECTIVE_WITHIN + 1)  # contact means a squared distance below this
_SHARES = (0.55, 0.3, 0.15, 0.05)  # weights of an objective that requires 1, 2, 3, or more moves at double time


@step
def is_in_contact(battle: Battle, unit: int, objective: int) -> bool:
    """Return True if a unit is on the field and in contact with an objective."""
    facts = battle.setup
    squared = squared_distance(battle.field, unit, int(facts.objective_x[objective]), int(facts.objective_y))
    return bool(squared < _CONTACT)


@step
def count_contacts(battle: Battle) -> None:
    """Count the units of each side that hold, and that contest, each objective."""
    field, facts = battle.field, battle.setup
    for objective in range(facts.objectives):
        for side in range(2):
            field.holders[side, objective] = field.contesters[side, objective] = 0
            for unit in units_of(battle, side):
                if facts.contests[unit] and is_in_contact(battle, unit, objective):
                    field.contesters[side, objective] += 1
                    field.holders[side, objective] += facts.holds_objectives[unit]


@step
def score_objectives(battle: Battle) -> None:
    """Add the victory points of the objectives that each side controls at the end of a round."""
    field, facts = battle.field, battle.setup
    count_contacts(battle)
    for side in range(2):
        scored = 0
        for objective in range(facts.objectives):
            if controls(wide(field.holders[side, objective]), wide(field.contesters[1 - side, objective])):
                scored += facts.objective_points
        if scored > 0:
            field.points[side] += scored
            record(battle, Event.SCORED, first_of(side), 0, side, scored, 0)


@step
def points_at_stake(battle: Battle, unit: int, objective: int) -> float:
    """Return the victory points by which a unit improves its side's margin if it is in contact with an objective."""
    field, facts, side = battle.field, battle.setup, side_of(unit)
    if not facts.contests[unit]:
        return 0.0
    here = 1 if is_in_contact(battle, unit, objective) else 0
    contesters = field.contesters[side, objective] - here
    holders = field.holders[side, objective] - here * facts.holds_objectives[unit]
    enemies, enemy_holders = wide(field.contesters[1 - side, objective]), wide(field.holders[1 - side, objective])
    gains = controls(wide(holders + facts.holds_objectives[unit]), enemies) and not controls(wide(holders), enemies)
    denies = controls(enemy_holders, wide(contesters))
    return float(facts.objective_points) if gains or denies else 0.0


@step
def objective_value(battle: Battle, unit: int, x: int, y: int) -> float:
    """Return the value of the best objective to a unit at a point; the value falls with the distance to the objective.

    The value is at most the points of one objective; the look-ahead relies on that bound.
    """
    field, facts, best = battle.field, battle.setup, 0.0
    reach = max(at_double_time(int(field.sides[unit].speed)), 1)
    for objective in range(facts.objectives):
        at_stake = points_at_stake(battle, unit, objective)
        length = length_of(wide(facts.objective_x[objective]) - x, int(facts.objective_y) - y)
        if length > OBJECTIVE_WITHIN:
            moves = min((length - OBJECTIVE_WITHIN - 1) // reach, len(_SHARES) - 1)
            at_stake *= _SHARES[moves] if field.round < facts.rounds else 0.0
        best = max(best, at_stake)
    return best


@step
def distance_to_objective(battle: Battle, unit: int, objective: int) -> int:
    """Return the distance of a unit on the field from an objective."""
    facts = battle.setup
    squared = squared_distance(battle.field, unit, int(facts.objective_x[objective]), int(facts.objective_y))
    return floor_sqrt(wide(squared))
