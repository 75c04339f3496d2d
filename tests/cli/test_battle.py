"""The command about battles."""

import html
import json

import pytest

import analyser
from analyser.cli.battle import parse_army
from analyser.scenarios.battle import BattleTerms, battle_scenario
from tests.fuzz.doors import toml
from tests.helpers.shell import GRENADIERS, RIFLES, answer, refusal, run

FEW = ["--trials", "600", "--rounds", "2", "--threads", "1"]
PLANE = "crown/defiance-fighter-squadron@basic"
ARMIES = f"2 x {RIFLES}", f"2 x imperium/{GRENADIERS}"


@pytest.mark.slow
def test_a_battle_is_answered_as_text_and_json(tmp_path):
    text = answer("battle", *ARMIES, *FEW)
    assert "Crown wins " in text
    assert "Not modelled\n- objectives\n- terrain and buildings\n" in text
    assert "has the median margin; --tell " in text
    asked = ("battle", *ARMIES, *FEW, "--no-swing", "--no-tactics")
    page = run(*asked, "--format", "json", "--out", tmp_path / "mine.json")
    record = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))
    assert page.stderr.startswith("mine.json: Crown ")
    assert (record["trials"], record["swing"]) == (600, [])
    assert len(answer(*asked, "--format", "csv").splitlines()) == 1 + 4
    answer(*asked, "--picture", "survival", "--plot", tmp_path / "survival.png")
    assert (tmp_path / "survival.png").stat().st_size > 5000


def test_a_battle_is_a_page(tmp_path):
    """The same command writes the same bytes, and leaves the answer in the terminal; a picture may go beside it."""
    asked = ("battle", *ARMIES, *FEW, "--no-swing", "--no-tactics")
    page, again, picture = tmp_path / "battle.html", tmp_path / "again.HTML", tmp_path / "margin.png"
    said = run(*asked, "--out", page, "--plot", picture).stderr
    assert said.startswith("battle.html: Crown ")
    first = said.splitlines()[0].removeprefix("battle.html: ")
    assert first in html.unescape(page.read_text(encoding="utf-8"))
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert answer(*asked, "--quiet", "--out", again) == ""
    assert again.read_bytes() == page.read_bytes()
    assert json.loads((run(*asked, "--format", "json", "--out", page), page.read_text(encoding="utf-8"))[1])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--out", "battle.htm"), "unknown extension '.htm' (allowed: .html, .txt, "),
        (("--out", "taken/battle.html"), "taken/battle.html: cannot write here"),
        (("--tell", "3", "--out", "battle.html"), "--out: --tell and a page exclude each other (allowed: .txt; or w"),
    ],
)
def test_a_page_that_cannot_be_is_refused_and_nothing_is_written(more, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").touch()
    assert message in refusal("battle", *ARMIES, *more)
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


def test_a_battle_that_is_not_played_is_not_told():
    told = refusal("battle", *ARMIES, "--trials", "500", "--tell", "999999999")
    assert "--tell: battle 999,999,999 does not exist: there are 500 (allowed: 0 to 499, or more --trials)" in told
    assert "there are 10,000" in refusal("battle", *ARMIES, "--tell", "100000")
    assert "--tell: -1 is out of range (allowed: 0 or more)" in refusal("battle", *ARMIES, "--tell", "-1")
    assert "--plot: --tell has no picture" in refusal("battle", *ARMIES, "--tell", 1, "--plot", "x.png")


BATTLE = f'mine = ["2 x {RIFLES}"]\nyours = "yours.toml"\n[battle]\nrounds = 2\ntarget_mine = "threatened_first"\n'
YOURS = f'unit = ["2 x imperium/{GRENADIERS}"]\n'


@pytest.fixture
def scenario(tmp_path):
    """A scenario file of a battle, which names the file of an army beside it."""
    (tmp_path / "yours.toml").write_text(YOURS, encoding="utf-8")
    path = tmp_path / "battle.toml"
    path.write_text(BATTLE, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_scenario_file_is_the_battle_of_its_armies(scenario):
    of_file = json.loads(answer("run", scenario, "--trials", "600", "--threads", "1", "--format", "json"))
    asked = answer("battle", *ARMIES, *FEW, "--target-mine", "threatened_first", "--format", "json")
    assert of_file["summary"] == json.loads(asked)["summary"]
    again = scenario.with_name("again.toml")
    again.write_bytes(toml(of_file["scenario"]))
    assert json.loads(answer("run", again, "--trials", "600", "--format", "json"))["summary"] == of_file["summary"]


def test_a_scenario_file_that_cannot_be_is_refused_in_one_line(scenario):
    assert "has no exact answer" in refusal("run", scenario, "--method", "exact")
    scenario.write_text(BATTLE.replace("yours.toml", "theirs.toml"), encoding="utf-8")
    assert "theirs.toml" in refusal("run", scenario)
    scenario.write_text(BATTLE.replace("rounds", "round"), encoding="utf-8")
    assert "did you mean 'rounds'" in refusal("run", scenario)
    scenario.write_text(BATTLE.partition("yours")[0], encoding="utf-8")
    assert "yours" in refusal("run", scenario)


@pytest.mark.parametrize(
    ("army", "told"),
    [
        (ARMIES[0], "round 9 is after the last round (6)"),
        (f"{ARMIES[0]}, {PLANE}", "reserves never arrive: they may arrive from round 9 on"),
    ],
)
def test_reserves_that_never_come_are_not_taken_silently(army, told):
    mine, yours = (analyser.load_army(parse_army(each)) for each in (army, ARMIES[1]))
    library = analyser.load_profiles()
    scenario = battle_scenario(mine, yours, BattleTerms(arrives=9), library.ruleset, library)
    assert any(told in warning for warning in scenario.warnings)
