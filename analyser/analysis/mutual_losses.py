"""Mutual losses of every pair of loadouts: the mean share of each that is lost in a round in which both act once.

Suppression lasts until the end of a unit's next activation (AC-5.6, AC-5.7). It lowers the unit's rating, and a failed
rally test prevents aiming and charging. Cryo prevents the next activation of a unit that has not acted yet (AC-6). A
suppressed unit keeps this share of an attack: mean hits of a die at the lower rating / mean hits at the usual rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.approach import BATTLEFIELDS, Battlefield, Movement
from analyser.analysis.equilibrium_prices import largest_connected_group
from analyser.analysis.roles import unit_numbers_of
from analyser.analysis.situations import Situation
from analyser.common.frames import name_indices
from analyser.common.kernel_records import Floats
from analyser.game.ruleset import Deck, Die, Face, Rating, Ruleset
from analyser.game.units import Loadout, Row, Unit
from analyser.rules.charge_strikes import INFANTRY_OVERWHELMS
from analyser.rules.house_rules import faces_of, pack_die

EXCHANGE_KINDS = ("ranged", "charge")
"""Kinds of situations in which each side acts once, unlike in duels."""
NEAR_WITHIN = 12.0  # inches; ranged attacks at up to this distance count as near


@dataclass(frozen=True, eq=False)
class Exchange:
    """Loadouts that exchange losses, and these losses.

    ``losses[k, i, j]`` is the mean share of j that is lost to i in a round on battlefield k; the other tables of floats
    have the same shape. Far apart, both shoot, or only the loadout with the longer range. Near each other, each takes
    the action that gains most points at today's prices. A suppressed unit inflicts less. If all situations are far, or
    all are near, battlefields do not matter, and there is only one.
    """

    loadouts: tuple[Loadout, ...]  # all have points, and all can destroy each other, directly or through others
    losses: Floats
    without_suppression: Floats
    by_shots: Floats  # part of `without_suppression` that shots cause; charges cause the rest
    all_shots_returned: Floats  # losses if every shot could be returned
    outranging_share: Floats  # share of rounds in which the row can shoot and the column cannot
    is_matchup: NDArray[np.bool_]  # True for pairs that fight in both directions
    left_out: dict[str, str]  # reason for each loadout that is left out

    @cached_property
    def unit_numbers(self) -> NDArray[np.int64]:
        """Unit of each loadout (:func:`~.roles.unit_numbers_of`)."""
        return unit_numbers_of(self.loadouts)

    @property
    def points(self) -> Floats:
        return _points(self.loadouts)

    @property
    def uniform_weights(self) -> Floats:
        """Frequency of each loadout if all units, and all levels of a unit, are equally frequent."""
        levels = pd.Series([loadout.level_name for loadout in self.loadouts])
        copies = levels.groupby([self.unit_numbers, levels]).transform("size").to_numpy(np.float64)
        shares = 1.0 / copies / levels.groupby(self.unit_numbers).transform("nunique").to_numpy(np.float64)
        return np.asarray(shares / shares.sum(), np.float64)

    def mean(self) -> Floats:
        """Return the mean losses over the battlefields."""
        return np.asarray(self.losses.mean(axis=0), np.float64)


def exchange_of(
    frame: pd.DataFrame,
    loadouts: Sequence[Loadout],
    situations: Sequence[Situation],
    ruleset: Ruleset,
    battlefields: Sequence[Battlefield] = BATTLEFIELDS,
) -> Exchange:
    """Return the mutual losses from a frame of matchups in both directions; duels are ignored."""
    left_out: dict[str, str] = {}
    attack_and_defend = {*frame["attacker"].unique()} & {*frame["defender"].unique()}
    for loadout in loadouts:
        if not loadout.level.points:
            left_out[loadout.selector] = "it has no points" if loadout.level.points is None else "it costs 0 points"
        elif loadout.selector not in attack_and_defend:
            left_out[loadout.selector] = "it is not both attacker and defender"
    sides = [loadout for loadout in loadouts if loadout.selector not in left_out]
    actions, is_matchup = actions_of(frame, sides, situations, ruleset)
    rounds = _round_losses(actions, is_matchup, sides, situations, ruleset, battlefields)
    outside = ~largest_connected_group(rounds.losses.sum(axis=0)) if sides else np.zeros(0, np.bool_)
    left_out = {
        sides[index].selector: _why_unconnected(rounds.losses[:, index].sum(), rounds.losses[:, :, index].sum())
        for index in outside.nonzero()[0]
    } | left_out
    inside = np.flatnonzero(~outside)
    return Exchange(
        tuple(sides[index] for index in inside),
        **{name: table[:, inside][:, :, inside] for name, table in rounds._asdict().items()},
        is_matchup=is_matchup[np.ix_(inside, inside)],
        left_out=left_out,
    )


def losses_in_lists(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> Floats:
    """Return the share of the column's loadout that is lost to the row's in a round: the mean of far and near losses.

    Far and near count equally, unlike in :class:`Exchange`: in a list, other units protect a unit that approaches.
    """
    actions, is_matchup = actions_of(frame, loadouts, situations, ruleset)
    both = _far_and_near(actions, loadouts, situations, ruleset)
    tables = [losses.with_suppression for losses in both if losses is not None]
    return np.asarray(np.mean(tables, axis=0) * is_matchup if tables else np.zeros(is_matchup.shape), np.float64)


def _far_and_near(
    actions: dict[str, Action], loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> tuple[Losses | None, Losses | None]:
    """Return the mean losses by far shots, and those by the best near actions; None without such situations."""
    points, p_rallies = _points(loadouts), np.array([p_rally(loadout.unit, ruleset.deck) for loadout in loadouts])
    far, near = (
        [actions[situation.name] for situation in situations if is_near(situation) == wanted]
        for wanted in (False, True)
    )
    shots = [] if any(action.reach.any() for action in near) else far  # far shots replace missing near shots
    far_choices = np.array([_best_actions([action], p_rallies, points) for action in far])
    mean_far = _mutual_losses(_ChosenActions(*far_choices.mean(axis=0))) if far else None
    best_near = _mutual_losses(_best_actions([*near, *shots], p_rallies, points)) if near else None
    return mean_far, best_near


class _LossesByBattlefield(NamedTuple):
    """Losses as in :class:`Exchange`."""

    losses: Floats
    without_suppression: Floats
    by_shots: Floats
    all_shots_returned: Floats
    outranging_share: Floats


def _round_losses(
    actions: dict[str, Action],
    is_matchup: NDArray[np.bool_],
    loadouts: Sequence[Loadout],
    situations: Sequence[Situation],
    ruleset: Ruleset,
    battlefields: Sequence[Battlefield],
) -> _LossesByBattlefield:
    far, near = _far_and_near(actions, loadouts, situations, ruleset)
    if far is None or near is None:
        zeros = np.zeros(is_matchup.shape)
        only = far or near or Losses(zeros, zeros, zeros)
        losses = only.with_suppression, only.without_suppression, only.by_shots, only.with_suppression, zeros
        result = [_LossesByBattlefield(*losses)]
    else:
        shots = (actions[situation.name] for situation in situations if is_near(situation) is False)
        reach = np.max(np.array([np.where(np.isnan(shot.lost), 0.0, shot.reach) for shot in shots], np.float64), axis=0)
        movement, points = Movement(loadouts), _points(loadouts)
        result = [_losses_on(battlefield, movement, reach, far, near, points) for battlefield in battlefields]
    tables = (np.array(figures).reshape(len(result), *is_matchup.shape) for figures in zip(*result))
    return _LossesByBattlefield(*(table * is_matchup for table in tables))


def _losses_on(
    battlefield: Battlefield, movement: Movement, reach: Floats, far: Losses, near: Losses, points: Floats
) -> _LossesByBattlefield:
    def gains(lost: Floats) -> Floats:
        return np.asarray(lost * points[None, :] - lost.T * points[:, None], np.float64)

    outreaches = reach > reach.T
    gain_alone = gains(outreaches * far.without_suppression)
    gain_of_both, gain_near = (gains(losses.with_suppression) for losses in (far, near))
    time = movement.time_shares(reach, gain_alone, gain_of_both, gain_near, battlefield)
    outranging_share = time.one_shoots * time.outreaches
    without_suppression, losses, by_shots = (
        outranging_share * when_outranging + time.both_shoot * when_far + time.near * when_near
        for when_outranging, when_far, when_near in zip(
            (far.without_suppression, far.without_suppression, far.by_shots), far, near
        )
    )
    all_shots_returned = (time.one_shoots + time.both_shoot) * far.with_suppression + time.near * near.with_suppression
    return _LossesByBattlefield(losses, without_suppression, by_shots, all_shots_returned, outranging_share)


def _points(loadouts: Sequence[Loadout]) -> Floats:
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


P_STILL_TO_ACT = 0.5  # probability that a unit has not been activated yet in the round when the other unit acts


class Action(NamedTuple):
    """An action of each loadout (row) against each other loadout (column)."""

    lost: Floats  # mean share of the target that is lost; NaN if the action is impossible
    own_lost: Floats  # mean share of the acting loadout that is lost
    p_suppresses: Floats
    p_activates: Floats  # probability that the action takes the target's activation (Cryo)
    kept_if_rallied: Floats  # share of `lost` that a suppressed unit still inflicts after a passed rally test
    kept_if_shaken: Floats  # share of `lost` that a suppressed unit still inflicts after a failed rally test
    reach: Floats  # long range of the row that shoots, in inches; 0 without a shot


class Losses(NamedTuple):
    """Mean share of each column's loadout that is lost while it and the row's loadout act once."""

    without_suppression: Floats
    with_suppression: Floats  # includes the effect of each action on the other unit's action
    by_shots: Floats  # part of `without_suppression` that shots cause


def mean_hits_of_die(die: Die) -> dict[Rating, float]:
    """Return the mean hits of an attack die by rating, including rerolls and explosions (AC-3.3, AC-3.4, AC-3.6)."""
    pmf = np.array(die.sides_by_face) / die.sides
    result = {}
    for rating in Rating:
        faces = faces_of(pack_die(die), rating)
        hits = [
            faces.heroic_hits * (faces.heroic >> face & 1) + faces.strike_hits * (faces.strike >> face & 1)
            for face in Face
        ]
        rerolled, explodes = ([mask >> face & 1 for face in Face] for mask in (faces.rerolled, faces.exploding))
        mean, mean_rerolled = float(pmf @ hits), float(pmf * hits @ rerolled)
        result[rating] = (mean * (1 + float(pmf @ rerolled)) - mean_rerolled) * (1 + float(pmf @ explodes))
    return result


def p_rally(unit: Unit, deck: Deck) -> float:
    """Return the probability that a unit passes a rally test (AC-5.1, AC-5.6): 1 if it takes no tests or passes all."""
    if unit.discipline is None or unit.has("Automata", "Irrepressible", "Hot Headed"):
        return 1.0
    return sum(copies for value, copies in deck.copies.items() if value <= unit.discipline) / sum(deck.copies.values())


def actions_of(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> tuple[dict[str, Action], NDArray[np.bool_]]:
    """Return the actions of the loadouts by situation, and a mask of pairs that the frame has in both directions."""
    situations = [situation for situation in situations if situation.kind in EXCHANGE_KINDS]
    names = [loadout.selector for loadout in loadouts]
    rows, columns = (name_indices(frame[side], names) for side in ("attacker", "defender"))
    situation_indices = name_indices(frame["situation"], [situation.name for situation in situations])
    both = (rows >= 0) & (columns >= 0)
    codes, row_ids = pd.factorize(frame["row"])
    names_of_figures = ["mean_share_lost", "attacker_share_lost", "p_suppressed", "p_activated"]
    figures = frame.reindex(columns=names_of_figures, fill_value=0.0).to_numpy(np.float64).T  # sweeps lack some
    hits = mean_hits_of_die(ruleset.die)
    actions, attacks = {}, np.zeros((len(names), len(names)), np.bool_)
    for number, situation in enumerate(situations):
        part = both & (situation_indices == number)
        pairs = rows[part], columns[part]
        attacks[pairs] = True
        tables = np.full((len(figures), *attacks.shape), np.nan)
        tables[:, *pairs] = figures[:, part]
        rows_used = np.full(attacks.shape, -1)
        rows_used[pairs] = codes[part]
        shares_kept = (
            _kept_by_shots(loadouts, rows_used, row_ids.tolist(), situation, hits)
            if situation.kind == "ranged"
            else (*_kept_by_charges(loadouts, hits), np.zeros(attacks.shape))
        )
        own_lost, p_suppresses, p_activates = np.nan_to_num(tables[1:])
        actions[situation.name] = Action(tables[0], own_lost, p_suppresses, p_activates, *shares_kept)
    return actions, attacks & attacks.T


def _kept_by_shots(
    loadouts: Sequence[Loadout],
    rows: NDArray[np.int64],
    row_ids: Sequence[str],
    situation: Situation,
    hits: dict[Rating, float],
) -> tuple[Floats, Floats, Floats]:
    """Return the shares of hits that suppressed shooters keep after a passed and a failed rally test, and the ranges.

    `rows` has the index in `row_ids` of each pair's row, -1 without a shot. Suppression is a penalty (AC-4.2), and a
    failed rally test prevents aiming (AC-5.6).
    """
    indices = {row_id: index for index, row_id in enumerate(row_ids)}
    facts = np.zeros((len(loadouts), len(row_ids) + 1, 3))  # by loadout and row; the last entry stands for no row
    for facts_by_row, loadout in zip(facts, loadouts):
        for row in loadout.unit.rows:
            if row.id in indices:
                facts_by_row[indices[row.id]] = *_advantage(row, situation), row.long_range or 0.0
    advantage, ignores_concealment, reach = np.moveaxis(facts[np.arange(len(loadouts))[:, None], rows], -1, 0)
    advantage = advantage.astype(np.int64)
    concealed = np.array([loadout.unit.has("Shrouded", "Obfuscating") for loadout in loadouts], np.bool_)
    before = advantage - (concealed[None, :] & (ignores_concealment == 0))
    after = before - ("suppressed" not in situation.penalties)
    without_aiming = after - ("aiming" in situation.bonuses)
    return _share_kept(before, after, hits), _share_kept(before, without_aiming, hits), reach


def _advantage(row: Row, situation: Situation) -> tuple[int, bool]:
    """Return the bonuses minus the penalties of a shot (AC-4.2), and True if it ignores concealment (Torrent)."""
    attack = situation.attack(row)
    near = situation.distance is not None and row.short_range is not None and situation.distance <= row.short_range
    return len(attack.bonuses) + near - len(attack.penalties), row.has("Torrent")


def _kept_by_charges(loadouts: Sequence[Loadout], hits: dict[Rating, float]) -> tuple[Floats, Floats]:
    """Return the shares of hits that suppressed chargers keep after a passed (AC-8.2) and a failed rally test."""
    types = np.array([loadout.unit.type for loadout in loadouts])
    onslaught = np.array([loadout.unit.has("Onslaught") for loadout in loadouts], np.int64)
    overwhelms = (types == "infantry")[:, None] & np.isin(types, INFANTRY_OVERWHELMS)[None, :]
    before = onslaught[:, None] + overwhelms
    return _share_kept(before, before - 1, hits), np.zeros(before.shape)


def _share_kept(before: NDArray[np.int64], after: NDArray[np.int64], hits: dict[Rating, float]) -> Floats:
    """Return mean hits at the advantage `after` divided by mean hits at `before` (AC-3.1)."""
    by_rating = np.array([hits[rating] for rating in Rating])
    mean = [by_rating[1 + np.sign(advantage)] for advantage in (after, before)]
    share: Floats = np.divide(mean[0], mean[1], out=np.ones(before.shape), where=mean[1] > 0)
    return share


class _ChosenActions(NamedTuple):
    """Losses by the chosen action of each row's loadout, and probabilities that it impairs the column's next action."""

    lost: Floats
    own_lost: Floats
    lost_suppressed: Floats
    own_lost_suppressed: Floats
    p_suppresses: Floats
    p_activates: Floats
    lost_to_shots: Floats  # the part of `lost` that shots cause


def _best_actions(actions: Sequence[Action], p_rallies: Floats, points: Floats) -> _ChosenActions:
    """Return the losses by the actions that gain most points; a unit chooses again after a failed rally test."""
    lost, own_lost, p_suppresses, p_activates, if_rallied, if_shaken, reach = map(np.array, zip(*actions))

    def best(lost: Floats) -> NDArray[np.int64]:
        gains = lost * points[None, :] - own_lost * points[:, None]
        return np.asarray(np.where(np.isnan(gains), -np.inf, gains).argmax(axis=0), np.int64)

    usual, shaken = best(lost), best(np.where(if_shaken > 0, lost * if_shaken, np.nan))

    def chosen(choice: NDArray[np.int64], figures: Floats) -> Floats:
        return np.asarray(np.nan_to_num(np.take_along_axis(figures, choice[None], 0)[0]), np.float64)

    p = p_rallies[:, None]
    return _ChosenActions(
        chosen(usual, lost),
        chosen(usual, own_lost),
        p * chosen(usual, lost * if_rallied) + (1 - p) * chosen(shaken, lost * if_shaken),
        p * chosen(usual, own_lost),  # only charges have own losses, and they need a passed rally test
        chosen(usual, p_suppresses),
        chosen(usual, p_activates),
        chosen(usual, lost * (reach > 0)),
    )


def _mutual_losses(chosen: _ChosenActions) -> Losses:
    """Return the losses of both sides, including the effect of an action on the enemy's next action.

    Cryo takes the activation of a target that has not acted yet, and suppresses a target that has.
    """
    p_prevented = P_STILL_TO_ACT * chosen.p_activates.T
    p_suppressed = chosen.p_suppresses.T + (1 - P_STILL_TO_ACT) * chosen.p_activates.T
    p_unaffected = 1 - p_suppressed - p_prevented
    lost = p_unaffected * chosen.lost + p_suppressed * chosen.lost_suppressed
    own_lost = p_unaffected * chosen.own_lost + p_suppressed * chosen.own_lost_suppressed
    return Losses(chosen.lost + chosen.own_lost.T, lost + own_lost.T, chosen.lost_to_shots)
