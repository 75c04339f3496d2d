"""Best assignment of all shots of an army to targets in a round, valued by exact focus fire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.army_loadouts import ArmyLoadouts
from analyser.analysis.assignment import AttackCounts, TargetKind, assign, distribution_after
from analyser.analysis.grid import TARGET_STATE
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError
from analyser.engine.fight.exact.propagate import propagate_program, strike_matrices
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.results import states
from analyser.scenarios.attack import attack_record
from analyser.scenarios.focus import volleys_setup
from analyser.scenarios.resolve import resolve_attack, resolve_target

_INTERPRETED_SECONDS = 0.03  # seconds per attacker and target if the kernel is not compiled


class Aim(NamedTuple):
    """Objective of an assignment."""

    title: str
    unit_of_measurement: str
    points: str = ""  # the points that a target is worth, a key of its level; by default each target is worth 1
    counts_shares: bool = False  # True if a share of a target is worth a share of its points

    def value_of(self, target: Loadout) -> int | None:
        """Return the value of a target; None if its profile lacks the points."""
        return getattr(target.level, self.points) if self.points else 1


AIMS: Mapping[str, Aim] = {
    "points": Aim(
        "expected points lost by the other side: all points of a unit that is destroyed, breaks or flees, otherwise "
        "its points times the share of it that is lost",
        "points",
        "points",
        counts_shares=True,
    ),
    "annihilated": Aim("expected number of units annihilated", "units"),
    "victory-points": Aim("expected victory points for units annihilated (AC-5.9)", "VP", "victory_points"),
}
"""Aims of an assignment, by name; the first is the default."""


class AttackGroup(NamedTuple):
    """Attacks by several units with the same loadout, all with the same row of armaments."""

    attacker: str
    row: str
    units: int


class VolleyResult(NamedTuple):
    """A target and the attacks on it in order; `sum_of_single` is the sum of their values if each were alone."""

    target: str
    shots: tuple[AttackGroup, ...]
    value: float
    sum_of_single: float
    share_lost: float
    mean_models_destroyed: float
    p_annihilated: float


class Idle(NamedTuple):
    """Units with the same loadout that do not attack, and the reason."""

    attacker: str
    units: int
    why: str


class Volleys(NamedTuple):
    """The best assignment of the shots of an army in one situation.

    Attributes
    ----------
    aim : str
        A name of :data:`AIMS`.
    volley_results : tuple of VolleyResult
        One result for each attacked target, the largest value first.
    value, bound, gap : float
        Total value, upper bound of the value of any assignment, and their difference divided by the value.
    all_on_one : tuple of VolleyResult
        For each enemy loadout, the result if every unit that can shoot at it shoots at one unit with this loadout.
    """

    situation: Situation
    aim: str
    volley_results: tuple[VolleyResult, ...]
    idle: tuple[Idle, ...]
    value: float
    bound: float
    gap: float
    all_on_one: tuple[VolleyResult, ...]

    @property
    def sum_of_single(self) -> float:
        """Sum of the values of the attacks if each were the only attack on its target."""
        return sum(volley.sum_of_single for volley in self.volley_results)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each attacking loadout on each target."""
        rows = []
        for number, volley in enumerate(self.volley_results, 1):
            target, _, *figures = volley._asdict().items()
            order = {"situation": self.situation.name, "volley": number} | dict([target])
            rows += [order | shot._asdict() | dict(figures) for shot in volley.shots]
        return rows

    def as_dict(self) -> dict[str, Any]:
        return {
            "situation": self.situation.name,
            "aim": self.aim,
            "aim_title": AIMS[self.aim].title,
            **{name: getattr(self, name) for name in ("value", "bound", "gap", "sum_of_single")},
            "volleys": [_plain(volley) for volley in self.volley_results],
            "idle": [idle._asdict() for idle in self.idle],
            "all_on_one": [_plain(volley) for volley in self.all_on_one],
        }


def _plain(volley: VolleyResult) -> dict[str, Any]:
    return volley._asdict() | {"shots": [shot._asdict() for shot in volley.shots]}


def check_aim(aim: str, targets: ArmyLoadouts) -> None:
    """Raise InputError if a target's profile lacks the points that the aim counts."""
    missing = [target.selector for target in targets.loadouts if AIMS[aim].value_of(target) is None]
    if missing:
        problem = f"no {AIMS[aim].points.replace('_', ' ')} are known for {', '.join(missing)}"
        raise InputError(problem, where="aim", allowed="`annihilated`, which needs no points, or profiles with points")


