"""Answers about Legion: probabilities and tokens by round, and the number of tokens that panics a unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from analyser.engine.chain.chain import Chain, Recorded
from analyser.engine.chain.exact import exact_distributions
from analyser.morale.games.legion import rules as legion
from analyser.morale.games.legion.question import MOST_TOKENS, Question
from analyser.morale.games.legion.rules import Unit, chain_of, unit_of
from analyser.morale.questions import certainly, moves_over
from analyser.morale.result_tables import (
    Answer,
    Bars,
    Cells,
    Curves,
    Keys,
    Mean,
    Panel,
    Rules,
    Table,
    stack,
    turns_of,
)

TOKENS, ATTACKS = "tokens", "attacks"
CASES = "Commander"  # meaning of the names of several chains
NEARLY = 1e-12  # tolerance for reaching the wanted probability
LINES = {
    "p_suppressed": "suppressed",
    "p_panicked": "panicked",
    "p_left_table": "off the table",
    "p_destroyed": "destroyed by fire",
}


def cases_of(question: Question) -> dict[str, Question]:
    """Return the question with its commander, if there is one, and without."""
    alone = question.model_copy(update={"commander_courage": None})
    return {"with": question, "without": alone} if question.commander else {"without": alone}


def chains(question: Question) -> dict[str, Chain]:
    """Return a chain for each case, then one for each number of tokens or attacks tried."""
    tried = {
        f"{case} a commander, {number} {what}": chain_of(unit)
        for (case, what), several in _tried(question).items()
        for number, unit in enumerate(several)
    }
    return {case: chain_of(unit) for case, unit in cases_of(question).items()} | tried


@lru_cache(maxsize=16)
def _tried(question: Question) -> dict[tuple[str, str], list[Question]]:
    """Return the unit with 0, 1, ... tokens or attacks a round, up to the first number that panics it in round 1.

    Each attack scores a hit and gives a token (LG-2, LG-3, LG-7).
    """
    tried = {}
    for case, unit in cases_of(question).items() if question.until_panic is not None else ():
        at_the_edge = {"edge_distance": 0.0, "move_distance": 1.0}
        still = unit.model_copy(update={"destroyed": 0.0, "received_after": (certainly(0),), **at_the_edge})
        once = still.model_copy(update={"received": (certainly(0),), "rounds": 1, "commander_near": (1.0,)})
        tried[case, TOKENS] = [*_until_panic(TOKENS, once)]
        tried[case, ATTACKS] = [*_until_panic(ATTACKS, still)]
    return tried


def _until_panic(what: str, unit: Question) -> Iterator[Question]:
    for number in range(MOST_TOKENS + 1):
        more = {"tokens": number} if what == TOKENS else {"received": (certainly(number),)}
        tried = unit.model_copy(update=more)
        yield tried
        if _panicked(tried, exact_distributions(chain_of(tried)))[0] >= (unit.until_panic or 0.0) - NEARLY:
            return


def _panicked(question: Question, recorded: Recorded) -> Any:
    """Return the weight of panic by each round: at the edge, the first panicked move leaves the table (LG-5)."""
    return recorded.weights[1::2][:, recorded.states == unit_of(question).off_table].sum(axis=1)


def answer(question: Question, recorded: Mapping[str, Recorded]) -> Answer:
    """Return `rounds`, `tokens` after rally step and round, `tokens_until_panic` and `attacks_until_panic`."""
    cases = {case: unit_of(asked) for case, asked in cases_of(question).items()}
    tables = {
        "rounds": stack("commander", {case: _by_round(unit, recorded[case]) for case, unit in cases.items()}),
        "tokens": stack("commander", {case: _tokens(unit, recorded[case]) for case, unit in cases.items()}),
    }
    panels: list[Panel] = []
    for case in cases:
        where, of_whom = {"commander": case}, f"{case} a commander"
        panels.append(Curves("rounds", of_whom.capitalize(), "round", LINES, where))
        heading = f"Tokens after the rally step, {of_whom}"
        panels.append(Cells("tokens", heading, "round", "tokens", where | {"when": "after rally"}))
    if question.until_panic is not None:
        tables |= _tables_until_panic(question, recorded)
        for case in cases:
            heading = f"Panicked at one activation, {case} a commander"
            panels.append(Bars("tokens_until_panic", heading, "tokens", "p_panicked", where={"commander": case}))
    return tables, panels


def _by_round(unit: Unit, recorded: Recorded) -> Table:
    """Return probabilities and means by round, from states recorded after the panic check and at the round's end."""
    states, weights = recorded
    ended, on_table = weights[1::2], states < unit.off_table
    standing = weights[0::2][:, on_table]
    tokens, panicked = unit.tokens(states[on_table]), unit.fields.get("panicked", states[on_table])
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
    return Table(turns_of(ended, "round"), probabilities, means)


