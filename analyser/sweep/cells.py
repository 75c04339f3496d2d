"""Cells of a slice of a part, exact or simulated.

Exact ranged attacks are records in arrays, and each distinct attack is computed once. A varied number of a defender is
a field of its record, so a million varied defenders are a few arrays; tests compare these with changed profiles.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import TARGET_STATE, DefendingSide, combatant_of, prepare_kernels
from analyser.analysis.situations import duel_between, duel_row, shots_of
from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN, HIGH_PERCENTILE, LOW_PERCENTILE, estimate
from analyser.common.kernel_records import Integers, python_copy
from analyser.common.means import mean_between
from analyser.common.method_settings import Sampling
from analyser.common.metrics import PERCENTILE
from analyser.engine.attack.deduplicated import DeduplicatedSummaries, deduplicated_summaries
from analyser.engine.attack.summaries import STATUSES, SUMMARY
from analyser.game.units import Loadout
from analyser.results import states
from analyser.results.attack import AttackResult, solve_attack
from analyser.results.charge import solve_charge
from analyser.results.duel import solve_duel
from analyser.rules.attack import losses_of
from analyser.rules.structs import ATTACK, CATEGORIES, TARGET
from analyser.scenarios.attack import RANKED_BY, Scenario, attack_records, target_record
from analyser.scenarios.charge import ChargeScenario
from analyser.scenarios.resolve import resolve_attack, resolve_target
from analyser.scenarios.schema import Combatant
from analyser.sweep.plan import TARGET_NUMBERS, CellBlock, Plan


class _Rows(NamedTuple):
    """Shots of the attackers of a slice; attacker i has the shots from ``firsts[i]`` up to ``firsts[i + 1]``."""

    attacks: NDArray[np.void]
    possible: NDArray[np.bool_]  # (shots, categories)
    words: list[str]  # name of the row of each shot
    firsts: Integers
    why_not: Codes  # (attackers, categories): reason if no shot is possible


class _Columns(NamedTuple):
    """Distinct defenders of a slice; for each column the index of its defender, or the reason why there is none."""

    targets: NDArray[np.void]
    which: NDArray[np.int32]
    why_not: Codes
    words: list[str]  # texts of the reasons


def shot_cells(plan: Plan, block: CellBlock) -> Cells:
    """Return the cells of a slice: each attacker shoots once with its best row."""
    ruleset = plan.rulesets[block.ruleset]
    reason_words, row_words = WordIndex(), WordIndex()
    rows = _rows(plan, block, reason_words)
    columns = _columns(plan, block.columns)
    faces, deck = np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()
    once = deduplicated_summaries(attack_records(ruleset, rows.attacks), columns.targets, rows.possible, faces, deck)
    pmfs, shots = _best_shots(once, rows.firsts)
    which, exists = columns.which, columns.why_not < 0
    why_not = reason_words.codes([*columns.words, None])[columns.why_not]
    codes = row_words.codes([*rows.words, None])  # None: the code for shot -1, no shot
    used_rows = np.where(exists, codes[shots][:, which], -1).astype(np.int32)
    no_shot = rows.why_not[:, columns.targets["category"]][:, which]
    reasons = np.where(exists, np.where(used_rows < 0, no_shot, -1), why_not[None, :]).astype(np.int32)
    figures = _figures(plan, once, np.where(exists, pmfs[:, which], -1).ravel())
    return Cells(figures, used_rows.ravel(), row_words, reasons.ravel(), reason_words)


def _best_shots(once: DeduplicatedSummaries, firsts: Integers) -> tuple[Codes, Codes]:
    """Return the fight and the shot of the best shot of each attacker at each target; -1 if there is none.

    Shots are compared by the figures of :data:`RANKED_BY` in turn; the first of equal shots is the best.
    """
    shape = len(firsts) - 1, once.which.shape[1]
    pmfs, shots = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    for best, best_shot, first, last in zip(pmfs, shots, firsts, firsts[1:]):
        for shot in range(first, last):
            pmf, is_better = once.which[shot], np.zeros(shape[1], np.bool_)
            undecided = (pmf >= 0) & (best >= 0)
            for name in RANKED_BY if undecided.any() else ():
                ahead = once.summaries[name][pmf] - once.summaries[name][best]
                is_better |= undecided & (ahead > CERTAIN_WITHIN)
                undecided &= np.abs(ahead) <= CERTAIN_WITHIN
            is_better |= (pmf >= 0) & (best < 0)
            best[is_better], best_shot[is_better] = pmf[is_better], shot
    return pmfs, shots


def _figures(plan: Plan, once: DeduplicatedSummaries, pmfs: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    figures = {}
    for name in plan.file.computed_figures:
        values = once.summaries[name] if name in (SUMMARY.names or ()) else np.full(len(once.summaries), np.nan)
        figures[name] = np.append(values, np.nan)[pmfs]
    return figures


def _rows(plan: Plan, block: CellBlock, words: WordIndex) -> _Rows:
    attacks, possible, names, firsts, reasons = [], [], [], [0], []
    for position in block.rows:
        attacker = varied_loadout(plan, block.faction, position)
        if isinstance(attacker, str):
            reasons.append([words.code(attacker)] * len(CATEGORIES))
        else:
            shots, why_not = shots_of(position, attacker, block.situation, None)
            can_be_shot = [any(shot.reasons[index] is None for shot in shots) for index in range(len(CATEGORIES))]
            reasons.append([-1 if can else words.code(why) for can, why in zip(can_be_shot, why_not)])
            attacks += [shot.facts for shot in shots]
            possible += [[reason is None for reason in shot.reasons] for shot in shots]
            names += [shot.row.id for shot in shots]
        firsts.append(len(names))
    masks = np.array(possible, np.bool_).reshape(-1, len(CATEGORIES))
    return _Rows(np.array(attacks, ATTACK), masks, names, np.array(firsts, np.int64), np.array(reasons, np.int32))


@lru_cache(maxsize=2)  # successive parts have the same columns
def _columns(plan: Plan, columns: range) -> _Columns:
    words, numbers = WordIndex(), plan.file.defenders.numbers
    defenders, values = plan.axis(None, columns)
    first = defenders[0]
    bases = np.array([_target(plan, first + index) for index in range(defenders[-1] - first + 1)], TARGET)
    for number in numbers:
        if number.key in TARGET_NUMBERS and not number.is_added:
            bases[number.key] = 0  # overwritten below, so defenders that differ only in it become equal
    _, examples, classes = np.unique(
        bases.view(np.int64).reshape(len(bases), -1), axis=0, return_index=True, return_inverse=True
    )
    shape = len(examples), *(len(number.values) for number in numbers)
    combined = np.ravel_multi_index((classes.ravel()[defenders - first], *values), shape)
    distinct, which = np.unique(combined, return_inverse=True)
    class_indices, *value_indices = np.unravel_index(distinct, shape)
    targets, why_not = bases[examples][class_indices], np.full(len(columns), -1, np.int32)
    for number, value, indices in zip(numbers, values, value_indices):
        if number.key in TARGET_NUMBERS:
            changed = np.array(number.values, np.int64)[indices]
            targets[number.key] = targets[number.key] * number.is_added + changed
        problems = (_problems(plan, first + index, number.key) for index in range(len(bases)))
        reasons = np.array([words.codes(texts) for texts in problems], np.int32)
        why_not = np.where(why_not < 0, reasons[defenders - first, value], why_not)
    return _Columns(targets, which.astype(np.int32), why_not, words.words)


@lru_cache(maxsize=4096)
def _target(plan: Plan, defender: int) -> Any:
    return target_record(resolve_target(TARGET_STATE, plan.defenders[defender]))


@lru_cache(maxsize=8192)
def _problems(plan: Plan, defender: int, key: str) -> tuple[str | None, ...]:
    """Return, for each value of a number, the reason why a defender cannot have it, or None."""
    number = next(number for number in plan.file.defenders.numbers if number.key == key)
    problems: list[str | None] = []
    for index in range(len(number.values)):
        changes: Any = {key: number.change(index)}
        try:
            plan.defenders[defender].with_(**changes)
            problems.append(None)
        except InputError as error:
            problems.append(str(error))
    return tuple(problems)


_MEMOISED = 2_000  # changed loadouts, some 20 kB each
Codes = NDArray[np.int32]


class WordIndex:
    """Numbers for words, in the order of first use; None is -1."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {None: -1}

    def code(self, word: str | None) -> int:
        """Return the number of a word."""
        return self._numbers.setdefault(word, len(self._numbers) - 1)

    def codes(self, words: Iterable[str | None]) -> Codes:
        """Return the numbers of several words."""
        return np.array([self.code(word) for word in words], np.int32)

    @property
    def words(self) -> list[str]:
        """All words, in the order of their numbers."""
        return [word for word in self._numbers if word is not None]


