"""Duels of two units over some rounds (AC-9.2), as programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import Any, ClassVar, Literal, NamedTuple, cast

import numpy as np

from analyser.common.errors import InputError
from analyser.engine.fight import duel_steps
from analyser.engine.fight.best.choice_program import ORDERS, OVERRUN, REACTION, TEST, Choice
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import ON_PURPOSE, Kind, Operation, Setup, When
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.rules import unit_state
from analyser.rules.activation import STOP_IS_DISTANCE
from analyser.rules.attack import kind_of_test
from analyser.rules.policies import BEST, POLICIES, Policy
from analyser.rules.policy_lines import Condition, all_conditions, lines_of
from analyser.rules.structs import INCH, MOST_INCHES, NONE, Test
from analyser.scenarios.charge import combats
from analyser.scenarios.chooser import Chooser
from analyser.scenarios.fight_records import Draft, Strike, setup_for, to_length
from analyser.scenarios.policies import Shooter, check_policy, rows_to_shoot_with
from analyser.scenarios.resolve import (
    IN_CONTACT,
    combatant_warnings,
    may_be_concealed,
    outflanking_warnings,
    overcharge_warnings,
    overrun_warnings,
    resolve_combatant,
)
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


def resolve_duel(file: DuelFile, library: Profiles) -> DuelScenario:
    """Return the duel of a checked `file`."""
    for side, unit in (("a", file.a), ("b", file.b)):
        if unit.passengers is not None:
            problem = "a duel has no embarked units"
            raise InputError(problem, where=f"{side}.passengers", allowed="a transport without passengers")
    a, b = resolve_combatant(file.a, library, "a"), resolve_combatant(file.b, library, "b")
    scenario = DuelScenario(file.duel, a, b, file.ruleset)
    return replace(scenario, warnings=tuple(dict.fromkeys(duel_warnings(file, scenario, library))))


def duel_program(a: Combatant, b: Combatant, terms: DuelTerms, ruleset: Ruleset) -> tuple[Setup, list[list[Operation]]]:
    """Return the setup of a duel, and the operations of each round; for errors see :func:`shooters_of`."""
    return program_of_shooters(shooters_of(a, b, terms, ruleset), terms)


def shooters_of(a: Combatant, b: Combatant, terms: DuelTerms, ruleset: Ruleset) -> tuple[Shooter, Shooter]:
    """Return both sides of a duel with the rows that they fire; InputError if a unit cannot fight the duel."""
    for unit, enemy, policy, where in ((a, b, terms.policy_a, "a"), (b, a, terms.policy_b, "b")):
        if unit.aircraft:
            problem = f"{unit.unit or 'the unit'} is an aircraft and flies sorties, so it cannot fight a duel (AC-9.2)"
            raise InputError(problem, where=where, allowed="a unit that stays on the table")
        edge = unit.edge_distance
        if edge is not None and edge > MOST_INCHES:
            allowed = f"0 to {MOST_INCHES}; or leave it out if the edge is far away"
            raise InputError(f"{edge:g} inches in a duel", where=f"{where}.edge_distance", allowed=allowed)
        if policy in POLICIES:
            check_policy(policy, unit, enemy, f"duel.policy_{where}")
        if policy in POLICIES and unit.may_charge(enemy, policy):
            unit.check_can_charge(where)
        never_charges = isinstance(policy, tuple) and "charge" not in " ".join(policy)
        is_free = policy == BEST and enemy.behemoth  # it need not charge without a band of damage
        if unit.may_charge(enemy, "shoot" if never_charges else policy) and not is_free:
            enemy.check_can_retaliate("b" if where == "a" else "a")
    kinds = [Shooter if policy in POLICIES else Chooser for policy in (terms.policy_a, terms.policy_b)]
    return (
        kinds[0](a, b, terms.policy_a, terms.distance, ruleset, "a", terms.step),
        kinds[1](b, a, terms.policy_b, terms.distance, ruleset, "b", terms.step),
    )


def common_step(a: Combatant, b: Combatant, terms: DuelTerms) -> float | None:
    """Return the largest step between positions that is fine enough for best play.

    All lengths of the duel are multiples of this step, so no position in between is better for either side. None if
    the step is below a quarter inch, if no distance is stated, or if neither side plays best.
    """
    if terms.distance is None or BEST not in (terms.policy_a, terms.policy_b):
        return None
    lengths = [unit_state.FALL_BACK, INCH, to_length(terms.distance)]
    for unit, policy in ((a, terms.policy_a), (b, terms.policy_b)):
        ranges = [reach for row in unit.rows or () for reach in (row.short_range, row.long_range)]
        stated = filter(None, (unit.speed, unit.edge_distance, *ranges))
        lengths += [max(unit.rule_length("Corrosive Fumes"), 0), *map(to_length, stated)]
        for line in () if policy in POLICIES or policy == BEST else lines_of(policy, "duel"):
            distances = [condition.value for condition in line.conditions if condition.subject == "distance"]
            lengths += [max(line.stop, 0) & ~STOP_IS_DISTANCE, *(round(value * INCH) for value in distances)]
    common = gcd(*lengths) / INCH
    return common if common >= SHORTEST_STEP else None


def program_of_shooters(shooters: tuple[Shooter, Shooter], terms: DuelTerms) -> tuple[Setup, list[list[Operation]]]:
    """Return the setup of a duel, and the operations of each round; InputError if a side has choices."""
    if any(shooter.chooses for shooter in shooters):
        problem = "only the commands `duel` and `best` compute best play and policies in words"
        raise InputError(problem, where="duel", allowed="simple tactics by name, in policy_a and policy_b")
    setup, operations = round_program(shooters, terms)
    return setup, [cast("list[Operation]", operations)] * terms.rounds


def round_program(
    shooters: tuple[Shooter, Shooter], terms: DuelTerms, *, with_test_choices: bool = True
) -> tuple[Setup, list[Operation | Choice]]:
    """Return the setup of a duel, and a round with its choices; test choices are those to fail a test on purpose."""
    sides = shooters[0].unit, shooters[1].unit
    draft: Any = Draft(sides, distance=to_length(terms.distance), rounds=terms.rounds)
    for shooter in shooters:
        _set_side(draft, shooter)
    duel_steps.reserve_win_bits(draft)
    activations: Any = tuple(_activation(side, draft, shooters) for side in (0, 1))
    _set_positions(draft, activations, shooters)
    duel_steps.add_round(draft, activations, {"random": NONE, "a": 0, "b": 1}[terms.first])
    operations, strikes = draft.lines, draft.strikes()
    may_fail = [with_test_choices and can_gain_by_failing(*pair) for pair in (shooters, shooters[::-1])]
    if any(may_fail):
        strikes = with_separate_tests(strikes, may_fail)
        operations = add_test_choices(operations, strikes, shooters, may_fail)
    return setup_for(draft.sides(), sides, strikes, shooters[0].ruleset.die), operations


def _set_side(draft: Any, shooter: Shooter) -> None:
    unit, policy = shooter.unit, shooter.policy
    number = Policy[policy.upper()].value if isinstance(policy, str) and policy in POLICIES else NONE
    charges = int(unit.may_charge(shooter.enemy, policy))
    duel_steps.set_side_of_duel(draft, shooter.side, number, charges, int(shooter.rearms))
    if shooter.chooses and shooter.distance is not None:  # longest retreat in SPEEDs; 2 needs a known edge
        draft.setup.sides[shooter.side].retires = 1 if unit.edge_distance is None else 2


def _set_positions(draft: Any, activations: Any, shooters: tuple[Shooter, Shooter]) -> None:
    """Set the starting positions, so that the states of both sides can hold every reachable position."""
    sides, rounds = draft.setup.sides, draft.question.fight[0].rounds
    if not any(facts.tracks_position for facts in sides):
        return  # positions do not matter
    backs = duel_steps.most_set_backs(draft, tuple(draft.part(flatten(activation.lines)) for activation in activations))
    advances, lengths = backs * 0, list[int]()
    for side, (facts, shooter) in enumerate(zip(sides, shooters)):
        exits = unit_state.FALL_BACK if shooter.chooses and facts.garrisoned else 0
        advances[side] = rounds * duel_steps.most_advance(facts, facts.charges or shooter.chooses) + exits
        backs[side] += facts.retires * facts.speed * rounds + exits
        if shooter.policy == "short_range" and shooter.main_row is not None:
            row = shooter.main_row
            lengths.append(to_length(row.long_range if row.short_range is None else row.short_range))
        lengths += [*shooter.stop_distances, *shooter.stop_lengths] if isinstance(shooter, Chooser) else []
    draft.check_room(*duel_steps.set_positions_in_duel(draft, backs, advances, np.array(lengths, np.int64)), "duel")


def bits_of_wins(unit: Combatant, enemy: Combatant, terms: DuelTerms, side: int) -> int:
    """Return the number of bits of a state that count a unit's won combats (Hunter, AC-7); `side`: 0 for A, 1 for B."""
    if not unit.has("Hunter"):
        return 0
    policies = (terms.policy_a, terms.policy_b) if side == 0 else (terms.policy_b, terms.policy_a)
    n_combats = 0
    for charger, charged, policy in ((unit, enemy, policies[0]), (enemy, unit, policies[1])):
        if charger.may_charge(charged, policy):
            n_combats += 2 if charger.has("Overrun") and charger.charge.overrun else 1
    return (terms.rounds * n_combats).bit_length()


