"""Solution of a duel in which a side plays best: its value, plan and outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.engine.fight.best.backward_induction import BEST as MOST
from analyser.engine.fight.best.backward_induction import PLANNED
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
from analyser.engine.fight.best.plan_to_program import PlanPrograms
from analyser.engine.fight.best.solve import MOST_EDGES, Contest, Game, TooManyNodesError, game_of, graph_of
from analyser.engine.fight.program import Kind, Setup, unpack_order
from analyser.results.policy_evaluator import Decider, Lines
from analyser.results.states import JointStates, is_removed, points_won, share_lost
from analyser.rules.policies import POLICIES
from analyser.rules.policy_lines import TACTIC_LINES, Line
from analyser.rules.structs import NONE
from analyser.scenarios.best import Chooser
from analyser.scenarios.duel import DuelScenario, bits_of_wins, common_step, duel_start, round_program, shooters_of
from analyser.scenarios.policies import Shooter, why_not
from analyser.scenarios.schema import Combatant, WantName

SIDES = ("a", "b")
# Edges per combination of models and damage of both sides and per branch of a choice, measured with a distance in four
# rounds and more. If the estimate exceeds the share NEAR of the limit, smaller games are solved for a better estimate.
EDGES_A_WAY, NEAR = 450, 0.45
# Models times damage of a side in the two smaller games, their least models, and their most edges (half a second). The
# exponent by which edges grow with models comes from the two games or, failing that, from the rounds.
MODELS_TRIED, FEWEST_TRIED, MOST_TRIED = (6, 10), 2, 600_000
GROWTH_A_ROUND, GROWTH, MOST_GROWTH_A_ROUND = 0.5, 1.5, 0.6
IN_COMBAT = 0  # edge of tactics and lines in combat: overrun if possible, strike as stated or as in the charge
UNSURE = 1.6  # largest ratio of estimated to real edges
Plan = NDArray[np.int64]
Floats = NDArray[np.float64]
_LaidOut = tuple[tuple[Shooter, Shooter], Contest, Steps]


class Place(NamedTuple):
    """A place of the round where a side chooses."""

    place: int
    side: int
    when: int  # activation of the round (:class:`~analyser.engine.fight.program.When`)
    subject: int  # see :class:`~analyser.engine.fight.best.choice_program.Choice`


@dataclass(frozen=True, eq=False)
class Play:
    """A duel of which at least one side plays best.

    Attributes
    ----------
    scenario : DuelScenario
    shooters : tuple of Shooter
        Both sides; a side that plays best is a :class:`~analyser.scenarios.best.Chooser`.
    setup : Setup
    game : Game
        Graph of all situations of the duel.
    course : Course
        Course of a round.
    """

    scenario: DuelScenario
    shooters: tuple[Shooter, Shooter]
    setup: Setup
    game: Game
    course: Steps

    @property
    def start(self) -> tuple[int, int]:
        """States of both sides at the start."""
        return duel_start(self.setup, (self.scenario.a, self.scenario.b))

    @property
    def wanter(self) -> int:
        """Side whose objective defines the value: A, unless only B plays best."""
        return 1 if self.choosers == (False, True) else 0

    @cached_property
    def choosers(self) -> tuple[bool, bool]:
        """True for each side that plays best."""
        first, second = (isinstance(shooter, Chooser) and not shooter.lines for shooter in self.shooters)
        return first, second

    @cached_property
    def final(self) -> Floats:
        """Values for the :attr:`wanter` of the states between two rounds, if the duel ends there."""
        game, scenario = self.game, self.scenario
        ends = JointStates(game.first[: game.starts], game.second[: game.starts], np.ones(game.starts))
        return worth(scenario.terms.want, ends, scenario, self.wanter)

    def takes(self, first: int, second: int) -> tuple[int, int]:
        """Return the choice rule of both sides in the game: MOST with the sign of its own interest, or GIVEN."""
        signs = (1, -1) if self.wanter == 0 else (-1, 1)
        return tuple(sign if takes == MOST else PLANNED for sign, takes in zip(signs, (first, second)))  # type: ignore[return-value]

    @cached_property
    def solved(self) -> tuple[Plan, Floats]:
        """Plan of best play, and the values of all nodes in all rounds under it."""
        plan = self.game.blank_plan()
        for side, shooter in enumerate(self.shooters):
            if isinstance(shooter, Chooser) and shooter.lines:
                plan = self.plan_of_lines(side, shooter.lines, plan)
        first, second = (MOST if chooses else PLANNED for chooses in self.choosers)
        return plan, self.game.values(self.final, self.takes(first, second), plan)

    @property
    def plan(self) -> Plan:
        """Plan of best play."""
        return self.solved[0]

    @cached_property
    def value(self) -> float:
        """Value of the duel for the :attr:`wanter` under the plan."""
        return float(self.solved[1][0, 0])

    def against(self, plan: Plan, side: int) -> float:
        """Return the value of the duel if `side` plays its best response to the other side's `plan`."""
        return float(self.answered(plan, side)[0][0, 0])

    def answered(self, plan: Plan, side: int) -> tuple[Floats, Plan]:
        """Return the values of :meth:`against` at all nodes, and the plan with the best response of `side`."""
        answer = plan.copy()
        first, second = (MOST if chooser == side and self.choosers[chooser] else PLANNED for chooser in range(2))
        return self.game.values(self.final, self.takes(first, second), answer), answer

    def following(self, plan: Plan) -> float:
        """Return the value of the duel if both sides follow a plan."""
        return float(self.game.values(self.final, (PLANNED, PLANNED), plan)[0, 0])

    @cached_property
    def exploitability(self) -> float:
        """Largest gain of both sides together by deviating from the plan; 0 except for rounding."""
        sign = 1 if self.wanter == 0 else -1
        gains = [sign * (self.against(self.plan, 0) - self.value) if self.choosers[0] else 0.0]
        gains += [sign * (self.value - self.against(self.plan, 1)) if self.choosers[1] else 0.0]
        return max(gains[0], 0.0) + max(gains[1], 0.0)

    @cached_property
    def weights(self) -> Floats:
        """Probability of each node in each round under the plan, shape (rounds + 1, nodes)."""
        return self.game.node_probabilities(self.plan)

    def moments(self) -> tuple[JointStates, ...]:
        """Return the states of both sides at the end of each round."""
        result = []
        for weights in self.weights[1:, : self.game.starts]:
            (there,) = np.nonzero(weights)
            result.append(JointStates(self.game.first[there], self.game.second[there], weights[there]))
        return tuple(result)

    @cached_property
    def followed(self) -> PlanPrograms:
        """Plan in the form that the simulation follows."""
        return PlanPrograms(self.course, self.game, self.plan, self.weights)

    @cached_property
    def places(self) -> list[Place]:
        """Places of the round where a side chooses, in order."""
        rules, result, when = self.game.rules, list[Place](), int(NONE)
        for place in range(len(rules.places) - 1, 0, -1):
            subject = int(rules.places[place, SUBJECT])
            if subject != NONE:
                chooser = int(self.game.edges.choosers[place])
                result.append(Place(place, chooser, when, subject))
            else:
                kind, _, number = rules.operations[rules.places[place, FIRST]].tolist()
                when = number if kind == Kind.BEGIN else when
        return result

    def branches(self, number: int, nodes: NDArray[Any]) -> NDArray[Any]:
        """Return the branch taken in each of `nodes` in a round."""
        edges = self.game.edges
        branches: NDArray[Any] = edges.weights[edges.begins[nodes] + self.plan[number, nodes]].astype(np.int64)
        return branches

    def order_of(self, place: Place, branch: int) -> tuple[tuple[int, int, int], int]:
        """Return the first operation of a branch of orders, and the number of strikes its unit can shoot with."""
        rules = self.game.rules
        guard = rules.branches[rules.places[place.place, FIRST] + branch, GUARD]
        kind, side, number = rules.operations[guard].tolist()
        return (kind, side, number), len(self.shooters[side].rows) if kind == Kind.GIVE_ORDERS else 1

    def tactics(self, side: int) -> list[str]:
        """Return the simple tactics that a side's unit can have; `short_range` needs a distance."""
        shooter = self.shooters[side]
        names = [name for name in POLICIES if why_not(name, shooter.mine, shooter.theirs) is None]
        return [name for name in names if name != "short_range" or shooter.distance is not None]

    def plan_of_tactic(self, side: int, name: str) -> Plan:
        """Return the plan of best play, except that `side`, which can choose, follows a simple tactic."""
        chooser = self.chooser_at(side)
        tactic = chooser.tactic(name)
        lines = TACTIC_LINES[name]
        if name == "short_range" and tactic.main is not None:  # short range of the main row
            lines = tuple(line._replace(row=tactic.main.id.lower()) for line in lines)
        listed = Lines(lines, bool(tactic.rearms), chooser.reaction_of_tactic(tactic))
        return self._followed(self.plan, side, listed)

    def plan_of_lines(self, side: int, lines: Sequence[Line], plan: Plan | None = None) -> Plan:
        """Return a plan, by default that of best play, in which `side`, which can choose, follows `lines`."""
        return self._followed(self.plan if plan is None else plan, side, self.listed(side, lines))

    def listed(self, side: int, lines: Sequence[Line]) -> Lines:
        """Return lines with the defaults of the unit: re-arming and opportunity fire."""
        chooser = self.chooser_at(side)
        watches = why_not("lookout", chooser.mine, chooser.theirs) is None
        reaction = chooser.reaction_of_tactic(chooser.tactic("lookout")) if watches else NONE
        return Lines(tuple(lines), any(row.has("Slow to Fire") for row in chooser.rows), reaction)

    def chooser_at(self, side: int) -> Chooser:
        """Return a side that can choose."""
        chooser = self.shooters[side]
        assert isinstance(chooser, Chooser)
        return chooser

    def _followed(self, plan: Plan, side: int, listed: Lines) -> Plan:
        plan, game = plan.copy(), self.game
        for place in self.places:
            if place.side != side:
                continue
            nodes = game.nodes_of(place.place)
            if place.subject == REACTION:
                plan[:, nodes] = self._held_or_fired(nodes, listed.reaction)
                continue
            if place.subject != ORDERS:
                plan[:, nodes] = IN_COMBAT
                continue
            decider = Decider(self, place, listed)
            rounds = [0] if not decider.looks_at_rounds else range(game.rounds)
            for number in rounds:
                plan[slice(None) if len(rounds) == 1 else number, nodes] = decider.edges(number)
        return plan

    def _held_or_fired(self, nodes: slice, reaction: int) -> NDArray[np.int64]:
        """Return the edge of opportunity fire in each of `nodes`, or of holding fire if the shot is impossible."""
        edges = self.game.edges
        begins, ends = edges.begins[nodes.start : nodes.stop], edges.begins[nodes.start + 1 : nodes.stop + 1]
        result = np.zeros(len(begins), np.int64)
        if reaction != NONE:
            for at in range(int((ends - begins).max(initial=0))):
                inside = begins + at < ends
                result[inside & (edges.weights[np.minimum(begins + at, ends - 1)] == reaction + 1)] = at
        return result

    def strike_of(self, place: Place, salvo: int) -> int:
        """Return the number of the first strike of a salvo; NONE for no salvo."""
        if salvo == NONE:
            return NONE
        chooser = self.chooser_at(place.side)
        branch = next(at for at, option in enumerate(chooser.options) if option.shots == chooser.salvos[salvo])
        return int(unpack_order(self.order_of(place, branch)[0][2]).strike)


