"""The plain reading of focus fire, against sequences worked by hand from the rules."""

from fractions import Fraction

import pytest

from tests.oracle import plain_focus_fire as focus
from tests.oracle import plain_reading as plain

ONLY_STRIKES = {"strike": 1}
COIN = {"strike": 1, "blank": 1}
HIGH_CARD = {"12": 1}
LOW_CARD = {"1": 1}
LOW_AND_HIGH = {"1": 1, "12": 1}


def fire(*attacks, die=ONLY_STRIKES, deck=HIGH_CARD, target=None, **keys):
    """So many hits an attack, or an attack's own keys, on ten models that each hit costs one."""
    listed = []
    for attack in attacks:
        given = {"dice": attack} if isinstance(attack, int) else dict(attack)
        circumstances = {key: given.pop(key) for key in focus.CIRCUMSTANCES & given.keys()}
        listed.append({"attack": given, "circumstances": circumstances})
    return {
        "attacks": listed,
        "target": {"models": 10, "defence": 1, "damage_limit": 1, "discipline": 6, **(target or {})},
        "ruleset": {"die": die, "deck": deck},
        **keys,
    }


def ends(*attacks, **keys):
    """The target after each attack of a sequence that can go in one way only."""
    found = []
    for law in focus.laws(fire(*attacks, **keys)):
        (target,) = law
        found.append(target)
    return found


def test_damage_and_models_carry_over():
    # AC-9.1, AC-3.8: 2 damage of DAMAGE LIMIT 3 stay; the next 2 make 4: one model and 1 left.
    first, second = ends(2, 2, target={"damage_limit": 3, "discipline": None})
    assert (first.models, first.damage) == (10, 2)
    assert (second.models, second.models_destroyed, second.damage) == (9, 1, 1)


def test_suppressed_then_falls_back_then_flees():
    # AC-9.1, AC-5.4: three failed tests, 6" from the edge: suppressed; back to 3" from it; over it.
    first, second, third = ends(1, 1, 1, target={"edge_distance": 6})
    assert (first.suppressed, first.fell_back, first.edge_distance) == (True, False, 6)
    assert (second.suppressed, second.fell_back, second.edge_distance) == (True, True, 3)
    assert (third.fate, third.models, third.models_destroyed) == ("fled", 0, 3)


def test_each_attack_counts_its_own_half():
    # AC-5.2: 4 of 10, then 2 of 6, then 2 of 4: only the last is half, so only there a 6 fails.
    found = ends(4, 2, 2, deck={"6": 1})
    assert [target.suppressed for target in found] == [False, False, True]


def test_breaks_when_few_are_left():
    # AC-5.4 (a): 6 left, then 3 of BREAK LIMIT 3.
    first, second = ends(4, 3, target={"break_limit": 3})
    assert (first.fate, second.fate, second.models_destroyed) == ("", "broken", 7)


def test_falling_back_leaves_cover_and_building():
    # AC-4.3: 3 hits on DEFENCE 1 + 1 are 1 model, in cover (concealed) as in a building; after the fall back 3.
    attacks = [{"dice": 3, "concealed": True}] * 3
    found = ends(*attacks, target={"taking_cover": True})
    assert [target.models for target in found] == [9, 8, 5]
    assert [target.taking_cover for target in found] == [True, False, False]
    found = ends(3, 3, 3, target={"garrisoned": True})
    assert [target.models for target in found] == [9, 8, 5]
    assert [target.garrisoned for target in found] == [True, False, False]


def test_disorder_and_activation_carry_over():
    # AC-5.8, AC-5.3: Precision takes the officer; DISCIPLINE 5 then fails a 6, also for the next attack.
    first, second = ends({"dice": 1, "qualities": ["Precision"]}, 1, deck={"6": 1})
    assert (first.disordered, first.suppressed, second.fell_back) == (True, True, True)
    # AC-6 Cryo: activated by the first, so suppressed by the second.
    cryo = {"dice": 1, "qualities": ["Cryo"]}
    first, second = ends(cryo, cryo)
    assert [(target.activated, target.suppressed) for target in (first, second)] == [(True, False), (True, True)]


