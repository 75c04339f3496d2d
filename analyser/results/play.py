"""A duel in which somebody plays best, worked out: what it is worth, what to do when, and what comes of that."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.engine.fight.best.backup import BEST as MOST
from analyser.engine.fight.best.backup import GIVEN
from analyser.engine.fight.best.game import FIRST, GUARD, ORDERS, REACTION, SUBJECT, flattened
from analyser.engine.fight.best.habits import Habit, edges_of_habit
from analyser.engine.fight.best.solve import MOST_EDGES, Game, TooManyWaysError, game_of
from analyser.engine.fight.program import Kind, Setup
from analyser.results.states import JointStates, is_removed, points_won, share_lost
from analyser.rules.policies import POLICIES, Policy
from analyser.rules.structs import NONE
from analyser.scenarios.best import Chooser
from analyser.scenarios.duel import DuelScenario, bits_of_wins, course_of, duel_start, shooters_of
from analyser.scenarios.policies import Shooter, why_not
from analyser.scenarios.schema import Combatant, WantName

SIDES = ("a", "b")
# Edges for each number of models and damage of both sides and each branch of a choice: about as many as were found with
# a distance in four rounds and more; and how far beyond the room that estimate may be before a game is refused by it.
EDGES_A_WAY, SPARED = 450, 2
Plan = NDArray[np.int64]
Floats = NDArray[np.float64]


class Place(NamedTuple):
    """A place where a side chooses."""

    place: int
    side: int
    when: int  # which activation of the round it is in (:class:`~analyser.engine.fight.program.When`)
    subject: int  # ORDERS or REACTION


@dataclass(frozen=True, eq=False)
class Play:
    """A duel of which at least one side plays best.

    Attributes
    ----------
    scenario : DuelScenario
    shooters : tuple of Shooter
        Both sides; who plays best is a :class:`~analyser.scenarios.best.Chooser`.
    setup : Setup
    game : Game
        All that can come of it.
    """

    scenario: DuelScenario
    shooters: tuple[Shooter, Shooter]
    setup: Setup
    game: Game

    @property
    def wanter(self) -> int:
        """The side whose wish the value is of: A, unless only B plays best."""
        return 0 if self.shooters[0].chooses else 1

    @property
    def choosers(self) -> tuple[bool, bool]:
        """Whether each side plays best."""
        return self.shooters[0].chooses, self.shooters[1].chooses

    @cached_property
    def final(self) -> Floats:
        """What the states between two rounds are worth to the :attr:`wanter`, if the duel ends there."""
        game, scenario = self.game, self.scenario
        ends = JointStates(game.first[: game.starts], game.second[: game.starts], np.ones(game.starts))
        return worth(scenario.terms.want, ends, scenario, self.wanter)

    def takes(self, first: int, second: int) -> tuple[int, int]:
        """What both sides take, of which each is for itself (MOST) or plays as is GIVEN, for the values of a game."""
        signs = (1, -1) if self.wanter == 0 else (-1, 1)
        return tuple(sign if takes == MOST else GIVEN for sign, takes in zip(signs, (first, second)))  # type: ignore[return-value]

    @cached_property
    def solved(self) -> tuple[Plan, Floats]:
        """The plan of best play, and the values of all nodes in all rounds under it."""
        plan = self.game.blank_plan()
        first, second = (MOST if chooses else GIVEN for chooses in self.choosers)
        return plan, self.game.values(self.final, self.takes(first, second), plan)

    @property
    def plan(self) -> Plan:
        """The plan of best play."""
        return self.solved[0]

    @cached_property
    def value(self) -> float:
        """What the duel is worth to the :attr:`wanter` under it."""
        return float(self.solved[1][0, 0])

    def against(self, plan: Plan, side: int) -> float:
        """What the duel is worth if that side does best against the other one's `plan`."""
        answer = plan.copy()
        first, second = (MOST if each == side and self.choosers[each] else GIVEN for each in range(2))
        return float(self.game.values(self.final, self.takes(first, second), answer)[0, 0])

    def following(self, plan: Plan) -> float:
        """What the duel is worth if both sides follow a plan."""
        return float(self.game.values(self.final, (GIVEN, GIVEN), plan)[0, 0])

    @cached_property
    def exploitability(self) -> float:
        """How much both sides together could win by leaving the plan alone; 0 but for rounding."""
        sign = 1 if self.wanter == 0 else -1
        gains = [sign * (self.against(self.plan, 0) - self.value) if self.choosers[0] else 0.0]
        gains += [sign * (self.value - self.against(self.plan, 1)) if self.choosers[1] else 0.0]
        return max(gains[0], 0.0) + max(gains[1], 0.0)

    @cached_property
    def weights(self) -> Floats:
        """How likely each node is in each round under the plan, shape (rounds + 1, nodes)."""
        return self.game.spread(self.plan)

    def moments(self) -> tuple[JointStates, ...]:
        """How both sides stand at the end of each round."""
        found = []
        for weights in self.weights[1:, : self.game.starts]:
            (there,) = np.nonzero(weights)
            found.append(JointStates(self.game.first[there], self.game.second[there], weights[there]))
        return tuple(found)

    @cached_property
    def places(self) -> list[Place]:
        """The places of the round where somebody chooses, the first of the round first."""
        rules, found, when = self.game.rules, list[Place](), int(NONE)
        for place in range(len(rules.places) - 1, 0, -1):
            subject = int(rules.places[place, SUBJECT])
            if subject != NONE:
                chooser = int(self.game.edges.choosers[place])
                found.append(Place(place, chooser, when, subject))
            else:
                kind, _, number = rules.operations[rules.places[place, FIRST]].tolist()
                when = number if kind == Kind.BEGIN else when
        return found

    def deeds(self) -> dict[tuple[int, str], dict[tuple[str, str], float]]:
        """By round and side the probability of what it does, and why."""
        from analyser.engine.fight.actions import ACTED_ELSEWHEN, WHYS, Did, Why, actions_of, named

        game, by_round = self.game, dict[tuple[int, str], dict[int, float]]()

        def add(number: int, side: int, deeds: Any, weights: Floats) -> None:
            known = by_round.setdefault((number + 1, SIDES[side]), {})
            for deed in np.unique(deeds).tolist():
                if deed != ACTED_ELSEWHEN:
                    known[deed] = known.get(deed, 0.0) + float(weights[deeds == deed].sum())

        for number in range(game.rounds):
            for place in self.places:
                if place.subject != ORDERS:
                    continue
                nodes = game.nodes_of(place.place)
                there = nodes.start + np.flatnonzero(self.weights[number, nodes])
                branches = self._branches(number, there)
                for branch in np.unique(branches).tolist():
                    at = there[branches == branch]
                    operation, shots = self._order(place, branch)
                    deeds = actions_of(self.setup, operation, place.when, shots, game.first[at], game.second[at])
                    add(number, place.side, deeds, self.weights[number, at])
            over = np.flatnonzero(
                self.weights[number, : game.starts] * (np.diff(game.edges.begins[: game.starts + 1]) == 0)
            )
            for side, states in enumerate((game.first[over], game.second[over])):
                gone = is_removed(states)
                deeds = np.where(gone, Did.WAS_GONE * WHYS + Why.GONE, Did.HAD_NO_ACTIVATION * WHYS + Why.ENEMY_GONE)
                add(number, side, deeds, self.weights[number, over])
        return {key: {named(deed): by_round[key][deed] for deed in sorted(by_round[key])} for key in sorted(by_round)}

    def _branches(self, number: int, nodes: NDArray[Any]) -> NDArray[Any]:
        """The branch that is taken in each of those nodes in a round."""
        edges = self.game.edges
        branches: NDArray[Any] = edges.weights[edges.begins[nodes] + self.plan[number, nodes]].astype(np.int64)
        return branches

    def _order(self, place: Place, branch: int) -> tuple[tuple[int, int, int], int]:
        """The operation by which a branch of orders begins, and how many strikes its unit can shoot with."""
        rules = self.game.rules
        guard = rules.branches[rules.places[place.place, FIRST] + branch, GUARD]
        kind, side, number = rules.operations[guard].tolist()
        return (kind, side, number), len(self.shooters[side].rows) if kind == Kind.GIVE_ORDERS else 1

    def habits(self, side: int) -> list[str]:
        """The habits that the unit of a side can have."""
        shooter = self.shooters[side]
        return [name for name in POLICIES if why_not(name, shooter.mine, shooter.theirs) is None]

    def plan_of_habit(self, side: int, name: str) -> Plan:
        """The plan of best play, but that one side, which can choose, follows a habit."""
        chooser = self.shooters[side]
        assert isinstance(chooser, Chooser)
        habit, plan, game = chooser.habit(name), self.plan.copy(), self.game
        salvo, reaction = chooser.salvo_of(habit), chooser.reaction_of(habit)
        table = [
            (int(each.manoeuvre), int(each.action), chooser.salvos.index(each.shots) if each.shots else NONE)
            for each in chooser.options
        ]
        for place in self.places:
            if place.side != side:
                continue
            nodes = game.nodes_of(place.place)
            begins = game.edges.begins[nodes.start : nodes.stop + 1]
            weights = game.edges.weights
            if place.subject == REACTION:
                for node in range(nodes.start, nodes.stop):
                    branches = game.branches_at(node)
                    wanted = np.flatnonzero(branches == reaction + 1)
                    plan[:, node] = wanted[0] if reaction != NONE and len(wanted) else 0
                continue
            shot = NONE if salvo == NONE else self._strike_of(place, chooser, salvo)
            taken = edges_of_habit(
                self.setup,
                Habit((int(Kind.GIVE_ORDERS), side, shot), int(Policy[name.upper()]), bool(habit.rearms), salvo),
                np.array(table, np.int64),
                game.first[nodes],
                game.second[nodes],
                begins,
                weights,
            )
            plan[:, nodes] = taken
        return plan

    def _strike_of(self, place: Place, chooser: Chooser, salvo: int) -> int:
        """The number of the first strike of a salvo."""
        from analyser.engine.fight.program import order_in

        branch = next(at for at, each in enumerate(chooser.options) if each.shots == chooser.salvos[salvo])
        return int(order_in(self._order(place, branch)[0][2])[2])


