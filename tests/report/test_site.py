"""The index page over reports: versions in order, what changed, and who is wrongly priced among everybody."""

import html
import re

import pandas as pd
import pytest

from analyser.analysis.prices import fair_points
from analyser.common.errors import InputError
from analyser.game.profiles import Profiles, shipped_profiles
from analyser.report import write_site
from analyser.report.diff import diff
from analyser.report.site import _natural_key
from tests.helpers.browser import bring
from tests.helpers.reports import plain
from tests.helpers.skips import proof

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Profiles of two small factions, and the same with one loadout repriced."""
    kept = {"crown": "rifle", "imperium": "scion-grenadier-platoon|scion-vierling-heavy"}
    found = []
    for name in ("old", "new"):
        folder = tmp_path_factory.mktemp("profiles") / name
        folder.mkdir()
        for faction, units in kept.items():
            shipped = (shipped_profiles() / f"{faction}.toml").read_text(encoding="utf-8")
            head, *rest = re.split(r"(?m)^(?=\[\[unit\]\])", shipped)
            text = head + "".join(each for each in rest if re.search(f'(?m)^id = "({units})', each))
            if name == "new" and faction == "crown":
                text = text.replace("points = 60", "points = 90")
            (folder / f"{faction}.toml").write_text(text, encoding="utf-8")
        found.append(folder)
    return found


@pytest.fixture(scope="module")
def site(folders, tmp_path_factory):
    place = tmp_path_factory.mktemp("site")
    for version, folder in zip(("v9", "v10"), folders):
        page = write_site(place, add=version, situations=["long-range"], profiles=Profiles(folder))
        assert page == place / "index.html"
    return place


@pytest.fixture(scope="module")
def text(site):
    return html.unescape((site / "index.html").read_text(encoding="utf-8"))


def test_each_pair_of_factions_has_a_report_that_the_page_leads_to(site, text):
    pairs = ["crown-crown", "crown-imperium", "imperium-imperium"]
    for version in ("v9", "v10"):
        assert sorted(path.name for path in (site / version).iterdir()) == pairs
        assert all(f'href="{version}/{pair}/index.html#verdict"' in text for pair in pairs)
    assert all((site / link).exists() for link in re.findall(r'href="([^"#:?]+html)', text))


def test_the_newest_comes_first_and_says_what_changed(text):
    newest, oldest = text.split("<h2")[1:]
    assert ">v10<" in newest
    assert "Changes since v9" in newest
    assert "1 unit edited; " in plain(newest)
    link = '<a href="v10/crown-crown/index.html#unit-crown-rifle-platoon">Rifle platoon, reinforced</a>'
    row = newest.partition(f'<th scope="row">{link}')[2].partition("</tr>")[0]
    moved = r"\(Crown\) 60 → 90 points (\d+ → )?\d+ \(\d+–\d+\) under-priced → over-priced "
    assert re.match(moved + r"\d+ → \d+ (now behind|\d+ matchups|none)", plain(row))  # efficiency, and hands
    assert "reinforced: points 60 → 90" in newest.replace("\u00a0", " ")
    assert "->" not in plain(newest)
    assert "crown/" not in plain(newest)  # units go by their names
    assert ">v9<" in oldest
    assert "Changes since" not in oldest


def test_a_loadout_has_one_verdict_on_all_pages_of_a_version(folders, site, text):
    """That of the whole field, which the page and each report name at their top."""
    for version, folder in zip(("v9", "v10"), folders):
        everybody = fair_points(situations=["long-range"], profiles=folder).frame.set_index("loadout")
        for report in sorted((site / version).iterdir()):
            prices = pd.read_csv(report / "prices.csv").set_index("loadout")
            of_all = everybody.loc[prices.index]
            assert prices["verdict"].tolist() == of_all["verdict"].tolist()
            assert prices["fair_points"].to_numpy() == pytest.approx(of_all["fair_points"].to_numpy(), nan_ok=True)
            words = plain((report / "index.html").read_text(encoding="utf-8"))
            among = f"Judged against {len(everybody)} loadouts (Crown 6, Imperium 6), by long-range"
            assert f"{among}, as on the page of all reports" in words
            assert f"{among}, here and in every report of this version, so each loadout has one verdict" in plain(text)


def test_its_sentences_are_those_of_the_diff(folders, site, text):
    """Said of each pair of reports, and of the whole site, by the same words."""
    one, other = (site / version / "crown-crown" for version in ("v9", "v10"))
    assert diff(one, other).changes[0].sentence.startswith("crown/rifle-platoon@reinforced: 60 → 90 points; ")
    whole = diff(*folders, situations=["long-range"])
    assert [each.loadout for each in whole.changes] == ["crown/rifle-platoon@reinforced"]
    changed = text.partition('<table class="stack moves">')[2].partition("</tbody>")[0]
    assert re.findall(r'<th scope="row"><a [^>]*>([^<]*)', changed) == ["Rifle platoon, reinforced"]
    assert "60 → 90" in changed


def test_a_report_leads_back_and_its_units_have_places(site, text):
    for path in re.findall(r'href="([^"#:?]+html)', text):
        page = (site / path).read_text(encoding="utf-8")
        assert re.search(r'id="home" href="../../index.html">', page)
        assert ((site / path).parent / "../../index.html").resolve() == (site / "index.html").resolve()
    for path, place in re.findall(r'href="([^"#:?]+html)#([^"?]+)"', text):
        assert f'id="{place}"' in (site / path).read_text(encoding="utf-8")


def test_a_version_is_not_replaced_by_reports_of_other_profiles(site, folders):
    before = {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match=r"v9.crown-crown: this report is of other profiles"):
        write_site(site, add="v9", situations=["long-range"], profiles=Profiles(folders[1]))
    assert {path: path.read_bytes() for path in site.rglob("*") if path.is_file()} == before


def test_bad_input_is_told(tmp_path):
    with pytest.raises(InputError, match="no report is there"):
        write_site(tmp_path)
    for name in ("a/b", "..", ".hidden", ""):
        with pytest.raises(InputError, match="add"):
            write_site(tmp_path, add=name)
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="not written by this program"):
        write_site(tmp_path)
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine"


def test_versions_are_in_the_order_of_their_numbers():
    assert sorted(["v10", "v9", "2026-11", "2026-2"], key=_natural_key) == ["2026-2", "2026-11", "v9", "v10"]


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), *proof((1280, "light"))])
def test_it_fits_a_screen_keeps_nobody_out_and_leads_to_cards(visit, site, width, scheme):
    page = visit(site / "index.html", (width, 900), color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = bring("axe_playwright_python.sync_playwright").Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.locator(".moves th a").first.click()
    page.locator("#unit-crown-rifle-platoon > [aria-current]").wait_for()
    page.locator("#home").click()
    assert page.title() == "Balance reports"


def test_a_cross_check_by_battles_that_is_beside_the_reports_is_linked(site, text):
    assert 'href="check.html"' not in text
    (site / "check.html").write_text("battles", encoding="utf-8")
    page = write_site(site)
    (site / "check.html").unlink()
    assert '<a href="check.html">Fair points compared with battles</a>' in page.read_text(encoding="utf-8")
