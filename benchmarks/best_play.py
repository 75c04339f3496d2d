"""Best play of both sides: a duel by size, the command, all pairs of two factions."""

import time

import analyser
from analyser.results.duel_solution import solved_duel
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as
from benchmarks.figures import Figure, figure
from benchmarks.timing import Candidate, cold, compiled, interleaved, warm

TITLE = "Best play"
TEXT = """Value and plan of a duel of six rounds with [best play](best-play.md) on both sides: rifles against
grenadiers, a toss each round, kernels compiled, one thread. All pairs are those of Crown and Imperium at basic level,
on two threads."""

A, B = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
SIZES = {
    "6 models a side": ((6, None), 50e-3),
    "12 models a side": ((12, None), None),
    '6 models a side, 18" apart': ((6, 18), None),
}


def figures(rounds=3):
    """Seconds of value and plan of each size, of the command, and of all pairs."""
    candidates = [Candidate(name, solving(*size)) for name, (size, _) in SIZES.items()]
    samples = interleaved(candidates, rounds)
    found = [figure(name, samples[name].summary(), goal=goal) for name, (_, goal) in SIZES.items()]
    found += [
        figure("`analyser best`, once more", warm("best", A, B), goal=2),
        figure("`analyser best`, cold", cold("best", A, B), goal=2),
    ]
    start = time.perf_counter()
    pairs = analyser.tactics("crown/*@basic", "imperium/*@basic", threads=2).frame
    return [*found, Figure(f"all {len(pairs)} pairs of two factions", time.perf_counter() - start, goal=60)]


def solving(models, distance):
    """A function that solves the duel of two units of so many models."""
    terms = {"rounds": 6, "policy_a": "best", "policy_b": "best"}
    terms |= {} if distance is None else {"distance": distance}
    sides = {"a": {"unit": A, "models": models}, "b": {"unit": B, "models": models}}
    asked = load_as(DuelScenario, {"duel": terms, **sides})
    return compiled(lambda: solved_duel(asked).value)
