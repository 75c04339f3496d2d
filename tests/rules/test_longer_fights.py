"""Every numbered rule that touches a charge, focus fire or a duel, each changing its number as it should.

The fights are rigged as those of `test_rules.py` are: each die is a strike, so `row("melee", 3)` destroys three of ten
models for certain, and each card is a 12, so that every test by card is failed. Expected values are worked by hand.
"""

import pytest

import analyser
from analyser.common.errors import InputError
from tests.oracle.fight_files import COIN, LOW_CARDS, certain, charge, duel, focus, likely, row, unit

BY_MODELS = list(range(1, 11))  # as many dice as models
THREE_FACES = {"strike": 1, "glancing": 1, "miss": 1}
RATINGS = {3: "weakened", 4: "neutral", 5: "improved"}


def fighters(attacker=3, target=2, *, attackers=(), targets=(), a=None, t=None):
    """A charger with `attacker` dice and a target with `target`; qualities, and keys of either unit."""
    charger = unit(row("melee", attacker, *attackers), **(a or {}))
    charged = unit(*([row("melee", target, *targets)] if target else []), **(t or {}))
    return charger, charged


def rating_of(attacker, target, *, side="target", **circumstances):
    """The combat rating, told by what one die re-rolls: it hits with 3, 4 or 5 chances of 9 (AC-3.4)."""
    result = charge(attacker, target, die=THREE_FACES, deck=LOW_CARDS, **circumstances)
    return RATINGS[round(9 * result.summary[f"mean_{side}_models_destroyed"])]


def one_die(**keys):
    """A charger with one die, and a target that does not strike back."""
    return fighters(1, 0, **keys)


# --- AC-8.1: who may charge, and Sponsons -----------------------------------------------------------------


def test_a_charge_needs_a_melee_or_impact_row():
    for kind in ("melee", "impact"):
        assert certain(charge(unit(row(kind, 3)), unit()))["target_models_destroyed"] == 3
    with pytest.raises(InputError, match="no melee or impact row"):
        charge(unit(row("ranged", 3)), unit())


def test_sponsons_fire_before_contact_and_do_not_count_for_who_wins():
    ending = certain(charge(*fighters(1, 0, t={"rules": ["Sponsons (3)"]})))
    assert (ending["attacker_models_destroyed"], ending["target_models_destroyed"]) == (3, 1)
    assert ending["result"] == "attacker_wins"


def test_sponsons_take_dice_from_the_charge():
    assert certain(charge(*fighters(BY_MODELS, 0, t={"rules": ["Sponsons (4)"]})))["target_models_destroyed"] == 6


def test_sponsons_are_weakened():
    attacker, target = one_die(t={"rules": ["Sponsons (1)"]})
    assert rating_of(attacker, target, side="attacker") == "weakened"


def test_a_charger_that_falls_to_sponsons_comes_to_no_combat():
    result = charge(*fighters(3, 2, a={"models": 2}, t={"rules": ["Sponsons (2)", "Hunter"]}))
    assert certain(result)["result"] == "no_combat"
    assert result.summary["expected_target_victory_points"] == 5


# --- AC-8.2: bonuses and penalties ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("circumstances", "rating"),
    [
        ({}, "neutral"),
        ({"outflanking": True}, "improved"),
        ({"supported": True}, "improved"),
        ({"threatened": True}, "weakened"),
        ({"supported": True, "threatened": True}, "neutral"),
    ],
)
def test_bonuses_and_penalties_of_the_charge(circumstances, rating):
    assert rating_of(*one_die(), **circumstances) == rating


@pytest.mark.parametrize(
    ("type_", "rating"), [("infantry", "improved"), ("field gun", "improved"), ("armour", "neutral")]
)
def test_only_infantry_cavalry_and_field_guns_are_outflanked(type_, rating):
    assert rating_of(*one_die(a={"type": "cavalry"}, t={"type": type_}), outflanking=True) == rating


@pytest.mark.parametrize(
    ("type_", "rating"), [("armour", "improved"), ("fortification", "improved"), ("artillery", "neutral")]
)
def test_infantry_overwhelms_armour_and_fortifications(type_, rating):
    assert rating_of(*one_die(t={"type": type_})) == rating
    assert rating_of(*one_die(a={"type": "cavalry"}, t={"type": type_})) == "neutral"


def test_a_suppressed_unit_strikes_with_a_penalty():
    assert rating_of(*one_die(a={"suppressed": True})) == "weakened"


@pytest.mark.parametrize(
    ("circumstances", "rating"),
    [({}, "neutral"), ({"supported": True}, "weakened"), ({"threatened": True}, "improved")],
)
def test_retaliation_is_judged_from_the_other_side(circumstances, rating):
    attacker, target = unit(row("melee", [0] * 9 + [1])), unit(row("melee", 1))
    assert (
        rating_of(attacker | {"models": 9, "rows": [row("melee", 0)]}, target, side="attacker", **circumstances)
        == rating
    )


# --- AC-8.3, AC-8.4: who strikes when ---------------------------------------------------------------------


def test_the_target_strikes_back_with_the_models_that_it_has_left():
    ending = certain(charge(*fighters(4, BY_MODELS)))
    assert (ending["attacker_models_destroyed"], ending["result"]) == (6, "target_wins")


def test_an_impact_row_does_not_strike_back():
    assert certain(charge(unit(row("melee", 3)), unit(row("impact", 9))))["attacker_models_destroyed"] == 0


def test_a_target_that_is_gone_does_not_strike_back():
    ending = certain(charge(*fighters(10, 9)))
    assert (ending["target_annihilated"], ending["attacker_models_destroyed"]) == (True, 0)
    assert ending["result"] == "attacker_wins"


