"""Chunks of a sample shared out among threads: each is played once, and every thread has work to the end."""

from threading import Thread

import pytest

import analyser
from analyser.engine.parallel import CHUNK_TRIALS, Queue, tasks_of

FIGHT = {"attack": {"dice": 6}, "target": {"models": 5, "defence": 2, "damage_limit": 3}}


@pytest.mark.parametrize("trials", [1, CHUNK_TRIALS - 1, CHUNK_TRIALS, 300 * CHUNK_TRIALS, 1000 * CHUNK_TRIALS + 77])
@pytest.mark.parametrize("threads", [1, 2, 64])
def test_tasks_are_all_chunks_in_order_each_once(trials, threads):
    tasks = list(tasks_of(10, trials, threads))
    chunks = [chunk for task in tasks for chunk in range(task.first, task.last)]
    assert chunks == list(range(10, 10 + len(chunks)))
    assert sum(task.trials for task in tasks) == trials
    assert all(task.chunk_trials == CHUNK_TRIALS for task in tasks[:-1])


def test_threads_take_each_task_once():
    queue, taken = Queue(tasks_of(0, 20_000 * CHUNK_TRIALS, 4)), [[], [], [], []]
    threads = [Thread(target=lambda mine=mine: mine.extend(queue)) for mine in taken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(task for mine in taken for task in mine) == list(tasks_of(0, 20_000 * CHUNK_TRIALS, 4))


def test_a_queue_that_is_stopped_hands_out_nothing_more():
    queue = Queue(tasks_of(0, 50 * CHUNK_TRIALS, 1))
    tasks = iter(queue)
    next(tasks)
    queue.stop()
    assert [*tasks, *queue] == []


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("trials", [1000, 30 * CHUNK_TRIALS + 5])
def test_progress_rises_to_what_was_asked(threads, trials):
    told = []
    analyser.simulate(FIGHT, trials=trials, threads=threads, progress=lambda done, aim: told.append((done, aim)))
    assert [aim for _, aim in told] == [trials] * len(told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (trials, trials)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupt_ends_the_work(threads):
    told = []

    def interrupt(done, aim):
        told.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        analyser.simulate(FIGHT, trials=10**11, threads=threads, progress=interrupt)
    assert len(told) == 1
