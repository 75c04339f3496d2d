"""Text of a simulated charge, focus fire or duel: every roll, card and toss, and its effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from random import Random
from typing import Any, NamedTuple

import numpy as np

from analyser.ask.attack_narration import ResolvedStrike, damage_text, dice_lines, resolve
from analyser.common.kernel_records import views
from analyser.common.method_settings import Sampling
from analyser.common.text import counted
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import ON_PURPOSE, Kind, Operation, Pair, Setup, unpack_order
from analyser.engine.fight.simulated.plan_lookup import NO_CHOICES, Choices, next_line
from analyser.engine.fight.simulated.random_draw_graph import after_strike as states_after_strike
from analyser.engine.fight.simulated.random_draw_graph import set_up_strike
from analyser.engine.fight.simulated.simulation import Simulation
from analyser.engine.pool.dice import dice_that_score
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
from analyser.scenarios.duel import duel_start, shooters_of, split_at_orders
from analyser.scenarios.duel import program_of_shooters as duel_program
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
    Kind.TEST_PANIC: "test for the blast (AC-7)",
}
_DICE_THROWN = {
    Kind.TOSS: "the toss of the round (AC-9.2)",
    Kind.ROLL_BUILDING_DIE: "the die for the building (AC-6)",
    Kind.ROLL_DEMISE_DIE: "the die of Spectacular Demise (AC-7)",
    Kind.ROLL_PANIC_DIE: "the die of Spectacular Demise again (AC-7)",
}
_SIDE_NAMES = "the attacker", "the target"
DiceLines = Callable[[FightFacts, int], list[str]]  # from a strike and its score: a line for each die


class Fight(NamedTuple):
    """A fight as the engine runs it: programs, one after another.

    `ends` has the index of the last program of each attack, each round, or the whole fight.
    """

    setup: Setup
    programs: Sequence[Sequence[Operation]]
    start: Pair
    names: tuple[str, str]
    ends: Sequence[int]
    step_title: str = ""  # Attack or Round; empty if the fight has one step
    choices: Choices = NO_CHOICES


class TrialRunner:
    """Runs the programs of a fight, operation by operation, with the random draws of one trial."""

    def __init__(self, fight: Fight, dice_lines_of: DiceLines | None = None) -> None:
        self._fight, self._names, self._dice_lines_of = fight, fight.names, dice_lines_of
        self._setup: Any = views(fight.setup.copy())
        self._by_card = test_draw(0) in (Draw.CARD_OF_SIDE_0, Draw.CARD_OF_SIDE_1)
        self._arrays = [np.array(program, np.int64) for program in fight.programs]

    def run(self, draws: Sequence[int]) -> tuple[list[list[str]], list[tuple[int, int]]]:
        """Return the lines about each program, and both states after it; no lines without `dice_lines_of`."""
        left, (first, second) = iter(draws), self._fight.start
        pair, parts, pairs = (int(first), int(second)), list[list[str]](), list[tuple[int, int]]()
        for program, array in zip(self._fight.programs, self._arrays):
            parts.append([])
            line = 0
            while line < len(program):
                if program[line].kind in (Kind.CHOOSE, Kind.BRANCH):
                    line = next_line(self._setup, self._fight.choices, array, line, pair)
                    continue
                pair = self._step(program[line], pair, left, parts[-1])
                line += 1
            pairs.append(pair)
        assert next(left, None) is None, "the trial has more draws than the rules require"
        return parts, pairs

    def state_lines(self, pair: Pair) -> list[str]:
        """Return the state of both sides, one line for each."""
        return [f"{name[0].upper()}{name[1:]}: {_state_text(int(state))}" for name, state in zip(self._names, pair)]

    def _step(self, operation: Operation, pair: Pair, draws: Iterator[int], lines: list[str]) -> Pair:
        line = (int(operation[0]), int(operation[1]), int(operation[2]))
        if operation.kind == Kind.STRIKE:
            if not strikes.is_made(self._setup, line[2], line[1], pair):
                return pair
            return self._strike(line[2], pair, draws, lines)
        draw, highest = operations.required_draw(self._setup, line, pair)
        passed, draw_text = highest >= 0, ""
        if draw != Draw.NOTHING:
            value, is_card = next(draws), draw in (Draw.CARD_OF_SIDE_0, Draw.CARD_OF_SIDE_1)
            passed = value <= highest if is_card else bool(value)
            draw_text = _draw_in_words(operation.kind, value if is_card else None, highest, passed)
        if operation.kind & ON_PURPOSE:
            operation = operation._replace(kind=operation.kind ^ ON_PURPOSE)
            draw_text = f"{_TESTS[Kind(operation.kind)]}: failed on purpose (AC-5.1)"
        after = operations.apply(self._setup, line, pair, passed)
        if self._dice_lines_of is not None:
            lines += self._operation_lines(operation, pair, after, draw_text)
        return int(after[0]), int(after[1])

    def _strike(self, number: int, pair: Pair, draws: Iterator[int], lines: list[str]) -> Pair:
        fight = set_up_strike(self._setup, number, pair)
        own_card = next(draws) if strike.stage_of(strike.start_of_strike(fight)) == Stage.CARD else 0
        fight.dice += own_card
        cards: list[int] = []

        def passes(highest: int) -> int:
            cards.append(next(draws))
            return int(cards[0] <= highest) if self._by_card else cards[0]

        resolved = resolve(fight, scores_for(fight, fight.dice), next(draws), lambda _: next(draws), passes)
        after = states_after_strike(self._setup, number, pair, resolved.state)
        if self._dice_lines_of is not None:
            card = cards[0] if cards else None
            lines += [*self._strike_lines(number, fight, resolved, own_card, card), *self._change_lines(pair, after)]
        return int(after[0]), int(after[1])

    def _strike_lines(
        self, number: int, fight: Any, resolved: ResolvedStrike, own_card: int, card: int | None
    ) -> list[str]:
        facts = self._setup.strikes[number]
        attacker, target = self._names[facts.striker], self._names[1 - facts.striker]
        verb = "strikes" if facts.in_combat else "shoots at"
        verb = "fires from lookout at" if facts.by_lookout else "explodes near" if facts.by_blast else verb
        close = " in close quarters" if facts.in_combat else ""
        rating, dice = Rating(int(fight.rating)).name.lower(), counted(int(fight.dice), "die", "dice")
        by_card = f", {own_card} of them from its card" if own_card else ""
        lines = [f"{attacker} {verb} {target}{close}: {dice}{by_card}, {rating}"]
        if fight.dice and self._dice_lines_of is not None:
            lines += self._dice_lines_of(fight, resolved.score)
        hits = hits_of(resolved.face_values, resolved.score)
        lines.append(
            f"  {counted(hits, 'hit')} (AC-3.6), damage {damage_text(fight, resolved)} (AC-3.7), "
            f"{counted(strike.models_destroyed_by_roll(resolved.state), 'model')} destroyed of {fight.models} (AC-3.8)"
        )
        lines += ["  the officer falls (AC-5.8)"] if strike.officer_has_fallen(resolved.state) else []
        if card is not None:
            verdict = _verdict(strike.stage_of(resolved.state) == Stage.PASSED)
            result = f"card {card}, {verdict} (up to {resolved.highest} passes)" if self._by_card else verdict
            lines.append(f"  suppression test (AC-5.1): {result}")
        return lines

    def _operation_lines(self, operation: Operation, pair: Pair, after: Pair, draw_text: str) -> list[str]:
        """Return lines about an operation other than a strike; empty if nothing changes."""
        side, name = operation.side, self._names[operation.side]
        if operation.kind == Kind.TOSS:
            if any(map(unit_state.is_removed, pair)):
                return []
            first = self._names[0] if after[0] & unit_state.IS_FIRST else self._names[1]
            return [f"The toss of the round (AC-9.2): {first} is activated first"]
        if operation.kind == Kind.RESOLVE:
            return [*self._combat_lines(side, pair, draw_text), *self._change_lines(pair, after)]
        lines = []
        if operation.kind == Kind.BEGIN and after[side] != pair[side]:
            lines.append(f"{name} is activated" + (f"; {draw_text}" if draw_text else ""))
        elif draw_text:
            lines.append(f"{name}: {draw_text}")
        if operation.kind in (Kind.GIVE_ORDERS, Kind.ORDER) and after[side] != pair[side]:
            reloads = pair[side] & unit_state.RELOADING and not after[side] & unit_state.RELOADING
            no_attack = "reloads and makes no attack (Slow to Fire)" if reloads else "makes no attack"
            order = Order(unit_state.order_of(after[side]))
            action = _ORDERS.get(order, no_attack)
            if move := self._move_text(operation, pair, after):  # the next line shows whether the target is in range
                action = f"{move} to shoot" if order == Order.SHOOT else f"{move} and {action}"
            lines.append(f"{name} {action}")
        return [*lines, *self._change_lines(pair, after)]

    def _move_text(self, operation: Operation, pair: Pair, after: Pair) -> str:
        """Return the move of an activated unit; empty if it stays, or if positions do not matter."""
        side, facts = operation.side, self._setup.sides[operation.side]
        before, now = pair[side], after[side]
        if facts.garrisoned and now & ~before & unit_state.OUT_OF_BUILDING:
            return "leaves its building"
        if not facts.tracks_position or unit_state.position_of(before, facts) == unit_state.position_of(now, facts):
            return ""
        if operation.kind == Kind.ORDER:
            return _MOVES.get(Manoeuvre(unpack_order(operation.number).manoeuvre), "")
        view = operations.view_of(self._setup, operation, pair[side], pair[1 - side])
        return _MOVES.get(Manoeuvre(operations.policy_decision(self._setup, operation, view)[0]), "")

    def _combat_lines(self, side: int, pair: Pair, draw_text: str) -> list[str]:
        won_by = operations.result_of_combat(self._setup, side, pair)
        if won_by == combat_result.NOT_FOUGHT:
            return []
        if won_by == combat_result.NO_WINNER:
            return ["The combat is a draw (AC-8.5)"]
        winner = side if won_by == combat_result.ACTIVE else 1 - side
        tests = [f"{self._names[1 - winner]}: {draw_text}"] if draw_text else []
        return [f"{self._names[winner]} wins the combat (AC-8.5)", *tests]

    def _change_lines(self, before: Pair, after: Pair) -> list[str]:
        lines = []
        for side, (old, new) in enumerate(zip(before, after)):
            name = self._names[side]
            if unit_state.is_removed(new):
                if not unit_state.is_removed(old):
                    lines.append(f"  {name} {_removal_texts(new)[0]} (AC-5.9)")
                continue
            models = unit_state.models_of(new)
            changes = [f"{counted(models, 'model')} left"] if models != unit_state.models_of(old) else []
            changes += [text for bit, text in _STATUSES.items() if new & bit and not old & bit]
            changes += [f"no longer {text}" for bit, text in _STATUSES.items() if old & bit and not new & bit]
            facts = self._setup.sides[side]
            if facts.tracks_position:
                shift = unit_state.position_of(new, facts) - unit_state.position_of(old, facts)
                changes += [f'{"forward" if shift > 0 else "back"} {abs(shift) / INCH:g}"'] if shift else []
            if changes:
                lines.append(f"  {name}: {', '.join(changes)}")
        return lines


def _verdict(passed: bool) -> str:
    return "passed" if passed else "failed"


def _draw_in_words(kind: int, card: int | None, highest: int, passed: bool) -> str:
    """Return the result of a random draw in words; `card` is None if a die was thrown."""
    if card is None:
        return f"{(_DICE_THROWN | _TESTS).get(Kind(kind), 'a die')}: {'yes' if passed else 'no'}"
    return f"{_TESTS.get(Kind(kind), 'test')}: card {card}, {_verdict(passed)} (up to {highest} passes)"


def _removal_texts(state: int) -> tuple[str, str]:
    """Return the fate of a removed unit in words: in the present tense, and as a state."""
    if state & discipline.BROKEN:
        return "breaks", "broken"
    return ("flees", "fled") if state & discipline.FLED else ("is destroyed", "destroyed")


def _state_text(state: int) -> str:
    if unit_state.is_removed(state):
        return _removal_texts(state)[1]
    statuses = [text for bit, text in _STATUSES.items() if state & bit]
    return ", ".join([f"{counted(unit_state.models_of(state), 'model')} left", *statuses])


class NarratedTrial(NamedTuple):
    """A simulated trial: its number, its results, and the function that writes its lines."""

    number: int
    figures: Mapping[str, Any]
    lines: Callable[[], list[str]]


def fight_trials(scenario: Any, trials: int, seed: int, first: int = 0) -> Iterator[NarratedTrial]:
    """Yield the trials of a simulated charge, focus fire or duel with real decks, from number `first`."""
    fight = fight_of(scenario)
    die, deck = np.array(scenario.ruleset.die.sides_by_face, np.int64), scenario.ruleset.deck.counts()
    simulation = Simulation(fight.setup, fight.programs, die, deck, choices=fight.choices)
    numbers = range(first, trials)
    traces = list(simulation.trace(fight.start, numbers, seed))

    runner = TrialRunner(fight)
    pairs = np.array([runner.run(trace)[1] for trace in traces], np.int64)
    weights = np.ones(len(traces), np.int64)
    moments = tuple(JointStates(pairs[:, part, 0], pairs[:, part, 1], weights) for part in fight.ends)
    one_trial: Any = solve(scenario, Sampling("monte-carlo", trials=1, seed=seed))
    result = replace(one_trial, moments=moments, trials=len(traces))
    columns = {name: result.event(name) for name in result.events}
    columns |= {name: result.values(name) for name in result.figures}
    heading = [f"{label}: {text}" if label else f"  {text}" for label, text in one_trial.heading()]

    def lines(number: int, trace: Sequence[int], figures: Mapping[str, Any]) -> list[str]:
        rolls = count()

        def dice_lines_of(pool: FightFacts, score: int) -> list[str]:
            source, die = Random(f"{seed} {number} {next(rolls)}"), scenario.ruleset.die  # a seed for each roll
            dice = dice_that_score(pool, scores_for(pool, pool.dice), score, die.sides_by_face, source)
            return dice_lines(dice, pool, die.names)

        runner = TrialRunner(fight, dice_lines_of)
        parts, pairs = runner.run(trace)
        begins = (0, *(end + 1 for end in fight.ends))
        story: list[str] = []
        for step, (begin, end) in enumerate(pairwise(begins), start=1):
            step_lines = [line for part in parts[begin:end] for line in part]
            story += [f"-- {fight.step_title} {step}"] if fight.step_title and step_lines else []
            story += step_lines
        states = runner.state_lines(pairs[-1])
        first_shown = 1 if scenario.kind == "focus" else 0  # omit side 0 of focus fire, which is several units
        return [*heading, *story, *_closing_heading(scenario.kind, figures), *states[first_shown:]]

    for index, (number, trace) in enumerate(zip(numbers, traces)):
        figures = {name: column[index].item() for name, column in columns.items()}
        yield NarratedTrial(number, figures, partial(lines, number, trace, figures))


def _closing_heading(kind: str, figures: Mapping[str, Any]) -> list[str]:
    if kind != "duel":
        return ["-- At the end"]
    points = [figures[f"{side}_victory_points"] for side in "ab"]
    result = "A wins" if figures["a_wins"] else "B wins" if figures["b_wins"] else "A draw"
    return [f"-- At the end: {result}, by victory points {points[0]:g} to {points[1]:g}"]


def fight_of(scenario: Any) -> Fight:
    """Return the programs that :func:`~analyser.results.duel.solve_duel` and similar functions run."""
    if scenario.kind == "charge":
        setup, program = charge_program(scenario.attacker, scenario.target, scenario.secondary, scenario.ruleset.die)
        setup.sides["hunter"] = 1  # count won combats of both units even without the rule Hunter
        return Fight(setup, [program], charge_start(setup), _SIDE_NAMES, [0])
    if scenario.kind == "focus":
        setup, programs = focus_program(scenario.attacks, scenario.attackers)
        return Fight(setup, programs, start_states(setup), _SIDE_NAMES, range(len(programs)), "Attack")
    if not all(policy in POLICIES for policy in (scenario.terms.policy_a, scenario.terms.policy_b)):
        play = solved_duel(scenario)
        plan = play.plan_programs
        return Fight(play.setup, plan.programs, play.start, ("A", "B"), plan.ends, "Round", plan.choices)
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    setup, rounds = duel_program(shooters, scenario.terms)
    parts, _, ends = split_at_orders(rounds, shooters)
    return Fight(setup, parts, duel_start(setup, (scenario.a, scenario.b)), ("A", "B"), ends, "Round")
