"""Spectacular Demise and Tail Gunner (AC-7) in charges and duels, against the plain readings of each."""

from collections import defaultdict
from fractions import Fraction

import pytest

import analyser
from tests.oracle import fight_files, plain_aftermath
from tests.oracle import fights_by_engine as engine
from tests.oracle import plain_close_quarters as cq
from tests.oracle.fight_files import row, unit
from tests.oracle.plain_units import read_unit
from tests.oracle.random_fights import random_blast, random_fights


def after_blasts(charge):
    """The plain law of a charge, each unit that was destroyed going off at the other one."""
    found = defaultdict(Fraction)
    ruleset = charge["ruleset"] | {"deck": {int(value): copies for value, copies in charge["ruleset"]["deck"].items()}}
    for outcome, chance in cq.law(charge).items():
        units = {"active": outcome.active, "target": outcome.target}
        law = {(outcome.active, outcome.target): Fraction(1)}
        for gone, other in (("active", "target"), ("target", "active")):
            if units[gone].fate == "destroyed" and not units[other].fate:
                blast = plain_aftermath.spectacular_demise(
                    read_unit(charge[gone]), read_unit(charge[other]), units[other], 0, ruleset
                )
                law = {
                    (units[gone], after) if gone == "active" else (after, units[gone]): share
                    for after, share in blast.items()
                }
        for (active, target), share in law.items():
            found[active, target, outcome.won] += chance * share
    return found


@pytest.mark.parametrize("seed", range(12))
def test_spectacular_demise_of_what_is_destroyed_in_close_quarters(seed):
    for charge in random_fights(random_blast, seed, 4):
        plain = defaultdict(float)
        for (active, target, won), chance in after_blasts(charge).items():
            wins = {name: won.count(name) if "Hunter" in charge[name]["rules"] else 0 for name in ("active", "target")}
            end = (*engine.plain_unit(active), wins["active"], *engine.plain_unit(target), wins["target"])
            plain[end] += float(chance)
        engine.assert_same(engine.charge_law(charge), plain, charge)


def test_a_broken_unit_does_not_go_off():
    """Of DISCIPLINE 0 and BREAK LIMIT 4 the target, losing one of two models, always breaks: no die, no blast."""
    target = unit(models=2, discipline=0, break_limit=4, rules=["Spectacular Demise (6)"])
    ending = fight_files.certain(fight_files.charge(unit(row("melee", 1), models=1), target))
    assert (ending["target_broken"], ending["attacker_models_destroyed"]) == (True, 0)


@pytest.mark.slow
def test_a_unit_that_was_shot_down_takes_nobody_with_it():
    """It charges if it lives; B, which shoots first and never misses, is not in contact with it."""
    rifles = unit(row("ranged", 40), models=5)
    wreck = unit(row("melee", 1), models=1, rules=["Spectacular Demise (8)"])
    for method in ({}, {"method": "monte-carlo", "trials": 10_000, "threads": 1}):
        found = analyser.duel(wreck, rifles, policy_a="charge", first="b", rounds=2, **method).summary
        assert found["p_a_destroyed"] == pytest.approx(1.0)
        assert found["mean_b_models_left"] == pytest.approx(5.0)


def test_a_unit_that_its_own_shot_destroys_takes_nobody_with_it():
    """Its blanks (Overcharge) destroy it at a distance; B, which would charge, is not in contact with it."""
    wreck = unit(row("ranged", 3, "Overcharge"), models=1)
    charger = unit(row("melee", 1), models=5)
    terms = {"policy_a": "overcharge", "policy_b": "charge", "first": "a", "die": {"heroic": 1, "blank": 3}}
    alone = fight_files.duel(wreck, charger, **terms).summary
    assert alone["p_a_destroyed"] > 0.9
    assert fight_files.duel(wreck | {"rules": ["Spectacular Demise (8)"]}, charger, **terms).summary == alone
