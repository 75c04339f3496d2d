"""Every numbered rule that touches a ranged attack, each changing its number as it should.

Most attacks here are rigged: each die is a strike, so `dice=5` is five hits for certain, on ten models that one hit
destroys one of, and each card is a 12, so that every test that goes by card is failed. Each test says what it
changes of that. Expected values are worked by hand from the rules.
"""

import pytest

import analyser
from analyser.common.errors import InputError
from analyser.game.profiles import Profiles
from tests.oracle.attacks import (
    COIN,
    LOW_CARDS,
    SHIPPED_DECK,
    SHIPPED_DIE,
    TOLERANCE,
    attack,
    certain,
    chance,
    hits_in,
    hits_law,
    law,
    marginal,
    scenario,
)

RIFLES = """
format = 1
id = "testers"
name = "Testers"

[[unit]]
id = "rifles"
name = "Rifles"
type = "infantry"
category = "light"
defence = 1
damage_limit = 2
rules = ["Veteran (2)", "Corrosive Fumes (3)"]
levels = { basic = { models = 6, points = 50, victory_points = 5 }, reinforced = { models = 12 } }

[[unit.rows]]
id = "rifles"
name = "Rifles"
kind = "ranged"
against = ["light"]
short_range = 6
long_range = 12
bands = [ { first = 1, last = 3, dice = 2 }, { first = 4, last = 6, dice = 5 } ]

[[unit.rows]]
id = "mortar"
name = "Mortar"
kind = "ranged"
against = ["light", "heavy"]
short_range = 6
long_range = 24
bands = [ { first = 1, last = 12, dice = 3, special = 7 } ]
qualities = [QUALITIES]

[[unit.rows]]
id = "bayonets"
name = "Bayonets"
kind = "melee"
bands = [ { first = 1, last = 12, dice = 4 } ]

[[unit]]
id = "walker"
name = "Walker"
type = "armour"
traits = ["behemoth"]
category = "heavy"
defence = 3
damage_limit = 10
levels = { basic = { models = 1 } }

[[unit.rows]]
id = "guns"
name = "Guns"
kind = "ranged"
against = ["light"]
long_range = 24
bands = [ { first = 0, last = 4, dice = 8 }, { first = 5, last = 9, dice = 4 } ]
"""


@pytest.fixture
def armoury(tmp_path):
    """A folder of profiles in which the mortar has the qualities that the test asks for."""

    def with_qualities(*qualities):
        listed = ", ".join(f'"{quality}"' for quality in qualities)
        (tmp_path / "testers.toml").write_text(RIFLES.replace("QUALITIES", listed), encoding="utf-8")
        return Profiles(tmp_path)

    return with_qualities


def rating_of(**keys):
    """The combat rating, told by what it re-rolls (AC-3.4).

    A die of a strike, a glancing strike and a miss hits with 3 of 9 if nothing is rolled again, with 4 if the
    glancing strike is, with 5 if the miss is too.
    """
    die = {"strike": 1, "glancing": 1, "miss": 1}
    names = {3: "weakened", 4: "neutral", 5: "improved"}
    return names[hits_in(9, die, dice=1, **keys)[1]]


def defence_of(**keys):
    """The effective DEFENCE, told by the models that 60 hits destroy of 100."""
    return 60 // certain(dice=60, models=100, discipline=None, **keys).models_destroyed


def modified_discipline(**keys):
    """DISCIPLINE with its modifiers, told by the chance to pass against the shipped deck: a twelfth a point.

    Two hits on ten models, which are no heavy losses.
    """
    keys = {"dice": 2, **keys}
    return round(12 * (1 - chance("suppressed", deck=SHIPPED_DECK, **keys)))


def refusal(**keys):
    """What the message says when an attack is not allowed."""
    with pytest.raises(InputError) as caught:
        attack(**keys)
    return str(caught.value)


# --- AC-3: the attack roll --------------------------------------------------------------------------------


def test_ac_3_1_the_rating_is_the_majority_of_bonuses_and_penalties():
    assert rating_of() == "neutral"
    assert rating_of(bonuses=["aiming"]) == "improved"
    assert rating_of(penalties=["suppressed"]) == "weakened"
    assert rating_of(bonuses=["aiming"], penalties=["suppressed"]) == "neutral"
    # Counts beyond the difference do not matter.
    assert rating_of(bonuses=["aiming", "short_range"]) == "improved"
    assert rating_of(bonuses=["aiming", "short_range"], penalties=["suppressed"]) == "improved"
    assert rating_of(bonuses=["aiming"], penalties=["suppressed", "reforming"]) == "weakened"


def test_ac_3_1_a_bonus_named_twice_counts_once():
    assert rating_of(bonuses=["aiming", "aiming"], penalties=["suppressed"]) == "neutral"


def test_ac_3_2_the_pool_is_the_dice_of_the_row():
    assert hits_law(attack(dice=7)) == {7: 1.0}


