"""The sliders of a unit's card: verdicts at other prices, and fights by the exact engines, in a real browser."""

import re

import numpy as np
import pytest

from analyser.analysis.prices import fair_points
from analyser.analysis.situations import situations_named
from analyser.analysis.what_if import what_if
from analyser.game.profiles import Profiles
from analyser.report.sliders import STEP, engine_of, verdicts_by_price
from tests.helpers.reports import FIELD, unpacked
from tests.helpers.skips import proof

pytestmark = pytest.mark.slow
RIFLES = "crown/rifle-platoon@reinforced"
KRUPP = "imperium/krupp-field-guns@basic"
RANGED = ["long-range", "short-range-aimed"]


@pytest.fixture(scope="module")
def field():
    return [each for each in Profiles() if each.faction in ("crown", "imperium") and each.level_name != "full-strength"]


@pytest.fixture(scope="module")
def prices(field):
    return fair_points(field, against=field, situations=RANGED).frame.set_index("loadout")


@pytest.mark.parametrize(("name", "points"), [(RIFLES, 120), (KRUPP, 61), *proof((KRUPP, 95))])
def test_the_verdict_at_another_price_is_that_of_a_unit_which_costs_it(prices, field, name, points):
    """Its points move what all others say a little, and how unusual it is: the most is 6 of 100."""
    changed = [each.with_(points=points) if each.selector == name else each for each in field]
    then = fair_points(changed, against=changed, situations=RANGED).frame.set_index("loadout").loc[name]
    there = verdicts_by_price(prices.loc[name])
    at = there.today + round(np.log(points / prices.loc[name, "points"]) / np.log(STEP))
    assert there.verdicts[at] == then["verdict"] != "fair"
    assert there.under[at] == pytest.approx(then["under_probability"], abs=0.08)
    assert there.over[at] == pytest.approx(then["over_probability"], abs=0.08)


def test_at_its_own_price_a_loadout_has_the_verdict_of_the_table_and_at_others_the_same_doubt(prices):
    doubted = 0
    for name, price in prices[prices["fair_points"].notna()].iterrows():
        there = verdicts_by_price(price)
        assert there.verdicts[there.today] == price["verdict"], name
        assert there.under[there.today] == pytest.approx(price["under_probability"])
        assert there.over[there.today] == pytest.approx(price["over_probability"])
        assert max(abs(np.diff(there.over))) < 0.2 or not np.isnan(price["at_most"]), name
        if there.doubt:
            doubted += 1
            assert there.doubt == price["doubt"]
            assert set(there.verdicts) == {"undecided"}
    assert 0 < doubted < len(prices)


def test_from_the_price_of_a_better_unit_on_it_is_over_priced(prices):
    limited = prices.loc[RIFLES].copy()
    limited["at_most"] = limited["fair_points"]
    there = verdicts_by_price(limited)
    at_most = there.today - round(np.log(limited["points_over_fair"]) / np.log(STEP))
    assert set(there.verdicts[at_most + 1 :]) == {"over-priced"}
    assert "over-priced" not in there.verdicts[: at_most - 15]


def test_engines_come_with_the_shots_and_charges_of_a_report():
    sides, ruleset = [Profiles()[RIFLES]], Profiles().ruleset
    data, _ = unpacked(f'<p id="engine">{engine_of(sides, situations_named("all"), ruleset)}</script>', "engine")
    assert list(data["units"]) == [RIFLES]
    acts = [(act["kind"], act["near"]) for act in data["actions"]]
    assert acts == [("attack", False), ("attack", True), ("charge", True)]
    assert engine_of(sides, situations_named("duel"), ruleset) == ""


def what(page):
    return page.locator("#view .what")


def test_a_card_says_the_verdict_at_the_price_that_is_set(opened):
    page = opened(address="unit-crown-drake-field-guns")
    level = page.locator("#level")
    levels = 0
    anchors = page.locator("#units > li").evaluate_all("found => found.map(each => each.id)")
    for anchor in anchors:
        page.locator(f"#{anchor} > a").click()
        for text in level.locator("option").all_inner_texts() if level.count() else [""]:
            if text:
                level.select_option(label=text)
            if what(page).count():
                said = page.locator("#view .price .sure").inner_text()
                assert what(page).locator(".told b").inner_text() == said, (anchor, text)
                levels += 1
    assert levels > len(anchors)
    page = opened(address="unit-crown-drake-field-guns@basic")
    slider = page.locator("#what-points")
    slider.fill(slider.get_attribute("max"))
    assert "over-priced" in what(page).locator(".told").inner_text()
    slider.fill(slider.get_attribute("min"))
    assert "under-priced" in what(page).locator(".told").inner_text()


def test_another_price_changes_the_points_destroyed_and_lost(opened):
    page = opened(address="unit-crown-drake-field-guns@basic")
    slider, lines = page.locator("#what-points"), what(page).locator("dd:not(.n)")
    today, dear = (int(slider.get_attribute(name)) for name in ("value", "max"))
    slider.fill(str(dear))
    lines.first.wait_for()
    fair, destroyed, lost = ([float(each) for each in text.split(" → ")] for text in lines.all_inner_texts())
    assert fair[0] == fair[1]
    assert destroyed[1] == pytest.approx(destroyed[0] * today / dear, abs=0.1)
    assert lost[1] == pytest.approx(lost[0] * dear / today, abs=0.1)
    assert destroyed[0] > destroyed[1] > 0
    slider.fill(str(today))
    assert lines.all_inner_texts()[1] == f"{destroyed[0]:.1f} → {destroyed[0]:.1f}"


def test_a_button_sets_the_price_that_is_proposed_and_another_resets_all(opened):
    page = opened(address="unit-crown-rifle-platoon@basic")
    today, proposed = re.findall(r"\d+", page.locator("#view .price").inner_text())[:2]
    said = what(page).locator(".told").inner_text()
    what(page).locator("button", has_text=f"Set {proposed} points").click()
    assert what(page).locator(".told").inner_text().startswith(f"At {proposed} points: ")
    page.locator("#what-dice").fill("1")
    button = "document.querySelector('#view .what button').innerText"
    page.wait_for_function(f"said => {button} !== said", arg=f"Set {proposed} points")
    assert int(re.findall(r"\d+", page.evaluate(button))[0]) > int(proposed)  # the fair price with another die
    what(page).locator("button", has_text="Reset").click()
    assert page.locator("#what-points").input_value() == today
    assert page.locator("#what-dice").input_value() == "0"
    page.wait_for_function("said => document.querySelector('#view .told').innerText === said", arg=said)


@pytest.mark.parametrize(("name", "value", "change"), [("dice", 2, "+2"), *proof(("defence", 3, 3))])
def test_a_die_more_and_another_defence_are_worth_about_what_python_says(opened, name, value, change):
    page = opened(address="unit-crown-drake-field-guns@basic")
    page.locator(f"#what-{name}").fill(str(value))
    line = what(page).locator("dd").first
    line.wait_for()
    before, after = map(float, re.findall(r"[\d.]+", line.inner_text()))
    found = what_if("crown/drake-field-guns@basic", against=FIELD, **{name: change})
    assert before == pytest.approx(found.before.fair_points, abs=0.05)
    assert after / before == pytest.approx(found.after.fair_points / found.before.fair_points, rel=0.1)
    page.locator(f"#what-{name}").fill("0" if name == "dice" else "2")
    line.filter(has_text=f"→ {before:.1f}").wait_for()
