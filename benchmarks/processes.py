"""What a whole process takes: the first call ever, a warm command, memory, and older processors."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.fights import PLAIN

FIRST_CALL = """
import json, sys, time
start = time.perf_counter()
import analyser
scenario = analyser.load_scenario(json.loads(sys.argv[1]))
before = time.perf_counter()
{call}
after = time.perf_counter()
print(json.dumps({{"import_s": before - start, "call_s": after - before}}))
"""
EXACT_CALL = "analyser.exact(scenario)"
SIMULATE_CALL = "analyser.simulate(scenario, 1_000_000)"
MEMORY = """
import json, sys
from pathlib import Path
import analyser
analyser.simulate(json.loads(sys.argv[1]), int(sys.argv[2]))
status = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
BITS = """
import hashlib, json, sys, time
import analyser
from benchmarks.fights import VARIANTS
scenario = analyser.load_scenario(json.loads(sys.argv[1]))
analyser.simulate(scenario, 100_000, threads=1)
seconds = []
for _ in range(5):
    start = time.perf_counter()
    analyser.simulate(scenario, 5_000_000, seed=3, threads=1)
    seconds.append((time.perf_counter() - start) / 5_000_000)
digest = hashlib.sha256()
for given, _ in VARIANTS.values():
    result = analyser.simulate(given, 300_001, seed=3, threads=1)
    digest.update(result.outcomes.tobytes() + result.weights.tobytes() + result.hits_weights.tobytes())
print(json.dumps({"digest": digest.hexdigest(), "seconds_an_attack": sorted(seconds)[2]}))
"""
# LLVM's names; an empty list of features keeps numba from adding those of the processor that is really here.
PROCESSORS = {"x86-64 (SSE2)": "x86-64", "Haswell (AVX2)": "haswell", "Skylake (AVX-512)": "skylake-avx512"}
COMMAND = (
    "attack",
    "crown/rifle-platoon@reinforced",
    "imperium/scion-grenadier-command-platoon@basic",
    "--method",
    "exact",
)


def run(code, *arguments, **environment):
    """What a Python process prints, as JSON."""
    words = [json.dumps(PLAIN), *map(str, arguments)]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def first_calls(rounds=1):
    """With no compiled kernel on disk, and with all of them; seconds of importing and of the call."""
    return {
        name: {"cold": [first_call(call) for _ in range(rounds)], "warm": warm_calls(call, 3)}
        for name, call in (("exact", EXACT_CALL), ("simulate", SIMULATE_CALL))
    }


def first_call(call):
    with tempfile.TemporaryDirectory() as empty:
        return run(FIRST_CALL.format(call=call), NUMBA_CACHE_DIR=empty)


def warm_calls(call, rounds):
    with tempfile.TemporaryDirectory() as cache:
        found = [run(FIRST_CALL.format(call=call), NUMBA_CACHE_DIR=cache) for _ in range(rounds + 1)]
    return found[1:]


def command_line(rounds=7):
    """Seconds of ``analyser attack … --method exact`` as the shell sees it: the first ever, then warm."""
    with tempfile.TemporaryDirectory() as cache:
        seconds = [shell_seconds(NUMBA_CACHE_DIR=cache) for _ in range(rounds + 1)]
    return {"cold_s": seconds[0], "warm_s": summary(seconds[1:])}


def shell_seconds(**environment):
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "analyser", *COMMAND], env=os.environ | environment, capture_output=True, check=True
    )
    return time.perf_counter() - start


def summary(seconds):
    low, median, high = np.percentile(seconds, [0, 50, 100]).tolist()
    return {"median_s": median, "min_s": low, "max_s": high, "rounds": len(seconds)}


def memory(sizes):
    """Peak memory of a process, in bytes, by number of trials; nothing where the system does not tell."""
    if not Path("/proc/self/status").exists():
        return []
    run(MEMORY, 1000)  # compile: the next processes find the kernels on disk
    return [{"trials": trials, "bytes": 1024 * run(MEMORY, trials)} for trials in sizes]


def processors():
    """The same bits on older processors, and how fast: all variants are compared, the plain attack is timed."""
    found = {}
    for name, called in ({"this one": None} | PROCESSORS).items():
        older = {} if called is None else {"NUMBA_CPU_NAME": called, "NUMBA_CPU_FEATURES": ""}
        with tempfile.TemporaryDirectory() as cache:
            found[name] = run(BITS, NUMBA_CACHE_DIR=cache, **older)
    here = found["this one"]["digest"]
    return {
        name: {"seconds_an_attack": each["seconds_an_attack"], "same_bits": each["digest"] == here}
        for name, each in found.items()
    }
