"""Solution of a duel with best play or a policy in words: the value of the duel, the plan, and the outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.engine.fight.best.backward_induction import BEST, PLANNED
from analyser.engine.fight.best.choice_program import (
    COUNT,
    FIRST,
    GUARD,
    ORDERS,
    REACTION,
    SUBJECT,
    TEST,
    Steps,
    flatten,
)
from analyser.engine.fight.best.explore import MOST_PLACES
from analyser.engine.fight.best.game_graph import MOST_EDGES, Game, GameInput, TooManyNodesError, game_of, graph_of
from analyser.engine.fight.best.plan_to_program import PartEnd, PlanPrograms
from analyser.engine.fight.program import Kind, Setup, unpack_order
from analyser.results.policy_evaluator import PolicyDecisions, PolicyLines
from analyser.results.states import JointStates, die_and_deck, is_removed, points_won, share_lost
from analyser.rules.policies import POLICIES
from analyser.rules.policy_lines import TACTIC_LINES, Line
from analyser.rules.structs import NONE
from analyser.scenarios.chooser import Chooser
from analyser.scenarios.duel import DuelScenario, bits_of_wins, common_step, duel_start, round_program, shooters_of
from analyser.scenarios.policies import Shooter, why_not
from analyser.scenarios.schema import Combatant, WantName

DUEL_SIDES = ("a", "b")
# The first estimate of the number of edges is the product of EDGES_PER_COMBINATION (measured), models and DAMAGE LIMITs
# of both sides, and branches of choices. Above CLOSE_SHARE of the limit, two probes (duels of fewer models) improve it.
EDGES_PER_COMBINATION, CLOSE_SHARE = 450, 0.45
# In a probe, models times DAMAGE LIMIT of each side is about one of PROBE_SIZES; PROBE_EDGES edges take half a second.
# Edges grow as a power of the models. The probes measure the power; if they are too large, the rounds determine it.
PROBE_SIZES, FEWEST_MODELS, PROBE_EDGES = (6, 10), 2, 600_000
GROWTH_PER_ROUND, GROWTH, MOST_GROWTH_PER_ROUND = 0.5, 1.5, 0.6
FIRST_EDGE = 0  # edge of tactics and policies in words in combats and tests: overrun, stated row, take the test
ERROR_FACTOR = 1.6  # largest measured ratio of estimated to real edges
Plan = NDArray[np.int64]
Floats = NDArray[np.float64]
_GameParts = tuple[tuple[Shooter, Shooter], GameInput, Steps]


class ChoicePoint(NamedTuple):
    """A point of the round at which a side chooses."""

    place: int  # number of its place in `game.rules` (:mod:`~analyser.engine.fight.best.choice_program`)
    side: int
    when: int  # activation of the round (:class:`~analyser.engine.fight.program.When`)
    subject: int  # see :class:`~analyser.engine.fight.best.choice_program.Choice`


@dataclass(frozen=True, eq=False)
class SolvedDuel:
    """A duel in which at least one side plays best or follows a policy in words."""

    scenario: DuelScenario
    shooters: tuple[Shooter, Shooter]  # a side with best play or a policy in words is a Chooser
    setup: Setup
    game: Game  # graph of all situations
    course: Steps  # steps and choices of a round

    @property
    def start(self) -> tuple[int, int]:
        """States of both sides at the start."""
        return duel_start(self.setup, (self.scenario.a, self.scenario.b))

    @property
    def objective_side(self) -> int:
        """Number of the side for whose objective the values count: A (0), unless only B plays best."""
        return 1 if self.choosers == (False, True) else 0

    @cached_property
    def choosers(self) -> tuple[bool, bool]:
        """True for each side that plays best."""
        first, second = (isinstance(shooter, Chooser) and not shooter.lines for shooter in self.shooters)
        return first, second

    @cached_property
    def final_values(self) -> Floats:
        """Value of each pair of states between rounds for the :attr:`objective_side`, as if the duel ended there."""
        game, scenario = self.game, self.scenario
        ends = JointStates(game.first[: game.starts], game.second[: game.starts], np.ones(game.starts))
        return objective_values(scenario.terms.want, ends, scenario, self.objective_side)

    def choice_rules(self, first: int, second: int) -> tuple[int, int]:
        """Return how both sides choose: as given, but WORST instead of BEST for the side that wants a low value."""
        mine, yours = self._signs
        return mine if first == BEST else PLANNED, yours if second == BEST else PLANNED

    @property
    def _signs(self) -> tuple[int, int]:
        """1 for the side that wants high values, -1 for the other."""
        return (1, -1) if self.objective_side == 0 else (-1, 1)

    @cached_property
    def plan_and_values(self) -> tuple[Plan, Floats]:
        """The plan of best play, and the values of all nodes in all rounds under this plan."""
        plan = self.game.blank_plan()
        for side, shooter in enumerate(self.shooters):
            if isinstance(shooter, Chooser) and shooter.lines:
                plan = self.plan_of_lines(side, shooter.lines, plan)
        first, second = (BEST if chooses else PLANNED for chooses in self.choosers)
        return plan, self.game.values(self.final_values, self.choice_rules(first, second), plan)

    @property
    def plan(self) -> Plan:
        """The edge taken in each round (from 0) and node by best play."""
        return self.plan_and_values[0]

    @cached_property
    def value(self) -> float:
        """Value of the duel for the :attr:`objective_side` under the plan."""
        return float(self.plan_and_values[1][0, 0])

    def value_of_best_response(self, plan: Plan, side: int) -> float:
        """Return the value of the duel if `side`, which must play best, replies best to the other side's `plan`."""
        first, second = (BEST if chooser == side and self.choosers[chooser] else PLANNED for chooser in range(2))
        return float(self.game.values(self.final_values, self.choice_rules(first, second), plan.copy())[0, 0])

    def value_of_plan(self, plan: Plan) -> float:
        """Return the value of the duel if both sides follow `plan`."""
        return float(self.game.values(self.final_values, (PLANNED, PLANNED), plan)[0, 0])

    @cached_property
    def exploitability(self) -> float:
        """Sum of the largest gains of both sides by deviating from the plan; 0 except for rounding."""
        gains = 0.0
        for side, sign in enumerate(self._signs):
            if self.choosers[side]:
                gains += max(sign * (self.value_of_best_response(self.plan, side) - self.value), 0.0)
        return gains

    @cached_property
    def weights(self) -> Floats:
        """Probability of each node in each round under the plan, shape (rounds + 1, nodes)."""
        return self.game.node_probabilities(self.plan)

    def moments(self) -> tuple[JointStates, ...]:
        """Return the states of both sides at the end of each round."""
        result = []
        for weights in self.weights[1:, : self.game.starts]:
            (nodes,) = np.nonzero(weights)
            result.append(JointStates(self.game.first[nodes], self.game.second[nodes], weights[nodes]))
        return tuple(result)

    @cached_property
    def plan_programs(self) -> PlanPrograms:
        return PlanPrograms(self.course, self.game, self.plan, self.weights)

    @cached_property
    def choice_points(self) -> list[ChoicePoint]:
        rules, result, when = self.game.rules, list[ChoicePoint](), int(NONE)
        for place in range(len(rules.places) - 1, 0, -1):
            subject = int(rules.places[place, SUBJECT])
            if subject != NONE:
                chooser = int(self.game.edges.choosers[place])
                result.append(ChoicePoint(place, chooser, when, subject))
            else:
                kind, _, number = rules.operations[rules.places[place, FIRST]].tolist()
                when = number if kind == Kind.BEGIN else when
        return result

    def orders_taken(self) -> Iterator[tuple[PartEnd, JointStates, NDArray[Any]]]:
        """Yield each choice of orders in each round, the states of both sides when it occurs, and the branch taken."""
        game, edges = self.game, self.game.edges
        for number, point in product(range(game.rounds), self.choice_points):
            if point.subject == ORDERS:
                nodes = game.nodes_of(point.place)
                reached = nodes.start + np.flatnonzero(self.weights[number, nodes])
                states = JointStates(game.first[reached], game.second[reached], self.weights[number, reached])
                branches = edges.weights[edges.begins[reached] + self.plan[number, reached]].astype(np.int64)
                yield PartEnd(number, point.place), states, branches

    def order_of(self, point: ChoicePoint, branch: int) -> tuple[tuple[int, int, int], int]:
        """Return the first operation of a branch of orders, and its number of strikes (1 for a chosen order)."""
        rules = self.game.rules
        guard = rules.branches[rules.places[point.place, FIRST] + branch, GUARD]
        kind, side, number = rules.operations[guard].tolist()
        return (kind, side, number), len(self.shooters[side].rows) if kind == Kind.GIVE_ORDERS else 1

    def tactics(self, side: int) -> list[str]:
        """Return the simple tactics that a side can follow; `short_range` requires a distance."""
        shooter = self.shooters[side]
        names = [name for name in POLICIES if why_not(name, shooter.unit, shooter.enemy) is None]
        return [name for name in names if name != "short_range" or shooter.distance is not None]

    def plan_of_tactic(self, side: int, name: str) -> Plan:
        """Return the plan of best play, changed so that `side` follows a simple tactic."""
        chooser = self.chooser_at(side)
        tactic = chooser.tactic(name)
        lines = TACTIC_LINES[name]
        if name == "short_range" and tactic.main_row is not None:  # the main row sets the short range
            lines = tuple(line._replace(row=tactic.main_row.id.lower()) for line in lines)
        policy = PolicyLines(lines, bool(tactic.rearms), chooser.reaction_of_tactic(tactic))
        return self._plan_following(self.plan, side, policy)

    def plan_of_lines(self, side: int, lines: Sequence[Line], plan: Plan | None = None) -> Plan:
        """Return `plan` (default: best play), changed so that `side` follows `lines`."""
        chooser = self.chooser_at(side)
        can_watch = why_not("lookout", chooser.unit, chooser.enemy) is None
        reaction = chooser.reaction_of_tactic(chooser.tactic("lookout")) if can_watch else NONE
        policy = PolicyLines(tuple(lines), any(row.has("Slow to Fire") for row in chooser.rows), reaction)
        return self._plan_following(self.plan if plan is None else plan, side, policy)

    def chooser_at(self, side: int) -> Chooser:
        chooser = self.shooters[side]
        assert isinstance(chooser, Chooser)
        return chooser

    def _plan_following(self, plan: Plan, side: int, policy: PolicyLines) -> Plan:
        plan, game = plan.copy(), self.game
        for point in self.choice_points:
            if point.side != side:
                continue
            nodes = game.nodes_of(point.place)
            if point.subject == REACTION:
                plan[:, nodes] = self._opportunity_fire_edges(nodes, policy.reaction)
                continue
            if point.subject != ORDERS:
                plan[:, nodes] = FIRST_EDGE
                continue
            decisions = PolicyDecisions(self, point, policy)
            if decisions.depends_on_round:
                for number in range(game.rounds):
                    plan[number, nodes] = decisions.edges(number)
            else:
                plan[:, nodes] = decisions.edges(0)
        return plan

    def _opportunity_fire_edges(self, nodes: slice, reaction: int) -> NDArray[np.int64]:
        """Return the edge of `reaction` in each of `nodes`; if it is impossible or NONE, the edge of holding fire."""
        edges = self.game.edges
        begins, ends = edges.begins[nodes.start : nodes.stop], edges.begins[nodes.start + 1 : nodes.stop + 1]
        result = np.zeros(len(begins), np.int64)
        if reaction != NONE:
            for edge in range(int((ends - begins).max(initial=0))):
                exists = begins + edge < ends
                result[exists & (edges.weights[np.minimum(begins + edge, ends - 1)] == reaction + 1)] = edge
        return result

    def strike_of(self, point: ChoicePoint, salvo: int) -> int:
        """Return the number of the first strike of a salvo; NONE for no salvo."""
        if salvo == NONE:
            return NONE
        chooser = self.chooser_at(point.side)
        branch = next(index for index, option in enumerate(chooser.options) if option.shots == chooser.salvos[salvo])
        return int(unpack_order(self.order_of(point, branch)[0][2]).strike)


