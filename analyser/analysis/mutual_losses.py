"""Mutual losses: for every pair of loadouts, the mean share of each that is lost in a round in which both act once.

With best play they are the losses of a duel divided by its rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.activation_losses import Action, Losses, actions_of, best_losses, mean_losses, p_rallies
from analyser.analysis.approach import BATTLEFIELDS, ROUNDS, Battlefield, Movement
from analyser.analysis.equilibrium_prices import Array, connected
from analyser.analysis.roles import kinds_of
from analyser.analysis.situations import BEST_TRADE, Situation
from analyser.common.frames import name_indices
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout

EXCHANGE_KINDS = ("ranged", "charge")
"""Kinds of situations in which each side acts once, unlike in duels."""
NEAR_WITHIN = 12.0  # inches: up to here a situation counts as near


@dataclass(frozen=True, eq=False)
class Exchange:
    """Mutual losses of loadouts as a game.

    Attributes
    ----------
    loadouts : tuple of Loadout
        Loadouts with points that can all destroy each other, directly or through others.
    losses : ndarray
        Shape (battlefields, n, n): ``[battlefield, i, j]`` is the mean share of j that is lost to i in a round. Far
        apart both shoot; near, each takes the action, a shot or a charge, that gains most points at today's prices. A
        suppressed unit does less. Each of :data:`~.approach.BATTLEFIELDS` has its own share of far and near rounds; if
        all situations are far, or all near, there is one battlefield.
    unsuppressed : ndarray
        Losses without the effect of suppression.
    shot : ndarray
        The part of `unsuppressed` that shots cause; the rest is lost in close quarters.
    all_shots_returned : ndarray
        `losses` if every shot could be returned.
    outranges : ndarray
        Shape (n, n): the share of rounds in which the row can shoot at the column without being shot at.
    meets : ndarray
        True for pairs that fight each other.
    left_out : dict of str to str
        The reason for each loadout that is not in the game.
    by_tactic : ndarray or None
        The losses with simple tactics, if `losses` come from best play (:data:`~.situations.BEST_TRADES`); else None.
    """

    loadouts: tuple[Loadout, ...]
    losses: Array
    unsuppressed: Array
    shot: Array
    all_shots_returned: Array
    outranges: Array
    meets: NDArray[np.bool_]
    left_out: dict[str, str]
    by_tactic: Array | None = None

    @cached_property
    def kinds(self) -> NDArray[np.int64]:
        """Number of each loadout's unit (:func:`~.roles.kinds_of`)."""
        return kinds_of(self.loadouts)

    @property
    def points(self) -> Array:
        """Points of each loadout."""
        return _points(self.loadouts)

    @property
    def uniform_weights(self) -> Array:
        """Frequency of each loadout if all units, and all levels of a unit, are equally frequent; adds up to 1.

        Copies of a unit share its frequency.
        """
        levels = pd.Series([loadout.level_name for loadout in self.loadouts])
        copies = levels.groupby([self.kinds, levels]).transform("size").to_numpy(np.float64)
        shares: Array = 1.0 / copies / levels.groupby(self.kinds).transform("nunique").to_numpy(np.float64)
        return np.asarray(shares / shares.sum(), np.float64)

    def mean(self) -> Array:
        """Return the mean losses over the battlefields, with equal weights."""
        return np.asarray(self.losses.mean(axis=0), np.float64)


