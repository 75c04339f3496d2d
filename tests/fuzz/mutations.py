"""Mutated inputs: those that doors start from, with odd and plain values, pieces of text and bytes put in."""

import copy
import math
import random
import re

from tests.fuzz.doors import DOORS
from tests.fuzz.odd import ODD, Odd, at, places


def words(text, between=None):
    return text.split(between)


INTEGERS = (-1, 0, 1, 2, 7, 12, 13, 99, 1000, 1001, 99_999, 2**31, 2**63 - 1, 2**63, -(2**63))
FLOATS = (0.5, -0.5, 1e-9, 1e-320, 1e308, -1e308, 3.999, 0.1 + 0.2)
WORDS = ("", " ", "\r\n", *words("0 1 none nan 1e999 - . .. / a/b con 🎲 𝟛 ٣ ² Ⅷ ß"))
CONTROLS = ("a\x00b", "\x1b[31mred\x1b[0m", "\u202eabc", "\ufeff", "\x9b2J")
RULES = words("Sponsons (99999),Capacity (99999),Veteran (0),Arc (x),Throw (1001),Tail Gunner (5),Durabel", ",")
TABLES = ([], {}, [[]], [None], {"": None}, {"0": 1.0}, {"1": 0.5, "2": 0.5}, {"1": -1, "2": 2}, [1, 2, 3])
PLAIN = (None, True, False, *INTEGERS, *FLOATS, *WORDS, *CONTROLS, *RULES, *TABLES)
TOKENS = (
    *b"nan inf -1 0 1e400 99999 \x00 \xff \x1b[2J ''' \" = / .. true 1979-05-27 07:32:00 ]]> &lol; &#x1b; &#0;".split(),
    *(b'"\\u001b[31m"', b'"\\u202e"', b'"\\ud800"', b"\n", b"[[a]]\n", b"[a.b.c]\n", b"<!DOCTYPE a>", b"&#155;"),
    *(b"9" * 40, b"9" * 5000, b"[" * 200, b"{a=" * 60, b"x" * 2500, b"<a>" * 150),
)
MARKS = (
    *("", " ", "\n", "\x1b[2J", "\u202e", "\x00", *words(", = : [ ] { } @ / * ? - ( ) ' \" # % 9 nan é -- ==")),
    *("9" * 30, "9" * 5000, "z" * 3000, "[" * 300),
)


def mutated(given, rng):
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
    odd = (*map(Odd, ("nan", "tuple", "long text", "thousands of digits")), 1, None, True, "", "a.b", "\x1b[2J", "٣")
    if isinstance(key, str) and rng.random() < 0.5:
        others = words("rules unit models row rows charge duel dice ruleset capacity passengers")
        return rng.choice((f"{key}x", key[1:], key.upper(), *others))
    return rng.choice(odd)


def _near(value, rng):
    if isinstance(value, bool):
        return rng.choice((not value, int(value), str(value)))
    if isinstance(value, int | float):
        ways = (value + 1, value - 1, -value, value * 10, value * 1000, value / 3, float(value), str(value))
        return rng.choice(ways) if math.isfinite(value) and abs(value) < 1e100 else 1
    if isinstance(value, str):
        return _text(value, rng)
    if isinstance(value, list):
        return rng.choice(([], value * 2, value[:1], value * 40, list(reversed(value))))
    return rng.choice(({}, [], list(value) if isinstance(value, dict) else None))


def _text(text, rng):
    place = rng.randrange(len(text) + 1)
    mark = rng.choice(MARKS)
    key = rng.choice(("models", "rules", "damage", "row", "aiming"))
    ways = [
        text[:place] + mark + text[place:],
        text[:place] + text[place + 1 :],
        text[:place],
        text[place:],
        text.upper(),
    ]
    ways += [text * 2, text + mark, f"{text} (99999)", f"{text}({'9' * 4400})", f"{text},{key}={mark}"]
    return rng.choice(ways)


def _bytes(data, rng):
    """A file with some of its bytes changed, or one word of it changed for another."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        place = rng.randrange(len(data) + 1)
        end = min(len(data), place + rng.choice((1, 1, 4, 30, 300)))
        has_words = any(
            word in data for word in (b" = ", b'"', b"[", b"<", b">", b"name", b"models", b"dice", b"value")
        )
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
        elif has_words:
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
    ways = (rng.choice(TOKENS), inside * 2, inside * 600, b"-" + inside, inside + b"0000", b"", inside[:-1], b"1.5")
    new = rng.choice(ways)
    return data[: spot.start()] + (b'"' + new.replace(b'"', b"") + b'"' if quoted else new) + data[spot.end() :]


def case(seed, number, doors=""):
    """The door and the input of one case; `doors`: the first letters of those that are tried."""
    rng = random.Random(f"{seed}/{number}")
    door = rng.choice([each for each in DOORS if each.startswith(doors)])
    given = copy.deepcopy(rng.choice(DOORS[door][1]))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        mutated(given, rng)
    return door, given