def test_ac_3_3_a_heroic_strike_adds_one_die_and_heroic_strikes_on_it_add_no_more():
    # Every side heroic: 3 dice, 3 added ones, 2 hits each.
    assert hits_law(attack({"heroic": 1}, dice=3)) == {12: 1.0}
    # Heroic or blank: blank 2 of 4; heroic, then blank 1; heroic, then heroic 1.
    assert hits_in(4, {"heroic": 1, "blank": 1}, dice=1) == {0: 2, 2: 1, 4: 1}


@pytest.mark.parametrize(
    ("rating", "face", "hits"),
    # A side of the face and a side that strikes; if the face is rolled again it strikes with 1 of 2.
    [
        ("weakened", "glancing", {0: 2, 1: 2}),
        ("weakened", "miss", {0: 2, 1: 2}),
        ("weakened", "blank", {0: 2, 1: 2}),
        ("neutral", "glancing", {0: 1, 1: 3}),
        ("neutral", "miss", {0: 2, 1: 2}),
        ("neutral", "blank", {0: 2, 1: 2}),
        ("improved", "glancing", {0: 1, 1: 3}),
        ("improved", "miss", {0: 1, 1: 3}),
        ("improved", "blank", {0: 2, 1: 2}),
    ],
)
def test_ac_3_4_the_rating_rerolls_its_faces_once(rating, face, hits):
    assert hits_in(4, {"strike": 1, face: 1}, dice=1, rating=rating) == hits


def test_ac_3_4_a_heroic_strike_on_a_reroll_adds_no_dice():
    # Heroic or miss, improved. Miss, then miss: 0 hits, 2 of 8. Miss, then heroic: 2 hits and no more, 2 of 8.
    # Heroic: 2 hits and a die that in its turn gives 2 hits with 3 of 4.
    assert hits_in(8, {"heroic": 1, "miss": 1}, dice=1, rating="improved") == {0: 2, 2: 2 + 1, 4: 3}


def test_ac_3_5_extra_rerolls_take_so_many_dice_of_the_named_faces():
    # Two dice of strike or blank: 0, 1, 2 strikes with 4, 8, 4 of 16. One blank rolled again is a strike half the time.
    extra = {"faces": ["blank"], "dice": 1}
    assert hits_in(16, COIN, dice=2, extra_reroll=extra) == {0: 2, 1: 2 + 4, 2: 4 + 4}
    # Two of them: every blank is rolled again once, so each die strikes with 3 of 4.
    assert hits_in(16, COIN, dice=2, extra_reroll=extra | {"dice": 2}) == {0: 1, 1: 6, 2: 9}


def test_ac_3_5_a_weakened_attack_takes_no_extra_rerolls():
    extra = {"faces": ["blank"], "dice": 2}
    assert hits_in(4, COIN, dice=2, rating="weakened", extra_reroll=extra) == {0: 1, 1: 2, 2: 1}


def test_ac_3_5_no_die_is_rolled_a_third_time():
    # Improved re-rolls the miss; naming misses once more changes nothing.
    die = {"strike": 1, "miss": 1}
    extra = {"faces": ["miss"], "dice": 5}
    assert hits_in(4, die, dice=1, rating="improved", extra_reroll=extra) == {0: 1, 1: 3}


@pytest.mark.parametrize(("face", "hits"), [("heroic", 4), ("strike", 1), ("glancing", 0), ("miss", 0), ("blank", 0)])
def test_ac_3_6_what_a_face_scores(face, hits):
    # A heroic strike is 2 hits, and so is the die that it adds.
    assert hits_law(attack({face: 1}, dice=1)) == {hits: 1.0}


@pytest.mark.parametrize(("hits", "damage"), [(2, 0), (3, 1), (5, 1), (6, 2)])
def test_ac_3_7_every_defence_hits_are_one_damage(hits, damage):
    assert certain(dice=hits, defence=3, damage_limit=100).damage == damage


def test_ac_3_8_each_time_damage_equals_damage_limit_a_model_is_destroyed():
    # 7 damage at DAMAGE LIMIT 3: two models, and 1 damage is left on the unit.
    outcome = certain(dice=7, damage_limit=3)
    assert (outcome.models_destroyed, outcome.models_left, outcome.damage) == (2, 8, 1)


def test_ac_3_8_damage_from_earlier_attacks_counts():
    outcome = certain(dice=7, damage_limit=3, damage=2)
    assert (outcome.models_destroyed, outcome.damage) == (3, 0)


def test_ac_3_8_at_no_models_the_unit_is_annihilated_and_the_rest_is_lost():
    outcome = certain(dice=8, damage_limit=3, models=2)
    assert (outcome.models_destroyed, outcome.models_left, outcome.damage, outcome.annihilated) == (2, 0, 0, True)


def test_ac_3_9_only_exposed_models_can_be_destroyed_and_the_rest_is_discarded():
    outcome = certain(dice=14, damage_limit=3, exposed=4)
    assert (outcome.models_destroyed, outcome.damage, outcome.annihilated) == (4, 0, False)


