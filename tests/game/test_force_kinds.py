"""What army lists may hold: scales, kinds of battlegroup, slots, and who stands in them."""

import tomllib

import pytest

import analyser
from analyser import InputError
from analyser.game.profiles import Profiles

TEXT = str(analyser.army_kinds("crown"))


def test_every_place_of_every_unit_stands_under_its_slots():
    library = analyser.load_profiles()
    rows = {(row["faction"], row["battlegroup"], row["slot"]): row for row in analyser.army_kinds().rows()}
    places = [
        (faction.id, name, slot, unit.id)
        for faction in library.factions.values()
        for unit in faction.units
        for name, place in unit.battlegroups.items()
        for slot in place.slots
    ]
    assert len(places) > 250
    for *row, unit in places:
        assert unit in rows[tuple(row)]["units"].split("; ")
    assert sum(len(row["units"].split("; ")) for row in rows.values() if row["units"]) == len(places)


def test_limits_are_those_of_the_profiles():
    record = analyser.army_kinds("crown").as_dict()
    assert record["scales"]["battle"] == {"least_points": 1500, "most_points": 2500, "hand": 5, "table": [48, 48]}
    (crown,) = record["factions"]
    own = crown["battlegroups"][0]
    slots = {slot["slot"]: slot for slot in own["slots"]}
    assert (own["battlegroup"], own["bonus"], own["least"], own["most"]) == ("faction", "Lionhearted", 0, None)
    assert (slots["infantry"]["least"], slots["infantry"]["most"]) == (1, 5)
    assert {"unit": "rifle-platoon", "least": 0, "most": 2} in slots["infantry"]["units"]
    assert {boon["boon"]: boon["points"] for boon in crown["boons"]}["mad-minute"] == 20


def test_a_faction_is_told_in_full():
    for line in (
        'skirmish   500 to 1,500                4  36" × 48"',
        'faction = "crown"',
        "faction: Crown Faction Battlegroup; any number in a force; its commander brings",
        "Lionhearted",
        "  commander  exactly 1  rifle-command-platoon, sovereign-landship",
        "                        spitfire-rocketeers, rifle-platoon (up to 2)",
        "forlorn-hope                15  up to 1           -",
    ):
        assert line in TEXT.splitlines()
    assert "  crown " not in TEXT  # a slot of any number of units that stand in another


@pytest.mark.parametrize("faction", [None, *analyser.load_profiles().factions])
def test_no_line_is_wider_than_a_terminal(faction):
    assert max(map(len, str(analyser.army_kinds(faction)).splitlines())) <= 80


def test_a_list_that_begins_as_it_is_told_is_one():
    begun = TEXT.partition("So begins a list by hand:")[2].partition("Then each")[0]
    unit = '[[unit]]\nunit = "rifle-platoon@basic"\nbattlegroup = "First"\n'
    army = analyser.load_army(tomllib.loads(begun + unit))
    assert (army.faction, army.battlegroups, army.warnings) == ("crown", {"First": "faction"}, ())


def test_all_factions_are_told_with_their_kinds():
    text = str(analyser.army_kinds())
    kinds = [(each.id, kind.id) for each in analyser.load_profiles().factions.values() for kind in each.battlegroups]
    assert "A force may hold any number of a kind" in text
    assert [tuple(line.split()[:2]) for line in text.splitlines() if line.startswith(tuple(dict(kinds)))] == kinds


def test_a_faction_that_is_none_is_told_the_nearest():
    with pytest.raises(InputError, match=r"no faction is called 'crwn'; did you mean 'crown'\?"):
        analyser.army_kinds("crwn")


def test_a_faction_without_order_of_battle_and_long_names_have_a_table_too(tmp_path):
    slot, unit = "s" * 79, "u" * 70
    (tmp_path / "bare.toml").write_text('format = 1\nid = "bare"\nname = "Bare"\n')
    (tmp_path / "river.toml").write_text(
        f"""format = 1
id = "river"
name = "River"
[[battlegroup]]
id = "bank"
name = "Bank"
most = 2
[battlegroup.slots]
{slot} = {{name = "Long", most = 3}}
[[unit]]
id = "{unit}"
name = "Otter"
type = "infantry"
category = "light"
defence = 2
damage_limit = 1
levels = {{basic = {{models = 3}}}}
battlegroups = {{bank = {{slots = ["{slot}"]}}}}
[[unit]]
id = "heron"
name = "Heron"
type = "infantry"
category = "light"
defence = 2
damage_limit = 1
levels = {{basic = {{models = 3}}}}
battlegroups = {{bank = {{}}}}
"""
    )
    library = Profiles(tmp_path)
    assert "[battlegroups]" not in str(analyser.army_kinds("bare", library))
    assert "bank         Bank (up to 2 in a force)" in str(analyser.army_kinds(None, library))
    text = str(analyser.army_kinds("river", library))
    assert "bank: Bank; up to 2 in a force" in text
    assert slot in text
    assert f"{unit} (any number)" in " ".join(text.split())
    assert "in no slot" in text
    assert f"Levels of units: analyser units river --profiles {tmp_path}" in text.splitlines()
