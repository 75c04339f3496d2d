"""Best legal lists (points, battlegroups, slots and limits) by integer programming."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.equilibrium_prices import Array
from analyser.common.integer_programming import solve_programme
from analyser.game.forces import Battlegroup
from analyser.game.units import Loadout

MOST_BRANCHES = 1_000
RELATIVE_GAP = 1e-4
_NO_LIMIT = 1e9
_DIGITS = 9  # decimals of unit values; further ones differ between machines, and would decide ties


class Part(NamedTuple):
    """A battlegroup of a list: its kind (None if the faction has none), and its number of each loadout."""

    kind: Battlegroup | None
    counts: tuple[int, ...]


class SolvedList(NamedTuple):
    """A list: its parts, its total number of each loadout, its value, and an upper bound of the value of any list."""

    parts: tuple[Part, ...]
    counts: tuple[int, ...]
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """Largest possible gain of a better list, as a share of the value."""
        gain = self.bound - self.value
        return 0.0 if gain <= RELATIVE_GAP * max(abs(self.value), 1.0) else gain / max(abs(self.value), 1e-12)


@dataclass(frozen=True)
class Force:
    """Limits of a list.

    Attributes
    ----------
    loadouts : tuple of Loadout
        Loadouts that may be in the list; all have points.
    battlegroups : tuple of Battlegroup
        Kinds of battlegroups of the faction. Without any, only points limit a list.
    least_points, most_points : int
    most_battlegroups : int
    led_by : str
        Trait that at least one unit must have if there are no battlegroups.
    must : tuple of (tuple of int, int)
        Indices of loadouts, and their least number together.
    at_most : int or None
        Most units of a kind, at any level.
    """

    loadouts: tuple[Loadout, ...]
    battlegroups: tuple[Battlegroup, ...]
    least_points: int
    most_points: int
    most_battlegroups: int
    led_by: str
    must: tuple[tuple[tuple[int, ...], int], ...] = ()
    at_most: int | None = None
    _programme: list[_Programme] = field(default_factory=list, compare=False, repr=False)

    @property
    def points(self) -> NDArray[np.int64]:
        """Points of each loadout."""
        return np.array([loadout.level.points for loadout in self.loadouts], np.int64)

    @property
    def units(self) -> dict[str, list[int]]:
        """Indices of the loadouts of each unit."""
        result: dict[str, list[int]] = {}
        for place, loadout in enumerate(self.loadouts):
            result.setdefault(loadout.unit.id, []).append(place)
        return result

    def best(
        self, values: Array, *, unlike: Sequence[SolvedList] = (), differ: float = 0.0, any_points: bool = False
    ) -> SolvedList | None:
        """Return the legal list of the highest value; None if no list is legal.

        Parameters
        ----------
        values : ndarray
            Value of each loadout, shape (loadouts,). With shape (opponents, loadouts) the worst opponent counts.
        unlike : sequence of SolvedList
            The list must differ from each of these in at least the share `differ` of their points.
        any_points : bool
            Allow fewer points than `least_points`.
        """
        if not self._programme:
            self._programme.append(_Programme(self))
        return self._programme[0].solve(np.atleast_2d(values), unlike, differ, any_points=any_points)


Terms = list[tuple[int, float]]


class _Group(NamedTuple):
    """Battlegroups of a kind (None: the force): variables of their number, and of each loadout in all of them."""

    kind: Battlegroup | None
    number: int
    inside: dict[int, int]


class _Programme:
    """The variables and constraints for the lists of a force.

    Variables are the number of battlegroups of each kind, and the number of each loadout in all battlegroups of that
    kind. The limits of one battlegroup, times their number, apply to all together. Units within these limits can be
    divided among the battlegroups, because units and their slots are nested (Baum, Trotter: Lecture Notes in Economics
    157, 1978). If a unit counts in several limited slots, each battlegroup has its own variables.
    """

    def __init__(self, force: Force) -> None:
        self._force, self._points = force, force.points
        self._upper: list[float] = []
        self._rows: list[tuple[Terms, float, float]] = []
        self._groups = [group for kind in force.battlegroups or (None,) for group in self._groups_of(kind)]
        if force.battlegroups:
            self._row(((group.number, 1.0) for group in self._groups), 1, force.most_battlegroups)
        self._limit_units()
        self._points_row = len(self._rows)
        self._row(self._weighted_sum(self._points), force.least_points, force.most_points)
        self._copies: dict[int, list[int]] = {}

    def _variable(self, most: float) -> int:
        self._upper.append(most)
        return len(self._upper) - 1

    def _row(self, terms: Iterable[tuple[int, float]], least: float, most: float) -> None:
        self._rows.append((list(terms), least, most))

    def _weighted_sum(self, weights: NDArray[Any], indices: Iterable[int] | None = None) -> Terms:
        """Return the weighted sum of the numbers of all loadouts, or of those with these indices."""
        wanted = range(len(weights)) if indices is None else indices
        return [(group.inside[at], float(weights[at])) for at in wanted for group in self._groups if at in group.inside]

    def _number_of(self, indices: Iterable[int]) -> Terms:
        return self._weighted_sum(np.ones(len(self._points)), indices)

    def _groups_of(self, kind: Battlegroup | None) -> list[_Group]:
        loadouts = self._force.loadouts
        allowed = [at for at, loadout in enumerate(loadouts) if kind is None or kind.id in loadout.unit.battlegroups]
        if kind is None:
            group = _Group(None, self._variable(1), {at: self._variable(self._most_copies(at, None)) for at in allowed})
            self._row([(group.number, 1.0)], 1, 1)
            leaders = [at for at in allowed if self._force.led_by in loadouts[at].unit.traits]
            if leaders:
                self._row([(group.inside[at], 1.0) for at in leaders], 1, _NO_LIMIT)
            return [group]
        most = self._force.most_battlegroups if kind.most is None else min(self._force.most_battlegroups, kind.most)
        together = most if _is_nested(kind, [loadouts[at] for at in allowed]) else 1
        groups = []
        for _ in range(most // together if most else 0):
            inside = {at: self._variable(together * self._most_copies(at, kind)) for at in allowed}
            groups.append(_Group(kind, self._variable(together), inside))
            self._limit_group(groups[-1])
        if kind.least:
            self._row([(group.number, 1.0) for group in groups], kind.least, _NO_LIMIT)
        return groups

    def _most_copies(self, at: int, kind: Battlegroup | None) -> int:
        """Return the most copies of a loadout that a battlegroup can have."""
        most = int(self._force.most_points // max(int(self._points[at]), 1))
        limit = None if kind is None else self._force.loadouts[at].unit.battlegroups[kind.id].most
        return most if limit is None else min(most, limit)

    def _limit_group(self, group: _Group) -> None:
        """Add the limits of battlegroups by unit and by slot."""
        kind, loadouts = group.kind, self._force.loadouts
        assert kind is not None
        for indices in self._force.units.values():
            if indices[0] in group.inside:
                limits = loadouts[indices[0]].unit.battlegroups[kind.id]
                self._limit_each(group, indices, limits.least, max(self._most_copies(at, kind) for at in indices))
        for name, slot in kind.slots.items():
            in_slot = [at for at in group.inside if name in loadouts[at].unit.battlegroups[kind.id].slots]
            if in_slot or slot.least:
                self._limit_each(group, in_slot, slot.least, slot.most)

    def _limit_each(self, group: _Group, indices: Sequence[int], least: int, most: int | None) -> None:
        """Add the least and the most number of these loadouts in each battlegroup."""
        terms = [(group.inside[at], 1.0) for at in indices]
        if least:
            self._row([*terms, (group.number, -float(least))], 0, _NO_LIMIT)
        if most is not None:
            self._row([*terms, (group.number, -float(most))], -_NO_LIMIT, 0)

    def _limit_units(self) -> None:
        """Add the limits of the force by unit, and the required loadouts."""
        force = self._force
        for indices in force.units.values():
            limits = force.loadouts[indices[0]].unit.in_force
            most = min((limit for limit in (limits.most, force.at_most) if limit is not None), default=None)
            if limits.least or most is not None:
                self._row(self._number_of(indices), limits.least, _NO_LIMIT if most is None else most)
        for wanted, number in force.must:
            self._row(self._number_of(wanted), number, _NO_LIMIT)

    def _first_copies(self, at: int, number: int) -> list[int]:
        """Return 0-1 variables that say whether the list has a first, second, ... copy of a loadout, up to `number`."""
        copies = self._copies.setdefault(at, [])
        if number > len(copies):
            inside = self._number_of([at])
            most = int(min(sum(self._upper[variable] for variable, _ in inside), self._most_copies(at, None)))
            copies += [self._variable(1) for _ in range(number - len(copies))]
            further = [*inside, *((copy, -1.0) for copy in copies)]  # copies beyond `number` need all of these first
            self._row(further, 0, _NO_LIMIT)
            self._row([*further, (copies[-1], -float(most - number))], -_NO_LIMIT, 0)
            for first, second in pairwise(copies):
                self._row([(first, 1.0), (second, -1.0)], 0, 1)
        return copies[:number]

    def solve(
        self, values: Array, unlike: Sequence[SolvedList], differ: float, *, any_points: bool
    ) -> SolvedList | None:
        """Return the best list; see :meth:`Force.best`."""
        from scipy.optimize import Bounds, LinearConstraint

        values, shared = values.round(_DIGITS), []
        for other in unlike:
            terms = [
                (variable, float(self._points[at]))
                for at, count in enumerate(other.counts)
                for variable in self._first_copies(at, count)
            ]
            shared.append((terms, -_NO_LIMIT, (1 - differ) * float(self._points @ other.counts)))
        rows = [*self._rows, *shared]
        if any_points:
            terms, _, most = rows[self._points_row]
            rows[self._points_row] = (terms, -_NO_LIMIT, most)
        n_variables = len(self._upper) + 1  # the last variable is the value against the worst of several opponents
        objective = np.zeros(n_variables)
        if len(values) == 1:
            for variable, value in self._weighted_sum(values[0]):
                objective[variable] = -value
        else:
            objective[-1] = -1.0
            rows += [([*self._weighted_sum(by_opponent), (n_variables - 1, -1.0)], 0, np.inf) for by_opponent in values]
        matrix, least, limit = _matrix(rows, n_variables)
        ends = (0.0, 0.0) if len(values) == 1 else (-np.inf, np.inf)
        result = solve_programme(
            objective,
            integrality=np.array([*[1] * len(self._upper), 0]),
            bounds=Bounds(np.array([*[0.0] * len(self._upper), ends[0]]), np.array([*self._upper, ends[1]])),
            constraints=LinearConstraint(matrix, least, limit),
            options={"mip_rel_gap": RELATIVE_GAP, "node_limit": MOST_BRANCHES},
        )
        if result.x is None:
            return None
        whole = np.rint(result.x[:-1]).astype(np.int64)
        counts = np.zeros(len(self._points), np.int64)
        parts = []
        for group in self._groups:
            inside = np.zeros_like(counts)
            for at, variable in group.inside.items():
                inside[at] = whole[variable]
            counts += inside
            parts += deal_out(group.kind, inside, int(whole[group.number]), self._force.loadouts)
        total = float((values @ counts).min())
        return SolvedList(tuple(parts), tuple(counts.tolist()), total, max(-float(result.mip_dual_bound), total))


def _is_nested(kind: Battlegroup, loadouts: Iterable[Loadout]) -> bool:
    """Return True if each unit counts in at most one slot that has limits."""
    limited = {name for name, slot in kind.slots.items() if slot.least or slot.most is not None}
    return all(len(limited & set(loadout.unit.battlegroups[kind.id].slots)) <= 1 for loadout in loadouts)


def deal_out(
    kind: Battlegroup | None, counts: NDArray[np.int64], number: int, loadouts: Sequence[Loadout]
) -> list[Part]:
    """Divide the units of several battlegroups of a kind among them, so that each is within its limits.

    Units are dealt in turn, slot by slot and unit by unit. Numbers in a slot, or of a unit, then differ by at most one
    between battlegroups, so each is within its limits if all together are.
    """
    if number <= 1:
        return [Part(kind, tuple(counts.tolist()))] * number
    assert kind is not None
    limited = {name for name, slot in kind.slots.items() if slot.least or slot.most is not None}

    def order(at: int) -> tuple[str, str, int]:
        slots = [name for name in loadouts[at].unit.battlegroups[kind.id].slots if name in limited]
        return (slots[0] if slots else "", loadouts[at].unit.id, at)

    dealt = np.zeros((number, len(counts)), np.int64)
    turns: dict[str, int] = {}
    for at in sorted(np.flatnonzero(counts).tolist(), key=order):
        slot = order(at)[0]
        for _ in range(int(counts[at])):
            turn = turns.get(slot, 0)
            dealt[turn % number, at] += 1
            turns[slot] = turn + 1
    return [Part(kind, tuple(row)) for row in dealt.tolist()]


def _matrix(rows: Sequence[tuple[Terms, float, float]], n_variables: int) -> tuple[Any, Array, Array]:
    """Return the constraints as a sparse matrix, and their lower and upper limits."""
    from scipy.sparse import csr_array

    entries = [(number, variable, weight) for number, (terms, _, _) in enumerate(rows) for variable, weight in terms]
    number, variable, weight = zip(*entries)
    limits = np.array([row[1:] for row in rows], np.float64)
    limits[limits >= _NO_LIMIT] = np.inf
    limits[limits <= -_NO_LIMIT] = -np.inf
    return csr_array((weight, (number, variable)), shape=(len(rows), n_variables)), limits[:, 0], limits[:, 1]


def best_lists(
    force: Force, values: Array, number: int, differ: float, report: Callable[[int], None] = lambda _: None
) -> list[SolvedList]:
    """Return the best list and up to `number` more; each differs from all before it in the share `differ` of points."""
    result: list[SolvedList] = []
    while len(result) <= number:
        best = force.best(values, unlike=result, differ=differ)
        if best is None:
            break
        result.append(best)
        report(len(result))
    return result
