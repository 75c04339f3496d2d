"""Sample, race, test the words, and write the page: ``make calibration``; ``--quick`` shows that all of it works."""

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks.calibration import coverage, page, races, streams
from benchmarks.calibration.campaign import SEEDS, campaign

ROOT = Path(__file__).parent.parent.parent
LATEST = ROOT / "benchmarks" / "results" / "calibration.json"
PAGE = ROOT / "docs" / "calibration.md"
PICTURE = ROOT / "docs" / "images" / "calibration.png"
QUICK_SEEDS = 50
QUICK_RACES = 20
PARTS = (*SEEDS, "laws", "races", "words")


def measure(seeds, processes=1, tests=tuple(streams.TESTS), raced=races.RACES, laws=True, before=None):
    """Everything that the page is written from; what is not asked for is as it was `before`."""
    before = before or {}
    results = {**before, **campaign(seeds, processes)}
    kinds = before.get("kinds", {}) | results["kinds"]
    results["kinds"] = {kind: kinds[kind] for kind in SEEDS if kind in kinds}
    if laws:
        results |= {"by_expected": coverage.by_expected(), "small": coverage.of_small_samples()}
    results |= {"law_trials": coverage.TRIALS, "streams": streams.battery(tests) if tests else results["streams"]}
    results["races"] = races.races(raced) if raced else results["races"]
    if not results["streams"]:
        print("dieharder is not installed: the random words are not tested", file=sys.stderr)
    return results | {"date": datetime.now(UTC).date().isoformat(), "version": version("analyser")}


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few samples of each kind; the page is printed")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, metavar="PART", help=f"the others as they were: {', '.join(PARTS)}"
    )
    parser.add_argument("--samples", type=int, default=max(SEEDS.values()), help="of a kind at most; default: 100,000")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    start = time.perf_counter()
    if given.quick:
        print(page.page(measure(dict.fromkeys(SEEDS, QUICK_SEEDS), given.processes, streams.FEW_TESTS, QUICK_RACES)))
    else:
        before = json.loads(LATEST.read_text(encoding="utf-8")) if given.only else None
        asked = given.only or PARTS
        seeds = {kind: min(number, given.samples) for kind, number in SEEDS.items() if kind in asked}
        tests, raced = streams.TESTS if "words" in asked else (), races.RACES if "races" in asked else 0
        results = measure(seeds, given.processes, tuple(tests), raced, "laws" in asked, before)
        LATEST.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page.page(results), encoding="utf-8")
        page.picture(results, PICTURE)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
