"""Joint distribution of both sides' states in a charge, focus fire or a duel: computation, and columns read from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, check_integer
from analyser.common.means import values_of_unit
from analyser.common.method_settings import Sampling
from analyser.engine.fight.program import Kind, Operation, Pair, Setup
from analyser.game.ruleset import Ruleset
from analyser.results.base import Result, WeightedValues
from analyser.rules import discipline, unit_state
from analyser.rules.structs import NONE
from analyser.scenarios.schema import Combatant, Target

if TYPE_CHECKING:
    from analyser.engine.fight.exact.distribution import Joint
    from analyser.engine.fight.simulated.plan_lookup import Choices
    from analyser.engine.fight.simulated.simulation import Simulation
    from analyser.scenarios.load import AnyScenario


FATES = ("destroyed", "broken", "fled")
ALIVE = "alive"
States = NDArray[np.int64]

FLAGS = ("suppressed", "disordered", "fell_back", "broken", "fled", "annihilated")
BIT_OF_FLAG: dict[str, int] = {name: getattr(discipline, name.upper()) for name in (*FLAGS, "activated")}
_ORDERED_STATUSES = ("on_lookout", "taking_cover", "reloading")
_BITS: dict[str, int] = BIT_OF_FLAG | {name: getattr(unit_state, name.upper()) for name in _ORDERED_STATUSES}
_STATUSES = {"suppressed", "disordered", "activated", *_ORDERED_STATUSES}


def is_removed(states: States) -> NDArray[np.bool_]:
    """Return True where the unit is gone: destroyed, broken or fled (AC-5.9)."""
    return np.asarray((states & discipline.ANNIHILATED) != 0)


def models_left(states: States) -> NDArray[np.int64]:
    """Return the models left; 0 for a removed unit."""
    return np.where(is_removed(states), 0, states & unit_state.MODELS_MASK)


def models_destroyed(states: States, models: int | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many of `models` were destroyed by damage or for lack of room (AC-5.5), but did not break or flee."""
    lost = states >> discipline.MODELS_DESTROYED & unit_state.MODELS_MASK
    return np.where(is_removed(states), lost, models - (states & unit_state.MODELS_MASK))


def damage(states: States) -> NDArray[np.int64]:
    """Return the damage on the unit; 0 for a removed unit."""
    return np.where(is_removed(states), 0, states >> discipline.DAMAGE & unit_state.MODELS_MASK)


