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
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from analyser.common.errors import InputError, nearest, reason_of, shown, suggestion_of

MOST_SEARCHED = 2000  # files of a folder that are searched for a similar name
FILE_NAME_LIKENESS = 0.7  # least likeness of a suggested file name
LARGEST_TEXT = 8 * 1024 * 1024  # bytes; each shipped file of profiles has about 30,000
DEEPEST = 32  # levels of nested lists and tables
MOST_VALUES = 5_000_000
MOST_BITS = 63  # bits of an integer
LONGEST_STRING = 100_000  # characters
_COLLECTIONS = (list, tuple, set, frozenset)  # a tuple, because isinstance is slower with a union
_FILE_KINDS = {  # kinds of files by their first bytes, in lower case
    b"%pdf": "a PDF",
    b"pk\x03\x04": "a zip",
    b"<!doctype html": "a web page",
    b"<html": "a web page",
    b"<?xml": "XML",
    b"{": "JSON",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"\x89png": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\xd0\xcf\x11\xe0": "a document of an old office program",
}
CUT_SHORT = "the file ends there (truncated?)"  # part of a message
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_SUFFIX = 16  # characters of the suffix of a temporary name; libraries choose the format by the suffix


def path_of(source: object, where: str) -> Path:
    """Return a path from a path or text; InputError if no file can have that name."""
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
    r"""Return the name of a file or folder as text for an answer; bytes that are not UTF-8 are escaped.

    >>> name_of("my profiles"), name_of("caf\udce9")
    ('my profiles', 'caf\\xe9')
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def unreadable_error(path: Path, error: OSError) -> InputError:
    """Return the error for an unreadable file. For a missing file it suggests similar names in the folder."""
    if isinstance(error, IsADirectoryError):
        return InputError("this is a folder", where=str(path), allowed=f"its files, such as {path}/*.toml")
    suggestion = suggestion_of(_similar_files(path)) if isinstance(error, FileNotFoundError) else ""
    return InputError(f"cannot read this file: {reason_of(error)}{suggestion}", where=str(path))


def _similar_files(path: Path) -> list[str]:
    """Return up to three names in the folder of a missing file that resemble its name, ignoring suffixes."""
    try:
        with os.scandir(path.parent) as entries:
            names = sorted(entry.name for entry in islice(entries, MOST_SEARCHED) if not entry.name.startswith("."))
    except OSError:
        return []
    stems = nearest(path.stem, [Path(name).stem for name in names], likeness=FILE_NAME_LIKENESS)
    return [name for name in names if Path(name).stem in stems][:3]


def read_toml(path: Path) -> dict[str, Any]:
    """Return the table in a TOML file; InputError if it is unreadable, or not valid (:func:`parsed_toml`)."""
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise InputError("this file is too large", where=str(path), allowed=f"up to {LARGEST_TEXT} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise unreadable_error(path, error) from None
    try:
        return parsed_toml(data.decode("utf-8-sig").replace("\r\n", "\n"), str(path))
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 text: {error.reason} at byte {error.start}{kind_hint(data)}"
        raise InputError(problem, where=str(path)) from None


def kind_hint(data: bytes) -> str:
    """Return the end of a message that guesses the kind of a file from its first bytes; empty if unknown.

    >>> kind_hint(b"%PDF-1.4"), kind_hint(b'{"a": 1}'), kind_hint(b"name = 'mine'")
    ('; it looks like a PDF', '; it looks like JSON', '')
    """
    head = data[:32].lstrip().lower()
    return next((f"; it looks like {kind}" for start, kind in _FILE_KINDS.items() if head.startswith(start)), "")


def parsed_toml(text: str, where: str) -> dict[str, Any]:
    """Return the table of a TOML or JSON text; InputError if it is broken (with line and column) or too large."""
    if len(text) > LARGEST_TEXT:
        raise InputError("this text is too large", where=where, allowed=f"up to {LARGEST_TEXT} characters")
    is_json = text.lstrip().startswith("{")
    try:
        table: dict[str, Any] = json.loads(text) if is_json else tomllib.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"broken JSON: {error}", where=where) from None
    except tomllib.TOMLDecodeError as error:
        at_end = str(error).endswith("(at end of document)")
        problem = f"{str(error).removesuffix(' (at end of document)')}; {CUT_SHORT}" if at_end else str(error)
        kind = kind_hint(text[:32].encode(errors="replace"))  # text of a command line may not be encodable
        raise InputError(f"broken TOML: {problem}{kind}", where=where) from None
    except (RecursionError, ValueError) as error:  # Python limits the digits of integers that it parses
        problem = "nested too deeply" if isinstance(error, RecursionError) else "a number of thousands of digits"
        raise InputError(f"broken {'JSON' if is_json else 'TOML'}: {problem}", where=where) from None
    check_plain(table, where)
    return table


def check_plain(value: object, where: str) -> None:
    """Raise InputError for data that are circular, too deeply nested or too many, or contain too large a number."""
    waiting, count = [(value, 0)], 0
    while waiting:
        item, depth = waiting.pop()
        count += 1
        if depth > DEEPEST:
            raise InputError("lists or tables nested too deeply", where=where, allowed=f"up to {DEEPEST} levels")
        if count > MOST_VALUES:
            raise InputError("too many values", where=where, allowed=f"up to {MOST_VALUES}")
        if isinstance(item, str):
            if len(item) > LONGEST_STRING:
                raise InputError(f"a text of {len(item)} characters", where=where, allowed=f"up to {LONGEST_STRING}")
        elif isinstance(item, int):
            if item.bit_length() > MOST_BITS:
                allowed = f"integers of up to {MOST_BITS} bits"
                raise InputError(f"{shown(item)} is too large", where=where, allowed=allowed)
        elif isinstance(item, _COLLECTIONS):
            waiting += [(part, depth + 1) for part in item]
        elif item is not None and not isinstance(item, float) and isinstance(item, Mapping):  # last, because it is slow
            waiting += [(part, depth + 1) for pair in item.items() for part in pair]


def check_writable(path: Path) -> None:
    """Raise InputError if no file can be written to `path`; called before long work."""
    path_of(path, "file")
    target = real_path(path)  # a symbolic link stays, and its target is written
    if is_there(target) and not target.is_file():
        raise InputError("this is not a file", where=str(path), allowed="a new file, or an existing one to replace")
    folder = next(parent for parent in target.parents if is_there(parent))
    try:
        for name in (path, *(folder / part for part in target.relative_to(folder).parts)):
            with suppress(FileNotFoundError, NotADirectoryError):
                name.stat()  # fails for a name that is too long, or a circular link
    except OSError as error:
        raise InputError(f"cannot write here: {reason_of(error)}", where=str(path)) from None
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise InputError("cannot write here", where=str(path), allowed="a file in a folder that can be written to")
    if is_there(target) and not os.access(target, os.W_OK):
        raise InputError("this file is write-protected", where=str(path), allowed="a file that can be written to")


def check_targets(paths: Iterable[Path]) -> None:
    """Raise InputError unless the paths differ and a file can be written to each."""
    seen = set()
    for path in paths:
        check_writable(path)
        target = real_path(path)
        if target in seen:
            raise InputError("two outputs have the same file", where=str(path), allowed="a file for each output")
        seen.add(target)


def write_all(files: Mapping[Path, Callable[[Path], object]]) -> None:
    """Write several files, or none: after an error, such as a full disk, all files are as before.

    A new file gets its mode from the umask; an existing file keeps its mode. InputError if a folder is not writable or
    the disk is full.
    """
    check_targets(files)
    ready = []
    with ExitStack() as cleanup, ExitStack() as undo:
        for path, write in files.items():
            with _reporting(path):
                target = real_path(path)
                _make_folder(target.parent, cleanup)
                temporary = _temporary_file(target, cleanup)
                write(temporary)
                if target.exists():
                    temporary.chmod(stat.S_IMODE(target.stat().st_mode))
                ready.append((path, temporary, target))
        for path, temporary, target in ready:
            with _reporting(path):
                if len(ready) > 1:
                    _back_up(target, cleanup, undo)
                temporary.replace(target)
        undo.pop_all()


@contextmanager
def _reporting(path: Path) -> Iterator[None]:
    """Turn a failed write inside the block into InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write this file: {reason_of(error)}", where=str(path)) from None


