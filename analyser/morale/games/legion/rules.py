"""Star Wars: Legion: suppression and panic of a unit, their effects, and the chain of rounds (LG-1 to LG-7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Die, Fields, Phase, Story, bernoulli, success_die
from analyser.morale.games.legion.question import Question
from analyser.morale.questions import exact_fraction

NO_COURAGE = 0  # a unit without COURAGE is never suppressed and never panics (LG-1)
ACTIONS = 2
Number = Any  # an integer, or an array with an integer for each state


def is_panicked(tokens: Number, panic_courage: Number) -> Any:
    """Return True if a unit with this many tokens panics (LG-1, LG-3); with fewer, it loses its panic token (LG-6)."""
    return (panic_courage != NO_COURAGE) & (tokens >= 2 * panic_courage)


def is_suppressed(tokens: Number, courage: int) -> Any:
    """Return True if a unit with this many tokens is suppressed (LG-1, LG-4)."""
    return (courage != NO_COURAGE) & (tokens >= courage)


@dataclass(frozen=True)
class Unit:
    """Numbers of a unit; its states are integers: those on the table, then `off_table` and `destroyed`."""

    courage: int
    panic_courage: int  # COURAGE in panic checks with the commander near
    most_tokens: int
    moves_to_edge: int  # number of moves; 0 if the edge is too far for the rounds of the game
    end_phase_tokens: int

    @cached_property
    def fields(self) -> Fields:
        """Fields of the states on the table."""
        return Fields({"moves": max(self.moves_to_edge, 1), "panicked": 2, "tokens": self.most_tokens + 1})

    @property
    def off_table(self) -> int:
        """State of a unit that has left the table."""
        return self.fields.size

    @property
    def destroyed(self) -> int:
        """State of a unit destroyed by fire: the highest state."""
        return self.off_table + 1

    def tokens(self, states: Any) -> Any:
        """Return the number of tokens; 0 for a unit that is not on the table."""
        return np.where(states < self.off_table, self.fields.get("tokens", states), 0)

    def read(self, state: int) -> dict[str, Any]:
        """Return a state as labels and values."""
        if state >= self.off_table:
            return {"the unit": "off the table" if state == self.off_table else "destroyed"}
        tokens = int(self.fields.get("tokens", state))
        moves = {"moves toward the edge": int(self.fields.get("moves", state))} if self.moves_to_edge else {}
        panicked, suppressed = self.fields.get("panicked", state) == 1, is_suppressed(tokens, self.courage)
        return {"tokens": tokens, "suppressed": bool(suppressed), "panicked": bool(panicked), **moves}

    def _with_fields(self, states: Any, **values: Any) -> Any:
        return np.where(states < self.off_table, self.fields.put(states, **values), states)

    def receive(self, states: Any, received: Any) -> Any:
        """Add tokens for attacks (LG-7)."""
        return self._with_fields(states, tokens=np.minimum(self.tokens(states) + received, self.most_tokens))

    def fire(self, states: Any, hit: Any) -> Any:
        """Destroy the unit if `hit` is 1."""
        return np.where((states < self.off_table) & (hit > 0), self.destroyed, states)

    def rally(self, states: Any, successes: Any) -> Any:
        """Apply the rally step: a die is rolled for each token, and each success removes a token (LG-2)."""
        return self._with_fields(states, tokens=np.maximum(self.tokens(states) - successes, 0))

    def check(self, states: Any, near: Any) -> Any:
        """Apply the panic check; `near` is 1 if the commander is near (LG-3)."""
        courage = np.where(near, self.panic_courage, self.courage)
        return self._with_fields(states, panicked=is_panicked(self.tokens(states), courage))

    def move(self, states: Any, _: Any) -> Any:
        """Move a panicked unit at full speed toward the edge (LG-5)."""
        if not self.moves_to_edge:
            return states
        moves = self.fields.get("moves", states) + self.fields.get("panicked", states)
        leaves = (states < self.off_table) & (moves == self.moves_to_edge)
        return np.where(leaves, self.off_table, self._with_fields(states, moves=moves))

    def end(self, states: Any, _: Any) -> Any:
        """Apply the end phase: remove tokens (LG-7) and the panicked state, which the next panic check decides anew."""
        return self._with_fields(states, tokens=np.maximum(self.tokens(states) - self.end_phase_tokens, 0), panicked=0)


def unit_of(question: Question) -> Unit:
    """Return the unit of a question."""
    courage = NO_COURAGE if question.courage == "none" else question.courage
    most_tokens = question.tokens + sum(len(before) + len(after) - 2 for before, after, _ in question.by_round)
    moves = moves_to_edge(question.edge_distance, question.move_distance, question.rounds_played)
    panic_courage = max(courage, question.commander_courage or 0) if courage != NO_COURAGE else courage  # (LG-3)
    return Unit(courage, panic_courage, most_tokens, moves, question.ruleset.end_phase_tokens)


def moves_to_edge(edge_distance: float | None, move_distance: float | None, rounds: int) -> int:
    """Return the number of moves that take the leader off the table; 0 if it is unknown or too far.

    >>> moves_to_edge(2.1, 0.7, 6), moves_to_edge(0.0, 6.0, 6), moves_to_edge(12.01, 2.0, 6)
    (3, 1, 0)
    """
    if edge_distance is None or move_distance is None:
        return 0
    moves = max(math.ceil(exact_fraction(edge_distance) / exact_fraction(move_distance)), 1)
    return moves if moves <= rounds else 0


def chain_of(question: Question) -> Chain:
    """Return the chain of all rounds; it records the state after each panic check and at the end of each round."""
    unit, ruleset = unit_of(question), question.ruleset
    rally_die = success_die(ruleset.rally_successes, ruleset.rally_sides)
    rally = Phase(unit.rally, rally_die, unit.tokens, most_dice=unit.most_tokens, title="Rally step (LG-2)")
    fire = Phase(unit.fire, bernoulli(question.destroyed), 1, title="Destroyed by fire")
    move = Phase(unit.move, title="Move toward the edge (LG-5)")
    end = Phase(unit.end, title="End phase (LG-7)")
    receive = cache(lambda pmf: Phase(unit.receive, Die(pmf), 1, title="Tokens for attacks (LG-7)"))
    near_words = "no commander near", "a commander near"
    check = cache(lambda near: Phase(unit.check, bernoulli(near, near_words), 1, title="Panic check (LG-3)"))
    phases: list[Phase] = []
    for before, after, near in question.by_round:
        phases += [receive(before), fire, rally, check(near), RECORD, move, receive(after), end, RECORD]
    moves = f" and {unit.moves_to_edge} moves to the edge" if unit.moves_to_edge else ""
    what = f"up to {unit.most_tokens} suppression tokens{moves}"
    story = Story(unit.read, "Round", records=2)
    return Chain(question.tokens, tuple(phases), unit.destroyed + 1, what, "fewer tokens, or fewer rounds", story)
