"""What a user would otherwise write for a duel: two equal units that aim and shoot, A first, six rounds (AC-9.2).

Each file has ``play(facts, rounds, trials, seed)``, with or without real decks, which returns how often each state
stood at the end of each round: an int64 array of shape (rounds, models + 2, models + 2, 2), the end of A by that of B
by whether A is suppressed (B never is then: its own activation has just ended it). An end is the number of models left,
0 for a unit destroyed, models + 1 for one that broke.

The rules are written out in each: rating by aim, suppression and rally test; exploding dice; suppression test with a
card from a full deck, or from a deck of one's own; break or become suppressed. Falling back changes nothing so far from
the edge, and no officer is lost before the last model.
"""

from typing import NamedTuple


class Facts(NamedTuple):
    """Either unit; DAMAGE LIMIT 1, and a ranged row of `dice[m]` dice for m models at long range."""

    models: int
    dice: tuple[int, ...]
    defence: int
    discipline: int
    break_limit: int


ROUNDS = 6
CARDS, COPIES = 12, 3  # of a deck, which lasts for all rounds where cards are not put back
TWELVE = Facts(models=12, dice=(0, *[4] * 4, *[8] * 4, *[12] * 4), defence=3, discipline=7, break_limit=3)


def scenario(facts: Facts) -> dict[str, object]:
    """One unit in the keys of a scenario, for those who play the same duel by other means."""
    bands = [{"first": models, "last": models, "dice": facts.dice[models]} for models in range(1, facts.models + 1)]
    row = {"kind": "ranged", "against": ["light"], "long_range": 24, "bands": bands, "qualities": []}
    return {
        "type": "infantry",
        "models": facts.models,
        "defence": facts.defence,
        "damage_limit": 1,
        "discipline": facts.discipline,
        "break_limit": facts.break_limit,
        "rows": [row],
    }
