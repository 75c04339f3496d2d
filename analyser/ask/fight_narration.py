"""Text of a simulated charge, focus fire or duel: every roll, card and toss, and its effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from random import Random
from typing import Any, NamedTuple

import numpy as np

from analyser.ask.attack_narration import CardTest, resolve, strike_lines
from analyser.ask.narration import NarratedTrial, changes_between, state_text
from analyser.common.kernel_records import views
from analyser.common.method_settings import Sampling
from analyser.common.text import counted
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import ON_PURPOSE, Kind, Operation, Pair, Setup
from analyser.engine.fight.simulated.plan_lookup import NO_CHOICES, Choices, next_line
from analyser.engine.fight.simulated.random_draw_graph import after_strike as states_after_strike
from analyser.engine.fight.simulated.random_draw_graph import set_up_strike
from analyser.engine.fight.simulated.simulation import Simulation
from analyser.engine.pool.dice import Die, dice_that_score
from analyser.game.ruleset import Rating
from analyser.results.attack import discipline_modifiers
from analyser.results.dispatch import solve
from analyser.results.duel_solution import solved_duel
from analyser.results.states import JointStates, unit_name
from analyser.rules import combat_result, discipline, strike, unit_state
from analyser.rules.activation import Order
from analyser.rules.attack import scores_for
from analyser.rules.draws import Draw, test_draw
from analyser.rules.policies import POLICIES
from analyser.rules.strike import Stage
from analyser.rules.structs import INCH, NONE, FightFacts, StrikeFacts
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import duel_start, shooters_of, split_at_orders
from analyser.scenarios.duel import program_of_shooters as duel_program
from analyser.scenarios.focus import focus_program

_STATUSES = {
    discipline.SUPPRESSED: "suppressed",
    discipline.DISORDERED: "disordered",
    discipline.FELL_BACK: "fallen back",
    unit_state.ON_LOOKOUT: "on lookout",
    unit_state.TAKING_COVER: "taking cover",
    unit_state.RELOADING: "reloading",
    unit_state.OUT_OF_BUILDING: "out of its building",
}
_ORDERS = {
    Order.NOTHING: "does nothing more",
    Order.SHOOT_AIMING: "aims and shoots",
    Order.SHOOT: "shoots",
    Order.CHARGE: "charges",
}
_COMBAT_RESULTS = {Order.WON: "wins the combat (AC-8.5)", Order.LOST: "loses the combat (AC-8.5)"}
_DRAWS = {
    Kind.BEGIN: "rally test (AC-5.6)",
    Kind.RESOLVE: "test of a lost combat (AC-8.5)",
    Kind.TEST_PASSENGERS: "test of the passengers (AC-5.10)",
    Kind.TEST_SHOT: "suppression test (AC-5.1)",
    Kind.TEST_PANIC: "test for the blast (AC-7)",
    Kind.ROLL_BUILDING_DIE: "the die for the building (AC-6)",
    Kind.ROLL_DEMISE_DIE: "the die of Spectacular Demise (AC-7)",
    Kind.ROLL_PANIC_DIE: "the same die",
}
_DIE_RESULTS = {  # texts of a success and of a failure
    Draw.STRIKE_DIE: ("a strike or a heroic strike", "neither a strike nor a heroic strike"),
    Draw.HEROIC_DIE: ("a heroic strike", "no heroic strike"),
    Draw.MISS_DIE: ("a miss", "no miss"),
    Draw.MISS_OR_STRIKE_DIE: ("a miss", "no miss"),
}
_CAUSES = {  # causes of changes, for operations without any other line
    Kind.END: "The activation ends (AC-5.7, AC-5.8)",
    Kind.ENGAGE: "The units are in contact",
    Kind.SPREAD_FUMES: "Corrosive Fumes spread (AC-7)",
}
_UNTOLD = (Kind.TOSS, Kind.NEXT_ATTACKER)  # operations without a line, because later lines show their effects
_SIDE_NAMES = "the attacker", "the target"
_FORWARD = "inches forward"
RollDice = Callable[[FightFacts, int], list[Die]]  # returns dice of a pool that have a given score


class Fight(NamedTuple):
    """A fight as the engine runs it: programs, one after another."""

    setup: Setup
    programs: Sequence[Sequence[Operation]]
    start: Pair
    names: tuple[str, str]
    units: tuple[Any, Any]  # as stated; in focus fire the target for both sides, because only the target takes tests
    ends: Sequence[int]  # index of the last program of each attack, each round, or the whole fight
    face_names: Sequence[str]
    step_title: str = ""  # Attack or Round; empty if the fight has one step
    choices: Choices = NO_CHOICES
    secondary: Sequence[str] = ()  # other units of the target's side in contact (AC-8.7)


class TrialRunner:
    """Runs the programs of a fight, operation by operation, with the random draws of one trial."""

    def __init__(self, fight: Fight, roll_dice: RollDice | None = None) -> None:
        self._fight, self._names, self._roll_dice = fight, fight.names, roll_dice
        self._setup: Any = views(fight.setup.copy())
        self._by_card = test_draw(0) in (Draw.CARD_OF_SIDE_0, Draw.CARD_OF_SIDE_1)
        self._arrays = [np.array(program, np.int64) for program in fight.programs]

    def run(self, draws: Sequence[int]) -> tuple[list[list[str]], list[tuple[int, int]]]:
        """Return the lines about each program (none without `roll_dice`), and the states of both sides after it."""
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
        return [
            f"{name[0].upper()}{name[1:]}: {state_text(self._words(side, state))}"
            for side, (name, state) in enumerate(zip(self._names, pair))
        ]

    def _words(self, side: int, state: int) -> dict[str, Any]:
        """Return the state of a side as named numbers and flags."""
        if unit_state.is_removed(state):
            fate = "fled" if state & discipline.FLED else "destroyed"
            fate = "broken" if state & discipline.BROKEN else fate
            return {fate: True} | self._words_for_passengers(side, state)
        words = {"models left": int(unit_state.models_of(state))}
        words |= {text: bool(state & bit) for bit, text in _STATUSES.items()}
        facts = self._setup.sides[side]
        words |= self._words_for_passengers(side, state)
        return words | ({_FORWARD: unit_state.position_of(state, facts) / INCH} if facts.tracks_position else {})

    def _words_for_passengers(self, side: int, state: int) -> dict[str, Any]:
        """Return the losses and statuses of a transport's passengers (AC-5.10, AC-8.8), which only charges have."""
        facts = self._setup.sides[side]
        left = int(combat_result.passengers_left(facts, unit_state.models_of(state)))
        if left == 0:
            return {"passengers left": 0} if facts.passengers else {}
        if state & combat_result.PASSENGERS_BROKEN:
            return {"passengers broken": True}
        suppressed = self._setup.passengers[side].suppressed or state & combat_result.PASSENGERS_SUPPRESSED
        words = {"passengers left": left, "passengers suppressed": bool(suppressed)}
        return words | {"passengers activated": bool(state & combat_result.PASSENGERS_ACTIVATED)}

    def _step(self, operation: Operation, pair: Pair, draws: Iterator[int], lines: list[str]) -> Pair:
        line = (int(operation[0]), int(operation[1]), int(operation[2]))
        if operation.kind == Kind.STRIKE:
            if not strikes.is_made(self._setup, line[2], line[1], pair):
                return pair
            return self._strike(line[2], pair, draws, lines)
        is_told = self._roll_dice is not None and operation.kind not in _UNTOLD
        draw, highest = operations.required_draw(self._setup, line, pair)
        passed, draw_text = highest >= 0, ""
        if draw != Draw.NOTHING:
            value, is_card = next(draws), draw in (Draw.CARD_OF_SIDE_0, Draw.CARD_OF_SIDE_1)
            passed = value <= highest if is_card else bool(value)
            if is_told:
                side = int(draw == Draw.CARD_OF_SIDE_1)
                test = self._test_text(operation, side, pair, value, highest) if is_card else ""
                draw_text = f"{_DRAWS[Kind(operation.kind)]}: {test or _DIE_RESULTS[Draw(draw)][not passed]}"
        if operation.kind & ON_PURPOSE:
            operation = operation._replace(kind=operation.kind ^ ON_PURPOSE)
            draw_text = f"{_DRAWS[Kind(operation.kind)]}: failed on purpose (AC-5.1)"
        first, second = operations.apply(self._setup, line, pair, passed)
        after = int(first), int(second)
        if is_told:
            words = self._operation_in_words(operation, pair, after)
            is_won = operations.result_of_combat(self._setup, operation.side, pair) == combat_result.ACTIVE
            if operation.kind == Kind.RESOLVE and is_won:  # the other side takes the test
                lines.append(f"{self._names[operation.side]}: {words}")
                lines += [f"{self._names[1 - operation.side]}: {draw_text}"] if draw_text else []
            elif texts := [text for text in (words, draw_text) if text]:
                lines.append(f"{self._names[operation.side]}: {'; '.join(texts)}")
            lines += self._withdrawal_lines(operation, pair) if operation.kind == Kind.RESOLVE else []
            changes = self._change_lines(pair, after)
            if changes and operation.kind in _CAUSES:
                fumes = operation.kind == Kind.ENGAGE and any(side.fumes_reach != NONE for side in self._setup.sides)
                lines.append(_CAUSES[Kind(operation.kind)] + " in Corrosive Fumes (AC-7)" * fumes)
            lines += changes
        return after

    def _test_text(self, operation: Operation, side: int, pair: Pair, card: int, highest: int) -> str:
        """Return the text of a test by the unit of `side`; `required_draw` has just set up its scratch records."""
        setup, unit = self._setup, self._fight.units[side]
        if operation.kind == Kind.BEGIN:  # a rally test (AC-5.6), which uses no scratch records
            modifiers = {**discipline_modifiers(setup.attack[0], setup.units[side]), "Suppressive (AC-6)": 0}
            return CardTest(card, unit.discipline, modifiers).text(highest, 0, pair[side] & discipline.DISORDERED != 0)
        if operation.kind == Kind.TEST_PASSENGERS:
            unit = unit.passengers
        fight, modifiers = setup.fight[0], discipline_modifiers(setup.attack[0], setup.target[0])
        heavy_losses = int(fight.discipline - fight.disordered > highest)
        return CardTest(card, unit.discipline, modifiers).text(highest, heavy_losses, int(fight.disordered))

    def _strike(self, number: int, pair: Pair, draws: Iterator[int], lines: list[str]) -> Pair:
        fight = set_up_strike(self._setup, number, pair)
        own_card = next(draws) if strike.stage_of(strike.start_of_strike(fight)) == Stage.CARD else 0
        fight.dice += own_card
        values: list[int] = []  # value drawn for the test, if it is taken

        def passes(highest: int) -> int:
            values.append(next(draws))
            return int(values[0] <= highest) if self._by_card else values[0]

        resolved = resolve(fight, scores_for(fight, fight.dice), next(draws), lambda _: next(draws), passes)
        first, second = states_after_strike(self._setup, number, pair, resolved.progress)
        after = int(first), int(second)
        if self._roll_dice is not None:
            test = None
            if self._by_card and values:
                struck = self._fight.units[1 - self._setup.strikes[number].striker]
                modifiers = discipline_modifiers(self._setup.attack[0], self._setup.target[0])
                test = CardTest(values[0], struck.discipline, modifiers)
            dice = self._roll_dice(fight, resolved.score)
            striker = int(self._setup.strikes[number].striker)
            models = int(unit_state.models_of(pair[striker]))
            who: Any = {"striker": self._names[striker], "models": models}
            about_strike = strike_lines(fight, resolved, dice, self._fight.face_names, test, **who)
            lines.append(self._strike_heading(number, fight, own_card))
            lines += [*(f"  {line}" for line in about_strike), *self._change_lines(pair, after)]
        return after

    def _strike_heading(self, number: int, fight: Any, own_card: int) -> str:
        facts = self._setup.strikes[number]
        attacker, target = self._names[facts.striker], self._names[1 - facts.striker]
        if facts.secondary_unit:
            attacker = f"{self._fight.secondary[facts.secondary_unit - 1]} (secondary)"
        verb = "strikes" if facts.in_combat else "shoots at"
        verb = "fires from lookout at" if facts.by_lookout else "explodes near" if facts.by_blast else verb
        by_card = f", {own_card} of them from its card" if own_card else ""
        dice = f"{counted(int(fight.dice), 'die', 'dice')}{by_card}, {Rating(int(fight.rating)).name.lower()}"
        return f"{attacker} {verb} {target}{_means(facts)}: {dice}"

    def _operation_in_words(self, operation: Operation, before: Pair, after: Pair) -> str:
        """Return an operation other than a strike in words; empty if the changes of the states tell everything."""
        side, kind = operation.side, operation.kind
        order = Order(unit_state.order_of(after[side]))
        if kind == Kind.RESOLVE and combat_result.in_combat(before[side]):
            if operations.result_of_combat(self._setup, side, before) == combat_result.NOT_FOUGHT:
                return "no combat takes place (AC-8.1)"
            return _COMBAT_RESULTS.get(order, "draws the combat (AC-8.5)")
        if kind == Kind.BEGIN and after[side] != before[side]:
            return "is activated"
        if kind == Kind.RUN_AMOK and after != before:
            return "runs amok (AC-7): 1 damage to the enemy, and one of its own models is destroyed"
        if kind not in (Kind.GIVE_ORDERS, Kind.ORDER) or after[side] == before[side]:
            return ""
        old, new = self._words(side, before[side]), self._words(side, after[side])
        if order == Order.SHOOT and old.get(_FORWARD) != new.get(_FORWARD):
            return "moves to shoot"
        if order == Order.NO_ATTACK and before[side] & unit_state.RELOADING and not after[side] & unit_state.RELOADING:
            return "reloads and makes no attack (Slow to Fire)"
        return _ORDERS.get(order, "makes no attack")

    def _withdrawal_lines(self, operation: Operation, before: Pair) -> list[str]:
        """Return a line about what a unit loses because it withdraws from a combat."""
        won_by, active = operations.result_of_combat(self._setup, operation.side, before), operation.side
        if won_by == combat_result.NOT_FOUGHT:
            return []
        side = 1 - active if won_by == combat_result.ACTIVE else active
        facts, state = self._setup.sides[side], before[side]
        if unit_state.is_removed(state):
            return []
        if facts.static and won_by != combat_result.NO_WINNER:
            return [f"  {self._names[side]}: cannot withdraw and is annihilated (Static, AC-7)"]
        lost = min(int(facts.withdraws_without_room), int(unit_state.models_of(state)))
        text = f"  {self._names[side]}: no room to withdraw for {counted(lost, 'model')} (AC-5.5, AC-8.5)"
        return [text] if lost else []

    def _change_lines(self, before: Pair, after: Pair) -> list[str]:
        lines = []
        for side, (old, new) in enumerate(zip(before, after)):
            if not unit_state.is_removed(old):
                changes = changes_between(self._words(side, old), self._words(side, new))
                lines += [f"  {self._names[side]}: {', '.join(changes)}"] if changes else []
        return lines