class Cells(NamedTuple):
    """Cells of a slice, row by row: figures by name, and row names and reasons for missing figures as word numbers."""

    figures: dict[str, NDArray[np.float64]]
    rows: Codes
    row_words: WordIndex
    reasons: Codes
    reason_words: WordIndex


@lru_cache(maxsize=_MEMOISED)
def varied_loadout(plan: Plan, faction: str | None, position: int) -> Loadout | str:
    """Return the loadout of a row of a faction (None: of a column), or the reason why there is none."""
    side, loadouts = plan.side(faction)
    (which,), values = plan.axis(faction, range(position, position + 1))
    loadout: Loadout = loadouts[which]
    changes: dict[str, Any] = {number.key: number.change(index) for number, (index,) in zip(side.numbers, values)}
    try:
        return loadout.with_(**changes) if changes else loadout
    except InputError as error:
        return str(error)


def fight_cells(plan: Plan, block: CellBlock) -> Cells:
    """Return the exact cells of a slice of charges or duels."""
    sides = [_side(plan, block.faction, block.rows), _side(plan, None, block.columns)]
    shape = len(sides[0]), len(sides[1])
    figures = {name: np.full(shape, np.nan) for name in plan.file.computed_figures}
    row_words, reason_words = WordIndex(), WordIndex()
    rows = np.full(shape, -1, np.int32)
    ours, theirs = (reason_words.codes(unit if isinstance(unit, str) else None for unit in side) for side in sides)
    reasons = np.maximum(ours[:, None], theirs[None, :])
    existing = [[index for index, unit in enumerate(side) if isinstance(unit, Loadout)] for side in sides]
    if all(existing):
        attackers = [unit for unit in sides[0] if isinstance(unit, Loadout)]
        fight, field = block.situation.fight, _field(plan, block.ruleset, block.columns)
        prepare_kernels([(fight, len(attackers) * len(field.defenders))])
        cells = fight.cells(attackers, field, block.situation)
        at = np.ix_(*existing)
        for name, values in figures.items():
            values[at] = cells[name]
        rows[at] = row_words.codes(cells["row"].ravel()).reshape(cells.shape)
        reasons[at] = reason_words.codes(cells["why_not"].ravel()).reshape(cells.shape)
    flat = {name: values.ravel() for name, values in figures.items()}
    return Cells(flat, rows.ravel(), row_words, reasons.ravel(), reason_words)


