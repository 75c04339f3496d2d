"""The exact law of a longer fight is what its operations make of it one by one, pair of states by pair of states."""

import numpy as np
import pytest

from analyser.common.jit import interpreted
from analyser.engine.fight.exact.distribution import fuse_operations
from analyser.engine.fight.exact.propagate import exact_distributions, exact_distributions_by_models
from analyser.engine.fight.program import Kind, Operation
from analyser.game.profiles import load_profiles
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.resolve import resolve_combatant
from analyser.scenarios.schema import Combatant

RULES = load_profiles().ruleset
DIE, DECK = np.array(RULES.die.sides_by_face, np.int64), RULES.deck.counts()

GRENADIERS = {"unit": "imperium/scion-grenadier-platoon@basic"}
CAVALRY = {"unit": "crown/horse-guard-cavalry@basic"}
RIFLES = {"unit": "crown/rifle-platoon@basic"}
CRUSADERS = {"unit": "imperium/teutonic-armiger-crusaders@basic"}  # Overrun, Corrosive Fumes
WALKERS = {"unit": "imperium/sturmriese-arc-walkers@basic"}


def combatant(known):
    return resolve_combatant(Combatant.model_validate(known), None, "a")


@pytest.mark.parametrize("edge", [None, 2.0])
@pytest.mark.parametrize(("charger", "target"), [(CRUSADERS, RIFLES), (RIFLES, CRUSADERS), (CAVALRY, GRENADIERS)])
def test_the_last_strike_and_the_end_of_a_combat_together_are_those_one_by_one(charger, target, edge, monkeypatch):
    units = combatant(charger | {"models": 3}), combatant(target | {"models": 3, "edge_distance": edge})
    setup, operations = charge_program(*units)

    def distribution():
        with interpreted():
            (joint,) = exact_distributions(setup, [operations], charge_start(setup), DIE, DECK)
        return dict(zip(zip(joint.first[joint.rows], joint.second[joint.columns]), joint.probabilities, strict=True))

    together = distribution()
    monkeypatch.setattr("analyser.engine.fight.exact.distribution.concern_one_side", lambda _: False)
    assert together == pytest.approx(distribution(), rel=0, abs=1e-15)


@pytest.mark.parametrize(("charger", "target"), [(CRUSADERS, RIFLES), (WALKERS, CRUSADERS), (RIFLES, WALKERS)])
def test_charges_at_other_numbers_of_models_are_those_of_such_units_to_the_bit(charger, target):
    most = charge_program(combatant(charger | {"models": 5}), combatant(target | {"models": 6}))
    models = [(5, 6), (2, 6), (5, 1), (1, 3)]
    found = exact_distributions_by_models(*most, charge_start(most[0]), models, DIE, DECK)
    for law, (ours, theirs) in zip(found, models, strict=True):
        setup, operations = charge_program(
            combatant(charger | {"models": ours}), combatant(target | {"models": theirs})
        )
        (alone,) = exact_distributions(setup, [operations], charge_start(setup), DIE, DECK)
        for part, expected in zip(law, alone, strict=True):
            np.testing.assert_array_equal(part, expected)
    assert exact_distributions_by_models(*most, charge_start(most[0]), [], DIE, DECK) == []


def test_operations_that_draw_nothing_are_fused_with_the_one_before_them():
    kinds = [Kind.BEGIN, Kind.GIVE_ORDERS, Kind.STRIKE, Kind.END, Kind.END_ROUND, Kind.END_ROUND, Kind.TOSS]
    operations = np.array([Operation(kind) for kind in kinds], np.int64)
    ends, place = [], 0
    while place < len(kinds):
        _, place = fuse_operations(operations, place, len(kinds))
        ends.append(place)
    assert ends == [2, 6, 7]
    assert fuse_operations(operations, 2, 4)[1] == 4  # not beyond its part of the program
