"""The plain reading of close quarters combat, against fights worked by hand from the rules."""

from fractions import Fraction

import pytest

from tests.helpers.plain_charges import EVEN_CARDS, HIGH_CARD, LOW_CARD, certain, charge, flat, ratings, row, unit

# --- blows ------------------------------------------------------------------------------------------------


def test_attack_then_retaliation_by_what_is_left():
    # AC-8.3: 4 models with a die each destroy 4 of 6; the 2 left destroy 2 of 4. 4 to 2: the target loses,
    # passes its test.
    end = certain(unit(4, row(1)), unit(6, row(1)))
    assert (end.active.models, end.target.models) == (2, 2)
    assert (end.target_losses, end.active_losses, end.won) == (4, 2, ("active",))
    assert not end.target.suppressed


def test_the_action_ends_when_the_target_is_annihilated():
    # AC-8.3: 4 destroy all 4; nobody is left to retaliate; AC-5.9 its VPR.
    end = certain(unit(4, row(1)), unit(4, row(1), victory_points=3))
    assert (end.active.models, end.target.fate, end.won) == (4, "destroyed", ("active",))
    assert (end.active_points, end.target_points) == (3, 0)


def test_an_impact_row_charges_but_does_not_retaliate():
    # AC-8.3: 2 of 6 destroyed, no answer from an impact row.
    end = certain(unit(2, row(1, kind="impact")), unit(6, row(1, kind="impact")))
    assert (end.active.models, end.target.models) == (2, 4)


def test_defensive_advantage():
    # AC-8.4: the 3 strike first and destroy 3 of 4, the 1 left destroys 1: 1 to 3, the active unit loses.
    for advantage in ({"difficult_terrain": True}, {}):
        rules = [] if advantage else ["Stoic Defence"]
        end = certain(unit(4, row(1)), unit(3, row(1), rules=rules), **advantage)
        assert (end.active.models, end.target.models, end.won) == (1, 2, ("target",))
    # A target without melee does not strike at all; an impact row of the charger strikes second.
    end = certain(unit(4, row(1, kind="impact")), unit(6), difficult_terrain=True)
    assert (end.active.models, end.target.models) == (4, 2)
    end = certain(unit(4, row(1, kind="impact")), unit(3, row(1)), difficult_terrain=True)
    assert (end.active.models, end.target.models) == (1, 2)


def test_the_charger_may_die_before_it_strikes():
    # AC-8.4, A5: three destroy three; no blow back; the target has won.
    end = certain(unit(3, row(1), victory_points=2), unit(3, row(1)), difficult_terrain=True)
    assert (end.active.fate, end.target.models, end.won) == ("destroyed", 3, ("target",))
    assert end.target_points == 2


def test_annihilating_wins_whatever_was_lost():
    # Garrison of 2 with 2 dice a model (half: 1 model, 2 dice) destroys 2 of 6; the 4 left count as 2 models and
    # destroy both: 2 to 2, but annihilated.
    end = certain(unit(6, row(1)), unit(2, row(2), garrisoned=True))
    assert (end.active.models, end.target.fate, end.won) == (4, "destroyed", ("active",))


def test_damage_left_over_from_the_blows_stays():
    # AC-3.7, AC-3.8: 5 dice, DEFENCE 2: 2 damage; with 2 already there 4 of DAMAGE LIMIT 3: one model, 1 left.
    target = unit(3, defence=2, damage_limit=3, damage=2)
    end = certain(unit(1, flat(5)), target)
    assert (end.target.models, end.target.damage) == (2, 1)