def _side(plan: Plan, faction: str | None, positions: range) -> list[Loadout | str]:
    return [varied_loadout(plan, faction, position) for position in positions]


@lru_cache(maxsize=2)  # successive parts have the same defenders
def _field(plan: Plan, ruleset: str, columns: range) -> DefendingSide:
    defenders = (unit for unit in _side(plan, None, columns) if isinstance(unit, Loadout))
    return DefendingSide(tuple(defenders), plan.rulesets[ruleset], None, 1)


TRIALS, ENDS = "trials", ("_low", "_high")  # column, and suffixes of the ends of intervals
Values = NDArray[Any]


class CellOutcomes(NamedTuple):
    """Outcomes of a simulated cell: counts, and the value of each figure in each outcome."""

    trials: int
    weights: NDArray[np.int64]
    figures: Mapping[str, tuple[Values, float]]  # values, and the largest possible value; the least is 0
    weights_of: Mapping[str, NDArray[np.int64]] = {}  # counts for figures with outcomes of their own


def has_interval(figure: str) -> bool:
    """Return True if a simulated figure has an interval; percentiles have none."""
    return not figure.endswith(PERCENTILE)


def simulated_cells(plan: Plan, block: CellBlock) -> Cells:
    """Return the simulated cells of a slice; the best row is chosen by exact figures, as in exact cells."""
    assert plan.file.sampling is not None
    names = plan.file.computed_figures
    columns = [TRIALS, *(f"{name}{end}" for name in names for end in ("", *(ENDS if has_interval(name) else ())))]
    figures = {name: np.full(block.cells, np.nan) for name in columns}
    rows, reasons = np.full(block.cells, -1, np.int32), np.full(block.cells, -1, np.int32)
    row_words, reason_words = WordIndex(), WordIndex()
    exact_cells = {"ranged": shot_cells, "charge": fight_cells}.get(block.situation.kind)
    exact = None if exact_cells is None else exact_cells(plan, block)
    for cell, (row, column) in enumerate(product(block.rows, block.columns)):
        sides = varied_loadout(plan, block.faction, row), varied_loadout(plan, None, column)
        row_id = why_not = None
        if exact is not None:
            row_id = _decoded(exact.row_words, exact.rows[cell])
            why_not = _decoded(exact.reason_words, exact.reasons[cell])
        why_not = next((unit for unit in sides if isinstance(unit, str)), why_not)
        if why_not is None:
            try:
                settings = plan.file.sampling.of(_seed(plan, block, sides))
                row_id, outcomes = _SIMULATORS[block.situation.kind](plan, block, sides, row_id, settings)
                for name, value in _simulated_figures(outcomes, names).items():
                    figures[name][cell] = value
            except InputError as error:
                row_id, why_not = None, error.problem
        rows[cell], reasons[cell] = row_words.code(row_id), reason_words.code(why_not)
    return Cells(figures, rows, row_words, reasons, reason_words)