def test_ac_3_9_there_is_no_concealed_penalty_on_exposed_models():
    assert rating_of(penalties=["concealed"]) == "weakened"
    assert rating_of(penalties=["concealed"], exposed=4) == "neutral"
    # All ten exposed is no choice of the exposed ones.
    assert rating_of(penalties=["concealed"], exposed=10) == "weakened"


# --- AC-2 and AC-4: the row and its occasion --------------------------------------------------------------


@pytest.mark.parametrize(("models", "dice"), [(1, 2), (3, 2), (4, 5), (6, 5)])
def test_ac_2_3_the_band_goes_by_current_models(armoury, models, dice):
    keys = {"attacker": "rifles@basic", "row": "rifles", "veteran": 0, "attacker_models": models}
    assert hits_law(attack(profiles=armoury(), **keys)) == {dice: 1.0}


@pytest.mark.parametrize(("damage", "dice"), [(0, 8), (4, 8), (5, 4)])
def test_ac_2_3_a_behemoths_band_goes_by_the_damage_it_suffered(armoury, damage, dice):
    keys = {"attacker": "walker", "row": "guns", "attacker_damage": damage}
    assert hits_law(attack(profiles=armoury(), **keys)) == {dice: 1.0}


def test_ac_2_4_no_attack_outside_every_band(armoury):
    keys = {"attacker": "rifles@reinforced", "row": "rifles", "profiles": armoury()}
    assert "no attack dice for 12 models" in refusal(**keys)


def test_ac_4_1_the_row_must_match_the_targets_category(armoury):
    keys = {"attacker": "rifles@basic", "row": "rifles", "profiles": armoury()}
    assert "the target is heavy" in refusal(category="heavy", **keys)
    assert attack(category="light", **keys)


def test_ac_4_1_a_light_heavy_row_matches_both(armoury):
    keys = {"attacker": "rifles@basic", "row": "mortar", "profiles": armoury()}
    assert attack(category="light", **keys)
    assert attack(category="heavy", **keys)
    assert "the target is aerial" in refusal(category="aerial", **keys)


def test_ac_4_1_the_distance_must_be_within_long_range(armoury):
    keys = {"attacker": "rifles@basic", "row": "rifles", "profiles": armoury()}
    assert attack(distance=12, **keys)
    assert "long range is 12" in refusal(distance=12.5, **keys)


def test_ac_4_1_a_melee_row_makes_no_ranged_attack(armoury):
    assert "melee row" in refusal(attacker="rifles@basic", row="bayonets", profiles=armoury())


def test_ac_4_1_and_4_2_within_short_range_is_a_bonus(armoury):
    keys = {"attacker": "rifles@basic", "row": "rifles", "profiles": armoury()}
    assert attack(distance=6.5, **keys).conditions["rating"] == "neutral"
    assert attack(distance=6, **keys).conditions["rating"] == "improved"


@pytest.mark.parametrize("bonus", ["aiming", "short_range"])
def test_ac_4_2_bonuses(bonus):
    assert rating_of(bonuses=[bonus]) == "improved"


@pytest.mark.parametrize("penalty", ["concealed", "suppressed", "opportunity_fire", "reforming"])
def test_ac_4_2_penalties(penalty):
    assert rating_of(penalties=[penalty]) == "weakened"


def test_ac_4_2_what_the_scenario_implies_is_counted_once():
    assert rating_of(opportunity_fire=True) == "weakened"
    assert rating_of(opportunity_fire=True, penalties=["opportunity_fire"], bonuses=["aiming"]) == "neutral"
    assert rating_of(concealed=True) == "weakened"
    assert rating_of(concealed=True, penalties=["concealed"], bonuses=["aiming"]) == "neutral"


def test_ac_4_3_taking_cover_counts_while_concealed():
    assert defence_of(taking_cover=True) == 1
    assert defence_of(taking_cover=True, concealed=True) == 2
    assert defence_of(concealed=True) == 1


def test_ac_4_3_a_garrison_has_more_defence_and_is_always_concealed():
    assert defence_of(garrisoned=True) == 2
    assert defence_of(garrisoned=True, taking_cover=True) == 3
    assert rating_of(garrisoned=True) == "weakened"


def test_ac_4_3_an_obstacle_conceals_men_and_not_machines():
    assert rating_of(obstacle=True, type="infantry") == "weakened"
    assert rating_of(obstacle=True, type="armour") == "neutral"


def test_ac_4_4_a_garrisoned_attacker_counts_half_its_models(armoury):
    # 7 models in a building count as 4 (half, rounded up), 6 as 3: the bands of 5 and of 2 dice.
    keys = {"attacker": "rifles@basic", "row": "rifles", "veteran": 0, "attacker_garrisoned": True}
    assert hits_law(attack(profiles=armoury(), attacker_models=7, **keys)) == {5: 1.0}
    assert hits_law(attack(profiles=armoury(), attacker_models=6, **keys)) == {2: 1.0}


