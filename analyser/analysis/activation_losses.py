"""Losses that loadouts inflict on each other in one act each, and the share of an act that suppression leaves.

Suppression lasts until the end of a unit's next activation (AC-5.6, AC-5.7). It lowers the rating, and a failed rally
test prevents aiming and charging. Cryo prevents an activation that is still to come (AC-6). The share of an attack that
is left is the ratio of the mean hits of a die at the lower rating to those at the usual rating.
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
from analyser.rules.house_rules import faces_of, packed_die

_COLUMNS = ("mean_share_lost", "attacker_share_lost", "p_suppressed", "p_activated")
STILL_TO_ACT = 0.5  # probability that a unit has yet to be activated when the other acts: either may be first


class Act(NamedTuple):
    """An act of each loadout (row) on each other loadout (column).

    Attributes
    ----------
    lost, own : ndarray
        Mean share lost by the other, NaN where the act is impossible; mean share lost by the acting loadout.
    suppresses, activates : ndarray
        Probability that the act suppresses the other; probability that it takes the other's activation (Cryo).
    rallied, shaken : ndarray
        Share of the act left under suppression after a passed rally test; after a failed one.
    reach : ndarray
        Range of the row used, in inches; 0 for an act without a shot.
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

    Attributes
    ----------
    free : ndarray
        Losses without the effect of suppression.
    held : ndarray
        Losses with the effect of the other's act on each act.
    shot : ndarray
        The part of `free` that shots cause.
    """

    free: Array
    held: Array
    shot: Array


def hits_of_a_die(die: Die) -> dict[Rating, float]:
    """Return the mean hits of a die of the pool by rating, including rerolls and explosions (AC-3.3, AC-3.4, AC-3.6).

    >>> found = hits_of_a_die(Die(heroic=1, strike=2, glancing=1, miss=1, blank=1))
    >>> [round(36 * found[each], 9) for each in Rating]
    [28.0, 32.666666667, 37.333333333]
    """
    chances = np.array(die.faces) / die.sides
    result = {}
    for rating in Rating:
        faces = faces_of(packed_die(die), rating)
        hits = [
            faces.heroic_hits * (faces.heroic >> face & 1) + faces.strike_hits * (faces.strike >> face & 1)
            for face in Face
        ]
        rerolled, explodes = ([mask >> face & 1 for face in Face] for mask in (faces.rerolled, faces.exploding))
        mean, lost = float(chances @ hits), float(chances * hits @ rerolled)
        result[rating] = (mean * (1 + float(chances @ rerolled)) - lost) * (1 + float(chances @ explodes))
    return result


def p_rallies(unit: Unit, deck: Deck) -> float:
    """Return the probability to pass a rally test (AC-5.1, AC-5.6): 1 for a unit that takes none or passes all."""
    if unit.discipline is None or unit.has("Automata", "Irrepressible", "Hot Headed"):
        return 1.0
    return sum(copies for value, copies in deck.copies.items() if value <= unit.discipline) / sum(deck.copies.values())


def acts_of(
    frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation], ruleset: Ruleset
) -> tuple[dict[str, Act], NDArray[np.bool_]]:
    """Return the acts of every loadout on every other by situation, and a mask of pairs that can attack each other."""
    names = [loadout.selector for loadout in loadouts]
    rows, columns = (name_indices(frame[side], names) for side in ("attacker", "defender"))
    of_situation = name_indices(frame["situation"], [situation.name for situation in situations])
    both = (rows >= 0) & (columns >= 0)
    codes, used = pd.factorize(frame["row"])
    columns_of = {
        # 0 for frames of earlier versions
        name: frame[name].to_numpy(np.float64) if name in frame else np.zeros(len(frame))
        for name in _COLUMNS
    }
    hits = hits_of_a_die(ruleset.die)
    acts, attacks = {}, np.zeros((len(names), len(names)), np.bool_)
    for number, situation in enumerate(situations):
        there = both & (of_situation == number)
        at, to = rows[there], columns[there]
        attacks[at, to] = True
        tables = np.full((len(_COLUMNS), *attacks.shape), np.nan)
        for table, column in zip(tables, columns_of.values()):
            table[at, to] = column[there]
        rows_used = np.full(attacks.shape, -1)
        rows_used[at, to] = codes[there]
        left = (
            _left_of_shots(loadouts, rows_used, used.tolist(), situation, hits)
            if situation.kind == "ranged"
            else (*_left_of_charges(loadouts, hits), np.zeros(attacks.shape))
        )
        own, suppresses, activates = np.nan_to_num(tables[1:])
        acts[situation.name] = Act(tables[0], own, suppresses, activates, *left)
    return acts, attacks & attacks.T


def _left_of_shots(
    loadouts: Sequence[Loadout],
    rows: NDArray[np.int64],
    names: Sequence[str],
    situation: Situation,
    hits: dict[Rating, float],
) -> tuple[Array, Array, Array]:
    """Return the shares left of shots with these rows (indices into `names`, -1 for none), and their ranges.

    Suppression is a penalty (AC-4.2), and a failed rally test prevents aiming (AC-5.6).
    """
    places = {name: place for place, name in enumerate(names)}
    facts = np.zeros((len(loadouts), len(names) + 1, 3))  # the last entry stands for no row
    for mine, loadout in zip(facts, loadouts):
        for row in loadout.unit.rows:
            if row.id in places:
                mine[places[row.id]] = *_advantage(row, situation), row.long_range or 0.0
    advantage, sees, reach = np.moveaxis(facts[np.arange(len(loadouts))[:, None], rows], -1, 0)
    advantage = advantage.astype(np.int64)
    hidden = np.array([loadout.unit.has("Shrouded", "Obfuscating") for loadout in loadouts], np.bool_)
    before = advantage - (hidden[None, :] & (sees == 0))
    after = before - ("suppressed" not in situation.penalties)
    return _left(before, after, hits), _left(before, after - ("aiming" in situation.bonuses), hits), reach


def _advantage(row: Row, situation: Situation) -> tuple[int, bool]:
    """Return the bonuses less the penalties of a shot (AC-4.2), and True if it ignores concealment (Torrent)."""
    attack = situation.attack(row)
    near = situation.distance is not None and row.short_range is not None and situation.distance <= row.short_range
    return len(attack.bonuses) + near - len(attack.penalties), row.has("Torrent")


def _left_of_charges(loadouts: Sequence[Loadout], hits: dict[Rating, float]) -> tuple[Array, Array]:
    """Return the shares left of charges: suppression is a penalty (AC-8.2), and a charge needs a rally (AC-5.6)."""
    units = [loadout.unit for loadout in loadouts]
    infantry, overwhelmed = (
        np.array([unit.type in types for unit in units], np.bool_) for types in (("infantry",), INFANTRY_OVERWHELMS)
    )
    onslaught = np.array([unit.has("Onslaught") for unit in units], np.int64)
    before = onslaught[:, None] + (infantry[:, None] & overwhelmed[None, :])
    return _left(before, before - 1, hits), np.zeros(before.shape)


def _left(before: NDArray[np.int64], after: NDArray[np.int64], hits: dict[Rating, float]) -> Array:
    """Return the ratio of the hits of a die at two advantages (AC-3.1); 1 where the die has no hits."""
    by_rating = np.array([hits[rating] for rating in Rating])
    mean = [by_rating[1 + np.sign(change)] for change in (after, before)]
    left: Array = np.divide(mean[0], mean[1], out=np.ones(before.shape), where=mean[1] > 0)
    return left


class _Chosen(NamedTuple):
    """Losses of each pair, unsuppressed and suppressed, and the effect on the other's next activation."""

    lost: Array
    own: Array
    lost_suppressed: Array
    own_suppressed: Array
    suppresses: Array
    activates: Array
    shot: Array  # the part of `lost` from shooting


