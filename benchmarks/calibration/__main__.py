"""Sample, test the words, and write the page: ``make calibration``; ``--quick`` shows that all of it works."""

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks.calibration import coverage, page, streams
from benchmarks.calibration.campaign import SEEDS, campaign

ROOT = Path(__file__).parent.parent.parent
LATEST = ROOT / "benchmarks" / "results" / "calibration.json"
PAGE = ROOT / "docs" / "calibration.md"
PICTURE = ROOT / "docs" / "images" / "calibration.png"
QUICK_SEEDS = 50


def measure(seeds, processes=1, tests=tuple(streams.TESTS)):
    """Everything that the page is written from."""
    results = campaign(seeds, processes)
    results |= {"by_expected": coverage.by_expected(), "small": coverage.of_small_samples()}
    results |= {"law_trials": coverage.TRIALS, "streams": streams.battery(tests)}
    if not results["streams"]:
        print("dieharder is not installed: the random words are not tested", file=sys.stderr)
    return results | {"date": datetime.now(UTC).date().isoformat(), "version": version("analyser")}


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few samples of each kind; the page is printed")
    parser.add_argument("--fights", type=int, help="samples of every kind but attacks; default: 100,000")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    start = time.perf_counter()
    if given.quick:
        print(page.page(measure(dict.fromkeys(SEEDS, QUICK_SEEDS), given.processes, streams.FEW_TESTS)))
    else:
        fights = {} if given.fights is None else dict.fromkeys(set(SEEDS) - {"attack"}, given.fights)
        results = measure(SEEDS | fights, given.processes)
        LATEST.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page.page(results), encoding="utf-8")
        page.picture(results, PICTURE)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