@pytest.mark.parametrize(
    ("circumstances", "rules"), [({"difficult_terrain": True}, []), ({}, ["Stoic Defence"])], ids=["terrain", "stoic"]
)
def test_defensive_advantage_lets_the_target_strike_first(circumstances, rules):
    ending = certain(charge(*fighters(BY_MODELS, 4, t={"rules": rules}), **circumstances))
    assert (ending["attacker_models_destroyed"], ending["target_models_destroyed"]) == (4, 6)


def test_a_defender_without_melee_has_nothing_of_its_advantage():
    assert certain(charge(*fighters(3, 0, t={"rules": ["Stoic Defence"]})))["target_models_destroyed"] == 3


# --- AC-8.5: who wins, and what becomes of the loser ------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "result"), [((3, 2), "attacker_wins"), ((2, 3), "target_wins"), ((2, 2), "draw"), ((0, 0), "draw")]
)
def test_who_destroys_more_wins(dice, result):
    attacker, target = fighters(*dice) if any(dice) else fighters(0, 0)
    assert certain(charge(attacker, target))["result"] == result


def test_only_the_loser_tests():
    won, lost, even = (certain(charge(*fighters(*dice))) for dice in ((3, 2), (2, 3), (2, 2)))
    assert (won["target_suppressed"], won["attacker_suppressed"]) == (True, False)
    assert (lost["target_suppressed"], lost["attacker_suppressed"]) == (False, True)
    assert not even["target_suppressed"] | even["attacker_suppressed"]


def test_the_losers_test_counts_its_losses_in_the_combat():
    sixes = {"6": 1}  # DISCIPLINE 6 passes; with half of the models lost it does not (AC-5.2)
    assert not certain(charge(*fighters(4, 0), deck=sixes))["target_suppressed"]
    assert certain(charge(*fighters(5, 0), deck=sixes))["target_suppressed"]


def test_losses_to_sponsons_do_not_count_for_the_losers_test():
    attacker, target = fighters(1, 2, t={"rules": ["Sponsons (4)"]})
    assert not certain(charge(attacker, target, deck={"6": 1}))["attacker_suppressed"]


def test_a_loser_breaks_or_falls_back_or_flees():
    assert certain(charge(*fighters(3, 0, t={"break_limit": 7})))["target_broken"]
    assert certain(charge(*fighters(3, 0, t={"suppressed": True})))["target_fell_back"]
    assert certain(charge(*fighters(3, 0, t={"suppressed": True, "edge_distance": 6.0})))["target_fled"]
    assert not certain(charge(*fighters(3, 0, t={"suppressed": True, "edge_distance": 7.0})))["target_fled"]


def test_models_without_room_are_lost_in_withdrawing():
    assert certain(charge(*fighters(3, 0, t={"withdraws_without_room": 2})))["target_models_destroyed"] == 5


# --- AC-8.6: storming a building --------------------------------------------------------------------------


def test_both_sides_of_a_storm_count_half_of_their_models_and_the_garrison_strikes_first():
    ending = certain(charge(*fighters(BY_MODELS, BY_MODELS, t={"garrisoned": True})))
    assert (ending["attacker_models_destroyed"], ending["target_models_destroyed"]) == (5, 3)  # half of 10, half of 5


def test_a_storming_party_strikes_first():
    ending = certain(charge(*fighters(BY_MODELS, BY_MODELS, a={"rules": ["Storming Party"]}, t={"garrisoned": True})))
    assert (ending["attacker_models_destroyed"], ending["target_models_destroyed"]) == (3, 5)
    stoic = {"garrisoned": True, "rules": ["Stoic Defence"]}
    assert certain(charge(*fighters(BY_MODELS, BY_MODELS, a={"rules": ["Storming Party"]}, t=stoic))) == ending


# --- AC-8.7, AC-8.8: others in contact, and passengers ----------------------------------------------------


def test_secondary_combatants_strike_for_the_side_of_the_target():
    attacker, target = fighters(3, 2)
    assert certain(charge(attacker, target))["result"] == "attacker_wins"
    ending = certain(charge(attacker, target, secondary=[unit(row("melee", 2))]))
    assert (ending["result"], ending["attacker_models_destroyed"]) == ("target_wins", 4)


def test_secondary_combatants_threaten_the_charger_and_support_the_target():
    attacker, target = one_die()
    assert rating_of(attacker, target, secondary=[unit()]) == "weakened"


def transport(**keys):
    return unit(type="armour", models=2, damage_limit=1, rules=["Capacity (3)"], **keys)


def test_passengers_without_a_place_are_destroyed_and_count_for_who_wins():
    passengers = {"models": 6, "defence": 1, "damage_limit": 1, "discipline": 6, "victory_points": 3}
    attacker = unit(row("melee", 1), type="cavalry")
    bus = transport() | {"rows": [row("melee", 2)]}
    assert certain(charge(attacker, bus, deck=LOW_CARDS))["result"] == "target_wins"  # one model for two
    full = certain(charge(attacker, bus | {"passengers": passengers}, deck=LOW_CARDS))
    assert (full["result"], full["target_passengers_left"]) == ("attacker_wins", 3)  # and three embarked ones


def test_passengers_take_a_test_of_their_own():
    passengers = {"models": 6, "defence": 1, "damage_limit": 1, "discipline": 6}
    attacker = unit(row("melee", 1), type="cavalry")
    assert certain(charge(attacker, transport(passengers=passengers)))["target_passengers_suppressed"]
    assert not certain(charge(attacker, transport(passengers=passengers), deck=LOW_CARDS))[
        "target_passengers_suppressed"
    ]


def test_passengers_go_with_their_transport_and_are_paid_for():
    passengers = {"models": 6, "defence": 1, "damage_limit": 1, "victory_points": 3}
    result = charge(unit(row("melee", 2), type="cavalry"), transport(passengers=passengers))
    assert result.summary["expected_attacker_victory_points"] == 5 + 3


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


# --- AC-9.1: focus fire -----------------------------------------------------------------------------------

THREE = {"dice": 3, "rating": "neutral"}


