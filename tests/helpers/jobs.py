"""Jobs whose content says which process did them."""

import multiprocessing
import os
import signal
import time

from analyser.report.worker_pool import Job, own_processes, run_jobs


def who():
    """A job: who does it."""
    time.sleep(0.05)
    return str(os.getpid()).encode()


def note(path):
    """The same, and a file that says so."""
    path.write_bytes(who())
    return who()


def jobs(count, work=who, *arguments):
    return [Job(10, str(number), work, arguments) for number in range(count)]


def jobs_in(folder, count):
    folder.mkdir(exist_ok=True)
    return [Job(10, str(number), note, (folder / str(number),)) for number in range(count)]


def done_by(executor, jobs, tell=lambda _: None):
    """The content of each job; and what was told."""
    contents, told = {}, []
    run_jobs(jobs, executor, lambda done: tell(done) or told.append(done), contents.__setitem__)
    return [int(contents[number]) for number in range(len(jobs))], told


def share_out(jobs, helpers, tell=lambda _: None):
    """Who did which job; and what was told."""
    with own_processes(helpers) as processes:
        return done_by(processes, jobs, tell)


def is_deaf():
    """A job: whether who does it is deaf to Ctrl-C."""
    time.sleep(0.5)
    return str(int(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))).encode()


def end_helpers(_):
    """What the process that has helpers does: it kills them."""
    for helper in multiprocessing.active_children():
        helper.kill()