def mean_losses(acts: Sequence[Act], rallies: Array) -> Losses | None:
    """Return the losses if each loadout takes every act equally often; None without acts."""
    if not acts:
        return None

    def only(lost: Array, _: Array) -> NDArray[np.int64]:
        return np.zeros(lost.shape[1:], np.int64)

    each_way = [_choose([act], rallies, only) for act in acts]
    return _both(_Chosen(*(np.mean(figures, axis=0) for figures in zip(*each_way))))


def best_losses(acts: Sequence[Act], rallies: Array, points: Array) -> Losses | None:
    """Return the losses if each loadout takes its best act at these points; None without acts."""
    if not acts:
        return None

    def best(lost: Array, own: Array) -> NDArray[np.int64]:
        gains = lost * points[None, :] - own * points[:, None]
        return np.asarray(np.where(np.isnan(gains), -np.inf, gains).argmax(axis=0), np.int64)

    return _both(_choose(acts, rallies, best))


def _choose(acts: Sequence[Act], rallies: Array, best: Callable[[Array, Array], NDArray[np.int64]]) -> _Chosen:
    """Return the best act and the best act after a failed rally; `rallies` is the probability that each row rallies."""
    lost, own = (np.array([getattr(act, name) for act in acts]) for name in ("lost", "own"))
    shaken, rallied = (np.array([getattr(act, name) for act in acts]) for name in ("shaken", "rallied"))
    first, then = best(lost, own), best(np.where(shaken > 0, lost * shaken, np.nan), own)

    def of(choice: NDArray[np.int64], figures: Array) -> Array:
        return np.asarray(np.nan_to_num(np.take_along_axis(figures, choice[None], 0)[0]), np.float64)

    p = rallies[:, None]
    return _Chosen(
        of(first, lost),
        of(first, own),
        p * of(first, lost * rallied) + (1 - p) * of(then, lost * shaken),
        p * of(first, own),  # only charges have own losses, and they need a rally
        of(first, np.array([act.suppresses for act in acts])),
        of(first, np.array([act.activates for act in acts])),
        of(first, lost * np.array([act.reach > 0 for act in acts])),
    )


def _both(act: _Chosen) -> Losses:
    """Return the losses of both sides, including the effect of the defender's act on the attacker.

    The unit that acts next was the target before. Cryo takes its activation, or suppresses it if it has already acted.
    """
    prevented = STILL_TO_ACT * act.activates.T
    suppressed = act.suppresses.T + (1 - STILL_TO_ACT) * act.activates.T
    as_it_likes = 1 - suppressed - prevented
    lost = as_it_likes * act.lost + suppressed * act.lost_suppressed
    own = as_it_likes * act.own + suppressed * act.own_suppressed
    return Losses(act.lost + act.own.T, lost + own.T, act.shot)
