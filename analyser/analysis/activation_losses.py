"""Losses that loadouts inflict on each other in one action each, and the part of an action that suppression prevents.

Suppression lasts until the end of a unit's next activation (AC-5.6, AC-5.7). It lowers the rating, and a failed rally
test prevents aiming and charging. Cryo prevents an activation that is still to come (AC-6). A suppressed unit keeps
that share of an attack that is the mean hits of a die at the lower rating divided by those at the usual rating.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.equilibrium_prices import Array
from analyser.analysis.situations import Situation
from analyser.common.frames import name_indices
from analyser.game.ruleset import Deck, Die, Face, Rating, Ruleset
from analyser.game.units import Loadout, Row, Unit
from analyser.rules.charge_strikes import INFANTRY_OVERWHELMS
from analyser.rules.house_rules import faces_of, pack_die

_COLUMNS = ("mean_share_lost", "attacker_share_lost", "p_suppressed", "p_activated")
STILL_TO_ACT = 0.5  # probability that a unit has not been activated yet when the other unit acts


class Action(NamedTuple):
    """An action of each loadout (row) against each other loadout (column).

    Attributes
    ----------
    lost, own : ndarray
        Mean share lost by the target, NaN if the action is impossible; mean share lost by the acting loadout.
    suppresses, activates : ndarray
        Probability that the action suppresses the target; that it takes the target's activation (Cryo).
    rallied, shaken : ndarray
        Share of the action that a suppressed unit keeps after a passed rally test; after a failed one.
    reach : ndarray
        Range of the row of the armaments table, in inches; 0 for an action without a shot.
    """

    lost: Array
    own: Array
    suppresses: Array
    activates: Array
    rallied: Array
    shaken: Array
    reach: Array


class Losses(NamedTuple):
    """Mean share that each column loses to each row while both act once.

    `unsuppressed` leaves out the effect of suppression, `suppressed` includes the effect of each action on the other
    unit's action, and `shot` is the part of `unsuppressed` that shots cause.
    """

    unsuppressed: Array
    suppressed: Array
    shot: Array


def hits_of_a_die(die: Die) -> dict[Rating, float]:
    """Return the mean hits of an attack die by rating, including rerolls and explosions (AC-3.3, AC-3.4, AC-3.6).

    >>> found = hits_of_a_die(Die(heroic=1, strike=2, glancing=1, miss=1, blank=1))
    >>> [round(36 * found[each], 9) for each in Rating]
    [28.0, 32.666666667, 37.333333333]
    """
    chances = np.array(die.sides_by_face) / die.sides
    result = {}
    for rating in Rating:
        faces = faces_of(pack_die(die), rating)
        hits = [
            faces.heroic_hits * (faces.heroic >> face & 1) + faces.strike_hits * (faces.strike >> face & 1)
            for face in Face
        ]
        rerolled, explodes = ([mask >> face & 1 for face in Face] for mask in (faces.rerolled, faces.exploding))
        mean, lost = float(chances @ hits), float(chances * hits @ rerolled)
        result[rating] = (mean * (1 + float(chances @ rerolled)) - lost) * (1 + float(chances @ explodes))
    return result


def p_rallies(unit: Unit, deck: Deck) -> float:
    """Return the probability to pass a rally test (AC-5.1, AC-5.6): 1 for a unit that takes no tests or passes all."""
    if unit.discipline is None or unit.has("Automata", "Irrepressible", "Hot Headed"):
        return 1.0
    return sum(copies for value, copies in deck.copies.items() if value <= unit.discipline) / sum(deck.copies.values())


def actions_of(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> tuple[dict[str, Action], NDArray[np.bool_]]:
    """Return the actions of every loadout by situation, and a mask of the pairs that can attack each other."""
    names = [loadout.selector for loadout in loadouts]
    rows, columns = (name_indices(frame[side], names) for side in ("attacker", "defender"))
    of_situation = name_indices(frame["situation"], [situation.name for situation in situations])
    both = (rows >= 0) & (columns >= 0)
    codes, row_ids = pd.factorize(frame["row"])
    values = [  # 0 for columns that frames of earlier versions lack
        frame[name].to_numpy(np.float64) if name in frame else np.zeros(len(frame)) for name in _COLUMNS
    ]
    hits = hits_of_a_die(ruleset.die)
    actions, attacks = {}, np.zeros((len(names), len(names)), np.bool_)
    for number, situation in enumerate(situations):
        part = both & (of_situation == number)
        pairs = rows[part], columns[part]
        attacks[pairs] = True
        tables = np.full((len(_COLUMNS), *attacks.shape), np.nan)
        for table, column in zip(tables, values):
            table[pairs] = column[part]
        rows_used = np.full(attacks.shape, -1)
        rows_used[pairs] = codes[part]
        kept = (
            _kept_of_shots(loadouts, rows_used, row_ids.tolist(), situation, hits)
            if situation.kind == "ranged"
            else (*_kept_of_charges(loadouts, hits), np.zeros(attacks.shape))
        )
        own, suppresses, activates = np.nan_to_num(tables[1:])
        actions[situation.name] = Action(tables[0], own, suppresses, activates, *kept)
    return actions, attacks & attacks.T


def _kept_of_shots(
    loadouts: Sequence[Loadout],
    rows: NDArray[np.int64],
    row_ids: Sequence[str],
    situation: Situation,
    hits: dict[Rating, float],
) -> tuple[Array, Array, Array]:
    """Return the shares of shots that suppressed units keep (after a passed and a failed rally), and the ranges.

    `rows` has the row used for each pair as an index into `row_ids`, -1 without a shot. Suppression is a penalty
    (AC-4.2), and a failed rally test prevents aiming (AC-5.6).
    """
    indices = {row_id: index for index, row_id in enumerate(row_ids)}
    facts = np.zeros((len(loadouts), len(row_ids) + 1, 3))  # the last entry stands for no row
    for own, loadout in zip(facts, loadouts):
        for row in loadout.unit.rows:
            if row.id in indices:
                own[indices[row.id]] = *_advantage(row, situation), row.long_range or 0.0
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


def _kept_of_charges(loadouts: Sequence[Loadout], hits: dict[Rating, float]) -> tuple[Array, Array]:
    """Return the shares that suppressed units keep of charges (AC-8.2): a penalty, or none after a failed rally."""
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
    """Losses of each pair by the chosen actions, unsuppressed and suppressed, and the effect on the other's action."""

    lost: Array
    own: Array
    lost_suppressed: Array
    own_suppressed: Array
    suppresses: Array
    activates: Array
    shot: Array  # the part of `lost` from shooting


