"""Sweeps into stores: cells a second with all that it takes to write them, and memory."""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from analyser.sweep.plan import read_plan
from analyser.sweep.running import run_sweep
from benchmarks.figures import A_SECOND, MEGABYTES, TIMES, Figure
from benchmarks.timing import peak_memory, process

TITLE = "Sweeps"
TEXT = """Rates of [sweeps](sweeps.md) by the clock, from the start of the command until everything is written. The
kernels are compiled. The attacks are every loadout, with its dice changed, on every loadout with 1,080 combinations of
numbers."""

ATTACKS = {
    "name": "attacks",
    "situations": ["long-range", "short-range-aimed"],
    "figures": ["mean_models_destroyed", "p_annihilated", "mean_damage"],
    "attackers": {"units": "*/*", "dice": "-2..2"},
    "defenders": {"units": "*/*", "defence": "1..6", "discipline": "5..9", "models": "1..12", "break_limit": "1..3"},
}
DUELS = {
    "name": "duels",
    "situations": ["duel"],
    "figures": ["mean_models_destroyed", "p_attacker_wins", "p_draw"],
    "part_cells": 300,
    "attackers": {"units": "*/*", "levels": "basic"},
    "defenders": {"units": "*/*", "levels": "basic"},
}
CELLS, DUEL_CELLS = 40_000_000, 4000


def figures(cells=CELLS, duel_cells=DUEL_CELLS):
    """Cells a second by one and two workers, and memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for plan in (ATTACKS, DUELS):  # compiles the kernels
            run(plan, 1, 1, folder / f"first-{plan['name']}")
        one, two = (run(ATTACKS, workers, cells, folder / f"a{workers}") for workers in (1, 2))
        duels = run(DUELS, 2, duel_cells, folder / "duels")
    memory = max(each["memory"] for each in (one, two, duels))
    return [
        Figure("exact attacks, written, two workers", two["rate"], A_SECOND, goal=2_000_000),
        Figure("exact duels of six rounds, written, two workers", duels["rate"], A_SECOND, goal=1500),
        Figure("two workers over one", two["rate"] / one["rate"], TIMES, goal=1.9),
        Figure("memory of the largest process", memory, MEGABYTES, goal=500),
    ]


def run(plan, workers, cells, folder):
    """A run of as many parts as have so many cells, in a process of its own: its rate and memory."""
    words = (json.dumps(plan), str(workers), str(cells), str(folder))
    return json.loads(process("-m", "benchmarks.sweeps", *words)[1].splitlines()[-1])


def child(plan, workers, cells, folder):
    """What :func:`run` runs."""
    frozen = read_plan(plan)
    parts = min(max(round(cells / frozen.block(0).n_cells), 1), frozen.n_parts)
    start = time.perf_counter()
    written = run_sweep(plan, folder, workers=workers, part=f"1/{max(frozen.n_parts // parts, 1)}")
    seconds = time.perf_counter() - start
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(json.dumps({"rate": written.dataset.count_rows() / seconds, "memory": max(peak_memory(), theirs)}))


if __name__ == "__main__":
    child(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
