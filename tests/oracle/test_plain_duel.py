"""The plain reading of a duel, against rounds worked by hand from the rules."""

from fractions import Fraction

import pytest

from tests.oracle import plain_duel as duels
from tests.oracle import plain_reading as plain
from tests.oracle.plain_duel_state import Duel, Side

ONLY_STRIKES = {"strike": 1}
COIN = {"strike": 1, "blank": 1}
LOW_CARD = {"1": 1}  # passes every test
HIGH_CARD = {"12": 1}  # fails every test
LOW_AND_HIGH = {"1": 1, "12": 1}
HALF = Fraction(1, 2)


def ranged(dice, *qualities, short=4, far=12, **keys):
    """A ranged row against light: so many dice a model, or a table of dice by models."""
    if isinstance(dice, int):
        dice = {models: models * dice for models in range(1, 13)}
    bands = [{"first": models, "last": models, "dice": number} for models, number in dice.items()]
    return {
        "kind": "ranged",
        "against": ["light"],
        "short_range": short,
        "long_range": far,
        "bands": bands,
        "qualities": list(qualities),
        **keys,
    }


def flat(dice, *qualities, **keys):
    """A row of so many dice whatever the number of models."""
    return ranged(dict.fromkeys(range(1, 13), dice), *qualities, **keys)


def melee(dice):
    """A melee row of so many dice whatever the number of models."""
    return {**flat(dice), "kind": "melee"}


def unit(models, *rows, **facts):
    """A unit that each hit costs a model, of DISCIPLINE 6."""
    return {
        "type": "infantry",
        "models": models,
        "defence": 1,
        "discipline": 6,
        "victory_points": 1,
        "rows": list(rows),
        **facts,
    }


def play(a, b, policy_a="shoot", policy_b="take_cover", rounds=1, die=ONLY_STRIKES, deck=LOW_CARD, **keys):
    """The laws of a duel with a rigged die and deck: by default A shoots, B only takes cover, A first."""
    return duels.laws(
        {
            "a": a,
            "b": b,
            "policy_a": policy_a,
            "policy_b": policy_b,
            "rounds": rounds,
            "ruleset": {"die": die, "deck": deck},
            **keys,
        }
    )


def course(*units, **keys):
    """The duel at the end of each round, if it can go in one way only."""
    found = []
    for law in play(*units, **keys):
        (duel,) = law
        found.append(duel)
    return found


def last(*units, **keys):
    """The end of a duel that can go in one way only."""
    return course(*units, **keys)[-1]


def models(duel):
    """Models of A and of B."""
    return duel.a.unit.models, duel.b.unit.models


# --- turns and rounds -------------------------------------------------------------------------------------


def test_who_is_first_shoots_with_all():
    # 4 against 4, a hit each: the first destroys all of the other.
    both = {"policy_b": "shoot"}
    assert models(last(unit(4, ranged(1)), unit(4, ranged(1)), **both)) == (4, 0)
    assert models(last(unit(4, ranged(1)), unit(4, ranged(1)), first="b", **both)) == (0, 4)
    # AC-9.2: a fair coin each round.
    (law,) = play(unit(4, ranged(1)), unit(4, ranged(1)), first="random", **both)
    assert duels.law_of(law, models) == {(4, 0): HALF, (0, 4): HALF}


def test_rounds_go_on_with_what_is_left():
    # AC-9.2: A 3 dice, B 1 die a model: A 6, B 8: B 5, A 1; then B 2; then A is gone.
    found = course(unit(6, flat(3)), unit(8, ranged(1)), policy_b="shoot", rounds=3)
    assert [models(duel) for duel in found] == [(1, 5), (0, 2), (0, 2)]
    assert found[1].a.unit.fate == "destroyed"


def test_a_duel_that_is_over_stays_so():
    found = course(unit(4, flat(4)), unit(4, flat(4)), policy_b="shoot", rounds=3)
    assert found[0] == found[1] == found[2]


