"""The plain reading of battles against what can be worked out by hand, and against itself."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.helpers.samples import chi_square
from tests.oracle.plain_battle import Battle, exact, play
from tests.oracle.plain_battle_field import Plan, Row, Side, Unit
from tests.oracle.plain_blows import one_die
from tests.oracle.plain_chance import Rolled, Told, law_of

ALWAYS = (0, 1, 0, 0, 0)  # a die that shows strikes only
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


@pytest.mark.parametrize(("rating", "of_36"), [(-1, (18, 12, 6)), (0, (15, 14, 7)), (1, (12, 16, 8))])
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


# --- whole battles by hand --------------------------------------------------------------------------------


def test_a_shot_each():
    """Aimed at short range a die hits with 2/3; who begins is a coin; who is alone on the field scores 5."""
    law = exact(plan(unit(), unit(vpr=3), die=(1, 2, 1, 1, 1)), lambda outcome: outcome.vps)
    begins_and_kills = Fraction(1, 2) * Fraction(2, 3) + Fraction(1, 2) * Fraction(1, 3) * Fraction(2, 3)
    assert law == {(8, 0): begins_and_kills, (0, 6): begins_and_kills, (0, 0): Fraction(1, 9)}


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


def test_a_charge_won_lost_and_drawn():
    """Equal sides of three models: the charger's blades against the other's."""
    for mine, yours, back, models in ((2, 1, (0, 300), (2, 1)), (1, 2, (-300, 0), (1, 2)), (1, 1, (-300, 0), (2, 2))):
        a = unit("a", models=3, rows=(blade(mine),))
        b = unit("b", models=3, rows=(blade(yours),), policy="take_cover")
        battle, outcome = first_course(plan(a, b))
        assert outcome.models == (models,)
        contact = 2400 + 300
        assert [y - contact for _, y in places(battle)] == list(back)
        assert outcome.vps == (0, 0)


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


@pytest.mark.parametrize("number", [1, *(pytest.param(number, marks=pytest.mark.proof) for number in (0, 2))])
def test_rolled_battles_follow_the_exact_law(number):
    the_plan = list(small_plans())[number]
    law = exact(the_plan)
    assert sum(law.values()) == 1
    chance = Rolled(number)
    seen = Counter(play(the_plan, chance) for _ in range(2000))
    assert set(seen) <= set(law)
    assert chi_square(seen, {ending: float(share) for ending, share in law.items()}) > 1e-4
