"""InputErrors for errors of the system: unreadable or unwritable files, and lack of memory."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from analyser.common.errors import LONGEST_MESSAGE, InputError, reason_of
from analyser.common.files import name_of

_NO_MEMORY = re.compile(
    r"can't start new thread|cannot allocate memory|failed to map segment|out of memory"
    r"|without exception set|without setting an exception",  # compiled code that lost a MemoryError
    re.I,
)
_ERRORS_FOR_NO_MEMORY = (OSError, RuntimeError, ImportError, SystemError)
_REQUESTED_SIZE = re.compile(r"Unable to allocate (\S+ \S+)")  # message of NumPy
_UNDECODED_BYTE = re.compile("[\udc80-\udcff]")


def input_error_of(error: Exception, command: str) -> InputError | None:
    """Return the InputError for an error of the system, None for an error in the program.

    `command` is the command as typed.
    """
    if is_out_of_memory(error):
        return _memory_error(error, command)
    if isinstance(error, RuntimeError) and isinstance(error.__context__, OSError):  # pathlib: a loop of links
        error = error.__context__
    if isinstance(error, OSError):
        return _file_error(error)
    # Python represents the bytes of a file name that are not UTF-8 as surrogates.
    if isinstance(error, UnicodeEncodeError) and _UNDECODED_BYTE.search(error.object[error.start : error.end]):
        name, allowed = error.object, "another name, or another folder"
        where = name_of(name) if len(name) <= LONGEST_MESSAGE else "a name"
        return InputError("a file or folder whose name is not UTF-8", where=where, allowed=allowed)
    return None


def is_about_standard_output(error: Exception) -> bool:
    """Return True if the error is about printing to standard output."""
    frames = traceback.extract_tb(error.__traceback__)
    is_printing = any(frame.name == "echo" and "click" in frame.filename for frame in frames)
    return isinstance(error, OSError) and error.filename is None and is_printing


def discard_output() -> None:
    """Discard the buffer of standard output, because writing it would fail again at exit."""
    with suppress(OSError, ValueError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, sys.stdout.fileno())
        os.close(null_device)


def _file_error(error: OSError) -> InputError:
    """Return the InputError with the name of the file or standard output."""
    where = "a file of this command"
    if isinstance(error.filename, str | bytes) and error.filename:
        where = os.fsdecode(error.filename)
    elif is_about_standard_output(error):
        where = "standard output"
    else:
        try:
            Path.cwd()
        except OSError:
            where = "the current folder, which was deleted"
    return InputError(reason_of(error), where=where)


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if an error of any library means that memory ran out.

    >>> [is_out_of_memory(error) for error in (MemoryError(), RuntimeError("can't start new thread"), ValueError())]
    [True, True, False]
    """
    return any(
        isinstance(cause, MemoryError)
        or (isinstance(cause, OSError) and cause.errno == errno.ENOMEM)
        or (isinstance(cause, _ERRORS_FOR_NO_MEMORY) and _NO_MEMORY.search(str(cause)) is not None)
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def _memory_error(error: BaseException, command: str) -> InputError:
    size = next(filter(None, (_REQUESTED_SIZE.search(str(cause)) for cause in _causes(error))), None)
    for cause in _causes(error):
        traceback.clear_frames(cause.__traceback__)  # frees the large arrays of local variables
    problem = f"not enough memory for this question{f', which needs a table of {size[1]}' if size else ''}"
    return InputError(problem, where=command, allowed="a smaller question, or a machine with more memory")
