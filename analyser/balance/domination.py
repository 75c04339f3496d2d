"""Loadouts that another one of their faction is better than in everything that the table shows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

DONE = ("expected_points_destroyed", "p_suppressed", "p_annihilated")  # to its targets: more is better
SUFFERED = ("mean_models_destroyed", "p_suppressed", "p_annihilated")  # from its attackers: less is better
SAME_WITHIN = 1e-9


def dominated(frame: pd.DataFrame) -> pd.DataFrame:
    """Loadouts for which another of the same faction costs no more and does at least as well in every matchup.

    As well means, on every target in every situation, in :data:`DONE`; where both loadouts are also defenders of the
    table, from every attacker also in :data:`SUFFERED`, models being counted as a share of the unit's. In something,
    points or a figure, the other is strictly better. Loadouts that do least of all in everything are not
    named: they are there for something else.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.comparisons.matchups.matchups`.

    Returns
    -------
    DataFrame
        `attacker`, `by` (the cheapest of those that dominate it, of equals the first), `points_saved`, and `counts`:
        ``"attack"``, or ``"attack and defence"``.
    """
    sides = frame.drop_duplicates("attacker").dropna(subset=["attacker_points"])
    points = dict(zip(sides["attacker"], sides["attacker_points"].astype(int)))
    factions: dict[str, list[str]] = {}
    for name in points:
        factions.setdefault(name.partition("/")[0], []).append(name)
    found = [row for names in factions.values() for row in _within(frame, names, points)]
    return pd.DataFrame(found, columns=["attacker", "by", "points_saved", "counts"])


def _within(frame: pd.DataFrame, names: list[str], points: dict[str, int]) -> list[tuple[str, str, int, str]]:
    """The dominated ones of a faction."""
    suffer = set(names) <= set(frame["defender"])
    figures = np.hstack([_done(frame, names), -_suffered(frame, names)] if suffer else [_done(frame, names)])
    prices = np.array([points[name] for name in names])
    found = []
    for place, name in enumerate(names):
        as_good = (figures >= figures[place] - SAME_WITHIN).all(axis=1) & (prices <= prices[place])
        better = (figures > figures[place] + SAME_WITHIN).any(axis=1) | (prices < prices[place])
        those = np.flatnonzero(as_good & better)
        if len(those) and (figures[place] != figures.min(axis=0)).any():
            best = those[np.argmin(prices[those])]
            counts = "attack and defence" if suffer else "attack"
            found.append((name, names[best], int(prices[place] - prices[best]), counts))
    return found


def _done(frame: pd.DataFrame, names: list[str]) -> NDArray[np.float64]:
    """Every figure of every matchup as an attacker; an attack that cannot be made does nothing."""
    part = frame[frame["attacker"].isin(names)]
    return _wide(part, "attacker", "defender", DONE, names)


def _suffered(frame: pd.DataFrame, names: list[str]) -> NDArray[np.float64]:
    part = frame[frame["defender"].isin(names)]
    share = part["mean_models_destroyed"] / part["defender_models"].astype(float)
    return _wide(part.assign(mean_models_destroyed=share), "defender", "attacker", SUFFERED, names)


def _wide(
    frame: pd.DataFrame, side: str, other: str, figures: tuple[str, ...], names: list[str]
) -> NDArray[np.float64]:
    table = frame.pivot(index=side, columns=[other, "situation"], values=list(figures)).reindex(names)
    return table.fillna(0.0).to_numpy(np.float64)
