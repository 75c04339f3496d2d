"""The command of sweeps."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest

import analyser
from analyser.sweep.running import run_sweep
from tests.helpers.shell import GRENADIERS, RIFLES, answer, refusal, run
from tests.helpers.skips import posix
from tests.helpers.sweeps import PLAN, Inline

TEXT = (
    'name = "small"\n[attackers]\nunits = ["crown/rifle-p*"]\n[defenders]\nunits = ["krupp@basic"]\ndefence = "1..3"\n'
)


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def store(tmp_path):
    run_sweep(PLAN, tmp_path / "store", executor=Inline())
    return tmp_path / "store"


@pytest.mark.slow
def test_a_sweep_from_its_file(plan, tmp_path):
    store = tmp_path / "store"
    assert "small: 9 cells in 1 part, all done" in answer("sweep", plan, "--out", store, "--workers", 1)
    assert run("sweep", "resume", store, "--workers", 1).exit_code == 0
    assert run("sweep", plan, "--out", store, "--part", "1/1", "--workers", 1).exit_code == 0


def test_status(store):
    assert "all done" in answer("sweep", "status", store)
    next((store / "parts").rglob("*.parquet")).unlink()
    said = run("sweep", "status", store)
    assert (said.exit_code, "1 are missing" in said.stdout) == (1, True)
    status = json.loads(run("sweep", "status", store, "--json").stdout)
    assert (status["name"], status["done"]) == ("small", status["parts"] - 1)
    assert "not printed in the rules" in status["assumptions"][0]


def test_verify(store):
    assert run("sweep", "verify", store).exit_code == 0
    path = next((store / "parts").rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-1])
    for more, told in (([], "--remove deletes it"), (["--remove"], "1 damaged")):
        assert path.exists()
        said = run("sweep", "verify", store, *more)
        assert (said.exit_code, told in said.output) == (1, True)
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("{plan}", "missing option '--out'"),
        ("status", "missing argument 'STORE'"),
        ("status {tmp}/none", "no such folder"),
        ("status {tmp}/none --workers 2", "no such option '?--workers"),
        ("{tmp}/none.toml --out {tmp}/s", "cannot read this file"),
        ("{plan} --out {tmp}/s --part 3/2", "such as 17/400"),
        ("{plan} --out {tmp}/s --workers 0", "workers"),
        ("{plan} --out {tmp}", "not empty and holds no sweep"),
    ],
)
def test_what_cannot_be_done_is_one_message(plan, tmp_path, words, message):
    said = refusal("sweep", *words.format(plan=plan, tmp=tmp_path).split())
    assert re.search(message, said), said


@pytest.mark.slow
@posix
def test_ctrl_c_twice_ends_it_with_its_processes(tmp_path):
    path, store = tmp_path / "plan.toml", tmp_path / "store"
    sides = "dice = '-5..5'\n[defenders]\nunits = 'imperium/*'\nmodels = '1..99'\ndamage_limit = '1..99'"
    path.write_text(f"[attackers]\nunits = 'crown/*'\n{sides}\ndefence = '1..99'", encoding="utf-8")
    words = [sys.executable, "-m", "analyser", "sweep", str(path), "--out", str(store), "--workers", "1"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not list(store.rglob("*.parquet")):
            time.sleep(0.05)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)  # while the first has it wait for what is at work
        assert process.wait(timeout=60) == 130
        said = process.stderr.read()  # which ends when the last process that writes to it has ended
        assert "Traceback" not in said
        assert f"to resume: analyser sweep resume {store}" in said
    assert analyser.open_sweep(store).done


def test_a_scheduler_that_is_not_there_is_told_for_reports_too(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("analyser.sweep.dask_executor.SCHEDULER_PATIENCE", 0.5)
    words = ["report", "--attackers", RIFLES, "--defenders", GRENADIERS, "--out", tmp_path / "x"]
    said = refusal(*words, "--dask", "tcp://127.0.0.1:9")
    assert "no scheduler answers at tcp://127.0.0.1:9" in said
    assert not (tmp_path / "x").exists()