def test_ac_4_5_a_unit_that_lost_a_model_and_lives_takes_a_test():
    assert certain(dice=1).suppressed
    assert not certain(dice=1, damage_limit=2).suppressed
    assert not certain(dice=10).suppressed


def test_ac_4_5_opportunity_fire_causes_no_test():
    assert not certain(dice=1, opportunity_fire=True).suppressed
    assert not certain(dice=1, penalties=["opportunity_fire"]).suppressed


def test_ac_4_5_aircraft_cannot_be_suppressed():
    assert not certain(dice=1, aircraft=True).suppressed
    assert not certain(dice=1, type="aircraft").suppressed
    assert certain(dice=1, type="rotorcraft").suppressed


# --- AC-5: discipline -------------------------------------------------------------------------------------


@pytest.mark.parametrize("discipline", [0, 1, 7, 11, 12])
def test_ac_5_1_a_card_of_at_most_discipline_passes(discipline):
    # The shipped deck has every value from 1 to 12 equally often.
    failed = chance("suppressed", deck=SHIPPED_DECK, dice=1, discipline=discipline)
    assert failed == pytest.approx((12 - discipline) / 12, rel=0, abs=TOLERANCE)


def test_ac_5_1_the_deck_decides():
    # Three cards of 2 and one of 9 at DISCIPLINE 5.
    assert chance("suppressed", deck={"2": 3, "9": 1}, dice=1, discipline=5) == 0.25


def test_ac_5_1_discipline_below_every_card():
    # DISCIPLINE 0 passes on a card of 0; one less passes on none.
    assert not certain(deck={"0": 1}, dice=1, discipline=0).suppressed
    assert certain(deck={"0": 1}, dice=1, discipline=0, disordered=True).suppressed


def test_ac_5_1_a_unit_without_discipline_takes_no_test():
    assert not certain(dice=1, discipline=None).suppressed


def test_ac_5_1_a_general_may_fail_on_purpose():
    assert not certain(deck=LOW_CARDS, dice=1).suppressed
    assert certain(deck=LOW_CARDS, dice=1, fail_on_purpose=True).suppressed


def test_ac_5_2_heavy_losses_take_one_discipline():
    # 4 of 10 models are less than half, 5 are not; 4 of 8 and 5 of 9 (half is 4.5) are not either.
    assert modified_discipline(dice=4) == 6
    assert modified_discipline(dice=5) == 5
    assert modified_discipline(dice=4, models=8) == 5
    assert modified_discipline(dice=4, models=9) == 6
    assert modified_discipline(dice=5, models=9) == 5


def test_ac_5_3_disordered_takes_one_discipline():
    assert modified_discipline(disordered=True) == 5


def test_ac_5_4_a_unit_at_its_break_limit_breaks():
    assert not certain(dice=4, break_limit=5).broken
    outcome = certain(dice=5, break_limit=5)
    assert (outcome.broken, outcome.annihilated, outcome.models_left) == (True, True, 0)
    assert outcome.models_destroyed == 5


def test_ac_5_4_a_unit_without_break_limit_cannot_break():
    outcome = certain(dice=9)
    assert (outcome.broken, outcome.suppressed, outcome.models_left) == (False, True, 1)


def test_ac_5_4_breaking_comes_before_falling_back():
    outcome = certain(dice=5, break_limit=5, suppressed=True, edge_distance=1)
    assert (outcome.broken, outcome.fell_back, outcome.fled) == (True, False, False)


def test_ac_5_4_a_suppressed_unit_falls_back_and_stays_suppressed():
    outcome = certain(dice=1, suppressed=True)
    assert (outcome.fell_back, outcome.suppressed, outcome.annihilated, outcome.models_left) == (True, True, False, 9)


@pytest.mark.parametrize(("edge_distance", "fled"), [(0, True), (3, True), (3.1, False), (None, False)])
def test_ac_5_4_a_unit_that_falls_back_over_its_edge_flees(edge_distance, fled):
    outcome = certain(dice=1, suppressed=True, edge_distance=edge_distance)
    assert (outcome.fled, outcome.annihilated, outcome.fell_back) == (fled, fled, True)


def test_ac_5_4_only_a_unit_that_falls_back_flees():
    outcome = certain(dice=1, edge_distance=1)
    assert (outcome.fled, outcome.suppressed) == (False, True)


def test_ac_5_5_models_without_room_are_destroyed_when_falling_back():
    outcome = certain(dice=1, suppressed=True, models_without_room=2)
    assert (outcome.models_left, outcome.models_destroyed) == (7, 3)
    assert certain(dice=1, models_without_room=2).models_destroyed == 1
    assert certain(dice=1, suppressed=True, models_without_room=9).annihilated


def test_ac_5_8_in_close_formation_the_officer_falls_last():
    for officer in ("last", "first", "random"):
        assert not certain(dice=9, formation="close", officer=officer).disordered


