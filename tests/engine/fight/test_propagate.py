"""The exact law of a longer fight is what its operations make of it one by one, pair of states by pair of states."""

from functools import cache

import numpy as np
import pytest

from analyser.common.jit import interpreted
from analyser.engine.attack.exact import exact_attack
from analyser.engine.fight import operations as steps
from analyser.engine.fight import strikes
from analyser.engine.fight.exact.distribution import fused_from
from analyser.engine.fight.exact.propagate import exact_distributions, exact_distributions_by_models
from analyser.engine.fight.exact.strike import pool_cache_for
from analyser.engine.fight.program import Kind, Operation
from analyser.game.profiles import load_ruleset
from analyser.rules.discipline import ATTACKER_DAMAGE, ATTACKER_DESTROYED, BITS
from analyser.rules.draws import odds_of, probability_of
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import duel_program, duel_start
from analyser.scenarios.resolve import resolve_combatant
from analyser.scenarios.schema import Charge, Combatant, DuelTerms

RULES = load_ruleset()
DIE, DECK = np.array(RULES.die.faces, np.int64), RULES.deck.counts()
DRAWN = DIE / DIE.sum(), DECK / DECK.sum(), odds_of(DIE, DECK)
OUTCOME = (1 << ATTACKER_DAMAGE) - 1
FIELD = (1 << BITS) - 1

RIFLES = {"unit": "crown/rifle-platoon@basic"}
GRENADIERS = {"unit": "imperium/scion-grenadier-platoon@basic"}
CRUSADERS = {"unit": "imperium/teutonic-armiger-crusaders@basic"}  # Overrun, Corrosive Fumes
CAVALRY = {"unit": "crown/horse-guard-cavalry@basic"}
WALKERS = {"unit": "imperium/sturmriese-arc-walkers@basic"}
UNSTABLE = {
    "id": "unstable",
    "name": "Unstable",
    "kind": "ranged",
    "against": ["light"],
    "long_range": 12.0,
    "bands": [{"first": 1, "last": 3, "dice": 4}],
    "qualities": ["Overcharge"],
}
BREAKER = UNSTABLE | {"id": "breaker", "bands": [{"first": 1, "last": 8, "dice": 9}], "qualities": ["Siegebreaker"]}
DUELS = {
    "both shoot": (RIFLES, GRENADIERS, {}),
    "both charge, one with Overrun": (CRUSADERS, CAVALRY, {"policy_a": "charge", "policy_b": "charge"}),
    "the other begins": (RIFLES, CRUSADERS, {"policy_b": "charge", "first": "b"}),
    "from a distance": (RIFLES, CAVALRY, {"policy_b": "charge", "distance": 14.0}),
    "out of a building, its edge near": (
        GRENADIERS | {"garrisoned": True, "edge_distance": 5.0},
        RIFLES,
        {"policy_a": "charge", "first": "a"},
    ),
    "Overcharge": (
        RIFLES | {"rows": [UNSTABLE], "models": 3, "damage_limit": 2},
        GRENADIERS,
        {"policy_a": "overcharge"},
    ),
    "Spectacular Demise": (
        CAVALRY,
        GRENADIERS | {"models": 3, "rules": ["Spectacular Demise (3)"]},
        {"policy_a": "charge"},
    ),
    "lookout": (RIFLES, GRENADIERS, {"policy_b": "lookout"}),
    "shot down near by": (
        CAVALRY | {"models": 1, "rules": ["Spectacular Demise (3)"]},
        RIFLES,
        {"policy_a": "charge", "distance": 9.0},
    ),
    "Corrosive Fumes within inches": (CRUSADERS, RIFLES, {"policy_a": "charge", "distance": 20.0}),
    "Siegebreaker": (RIFLES | {"rows": [BREAKER]}, GRENADIERS | {"garrisoned": True}, {}),
}


def combatant(known):
    return resolve_combatant(Combatant.model_validate(known), None, "a")


def one_by_one(setup, operations, law):
    """The law {(state, state): chance} after the operations."""
    chances = pool_cache_for(setup, np.zeros((0, 1), np.int64), DIE, DECK)
    for operation in operations:
        after = {}
        for words, share in law.items():
            for then, chance in next_states(setup, operation, words, chances):
                after[then] = after.get(then, 0.0) + share * chance
        law = after
    return law


