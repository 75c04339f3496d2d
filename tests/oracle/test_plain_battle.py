"""The plain reading of battles against what can be worked out by hand, and against itself."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from scipy.stats import chisquare

from tests.oracle.plain_battle import Battle, exact, play, verdict
from tests.oracle.plain_battle_field import DECK, Cards, Field, Plan, Row, Side, Unit, rounded
from tests.oracle.plain_blows import Blow, Body, after_hits, blow_law, expected_share, hits_law, one_die
from tests.oracle.plain_chance import Law, Rolled, Told, law_of

ALWAYS = (0, 1, 0, 0, 0)  # a die that shows strikes only
NEVER = (0, 0, 0, 0, 1)
EASY, HARD = ((1, 40),), ((12, 40),)  # decks of which every test of DISCIPLINE 7 passes, or fails


def gun(dice=1, short=8, long=16, *qualities, kind="light/heavy"):
    return Row(kind, ((1, 99, dice),), short, long, qualities)


def blade(dice=1, *qualities, kind="melee"):
    return Row(kind, ((1, 99, dice),), qualities=qualities)


def unit(name="unit", models=1, defence=1, rows=None, **more):
    return Unit(name, models, defence, (gun(),) if rows is None else rows, **more)


def side(*units, **more):
    return Side(units, **{"deck": EASY, **more})


def plan(a, b, **more):
    a, b = (each if isinstance(each, Side) else side(each) for each in (a, b))
    return Plan(a, b, **{"rounds": 1, "hand_limit": 0, "die": ALWAYS, "gap": 6, **more})


def first_course(the_plan):
    """The battle in which side A is general A, else by the first answer to every question."""
    battle = Battle(the_plan, Told())
    return battle, battle.fight()


def places(battle):
    return [(piece.x, piece.y) for each in battle.pieces for piece in each]


# --- one attack -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rating", "of_36"),
    [(-1, (18, 12, 6)), (0, (15, 14, 7)), (1, (12, 16, 8))],
)
def test_one_die_by_hand(rating, of_36):
    """A die without its added one scores 0, 1 or 2: strikes 2, heroics 1 of 6, re-rolled once with the rating."""
    none, one, two = (Fraction(number, 36) for number in of_36)
    law = Counter()
    for (strikes, heroics), chance in law_of(one_die, (1, 2, 1, 1, 1), rating, False).items():
        law[strikes + 2 * heroics] += chance
    # A first heroic strike (1/6) brings a second die, which cannot explode.
    first = Fraction(1, 6)
    by_hand = {0: none, 1: one, 2: two - first + first * none, 3: first * one, 4: first * two}
    assert law == by_hand


def test_hits_law_against_rolled_dice():
    blow = Blow(3, 1, 1, ("Arc",), False, 1)
    law = hits_law(blow)
    assert sum(law.values()) == 1
    chance, seen, rolls = Rolled(5), Counter(), 20_000
    for _ in range(rolls):
        dice = [one_die(chance, blow.faces, 1, True) for _ in range(3)]
        strikes, heroics = (sum(each) for each in zip(*dice, strict=True))
        seen[strikes + 2 * heroics + min(strikes, 1)] += 1
    assert_follows(seen, law)


@pytest.mark.parametrize(
    ("body", "blow", "hits", "after"),
    [
        (Body(3, 0, 1), Blow(1, 0, 3), 8, (1, 0)),
        (Body(3, 0, 1), Blow(1, 0, 3, ("Devastating",)), 7, (0, 0)),
        (Body(3, 0, 1), Blow(1, 0, 3, ("Devastating",)), 6, (1, 0)),
        (Body(3, 1, 2), Blow(1, 0, 1), 2, (2, 1)),
        (Body(3, 1, 2), Blow(1, 0, 1, ("Penetrating",)), 2, (1, 0)),
        (Body(3, 1, 2), Blow(1, 0, 1, ("Penetrating",)), 1, (2, 0)),
        (Body(3, 1, 2), Blow(1, 0, 2, ("Penetrating",)), 1, (3, 1)),
        (Body(1, 0, 9, True), Blow(1, 0, 1, ("Penetrating",)), 3, (1, 4)),
        (Body(2, 0, 1), Blow(1, 0, 1), 9, (0, 0)),
    ],
)
def test_damage_by_hand(body, blow, hits, after):
    assert after_hits(body, blow, hits)[:2] == after


def test_expected_share_by_hand():
    assert expected_share(Blow(1, -1, 1), Body(2, 0, 1)) == Fraction(1, 3) * Fraction(1, 2) + Fraction(1, 6) * Fraction(
        1, 1
    )


# --- whole battles by hand --------------------------------------------------------------------------------


def test_a_shot_each():
    """Aimed at short range a die hits with 2/3; who begins is a coin; who is alone on the field scores 5."""
    law = exact(plan(unit(), unit(vpr=3), die=(1, 2, 1, 1, 1)), lambda outcome: outcome.vps)
    begins_and_kills = Fraction(1, 2) * Fraction(2, 3) + Fraction(1, 2) * Fraction(1, 3) * Fraction(2, 3)
    assert law == {(8, 0): begins_and_kills, (0, 6): begins_and_kills, (0, 0): Fraction(1, 9)}


def test_a_shot_after_an_advance_at_long_range_is_neutral():
    far = plan(unit(), unit(rows=(), policy="take_cover"), gap=20, die=(1, 2, 1, 1, 1))
    law = exact(far, lambda outcome: outcome.vps)
    assert law == {(6, 0): Fraction(7, 12), (0, 0): Fraction(5, 12)}


def test_out_of_range_even_after_the_advance():
    battle, outcome = first_course(plan(unit(), unit(rows=(), policy="take_cover"), gap=23))
    assert outcome.vps == (0, 0)
    assert places(battle) == [(1800, 2400 - 1150 + 600), (1800, 2400 + 1150)]


def test_short_range_advances_as_far_as_needed():
    battle, _ = first_course(plan(unit(policy="short_range"), unit(models=5, rows=(), policy="take_cover"), gap=12))
    assert places(battle)[0] == (1800, 2400 - 600 + 400)


def test_suppression_breaking_falling_back_and_fleeing():
    """Two shots a round on a unit whose tests all fail: suppressed, back 3 inches, and so on."""
    target = unit("target", models=9, rows=(), policy="take_cover")
    shooters = [unit("one", rows=(gun(1, 8, 48),)), unit("two", rows=(gun(1, 8, 48),))]
    battle, outcome = first_course(plan(side(*shooters), side(target, deck=HARD), gap=30))
    assert outcome.models == ((1, 1, 7),)
    assert battle.pieces[1][0].y == 2400 + 1500 + 300
    # The second round: it rallies no better, loses suppressed at its end and is suppressed and pushed again.
    battle, outcome = first_course(plan(side(*shooters), side(target, deck=HARD), gap=30, rounds=4))
    assert outcome.vps == (1 + 5, 0)
    assert [models[2] for models in outcome.models][:2] == [7, 5]
    breaking = replace(target, break_limit=8)
    _, outcome = first_course(plan(side(*shooters), side(breaking, deck=HARD), gap=30))
    assert outcome.models == ((1, 1, 0),)
    assert outcome.vps == (6, 0)


@pytest.mark.parametrize(
    ("models", "qualities", "passes"), [(3, (), True), (2, (), False), (3, ("Suppressive",), False)]
)
def test_what_makes_a_test_harder(models, qualities, passes):
    """A card of 1 against DISCIPLINE 1: at least half lost and Suppressive are one less each."""
    shooter = unit(rows=(gun(1, 8, 16, *qualities),))
    battle = Battle(plan(shooter, unit(models=models, discipline=1)), Told())
    a, b = battle.pieces[0][0], battle.pieces[1][0]
    battle.shoot(a, shooter.rows[0], b, 600)
    assert b.models == models - 1
    assert b.suppressed is not passes


def test_a_failed_rally_test_costs_the_aim():
    """B begins and is not hurt; A, suppressed by it, shoots neutral in the same round at long range."""
    a = unit("a", models=3, rows=(gun(1, 1, 48),), discipline=0)
    b = unit("b", rows=(gun(1, 1, 48),), defence=3, discipline=None)
    battle = Battle(plan(a, side(b)), Told())
    battle.pieces[0][0].suppressed = True
    blow = battle.ranged_blow(battle.pieces[0][0], a.rows[0], battle.pieces[1][0], 600, aiming=False)
    assert blow.rating == -1
    aimed = battle.ranged_blow(battle.pieces[0][0], a.rows[0], battle.pieces[1][0], 600, aiming=True)
    assert aimed.rating == 0
    shots = []
    battle.shoot = lambda piece, *given, **how: shots.append(how)
    battle._activate(battle.pieces[0][0])
    assert shots == [{"aiming": False}]
    assert not battle.pieces[0][0].suppressed


def test_a_charge_won_lost_and_drawn():
    """Equal sides of three models: the charger's blades against the other's."""
    for mine, yours, back, models in (
        (2, 1, (0, 300), (2, 1)),
        (1, 2, (-300, 0), (1, 2)),
        (1, 1, (-300, 0), (2, 2)),
    ):
        a = unit("a", models=3, rows=(blade(mine),))
        b = unit("b", models=3, rows=(blade(yours),), policy="take_cover")
        battle, outcome = first_course(plan(a, b))
        assert outcome.models == (models,)
        contact = 2400 + 300
        assert [y - contact for _, y in places(battle)] == list(back)
        assert outcome.vps == (0, 0)


def test_a_charge_needs_reach_and_double_time_leaves_no_attack():
    a = unit("a", rows=(blade(9), gun(9)), policy="charge")
    b = unit("b", rows=(), policy="take_cover")
    battle, outcome = first_course(plan(a, b, gap=12.02))
    assert outcome.vps == (0, 0)
    assert places(battle)[0][1] == 2400 - 601 + 1102  # one inch short
    _, outcome = first_course(plan(a, b, gap=12))
    assert outcome.vps == (6, 0)


def test_stoic_defence_sponsons_static_and_hunter():
    a = unit("a", models=2, rows=(blade(3),), rules={"Hunter": None})
    b = unit("b", models=2, rows=(blade(2),), policy="take_cover")
    assert first_course(plan(a, b))[1].vps == (1 + 1 + 5, 0)
    assert first_course(plan(a, replace(b, rules={"Stoic Defence": None})))[1].vps == (0, 1 + 5)
    assert first_course(plan(a, replace(b, rules={"Sponsons": 2})))[1].vps == (0, 1 + 5)
    standing = replace(b, models=4, rows=(blade(1),), rules={"Static": None})
    assert first_course(plan(a, standing))[1].vps == (1 + 1 + 5, 0)


def test_opportunity_fire_first_second_and_never_twice():
    """The lookout fires as the charger starts; no test is taken; a second charger is not fired at."""
    watcher = unit("watcher", models=9, rows=(gun(1),), policy="lookout")
    both = [unit(name, models=3, rows=(blade(0),), policy="charge") for name in ("one", "two")]
    runners = side(*both, deck=HARD)
    battle = Battle(plan(side(watcher), runners, gap=10), Told())
    outcome = battle.fight()
    assert outcome.models == ((9, 2, 3),)
    assert not battle.pieces[1][0].suppressed
    # Out of its reach at first: it fires after the move.
    outcome = Battle(plan(side(watcher), runners, gap=20), Told()).fight()
    assert outcome.models == ((9, 2, 3),)


def test_who_was_told_no_tactic_attacks_whom_it_hurts_and_else_holds():
    """A strike is 1 hit: against 30 models it takes 3% of them, against 4 a quarter. A charge by itself needs 5%."""
    crowd, few = (unit(name, models=number, rows=(), policy="take_cover") for name, number in (("c", 30), ("f", 4)))
    fencer = unit("fencer", rows=(blade(1),))
    battle, outcome = first_course(plan(fencer, crowd))
    assert (places(battle)[0][1], outcome.models) == (2400 - 300, ((1, 30),))  # it holds
    assert battle.pieces[0][0].taking_cover
    _, outcome = first_course(plan(replace(fencer, policy="charge"), crowd))
    assert outcome.models == ((1, 29),)
    _, outcome = first_course(plan(fencer, few))
    assert outcome.models == ((1, 3),)
    far = side(replace(crowd, x=18), replace(few, x=18, behind=2))
    _, outcome = first_course(plan(unit("gunner", x=18), far))
    assert outcome.models == ((1, 30, 3),)  # over the head of the nearer one
    _, outcome = first_course(plan(unit("gunner"), crowd))
    assert outcome.models == ((1, 29),)  # nobody better is there: it shoots from where it stands


def test_reserves_arrive_from_the_second_round_and_never_in_the_last():
    a = side(unit("front"), unit("late", reserve=True, arrives=2, rows=(blade(),), policy="charge"))
    b = side(unit("b", models=9, defence=9, rows=(), policy="take_cover"))
    for rounds, place, y in ((2, "reserve", 0), (3, "field", 2277)):
        battle, _ = first_course(plan(a, b, rounds=rounds, die=NEVER))
        # Twice 12 inches toward a point 9 inches to the side and 27 ahead: 12 * 27 / sqrt(9^2 + 27^2) each.
        assert (battle.pieces[0][1].place, battle.pieces[0][1].y) == (place, y)


def test_zero_ground_presence_does_not_wait_for_reserves():
    b = side(unit("front"), unit("late", reserve=True))
    _, outcome = first_course(plan(unit(), b, rounds=6))
    assert outcome.vps == (6, 0)
    assert len(outcome.holders) == 1


def test_an_aircraft_strikes_and_returns():
    plane = unit("plane", type="aircraft", category="aerial", rows=(gun(1, 2, 8),))
    ground = unit("ground", models=2, rows=(gun(1, 1, 8, kind="aerial"),), policy="lookout")
    crew = unit("crew", rows=(), policy="take_cover")
    battle, outcome = first_course(plan(side(crew, plane, hand="surrender"), ground, rounds=3))
    # The plane has no chance: the lookout fires at it in the first reaction step.
    assert outcome.models[1] == (1, 0, 2)
    unarmed = replace(ground, rows=())
    battle, outcome = first_course(plan(side(crew, plane), unarmed, rounds=4))
    assert [models[2] for models in outcome.models] == [2, 1, 0]
    assert battle.pieces[0][1].place == "reserve"


def test_a_transport_its_passenger_and_both_lost():
    truck = unit("truck", models=2, type="armour", category="heavy", rows=(), capacity=3, policy="shoot", speed=3)
    squad = unit("squad", models=6, embarked_in="truck", vpr=2)
    far = replace(unit("far", models=2, rows=(gun(1, 8, 48),)), discipline=None)
    # Far away: it stays in, and every lost truck costs three.
    _, outcome = first_course(plan(side(truck, squad), far, gap=40))
    assert outcome.models == ((1, 3, 2),)
    _, outcome = first_course(plan(side(truck, squad), far, gap=40, rounds=2))
    assert outcome.vps == (0, 1 + 2 + 5)
    # Within 12 inches after the drive: it gets out and shoots, reforming at short range.
    battle, outcome = first_course(plan(side(truck, squad), far, gap=10))
    assert outcome.models == ((1, 6, 1),)
    assert battle.pieces[0][1].place == "field"
    assert battle.spot(battle.pieces[0][1]) == battle.spot(battle.pieces[0][0])


def test_an_overrun_fights_again_with_a_penalty():
    a = unit("a", models=3, rows=(blade(1),), rules={"Overrun": None})
    b = unit("b", models=9, rows=(), policy="take_cover")
    battle, outcome = first_course(plan(a, b))
    assert outcome.models == ((3, 7),)
    assert [y - 2700 for _, y in places(battle)] == [300, 600]
    ratings = []
    battle = Battle(plan(a, b), Told())
    blow_of = battle.close_blow
    battle.close_blow = lambda *given, **how: ratings.append(blow_of(*given, **how).rating) or blow_of(*given, **how)
    battle.charge(battle.pieces[0][0], battle.pieces[1][0])
    assert ratings == [0, -1]


def test_fumes_disorder_who_comes_near():
    smoking = unit("smoking", rows=(), policy="take_cover", rules={"Corrosive Fumes": 6})
    for gap, disordered in ((6, True), (6.02, False)):
        foe = side(
            unit("near", rows=(), policy="take_cover"), unit("automaton", rules={"Automata": None}, rows=(), x=9)
        )
        battle, _ = first_course(
            plan(smoking, replace(foe, units=(replace(foe.units[0], x=18), foe.units[1])), gap=gap)
        )
        assert [piece.disordered for piece in battle.pieces[1]] == [disordered, False]


def test_a_commander_near_keeps_order():
    smoking = unit("smoking", rows=(), policy="take_cover", rules={"Corrosive Fumes": 6})
    near = unit("near", rows=(), policy="take_cover", x=18)
    for x, disordered in ((24, False), (24.01, True)):
        battle, _ = first_course(plan(smoking, side(near, replace(near, name="leader", x=x, commander=True))))
        assert battle.pieces[1][0].disordered is disordered


@pytest.mark.parametrize(
    ("face", "models"),
    [(ALWAYS, (0, 7, 9)), ((1, 0, 0, 0, 0), (0, 1, 1)), ((0, 0, 0, 1, 0), (0, 9, 9)), (NEVER, (0, 9, 9))],
)
def test_a_spectacular_demise(face, models):
    """A strike reaches 4 inches, a heroic strike 8; a miss asks for discipline only.

    Heroic strikes explode: two dice become four, of two hits each.
    """
    boiler = unit("boiler", x=18, rules={"Spectacular Demise": 2}, defence=4)
    crew = unit("crew", models=9, x=21)
    far = unit("far", models=9, x=11)
    battle = Battle(plan(side(boiler, crew, far, deck=HARD), unit(), die=face), Told())
    battle.pieces[1][0].y += 900
    battle.hit(Blow(4, -1, 1, faces=ALWAYS), battle.pieces[0][0])
    battle.demises()
    assert tuple(piece.models for piece in battle.pieces[0]) == models


def test_the_tail_gunner_answers():
    balloon = unit("balloon", models=5, type="rotorcraft", category="aerial")
    ground = unit("ground", models=5, rules={"Tail Gunner": 2}, rows=(), policy="take_cover")
    _, outcome = first_course(plan(balloon, ground))
    assert outcome.models == ((3, 4),)


def test_what_is_told_of_friends():
    for told, discipline, passes in (
        ({}, 6, False),
        ({"peer_review": True}, 0, True),
        ({"chain_of_command": True}, 6, True),
        ({"chain_of_command": True}, 5, False),
    ):
        piece_plan = plan(side(unit(discipline=discipline, **told), deck=((7, 40),)), unit())
        battle = Battle(piece_plan, Told())
        assert battle.passes(battle.pieces[0][0]) is passes
    supplied = Battle(plan(unit(ammo_supply=True), unit()), Told())
    a, b = supplied.pieces[0][0], supplied.pieces[1][0]
    assert supplied.ranged_blow(a, a.unit.rows[0], b, 1000).rating == 1


def test_tests_with_replacement_leave_the_deck_alone():
    battle = Battle(plan(side(unit(discipline=0)), unit(), replacement=True), Rolled(2))
    for _ in range(100):
        assert not battle.passes(battle.pieces[0][0])
    assert battle.cards[0].deck == dict(EASY)
    assert not battle.cards[0].broken_down


def test_slow_to_fire_every_other_round():
    slow = unit("slow", rows=(gun(1, 8, 16, "Slow to Fire"),))
    target = unit("target", models=9, rows=(), policy="take_cover")
    _, outcome = first_course(plan(slow, target, rounds=5))
    assert [models[1] for models in outcome.models] == [8, 8, 7, 7, 6]


def test_cryo_takes_the_turn():
    cold = unit("cold", rows=(gun(1, 8, 16, "Cryo"),))
    target = unit("target", models=9, rows=(gun(9),))
    _, outcome = first_course(plan(cold, side(target, deck=HARD, initiative="give")))
    assert outcome.models == ((1, 8),)


@pytest.mark.parametrize(
    ("policy", "chosen"),
    [
        ("nearest", "near"),
        ("most_points", "dear"),
        ("best_kill", "weak"),
        ("most_dangerous", "grim"),
        ("threatened_first", "grim"),
    ],
)
def test_targets(policy, chosen):
    foes = (
        unit("near", models=9, points=10, rows=()),
        unit("dear", models=2, points=900, rows=(), behind=3),
        unit("weak", models=1, points=10, rows=(), behind=3),
        unit("grim", models=9, points=10, behind=4, rows=(gun(9),)),
    )
    foes = tuple(replace(foe, x=18) for foe in foes)
    battle = Battle(plan(side(unit(models=2), target=policy), side(*foes)), Told())
    piece = battle.pieces[0][0]
    assert battle.choose(piece, "shoot", rallied=True)[0].unit.name == chosen
    # Nobody in reach: the nearest whatever the policy.
    piece.y -= 2400
    assert battle.choose(piece, "shoot", rallied=True)[0].unit.name == "near"


@pytest.mark.parametrize(("order", "chosen"), [("listed", "one"), ("nearest", "two"), ("dearest", "three")])
def test_orders(order, chosen):
    mine = (unit("one", x=1), unit("two", x=18), unit("three", x=1, points=500))
    battle = Battle(plan(side(*mine, order=order), unit()), Told())
    battle._turn(0)
    assert [piece.unit.name for piece in battle.pieces[0] if piece.activated] == [chosen]


def test_initiative_by_hand():
    """The holder keeps it with the higher card only; a tie and two surrenders give it to the other."""
    for mine, yours, keeps in (
        ((5,), (4,), True),
        ((5,), (5,), False),
        ((), (), False),
        ((5,), (), True),
        ((), (1,), False),
    ):
        battle = Battle(plan(unit(), unit()), Told())
        battle.holder = 0
        battle.cards[0].hand, battle.cards[1].hand = list(mine), list(yours)
        assert (battle._initiative() == 0) is keeps
        taken_back = mine and not yours
        assert battle.cards[0].hand == (list(mine) if taken_back else [])
        assert battle.cards[1].hand == []


def test_who_begins():
    many = side(unit("one", rows=()), unit("two", rows=()))
    assert exact(plan(many, unit(rows=())), lambda outcome: outcome.holders) == {(1,): 1}
    giving = side(unit(rows=()), initiative="give")
    assert exact(plan(many, giving), lambda outcome: outcome.holders) == {(0,): 1}
    coin = {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
    assert exact(plan(unit(rows=()), unit(rows=())), lambda outcome: outcome.holders) == coin


def test_the_verdict():
    assert [verdict(vps) for vps in ((3, 3), (3, 2), (2, 4), (1, 0), (0, 0))] == [
        "draw",
        "A victory",
        "B devastating",
        "A devastating",
        "draw",
    ]


# --- space ------------------------------------------------------------------------------------------------


def test_rounding_and_places():
    assert [rounded(value, 2) for value in (-3, -2, -1, 0, 1, 3)] == [-1, -1, 0, 0, 1, 2]
    field = Field(plan(side(*[unit(str(i)) for i in range(3)]), side(unit(behind=2), unit(x=7))), Told())
    assert places(field) == [(600, 2100), (1800, 2100), (3000, 2100), (900, 2900), (700, 2700)]


def test_a_diagonal_move():
    field = Field(plan(side(unit(x=0)), side(unit(x=4)), gap=3), Told())
    a, b = field.pieces[0][0], field.pieces[1][0]
    assert field.distance(a, b) == 500
    field.advance(a, b, 101)
    assert (a.x, a.y) == (81, 2250 + 61)  # 80.8 and 60.6
    field.advance(a, b, 5000)
    assert (a.x, a.y) == (b.x, b.y)


# --- decks and hands --------------------------------------------------------------------------------------


def test_no_card_twice_before_a_shuffle_and_the_breakdown():
    cards, chance = Cards(((1, 2), (5, 1), (9, 3))), Rolled(3)
    the_side = Side((), discard_below=2)
    for _ in range(30):
        cards.draw_up(chance, the_side, 2)
        assert cards.broken_down or len(cards.hand) == 2
        assert all(card >= 2 for card in cards.hand) or not cards.broken_down or cards.hand
        cards.test(chance)
        held = Counter(cards.hand) + Counter(cards.deck) + Counter(cards.discards)
        assert held == {1: 2, 5: 1, 9: 3}
    shuffles = [place for place, card in enumerate(cards.drawn) if card is None]
    assert shuffles
    for start, end in pairwise([0, *shuffles]):
        seen = Counter(card for card in cards.drawn[start:end] if card is not None)
        assert all(seen[card] <= copies for card, copies in ((1, 2), (5, 1), (9, 3)))


def test_hands_by_round():
    """Five at the start of each round; four when the next is determined."""
    sizes = []

    class Watched(Battle):
        def _activations(self):
            sizes.append(tuple(len(cards.hand) for cards in self.cards))
            super()._activations()

    quiet = side(unit(rows=()), deck=DECK)
    Watched(plan(quiet, quiet, hand_limit=5, rounds=4), Rolled(1)).fight()
    assert sizes == [(5, 5)] * 4


def test_the_choice_of_a_card():
    cards = Cards(DECK)
    cards.hand = [9, 2, 5, 7]
    assert [cards.choice(hand) for hand in ("highest", "lowest", "middle", "surrender")] == [9, 2, 7, None]
    assert [cards.choice("kept", against) for against in (None, 0, 5, 6, 10)] == [9, 2, 5, 7, None]


# --- the reading against itself ---------------------------------------------------------------------------

SMALL_DECK = ((2, 2), (8, 2))
DIE = (1, 2, 1, 1, 1)


def small_sides():
    squad = unit("squad", models=2, rows=(gun(1),), break_limit=0, vpr=2, discipline=5)
    riders = unit("riders", models=2, rows=(blade(1),), type="cavalry", speed=8, discipline=6, behind=1)
    watch = unit("watch", models=1, rows=(gun(1, 6, 20),), policy="lookout", discipline=5)
    return side(squad, deck=SMALL_DECK), side(riders, deck=SMALL_DECK), side(squad, watch, deck=SMALL_DECK)


def small_plans():
    squad, riders, two = small_sides()
    settings = {"die": DIE, "gap": 14, "hand_limit": 1}
    yield plan(squad, riders, rounds=2, **settings)
    yield plan(two, riders, rounds=1, **settings)
    yield plan(squad, squad, rounds=2, **{**settings, "hand_limit": 0})


def assert_follows(seen, law, alpha=1e-4):
    """A chi-square test of what was seen against a law, rare outcomes pooled."""
    total = sum(seen.values())
    assert set(seen) <= set(law)
    rare = [outcome for outcome in law if law[outcome] * total < 8]
    common = [outcome for outcome in law if law[outcome] * total >= 8]
    observed = [seen[outcome] for outcome in common] + [sum(seen[outcome] for outcome in rare)]
    expected = [float(law[outcome] * total) for outcome in common] + [float(sum(law[each] for each in rare) * total)]
    if not expected[-1]:
        observed.pop()
        expected.pop()
    if len(expected) > 1:
        assert chisquare(observed, expected).pvalue > alpha


def test_law_of_a_play():
    def two_coins(chance):
        coin = Law({0: 1, 1: 3})
        return chance.pick(coin) + (chance.pick(coin) if chance.pick(coin) else 0)

    # None at all, or heads and then two tails: 1/4*1/4 + 1/4*3/4*1/4.
    assert law_of(two_coins)[0] == Fraction(1, 16) + Fraction(3, 64)
    assert sum(law_of(two_coins).values()) == 1
    assert blow_law(Blow(2, 0, 1), Body(1, 0, 1)).total == 1


@pytest.mark.parametrize("number", range(3))
def test_rolled_battles_follow_the_exact_law(number):
    the_plan = list(small_plans())[number]
    law = exact(the_plan)
    assert sum(law.values()) == 1
    chance = Rolled(number)
    assert_follows(Counter(play(the_plan, chance) for _ in range(4000)), law)


def test_swapped_sides_swap_the_law():
    the_plan = next(small_plans())
    swapped = replace(the_plan, a=the_plan.b, b=the_plan.a)
    mirrored = {(b, a): chance for (a, b), chance in exact(swapped, lambda outcome: outcome.vps).items()}
    assert exact(the_plan, lambda outcome: outcome.vps) == mirrored


@pytest.mark.parametrize("seed", range(4))
def test_points_add_up(seed):
    _, riders, two = small_sides()
    for number in range(100):
        battle = Battle(plan(two, riders, rounds=4, die=DIE, gap=10, hand_limit=1), Rolled(100 * seed + number))
        outcome = battle.fight()
        for own in (0, 1):
            gone = sum(piece.unit.vpr for piece in battle.pieces[1 - own] if piece.place == "gone")
            assert outcome.vps[own] == gone + 5 * outcome.zero_ground[1 - own]
            assert outcome.zero_ground[own] == all(piece.place == "gone" for piece in battle.pieces[own])
        assert all(
            left >= right for one, two_ in pairwise(outcome.models) for left, right in zip(one, two_, strict=True)
        )
        for cards in battle.cards:
            assert Counter(cards.hand) + Counter(cards.deck) + Counter(cards.discards) == dict(SMALL_DECK)
