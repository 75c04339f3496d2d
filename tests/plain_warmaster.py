"""A slow, plain reading of confusion in Warmaster (WM-1 to WM-8), for the tests to compare the engines with.

Written from the numbered rules and `docs/rulings.md` alone; it shares nothing with the package. Every face of every
drive-back die is enumerated; a unit that tests with n dice is spared with probability (5/6)**n.
"""

from fractions import Fraction
from itertools import product
from typing import NamedTuple

SIXTH = Fraction(1, 6)


class Mover(NamedTuple):
    """The unit so far; distances in centimetres."""

    moved: Fraction
    confused: bool
    friends: int = 0
    stands: int = 3
    at: str = "open ground"


def column(number):
    """A chain of friends one behind the other, as nested lists."""
    return [column(number - 1)] if number else []


def tests_of(chain):
    """The tests of a friend that makes way and of all behind it: one for itself and one for each that it pushes."""
    return [1 + len(chain), *(tests for behind in chain for tests in tests_of(behind))]


def lengths(question):
    """Each distance and whether a drive-back die shows 6, with its probability (WM-1)."""
    if question["move"] == "driven_back":
        for faces in product(range(1, 7), repeat=question["dice"]):
            yield sum(faces), 6 in faces, SIXTH ** len(faces)
    else:
        for distance, chance in question["distance"].items():
            yield distance, False, chance


def law(question, choice):
    """The joint law of :class:`Mover` at the end; `choice`: "always", "never" or "fewest"."""
    obstacles = sorted(question["obstacles"], key=halt)
    starts, found = {}, {}
    for distance, six, chance in lengths(question):
        starts[distance, six] = starts.get((distance, six), 0) + chance
    for (distance, six), chance in starts.items():
        start = Mover(Fraction(distance), six)
        into = [each for each in obstacles if distance > halt(each)]
        for end, share in ends(question["move"], start, into, choice):
            found[end] = found.get(end, 0) + chance * share
    return found


def halt(obstacle):
    """Where a unit stops that goes into it: 1 cm away from enemies and combats (WM-3), else on contact."""
    distance = Fraction(str(obstacle["distance"]))
    return max(distance - 1, Fraction(0)) if obstacle["kind"] in ("enemy", "combat") else distance


def ends(move, unit, into, choice):
    """Every way in which the rest of the move can go."""
    if not into:
        return [(unit, Fraction(1))]
    met, rest = into[0], into[1:]
    kind, stop = met["kind"], unit._replace(moved=halt(met), at=met["kind"])
    if kind == "friend" and move == "evades":
        return ends(move, unit._replace(friends=unit.friends + 1), rest, choice)
    if kind == "friend":
        pushed, refused = make_way(move, unit, met, rest, choice), halts(move, unit, stop, met, rest, choice)
        if choice != "fewest":
            return pushed if choice == "always" else refused
        return min((pushed, refused), key=units_confused)
    return halts(move, unit, stop, met, rest, choice)


def halts(move, unit, stop, met, rest, choice):
    """What does not yield: stands destroyed (WM-8), a test (WM-2), or confusion without one (WM-3, WM-4)."""
    if move == "retreats":
        left = max(unit.stands - met.get("stands", unit.stands), 0)
        if left == 0:
            return [(stop._replace(stands=0), Fraction(1))]
        return ends(move, unit._replace(stands=left), rest, choice)
    if met["kind"] == "impassable":
        return [(stop._replace(confused=True), SIXTH), (stop, 1 - SIXTH)]
    return [(stop._replace(confused=True), Fraction(1))]


def make_way(move, unit, met, rest, choice):
    """The friend and all behind it test, and the mover for the friend (WM-4)."""
    spared = [(1 - SIXTH) ** tests for tests in tests_of(met.get("chain", []))]
    units = {}
    for failed in product((0, 1), repeat=len(spared) + 1):
        share = SIXTH if failed[0] else 1 - SIXTH
        for fails, chance in zip(failed[1:], spared):
            share *= 1 - chance if fails else chance
        after = unit._replace(confused=unit.confused or bool(failed[0]), friends=unit.friends + sum(failed[1:]))
        units[after] = units.get(after, 0) + share
    return [(end, share * more) for after, share in units.items() for end, more in ends(move, after, rest, choice)]


def units_confused(law_of_ends):
    """The mean number of units confused."""
    return sum(share * (end.confused + end.friends) for end, share in law_of_ends)
