"""Measure, and write the results and `docs/performance.md`; ``--only PART`` measures one part again."""

import argparse
import json
import sys
import time
from pathlib import Path

from benchmarks import attacks, battles, best_play, commands, duels, exact, morale, prices, searches, sweeps
from benchmarks.figures import Figure, table
from benchmarks.machine import machine, versions

ROOT = Path(__file__).parent.parent
LATEST = ROOT / "benchmarks" / "results" / "latest.json"
PAGE = ROOT / "docs" / "performance.md"
MODULES = (attacks, exact, duels, battles, morale, best_play, prices, searches, sweeps, commands)
PARTS = {module.__name__.rsplit(".", 1)[-1]: module for module in MODULES}
HEAD = """# Performance

<!-- Written by `make bench`; change benchmarks, not this file. -->

One machine: {processor}, {processors} processors, {system}, {vectors}. {versions}.

A figure is the median over the rounds, and a ratio the median of the ratios within the rounds. Candidates take
turns in a rotating order, after one untimed run each. NO marks a goal that is not reached; results do not depend on it.
Every baseline is checked against the exact distribution in `tests/benchmarks`.
"""


def measure(chosen):
    """The results, on top of those of parts that are not measured again; written after each part."""
    results = json.loads(LATEST.read_text()) if LATEST.exists() else {"parts": {}}
    results |= {"machine": machine(), "versions": versions()}
    for name in chosen:
        start = time.perf_counter()
        results["parts"][name] = PARTS[name].figures()
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
        LATEST.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return json.loads(LATEST.read_text())


def page(results):
    """`docs/performance.md`; every number in it comes from the results."""
    head = HEAD.format(
        **results["machine"],
        versions=", ".join(f"{name} {version}" for name, version in results["versions"].items()),
    )
    return head + "".join(section(PARTS[name], results["parts"][name]) for name in PARTS if name in results["parts"])


def section(module, rows):
    figures = [Figure(*row) for row in rows]
    return f"\n## {module.TITLE}\n\n{module.TEXT}\n\n{table(figures)}\n"


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, help="measure this part alone; may be repeated")
    chosen = parser.parse_args().only or list(PARTS)
    written = page(measure(chosen))
    PAGE.write_text(written, encoding="utf-8")
    print(written)


if __name__ == "__main__":
    main()
