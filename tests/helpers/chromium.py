"""One browser for all tests of pages, and pages opened in it."""

import shutil

import pytest

from tests.helpers.browser import bring
from tests.helpers.table_page import DESK

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="session")
def browser():
    """A browser that shows no window."""
    sync_playwright = bring("playwright.sync_api").sync_playwright
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser here: none of {', '.join(BROWSERS)}")
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path)
        yield running
        running.close()


@pytest.fixture
def visit(browser):
    """Opens a page in a context of its own; an error in the console or a request to a network fails the test."""
    complaints, contexts = [], []

    def at(path, size=DESK, link="", **more):
        context = browser.new_context(viewport=dict(zip(("width", "height"), size)), offline=True, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda each: complaints.extend([each.url] * (not each.url.startswith(("file:", "blob:")))))
        page.goto(f"{path.as_uri()}{link}")
        if more.get("java_script_enabled", True):
            page.locator("html.ready").wait_for()
        return page

    yield at
    for context in contexts:
        context.close()
    assert complaints == []
