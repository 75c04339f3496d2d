"""The plain reading of close quarters combat, against fights worked by hand from the rules."""

from fractions import Fraction

import pytest

from tests.oracle import plain_close_quarters as cq
from tests.oracle import plain_reading as plain
from tests.oracle.plain_after_blows import Fight
from tests.oracle.plain_units import unit_of

ONLY_STRIKES = {"strike": 1}  # as many hits as dice, for certain
COIN = {"strike": 1, "blank": 1}
LOW_CARD = {"1": 1}  # passes every test
HIGH_CARD = {"12": 1}  # fails every test
EVEN_CARDS = {"1": 1, "12": 1}


def row(dice, kind="melee", most=12, qualities=()):
    """A row: `dice` a model, or a table of dice by models."""
    if isinstance(dice, int):
        dice = {models: models * dice for models in range(1, most + 1)}
    bands = [{"first": models, "last": models, "dice": number} for models, number in dice.items()]
    return {"kind": kind, "bands": bands, "qualities": list(qualities)}


def flat(dice, **keys):
    """A row of so many dice whatever the number of models, none with 0 dice."""
    return row(dict.fromkeys(range(1, 13), dice), **keys)


def unit(models, *rows, **facts):
    """A unit that each hit costs a model, of DISCIPLINE 6."""
    return {
        "type": "infantry",
        "models": models,
        "defence": 1,
        "discipline": 6,
        "rows": list(rows),
        **facts,
    }


def charge(active, target, *secondaries, die=ONLY_STRIKES, deck=LOW_CARD, **combat):
    """The law of a charge with a rigged die and deck."""
    return cq.law(
        {
            "active": active,
            "target": target,
            "secondaries": list(secondaries),
            "combat": combat,
            "ruleset": {"die": die, "deck": deck},
        }
    )


def certain(*units, **keys):
    """The one end of a charge that has only one."""
    (outcome,) = charge(*units, **keys)
    return outcome


def ratings(active, target, *secondaries, again=False, **combat):
    """The ratings of the attack, of the retaliation and of each secondary combatant."""
    field = cq.read({"active": active, "target": target, "secondaries": list(secondaries), "combat": combat})._replace(
        again=again
    )
    others = tuple(map(unit_of, field.secondaries))
    fight = Fight(unit_of(field.active), unit_of(field.target), others)
    return (
        cq.active_rating(field, fight, cq.row_of_charge(field.active)),
        cq.target_rating(field, fight),
        *(cq.secondary_rating(field, facts, one) for facts, one in zip(field.secondaries, others)),
    )


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


# --- qualities --------------------------------------------------------------------------------------------


def test_qualities_on_the_losers_test():
    # AC-6 Suppressive: a 6 fails DISCIPLINE 6 - 1, whoever caused the test.
    suppressive = row(1, qualities=["Suppressive"])
    assert certain(unit(2, suppressive), unit(8), deck={"6": 1}).target.suppressed
    assert certain(unit(8, flat(0)), unit(2, suppressive), deck={"6": 1}).active.suppressed
    # The retaliator's quality does nothing to itself.
    assert not certain(unit(4, row(1)), unit(9, flat(1, qualities=["Suppressive"])), deck={"6": 1}).target.suppressed
    # Seismic and Construct disorder what becomes suppressed.
    assert certain(unit(2, row(1, qualities=["Seismic"])), unit(8), deck=HIGH_CARD).target.disordered
    assert certain(unit(2, row(1)), unit(8, rules=["Construct"]), deck=HIGH_CARD).target.disordered
    # Cryo: the target is activated instead; the active unit is activated already, so suppressed.
    cryo = row(1, qualities=["Cryo"])
    end = certain(unit(2, cryo), unit(8), deck=HIGH_CARD)
    assert (end.target.suppressed, end.target.activated) == (False, True)
    assert certain(unit(2, cryo), unit(8, activated=True), deck=HIGH_CARD).target.suppressed
    assert certain(unit(8, flat(0)), unit(2, cryo), deck=HIGH_CARD).active.suppressed


