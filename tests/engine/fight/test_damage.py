"""Damage that stands on a model (AC-3.8): what the answers about longer fights say of it."""

from tests.oracle.fight_files import charge, duel, focus, row, unit

WEAKER = [{"first": 0, "last": 2, "dice": 4}, {"first": 3, "last": 5, "dice": 2}]  # by the damage on a behemoth


GIANT = {"models": 1, "behemoth": True, "damage_limit": 6, "damage": 1}


def giant(kind):
    """One model of six damage, one of which it has suffered."""
    return unit(row(kind, 0) | {"bands": WEAKER}, **GIANT)


def riders(kind):
    return unit(row(kind, 3), models=2, damage_limit=3)


def test_damage_left_is_told_of_both_sides():
    # Three strikes on a giant with one damage: it has four, so two dice are left to it.
    for result, names in (
        (charge(riders("melee"), giant("melee")), ("attacker", "target")),
        (duel(riders("ranged"), giant("ranged")), ("a", "b")),
    ):
        assert [result.summary[f"mean_{name}_damage_left"] for name in names] == [2, 4]
    assert focus([{"dice": 4}], GIANT | {"defence": 1, "discipline": 6}).rounds()[-1]["mean_damage_left"] == 5
