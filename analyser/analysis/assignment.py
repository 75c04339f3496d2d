"""Assignment of attackers to targets: the best volleys, valued by exact focus fire, with a proven bound.

A volley is a set of attackers on one target, in a fixed order, and a column of an integer programme. There are too many
volleys to list, so columns are generated (Gilmore, Gomory: Operations Research 9, 1961; Barnhart and others: Operations
Research 46, 1998). The linear relaxation prices each attacker, and a search finds the most valuable volley at these
prices. The search is bounded by the value if each result were seen before the next attack, from dynamic programming
over the target's states. Finally all volleys that could improve the assignment are added (reduced cost fixing).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.integer_programming import solve_programme

Array = NDArray[np.float64]
Shots = tuple[int, ...]  # number of attacks by each kind of attacker
MOST_NODES = 20_000  # nodes of a search for volleys
MOST_ROUNDS = 200  # rounds of column generation
MOST_COLUMNS = 5_000  # volleys of a target
MOST_BRANCHES = 100_000  # nodes of the integer programme
WITHIN = 1e-9  # relative to the value; smaller differences count as ties


class Foe(NamedTuple):
    """A kind of target.

    Attributes
    ----------
    number : int
        Number of targets of this kind.
    matrices : mapping of int to ndarray
        For each kind of attacker that can attack the target: probability of each next state (column) from each state
        (row). The first state is the state before any attack.
    worth : ndarray
        Value gained in each state; 0 in the first.
    """

    number: int
    matrices: Mapping[int, Array]
    worth: Array


class Volley(NamedTuple):
    """Attacks on one target of the kind with index `foe`, in the order of the kinds of attackers, and their value."""

    foe: int
    shots: Shots
    value: float


class Assignment(NamedTuple):
    """The best assignment found.

    Attributes
    ----------
    volleys : tuple of Volley
        One for each target that is attacked.
    value : float
        Total value.
    bound : float
        Proven upper bound of the value of any assignment.
    """

    volleys: tuple[Volley, ...]
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """Largest possible gain of a better assignment as a share of the value; 0 if the assignment is optimal."""
        possible_gain = self.bound - self.value
        if possible_gain <= WITHIN * max(self.value, 1.0):
            return 0.0
        return possible_gain / self.value if self.value > 0 else np.inf


def distribution_after(foe: Foe, shots: Shots) -> Array:
    """Return the distribution of the target's states after these attacks, in the order of the kinds of attackers."""
    pmf = np.zeros(len(foe.worth))
    pmf[0] = 1.0
    for kind, count in enumerate(shots):
        for _ in range(count):
            pmf = pmf @ foe.matrices[kind]
    return pmf


def assign(counts: Sequence[int], foes: Sequence[Foe]) -> Assignment:
    """Return the best assignment of `counts` attackers of each kind, each attacking at most once, to kinds of targets.

    Attacks on one target follow each other in the order of the kinds of attackers. In the example two attackers each
    destroy a target with probability 1/2, and there are two targets: one attacker for each target is best.

    >>> coin = np.array([[0.5, 0.5], [0.0, 1.0]])
    >>> found = assign([2], [Foe(2, {0: coin}, np.array([0.0, 10.0]))])
    >>> [each.shots for each in found.volleys], found.value, found.gap
    ([(1,), (1,)], 10.0, 0.0)
    """
    columns, proof = _Columns(counts, foes), _Proof(np.inf, np.zeros(len(counts)), [])
    for _ in range(MOST_ROUNDS):
        prices, rents, value = columns.solve_relaxation()
        searches = [_Search(foe, counts, prices, rent) for foe, rent in zip(foes, rents)]
        new_proof = _lagrangian_bound(counts, prices, foes, [search.bound for search in searches])
        proof = min(proof, new_proof, key=lambda known: known.bound)
        new = [columns.add(index, volley) for index, search in enumerate(searches) for volley in search.volleys]
        if not any(new) or proof.bound - value <= WITHIN * max(value, 1.0):
            break
    best, value, _ = columns.solve_integer()
    bound = proof.bound
    if bound - value > WITHIN * max(value, 1.0):  # a volley of a better assignment has a reduced cost within the gap
        least = [surplus - (bound - value) for surplus in proof.surpluses]
        searches = [_Search(foe, counts, proof.prices, rent, find_all=True) for foe, rent in zip(foes, least)]
        if all(search.is_complete for search in searches):
            for index, search in enumerate(searches):
                for volley in search.volleys:
                    columns.add(index, volley)
            best, value, upper = columns.solve_integer()
            bound = min(bound, max(upper, value))
    volleys = [_without_useless_attackers(volley, foes[volley.foe]) for volley in best]
    return Assignment(tuple(volleys), value, max(bound, value))


