"""Pages of clashes, builds and battles in a browser: matrix, paper and telephones; nobody is kept out."""

import pytest

import analyser
from analyser.report.answer_pages import clash_page
from tests.helpers.browser import bring, heat_cells, show
from tests.helpers.skips import proof

pytestmark = pytest.mark.slow

SAME = ["2 x crown/rifle-platoon@basic", "crown/drake-field-guns@basic"]
OTHER = [*SAME, "imperium/krupp-field-guns@basic"]


@pytest.fixture(scope="module")
def clashed(tmp_path_factory):
    found = analyser.clash({"name": "Reds", "unit": SAME}, {"name": "Blues", "unit": OTHER}, situations="long-range")
    path = tmp_path_factory.mktemp("clash") / "clash.html"
    path.write_text(clash_page(found), encoding="utf-8")
    return found, path


@pytest.fixture
def page(visit, clashed):
    return visit(clashed[1])


def test_the_matrix_is_drawn_for_both_sides(page, clashed):
    """A unit that both sides have is there once on each."""
    cells = heat_cells(page)
    assert {line[0] for line in cells[:-1]} == {"2 × Rifle platoon, basic", "Drake Field Guns, basic"}
    assert len(cells[0]) == 1 + 3 + 1
    show(page, attackers="yours", defenders="mine")
    assert len(heat_cells(page)) == 3 + 1
    frame = clashed[0].yours.frame
    row = next(line for line in heat_cells(page) if line[0] == "Krupp Field Guns, basic")
    lost = frame[frame["attacker"] == "imperium/krupp-field-guns@basic"]["mean_share_lost"]
    assert sorted(row[1:-1]) == sorted(f"{100 * each:.0f}" for each in lost)


def test_a_cell_tells_its_story_and_leads_to_the_unit(page):
    page.locator("#heat td[tabindex]").first.click()
    story = page.locator("#story")
    assert "as in the army" in story.inner_text()
    link = story.locator("a").first
    anchor = link.get_attribute("href").lstrip("#")
    link.click()
    assert page.locator(f"[id='{anchor}']").count() == 1


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light"), *proof((390, "light"), (1280, "dark"))])
@pytest.mark.parametrize(("name", "table"), [("clash", ".answers"), ("build", ".lists"), ("battle", ".stack")])
def test_it_fits_and_keeps_nobody_out(visit, pages, name, table, width, scheme):
    """On a telephone wide tables stand one below the other."""
    page = visit(pages / f"{name}.html", (width, 900), color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    judged = bring("axe_playwright_python.sync_playwright").Axe().run(page)
    assert judged.violations_count == 0, judged.generate_report()
    frame = page.locator(f".wide:has({table})").first
    assert frame.locator("td[data-label]").count()
    assert width > 390 or frame.evaluate("each => each.scrollWidth <= each.clientWidth")


@pytest.mark.parametrize("name", ["clash", "build", "battle"])
def test_what_is_folded_prints_without_a_script(visit, pages, name):
    page = visit(pages / f"{name}.html", java_script_enabled=False)
    page.emulate_media(media="print")
    folded = page.locator("details:not([open]) > :not(summary)").all()
    assert folded
    assert all((each.bounding_box() or {"height": 0})["height"] > 0 for each in folded)
