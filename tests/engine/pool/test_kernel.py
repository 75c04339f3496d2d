"""The dice kernels against the exact law, on every combination of draws that the rules tell apart.

A kernel is right when its counts are spread as its draws should be: for each variant many seeds are played, each
gives a chi-square p-value, and the p-values of a right kernel are uniform - neither some too small (a wrong law) nor
all too large (numbers that are more regular than chance).
"""

from functools import lru_cache

import numpy as np
import pytest
from scipy import stats

import analyser
from analyser.engine.attack import simulated
from analyser.engine.attack.simulated import Sample, plan_for
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.engine.pool.pmf import pool_pmf
from analyser.game.ruleset import Face
from analyser.scenarios.load import load_scenario
from tests.helpers.samples import chi_square
from tests.oracle.random_scenarios import RATINGS, random_scenarios

TRIALS = 60_000
SAMPLES = 24  # of a variant, each with a seed of its own: those of one seed share words, so their p-values would agree
LEAST_P = 1e-4  # of 24 p-values of a right kernel: 1 in 400 would fail with other seeds, but the seeds are fixed
LEAST_SPREAD_P = 1e-3
AWKWARD = (1, 7, 1023, 1025, 131071, 131073)

TWELVE_SIDES = {"heroic": 2, "strike": 4, "glancing": 2, "miss": 3, "blank": 1}
TWENTY_SIDES = {"heroic": 3, "strike": 7, "glancing": 1, "miss": 4, "blank": 5}
OFTEN_THROWN_AWAY = {"heroic": 101, "strike": 60, "blank": 89}  # 3036 of 65536 draws would favour some faces
OVERCHARGE = {"overcharge": True, "attacker_models": 5, "attacker_damage_limit": 2}
FEW_CARDS = {"1": 2, "2": 1, "3": 3}


def fight(dice=10, rating="improved", die=None, deck=None, target=None, **attack):
    """A scenario of the kernel's tests: `attack` holds further keys of its attack."""
    ruleset = {key: value for key, value in (("die", die), ("deck", deck)) if value}
    facing = {"models": 5, "defence": 2, "damage_limit": 3, "discipline": 7, "break_limit": 2}
    return {
        "attack": {"dice": dice, "rating": rating, **attack},
        "target": facing | (target or {}),
        **({"ruleset": ruleset} if ruleset else {}),
    }


def extra(*faces, dice=2):
    return {"extra_reroll": {"faces": list(faces), "dice": dice}}


VARIANTS = {
    **{rating: fight(rating=rating) for rating in RATINGS},
    "neutral, Arc": fight(5, "neutral", qualities=["Arc"]),
    "improved, Durable": fight(target={"rules": ["Durable"]}),
    "improved, Veteran": fight(veteran=3),
    "a die of 7 sides": fight(die={"heroic": 1, "strike": 2, "glancing": 2, "miss": 1, "blank": 1}),
    "a die of 251 sides": fight(die={"heroic": 50, "strike": 90, "glancing": 41, "miss": 30, "blank": 40}),
    "3 dice of 20 sides": fight(3, die=TWENTY_SIDES),
    "200 dice": fight(200, target={"models": 40}),
    "a die that is all heroic": fight(die={"heroic": 1}),
    "extra re-rolls of several faces": fight(rating="neutral", **extra("strike", "miss", "blank", dice=4)),
    "more extra re-rolls than dice": fight(3, **extra("strike", "blank", dice=20)),
    "extra re-rolls, Arc, Veteran": fight(6, "neutral", qualities=["Arc"], veteran=2, **extra("strike", "miss")),
    "extra re-rolls, 250 sides": fight(2, die=OFTEN_THROWN_AWAY, **extra("blank", dice=1)),
    "Overcharge": fight(4, deck=FEW_CARDS, **OVERCHARGE),
    "Overcharge, extra re-rolls, 20 sides": fight(5, die=TWENTY_SIDES, deck=FEW_CARDS, **OVERCHARGE, **extra("blank")),
    "officer random, 7 models": fight(target={"officer": "random", "models": 7}, die=TWENTY_SIDES),
    "Siegebreaker": fight(qualities=["Siegebreaker"], target={"garrisoned": True, "officer": "random"}),
    "everything": fight(
        3,
        "neutral",
        die=TWELVE_SIDES,
        deck=FEW_CARDS,
        qualities=["Arc", "Siegebreaker"],
        veteran=1,
        target={"garrisoned": True, "officer": "random", "rules": ["Durable"]},
        **OVERCHARGE,
        **extra("blank", "miss", "strike"),
    ),
}
SOME_VARIANTS = pytest.mark.parametrize("variant", ["improved", "a die of 251 sides", "everything"])


def dealer(scenario):
    ready = load_scenario(scenario)
    die, deck = draws(ready)
    return plan_for(ready.fight, die, deck, for_building=ready.rolls_for_building)