def test_random_first_is_a_coin_each_round():
    # 3 hits a shot, 6 models each, nobody tests: after a round 3 and 3. In the second the first to shoot wins.
    facts = {"discipline": None}
    laws = play(unit(6, flat(3), **facts), unit(6, flat(3), **facts), policy_b="shoot", rounds=2, first="random")
    assert duels.law_of(laws[0], models) == {(3, 3): 1}
    assert duels.law_of(laws[1], models) == {(3, 0): HALF, (0, 3): HALF}


def test_victory_points():
    scenario = {"a": {"victory_points": 3}, "b": {"victory_points": 2}}
    gone, there = Side(duels.cq.Unit(0, fate="broken")), Side(duels.cq.Unit(4))
    # AC-5.9, AC-9.4: at least twice the other's is devastating, also of none.
    assert duels.points(scenario, Duel(there, gone)) == (2, 0)
    assert duels.victory(scenario, Duel(there, gone)) == ("a", True)
    assert duels.victory(scenario, Duel(gone, gone)) == ("b", False)
    assert duels.victory(scenario, Duel(there, there)) == ("draw", False)
    assert duels.victory(scenario, Duel(gone, gone, hunted_a=1)) == ("draw", False)
    assert duels.victory(scenario, Duel(gone, there, hunted_b=3)) == ("b", True)
    assert duels.victory(scenario, Duel(gone, gone, hunted_a=4)) == ("a", True)
    assert duels.victory(scenario, Duel(gone, gone, hunted_a=3)) == ("a", False)


# --- suppressed, rally, end of activation -----------------------------------------------------------------


def test_suppressed_until_the_end_of_the_next_activation():
    # AC-5.4, AC-5.7: B is suppressed by A, rallies and loses it at the end of its own activation, each round.
    duel = last(unit(4, flat(1)), unit(9), deck=HIGH_CARD)
    assert (duel.b.unit.suppressed, duel.b.unit.fell_back) == (False, False)
    # B before A: it is still suppressed when the round ends, and its next activation ends it before A's.
    duel = last(unit(4, flat(1)), unit(9), deck=HIGH_CARD, first="b")
    assert duel.b.unit.suppressed
    found = course(unit(4, flat(1)), unit(9, edge_distance=3), deck=HIGH_CARD, first="b", rounds=3)
    assert [duel.b.unit.fate for duel in found] == ["", "", ""]


def test_falling_back_in_a_round_of_two_attacks_upon_it():
    # B first goes on lookout and is shot at: suppressed. Suppressed at the start of the duel: it falls back, 3" of
    # 6" left, then flees.
    found = course(
        unit(4, flat(1)),
        unit(9, suppressed=True, edge_distance=6),
        deck=HIGH_CARD,
        rounds=1,
    )
    assert (found[0].b.unit.edge_distance, found[0].b.unit.suppressed) == (3, False)
    duel = last(unit(4, flat(1)), unit(9, suppressed=True, edge_distance=3), deck=HIGH_CARD)
    assert duel.b.unit.fate == "fled"
    # AC-5.4 (a): 8 left.
    duel = last(unit(4, flat(1)), unit(9, break_limit=8), deck=HIGH_CARD)
    assert duel.b.unit.fate == "broken"


def test_a_failed_rally_test_keeps_the_shot_without_the_aim():
    # AC-5.6: one die, strike or miss. Suppressed and aiming: neutral, 1/2. Not rallied: weakened, 1/2 as well; so
    # with a glancing strike or a strike: neutral 1/2 + 1/2 * 1/2, weakened 1/2.
    die = {"strike": 1, "glancing": 1}
    for deck, hit in [(LOW_CARD, Fraction(3, 4)), (HIGH_CARD, HALF)]:
        (law,) = play(unit(4, flat(1), suppressed=True), unit(9, rules=["Automata"]), die=die, deck=deck)
        assert duels.law_of(law, models)[4, 8] == hit
    # Not suppressed: aiming, improved: a miss is rolled again too.
    (law,) = play(unit(4, flat(1)), unit(9), die={"strike": 1, "miss": 1})
    assert duels.law_of(law, models)[4, 8] == Fraction(3, 4)


