"""Qualities, officers and special rules in the plain reading of close quarters combat, worked by hand."""

from fractions import Fraction

import pytest

from tests.helpers.plain_charges import COIN, EVEN_CARDS, HIGH_CARD, LOW_CARD, certain, charge, flat, row, unit

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
