"""The command of army lists: shown, checked, written again in every form, refused in one line."""

import csv
import io
import json

import pytest

import analyser
from tests.helpers import rosters
from tests.helpers.shell import answer, refusal, run

LIST = """
name = "The Thin Red Line"
faction = "crown"
points_limit = 600
unit = [
    {unit = "rifle-command-platoon@basic", battlegroup = "faction"},
    {unit = "rifle-platoon@reinforced", battlegroup = "faction", count = 2, discipline = 9},
    {unit = "sharp-rifles@full-strength", battlegroup = "faction", policy = "take_cover"},
    {unit = "drake-field-guns@full-strength", battlegroup = "faction"},
]
boon = [{boon = "forlorn-hope", battlegroup = "faction"}]
"""


@pytest.fixture
def mine(file):
    return file(LIST)


@pytest.fixture
def roster(tmp_path):
    """A roster of a catalogue of our own, whose units no shipped profile has."""
    path = tmp_path / "list.ros"
    path.write_bytes(rosters.xml_of(rosters.roster(rosters.tree_of(rosters.own_catalogue()), 2, most_units=3)))
    return str(path)


def test_an_army_is_shown(mine):
    text = " ".join(answer("army", mine).split())
    for line in (
        "Army The Thin Red Line",
        "Scale skirmish",
        "Points 535 of 600",
        "rifle-platoon@reinforced #2 12 60 3 faction own discipline",
        "sharp-rifles@full-strength 12 145 5 faction policy take_cover",
        "Forlorn Hope 15 faction",
        "Profiles: shipped with analyser",
    ):
        assert line in text


@pytest.mark.parametrize("numbers", ["profile", "roster"])
def test_a_roster_is_written_as_a_list_and_read_again(roster, tmp_path, numbers):
    out = tmp_path / "out.toml"
    done = run("army", roster, "--numbers", numbers, "--out", str(out))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "warning: Heron Flight: not among the profiles" in done.stderr
    assert analyser.load_army(out).loadouts == analyser.load_army(roster, numbers=numbers).loadouts


def test_an_army_is_checked(mine, file):
    assert answer("army", "check", mine) == "The Thin Red Line: no rule of force building is broken\n"
    path = file('unit = ["crown/rifle-platoon@basic"]')
    done = run("army", "check", path)
    assert done.exit_code == 1
    assert "FB-1: the points are within the force scale" in done.stdout
    record = json.loads(run("army", "check", path, "--format", "json").stdout)
    assert record["passed"] is False


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "missing argument"),
        (["kinds", "--out", "a.toml"], "a.toml: unknown extension '.toml'"),
        (["card", "a.toml", "--out", "a.txt"], "a.txt: '.txt' is not the extension of a page (allowed: .html)"),
        (["a.toml", "b.toml"], "unexpected extra argument (b.toml)"),
        (["a.toml", "--format", "toml"], "'toml' needs a file: --out FILE.toml"),
        ([""], "army: no file is called ''"),
        (
            ["a.cat"],
            "a.cat: unknown kind of file '.cat'; `analyser units import` reads it (allowed: .ros, .rosz, .json)",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(words, says):
    assert says in refusal("army", *words)


def test_a_misspelt_file_is_told_the_nearest_in_its_folder(tmp_path):
    for name in ("crown.rosz", "none.rosz", "Imperium.toml"):
        (tmp_path / name).touch()
    assert "No such file or directory; did you mean 'crown.rosz'?" in refusal("army", tmp_path / "crwon.rosz")
    assert "; did you mean 'Imperium.toml'?" in refusal("army", tmp_path / "imperum.ros")
    assert "did you mean" not in refusal("army", tmp_path / "nowhere.rosz")
    assert "did you mean" not in refusal("army", tmp_path / "no folder" / "crown.rosz")


def test_what_lists_may_hold_is_told(tmp_path):
    out = tmp_path / "kinds.csv"
    answer("army", "kinds", "imp", "--out", str(out))
    rows = [*csv.DictReader(io.StringIO(out.read_text(encoding="utf-8")))]
    assert {row["battlegroup"] for row in rows} == {"faction", "erlkonig", "gelve"}


def test_whose_numbers_count_is_a_question_of_rosters_alone(mine, roster):
    for verb in ((), ("check",)):
        assert run("army", *verb, mine, "--numbers", "roster").stderr == "note: --numbers: no effect without a roster\n"
        assert "--numbers" not in run("army", *verb, roster, "--numbers", "roster").stderr


def test_a_wrong_kind_and_a_broken_list_lead_to_what_there_is(file):
    unit = 'unit = "rifle-platoon@basic"\nbattlegroup = "First"\n'
    text = f'faction = "crown"\n[battlegroups]\nFirst = "infantry"\n[[unit]]\n{unit}'
    checked = run("army", "check", file(text)).stdout
    assert "'infantry' is not a kind of battlegroup of Crown (allowed: faction, " in checked
    assert "Rules of list building: analyser army kinds crown\n" in checked
    said = refusal("army", file(f'{text}[[boon]]\nboon = "hope"\n'))
    assert "no boon is called 'hope'" in said
    assert "forlorn-hope" in said
    assert "see analyser army kinds crown" in said