def test_modifiers_of_the_rally_test():
    # AC-5.6, AC-5.3, AC-7: DISCIPLINE 6; disordered 5; Chain of Command 7. Rallied means neutral: the glancing
    # strike is rolled again, 3/4; else 1/2.
    die = {"strike": 1, "glancing": 1}
    target = unit(9, rules=["Automata"])
    for facts, card, hit in [
        ({}, 6, Fraction(3, 4)),
        ({}, 7, HALF),
        ({"disordered": True}, 6, HALF),
        ({"disordered": True}, 5, Fraction(3, 4)),
        ({"chain_of_command": True}, 7, Fraction(3, 4)),
        ({"peer_review": True}, 12, Fraction(3, 4)),
        ({"rules": ["Hot Headed"]}, 12, Fraction(3, 4)),
        ({"rules": ["Irrepressible"]}, 12, Fraction(3, 4)),
        ({"discipline": None}, 12, Fraction(3, 4)),
    ]:
        (law,) = play(unit(4, flat(1), suppressed=True, **facts), target, die=die, deck={str(card): 1})
        assert duels.law_of(law, models)[4, 8] == hit, (facts, card)


def test_disorder_ends_with_the_next_activation():
    # AC-5.8: Precision takes B's officer; B's own activation then ends the disorder; a Construct's does not end.
    precise = flat(1, "Precision")
    assert not last(unit(4, precise), unit(9)).b.unit.disordered
    assert last(unit(4, precise), unit(9), first="b").b.unit.disordered
    construct = unit(9, rules=["Construct"])
    duel = last(unit(4, flat(1)), construct, deck=HIGH_CARD)
    assert (duel.b.unit.suppressed, duel.b.unit.disordered) == (False, True)


def test_a_status_of_the_own_activation_stays():
    # AC-5.7: A charges, loses 0 to 1, is suppressed in its own activation: not at the end of this one.
    charger = unit(4, melee(0))
    found = course(charger, unit(9, melee(1)), policy_a="charge", deck=HIGH_CARD, rounds=2)
    assert found[0].a.unit.suppressed
    # In the next it fails to rally, stays out, and loses it.
    assert models(found[1]) == (3, 9)
    assert not found[1].a.unit.suppressed


def test_cryo_costs_the_activation():
    # AC-6: B fails its test: activated, so it does not shoot in this round. First in the round, it is suppressed.
    cryo = flat(1, "Cryo")
    both = {"policy_b": "shoot", "deck": HIGH_CARD}
    found = course(unit(4, cryo), unit(9, flat(1), rules=[]), rounds=2, **both)
    assert [models(duel) for duel in found] == [(4, 8), (4, 7)]
    assert not found[0].b.unit.suppressed
    assert not found[0].b.unit.activated
    duel = last(unit(4, cryo), unit(9, flat(1)), first="b", **both)
    assert (models(duel), duel.b.unit.suppressed) == ((3, 8), True)


# --- lookout and cover ------------------------------------------------------------------------------------


def test_opportunity_fire():
    # AC-9.2: B, on lookout, fires first: 3 of A's 4 models gone, no test though the card is high; A's last one
    # shoots. B then goes on lookout again.
    watcher = unit(9, flat(3), on_lookout=True)
    duel = last(unit(4, ranged(1)), watcher, policy_b="lookout", deck=HIGH_CARD)
    assert (models(duel), duel.a.unit.suppressed, duel.b.on_lookout) == ((1, 8), False, True)
    # Without it A shoots with four; B goes on lookout and fires in the next round.
    found = course(unit(4, ranged(1)), unit(9, flat(3)), policy_b="lookout", rounds=2)
    assert [models(duel) for duel in found] == [(4, 5), (1, 4)]
    # A unit that is gone does not shoot.
    assert models(last(unit(3, ranged(1)), watcher, policy_b="lookout")) == (0, 9)


