"""The pages of a clash, a build and a battle on paper and on a telephone: nothing is lost, and nobody is kept out."""

import pytest

from tests.helpers.browser import bring
from tests.helpers.skips import proof

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light"), *proof((390, "light"), (1280, "dark"))])
@pytest.mark.parametrize("name", ["clash", "build", "battle"])
def test_it_fits_and_keeps_nobody_out(browser, pages, name, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 900}, offline=True, color_scheme=scheme)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((pages / f"{name}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    judged = bring("axe_playwright_python.sync_playwright").Axe().run(page)
    context.close()
    assert judged.violations_count == 0, judged.generate_report()
    assert complaints == []


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