# --- ratings ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("active", "target", "combat", "attack", "retaliation"),
    [
        ({}, {}, {}, "neutral", "neutral"),
        # AC-8.2: outflanked only if infantry, cavalry or field gun; never the retaliation.
        ({}, {}, {"outflanked": True}, "improved", "neutral"),
        ({}, {"type": "cavalry"}, {"outflanked": True}, "improved", "neutral"),
        ({"type": "cavalry"}, {"type": "armour"}, {"outflanked": True}, "neutral", "neutral"),
        # Overwhelming: infantry on armour or fortification, from either side.
        ({}, {"type": "armour"}, {}, "improved", "neutral"),
        ({}, {"type": "fortification"}, {}, "improved", "neutral"),
        ({}, {"type": "artillery"}, {}, "neutral", "neutral"),
        ({"type": "armour"}, {}, {}, "neutral", "improved"),
        ({"type": "cavalry"}, {"type": "armour"}, {}, "neutral", "neutral"),
        # Supported is the other side's threatened, and the other way about.
        ({}, {}, {"supported": True}, "improved", "weakened"),
        ({}, {}, {"threatened": True}, "weakened", "improved"),
        ({}, {}, {"supported": True, "threatened": True}, "neutral", "neutral"),
        # Suppressed on either side.
        ({"suppressed": True}, {}, {}, "weakened", "neutral"),
        ({}, {"suppressed": True}, {}, "neutral", "weakened"),
        ({"suppressed": True}, {"suppressed": True}, {"supported": True}, "neutral", "weakened"),
        # AC-3.1: two bonuses and one penalty.
        ({}, {"type": "armour"}, {"supported": True, "threatened": True}, "improved", "neutral"),
        # AC-7 Onslaught in the attack of its charge only.
        ({"rules": ["Onslaught"]}, {"rules": ["Onslaught"]}, {}, "improved", "neutral"),
        # AC-6 Seismic on a garrison.
        ({"rows": [row(1, qualities=["Seismic"])]}, {"garrisoned": True}, {}, "improved", "neutral"),
        ({"rows": [row(1, qualities=["Seismic"])]}, {}, {}, "neutral", "neutral"),
    ],
)
def test_ratings(active, target, combat, attack, retaliation):
    active, target = {**unit(4, row(1)), **active}, {**unit(4, row(1)), **target}
    assert ratings(active, target, **combat) == (attack, retaliation)


def test_ratings_among_secondary_combatants():
    # AC-8.2, AC-8.7: they threaten the active unit, support the target, and are supported by it.
    one = unit(4, row(1))
    assert ratings(one, one, one) == ("weakened", "improved", "improved")
    assert ratings(one, one, {**one, "threatened": True})[2] == "neutral"
    assert ratings(one, one, {**one, "threatened": True, "suppressed": True})[2] == "weakened"


def test_ratings_in_an_overrun():
    # AC-7: one more penalty; Onslaught and the outflanking were the charge's, support is still there.
    given = {"outflanked": True, "again": True}
    fierce = unit(4, row(1), rules=["Onslaught", "Overrun"])
    assert ratings(fierce, unit(4, row(1)), **given) == ("weakened", "neutral")
    assert ratings(fierce, unit(4, row(1)), supported=True, **given) == ("neutral", "weakened")


def test_the_rating_is_rolled():
    # AC-3.4, one die, strike or miss; weakened and neutral keep the miss: 1/2; improved rolls it again: 3/4.
    die = {"strike": 1, "miss": 1}
    for combat, hit in [({"threatened": True}, (1, 2)), ({}, (1, 2)), ({"supported": True}, (3, 4))]:
        law = charge(unit(1, row(1)), unit(3), die=die, **combat)
        assert sum(chance for end, chance in law.items() if end.target_losses == 1) == Fraction(*hit)


# --- sponsons ---------------------------------------------------------------------------------------------


def test_sponsons_fire_first_and_count_for_nothing():
    # AC-8.1, AC-7: 3 of 6 are shot without a test or a loss that counts; the 3 left destroy 3 of 4, the 1 left 1.
    # The active unit wins 3 to 1, though it lost 4 in all.
    end = certain(unit(6, row(1)), unit(4, row(1), rules=["Sponsons (3)"]), deck=HIGH_CARD)
    assert (end.active.models, end.target.models, end.won) == (2, 1, ("active",))
    assert (end.target_losses, end.active_losses) == (3, 1)
    assert end.target.suppressed
    assert not end.active.suppressed


def test_sponsons_are_weakened():
    # AC-7: a miss or glancing strike is never rolled again, however threatened the charger is.
    die = {"strike": 1, "glancing": 1}
    law = charge(unit(2, flat(0)), unit(1, rules=["Sponsons (1)"]), die=die, threatened=True)
    assert sum(chance for end, chance in law.items() if end.active.models == 1) == Fraction(1, 2)


def test_sponsons_may_leave_no_charger():
    end = certain(
        unit(2, row(1), victory_points=4),
        unit(4, row(1), rules=["Sponsons (2)", "Hunter"]),
    )
    assert (end.active.fate, end.target.models, end.won, end.target_points) == ("destroyed", 4, (), 4)


