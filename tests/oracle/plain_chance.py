"""Chance for the plain readings of battles: `Rolled(seed)` answers a play with random numbers, one course of many."""

import random
from bisect import bisect
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
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, law):
        pairs, heights = law.pairs, law.heights
        return pairs[bisect(heights, self.random.random() * heights[-1], 0, len(pairs) - 1)][0]
