"""Battles of twelve against twelve: the engine beside NumPy and pure Python; whole answers about two army lists."""

from pathlib import Path

import analyser
from analyser.common.validation import checked
from analyser.engine.battle.simulation import Simulation
from analyser.scenarios.battle import BattleTerms, battle_scenario
from analyser.scenarios.battle_tables import encode_battle
from benchmarks.attacks import NUMPY, ONE, PURE_PYTHON, TWO
from benchmarks.baselines.battles import RIFLES, TWELVE, army, numpy_vectorised, pure_python, terms_of
from benchmarks.figures import A_SECOND, TIMES, figure
from benchmarks.timing import Candidate, cold, interleaved, warm

TITLE = "Battles"
TEXT = """Two lines of twelve equal units advance, aim and shoot for six rounds, with two real decks and two hands, by
stated policies or by the tactics that look ahead. NumPy and pure Python play them by the same policies
(`benchmarks/baselines/battles`). The whole answer is about the sample lists of the README."""

AHEAD = "both sides look ahead"
TRIALS = {PURE_PYTHON: 40, NUMPY: 4000, ONE: 1 << 14, TWO: 1 << 15, AHEAD: 1 << 12}
ROSTERS = [str(Path(__file__).parents[1] / "notebooks" / "armies" / f"{name}.rosz") for name in ("crown", "imperium")]
LINE = "crown/rifle-platoon@reinforced, crown/sharp-rifles@basic"
ANSWER = ("battle", *ROSTERS, "--quiet")
FIRST = ("battle", LINE, LINE, "--trials", "10000", "--tactic-mine", "policies", "--tactic-yours", "policies")


def simulation(facts=RIFLES, terms=TWELVE, tactic="policies"):
    """The simulation of the battle that is timed, by a tactic of both sides."""
    library, both = analyser.load_profiles(), army(facts, terms.units)
    asked = checked(BattleTerms, terms_of(terms) | {"tactic_mine": tactic, "tactic_yours": tactic})
    return Simulation(*encode_battle(battle_scenario(both, both, asked, library.ruleset, library)))


def figures(rounds=7):
    """Battles a second by each, how many times as fast, and seconds of whole answers."""
    played, ahead = simulation(), simulation(tactic="balanced")
    plays = {
        PURE_PYTHON: lambda: pure_python.play(RIFLES, TWELVE, TRIALS[PURE_PYTHON], 1),
        NUMPY: lambda: numpy_vectorised.play(RIFLES, TWELVE, TRIALS[NUMPY], 1),
        ONE: lambda: played.play(TRIALS[ONE], 1, threads=1),
        TWO: lambda: played.play(TRIALS[TWO], 1, threads=2),
        AHEAD: lambda: ahead.play(TRIALS[AHEAD], 1, threads=1),
    }
    samples = interleaved([Candidate(name, play, TRIALS[name]) for name, play in plays.items()], rounds)
    faster = samples[ONE].times_faster_than
    return [
        figure("battles a second, two threads", samples[TWO].rate(), A_SECOND, goal=150_000),
        figure("battles a second, one thread", samples[ONE].rate(), A_SECOND),
        figure("one thread over NumPy", faster(samples[NUMPY]), TIMES, goal=12),
        figure("one thread over pure Python", faster(samples[PURE_PYTHON]), TIMES),
        figure("battles a second, one thread, " + AHEAD, samples[AHEAD].rate(), A_SECOND),
        figure("policies over looking ahead (at most 3 wanted)", faster(samples[AHEAD]), TIMES),
        figure("10,000 battles by policies, nothing compiled", cold(*FIRST, rounds=1), goal=8),
        figure("the whole answer, kernels compiled", warm(*ANSWER, rounds=3), goal=5),
        figure("the whole answer, nothing compiled", cold(*ANSWER, rounds=1), goal=10),
    ]
