"""Scenario files: one, several at once, and standard input."""

import csv
import io
import json
import os

import pytest
from click.testing import CliRunner

from analyser.cli import cli
from tests.helpers.shell import GRENADIERS, RIFLES, answer, refusal, run

FIGHTS = {
    "attack": f'attack = {{attacker = "{RIFLES}"}}\ntarget = {{unit = "{GRENADIERS}"}}\n',
    "charge": f'charge = {{}}\nattacker = {{unit = "{RIFLES}"}}\ntarget = {{unit = "{GRENADIERS}"}}\n',
    "panic": "courage = 1\ntokens = 2\n",
}


@pytest.fixture
def files(tmp_path):
    for name, text in FIGHTS.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    return [str(tmp_path / f"{name}.toml") for name in FIGHTS]


def test_several_files_are_one_answer(files, tmp_path):
    text = answer("run", *files)
    for file in files:
        assert f"{file}\n{'=' * len(file)}\n{answer('run', file)}" in text
    records = json.loads(answer("run", *files, "--format", "json"))
    alone = [json.loads(answer("run", file, "--format", "json")) for file in files]
    assert records == [{"file": file, **record} for file, record in zip(files, alone)]
    out = tmp_path / "all.csv"
    assert answer("run", *files, "--out", out) == ""
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert list(dict.fromkeys(row["file"] for row in rows)) == files


def test_bad_files_of_several_are_named_and_the_others_answered(files, tmp_path):
    bad = [tmp_path / "bad.toml", tmp_path / "worse.toml"]
    for path in bad:
        path.write_text("[attack]\ndyce = 3\n", encoding="utf-8")
    out = tmp_path / "all.json"
    result = run("run", bad[0], *files, bad[1], tmp_path, "--out", out)
    assert result.exit_code == 2
    said = result.stderr
    assert all(f"{path}: attack.dyce" in said for path in bad)
    assert f"{tmp_path}: this is a folder" in said
    assert "3 of 6 files have no answer" in said
    assert [record["file"] for record in json.loads(out.read_text(encoding="utf-8"))] == files


def test_several_files_have_no_picture_and_no_page(files):
    for option in (("--plot", "a.png"), ("--out", "a.html")):
        assert f"{option[0]}: only a single file can have a picture or a page" in refusal("run", *files, *option)


@pytest.mark.parametrize("name", FIGHTS)
def test_a_dash_is_standard_input(files, name):
    done = CliRunner().invoke(cli, ["run", "-", "--format", "json"], input=FIGHTS[name])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == answer("run", files[[*FIGHTS].index(name)], "--format", "json")


@pytest.mark.parametrize("name", FIGHTS)
def test_a_pipe_is_read_once(files, name):
    reader, writer = os.pipe()
    os.write(writer, FIGHTS[name].encode())
    os.close(writer)
    piped = answer("run", f"/dev/fd/{reader}", "--format", "json")
    os.close(reader)
    assert piped == answer("run", files[[*FIGHTS].index(name)], "--format", "json")


def test_a_scenario_of_an_answer_is_read_again(tmp_path):
    path = tmp_path / "again.json"
    scenario = json.loads(answer("duel", "crown/rifle-p@basic", "scion-grenadier-p@basic", "--format", "json"))[
        "scenario"
    ]
    path.write_text(json.dumps(scenario), encoding="utf-8")
    assert json.loads(answer("run", path, "--format", "json"))["scenario"] == scenario
    path.write_text('{"duel": ', encoding="utf-8")
    assert "broken JSON" in refusal("run", path)
