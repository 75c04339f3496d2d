"""Measure, print the tables, write the JSON; ``--write-docs`` writes the page and the pictures from it."""

import argparse
import json
import sys
import time
from pathlib import Path

from benchmarks import (
    asking,
    battles,
    best_play,
    document,
    exact,
    first_answers,
    longer_fights,
    montecarlo,
    morale,
    plots,
    processes,
    statistics,
    stores,
    tables,
    verdict,
)
from benchmarks.machine import machine, versions
from benchmarks.targets import targets

ROOT = Path(__file__).parent.parent
LATEST = ROOT / "benchmarks" / "results" / "latest.json"
PAGE = ROOT / "docs" / "performance.md"
IMAGES = ROOT / "docs" / "images"
TRIALS_IN_MEMORY = [10**7, 10**9]
MANY_TRIALS = 10**10


def parts(arguments):
    """What is measured, in order: key of the results, and how."""
    memory = [*TRIALS_IN_MEMORY, *([MANY_TRIALS] if arguments.long else [])]
    return {
        "designs": montecarlo.designs,
        "ladder": montecarlo.ladder,
        "variants": montecarlo.variants,
        "exact": exact.calls,
        "sweeps": exact.sweeps,
        "factions": exact.factions,
        "longer_fights": longer_fights.longer_fights,
        "battles": battles.battles,
        "best_play": best_play.best_play,
        "verdict": verdict.verdict,
        "stores": stores.stores,
        "asking": asking.asking,
        "morale": morale.questions,
        "first_answers": lambda: first_answers.first_answers(5 if arguments.long else 3),
        "memory": lambda: processes.memory(memory),
        "processors": processes.processors,
    }


def measure(arguments):
    """The results, on top of those of parts that are not measured again; written after each part."""
    results = json.loads(LATEST.read_text()) if LATEST.exists() else {}
    results |= {"machine": machine(), "versions": versions()}
    results.pop("targets", None)
    chosen = {"statistics": statistics.statistics} if arguments.statistics else parts(arguments)
    for name, part in chosen.items():
        if arguments.only and name not in arguments.only:
            continue
        start = time.perf_counter()
        results[name] = part()
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
        write(LATEST, json.dumps(results, indent=1) + "\n")
    results["targets"] = targets(results)
    return results


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def options():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", metavar="PART", help="measure this part alone; may be repeated")
    parser.add_argument("--long", action="store_true", help="also 10^10 attacks in one call, and more first answers")
    parser.add_argument("--statistics", action="store_true", help="test the random numbers instead of timing")
    parser.add_argument("--write-docs", action="store_true", help="write docs/performance.md from the latest results")
    return parser.parse_args()


def main():
    arguments = options()
    if arguments.write_docs:
        results = json.loads(LATEST.read_text())
        write(PAGE, document.page(results))
        plots.save(results["ladder"], IMAGES)
        return
    results = measure(arguments)
    write(LATEST, json.dumps(results, indent=1) + "\n")
    print(tables.every_table(results))


if __name__ == "__main__":
    main()
