"""Mordheim's rout tests, rules MD-1 to MD-3, read slowly: the joint law of all warbands, turn by turn.

Where the rules leave a choice it is that of docs/rulings.md: nobody left to test on fails; a warband with everybody out
of action has a quarter out too, so it counts among those that may have given up; of a scenario whose winner is the
first to leave the game is over when one has left.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from tests.oracle.plain_laws import (
    Law,
    Tables,
    by_turn,
    collect,
    fraction,
    independent,
    marginal,
    passes,
    then,
    times,
    total,
)

State = tuple[bool, int, str, bool, bool]
Game = tuple[State, ...]
STATUSES = ("fighting", "routed", "gave up", "all out")


def at_least(roll: int) -> Fraction:
    """P(one d6 shows the roll or more)."""
    return Fraction(min(max(7 - roll, 0), 6), 6)


def one_blow(fight: dict[str, Any], turn: int, ruleset: dict[str, Any]) -> Fraction:
    """P(a blow takes its man out of action): it hits, wounds, is not saved, and the injury is that bad (MD-7, MD-8)."""
    needed = {key: fight.get(key) or ruleset[key] for key in ("to_hit", "to_wound", "save", "out_of_action")}
    hit = at_least(needed["to_hit"])
    silenced = fight.get("frenzy", False) and not ruleset["hatred_while_frenzied"]
    if fight.get("hatred") and turn == min(fight.get("turns") or [1]) and not silenced:
        hit = 1 - (1 - hit) ** 2
    return hit * at_least(needed["to_wound"]) * (1 - at_least(needed["save"])) * at_least(needed["out_of_action"])


def blows(fight: dict[str, Any]) -> int:
    """Those of one enemy (MD-7)."""
    return fight.get("attacks", 1) * (2 if fight.get("frenzy") else 1) + bool(fight.get("second_weapon"))


class Warband:
    """A warband before the game. In the game it is (leader out, others out, status, may have given up, tested)."""

    def __init__(self, keys: dict[str, Any], turns: int, ruleset: dict[str, Any]) -> None:
        self.name = keys.get("name", "warband")
        self.leader = keys["leader"]
        ranks = [o["leadership"] for o in keys.get("others", []) for _ in range(o.get("number", 1))]
        self.others = sorted(ranks, reverse=keys.get("others_fall", "weakest_first") == "strongest_first")
        self.total = 1 + len(self.others)
        self.out = keys.get("out", 0)
        self.casualties = by_turn(keys.get("casualties", 0), turns)
        self.leader_falls = keys.get("leader_falls", "random")
        self.leader_stunned = fraction(keys.get("leader_stunned", 0))
        self.gives_up_at = keys.get("gives_up_at")
        self.fights, self.ruleset = keys.get("casualties_from", []), ruleset

    def number_fallen(self, turn: int, standing: dict[str, int]) -> Law:
        """The casualties of a turn: those that are stated, and those of each fight, blow by blow."""
        law = self.casualties[turn - 1]
        for fight in self.fights:
            if turn in (fight.get("turns") or [turn]):
                enemies = min(fight.get("number", 1), standing.get(fight.get("of"), 30))
                more = times(enemies * blows(fight), one_blow(fight, turn, self.ruleset))
                law = marginal(independent([law, more]), sum)
        return law

    def standing(self, state: State) -> int:
        """How many can strike: nobody of a warband that is gone."""
        return self.total - state[0] - state[1] if state[2] == "fighting" else 0

    def fallen(self, leader_out: bool, others_out: int, number: int) -> Law:
        """(leader_out, others_out) after so many more have fallen; those who are out already cannot fall again."""
        law: Law = {(leader_out, others_out): Fraction(1)}
        for _ in range(min(number, self.total)):
            law = then(law, lambda state: self.one_falls(*state))
        return law

    def one_falls(self, leader_out: bool, others_out: int) -> Law:
        """One more goes out of action: the leader as his fate says, otherwise the next of the others."""
        standing = len(self.others) - others_out
        if leader_out or self.leader_falls == "never":
            leader = Fraction(0)
        elif self.leader_falls == "random":
            leader = Fraction(1, standing + 1)
        elif self.leader_falls == "first":
            leader = Fraction(1)
        else:  # last: he falls when there is nobody else
            leader = Fraction(int(standing == 0))
        other = (leader_out, others_out + 1) if standing else (leader_out, others_out)
        return collect([((True, others_out), leader), (other, 1 - leader)])

    def test_leadership(self, leader_out: bool, others_out: int) -> Law:
        """MD-1: the leader's Ld, or the highest of those not out; 0 if there is nobody."""
        leader = Fraction(0) if leader_out else 1 - self.leader_stunned
        return collect([(self.leader, leader), (max(self.others[others_out:], default=0), 1 - leader)])

    def start(self) -> Law:
        law = self.fallen(False, 0, self.out)
        return collect(
            ((*s, "all out" if self.all_out(*s) else "fighting", self.all_out(*s), False), p) for s, p in law.items()
        )

    def all_out(self, leader_out: bool, others_out: int) -> bool:
        return leader_out and others_out == len(self.others)

    def turn(self, state: State, turn: int, standing: dict[str, int]) -> Law:
        """Casualties, then the start of its turn: giving up (MD-2), then the rout test (MD-1)."""
        may_before = state[3]
        out: list[tuple[Hashable, Fraction]] = []
        for number, p in self.number_fallen(turn, standing).items():
            for (leader_out, others_out), q in self.fallen(state[0], state[1], number).items():
                gone = leader_out + others_out
                due = 4 * gone >= self.total
                may = may_before or due
                if self.all_out(leader_out, others_out):
                    out.append(((leader_out, others_out, "all out", may, False), p * q))
                elif self.gives_up_at is not None and gone >= self.gives_up_at and may:
                    out.append(((leader_out, others_out, "gave up", may, False), p * q))
                elif not due:
                    out.append(((leader_out, others_out, "fighting", may, False), p * q))
                else:
                    for leadership, r in self.test_leadership(leader_out, others_out).items():
                        passed = passes(leadership)
                        out.append(((leader_out, others_out, "fighting", may, True), p * q * r * passed))
                        out.append(((leader_out, others_out, "routed", may, True), p * q * r * (1 - passed)))
        return collect(out)


