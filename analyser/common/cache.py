"""Cache of results on disk; after a change of the inputs or of the program, a result is stored in another file.

The name of a file has a digest of all inputs of the result, and :func:`program_digest`. A file is written whole or
not at all; a damaged file is ignored and written again. ``ANALYSER_CACHE=no`` switches the cache off.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analyser.common.errors import InputError
from analyser.common.files import write_content
from analyser.common.kernel_cache import folder_for
from analyser.common.text import json_text

SWITCH = "ANALYSER_CACHE"  # environment variable
MOST_BYTES = 300_000_000  # of all files together
_PACKAGE = Path(__file__).parents[1]
_SOURCES = (".py", ".jinja", ".js", ".css")
_LIBRARIES = ("numba", "numpy", "scipy", "pandas", "pyarrow", "matplotlib", "pillow", "choix")  # can change results
_DIGITS = 24  # hexadecimal digits of a digest, enough to exclude collisions
_CHECKSUM = 32  # bytes of a checksum


class Cache:
    """Stored results of one kind, such as fights, by key.

    >>> Cache("fights").read("no such key") is None
    True
    """

    def __init__(self, kind: str) -> None:
        is_on = os.environ.get(SWITCH, "yes").lower() not in ("no", "0", "off", "false")
        self._folder = folder_for(Path(__file__)) if is_on else None
        self._kind = kind

    @property
    def is_on(self) -> bool:
        """True if the cache is not switched off and has a folder to write to."""
        return self._folder is not None

    def read(self, key: str) -> bytes | None:
        """Return a stored result; None if it is missing or damaged."""
        if (path := self._path(key)) is None:
            return None
        with suppress(OSError):
            status = path.stat()
            return _content(path, status.st_mtime_ns, status.st_size)
        return None

    def write(self, key: str, content: bytes) -> None:
        """Store a result if possible; delete results of other versions and, in a full cache, the oldest results."""
        if (path := self._path(key)) is None:
            return
        with suppress(InputError):  # the folder is no longer writable, or the disk is full
            write_content(path, hashlib.sha256(content).digest() + content)
            _delete_old(path)

    def _path(self, key: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{self._kind}-{key}-{program_digest()}.part"


@lru_cache(maxsize=4)  # a question reads the same few results several times
def _content(path: Path, *_: int) -> bytes | None:
    """Return the content of a file; None if damaged. Time and size are arguments, so a changed file is read again."""
    stored = path.read_bytes()
    checksum, content = stored[:_CHECKSUM], stored[_CHECKSUM:]
    return content if hashlib.sha256(content).digest() == checksum else None


def _delete_old(written: Path) -> None:
    """Delete results of other versions, then the oldest results while the cache is too large."""
    files = []
    for path in written.parent.glob("*.part"):
        with suppress(OSError):  # deleted meanwhile
            files.append((path.stat().st_mtime, path.stat().st_size, path))
    bytes_left = MOST_BYTES
    for _, size, path in sorted(files, reverse=True):
        bytes_left -= size
        if path != written and (bytes_left < 0 or not path.stem.endswith(program_digest())):
            with suppress(OSError):  # deleted meanwhile, or by another user
                path.unlink()


@lru_cache(maxsize=1)
def program_digest() -> str:
    """Return a digest of all source files of this package and of the versions of its numerical libraries."""
    libraries = {name: version(name) for name in _LIBRARIES}
    paths = sorted(path for path in _PACKAGE.rglob("*") if path.suffix in _SOURCES)
    sources = {path.relative_to(_PACKAGE).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    return digest([libraries, sources])


def digest(data: Any) -> str:
    """Return a short digest of plain data.

    >>> len(digest({"models": 6}))
    24
    """
    text = json_text(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
