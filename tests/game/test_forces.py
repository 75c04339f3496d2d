"""Force building in profile files: battlegroups, places, boons, and what is the same for all factions."""

import pytest

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.forces import ForceRules, Limits
from analyser.game.profiles import Profiles, load_profiles, shipped_profiles
from analyser.game.units import Faction

UNIT = {"id": "otter", "name": "Otter", "type": "infantry", "category": "light", "defence": 2, "damage_limit": 1}
UNIT["levels"] = {"basic": {"models": 3, "entry": "e-1"}}
UNIT["battlegroups"] = {"faction": {"slots": ["infantry"], "most": 2}}
BATTLEGROUP = {"id": "faction", "name": "Faction", "slots": {"infantry": {"name": "Infantry", "least": 1, "most": 5}}}
RIVER = {"format": 1, "id": "river", "name": "River", "battlegroup": [BATTLEGROUP], "unit": [UNIT]}
SCALE = {"least_points": 500, "most_points": 1500, "hand": 4, "table": [36, 48]}


def test_a_faction_has_battlegroups_and_its_units_places_in_them():
    faction = checked(Faction, RIVER)
    place = faction.units[0].battlegroups["faction"]
    assert (place.slots, place.least, place.most) == (("infantry",), 0, 2)
    assert faction.battlegroups[0].slots["infantry"].allow(5)
    assert not faction.battlegroups[0].slots["infantry"].allow(6)
    assert (faction.units[0].in_force, faction.units[0].levels["basic"].entry) == (Limits(), "e-1")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"facton": {}}, r"otter: battlegroup 'facton'; did you mean 'faction'\? \(allowed: faction\)"),
        ({"faction": {"slots": ["cavalry"]}}, r"otter: slot of faction 'cavalry' \(allowed: infantry\)"),
        ({"faction": {"least": 3, "most": 2}}, "least 3 is more than most 2"),
        ({"faction": {"most": -1}}, "-1 is not usable"),
        ({"Faction": {}}, "Faction"),
    ],
)
def test_a_place_that_cannot_be_is_refused(place, message):
    with pytest.raises(InputError, match=message):
        checked(Faction, RIVER | {"unit": [UNIT | {"battlegroups": place}]})


def test_two_battlegroups_and_two_boons_of_one_id_are_refused():
    with pytest.raises(InputError, match="two battlegroups have the id 'faction'"):
        checked(Faction, RIVER | {"battlegroup": [BATTLEGROUP, BATTLEGROUP]})
    boon = {"id": "maps", "name": "Maps", "points": 5}
    with pytest.raises(InputError, match="two boons have the id 'maps'"):
        checked(Faction, RIVER | {"boon": [boon, boon]})


def test_every_shipped_unit_stands_in_some_battlegroup_and_can_be_found_by_its_entry():
    entries = []
    for faction in load_profiles().factions.values():
        assert faction.entry
        entries += [each.entry for each in (*faction.units, *faction.battlegroups, *faction.boons)]
        for unit in faction.units:
            assert unit.battlegroups
            entries += [level.entry for level in unit.levels.values()]
            for name, place in unit.battlegroups.items():
                (battlegroup,) = (each for each in faction.battlegroups if each.id == name)
                assert place.slots[0] in battlegroup.slots
    assert all(entries)
    assert len(set(entries)) == len(entries)


def test_the_rules_of_the_set_up_are_the_same_for_all_factions():
    rules = load_profiles().force_rules
    scales = {name: (each.least_points, each.most_points, each.hand, each.table) for name, each in rules.scales.items()}
    assert scales == {
        "skirmish": (500, 1500, 4, (36, 48)),
        "battle": (1500, 2500, 5, (48, 48)),
        "cataclysm": (2500, 4000, 6, (48, 48)),
    }
    assert [rules.on_table(units) for units in (0, 1, 2, 5)] == [0, 1, 1, 3]
    assert (rules.led_by, rules.always_in_reserve, rules.passengers) == ("commander", ("aircraft",), ("infantry",))


def test_a_folder_may_have_force_rules_of_its_own(tmp_path):
    (tmp_path / "river.toml").write_text('format = 1\nid = "river"\nname = "River"\n')
    before = Profiles(tmp_path).used
    assert Profiles(tmp_path).force_rules == load_profiles().force_rules
    text = (shipped_profiles() / "forces.toml").read_text().replace("least_points = 500", "least_points = 400")
    (tmp_path / "forces.toml").write_text(text)
    assert Profiles(tmp_path).force_rules.scales["skirmish"].least_points == 400
    assert list(Profiles(tmp_path).factions) == ["river"]
    assert Profiles(tmp_path).used != before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": [36]}, "1 sides of a table .allowed: two, in inches"),
        ({"hand": -1}, "-1 is not usable"),
        ({"points": 3}, "unknown key"),
        ({"least_points": 2000}, "least_points 2000 is more than most_points 1500"),
    ],
)
def test_a_scale_that_cannot_be_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        checked(ForceRules, {"format": 1, "scales": {"skirmish": SCALE | changes}})


def test_what_a_transport_carries_falls_with_its_models():
    profiles = load_profiles()
    assert profiles["crown/tristan-assault-transports@basic"].capacity == 8
    assert profiles["crown/tristan-assault-transports@full-strength"].capacity == 24
    assert profiles["crown/rifle-platoon@basic"].capacity == 0
