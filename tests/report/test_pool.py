"""Helpers of a process: every job is done, whoever does it, and they are no burden to anybody."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from analyser.report import worker_pool
from analyser.report.worker_pool import processes_for, run_jobs
from tests.helpers.jobs import done_by, is_deaf, jobs, share_out
from tests.helpers.skips import posix, proof

pytestmark = pytest.mark.slow

SPY = "from pathlib import Path\nPath({marker!r}).touch()\nraise ImportError('a module of the current folder')\n"


def test_helpers_do_all_jobs_and_a_single_process_does_them_itself():
    who, told = share_out(jobs(30), 2)
    assert os.getpid() not in who
    assert len(set(who)) == 2
    assert told == sorted(told)
    assert told[-1] == 300
    assert set(share_out(jobs(2), 1)[0]) == {os.getpid()}


@pytest.mark.parametrize("trouble", [OSError(12, "Cannot allocate memory"), BrokenExecutor()])
def test_where_no_helper_can_be_started_the_work_is_done_all_the_same(monkeypatch, trouble):
    def fail(*_, **__):
        raise trouble

    monkeypatch.setattr(worker_pool.ProcessPoolExecutor, "submit", fail)
    assert share_out(jobs(3), 2)[0] == [os.getpid()] * 3


def test_the_work_of_a_helper_that_is_killed_is_done_here():
    """In a process of its own, as it once hung."""
    program = ["from tests.helpers.jobs import *", "print(len(share_out(jobs(20), 2, end_helpers)[0]))"]
    command = [sys.executable, "-c", "\n".join(program)]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "20\n", "")


def test_after_ctrl_c_what_a_helper_has_done_is_kept():
    kept = {}

    def stop(_):
        time.sleep(1)
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as lent:
        with pytest.raises(KeyboardInterrupt):
            run_jobs(jobs(20), lent, stop, kept.__setitem__)
        assert lent.submit(int).result() == 0  # what is lent stays
    assert len(kept) > 5


def test_little_work_has_no_helper_and_much_has_few():
    assert (processes_for(10**6, 8), processes_for(10**7, 1)) == (1, 1)
    assert (processes_for(10**7, 8), processes_for(10**12, 64)) == (2, worker_pool.MOST_PROCESSES)


def script_of(tmp_path, count):
    """A program without a guard that has jobs done with a helper."""
    script = tmp_path / "scripts" / "program.py"
    script.parent.mkdir()
    begin = f"import sys\nsys.path.insert(1, {str(Path.cwd())!r})\nfrom pathlib import Path\n"
    begin += "from tests.helpers.jobs import jobs_in, share_out\nprint('begun', flush=True)\n"
    work = f"share_out(jobs_in(Path({str(tmp_path / 'done')!r}), {count}), 2)\n"
    script.write_text(begin + work, encoding="utf-8")
    return script


def test_a_file_where_the_command_is_run_is_not_imported(tmp_path, monkeypatch):
    script, marker = script_of(tmp_path, 20), tmp_path / "imported"
    for module in ("numpy", "sitecustomize"):
        (tmp_path / f"{module}.py").write_text(SPY.format(marker=str(marker)))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == ("begun\n", "")
    assert len(list((tmp_path / "done").iterdir())) == 20
    assert not marker.exists()


@posix
def test_ctrl_c_is_the_business_of_the_process_that_is_helped():
    """A terminal sends it to all of them, and a helper that heard it would print where it was."""
    assert share_out(jobs(4, is_deaf), 2)[0] == [1] * 4


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, *proof(signal.SIGINT)])
def test_a_helper_ends_with_its_employer(tmp_path, number):
    """Ctrl-C of a terminal is sent to both; what kills the employer, to it alone."""
    heard = {"start_new_session": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    running = subprocess.Popen([sys.executable, script_of(tmp_path, 10_000)], **heard)
    done, deadline = tmp_path / "done", time.monotonic() + 60
    while len({path.read_text("utf-8") for path in done.glob("*")}) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    helpers = {int(path.read_text("utf-8") or 0) for path in done.glob("*")} - {running.pid, 0}
    (os.killpg if number == signal.SIGINT else os.kill)(running.pid, number)
    _, told = running.communicate(timeout=60)
    assert running.returncode
    assert told.count("Traceback") == (1 if number == signal.SIGINT else 0)  # that of the program itself
    assert len(helpers) == 2
    while any(map(is_alive, helpers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, helpers))


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("trouble", [BrokenExecutor(), CancelledError()])
def test_what_a_lent_executor_loses_is_done_here(trouble):
    class Losing(Executor):
        def submit(self, *_, **__):
            future = Future()
            future.set_running_or_notify_cancel()
            future.set_exception(trouble)
            return future

    assert done_by(Losing(), jobs(3))[0] == [os.getpid()] * 3
