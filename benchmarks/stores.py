"""Sweeps into stores: cells a second with all that it takes to write them, and what the plan and the scheduler cost.

Rates are by processor seconds of the parts, without the first of each process; two workers over one are by the clock,
starts included, and by processor seconds too: on a machine that others load the clock says nothing.
"""

import heapq
import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from pathlib import Path

import pyarrow.dataset as pads

from analyser.sweep.plan import read_plan, unpack_plan
from analyser.sweep.running import FinishedPart, compute_parts, resume_sweep, run_sweep
from analyser.sweep.store import store_for
from analyser.sweep.store_reader import open_sweep

NUMBERS = {"defence": "1..6", "discipline": "5..9", "models": "1..12", "break_limit": "1..3"}
FIGURES = ["mean_models_destroyed", "p_annihilated", "mean_damage"]
ATTACKS = {
    "name": "attacks",
    "situations": ["long-range", "short-range-aimed"],
    "figures": FIGURES,
    "attackers": {"units": "*/*", "dice": "-2..2"},
    "defenders": {"units": "*/*", **NUMBERS},
}
DUELS = {
    "name": "duels",
    "situations": ["duel"],
    "figures": ["mean_models_destroyed", "p_attacker_wins", "p_draw"],
    "part_cells": 300,
    "attackers": {"units": "*/*", "levels": "basic"},
    "defenders": {"units": "*/*", "levels": "basic"},
}
FIELD = {"units": "*/*", "levels": "basic"}
OF_A_VERDICT = {  # two situations of 88 loadouts against 88, with 66 combinations of numbers: a million cells
    "name": "verdict",
    "situations": ["long-range", "short-range-aimed"],
    "figures": ["mean_models_destroyed", "mean_share_lost", "p_suppressed", "p_annihilated"],
    "attackers": FIELD,
    "defenders": FIELD | {"defence": "1..6", "damage_limit": "1..11"},
}
MANY_PARTS = 10_000
TINY = {
    "attackers": {"units": "crown/rifle-platoon@basic"},
    "defenders": {"units": "imperium/krupp*", "defence": "1..100", "damage_limit": "1..100"},
    "part_cells": 3,
}
SIMULATED = 64
PROCESSES = 16
ATTACKS_WRITTEN, DUELS_WRITTEN, TWO_OVER_ONE, AT_64, AT_16, MEMORY, RESUME = (
    "exact attack cells of sweeps, written, two cores",
    "exact duels of six rounds, distinct pairs, written, two cores",
    "sweeps, two workers over one",
    f"sweeps, efficiency at {SIMULATED} workers, simulated with measured part times",
    f"sweeps, efficiency of {PROCESSES} worker processes, by overheads",
    "sweeps, memory of the largest process",
    f"sweeps, resume of a finished plan of {MANY_PARTS:,} parts",
)


class Inline(Executor):
    """Works when it is asked to."""

    def submit(self, work, /, *arguments, **keys):
        future = Future()
        future.set_result(work(*arguments, **keys))
        return future


def run(plan, workers, cells, folder):
    """A run of as many parts as have so many cells, in a process of its own: what it took.

    `seconds` of the clock, `driver` and `all` processor seconds, `parts` the seconds of each, `memory` in MB.
    """
    words = [sys.executable, "-m", "benchmarks.stores", json.dumps(plan), str(workers), str(cells), str(folder)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[-1])


