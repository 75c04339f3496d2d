"""Jobs whose files say which process did them."""

import multiprocessing
import os
import signal
import time

from analyser.report.pool import Job, Pool


def note(path):
    """A job: who does it."""
    time.sleep(0.05)
    path.write_text(str(os.getpid()), encoding="utf-8")


def jobs_in(folder, count):
    folder.mkdir(exist_ok=True)
    return [Job(10, note, (folder / str(number),)) for number in range(count)]


def share_out(jobs, helpers):
    """Who did which job; and what was told."""
    told = []
    with Pool(helpers) as helped:
        helped.finish(helped.begin(jobs), told.append)
    return [int(path.read_text("utf-8")) for _, _, (path,) in jobs], told


def note_whether_deaf(path):
    """A job: whether who does it is deaf to Ctrl-C."""
    time.sleep(0.5)
    path.write_text(str(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])), encoding="utf-8")


def end_helpers(path):
    """A job, done by the process that has helpers: it kills them."""
    note(path)
    for helper in multiprocessing.active_children():
        helper.kill()