def left(game: Game) -> int:
    return sum(state[2] == "fighting" for state in game)


def left_first(game: Game) -> bool:
    return any(state[2] in ("routed", "gave up") for state in game)


def game_over(game: Game, winner: str) -> bool:
    """MD-3: one of several is left (or none at all); a warband without rivals in the question plays on by itself."""
    if len(game) == 1:
        return left(game) == 0
    return left(game) <= 1 or (winner == "first_to_leave" and left_first(game))


def wins(game: Game, place: int, winner: str) -> bool:
    """MD-3: the longest on the table or, if a scenario says so, the first that has left; else who alone is there."""
    if winner == "first_to_leave" and left_first(game):
        return game[place][2] in ("routed", "gave up")
    return left(game) == 1 and game[place][2] == "fighting"


def play(warbands: list[Warband], turns: int, winner: str) -> list[Law]:
    law, after = independent(band.start() for band in warbands), list[Law]()
    for turn in range(1, turns + 1):
        law = collect((tuple((*s[:4], False) for s in game), p) for game, p in law.items())
        for place, band in enumerate(warbands):

            def act(game: Any, place: int = place, band: Warband = band, turn: int = turn) -> Law:
                if game_over(game, winner) or game[place][2] != "fighting":
                    return {game: Fraction(1)}
                standing = {each.name: each.standing(state) for each, state in zip(warbands, game)}
                moved = band.turn(game[place], turn, standing)
                return {(*game[:place], s, *game[place + 1 :]): p for s, p in moved.items()}

            law = then(law, act)
        after.append(law)
    return after


def warband_tables(question: dict[str, Any], turns: int, ruleset: dict[str, Any]) -> Tables:
    """MD-1 to MD-3 by turn."""
    bands = [Warband(keys, turns, ruleset) for keys in [question["warband"], *question.get("rivals", [])]]
    winner = question.get("winner", "last_on_table")
    after = play(bands, turns, winner)
    rows = []
    for place, band in enumerate(bands):
        for turn, law in enumerate(after, start=1):

            def p(wanted: Callable[[Any], bool], place: int = place, law: Law = law) -> Fraction:
                return total(law, lambda game: wanted(game[place]))

            row = {f"p_{each.replace(' ', '_')}": p(lambda s, each=each: s[2] == each) for each in STATUSES}
            row |= {"p_tests": p(lambda s: s[4]), "p_may_have_given_up": p(lambda s: s[3])}
            row["p_fighting_without_leader"] = p(lambda s: s[2] == "fighting" and s[0])
            rows.append({"warband": band.name, "turn": turn} | row)
    answer: Tables = {"warband": rows}
    if len(bands) > 1:
        first, last = ("first_to_leave", "p_nobody_yet"), ("last_left", "p_several_left")
        name, nobody = first if winner == "first_to_leave" else last
        answer[name] = []
        for turn, law in enumerate(after, start=1):
            row = {"turn": turn, nobody: total(law, lambda game: not game_over(game, winner))}
            for place, band in enumerate(bands):
                row[f"p_{band.name}"] = total(law, lambda game, place=place: wins(game, place, winner))
            answer[name].append(row)
    return answer
