"""The plain readings on fights at random: no chance is lost, and no state is impossible."""

import pytest

from tests.oracle import plain_close_quarters as cq
from tests.oracle import plain_duel
from tests.oracle import plain_focus_fire as focus
from tests.oracle.random_fights import random_charge, random_duel, random_fights, random_focus_fire


def check_unit(unit, most):
    """A unit in play has models; a removed one has nothing."""
    assert 0 <= unit.models <= most
    if unit.fate:
        assert unit[:6] == (0, 0, False, False, False, False)
    else:
        assert unit.models > 0


@pytest.mark.parametrize("charge", random_fights(random_charge, 8, 40))
def test_charges(charge):
    law = cq.law(charge)
    assert sum(law.values()) == 1
    for end in law:
        check_unit(end.active, charge["active"]["models"])
        check_unit(end.target, charge["target"]["models"])
        # A winner is alive, or has taken its enemy with it.
        if end.won:
            winner = {"active": end.active, "target": end.target}.get(end.won[-1], end.active)
            assert not winner.fate or (end.active.fate and end.target.fate) or end.won[-1] == "stalemate"


@pytest.mark.parametrize("scenario", random_fights(random_focus_fire, 9, 25))
def test_focus_fire(scenario):
    before = 0
    for law in focus.laws(scenario):
        assert sum(law.values()) == 1
        # What is removed stays so.
        after = focus.chance_of(law, "annihilated")
        assert after >= before
        before = after


@pytest.mark.parametrize("duel", random_fights(random_duel, 10, 40))
def test_duels(duel):
    for law in plain_duel.laws(duel):
        assert sum(law.values()) == 1
        for state in law:
            check_unit(state.a.unit, duel["a"]["models"])
            check_unit(state.b.unit, duel["b"]["models"])
            assert not state.a.unit.activated
            assert state.distance is None or state.distance >= 0


def test_the_same_seed_gives_the_same_fights():
    for make in (random_charge, random_focus_fire, random_duel):
        assert random_fights(make, 1, 5) == random_fights(make, 1, 5)
        assert random_fights(make, 1, 5) != random_fights(make, 2, 5)
