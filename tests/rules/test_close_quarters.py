"""Special rules and weapon qualities in close quarters (AC-6, AC-7), each changing its number as it should.

The fights are rigged as those of `test_ranged_attack` are: each die is a strike, so `row("melee", 3)` destroys three of
ten models for certain, and each card is a 12, so that every test by card is failed. Expected values are worked by hand.
"""

import pytest

from analyser.common.errors import InputError
from tests.oracle.fight_files import COIN, LOW_CARDS, certain, charge, duel, likely, row, unit
from tests.oracle.rigged_fights import fighters, models, one_die, rating_of, shooter

# --- AC-7 in close quarters -------------------------------------------------------------------------------


def test_static_units_do_not_charge_and_are_annihilated_if_they_lose():
    with pytest.raises(InputError, match="Static unit cannot charge"):
        charge(*fighters(3, 2, a={"rules": ["Static"]}))
    assert certain(charge(*fighters(3, 2, t={"rules": ["Static"]}), deck=LOW_CARDS))["target_annihilated"]
    assert not certain(charge(*fighters(2, 3, t={"rules": ["Static"]})))["target_annihilated"]


def test_onslaught_is_a_bonus_of_the_charge_only():
    assert rating_of(*one_die(a={"rules": ["Onslaught"]})) == "improved"
    attacker = unit(row("melee", 0))
    assert rating_of(attacker, unit(row("melee", 1), rules=["Onslaught"]), side="attacker") == "neutral"


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
    with pytest.raises(InputError, match=r"no ranged row but .* Indirect ones, which do not fire at short range"):
        duel(unit(indirect, speed=20.0), unit(), **terms)
    both = unit(indirect, row("ranged", 1) | {"id": "direct"}, speed=20.0)
    only = unit(row("ranged", 1) | {"id": "direct"}, speed=20.0)
    assert duel(both, unit(), **terms).summary == duel(only, unit(), **terms).summary


def test_rules_of_who_charges_and_is_charged_are_told_in_a_duel_of_two_chargers():
    """Each is charged in its turn; Durable counts for a charger too, if all that strikes it is Sponsons."""
    charger, stoic = unit(row("melee", 1), rules=["Durable"]), unit(rules=["Sponsons (2)", "Stoic Defence"])
    both = duel(charger, stoic | {"rows": [row("melee", 1)]}, policy_a="charge", policy_b="charge", rounds=1)
    assert {"Durable", "Sponsons (2)", "Stoic Defence"} <= set(both.rules_applied)
    assert "Durable" in charge(charger, stoic).rules_applied


def test_rows_of_one_name_are_refused():
    with pytest.raises(InputError, match="two rows have the id 'melee'"):
        charge(unit(row("melee", 1), row("melee", 2)), unit())


@pytest.mark.parametrize("wrong", [True, "6"])
@pytest.mark.parametrize("key", ["speed", "edge_distance"])
def test_inches_are_numbers(key, wrong):
    with pytest.raises(InputError, match=key):
        duel(unit(row("ranged", 1), **{key: wrong}), unit(row("ranged", 1)))
    with pytest.raises(InputError, match="distance"):
        duel(unit(row("ranged", 1)), unit(row("ranged", 1)), distance=wrong)
    whole = duel(unit(row("ranged", 1), **{key: 6.0}), unit(row("ranged", 1)), distance=6.0)
    assert duel(unit(row("ranged", 1), **{key: 6}), unit(row("ranged", 1)), distance=6).summary == whole.summary


def test_bands_that_overlap_are_told_and_the_first_that_fits_counts():
    overlapping = row("melee", 3) | {
        "bands": [{"first": 1, "last": 10, "dice": 3}, {"first": 10, "last": 12, "dice": 9}]
    }
    result = charge(unit(overlapping), unit())
    assert certain(result)["target_models_destroyed"] == 3
    assert result.warnings == ("attacker.rows: bands of row 'melee' overlap; the first that fits counts",)


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
    assert result.strikes[-1] == {
        "by": "throw",
        "row": None,
        "overrun": False,
        "dice": 0,
        "overcharge": True,
        "rating": "weakened",
        "defence": 1,
        "rating_by": "rule",
        "bonuses": [],
        "penalties": [],
    }


