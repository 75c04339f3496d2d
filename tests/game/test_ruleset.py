"""The attack die, the deck and the combat rating (AC-1, AC-3.4)."""

import pytest

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.profiles import load_profiles
from analyser.game.ruleset import (
    HIGHEST_CARD,
    MOST_SIDES,
    PRINTED_FACES,
    REROLLED_BY_RATING,
    Die,
    Face,
    Rating,
    Ruleset,
    face_mask,
)


def test_ac_1_1_the_shipped_die():
    assert load_profiles().ruleset.die == Die(heroic=1, strike=2, glancing=1, miss=1, blank=1)


def test_faces_stand_in_the_order_of_the_symbols():
    die = Die(heroic=1, strike=2, glancing=3, miss=4, blank=5)
    assert die.sides_by_face[: len(PRINTED_FACES)] == (1, 2, 3, 4, 5)
    assert die.sides_by_face[Face.MISS] == 4
    assert die.sides == 15


@pytest.mark.parametrize(
    "sides",
    [{}, {"strike": -1}, {"strike": MOST_SIDES + 1}, {"strike": 600, "miss": 600}, {"strike": 1.5}, {"strike": "2"}],
)
def test_a_die_that_cannot_be(sides):
    with pytest.raises(InputError):
        checked(Die, sides)


def test_a_symbol_that_no_die_has_gets_the_nearest_one():
    with pytest.raises(InputError, match="did you mean 'strike'"):
        checked(Die, {"strikes": 2})


def test_ac_3_4_what_each_rating_rerolls():
    assert {rating: REROLLED_BY_RATING[rating] for rating in Rating} == {
        Rating.WEAKENED: face_mask(()),
        Rating.NEUTRAL: face_mask(("glancing",)),
        Rating.IMPROVED: face_mask(("glancing", "miss")),
    }


def test_ac_1_2_the_shipped_deck_has_three_cards_of_each_value():
    deck = load_profiles().ruleset.deck
    assert deck.copies == dict.fromkeys(range(1, 13), 3)
    assert deck.counts().sum() == 36


def test_files_write_the_values_as_text():
    ruleset = checked(Ruleset, {"die": {"strike": 1}, "deck": {"12": 1, " 3 ": 2}})
    assert ruleset.deck.copies == {3: 2, 12: 1}
    assert ruleset.model_dump(mode="json")["deck"] == {"3": 2, "12": 1}


@pytest.mark.parametrize(
    "copies",
    [{}, {"1": 0}, {"1": 1001}, {"1": 2.5}, {"-1": 1}, {"1.5": 1}, {"ace": 1}, {str(HIGHEST_CARD + 1): 1}, [3, 3]],
)
def test_a_deck_that_cannot_be(copies):
    with pytest.raises(InputError, match="deck"):
        checked(Ruleset, {"die": {"strike": 1}, "deck": copies})
