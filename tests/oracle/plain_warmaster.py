"""Warmaster, confusion: a slow and plain reading of WM-1 to WM-9, in exact fractions.

Written from the numbered rules alone, by somebody who had not seen the package; it shares nothing with it.
``tables(question)`` answers as the program's JSON does; ``questions(seed)`` makes a question up, over every key.
Every ambiguity that had to be settled is marked with "Settled:", as `docs/rulings.md` settles it.
"""

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tests.oracle.plain_laws import Law, Row, Tables, certainly, independent, marginal, number_law, picked, then, total
from tests.oracle.plain_laws import fraction as exact

RULESET = {"touching_is_into": False, "tests_for_chain": "direct", "gap": 1.0, "stands": 3}
SIX = Fraction(1, 6)
CAUSES = {
    "p_six_on_drive_back_dice": "dice",
    "p_by_terrain": "terrain",
    "p_by_enemy_or_combat": "enemy",
    "p_by_friends_that_made_way": "made way",
    "p_by_friends_that_did_not": "did not",
}


@dataclass(frozen=True)
class Friend:
    """A unit that is pushed, and what it pushes itself."""

    yields: bool
    pushes: tuple["Friend", ...] = ()

    def can_make_way(self) -> bool:
        """WM-5: not if it is unyielding, or has no room because something that it would push cannot."""
        return self.yields and all(friend.can_make_way() for friend in self.pushes)

    def everyone(self) -> list["Friend"]:
        return [self, *(one for friend in self.pushes for one in friend.everyone())]


def friend_of(kind: str, chain: Any) -> Friend:
    """So many friends, one pushing the next."""
    return Friend(kind == "friend", (friend_of("friend", chain - 1),) if chain else ())


def pushed_by(obstacle: Row) -> Friend | None:
    return friend_of("friend", obstacle.get("chain", 0)) if obstacle["kind"] == "friend" else None


@dataclass(frozen=True)
class Obstacle:
    distance: Fraction
    kind: str
    friend: Friend | None
    make_way: bool | None
    stands: int | None


@dataclass(frozen=True)
class State:
    stands: int
    lost: int = 0
    causes: frozenset[str] = frozenset()
    friends: int = 0
    distance: Fraction = Fraction(0)
    at: str | None = None

    @property
    def gone(self) -> bool:
        """WM-8: all its stands are destroyed."""
        return self.lost >= self.stands

    @property
    def confused(self) -> bool:
        """A destroyed unit is counted no more."""
        return bool(self.causes) and not self.gone


