"""How kernels are compiled: steps together with the kernel that calls them, optimised once.

The compiler would optimise every function by itself and turn it into machine code, though only the outermost is ever
called from Python. Here what a kernel calls is translated and no more; the kernel links whatever it reaches, and the
optimiser sees all of it at once. That takes less than half the time.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from typing import Any

import numba
from llvmlite.binding import Linkage  # type: ignore[import-untyped]
from numba import _dynfunc, types  # type: ignore[attr-defined]
from numba.core import event, ir, itanium_mangler, utils
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.cpu import CPUContext
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import TargetConfig
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import (
    AnnotateTypes,
    DumpParforDiagnostics,
    InlineOverloads,
    NativeLowering,
    NopythonRewrites,
    NoPythonSupportedFeatureValidation,
)
from numba.core.typing.context import Context
from numba.core.typing.npydecl import NumpyRulesArrayOperator
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    WithLifting,
)
from numba.extending import overload, typeof_impl
from numba.np import arrayobj

from analyser.common.kernel_cache import KernelCache

# For functions within functions, blocks under with, expressions of whole arrays, exceptions, and who reads types.
_OF_NO_USE = (
    WithLifting,
    InlineClosureLikes,
    InlineInlinables,
    LiteralUnroll,
    InlineOverloads,
    NopythonRewrites,
    FindLiterallyCalls,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    NoPythonSupportedFeatureValidation,
    AnnotateTypes,
    DumpParforDiagnostics,
)
_EXECUTABLE = CPUContext.get_executable
_NAME_OF_TYPE: Any = itanium_mangler.mangle_type_or_value
_LONGEST_NAME, _DIGEST = 60, 20


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
    """What is translated and waits: a kernel links it as it is, and whatever else calls it has it finished first."""

    def _optimize_functions(self, module: Any) -> None:
        # Nine in ten are declared alone; to set up the passes for them took an eighth of the time.
        super()._optimize_functions(_Defined(module))

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def as_part(self) -> Any:
        """A copy of the module, whose functions are dropped where nothing is left that calls them."""
        part = self._final_module.clone()
        for each in part.functions:
            if not each.is_declaration and each.linkage == Linkage.external:
                each.linkage = "linkonce_odr"
        return part


class _KernelCode(_Code):
    """A kernel and all that it reaches, as machine code."""

    def finalize(self) -> None:
        reached = list(dict.fromkeys(self._linking_libraries))
        for library in reached:  # which grows
            if not library._finalized:
                self._final_module.link_in(library.as_part())
                reached += [each for each in dict.fromkeys(library._linking_libraries) if each not in reached]
        self._linking_libraries = [each for each in reached if each._finalized]
        # Nobody else calls what it has linked: what is called from one place is written out there, half as fast again.
        for each in self._final_module.functions:
            if each.linkage == Linkage.linkonce_odr and not each.is_declaration:
                each.linkage = "internal"
        super().finalize()


# Expressions whose arrays are those of others, or parts of them.
_VIEWS = ("getattr", "getitem", "static_getitem", "typed_getitem", "cast", "phi")
_PARTS = ("build_tuple", "exhaust_iter", "getiter", "iternext", "pair_first", "pair_second")
_BORROWING = frozenset((*_VIEWS, *_PARTS))


def _owns_arrays(state: Any) -> bool:
    """Whether a function makes arrays, or hands some out, so that who uses them must be counted."""
    models = state.targetctx.data_model_manager

    def is_counted(kind: Any) -> bool:
        return bool(models[kind].contains_nrt_meminfo())

    if is_counted(state.return_type):
        return True
    for block in state.func_ir.blocks.values():
        for each in block.body:
            if isinstance(each, (ir.SetItem, ir.StaticSetItem)) and is_counted(state.typemap[each.value.name]):
                return True
            made = isinstance(each, ir.Assign) and isinstance(each.value, ir.Expr) and each.value.op not in _BORROWING
            if made and is_counted(state.typemap[each.target.name]):
                return True
    return False


_INDEX: Any = arrayobj.fix_integer_index
_NEVER_FROM_THE_END = "analyser.engine.battle."  # modules that count no index from the end of an array


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """An index as a machine has it: where none is negative, nobody looks whether it is, three instructions each."""
    if kind.signed and getattr(context, "never_from_the_end", False):
        return context.cast(builder, index, kind, types.intp)
    return _INDEX(context, builder, kind, index, size)


def _context_of(state: Any) -> Any:
    """What a function is lowered with, by the module that it stands in."""
    context = copy(state.targetctx)
    context.never_from_the_end = state.func_id.modname.startswith(_NEVER_FROM_THE_END)
    return context


@register_pass(mutates_CFG=True, analysis_only=False)
class _StepLowering(NativeLowering):
    """A step whose arrays all belong to who calls it counts no users of them, which takes longer than many a step."""

    _name = "analyser_step_lowering"

    def run_pass(self, state: Any) -> bool:
        state.targetctx = _context_of(state)
        if not _owns_arrays(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    _name = "analyser_kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _KernelCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.targetctx = _context_of(state)
        return bool(super().run_pass(state))


def _entry(context: CPUContext, library: Any, described: Any, env: Any) -> Any:
    """What is called from Python has an entry point; of a step it is a name alone, by which kernels find it."""
    if isinstance(library, _KernelCode):
        return _EXECUTABLE(context, library, described, env)
    return _dynfunc.make_function(described.lookup_module(), described.qualname, "a step", 0, env, (library,))


@cache
def _short_name(what: types.Type) -> str:
    """The name of a type within names of functions: that of a record says every field, up to 16,000 letters in each."""
    name: str = _NAME_OF_TYPE(what)
    return name if len(name) <= _LONGEST_NAME else f"{_DIGEST}{hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]}"


def _name_of(what: Any) -> str:
    return _short_name(what) if isinstance(what, types.Type) else str(_NAME_OF_TYPE(what))


def _hash_of_options(options: TargetConfig) -> int:
    return hash(frozenset(options._values))


def _same_options(options: TargetConfig, others: object) -> bool:
    """By those that are set: to look each of them up by its default took a twentieth of the time."""
    return isinstance(others, TargetConfig) and bool(options._values == others._values)


_ORDER_OF: Any = utils.order_by_target_specificity
_MATCH_OF_ARRAYS: Any = NumpyRulesArrayOperator.generic
_PROCESSED: Any = PostProcessor.run


@cache
def _order_of(target: Any, templates: tuple[Any, ...]) -> list[Any]:
    return list(_ORDER_OF(target, templates))


def _match_of_arrays(rules: Any, arguments: Any, keywords: Any) -> Any:
    """Operators of arrays do not match numbers, which they would try with every type that these can turn into."""
    for each in arguments:
        if isinstance(getattr(each, "type", each), types.ArrayCompatible):
            return _MATCH_OF_ARRAYS(rules, arguments, keywords)
    return None


def _processed(code: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Without what only generators and the interpreter are told of: which variables are alive where."""
    function = code.func_ir
    if emit_dels or function.is_generator:
        _PROCESSED(code, emit_dels, extend_lifetimes)
        return
    function.blocks = canonicalize_cfg(function.blocks)
    function.variable_lifetime = VariableLifetime(function.blocks)
    function.generator_info = None