def _means(strike: StrikeFacts) -> str:
    """Return how a strike is made, if in close quarters or without a row, as text; empty for other strikes."""
    if strike.by_throw or strike.by_blast:
        return " by Throw (AC-7)" if strike.by_throw else " by Spectacular Demise (AC-7)"
    if strike.in_combat:
        return " in close quarters"
    if strike.orders == 1 << Order.CHARGE:
        return " with Sponsons (AC-7)"
    is_return_shot = strike.on_marked or (strike.fixed_dice != NONE and strike.striker)
    return " with its Tail Gunner (AC-7)" if is_return_shot else ""


def fight_trials(scenario: Any, trials: int, seed: int, first: int = 0) -> Iterator[NarratedTrial]:
    """Yield the trials of a charge, focus fire or duel simulated with real decks, numbers `first` to `trials` - 1."""
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

        def roll_dice(pool: FightFacts, score: int) -> list[Die]:
            source = Random(f"{seed} {number} {next(rolls)}")  # a separate seed for each roll
            return dice_that_score(pool, scores_for(pool, pool.dice), score, scenario.ruleset.die.sides_by_face, source)

        runner = TrialRunner(fight, roll_dice)
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
        yield NarratedTrial(number, figures, partial(lines, number, trace, figures), lambda: scenario.warnings)


