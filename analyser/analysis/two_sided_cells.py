"""Charges and duels, in which both sides roll dice, as cells of a grid, for many pairs at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import lru_cache
from itertools import groupby, pairwise, product
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import TWO_SIDED_FIGURES, Cells, DefendingSide, blank_cells, combatant_of
from analyser.analysis.selection import no_row_reason, row_named, usable_rows
from analyser.common.errors import InputError
from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.attack.summaries import AT_MOST_ONE, ROUNDING, STATUSES
from analyser.engine.fight.exact.distribution import Joint, side_probabilities
from analyser.engine.fight.exact.propagate import start_states
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Row
from analyser.results import states
from analyser.rules.policies import BEST
from analyser.scenarios import policies as policies_of_duels
from analyser.scenarios.attack import best_attacks
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import DuelScenario, bits_of_wins, shooters_of
from analyser.scenarios.duel import program_of_shooters as duel_program
from analyser.scenarios.policies import Shooter, rows_to_shoot_with
from analyser.scenarios.schema import Combatant, DuelTerms, PolicyName

ROWS_TO_CHARGE_WITH = ("melee", "impact")
PreparedT = TypeVar("PreparedT")
Program = tuple[Any, Sequence[Any], Any]  # setup, operations and first states of a fight
Duellist = tuple[Combatant, Row | None]  # a unit and its stated row; None for any row


class FightEnd(NamedTuple):
    """Distribution of the final states of both sides, if the attacker uses `row`."""

    row: str | None
    distribution: Joint
    attacker: Combatant
    defender: Combatant
    p_attacker_wins: float = np.nan
    p_draw: float = np.nan


RowResults = Sequence[FightEnd] | str
"""Results of a pair for each row of the attacker, or the reason why the pair cannot fight."""


def two_sided_cells(
    prepare: Callable[[Loadout, str | None], PreparedT | str],
    solve: Callable[[Sequence[PreparedT], Sequence[Combatant], Ruleset], Iterable[RowResults]],
    attackers: Sequence[Loadout],
    defending: DefendingSide,
    _situation: object,
    *,
    in_threads: bool = False,
) -> Cells:
    """Return the cells of a kind of fight in which both sides roll dice.

    `prepare(attacker, row)` returns the attacker in the form that `solve` needs, or the reason why it cannot fight with
    this row (None for any row). `solve` takes all levels of an attacking unit and of a defending unit, and returns the
    results of each pair by row; the best row is used. `in_threads` needs kernels that release the GIL.
    """
    prepared = [prepare(attacker, defending.row) for attacker in attackers]
    cells = blank_cells(len(prepared), len(defending.combatants))
    indices = np.arange(cells.size).reshape(cells.shape)
    blocks = list(product(_slices_by_unit(attackers), _slices_by_unit(defending.defenders)))

    def results_of(block: tuple[slice, slice]) -> list[tuple[int, RowResults]]:
        units = [unit for unit in prepared[block[0]] if not isinstance(unit, str)]  # all or none: levels share rows
        results = solve(units, defending.combatants[block[1]], defending.ruleset) if units else ()
        return list(zip(indices[block].ravel().tolist(), results))

    for row, unit in zip(cells, prepared):
        if isinstance(unit, str):
            row["why_not"] = unit
    with ThreadPoolExecutor(defending.threads) if in_threads and defending.threads > 1 else nullcontext() as pool:
        all_results = [result for block in (pool.map if pool else map)(results_of, blocks) for result in block]
    possible: dict[int, Sequence[FightEnd]] = {}
    for index, by_row in all_results:
        if isinstance(by_row, str):
            cells["why_not"].flat[index] = by_row
        else:
            possible[index] = by_row
    if possible:
        cells.flat[list(possible)] = _best_row_cells(list(possible.values()))
    return cells


def _slices_by_unit(loadouts: Sequence[Loadout]) -> list[slice]:
    by_unit = groupby(loadouts, key=lambda loadout: (loadout.faction, id(loadout.unit)))
    sizes = [len(list(levels)) for _, levels in by_unit]
    return [slice(*ends) for ends in pairwise(np.cumsum([0, *sizes]).tolist())]


def _best_row_cells(pairs: Sequence[Sequence[FightEnd]]) -> Cells:
    """Return the cell of the attacker's best row for each pair."""
    counts = np.array([len(pair) for pair in pairs])
    cells = cells_of([end for ends in pairs for end in ends])
    firsts = np.cumsum(counts) - counts
    by_row = blank_cells(counts.max(), len(pairs))
    for row in range(len(by_row)):
        with_row = np.flatnonzero(counts > row)
        by_row[row, with_row] = cells[firsts[with_row] + row]
    best: Cells = by_row[best_attacks(by_row), np.arange(len(pairs))]
    return best