def _activation(side: int, draft: Any, shooters: tuple[Shooter, Shooter]) -> Draft:
    """Return an activation without its first step (BEGIN), and append its strikes to the draft."""
    shooter, enemy = shooters[side], shooters[1 - side]
    shots, reactions = shooter.add_shots(draft), enemy.add_reactions(draft)
    strikes = duel_steps.add_following_strikes(draft)

    def operations_of(number: int) -> list[Operation | Choice]:
        part = draft.part()
        duel_steps.add_shot_with_effects(part, side, number, strikes)
        return cast("Draft", part).lines

    reaction = draft.part([operation for number in reactions for operation in operations_of(number)])
    if enemy.chooses and reactions:
        reaction.lines = [Choice(1 - side, REACTION, [[], *(operations_of(number) for number in reactions)])]
    charged = (enemy.variants(enemy.retaliations) if isinstance(enemy, Chooser) else []) or [enemy.unit]
    orders, combat = draft.part(), draft.part()
    if isinstance(shooter, Chooser):
        orders.lines = [shooter.choice(shots, operations_of, draft, charged)]
    else:
        if shooter.unit.may_charge(enemy.unit, shooter.policy):
            combat.lines = combats([shooter.unit], charged, side, draft)[0]
        duel_steps.add_orders(orders, side, (shots[0] if shots else NONE, len(shots)), strikes, combat)
        if enemy.chooses:
            orders.lines = [Choice(side, ORDERS, [orders.lines])]
    activation: Draft = draft.part()
    duel_steps.add_activation(cast("Any", activation), side, reaction, orders, strikes)
    return activation


