"""Pages opened in a browser."""

import pytest

from tests.helpers.table_page import PHONE


@pytest.fixture
def visit(browser):
    """Opens a page in a browser of its own; what the browser complains of, or asks a network for, fails the test."""
    complaints, contexts = [], []

    def at(path, size=PHONE, link="", **more):
        context = browser.new_context(viewport=dict(zip(("width", "height"), size)), offline=True, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.extend([request.url] * (not request.url.startswith("file:"))))
        page.goto(f"{path.as_uri()}{link}")
        page.locator("html.ready").wait_for()
        return page

    yield at
    for context in contexts:
        context.close()
    assert complaints == []
