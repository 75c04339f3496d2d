"""Result of a battle (`docs/battle.md`): winner, margin, survivors, and the contribution of each unit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.errors import InputError
from analyser.common.estimates import estimate, probability_figures
from analyser.common.frames import tidy
from analyser.common.intervals import trials_for
from analyser.common.means import amount_by_batch, mean_figures
from analyser.common.method_settings import Sampling, SharedSampling
from analyser.common.precision import Precision
from analyser.common.text import counted, fill, whole_percent
from analyser.engine.battle.battle_data import MOST_UNITS, Counts
from analyser.engine.battle.simulation import Simulation
from analyser.game.army import ArmyUnit, names_apart
from analyser.results.base import Result, Weighed, contest, share_columns
from analyser.results.battle_rules import NOT_MODELLED, of_battle
from analyser.results.battle_story import Story, story_of
from analyser.results.battle_tactics import Game, by_tactic, game_of, spoken
from analyser.results.battle_text import by_margin, by_round, by_unit, conclusions, heading
from analyser.results.unit_swings import by_swing, swing_of
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import SIDES, BattleScenario
from analyser.scenarios.battle_tables import encoded

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

DEFAULT_BATTLES = 10_000
LEAST_FOR_SWING = 1_000
LEAST_FOR_TACTICS = 400
_EVENTS = {
    "victory": (Outcome.VICTORY, Outcome.DEVASTATING_VICTORY),
    "devastating_victory": (Outcome.DEVASTATING_VICTORY,),
    "draw": (Outcome.DRAW,),
    "defeat": (Outcome.DEFEAT, Outcome.DEVASTATING_DEFEAT),
    "devastating_defeat": (Outcome.DEVASTATING_DEFEAT,),
}
_OF_SIDES = ("victory_points", "units", "points_percent")


@dataclass(frozen=True, repr=False, kw_only=True)
class BattleResult(Result):
    """Result of simulated battles.

    Attributes
    ----------
    counts : Counts
        Totals over all battles.
    simulation : Simulation
        Simulation that produced the counts, and can narrate single battles.
    swings : tuple of dict
        Results without each unit (:meth:`swing`).
    game : Game, optional
        The game of tactics, if tactics were compared (:mod:`.battle_tactics`).
    """

    kind = "battle"
    pictured = "margin"
    events = tuple(_EVENTS)
    figures = ("margin", *(f"{side}_{figure}" for side in SIDES for figure in _OF_SIDES))

    scenario: BattleScenario
    trials: int
    seed: int
    counts: Counts
    simulation: Simulation
    swings: tuple[dict[str, Any], ...] = field(default=())
    game: Game | None = None
    tells_all: bool = False

    # --- methods of Result ------------------------------------------------------------------------------------

    def _event_weight(self, name: str, moment: int | None) -> float:  # noqa: ARG002 - a battle ends once
        return float(self.counts.outcomes[:, list(_EVENTS[name])].sum())

    def _weighed(self, figure: str, moment: int | None) -> Weighed:
        if figure == "margin" or figure.endswith("victory_points"):
            mine, yours = np.nonzero(self.counts.results)
            values = {"margin": mine - yours, "mine": mine, "yours": yours}[figure.partition("_")[0]]
            return values, self.counts.results[mine, yours]
        side, _, what = figure.partition("_")
        number = (moment or self.rounds) - 1
        table = self.counts.standing if what == "units" else self.counts.percent
        (values,) = np.nonzero(table[number, SIDES.index(side)])
        return values, table[number, SIDES.index(side)][values]

    def _possible(self, figure: str) -> NDArray[Any]:
        most = self._most_points
        side, _, what = figure.partition("_")
        if figure == "margin":
            return np.arange(-most["yours"], most["mine"] + 1)
        if what == "victory_points":
            return np.arange(most[side] + 1)
        units = len(self.scenario.fielded[SIDES.index(side)])
        return np.arange(units + 1 if what == "units" else self.counts.percent.shape[-1])

    @property
    def _most_points(self) -> dict[str, int]:
        """Most victory points of each side: ratings plus, for each Hunter, two won combats per round and enemy."""
        most = {}
        for side, units, enemies in zip(SIDES, self.scenario.fielded, self.scenario.fielded[::-1]):
            hunters = sum(unit.combatant.has("Hunter") for unit in units)
            targets = [target for foe in enemies for target in (foe.combatant, foe.combatant.passengers) if target]
            ratings = sum(1 if target.victory_points is None else target.victory_points for target in targets)
            most[side] = ratings + 2 * self.rounds * hunters * len(enemies)
        return most

    def _all_weights(self) -> list[NDArray[Any]]:
        margins = self._weighed("margin", None)
        by_margin = np.bincount(margins[0] - margins[0].min(), margins[1])
        events = np.array([self._event_weight(name, None) for name in self.events])
        alive = [self.counts.survived[self._numbers]]
        return [by_margin, np.cumsum(by_margin), events, *alive]

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

    # --- figures of a battle ----------------------------------------------------------------------------------

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
        """Units, each with its side and its number."""
        fielded = self.scenario.fielded
        return [
            (side, unit.unit, place + MOST_UNITS * SIDES.index(side))
            for side, units in zip(SIDES, fielded)
            for place, unit in enumerate(units)
        ]

    @cached_property
    def _numbers(self) -> list[int]:
        return [number for _, _, number in self.units]

    @cached_property
    def _worth(self) -> NDArray[np.float64]:
        """Points of one model of each unit, by unit number; 0 if unknown."""
        worth = np.zeros(2 * MOST_UNITS)
        for (_, unit, number), models in zip(self.units, self._models):
            worth[number] = (unit.points or 0) / models
        return worth

    @cached_property
    def _models(self) -> list[int]:
        return [unit.combatant.models or 1 for units in self.scenario.fielded for unit in units]

    def _whole_points(self, own: slice) -> float:
        """Return the points of a side before the battle; `own` is the slice of its unit numbers."""
        numbers = range(own.start, own.stop)
        sizes = [(number, models) for number, models in zip(self._numbers, self._models) if number in numbers]
        return sum(float(self._worth[number]) * models for number, models in sizes)

    def _least_points(self, own: slice) -> float:
        """Return the points of the cheapest model of a side, 0 if unknown; `own` is the slice of its unit numbers."""
        worth = self._worth[own]
        return float(min(worth[worth > 0], default=0.0))

    @cached_property
    def _batches(self) -> NDArray[np.int64]:
        """Number of battles in each batch."""
        battles: NDArray[np.int64] = self.counts.outcomes.sum(axis=1)
        return battles

    def survivors(self) -> list[dict[str, Any]]:
        """Return the survivors at the end of each round, one plain dict per round and side.

        Keys are `mean_units`, `mean_points` and `mean_percent` of the points, with intervals, and the 10th and 90th
        percentile of the percentage. After its end a battle keeps its last state.
        """
        rows = []
        for number in range(1, self.rounds + 1):
            for side in SIDES:
                own = _numbered(side)
                points = float(self.counts.models[number - 1, own] @ self._worth[own]) / self.trials
                figures: dict[str, Any] = {"round": number, "side": side}
                figures |= mean_figures("mean_units", self.mean_with_interval(f"{side}_units", number))
                rounded, whole = self.mean_with_interval(f"{side}_points_percent", number), self._whole_points(own)
                percent = rounded.less(rounded.value - (100 * points / whole if whole else 0.0)).within(0.0, 100.0)
                figures |= mean_figures("mean_points", percent.times(whole / 100)) | {"mean_points": points}
                figures |= mean_figures("mean_percent", percent)
                rows.append(figures | self._percentiles("percent", f"{side}_points_percent", number))
        return rows

    def contributions(self) -> list[dict[str, Any]]:
        """Return the mean contribution of each unit to a battle, one plain dict per unit.

        `points_destroyed` are points of the enemy lost to its attacks and the tests after them. `points_absorbed` are
        its own losses. Both are also given per 100 of its own points (None if those are unknown). `friends_destroyed`
        are points of its own side destroyed by its blasts (AC-7). Each has its interval. `p_alive` is its probability
        to survive the battle.
        """
        rows = []
        for side, unit, number in self.units:
            killed, lost = self.counts.killed[:, number] * self._worth, self.counts.lost[:, number]
            of_sides = killed.reshape(len(killed), len(SIDES), MOST_UNITS).sum(axis=2)
            friends, enemies = (of_sides[:, SIDES.index(side) ^ other] for other in (0, 1))
            figures: dict[str, Any] = {"side": side, **named(unit), "points": unit.points}
            own, other = _numbered(side), _numbered(side, other=True)
            itself = slice(number, number + 1)
            for name, sums, whose in (
                ("points_destroyed", enemies, other),
                ("points_absorbed", lost * self._worth[number], itself),
                ("friends_destroyed", friends, own),
            ):
                mean = amount_by_batch(sums, self._batches, self._least_points(whose), self._whole_points(whose))
                figures |= mean_figures(name, mean)
                if name != "friends_destroyed":
                    figures[f"{name}_per_100"] = 100 * mean.value / unit.points if unit.points else None
            alive = estimate(float(self.counts.survived[number]), self.trials)
            rows.append(figures | probability_figures("p_alive", alive))
        return rows

    def swing(self) -> list[dict[str, Any]]:
        """Return P(victory) with and without each unit; the unit with the largest effect on its side comes first.

        `p_without` is the probability without the unit. `difference` is the probability with it minus `p_without`; its
        95% interval, `low` to `high`, comes from batches of battles with common random numbers.
        `expected_margin_difference` is in victory points. The list is empty if swings were not requested.
        """
        return [dict(row) for row in self.swings]

    def tactics(self) -> dict[str, Any]:
        """Return the game of tactics as plain data; empty if both sides' tactics are stated or were not compared.

        `score` is the score of the first army in the equilibrium (a draw counts as half a win), with its 95% interval.
        `plays` has the tactics of each side with probabilities and scores, `pairs` the results of each pair.
        """
        return {} if self.game is None else self.game.figures()

    @cached_property
    def story(self) -> Story:
        """Narrate the first simulated battle with the median margin."""
        median = int(self.quantile("margin", 0.5))
        return self.tell(self.simulation.first_with(median, self.trials, self.seed))

    def tell(self, number: int) -> Story:
        """Narrate the battle with that number, 0 or more, among those of the seed."""
        return story_of(self.scenario, self.simulation.told(number, self.seed), self.seed)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Figures at the end by name; probabilities with intervals."""
        figures = {f"expected_{side}_victory_points": f"{side}_victory_points" for side in SIDES}
        return self._figures_named({f"p_{name}": name for name in self.events}, figures | {"expected_margin": "margin"})

    def margins(self) -> list[dict[str, Any]]:
        """Return the distribution of the margin, victory points of the first army minus the second, as plain dicts."""
        names = ("probability", "low", "high")
        return [{"margin": row["value"], **{name: row[name] for name in names}} for row in self.distribution("margin")]

    def _body(self) -> dict[str, Any]:
        parts = {"rounds": self.survivors(), "margins": self.margins(), "contributions": self.contributions()}
        story = {"number": self.story.number, "margin": self.story.margin, "lines": list(self.story.lines())}
        return {**parts, "tactics": self.tactics(), "swing": self.swing(), "story": story, "summary": self.summary}

    # --- display ----------------------------------------------------------------------------------------------

    def caption(self) -> list[str]:
        """Return the caption of a picture."""
        terms = self.scenario.terms
        armies = [f"{name}: {army.points} points" for name, army in zip(self.names.values(), self.scenario.armies)]
        return [*armies, f'{counted(terms.rounds, "round")}, {terms.gap:g}" apart at the start']

    def plot(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the distribution of the margin, by default on new Axes."""
        return self.plot_margin(ax, **more)

    def plot_margin(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the distribution of the margin of the first army in victory points (:func:`analyser.plots.margins`)."""
        from analyser.plots import margins

        return margins(self, ax=ax, **more)

    def plot_survival(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the points of both sides left by round (:func:`analyser.plots.points_left`)."""
        from analyser.plots import points_left

        return points_left(self, ax=ax, **more)

    def plot_contributions(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the points that each unit destroyed and lost (:func:`analyser.plots.contributions`)."""
        from analyser.plots import contributions

        return contributions(self, ax=ax, **more)

    def heading(self) -> list[tuple[str, str]]:
        """Return the question as labels and texts."""
        return heading(self.scenario, equilibrium=self.game is not None)

    def blocks(self) -> list[Block]:
        """Return the result as blocks of text."""
        blocks = [
            Block(lines=[line for conclusion in self.conclusions() for line in fill(conclusion)]),
            by_margin(self),
            by_round(self.survivors(), self.names),
            by_unit(self.contributions(), self.names),
        ]
        if self.swings:
            blocks.append(by_swing(self.swings, self.names))
        if self.game is not None:
            blocks.insert(1, by_tactic(self.game, self.names))
        return [
            *blocks,
            Block(lines=[f"Battle {self.story.number} has the median margin: --tell {self.story.number}."]),
        ]

    @property
    def headline(self) -> str:
        """Result in one sentence, without intervals."""
        (first, second), won = self.names.values(), self.probability("victory")
        lost = self.probability("defeat")
        sentence = contest(first, second, won, lost)
        if self.game is None:
            return sentence
        names = ("p_victory", "p_defeat") if won >= lost else ("p_defeat", "p_victory")
        shares = sorted(row[names[0]] for row in self.game.ends)
        side = 0 if won >= lost else 1
        best = self.game.best(side)
        advice = "no tactic is clearly the best" if best is None else f"best tactic: {spoken(best)}"
        least, most = map(whole_percent, shares)
        return f"{sentence[:-1]}, and the pairs of tactics range from {least} to {most}; {advice}."

    def conclusions(self) -> list[str]:
        """Return sentences on the winning chances, the effect of the tactics, and the units that matter."""
        return conclusions(self)

    @property
    def gaps_in_text(self) -> tuple[str, ...]:
        """Unmodelled rules shown in the text: boons and rules of these armies, or all (:meth:`in_full`)."""
        own = tuple(rule for rule in self.not_modelled if rule not in NOT_MODELLED)
        return self.not_modelled if self.tells_all else own

    def in_full(self) -> BattleResult:
        """Return the result with all unmodelled rules in its text, including those of any battle."""
        return replace(self, tells_all=True)


def _numbered(side: str, *, other: bool = False) -> slice:
    """Return the slice of the unit numbers of a side, or of the other one."""
    first = MOST_UNITS * (SIDES.index(side) ^ other)
    return slice(first, first + MOST_UNITS)


def named(unit: ArmyUnit) -> dict[str, str]:
    """Return the name cells of a unit in a table: its key in the army and its display name."""
    return {"unit": unit.name, "name": unit.title}


def solve_battle(
    scenario: BattleScenario, sampling: Sampling, *, swing: bool = True, tactics: bool = True
) -> BattleResult:
    """Return the result of a battle.

    `swing`: also simulate it without each unit. `tactics`: play an equilibrium of tactics where none are stated.
    """
    if sampling.is_exact:
        allowed = "--method monte-carlo, or no method (in Python analyser.battle or simulate)"
        raise InputError("battles are simulated; they have no exact answer", where="method", allowed=allowed)
    simulation = Simulation(*encoded(scenario), replacement=sampling.replacement)
    rules = of_battle(scenario, with_replacement=sampling.replacement)

    if sampling.precision is None and sampling.trials is None:
        sampling = replace(sampling, trials=DEFAULT_BATTLES)
    game = (
        game_of(scenario, simulation, share_of_trials(sampling, 50, LEAST_FOR_TACTICS), sampling) if tactics else None
    )
    if game is not None:
        simulation = simulation.with_mixes(game.names, game.mixes)

    def played(how: Sampling) -> BattleResult:
        trials = how.trials or DEFAULT_BATTLES
        if isinstance(how, SharedSampling) and how.run_trials is not None:
            counts = how.run_trials(simulation, None)
        else:
            counts = simulation.play(trials, how.seed, how.n_threads, how.report)
        head: dict[str, Any] = {"trials": trials, "seed": int(how.seed), "profiles": scenario.profiles}
        return BattleResult(scenario=scenario, rules=rules, counts=counts, simulation=simulation, game=game, **head)

    result = sampling.solve(played)
    if swing:
        result = replace(result, swings=_swings(result, sampling))
    return result


def _swings(result: BattleResult, sampling: Sampling) -> tuple[dict[str, Any], ...]:
    """Return the results without each unit, simulated with common random numbers and equally many battles each."""
    trials = swing_trials(sampling)
    threads, seed, simulation = sampling.n_threads, int(sampling.seed), result.simulation
    units, rows = result.units, []
    base = simulation.play(trials, seed, threads)
    for place, (side, unit, number) in enumerate(units):
        sampling.report(place * trials, len(units) * trials)
        without = simulation.play(trials, seed, threads, without=number)
        rows.append({"side": side, **named(unit)} | swing_of(base, without, side, trials, len(units)))
    return tuple(sorted(rows, key=lambda row: -row["difference"]))


def swing_trials(sampling: Sampling) -> int:
    """Return the number of battles for each left-out unit, fixed in advance so that the intervals stay valid."""
    return share_of_trials(sampling, 10, LEAST_FOR_SWING)


def share_of_trials(sampling: Sampling, share: int, least: int) -> int:
    """Return the number of requested battles divided by `share`, but at least `least` if that many were requested.

    If a precision is requested, the share is of the largest number of battles that it can take.
    """
    whole = sampling.trials or DEFAULT_BATTLES
    if sampling.precision is not None and not (precision := Precision.read(sampling.precision)).relative:
        whole = trials_for(precision.width)
    return min(max(whole // share, least), whole)
