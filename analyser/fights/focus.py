"""Several attacks on one target in order (AC-9.1): a program of strikes at one state that is carried over."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analyser.api import rolls_for_building
from analyser.compile import record_of, scenario_records
from analyser.engine.program import Kind, Operation, Setup
from analyser.fights.strikes import Strike, setup_for
from analyser.rules.armoured_clash.facts import NONE, SIDE, STRIKE
from analyser.scenario import Scenario, Target

ATTACKERS, TARGET = 0, 1
_STAND_IN = Target(
    models=1, defence=1, damage_limit=1, category="light", formation="close", behemoth=False, aircraft=False
)


def focus_program(scenarios: Sequence[Scenario]) -> tuple[Setup, list[list[Operation]]]:
    """The setup of a sequence of attacks, and the operations of each.

    Parameters
    ----------
    scenarios : sequence of Scenario
        One an attack, all with the same target. The attackers are different units of one side: what Overcharge
        costs one of them bears on no later attack.
    """
    strikes, programs = [], []
    for number, scenario in enumerate(scenarios):
        strikes.append(_strike(scenario))
        operations = [Operation(Kind.STRIKE, ATTACKERS, number)]
        if strikes[-1].strike.wrecks:
            operations.append(Operation(Kind.WRECK, TARGET))
        programs.append(operations)
    target = scenarios[0].target
    edge = target.edge_distance
    sides = [
        record_of(SIDE, {"models": 1, "distance": NONE, "edge_distance": NONE, "fumes_within": NONE}),
        record_of(
            SIDE,
            {
                "models": target.models,
                "garrisoned": target.garrisoned,
                "distance": NONE,
                "fumes_within": NONE,
                "edge_distance": NONE if edge is None else int(edge),
                "tracks_position": edge is not None,
            },
        ),
    ]
    return setup_for(sides, (_STAND_IN, target), strikes), programs


def _strike(scenario: Scenario) -> Strike:
    """The strike of one scenario; a combat rating that it does not state is counted again at every state."""
    attack, target = scenario_records(scenario)
    numbers = {
        "orders": NONE, "after_failed_rally": 1, "answers": NONE, "inside": NONE, "fixed_dice": NONE,
        "long_range": NONE, "short_range": NONE, "wrecks": rolls_for_building(scenario),
    }  # fmt: skip
    dice = (int(attack.dice), int(attack.dice_in_parentheses))
    return Strike(record_of(STRIKE, numbers), attack, target, np.array([dice, dice]))
