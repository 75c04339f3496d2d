"""Stores: what is done can be read off the folder, damage is found, and nothing is counted twice."""

import json
import os
import random
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO

import pyarrow.parquet as pq
import pytest

from analyser.common.errors import InputError
from analyser.sweep.plan import Plan, read_plan
from analyser.sweep.running import resume_sweep, run_sweep
from analyser.sweep.store import LOCK, LOG, PARTS, PLAN, UNFINISHED, Store, store_for
from analyser.sweep.store_reader import open_sweep
from tests.helpers.damage import DAMAGES, made_random
from tests.helpers.shell import ended_plainly, run
from tests.helpers.skips import proof
from tests.helpers.sweeps import PLAN as SMALL
from tests.helpers.sweeps import names_in


def test_a_finished_store_has_nothing_to_do(store, threads):
    before = {path: path.stat().st_mtime_ns for path in (store / "parts").rglob("*.parquet")}
    assert resume_sweep(store, executor=threads).is_complete
    assert {path: path.stat().st_mtime_ns for path in (store / "parts").rglob("*.parquet")} == before


@pytest.mark.parametrize("seed", range(3))
def test_damage_is_found_and_made_again(store, done, threads, seed):
    choose = random.Random(seed)
    expected, victims = names_in(store), choose.sample(names_in(store), 3)
    flipped, cut, gone = (store / each for each in victims)
    content = bytearray(flipped.read_bytes())
    content[choose.randrange(len(content))] ^= 1 << choose.randrange(8)
    flipped.write_bytes(content)
    cut.write_bytes(cut.read_bytes()[: choose.randrange(cut.stat().st_size)])
    gone.unlink()
    looked = Store(store)
    assert len(looked.files()) == looked.plan.n_parts - 2  # what is cut short is seen at once
    found = looked.verify()
    wrong = {flipped: "changed since it was written", cut: "truncated, or in the wrong folder"}
    assert {each.path: each.why for each in found.damaged} == wrong
    assert found.missing == 3
    looked.verify(remove=True)
    assert resume_sweep(store, executor=threads).is_complete
    assert names_in(store) == expected
    assert not Store(store).verify().damaged


def test_a_part_that_is_there_twice_counts_once_and_is_told(store, done, threads):
    path, buffer = Store(store).files()[1].path, BytesIO()
    pq.write_table(pq.read_table(path, partitioning=None), buffer, compression="gzip")
    other = Store(store).put(1, buffer.getvalue())  # the same table, written otherwise
    assert path != other
    assert resume_sweep(store, executor=threads).is_complete
    assert open_sweep(store).count() == done.count()
    found = Store(store).verify()
    assert (found.whole, found.missing) == (done.plan.n_parts, 0)
    ((twice, why),) = found.damaged
    assert why == "this part exists twice"
    Store(store).verify(remove=True)
    assert not twice.exists()
    assert {path, other} - {twice} <= {each.path for each in Store(store).files().values()}


def test_jobs_that_begin_at_once_make_one_store(tmp_path):
    plan = read_plan(SMALL)
    for turn in range(5):
        together = threading.Barrier(6)

        def begin(folder=tmp_path / str(turn), together=together):
            together.wait()
            return store_for(plan, folder).plan.digest

        with ThreadPoolExecutor(6) as pool:
            assert {each.result() for each in [pool.submit(begin) for _ in range(6)]} == {plan.digest}


def test_an_edited_plan_is_refused_with_what_changed(store):
    edited = SMALL | {"defenders": SMALL["defenders"] | {"defence": "1..5"}}
    with pytest.raises(InputError, match=r"begun with another plan: file.defenders.defence: \"1..4\" -> \"1..5\""):
        run_sweep(edited, store)
    assert open_sweep(store).is_complete


def test_a_store_of_another_program_is_refused(store, tmp_path):
    plan = Store(store).plan
    other = Plan({**plan.content, "program": "another"})
    store_for(other, tmp_path / "other")
    with pytest.raises(InputError, match="another version of this program"):
        resume_sweep(tmp_path / "other")
    with pytest.raises(InputError, match=r"begun with another plan: program"):
        store_for(plan, tmp_path / "other")


def test_a_second_driver_is_refused_but_not_a_job(store, threads):
    with Store(store).locked():
        with pytest.raises(InputError, match="another process is at work on this store"):
            resume_sweep(store, executor=threads)
        assert resume_sweep(store, executor=threads, part="1/2")
    assert resume_sweep(store, executor=threads)


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty and holds no sweep"):
        store_for(read_plan(SMALL), tmp_path)
    with pytest.raises(InputError, match="no sweep here"):
        Store(tmp_path)
    with pytest.raises(InputError, match=r"this is not a file|cannot write here"):
        store_for(read_plan(SMALL), tmp_path / "mine.txt")


def test_a_plan_changed_by_hand_is_refused(store):
    content = json.loads((store / PLAN).read_text())
    content["attackers"] = content["attackers"][:1]
    (store / PLAN).write_text(json.dumps(content))
    with pytest.raises(InputError, match="changed by hand, or is damaged"):
        Store(store)
    for text in ("", "[]", "{}", "{", "\udcff"):
        (store / PLAN).write_text(text, errors="replace")
        with pytest.raises(InputError, match="plan"):
            Store(store)


def test_what_a_dead_process_began_is_taken_away(store, threads):
    for name in ("3.old", "3.new"):
        (store / "unfinished" / name).write_bytes(b"half")
    os.utime(store / "unfinished" / "3.old", (0, 0))
    resume_sweep(store, executor=threads)
    assert {path.name for path in (store / "unfinished").iterdir()} == {"3.new"}


def test_a_disk_that_cannot_be_written_to_is_one_message(store, threads, monkeypatch):
    shutil.rmtree(store / "parts" / "ruleset=usual" / "situation=long-range")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as context:
        context.setattr("pathlib.Path.write_bytes", full)
        with pytest.raises(InputError, match=r"cannot write part \d+: No space left on device"):
            resume_sweep(store, executor=threads)
    deadline = time.monotonic() + 30
    while list(
        (store / "unfinished").iterdir()
    ):  # another hand may be at a part still, whose disk is not full any more
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert resume_sweep(store, executor=threads).is_complete


@pytest.mark.parametrize("damage", [made_random, *proof(*DAMAGES)])
def test_damage_of_any_file_of_a_store_ends_plainly(store, threads, damage):
    (store / UNFINISHED).mkdir(exist_ok=True)
    (store / UNFINISHED / "0.elsewhere.1").write_bytes(b"begun")
    names = [path.relative_to(store) for path in sorted(store.rglob("*")) if path.is_file()]
    parts = [name for name in names if name.parts[0] == PARTS]
    assert {PLAN, LOG, LOCK} <= {*map(str, names)}
    for name in [parts[0], *(name for name in names if name not in parts)]:
        harmed = shutil.copytree(store, store.with_name("harmed"))
        damage(harmed / name)
        for verb in ("status", "verify"):
            ended_plainly(run("sweep", verb, harmed))
        with suppress(InputError):
            resume_sweep(harmed, executor=threads)
        shutil.rmtree(harmed)
