"""The calculator in a browser: search, units of one's own, one more of each number, two loadouts side by side."""

import pytest

import analyser
from analyser.game.profiles import Profiles
from tests.helpers.table_page import DESK, PHONE, chance, percent

pytestmark = pytest.mark.slow

RIFLES, GRENADIERS = "crown/rifle-platoon@reinforced", "imperium/scion-grenadier-platoon@reinforced"
CITIZENS, TANKS = "enlightened/citizen-soldier-contingent@basic", "crown/galahad-main-battle-tanks@basic"
AT = {"distance": 12}
SHARES = 8  # of the qualities and rules, of which two are tried each day


@pytest.fixture(scope="module")
def calculator(tmp_path_factory):
    return analyser.explore(RIFLES, GRENADIERS).save(tmp_path_factory.mktemp("calculator") / "calculator.html")


@pytest.fixture
def page(visit, calculator):
    return visit(calculator, DESK)


@pytest.fixture(scope="module")
def units():
    profiles = Profiles()
    return profiles[RIFLES], profiles[GRENADIERS]


def attack(attacker, target):
    return analyser.attack({"attacker": attacker, **AT}, {"unit": target})


def editor(page, role):
    part = page.locator(f"[data-key='edit {role}']")
    if part.get_attribute("open") is None:
        part.locator("summary").click()
    return part


def typed(page, role, name, value):
    editor(page, role).locator(f"[data-key='{role} {name}'] input[type=number]").fill(str(value))


def test_a_unit_is_found_by_its_words(visit, calculator):
    page = visit(calculator, PHONE, "#attacker=0.0")
    page.get_by_placeholder("Search units").fill("krupp gun")
    assert page.locator(".targets .card b").all_inner_texts() == ["Krupp Field Guns"]
    page.locator(".targets .card").click()
    page.get_by_role("button", name="Change sides").click()
    page.locator(".how").get_by_role("radio", name="Full-strength").first.click()
    krupp = Profiles()["imperium/krupp-field-guns@full-strength"]
    first = next(iter(Profiles()))
    assert chance(page) == percent(attack(krupp, first).probability("annihilated"))


@pytest.mark.parametrize(
    ("role", "name", "value", "changes"),
    [
        ("attacker", "dice", 2, {"dice": 2}),
        ("attacker", "veteran", 2, {"rules": "+Veteran (2)"}),
        ("target", "defence", 3, {"defence": 3}),
        ("target", "break_limit", 8, {"break_limit": 8}),
        ("target", "models", 8, {"models": 8}),
    ],
)
def test_a_number_of_a_unit_changes_the_answer_as_in_python(page, units, role, name, value, changes):
    typed(page, role, name, value)
    changed = dict(zip(("attacker", "target"), units))
    changed[role] = changed[role].with_(**changes)
    found = attack(**changed)
    assert chance(page) == percent(found.probability("annihilated"))
    assert page.locator(".answer .bars li").first.inner_text().endswith(percent(found.at_least(1)))
    mean = f"{found.summary['mean_models_destroyed']:.1f}".removesuffix(".0")
    assert mean in page.locator(".answer .figures").inner_text()


def test_a_changed_loadout_has_the_answer_of_python(visit, units, tmp_path):
    changed = units[0].with_(dice=3), units[1].with_(defence=3)
    page = visit(analyser.explore(*changed).save(tmp_path / "changed.html"), DESK)
    assert chance(page) == percent(attack(*changed).probability("annihilated"))


@pytest.mark.parametrize("seed", range(SHARES))
def test_every_quality_and_rule_that_can_be_marked_is_that_of_python(page, units, seed):
    for role in ("attacker", "target"):
        part = editor(page, role)
        for name in part.locator("fieldset .chip").all_inner_texts()[seed::SHARES]:
            part.get_by_role("button", name=name, exact=True).click()
            written = f"+{name} (Front)" if name == "Resilient" else f"+{name}"
            changes = {"qualities": written, "row": "ranged-light"} if role == "attacker" else {"rules": written}
            both = dict(zip(("attacker", "target"), units))
            both[role] = both[role].with_(**changes)
            found = attack(**both)
            shown = [page.locator(".answer .figures dd").nth(place).inner_text() for place in (0, 1)]
            assert shown == [percent(found.probability(event)) for event in ("suppressed", "broken")], name
            assert chance(page) == percent(found.probability("annihilated")), name
            part.get_by_role("button", name="Back to the printed unit").click()


def test_one_more_of_a_number_is_told(page, units):
    rifles, grenadiers = units
    now, more = attack(rifles, grenadiers), attack(rifles.with_(dice=1), grenadiers)
    text = editor(page, "attacker").locator("[data-key='attacker dice'] .small")
    text.filter(has_text="one more").wait_for()
    change = 100 * (more.probability("annihilated") - now.probability("annihilated"))
    assert f"one more: {percent(more.probability('annihilated'))} (+{change:.1f})" in text.inner_text()
    lost = float(page.locator(".answer .figures dd").last.inner_text().split()[0].split("of")[0])
    said = editor(page, "attacker").locator("[data-key='attacker points'] .small").inner_text()
    assert float(said.split()[7]) == pytest.approx(100 * lost / (rifles.level.points + 1), abs=0.15)


def test_a_unit_of_ones_own_has_a_name_and_is_in_the_link(visit, calculator, page, units):
    typed(page, "target", "defence", 4)
    page.locator("[data-set='called target']").fill("Iron <b>Guard</b>")
    page.locator("[data-set='called target']").press("Tab")
    found = attack(units[0], units[1].with_(defence=4))
    link = page.url
    other = visit(calculator, PHONE, link[link.index("#") :])
    assert "Iron <b>Guard</b>" in other.locator(".sides").inner_text()
    assert chance(other) == percent(found.probability("annihilated"))
    page.locator("[data-key='edit target']").get_by_role("button", name="Back to the printed unit").click()
    assert chance(page) == percent(attack(*units).probability("annihilated"))


