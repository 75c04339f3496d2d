"""A folder that is written whole or not at all, and that takes nobody else's files away."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from analyser.errors import InputError

MANIFEST = "manifest.json"
MARK = {"program": "analyser", "kind": "report"}
_LEFT_BY_FILE_MANAGERS = {".DS_Store", "Thumbs.db", "desktop.ini"}
_ALLOWED = "a new or empty folder, or one that holds nothing but a report of this program"


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A temporary folder beside `out` to be filled; in the end it takes the place of `out`.

    If anything goes wrong inside, `out` is as it was before and nothing else is left.

    Raises
    ------
    InputError
        `out` is not a folder, holds something else than a report, or cannot be written.
    """
    out = out.resolve()
    check_replaceable(out)
    made = [folder for folder in out.parents if not folder.exists()]
    done = False
    try:
        with _disk_errors(out):
            out.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as temporary:
                filled = Path(temporary) / "new"
                filled.mkdir()
                yield filled
                _put_in_place(filled, out, aside=Path(temporary) / "old")
                done = True
    finally:
        if not done:
            _remove_empty(made)


@contextmanager
def _disk_errors(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write this report: {error.strerror or error}", where=str(out)) from error


def _put_in_place(filled: Path, out: Path, *, aside: Path) -> None:
    """Swap the folders; what stood at `out` comes back if the new one cannot take its place."""
    check_replaceable(out)  # the work took a while: somebody may have put a file there
    try:
        if out.exists():
            out.rename(aside)
        filled.rename(out)
    except BaseException:
        if aside.exists() and not out.exists():
            aside.rename(out)
        raise


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def check_replaceable(out: Path) -> None:
    """Refuse an `out` that holds anything but an earlier report.

    Raises
    ------
    InputError
        It is a file, or a folder with something of somebody else's in it.
    """
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError("this is not a folder", where=str(out), allowed=_ALLOWED)
    found = {each.name for each in out.iterdir()} - _LEFT_BY_FILE_MANAGERS
    if not found:
        return
    others = sorted(found - _files_of_report(out))
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        raise InputError(f"this folder holds other files: {others[0]}{more}", where=str(out), allowed=_ALLOWED)


def _files_of_report(folder: Path) -> set[str]:
    """The names that the manifest in `folder` vouches for; none if there is no manifest of ours."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    if not isinstance(manifest, dict) or any(manifest.get(key) != value for key, value in MARK.items()):
        return set()
    files = manifest.get("files")
    return {MANIFEST, *files} if isinstance(files, dict) else set()


def write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    """Write `facts` as the manifest of `folder`, with the SHA-256 of every other file in it."""
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}
    text = json.dumps({**MARK, **facts, "files": files}, indent=2, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8", newline="\n")