def test_opportunity_fire_is_weakened():
    # AC-4.2: one penalty, nothing rolled again; Lock On has none.
    die = {"strike": 1, "glancing": 1}
    for qualities, hit in [([], HALF), (["Lock On"], Fraction(3, 4))]:
        watcher = unit(9, flat(1, *qualities), on_lookout=True)
        (law,) = play(unit(4), watcher, policy_a="take_cover", policy_b="lookout", die=die)
        assert duels.law_of(law, models)[3, 9] == hit


def test_the_second_reaction_step():
    # B reaches 12". A comes from 14" to 9" and shoots; only then can B fire, with the 5 models it has left.
    watcher = unit(9, ranged(1), on_lookout=True)
    duel = last(unit(9, flat(4), speed=5), watcher, policy_b="lookout", distance=14)
    assert models(duel) == (4, 5)
    # Once only: in reach at 9" from the start, it fires before A shoots, and not again.
    duel = last(unit(12, flat(4), speed=5), watcher, policy_b="lookout", distance=9)
    assert models(duel) == (3, 5)


def test_reactive_rows_fire_only_from_lookout():
    # AC-6: 3 hits from lookout, nothing at all in its own activation.
    reactive, own = flat(3, "Reactive"), flat(1)
    assert models(last(unit(9), unit(9, reactive, own), policy_a="take_cover", policy_b="shoot")) == (8, 9)
    duel = last(unit(9), unit(9, reactive, own, on_lookout=True), policy_a="take_cover", policy_b="lookout")
    assert models(duel) == (6, 9)


def test_what_ends_lookout():
    # B does not reach A, so it never fires. Being suppressed does not end its lookout, falling back does.
    blind = unit(9, flat(1, short=None, far=1), on_lookout=True)
    blinded = {"policy_b": "lookout", "deck": HIGH_CARD, "first": "b", "distance": 9}
    duel = last(unit(4, flat(1)), blind, **blinded)
    assert (duel.b.on_lookout, duel.b.unit.suppressed, duel.distance) == (True, True, 9)
    twice = unit(4, flat(1), flat(1), rules=["All-Out Attack (2)"])
    duel = last(twice, blind, policy_a="all_out", **blinded)
    assert (duel.b.on_lookout, duel.b.unit.suppressed, duel.distance) == (False, True, 12)


def test_taking_cover():
    # AC-4.3: 4 hits on DEFENCE 1 + 1 once it is in cover and concealed; it starts in the open: 4, then 2, then 2.
    target = unit(12, concealed=True)
    found = course(unit(4, flat(4)), target, rounds=3)
    assert [models(duel)[1] for duel in found] == [8, 6, 4]
    assert [duel.b.taking_cover for duel in found] == [True, True, True]
    assert [models(duel)[1] for duel in course(unit(4, flat(4)), unit(12), rounds=2)] == [8, 4]
    # It ends with the start of the next activation, not so for Pavises, which need no concealment.
    shooter = unit(9, flat(1), taking_cover=True)
    assert not last(unit(4, flat(0)), shooter, policy_b="shoot").b.taking_cover
    pavises = unit(12, flat(1), taking_cover=True, rules=["Pavises"])
    found = course(unit(9, flat(4)), pavises, policy_b="shoot", rounds=2)
    assert [models(duel) for duel in found] == [(8, 10), (7, 8)]
    # Falling back is a move.
    duel = last(unit(9, flat(4)), {**pavises, "suppressed": True}, policy_b="shoot", deck=HIGH_CARD)
    assert not duel.b.taking_cover


def test_a_garrison_shoots_with_half_and_does_not_aim():
    # AC-4.4: 5 models count 3. AC-4.3: 4 hits on DEFENCE 1 + 1. Aiming would roll a miss again.
    garrison = unit(5, ranged(1), garrisoned=True)
    assert models(last(garrison, unit(9, flat(4)), policy_b="shoot")) == (3, 6)
    (law,) = play(unit(2, ranged(1), garrisoned=True), unit(9), die={"strike": 1, "miss": 1})
    assert duels.law_of(law, models)[2, 8] == HALF


# --- rows -------------------------------------------------------------------------------------------------


