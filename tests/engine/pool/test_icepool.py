"""The law of hits against icepool, a dice library that knows nothing of these rules."""

from fractions import Fraction

import pytest
from icepool import Die, vectorize

from tests.oracle.attacks import SHIPPED_DIE, assert_same_law, attack, hits_law
from tests.oracle.random_scenarios import RATINGS

REROLLED = {"weakened": (), "neutral": ("glancing",), "improved": ("glancing", "miss")}  # AC-3.4
TWENTY_SIDES = {"heroic": 3, "strike": 7, "glancing": 1, "miss": 4, "blank": 5}

RATED = pytest.mark.parametrize("rating", RATINGS)


def worth(face, durable=False):
    """What a die that stays at `face` adds to a pool: (hits, strikes, misses that wait for an extra re-roll)."""
    heroic = 1 if durable else 2
    return vectorize({"heroic": heroic, "strike": 1}.get(face, 0), int(face == "strike"), 0)


def die_of_the_pool(die, rating, arc=False, durable=False, extra_faces=()):
    """One die of the first roll, re-rolled, with the dice that it adds (AC-3.3, AC-3.4)."""
    faces = Die(die)
    stays = faces.map(lambda face: worth(face, durable))

    def settle(face):
        if face in REROLLED[rating]:
            return stays
        return vectorize(0, 0, 1) if face in extra_faces and rating != "weakened" else worth(face, durable)

    added = faces.map(settle)
    n_added = 2 if arc else 1
    return faces.map(lambda face: worth(face, durable) + n_added @ added if face == "heroic" else settle(face))


def hits_of_pool(dice, die, rating, veteran=0, extra=0, **conditions):
    """The law of hits of a pool (AC-3.5, AC-3.6; Veteran of AC-7)."""
    faces = Die(die).map(worth)
    pool = dice @ die_of_the_pool(die, rating, **conditions)
    if extra:
        pool = pool.map(
            lambda hits, strikes, waiting: (
                vectorize(hits, strikes, 0) + min(waiting, extra) @ faces if waiting else vectorize(hits, strikes, 0)
            )
        )
    hits = pool.map(lambda hits, strikes, _waiting: hits + min(strikes, veteran))
    return {number: Fraction(quantity, hits.denominator()) for number, quantity in hits.items()}


ARC, DURABLE = {"qualities": ["Arc"]}, {"rules": ["Durable"]}
POOLS = [  # the die, the dice, further keys of the attack, and what they mean
    (TWENTY_SIDES, 5, {}, {}),
    (SHIPPED_DIE, 12, ARC, {"arc": True}),
    (SHIPPED_DIE, 12, DURABLE, {"durable": True}),
    (SHIPPED_DIE, 12, ARC | DURABLE, {"arc": True, "durable": True}),
    *((SHIPPED_DIE, 12, {"veteran": number}, {"veteran": number}) for number in (1, 40)),
    (SHIPPED_DIE, 8, {"extra_reroll": {"faces": ["blank"], "dice": 40}}, {"extra": 40, "extra_faces": ["blank"]}),
    (
        *(SHIPPED_DIE, 8, {"veteran": 2, "extra_reroll": {"faces": ["miss", "blank"], "dice": 3}}),
        {"veteran": 2, "extra": 3, "extra_faces": ["miss", "blank"]},
    ),
]


@pytest.mark.slow
@RATED
@pytest.mark.parametrize(("die", "dice", "keys", "conditions"), POOLS)
def test_hits(rating, die, dice, keys, conditions):
    wanted = hits_of_pool(dice, die, rating, **conditions)
    assert_same_law(hits_law(attack(die, dice=dice, rating=rating, **keys)), wanted)


@RATED
def test_overcharge(rating):
    deck = {1: 2, 4: 1, 12: 3}
    found = hits_law(attack(SHIPPED_DIE, deck, dice=6, rating=rating, overcharge=True))
    one = die_of_the_pool(SHIPPED_DIE, rating).map(lambda hits, _strikes, _waiting: hits)
    wanted = Die(deck).map(lambda card: (6 + card) @ one)
    assert_same_law(found, {hits: Fraction(number, wanted.denominator()) for hits, number in wanted.items()})