def test_ac_5_8_in_open_formation_the_officer_falls_as_stated():
    assert not certain(dice=9, formation="open").disordered
    assert certain(dice=1, formation="open", officer="first").disordered
    assert not certain(dice=1, damage_limit=2, formation="open", officer="first").disordered
    # One of ten models is gone: the officer with a tenth. Three: three tenths.
    disordered = chance("disordered", dice=1, formation="open", officer="random")
    assert disordered == pytest.approx(0.1, rel=0, abs=TOLERANCE)
    disordered = chance("disordered", dice=3, formation="open", officer="random")
    assert disordered == pytest.approx(0.3, rel=0, abs=TOLERANCE)


def test_ac_5_8_the_loss_of_the_officer_counts_in_the_test_of_the_same_attack():
    assert modified_discipline(formation="open", officer="first") == 5


def test_ac_5_8_a_unit_near_a_commander_does_not_become_disordered():
    assert not certain(dice=1, formation="open", officer="first", near_commander=True).disordered
    assert modified_discipline(formation="open", officer="first", near_commander=True) == 6


def test_ac_5_8_formation_follows_the_type():
    # Infantry and field guns close, all others open; unless the scenario says otherwise.
    lost = {
        unit_type: certain(dice=1, type=unit_type, officer="first").disordered
        for unit_type in ("infantry", "field gun", "cavalry", "armour", "artillery", "fortification", "rotorcraft")
    }
    assert [unit_type for unit_type, disordered in lost.items() if not disordered] == ["infantry", "field gun"]
    assert not certain(dice=1, type="cavalry", officer="first", formation="close").disordered


def test_ac_5_9_annihilation_gives_the_victory_points():
    assert attack(dice=10, victory_points=4).summary["expected_victory_points"] == 4
    assert attack(dice=9, victory_points=4).summary["expected_victory_points"] == 0
    assert attack(dice=9, victory_points=4, break_limit=1).summary["expected_victory_points"] == 4
    fled = attack(dice=1, victory_points=4, suppressed=True, edge_distance=2)
    assert fled.summary["expected_victory_points"] == 4


# --- AC-6: weapon qualities -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quality", "keys", "dice"),
    [
        ("Point Blank", {"distance": 6}, 7),
        ("Point Blank", {"distance": 7}, 3),
        ("Shock", {"category": "light"}, 7),
        ("Shock", {"category": "heavy"}, 3),
        ("Wreckers", {"category": "light"}, 3),
        ("Wreckers", {"category": "heavy"}, 7),
        ("Arc", {"category": "light", "distance": 6}, 3),
    ],
)
def test_ac_6_the_value_in_parentheses(armoury, quality, keys, dice):
    keys = {"attacker": "rifles@basic", "row": "mortar", "veteran": 0, **keys}
    assert hits_law(attack(profiles=armoury(quality), **keys)) == {dice: 1.0}


def test_ac_6_the_value_in_parentheses_of_an_attack_without_a_row():
    keys = {"dice": 3, "dice_in_parentheses": 7}
    assert hits_law(attack(qualities=["Point Blank"], bonuses=["short_range"], **keys)) == {7: 1.0}
    assert hits_law(attack(qualities=["Point Blank"], **keys)) == {3: 1.0}
    assert hits_law(attack(qualities=["Wreckers"], category="heavy", **keys)) == {7: 1.0}


def test_ac_6_arc_adds_two_dice_for_a_heroic_strike():
    # Every side heroic: 1 die, 2 added ones that add no more, 2 hits each.
    assert hits_law(attack({"heroic": 1}, dice=1, qualities=["Arc"])) == {6: 1.0}


@pytest.mark.parametrize(("hits", "damage"), [(3, 1), (4, 2), (5, 2), (2, 1)])
def test_ac_6_devastating_adds_one_damage_for_excess_hits(hits, damage):
    assert certain(dice=hits, defence=3, damage_limit=100, qualities=["Devastating"]).damage == damage


def test_ac_6_devastating_adds_nothing_where_no_hit_is_left_over():
    for hits in (3, 6):
        assert certain(dice=hits, defence=3, qualities=["Devastating"]).models_destroyed == hits // 3


def test_ac_6_penetrating_destroys_one_more_model_for_the_damage_left():
    # 7 damage at DAMAGE LIMIT 3: two models and 1 damage left, which costs the third.
    outcome = certain(dice=7, damage_limit=3, qualities=["Penetrating"])
    assert (outcome.models_destroyed, outcome.damage) == (3, 0)
    # 6 damage leave nothing.
    assert certain(dice=6, damage_limit=3, qualities=["Penetrating"]).models_destroyed == 2


def test_ac_6_penetrating_counts_damage_left_from_before_but_needs_damage_of_its_own():
    keys = {"damage_limit": 3, "damage": 1, "qualities": ["Penetrating"]}
    assert certain(dice=1, **keys).models_destroyed == 1
    outcome = certain(dice=1, defence=2, **keys)
    assert (outcome.models_destroyed, outcome.damage) == (0, 1)


