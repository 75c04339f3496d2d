"""Star Wars: Legion, rules LG-1 to LG-7, read slowly: laws are dicts of state -> Fraction.

Written from the numbered rules alone, by somebody who had not seen the package; it shares nothing with it.

A state is ("lives", tokens, inches fled), "left table" or "destroyed"; between panic check and move, of a unit that
lives, whether it is panicked comes last.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from tests.oracle.plain_laws import Law, Row, Tables, by_turn, collect, fraction, marginal, picked, then, times, total

RULESET = {"rally_sides": 6, "rally_successes": 2, "end_phase_tokens": 1, "rounds": 6}
MOST = 60  # tokens, or attacks a round, that are tried


def rally(tokens: int, ruleset: dict[str, Any]) -> Law:
    """LG-2: one die per token, one token less per success."""
    success = Fraction(ruleset["rally_successes"], ruleset["rally_sides"])
    return marginal(times(tokens, success), lambda gone: tokens - gone)


def panic_courage(keys: dict[str, Any], with_commander: bool) -> int | None:
    """LG-3: its own COURAGE, or the commander's if he is near enough and it is better; None never panics (LG-1)."""
    own = courage_of(keys)
    return max(own, keys["commander_courage"]) if own is not None and with_commander else own


def courage_of(keys: dict[str, Any]) -> int | None:
    """LG-1: a whole number, or none."""
    return None if keys["courage"] in ("none", None) else int(keys["courage"])


def is_panicked(tokens: int, courage: int | None) -> bool:
    """LG-3: tokens at least twice COURAGE."""
    return courage is not None and tokens >= 2 * courage


def is_suppressed(tokens: int, courage: int | None) -> bool:
    """LG-4: tokens at least COURAGE."""
    return courage is not None and tokens >= courage


def before_activation(state: Any, received: Law, destroyed: Fraction) -> Law:
    """LG-7: fire of the round, which may destroy the unit."""
    if state[0] != "lives":
        return {state: Fraction(1)}
    hit = collect((("lives", state[1] + n, state[2]), p * (1 - destroyed)) for n, p in received.items())
    return collect([("destroyed", destroyed), *hit.items()])


def rally_step(state: Any, ruleset: dict[str, Any]) -> Law:
    """LG-2."""
    if state[0] != "lives":
        return {state: Fraction(1)}
    return {("lives", tokens, state[2]): p for tokens, p in rally(state[1], ruleset).items()}


def panic_check(state: Any, own: int | None, lent: int | None, near: Fraction) -> Law:
    """LG-3: with the commander near, or not; the panic token goes if it does not panic (LG-6)."""
    if state[0] != "lives":
        return {state: Fraction(1)}
    with_him, without = ((*state, is_panicked(state[1], courage)) for courage in (lent, own))
    return collect([(with_him, near), (without, 1 - near)])


def panicked_move(state: Any, edge: Fraction | None, move: Fraction) -> Any:
    """LG-5: a panicked unit moves its full speed toward the nearest edge; once its leader is off it is defeated."""
    if state[0] != "lives":
        return state
    if edge is None or not state[3]:
        return state[:3]
    fled = state[2] + move
    return "left table" if fled >= edge else ("lives", state[1], fled)


def end_of_round(state: Any, received_after: Law, ruleset: dict[str, Any]) -> Law:
    """LG-7: tokens received after it has activated, then the end phase takes one."""
    if state[0] != "lives":
        return {state: Fraction(1)}
    return collect(
        (("lives", max(state[1] + n - ruleset["end_phase_tokens"], 0), state[2]), p) for n, p in received_after.items()
    )


def actions(tokens: int, own: int | None, panicked: bool) -> int:
    """LG-4, LG-5: actions of its own choice: two, one if suppressed, none if panicked."""
    return 0 if panicked else 1 if is_suppressed(tokens, own) else 2


def token_rows(law: Law, commander: str, number: int, when: str) -> list[Row]:
    tokens = collect((state[1], p) for state, p in law.items() if state[0] == "lives")
    key = {"commander": commander, "round": number, "when": when}
    return [{**key, "tokens": n, "probability": p} for n, p in sorted(tokens.items())]


def nearness(keys: dict[str, Any], number: int) -> Fraction:
    """The chance that the commander is near in a round: one for all, or a list."""
    given = keys.get("commander_near", 1)
    near = given[0 if len(given) == 1 else number - 1] if isinstance(given, list) else given
    return Fraction(near) if isinstance(near, bool) else fraction(near)


def until_panic(keys: dict[str, Any], ruleset: dict[str, Any], with_commander: bool) -> tuple[list[Row], list[Row]]:
    """P(panic) by tokens at one activation; by round the least number of attacks a round, a token each (LG-7).

    Nothing takes the unit off the table here; it counts from the round on in which it first panics.
    """
    wanted = keys.get("until_panic")
    if not wanted:
        return [], []
    wanted = Fraction(1, 2) if wanted is True else fraction(wanted)
    own, lent = courage_of(keys), panic_courage(keys, with_commander)
    word = "with" if with_commander else "without"
    tokens: list[Row] = []
    for number in range(MOST + 1):
        chance = total(rally(number, ruleset), lambda left: is_panicked(left, lent))
        tokens.append({"commander": word, "tokens": number, "p_panicked": chance})
        if chance >= wanted:
            break
    attacks = []
    for last in range(1, (keys.get("rounds") or ruleset["rounds"]) + 1):
        for number in range(MOST + 1):
            chance = Fraction(0)
            law: Law = {keys.get("tokens", 0): Fraction(1)}
            for now in range(1, last + 1):
                near = nearness(keys, now) if with_commander else Fraction(0)
                law = then(law, lambda held, number=number: rally(held + number, ruleset))
                panics = {held: near * is_panicked(held, lent) + (1 - near) * is_panicked(held, own) for held in law}
                chance += sum((p * panics[held] for held, p in law.items()), Fraction(0))
                removed = ruleset["end_phase_tokens"]
                law = collect((max(held - removed, 0), p * (1 - panics[held])) for held, p in law.items())
            if chance >= wanted or number == MOST:
                attacks.append({"commander": word, "round": last, "attacks": number, "p_panicked_by_then": chance})
                break
    return tokens, attacks