def worth(want: WantName, ends: JointStates, scenario: DuelScenario, side: int) -> Floats:
    """Return the value of each final pair of states for a side, by its objective (:data:`~.schema.WANTS`)."""
    sides: tuple[Combatant, Combatant] = (scenario.a, scenario.b)
    states = (ends.first, ends.second)
    mine, theirs = sides[side], sides[1 - side]
    my_states, their_states = states[side], states[1 - side]
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


def play_of(scenario: DuelScenario, most_edges: int = MOST_EDGES) -> Play:
    """Return the solution of a duel in which at least one side plays best; InputError if the duel is too large.

    Without a stated step, moves may end at every position that matters, if that game is small enough.
    """
    laid_out = _within(scenario, most_edges)
    if scenario.terms.step is None and (step := common_step(scenario.a, scenario.b, scenario.terms)) is not None:
        whole = replace(scenario, terms=scenario.terms.model_copy(update={"step": step}))
        with suppress(InputError):  # too large; other errors were raised above
            return _explored(whole, most_edges, *_within(whole, most_edges))
    return _explored(scenario, most_edges, *laid_out)


def _within(scenario: DuelScenario, most_edges: int) -> tuple[_LaidOut, float]:
    """Return the parts of a duel and its estimated number of edges; InputError if those are clearly too many."""
    laid_out = _laid_out(scenario)
    places = laid_out[1].rules.places
    if (count := len(places)) >= MOST_PLACES:
        raise too_large(f"{count:,} places where something is drawn or chosen in a round", scenario)
    ways = float(EDGES_A_WAY)
    for unit in (scenario.a, scenario.b):
        ways *= (unit.models or 1) * (unit.damage_limit or 1)
    ways *= int(places[~np.isin(places[:, SUBJECT], (NONE, TEST)), COUNT].sum())
    limit = UNSURE * most_edges
    if ways > NEAR * most_edges and (size := likely_size(scenario, ways, limit)) > limit:
        raise too_large(f"about {float(f'{size:.1g}'):,.0f} ways to go on, or more", scenario)
    return laid_out, ways