def child(plan, workers, cells, folder):
    """What :func:`run` runs."""
    frozen = read_plan(plan)
    parts = min(max(round(cells / frozen.size(0)), 1), frozen.n_parts)
    jobs = max(frozen.n_parts // parts, 1)
    start = time.perf_counter()
    found = run_sweep(plan, folder, workers=workers, part=f"1/{jobs}")
    seconds = time.perf_counter() - start
    mine, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    lines = list(found.store.log_lines("part"))
    total = sum(each["size"] for each in lines)
    began = set()  # the first part of a process pays for its start, and for kernels that are read from disk
    steady = [each for each in lines if each["worker"] in began or began.add(each["worker"])]
    fought = found.dataset.count_rows(filter=pads.field("why_not").is_null())
    print(
        json.dumps(
            {
                "cells": total,
                "fought": fought,
                "work": sum(each["seconds"] for each in lines),
                "seconds": seconds,
                "driver": mine.ru_utime + mine.ru_stime,
                "all": mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime,
                "parts": [each["seconds"] for each in steady],
                "steady_cells": sum(each["size"] for each in steady),
                "bytes": sum(each["length"] for each in lines),
                "memory": max(peak_memory(), theirs.ru_maxrss / 1024),
                "load": os.getloadavg()[0],
            }
        )
    )


def peak_memory():
    """The most memory that this program has had, in MB; what the system counts by process has what began it, too."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def efficiency_at(workers, parts, a_part):
    """The share of the time that workers work, when each part takes `a_part` seconds of the one driver."""
    free, driver, busy = [0.0] * workers, 0.0, 0.0
    heapq.heapify(free)
    for seconds in parts:
        driver = max(driver, heapq.heappop(free)) + a_part
        heapq.heappush(free, driver + seconds)
        busy += seconds
    return busy / (workers * max(free))


def stores(cells=10**8, duels=8000):
    """What was measured; with fewer cells than 10^8 sooner, and 10^9 are further from what was measured."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = {1: cells, 2: cells, PROCESSES: cells // 2}
        one, two, many = (run(ATTACKS, workers, size, folder / f"a{workers}") for workers, size in sizes.items())
        fought = run(DUELS, 2, duels, folder / "duels")
        run_sweep(TINY, folder / "tiny", executor=Inline())
        resumed = min(_seconds(lambda: resume_sweep(folder / "tiny")) for _ in range(3))
        opened = _seconds(lambda: open_sweep(folder / "tiny").count(defender_defence=(1, 50)))
        parts = open_sweep(folder / "tiny").plan.n_parts
        handed = _handed(folder / "handed")
        verdict = verdict_of(folder / "verdict")
    planned = 10**9 // read_plan(ATTACKS).size(0)
    repeated = (two["parts"] * (1 + planned // len(two["parts"])))[:planned]
    start = max(one["all"] - one["driver"] - one["work"], 0.0)
    return {
        "runs": {"1": one, "2": two, str(PROCESSES): many, "duels": fought},
        "attack_cells_a_second": 2 * two["steady_cells"] / sum(two["parts"]),
        "duels_a_second": 2 * fought["steady_cells"] / sum(fought["parts"]) * fought["fought"] / fought["cells"],
        "two_over_one": one["seconds"] / two["seconds"],
        "two_over_one_by_the_processor": 2 * _a_cell(one) / _a_cell(two),
        "handed": handed,
        "at_64": efficiency_at(SIMULATED, repeated, handed),
        "at_16": many["work"] / (many["all"] - PROCESSES * start),
        "start_of_a_process": start,
        "memory": max(each["memory"] for each in (one, two, many, fought)),
        "resumed": resumed,
        "opened": opened,
        "verdict": verdict,
        "parts": parts,
        "bytes_a_cell": two["bytes"] / two["cells"],
    }


def verdict_of(folder):
    """The verdict over a million cells, and over the same of one number, each in a process of its own."""
    found = {}
    for name, plan in (("a million cells", OF_A_VERDICT), ("none varied", OF_A_VERDICT | {"defenders": FIELD})):
        store = folder / name.replace(" ", "-")
        cells = run_sweep(plan, store, workers=2).plan.n_cells
        words = [sys.executable, "-c", VERDICT, str(store)]
        line = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
        found[name] = {"cells": cells, **json.loads(line)}
    return found


VERDICT = """
import json, sys, time
import analyser
from benchmarks.stores import peak_memory
start = time.process_time()
found = analyser.open_sweep(sys.argv[1]).verdict()
print(json.dumps({"seconds": time.process_time() - start, "memory": peak_memory(), "loadouts": len(found.frame)}))
"""


def _a_cell(run):
    """Processor seconds of the workers a cell, without the first part of each."""
    return sum(run["parts"]) / run["steady_cells"]


class _Nothing(Executor):
    """Makes nothing of a part, and says that it is done; what goes to a process and comes back is packed for it."""

    def submit(self, work, number):
        pickle.dumps((work, number))
        future = Future()
        future.set_result(FinishedPart(number, unpack_plan(work.args[0]).size(number), 0, 1.0, "nobody"))
        return future


def _handed(folder):
    """Seconds of the driver that handing out, collecting and logging a part take, the work itself left out."""
    store = store_for(read_plan(TINY), folder)
    some = store.missing(range(MANY_PARTS // 5))
    return _seconds(lambda: compute_parts(store, some, lambda: nullcontext(_Nothing()), 64)) / len(some)


def _seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    child(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
