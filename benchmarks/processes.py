"""What takes a process of its own: peak memory, and other processors."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.fights import PLAIN

MEMORY = """
import json, sys
from pathlib import Path
import analyser
analyser.simulate(json.loads(sys.argv[1]), trials=int(sys.argv[2]))
status = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
BITS = """
import hashlib, json, sys
import analyser
from benchmarks.engine import BareKernel, StreamAlone
from benchmarks.fights import VARIANTS
from benchmarks.timing import Candidate, interleaved
scenario = analyser.load_scenario(json.loads(sys.argv[1]))
kernel = BareKernel(json.loads(sys.argv[1]), 1)
attacks = Candidate("attacks", lambda: analyser.simulate(scenario, trials=20_000_000, seed=3, threads=1), 20_000_000)
words = Candidate("words", StreamAlone(50_000_000), 50_000_000)
found = interleaved([attacks, words], 7)
kernel()
digest = hashlib.sha256()
for given, _ in VARIANTS.values():
    result = analyser.simulate(given, trials=300_001, seed=3, threads=1)
    digest.update(result.outcomes.tobytes() + result.weights.tobytes() + result.hits_weights.tobytes())
seconds = {name: each.summary()["median_s"] for name, each in found.items()}
limit = seconds["words"] * kernel.words_an_attack()
print(json.dumps({"digest": digest.hexdigest(), "seconds_an_attack": seconds["attacks"], "limit_s": limit}))
"""
# LLVM's names; an empty list of features keeps numba from adding those of the processor that is really here.
PROCESSORS = {"x86-64 (SSE2)": "x86-64", "Haswell (AVX2)": "haswell", "Skylake (AVX-512)": "skylake-avx512"}


def run(code, *arguments, **environment):
    """What a Python process prints, as JSON."""
    words = [json.dumps(PLAIN), *map(str, arguments)]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def memory(sizes):
    """Peak memory of a process, in bytes, by number of trials; nothing where the system does not tell."""
    if not Path("/proc/self/status").exists():
        return []
    run(MEMORY, 1000)  # compile: the next processes find the kernels on disk
    return [{"trials": trials, "bytes": 1024 * run(MEMORY, trials)} for trials in sizes]


def processors():
    """The same bits on other processors, and how fast: all variants are compared, the plain attack is timed.

    Those whose instructions this machine lacks are left out.
    """
    found = {}
    for name, called in ({"this one": None} | PROCESSORS).items():
        older = {} if called is None else {"NUMBA_CPU_NAME": called, "NUMBA_CPU_FEATURES": ""}
        with tempfile.TemporaryDirectory() as cache:
            try:
                found[name] = run(BITS, NUMBA_CACHE_DIR=cache, **older)
            except subprocess.CalledProcessError as error:
                if error.returncode != -signal.SIGILL:
                    raise
    here = found["this one"]["digest"]
    return {name: {**each, "same_bits": each["digest"] == here} for name, each in found.items()}