def objective_values(want: WantName, ends: JointStates, scenario: DuelScenario, side: int) -> Floats:
    """Return the value of each final pair of states for a side, by its objective `want` (:data:`~.schema.WANTS`)."""
    sides: tuple[Combatant, Combatant] = (scenario.a, scenario.b)
    mine, theirs = sides[side], sides[1 - side]
    my_states, their_states = ends[side], ends[1 - side]
    if want == "survival":
        return (~is_removed(my_states)).astype(np.float64)
    if want == "points":
        lost = [
            share_lost(state, unit.models or 1, unit.damage_limit or 1)
            * (1 if unit.victory_points is None else unit.victory_points)
            for state, unit in ((my_states, mine), (their_states, theirs))
        ]
        return np.asarray(lost[1] - lost[0], np.float64)
    terms = scenario.terms
    won = points_won(my_states, their_states, mine, theirs, bits_of_wins(mine, theirs, terms, side))
    lost_points = points_won(their_states, my_states, theirs, mine, bits_of_wins(theirs, mine, terms, 1 - side))
    if want == "margin":
        return np.asarray(won - lost_points, np.float64)
    return np.asarray((won > lost_points) + 0.5 * (won == lost_points), np.float64)


def solved_duel(scenario: DuelScenario, most_edges: int = MOST_EDGES) -> SolvedDuel:
    """Return the solution of a duel; InputError if it is too large.

    Without a stated step, moves may end at every position that can matter, unless the graph is then too large.
    """
    parts = _checked_parts(scenario, most_edges)
    if scenario.terms.step is None and (step := common_step(scenario.a, scenario.b, scenario.terms)) is not None:
        with_all_stops = replace(scenario, terms=scenario.terms.model_copy(update={"step": step}))
        with suppress(InputError):  # raised if too large; other errors were raised above
            return _with_graph(with_all_stops, most_edges, *_checked_parts(with_all_stops, most_edges))
    return _with_graph(scenario, most_edges, *parts)


