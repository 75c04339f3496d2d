"""Duels: two units, activation after activation, for some rounds (AC-9.2), as a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import Any, ClassVar, Literal, NamedTuple, cast

import numpy as np

from analyser.common.errors import InputError
from analyser.engine.fight.best.choice_program import ORDERS, OVERRUN, REACTION, TEST, Choice
from analyser.engine.fight.duel_steps import (
    add_activation,
    add_orders,
    add_round,
    add_shot_with_effects,
    first_blast,
    following_strikes,
    most_advance,
    most_set_backs,
    reserve_win_bits,
    set_positions_in_duel,
    set_side_of_duel,
)
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import ON_PURPOSE, Kind, Operation, Setup, When
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.rules import unit_state
from analyser.rules.activation import STOP_IS_DISTANCE
from analyser.rules.attack import kind_of_test
from analyser.rules.policies import BEST, POLICIES, Policy
from analyser.rules.policy_lines import lines_of
from analyser.rules.structs import INCH, MOST_INCHES, NONE, Test
from analyser.scenarios.best import Chooser
from analyser.scenarios.charge import combats
from analyser.scenarios.fight_records import Draft, Strike, length_of, setup_for
from analyser.scenarios.policies import Shooter, check_policy
from analyser.scenarios.resolve import about_combatant, about_overcharge, about_overrun, resolve_combatant
from analyser.scenarios.schema import SHORTEST_STEP, Combatant, DuelFile, DuelTerms


@dataclass(frozen=True, slots=True)
class DuelScenario:
    """A resolved duel."""

    kind: ClassVar[Literal["duel"]] = "duel"

    terms: DuelTerms
    a: Combatant
    b: Combatant
    ruleset: Ruleset
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the scenario as plain data with all defaults; loading it gives an equal scenario."""
        sections = {"duel": self.terms, "a": self.a, "b": self.b, "ruleset": self.ruleset}
        return {name: section.model_dump(mode="json") for name, section in sections.items()}


def resolved(file: DuelFile, library: Profiles) -> DuelScenario:
    """Return the duel of a checked `file`."""
    for side, unit in (("a", file.a), ("b", file.b)):
        if unit.passengers is not None:
            problem = "embarked units take no part in duels"
            raise InputError(problem, where=f"{side}.passengers", allowed="a transport without passengers")
    a, b = resolve_combatant(file.a, library, "a"), resolve_combatant(file.b, library, "b")
    scenario = DuelScenario(file.duel, a, b, file.ruleset)
    return replace(scenario, warnings=tuple(dict.fromkeys(about_duel(file, scenario, library))))


def duel_program(a: Combatant, b: Combatant, terms: DuelTerms, ruleset: Ruleset) -> tuple[Setup, list[list[Operation]]]:
    """Return the setup of a duel, and the operations of each round; for errors see :func:`shooters_of`."""
    return program_of(shooters_of(a, b, terms, ruleset), terms)


def shooters_of(a: Combatant, b: Combatant, terms: DuelTerms, ruleset: Ruleset) -> tuple[Shooter, Shooter]:
    """Return both sides of a duel with the rows that they fire; InputError if a unit cannot carry out its policy."""
    for mine, theirs, policy, where in ((a, b, terms.policy_a, "a"), (b, a, terms.policy_b, "b")):
        if mine.aircraft:
            problem = f"{mine.unit or 'the unit'} is an aircraft, and flies sorties: no duel (AC-9.2)"
            raise InputError(problem, where=where, allowed="a unit that stays on the table")
        edge = mine.edge_distance
        if edge is not None and edge > MOST_INCHES:
            allowed = f"0 to {MOST_INCHES}, or left out: far away"
            raise InputError(f"{edge:g} inches in a duel", where=f"{where}.edge_distance", allowed=allowed)
        if policy in POLICIES:
            check_policy(policy, mine, theirs, f"duel.policy_{where}")
        if policy == "charge":
            mine.check_has_dice(mine.charge_row(where), where)
    kinds = [Shooter if policy in POLICIES else Chooser for policy in (terms.policy_a, terms.policy_b)]
    return (
        kinds[0](a, b, terms.policy_a, terms.distance, ruleset, "a", terms.step),
        kinds[1](b, a, terms.policy_b, terms.distance, ruleset, "b", terms.step),
    )


