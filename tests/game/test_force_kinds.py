"""What army lists may hold: scales, kinds of battlegroup, slots, and who stands in them."""

import tomllib

import pytest

import analyser

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
        "                          spitfire-rocketeers, rifle-platoon (up to 2)",
        "forlorn-hope                15  up to 1           -",
    ):
        assert line in TEXT.splitlines()
    assert "  crown " not in TEXT  # a slot of any number of units that stand in another


@pytest.mark.parametrize("faction", [None, *analyser.load_profiles().factions])
def test_no_line_is_wider_than_a_terminal(faction):
    assert max(map(len, str(analyser.army_kinds(faction)).splitlines())) <= 80


def test_a_list_that_begins_as_it_is_told_is_one():
    begun = TEXT.partition("Start of an army list written by hand:")[2].partition("In each")[0]
    unit = '[[unit]]\nunit = "rifle-platoon@basic"\nbattlegroup = "First"\n'
    army = analyser.load_army(tomllib.loads(begun + unit))
    assert (army.faction, army.battlegroups, army.warnings) == ("crown", {"First": "faction"}, ())
