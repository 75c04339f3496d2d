"""Rules run as they are written, and compiled where there is work enough for a compiler.

The compiler is imported when the first kernel is compiled, not before.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
Whole = Any  # a whole number of a type that the compiler is told: indices that cannot be negative are the faster ones

_is_interpreted: ContextVar[bool] = ContextVar("is_interpreted", default=False)
_steps: list[tuple[Callable[..., Any], bool]] = []  # that the compiler has not been told of, and whether inlined
_telling = threading.Lock()


class Kernel:
    """A function that Python calls: compiled on its first call, cached on disk, without the interpreter lock."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._compiling = threading.Lock()

    def __call__(self, *arguments: Any) -> Any:
        """What the function returns, by machine code or, inside :func:`interpreted`, by the interpreter."""
        if _is_interpreted.get():
            return self.function(*arguments)
        return self.compiled(*arguments)

    @property
    def compiled(self) -> Any:
        """The compiler's own object, which compiles for each new signature of arguments.

        ``fastmath`` stays off: an exact sum is added up in the order that the code says. Division by zero follows
        IEEE 754, which costs no branch; no kernel divides by anything that can be zero.
        """
        found = self.__dict__.get("_compiled")
        if found is None:
            with self._compiling:
                found = self.__dict__.setdefault("_compiled", self._dispatcher())
        _tell_of_steps()
        return found

    def _dispatcher(self) -> Any:
        import numba

        from analyser.common.kernel_cache import KernelCache

        compiled: Any = numba.njit(nogil=True, error_model="numpy")(self.function)
        compiled._cache = KernelCache(self.function)
        return compiled


@contextmanager
def interpreted() -> Iterator[None]:
    """Inside this kernels are run as the Python functions that they are: at once, and slowly."""
    token = _is_interpreted.set(True)
    try:
        yield
    finally:
        _is_interpreted.reset(token)


def kernel(function: FunctionT) -> FunctionT:
    """Let a function that Python calls be compiled, with all the steps that it calls."""
    return cast("FunctionT", Kernel(function))


def step(function: FunctionT) -> FunctionT:
    """Let kernels call a function: compiled into each of them, and plain Python when Python calls it.

    So a rule can be tried by hand, and no time goes into compiling calls that nobody makes.
    """
    _steps.append((function, False))
    return function


def inlined(function: FunctionT) -> FunctionT:
    """A step that is written out wherever it is called: for what is done every few nanoseconds."""
    _steps.append((function, True))
    return function


def _tell_of_steps() -> None:
    """Tell the compiler of the steps, and of kernels that are called by kernels, before it meets them."""
    if not _steps:
        return
    from numba.extending import register_jitable

    with _telling:
        _let_kernels_call_kernels()
        while _steps:
            function, is_inlined = _steps[-1]
            register_jitable(forceinline=is_inlined, error_model="numpy")(function)
            _steps.pop()


@functools.cache
def _let_kernels_call_kernels() -> None:
    from numba import types
    from numba.extending import typeof_impl

    @typeof_impl.register(Kernel)
    def type_of(kernel: Kernel, _: Any) -> Any:
        return types.Dispatcher(kernel.compiled)


def is_compiled(kernel: Any) -> bool:
    """Whether a kernel has been compiled before, in this process or with its cache still there."""
    return bool(kernel.compiled.signatures) or kernel.compiled._cache.is_kept()