def flatten(steps: Iterable[Operation | Choice]) -> list[Operation]:
    """Return steps, each choice replaced by its last branch and the strikes and panic tests of its other branches."""
    result: list[Operation] = []
    for step in steps:
        if isinstance(step, Operation):
            result.append(step)
            continue
        branches = [flatten(branch) for branch in step.branches]
        for branch in branches:
            keeps_all = branch is branches[-1] or step.subject == OVERRUN  # an overrun is part of the same combat
            result += [line for line in branch if keeps_all or line.kind in (Kind.STRIKE, Kind.TEST_PANIC)]
    return result


class OrdersPoint(NamedTuple):
    """A moment of a duel just before a side receives its orders."""

    round: int  # 1 is the first
    operation: Operation  # the next operation, GIVE_ORDERS
    when: int  # activation within the round (:class:`~analyser.engine.fight.program.When`)
    shots: int  # number of strikes with which the side can shoot; `operation` has the index of the first
    part: int  # index of the part of the program that ends here


def split_at_orders(
    rounds: Sequence[list[Operation]], shooters: tuple[Shooter, Shooter]
) -> tuple[list[list[Operation]], list[OrdersPoint], list[int]]:
    """Split a duel before each GIVE_ORDERS; return the parts, these points, and the index of each round's last part."""
    parts: list[list[Operation]] = []
    points: list[OrdersPoint] = []
    ends: list[int] = []
    for number, operations in enumerate(rounds, start=1):
        when, start = int(When.ALWAYS), 0
        for index, operation in enumerate(operations):
            if operation.kind == Kind.BEGIN:
                when = operation.number
            elif operation.kind == Kind.GIVE_ORDERS:
                shots = len(shooters[operation.side].rows)
                points.append(OrdersPoint(number, operation, when, shots, len(parts)))
                parts.append(operations[start:index])
                start = index
        ends.append(len(parts))
        parts.append(operations[start:])
    return parts, points, ends


