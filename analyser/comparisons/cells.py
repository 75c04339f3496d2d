"""What attackers do to defenders in one situation, as arrays; and the field that they meet on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.fights.combatant import Combatant
from analyser.rules.armoured_clash.facts import CATEGORIES
from analyser.ruleset import Ruleset
from analyser.scenario import Target
from analyser.units import Loadout


class Field(NamedTuple):
    """What is the same for every attacker.

    Attributes
    ----------
    defenders : tuple of Loadout
    targets : tuple of Target
        The defenders as resolved targets.
    combatants : tuple of Combatant
        The defenders as sides of longer fights.
    ruleset : Ruleset
    row : str or None
        The row that was asked for; None: the best one.
    threads : int
    """

    defenders: tuple[Loadout, ...]
    targets: tuple[Target, ...]
    combatants: tuple[Combatant, ...]
    ruleset: Ruleset
    row: str | None
    threads: int

    @property
    def categories(self) -> NDArray[np.int64]:
        """The category of each target, as a place in CATEGORIES."""
        return np.array([CATEGORIES.index(each.category or "light") for each in self.targets])


class Cells(NamedTuple):
    """What some attackers do to every defender in one situation: arrays of shape (attackers, defenders).

    Attributes
    ----------
    figures : array of SUMMARY
        NaN where they cannot fight.
    rows, dice : object arrays
        The row that is used and the dice it rolls; None where they cannot fight.
    why_not : object array
        Why they cannot fight; None where they can.
    results : float64 array, shape (attackers, defenders, 2)
        The chances that the attacker wins and that nobody does; NaN but in a duel.
    """

    figures: NDArray[np.void]
    rows: NDArray[Any]
    dice: NDArray[Any]
    why_not: NDArray[Any]
    results: NDArray[np.float64]


def no_results(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The results of fights that nobody wins."""
    return np.full((*shape, 2), np.nan)


def one_above_the_other(parts: Sequence[Cells]) -> Cells:
    """The cells of some attackers, and below them those of others."""
    return Cells(*(np.concatenate(arrays) for arrays in zip(*parts)))