def test_who_has_destroyed_nothing_has_nothing_to_throw():
    armoured = {"defence": 4}
    assert certain(charge(*fighters(3, 0, a={"rules": ["Throw (6)"]}, t=armoured)))["target_models_destroyed"] == 0
    assert certain(charge(*fighters(0, 2, t={"rules": ["Throw (6)"]})))["attacker_models_destroyed"] == 2


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


def test_a_building_and_pavises_help_against_a_throw():
    fours, thrower = {"4": 1}, {"rules": ["Throw (6)"]}
    behind = {"rules": ["Pavises"], "taking_cover": True}
    for target, lost in (({}, 6), (behind, 4), ({"garrisoned": True}, 4), (behind | {"rules": []}, 6)):
        ending = certain(charge(*fighters(2, 2, a=thrower, t=target), deck=fours))
        assert ending["target_models_destroyed"] == lost
    warned = charge(*fighters(2, 2, a=thrower, t=behind), deck=fours).warnings
    assert not any("taking_cover" in each for each in warned)


def test_a_throw_in_a_duel_goes_by_the_distance():
    a, b = fighters(2, 0, a={"rules": ["Throw (6)"], "speed": 6.0})
    fought = {"policy_a": "charge", "policy_b": "take_cover", "deck": {"3": 1}}
    assert duel(a, b, **fought).summary["mean_b_models_left"] == 5
    near, target = a | {"rules": ["Throw (5)"]}, b | {"suppressed": True, "discipline": 2}
    assert duel(near, target, distance=6.0, **fought).summary["mean_b_models_left"] == 8
    assert duel(a, target, distance=6.0, **fought).summary["mean_b_models_left"] == 5


def test_after_an_overrun_the_two_are_as_far_apart_as_after_a_charge():
    a, b = fighters(1, 0, a={"rules": ["Overrun"], "speed": 6.0})
    rifles = b | {"rows": [row("ranged", 1, long_range=5.0)]}
    terms = {"policy_a": "charge", "policy_b": "shoot", "distance": 6.0, "deck": LOW_CARDS}
    assert duel(a, rifles, **terms).summary["mean_a_models_left"] == 9  # from 3 inches


def test_there_is_no_overrun_without_a_victory():
    assert certain(charge(*fighters(2, 2, a={"rules": ["Overrun"]})))["target_models_destroyed"] == 2


def test_a_hunter_scores_a_combat_won():
    points = "expected_attacker_victory_points"
    assert charge(*fighters(3, 2, a={"rules": ["Hunter"]})).summary[points] == 1
    assert charge(*fighters(3, 2)).summary[points] == 0
    assert charge(*fighters(2, 3, t={"rules": ["Hunter"]})).summary["expected_target_victory_points"] == 1


def test_corrosive_fumes_disorder_whoever_comes_into_contact():
    sixes = {"6": 1}
    assert certain(charge(*fighters(3, 0, a={"rules": ["Corrosive Fumes (2)"]}), deck=sixes))["target_suppressed"]
    target = {"rules": ["Automata"]}
    assert not certain(charge(*fighters(3, 0, a={"rules": ["Corrosive Fumes (2)"]}, t=target)))["target_disordered"]


def test_durable_and_resilient_and_veteran():
    heroes = {"heroic": 1}  # each explodes once: two dice, two hits each
    assert certain(charge(*fighters(1, 0), die=heroes))["target_models_destroyed"] == 4
    assert certain(charge(*fighters(1, 0, t={"rules": ["Durable"]}), die=heroes))["target_models_destroyed"] == 2
    assert (
        certain(charge(*fighters(4, 0, t={"rules": ["Resilient (Front)"], "from_front": True})))[
            "target_models_destroyed"
        ]
        == 2
    )
    assert certain(charge(*fighters(1, 4, a={"rules": ["Resilient (Front)"]})))["attacker_models_destroyed"] == 2
    assert certain(charge(*fighters(3, 0, a={"veteran": 2})))["target_models_destroyed"] == 5


@pytest.mark.parametrize("rule", ["Automata", "Irrepressible"])
def test_who_passes_every_test(rule):
    assert not certain(charge(*fighters(3, 0, t={"rules": [rule]})))["target_suppressed"]


def test_peer_review_and_chain_of_command():
    assert not certain(charge(*fighters(3, 0, t={"peer_review": True})))["target_suppressed"]
    sevens = {"7": 1}
    assert certain(charge(*fighters(3, 0), deck=sevens))["target_suppressed"]
    assert not certain(charge(*fighters(3, 0, t={"chain_of_command": True}), deck=sevens))["target_suppressed"]


