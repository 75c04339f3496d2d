"""Lists with the highest value within the limits of a force (points, battlegroups, slots), by integer programming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.integer_programming import solve_programme
from analyser.common.kernel_records import Floats
from analyser.game.forces import Battlegroup
from analyser.game.units import Loadout

MOST_BRANCHES = 1_000  # nodes of the integer programme
_RELATIVE_GAP = 1e-4  # smaller gaps (shares of the value) count as 0
_DECIMALS = 9  # decimals of unit values; further decimals differ between machines and would decide ties


class ListBattlegroup(NamedTuple):
    """A battlegroup of a list and its number of each loadout; the kind is None if the faction has no battlegroups."""

    kind: Battlegroup | None
    counts: tuple[int, ...]


class SolvedList(NamedTuple):
    """A list: its battlegroups, its number of each loadout, its value, and an upper bound of the value of any list."""

    battlegroups: tuple[ListBattlegroup, ...]
    counts: tuple[int, ...]
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """Largest possible gain of a better list, as a share of the value; 0 if it is negligible."""
        gain = self.bound - self.value
        return 0.0 if gain <= _RELATIVE_GAP * max(abs(self.value), 1.0) else gain / max(abs(self.value), 1e-12)


@dataclass(frozen=True)
class Force:
    """Loadouts and limits from which legal lists are built.

    Attributes
    ----------
    loadouts : tuple of Loadout
        Loadouts that may be in the list; all have points.
    battlegroups : tuple of Battlegroup
        Kinds of battlegroups of the faction; may be empty.
    scale : str
        Name of the force scale, which allows the points of the list.
    led_by : str
        Trait of leaders. A list without battlegroups needs a unit with this trait, if any of `loadouts` has it.
    must : tuple of (tuple of int, int)
        Requirements: indices of loadouts, and the least number of units with any of these loadouts.
    at_most : int or None
        Largest number of each unit, all its levels together.
    """

    loadouts: tuple[Loadout, ...]
    battlegroups: tuple[Battlegroup, ...]
    least_points: int
    most_points: int
    most_battlegroups: int
    scale: str
    led_by: str
    must: tuple[tuple[tuple[int, ...], int], ...] = ()
    at_most: int | None = None

    @property
    def faction(self) -> str:
        """Id of the faction."""
        return self.loadouts[0].faction

    @property
    def points(self) -> NDArray[np.int64]:
        """Points of each loadout."""
        return np.array([loadout.level.points for loadout in self.loadouts], np.int64)

    @property
    def indices_by_unit(self) -> dict[str, list[int]]:
        """Indices of the loadouts of each unit."""
        result: dict[str, list[int]] = {}
        for index, loadout in enumerate(self.loadouts):
            result.setdefault(loadout.unit.id, []).append(index)
        return result

    @cached_property
    def _programme(self) -> _Programme:
        return _Programme(self)

    def best(
        self, values: Floats, *, unlike: Sequence[SolvedList] = (), differ: float = 0.0, any_points: bool = False
    ) -> SolvedList | None:
        """Return the legal list of the highest value; None if no list is legal.

        Parameters
        ----------
        values : ndarray
            Value of each loadout, shape (loadouts,); with shape (opponents, loadouts) the worst opponent counts.
        unlike : sequence of SolvedList
            Earlier lists; of each, units worth at least the share `differ` of its points are not in the new list.
        any_points : bool
            Allow fewer points than `least_points`.
        """
        return self._programme.solve(np.atleast_2d(values), unlike, differ, any_points=any_points)


_Terms = list[tuple[int, float]]  # index and weight of each variable in a constraint
_Constraint = tuple[_Terms, float, float]  # the sum of the terms, its smallest and its largest value


class _Battlegroups(NamedTuple):
    """Indices of the variables of one kind: number of battlegroups (`total`), and number of units of each loadout."""

    kind: Battlegroup | None
    total: int
    by_loadout: dict[int, int]


class _Programme:
    """The variables and constraints for the lists of a force.

    Variables are the number of battlegroups of each kind, and the number of each loadout in all battlegroups of that
    kind. The limits of one battlegroup, times the number of battlegroups, apply to all together. Units within these
    limits can be divided among the battlegroups, because units and their slots are nested (Baum, Trotter: Lecture Notes
    in Economics 157, 1978). If a unit counts in several limited slots, each battlegroup has its own variables.
    """

    def __init__(self, force: Force) -> None:
        self._force, self._points = force, force.points
        self._upper: list[float] = []
        self._constraints: list[_Constraint] = []
        self._groups = [group for kind in force.battlegroups or (None,) for group in self._groups_of_kind(kind)]
        if force.battlegroups:
            self._add_constraint(((group.total, 1.0) for group in self._groups), 1, force.most_battlegroups)
        self._limit_units()
        self._points_constraint = len(self._constraints)
        self._add_constraint(self._weighted_sum(self._points), force.least_points, force.most_points)
        self._copies: dict[int, list[int]] = {}

    def _variable(self, most: float) -> int:
        self._upper.append(most)
        return len(self._upper) - 1

    def _add_constraint(self, terms: Iterable[tuple[int, float]], least: float, most: float) -> None:
        self._constraints.append((list(terms), least, most))

    def _weighted_sum(self, weights: NDArray[Any], indices: Iterable[int] | None = None) -> _Terms:
        """Return the weighted sum of the numbers of all loadouts, or of `indices`."""
        wanted = range(len(weights)) if indices is None else indices
        pairs = ((index, group.by_loadout) for index in wanted for group in self._groups)
        return [(numbers[index], float(weights[index])) for index, numbers in pairs if index in numbers]

    def _number_of(self, indices: Iterable[int]) -> _Terms:
        return self._weighted_sum(np.ones(len(self._points)), indices)

    def _groups_of_kind(self, kind: Battlegroup | None) -> list[_Battlegroups]:
        force, units = self._force, [loadout.unit for loadout in self._force.loadouts]
        if kind is None:
            group = self._battlegroups(None, 1, range(len(units)))
            self._add_constraint([(group.total, 1.0)], 1, 1)
            leaders = [index for index, unit in enumerate(units) if force.led_by in unit.traits]
            if leaders:
                self._add_constraint([(group.by_loadout[index], 1.0) for index in leaders], 1, np.inf)
            return [group]
        allowed = [index for index, unit in enumerate(units) if kind.id in unit.battlegroups]
        most = force.most_battlegroups if kind.most is None else min(force.most_battlegroups, kind.most)
        slots = (units[index].battlegroups[kind.id].slots for index in allowed)
        is_nested = all(len(_limited_slots(kind).intersection(own)) <= 1 for own in slots)
        together = max(most, 1) if is_nested else 1
        groups = [self._battlegroups(kind, together, allowed) for _ in range(most // together)]
        for group in groups:
            self._limit_battlegroups(group, kind)
        if kind.least:
            self._add_constraint([(group.total, 1.0) for group in groups], kind.least, np.inf)
        return groups

    def _battlegroups(self, kind: Battlegroup | None, number: int, indices: Iterable[int]) -> _Battlegroups:
        """Add the variables of up to `number` battlegroups of a kind, and of the loadouts in them."""
        numbers = {index: self._variable(number * self._most_copies(index, kind)) for index in indices}
        return _Battlegroups(kind, self._variable(number), numbers)

    def _most_copies(self, index: int, kind: Battlegroup | None) -> int:
        """Return the largest number of units of a loadout in a battlegroup of `kind`; without a kind, in the list."""
        most = int(self._force.most_points // max(int(self._points[index]), 1))
        limit = None if kind is None else self._force.loadouts[index].unit.battlegroups[kind.id].most
        return most if limit is None else min(most, limit)

    def _limit_battlegroups(self, group: _Battlegroups, kind: Battlegroup) -> None:
        loadouts = self._force.loadouts
        for indices in self._force.indices_by_unit.values():
            if indices[0] in group.by_loadout:
                limits = loadouts[indices[0]].unit.battlegroups[kind.id]
                self._limit_each(group, indices, limits.least, max(self._most_copies(index, kind) for index in indices))
        for name, slot in kind.slots.items():
            in_slot = [index for index in group.by_loadout if name in loadouts[index].unit.battlegroups[kind.id].slots]
            if in_slot or slot.least:
                self._limit_each(group, in_slot, slot.least, slot.most)

    def _limit_each(self, group: _Battlegroups, indices: Sequence[int], least: int, most: int | None) -> None:
        terms = [(group.by_loadout[index], 1.0) for index in indices]
        if least:
            self._add_constraint([*terms, (group.total, -float(least))], 0, np.inf)
        if most is not None:
            self._add_constraint([*terms, (group.total, -float(most))], -np.inf, 0)

    def _limit_units(self) -> None:
        force = self._force
        for indices in force.indices_by_unit.values():
            limits = force.loadouts[indices[0]].unit.in_force
            most = min((limit for limit in (limits.most, force.at_most) if limit is not None), default=None)
            if limits.least or most is not None:
                self._add_constraint(self._number_of(indices), limits.least, np.inf if most is None else most)
        for wanted, number in force.must:
            self._add_constraint(self._number_of(wanted), number, np.inf)

    def _first_copies(self, index: int, number: int) -> list[int]:
        """Return `number` 0-1 variables; the k-th is 1 if the list has k or more units of a loadout."""
        copies = self._copies.setdefault(index, [])
        if number > len(copies):
            numbers = self._number_of([index])
            most = int(min(sum(self._upper[variable] for variable, _ in numbers), self._most_copies(index, None)))
            copies += [self._variable(1) for _ in range(number - len(copies))]
            further = [*numbers, *((copy, -1.0) for copy in copies)]  # number of units without a 0-1 variable
            self._add_constraint(further, 0, np.inf)
            self._add_constraint([*further, (copies[-1], -float(most - number))], -np.inf, 0)
            for first, second in pairwise(copies):
                self._add_constraint([(first, 1.0), (second, -1.0)], 0, 1)
        return copies[:number]

    def solve(
        self, values: Floats, unlike: Sequence[SolvedList], differ: float, *, any_points: bool
    ) -> SolvedList | None:
        from scipy.optimize import Bounds, LinearConstraint
        from scipy.sparse import csr_array

        values, points, shared = values.round(_DECIMALS), self._points.tolist(), list[_Constraint]()
        for other in unlike:
            copies = ((index, self._first_copies(index, count)) for index, count in enumerate(other.counts))
            terms = [(variable, points[index]) for index, variables in copies for variable in variables]
            shared.append((terms, -np.inf, (1 - differ) * float(self._points @ other.counts)))
        rows = [*self._constraints, *shared]
        if any_points:
            terms, _, most = rows[self._points_constraint]
            rows[self._points_constraint] = (terms, -np.inf, most)
        n_variables = len(self._upper) + 1  # the last variable is the value against the worst of several opponents
        objective = np.zeros(n_variables)
        if len(values) == 1:
            for variable, value in self._weighted_sum(values[0]):
                objective[variable] = -value
        else:
            objective[-1] = -1.0
            rows += [([*self._weighted_sum(by_opponent), (n_variables - 1, -1.0)], 0, np.inf) for by_opponent in values]
        row_indices = [row for row, (terms, _, _) in enumerate(rows) for _ in terms]
        variables, weights = zip(*(term for terms, _, _ in rows for term in terms))
        matrix = csr_array((weights, (row_indices, variables)), shape=(len(rows), n_variables))
        limits = np.array([row[1:] for row in rows], np.float64).T
        ends = (0.0, 0.0) if len(values) == 1 else (-np.inf, np.inf)
        result = solve_programme(
            objective,
            integrality=np.array([*[1] * len(self._upper), 0]),
            bounds=Bounds(np.array([*[0.0] * len(self._upper), ends[0]]), np.array([*self._upper, ends[1]])),
            constraints=LinearConstraint(matrix, *limits),
            options={"mip_rel_gap": _RELATIVE_GAP, "node_limit": MOST_BRANCHES},
        )
        if result.x is None:
            return None
        whole = np.rint(result.x[:-1]).astype(np.int64)
        counts = np.zeros(len(self._points), np.int64)
        battlegroups = []
        for group in self._groups:
            numbers = np.zeros_like(counts)
            for index, variable in group.by_loadout.items():
                numbers[index] = whole[variable]
            counts += numbers
            battlegroups += divide_units(group.kind, numbers, int(whole[group.total]), self._force.loadouts)
        total = float((values @ counts).min())
        return SolvedList(tuple(battlegroups), tuple(counts.tolist()), total, max(-float(result.mip_dual_bound), total))


def _limited_slots(kind: Battlegroup) -> set[str]:
    return {name for name, slot in kind.slots.items() if slot.least or slot.most is not None}


def divide_units(
    kind: Battlegroup | None, counts: NDArray[np.int64], number: int, loadouts: Sequence[Loadout]
) -> list[ListBattlegroup]:
    """Divide units among a number of battlegroups of a kind, so that each battlegroup is within its limits.

    Units are dealt to the battlegroups in turn, slot by slot and unit by unit. The battlegroups then differ by at most
    one in each unit and slot, so each is within its limits if all together are.
    """
    if number <= 1:
        return [ListBattlegroup(kind, tuple(counts.tolist()))] * number
    assert kind is not None
    limited = _limited_slots(kind)

    def order(index: int) -> tuple[str, str, int]:
        slots = [name for name in loadouts[index].unit.battlegroups[kind.id].slots if name in limited]
        return (slots[0] if slots else "", loadouts[index].unit.id, index)

    by_battlegroup = np.zeros((number, len(counts)), np.int64)
    turns = Counter[str]()
    for index in sorted(np.flatnonzero(counts).tolist(), key=order):
        slot = order(index)[0]
        for _ in range(int(counts[index])):
            by_battlegroup[turns[slot] % number, index] += 1
            turns[slot] += 1
    return [ListBattlegroup(kind, tuple(row)) for row in by_battlegroup.tolist()]


def best_lists(
    force: Force, values: Floats, number: int, differ: float, report: Callable[[int], None] = lambda _: None
) -> list[SolvedList]:
    """Return the best list and up to `number` more, each of which differs from earlier lists (:meth:`Force.best`)."""
    result: list[SolvedList] = []
    while len(result) <= number:
        best = force.best(values, unlike=result, differ=differ)
        if best is None:
            break
        result.append(best)
        report(len(result))
    return result
