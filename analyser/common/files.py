"""Reading and checking of TOML files, and atomic writing: a file is written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import stat
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from analyser.common.errors import InputError, nearest, one_of_these, reason_of, shown

MOST_BESIDE = 2000  # files of a folder that are searched for a similar name
LIKE_A_FILE = 0.7  # `likeness` for `nearest`
LARGEST_TEXT = 8 * 1024 * 1024  # bytes; the shipped profiles have 30,000
DEEPEST = 32  # levels of nested lists and tables
MOST_VALUES = 5_000_000
MOST_BITS = 63  # bits of an integer
LONGEST_WORD = 100_000  # characters of a text
_SEVERAL = (list, tuple, set, frozenset)  # a tuple, because isinstance is slower with a union
_LOOKS_LIKE = {  # file types, by the first bytes in lower case
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
CUT_SHORT = "the file ends there (truncated?)"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_END_OF_TEMPORARY = 16  # characters of a suffix that a temporary name keeps; libraries choose the format by it
_MOST_WORK = 1 << 20  # limit of a sum over all dots: the number of dots up to each one in its key
_TOML_PIECE = re.compile(  # strings and comments, which may contain dots; a dot; the end of a key
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}|\Z)'''
    r"""|'''(?:[^']++|'(?!''))*+(?:'{3,5}|\Z)"""
    r"""|"(?:[^"\\\n]++|\\[^\n])*+"?|'[^'\n]*'?|\#[^\n]*|\.|[\n=,\[\]{}]""",
    re.DOTALL,
)


def path_of(source: object, where: str) -> Path:
    """Return the name of a file or folder as a path; InputError if no file can have that name."""
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"{shown(source)} is neither a path nor a table", where=where, allowed="a path, or a table")
    path = Path(source)
    try:
        if os.fspath(source) and b"\0" not in os.fsencode(path):
            return path
    except UnicodeEncodeError:  # a lone surrogate
        pass
    raise InputError(f"no file is called {shown(os.fspath(source))}", where=where)


def is_there(path: Path) -> bool:
    """Return True if the file or folder exists; False for a name that is too long."""
    try:
        return path.exists()
    except OSError:
        return False


def real_path(path: str | os.PathLike[str]) -> Path:
    """Return an absolute path without symbolic links; a circular link stays unchanged."""
    return Path(os.path.realpath(path))


def name_of(path: str | os.PathLike[str]) -> str:
    r"""Return the name of a file or folder as text for an answer, with bytes escaped that are not UTF-8.

    >>> name_of("my profiles"), name_of("caf\udce9")
    ('my profiles', 'caf\\xe9')
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def cannot_read(path: Path, error: OSError) -> InputError:
    """Return the error for an unreadable file; for a missing one with the most similar name in its folder."""
    if isinstance(error, IsADirectoryError):
        return InputError("this is a folder", where=str(path), allowed=f"its files, such as {path}/*.toml")
    meant = one_of_these(_alike(path)) if isinstance(error, FileNotFoundError) else ""
    return InputError(f"cannot read this file: {reason_of(error)}{meant}", where=str(path))


def _alike(path: Path) -> list[str]:
    """Return the files in the same folder with the most similar names, compared without their suffixes."""
    try:
        with os.scandir(path.parent) as entries:
            names = sorted(entry.name for entry in islice(entries, MOST_BESIDE) if not entry.name.startswith("."))
    except OSError:
        return []
    alike = nearest(path.stem, [Path(name).stem for name in names], likeness=LIKE_A_FILE)
    return [name for name in names if Path(name).stem in alike][:3]


def read_toml(path: Path) -> dict[str, Any]:
    """Return the table in a TOML file; InputError if it is unreadable, or not valid (:func:`parsed_toml`)."""
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
    """Return the end of a sentence that names the kind of a file by its first bytes, or nothing.

    >>> looks_like(b"%PDF-1.4"), looks_like(b"name = 'mine'")
    ('; it looks like a PDF', '')
    """
    head = data[:32].lstrip().lower()
    return next((f"; it looks like {kind}" for begins, kind in _LOOKS_LIKE.items() if head.startswith(begins)), "")


def parsed_toml(text: str, where: str) -> dict[str, Any]:
    """Return the table of a TOML text; InputError for broken TOML (with line and column) or excessive values."""
    if len(text) > LARGEST_TEXT:
        raise InputError("this text is too large", where=where, allowed=f"up to {LARGEST_TEXT} characters")
    _check_keys(text, where)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at_end = str(error).endswith("(at end of document)")
        problem = f"{str(error).removesuffix(' (at end of document)')}; {CUT_SHORT}" if at_end else str(error)
        kind = looks_like(text[:32].encode(errors="replace"))  # an argument need not be UTF-8
        raise InputError(f"broken TOML: {problem}{kind}", where=where) from None
    except RecursionError:
        raise InputError("broken TOML: lists or tables nested too deeply", where=where) from None
    except ValueError:  # the parser's limit of digits
        raise InputError("broken TOML: a number of thousands of digits", where=where) from None
    check_plain(table, where)
    return table


def _check_keys(text: str, where: str) -> None:
    """Raise InputError for keys of too many parts, because the parser takes time quadratic in the parts of a key."""
    counts = [line.count(".") for line in text.split("\n")]  # a key cannot continue on another line
    if max(counts) < DEEPEST and sum(count**2 for count in counts) < _MOST_WORK:
        return
    dots = work = 0
    for piece in _TOML_PIECE.finditer(text):
        first = piece[0][0]
        if first == ".":
            dots += 1
            work += dots
        elif first not in "\"'":
            dots = 0
        if dots >= DEEPEST or work >= _MOST_WORK:
            line = text.count("\n", 0, piece.start()) + 1
            many = f"a key of more than {DEEPEST} parts" if dots >= DEEPEST else "too many keys of many parts"
            problem = f"broken TOML: {many} (at line {line})"
            raise InputError(problem, where=where, allowed=f"up to {DEEPEST} names with dots between them, or tables")


def check_plain(value: object, where: str) -> None:
    """Raise InputError for data that is circular, nested too deeply or too large, or has numbers too large."""
    waiting, seen = [(value, 0)], 0
    while waiting:
        item, depth = waiting.pop()
        seen += 1
        if depth > DEEPEST:
            raise InputError("lists or tables nested too deeply", where=where, allowed=f"up to {DEEPEST} levels")
        if seen > MOST_VALUES:
            raise InputError("too many values", where=where, allowed=f"up to {MOST_VALUES}")
        if isinstance(item, str):
            if len(item) > LONGEST_WORD:
                raise InputError(f"a text of {len(item)} characters", where=where, allowed=f"up to {LONGEST_WORD}")
        elif isinstance(item, int):
            if item.bit_length() > MOST_BITS:
                allowed = f"integers of up to {MOST_BITS} bits"
                raise InputError(f"{shown(item)} is too large", where=where, allowed=allowed)
        elif isinstance(item, _SEVERAL):
            waiting += [(part, depth + 1) for part in item]
        elif item is not None and not isinstance(item, float) and isinstance(item, Mapping):  # a slow check, so last
            waiting += [(part, depth + 1) for pair in item.items() for part in pair]


def check_writable(path: Path) -> None:
    """Raise InputError if no file can be written to `path`, so that it is known before long work."""
    path_of(path, "file")
    target = real_path(path)  # a symbolic link stays, and its target is written
    if is_there(target) and not target.is_file():
        raise InputError("this is not a file", where=str(path), allowed="a new file, or one to put this in its place")
    folder = next(parent for parent in target.parents if is_there(parent))
    try:
        for name in (path, *(folder / part for part in target.relative_to(folder).parts)):
            with suppress(FileNotFoundError, NotADirectoryError):
                name.stat()  # fails for a name that is too long, or a circular link
    except OSError as error:
        raise InputError(f"cannot write here: {reason_of(error)}", where=str(path)) from None
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise InputError("cannot write here", where=str(path), allowed="a place in a folder that can be written to")
    if is_there(target) and not os.access(target, os.W_OK):
        raise InputError("this file may not be written to", where=str(path), allowed="a file with the right to write")


def check_targets(paths: Iterable[Path]) -> None:
    """Raise InputError unless a file can be written to each path and all paths differ."""
    seen = set()
    for path in paths:
        check_writable(path)
        target = real_path(path)
        if target in seen:
            raise InputError("two things cannot be written to one file", where=str(path), allowed="a file for each")
        seen.add(target)


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file in the folder of `path`, then rename it, as :func:`write_all` does."""
    write_all({path: write})


def write_all(files: Mapping[Path, Callable[[Path], object]]) -> None:
    """Write several files, or none of them: after an error or with a full disk, all files are as before.

    A new file gets its mode by the umask, an existing one keeps its mode. InputError if a folder is not writable or the
    disk is full.
    """
    check_targets(files)
    ready = []
    with ExitStack() as tidy, ExitStack() as undo:
        for path, write in files.items():
            with _refused(path):
                target = real_path(path)
                _make_folder(target.parent, tidy)
                temporary = _new_beside(target, tidy)
                write(temporary)
                if target.exists():
                    temporary.chmod(stat.S_IMODE(target.stat().st_mode))
                ready.append((path, temporary, target))
        for path, temporary, target in ready:
            with _refused(path):
                if len(ready) > 1:
                    _keep(target, tidy, undo)
                temporary.replace(target)
        undo.pop_all()


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write this file: {reason_of(error)}", where=str(path)) from None


def _make_folder(folder: Path, tidy: ExitStack) -> None:
    """Create a folder and its parents; `tidy` removes new folders that stay empty."""
    for missing in [parent for parent in (folder, *folder.parents) if not is_there(parent)][::-1]:
        missing.mkdir(exist_ok=True)
        tidy.callback(_if_it_can, missing.rmdir)


def _keep(target: Path, tidy: ExitStack, undo: ExitStack) -> None:
    """Copy an existing `target`, so that `undo` can restore it; `undo` deletes a new one."""
    if not target.exists():
        undo.callback(_if_it_can, target.unlink)
        return
    before = _new_beside(target, tidy)
    shutil.copy2(target, before)
    undo.callback(_if_it_can, lambda: before.replace(target))


def _if_it_can(work: Callable[[], object]) -> None:
    with suppress(OSError):
        work()


def _new_beside(target: Path, tidy: ExitStack) -> Path:
    """Create an empty temporary file in the folder of `target`; `tidy` removes it."""
    while True:
        temporary = target.with_name(f".{target.stem[:16]}-{secrets.token_hex(8)}{target.suffix[-_END_OF_TEMPORARY:]}")
        try:
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            continue
        tidy.callback(_if_it_can, temporary.unlink)
        return temporary


def write_content(path: Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, whole or not at all."""
    write_contents({path: content})


def write_contents(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files of bytes, or of text as UTF-8: all of them, or none."""

    def written(content: str | bytes) -> Callable[[Path], object]:
        data = content.encode() if isinstance(content, str) else content
        return lambda temporary: temporary.write_bytes(data)

    write_all({path: written(content) for path, content in contents.items()})


def toml_lines(values: Mapping[str, Any]) -> str:
    """Return TOML with one line for each key that has a value.

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
    if isinstance(value, float) and value.is_integer():  # whole inches without decimals, as printed on cards
        return str(int(value))
    return _quoted(value)


def _quoted(value: Any) -> str:
    """Return a scalar in TOML, which is written as in JSON except for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
