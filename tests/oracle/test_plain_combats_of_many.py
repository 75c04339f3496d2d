"""Secondary combatants, passengers and whole combats in the plain reading of close quarters, worked by hand."""

from fractions import Fraction

import pytest

from tests.helpers.plain_charges import COIN, EVEN_CARDS, HIGH_CARD, ONLY_STRIKES, certain, charge, flat, row, unit
from tests.oracle import plain_reading as plain

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
