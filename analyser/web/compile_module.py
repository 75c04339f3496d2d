"""Build the WebAssembly module of the calculator: ``python -m analyser.web.compile_module``.

Numba includes LLVM with a back end for WebAssembly. `ziglang` (the extra `build`) links the kernel with the few
runtime functions that it needs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from analyser.web.kernels import ARGUMENTS, answer
from analyser.web.source_digest import RUNTIME, modules_with_functions, with_source_record

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"
_STACK = 1 << 20  # bytes
MODULE = Path(__file__).with_name("calculator.wasm")


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


def build() -> bytes:
    """Return the module, with a record of the names and the digest of its Python sources."""
    module, functions = compile_for_browser()
    return with_source_record(module, modules_with_functions(functions))


if __name__ == "__main__":
    MODULE.write_bytes(build())