def whole_step(a: Combatant, b: Combatant, terms: DuelTerms) -> float | None:
    """Return the step at which best play needs to try positions; None if it is below a quarter inch.

    All ranges, SPEEDs and other lengths of a duel are multiples of this step. At a distance between two multiples both
    units have the options of the greater one. So no other position is better for either.
    """
    if terms.distance is None or BEST not in (terms.policy_a, terms.policy_b):
        return None
    lengths = [unit_state.FALL_BACK, INCH, length_of(terms.distance)]
    for unit, policy in ((a, terms.policy_a), (b, terms.policy_b)):
        ranges = [reach for row in unit.rows or () for reach in (row.short_range, row.long_range)]
        fumes = unit.rule_length("Corrosive Fumes") if unit.has("Corrosive Fumes") else 0
        lengths += [fumes, *map(length_of, filter(None, (unit.speed, unit.edge_distance, *ranges)))]
        for line in () if policy in POLICIES or policy == BEST else lines_of(policy, "duel"):
            said = [condition.value for condition in line.conditions if condition.quantity == "distance"]
            lengths += [max(line.stop, 0) & ~STOP_IS_DISTANCE, *(round(value * INCH) for value in said)]
    step = gcd(*lengths) / INCH
    return step if step >= SHORTEST_STEP else None


def program_of(shooters: tuple[Shooter, Shooter], terms: DuelTerms) -> tuple[Setup, list[list[Operation]]]:
    """Return the setup of a duel, and the operations of each round; InputError if a side has choices."""
    if any(shooter.chooses for shooter in shooters):
        problem = "best play and policies in words are solved for the whole duel, by `duel` and `best`"
        raise InputError(problem, where="duel", allowed="simple tactics here: policy_a and policy_b by name")
    setup, course = course_of(shooters, terms)
    return setup, [cast("list[Operation]", course)] * terms.rounds


def course_of(
    shooters: tuple[Shooter, Shooter], terms: DuelTerms, *, asks_of_tests: bool = True
) -> tuple[Setup, list[Operation | Choice]]:
    """Return the setup of a duel, and the course of a round, including the choices of best play.

    `asks_of_tests`: include the choice to fail a test on purpose, if it can matter.
    """
    sides = shooters[0].mine, shooters[1].mine
    draft: Any = Draft(sides, distance=length_of(terms.distance), rounds=terms.rounds)
    for shooter in shooters:
        _set_side(draft, shooter)
    reserve_win_bits(draft)
    activations: Any = tuple(_activation(side, draft, shooters) for side in (0, 1))
    _place(draft, activations, shooters)
    add_round(draft, activations, {"random": NONE, "a": 0, "b": 1}[terms.first])
    course, strikes = draft.lines, draft.strikes()
    fails = [asks_of_tests and can_gain(*pair) for pair in (shooters, shooters[::-1])]
    if any(fails):
        strikes = with_tests_apart(strikes, fails)
        course = with_tests_chosen(course, strikes, shooters, fails)
    return setup_for(draft.sides(), sides, strikes, shooters[0].ruleset.die), course


def _set_side(draft: Any, shooter: Shooter) -> None:
    mine, policy = shooter.mine, shooter.policy
    number = Policy[policy.upper()].value if isinstance(policy, str) and policy in POLICIES else NONE
    charges = int(mine.may_charge(shooter.theirs, policy))
    set_side_of_duel(draft, shooter.side, number, charges, int(shooter.rearms))
    if shooter.chooses and shooter.distance is not None:  # a unit that knows its edge may go at double time
        draft.setup.sides[shooter.side].retires = 1 if mine.edge_distance is None else 2


def _place(draft: Any, activations: Any, shooters: tuple[Shooter, Shooter]) -> None:
    """Set the starting positions of both sides so that their states can hold every position within reach."""
    sides, rounds = draft.setup.sides, draft.question.fight[0].rounds
    if not any(facts.tracks_position for facts in sides):
        return  # positions do not matter
    backs = most_set_backs(draft, tuple(draft.part(flat_course(activation.lines)) for activation in activations))
    advances, lengths = backs * 0, list[int]()
    for side, (facts, shooter) in enumerate(zip(sides, shooters)):
        exits = unit_state.FALL_BACK if shooter.chooses and facts.garrisoned else 0
        advances[side] = rounds * most_advance(facts, facts.charges or shooter.chooses) + exits
        backs[side] += facts.retires * facts.speed * rounds + exits
        if shooter.policy == "short_range" and shooter.main is not None:
            row = shooter.main
            lengths.append(length_of(row.long_range if row.short_range is None else row.short_range))
        lengths += [*shooter.stops_at, *shooter.stops] if isinstance(shooter, Chooser) else []
    draft.check_room(*set_positions_in_duel(draft, backs, advances, np.array(lengths, np.int64)), "duel")


def bits_of_wins(mine: Combatant, theirs: Combatant, terms: DuelTerms, side: int) -> int:
    """Return the number of bits for a unit's won combats (Hunter, AC-7); `side`: 0 if `mine` is A, 1 if B."""
    if not mine.has("Hunter"):
        return 0
    policies = (terms.policy_a, terms.policy_b) if side == 0 else (terms.policy_b, terms.policy_a)
    combats = 0
    for unit, enemy, policy in ((mine, theirs, policies[0]), (theirs, mine, policies[1])):
        if unit.may_charge(enemy, policy):
            combats += 2 if unit.has("Overrun") and unit.charge.overrun else 1
    return (terms.rounds * combats).bit_length()


