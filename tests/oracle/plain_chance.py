"""Chance for the plain readings: the same play is rolled once, or followed down every one of its courses.

A play is a plain function that asks its first argument, the chance, for whatever dice and cards decide:

- `Rolled(seed)` answers with random numbers, so the play is one course of many (Monte Carlo);
- `law_of(play, ...)` plays again and again until every answer to every question was given once, and adds up
  the chances in fractions (exact; good for tiny plays only).
"""

import random
from bisect import bisect
from collections import defaultdict
from fractions import Fraction
from functools import cached_property
from itertools import accumulate


class Law:
    """Outcomes and their weights: `Law({outcome: weight})`."""

    def __init__(self, weights):
        self.pairs = tuple((outcome, weight) for outcome, weight in weights.items() if weight)
        self.total = sum(weight for _, weight in self.pairs)

    @cached_property
    def heights(self):
        return tuple(accumulate(float(weight) for _, weight in self.pairs))


class Rolled:
    """Random answers."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, law):
        """One of the outcomes of a law."""
        pairs, heights = law.pairs, law.heights
        return pairs[bisect(heights, self.random.random() * heights[-1], 0, len(pairs) - 1)][0]


class Told:
    """The answers told beforehand, then the first outcome of each law; it writes down what it was asked."""

    def __init__(self, answers=()):
        self.answers = list(answers)
        self.options = []
        self.weight = Fraction(1)

    def pick(self, law):
        """One of the outcomes of a law."""
        place = len(self.options)
        if place == len(self.answers):
            self.answers.append(0)
        self.options.append(len(law.pairs))
        outcome, weight = law.pairs[self.answers[place]]
        self.weight *= Fraction(weight) / law.total
        return outcome


def every_course(play, *given):
    """Each course of the play with its chance: (what it gives, chance)."""
    answers = []
    while answers is not None:
        told = Told(answers)
        yield play(told, *given), told.weight
        answers = _next_answers(told)


def _next_answers(told):
    """The last answer that has an option left moves on; what follows it is asked afresh."""
    answers = told.answers
    while answers:
        last = answers.pop()
        if last + 1 < told.options[len(answers)]:
            return [*answers, last + 1]
    return None


def law_of(play, *given):
    """The exact law {what the play gives: chance}."""
    law = defaultdict(Fraction)
    for outcome, weight in every_course(play, *given):
        law[outcome] += weight
    return dict(law)
