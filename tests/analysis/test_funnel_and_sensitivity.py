"""The funnel against the plain reading; sensitivity against scenarios changed by hand."""

from fractions import Fraction

import numpy as np
import pytest

import analyser
from analyser.common.errors import InputError
from tests.oracle import plain_reading as plain
from tests.oracle.attacks import SHIPPED_DIE, scenario

# --- the funnel, over all rolls of the plain reading ---------------------------------------------------------


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


def test_overcharge_rolls_the_cards_dice_too():
    deck = {"1": 1, "3": 1}
    fight = scenario(
        {"blank": 1, "strike": 1},
        deck,
        dice=2,
        rating="neutral",
        overcharge=True,
        extra_reroll={"faces": ["blank"], "dice": 3},
    )
    found = analyser.dice_funnel(fight).set_index("stage")["mean"]
    assert found["Dice rolled"] == pytest.approx(4)
    # three dice or five, each blank with an even chance, three re-rolled at most
    three, five = 1.5, sum(min(blanks, 3) * ways for blanks, ways in enumerate((1, 5, 10, 10, 5, 1))) / 32
    assert found["Dice re-rolled"] == pytest.approx((three + five) / 2)


def test_a_sampled_funnel_is_near_the_exact_one():
    given = "crown/rifle-platoon@basic", "imperium/krupp@basic"
    exact = analyser.dice_funnel(*given, distance=6, aiming=True)
    sampled = analyser.dice_funnel(*given, distance=6, aiming=True, method="monte-carlo", trials=10**6, seed=3)
    assert exact["mean"].tolist() == pytest.approx(sampled["mean"].tolist(), abs=0.01)
    assert not exact["mean"].equals(sampled["mean"])


def test_damage_is_accounted_for_to_the_last_point():
    fight = scenario(SHIPPED_DIE, dice=9, models=3, defence=2, damage_limit=2, damage=1, rating="improved")
    found = analyser.dice_funnel(fight).set_index("stage")["mean"]
    spent = 2 * found["Models destroyed"] + found["Damage lost to overkill"] + found["Damage left on the unit"]
    assert spent == pytest.approx(1 + found["Damage"])


# --- sensitivity ------------------------------------------------------------------------------------------

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
            if value + by < 0:
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


def test_out_of_range_is_told_and_not_counted():
    at_the_limit = {**RIFLES, "attack": {**RIFLES["attack"], "distance": 14}}
    row = analyser.sensitivity(at_the_limit).frame.set_index(["side", "number"]).loc[("attacker", "long range")]
    assert np.isnan(row["minus_1"])
    assert "its long range is 13, and the distance 14" in row["why_not"]


def test_a_stated_rating_stands_and_a_counted_one_is_counted_anew():
    stated = {**RIFLES, "attack": {**RIFLES["attack"], "rating": "weakened"}}
    table = analyser.sensitivity(stated).frame.set_index(["side", "number"])
    assert table.loc[("attacker", "short range"), "minus_1"] == pytest.approx(table["base"].iloc[0])


def test_points_are_what_the_levels_charge():
    found = analyser.sensitivity(RIFLES)
    levels = [
        analyser.exact({**RIFLES, "attack": {"attacker": f"crown/rifle-platoon@{level}", "distance": 7}})
        for level in ("basic", "reinforced", "full-strength")
    ]
    means = [each.mean("models_destroyed") for each in levels]
    prices = sorted([25 / (means[1] - means[0]), 30 / (means[2] - means[1])])
    assert (found.price.low, found.price.high) == pytest.approx(tuple(prices))
    row = found.frame.set_index(["side", "number"]).loc[("target", "DEFENCE")]
    change = row["plus_1"] - row["base"]
    assert change < 0
    assert (row["points_plus_1_low"], row["points_plus_1_high"]) == pytest.approx(
        (change * prices[1], change * prices[0])
    )


def test_two_units_are_the_scenario_that_they_make(river):
    otters = "river/otter@basic"
    scenario = {"attack": {"attacker": otters, "distance": 5, "bonuses": ["aiming"]}, "target": {"unit": otters}}
    by_units = analyser.sensitivity(otters, otters, distance=5, aiming=True, profiles=river.folder)
    assert by_units.frame.equals(analyser.sensitivity(scenario, profiles=river).frame)
    funnel = analyser.dice_funnel(otters, otters, distance=5, aiming=True, profiles=river.folder)
    assert funnel.equals(analyser.dice_funnel(scenario, profiles=river))
    for ask in (analyser.sensitivity, analyser.dice_funnel):
        with pytest.raises(InputError, match=r"target: river/otter-guard@basic is a unit alone"):
            ask(otters, profiles=river)


@pytest.mark.slow
def test_a_sample_has_the_interval_of_each_change_and_holds_the_exact_one():
    given = "crown/rifle-platoon@reinforced", "imperium/krupp@basic"
    exact = analyser.sensitivity(*given).frame
    found = analyser.sensitivity(*given, method="monte-carlo", trials=1, seed=5)
    for step in ("minus_1", "plus_1"):
        change, low, high = (found.frame[f"change_{step}{end}"] for end in ("", "_low", "_high"))
        assert (low.isna() == exact[f"change_{step}"].isna()).all()
        assert ((change - exact[f"change_{step}"]).abs() <= 2 * (high - low) + 1e-12)[low.notna()].all()
    assert "±" in str(found)
    assert "Monte Carlo, 2,097,152 trials, seed 5" in str(found)


def test_without_a_price_no_points_are_said(river):
    inline = analyser.sensitivity({"attack": {"dice": 6}, "target": RIFLES["target"]})
    assert not inline.price.known
    assert inline.frame["points_plus_1_low"].isna().all()
    assert "In points: not computed, because the attacker has no profile" in str(inline)
    level = {"attack": {"attacker": "crown/monarch"}, "target": RIFLES["target"]}
    assert "no step between two levels" in str(analyser.sensitivity(level))


def test_the_steps_of_a_price_are_numbers_in_json_and_sentences_in_text():
    found = analyser.sensitivity(RIFLES)
    for step, record in zip(found.price.steps, found.as_dict()["price"]["steps"], strict=True):
        assert found.price.low <= record["points"] / record["gain"] <= found.price.high
        assert f"  {step.before} to {step.after}: {record['points']} points for {record['gain']:.3g}" in str(found)


def test_it_shows_as_text_and_as_a_table():
    found = analyser.sensitivity(RIFLES, metric="p_annihilated")
    assert str(found).startswith("P(annihilated): ")
    assert "nan" not in str(found)
    assert "<table" in found._repr_html_()
    assert found.plot().get_title(loc="left").splitlines()[1].startswith("P(annihilated), percent")


def test_an_unknown_metric_is_told():
    with pytest.raises(InputError, match="no metric 'p_brokn'; did you mean 'p_broken'"):
        analyser.sensitivity(RIFLES, metric="p_brokn")
