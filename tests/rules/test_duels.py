"""Every numbered rule of a duel (AC-9.2 to AC-9.4), each changing its number as it should.

The fights are rigged as those of `test_ranged_attack` are: each die is a strike, so `row("melee", 3)` destroys three of
ten models for certain, and each card is a 12, so that every test by card is failed. Expected values are worked by hand.
"""

import pytest

from analyser.common.errors import InputError
from tests.oracle.fight_files import COIN, LOW_CARDS, charge, duel, focus, likely, row, unit
from tests.oracle.rigged_fights import BY_MODELS, THREE, fighters, models, shooter, target

# --- AC-9.2: duels ----------------------------------------------------------------------------------------


def test_units_are_activated_in_turn():
    strong = shooter(10)
    assert likely(duel(strong, strong, first="a"), "a_wins") == 1
    assert likely(duel(strong, strong, first="b"), "b_wins") == 1
    assert likely(duel(strong, strong, first="random"), "a_wins") == pytest.approx(0.5)


SILENT = {"policy_b": "take_cover"}


def test_a_unit_on_lookout_shoots_at_what_acts_without_a_test():
    result = duel(shooter(3), shooter(2, on_lookout=True), policy_a="take_cover", policy_b="take_cover")
    assert models(result, "a") == 8
    assert likely(result, "a_suppressed") == 0  # AC-4.5
    assert likely(duel(shooter(1), shooter(2), policy_b="lookout", first="b", rounds=1), "b_on_lookout") == 0


def test_a_unit_without_dice_for_its_models_neither_strikes_back_nor_fires_on_lookout():
    """AC-2.4: a duel in which it would have to is refused."""
    for kind, policy_a in (("melee", "charge"), ("ranged", "take_cover")):
        few = unit(row(kind, [1] * 9), on_lookout=True)
        with pytest.raises(InputError, match=rf"b.models: row '{kind}' has no attack dice for 10"):
            duel(unit(row("melee", 1)), few, policy_a=policy_a, **SILENT)
    assert models(duel(shooter(3), unit(row("melee", [1] * 9)), **SILENT), "b") == 7


def test_a_reactive_row_fires_on_lookout_only():
    reactive = unit(row("ranged", 2, "Reactive"))
    for named in ({}, {"row": reactive["rows"][0]["id"]}):
        with pytest.raises(InputError, match=r"policy shoot: .*Reactive.*only on lookout") as refusal:
            duel(reactive | named, shooter(1), **SILENT)
        assert "allowed: lookout, take_cover" in str(refusal.value)
    assert models(duel(shooter(1), reactive, policy_b="lookout", first="b", deck=LOW_CARDS), "a") == 8


def test_who_goes_on_lookout_re_arms_what_it_fires_on_lookout():
    """The Reactive row empties the unit in round 1, and in round 3 after it has re-armed in round 2."""
    slow = unit(row("ranged", 2, "Reactive", "Slow to Fire"), row("ranged", 1) | {"id": "usual"})
    watcher = {"policy_a": "take_cover", "policy_b": "lookout", "first": "b", "deck": LOW_CARDS, "rounds": 4}
    for named in ({}, {"row": slow["rows"][0]["id"]}):
        result = duel(shooter(1), slow | named, **watcher)
        assert [models(result, "a", number) for number in (1, 2, 3, 4)] == [8, 8, 6, 6]


def test_a_storm_wrecks_the_building_when_the_combat_is_over():
    # The garrison strikes first: 6 of 10, then the other 4 (AC-8.6). Out of its building it is struck first, by all 4.
    terms = {"policy_a": "charge", "rounds": 2, "policy_b": "take_cover", "deck": LOW_CARDS}
    garrison = unit(row("melee", 6), garrisoned=True)
    usual, breaking = (
        duel(unit(row("melee", BY_MODELS, *qualities)), garrison, **terms) for qualities in ((), ["Siegebreaker"])
    )
    assert [models(usual, "b", number) for number in (1, 2)] == [8, 8]
    assert [models(breaking, "b", number) for number in (1, 2)] == [8, 4]


def test_short_range_is_walked_to():
    closing = {"policy_a": "short_range", "distance": 14.0, "rounds": 2, "deck": LOW_CARDS, **SILENT}
    row_ = row("ranged", 2, "Point Blank", special=4, short_range=6.0)
    result = duel(unit(row_, speed=6.0), shooter(1), **closing)
    assert [models(result, "b", number) for number in (1, 2)] == [8, 4]  # 14 - 6 = 8, then 6 inches


FUMES = {"rules": ["Corrosive Fumes (4)"]}


