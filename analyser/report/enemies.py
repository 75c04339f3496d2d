"""Opponents of a unit on the cards of a report: results of duels, and trades for points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.exchange import Exchange, exchange_of
from analyser.analysis.matchups import Matchups
from analyser.analysis.pricing import Array
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.game.units import unit_of

MOST_RIVALS = 5
STEPS = 1000  # a chance is carried as so many tenths of a percent
_NEXT_TO_NOTHING = 0.05  # points destroyed for 100 points; fewer do not count


class Trades(NamedTuple):
    """Points that each destroys of each other for 100 of its own while both act once; NaN if they do not meet."""

    names: list[str]
    destroyed: Array


class Rival(NamedTuple):
    """An enemy, the points that it destroys of a unit for 100 of its own, and those that it loses to 100 of the unit's.

    Each acts once.
    """

    unit: str
    destroys: float
    loses: float

    @property
    def ahead(self) -> float:
        """By how much the enemy comes out ahead: the difference of what is printed, to a tenth."""
        return round(self.destroys, 1) - round(self.loses, 1)


class Enemy(NamedTuple):
    """An enemy in duels: its chances to win and to lose, means over the levels of both.

    `beaten` has by level of the unit the levels of the enemy that beat it, each with its chance to win; `pairs` counts
    the pairs of levels that fight. A unit that wins more than half of the duels beats the other; the rest may be draws.
    """

    unit: str
    wins: float
    loses: float
    beaten: dict[str, list[tuple[str, float]]]
    pairs: int

    @property
    def beats(self) -> bool:
        """Return True if it beats the unit overall."""
        return _beats(self.wins)

    @property
    def is_ahead(self) -> bool:
        """Return True if it does not beat the unit, but wins more often than it loses."""
        return not self.beats and self.wins > self.loses + CERTAIN_WITHIN

    @property
    def at_some_levels(self) -> bool:
        """Return True if it neither beats the unit overall nor is ahead, but beats it at some levels."""
        return bool(self.beaten) and not (self.beats or self.is_ahead)

    @property
    def n_won(self) -> int:
        """In how many pairs of levels it beats the unit."""
        return sum(map(len, self.beaten.values()))


def _beats(wins: float) -> bool:
    return wins > 0.5 + CERTAIN_WITHIN


def trades_of(found: Matchups) -> tuple[Trades, Trades]:
    """The exchanges of a comparison: of units, means over their levels, and of factions, means over their units."""
    exchange = exchange_of(found.frame, found.attackers, found.situations, found.ruleset)
    units = [unit_of(each.selector) for each in exchange.loadouts]
    between_units = _means(_points_for_points(exchange), units)
    return between_units, _means(between_units.destroyed, [each.partition("/")[0] for each in between_units.names])


def _points_for_points(exchange: Exchange) -> Array:
    points = exchange.points
    destroyed = 100 * exchange.mean() * points[None, :] / points[:, None]
    return np.where(exchange.met, destroyed, np.nan)


def _means(figures: Array, groups: Sequence[str]) -> Trades:
    """The means of a square table over groups of its rows and columns."""
    member, names = pd.factorize(pd.Series(groups))
    belongs: NDArray[np.float64] = np.equal.outer(np.arange(len(names)), member).astype(np.float64)
    sums = belongs @ np.nan_to_num(figures) @ belongs.T
    counts = belongs @ ~np.isnan(figures) @ belongs.T
    return Trades(list(names), np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))


def rivals_of(trades: Trades) -> dict[str, tuple[list[Rival], list[Rival]]]:
    """By unit the enemies that come out farthest ahead of it, and farthest behind, points for points."""
    found = {}
    for at, unit in enumerate(trades.names):
        met = np.flatnonzero(~np.isnan(trades.destroyed[:, at]) & (np.arange(len(trades.names)) != at))
        rivals = [
            Rival(trades.names[to], float(trades.destroyed[to, at]), float(trades.destroyed[at, to])) for to in met
        ]
        rivals.sort(key=lambda each: -each.ahead)
        ahead = [each for each in rivals if each.ahead >= _NEXT_TO_NOTHING]
        behind = [each for each in rivals[::-1] if each.ahead <= -_NEXT_TO_NOTHING]
        found[unit] = ahead[:MOST_RIVALS], behind[:MOST_RIVALS]
    return found


def enemies_of(frame: pd.DataFrame) -> dict[str, list[Enemy]]:
    """By unit all enemies that it fights duels with, those that win most often first.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.matchups`. Of two loadouts each begins one of two duels, if both directions are there; a
        unit is not its own enemy.
    """
    chances: dict[tuple[str, str], list[tuple[float, float]]] = {}
    beaten: dict[tuple[str, str], dict[str, list[tuple[str, float]]]] = {}
    for loadout, enemy, wins, loses in _duels(frame).itertuples(index=False, name=None):
        (unit, _, level), (other, _, its_level) = (each.partition("@") for each in (loadout, enemy))
        if unit == other:
            continue
        chances.setdefault((unit, other), []).append((wins, loses))
        if _beats(wins):
            beaten.setdefault((unit, other), {}).setdefault(level, []).append((its_level, wins))
    found: dict[str, list[Enemy]] = {}
    for (unit, other), each in chances.items():
        wins, loses = (sum(column) / len(each) for column in zip(*each))
        found.setdefault(unit, []).append(Enemy(other, wins, loses, beaten.get((unit, other), {}), len(each)))
    return {unit: sorted(each, key=lambda enemy: (-enemy.wins, enemy.loses)) for unit, each in found.items()}


def _duels(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each loadout and each enemy of it: the enemy's probabilities to win and to lose, over both orders."""
    duels = frame.loc[frame["p_attacker_wins"].notna(), ["attacker", "defender", "p_attacker_wins", "p_draw"]]
    p_defender_wins = 1 - duels["p_attacker_wins"] - duels["p_draw"]
    begins = {"loadout": duels["defender"], "enemy": duels["attacker"]}
    waits = {"loadout": duels["attacker"], "enemy": duels["defender"]}
    both = [
        pd.DataFrame({**begins, "wins": duels["p_attacker_wins"], "loses": p_defender_wins}),
        pd.DataFrame({**waits, "wins": p_defender_wins, "loses": duels["p_attacker_wins"]}),
    ]
    return pd.concat(both).groupby(["loadout", "enemy"], sort=False).mean().reset_index()


def enemies_data(units: Iterable[str], enemies: Mapping[str, Sequence[Enemy]], trades: Trades | None) -> dict[str, Any]:
    """Return the figures of all `units` for the scripts of a page: square tables, None if two do not meet.

    Returns
    -------
    dict
        `units`; `wins`, the probability that the row's unit beats the column's, in tenths of a percent; `won` and
        `pairs`, the number of pairs of levels in which it does, and of all; `destroys`, points that 100 points of the
        row's unit destroy of the column's.
    """
    names = list(units)
    place = {name: at for at, name in enumerate(names)}
    tables: dict[str, list[list[float | int | None]]] = {
        key: [[None] * len(names) for _ in names] for key in ("wins", "won", "pairs", "destroys")
    }
    for unit, each in enemies.items():
        for enemy in each:
            row, column = place[enemy.unit], place[unit]
            tables["wins"][row][column] = round(STEPS * enemy.wins)
            tables["won"][row][column], tables["pairs"][row][column] = enemy.n_won, enemy.pairs
    if trades is not None:
        for one, row_name in enumerate(trades.names):
            for other, column_name in enumerate(trades.names):
                if one != other and not np.isnan(destroyed := trades.destroyed[one, other]):
                    tables["destroys"][place[row_name]][place[column_name]] = round(float(destroyed), 1)
    return {"units": names, **tables}
