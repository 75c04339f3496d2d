"""What stands for a unit's nerve in each system: explicit, rising with the nerve, and different for each DISCIPLINE.

A system has values, each with its own probability to pass a test. Which of them stands for which DISCIPLINE is worked
out once for all of them together: no two share a value while the system has another, and the probabilities are as near
to the DISCIPLINEs' own as that allows. A nerve between two DISCIPLINEs gets the nearer value of what stands for those.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise

from analyser.morale.games.compare.question import Question
from analyser.morale.games.mordheim.question import LEADERSHIPS

FATES = ("steady", "shaken", "routed", "gone")
STEADY, SHAKEN, ROUTED, GONE = range(len(FATES))
FINEST = 10**6  # of nerves that are distinguished


Scale = dict[int, Fraction]  # the values of a system, the probability of each to pass a test rising


def disciplines(question: Question) -> Scale:
    """DISCIPLINE: the values of the deck's cards, and 0, which no card passes (AC-5.1)."""
    deck = question.ruleset.armoured_clash.deck.counts().tolist()
    passed = {value: Fraction(sum(deck[: value + 1]), sum(deck)) for value, copies in enumerate(deck) if copies}
    return passed if 0 in passed else {0: Fraction(0)} | passed


def check_targets(sides: int) -> Scale:
    """Targets on one die, from the one that is never reached to the one that always is (GT-2)."""
    return {sides + 1 - passes: Fraction(passes, sides) for passes in range(sides + 1)}


def leaderships() -> Scale:
    """Leadership 2 to 12 on 2d6 (MD-1)."""
    ways = [6 - abs(7 - total) for total in LEADERSHIPS]
    return {value: Fraction(sum(ways[: place + 1]), 36) for place, value in enumerate(LEADERSHIPS)}


def _uncertain(scale: Scale) -> Scale:
    """The values that neither pass nor fail for certain."""
    return {value: probability for value, probability in scale.items() if 0 < probability < 1}


def courage_for(nerve: float | Fraction, question: Question) -> int:
    """COURAGE: 1, and 1 more for each step that the nerve reaches."""
    return 1 + sum(nerve >= step for step in question.ruleset.courage_steps)


def standing_for(nerve: float | Fraction, scale: Scale, question: Question) -> int:
    """The value of a system that stands for a nerve, by the DISCIPLINEs of the question's deck.

    Never a value that passes or fails for certain unless the nerve is 1 or 0, or there is no other.

    >>> from analyser import morale
    >>> question = morale.load_question("compare", {"models": 6, "losses": 1})
    >>> [standing_for(passing / 12, check_targets(12), question) for passing in (0, 7, 8, 9, 12)]
    [13, 6, 5, 4, 1]
    """
    between, values = _uncertain(scale), [*scale]
    if nerve <= 0 or nerve >= 1 or not between:
        return values[0 if nerve < 1 / 2 else -1]
    nerves = _uncertain(disciplines(question))
    thresholds = _thresholds(tuple(between.values()), tuple(nerves.values()))
    return [*between][bisect_right(thresholds, Fraction(nerve).limit_denominator(FINEST))]


@lru_cache(maxsize=64)
def _thresholds(probabilities: tuple[Fraction, ...], nerves: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """The nerve from which on each value but the first stands: halfway, and so that each of `nerves` gets its own."""
    matched = _matched(nerves, probabilities) if nerves else ()
    thresholds: list[Fraction] = []
    for place, (lower, upper) in enumerate(pairwise(probabilities)):
        split = bisect_right(matched, place)  # of the nerves, which rise with the places that they are matched with
        threshold, above = (lower + upper) / 2, nerves[split] if split < len(nerves) else Fraction(1)
        if split and threshold <= nerves[split - 1]:
            threshold = (nerves[split - 1] + above) / 2
        thresholds.append(max([min(threshold, above), *thresholds[-1:]]))
    return tuple(thresholds)


def _matched(nerves: tuple[Fraction, ...], probabilities: tuple[Fraction, ...]) -> tuple[int, ...]:
    """The place of a probability for each nerve, never falling: as few as possible share one, then the nearest.

    Dynamic programming over the last place: how many share one, the squares of the misses, and the places so far.
    """
    best: list[tuple[int, Fraction, tuple[int, ...]]] = [
        (0, (nerves[0] - probability) ** 2, (place,)) for place, probability in enumerate(probabilities)
    ]
    for nerve in nerves[1:]:
        lower = [*accumulate(best, min)]
        following = []
        for place, probability in enumerate(probabilities):
            shared, squares, path = best[place]
            shared, squares, path = min([*lower[max(place - 1, 0) : place], (shared + 1, squares, path)])
            following.append((shared, squares + (nerve - probability) ** 2, (*path, place)))
        best = following
    return min(best)[2]
