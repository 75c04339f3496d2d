"""The profile library: files, selectors, and the factions that ship."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from analyser.common.errors import InputError
from analyser.game.profiles import Profiles, load_profiles, shipped_profiles
from analyser.game.units import attack_dice
from tests.helpers.unit_files import unit_file

UNIT = """
[[unit]]
id = "{id}"
name = "Otter"
type = "infantry"
category = "light"
defence = 2
damage_limit = 1
levels = {{ basic = {{ models = 3 }}{more} }}
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a faction of three units, one of them at two levels."""
    units = UNIT.format(id="otter-guard", more=", reinforced = { models = 6 }")
    units += UNIT.format(id="otter-riders", more="") + UNIT.format(id="heron", more="")
    (tmp_path / "river.toml").write_text('format = 1\nid = "river"\nname = "River"\n' + units)
    (tmp_path / "ruleset.toml").write_text("die = { strike = 1 }")
    return tmp_path


@pytest.fixture(scope="module")
def shipped():
    return load_profiles()


@pytest.mark.parametrize(
    "selector",
    ["riv/guard@bas", "river / otter-guard @ basic", "river otter guard basic", "riv/otter guard basic"],
)
def test_a_selector_forgives_case_spaces_and_unambiguous_shortening(folder, selector):
    assert Profiles(folder).loadout(selector).selector == "river/otter-guard@basic"


def test_the_level_of_a_unit_with_only_one_may_be_left_out(folder):
    assert load_profiles(folder).loadout("heron").level.models == 3


@pytest.mark.parametrize(
    ("selector", "parts"),
    [
        ("river/otter@basic", ["more than one unit", "otter-guard, otter-riders"]),
        ("river/hreon@basic", ["no unit is called 'hreon'", "did you mean 'heron'"]),
        ("rover/heron@basic", ["no faction is called 'rover'", "'river'"]),
        ("river/heron@full", ["no level is called 'full'", "basic"]),
        ("river/otter-guard", ["the level is missing", "basic, reinforced"]),
        ("river/@basic", ["the unit is missing"]),
    ],
)
def test_a_wrong_selector_gets_the_nearest_names(folder, selector, parts):
    with pytest.raises(InputError) as error:
        Profiles(folder).loadout(selector)
    for part in [repr(selector), *parts]:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("selector", "parts"),
    [
        ("crown/rifl-x", ["did you mean 'rifle-platoon' or 'sharp-rifles' or 'rifle-command-platoon'?"]),
        ("crown/foo", ["'foo' (allowed: one of 19 units; analyser units crown lists them)"]),
        ("foo", ["'foo' (allowed: one of 98 units; analyser units lists them)"]),
        ("Crown@basic", ["crown is a faction (allowed: one of its units, such as crown/rifle-command-platoon;"]),
    ],
)
def test_a_wrong_selector_of_many_units_gets_what_lists_them(shipped, selector, parts):
    with pytest.raises(InputError) as refused:
        shipped.unit(selector)
    for part in parts:
        assert part in str(refused.value)


def test_wildcards_find_many_in_the_order_of_the_file(folder):
    found = [each.selector for each in Profiles(folder).matching("river/otter*")]
    assert found == ["river/otter-guard@basic", "river/otter-guard@reinforced", "river/otter-riders@basic"]
    assert len(Profiles(folder).matching("*/*@basic")) == 3
    assert Profiles(folder).matching("RIV/otter*@basic") == Profiles(folder).matching("river/otter*@basic")
    for guards in ("river/otter-g@*", "otter guard@*", "otter-g*"):  # the unit in short, in words, without its faction
        assert [each.selector for each in Profiles(folder).matching(guards)] == found[:2]
    with pytest.raises(InputError, match="fits no loadout"):
        Profiles(folder).matching("river/lynx*")
    with pytest.raises(InputError, match="no faction is called 'lake'"):
        Profiles(folder).matching("lake/*")


def test_a_folder_that_is_missing_or_empty_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        Profiles(tmp_path / "none")
    with pytest.raises(InputError, match="no unit files"):
        _ = Profiles(tmp_path).factions


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        ("defence = 2", "defense = 2", ["unit.0", "unknown key", "did you mean 'defence'"]),
        ("defence = 2", "defence = 0", ["unit.0.defence", "0 is not usable", "1 to 100"]),
        ('"infantry"', '"infantrie"', ["unit.0.type", "did you mean 'infantry'"]),
        ("format = 1", "format = 2", ["format", "2 is not usable"]),
        ("format = 1", "format = ", ["broken TOML", "line 1"]),
        ('"otter-riders"', '"otter-guard"', ["two units have the id 'otter-guard'"]),
    ],
)
def test_a_wrong_profile_file_is_refused_with_file_and_key(folder, before, after, parts):
    path = folder / "river.toml"
    path.write_text(path.read_text().replace(before, after, 1))
    with pytest.raises(InputError) as error:
        _ = Profiles(folder).factions
    for part in [str(path), *parts]:
        assert part in str(error.value)


def test_five_factions_ship(shipped):
    counts = {
        name: (
            len(faction.units),
            sum(len(unit.levels) for unit in faction.units),
            sum(len(unit.rows) for unit in faction.units),
        )
        for name, faction in shipped.factions.items()
    }
    assert counts == {
        "commonwealth": (18, 50, 46),
        "crown": (19, 53, 53),
        "empire": (19, 53, 54),
        "enlightened": (20, 56, 45),
        "imperium": (22, 62, 59),
    }


def test_every_shipped_loadout_is_found_by_its_own_selector_and_has_dice(shipped):
    for loadout in shipped:
        assert shipped.loadout(loadout.selector) == loadout
        assert loadout.level.points
        damage_or_models = 0 if "behemoth" in loadout.unit.traits else loadout.level.models
        for row in loadout.unit.rows:
            assert attack_dice(row, damage_or_models) > 0


def test_every_shipped_name_is_spelled_as_the_rules_spell_it_but_for_one_that_they_do_not_have(shipped):
    unknown = set()
    for faction in shipped.factions.values():
        for unit in faction.units:
            for keyword in (*unit.rules, *(each for row in unit.rows for each in row.qualities)):
                if keyword.term is None:
                    unknown.add(keyword)
                assert keyword.canonical == keyword
    assert unknown == {"Containment Chambers"}


def test_the_corrections_stand_in_the_shipped_files_each_with_its_comment(shipped):
    assert shipped.loadout("crown/sharp-rifles@basic").unit.rows[0].long_range == 32
    for name in ("kheshig-sky-cutter-wings", "kheshig-sky-cutter-command-wings"):
        assert shipped.loadout(f"commonwealth/{name}@basic").unit.category == "aerial"
    guard, striders = (
        shipped["empire/green-banner-guard-platoon@basic"],
        shipped["enlightened/strider-cav-cohort@basic"],
    )
    assert [attack_dice(guard.unit.rows[0], models) for models in (8, 16, 24)] == [4, 8, 12]
    assert [(each.models, each.victory_points) for each in striders.unit.levels.values()] == [(4, 2), (8, 3), (12, 4)]
    comments = {path.stem: path.read_text().count("# corrected by hand") for path in shipped_profiles().glob("*.toml")}
    none = {"imperium": 0, "ruleset": 0, "forces": 0}
    assert comments == {"crown": 1, "commonwealth": 2, "empire": 2, "enlightened": 1, **none}


def test_a_unit_spot_checked_by_hand(shipped):
    unit = shipped.loadout("crown/drake-field-guns@full-strength").unit
    row = unit.row("ranged-light")
    assert (unit.type, unit.defence, unit.break_limit, unit.rules) == ("field gun", 2, 1, ("Emplacement", "Static"))
    assert [attack_dice(row, models, special=True) for models in (4, 8, 12)] == [8, 13, 17]
    assert (row.short_range, row.long_range, row.qualities) == (12, 26, ("Point Blank",))


def test_a_library_is_read_once_a_process_and_anew_when_a_file_has_changed(folder):
    def otters() -> int:
        return load_profiles(folder).loadout("river/otter-guard@basic").unit.defence

    before = otters()
    text = (folder / "river.toml").read_text()
    for more in (1, 2, 3):  # faster than time stamps go on, and files of one length
        (folder / "river.toml").write_text(text.replace(f"defence = {before}", f"defence = {before + more}"))
        assert otters() == before + more
    (folder / "river.toml").write_text(text)
    for path in folder.glob("*.toml"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert load_profiles(folder) is load_profiles(folder)
    with ThreadPoolExecutor(8) as pool:
        assert len({id(each) for each in pool.map(load_profiles, [folder] * 64)}) == 1
    os.utime(folder / "river.toml", (1_000_000_001, 1_000_000_001))
    assert load_profiles(folder) is load_profiles(folder)


def test_a_faction_in_two_files_is_refused(folder):
    (folder / "copy.toml").write_text((folder / "river.toml").read_text())
    with pytest.raises(InputError, match=r"the same faction 'river' as in .*copy\.toml"):
        _ = Profiles(folder).factions


@pytest.mark.parametrize("name", ["..", "ruleset", "forces", "a.b", ""])
def test_no_other_file_is_taken_for_a_faction(folder, name):
    with pytest.raises(InputError):
        Profiles(folder).loadout(f"{name}/otter-guard@basic" if name else "/perch@basic")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('qualities = ["Ark"]', "'Ark' is unknown; did you mean 'Arc'?"),
        ('rules = ["Durabel"]', "'Durabel' is unknown; did you mean 'Durable'?"),
    ],
)
def test_a_misspelt_keyword_of_a_profile_is_refused_with_the_nearest_name(tmp_path, text, told):
    rows, rules = ("\n" + text, "") if "qualities" in text else ("", text)
    unit = unit_file("oak", 2, {"basic": (10, 60)}, 12, 6, more=rules)
    unit = unit.replace("[[unit.rows]]", f"[[unit.rows]]{rows}", 1)
    (tmp_path / "wood.toml").write_text(f'format = 1\nid = "wood"\nname = "Wood"\n{unit}', encoding="utf-8")
    with pytest.raises(InputError) as refused:
        list(Profiles(tmp_path))
    assert told in str(refused.value)
    assert "wood.toml" in str(refused.value)
