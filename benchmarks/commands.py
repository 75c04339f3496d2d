"""Whole processes: the first answer on a machine, without compiled kernels, and later ones."""

import tempfile

from benchmarks.figures import Figure, figure
from benchmarks.timing import cold, command, process, spread, warm

TITLE = "First answers"
TEXT = """Whole processes; cold means that no kernel is compiled yet. Then the interpreter answers if that is faster;
loops over many trials are compiled first. "Once more" is the same command again."""

ATTACKER, TARGET = "crown/rifle-platoon@reinforced", "imperium/scion-grenadier-platoon@basic"
QUESTIONS = {
    "an attack": ("attack", ATTACKER, TARGET, "--distance", "6"),
    "a charge": ("charge", ATTACKER, TARGET),
    "a duel of six rounds": ("duel", ATTACKER, TARGET),
    "Legion": ("morale", "legion", "--courage", "2", "--tokens", "1", "--received", "3"),
}
SIMULATED = ("--method", "monte-carlo")
REPORT = ("report", "--attackers", "crown/*", "--defenders", "imperium/*", "--out")
LOADED = """
import time, analyser
fight = {"attack": {"dice": 10, "rating": "improved"}, "target": {"models": 5, "defence": 2, "damage_limit": 3}}
scenario = analyser.load_scenario(fight)
analyser.simulate(scenario, trials=10_000)
seconds = []
for _ in range(400):
    start = time.perf_counter()
    analyser.simulate(scenario, trials=10_000)
    seconds.append(time.perf_counter() - start)
print(sorted(seconds)[200])
"""


def figures():
    """Seconds of the first answers of several kinds, and of later ones."""
    found = [figure(f"{name}, exact, cold", cold(*words), goal=1) for name, words in QUESTIONS.items()]
    found += [figure(f"{name}, simulated, cold", cold(*words, *SIMULATED), goal=5) for name, words in QUESTIONS.items()]
    with tempfile.TemporaryDirectory() as folder:
        report = command(*REPORT, f"{folder}/report", NUMBA_CACHE_DIR=folder)
    bare = spread([process("-c", "pass")[0] for _ in range(9)])["median"]
    imported = spread([process("-c", "import analyser")[0] for _ in range(9)])["median"]
    return [
        *found,
        figure("`analyser warm-up`: everything compiled", cold("warm-up", rounds=1), goal=60),
        Figure("a report of two factions, cold", report),
        figure("an attack, exact, once more", warm(*QUESTIONS["an attack"]), goal=0.35),
        figure("`analyser --help`", warm("--help"), goal=0.15),
        Figure("`import analyser`", imported - bare, goal=0.05),
        Figure("`simulate` with 10^4 trials of a loaded scenario", float(process("-c", LOADED)[1]), goal=50e-6),
    ]