def _checked_parts(scenario: DuelScenario, most_edges: int) -> tuple[_GameParts, float]:
    """Return the parts of the game, and its estimated edges; InputError if there are clearly too many."""
    parts = _game_parts(scenario)
    places = parts[1].rules.places
    if (count := len(places)) >= MOST_PLACES:
        raise too_large_error(f"{count:,} points of a round at which something is drawn or chosen", scenario)
    likely_edges = float(EDGES_PER_COMBINATION)
    for unit in (scenario.a, scenario.b):
        likely_edges *= (unit.models or 1) * (unit.damage_limit or 1)
    likely_edges *= int(places[~np.isin(places[:, SUBJECT], (NONE, TEST)), COUNT].sum())
    limit = ERROR_FACTOR * most_edges
    if likely_edges > CLOSE_SHARE * most_edges and (size := estimated_edges(scenario, likely_edges, limit)) > limit:
        raise too_large_error(f"at least about {float(f'{size:.1g}'):,.0f} transitions between situations", scenario)
    return parts, likely_edges


def _with_graph(scenario: DuelScenario, most_edges: int, parts: _GameParts, likely_edges: float) -> SolvedDuel:
    shooters, game_input, course = parts
    try:
        game = game_of(game_input, most_edges, likely_edges)
    except TooManyNodesError as error:
        size = f"more than {most_edges:,} transitions from {error.nodes:,} situations"
        raise too_large_error(size, scenario) from None
    return SolvedDuel(scenario, shooters, game_input.setup, game, course)


