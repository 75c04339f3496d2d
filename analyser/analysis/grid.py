"""What attackers do to defenders in one situation, as arrays; and the field that they meet on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyser.engine.attack.sweep import HIGH, LOW, SUMMARY, percentile
from analyser.engine.fight.exact.distribution import Joint
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.results import states
from analyser.rules.structs import CATEGORIES
from analyser.scenarios.resolve import resolve_combatant
from analyser.scenarios.schema import Combatant, Target

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation


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
        The probabilities that the attacker wins and that nobody does; NaN but in a duel.
    """

    figures: NDArray[np.void]
    rows: NDArray[Any]
    dice: NDArray[Any]
    why_not: NDArray[Any]
    results: NDArray[np.float64]


class Fight(NamedTuple):
    """A kind of fight that situations can be of.

    Attributes
    ----------
    cells : callable
        What some attackers do to every defender.
    occasion : str
        As the glossary of keywords calls it.
    cost : int
        Microseconds of a typical machine for one pair. Only proportions count, for the time that is left.
    how : str
        What the figures are of, for people; empty: the situation's bonuses, penalties and distance say it.
    has_winner : bool
        Whether it has `p_attacker_wins` and `p_draw`.
    """

    cells: Callable[[Sequence[Loadout], Field, Situation], Cells]
    occasion: str
    cost: int
    how: str = ""
    has_winner: bool = False


def no_results(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The results of fights that nobody wins."""
    return np.full((*shape, 2), np.nan)


def one_above_the_other(parts: Sequence[Cells]) -> Cells:
    """The cells of some attackers, and below them those of others."""
    return Cells(*(np.concatenate(arrays) for arrays in zip(*parts)))


SideT = TypeVar("SideT")


class Fought(NamedTuple):
    """What one fight came to: the attacker's row, the figures, the probabilities that it wins and that nobody does."""

    row: str | None
    figures: np.void
    results: tuple[float, float] = (np.nan, np.nan)


def fought_cells(attackers: Sequence[SideT], field: Field, fight: Callable[[SideT, Combatant], Fought | str]) -> Cells:
    """The cells of a kind of fight; both sides roll in it, so that no number of dice is given.

    Parameters
    ----------
    attackers : sequence
    field : Field
    fight : callable
        What one attacker comes to against one defender; or why they cannot fight.
    """
    shape = (len(attackers), len(field.defenders))
    figures = np.full(shape, np.nan).astype(SUMMARY)
    rows, dice, why = (np.full(shape, None, object) for _ in range(3))
    results = no_results(shape)

    def fought(pair: tuple[SideT, Combatant]) -> Fought | str:
        return fight(*pair)

    alone = field.threads == 1  # then a pool would cost a third of a charge
    with nullcontext() if alone else ThreadPoolExecutor(field.threads) as pool:  # the kernel lets go of the interpreter
        for place, found in enumerate((pool.map if pool else map)(fought, product(attackers, field.combatants))):
            at = divmod(place, shape[1])
            if isinstance(found, Fought):
                rows[at], figures[at], results[at] = found
            else:
                why[at] = found
    return Cells(figures, rows, dice, why, results)


def side_of(loadout: Loadout) -> Combatant:
    """A loadout as a side of a longer fight, met from its front."""
    asked = Combatant(unit=loadout.selector, from_front=True)
    return resolve_combatant(asked, None, loadout.selector, loadout)


def summary(law: Joint, defender: Combatant) -> np.void:
    """The figures of the defender, side 1 of the fight: one record of SUMMARY."""
    words, chances = law.second, law.probabilities.sum(axis=0)
    models, limit = defender.models or 0, defender.damage_limit or 1
    destroyed = states.models_destroyed(words, models)
    counts: NDArray[np.float64] = np.bincount(destroyed, chances, models + 1).astype(np.float64)
    found: np.void = np.zeros(1, SUMMARY)[0]
    found["mean_models_destroyed"] = chances @ destroyed
    found["p_any_destroyed"] = counts[1:].sum()
    found["p_half_destroyed"] = counts[(models + 1) // 2 :].sum()
    for name in ("suppressed", "broken", "fled", "annihilated"):
        found[f"p_{name}"] = chances @ states.flag(words, name)
    found["models_destroyed_10th_percentile"] = percentile(counts, LOW)
    found["models_destroyed_90th_percentile"] = percentile(counts, HIGH)
    found["mean_damage"] = chances @ (destroyed * limit + states.damage(words))
    return found
