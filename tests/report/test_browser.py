"""The page of a report in a real browser: it loads without a complaint, sorts, filters, draws, fits and prints."""

import re
from itertools import pairwise

import pandas as pd
import pytest

from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import matchups
from analyser.game.profiles import Profiles
from tests.helpers.browser import bring, column, heat_cells, numbers, show, unfolded

pytestmark = pytest.mark.slow


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


def test_every_matchup_can_be_found_and_sorted(opened, browsed):
    page = opened()
    frame = pd.read_parquet(browsed / "matchups.parquet")
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
    assert cells[:5] == ["Rifle platoon, basic", "35", "Krupp Field Guns, basic", "long range", "Ranged (Light)"]
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
    show(page, attackers="crown", defenders="imperium", metric="p_annihilated", situation="1")
    show(page, attacker_level="basic", defender_level="basic")
    assert page.locator("#heat-caption").inner_text().startswith("P(annihilated), percent, each fight exact.")
    frame = matchups("crown/rifle-platoon@basic", "imperium/krupp@basic", profiles=Profiles()).frame
    wanted = frame[frame["situation"] == "short-range-aimed"]["p_annihilated"].iloc[0]
    cell = page.locator("#heat td[title^='Rifle platoon on Krupp Field Guns']")
    assert cell.inner_text() == f"{100 * wanted:.0f}"
    assert cell.evaluate("each => getComputedStyle(each).backgroundColor") != "rgba(0, 0, 0, 0)"
    blank = page.locator("#heat td.blank").first
    assert "fires at" in blank.get_attribute("title")


def test_the_heatmap_has_means_and_an_order_and_colours_that_tell_small_figures_apart(opened, browsed):
    page = opened()
    metric = "expected_points_destroyed_per_100_points"
    show(page, attackers="crown", defenders="imperium", metric=metric, situation="0")
    frame = pd.read_parquet(browsed / "matchups.parquet")
    frame = frame[frame["attacker"].str.startswith("crown") & frame["defender"].str.startswith("imperium")]
    part = by_unit(frame[frame["situation"] == "long-range"])
    cells = heat_cells(page)
    assert [row[0] for row in cells] == [
        *part.groupby("attacker_unit", sort=False)[metric].mean().sort_values(ascending=False, kind="stable").index,
        "mean without hatched",
    ]
    assert page.locator("#heat thead tr").nth(1).locator("th").all_inner_texts() == ["light", "heavy", "aerial"]
    rifles = part[part["attacker_unit"] == "Rifle platoon"][metric].mean()
    assert next(row[-1] for row in cells if row[0] == "Rifle platoon").split()[0] == f"{rifles:.0f}"
    made, there = int(part[metric].notna().sum()), len(part)
    assert cells[-1][-1].split() == [f"{part[metric].mean():.0f}", f"{made}/{there}"]
    assert made < there
    columns = page.locator("#heat thead tr").nth(0).locator("th").all_inner_texts()
    light = part[part["defender_category"] == "light"].groupby("defender_unit", sort=False)[metric].mean()
    assert columns[: len(light)] == list(light.sort_values(ascending=False, kind="stable").index)
    assert page.locator("#heat-scale").inner_text().startswith("Colours: logarithmic; ")
    coloured = page.locator("#heat td:not(.blank)").evaluate_all(
        "cells => cells.map(each => [each.innerText, getComputedStyle(each).backgroundColor])"
    )
    small = {
        colour for text, colour in coloured if text and not text.startswith("<") and 1 < float(text.split()[0]) < 30
    }
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


def test_the_heads_of_the_heatmap_stay_when_it_is_scrolled(opened):
    page = opened()
    page.set_viewport_size({"width": 1280, "height": 420})
    frame = page.locator("#heat-frame")
    assert frame.evaluate("each => each.scrollHeight > each.clientHeight + 40")
    frame.evaluate("each => (each.scrollTop = 40)")
    top = frame.bounding_box()["y"]
    assert page.locator("#heat thead").bounding_box()["y"] == pytest.approx(top, abs=1)
    assert frame.bounding_box()["height"] <= 420


def test_means_say_that_they_leave_out_what_cannot_be_attacked(opened):
    page = opened()
    show(page, attackers="crown", defenders="imperium", situation="0")
    assert page.locator("#heat td.blank").count() > 0
    assert heat_cells(page)[-1][0] == "mean without hatched"
    show(page, attackers="imperium", defenders="crown", situation="2")
    if not page.locator("#heat td.blank").count():
        assert heat_cells(page)[-1][0] == "mean"


