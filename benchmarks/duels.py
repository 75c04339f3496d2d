"""Duels: simulated beside NumPy and pure Python, and exact; charges."""

import numpy as np

from analyser.engine.fight.exact.propagate import exact_distributions, start_states
from analyser.engine.fight.simulated.simulation import Simulation
from analyser.game.profiles import load_profiles
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import duel_program
from analyser.scenarios.resolve import resolve_combatant
from analyser.scenarios.schema import Combatant, DuelTerms
from benchmarks.attacks import NUMPY, ONE, PURE_PYTHON, TWO
from benchmarks.baselines.duels import ROUNDS, TWELVE, numpy_vectorised, pure_python, scenario
from benchmarks.figures import TIMES, figure
from benchmarks.timing import Candidate, compiled, interleaved

TITLE = "Duels and charges"
TEXT = """Two units of twelve models aim and shoot for six rounds, A first. NumPy and pure Python state the rules one
after the other (`benchmarks/baselines/duels`)."""

PUT_BACK, REAL = "cards put back", "real decks"
TRIALS = {PURE_PYTHON: 4_000, NUMPY: 100_000, ONE: 1 << 20, TWO: 1 << 21}


def unit(kind="ranged"):
    """A unit of twelve models with a row of that kind."""
    known = scenario(TWELVE)
    (row,) = known["rows"]
    ranged = {} if kind == "ranged" else {"against": [], "long_range": None}
    row = row | ranged | {"id": "row", "name": "Row", "kind": kind}
    return resolve_combatant(Combatant.model_validate(known | {"category": "light", "rows": [row]}), None, "unit")


def program(first="a"):
    """The setup of the duel of two such units, and its rounds."""
    return duel_program(unit(), unit(), DuelTerms(rounds=ROUNDS, first=first), load_profiles().ruleset)


def die_and_deck():
    ruleset = load_profiles().ruleset
    return np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()


def the_duel(replacement, threads=1):
    """A function that plays so many of the duels that are timed."""
    setup, rounds = program()
    start, chance = start_states(setup), die_and_deck()
    return lambda trials: Simulation(setup, rounds, *chance, replacement).play(start, trials, seed=1, threads=threads)


def figures(rounds=9):
    """Seconds of duels with cards put back and from real decks, and of exact answers."""
    return [*simulated(PUT_BACK, rounds), *simulated(REAL, rounds), *exactly()]


def simulated(name, rounds):
    """Seconds a duel by each, and how many times as fast as the baselines, and on two threads as on one."""
    replacement = name == PUT_BACK
    plays = {
        PURE_PYTHON: lambda trials: pure_python.play(TWELVE, ROUNDS, trials, 1, with_real_decks=not replacement),
        NUMPY: lambda trials: numpy_vectorised.play(TWELVE, ROUNDS, trials, 1, with_real_decks=not replacement),
        ONE: the_duel(replacement),
        TWO: the_duel(replacement, threads=2),
    }
    candidates = [
        Candidate(how, lambda play=play, how=how: play(TRIALS[how]), TRIALS[how]) for how, play in plays.items()
    ]
    samples = interleaved(candidates, rounds)
    faster = samples[ONE].times_faster_than
    return [
        figure(f"a duel, {name}, one thread", samples[ONE].summary()),
        figure(f"a duel, {name}, one thread over NumPy", faster(samples[NUMPY]), TIMES, goal=40),
        figure(f"a duel, {name}, one thread over pure Python", faster(samples[PURE_PYTHON]), TIMES),
        figure(f"a duel, {name}, two threads over one", samples[TWO].times_faster_than(samples[ONE]), TIMES),
    ]


def exactly(rounds=15):
    """Seconds an exact answer, of fights that are read and compiled."""
    chance = die_and_deck()

    def law(fight, start=start_states):
        setup, parts = fight
        began = start(setup)
        return compiled(lambda: exact_distributions(setup, parts, began, *chance))

    setup, operations = charge_program(unit("melee"), unit("melee"))
    calls = {
        "exact charge": law((setup, [operations]), charge_start),
        "exact duel, A first": law(program()),
        "exact duel, a toss each round": law(program("random")),
    }
    candidates = [Candidate(name, call, repeats=20) for name, call in calls.items()]
    return [figure(name, sample.summary()) for name, sample in interleaved(candidates, rounds).items()]
