"""Battles: the same bits on any number of threads, two real decks, reserves, transports, what is counted and told."""

import ast
from pathlib import Path

import numpy as np
import pytest

import analyser
from analyser.engine import battle
from analyser.engine.battle.log import Event
from analyser.engine.battle.simulation import Simulation
from analyser.scenarios.battle_tables import encode_battle
from tests.helpers.battles import BY_POLICY, scenario_of
from tests.oracle.fight_files import row, ruleset, unit

RIFLES = ["crown/rifle-command-platoon@basic", "2 x crown/rifle-platoon@basic", "crown/horse-guard-cavalry@basic"]
GRENADIERS = ["3 x imperium/scion-grenadier-platoon@basic", "imperium/totenkopf-jaeger-cavalry@basic"]


def simulation_of(mine, yours, **terms):
    return Simulation(*encode_battle(scenario_of(mine, yours, **terms)))


def events_of(told, event):
    return [tuple(line) for line in told.events.tolist() if line[0] == event]


def test_no_index_counts_from_the_end():
    """Kernels of battles are compiled without a look whether one does (`common/compiler`)."""
    for path in Path(battle.__file__).parent.glob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and function.decorator_list:
                subscripts = [each.slice for each in ast.walk(function) if isinstance(each, ast.Subscript)]
                parts = [part for each in subscripts for part in getattr(each, "elts", [each])]
                assert not [ast.unparse(each) for each in parts if isinstance(each, ast.UnaryOp)], function.name


@pytest.mark.slow
def test_same_seed_same_bits_on_any_number_of_threads():
    simulation = simulation_of(RIFLES, GRENADIERS)
    one, *others = [simulation.play(3000, 7, threads) for threads in (1, 2, 3, 4)]
    for other in others:
        for name in one.dtype.names:
            assert np.array_equal(one[name], other[name]), name


@pytest.mark.slow
def test_what_is_lost_is_what_is_not_left():
    simulation = simulation_of(RIFLES, GRENADIERS, rounds=4)
    counts = simulation.play(2000, 5)
    begun = 2000 * simulation._setup.models
    gone = counts.lost.sum(axis=0)
    assert np.array_equal(begun - gone, counts.models[3])
    assert np.array_equal(counts.killed.sum(axis=(0, 1)), gone)  # nobody here hurts itself
    assert counts.results.sum() == counts.outcomes.sum() == counts.ended.sum() == 2000


@pytest.mark.slow
def test_a_told_battle_is_the_one_that_was_counted():
    simulation = simulation_of(RIFLES, GRENADIERS)
    for number in (0, 3, 300):
        told = simulation.logged_battle(number, 11)
        *_, mine, yours = events_of(told, Event.ENDED)[-1]
        assert mine - yours == told.margin
        assert simulation.first_battle_with(told.margin, number + 1, 11) <= number
    many = simulation.play(1000, 11)
    margins = [simulation.logged_battle(number, 11).margin for number in range(200)]
    first, second = np.nonzero(many.results)
    assert set(margins) <= set((first - second).tolist())


def test_passengers_test_if_the_die_of_a_blast_shows_a_miss():
    """AC-5.10: the transport passes by its DISCIPLINE, its passengers fail and break; a strike does no harm."""
    still = {"category": "light", "speed": 0, "x": 0.0, "points": 10, "policy": "take_cover"}
    wreck = unit(name="Wreck", models=1, rules=["Spectacular Demise (1)"], **still)
    bus = {"type": "armour", "category": "heavy", "defence": 9, "discipline": 12, "victory_points": 0, "behind": 3.0}
    bus = unit(name="Bus", rules=["Capacity (1)"], traits=["transport"], **still) | bus
    foot = unit(name="Foot", break_limit=10, embarked_in="Bus", **still)
    guns = unit(row("ranged", 40), name="Guns", **still | {"policy": "shoot"})
    asked = BY_POLICY | {"rounds": 1, "gap": 20.0, "disembark_within": 0.0, "hand_limit": 0}
    armies = {"mine": {"unit": [wreck, bus, foot]}, "yours": {"unit": [guns]}}
    asked = armies | {"battle": asked, "ruleset": ruleset({"strike": 1, "miss": 1})}
    table = analyser.simulate(asked, trials=2000).table()
    scores = dict(zip(table["yours_victory_points"].tolist(), table["probability"].tolist()))
    assert scores == {5: pytest.approx(0.5, abs=0.05), 10: pytest.approx(0.5, abs=0.05)}
