"""Special rules (AC-7) in a ranged attack, each changing its number as it should."""

import pytest

from tests.oracle.attacks import LOW_CARDS, attack, certain, defence_of, hits_law, law, modified_discipline, rating_of


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
    assert "Rules applied: none" in str(result)


def test_ac_7_an_unknown_rule_is_reported_and_warned_of():
    result = attack(dice=1, rules=["Moon Walk"], qualities=["Sun Burn"])
    assert result.not_modelled == ("Sun Burn", "Moon Walk")
    assert [warning for warning in result.warnings if "Moon Walk" in warning]
    assert [warning for warning in result.warnings if "Sun Burn" in warning]
