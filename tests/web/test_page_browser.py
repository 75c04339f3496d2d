"""The page in a browser, as players use it: three rounds of a game, by hand, by keyboard, on two sizes of screen."""

import re

import pytest

import analyser
from analyser.analysis.situations import Situation
from tests.helpers.browser import bring
from tests.helpers.skips import proof
from tests.helpers.table_page import DESK, PHONE, chance, percent

pytestmark = pytest.mark.slow

CROWN, IMPERIUM = "notebooks/armies/crown.rosz", "notebooks/armies/imperium.rosz"
RIFLES, GRENADIERS = "Sharp Rifles", "Scion Grenadier Platoon"
SHARP_RIFLES, SCIONS = "crown/sharp-rifles@reinforced", "imperium/scion-grenadier-platoon@reinforced"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return analyser.table(CROWN, IMPERIUM).save(tmp_path_factory.mktemp("table") / "table.html")


@pytest.fixture(scope="module")
def calculator(tmp_path_factory):
    return analyser.calculator().save(tmp_path_factory.mktemp("calculator") / "calculator.html")


def choose(page, attacker, target):
    for panel, name in ((".attackers", attacker), (".targets", target)):
        page.locator(f"{panel} .card", has=page.get_by_text(name, exact=True)).click()


def chip(page, group, name):
    return page.locator(".how > fieldset", has=page.locator("legend", has_text=group)).get_by_role("button", name=name)


def models_left(page):
    return page.locator(".sides select").nth(1).input_value()


def shown_of(page, label):
    """A figure of the main answer."""
    figure = page.locator(".answer .figures > div", has=page.get_by_text(label, exact=True))
    return re.match(r"[<>]?[\d.]+%?", figure.locator("dd").inner_text())[0]


def exact(**conditions):
    target = {"unit": SCIONS, **conditions.pop("target", {})}
    attacker = {"attacker": SHARP_RIFLES, "distance": 12, **conditions}
    return analyser.attack(attacker, target)


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_three_rounds_of_a_game(visit, table, size):
    page = visit(table, size)
    choose(page, RIFLES, GRENADIERS)
    assert chance(page) == percent(exact().probability("annihilated"))
    # round 1: aimed, at six inches; the target loses three models and is suppressed
    chip(page, RIFLES, "Aiming").click()
    page.locator("#slide-distance").fill("6")
    found = exact(distance=6, aiming=True)
    assert chance(page) == percent(found.probability("annihilated"))
    assert shown_of(page, "Suppressed") == percent(found.probability("suppressed"))
    page.locator(".sides select").nth(1).select_option("9")
    chip(page, GRENADIERS, "Suppressed").click()
    found = exact(distance=6, aiming=True, target={"models": 9, "suppressed": True})
    assert chance(page) == percent(found.probability("annihilated"))
    link = page.url
    # round 2: one more model than was lost is taken off, and put back
    if size == PHONE:
        page.get_by_role("button", name="Back").click()
        page.get_by_role("button", name="Back").click()
    page.get_by_role("button", name="Round 1").click()
    page.get_by_role("button", name="Round 2. Begin the next round").wait_for()
    choose(page, RIFLES, GRENADIERS)
    page.get_by_role("button", name=f"Models of {GRENADIERS}: one less").click()
    assert models_left(page) == "8"
    page.get_by_role("button", name="Undo").click()
    assert models_left(page) == "9"
    # round 3: the page is closed and opened again, and the game is still there
    page.reload()
    page.locator("html.ready").wait_for()
    assert models_left(page) == "9"
    chip(page, RIFLES, "Aiming").click()
    assert chance(page) == percent(
        exact(target={"models": 9, "suppressed": True}, distance=6, aiming=True).probability("annihilated")
    )
    if size == DESK:
        page.get_by_role("button", name="New game").click()
        assert models_left(page) == "12"
    # the link of round 1, on another device
    other = visit(table, size, link[link.index("#") :])
    found = exact(distance=6, aiming=True, target={"models": 9, "suppressed": True})
    assert chance(other) == percent(found.probability("annihilated"))
    assert chip(other, GRENADIERS, "Suppressed").get_attribute("aria-pressed") == "true"


def test_back_goes_the_way_that_was_come_and_keeps_losses(visit, table):
    page = visit(table, PHONE)
    choose(page, RIFLES, GRENADIERS)
    page.get_by_role("button", name=f"Models of {GRENADIERS}: one less").click()
    page.go_back()
    assert page.locator(".targets .card").first.is_visible()
    page.reload()  # as phones do by themselves
    page.locator("html.ready").wait_for()
    assert "11 of 12" in page.locator(".targets .card", has=page.get_by_text(GRENADIERS, exact=True)).inner_text()
    page.go_back()
    assert page.locator(".attackers .card").first.is_visible()
    page.go_forward()
    page.go_forward()
    assert page.locator(".answer").is_visible()


