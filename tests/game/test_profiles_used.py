"""Which profiles answered: every answer names them, and an edit of what a reader sees changes the answer."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import analyser
from analyser.game.profiles import Profiles, profiles_used, shipped_profiles
from analyser.report import write_report
from analyser.report.diff import diff
from tests.helpers.shell import answer
from tests.oracle.small_profiles import FACTION, write_profiles

ROOT = Path(__file__).parents[2]
OTTER, FORT = "river/otter-guard@basic", "river/otter-guard@reinforced"
ASKED = {
    "attack": ["attack", OTTER, FORT],
    "charge": ["charge", OTTER, FORT],
    "compare": ["compare", "river/otter*", "--target", FORT],
    "compare several": ["compare", "river/otter*", "--target", FORT, "--target", OTTER],
    "morale": ["morale", "legion", "--courage", 1, "--tokens", 2],
    "units": ["units"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_profiles(tmp_path / "mine")


def version_of(path):
    return profiles_used(path).version


def test_equal_files_have_one_version_wherever_they_lie_and_any_edit_another(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    assert version_of(tmp_path / "copy") == version_of(folder)
    (tmp_path / "copy" / "river.toml").write_bytes(FACTION.replace("\n", "\r\n").encode())
    assert version_of(tmp_path / "copy") == version_of(folder)  # lines ended as another system does
    (tmp_path / "copy" / "river.toml").write_text(FACTION.replace("points = 40", "points = 41"))
    assert version_of(tmp_path / "copy") != version_of(folder)
    (folder / "ruleset.toml").write_text("die = { heroic = 1, strike = 5 }\ndeck = { 1 = 1 }\n")
    assert version_of(folder) != version_of(tmp_path / "copy")


def test_rulesets_of_other_games_are_part_of_the_version_of_their_answers_alone(folder):
    plain, whole = version_of(folder), profiles_used(folder, morale=True).version
    (folder / "morale").mkdir()
    shipped = (shipped_profiles() / "morale" / "legion.toml").read_text()
    (folder / "morale" / "legion.toml").write_text(shipped)
    assert profiles_used(folder, morale=True).version == whole  # the shipped one stood in for it
    (folder / "morale" / "legion.toml").write_text(f"{shipped}# mine\n")
    assert profiles_used(folder, morale=True).version != whole
    assert version_of(folder) == plain


def test_the_shipped_ones_are_named_without_the_place_where_they_are_installed():
    assert profiles_used().folder == f"shipped with analyser {analyser.__version__}"
    assert str(ROOT) not in str(Profiles().used)


@pytest.mark.parametrize("kind", ASKED)
def test_every_answer_names_its_profiles_in_every_form(folder, kind):
    command = [*ASKED[kind], "--profiles", "mine"]
    used = profiles_used("mine", morale=kind == "morale")
    assert f"Profiles: mine, version {used.version}" in answer(*command)
    told = json.loads(answer(*command, "--format", "json"))
    assert told["profiles"] == {"folder": "mine", "version": used.version}
    rows = list(csv.DictReader(io.StringIO(answer(*command, "--format", "csv"))))
    assert {row["profiles"] for row in rows} == {str(used)}


@pytest.mark.slow
def test_a_report_names_them_the_same_wherever_they_lie(folder, tmp_path):
    elsewhere = tmp_path / "somewhere" / "mine"
    shutil.copytree(folder, elsewhere)
    written = [
        write_report(OTTER, FORT, out=tmp_path / f"report-{place}", situations=["long-range"], profiles=Profiles(each))
        for place, each in enumerate(("mine", elsewhere))
    ]
    one, other = (json.loads((each / "manifest.json").read_text()) for each in written)
    assert one["profiles_used"] == {"folder": "mine", "version": version_of("mine")}
    assert one["files"] == other["files"]
    assert f"mine, version {version_of('mine')}" in (written[0] / "index.html").read_text(encoding="utf-8")
    found = diff(written[0], "mine")
    assert (found.old.version, found.new.version) == (version_of("mine"),) * 2


def prices(listed):
    return {unit["selector"]: unit["points"] for unit in listed["units"]}


def edit_price(folder):
    path = folder / "crown.toml"
    text = path.read_text(encoding="utf-8")
    at = text.index('id = "rifle-platoon"')
    edited = text[:at] + text[at:].replace("points = 35", "points = 36", 1)
    assert tomllib.loads(edited) != tomllib.loads(text)
    path.write_text(edited, encoding="utf-8")


@pytest.fixture
def checkout(tmp_path):
    """What a reader has: the package, and its profiles beside it."""
    made = tmp_path / "checkout"
    for name in ("analyser", "profiles"):
        shutil.copytree(ROOT / name, made / name, ignore=shutil.ignore_patterns("__pycache__", "*.nb*"))
    return made


def run(package, *arguments, at):
    """The command line of the package in a folder, as an editable install runs it: by its place on the path."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "analyser", *arguments],
        cwd=at,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(package)},
    )
    return done.stdout, done.stderr


@pytest.mark.slow
def test_a_price_edited_in_the_checkout_is_in_the_answer_unless_an_installed_copy_answers_which_says_so(
    checkout, tmp_path
):
    installed = tmp_path / "site-packages"
    shutil.copytree(checkout / "analyser", installed / "analyser")
    shutil.copytree(checkout / "profiles", installed / "analyser" / "profiles")
    assert run(installed, "units", at=checkout)[1] == ""  # they say the same
    edit_price(checkout / "profiles")
    after, note = run(checkout, "units", "crown", "--format", "json", at=checkout)
    assert prices(json.loads(after))["crown/rifle-platoon@basic"] == 36
    assert json.loads(after)["profiles"] != profiles_used().as_dict()
    assert note == ""
    out, note = run(installed, "units", "crown", at=checkout)
    assert note == (
        f"note: the profiles in {installed / 'analyser' / 'profiles'} are used; "
        "to use ./profiles add --profiles profiles\n"
    )
    assert out.splitlines()[-1] == f"Profiles: {profiles_used()}"


def test_a_ruleset_edited_while_python_runs_is_read_again(folder):
    before = Profiles(folder).ruleset
    (folder / "ruleset.toml").write_text("die = { heroic = 1, strikes = 5 }\n")
    with pytest.raises(analyser.InputError, match="strike"):
        _ = Profiles(folder).ruleset
    (folder / "ruleset.toml").write_text("die = { heroic = 1, strike = 5 }\ndeck = { 1 = 1 }\n")
    assert Profiles(folder).ruleset.die.strike == 5
    assert Profiles(folder).ruleset != before