def test_qualities_of_dice_and_damage():
    # AC-6 Shock, Wreckers: the second value by target category.
    bands = [{"first": 1, "last": 12, "dice": 1, "special": 4}]
    for quality, category, lost in [
        ("Shock", "light", 4),
        ("Shock", "heavy", 1),
        ("Wreckers", "heavy", 4),
        ("Wreckers", "light", 1),
    ]:
        attack = {"kind": "melee", "bands": bands, "qualities": [quality]}
        assert certain(unit(2, attack), unit(8, category=category)).target.models == 8 - lost
    # Devastating: 3 hits on DEFENCE 2 are 2 damage. Penetrating: 1 damage of 2 is a model.
    assert certain(unit(1, flat(3, qualities=["Devastating"])), unit(8, defence=2)).target.models == 6
    end = certain(unit(1, flat(3, qualities=["Penetrating"])), unit(8, defence=2, damage_limit=2))
    assert (end.target.models, end.target.damage) == (7, 0)
    # Arc: one die, heroic for certain once, adds two: 2 + 2 + 2 hits.
    assert certain(unit(1, flat(1, qualities=["Arc"])), unit(8), die={"heroic": 1}).target.models == 2
    # Full Steam Ahead: two dice each carriage.
    steam = flat(1, kind="impact", qualities=["Full Steam Ahead"])
    assert certain(unit(1, steam, carriages=2), unit(8)).target.models == 3


def test_bands_of_a_behemoth_go_by_its_damage():
    # AC-2.3: 6 dice undamaged, 1 from 4 damage on; storming halves models, and it has no half.
    bands = [{"first": 0, "last": 3, "dice": 6}, {"first": 4, "last": 8, "dice": 1}]
    attack = {"kind": "melee", "bands": bands, "qualities": []}
    beast = unit(1, attack, behemoth=True, damage_limit=9)
    assert certain(beast, unit(8)).target.models == 2
    assert certain({**beast, "damage": 4}, unit(8)).target.models == 7
    assert certain(beast, unit(8, garrisoned=True)).target.models == 2


def test_extra_rerolls():
    # AC-3.5: a coin whose blank is rolled again.
    law = charge(unit(1, flat(1), extra_reroll={"faces": ["blank"], "dice": 1}), unit(8), die=COIN)
    assert sum(chance for end, chance in law.items() if end.target.models == 7) == Fraction(3, 4)


def test_rules_of_either_unit_on_the_roll():
    # AC-7 Durable: heroic strikes score 1: die and added die. Veteran (1): 2 strikes are 3 hits, both ways.
    assert certain(unit(1, flat(1)), unit(8, rules=["Durable"]), die={"heroic": 1}).target.models == 6
    assert certain(unit(1, flat(2), rules=["Veteran (1)"]), unit(8)).target.models == 5
    assert certain(unit(8, flat(0)), unit(1, flat(2), rules=["Veteran (1)"])).active.models == 5
    # Resilient (Front): the charger shows its front; the target where the scenario says so, not if outflanked.
    resilient = {"defence": 2, "rules": ["Resilient (Front)"]}
    assert certain(unit(8, flat(0), **resilient), unit(1, flat(6))).active.models == 6
    assert certain(unit(1, flat(6)), unit(8, **resilient)).target.models == 5
    assert certain(unit(1, flat(6)), unit(8, from_front=True, **resilient)).target.models == 6
    assert certain(unit(1, flat(6)), unit(8, from_front=True, **resilient), outflanked=True).target.models == 5


def test_cover_and_building_give_no_defence():
    # AC-4.3: four models count as two and destroy two of the garrison, DEFENCE 1.
    assert certain(unit(4, row(1)), unit(8, garrisoned=True)).target.models == 6


