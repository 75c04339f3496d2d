"""The store of a sweep: the frozen plan, the parts that are done, and a log.

A part is a file whose name says its number, the digest of its content and its length, and which appears under that name
whole. So what is done can be read off a folder without a ledger that could be wrong, two processes that make the same
part write the same file, and damage is found by looking.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from analyser.common.errors import InputError, reason_of
from analyser.common.files import cannot_read, check_writable, is_there, name_of, path_of, real_path, write_content
from analyser.common.text import json_text
from analyser.sweep.changes import changes_of
from analyser.sweep.plan import Plan

PLAN, LOG, LOCK, PARTS, UNFINISHED = "plan.json", "log.jsonl", "driver.lock", "parts", "unfinished"
PAGE, MERGED = "summary.html", "merged.parquet"
_DIGITS = 16  # of a digest in a name: 64 bits against damage, not against a forger
_NAME = re.compile(rf"(?P<number>\d+)-(?P<digest>[0-9a-f]{{{_DIGITS}}})-(?P<size>\d+)\.parquet")
_BEGUN = f".{Path(PLAN).stem}-"  # a plan that another job is writing
_MOST_CHANGES = 6
_READ_AT_ONCE = 1 << 20


class PartFile(NamedTuple):
    """The file of a part: whether it has the length that its name says, and is in the folder of its part."""

    number: int
    path: Path
    digest: str
    is_whole: bool


class Fault(NamedTuple):
    """A file that is no part of its store, and why."""

    path: Path
    why: str


class Found(NamedTuple):
    """Result of a check of every byte of a store: the numbers of whole and missing parts, and the damaged files."""

    whole: int
    damaged: tuple[Fault, ...]
    missing: int


class Missing:
    """Missing parts of a range, one by one; memory grows only with the parts that are done."""

    def __init__(self, plan: Plan, among: range, done: Iterable[int]) -> None:
        self._plan, self._among, self._done = plan, among, frozenset(number for number in done if number in among)

    def __len__(self) -> int:
        return len(self._among) - len(self._done)

    def __iter__(self) -> Iterator[int]:
        return (number for number in self._among if number not in self._done)

    def kinds(self) -> Counter[str]:
        """Count the missing parts by kind of fights."""
        return self._plan.kinds(self._among) - Counter(map(self._plan.kind, self._done))


class Store:
    """A folder with the parts of one plan.

    Parameters
    ----------
    folder : path
        Of a store that is there: raises InputError for what is none.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = _store_at(folder)
        self.plan = _plan_in(self.folder)

    @property
    def parts(self) -> Path:
        """The folder of the parts, which any reader of Parquet takes for one table."""
        return self.folder / PARTS

    def files(self) -> dict[int, PartFile]:
        """The files of the parts that are done, by number: as long as they should be, and not looked into."""
        return {each.number: each for each in self._files() if each.is_whole}

    def done(self) -> Iterator[int]:
        """The numbers of these parts, in no order."""
        return (each.number for each in self._files() if each.is_whole)

    def _files(self) -> Iterator[PartFile]:
        """Every file of a part, cut short or not, in the order of the folders."""
        parts = self.plan.parts
        for folder, folders, names in os.walk(self.parts):
            folders.sort()
            partition = Path(folder).relative_to(self.parts).as_posix()
            for name in sorted(names):
                match = _NAME.fullmatch(name)
                if match is None or int(match["number"]) >= parts:
                    continue
                path = Path(folder, name)
                number = int(match["number"])
                with suppress(FileNotFoundError):  # taken away in between
                    is_whole = path.stat().st_size == int(match["size"]) and partition == self.plan.folder(number)
                    yield PartFile(number, path, match["digest"], is_whole)

    def missing(self, among: range | None = None) -> Missing:
        """The numbers of the parts that are not done, of all or of some."""
        return Missing(self.plan, range(self.plan.parts) if among is None else among, self.done())

    def put(self, number: int, content: bytes) -> Path:
        """Write a part, whole or not at all; InputError where that cannot be done."""
        digest = hashlib.sha256(content).hexdigest()[:_DIGITS]
        folder = self.parts / self.plan.folder(number)
        path = folder / f"{number:0{len(str(self.plan.parts - 1))}d}-{digest}-{len(content)}.parquet"
        unfinished = self.folder / UNFINISHED / f"{number}.{socket.gethostname()}.{os.getpid()}"
        try:
            unfinished.parent.mkdir(exist_ok=True)
            folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(content)
            unfinished.replace(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise InputError(f"cannot write part {number}: {reason_of(error)}", where=str(self.folder)) from None
        return path

    def verified(self, *, remove: bool = False) -> Found:
        """Every byte looked at; with `remove` what is no whole part of this plan, or one twice, is taken away."""
        whole, faults = set[int](), list[Fault]()
        for each in self._files():
            why = self._fault_of(each) or ("this part is there twice" if each.number in whole else "")
            if not why:
                whole.add(each.number)
                continue
            faults.append(Fault(each.path, why))
            if remove:
                each.path.unlink(missing_ok=True)
        return Found(len(whole), tuple(faults), self.plan.parts - len(whole))

    def check(self, part: PartFile) -> None:
        """Raise InputError for a file that is not the part that its name says, of this plan, byte by byte."""
        if why := self._fault_of(part):
            raise damaged(self.folder, f"{part.path.name}: {why}")

    def _fault_of(self, part: PartFile) -> str:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if not part.is_whole:
            return "cut short, or in the wrong folder"
        if _digest_of(part.path) != part.digest:
            return "changed since it was written"
        try:
            said = json.loads((pq.read_schema(part.path).metadata or {}).get(b"analyser", b"{}"))
        except (pa.ArrowException, OSError, ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            return "no part of a sweep"
        if (said.get("plan"), said.get("part")) != (self.plan.digest, part.number):
            return "a part of another plan" if said.get("plan") != self.plan.digest else "another part"
        return ""

    def remove_cut_short(self) -> list[Path]:
        """Take away files that are not as long as they should be, and what dead processes of this machine began."""
        gone = [each.path for each in self._files() if not each.is_whole]
        here = socket.gethostname()
        for path in (self.folder / UNFINISHED).glob("*"):
            _, _, rest = path.name.partition(".")
            host, _, process = rest.rpartition(".")
            if host == here and process.isdecimal() and not _is_alive(int(process)):
                path.unlink(missing_ok=True)
        for path in gone:
            path.unlink(missing_ok=True)
        return gone

    @contextmanager
    def driven(self) -> Iterator[None]:
        """Inside this no other process drives the store: InputError if one does. Jobs with ``--part`` go on."""
        lock = FileLock(str(self.folder / LOCK))
        try:
            held = lock.acquire(timeout=0)
        except Timeout:
            problem = "another process is at work on this store"
            raise InputError(
                problem, where=str(self.folder), allowed="wait for it, or --part for jobs side by side"
            ) from None
        except OSError as error:
            raise InputError(f"cannot lock this store: {reason_of(error)}", where=str(self.folder / LOCK)) from None
        with held:
            yield

    def log(self, event: str, **what: Any) -> None:
        """Add a line to the log. The clock there is for people: nothing else reads it."""
        line = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **what}
        with suppress(OSError), (self.folder / LOG).open("a", encoding="utf-8") as file:
            file.write(json_text(line) + "\n")

    def logged(self, event: str) -> Iterator[dict[str, Any]]:
        """The lines of the log of one event; a line that is cut short is left out."""
        with suppress(OSError), (self.folder / LOG).open(encoding="utf-8", errors="replace") as file:
            for line in file:
                with suppress(ValueError, RecursionError):
                    read = json.loads(line)
                    if isinstance(read, dict) and read.get("event") == event:
                        yield read


def store_for(plan: Plan, folder: str | os.PathLike[str]) -> Store:
    """The store of a plan: a new one in an empty folder, or the one that was begun there with this very plan.

    Raises InputError for a folder with other things in it, and with what has changed for that of another plan.
    """
    path = _store_at(folder)
    check_writable(path / PLAN)
    if not is_there(path / PLAN):
        held = [each.name for each in path.iterdir()] if is_there(path) else []
        foreign = [name for name in held if name != LOCK and not name.startswith(_BEGUN)]
        if foreign and not is_there(path / PLAN):  # which another job may have written since
            raise InputError("this folder is not empty and holds no sweep", where=str(path), allowed="a new folder")
        if not foreign:
            write_content(path / PLAN, json_text({"digest": plan.digest, **plan.content}, indent=1))
            (path / PARTS).mkdir(exist_ok=True)
    there = Store(path)
    if there.plan.digest != plan.digest:
        changes = changes_of(there.plan.content, plan.content)
        more = f" and {len(changes) - _MOST_CHANGES} more" if len(changes) > _MOST_CHANGES else ""
        problem = f"this store was begun with another plan: {'; '.join(changes[:_MOST_CHANGES])}{more}"
        raise InputError(
            problem, where=str(path), allowed="a new store; or `analyser sweep resume`, with the plan as it was"
        )
    return there


def _store_at(folder: str | os.PathLike[str]) -> Path:
    """Return the folder of a store as a path; InputError where readers of Parquet could not take its name."""
    path = path_of(folder, "store")
    try:
        os.fspath(real_path(path)).encode()
    except UnicodeEncodeError:
        raise InputError("the name of this folder is not UTF-8", where=name_of(path), allowed="another") from None
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
        raise cannot_read(path, error) from None
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"the plan cannot be read: {type(error).__name__}", where=str(path)) from None
    plan = Plan(content)
    if plan.digest != digest:
        raise InputError("the plan was changed by hand, or is damaged", where=str(path), allowed="a new store")
    if not plan.is_whole:
        raise InputError("this is no plan of a sweep", where=str(path), allowed="a folder that a sweep has written")
    return plan


def damaged(folder: Path, problem: str) -> InputError:
    """Return the error about a store with a part that cannot be used."""
    return InputError(
        problem, where=str(folder), allowed="analyser sweep verify --remove, which takes away what is damaged; resume"
    )


def _digest_of(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_READ_AT_ONCE):
            found.update(piece)
    return found.hexdigest()[:_DIGITS]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
