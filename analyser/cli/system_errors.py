"""Errors of the system as one line: unreadable or unwritable files, and lack of memory."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from analyser.common.errors import LONGEST, InputError, reason_of
from analyser.common.files import name_of

TYPED = "analyser.typed"  # key of a context: arguments of the command line
_NO_MEMORY = re.compile(
    r"can't start new thread|cannot allocate memory|failed to map segment|out of memory"
    r"|without exception set|without setting an exception",  # compiled code that lost a MemoryError
    re.I,
)
_MAY_SAY_SO = (OSError, RuntimeError, ImportError, SystemError)
_WANTED = re.compile(r"Unable to allocate (\S+ \S+)")  # message of NumPy
_BYTE = re.compile("[\udc80-\udcff]")
_SIZES = {  # parameters that determine memory, and remedies
    "attackers": "fewer ATTACKERS",
    "defenders": "fewer DEFENDERS",
    "loadouts": "fewer LOADOUTS",
    "units": "fewer UNITS",
    "mine": "smaller armies",
    "against": "a narrower --against",
    "situations": "fewer --situations",
    "rounds": "fewer --rounds",
    "step": "a larger --step",
    "trials": "fewer --trials",
    "precision": "a wider --precision",
    "workers": "fewer --workers",
    "threads": "fewer --threads",
}


def is_about_standard_output(error: OSError) -> bool:
    """Return True if the error is about printing to standard output."""
    frames = traceback.extract_tb(error.__traceback__)
    return error.filename is None and any(frame.name == "echo" and "click" in frame.filename for frame in frames)


def with_output_closed() -> None:
    """Discard the buffer of standard output, which would fail again at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def of_file(error: OSError) -> InputError:
    """Return the InputError for an error of the system, with the name of the file or standard output."""
    where = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    if not where and is_about_standard_output(error):
        where = "standard output"
    elif not where:
        where = "a file of this command" if _is_anywhere() else "the current folder, which is gone"
    return InputError(reason_of(error), where=where)


def _is_anywhere() -> bool:
    try:
        return bool(Path.cwd())
    except OSError:
        return False


def of_path(error: Exception) -> InputError | None:
    """Return the InputError for a library's error about a bad file name, or a circular link; None for other errors.

    In some versions of Python a circular link is not an OSError. Bytes of a name that are not UTF-8 are surrogates in
    the text.
    """
    _, is_loop, path = str(error).partition("Symlink loop from ")
    if isinstance(error, RuntimeError) and is_loop:
        return InputError("a symbolic link that leads back to itself", where=path.strip("'"))
    if not isinstance(error, UnicodeEncodeError) or not _BYTE.search(error.object[error.start : error.end]):
        return None
    name = name_of(error.object) if len(error.object) <= LONGEST else "a name"
    return InputError("a file or folder whose name is not UTF-8", where=name, allowed="another name, or another folder")


def is_of_memory(error: BaseException) -> bool:
    """Return True if an error means that memory ran out, in the words of any library.

    >>> is_of_memory(MemoryError()), is_of_memory(RuntimeError("can't start new thread")), is_of_memory(ValueError())
    (True, True, False)
    """
    return any(
        isinstance(cause, MemoryError)
        or (isinstance(cause, OSError) and cause.errno == errno.ENOMEM)
        or (isinstance(cause, _MAY_SAY_SO) and _NO_MEMORY.search(str(cause)) is not None)
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def of_memory(error: BaseException, asked: click.Context | None) -> InputError:
    """Return the InputError for lack of memory, with the question and the remedies."""
    wanted = next(filter(None, (_WANTED.search(str(cause)) for cause in _causes(error))), None)
    for cause in _causes(error):
        traceback.clear_frames(cause.__traceback__)  # frees the large arrays
    problem = f"not enough memory for this question{f', which needs a table of {wanted[1]}' if wanted else ''}"
    remedy = f"{', '.join(_less(asked))}; or a machine with more memory"
    where = "analyser" if asked is None else " ".join([asked.command_path, *asked.meta.get(TYPED, ())])
    return InputError(problem, where=where, allowed=remedy)


def _less(asked: click.Context | None) -> list[str]:
    """Return the remedies for the given parameters, and for the default number of threads."""
    params: Mapping[str, Any] = {} if asked is None else asked.params
    given = {
        name.rpartition("__")[2]  # options of keys have `section__key`
        for name, value in params.items()
        if value not in (None, (), 1) and not (isinstance(value, tuple) and len(value) == 1)
    }
    given |= {name for name in ("threads", "workers") if name in params and params[name] is None}
    return [text for name, text in _SIZES.items() if name in given] or ["a smaller question"]
