"""The command of sweeps."""

import json
import re
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

import analyser
from analyser.cli import main
from analyser.sweep.running import run_sweep
from tests.helpers.skips import posix
from tests.helpers.sweeps import PLAN, Inline

TEXT = """
name = "small"
[attackers]
units = ["crown/rifle-p*"]
[defenders]
units = ["krupp@basic"]
defence = "1..3"
"""


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
def test_a_sweep_from_its_file(plan, tmp_path, capsys):
    store = tmp_path / "store"
    assert main(["sweep", str(plan), "--out", str(store), "--workers", "1"]) == 0
    assert "small: 9 cells in 1 part, all done" in capsys.readouterr().out
    assert main(["sweep", "resume", str(store), "--workers", "1"]) == 0
    assert main(["sweep", str(plan), "--out", str(store), "--part", "1/1", "--workers", "1"]) == 0
    assert "Sweep small" in (store / "summary.html").read_text(encoding="utf-8")


def test_status(store, capsys):
    assert main(["sweep", "status", str(store)]) == 0
    assert "all done" in capsys.readouterr().out
    next((store / "parts").rglob("*.parquet")).unlink()
    assert main(["sweep", "status", str(store)]) == 1
    said = capsys.readouterr().out
    assert "1 are missing" in said
    assert "seconds of one processor left" in said
    assert main(["sweep", "status", str(store), "--json"]) == 1
    status = json.loads(capsys.readouterr().out)
    assert status["done"] == status["parts"] - 1
    assert status["costs"][0]["kind"] == "ranged"


def test_verify(store, capsys):
    assert main(["sweep", "verify", str(store)]) == 0
    path = next((store / "parts").rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["sweep", "verify", str(store)]) == 1
    assert "--remove deletes it" in capsys.readouterr().err
    assert path.exists()
    assert main(["sweep", "verify", str(store), "--remove"]) == 1
    assert "1 damaged" in capsys.readouterr().out
    assert not path.exists()


def test_merge(store, tmp_path, capsys):
    assert main(["sweep", "merge", str(store)]) == 0
    assert len(pd.read_parquet(store / "merged.parquet")) == main_count(store)
    assert main(["sweep", "merge", str(store), "--out", str(tmp_path / "one.parquet")]) == 0
    assert "one.parquet" in capsys.readouterr().out


def main_count(store):
    return sum(len(pd.read_parquet(path, partitioning=None)) for path in (store / "parts").rglob("*.parquet"))


def test_merge_of_a_sample_is_its_answer(tmp_path, capsys):
    question = {"attack": {"attacker": "crown/rifle-platoon@basic"}, "target": {"unit": "krupp@basic"}}
    run_sweep({"sample": {"trials": 1000}, "question": question}, tmp_path / "store", executor=Inline())
    out = tmp_path / "answer.json"
    assert main(["sweep", "merge", str(tmp_path / "store"), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert (
        main(["attack", "crown/rifle-platoon@basic", "krupp@basic", "--method", "monte-carlo", "--trials", "1000"]) == 0
    )
    assert capsys.readouterr().out == said
    assert json.loads(out.read_text())["trials"] == 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{plan}"], "missing option '--out'"),
        (["status"], "missing argument 'STORE'"),
        (["status", "{tmp}/none"], "no such folder"),
        (["status", "{tmp}/none", "--workers", "2"], "no such option '?--workers"),
        (["{tmp}/none.toml", "--out", "{tmp}/s"], "cannot read this file"),
        (["{plan}", "--out", "{tmp}/s", "--part", "3/2"], "such as 17/400"),
        (["{plan}", "--out", "{tmp}/s", "--workers", "0"], "workers"),
        (["{plan}", "--out", "{tmp}"], "not empty and holds no sweep"),
    ],
)
def test_what_cannot_be_done_is_one_message(plan, tmp_path, capsys, words, message):
    words = [each.format(plan=plan, tmp=tmp_path) for each in words]
    assert main(["sweep", *words]) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
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


def test_a_scheduler_that_is_not_there_is_told_for_reports_too(tmp_path, capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("analyser.sweep.dask_executor.SCHEDULER_PATIENCE", 0.5)
    words = ["report", "--attackers", "crown/rifle-p@basic", "--defenders", "krupp@basic", "--out", str(tmp_path / "x")]
    assert main([*words, "--dask", "tcp://127.0.0.1:9"]) == 2
    assert "no scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