def estimated_edges(scenario: DuelScenario, likely: float = 0.0, limit: float = np.inf) -> float:
    """Return the estimated number of edges of a duel, extrapolated from two duels of fewer models.

    The choice to fail tests is left out, because it adds few edges in large duels and many in small ones. The estimate
    stops early if it exceeds `limit`.
    """
    power = min(GROWTH_PER_ROUND * scenario.terms.rounds, GROWTH)
    (few, few_times), (many, many_times) = (_with_fewer_models(scenario, size) for size in PROBE_SIZES)
    enough = max(PROBE_EDGES * many_times / few_times, limit / few_times**power)  # edges at which a probe may stop
    edges = int(graph_of(_game_parts(few, with_test_choices=False)[1], int(min(PROBE_EDGES, enough)), likely).edges[0])
    if few_times == many_times or edges * few_times / many_times > PROBE_EDGES:  # the larger probe is too large
        return float(edges * few_times**power)
    more = int(graph_of(_game_parts(many, with_test_choices=False)[1], PROBE_EDGES, likely).edges[0])
    if more > PROBE_EDGES:
        return float(edges * few_times**power)
    grown = float(np.log(more / edges) / np.log(few_times / many_times))
    return float(more * many_times ** min(grown, MOST_GROWTH_PER_ROUND * scenario.terms.rounds))


def _with_fewer_models(scenario: DuelScenario, size: int) -> tuple[DuelScenario, float]:
    """Return a duel in which models times DAMAGE LIMIT is about `size` on each side, and the factor of reduction."""
    factor, fewer = 1.0, list[Combatant]()
    for unit in (scenario.a, scenario.b):
        models = unit.models or 1
        models_kept = min(models, max(size // (unit.damage_limit or 1), FEWEST_MODELS))
        fewer.append(unit.model_copy(update={"models": models_kept}))
        factor *= models / models_kept
    return replace(scenario, a=fewer[0], b=fewer[1]), factor


def _game_parts(scenario: DuelScenario, *, with_test_choices: bool = True) -> _GameParts:
    """Return both sides of a duel, the game to explore, and the steps of a round."""
    ruleset, terms = scenario.ruleset, scenario.terms
    shooters = shooters_of(scenario.a, scenario.b, terms, ruleset)
    setup, course = round_program(shooters, terms, with_test_choices=with_test_choices)
    start = duel_start(setup, (scenario.a, scenario.b))
    return shooters, GameInput(setup, flatten(course), start, terms.rounds, *die_and_deck(ruleset)), course


def too_large_error(size: str, scenario: DuelScenario) -> InputError:
    """Return the error for a game that is too large, with remedies."""
    remedies = ["fewer rounds or models", "a simple tactic for one of the two sides"]
    remedies += ["a longer step"] if scenario.terms.distance is not None else []
    remedies += ["no edge_distance"] if any(unit.edge_distance is not None for unit in (scenario.a, scenario.b)) else []
    remedies += ["no distance, or a multiple of the SPEEDs and ranges"] if scenario.terms.distance is not None else []
    return InputError(f"best play of this duel has {size}", where="duel", allowed="; ".join(remedies))
