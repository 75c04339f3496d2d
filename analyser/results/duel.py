"""Result of a duel (AC-9.2, AC-9.4): both units round by round, and the winner by victory points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyser import plots
from analyser.common.answer import Block
from analyser.common.estimates import estimate, estimate_in, probability_figures
from analyser.common.frames import tidy
from analyser.common.means import mean_between, mean_figures, mean_in, mean_text
from analyser.common.method_settings import Sampling
from analyser.common.text import counted, spaced
from analyser.engine.fight.action_reasons import (
    ACTED_ELSEWHEN,
    REASON_FACTOR,
    ActionTaken,
    Reason,
    names_of,
    packed_actions,
)
from analyser.engine.fight.best.plan_to_program import PartEnd
from analyser.engine.fight.program import Setup
from analyser.results import rules_used, states
from analyser.results.attack import UNIT_FIGURES, unit_line
from analyser.results.base import result_sentence
from analyser.results.duel_actions import actions_block, main_reason_to_hold
from analyser.results.duel_solution import DUEL_SIDES, SolvedDuel, objective_values, solved_duel
from analyser.results.rendering import figure_rows, figure_text
from analyser.results.states import ALIVE, FATES, FightResult, JointStates, solve_fight, unit_name
from analyser.rules.policies import BEST, POLICIES
from analyser.scenarios.duel import (
    DuelScenario,
    OrdersPoint,
    bits_of_wins,
    duel_start,
    program_of_shooters,
    shooters_of,
    split_at_orders,
)
from analyser.scenarios.schema import PROBABILITY_WANTS, WANTS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

DUEL_RESULTS = ("a_wins", "draw", "b_wins")
DEVASTATING = ("a_devastating", "b_devastating")
STATUSES = ("suppressed", "disordered", "on_lookout", "taking_cover", "reloading", "fell_back", "in_building")
DEVASTATING_RATIO = 2  # AC-9.4
DuelT = TypeVar("DuelT", bound="DuelResult")


@dataclass(frozen=True, repr=False, kw_only=True)
class DuelResult(FightResult):
    """Result of a duel.

    Attributes
    ----------
    moments : tuple of JointStates
        States of both sides at the end of each round; A is the first side.
    setup : Setup
        Constants of the duel, for the engines.
    orders : tuple of (OrdersPoint, JointStates)
        States of both sides at each choice of orders; empty for a duel with a solution.
    solution : SolvedDuel or None
        The solved duel if a side plays best or follows a policy in words.
    simulated_orders : tuple of (PartEnd, JointStates)
        States at each choice of orders in a simulated duel with a solution.
    """

    kind = "duel"
    moment_noun = "round"
    sides = DUEL_SIDES
    figures = (*(f"{side}_{what}" for side in DUEL_SIDES for what in (*UNIT_FIGURES, "victory_points")), "margin")

    scenario: DuelScenario
    setup: Setup
    orders: tuple[tuple[OrdersPoint, JointStates], ...] = ()
    solution: SolvedDuel | None = None
    simulated_orders: tuple[tuple[PartEnd, JointStates], ...] = ()

    @cached_property
    def events(self) -> tuple[str, ...]:
        of_sides = (f"{side}_{name}" for side in DUEL_SIDES for name in (ALIVE, "annihilated", *FATES, *STATUSES))
        return (*DUEL_RESULTS, *DEVASTATING, *of_sides)

    def event(self, name: str, moment: int | None = None) -> NDArray[np.bool_]:
        if name not in (*DUEL_RESULTS, *DEVASTATING):
            return super().event(name, moment)
        a, b = (self.victory_points(side, moment) for side in DUEL_SIDES)
        if name in DUEL_RESULTS:
            return np.asarray({"a_wins": a > b, "draw": a == b, "b_wins": a < b}[name])
        mine, theirs = (a, b) if name.startswith("a") else (b, a)
        return np.asarray((mine > theirs) & (mine >= DEVASTATING_RATIO * theirs))

    def values(self, figure: str, moment: int | None = None) -> NDArray[np.int64]:
        if figure == "margin":
            return self.victory_points("a", moment) - self.victory_points("b", moment)
        if figure.endswith("victory_points"):
            return self.victory_points(figure[0], moment)
        return super().values(figure, moment)

    def victory_points(self, side: str, moment: int | None = None) -> NDArray[np.int64]:
        """Return the VP of a side at the end of a round, for each pair of states (AC-5.9; Hunter, AC-7)."""
        number, ends = DUEL_SIDES.index(side), self.joint_states(moment)
        mine, theirs = self.units[number], self.units[1 - number]
        bits = bits_of_wins(mine, theirs, self.scenario.terms, number)
        return states.points_won(ends[number], ends[1 - number], mine, theirs, bits)

    @property
    def _possible_points(self) -> list[NDArray[np.int64]]:
        result = []
        for number, (mine, theirs) in enumerate((self.units, self.units[::-1])):
            wins = np.arange(1 << bits_of_wins(mine, theirs, self.scenario.terms, number))
            rating = 1 if theirs.victory_points is None else theirs.victory_points
            result.append(np.unique(np.add.outer(wins, [0, rating])))
        return result

    def _possible_values(self, figure: str) -> NDArray[Any]:
        if figure == "margin":
            return np.unique(np.subtract.outer(*self._possible_points))
        if figure.endswith("victory_points"):
            return self._possible_points[DUEL_SIDES.index(figure[0])]
        return super()._possible_values(figure)

    def _all_weights(self) -> list[NDArray[Any]]:
        return [*super()._all_weights(), np.array([share for row in self._actions.values() for share in row.values()])]

    def rounds(self) -> list[dict[str, Any]]:
        """Return the figures at the end of each round, one plain dict per round and side."""
        rows = []
        for number, side in product(range(1, len(self.moments) + 1), DUEL_SIDES):
            events = {f"p_{name}": f"{side}_{name}" for name in (ALIVE, *FATES, *STATUSES)}
            means = {"mean_models": f"{side}_models_left", "mean_damage_left": f"{side}_damage_left"}
            figures = {"round": number, "side": side} | self._named_figures(events, means, number)
            rows.append(figures | self._percentiles("models", f"{side}_models_left", number))
        return rows

    rows = rounds  # printed by ``--format csv``

    @cached_property
    def _actions(self) -> dict[tuple[int, str], dict[tuple[str, str], Any]]:
        """Weights of each action and its reason, by round and side."""
        totals: dict[tuple[int, str], dict[int, Any]] = {}
        parts = _actions_of_tactics if self.solution is None else _actions_of_plan
        for number, side, actions, weights in parts(self):
            of_side = totals.setdefault((number, DUEL_SIDES[side]), {})
            for action in np.unique(actions).tolist():
                if action != ACTED_ELSEWHEN:
                    of_side[action] = of_side.get(action, 0) + weights[actions == action].sum()
        return {
            key: {names_of(action): totals[key][action] for action in sorted(totals[key])} for key in sorted(totals)
        }

    def activations(self) -> list[dict[str, Any]]:
        """Return the actions of each side in each round, one plain dict per action and reason.

        Keys are `round`, `side`, `did` (the action), `because` (the reason), and `probability`, if simulated with its
        interval. The probabilities of a side in a round add up to 1.

        Examples
        --------
        >>> import analyser
        >>> result = analyser.duel("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic", rounds=1, first="a")
        >>> [(row["side"], row["did"], row["because"]) for row in result.activations()][:2]
        [('a', 'shot_aiming', 'policy'), ('b', 'was_gone', 'gone')]
        """
        rows = []
        for (number, side), weights in self._actions.items():
            for (did, because), weight in weights.items():
                row = {"round": number, "side": side, "did": did, "because": because}
                rows.append(row | probability_figures("probability", estimate(weight, self.trials)))
        return rows

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        return (*super().warnings, *self._idle_warnings())

    def _idle_warnings(self) -> Iterator[str]:
        """Yield a warning for each side without best play that does nothing in half of its activations or more."""
        for side, unit, policy in zip(DUEL_SIDES, self.units, self._policy_texts):
            reason = main_reason_to_hold([row for row in self.activations() if row["side"] == side])
            if reason and policy != BEST:
                no_speed = unit.speed is None and self.scenario.terms.distance is not None
                cause = f"; {side}.speed is not stated, so it does not move" if no_speed else ""
                yield f"{side} does nothing in at least half of its activations, mostly because: {reason}{cause}"

    def planned(self) -> dict[str, Any] | None:
        """Return the value of a plan: exact, with cards put back, and simulated, by default with decks that run out.

        Returns
        -------
        dict or None
            `side`, whose objective is `want`; `planned`, the exact value; `played`, the simulated value, and the
            `difference`, both with standard errors and intervals. None if exact, or for simple tactics.
        """
        if self.solution is None or self.exact:
            return None
        terms, side = self.scenario.terms, self.solution.objective_side
        ends = self.moments[-1]
        points = self._possible_points
        possible = np.array([0, 1]) if terms.want in PROBABILITY_WANTS else np.append(points[side], -points[1 - side])
        values = objective_values(terms.want, ends, self.scenario, side)
        mean = mean_between(values, ends.weights, self.trials, possible)
        figures = mean_figures("played", mean) | mean_figures("difference", mean.minus(self.solution.value))
        return {"side": DUEL_SIDES[side], "want": terms.want, "planned": self.solution.value, **figures}

    @cached_property
    def summary(self) -> dict[str, Any]:
        of_sides = [f"{side}_{fate}" for side in DUEL_SIDES for fate in (ALIVE, *FATES)]
        means = {"mean_{}_models_left": "models_left", "mean_{}_damage_left": "damage_left"}
        means["expected_{}_victory_points"] = "victory_points"
        figures = {name.format(side): f"{side}_{what}" for name, what in means.items() for side in DUEL_SIDES}
        events = {f"p_{name}": name for name in (*DUEL_RESULTS, *DEVASTATING, *of_sides)}
        return self._named_figures(events, figures | {"expected_margin": "margin"})

    def table(self) -> dict[str, NDArray[Any]]:
        """Return the states of both units at the end as columns by name; see :meth:`to_frame`."""
        names = (*UNIT_FIGURES, *STATUSES, *FATES, "victory_points")
        return self.joint(f"{side}_{name}" for side in DUEL_SIDES for name in names)

    def to_frame(self, *, by_round: bool = False, activations: bool = False) -> pd.DataFrame:
        """Return the joint distribution of both units at the end, the figures by round, or the actions of both sides.

        Parameters
        ----------
        by_round : bool
            Return one row per round and side: probability of being alive, models, statuses and fates.
        activations : bool
            Return the :meth:`activations` instead.

        Returns
        -------
        DataFrame
            By default, for each side (``a_``, ``b_``): `models_left`, `models_destroyed`, `damage_left`, statuses,
            fates, `victory_points`; then `probability`; if simulated, also `count`, `low`, `high`, `interval`.
        """
        return tidy(self.activations() if activations else self.rounds() if by_round else self.table())

    def _body(self) -> dict[str, Any]:
        parts = {"rounds": self.rounds(), "activations": self.activations(), "margins": self.margins()}
        plan = self.planned()
        return {**parts, "summary": self.summary} | ({} if plan is None else {"planned": plan})

    @property
    def _policy_texts(self) -> tuple[str, ...]:
        policies = self.scenario.terms.policy_a, self.scenario.terms.policy_b
        return tuple(policy if isinstance(policy, str) else "; ".join(policy) for policy in policies)

    def caption(self) -> list[str]:
        sides = zip("AB", self.units, self._policy_texts)
        return [*(f"{side}: {unit_name(unit)}, {policy}" for side, unit, policy in sides), *super().caption()]

    def plot(self, ax: Axes | None = None, **more: Any) -> Axes:
        return plots.survival(self, ax=ax, **more)

    def heading(self) -> list[tuple[str, str]]:
        terms = self.scenario.terms
        first = "by coin toss each round" if terms.first == "random" else terms.first.upper()
        where = "" if terms.distance is None else f', {terms.distance:g}" apart'
        lines = [("Duel", f"{counted(terms.rounds, 'round')}, first: {first}{where}")]
        for side, unit, policy in zip("AB", self.units, self._policy_texts):
            lines.append((side, f"{unit_name(unit)}: {unit_line(unit)}; policy {policy}"))
        return lines

    @property
    def headline(self) -> str:
        first, second = map(unit_name, self.units)
        return result_sentence(first, second, *map(self.probability, ("a_wins", "b_wins", "draw")))

    def blocks(self) -> list[Block]:
        sides = {f"p_{{}}_{name}": f"P({name})" for name in (ALIVE, *FATES)}
        sides |= {"mean_{}_models_left": "Mean models left", "expected_{}_victory_points": "Expected victory points"}
        if any(unit.keeps_damage for unit in self.units):
            sides["mean_{}_damage_left"] = "Mean damage left"
        margins = [
            [f"{row['margin']:+d}" if row["margin"] else "0", str(estimate_in(row, "probability"))]
            for row in self.margins()
        ]
        return [
            _rounds_block(self),
            actions_block(self.activations(), len(self.moments)),
            Block("At the end, by victory points", rows=figure_rows(self.summary, _RESULT_LABELS)),
            Block(head=("", "A", "B"), rows=figure_rows(self.summary, sides, DUEL_SIDES)),
            Block("VP difference (A - B)", rows=margins, align=">"),
            *self._plan_blocks(),
        ]

    def _plan_blocks(self) -> list[Block]:
        """Return the exact and the simulated value of the plan (AC-9.3)."""
        plan = self.planned()
        if plan is None:
            return []
        in_percent = plan["want"] in PROBABILITY_WANTS
        factor, suffix = (100.0, "%") if in_percent else (1.0, " VP")
        rows = [
            ["Planned, with cards put back", f"{factor * plan['planned']:.2f}{suffix} exact"],
            ["Simulated", mean_text(mean_in(plan, "played").times(factor), suffix)],
            ["Difference", mean_text(mean_in(plan, "difference").times(factor), " pp" if in_percent else suffix)],
        ]
        return [Block(f"Value of the plan for {plan['side'].upper()}: {WANTS[plan['want']]}", rows=rows)]


def solve_duel(scenario: DuelScenario, sampling: Sampling) -> DuelResult:
    """Return the result of a duel."""
    if not all(policy in POLICIES for policy in (scenario.terms.policy_a, scenario.terms.policy_b)):
        return solve_with_plan(scenario, sampling)
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    setup, rounds = program_of_shooters(shooters, scenario.terms)
    parts, orders, ends = split_at_orders(rounds, shooters)

    def make_result(moments: Sequence[JointStates], **fields: Any) -> DuelResult:
        return DuelResult(
            moments=tuple(moments[part] for part in ends),
            setup=setup,
            orders=tuple((order, moments[order.part]) for order in orders),
            rules=rules_used.rules_of_duel(scenario, shooters, with_replacement=sampling.with_replacement),
            **fields,
        )

    return solve_fight(scenario, setup, parts, duel_start(setup, (scenario.a, scenario.b)), sampling, make_result)


def solve_with_plan(scenario: DuelScenario, sampling: Sampling, result_type: type[DuelT] = DuelResult) -> DuelT:  # type: ignore[assignment]
    """Return the result of a duel with best play or a policy in words; a simulation follows the exact plan."""
    solution = solved_duel(scenario)
    rules = rules_used.rules_of_duel(solution.scenario, solution.shooters, with_replacement=sampling.with_replacement)
    common: dict[str, Any] = {"setup": solution.setup, "solution": solution, "rules": rules}
    if sampling.is_exact:
        return result_type(moments=solution.moments(), scenario=scenario, profiles=scenario.profiles, **common)
    programs = solution.plan_programs

    def make_result(moments: Sequence[JointStates], **fields: Any) -> DuelT:
        orders = (
            (moment, moments[part]) for part, moment in enumerate(programs.part_ends) if part not in programs.round_ends
        )
        ends = tuple(moments[part] for part in programs.round_ends)
        return result_type(moments=ends, simulated_orders=tuple(orders), **common, **fields)

    fight = solution.setup, programs.programs, solution.start
    return solve_fight(scenario, *fight, sampling, make_result, programs.choices)


ActionPart = tuple[int, int, NDArray[Any], NDArray[Any]]  # round, side, packed actions, and their weights


def _actions_of_tactics(duel: DuelResult) -> Iterator[ActionPart]:
    for orders, (first, second, weights) in duel.orders:
        operation = int(orders.operation.kind), int(orders.operation.side), int(orders.operation.number)
        actions = packed_actions(duel.setup, operation, orders.when, orders.shots, first, second)
        yield orders.round, operation[1], actions, weights


def _actions_of_plan(duel: DuelResult) -> Iterator[ActionPart]:
    """Yield the actions under a plan: with probabilities or, if simulated, with counts."""
    solution: Any = duel.solution
    points = {point.place: point for point in solution.choice_points}
    followed: Iterable[tuple[PartEnd, JointStates, NDArray[Any]]] = (
        (*state, solution.plan_programs.branches(solution.setup, *state)) for state in duel.simulated_orders
    )
    for (number, place), (first, second, weights), branches in followed if not duel.exact else solution.orders_taken():
        point = points[place]
        for branch in np.unique(branches).tolist():
            taken = branches == branch
            operation, shots = solution.order_of(point, branch)
            actions = packed_actions(solution.setup, operation, point.when, shots, first[taken], second[taken])
            yield number + 1, point.side, actions, weights[taken]
    if not duel.exact:
        return
    game = solution.game
    has_ended = np.diff(game.edges.begins[: game.starts + 1]) == 0  # no edge: no side acts after the end
    gone = ActionTaken.WAS_GONE * REASON_FACTOR + Reason.GONE
    idle = ActionTaken.HAD_NO_ACTIVATION * REASON_FACTOR + Reason.ENEMY_GONE
    for number in range(game.rounds):
        over = np.flatnonzero(solution.weights[number, : game.starts] * has_ended)
        for side, ends in enumerate((game.first[over], game.second[over])):
            yield number + 1, side, np.where(states.is_removed(ends), gone, idle), solution.weights[number, over]


_RESULT_LABELS = {
    "p_a_wins": "P(A wins)",
    "p_draw": "P(draw)",
    "p_b_wins": "P(B wins)",
    "p_a_devastating": "P(A devastating victory)",
    "p_b_devastating": "P(B devastating victory)",
}


def _rounds_block(result: DuelResult) -> Block:
    rounds = result.rounds()
    head, rows = ["round"], [[str(number)] for number in range(1, len(result.moments) + 1)]
    for side, unit in zip(DUEL_SIDES, result.units):
        of_side = [figures for figures in rounds if figures["side"] == side]
        shown = [name for name in STATUSES if any(figures[f"p_{name}"] for figures in of_side)]
        damage = ["damage"] if unit.keeps_damage else []
        head += [f"{side.upper()} alive", "models", "10-90%", *damage, *(spaced(name) for name in shown)]
        for row, figures in zip(rows, of_side):
            row.extend([figure_text(figures, "p_alive"), figure_text(figures, "mean_models")])
            row.append(f"{figures['models_10th_percentile']}-{figures['models_90th_percentile']}")
            row.extend([figure_text(figures, "mean_damage_left")] if damage else [])
            row.extend(figure_text(figures, f"p_{name}") for name in shown)
    return Block("By round", head, rows, ">", lines=["10-90%: models left in the middle 80% of duels, 0 if removed"])
