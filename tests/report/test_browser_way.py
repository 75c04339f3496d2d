"""The page of a report in a real browser: who a dot is, and the way to a card and back to what was chosen."""

import pytest

from tests.helpers.browser import column, heat_cells, show, unfolded

pytestmark = pytest.mark.slow


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


def test_no_number_of_the_picture_lies_on_a_dot(opened):
    page = opened()
    least = page.evaluate(
        """() => {
          const middle = (each) => {
            const box = each.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
          };
          const dots = [...document.querySelectorAll(".dot path")].map(middle);
          const numbers = [...document.querySelectorAll(".plot .number")].map(middle);
          const far = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);
          return [numbers.length, Math.min(...numbers.flatMap((one) => dots.map((dot) => far(one, dot))))];
        }"""
    )
    assert least[0] > 0
    assert least[1] > 8


def test_the_verdict_is_on_the_first_screen(opened):
    page = opened()
    for part in ("h1", ".limits", "#plot", "#most-over-priced", "#most-under-priced"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= 900


# --- finding one's way ------------------------------------------------------------------------------------


def test_a_unit_is_found_and_its_card_opened(opened):
    page = opened()
    page.locator("#find").fill("drake")
    assert page.locator("#finds a").all_inner_texts() == ["Drake Field Guns Crown · artillery"]
    page.locator("#find").press("Enter")
    page.locator("#unit-crown-drake-field-guns[open]").wait_for()
    assert page.locator("#finds").is_hidden()
    assert page.locator("#unit-crown-drake-field-guns > summary").bounding_box()["y"] > 30  # not below what sticks
    page.locator("#find").fill("rifle")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("#unit-crown-rifle-platoon[open]").wait_for()
    page.locator("#find").fill("field gun crown")  # the word of its profile
    assert page.locator("#finds a").all_inner_texts() == ["Drake Field Guns Crown · artillery"]
    page.locator("#find").fill("emplacement")  # a rule of its profile
    assert "Drake Field Guns Crown · artillery" in page.locator("#finds a").all_inner_texts()
    page.locator("#find").fill("nobody at all")
    assert page.locator("#finds").inner_text() == "No unit has these words."


def test_the_address_keeps_the_place_and_what_is_chosen(opened):
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
