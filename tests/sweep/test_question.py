"""The question of a sample, read again from its store alone: the profiles are gone by then."""

import shutil

import pytest

import analyser
from analyser.game.profiles import Profiles
from analyser.scenarios.load import load
from analyser.sweep.plan import read_plan, unpack_plan
from analyser.sweep.running import resume_sweep
from analyser.sweep.sample_parts import scenario_of
from analyser.sweep.store import store_for
from analyser.sweep.store_reader import open_sweep
from tests.helpers.unit_files import unit_file

GUARD, RIFLES = "river/guard@basic", "crown/rifle-platoon@basic"
TERMS = {"trials": 1000, "seed": 3}
QUESTIONS = {
    "attack": {"attack": {"attacker": GUARD, "distance": 5}, "target": {"unit": GUARD}},
    "shipped name": {"attack": {"attacker": RIFLES, "attacker_models": 19}, "target": {"unit": RIFLES, "models": 18}},
    "charge": {
        "charge": {},
        "attacker": {"unit": GUARD},
        "target": {"unit": "river/cart@basic", "passengers": {"unit": GUARD, "models": 3}},
        "secondary": [{"unit": RIFLES}],
    },
    "focus": {"attacks": [{"attacker": GUARD}, {"attacker": RIFLES}], "target": {"unit": GUARD}},
    "duel": {"duel": {"rounds": 1, "policy_b": "shoot"}, "a": {"unit": GUARD}, "b": {"unit": RIFLES}},
}


@pytest.fixture
def folder(tmp_path):
    """Profiles of our own, with a faction that is not shipped, and a unit whose name is and whose numbers are not."""
    place = tmp_path / "profiles"
    place.mkdir()
    levels = {"basic": (4, 40)}
    guard = unit_file("guard", 2, levels, 4, 3, more='rules = ["Corrosive Fumes (6)"]')
    cart = unit_file("cart", 3, levels, 1, 1, kind="armour", more='rules = ["Capacity (2)"]')
    rifles = unit_file("rifle-platoon", 1, {"basic": (20, 90)}, 9, 2)
    for faction, units in (("river", guard + cart), ("crown", rifles)):
        head = f'format = 1\nid = "{faction}"\nname = "{faction}"\n'
        (place / f"{faction}.toml").write_text(head + units)
    return place


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question_is_read_again_from_what_is_frozen_with_it(folder, kind):
    expected = load(QUESTIONS[kind], Profiles(folder))
    plan = read_plan({"sample": TERMS, "question": QUESTIONS[kind]}, folder)
    shutil.rmtree(folder)
    found = scenario_of(unpack_plan(plan.packed))
    assert (found.as_dict(), found.warnings) == (expected.as_dict(), expected.warnings)
    assert (found.profiles.version, found.profiles.folder) == (expected.profiles.version, "frozen in the plan")


def test_a_loadout_that_is_in_no_file_is_frozen(folder):
    better = Profiles(folder)[GUARD].with_(dice=+3, defence=4)
    question = {"attack": {"attacker": better, "distance": 5}, "target": {"unit": GUARD}}
    found = scenario_of(unpack_plan(read_plan({"sample": TERMS, "question": question}, folder).packed))
    assert found.attack.dice == 7
    assert found.attacker.unit.defence == 4
    assert found.defender.unit.defence == 2


def test_a_sample_of_own_profiles_is_answered_without_them(folder, tmp_path, threads):
    question = QUESTIONS["attack"]
    alone = analyser.simulate(question, profiles=folder, trials=1000, seed=3).as_dict()
    store_for(read_plan({"sample": TERMS, "question": question}, folder), tmp_path / "st")
    shutil.rmtree(folder)
    answer = resume_sweep(tmp_path / "st", executor=threads).answer().as_dict()
    assert answer["profiles"].pop("folder") == "frozen in the plan"
    alone["profiles"].pop("folder")
    assert answer == alone
    assert open_sweep(tmp_path / "st").is_complete
