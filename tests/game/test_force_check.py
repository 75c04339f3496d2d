"""Force building: each rule, kept and broken; what cannot be checked is said."""

import pytest

import analyser
from analyser.game.force_check import RULES

COMMAND, RIFLES = "crown/rifle-command-platoon@reinforced", "crown/rifle-platoon@reinforced"
TANKS, FIGHTERS = "crown/monarch-landship@full-strength", "crown/defiance-fighter-squadron@basic"
LEGAL = [
    {"unit": COMMAND},
    {"unit": RIFLES, "count": 2},
    {"unit": "crown/sharp-rifles@full-strength"},
    {"unit": "crown/drake-field-guns@basic"},
    {"unit": "crown/black-watch-heavy-dragoons@reinforced"},
]


def broken(*units, **keys):
    """What is broken of an army in one battlegroup of the faction's own kind: rule and told, one by one."""
    units = [each | {"battlegroup": "First"} if "battlegroup" not in each else each for each in units]
    table = {"battlegroups": {"First": "faction"}, "scale": "skirmish", "unit": units} | keys
    return [(each.rule, each.text) for each in analyser.check_army(table).broken]


def test_an_army_that_may_be_fielded():
    assert broken(*LEGAL) == []
    assert analyser.check_army([{**each, "battlegroup": "faction"} for each in LEGAL])


@pytest.mark.parametrize(
    ("units", "keys", "rule", "told"),
    [
        (LEGAL[:2], {}, "FB-1", "250 points at the scale skirmish (allowed: 500 to 1,500)"),
        (LEGAL, {"scale": "battle"}, "FB-1", "(allowed: 1,500 to 2,500)"),
        (LEGAL, {"points_limit": 599}, "FB-2", "600 points (allowed: up to 599)"),
        (
            [*LEGAL, {"unit": "imperium/krupp-field-guns@basic"}],
            {},
            "FB-3",
            "krupp-field-guns@basic: a unit of imperium in an army of crown",
        ),
        (
            LEGAL,
            {"battlegroups": {"First": "hussars"}},
            "FB-4",
            "First: 'hussars' is not a kind of battlegroup of Crown",
        ),
        (LEGAL[1:], {}, "FB-5", "First: 0 of Commander (needs exactly 1)"),
        ([*LEGAL, {"unit": COMMAND}], {}, "FB-5", "First: 2 of Commander (needs exactly 1)"),
        (LEGAL[:1] + LEGAL[4:], {}, "FB-6", "First: 0 of Infantry (allowed: 1 to 5)"),
        ([*LEGAL, *LEGAL[3:4]], {}, "FB-6", "First: 2 of Field Gun (allowed: up to 1)"),
        ([*LEGAL, *LEGAL[2:3]], {}, "FB-7", "First: 2 of Sharp Rifles (allowed: up to 1)"),
        (LEGAL, {"battlegroups": {"First": "super-heavy"}}, "FB-7", "sharp-rifles@full-strength is not allowed in"),
        (LEGAL, {"boon": [{"boon": "forlorn-hope", "battlegroup": "First"}] * 2}, "FB-9", "First: 2 of Forlorn Hope"),
        ([each | {"reserve": True} for each in LEGAL], {}, "FB-10", "0 of 6 units on the table (allowed: 3 or more)"),
    ],
)
def test_each_rule_is_found_broken(units, keys, rule, told):
    found = broken(*units, **keys)
    assert rule in RULES
    assert any(number == rule and told in says for number, says in found), found


def test_a_kind_without_a_slot_for_a_commander_is_led_by_none():
    """So of two battlegroups without one the super-heavy one is not broken, and the faction's own is (FB-5)."""
    landship = {"unit": TANKS, "battlegroup": "Heavy"}
    (kind,) = [each for each in analyser.load_profiles().faction("crown").battlegroups if each.id == "super-heavy"]
    assert "commander" not in kind.slots
    told = broken(*LEGAL[1:], landship, battlegroups={"First": "faction", "Heavy": "super-heavy"})
    assert [where.partition(":")[0] for rule, where in told if rule == "FB-5"] == ["First"]
    assert "unless its kind has no slot for one" in RULES["FB-5"]


def test_units_in_no_battlegroup_are_named():
    found = analyser.check_army([COMMAND, RIFLES]).broken
    assert ("FB-4", "in no battlegroup: rifle-command-platoon@reinforced, rifle-platoon@reinforced") in [
        (each.rule, each.text) for each in found
    ]


def test_aircraft_count_as_units_that_are_not_on_the_table():
    assert [rule for rule, _ in broken({"unit": COMMAND}, {"unit": FIGHTERS}, {"unit": RIFLES})].count("FB-10") == 0
    assert [rule for rule, _ in broken({"unit": COMMAND}, *[{"unit": FIGHTERS}] * 2)].count("FB-10") == 1


def test_a_boon_needs_what_it_says():
    faction = next(each for each in analyser.load_profiles().factions.values() if any(b.needs for b in each.boons))
    boon = next(each for each in faction.boons if each.needs)
    unit = next(each for each in faction.units if not {*boon.needs} & {each.type, *each.traits})
    selector = f"{faction.id}/{unit.id}@{next(iter(unit.levels))}"
    group = faction.battlegroups[0].id
    table = {"unit": [{"unit": selector, "battlegroup": group}], "boon": [{"boon": boon.id, "battlegroup": group}]}
    assert any(each.rule == "FB-9" and "needs a unit of" in each.text for each in analyser.check_army(table).broken)


def test_what_cannot_be_checked_is_said():
    own = {"name": "Mine", "type": "infantry", "category": "light", "defence": 1, "damage_limit": 1, "models": 3}
    check = analyser.check_army([own])
    assert any("no faction 'unlisted'" in each for each in check.unchecked)
    check = analyser.check_army([RIFLES, own])
    assert "FB-7 and FB-8 for Mine: not among the profiles" in check.unchecked
    assert "the points of Mine: unknown" in check.unchecked
    assert "Not checked: the points of Mine" in str(check)