def duel_start(setup: Setup, sides: Sequence[Combatant]) -> tuple[int, int]:
    """Return the states of both sides as a duel begins."""
    a, b = (unit_state.ON_LOOKOUT * unit.on_lookout | unit_state.RELOADING * unit.reloading for unit in sides)
    return start_states(setup, (a, b))


_IN_RANGE = {Condition("in range")}  # always true of a unit with a row to shoot with in a duel without a distance


def duel_warnings(file: DuelFile, scenario: DuelScenario, profiles: Profiles) -> Iterator[str]:
    """Yield the warnings of a duel; `scenario` is the resolved `file`."""
    a, b, policies = scenario.a, scenario.b, (file.duel.policy_a, file.duel.policy_b)
    for side, unit, enemy, policy in (("a", a, b, policies[0]), ("b", b, a, policies[1])):
        lines = lines_of(policy, f"duel.policy_{side}") if isinstance(policy, tuple) else ()
        if lines and lines[-1].conditions:
            yield f"the last line of policy_{side} has a condition: if no line applies, the unit does nothing"
        can_shoot = any(unit.row in (None, row.id) for row in rows_to_shoot_with(unit, enemy, "shoot"))
        always = [number for number, line in enumerate(lines[:-1], 1) if set(all_conditions(line)) == _IN_RANGE]
        if always and file.duel.distance is None and can_shoot:
            never = f"line {always[0] + 1} of policy_{side} is never reached"
            yield f"{never}: without a distance, line {always[0]} always applies"
    lengths = [2 * (unit.speed or 0) for unit, policy in zip((a, b), policies) if policy == BEST]
    if file.duel.step is not None and (file.duel.distance is None or file.duel.step >= max(lengths, default=0)):
        yield "duel.step has no effect: it needs best play, a distance, and a unit that can move further than the step"
    if file.duel.distance == 0 and policies != ("charge", "charge"):
        yield f"duel.distance {IN_CONTACT}"
    if file.duel.want != DuelTerms.model_fields["want"].default and BEST not in policies:
        yield "duel.want has no effect: neither side plays best"
    may_combat = a.may_charge(b, policies[0]) or b.may_charge(a, policies[1])
    yield from combatant_warnings(a, "a", file.a, profiles)
    yield from combatant_warnings(b, "b", file.b, profiles)
    for side, unit, enemy, policy in (("a", a, b, policies[0]), ("b", b, a, policies[1])):
        if unit.may_charge(enemy, policy):
            yield from outflanking_warnings(unit.charge, enemy, f"{side}.charge")
        else:
            stated = [key for key, value in unit.charge if value and key != "overrun"]
            yield from (f"{side}.charge.{key} has no effect: the unit does not charge" for key in stated)
        if unit.taking_cover and not may_be_concealed(unit):
            yield f"{side}.taking_cover has no effect, because the unit is not concealed (AC-4.3)"
        if unit.charge.outflanking and enemy.garrisoned:
            yield f"{side}.charge.outflanking counts although a unit in a building has its front on every side"
        if unit.garrisoned and policy == "charge":
            yield f"{side} cannot charge while it is in its building, and with the policy charge it stays there"
        if unit.victory_points is None:
            yield f"{side}.victory_points is not stated: the annihilation of the unit counts as 1 VP"
        yield from overrun_warnings(unit, f"{side}.charge")
        if unit.reloading and not unit.any_row_has("Slow to Fire"):
            yield f"{side}.reloading has no effect: no row is Slow to Fire (AC-6)"
        if unit.overcharge and not may_combat:
            yield f"{side}.overcharge has no effect: neither side charges; for shots use the policy overcharge"
        elif may_combat:
            yield from overcharge_warnings(unit, side)


