"""The commands `clash` and `build` as people type them."""

import csv
import html
import io

import pytest

import analyser
from tests.helpers.shell import answer, refusal, run

MINE = "2 x crown/rifle-platoon@basic, crown/drake-field-guns@basic"
YOURS = "imperium/krupp-field-guns@basic, imperium/scion-grenadier-platoon@basic"
QUICK = ("--situations", "long-range")
CLASH = ("battle", "plan", MINE, YOURS, *QUICK)
BUILD = ("army", "build", "--faction", "crown", "--points", "500", *QUICK, "--next-best", "1")
FIELD = ("--against", "imperium/krupp-field-guns@basic")


def test_a_page_leaves_its_answer_in_the_terminal(tmp_path):
    """A page that is written says in a line or two what is on it; one without battles has no such line."""
    page = tmp_path / "clash.html"
    told = run(*CLASH, "--battles", "50", "--out", page).stderr.splitlines()
    said = [line.removeprefix("clash.html: ") for line in told if line.startswith("clash.html: ")]
    assert said[0].startswith("Crown ")
    assert said[0] in html.unescape(" ".join(page.read_text(encoding="utf-8").split()))
    assert "clash.html: " not in run(*CLASH, "--battles", "0", "--out", page).stderr
    page = tmp_path / "build.html"
    told = run(*BUILD, "--against", YOURS, "--trials", "50", "--out", page).stderr
    assert told.startswith("build.html: ")
    assert "the ranking. The values of these lists" in told
    told = run(*BUILD, "--against", YOURS, "--no-battles", "--seed", "3", "--out", page).stderr.splitlines()
    assert told[0] == "note: --seed: no effect without battles"
    assert told[1].startswith("build.html: Without battles: Crown list 1 has the highest sum of unit values (")


def test_a_build_saves_its_best_list(tmp_path):
    saved = tmp_path / "best.toml"
    printed = answer(*BUILD, *FIELD, "--save", saved, "--must", "crown/sharp-rifles", "--ban", "crown/*dragoons")
    best = analyser.load_army(saved)
    assert best.points <= 500
    assert analyser.check_army(best).broken == ()
    assert "Sharp Rifles, " in printed
    assert "dragoons" not in printed
    rows = list(csv.DictReader(io.StringIO(answer(*BUILD, "--against", f"3 x {FIELD[1]}", "--format", "csv"))))
    assert {row["rank"] for row in rows} == {"1", "2"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("battle", "plan", MINE, "imperium/nobody@basic, imperium/krupp@basic"), "yours"),
        ((*CLASH, "--aim", "pionts"), "did you mean 'points'?"),
        ((*BUILD, *FIELD, "--mine", YOURS, "--no-battles"), "mine: needs battles"),
        ((*BUILD, "--against", "crwn"), "no faction, unit or file is called 'crwn'; did you mean 'crown'?"),
        ((*BUILD, "--against", "nowhere.toml", "--against", "crown"), "'crown' is not an army file"),
        ((*BUILD, *FIELD, "--must", "0 x crown/rifle-platoon"), "must: 0 is out of range (allowed: 1 to 500)"),
        ((*BUILD, *FIELD, "--must", "imperium/krupp"), "must: imperium/krupp-field-guns@basic is not a unit of crown"),
        (("army", "build", "--faction", "crown", "--points", "90", *FIELD), "no scale allows 90 points"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(arguments, message):
    assert message in refusal(*arguments)


@pytest.mark.parametrize("command", ["plan", "simulate"])
def test_a_file_without_its_ending_is_told_the_whole_name(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.rosz", "mine.toml"):
        (tmp_path / name).touch()
    said = refusal("battle", command, "mine", YOURS)
    assert "no file is called 'mine'; did you mean 'mine.toml' or 'mine.rosz'?" in said
    assert "faction/unit@level" in said


def test_a_file_may_have_a_comma_in_its_name(tmp_path):
    path = tmp_path / "my list, 1500 é.toml"
    path.write_text(analyser.load_army({"name": "Comma", "unit": ["crown/rifle-platoon@basic"]}).to_toml())
    assert "Comma (1 unit, 35 points)" in answer("battle", "plan", path, YOURS, *QUICK)
    assert "against Comma" in answer(*BUILD, "--against", path, "--no-battles")
