"""The page of a report in a real browser: its first screen, the unit in view, filters, address, paper."""

import re

import pandas as pd
import pytest

from tests.helpers.browser import bring, column, show, unfolded
from tests.helpers.skips import proof

pytestmark = pytest.mark.slow
RIFLES, GUNS = "unit-crown-rifle-platoon", "unit-crown-drake-field-guns"


def shown(page):
    """The names of the units whose rows are there."""
    return page.locator("#units > li:not([hidden]) .name").evaluate_all(
        "found => found.map(each => each.firstChild.textContent.trim())"
    )


def row(page, anchor):
    return page.locator(f"#{anchor} > a")


def test_it_opens_offline_without_a_complaint_and_small(opened, browsed):
    page = opened()
    assert page.title() == "Crown against Imperium and Crown"
    for part in (".headline", ".counts", ".chips", "#units > li:nth-child(5)", ".price", ".bars"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= 900  # on the first screen
    assert page.evaluate("document.querySelectorAll('*').length") < 8000
    assert page.locator("#view h2").inner_text().startswith(shown(page)[0])  # cards: this one alone
    assert page.locator("#heat td").count() == 0
    page.locator("#heatmap").scroll_into_view_if_needed()
    page.locator("#heat td").first.wait_for()
    assert page.locator("#heat td").count() > 50


def test_counts_and_chips_filter_and_the_unit_in_view_follows(opened, browsed):
    page = opened()
    prices = pd.read_csv(browsed / "prices.csv")
    everything = shown(page)
    for verdict in ("over-priced", "under-priced", "fair", "undecided"):
        button = page.locator(".counts button", has_text=verdict)
        button.click()
        wanted = prices[prices["verdict"] == verdict]["unit"]
        assert sorted(shown(page)) == sorted(wanted.unique())
        assert int(button.locator("b").inner_text()) == len(wanted)
        button.click()
    assert shown(page) == everything
    page.locator(".chips button", has_text="artillery").click()
    page.locator(".chips button", has_text="Crown").click()
    assert shown(page) == ["Drake Field Guns"]
    assert page.locator("#shown").inner_text() == f"1 of {len(everything)} units"
    mine = prices[prices["unit"] == "Drake Field Guns"]["verdict"]
    assert page.locator("#shown-loadouts").inner_text() == f", {len(mine)} of {len(prices)} loadouts"
    for verdict in ("over-priced", "under-priced", "fair", "undecided"):
        button = page.locator(".counts button", has_text=verdict)
        assert int(button.locator("b").inner_text()) == (mine == verdict).sum()
    wrong = mine.isin(["over-priced", "under-priced"]).sum()
    headline = page.locator(".headline")
    assert headline.inner_text().startswith(f"Crown, artillery: {wrong} of {len(mine)} loadouts (")
    for name in ("artillery", "Crown"):
        page.locator(".chips button", has_text=name).click()
    assert "% of loadouts look mispriced" in headline.inner_text()
    assert page.locator("#shown-loadouts").inner_text() == f", {len(prices)} loadouts"
    page.locator(".chips button", has_text="artillery").click()
    page.locator(".chips button", has_text="Crown").click()
    assert page.locator("#view h2").inner_text().startswith("Drake Field Guns")


def test_one_level_is_in_view_by_the_selector_a_dot_a_link_or_the_address(opened, browsed):
    page = opened()
    prices = pd.read_csv(browsed / "prices.csv").set_index("loadout")

    def is_in_view(level):
        price, card = prices.loc[f"crown/rifle-platoon@{level}"], page.locator("#view")
        assert card.locator("h2").inner_text() == f"{price['unit']}, {level}"
        assert card.locator(".price").inner_text().startswith(f"{price['points']} ")
        assert f"Fair: {price['fair_points']:.0f} points" in card.inner_text()
        assert card.locator(".told").inner_text().startswith(f"At {price['points']} points")
        return card.locator(".met").first.inner_text()

    row(page, RIFLES).click()
    default = page.locator("#level").input_value().partition("@")[2]
    is_in_view(default)
    first, second, *_ = page.locator("#level option").all_inner_texts()
    page.locator("#level").select_option(label=second)
    met = is_in_view(second)
    assert page.evaluate("document.activeElement.id") == "level"
    assert page.url.endswith(f"#{RIFLES}@{second}")
    page.locator(f"#{RIFLES} circle[data-level='{RIFLES}@{first}']").click(force=True)
    assert is_in_view(first) != met
    for link in (f"#{RIFLES}@{second}", f"#{RIFLES}@{first}"):
        page.evaluate("link => { location.hash = link }", link)
        page.locator("#view h2", has_text=link.partition("@")[2]).wait_for()
        is_in_view(link.partition("@")[2])
    other = opened(address=f"{RIFLES}@{second}")
    assert other.locator("#view h2").inner_text().endswith(second)
    link = unfolded(other, "dominated").locator("tbody a").first
    level = link.get_attribute("href").partition("@")[2]
    link.click()
    other.locator("#view h2", has_text=level).wait_for()


def test_words_find_units_by_name_role_rule_and_quality(opened):
    page = opened()
    page.locator("#find").fill("field gun crown")
    assert shown(page) == ["Drake Field Guns"]
    page.locator("#find").fill("emplacement")  # a rule of its profile
    assert "Drake Field Guns" in shown(page)
    page.locator("#find").fill("drake")
    page.locator("#find").press("Enter")
    assert page.evaluate("document.activeElement.parentElement.id") == GUNS
    page.locator("#find").fill("nobody at all")
    assert shown(page) == []


def test_a_row_shows_its_card_by_mouse_and_by_keyboard(opened):
    page = opened()
    row(page, GUNS).click()
    assert page.locator("#view h2").inner_text().startswith("Drake Field Guns")
    assert page.url.endswith(f"#{GUNS}")
    page.locator("#units > li > a").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#view h2").inner_text().startswith(shown(page)[1])
    assert page.locator("[aria-current]").count() == 1
    for _ in range(60):  # whatever is reached by keyboard, nothing complains
        page.keyboard.press("Tab")


def test_the_card_has_the_price_three_reasons_and_matchups(opened, browsed):
    page = opened(address=GUNS)
    prices = pd.read_csv(browsed / "prices.csv").set_index("loadout")
    mine = prices[prices.index.str.startswith("crown/drake")]
    card = page.locator("#view")
    for name, level in mine.iterrows():
        assert str(level["points"]) in card.inner_text()
        assert f"{level['fair_points']:.0f} (" in card.inner_text(), name
    assert (card.locator(".bars rect").count(), card.locator(".met a").count()) == (3, 2)
    unfolded_card(page, "Every enemy")
    frame = pd.read_parquet(browsed / "matchups.parquet")
    met = frame[frame["defender"].str.startswith("crown/drake")]["attacker_unit"].unique()
    table = card.locator("[aria-label='Every enemy'] table")
    assert sorted(column(table, 1)) == sorted(set(met) - {"Drake Field Guns"})
    table.locator("th", has_text="Points ahead").locator("[role=button]").click()
    ahead = [float(each.replace("−", "-")) for each in column(table, 4) if each != "–"]
    assert ahead == sorted(ahead, reverse=True)
    unfolded_card(page, "Its attacks")
    card.locator("p b", has_text="Ranged").first.wait_for()
    unfolded_card(page, "Points destroyed by distance")
    curve = card.locator(".curve svg.chart").first.bounding_box()
    line = card.locator(".curve path").first.bounding_box()
    assert curve["width"] / 4 < line["width"] < 1.05 * curve["width"]
    table.locator("tbody a").first.click()
    assert not card.locator("h2").inner_text().startswith("Drake")


def test_back_returns_from_a_matchup_to_the_card(opened):
    page = opened()
    first = page.locator("#view h2").inner_text()
    page.locator("#view .met a").first.click()
    page.wait_for_function("first => document.querySelector('#view h2').innerText !== first", arg=first)
    page.go_back()
    page.locator("#view h2").filter(has_text=first).wait_for()


def unfolded_card(page, title):
    page.locator("#view summary", has_text=title).click()


def test_on_a_telephone_the_card_opens_below_its_row(opened):
    page = opened(390)
    assert page.locator("#view").is_hidden()
    row(page, RIFLES).click()
    assert page.locator(f"#{RIFLES} #view h2").inner_text().startswith("Rifle platoon")
    row(page, RIFLES).click()
    assert page.locator("#view").is_hidden()


def test_the_address_keeps_the_place_and_the_choices(opened):
    page = opened()
    page.locator(".counts button", has_text="fair").click()
    show(page, attackers="imperium", metric="p_broken", situation="2")
    page.locator("#heat thead th [role=button]", has_text="Rifle platoon").click()
    table = unfolded(page, "every-price")
    table.locator(".tools input").fill("drake heavy")
    row(page, GUNS).click()
    assert f"#{GUNS}?" in page.url
    other = opened(address=page.url.partition("#")[2])
    assert shown(other) == shown(page)
    assert other.locator("#view h2").inner_text() == page.locator("#view h2").inner_text()
    assert other.locator("#heat-metric").input_value() == "p_broken"
    assert other.locator("#every-price input").input_value() == "drake heavy"
    nonsense = opened(address="nowhere?heat-metric=nonsense&verdict=x&sort-every-price=99-up&what=ever")
    assert nonsense.locator("#heat-metric").input_value() == "expected_points_destroyed_per_100_points"
    assert len(shown(nonsense)) == nonsense.locator("#units > li").count()


def test_a_table_sorts_both_ways_and_filters_by_words(opened):
    page = opened()
    table = unfolded(page, "every-price").locator("table")
    head = table.locator("th[scope=col]", has_text="Points").first
    for way in ("descending", "ascending"):
        head.locator("[role=button]").press("Enter")
        assert head.get_attribute("aria-sort") == way
        points = [int(each) for each in column(table, 2) if each != "–"]
        assert points == sorted(points, reverse=way == "descending")
    page.locator("#every-price input").fill("drake basic")
    rows = table.locator("tbody tr:not([hidden])").all_inner_texts()
    assert rows
    assert all("Drake" in each and "basic" in each for each in rows)


def test_without_scripts_it_is_a_plain_document(opened):
    page = opened(java_script_enabled=False)
    for part in ("#heat", ".chips", "#view", "#find"):
        assert page.locator(part).first.is_hidden()
    assert page.locator("#units circle").count() > 10
    assert page.locator(".headline").is_visible()


@pytest.mark.parametrize("script", [True, *proof(False)])
def test_paper_has_every_loadout_whenever_it_is_asked(opened, browsed, script):
    page = opened(color_scheme="dark", java_script_enabled=script)
    if script:
        page.locator(".chips button", has_text="artillery").click()
    page.emulate_media(media="print")
    prices = pd.read_csv(browsed / "prices.csv")
    rows = page.locator("#every-price tbody tr")
    assert rows.count() == len(prices)
    assert min(rows.evaluate_all("found => found.map(each => each.getBoundingClientRect().height)")) > 5
    assert page.locator("#units > li").first.bounding_box()["height"] > 5
    assert page.locator("#units > li").last.is_visible()
    for part in ("nav", ".tools", "#view", ".chips"):
        assert not page.locator(part).count() or page.locator(part).first.is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", printed)) <= 8


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (768, "light"), (390, "dark")])
def test_nothing_keeps_anybody_out_or_is_wider_than_the_window_and_no_type_is_tiny(opened, width, scheme):
    page = opened(width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('body *')].filter(each => each.childNodes.length && each.innerText)"
        ".map(each => parseFloat(getComputedStyle(each).fontSize)))"
    )
    assert smallest >= 12
    found = bring("axe_playwright_python.sync_playwright").Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
