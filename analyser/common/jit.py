"""Kernels: functions that Python interprets, or compiles with Numba once there is enough work.

The compiler is imported only when the first kernel is compiled.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import thread_time
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, ParamSpec, TypeVar, cast

from analyser.common.errors import InputError, shown
from analyser.common.kernel_records import views

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")
Whole = Any  # annotation of an integer whose type the compiler chooses, because unsigned indices are faster

_COMPILER = "analyser.common.compiler"
_LOADING_TIME = 0.3  # seconds to read a compiled kernel from disk, including the import of the compiler

# True: interpret kernels, False: compile them, None: do what takes less time.
_is_interpreted: ContextVar[bool | None] = ContextVar("is_interpreted", default=None)
# Seconds spent in compiled kernels while an interpreted kernel runs; None if no kernel is interpreted.
_compiled_time: ContextVar[list[float] | None] = ContextVar("compiled_time", default=None)
# Steps not yet registered with the compiler: the function, its body in kernels, and True if the body is inlined.
_steps: list[tuple[Callable[..., Any], Callable[..., Any], bool]] = []
_registration_lock = threading.Lock()


class Kernel(Generic[P, R]):
    """A function that is compiled on its first call, cached on disk, and runs without the interpreter lock."""

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.as_step: Any = None  # the compiler's object for calls from other kernels
        self._compiled: Any = None
        self._compile_lock = threading.Lock()

    def __call__(self, *arguments: P.args, **_: P.kwargs) -> R:
        """Call the function, compiled or interpreted."""
        if _is_interpreted.get():
            return self.function(*arguments)  # type: ignore[call-arg]
        compiled_time = _compiled_time.get()
        if compiled_time is None:
            return cast("R", self.compiled(*arguments))
        start = thread_time()
        try:
            return cast("R", self.compiled(*map(_as_record, arguments)))
        finally:
            compiled_time[0] += thread_time() - start

    @property
    def compiled(self) -> Any:
        """The Numba dispatcher; it compiles the kernel once for each signature of arguments."""
        if self._compiled is None:
            with self._compile_lock:
                self._compiled = self._compiled or _compiler().dispatcher_of(self.function)
        _register_steps()
        return self._compiled

    def llvm_module(self, arguments: tuple[Any, ...]) -> tuple[Any, str]:
        """Return an LLVM module of the kernel for these argument types, and the kernel's name in the module."""
        compiler = _compiler()
        _register_steps()
        module, name = compiler.llvm_module(self.function, arguments)
        return module, str(name)

    def is_cached(self) -> bool:
        """Return True if the kernel has been compiled in this process, or is in the cache on disk."""
        from analyser.common.kernel_cache import KernelCache

        return bool(self._compiled and self._compiled.signatures) or KernelCache(self.function).is_cached()


class Tiered(Kernel[P, R]):
    """A kernel that is interpreted until the interpreter has taken as long as the compiler would take.

    All calls together take at most twice as long as with the choice that proves best (the ski rental problem: Karlin,
    Manasse, Rudolph, Sleator: Competitive snoopy caching, 1988). Both choices give bit-identical results.
    """

    def __init__(self, function: Callable[P, R], seconds: float) -> None:
        super().__init__(function)
        self._compile_time = seconds
        self._interpreted_time = 0.0

    def __call__(self, *arguments: P.args, **_: P.kwargs) -> R:
        """Call the function. If it is interpreted, so are tiered kernels that it calls; other kernels are compiled."""
        if _compiled_time.get() is not None:
            return self.function(*arguments)  # type: ignore[call-arg]
        if self.compiling_pays():
            return super().__call__(*arguments)  # type: ignore[call-arg]
        with self.interpreting():
            return self.function(*map(views, arguments))  # type: ignore[call-arg]

    def compiling_pays(self, seconds: float = 0.0) -> bool:
        """Return True if compiling saves time, given further work of `seconds` in the interpreter."""
        if (is_interpreted := _is_interpreted.get()) is not None:
            return not is_interpreted
        if self._compile_time == 0.0 or self._compiled is not None:
            return True
        total = self._interpreted_time + seconds
        return total > _LOADING_TIME and (total > self._compile_time or self.is_cached())

    def compile_for(self, seconds: float) -> None:
        """Compile now if compiling saves time, given further work of `seconds` in the interpreter."""
        if self.compiling_pays(seconds):
            _ = self.compiled

    @contextmanager
    def interpreting(self) -> Iterator[None]:
        """Interpret tiered kernels inside the block, and count the time that is not spent in compiled kernels."""
        compiled_time = [0.0]
        start, token = thread_time(), _compiled_time.set(compiled_time)
        try:
            yield
        finally:
            _compiled_time.reset(token)
            self._interpreted_time += thread_time() - start - compiled_time[0]