class Move:
    """One move of the unit, under one way in which its friends decide."""

    def __init__(self, question: Row, ruleset: Row, policy: str) -> None:
        self.kind = question.get("move", "driven_back")
        self.gap = exact(ruleset["gap"])
        self.touching = ruleset["touching_is_into"]
        self.tests_for_all = ruleset["tests_for_chain"] == "all"
        self.policy = policy
        self.obstacles = [
            Obstacle(exact(o["distance"]), o["kind"], pushed_by(o), o.get("make_way"), o.get("stands"))
            for o in question.get("obstacles", [])
        ]
        self.lengths = self.lengths_of(question)

    def lengths_of(self, question: Row) -> Law:
        """WM-1: (distance, whether a drive-back die shows 6), or the distance that was given."""
        if self.kind == "driven_back":
            faces = independent([dict.fromkeys(range(1, 7), SIX)] * (question.get("dice") or 1))
            return marginal(faces, lambda shown: (sum(shown), 6 in shown))
        return marginal(number_law(question["distance"]), lambda length: (length, False))

    def effect_at(self, obstacle: Obstacle) -> Fraction:
        """Where the unit halts: WM-3, 1 cm short of enemies and combat (as near to that as it stands)."""
        if obstacle.kind in ("enemy", "combat"):
            return max(Fraction(0), obstacle.distance - self.gap)
        return obstacle.distance

    def goes_into(self, obstacle: Obstacle, length: int) -> bool:
        """Whether a move of this length goes into it.

        WM-3: falling back, not to end 1 cm away is enough, whatever the distance of the move. Settled: driven back or
        retreating too, a unit that would end nearer than that has gone into the enemy, if it moves at all.
        """
        if obstacle.kind in ("enemy", "combat"):
            too_near = length > obstacle.distance - self.gap
            return too_near and (length > 0 or self.kind == "falls_back")
        return length > obstacle.distance or (self.touching and length == obstacle.distance)

    def met(self, length: int) -> list[Obstacle]:
        """The obstacles of its way, in the order in which they matter.

        Settled: at one place a friend that can make way comes before what halts the unit only if touching it is going
        into it; of two that halt it there the nearer comes first, of two as near the one that does so without a roll.
        """

        def order(obstacle: Obstacle) -> tuple:
            friend = obstacle.friend is not None and (self.kind == "evades" or obstacle.friend.can_make_way())
            touched = self.touching and obstacle.kind not in ("enemy", "combat")
            place = self.effect_at(obstacle)
            return place, not touched, friend != self.touching, obstacle.distance, obstacle.kind == "impassable"

        return sorted((o for o in self.obstacles if self.goes_into(o, length)), key=order)

    def tests(self, friend: Friend) -> int:
        """WM-4: one for each unit that it forces to make way; what "forces" means is the ruleset's."""
        if self.tests_for_all:
            return len(friend.everyone()) - 1
        return len(friend.pushes)

    def make_way(self, friend: Friend) -> Law:
        """WM-4, WM-7: (the mover is confused, how many friends are); every test is a die of its own."""
        everyone = friend.everyone()
        tests = [len(everyone) if self.tests_for_all else 1, *(1 + self.tests(one) for one in everyone)]
        safe = [(1 - SIX) ** number for number in tests]
        confused = independent({False: each, True: 1 - each} for each in safe)
        return marginal(confused, lambda of_each: (of_each[0], sum(of_each[1:])))

    def halts(self, state: State, obstacle: Obstacle, cause: str | None) -> State:
        causes = state.causes | ({cause} if cause else set())
        return replace(state, causes=causes, distance=self.effect_at(obstacle), at=obstacle.kind)

    def loses_stands(self, state: State, obstacle: Obstacle) -> State:
        """WM-8: the stands that it blocks, all of them if nothing is said.

        Settled: each obstacle blocks other stands than those before it did.
        """
        blocked = state.stands if obstacle.stands is None else obstacle.stands
        state = replace(state, lost=min(state.stands, state.lost + blocked))
        if state.gone:
            state = replace(state, distance=self.effect_at(obstacle), at=obstacle.kind)
        return state

    def blocked(self, state: State, obstacle: Obstacle) -> Law:
        """What an obstacle that does not yield does to the unit (WM-2, WM-3, WM-4, WM-8)."""
        if self.kind == "retreats":
            return certainly(self.loses_stands(state, obstacle))
        if obstacle.kind == "impassable":
            return {self.halts(state, obstacle, "terrain"): SIX, self.halts(state, obstacle, None): 1 - SIX}
        cause = "enemy" if obstacle.kind in ("enemy", "combat") else "did not"
        return certainly(self.halts(state, obstacle, cause))

    def pushes(self, state: State, obstacle: Obstacle) -> Law:
        def after(confused: Any) -> State:
            mover, number = confused
            causes = state.causes | ({"made way"} if mover else set())
            return replace(state, causes=causes, friends=state.friends + number)

        return marginal(self.make_way(obstacle.friend), after)

    def goes_on(self, state: State, ahead: list[Obstacle], length: int) -> Law:
        if state.at is not None or state.gone:
            return certainly(state)
        if not ahead:
            return certainly(replace(state, distance=Fraction(length), at="open ground"))
        obstacle, rest = ahead[0], ahead[1:]

        def on(step: Law) -> Law:
            return then(step, lambda after: self.goes_on(after, rest, length))

        if self.kind == "evades" and obstacle.kind == "friend":  # WM-6
            return on(certainly(replace(state, friends=state.friends + 1)))
        if obstacle.kind != "friend" or not obstacle.friend.can_make_way() or obstacle.make_way is False:
            return on(self.blocked(state, obstacle))
        if obstacle.make_way or self.policy == "always":
            return on(self.pushes(state, obstacle))
        if self.policy == "never":
            return on(self.blocked(state, obstacle))
        return self.fewest(on(self.pushes(state, obstacle)), on(self.blocked(state, obstacle)))

    def fewest(self, makes_way: Law, does_not: Law) -> Law:
        """The choice that confuses fewer units on average, with all dice so far in sight.

        Settled: in a retreat it is making way, as stands destroyed weigh more than any confusion; where both confuse
        as many, the friend makes way.
        """
        if self.kind == "retreats":
            return makes_way
        one, other = (total(law, lambda end: end.confused + end.friends) for law in (makes_way, does_not))
        return makes_way if one <= other else does_not

    def law(self, stands: int) -> Law:
        def moved(how: Any) -> Law:
            length, six = how
            return self.goes_on(State(stands, causes=frozenset({"dice"} if six else ())), self.met(length), length)

        return then(self.lengths, moved)


