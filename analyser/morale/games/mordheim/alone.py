"""A warrior all alone, and his flight if he breaks (MD-4 to MD-6)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, ExtraDie, Phase, Recorded, States, bernoulli, success_die
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import HIGHEST_LEADERSHIP, Alone, Question
from analyser.morale.games.mordheim.roster import DIE_SIDES, LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.morale.panels import Curves, Panel
from analyser.morale.questions import as_written
from analyser.morale.tables import Table

HOLDS, RALLIED, LEFT, DOWN, BREAKS = range(5)  # states; BREAKS: + hits


class Runner(NamedTuple):
    """The warrior as integers.

    A state is HOLDS, RALLIED (he stopped), LEFT (the table), DOWN, ``BREAKS + hits`` that wait for wounds or saves,
    `far` for one who flees far from every edge, or ``far + 1 + part * width + inches`` to the edge: whole inches, to be
    taken as `part` says (:func:`parts_of`).
    """

    after_first_run: NDArray[np.int64]  # the state that each roll of the first run leads to
    width: int
    far: int
    parts: int

    @property
    def states(self) -> States:
        """All states."""
        return np.arange(self.far + 1 + max(self.parts, 1) * self.width)

    def breaking(self, states: States) -> NDArray[np.bool_]:
        """Whether he waits for wounds or saves."""
        return (states >= BREAKS) & (states < self.far)

    def runs(self, states: States, roll: States) -> States:
        """The states of a fleeing warrior who runs toward the edge (MD-6)."""
        inches = (states - self.far - 1) % self.width
        left = rules.run(inches, roll)
        return np.where(states == self.far, states, np.where(left > 0, states - inches + left, LEFT))


def parts_of(alone: Alone) -> tuple[Fraction, ...]:
    """By how much less than whole inches a fleeing warrior is from the edge: runs are whole inches, edges need not be.

    Examples
    --------
    >>> [float(part) for part in parts_of(Alone(leadership=7, edge=12.25, edge_behind=4.0))]
    [0.75, 0.0]
    """
    edges = [as_written(edge) for edge in (alone.edge, alone.edge_behind) if edge is not None]
    return tuple(dict.fromkeys(math.ceil(edge) - edge for edge in edges))


def _after_first_run(alone: Alone, roll: int) -> Fraction | None:
    """Inches to the nearest edge after the first run, straight away from the opponents (MD-5); None: far."""
    behind = alone.edge_behind if alone.first_run_elsewhere else alone.edge
    found = [] if behind is None else [as_written(behind) - roll]
    if alone.edge is not None and alone.first_run_elsewhere:
        found.append(as_written(alone.edge))
    return min(found, default=None)


def runner_of(alone: Alone) -> Runner:
    """The warrior of a question as integers."""
    far, parts = BREAKS + alone.opponents + 1, parts_of(alone)
    ran = [_after_first_run(alone, roll) for roll in range(LOWEST_ROLL, LOWEST_ROLL + ROLLS)]
    width = 1 + max((max(math.ceil(inches), 0) for inches in ran if inches is not None), default=0)

    def state_of(inches: Fraction | None) -> int:
        if inches is None:
            return far
        whole = math.ceil(inches)
        return LEFT if inches <= 0 else far + 1 + parts.index(whole - inches) * width + whole

    return Runner(np.array([state_of(inches) for inches in ran], np.int64), width, far, len(parts))


def chain(alone: Alone, question: Question) -> Chain:
    """His first combat phase all alone, then turns: the enemy's charge, rally phase, combat phase (MD-5, MD-6).

    The states after the first combat phase and after each turn are recorded.
    """
    runner = runner_of(alone)
    states = runner.states[:, np.newaxis]
    roll, hits = np.arange(ROLLS), np.arange(alone.opponents + 2)
    breaking, fleeing = runner.breaking(states), states >= runner.far
    to_wound, save = (getattr(alone, key) or getattr(question.ruleset, key) for key in ("to_wound", "save"))
    helps = alone.rally_leader is not None and alone.leader_state == "standing"
    rally_leadership = rules.own_or_leaders(alone.leadership, alone.rally_leader or 0, helps)
    holds = (not _is_tested(alone)) | rules.passes(roll + LOWEST_ROLL, alone.leadership)
    down = np.where(states - BREAKS - hits >= alone.wounds, DOWN, BREAKS)
    of_hits = np.where(runner.breaking(runner.states), runner.states - BREAKS, 0)
    two_dice = (ExtraDie(TWO_DICE, 1),)
    combat = [
        Phase(np.where(states == HOLDS, np.where(holds, HOLDS, runner.far - 1), states), extra_dice=two_dice),
        Phase(np.where(breaking, BREAKS + hits, states), success_die(DIE_SIDES + 1 - to_wound, DIE_SIDES), of_hits),
        Phase(np.where(breaking, down, states), success_die(DIE_SIDES + 1 - save, DIE_SIDES), of_hits),
        Phase(np.where(breaking, runner.after_first_run, states), extra_dice=two_dice),
    ]
    totals = np.arange(2 * ROLLS)
    ran = runner.runs(states, totals - ROLLS + LOWEST_ROLL)
    extra = (*two_dice, ExtraDie(bernoulli(alone.charged), ROLLS))
    charged = Phase(np.where(fleeing & (totals >= ROLLS), ran, states), extra_dice=extra)
    totals = np.arange(ROLLS * ROLLS)
    rallied = rules.passes(totals % ROLLS + LOWEST_ROLL, rally_leadership)
    then = np.where(rallied, RALLIED, runner.runs(states, totals // ROLLS + LOWEST_ROLL))
    rally = Phase(np.where(fleeing, then, states), extra_dice=(*two_dice, ExtraDie(TWO_DICE, ROLLS)))
    phases = [*combat, RECORD]
    for turn in range(1, question.turns_played + 1):
        phases += [charged, rally] if alone.charged else [rally]
        phases += [*combat, RECORD] if turn < (alone.combat_phases or turn + 1) else [RECORD]
    return Chain(HOLDS, tuple(phases), len(states))


def tables(alone: Alone, question: Question, recorded: Recorded) -> dict[str, Table]:
    """The break and the flight by turn, turn 0 being that of the break; the distribution of inches to the edge."""
    runner = runner_of(alone)
    weights = recorded.of_all(len(runner.states))
    named = {"p_holds": HOLDS, "p_rallied": RALLIED, "p_left_table": LEFT, "p_down": DOWN}
    flees = weights[:, runner.far :].sum(axis=1)
    broke = weights[:, [RALLIED, LEFT, DOWN]].sum(axis=1) + flees
    probabilities = {"p_broke": broke, "p_flees": flees} | {name: weights[:, state] for name, state in named.items()}
    turns = [*range(question.turns_played + 1)]
    inches = {
        runner.far + 1 + place * runner.width + whole: float(whole - part)
        for place, part in enumerate(parts_of(alone))
        for whole in range(1, runner.width)
    }
    in_order = sorted(inches.items(), key=lambda state: state[1])
    rows = [(turn, far, weights[turn, each]) for turn in turns for each, far in in_order if weights[turn, each] > 0]
    distance = {"distance": Table.of_rows(("turn", "inches_to_edge"), rows)} if rows else {}
    return {"alone": Table({"turn": turns}, probabilities)} | distance


def panels(_: Alone, __: Question) -> Iterator[Panel]:
    """The break and the flight."""
    lines = {"p_flees": "flees", "p_left_table": "off table", "p_rallied": "rallied"}
    yield Curves("alone", "All alone: break and flight", "turn", lines)


def _is_tested(alone: Alone) -> bool:
    return rules.is_all_alone(alone.opponents, alone.friends_near)


def can_flee(alone: Alone) -> bool:
    """Whether the warrior can break, and flee on after his first run."""
    breaks = _is_tested(alone) and alone.leadership < HIGHEST_LEADERSHIP
    return breaks and bool((runner_of(alone).after_first_run != LEFT).any())


def applied(alone: Alone, _: Question) -> Mapping[str, bool]:
    """The rules of a warrior all alone, and whether each can have its occasion."""
    charged = "; charged: a run more before he can be struck" if alone.charged else ""
    test = "MD-5 all alone: a test after every combat phase, a hit from each opponent, a run away from them"
    return {test: _is_tested(alone), f"MD-6 rally, flight, the edge{charged}": can_flee(alone)}


def not_modelled(alone: Alone, _: Question) -> Iterator[str]:
    """The rules that no number comes from."""
    if _is_tested(alone):
        yield "MD-5 blows struck at him before the test, injuries; where he could be all alone again"
    if can_flee(alone):
        yield "MD-6 the way round enemies, what a charger does to a runner, spells after a rally"


def warnings(alone: Alone, _: Question) -> Iterator[str]:
    """What has no effect, and what was taken for granted."""
    if not _is_tested(alone):
        yield "no test: all alone needs two opponents or more and no friend near (MD-5)"
    elif alone.edge is None and alone.edge_behind is None:
        yield "alone: no edge is given, so every edge is far and he never reaches one"
    if _is_tested(alone) and not can_flee(alone):
        for key in ("rally_leader", "charged"):
            if getattr(alone, key):
                yield f"alone: {key} has no effect: he never flees on after a first run (MD-6)"
