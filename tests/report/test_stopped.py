"""A report that is stopped and started again: nothing is lost, nothing is half written, nothing is different."""

import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from analyser.common import cache
from analyser.common.errors import InputError
from analyser.report import report_jobs, worker_pool, write_report
from analyser.report.folder import replacing_folder, unfinished_folder
from analyser.report.worker_pool import interrupts_recorded
from tests.helpers.damage import DAMAGES, cut_in_half
from tests.helpers.reports import contents, failing, small_report, timeless
from tests.helpers.shell import answer
from tests.helpers.skips import posix, proof

pytestmark = pytest.mark.slow
SITUATIONS = ["long-range", "duel"]
PRICES = "Its prices are judged against 4 loadouts of River"


@pytest.fixture(scope="module")
def unstopped(river, tmp_path_factory):
    return again(tmp_path_factory.mktemp("reports") / "r", river)


def again(out, river, **more):
    return write_report("river/*", "river/*", out=out, profiles=river, situations=SITUATIONS, **more)


def stop_at_the_tables(monkeypatch):
    """Ctrl-C is pressed while the first table is written: all fights are done."""
    write = report_jobs.write_table

    def stopping(*arguments):
        signal.raise_signal(signal.SIGINT)
        write(*arguments)

    monkeypatch.setattr(report_jobs, "write_table", stopping)


@pytest.fixture
def stopped(river, tmp_path, monkeypatch, cached):
    """Where a report was to be that was stopped when all fights were done."""
    out = tmp_path / "reports" / "r"
    out.parent.mkdir()
    with monkeypatch.context() as while_stopping:
        stop_at_the_tables(while_stopping)
        with pytest.raises(KeyboardInterrupt):
            again(out, river)
    return out


def test_ctrl_c_leaves_no_half_written_report_and_the_next_run_resumes(stopped, river, monkeypatch, unstopped):
    assert list(stopped.parent.iterdir()) == []
    monkeypatch.setattr(report_jobs, "compute_grid", failing(AssertionError("worked out a second time")))
    again(stopped, river)
    assert timeless(stopped) == timeless(unstopped)
    assert list(stopped.parent.iterdir()) == [stopped]


@pytest.mark.parametrize("damage", [cut_in_half, *proof(*(each for each in DAMAGES if each is not cut_in_half))])
def test_a_damaged_part_is_computed_anew(stopped, river, damage, unstopped, cached, monkeypatch):
    damage(min(cached.glob("report-*")))
    calls, grid = [], report_jobs.compute_grid
    monkeypatch.setattr(report_jobs, "compute_grid", lambda *arguments: calls.append(arguments) or grid(*arguments))
    again(stopped, river, threads=1)
    assert len(calls) == 1
    assert timeless(stopped) == timeless(unstopped)


def test_its_progress_is_of_what_is_left(stopped, river, tmp_path, monkeypatch):
    left, all_of_it = [], []
    again(stopped, river, progress=lambda done, total: left.append((done, total)))
    monkeypatch.setenv(cache.SWITCH, "no")
    again(tmp_path / "whole", river, progress=lambda done, total: all_of_it.append((done, total)))
    assert left[-1][0] == left[-1][1] < all_of_it[-1][1]


