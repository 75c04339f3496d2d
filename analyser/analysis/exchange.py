"""What loadouts do to each other, as a game: of every pair the share of each that is lost while both act once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.pricing import Array, connected
from analyser.analysis.situations import Situation
from analyser.game.units import Loadout, unit_of

WAYS = ("ranged", "charge")
"""The kinds of situations that are one exchange; a duel is many of them, and is looked at by itself."""
NARROW = 5.0  # of the beta distributions of how often situations arise: 95% of the draws are from 21% to 79%


class Exchange(NamedTuple):
    """A game of loadouts.

    Attributes
    ----------
    loadouts : tuple of Loadout
        Those that have a price and that everyone can reach, directly or through others, and be reached by.
    ways : tuple of tuple of int
        The places of the situations by kind: those of shooting, those of close quarters.
    losses : ndarray
        Shape (situations, n, n): ``[s, i, j]`` is the mean share of j that is lost to i while each acts once.
    met : ndarray
        Whether two of them meet.
    left_out : dict of str to str
        Why each loadout that is not in the game is not.
    """

    loadouts: tuple[Loadout, ...]
    ways: tuple[tuple[int, ...], ...]
    losses: Array
    met: NDArray[np.bool_]
    left_out: dict[str, str]

    @property
    def units(self) -> NDArray[np.int64]:
        """The place of each loadout's unit among the units."""
        return np.asarray(pd.factorize(pd.Series([unit_of(each.selector) for each in self.loadouts]))[0], np.int64)

    @property
    def points(self) -> Array:
        """What each costs."""
        return np.array([each.level.points for each in self.loadouts], np.float64)

    @property
    def evenly(self) -> Array:
        """How often each is met where all units are met as often, and all levels of a unit: adds up to 1."""
        units = self.units
        shares: Array = 1.0 / np.bincount(units)[units]
        return np.asarray(shares / shares.sum(), np.float64)

    def mean(self, weights: Array | None = None) -> Array:
        """The losses as a mean over situations; default: shooting and close quarters count the same."""
        return np.asarray(np.tensordot(self.usual_weights if weights is None else weights, self.losses, 1), np.float64)

    @property
    def usual_weights(self) -> Array:
        """How often each situation arises: each kind as often as the other, and each situation of a kind."""
        weights = np.zeros(len(self.losses))
        for way in self.ways:
            weights[list(way)] = 1 / (len(self.ways) * len(way))
        return weights

    def fields(self, field: Array, draws: int, seed: int) -> Iterator[tuple[Array, Array]]:
        """Fields and weights of situations that might as well be met.

        Units have other shares in the field (the Bayesian bootstrap, Rubin 1981), and each kind of situation, and each
        situation of a kind, arises more or less often (a beta, or Dirichlet, distribution about the usual).
        """
        generator, units = np.random.default_rng(seed), self.units
        for _ in range(draws):
            shares = field * generator.dirichlet(np.ones(units.max() + 1))[units]
            weights = np.zeros(len(self.losses))
            for way, often in zip(self.ways, generator.dirichlet(np.full(len(self.ways), NARROW))):
                weights[list(way)] = often * generator.dirichlet(np.full(len(way), NARROW))
            yield shares / shares.sum(), weights


def exchange_of(frame: pd.DataFrame, loadouts: Sequence[Loadout], situations: Sequence[Situation]) -> Exchange:
    """The game of a table of :func:`analyser.matchups` in which both sides attack each other.

    Situations that are no exchange (:data:`WAYS`) are left out.
    """
    kinds = [[each.name for each in situations if each.kind == way] for way in WAYS]
    names = [name for way in kinds for name in way]
    left_out: dict[str, str] = {}
    both = set(frame["attacker"]) & set(frame["defender"])
    for each in loadouts:
        if not each.level.points:
            left_out[each.selector] = "it costs no points" if each.level.points == 0 else "it has no points"
        elif each.selector not in both:
            left_out[each.selector] = "it is not both attacker and defender here"
    sides = [each for each in loadouts if each.selector not in left_out]
    losses, met = _matrices(frame, [each.selector for each in sides], names)
    alone = ~connected(losses.sum(axis=0)) if sides else np.zeros(0, np.bool_)
    left_out |= {
        sides[at].selector: _why_alone(losses[:, at].sum(), losses[:, :, at].sum()) for at in alone.nonzero()[0]
    }
    ends = np.cumsum([0, *map(len, kinds)])
    ways = tuple(tuple(range(first, last)) for first, last in pairwise(ends) if first < last)
    kept = np.flatnonzero(~alone)
    both_ways = np.ix_(kept, kept)
    return Exchange(tuple(sides[at] for at in kept), ways, losses[:, kept][:, :, kept], met[both_ways], left_out)


def _matrices(frame: pd.DataFrame, names: Sequence[str], situations: Sequence[str]) -> tuple[Array, NDArray[np.bool_]]:
    """Losses by situation, attacker and defender; and who meets whom."""
    places = pd.Index(names)
    losses = np.zeros((len(situations), len(names), len(names)))
    attacks = np.zeros((len(names), len(names)), np.bool_)
    for number, situation in enumerate(situations):
        part = frame[frame["situation"] == situation]
        rows, columns = (places.get_indexer(pd.Index(part[side])) for side in ("attacker", "defender"))
        known = (rows >= 0) & (columns >= 0)
        at, to = rows[known], columns[known]
        attacks[at, to] = True
        losses[number, at, to] += np.nan_to_num(part["mean_share_lost"].to_numpy(np.float64)[known])
        # What strikes back: the defender has done it to the attacker.
        losses[number, to, at] += np.nan_to_num(part["attacker_share_lost"].to_numpy(np.float64)[known])
    met = attacks & attacks.T
    return losses * met, met


def _why_alone(does: float, suffers: float) -> str:
    if does == 0 and suffers == 0:
        return "it neither hurts anybody here nor is hurt"
    return (
        "it hurts nobody here"
        if does == 0
        else "nobody here hurts it"
        if suffers == 0
        else "few here hurt it or are hurt"
    )
