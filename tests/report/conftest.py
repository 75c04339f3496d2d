"""A report, and a real browser to open its page in."""

import os
import shutil

import pytest

from analyser.game.profiles import Profiles
from analyser.report import write_report
from tests.helpers.browser import NEEDED, bring

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def without(reason):
    """Skip, or fail where a browser is needed."""
    if os.environ.get(NEEDED):
        pytest.fail(f"{reason}, and {NEEDED} is set")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browsed(tmp_path_factory):
    out = tmp_path_factory.mktemp("reports") / "r"
    return write_report(["crown/r*", "crown/drake*"], ["imperium/*@basic", "crown/r*"], out=out, profiles=Profiles())


@pytest.fixture(scope="session")
def browser():
    sync_playwright = bring("playwright.sync_api").sync_playwright
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        without(f"no browser here: none of {', '.join(BROWSERS)}")
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path)
        yield running
        running.close()


@pytest.fixture
def opened(browser, browsed):
    """Opens the page at a width; whatever the browser complains of fails the test."""
    complaints, contexts = [], []

    def at(width=1280, address="", **more):
        context = browser.new_context(viewport={"width": width, "height": 900}, offline=True, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
        page.goto(f"{(browsed / 'index.html').as_uri()}#{address}")
        if more.get("java_script_enabled", True):
            page.locator("html.ready").wait_for()
        return page

    yield at
    for context in contexts:
        context.close()
    assert complaints == []
