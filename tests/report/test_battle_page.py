"""The page of a battle: it says what the terminal does, by names, and keeps nobody out."""

import html
import re

import pytest

import analyser
from analyser.report.answer_pages import battle_page, margin_picture, result_segments, survival_picture
from tests.helpers.reports import plain

TRIALS = 400
REDS = {"name": "<Reds>", "unit": ["2 x crown/rifle-platoon@basic", "crown/drake-field-guns@basic"]}
BLUES = {"name": "Blues", "unit": ["imperium/scion-grenadier-platoon@basic", "imperium/krupp-field-guns@basic"]}


def asked(**how):
    return analyser.battle(REDS, BLUES, **({"trials": TRIALS} | how))


@pytest.fixture(scope="module")
def found():
    return asked()


@pytest.fixture(scope="module")
def page(found):
    return battle_page(found)


def texts(page, tag):
    return [plain(each) for each in re.findall(rf"<{tag}[ >].*?</{tag}>", page, re.DOTALL)]


def test_it_leads_with_the_answer_in_the_words_of_the_terminal(found, page):
    assert texts(page, "h2") == [
        *("In short", "Tactics", "Victory points", "What is left", "What each unit did"),
        *("Without each unit", "A typical battle", "More"),
    ]
    said = texts(page, "li")
    first = said.index(found.conclusions()[0])
    assert said[first : first + len(found.conclusions())] == found.conclusions()
    assert page.index(f"<strong>{html.escape(found.headline)[:20]}") < page.index("<table")


def test_it_has_every_figure_of_the_terminal(found, page):
    cells = {*texts(page, "td"), *texts(page, "th")}
    tables = [block for block in found.blocks() if block.rows]
    assert len(tables) == 5
    assert {" ".join(cell.split()) for block in tables for row in block.rows for cell in row} - {""} <= cells
    lines = texts(page, "li") + texts(page, "summary")
    assert {" ".join(each.split()) for each in found.story.lines()} <= {*lines}


def test_it_says_what_it_rests_on(found, page):
    lines = texts(page, "li")
    assert {*found.not_modelled, *found.assumptions, *found.rules_applied} <= {*lines}
    facts = dict(zip(texts(page, "dt"), texts(page, "dd")))
    assert facts["Method"] == "Monte Carlo, 400 trials, seed 0, intervals at 95%"
    assert found.profiles.version in facts["Profiles"]


def test_units_and_armies_go_by_their_names(page):
    assert "<Reds> against Blues, in battle" in texts(page, "h1")
    assert "<Reds>" not in page
    assert re.search(r"[a-z]/[a-z-]+@", page) is None
    assert "platoon@" not in page


def test_what_was_not_asked_for_is_left_out(page):
    short = battle_page(asked(swing=False, tactics=False))
    for part in ("swing", "tactics"):
        assert f'id="{part}"' in page
        assert part not in re.findall(r'(?:id="|href="#)(\w+)', short)


def test_warnings_are_led_to():
    doubtful = battle_page(analyser.battle(REDS, BLUES, trials=10, swing=False, tactics=False, order_mine="nearest"))
    assert "warning" not in " ".join(texts(doubtful, "a"))
    never = {"name": "Late", "unit": [*REDS["unit"], "crown/defiance-fighter-squadron@basic"]}
    late = analyser.battle(never, BLUES, trials=10, swing=False, tactics=False, arrives=9)
    assert late.warnings
    doubtful = battle_page(late)
    assert f"{len(late.warnings)} warning" in texts(doubtful, "a")[0]
    assert {f"Warning: {each}" for each in late.warnings} <= {*texts(doubtful, "li")}


def test_pictures_are_of_the_figures(found):
    segments = result_segments(found)
    assert sum(each["width"] for each in segments) == pytest.approx(100, abs=0.1)
    devastating, victory = (100 * found.probability(name) for name in ("devastating_victory", "victory"))
    assert [each["width"] for each in segments[:2]] == pytest.approx([devastating, victory - devastating], abs=0.1)
    picture = margin_picture(found.margins())
    tallest = min(picture["bars"], key=lambda bar: bar["top"])
    assert tallest["text"].startswith(f"{max(found.margins(), key=lambda row: row['probability'])['margin']:+d} VP: ")
    assert all(bar["high"] <= bar["top"] <= bar["low"] <= 100 for bar in picture["bars"])
    assert picture["bars"][-1]["left"] + picture["width"] <= 100
    survival = survival_picture(found.survivors())
    assert [each["side"] for each in survival["sides"]] == ["mine", "yours"]
    assert survival["sides"][0]["line"].startswith("M0,0L")
    assert [text for text, _ in survival["ticks"]] == list("0123456")


def test_one_battle_of_nameless_armies_of_one_unit_has_a_page():
    one = analyser.battle(["crown/rifle-platoon@basic"], ["imperium/krupp-field-guns@basic"], trials=1, rounds=1)
    page = battle_page(one)
    assert 'id="swing"' in page
    assert 'id="tactics"' in page
    assert "nan" not in page.partition("viewport")[2]  # after the hashes of the policy
    assert texts(page, "h1") == ["Crown against Imperium, in battle"]
