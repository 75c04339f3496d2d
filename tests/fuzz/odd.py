"""What mutated inputs hold that no file does, or that is too large to write down; and every place in an input."""

import math
from pathlib import Path

import numpy as np


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
    for key in path:
        value = value[key]
    return value