def test_overcharge():
    # AC-6: a card of 1, so 1 + 1 coins; each blank is 1 damage to the charger, DAMAGE LIMIT 1, and is not an
    # enemy model destroyed. Two strikes 1/4: 2 to 0. One of each 2/4: 1 to 0, one own model gone. Two blanks 1/4:
    # stalemate, two own models gone.
    charger = unit(4, flat(1, qualities=["Overcharge"]), overcharge=True)
    law = charge(charger, unit(8), die=COIN, deck=LOW_CARD)
    assert {(end.active.models, end.target.models, *end.won): chance for end, chance in law.items()} == {
        (4, 6, "active"): Fraction(1, 4),
        (3, 7, "active"): Fraction(1, 2),
        (2, 8, "stalemate"): Fraction(1, 4),
    }
    # It can kill itself, and then the other side has won; or both at once, and then it has won.
    end = certain({**charger, "models": 2, "victory_points": 3}, unit(8), die={"blank": 1})
    assert (end.active.fate, end.won, end.target_points) == ("destroyed", ("target",), 3)
    law = charge({**charger, "models": 1}, unit(1), die=COIN)
    assert {(end.active.models, end.target.models, *end.won): chance for end, chance in law.items()} == {
        (1, 0, "active"): Fraction(1, 4),
        (0, 0, "active"): Fraction(1, 2),
        (0, 1, "target"): Fraction(1, 4),
    }
    # So can the one who hits back.
    end = certain(unit(8, flat(0)), {**charger, "models": 2, "victory_points": 3}, die={"blank": 1})
    assert (end.target.fate, end.won, end.active_points) == ("destroyed", ("active",), 3)
    # Without the option the quality does nothing.
    assert len(charge({**charger, "overcharge": False}, unit(8), die=COIN)) == 2


# --- officers ---------------------------------------------------------------------------------------------


def test_officers():
    # AC-5.8: 2 of 5 destroyed, the officer among them with 2/5; then disordered, and a 6 fails 6 - 1.
    victim = unit(5, formation="open", officer="random")
    law = charge(unit(2, row(1)), victim, deck={"6": 1})
    assert {(end.target.disordered, end.target.suppressed): chance for end, chance in law.items()} == {
        (True, True): Fraction(2, 5),
        (False, False): Fraction(3, 5),
    }
    # Precision takes the officer first, in close formation too, not from a Bodyguard or near a commander.
    precision = row(1, qualities=["Precision"])
    assert certain(unit(2, precision), unit(5)).target.disordered
    assert not certain(unit(2, precision), unit(5, rules=["Bodyguard"])).target.disordered
    assert not certain(unit(2, precision), unit(5, near_commander=True)).target.disordered
    # Sponsons can take it as well.
    charger = unit(8, row(1), formation="open", officer="first")
    assert certain(charger, unit(12, rules=["Sponsons (1)"])).active.disordered


def test_corrosive_fumes_disorder_whoever_touches_them():
    fuming = {"rules": ["Corrosive Fumes (2)"]}
    assert certain(unit(4, row(1), **fuming), unit(9)).target.disordered
    assert certain(unit(4, row(1)), unit(9, **fuming)).active.disordered
    assert not certain(unit(4, row(1), **fuming), unit(9, rules=["Automata"])).target.disordered
    # Secondary combatants touch the active unit too.
    end = certain(unit(4, row(1), **fuming), unit(9), unit(3))
    assert (end.active.disordered, end.secondaries[0].disordered) == (False, True)
    assert certain(unit(4, row(1)), unit(9), unit(3, **fuming)).active.disordered


# --- special rules ----------------------------------------------------------------------------------------


