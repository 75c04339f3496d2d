"""Best assignment of ranged attacks to targets in a round, by exact focus fire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.army_loadouts import Listed
from analyser.analysis.assignment import Array, Foe, Shots, assign, distribution_after
from analyser.analysis.grid import TARGET_STATE
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError
from analyser.engine.fight.exact.matrix import strike_matrices
from analyser.engine.fight.exact.propagate import propagate_program
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.results import states
from analyser.scenarios.attack import attack_record
from analyser.scenarios.focus import volleys_setup
from analyser.scenarios.resolve import resolve_attack, resolve_target

MOST_IN_ANY_ORDER = 6  # most attacks on one target whose orders are all tried
INTERPRETED = 0.03  # seconds per attacker and target without compilation


class Aim(NamedTuple):
    """Aim of an assignment: its title and unit, the worth of a target, and the share of it gained in a state."""

    title: str
    unit: str
    worth: Callable[[Loadout], int | None]
    lacks: str
    gained: Callable[[NDArray[np.int64], Loadout], Array]


def _share_lost(standing: NDArray[np.int64], target: Loadout) -> Array:
    return states.share_lost(standing, target.level.models, target.unit.damage_limit)


def _gone(standing: NDArray[np.int64], _: Loadout) -> Array:
    return states.is_removed(standing).astype(np.float64)


AIMS: Mapping[str, Aim] = {
    "points": Aim(
        "expected points lost by the other side: all of a unit that is destroyed, broken or fled, else the share that "
        "damage has taken",
        "points",
        lambda target: target.level.points,
        "points",
        _share_lost,
    ),
    "annihilated": Aim("expected number of units annihilated", "units", lambda _: 1, "", _gone),
    "victory-points": Aim(
        "expected victory points for units annihilated (AC-5.9)",
        "VP",
        lambda target: target.level.victory_points,
        "victory points",
        _gone,
    ),
}
"""Aims of an assignment, by name; the first is the default."""


class Shot(NamedTuple):
    """Attacks of a number of units of a kind, all with one row."""

    attacker: str
    row: str
    units: int


class Attacked(NamedTuple):
    """A target and the attacks on it in order, with their joint result and the sum of their single results."""

    target: str
    shots: tuple[Shot, ...]
    value: float
    sum_of_single: float
    share_lost: float
    mean_models_destroyed: float
    p_annihilated: float
    order_gain: float | None  # gain of the best order of these attacks; None if there are too many orders to try


class Idle(NamedTuple):
    """Units of a kind without an attack, and the reason."""

    attacker: str
    units: int
    why: str


class Volleys(NamedTuple):
    """The best assignment of the attacks of a side in one situation.

    Attributes
    ----------
    situation : Situation
    aim : str
        A name of :data:`AIMS`.
    attacked : tuple of Attacked
        Attacked targets, the largest value first.
    idle : tuple of Idle
    value, bound, gap : float
        Total value, upper bound of any assignment, and their difference as a share of the value.
    together : tuple of Attacked
        For each kind of target, the result of all attacks on it alone.
    """

    situation: Situation
    aim: str
    attacked: tuple[Attacked, ...]
    idle: tuple[Idle, ...]
    value: float
    bound: float
    gap: float
    together: tuple[Attacked, ...]

    @property
    def sum_of_single(self) -> float:
        """Value of the same attacks if each were the only one on its target."""
        return sum(attack.sum_of_single for attack in self.attacked)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each kind of attacker on each target."""
        rows = []
        for number, attack in enumerate(self.attacked, 1):
            figures = {name: value for name, value in attack._asdict().items() if name not in ("target", "shots")}
            for shot in attack.shots:
                order = {"situation": self.situation.name, "volley": number, "target": attack.target}
                rows.append(order | shot._asdict() | figures)
        return rows

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {
            "situation": self.situation.name,
            "aim": self.aim,
            "aim_title": AIMS[self.aim].title,
            "value": self.value,
            "bound": self.bound,
            "gap": self.gap,
            "sum_of_single": self.sum_of_single,
            "volleys": [_plain(attack) for attack in self.attacked],
            "idle": [idle._asdict() for idle in self.idle],
            "all_on_one": [_plain(attack) for attack in self.together],
        }


def _plain(attacked: Attacked) -> dict[str, Any]:
    return attacked._asdict() | {"shots": [shot._asdict() for shot in attacked.shots]}


def check_aim(aim: str, targets: Listed) -> None:
    """Raise InputError if a target's profile lacks the points that the aim counts."""
    missing = [kind.selector for kind in targets.kinds if AIMS[aim].worth(kind) is None]
    if missing:
        problem = f"no {AIMS[aim].lacks} are known of {', '.join(missing)}"
        raise InputError(problem, where="aim", allowed="`annihilated`, which needs no points, or profiles with points")


