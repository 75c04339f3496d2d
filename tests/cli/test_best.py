"""The commands of best play."""

import subprocess
import sys

import pytest

from tests.helpers.shell import GRENADIERS, RIFLES, answer, refusal
from tests.helpers.skips import posix

MINE, YOURS = f"{RIFLES}:models=2", f"{GRENADIERS}:models=2"
SMALL = ("--rounds", "1", "--first", "a")


def test_best_of_a_file(file):
    policies = 'policy_b = "best"\npolicy_a = ["lookout until the enemy is within 12", "aim and shoot"]'
    sides = "".join(f'{side} = {{unit = "{unit}", models = 2}}\n' for side, unit in (("a", RIFLES), ("b", GRENADIERS)))
    path = file(f"{sides}[duel]\nrounds = 1\n{policies}\n")
    assert "policy lookout until the enemy is within 12; aim and shoot" in answer("best", path)
    assert "B aimed and shot" in answer("run", path)


def test_options_of_best_play(tmp_path):
    assert " VP lower" in answer("best", MINE, YOURS, *SMALL, "--want", "margin")
    picture = tmp_path / "what.png"
    answer("best", MINE, YOURS, *SMALL, "--distance", "18", "--plot", picture, "--by", "distance", "--round", "1")
    assert picture.stat().st_size > 1000


def test_a_duel_by_lines_or_best():
    assert "A aimed and shot" in answer("duel", MINE, YOURS, *SMALL, "--policy-a", "best")
    text = answer("duel", MINE, YOURS, *SMALL, "--policy-a", "charge if it is suppressed, else take cover")
    assert "A took cover" in text


def test_a_sample_of_best_play_tells_what_real_decks_make_of_the_plan():
    asked = ("--policy-a", "best", "--rounds", "1", "--method", "monte-carlo", "--trials", "500")
    assert "Planned, with cards put back" in answer("duel", MINE, YOURS, *asked)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("best", MINE, YOURS, "--want", "glory"), "glory"),
        (("best", MINE, YOURS, "--by", "models"), "this option needs --plot FILE"),
        (("best", MINE, YOURS, "--against", "shot"), "shoot"),
        (("best", "nowhere.toml", "--rounds", "2"), "state this in the file, not as an option"),
        (("duel", MINE, YOURS, "--policy-a", "dance if suppressed"), "unknown order 'dance'"),
        (("duel", MINE, YOURS, "--policy-a", "shoot; shoot"), "line 2, 'shoot', is never reached: line 1"),
    ],
)
def test_refusals(arguments, told):
    assert told in refusal(*arguments)


def test_a_report_under_best_play_is_asked_for_in_a_word():
    assert "did you mean 'best'" in refusal("report", RIFLES, GRENADIERS, "--out", "r", "--policy", "bst")
    assert "--policy" in answer("report", "--help-all")


@pytest.mark.slow
@posix
def test_a_huge_game_is_refused_soon_and_in_little_memory():
    castellans = "imperium/teutonic-armiger-castellans@full-strength"
    asked = ("best", castellans, castellans, "--distance", "17.5", "--rounds", "10")
    look = (
        f"import pathlib, time; from analyser.cli import main; print(main({asked}), time.process_time()); "
        "own = pathlib.Path('/proc/self/status'); print(own.read_text() if own.exists() else '')"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, timeout=600)
    status, seconds, *told = done.stdout.split()
    assert status == "2"
    assert "at least about 50,000,000 transitions between situations (allowed: fewer rounds or models; " in done.stderr
    assert float(seconds) < 2.5
    if "VmHWM:" in told:  # of Linux; getrusage's peak may be that of whoever started the process
        assert int(told[told.index("VmHWM:") + 1]) < 400 << 10  # kilobytes
