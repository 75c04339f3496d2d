"""One browser for all tests of pages."""

import shutil

import pytest

from tests.helpers.browser import bring

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
