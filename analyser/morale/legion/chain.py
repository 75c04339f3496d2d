"""Legion's rules, tabulated over every state of the unit: what the engines run through."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Chain, Die, Extent, Phase, States, bernoulli, success_die
from analyser.morale.legion import rules
from analyser.morale.legion.question import Question
from analyser.morale.questions import moves_over

RECEIVE, FIRE, RALLY, CHECK, MOVE, END = range(6)  # the phases of a round


WITH, WITHOUT = "with", "without"  # a commander


def cases_of(question: Question) -> dict[str, Question]:
    """The question without a commander; where there is one, with him first."""
    alone = question.model_copy(update={"commander_courage": None})
    return {WITH: question, WITHOUT: alone} if question.commander else {WITHOUT: alone}


class Unit(NamedTuple):
    """The unit as whole numbers.

    A state is ``(moves * 2 + panicked) * (most_tokens + 1) + tokens``; then come `off_table` and `destroyed`.
    """

    courage: int
    panic_courage: int  # with the commander near
    most_tokens: int
    moves_to_edge: int  # 0: it is too far away to matter
    end_phase_tokens: int
    off_table: int
    destroyed: int


def unit_of(question: Question) -> Unit:
    """The unit of a question as whole numbers."""
    courage = rules.NO_COURAGE if question.courage == "none" else question.courage
    most_tokens = question.tokens + sum(len(law) - 1 for law in (*question.laws_before, *question.laws_after))
    moves = _moves_to_edge(question)
    standing = max(moves, 1) * 2 * (most_tokens + 1)
    panic_courage = rules.better_courage(courage, question.commander)
    return Unit(courage, panic_courage, most_tokens, moves, question.ruleset.end_phase_tokens, standing, standing + 1)


def _moves_to_edge(question: Question) -> int:
    """Moves after which the leader is off the table; 0 for none within the rounds played."""
    if question.edge_distance is None or question.move_distance is None:
        return 0
    moves = moves_over(question.edge_distance, question.move_distance)
    return moves if moves <= question.rounds_played else 0


@step
def state_after(unit: Unit, phase: int, state: int, total: int) -> int:
    """The state that a phase leads to when its dice show `total`; of the panic check, whether the commander is near."""
    if state >= unit.off_table:
        return state
    tokens, moves = state % (unit.most_tokens + 1), state // (unit.most_tokens + 1) // 2
    panicked = state // (unit.most_tokens + 1) % 2
    if phase == RECEIVE:
        tokens = rules.receive(tokens, total, unit.most_tokens)
    elif phase == FIRE and total:
        return unit.destroyed
    elif phase == RALLY:
        tokens = rules.rally(tokens, total)
    elif phase == CHECK:
        panicked = int(rules.is_panicked(tokens, unit.panic_courage if total else unit.courage))
    elif phase == MOVE and unit.moves_to_edge:
        moves = rules.flee(moves, panicked, unit.moves_to_edge)
        if moves == unit.moves_to_edge:
            return unit.off_table
    elif phase == END:
        tokens, panicked = rules.tidy(tokens, unit.end_phase_tokens), 0
    return (moves * 2 + panicked) * (unit.most_tokens + 1) + tokens


@kernel
def tabulated(unit: Unit, phase: int, totals: int, states: States) -> States:
    """The states that a phase leads to: shape (states, totals)."""
    after = np.empty((len(states), totals), np.int64)
    for row, state in enumerate(states):
        for total in range(totals):
            after[row, total] = state_after(unit, phase, state, total)
    return after


def tokens_of(unit: Unit, states: States) -> States:
    """The tokens of a unit on the table, none of another."""
    return np.where(states < unit.off_table, states % (unit.most_tokens + 1), 0)


def chain_of(question: Question) -> Chain:
    """The rounds of a question; the laws after each panic check and at the end of each round are recorded."""
    unit, ruleset = unit_of(question), question.ruleset
    rally_die = success_die(ruleset.rally_successes, ruleset.rally_sides)
    rally = Phase(partial(tabulated, unit, RALLY, unit.most_tokens + 1), rally_die, partial(tokens_of, unit))
    move, end = Phase(partial(tabulated, unit, MOVE, 1)), Phase(partial(tabulated, unit, END, 1), recorded=True)
    fire = Phase(partial(tabulated, unit, FIRE, 2), bernoulli(question.destroyed), 1)
    receive = {
        law: Phase(partial(tabulated, unit, RECEIVE, len(law)), Die(law), 1)
        for law in {*question.laws_before, *question.laws_after}
    }
    checked = partial(tabulated, unit, CHECK, 2)
    check = {near: Phase(checked, bernoulli(near), 1, recorded=True) for near in question.nearness}
    phases: list[Phase] = []
    for before, near, after in zip(question.laws_before, question.nearness, question.laws_after):
        phases += [receive[before], fire, rally, check[near], move, receive[after], end]
    moves = f" and {unit.moves_to_edge} moves to the edge" if unit.moves_to_edge else ""
    extent = Extent(f"up to {unit.most_tokens} suppression tokens{moves}", "fewer tokens, or fewer rounds")
    return Chain(question.tokens, tuple(phases), unit.destroyed + 1, extent)
