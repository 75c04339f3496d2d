"""Integer programmes, solved with scipy's solver HiGHS, whose output is discarded."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def solve_programme(*arguments: Any, **options: Any) -> Any:
    """Solve an integer programme with ``scipy.optimize.milp``.

    The debugging lines that some versions of HiGHS always write to standard output are discarded.

    >>> import numpy as np
    >>> solve_programme(np.array([-1.0]), integrality=np.array([1]), bounds=(0, 2.5)).x.tolist()
    [2.0]
    """
    from scipy.optimize import milp

    with silent_libraries():
        return milp(*arguments, **options)


@contextmanager
def silent_libraries() -> Iterator[None]:
    """Discard everything that compiled libraries print on standard output inside the block."""
    try:
        original = os.dup(1)
    except OSError:  # there is no standard output
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        _flush_libraries()
        os.dup2(nowhere, 1)
        yield
    finally:
        _flush_libraries()
        os.dup2(original, 1)
        os.close(original)
        os.close(nowhere)


def _flush_libraries() -> None:
    """Flush the output buffers of the C library, which are separate from Python's."""
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)