def _decoded(words: WordIndex, code: int) -> str | None:
    return None if code < 0 else words.words[code]


def _seed(plan: Plan, block: CellBlock, sides: Sequence[Any]) -> int:
    """Return the seed of a cell, which depends only on its fight: not on the position, names or points."""
    assert plan.file.sampling is not None
    words = [str(plan.file.sampling.seed), plan.rulesets[block.ruleset].model_dump_json()]
    words.append(block.situation.model_dump_json(exclude={"name", "title"}))
    words += map(_fight_data, sides)
    return int.from_bytes(hashlib.sha256("|".join(words).encode()).digest()[:8])


def _fight_data(loadout: Loadout) -> str:
    unit = loadout.unit.at(loadout.level_name)
    return f"{loadout.level.models} {unit.model_dump_json(exclude={'levels', 'entry', 'in_force', 'battlegroups'})}"


Simulated = tuple[str | None, CellOutcomes]  # row used, and outcomes
Sides = tuple[Any, Any]  # both loadouts


def _simulated_shot(plan: Plan, block: CellBlock, sides: Sides, row_id: str | None, settings: Sampling) -> Simulated:
    attacker, defender = sides
    row = attacker.unit.row(row_id)
    attack, target = resolve_attack(block.situation.attack(row), attacker, row), resolve_target(TARGET_STATE, defender)
    result = solve_attack(Scenario(attack, target, plan.rulesets[block.ruleset], attacker, defender), settings)
    return row_id, _attack_outcomes(result)


