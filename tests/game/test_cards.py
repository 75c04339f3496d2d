"""The Command & Conquest deck (AC-1.2)."""

import pytest

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.cards import HIGHEST_CARD, Deck
from analyser.game.profiles import load_ruleset
from analyser.game.ruleset import Ruleset


def test_ac_1_2_the_shipped_deck_has_three_cards_of_each_value():
    deck = load_ruleset().deck
    assert deck.copies == dict.fromkeys(range(1, 13), 3)
    assert deck.size == 36


def test_counts_stand_at_the_value_of_the_card():
    assert Deck(copies={5: 1, 2: 4}).counts().tolist() == [0, 0, 4, 0, 0, 1]


def test_the_order_of_writing_does_not_matter():
    assert Deck(copies={5: 1, 2: 4}) == Deck(copies={2: 4, 5: 1})


def test_files_write_the_values_as_text():
    ruleset = checked(Ruleset, {"die": {"strike": 1}, "deck": {"12": 1, " 3 ": 2}})
    assert ruleset.deck.copies == {3: 2, 12: 1}
    assert ruleset.model_dump()["deck"] == {"3": 2, "12": 1}


@pytest.mark.parametrize(
    "copies",
    [
        {},
        {"1": 0},
        {"1": -1},
        {"1": 1001},
        {"1": 2.5},
        {"1": True},
        {"-1": 1},
        {"1.5": 1},
        {"ace": 1},
        {str(HIGHEST_CARD + 1): 1},
        [3, 3],
    ],
)
def test_a_deck_that_cannot_be(copies):
    with pytest.raises(InputError, match="deck"):
        checked(Ruleset, {"die": {"strike": 1}, "deck": copies})


def test_the_message_names_value_and_range():
    with pytest.raises(InputError, match=r"card value 'ace' \(allowed: integers from 0 to 99\)"):
        checked(Ruleset, {"die": {"strike": 1}, "deck": {"ace": 1}})
