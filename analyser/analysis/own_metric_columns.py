"""User metrics for matchups, computed from the table of outcomes of each cell's attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from analyser.analysis.grid import TARGET_STATE
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError
from analyser.common.estimates import Estimate
from analyser.common.means import Mean
from analyser.game.keywords import RANGED_ATTACK
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.plots.metrics import function_of
from analyser.results.attack import numbers_of
from analyser.results.custom import value_of
from analyser.scenarios.attack import Scenario
from analyser.scenarios.resolve import resolve_attack, resolve_target, row_named


def with_own_metric(
    frame: pd.DataFrame,
    loadouts: Sequence[Loadout],
    situations: Sequence[Situation],
    ruleset: Ruleset,
    name: str,
) -> pd.DataFrame:
    """Return the frame of matchups with a column of a user metric; NaN where it does not apply.

    InputError without a ranged attack among the situations, because other fights have no single table of outcomes.
    """
    function = function_of(name)
    assert function is not None
    by_selector: Mapping[str, Loadout] = {loadout.selector: loadout for loadout in loadouts}
    fought = {situation.name: situation for situation in situations if situation.fight.occasion == RANGED_ATTACK}
    if not fought:
        problem = f"{name} is a function, and {situations[0].name} is not a ranged attack"
        raise InputError(problem, where="metric", allowed="a figure that ships, or situations of ranged attacks")
    values = np.full(len(frame), np.nan)
    columns = zip(frame["attacker"], frame["defender"], frame["situation"], frame["row"])
    for place, (attacker, defender, situation, row) in enumerate(columns):
        if pd.notna(row) and situation in fought:
            scenario = _scenario(by_selector[attacker], by_selector[defender], fought[situation], row, ruleset)
            values[place] = _number(value_of(numbers_of(scenario), function))
    return frame.assign(**{name: values})


def _number(answer: Estimate | Mean | float) -> float:
    return float(answer.value if isinstance(answer, Mean) else answer)


def _scenario(attacker: Loadout, defender: Loadout, situation: Situation, row: str, ruleset: Ruleset) -> Scenario:
    """Return the attack of a cell."""
    fired = row_named(attacker.unit.rows, row, "row")
    target = resolve_target(TARGET_STATE, defender)
    attack = resolve_attack(situation.attack(fired), attacker, fired)
    scenario = Scenario(attack, target, ruleset, attacker, defender)
    rating = attack.rating or scenario.counted_rating()
    return scenario.relabelled(attack=attack.model_copy(update={"rating": rating}))
