"""Mutual losses: for every pair of loadouts, the mean share of each that is lost in a round in which both act once.

With best play: the loss of a duel divided by its rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.activation_losses import Act, Losses, acts_of, best_losses, mean_losses, p_rallies
from analyser.analysis.approach import COUNTRIES, ROUNDS, Country, Movers
from analyser.analysis.equilibrium_prices import Array, connected
from analyser.analysis.roles import kinds_of
from analyser.analysis.situations import BEST_TRADE, Situation
from analyser.common.frames import name_indices
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout

WAYS = ("ranged", "charge")
"""Kinds of situations in which each side acts once; duels are treated separately."""
NEAR_WITHIN = 12.0  # inches: up to here a situation counts as near


@dataclass(frozen=True, eq=False)
class Exchange:
    """Mutual losses of loadouts as a game.

    Attributes
    ----------
    loadouts : tuple of Loadout
        Loadouts with a price, all connected by losses in both directions (one strongly connected component).
    losses : ndarray
        Shape (grounds, n, n): ``[ground, i, j]`` is the mean share of j that is lost to i in a round. Far apart both
        shoot; near, each takes its best act at today's points, a shot or a charge. A suppressed unit does less.
        Each ground (:data:`~.approach.COUNTRIES`) has its own share of far and near rounds; if all situations are far,
        or all near, there is one ground.
    unsuppressed : ndarray
        Losses without the effect of suppression.
    shot : ndarray
        The part of `unsuppressed` that shots cause; the rest is lost hand to hand.
    answered : ndarray
        `losses` if every shot could be returned.
    outranges : ndarray
        Shape (n, n): the share of rounds in which the row shoots at the column and is out of its reach.
    meets : ndarray
        True for pairs that meet.
    left_out : dict of str to str
        The reason for each loadout that is not in the game.
    by_tactic : ndarray or None
        With best play `losses` come from the duels of :data:`~.situations.BEST_TRADES`; this keeps the losses by
        simple tactics. Otherwise None.
    """

    loadouts: tuple[Loadout, ...]
    losses: Array
    unsuppressed: Array
    shot: Array
    answered: Array
    outranges: Array
    meets: NDArray[np.bool_]
    left_out: dict[str, str]
    by_tactic: Array | None = None

    @cached_property
    def kinds(self) -> NDArray[np.int64]:
        """Number of each loadout's unit; units that differ only in name and points have the same number."""
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
        several = levels.groupby([self.kinds, levels]).transform("size").to_numpy(np.float64)
        shares: Array = 1.0 / several / levels.groupby(self.kinds).transform("nunique").to_numpy(np.float64)
        return np.asarray(shares / shares.sum(), np.float64)

    def mean(self) -> Array:
        """Return the mean losses over the grounds, with equal weights."""
        return np.asarray(self.losses.mean(axis=0), np.float64)


