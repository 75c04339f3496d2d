"""Faults on purpose: processes killed at random moments, and disks that fill up; files are damaged in `test_store`.

``python -m tests.sweep.campaign --times 100`` prints a table. Each fault ends in the bytes of an undisturbed run, or in
one message; a short version of it is among the tests.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from analyser.sweep.running import resume_sweep, run_sweep
from analyser.sweep.store import PLAN, Store

PLAN_TEXT = """
name = "faults"
situations = ["long-range", "charge"]
part_cells = 40
attackers = {units = ["crown/rifle-p*"]}
defenders = {units = ["imperium/*"], levels = "basic", defence = "1..4"}
"""
PROGRAM = [sys.executable, "-m", "analyser"]
MOST_SECONDS = 300


class TroubleError(AssertionError):
    """A fault that did not end as it should."""


def started(*words, limit=None):
    """The program with some words, in a session of its own; `limit`: bytes a file may have."""
    heard = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*PROGRAM, *map(str, words)], start_new_session=True, **heard)
    if limit is not None:  # before it has begun to write, and for the processes that it starts
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, limit))
    return process


def ended(process):
    """Its exit status and what it said; never a traceback."""
    out, err = process.communicate(timeout=MOST_SECONDS)
    require("Traceback" not in err, err)
    return process.returncode, out + err


def ran(*words, limit=None):
    return ended(started(*words, limit=limit))


def require(is_so, said):
    if not is_so:
        raise TroubleError(said)


def parts_in(folder):
    return sorted(str(each.relative_to(folder / "parts")) for each in (folder / "parts").rglob("*.parquet"))


class Campaign:
    """A plan, an undisturbed run of it, and stores that are disturbed."""

    def __init__(self, folder, seed=1, workers=2):
        self.folder, self.random, self.workers = folder, random.Random(seed), workers
        self.plan = folder / "plan.toml"
        self.plan.write_text(PLAN_TEXT, encoding="utf-8")
        with ThreadPoolExecutor(2) as threads:
            run_sweep(self.plan, folder / "undisturbed", executor=threads)
        self.expected = parts_in(folder / "undisturbed")

    @cached_property
    def seconds(self):
        start = time.monotonic()
        status, said = ended(self.driver(self.folder / "timed"))
        require(not status, said)
        return time.monotonic() - start

    def driver(self, store, *more):
        return started("sweep", self.plan, "--out", store, *(more or ("--workers", self.workers)))

    def store(self):
        path = self.folder / "disturbed"
        shutil.rmtree(path, ignore_errors=True)
        return path

    def copy(self):
        path = self.store()
        shutil.copytree(self.folder / "undisturbed", path)
        return path

    def check(self, store):
        """Raise TroubleError unless the store has the bytes of the undisturbed one, and each part once."""
        found = Store(store).verify()
        require(not (found.damaged or found.missing), f"damaged {found.damaged}, missing {found.missing}")
        require(parts_in(store) == self.expected, "other bytes than those of an undisturbed run")

    def resumed(self, store):
        with ThreadPoolExecutor(2) as threads:
            resume_sweep(store, executor=threads)
        self.check(store)

    # --- the faults: each returns what came of it, in words -----------------------------------------------

    def drivers_killed(self, times):
        """The driver is killed at random moments, and gone on with; what it left must be whole each time."""
        store, done, finished = self.store(), 0, 0
        while done < times:
            process = self.driver(store)
            time.sleep(self.random.uniform(0.0, self.seconds))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                done += 1
            process.communicate()
            if (store / PLAN).exists():
                there = set(parts_in(store))
                require(there <= set(self.expected), f"other parts: {there - set(self.expected)}")
                if there == set(self.expected):
                    self.resumed(store)
                    store, finished = self.store(), finished + 1
        if (store / PLAN).exists():
            self.resumed(store)
        return f"{done} kills, {finished + 1} stores finished: the same bytes"

    def workers_killed(self, times):
        done = 0
        while done < times:
            store = self.store()
            process = self.driver(store)
            begun(process, store)
            time.sleep(self.random.uniform(0.0, 0.2))
            children = children_of(process.pid)
            if children and process.poll() is None:
                os.kill(self.random.choice(children), signal.SIGKILL)
                done += 1
            status, said = ended(process)
            require(not status, said)
            self.check(store)
        return f"{done} kills: the run went on, the same bytes"

    def disk_full(self):
        """A file may not be as large as a part: one message; with room again the rest is made."""
        store = self.copy()
        shutil.rmtree(store / "parts")
        status, said = ran("sweep", "resume", store, "--workers", self.workers, limit=2_000)
        require(status == 2 and "cannot write" in said and not any((store / "unfinished").glob("*")), (status, said))
        self.resumed(store)
        return f"exit status 2, '{said.strip().splitlines()[-1][:60]} ...'; resumed: the same bytes"

    def two_drivers(self):
        """Two drivers on one store: one of them is refused, or has nothing left to do."""
        store = self.store()
        both = [self.driver(store) for _ in range(2)]
        answers = [ended(each) for each in both]
        self.check(store)
        refused = [said for status, said in answers if status == 2]
        require(len(refused) < 2 and all("another process is at work" in each for each in refused), answers)
        return f"{len(refused)} refused with a message, the other finished: the same bytes"

    def scheduler_killed(self, times):
        """The scheduler of dask is killed at random moments: one message, or the run was done; resumed."""
        told = 0
        for _ in range(times):
            store = self.store()
            with cluster() as (address, scheduler):
                process = self.driver(store, "--dask", address)
                begun(process, store)
                time.sleep(self.random.uniform(0.0, 0.3))
                scheduler.kill()
                status, said = ended(process)
                require(status == 0 or (status == 2 and "is gone" in said), (status, said))
                told += status == 2
            self.resumed(store)
        return f"{times} kills, {told} told in one message; resumed: the same bytes"


def begun(process, store):
    """Wait for the first part of a store, or the end of the process that works on it."""
    while process.poll() is None and not list(store.rglob("*.parquet")):
        time.sleep(0.02)


def children_of(process):
    """The worker processes of a process: its children that are spawned, but not the one that counts semaphores."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
            words = (path.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == process and b"spawn_main" in words:
            found.append(int(path.parent.name))
    return found


def dask_worker(address):
    """A worker of dask, without a nanny that would bring it back."""
    words = [address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
    return _quiet("distributed.cli.dask_worker", words)


def _quiet(module, words):
    unheard = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-m", module, *words], **unheard)


@contextmanager
def cluster():
    """A scheduler and two workers of dask, each a process of its own: the address, and the scheduler."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scheduler.json")
        words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
        scheduler = _quiet("distributed.cli.dask_scheduler", words)
        workers = []
        try:
            address = _address_in(file)
            workers += [dask_worker(address) for _ in range(2)]
            yield address, scheduler
        finally:
            for process in (*workers, scheduler):
                process.kill()
                process.wait()


def _address_in(file):
    for _ in range(MOST_SECONDS * 10):
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError, KeyError):
            time.sleep(0.1)
    raise TroubleError("the scheduler did not start")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100, help="how often drivers are killed")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    some = max(asked.times // 5, 2)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), asked.seed)
        faults = {
            "two drivers": campaign.two_drivers,
            "disk full": campaign.disk_full,
            "worker killed": lambda: campaign.workers_killed(some),
            "scheduler killed": lambda: campaign.scheduler_killed(max(some // 4, 1)),
            "driver killed": lambda: campaign.drivers_killed(asked.times),
        }
        for name, fault in faults.items():
            print(f"| {name} | {fault()} |", flush=True)


if __name__ == "__main__":
    main()
