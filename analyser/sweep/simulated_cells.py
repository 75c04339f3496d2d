"""Simulated cells, independent of each other; the seed of a cell depends on its fight alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import TARGET_STATE, side_of
from analyser.analysis.situations import duel_between, duel_row
from analyser.common.errors import InputError
from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE, estimate
from analyser.common.means import mean_between
from analyser.common.records import plain
from analyser.common.sampling import Sampling
from analyser.engine.attack.sweep import STATUSES
from analyser.game.units import Loadout
from analyser.plots.metrics import PERCENTILE
from analyser.results import states
from analyser.results.attack import AttackResult, solve_attack
from analyser.results.charge import solve_charge
from analyser.results.duel import solve_duel
from analyser.rules.attack import losses_of
from analyser.scenarios.attack import Scenario
from analyser.scenarios.charge import ChargeScenario
from analyser.scenarios.resolve import resolve_attack, resolve_target
from analyser.scenarios.schema import Combatant
from analyser.sweep.cells import Cells, Words, fought_cells, shot_cells, variant
from analyser.sweep.plan import Block, Plan

TRIALS, ENDS = "trials", ("_low", "_high")
Values = NDArray[Any]


class Seen(NamedTuple):
    """Outcomes of a simulated cell: counts, and the value of each figure in each outcome."""

    trials: int
    weights: NDArray[np.int64]
    figures: Mapping[str, tuple[Values, float]]  # values, and the largest possible value; the least is 0
    weights_of: Mapping[str, NDArray[np.int64]] = {}  # counts of figures that do not use `weights`


def has_interval(figure: str) -> bool:
    """Return True if a simulated figure has an interval; percentiles have none."""
    return not figure.endswith(PERCENTILE)


def simulated_cells(plan: Plan, block: Block) -> Cells:
    """Return the simulated cells of a slice; the row used is chosen by exact figures, as in exact cells."""
    assert plan.file.sampling is not None
    names = plan.file.fought
    columns = [TRIALS, *(f"{name}{end}" for name in names for end in ("", *(ENDS if has_interval(name) else ())))]
    figures = {name: np.full(block.cells, np.nan) for name in columns}
    rows, reasons = np.full(block.cells, -1, np.int32), np.full(block.cells, -1, np.int32)
    row_words, reason_words = Words(), Words()
    decide = {"ranged": shot_cells, "charge": fought_cells}.get(block.situation.kind)
    exact = None if decide is None else decide(plan, block)
    for place, (row, column) in enumerate(product(block.rows, block.columns)):
        sides = variant(plan, block.faction, row), variant(plan, None, column)
        used = why_not = None
        if exact is not None:
            used = _word(exact.row_words, exact.rows[place])
            why_not = _word(exact.reason_words, exact.reasons[place])
        why_not = next((unit for unit in sides if isinstance(unit, str)), why_not)
        if why_not is None:
            try:
                how = plan.file.sampling.of(_seed(plan, block, sides))
                used, seen = _PLAYED[block.situation.kind](plan, block, sides, used, how)
                for name, value in _figures(seen, names).items():
                    figures[name][place] = value
            except InputError as error:
                used, why_not = None, error.problem
        rows[place], reasons[place] = row_words.code(used), reason_words.code(why_not)
    return Cells(figures, rows, row_words, reasons, reason_words)


def _word(words: Words, code: int) -> str | None:
    return None if code < 0 else words.words[code]


def _seed(plan: Plan, block: Block, sides: Sequence[Any]) -> int:
    """Return the seed of a cell, which depends on its fight, not on its position, names or points."""
    assert plan.file.sampling is not None
    words = [str(plan.file.sampling.seed), plan.rulesets[block.ruleset].model_dump_json()]
    words.append(block.situation.model_dump_json(exclude={"name", "title"}))
    words += map(_fighting, sides)
    return int.from_bytes(hashlib.sha256("|".join(words).encode()).digest()[:8])


def _fighting(loadout: Loadout) -> str:
    unit = loadout.unit.at(loadout.level_name)
    return f"{loadout.level.models} {unit.model_dump_json(exclude={'levels', 'entry', 'in_force', 'battlegroups'})}"


Played = tuple[str | None, Seen]
Sides = tuple[Any, Any]  # both loadouts


def _shot(plan: Plan, block: Block, sides: Sides, used: str | None, how: Sampling) -> Played:
    attacker, defender = sides
    row = attacker.unit.row(used)
    attack, target = resolve_attack(block.situation.attack(row), attacker, row), resolve_target(TARGET_STATE, defender)
    result = solve_attack(Scenario(attack, target, plan.rulesets[block.ruleset], attacker, defender), how)
    return used, _seen_of_attack(result)


def _seen_of_attack(result: AttackResult) -> Seen:
    """Return the results of a simulated attack, in the form of :func:`~analyser.engine.attack.sweep.summarise`."""
    target = result.scenario.target
    models, limit = target.models or 1, target.damage_limit or 1
    destroyed, gone = result.column("models_destroyed"), result.column("annihilated")
    suffered = np.where(gone, models * limit, destroyed * limit + result.column("damage"))
    losses = [losses_of(plain(result.scenario.fight), result.scores, i) for i in range(len(result.score_weights))]
    damage = np.array([one * limit + more for one, more, *_ in losses])
    figures = _of_destroyed(destroyed, models) | {
        **{f"p_{name}": (result.column(name), 1.0) for name in STATUSES},
        "mean_share_lost": (suffered / (models * limit), 1.0),
        "mean_damage": (damage, float(models * limit)),
    }
    return Seen(result.trials or 0, result.weights, figures, {"mean_damage": result.score_weights})


def _of_destroyed(destroyed: Values, models: int) -> dict[str, tuple[Values, float]]:
    return {
        "mean_models_destroyed": (destroyed, float(models)),
        "p_any_destroyed": (destroyed > 0, 1.0),
        "p_half_destroyed": (2 * destroyed >= models, 1.0),
        "models_destroyed_10th_percentile": (destroyed, LOW_PERCENTILE),
        "models_destroyed_90th_percentile": (destroyed, HIGH_PERCENTILE),
    }


def _charged(plan: Plan, block: Block, sides: Sides, used: str | None, how: Sampling) -> Played:
    attacker, target = side_of(sides[0], close_quarters_row=used), side_of(sides[1])
    result = solve_charge(ChargeScenario(attacker, target, (), plan.rulesets[block.ruleset]), how)
    return used, _seen_of_fight(result, (attacker, target))


def _duelled(plan: Plan, block: Block, sides: Sides, _: str | None, how: Sampling) -> Played:
    mine, theirs = map(side_of, sides)
    best = block.situation.kind == "best-duel"
    scenario = duel_between((mine, None), theirs, plan.rulesets[block.ruleset], best=best)
    if isinstance(scenario, str):
        raise InputError(scenario)
    result = solve_duel(scenario, how)
    won = {name: (result.event(event), 1.0) for name, event in (("p_attacker_wins", "a_wins"), ("p_draw", "draw"))}
    return duel_row(scenario), _seen_of_fight(result, (mine, theirs), won)


def _seen_of_fight(result: states.FightResult, units: tuple[Combatant, Combatant], more: Any = {}) -> Seen:  # noqa: B006
    first, second, weights = result.after()
    models, limit = units[1].models or 1, units[1].damage_limit or 1
    destroyed = states.models_destroyed(second, models)
    figures = _of_destroyed(destroyed, models) | {
        **{f"p_{name}": (states.flag(second, name), 1.0) for name in STATUSES},
        "mean_share_lost": (states.share_lost(second, models, limit), 1.0),
        "mean_damage": (destroyed * limit + states.damage(second), float(models * limit)),
        "attacker_share_lost": (states.share_lost(first, units[0].models or 1, units[0].damage_limit or 1), 1.0),
    }
    return Seen(result.trials or 0, weights, figures | more)


def _figures(seen: Seen, names: tuple[str, ...]) -> dict[str, float]:
    """Return the figures of a cell that its kind of fight has, with their intervals."""
    figures: dict[str, float] = {TRIALS: seen.trials}
    for name in names:
        if name not in seen.figures:
            continue
        values, most = seen.figures[name]
        weights = seen.weights_of.get(name, seen.weights)
        if not has_interval(name):
            figures[name] = _percentile(values, weights, most)
        elif values.dtype == np.bool_:
            share = estimate(float(weights[values].sum()), seen.trials)
            figures |= {name: float(share), f"{name}_low": share.low or 0.0, f"{name}_high": share.high or 0.0}
        else:
            ends = mean_up_to(values, weights, seen.trials, most)
            figures |= {f"{name}{end}": value for end, value in zip(("", *ENDS), ends)}
    return figures


def mean_up_to(values: Values, weights: Values, trials: int, most: float) -> tuple[float, float, float]:
    """Return the mean of numbers from 0 to `most`, and the ends of its 95% interval."""
    mean = mean_between(values, weights, trials, np.array([0.0, most / 2, most]))
    return mean.value, mean.low or 0.0, most if mean.high is None else mean.high


def _percentile(values: Values, weights: Values, share: float) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) >= share * weights.sum()
    return float(values[order][reached.argmax()])


_PLAYED: Mapping[str, Callable[..., Played]] = {
    "ranged": _shot,
    "charge": _charged,
    "duel": _duelled,
    "best-duel": _duelled,
}
