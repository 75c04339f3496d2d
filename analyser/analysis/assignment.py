"""Assignment of attackers to targets that maximises the exact value of focus fire, with an upper bound of this value.

A volley is a set of attacks on one target, in a fixed order. Each volley is a column of an integer programme. There are
too many volleys to list, so columns are generated (Gilmore, Gomory: Operations Research 9, 1961; Barnhart and others:
Operations Research 46, 1998). The dual variables of the linear relaxation are prices of each kind of attacker and of
target. A branch-and-bound search finds the volley with the largest surplus: its value minus the prices of its
attackers. Its upper bound is the surplus of attackers that see each result before they choose the next attack (dynamic
programming over the target's states). If a gap remains between the best assignment and the upper bound, all volleys
that could improve the assignment are added (reduced cost fixing).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from analyser.common.integer_programming import solve_programme
from analyser.common.kernel_records import Floats

AttackCounts = tuple[int, ...]  # number of attacks by each kind of attacker in a volley
MOST_NODES = 20_000  # nodes of a search for volleys on one kind of target
MOST_ROUNDS = 200  # rounds of column generation
MOST_COLUMNS = 5_000  # volleys after which a search on one kind of target stops
MOST_BRANCHES = 100_000  # nodes of the integer programme
TOLERANCE = 1e-9  # smaller differences count as 0; differences of totals are divided by the total first


class TargetKind(NamedTuple):
    """A number of equal targets.

    `matrices` has, for each kind of attacker (an index) that can attack the target, the transition matrix of an attack.
    Rows are states of the target before the attack, columns states after it. `value_by_state` is the value gained when
    the target ends in each state; the first state, before any attack, has the value 0.
    """

    n_targets: int
    matrices: Mapping[int, Floats]
    value_by_state: Floats


class Volley(NamedTuple):
    """Attacks on one target of the kind with index `target`: their number by kind of attacker, and joint value."""

    target: int
    attacks: AttackCounts
    value: float


class Assignment(NamedTuple):
    """An assignment of attackers to targets; no assignment has a value above `bound`."""

    volleys: tuple[Volley, ...]
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """Upper bound of a better assignment's gain, as a share of `value`: 0 if optimal, infinite if `value` is 0."""
        possible_gain = self.bound - self.value
        if possible_gain <= TOLERANCE * max(self.value, 1.0):
            return 0.0
        return possible_gain / self.value if self.value > 0 else np.inf


def distribution_after(target: TargetKind, attacks: AttackCounts) -> Floats:
    """Return the distribution of the target's states after these attacks, made in the order of `attacks`."""
    pmf: Floats = np.eye(1, len(target.value_by_state))[0]
    for kind, count in enumerate(attacks):
        for _ in range(count):
            pmf = pmf @ target.matrices[kind]
    return pmf


def assign(counts: Sequence[int], targets: Sequence[TargetKind]) -> Assignment:
    """Return the best assignment of attackers to targets; `counts` has the number of attackers of each kind.

    Each attacker attacks at most once. Attacks on a target are made in the order of the kinds of attackers.

    >>> coin = np.array([[0.5, 0.5], [0.0, 1.0]])
    >>> found = assign([2], [TargetKind(2, {0: coin}, np.array([0.0, 10.0]))])
    >>> [volley.attacks for volley in found.volleys], found.value, found.gap
    ([(1,), (1,)], 10.0, 0.0)
    """
    columns = _Columns(counts, targets)
    n_targets = np.array([target.n_targets for target in targets])
    bound, proof_prices, proof_bounds = np.inf, np.zeros(len(counts)), np.zeros(len(targets))
    for _ in range(MOST_ROUNDS):
        prices, target_prices, value = columns.solve_relaxation()
        searches = [_Search(target, counts, prices, least) for target, least in zip(targets, target_prices)]
        surplus_bounds = np.array([max(search.bound, 0.0) for search in searches])
        # Lagrangian bound: the sum of the prices of all attackers, plus the largest surplus of a volley on each target
        total = float(np.dot(counts, prices) + n_targets @ surplus_bounds)
        if total < bound:
            bound, proof_prices, proof_bounds = total, prices, surplus_bounds
        if not columns.add_all(searches) or bound - value <= TOLERANCE * max(value, 1.0):
            break
    best, value, _ = columns.solve_integer()
    if bound - value > TOLERANCE * max(value, 1.0):  # only volleys with a surplus >= `lowest` can be in a better one
        lowest = proof_bounds - (bound - value)
        pairs = zip(targets, lowest)
        searches = [_Search(target, counts, proof_prices, least, find_all=True) for target, least in pairs]
        if all(search.is_complete for search in searches):
            columns.add_all(searches)
            best, value, upper = columns.solve_integer()
            bound = min(bound, max(upper, value))
    volleys = [_without_useless_attackers(volley, targets[volley.target]) for volley in best]
    return Assignment(tuple(volleys), value, max(bound, value))