def _explored(scenario: DuelScenario, most_edges: int, laid_out: _LaidOut, ways: float) -> Play:
    """Return the duel with the graph of all its situations; InputError if it has more than `most_edges` edges."""
    shooters, contest, course = laid_out
    try:
        game = game_of(contest, most_edges, ways)
    except TooManyNodesError as error:
        raise too_large(f"more than {most_edges:,} ways to go on, from {error.nodes:,} situations", scenario) from None
    return Play(scenario, shooters, contest.setup, game, course)


def likely_size(scenario: DuelScenario, ways: float = 0.0, limit: float = np.inf) -> float:
    """Return the estimated number of edges of a duel, extrapolated from two duels of fewer models.

    The choice to fail tests is left out, because it adds few edges in large duels and many in small ones. The estimate
    takes about a second, or less if it exceeds `limit`, because it is then cut off. For duels of shipped units it is at
    most :data:`UNSURE` times the real number.
    """
    power = min(GROWTH_A_ROUND * scenario.terms.rounds, GROWTH)
    (few, few_times), (many, many_times) = (_of_fewer_models(scenario, tried) for tried in MODELS_TRIED)
    enough = max(MOST_TRIED * many_times / few_times, limit / few_times**power)  # edges with which it exceeds the limit
    edges = int(graph_of(_laid_out(few, with_test_choices=False)[1], int(min(MOST_TRIED, enough)), ways).edges[0])
    if few_times == many_times or edges * few_times / many_times > MOST_TRIED:  # the larger game would exceed the limit
        return float(edges * few_times**power)
    more = int(graph_of(_laid_out(many, with_test_choices=False)[1], MOST_TRIED, ways).edges[0])
    if more > MOST_TRIED:
        return float(edges * few_times**power)
    grown = float(np.log(more / edges) / np.log(few_times / many_times))
    return float(more * many_times ** min(grown, MOST_GROWTH_A_ROUND * scenario.terms.rounds))


