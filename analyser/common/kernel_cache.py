"""Cache on disk of kernels (functions compiled with Numba); the key is a digest of their source code.

Numba's cache checks only the file of the kernel. Here the key is a digest of the kernel's module and of all modules of
this package that it imports, directly or indirectly. So a changed module recompiles only kernels that import it.
File times, comments and docstrings have no effect.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import pickle
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analyser.common.files import write_content

_ROOT = Path(__file__).parents[1]
_IMPORTS = re.compile(rb"^(?:from (analyser[\w.]*) import (\([^)]*\)|[^\n]*)|import (analyser[\w.]*))", re.M)
_NAME = re.compile(rb"\w+")
_DIGEST_BYTES = 32
_DIGESTS_FILE, _MOST_DIGESTS, _HEX_DIGEST = "digests.json", 1000, re.compile("[0-9a-f]{64}")
_WRITABLE_BY_OTHERS, _STICKY = 0o022, 0o1000  # bits of the mode of a folder


class CacheWarning(UserWarning):
    """Warning that compiled kernels cannot be stored, so the next process compiles them again."""


class KernelCache:
    """Cache of one kernel, with the interface of Numba's caches.

    A damaged file is deleted, and the kernel is compiled again. Folders that other users can write to are not used,
    because the files are executed.
    """

    def __init__(self, function: Any) -> None:
        self._function = function
        self._sources = _digest_of_sources(Path(function.__code__.co_filename))
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"

    @property
    def cache_path(self) -> str | None:
        """Folder of the stored kernel; None if no folder can be used."""
        folder = folder_for(Path(self._function.__code__.co_filename))
        return None if folder is None else str(folder)

    def is_cached(self) -> bool:
        """Return True if a kernel compiled from the present sources is on disk, for any types of arguments."""
        return self.cache_path is not None and any(Path(self.cache_path).glob(f"{self._name}-*-{self._sources}.nbc"))

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature, or None."""
        path = self._path(signature, target_context.codegen())
        if path is None:
            return None
        try:
            content = path.read_bytes()
            digest, payload = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
            if hashlib.sha256(payload).digest() != digest:
                raise ValueError("damaged")
            from numba.core.compiler import CompileResult
            from numba.core.runtime.nrt import rtsys

            rtsys.initialize(target_context)  # enough for machine code; initialising the compiler takes 0.5 s more
            return CompileResult._rebuild(target_context, *pickle.loads(payload))  # type: ignore[no-untyped-call]
        except (OSError, MemoryError):
            return None
        except Exception:  # any error of a damaged or foreign file: compile instead
            _remove(path)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store a compiled kernel and delete those built from older sources."""
        path = self._path(signature, compiled.codegen)
        if path is None or compiled.lifted or compiled.library.has_dynamic_globals:
            return
        from numba.core.serialize import dumps

        try:
            payload: bytes = dumps(compiled._reduce())  # type: ignore[no-untyped-call]
        except RuntimeError:  # there is no machine code: a Ctrl-C was lost in a callback
            raise KeyboardInterrupt from None
        try:
            write_content(path, hashlib.sha256(payload).digest() + payload)
        except ValueError:  # the folder is no longer writable, or the disk is full
            _warn_once()
            return
        for other in path.parent.glob(f"{path.name.rpartition('-')[0]}-*.nbc"):
            if other != path:
                _remove(other)

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        machine = (str(signature), codegen.magic_tuple(), sys.version_info[:2], version("numba"))
        digest = hashlib.sha256(repr(machine).encode()).hexdigest()[:16]
        folder = self.cache_path
        return None if folder is None else Path(folder, f"{self._name}-{digest}-{self._sources}.nbc")


def _remove(path: Path) -> None:
    with suppress(OSError):  # no permission
        path.unlink(missing_ok=True)


@lru_cache(maxsize=1)
def _warn_once() -> None:
    warnings.warn(
        "compiled kernels cannot be stored, so each process compiles them again; set NUMBA_CACHE_DIR to a folder that"
        " only you can write to",
        CacheWarning,
        stacklevel=2,
    )


@lru_cache(maxsize=256)
def folder_for(source: Path) -> Path | None:
    """Return a folder that only this user can write to, for the kernels of a source file; None if there is none."""
    for folder in _folders(source):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK) and _is_private(folder):
            return folder
    _warn_once()
    return None


def _folders(source: Path) -> Iterator[Path]:
    package = hashlib.sha256(str(_ROOT).encode()).hexdigest()[:16]
    if stated := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(stated).absolute() / f"analyser-{package}"
        return
    yield source.parent / "__pycache__"
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # no home directory
        return
    yield home / "analyser" / package


def _is_private(folder: Path) -> bool:
    """Return True if only this user and the system can add or replace files in a folder."""
    if not hasattr(os, "getuid"):
        return True
    owners = (os.getuid(), 0)
    for parent in (folder.resolve(), *folder.resolve().parents):
        status = parent.stat()
        shared = status.st_mode & _WRITABLE_BY_OTHERS and not (parent != folder.resolve() and status.st_mode & _STICKY)
        if status.st_uid not in owners or shared:
            return False
    return True


def _digest_of_sources(source: Path) -> str:
    """Return a digest of the code of a source file and of all package modules that it imports, also indirectly."""
    digests: dict[Path, bytes] = {}
    waiting, number_known = [source], len(_known_digests())
    while waiting:
        path = waiting.pop()
        if path not in digests:
            digests[path], imported = _digest_and_imports(path)
            waiting.extend(imported)
    if len(_known_digests()) > number_known:
        _store_digests(_known_digests())
    by_name = sorted((path.name, digest) for path, digest in digests.items())
    return hashlib.sha256(repr(by_name).encode()).hexdigest()[:24]


@lru_cache(maxsize=1024)
def _digest_and_imports(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """Return the digest of the code of a source file, and the files of this package that it imports from."""
    content, known = path.read_bytes(), _known_digests()
    key = hashlib.sha256(sys.version.encode() + content).hexdigest()
    if key not in known:
        known[key] = hashlib.sha256(ast.dump(remove_docstrings(ast.parse(content))).encode()).hexdigest()
    files = (file for name in imported_names(content) if (file := module_file(name)) is not None)
    return bytes.fromhex(known[key]), tuple(files)


@lru_cache(maxsize=1)
def _known_digests() -> dict[str, str]:
    """Return stored digests of code, by digests of Python version and source text; computing all takes 0.4 s."""
    with suppress(OSError, ValueError, AttributeError, TypeError):
        known = json.loads((folder_for(Path(__file__)) / _DIGESTS_FILE).read_bytes())  # type: ignore[operator]
        return {key: value for key, value in known.items() if _HEX_DIGEST.fullmatch(value)}
    return {}


def _store_digests(known: dict[str, str]) -> None:
    folder = folder_for(Path(__file__))
    if folder is not None:
        with suppress(OSError, ValueError):  # then the next process computes the digests again
            write_content(folder / _DIGESTS_FILE, json.dumps(dict(list(known.items())[-_MOST_DIGESTS:])))


def imported_names(content: bytes) -> set[str]:
    """Return the full names of what a source file imports from this package: modules, and names in modules."""
    imported = set()
    for package, names, module in _IMPORTS.findall(content):
        imported.add(module or package)
        imported.update(package + b"." + name for name in _NAME.findall(names))
    return {name.decode() for name in imported}


def remove_docstrings(module: ast.Module) -> ast.Module:
    """Remove the docstrings of a module and of its classes, methods and functions; return the module."""
    waiting: list[ast.Module | ast.ClassDef | ast.FunctionDef] = [module]
    while waiting:
        tree = waiting.pop()
        if ast.get_docstring(tree, clean=False) is not None:
            tree.body[0:1] = [] if len(tree.body) > 1 else [ast.copy_location(ast.Pass(), tree.body[0])]
        waiting += [part for part in tree.body if isinstance(part, (ast.ClassDef, ast.FunctionDef))]
    return module


def module_file(module: str) -> Path | None:
    """Return the file of a module of this package; None for the package itself, or if there is no such module."""
    _, _, name = module.partition(".")
    stem = _ROOT.joinpath(*name.split("."))
    path = stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")
    return path if name and path.is_file() else None