def test_losses_to_sponsons_do_not_count_as_half_of_the_models():
    # AC-5.2, AC-8.5: 8 models, 4 shot by sponsons, then 1 of the 4 at the start of the combat: no -1, so the 6
    # passes DISCIPLINE 6. Without sponsons, 4 models and 2 of them: -1, it fails.
    target = unit(12, flat(1), rules=["Sponsons (4)"])
    assert not certain(unit(8, flat(0)), target, deck={"6": 1}).active.suppressed
    assert certain(unit(4, flat(0)), unit(12, flat(2)), deck={"6": 1}).active.suppressed
    assert not certain(unit(5, flat(0)), unit(12, flat(2)), deck={"6": 1}).active.suppressed


# --- the end of a combat ----------------------------------------------------------------------------------


def test_stalemate():
    # AC-8.5: 2 to 2, and none to none: the active unit withdraws, nobody tests.
    for dice in (2, 0):
        end = certain(
            unit(6, flat(dice), withdrawal_without_room=1, edge_distance=9),
            unit(6, flat(dice), withdrawal_without_room=1, edge_distance=9),
            deck=HIGH_CARD,
        )
        assert end.won == ("stalemate",)
        assert (end.active.models, end.target.models) == (5 - dice, 6 - dice)
        assert (end.active.edge_distance, end.target.edge_distance) == (6, 9)
        assert not end.active.suppressed
        assert not end.target.suppressed


def test_the_loser_withdraws_and_tests():
    # AC-8.5, AC-5.5: 3 of 8 destroyed, then 1 without room: 4 of 8 when it tests, so -1 and a 6 fails.
    end = certain(unit(3, row(1)), unit(8, withdrawal_without_room=1), deck={"6": 1})
    assert (end.target.models, end.target.suppressed, end.target_losses) == (4, True, 3)
    assert not certain(unit(3, row(1)), unit(8), deck={"6": 1}).target.suppressed
    # No room for any: annihilated, no test.
    end = certain(unit(3, row(1)), unit(8, withdrawal_without_room=9, victory_points=5))
    assert (end.target.fate, end.active_points) == ("destroyed", 5)


def test_what_a_failed_test_does():
    # AC-5.4 (a) break at 3 or fewer left: 5 of 8 destroyed.
    end = certain(unit(5, row(1)), unit(8, break_limit=3, victory_points=2), deck=HIGH_CARD)
    assert (end.target.fate, end.target.models, end.active_points) == ("broken", 0, 2)
    # (b) suppressed before: falls back, the models without room gone; 3" withdrawn and 3" fallen back of 12".
    end = certain(
        unit(5, row(1)),
        unit(8, suppressed=True, models_without_room=1, edge_distance=12),
        deck=HIGH_CARD,
    )
    assert (end.target.models, end.target.fell_back, end.target.edge_distance) == (2, True, 6)
    # 6" to the edge: 3" withdrawn, the other 3" reach it.
    end = certain(unit(5, row(1)), unit(8, suppressed=True, edge_distance=6), deck=HIGH_CARD)
    assert end.target.fate == "fled"
    # (c)
    assert certain(unit(5, row(1)), unit(8), deck=HIGH_CARD).target.suppressed
    # AC-5.1: two cards, one of them fails.
    law = charge(unit(5, row(1)), unit(8), deck=EVEN_CARDS)
    assert {end.target.suppressed: chance for end, chance in law.items()} == {
        True: Fraction(1, 2),
        False: Fraction(1, 2),
    }


def test_the_active_unit_tests_when_it_loses():
    end = certain(unit(8, flat(0)), unit(4, row(1)), deck=HIGH_CARD)
    assert (end.active.models, end.active.suppressed, end.won) == (4, True, ("target",))


def test_units_that_take_no_card():
    # AC-5.1, AC-7.
    for facts in ({"rules": ["Automata"]}, {"rules": ["Irrepressible"]}, {"peer_review": True}):
        assert not certain(unit(2, row(1)), unit(8, **facts), deck=HIGH_CARD).target.suppressed
    assert not certain(unit(2, row(1)), unit(8, discipline=None), deck=HIGH_CARD).target.suppressed
    assert certain(unit(2, row(1)), unit(8, fail_on_purpose=True), deck=LOW_CARD).target.suppressed
    # Chain of Command: DISCIPLINE 7 passes a 7.
    assert certain(unit(2, row(1)), unit(8), deck={"7": 1}).target.suppressed
    assert not certain(unit(2, row(1)), unit(8, chain_of_command=True), deck={"7": 1}).target.suppressed
