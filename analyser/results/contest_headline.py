"""Headline of a result about two sides."""

from __future__ import annotations

from analyser.common.text import happens
from analyser.game.names import spoken


def contest(first: str, second: str, wins: float, loses: float) -> str:
    """Return a headline on the likeliest result of a fight of two sides.

    >>> contest("Reds", "Blues", 0.75, 0.2), contest("Reds", "Blues", 0.2, 0.3)
    ('Reds beats Blues 3 times in 4.', 'Reds and Blues draw 1 time in 2.')
    """
    first, second = (spoken(first), spoken(second)) if first != second else (f"{first} (first)", f"{second} (second)")
    draws = 1 - wins - loses
    if draws > max(wins, loses):
        return happens(f"{first} and {second}", "draw", draws)
    winner, loser, share = (first, second, wins) if wins >= loses else (second, first, loses)
    return happens(winner, f"beats {loser}", share)
