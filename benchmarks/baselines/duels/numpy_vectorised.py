"""Vectorised NumPy: an activation of all duels of a chunk at once, those that are over left out."""

import numpy as np

from benchmarks.baselines.duels import CARDS, Facts

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


def passes(rng, discipline):
    """Discipline tests (AC-5.1)."""
    return rng.integers(0, CARDS, len(discipline), dtype=np.uint8) < discipline


def shoot(rng, facts, dice_of, models, suppressed, target_models, target_suppressed):
    """The targets' ends, and which are suppressed, after one activation of each (AC-4, AC-5)."""
    discipline = np.full(len(models), facts.discipline, np.uint8)
    rating = np.where(suppressed, np.where(passes(rng, discipline), NEUTRAL, WEAKENED), IMPROVED)
    hits = hits_of(rng, dice_of[models], rating.astype(np.uint8))
    left = np.maximum(target_models - hits.astype(np.int16) // facts.defence, 0)
    destroyed = target_models - left
    failed = ~passes(rng, discipline - (2 * destroyed >= target_models)) & (destroyed > 0) & (left > 0)
    broken = failed & (left <= facts.break_limit)
    end = np.where(broken, facts.models + 1, left)
    return end, (target_suppressed | failed) & ~broken & (left > 0)


def play_chunk(rng, facts, rounds, trials, counts):
    dice_of = np.array((*facts.dice, 0), np.uint8)
    models = np.full((2, trials), facts.models, np.int16)
    suppressed = np.zeros((2, trials), bool)
    size = facts.models + 2
    for number in range(rounds):
        for side, other in ((0, 1), (1, 0)):
            going = np.flatnonzero(((models > 0) & (models <= facts.models)).all(axis=0))
            models[other, going], suppressed[other, going] = shoot(
                rng,
                facts,
                dice_of,
                models[side, going],
                suppressed[side, going],
                models[other, going],
                suppressed[other, going],
            )
            suppressed[side, going] = False
        cell = (models[0].astype(np.int64) * size + models[1]) * 2 + suppressed[0]
        counts[number] += np.bincount(cell, minlength=counts.shape[1])


def play(facts: Facts, rounds, trials, seed):
    """How often each state stood at the end of each round."""
    rng = np.random.default_rng(seed)
    size = facts.models + 2
    counts = np.zeros((rounds, size * size * 2), np.int64)
    for start in range(0, trials, CHUNK):
        play_chunk(rng, facts, rounds, min(CHUNK, trials - start), counts)
    return counts.reshape(rounds, size, size, 2)
