"""A report, and its page in a real browser; pages of other answers."""

import pytest

import analyser
from analyser.game.profiles import Profiles
from analyser.report import write_report
from analyser.report.answer_pages import battle_page, build_page, clash_page
from analyser.report.army_card import army_card
from tests.helpers.reports import made_once


@pytest.fixture(scope="session")
def browsed(tmp_path_factory):
    sides = ["crown/r*", "crown/drake*"], ["imperium/*@basic", "crown/r*"]
    return made_once(tmp_path_factory, "browsed", lambda folder: write_report(*sides, out=folder, profiles=Profiles()))


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The folder of a page of each kind that takes no report to make."""

    def make(folder):
        folder.mkdir()
        ours, theirs = ["2 x crown/rifle-platoon@basic"], ["imperium/krupp-field-guns@basic"]
        built = analyser.build("crown", 500, "imperium", next_best=1, situations="long-range", trials=50)
        made = {
            "army": army_card(analyser.load_army(ours)),
            "battle": battle_page(analyser.battle(ours, theirs, trials=200)),
            "build": build_page(built),
            "clash": clash_page(analyser.clash(ours, theirs)),
        }
        for name, text in made.items():
            (folder / f"{name}.html").write_text(text, encoding="utf-8")

    return made_once(tmp_path_factory, "pages", make)


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
