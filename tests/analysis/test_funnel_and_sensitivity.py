"""The funnel against the plain reading; sensitivity against scenarios changed by hand."""

from fractions import Fraction

import numpy as np
import pytest

import analyser
from tests.oracle import plain_reading as plain
from tests.oracle.attacks import SHIPPED_DIE, scenario


def plain_funnel(given):
    """The expected numbers of a funnel (AC-3.2 to AC-3.9)."""
    attack, target, die, _ = plain.read(given)
    faces, rating = tuple(die.get(face, 0) for face in plain.FACES), attack["rating"]
    extra, found = attack["extra_reroll"], [Fraction()] * 8
    for first, chance in plain.rolls(attack["dice"], faces):
        added = first.heroic * (2 if "Arc" in attack["qualities"] else 1)
        for second, more in plain.rolls(added, faces):
            pool = first.plus(second)
            again = plain.dice_to_reroll(pool, rating, extra["faces"], extra["dice"])
            for last, most in plain.rolls(sum(again), faces):
                hits = plain.hits_of(pool.minus(again).plus(last), durable=False, veteran=0)
                damage = plain.damage_of(hits, target["defence"], "Devastating" in attack["qualities"])
                lost = 0 if "Devastating" in attack["qualities"] else hits % target["defence"]
                wounds = plain.wounds_of(hits, attack, target)
                kept = wounds.models_destroyed * target["damage_limit"] + wounds.damage - target["damage"]
                values = added, sum(again), hits, lost, damage, damage - kept, wounds.damage, wounds.models_destroyed
                found = [sum_ + chance * more * most * value for sum_, value in zip(found, values)]
    return [attack["dice"], *map(float, found)]


SMALL_DIE = {"heroic": 1, "strike": 1, "miss": 1}
REROLLS = {"extra_reroll": {"faces": ["blank", "miss"], "dice": 1}}


@pytest.mark.parametrize(
    "keys",
    [
        {"rating": "weakened", "defence": 2, "models": 2},
        {"rating": "neutral", "defence": 2, "models": 1},
        {"rating": "improved", "defence": 3, "models": 4, "damage_limit": 2, "damage": 1},
        {"rating": "improved", "defence": 3, "models": 3, "qualities": ["Devastating"]},
        {"rating": "neutral", "defence": 1, "models": 6, "damage_limit": 2, "exposed": 1},
        {"rating": "neutral", "defence": 2, "models": 3, **REROLLS},
        {"rating": "neutral", "defence": 2, "models": 9, "qualities": ["Arc"], **REROLLS},
    ],
)
@pytest.mark.parametrize("die", [SHIPPED_DIE, SMALL_DIE | {"blank": 2}])
def test_the_funnel_is_that_of_all_rolls(keys, die):
    given = scenario(die, dice=2, **{"damage_limit": 1} | keys)
    assert analyser.dice_funnel(given)["mean"].tolist() == pytest.approx(plain_funnel(given), abs=1e-12)


RIFLES = {
    "attack": {"attacker": "crown/rifle-platoon@reinforced", "distance": 7},
    "target": {"models": 9, "defence": 2, "damage_limit": 2, "discipline": 7, "break_limit": 3, "victory_points": 3},
}
CHANGES = {
    ("attacker", "attack dice"): ("attack", "dice", 12),
    ("attacker", "models"): ("attack", "attacker_models", 12),
    ("attacker", "Veteran"): ("attack", "veteran", 0),
    ("target", "models"): ("target", "models", 9),
    ("target", "DEFENCE"): ("target", "defence", 2),
    ("target", "DAMAGE LIMIT"): ("target", "damage_limit", 2),
    ("target", "DISCIPLINE"): ("target", "discipline", 7),
    ("target", "BREAK LIMIT"): ("target", "break_limit", 3),
    ("target", "victory points"): ("target", "victory_points", 3),
}


@pytest.mark.parametrize("metric", ["mean_models_destroyed", "p_broken", "expected_victory_points"])
def test_each_change_is_the_scenario_changed_by_hand(metric):
    found = analyser.sensitivity(RIFLES, metric=metric)
    table = found.frame.set_index(["side", "number"])
    assert set(table.index) == CHANGES.keys() | {("attacker", "short range"), ("attacker", "long range")}
    for key, (section, name, value) in CHANGES.items():
        assert table.loc[key, "value"] == value
        for step, by in (("minus_1", -1), ("plus_1", 1)):
            if value + by < 0 or (key == ("attacker", "models") and by > 0):  # the level has 12 models
                assert np.isnan(table.loc[key, step])
                continue
            changed = RIFLES | {section: RIFLES[section] | {name: value + by}}
            assert table.loc[key, step] == pytest.approx(analyser.exact(changed).summary[metric], abs=1e-12)
    assert found.base == pytest.approx(analyser.exact(RIFLES).summary[metric])


def test_an_inch_less_of_short_range_is_a_bonus_less():
    table = analyser.sensitivity(RIFLES).frame.set_index(["side", "number"])
    far = {**RIFLES, "attack": {**RIFLES["attack"], "distance": 8}}
    neutral = analyser.exact(far).mean("models_destroyed")
    assert table.loc[("attacker", "short range"), "minus_1"] == pytest.approx(neutral)
    assert table.loc[("attacker", "short range"), "plus_1"] == pytest.approx(table["base"].iloc[0])


def test_no_unit_gets_more_models_than_its_level_has():
    answer = analyser.sensitivity("crown/rifle-platoon@basic", "imperium/krupp-field-guns@basic")
    row = answer.frame.set_index(["side", "number"]).loc[("attacker", "models")]
    assert row["why_not"] == "one more: crown/rifle-platoon@basic has 6 models"
    assert answer.headline.endswith("depends most on the target's DEFENCE.")
    assert "crown/rifle-platoon@basic has 6 models." in str(answer)
    assert answer.as_dict()["not_modelled"] == ["Limber"]
    changes = answer.frame[["change_minus_1", "change_plus_1"]].abs()
    assert not ((changes > 0) & (changes < 1e-12)).any(axis=None)


def test_warnings_about_the_attack_are_passed_on():
    target = {"unit": "imperium/scion-grenadier-platoon@basic", "taking_cover": True}
    answer = analyser.sensitivity("crown/rifle-platoon@basic", target)
    problem = "target.taking_cover has no effect, because the target is not concealed (AC-4.3)"
    assert answer.as_dict()["warnings"] == [problem]
    assert f"Warning: {problem}" in str(answer)


def test_out_of_range_is_told_and_not_counted():
    at_the_limit = {**RIFLES, "attack": {**RIFLES["attack"], "distance": 14}}
    row = analyser.sensitivity(at_the_limit).frame.set_index(["side", "number"]).loc[("attacker", "long range")]
    assert np.isnan(row["minus_1"])
    assert "its long range is 13, and the distance 14" in row["why_not"]
