"""Build the WebAssembly module of the calculator: ``python -m analyser.web.compile_module``.

Numba includes LLVM with a back end for WebAssembly. `ziglang` (the extra `build`) links the kernel with the few
runtime functions that it needs.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analyser.common.kernel_cache import imported_names, module_file, remove_docstrings
from analyser.web.kernels import ARGUMENTS, answer

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"
_STACK = 1 << 20  # bytes
MODULE, RUNTIME = (Path(__file__).with_name(name) for name in ("calculator.wasm", "runtime.c"))
_SECTION = b"analyser"  # custom section with the names of the sources; browsers ignore it
_COMPILERS = ("numba", "llvmlite", "ziglang")
_NAME_LENGTH = re.compile(r"[0-9]+")  # length of the name that follows, in a mangled name


def compile_for_browser() -> tuple[bytes, list[str]]:
    """Return the module and the names of its functions. The process must not have compiled anything before."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)
    module = _translate(machine)
    names = [function.name for function in module.functions]
    return _link(machine.emit_object(_optimise(machine, module))), names


def _translate(machine: Any) -> Any:
    """Return the kernel with all functions that it calls, as an LLVM module that exports only the kernel."""
    import numba
    from numba.core.registry import cpu_target

    first: Any = numba.njit(lambda: None)
    first()  # initialises the compiler for the host machine
    code = cpu_target.target_context.codegen()
    code._tm, code._target_data, code._data_layout = machine, machine.target_data, str(machine.target_data)
    module, name = answer.llvm_module(tuple(numba.from_dtype(dtype) for dtype in ARGUMENTS.values()))
    module.triple = TRIPLE
    module.data_layout = code._data_layout
    for function in module.functions:
        if function.name == name:
            function.name = "kernel"
        elif not function.is_declaration:
            function.linkage = "internal"
            function.add_function_attribute("optsize")
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    return module


def _optimise(machine: Any, module: Any) -> Any:
    import llvmlite.binding as llvm

    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(machine, options)
    for _ in range(2):  # the second pass removes code that the first has made unused (reference counts)
        passes = builder.getModulePassManager()
        passes.add_refprune_pass()
        passes.run(module, builder)
    module.verify()
    return module


def _link(code: bytes) -> bytes:
    sizes = [f"-D{name.upper()}={dtype.itemsize}" for name, dtype in ARGUMENTS.items()]
    exports = [f"--export={name}" for name in ("ask", *ARGUMENTS)]
    with tempfile.TemporaryDirectory() as folder:
        compiled, runtime, module = (Path(folder, name) for name in ("kernel.o", "runtime.o", "module.wasm"))
        compiled.write_bytes(code)
        target = ["-target", "wasm32-freestanding", "-mcpu=generic+bulk_memory", "-O2"]
        _zig("cc", *target, *sizes, "-c", str(RUNTIME), "-o", str(runtime))
        small = ["--no-entry", "--gc-sections", "--strip-all", "--compress-relocations", "-z", f"stack-size={_STACK}"]
        _zig("wasm-ld", *small, *exports, str(runtime), str(compiled), "-o", str(module))
        return module.read_bytes()


def _zig(*command: str) -> None:
    subprocess.run([sys.executable, "-m", "ziglang", *command], check=True)


def with_source_record(module: bytes, modules: Iterable[str]) -> bytes:
    """Return the module with a custom section that names its sources and their digest."""
    names = sorted(modules)
    compilers = {name: version(name) for name in _COMPILERS}
    record = json.dumps({"modules": names, "digest": digest(names), "made_by": compilers}).encode()
    return module + b"\0" + _with_length(_with_length(_SECTION) + record)


def recorded_sources(module: bytes) -> dict[str, Any]:
    """Return the recorded sources of a module."""
    record: dict[str, Any] = json.loads(module[module.rindex(_with_length(_SECTION)) + len(_with_length(_SECTION)) :])
    return record


def _with_length(content: bytes) -> bytes:
    """Return the content, preceded by its length in the encoding LEB128."""
    length, number = bytearray(), len(content)
    while number >= 0x80:
        length.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*length, number]) + content


def modules_with_functions(functions: Iterable[str]) -> set[str]:
    """Return the modules of this package that define functions with these mangled names, and their direct imports.

    >>> "analyser.rules.structs" in modules_with_functions(["_ZN8analyser5rules6attack8set_poolB2v1Exx"])
    True
    """
    direct = {_module_of(name) for name in functions} - {""}
    imported = {name for module in direct for name in imported_names(_path_of(module).read_bytes())}
    return direct | {
        name for name in imported if (path := module_file(name)) is not None and path.name != "__init__.py"
    }


def _module_of(mangled: str) -> str:
    """Return the module of a function from its mangled name, or an empty string."""
    parts, rest = list[str](), mangled.removeprefix("_ZN")
    while (length := _NAME_LENGTH.match(rest)) is not None:
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
    while parts and (parts[0] != "analyser" or module_file(".".join(parts)) is None):
        parts.pop()
    return ".".join(parts)


def _path_of(module: str) -> Path:
    path = module_file(module)
    assert path is not None, f"{module} no longer exists"
    return path


def digest(modules: Iterable[str]) -> str:
    """Return a digest of :data:`RUNTIME` and of the code of modules without docstrings and comments."""
    trees = [_nested_lists(remove_docstrings(ast.parse(_path_of(module).read_bytes()))) for module in modules]
    return hashlib.sha256(repr((trees, RUNTIME.read_bytes())).encode()).hexdigest()


def _nested_lists(node: object) -> object:
    """Return a syntax tree as nested lists, which do not depend on the version of Python."""
    if isinstance(node, ast.AST):
        fields = [(name, _nested_lists(value)) for name, value in ast.iter_fields(node) if value not in (None, [])]
        return [type(node).__name__, *fields]
    return [_nested_lists(item) for item in node] if isinstance(node, list) else repr(node)


def build() -> bytes:
    """Return the module, with a record of the names and the digest of its Python sources."""
    module, functions = compile_for_browser()
    return with_source_record(module, modules_with_functions(functions))


if __name__ == "__main__":
    MODULE.write_bytes(build())
