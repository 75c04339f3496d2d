"""Errors of the machine as one line: a file that cannot be read or written, and memory that is not there."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import click

from analyser.common.errors import InputError, reason_of

_NO_MEMORY = re.compile(r"can't start new thread|cannot allocate memory|failed to map segment|out of memory", re.I)
_SIZES = {  # the parameters of commands that memory goes by, and what helps
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
    """Return True if an answer could not be printed."""
    frames = traceback.extract_tb(error.__traceback__)
    return error.filename is None and any(each.name == "echo" and "click" in each.filename for each in frames)


def with_output_closed() -> None:
    """Send what is left in the buffer of standard output nowhere, or it fails again at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def of_file(error: OSError) -> InputError:
    """Return an error of the system as one that names the file, or standard output."""
    place = error.filename if isinstance(error.filename, str | bytes) else ""
    where = os.fsdecode(place) or ("standard output" if is_about_standard_output(error) else "a file of this command")
    return InputError(reason_of(error), where=where)


def is_of_memory(error: BaseException) -> bool:
    """Return True if there was not enough memory for something, in the words of any library.

    >>> is_of_memory(MemoryError()), is_of_memory(RuntimeError("can't start new thread")), is_of_memory(ValueError())
    (True, True, False)
    """
    return any(
        isinstance(each, MemoryError)
        or (isinstance(each, OSError) and each.errno == errno.ENOMEM)
        or (isinstance(each, OSError | RuntimeError | ImportError) and _NO_MEMORY.search(str(each)) is not None)
        for each in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that led to it."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def of_memory(error: BaseException, asked: click.Context | None) -> InputError:
    """Return that memory ran out, with the question that asked for it and what to make smaller."""
    said = next((str(each) for each in _causes(error) if isinstance(each, MemoryError) and str(each)), "")
    for each in _causes(error):
        traceback.clear_frames(each.__traceback__)  # the arrays that took the memory
    params: Mapping[str, Any] = {} if asked is None else asked.params
    less = [text for name, text in _SIZES.items() if name in params] or ["a smaller question"]
    problem = f"not enough memory for this question{f': {said[:1].lower()}{said[1:]}' if said else ''}"
    return InputError(problem, where=_question(asked), allowed=f"{', '.join(less)}; or a machine with more memory")


def _question(asked: click.Context | None) -> str:
    """Return a command and its arguments as they were typed."""
    if asked is None:
        return "analyser"
    arguments = [each.name for each in asked.command.params if isinstance(each, click.Argument)]
    values = (asked.params.get(name or "") for name in arguments)
    words = [word for each in values for word in (each if isinstance(each, tuple) else (each,)) if word is not None]
    return " ".join([asked.command_path, *map(str, words)])
