"""Vectorised NumPy: an activation of all duels of a chunk at once, those that are over left out."""

import numpy as np

from benchmarks.baselines.duels import CARDS, COPIES, Facts

CHUNK = 20_000
HEROIC, STRIKE, BLANK, MISS, GLANCING = range(5)
SIDES = np.array([HEROIC, STRIKE, STRIKE, BLANK, MISS, GLANCING], np.uint8)
HITS = np.array([2, 1, 0, 0, 0], np.uint8)
IMPROVED, NEUTRAL, WEAKENED = MISS, GLANCING, GLANCING + 1  # the first face that is rolled again


def roll(rng, shape):
    return SIDES[rng.integers(0, 6, shape, dtype=np.uint8)]


def hits_of(rng, dice, rating):
    """Hits of attack rolls, each with its own number of dice and rating (AC-3)."""
    columns = np.arange(dice.max(initial=0), dtype=np.uint8)
    first = roll(rng, (len(dice), len(columns)))
    first[columns >= dice[:, None]] = BLANK
    heroics = (first == HEROIC).sum(axis=1, dtype=np.uint8)
    columns = np.arange(heroics.max(initial=0), dtype=np.uint8)
    added = roll(rng, (len(dice), len(columns)))
    added[columns >= heroics[:, None]] = BLANK
    pool = np.concatenate([first, added], axis=1)
    again = pool >= rating[:, None]
    pool[again] = roll(rng, np.count_nonzero(again))
    return HITS[pool].sum(axis=1, dtype=np.uint8)


def full_decks(rng):
    """Draws cards for trials, each from a full deck."""
    return lambda _side, trials, _wanted: rng.integers(0, CARDS, len(trials), dtype=np.uint8)


def real_decks(rng, trials):
    """Draws cards for trials from a shuffled deck for each side of each (AC-9.3); those not wanted stay on top."""
    deck = np.tile(np.repeat(np.arange(CARDS, dtype=np.uint8), COPIES), (2, trials, 1))
    cards = rng.permuted(deck, axis=2, out=deck)
    drawn = np.zeros((2, trials), np.uint8)

    def draw(side, going, wanted):
        shown = cards[side, going, drawn[side, going]]
        drawn[side, going] += wanted
        return shown

    return draw


def shoot(rng, draw, facts, dice_of, side, going, models, suppressed):
    """The targets' ends, and which are suppressed, after an activation of `side` in the trials `going` (AC-4, AC-5)."""
    other = 1 - side
    mine, shaken, target_models = models[side, going], suppressed[side, going], models[other, going]
    discipline = np.full(len(going), facts.discipline, np.uint8)
    rallied = draw(side, going, shaken) < discipline
    rating = np.where(shaken, np.where(rallied, NEUTRAL, WEAKENED), IMPROVED)
    hits = hits_of(rng, dice_of[mine], rating.astype(np.uint8))
    left = np.maximum(target_models - hits.astype(np.int16) // facts.defence, 0)
    destroyed = target_models - left
    tested = (destroyed > 0) & (left > 0)
    failed = tested & (draw(other, going, tested) >= discipline - (2 * destroyed >= target_models))
    broken = failed & (left <= facts.break_limit)
    end = np.where(broken, facts.models + 1, left)
    return end, (suppressed[other, going] | failed) & ~broken & (left > 0)


def play_chunk(rng, draw, facts, rounds, trials, counts):
    dice_of = np.array((*facts.dice, 0), np.uint8)
    models = np.full((2, trials), facts.models, np.int16)
    suppressed = np.zeros((2, trials), bool)
    size = facts.models + 2
    for number in range(rounds):
        for side, other in ((0, 1), (1, 0)):
            going = np.flatnonzero(((models > 0) & (models <= facts.models)).all(axis=0))
            end, shaken = shoot(rng, draw, facts, dice_of, side, going, models, suppressed)
            models[other, going], suppressed[other, going] = end, shaken
            suppressed[side, going] = False
        cell = (models[0].astype(np.int64) * size + models[1]) * 2 + suppressed[0]
        counts[number] += np.bincount(cell, minlength=counts.shape[1])


def play(facts: Facts, rounds, trials, seed, with_real_decks=False):
    """How often each state stood at the end of each round."""
    rng = np.random.default_rng(seed)
    size = facts.models + 2
    counts = np.zeros((rounds, size * size * 2), np.int64)
    for start in range(0, trials, CHUNK):
        some = min(CHUNK, trials - start)
        draw = real_decks(rng, some) if with_real_decks else full_decks(rng)
        play_chunk(rng, draw, facts, rounds, some, counts)
    return counts.reshape(rounds, size, size, 2)
