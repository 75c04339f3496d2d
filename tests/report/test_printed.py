"""The pages of a clash, a build and a battle on paper and on a telephone: nothing is lost in a fold or out of sight."""

import pytest

import analyser
from analyser.report.battle_page import battle_page
from analyser.report.build_page import build_page
from analyser.report.clash_page import clash_page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("printed")
    clashed = analyser.clash(["crown/rifle-platoon@basic"], ["imperium/krupp-field-guns@basic"])
    built = analyser.build("crown", 500, "imperium", next_best=1, situations="long-range", trials=50)
    battled = analyser.battle(["2 x crown/rifle-platoon@basic"], ["imperium/krupp-field-guns@basic"], trials=200)
    found = {"clash": clash_page(clashed), "build": build_page(built), "battle": battle_page(battled)}
    for name, text in found.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["clash", "build", "battle"])
def test_what_is_folded_prints_without_a_script(browser, pages, name):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((pages / f"{name}.html").as_uri())
    page.emulate_media(media="print")
    folded = page.locator("details:not([open]) > :not(summary)").all()
    heights = [(each.bounding_box() or {"height": 0})["height"] for each in folded]
    context.close()
    assert folded
    assert min(heights) > 0


@pytest.mark.parametrize(("name", "table"), [("clash", ".answers"), ("build", ".lists"), ("battle", ".stack")])
def test_wide_tables_stand_one_below_the_other_on_a_telephone(browser, pages, name, table):
    context = browser.new_context(viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto((pages / f"{name}.html").as_uri())
    frame = page.locator(f".wide:has({table})").first
    fits = frame.evaluate("each => each.scrollWidth <= each.clientWidth")
    labels = frame.locator("td[data-label]").count()
    context.close()
    assert fits
    assert labels