def _as_record(argument: Any) -> Any:
    """Return an argument for machine code: a record instead of a view of it (:func:`~.kernel_records.view`)."""
    if isinstance(argument, tuple):
        parts = map(_as_record, argument)
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return argument.record if isinstance(argument, SimpleNamespace) else argument


@contextmanager
def interpreted(is_on: bool = True) -> Iterator[None]:
    """Interpret all kernels inside the block, so that they start at once but run slowly; with False, compile all."""
    token = _is_interpreted.set(is_on)
    try:
        yield
    finally:
        _is_interpreted.reset(token)


kernel = Kernel
"""Decorator of a kernel: a function that Python calls, and that is compiled with all steps that it calls."""


def tiered(seconds: float) -> Callable[[Callable[P, R]], Tiered[P, R]]:
    """Return a decorator of kernels that are interpreted until compiling saves time; compiling takes `seconds`.

    With 0 seconds a kernel is compiled, unless an interpreted kernel calls it.
    """
    return lambda function: Tiered(function, seconds)


def step(function: FunctionT) -> FunctionT:
    """Mark a function that kernels call: it is compiled into each kernel; a call from Python is interpreted."""
    _steps.append((function, function, False))
    return function


def step_for(interpreted: Callable[..., Any]) -> Callable[[FunctionT], FunctionT]:
    """Return a decorator of a step that only kernels run; the interpreter runs `interpreted` instead."""

    def register(function: FunctionT) -> FunctionT:
        _steps.append((interpreted, function, False))
        return cast("FunctionT", interpreted)

    return register


def inlined(function: FunctionT) -> FunctionT:
    """Mark a step that is inlined at every call, because it runs every few nanoseconds."""
    _steps.append((function, function, True))
    return function


def _register_steps() -> None:
    """Register new steps with the compiler, and the type of kernels, so that kernels can call each other."""
    if not _steps:
        return
    compiler = _compiler()
    with _registration_lock:
        compiler.register_kernels(Kernel)
        while _steps:
            function, body, is_inlined = _steps[-1]
            compiler.register_step(function, body, inlined=is_inlined)
            _steps.pop()


_ENVIRONMENT = {  # environment variables that can break the compiler: allowed values in words and as a pattern
    "NUMBA_NUM_THREADS": ("a number of 1 or more", r"\s*\+?0*[1-9]\d*\s*"),
    "NUMBA_DISABLE_JIT": ("0, since kernels are always compiled", r"\s*0*\s*"),
    "NUMBA_CPU_FEATURES": ("features such as +avx2,-fma", r"([+-][\w.-]+(,[+-][\w.-]+)*)?"),
}
_WARNING = re.compile(r"Environment variable '(\w+)' is defined but its associated value '(.*?)' could not be parsed")


def _compiler() -> ModuleType:
    """Import and return the compiler; InputError for an environment variable that it cannot use."""
    if (module := sys.modules.get(_COMPILER)) is None:
        for name, (allowed, pattern) in _ENVIRONMENT.items():
            if (value := os.environ.get(name, "")) and not re.fullmatch(pattern, value):
                raise InputError(f"{shown(value)} is not usable", where=name, allowed=allowed)
        with warnings.catch_warnings():
            warnings.filterwarnings("error", _WARNING.pattern, RuntimeWarning)
            try:
                module = importlib.import_module(_COMPILER)
            except RuntimeWarning as error:
                _, name, value, _ = _WARNING.split(str(error), 1)
                raise InputError(
                    f"{value!r} is not usable", where=name, allowed="a value that numba can read"
                ) from None
    return module
