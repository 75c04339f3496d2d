"""A loop in pure Python with the `random` module: a trial at a time, a die at a time."""

import random

import numpy as np

from benchmarks.baselines.duels import CARDS, COPIES, Facts

HEROIC, STRIKE, BLANK, MISS, GLANCING = range(5)
SIDES = (HEROIC, STRIKE, STRIKE, BLANK, MISS, GLANCING)
HITS = (2, 1, 0, 0, 0)
IMPROVED, NEUTRAL, WEAKENED = MISS, GLANCING, GLANCING + 1  # the first face that is rolled again


def hits_of(rng, dice, rating):
    """Hits of an attack roll (AC-3)."""
    roll = rng.randrange
    pool = [SIDES[roll(6)] for _ in range(dice)]
    pool += [SIDES[roll(6)] for face in pool if face == HEROIC]
    return sum(HITS[SIDES[roll(6)]] if face >= rating else HITS[face] for face in pool)


def full_deck(rng):
    """A deck from which the next card is one of all cards."""
    return lambda: rng.randrange(CARDS)


def real_deck(rng):
    """A shuffled deck from which cards are drawn (AC-9.3)."""
    cards = COPIES * [*range(CARDS)]
    rng.shuffle(cards)
    return cards.pop


def rating_of(draw, facts, suppressed):
    """Aiming, unless the rally test is failed (AC-4.2, AC-5.6)."""
    if not suppressed:
        return IMPROVED
    return NEUTRAL if draw() < facts.discipline else WEAKENED


def shoot(rng, draws, facts, models, suppressed, target_models, target_suppressed):
    """The target's end and whether it is suppressed, after one activation (AC-4, AC-5).

    `draws`: a card from the deck of the unit, and one from that of its target.
    """
    draw, target_draw = draws
    hits = hits_of(rng, facts.dice[models], rating_of(draw, facts, suppressed))
    left = max(0, target_models - hits // facts.defence)
    destroyed = target_models - left
    if left == 0:
        return 0, False
    if destroyed and target_draw() >= facts.discipline - (2 * destroyed >= target_models):
        return (facts.models + 1, False) if left <= facts.break_limit else (left, True)
    return left, target_suppressed


def play(facts: Facts, rounds, trials, seed, with_real_decks=False):
    """How often each state stood at the end of each round."""
    rng = random.Random(seed)
    size = facts.models + 2
    counts = [[[[0, 0] for _ in range(size)] for _ in range(size)] for _ in range(rounds)]
    for _ in range(trials):
        of_a, of_b = (real_deck(rng) if with_real_decks else full_deck(rng) for _ in range(2))
        a = b = facts.models
        a_suppressed = b_suppressed = False
        for number in range(rounds):
            if 0 < a <= facts.models and 0 < b <= facts.models:
                b, b_suppressed = shoot(rng, (of_a, of_b), facts, a, a_suppressed, b, b_suppressed)
                a_suppressed = False
                if 0 < b <= facts.models:
                    a, a_suppressed = shoot(rng, (of_b, of_a), facts, b, b_suppressed, a, a_suppressed)
                    b_suppressed = False
            counts[number][a][b][a_suppressed] += 1
    return np.array(counts)
