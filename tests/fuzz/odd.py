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


ODD = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "10**400": 10**400, "-10**400": -(10**400)}
ODD |= {"thousands of digits": 10**6000, "digits as text": "9" * 5000, "long text": "x" * 20_000}
ODD |= {"huge text": "y" * 200_000, "long list": [*range(20_000)], "wide table": {f"key {n}": n for n in range(5000)}}
ODD |= {
    "deep list": _deep(list),
    "deep table": _deep(dict),
    "cyclic list": _cyclic(list),
    "cyclic table": _cyclic(dict),
}
ODD |= {"set": {1, "a"}, "frozenset": frozenset({2}), "tuple": (1, 2), "bytes": b"\xff\x00abc", "object": object()}
ODD |= {"class": int, "function": len, "complex": 1 + 2j, "range": range(3), "numpy int": np.int64(3)}
ODD |= {"numpy float": np.float64(0.5), "numpy nan": np.float64("nan"), "numpy bool": np.bool_(True)}
ODD |= {"numpy array": np.arange(3), "surrogate": "\ud800", "path": Path("nowhere.toml")}


def realised(value):
    """An input as it is handed over: what is odd stands where its name stood."""
    if isinstance(value, Odd):
        return ODD[value.name]
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