def test_static():
    # AC-7: loses 2 to 1, so annihilated, whatever the card; a stalemate does it no harm; it cannot charge.
    end = certain(unit(2, row(1)), unit(8, flat(1), rules=["Static"], victory_points=4))
    assert (end.target.fate, end.active_points) == ("static", 4)
    assert certain(unit(2, row(1)), unit(8, flat(2), rules=["Static"])).target.models == 6
    with pytest.raises(ValueError, match="Static"):
        charge(unit(2, row(1), rules=["Static"]), unit(8))


def test_hunter():
    # AC-7: 1 VP for a combat won, on either side; none for a stalemate.
    hunter = {"rules": ["Hunter"]}
    assert certain(unit(4, row(1), **hunter), unit(6, **hunter)).active_points == 1
    assert certain(unit(4, flat(0), **hunter), unit(6, flat(1), **hunter)).target_points == 1
    end = certain(unit(4, flat(1), **hunter), unit(6, flat(1), **hunter))
    assert (end.active_points, end.target_points) == (0, 0)
    assert certain(unit(4, row(1), **hunter), unit(4, victory_points=3)).active_points == 4


def test_overrun():
    # AC-7: 4 destroy 4 of 12, who destroy 1; then 3 destroy 3 of the 8, who destroy 1 again: two combats won.
    fierce = unit(4, row(1), rules=["Overrun", "Hunter"])
    end = certain(fierce, unit(12, flat(1)))
    assert (end.active.models, end.target.models, end.won) == (2, 5, ("active", "active"))
    assert (end.target_losses, end.active_losses, end.active_points) == (3, 1, 2)
    # Not after losing, not a third time, not if declined, not for the other side.
    assert certain(fierce, unit(12, flat(1)), overrun=False).won == ("active",)
    assert certain(unit(4, flat(0)), unit(12, flat(1), rules=["Overrun"])).won == ("target",)


def test_overrun_is_judged_by_itself():
    # The loser of the first combat became suppressed (weakened retaliation: a glancing strike stays), and the
    # second test makes it fall back. 2 of 12 each time.
    fierce = unit(2, row(1), rules=["Overrun"])
    end = certain(fierce, unit(12), deck=HIGH_CARD)
    assert (end.target.models, end.target.suppressed, end.target.fell_back) == (8, True, True)
    # AC-5.2 is counted anew: 3 of 6, then 3 of 3.
    assert certain(unit(3, row(1), rules=["Overrun"]), unit(6)).target.fate == "destroyed"
    # Sponsons, Stoic Defence and the building are over: garrison of 4 counts 2 and strikes first (2 of 8); the 6
    # count 3: 1 left; it exits; then 6 destroy it before it strikes.
    garrison = unit(4, row(1), garrisoned=True, rules=["Sponsons (1)", "Stoic Defence"])
    end = certain(unit(9, row(1), rules=["Overrun"]), garrison)
    assert (end.active.models, end.target.fate) == (6, "destroyed")


def test_throw():
    # AC-7: two models lost in the combat, then as many as the card says, and no test though every card is high.
    thrower, enemy = unit(5, flat(2), rules=["Throw (3)"]), unit(10, discipline=None)
    assert certain(thrower, enemy, deck={3: 1}).target.models == 5
    after = certain(thrower, enemy | {"discipline": 6}, deck={6: 1}).target  # the throw costs 6 of 8
    assert (after.models, after.suppressed) == (2, False)
    idle = unit(5, flat(1), rules=["Throw (3)"])
    assert certain(idle, enemy | {"defence": 2}, deck={3: 1}).target.models == 10
    # Weakened: a glancing strike is not rolled again. After one die of the combat, neutral, one hit with 1/2.
    one = unit(5, flat(1), rules=["Throw (3)"])
    law = charge(one, enemy | {"models": 4}, die={"strike": 1, "glancing": 1}, deck={1: 1})
    left = {models: sum(chance for end, chance in law.items() if end.target.models == models) for models in (4, 3, 2)}
    assert left == {4: Fraction(1, 4), 3: Fraction(3, 8), 2: Fraction(3, 8)}
    # Out of reach: the loser that falls back is 6" away.
    for reach, models in ((6, 5), (5, 8)):
        far = unit(5, flat(2), rules=[f"Throw ({reach})"])
        assert certain(far, unit(10, suppressed=True, discipline=2), deck={3: 1}).target.models == models
    # A building that was not lost, and Pavises, count.
    stormers = unit(5, flat(2), rules=["Throw (3)"])
    held = unit(10, flat(2), garrisoned=True, discipline=None)
    assert certain(stormers, held, deck={4: 1}).target.models == 10 - 2 - 4 // 2
    behind = unit(10, flat(2), rules=["Pavises"], taking_cover=True, discipline=None)
    assert certain(stormers, behind, deck={4: 1}).target.models == 10 - 2 - 4 // 2


