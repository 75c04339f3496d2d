"""The batch report: complete or not there, the same bytes every time, and nobody's files lost."""

import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import analyser
from analyser.analysis import fight_cache
from analyser.analysis.matchups import matchups
from analyser.common import cache
from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.metrics import MATCHUP_METRICS
from analyser.game.profiles import Profiles
from analyser.report import balance_report, report_jobs, write_report
from analyser.report.page import reasons
from analyser.report.report_jobs import fill_fight_cache
from tests.helpers.reports import contents, failing, figures_on, small_report
from tests.oracle.small_profiles import FACTION

pytestmark = pytest.mark.slow

NASTY = "<script>alert(1)</script> & \"O'Neill's\" $x_1$"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A small faction with a unit whose name would break a careless page."""
    folder = tmp_path_factory.mktemp("profiles")
    toml = FACTION.replace('name = "Otter Guard"', f"name = {json.dumps(NASTY)}")
    (folder / "river.toml").write_text(toml, encoding="utf-8")
    return Profiles(folder)


@pytest.fixture(scope="module")
def report(library, tmp_path_factory):
    out = tmp_path_factory.mktemp("reports") / "river"
    assert write_report("river/*", "river/*", out=out, profiles=library) == out
    return out


class Page(HTMLParser):
    """The elements of a page, and whether every one that is opened is closed."""

    EMPTY = ("meta", "img", "br", "link", "input")

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.text = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def attributes(self, name):
        return [attributes[name] for _, attributes in self.elements if name in attributes]

    def words(self):
        return " ".join("".join(self.text).split())


@pytest.fixture(scope="module")
def page(report):
    return Page((report / "index.html").read_text(encoding="utf-8"))


def test_it_holds_tables_a_page_and_a_manifest(report):
    tables = ["matchups", "balance", "dominated", "outliers", "prices", "ratings"]
    rest = ["matchups.parquet", "index.html", "manifest.json", "units.json"]
    assert {path.name for path in report.iterdir()} == {*(f"{name}.csv" for name in tables), *rest}
    assert [path for path in report.parent.iterdir() if path != report] == []


def test_the_tables_are_the_matchups(report, library):
    frame = matchups("river/*", "river/*", situations="all", profiles=library).frame
    assert pd.read_parquet(report / "matchups.parquet").equals(frame)
    csv = pd.read_csv(report / "matchups.csv")
    assert list(csv) == list(frame)
    for name in frame.select_dtypes("number"):
        wanted = frame[name].to_numpy(float, na_value=float("nan"))
        assert csv[name].to_numpy(float) == pytest.approx(wanted, rel=1e-11, nan_ok=True)
    assert csv["why_not"].fillna("").tolist() == frame["why_not"].fillna("").tolist()


def test_the_manifest_says_what_the_report_was_made_from(report, library):
    manifest = json.loads((report / "manifest.json").read_text(encoding="utf-8"))
    said = {"program": "analyser", "version": analyser.__version__, "method": "exact", "row": "best"}
    assert manifest | said | {"seed": None, "trials": None} == manifest
    assert [each["name"] for each in manifest["situations"]] == ["long-range", "short-range-aimed", "charge", "duel"]
    assert manifest["attackers"] == [each.selector for each in library]
    assert re.fullmatch("[0-9a-f]{64}", manifest["ruleset"]["sha256"])
    assert manifest["profiles"].keys() == {"river"}
    files = contents(report)
    del files["manifest.json"]
    assert manifest["files"] == {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}


def test_the_page_is_whole_and_opens_offline_by_itself(page, report):
    assert page.open == []
    for link in page.attributes("href"):
        assert link == "data:," or ":" not in link
        assert not link.startswith("/")
        assert link == "data:," or link.startswith("#") or (report / link).is_file()
    assert page.attributes("src") == []
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.attributes("href") if link.startswith("#")} <= set(ids)
    assert not re.search(r"url\((?!#)", (report / "index.html").read_text(encoding="utf-8"))


def test_the_page_says_how_and_what_not(page, library):
    words = page.words()
    assert "Every fight is exact" in words
    assert f"analyser {analyser.__version__}" in words
    assert "long range, no bonus (long-range)" in words
    assert "die of 1 heroic, 2 strikes, 1 glancing, 1 miss, 1 blank; deck of 36 cards" in words
    for name in ("Coruscating", "Pioneers"):
        assert name in words
    assert "Static" not in words.rpartition("Not modelled")[2]  # charges are computed from it
    for assumption in matchups("river/*", "river/*", situations="all", profiles=library).assumptions:
        assert assumption in words


def test_the_page_shows_the_ratings_by_duels(page, report):
    ratings = pd.read_csv(report / "ratings.csv")
    names = ["beaver-fort@basic", "otter-guard@basic", "otter-guard@reinforced"]
    assert sorted(ratings["loadout"]) == [f"river/{name}" for name in names]
    assert ratings["rating"].is_monotonic_decreasing
    assert (ratings["low"] <= ratings["high"]).all()
    assert "Bradley-Terry" in page.words()


def test_a_report_without_duels_has_no_ratings(library, tmp_path):
    out = write_report("river/*", "river/*", out=tmp_path / "r", profiles=library, situations=["long-range", "charge"])
    assert not (out / "ratings.csv").exists()
    assert "Bradley-Terry" not in (out / "index.html").read_text(encoding="utf-8")


def test_text_of_users_stays_text(page, report):
    assert NASTY in page.words()
    text = (report / "index.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert text.count("<script") == text.count("</script>") == 3  # figures, engines, and the script


def test_every_unit_has_a_row_and_a_card(page, report):
    units = ["otter-guard", "beaver-fort", "heron"]
    rows = [each for each in page.attributes("id") if each.startswith("unit-") and "@" not in each]
    assert sorted(rows) == sorted(f"unit-river-{unit}" for unit in units)
    cards = figures_on((report / "index.html").read_text(encoding="utf-8"))["units"]
    assert [card["key"] for card in cards] == [f"river/{unit}" for unit in units]
    levels = [(each["level"], each["models"], each["points"]) for each in cards[0]["levels"]]
    assert levels == [("basic", 4, 40), ("reinforced", 8, 70)]
    assert cards[0]["facts"] == "light target · DEFENCE 2 · DAMAGE LIMIT 1 · DISCIPLINE 7 · BREAK LIMIT 2"


def test_the_page_carries_the_figures_rounded_but_nothing_possible_as_nothing(report, library):
    text = (report / "index.html").read_text(encoding="utf-8")
    data = figures_on(text)
    frame = matchups("river/*", "river/*", situations="all", profiles=library).frame
    for name, found in data["columns"].items():
        wanted = frame[name].to_numpy(float)
        assert np.array_equal(np.isnan(found), np.isnan(wanted))
        assert found == pytest.approx(wanted, rel=0.0003, abs=CERTAIN_WITHIN, nan_ok=True)
        assert np.array_equal(found == 0, np.abs(wanted) <= CERTAIN_WITHIN)
        if MATCHUP_METRICS[name].is_probability:
            assert np.array_equal(found == 1, wanted >= 1 - CERTAIN_WITHIN)
    whys = [None if place < 0 else data["why"][int(place)] for place in data["why_not"]]
    assert whys == [None if pd.isna(each) else each for each in frame["why_not"]]


def test_a_report_of_units_without_points_says_so(tmp_path):
    (tmp_path / "profiles").mkdir()
    toml = re.sub(r", points = \d+", "", FACTION)
    (tmp_path / "profiles" / "river.toml").write_text(toml, encoding="utf-8")
    out = write_report("river/*", "river/*", out=tmp_path / "r", profiles=Profiles(tmp_path / "profiles"))
    words = Page((out / "index.html").read_text(encoding="utf-8")).words()
    assert "No price can be judged. Prices need loadouts with points" in words
    assert "– points –" in words
    assert not re.search(r"\b(nan|inf|None)\b", words.partition("No price")[2].partition("Dominated loadouts")[0])
    assert not (out / "prices.csv").exists()


def test_prices_are_the_same_whoever_fights_the_opponents(cached, library, tmp_path, monkeypatch):
    """The fights of all opponents come from the cache that a worker fills, or are fought here."""
    monkeypatch.setenv(cache.SWITCH, "no")
    without = small_report(tmp_path / "without", library)
    monkeypatch.setenv(cache.SWITCH, "yes")
    monkeypatch.setattr(fight_cache, "LEAST_COST_STORED", 0)
    filled = []
    monkeypatch.setattr(report_jobs, "fill_fight_cache", lambda *each: filled.append(each) or fill_fight_cache(*each))
    kept = small_report(tmp_path / "kept", library)
    assert len(filled) == 1
    assert list(cached.glob("fights-*"))
    small_report(tmp_path / "again", library)
    assert len(filled) == 1
    assert (kept / "prices.csv").read_bytes() == (without / "prices.csv").read_bytes()


def test_an_earlier_report_is_replaced(library, tmp_path):
    out = tmp_path / "new" / "r"
    out.mkdir(parents=True)  # an empty folder is used
    write_report("river/*", "river/*", out=out, profiles=library, situations=["long-range"])
    before = contents(out)
    (out / "Thumbs.db").write_bytes(b"left by another")
    (out / ".DS_Store").write_bytes(b"left by a file manager")
    assert small_report(out, library) == out
    assert contents(out)["matchups.csv"] != before["matchups.csv"]
    assert ".DS_Store" not in contents(out)
    assert list(out.parent.iterdir()) == [out]


def refused(out, library, message):
    before = {path: path.read_bytes() for path in out.parent.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match=message) as told:
        small_report(out, library)
    assert str(out) in str(told.value)
    assert {path: path.read_bytes() for path in out.parent.rglob("*") if path.is_file()} == before


MANIFESTS = [("manifest.json", each) for each in ("[]", '{"program": "other", "files": {"a": ""}}', "\x00")]


@pytest.mark.parametrize(("name", "content"), [("thesis.txt", "years of work"), *MANIFESTS])
def test_a_folder_with_other_files_is_refused(library, tmp_path, name, content):
    out = tmp_path / "r"
    out.mkdir()
    (out / name).write_text(content, encoding="utf-8")
    refused(out, library, f"this folder holds other files: {name}")


def test_a_report_with_somebody_elses_file_in_it_is_refused(library, tmp_path):
    out = small_report(tmp_path / "r", library)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    refused(out, library, "this folder holds other files: notes.txt")
    (out / "notes.txt").unlink()
    (out / "mine").mkdir()
    refused(out, library, "this folder holds other files: mine")


def test_a_file_and_a_place_inside_it_are_refused(library, tmp_path):
    (tmp_path / "r").write_text("a file", encoding="utf-8")
    refused(tmp_path / "r", library, "this is not a folder")
    with pytest.raises(InputError, match="cannot write this report"):
        small_report(tmp_path / "r" / "r", library)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ValueError("a bug")])
def test_a_failure_in_the_middle_leaves_nothing_behind(library, tmp_path, monkeypatch, error):
    monkeypatch.setattr(balance_report, "write_page", failing(error))
    wanted = InputError if isinstance(error, OSError) else type(error)
    with pytest.raises(wanted, match=str(error.args[-1])):
        small_report(tmp_path / "a" / "r", library)
    assert list(tmp_path.iterdir()) == []


def test_a_report_in_which_nobody_can_attack_is_refused_and_says_why(library, tmp_path):
    """An aircraft without rows attacks nobody, in no situation."""
    with pytest.raises(InputError, match="no attack is possible: ") as told:
        write_report("river/heron@*", "river/*", out=tmp_path / "out", profiles=library, threads=2)
    for why_not in matchups("river/heron@*", "river/*", situations="all", profiles=library).frame["why_not"]:
        assert why_not.replace("river/heron@basic", "it") in told.value.problem
    assert list(tmp_path.iterdir()) == []


def test_why_a_unit_cannot_attack_is_said_once_for_each_row_of_its_card():
    whys = ["melee: b/wing@basic cannot be charged: rotorcraft", "melee: a Static unit cannot charge"]
    frame = pd.DataFrame({"attacker": "a/gun@basic", "defender": ["b/wing@basic", "b/fort@basic"], "why_not": whys})
    assert reasons(frame) == ["melee: the target cannot be charged: rotorcraft / a Static unit cannot charge"]
    assert reasons(frame.assign(why_not="it has no ranged row")) == ["it has no ranged row"]
