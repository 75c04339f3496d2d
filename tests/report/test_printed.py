"""The pages of a clash, a build and a battle on paper and on a telephone: nothing is lost, and nobody is kept out."""

import pytest

from tests.helpers.browser import bring
from tests.helpers.skips import proof

pytestmark = pytest.mark.slow


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
