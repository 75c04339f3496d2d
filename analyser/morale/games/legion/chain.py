"""Legion's rules as transitions of a unit's state: what the engines run through."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from analyser.engine.chain.chain import Chain, Die, Extent, Phase, States, bernoulli, success_die
from analyser.morale.games.legion import rules
from analyser.morale.games.legion.question import Question
from analyser.morale.questions import moves_over

WITH, WITHOUT = "with", "without"  # a commander


def cases_of(question: Question) -> dict[str, Question]:
    """The question without a commander; where there is one, with him first."""
    alone = question.model_copy(update={"commander_courage": None})
    return {WITH: question, WITHOUT: alone} if question.commander else {WITHOUT: alone}


class Unit(NamedTuple):
    """The unit as integers.

    A state is ``(moves * 2 + panicked) * (most_tokens + 1) + tokens``; then come `off_table` and `destroyed`.
    """

    courage: int
    panic_courage: int  # with the commander near
    most_tokens: int
    moves_to_edge: int  # 0: it is too far away to matter
    end_phase_tokens: int

    @property
    def off_table(self) -> int:
        """The state of a unit that has fled."""
        return max(self.moves_to_edge, 1) * 2 * (self.most_tokens + 1)

    @property
    def destroyed(self) -> int:
        """The state of a unit that was destroyed by fire: the last one."""
        return self.off_table + 1

    def tokens(self, states: States) -> States:
        """The tokens of a unit on the table, none of another."""
        return np.where(states < self.off_table, states % (self.most_tokens + 1), 0)

    def panicked(self, states: States) -> States:
        """Whether it has a panic token."""
        return states // (self.most_tokens + 1) % 2

    def changed(self, states: States, **parts: Any) -> States:
        """The states of a unit on the table with other `tokens`, `panicked` or `moves`."""
        tokens, panicked = parts.get("tokens", self.tokens(states)), parts.get("panicked", self.panicked(states))
        moves = parts.get("moves", states // (self.most_tokens + 1) // 2)
        after = (moves * 2 + panicked) * (self.most_tokens + 1) + tokens
        return np.where(states < self.off_table, after, states)


def unit_of(question: Question) -> Unit:
    """The unit of a question as integers."""
    courage = rules.NO_COURAGE if question.courage == "none" else question.courage
    most_tokens = question.tokens + sum(len(pmf) - 1 for pmf in (*question.pmfs_before, *question.pmfs_after))
    moves = moves_to_edge(question.edge_distance, question.move_distance, question.rounds_played)
    panic_courage = rules.better_courage(courage, question.commander)
    return Unit(courage, panic_courage, most_tokens, moves, question.ruleset.end_phase_tokens)


def moves_to_edge(edge_distance: float | None, move_distance: float | None, rounds: int) -> int:
    """Moves after which the leader is off the table; 0 for none within the rounds played."""
    if edge_distance is None or move_distance is None:
        return 0
    moves = moves_over(edge_distance, move_distance)
    return moves if moves <= rounds else 0


Change = Callable[[Unit, States, States], States]


def receive(unit: Unit, states: States, received: States) -> States:
    """Tokens for attacks (LG-7)."""
    return unit.changed(states, tokens=rules.receive(unit.tokens(states), received, unit.most_tokens))


def fire(unit: Unit, states: States, hit: States) -> States:
    """Fire that destroys the unit, or not."""
    return np.where((states < unit.off_table) & (hit > 0), unit.destroyed, states)


def rally(unit: Unit, states: States, successes: States) -> States:
    """The rally step (LG-2)."""
    return unit.changed(states, tokens=rules.rally(unit.tokens(states), successes))


def check(unit: Unit, states: States, near: States) -> States:
    """The panic check, the commander near or not (LG-3)."""
    courage = np.where(near, unit.panic_courage, unit.courage)
    return unit.changed(states, panicked=rules.is_panicked(unit.tokens(states), courage))


def move(unit: Unit, states: States, _: States) -> States:
    """The move of a panicked unit toward the edge (LG-5)."""
    if not unit.moves_to_edge:
        return states
    moves = rules.flee(states // (unit.most_tokens + 1) // 2, unit.panicked(states), unit.moves_to_edge)
    leaves = (states < unit.off_table) & (moves == unit.moves_to_edge)
    return np.where(leaves, unit.off_table, unit.changed(states, moves=moves))


def end(unit: Unit, states: States, _: States) -> States:
    """The end phase (LG-7)."""
    return unit.changed(states, tokens=rules.tidy(unit.tokens(states), unit.end_phase_tokens), panicked=0)


def rows(unit: Unit, change: Change, totals: int, states: States) -> States:
    """The states that a change by each total leads to: shape (states, totals)."""
    return change(unit, states[:, np.newaxis], np.arange(totals))


def chain_of(question: Question) -> Chain:
    """The rounds of a question; the state after each panic check and at the end of each round is recorded."""
    unit, ruleset = unit_of(question), question.ruleset

    def phase(change: Change, die: Die | None = None, recorded: bool = False) -> Phase:
        if die is None:
            return Phase(partial(rows, unit, change, 1), recorded=recorded)
        return Phase(partial(rows, unit, change, len(die.weights)), die, 1, recorded=recorded)

    rally_die = success_die(ruleset.rally_successes, ruleset.rally_sides)
    rallied = Phase(partial(rows, unit, rally, unit.most_tokens + 1), rally_die, unit.tokens)
    fired, moved, ended = phase(fire, bernoulli(question.destroyed)), phase(move), phase(end, recorded=True)
    received = {pmf: phase(receive, Die(pmf)) for pmf in {*question.pmfs_before, *question.pmfs_after}}
    checked = {near: phase(check, bernoulli(near), recorded=True) for near in question.nearness}
    phases: list[Phase] = []
    for before, near, after in zip(question.pmfs_before, question.nearness, question.pmfs_after):
        phases += [received[before], fired, rallied, checked[near], moved, received[after], ended]
    moves = f" and {unit.moves_to_edge} moves to the edge" if unit.moves_to_edge else ""
    extent = Extent(f"up to {unit.most_tokens} suppression tokens{moves}", "fewer tokens, or fewer rounds")
    return Chain(question.tokens, tuple(phases), unit.destroyed + 1, extent)
