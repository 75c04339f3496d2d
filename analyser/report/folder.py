"""A folder that is written whole or not at all, and that takes nobody else's files away."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from analyser.common.errors import InputError

MANIFEST = "manifest.json"
MARK = {"program": "analyser", "kind": "report"}
_LEFT_BY_FILE_MANAGERS = {".DS_Store", "Thumbs.db", "desktop.ini"}
_ALLOWED = "a new or empty folder, or one that holds nothing but a report of this program"


def put_in_place(filled: Path, out: Path, *, aside: Path) -> None:
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
    ours = _files_of_report(out)
    found = _files_in(out) if ours else [path.name for path in out.iterdir()]
    others = sorted(name for name in found if name not in ours and Path(name).name not in _LEFT_BY_FILE_MANAGERS)
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        raise InputError(f"this folder holds other files: {others[0]}{more}", where=str(out), allowed=_ALLOWED)


def _files_in(folder: Path) -> list[str]:
    """The names of all files in `folder` and the folders in it, and of those that are empty, from `folder` on."""
    found = [path for path in folder.rglob("*") if not path.is_dir() or not any(path.iterdir())]
    return sorted(path.relative_to(folder).as_posix() for path in found)


def is_report(folder: Path) -> bool:
    """Whether `folder` holds a report: it has a manifest of ours."""
    return bool(_files_of_report(folder))


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
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in _files_in(folder)}
    text = json.dumps({**MARK, **facts, "files": files}, indent=2, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8", newline="\n")
