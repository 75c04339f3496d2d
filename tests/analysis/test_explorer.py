"""The page of sliders and menus, driven as a hand would, without a browser."""

import pytest

import analyser
from analyser.analysis.explorer import ATTACK_CONDITIONS, TARGET_CONDITIONS
from analyser.common.errors import InputError
from tests.oracle.small_profiles import write_profiles

pytestmark = pytest.mark.slow

RIFLES, SCIONS = "crown/rifle-platoon@reinforced", "imperium/scion-grenadier-platoon@reinforced"


@pytest.fixture
def page():
    return analyser.explore(RIFLES, SCIONS)


def test_it_starts_with_the_units_asked_for_and_shows_them(page):
    assert page.heading == f'{RIFLES} on {SCIONS} at 10": ranged-light, 12 dice, neutral rating'
    assert (
        page.table
        == analyser.compare(
            [RIFLES, "crown/rifle-platoon@basic", "crown/rifle-platoon@full-strength"], SCIONS, distance=10
        )._repr_html_()
    )
    assert all(picture.startswith(b"\x89PNG") for picture in page.pictures)


def test_every_control_changes_what_is_shown(page):
    for name, value in [
        ("attacker_level", "basic"),
        ("aiming", True),
        ("target_level", "full-strength"),
        ("concealed", True),
        ("taking_cover", True),
        ("attacker_suppressed", True),
        ("garrisoned", True),
        ("distance", 6.5),
    ]:
        before = page.table, page.pictures, page.heading
        page.controls[name].value = value
        assert (page.table, page.pictures, page.heading) != before, name


def test_conditions_are_those_of_the_scenario(page):
    for name in ("aiming", "target_suppressed", "from_front"):
        page.controls[name].value = True
    page.controls["distance"].value = 7
    levels = [RIFLES, "crown/rifle-platoon@basic", "crown/rifle-platoon@full-strength"]
    target = {"unit": SCIONS, "suppressed": True, "from_front": True}
    assert page.table == analyser.compare(levels, target, distance=7, bonuses=["aiming"])._repr_html_()


def test_there_is_a_control_for_everything(page):
    assert len(page.controls) == 8 + len(ATTACK_CONDITIONS) + len(TARGET_CONDITIONS)


def test_a_new_unit_brings_its_own_levels_and_rows(page):
    page.controls["attacker_unit"].value = "monarch-landship"
    assert list(page.controls["attacker_level"].options) == ["full-strength"]
    assert "ranged-light-heavy" in page.controls["row"].options
    page.controls["row"].value = "ranged-light-heavy"
    assert "ranged-light-heavy" in page.heading


def test_a_new_faction_brings_its_own_units(page):
    page.controls["target_faction"].value = "commonwealth"
    units = [value for _, value in page.controls["target_unit"].options]
    assert units == [unit.id for unit in analyser.load_profiles().factions["commonwealth"].units]
    assert page.controls["target_unit"].value == units[0]
    assert f"on commonwealth/{units[0]}@" in page.heading or "cannot" in page.heading


def test_an_attack_that_cannot_be_made_says_why_and_the_page_goes_on(page):
    page.controls["distance"].value = 40
    assert page.heading.startswith("This attack cannot be made: ")
    assert "its long range is 14, and the distance 40" in page.heading
    assert page.table == ""
    assert page.pictures == (b"", b"")
    assert [each.layout.display for each in page._page.children[-1].children] == ["none", "none"]
    page.controls["distance"].value = 10
    assert page.pictures[0]
    assert [each.layout.display for each in page._page.children[-1].children] == [None, None]


def test_own_profiles(tmp_path):
    library = analyser.load_profiles(write_profiles(tmp_path / "profiles"))
    page = analyser.explore("river/otter@basic", "river/otter@basic", profiles=library)
    assert page.heading.startswith("river/otter-guard@basic on river/otter-guard@basic")


def test_it_shows_itself_in_a_notebook_and_says_what_it_is_elsewhere(page):
    shown = page._repr_mimebundle_()
    data = shown[0] if isinstance(shown, tuple) else shown
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == repr(page)
    assert repr(page).startswith(f"Explorer: {RIFLES} on {SCIONS}")


def test_a_selector_that_fits_nothing_is_told():
    with pytest.raises(InputError, match="no unit is called 'rifel'"):
        analyser.explore("crown/rifel@basic", SCIONS)