def test_two_loadouts_stand_side_by_side(page, units):
    page.locator("[data-set=beside]").fill("Sharp Rifles, reinforced (Crown)")
    both = units[0], Profiles()["crown/sharp-rifles@reinforced"]
    results = [attack(each, units[1]) for each in both]
    rows = page.locator("[data-key=beside] tbody tr")
    rows.first.locator("td", has_text="%").nth(1).wait_for()
    cells = [rows.nth(place).locator("td").all_inner_texts() for place in range(rows.count())]
    assert cells[0] == [percent(each.probability("annihilated")) for each in results]
    assert cells[1] == [percent(each.probability("suppressed")) for each in results]
    means = [each.summary["mean_models_destroyed"] for each in results]
    assert [float(each) for each in cells[2]] == pytest.approx(means, abs=0.051)


def test_a_loadout_beside_is_found_by_its_words(page):
    part = page.locator("section[data-key=beside]")
    for words, shown in (("sharp rifles", "Sharp Rifles, basic"), ("zzz", "No unit has these words.")):
        part.locator("input").fill(words)
        part.get_by_text(shown).wait_for()
    assert part.locator("table").count() == 0


def linked(attacker, target, fight="", on_target="", on_attacker=""):
    keys = [loadout.selector for loadout in Profiles()]
    one, other = f"0.{keys.index(attacker)}", f"1.{keys.index(target)}"
    return f"#attacker={one}&target={other}&with=distance-5!{fight}&units={other}*{on_target}~{one}*{on_attacker}"


def test_a_charge_that_is_impossible_says_only_why(visit, calculator):
    for attacker, state, why in (
        ("imperium/krupp-field-guns@basic", "", "A Static unit cannot charge."),
        (RIFLES, "models-0", "This unit is gone."),
    ):
        page = visit(calculator, PHONE, linked(attacker, GRENADIERS, on_attacker=state))
        part = page.locator("[data-key=charge]")
        part.get_by_text(why, exact=True).wait_for()
        assert part.inner_text().split("\n\n") == ["Charge", why, "More conditions"]
    ways = page.locator("[data-key=ways]")
    assert "On average" not in ways.inner_text()


def test_a_unit_that_can_only_be_shot_at_is_told_of_no_reach(visit, calculator):
    link = linked("imperium/teutonic-armiger-crusaders@basic", "crown/defiance-fighter-squadron@basic")
    ways = visit(calculator, PHONE, link).locator("[data-key=ways]")
    ways.get_by_text("On average.", exact=True).wait_for()


@pytest.mark.parametrize(
    ("attacker", "target", "fight", "on_target", "attack_keys", "target_keys"),
    [
        (RIFLES, GRENADIERS, "overcharge!outside_front_arc!line_of_sight-none", "", {}, {}),
        (CITIZENS, TANKS, "overcharge", "", {"overcharge": True}, {}),
        (RIFLES, GRENADIERS, "", "models-3!exposed-9", {}, {"models": 3, "exposed": 3}),
        (RIFLES, GRENADIERS, "", "exposed-2.6!damage-4!models_without_room-1.5", {}, {"exposed": 3}),
        (RIFLES, GRENADIERS, "rating-toString", "exposed-0!models-99!suppressed-7!row-1.5!edge_distance-1e99", {}, {}),
        ("crown/drake-field-guns@basic", "imperium/sturmpanzer-battletanks@basic", "", "garrisoned", {}, {}),
    ],
)
def test_only_what_is_possible_counts(visit, calculator, attacker, target, fight, on_target, attack_keys, target_keys):
    page = visit(calculator, PHONE, linked(attacker, target, fight, on_target))
    found = analyser.attack({"attacker": attacker, "distance": 5, **attack_keys}, {"unit": target, **target_keys})
    assert chance(page) == percent(found.probability("annihilated"))
    shown = page.locator(".answer .figures dd").nth(0).inner_text()
    assert shown == percent(found.probability("suppressed"))


def test_a_condition_that_another_attacker_lacks_is_dropped_and_back_restores_it(visit, calculator):
    page = visit(calculator, PHONE, linked(CITIZENS, TANKS, "overcharge"))
    with_overcharge = chance(page)
    page.locator(".sides button[data-do='view attackers']").click()
    page.get_by_placeholder("Search units").fill("rifle platoon")
    page.locator(".attackers .card").first.click()
    assert "overcharge" not in page.url
    page.go_back()
    page.go_back()
    assert chance(page) == with_overcharge


@pytest.mark.parametrize(
    ("name", "value", "kept"), [("damage_limit", 0, 1), ("defence", 99, 8), ("models", 3.5, 4), ("models", 200, 18)]
)
def test_a_typed_number_is_kept_within_its_limits(page, units, name, value, kept):
    typed(page, "target", name, value)
    found = attack(units[0], units[1].with_(**{name: kept}))
    assert chance(page) == percent(found.probability("annihilated"))


def test_a_house_rule_is_named_and_counts_as_in_python(visit, tmp_path):
    library = Profiles(ruleset={"rules": {"Keen": {"dice": 3}}})
    keen = library[RIFLES].with_(rules="+Keen")
    path = analyser.table([keen], [GRENADIERS], profiles=library).save(tmp_path / "keen.html")
    page = visit(path, DESK)
    for side in (".attackers", ".targets"):
        page.locator(f"{side} .card").click()
    assert page.get_by_text("House rules of Rifle platoon: Keen.").is_visible()
    page.locator("#slide-distance").fill("12")
    assert chance(page) == percent(attack(keen, library[GRENADIERS]).probability("annihilated"))