def test_an_earlier_report_stands_until_the_new_one_is_whole(river, tmp_path, monkeypatch):
    out = small_report(tmp_path / "r", river)
    before = contents(out)
    stop_at_the_tables(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        again(out, river)
    assert contents(out) == before


def test_ctrl_c_is_heeded_while_the_opponents_of_prices_are_fought(river, tmp_path, monkeypatch, cached):
    monkeypatch.setattr("analyser.analysis.fight_cache.LEAST_COST_STORED", 0)
    fight, went_on = report_jobs.compute_grid, []

    def stopping(attackers, field, situations, progress=None, known=None):
        if progress is not None:
            signal.raise_signal(signal.SIGINT)
            progress(1, 2)
            went_on.append(situations)
        return fight(attackers, field, situations)

    monkeypatch.setattr(report_jobs, "compute_grid", stopping)
    with pytest.raises(KeyboardInterrupt):
        again(tmp_path / "r", river)
    assert went_on == []


def test_two_runs_do_not_write_one_report(river, tmp_path):
    with replacing_folder(tmp_path / "r"), pytest.raises(InputError, match="another run is writing this report"):
        again(tmp_path / "r", river)


def test_a_folder_of_that_name_that_is_not_ours_is_left_alone(river, tmp_path):
    folder = unfinished_folder(tmp_path / "r")
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(InputError, match="has other content"):
        again(tmp_path / "r", river)
    assert contents(folder) == {"thesis.txt": b"years of work"}


def test_what_a_killed_run_left_is_taken_away(river, tmp_path, unstopped):
    with replacing_folder(tmp_path / "r") as report:
        (report / "left.txt").write_text("half", encoding="utf-8")
        shutil.copytree(report.parent, tmp_path / "left")
    shutil.rmtree(tmp_path / "r")
    (tmp_path / "left").rename(unfinished_folder(tmp_path / "r"))
    again(tmp_path / "r", river)
    assert timeless(tmp_path / "r") == timeless(unstopped)
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_ctrl_c_is_not_lost_where_a_library_drops_it_and_a_second_does_not_wait():
    class Dropped:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    with interrupts_recorded() as raise_if_interrupted:
        Dropped()
        with pytest.raises(KeyboardInterrupt):
            raise_if_interrupted()
    with interrupts_recorded():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_somebody_elses_handling_of_ctrl_c_stays():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("Ctrl-C"))
    try:
        with interrupts_recorded() as raise_if_interrupted:
            signal.raise_signal(signal.SIGINT)
            raise_if_interrupted()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == ["Ctrl-C"]


def test_a_report_can_be_written_from_another_thread(river, tmp_path):
    thread = threading.Thread(target=small_report, args=(tmp_path / "r", river))
    thread.start()
    thread.join()
    assert (tmp_path / "r" / "index.html").is_file()


@pytest.fixture
def always_helped(monkeypatch):
    """A second process helps however little there is to do."""
    monkeypatch.setattr(worker_pool, "COST_PER_PROCESS", 1)
    monkeypatch.setattr(report_jobs, "PART_COST", 1)


def test_with_a_helper_or_an_executor_of_the_caller_the_report_is_the_same(river, tmp_path, always_helped, unstopped):
    again(tmp_path / "two", river, threads=2)
    with ThreadPoolExecutor(2) as lent:
        again(tmp_path / "lent", river, executor=lent)
    assert timeless(tmp_path / "two") == timeless(tmp_path / "lent") == timeless(unstopped)


def command(folder, out):
    asked = ("--attackers", "river/*", "--defenders", "river/*", "--situations", ",".join(SITUATIONS))
    return ["report", *asked, "--profiles", str(folder), "--out", str(out)]


@posix
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), *proof((signal.SIGKILL, -signal.SIGKILL))])
def test_a_run_that_is_stopped_from_outside_goes_on_where_it_was(river, tmp_path, unstopped, number, status):
    out = tmp_path / "r"
    words = [sys.executable, "-m", "analyser", *command(river.folder, out)]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 120
        while not list(unfinished_folder(out).glob("report/matchups.csv")) and time.monotonic() < deadline:
            time.sleep(0.002)
        running.send_signal(number)
        printed, told = running.communicate(timeout=60)
    finally:
        running.kill()
    assert (running.returncode, printed) == (status, "")
    assert told == ("stopped: nothing was written\n" if number == signal.SIGINT else "")
    assert not out.exists()
    assert answer(*command(river.folder, out)).splitlines() == [f"The report is in {out}", PRICES]
    assert timeless(out) == timeless(unstopped)
    assert [path.name for path in tmp_path.iterdir()] == ["r"]
    assert json.loads((out / "manifest.json").read_text("utf-8"))["wall_seconds"] > 0
