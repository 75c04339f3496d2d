"""Mutual losses of every pair of loadouts: the mean share of each that is lost in a round in which both act once.

With best play the losses are those of a duel divided by its number of rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.activation_losses import Action, Losses, actions_of, best_losses, mean_losses, p_rally
from analyser.analysis.approach import BATTLEFIELDS, ROUNDS, Battlefield, Movement
from analyser.analysis.arrays import Array
from analyser.analysis.equilibrium_prices import largest_connected_group
from analyser.analysis.roles import unit_numbers_of
from analyser.analysis.situations import BEST_TRADE, Situation
from analyser.common.frames import name_indices
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout

EXCHANGE_KINDS = ("ranged", "charge")
"""Kinds of situations in which each side acts once, unlike in duels."""
NEAR_WITHIN = 12.0  # inches; ranged attacks at up to this distance count as near


@dataclass(frozen=True, eq=False)
class Exchange:
    """Loadouts that exchange losses, and these losses.

    ``losses[battlefield, i, j]`` is the mean share of j that is lost to i in a round. Far apart both shoot; near, each
    takes the action that gains most points at today's prices. A suppressed unit does less. Without far situations, or
    without near ones, there is one battlefield.
    """

    loadouts: tuple[Loadout, ...]  # with points; all can destroy each other, directly or through others
    losses: Array
    without_suppression: Array
    by_shots: Array  # part of `without_suppression`; charges cause the rest
    all_shots_returned: Array  # losses if no unit could shoot at another without being shot at
    outranging_share: Array  # of rounds in which the row can shoot at the column without being shot at
    is_matchup: NDArray[np.bool_]
    left_out: dict[str, str]  # reason for each other loadout
    by_tactic: Array | None = None  # losses with simple tactics, if `losses` come from best play

    @cached_property
    def unit_numbers(self) -> NDArray[np.int64]:
        """The unit of each loadout as a number (:func:`~.roles.unit_numbers_of`)."""
        return unit_numbers_of(self.loadouts)

    @property
    def points(self) -> Array:
        """Points of each loadout."""
        return _points(self.loadouts)

    @property
    def uniform_weights(self) -> Array:
        """Frequency of each loadout if all units, and all levels of a unit, are equally frequent."""
        levels = pd.Series([loadout.level_name for loadout in self.loadouts])
        copies = levels.groupby([self.unit_numbers, levels]).transform("size").to_numpy(np.float64)
        shares: Array = 1.0 / copies / levels.groupby(self.unit_numbers).transform("nunique").to_numpy(np.float64)
        return np.asarray(shares / shares.sum(), np.float64)

    def mean(self) -> Array:
        """Return the mean losses over the battlefields, with equal weights."""
        return np.asarray(self.losses.mean(axis=0), np.float64)


def exchange_of(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> Exchange:
    """Return the mutual losses from a frame of matchups in both directions; duels with simple tactics are ignored."""
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
    actions, is_matchup = actions_of(frame, sides, situations, ruleset)
    rounds = _round_losses(actions, is_matchup, sides, situations, ruleset)
    losses = rounds.losses
    if best:
        losses, why_not = _best_play_losses(frame, sides, best)
        is_matchup = is_matchup & ~np.isnan(losses).any(axis=0)
        losses = np.where(is_matchup, losses, 0.0)
        left_out |= {sides[index].selector: reason for index, reason in why_not.items() if not is_matchup[index].any()}
    outside = ~largest_connected_group(losses.sum(axis=0)) if sides else np.zeros(0, np.bool_)
    left_out = {
        sides[index].selector: _why_unconnected(losses[:, index].sum(), losses[:, :, index].sum())
        for index in outside.nonzero()[0]
    } | left_out
    inside = np.flatnonzero(~outside)
    losses, *parts = (table[:, inside][:, :, inside] for table in (losses, *rounds))
    by_tactic, without_suppression, by_shots, all_returned, outranging = parts
    return Exchange(
        tuple(sides[index] for index in inside),
        losses,
        without_suppression,
        by_shots,
        all_returned,
        outranging.mean(axis=0),
        is_matchup[np.ix_(inside, inside)],
        left_out,
        by_tactic if best else None,
    )


def _best_play_losses(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[str]
) -> tuple[Array, dict[int, str]]:
    """Return the mean losses in a round of duels with best play, and a reason for a missing duel by loadout."""
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


def list_losses(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> Array:
    """Return the mean share of the column's loadout lost to the row's in a round: the mean of far apart and near.

    The time of an approach is ignored, because the units of a list protect each other.
    """
    situations = [situation for situation in situations if situation.kind in EXCHANGE_KINDS]
    actions, is_matchup = actions_of(frame, loadouts, situations, ruleset)
    both = _far_and_near(actions, loadouts, situations, ruleset)
    tables = [losses.suppressed for losses in both if losses is not None]
    return np.asarray(np.mean(tables, axis=0) * is_matchup if tables else np.zeros(is_matchup.shape), np.float64)


def _far_and_near(
    actions: dict[str, Action], loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> tuple[Losses | None, Losses | None]:
    """Return the mean losses of shots far apart, and the losses of the best action near; None without situations."""
    points, p_rallies = _points(loadouts), np.array([p_rally(loadout.unit, ruleset.deck) for loadout in loadouts])
    far, near = (
        [actions[situation.name] for situation in situations if is_near(situation) == wanted]
        for wanted in (False, True)
    )
    shots = [] if any(action.reach.any() for action in near) else far  # far shots replace missing near shots
    return mean_losses(far, p_rallies, points), best_losses([*near, *shots] if near else [], p_rallies, points)


class _LossesByBattlefield(NamedTuple):
    """Losses in a round on each battlefield, as in :class:`Exchange`, but all of shape (battlefields, n, n)."""

    losses: Array
    without_suppression: Array
    by_shots: Array
    all_shots_returned: Array
    outranging_share: Array


def _round_losses(
    actions: dict[str, Action],
    is_matchup: NDArray[np.bool_],
    loadouts: Sequence[Loadout],
    situations: Sequence[Situation],
    ruleset: Ruleset,
) -> _LossesByBattlefield:
    far, near = _far_and_near(actions, loadouts, situations, ruleset)
    if far is None or near is None:
        zeros = np.zeros(is_matchup.shape)
        only = far or near or Losses(zeros, zeros, zeros)
        result = [
            _LossesByBattlefield(only.suppressed, only.without_suppression, only.by_shots, only.suppressed, zeros)
        ]
    else:
        shots = (actions[situation.name] for situation in situations if is_near(situation) is False)
        reach = np.max([np.where(np.isnan(shot.lost), 0.0, shot.reach) for shot in shots], axis=0)
        movement, points = Movement(loadouts), _points(loadouts)
        result = [_losses_on(battlefield, movement, reach, far, near, points) for battlefield in BATTLEFIELDS]
    tables = (np.array(figures).reshape(len(result), *is_matchup.shape) for figures in zip(*result))
    return _LossesByBattlefield(*(table * is_matchup for table in tables))


def _losses_on(
    battlefield: Battlefield, movement: Movement, reach: Array, far: Losses, near: Losses, points: Array
) -> _LossesByBattlefield:
    def gains(lost: Array) -> Array:
        return np.asarray(lost * points[None, :] - lost.T * points[:, None], np.float64)

    outreaches = reach > reach.T
    time = movement.time_shares(
        reach, gains(outreaches * far.without_suppression), gains(far.suppressed), gains(near.suppressed), battlefield
    )
    outranging_share = time.one_shoots * time.outreaches
    without_suppression, losses, by_shots = (
        outranging_share * when_outranging + time.both_shoot * when_far + time.near * when_near
        for when_outranging, when_far, when_near in zip(
            (far.without_suppression, far.without_suppression, far.by_shots), far, near
        )
    )
    all_shots_returned = (time.one_shoots + time.both_shoot) * far.suppressed + time.near * near.suppressed
    return _LossesByBattlefield(losses, without_suppression, by_shots, all_shots_returned, outranging_share)


def _points(loadouts: Sequence[Loadout]) -> Array:
    return np.array([loadout.level.points for loadout in loadouts], np.float64)


def is_near(situation: Situation) -> bool | None:
    """Return True for a charge or a shot nearby, False for other shots, None for other kinds of situations."""
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
