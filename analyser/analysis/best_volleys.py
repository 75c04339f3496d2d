"""Best assignment of all shots of an army to targets in a round, valued by exact focus fire."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.army_loadouts import ArmyLoadouts
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

MOST_IN_ANY_ORDER = 6  # with more attacks on one target, other orders are not tried
INTERPRETED = 0.03  # seconds per attacker and target if the kernel is not compiled


class Aim(NamedTuple):
    """Objective of an assignment: `worth` is the value of a target, `gained` the share of it gained in each state."""

    title: str
    unit: str
    worth: Callable[[Loadout], int | None]
    lacks: str  # the points that a profile may lack
    gained: Callable[[NDArray[np.int64], Loadout], Array]


def _share_lost(target_states: NDArray[np.int64], target: Loadout) -> Array:
    return states.share_lost(target_states, target.level.models, target.unit.damage_limit)


def _is_removed(target_states: NDArray[np.int64], _: Loadout) -> Array:
    return states.is_removed(target_states).astype(np.float64)


AIMS: Mapping[str, Aim] = {
    "points": Aim(
        "expected points lost by the other side: all points of a unit that is destroyed, breaks or flees, otherwise "
        "its points times the share of it that is lost",
        "points",
        lambda target: target.level.points,
        "points",
        _share_lost,
    ),
    "annihilated": Aim("expected number of units annihilated", "units", lambda _: 1, "", _is_removed),
    "victory-points": Aim(
        "expected victory points for units annihilated (AC-5.9)",
        "VP",
        lambda target: target.level.victory_points,
        "victory points",
        _is_removed,
    ),
}
"""Aims of an assignment, by name; the first is the default."""


class Shot(NamedTuple):
    """Attacks of several units with the same loadout, all with the same row."""

    attacker: str
    row: str
    units: int


class Attacked(NamedTuple):
    """A target, the attacks on it in order, their joint value, and the sum of their values against fresh targets."""

    target: str
    shots: tuple[Shot, ...]
    value: float
    sum_of_single: float
    share_lost: float
    mean_models_destroyed: float
    p_annihilated: float
    order_gain: float | None  # gain of the best order of these attacks; None if there are too many orders to try


class Idle(NamedTuple):
    """Units with the same loadout that do not attack, and the reason."""

    attacker: str
    units: int
    why: str


class Volleys(NamedTuple):
    """The best assignment of the shots of an army in one situation.

    Attributes
    ----------
    situation : Situation
    aim : str
        A name of :data:`AIMS`.
    attacked : tuple of Attacked
        Attacked targets, the largest value first.
    idle : tuple of Idle
    value, bound, gap : float
        Total value, upper bound of the value of any assignment, and their difference as a share of the value.
    all_on_one : tuple of Attacked
        For each kind of target, the result if all attackers attack it.
    """

    situation: Situation
    aim: str
    attacked: tuple[Attacked, ...]
    idle: tuple[Idle, ...]
    value: float
    bound: float
    gap: float
    all_on_one: tuple[Attacked, ...]

    @property
    def sum_of_single(self) -> float:
        """Sum of the values of the attacks if each were the only attack on its target."""
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
            "all_on_one": [_plain(attack) for attack in self.all_on_one],
        }


def _plain(attacked: Attacked) -> dict[str, Any]:
    return attacked._asdict() | {"shots": [shot._asdict() for shot in attacked.shots]}


def check_aim(aim: str, targets: ArmyLoadouts) -> None:
    """Raise InputError if a target's profile lacks the points that the aim counts."""
    missing = [kind.selector for kind in targets.kinds if AIMS[aim].worth(kind) is None]
    if missing:
        problem = f"no {AIMS[aim].lacks} are known for {', '.join(missing)}"
        raise InputError(problem, where="aim", allowed="`annihilated`, which needs no points, or profiles with points")


