"""The WebAssembly module gives the numbers of Python's exact engines and is made of today's rules."""

import os
import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pytest

from analyser import load_profiles
from analyser.common.errors import InputError
from analyser.rules.shots import WhyNot
from analyser.web.compile_module import MODULE, digest, recorded_sources
from analyser.web.memory_layout import CONDITIONS, layout, unit_facts
from analyser.web.memory_records import Refusal
from tests.helpers.module import (
    FIGURES,
    NODE,
    WITHOUT_NODE,
    answers,
    asked_of_module,
    asked_of_python,
    differences,
    loadouts,
    question_at_random,
)
from tests.helpers.skips import proof

ROOT = Path(__file__).parents[2]
BUILD = "python -m analyser.web.compile_module"
A_CASE = {"attack": 250, "charge": 50, "duel": 15}  # questions of a case; the first case runs each day, all in a proof
CASES = 20
# Python keeps the distribution after each activation, the module after each round, and so adds up in another order.
WITHIN = {"attack": 0.0, "charge": 0.0, "duel": 1e-15}
needs_node = pytest.mark.skipif(NODE is None, reason=WITHOUT_NODE)
pytestmark = pytest.mark.slow


def compared(kind, seeds):
    """How many answers are equal, refused by both, or too large for the module; differences are failures."""
    questions = [question_at_random(kind, seed) for seed in seeds]
    seen = Counter()
    for seed, question, answer in zip(seeds, questions, asked_of_module(questions)):
        result = asked_of_python(question, answer)
        if answer["refused"] == Refusal.TOO_LARGE:
            seen["too large"] += 1
        elif isinstance(result, InputError):
            assert answer["refused"], f"{kind} {seed} is answered, and Python refuses: {result}"
            seen["refused"] += 1
        else:
            assert not answer["refused"], f"{kind} {seed}: {layout()['refusals'][answer['refused']]}"
            figures = FIGURES[kind](result, [question["attacker"], question["target"]])
            assert list(differences(figures, answer, within=WITHIN[kind])) == [], f"{kind} {seed}"
            seen["equal"] += 1
    return seen


@needs_node
@pytest.mark.parametrize("case", [0, *proof(*range(1, CASES))])
@pytest.mark.parametrize("kind", list(A_CASE))
def test_answers_are_those_of_python(kind, case):
    seen = compared(kind, range(case * A_CASE[kind], (case + 1) * A_CASE[kind]))
    assert seen["equal"] > A_CASE[kind] / 3, seen  # the others are refused by both
    assert seen["too large"] <= A_CASE[kind] / 10, seen


def test_the_module_is_made_of_todays_rules():
    made_of = recorded_sources(MODULE.read_bytes())
    assert "analyser.rules.attack" in made_of["modules"]
    assert made_of["digest"] == digest(made_of["modules"]), f"the module is stale: run {BUILD}, and commit it"


def test_the_module_is_small():
    assert len(MODULE.read_bytes()) < 150_000


@pytest.mark.proof
def test_the_same_sources_give_the_same_bytes(tmp_path):
    program = f"from analyser.web.compile_module import build; open({str(tmp_path / 'again')!r}, 'wb').write(build())"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    again, built = (tmp_path / "again").read_bytes(), MODULE.read_bytes()
    if recorded_sources(built)["made_by"] != {name: version(name) for name in recorded_sources(built)["made_by"]}:
        pytest.skip(f"the module was built by other versions: {recorded_sources(built)['made_by']}")
    assert again == built, f"the module is stale: run {BUILD}, and commit it"


@needs_node
def test_a_number_of_a_unit_can_be_changed():
    attacker, target = (unit_facts(loadouts()[0]) for _ in range(2))
    target["numbers"]["defence"] = 5
    question = {"kind": "attack", "attacker": attacker, "row": 0, "target": target, "conditions": {}}
    assert answers([question])[0]["defence"] == 5


@needs_node
@pytest.mark.parametrize(("garrisoned", "policy"), [(False, "charge"), (True, "take_cover")])
def test_a_garrison_that_cannot_shoot_takes_cover(garrisoned, policy):
    names = "commonwealth/tsar-battle-tanks@basic", "crown/spitfire-rocketeers@basic"
    attacker, target = (unit_facts(load_profiles()[name]) for name in names)
    conditions = {"attacker": {}, "target": {"garrisoned": garrisoned}, "distance": 12, "rounds": 1}
    question = {"kind": "duel", "attacker": attacker, "row": 0, "target": target, "conditions": conditions}
    assert layout()["policies"][answers([question])[0]["target_policy"]] == policy


@needs_node
@pytest.mark.parametrize("garrisoned", [False, True])
def test_a_unit_in_a_building_cannot_charge(garrisoned):
    units = load_profiles()
    attacker, target = (unit_facts(units[f"{name}@basic"]) for name in ("rifle-platoon", "scion-grenadier-platoon"))
    question = {"kind": "charge", "attacker": attacker, "row": 0, "target": target}
    question["conditions"] = {"attacker": {"garrisoned": garrisoned}, "target": {}}
    assert answers([question])[0]["refused"] == (Refusal.IN_BUILDING if garrisoned else 0)


