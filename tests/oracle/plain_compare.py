"""Five games on one stream of losses, read slowly: AC-4.5 and AC-5, LG-1 to LG-7, GT-2 to GT-6, WM-1 and WM-9, MD-1.

Written from the numbered rules alone, by somebody who had not seen the package; it shares nothing with it.
Every game has a state of its own; a round is: the attacks with their tests, the fate is told, then the unit acts.
What stands for the unit's nerve must be stated in the question's sections.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

from tests.oracle.plain_laws import Law, Tables, by_turn, collect, dice, fraction, passes, picked, then, total
from tests.oracle.plain_legion import is_panicked, is_suppressed, number_a_round, rally

FATES = ("steady", "shaken", "routed", "gone")
ROUNDS = 6
DECK = dict.fromkeys(range(1, 13), 3)
LEGION = {"rally_sides": 6, "rally_successes": 2, "end_phase_tokens": 1}
GRANDE_TACTIQUE = {"pip_dice": 1, "pip_sides": 6}
CHECK_SIDES = 12

Step = Callable[[Any], Law]


def edge_of(question: dict[str, Any]) -> Fraction | None:
    """Left out: far."""
    return None if question.get("edge_distance") is None else fraction(question["edge_distance"])


def reached(edge: Fraction | None, inches: Fraction) -> bool:
    return edge is not None and inches >= edge


class ArmouredClash:
    """A state is "gone" or (models, suppressed, fell back in this round, inches fallen back)."""

    name = "armoured-clash"

    def __init__(self, question: dict[str, Any]) -> None:
        keys = question["armoured_clash"]
        self.discipline = keys["discipline"]
        self.break_limit = None if keys["break_limit"] == "none" else keys["break_limit"]
        deck = question.get("ruleset", {}).get("armoured_clash", {}).get("deck", DECK)
        self.deck = {int(value): copies for value, copies in deck.items()}
        self.edge = edge_of(question)
        self.start: Any = (question["models"], False, False, Fraction(0))

    def test_passes(self, at_least_half: bool) -> Fraction:
        """AC-5.1, AC-5.2: the card is at most DISCIPLINE, with -1 when at least half of the models were destroyed."""
        limit = self.discipline - at_least_half
        return Fraction(sum(n for card, n in self.deck.items() if card <= limit), sum(self.deck.values()))

    def attacked(self, state: Any, lost: int) -> Law:
        """AC-4.5, AC-5.4."""
        models, suppressed, fell_back, inches = state
        left = max(models - lost, 0)
        if left == 0:
            return {"gone": Fraction(1)}
        if lost == 0:
            return {state: Fraction(1)}
        passed = self.test_passes(2 * lost >= models)
        failed: Any
        if self.break_limit is not None and left <= self.break_limit:
            failed = "gone"
        elif suppressed:
            failed = "gone" if reached(self.edge, inches + 3) else (left, True, True, inches + 3)
        else:
            failed = (left, True, fell_back, inches)
        return collect([((left, suppressed, fell_back, inches), passed), (failed, 1 - passed)])

    def tested(self, state: Any) -> Law:
        """Its tests came with the attacks."""
        return {state: Fraction(1)}

    def fate(self, state: Any) -> str:
        return "routed" if state[2] else "shaken" if state[1] else "steady"

    def acts(self, state: Any) -> Law:
        """AC-5.7: no longer suppressed at the end of its activation; what it fell back stays fallen back."""
        return {(state[0], False, False, state[3]): Fraction(1)}


class Legion:
    """A state is "gone" or (models, tokens, inches fled)."""

    name = "legion"

    def __init__(self, question: dict[str, Any]) -> None:
        keys = question["legion"]
        self.courage = None if keys["courage"] == "none" else keys["courage"]
        self.move = fraction(keys.get("move_distance", 6))
        self.ruleset = {**LEGION, **question.get("ruleset", {}).get("legion", {})}
        self.edge = edge_of(question)
        self.start: Any = (question["models"], 0, Fraction(0))

    def attacked(self, state: Any, lost: int) -> Law:
        """A token for each model lost."""
        models, tokens, inches = state
        lost = min(lost, models)
        if lost == models:
            return {"gone": Fraction(1)}
        return {(models - lost, tokens + lost, inches): Fraction(1)}

    def tested(self, state: Any) -> Law:
        """LG-2: the rally step, as it activates."""
        return {(state[0], tokens, state[2]): p for tokens, p in rally(state[1], self.ruleset).items()}

    def fate(self, state: Any) -> str:
        """LG-3, LG-4."""
        if is_panicked(state[1], self.courage):
            return "routed"
        return "shaken" if is_suppressed(state[1], self.courage) else "steady"

    def acts(self, state: Any) -> Law:
        """LG-5: panicked, it moves toward the edge; LG-7: the end phase takes a token."""
        models, tokens, inches = state
        if is_panicked(tokens, self.courage):
            inches += self.move
            if reached(self.edge, inches):
                return {"gone": Fraction(1)}
        return {(models, max(tokens - self.ruleset["end_phase_tokens"], 0), inches): Fraction(1)}


class GrandeTactique:
    """A state is "gone" or (models, eager / shaken / routed, inches fled). An infantry unit of regular quality."""

    name = "grande-tactique"

    def __init__(self, question: dict[str, Any]) -> None:
        keys = question["grande_tactique"]
        self.target = keys["check_target"]
        self.worn_down = keys.get("worn_down", 1)
        self.ruleset = {**GRANDE_TACTIQUE, **question.get("ruleset", {}).get("grande_tactique", {})}
        self.sides = keys.get("check_sides", question.get("ruleset", {}).get("check_sides", CHECK_SIDES))
        self.edge = edge_of(question)
        self.start: Any = (question["models"], "eager", Fraction(0))

    def flees(self, models: int, inches: Fraction) -> Any:
        """GT-3, GT-5: infantry 7 inches; off the map: destroyed."""
        return "gone" if reached(self.edge, inches + 7) else (models, "routed", inches + 7)

    def attacked(self, state: Any, lost: int) -> Law:
        """GT-2: worn down it becomes shaken; already shaken it checks, and flees if it fails."""
        models, morale, inches = state
        left = max(models - lost, 0)
        if left == 0:
            return {"gone": Fraction(1)}
        if min(lost, models) < self.worn_down or morale == "routed":
            return {(left, morale, inches): Fraction(1)}
        if morale == "eager":
            return {(left, "shaken", inches): Fraction(1)}
        sides = self.sides
        passed = Fraction(sum(face >= self.target for face in range(1, sides + 1)), sides)
        return collect([((left, "shaken", inches), passed), (self.flees(left, inches), 1 - passed)])

    def tested(self, state: Any) -> Law:
        """Its checks came with the attacks."""
        return {state: Fraction(1)}

    def fate(self, state: Any) -> str:
        return {"eager": "steady", "shaken": "shaken", "routed": "routed"}[state[1]]

    def acts(self, state: Any) -> Law:
        """GT-6: two PIPs rally it where it stands; otherwise it flees again at the end of the PIP phase."""
        models, morale, inches = state
        if morale != "routed":
            return {state: Fraction(1)}
        pips = dice(self.ruleset["pip_dice"], self.ruleset["pip_sides"])
        rallies = total(pips, lambda n: n >= 2)
        return collect([((models, "shaken", inches), rallies), (self.flees(models, inches), 1 - rallies)])


class Warmaster:
    """A state is "gone" or (models, confused)."""

    name = "warmaster"

    def __init__(self, question: dict[str, Any]) -> None:
        self.dice = question.get("warmaster", {}).get("dice", 1)
        self.start: Any = (question["models"], False)

    def attacked(self, state: Any, lost: int) -> Law:
        """WM-1: drive-back dice for each model lost; any 6 confuses."""
        models, confused = state
        lost = min(lost, models)
        if lost == models:
            return {"gone": Fraction(1)}
        no_six = Fraction(5, 6) ** (self.dice * lost)
        return collect([((models - lost, confused), no_six), ((models - lost, True), 1 - no_six)])

    def tested(self, state: Any) -> Law:
        return {state: Fraction(1)}

    def fate(self, state: Any) -> str:
        return "shaken" if state[1] else "steady"

    def acts(self, state: Any) -> Law:
        """WM-9: it recovers at the end of its Command phase."""
        return {(state[0], False): Fraction(1)}


class Mordheim:
    """A state is "gone" or (warriors left, a test passed this turn)."""

    name = "mordheim"

    def __init__(self, question: dict[str, Any]) -> None:
        self.leadership = question["mordheim"]["leadership"]
        self.models = question["models"]
        self.start: Any = (self.models, False)

    def attacked(self, state: Any, lost: int) -> Law:
        left = max(state[0] - lost, 0)
        return {(left, False) if left else "gone": Fraction(1)}

    def tested(self, state: Any) -> Law:
        """MD-1: at the start of its turn, if a quarter is out of action."""
        left = state[0]
        if 4 * (self.models - left) < self.models:
            return {(left, False): Fraction(1)}
        return collect([((left, True), passes(self.leadership)), ("gone", 1 - passes(self.leadership))])

    def fate(self, state: Any) -> str:
        return "shaken" if state[1] else "steady"

    def acts(self, state: Any) -> Law:
        return {(state[0], False): Fraction(1)}


GAMES = (ArmouredClash, Legion, GrandeTactique, Warmaster, Mordheim)


def unless_gone(step: Step) -> Step:
    return lambda state: {state: Fraction(1)} if state == "gone" else step(state)


def tables(question: dict[str, Any]) -> Tables:
    rounds = question.get("rounds") or question.get("ruleset", {}).get("rounds", ROUNDS)
    losses = by_turn(question["losses"], rounds)
    rows = []
    for kind in GAMES:
        game: Any = kind(question)
        law: Law = {game.start: Fraction(1)}
        for number in range(1, rounds + 1):
            for _ in range(question.get("attacks", 1)):

                def attack(state: Any, game: Any = game, number: int = number) -> Law:
                    return then(losses[number - 1], lambda lost: game.attacked(state, lost))

                law = then(law, unless_gone(attack))
            law = then(law, unless_gone(game.tested))
            fates = collect(("gone" if state == "gone" else game.fate(state), p) for state, p in law.items())
            row = {f"p_{fate}": fates.get(fate, Fraction(0)) for fate in FATES}
            rows.append({"round": number, "system": game.name, **row})
            law = then(law, unless_gone(game.acts))
    return {"fates": sorted(rows, key=lambda row: row["round"])}


SECTIONS: dict[str, dict[str, Any]] = {  # what stands for nerve is always stated
    "armoured_clash": {"discipline": (0, 1, 5, 6, 8, 11, 12, 13), "break_limit": ("none", 0, 1, 2, 3, 5, 12)},
    "legion": {
        "courage": (1, 1, 2, 3, "none"),
        "move_distance": (None, 4, 6, 2.5, 7, 6.1),
    },
    "grande_tactique": {
        **{"check_target": range(1, 14), "check_sides": (None, 1, 6, 10, 12), "worn_down": (None, 1, 2, 3)},
    },
    "mordheim": {"leadership": range(2, 13)},
    "warmaster": {"dice": (None, 1, 2, 3)},
}
TERMS = {
    **{"models": (1, 2, 3, 4, 5, 6, 8, 10, 12), "attacks": (None, 1, 2, 3)},
    "edge_distance": (None, None, None, None, 0, 0.5, 3, 6, 6.5, 7, 9, 12, 14, 14.25, 18, 18.3, 21, 28),
}


def questions(seed: int) -> dict[str, Any]:
    dice = Random(seed)
    rounds = dice.randint(1, 4)
    question = {"losses": number_a_round(dice, rounds, 3), "rounds": rounds} | picked(dice, TERMS)
    question |= {name: section for name, keys in SECTIONS.items() if (section := picked(dice, keys))}
    if dice.random() < 0.4:
        successes = dice.randint(0, 3)
        question["ruleset"] = {
            "legion": {"rally_sides": 3, "rally_successes": successes, "end_phase_tokens": dice.randint(0, 2)},
            "check_sides": dice.choice((4, 6, 8)),
            "grande_tactique": {"pip_dice": dice.randint(1, 2), "pip_sides": 4},
            "armoured_clash": {"deck": dice.choice(({1: 1, 6: 2, 12: 1}, {5: 3}, dict(DECK)))},
        }
    return question
