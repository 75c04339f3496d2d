"""The page of a report in a real browser: it loads without a complaint, sorts, filters, draws, fits and prints."""

import os
import re
import shutil
from itertools import pairwise

import pandas as pd
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

    def at(width=1280, address="", **more):
        context = browser.new_context(viewport={"width": width, "height": 900}, offline=True, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
        page.goto(f"{(report / 'index.html').as_uri()}#{address}")
        if more.get("java_script_enabled", True):
            page.locator("html.scripted").wait_for()
        return page

    yield at
    for context in contexts:
        context.close()
    assert complaints == []


def column(table, place):
    """The texts of a column, of the rows that are shown."""
    return table.locator(f"tbody tr:not([hidden]) > :nth-child({place})").all_inner_texts()


def unfolded(page, part):
    """A part of the page that is folded at first."""
    found = page.locator(f"#{part}")
    found.locator("> summary").click()
    return found


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
    table = unfolded(page, "balance").locator("table.filterable")
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
    table = unfolded(page, "balance").locator("table.filterable")
    button = table.locator("th[scope=col]", has_text="z").last.locator("[role=button]")
    for _ in range(2):
        button.click()
        shown = column(table, 7)
        blanks = shown.count("–")
        assert blanks
        assert "–" not in shown[: len(shown) - blanks]


def test_a_table_filters_by_words(opened):
    page = opened()
    table = unfolded(page, "balance").locator("table.filterable")
    tools = page.locator("#balance .tools")
    whole = table.locator("tbody tr").count()
    tools.locator("input").fill("drake heavy")
    shown = table.locator("tbody tr:not([hidden])").all_inner_texts()
    assert 0 < len(shown) < whole
    assert all("Drake" in row and "heavy" in row for row in shown)
    assert tools.locator(".count").inner_text() == f"{len(shown)} of {whole} rows"
    tools.locator("input").fill("")
    assert table.locator("tbody tr:not([hidden])").count() == whole


def test_every_matchup_can_be_found_and_sorted(opened, report):
    page = opened()
    frame = pd.read_parquet(report / "matchups.parquet")
    unfolded(page, "matchups")
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


def show(page, **chosen):
    """Choose what the heatmap shows, by the ends of the names of its controls."""
    for name, value in chosen.items():
        page.locator(f"#heat-{name.replace('_', '-')}").select_option(value)


def test_the_heatmap_shows_what_is_chosen(opened):
    page = opened()
    show(page, attackers="crown", defenders="imperium", metric="p_annihilated", situation="1")
    show(page, attacker_level="basic", defender_level="basic")
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


def test_the_heatmap_has_means_and_an_order_and_colours_that_tell_small_figures_apart(opened, report):
    page = opened()
    metric = "expected_points_destroyed_per_100_points"
    show(page, attackers="crown", defenders="imperium", metric=metric, situation="0")
    frame = pd.read_parquet(report / "matchups.parquet")
    frame = frame[frame["attacker"].str.startswith("crown") & frame["defender"].str.startswith("imperium")]
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
    assert page.locator("#heat-scale").inner_text().startswith("Colours: logarithmic; ")
    coloured = page.locator("#heat td:not(.blank)").evaluate_all(
        "cells => cells.map(each => [each.innerText, getComputedStyle(each).backgroundColor])"
    )
    small = {colour for text, colour in coloured if text and not text.startswith("<") and 1 < float(text) < 30}
    assert len(small) > 12  # of these a linear scale made eight
    assert len(set(page.locator("#heat-scale .swatch").evaluate_all(COLOURS))) >= 7  # from a half to 120


COLOURS = "cells => cells.map(each => getComputedStyle(each).backgroundColor)"


def test_the_heatmap_sorts_by_a_row_and_by_a_column_and_stands_in_groups(opened):
    page = opened()
    show(page, attackers="crown", defenders="imperium", situation="0", group="nothing")
    assert page.locator("#heat thead tr").count() == 1
    page.locator("#heat thead th [role=button]", has_text="Krupp Field Guns").click()
    names = page.locator("#heat thead th").all_inner_texts()
    figures = [row[1 + names.index("Krupp Field Guns")] for row in heat_cells(page)[:-1]]
    there = [float(each) for each in figures if each]
    assert there == sorted(there, reverse=True)
    assert len(there) > 3
    assert figures[: len(there)] == [each for each in figures if each]  # what has none stands last
    page.locator("#heat tbody th [role=button]", has_text="Drake Field Guns").press("Enter")
    mine = next(row for row in heat_cells(page) if row[0] == "Drake Field Guns")[1:-1]
    there = [float(each) for each in mine if each]
    assert there == sorted(there, reverse=True)
    assert "rows stand by the figure on Krupp Field Guns, columns by that of Drake" in caption(page)
    show(page, group="role")
    groups = page.locator("#heat thead tr").nth(1).locator("th").all_inner_texts()
    assert {"infantry", "armour", "artillery"} <= set(groups)
    assert len(groups) == len(set(groups))


def caption(page):
    return page.locator("#heat-caption").inner_text()


def test_a_cell_tells_its_whole_story_both_ways(opened):
    page = opened()
    show(page, attackers="crown", defenders="imperium", situation="0")
    page.locator("#heat td[title^='Rifle platoon on Krupp Field Guns']").click()
    story = page.locator("#story")
    assert story.locator("h4").all_inner_texts() == [
        "Rifle platoon on Krupp Field Guns",
        "Krupp Field Guns on Rifle platoon",
    ]
    head = story.locator("table").first.locator("thead th").all_inner_texts()
    assert head == ["long range", "short range aimed", "charge", "duel"]
    frame = by_unit(matchups("crown/rifle-platoon@*", "imperium/krupp@basic", profiles=Profiles()).frame)
    wanted = frame[frame["situation"] == "long-range"]["mean_models_destroyed"].iloc[0]
    line = story.locator("tr", has_text="Mean models destroyed").first.locator("td").all_inner_texts()
    assert line[0] == f"{wanted:.2f}"
    page.keyboard.press("Escape")
    assert story.is_hidden()
    first = page.locator("#heat td[tabindex='0']")
    first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert story.is_visible()
    story.locator("button").click()
    assert story.is_hidden()


# --- the first screen -------------------------------------------------------------------------------------


def a_dot(page):
    """The middle of a dot that has no other near it, and what it is called."""
    return page.evaluate(
        """() => {
          const middle = (dot) => {
            const box = dot.querySelector("path").getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
          };
          const dots = [...document.querySelectorAll(".dot")];
          const far = (one) => Math.min(...dots.filter((each) => each !== one)
            .map((each) => Math.hypot(...middle(each).map((value, axis) => value - middle(one)[axis]))));
          const alone = dots.reduce((best, each) => (far(each) > far(best) ? each : best));
          const [x, y] = middle(alone);
          return { x, y, loadout: alone.dataset.loadout, name: alone.getAttribute("aria-label").split(" (")[0] };
        }"""
    )


def card_of(loadout):
    return "unit-" + loadout.partition("@")[0].replace("/", "-")


def test_pointing_at_a_dot_names_it_and_a_click_opens_its_card(opened):
    page = opened()
    told, dot = page.locator("#told"), a_dot(page)
    assert told.is_hidden()
    page.mouse.move(dot["x"] + 6, dot["y"] + 6)  # near is enough
    assert told.inner_text().startswith(dot["name"])
    assert "points, fair points" in told.inner_text()
    page.mouse.click(dot["x"], dot["y"])
    page.locator(f"#{card_of(dot['loadout'])}[open]").wait_for()
    assert f"#{card_of(dot['loadout'])}" in page.url
    page.mouse.move(5, 5)
    assert told.is_hidden()


def test_a_tap_names_a_dot_and_the_next_opens_its_card(opened):
    page = opened(390, has_touch=True)
    page.locator("#plot").scroll_into_view_if_needed()
    dot = a_dot(page)
    page.touchscreen.tap(dot["x"], dot["y"])
    told = page.locator("#told")
    assert told.inner_text().startswith(dot["name"])
    assert "Tap again" in told.inner_text()
    box = told.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.touchscreen.tap(dot["x"], dot["y"])
    page.locator(f"#{card_of(dot['loadout'])}[open]").wait_for()


def test_dots_are_reached_by_keyboard_one_stop_for_all(opened):
    page = opened()
    assert page.locator(".dot[tabindex='0']").count() == 1
    page.locator("#verdict .dot").first.focus()
    page.keyboard.press("ArrowRight")
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert page.locator("#told").inner_text() == focused
    assert page.locator(".dot").nth(1).get_attribute("aria-label") == focused
    page.keyboard.press("Enter")
    page.locator(f"#{card_of(page.locator('.dot').nth(1).get_attribute('data-loadout'))}[open]").wait_for()


def test_the_verdict_is_on_the_first_screen(opened):
    page = opened()
    for part in ("h1", ".limits", "#plot", "#most-over-priced", "#most-under-priced"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= 900


# --- finding one's way ------------------------------------------------------------------------------------


def test_a_unit_is_found_and_its_card_opened(opened):
    page = opened()
    page.locator("#find").fill("drake")
    assert page.locator("#finds a").all_inner_texts() == ["Drake Field Guns Crown · field gun"]
    page.locator("#find").press("Enter")
    page.locator("#unit-crown-drake-field-guns[open]").wait_for()
    assert page.locator("#finds").is_hidden()
    assert page.locator("#unit-crown-drake-field-guns > summary").bounding_box()["y"] > 30  # not below what sticks
    page.locator("#find").fill("rifle")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("#unit-crown-rifle-platoon[open]").wait_for()
    page.locator("#find").fill("nobody at all")
    assert page.locator("#finds").inner_text() == "No unit has these words."


def test_the_address_keeps_the_place_and_what_is_chosen(opened, report):
    page = opened()
    show(page, attackers="imperium", metric="p_broken", situation="2")
    page.locator("#heat thead th [role=button]", has_text="Rifle platoon").click()
    unfolded(page, "balance").locator("input").fill("drake heavy")
    page.locator("#balance th", has_text="Efficiency").locator("[role=button]").click()
    page.locator("#find").fill("drake")
    page.locator("#find").press("Enter")
    address, cells = page.url, heat_cells(page)
    assert "#unit-crown-drake-field-guns?" in address
    other = opened(address=address.partition("#")[2])
    assert other.locator("#unit-crown-drake-field-guns").get_attribute("open") is not None
    assert heat_cells(other) == cells
    assert other.locator("#heat-metric").input_value() == "p_broken"
    assert other.locator("#balance input").input_value() == "drake heavy"
    unfolded(other, "balance")
    assert column(other.locator("#balance table"), 5) == column(page.locator("#balance table"), 5)
    assert other.locator("#balance th[aria-sort]").inner_text().startswith("Efficiency")
    page.go_back()
    assert page.locator("#heat-metric").input_value() == "p_broken"


def test_an_address_that_says_nonsense_does_no_harm(opened):
    page = opened(address="nowhere?heat-metric=nonsense&sort-balance=99-up&what=ever")
    assert page.locator("#heat-metric").input_value() == "expected_points_destroyed_per_100_points"


CONTRAST = """(selector) => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const linear = parts(colour).slice(0, 3).map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const ground = (each) => {
    for (let at = each; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (parts(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const shown = [...document.querySelectorAll(selector)].filter((each) => each.innerText);
  return Math.min(...shown.map((each) => {
    const [one, other] = [light(getComputedStyle(each).color), light(ground(each))].sort((a, b) => b - a);
    return (one + 0.05) / (other + 0.05);
  }));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_and_figures_stand_out_in_light_and_dark(opened, scheme):
    page = opened(color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    assert page.evaluate(CONTRAST, "#heat td, .swatch") >= 4.5
    assert page.evaluate(CONTRAST, "body *:not(script, style)") >= 4.5
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", paper)[:3])) < 150) == (scheme == "dark")


def test_everything_that_can_be_used_has_a_name(opened):
    page = opened()
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("input, select, button, a, [role=button], summary, svg[role]")]
          .filter((each) => !(each.labels?.length || each.getAttribute("aria-label") || each.textContent.trim()))
          .map((each) => each.outerHTML)"""
    )
    assert nameless == []
    levels = page.locator("h1, h2, h3, h4").evaluate_all("heads => heads.map(each => Number(each.tagName[1]))")
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_a_link_to_a_unit_unfolds_its_card(opened):
    page = opened(address="unit-crown-drake-field-guns")
    card = page.locator("#unit-crown-drake-field-guns[open]")
    assert card.locator("h4", has_text="Points for points").is_visible()
    other = card.locator("th a").first
    other.click()
    page.locator(f"{other.get_attribute('href')}[open]").wait_for()


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
    assert page.locator("#verdict .dot").count() > 10
    assert page.locator(".far").first.is_visible()
    assert page.locator("#units").is_visible()


def test_it_prints_with_cards_and_pictures_and_what_was_opened(opened):
    page = opened(color_scheme="dark")
    unfolded(page, "dominated")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.sheet:not([open]), #pictures:not([open])").count() == 0
    page.emulate_media(media="print")
    for part in ("#plot", ".sheet >> nth=0", "#pictures img >> nth=0", "#dominated"):
        assert page.locator(part).is_visible()
    for part in ("nav", ".tools >> nth=0", "#balance", "#told"):
        assert page.locator(part).is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.sheet[open]").count() == 0
    assert page.locator("#dominated[open]").count() == 1
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
