"""Joint states of both sides of a longer fight: weighted pairs, their columns, and their computation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, check_integer
from analyser.common.means import values_of_unit
from analyser.common.method_settings import Sampling, SharedSampling
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.game.ruleset import Ruleset
from analyser.results.base import Result, Weighed
from analyser.rules import discipline, unit_state
from analyser.rules.structs import NONE
from analyser.scenarios.schema import Combatant, Target

if TYPE_CHECKING:
    from analyser.engine.fight.exact.distribution import Joint
    from analyser.engine.fight.simulated.choices import Choices
    from analyser.engine.fight.simulated.simulation import Simulation
    from analyser.scenarios.load import AnyScenario


FATES = ("destroyed", "broken", "fled")
ALIVE = "alive"
States = NDArray[np.int64]

FLAGS = ("suppressed", "disordered", "fell_back", "broken", "fled", "annihilated")
BIT_OF_FLAG: dict[str, int] = {name: getattr(discipline, name.upper()) for name in (*FLAGS, "activated")}
_POSTURES = ("on_lookout", "taking_cover", "reloading")
_BITS: dict[str, int] = BIT_OF_FLAG | {name: getattr(unit_state, name.upper()) for name in _POSTURES}
_OF_THE_STANDING = {"suppressed", "disordered", "activated", *_POSTURES}


def is_removed(states: States) -> NDArray[np.bool_]:
    """Return True where the unit is gone: destroyed, broken or fled (AC-5.9)."""
    return np.asarray((states & discipline.ANNIHILATED) != 0)


def models_left(states: States) -> NDArray[np.int64]:
    """Return the models left; 0 for a unit that is gone."""
    return np.where(is_removed(states), 0, states & unit_state.MODELS_MASK)


def models_destroyed(states: States, models: int | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the models lost, of `models` at the start, by damage or for lack of space to fall back or withdraw."""
    lost = states >> discipline.MODELS_DESTROYED & unit_state.MODELS_MASK
    return np.where(is_removed(states), lost, models - (states & unit_state.MODELS_MASK))


def damage(states: States) -> NDArray[np.int64]:
    """Return the damage on the unit; 0 for a unit that is gone."""
    return np.where(is_removed(states), 0, states >> discipline.DAMAGE & unit_state.MODELS_MASK)


