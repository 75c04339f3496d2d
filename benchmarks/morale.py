"""Morale in other games: the exact answer, and Monte Carlo beside vectorised NumPy."""

from analyser import morale
from benchmarks.baselines.morale import division, grande_tactique, legion, mordheim, warmaster
from benchmarks.timing import Candidate, compiled, interleaved

QUESTIONS = {
    "Legion, 6 rounds": legion,
    "Grande Tactique, rout, 8 turns": grande_tactique,
    "Grande Tactique, division of 6, 8 turns": division,
    "Warmaster, past three friends to an enemy": warmaster,
    "Mordheim, warband of 12, 8 turns": mordheim,
}
FRIENDS = (2, 3, 5, 7, 8, 10, 13)
LARGE = {  # answered exactly alone
    "Warmaster, eight obstacles": (
        "warmaster",
        {
            "dice": 3,
            "obstacles": [
                {"distance": 15, "kind": "enemy"},
                *({"distance": distance, "kind": "friend", "chain": distance % 3} for distance in FRIENDS),
            ],
        },
    ),
    "Five systems side by side, 10 rounds": (
        "compare",
        {"models": 10, "losses": {0: 0.3, 1: 0.4, 2: 0.3}, "attacks": 2, "edge_distance": 18.0, "rounds": 10},
    ),
}
EXACT, ONE, NUMPY = "exact", "simulate, 1 thread", "NumPy vectorised"
TRIALS, NUMPY_TRIALS = 4_000_000, 300_000


def questions(rounds=15):
    """Seconds an exact answer and a trial, and how many times faster the public call is than NumPy."""
    found = [{"name": name, **one(module, rounds)} for name, module in QUESTIONS.items()]
    return found + [{"name": name, **exact_alone(*asked, rounds)} for name, asked in LARGE.items()]


def exact_alone(system, question, rounds):
    ready = morale.load_question(system, question)
    answer = Candidate(EXACT, compiled(lambda: morale.exact(system, ready)), repeats=5)
    return {"seconds_exact": interleaved([answer], rounds)[EXACT].summary()}


def one(module, rounds):
    ready = morale.load_question(module.SYSTEM, module.QUESTION)
    answer = Candidate(EXACT, compiled(lambda: morale.exact(module.SYSTEM, ready)), repeats=5)
    ours = Candidate(ONE, lambda: morale.simulate(module.SYSTEM, ready, TRIALS, seed=1, threads=1), TRIALS)
    numpy = Candidate(NUMPY, lambda: module.play(NUMPY_TRIALS, 1), NUMPY_TRIALS)
    samples = interleaved([answer, ours, numpy], rounds)
    return {
        "seconds_exact": samples[EXACT].summary(),
        "seconds_a_trial": {name: samples[name].summary() for name in (ONE, NUMPY)},
        "times_as_fast": samples[ONE].times_faster_than(samples[NUMPY]),
    }
