"""The tables that answer a question about Legion: by round, and the distribution of the tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from analyser.engine.chain.chain import Chain, Recorded
from analyser.morale.games.legion import rules as legion
from analyser.morale.games.legion import until
from analyser.morale.games.legion.chain import Unit, cases_of, chain_of, unit_of
from analyser.morale.games.legion.question import MOST_TOKENS, Question
from analyser.morale.panels import Bars, Cells, Curves, Panel
from analyser.morale.questions import moves_over
from analyser.morale.tables import Mean, Table, stacked


def chains(question: Question) -> dict[str, Chain]:
    """One chain without a commander; where there is one, one with him first; those of :mod:`until` panic."""
    return {name: chain_of(each) for name, each in cases_of(question).items()} | until.chains(question)


def tables(question: Question, recorded: dict[str, Recorded]) -> dict[str, Table]:
    """`rounds`: what becomes of the unit by round; `tokens`: their distribution after the rally step and the round."""
    cases = {name: unit_of(each) for name, each in cases_of(question).items()}
    by_round = [_by_round(unit, recorded[name]) for name, unit in cases.items()]
    tokens = [row for name, unit in cases.items() for row in _tokens(name, unit, recorded[name])]
    return {
        "rounds": stacked(by_round, commander=list(cases)),
        "tokens": Table.of_rows(("commander", "round", "when", "tokens"), tokens),
    } | until.tables(question, recorded)


def _by_round(unit: Unit, recorded: Recorded) -> Table:
    """Probabilities and means by round, of the states after the panic check and at the round's end in turn."""
    states, weights = recorded
    checked, ended = weights[0::2], weights[1::2]
    on_table = states < unit.off_table
    tokens, panicked = unit.tokens(states[on_table]), unit.panicked(states[on_table])
    standing = checked[:, on_table]
    left, destroyed = (ended[:, states == state].sum(axis=1) for state in (unit.off_table, unit.destroyed))
    probabilities = {
        "p_suppressed": standing[:, legion.is_suppressed(tokens, unit.courage)].sum(axis=1),
        "p_panicked": standing[:, panicked == 1].sum(axis=1),
        "p_left_table": left,
        "p_destroyed": destroyed,
        "p_defeated": left + destroyed,
    }
    actions = legion.actions_left(tokens, unit.courage, panicked)
    means = {"mean_tokens": Mean.of(standing, tokens), "mean_actions": Mean.of(standing, actions)}
    return Table({"round": [*range(1, len(left) + 1)]}, probabilities, means)


def _tokens(case: str, unit: Unit, recorded: Recorded) -> Iterator[tuple[Any, ...]]:
    """The distribution of the tokens of a unit on the table."""
    on_table = recorded.states < unit.off_table
    standing = Recorded(recorded.states[on_table], recorded.weights[:, on_table])
    for place, weights in enumerate(standing.grouped(unit.tokens(standing.states), unit.most_tokens + 1)):
        for tokens in range(int(np.flatnonzero(weights).max(initial=0)) + 1):
            yield case, place // 2 + 1, ("after rally", "end of round")[place % 2], tokens, weights[tokens]


def panels(question: Question) -> Iterator[Panel]:
    """By round without and with a commander, and the tokens that are left after the rally step."""
    lines = {
        "p_suppressed": "suppressed",
        "p_panicked": "panicked",
        "p_left_table": "off the table",
        "p_destroyed": "destroyed by fire",
    }
    for case in cases_of(question):
        where, of_whom = {"commander": case}, f"{case} a commander"
        yield Curves("rounds", of_whom.capitalize(), "round", lines, where)
        heading = f"Tokens after the rally step, {of_whom}"
        yield Cells("tokens", heading, "round", "tokens", where | {"when": "after rally"})
    for case in cases_of(question) if question.until_panic is not None else ():
        heading = f"Panicked at one activation, {case} a commander"
        yield Bars("tokens_until_panic", heading, "tokens", "p_panicked", where={"commander": case})


def applied(question: Question) -> list[str]:
    """The rules that the numbers come from: those that can have their occasion."""
    unit = unit_of(question)
    most = MOST_TOKENS if question.until_panic is not None else unit.most_tokens
    if question.courage == "none":
        rules = {"LG-1 no COURAGE: never suppressed, never panicked": True}
    else:
        panics = legion.is_panicked(most, unit.courage)
        rules = {
            "LG-1 COURAGE": True,
            "LG-3 panic check": True,
            "LG-3 commander's COURAGE": panics and _commander_helps(question),
            "LG-4 suppressed: one action fewer": legion.is_suppressed(most, unit.courage),
            "LG-5 a panicked unit has no action of its own choice": panics,
            "LG-5 flight to the nearest edge, straight": (
                unit.moves_to_edge > 0 and legion.is_panicked(unit.most_tokens, unit.courage)
            ),
            "LG-6 the panic token goes": panics,
        }
    rules |= {"LG-2 rally step": most > 0, "LG-7 tokens received and removed": most > 0}
    return sorted(rule for rule, holds in rules.items() if holds)


def _commander_helps(question: Question) -> bool:
    """Whether there is a commander whose COURAGE is better, and who is ever near (LG-3)."""
    unit, near = unit_of(question), any(question.nearness) or question.until_panic is not None
    return question.commander > 0 and unit.panic_courage > unit.courage and near


def not_modelled(question: Question) -> Iterator[str]:
    """The rules that no number comes from."""
    if question.courage == "none":
        return
    if question.edge_distance is None:
        yield "LG-5 flight off the table: no edge_distance was given, so the edge is far"
    else:
        yield "LG-5 the way: around terrain where that is faster, clambering where it is vertical, never into melee"
        yield "LG-5 an engaged unit withdraws toward the nearest edge"
        yield "LG-5 Jump, Reposition and Spur, which it must use where they help it leave: state a longer move_distance"
        yield "LG-5 the other minis, placed in cohesion with the leader"
    yield "LG-5 free actions, of which a panicked unit has none: mean_actions counts no free action"


def warnings(question: Question) -> Iterator[str]:
    """What has no effect, and what was taken for granted."""
    if question.commander_courage is not None and not question.commander:
        allowed = question.ruleset.commander_range
        yield f"commander_courage has no effect: range {question.commander_range} is beyond {allowed} (LG-3)"
    if question.commander_courage is None:
        keys = {"commander_near": question.commander_near != (1.0,), "commander_range": question.commander_range != 1}
        why = "no commander_courage was given (LG-3)"
        yield from (f"{key} has no effect: {why}" for key, stated in keys.items() if stated)
    elif question.commander and question.courage != "none":
        if question.commander <= question.courage:
            why = f"{question.commander} is no better than the unit's own {question.courage}"
            yield f"commander_courage has no effect: {why} (LG-3)"
        elif question.until_panic is not None and set(question.nearness) != {1.0}:
            near = "`with` is a commander near for certain; in attacks_until_panic: as commander_near says"
            yield f"tokens_until_panic: {near}"
        elif not any(question.nearness):
            yield "commander_courage has no effect: the commander is never near (commander_near, LG-3)"
    unit = unit_of(question)
    if question.edge_distance is not None and question.move_distance is not None and not unit.moves_to_edge:
        moves, rounds = moves_over(question.edge_distance, question.move_distance), question.rounds_played
        yield f"edge_distance has no effect: {moves} moves to the edge, {rounds} rounds (LG-5)"
    if not unit.most_tokens and question.until_panic is None:
        yield "no tokens: state tokens, received or received_after (LG-7)"
    if question.courage == "none":
        yield "a unit without COURAGE is never suppressed and never panics (LG-1)"
