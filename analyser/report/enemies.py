"""Enemies of units on the page of a report: winners of duels, and points destroyed per 100 points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.matchups import Matchups
from analyser.analysis.mutual_losses import Exchange, exchange_of
from analyser.analysis.pricing import Array
from analyser.game.units import unit_of

STEPS = 1000  # probabilities are stored in tenths of a percent


class Trades(NamedTuple):
    """Points that each destroys of each other per 100 of its own while both act once; NaN if they do not meet."""

    names: list[str]
    destroyed: Array


def trades_of(answer: Matchups) -> tuple[Trades, Trades]:
    """Return the trades of units (means over their levels), and of factions (means over their units)."""
    exchange = exchange_of(answer.frame, answer.attackers, answer.situations, answer.ruleset)
    units = [unit_of(loadout.selector) for loadout in exchange.loadouts]
    between_units = _means(_points_for_points(exchange), units)
    return between_units, _means(between_units.destroyed, [name.partition("/")[0] for name in between_units.names])


def _points_for_points(exchange: Exchange) -> Array:
    points = exchange.points
    destroyed = 100 * exchange.mean() * points[None, :] / points[:, None]
    return np.where(exchange.meets, destroyed, np.nan)


def _means(figures: Array, groups: Sequence[str]) -> Trades:
    """Return the means of a square table over groups of its rows and columns."""
    member, names = pd.factorize(pd.Series(groups))
    belongs: NDArray[np.float64] = np.equal.outer(np.arange(len(names)), member).astype(np.float64)
    sums = belongs @ np.nan_to_num(figures) @ belongs.T
    counts = belongs @ ~np.isnan(figures) @ belongs.T
    return Trades(list(names), np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))


def wins_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the probability that the unit of a row beats that of a column in a duel; NaN if they fight none.

    Means over the levels of both, and over both directions if the table has them: each loadout then begins one duel.
    """
    duels = frame.loc[frame["p_attacker_wins"].notna(), ["attacker", "defender", "p_attacker_wins", "p_draw"]]
    p_defender_wins = 1 - duels["p_attacker_wins"] - duels["p_draw"]
    begins = pd.DataFrame({"one": duels["attacker"], "other": duels["defender"], "wins": duels["p_attacker_wins"]})
    waits = pd.DataFrame({"one": duels["defender"], "other": duels["attacker"], "wins": p_defender_wins})
    both = pd.concat([begins, waits]).groupby(["one", "other"], sort=False)["wins"].mean().reset_index()
    both = both.assign(one=both["one"].map(unit_of), other=both["other"].map(unit_of))
    return both.groupby(["one", "other"], sort=False)["wins"].mean().unstack()


def enemies_data(units: Sequence[str], wins: pd.DataFrame, trades: Trades | None) -> dict[str, Any]:
    """Return square tables over `units` for the scripts of a page; None on the diagonal and for units that do not meet.

    Returns
    -------
    dict
        `wins`: probability, in tenths of a percent, that the unit of the row beats that of the column. `destroys`:
        points of the column's unit destroyed per 100 points of the row's unit.
    """
    destroys = pd.DataFrame() if trades is None else pd.DataFrame(trades.destroyed, trades.names, trades.names)
    tables = {"wins": (STEPS * wins).round(), "destroys": destroys.round(1)}
    return {name: _square(table, units) for name, table in tables.items()}


def _square(table: pd.DataFrame, units: Sequence[str]) -> list[list[float | None]]:
    values = table.reindex(index=list(units), columns=list(units)).to_numpy(np.float64, copy=True)
    np.fill_diagonal(values, np.nan)
    return [[None if np.isnan(value) else value for value in row] for row in values.tolist()]
