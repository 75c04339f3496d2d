"""Battles of twelve against twelve: the engine beside NumPy and pure Python, and the first answer of a machine."""

import tempfile
from pathlib import Path

import numpy as np

import analyser
from analyser.common.validation import checked
from analyser.engine.battle.simulation import Simulation
from analyser.scenarios.battle import BattleTerms, battle_scenario
from analyser.scenarios.battle_tables import encode_battle
from benchmarks.baselines.battles import RIFLES, TWELVE, army, numpy_vectorised, pure_python, terms_of
from benchmarks.first_answers import cold, process
from benchmarks.montecarlo import NUMPY, ONE, PURE_PYTHON, TWO
from benchmarks.timing import Candidate, interleaved

AHEAD = f"{ONE}, both sides look ahead"
TRIALS = {PURE_PYTHON: 40, NUMPY: 4000, ONE: 1 << 14, TWO: 1 << 15, AHEAD: 1 << 12}
FIRST = 10_000
LISTS = {  # of the first answer: lists of twelve units
    "mine": "crown/rifle-command-platoon@basic, 5 x crown/rifle-platoon@reinforced, 2 x crown/sharp-rifles@basic, "
    "2 x crown/horse-guard-cavalry@basic, 2 x crown/galahad-main-battle-tanks@basic",
    "yours": "imperium/scion-grenadier-command-platoon@basic, 5 x imperium/scion-grenadier-platoon@reinforced, "
    "2 x imperium/totenkopf-jaeger-cavalry@basic, 2 x imperium/scion-heavy-dreirad-squadron@basic, "
    "2 x imperium/teutonic-armiger-castellans@basic",
}
ROSTERS = [str(Path(__file__).parents[1] / "notebooks" / "armies" / f"{name}.rosz") for name in ("crown", "imperium")]


def simulation(facts=RIFLES, terms=TWELVE, tactic="policies"):
    """The simulation of the battle that is timed, by a tactic of both sides."""
    library, both = analyser.load_profiles(), army(facts, terms.units)
    asked = checked(BattleTerms, terms_of(terms) | {"tactic_mine": tactic, "tactic_yours": tactic})
    return Simulation(*encode_battle(battle_scenario(both, both, asked, library.ruleset, library)))


def answers():
    """Seconds of a full answer, without compiled kernels and with them."""
    with tempfile.TemporaryDirectory() as folder:
        every = [process("-m", "analyser", "battle", *ROSTERS, "--quiet", NUMBA_CACHE_DIR=folder)[0] for _ in range(4)]
    return {"cold_s": every[0], "warm_s": float(np.median(every[1:]))}


def battles(rounds=9):
    """Seconds a battle by each, how many times as fast, and the first 10,000 of a process without compiled kernels."""
    played, ahead = simulation(), simulation(tactic="balanced")
    plays = {
        PURE_PYTHON: lambda: pure_python.play(RIFLES, TWELVE, TRIALS[PURE_PYTHON], 1),
        NUMPY: lambda: numpy_vectorised.play(RIFLES, TWELVE, TRIALS[NUMPY], 1),
        ONE: lambda: played.play(TRIALS[ONE], 1, threads=1),
        TWO: lambda: played.play(TRIALS[TWO], 1, threads=2),
        AHEAD: lambda: ahead.play(TRIALS[AHEAD], 1, threads=1),
    }
    samples = interleaved([Candidate(name, play, TRIALS[name]) for name, play in plays.items()], rounds)
    options = ("--trials", str(FIRST), "--no-swing", "--quiet")
    first = [cold("-m", "analyser", "battle", *LISTS.values(), *options)[0] for _ in range(3)]
    return {
        "seconds_a_battle": {name: sample.summary() for name, sample in samples.items()},
        "times_as_fast": {name: samples[ONE].times_faster_than(samples[name]) for name in (PURE_PYTHON, NUMPY)},
        "look_ahead_over_policies": samples[ONE].times_faster_than(samples[AHEAD]),
        "two_threads_over_one": samples[TWO].times_faster_than(samples[ONE]),
        "first_s": float(np.median(first)),
        "answers": answers(),
    }
