"""The two decorators that own the compiler's options, and the care for its cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.extending import register_jitable

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
Whole = Any  # a whole number of a type that the compiler is told: indices that cannot be negative are the faster ones

_PACKAGE = Path(__file__).parent
_KERNEL_ROOMS = ("*.py", "engine/**/*.py", "rules/**/*.py", "morale/**/*.py")


def kernel(function: FunctionT) -> FunctionT:
    """Compile a function that Python calls, on its first call: cached on disk, without the interpreter lock.

    ``fastmath`` stays off: an exact law is added up in the order that the code says. Division by zero
    follows IEEE 754, which costs no branch; no kernel divides by anything that can be zero.
    """
    return cast("FunctionT", numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def step(function: FunctionT) -> FunctionT:
    """Let kernels call a function: compiled into each of them, and plain Python when Python calls it.

    So a rule can be tried by hand, and no time goes into compiling calls that nobody makes.
    """
    return register_jitable(error_model="numpy")(function)


def inlined(function: FunctionT) -> FunctionT:
    """A step that is written out wherever it is called: for what is done every few nanoseconds."""
    return register_jitable(forceinline=True, error_model="numpy")(function)


def is_compiled(compiled: Any) -> bool:
    """Whether a kernel has been compiled before, in this process or with its cache still there."""
    source = compiled.py_func
    name = f"{source.__module__.rpartition('.')[2]}.{source.__qualname__}-*.nbi"
    return bool(compiled.signatures) or any(Path(compiled.stats.cache_path).glob(name))


def forget_stale_kernels() -> None:
    """Take away cached kernels that are older than any source a kernel may be built from.

    The compiler's cache looks at a kernel's own file alone: a rule edited in one file would go on answering from
    the kernels of the others.
    """
    newest = max(source.stat().st_mtime for room in _KERNEL_ROOMS for source in _PACKAGE.glob(room))
    for index in _PACKAGE.rglob("__pycache__/*.nbi"):
        try:
            if index.stat().st_mtime < newest:
                index.unlink(missing_ok=True)
        except OSError:  # taken away by another process, or not ours to take away: then it was never edited here
            continue


forget_stale_kernels()