class _Proof(NamedTuple):
    """Upper bound of all assignments, from the prices of attackers and the largest surplus of a volley on each target.

    The surplus is the value of a volley minus the prices of its attackers.
    """

    bound: float
    prices: Array
    surpluses: list[float]


def _lagrangian_bound(counts: Sequence[int], prices: Array, foes: Sequence[Foe], bounds: Sequence[float]) -> _Proof:
    """Return the Lagrangian bound: all attackers at their prices, plus the largest surplus on each target."""
    surpluses = [max(bound, 0.0) for bound in bounds]
    total = np.dot(counts, prices) + sum(foe.number * surplus for foe, surplus in zip(foes, surpluses))
    return _Proof(float(total), prices, surpluses)


def _without_useless_attackers(volley: Volley, foe: Foe) -> Volley:
    """Return the volley without attackers that add no value."""
    shots = list(volley.shots)
    for kind in range(len(shots)):
        while shots[kind]:
            fewer = [count - (other == kind) for other, count in enumerate(shots)]
            if distribution_after(foe, tuple(fewer)) @ foe.worth < volley.value - WITHIN:
                break
            shots = fewer
    return volley._replace(shots=tuple(shots))


class _Search:
    """Volleys on one target whose value exceeds the prices of their attackers by more than `rent`.

    Finds the best such volley and some others, or with `find_all` all. No surplus exceeds `bound`.
    """

    def __init__(self, foe: Foe, counts: Sequence[int], prices: Array, rent: float, *, find_all: bool = False) -> None:
        self._foe, self._prices, self._find_all = foe, prices, find_all
        self._kinds = sorted(foe.matrices)
        self._available = [counts[kind] for kind in self._kinds]
        self._upper_values = self._upper_values_by_state()
        self._n_kinds = len(counts)
        self.volleys: list[tuple[Shots, float]] = []
        self.is_complete = True
        pmf = np.zeros(len(foe.worth))
        pmf[0] = 1.0
        self._least = rent + (-WITHIN if find_all else WITHIN)
        self._best = max(rent, 0.0)
        self.bound = self._run(pmf)

    def _upper_values_by_state(self) -> list[list[Array]]:
        """Return an upper bound of the value of each state: the value if each result is seen before the next attack.

        The lists are by index of the next kind of attacker, and by the number of attackers of this kind left.
        """
        value, by_kind = self._foe.worth, []
        for kind, available in zip(reversed(self._kinds), reversed(self._available)):
            rest, values = value, [value]
            for _ in range(available):
                value = np.maximum(rest, self._foe.matrices[kind] @ value - self._prices[kind])
                values.append(value)
            by_kind.append(values)
        return [*reversed(by_kind), [self._foe.worth]]

    def _run(self, pmf: Array) -> float:
        """Search from the first state, and return an upper bound of the surplus of all volleys."""
        bound = float(pmf @ self._upper_values[0][-1])
        open_nodes = [(bound, 0, self._available[0] if self._available else 0, pmf, 0.0, (0,) * self._n_kinds)]
        nodes = 0
        while open_nodes:
            bound, index, left, pmf, paid, shots = open_nodes.pop()
            if bound <= self._least:
                continue
            nodes += 1
            if nodes > MOST_NODES or len(self.volleys) > MOST_COLUMNS:
                self.is_complete = False
                return max(bound, self._best, *(node[0] for node in open_nodes))
            if index == len(self._kinds):
                self._add(shots, bound + paid, bound)
                continue
            following = index + 1
            available = self._available[following] if following < len(self._kinds) else 0
            upper = float(pmf @ self._upper_values[following][-1]) - paid
            children = [(upper, following, available, pmf, paid, shots)]
            if left:
                kind = self._kinds[index]
                after, cost = pmf @ self._foe.matrices[kind], paid + float(self._prices[kind])
                more = (*shots[:kind], shots[kind] + 1, *shots[kind + 1 :])
                upper = float(after @ self._upper_values[index][left - 1]) - cost
                children.append((upper, index, left - 1, after, cost, more))
            open_nodes += sorted(children, key=lambda node: node[0])
        return self._best

    def _add(self, shots: Shots, value: float, surplus: float) -> None:
        if any(shots):
            self.volleys.append((shots, value))
        if not self._find_all:
            self._least = max(self._least, surplus + WITHIN)
        self._best = max(self._best, surplus)


