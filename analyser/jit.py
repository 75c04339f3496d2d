"""The one decorator that owns the compiler's options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def kernel(function: FunctionT) -> FunctionT:
    """Compile `function` on its first call: cached on disk, without the interpreter lock.

    ``fastmath`` stays off: an exact law is added up in the order that the code says. Division by zero
    follows IEEE 754, which costs no branch; no kernel divides by anything that can be zero.
    """
    return cast("FunctionT", numba.njit(cache=True, nogil=True, error_model="numpy")(function))