def test_slow_to_fire():
    # AC-6: a shot, a re-arm, a shot.
    found = course(unit(4, flat(1, "Slow to Fire")), unit(9), rounds=3)
    assert [models(duel)[1] for duel in found] == [8, 8, 7]
    assert [duel.a.reloading for duel in found] == [True, False, True]
    assert models(last(unit(4, flat(1, "Slow to Fire"), reloading=True), unit(9))) == (4, 9)
    # From lookout too: fires in round 2, so it re-arms then, watches again in round 3, fires in round 4.
    slow = unit(9, flat(1, "Slow to Fire"))
    found = course(unit(9), slow, policy_a="take_cover", policy_b="lookout", rounds=4)
    assert [models(duel)[0] for duel in found] == [9, 8, 8, 7]
    assert [duel.b.on_lookout for duel in found] == [True, False, True, False]


def test_move_or_fire_and_distance():
    # AC-4.1: 20" away, SPEED 5, long range 12. Two advances to 10", the second with a shot; then it aims.
    # An aimed shot rolls a miss again: 3/4; unaimed 1/2.
    die = {"strike": 1, "miss": 1}
    laws = play(unit(1, flat(1), speed=5), unit(9), die=die, distance=20, rounds=3)
    hit = [1 - duels.law_of(laws[0], models)[1, 9], 1 - duels.law_of(laws[1], models)[1, 9]]
    assert hit == [0, HALF]
    assert duels.law_of(laws[2], models)[1, 9] == HALF * Fraction(1, 4)
    assert duels.law_of(laws[2], lambda duel: duel.distance) == {10: 1}
    # AC-6 Move or Fire: not after an advance.
    found = course(unit(1, flat(1, "Move or Fire"), speed=5), unit(9), distance=16, rounds=2)
    assert [models(duel)[1] for duel in found] == [9, 8]
    # A failed rally test: only the advance.
    duel = last(unit(1, flat(1), speed=5, suppressed=True), unit(9), distance=16, deck=HIGH_CARD)
    assert (models(duel), duel.distance) == ((1, 9), 11)


def test_short_range():
    die = {"strike": 1, "miss": 1}
    # Without a distance: the bonus, no aim: improved.
    (law,) = play(unit(1, flat(1)), unit(9), policy_a="short_range", die=die)
    assert duels.law_of(law, models)[1, 8] == Fraction(3, 4)
    # 11" away: 6" nearer and a shot without bonus, then 1" to 4" (short) and a shot with it.
    laws = play(unit(1, flat(1), speed=6), unit(9), policy_a="short_range", die=die, distance=11, rounds=2)
    assert [set(duels.law_of(law, lambda duel: duel.distance)) for law in laws] == [{5}, {4}]
    assert duels.law_of(laws[0], models)[1, 8] == HALF
    assert duels.law_of(laws[1], models)[1, 9] == HALF * Fraction(1, 4)
    # AC-6 Point Blank: the second value within short range.
    row = flat(1, "Point Blank")
    row["bands"] = [{**band, "special": 3} for band in row["bands"]]
    assert models(last(unit(1, row), unit(9), policy_a="short_range")) == (1, 6)
    assert models(last(unit(1, row), unit(9))) == (1, 8)
    assert models(last(unit(1, row), unit(9), distance=4)) == (1, 6)
    # A failed rally test: shoots from where it stands, or comes nearer.
    shooter = unit(1, flat(1), speed=6, suppressed=True)
    duel = last(shooter, unit(9), policy_a="short_range", deck=HIGH_CARD, distance=11)
    assert (models(duel), duel.distance) == ((1, 8), 11)
    duel = last(shooter, unit(9), policy_a="short_range", deck=HIGH_CARD, distance=14)
    assert (models(duel), duel.distance) == ((1, 9), 8)


def test_rules_of_the_shooter():
    # AC-7 Veteran (1): 2 strikes are 3 hits. AC-6 Full Steam Ahead: two dice each carriage. AC-3.5: blanks again.
    assert models(last(unit(4, flat(2), rules=["Veteran (1)"]), unit(9))) == (4, 6)
    assert models(last(unit(4, flat(1, "Full Steam Ahead"), carriages=2), unit(9))) == (4, 4)
    (law,) = play(unit(4, flat(1), extra_reroll={"faces": ["blank"], "dice": 1}), unit(9), die=COIN)
    assert duels.law_of(law, models)[4, 8] == Fraction(3, 4)


