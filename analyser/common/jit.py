"""The two decorators that own the compiler's options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.extending import register_jitable

from analyser.common.kernel_cache import KernelCache

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
Whole = Any  # a whole number of a type that the compiler is told: indices that cannot be negative are the faster ones


def kernel(function: FunctionT) -> FunctionT:
    """Compile a function that Python calls, on its first call: cached on disk, without the interpreter lock.

    ``fastmath`` stays off: an exact law is added up in the order that the code says. Division by zero
    follows IEEE 754, which costs no branch; no kernel divides by anything that can be zero.
    """
    compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
    compiled._cache = KernelCache(function)
    return cast("FunctionT", compiled)


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
    return bool(compiled.signatures) or compiled._cache.is_kept()
