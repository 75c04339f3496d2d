"""The slider of a unit's card: verdicts at other prices, in Python and in a real browser."""

import numpy as np
import pytest

from analyser.analysis.prices import fair_points
from analyser.game.profiles import Profiles
from analyser.report.unit_cards import PRICE_STEP, verdicts_by_price
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
    at = there.today + round(np.log(points / prices.loc[name, "points"]) / np.log(PRICE_STEP))
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
    at_most = there.today - round(np.log(limited["points_over_fair"]) / np.log(PRICE_STEP))
    assert set(there.verdicts[at_most + 1 :]) == {"over-priced"}
    assert "over-priced" not in there.verdicts[: at_most - 15]


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