def test_which_row():
    # The first on the card that matches the category and reaches.
    heavy = {**flat(5), "against": ["heavy"]}
    near = flat(3, short=None, far=6)
    shooter = unit(4, heavy, near, flat(1))
    assert models(last(shooter, unit(9), distance=9)) == (4, 8)
    assert models(last(shooter, unit(9), distance=6)) == (4, 6)
    assert models(last(shooter, unit(9, category="heavy"), distance=6)) == (4, 4)
    # AC-6 Indirect is not fired within short range.
    assert models(last(unit(4, flat(3, "Indirect"), flat(1)), unit(9), distance=4)) == (4, 8)


def test_all_out_attack():
    # AC-7: two of three rows, each an attack of its own: suppressed by the first, back by the second.
    rows = [flat(3), flat(2), flat(1)]
    shooter = unit(4, *rows, rules=["All-Out Attack (2)"])
    duel = last(shooter, unit(12, edge_distance=9), policy_a="all_out", deck=HIGH_CARD)
    assert (models(duel), duel.b.unit.edge_distance) == ((4, 7), 6)
    # After a failed rally test one; with (3) all three; nothing after the target is gone (no second Overcharge).
    assert models(last({**shooter, "suppressed": True}, unit(12), policy_a="all_out", deck=HIGH_CARD)) == (4, 9)
    assert models(last(unit(4, *rows, rules=["All-Out Attack (3)"]), unit(12), policy_a="all_out")) == (4, 6)
    assert models(last(shooter, unit(3), policy_a="all_out")) == (4, 0)
    # Slow to Fire: one such row empties the other; a unit whose first row is empty re-arms.
    slow = [flat(1, "Slow to Fire"), flat(1, "Slow to Fire")]
    found = course(unit(4, *slow, flat(2), rules=["All-Out Attack (3)"]), unit(12), policy_a="all_out", rounds=2)
    assert [models(duel)[1] for duel in found] == [9, 9]
    found = course(unit(4, *slow, rules=["All-Out Attack (3)"]), unit(12), policy_a="all_out", rounds=3)
    assert [models(duel)[1] for duel in found] == [11, 11, 10]


def test_overcharge_as_a_policy():
    # AC-6: a card of 1, so two coins; each blank costs a model of one's own. Both may be gone, and both score.
    shooter = unit(1, flat(1, "Overcharge"), victory_points=5)
    (law,) = play(shooter, unit(1, victory_points=2), policy_a="overcharge", die=COIN)
    found = duels.law_of(law, models)
    assert found == {(1, 0): Fraction(1, 4), (0, 0): HALF, (0, 1): Fraction(1, 4)}
    scenario = {"a": shooter, "b": unit(1, victory_points=2)}
    scores = duels.law_of(law, lambda duel: duels.points(scenario, duel))
    assert scores == {(2, 0): Fraction(1, 4), (2, 5): HALF, (0, 5): Fraction(1, 4)}
    # Not by `shoot`.
    (law,) = play(shooter, unit(1), die=COIN)
    assert duels.law_of(law, models) == {(1, 0): HALF, (1, 1): HALF}


# --- charges ----------------------------------------------------------------------------------------------


def test_a_charge_each_activation():
    # AC-8: 2 to 1 each time; B, of 12, withdraws 3" of 9" a round and is then at its edge, but withdrawing flees not.
    found = course(
        unit(9, melee(2), rules=["Hunter"]), unit(12, melee(1), edge_distance=9), policy_a="charge", rounds=4
    )
    assert [models(duel) for duel in found] == [(8, 10), (7, 8), (6, 6), (5, 4)]
    assert [duel.b.unit.edge_distance for duel in found] == [6, 3, 0, 0]
    assert [duel.hunted_a for duel in found] == [1, 2, 3, 4]
    # AC-7 Hunter of the one who is charged and wins.
    duel = last(unit(9, melee(1)), unit(12, melee(2), rules=["Hunter"]), policy_a="charge")
    assert (duel.hunted_a, duel.hunted_b) == (0, 1)


