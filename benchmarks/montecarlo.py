"""Attacks with every die drawn separately: the designs, the ladder of sizes, the variants of the rules."""

import math

import analyser
from analyser.engine.parallel import CHUNK_TRIALS
from benchmarks.baselines import naive_njit, numpy_tuned, numpy_vectorised, pure_python, scalar_xoshiro
from benchmarks.engine import BareKernel, StreamAlone, whole_chunks
from benchmarks.fights import PLAIN_DICE, VARIANTS, fight, plain_dice
from benchmarks.timing import Candidate, Sample, interleaved, spread

PURE_PYTHON, NUMPY, NUMPY_TUNED = "pure Python loop", "NumPy vectorised", "NumPy, tuned by hand"
NAIVE, XOSHIRO = "naive njit, np.random", "njit, scalar xoshiro256++"
ONE, TWO, BARE = "simulate, 1 thread", "simulate, 2 threads", "bare kernel, 1 thread"
BASELINES = {  # the module, and attacks a round
    PURE_PYTHON: (pure_python, 10_000),
    NUMPY: (numpy_vectorised, 300_000),
    NUMPY_TUNED: (numpy_tuned, 600_000),
    NAIVE: (naive_njit, 500_000),
    XOSHIRO: (scalar_xoshiro, 1_000_000),
}
DICE = (3, 6, 10, 15, 20, 24)
TRIALS = (10**4, 10**5, 10**6, 2 * 10**6, 10**7, 10**8, 10**9)
ROUNDS = {10**4: 60, 10**5: 60, 10**6: 30, 2 * 10**6: 30, 10**7: 15, 10**8: 5, 10**9: 3}
LADDER_TO = {3: 10**8, PLAIN_DICE: 10**9, 24: 10**8}
DESIGN_TRIALS = 60_000_000  # enough tasks to keep two threads busy to the end
VARIANT_TRIALS = 4_000_000


def play(scenario, trials, threads):
    """A candidate: the public call on a scenario that has been read."""
    ready = analyser.load_scenario(scenario)
    name = {1: ONE, 2: TWO}[threads]
    return Candidate(name, lambda: analyser.simulate(ready, trials=trials, seed=1, threads=threads), trials)


def bare(scenario, trials):
    kernel = BareKernel(scenario, trials)
    return Candidate(BARE, kernel, kernel.trials)


def baseline(name):
    module, trials = BASELINES[name]
    return Candidate(name, lambda: module.play(PLAIN_DICE, trials, 1), trials)


def designs(rounds=15):
    """Seconds an attack of each design, and how many times faster the public call is; the share of the stream."""
    trials = whole_chunks(DESIGN_TRIALS) * CHUNK_TRIALS
    kernel = BareKernel(fight(), trials)
    stream = Candidate("stream alone", StreamAlone(10_000_000), 10_000_000)
    ours = [play(fight(), trials, 1), play(fight(), trials, 2), Candidate(BARE, kernel, kernel.trials)]
    samples = interleaved([*map(baseline, BASELINES), *ours, stream], rounds)
    alone, plain, words = samples["stream alone"], samples[ONE], kernel.words_an_attack()
    names = [*BASELINES, ONE, TWO, BARE]
    return {
        "dice": PLAIN_DICE,
        "seconds_an_attack": {name: samples[name].summary() for name in names},
        "times_as_fast": {name: plain.times_faster_than(samples[name]) for name in [*BASELINES, BARE]},
        "two_threads_over_one": samples[TWO].times_faster_than(plain),
        "words": {
            "an_attack": words,
            "seconds_a_word": alone.summary(),
            "share_of_limit": spread([one * words / all_of_it for one, all_of_it in zip(alone.seconds, plain.seconds)]),
        },
    }


def cell(samples: dict[str, Sample]):
    found = {name: sample.summary() for name, sample in samples.items()}
    over_bare = spread([b / p for b, p in zip(samples[BARE].seconds, samples[ONE].seconds)])
    return {
        "seconds_an_attack": found,
        "two_threads_over_one": samples[TWO].times_faster_than(samples[ONE]),
        "public_over_bare": over_bare,
    }


def measured(dice, trials):
    scenario = fight(dice)
    candidates = [play(scenario, trials, 1), play(scenario, trials, 2), bare(scenario, trials)]
    for each in candidates:
        each.repeats = max(min(2_000_000 // trials, 50), 1)
    return {"dice": dice, "trials": trials} | cell(interleaved(candidates, ROUNDS[trials]))


def ladder(most=TRIALS[-1]):
    """Cost against trials, for few, plain and many dice, and against dice at ten million trials."""
    sizes = [(dice, trials) for dice, to in LADDER_TO.items() for trials in TRIALS if trials <= min(to, most)]
    sizes += [(dice, 10**7) for dice in DICE if (dice, 10**7) not in sizes]
    return [measured(dice, trials) for dice, trials in sorted(sizes)]


def variants(rounds=15):
    """Each variant at ten dice, against the plain attack with as many dice on average."""
    candidates = {name: play(scenario, VARIANT_TRIALS, 1) for name, (scenario, _) in VARIANTS.items()}
    averages = {name: plain_dice(average) for name, (_, average) in VARIANTS.items()}
    wanted = sorted({turn(average) for average in averages.values() for turn in (math.floor, math.ceil)})
    plain = {dice: play(fight(dice), VARIANT_TRIALS, 1) for dice in wanted}
    for name, each in [*candidates.items(), *((f"plain, {dice} dice", each) for dice, each in plain.items())]:
        each.name = name
    samples = interleaved([*candidates.values(), *plain.values()], rounds)
    return [
        {
            "name": name,
            "dice_on_average": VARIANTS[name][1],
            "seconds_an_attack": samples[name].summary(),
            "cost_over_plain": spread(
                [own / like for own, like in zip(samples[name].seconds, plain_seconds(samples, average))]
            ),
        }
        for name, average in averages.items()
    ]


def plain_seconds(samples, dice):
    """Seconds an attack of the plain attack with a broken number of dice, round by round."""
    low, high = math.floor(dice), math.ceil(dice)
    share = dice - low
    pairs = zip(samples[f"plain, {low} dice"].seconds, samples[f"plain, {high} dice"].seconds)
    return [(1 - share) * less + share * more for less, more in pairs]