def _without_useless_attackers(volley: Volley, target: TargetKind) -> Volley:
    attacks = list(volley.attacks)
    for kind in range(len(attacks)):
        while attacks[kind]:
            fewer = [count - (other == kind) for other, count in enumerate(attacks)]
            if distribution_after(target, tuple(fewer)) @ target.value_by_state < volley.value - TOLERANCE:
                break
            attacks = fewer
    return volley._replace(attacks=tuple(attacks))


class _Search:
    """Search for volleys on one target with a surplus (value minus the prices of the attackers) above `least`.

    `volleys` has the best such volley and some others; with `find_all` it has all. Each is paired with its value.
    No volley has a surplus above `bound`. `is_complete` is False if the search stopped at a limit.
    """

    def __init__(
        self, target: TargetKind, counts: Sequence[int], prices: Floats, least: float, *, find_all: bool = False
    ) -> None:
        self._target, self._prices, self._find_all = target, prices, find_all
        self._kinds = sorted(target.matrices)
        self._available = [counts[kind] for kind in self._kinds]
        self._upper_values = self._upper_values_by_state()
        self._n_kinds = len(counts)
        self.volleys: list[tuple[AttackCounts, float]] = []
        self.is_complete = True
        self._least = least + (-TOLERANCE if find_all else TOLERANCE)
        self._best = max(least, 0.0)
        self.bound = self._run()

    def _upper_values_by_state(self) -> list[list[Floats]]:
        """Return upper bounds of the further surplus from each state, as if attackers saw the results so far.

        The list is indexed by the next kind of attacker, then by the number of attackers of this kind that are left.
        """
        value, by_kind = self._target.value_by_state, []
        for kind, available in zip(reversed(self._kinds), reversed(self._available)):
            rest, values = value, [value]
            for _ in range(available):
                value = np.maximum(rest, self._target.matrices[kind] @ value - self._prices[kind])
                values.append(value)
            by_kind.append(values)
        return [*reversed(by_kind), [self._target.value_by_state]]

    def _run(self) -> float:
        """Search for volleys; return an upper bound of their surplus."""
        pmf = np.eye(1, len(self._target.value_by_state))[0]
        bound = float(pmf @ self._upper_values[0][-1])
        open_nodes = [(bound, 0, self._available[0] if self._available else 0, pmf, 0.0, (0,) * self._n_kinds)]
        nodes = 0
        while open_nodes:
            bound, index, left, pmf, paid, attacks = open_nodes.pop()
            if bound <= self._least:
                continue
            nodes += 1
            if nodes > MOST_NODES or len(self.volleys) > MOST_COLUMNS:
                self.is_complete = False
                return max(bound, self._best, *(node[0] for node in open_nodes))
            if index == len(self._kinds):
                self._add(attacks, bound + paid, bound)
                continue
            following = index + 1
            available = self._available[following] if following < len(self._kinds) else 0
            upper = float(pmf @ self._upper_values[following][-1]) - paid
            children = [(upper, following, available, pmf, paid, attacks)]
            if left:
                kind = self._kinds[index]
                after, cost = pmf @ self._target.matrices[kind], paid + float(self._prices[kind])
                more = (*attacks[:kind], attacks[kind] + 1, *attacks[kind + 1 :])
                upper = float(after @ self._upper_values[index][left - 1]) - cost
                children.append((upper, index, left - 1, after, cost, more))
            open_nodes += sorted(children, key=lambda node: node[0])
        return self._best

    def _add(self, attacks: AttackCounts, value: float, surplus: float) -> None:
        if any(attacks):
            self.volleys.append((attacks, value))
        if not self._find_all:
            self._least = max(self._least, surplus + TOLERANCE)
        self._best = max(self._best, surplus)