def test_closing_in():
    # SPEED 5, 23" away: double time to 13", to 3", then the charge; 3" apart afterwards, 6" if B falls back.
    charger = unit(9, melee(1), speed=5, edge_distance=2)
    found = course(charger, unit(12), policy_a="charge", distance=23, rounds=4)
    assert [duel.distance for duel in found] == [13, 3, 3, 3]
    assert [duel.a.unit.edge_distance for duel in found] == [12, 22, 25, 28]
    assert [models(duel)[1] for duel in found] == [12, 12, 11, 10]
    duel = last(charger, unit(12, suppressed=True), policy_a="charge", distance=10, deck=HIGH_CARD)
    assert duel.distance == 6
    # A charger that loses is 3" from its enemy too; one that fails to rally only advances.
    duel = last(unit(9, melee(0), speed=5), unit(12, melee(1)), policy_a="charge", distance=10)
    assert (models(duel), duel.distance) == ((8, 12), 3)
    duel = last({**charger, "suppressed": True}, unit(12), policy_a="charge", distance=10, deck=HIGH_CARD)
    assert (models(duel), duel.distance) == ((9, 12), 5)
    duel = last({**charger, "suppressed": True}, unit(12), policy_a="charge", distance=4, deck=HIGH_CARD)
    assert duel.distance == 1


def test_a_garrison_does_not_charge():
    # It stays until it is thrown out: it strikes first, 1 of 9; the 8 count 4, so 4 of 6 are gone and the rest
    # exit. Then it charges: 1 of 8, and the 7 destroy what is left.
    garrison = unit(6, melee(1), garrisoned=True)
    assert models(last(garrison, unit(9), policy_a="charge")) == (6, 9)
    stormer = unit(9, {**ranged(1), "kind": "melee"})
    found = course(garrison, stormer, policy_a="charge", policy_b="charge", rounds=2)
    assert [models(duel) for duel in found] == [(2, 8), (0, 7)]
    assert not found[0].a.unit.garrisoned


def test_circumstances_of_a_charge():
    # AC-8.4: the 3 dice of the target first: nobody is left. AC-8.2: supported is improved, 3/4.
    charger = unit(3, melee(1), charge={"difficult_terrain": True})
    assert models(last(charger, unit(9, melee(3)), policy_a="charge")) == (0, 9)
    charger = unit(3, melee(1), charge={"supported": True})
    (law,) = play(charger, unit(9), policy_a="charge", die={"strike": 1, "miss": 1})
    assert duels.law_of(law, models)[3, 8] == Fraction(3, 4)


def test_contact_ends_lookout_and_cover():
    watcher = unit(9, flat(1), melee(0), on_lookout=True, taking_cover=True)
    # It fires once before the charge (reaction step 1), whatever comes after.
    duel = last(unit(4, melee(0)), watcher, policy_a="charge", policy_b="lookout", first="b")
    assert (models(duel), duel.b.on_lookout, duel.b.taking_cover) == ((3, 9), False, False)
    # A stalemate does not move the target: Pavises keep their cover; losing does.
    pavises = unit(9, taking_cover=True, rules=["Pavises"])
    assert last(unit(4, melee(0)), pavises, policy_a="charge", policy_b="take_cover", first="b").b.taking_cover
    assert not last(unit(4, melee(1)), pavises, policy_a="charge", first="b").b.taking_cover


# --- cards and chances ------------------------------------------------------------------------------------