def test_models_and_damage_carry_over():
    result = focus([{"dice": 3}, {"dice": 3}], target())
    assert [row["mean_models_left"] for row in result.rounds()] == [7, 4]
    tough = focus([{"dice": 3}, {"dice": 3}], target(damage_limit=2))
    assert [row["mean_models_destroyed"] for row in tough.rounds()] == [1, 3]


def target(**keys):
    return {"models": 10, "defence": 1, "damage_limit": 1, "discipline": 6, "victory_points": 5} | keys


def test_a_second_failed_test_makes_a_suppressed_unit_fall_back_and_a_third_may_end_at_the_edge():
    result = focus([THREE, THREE, THREE], target(edge_distance=6.0))
    assert [likely(result, "suppressed", attack) for attack in (1, 2, 3)] == [1, 1, 0]
    assert [likely(result, "fell_back", attack) for attack in (1, 2, 3)] == [0, 1, 1]
    assert [likely(result, "fled", attack) for attack in (1, 2, 3)] == [0, 0, 1]


def test_each_test_counts_the_models_at_the_start_of_its_attack():
    # 3 of 10 and 3 of 7 are less than half, 2 of 4 are half: only then is the card of 6 too high (AC-5.2)
    result = focus([THREE, THREE, {"dice": 2}], target(), deck={"6": 1})
    assert [likely(result, "suppressed", attack) for attack in (1, 2, 3)] == [0, 0, 1]


def test_who_falls_back_leaves_his_cover_and_his_building():
    garrison = focus([{"dice": 2}] * 3, target(garrisoned=True))
    assert [row["mean_models_destroyed"] for row in garrison.rounds()] == [1, 2, 4]
    cover = target(taking_cover=True, suppressed=True)
    concealed = {"dice": 2, "penalties": ["concealed"]}
    assert [row["mean_models_destroyed"] for row in focus([concealed] * 2, cover).rounds()] == [1, 3]


def test_an_attack_has_circumstances_of_its_own():
    result = focus([{"dice": 3, "exposed": 1}, {"dice": 3}], target())
    assert [row["mean_models_destroyed"] for row in result.rounds()] == [1, 4]


def test_until_a_fate_is_likely_enough():
    result = focus([THREE] * 4, target(break_limit=4))
    assert result.until(0.8, "broken").attacks == 2
    assert result.until(1, "suppressed").attacks == 1
    assert result.until(0.5, "destroyed").attacks is None
    assert result.until(0.5, "annihilated").attacks == 2


def test_suppressed_or_removed_counts_for_until():
    result = focus([{"dice": 10}], target())
    assert result.until(1, "suppressed").attacks == 1
    assert result.until(1, "destroyed").probability.probability == 1


def test_siegebreaker_opens_a_building_for_the_next_attack():
    breaker = {"dice": 2, "qualities": ["Siegebreaker"]}  # each die is a strike, so the building falls
    assert [
        row["mean_models_destroyed"] for row in focus([breaker, {"dice": 2}], target(garrisoned=True)).rounds()
    ] == [1, 3]


CUTTERS = "commonwealth/kheshig-sky-cutter-wings@basic"  # two rotorcraft of DEFENCE 2 and DAMAGE LIMIT 2
FLAK = "commonwealth/rydovoy-rodina-squadron@basic"  # armour, on the ground
FIGHTERS = {"unit": "crown/defiance-fighter-squadron@basic", "models": 3}  # Tail Gunner (4)


def own_losses(result):
    """Mean models that each attack has cost the unit that made it."""
    return [row.get("mean_attacker_models_destroyed") for row in result.rounds()]


def test_a_tail_gunner_shoots_back_at_what_is_in_the_air():
    # Four strikes are two points of damage: one of two cutters, at each attack anew, for these are different units.
    result = focus([{"attacker": CUTTERS}] * 2, FIGHTERS)
    assert own_losses(result) == [1, 1]
    assert "Tail Gunner (4)" in result.rules_applied
    silent = focus([{"attacker": CUTTERS}] * 2, FIGHTERS | {"rules": []})
    assert own_losses(silent) == [None, None]
    from_the_ground = focus([{"attacker": FLAK}], FIGHTERS)
    assert own_losses(from_the_ground) == [None]
    assert "Tail Gunner (4)" not in (*from_the_ground.rules_applied, *from_the_ground.not_modelled)
    mixed = focus([{"attacker": FLAK}, {"attacker": CUTTERS}], FIGHTERS)
    assert own_losses(mixed) == [0, 1]


def test_who_is_shot_down_by_a_tail_gunner_is_paid_for():
    alone = {"attacker": CUTTERS, "attacker_models": 1}
    result = focus([alone, alone], FIGHTERS)
    assert [row["p_attacker_annihilated"] for row in result.rounds()] == [1, 1]
    assert result.summary["expected_victory_points_lost"] == 6  # two units of VPR 3
    assert result.summary["expected_victory_points"] == 0


def test_a_tail_gunner_that_is_gone_shoots_no_more():
    gone = focus([{"attacker": CUTTERS, "dice": 99}, {"attacker": CUTTERS}], FIGHTERS)
    assert own_losses(gone) == [0, 0]


def test_an_attacker_without_a_profile_is_not_in_the_air_and_the_answer_says_so():
    result = focus([{"dice": 3}], target(rules=["Tail Gunner (4)"]))
    assert own_losses(result) == [None]
    assert any("without a profile" in each for each in result.assumptions)


def test_what_overcharge_costs_an_attacker_of_focus_fire():
    # Two dice and two for the card, all blanks: four of five models at each attack; of three, all.
    risky = {"dice": 2, "overcharge": True, "qualities": ["Overcharge"]}
    attacks = [risky | {"attacker_models": models} for models in (5, 5, 3)] + [{"dice": 2}]
    result = focus(attacks, target(), die={"blank": 1}, deck={"2": 1})
    assert own_losses(result) == [4, 4, 3, 0]
    assert [row["p_attacker_annihilated"] for row in result.rounds()] == [0, 0, 1, 0]
    assert result.summary["expected_victory_points_lost"] is None  # no profile, no rating
    assert any("different units" in each for each in result.assumptions)


