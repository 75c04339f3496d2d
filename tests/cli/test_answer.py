"""Every answer in every format, and as a picture: one way to write for all commands."""

import io
import json
import re

import pyarrow.parquet
import pytest

from analyser.analysis.verdict_gate import VERDICTS
from analyser.cli.command_base import FORMATS
from analyser.results import rendering
from tests.helpers.shell import answer, refusal, run

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
FAR, FEW = ("--situations", "long-range"), (f"{RIFLES}:models=2", f"{GRENADIERS}:models=2")
COMMANDS = {
    "attack": ["attack", RIFLES, GRENADIERS],
    "both": ["attack", RIFLES, GRENADIERS, "--method", "both", "--trials", "1000"],
    "charge": ["charge", RIFLES, GRENADIERS],
    "focus": ["attack", RIFLES, RIFLES, GRENADIERS],
    "duel": ["duel", RIFLES, GRENADIERS, "--rounds", "1"],
    "morale": ["morale", "legion", "--courage", "2", "--received", "1", "--rounds", "2"],
    "plan": ["battle", "plan", RIFLES, GRENADIERS, *FAR],
    "best": ["best", *FEW, "--rounds", "1", "--first", "a", "--distance", "18"],
    "focus, best": ["best", "focus", RIFLES, RIFLES, GRENADIERS],
    "tactics": ["best", "tactics", RIFLES, GRENADIERS, "--rounds", "1"],
    "trial": ["explain", RIFLES, GRENADIERS, "--trial", "7"],
    "luck": ["explain", "luck", RIFLES, GRENADIERS, "--destroyed", "1"],
    "curve": ["compare", RIFLES, "crown/sharp-rifles@basic", "--target", GRENADIERS, "--over", "distance=1..32"],
    "compare": ["compare", "crown/rifle-p*", "--target", GRENADIERS],
    "matchups": ["matchups", "crown/rifle-p*", "imperium/krupp*", *FAR],
    "sensitivity": ["compare", "sensitivity", RIFLES, GRENADIERS],
    "prices": ["balance", RIFLES, "--against", "imperium/*@basic", *FAR],
    "what-if": ["balance", "what-if", RIFLES, "points=60", "--against", "imperium/*@basic", *FAR],
    "units": ["units", "crown"],
    "card": ["units", "card", "crown/rifle-platoon"],
    "army": ["army", "notebooks/armies/iron-dukes-own.toml"],
    "kinds": ["army", "kinds", "crown"],
}
DRAWN = COMMANDS.keys() - {"focus, best", "trial", "what-if", "units", "card", "army", "kinds"}
SIGNATURES = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def test_the_formats_offered_are_those_that_there_are():
    assert tuple(rendering.FORMATS) == FORMATS


@pytest.mark.parametrize("name", COMMANDS)
def test_an_answer_comes_in_every_format(name, tmp_path):
    command, out = COMMANDS[name], tmp_path / "answer.parquet"
    text = answer(*command)
    assert text == answer(*command, "--format", "text")
    assert re.fullmatch(r"analyser/[\w/-]+/\d+", json.loads(answer(*command, "--format", "json"))["schema"])
    picture = ["--plot", tmp_path / "answer.png"] if name in DRAWN else []
    lines = answer(*command, "--format", "csv", *picture).splitlines()
    assert [path.name for path in tmp_path.iterdir()] == ["answer.png"] * (name in DRAWN)
    assert lines[0].split(",")[-1] == "profiles"
    assert answer(*command, "--format", "parquet", "--out", out) == ""
    table = pyarrow.parquet.read_table(out)
    assert (table.column_names, table.num_rows) == (lines[0].split(","), len(lines) - 1)


@pytest.mark.parametrize("ending", SIGNATURES)
def test_an_answer_is_drawn_as_the_ending_of_the_picture_says(ending, tmp_path):
    picture = tmp_path / f"answer{ending}"
    assert answer(*COMMANDS["attack"], "--plot", picture) == answer(*COMMANDS["attack"])
    assert picture.read_bytes().startswith(SIGNATURES[ending])


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_what_is_no_picture_is_refused_before_the_work(name, tmp_path):
    said = refusal(*COMMANDS[name], "--plot", tmp_path / "answer.gif", "--out", tmp_path / "answer.txt")
    assert "'.gif' is not the extension of a picture (allowed: .png, .svg, .pdf)" in said
    assert list(tmp_path.iterdir()) == []


def test_parquet_needs_a_file():
    said = refusal(*COMMANDS["units"], "--format", "parquet")
    assert "--format: parquet needs a file (allowed: with --out FILE)" in said


def test_an_answer_is_written_although_its_verdicts_fail(tmp_path):
    whole = answer(*COMMANDS["prices"], "--format", "json")
    wanted = ["--format", "json", "--out", tmp_path / "prices.json", "--plot", tmp_path / "prices.png"]
    failed = run(*COMMANDS["prices"], "--fail-on-verdict", ",".join(VERDICTS), *wanted)
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert failed.stderr.startswith("1 verdict not accepted:\n")
    assert (tmp_path / "prices.json").read_text(encoding="utf-8") == whole
    assert (tmp_path / "prices.png").exists()


def test_a_column_of_several_types_is_text_in_parquet():
    shown = rendering.Renderings(str, dict, lambda: [{"a": 1, "b": None}, {"a": "x"}])
    table = pyarrow.parquet.read_table(io.BytesIO(rendering.FORMATS["parquet"](shown)))
    assert table.to_pydict() == {"a": ["1", "x"], "b": [None, None]}


TOO_LONG = "x" * 300
BUILD = ["army", "build", "--faction", "crown", "--points", "100", "--against", "imperium", "--no-battles"]
REFUSED = {
    "a picture with a name too long": (["attack", RIFLES, GRENADIERS], ["--plot", f"{TOO_LONG}.png"]),
    "a picture where the answer goes": (["attack", RIFLES, GRENADIERS, "--format", "json"], ["--plot", "o.png"]),
    "a list with a name too long": (BUILD, ["--save", f"{TOO_LONG}.toml"]),
    "a summary with a name too long": (["report", "diff", "profiles", "profiles"], ["--summary", f"{TOO_LONG}.md"]),
}


@pytest.mark.parametrize(("command", "second"), REFUSED.values(), ids=REFUSED)
def test_every_file_is_checked_before_any_work(command, second, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refusal(*command, "--out", "o.png" if "o.png" in second else "o.json", *second)
    assert list(tmp_path.iterdir()) == []