def share_lost(
    states: States, models: int | NDArray[np.int64], damage_limit: int | NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the lost share of a unit: 1 if it is annihilated (AC-5.9), else damage divided by health (AC-3.8)."""
    total = models_destroyed(states, models) * damage_limit + damage(states)
    return np.asarray(np.where(is_removed(states), 1.0, total / (models * damage_limit)))


def flag(states: States, name: str) -> NDArray[np.bool_]:
    """Return True where a status or a fate is set; a removed unit has no status."""
    is_set = (states & _BITS[name]) != 0
    return np.asarray(is_set & ~is_removed(states) if name in _STATUSES else is_set)


def holds(states: States, name: str, unit: Target) -> NDArray[np.bool_]:
    """Return True where a status or fate holds; exactly one of alive, destroyed, broken and fled holds."""
    if name == ALIVE:
        return ~is_removed(states)
    if name == "destroyed":
        return is_removed(states) & ~flag(states, "broken") & ~flag(states, "fled")
    if name == "in_building":
        return np.asarray(~is_removed(states) & ((states & unit_state.OUT_OF_BUILDING) == 0) & unit.garrisoned)
    return flag(states, name)


def orders(states: States) -> NDArray[np.int64]:
    """Return the order of the unit, as the number of an :class:`~analyser.rules.activation.Order`."""
    return np.asarray(states >> unit_state.ORDER_BIT & unit_state.ORDER_MASK)


def wins(states: States, bits: int) -> NDArray[np.int64]:
    """Return the combats won, counted in `bits` bits; 0 if they are not counted."""
    return np.asarray(states >> unit_state.WINS_BIT & (1 << bits) - 1)


def wins_of_charge(states: States) -> NDArray[np.int64]:
    """Return the combats won in a charge, Overrun included; 0 if they are not counted."""
    return wins(states, unit_state.BITS_OF_WINS_IN_A_CHARGE)


def points_won(mine: States, theirs: States, unit: Combatant, enemy: Combatant, bits: int) -> NDArray[np.int64]:
    """Return the VP of a side in a duel (AC-5.9; Hunter, AC-7); `mine` counts won combats in `bits` bits."""
    rating = 1 if enemy.victory_points is None else enemy.victory_points  # an unknown rating counts as 1
    won_combats = wins(mine, bits) if unit.has("Hunter") else 0
    return np.asarray(is_removed(theirs) * rating + won_combats, np.int64)


def unit_name(unit: Combatant) -> str:
    """Return the name of a unit."""
    return unit.unit or "a unit without a profile"


class JointStates(NamedTuple):
    """Joint distribution, exact or simulated, of the states of both sides: one entry per pair of states."""

    first: States
    second: States
    weights: NDArray[Any]  # probabilities (float64) or simulated counts (int64)


@dataclass(frozen=True, repr=False, kw_only=True)
class FightResult(Result):
    """Result of a fight of one or several steps (attacks or rounds); `moments` has the states after each step."""

    moment_noun: ClassVar[str] = "moment"
    sides: ClassVar[tuple[str, ...]] = ("attacker", "target")

    moments: tuple[JointStates, ...]

    def _split(self, name: str) -> tuple[str, str]:
        """Return the side in the name of an event or figure, and the rest of the name."""
        side, _, what = name.partition("_")
        return side, what

    @property
    def units(self) -> tuple[Combatant, ...]:
        """Units of the :attr:`sides`."""
        return tuple(getattr(self.scenario, side) for side in self.sides)

    def joint_states(self, moment: int | None = None) -> JointStates:
        """Return the states after an attack or round, from 1, by default the last."""
        if moment is None:
            return self.moments[-1]
        check_integer(moment, self.moment_noun, 1, len(self.moments))
        return self.moments[moment - 1]

    def states_of(self, side: str, moment: int | None = None) -> NDArray[np.int64]:
        """Return the states of one side after a step, one per pair."""
        return self.joint_states(moment)[side in ("target", "b")]

    def event(self, name: str, moment: int | None = None) -> NDArray[np.bool_]:
        """Return, for each pair of states, True if an event holds after a step."""
        side, what = self._split(name)
        return holds(self.states_of(side, moment), what, getattr(self.scenario, side))

    def values(self, figure: str, moment: int | None = None) -> NDArray[Any]:
        """Return a figure after a step for each pair of states."""
        side, what = self._split(figure)
        states = self.states_of(side, moment)
        if what == "models_destroyed":
            return models_destroyed(states, getattr(self.scenario, side).models or 0)
        return models_left(states) if what == "models_left" else damage(states)

    def _columns(self, names: Iterable[str], moment: int | None = None) -> dict[str, NDArray[Any]]:
        return {name: self.event(name, moment) if name in self.events else self.values(name, moment) for name in names}

    def joint(self, names: Iterable[str], moment: int | None = None) -> dict[str, NDArray[Any]]:
        """Return the joint distribution of named events and figures after a step, by default the last."""
        return self._distribution_of(self._columns(names, moment), self.joint_states(moment).weights)

    def _event_weight(self, name: str, moment: int | None) -> float:
        return float(self.joint_states(moment).weights[self.event(name, moment)].sum())

    def _weighted_values(self, figure: str, moment: int | None) -> WeightedValues:
        return self.values(figure, moment), self.joint_states(moment).weights

    def _possible_values(self, figure: str) -> NDArray[Any]:
        side, what = self._split(figure)
        unit = getattr(self.scenario, side)
        return values_of_unit(what, unit.models, unit.damage_limit)

    def _all_weights(self) -> list[NDArray[Any]]:
        weights: list[NDArray[Any]] = [self.table()["count"]]
        for number, states in enumerate(self.moments, start=1):
            weights += [states.weights, np.array([self._event_weight(name, number) for name in self.events])]
            for figure in self.figures:
                _, marginal = self._marginal(figure, number)
                weights += [marginal, np.cumsum(marginal)]
        return weights


Programs = Sequence[Sequence[Operation]]
FightT = TypeVar("FightT", bound=FightResult)
MOST_OPERATIONS = 5e7  # limit of the estimated operations of an exact distribution (some seconds)
_SECONDS_PER_OPERATION = 4e-7  # seconds per estimated operation, without compilation
_STATUS_SETS = 4  # typical number of sets of statuses per number of models and damage, in fights of several rounds
_DISTANCES = 2  # typical number of distances between two units that charge each other


def solve_fight(
    scenario: AnyScenario,
    setup: Setup,
    programs: Programs,
    start: Pair,
    sampling: Sampling,
    make_result: Callable[..., FightT],
    choices: Choices | None = None,
) -> FightT:
    """Return the result of a fight that runs `programs` in sequence; `moments` are the states after each program.

    `make_result` makes the result from `moments` and other fields. `choices` has the decisions of a plan for the
    choices in the programs; a fight with choices is always simulated.
    """
    ruleset, simulation = scenario.ruleset, None
    if not sampling.is_exact:
        simulation = simulation_of(setup, programs, ruleset, replacement=sampling.replacement, choices=choices)

    def result_with(settings: Sampling) -> FightT:
        moments = tuple(states_after(setup, programs, start, ruleset, settings, simulation))
        origin = {} if settings.is_exact else {"trials": settings.first_trials(), "seed": int(settings.seed)}
        return make_result(moments=moments, scenario=scenario, profiles=scenario.profiles, **origin)

    return sampling.solve(result_with)


def states_after(
    setup: Setup,
    programs: Programs,
    start: Pair,
    ruleset: Ruleset,
    sampling: Sampling,
    simulation: Simulation | None = None,
) -> list[JointStates]:
    """Return the states of both sides after each of `programs`, run in sequence from the states `start`.

    `simulation` is that of this fight (:func:`simulation_of`); it can be reused for many starts.
    """
    if sampling.is_exact:
        joints = joint_distributions(setup, programs, start, ruleset)
        return [
            JointStates(joint.first[joint.rows], joint.second[joint.columns], joint.probabilities) for joint in joints
        ]
    simulation = simulation or simulation_of(setup, programs, ruleset, replacement=sampling.replacement)
    moments = simulation.play(start, sampling.first_trials(), sampling.seed, sampling.n_threads, sampling.report)
    return [JointStates(*columns) for columns in moments]


def simulation_of(
    setup: Setup, programs: Programs, ruleset: Ruleset, *, replacement: bool, choices: Choices | None = None
) -> Simulation:
    """Return the simulation of `programs` in sequence; `choices` has a plan's decisions for the choices in them."""
    from analyser.engine.fight.simulated.simulation import Simulation

    optional = () if choices is None else (choices,)
    return Simulation(setup, programs, *die_and_deck(ruleset), replacement, *optional)


def joint_distributions(setup: Setup, programs: Programs, start: Pair, ruleset: Ruleset) -> list[Joint]:
    """Return the exact joint distributions after each of `programs`; InputError above MOST_OPERATIONS."""
    from analyser.engine.fight.exact.propagate import exact_distributions

    operations = float(_operations_of(setup, programs, setup["units"]["models"]))
    if operations > MOST_OPERATIONS:
        raise _takes_too_long(operations)
    seconds = operations * _SECONDS_PER_OPERATION
    return exact_distributions(setup, programs, start, *die_and_deck(ruleset), seconds)


def final_distributions_by_models(
    setup: Setup, operations: Sequence[Operation], start: Pair, models: Sequence[tuple[int, int]], ruleset: Ruleset
) -> list[Joint | InputError]:
    """Return the exact joint distribution after a program, or an error, for each pair of numbers of models.

    `setup` and `start` are those of a fight with at least as many models; only the models may differ between fights.
    """
    from analyser.engine.fight.exact.propagate import exact_distributions_by_models

    numbers = _operations_of(setup, [operations], np.array(models)).tolist()
    feasible = [pair for pair, number in zip(models, numbers) if number <= MOST_OPERATIONS]
    seconds = sum(numbers) * _SECONDS_PER_OPERATION
    chances = *die_and_deck(ruleset), seconds
    result = iter(exact_distributions_by_models(setup, operations, start, feasible, *chances))
    return [next(result) if number <= MOST_OPERATIONS else _takes_too_long(number) for number in numbers]


def _operations_of(setup: Setup, programs: Programs, models: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the estimated operations for an exact distribution; `models` of both sides: shape (..., 2)."""
    kinds = [[operation[0] for operation in operations] for operations in programs]
    strikes = sum(kind.count(Kind.STRIKE) for kind in kinds)
    rounds = sum(program.count(Kind.END_ROUND) for program in kinds) // 2 or len(programs)
    health = models.astype(np.float64) * setup["units"]["damage_limit"]
    pairs = health.prod(axis=-1) * (_STATUS_SETS**2 if rounds > 1 else 1)
    sides = setup["sides"]
    if rounds > 1 and sides["charges"].all() and (sides["distance"] != NONE).all():
        pairs *= _DISTANCES
    return np.asarray(strikes * pairs * health.max(axis=-1))


def _takes_too_long(operations: float) -> InputError:
    needed = f"about {operations:.1g} operations, more than {MOST_OPERATIONS:.0g}"
    problem = f"the exact distribution of this fight takes {needed}"
    return InputError(problem, where="method", allowed="fewer models or rounds, or the method monte-carlo")


def die_and_deck(ruleset: Ruleset) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of sides of the die by face, and the number of cards by value."""
    return np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()
