"""Longer fights: a duel by Monte Carlo beside its baselines, and exactly; the exact joint distribution of a charge."""

import numpy as np

from analyser.engine.fight.exact.propagate import exact_distributions, start_states
from analyser.engine.fight.simulated.simulation import Simulation
from analyser.game.profiles import load_ruleset
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import duel_program
from analyser.scenarios.resolve import resolve_combatant
from analyser.scenarios.schema import Combatant, DuelTerms
from benchmarks.baselines.duels import ROUNDS, TWELVE, numpy_vectorised, pure_python, scenario
from benchmarks.montecarlo import NUMPY, ONE, PURE_PYTHON, TWO
from benchmarks.timing import Candidate, compiled, interleaved

PUT_BACK, REAL = "cards put back", "real decks"
DUEL, TOSSED, CHARGE = "duel, A first, exact", "duel, a toss each round, exact", "charge, exact"
TRIALS = {PURE_PYTHON: 4_000, NUMPY: 100_000, ONE: 1 << 23, TWO: 1 << 24}


def unit(kind="ranged"):
    """A unit of twelve models with a row of that kind."""
    known = scenario(TWELVE)
    (row,) = known["rows"]
    ranged = {} if kind == "ranged" else {"against": [], "long_range": None}
    row = row | ranged | {"id": "row", "name": "Row", "kind": kind}
    return resolve_combatant(Combatant.model_validate(known | {"category": "light", "rows": [row]}), None, "unit")


def program(first="a"):
    """The setup of the duel of two such units, and its rounds."""
    return duel_program(unit(), unit(), DuelTerms(rounds=ROUNDS, first=first), load_ruleset())


def die_and_deck():
    ruleset = load_ruleset()
    return np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()


def the_duel(replacement, threads=1):
    """A function that plays so many of the duels that are timed."""
    setup, rounds = program()
    start, chance = start_states(setup), die_and_deck()
    return lambda trials: Simulation(setup, rounds, *chance, replacement).play(start, trials, seed=1, threads=threads)


def duels(replacement, rounds=15):
    """Seconds a duel by each, and how many times as fast as the baselines, and on two threads as on one."""
    plays = {
        PURE_PYTHON: lambda trials: pure_python.play(TWELVE, ROUNDS, trials, 1, with_real_decks=not replacement),
        NUMPY: lambda trials: numpy_vectorised.play(TWELVE, ROUNDS, trials, 1, with_real_decks=not replacement),
        ONE: the_duel(replacement),
        TWO: the_duel(replacement, threads=2),
    }
    candidates = [
        Candidate(name, lambda play=play, name=name: play(TRIALS[name]), TRIALS[name]) for name, play in plays.items()
    ]
    samples = interleaved(candidates, rounds)
    return {
        "name": PUT_BACK if replacement else REAL,
        "seconds_a_duel": {name: sample.summary() for name, sample in samples.items()},
        "times_as_fast": {name: samples[ONE].times_faster_than(samples[name]) for name in (PURE_PYTHON, NUMPY)},
        "two_threads_over_one": samples[TWO].times_faster_than(samples[ONE]),
    }


def exactly(rounds=15):
    """Seconds an exact answer, of fights that are read and compiled."""
    chance = die_and_deck()

    def law(fight, start=start_states):
        setup, parts = fight
        began = start(setup)
        return compiled(lambda: exact_distributions(setup, parts, began, *chance))

    setup, operations = charge_program(unit("melee"), unit("melee"))
    calls = {DUEL: law(program()), TOSSED: law(program("random")), CHARGE: law((setup, [operations]), charge_start)}
    candidates = [Candidate(name, call, repeats=20) for name, call in calls.items()]
    return {name: sample.summary() for name, sample in interleaved(candidates, rounds).items()}


def longer_fights():
    """Duels with cards put back and from real decks, and exact answers."""
    return {"duels": [duels(replacement=True), duels(replacement=False)], "exact": exactly()}
