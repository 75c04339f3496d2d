"""A campaign of mutated inputs: every door of the package answers, or refuses in one clear line.

A case is the input of a door (`doors`) with some mutations: seed and number name it, so it can be run alone. What
fails is made as small as can be, and kept in `fuzz_kept.txt`, which the tests replay.

    python -m tests.fuzz.campaign --cases 20000 --seed 1        # a campaign
    python -m tests.fuzz.campaign --seed 1 --case 1234          # one case of it
    python -m tests.fuzz.campaign --seed 1 --doors army         # one family of doors
"""

import argparse
import copy
import json
import math
import random
import re
import signal
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from analyser.common.errors import InputError
from tests.fuzz.doors import DOORS, RefusedError

KEPT = Path(__file__).with_name("kept.txt")
LONGEST_MESSAGE = 1500
MOST_SECONDS = 30.0  # of processor time, once everything is compiled; far above what any case needs
HOPELESS = 600.0  # compiled or not
MOST_TRIES = 300  # to make a failing case smaller


class Odd:
    """Something that no file holds, or that is too large to write down, by its name."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Odd({self.name!r})"

    def __eq__(self, other):
        return isinstance(other, Odd) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __deepcopy__(self, memo):
        return self


def _deep(kind):
    value = kind()
    for _ in range(5000):
        value = [value] if kind is list else {"a": value}
    return value


def _cyclic(kind):
    value = kind()
    if kind is list:
        value.append(value)
    else:
        value["a"] = value
    return value


ODD = {
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "-inf": lambda: -math.inf,
    "10**400": lambda: 10**400,
    "-10**400": lambda: -(10**400),
    "thousands of digits": lambda: 10**6000,
    "digits as text": lambda: "9" * 5000,
    "long text": lambda: "x" * 20_000,
    "huge text": lambda: "y" * 200_000,
    "long list": lambda: list(range(20_000)),
    "wide table": lambda: {f"key {number}": number for number in range(5000)},
    "deep list": lambda: _deep(list),
    "deep table": lambda: _deep(dict),
    "cyclic list": lambda: _cyclic(list),
    "cyclic table": lambda: _cyclic(dict),
    "set": lambda: {1, "a"},
    "frozenset": lambda: frozenset({2}),
    "tuple": lambda: (1, 2),
    "bytes": lambda: b"\xff\x00abc",
    "object": object,
    "class": lambda: int,
    "function": lambda: len,
    "complex": lambda: 1 + 2j,
    "range": lambda: range(3),
    "numpy int": lambda: np.int64(3),
    "numpy float": lambda: np.float64(0.5),
    "numpy nan": lambda: np.float64("nan"),
    "numpy bool": lambda: np.bool_(True),
    "numpy array": lambda: np.arange(3),
    "surrogate": lambda: "\ud800",
    "path": lambda: Path("nowhere.toml"),
}
PLAIN = (
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    7,
    12,
    13,
    99,
    1000,
    1001,
    99_999,
    2**31,
    2**63 - 1,
    2**63,
    -(2**63),
    0.5,
    -0.5,
    1e-9,
    1e-320,
    1e308,
    -1e308,
    3.999,
    0.1 + 0.2,
    "",
    " ",
    "0",
    "1",
    "none",
    "nan",
    "1e999",
    "-",
    ".",
    "..",
    "/",
    "a/b",
    "a\x00b",
    "con",
    "\x1b[31mred\x1b[0m",
    "\r\n",
    "\u202eabc",
    "\ufeff",
    "\x9b2J",
    "🎲",
    "𝟛",
    "٣",
    "²",
    "Ⅷ",
    "ß",
    "Sponsons (99999)",
    "Capacity (99999)",
    "Veteran (0)",
    "Arc (x)",
    "Throw (1001)",
    "Tail Gunner (5)",
    "Run Amok",
    "Durabel",
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"0": 1.0},
    {"1": 0.5, "2": 0.5},
    {"1": -1, "2": 2},
    [1, 2, 3],
)
TOKENS = (
    b"nan",
    b"inf",
    b"-1",
    b"0",
    b"1e400",
    b"99999",
    b"9" * 40,
    b"9" * 5000,
    b"[" * 200,
    b"{a=" * 60,
    b"\x00",
    b"\xff",
    b"\x1b[2J",
    b'"\\u001b[31m"',
    b'"\\u202e"',
    b'"\\ud800"',
    b"'''",
    b'"',
    b"\n",
    b"=",
    b"[[a]]\n",
    b"[a.b.c]\n",
    b"x" * 2500,
    b"1979-05-27",
    b"07:32:00",
    b"true",
    b"<!DOCTYPE a>",
    b"&lol;",
    b"&#x1b;",
    b"&#0;",
    b"&#155;",
    b"<a>" * 150,
    b"]]>",
    b"/",
    b"..",
)

MARKS = (
    "",
    " ",
    ",",
    "=",
    ":",
    "[",
    "]",
    "{",
    "}",
    "@",
    "/",
    "*",
    "?",
    "\x1b[2J",
    "\u202e",
    "\x00",
    "\n",
    "9",
    "-",
    "(",
    ")",
    "9" * 30,
    "9" * 5000,
    "'",
    '"',
    "#",
    "%",
    "z" * 3000,
    "nan",
    "é",
    "[" * 300,
    "--",
    "==",
)


def realised(value):
    """An input as it is handed over: what is odd stands where its name stood."""
    if isinstance(value, Odd):
        return ODD[value.name]()
    if isinstance(value, dict):
        return {_hashable(realised(key)): realised(each) for key, each in value.items()}
    return [realised(each) for each in value] if isinstance(value, list) else value


def _hashable(key):
    try:
        hash(key)
    except TypeError:
        return repr(type(key))
    return key


def places(value, path=()):
    """Every place in an input: the path to it."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield (*path, key)
            yield from places(value[key], (*path, key))