def cells_of(fights: Sequence[FightEnd]) -> Cells:
    """Return the cells of several fights; one call for many fights is much faster than a call for each."""
    cells: Cells = blank_cells(1, len(fights))[0]
    joints = [fight.distribution for fight in fights]
    weights = zip(*map(side_probabilities, joints))
    attackers = _FinalStates([joint.first for joint in joints], next(weights), [fight.attacker for fight in fights])
    defenders = _FinalStates([joint.second for joint in joints], next(weights), [fight.defender for fight in fights])
    (cells["attacker_share_lost"],) = attackers.means([attackers.shares])
    figures = {"mean_models_destroyed": defenders.destroyed, "mean_damage": defenders.damage}
    figures |= {"mean_share_lost": defenders.shares, **defenders.flags}
    for name, means in zip(figures, defenders.means(list(figures.values()))):
        cells[name] = means
    for indices, distributions in defenders.distributions():
        models = distributions.shape[1] - 1
        cells["p_any_destroyed"][indices] = distributions[:, 1:].sum(axis=1)
        cells["p_half_destroyed"][indices] = distributions[:, (models + 1) // 2 :].sum(axis=1)
        cells["models_destroyed_10th_percentile"][indices] = _percentiles(distributions, LOW_PERCENTILE)
        cells["models_destroyed_90th_percentile"][indices] = _percentiles(distributions, HIGH_PERCENTILE)
    for name in ("row", "p_attacker_wins", "p_draw"):
        cells[name] = [getattr(fight, name) for fight in fights]
    for name in (*AT_MOST_ONE, *TWO_SIDED_FIGURES):
        cells[name] = np.minimum(cells[name], 1.0)
    return cells


class _FinalStates:
    """Possible final states of one side in several fights, with the figures of each state."""

    def __init__(self, by_fight: Sequence[Integers], weights: Sequence[Floats], units: Sequence[Combatant]) -> None:
        lengths, final = list(map(len, by_fight)), np.concatenate(by_fight)
        models = np.repeat([unit.models or 1 for unit in units], lengths)
        limits = np.repeat([unit.damage_limit or 1 for unit in units], lengths)
        self._models = np.array([unit.models or 0 for unit in units])
        self._weights = weights
        self._parts = [slice(*ends) for ends in pairwise(np.cumsum([0, *lengths]).tolist())]
        self.destroyed = states.models_destroyed(final, models)
        self.damage = self.destroyed * limits + states.damage(final)  # a destroyed model counts as its DAMAGE LIMIT
        self.shares = states.share_lost(final, models, limits)
        self.flags = {f"p_{name}": states.flag(final, name) for name in STATUSES}

    def means(self, figures: Sequence[NDArray[Any]]) -> Floats:
        """Return the means of several figures over the final states of each fight: shape (figures, fights)."""
        columns = np.array(figures, np.float64)
        fights = zip(self._weights, self._parts)
        return np.array([[weights @ column for column in columns[:, part]] for weights, part in fights]).T

    def distributions(self) -> Iterator[tuple[Integers, Floats]]:
        """Yield the indices and distributions of models destroyed of all fights with the same number of models."""
        for models in np.unique(self._models).tolist():
            fights = np.flatnonzero(self._models == models)
            parts = ((self.destroyed[self._parts[fight]], self._weights[fight]) for fight in fights.tolist())
            yield fights, np.array([np.bincount(destroyed, weights, models + 1) for destroyed, weights in parts])


def _percentiles(distributions: Floats, share: float) -> Integers:
    """Return for each distribution (row) the smallest number v with P(models destroyed <= v) >= `share`."""
    reached = np.cumsum(distributions, axis=1) >= share - ROUNDING
    return np.asarray(np.where(reached.any(axis=1), reached.argmax(axis=1), distributions.shape[1] - 1), np.int64)


def charger(attacker: Loadout, stated_row: str | None) -> dict[str, Combatant] | str:
    """Return the charging unit for each usable row (by the row's id), or the reason why no row is usable."""
    rows = usable_rows(attacker, stated_row)
    usable = [row.id for row in rows if row.kind in ROWS_TO_CHARGE_WITH]
    if usable:
        return {row: combatant_of(attacker, close_quarters_row=row) for row in usable}
    if stated_row and rows:
        return f"{rows[0].id}: it is a {rows[0].kind} row"
    return no_row_reason(stated_row, "melee or impact")


def charges(
    attackers: Sequence[Mapping[str, Combatant]], targets: Sequence[Combatant], ruleset: Ruleset
) -> list[RowResults]:
    """Return the results of each charge between levels of two units by row, or the reason why it is impossible."""
    rows = attackers[0]
    by_row = [_charges_with_row([attacker[row] for attacker in attackers], targets, ruleset) for row in rows]
    result = list[RowResults]()
    for pair in zip(*by_row):
        ends = [end for end in pair if not isinstance(end, str)]
        result.append(ends or "; ".join(f"{row}: {reason}" for row, reason in zip(rows, pair)))
    return result


def _charges_with_row(
    attackers: Sequence[Combatant], targets: Sequence[Combatant], ruleset: Ruleset
) -> list[FightEnd | str]:
    target_problems = [
        _problem_of(Combatant.check_can_be_charged, target)
        or _problem_of(Combatant.check_can_retaliate, target, "the target's ")
        for target in targets
    ]
    problems = [_problem_of(Combatant.check_can_charge, attacker) for attacker in attackers]
    result: list[FightEnd | str] = [of_target or problem for problem, of_target in product(problems, target_problems)]
    able = {number: pair for number, pair in enumerate(product(attackers, targets)) if not result[number]}
    pairs = list(able.values())

    def program(index: int) -> Program:
        setup, operations = charge_program(*pairs[index], die=ruleset.die, is_checked=True)
        return setup, operations, charge_start(setup)

    for (number, pair), end in zip(able.items(), _distributions(pairs, program, ruleset)):
        result[number] = end if isinstance(end, str) else FightEnd(pair[0].close_quarters_row, end, *pair)
    return result


def _problem_of(check: Callable[[Combatant], None], unit: Combatant, whose: str = "") -> str:
    try:
        check(unit)
    except InputError as error:
        return whose + error.problem
    return ""


def _distributions(
    pairs: Sequence[tuple[Combatant, Combatant]], program: Callable[[int], Program], ruleset: Ruleset
) -> list[Joint | str]:
    """Return the results of `pairs`, levels of two units; the fight with the most models includes the other fights.

    `program(index)` returns the program of a pair's fight, or raises InputError.
    """
    models = [(first.models or 0, second.models or 0) for first, second in pairs]
    if not models:
        return []
    largest = models.index(max(models))
    if any(second > models[largest][1] for _, second in models):  # no fight includes all others

        def alone(index: int) -> Joint | str:
            return _distributions([pairs[index]], lambda _: program(index), ruleset)[0]

        return [alone(index) for index in range(len(pairs))]
    try:
        setup, operations, start = program(largest)
    except InputError as error:
        return [error.problem] * len(pairs)
    pmfs = states.final_distributions_by_models(setup, operations, start, models, ruleset)
    return [pmf.problem if isinstance(pmf, InputError) else pmf for pmf in pmfs]


def duellist(attacker: Loadout, stated_row: str | None) -> Duellist | str:
    """Return an attacker that uses the stated row in a duel, or the reason if it lacks this row."""
    unit = combatant_of(attacker)
    if stated_row is None:
        return unit, None
    row = row_named(stated_row, attacker)
    if row is None:
        return no_row_reason(stated_row)
    key = "row" if row.kind == "ranged" else "close_quarters_row"
    return unit.model_copy(update={key: row.id}), row


def duels(sides: Sequence[Duellist], enemies: Sequence[Combatant], ruleset: Ruleset) -> list[RowResults]:
    """Return the results of each duel between levels of two units, or why it is impossible; `sides` act first."""
    result: list[RowResults] = []
    same_rows: defaultdict[object, list[tuple[int, DuelScenario, tuple[Shooter, Shooter]]]] = defaultdict(list)
    for number, (side, enemy) in enumerate(product(sides, enemies)):
        try:
            duel = _duel_between(*side, enemy, ruleset)
            shooters = shooters_of(duel.a, duel.b, duel.terms, ruleset)
        except InputError as error:
            result.append(error.problem)
            continue
        result.append("")
        rows = [[row.id for row in (*shooter.rows, *shooter.reaction_rows)] for shooter in shooters]
        same_rows[duel.terms.policy_a, duel.terms.policy_b, str(rows)].append((number, duel, shooters))
    for alike in same_rows.values():

        def program(index: int, alike: Sequence[tuple[int, DuelScenario, tuple[Shooter, Shooter]]] = alike) -> Program:
            _, duel, shooters = alike[index]
            setup, rounds = duel_program(shooters, duel.terms)
            return setup, [operation for part in rounds for operation in part], start_states(setup)

        ends = _distributions([(duel.a, duel.b) for _, duel, _ in alike], program, ruleset)
        for (number, duel, (shooter, _)), end in zip(alike, ends):
            row = duel.a.charge_row("a") if duel.terms.policy_a == "charge" else shooter.main_row
            result[number] = end if isinstance(end, str) else [_end_of_duel(end, duel, row)]
    return result


def _duel_between(unit: Combatant, stated_row: Row | None, enemy: Combatant, ruleset: Ruleset) -> DuelScenario:
    """Return the duel of a unit (the first to act) with an enemy; InputError if it is impossible."""
    for combatant in (unit, enemy):
        if combatant.aircraft:
            raise InputError(f"{combatant.unit} is an aircraft, and flies sorties: no duel (AC-9.2)")
    tactics = default_tactic(unit, enemy, stated_row), default_tactic(enemy, unit)
    if stated_row is not None and tactics[0] == "take_cover":
        raise InputError(f"{stated_row.id}: this row cannot attack {enemy.unit}")
    if tactics == ("take_cover", "take_cover"):
        raise InputError("neither unit can shoot at the other or charge it")
    return DuelScenario(_duel_terms(*tactics), unit, enemy, ruleset)


@lru_cache(maxsize=64)
def _duel_terms(policy_a: PolicyName, policy_b: PolicyName) -> DuelTerms:
    return DuelTerms(first="a", policy_a=policy_a, policy_b=policy_b)


def default_tactic(unit: Combatant, enemy: Combatant, stated_row: Row | None = None) -> PolicyName:
    """Return the first possible tactic of a unit in a compared duel: shoot, charge or take cover."""
    shots = rows_to_shoot_with(unit, enemy, "shoot")
    if shots if stated_row is None else stated_row in shots:
        return "shoot"
    if stated_row is not None and stated_row.kind == "ranged":
        return "take_cover"
    may_charge = not unit.garrisoned and policies_of_duels.why_not("charge", unit, enemy) is None
    return "charge" if may_charge else "take_cover"


def best_duels(sides: Sequence[Duellist], enemies: Sequence[Combatant], ruleset: Ruleset) -> list[RowResults]:
    """Return duels in which the attacker acts first and both sides play best, or why they are impossible."""
    from analyser.results.duel_solution import solved_duel  # a late import, because most comparisons do not need it

    result = list[RowResults]()
    for (unit, row), enemy in product(sides, enemies):
        duel = DuelScenario(_duel_terms(BEST, BEST), unit, enemy, ruleset)
        try:
            final = solved_duel(duel).moments()[-1]
        except InputError as error:
            result.append(error.problem)
            continue
        (first, rows), (second, columns) = (np.unique(side, return_inverse=True) for side in final[:2])
        result.append([_end_of_duel(Joint(first, second, rows, columns, final.weights), duel, row)])
    return result


def _end_of_duel(pmf: Joint, duel: DuelScenario, row: Row | None) -> FightEnd:
    """Return the end of a duel, with the probabilities of a win by A and of a draw (AC-9.4)."""
    a, b, first, second = duel.a, duel.b, pmf.first[pmf.rows], pmf.second[pmf.columns]
    won = states.points_won(first, second, a, b, bits_of_wins(a, b, duel.terms, 0))
    lost = states.points_won(second, first, b, a, bits_of_wins(b, a, duel.terms, 1))
    p_wins, p_draw = (float(pmf.probabilities[where].sum()) for where in (won > lost, won == lost))
    return FightEnd(None if row is None else row.id, pmf, a, b, p_wins, p_draw)