def _with_intrinsics(context: CPUContext) -> None:
    """The first registry is where the compiler puts what it meets; the others are as they were for the kernel."""
    context.install_registry(next(iter(context._registries)))


def _variables(_: Any, value: Any) -> list[Any]:
    """The variables in a part of a statement, by the most frequent kinds first."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind is ir.Loc or kind is str or value is None:
        return []
    if isinstance(value, ir.Inst):
        return list(value.list_vars())
    if kind is dict:
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [variable for each in value for variable in _variables(_, each)]


# What the compiler has of its own, and what takes its place while a kernel is compiled.
_IN_PLACE: tuple[tuple[Any, str, Any], ...] = (
    (JITCPUCodegen, "_library_class", _Code),
    (CPUContext, "get_executable", _entry),
    (CPUContext, "create_cfunc_wrapper", lambda *_: None),
    *((itanium_mangler, name, _name_of) for name in ("mangle_type_or_value", "mangle_type", "mangle_value")),
    (TargetConfig, "__hash__", _hash_of_options),
    (TargetConfig, "__eq__", _same_options),
    (utils, "order_by_target_specificity", lambda target, templates, **_: _order_of(target, tuple(templates))),
    (NumpyRulesArrayOperator, "generic", _match_of_arrays),
    (PostProcessor, "run", _processed),
    (arrayobj, "fix_integer_index", _index),
    (CPUContext, "load_additional_registries", _with_intrinsics),
    (Context, "load_additional_registries", lambda _: None),
    (ir.Inst, "_rec_list_vars", _variables),
    *((event, name, lambda *_, **__: None) for name in ("start_event", "end_event")),  # which nobody listens to
)


@contextmanager
def _translated_alone() -> Iterator[None]:
    """Inside this, which the compiler's lock guards, what a kernel calls is translated and no more.

    That holds for what the compiler brings itself, as `np.zeros`. And nobody looks for garbage among the millions of
    objects that the compiler makes and keeps: that took an eighth of the time.
    """
    was_on, own = gc.isenabled(), [vars(where)[name] for where, name, _ in _IN_PLACE]
    gc.disable()
    for where, name, other in _IN_PLACE:
        setattr(where, name, other)
    try:
        yield
    finally:
        for (where, name, _), before in zip(_IN_PLACE, own):
            setattr(where, name, before)
        if was_on:
            gc.enable()


class _Passes(PassManager):
    """The compiler's passes, without a check and a report of all types after each of them."""

    def _runPass(self, _: int, one: Any, state: Any) -> None:  # noqa: N802
        one.analysis = self._analysis
        one.run_pass(state)


class _StepPipeline(CompilerBase):
    """The compiler's own, without what the rules have no use for, which took a fourteenth of the time."""

    lowering: type[NativeLowering] = _StepLowering

    def define_pipelines(self) -> list[Any]:
        passes = _Passes("nopython")
        every = DefaultPassBuilder.define_nopython_pipeline(self.state).passes
        kept = [(each, what) for each, what in every if each not in _OF_NO_USE]
        passes.passes = [(self.lowering if each is NativeLowering else each, what) for each, what in kept]
        passes.finalize()
        return [passes]


class _KernelPipeline(_StepPipeline):
    lowering = _KernelLowering

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        with _translated_alone():
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