def policies(question: Row) -> list[str | None]:
    """The ways in which friends decide; one only (None) if no friend has a choice."""
    free = [
        o
        for o in question.get("obstacles", [])
        if o["kind"] == "friend" and o.get("make_way") is None and friend_of("friend", o.get("chain", 0)).can_make_way()
    ]
    if not free or question.get("move") == "evades":
        return [None]
    return ["always", "never", "fewest confused"]


def law_of(question: Row, ruleset: Row, policy: str | None) -> Law:
    """The law of (stands lost, how the move ended)."""
    stands = question.get("stands") or ruleset["stands"]
    law = Move(question, ruleset, policy or "always").law(stands)
    return marginal(law, lambda end: (end.lost, end))


def choices_row(turn: Law, stands: int) -> Row:
    """The row of a move."""
    row = {"p_confused": total(turn, lambda s: s[1].confused)}
    for column, cause in CAUSES.items():
        row[column] = total(turn, lambda s, c=cause: s[1].confused and c in s[1].causes)
    row["p_all_stands_destroyed"] = total(turn, lambda s: s[0] >= stands)
    row["mean_friends_confused"] = total(turn, lambda s: s[1].friends)
    row["mean_units_confused"] = row["p_confused"] + row["mean_friends_confused"]
    row["mean_distance"] = total(turn, lambda s: s[1].distance)
    row["mean_stands_destroyed"] = total(turn, lambda s: s[0])
    return row


COLUMNS = {  # of the tables of how a move ends: what they say of an end
    "joint": lambda end: (
        ("unit_confused", "yes" if end.confused else "no"),
        ("friends_confused", end.friends),
    ),
    "friends": lambda end: (("friends_confused", end.friends),),
    "stops": lambda end: (("distance", end.distance), ("at", end.at)),
}


def tables(question: Row) -> Tables:
    ruleset = RULESET | question.get("ruleset", {})
    stands = question.get("stands") or ruleset["stands"]
    answer: Tables = {name: [] for name in ("choices", "joint", "friends", "stops")}
    for policy in policies(question):
        key = {"friends_make_way": policy} if policy else {"move": question.get("move", "driven_back")}
        law = law_of(question, ruleset, policy)
        answer["choices"].append(key | choices_row(law, stands))
        for name, columns in COLUMNS.items():
            by_column = marginal(law, lambda state, columns=columns: columns(state[1]))
            answer[name] += [key | dict(row) | {"probability": p} for row, p in by_column.items()]
    return answer


RULES = {"touching_is_into": [False, True], "tests_for_chain": ["direct", "all"], "gap": [None, None, 0, 0.5, 1, 2]}
KINDS = ["friend", "friend", "friend", "enemy", "combat", "impassable", "unyielding"]
SPOTS = [0, 0.5, 1, 2, 2.01, 3, 3.5, 4, 5, 5.96, 6.5, 7, 8, 9, 11, 12.25, 30]


def obstacle(dice: random.Random, move: str) -> Row:
    row: Row = {"kind": "friend" if move == "evades" else dice.choice(KINDS), "distance": dice.choice(SPOTS)}
    if row["kind"] == "friend":
        if dice.random() < 0.5:
            row["chain"] = dice.choice([0, 1, 2, 3])
        if dice.random() < 0.3:
            row["make_way"] = dice.random() < 0.5
    if move == "retreats" and dice.random() < 0.6:
        row["stands"] = dice.randint(1, 3)
    return row


def questions(seed: int) -> Row:
    dice = random.Random(seed)
    move = dice.choice(["driven_back", "driven_back", "falls_back", "retreats", "evades"])
    question = {} if move == "driven_back" and dice.random() < 0.3 else {"move": move}
    if move == "driven_back":
        question["dice"] = dice.choice([1, 1, 2, 3])
    else:
        question["distance"] = dice.choice([0, 1, 3, 4, 6, 12, {"4": 0.5, "6": 0.5}, {"0": 0.25, "3": 0.75}])
    if move == "retreats" and dice.random() < 0.5:
        question["stands"] = dice.randint(3, 5)
    if obstacles := [obstacle(dice, move) for _ in range(dice.choice([0, 1, 1, 2, 2, 3]))]:
        question["obstacles"] = obstacles
    return question | ({"ruleset": picked(dice, RULES)} if dice.random() < 0.4 else {})