def test_no_room_each_time():
    # AC-5.5: suppressed before, so each of two attacks makes it fall back and lose 3 more: 10 - 4 - 4, then
    # 2 - 1 leaves none with room for.
    suppressed = {"suppressed": True, "models_without_room": 3}
    found = ends(1, 1, 1, target=suppressed)
    assert [target.models for target in found] == [6, 2, 0]
    assert found[-1].fate == "no room"


def test_exposed_models_are_each_attacks_own():
    # AC-3.9: 2 of 10 for the first; the second has 9 exposed, but only 8 are left, so nothing is held back.
    first, second = ends({"dice": 5, "exposed": 2}, {"dice": 5, "exposed": 9}, target={"discipline": None})
    assert (first.models, second.models) == (8, 3)


def test_no_attack_on_what_is_gone():
    # AC-6 Overcharge: one strike or blank more; a blank costs the attacker a model, but not when nobody is left.
    attack = {"dice": 1, "overcharge": True, "qualities": ["Overcharge"], "attacker_models": 5}
    scenario = fire(10, attack, deck=LOW_CARD)
    assert focus.laws(scenario)[1] == {focus.Target(0, models_destroyed=10, fate="destroyed"): 1}
    assert focus.own_losses(scenario)[1] == {(0, 0): 1}
    # Two coins on a target that is there: 0, 1, 2 blanks with 1/4, 1/2, 1/4.
    scenario = fire(attack, die=COIN, deck=LOW_CARD)
    assert focus.own_losses(scenario)[0] == {(0, 0): Fraction(1, 4), (1, 0): Fraction(1, 2), (2, 0): Fraction(1, 4)}


def test_two_attacks_by_hand():
    # Two coins a time on DISCIPLINE 6, a low and a high card, with replacement: an attack destroys 0, 1, 2 models
    # with 1/4, 1/2, 1/4, and a test fails with 1/2, so it is failed with 3/8.
    first, second = focus.laws(fire(2, 2, die=COIN, deck=LOW_AND_HIGH))
    assert focus.chance_of(first, "suppressed") == Fraction(3, 8)
    # Not suppressed twice 25/64, fell back 9/64.
    assert focus.chance_of(second, "suppressed") == 1 - Fraction(25, 64)
    assert sum(chance for target, chance in second.items() if target.fell_back) == Fraction(9, 64)
    assert sum(chance for target, chance in second.items() if target.models == 6) == Fraction(1, 16)


def test_a_deck_remembers():
    # AC-9.3: one low and one high card, two tests for certain. Without replacement the second card is the other
    # one: exactly one test fails. With replacement: both 1/4, one 1/2, none 1/4.
    scenario = fire(1, 1, deck=LOW_AND_HIGH, replacement=False)
    second = focus.laws(scenario)[1]
    assert {(target.suppressed, target.fell_back): chance for target, chance in second.items()} == {(True, False): 1}
    second = focus.laws(fire(1, 1, deck=LOW_AND_HIGH))[1]
    assert {(target.suppressed, target.fell_back): chance for target, chance in second.items()} == {
        (True, True): Fraction(1, 4),
        (True, False): Fraction(1, 2),
        (False, False): Fraction(1, 4),
    }
    # AC-5.1: after two cards the deck is shuffled anew, so the third is either.
    third = focus.laws(fire(1, 1, 1, deck=LOW_AND_HIGH, replacement=False))[2]
    assert focus.chance_of(third, "suppressed") == 1
    assert sum(chance for target, chance in third.items() if target.fell_back) == Fraction(1, 2)