def exchange_of(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> Exchange:
    """Return the game of a table of :func:`analyser.matchups` in which both sides attack each other.

    Situations in which a side does not act once (see :data:`WAYS`) are ignored.
    """
    left_out: dict[str, str] = {}
    both = set(frame["attacker"].unique()) & set(frame["defender"].unique())
    for loadout in loadouts:
        if not loadout.level.points:
            left_out[loadout.selector] = "it costs 0 points" if loadout.level.points == 0 else "it has no points"
        elif loadout.selector not in both:
            left_out[loadout.selector] = "it is not both attacker and defender"
    sides = [loadout for loadout in loadouts if loadout.selector not in left_out]
    best = [situation.name for situation in situations if situation.kind == BEST_TRADE]
    situations = [situation for situation in situations if situation.kind in WAYS]
    acts, met = acts_of(frame, sides, situations, ruleset)
    rounds = _rounds(acts, met, sides, situations, ruleset)
    losses = rounds.held
    if best:
        losses, why_not = _played_best(frame, sides, best)
        met = met & ~np.isnan(losses).any(axis=0)
        losses = np.where(met, losses, 0.0)
        left_out |= {sides[at].selector: reason for at, reason in why_not.items() if not met[at].any()}
    outside = ~connected(losses.sum(axis=0)) if sides else np.zeros(0, np.bool_)
    left_out = {
        sides[at].selector: _why_unconnected(losses[:, at].sum(), losses[:, :, at].sum()) for at in outside.nonzero()[0]
    } | left_out
    kept = np.flatnonzero(~outside)
    both_ways = np.ix_(kept, kept)
    losses, held, free, shot, answered, alone = (table[:, kept][:, :, kept] for table in (losses, *rounds))
    loadouts = tuple(sides[at] for at in kept)
    by_tactic = held if best else None
    return Exchange(loadouts, losses, free, shot, answered, alone.mean(axis=0), met[both_ways], left_out, by_tactic)


def _played_best(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[str]
) -> tuple[Array, dict[int, str]]:
    """Return the losses in a round of a duel with best play by both sides, by situation, as in :class:`Exchange`.

    Losses are NaN without a duel. Also return, by index, the reason why a loadout lacks a duel with any opponent.
    """
    names = [loadout.selector for loadout in loadouts]
    result, reasons = np.full((len(situations), len(names), len(names)), np.nan), dict[int, str]()
    for losses, situation in zip(result, situations):
        there = frame[frame["situation"] == situation]
        rows, columns = (name_indices(there[side], names) for side in ("attacker", "defender"))
        both = (rows >= 0) & (columns >= 0)
        losses[rows[both], columns[both]] = there["mean_share_lost"].to_numpy(np.float64)[both] / ROUNDS
        missing = both & there["why_not"].notna().to_numpy()
        reasons |= dict(zip(rows[missing].tolist(), there["why_not"][missing].tolist()))
    return result, reasons


def losses_of(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> Array:
    """Return the mean share that each column loses to each row while both act once, over far and near.

    All `loadouts` must have points; pairs that do not meet lose 0. The approach is ignored, because units of a list
    screen each other.
    """
    situations = [situation for situation in situations if situation.kind in WAYS]
    acts, met = acts_of(frame, loadouts, situations, ruleset)
    places = [round_.held for round_ in _far_and_near(acts, loadouts, situations, ruleset) if round_ is not None]
    return np.asarray(np.mean(places, axis=0) * met if places else np.zeros(met.shape), np.float64)


def _far_and_near(
    acts: dict[str, Act], loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> tuple[Losses | None, Losses | None]:
    """Return the losses far apart and near, with the best act of each; None without such situations."""
    points, rallies = _points(loadouts), _rallies(loadouts, ruleset)
    far, near = ([acts[fight.name] for fight in situations if is_near(fight) == place] for place in (False, True))
    # nearby, far shots are options if there is no near shot
    shots = [] if any(act.reach.any() for act in near) else far
    return mean_losses(far, rallies), best_losses([*near, *shots] if near else [], rallies, points)


class _Rounds(NamedTuple):
    """Losses in a round on each ground: shapes (grounds, n, n), see :class:`Exchange`."""

    held: Array
    free: Array
    shot: Array
    answered: Array
    alone: Array


def _rounds(
    acts: dict[str, Act],
    met: NDArray[np.bool_],
    loadouts: Sequence[Loadout],
    situations: Sequence[Situation],
    ruleset: Ruleset,
) -> _Rounds:
    far, near = _far_and_near(acts, loadouts, situations, ruleset)
    if far is None or near is None:
        only = far if near is None else near
        nothing = np.zeros(met.shape)
        result = [
            _Rounds(nothing, nothing, nothing, nothing, nothing)
            if only is None
            else _Rounds(only.held, only.free, only.shot, only.held, nothing)
        ]
    else:
        shots = (acts[situation.name] for situation in situations if is_near(situation) is False)
        reach = np.max([np.where(np.isnan(shot.lost), 0.0, shot.reach) for shot in shots], axis=0)
        result = [_in_country(country, Movers(loadouts), reach, far, near, _points(loadouts)) for country in COUNTRIES]
    return _Rounds(*(np.array(figures).reshape(len(result), *met.shape) * met for figures in zip(*result)))


def _in_country(country: Country, movers: Movers, reach: Array, far: Losses, near: Losses, points: Array) -> _Rounds:
    def gains(lost: Array) -> Array:
        return np.asarray(lost * points[None, :] - lost.T * points[:, None], np.float64)

    reaches = reach > reach.T
    spent = movers.spent(reach, gains(reaches * far.free), gains(far.held), gains(near.held), country)
    alone = spent.outranged * spent.reaches
    free, held, shot = (
        alone * unanswered + spent.far * there + spent.near * here
        for unanswered, there, here in zip((far.free, far.free, far.shot), far, near)
    )
    answered = (spent.outranged + spent.far) * far.held + spent.near * near.held
    return _Rounds(held, free, shot, answered, alone)


def _points(loadouts: Sequence[Loadout]) -> Array:
    return np.array([loadout.level.points for loadout in loadouts], np.float64)


def _rallies(loadouts: Sequence[Loadout], ruleset: Ruleset) -> Array:
    return np.array([p_rallies(loadout.unit, ruleset.deck) for loadout in loadouts])


def is_near(situation: Situation) -> bool | None:
    """Return True if a charge is possible at that distance; None for other kinds of situations than :data:`WAYS`."""
    if situation.kind == "ranged":
        return "short_range" in situation.bonuses or (
            situation.distance is not None and situation.distance <= NEAR_WITHIN
        )
    return True if situation.kind == "charge" else None


def _why_unconnected(dealt: float, taken: float) -> str:
    if dealt == 0 and taken == 0:
        return "it damages none of these units, and none damages it"
    if dealt == 0:
        return "it damages none of these units"
    return "none of these units damages it" if taken == 0 else "few of these units damage it or are damaged"