def next_states(setup, operation, words, chances):
    if operation.kind == Kind.STRIKE:
        yield from next_by_strike(setup, operation, words, chances)
        return
    passes = probability_of(*steps.required_draw(setup, operation, words), chances.odds)
    for passed, chance in ((True, passes), (False, 1.0 - passes)):
        if chance > 0.0:
            yield steps.changed(setup, operation, words, passed), chance


def next_by_strike(setup, operation, words, chances):
    number = operation.number
    if not strikes.is_made(setup, number, operation.side, words):
        yield words, 1.0
        return
    striker = setup.strikes[number].striker
    mine, theirs = words[striker], words[1 - striker]
    strikes.set_strike(setup, number, strikes.condition(setup, number, words), theirs)
    for outcome, chance in ends_of(setup.fight[0].tobytes(), setup.fight.dtype):
        struck = strikes.after_attack(setup, number, theirs, outcome & OUTCOME)
        destroyed, damage = outcome >> ATTACKER_DESTROYED, outcome >> ATTACKER_DAMAGE & FIELD
        after = int(strikes.after_striking(setup, number, mine, struck, (destroyed, damage)))
        yield ((after, int(struck)) if striker == 0 else (int(struck), after)), chance


@cache
def ends_of(fight, dtype):
    """Every outcome of an attack, the same for many states of the two units, and its probability."""
    _, _, outcomes, likely = exact_attack(np.frombuffer(fight, dtype)[0], *DRAWN)
    return list(zip(outcomes.tolist(), likely.tolist()))


def as_mapping(law):
    rows, columns = np.nonzero(law.probabilities)
    return {
        (int(law.first[row]), int(law.second[column])): float(law.probabilities[row, column])
        for row, column in zip(rows, columns)
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", DUELS)
def test_a_duel_is_what_its_operations_make_of_it(name):
    one, other, terms = DUELS[name]
    sides = combatant(one), combatant(other)
    setup, rounds = duel_program(*sides, DuelTerms.model_validate({"rounds": 2, **terms}), RULES)
    start = duel_start(setup, sides)
    found = [as_mapping(law) for law in exact_distributions(setup, rounds, start, DIE, DECK)]
    expected = one_by_one(setup, rounds[0], {start: 1.0})
    assert found[0] == pytest.approx(expected, abs=1e-14)
    assert found[1] == pytest.approx(one_by_one(setup, rounds[1], expected), abs=1e-14)


def test_a_charge_at_a_transport_is_what_its_operations_make_of_it():
    transport = combatant(WALKERS | {"models": 3, "capacity": 2, "passengers": {**RIFLES, "models": 5}})
    setup, operations = charge_program(combatant(CRUSADERS | {"charge": Charge(supported=True)}), transport)
    start = charge_start(setup)
    (law,) = exact_distributions(setup, [operations], start, DIE, DECK)
    assert as_mapping(law) == pytest.approx(one_by_one(setup, operations, {start: 1.0}), abs=1e-14)


@pytest.mark.parametrize("edge", [None, 2.0])
@pytest.mark.parametrize(("charger", "target"), [(CRUSADERS, RIFLES), (RIFLES, CRUSADERS), (CAVALRY, GRENADIERS)])
def test_the_end_of_a_combat_goes_by_each_state_and_its_role_as_pair_by_pair(charger, target, edge, monkeypatch):
    units = combatant(charger | {"models": 3}), combatant(target | {"models": 3, "edge_distance": edge})
    setup, operations = charge_program(*units)

    def law():
        with interpreted():
            return exact_distributions(setup, [operations], charge_start(setup), DIE, DECK)[0]

    once = law()
    monkeypatch.setattr("analyser.engine.fight.exact.propagate.are_alone", lambda _: False)
    for part, expected in zip(once, law(), strict=True):
        np.testing.assert_array_equal(part, expected)


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
        _, place = fused_from(operations, place, len(kinds))
        ends.append(place)
    assert ends == [2, 6, 7]
    assert fused_from(operations, 2, 4)[1] == 4  # not beyond its part of the program
