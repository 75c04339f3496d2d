"""A warrior all alone, and his flight if he breaks (MD-4 to MD-6)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, ExtraDie, Phase, Recorded, bernoulli, success_die
from analyser.morale.answers import Answer, Table, rules_used
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import HIGHEST_LEADERSHIP, Alone, Question
from analyser.morale.games.mordheim.roster import DIE_SIDES, LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.morale.pictures import Curves
from analyser.morale.questions import as_written
from analyser.results.base import RulesUsed

HOLDS, RALLIED, LEFT, DOWN, BREAKS = range(5)  # states; BREAKS: + hits


class Runner(NamedTuple):
    """The warrior as integers.

    A state is HOLDS, RALLIED (he stopped), LEFT (the table), DOWN, ``BREAKS + hits`` that wait for wounds or saves,
    `far` for one who flees far from every edge, or ``far + 1 + part * width + inches`` to the edge: whole inches, less
    one of the `parts`, as runs are whole inches and edges need not be.
    """

    after_first_run: NDArray[np.int64]  # the state that each roll of the first run leads to
    width: int
    far: int
    parts: tuple[Fraction, ...]

    @property
    def size(self) -> int:
        """How many states there are."""
        return self.far + 1 + max(len(self.parts), 1) * self.width

    def breaking(self, states: Any) -> Any:
        """Whether he waits for wounds or saves."""
        return (states >= BREAKS) & (states < self.far)

    def runs(self, states: Any, roll: Any) -> Any:
        """The states of a fleeing warrior who runs toward the edge (MD-6)."""
        inches = (states - self.far - 1) % self.width
        left = mordheim.run(inches, roll)
        return np.where(states == self.far, states, np.where(left > 0, states - inches + left, LEFT))


def _after_first_run(alone: Alone, roll: int) -> Fraction | None:
    """Inches to the nearest edge after the first run, straight away from the opponents (MD-5); None: far."""
    behind = alone.edge_behind if alone.first_run_elsewhere else alone.edge
    edges = [] if behind is None else [as_written(behind) - roll]
    if alone.edge is not None and alone.first_run_elsewhere:
        edges.append(as_written(alone.edge))
    return min(edges, default=None)


def runner_of(alone: Alone) -> Runner:
    """The warrior of a question as integers."""
    edges = [as_written(edge) for edge in (alone.edge, alone.edge_behind) if edge is not None]
    far, parts = BREAKS + alone.opponents + 1, tuple(dict.fromkeys(math.ceil(edge) - edge for edge in edges))
    ran = [_after_first_run(alone, roll) for roll in range(LOWEST_ROLL, LOWEST_ROLL + ROLLS)]
    width = 1 + max((max(math.ceil(inches), 0) for inches in ran if inches is not None), default=0)

    def state_of(inches: Fraction | None) -> int:
        if inches is None:
            return far
        whole = math.ceil(inches)
        return LEFT if inches <= 0 else far + 1 + parts.index(whole - inches) * width + whole

    return Runner(np.array([state_of(inches) for inches in ran], np.int64), width, far, parts)


def chain(alone: Alone, question: Question) -> Chain:
    """His first combat phase all alone, then turns: the enemy's charge, rally phase, combat phase (MD-5, MD-6).

    The states after the first combat phase and after each turn are recorded.
    """
    runner, two_dice = runner_of(alone), (ExtraDie(TWO_DICE, 1),)
    wounds, saved = (
        success_die(DIE_SIDES + 1 - (getattr(alone, key) or getattr(question.ruleset, key)), DIE_SIDES)
        for key in ("to_wound", "save")
    )
    helps = alone.rally_leader is not None and alone.leader_state == "standing"
    rally_leadership = mordheim.own_or_leaders(alone.leadership, alone.rally_leader or 0, helps)

    def tests(states: Any, roll: Any) -> Any:
        holds = (not _is_tested(alone)) | mordheim.passes(roll + LOWEST_ROLL, alone.leadership)
        return np.where((states == HOLDS) & ~holds, runner.far - 1, states)

    def wounded(states: Any, hits: Any) -> Any:
        return np.where(runner.breaking(states), BREAKS + hits, states)

    def unsaved(states: Any, saves: Any) -> Any:
        down = states - BREAKS - saves >= alone.wounds
        return np.where(runner.breaking(states), np.where(down, DOWN, BREAKS), states)

    def first_run(states: Any, roll: Any) -> Any:
        return np.where(runner.breaking(states), runner.after_first_run[roll], states)

    def charged(states: Any, totals: Any) -> Any:
        ran = runner.runs(states, totals % ROLLS + LOWEST_ROLL)
        return np.where((states >= runner.far) & (totals >= ROLLS), ran, states)

    def rally(states: Any, totals: Any) -> Any:
        rallied = mordheim.passes(totals % ROLLS + LOWEST_ROLL, rally_leadership)
        then = np.where(rallied, RALLIED, runner.runs(states, totals // ROLLS + LOWEST_ROLL))
        return np.where(states >= runner.far, then, states)

    def hits(states: Any) -> Any:
        return np.where(runner.breaking(states), states - BREAKS, 0)

    combat = [
        Phase(tests, extra_dice=two_dice),
        Phase(wounded, wounds, hits, most_dice=alone.opponents),
        Phase(unsaved, saved, hits, most_dice=alone.opponents),
        Phase(first_run, extra_dice=two_dice),
    ]
    charge = Phase(charged, extra_dice=(*two_dice, ExtraDie(bernoulli(alone.charged), ROLLS)))
    turn = [charge] if alone.charged else []
    turn.append(Phase(rally, extra_dice=(*two_dice, ExtraDie(TWO_DICE, ROLLS))))
    phases = [*combat, RECORD]
    for number in range(1, question.turns_played + 1):
        phases += [*turn, *(combat if number < (alone.combat_phases or number + 1) else []), RECORD]
    return Chain(HOLDS, tuple(phases), runner.size)


def answer(alone: Alone, question: Question, recorded: Recorded) -> Answer:
    """The break and the flight by turn, turn 0 being that of the break; the distribution of inches to the edge."""
    runner = runner_of(alone)
    weights, turns = recorded.of_all(runner.size), {"turn": range(question.turns_played + 1)}
    named = {"p_holds": HOLDS, "p_rallied": RALLIED, "p_left_table": LEFT, "p_down": DOWN}
    flees = weights[:, runner.far :].sum(axis=1)
    broke = weights[:, [RALLIED, LEFT, DOWN]].sum(axis=1) + flees
    probabilities = {"p_broke": broke, "p_flees": flees} | {name: weights[:, state] for name, state in named.items()}
    tables = {"alone": Table(turns, probabilities)}
    inches = {
        runner.far + 1 + place * runner.width + whole: float(whole - part)
        for place, part in enumerate(runner.parts)
        for whole in range(1, runner.width)
    }
    states = sorted(inches, key=lambda state: inches[state])
    at_distance = weights[:, states]
    if at_distance.any():
        to_edge = {"inches_to_edge": [inches[state] for state in states]}
        tables["distance"] = Table.distribution(turns, to_edge, at_distance, at_distance > 0)
    lines = {"p_flees": "flees", "p_left_table": "off table", "p_rallied": "rallied"}
    return Answer(tables, [Curves("alone", "All alone: break and flight", "turn", lines)])


def _is_tested(alone: Alone) -> bool:
    return mordheim.is_all_alone(alone.opponents, alone.friends_near)


def can_flee(alone: Alone) -> bool:
    """Whether the warrior can break, and flee on after his first run."""
    breaks = _is_tested(alone) and alone.leadership < HIGHEST_LEADERSHIP
    return breaks and bool((runner_of(alone).after_first_run != LEFT).any())


def rules(alone: Alone, _: Question) -> RulesUsed:
    """The rules that the numbers come from or do not, what has no effect, and what was taken for granted."""
    tested, flees = _is_tested(alone), can_flee(alone)
    charged = "; charged: a run more before he can be struck" if alone.charged else ""
    far = alone.edge is None and alone.edge_behind is None
    return rules_used(
        {
            "MD-5 all alone: a test after every combat phase, a hit from each opponent, a run away from them": tested,
            f"MD-6 rally, flight, the edge{charged}": flees,
        },
        {
            "MD-5 blows struck at him before the test, injuries; where he could be all alone again": tested,
            "MD-6 the way round enemies, what a charger does to a runner, spells after a rally": flees,
        },
        {
            "no test: all alone needs two opponents or more and no friend near (MD-5)": not tested,
            "alone: no edge is given, so every edge is far and he never reaches one": tested and far,
            **{
                f"alone: {key} has no effect: he never flees on after a first run (MD-6)": (
                    tested and not flees and getattr(alone, key)
                )
                for key in ("rally_leader", "charged")
            },
        },
    )
