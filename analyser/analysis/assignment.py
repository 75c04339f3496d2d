"""Assignment of attackers to targets: the best volleys, valued by exact focus fire, with a proven bound.

An integer programme has a column for each volley: some attackers on one target, in a fixed order. There are too many
volleys to list, so columns are generated (Gilmore, Gomory: Operations Research 9, 1961; Barnhart and others: Operations
Research 46, 1998). The linear relaxation prices each attacker, and a search finds the most valuable volley at these
prices. The bound of the search is the value with each result seen before the next attack, from a dynamic programme over
the target's states. Finally all volleys that could improve the assignment are listed (reduced cost fixing).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.integer_programming import solve_programme

Array = NDArray[np.float64]
Shots = tuple[int, ...]  # number of attacks by each kind of attacker
MOST_NODES = 20_000  # per search for volleys
MOST_ROUNDS = 200
MOST_COLUMNS = 5_000  # per target
MOST_BRANCHES = 100_000  # nodes of the integer programme
WITHIN = 1e-9  # relative to the value; smaller differences count as ties


class Foe(NamedTuple):
    """A kind of target.

    Attributes
    ----------
    number : int
        Number of targets of this kind.
    matrices : mapping of int to ndarray
        By kind of attacker that can attack it, the probability of each next state (column) from each state (row). The
        first state is the one before any attack.
    worth : ndarray
        Value gained in each state; 0 in the first.
    """

    number: int
    matrices: Mapping[int, Array]
    worth: Array


class Volley(NamedTuple):
    """Attacks on one target of the kind with index `foe`, in the order of the kinds, and their value."""

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
        """Largest possible gain of a better assignment as a share of this value; 0 if this one is optimal."""
        missing = self.bound - self.value
        if missing <= WITHIN * max(self.value, 1.0):
            return 0.0
        return missing / self.value if self.value > 0 else np.inf


def distribution_after(foe: Foe, shots: Shots) -> Array:
    """Return the distribution of the target's states after these attacks, made in the order of the kinds."""
    pmf = np.zeros(len(foe.worth))
    pmf[0] = 1.0
    for kind, often in enumerate(shots):
        for _ in range(often):
            pmf = pmf @ foe.matrices[kind]
    return pmf


def assign(counts: Sequence[int], foes: Sequence[Foe]) -> Assignment:
    """Return the best assignment of `counts` attackers of each kind, each attacking at most once.

    Parameters
    ----------
    counts : sequence of int
        Number of attackers of each kind.
    foes : sequence of Foe
        Kinds of targets. Attacks on one target follow each other in the order of the kinds of attackers.

    Examples
    --------
    Two attackers that each destroy a target with probability 1/2, and two targets: one attacker each.

    >>> coin = np.array([[0.5, 0.5], [0.0, 1.0]])
    >>> found = assign([2], [Foe(2, {0: coin}, np.array([0.0, 10.0]))])
    >>> [each.shots for each in found.volleys], found.value, found.gap
    ([(1,), (1,)], 10.0, 0.0)
    """
    master, proof = _Master(counts, foes), _Proof(np.inf, np.zeros(len(counts)), [])
    for _ in range(MOST_ROUNDS):
        prices, rents, value = master.relaxed()
        searches = [_Search(foe, counts, prices, rent) for foe, rent in zip(foes, rents)]
        proof = min(
            proof, _proven(counts, prices, foes, [search.bound for search in searches]), key=lambda step: step.bound
        )
        new = [master.add(place, volley) for place, search in enumerate(searches) for volley in search.found]
        if not any(new) or proof.bound - value <= WITHIN * max(value, 1.0):
            break
    best, value, _ = master.whole()
    bound = proof.bound
    if bound - value > WITHIN * max(value, 1.0):  # a volley of a better assignment has a reduced cost within the gap
        least = [top - (bound - value) for top in proof.tops]
        searches = [_Search(foe, counts, proof.prices, bound, every=True) for foe, bound in zip(foes, least)]
        if all(search.complete for search in searches):
            for place, search in enumerate(searches):
                for volley in search.found:
                    master.add(place, volley)
            best, value, most = master.whole()
            bound = min(bound, max(most, value))
    volleys = [_without_idle(volley, foes[volley.foe]) for volley in best]
    return Assignment(tuple(volleys), value, max(bound, value))


class _Proof(NamedTuple):
    """Upper bound of all assignments, from the prices of attackers and the largest surplus on each target."""

    bound: float
    prices: Array
    tops: list[float]


def _proven(counts: Sequence[int], prices: Array, foes: Sequence[Foe], bounds: Sequence[float]) -> _Proof:
    """Return the Lagrangian bound: all attackers at their prices, plus the largest surplus on each target."""
    tops = [max(bound, 0.0) for bound in bounds]
    return _Proof(float(np.dot(counts, prices) + sum(foe.number * top for foe, top in zip(foes, tops))), prices, tops)


def _without_idle(volley: Volley, foe: Foe) -> Volley:
    """Return the volley without attackers that add nothing."""
    shots = list(volley.shots)
    for kind in range(len(shots)):
        while shots[kind]:
            fewer = [often - (place == kind) for place, often in enumerate(shots)]
            if distribution_after(foe, tuple(fewer)) @ foe.worth < volley.value - WITHIN:
                break
            shots = fewer
    return volley._replace(shots=tuple(shots))