def test_what_an_overrun_leaves_behind():
    # AC-7: nothing is left to overrun.
    fierce = unit(4, row(1), rules=["Overrun", "Hunter"])
    end = certain(fierce, unit(4))
    assert (end.won, end.active_points) == (("active",), 1)
    # Secondary combatants strike in the first combat only: 1 + 1 of 8; the target, of 12, then 1 more.
    end = certain(unit(8, flat(4), rules=["Overrun"]), unit(12, flat(1)), unit(3, flat(1)))
    assert (end.active.models, end.target.models) == (5, 4)
    # Their Suppressive bears on the first combat only: 9 beat 1 + 1 of 10 with 3; then 0 dice for 7, who lose 1 of
    # 8 to the target: a 6 passes.
    dice = {10: 3, 9: 3, 8: 0, 7: 0}
    end = certain(
        unit(10, row(dice), rules=["Overrun"]),
        unit(12, flat(1)),
        unit(3, flat(1, qualities=["Suppressive"])),
        deck={"6": 1},
    )
    assert (end.won, end.active.models, end.active.suppressed) == (("active", "target"), 7, False)
    # A fall back of the first combat is remembered though the second test is passed: 1/2 * 1/2 of all.
    law = charge(unit(1, flat(1), rules=["Overrun"]), unit(12, suppressed=True), deck=EVEN_CARDS)
    assert sum(chance for end, chance in law.items() if end.target.fell_back) == Fraction(3, 4)


# --- buildings --------------------------------------------------------------------------------------------


def test_storming():
    # AC-8.6: the garrison strikes first with half of 5 (3) models: 3 of 7; the 4 left count 2: 2 destroyed. The
    # active unit loses 2 to 3 and the garrison stays.
    end = certain(unit(7, row(1)), unit(5, row(1), garrisoned=True))
    assert (end.active.models, end.target.models, end.won) == (4, 3, ("target",))
    assert end.target.garrisoned
    # AC-7 Storming Party strikes first with 4 of 7: 1 of 5 left, half of 1 is 1. It exits.
    end = certain(unit(7, row(1), rules=["Storming Party"]), unit(5, row(1), garrisoned=True))
    assert (end.active.models, end.target.models, end.won) == (6, 1, ("active",))
    assert not end.target.garrisoned
    # ... and against Stoic Defence in a building too, but not in the open.
    for garrisoned, left in [(True, 6), (False, 2)]:
        target = unit(5, row(1), garrisoned=garrisoned, rules=["Stoic Defence"])
        assert certain(unit(7, row(1), rules=["Storming Party"]), target).active.models == left


# --- secondary combatants ---------------------------------------------------------------------------------