class _Columns:
    """The volleys generated so far, and the linear and integer programmes over them."""

    def __init__(self, counts: Sequence[int], targets: Sequence[TargetKind]) -> None:
        self._counts, self._targets = counts, targets
        self._columns: dict[tuple[int, AttackCounts], float] = {}
        for index, target in enumerate(targets):
            for kind in target.matrices:
                if counts[kind]:
                    attacks = tuple(int(other == kind) for other in range(len(counts)))
                    value = float(distribution_after(target, attacks) @ target.value_by_state)
                    self._columns[index, attacks] = value

    def add_all(self, searches: Sequence[_Search]) -> bool:
        """Add the volleys of a search on each target; return True if one of them is new."""
        n_before = len(self._columns)
        for index, search in enumerate(searches):
            self._columns |= {(index, attacks): value for attacks, value in search.volleys}
        return len(self._columns) > n_before

    def _constraints(self) -> tuple[Any, Floats]:
        """Return the matrix and upper limits of the constraints: one for each kind of attacker and each of target."""
        from scipy.sparse import csr_array

        attacks = np.array([attacks for _, attacks in self._columns]).reshape(-1, len(self._counts))
        is_on = np.eye(len(self._targets))[[target for target, _ in self._columns]]
        limits = np.array([*self._counts, *(target.n_targets for target in self._targets)], np.float64)
        return csr_array(np.hstack([attacks, is_on]).T), limits

    def solve_relaxation(self) -> tuple[Floats, Floats, float]:
        """Return the dual prices of attackers and of targets, and the value of the linear relaxation."""
        from scipy.optimize import linprog

        if not self._columns:
            return np.zeros(len(self._counts)), np.zeros(len(self._targets)), 0.0
        matrix, limits = self._constraints()
        result = linprog(-np.array(list(self._columns.values())), A_ub=matrix, b_ub=limits, method="highs-ds")
        duals = np.maximum(-result.ineqlin.marginals, 0.0)
        return duals[: len(self._counts)], duals[len(self._counts) :], float(-result.fun)

    def solve_integer(self) -> tuple[list[Volley], float, float]:
        """Return the best choice of generated volleys, its value, and an upper bound of the value of any choice."""
        from scipy.optimize import Bounds, LinearConstraint

        if not self._columns:
            return [], 0.0, 0.0
        matrix, limits = self._constraints()
        values = np.array(list(self._columns.values()))
        most = np.array([self._targets[target].n_targets for target, _ in self._columns])
        result = solve_programme(
            -values,
            integrality=np.ones(len(values)),
            bounds=Bounds(0, most),
            constraints=LinearConstraint(matrix, -np.inf, limits),
            options={"mip_rel_gap": TOLERANCE, "node_limit": MOST_BRANCHES},
        )
        times = np.zeros(len(values), np.int64) if result.x is None else np.rint(result.x).astype(np.int64)
        volleys = [
            Volley(target, attacks, value)
            for ((target, attacks), value), count in zip(self._columns.items(), times.tolist())
            for _ in range(count)
        ]
        bound = np.inf if result.mip_dual_bound is None else -float(result.mip_dual_bound)
        return volleys, float(times @ values), bound
