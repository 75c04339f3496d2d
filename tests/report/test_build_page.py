"""The page of a build in a browser: it fits, and keeps nobody out."""

import pytest

import analyser
from analyser.report.build_page import build_page
from tests.helpers.browser import bring

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    how = {"next_best": 1, "situations": "long-range", "trials": 50}
    found = analyser.build("crown", 500, "imperium", **how)
    path = tmp_path_factory.mktemp("build") / "build.html"
    path.write_text(build_page(found), encoding="utf-8")
    return found, path


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "light"), (1280, "dark")])
def test_it_fits_and_keeps_nobody_out(browser, built, width, scheme):
    found, path = built
    assert found.played
    context = browser.new_context(viewport={"width": width, "height": 900}, offline=True, color_scheme=scheme)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.locator("#lists ~ .wide tbody tr").count() == len(found.lists)
    judged = bring("axe_playwright_python.sync_playwright").Axe().run(page)
    context.close()
    assert judged.violations_count == 0, judged.generate_report()
    assert complaints == []
