"""The law of hits with the probability mass functions of warhammer-stats; its rules themselves are another game's."""

from warhammer_stats import PMF

# Faces in the order: glancing or miss (re-rolled by an improved rating), blank, strike, heroic strike.
FACES = PMF([2 / 6, 1 / 6, 2 / 6, 1 / 6])
NOT_HEROIC_NOR_REROLLED = PMF([0, 1 / 6, 2 / 6, 0])


def hits_of(faces):
    """From the four kinds of faces to 0, 1 or 2 hits."""
    return faces.roll(-1)


def law_of_hits(dice):
    """The chances of 0, 1, 2, ... hits."""
    settled = hits_of(FACES.re_roll_value(0))
    first = PMF.flatten(
        [
            hits_of(NOT_HEROIC_NOR_REROLLED),
            hits_of(FACES) * (2 / 6),  # a re-roll
            (settled * (1 / 6)).add_value(2),  # a heroic strike and the die it adds
        ]
    )
    return PMF.convolve_many([first] * dice).values
