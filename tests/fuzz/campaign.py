"""A campaign of mutated inputs: every door of the package answers, or refuses in one clear line.

A case is the input of a door (`doors`) with some mutations: seed and number name it, so it can be run alone. What
fails is kept in `kept.txt`, which the tests replay.

    python -m tests.fuzz.campaign --cases 20000 --seed 1        # a campaign
    python -m tests.fuzz.campaign --seed 1 --case 1234          # one case of it
    python -m tests.fuzz.campaign --seed 1 --doors army         # one family of doors
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.judgement import judged, wrong_with
from tests.fuzz.mutations import case
from tests.fuzz.odd import Odd

KEPT = Path(__file__).with_name("kept.txt")
EVERY = 30  # seconds, how a campaign stands is told


def _kind(wrong):
    """Where and how something failed, whatever the value."""
    head, _, where = wrong.rpartition(" at ")
    return (head.partition(":")[0][:40], where)


def kept():
    """The cases that failed once, as (door, input)."""
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    return [eval(line, {"Odd": Odd}) for line in lines if line and not line.startswith("#")]


def keep(door, given, wrong):
    line = repr((door, given))
    if line not in (KEPT.read_text(encoding="utf-8") if KEPT.exists() else ""):
        with KEPT.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"# {ascii(wrong)[1:-1]}\n{(door, given)!a}\n")


def campaign(seed, first, cases, tell=lambda _: None, doors=""):
    """Run so many cases: what failed, {kind: (number, door, input, what is wrong)}, and how many ended how."""
    found, counts, told = {}, Counter(), time.monotonic()
    for number in range(first, first + cases):
        if time.monotonic() - told > EVERY:
            told = time.monotonic()
            tell(f"{number - first} of {cases} cases, {len(found)} kinds of failure")
        door, given = case(seed, number, doors)
        result = judged(door, given)
        counts[f"{door}: {'answered' if result.refusal is None else 'refused'}"] += 1
        wrong = result.wrong
        if wrong is not None and (door, *_kind(wrong)) not in found:
            found[door, *_kind(wrong)] = (number, door, given, wrong)
            tell(f"case {number}, {door}: {wrong}")
    return found, counts


def _tell(line):
    print(ascii(line)[1:-1], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="Number of the first case.")
    parser.add_argument("--case", type=int, help="Run this one alone, and show it.")
    parser.add_argument("--doors", default="", help="Only doors whose names begin so, such as 'army'.")
    parser.add_argument("--keep", action="store_true", help=f"Add the failing cases to {KEPT.name}.")
    options = parser.parse_args()
    if options.case is not None:
        door, given = case(options.seed, options.case, options.doors)
        print(door, ascii(given), wrong_with(door, given) or "as it should be", sep="\n")
        return 0
    begun = time.monotonic()
    found, counts = campaign(options.seed, options.first, options.cases, _tell, options.doors)
    print(f"{options.cases} cases of seed {options.seed} in {time.monotonic() - begun:.0f} s:")
    print(*(f"{how} {count}" for how, count in sorted(counts.items())), sep="\n")
    for number, door, given, wrong in found.values():
        print(f"\ncase {number}, {door}: {ascii(wrong)[1:-1]}\n  {ascii(given)[:2000]}")
        if options.keep:
            keep(door, given, wrong)
    print(f"{len(found)} kinds of failure" if found else "nothing failed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
