"""The page of a clash in a browser: it draws its matrix, tells the story of a cell, and keeps nobody out."""

import pytest

import analyser
from analyser.report.answer_pages import clash_page
from tests.helpers.browser import heat_cells, show

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
    frame = clashed[0].of("yours")
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
