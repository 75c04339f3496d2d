"""A report, and its page in a real browser; pages of other answers."""

import pytest

import analyser
from analyser.game.profiles import Profiles
from analyser.report import write_report
from analyser.report.answer_pages import battle_page, build_page, clash_page
from analyser.report.army_card import army_card
from tests.helpers.planted import fought  # noqa: F401 - a fixture
from tests.helpers.reports import FIELD, made_once


@pytest.fixture(scope="session")
def browsed(tmp_path_factory):
    sides = ["crown/r*", "crown/drake*"], ["imperium/*@basic", "crown/r*"]
    how = {"profiles": Profiles(), "field": FIELD}
    return made_once(tmp_path_factory, "browsed", lambda folder: write_report(*sides, out=folder, **how))


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
def opened(visit, browsed):
    return lambda width=1280, address="", **more: visit(browsed / "index.html", (width, 900), f"#{address}", **more)
