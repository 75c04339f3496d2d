"""Compile kernels with Numba: a kernel and all steps (functions that it calls) are optimised once, together.

Numba compiles every function to machine code, although Python calls only the kernel. Here a step is only translated to
LLVM code. The kernel links all steps that it reaches, and the optimiser runs once, which takes less than half the time.
While a kernel is compiled, internal methods of Numba are replaced, but only in tested versions (:data:`LINKS_ONCE`).
Other versions of Numba are not modified and compile the same kernels more slowly; the results are the same.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from llvmlite.binding import Linkage  # type: ignore[import-untyped]
from numba import _dynfunc, types  # type: ignore[attr-defined]
from numba.core.base import BaseContext
from numba.core.cgutils import raw_memcpy
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.cpu import CPUContext
from numba.core.funcdesc import default_mangler
from numba.core.typed_passes import NativeLowering
from numba.extending import overload, typeof_impl

from analyser.common.kernel_cache import KernelCache

TESTED = ((0, 67), (0, 68))
"""Versions of Numba with which linking before optimisation was tested."""
LINKS_ONCE = numba.version_info.short in TESTED
"""True if kernels are linked with their steps before optimisation; False if unmodified Numba compiles them."""

_DIGITS = 16  # hexadecimal digits of a digest in a name
_NUMBA_GET_EXECUTABLE, _NUMBA_PACK_VALUE = CPUContext.get_executable, BaseContext.pack_value


class _Code(JITCodeLibrary):
    """Translated code of a step: kernels link it unoptimised; any other use finalises it first."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def as_part(self) -> Any:
        """Return a copy of the module; in the copy the linker drops functions without a caller."""
        part = self._final_module.clone()
        for function in part.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"
        return part


class _LinkedCode(_Code):
    """A kernel and all steps that it reaches, not optimised."""

    def link(self) -> Any:
        """Link all steps that the kernel reaches into its module, and return the module."""
        reached = list(dict.fromkeys(self._linking_libraries))
        for library in reached:  # the loop appends libraries
            if not library._finalized:
                self._final_module.link_in(library.as_part())
                reached += [part for part in dict.fromkeys(library._linking_libraries) if part not in reached]
        self._linking_libraries = [library for library in reached if library._finalized]
        # LLVM inlines internal functions with one caller, which makes kernels 1.5 times as fast.
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = "internal"
        return self._final_module


class _KernelCode(_LinkedCode):
    """A kernel and all steps that it reaches, as machine code."""

    def finalize(self) -> None:
        self.link()
        super().finalize()


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    _name = "analyser_kernel_lowering"
    _code: type[_LinkedCode] = _KernelCode

    def run_pass(self, state: Any) -> bool:
        state.library = self._code(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _LinkedLowering(_KernelLowering):
    _name = "analyser_linked_lowering"
    _code = _LinkedCode


def _entry_point(context: CPUContext, library: Any, described: Any, env: Any) -> Any:
    """Return the entry point of a kernel; for a step, a dummy function that holds the step's library for kernels."""
    if isinstance(library, _KernelCode):
        return _NUMBA_GET_EXECUTABLE(context, library, described, env)
    return _dynfunc.make_function(described.lookup_module(), described.qualname, "a step", 0, env, (library,))


def _short_name(_: BaseContext, name: str, arguments: Any, *, abi_tags: Any = (), uid: int | None = None) -> Any:
    """Return an LLVM name with a digest of the types; the full types take 30 kB for a record of arrays."""
    digest = hashlib.sha256(repr(arguments).encode()).hexdigest()[:_DIGITS]
    return default_mangler(name, (digest,), abi_tags=abi_tags, uid=uid)


def _pack(context: BaseContext, builder: Any, kind: Any, value: Any, pointer: Any, align: int | None = None) -> None:
    """Store a value in an array. A record is copied as one block; LLVM would copy it byte by byte."""
    if isinstance(kind, types.Record):
        raw_memcpy(builder, pointer, value, context.get_constant(types.intp, kind.size), 1)
    else:
        _NUMBA_PACK_VALUE(context, builder, kind, value, pointer, align)


# Owner and name of each replaced method of Numba, and its replacement.
_REPLACED: tuple[tuple[Any, str, Any], ...] = (
    (JITCPUCodegen, "_library_class", _Code),
    (CPUContext, "get_executable", _entry_point),
    (CPUContext, "create_cfunc_wrapper", lambda *_: None),
    (BaseContext, "mangler", _short_name),
    (BaseContext, "pack_value", _pack),
)


@contextmanager
def _linking_once() -> Iterator[None]:
    """Replace methods of Numba inside the block; the caller holds the compiler's lock."""
    originals = [vars(owner)[name] for owner, name, _ in _REPLACED]
    for owner, name, replacement in _REPLACED:
        setattr(owner, name, replacement)
    try:
        yield
    finally:
        for (owner, name, _), original in zip(_REPLACED, originals):
            setattr(owner, name, original)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Switch off garbage collection inside the block, because it takes an eighth of the compile time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _KernelPipeline(CompilerBase):
    """Numba's passes, but the pass that translates a kernel to LLVM uses a library that links the kernel's steps."""

    _lowering = _KernelLowering

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self._lowering if step is NativeLowering else step, text) for step, text in passes.passes]
        passes.finalize()
        return [passes]

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        with _linking_once(), _without_garbage_collection():
            return super().compile_extra(func)


class _LinkedPipeline(_KernelPipeline):
    _lowering = _LinkedLowering


def llvm_module(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """Return a kernel for these types of arguments as an unoptimised LLVM module, and its name in the module.

    The module is for another machine, such as WebAssembly. The caller must set Numba's data layout to that of the
    machine before anything is compiled.
    """
    options: Any = {"error_model": "numpy", "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    dispatcher: Any = numba.njit(nogil=True, pipeline_class=_LinkedPipeline, **options)(function)
    dispatcher.compile(arguments)
    compiled = dispatcher.overloads[arguments]
    return compiled.library.link(), compiled.fndesc.llvm_func_name


def dispatcher_of(function: Callable[..., Any]) -> Any:
    """Return the Numba dispatcher of a kernel; it compiles the kernel once for each signature of arguments.

    ``fastmath`` stays off, so that sums are added in the order of the code. Division follows IEEE 754 without a check
    for zero; no kernel divides by zero.
    """
    options: Any = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    if LINKS_ONCE:
        options["pipeline_class"] = _KernelPipeline
    dispatcher: Any = numba.njit(**options)(function)
    dispatcher._cache = KernelCache(function)
    return dispatcher


def register_step(function: Callable[..., Any], body: Callable[..., Any], *, inlined: bool) -> None:
    """Let kernels call `function` as a step; compiled kernels run `body`, which is that function or an equivalent."""
    options: Any = {"forceinline": inlined, "error_model": "numpy"}

    @overload(function, jit_options=options, strict=False)
    def body_for(*_: Any, **__: Any) -> Callable[..., Any]:
        return body


def register_kernels(kernel: type[Any]) -> None:
    """Let objects of the class `kernel` call each other as steps."""
    options: Any = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    @typeof_impl.register(kernel)
    def type_of(called: Any, _: Any) -> Any:
        called.as_step = called.as_step or numba.njit(**options)(called.function)
        return types.Dispatcher(called.as_step)
