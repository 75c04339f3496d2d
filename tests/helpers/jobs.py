"""Jobs whose content says which process did them."""

import multiprocessing
import os
import signal
import time

from analyser.report.worker_pool import Job, Pool


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


def done_by(pool, jobs):
    """The content of each job; and what was told."""
    contents, told = {}, []
    pool.run(jobs, told.append, contents.__setitem__)
    return [int(contents[number]) for number in range(len(jobs))], told


def share_out(jobs, helpers):
    """Who did which job; and what was told."""
    with Pool(helpers) as helped:
        return done_by(helped, jobs)


def is_deaf():
    """A job: whether who does it is deaf to Ctrl-C."""
    time.sleep(0.5)
    return str(int(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))).encode()


def end_helpers():
    """A job, done by the process that has helpers: it kills them."""
    for helper in multiprocessing.active_children():
        helper.kill()
    return who()
