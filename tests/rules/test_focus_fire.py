"""Every numbered rule of focus fire (AC-9.1), each changing its number as it should.

The fights are rigged as those of `test_ranged_attack` are: each die is a strike, so `row("melee", 3)` destroys three of
ten models for certain, and each card is a 12, so that every test by card is failed. Expected values are worked by hand.
"""

import pytest

import analyser
from tests.oracle.fight_files import focus, likely
from tests.oracle.rigged_fights import THREE, target


def test_models_and_damage_carry_over():
    result = focus([{"dice": 3}, {"dice": 3}], target())
    assert [row["mean_models_left"] for row in result.rounds()] == [7, 4]
    tough = focus([{"dice": 3}, {"dice": 3}], target(damage_limit=2))
    assert [row["mean_models_destroyed"] for row in tough.rounds()] == [1, 3]


def test_a_second_failed_test_makes_a_suppressed_unit_fall_back_and_a_third_may_end_at_the_edge():
    result = focus([THREE, THREE, THREE], target(edge_distance=6.0))
    assert [likely(result, "suppressed", attack) for attack in (1, 2, 3)] == [1, 1, 0]
    assert [likely(result, "fell_back", attack) for attack in (1, 2, 3)] == [0, 1, 1]
    assert [likely(result, "fled", attack) for attack in (1, 2, 3)] == [0, 0, 1]


def test_until_a_fate_is_likely_enough():
    result = focus([THREE] * 4, target(break_limit=4))
    assert result.until(0.8, "broken").attacks == 2
    assert result.until(1, "suppressed").attacks == 1
    assert result.until(0.5, "destroyed").attacks is None
    assert result.until(0.5, "annihilated").attacks == 2


CUTTERS = "commonwealth/kheshig-sky-cutter-wings@basic"  # two rotorcraft of DEFENCE 2 and DAMAGE LIMIT 2
FLAK = "commonwealth/rydovoy-rodina-squadron@basic"  # armour, on the ground
FIGHTERS = {"unit": "crown/defiance-fighter-squadron@basic", "models": 3}  # Tail Gunner (4)


def own_losses(result):
    return [row.get("mean_attacker_models_destroyed") for row in result.rounds()]


def test_a_tail_gunner_shoots_back_at_what_is_in_the_air():
    # Four strikes are two points of damage: one of two cutters, at each attack anew, for these are different units.
    result = focus([{"attacker": CUTTERS}] * 2, FIGHTERS)
    assert own_losses(result) == [1, 1]
    assert "Tail Gunner (4)" in result.rules_applied
    silent = focus([{"attacker": CUTTERS}] * 2, FIGHTERS | {"rules": []})
    assert own_losses(silent) == [None, None]
    from_the_ground = focus([{"attacker": FLAK}], FIGHTERS)
    assert own_losses(from_the_ground) == [None]
    assert "Tail Gunner (4)" not in (*from_the_ground.rules_applied, *from_the_ground.not_modelled)
    mixed = focus([{"attacker": FLAK}, {"attacker": CUTTERS}], FIGHTERS)
    assert own_losses(mixed) == [0, 1]


def test_what_overcharge_costs_an_attacker_of_focus_fire():
    # Two dice and two for the card, all blanks: four of five models at each attack; of three, all.
    risky = {"dice": 2, "overcharge": True, "qualities": ["Overcharge"]}
    attacks = [risky | {"attacker_models": models} for models in (5, 5, 3)] + [{"dice": 2}]
    result = focus(attacks, target(), die={"blank": 1}, deck={"2": 1})
    assert own_losses(result) == [4, 4, 3, 0]
    assert [row["p_attacker_annihilated"] for row in result.rounds()] == [0, 0, 1, 0]
    assert result.summary["expected_victory_points_lost"] is None  # no profile, no rating
    assert any("different units" in each for each in result.assumptions)


@pytest.mark.slow
def test_own_losses_of_focus_fire_are_those_of_a_single_attack():
    attack = {"dice": 3, "overcharge": True, "qualities": ["Overcharge", "Arc"], "attacker_models": 4}
    fight = {"attack": attack, "target": target()}
    alone = analyser.exact(fight).summary["mean_attacker_models_destroyed"]
    both = analyser.focus([attack, attack], target())
    gone = both.probability("annihilated", 1).probability
    assert own_losses(both) == pytest.approx([alone, alone * (1 - gone)])
    sampled = analyser.focus([attack, attack], target(), method="monte-carlo", trials=50_000, seed=1)
    for figures in sampled.rounds():
        mean, error = (figures[f"mean_attacker_models_destroyed{end}"] for end in ("", "_standard_error"))
        assert mean == pytest.approx(alone * figures["p_made"], abs=5 * error)