class _Columns:
    """The volleys generated so far, and the linear and integer programmes over them."""

    def __init__(self, counts: Sequence[int], foes: Sequence[Foe]) -> None:
        self._counts, self._foes = counts, foes
        self._columns: dict[tuple[int, Shots], float] = {}
        for index, foe in enumerate(foes):
            for kind in foe.matrices:
                if counts[kind]:
                    shots = tuple(int(other == kind) for other in range(len(counts)))
                    self.add(index, (shots, float(distribution_after(foe, shots) @ foe.worth)))

    def add(self, foe: int, volley: tuple[Shots, float]) -> bool:
        """Add a volley with its value, and return True if it is new."""
        shots, value = volley
        is_new = (foe, shots) not in self._columns
        self._columns[foe, shots] = value
        return is_new

    def _rows(self) -> tuple[Any, Array]:
        """Return the matrix of constraints, a row for each kind of attacker and of target, and the upper limits."""
        from scipy.sparse import csr_array

        shots = np.array([shot for _, shot in self._columns]).reshape(-1, len(self._counts))
        foes = np.array([foe for foe, _ in self._columns], np.int64)
        is_on = np.zeros((len(foes), len(self._foes)))
        is_on[np.arange(len(foes)), foes] = 1
        limits = np.array([*self._counts, *(foe.number for foe in self._foes)], np.float64)
        return csr_array(np.hstack([shots, is_on]).T), limits

    def solve_relaxation(self) -> tuple[Array, Array, float]:
        """Return the dual prices of attackers, those of targets, and the value of the linear relaxation."""
        from scipy.optimize import linprog

        if not self._columns:
            return np.zeros(len(self._counts)), np.zeros(len(self._foes)), 0.0
        rows, limits = self._rows()
        result = linprog(-np.array(list(self._columns.values())), A_ub=rows, b_ub=limits, method="highs-ds")
        duals = np.maximum(-result.ineqlin.marginals, 0.0)
        return duals[: len(self._counts)], duals[len(self._counts) :], float(-result.fun)

    def solve_integer(self) -> tuple[list[Volley], float, float]:
        """Return the best assignment of these volleys, its value, and an upper bound of the value of any of them."""
        from scipy.optimize import Bounds, LinearConstraint

        if not self._columns:
            return [], 0.0, 0.0
        rows, limits = self._rows()
        values = np.array(list(self._columns.values()))
        most = np.array([self._foes[foe].number for foe, _ in self._columns])
        result = solve_programme(
            -values,
            integrality=np.ones(len(values)),
            bounds=Bounds(0, most),
            constraints=LinearConstraint(rows, -np.inf, limits),
            options={"mip_rel_gap": WITHIN, "node_limit": MOST_BRANCHES},
        )
        times = np.zeros(len(values), np.int64) if result.x is None else np.rint(result.x).astype(np.int64)
        volleys = [
            Volley(foe, shots, value)
            for ((foe, shots), value), count in zip(self._columns.items(), times.tolist())
            for _ in range(count)
        ]
        bound = np.inf if result.mip_dual_bound is None else -float(result.mip_dual_bound)
        return volleys, float(times @ values), bound