# Conditions in the lines of a policy in words that the result of a test can change.
_TEST_RESULTS = ("enemy suppressed", "enemy disordered", "enemy activated")


def can_gain_by_failing(shooter: Shooter, enemy: Shooter) -> bool:
    """Return True if a side plays best and can gain by failing a test on purpose (AC-5.1).

    Failing can move a unit back or out of its building, prevent its charge (Run Amok), activate it (Cryo), or save
    blanks (Overcharge). The enemy can lose a won combat (Hunter) or a blast (Spectacular Demise), or act otherwise.
    """
    unit = shooter.unit
    if not isinstance(shooter, Chooser) or shooter.lines or unit.discipline is None:
        return False
    enemy_lines = enemy.lines if isinstance(enemy, Chooser) else ()
    visible = any(condition.subject in _TEST_RESULTS for line in enemy_lines for condition in line.conditions)
    faces_cryo = any(row.has("Cryo") for row in enemy.unit.rows or ())  # a failed test activates the unit (AC-6)
    overcharges = any(row.has("Overcharge") for row in unit.rows or ())
    dangerous = enemy.unit.has("Hunter", "Spectacular Demise")
    moves = shooter.distance is not None or unit.has("Run Amok") or unit.garrisoned  # falls back out of its building
    return moves or visible or faces_cryo or overcharges or dangerous


def with_separate_tests(strikes: Iterable[Strike], may_fail: Sequence[bool]) -> list[Strike]:
    """Return the strikes; a test that a side may fail on purpose becomes a separate step."""
    return [
        strike._replace(strike=strike.strike._replace(separate_test=1))
        if may_fail[1 - strike.strike.striker] and kind_of_test(strike.attack, strike.target) == Test.BY_CARD
        else strike
        for strike in strikes
    ]


def add_test_choices(
    steps: Iterable[Operation | Choice], strikes: Sequence[Strike], sides: Sequence[Shooter], may_fail: Sequence[bool]
) -> list[Operation | Choice]:
    """Return the steps of a round, with the choice to fail tests on purpose for each side that `may_fail`.

    In a rally test only a unit with Run Amok has this choice; other units have more options if they pass (AC-5.6).
    """
    result = list[Operation | Choice]()
    for step in steps:
        if isinstance(step, Choice):
            branches = [add_test_choices(branch, strikes, sides, may_fail) for branch in step.branches]
            result.append(step._replace(branches=branches))
            continue
        test, sides_tested = step, list[int]()
        if step.kind == Kind.STRIKE and strikes[step.number].strike.separate_test:
            sides_tested = [1 - strikes[step.number].strike.striker]
            test = Operation(Kind.TEST_SHOT, sides_tested[0], step.number)
            result.append(step)
        elif step.kind == Kind.RESOLVE:
            sides_tested = [0, 1]
        elif step.kind == Kind.TEST_PANIC or (step.kind == Kind.BEGIN and sides[step.side].unit.has("Run Amok")):
            sides_tested = [step.side]
        result.append(_with_choice(test, [side for side in sides_tested if may_fail[side]]))
    return result


def _with_choice(test: Operation, sides: Sequence[int]) -> Operation | Choice:
    if not sides:
        return test
    failed = test._replace(kind=test.kind | ON_PURPOSE)
    return Choice(sides[0], TEST, [[_with_choice(test, sides[1:])], [failed]])
