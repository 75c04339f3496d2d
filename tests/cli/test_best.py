"""The commands of best play."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.helpers.shell import GRENADIERS, RIFLES, answer, refusal, run

MINE, YOURS = f"{RIFLES}:models=2", f"{GRENADIERS}:models=2"
SMALL = ("--rounds", "1", "--first", "a")


def test_best_says_what_to_do():
    text = answer("best", MINE, YOURS, *SMALL)
    assert "First move" in text
    assert "What habits give away" in text
    assert " pp less" in text
    assert " VP less" in answer("best", MINE, YOURS, *SMALL, "--want", "margin")


def test_best_in_other_forms(tmp_path):
    record = json.loads(answer("best", MINE, YOURS, *SMALL, "--format", "json"))
    assert record["kind"] == "best"
    assert record["exploitability"] < 1e-12
    rows = list(csv.DictReader(io.StringIO(answer("best", MINE, YOURS, *SMALL, "--format", "csv"))))
    assert rows[0]["do"] == record["plan"][0]["do"]
    picture = tmp_path / "what.png"
    answer("best", MINE, YOURS, *SMALL, "--distance", "18", "--plot", picture, "--by", "distance", "--round", "1")
    assert picture.stat().st_size > 1000


def test_best_as_a_list():
    text = answer("best", MINE, YOURS, *SMALL, "--lines", "1")
    assert text.splitlines()[0].startswith("aim and shoot")
    gives_away, known, best_of = text.splitlines()[-3:]
    assert gives_away.startswith("Gives away 0.00 pp of ")
    assert gives_away.endswith(", to an enemy who knows the list and makes the most of it")
    assert known == "To one who keeps to his own best plan it gives away 0.00 pp"
    assert re.fullmatch(r"The best of \d+ lists? tried; that there is no better one is not proven", best_of)
    crusaders = "imperium/teutonic-armiger-crusaders@basic:models=2"
    text = answer("best", MINE, crusaders, "--rounds", "3", "--distance", "12", "--lines", "1")
    assert text.splitlines()[-1] == "How many lines give away no more than half a point: --within 0.005"
    record = json.loads(answer("best", MINE, YOURS, *SMALL, "--lines", "2", "--within", "0.5", "--format", "json"))
    assert len(record["lines"]) == 1


def test_best_of_a_file(tmp_path):
    path = tmp_path / "duel.toml"
    path.write_text(
        f"""
