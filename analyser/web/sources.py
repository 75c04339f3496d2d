"""Sources that the WebAssembly module was made of, named in the module itself, so that a test sees that it is stale."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analyser.common.kernel_cache import file_of, named_by, without_docstrings

RUNTIME = Path(__file__).with_name("runtime.c")
_SECTION = b"analyser"  # name of the custom section, which browsers skip
_MAKERS = ("numba", "llvmlite", "ziglang")
_LENGTH = re.compile(r"[0-9]+")


def signed(module: bytes, modules: Iterable[str]) -> bytes:
    """Return the module with a custom section at its end: the Python modules that it was made of, and their digest."""
    named = sorted(modules)
    made_by = {name: version(name) for name in _MAKERS}
    about = json.dumps({"modules": named, "digest": digest(named), "made_by": made_by}).encode()
    return module + b"\0" + _counted(_counted(_SECTION) + about)


def sources_of(module: bytes) -> dict[str, Any]:
    """Return what a module says that it was made of: `modules`, their `digest` then, and versions of its makers."""
    about: dict[str, Any] = json.loads(module[module.rindex(_counted(_SECTION)) + len(_counted(_SECTION)) :])
    return about


def _counted(content: bytes) -> bytes:
    """The content with its length before it (LEB128)."""
    length, number = bytearray(), len(content)
    while number >= 0x80:
        length.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*length, number]) + content


def modules_of(functions: Iterable[str]) -> set[str]:
    """Return the modules of this package that hold functions of those mangled names, and those that these import.

    Examples
    --------
    >>> "analyser.rules.structs" in modules_of(["_ZN8analyser5rules6attack8set_poolB2v1Exx"])
    True
    """
    reached = {_module_of(name) for name in functions} - {""}
    imported = {name for module in reached for name in named_by(_path_of(module).read_bytes())}
    return reached | {name for name in imported if (path := file_of(name)) is not None and path.name != "__init__.py"}


def _module_of(mangled: str) -> str:
    """The module of a function, whose mangled name has its parts with their lengths before them; or nothing."""
    parts, rest = list[str](), mangled.removeprefix("_ZN")
    while (length := _LENGTH.match(rest)) is not None:
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
    while parts and (parts[0] != "analyser" or file_of(".".join(parts)) is None):
        parts.pop()
    return ".".join(parts)


def _path_of(module: str) -> Path:
    path = file_of(module)
    assert path is not None, f"{module} is no longer there"
    return path


def digest(modules: Iterable[str]) -> str:
    """Return a digest of the code of modules and of the C of :data:`RUNTIME`; docstrings and comments do not count."""
    trees = [_parts(without_docstrings(ast.parse(_path_of(module).read_bytes()))) for module in modules]
    return hashlib.sha256(repr((trees, RUNTIME.read_bytes())).encode()).hexdigest()


def _parts(node: object) -> object:
    """A syntax tree as nested lists that are the same on every version of Python."""
    if isinstance(node, ast.AST):
        fields = [(name, _parts(value)) for name, value in ast.iter_fields(node) if value not in (None, [])]
        return [type(node).__name__, *fields]
    return [_parts(each) for each in node] if isinstance(node, list) else repr(node)