def _attack_outcomes(result: AttackResult) -> CellOutcomes:
    """Return the outcomes of a simulated attack, with the figures of an exact attack (``summaries.summarise``)."""
    target = result.scenario.target
    models, limit = target.models or 1, target.damage_limit or 1
    destroyed, gone = result.column("models_destroyed"), result.column("annihilated")
    damage_suffered = np.where(gone, models * limit, destroyed * limit + result.column("damage"))
    losses = [losses_of(python_copy(result.scenario.fight), result.scores, i) for i in range(len(result.score_weights))]
    damage = np.array([lost * limit + left for lost, left, *_ in losses])
    figures = _figures_of_destroyed(destroyed, models) | {
        **{f"p_{name}": (result.column(name), 1.0) for name in STATUSES},
        "mean_share_lost": (damage_suffered / (models * limit), 1.0),
        "mean_damage": (damage, float(models * limit)),
    }
    return CellOutcomes(result.trials or 0, result.weights, figures, {"mean_damage": result.score_weights})


def _figures_of_destroyed(destroyed: Values, models: int) -> dict[str, tuple[Values, float]]:
    return {
        "mean_models_destroyed": (destroyed, float(models)),
        "p_any_destroyed": (destroyed > 0, 1.0),
        "p_half_destroyed": (2 * destroyed >= models, 1.0),
        "models_destroyed_10th_percentile": (destroyed, LOW_PERCENTILE),
        "models_destroyed_90th_percentile": (destroyed, HIGH_PERCENTILE),
    }


def _simulated_charge(plan: Plan, block: CellBlock, sides: Sides, row_id: str | None, settings: Sampling) -> Simulated:
    attacker, target = combatant_of(sides[0], close_quarters_row=row_id), combatant_of(sides[1])
    result = solve_charge(ChargeScenario(attacker, target, (), plan.rulesets[block.ruleset]), settings)
    return row_id, _fight_outcomes(result, (attacker, target))


def _simulated_duel(plan: Plan, block: CellBlock, sides: Sides, _: str | None, settings: Sampling) -> Simulated:
    mine, theirs = map(combatant_of, sides)
    best = block.situation.kind == "best-duel"
    scenario = duel_between((mine, None), theirs, plan.rulesets[block.ruleset], best=best)
    if isinstance(scenario, str):
        raise InputError(scenario)
    result = solve_duel(scenario, settings)
    won = {name: (result.event(event), 1.0) for name, event in (("p_attacker_wins", "a_wins"), ("p_draw", "draw"))}
    return duel_row(scenario), _fight_outcomes(result, (mine, theirs), won)


def _fight_outcomes(result: states.FightResult, units: tuple[Combatant, Combatant], more: Any = {}) -> CellOutcomes:  # noqa: B006
    first, second, weights = result.joint_states()
    models, limit = units[1].models or 1, units[1].damage_limit or 1
    destroyed = states.models_destroyed(second, models)
    figures = _figures_of_destroyed(destroyed, models) | {
        **{f"p_{name}": (states.flag(second, name), 1.0) for name in STATUSES},
        "mean_share_lost": (states.share_lost(second, models, limit), 1.0),
        "mean_damage": (destroyed * limit + states.damage(second), float(models * limit)),
        "attacker_share_lost": (states.share_lost(first, units[0].models or 1, units[0].damage_limit or 1), 1.0),
    }
    return CellOutcomes(result.trials or 0, weights, figures | more)


def _simulated_figures(outcomes: CellOutcomes, names: tuple[str, ...]) -> dict[str, float]:
    """Return the requested figures that this kind of fight has, with their intervals."""
    figures: dict[str, float] = {TRIALS: outcomes.trials}
    for name in names:
        if name not in outcomes.figures:
            continue
        values, most = outcomes.figures[name]
        weights = outcomes.weights_of.get(name, outcomes.weights)
        if not has_interval(name):
            figures[name] = _percentile(values, weights, most)
        elif values.dtype == np.bool_:
            share = estimate(float(weights[values].sum()), outcomes.trials)
            figures |= {name: float(share), f"{name}_low": share.low or 0.0, f"{name}_high": share.high or 0.0}
        else:
            ends = mean_up_to(values, weights, outcomes.trials, most)
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


_SIMULATORS: Mapping[str, Callable[..., Simulated]] = {
    "ranged": _simulated_shot,
    "charge": _simulated_charge,
    "duel": _simulated_duel,
    "best-duel": _simulated_duel,
}