def test_ac_6_penetrating_does_one_more_damage_to_a_behemoth():
    keys = {"damage_limit": 10, "models": 1, "behemoth": True, "qualities": ["Penetrating"]}
    assert certain(dice=7, **keys).damage == 8
    assert certain(dice=9, **keys).annihilated


def test_ac_6_penetrating_stops_at_the_exposed_models():
    assert certain(dice=5, damage_limit=3, exposed=1, qualities=["Penetrating"]).models_destroyed == 1
    assert certain(dice=5, damage_limit=3, exposed=2, qualities=["Penetrating"]).models_destroyed == 2


def test_ac_6_suppressive_takes_one_discipline():
    assert modified_discipline(qualities=["Suppressive"]) == 5


def test_ac_5_2_modifiers_of_the_test_add_up():
    # AC-5.2, AC-5.3, AC-6: 6 - 1 - 1 - 1.
    assert modified_discipline(dice=5, disordered=True, qualities=["Suppressive"]) == 3


def test_ac_6_torrent_knows_no_concealment_and_no_cover():
    assert rating_of(concealed=True, qualities=["Torrent"]) == "neutral"
    assert rating_of(garrisoned=True, qualities=["Torrent"]) == "neutral"
    assert defence_of(garrisoned=True, taking_cover=True, qualities=["Torrent"]) == 1


def test_ac_6_precision_takes_the_officer_first_in_close_formation_too():
    assert certain(dice=1, formation="close", qualities=["Precision"]).disordered
    assert certain(dice=1, formation="open", qualities=["Precision"]).disordered


def test_ac_6_cryo_activates_instead_of_suppressing():
    outcome = certain(dice=1, qualities=["Cryo"])
    assert (outcome.activated, outcome.suppressed) == (True, False)
    outcome = certain(dice=1, qualities=["Cryo"], activated=True)
    assert (outcome.activated, outcome.suppressed) == (True, True)


def test_ac_6_cryo_neither_breaks_nor_drives_back_less():
    assert certain(dice=1, qualities=["Cryo"], break_limit=9).broken
    assert certain(dice=1, qualities=["Cryo"], suppressed=True).fell_back


def test_ac_6_seismic_disorders_a_unit_that_becomes_suppressed():
    assert certain(dice=1, qualities=["Seismic"]).disordered
    assert not certain(deck=LOW_CARDS, dice=1, qualities=["Seismic"]).disordered
    # Already suppressed it does not become so.
    assert not certain(dice=1, qualities=["Seismic"], suppressed=True).disordered
    assert not certain(dice=1, qualities=["Seismic"], near_commander=True).disordered


def test_ac_6_seismic_is_a_bonus_against_a_garrison():
    # The garrison is concealed, so one bonus makes it even.
    assert rating_of(garrisoned=True, qualities=["Seismic"]) == "neutral"


@pytest.mark.parametrize(
    "keys", [{"type": "rotorcraft"}, {"rules": ["Hover"]}, {"aircraft": True, "rules": ["Hot Headed"]}]
)
def test_ac_6_seismic_does_nothing_to_what_flies(keys):
    outcome = certain(dice=1, qualities=["Seismic"], **keys)
    assert (outcome.suppressed, outcome.disordered) == (True, False)


def test_ac_6_overcharge_adds_the_cards_value_in_dice():
    # 2 dice and a card of 3 or 5.
    assert hits_law(attack(deck={"3": 1, "5": 3}, dice=2, overcharge=True, discipline=None)) == {5: 0.25, 7: 0.75}


def test_ac_6_overcharge_costs_the_attacker_one_damage_for_each_final_blank():
    # 1 die and a card of 4, all blank: 5 damage on models with DAMAGE LIMIT 2.
    keys = {"die": {"blank": 1}, "deck": {"4": 1}, "dice": 1, "overcharge": True, "attacker_damage_limit": 2}
    outcome = certain(attacker_models=6, **keys)
    assert (outcome.attacker_models_destroyed, outcome.attacker_damage) == (2, 1)
    outcome = certain(attacker_models=6, attacker_damage=1, **keys)
    assert (outcome.attacker_models_destroyed, outcome.attacker_damage) == (3, 0)
    # No more models than it has, and what is left is lost.
    outcome = certain(attacker_models=1, **keys)
    assert (outcome.attacker_models_destroyed, outcome.attacker_damage) == (1, 0)


def test_ac_6_overcharge_counts_the_blanks_that_lie_at_the_end():
    # One die and a card of 0: strike or blank, the blank rolled again. A blank at the end with 1 of 4.
    keys = {"deck": {"0": 1}, "dice": 1, "overcharge": True, "extra_reroll": {"faces": ["blank"], "dice": 1}}
    found = marginal(law(attack(COIN, **keys)), "attacker_models_destroyed")
    assert found == {(0,): 0.75, (1,): 0.25}


