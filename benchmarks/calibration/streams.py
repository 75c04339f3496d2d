"""The random words before a battery of dieharder: one stream, and neighbouring chunks and seeds word by word.

``python -m benchmarks.calibration.streams SOURCE`` writes the words of a source to standard output for ever.
"""

import shutil
import subprocess
import sys
import time

import numpy as np

from analyser.engine.rng import counter_of_chunk, fill, stream_of

TESTS = {  # number at dieharder: what it looks at
    3: "ranks of 6 x 8 bits",
    8: "ones in a stream",
    9: "ones in bytes",
    10: "parking lot",
    11: "nearest of points in a square",
    12: "nearest of points in a cube",
    13: "squeeze",
    15: "runs up and down",
    16: "craps",
    100: "monobit",
    101: "runs of bits",
}
FEW_TESTS = (100,)
NEIGHBOURS = 16
SEED = 1
WORDS = 1 << 14  # made at once
SUSPICIOUS = 1e-4  # p-values nearer than this to 0 or 1: of 100 one in fifty batteries


def sources():
    """The streams that are woven into one, word by word, of each source: (seed, chunk) each."""
    return {
        "one chunk": [(SEED, 0)],
        f"{NEIGHBOURS} neighbouring chunks": [(SEED, chunk) for chunk in range(NEIGHBOURS)],
        f"{NEIGHBOURS} neighbouring seeds": [(SEED + number, 0) for number in range(NEIGHBOURS)],
    }


def words(streams):
    """The words of some streams in turn, without end, as arrays."""
    begun = [(stream_of(seed), chunk) for seed, chunk in streams]
    counters = [np.uint64(counter_of_chunk(*stream, chunk)) for stream, chunk in begun]
    woven = np.empty((WORDS, len(streams)), np.uint64)
    part = np.empty(WORDS, np.uint64)
    while True:
        for place, (stream, _) in enumerate(begun):
            counters[place] = np.uint64(fill(part, WORDS, counters[place], stream.gamma))
            woven[:, place] = part
        yield woven.ravel()


def battery(tests=tuple(TESTS)):
    """The p-values of each test on each source; an empty list where dieharder is not installed."""
    found = []
    if shutil.which("dieharder") is None:
        return found
    for source in sources():
        for test in tests:
            start = time.perf_counter()
            feed = subprocess.Popen([sys.executable, "-m", __spec__.name, source], stdout=subprocess.PIPE)
            command = ["dieharder", "-g", "200", "-d", str(test), "-D", "test_name", "-D", "ntuple", "-D", "pvalues"]
            done = subprocess.run(command, stdin=feed.stdout, capture_output=True, text=True, check=True)
            feed.stdout.close()
            feed.wait()
            p_values = [float(line.split("|")[-1]) for line in done.stdout.splitlines() if line.count("|") == 2]
            found.append({"source": source, "test": test, "p": p_values, "seconds": time.perf_counter() - start})
    return found


def main():
    try:
        for each in words(sources()[sys.argv[1]]):
            sys.stdout.buffer.write(each)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read them has enough


if __name__ == "__main__":
    main()