@pytest.mark.slow
def test_own_losses_of_focus_fire_are_those_of_a_single_attack():
    attack = {"dice": 3, "overcharge": True, "qualities": ["Overcharge", "Arc"], "attacker_models": 4}
    fight = {"attack": attack, "target": target()}
    alone = analyser.exact(fight).summary["mean_attacker_models_destroyed"]
    both = analyser.focus([attack, attack], target())
    gone = both.probability("annihilated", 1).probability
    assert own_losses(both) == pytest.approx([alone, alone * (1 - gone)])
    sampled = analyser.focus([attack, attack], target(), method="monte-carlo", trials=200_000, seed=1)
    for figures in sampled.rounds():
        mean, error = (figures[f"mean_attacker_models_destroyed{end}"] for end in ("", "_standard_error"))
        assert mean == pytest.approx(alone * figures["p_made"], abs=5 * error)


# --- AC-9.2: duels ----------------------------------------------------------------------------------------


def shooter(dice=3, *qualities, rules=(), **keys):
    """A unit with a ranged row of 24 inches, short range 6."""
    return unit(row("ranged", dice, *qualities, short_range=6.0), rules=rules, **keys)


def models(result, side, number=None):
    """Mean models of one side at the end of that round, or of the last."""
    rounds = [row["mean_models"] for row in result.rounds() if row["side"] == side]
    return rounds[-1 if number is None else number - 1]


def test_units_are_activated_in_turn():
    strong = shooter(10)
    assert likely(duel(strong, strong, first="a"), "a_wins") == 1
    assert likely(duel(strong, strong, first="b"), "b_wins") == 1
    assert likely(duel(strong, strong, first="random"), "a_wins") == pytest.approx(0.5)


def test_a_duel_goes_on_for_its_rounds_and_ends_with_a_side():
    result = duel(shooter(3), shooter(2), deck=LOW_CARDS, rounds=4)
    assert [models(result, "b", number) for number in (1, 2, 3, 4)] == [7, 4, 1, 0]
    assert models(result, "a") == 4  # the fourth shot is not returned


def rating_in_duel(a, b, side="b", **terms):
    """The rating of the one shot of the other side, told as :func:`rating_of` does."""
    result = duel(a, b, die=THREE_FACES, deck=LOW_CARDS, **terms)
    return RATINGS[round(9 * (10 - models(result, side)))]


SILENT = {"policy_b": "take_cover"}


def test_who_aims_shoots_better():
    assert rating_in_duel(shooter(1), shooter(1), **SILENT) == "improved"


def test_a_suppressed_unit_that_fails_its_rally_test_does_not_aim():
    dice = {"strike": 1, "glancing": 1, "miss": 1}
    lost = 10 - models(duel(shooter(1, suppressed=True), shooter(1), die=dice, **SILENT), "b")
    assert round(9 * lost) == 3  # weakened: suppressed, no aim
    rallied = 10 - models(duel(shooter(1, suppressed=True), shooter(1), die=dice, deck=LOW_CARDS, **SILENT), "b")
    assert round(9 * rallied) == 4  # suppressed and aiming


def test_hot_headed_units_rally_without_a_card():
    hot = shooter(1, suppressed=True, rules=["Hot Headed"])
    lost = 10 - models(duel(hot, shooter(1), die=THREE_FACES, **SILENT), "b")
    assert round(9 * lost) == 4


def test_suppression_ends_with_the_next_activation():
    result = duel(shooter(1, suppressed=True), shooter(1), **SILENT)
    assert likely(result, "a_suppressed") == 0
    charged = duel(shooter(3), shooter(1), deck={"12": 1}, first="a", rounds=1)
    assert likely(charged, "b_suppressed") == 0  # it has had its activation since


def test_disorder_ends_with_the_next_activation_but_not_that_of_a_construct():
    assert likely(duel(shooter(1, disordered=True), shooter(1), deck=LOW_CARDS, **SILENT), "a_disordered") == 0
    construct = shooter(1, disordered=True, rules=["Construct"])
    assert likely(duel(construct, shooter(1), deck=LOW_CARDS, **SILENT), "a_disordered") == 1


def test_a_unit_on_lookout_shoots_at_what_acts_without_a_test():
    result = duel(shooter(3), shooter(2, on_lookout=True), policy_a="take_cover", policy_b="take_cover")
    assert models(result, "a") == 8
    assert likely(result, "a_suppressed") == 0  # AC-4.5
    assert likely(duel(shooter(1), shooter(2), policy_b="lookout", first="b", rounds=1), "b_on_lookout") == 0


def test_opportunity_fire_is_weakened_unless_locked_on():
    watched, watcher = shooter(1), shooter(1, on_lookout=True)
    terms = {"policy_a": "take_cover", "policy_b": "take_cover", "side": "a"}
    assert rating_in_duel(watched, watcher, **terms) == "weakened"
    assert rating_in_duel(watched, shooter(1, "Lock On", on_lookout=True), **terms) == "neutral"


def test_a_reactive_row_fires_on_lookout_only():
    reactive = unit(row("ranged", 2, "Reactive"))
    for named in ({}, {"row": reactive["rows"][0]["id"]}):
        with pytest.raises(InputError, match=r"policy shoot: .*Reactive.*on lookout only") as refusal:
            duel(reactive | named, shooter(1), **SILENT)
        assert "allowed: lookout, take_cover" in str(refusal.value)
    assert models(duel(shooter(1), reactive, policy_b="lookout", first="b", deck=LOW_CARDS), "a") == 8


