"""Loadouts that another one of their faction is better than in everything that the table shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.balance.profile import has_besides
from analyser.units import Loadout

DONE = ("expected_points_destroyed", "p_stopped", "p_annihilated")  # to its targets: more is better
SUFFERED = ("mean_models_destroyed", "p_stopped", "p_annihilated")  # from its attackers: less is better
# To be stopped is to be suppressed or annihilated: who annihilates a unit does not suppress it, and has done more.
SAME_WITHIN = 1e-9


def dominated(frame: pd.DataFrame, attackers: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Loadouts for which another of the same faction costs no more and does at least as well in every matchup.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.comparisons.matchups.matchups`.
    attackers : sequence of Loadout
        Those of the table, so that profiles count too. Default: they do not.

    Returns
    -------
    DataFrame
        `attacker`, `by` (of those that dominate it, see :func:`dominations`, the one beside which it has least that
        the other has not; of these the cheapest, of equals the first), `points_saved`, `counts` and `has_besides`.
    """
    found = dominations(frame, attackers)
    rank = found["has_besides"].map(len), -found["points_saved"]
    first = found.assign(rank=rank[0], saved=rank[1]).sort_values(["rank", "saved"], kind="stable")
    best = first.drop_duplicates("attacker").drop(columns=["rank", "saved"]).sort_index()
    return best.assign(has_besides=best["has_besides"].map(", ".join)).reset_index(drop=True)


def dominations(frame: pd.DataFrame, attackers: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Every pair of loadouts of one faction of which the one dominates the other.

    It costs no more and does as well on every target in every situation, in :data:`DONE`; where both loadouts are also
    defenders of the table, from every attacker also in :data:`SUFFERED`, models being counted as a share of the unit's.
    In something, points or a figure, it is strictly better. Loadouts that do nothing at all are not named: they are
    there for something else. Nor is a pair whose profiles have different target categories.

    Parameters
    ----------
    frame, attackers
        As of :func:`dominated`.

    Returns
    -------
    DataFrame
        `attacker`, `by`, `points_saved`, `counts` (``"attack"``, or ``"attack and defence"``), and `has_besides`: a
        tuple of what the dominated one has on its profile and the other has not, empty where profiles are not given.
    """
    sides = frame.drop_duplicates("attacker").dropna(subset=["attacker_points"])
    points = dict(zip(sides["attacker"], sides["attacker_points"].astype(int)))
    factions: dict[str, list[str]] = {}
    for name in points:
        factions.setdefault(name.partition("/")[0], []).append(name)
    known = {each.selector: each for each in attackers}
    found: list[tuple[str, str, int, str, tuple[str, ...]]] = []
    for names in factions.values():
        for one, other, saved, counts in _within(frame, names, points):
            if one not in known or other not in known:
                found.append((one, other, saved, counts, ()))
            elif known[one].unit.category == known[other].unit.category:
                found.append((one, other, saved, counts, has_besides(known[one], known[other])))
    return pd.DataFrame(found, columns=["attacker", "by", "points_saved", "counts", "has_besides"])


def _within(frame: pd.DataFrame, names: list[str], points: dict[str, int]) -> list[tuple[str, str, int, str]]:
    """The pairs of a faction, cheapest first."""
    suffer = set(names) <= set(frame["defender"])
    counts = "attack and defence" if suffer else "attack"
    done = _done(frame, names)
    figures = np.hstack([done, -_suffered(frame, names)]) if suffer else done
    prices = np.array([points[name] for name in names])
    found = []
    for place, name in enumerate(names):
        as_good = (figures >= figures[place] - SAME_WITHIN).all(axis=1) & (prices <= prices[place])
        better = (figures > figures[place] + SAME_WITHIN).any(axis=1) | (prices < prices[place])
        if done[place].any():
            those = np.flatnonzero(as_good & better)
            found += [(name, names[each], int(prices[place] - prices[each]), counts) for each in those]
    return found


def _done(frame: pd.DataFrame, names: list[str]) -> NDArray[np.float64]:
    """Every figure of every matchup as an attacker; an attack that cannot be made does nothing."""
    part = _with_stopped(frame[frame["attacker"].isin(names)])
    return _wide(part, "attacker", "defender", DONE, names)


def _suffered(frame: pd.DataFrame, names: list[str]) -> NDArray[np.float64]:
    part = _with_stopped(frame[frame["defender"].isin(names)])
    share = part["mean_models_destroyed"] / part["defender_models"].astype(float)
    return _wide(part.assign(mean_models_destroyed=share), "defender", "attacker", SUFFERED, names)


def _with_stopped(part: pd.DataFrame) -> pd.DataFrame:
    return part.assign(p_stopped=part["p_suppressed"] + part["p_annihilated"])


def _wide(
    frame: pd.DataFrame, side: str, other: str, figures: tuple[str, ...], names: list[str]
) -> NDArray[np.float64]:
    table = frame.pivot(index=side, columns=[other, "situation"], values=list(figures)).reindex(names)
    return table.fillna(0.0).to_numpy(np.float64)
