"""Values of each system that are equivalent to a nerve, the probability of passing a test.

Each DISCIPLINE is matched with a value of a system. As few DISCIPLINEs as possible share a value; then, the sum of
squared differences of probabilities is least. A nerve between two DISCIPLINEs gets the nearest value between theirs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from analyser.morale.games.compare.question import Question
from analyser.morale.games.mordheim.question import LEADERSHIPS

LARGEST_DENOMINATOR = 10**6  # a nerve is rounded to the nearest fraction with up to this denominator
PassProbabilities = dict[int, Fraction]  # probability of passing a test, by value of a system; lowest probability first


def disciplines(question: Question) -> PassProbabilities:
    """Return the probability of passing by DISCIPLINE, which is 0 or the value of a card in the deck (AC-5.1)."""
    deck = question.ruleset.armoured_clash.deck.counts().tolist()
    passed = {value: Fraction(sum(deck[: value + 1]), sum(deck)) for value, copies in enumerate(deck) if copies}
    return passed if 0 in passed else {0: Fraction(0)} | passed


def check_targets(sides: int) -> PassProbabilities:
    """Return the probability of passing for each target on a die, from never reached to always reached (GT-2)."""
    return {sides + 1 - passes: Fraction(passes, sides) for passes in range(sides + 1)}


def leaderships() -> PassProbabilities:
    """Return the probability of passing a test on 2d6 for each Leadership from 2 to 12 (MD-1)."""
    rolls = [6 - abs(7 - total) for total in LEADERSHIPS]
    return {value: Fraction(sum(rolls[: index + 1]), 36) for index, value in enumerate(LEADERSHIPS)}


def equivalent_value(nerve: float, scale: PassProbabilities, question: Question) -> int:
    """Return the value of a system that is equivalent to a nerve, given the deck of the question.

    A value with probability 0 or 1 is used only for a nerve of 0 or 1, or if there is no other value.

    >>> from analyser import morale
    >>> question = morale.load_question("compare", {"models": 6, "losses": 1})
    >>> [equivalent_value(passing / 12, check_targets(12), question) for passing in (0, 7, 8, 9, 12)]
    [13, 6, 5, 4, 1]
    """
    uncertain, by_discipline = (
        {value: probability for value, probability in given.items() if 0 < probability < 1}
        for given in (scale, disciplines(question))
    )
    if nerve <= 0 or nerve >= 1 or not uncertain:
        return [*scale][0 if nerve < 1 / 2 else -1]
    probabilities, nerves = tuple(uncertain.values()), tuple(by_discipline.values())
    indices = _matching_indices(nerves, probabilities) if nerves else ()
    wanted = Fraction(nerve).limit_denominator(LARGEST_DENOMINATOR)
    lower, upper = bisect_right(nerves, wanted), bisect_left(nerves, wanted)  # if found in nerves, upper == lower - 1
    first = indices[lower - 1] if lower else 0
    last = indices[upper] if upper < len(nerves) else len(uncertain) - 1
    nearest = min(range(first, last + 1), key=lambda index: (abs(probabilities[index] - wanted), -index))
    return [*uncertain][nearest]


@lru_cache(maxsize=64)
def _matching_indices(nerves: tuple[Fraction, ...], probabilities: tuple[Fraction, ...]) -> tuple[int, ...]:
    """Match each nerve with the index of a probability, in rising order: fewest shared indices, then least squares."""
    best: list[tuple[int, Fraction, tuple[int, ...]]] = [
        (0, (nerves[0] - probability) ** 2, (index,)) for index, probability in enumerate(probabilities)
    ]
    for nerve in nerves[1:]:
        lower = [*accumulate(best, min)]
        following = []
        for index, probability in enumerate(probabilities):
            shared, squares, indices = best[index]
            shared, squares, indices = min([*lower[max(index - 1, 0) : index], (shared + 1, squares, indices)])
            following.append((shared, squares + (nerve - probability) ** 2, (*indices, index)))
        best = following
    return min(best)[2]
