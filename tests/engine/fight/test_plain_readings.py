"""The exact engine of longer fights against the plain readings of AC-8 and AC-9, on fights at random."""

import pytest

from tests.oracle import fights_by_engine as engine
from tests.oracle import plain_focus_fire
from tests.oracle import random_fights as made


@pytest.mark.parametrize("seed", range(30))
def test_charges(seed):
    for charge in made.random_fights(made.random_charge, seed, 5):
        engine.assert_same(engine.charge_law(charge), engine.plain_charge_law(charge), charge)


@pytest.mark.parametrize("make", [made.random_overcharge, made.random_throw, made.random_company])
@pytest.mark.parametrize("seed", range(20))
def test_charges_in_which_a_card_adds_dice(make, seed):
    for charge in made.random_fights(make, seed, 3):
        engine.assert_same(engine.charge_law(charge), engine.plain_charge_law(charge), charge)


@pytest.mark.parametrize("seed", range(20))
def test_focus_fire(seed):
    for scenario in made.random_fights(made.random_focus_fire, seed, 4):
        scenario["replacement"] = True
        for ours, plain in zip(engine.focus_laws(scenario), engine.plain_focus_laws(scenario), strict=True):
            engine.assert_same(ours, plain, scenario)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_focus_fire_that_a_tail_gunner_answers(seed):
    for scenario in made.random_fights(made.random_dogfight, seed, 3):
        for ours, law in zip(engine.focus_laws(scenario), plain_focus_fire.tables(scenario), strict=True):
            plain = engine.floats(law, lambda at: engine.plain_target(at.target) + engine.plain_target(at.attacker))
            engine.assert_same(ours, plain, scenario)


@pytest.mark.slow
@pytest.mark.parametrize("make", made.DUEL_MAKERS)
@pytest.mark.parametrize("seed", range(20))
def test_duels(seed, make):
    for duel in made.random_fights(make, seed, 3):
        for ours, plain in zip(engine.duel_laws(duel), engine.plain_duel_laws(duel), strict=True):
            engine.assert_same(ours, plain, duel)