def _of_fewer_models(scenario: DuelScenario, tried: int) -> tuple[DuelScenario, float]:
    """Return a duel with about `tried` models times damage per side, and the factor by which models are reduced."""
    times, fewer = 1.0, list[Combatant]()
    for unit in (scenario.a, scenario.b):
        models = unit.models or 1
        kept = min(models, max(tried // (unit.damage_limit or 1), FEWEST_TRIED))
        fewer.append(unit.model_copy(update={"models": kept}))
        times *= models / kept
    return replace(scenario, a=fewer[0], b=fewer[1]), times


def _laid_out(scenario: DuelScenario, *, with_test_choices: bool = True) -> _LaidOut:
    """Return both sides of a duel, the game to explore, and the course of a round."""
    ruleset, terms = scenario.ruleset, scenario.terms
    shooters = shooters_of(scenario.a, scenario.b, terms, ruleset)
    setup, course = round_program(shooters, terms, with_test_choices=with_test_choices)
    start, die = duel_start(setup, (scenario.a, scenario.b)), np.array(ruleset.die.faces, np.int64)
    return shooters, Contest(setup, flatten(course), start, terms.rounds, die, ruleset.deck.counts()), course


def too_large(size: str, scenario: DuelScenario) -> InputError:
    """Return the error for a game that is too large, with remedies."""
    less = ["fewer rounds or models", "a simple tactic for one of the two sides"]
    less += ["a longer step"] if scenario.terms.distance is not None else []
    less += ["no edge_distance"] if any(unit.edge_distance is not None for unit in (scenario.a, scenario.b)) else []
    less += ["no distance, or a multiple of the SPEEDs and ranges"] if scenario.terms.distance is not None else []
    return InputError(f"best play of this duel has {size}", where="duel", allowed="; ".join(less))