def test_taking_cover_counts_while_concealed_and_behind_pavises_anyway():
    """The unit that is shot at is activated first."""
    terms = {"policy_b": "take_cover", "first": "b", "deck": LOW_CARDS}
    assert models(duel(shooter(4), shooter(1), **terms), "b") == 6
    assert models(duel(shooter(4), shooter(1, concealed=True), **terms), "b") == 8
    assert models(duel(shooter(4), shooter(1, rules=["Pavises"]), **terms), "b") == 8


def test_a_slow_row_re_arms_every_other_activation():
    result = duel(shooter(2, "Slow to Fire"), shooter(1), deck=LOW_CARDS, rounds=4, **SILENT)
    assert [models(result, "b", number) for number in (1, 2, 3, 4)] == [8, 8, 6, 6]
    assert likely(result, "a_reloading", 1) == 1


def test_who_goes_on_lookout_re_arms_what_it_fires_on_lookout():
    """The Reactive row empties the unit in round 1, and in round 3 after it has re-armed in round 2."""
    slow = unit(row("ranged", 2, "Reactive", "Slow to Fire"), row("ranged", 1) | {"id": "usual"})
    watcher = {"policy_a": "take_cover", "policy_b": "lookout", "first": "b", "deck": LOW_CARDS, "rounds": 4}
    for named in ({}, {"row": slow["rows"][0]["id"]}):
        result = duel(shooter(1), slow | named, **watcher)
        assert [models(result, "a", number) for number in (1, 2, 3, 4)] == [8, 8, 6, 6]


def test_a_row_that_moves_or_fires_does_not_fire_after_an_advance():
    far = {"distance": 30.0, "deck": LOW_CARDS, **SILENT}
    assert models(duel(shooter(2, speed=8.0), shooter(1), **far), "b") == 8
    assert models(duel(shooter(2, "Move or Fire", speed=8.0), shooter(1), **far), "b") == 10


def test_all_out_attack_fires_several_rows():
    rows = [row("ranged", 2), row("ranged", 1) | {"id": "second"}, row("ranged", 1) | {"id": "third"}]
    both = unit(*rows, rules=["All-Out Attack (2)"])
    assert models(duel(both, shooter(1), policy_a="all_out", deck=LOW_CARDS, **SILENT), "b") == 7
    assert models(duel(both, shooter(1), policy_a="shoot", deck=LOW_CARDS, **SILENT), "b") == 8


def test_overcharge_adds_the_cards_dice_and_its_blanks_cost_models():
    twos = {"2": 1}
    result = duel(shooter(3, "Overcharge"), shooter(1), deck=twos, policy_a="overcharge", **SILENT)
    assert models(result, "b") == 5
    blanks = duel(shooter(3, "Overcharge"), shooter(1), die={"blank": 1}, deck=twos, policy_a="overcharge", **SILENT)
    assert (models(blanks, "a"), models(blanks, "b")) == (5, 10)


def besieged(*qualities, die=None, **terms):
    """Two rounds of shots with one row of four dice at a garrison that keeps quiet."""
    terms = {"deck": LOW_CARDS, "rounds": 2, **SILENT} | terms
    return duel(shooter(4, *qualities), shooter(1, garrisoned=True), die=die, **terms)


def test_siegebreaker_drives_a_garrison_out():
    # In the building a model takes two hits, three once it takes cover; outside one, cover or not (AC-4.3).
    assert [models(besieged(), "b", number) for number in (1, 2)] == [8, 7]
    breaking = besieged("Siegebreaker")
    assert [models(breaking, "b", number) for number in (1, 2)] == [8, 4]
    assert "Siegebreaker" in breaking.rules_applied
    whole, halved = (besieged(*each, die=COIN) for each in ((), ("Siegebreaker",)))
    assert models(whole, "b") - models(halved, "b") > 0.1
    assert models(whole, "b", 1) == models(halved, "b", 1)


def test_opportunity_fire_breaks_a_building_too():
    terms = {"policy_a": "take_cover", "policy_b": "lookout", "rounds": 2, "deck": LOW_CARDS}
    first, second = (duel(shooter(1, garrisoned=True), shooter(4, *each), **terms) for each in ((), ["Siegebreaker"]))
    assert [models(first, "a", number) for number in (1, 2)] == [10, 8]  # nobody is on lookout in round 1
    assert [models(second, "a", number) for number in (1, 2)] == [10, 8]
    third = duel(shooter(1, garrisoned=True), shooter(4, "Siegebreaker"), **terms | {"rounds": 3})
    assert models(third, "a") == 4


def test_a_storm_wrecks_the_building_when_the_combat_is_over():
    # The garrison strikes first: 6 of 10, then the other 4 (AC-8.6). Out of its building it is struck first, by all 4.
    terms = {"policy_a": "charge", "rounds": 2, "policy_b": "take_cover", "deck": LOW_CARDS}
    garrison = unit(row("melee", 6), garrisoned=True)
    usual, breaking = (
        duel(unit(row("melee", BY_MODELS, *qualities)), garrison, **terms) for qualities in ((), ["Siegebreaker"])
    )
    assert [models(usual, "b", number) for number in (1, 2)] == [8, 8]
    assert [models(breaking, "b", number) for number in (1, 2)] == [8, 4]


def test_short_range_is_a_bonus_and_point_blank_counts_there():
    close = {"policy_a": "short_range", "deck": LOW_CARDS, **SILENT}
    row_ = row("ranged", 2, "Point Blank", special=4, short_range=6.0)
    assert models(duel(unit(row_), shooter(1), **close), "b") == 6
    assert models(duel(unit(row_), shooter(1), deck=LOW_CARDS, **SILENT), "b") == 8


def test_short_range_is_walked_to():
    closing = {"policy_a": "short_range", "distance": 14.0, "rounds": 2, "deck": LOW_CARDS, **SILENT}
    row_ = row("ranged", 2, "Point Blank", special=4, short_range=6.0)
    result = duel(unit(row_, speed=6.0), shooter(1), **closing)
    assert [models(result, "b", number) for number in (1, 2)] == [8, 4]  # 14 - 6 = 8, then 6 inches


