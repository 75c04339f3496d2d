"""Folders of reports that are damaged, or something else: one line that says what is wrong, where, and what to do."""

import json
import shutil

import pytest

from analyser.game.profiles import Profiles
from tests.helpers.damage import DAMAGES, cut_in_half, taken_away
from tests.helpers.reports import small_report
from tests.helpers.shell import run
from tests.helpers.skips import proof
from tests.oracle.small_profiles import write_profiles

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def profiles(tmp_path_factory):
    return write_profiles(tmp_path_factory.mktemp("profiles") / "p")


@pytest.fixture(scope="module")
def whole(tmp_path_factory, profiles):
    return small_report(tmp_path_factory.mktemp("reports") / "v1" / "r", Profiles(profiles))


@pytest.fixture
def place(whole, tmp_path):
    """A folder with a version in it, with a copy of the report."""
    shutil.copytree(whole, tmp_path / "site" / "v1" / "r")
    return tmp_path / "site"


def refused(place, profiles, where, said=""):
    """Both commands that read a report refuse it in one line that names the file, and write nothing."""
    report = place / "v1" / "r"
    before = sorted(place.rglob("*"))
    for arguments in (["report", "site", place], ["report", "diff", report, profiles]):
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (2, ""), (arguments, result.output)
        assert result.stderr.count("\n") == 1
        assert result.stderr.startswith("error: ")
        assert str(report / where) in result.stderr
        assert said in result.stderr
        assert "(allowed: " in result.stderr
    assert sorted(place.rglob("*")) == before


SOON = (cut_in_half, taken_away)


@pytest.mark.parametrize("damage", [*SOON, *proof(*(each for each in DAMAGES if each not in SOON))])
def test_the_damage_of_every_file_of_a_report_is_told(place, profiles, damage):
    report = place / "v1" / "r"
    names = [path.relative_to(report) for path in sorted(report.rglob("*")) if path.is_file()]
    assert {"manifest.json", "units.json", "matchups.parquet", "matchups.csv", "index.html"} <= {*map(str, names)}
    for name in names:
        data = (report / name).read_bytes()
        damage(report / name)
        refused(place, profiles, name)
        if (report / name).is_dir():
            (report / name).rmdir()
        (report / name).write_bytes(data)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"format": 2}, "manifest.json"),
        ({"files": {"a\0b": "x"}}, "units.json"),
        ({"program": "another"}, "manifest.json"),
    ],
)
def test_manifests_of_another_shape(place, profiles, change, where):
    report = place / "v1" / "r"
    manifest = json.loads((report / "manifest.json").read_text())
    (report / "manifest.json").write_text(json.dumps(manifest | change))
    refused(place, profiles, where)


@pytest.mark.parametrize("name", ["attackers", "defenders", "situations", "profiles_used"])
def test_a_manifest_without_a_part(place, profiles, name):
    report = place / "v1" / "r"
    manifest = json.loads((report / "manifest.json").read_text())
    (report / "manifest.json").write_text(json.dumps(manifest | {name: []}))
    refused(place, profiles, "manifest.json")


@pytest.mark.parametrize("made", ["other", "", "other/cat.png", "other/manifest.json"])
def test_what_is_no_report(tmp_path, profiles, made):
    other = tmp_path / "other"
    if made:
        (tmp_path / made).parent.mkdir(exist_ok=True)
        (tmp_path / made).write_text('{"name": "a web application"}')
    before = sorted(tmp_path.rglob("*"))
    for arguments in (["report", "site", other], ["report", "diff", profiles, other]):
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (2, ""), (arguments, result.output)
        assert result.stderr.count("\n") == 1
        assert str(other) in result.stderr
        assert "report" in result.stderr.replace(str(other), "")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_manifest_of_another_program_beside_reports_is_left_alone(place):
    (place / "app").mkdir()
    (place / "app" / "manifest.json").write_text('{"name": "a web application"}')
    assert run("report", "site", place).exit_code == 0
    assert "web application" not in (place / "index.html").read_text(encoding="utf-8")