def exchange_of(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> Exchange:
    """Return the game from the frame of :func:`analyser.matchups` in both directions; duels by tactics are ignored."""
    left_out: dict[str, str] = {}
    attack_and_defend = set(frame["attacker"].unique()) & set(frame["defender"].unique())
    for loadout in loadouts:
        if not loadout.level.points:
            left_out[loadout.selector] = "it costs 0 points" if loadout.level.points == 0 else "it has no points"
        elif loadout.selector not in attack_and_defend:
            left_out[loadout.selector] = "it is not both attacker and defender"
    sides = [loadout for loadout in loadouts if loadout.selector not in left_out]
    best = [situation.name for situation in situations if situation.kind == BEST_TRADE]
    situations = [situation for situation in situations if situation.kind in EXCHANGE_KINDS]
    actions, meets = actions_of(frame, sides, situations, ruleset)
    rounds = _round_losses(actions, meets, sides, situations, ruleset)
    losses = rounds.losses
    if best:
        losses, why_not = _best_play_losses(frame, sides, best)
        meets = meets & ~np.isnan(losses).any(axis=0)
        losses = np.where(meets, losses, 0.0)
        left_out |= {sides[index].selector: reason for index, reason in why_not.items() if not meets[index].any()}
    outside = ~connected(losses.sum(axis=0)) if sides else np.zeros(0, np.bool_)
    left_out = {
        sides[index].selector: _why_unconnected(losses[:, index].sum(), losses[:, :, index].sum())
        for index in outside.nonzero()[0]
    } | left_out
    inside = np.flatnonzero(~outside)
    losses, *parts = (table[:, inside][:, :, inside] for table in (losses, *rounds))
    by_tactic, unsuppressed, shot, all_returned, outranges = parts
    tables = losses, unsuppressed, shot, all_returned, outranges.mean(axis=0), meets[np.ix_(inside, inside)]
    return Exchange(tuple(sides[index] for index in inside), *tables, left_out, by_tactic if best else None)


def _best_play_losses(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[str]
) -> tuple[Array, dict[int, str]]:
    """Return the losses in a round of a duel with best play by both sides, by situation, as in :class:`Exchange`.

    Losses are NaN for pairs without a duel. Also return, by index of the loadout, a reason for a missing duel.
    """
    names = [loadout.selector for loadout in loadouts]
    result, reasons = np.full((len(situations), len(names), len(names)), np.nan), dict[int, str]()
    for losses, situation in zip(result, situations):
        part = frame[frame["situation"] == situation]
        rows, columns = (name_indices(part[side], names) for side in ("attacker", "defender"))
        both = (rows >= 0) & (columns >= 0)
        losses[rows[both], columns[both]] = part["mean_share_lost"].to_numpy(np.float64)[both] / ROUNDS
        missing = both & part["why_not"].notna().to_numpy()
        reasons |= dict(zip(rows[missing].tolist(), part["why_not"][missing].tolist()))
    return result, reasons


def losses_of(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> Array:
    """Return the mean share that each column loses to each row in a round, the mean of far apart and near.

    All `loadouts` must have points; pairs that do not fight lose 0. The time that units need to approach is ignored,
    because units of a list screen each other.
    """
    situations = [situation for situation in situations if situation.kind in EXCHANGE_KINDS]
    actions, meets = actions_of(frame, loadouts, situations, ruleset)
    both = _far_and_near(actions, loadouts, situations, ruleset)
    tables = [losses.suppressed for losses in both if losses is not None]
    return np.asarray(np.mean(tables, axis=0) * meets if tables else np.zeros(meets.shape), np.float64)


def _far_and_near(
    actions: dict[str, Action], loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> tuple[Losses | None, Losses | None]:
    """Return the losses far apart, by the mean of the shots, and near, by the best action; None without situations."""
    points, rallies = _points(loadouts), _rallies(loadouts, ruleset)
    far, near = (
        [actions[situation.name] for situation in situations if is_near(situation) == wanted]
        for wanted in (False, True)
    )
    shots = [] if any(action.reach.any() for action in near) else far  # far shots replace missing near shots
    return mean_losses(far, rallies), best_losses([*near, *shots] if near else [], rallies, points)


class _RoundLosses(NamedTuple):
    """Losses in a round on each battlefield: shapes (battlefields, n, n), see :class:`Exchange`."""

    losses: Array
    unsuppressed: Array
    shot: Array
    all_shots_returned: Array
    outranges: Array


def _round_losses(
    actions: dict[str, Action],
    meets: NDArray[np.bool_],
    loadouts: Sequence[Loadout],
    situations: Sequence[Situation],
    ruleset: Ruleset,
) -> _RoundLosses:
    far, near = _far_and_near(actions, loadouts, situations, ruleset)
    if far is None or near is None:
        only, zeros = far if near is None else near, np.zeros(meets.shape)
        result = [
            _RoundLosses(zeros, zeros, zeros, zeros, zeros)
            if only is None
            else _RoundLosses(only.suppressed, only.unsuppressed, only.shot, only.suppressed, zeros)
        ]
    else:
        shots = (actions[situation.name] for situation in situations if is_near(situation) is False)
        reach = np.max([np.where(np.isnan(shot.lost), 0.0, shot.reach) for shot in shots], axis=0)
        movement, points = Movement(loadouts), _points(loadouts)
        result = [_losses_on(battlefield, movement, reach, far, near, points) for battlefield in BATTLEFIELDS]
    return _RoundLosses(*(np.array(figures).reshape(len(result), *meets.shape) * meets for figures in zip(*result)))


def _losses_on(
    battlefield: Battlefield, movement: Movement, reach: Array, far: Losses, near: Losses, points: Array
) -> _RoundLosses:
    def gains(lost: Array) -> Array:
        return np.asarray(lost * points[None, :] - lost.T * points[:, None], np.float64)

    reaches = reach > reach.T
    time = movement.time_shares(
        reach, gains(reaches * far.unsuppressed), gains(far.suppressed), gains(near.suppressed), battlefield
    )
    outranges = time.outranged * time.reaches
    unsuppressed, losses, shot = (
        outranges * when_outranging + time.far * when_far + time.near * when_near
        for when_outranging, when_far, when_near in zip((far.unsuppressed, far.unsuppressed, far.shot), far, near)
    )
    all_shots_returned = (time.outranged + time.far) * far.suppressed + time.near * near.suppressed
    return _RoundLosses(losses, unsuppressed, shot, all_shots_returned, outranges)


def _points(loadouts: Sequence[Loadout]) -> Array:
    return np.array([loadout.level.points for loadout in loadouts], np.float64)


def _rallies(loadouts: Sequence[Loadout], ruleset: Ruleset) -> Array:
    return np.array([p_rallies(loadout.unit, ruleset.deck) for loadout in loadouts])


def is_near(situation: Situation) -> bool | None:
    """Return True if a charge is possible at the distance; None for situations that are not exchanges."""
    if situation.kind == "ranged":
        return "short_range" in situation.bonuses or (
            situation.distance is not None and situation.distance <= NEAR_WITHIN
        )
    return True if situation.kind == "charge" else None


def _why_unconnected(inflicted: float, suffered: float) -> str:
    if inflicted == 0 and suffered == 0:
        return "it damages none of these units, and none damages it"
    if inflicted == 0:
        return "it damages none of these units"
    return "none of these units damages it" if suffered == 0 else "it damages, or is damaged by, too few of these units"