def _activation(side: int, draft: Any, shooters: tuple[Shooter, Shooter]) -> Draft:
    """Return the course of one activation without its first operation; its strikes are appended to the draft."""
    shooter, enemy = shooters[side], shooters[1 - side]
    blast = first_blast(draft)
    shots, reactions = shooter.add_shots(draft), enemy.add_reactions(draft)
    strikes = following_strikes(draft, blast)

    def made(number: int) -> list[Operation | Choice]:
        part = draft.part()
        add_shot_with_effects(part, side, number, strikes)
        return cast("Draft", part).lines

    reaction = draft.part([operation for number in reactions for operation in made(number)])
    if enemy.chooses and reactions:
        reaction.lines = [Choice(1 - side, REACTION, [[], *(made(number) for number in reactions)])]
    charged = enemy.struck_back() if isinstance(enemy, Chooser) else [enemy.mine]
    orders, combat = draft.part(), draft.part()
    if isinstance(shooter, Chooser):
        orders.lines = [shooter.choice(shots, made, draft, charged)]
    else:
        if shooter.mine.may_charge(enemy.mine, shooter.policy):
            combat.lines = combats([shooter.mine], charged, side, draft)[0]
        add_orders(orders, side, (shots[0] if shots else NONE, len(shots)), strikes, combat)
        if enemy.chooses:
            orders.lines = [Choice(side, ORDERS, [orders.lines])]
    activation: Draft = draft.part()
    add_activation(cast("Any", activation), side, reaction, orders, blast)
    return activation


def flat_course(course: Iterable[Operation | Choice]) -> list[Operation]:
    """Return all operations of a course in a line; of branches with a combat, only the last one's combat."""
    result: list[Operation] = []
    for step in course:
        if isinstance(step, Operation):
            result.append(step)
            continue
        branches = [flat_course(branch) for branch in step.branches]
        for branch in branches:
            last = branch is branches[-1] or step.subject == OVERRUN  # an overrun adds to one combat
            result += [operation for operation in branch if last or operation.kind in (Kind.STRIKE, Kind.TEST_PANIC)]
    return result


class Orders(NamedTuple):
    """A point of a duel at which a side is about to receive its orders."""

    round: int  # 1 is the first
    operation: Operation  # the next operation, GIVE_ORDERS
    when: int  # activation within the round (:class:`~analyser.engine.fight.program.When`)
    shots: int  # number of strikes that the side can shoot with; the first is that of the operation
    part: int  # index of the part that ends there


def in_parts(
    rounds: Sequence[list[Operation]], shooters: tuple[Shooter, Shooter]
) -> tuple[list[list[Operation]], list[Orders], list[int]]:
    """Return the rounds of a duel in parts that end at orders, those points, and the end of each round."""
    parts: list[list[Operation]] = []
    moments: list[Orders] = []
    ends: list[int] = []
    for number, operations in enumerate(rounds, start=1):
        when, begun = int(When.ALWAYS), 0
        for place_of, operation in enumerate(operations):
            if operation.kind == Kind.BEGIN:
                when = operation.number
            elif operation.kind == Kind.GIVE_ORDERS:
                shots = len(shooters[operation.side].rows)
                moments.append(Orders(number, operation, when, shots, len(parts)))
                parts.append(operations[begun:place_of])
                begun = place_of
        ends.append(len(parts))
        parts.append(operations[begun:])
    return parts, moments, ends


def duel_start(setup: Setup, sides: Sequence[Combatant]) -> tuple[int, int]:
    """Return the states of both sides as a duel begins."""
    a, b = (unit_state.ON_LOOKOUT * unit.on_lookout | unit_state.RELOADING * unit.reloading for unit in sides)
    return start_states(setup, (a, b))


def about_lists(policies: Iterable[str | tuple[str, ...]]) -> Iterator[str]:
    """Yield the warnings of policies in words without a last unconditional line."""
    for side, policy in zip("ab", policies):
        if isinstance(policy, tuple) and lines_of(policy, f"duel.policy_{side}")[-1].conditions:
            yield f"policy_{side} has no last resort: where no line says anything, the unit does nothing"