def test_who_charges_closes_in_at_double_time_first():
    charger = unit(row("melee", 3), speed=6.0)
    result = duel(charger, shooter(1), policy_a="charge", distance=20.0, rounds=2, deck=LOW_CARDS, **SILENT)
    assert [models(result, "b", number) for number in (1, 2)] == [10, 7]


FUMES = {"rules": ["Corrosive Fumes (4)"]}


def test_corrosive_fumes_disorder_who_is_near_enough():
    quiet = {"policy_a": "take_cover", "policy_b": "take_cover", "deck": LOW_CARDS}
    near, far = (duel(shooter(1, **FUMES), shooter(1), distance=inches, **quiet) for inches in (4.0, 5.0))
    assert (likely(near, "b_disordered"), likely(far, "b_disordered")) == (1, 0)
    assert likely(near, "a_disordered") == 0
    for safe in ({"rules": ["Automata"]}, {"near_commander": True}):
        assert likely(duel(shooter(1, **FUMES), shooter(1, **safe), distance=4.0, **quiet), "b_disordered") == 0


FACES = {"heroic": {"heroic": 1}, "strike": {"strike": 1}, "miss": {"strike": 9, "miss": 1}}
WRECK = {"models": 1, "rules": ["Spectacular Demise (3)"]}


@pytest.mark.parametrize(
    ("die", "inches", "lost"),
    [("heroic", 8.0, 10), ("heroic", 9.0, 0), ("strike", 4.0, 3), ("strike", 5.0, 0)],
)
def test_what_a_last_model_does_within_inches(die, inches, lost):
    """B is shot down; each of the three dice of its blast hits, a heroic one four times with the die it adds."""
    shot = duel(shooter(9), shooter(1, **WRECK), die=FACES[die], deck=LOW_CARDS, distance=inches, **SILENT)
    assert likely(shot, "b_destroyed") == pytest.approx(1)
    assert 10 - models(shot, "a") == pytest.approx(lost)


@pytest.mark.parametrize(("inches", "chance"), [(6.0, 0.1), (7.0, 0.0)])
def test_a_miss_frightens_who_is_near(inches, chance):
    shot = duel(shooter(9), shooter(1, **WRECK), die=FACES["miss"], distance=inches, **SILENT)
    assert likely(shot, "a_suppressed") == pytest.approx(likely(shot, "b_destroyed") * chance)


def test_opportunity_fire_and_own_blanks_set_it_off_too():
    watcher = shooter(9, on_lookout=True)
    watched = duel(shooter(1, **WRECK), watcher, policy_a="shoot", distance=4.0, **SILENT)
    assert (likely(watched, "a_destroyed"), models(watched, "b")) == (1, 7)
    risky = unit(row("ranged", 1, "Overcharge"), **WRECK)
    near, far = (
        duel(
            risky,
            shooter(1),
            die={"miss": 9, "blank": 1},
            deck={"9": 1},
            policy_a="overcharge",
            distance=inches,
            **SILENT,
        )
        for inches in (6.0, 7.0)
    )
    assert likely(near, "b_suppressed") == pytest.approx(0.9 * likely(near, "a_destroyed"))
    assert likely(far, "b_suppressed") == 0


def test_without_a_distance_a_demise_reaches_who_is_in_contact():
    charging = duel(unit(row("melee", 1), **WRECK), shooter(1), policy_a="charge")
    assert any("Spectacular Demise (3) reaches only" in each for each in charging.assumptions)
    assert duel(shooter(1, **WRECK), shooter(1)).not_modelled == ("Spectacular Demise (3)",)
    assert "Spectacular Demise (3)" in duel(shooter(1, **WRECK), shooter(1), distance=9.0).rules_applied


@pytest.mark.parametrize(("reach", "left"), [(2.0, 8), (3.0, 7)])
def test_an_overrun_follows_up_and_leaves_the_two_three_inches_apart(reach, left):
    charger = unit(row("melee", 2), speed=6.0, rules=["Overrun"])
    charged = unit(row("melee", 1), row("ranged", 1, long_range=reach))
    terms = {"policy_a": "charge", "distance": 6.0, "deck": LOW_CARDS}
    assert models(duel(charger, charged, **terms), "a") == left  # two struck back, and a shot


def test_who_is_disordered_by_fumes_is_suppressed_sooner():
    sixes = {"6": 1}  # DISCIPLINE 6 passes, disordered it does not (AC-5.3)
    shot = {"policy_b": "take_cover", "first": "b", "deck": sixes}
    near, far = (duel(shooter(1, **FUMES), shooter(1), distance=inches, **shot) for inches in (4.0, 5.0))
    assert (likely(near, "b_suppressed"), likely(far, "b_suppressed")) == (1, 0)


def test_fumes_reach_whoever_moves_into_them_before_it_shoots():
    walker = shooter(1, speed=4.0) | {"rows": [row("ranged", 1, short_range=3.0)]}
    closing = {"policy_b": "short_range", "policy_a": "take_cover", "first": "a", "distance": 7.0, "deck": LOW_CARDS}
    assert likely(duel(shooter(1, **FUMES), walker, **closing), "b_disordered") == 1
    assert likely(duel(shooter(1, **FUMES), walker, **closing | {"distance": 9.0}), "b_disordered") == 0


def test_without_a_distance_fumes_reach_who_is_in_contact():
    quiet = duel(shooter(1, **FUMES), shooter(1))
    assert quiet.not_modelled == ("Corrosive Fumes (4)",)
    charging = duel(unit(row("melee", 1), **FUMES), shooter(1), policy_a="charge")
    assert "Corrosive Fumes (4)" in charging.rules_applied
    assert any("Corrosive Fumes (4) reaches only" in each for each in charging.assumptions)
    apart = duel(shooter(1, **FUMES), shooter(1), distance=12.0)
    assert "Corrosive Fumes (4)" in apart.rules_applied
    assert not any("reaches only" in each for each in apart.assumptions)