def best_volleys(
    attackers: ArmyLoadouts,
    targets: ArmyLoadouts,
    frame: pd.DataFrame,
    situation: Situation,
    ruleset: Ruleset,
    aim: str,
) -> Volleys:
    """Return the best assignment of shots in a situation; `frame` is that of their matchups, with the best rows."""
    part = frame[(frame["situation"] == situation.name) & frame["why_not"].isna()]
    part = part[part["dice"] > 0]
    rows = {(str(a), str(d)): str(row) for a, d, row in zip(part["attacker"], part["defender"], part["row"])}
    by_target = [_ShotsAt(target, attackers, rows, situation, ruleset, aim) for target in targets.kinds]
    foes = [Foe(count, shots.matrices, shots.worth) for count, shots in zip(targets.counts, by_target)]
    result = assign(attackers.counts, foes)
    attacked = [by_target[volley.foe].result(volley.shots) for volley in result.volleys]
    used = np.sum([volley.shots for volley in result.volleys], axis=0, dtype=np.int64, initial=0)
    left = np.array(attackers.counts) - (used if result.volleys else 0)
    idle = []
    for kind, units in enumerate(left.tolist()):
        if units:
            loadout = attackers.kinds[kind]
            can_attack = any(kind in shots.matrices for shots in by_target)
            why = "it would add nothing on any target" if can_attack else _why_idle(loadout, frame, situation)
            idle.append(Idle(loadout.selector, units, why))
    all_on_one = tuple(shots.result(shots.of_all(attackers.counts)) for shots in by_target)
    attacked.sort(key=lambda attack: -attack.value)
    return Volleys(situation, aim, tuple(attacked), tuple(idle), result.value, result.bound, result.gap, all_on_one)


def _why_idle(attacker: Loadout, frame: pd.DataFrame, situation: Situation) -> str:
    part = frame[(frame["attacker"] == attacker.selector) & (frame["situation"] == situation.name)]
    return " / ".join(dict.fromkeys(part["why_not"].dropna()))


class _ShotsAt:
    """All shots at a kind of target: the target's possible states, how each attack changes them, and their values."""

    def __init__(
        self,
        target: Loadout,
        attackers: ArmyLoadouts,
        rows: Mapping[tuple[str, str], str],
        situation: Situation,
        ruleset: Ruleset,
        aim: str,
    ) -> None:
        self._target, self._attackers = target, attackers
        by_kind = {kind: rows.get((loadout.selector, target.selector)) for kind, loadout in enumerate(attackers.kinds)}
        self._rows = {kind: row for kind, row in by_kind.items() if row is not None}
        resolved = resolve_target(TARGET_STATE, target)
        records = []
        for kind, name in self._rows.items():
            attacker = attackers.kinds[kind]
            row = attacker.unit.row(name)
            assert row is not None
            records.append(attack_record(resolve_attack(situation.attack(row), attacker, row), attacker.unit))
        setup, die = volleys_setup(records, resolved, ruleset.die), np.array(ruleset.die.sides_by_face, np.int64)
        propagate_program.expect(INTERPRETED * len(records))
        self._states, matrices = strike_matrices(setup, len(records), die, ruleset.deck.counts())
        self.matrices = dict(zip(self._rows, matrices))
        worth = AIMS[aim].worth(target) or 0
        self.worth = worth * AIMS[aim].gained(self._states, target)

    def of_all(self, counts: Sequence[int]) -> Shots:
        """Return the attacks of all attackers that can attack the target; `counts` has the number of each kind."""
        return tuple(count if kind in self.matrices else 0 for kind, count in enumerate(counts))

    def result(self, shots: Shots) -> Attacked:
        """Return the result of these attacks, in order."""
        pmf = self._distribution(shots)
        single = sum(count * float(self.matrices[kind][0] @ self.worth) for kind, count in enumerate(shots) if count)
        return Attacked(
            self._target.selector,
            tuple(
                Shot(self._attackers.kinds[kind].selector, self._rows[kind], count)
                for kind, count in enumerate(shots)
                if count
            ),
            float(pmf @ self.worth),
            single,
            min(float(pmf @ _share_lost(self._states, self._target)), 1.0),  # rounding can lift sums above 1
            float(pmf @ states.models_destroyed(self._states, self._target.level.models)),
            min(float(pmf @ states.is_removed(self._states)), 1.0),
            self._order_gain(shots, float(pmf @ self.worth)),
        )

    def _distribution(self, shots: Shots) -> Array:
        return distribution_after(Foe(1, self.matrices, self.worth), shots)

    def _order_gain(self, shots: Shots, value: float) -> float | None:
        """Return the largest gain by another order of these attacks; None if there are too many orders to try."""
        kinds = [kind for kind, count in enumerate(shots) for _ in range(count)]
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
