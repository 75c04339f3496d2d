"""Attacks with every die drawn separately: beside what a user would otherwise write, and by rule, memory, processor."""

import hashlib
import json
import signal
import subprocess
import tempfile

import analyser
from benchmarks.baselines import numpy_tuned, numpy_vectorised, pure_python
from benchmarks.fights import EVERY_RULE, PLAIN, PLAIN_DICE, VARIANTS, fight
from benchmarks.figures import A_SECOND, MEGABYTES, TIMES, Figure, figure
from benchmarks.timing import Candidate, interleaved, process

TITLE = "Attacks with every die drawn separately"
TEXT = f"""The attack has {PLAIN_DICE} dice and an improved rating, against 5 models with DEFENCE 2, DAMAGE LIMIT 3,
DISCIPLINE 7 and BREAK LIMIT 2. Every implementation draws every die, its re-roll and the added dice, turns a card for
the test, and counts models destroyed, suppressed and broken. "NumPy vectorised" applies the rules one at a time to
arrays; "NumPy, tuned by hand" draws a die and its re-roll as one number. "Every rule" is {EVERY_RULE}."""

PURE_PYTHON, NUMPY, NUMPY_TUNED = "pure Python", "NumPy vectorised", "NumPy, tuned by hand"
ONE, TWO = "one thread", "two threads"
RULES, PUT = "one thread, every rule", "one thread, the same number of dice"
BASELINES = {  # the module, and attacks a round
    PURE_PYTHON: (pure_python, 10_000),
    NUMPY: (numpy_vectorised, 300_000),
    NUMPY_TUNED: (numpy_tuned, 600_000),
}
TRIALS, TRIALS_IN_MEMORY = 60_000_000, 10**9
SAME_BITS = "kinds of processor with the same bits (this one, SSE2, AVX2, AVX-512)"
# LLVM's names; an empty list of features keeps numba from adding those of the processor that is really here.
PROCESSORS = ("x86-64", "haswell", "skylake-avx512")


def candidate(name, scenario, trials, threads=1):
    """The public call on a scenario that has been read."""
    ready = analyser.load_scenario(scenario)
    return Candidate(name, lambda: analyser.simulate(ready, trials=trials, seed=1, threads=threads), trials)


def figures(rounds=11):
    """Attacks a second of each, and how many times faster than the baselines; memory; the same bits elsewhere."""
    baselines = [
        Candidate(name, lambda module=module, trials=trials: module.play(PLAIN_DICE, trials, 1), trials)
        for name, (module, trials) in BASELINES.items()
    ]
    ours = [candidate(ONE, PLAIN, TRIALS), candidate(TWO, PLAIN, TRIALS, threads=2)]
    dearest, average = VARIANTS[EVERY_RULE]
    alike = fight(round(average / (1 + 1 / 6)))
    special = [candidate(RULES, dearest, TRIALS // 10), candidate(PUT, alike, TRIALS // 10)]
    samples = interleaved([*baselines, *ours, *special], rounds)
    one = samples[ONE]
    found = [figure(f"attacks a second, {name}", samples[name].rate(), A_SECOND) for name in (*BASELINES, ONE, TWO)]
    goals = {PURE_PYTHON: 1500, NUMPY: 200}
    found += [
        figure(f"one thread over {name}", one.times_faster_than(samples[name]), TIMES, goals.get(name))
        for name in BASELINES
    ]
    found += [
        figure("two threads over one", samples[TWO].times_faster_than(one), TIMES, 1.9),
        figure(f"attacks a second, {RULES}", samples[RULES].rate(), A_SECOND),
        figure(
            "the same dice without the rules, over every rule", samples[PUT].times_faster_than(samples[RULES]), TIMES
        ),
    ]
    return [*found, peak_memory(), same_bits()]


MEMORY = """
import json, sys
import analyser
from benchmarks.timing import peak_memory
analyser.simulate(json.loads(sys.argv[1]), trials=int(sys.argv[2]))
print(peak_memory())
"""


def peak_memory():
    """Peak memory of a process with many trials."""
    megabytes = float(process("-c", MEMORY, json.dumps(PLAIN), str(TRIALS_IN_MEMORY))[1])
    return Figure("peak memory of 10^9 attacks in one call", megabytes, MEGABYTES, goal=300)


def same_bits():
    """How many kinds of processor give the bits of this one; those whose instructions it lacks are left out."""
    digests = []
    for called in (None, *PROCESSORS):
        older = {} if called is None else {"NUMBA_CPU_NAME": called, "NUMBA_CPU_FEATURES": ""}
        with tempfile.TemporaryDirectory() as cache:
            try:
                digests.append(process("-m", "benchmarks.attacks", NUMBA_CACHE_DIR=cache, **older)[1])
            except subprocess.CalledProcessError as error:
                if error.returncode != -signal.SIGILL:
                    raise
    return Figure(SAME_BITS, digests.count(digests[0]), "", goal=len(digests))


def digest():
    """A digest of the results of all variants."""
    found = hashlib.sha256()
    for given, _ in VARIANTS.values():
        result = analyser.simulate(given, trials=300_001, seed=3, threads=1)
        found.update(result.outcomes.tobytes() + result.weights.tobytes() + result.hits_weights.tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    print(digest())