def at(value, path):
    """What stands at a path."""
    for key in path:
        value = value[key]
    return value


# --- mutations ------------------------------------------------------------------------------------


def mutated(given, rng):
    """An input with one change somewhere inside."""
    paths = list(places(given))
    inner = [path for path in paths if len(path) > 1 or not isinstance(at(given, path), dict)]
    paths = inner if inner and rng.random() < 0.97 else paths
    if not paths:
        return
    path = rng.choice(paths)
    inside, key, value = at(given, path[:-1]), path[-1], at(given, path)
    if isinstance(value, bytes):
        inside[key] = _bytes(value, rng)
        return
    first_step = len(path) == 1
    change = rng.choice(("odd", "plain", "plain", "near", "near", "delete", "double", "rename", "swap", "wrap"))
    if change == "odd":
        inside[key] = Odd(rng.choice(list(ODD)))
    elif change == "plain":
        inside[key] = copy.deepcopy(rng.choice(PLAIN))
    elif change == "near":
        inside[key] = _near(value, rng)
    elif change == "wrap":
        inside[key] = rng.choice(([value], {"a": value}, [value, copy.deepcopy(value)], {"unit": value}))
    elif change == "swap":
        other = rng.choice(paths)
        inside[key] = copy.deepcopy(at(given, other))
    elif first_step:
        return
    elif change == "delete":
        del inside[key]
    elif isinstance(inside, list):
        inside.insert(rng.randrange(len(inside) + 1), copy.deepcopy(value))
        if change == "rename":
            rng.shuffle(inside)
    else:
        inside[_key(key, rng)] = copy.deepcopy(value)
        if change == "rename":
            del inside[key]


def _key(key, rng):
    odd = (
        Odd("nan"),
        Odd("tuple"),
        Odd("long text"),
        Odd("thousands of digits"),
        1,
        None,
        True,
        "",
        "a.b",
        "\x1b[2J",
        "٣",
    )
    if isinstance(key, str) and rng.random() < 0.5:
        others = (
            "rules",
            "unit",
            "models",
            "row",
            "rows",
            "charge",
            "duel",
            "dice",
            "ruleset",
            "capacity",
            "passengers",
        )
        return rng.choice((f"{key}x", key[1:], key.upper(), *others))
    return rng.choice(odd)


def _near(value, rng):
    """Something like a value."""
    if isinstance(value, bool):
        return rng.choice((not value, int(value), str(value)))
    if isinstance(value, int | float):
        ways = (
            value + 1,
            value - 1,
            -value,
            value * 10,
            value * 1000,
            value / 3,
            float(value),
            str(value),
            value + 0.01,
        )
        return rng.choice(ways) if math.isfinite(value) and abs(value) < 1e100 else 1
    if isinstance(value, str):
        return _text(value, rng)
    if isinstance(value, list):
        return rng.choice(([], value * 2, value[:1], value * 40, list(reversed(value))))
    return rng.choice(({}, [], list(value) if isinstance(value, dict) else None))


def _text(text, rng):
    place = rng.randrange(len(text) + 1)
    mark = rng.choice(MARKS)
    return rng.choice(
        (
            text[:place] + mark + text[place:],
            text[:place] + text[place + 1 :],
            text[:place],
            text[place:],
            text.upper(),
            text * 2,
            text + mark,
            f"{text} (99999)",
            f"{text}({'9' * 4400})",
            f"{text},{rng.choice(('models', 'rules', 'damage', 'row', 'aiming'))}={mark}",
        )
    )


