"""Numbers that differ from level to level: the file, and every answer at its own level's (AC-2.2)."""

import json

import pytest

import analyser
from analyser.analysis.fight_cache import fight_alike
from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.profiles import load_profiles
from analyser.game.units import Unit
from tests.helpers.shell import run

WINGED = "empire/bulnabang-winged-infantry"
DISCIPLINES = {"basic": 6, "reinforced": 7, "full-strength": 7}
PLATOON = {"id": "platoon", "name": "Platoon", "type": "infantry", "category": "light", "defence": 2, "damage_limit": 1}
PLATOON |= {"discipline": 5, "levels": {"basic": {"models": 4}, "reinforced": {"models": 8, "discipline": 7}}}


@pytest.fixture(scope="module")
def winged():
    profiles = load_profiles()
    return {level: profiles[f"{WINGED}@{level}"] for level in DISCIPLINES}


def unit(**changes):
    return checked(Unit, PLATOON | changes)


def test_a_level_without_a_number_of_its_own_has_the_unit_s():
    platoon = unit()
    assert platoon.level_keys == ("discipline",)
    assert [each.discipline for each in platoon.levels.values()] == [5, 7]
    assert [platoon.at(level).discipline for level in platoon.levels] == [5, 7]
    # and back: the unit at one level still knows the others
    assert platoon.at("reinforced").at("basic") == platoon


def test_a_level_may_lack_what_the_unit_has():
    platoon = unit(levels={"basic": {"models": 4, "discipline": "none"}, "reinforced": {"models": 8}})
    assert [platoon.at(level).discipline for level in platoon.levels] == [None, 5]
    platoon = unit(discipline=None, levels={"basic": {"models": 4}, "reinforced": {"models": 8, "discipline": 7}})
    assert [platoon.at(level).discipline for level in platoon.levels] == [None, 7]


def test_a_unit_whose_levels_do_not_differ_is_itself_at_all_of_them():
    platoon = unit(levels={"basic": {"models": 4}, "reinforced": {"models": 8}})
    assert platoon.level_keys == ()
    assert platoon.at("reinforced") is platoon


@pytest.mark.parametrize("key", ["defence", "damage_limit"])
def test_no_level_can_lack_what_every_unit_has(key):
    with pytest.raises(InputError, match="none"):
        unit(levels={"basic": {"models": 4, key: "none"}})


def test_a_record_comes_back_as_it_was_whatever_the_level_that_it_is_taken_at():
    platoon = unit()
    assert platoon.at("reinforced").record() == platoon.record()
    assert checked(Unit, json.loads(json.dumps(platoon.record()))) == platoon
    assert "speed" not in platoon.record()["levels"]["basic"]


def test_a_loadout_has_the_numbers_of_its_level_and_changes_them(winged):
    full = winged["full-strength"]
    assert {name: each.unit.discipline for name, each in winged.items()} == DISCIPLINES
    assert (full.with_(discipline=9).unit.discipline, full.with_(discipline="+1").unit.discipline) == (9, 8)
    assert full.with_(discipline=None).unit.discipline is None
    assert full.with_(discipline=9).at("basic").unit.discipline == 6
    with pytest.raises(InputError, match="no number to add"):
        full.with_(discipline=None).with_(discipline="+1")


def test_a_charge_and_a_duel_test_the_discipline_of_the_level():
    rifles = "crown/rifle-platoon@basic"
    for level, discipline in DISCIPLINES.items():
        charge = analyser.charge(f"{WINGED}@{level}", rifles)
        duel = analyser.duel(f"{WINGED}@{level}", rifles, rounds=1)
        assert charge.scenario.attacker.discipline == discipline
        assert duel.scenario.a.discipline == discipline


def test_a_card_has_a_column_of_what_differs_and_the_battlegroups():
    printed = run("units", "card", WINGED).output
    assert "faction (up to 1), canglong-guardian (up to 1)," in printed
    assert "DISCIPLINE" not in printed.split("level", 1)[0]
    lines = [line.split() for line in printed.splitlines()]
    assert [line[-1] for line in lines if line[:1] in ([name] for name in DISCIPLINES)] == ["6", "7", "7"]
    told = json.loads(run("units", "card", WINGED, "--format", "json").output)
    assert {name: each["discipline"] for name, each in told["levels"].items()} == DISCIPLINES


def test_a_change_of_what_only_force_building_reads_is_no_other_fight(winged):
    basic = winged["basic"]
    moved = basic.model_copy(update={"unit": basic.unit.model_copy(update={"entry": "x", "battlegroups": {}})})
    assert fight_alike(basic, moved)
    assert not fight_alike(basic, basic.with_(discipline=7))
    assert fight_alike(basic, basic.with_(points=1))