def test_corrosive_fumes_disorder_who_is_near_enough():
    quiet = {"policy_a": "take_cover", "policy_b": "take_cover", "deck": LOW_CARDS}
    near, far = (duel(shooter(1, **FUMES), shooter(1), distance=inches, **quiet) for inches in (4.0, 5.0))
    assert (likely(near, "b_disordered"), likely(far, "b_disordered")) == (1, 0)
    assert likely(near, "a_disordered") == 0
    for safe in ({"rules": ["Automata"]}, {"near_commander": True}):
        assert likely(duel(shooter(1, **FUMES), shooter(1, **safe), distance=4.0, **quiet), "b_disordered") == 0


FACES = {"heroic": {"heroic": 1}, "strike": {"strike": 1}, "miss": {"strike": 9, "miss": 1}}
WRECK = {"models": 1, "rules": ["Spectacular Demise (3)"]}


@pytest.mark.parametrize(
    ("die", "inches", "lost"), [("heroic", 8.0, 10), ("heroic", 9.0, 0), ("strike", 4.0, 3), ("strike", 5.0, 0)]
)
def test_what_a_last_model_does_within_inches(die, inches, lost):
    """B is shot down; each of the three dice of its blast hits, a heroic one four times with the die it adds."""
    shot = duel(shooter(9), shooter(1, **WRECK), die=FACES[die], deck=LOW_CARDS, distance=inches, **SILENT)
    assert likely(shot, "b_destroyed") == pytest.approx(1)
    assert 10 - models(shot, "a") == pytest.approx(lost)


@pytest.mark.parametrize(("inches", "chance"), [(6.0, 0.1), (7.0, 0.0)])
def test_a_miss_frightens_who_is_near(inches, chance):
    shot = duel(shooter(9), shooter(1, **WRECK), die=FACES["miss"], distance=inches, **SILENT)
    assert likely(shot, "a_suppressed") == pytest.approx(likely(shot, "b_destroyed") * chance)


def test_opportunity_fire_and_own_blanks_set_it_off_too():
    watcher = shooter(9, on_lookout=True)
    watched = duel(shooter(1, **WRECK), watcher, policy_a="shoot", distance=4.0, **SILENT)
    assert (likely(watched, "a_destroyed"), models(watched, "b")) == (1, 7)
    risky = unit(row("ranged", 1, "Overcharge"), **WRECK)
    how = {"die": {"miss": 9, "blank": 1}, "deck": {"9": 1}, "policy_a": "overcharge", **SILENT}
    near, far = (duel(risky, shooter(1), distance=inches, **how) for inches in (6.0, 7.0))
    assert likely(near, "b_suppressed") == pytest.approx(0.9 * likely(near, "a_destroyed"))
    assert likely(far, "b_suppressed") == 0


def test_own_blanks_spare_the_officer():
    """By the ruling on AC-5.8; of two dice and one of the card each shows a blank."""
    a = unit(row("ranged", 2, "Overcharge"), formation="open", officer="first")
    how = {"die": {"blank": 1}, "deck": {"1": 1}, "policy_a": "overcharge", "policy_b": "take_cover"}
    found = duel(a, shooter(1), **how)
    assert (models(found, "a"), likely(found, "a_disordered")) == (7, 0)


RIFLES_AND_BAYONETS = row("ranged", 1), row("melee", 3)
LONE = {"policy_a": "shoot", "policy_b": "take_cover"}


def fury(*rules, suppressed=False, **keys):
    """A unit that would shoot one model, and destroys three if it charges."""
    return unit(*RIFLES_AND_BAYONETS, rules=rules, suppressed=suppressed, **keys)


def models_lost(a, b=None, **terms):
    result = duel(a, b or unit(), **LONE | terms)
    return 10 - result.summary["mean_b_models_left"]


def test_who_runs_amok_charges_whatever_its_policy():
    assert (models_lost(fury()), models_lost(fury("Run Amok"))) == (1, 3)
    assert duel(fury("Run Amok"), unit(), **LONE).rules_applied == ("Run Amok",)


def test_who_is_berserk_charges_after_a_failed_rally_test_only():
    assert models_lost(fury("Berserk")) == 1
    assert models_lost(fury("Berserk", suppressed=True)) == 3
    assert models_lost(fury("Berserk", suppressed=True), deck=LOW_CARDS) == 1  # rallied
    assert models_lost(fury("Run Amok", suppressed=True)) == 1  # a failed rally test forbids it (AC-5.6)


