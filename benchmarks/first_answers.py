"""The first answer on a machine: whole processes without any compiled kernel, and with all of them."""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

ATTACKER, TARGET = "crown/rifle-platoon@reinforced", "imperium/scion-grenadier-platoon@basic"
QUESTIONS = {  # what the shell and Python are asked, exactly and sampled
    "attack": (("attack", ATTACKER, TARGET, "--distance", "6"), "analyser.attack(A, B, distance=6{how})"),
    "charge": (("charge", ATTACKER, TARGET), "analyser.charge(A, B{how})"),
    "focus fire": (("attack", ATTACKER, ATTACKER, TARGET), "analyser.focus([A, A], B{how})"),
    "duel of six rounds": (("duel", ATTACKER, TARGET), "analyser.duel(A, B{how})"),
    "Legion": (
        ("morale", "legion", "--courage", "2", "--tokens", "1", "--received", "3"),
        "analyser.morale.legion(courage=2, tokens=1, received=3{how})",
    ),
    "Grande Tactique": (
        ("morale", "grande-tactique", "--division-units", "[{rout = 0.1}, {rout = 0.2}]"),
        "analyser.morale.grande_tactique(division={{'units': [{{'rout': 0.1}}, {{'rout': 0.2}}]}}{how})",
    ),
    "Warmaster": (("morale", "warmaster", "--dice", "3"), "analyser.morale.warmaster(dice=3{how})"),
    "Mordheim": (
        ("morale", "mordheim", "--alone-leadership", "7", "--alone-opponents", "2", "--alone-edge", "14"),
        "analyser.morale.mordheim(alone={{'leadership': 7, 'opponents': 2, 'edge': 14}}{how})",
    ),
    "five systems side by side": (
        ("morale", "compare", "--models", "6", "--losses", "{0 = 0.5, 2 = 0.5}"),
        "analyser.morale.compare(models=6, losses={{0: 0.5, 2: 0.5}}{how})",
    ),
}
SAMPLED = ("--method", "monte-carlo")
AFTER_IMPORT = """
import time, analyser
A, B = {units!r}
start = time.perf_counter()
{work}
print(time.perf_counter() - start)
"""
MATCHUPS = "analyser.matchups('crown/*', 'imperium/*')"
REPORT = ("report", "--attackers", "crown/*", "--defenders", "imperium/*", "--out")
OVERHEAD = """
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


def process(*words, **environment):
    """Wall-clock and processor seconds of a Python process, and what it prints."""
    as_usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    command = [sys.executable, *words]
    with subprocess.Popen(command, env=as_usual | environment, stdout=subprocess.PIPE, text=True) as running:
        printed = running.stdout.read()
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise RuntimeError(f"{command} ended with {running.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, printed


def cold(*words):
    """The same of a process that finds no compiled kernel."""
    with tempfile.TemporaryDirectory() as empty:
        return process(*words, NUMBA_CACHE_DIR=empty)


def python(work, units=(ATTACKER, TARGET)):
    """The arguments of Python for work after the import."""
    return "-c", AFTER_IMPORT.format(units=units, work=work)


def medians(measured):
    wall, cpu = np.median([each[:2] for each in measured], axis=0).tolist()
    return {"wall_s": wall, "cpu_s": cpu}


def of_question(name, rounds):
    """Cold seconds from the shell and after the import, exact and sampled."""
    words, work = QUESTIONS[name]
    found = {}
    for method, option, how in (("exact", (), ""), ("sampled", SAMPLED, ", method='monte-carlo'")):
        found[method] = medians([cold("-m", "analyser", *words, *option) for _ in range(rounds)])
        asked = [cold(*python(work.format(how=how))) for _ in range(rounds)]
        found[method]["after_import_s"] = float(np.median([float(printed) for _, _, printed in asked]))
    return found


def report():
    """Wall-clock and processor seconds of `make report`, once everything is installed."""
    with tempfile.TemporaryDirectory() as folder:
        kernels = process("-m", "analyser", "warm-up", "matchups", "exact-fights", NUMBA_CACHE_DIR=folder)
        written = process("-m", "analyser", *REPORT, folder + "/report", NUMBA_CACHE_DIR=folder)
    return kernels[0] + written[0], kernels[1] + written[1]


def first_answers(rounds=3):
    """All of them; the command's answers are thrown away."""
    found = {"questions": {name: of_question(name, rounds) for name in QUESTIONS}}
    found["matchups"] = medians([cold(*python(MATCHUPS)) for _ in range(rounds)])
    found["warm_up"] = medians([cold("-m", "analyser", "warm-up") for _ in range(rounds)])
    found["report"] = medians([report() for _ in range(rounds)])
    with tempfile.TemporaryDirectory() as cache:
        process("-m", "analyser", "warm-up", "attacks", NUMBA_CACHE_DIR=cache)
        warm = [process("-m", "analyser", *QUESTIONS["attack"][0], NUMBA_CACHE_DIR=cache) for _ in range(4 * rounds)]
        overhead = [process("-c", OVERHEAD, NUMBA_CACHE_DIR=cache)[2] for _ in range(rounds)]
    found["warm_attack"] = medians(warm)
    found["help"] = medians([process("-m", "analyser", "--help") for _ in range(4 * rounds)])
    bare = medians([process("-c", "pass") for _ in range(4 * rounds)])
    found["import"] = medians([process("-c", "import analyser") for _ in range(4 * rounds)])
    found["import"]["wall_s"] -= bare["wall_s"]
    found["overhead_s"] = float(np.median(list(map(float, overhead))))
    return found