def share_lost(
    states: States, models: int | NDArray[np.int64], damage_limit: int | NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the lost share of a unit: 1 if it is annihilated (AC-5.9), else the share of its damage (AC-3.8)."""
    suffered = models_destroyed(states, models) * damage_limit + damage(states)
    return np.asarray(np.where(is_removed(states), 1.0, suffered / (models * damage_limit)))


def flag(states: States, name: str) -> NDArray[np.bool_]:
    """Return True where a status or a fate is set; a unit that is gone has no status."""
    is_set = (states & _BITS[name]) != 0
    return np.asarray(is_set & ~is_removed(states) if name in _OF_THE_STANDING else is_set)


def holds(states: States, name: str, unit: Target) -> NDArray[np.bool_]:
    """Return True where a status or a fate holds; a unit is ``alive``, ``destroyed``, ``broken`` or ``fled``."""
    if name == ALIVE:
        return ~is_removed(states)
    if name == "destroyed":
        return is_removed(states) & ~flag(states, "broken") & ~flag(states, "fled")
    if name == "in_building":
        return np.asarray(~is_removed(states) & ((states & unit_state.OUT_OF_BUILDING) == 0) & unit.garrisoned)
    return flag(states, name)


def orders(states: States) -> NDArray[np.int64]:
    """Return the :class:`~analyser.rules.activation.Order` of the unit."""
    return np.asarray(states >> unit_state.ORDERS & unit_state.ORDERS_MASK)


def wins(states: States, bits: int) -> NDArray[np.int64]:
    """Return the close quarters combats won, if counted, from `bits` bits of the state."""
    return np.asarray(states >> unit_state.WINS & (1 << bits) - 1)


def wins_of_charge(states: States) -> NDArray[np.int64]:
    """Return the combats won in one charge with its Overrun, if counted."""
    return wins(states, unit_state.BITS_OF_WINS_IN_A_CHARGE)


def points_won(mine: States, theirs: States, unit: Combatant, enemy: Combatant, bits: int) -> NDArray[np.int64]:
    """Return the VP of a side in a duel (AC-5.9; Hunter, AC-7); its wins have `bits` bits, an unknown rating is 1."""
    rating = 1 if enemy.victory_points is None else enemy.victory_points
    hunted = wins(mine, bits) if unit.has("Hunter") else 0
    return np.asarray(is_removed(theirs) * rating + hunted, np.int64)


def unit_name(unit: Combatant) -> str:
    """Return the name of a unit in a result."""
    return unit.unit or "a unit without a profile"


class JointStates(NamedTuple):
    """Joint distribution, exact or simulated, of the states of both sides: one entry per pair of states."""

    first: States  # states of side 0; read them with the functions of this module
    second: States
    weights: NDArray[Any]  # probabilities (float64), or simulated counts (int64)


@dataclass(frozen=True, repr=False, kw_only=True)
class FightResult(Result):
    """Result of a fight after one or several steps (attacks or rounds).

    Attributes
    ----------
    moments : tuple of JointStates
        States of both sides after each step.
    """

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

    def after(self, moment: int | None = None) -> JointStates:
        """Return the states after an attack or round, from 1, by default the last; InputError if out of range."""
        if moment is None:
            return self.moments[-1]
        check_integer(moment, self.moment_noun, 1, len(self.moments))
        return self.moments[moment - 1]

    def states_of(self, side: str, moment: int | None = None) -> NDArray[np.int64]:
        """Return the states of one side after a step, one per pair."""
        return self.after(moment)[side in ("target", "b")]

    def event(self, name: str, moment: int | None = None) -> NDArray[np.bool_]:
        """Return, for each pair of states, True if event `name` (one of :attr:`events`) holds after a step."""
        side, what = self._split(name)
        return holds(self.states_of(side, moment), what, getattr(self.scenario, side))

    def values(self, figure: str, moment: int | None = None) -> NDArray[Any]:
        """Return a figure after a step, such as ``target_models_left``, for each pair of states."""
        side, what = self._split(figure)
        states = self.states_of(side, moment)
        if what == "models_destroyed":
            return models_destroyed(states, getattr(self.scenario, side).models or 0)
        return models_left(states) if what == "models_left" else damage(states)

    def _columns(self, names: Iterable[str], moment: int | None = None) -> dict[str, NDArray[Any]]:
        return {name: self.event(name, moment) if name in self.events else self.values(name, moment) for name in names}

    def joint(self, names: Iterable[str], moment: int | None = None) -> dict[str, NDArray[Any]]:
        """Return the joint distribution of named events and figures after a step, by default the last, as columns."""
        return self._distribution_of(self._columns(names, moment), self.after(moment).weights)

    def _event_weight(self, name: str, moment: int | None) -> float:
        return float(self.after(moment).weights[self.event(name, moment)].sum())

    def _weighed(self, figure: str, moment: int | None) -> Weighed:
        return self.values(figure, moment), self.after(moment).weights

    def _possible(self, figure: str) -> NDArray[Any]:
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


Pair = tuple[int, int]  # states of both sides
Programs = Sequence[Sequence[Operation]]
FightT = TypeVar("FightT", bound=FightResult)
MOST_STEPS = 5e7  # most steps of an exact distribution (some seconds)
_INTERPRETED = 4e-7  # seconds per step without compilation
_STATUSES = 4  # common sets of statuses per number of models and damage, in fights of several rounds
_WAYS_APART = 2  # common distances between two units that charge each other


def solve_fight(
    scenario: AnyScenario,
    setup: Setup,
    programs: Programs,
    start: Pair,
    sampling: Sampling,
    answer: Callable[..., FightT],
    choices: Choices | None = None,
) -> FightT:
    """Return the result of a fight, with the states of both sides after each of its programs as `moments`.

    `choices`: decisions of a plan for the choices in the programs; such a fight is simulated.
    """
    ruleset, simulation = scenario.ruleset, None
    if not sampling.is_exact:
        simulation = simulation_of(setup, programs, ruleset, replacement=sampling.replacement, choices=choices)

    def played(how: Sampling) -> FightT:
        moments = tuple(run(setup, programs, start, ruleset, how, simulation))
        head = {} if how.is_exact else {"trials": how.first_trials(), "seed": int(how.seed)}
        return answer(moments=moments, scenario=scenario, profiles=scenario.profiles, **head)

    return sampling.solve(played)


def run(
    setup: Setup,
    programs: Programs,
    start: Pair,
    ruleset: Ruleset,
    sampling: Sampling,
    simulation: Simulation | None = None,
) -> list[JointStates]:
    """Return the states after each of `programs`, run in sequence from the states `start`.

    `simulation`: the simulation of this fight (:func:`simulation_of`), to reuse it for many starts.
    """
    if sampling.is_exact:
        states = []
        for joint in exact_laws_of(setup, programs, start, ruleset):
            row, column = np.nonzero(joint.probabilities)
            states.append(JointStates(joint.first[row], joint.second[column], joint.probabilities[row, column]))
        return states
    simulation = simulation or simulation_of(setup, programs, ruleset, replacement=sampling.replacement)
    if isinstance(sampling, SharedSampling) and sampling.run_trials is not None:
        return [JointStates(*half) for half in sampling.run_trials(simulation, start)]
    played = simulation.play(start, sampling.first_trials(), sampling.seed, sampling.n_threads, sampling.report)
    return [JointStates(*half) for half in played]


def simulation_of(
    setup: Setup, programs: Programs, ruleset: Ruleset, *, replacement: bool, choices: Choices | None = None
) -> Simulation:
    """Return the simulation of `programs` in sequence; `choices`: decisions of a plan in them."""
    from analyser.engine.fight.simulated.simulation import Simulation

    planned = () if choices is None else (choices,)
    return Simulation(setup, programs, *_drawn(ruleset), replacement, *planned)


def exact_laws_of(setup: Setup, programs: Programs, start: Pair, ruleset: Ruleset) -> list[Joint]:
    """Return the joint distribution after each of `programs`; InputError if it would take minutes or gigabytes."""
    from analyser.engine.fight.exact.propagate import exact_distributions

    steps = float(_steps_of(setup, programs, setup["units"]["models"]))
    if steps > MOST_STEPS:
        raise _takes_too_long(steps)
    return exact_distributions(setup, programs, start, *_drawn(ruleset), steps * _INTERPRETED)


def exact_ends_by_models(
    setup: Setup, operations: Sequence[Operation], start: Pair, models: Sequence[tuple[int, int]], ruleset: Ruleset
) -> list[Joint | InputError]:
    """Return the exact distribution at the end of a program, or an error, for each pair of numbers of models.

    `setup` and `start` belong to a fight with at least as many models; nothing else in them may depend on the numbers.
    """
    from analyser.engine.fight.exact.propagate import exact_distributions_by_models

    steps = _steps_of(setup, [operations], np.array(models)).tolist()
    able = [both for both, number in zip(models, steps) if number <= MOST_STEPS]
    seconds = sum(steps) * _INTERPRETED
    result = iter(exact_distributions_by_models(setup, operations, start, able, *_drawn(ruleset), seconds))
    return [next(result) if number <= MOST_STEPS else _takes_too_long(number) for number in steps]


def _steps_of(setup: Setup, programs: Programs, models: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the estimated steps of an exact distribution for numbers of models of shape (..., 2)."""
    kinds = [[operation[0] for operation in operations] for operations in programs]
    strikes = sum(kind.count(Kind.STRIKE) for kind in kinds)
    rounds = sum(program.count(Kind.END_ROUND) for program in kinds) // 2 or len(programs)
    standing = models.astype(np.float64) * setup["units"]["damage_limit"]
    pairs = standing.prod(axis=-1) * (_STATUSES**2 if rounds > 1 else 1)
    sides = setup["sides"]
    if rounds > 1 and sides["charges"].all() and (sides["distance"] != NONE).all():
        pairs *= _WAYS_APART
    return np.asarray(strikes * pairs * standing.max(axis=-1))


def _takes_too_long(steps: float) -> InputError:
    problem = f"the exact distribution of this fight takes about {steps:.1g} steps"
    return InputError(problem, where="method", allowed="fewer models or rounds, or the method monte-carlo")


def _drawn(ruleset: Ruleset) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the die and the deck in the form of the engines."""
    return np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
