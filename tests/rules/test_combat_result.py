"""Special rules and weapon qualities in close quarters (AC-6, AC-7), each changing its number as it should.

The fights are rigged as those of `test_ranged_attack` are: each die is a strike, so `row("melee", 3)` destroys three of
ten models for certain, and each card is a 12, so that every test by card is failed. Expected values are worked by hand.
"""

import pytest

from analyser.common.errors import InputError
from tests.oracle.fight_files import COIN, LOW_CARDS, certain, charge, duel, likely, row, unit
from tests.oracle.rigged_fights import fighters, models, shooter


def test_static_units_do_not_charge_and_are_annihilated_if_they_lose():
    with pytest.raises(InputError, match="Static unit cannot charge"):
        charge(*fighters(3, 2, a={"rules": ["Static"]}))
    assert certain(charge(*fighters(3, 2, t={"rules": ["Static"]}), deck=LOW_CARDS))["target_annihilated"]
    assert not certain(charge(*fighters(2, 3, t={"rules": ["Static"]})))["target_annihilated"]


def test_an_overrun_is_a_second_combat_with_a_penalty():
    attacker, target = fighters(3, 2, a={"rules": ["Overrun"]})
    ending = certain(charge(attacker, target))
    assert (ending["target_models_destroyed"], ending["attacker_models_destroyed"]) == (6, 4)
    assert certain(charge(attacker, target, overrun=False))["target_models_destroyed"] == 3
    strikes = charge(attacker, target).strikes
    assert [(each["by"], each["overrun"], each["rating"]) for each in strikes] == [
        ("attacker", False, "neutral"),
        ("target", False, "neutral"),
        ("attacker", True, "weakened"),
        ("target", True, "neutral"),
    ]


@pytest.mark.parametrize("distance", [None, 15.0])
def test_who_goes_to_short_range_fires_no_indirect_row(distance):
    """AC-6: Indirect is not for short range, so a unit with no other row cannot; one with another uses that."""
    indirect = row("ranged", 3, "Indirect", short_range=6.0)
    terms = {"policy_a": "short_range", "policy_b": "take_cover"} | ({} if distance is None else {"distance": distance})
    with pytest.raises(InputError, match=r"no ranged row .* Indirect rows only beyond short range"):
        duel(unit(indirect, speed=20.0), unit(), **terms)
    both = unit(indirect, row("ranged", 1) | {"id": "direct"}, speed=20.0)
    only = unit(row("ranged", 1) | {"id": "direct"}, speed=20.0)
    assert duel(both, unit(), **terms).summary == duel(only, unit(), **terms).summary


def test_exposed_models_are_prioritised_by_ranged_attacks_only():
    """AC-3.9: a strike in close quarters is held back by none, and the answer says so; a shot in a duel is."""
    result = charge(*fighters(3, 0, t={"exposed": 1}))
    assert certain(result)["target_models_destroyed"] == 3
    assert [each for each in result.warnings if each.startswith("target.exposed has no effect")]
    shot = {"policy_b": "take_cover", "rounds": 1, "deck": LOW_CARDS}
    assert models(duel(shooter(3), shooter(1, exposed=1), **shot), "b") == 9


def test_a_throw_is_a_weakened_attack_of_as_many_dice_as_a_card_says():
    thrower = {"rules": ["Throw (6)"]}
    threes = {"3": 1}
    assert certain(charge(*fighters(2, 0), deck=threes))["target_models_destroyed"] == 2
    result = charge(*fighters(2, 0, a=thrower), deck=threes)
    assert certain(result)["target_models_destroyed"] == 2 + 3
    assert result.rules_applied == ("Throw (6)",)
    thrown = {"dice": 0, "overcharge": True, "rating": "weakened", "defence": 1, "rating_by": "rule"}
    assert result.strikes[-1] == thrown | {"by": "throw", "row": None, "overrun": False, "bonuses": [], "penalties": []}


def test_a_throw_needs_to_reach_counts_for_no_combat_and_causes_no_test():
    threes, thrown = {"3": 1}, []
    for reach in (5, 6):  # a unit that falls back is 6 inches away
        target = {"suppressed": True, "discipline": 2}
        ending = certain(charge(*fighters(2, 0, a={"rules": [f"Throw ({reach})"]}, t=target), deck=threes))
        thrown.append(ending["target_models_destroyed"])
    assert thrown == [2, 5]
    ending = certain(charge(*fighters(2, 3, a={"rules": ["Throw (6)"]}), deck=threes))
    assert (ending["result"], ending["target_models_destroyed"]) == ("target_wins", 5)
    assert not ending["target_suppressed"]


TWOS = {"2": 1}


def test_overcharge_adds_the_cards_dice_on_either_side_if_it_is_used():
    overcharging = {"overcharge": True}
    attacker = fighters(3, 0, attackers=["Overcharge"])
    assert certain(charge(*attacker, deck=TWOS))["target_models_destroyed"] == 3
    assert charge(*attacker, deck=TWOS).not_used == ("Overcharge, could be used with attacker.overcharge",)
    result = charge(*fighters(3, 0, attackers=["Overcharge"], a=overcharging), deck=TWOS)
    assert certain(result)["target_models_destroyed"] == 5
    assert "Overcharge" in result.rules_applied
    retaliation = fighters(3, 1, targets=["Overcharge"], t=overcharging)
    assert certain(charge(*retaliation, deck=TWOS))["attacker_models_destroyed"] == 3
    other = unit(row("melee", 1, "Overcharge"), **overcharging)
    result = charge(*fighters(9, 0), deck=TWOS, secondary=[other])
    assert certain(result)["attacker_models_destroyed"] == 3
    assert any("secondary" in each for each in result.assumptions)


def test_what_overcharge_costs_does_not_count_for_the_losers_test():
    # B blanks of 4 dice leave 10 - B models, h hits of 5 dice destroy h: failed if 2 h >= 10 - B (AC-5.2).
    attacker, target = fighters(3, 5, attackers=["Overcharge"], a={"overcharge": True, "discipline": 1})
    result = charge(attacker, target | {"defence": 9}, die=COIN, deck={"1": 1})
    failed = (1 + 5 * 11 / 16 + 10 * 1 / 16) / 32
    assert likely(result, "attacker_suppressed") == pytest.approx(failed)


def test_a_unit_that_its_own_blanks_annihilate_has_lost():
    attacker, target = fighters(8, 0, attackers=["Overcharge"], a={"overcharge": True, "rules": ["Hunter"]})
    for rules, points in (([], 5), (["Hunter"], 6)):
        result = charge(attacker, target | {"rules": rules}, die={"blank": 1}, deck=TWOS)
        ending = certain(result)
        assert (ending["result"], ending["attacker_annihilated"]) == ("target_wins", True)
        assert result.summary["expected_target_victory_points"] == points
