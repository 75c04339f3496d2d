"""Ctrl-C at any moment of a command: one line at most, and never a traceback."""

import signal
import subprocess
import sys
import time
from itertools import product

import psutil
import pytest

from analyser.cli.messages import FINISHED_WORK_CACHED, NOTHING_WRITTEN, message_when_stopped
from analyser.common import cache
from tests.helpers.skips import posix, proof

DUEL = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
COMMANDS = {
    "best": ("best", "crown/rifle-p@full-strength", "imperium/teutonic-armiger-crusaders@full-strength"),
    "battle": ("battle", "notebooks/armies/crown.rosz", "notebooks/armies/imperium.rosz", "--trials", "50000000"),
    "duel": ("duel", *DUEL, "--method", "monte-carlo", "--trials", "1000000000"),
}


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("name", "seconds"), [("battle", 2.0), *proof(*product(COMMANDS, (0.15, 0.3, 1.0, 2.5, 4.0, 6.0)))]
)
def test_ctrl_c_at_any_moment_ends_without_a_traceback(name, seconds, tmp_path):
    command = [sys.executable, "-m", "analyser", *COMMANDS[name], "--out", tmp_path / "answer.json"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while running.poll() is None and sum(psutil.Process(running.pid).cpu_times()[:2]) < seconds:
            time.sleep(0.01)  # a busy machine takes more of the clock's time
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    finally:
        running.kill()
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []
    assert running.returncode in (130, -signal.SIGINT)
    assert len(told.strip().splitlines()) <= 2  # that compiling takes some seconds, and what is left of the work


@pytest.mark.parametrize("is_kept", [True, False])
def test_it_says_that_work_is_kept_only_if_it_is(capsys, cached, monkeypatch, is_kept):
    for switch, state in (("yes", FINISHED_WORK_CACHED if is_kept else NOTHING_WRITTEN), ("no", NOTHING_WRITTEN)):
        monkeypatch.setenv(cache.SWITCH, switch)
        with pytest.raises(KeyboardInterrupt), message_when_stopped(is_kept):
            raise KeyboardInterrupt
        assert capsys.readouterr().err == f"stopped: {state}\n"