RIFLES_AND_BAYONETS = row("ranged", 1), row("melee", 3)
LONE = {"policy_a": "shoot", "policy_b": "take_cover"}


def fury(*rules, suppressed=False, **keys):
    """A unit that would shoot one model, and destroys three if it charges."""
    return unit(*RIFLES_AND_BAYONETS, rules=rules, suppressed=suppressed, **keys)


def models_lost(a, b=None, **terms):
    """Models that B loses in one activation of A, all cards high."""
    result = duel(a, b or unit(), **LONE | terms)
    return 10 - result.summary["mean_b_models_left"]


def test_who_runs_amok_charges_whatever_its_policy():
    assert (models_lost(fury()), models_lost(fury("Run Amok"))) == (1, 3)
    assert duel(fury("Run Amok"), unit(), **LONE).rules_applied == ("Run Amok",)


def test_who_is_berserk_charges_after_a_failed_rally_test_only():
    assert models_lost(fury("Berserk")) == 1
    assert models_lost(fury("Berserk", suppressed=True)) == 3
    assert models_lost(fury("Berserk", suppressed=True), deck=LOW_CARDS) == 1  # rallied
    assert models_lost(fury("Run Amok", suppressed=True)) == 1  # a failed rally test forbids it (AC-5.6)


@pytest.mark.parametrize(
    ("a", "b", "terms"),
    [
        (fury("Run Amok", "Static"), {}, {}),
        (fury("Run Amok", garrisoned=True), {}, {}),
        (fury("Run Amok") | {"rows": [row("ranged", 1)]}, {}, {}),
        (fury("Run Amok"), {"type": "rotorcraft"}, {}),
        (fury("Run Amok", speed=6.0), {}, {"distance": 13.0}),
    ],
    ids=["static", "in a building", "no row", "rotorcraft", "out of reach"],
)
def test_no_rule_makes_a_unit_charge_that_cannot(a, b, terms):
    assert models_lost(a, unit(**b), **terms) == 1


def test_who_runs_amok_without_a_charge_costs_the_enemy_near_it_a_damage_and_itself_a_model():
    stuck = unit(rules=["Run Amok"])
    terms = {"policy_a": "take_cover", "policy_b": "take_cover"}
    for distance, lost in ((6.0, 1), (7.0, 0)):
        found = duel(stuck, unit(), distance=distance, **terms).summary
        assert (10 - found["mean_a_models_left"], 10 - found["mean_b_models_left"]) == (lost, lost)
    tough = duel(stuck, unit(damage_limit=2), distance=6.0, rounds=2, **terms).summary
    assert (tough["mean_a_models_left"], tough["mean_b_models_left"]) == (8, 9)
    assert duel(stuck, unit(category="aerial"), distance=6.0, **terms).summary["mean_a_models_left"] == 10
    unmeasured = duel(stuck, unit(), **terms)
    assert unmeasured.summary["mean_a_models_left"] == 10
    assert any("runs amok" in each for each in unmeasured.assumptions)


def test_who_runs_amok_has_charged_even_if_nobody_won():
    even = fury("Run Amok", speed=6.0) | {"rows": [row("melee", 2), row("ranged", 1)]}
    found = duel(even, unit(row("melee", 2)), distance=6.0, **LONE).summary
    assert (found["mean_a_models_left"], found["mean_b_models_left"]) == (8, 8)


def test_rules_that_make_a_unit_charge_are_not_modelled_in_a_charge():
    assert charge(*fighters(3, 0, a={"rules": ["Berserk", "Run Amok"]})).not_modelled == ("Berserk", "Run Amok")


def test_a_failed_rally_test_forbids_the_charge():
    charger = unit(row("melee", 3), suppressed=True)
    assert models(duel(charger, shooter(1), policy_a="charge", **SILENT), "b") == 10
    assert models(duel(charger, shooter(1), policy_a="charge", deck=LOW_CARDS, **SILENT), "b") == 7


def test_cryo_takes_an_activation_away():
    cold, plain = (duel(shooter(1, *qualities), shooter(3)) for qualities in (["Cryo"], []))
    assert (models(cold, "a"), models(plain, "a")) == (10, 7)


def test_falling_back_ends_at_the_edge():
    near = shooter(1, edge_distance=3.0)
    rows = [row("ranged", 1), row("ranged", 1) | {"id": "again"}]
    twice = unit(*rows, rules=["All-Out Attack (2)"])
    assert likely(duel(twice, near, policy_a="all_out", **SILENT), "b_fled") == 1
    assert likely(duel(twice, shooter(1), policy_a="all_out", **SILENT), "b_fled") == 0


def test_aircraft_fight_no_duels():
    with pytest.raises(InputError, match="aircraft"):
        duel(shooter(1), shooter(1, type="aircraft"))


# --- AC-9.3, AC-9.4: cards, and who has won ---------------------------------------------------------------


def test_the_answer_says_that_cards_are_put_back():
    result = duel(shooter(1), shooter(1))
    assert any("AC-9.3" in each for each in result.assumptions)
    assert any("AC-9.3" in each for each in focus([THREE, THREE], target()).assumptions)
    assert charge(*fighters()).assumptions == ()  # one test, one card


def test_victory_points_are_paid_for_who_is_gone():
    result = duel(shooter(10, victory_points=3), shooter(1, victory_points=7))
    assert (result.summary["expected_a_victory_points"], result.summary["expected_b_victory_points"]) == (7, 0)
    assert result.margins() == [{"margin": 7, "probability": pytest.approx(1)}]