[duel]
rounds = 1
policy_b = "best"
policy_a = ["lookout until the enemy is within 12", "aim and shoot"]
[a]
unit = "{RIFLES}"
models = 2
[b]
unit = "{GRENADIERS}"
models = 2
"""
    )
    assert "policy lookout until the enemy is within 12; aim and shoot" in answer("best", path)
    assert "B aimed and shot" in answer("run", path)


def test_a_duel_by_lines_or_best():
    assert "A aimed and shot" in answer("duel", MINE, YOURS, *SMALL, "--policy-a", "best")
    text = answer("duel", MINE, YOURS, *SMALL, "--policy-a", "charge if he is suppressed, else take cover")
    assert "A took cover" in text


def test_tactics(tmp_path):
    text = answer("best", "tactics", RIFLES, "imperium/scion-g*@basic", "--rounds", "1")
    assert "misjudged in" in text
    out = tmp_path / "tactics.csv"
    assert "The tactic of comparisons" in answer("best", "tactics", RIFLES, GRENADIERS, "--rounds", "1", "--out", out)
    assert out.read_text().startswith("attacker,defender,value,tactic")


def test_best_focus():
    text = answer("best", "focus", f"{RIFLES}:distance=12", RIFLES, GRENADIERS, "--until", "0.5")
    assert "Until 50%: 2" in text
    record = json.loads(answer("best", "focus", RIFLES, GRENADIERS, "--until", "1", "--format", "json"))
    assert record["until"] == {"chance": 1.0, "attackers": None}


def test_a_sample_of_best_play_tells_what_real_decks_make_of_the_plan():
    asked = ("--policy-a", "best", "--rounds", "1", "--method", "monte-carlo", "--trials", "500")
    assert "As planned, with cards put back" in answer("duel", MINE, YOURS, *asked)


def test_the_shortest_list_that_gives_away_little():
    text = answer("best", MINE, YOURS, *SMALL, "--within", "0.5")
    assert ", by 1 line, to an enemy who knows" in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("best", MINE, YOURS, "--want", "glory"), "glory"),
        (("best", MINE, YOURS, "--by", "models"), "there is no picture"),
        (("best", MINE, YOURS, "--within", "-0.1"), "--within"),
        (("best", MINE, YOURS, "--against", "shot"), "shoot"),
        (("best", "nowhere.toml", "--rounds", "2"), "this stands in the file"),
        (("duel", MINE, YOURS, "--policy-a", "dance if suppressed"), "no order 'dance'"),
        (("duel", MINE, YOURS, "--policy-a", "shoot; shoot"), "line 2, 'shoot', is never come to: line 1"),
        (("best", "focus", GRENADIERS), "missing argument"),
        (("best", "tactics", "crown/nobody", GRENADIERS), "nobody"),
    ],
)
def test_refusals(arguments, told):
    assert told in refusal(*arguments)


def test_a_list_without_a_last_resort_is_warned_of():
    result = run("duel", MINE, YOURS, *SMALL, "--policy-a", "charge if he is suppressed", "--format", "csv")
    assert "no last resort" in result.stderr


def test_prices_under_best_play_are_asked_for_in_a_word():
    assert "did you mean 'best'" in refusal("balance", "prices", RIFLES, "--policy", "bst")
    assert "did you mean 'best'" in refusal("balance", "what-if", RIFLES, "points+1", "--policy", "bst")
    for words in (("balance",), ("balance", "what-if"), ("report",)):
        assert "--policy" in answer(*words, "--help-all")


@pytest.mark.slow
def test_prices_under_best_play():
    """Of two, which are too few for a verdict."""
    how = ("--against", "imperium/scion-grenadier-platoon@basic", "--policy", "best", "--format", "json", "--quiet")
    record = json.loads(answer("balance", "prices", RIFLES, *how))
    assert record["situations"][-2:] == ["best-play-close", "best-play-open"]
    assert "table edges" in record["limits"]
    assert "the same by habit and by best play: long-range, short-range-aimed, charge." in record["limits"]


CRUSADERS = "imperium/teutonic-armiger-crusaders"
LONG = ("crown/rifle-p@full-strength", f"{CRUSADERS}@full-strength", "--distance", "17.5")


def spent(process_id):
    """The processor seconds of a process."""
    fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="how far it is is told by its processor seconds")
@pytest.mark.parametrize(
    ("seconds", "arguments"),
    [
        (1.5, ("best", *LONG)),  # before the compiler, or while it is at work
        (5.0, ("best", *LONG)),  # all that can come of it is being worked out
        (6.0, ("best", RIFLES, f"{CRUSADERS}@basic", "--distance", "18", "--within", "0")),  # the list
        (2.0, ("best", "tactics", "crown/*@basic", "imperium/*@basic")),
    ],
)
def test_ctrl_c_says_in_a_line_that_nothing_was_written(tmp_path, seconds, arguments):
    command = [sys.executable, "-m", "analyser", *arguments, "--out", str(tmp_path / "answer.json")]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while running.poll() is None and spent(running.pid) < seconds:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert running.communicate(timeout=60) == ("", "stopped: nothing was written\n")
    finally:
        running.kill()
    assert running.returncode == 130
    assert time.monotonic() - began < 5
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_tactics_that_are_stopped_say_what_is_kept(tmp_path):
    out = tmp_path / "tactics.csv"
    command = [
        sys.executable,
        "-m",
        "analyser",
        "best",
        "tactics",
        "crown/*@basic",
        "imperium/*@basic",
        "--out",
        str(out),
    ]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob(".tactics.csv.*/*.json")) and time.monotonic() < deadline:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        told = "stopped: what is finished is kept; run the same command again to resume\n"
        assert running.communicate(timeout=60) == ("", told)
    finally:
        running.kill()
    assert running.returncode == 130
    assert not out.exists()


@pytest.mark.proof
@pytest.mark.skipif(os.name != "posix", reason="terminals as POSIX has them")
def test_what_takes_long_is_shown_on_a_terminal():
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    asked = (RIFLES, f"{CRUSADERS}@basic", "--distance", "18", "--lines", "3")
    command = [sys.executable, "-m", "analyser", "best", *asked]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True) as running:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the other end is closed
            while part := os.read(ours, 4096):
                shown += part
        os.close(ours)
        assert "Gives away" in running.communicate(timeout=60)[0]
    assert running.returncode == 0
    assert b" of 80 steps at most" in shown


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="what a process took as POSIX tells it")
def test_a_huge_game_is_refused_soon_and_in_little_memory():
    castellans = "imperium/teutonic-armiger-castellans@full-strength"
    asked = ("best", castellans, castellans, "--distance", "17.5", "--rounds", "10")
    refused = refusal(*asked)  # by now all is compiled
    assert "100,000,000 ways to go on (allowed: fewer rounds or models; a habit" in refused
    look = (
        f"import pathlib, time; from analyser.cli import main; print(main({asked}), time.process_time()); "
        "own = pathlib.Path('/proc/self/status'); print(own.read_text() if own.exists() else '')"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, timeout=120)
    status, seconds, *told = done.stdout.split()
    assert (status, done.stderr) == ("2", refused)
    assert float(seconds) < 2.5
    if "VmHWM:" in told:  # of Linux; getrusage's peak may be that of whoever started the process
        assert int(told[told.index("VmHWM:") + 1]) < 400 << 10  # kilobytes