def _bytes(data, rng):
    """A file with some of its bytes changed, or one word of it changed for another."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        place = rng.randrange(len(data) + 1)
        end = min(len(data), place + rng.choice((1, 1, 4, 30, 300)))
        words = [
            word for word in (b" = ", b'"', b"[", b"<", b">", b"name", b"models", b"dice", b"value") if word in data
        ]
        change = rng.choice(("flip", "cut", "insert", "double", "token", "value", "value", "short"))
        if change == "flip" and data:
            place = min(place, len(data) - 1)
            data = data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]
        elif change == "cut":
            data = data[:place] + data[end:]
        elif change == "insert":
            data = data[:place] + bytes(rng.randrange(256) for _ in range(rng.choice((1, 3, 20)))) + data[place:]
        elif change == "double":
            data = data[:end] + data[place:]
        elif change == "token":
            data = data[:place] + rng.choice(TOKENS) + data[place:]
        elif change == "short":
            data = data[:place] if rng.random() < 0.2 else data
        elif words:
            data = _value_changed(data, rng)
    return data


def _value_changed(data, rng):
    """One number or quoted text of a file replaced."""
    found = list(re.finditer(rb'"[^"\n]*"|(?<=>)[^<>]+(?=<)|-?\d+(\.\d+)?|true|false', data))
    if not found:
        return data
    spot = rng.choice(found)
    old = spot[0]
    quoted = old.startswith(b'"')
    inside = old[1:-1] if quoted else old
    new = rng.choice(
        (rng.choice(TOKENS), inside * 2, inside * 600, b"-" + inside, inside + b"0000", b"", inside[:-1], b"1.5")
    )
    return data[: spot.start()] + (b'"' + new.replace(b'"', b"") + b'"' if quoted else new) + data[spot.end() :]


def case(seed, number, doors=""):
    """The door and the input of one case; `doors`: the first letters of those that are tried."""
    rng = random.Random(f"{seed}/{number}")
    door = rng.choice([each for each in DOORS if each.startswith(doors)])
    given = copy.deepcopy(rng.choice(DOORS[door][1]))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        mutated(given, rng)
    return door, given


# --- judgement ------------------------------------------------------------------------------------


class TooLong(BaseException):
    """A case takes longer than it may."""


@contextmanager
def time_limit():
    """Stop what takes too long, and judge what did."""

    def stop(*_):
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, HOPELESS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


_HALF_WRITTEN = re.compile(r"\..*-\w{8}(\..*)?")  # as temporary files beside their place are called


def wrong_with(door, given):
    """What is wrong with the answer to an input, in a line; None if nothing is.

    What takes long is asked a second time: the first may have compiled what nobody had needed before.
    """
    for _ in range(2):
        begun = time.process_time()
        wrong = _wrong_with(door, given)
        if wrong is not None or time.process_time() - begun < MOST_SECONDS:
            return wrong
    return f"takes more than {MOST_SECONDS:g} seconds"


def _wrong_with(door, given):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            handed = realised(given)
            with time_limit():
                answer = DOORS[door][0](handed, folder)
        except (InputError, RefusedError) as error:
            wrong = wrong_with_message(str(error))
        except TooLong:
            wrong = f"takes more than {HOPELESS:g} seconds"
        except RecursionError as error:
            wrong = f"RecursionError at {_where(error)}"
        except AssertionError as error:
            wrong = f"{str(error)[:200]} at {_where(error)}"
        except Exception as error:
            wrong = f"{type(error).__name__}: {str(error)[:200]!r} at {_where(error)}"
        else:
            wrong = wrong_with_answer(answer)
        left = [each.name for each in folder.rglob(".*") if _HALF_WRITTEN.fullmatch(each.name)]
        return wrong or (f"left behind: {left}" if left else None)


def _where(error):
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if "/analyser/" in each.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].name}"


def wrong_with_message(message):
    """What is wrong with a message."""
    if not message.isprintable():
        return f"unprintable message: {message[:100]!r}"
    if len(message) > LONGEST_MESSAGE:
        return f"a message of more than {LONGEST_MESSAGE} characters: {message[:60]!r}"
    return "an empty message" if not message.strip() else None


def wrong_with_answer(answer):
    """What is wrong with an answer: a figure that is none, a probability outside 0 to 1."""
    try:
        json.dumps(answer, allow_nan=False)
    except (TypeError, ValueError) as error:
        return f"no JSON: {error}"
    return next(_impossible(answer, ""), None)


def _impossible(value, name):
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in ("scenario", "question"):
                yield from _impossible(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from _impossible(each, name)
    elif isinstance(value, str):
        if not value.replace("\n", "").isprintable():
            yield f"unprintable text in an answer: {name} {value[:100]!r}"
        elif len(value) > LONGEST_MESSAGE and name == "warnings":
            yield f"a long warning: {value[:60]!r}"
    elif isinstance(value, int | float) and _is_probability(name) and not -1e-12 <= value <= 1 + 1e-12:
        yield f"{name} = {value}"


def _is_probability(name):
    return (name.startswith("p_") and "per_100" not in name) or name in ("probability", "low", "high", "chance")


# --- making a failing case small ------------------------------------------------------------------


def minimised(door, given, wrong):
    """The smallest input found that fails alike."""
    tries = 0

    def fails(tried):
        nonlocal tries
        tries += 1
        found = wrong_with(door, tried)
        return found is not None and _kind(found) == _kind(wrong)

    smaller = True
    while smaller and tries < MOST_TRIES:
        smaller = False
        for tried in _smaller(given):
            if tries >= MOST_TRIES:
                break
            if fails(tried):
                given, smaller = tried, True
                break
    return given


def _kind(wrong):
    """Where and how something failed, whatever the value."""
    head, _, where = wrong.rpartition(" at ")
    return (head.partition(":")[0][:40], where)


def _smaller(given):
    """The same input with something less in it, the largest parts first."""
    paths = sorted(places(given), key=len)
    for path in paths:
        if len(path) > 1:
            tried = copy.deepcopy(given)
            inside = at(tried, path[:-1])
            del inside[path[-1]]
            yield tried
    for path in paths:
        value = at(given, path)
        if isinstance(value, str | bytes) and len(value) > 1:
            half = len(value) // 2
            for part in (value[:half], value[half:], value[: 7 * len(value) // 8], value[len(value) // 8 :]):
                tried = copy.deepcopy(given)
                at(tried, path[:-1])[path[-1]] = part
                yield tried


# --- kept cases, and the campaign -----------------------------------------------------------------


def kept():
    """The cases that failed once, as (door, input)."""
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    return [eval(line, {"Odd": Odd}) for line in lines if line and not line.startswith("#")]


def keep(door, given, wrong):
    """Add a case to those that are replayed."""
    line = repr((door, given))
    if line not in (KEPT.read_text(encoding="utf-8") if KEPT.exists() else ""):
        with KEPT.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"# {ascii(wrong)[1:-1]}\n{(door, given)!a}\n")


def campaign(seed, first, cases, tell=lambda _: None, doors=""):
    """Run so many cases; what failed, by kind, as {kind: (number, door, input, what is wrong)}."""
    found, counts = {}, dict.fromkeys(DOORS, 0)
    for number in range(first, first + cases):
        door, given = case(seed, number, doors)
        counts[door] += 1
        wrong = wrong_with(door, given)
        if wrong is not None and (door, *_kind(wrong)) not in found:
            found[door, *_kind(wrong)] = (number, door, given, wrong)
            tell(f"case {number}, {door}: {wrong}")
    return found, counts


def _tell(line):
    print(ascii(line)[1:-1], flush=True)


def main():
    """The campaign that `make fuzz` runs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="Number of the first case.")
    parser.add_argument("--case", type=int, help="Run this one alone, and show it.")
    parser.add_argument("--doors", default="", help="Only doors whose names begin so, such as 'army'.")
    parser.add_argument("--keep", action="store_true", help=f"Add the minimal failing cases to {KEPT.name}.")
    options = parser.parse_args()
    if options.case is not None:
        door, given = case(options.seed, options.case, options.doors)
        print(door, ascii(given), wrong_with(door, given) or "as it should be", sep="\n")
        return 0
    begun = time.monotonic()
    found, counts = campaign(
        options.seed, options.first, options.cases, lambda line: print(ascii(line)[1:-1], flush=True), options.doors
    )
    print(
        f"{options.cases} cases of seed {options.seed} in {time.monotonic() - begun:.0f} s:",
        ", ".join(f"{door} {count}" for door, count in counts.items()),
    )
    for number, door, given, wrong in found.values():
        small = minimised(door, given, wrong)
        print(f"\ncase {number}, {door}: {ascii(wrong)[1:-1]}\n  {ascii(small)[:2000]}")
        if options.keep:
            keep(door, small, wrong)
    print(f"{len(found)} kinds of failure" if found else "nothing failed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
