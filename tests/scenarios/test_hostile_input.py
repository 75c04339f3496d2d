"""Input that nobody means: one clear message for each, whatever it came through; keys that mean nothing are told."""

import random

import pytest

import analyser
from analyser import morale
from analyser.common.errors import InputError
from analyser.game.importers.battlescribe import import_files
from analyser.game.names import LONGEST_ID
from tests.helpers.catalogues import Entry, catalogue
from tests.oracle.morale_questions import QUESTIONS
from tests.oracle.random_scenarios import random_scenario

TARGET = {"models": 6, "defence": 2, "damage_limit": 1, "discipline": 6, "type": "infantry"}


def warnings_of(attack, target=TARGET, **sections):
    return analyser.load_scenario({"attack": attack, "target": target, **sections}).warnings


@pytest.mark.parametrize("rule", ["Capacity (99999)", f"Sponsons ({'9' * 100})"])
@pytest.mark.parametrize("ask", [analyser.exact, analyser.charge, analyser.focus, analyser.duel])
def test_a_number_in_a_rule_has_a_range(ask, rule):
    """`capacity` 99999 was an error of the validation library; an X of thousands of digits a ValueError."""
    unit = TARGET | {"rules": [rule]}
    sections = {
        analyser.exact: {"attack": {"dice": 1}, "target": unit},
        analyser.charge: {"attacker": TARGET, "target": unit},
        analyser.focus: {"attacks": [{"dice": 1}], "target": unit},
        analyser.duel: {"a": unit, "b": unit},
    }
    with pytest.raises(InputError, match=r"rules\.0: the number in .*is too large \(allowed: 0 to 1000\)"):
        ask(sections[ask])


@pytest.mark.parametrize("name", ["x" * 2000, "../../etc/passwd", "...", "ruleset", "ﷺ" * 300])
def test_a_faction_of_any_name_makes_a_file_that_reads_the_same(tmp_path, name):
    """A name of 2,000 characters was an OSError: the name of its file was too long."""
    path = tmp_path / "river.cat"
    path.write_text(catalogue(Entry(name=name), name=name), encoding="utf-8")
    out = tmp_path / "out"
    report = import_files(path, out=out)
    (written,) = report.written
    assert written.parent == out
    assert len(written.name) <= LONGEST_ID + len(".toml")
    assert written.stem not in ("ruleset", "")
    (faction,) = report.factions
    assert analyser.load_profiles(out).factions == {faction.id: faction}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("trials", [1, 3])
def test_intervals_of_a_few_games(name, trials):
    """`k (32) must not be greater than n (2)`: every share is one of the trials, and lies in its interval."""
    result = morale.simulate(*QUESTIONS[name], trials=trials)
    for columns in result.columns.values():
        for figure in (each for each in columns if f"{each}_low" in columns):
            low, share, high = (columns[f"{figure}{end}"] for end in ("_low", "", "_high"))
            assert (low >= 0).all(), figure
            assert (low <= share + 1e-12).all(), figure
            assert (share <= high + 1e-12).all(), figure
            assert (high <= 1).all() or figure.startswith("mean_"), figure


@pytest.mark.parametrize(
    ("attack", "target", "key"),
    [
        ({"attacker_advanced": True}, {}, "attack.attacker_advanced"),
        ({"attacker_models": 3}, {}, "attack.attacker_models"),
        ({"distance": 6.0}, {}, "attack.distance"),
        ({}, {"from_front": True}, "target.from_front"),
        ({}, {"exposed": 6}, "target.exposed"),
        ({}, {"edge_distance": 2.0}, "target.edge_distance"),
        ({}, {"models_without_room": 2}, "target.models_without_room"),
        ({}, {"near_commander": True}, "target.near_commander"),
        ({}, {"behemoth": True}, "target.behemoth"),
        ({"attacker": "crown/rifle-platoon@basic", "attacker_damage_limit": 3}, {}, "attack.attacker_damage_limit"),
    ],
)
def test_a_key_that_means_nothing_is_told(attack, target, key):
    """`attacker_advanced = true` where no row is Move or Fire was accepted without a word."""
    said = warnings_of({"dice": 3} | attack, TARGET | target)
    assert [each for each in said if each.startswith(f"{key} has no effect")]
    for each in {"attack": attack, "target": target}[key.partition(".")[0]]:
        assert not [more for more in warnings_of({"dice": 3}) if each in more]


def test_a_key_that_counts_in_a_later_attack_has_an_effect():
    target = TARGET | {"edge_distance": 2.0, "near_commander": True}
    for qualities, counts in (([], False), (["Precision"], True)):
        question = {"attacks": [{"dice": 3}, {"dice": 3, "qualities": qualities}], "target": target}
        expected = () if counts else ("attack 1: target.near_commander has no effect on this attack",)
        assert analyser.focus(question).warnings == expected


@pytest.mark.parametrize("seed", range(60))
def test_what_has_no_effect_has_none(seed):
    """Without the key the answer is the same; and what is echoed says nothing new."""
    given = random_scenario(random.Random(seed))
    given["target"] |= {"formation": "open"} if seed % 2 else {}
    result = analyser.exact(given)
    echoed = analyser.load_scenario(result.scenario.as_dict())
    assert set(echoed.warnings) <= set(result.scenario.warnings)
    assert analyser.exact(echoed).weights.tolist() == result.weights.tolist()
    for warning in result.scenario.warnings:
        place, has_none, _ = warning.partition(" has no effect on this attack")
        if has_none:
            section, key = place.split(".")
            less = {name: value for name, value in given[section].items() if name != key}
            without = analyser.exact(given | {section: less}).as_dict()
            for part in ("outcomes", "models_destroyed", "hits"):
                assert without[part] == result.as_dict()[part], warning


def test_a_unit_without_speed_that_never_acts_is_told():
    blades = {"id": "m", "name": "Melee", "kind": "melee", "bands": [{"first": 1, "last": 6, "dice": 4}]}
    terms = {"rounds": 2, "distance": 20, "policy_a": "charge", "policy_b": "take_cover"}
    question = {"duel": terms, "a": TARGET | {"rows": [blades]}, "b": TARGET}
    idle = "a does nothing in at least half of its activations, mostly because: too far to charge; a.speed is not"
    assert [each for each in analyser.duel(question).warnings if each.startswith(idle)]
    assert not [
        each for each in analyser.duel(question | {"duel": terms | {"distance": 0}}).warnings if "nothing" in each
    ]