def draws(ready):
    return np.array(ready.ruleset.die.sides_by_face, np.int64), ready.ruleset.deck.counts()


def counts(scenario, trials, seed=0, threads=1):
    table = Sample(dealer(scenario), seed)
    table.play_to(trials, threads)
    return table.counts


def law_of_draws(scenario):
    """The chance of each combination of score, card class, officer's place and building die."""
    ready = load_scenario(scenario)
    die, deck = draws(ready)
    facts = ready.fight
    rolled = dealer(scenario)
    shape = rolled.shape
    parts = [card_law(facts.discipline, deck, shape[1]), np.full(shape[2], 1 / shape[2]), building_law(die, shape[3])]
    law = pool_pmf(facts, rolled.scores, die / die.sum(), deck / deck.sum())
    assert law.shape == shape[:1]
    for part in parts:
        law = law[..., None] * part
    return law


def card_law(discipline, deck, classes):
    """Chances of a card up to DISCIPLINE - 2, of the two next values one by one, and of a card beyond (AC-5.1)."""
    if classes == 1:
        return np.ones(1)
    share = deck / deck.sum()
    value = np.arange(len(deck))
    return np.bincount(np.clip(value - discipline + 2, 0, 3), share, minlength=4)


def building_law(die, classes):
    """Chances that the building is wrecked, and that it is not (Siegebreaker, AC-6)."""
    if classes == 1:
        return np.ones(1)
    wrecking = (die[Face.HEROIC] + die[Face.STRIKE]) / die.sum()
    return np.array([wrecking, 1 - wrecking])


def seeds_of(variant):
    first = 2 * SAMPLES * list(VARIANTS).index(variant)
    return range(first, first + SAMPLES)


@lru_cache
def p_values(variant):
    law = law_of_draws(VARIANTS[variant])
    found = [chi_square(counts(VARIANTS[variant], TRIALS, seed), law) for seed in seeds_of(variant)]
    return [p for p in found if p is not None]


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_rolls_the_exact_law(variant):
    found = p_values(variant)
    if not found:
        assert variant == "a die that is all heroic"  # 20 heroic strikes, always
        return
    assert min(found) > LEAST_P
    assert stats.kstest(found, "uniform").pvalue > LEAST_SPREAD_P


@pytest.mark.slow
def test_random_fights_end_as_the_exact_law_says():
    found = []
    for seed, scenario in enumerate(random_scenarios(seed=4, count=60)):
        p = chi_square(*outcomes_of_both(scenario, seed))
        found += [] if p is None else [p]
    assert min(found) > LEAST_P
    assert stats.kstest(found, "uniform").pvalue > 0.01


def outcomes_of_both(scenario, seed):
    """Counts of outcomes and their exact chances, in the same order."""
    exact = analyser.exact(scenario)
    played = analyser.simulate(scenario, trials=TRIALS, seed=seed, threads=1)
    chances = dict(zip(exact.outcomes.tolist(), exact.weights.tolist()))
    often = dict(zip(played.outcomes.tolist(), played.weights.tolist()))
    order = sorted(chances.keys() | often.keys())
    return np.array([often.get(each, 0) for each in order]), np.array([chances.get(each, 0.0) for each in order])


@pytest.mark.parametrize("trials", AWKWARD)
@SOME_VARIANTS
def test_every_trial_is_counted_once(variant, trials):
    assert counts(VARIANTS[variant], trials).sum() == trials


@SOME_VARIANTS
@pytest.mark.parametrize("threads", [2, 7])
def test_any_number_of_threads_gives_the_same_bits(variant, threads):
    trials = 40 * CHUNK_TRIALS + 12345 if variant == "improved" else 17 * CHUNK_TRIALS + 77
    one = counts(VARIANTS[variant], trials, seed=11)
    assert np.array_equal(counts(VARIANTS[variant], trials, seed=11, threads=threads), one)


@SOME_VARIANTS
def test_a_sample_that_grows_is_the_sample_made_at_once(variant):
    growing = Sample(dealer(VARIANTS[variant]), 5)
    for chunks in (1, 2, 5, 22):
        growing.play_to(chunks * CHUNK_TRIALS)
    growing.play_to(22 * CHUNK_TRIALS + 1001)
    assert growing.trials == 22 * CHUNK_TRIALS + 1001
    assert np.array_equal(growing.counts, counts(VARIANTS[variant], growing.trials, seed=5))


def test_counts_beyond_32_bits(monkeypatch):
    # Ten thousand million trials that all end in one cell: the counting as it is, the rolling left out.
    def roll_nothing(layout, table, block, dice, task, stream):
        block.tables[0, 3] += task.trials

    monkeypatch.setattr(simulated, "roll_chunks", roll_nothing)
    trials = 10_000_000_000
    found = counts(VARIANTS["improved"], trials)
    assert found.dtype == np.int64
    assert found.max() == found.sum() == trials