def about_duel(file: DuelFile, scenario: DuelScenario, profiles: Profiles) -> Iterator[str]:
    """Yield the warnings of a duel: `file` as stated, `scenario` as resolved."""
    a, b, policies = scenario.a, scenario.b, (file.duel.policy_a, file.duel.policy_b)
    yield from about_lists(policies)
    lengths = [2 * (unit.speed or 0) for unit, policy in zip((a, b), policies) if policy == BEST]
    if file.duel.step is not None and (file.duel.distance is None or file.duel.step >= max(lengths, default=0)):
        yield "duel.step has no effect: it applies to best play with a distance, and to moves longer than it"
    contact = a.may_charge(b, policies[0]) or b.may_charge(a, policies[1])
    yield from about_combatant(a, "a", file.a, profiles)
    yield from about_combatant(b, "b", file.b, profiles)
    for side, unit, enemy, policy in (("a", a, b, policies[0]), ("b", b, a, policies[1])):
        if unit.charge.outflanking and enemy.garrisoned:
            yield f"{side}.charge.outflanking also counts against a unit in a building (front on all sides)"
        if unit.garrisoned and policy == "charge":
            yield f"{side} does not charge as long as it is in its building, which it does not leave by itself"
        if unit.victory_points is None:
            yield f"{side}.victory_points is not given: its annihilation is counted as 1 VP"
        yield from about_overrun(unit, f"{side}.charge")
        if unit.reloading and not unit.any_row_has("Slow to Fire"):
            yield f"{side}.reloading has no effect: no row is Slow to Fire (AC-6)"
        if unit.overcharge and not contact:
            yield f"{side}.overcharge has no effect: neither side charges, and for shots there is the policy overcharge"
        elif contact:
            yield from about_overcharge(unit, side)


_VISIBLE_RESULTS = (
    "enemy suppressed",
    "enemy disordered",
    "enemy activated",
)  # results of a test that a policy can see


def can_gain(shooter: Shooter, enemy: Shooter) -> bool:
    """Return True if a side chooses and can gain by failing a test on purpose (AC-5.1).

    Suppression, falling back or breaking can help a unit to get further away, or out of its building, or to avoid a
    charge (Run Amok, AC-7). With Overcharge a weakened attack turns fewer dice into blanks (AC-3.4, AC-6). An
    enemy's policy may depend on such statuses; a Hunter scores for each combat that it wins; an enemy with Spectacular
    Demise may be spared. Elsewhere the choice only adds situations, and is never taken.
    """
    unit = shooter.mine
    if not isinstance(shooter, Chooser) or shooter.lines or unit.discipline is None:
        return False
    visible = isinstance(enemy, Chooser) and any(
        condition.quantity in _VISIBLE_RESULTS for line in enemy.lines for condition in line.conditions
    )
    activates = any(row.has("Cryo") for row in enemy.mine.rows or ())  # instead of suppressing (AC-6)
    overcharges = any(row.has("Overcharge") for row in unit.rows or ())
    leaves = unit.garrisoned  # the unit falls back out of its building, and may charge
    dangerous = enemy.mine.has("Hunter") or enemy.mine.has("Spectacular Demise")
    stated = shooter.distance is not None or unit.has("Run Amok")
    return stated or visible or activates or overcharges or leaves or dangerous


def with_tests_apart(strikes: Iterable[Strike], choosing: Sequence[bool]) -> list[Strike]:
    """Return the strikes, with the test as a separate step if a side can choose to fail it."""
    return [
        strike._replace(strike=strike.strike._replace(separate_test=1))
        if choosing[1 - strike.strike.striker] and kind_of_test(strike.attack, strike.target) == Test.BY_CARD
        else strike
        for strike in strikes
    ]


def with_tests_chosen(
    course: Iterable[Operation | Choice], strikes: Sequence[Strike], shooters: Sequence[Shooter], may: Sequence[bool]
) -> list[Operation | Choice]:
    """Return the course of a round with the choice to fail tests on purpose, for each side that `may`.

    Failing a rally test helps only a unit that runs amok: after a passed one it has all other options, too (AC-5.6).
    """
    result = list[Operation | Choice]()
    for step in course:
        if isinstance(step, Choice):
            branches = [with_tests_chosen(branch, strikes, shooters, may) for branch in step.branches]
            result.append(step._replace(branches=branches))
            continue
        test, sides = step, list[int]()
        if step.kind == Kind.STRIKE and strikes[step.number].strike.separate_test:
            sides = [1 - strikes[step.number].strike.striker]
            test = Operation(Kind.TEST_SHOT, sides[0], step.number)
            result.append(step)
        elif step.kind == Kind.RESOLVE:
            sides = [0, 1]
        elif step.kind == Kind.TEST_PANIC or (step.kind == Kind.BEGIN and shooters[step.side].mine.has("Run Amok")):
            sides = [step.side]
        result.append(_chosen(test, [side for side in sides if may[side]]))
    return result


def _chosen(test: Operation, sides: Sequence[int]) -> Operation | Choice:
    """Return a test with the choice to fail it, for each of the `sides` if it takes the test."""
    if not sides:
        return test
    failed = test._replace(kind=test.kind | ON_PURPOSE)
    return Choice(sides[0], TEST, [[_chosen(test, sides[1:])], [failed]])