def test_undo_takes_back_what_changed_the_number(visit, table):
    page = visit(table, PHONE)
    choose(page, RIFLES, GRENADIERS)
    near = shown_of(page, "Models lost")
    for inches in ("25", "28"):  # the values of a slider are one change
        page.locator("#slide-distance").fill(inches)
    far = shown_of(page, "Models lost")
    chip(page, GRENADIERS, "Concealed").click()
    assert len({near, far, shown_of(page, "Models lost")}) == 3
    for shown in (far, near):
        page.get_by_role("button", name="Undo").click()
        assert shown_of(page, "Models lost") == shown


def test_what_an_army_shows_is_what_python_answers(visit, table):
    """Every unit of one army against every unit of the other, as the cards show it, at the distance of the page."""
    page = visit(table, DESK)
    mine, yours = (list(analyser.load_army(path)) for path in (CROWN, IMPERIUM))
    for place in (1, 4, 6):
        page.locator(".attackers .card").nth(place).click()
        page.wait_for_function("!document.querySelector('.targets .wait, .targets .card:not(:has(.chance))')")
        shown = page.locator(".targets .chance").evaluate_all("cells => cells.map(each => each.firstChild.data)")
        assert sorted(shown) == sorted(chance_of(mine[place].loadout, unit.loadout) for unit in yours)


def chance_of(attacker, target):
    try:
        found = analyser.attack({"attacker": attacker, "distance": 12}, {"unit": target})
    except analyser.InputError:
        return "–"
    return percent(found.probability("annihilated"))


def test_every_condition_of_the_page_changes_the_number_as_in_python(visit, table):
    page = visit(table, DESK)
    choose(page, RIFLES, GRENADIERS)
    page.locator(".how summary").click()
    page.locator("#slide-distance").fill("9")
    for group, name, key in [
        (RIFLES, "Aiming", {"aiming": True}),
        (RIFLES, "Suppressed", {"penalties": ["suppressed"]}),
        (GRENADIERS, "Concealed", {"concealed": True}),
        (GRENADIERS, "Taking cover", {"concealed": True, "target": {"taking_cover": True}}),
        (GRENADIERS, "In a building", {"target": {"garrisoned": True}}),
        (GRENADIERS, "Disordered", {"target": {"disordered": True}}),
    ]:
        pressed = [name] if "concealed" not in key or name == "Concealed" else ["Concealed", name]
        for each in pressed:
            chip(page, group, each).click()
        found = exact(distance=9, **{**key, "target": dict(key.get("target", {}))})
        assert chance(page) == percent(found.probability("annihilated")), name
        assert shown_of(page, "Broken") == percent(found.probability("broken")), name
        bars = page.locator(".bars li").all_inner_texts()
        for text in bars:
            count, share = re.match(r"(?:all )?(\d+).*?\n(\S+)$", text, re.DOTALL).groups()
            assert share == percent(found.at_least(int(count))), name
        for each in pressed:
            chip(page, group, each).click()


def test_it_is_used_by_keyboard_alone(visit, table):
    page = visit(table, PHONE)

    def tab_to(name):
        for _ in range(80):
            page.keyboard.press("Tab")
            text = page.evaluate("document.activeElement.ariaLabel || document.activeElement.innerText")
            if name in text:
                return
        raise AssertionError(f"{name} cannot be reached")

    tab_to(RIFLES)
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('.panel.targets')")  # its card is not on this panel
    tab_to("Krupp Field Guns")
    page.keyboard.press("Enter")
    tab_to("Models of Krupp Field Guns: one less")
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.ariaLabel") == "Models of Krupp Field Guns: one less"
    tab_to("Aiming")
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.ariaPressed") == "true"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    assert "aiming" in page.url


NAMELESS = """() => [...document.querySelectorAll("input, select, button, a, summary, [role]")]
  .filter((each) => !(each.labels?.length || each.ariaLabel || each.textContent.trim() || each.ariaHidden))
  .map((each) => each.outerHTML)"""
SMALL = """() => [...document.querySelectorAll("button, input, select, summary")]
  .filter((each) => each.offsetParent && Math.min(each.offsetWidth, each.offsetHeight) < 44)
  .map((each) => `${each.outerHTML} ${each.offsetWidth}x${each.offsetHeight}`)"""
CLIPPED = """() => [...document.querySelectorAll("#page *")]
  .filter((each) => each.offsetParent && !["INPUT", "SELECT"].includes(each.tagName) && each.children.length === 0)
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline")
  .filter((each) => !each.closest(".unseen")).map((each) => each.outerHTML)"""
SMALLEST_TYPE = """() => Math.min(...[...document.querySelectorAll("#page *")]
  .map((each) => parseFloat(getComputedStyle(each).fontSize)))"""