def test_ac_6_turret_outside_the_front_arc_has_one_more_penalty():
    keys = {"qualities": ["Turret"], "penalties": ["outside_front_arc"]}
    assert rating_of(**keys) == "weakened"
    assert rating_of(bonuses=["aiming"], **keys) == "neutral"
    assert "Turret" in refusal(dice=1, penalties=["outside_front_arc"])


def test_ac_6_indirect_without_sight_is_weakened_and_with_a_spotter_improved_whatever_else():
    best = {"qualities": ["Indirect"], "bonuses": ["aiming", "ammo_supply"]}
    worst = {"qualities": ["Indirect"], "penalties": ["suppressed", "reforming"]}
    assert rating_of(line_of_sight="none", **best) == "weakened"
    assert rating_of(line_of_sight="spotter", **worst) == "improved"
    assert rating_of(line_of_sight="own", **best) == "improved"
    assert "Indirect" in refusal(dice=1, line_of_sight="none")


def test_ac_6_indirect_does_not_fire_within_short_range(armoury):
    keys = {"attacker": "rifles@basic", "row": "mortar", "profiles": armoury("Indirect")}
    assert "within short range" in refusal(distance=6, **keys)
    assert attack(distance=7, **keys)


def test_ac_6_lock_on_never_has_the_opportunity_fire_penalty():
    assert rating_of(opportunity_fire=True, qualities=["Lock On"]) == "neutral"
    # It is opportunity fire all the same: no test.
    assert not certain(dice=1, opportunity_fire=True, qualities=["Lock On"]).suppressed


@pytest.mark.parametrize(
    ("quality", "forbidden", "permitted"),
    [
        ("Slow to Fire", {"attacker_reloading": True}, {"attacker_advanced": True}),
        ("Move or Fire", {"attacker_advanced": True}, {"attacker_reloading": True}),
        ("Reactive", {}, {"opportunity_fire": True}),
    ],
)
def test_ac_6_when_a_row_may_be_used(armoury, quality, forbidden, permitted):
    keys = {"attacker": "rifles@basic", "row": "mortar", "profiles": armoury(quality)}
    assert quality in refusal(**forbidden, **keys)
    assert attack(**permitted, **keys)


def test_ac_6_full_steam_ahead_adds_two_dice_for_each_carriage():
    assert hits_law(attack(dice=2, qualities=["Full Steam Ahead"], carriages=3)) == {8: 1.0}
    assert "Full Steam Ahead" in refusal(dice=2, carriages=3)


@pytest.mark.parametrize("quality", ["Coruscating", "Fields of Fire"])
def test_ac_6_further_attacks_are_reported_as_not_modelled(quality):
    assert attack(dice=1, qualities=[quality]).not_modelled == (quality,)


# --- AC-7: special rules ----------------------------------------------------------------------------------


def test_ac_7_durable_heroic_strikes_score_one_hit_and_still_explode():
    assert hits_law(attack({"heroic": 1}, dice=3, rules=["Durable"])) == {6: 1.0}


def test_ac_7_veteran_turns_so_many_strikes_into_heroic_strikes():
    assert hits_law(attack(dice=3, veteran=2)) == {5: 1.0}
    assert hits_law(attack(dice=1, veteran=2)) == {2: 1.0}
    assert hits_law(attack(dice=3, veteran=2, rating="weakened")) == {5: 1.0}
    # Against Durable a heroic strike is no more than a strike.
    assert hits_law(attack(dice=3, veteran=2, rules=["Durable"])) == {3: 1.0}


def test_ac_7_veteran_is_read_from_the_attackers_profile(armoury):
    keys = {"attacker": "rifles@basic", "row": "rifles"}
    assert hits_law(attack(profiles=armoury(), **keys)) == {7: 1.0}


@pytest.mark.parametrize("keys", [{"rules": ["Automata"]}, {"rules": ["Irrepressible"]}, {"peer_review": True}])
def test_ac_7_units_that_pass_every_test(keys):
    assert not certain(dice=1, **keys).suppressed
    # They pass without a card, so there is none to fail on purpose.
    assert not certain(dice=1, fail_on_purpose=True, **keys).suppressed


def test_ac_7_chain_of_command_gives_one_discipline():
    assert modified_discipline(chain_of_command=True) == 7


def test_ac_7_resilient_front_counts_from_the_front_and_not_in_a_building():
    assert defence_of(rules=["Resilient (Front)"]) == 1
    assert defence_of(rules=["Resilient (Front)"], from_front=True) == 2
    # The building gives one, and takes that of the rule.
    assert defence_of(rules=["Resilient (Front)"], from_front=True, garrisoned=True) == 2


def test_ac_7_emplacement_counts_across_an_obstacle():
    assert defence_of(rules=["Emplacement"]) == 1
    assert defence_of(rules=["Emplacement"], obstacle=True) == 2
    assert defence_of(obstacle=True) == 1


def test_ac_7_pavises_give_cover_whether_or_not_concealed():
    assert defence_of(rules=["Pavises"]) == 1
    assert defence_of(rules=["Pavises"], taking_cover=True) == 2
    assert defence_of(rules=["Pavises"], taking_cover=True, concealed=True) == 2
    assert defence_of(rules=["Pavises"], taking_cover=True, qualities=["Torrent"]) == 1


