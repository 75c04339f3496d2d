"""How a fight can stand: pairs of states of the two sides, weighed, and read as plain columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, check_integer
from analyser.common.estimates import Estimate, estimate, mean_figures, mean_of
from analyser.common.sampling import Sampling
from analyser.common.text import counted
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.game.ruleset import Ruleset
from analyser.results.attack import BIT_OF_FLAG
from analyser.results.base import Result, Weighed, share_columns
from analyser.rules import outcome, unit_state
from analyser.rules.activation import Order
from analyser.rules.structs import NONE
from analyser.scenarios.schema import Combatant, Target

if TYPE_CHECKING:
    from analyser.engine.fight.exact.distribution import Joint
    from analyser.engine.fight.sampled.simulation import Simulation

FATES = ("destroyed", "broken", "fled")
ALIVE = "alive"
CHARGE_RESULTS = ("won", "lost", "stalemate", "no_combat")

_BITS = BIT_OF_FLAG | {
    "on_lookout": unit_state.ON_LOOKOUT,
    "taking_cover": unit_state.TAKING_COVER,
    "reloading": unit_state.RELOADING,
}
_OF_THE_STANDING = {"suppressed", "disordered", "activated", "on_lookout", "taking_cover", "reloading"}


@dataclass(frozen=True)
class Endings:
    """The joint distribution of the two sides at one moment, or a sample of it.

    Attributes
    ----------
    first, second : int64 arrays, shape (n,)
        The states of side 0 and side 1, a pair an entry; read them with the functions of this module.
    weights : array, shape (n,)
        Chances (float64, exact), or how often each pair was seen (int64).
    trials : int or None
        Of a sample.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weights: NDArray[Any]
    trials: int | None = None

    @property
    def shares(self) -> NDArray[np.float64]:
        """The probability of each entry."""
        return np.asarray(self.weights, np.float64) if self.trials is None else self.weights / self.trials

    def chance(self, event: NDArray[np.bool_]) -> Estimate:
        """The probability of an event, given as a bool an entry."""
        return estimate(self.weights[event].sum(), self.trials)

    def mean(self, values: NDArray[Any]) -> tuple[float, float | None]:
        """The mean of a number, given an entry, and of a sample its standard error."""
        return mean_of(values, self.weights, self.trials)

    def percentile(self, values: NDArray[np.int64], share: float) -> int:
        """The least value that is reached or stayed below with probability `share`."""
        order = np.argsort(values, kind="stable")
        reached = np.cumsum(self.shares[order])
        place = min(int(np.searchsorted(reached, share - 1e-12)), len(order) - 1)
        return int(values[order[place]])

    def law(self, *columns: NDArray[Any]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        """The distinct rows of some columns in rising order, and the weight of each."""
        table = np.stack([np.asarray(each, np.int64) for each in columns])
        rows, place = np.unique(table, axis=1, return_inverse=True)
        weights = np.zeros(rows.shape[1], self.weights.dtype)
        np.add.at(weights, np.asarray(place).reshape(-1), self.weights)
        return list(rows), weights

    def table(self, columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The distribution of some columns by name: a row for each combination that is possible, or was seen.

        With `probability`; of a sample also `count`, `low` and `high`, its 95% interval.
        """
        values, weights = self.law(*columns.values())
        found = {
            name: each.astype(bool) if columns[name].dtype == bool else each for name, each in zip(columns, values)
        }
        return found | share_columns(weights, self.trials)

    def mean_figures(self, name: str, values: NDArray[Any]) -> dict[str, float]:
        """The mean of a number by name; of a sample its standard error beside it."""
        return mean_figures(name, *self.mean(values))


class FightResult(Result):
    """What a fight comes to, at one moment of it or at several."""

    moment_noun = "moment"
    sides: ClassVar[tuple[str, str]] = ("attacker", "target")

    @property
    @abstractmethod
    def _moments(self) -> tuple[Endings, ...]:
        """How both sides stand after each attack or round."""

    @abstractmethod
    def event(self, name: str, moment: int | None = None) -> NDArray[np.bool_]:
        """Whether `name`, one of :attr:`events`, holds at that moment, an entry an ending."""

    @property
    def units(self) -> tuple[Combatant, Combatant]:
        """The units of both :attr:`sides`, as resolved."""
        a, b = (getattr(self.scenario, side) for side in self.sides)
        return a, b

    def states_of(self, side: str, moment: int | None = None) -> NDArray[np.int64]:
        """The states of one of :attr:`sides` at that moment, an entry an ending."""
        ending = self.after(moment)
        return ending.first if side == self.sides[0] else ending.second

    def values(self, figure: str, moment: int | None = None) -> NDArray[np.int64]:
        """A figure at that moment, such as ``models_left`` with its side before it, an entry an ending."""
        side, _, what = figure.partition("_")
        return self._value(what, self.states_of(side, moment), self.units[self.sides.index(side)])

    def _value(self, what: str, words: NDArray[np.int64], unit: Target) -> NDArray[np.int64]:
        if what == "models_destroyed":
            return models_destroyed(words, unit.models or 0)
        return models_left(words) if what == "models_left" else damage(words)

    def after(self, moment: int | None = None) -> Endings:
        """How both sides stand after that attack or round, 1 or more. Default: the last.

        Raises
        ------
        InputError
            No such one.
        """
        if moment is None:
            return self._moments[-1]
        check_integer(moment, self.moment_noun, 1, len(self._moments))
        return self._moments[moment - 1]

    def _all_weights(self) -> list[NDArray[Any]]:
        found: list[NDArray[Any]] = [self.table()["count"]]
        for number, ending in enumerate(self._moments, start=1):
            found.append(ending.weights)
            found.append(np.array([self._event_weight(name, number) for name in self.events]))
            for figure in self.figures:
                _, weights = self._marginal(figure, number)
                found += [weights, np.cumsum(weights)]
        return found

    def _event_weight(self, name: str, moment: int | None) -> float:
        ending = self.after(moment)
        return float(ending.weights[self.event(name, moment)].sum())

    def _weighed(self, figure: str, moment: int | None) -> Weighed:
        ending = self.after(moment)
        return self.values(figure, moment), ending.weights


def endings_of(
    first: NDArray[np.int64], second: NDArray[np.int64], weights: NDArray[Any], trials: int | None = None
) -> Endings:
    """The pairs of states that can be, or were seen; `weights` are those of all pairs, shape (m, n)."""
    row, column = np.nonzero(weights)
    return Endings(first[row], second[column], weights[row, column], trials)


def is_removed(words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the unit is gone: destroyed, broken or fled (AC-5.9)."""
    return np.asarray((words & outcome.ANNIHILATED) != 0)


def models_left(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Models left; none of a unit that is gone."""
    return np.where(is_removed(words), 0, words & unit_state.MODELS_MASK)


def models_destroyed(words: NDArray[np.int64], models: int) -> NDArray[np.int64]:
    """Models that damage has destroyed, or that found no room, of `models` at the start."""
    lost = words >> outcome.MODELS_DESTROYED & unit_state.MODELS_MASK
    return np.where(is_removed(words), lost, models - (words & unit_state.MODELS_MASK))


def damage(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Damage on the unit; none on one that is gone."""
    return np.where(is_removed(words), 0, words >> outcome.DAMAGE & unit_state.MODELS_MASK)


def flag(words: NDArray[np.int64], name: str) -> NDArray[np.bool_]:
    """A status or a fate; a unit that is gone has no status."""
    found = (words & _BITS[name]) != 0
    return np.asarray(found & ~is_removed(words) if name in _OF_THE_STANDING else found)


def in_building(words: NDArray[np.int64], unit: Combatant) -> NDArray[np.bool_]:
    """Whether a garrison is still in its building."""
    return np.asarray(~is_removed(words) & ((words & unit_state.OUT_OF_BUILDING) == 0) & unit.garrisoned)


def has_fate(words: NDArray[np.int64], fate: str) -> NDArray[np.bool_]:
    """Whether the unit is ``alive``, ``destroyed``, ``broken`` or ``fled``: each unit is exactly one of them."""
    gone, broken, fled = is_removed(words), flag(words, "broken"), flag(words, "fled")
    return {ALIVE: ~gone, "broken": broken, "fled": fled, "destroyed": gone & ~broken & ~fled}[fate]


def orders(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """The :class:`~analyser.rules.activation.Order` of the unit."""
    return np.asarray(words >> unit_state.ORDERS & unit_state.ORDERS_MASK)


def wins(words: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Close quarters combats won, where they were counted, in so many bits."""
    return np.asarray(words >> unit_state.WINS & (1 << bits) - 1)


def wins_of_charge(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Combats won in one charge, with its Overrun, where they were counted."""
    return wins(words, unit_state.BITS_OF_WINS_IN_A_CHARGE)


def results_of_charge(attackers: NDArray[np.int64]) -> NDArray[np.str_]:
    """How a charge went for the attacker, one of :data:`CHARGE_RESULTS`; of an Overrun, its first combat.

    Wins must have been counted for everybody.
    """
    order = orders(attackers)
    kinds = [wins_of_charge(attackers) > 0, order == Order.LOST, order == Order.NO_ATTACK]
    return np.select(kinds, CHARGE_RESULTS[:3], CHARGE_RESULTS[3])


def points_won(
    mine: NDArray[np.int64], theirs: NDArray[np.int64], unit: Combatant, enemy: Combatant, bits: int
) -> NDArray[np.int64]:
    """VP of a side in a duel (AC-5.9; Hunter, AC-7), an entry an ending; a rating that is not known counts as 1.

    `bits`: those in which its wins were counted.
    """
    rating = 1 if enemy.victory_points is None else enemy.victory_points
    hunted = wins(mine, bits) if unit.has("Hunter") else 0
    return np.asarray(is_removed(theirs) * rating + hunted, np.int64)


def unit_name(unit: Combatant) -> str:
    """What an answer calls a unit."""
    return unit.unit or "a unit without a profile"


def unit_line(unit: Target) -> str:
    """A unit as a fight finds it, for a heading."""
    parts = [counted(unit.models or 0, "model"), f"DEFENCE {unit.defence}", f"DAMAGE LIMIT {unit.damage_limit}"]
    parts.append("no DISCIPLINE" if unit.discipline is None else f"DISCIPLINE {unit.discipline}")
    if unit.break_limit is not None:
        parts.append(f"BREAK LIMIT {unit.break_limit}")
    if unit.damage:
        parts.append(f"{unit.damage} damage carried")
    stated = ("suppressed", "disordered", "activated", "garrisoned", "taking_cover", "on_lookout", "reloading")
    parts += [name.replace("_", " ") for name in stated if getattr(unit, name, False)]
    if isinstance(unit, Combatant) and unit.passengers is not None:
        parts.append(f"{counted(unit.passengers.models or 0, 'model')} embarked")
    return ", ".join(parts)


MOST_STEPS = 5e7  # of an exact distribution: some seconds


_STATUSES = 4  # how many ways of standing with so many models and so much damage are common, where a fight goes on


_WAYS_APART = 1.5  # times the square of the rounds: in how many places two units stand that charge each other


def run(
    setup: Setup,
    programs: Sequence[Sequence[Operation]],
    start: tuple[int, int],
    ruleset: Ruleset,
    sampling: Sampling,
    simulation: Simulation | None = None,
) -> list[Endings]:
    """How the two sides stand after each of `programs`, one played after the other.

    Parameters
    ----------
    start : (int, int)
        The states of both sides before the first operation.
    simulation : Simulation, optional
        Of this very fight (:func:`simulation_of`), where it is played from many states.
    """
    if sampling.is_exact:
        return [endings_of(*law) for law in exact_laws_of(setup, programs, start, ruleset)]
    trials = sampling.first_trials()
    simulation = simulation or simulation_of(setup, programs, ruleset, replacement=sampling.replacement)
    played = simulation.play(start, trials, sampling.seed, sampling.n_threads, sampling.report)
    return [Endings(first, second, counts, trials) for first, second, counts in played]


def simulation_of(
    setup: Setup, programs: Sequence[Sequence[Operation]], ruleset: Ruleset, *, replacement: bool
) -> Simulation:
    """What plays `programs` by Monte Carlo, one after the other."""
    from analyser.engine.fight.sampled.simulation import Simulation

    return Simulation(setup, programs, np.array(ruleset.die.faces, np.int64), ruleset.deck.counts(), replacement)


def exact_laws_of(
    setup: Setup, programs: Sequence[Sequence[Operation]], start: tuple[int, int], ruleset: Ruleset
) -> list[Joint]:
    """The joint distribution of the two sides after each of `programs`, one played after the other.

    Raises
    ------
    InputError
        It would take minutes or gigabytes.
    """
    from analyser.engine.fight.exact.propagate import exact_distributions

    _check_size(setup, programs)
    return exact_distributions(setup, programs, start, np.array(ruleset.die.faces, np.int64), ruleset.deck.counts())


def _check_size(setup: Setup, programs: Sequence[Sequence[Operation]]) -> None:
    """Raise InputError if the exact distribution would take minutes or gigabytes."""
    kinds = [[operation[0] for operation in operations] for operations in programs]
    strikes = sum(each.count(Kind.STRIKE) for each in kinds)
    rounds = sum(each.count(Kind.END_ROUND) for each in kinds) // 2 or len(programs)
    units = setup["units"]
    standing = (units["models"].astype(np.float64) * units["damage_limit"]).tolist()
    pairs = standing[0] * standing[1] * (_STATUSES**2 if rounds > 1 else 1)
    sides = setup["sides"]
    if rounds > 1 and sides["charges"].all() and (sides["distance"] != NONE).all():
        pairs *= _WAYS_APART * rounds**2  # each charge, and each withdrawal, moves both
    steps = strikes * pairs * max(standing)
    if steps > MOST_STEPS:
        allowed = "fewer models or rounds, or the method monte-carlo"
        raise InputError(
            f"the exact distribution of this fight takes about {steps:.1g} steps", where="method", allowed=allowed
        )