def worth(want: WantName, ends: JointStates, scenario: DuelScenario, side: int) -> Floats:
    """What each pair of states is worth to a side at the end, by what it wants (:data:`~.schema.WANTS`)."""
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
    """A duel of which at least one side plays best; InputError where more can come of it than there is room for."""
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    setup, course = course_of(shooters, scenario.terms)
    start = duel_start(setup, (scenario.a, scenario.b))
    die, deck = np.array(scenario.ruleset.die.faces, np.int64), scenario.ruleset.deck.counts()
    rules, ways = flattened(course), float(EDGES_A_WAY)
    for unit in (scenario.a, scenario.b):
        ways *= (unit.models or 1) * (unit.damage_limit or 1)
    ways *= len(rules.branches)
    if ways > SPARED * most_edges:
        raise too_large(f"about {ways:.1g} ways to go on", scenario)
    try:
        game = game_of(setup, rules, start, scenario.terms.rounds, die, deck, most_edges)
    except TooManyWaysError as error:
        raise too_large(
            f"more than {most_edges:.1g} ways to go on, from {error.nodes:,} situations", scenario
        ) from None
    return Play(scenario, shooters, setup, game)


def too_large(size: str, scenario: DuelScenario) -> InputError:
    """The refusal of a game that is too large, with what would make it smaller."""
    less = ["fewer rounds or models", "a habit for one of the two sides"]
    less += ["no distance, or a multiple of the SPEEDs and ranges"] if scenario.terms.distance is not None else []
    return InputError(f"best play of this duel has {size}", where="duel", allowed="; ".join(less))
