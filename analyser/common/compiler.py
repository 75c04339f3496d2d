"""How kernels are compiled: steps together with the kernel that calls them, optimised once.

The compiler would optimise every function by itself and turn it into machine code, though only the outermost is ever
called from Python. Here a step is translated and no more; a kernel links the steps that it reaches, and the optimiser
sees all of it at once. That takes half the time.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba import _dynfunc, types  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.extending import overload, typeof_impl

from analyser.common.kernel_cache import KernelCache


class _Defined:
    """A module of LLVM, of whose functions only those are seen that it defines."""

    def __init__(self, module: Any) -> None:
        self.__dict__["_module"] = module

    @property
    def functions(self) -> list[Any]:
        return [each for each in self._module.functions if not each.is_declaration]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_module"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._module, name, value)


class _Code(JITCodeLibrary):
    def _optimize_functions(self, module: Any) -> None:
        # Nine in ten are declared alone; to set up the passes for them took an eighth of the time.
        super()._optimize_functions(_Defined(module))


class _StepCode(_Code):
    """A step, optimised by itself alone, and no machine code."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True


class _KernelCode(_Code):
    """A kernel and all steps that it reaches, as machine code."""

    def add_linking_library(self, library: Any) -> None:
        if not isinstance(library, _StepCode):
            library._ensure_finalized()
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        reached: dict[int, Any] = {}
        waiting = list(self._linking_libraries)
        while waiting:
            library = waiting.pop(0)
            if reached.setdefault(id(library), library) is library and isinstance(library, _StepCode):
                waiting += (each for each in library._linking_libraries if id(each) not in reached)
        self._linking_libraries = list(reached.values())
        super().finalize()


@register_pass(mutates_CFG=True, analysis_only=False)
class _StepLowering(NativeLowering):
    _name = "analyser_step_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _StepCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # What is called from Python has an entry point; here it is a name alone, by which kernels find the step.
        described = state.cr.fndesc
        entry = _dynfunc.make_function(
            described.lookup_module(), described.qualname, "a step", 0, state.cr.env, (state.library,)
        )
        state.targetctx.insert_user_function(entry, described, [state.library])
        state.cr = state.cr._replace(cfunc=entry)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    _name = "analyser_kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _KernelCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@contextmanager
def _no_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Pipeline(CompilerBase):
    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if each is NativeLowering else each, what) for each, what in passes.passes]
        passes.finalize()
        return [passes]


class _StepPipeline(_Pipeline):
    lowering = _StepLowering


class _KernelPipeline(_Pipeline):
    lowering = _KernelLowering

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        # The compiler makes millions of objects and keeps most: looking for garbage among them takes an eighth of it.
        with _no_collection():
            return super().compile_extra(func)


def compiled(function: Callable[..., Any]) -> Any:
    """The compiler's own object for a kernel, which compiles for each new signature of arguments.

    ``fastmath`` stays off: an exact sum is added up in the order that the code says. Division by zero follows IEEE 754,
    which costs no branch; no kernel divides by anything that can be zero.
    """
    options: Any = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "pipeline_class": _KernelPipeline}
    dispatcher: Any = numba.njit(**options)(function)
    dispatcher._cache = KernelCache(function)
    return dispatcher


def tell_of_step(function: Callable[..., Any], body: Callable[..., Any], *, inlined: bool) -> None:
    """Let kernels call a function, as a part of them; they run `body`, the function itself or another form of it."""
    options: Any = {"forceinline": inlined, "error_model": "numpy", "pipeline_class": _StepPipeline}

    @overload(function, jit_options=options, strict=False)
    def of_any_types(*_: Any, **__: Any) -> Callable[..., Any]:
        return body


def tell_of_kernels(kernel: type[Any]) -> None:
    """Let kernels, objects of that class, call each other: then they are steps like others."""
    options: Any = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    @typeof_impl.register(kernel)
    def type_of(one: Any, _: Any) -> Any:
        one.as_step = one.as_step or numba.njit(pipeline_class=_StepPipeline, **options)(one.function)
        return types.Dispatcher(one.as_step)