def play(keys: dict[str, Any], ruleset: dict[str, Any], with_commander: bool) -> tuple[list[Row], list[Row]]:
    """A unit under fire for the rounds of a game."""
    rounds = keys.get("rounds") or ruleset["rounds"]
    received, after = (by_turn(keys.get(key, 0), rounds) for key in ("received", "received_after"))
    panic = panic_courage(keys, with_commander)
    own = courage_of(keys)  # LG-3, LG-4: the commander's COURAGE is for the panic check alone
    edge = None if keys.get("edge_distance") is None else fraction(keys["edge_distance"])
    move, destroyed = fraction(keys.get("move_distance") or 0), fraction(keys.get("destroyed", 0))
    word = "with" if with_commander else "without"
    law: Law = {("lives", keys.get("tokens", 0), Fraction(0)): Fraction(1)}
    rows, tokens = [], []
    for number in range(1, rounds + 1):
        law = then(law, lambda s, number=number: before_activation(s, received[number - 1], destroyed))
        law = then(law, lambda s: rally_step(s, ruleset))
        near = nearness(keys, number)
        law = then(law, lambda s, near=near: panic_check(s, own, panic, near))
        acting = {s: p for s, p in law.items() if s[0] == "lives"}
        row: Row = {"commander": word, "round": number}
        row["p_suppressed"] = total(acting, lambda s: is_suppressed(s[1], own))
        row["p_panicked"] = total(acting, lambda s: s[3])
        row["mean_tokens"] = sum((s[1] * p for s, p in acting.items()), Fraction(0))
        row["mean_actions"] = sum((actions(s[1], own, s[3]) * p for s, p in acting.items()), Fraction(0))
        tokens += token_rows(law, word, number, "after rally")
        law = collect((panicked_move(s, edge, move), p) for s, p in law.items())
        law = then(law, lambda s, number=number: end_of_round(s, after[number - 1], ruleset))
        tokens += token_rows(law, word, number, "end of round")
        row["p_left_table"] = law.get("left table", Fraction(0))
        row["p_destroyed"] = law.get("destroyed", Fraction(0))
        row["p_defeated"] = row["p_left_table"] + row["p_destroyed"]
        rows.append(row)
    return rows, tokens


def tables(question: dict[str, Any]) -> Tables:
    """Without a commander, and with him if there is one within his range."""
    ruleset = {**RULESET, **question.get("ruleset", {})}
    played = [play(question, ruleset, False)]
    if question.get("commander_courage") is not None:
        played.append(play(question, ruleset, True))
    answer = {"rounds": [r for rows, _ in played for r in rows], "tokens": [t for _, tokens in played for t in tokens]}
    until = [until_panic(question, ruleset, number == 1) for number in range(len(played))]
    if until[0][0]:
        answer["tokens_until_panic"] = [row for tokens, _ in until for row in tokens]
        answer["attacks_until_panic"] = [row for _, attacks in until for row in attacks]
    return answer


def number_a_round(dice: Random, rounds: int, most: int) -> Any:
    def one() -> Any:
        if dice.random() < 0.5:
            return dice.randint(0, most)
        low, high = sorted(dice.sample(range(most + 1), 2))
        return dice.choice(({low: 0.25, high: 0.75}, {low: 1, high: 0}, {low: 0.1, high: 0.9}))

    return [one() for _ in range(rounds)] if dice.random() < 0.4 else one()


TERMS = {
    **{"tokens": (None, *range(7)), "commander_courage": (None, 1, 2, 3, 4)},
    "destroyed": (None, 0, 0.1, 0.5, 1),
}
EDGES = (0, 4, 6, 12, 12.2, 0.25, 18.3, 7, 1.5, 24, 0.3, 3.3)


def questions(seed: int) -> dict[str, Any]:
    dice = Random(seed)
    rounds = dice.randint(1, 4)
    received = {"received": number_a_round(dice, rounds, 4), "received_after": number_a_round(dice, rounds, 3)}
    question: dict[str, Any] = {"courage": dice.choice((1, 1, 2, 3, 20, "none")), "rounds": rounds}
    question |= picked(dice, TERMS) | {key: value for key, value in received.items() if dice.random() < 0.7}
    if "commander_courage" in question and dice.random() < 0.6:
        chances = [dice.choice((0, 0.1, 0.5, 1, True, False)) for _ in range(rounds)]
        question["commander_near"] = dice.choice((chances, chances[0]))
    if question["courage"] in (1, 2) and dice.random() < 0.3:
        question["until_panic"] = dice.choice((True, 0.1, 0.5, 0.7))
    if dice.random() < 0.7:
        question |= {"move_distance": dice.choice((4, 6, 0.5, 6.1, 0.1, 1.1)), "edge_distance": dice.choice(EDGES)}
    if "until_panic" not in question and dice.random() < 0.4:
        sides = dice.randint(1, 8)
        rules = {"rally_sides": sides, "rally_successes": dice.randint(0, sides)}
        question["ruleset"] = rules | {"end_phase_tokens": dice.randint(0, 2)}
    return question