def test_no_menu_of_the_heatmap_is_clipped_on_a_phone(opened):
    page = opened(390)
    clipped = page.locator("#heat-tools select").evaluate_all(
        """selects => {
          const pen = document.createElement("canvas").getContext("2d");
          return selects.filter((each) => {
            pen.font = getComputedStyle(each).font;
            return pen.measureText(each.selectedOptions[0].text).width > each.clientWidth - 30;
          }).map((each) => each.id);
        }"""
    )
    assert clipped == []


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
    assert card.locator("h4", has_text="What beats it").is_visible()
    other = card.locator("th a").first
    other.click()
    page.locator(f"{other.get_attribute('href')}[open]").wait_for()


def test_every_enemy_of_a_unit_is_reached_from_its_card(opened, browsed):
    page = opened(address="unit-imperium-sturmpanzer-battletanks")
    part = page.locator("#unit-imperium-sturmpanzer-battletanks .every-enemy")
    assert part.locator("table").count() == 0  # made when it is wanted
    part.locator("> summary").click()
    rows = part.locator("tbody tr")
    frame = pd.read_parquet(browsed / "matchups.parquet")
    met = frame[frame["defender"] == "imperium/sturmpanzer-battletanks@basic"]["attacker_unit"]
    assert sorted(column(part.locator("table"), 1)) == sorted(met.unique())
    wins = [float(each.strip("<>%")) for each in column(part.locator("table"), 2) if each != "–"]
    assert wins == sorted(wins, reverse=True)
    part.locator("thead th", has_text="Enemy ahead by").locator("[role=button]").click()
    ahead = numbers([each.strip("+") for each in column(part.locator("table"), 7)])
    assert ahead == sorted(ahead, reverse=True)
    link = rows.first.locator("a")
    place = link.get_attribute("href")
    link.click()
    page.locator(f"{place}[open]").wait_for()


@pytest.mark.parametrize(("width", "scheme"), [pytest.param(1280, "light", marks=pytest.mark.proof), (390, "dark")])
def test_axe_finds_nothing_that_keeps_anybody_out(opened, width, scheme):
    axe = bring("axe_playwright_python.sync_playwright").Axe()
    page = opened(width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()


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


def test_no_table_of_a_card_is_scrolled_on_a_phone(opened):
    page = opened(390)
    page.evaluate("document.querySelectorAll('#units ~ .sheet, .sheet details').forEach(each => (each.open = true))")
    assert page.locator(".sheet .wide").count() > 20
    wide = page.locator(".sheet .wide, .sheet figure").evaluate_all(
        "frames => frames.filter(each => each.scrollWidth > each.clientWidth).map(each => each.innerText)"
    )
    assert wide == []
    levels = page.locator("#unit-crown-rifle-platoon .levels tbody tr").first
    before = levels.locator("td").nth(2).evaluate("each => getComputedStyle(each, '::before').content")
    assert before == '"fair points "'  # what the heads of the columns say elsewhere


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_card_draws_its_curves(opened, scheme):
    page = opened(address="unit-crown-drake-field-guns", color_scheme=scheme)
    curve = page.locator("#unit-crown-drake-field-guns .curve").first
    box = curve.locator("svg.over").bounding_box()
    assert box["width"] > 200
    assert box["height"] > 80
    line = curve.locator("path.line").first.bounding_box()  # with its stroke, as if that were scaled
    assert box["width"] / 4 < line["width"] < 1.05 * box["width"]
    assert line["x"] == pytest.approx(box["x"], abs=0.03 * box["width"])
    assert page.evaluate(CONTRAST, ".curve li, .curve p, .curve figcaption") >= 4.5


def test_the_way_back_to_the_page_over_reports_is_learnt_from_the_address(opened):
    page = opened()
    assert page.locator("#home").is_hidden()
    page = opened(address="unit-crown-drake-field-guns?home=../../index.html")
    assert page.locator("#home").get_attribute("href") == "../../index.html"
    assert page.locator("#home").is_visible()
    page.locator("#find").fill("rifle")
    page.locator("#find").press("Enter")
    assert "home=" in page.url
    assert opened(address="verdict?home=https://example.org/index.html").locator("#home").is_hidden()


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
