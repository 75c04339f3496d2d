"""The same battle with the units in other orders: how far the chance to win depends on that (`docs/battle.md`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from analyser.common.estimates import estimate, estimate_in, probability_figures
from analyser.common.sampling import Sampling
from analyser.engine.battle.simulation import Simulation
from analyser.rules.battle import Outcome, Turn
from analyser.scenarios.battle import SIDES, BattleScenario, reordered
from analyser.scenarios.battle_tables import Encoder

SHUFFLES = 8  # of both lists
_WON = [Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]
_NOT_TRIED = "That is of the habits above: other orders, targets and cards can move it by tens of points."
_TRIED = (
    "With the units in other orders it wins {} to {} ({} orders tried, {:,} battles each; the least and the "
    "greatest of sampled chances lie a little too far out): the chance is of the order and the habits above, not of "
    "the armies alone."
)


def other_orders(scenario: BattleScenario, seed: int) -> Iterator[tuple[str, BattleScenario]]:
    """Each other pair of policies of order, then both lists shuffled, by a seed; what stays the same is left out."""
    as_listed = [range(len(units)) for units in scenario.fielded]
    if max(map(len, as_listed)) == 1:
        return
    keys = [f"order_{side}" for side in SIDES]
    for names in product([each.name.lower() for each in Turn], repeat=2):
        terms = dict(zip(keys, names))
        if any(getattr(scenario.terms, key) != name for key, name in terms.items()):
            yield "as listed", reordered(scenario, as_listed, **terms)
    draws, seen = np.random.default_rng(seed), [_alike(scenario)]
    for number in range(1, SHUFFLES + 1):
        shuffled = reordered(scenario, [draws.permutation(len(each)).tolist() for each in as_listed])
        if _alike(shuffled) not in seen:
            seen.append(_alike(shuffled))
            yield f"shuffle {number}", shuffled


def _alike(scenario: BattleScenario) -> list[list[Any]]:
    """The units in their order, by all that they bring to the battle besides their names."""
    return [
        [(each.unit.loadout.selector, each.unit.points, each[1:], each.unit.embarked_in) for each in units]
        for units in scenario.fielded
    ]


def orders_tried(scenario: BattleScenario, trials: int, sampling: Sampling) -> tuple[dict[str, Any], ...]:
    """So many battles with the units in each other order, of the same random numbers; the least chance comes first."""
    rows, seed, encoder = [], int(sampling.seed), Encoder(scenario.ruleset)
    for name, other in other_orders(scenario, seed):
        simulation = Simulation(*encoder.encoded(other), replacement=sampling.replacement)
        counts = simulation.play(trials, seed, sampling.n_threads)
        won = estimate(float(counts.outcomes[:, _WON].sum()), trials)
        policies = {f"order_{side}": other.terms.of("order", side) for side in SIDES}
        units = {f"{side}_units": [each.name for each in units] for side, units in zip(SIDES, other.fielded)}
        rows.append({"lists": name, **policies, **units, "trials": trials, **probability_figures("p_victory", won)})
    return tuple(sorted(rows, key=lambda row: row["p_victory"]))


def orders_line(rows: Sequence[dict[str, Any]]) -> str:
    """How far the chance to win goes by the order, in a line."""
    if not rows:
        return _NOT_TRIED
    least, most = (str(estimate_in(row, "p_victory")) for row in (rows[0], rows[-1]))
    return _TRIED.format(least, most, len(rows), rows[0]["trials"])