def _make_folder(folder: Path, cleanup: ExitStack) -> None:
    """Create a folder and its parents; `cleanup` removes new folders that stay empty."""
    for missing in [parent for parent in (folder, *folder.parents) if not is_there(parent)][::-1]:
        missing.mkdir(exist_ok=True)
        cleanup.callback(_try, missing.rmdir)


def _back_up(target: Path, cleanup: ExitStack, undo: ExitStack) -> None:
    """Let `undo` restore `target` from a copy; if there is no such file yet, let `undo` delete the new one."""
    if not target.exists():
        undo.callback(_try, target.unlink)
        return
    backup = _temporary_file(target, cleanup)
    shutil.copy2(target, backup)
    undo.callback(_try, lambda: backup.replace(target))


def _try(action: Callable[[], object]) -> None:
    with suppress(OSError):
        action()


def _temporary_file(target: Path, cleanup: ExitStack) -> Path:
    """Create an empty temporary file in the folder of `target`; `cleanup` removes it."""
    while True:
        temporary = target.with_name(f".{target.stem[:16]}-{secrets.token_hex(8)}{target.suffix[-_LONGEST_SUFFIX:]}")
        with suppress(FileExistsError):
            temporary.touch(exist_ok=False)
            cleanup.callback(_try, temporary.unlink)
            return temporary


def write_content(path: Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, whole or not at all."""
    write_contents({path: content})


def write_contents(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files of bytes, or of text as UTF-8: all of them, or none."""
    data = {path: content.encode() if isinstance(content, str) else content for path, content in contents.items()}
    write_all({path: partial(Path.write_bytes, data=content) for path, content in data.items()})


def toml_lines(values: Mapping[str, Any]) -> str:
    """Return TOML with one line for each key whose value is neither None nor an empty tuple.

    >>> print(toml_lines({"name": "Otters", "range": {"long": 6.0, "short": None}, "rules": ()}), end="")
    name = "Otters"
    range = {long = 6}
    """
    return "".join(f"{line}\n" for line in _toml_entries({key: part for key, part in values.items() if part != ()}))


def _toml_entries(values: Mapping[str, Any]) -> list[str]:
    stated = {key: value for key, value in values.items() if value is not None}
    names = (key if _BARE_KEY.fullmatch(key) else _quoted(key) for key in stated)
    return [f"{name} = {_toml_value(value)}" for name, value in zip(names, stated.values())]


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(_toml_entries(value))}}}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, float) and value.is_integer():  # whole inches without decimals, as printed on cards
        return str(int(value))
    return _quoted(value)


def _quoted(value: Any) -> str:
    """Return a scalar in TOML, which is written as in JSON except for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
