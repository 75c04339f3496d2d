"""Exact attacks: the public call beside the peers, and many attacks at once."""

from importlib import import_module

import numpy as np

import analyser
from analyser.analysis.matchups import matchups
from analyser.common.jit import interpreted
from analyser.engine.attack.summaries import distinct_summaries
from analyser.rules.structs import ATTACK, TARGET
from benchmarks.fights import PLAIN, PLAIN_DICE, fight
from benchmarks.figures import figure
from benchmarks.timing import Candidate, compiled, interleaved

TITLE = "Exact attacks"
TEXT = f"""The same attack of {PLAIN_DICE} dice. The other libraries give the distribution of hits alone, without the
fate of the unit."""

OURS, INTERPRETED = "the full joint distribution", "the same, before anything is compiled"
PEERS = {"icepool": "icepool_hits", "dyce": "dyce_hits", "warhammer-stats": "warhammer_stats_hits"}
SIDE = 300
EVERYTHING = ("crown/*", "imperium/*", "commonwealth/*")


def peer(name):
    """A candidate, or None where the peer is not installed."""
    try:
        law_of_hits = import_module(f"benchmarks.peers.{PEERS[name]}").law_of_hits
    except ImportError:
        return None
    return Candidate(f"{name}, hits alone", lambda: law_of_hits(PLAIN_DICE), repeats=5)


def figures(rounds=20):
    """Seconds a call, of a matrix of attacks, of a table of three factions."""
    scenario = analyser.load_scenario(PLAIN)

    def interpreter():
        with interpreted():
            return analyser.exact(scenario)

    calls = [
        Candidate(OURS, compiled(lambda: analyser.exact(scenario)), repeats=100),
        Candidate(INTERPRETED, interpreter, repeats=5),
        *filter(None, map(peer, PEERS)),
    ]
    goals = {OURS: 100e-6}
    found = [figure(name, each.summary(), goal=goals.get(name)) for name, each in interleaved(calls, rounds).items()]
    matrix = random_matrix(SIDE)
    many = [
        Candidate("one of 300 x 300 attacks at once, one thread", matrix_of(matrix, 1), SIDE * SIDE),
        Candidate("one of 300 x 300 attacks at once, two threads", matrix_of(matrix, 2), SIDE * SIDE),
        Candidate("`matchups` of three factions, 27,225 rows", compiled(table_of_factions)),
    ]
    return found + [figure(name, each.summary()) for name, each in interleaved(many, rounds // 2).items()]


def matrix_of(matrix, threads):
    return compiled(lambda: distinct_summaries(*matrix, threads=threads).table)


def table_of_factions():
    return matchups(EVERYTHING, EVERYTHING, situations=["long-range"]).frame


def random_matrix(side, seed=5):
    """Random attacks of 3 to 24 dice on random targets, as `distinct_summaries` takes them."""
    rng = np.random.default_rng(seed)
    attacks = np.array([random_fight(rng)[0] for _ in range(side)], ATTACK)
    targets = np.array([random_fight(rng)[1] for _ in range(side)], TARGET)
    ruleset = analyser.load_scenario(PLAIN).ruleset
    die = np.array(ruleset.die.sides_by_face, np.int64)
    return attacks, targets, np.ones((side, side), np.bool_), die, ruleset.deck.counts()


def random_fight(rng):
    """Records of an attack and of a target."""
    target = {
        "models": int(rng.integers(1, 13)),
        "defence": int(rng.integers(1, 5)),
        "damage_limit": int(rng.integers(1, 5)),
        "discipline": int(rng.integers(4, 9)),
        "break_limit": int(rng.integers(0, 4)),
        "type": str(rng.choice(["infantry", "cavalry", "armour"])),
        "rules": [["Durable"], []][int(rng.integers(2))],
    }
    rating = str(rng.choice(["weakened", "neutral", "improved"]))
    return analyser.load_scenario(fight(int(rng.integers(3, 25)), rating, target)).facts
