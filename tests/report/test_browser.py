"""The page of a report in a real browser: it loads without a complaint, sorts, filters, draws, fits and prints."""

import os
import re
import shutil

import pytest

from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import matchups
from analyser.game.profiles import Profiles
from analyser.report import write_report

pytestmark = pytest.mark.slow

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
NEEDED = "ANALYSER_NEEDS_BROWSER"  # set where a missing browser is a failure


def without(reason):
    """Skip, or fail where a browser is needed."""
    if os.environ.get(NEEDED):
        pytest.fail(f"{reason}, and {NEEDED} is set")
    pytest.skip(reason)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    out = tmp_path_factory.mktemp("reports") / "r"
    return write_report(["crown/r*", "crown/drake*"], ["imperium/*@basic", "crown/r*"], out=out, profiles=Profiles())


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip if not os.environ.get(NEEDED) else __import__
    playwright("playwright")
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        without(f"no browser here: none of {', '.join(BROWSERS)}")
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path)
        yield running
        running.close()


@pytest.fixture
def opened(browser, report):
    """Opens the page at a width; whatever the browser complains of fails the test."""
    complaints, contexts = [], []

    def at(width=1280, **more):
        context = browser.new_context(viewport={"width": width, "height": 900}, offline=True, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
        page.goto((report / "index.html").as_uri())
        return page

    yield at
    for context in contexts:
        context.close()
    assert complaints == []


def column(table, place):
    """The texts of a column, of the rows that are shown."""
    return table.locator(f"tbody tr:not([hidden]) > :nth-child({place})").all_inner_texts()


def numbers(texts):
    return [float(re.match(r"[−\d.]+", each)[0].replace("−", "-")) for each in texts if each != "–"]


def test_it_opens_offline_without_a_complaint(opened):
    page = opened()
    assert page.title() == "Crown against Imperium and Crown"
    assert page.locator("html.scripted").count() == 1
    assert page.locator("#heat td").count() > 50
    assert page.locator("#explorer tbody tr").count() == 200
    assert page.evaluate("[...document.images].every(each => each.complete && each.naturalWidth > 0)")


def test_a_table_sorts_both_ways_by_its_numbers_and_by_keyboard(opened):
    page = opened()
    table = page.locator("table.filterable").first
    head = table.locator("th[scope=col]", has_text="Efficiency")
    before = numbers(column(table, 5))
    head.locator("[role=button]").click()
    assert numbers(column(table, 5)) == sorted(before, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("[role=button]").press("Enter")
    assert numbers(column(table, 5)) == sorted(before)
    assert head.get_attribute("aria-sort") == "ascending"
    table.locator("th[scope=col]", has_text="Loadout").locator("[role=button]").click()
    names = column(table, 1)
    assert names == sorted(names, key=str.casefold)
    assert head.get_attribute("aria-sort") is None


def test_what_has_no_number_stands_last_whichever_way_it_is_sorted(opened):
    page = opened()
    table = page.locator("table.filterable").first
    button = table.locator("th[scope=col]", has_text="z").last.locator("[role=button]")
    for _ in range(2):
        button.click()
        shown = column(table, 7)
        blanks = shown.count("–")
        assert blanks
        assert "–" not in shown[: len(shown) - blanks]


def test_a_table_filters_by_words(opened):
    page = opened()
    table = page.locator("table.filterable").first
    tools = page.locator(".tools:has(+ .wide table.filterable)").first
    whole = table.locator("tbody tr").count()
    tools.locator("input").fill("drake heavy")
    shown = table.locator("tbody tr:not([hidden])").all_inner_texts()
    assert 0 < len(shown) < whole
    assert all("Drake" in row and "heavy" in row for row in shown)
    assert tools.locator(".count").inner_text() == f"{len(shown)} of {whole} rows"
    tools.locator("input").fill("")
    assert table.locator("tbody tr:not([hidden])").count() == whole


def test_every_matchup_can_be_found_and_sorted(opened):
    page = opened()
    sides = ["crown/r*", "crown/drake*"], ["imperium/*@basic", "crown/r*"]
    frame = matchups(*sides, situations="all", profiles=Profiles()).frame
    table, count = page.locator("#explorer"), page.locator("#explorer-count")
    assert count.inner_text() == f"the first 200 of {len(frame):,} matchups"
    page.locator("#by-attacker").fill("rifle-platoon@basic")
    page.locator("#by-defender").fill("krupp")
    page.locator("#by-situation").select_option("long-range")
    assert count.inner_text() == "1 matchup"
    row = frame[
        (frame["attacker"] == "crown/rifle-platoon@basic")
        & (frame["defender"] == "imperium/krupp-field-guns@basic")
        & (frame["situation"] == "long-range")
    ].iloc[0]
    cells = table.locator("tbody td").all_inner_texts()
    assert cells[:5] == ["Rifle platoon, basic", "35", "Krupp Field Guns, basic", "long range", "ranged-light"]
    assert cells[6] == f"{row['mean_models_destroyed']:.2f}"
    assert cells[11] == f"{100 * row['p_annihilated']:.1f}%"
    page.locator("#by-defender").fill("")
    table.locator("th", has_text="Mean models").locator("[role=button]").click()
    mine = frame[(frame["attacker"] == "crown/rifle-platoon@basic") & (frame["situation"] == "long-range")]
    best = mine["mean_models_destroyed"].sort_values(ascending=False).head(5)
    assert numbers(column(table, 7))[:5] == pytest.approx(best.tolist(), abs=0.006)
    assert "none: " in column(table, 5)[-1]


def test_the_heatmap_shows_what_is_chosen(opened):
    page = opened()
    page.locator("#heat-metric").select_option("p_annihilated")
    page.locator("#heat-attacker-level").select_option("basic")
    page.locator("#heat-defender-level").select_option("basic")
    page.locator("#heat-situation").select_option("1")
    assert page.locator("#heat-caption").inner_text().startswith("P(annihilated), percent, exact.")
    frame = matchups("crown/rifle-platoon@basic", "imperium/krupp@basic", profiles=Profiles()).frame
    wanted = frame[frame["situation"] == "short-range-aimed"]["p_annihilated"].iloc[0]
    cell = page.locator("#heat td[title^='Rifle platoon on Krupp Field Guns']")
    assert cell.inner_text() == f"{100 * wanted:.0f}"
    assert cell.evaluate("each => getComputedStyle(each).backgroundColor") != "rgba(0, 0, 0, 0)"
    blank = page.locator("#heat td.blank").first
    assert "fires at" in blank.get_attribute("title")


def heat_cells(page):
    """The texts of the heatmap, row by row with its heading, the last row and column being the means."""
    rows = page.locator("#heat tbody tr")
    return [rows.nth(place).locator("th, td").all_inner_texts() for place in range(rows.count())]


def test_the_heatmap_has_means_and_an_order_and_colours_that_tell_small_figures_apart(opened):
    page = opened()
    metric = "expected_points_destroyed_per_100_points"
    page.locator("#heat-metric").select_option(metric)
    page.locator("#heat-situation").select_option("0")
    frame = matchups(["crown/r*", "crown/drake*"], "imperium/*@basic", profiles=Profiles()).frame
    part = by_unit(frame[frame["situation"] == "long-range"])
    cells = heat_cells(page)
    assert [row[0] for row in cells] == [
        *part.groupby("attacker_unit", sort=False)[metric].mean().sort_values(ascending=False, kind="stable").index,
        "mean",
    ]
    assert page.locator("#heat thead tr").nth(1).locator("th").all_inner_texts() == ["light", "heavy", "aerial"]
    rifles = part[part["attacker_unit"] == "Rifle platoon"][metric].mean()
    assert next(row[-1] for row in cells if row[0] == "Rifle platoon") == f"{rifles:.0f}"
    assert cells[-1][-1] == f"{part[metric].mean():.0f}"
    columns = page.locator("#heat thead tr").nth(0).locator("th").all_inner_texts()
    light = part[part["defender_category"] == "light"].groupby("defender_unit", sort=False)[metric].mean()
    assert columns[: len(light)] == list(light.sort_values(ascending=False, kind="stable").index)
    assert page.locator("#heat-scale").inner_text().startswith("Colours: logarithmic; a hundredth of the highest")
    coloured = page.locator("#heat td:not(.blank)").evaluate_all(
        "cells => cells.map(each => [each.innerText, getComputedStyle(each).backgroundColor])"
    )
    small = {colour for text, colour in coloured if text and not text.startswith("<") and 1 < float(text) < 30}
    assert len(small) > 12  # of these a linear scale made eight


def test_figures_stand_out_from_their_cells(opened):
    page = opened()
    worst = page.evaluate(
        """() => {
          const light = (colour) => {
            const parts = colour.match(/\\d+/g).slice(0, 3).map((each) => Number(each) / 255);
            const linear = parts.map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
          };
          const cells = [...document.querySelectorAll("#heat td, .swatch")].filter((each) => each.innerText);
          return Math.min(...cells.map((each) => {
            const style = getComputedStyle(each);
            const [one, other] = [light(style.color), light(style.backgroundColor)].sort((a, b) => b - a);
            return (one + 0.05) / (other + 0.05);
          }));
        }"""
    )
    assert worst >= 4.5


def test_a_link_to_a_unit_unfolds_its_part_and_units_can_be_searched(opened):
    page = opened()
    sheet = page.locator("#unit-crown-drake-field-guns")
    assert sheet.get_attribute("open") is None
    page.locator("a[href='#unit-crown-drake-field-guns']").first.click()
    page.locator("#unit-crown-drake-field-guns[open]").wait_for()  # it unfolds once the browser has followed the link
    assert sheet.locator("h4", has_text="For its points").is_visible()
    page.locator("#by-unit").fill("drake")
    assert page.locator("details.sheet:visible").count() == 1


@pytest.mark.parametrize("width", [1280, 768, 390])
def test_nothing_is_wider_than_the_window_but_what_scrolls_and_no_type_is_tiny(opened, width):
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('body *')].filter(each => each.childNodes.length && each.innerText)"
        ".map(each => parseFloat(getComputedStyle(each).fontSize)))"
    )
    assert smallest >= 12


def test_without_scripts_it_is_a_plain_document(opened):
    page = opened(java_script_enabled=False)
    assert page.locator("#heat").is_hidden()
    assert page.locator("#explorer").is_hidden()
    assert page.locator("table.sortable").first.is_visible()


def test_it_prints_with_everything_unfolded(opened):
    page = opened()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator(".tools").first.is_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