def _tokens(unit: Unit, recorded: Recorded) -> Table:
    """Return the distribution of the tokens of a unit on the table, up to the largest possible number."""
    on_table = recorded.states < unit.off_table
    standing = Recorded(recorded.states[on_table], recorded.weights[:, on_table])
    weights = standing.grouped(unit.tokens(standing.states), unit.most_tokens + 1)
    rounds = len(weights) // 2
    first: Keys = {
        "round": [turn for turn in range(1, rounds + 1) for _ in range(2)],
        "when": ["after rally", "end of round"] * rounds,
    }
    kept = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1] > 0
    kept[:, 0] = True
    return Table.distribution(first, {"tokens": range(unit.most_tokens + 1)}, weights, kept)


def _tables_until_panic(question: Question, recorded: Mapping[str, Recorded]) -> dict[str, Table]:
    """Return P(panicked) by tokens, and by round the smallest sufficient number of attacks, or the largest tried."""
    by_tokens, by_round = {}, {}
    for (case, what), several in _tried(question).items():
        here = [recorded[f"{case} a commander, {number} {what}"] for number in range(len(several))]
        panicked = np.array([_panicked(unit, counted) for unit, counted in zip(several, here)])
        if what == TOKENS:
            by_tokens[case] = Table({"tokens": range(len(several))}, {"p_panicked": panicked[:, 0]})
            continue
        enough = panicked / here[0].weights[0].sum() >= (question.until_panic or 0.0) - NEARLY
        least = np.where(enough.any(axis=0), enough.argmax(axis=0), len(several) - 1)
        keys = turns_of(least, "round") | {"attacks": least.tolist()}
        by_round[case] = Table(keys, {"p_panicked_by_then": panicked[least, range(len(least))]})
    return {
        "tokens_until_panic": stack("commander", by_tokens),
        "attacks_until_panic": stack("commander", by_round),
    }


def rules(question: Question) -> Rules:
    """Return the rules used, the rules not modelled, and warnings about keys without effect and assumptions."""
    unit, wants_panic = unit_of(question), question.until_panic is not None
    most = MOST_TOKENS if wants_panic else unit.most_tokens
    near, has_courage = [p_near for _, _, p_near in question.by_round], question.courage != "none"
    panics, flees = legion.is_panicked(most, unit.courage), legion.is_panicked(unit.most_tokens, unit.courage)
    meets = any(near) or wants_panic
    applied = {
        "LG-1 COURAGE": has_courage,
        "LG-1 no COURAGE: never suppressed, never panicked": not has_courage,
        "LG-2 rally step": most > 0,
        "LG-3 commander's COURAGE": panics and question.commander and unit.panic_courage > unit.courage and meets,
        "LG-3 panic check": has_courage,
        "LG-4 suppressed: one action fewer": legion.is_suppressed(most, unit.courage),
        "LG-5 a panicked unit has no action of its own choice": panics,
        "LG-5 flight to the nearest edge, straight": unit.moves_to_edge and flees,
        "LG-6 the panic token goes": panics,
        "LG-7 tokens received and removed": most > 0,
    }
    far, where = question.edge_distance is None, "where they help it leave"
    not_modelled = {
        "LG-5 flight off the table: no edge_distance was given, so the edge is far": far,
        "LG-5 the way: around terrain where that is faster, clambering where it is vertical, never into melee": not far,
        "LG-5 an engaged unit withdraws toward the nearest edge": not far,
        f"LG-5 Jump, Reposition and Spur, which it must use {where}: state a longer move_distance": not far,
        "LG-5 the other minis, placed in cohesion with the leader": not far,
        "LG-5 free actions, which a panicked unit does not have: mean_actions leaves them out": True,
    }
    beyond = f"range {question.commander_range} is beyond {question.ruleset.commander_range}"
    helps = has_courage and unit.panic_courage > unit.courage
    no_better = has_courage and question.commander > 0 and not helps
    certain = "`with` is a commander near for certain; in attacks_until_panic: as commander_near says"
    no_better_than = f"{question.commander_courage} is not better than the unit's own {question.courage}"
    nobody, useless = question.commander_courage is None, "has no effect: no commander_courage was given (LG-3)"
    moves = moves_over(question.edge_distance or 0.0, question.move_distance or 1.0)
    warnings = {
        f"commander_courage has no effect: {beyond} (LG-3)": not nobody and not question.commander,
        f"commander_near {useless}": nobody and question.commander_near != (1.0,),
        f"commander_range {useless}": nobody and question.commander_range != 1,
        f"commander_courage has no effect: {no_better_than} (LG-3)": no_better,
        f"tokens_until_panic: {certain}": helps and wants_panic and set(near) != {1.0},
        "commander_courage has no effect: the commander is never near (commander_near, LG-3)": helps and not meets,
        f"edge_distance has no effect: {moves} moves to the edge, {question.rounds_played} rounds (LG-5)": not (
            far or unit.moves_to_edge
        ),
        "no tokens: state tokens, received or received_after (LG-7)": not (unit.most_tokens or wants_panic),
        "a unit without COURAGE is never suppressed and never panics (LG-1)": not has_courage,
    }
    return Rules(applied, not_modelled if has_courage else {}, warnings)
