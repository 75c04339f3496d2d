"""Store of a sweep: the frozen plan, the finished parts, and a log.

Each part is a file whose name has its number, the digest of its content, and its length. So the store needs no index,
two processes that compute the same part write the same file, and damage can be detected.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from analyser.common.errors import InputError, reason_of
from analyser.common.files import check_writable, is_there, name_of, path_of, real_path, unreadable_error, write_content
from analyser.common.text import json_text
from analyser.sweep.plan import KEYS, Plan, plan_diff

PLAN, LOG, LOCK, PARTS, UNFINISHED = "plan.json", "log.jsonl", "driver.lock", "parts", "unfinished"  # names in a store
_DIGITS = 16  # hexadecimal digits of a digest: 64 bits, enough to detect damage but not forgery
_PART_NAME = re.compile(rf"(?P<number>\d+)-(?P<digest>[0-9a-f]{{{_DIGITS}}})-(?P<size>\d+)\.parquet")
_PLAN_PREFIX = f".{Path(PLAN).stem}-"  # prefix of the temporary file of a plan that another job is writing
_MOST_DIFFERENCES = 6
_OLD = 3600.0  # seconds after which an unfinished file must come from a killed process; a part takes seconds


class PartFile(NamedTuple):
    """File of a part; `is_whole` is True if the file has the length that its name states and is in the right folder."""

    number: int
    path: Path
    digest: str
    is_whole: bool


class Fault(NamedTuple):
    """A file that is not a valid part of the store, and the reason."""

    path: Path
    why: str


class StoreCheck(NamedTuple):
    """Result of a full check of a store: numbers of whole and missing parts, and files that are not valid parts."""

    whole: int
    damaged: tuple[Fault, ...]
    missing: int


class Store:
    """A folder with the parts of one plan; InputError for a folder that is not a store."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = _store_at(folder)
        self.plan = _plan_in(self.folder)

    @property
    def parts(self) -> Path:
        """Folder of the parts; readers of Parquet see it as one table."""
        return self.folder / PARTS

    def files(self) -> dict[int, PartFile]:
        """Return the files of the finished parts by number, without reading their content."""
        return {file.number: file for file in self._files() if file.is_whole}

    def _files(self) -> Iterator[PartFile]:
        """Yield every file of a part, including truncated files, in the order of folders and names."""
        for folder, folders, names in os.walk(self.parts):
            folders.sort()
            partition = Path(folder).relative_to(self.parts).as_posix()
            for name in sorted(names):
                match = _PART_NAME.fullmatch(name)
                if match is None or (number := int(match["number"])) >= self.plan.n_parts:
                    continue
                path = Path(folder, name)
                with suppress(FileNotFoundError):  # deleted meanwhile
                    is_whole = path.stat().st_size == int(match["size"]) and partition == self.plan.folder(number)
                    yield PartFile(number, path, match["digest"], is_whole)

    def missing(self, numbers: range | None = None) -> tuple[int, Iterator[int]]:
        """Return how many parts are missing among all parts, or among `numbers`, and an iterator of their numbers."""
        wanted = range(self.plan.n_parts) if numbers is None else numbers
        done = {number for number in self.files() if number in wanted}
        return len(wanted) - len(done), (number for number in wanted if number not in done)

    def put(self, number: int, content: bytes) -> Path:
        """Write a part atomically; InputError if it cannot be written."""
        digest = hashlib.sha256(content).hexdigest()[:_DIGITS]
        folder = self.parts / self.plan.folder(number)
        path = folder / f"{number:0{len(str(self.plan.n_parts - 1))}d}-{digest}-{len(content)}.parquet"
        unfinished = self.folder / UNFINISHED / f"{number}.{uuid.uuid4().hex}"
        try:
            unfinished.parent.mkdir(exist_ok=True)
            folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(content)
            unfinished.replace(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise InputError(f"cannot write part {number}: {reason_of(error)}", where=str(self.folder)) from None
        return path

    def verify(self, *, remove: bool = False) -> StoreCheck:
        """Check the content of every file; `remove` deletes damaged and duplicate files, and parts of other plans."""
        whole, faults = set[int](), list[Fault]()
        for file in self._files():
            why = self._fault_of(file) or ("this part exists twice" if file.number in whole else "")
            if not why:
                whole.add(file.number)
                continue
            faults.append(Fault(file.path, why))
            if remove:
                file.path.unlink(missing_ok=True)
        return StoreCheck(len(whole), tuple(faults), self.plan.n_parts - len(whole))

    def _fault_of(self, part: PartFile) -> str:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if not part.is_whole:
            return "truncated, or in the wrong folder"
        with part.path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS] != part.digest:
                return "changed since it was written"
        try:
            metadata = json.loads((pq.read_schema(part.path).metadata or {}).get(b"analyser", b"{}"))
        except (pa.ArrowException, OSError, ValueError, RecursionError):
            metadata = None
        if not isinstance(metadata, dict):
            return "not a part of a sweep"
        if metadata.get("plan") != self.plan.digest:
            return "a part of another plan"
        return "" if metadata.get("part") == part.number else "the content is that of another part"

    def remove_truncated(self) -> None:
        """Delete truncated and misplaced parts, and temporary files of killed processes."""
        for file in self._files():
            if not file.is_whole:
                file.path.unlink(missing_ok=True)
        for path in (self.folder / UNFINISHED).glob("*"):
            with suppress(FileNotFoundError):  # finished meanwhile
                if time.time() - path.stat().st_mtime > _OLD:
                    path.unlink()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the store against other runs (not against jobs with ``--part``); InputError if another run holds it."""
        lock = FileLock(str(self.folder / LOCK))
        try:
            held = lock.acquire(timeout=0)
        except Timeout:
            allowed = "wait until it ends; or --part, for jobs side by side"
            problem = "another process is at work on this store"
            raise InputError(problem, where=str(self.folder), allowed=allowed) from None
        except OSError as error:
            raise InputError(f"cannot lock this store: {reason_of(error)}", where=str(self.folder / LOCK)) from None
        with held:
            yield

    def log(self, event: str, **details: Any) -> None:
        """Add a line to the log; the time stamp is only for human readers."""
        line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **details}
        with suppress(OSError), (self.folder / LOG).open("a", encoding="utf-8") as file:
            file.write(json_text(line) + "\n")


def store_for(plan: Plan, folder: str | os.PathLike[str]) -> Store:
    """Return the store of a plan: a new store in an empty folder, or the existing store of the same plan.

    InputError for a folder with other content, and for a store of another plan (the message lists the differences).
    """
    path = _store_at(folder)
    check_writable(path / PLAN)
    if not is_there(path / PLAN):
        names = [entry.name for entry in path.iterdir()] if is_there(path) else []
        foreign = [name for name in names if name != LOCK and not name.startswith(_PLAN_PREFIX)]
        if foreign and not is_there(path / PLAN):  # unless another job has just written it
            raise InputError("this folder is not empty and holds no sweep", where=str(path), allowed="a new folder")
        if not foreign:
            write_content(path / PLAN, json_text({"digest": plan.digest, **plan.content}, indent=1))
            (path / PARTS).mkdir(exist_ok=True)
    store = Store(path)
    if store.plan.digest != plan.digest:
        changes = plan_diff(store.plan.content, plan.content)
        more = f" and {len(changes) - _MOST_DIFFERENCES} more" if len(changes) > _MOST_DIFFERENCES else ""
        problem = f"this store was begun with another plan: {'; '.join(changes[:_MOST_DIFFERENCES])}{more}"
        allowed = "a new store; or `analyser sweep resume`, which uses the stored plan"
        raise InputError(problem, where=str(path), allowed=allowed)
    return store


def _store_at(folder: str | os.PathLike[str]) -> Path:
    """Return the folder of a store as a path; InputError if its name is not UTF-8, which Parquet readers need."""
    path = path_of(folder, "store")
    try:
        os.fspath(real_path(path)).encode()
    except UnicodeEncodeError:
        raise InputError("the name of this folder is not UTF-8", where=name_of(path), allowed="another name") from None
    return path


def _plan_in(folder: Path) -> Plan:
    path = folder / PLAN
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        digest = content.pop("digest")
    except FileNotFoundError:
        problem = "no sweep here" if is_there(folder) else "no such folder"
        raise InputError(problem, where=str(folder), allowed="a folder that a sweep has written") from None
    except OSError as error:
        raise unreadable_error(path, error) from None
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"the plan cannot be read: {type(error).__name__}", where=str(path)) from None
    plan = Plan(content)
    if plan.digest != digest:
        raise InputError("the plan was changed by hand, or is damaged", where=str(path), allowed="a new store")
    if not (content.keys() >= KEYS and isinstance(content["file"], dict)):
        raise InputError("not the plan of a sweep", where=str(path), allowed="a folder that a sweep has written")
    return plan