class _Search:
    """Volleys on one target whose value exceeds the prices of their attackers by more than `rent`.

    Finds the best such volley and those met on the way, or all with `every`. No surplus exceeds `bound`.
    """

    def __init__(self, foe: Foe, counts: Sequence[int], prices: Array, rent: float, *, every: bool = False) -> None:
        self._foe, self._prices, self._every = foe, prices, every
        self._kinds = sorted(foe.matrices)
        self._room = [counts[kind] for kind in self._kinds]
        self._ahead = self._values_ahead()
        self._n_kinds = len(counts)
        self.found: list[tuple[Shots, float]] = []
        self.complete = True
        pmf = np.zeros(len(foe.worth))
        pmf[0] = 1.0
        self._least = rent + (-WITHIN if every else WITHIN)
        self._best = max(rent, 0.0)
        self.bound = self._run(pmf)

    def _values_ahead(self) -> list[list[Array]]:
        """Return, by kind and attackers of it left, the value of each state if every later result is seen first."""
        value, ahead = self._foe.worth, []
        for kind, room in zip(reversed(self._kinds), reversed(self._room)):
            rest, values = value, [value]
            for _ in range(room):
                value = np.maximum(rest, self._foe.matrices[kind] @ value - self._prices[kind])
                values.append(value)
            ahead.append(values)
        return [*reversed(ahead), [self._foe.worth]]

    def _run(self, pmf: Array) -> float:
        """Search from the first state, and return an upper bound of the surplus of all volleys."""
        bound = float(pmf @ self._ahead[0][-1])
        open_nodes = [(bound, 0, self._room[0] if self._room else 0, pmf, 0.0, (0,) * self._n_kinds)]
        nodes = 0
        while open_nodes:
            bound, at, left, pmf, paid, shots = open_nodes.pop()
            if bound <= self._least:
                continue
            nodes += 1
            if nodes > MOST_NODES or len(self.found) > MOST_COLUMNS:
                self.complete = False
                return max(bound, self._best, *(node[0] for node in open_nodes))
            if at == len(self._kinds):
                self._take(shots, bound + paid, bound)
                continue
            following = at + 1
            room = self._room[following] if following < len(self._kinds) else 0
            children = [(float(pmf @ self._ahead[following][-1]) - paid, following, room, pmf, paid, shots)]
            if left:
                kind = self._kinds[at]
                after, cost = pmf @ self._foe.matrices[kind], paid + float(self._prices[kind])
                more = (*shots[:kind], shots[kind] + 1, *shots[kind + 1 :])
                children.append((float(after @ self._ahead[at][left - 1]) - cost, at, left - 1, after, cost, more))
            open_nodes += sorted(children, key=lambda node: node[0])
        return self._best

    def _take(self, shots: Shots, value: float, profit: float) -> None:
        if any(shots):
            self.found.append((shots, value))
        if not self._every:
            self._least = max(self._least, profit + WITHIN)
        self._best = max(self._best, profit)


class _Master:
    """The volleys generated so far, and the programmes over them."""

    def __init__(self, counts: Sequence[int], foes: Sequence[Foe]) -> None:
        self._counts, self._foes = counts, foes
        self._columns: dict[tuple[int, Shots], float] = {}
        for place, foe in enumerate(foes):
            for kind in foe.matrices:
                if counts[kind]:
                    shots = tuple(int(other == kind) for other in range(len(counts)))
                    self.add(place, (shots, float(distribution_after(foe, shots) @ foe.worth)))

    def add(self, foe: int, volley: tuple[Shots, float]) -> bool:
        """Add a volley with its value, and return True if it is new."""
        shots, value = volley
        is_new = (foe, shots) not in self._columns
        self._columns[foe, shots] = value
        return is_new

    def _rows(self) -> tuple[Any, Array]:
        from scipy.sparse import csr_array

        shots = np.array([shot for _, shot in self._columns]).reshape(-1, len(self._counts))
        on = np.array([foe for foe, _ in self._columns], np.int64)
        chosen = np.zeros((len(on), len(self._foes)))
        chosen[np.arange(len(on)), on] = 1
        limits = np.array([*self._counts, *(foe.number for foe in self._foes)], np.float64)
        return csr_array(np.hstack([shots, chosen]).T), limits

    def relaxed(self) -> tuple[Array, Array, float]:
        """Return the dual prices of attackers, those of targets, and the value of the linear relaxation."""
        from scipy.optimize import linprog

        if not self._columns:
            return np.zeros(len(self._counts)), np.zeros(len(self._foes)), 0.0
        rows, limits = self._rows()
        result = linprog(-np.array(list(self._columns.values())), A_ub=rows, b_ub=limits, method="highs-ds")
        duals = np.maximum(-result.ineqlin.marginals, 0.0)
        return duals[: len(self._counts)], duals[len(self._counts) :], float(-result.fun)

    def whole(self) -> tuple[list[Volley], float, float]:
        """Return the best assignment of these volleys, its value, and an upper bound of any assignment of them."""
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
            for ((foe, shots), value), often in zip(self._columns.items(), times.tolist())
            for _ in range(often)
        ]
        bound = np.inf if result.mip_dual_bound is None else -float(result.mip_dual_bound)
        return volleys, float(times @ values), bound
