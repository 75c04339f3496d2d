"""A report, and its page in a real browser."""

import pytest

from analyser.game.profiles import Profiles
from analyser.report import write_report
from tests.helpers.reports import made_once


@pytest.fixture(scope="session")
def browsed(tmp_path_factory):
    sides = ["crown/r*", "crown/drake*"], ["imperium/*@basic", "crown/r*"]
    return made_once(tmp_path_factory, "browsed", lambda folder: write_report(*sides, out=folder, profiles=Profiles()))


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