def best_volleys(
    attackers: Listed, targets: Listed, frame: pd.DataFrame, situation: Situation, ruleset: Ruleset, aim: str
) -> Volleys:
    """Return the best assignment of ranged attacks in a situation; `frame`, of matchups, has the rows to use."""
    part = frame[(frame["situation"] == situation.name) & frame["why_not"].isna()]
    part = part[part["dice"] > 0]
    rows = {(str(a), str(d)): str(row) for a, d, row in zip(part["attacker"], part["defender"], part["row"])}
    sides = [_Side(target, attackers, rows, situation, ruleset, aim) for target in targets.kinds]
    foes = [Foe(count, side.matrices, side.worth) for count, side in zip(targets.counts, sides)]
    result = assign(attackers.counts, foes)
    attacked = sorted((sides[one.foe].attacked(one.shots) for one in result.volleys), key=lambda attack: -attack.value)
    used = np.sum([volley.shots for volley in result.volleys], axis=0, dtype=np.int64, initial=0)
    left = np.array(attackers.counts) - (used if result.volleys else 0)
    idle = []
    for kind, units in enumerate(left.tolist()):
        if units:
            can = any(kind in side.matrices for side in sides)
            why = "nothing is left that it would add to" if can else _why_idle(attackers.kinds[kind], frame, situation)
            idle.append(Idle(attackers.kinds[kind].selector, units, why))
    all_of_them = [
        tuple(count if kind in side.matrices else 0 for kind, count in enumerate(attackers.counts)) for side in sides
    ]
    together = tuple(side.attacked(shots) for side, shots in zip(sides, all_of_them))
    return Volleys(situation, aim, tuple(attacked), tuple(idle), result.value, result.bound, result.gap, together)


def _why_idle(attacker: Loadout, frame: pd.DataFrame, situation: Situation) -> str:
    part = frame[(frame["attacker"] == attacker.selector) & (frame["situation"] == situation.name)]
    return " / ".join(dict.fromkeys(part["why_not"].dropna()))


class _Side:
    """A kind of target: its possible states, the attacks that lead to them, and their worth."""

    def __init__(
        self,
        target: Loadout,
        attackers: Listed,
        rows: Mapping[tuple[str, str], str],
        situation: Situation,
        ruleset: Ruleset,
        aim: str,
    ) -> None:
        self._target, self._attackers = target, attackers
        named = {at: rows.get((kind.selector, target.selector)) for at, kind in enumerate(attackers.kinds)}
        self._rows = {at: row for at, row in named.items() if row is not None}
        resolved = resolve_target(TARGET_STATE, target)
        records = []
        for at, name in self._rows.items():
            attacker = attackers.kinds[at]
            row = attacker.unit.row(name)
            assert row is not None
            records.append(attack_record(resolve_attack(situation.attack(row), attacker, row), attacker.unit))
        setup, die = volleys_setup(records, resolved, ruleset.die), np.array(ruleset.die.faces, np.int64)
        propagate_program.expect(INTERPRETED * len(records))
        self._states, matrices = strike_matrices(setup, len(records), die, ruleset.deck.counts())
        self.matrices = dict(zip(self._rows, matrices))
        worth = AIMS[aim].worth(target) or 0
        self.worth = worth * AIMS[aim].gained(self._states, target)

    def attacked(self, shots: Shots) -> Attacked:
        """Return the result of these attacks, in order."""
        pmf = self._distribution(shots)
        single = sum(often * float(self.matrices[kind][0] @ self.worth) for kind, often in enumerate(shots) if often)
        return Attacked(
            self._target.selector,
            tuple(
                Shot(self._attackers.kinds[kind].selector, self._rows[kind], often)
                for kind, often in enumerate(shots)
                if often
            ),
            float(pmf @ self.worth),
            single,
            min(float(pmf @ _share_lost(self._states, self._target)), 1.0),  # rounding can lift sums above it
            float(pmf @ states.models_destroyed(self._states, self._target.level.models)),
            min(float(pmf @ states.is_removed(self._states)), 1.0),
            self._order_gain(shots, float(pmf @ self.worth)),
        )

    def _distribution(self, shots: Shots) -> Array:
        return distribution_after(Foe(1, self.matrices, self.worth), shots)

    def _order_gain(self, shots: Shots, value: float) -> float | None:
        """Return the largest gain by another order of these attacks; None if there are too many orders to try."""
        kinds = [kind for kind, often in enumerate(shots) for _ in range(often)]
        if len(set(kinds)) <= 1:
            return 0.0
        if len(kinds) > MOST_IN_ANY_ORDER:
            return None
        best = value
        for order in set(permutations(kinds)):
            worth = self.worth
            for kind in reversed(order):
                worth = self.matrices[kind] @ worth
            best = max(best, float(worth[0]))
        return best - value