def test_a_construct_that_is_suppressed_is_disordered():
    assert certain(charge(*fighters(3, 0, t={"rules": ["Construct"]})))["target_disordered"]


# --- AC-6 in close quarters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quality", "category", "dice"),
    [
        ("Shock", "light", 5),
        ("Shock", "heavy", 3),
        ("Wreckers", "heavy", 5),
        ("Wreckers", "light", 3),
        ("Point Blank", "light", 3),
    ],
)
def test_which_value_of_the_cell_counts(quality, category, dice):
    attacker = unit(row("melee", 3, quality, special=5), type="cavalry")
    assert certain(charge(attacker, unit(category=category)))["target_models_destroyed"] == dice


def test_suppressive_counts_for_the_losers_test():
    sixes = {"6": 1}
    assert not certain(charge(*fighters(3, 0), deck=sixes))["target_suppressed"]
    assert certain(charge(*fighters(3, 0, attackers=["Suppressive"]), deck=sixes))["target_suppressed"]


def test_cryo_activates_instead_of_suppressing():
    ending = certain(charge(*fighters(3, 0, attackers=["Cryo"])))
    assert (ending["target_activated"], ending["target_suppressed"]) == (True, False)
    charger = certain(charge(*fighters(2, 3, targets=["Cryo"])))  # a charger is activated already
    assert charger["attacker_suppressed"]


def test_seismic_disorders_and_is_a_bonus_against_a_garrison():
    assert certain(charge(*fighters(3, 0, attackers=["Seismic"])))["target_disordered"]
    attacker, target = unit(row("melee", 1, "Seismic")), unit(garrisoned=True)
    assert rating_of(attacker, target) == "improved"


def test_precision_takes_the_officer_unless_there_is_a_bodyguard():
    sixes = {"6": 1}
    assert certain(charge(*fighters(3, 0, attackers=["Precision"]), deck=sixes))["target_suppressed"]
    bodyguard = {"rules": ["Bodyguard"]}
    assert not certain(charge(*fighters(3, 0, attackers=["Precision"], t=bodyguard), deck=sixes))["target_suppressed"]


def test_devastating_penetrating_arc_and_carriages():
    three = {"defence": 2}
    assert certain(charge(*fighters(3, 0, t=three)))["target_models_destroyed"] == 1
    assert certain(charge(*fighters(3, 0, attackers=["Devastating"], t=three)))["target_models_destroyed"] == 2
    tough = {"damage_limit": 2}
    assert certain(charge(*fighters(3, 0, attackers=["Penetrating"], t=tough)))["target_models_destroyed"] == 2
    assert certain(charge(*fighters(1, 0, attackers=["Arc"]), die={"heroic": 1}))["target_models_destroyed"] == 6
    steam = fighters(1, 0, attackers=["Full Steam Ahead"], a={"carriages": 2})
    assert certain(charge(*steam))["target_models_destroyed"] == 5


def test_cover_counts_for_nothing_in_close_quarters():
    in_cover = {"taking_cover": True, "rules": ["Shrouded"], "obstacle": True}
    assert certain(charge(*fighters(3, 0, t=in_cover)))["target_models_destroyed"] == 3


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


def test_each_blank_of_overcharge_costs_the_striker_a_damage_that_does_not_count_for_who_wins():
    attacker, target = fighters(3, 1, attackers=["Overcharge"], a={"overcharge": True})
    ending = certain(charge(attacker, target, die={"blank": 1}, deck=TWOS))
    assert (ending["attacker_models_destroyed"], ending["result"]) == (5, "draw")


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


def test_overcharge_that_nothing_has_is_said_to_have_no_effect():
    result = charge(*fighters(3, 0, a={"overcharge": True}))
    assert any("attacker.overcharge has no effect" in each for each in result.warnings)
    rifles = unit(row("ranged", 1, "Overcharge"), overcharge=True)
    assert any("a.overcharge has no effect" in each for each in duel(rifles, rifles).warnings)


def test_overcharge_in_the_close_quarters_of_a_duel():
    a, b = fighters(3, 0, attackers=["Overcharge"])
    fought = {"policy_a": "charge", "policy_b": "take_cover", "deck": TWOS}
    assert duel(a, b, **fought).summary["mean_b_models_left"] == 7
    assert duel(a | {"overcharge": True}, b, **fought).summary["mean_b_models_left"] == 5