def test_secondary_combatants():
    # AC-8.7: 4 of 10 destroyed; the 6 destroy 1 (one die), the others 2 and 1: 4 to 4. The active unit has lost
    # all four, so it is annihilated.
    end = certain(unit(4, row(1)), unit(10, flat(1)), unit(3, flat(2)), unit(3, flat(1)))
    assert (end.active.fate, end.won) == ("destroyed", ("target",))
    # With 5: 5 to 3, the target loses and tests; the others withdraw, one without room, and do not test.
    end = certain(
        unit(5, row(1)),
        unit(10, flat(1)),
        unit(3, flat(2), withdrawal_without_room=1),
        deck=HIGH_CARD,
    )
    assert (end.active.models, end.target.models, end.target.suppressed) == (2, 5, True)
    assert (end.secondaries[0].models, end.secondaries[0].suppressed) == (2, False)
    # AC-7: one that is Static has not lost, and stays.
    static = unit(3, flat(0), withdrawal_without_room=1, rules=["Static"])
    assert certain(unit(5, row(1)), unit(10), static).secondaries[0].models == 3
    # Impact rows do not retaliate; a dead target takes the others with it out of the action.
    assert certain(unit(5, row(1)), unit(10), unit(3, flat(2, kind="impact"))).active.models == 5
    assert certain(unit(5, row(1)), unit(5), unit(3, flat(2))).active.models == 5
    # With the defensive advantage they strike first too: 1 + 2 of 5, the 2 left destroy 2.
    end = certain(unit(5, row(1)), unit(10, flat(1)), unit(3, flat(2)), difficult_terrain=True)
    assert (end.active.models, end.target.models, end.won) == (2, 8, ("target",))


# --- transports -------------------------------------------------------------------------------------------


def transport(models, riding, *rows, **facts):
    """A transport of Capacity (3), armour, DAMAGE LIMIT 1, with so many models embarked."""
    passengers = unit(riding, victory_points=2, **facts.pop("passengers", {}))
    rules = ["Capacity (3)", *facts.pop("rules", [])]
    return unit(models, *rows, type="armour", rules=rules, passengers=passengers, victory_points=5, **facts)


def test_passengers_without_room_count_for_the_win():
    # AC-8.8: 1 of 3 carriers destroyed, room for 6 of 8: two more models. 3 to 2: the active unit wins, though
    # only one model fell to it directly.
    end = certain(unit(1, flat(1)), transport(3, 8, flat(0)), die=ONLY_STRIKES)
    assert (end.target.models, end.target.passengers.models, end.target_losses) == (2, 6, 3)
    end = certain(unit(8, flat(1)), transport(3, 8, flat(2)))
    assert (end.target_losses, end.active_losses, end.won) == (3, 2, ("active",))
    # With room to spare nobody more is lost, and 1 to 2 it loses.
    assert certain(unit(8, flat(1)), transport(3, 6, flat(2))).won == ("target",)


def test_passengers_test_apart():
    # AC-5.10: both tests fail with 1/2: four ends of 1/4.
    law = charge(unit(1, flat(1)), transport(3, 8), deck=EVEN_CARDS)
    tests = {(end.target.suppressed, end.target.passengers.suppressed): chance for end, chance in law.items()}
    assert tests == dict.fromkeys([(False, False), (False, True), (True, False), (True, True)], Fraction(1, 4))
    # AC-5.2 of each by its own models, at least half lost and a 6 fails: one carrier of 3 destroyed and one without
    # room, so room for 3 of the 8 riders. Only the first of these losses counts for the win: 1 + 2.
    end = certain(unit(1, flat(1)), transport(3, 8, withdrawal_without_room=1), deck={"6": 1})
    assert (end.target.models, end.target.passengers.models, end.target_losses) == (1, 3, 3)
    assert (end.target.suppressed, end.target.passengers.suppressed) == (True, True)
    # 2 of 8 riders lost: no -1; 1 of 3 carriers: none.
    end = certain(unit(1, flat(1)), transport(3, 8), deck={"6": 1})
    assert (end.target.suppressed, end.target.passengers.suppressed) == (False, False)


