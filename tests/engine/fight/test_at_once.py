"""What is left to a unit after a failed rally test, and what happens at the same time (AC-5.6, AC-7, AC-8.7).

Every die is a strike and every card a 12, so that every test is failed, unless a test says otherwise.
"""

import pytest

from tests.oracle.fight_files import COIN, LOW_CARDS, charge, duel, likely, row, unit

SHAKEN = {"suppressed": True}


def left(result, side="b"):
    """Mean models left of a side."""
    return result.summary[f"mean_{side}_models_left"]


# --- AC-5.6: movement step or attack step -----------------------------------------------------------------


@pytest.mark.parametrize("distance", [{}, {"distance": 20.0}])
def test_a_charger_that_fails_its_rally_test_shoots(distance):
    # AC-5.6: no charge, but the attack step is left: three strikes, not aimed.
    charger = unit(row("melee", 5), row("ranged", 3), speed=6.0, **SHAKEN)
    result = duel(charger, unit(), policy_a="charge", policy_b="take_cover", **distance)
    assert left(result) == 7
    assert "AC-5.6" not in result.not_modelled


@pytest.mark.parametrize(
    ("policy", "rows", "models"),
    [
        ("shoot", [row("ranged", 3)], 7),
        ("short_range", [row("ranged", 3)], 7),
        ("overcharge", [row("ranged", 1, "Overcharge")], 10 - 1 - 2),  # a card of 2 adds as many dice
        ("all_out", [row("ranged", 3), row("ranged", 2, id="more")], 7),  # AC-7: one row only
        ("take_cover", [], 10),
        ("lookout", [row("ranged", 3)], 10),
    ],
)
def test_what_is_left_to_every_other_policy(policy, rows, models):
    # AC-5.6: the attack step, without the aim that takes the movement step; going on lookout and cover are of it too.
    rules = ["All-Out Attack (2)"] if policy == "all_out" else []
    shooter = unit(*rows, rules=rules, discipline=1, **SHAKEN)
    quiet = {"policy_b": "take_cover", "first": "b"}
    result = duel(shooter, unit(discipline=12), deck={"2": 1}, policy_a=policy, **quiet)
    assert left(result) == models
    assert likely(result, "a_on_lookout") == (policy == "lookout")
    assert likely(result, "a_taking_cover") == (policy == "take_cover")


# --- AC-8.7: secondary combatants strike at the same time as the target ------------------------------------


def doomed(dice=1, **keys):
    """A target of one model whose row, a card's value of dice more, shows blanks that destroy it (Overcharge, AC-6)."""
    return unit(row("melee", dice, "Overcharge"), models=1, overcharge=True, **keys)


def beside(dice):
    return unit(row("melee", dice), models=1)


def test_blanks_of_the_target_do_not_silence_who_is_beside_it():
    # The coin: the target has 1 + 6 dice, and lives through them with 1 of 128. 40 dice beside it destroy all ten
    # models unless fewer than ten hit.
    attacker = unit(row("melee", 0, special=None), row("impact", 1))
    attacker["rows"] = [row("impact", [0] * 9 + [1])]
    result = charge(attacker, doomed(defence=100), die=COIN, deck={"6": 1}, secondary=[beside(40)])
    assert likely(result, "target_wins") > 0.999
    alone = charge(attacker, doomed(defence=100), die=COIN, deck={"6": 1})
    assert likely(alone, "target_wins") < 0.02  # by its own blanks the target has lost


# --- AC-7: a Tail Gunner answers each ranged attack -------------------------------------------------------------


def flyer(*rows, **keys):
    """A rotorcraft of ten models."""
    return unit(*rows, type="rotorcraft", **keys)


def gunner(*rows, dice=3, **keys):
    return unit(*rows, rules=[f"Tail Gunner ({dice})"], **keys)


@pytest.mark.parametrize("gunner_is_told_to", ["take_cover", "shoot"])
def test_a_tail_gunner_answers_opportunity_fire(gunner_is_told_to):
    # The flyer on lookout fires at what acts, once; three strikes come back.
    b = gunner(row("ranged", 0, against=["light"]) if gunner_is_told_to == "take_cover" else row("ranged", 2))
    result = duel(
        flyer(row("ranged", 1), on_lookout=True), b, first="b", policy_a="lookout", policy_b=gunner_is_told_to
    )
    shot = 0 if gunner_is_told_to == "take_cover" else 2
    assert left(result) == 9
    assert left(result, "a") == 10 - 3 - shot
    assert "Tail Gunner (3)" in result.rules_applied


def test_shots_that_are_not_made_are_not_answered():
    # All-Out Attack after a failed rally test is one row (AC-7), and a row that is empty is none (Slow to Fire).
    rows = row("ranged", 1), row("ranged", 1, "Slow to Fire", id="slow")
    quiet = {"policy_a": "all_out", "policy_b": "take_cover"}
    rules = {"rules": ["All-Out Attack (2)"]}
    assert left(duel(flyer(*rows, **rules), gunner(), deck=LOW_CARDS, **quiet), "a") == 4
    assert left(duel(flyer(*rows, reloading=True, **rules), gunner(), deck=LOW_CARDS, **quiet), "a") == 7
    assert left(duel(flyer(*rows, **SHAKEN, **rules), gunner(), **quiet), "a") == 7
    far = duel(
        flyer(row("ranged", 1), row("ranged", 1, id="near", long_range=5.0), **rules),
        gunner(),
        deck=LOW_CARDS,
        distance=10.0,
        **quiet,
    )
    assert left(far, "a") == 7
