"""The heatmap of a report in a real browser: what it shows, its order, and the details of a cell."""

import pandas as pd
import pytest

from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import matchups
from analyser.game.profiles import Profiles
from tests.helpers.browser import heat_cells, show

pytestmark = pytest.mark.slow
COLOURS = "cells => cells.map(each => getComputedStyle(each).backgroundColor)"


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
    means = part.groupby("attacker_unit", sort=False)[metric].mean().sort_values(ascending=False, kind="stable")
    assert [row[0] for row in cells] == [*means.index, "mean without hatched cells (counted/all)"]
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
    figures = [(float(text.split()[0]), colour) for text, colour in coloured if text and not text.startswith("<")]
    assert len({colour for figure, colour in figures if 1 < figure < 30}) > 12  # of these a linear scale made eight
    assert len(set(page.locator("#heat-scale .swatch").evaluate_all(COLOURS))) >= 7  # from a half to 120


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
    assert "Rows are sorted by the figure on Krupp Field Guns. Columns are sorted by the figure of Drake" in caption(
        page
    )
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
    story.wait_for()
    both = ["Rifle platoon on Krupp Field Guns", "Krupp Field Guns on Rifle platoon"]
    assert story.locator("h4").all_inner_texts() == both
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
    show(page, metric="p_annihilated")
    page.set_viewport_size({"width": 1280, "height": 420})
    frame = page.locator("#heat-frame")
    assert frame.evaluate("each => each.scrollHeight > each.clientHeight + 40")
    frame.evaluate("each => (each.scrollTop = 40)")
    top = frame.bounding_box()["y"]
    assert page.locator("#heat thead").bounding_box()["y"] == pytest.approx(top, abs=1)
    assert frame.bounding_box()["height"] <= 420
