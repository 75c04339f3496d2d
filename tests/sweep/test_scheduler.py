"""Who works does not matter, nor who is lost on the way: the bytes are the same."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import BrokenExecutor
from contextlib import nullcontext
from itertools import islice

import pytest

from analyser.common.errors import InputError
from analyser.sweep import running
from analyser.sweep.plan import read_plan
from analyser.sweep.running import MOST_LOSSES, compute_parts, resume_sweep, run_sweep
from analyser.sweep.store import LOG, store_for
from tests.helpers.skips import proof
from tests.helpers.sweeps import PLAN, Inline, names_in


class KilledWorker(Exception):  # noqa: N818 - as the scheduler of dask calls it
    """A part took its worker with it."""


def test_any_executor_does(done, tmp_path):
    found = run_sweep(PLAN, tmp_path / "store", executor=Inline())
    assert found.is_complete
    assert names_in(tmp_path / "store") == names_in(done.store.folder)


def test_lost_workers_are_made_up_for(done, tmp_path):
    lost = Inline(lambda count: KilledWorker("gone") if count % 3 == 1 else None)
    found = run_sweep(PLAN, tmp_path / "store", executor=lost)
    assert names_in(tmp_path / "store") == names_in(done.store.folder)
    assert (found.store.folder / LOG).read_text(encoding="utf-8").count('"event": "lost"') > 3


def test_a_broken_executor_is_begun_again(done, tmp_path):
    store, begun = store_for(read_plan(PLAN), tmp_path / "store"), []

    def begin_again():
        begun.append(1)
        return nullcontext(Inline(lambda count: BrokenExecutor("killed") if count == 4 else None))

    compute_parts(store, *store.missing(), begin_again, 2)
    assert names_in(tmp_path / "store") == names_in(done.store.folder)
    assert len(begun) > 2


def test_a_part_that_kills_every_worker_is_given_up_and_an_error_of_the_program_is_one_message(tmp_path):
    with pytest.raises(InputError, match=rf"was lost with its worker {MOST_LOSSES} times, .*gone"):
        run_sweep(PLAN, tmp_path / "store", executor=Inline(lambda _: KilledWorker("gone")))
    with pytest.raises(InputError, match=r"part [0-9]+ failed: ZeroDivisionError: oh"):
        resume_sweep(tmp_path / "store", executor=Inline(lambda _: ZeroDivisionError("oh")))
    assert resume_sweep(tmp_path / "store", executor=Inline()).is_complete


def test_progress_is_told(tmp_path):
    told = []
    run_sweep(PLAN, tmp_path / "store", executor=Inline(), progress=lambda *numbers: told.append(numbers))
    parts = read_plan(PLAN).n_parts
    assert told == [(done, parts) for done in range(1, parts + 1)]


def test_memory_does_not_grow_with_the_plan(tmp_path):
    numbers = dict.fromkeys(("models", "defence", "damage_limit", "break_limit", "discipline"), "1..100")
    plan = {"attackers": {"units": "crown/rifle-p@basic"}, "defenders": numbers | {"units": "krupp@basic"}}
    plan["part_cells"] = 100
    store = store_for(read_plan(plan), tmp_path / "store")
    three = Inline(lambda count: InputError("done enough") if count > 3 else None)
    tracemalloc.start()
    with pytest.raises(InputError, match="done enough"):
        compute_parts(store, *store.missing(), lambda: nullcontext(three), 1)
    assert store.plan.n_parts == 10**8
    number, missing = store.missing()
    assert number == store.plan.n_parts - 3
    assert list(islice(missing, 2)) == [3, 4]
    assert len(store.files()) == 3
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()


def test_a_worker_of_another_program_is_refused(tmp_path, monkeypatch):
    store = store_for(read_plan(PLAN), tmp_path / "store")
    monkeypatch.setattr("analyser.sweep.plan.program_digest", lambda: "another")
    running.unpack_plan.cache_clear()
    with pytest.raises(InputError, match="the plan was frozen by another version"):
        compute_parts(store, *store.missing(), lambda: nullcontext(Inline()), 1)
    running.unpack_plan.cache_clear()
    assert not store.files()


@pytest.mark.parametrize(("keys", "message"), [({"workers": 0}, "workers"), ({"dask": "local", "executor": 1}, "both")])
def test_wrong_hands_are_refused(tmp_path, keys, message):
    with pytest.raises(InputError, match=message):
        run_sweep(PLAN, tmp_path / "store", **keys)


@pytest.mark.slow
@pytest.mark.parametrize("after", [2.0, *proof(5.0)])
def test_a_scheduler_begun_here_ends_in_one_line_after_ctrl_c(tmp_path, after):
    pytest.importorskip("distributed")
    plan = tmp_path / "plan.toml"
    everybody = '[attackers]\nunits = ["*/*"]\n[defenders]\nunits = ["*/*"]\n'
    plan.write_text(f'situations = ["duel"]\nfigures = ["p_annihilated"]\n{everybody}')
    command = [sys.executable, "-m", "analyser", "sweep", str(plan), "--out", str(tmp_path / "store")]
    heard = {"start_new_session": True, "stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL, "text": True}
    work = subprocess.Popen([*command, "--workers", "2", "--dask", "local"], **heard)
    time.sleep(after)
    os.killpg(work.pid, signal.SIGINT)
    _, told = work.communicate(timeout=60)
    assert work.returncode == 130
    assert "Traceback" not in told
