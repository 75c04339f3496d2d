"""Result of simulated battles (`docs/battle.md`): winner, margin, survivors, and contributions of units."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser import plots
from analyser.common.answer import Block
from analyser.common.errors import InputError, check_integer
from analyser.common.estimates import estimate, estimate_in, probability_figures
from analyser.common.frames import tidy
from analyser.common.intervals import trials_for
from analyser.common.means import amount_by_batch, mean_figures
from analyser.common.method_settings import Sampling
from analyser.common.precision import Precision
from analyser.common.text import counted, fill, spaced, whole_percent
from analyser.engine.battle.battle_data import MOST_UNITS, Counts
from analyser.engine.battle.simulation import Simulation
from analyser.game.army import ArmyUnit, names_apart
from analyser.results.base import Result, WeightedValues, result_sentence, share_columns
from analyser.results.battle_rules import rules_of_battle
from analyser.results.battle_story import Story, story_of
from analyser.results.battle_tactics import (
    LOST,
    WON,
    Game,
    tactics_block,
    tactics_game,
    tactics_sentences,
)
from analyser.results.battle_text import heading, margin_block, rounds_block, units_block
from analyser.results.unit_swings import swing_units_sentence, swings_block, unit_swing
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import SIDES, BattleScenario, most_victory_points
from analyser.scenarios.battle_tables import encode_battle

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

DEFAULT_BATTLES = 10_000
LEAST_FOR_SWING = 500  # least number of battles simulated without each unit
LEAST_FOR_TACTICS = 400  # least number of battles simulated for each pair of tactics
_EVENTS = {
    "victory": WON,
    "devastating_victory": [Outcome.DEVASTATING_VICTORY],
    "draw": [Outcome.DRAW],
    "defeat": LOST,
    "devastating_defeat": [Outcome.DEVASTATING_DEFEAT],
}
_FIGURES_OF_SIDES = ("victory_points", "units", "points_percent")


@dataclass(frozen=True, repr=False, kw_only=True)
class BattleResult(Result):
    """Result of simulated battles.

    Attributes
    ----------
    counts : Counts
        Totals over all battles.
    simulation : Simulation
        The simulation that produced the counts; it can also log single battles.
    swings : tuple of dict
        The effect of leaving out each unit (:meth:`swing`).
    game : Game, optional
        The comparison of all pairs of tactics, if there was one (:mod:`.battle_tactics`).
    """

    kind = "battle"
    plotted_figure = "margin"
    events = tuple(_EVENTS)
    figures = ("margin", *(f"{side}_{figure}" for side in SIDES for figure in _FIGURES_OF_SIDES))

    scenario: BattleScenario
    trials: int
    seed: int
    counts: Counts
    simulation: Simulation
    swings: tuple[dict[str, Any], ...] = field(default=())
    game: Game | None = None

    def _event_weight(self, name: str, moment: int | None) -> float:
        self._index_of_round(moment, first=self.rounds)
        return float(self.counts.outcomes[:, _EVENTS[name]].sum())

    def _weighted_values(self, figure: str, moment: int | None) -> WeightedValues:
        side, _, what = figure.partition("_")
        if what in ("", "victory_points"):
            self._index_of_round(moment, first=self.rounds)
            mine, yours = np.nonzero(self.counts.results)
            values = {"margin": mine - yours, "mine": mine, "yours": yours}[side]
            return values, self.counts.results[mine, yours]
        number = self._index_of_round(moment)
        table = self.counts.standing if what == "units" else self.counts.percent
        (values,) = np.nonzero(table[number, SIDES.index(side)])
        return values, table[number, SIDES.index(side)][values]

    def _possible_values(self, figure: str) -> NDArray[Any]:
        most = self._most_victory_points
        side, _, what = figure.partition("_")
        if figure == "margin":
            return np.arange(-most["yours"], most["mine"] + 1)
        if what == "victory_points":
            return np.arange(most[side] + 1)
        units = len(self.scenario.fielded[SIDES.index(side)])
        return np.arange(units + 1 if what == "units" else self.counts.percent.shape[-1])

    @property
    def _most_victory_points(self) -> dict[str, int]:
        """Upper limit of each side's VP: 2 per Hunter, round and enemy unit, plus the VP from all other sources."""
        most = most_victory_points(self.scenario.fielded, self.scenario.terms)
        for side, units, enemies in zip(SIDES, self.scenario.fielded, self.scenario.fielded[::-1]):
            hunters = sum(unit.combatant.has("Hunter") for unit in units)
            most[side] += 2 * self.rounds * hunters * len(enemies)
        return most

    def _index_of_round(self, moment: int | None, first: int = 1) -> int:
        """Return the index of a round (default: the last); InputError unless it is from `first` to the last."""
        moment = self.rounds if moment is None else moment
        check_integer(moment, "round", first, self.rounds)
        return moment - 1

    def _all_weights(self) -> list[NDArray[Any]]:
        margins = self._weighted_values("margin", None)
        battles_by_margin = np.bincount(margins[0] - margins[0].min(), margins[1])
        events = np.array([self._event_weight(name, None) for name in self.events])
        alive = self.counts.survived[[number for _, _, number in self.units]]
        return [battles_by_margin, np.cumsum(battles_by_margin), events, alive]

    def table(self) -> dict[str, NDArray[Any]]:
        """Return the joint distribution of both sides' victory points as columns."""
        mine, yours = np.nonzero(self.counts.results)
        weights = self.counts.results[mine, yours]
        return {"mine_victory_points": mine, "yours_victory_points": yours, **share_columns(weights, self.trials)}

    def rows(self) -> list[dict[str, Any]]:
        """Return the contribution of each unit (:meth:`contributions`), as ``--format csv`` prints it."""
        return self.contributions()

    def to_frame(self, *, by_round: bool = False, contributions: bool = False) -> pd.DataFrame:
        """Return the joint distribution of victory points, the survivors by round, or the contributions of units."""
        return tidy(self.survivors() if by_round else self.contributions() if contributions else self.table())

    @property
    def rounds(self) -> int:
        """Largest number of rounds."""
        return self.scenario.terms.rounds

    @cached_property
    def names(self) -> dict[str, str]:
        """Names of the armies by side, made distinct."""
        return dict(zip(SIDES, names_apart(*self.scenario.armies)))

    @cached_property
    def units(self) -> list[tuple[str, ArmyUnit, int]]:
        """The side, unit and number of each unit; the numbers of the second side begin at MOST_UNITS."""
        return [
            (side, unit.unit, index + MOST_UNITS * number)
            for number, (side, units) in enumerate(zip(SIDES, self.scenario.fielded))
            for index, unit in enumerate(units)
        ]

    @cached_property
    def _points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Points of each unit before the battle, and of one of its models, by unit number; 0 if unknown."""
        of_unit, of_model = np.zeros((2, 2 * MOST_UNITS))
        combatants = (unit.combatant for units in self.scenario.fielded for unit in units)
        for (_, unit, number), combatant in zip(self.units, combatants):
            models = combatant.models or 1
            of_model[number] = (unit.points or 0) / models
            of_unit[number] = of_model[number] * models
        return of_unit, of_model

    def survivors(self) -> list[dict[str, Any]]:
        """Return the survivors at the end of each round, one plain dict per round and side.

        Keys are `mean_units`, `mean_points` and `mean_percent` (points left in percent), with intervals, and the 10th
        and 90th percentile of that percentage. A battle that ended early counts with its final state.
        """
        rows, (of_unit, of_model) = [], self._points
        for number, side in product(range(1, self.rounds + 1), SIDES):
            units = _units_of_side(side)
            points = float(self.counts.models[number - 1, units] @ of_model[units]) / self.trials
            figures: dict[str, Any] = {"round": number, "side": side}
            figures |= mean_figures("mean_units", self.mean_with_interval(f"{side}_units", number))
            rounded, total = self.mean_with_interval(f"{side}_points_percent", number), float(of_unit[units].sum())
            percent = rounded.minus(rounded.value - (100 * points / total if total else 0.0)).clip(0.0, 100.0)
            figures |= mean_figures("mean_points", percent.times(total / 100)) | {"mean_points": points}
            figures |= mean_figures("mean_percent", percent)
            rows.append(figures | self._percentiles("percent", f"{side}_points_percent", number))
        return rows

    def contributions(self) -> list[dict[str, Any]]:
        """Return the mean contribution of each unit to a battle, one plain dict per unit.

        `points_destroyed` are the enemy points lost to the attacks of the unit and the tests after them.
        `points_absorbed` are the losses of the unit itself. Both are also given per 100 points of the unit (None if
        its points are unknown). `friends_destroyed` are points of its own side destroyed by its blasts (AC-7).
        `p_alive` is the probability that the unit survives. All figures have intervals, except those per 100 points.
        """
        rows, (of_unit, of_model), batch_sizes = [], self._points, self.counts.outcomes.sum(axis=1)
        for side, unit, number in self.units:
            destroyed, lost = self.counts.killed[:, number] * of_model, self.counts.lost[:, number]
            own_side, enemy_side = _units_of_side(side), _units_of_side(side, enemy=True)
            figures: dict[str, Any] = {"side": side, **name_cells(unit), "points": unit.points}
            for name, sums, victims in (
                ("points_destroyed", destroyed[:, enemy_side].sum(axis=1), enemy_side),
                ("points_absorbed", lost * of_model[number], slice(number, number + 1)),
                ("friends_destroyed", destroyed[:, own_side].sum(axis=1), own_side),
            ):
                prices = of_model[victims]
                least, most = float(min(prices[prices > 0], default=0.0)), float(of_unit[victims].sum())
                mean = amount_by_batch(sums, batch_sizes, least, most)
                figures |= mean_figures(name, mean)
                if name != "friends_destroyed":
                    figures[f"{name}_per_100"] = 100 * mean.value / unit.points if unit.points else None
            alive = estimate(float(self.counts.survived[number]), self.trials)
            rows.append(figures | probability_figures("p_alive", alive))
        return rows

    def swing(self) -> list[dict[str, Any]]:
        """Return how P(victory) of a side changes without each of its units; the largest loss comes first.

        `p_without` is P(victory) without the unit, from `trials` battles. `difference` is P(victory) with all units
        minus `p_without`; its interval `low` to `high` holds at 95% for all units at once. Empty if not requested.
        """
        return [dict(row) for row in self.swings]

    def tactics(self) -> dict[str, Any]:
        """Return the comparison of all pairs of tactics as plain data; empty if there was none.

        `plays` has each tactic of each side with its probability in the equilibrium and its `score`. The score is the
        share of battles that the first army wins (draws count half) if this side uses the tactic and the other side
        plays the equilibrium. `pairs` has the result of each pair.
        """
        return {} if self.game is None else self.game.as_dict()

    @cached_property
    def story(self) -> Story:
        """Narration of the first simulated battle with the median margin."""
        median = int(self.quantile("margin", 0.5))
        return self.tell(self.simulation.first_battle_with(median, self.trials, self.seed))

    def tell(self, number: int) -> Story:
        """Return the narration of battle `number` (from 0) of the simulation with this seed."""
        return story_of(self.scenario, self.simulation.logged_battle(number, self.seed), self.seed)

    @cached_property
    def summary(self) -> dict[str, Any]:
        figures = {f"expected_{side}_victory_points": f"{side}_victory_points" for side in SIDES}
        return self._named_figures({f"p_{name}": name for name in self.events}, figures | {"expected_margin": "margin"})

    def _body(self) -> dict[str, Any]:
        parts = {"rounds": self.survivors(), "margins": self.margins(), "contributions": self.contributions()}
        story = {"number": self.story.number, "margin": self.story.margin, "lines": list(self.story.lines())}
        return {**parts, "tactics": self.tactics(), "swing": self.swing(), "story": story, "summary": self.summary}

    def caption(self) -> list[str]:
        terms = self.scenario.terms
        armies = [f"{name}: {army.points} points" for name, army in zip(self.names.values(), self.scenario.armies)]
        return [*armies, f'{counted(terms.rounds, "round")}, {terms.gap:g}" apart at the start']

    def plot(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the distribution of the margin, by default on new Axes."""
        return self.plot_margin(ax, **more)

    def plot_margin(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the distribution of the margin of the first army in victory points (:func:`analyser.plots.margins`)."""
        return plots.margins(self, ax=ax, **more)

    def plot_survival(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the points left to both sides after each round (:func:`analyser.plots.points_left`)."""
        return plots.points_left(self, ax=ax, **more)

    def plot_contributions(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the points that each unit destroyed and lost (:func:`analyser.plots.contributions`)."""
        return plots.contributions(self, ax=ax, **more)

    def heading(self) -> list[tuple[str, str]]:
        return heading(self.scenario, equilibrium=self.game is not None)

    def blocks(self) -> list[Block]:
        number = self.story.number
        return [
            Block(lines=[line for conclusion in self.conclusions() for line in fill(conclusion)]),
            *([] if self.game is None else [tactics_block(self.game, self.names)]),
            margin_block(self),
            rounds_block(self.survivors(), self.names),
            units_block(self.contributions(), self.names),
            *([swings_block(self.swings, self.names)] if self.swings else []),
            Block(lines=[f"Battle {number} has the median margin; --tell {number} narrates it."]),
        ]

    @property
    def headline(self) -> str:
        won, lost, draw = map(self.probability, ("victory", "defeat", "draw"))
        first, second = self.names.values()
        sentence = result_sentence(first, second, won, lost, draw)
        if self.game is None:
            return sentence
        side, name, winner = (0, "p_victory", first) if won >= lost else (1, "p_defeat", second)
        shares = [*(estimate_in(row, name) for row in self.game.extreme_pairs(name)), max(won, lost)]
        best = self.game.best(side)
        advice = "no tactic is clearly the best" if best is None else f"best tactic: {spaced(best)}"
        least, most = whole_percent(min(shares)), whole_percent(max(shares))
        share = most if least == most else f"between {least} and {most}"
        return f"{sentence[:-1]}; over the tactics tried {winner} wins {share}; {advice}."

    def conclusions(self) -> list[str]:
        """Return sentences on the winning chances, the tactics, and the units that matter most."""
        shares = {name: self.probability(name) for name in self.events}
        first, second = self.names.values()
        terrain = "Terrain," if self.scenario.terms.objectives else "Terrain, objectives,"
        return [
            self.headline,
            f"{first} wins {shares['victory']} of these battles and loses {shares['defeat']}; "
            f"{shares['draw']} are draws. Devastating victories: {first} {shares['devastating_victory']}, "
            f"{second} {shares['devastating_defeat']}.",
            *tactics_sentences(self.game, self.names),
            f"{terrain} buildings and line of sight are not modelled, and each can change the result.",
            *(swing_units_sentence(self.swings, *army) for army in self.names.items() if self.swings),
        ]


def _units_of_side(side: str, *, enemy: bool = False) -> slice:
    first = MOST_UNITS * (SIDES.index(side) ^ enemy)
    return slice(first, first + MOST_UNITS)


def name_cells(unit: ArmyUnit) -> dict[str, str]:
    """Return the columns `unit` (key in the army) and `name` (for display) of a unit."""
    return {"unit": unit.name, "name": unit.title}


def solve_battle(
    scenario: BattleScenario, sampling: Sampling, *, swing: bool = True, tactics: bool = True
) -> BattleResult:
    """Return the result of a battle.

    `swing`: also simulate the battle without each unit. `tactics`: a side without a stated tactic plays an equilibrium.
    """
    if sampling.is_exact:
        allowed = "--method monte-carlo, or no method (in Python analyser.battle or simulate)"
        raise InputError("battles are simulated; they have no exact answer", where="method", allowed=allowed)
    simulation = Simulation(*encode_battle(scenario), replacement=sampling.replacement)
    rules = rules_of_battle(scenario, with_replacement=sampling.replacement)

    if sampling.precision is None and sampling.trials is None:
        sampling = replace(sampling, trials=DEFAULT_BATTLES)
    battles = share_of_trials(sampling, 50, LEAST_FOR_TACTICS)
    game = tactics_game(scenario, simulation, battles, sampling) if tactics else None
    if game is not None:
        simulation = simulation.with_mixes(game.names, game.mixes)

    def result_with(settings: Sampling) -> BattleResult:
        trials = settings.trials or DEFAULT_BATTLES
        counts = simulation.play(trials, settings.seed, settings.n_threads, settings.report)
        origin: dict[str, Any] = {"trials": trials, "seed": int(settings.seed), "profiles": scenario.profiles}
        return BattleResult(scenario=scenario, rules=rules, counts=counts, simulation=simulation, game=game, **origin)

    result = sampling.solve(result_with)
    if swing:
        result = replace(result, swings=_swings(result, sampling))
    return result


def _swings(result: BattleResult, sampling: Sampling) -> tuple[dict[str, Any], ...]:
    trials = share_of_trials(sampling, 20, LEAST_FOR_SWING)  # fixed in advance: the intervals stay valid
    units, rows = result.units, []
    for finished, (side, unit, number) in enumerate(units):
        sampling.report(finished * trials, len(units) * trials)
        without = result.simulation.play(trials, int(sampling.seed), sampling.n_threads, without=number)
        rows.append({"side": side, **name_cells(unit)} | unit_swing(result.counts, without, side, len(units)))
    return tuple(sorted(rows, key=lambda row: -row["difference"]))


def share_of_trials(sampling: Sampling, divisor: int, least: int) -> int:
    """Return the requested number of battles divided by `divisor`, but at least `least` if that many were requested.

    A requested precision counts as the most battles that it can require; a relative one counts as DEFAULT_BATTLES.
    """
    requested = sampling.trials or DEFAULT_BATTLES
    if sampling.precision is not None and not (precision := Precision.read(sampling.precision)).relative:
        requested = trials_for(precision.width)
    return min(max(requested // divisor, least), requested)