def test_passengers_cannot_fall_back_but_can_break():
    riders = {"suppressed": True, "break_limit": 5}
    end = certain(unit(1, flat(1)), transport(3, 8, passengers=riders), deck=HIGH_CARD)
    assert (end.target.passengers.models, end.target.passengers.fate, end.target.passengers.fell_back) == (6, "", False)
    riders = {"suppressed": True, "break_limit": 6}
    end = certain(unit(1, flat(1)), transport(3, 8, passengers=riders), deck=HIGH_CARD)
    assert (end.target.passengers.fate, end.active_points) == ("broken", 2)


def test_passengers_go_with_their_transport():
    # Destroyed 3 + 8, broken, Static: VPR of both.
    for target, dice in [
        (transport(3, 8), 3),
        (transport(3, 8, break_limit=2), 1),
        (transport(3, 8, rules=["Static"]), 1),
    ]:
        end = certain(unit(1, flat(dice)), target, deck=HIGH_CARD)
        assert end.target.fate
        assert end.target.passengers.fate
        assert end.active_points == 7
    assert certain(unit(1, flat(3)), transport(3, 8)).target_losses == 11


def test_a_transport_that_charges():
    # AC-8.8: the retaliation destroys 1 carrier of 2, and 1 of 4 riders has no room: 0 to 2.
    end = certain(transport(2, 4, flat(0)), unit(3, flat(1)))
    assert (end.active.models, end.active.passengers.models, end.active_losses) == (1, 3, 2)
    # AC-5.2: 1 of 4 riders lost, so a 6 passes; 1 of 2 carriers, so it fails.
    end = certain(transport(2, 4, flat(0)), unit(3, flat(1)), deck={"6": 1})
    assert (end.active.suppressed, end.active.passengers.suppressed) == (True, False)
    end = certain(transport(2, 6, flat(0)), unit(3, flat(1)), deck={"6": 1})
    assert (end.active.passengers.models, end.active.passengers.suppressed) == (3, True)


# --- the whole --------------------------------------------------------------------------------------------


def test_who_may_not_be_charged_and_who_may_not_charge():
    with pytest.raises(ValueError, match="aircraft"):
        charge(unit(2, row(1)), unit(2, type="rotorcraft"))
    with pytest.raises(ValueError, match="melee or impact"):
        charge(unit(2), unit(2))
    with pytest.raises(ValueError, match="garisoned"):
        charge(unit(2, row(1)), {**unit(2), "garisoned": True})


def test_a_small_fight_by_hand():
    # Two models a side, a coin each; DEFENCE 1; no card fails. The charger destroys 0, 1, 2 with 1/4, 1/2, 1/4.
    # 2: annihilated. 1: the one left destroys 1 with 1/2: stalemate 1/4, won 1/4. 0: the two destroy 0, 1, 2
    # with 1/4, 1/2, 1/4: stalemate 1/16, lost 1/8 and annihilated 1/16.
    law = charge(unit(2, row(1)), unit(2, row(1)), die=COIN)
    assert {(end.active.models, end.target.models, *end.won): chance for end, chance in law.items()} == {
        (2, 0, "active"): Fraction(1, 4),
        (2, 1, "active"): Fraction(1, 4),
        (1, 1, "stalemate"): Fraction(1, 4),
        (2, 2, "stalemate"): Fraction(1, 16),
        (1, 2, "target"): Fraction(1, 8),
        (0, 2, "target"): Fraction(1, 16),
    }


def test_the_law_sums_to_one_with_everything_at_once():
    active = unit(
        4,
        flat(1, qualities=["Suppressive", "Overcharge", "Penetrating"]),
        overcharge=True,
        break_limit=1,
        rules=["Overrun", "Onslaught"],
        formation="open",
        officer="random",
    )
    target = transport(2, 5, flat(1, qualities=["Cryo"]), rules=["Sponsons (1)"], damage_limit=2, break_limit=1)
    law = charge(active, target, unit(2, flat(1)), die=plain.DEFAULT_DIE, deck={"1": 1, "6": 1}, threatened=True)
    assert sum(law.values()) == 1
    assert {len(end.won) for end in law} == {0, 1, 2}