def test_two_rounds_by_hand():
    # One coin a side each turn, two models, no test (no DISCIPLINE). A first. After a round B has lost 0 or 1, A too:
    # all four with 1/4. Second round, from (A, B): A hits with 1/2, then B, if there is one.
    a, b = unit(2, flat(1), discipline=None), unit(2, flat(1), discipline=None)
    laws = play(a, b, policy_b="shoot", rounds=2, die=COIN)
    # aiming has nothing to roll again with a coin.
    assert duels.law_of(laws[0], models) == dict.fromkeys([(2, 2), (1, 2), (2, 1), (1, 1)], Fraction(1, 4))
    wanted = {
        (2, 2): Fraction(1, 16),  # from (2, 2), neither hits
        (1, 2): Fraction(1, 16) + Fraction(1, 16),  # from (2, 2) B hits; from (1, 2) neither
        (0, 2): Fraction(1, 16),  # from (1, 2) B hits, A does not
        (2, 1): Fraction(1, 16) + Fraction(1, 16),  # from (2, 2) A hits; from (2, 1) neither
        (1, 1): Fraction(4, 16),  # one of each of the four starts: both, A, B, neither
        (0, 1): Fraction(1, 16) + Fraction(1, 16),  # from (1, 2) both; from (1, 1) B only
        (2, 0): Fraction(1, 8),  # from (2, 1) A hits
        (1, 0): Fraction(1, 8),  # from (1, 1) A hits
    }
    assert duels.law_of(laws[1], models) == wanted


def test_each_side_has_its_own_deck():
    # AC-9.3: one low and one high card in each deck, a test a turn. B: tested once a round, no rally test while it
    # passes. Without replacement, two tests of B: one is passed, one failed, in either order.
    shooter, target = unit(9, flat(1), rules=["Automata"]), unit(9, rules=[])
    laws = play(shooter, target, deck=LOW_AND_HIGH, replacement=False, first="b", rounds=2)
    # B first: it is shot at after its activation, so at the end of a round it is suppressed if it failed.
    suppressed = [duels.law_of(law, lambda duel: duel.b.unit.suppressed) for law in laws]
    assert suppressed[0] == {True: HALF, False: HALF}
    # Failed in round 1: the low card is left for its rally test; then the deck is new: 1/2. Passed: the high card.
    assert suppressed[1] == {True: HALF * HALF + HALF, False: HALF * HALF}
    decks = duels.law_of(laws[0], lambda duel: (duel.deck_a, duel.deck_b))
    assert decks == {(((1, 1), (12, 1)), ((12, 1),)): HALF, (((1, 1), (12, 1)), ((1, 1),)): HALF}
    laws = play(shooter, target, deck=LOW_AND_HIGH, first="b", rounds=2)
    assert duels.law_of(laws[1], lambda duel: duel.b.unit.suppressed) == {True: HALF, False: HALF}


def test_the_laws_sum_to_one():
    a = unit(3, flat(1, "Precision"), formation="open", officer="random", break_limit=1, edge_distance=6)
    b = unit(3, flat(1), melee(1), break_limit=1)
    for policies in (("shoot", "charge"), ("lookout", "shoot"), ("short_range", "lookout")):
        laws = play(
            a,
            b,
            *policies,
            rounds=2,
            die=plain.DEFAULT_DIE,
            deck={"1": 1, "5": 1, "12": 1},
            first="random",
        )
        assert [sum(law.values()) for law in laws] == [1, 1]


# --- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "facts", "enemy"),
    [
        ("charge", {}, {}),
        ("charge", {"rows": [melee(1)], "rules": ["Static"]}, {}),
        ("charge", {"rows": [melee(1)]}, {"type": "rotorcraft"}),
        ("shoot", {"rows": [melee(1)]}, {}),
        ("shoot", {}, {"category": "heavy"}),
        ("shoot", {"rows": [flat(1, "Reactive")]}, {}),
        ("overcharge", {}, {}),
        ("all_out", {}, {}),
        ("lookout", {"rows": [melee(1)]}, {}),
        ("shoot", {}, {"type": "aircraft"}),
        ("shoot", {"passengers": unit(3)}, {}),
        ("shoot", {"spede": 3}, {}),
    ],
)
def test_what_a_unit_cannot_do(policy, facts, enemy):
    a, b = {**unit(4, flat(1)), **facts}, {**unit(4, flat(1)), **enemy}
    with pytest.raises(ValueError, match=r"row|Static|aircraft|All-Out|passengers|spede"):
        play(a, b, policy_a=policy)
