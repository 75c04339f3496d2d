"""Exact laws: the public call beside the peers, and many attacks in one sweep."""

from importlib import import_module

import analyser
from analyser.analysis.matchups import matchups
from analyser.common.jit import interpreted
from analyser.engine.attack.summaries import distinct_summaries
from benchmarks.engine import random_matrix
from benchmarks.fights import PLAIN_DICE, fight
from benchmarks.timing import Candidate, compiled, interleaved

EXACT = "exact, the full joint distribution"
FIRST = "the same, not compiled yet"
PEERS = {
    "icepool, hits alone": "icepool_hits",
    "dyce, hits alone": "dyce_hits",
    "warhammer-stats, hits alone": "warhammer_stats_hits",
}
DICE = (3, PLAIN_DICE, 24)
SIDE = 300


def peer(name, dice):
    """A candidate, or None where the peer is not installed."""
    try:
        law_of_hits = import_module(f"benchmarks.peers.{PEERS[name]}").law_of_hits
    except ImportError:
        return None
    return Candidate(name, lambda: law_of_hits(dice), repeats=5)


def interpreter(ask, *asked):
    """What the interpreter finds."""
    with interpreted():
        return ask(*asked)


def calls(rounds=40):
    """Seconds a call, from 3 to 24 dice."""
    return [{"dice": dice, "seconds_a_call": calls_with(dice, rounds)} for dice in DICE]


def calls_with(dice, rounds):
    scenario = analyser.load_scenario(fight(dice))
    ours = Candidate(EXACT, compiled(lambda: analyser.exact(scenario)), repeats=100)
    first = Candidate(FIRST, lambda: interpreter(analyser.exact, scenario), repeats=5)
    candidates = [ours, first, *filter(None, (peer(name, dice) for name in PEERS))]
    return {name: sample.summary() for name, sample in interleaved(candidates, rounds).items()}


def sweeps(rounds=20):
    """Seconds a matrix and an attack: laws of pools shared along a row, and not shared at all."""
    matrix, column = random_matrix(SIDE, SIDE), random_matrix(SIDE * 10, 1)
    one = Candidate("1 thread", compiled(lambda: distinct_summaries(*matrix, threads=1).table))
    two = Candidate("2 threads", compiled(lambda: distinct_summaries(*matrix, threads=2).table))
    unshared = Candidate("one target", compiled(lambda: distinct_summaries(*column, threads=1).table), SIDE * 10)
    samples = interleaved([one, two, unshared], rounds)
    attacks = SIDE * SIDE
    one_thread = samples["1 thread"].summary()
    return {
        "side": SIDE,
        "seconds_a_matrix": {"1 thread": one_thread, "2 threads": samples["2 threads"].summary()},
        "seconds_an_attack": one_thread["median_s"] / attacks,
        "seconds_an_attack_alone": samples["one target"].summary(),
    }


def factions(rounds=5):
    """The public table of every loadout that is shipped on every other."""
    everything = ("crown/*", "imperium/*", "commonwealth/*")
    table = matchups(everything, everything, situations=["long-range"]).frame
    candidate = Candidate("matchups", compiled(lambda: matchups(everything, everything, situations=["long-range"])))
    seconds = interleaved([candidate], rounds)["matchups"].summary()
    return {"rows": len(table), "seconds": seconds}