VIEWS = ["", "#attacker=0.3", "#attacker=0.3&target=1.1&with=aiming"]


SIZES = [(PHONE, "dark"), (DESK, "light"), *proof((PHONE, "light"), (DESK, "dark"))]


@pytest.mark.parametrize(("size", "scheme"), SIZES)
def test_everything_has_a_name_a_size_and_a_place_and_axe_finds_nothing(visit, table, calculator, size, scheme):
    axe = bring("axe_playwright_python.sync_playwright").Axe()
    for path, link in [*((table, link) for link in VIEWS), (calculator, "#attacker=0.3&target=1.200")]:
        page = visit(path, size, link, color_scheme=scheme)
        page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate(SMALL) == []
        assert page.evaluate(CLIPPED) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert page.evaluate(SMALLEST_TYPE) >= 12
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()


SLOWER = 4  # a phone's processor, by the usual assumption
FIRST, LATER = 0.3, 0.1  # seconds
DESKTOP = 0.006  # seconds of a desktop's processor for `LOOP`
LOOP = """() => {
  const counts = {};
  for (let number = 0; number < 2e5; number++) counts[number % 97] = (counts[number % 97] ?? 0) + String(number).length;
}"""


def test_the_first_answer_and_every_later_one_are_quick(visit, table):
    """By the processor's time, because a busy machine takes more of the clock's, and compared with a fixed loop,
    because the processor of another machine, or one that shares its caches, is slower."""
    page = visit(table, PHONE, VIEWS[-1])
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    def cost(work):
        before = busy()
        work()
        return busy() - before

    def open_it():
        page.reload()
        page.locator("html.ready").wait_for()

    def quickest(work, times):
        """Seconds of work on a desktop: the quickest of some times, each beside the loop."""
        costs = [(cost(work), cost(lambda: page.evaluate(LOOP))) for _ in range(times)]
        work_cost, loop_cost = map(min, zip(*costs, strict=True))
        return work_cost * min(1, DESKTOP / loop_cost)

    assert SLOWER * quickest(open_it, 5) < FIRST
    assert SLOWER * quickest(lambda: page.evaluate(TOGGLED), 15) < LATER


TOGGLED = (
    """() => [...document.querySelectorAll(".how .chip")].find((each) => each.textContent === "Concealed").click()"""
)


@pytest.mark.parametrize("workers", ["typeof Worker", "globalThis.Worker = undefined"], ids=["worker", "none"])
def test_charge_and_duel_are_those_of_python(visit, table, workers):
    page = visit(table, DESK)
    page.evaluate(workers)
    choose(page, RIFLES, GRENADIERS)
    found = analyser.charge(SHARP_RIFLES, SCIONS)
    assert shares(page, "charge") == [
        percent(found.probability(name)) for name in ("attacker_wins", "draw", "target_wins")
    ]
    assert [row[0] for row in rows_of(page, "charge")] == [
        percent(found.probability(f"{side}_annihilated")) for side in ("attacker", "target")
    ]
    found = analyser.duel(SHARP_RIFLES, SCIONS, distance=12)
    assert shares(page, "duel") == [percent(found.probability(name)) for name in ("a_wins", "draw", "b_wins")]
    assert [row[0] for row in rows_of(page, "duel")] == [
        percent(found.probability(f"{side}_annihilated")) for side in ("a", "b")
    ]
    # as they stand, and with what belongs to a charge alone
    page.get_by_role("button", name=f"Models of {GRENADIERS}: one less").click()
    part = page.locator("[data-key=charge]")
    part.locator("summary").click()
    part.get_by_role("button", name="Supported").click()
    page.wait_for_function("document.querySelector('[data-key=charge] [aria-pressed=true]')")
    found = analyser.charge({"unit": SHARP_RIFLES}, {"unit": SCIONS, "models": 11}, supported=True)
    wanted = [percent(found.probability(name)) for name in ("attacker_wins", "draw", "target_wins")]
    page.locator("[data-key=charge] .three b").first.filter(has_text=wanted[0]).wait_for()
    assert shares(page, "charge") == wanted


def shares(page, kind):
    bold = page.locator(f"[data-key={kind}] .three b")
    bold.first.wait_for()
    return bold.all_inner_texts()


def rows_of(page, kind):
    rows = page.locator(f"[data-key={kind}] tbody tr")
    return [rows.nth(place).locator("td").all_inner_texts() for place in range(rows.count())]


