"""Record of the sources of the WebAssembly module, so that a test can detect a stale build."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analyser.common.kernel_cache import imported_names, module_file, remove_docstrings

RUNTIME = Path(__file__).with_name("runtime.c")
_SECTION = b"analyser"  # name of the custom section, which browsers ignore
_COMPILERS = ("numba", "llvmlite", "ziglang")
_NAME_LENGTH = re.compile(r"[0-9]+")  # before each name in a mangled name


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
    """Return a digest of the code of modules and of :data:`RUNTIME`, without docstrings and comments."""
    trees = [_nested_lists(remove_docstrings(ast.parse(_path_of(module).read_bytes()))) for module in modules]
    return hashlib.sha256(repr((trees, RUNTIME.read_bytes())).encode()).hexdigest()


def _nested_lists(node: object) -> object:
    """Return a syntax tree as nested lists, which do not depend on the version of Python."""
    if isinstance(node, ast.AST):
        fields = [(name, _nested_lists(value)) for name, value in ast.iter_fields(node) if value not in (None, [])]
        return [type(node).__name__, *fields]
    return [_nested_lists(each) for each in node] if isinstance(node, list) else repr(node)
