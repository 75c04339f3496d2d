"""One browser for all tests of pages."""

import os
import shutil

import pytest

from tests.helpers.browser import NEEDED, bring

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def without(reason):
    """Skip, or fail where a browser is needed."""
    if os.environ.get(NEEDED):
        pytest.fail(f"{reason}, and {NEEDED} is set")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser():
    """A browser that shows no window."""
    sync_playwright = bring("playwright.sync_api").sync_playwright
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        without(f"no browser here: none of {', '.join(BROWSERS)}")
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path)
        yield running
        running.close()
