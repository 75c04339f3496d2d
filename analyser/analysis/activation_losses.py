"""Losses that loadouts inflict on each other by one action each, and the part of them that suppression prevents.

Suppression lasts until the end of a unit's next activation (AC-5.6, AC-5.7). It lowers the unit's rating, and a failed
rally test prevents aiming and charging. Cryo prevents the next activation of a unit that has not acted yet (AC-6). A
suppressed unit keeps this share of an attack: mean hits of a die at the lower rating / mean hits at the usual rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.arrays import Array
from analyser.analysis.situations import Situation
from analyser.common.frames import name_indices
from analyser.game.ruleset import Deck, Die, Face, Rating, Ruleset
from analyser.game.units import Loadout, Row, Unit
from analyser.rules.charge_strikes import INFANTRY_OVERWHELMS
from analyser.rules.house_rules import faces_of, pack_die

_COLUMNS = ("mean_share_lost", "attacker_share_lost", "p_suppressed", "p_activated")
P_STILL_TO_ACT = 0.5  # probability that a unit has not been activated yet in the round when the other unit acts


class Action(NamedTuple):
    """An action of each loadout (row) against each other loadout (column)."""

    lost: Array  # mean share of the target; NaN if the action is impossible
    own_lost: Array  # mean share that the acting loadout loses of itself
    p_suppresses: Array
    p_activates: Array  # probability that it takes the target's activation (Cryo)
    kept_if_rallied: Array  # share of `lost` that a suppressed unit still inflicts after a passed rally test
    kept_if_shaken: Array  # the same after a failed one
    reach: Array  # long range of the row that shoots, in inches; 0 without a shot


class Losses(NamedTuple):
    """Mean share of each column's loadout that is lost while it and the row's loadout act once."""

    without_suppression: Array
    suppressed: Array  # includes the effect of each action on the other unit's action
    by_shots: Array  # part of `without_suppression`


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
    """Return the actions of the loadouts by situation, and a mask of the pairs in which each can attack the other."""
    names = [loadout.selector for loadout in loadouts]
    rows, columns = (name_indices(frame[side], names) for side in ("attacker", "defender"))
    situation_indices = name_indices(frame["situation"], [situation.name for situation in situations])
    both = (rows >= 0) & (columns >= 0)
    codes, row_ids = pd.factorize(frame["row"])
    values = [  # 0 for columns that frames of earlier versions lack
        frame[name].to_numpy(np.float64) if name in frame else np.zeros(len(frame)) for name in _COLUMNS
    ]
    hits = mean_hits_of_die(ruleset.die)
    actions, attacks = {}, np.zeros((len(names), len(names)), np.bool_)
    for number, situation in enumerate(situations):
        part = both & (situation_indices == number)
        pairs = rows[part], columns[part]
        attacks[pairs] = True
        tables = np.full((len(_COLUMNS), *attacks.shape), np.nan)
        for table, column in zip(tables, values):
            table[pairs] = column[part]
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
) -> tuple[Array, Array, Array]:
    """Return the share of hits that a suppressed shooter keeps after a passed and a failed rally test, and the ranges.

    `rows` has the row used for each pair as an index into `row_ids`, -1 without a shot. Suppression is a penalty
    (AC-4.2), and a failed rally test prevents aiming (AC-5.6).
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


def _kept_by_charges(loadouts: Sequence[Loadout], hits: dict[Rating, float]) -> tuple[Array, Array]:
    """Return the share of hits that a suppressed charger keeps after a passed (AC-8.2) and a failed rally test."""
    units = [loadout.unit for loadout in loadouts]
    infantry, overwhelmed = (
        np.array([unit.type in types for unit in units], np.bool_) for types in (("infantry",), INFANTRY_OVERWHELMS)
    )
    onslaught = np.array([unit.has("Onslaught") for unit in units], np.int64)
    before = onslaught[:, None] + (infantry[:, None] & overwhelmed[None, :])
    return _share_kept(before, before - 1, hits), np.zeros(before.shape)


def _share_kept(before: NDArray[np.int64], after: NDArray[np.int64], hits: dict[Rating, float]) -> Array:
    """Return the hits of a die at the advantage `after` divided by those at `before` (AC-3.1); 1 without hits."""
    by_rating = np.array([hits[rating] for rating in Rating])
    mean = [by_rating[1 + np.sign(advantage)] for advantage in (after, before)]
    share: Array = np.divide(mean[0], mean[1], out=np.ones(before.shape), where=mean[1] > 0)
    return share


class _ChosenActions(NamedTuple):
    """Losses if each row's loadout takes its chosen action, also if suppressed, and effects on the column's action."""

    lost: Array
    own_lost: Array
    lost_suppressed: Array
    own_lost_suppressed: Array
    p_suppresses: Array
    p_activates: Array
    lost_to_shots: Array  # the part of `lost` that shots cause


def mean_losses(actions: Sequence[Action], p_rallies: Array, points: Array) -> Losses | None:
    """Return the losses if each loadout takes every action equally often; None without actions."""
    if not actions:
        return None
    by_action = [_best_actions([action], p_rallies, points) for action in actions]
    return _mutual_losses(_ChosenActions(*(np.mean(figures, axis=0) for figures in zip(*by_action))))


def best_losses(actions: Sequence[Action], p_rallies: Array, points: Array) -> Losses | None:
    """Return the losses if each loadout takes the action that gains most `points`; None without actions."""
    return _mutual_losses(_best_actions(actions, p_rallies, points)) if actions else None


def _best_actions(actions: Sequence[Action], p_rallies: Array, points: Array) -> _ChosenActions:
    """Return the losses through the actions that gain most points; after a failed rally test it chooses again."""
    lost, own_lost, p_suppresses, p_activates, if_rallied, if_shaken, reach = map(np.array, zip(*actions))

    def best(lost: Array) -> NDArray[np.int64]:
        gains = lost * points[None, :] - own_lost * points[:, None]
        return np.asarray(np.where(np.isnan(gains), -np.inf, gains).argmax(axis=0), np.int64)

    usual, shaken = best(lost), best(np.where(if_shaken > 0, lost * if_shaken, np.nan))

    def chosen(choice: NDArray[np.int64], figures: Array) -> Array:
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
    """Return the losses of both sides, including the effect of each unit's action on the next action of the other.

    Cryo takes the activation of a target that has not acted yet, and suppresses a target that has.
    """
    p_prevented = P_STILL_TO_ACT * chosen.p_activates.T
    p_suppressed = chosen.p_suppresses.T + (1 - P_STILL_TO_ACT) * chosen.p_activates.T
    p_unaffected = 1 - p_suppressed - p_prevented
    lost = p_unaffected * chosen.lost + p_suppressed * chosen.lost_suppressed
    own_lost = p_unaffected * chosen.own_lost + p_suppressed * chosen.own_lost_suppressed
    return Losses(chosen.lost + chosen.own_lost.T, lost + own_lost.T, chosen.lost_to_shots)
