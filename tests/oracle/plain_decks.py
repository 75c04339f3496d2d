"""A deck of cards as it lies on the table, in fractions: AC-5.1, AC-9.3. For the plain readings."""

from fractions import Fraction


def deck_of(copies):
    """A deck as a sorted tuple of (value, copies), from {value: copies}; TOML keys are strings: "1" = 3."""
    return tuple(sorted((int(value), number) for value, number in copies.items() if number))


def draws(left, full, *, replacement):
    """Every card that may be on top: (value, its chance, the deck afterwards).

    Cards drawn are gone until the deck runs out; then it is shuffled anew. With replacement every card comes from
    the full deck.
    """
    if replacement:
        left = full
    cards = sum(copies for _value, copies in left)
    for value, copies in left:
        rest = tuple((other, number - (other == value)) for other, number in left)
        rest = tuple((other, number) for other, number in rest if number)
        yield value, Fraction(copies, cards), full if replacement or not rest else rest