def _closing_heading(kind: str, figures: Mapping[str, Any]) -> list[str]:
    if kind != "duel":
        return ["-- At the end"]
    points = [figures[f"{side}_victory_points"] for side in "ab"]
    result = "A wins" if figures["a_wins"] else "B wins" if figures["b_wins"] else "a draw"
    return [f"-- At the end: {result}, with victory points {points[0]:g} to {points[1]:g}"]


def fight_of(scenario: Any) -> Fight:
    """Return the programs that :func:`~analyser.results.duel.solve_duel` and similar functions run."""
    faces = scenario.ruleset.die.names
    if scenario.kind == "charge":
        setup, program = charge_program(scenario.attacker, scenario.target, scenario.secondary, scenario.ruleset.die)
        setup.sides["hunter"] = 1  # count won combats of both units even without the rule Hunter
        units = scenario.attacker, scenario.target
        secondary = [unit_name(unit) for unit in scenario.secondary]
        return Fight(setup, [program], charge_start(setup), _SIDE_NAMES, units, [0], faces, secondary=secondary)
    if scenario.kind == "focus":
        setup, programs = focus_program(scenario.attacks, scenario.attackers)
        units = scenario.target, scenario.target
        return Fight(setup, programs, start_states(setup), _SIDE_NAMES, units, range(len(programs)), faces, "Attack")
    units = scenario.a, scenario.b
    names = "A", "B"
    if not all(policy in POLICIES for policy in (scenario.terms.policy_a, scenario.terms.policy_b)):
        play = solved_duel(scenario)
        plan = play.plan_programs
        parts, ends = plan.programs, plan.round_ends
        return Fight(play.setup, parts, play.start, names, units, ends, faces, "Round", plan.choices)
    shooters = shooters_of(*units, scenario.terms, scenario.ruleset)
    setup, rounds = duel_program(shooters, scenario.terms)
    parts, _, ends = split_at_orders(rounds, shooters)
    return Fight(setup, parts, duel_start(setup, units), names, units, ends, faces, "Round")
