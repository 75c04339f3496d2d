"""Failing a test on purpose (AC-5.1): the cases in which best play can gain by it, and the choice.

Suppression, falling back or breaking can help a unit that would rather be further away, or out of its building. It can
help a unit that runs amok and would rather not charge (AC-7). With Overcharge a weakened attack turns fewer dice into
blanks (AC-3.4, AC-6). It can matter against an enemy whose policy looks at such statuses, or a Hunter, which scores for
each combat that it wins. It can also spare an enemy with Spectacular Demise. Elsewhere the choice is left out: it would
add situations, and is never taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyser.engine.fight.best.choice_program import TEST, Choice
from analyser.engine.fight.program import ON_PURPOSE, Kind, Operation
from analyser.rules.attack import test_taken
from analyser.rules.structs import Test
from analyser.scenarios.best import Chooser
from analyser.scenarios.policies import Shooter
from analyser.scenarios.strikes import Strike

_TOLD_BY_A_TEST = ("enemy suppressed", "enemy disordered", "enemy activated")  # statuses that a policy in words can see


def can_gain(shooter: Shooter, enemy: Shooter) -> bool:
    """Return True if a side chooses and can gain by failing the test of an attack or of a lost combat."""
    unit = shooter.mine
    if not isinstance(shooter, Chooser) or shooter.lines or unit.discipline is None:
        return False
    told = isinstance(enemy, Chooser) and any(
        condition.quantity in _TOLD_BY_A_TEST for line in enemy.lines for condition in line.conditions
    )
    activates = any(row.has("Cryo") for row in enemy.mine.rows or ())  # instead of suppressing (AC-6)
    overcharges = any(row.has("Overcharge") for row in unit.rows or ())
    leaves = unit.garrisoned  # the unit falls back out of its building, and may charge
    dangerous = enemy.mine.has("Hunter") or enemy.mine.has("Spectacular Demise")
    stated = shooter.distance is not None or unit.has("Run Amok")
    return stated or told or activates or overcharges or leaves or dangerous


def with_tests_apart(strikes: Iterable[Strike], choosing: Sequence[bool]) -> list[Strike]:
    """Return the strikes, with the test as a separate step if a side can choose to fail it."""
    return [
        strike._replace(strike=strike.strike._replace(test_apart=1))
        if choosing[1 - strike.strike.striker] and test_taken(strike.attack, strike.target) == Test.BY_CARD
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
        if step.kind == Kind.STRIKE and strikes[step.number].strike.test_apart:
            sides = [1 - strikes[step.number].strike.striker]
            test = Operation(Kind.TEST_SHOT, sides[0], step.number)
            result.append(step)
        elif step.kind == Kind.RESOLVE:
            sides = [0, 1]
        elif step.kind == Kind.TEST_FRIGHTENED or (
            step.kind == Kind.BEGIN and shooters[step.side].mine.has("Run Amok")
        ):
            sides = [step.side]
        result.append(_chosen(test, [side for side in sides if may[side]]))
    return result


def _chosen(test: Operation, sides: Sequence[int]) -> Operation | Choice:
    """Return a test with the choice to fail it, for each of the `sides` if it takes the test."""
    if not sides:
        return test
    failed = test._replace(kind=test.kind | ON_PURPOSE)
    return Choice(sides[0], TEST, [[_chosen(test, sides[1:])], [failed]])
