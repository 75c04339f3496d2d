"""The work on a report: parts that are done are kept beside the output, until all of them take its place."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from analyser.common.errors import InputError
from analyser.report.folder import check_replaceable, put_in_place

_STATE, _LOCK = "work.json", "lock"
_MARK = {"program": "analyser", "kind": "unfinished report"}


class Work:
    """A folder with what is done of a report.

    Attributes
    ----------
    report : Path
        The report as it grows.
    parts : Path
        What it is made from.
    scratch : Path
        For files that are not whole yet.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.report, self.parts, self.scratch = (folder / name for name in ("report", "parts", "scratch"))

    def prepare(self, key: str) -> None:
        """Keep what was done with the same `key`, throw away all else."""
        if _state(self.folder).get("key") != key:
            for path in (self.report, self.parts):
                shutil.rmtree(path, ignore_errors=True)
        shutil.rmtree(self.scratch, ignore_errors=True)
        for path in (self.report, self.parts, self.scratch):
            path.mkdir(exist_ok=True)
        (self.folder / _STATE).write_text(json.dumps({**_MARK, "key": key}) + "\n", encoding="utf-8")

    @property
    def has_parts(self) -> bool:
        """Whether there is anything to go on from."""
        return any(path.is_file() for path in self.parts.rglob("*"))


def work_folder(out: Path) -> Path:
    """Where the parts of an unfinished report are kept: beside `out`, with a dot before its name."""
    return out.parent / f".{out.name}.unfinished"


@contextmanager
def work_on(out: Path, key: str) -> Iterator[Work]:
    """A folder to make a report in; in the end the report takes the place of `out`.

    Parameters
    ----------
    out : Path
        Where the report is to be.
    key : str
        Stands for all that the report is made from: what an earlier run with the same key has left is there again.

    Raises
    ------
    InputError
        `out` is not a folder, holds something else than a report, or cannot be written; or another run is writing it.
    KeyboardInterrupt
        As it came; then, and if the process is killed, the work is kept. After any other failure nothing is left,
        and `out` is as it was before.
    """
    out = out.resolve()
    check_replaceable(out)
    made = [folder for folder in out.parents if not folder.exists()]
    work = Work(work_folder(out))
    with _disk_errors(out):
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            with _locked(work, out), _kept_if_stopped(work):
                work.prepare(key)
                yield work
                put_in_place(work.report, out, aside=work.folder / "old")
        finally:
            _remove_empty(made)


@contextmanager
def _disk_errors(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write this report: {error.strerror or error}", where=str(out)) from error


@contextmanager
def _locked(work: Work, out: Path) -> Iterator[None]:
    """Have the work folder for oneself; the lock goes with the process, however that ends."""
    if work.folder.exists() and any(work.folder.iterdir()) and not _is_ours(work.folder):
        raise InputError(
            "this is where unfinished reports are kept, and it holds something else", where=str(work.folder)
        )
    work.folder.mkdir(exist_ok=True)
    lock = FileLock(work.folder / _LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError("another run is writing this report", where=str(out)) from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _kept_if_stopped(work: Work) -> Iterator[None]:
    """After Ctrl-C the work stays, if anything is done; after all else it goes."""
    kept = False
    try:
        yield
    except KeyboardInterrupt:
        kept = work.has_parts
        raise
    finally:
        if not kept:
            shutil.rmtree(work.folder, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    """A killed run can leave the lock alone."""
    state = _state(folder)
    return {path.name for path in folder.iterdir()} == {_LOCK} or all(state.get(key) == _MARK[key] for key in _MARK)


def _state(folder: Path) -> dict[str, object]:
    try:
        state = json.loads((folder / _STATE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