def mean_losses(actions: Sequence[Action], rallies: Array) -> Losses | None:
    """Return the losses if each loadout takes every action equally often; None without actions."""
    if not actions:
        return None

    def the_only(lost: Array, _: Array) -> NDArray[np.int64]:
        return np.zeros(lost.shape[1:], np.int64)

    by_action = [_choose_actions([action], rallies, the_only) for action in actions]
    return _mutual_losses(_ChosenActions(*(np.mean(figures, axis=0) for figures in zip(*by_action))))


def best_losses(actions: Sequence[Action], rallies: Array, points: Array) -> Losses | None:
    """Return the losses if each loadout takes the action that gains most points; None without actions."""
    if not actions:
        return None

    def best(lost: Array, own: Array) -> NDArray[np.int64]:
        gains = lost * points[None, :] - own * points[:, None]
        return np.asarray(np.where(np.isnan(gains), -np.inf, gains).argmax(axis=0), np.int64)

    return _mutual_losses(_choose_actions(actions, rallies, best))


def _choose_actions(
    actions: Sequence[Action], rallies: Array, best: Callable[[Array, Array], NDArray[np.int64]]
) -> _ChosenActions:
    """Return the losses by the best action, or by the best after a failed rally; `rallies` are their probabilities."""
    lost, own, shaken, rallied, suppresses, activates, reach = (
        np.array([getattr(action, name) for action in actions])
        for name in ("lost", "own", "shaken", "rallied", "suppresses", "activates", "reach")
    )
    usual, if_shaken = best(lost, own), best(np.where(shaken > 0, lost * shaken, np.nan), own)

    def of(choice: NDArray[np.int64], figures: Array) -> Array:
        return np.asarray(np.nan_to_num(np.take_along_axis(figures, choice[None], 0)[0]), np.float64)

    p = rallies[:, None]
    return _ChosenActions(
        of(usual, lost),
        of(usual, own),
        p * of(usual, lost * rallied) + (1 - p) * of(if_shaken, lost * shaken),
        p * of(usual, own),  # only charges have own losses, and they need a passed rally test
        of(usual, suppresses),
        of(usual, activates),
        of(usual, lost * (reach > 0)),
    )


def _mutual_losses(chosen: _ChosenActions) -> Losses:
    """Return the losses of both sides, including the effect of each unit's action on the next action of the other.

    Cryo takes the activation of a target that has not acted yet, and suppresses a target that has.
    """
    prevented = STILL_TO_ACT * chosen.activates.T
    suppressed = chosen.suppresses.T + (1 - STILL_TO_ACT) * chosen.activates.T
    unaffected = 1 - suppressed - prevented
    lost = unaffected * chosen.lost + suppressed * chosen.lost_suppressed
    own = unaffected * chosen.own + suppressed * chosen.own_suppressed
    return Losses(chosen.lost + chosen.own.T, lost + own.T, chosen.shot)
