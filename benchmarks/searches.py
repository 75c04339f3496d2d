"""The best of thousands of attacks, each worked out exactly, and of duels, by a race."""

import time

import analyser
from benchmarks.figures import figure
from benchmarks.timing import spread

TITLE = "Searches"
TEXT = """[The best of many variants](compare.md#the-best-of-a-thousand-variants), on one thread, kernels compiled. The
time of a race depends on how close the best variants are to each other."""

CROWN = ["crown/rifle-platoon@*", "crown/sharp-rifles@*", "crown/rifle-command-platoon@*", "crown/drake-field-guns@*"]
ATTACKS = {
    "baseline": {
        "attack": {"attacker": "crown/rifle-platoon@basic", "distance": 6},
        "target": {"unit": "imperium/scion-grenadier-platoon@basic"},
    },
    "variants": {"covered": {"target": {"taking_cover": True}}},
    "ranges": {
        "attacker": ["crown/*"],
        "distance": range(2, 25, 2),
        "models": [3, 4, 5, 6],
        "aiming": [False, True],
    },
    "metric": "p_annihilated",
}
DUELS = {
    "baseline": {
        "duel": {"rounds": 4},
        "a": {"unit": "crown/rifle-platoon@basic"},
        "b": {"unit": "imperium/scion-grenadier-platoon@basic"},
    },
    "ranges": {
        "a": CROWN,
        "b": ["imperium/scion-grenadier-platoon@*", "imperium/krupp-field-guns@*"],
        "rounds": range(2, 9),
    },
    "metric": "p_a_wins",
}
SEARCHES = {"attacks, exactly": (ATTACKS, "exact", 10), "duels with real decks, by a race": (DUELS, "race", 60)}


def figures(rounds=1):
    """Seconds of each search."""
    found = []
    for name, (question, method, goal) in SEARCHES.items():
        analyser.search({**question, "ranges": {}}, method=method, threads=1)  # kernels are compiled
        seconds = []
        for _ in range(rounds):
            start = time.perf_counter()
            answer = analyser.search(question, method=method, threads=1)
            seconds.append(time.perf_counter() - start)
        found.append(figure(f"the best of {len(answer.frame):,} {name}", spread(seconds), goal=goal))
    return found
