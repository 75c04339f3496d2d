"""Answers about Legion: probabilities and tokens by round, and how many tokens or attacks make a unit panic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from analyser.engine.chain.chain import Chain, Recorded
from analyser.engine.chain.exact import exact_distributions
from analyser.morale.answer_parts import Keys, Panel, Sums, Table, Tables, rules_used, stack, turn_key
from analyser.morale.games.legion import rules as legion
from analyser.morale.games.legion.question import MOST_TOKENS, Question
from analyser.morale.games.legion.rules import Unit, chain_of, unit_of
from analyser.morale.questions import certain_pmf
from analyser.results.base import RulesUsed

TOKENS, ATTACKS = "tokens", "attacks"
CASES = "Commander"  # heading above the names of the chains
MAIN_EVENTS = ("panicked", "suppressed")
KEY_WORDS = {"commander": "{} a commander".format}
TOLERANCE = 1e-12  # a probability that is lower by so little still reaches `until_panic`
_LINES = ("p_suppressed", "p_panicked", "p_left_table", "p_destroyed")
PANELS = (
    Panel("curves", "rounds", "The unit", "round", _LINES, "commander"),
    Panel("cells", "tokens", "Tokens after rallying", "round", "tokens", by="commander", where={"when": "after rally"}),
    Panel("bars", "tokens_until_panic", "Panicked at one activation", "tokens", "p_panicked", by="commander"),
)


def cases_of(question: Question) -> dict[str, Question]:
    """Return the question with its commander, if it has one, and the question without a commander."""
    without = question.model_copy(update={"commander_courage": None})
    return {"with": question, "without": without} if question.commander_courage else {"without": without}


def chains(question: Question) -> dict[str, Chain]:
    """Return the chains of the cases (with and without a commander), and of the questions that vary each of them."""
    varied_chains = {
        f"{case} a commander, {number} {what}": chain_of(unit)
        for (case, what), units in _varied_questions(question).items()
        for number, unit in enumerate(units)
    }
    return {case: chain_of(unit) for case, unit in cases_of(question).items()} | varied_chains


@lru_cache(maxsize=16)
def _varied_questions(question: Question) -> dict[tuple[str, str], list[Question]]:
    """Return the question with 0, 1, ... tokens, or attacks per round (LG-7), until P(panic) reaches `until_panic`."""
    varied = {}
    for case, unit in cases_of(question).items() if question.until_panic is not None else ():
        at_edge = {"edge_distance": 0.0, "move_distance": 1.0}  # so that the first panic removes the unit
        attacked = unit.model_copy(update={"destroyed": 0.0, "received_after": (certain_pmf(0),), **at_edge})
        once = attacked.model_copy(update={"received": (certain_pmf(0),), "rounds": 1, "commander_near": (1.0,)})
        varied[case, TOKENS] = [*_questions_until_panic(TOKENS, once)]
        varied[case, ATTACKS] = [*_questions_until_panic(ATTACKS, attacked)]
    return varied


def _questions_until_panic(what: str, unit: Question) -> Iterator[Question]:
    for number in range(MOST_TOKENS + 1):
        change = {"tokens": number} if what == TOKENS else {"received": (certain_pmf(number),)}
        varied = unit.model_copy(update=change)
        yield varied
        if _panic_weights(varied, exact_distributions(chain_of(varied)))[0] >= (unit.until_panic or 0.0) - TOLERANCE:
            return


def _panic_weights(question: Question, recorded: Recorded) -> Any:
    """Return the weight of a panic up to each round: the unit is at the edge, so its first panic removes it (LG-5)."""
    return recorded.weights[1::2][:, recorded.states == unit_of(question).off_table].sum(axis=1)


def answer(question: Question, recorded: Mapping[str, Recorded]) -> Tables:
    """Return the tables `rounds` and `tokens`, and those of `_tables_until_panic` if `until_panic` is stated."""
    cases = {case: unit_of(case_question) for case, case_question in cases_of(question).items()}
    tables = {
        "rounds": stack("commander", {case: _by_round(unit, recorded[case]) for case, unit in cases.items()}),
        "tokens": stack("commander", {case: _tokens(unit, recorded[case]) for case, unit in cases.items()}),
    }
    return tables | ({} if question.until_panic is None else _tables_until_panic(question, recorded))


def _by_round(unit: Unit, recorded: Recorded) -> Table:
    """Return probabilities and means by round, from states after each panic check and at the end of each round."""
    states, weights = recorded
    at_end, on_table = weights[1::2], states < unit.off_table
    after_check = weights[0::2][:, on_table]
    tokens, panicked = unit.tokens(states[on_table]), unit.fields.get("panicked", states[on_table])
    left, destroyed = (at_end[:, states == state].sum(axis=1) for state in (unit.off_table, unit.destroyed))
    probabilities = {
        "p_suppressed": after_check[:, legion.is_suppressed(tokens, unit.courage)].sum(axis=1),
        "p_panicked": after_check[:, panicked == 1].sum(axis=1),
        "p_left_table": left,
        "p_destroyed": destroyed,
        "p_defeated": left + destroyed,
    }
    # actions that the unit may choose: a panicked unit has none, but must move toward the edge (LG-4, LG-5)
    actions = np.where(panicked, 0, legion.ACTIONS - 1 * legion.is_suppressed(tokens, unit.courage))
    means = {  # a unit that has left the table or was destroyed counts as 0
        "mean_tokens": Sums.of(after_check, tokens)._replace(ends=(0.0, float(max(tokens, default=0)))),
        "mean_actions": Sums.of(after_check, actions)._replace(ends=(0.0, float(legion.ACTIONS))),
    }
    return Table(turn_key(at_end, "round"), probabilities, means)


def _tokens(unit: Unit, recorded: Recorded) -> Table:
    mask = recorded.states < unit.off_table
    on_table = Recorded(recorded.states[mask], recorded.weights[:, mask])
    weights = on_table.grouped(unit.tokens(on_table.states), unit.most_tokens + 1)
    rounds = len(weights) // 2
    first: Keys = {
        "round": [turn for turn in range(1, rounds + 1) for _ in range(2)],
        "when": ["after rally", "end of round"] * rounds,
    }
    is_shown = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1] > 0
    is_shown[:, 0] = True
    return Table.distribution(first, {"tokens": range(unit.most_tokens + 1)}, weights, is_shown)


def _tables_until_panic(question: Question, recorded: Mapping[str, Recorded]) -> dict[str, Table]:
    """Return P(panicked) by tokens, and by round with the fewest attacks that suffice (or the most tried)."""
    by_tokens, by_round = {}, {}
    for (case, what), units in _varied_questions(question).items():
        results = [recorded[f"{case} a commander, {number} {what}"] for number in range(len(units))]
        panicked = np.array([_panic_weights(unit, result) for unit, result in zip(units, results)])
        if what == TOKENS:
            by_tokens[case] = Table({"tokens": range(len(units))}, {"p_panicked": panicked[:, 0]})
            continue
        enough = panicked / results[0].weights[0].sum() >= (question.until_panic or 0.0) - TOLERANCE
        least = np.where(enough.any(axis=0), enough.argmax(axis=0), len(units) - 1)
        keys = turn_key(least, "round") | {"attacks": least.tolist()}
        by_round[case] = Table(keys, {"p_panicked_by_then": panicked[least, range(len(least))]})
    return {
        "tokens_until_panic": stack("commander", by_tokens),
        "attacks_until_panic": stack("commander", by_round),
    }


def rules(question: Question) -> RulesUsed:
    """Return the rules used, the rules not modelled, and warnings."""
    unit, wants_panic = unit_of(question), question.until_panic is not None
    most = MOST_TOKENS if wants_panic else unit.most_tokens
    near, has_courage = [p_near for _, _, p_near in question.by_round], question.courage != "none"
    panics, flees = legion.is_panicked(most, unit.courage), legion.is_panicked(unit.most_tokens, unit.courage)
    helps = has_courage and unit.panic_courage > unit.courage and (any(near) or wants_panic)
    applied = {
        "LG-1 COURAGE": has_courage,
        "LG-1 no COURAGE: never suppressed, never panicked": not has_courage,
        "LG-2 rally step": most > 0,
        "LG-3 commander's COURAGE": panics and helps,
        "LG-3 panic check": has_courage,
        "LG-4 suppressed: one action fewer": legion.is_suppressed(most, unit.courage),
        "LG-5 a panicked unit has no action of its own choice": panics,
        "LG-5 flight to the nearest edge, straight": unit.moves_to_edge and flees,
        "LG-6 the panic token is removed": panics,
        "LG-7 tokens received and removed": most > 0,
    }
    far, purpose = question.edge_distance is None, "where they help it leave"
    not_modelled = {
        "LG-5 flight off the table: no edge_distance is stated, so the edge is far": far,
        "LG-5 the route: around terrain if that is faster, clambering if it is vertical, never into melee": not far,
        "LG-5 an engaged unit withdraws toward the nearest edge": not far,
        f"LG-5 Jump, Reposition and Spur, which it must use {purpose}: state a longer move_distance": not far,
        "LG-5 the other minis, placed in cohesion with the leader": not far,
        "LG-5 free actions, which a panicked unit does not have: mean_actions leaves them out": True,
    }
    certain = "a commander, if there is one, is certainly near; attacks_until_panic uses commander_near"
    warnings = {
        f"tokens_until_panic: {certain}": helps and wants_panic and set(near) != {1.0},
        "tokens_until_panic ignores `tokens` and `received`; attacks_until_panic ignores `received`": wants_panic
        and (question.tokens > 0 or unit.most_tokens > question.tokens),
        "no tokens: state tokens, received or received_after (LG-7)": not (unit.most_tokens or wants_panic),
        "a unit without COURAGE is never suppressed and never panics (LG-1)": not has_courage,
    }
    return rules_used(applied, not_modelled if has_courage else {}, warnings)