def best_volleys(
    attackers: ArmyLoadouts,
    targets: ArmyLoadouts,
    frame: pd.DataFrame,
    situation: Situation,
    ruleset: Ruleset,
    aim: str,
) -> Volleys:
    """Return the best assignment of shots in a situation; `frame` has the matchups with the best row of armaments."""
    part = frame[(frame["situation"] == situation.name) & frame["why_not"].isna()]
    part = part[part["dice"] > 0]
    rows = {(str(a), str(d)): str(row) for a, d, row in zip(part["attacker"], part["defender"], part["row"])}
    pairs = zip(targets.loadouts, targets.counts)
    by_target = [_ShotsAt(*pair, attackers, rows, situation, ruleset, aim) for pair in pairs]
    result = assign(attackers.counts, [shots.kind for shots in by_target])
    volley_results = [by_target[volley.target].result(volley.attacks) for volley in result.volleys]
    left = np.array(attackers.counts)
    for volley in result.volleys:
        left -= volley.attacks
    idle = []
    for kind in np.flatnonzero(left).tolist():
        selector, why = attackers.loadouts[kind].selector, "it would add nothing on any target"
        if not any(kind in shots.kind.matrices for shots in by_target):
            is_own = (frame["attacker"] == selector) & (frame["situation"] == situation.name)
            why = " / ".join(dict.fromkeys(frame.loc[is_own, "why_not"].dropna()))
        idle.append(Idle(selector, int(left[kind]), why))
    kinds = list(enumerate(attackers.counts))
    all_on_one = [shots.result(tuple(n * (kind in shots.kind.matrices) for kind, n in kinds)) for shots in by_target]
    volley_results.sort(key=lambda volley: -volley.value)
    figures = result.value, result.bound, result.gap
    return Volleys(situation, aim, tuple(volley_results), tuple(idle), *figures, tuple(all_on_one))


class _ShotsAt:
    """Attacks on equal targets, the possible states of a target, and the share of it that is lost in each state."""

    def __init__(
        self,
        target: Loadout,
        count: int,
        attackers: ArmyLoadouts,
        rows: Mapping[tuple[str, str], str],
        situation: Situation,
        ruleset: Ruleset,
        aim: str,
    ) -> None:
        self._target, self._attackers = target, attackers
        by_kind = enumerate(rows.get((loadout.selector, target.selector)) for loadout in attackers.loadouts)
        self._rows = {kind: row for kind, row in by_kind if row is not None}
        resolved = resolve_target(TARGET_STATE, target)
        records = []
        for kind, name in self._rows.items():
            attacker = attackers.loadouts[kind]
            row = attacker.unit.row(name)
            assert row is not None
            records.append(attack_record(resolve_attack(situation.attack(row), attacker, row), attacker.unit))
        setup, die = volleys_setup(records, resolved, ruleset.die), np.array(ruleset.die.sides_by_face, np.int64)
        propagate_program.compile_for(_INTERPRETED_SECONDS * len(records))
        self._states, matrices = strike_matrices(setup, len(records), die, ruleset.deck.counts())
        self._shares = states.share_lost(self._states, target.level.models, target.unit.damage_limit)
        self._removed = states.is_removed(self._states).astype(np.float64)
        gained = (AIMS[aim].value_of(target) or 0) * (self._shares if AIMS[aim].counts_shares else self._removed)
        self.kind = TargetKind(count, dict(zip(self._rows, matrices)), gained)

    def result(self, shots: AttackCounts) -> VolleyResult:
        """Return the result of these attacks, made in the order of the attacking loadouts."""
        pmf, values = distribution_after(self.kind, shots), self.kind.value_by_state
        single = {kind: float(matrix[0] @ values) for kind, matrix in self.kind.matrices.items()}
        sum_of_single = sum(count * single[kind] for kind, count in enumerate(shots) if count)
        return VolleyResult(
            self._target.selector,
            tuple(
                AttackGroup(self._attackers.loadouts[kind].selector, self._rows[kind], count)
                for kind, count in enumerate(shots)
                if count
            ),
            float(pmf @ values),
            sum_of_single,
            min(float(pmf @ self._shares), 1.0),  # rounding can lift sums above 1
            float(pmf @ states.models_destroyed(self._states, self._target.level.models)),
            min(float(pmf @ self._removed), 1.0),
        )
