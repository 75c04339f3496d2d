"""Reading and writing files: a file is read or refused, written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from analyser.common.errors import InputError, nearest, one_of_these, shown

MOST_BESIDE = 2000  # files of a folder among which the nearest name is looked for
LIKE_A_FILE = 0.7  # as `likeness` of `nearest`
LARGEST_TEXT = 8 * 1024 * 1024  # bytes; far above any profile or army (the shipped ones have 30,000), below trouble
DEEPEST = 32  # lists and tables within each other
MOST_VALUES = 5_000_000
MOST_BITS = 63  # of an integer
LONGEST_WORD = 100_000  # characters
_SEVERAL = (list, tuple, set, frozenset)  # asked of as a tuple, which is sooner answered than a union
_LOOKS_LIKE = {  # what a file begins with, in small letters
    b"%pdf": "a PDF",
    b"pk\x03\x04": "a zip",
    b"<!doctype html": "a web page",
    b"<html": "a web page",
    b"<?xml": "XML",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"\x89png": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\xd0\xcf\x11\xe0": "a document of an old office program",
}
CUT_SHORT = "the file ends there: is it cut short?"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_TOML_PIECE = re.compile(  # strings and comments, which may hold any number of dots; a dot; and what ends a key
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}|\Z)'''
    r"""|'''(?:[^']++|'(?!''))*+(?:'{3,5}|\Z)"""
    r"""|"(?:[^"\\\n]++|\\[^\n])*+"?|'[^'\n]*'?|\#[^\n]*|\.|[\n=,\[\]{}]""",
    re.DOTALL,
)


def path_of(source: object, where: str) -> Path:
    """The name of a file or folder as a path; raises InputError for what no file can be called."""
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"{shown(source)} is neither a path nor a table", where=where, allowed="a path, or a table")
    path = Path(source)
    try:
        if os.fspath(source) and b"\0" not in os.fsencode(path):
            return path
    except UnicodeEncodeError:  # half a character
        pass
    raise InputError(f"no file is called {shown(os.fspath(source))}", where=where)


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; a name too long for one is that of none."""
    try:
        return path.exists()
    except OSError:
        return False


def cannot_read(path: Path, error: OSError) -> InputError:
    """That a file cannot be read; where there is none of that name, with the nearest name in its folder."""
    meant = one_of_these(_alike(path)) if isinstance(error, FileNotFoundError) else ""
    return InputError(f"cannot read this file: {error.strerror}{meant}", where=str(path))


def _alike(path: Path) -> list[str]:
    """The files beside a path whose names are most like its own; endings do not count, which are much alike."""
    try:
        with os.scandir(path.parent) as entries:
            names = sorted(each.name for each in islice(entries, MOST_BESIDE) if not each.name.startswith("."))
    except OSError:
        return []
    alike = nearest(path.stem, [Path(name).stem for name in names], likeness=LIKE_A_FILE)
    return [name for name in names if Path(name).stem in alike][:3]


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a TOML file; raises InputError for one that cannot be read, or as :func:`parsed_toml`."""
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise InputError("this file is too large", where=str(path), allowed=f"up to {LARGEST_TEXT} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from None
    try:
        return parsed_toml(data.decode("utf-8-sig").replace("\r\n", "\n"), str(path))
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 text: {error.reason} at byte {error.start}{looks_like(data)}"
        raise InputError(problem, where=str(path)) from None


def looks_like(data: bytes) -> str:
    """A sentence end that says what kind of file some bytes begin, or nothing.

    >>> looks_like(b"%PDF-1.4"), looks_like(b"name = 'mine'")
    ('; it looks like a PDF', '')
    """
    head = data[:32].lstrip().lower()
    return next((f"; it looks like {kind}" for begins, kind in _LOOKS_LIKE.items() if head.startswith(begins)), "")


def parsed_toml(text: str, where: str) -> dict[str, Any]:
    """The table that a TOML text is; raises InputError for broken TOML (with line and column), or for absurd values."""
    if len(text) > LARGEST_TEXT:
        raise InputError("this text is too large", where=where, allowed=f"up to {LARGEST_TEXT} characters")
    _check_keys(text, where)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at_end = str(error).endswith("(at end of document)")
        problem = f"{str(error).removesuffix(' (at end of document)')}; {CUT_SHORT}" if at_end else str(error)
        raise InputError(f"broken TOML: {problem}{looks_like(text[:32].encode())}", where=where) from None
    except RecursionError:
        raise InputError("broken TOML: lists or tables nested too deeply", where=where) from None
    except ValueError:  # the parser's own limit
        raise InputError("broken TOML: a number of thousands of digits", where=where) from None
    check_plain(table, where)
    return table


def _check_keys(text: str, where: str) -> None:
    """Raise InputError for a key of more parts than tables may be deep: the parser's work grows with their square."""
    if all(line.count(".") < DEEPEST for line in text.split("\n")):  # a key is in one line
        return
    dots = 0
    for piece in _TOML_PIECE.finditer(text):
        first = piece[0][0]
        if first == ".":
            dots += 1
        elif first not in "\"'":
            dots = 0
        if dots >= DEEPEST:
            line = text.count("\n", 0, piece.start()) + 1
            problem = f"broken TOML: a key of more than {DEEPEST} parts (at line {line})"
            raise InputError(problem, where=where, allowed=f"up to {DEEPEST} names with dots between them")


def check_plain(value: object, where: str) -> None:
    """Raise InputError for data nested too deeply (it may even hold itself), too large, or with numbers too large."""
    waiting, seen = [(value, 0)], 0
    while waiting:
        each, depth = waiting.pop()
        seen += 1
        if depth > DEEPEST:
            raise InputError("lists or tables nested too deeply", where=where, allowed=f"up to {DEEPEST} levels")
        if seen > MOST_VALUES:
            raise InputError("too many values", where=where, allowed=f"up to {MOST_VALUES}")
        if isinstance(each, str):
            if len(each) > LONGEST_WORD:
                raise InputError(f"a text of {len(each)} characters", where=where, allowed=f"up to {LONGEST_WORD}")
        elif isinstance(each, int):
            if each.bit_length() > MOST_BITS:
                allowed = f"integers of up to {MOST_BITS} bits"
                raise InputError(f"{shown(each)} is too large", where=where, allowed=allowed)
        elif isinstance(each, _SEVERAL):
            waiting += [(part, depth + 1) for part in each]
        elif each is not None and not isinstance(each, float) and isinstance(each, Mapping):  # slow to ask
            waiting += [(part, depth + 1) for pair in each.items() for part in pair]


def check_writable(path: Path) -> None:
    """Raise InputError for a `path` that no file can be written to, before long work rather than after it."""
    path_of(path, "file")
    if is_there(path) and not path.is_file():
        raise InputError("this is not a file", where=str(path), allowed="a new file, or one to put this in its place")
    folder = next(each for each in path.absolute().parents if is_there(each))
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InputError("cannot write here", where=str(path), allowed="a place in a folder that can be written to")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file beside `path`, then put that in its place; if it fails, nothing is left of it.

    Raises InputError where the folder cannot be written to, or the disk is full.
    """
    import tempfile

    check_writable(path)
    path = path.resolve()  # a link stays a link, and what it points at gets the new content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise InputError(f"cannot write here: {error.strerror}", where=str(path)) from None
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot write this file: {error.strerror}", where=str(path)) from None
    finally:
        temporary.unlink(missing_ok=True)


def write_content(path: Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, whole or not at all."""
    data = content.encode() if isinstance(content, str) else content
    write_whole(path, lambda temporary: temporary.write_bytes(data))


def toml_lines(values: Mapping[str, Any]) -> str:
    """One line of TOML a key, without those that say nothing.

    >>> print(toml_lines({"name": "Otters", "range": {"long": 6.0, "short": None}, "rules": ()}), end="")
    name = "Otters"
    range = {long = 6}
    """
    kept = ((key, value) for key, value in values.items() if value is not None and value != ())
    return "".join(f"{_toml_key(key)} = {_toml_value(value)}\n" for key, value in kept)


def _toml_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _quoted(key)


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        parts = (f"{_toml_key(key)} = {_toml_value(part)}" for key, part in value.items() if part is not None)
        return f"{{{', '.join(parts)}}}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, float) and value.is_integer():  # whole inches without a decimal point, as the cards print them
        return str(int(value))
    return _quoted(value)


def _quoted(value: Any) -> str:
    """Of text, numbers and truth values JSON's way to write them is TOML's, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