def test_a_known_deck():
    # Two cards are left of three, both high: both tests fail; the third then is from all three, one of them low.
    left = {"12": 2}
    scenario = fire(1, 1, 1, deck={"1": 1, "12": 2}, target_deck=left, replacement=False, target={"edge_distance": 6})
    second, third = focus.laws(scenario)[1:]
    assert sum(chance for target, chance in second.items() if target.fell_back) == 1
    assert focus.chance_of(third, "annihilated") == Fraction(2, 3)


def test_cards_are_spent_only_by_tests_and_overcharges():
    # No model destroyed by the first attack, so no card; then one of the two.
    tables = focus.tables(fire(0, 1, deck=LOW_AND_HIGH, replacement=False))
    assert {table.target_deck for table in tables[0]} == {((1, 1), (12, 1))}
    assert {table.target_deck for table in tables[1]} == {((1, 1),), ((12, 1),)}
    # A test passed or failed without a card turns none; the attackers' deck is another one.
    for facts in ({"rules": ["Automata"]}, {"fail_on_purpose": True}, {"peer_review": True}):
        (law,) = focus.tables(fire(1, deck=LOW_AND_HIGH, replacement=False, target=facts))
        assert {table.target_deck for table in law} == {((1, 1), (12, 1))}
    attack = {"dice": 0, "overcharge": True, "qualities": ["Overcharge"], "attacker_models": 5}
    law = focus.tables(fire(attack, attack, deck={"1": 1, "2": 1}, replacement=False, target={"discipline": None}))[1]
    # Cards 1 and 2 in either order: three hits in all.
    assert {table.target.models for table in law} == {7}
    assert {table.attackers_deck for table in law} == {((1, 1), (2, 1))}


def test_how_many_until():
    # Each attack destroys a model and fails with 1/2: suppressed or worse after n attacks 1 - 1/2^n.
    scenario = fire(1, 1, 1, 1, deck=LOW_AND_HIGH)
    assert focus.attacks_until(scenario, Fraction(8, 10), "suppressed") == 3  # 7/8
    assert focus.attacks_until(scenario, Fraction(7, 8), "suppressed") == 3
    assert focus.attacks_until(scenario, Fraction(95, 100), "suppressed") is None
    assert focus.attacks_until(fire(4, 4, 4), 1, "destroyed") == 3
    assert focus.attacks_until(fire(4, 4, 4, target={"break_limit": 2}), 1, "broken") == 2


def test_one_attack_is_the_ranged_attack():
    attack = {"dice": 3, "qualities": ["Arc", "Suppressive"], "rating": "improved"}
    target = {"models": 4, "defence": 2, "damage_limit": 1, "discipline": 8, "break_limit": 1, "suppressed": True}
    (law,) = focus.laws({"attacks": [{"attack": attack}], "target": target})
    ranged = plain.law({"attack": attack, "target": target})
    for fate, place in [("broken", 6), ("fled", 7)]:
        wanted = sum(chance for outcome, chance in ranged.items() if outcome[place])
        assert sum(chance for end, chance in law.items() if end.fate == fate) == wanted
    for models in range(5):
        wanted = sum(chance for outcome, chance in ranged.items() if outcome[0] == models)
        assert sum(chance for end, chance in law.items() if end.models == models) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("replacement", [True, False])
def test_the_laws_sum_to_one(replacement):
    attack = {"dice": 2, "overcharge": True, "qualities": ["Overcharge", "Precision"], "attacker_models": 2}
    target = {"models": 5, "defence": 1, "damage_limit": 2, "discipline": 6, "break_limit": 1, "edge_distance": 6}
    scenario = {
        "attacks": [{"attack": attack}, {"attack": {"dice": 2}}, {"attack": attack}],
        "target": target,
        "ruleset": {"deck": {"1": 2, "6": 1, "3": 1}},
        "replacement": replacement,
    }
    assert [sum(law.values()) for law in focus.laws(scenario)] == [1, 1, 1]


def test_what_it_does_not_know():
    with pytest.raises(ValueError, match="models"):
        focus.laws(fire({"dice": 1}) | {"attacks": [{"attack": {"dice": 1}, "circumstances": {"models": 3}}]})
