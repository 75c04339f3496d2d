"""Morale in other games: the exact answer, and Monte Carlo beside vectorised NumPy."""

from analyser import morale
from benchmarks.baselines.morale import division, grande_tactique, legion, mordheim, warmaster
from benchmarks.figures import TIMES, figure
from benchmarks.timing import Candidate, compiled, interleaved

TITLE = "Morale in other games"
TEXT = """Each question is answered exactly, and simulated on one thread beside vectorised NumPy
(`benchmarks/baselines/morale`). Trials in the same state are one group with multinomial totals."""

QUESTIONS = {
    "Legion, 6 rounds": legion,
    "Grande Tactique, rout, 8 turns": grande_tactique,
    "Grande Tactique, division of 6, 8 turns": division,
    "Warmaster, past three friends to an enemy": warmaster,
    "Mordheim, warband of 12, 8 turns": mordheim,
}
EXACT, OURS, NUMPY = "exact", "simulated", "NumPy"
TRIALS, NUMPY_TRIALS = 4_000_000, 300_000


def figures(rounds=9):
    """Seconds an exact answer, and how many times faster a simulated trial is than NumPy's."""
    return [each for name, module in QUESTIONS.items() for each in of_question(name, module, rounds)]


def of_question(name, module, rounds):
    ready = morale.load_question(module.SYSTEM, module.QUESTION)
    answer = Candidate(EXACT, compiled(lambda: morale.exact(module.SYSTEM, ready)), repeats=5)
    ours = Candidate(OURS, lambda: morale.simulate(module.SYSTEM, ready, TRIALS, seed=1, threads=1), TRIALS)
    numpy = Candidate(NUMPY, lambda: module.play(NUMPY_TRIALS, 1), NUMPY_TRIALS)
    samples = interleaved([answer, ours, numpy], rounds)
    return [
        figure(f"{name}, exact", samples[EXACT].summary(), goal=20e-3),
        figure(f"{name}, simulated over NumPy", samples[OURS].times_faster_than(samples[NUMPY]), TIMES, goal=50),
    ]
