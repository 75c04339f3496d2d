"""What a user would otherwise write for a battle: two lines of equal units that advance and shoot (`docs/battle.md`).

Each file has ``play(facts, terms, trials, seed)``, which returns the victory points of both sides, shape (trials, 2).
The rules are written out: initiative by cards from a hand, alternate activation in the order of the list, the nearest
target, rally test, rating, exploding dice, losses, suppression test from a real deck, falling back and fleeing,
breaking, zero ground presence.
"""

from typing import Any, NamedTuple


class Facts(NamedTuple):
    """Every unit; DAMAGE LIMIT 1, a ranged row of `dice[m]` dice for m models; lengths in hundredths of an inch."""

    models: int
    dice: tuple[int, ...]
    defence: int
    discipline: int
    break_limit: int
    victory_points: int
    speed: int
    short_range: int
    long_range: int


class Terms(NamedTuple):
    """The battle; lengths in 1/100 inch."""

    units: int
    rounds: int
    hand_limit: int
    gap: int
    table: int
    width: int


RIFLES = Facts(
    models=12,
    dice=(0, *[4] * 4, *[8] * 4, *[12] * 4),
    defence=3,
    discipline=7,
    break_limit=3,
    victory_points=3,
    speed=400,
    short_range=800,
    long_range=1600,
)
TWELVE = Terms(units=12, rounds=6, hand_limit=5, gap=2400, table=4800, width=3600)
VALUES, COPIES = 12, 3  # of a deck


def army(facts: Facts, units: int) -> list[dict[str, Any]]:
    """The same army in the keys of an army file."""
    bands = [{"first": models, "last": models, "dice": facts.dice[models]} for models in range(1, facts.models + 1)]
    row = {"id": "row", "name": "Row", "kind": "ranged", "against": ["light"], "bands": bands, "qualities": []}
    row |= {"short_range": facts.short_range / 100, "long_range": facts.long_range / 100}
    unit = {
        "name": "Line",
        "count": units,
        "type": "infantry",
        "category": "light",
        "models": facts.models,
        "points": 60,
        "victory_points": facts.victory_points,
        "defence": facts.defence,
        "damage_limit": 1,
        "discipline": facts.discipline,
        "break_limit": facts.break_limit,
        "speed": facts.speed / 100,
        "rows": [row],
    }
    return [unit]


def terms_of(terms: Terms) -> dict[str, Any]:
    """The same terms in the keys of ``[battle]``."""
    inches = {key: getattr(terms, key) / 100 for key in ("gap", "table", "width")}
    tactics = {"tactic_mine": "policies", "tactic_yours": "policies"}  # which the baselines play
    return inches | tactics | {"rounds": terms.rounds, "hand_limit": terms.hand_limit}
