"""The key of all that is kept and resumed: a digest of what it is made from and of the program that made it."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analyser.common.text import json_text

_PACKAGE = Path(__file__).parents[1]
_SOURCES = (".py", ".jinja", ".js", ".css")
_LIBRARIES = ("numba", "numpy", "scipy", "pandas", "pyarrow", "matplotlib", "pillow", "choix")  # can change bytes
_DIGITS = 24  # hexadecimal: no two will ever be the same by chance


@lru_cache(maxsize=1)
def program() -> str:
    """Return a digest of every source file of this package and of the versions of the libraries it computes with."""
    libraries = {name: version(name) for name in _LIBRARIES}
    paths = sorted(path for path in _PACKAGE.rglob("*") if path.suffix in _SOURCES)
    sources = {path.relative_to(_PACKAGE).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    return _digest([libraries, sources])


def key_of(*content: Any) -> str:
    """Return a key of plain data: another one for other data, and by another version of the program.

    >>> key_of("crown", 500) == key_of("crown", 500) != key_of("crown", 501)
    True
    """
    return _digest([program(), content])


def _digest(data: Any) -> str:
    text = json_text(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