def test_a_shot_and_a_charge_stand_side_by_side_without_scrolling(visit, table):
    """Charge or shoot, at eight inches: two taps and a slider."""
    page = visit(table, PHONE)
    choose(page, RIFLES, GRENADIERS)
    page.locator("#slide-distance").fill("8")
    rows = page.locator("[data-key=ways] tbody tr")
    rows.nth(1).locator("td", has_text=".").first.wait_for()
    box = rows.nth(1).bounding_box()
    assert box["y"] + box["height"] <= PHONE[1]
    both = [Situation(name="here", distance=8), "charge"]
    frame = analyser.matchups(SHARP_RIFLES, SCIONS, situations=both).frame
    shares = frame[["mean_share_lost", "attacker_share_lost"]].fillna(0.0).to_numpy()
    points = (shares * [analyser.Profiles()[each].level.points for each in (SCIONS, SHARP_RIFLES)]).ravel()
    cells = [float(each) for each in rows.locator("td").all_inner_texts() if each]
    assert cells[:4] == pytest.approx(points.tolist(), abs=0.051)


def test_the_targets_stand_by_the_points_that_they_lose(visit, table):
    page = visit(table, PHONE)
    page.locator(".attackers .card", has=page.get_by_text(RIFLES, exact=True)).click()
    page.locator("#slide-distance").fill("8")
    page.wait_for_function("!document.querySelector('.targets .wait, .targets .card:not(:has(.chance))')")
    taken = [float(text.split()[0]) for text in page.locator(".targets .odds strong").all_inner_texts()]
    assert taken == sorted(taken, reverse=True)
    assert taken[0] > taken[-1]


def test_who_shoots_an_enemy_best_and_with_which_row(visit, table):
    """Two taps, and within two screens of a phone; a tap on the best takes its attack."""
    page = visit(table, PHONE)
    choose(page, RIFLES, GRENADIERS)
    rows = page.locator("[data-key=shooters] .pick")
    rows.first.wait_for()
    box = rows.first.bounding_box()
    assert box["y"] + box["height"] <= 2 * PHONE[1]
    mine = [unit.loadout.selector for unit in analyser.load_army(CROWN)]
    frame = analyser.matchups(mine, [SCIONS], situations=[Situation(name="here", distance=12)]).frame
    most = frame.loc[frame["mean_share_lost"].idxmax()]
    row = analyser.Profiles()[most["attacker"]].unit.row(most["row"]).name
    points = float(rows.first.locator(".small.n").inner_text().split()[0])
    assert points == pytest.approx(most["mean_share_lost"] * most["defender_points"], abs=0.051)
    assert rows.first.locator("span .small").inner_text().strip() == row
    rows.first.click()
    assert page.locator(".answer .pool").inner_text().startswith(row)


def test_the_enemys_answer_and_the_best_target_are_those_of_python(visit, table):
    page = visit(table, DESK)
    choose(page, RIFLES, GRENADIERS)
    back = analyser.attack({"attacker": SCIONS, "distance": 12}, {"unit": SHARP_RIFLES})
    page.locator("[data-key=back] .middling").wait_for()
    assert page.locator("[data-key=back] .middling").inner_text() == percent(back.probability("annihilated"))
    rows = page.locator("[data-key=best] .pick")
    rows.first.wait_for()
    points = [float(each.split()[0]) for each in rows.locator(".small.n").all_inner_texts()]
    assert points == sorted(points, reverse=True)
    rows.first.click()
    assert page.locator(".targets .card[aria-pressed=true] b").inner_text() in page.title()


def test_it_works_in_the_frame_of_a_notebook_which_keeps_nothing(visit, browser, tmp_path):
    page = analyser.explore(SHARP_RIFLES, SCIONS)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><html class=ready><title>x</title>{page._repr_html_()}", encoding="utf-8")
    frame = visit(path, DESK).frame_locator("iframe")
    frame.locator(".answer .big strong").wait_for()
    assert frame.locator(".answer .big strong").inner_text() == percent(exact().probability("annihilated"))
    frame.locator(".how").get_by_role("button", name="Aiming").click()
    assert frame.locator(".answer .big strong").inner_text() == percent(exact(aiming=True).probability("annihilated"))


def test_a_duel_begins_at_the_distance_of_the_page_and_its_tactics_can_be_chosen(visit, table):
    page = visit(table, DESK)
    choose(page, RIFLES, GRENADIERS)
    part, slider = page.locator("[data-key=duel]"), page.locator("#slide-distance")
    part.locator("summary").click()
    tactic = part.get_by_label("Tactic").first
    for change, terms in (
        (lambda: slider.fill("18"), {"distance": 18}),
        (lambda: slider.fill("12"), {"distance": 12}),
        (lambda: tactic.select_option("charge"), {"distance": 12, "policy_a": "charge"}),
    ):
        change()
        found = analyser.duel(SHARP_RIFLES, SCIONS, **terms)
        wanted = [percent(found.probability(name)) for name in ("a_wins", "draw", "b_wins")]
        part.locator(".three b").first.filter(has_text=wanted[0]).wait_for()
        assert shares(page, "duel") == wanted
        assert "Rounds played: 6." in part.inner_text()
