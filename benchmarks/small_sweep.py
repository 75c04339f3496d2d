"""A small sweep with a scheduler and workers of dask, one of which is killed on the way; what comes of it is checked.

``python -m benchmarks.small_sweep [STORE]``; `make sweep`.
"""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

from analyser.sweep.running import run_sweep
from analyser.sweep.store_reader import Sweep

PLAN = Path(__file__).with_suffix(".toml")
STORE = Path("reports/small-sweep")
WORKERS = 2


class Killer:
    """Kills a worker of dask when a third of the parts are done."""

    def __init__(self, client):
        self.client, self.killed = client, None

    def told(self, done, parts):
        """What a sweep tells of its progress."""
        if self.killed is None and 3 * done >= parts:
            self.killed = next(iter(self.client.run(os.getpid).values()))
            os.kill(self.killed, signal.SIGKILL)
            print(f"killed the worker {self.killed} after {done} of {parts} parts", flush=True)


def names_in(sweep: Sweep) -> list[str]:
    """The names of its parts, in which the digests of their bytes are."""
    return sorted(each.path.name for each in sweep.store.files().values())


def main(folder: Path) -> None:
    from distributed import Client, LocalCluster

    start = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(folder.with_name(f"{folder.name}-alone"), ignore_errors=True)
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        killer = Killer(Client(cluster))
        print(f"a scheduler at {cluster.scheduler_address} and {WORKERS} workers", flush=True)
        disturbed = run_sweep(PLAN, folder, dask=cluster.scheduler_address, progress=killer.told)
        killer.client.close()
    print(disturbed, flush=True)
    alone = run_sweep(PLAN, folder.with_name(f"{folder.name}-alone"), workers=1)
    found = disturbed.store.verify()
    assert killer.killed is not None
    assert not found.damaged
    assert names_in(disturbed) == names_in(alone), "other bytes than those of an undisturbed run"
    print("the same bytes as of one undisturbed process, part by part")
    print(f"{time.monotonic() - start:.0f} seconds; the store is {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else STORE)