def test_at_least_twice_the_other_sides_points_is_devastating():
    hunters = {"rules": ["Hunter"]}
    a = unit(row("melee", 3), **hunters)
    result = duel(a, unit(row("melee", 4)), policy_a="charge", rounds=1, policy_b="take_cover")
    assert (likely(result, "draw"), likely(result, "a_devastating")) == (1, 0)
    won = duel(unit(row("melee", 4), **hunters), unit(row("melee", 3)), policy_a="charge", policy_b="take_cover")
    assert (likely(won, "a_wins"), likely(won, "a_devastating")) == (1, 1)


@pytest.mark.parametrize(("points", "devastating"), [((2, 1), 1), ((3, 2), 0)])
def test_how_much_more_is_devastating(points, devastating):
    """Both are annihilated: B by the attack, A by its own blanks (Overcharge)."""
    a = unit(row("ranged", 1, "Overcharge"), models=1, victory_points=points[1])
    b = unit(models=1, victory_points=points[0])
    result = duel(a, b, die=COIN, deck={"1": 1}, policy_a="overcharge", policy_b="take_cover")
    both = [each for each in result.margins() if each["margin"] == points[0] - points[1]]
    assert both[0]["probability"] == pytest.approx(0.5)  # a strike and a blank, in either order
    assert likely(result, "a_devastating") == pytest.approx(0.25 + (0.5 if devastating else 0))


def test_nobody_hurt_is_a_draw():
    result = duel(shooter(1), shooter(1), policy_a="take_cover", policy_b="take_cover")
    assert likely(result, "draw") == 1


# --- as far as units can move -----------------------------------------------------------------------------

ALL_STRIKES = {"heroic": 0, "strike": 6, "glancing": 0, "miss": 0, "blank": 0}


@pytest.mark.parametrize(("edge", "attack"), [(66, 22), (92, 31), (96, 32)])
def test_a_unit_flees_however_far_its_edge_was(edge, attack):
    """Each attack destroys a model, and the suppressed unit falls back 3" after each (AC-5.4)."""
    shaken = {"models": 40, "defence": 1, "damage_limit": 1, "discipline": 0, "suppressed": True, "type": "cavalry"}
    attacks = [{"dice": 1, "rating": "neutral"} for _ in range(32)]
    result = analyser.focus(
        {"attacks": attacks, "target": shaken | {"edge_distance": edge}, "ruleset": {"die": ALL_STRIKES}}
    )
    fled = [after["p_fled"] for after in result.as_dict()["attacks"]]
    assert fled == [0.0] * (attack - 1) + [1.0] * (33 - attack)


def test_a_charge_over_the_whole_table_is_as_good_as_a_short_one():
    """A charger of speed 30 is as quick over 60" as over 30", and hits as hard in the rounds that follow (AC-9.2)."""
    charger, charged = fighters(1, 0, a={"speed": 30.0}, t={"models": 30})

    def models(distance):
        terms = {"rounds": 8, "first": "a", "policy_a": "charge", "policy_b": "take_cover", "distance": distance}
        result = analyser.duel({"duel": terms, "a": charger, "b": charged, "ruleset": {"die": ALL_STRIKES}})
        return [after["mean_models"] for after in result.as_dict()["rounds"] if after["side"] == "b"]

    assert models(60.0) == pytest.approx(models(30.0))
    assert models(60.0)[-1] < models(60.0)[0]


def test_an_edge_beyond_the_table_is_refused_in_a_duel():
    charger, charged = fighters(1, 1)
    scenario = {"duel": {"distance": 10}, "a": charger | {"edge_distance": 61}, "b": charged}
    with pytest.raises(InputError, match="edge_distance: 61 inches in a duel") as refused:
        analyser.duel(scenario | {"duel": {"distance": 10, "policy_a": "charge", "policy_b": "take_cover"}})
    assert refused.value.where == "a.edge_distance"


def test_as_many_attacks_as_there_may_be_can_all_be_answered():
    """A Tail Gunner answers each of 32 attacks from the air."""
    attackers = ["commonwealth/kheshig-sky-cutter-wings@basic"] * 32
    result = analyser.focus(attackers, "crown/defiance-fighter-squadron@basic")
    assert len(result.as_dict()["attacks"]) == 32


# --- what an answer may cost, and how sure it is ----------------------------------------------------------


@pytest.mark.parametrize(("rounds", "refused"), [(1, False), (6, True)])
def test_an_exact_duel_of_two_chargers_over_a_distance_is_refused_where_it_would_take_gigabytes(rounds, refused):
    large = unit(row("melee", 1), models=30, speed=6.0)
    terms = {"policy_a": "charge", "policy_b": "charge", "distance": 24.0, "rounds": rounds}
    if not refused:
        found = analyser.duel({"duel": terms, "a": large, "b": large}).summary
        assert found["p_draw"] + found["p_a_wins"] + found["p_b_wins"] == pytest.approx(1.0, abs=1e-12)
        return
    with pytest.raises(InputError, match="the exact distribution of this fight takes about") as problem:
        analyser.duel({"duel": terms, "a": large, "b": large})
    assert "monte-carlo" in str(problem.value)


def test_what_is_applied_goes_by_what_is_stated_and_not_by_the_dice():
    """The target of a single die has nothing to fear, yet its demise is counted in; nobody storms an open field."""
    charger, target = unit(row("melee", 1), rules=["Storming Party"]), unit(rules=["Spectacular Demise (6)"])
    scenario = {"charge": {}, "attacker": charger, "target": target}
    exact = analyser.charge(scenario)
    assert exact.probability("target_destroyed").probability == 0
    assert exact.rules_applied == ("Spectacular Demise (6)",)
    assert analyser.charge(scenario, method="monte-carlo", trials=100).rules_applied == exact.rules_applied
    in_a_building = analyser.charge(scenario | {"target": target | {"garrisoned": True}})
    assert in_a_building.rules_applied == ("Storming Party", "Spectacular Demise (6)")
