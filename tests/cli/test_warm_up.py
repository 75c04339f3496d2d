"""`warm-up`, and work that is broken off while kernels are being compiled."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.helpers.shell import refusal

A, B = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
SAMPLED = ("charge", A, B, "--method", "monte-carlo", "--trials", "1000", "--format", "json")


def begun(*words, cache):
    return subprocess.Popen(
        [sys.executable, "-m", "analyser", *words],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(process):
    printed, said = process.communicate(timeout=120)
    return process.returncode, printed, said


@pytest.mark.slow
def test_it_keeps_what_the_questions_need(tmp_path):
    status, _, said = ended(begun("warm-up", "morale-legion", cache=tmp_path))
    assert (status, said.strip()) == (0, "note: compiled: morale-legion")
    assert list(tmp_path.rglob("*.play_chunks*.nbc"))


def test_a_misspelt_name_is_told_the_nearest():
    assert "no kernels 'matchup'; did you mean 'matchups'?" in refusal("warm-up", "matchup")


@pytest.mark.slow
def test_no_folder_to_keep_them_in_is_one_message(tmp_path):
    (tmp_path / "file").touch()
    status, _, said = ended(begun("warm-up", "morale-legion", cache=tmp_path / "file"))
    assert status == 2
    assert said.splitlines()[-1].startswith("error: warm-up: compiled kernels cannot be kept anywhere")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_warm_up_that_is_broken_off_leaves_nothing_that_harms(tmp_path, how):
    process = begun("warm-up", "sampled-fights", cache=tmp_path)
    time.sleep(2.5)
    os.killpg(process.pid, how)
    status, _, said = ended(process)
    assert status == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert "Traceback" not in said
    status, answer, said = ended(begun(*SAMPLED, cache=tmp_path))
    assert (status, said) == (0, "")
    assert answer == ended(begun(*SAMPLED, cache=tmp_path / "another"))[1]


@pytest.mark.slow
def test_ctrl_c_in_the_middle_of_compiling_ends_at_once(tmp_path):
    process = begun(*SAMPLED, cache=tmp_path)
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    status, printed, said = ended(process)
    assert (status, printed) == (130, "")
    assert "Traceback" not in said
