"""Solver of each kind of scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from analyser.common.method_settings import Sampling
from analyser.results.attack import solve_attack
from analyser.results.base import Result
from analyser.results.charge import solve_charge
from analyser.results.duel import solve_duel
from analyser.results.focus import solve_focus
from analyser.scenarios.load import AnyScenario
from analyser.scenarios.schema import Kind


def solve(scenario: AnyScenario, sampling: Sampling, *, brief: bool = False) -> Result:
    """Return the result of a scenario, exact or simulated, according to `sampling`.

    `brief`: compute battles without swings and comparison of tactics, which can take most of the time.

    >>> from analyser.scenarios.load import load
    >>> fight = load({"attack": {"dice": 12}, "target": {"models": 6, "defence": 2, "damage_limit": 1}})
    >>> round(solve(fight, Sampling()).mean("hits"), 2)
    10.89
    """
    if scenario.kind == "battle":
        from analyser.results.battle import solve_battle  # a slow import

        return solve_battle(scenario, sampling, swing=not brief, tactics=not brief)
    return _SOLVERS[scenario.kind](scenario, sampling)


_SOLVERS: Mapping[Kind, Callable[[Any, Sampling], Result]] = {
    "attack": solve_attack,
    "charge": solve_charge,
    "focus": solve_focus,
    "duel": solve_duel,
}
