"""Laws as dicts of outcome -> Fraction, for all plain readings of rules."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

Law = dict[Any, Fraction]
Row = dict[str, Any]
Tables = dict[str, list[Row]]


def fraction(value: Any) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return value if isinstance(value, Fraction) else Fraction(str(value))


def collect(pairs: Iterable[tuple[Hashable, Fraction]]) -> Law:
    """Equal outcomes together, impossible ones left out."""
    law: Law = {}
    for outcome, chance in pairs:
        if chance:
            law[outcome] = law[outcome] + chance if outcome in law else chance
    return law


def then(law: Law, step: Callable[[Any], Law]) -> Law:
    return collect((after, p * q) for before, p in law.items() for after, q in step(before).items())


def certainly(outcome: Any) -> Law:
    return {outcome: Fraction(1)}


def marginal(law: Law, part: Callable[[Any], Any]) -> Law:
    """Of a part of each outcome."""
    return collect((part(outcome), p) for outcome, p in law.items())


def total(law: Law, value: Callable[[Any], Any]) -> Fraction:
    """The mean of a value, or the chance that something is so."""
    return sum((p * value(outcome) for outcome, p in law.items()), Fraction(0))


def independent(laws: Iterable[Law]) -> Law:
    """The law of what all come to, as a tuple, where none depends on another."""
    every = product(*(law.items() for law in laws))
    return collect((tuple(outcome for outcome, _ in each), prod(p for _, p in each)) for each in every)


def dice(number: int, sides: int) -> Law:
    law = certainly(0)
    for _ in range(number):
        law = then(law, lambda so_far: {so_far + face: Fraction(1, sides) for face in range(1, sides + 1)})
    return law


def times(number: int, chance: Fraction) -> Law:
    return collect((n, comb(number, n) * chance**n * (1 - chance) ** (number - n)) for n in range(number + 1))


TWO_DICE = dice(2, 6)


def passes(leadership: int) -> Fraction:
    """A leadership test: 2d6 at or below Leadership."""
    return total(TWO_DICE, lambda roll: roll <= leadership)


def number_law(value: Any) -> Law:
    if isinstance(value, dict):
        return collect((int(number), fraction(chance)) for number, chance in value.items())
    return {int(value): Fraction(1)}


def by_turn(value: Any, turns: int) -> list[Law]:
    """A number or law for all turns, or a list with one for each."""
    values = list(value) if isinstance(value, list | tuple) else [value]
    return [number_law(values[0 if len(values) == 1 else turn]) for turn in range(turns)]


def picked(dice: Any, values: dict[str, Any]) -> Row:
    """Some of the keys, each with one of its values; None leaves a key out. For random questions."""
    row = {key: dice.choice(several) for key, several in values.items()}
    return {key: value for key, value in row.items() if value is not None}