@pytest.mark.parametrize(
    ("a", "b", "terms"),
    [
        (fury("Run Amok", "Static"), {}, {}),
        (fury("Run Amok", garrisoned=True), {}, {}),
        (fury("Run Amok") | {"rows": [row("ranged", 1)]}, {}, {}),
        (fury("Run Amok"), {"type": "rotorcraft"}, {}),
        (fury("Run Amok", speed=6.0), {}, {"distance": 13.0}),
    ],
    ids=["static", "in a building", "no row", "rotorcraft", "out of reach"],
)
def test_no_rule_makes_a_unit_charge_that_cannot(a, b, terms):
    assert models_lost(a, unit(**b), **terms) == 1


def test_who_runs_amok_without_a_charge_costs_the_enemy_near_it_a_damage_and_itself_a_model():
    stuck = unit(rules=["Run Amok"])
    terms = {"policy_a": "take_cover", "policy_b": "take_cover"}
    for distance, lost in ((6.0, 1), (7.0, 0)):
        found = duel(stuck, unit(), distance=distance, **terms).summary
        assert (10 - found["mean_a_models_left"], 10 - found["mean_b_models_left"]) == (lost, lost)
    tough = duel(stuck, unit(damage_limit=2), distance=6.0, rounds=2, **terms).summary
    assert (tough["mean_a_models_left"], tough["mean_b_models_left"]) == (8, 9)
    assert duel(stuck, unit(category="aerial"), distance=6.0, **terms).summary["mean_a_models_left"] == 10
    unmeasured = duel(stuck, unit(), **terms)
    assert unmeasured.summary["mean_a_models_left"] == 10
    assert any("runs amok" in each for each in unmeasured.assumptions)


def test_shots_that_are_not_made_are_not_answered():
    """All-Out Attack after a failed rally test is one row; one that is empty or does not reach is none (AC-7)."""
    gun, slow, near = row("ranged", 1), row("ranged", 1, "Slow to Fire", id="slow"), row("ranged", 1, long_range=5.0)
    for second, keys, terms, left in (
        (slow, {}, {"deck": LOW_CARDS}, 4),
        (slow, {"reloading": True}, {"deck": LOW_CARDS}, 7),
        (slow, {"suppressed": True}, {}, 7),
        (near | {"id": "near"}, {}, {"deck": LOW_CARDS, "distance": 10.0}, 7),
    ):
        flyer = unit(gun, second, type="rotorcraft", rules=["All-Out Attack (2)"], **keys)
        shot = duel(flyer, unit(rules=["Tail Gunner (3)"]), policy_a="all_out", **SILENT, **terms)
        assert models(shot, "a") == left


def test_aircraft_fight_no_duels():
    with pytest.raises(InputError, match="aircraft"):
        duel(shooter(1), shooter(1, type="aircraft"))


# --- AC-9.3, AC-9.4: cards, and who has won ---------------------------------------------------------------


def test_the_answer_says_that_cards_are_put_back():
    result = duel(shooter(1), shooter(1))
    assert any("AC-9.3" in each for each in result.assumptions)
    assert any("AC-9.3" in each for each in focus([THREE, THREE], target()).assumptions)
    assert len(charge(*fighters()).assumptions) == 1  # die and deck: one test, one card


def test_victory_points_are_paid_for_who_is_gone():
    result = duel(shooter(10, victory_points=3), shooter(1, victory_points=7))
    assert (result.summary["expected_a_victory_points"], result.summary["expected_b_victory_points"]) == (7, 0)
    assert result.margins() == [{"margin": 7, "probability": pytest.approx(1)}]


def test_at_least_twice_the_other_sides_points_is_devastating():
    hunters = {"rules": ["Hunter"]}
    a = unit(row("melee", 3), **hunters)
    result = duel(a, unit(row("melee", 4)), policy_a="charge", rounds=1, policy_b="take_cover")
    assert (likely(result, "draw"), likely(result, "a_devastating")) == (1, 0)
    won = duel(unit(row("melee", 4), **hunters), unit(row("melee", 3)), policy_a="charge", policy_b="take_cover")
    assert (likely(won, "a_wins"), likely(won, "a_devastating")) == (1, 1)


@pytest.mark.parametrize(("points", "devastating"), [((2, 1), 1), ((3, 2), 0)])
def test_how_much_more_is_devastating(points, devastating):
    """Both are annihilated: B by the attack, A by its own blanks (Overcharge)."""
    a = unit(row("ranged", 1, "Overcharge"), models=1, victory_points=points[1])
    b = unit(models=1, victory_points=points[0])
    result = duel(a, b, die=COIN, deck={"1": 1}, policy_a="overcharge", policy_b="take_cover")
    both = [each for each in result.margins() if each["margin"] == points[0] - points[1]]
    assert both[0]["probability"] == pytest.approx(0.5)  # a strike and a blank, in either order
    assert likely(result, "a_devastating") == pytest.approx(0.25 + (0.5 if devastating else 0))