@needs_node
@pytest.mark.parametrize("conditions", [{}, {"target": {"on_lookout": True, "policy": "take_cover"}}])
def test_a_target_without_dice_for_its_models_is_refused(conditions):
    """AC-2.4: it would neither strike back nor fire on lookout."""
    units = load_profiles()
    attacker, target = (unit_facts(units[f"{name}@basic"]) for name in ("rifle-platoon", "scion-grenadier-platoon"))
    question = {"kind": "duel" if conditions else "charge", "attacker": attacker, "row": 0, "target": target}
    question["conditions"] = {"attacker": {}, "target": {}} | conditions
    assert answers([question])[0]["refused"] == 0
    target["numbers"] |= {"models": 24, "full_models": 24}
    assert answers([question])[0]["refused"] == WhyNot.NO_DICE


@needs_node
@pytest.mark.parametrize(("models", "damage"), [(12, 0), (6, 0), (1, 0), (1, 3)])
def test_a_unit_can_only_lose_the_points_that_it_has_left(models, damage):
    library = load_profiles()
    attacker, target = (unit_facts(library[f"crown/rifle-platoon@{level}"]) for level in ("basic", "reinforced"))
    target["numbers"] |= {"damage_limit": 4}
    conditions = {"attacker": {}, "target": {"models": models, "damage": damage}}
    left = 60 * (4 * models - damage) / 48
    for dice, points in ((0, 0), (99, left)):
        attacker["rows"][0]["bands"] = [[1, 6, dice or 1, -1]]
        target["numbers"]["defence"] = 1 if dice else 99
        question = {"kind": "attack", "attacker": attacker, "row": 0, "target": target, "conditions": conditions}
        assert answers([question])[0]["points"] == pytest.approx(points, abs=1e-4)


# Words of the game that a page may show only because Python wrote them, and numbers that only the rules know.
NO_RULES = re.compile(r"\b(concealed|outflanking|devastating|overcharge|veteran|heroic|discipline|suppressive)\b", re.I)


def test_the_script_of_the_module_holds_no_rule():
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", MODULE.with_name("module.js").read_text(encoding="utf-8"), flags=re.S)
    names = {each.name for each in CONDITIONS} - {"row", "rounds", "models"}  # lengths and places of what is read
    assert not NO_RULES.search(code)
    assert names & set(re.findall(r"\w+", code)) == set()
    assert set(re.findall(r"(?<![\w#])\d+", code)) <= {"0", "1", "2", "8"}  # sides, and bytes of a number


HOUSE = {
    "rules": {
        "Sharpshooters": {"at": ["short range"], "dice": 2, "ignores": ["suppressed"]},
        "Wedge": {"at": ["charge"], "dice": 3, "hits": {"heroic": 3}},
        "Hunters": {"against": ["infantry"], "rerolls": ["miss"], "defence": -1},
        "Spaced Armour": {"when": "attacked", "at": ["long range"], "defence": 1},
        "Steady": {"when": "attacked", "ignores": ["disordered"]},
    },
    "die": {"heroic": 1, "strike": 2, "miss": 1, "dud": {"sides": 1}}
    | {"glancing": {"sides": 1, "hits": 1, "rerolled": "never"}},
}


@needs_node
@pytest.mark.parametrize("kind", A_CASE)
def test_house_rules_and_own_faces_count_as_they_do_in_python(kind):
    library = load_profiles().with_ruleset(HOUSE)
    rifles = library["crown/rifle-platoon@basic"].with_(rules="+Sharpshooters, +Wedge, +Steady")
    grenadiers = library["imperium/scion-grenadier-platoon@basic"].with_(rules="+Spaced Armour, +Hunters")
    names = ("attacker", "target")
    common = {"attack": ("distance",), "charge": (), "duel": ("distance", "rounds")}[kind]
    questions = [
        {"kind": kind, **dict(zip(names, units)), "row": 0, "conditions": {"attacker": state, "target": {}} | fight}
        for units in ((rifles, grenadiers), (grenadiers, rifles))
        for state in ({}, {"suppressed": True})
        for fight in [{"distance": 6, "rounds": 2}, {"distance": 10, "rounds": 2}]
    ]
    for question in questions:
        question["conditions"] = {
            key: value for key, value in question["conditions"].items() if key in (*names, *common)
        }
    facts = [each | {side: unit_facts(each[side]) for side in names} for each in questions]
    for question, answer in zip(questions, answers(facts, page=layout(library.ruleset))):
        result = asked_of_python(question, answer, library)
        assert not answer["refused"]
        figures = FIGURES[kind](result, [question[name] for name in names])
        assert list(differences(figures, answer, within=WITHIN[kind])) == []