@pytest.mark.parametrize("rule", ["Shrouded", "Obfuscating (12)"])
def test_ac_7_a_unit_that_is_always_concealed(rule):
    assert rating_of(rules=[rule]) == "weakened"
    assert rating_of(rules=[rule], exposed=4) == "weakened"
    assert rating_of(rules=[rule], qualities=["Torrent"]) == "neutral"
    assert defence_of(rules=[rule], taking_cover=True) == 2


def test_ac_7_a_construct_is_disordered_when_it_becomes_suppressed():
    assert certain(dice=1, rules=["Construct"]).disordered
    assert not certain(deck=LOW_CARDS, dice=1, rules=["Construct"]).disordered
    assert not certain(dice=1, rules=["Construct"], near_commander=True).disordered
    # Activated by Cryo is not suppressed.
    assert not certain(dice=1, rules=["Construct"], qualities=["Cryo"]).disordered


def test_ac_7_ammo_supply_is_a_bonus():
    assert rating_of(bonuses=["ammo_supply"]) == "improved"
    assert rating_of(bonuses=["ammo_supply", "aiming"], penalties=["suppressed"]) == "improved"


def test_ac_7_hot_headed_aircraft_are_suppressed_by_opportunity_fire_too():
    assert certain(dice=1, aircraft=True, rules=["Hot Headed"]).suppressed
    assert certain(dice=1, aircraft=True, opportunity_fire=True, rules=["Hot Headed"]).suppressed


def test_ac_7_corrosive_fumes_disorder_an_enemy_within_reach(armoury):
    keys = {"attacker": "rifles@basic", "row": "rifles", "profiles": armoury(), "deck": LOW_CARDS}
    assert certain(distance=3, **keys).disordered
    assert not certain(distance=3.5, **keys).disordered
    assert not certain(**keys).disordered
    assert not certain(distance=3, rules=["Automata"], **keys).disordered
    assert not certain(distance=3, near_commander=True, **keys).disordered


def test_ac_7_bodyguard_gives_precision_nothing():
    assert not certain(dice=1, qualities=["Precision"], rules=["Bodyguard"]).disordered


def test_ac_7_irregular_and_lockstep_say_the_formation():
    assert certain(dice=1, type="infantry", rules=["Irregular"], officer="first").disordered
    assert not certain(dice=1, type="cavalry", rules=["Lockstep"], officer="first").disordered


@pytest.mark.parametrize("rule", ["Fiery Demise (3)", "Tail Gunner (2)", "Slow", "Capacity (6)"])
def test_ac_7_rules_that_no_number_comes_from_are_reported_by_name(rule):
    result = attack(dice=1, rules=[rule])
    assert result.not_modelled == (rule,)
    assert law(result) == law(attack(dice=1))


@pytest.mark.parametrize("rule", ["Sponsons (4)", "Stoic Defence", "Hunter"])
def test_ac_7_rules_of_close_quarters_are_no_matter_for_a_ranged_attack(rule):
    result = attack(dice=1, rules=[rule])
    assert (result.rules_applied, result.not_modelled) == ((), ())
    assert "Rules applied: none, no special rules or qualities apply" in str(result)


def test_ac_7_an_unknown_rule_is_reported_and_warned_of():
    result = attack(dice=1, rules=["Moon Walk"], qualities=["Sun Burn"])
    assert result.not_modelled == ("Sun Burn", "Moon Walk")
    assert [warning for warning in result.warnings if "Moon Walk" in warning]
    assert [warning for warning in result.warnings if "Sun Burn" in warning]


# --- a whole attack by hand -------------------------------------------------------------------------------


def test_one_die_of_the_shipped_ruleset_from_roll_to_card():
    # One neutral die, DEFENCE 2, one hit a model, three models, DISCIPLINE 4, BREAK LIMIT 1 (AC-3, AC-5). In 216ths:
    # 0, 1, 2, 3, 4 hits are 90, 84, 21, 14, 7. So no model 174, one 21 + 14 = 35, two 7.
    # One of three destroyed: suppressed with 8 of 12. Two, at least half: fails with 9 of 12, and breaks.
    result = analyser.exact(
        scenario(SHIPPED_DIE, SHIPPED_DECK, dice=1, models=3, defence=2, discipline=4, break_limit=1)
    )
    found = marginal(law(result), "models_left", "models_destroyed", "suppressed", "broken")
    wanted = {
        (3, 0, False, False): 174 / 216,
        (2, 1, False, False): 35 / 216 * 4 / 12,
        (2, 1, True, False): 35 / 216 * 8 / 12,
        (1, 2, False, False): 7 / 216 * 3 / 12,
        (0, 2, False, True): 7 / 216 * 9 / 12,
    }
    assert found == pytest.approx(wanted, rel=0, abs=TOLERANCE)
