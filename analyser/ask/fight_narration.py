"""A trial of a charge, focus fire or a duel in words: every roll, card and toss, and its effect by the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from typing import Any, NamedTuple

import numpy as np

from analyser.ask.attack_narration import Strike, damage_text, dice_lines, resolved
from analyser.common.method_settings import Sampling
from analyser.common.records import views
from analyser.common.text import counted
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import ON_PURPOSE, Kind, Operation, Pair, Setup, order_in
from analyser.engine.fight.simulated.choices import NOBODY_CHOOSES, Choices, next_line
from analyser.engine.fight.simulated.random_draw_graph import set_up_strike
from analyser.engine.fight.simulated.random_draw_graph import struck as states_after
from analyser.engine.fight.simulated.simulation import Simulation
from analyser.engine.pool.replay import dice_that_score
from analyser.engine.rng import stream_of
from analyser.game.ruleset import Rating
from analyser.results.dispatch import solve
from analyser.results.duel_solution import solved_duel
from analyser.results.states import JointStates
from analyser.rules import combat_result, discipline, strike, unit_state
from analyser.rules.activation import Order
from analyser.rules.attack import hits_of, scores_for
from analyser.rules.draws import Draw, test_draw
from analyser.rules.policies import POLICIES, Manoeuvre
from analyser.rules.strike import Stage
from analyser.rules.structs import INCH, FightFacts
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import duel_start, in_parts, shooters_of
from analyser.scenarios.duel import program_of as duel_program
from analyser.scenarios.focus import focus_program

_STATUSES = {
    discipline.SUPPRESSED: "suppressed",
    discipline.DISORDERED: "disordered",
    discipline.FELL_BACK: "has fallen back",
    unit_state.ON_LOOKOUT: "on lookout",
    unit_state.TAKING_COVER: "taking cover",
    unit_state.RELOADING: "reloading",
}
_ORDERS = {
    Order.NOTHING: "does nothing more",
    Order.SHOOT_AIMING: "aims and shoots",
    Order.SHOOT: "shoots",
    Order.CHARGE: "charges",
}
_MOVES = {
    Manoeuvre.ADVANCE: "advances",
    Manoeuvre.CLOSE_IN: "closes in",
    Manoeuvre.DOUBLE_TIME: "moves at double time",
    Manoeuvre.RETIRE: "retires",
    Manoeuvre.RETIRE_AT_DOUBLE_TIME: "retires at double time",
}
_TESTS = {
    Kind.BEGIN: "rally test (AC-5.6)",
    Kind.RESOLVE: "test of a lost combat (AC-8.5)",
    Kind.TEST_PASSENGERS: "test of the passengers (AC-5.10)",
    Kind.TEST_SHOT: "suppression test (AC-5.1)",
    Kind.TEST_FRIGHTENED: "test for the blast (AC-7)",
}
_LOTS = {
    Kind.TOSS: "the toss of the round (AC-9.2)",
    Kind.WRECK: "the die for the building (AC-6)",
    Kind.GO_OFF: "the die of Spectacular Demise (AC-7)",
    Kind.FRIGHTEN: "the die of Spectacular Demise again (AC-7)",
}
DiceOf = Callable[[FightFacts, int], list[str]]  # lines about the dice of a fight that rolled a score


class Walked(NamedTuple):
    """A narrated trial: the lines of each part, and the states of both sides after it."""

    parts: list[list[str]]
    pairs: list[tuple[int, int]]


class Walker:
    """Runs the program of a fight, operation by operation, with the draws of one trial."""

    def __init__(
        self,
        setup: Setup,
        programs: Sequence[Sequence[Operation]],
        names: Sequence[str],
        dice_of: DiceOf,
        choices: Choices = NOBODY_CHOOSES,
    ) -> None:
        self._setup: Any = views(setup.copy())
        self._programs, self._names, self._dice_of = programs, names, dice_of
        self._by_card = test_draw(0) in (Draw.CARD_OF_0, Draw.CARD_OF_1)
        self._lines, self._choices = [np.array(program, np.int64) for program in programs], choices

    def walk(self, start: Pair, chances: Sequence[int], *, with_lines: bool) -> Walked:
        """Run the trial; `with_lines`: write its lines."""
        left = iter(chances)
        pair, parts, pairs = (int(start[0]), int(start[1])), list[list[str]](), list[tuple[int, int]]()
        for program, numbers in zip(self._programs, self._lines):
            parts.append([])
            line = 0
            while line < len(program):
                if program[line].kind in (Kind.CHOOSE, Kind.BRANCH):
                    line = next_line(self._setup, self._choices, numbers, line, pair)
                    continue
                pair = self._step(program[line], pair, left, parts[-1] if with_lines else None)
                line += 1
            pairs.append(pair)
        assert next(left, None) is None, "the trial drew more random events than the rules asked for"
        return Walked(parts, pairs)

    def standing(self, pair: Pair) -> list[str]:
        """Return the state of both sides, one line for each."""
        return [f"{name[0].upper()}{name[1:]}: {_state_of(int(own))}" for name, own in zip(self._names, pair)]

    def _step(self, operation: Operation, pair: Pair, left: Iterator[int], lines: list[str] | None) -> Pair:
        """Return both sides after one operation of the program."""
        line = (int(operation[0]), int(operation[1]), int(operation[2]))
        if operation.kind == Kind.STRIKE:
            if not strikes.is_made(self._setup, line[2], line[1], pair):
                return pair
            return self._strike(line[2], pair, left, lines)
        draw, highest = operations.required_draw(self._setup, line, pair)
        passed, said = highest >= 0, ""
        if draw != Draw.NOTHING:
            value, is_card = next(left), draw in (Draw.CARD_OF_0, Draw.CARD_OF_1)
            passed = value <= highest if is_card else bool(value)
            said = _chance_in_words(operation.kind, value if is_card else None, highest, passed)
        if operation.kind & ON_PURPOSE:
            operation = operation._replace(kind=operation.kind ^ ON_PURPOSE)
            said = f"{_TESTS[Kind(operation.kind)]}: failed on purpose (AC-5.1)"
        after = operations.changed(self._setup, line, pair, passed)
        if lines is not None:
            lines += self._operation_lines(operation, pair, after, said)
        return int(after[0]), int(after[1])

    def _strike(self, number: int, pair: Pair, left: Iterator[int], lines: list[str] | None) -> Pair:
        """Return both sides after a strike (:mod:`analyser.rules.strike`)."""
        fight = set_up_strike(self._setup, number, pair)
        own_card = next(left) if strike.stage_of(strike.begun(fight)) == Stage.CARD else 0
        fight.dice += own_card
        cards: list[int] = []

        def passes(highest: int) -> int:
            cards.append(next(left))
            return int(cards[0] <= highest) if self._by_card else cards[0]

        struck = resolved(fight, scores_for(fight, fight.dice), next(left), lambda _: next(left), passes)
        after = states_after(self._setup, number, pair, struck.state)
        if lines is not None:
            card = cards[0] if cards else None
            lines += [*self._strike_lines(number, fight, struck, own_card, card), *self._changes(pair, after)]
        return int(after[0]), int(after[1])

    def _strike_lines(self, number: int, fight: Any, struck: Strike, own_card: int, card: int | None) -> list[str]:
        facts = self._setup.strikes[number]
        attacker, target = self._names[facts.striker], self._names[1 - facts.striker]
        how = "strikes" if facts.counts else "shoots at"
        how = "fires from lookout at" if facts.by_lookout else "goes off beside" if facts.by_blast else how
        close = " in close quarters" if facts.counts else ""
        rating, dice = Rating(int(fight.rating)).name.lower(), counted(int(fight.dice), "die", "dice")
        by_card = f", {own_card} by its card" if own_card else ""
        lines = [f"{attacker} {how} {target}{close}: {dice}, {rating}{by_card}"]
        if fight.dice:
            lines += self._dice_of(fight, struck.score)
        hits = hits_of(struck.scores, struck.score)
        lines.append(
            f"  {counted(hits, 'hit')} (AC-3.6), damage {damage_text(fight, struck)} (AC-3.7), "
            f"{counted(strike.destroyed_by(struck.state), 'model')} destroyed of {fight.models} (AC-3.8)"
        )
        lines += ["  the officer falls (AC-5.8)"] if strike.has_fallen(struck.state) else []
        if card is not None:
            verdict = _verdict(strike.stage_of(struck.state) == Stage.PASSED)
            drawn = f"card {card}, {verdict} (up to {struck.highest} passes)" if self._by_card else verdict
            lines.append(f"  suppression test (AC-5.1): {drawn}")
        return lines

    def _operation_lines(self, operation: Operation, pair: Pair, after: Pair, said: str) -> list[str]:
        """Return the effect of an operation that is not a strike; empty if it has none."""
        side, name = operation.side, self._names[operation.side]
        if operation.kind == Kind.TOSS:
            if any(map(unit_state.is_removed, pair)):
                return []
            first = self._names[0] if after[0] & unit_state.FIRST else self._names[1]
            return [f"The toss of the round (AC-9.2): {first} is activated first"]
        if operation.kind == Kind.RESOLVE:
            return [*self._resolved(side, pair, said), *self._changes(pair, after)]
        lines = []
        if operation.kind == Kind.BEGIN and after[side] != pair[side]:
            lines.append(f"{name} is activated" + (f"; {said}" if said else ""))
        elif said:
            lines.append(f"{name}: {said}")
        if operation.kind in (Kind.GIVE_ORDERS, Kind.ORDER) and after[side] != pair[side]:
            reloads = pair[side] & unit_state.RELOADING and not after[side] & unit_state.RELOADING
            otherwise = "reloads and makes no attack (Slow to Fire)" if reloads else "makes no attack"
            order = Order(unit_state.order_of(after[side]))
            does = _ORDERS.get(order, otherwise)
            if moves := self._move(operation, pair, after):  # the next lines tell if the shot reaches
                does = f"{moves} to shoot" if order == Order.SHOOT else f"{moves} and {does}"
            lines.append(f"{name} {does}")
        return [*lines, *self._changes(pair, after)]

    def _move(self, operation: Operation, pair: Pair, after: Pair) -> str:
        """Return the move of a unit under its orders; empty if it stays, or if positions do not matter."""
        side, facts = operation.side, self._setup.sides[operation.side]
        before, now = pair[side], after[side]
        if facts.garrisoned and now & ~before & unit_state.OUT_OF_BUILDING:
            return "leaves its building"
        if not facts.tracks_position or unit_state.position_of(before, facts) == unit_state.position_of(now, facts):
            return ""
        if operation.kind == Kind.ORDER:
            return _MOVES.get(Manoeuvre(order_in(operation.number).manoeuvre), "")
        view = operations.view_of(self._setup, operation, pair[side], pair[1 - side])
        return _MOVES.get(Manoeuvre(operations.decision(self._setup, operation, view)[0]), "")

    def _resolved(self, side: int, pair: Pair, said: str) -> list[str]:
        """Return the winner of a combat, and the test of the loser (AC-8.5)."""
        won_by = operations.result_of_combat(self._setup, side, pair)
        if won_by == combat_result.NOT_FOUGHT:
            return []
        if won_by == combat_result.NOBODY:
            return ["The combat is a draw (AC-8.5)"]
        winner = side if won_by == combat_result.ACTIVE else 1 - side
        tests = [f"{self._names[1 - winner]}: {said}"] if said else []
        return [f"{self._names[winner]} wins the combat (AC-8.5)", *tests]

    def _changes(self, before: Pair, after: Pair) -> list[str]:
        """Return the changes in the states of both sides."""
        lines = []
        for side, (old, new) in enumerate(zip(before, after)):
            name = self._names[side]
            if unit_state.is_removed(new):
                if not unit_state.is_removed(old):
                    lines.append(f"  {name} {_removed(new)[0]} (AC-5.9)")
                continue
            models = unit_state.models_of(new)
            changes = [f"{counted(models, 'model')} left"] if models != unit_state.models_of(old) else []
            changes += [text for bit, text in _STATUSES.items() if new & bit and not old & bit]
            changes += [f"no longer {text}" for bit, text in _STATUSES.items() if old & bit and not new & bit]
            facts = self._setup.sides[side]
            if facts.tracks_position:
                way = unit_state.position_of(new, facts) - unit_state.position_of(old, facts)
                changes += [f'{"forward" if way > 0 else "back"} {abs(way) / INCH:g}"'] if way else []
            if changes:
                lines.append(f"  {name}: {', '.join(changes)}")
        return lines


def _verdict(passed: bool) -> str:
    return "passed" if passed else "failed"


def _chance_in_words(kind: int, card: int | None, highest: int, passed: bool) -> str:
    """Return the result of a draw in words; `card` is None if no card was turned."""
    if card is None:
        return f"{(_LOTS | _TESTS).get(Kind(kind), 'a die')}: {'yes' if passed else 'no'}"
    return f"{_TESTS.get(Kind(kind), 'test')}: card {card}, {_verdict(passed)} (up to {highest} passes)"


def _removed(state: int) -> tuple[str, str]:
    """Return the fate of a removed unit in words: in the present tense, and as a state."""
    if state & discipline.BROKEN:
        return "breaks", "broken"
    return ("flees", "fled") if state & discipline.FLED else ("is destroyed", "destroyed")


def _state_of(state: int) -> str:
    if unit_state.is_removed(state):
        return _removed(state)[1]
    statuses = [text for bit, text in _STATUSES.items() if state & bit]
    return ", ".join([f"{counted(unit_state.models_of(state), 'model')} left", *statuses])


class ReadTrial(NamedTuple):
    """A trial of a sample: its number, its results, and the function that writes its lines."""

    number: int
    figures: Mapping[str, Any]
    lines: Callable[[], list[str]]


class Fight(NamedTuple):
    """A fight in the form that its engine runs; each part of its program ends at a moment of its answer."""

    setup: Setup
    parts: Sequence[Sequence[Operation]]
    start: Pair
    names: tuple[str, str]
    moments: Sequence[int]
    moment: str = ""  # name of a moment, such as Round
    choices: Choices = NOBODY_CHOOSES


def narrated_fights(scenario: Any, trials: int, seed: int, first: int = 0) -> Iterator[ReadTrial]:
    """Yield the simulated trials of a charge, focus fire or a duel with real decks, from number `first`."""
    fight = fight_of(scenario)
    die, deck = np.array(scenario.ruleset.die.faces, np.int64), scenario.ruleset.deck.counts()
    simulation = Simulation(fight.setup, fight.parts, die, deck, choices=fight.choices)
    numbers = range(first, trials)
    traces = list(simulation.trace(fight.start, numbers, seed))

    def walker(number: int) -> Walker:
        """Return the walker of a trial by number; the dice of each roll have their own random stream."""
        rolls = count()

        def dice_of(pool: FightFacts, score: int) -> list[str]:
            dice = dice_that_score(pool, score, die, stream_of(seed, number, next(rolls)))
            return dice_lines(dice, pool, scenario.ruleset.die.names)

        return Walker(fight.setup, fight.parts, fight.names, dice_of, fight.choices)

    silent = walker(first)
    pairs = np.array([silent.walk(fight.start, trace, with_lines=False).pairs for trace in traces], np.int64)
    weights = np.ones(len(traces), np.int64)
    moments = tuple(JointStates(pairs[:, part, 0], pairs[:, part, 1], weights) for part in fight.moments)
    once: Any = solve(scenario, Sampling("monte-carlo", trials=1, seed=seed))
    result = replace(once, moments=moments, trials=len(traces))
    columns = {name: result.event(name) for name in result.events}
    columns |= {name: result.values(name) for name in result.figures}
    heading = [f"{label}: {text}" if label else f"  {text}" for label, text in once.heading()]

    def lines(number: int, trace: Sequence[int], figures: Mapping[str, Any]) -> list[str]:
        storyteller = walker(number)
        walked = storyteller.walk(fight.start, trace, with_lines=True)
        begins, of_both = (0, *(end + 1 for end in fight.moments)), 1 if scenario.kind == "focus" else 0
        story: list[str] = []
        for moment, (begin, end) in enumerate(pairwise(begins), start=1):
            of_moment = [line for part in walked.parts[begin:end] for line in part]
            story += [f"-- {fight.moment} {moment}"] if fight.moment and of_moment else []
            story += of_moment
        return [
            *heading,
            *story,
            *_closing(scenario.kind, figures),
            *storyteller.standing(walked.pairs[-1])[of_both:],
        ]

    for place, (number, trace) in enumerate(zip(numbers, traces)):
        figures = {name: column[place].item() for name, column in columns.items()}
        yield ReadTrial(number, figures, partial(lines, number, trace, figures))


def _closing(kind: str, figures: Mapping[str, Any]) -> list[str]:
    """Return the end of a fight, and its winner (AC-8.5, AC-9.2)."""
    if kind != "duel":
        return ["-- At the end"]
    points = [figures[f"{side}_victory_points"] for side in "ab"]
    won = "A wins" if figures["a_wins"] else "B wins" if figures["b_wins"] else "A draw"
    return [f"-- At the end: {won}, by victory points {points[0]:g} to {points[1]:g}"]


def fight_of(scenario: Any) -> Fight:
    """Return a fight as :func:`~analyser.results.duel.solve_duel` and similar functions run it."""
    if scenario.kind == "charge":
        setup, program = charge_program(scenario.attacker, scenario.target, scenario.secondary, scenario.ruleset.die)
        setup.sides["hunter"] = 1  # combats won are counted for both
        names = "the attacker", "the target"
        return Fight(setup, [program], charge_start(setup), names, [0])
    if scenario.kind == "focus":
        setup, programs = focus_program(scenario.attacks, scenario.attackers)
        names = "the attacker", "the target"
        return Fight(setup, programs, start_states(setup), names, range(len(programs)), "Attack")
    if not all(policy in POLICIES for policy in (scenario.terms.policy_a, scenario.terms.policy_b)):
        play = solved_duel(scenario)
        followed = play.followed
        return Fight(play.setup, followed.programs, play.start, ("A", "B"), followed.ends, "Round", followed.choices)
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    setup, rounds = duel_program(shooters, scenario.terms)
    parts, _, ends = in_parts(rounds, shooters)
    return Fight(setup, parts, duel_start(setup, (scenario.a, scenario.b)), ("A", "B"), ends, "Round")
