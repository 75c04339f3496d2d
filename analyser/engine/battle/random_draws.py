"""Random draws of a battle: stream of random words, cards of two decks, and hands of cards."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.common.jit import step
from analyser.engine.battle.battle_data import Battle, Battlefield, BattleSetup
from analyser.engine.rng import counter_after, counter_of_chunk, uniform_below
from analyser.rules.battle import NOT_PLAYED, SURRENDERED, card_to_play, side_with_initiative
from analyser.rules.draws import DrawOdds

WORDS_PER_BATTLE = np.uint64(1 << 22)


@step
def begin_stream(field: Battlefield, stream: tuple[np.uint64, np.uint64], chunk: int, number: int) -> None:
    """Begin the random words of battle `number` of a chunk; they depend only on the seed, the chunk and that number."""
    start, gamma = stream
    field.counter = counter_after(counter_of_chunk(start, gamma, chunk), gamma, WORDS_PER_BATTLE * np.uint64(number))
    field.gamma = gamma


@step
def setup_odds(setup: BattleSetup) -> DrawOdds:
    """Return the odds of the battle's die and deck."""
    return DrawOdds(setup.heroic, setup.strike, setup.miss, setup.die_sides, setup.cards_up_to, setup.probability_up_to)


@step
def draw_card(field: Battlefield, side: int) -> int:
    """Draw a card of a side's deck, and return its value (AC-5.1)."""
    index = uniform_below(field, field.cards_left[side])
    last = field.cards_left[side] - 1
    card = field.deck[side, index]
    field.deck[side, index], field.deck[side, last] = field.deck[side, last], card
    field.cards_left[side] = last
    return np.int64(card)  # type: ignore[return-value]


@step
def shuffle_discards(setup: BattleSetup, field: Battlefield, side: int) -> None:
    """Refill a deck, if it is empty, with all cards outside the hand; communications then break down (BT-2)."""
    if field.cards_left[side] > 0:
        return
    field.broken_down[side] = 1
    left = setup.cards
    for held in range(field.hand_size[side]):
        index = 0
        while field.deck[side, index] != field.hand[side, held]:
            index += 1
        left -= 1
        field.deck[side, index], field.deck[side, left] = field.deck[side, left], field.deck[side, index]
    field.cards_left[side] = left


@step
def draw_test_card(setup: BattleSetup, field: Battlefield, side: int) -> int:
    """Draw a card for a discipline test or for dice, and return its value (AC-5.1)."""
    if setup.replacement:
        return np.int64(setup.deck[uniform_below(field, setup.cards)])  # type: ignore[return-value]
    card = draw_card(field, side)
    shuffle_discards(setup, field, side)
    return card


@step
def draw_hand(setup: BattleSetup, field: Battlefield, side: int) -> None:
    """Discard low cards; draw cards up to the hand limit, unless communications have broken down (BT-2)."""
    kept = 0
    for index in range(field.hand_size[side]):
        if field.hand[side, index] >= setup.discard_below[side]:
            field.hand[side, kept] = field.hand[side, index]
            kept += 1
    field.hand_size[side] = kept
    while field.hand_size[side] < setup.hand_limit and not field.broken_down[side]:
        field.hand[side, field.hand_size[side]] = draw_card(field, side)
        field.hand_size[side] += 1
        shuffle_discards(setup, field, side)


@step
def reset_cards(setup: BattleSetup, field: Battlefield) -> None:
    """Restore both decks, whose order does not matter because cards are drawn at random, and empty both hands."""
    for side in range(2):
        field.hand_size[side], field.broken_down[side], field.cards_left[side] = 0, 0, setup.cards
        for index in range(setup.cards):
            field.deck[side, index] = setup.deck[index]


@step
def play_for_initiative(battle: Battle) -> tuple[int, int]:
    """Play a card of each side for the initiative (BT-2); return the values of side 0 and side 1."""
    setup, field = battle.setup, battle.field
    holder = int(field.initiative_side)
    first = card_to_play(field.hand[holder], field.hand_size[holder], setup.card_choice[holder], NOT_PLAYED)
    holders_value = value_played(field, holder, first)
    other = 1 - holder
    second = card_to_play(field.hand[other], field.hand_size[other], setup.card_choice[other], holders_value)
    others_value = value_played(field, other, second)
    if second >= 0:  # if the other side surrenders, the holder takes its card back
        take_from_hand(field, holder, first)
        take_from_hand(field, other, second)
    field.initiative_side = side_with_initiative(holder, holders_value, others_value)
    return (holders_value, others_value) if holder == 0 else (others_value, holders_value)


@step
def value_played(field: Battlefield, side: int, index: int) -> int:
    """Return the value of the card at `index` of a hand; SURRENDERED if no card is played."""
    return np.int64(field.hand[side, index]) if index >= 0 else SURRENDERED  # type: ignore[return-value]


@step
def take_from_hand(field: Battlefield, side: int, index: int) -> Any:
    """Remove the card at `index` from a hand; a negative `index` means that no card was played."""
    if index >= 0:
        field.hand_size[side] -= 1
        field.hand[side, index] = field.hand[side, field.hand_size[side]]
